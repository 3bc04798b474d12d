//! The question when something is dropped over an open workspace.

use crate::desk::desk;
use crate::widgets::button::{Button, Look};
use crate::widgets::dialog::{Dialog, Size};
use crate::words;
use leptos::prelude::*;
use protocol::request::OpenMode;

#[component]
pub fn DropDialog() -> impl IntoView {
    let desk = desk();
    let edits = untrack(|| desk.session.unsaved_edits());
    view! {
        <Dialog title="Open dropped files" size=Size::Small on_close=move |()| desk.take_dropped(None)>
            <div class="dialog-body">
                <p>"Add the dropped files to the open catalogs, compare with them, or replace what is open?"</p>
                {(edits > 0)
                    .then(|| {
                        view! {
                            <p class="field-error">
                                {replacing(edits, desk.keeps_edits())}
                            </p>
                        }
                    })}
            </div>
            <div class="dialog-foot">
                <Button label="Cancel" look=Look::Quiet on_press=move |()| desk.take_dropped(None)/>
                <Button label="Replace" on_press=move |()| desk.take_dropped(Some(OpenMode::Replace))/>
                <Button label="Compare" on_press=move |()| desk.compare_dropped()/>
                <Button label="Add" look=Look::Primary on_press=move |()| desk.take_dropped(Some(OpenMode::Add))/>
            </div>
        </Dialog>
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
