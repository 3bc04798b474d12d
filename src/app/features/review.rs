//! *Review changes*, like a pull request: files on the left, the effects of all changes on users, a
//! diff per file, a commit message, and save actions. Files with equal changes are shown once, as
//! after one edit in several catalogs. Text in inspector fields that is not applied yet is listed,
//! because it is not saved.

mod commit_message;
mod edits;
mod git_apply;
mod pull_requests;
mod save;
mod users;

use crate::browser::document;
use crate::components::diff::{Diff, Revert};
use crate::components::long_list::LongList;
use crate::components::preview::revision;
use crate::context::{FieldPlace, drops, saving};
use crate::edits::form_values::catalog_name;
use crate::prelude::*;
use crate::state::save_state::SaveState;
use crate::widgets::buttons::Disclosure;
use crate::widgets::dialog::{Dialog, Size};
use crate::widgets::short_text::rest_item;
use commit_message::CommitMessage;
use edits::{EditChoice, EditList};
use git_apply::GitApply;
use protocol::query::ReviewChanges;
use protocol::response::StepInEffect;
use protocol::views::{FileDiff, LineKind};
use pull_requests::PullRequests;
use save::{Conflicts, SaveBar, SaveProgress};
use std::collections::BTreeSet;
use users::{Judged, NewProblems, Verdicts, WhatUsersGet};

/// Width of the window from which old and new lines are side by side.
const SPLIT_WIDTH: u32 = 1_200;

#[component]
pub fn Review() -> impl IntoView {
    let app = app_context();
    let files = RwSignal::new(None::<Vec<FileDiff>>);
    let steps = RwSignal::new(Vec::new());
    let starts_at_repository = RwSignal::new(false);
    let judged = RwSignal::new(None::<Judged>);
    let choice = EditChoice::new(app);
    let revision = revision(app);
    effect(move |_| {
        // An unread memo does not track its dependencies.
        revision.get();
        choice.follow_session();
        spawn_local(async move {
            let review = app.store.ask_or_report(ReviewChanges {}).await;
            let review = review.unwrap_or_default();
            steps.try_set(review.steps);
            starts_at_repository.try_set(review.starts_at_repository);
            files.try_set(Some(review.files));
            judged.try_set(Some(users::judge(app).await));
        });
    });
    let unchanged = derived(move || files.with(|files| files.as_ref().map(Vec::is_empty)));
    let summary = move || {
        files.with(|files| match files.as_deref() {
            None => "Reading the changes…".to_owned(),
            Some([]) if !app.session.new_files().is_empty() => "No edits.".to_owned(),
            Some([]) => "No changes: the files match the disk.".to_owned(),
            Some(files) => {
                let (added, removed) = files
                    .iter()
                    .fold((0, 0), |(a, r), file| (a + file.added, r + file.removed));
                format!(
                    "{}: {} added, {} removed. All other lines are unchanged.",
                    words::count(files.len() as u32, "file"),
                    words::count(added, "line"),
                    removed
                )
            }
        })
    };
    let busy = memo(move |_| app.store.saving.with(SaveState::is_busy));
    let cannot = derived(move || {
        busy.get() || choice.is_blocked() || app.store.status.unsaved_edit_count() == 0
    });
    let deciding = memo(move |_| {
        app.store
            .saving
            .with(|saving| matches!(saving, SaveState::Deciding(_)))
    });
    let undecided = derived(move || {
        app.store.saving.with(|saving| match saving {
            SaveState::Deciding(conflicts) => {
                conflicts.iter().any(|conflict| conflict.choice.is_none())
            }
            _ => true,
        })
    });
    let is_split = document::is_window_wide(SPLIT_WIDTH);
    let can_revert = memo(move |_| !choice.is_partial());
    let diffs = move || {
        let files = files.get().unwrap_or_default();
        let alike = first_alike(&files);
        let count = files.len();
        let can_revert = can_revert.get();
        let group = move |at: usize| {
            let file = files.get(at).cloned().unwrap_or_default();
            let first = alike.get(at).copied().flatten();
            let first = first.and_then(|first| Some(files.get(first)?.patch_path.clone()));
            let others = alike.iter().filter(|first| **first == Some(at)).count();
            view! { <FileGroup app at file is_split can_revert first others/> }.into_any()
        };
        view! { <LongList class="review-diffs" items=(0..count).collect() render=group/> }
    };
    let changed = memo(move |_| files.with(|files| files.as_deref().map_or(0, <[FileDiff]>::len)));
    let contents = move || files.with(|files| contents(files.as_deref().unwrap_or_default()));
    view! {
        <Dialog title="Review changes" size=Size::Wide closes_outside=true on_close=move |()| saving::leave_review(app)>
            <div class="dialog-body" tabindex="-1">
                <SaveProgress/>
                {move || match deciding.get() {
                    true => view! { <Conflicts/> }.into_any(),
                    false => {
                        view! {
                            <div class="review" data-files=move || (changed.get() > 1).to_string()>
                                {contents}
                                <div class="review-main">
                                    <NotApplied app/>
                                    <Verdicts app judged/>
                                    <p class="review-summary">{summary}</p>
                                    {move || new_files_note(app)}
                                    <EditList choice/>
                                    <Show when=move || { changed.get() > 0 }>
                                        <WhatUsersGet app judged/>
                                        <NewProblems app judged/>
                                        <MessageAndPatch app judged steps starts_at_repository files/>
                                        <PullRequests app/>
                                    </Show>
                                    {diffs}
                                </div>
                            </div>
                        }
                            .into_any()
                    }
                }}
            </div>
            <div class="dialog-foot" hidden=move || !deciding.get()>
                <Button label="Cancel" on_press=move |()| app.session.decide(false)/>
                <Button label="Save" look=Look::Primary disabled=undecided on_press=move |()| app.session.decide(true)/>
            </div>
            <SaveBar app tops=top_folders(app).len() unchanged cannot hidden=deciding/>
        </Dialog>
    }
    .into_any()
}

