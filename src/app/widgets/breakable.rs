//! Texts without blanks that are wrapped where their parts end, and not by a letter.

use leptos::prelude::*;

/// A path that breaks after its slashes where there is no room for it on one line.
pub fn breakable(path: &str) -> impl IntoView + use<> {
    breakable_after(path, '/')
}

/// A name such as `olm.package.required` that breaks after its dots.
pub fn breakable_name(name: &str) -> impl IntoView + use<> {
    breakable_after(name, '.')
}

fn breakable_after(text: &str, end: char) -> impl IntoView + use<> {
    text.split_inclusive(end)
        .map(|part| view! { {part.to_owned()} {part.ends_with(end).then(|| view! { <wbr/> })} })
        .collect_view()
}
