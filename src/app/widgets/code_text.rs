//! Sentences with names in a monospaced font.

use super::breakable::breakable;
use leptos::prelude::*;

/// Text in which backticks mark names, shown in a monospaced font.
pub fn in_code(text: &str) -> impl IntoView + use<> {
    text.split('`')
        .enumerate()
        .map(|(index, part)| {
            let part = part.to_owned();
            match index % 2 {
                1 if part.contains('/') => view! { <code>{breakable(&part)}</code> }.into_any(),
                1 => view! { <code>{part}</code> }.into_any(),
                _ => part.into_any(),
            }
        })
        .collect_view()
}
