//! The question when something is dropped over an open workspace.

use crate::context::app_context;
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
        <Dialog title="Open what was dropped" size=Size::Small on_close=move |()| app.take_dropped(None)>
            <div class="dialog-body">
                <p>"Add it to what is open, compare what is open with it, or close what is open first?"</p>
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

fn replacing(edits: u32, is_kept: bool) -> String {
    let edits = words::count(edits, "edit");
    if is_kept {
        format!("{edits} that you have not saved can be gone on with when you open the folder again.")
    } else {
        format!("Replacing forgets {edits} that you have not saved.")
    }
}
