//! *Review changes*: every changed file with its diff, and the ways out.

mod save_report;
mod users;

use crate::commands::Command;
use crate::components::diff::{Diff, Revert};
use crate::context::app_context;
use crate::state::save_state::SaveState;
use crate::widgets::button::{Button, Look};
use crate::widgets::dialog::{Dialog, Size};
use crate::widgets::dom;
use crate::widgets::icon::Icon;
use crate::words;
use leptos::prelude::*;
use protocol::views::FileDiff;
use save_report::{Conflicts, SaveState};
use users::WhatUsersGet;
use wasm_bindgen_futures::spawn_local;

#[component]
pub fn Review() -> impl IntoView {
    let app = app_context();
    let files = RwSignal::new(None::<Vec<FileDiff>>);
    let revision = Memo::new(move |_| app.store.status.with(|status| status.revision));
    Effect::new(move |_| {
        // A memo that nobody has read follows nothing.
        revision.get();
        spawn_local(async move {
            let found = app.store.review().await;
            files.try_set(Some(found));
        });
    });
    let nothing = Signal::derive(move || files.with(|files| files.as_ref().is_none_or(Vec::is_empty)));
    let summary = move || {
        files.with(|files| match files.as_deref() {
            None => "Reading the changes…".to_owned(),
            Some([]) => "No changes: the files are as they are on disk.".to_owned(),
            Some(files) => {
                let (added, removed) = files.iter().fold((0, 0), |(a, r), file| (a + file.added, r + file.removed));
                format!(
                    "{}: {} added, {} removed. All other lines are unchanged.",
                    words::count(files.len() as u32, "file"),
                    words::count(added, "line"),
                    removed
                )
            }
        })
    };
    let can_save = app.cannot_save().is_none();
    let has_no_folder = app.can_save_to_folder();
    let busy = Memo::new(move |_| app.store.saving.with(SaveState::is_busy));
    let cannot = Signal::derive(move || busy.get() || app.store.unsaved_edits() == 0);
    let deciding = Memo::new(move |_| app.store.saving.with(|saving| matches!(saving, SaveState::Deciding(_))));
    let undecided = Signal::derive(move || {
        app.store.saving.with(|saving| match saving {
            SaveState::Deciding(conflicts) => conflicts.iter().any(|conflict| conflict.way.is_none()),
            _ => true,
        })
    });
    let shows_users = RwSignal::new(false);
    let paths = move || match app.store.repository_name() {
        None => "The zip and the patch use paths relative to the folder you opened.".to_owned(),
        Some(name) => {
            let patch = if name.is_empty() { "catalogs" } else { &name };
            format!("The patch leads from the repository’s root: git apply {patch}.patch")
        }
    };
    let diffs = move || files.get().unwrap_or_default().into_iter().map(|file| group(app, file)).collect_view();
    let run = move |command: Command| move |()| command.run(app);
    view! {
        <Dialog title="Review changes" size=Size::Wide light=true on_close=move |()| app.leave_review()>
            <div class="dialog-body" tabindex="-1">
                <SaveState/>
                {move || match deciding.get() {
                    true => view! { <Conflicts/> }.into_any(),
                    false => view! { <p class="review-summary" role="status">{summary}</p> <WhatUsersGet app is_shown=shows_users/> {diffs} }.into_any(),
                }}
            </div>
            <div class="dialog-foot" hidden=move || !deciding.get()>
                <Button label="Cancel" on_press=move |()| app.decide(false)/>
                <Button label="Save" look=Look::Primary disabled=undecided on_press=move |()| app.decide(true)/>
            </div>
            <div class="dialog-foot" hidden=move || deciding.get()>
                <button
                    type="button"
                    class="button"
                    aria-expanded=move || shows_users.get().to_string()
                    disabled=move || nothing.get()
                    on:click=move |_| shows_users.update(|shown| *shown = !*shown)
                >
                    "What this means for users"
                </button>
                <span class="dialog-note">{paths}</span>
                <Button label=Command::CopyCommands.label() icon=Icon::Copy disabled=nothing on_press=run(Command::CopyCommands)/>
                <Button label=Command::DownloadAll.label() on_press=run(Command::DownloadAll)/>
                <Button label=Command::DownloadPatch.label() disabled=nothing on_press=run(Command::DownloadPatch)/>
                <Button
                    label=Command::DownloadChanged.label()
                    look=if can_save || has_no_folder { Look::Plain } else { Look::Primary }
                    icon=Icon::Download
                    disabled=nothing
                    on_press=run(Command::DownloadChanged)
                />
                {has_no_folder
                    .then(|| {
                        view! {
                            <Button
                                label=Command::SaveToFolder.label()
                                look=Look::Primary
                                on_press=run(Command::SaveToFolder)
                            />
                        }
                    })}
                {can_save
                    .then(|| {
                        view! { <Button label=Command::Save.label() look=Look::Primary disabled=cannot on_press=run(Command::Save)/> }
                    })}
            </div>
        </Dialog>
    }
    .into_any()
}

fn group(app: crate::context::AppContext, file: FileDiff) -> impl IntoView {
    let heading = dom::fresh_id("changed-file");
    let (root, path, name) = (file.root.clone(), file.path.clone(), file.path.clone());
    let revert = view! {
        <button
            type="button"
            class="button"
            aria-describedby=heading.clone()
            on:click=move |_| app.revert_file(root.clone(), path.clone())
        >
            "Revert file"
        </button>
    };
    view! {
        <div class="review-file" role="group" aria-label=name id=heading>
            <Diff
                file
                actions=revert.into_any()
                on_revert=move |revert: Revert| app.apply(revert.title, vec![revert.op], move |end| app.report_refusal(end))
            />
        </div>
    }
    .into_any()
}
