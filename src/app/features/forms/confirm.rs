//! The dialog of operations without fields, such as a fix or a typed change: a preview and *Apply*.

use super::apply_foot::APPLY_KEYS;
use super::apply_in_catalogs::refuse;
use crate::components::preview::{PreviewPane, follow};
use crate::context::app_context;
use crate::edits::titles;
use crate::widgets::buttons::Press;
use crate::widgets::buttons::{Button, Look};
use crate::widgets::dialog::Dialog;
use crate::widgets::palette::is_apply_key;
use leptos::prelude::*;
use protocol::operation::EditOp;
use protocol::request::PreviewScope;

/// Confirms operations without fields; the heading is their title.
#[component]
pub fn Confirm(title: String, ops: Vec<EditOp>) -> impl IntoView {
    let app = app_context();
    let previewed = ops.clone();
    let live = follow(
        app,
        PreviewScope::All,
        Signal::derive(move || Some(previewed.clone())),
    );
    let name = title.clone();
    // The form stays until the result is painted.
    let press = Press::new();
    let apply = Callback::new(move |()| {
        if press.begin() {
            let (name, ops) = match live.other_way() {
                Some(ops) => (titles::title(&ops, 0), ops),
                None => (name.clone(), ops.clone()),
            };
            app.edits.apply_and_close(
                name,
                ops,
                || (),
                move |refusal| refuse(live, press, refusal),
            );
        }
    });
    view! {
        <Dialog title=title on_close=move |()| app.overlays.close()>
            <div
                class="confirm"
                on:keydown=move |event| {
                    live.on_key(&event);
                    if is_apply_key(&event) {
                        event.prevent_default();
                        apply.run(());
                    }
                }
            >
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
