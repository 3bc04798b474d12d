//! Paths that are wrapped after their slashes, not inside the names of folders and files.

use leptos::prelude::*;

/// A path that breaks after its slashes where there is no room for it on one line.
pub fn breakable(path: &str) -> impl IntoView + use<> {
    path.split_inclusive('/')
        .map(|part| view! { {part.to_owned()} {part.ends_with('/').then(|| view! { <wbr/> })} })
        .collect_view()
}
