//! The question when something is dropped over an open workspace.

use crate::context::{AppContext, app_context};
use crate::widgets::button::{Button, Look};
use crate::widgets::dialog::{Dialog, Size};
use crate::words;
use leptos::prelude::*;
use protocol::request::OpenMode;

#[component]
pub fn DropDialog() -> impl IntoView {
    let app = app_context();
    let edits = untrack(|| app.store.unsaved_edits());
    view! {
        <Dialog title="Open dropped files" size=Size::Small on_close=move |()| app.take_dropped(None)>
            <div class="dialog-body">
                <p>"Add the dropped files to the open catalogs, compare with them, or replace what is open?"</p>
                {(edits > 0)
                    .then(|| {
                        view! {
                            <p class="field-error">
                                {replacing(edits, app.keeps_edits())}
                            </p>
                        }
                    })}
            </div>
            <div class="dialog-foot">
                <Button label="Cancel" look=Look::Quiet on_press=move |()| app.take_dropped(None)/>
                <Button label="Replace" on_press=move |()| app.take_dropped(Some(OpenMode::Replace))/>
                <Button label="Compare" on_press=move |()| app.compare_dropped()/>
                <Button label="Add" look=Look::Primary on_press=move |()| app.take_dropped(Some(OpenMode::Add))/>
            </div>
        </Dialog>
    }
    .into_any()
}

/// In a dialog: that something was dropped over it, which comes when it is closed.
#[component]
pub fn WaitingDrops(app: AppContext) -> impl IntoView {
    let waiting = app.overlays.waiting_drops();
    view! {
        <p class="dialog-waiting" role="status">
            {move || match waiting.get() {
                0 => "",
                1 => "Close this to continue with what you dropped.",
                _ => "Close this to continue with what you dropped, one after the other.",
            }}
        </p>
    }
    .into_any()
}

fn replacing(edits: u32, is_kept: bool) -> String {
    let edits = words::count(edits, "edit");
    if is_kept {
        format!("{edits} not yet saved: you can continue with them when you open the folder again.")
    } else {
        format!("Replacing discards {edits} not yet saved.")
    }
}
