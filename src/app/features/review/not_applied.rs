//! Unapplied text in inspector fields: it is not part of the changes and is not saved.

use crate::context::{AppContext, FieldPlace};
use crate::edits::suggestions::catalog_name;
use crate::widgets::button::Button;
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::rest_item::rest_item;
use leptos::prelude::*;

/// Maximum number of fields listed.
const SHOWN: usize = 4;

#[component]
pub(super) fn NotApplied(app: AppContext) -> impl IntoView {
    let places = move || app.unfinished_fields.places();
    let more = move || places().len().saturating_sub(SHOWN);
    view! {
        <ul class="review-not-applied" aria-label="Typed and not applied" hidden=move || places().is_empty()>
            {move || places().into_iter().take(SHOWN).map(|place| line(app, place)).collect_view()}
            {move || rest_item(more())}
        </ul>
    }
    .into_any()
}

fn line(app: AppContext, place: FieldPlace) -> impl IntoView {
    let catalog = app
        .store
        .status
        .with_untracked(|status| match status.roots.len() {
            0 | 1 => String::new(),
            _ => format!(" ({})", catalog_name(&status.roots, &place.root)),
        });
    let message = format!(
        "{}{catalog} was typed but not applied: it is not part of these changes.",
        place.in_words()
    );
    let field = place.clone();
    view! {
        <li class="save-note">
            <Glyph icon=Icon::Warning/>
            <span>{message}</span>
            <Button label="Go to the field" on_press=move |()| app.show_field(field.clone())/>
            <Button label="Discard it" on_press=move |()| app.unfinished_fields.discard(place.clone())/>
        </li>
    }
}