/// Lists the files of new catalogs that no edit has changed: no diff shows them.
fn new_files_note(app: AppContext) -> Option<AnyView> {
    // A save may give them a place on disk.
    app.store.saving.track();
    let mut paths = app.session.new_files();
    app.store
        .status
        .with(|status| paths.retain(|path| !status.changed_files.contains(path)));
    (!paths.is_empty()).then(|| {
        let item = |path: String| view! { <span class="mono">{path}</span> }.into_any();
        view! {
            <p>{in_code(&introduce_new_files(&paths))}</p>
            <LongList class="review-new" label="New files without edits" items=paths render=item/>
        }
        .into_any()
    })
}

fn introduce_new_files(paths: &[String]) -> String {
    let (files, them) = match paths.len() {
        1 => ("this new file", "it"),
        _ => ("these new files", "them"),
    };
    let purpose = if paths.iter().any(|path| path.ends_with(".indexignore")) {
        " `opm` ignores the files that an `.indexignore` lists."
    } else {
        ""
    };
    format!("The patch leaves out {files}: download all files to get {them}.{purpose}")
}

fn group_id(at: usize) -> String {
    format!("review-file-{at}")
}

/// Renders the changed files with their counts; `None` for a single file.
fn contents(files: &[FileDiff]) -> Option<AnyView> {
    if files.len() < 2 {
        return None;
    }
    let files = files.to_vec();
    let count = files.len();
    let link = move |at: usize| files.get(at).map(|file| contents_link(at, file)).into_any();
    Some(
        view! {
            <nav class="review-contents" aria-label="Changed files">
                <LongList items=(0..count).collect() render=link/>
            </nav>
        }
        .into_any(),
    )
}

fn contents_link(at: usize, file: &FileDiff) -> AnyView {
    let name = format!(
        "{}: {} added, {} removed",
        file.patch_path,
        words::count(file.added, "line"),
        file.removed
    );
    view! {
        <button type="button" class="review-link" aria-label=name title=file.patch_path.clone() on:click=move |_| go_to(at)>
            <span class="review-link-path">{file.patch_path.clone()}</span>
            <span class="diff-count" aria-hidden="true">
                <span data-kind="added">{format!("+{}", file.added)}</span>
                <span data-kind="removed">{format!("−{}", file.removed)}</span>
            </span>
        </button>
    }
    .into_any()
}

fn go_to(at: usize) {
    let Some(group) = document().get_element_by_id(&group_id(at)) else {
        return;
    };
    group.scroll_into_view();
    dom::focus_id_later(group_id(at));
}

#[component]
fn MessageAndPatch(
    app: AppContext,
    judged: RwSignal<Option<Judged>>,
    steps: RwSignal<Vec<StepInEffect>>,
    starts_at_repository: RwSignal<bool>,
    files: RwSignal<Option<Vec<FileDiff>>>,
) -> impl IntoView {
    let file = files.with_untracked(|files| files.as_ref()?.first().cloned());
    let file = file.unwrap_or_default();

    let patch = app.store.status.with_untracked(|status| {
        let roots = status.roots.iter().map(|row| row.root.as_str());
        patch_name(roots.chain(status.changed_files.iter().map(String::as_str)))
    });
    view! {
        <Disclosure class="review-message" label="Commit message and git apply".into_any()>
            <CommitMessage app judged steps/>
            <GitApply app patch starts_at_repository tops=top_folders(app) file/>
        </Disclosure>
    }
    .into_any()
}

/// Returns the opened folders. If there are several, paths start at the folder that contains them.
fn top_folders(app: AppContext) -> Vec<String> {
    let tops: BTreeSet<String> = drops::open_paths(app)
        .iter()
        .filter_map(|path| path.split_once('/'))
        .map(|(top, _)| top.to_owned())
        .collect();
    tops.into_iter().collect()
}

