//! A position in a file as a link.

use crate::context::AppContext;
use crate::widgets::breakable::breakable;
use crate::words;
use leptos::prelude::*;
use protocol::diagnostic::Location;

/// A position as a link to *Source*.
pub fn place_link(app: AppContext, location: Location) -> impl IntoView {
    let text = words::place(&location);
    view! {
        <button
            type="button"
            class="link"
            on:click=move |_| app.show_source(location.clone())
        >
            {breakable(&text)}
        </button>
    }
    .into_any()
}
