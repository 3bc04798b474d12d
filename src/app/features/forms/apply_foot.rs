//! The foot of a form: *Apply*, which says in how many catalogs, and why not where it cannot.

use super::also_in::Others;
use crate::components::preview::{Live, Preview};
use crate::context::AppContext;
use crate::widgets::button::Button;
use crate::widgets::dom;
use crate::words;
use leptos::prelude::*;

/// How a form is applied from any of its fields.
pub(super) const APPLY_KEYS: &str = "Ctrl+Enter applies.";

#[component]
pub(super) fn ApplyFoot(app: AppContext, live: Live, others: Others) -> impl IntoView {
    let note = dom::fresh_id("why-not");
    let is_refused = Memo::new(move |_| live.preview.with(|preview| matches!(preview, Preview::Refused(_))));
    view! {
        <div class="form-foot">
            <p class="form-foot-note" class:field-error=move || is_refused.get() class:dim=move || !is_refused.get() id=note.clone()>
                {move || if is_refused.get() { "This cannot be applied: the preview says why." } else { APPLY_KEYS }}
            </p>
            <Button label="Cancel" on_press=move |()| app.overlays.close()/>
            <ApplyButton app others note disabled=is_refused/>
        </div>
    }
    .into_any()
}

/// Submits the form.
#[component]
pub(super) fn ApplyButton(
    app: AppContext,
    others: Others,
    /// The element that says why it is disabled.
    #[prop(optional, into)]
    note: String,
    #[prop(optional, into)] disabled: Signal<bool>,
    /// What it does in one catalog.
    #[prop(default = Signal::stored("Apply"), into)]
    verb: Signal<&'static str>,
) -> impl IntoView {
    let names = Memo::new(move |_| others.names(app));
    let label = move || match names.with(Vec::len) as u32 {
        0 => verb.get().to_owned(),
        more => format!("Apply to {}", words::count(more + 1, "catalog")),
    };
    // Which ones, for who wants to know before pressing.
    let title =
        move || names.with(|names| (!names.is_empty()).then(|| format!("This catalog, and also {}", names.join(", "))));
    view! {
        <button
            type="submit"
            class="button"
            data-look="primary"
            title=title
            aria-keyshortcuts="Control+Enter"
            aria-describedby=(!note.is_empty()).then_some(note)
            prop:disabled=move || disabled.get()
        >
            {label}
        </button>
    }
    .into_any()
}