/// Returns the file name of the patch, which is named after the top folder if there is only one.
fn patch_name<'p>(paths: impl Iterator<Item = &'p str>) -> String {
    let tops: BTreeSet<&str> = paths
        .filter(|path| !path.is_empty())
        .filter_map(|path| path.split('/').next())
        .collect();
    match tops.first() {
        Some(top) if tops.len() == 1 => format!("{top}.patch"),
        _ => "catalogs.patch".to_owned(),
    }
}

/// The diff of a file. `first` is the path of the first file with the same changed lines, `others`
/// the number of further ones.
#[component]
fn FileGroup(
    app: AppContext,
    at: usize,
    file: FileDiff,
    is_split: Signal<bool>,
    can_revert: bool,
    first: Option<String>,
    others: usize,
) -> impl IntoView {
    let path = file.path.clone();
    // The diff names the file as the patch does.
    let file = FileDiff {
        path: file.patch_path.clone(),
        ..file
    };
    let name = file.path.clone();
    let heading = group_id(at);
    let revert = view! {
        <button
            type="button"
            class="button"
            aria-describedby=heading.clone()
            on:click=move |_| app.session.revert_file(path.clone())
        >
            "Revert file"
        </button>
    };
    let on_revert = move |revert: Revert| {
        app.session
            .apply(revert.title, vec![revert.op], move |end| {
                app.session.report_refusal(end)
            })
    };
    // A revert is a step, which must not come between those that are saved and those that are not.
    let diff = match can_revert {
        true => view! { <Diff file actions=revert.into_any() on_revert is_split/> }.into_any(),
        false => view! { <Diff file is_split/> }.into_any(),
    };
    let body = match first {
        // Show equal edits of several catalogs only once.
        Some(first) => {
            let label = view! { <span class="mono">{name.clone()}</span> {format!(": the same lines as in {first}")} };
            view! { <Disclosure class="review-alike" label=label.into_any()>{diff}</Disclosure> }.into_any()
        }
        None => view! {
            {(others > 0).then(|| view! { <p class="review-in">{format!("In {} files: shown once", others + 1)}</p> })}
            {diff}
        }
        .into_any(),
    };
    view! { <div role="group" tabindex="-1" aria-label=name id=heading>{body}</div> }.into_any()
}

/// Returns for each file the first other file with the same changed lines, regardless of their
/// position.
fn first_alike(files: &[FileDiff]) -> Vec<Option<usize>> {
    let firsts = files.iter().enumerate().map(|(at, file)| {
        let is_it = |other: &&FileDiff| !file.hunks.is_empty() && lines(other) == lines(file);
        files.iter().take(at).position(|other| is_it(&other))
    });
    firsts.collect()
}

fn lines(file: &FileDiff) -> Vec<(LineKind, &str)> {
    let all = file.hunks.iter().flat_map(|hunk| &hunk.lines);
    all.map(|line| (line.kind, line.text.as_str())).collect()
}

const SHOWN: usize = 4;

#[component]
fn NotApplied(app: AppContext) -> impl IntoView {
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
        place.describe()
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

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::views::{DiffHunk, DiffLine};

    #[test]
    fn new_files_are_counted_and_their_purpose_is_explained() {
        let introduce = |paths: &[&str]| {
            let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
            introduce_new_files(&paths)
        };
        assert_eq!(
            introduce(&["new/catalog.yaml"]),
            "The patch leaves out this new file: download all files to get it."
        );
        assert_eq!(
            introduce(&["new/v4.18/.indexignore", "new/v4.19/.indexignore"]),
            "The patch leaves out these new files: download all files to get them. `opm` ignores the files that an `.indexignore` lists."
        );
    }

    #[test]
    fn the_patch_is_named_after_the_common_folder() {
        assert_eq!(
            patch_name(["catalogs/v4.19", "catalogs/v4.20/a.yaml"].into_iter()),
            "catalogs.patch"
        );
        assert_eq!(
            patch_name(["beacon", "beacon/catalog.yaml"].into_iter()),
            "beacon.patch"
        );
        assert_eq!(patch_name(["a", "b"].into_iter()), "catalogs.patch");
    }

    #[test]
    fn equal_lines_at_other_places_are_similar() {
        let file = |text: &str, at| {
            let line = DiffLine {
                kind: LineKind::Added,
                old: 0,
                new: at,
                text: text.into(),
                hidden: 0,
            };
            FileDiff {
                hunks: vec![DiffHunk {
                    lines: vec![line],
                    ..DiffHunk::default()
                }],
                ..FileDiff::default()
            }
        };
        let files = [
            file("a", 1),
            file("b", 1),
            file("a", 9),
            FileDiff::default(),
            FileDiff::default(),
        ];
        assert_eq!(
            first_alike(&files),
            [None, None, Some(0), None, None],
            "without lines there is no similarity"
        );
    }
}
