//! Applies a form: its foot, its operations here and in the selected catalogs, and the dialog for
//! operations without fields.

use super::also_in::OtherCatalogs;
use crate::components::preview::{LivePreview, PreviewPane, follow};
use crate::edits::other_catalogs::operations_in_all;
use crate::edits::titles;
use crate::prelude::*;
use crate::widgets::dialog::Dialog;
use protocol::counting::first_of;
use protocol::operation::EditOp;
use protocol::request::PreviewScope;
use protocol::response::OperationRefusal;

/// The shortcut that submits a form from any field.
pub(super) const APPLY_KEYS: &str = "Ctrl+Enter applies.";
/// Maximum number of catalogs named.
const MAX_NAMED: usize = 4;

/// Confirms operations without fields; `title` is the heading.
#[component]
pub fn Confirm(title: String, ops: Vec<EditOp>) -> impl IntoView {
    let app = app_context();
    let previewed = ops.clone();
    let live = follow(
        app,
        PreviewScope::All,
        derived(move || Some(previewed.clone())),
    );
    let name = title.clone();
    // Keep the form open until the result is painted.
    let press = Press::default();
    let apply = Callback::new(move |()| {
        if press.begin() {
            let (name, ops) = match live.chosen_ops() {
                Some(ops) => (titles::title(&ops, 0), ops),
                None => (name.clone(), ops.clone()),
            };
            app.apply_and_close(
                name,
                ops,
                || (),
                move |refusal| refuse(live, press, refusal),
            );
        }
    });
    view! {
        <Dialog title=title on_close=move |()| app.overlays.close() on_apply=apply>
            <div class="confirm">
                <div class="dialog-body confirm-body" tabindex="-1">
                    <PreviewPane app live/>
                </div>
                <div class="dialog-foot">
                    <p class="form-foot-note dim">{APPLY_KEYS}</p>
                    <Button label="Cancel" on_press=move |()| app.overlays.close()/>
                    <Button label="Apply" look=Look::Primary on_press=apply/>
                </div>
            </div>
        </Dialog>
    }
    .into_any()
}

#[component]
pub(super) fn ApplyFoot(
    app: AppContext,
    live: LivePreview,
    others: OtherCatalogs,
    /// The required fields that are empty; "" if none is.
    missing: Signal<String>,
    /// Another reason, as a sentence, why the form cannot be applied; "" if there is none.
    not_chosen: Signal<String>,
) -> impl IntoView {
    let note = dom::fresh_id("why-not");
    let is_refused = memo(move |_| live.is_refused());
    // Why the form cannot be applied.
    let obstacle = memo(move |_| {
        let (missing, not_chosen) = (missing.get(), not_chosen.get());
        if is_refused.get() {
            return Some("This cannot be applied: the preview says why.".to_owned());
        }
        if live.has_alternative() {
            return None;
        }
        if !missing.is_empty() {
            return Some(missing_fields_note(&missing));
        }
        (!not_chosen.is_empty()).then_some(not_chosen)
    });
    let disabled = derived(move || obstacle.with(Option::is_some));
    let apply_note = move || format!("{APPLY_KEYS} {}", also_note(&others.names(app)));
    let foot_note = move || {
        obstacle
            .get()
            .unwrap_or_else(|| apply_note().trim_end().to_owned())
    };
    view! {
        <p class="form-foot-note" class:field-error=is_refused class:dim=move || !is_refused.get() id=note.clone()>
            {foot_note}
        </p>
        <Button label="Cancel" on_press=move |()| app.overlays.close()/>
        <ApplyButton app others note disabled/>
    }
    .into_any()
}

/// Names the fields that must be filled in before the form can be applied.
pub(super) fn missing_fields_note(missing: &str) -> String {
    format!("To apply, fill in {missing} first.")
}

/// Formats the names of the other changed catalogs; "" if there are none.
fn also_note(names: &[String]) -> String {
    if names.is_empty() {
        String::new()
    } else {
        format!("Also changes {}.", first_of(names.iter(), MAX_NAMED))
    }
}

#[component]
pub(super) fn ApplyButton(
    app: AppContext,
    others: OtherCatalogs,
    /// Id of the element that explains why the button is disabled.
    note: String,
    #[prop(into)] disabled: Signal<bool>,
    /// The button's label if only this catalog is changed.
    #[prop(default = Signal::stored("Apply"))]
    verb: Signal<&'static str>,
) -> impl IntoView {
    let names = memo(move |_| others.names(app));
    let label = move || match names.with(Vec::len) as u32 {
        0 => verb.get().to_owned(),
        others => format!("Apply to {}", words::count(others + 1, "catalog")),
    };
    // The catalog names, for users who want to check them before pressing.
    let title = move || {
        names.with(|names| {
            (!names.is_empty()).then(|| format!("This catalog, and also {}", names.join(", ")))
        })
    };
    view! {
        <button
            type="submit"
            class="button"
            data-look="primary"
            title=title
            aria-keyshortcuts="Control+Enter"
            aria-describedby=note
            prop:disabled=move || disabled.get()
        >
            {label}
        </button>
    }
    .into_any()
}

/// Returns all operations and the number of other catalogs. Returns `None` if the form is closed,
/// or after reporting a refusal.
pub(super) async fn all_operations(
    app: AppContext,
    live: LivePreview,
    others: OtherCatalogs,
    press: Press,
    ops: Vec<EditOp>,
) -> Option<(Vec<EditOp>, usize)> {
    let answer = live.ops_everywhere(app, &ops).await;
    // The user closed the form, which cancels it.
    if press.is_gone() {
        return None;
    }
    match answer {
        Ok((ops, elsewhere)) => {
            let roots = untrack(|| others.selected_among(&elsewhere));
            Some((operations_in_all(&ops, &elsewhere, &roots), roots.len()))
        }
        Err(refusal) => {
            refuse(live, press, refusal);
            None
        }
    }
}

/// Shows the reason for a refusal and lets the user submit the form again. The form may already be
/// closed.
pub(super) fn refuse(live: LivePreview, press: Press, refusal: OperationRefusal) {
    press.end();
    live.refuse(refusal);
}

#[cfg(test)]
mod tests {
    use super::also_note;

    #[test]
    fn the_other_catalogs_are_named_before_they_change() {
        let names = |count: usize| (1..=count).map(|at| format!("v4.{at}")).collect::<Vec<_>>();
        assert_eq!(also_note(&[]), "");
        assert_eq!(also_note(&names(1)), "Also changes v4.1.");
        assert_eq!(
            also_note(&names(6)),
            "Also changes v4.1, v4.2, v4.3, v4.4 and 2 more."
        );
    }
}
