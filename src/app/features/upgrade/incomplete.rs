//! Marks an answer that is based on part of the catalog only.

use crate::widgets::code_text::in_code;
use crate::widgets::icon::{Glyph, Icon};
use crate::words;
use leptos::prelude::*;

/// `None` if everything is readable.
pub(super) fn incomplete(places: Vec<String>) -> Option<impl IntoView> {
    let summary = format!(
        "Incomplete: {} could not be read",
        words::count(places.len() as u32, "place")
    );
    (!places.is_empty()).then(|| {
        view! {
            <details class="ways-more">
                <summary class="ways-summary">
                    <Glyph icon=Icon::Warning/>
                    <span>{summary}</span>
                </summary>
                <p>"This answer uses only the part of the catalog that could be read."</p>
                <ul aria-label="What could not be read">
                    {places.into_iter().map(|place| view! { <li>{in_code(&place)}</li> }).collect_view()}
                </ul>
            </details>
        }
    })
}
