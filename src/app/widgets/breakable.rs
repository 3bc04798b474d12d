//! Text without blanks that wraps after its parts, never within a word.

use leptos::prelude::*;

/// A path that wraps after its slashes.
pub fn breakable(path: &str) -> impl IntoView + use<> {
    breakable_after(path, '/')
}

/// A name such as `olm.package.required` that wraps after its dots.
pub fn breakable_name(name: &str) -> impl IntoView + use<> {
    breakable_after(name, '.')
}

fn breakable_after(text: &str, end: char) -> impl IntoView + use<> {
    text.split_inclusive(end)
        .map(|part| view! { {part.to_owned()} {part.ends_with(end).then(|| view! { <wbr/> })} })
        .collect_view()
}
