//! The actions of *Review changes*: the most likely one is a button, the others are in its menu.
//! Also the progress, result and conflicts of saving to disk.

use crate::commands::Command;
use crate::components::diff::Diff;
use crate::context::drops;
use crate::prelude::*;
use crate::state::file_names::{REFUSED_NAME, refused_names};
use crate::state::save_state::{Conflict, ConflictChoice, SaveReport, SaveState};
use crate::widgets::menu::{MenuButton, MenuItem};
use protocol::disk_check::BothSides;
use protocol::views::FileDiff;

/// All actions in menu order.
const SAVE_METHODS: [Command; 6] = [
    Command::Save,
    Command::SaveToFolder,
    Command::DownloadPatch,
    Command::DownloadChanged,
    Command::DownloadAll,
    Command::CopyCommands,
];

/// Which actions are possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Possible {
    /// Whether the page can write to the files' folder.
    in_place: bool,
    /// Whether the browser can write to a folder, although the files have none.
    to_folder: bool,
    /// Whether a file differs from the opened one; `true` while unknown.
    is_changed: bool,
}

impl Possible {
    /// Returns the most likely action: saving in place, if possible.
    fn first(self) -> Command {
        match self {
            Possible { in_place: true, .. } => Command::Save,
            Possible {
                to_folder: true, ..
            } => Command::SaveToFolder,
            _ => Command::DownloadChanged,
        }
    }

    /// Returns the other possible actions.
    fn others(self) -> Vec<Command> {
        let is_possible = |method: &Command| match method {
            Command::Save => self.in_place,
            Command::SaveToFolder => self.to_folder,
            Command::DownloadAll => true,
            _ => self.is_changed,
        };
        SAVE_METHODS
            .into_iter()
            .filter(|method| *method != self.first() && is_possible(method))
            .collect()
    }
}

/// The save actions. `tops`: number of opened folders. `unchanged`: whether no file is changed;
/// `None` while unknown. `cannot`: nothing can be saved now.
#[component]
pub(super) fn SaveBar(
    app: AppContext,
    tops: usize,
    unchanged: Signal<Option<bool>>,
    cannot: Signal<bool>,
    hidden: Memo<bool>,
) -> impl IntoView {
    let possible = move || Possible {
        in_place: app.session.cannot_save().is_none(),
        to_folder: app.session.can_save_to_folder(),
        is_changed: unchanged.get_untracked() != Some(true),
    };
    let first = untrack(possible).first();
    let disabled = match first {
        Command::Save => cannot,
        Command::SaveToFolder => {
            derived(move || unchanged.get() != Some(false) && app.session.new_files().is_empty())
        }
        _ => derived(move || unchanged.get() != Some(false)),
    };
    // The actions that the open menu shows: the possible ones may change while it is open.
    let commands = StoredValue::new(Vec::new());
    let items = move |()| {
        let item = |method: &Command| MenuItem::new(method.label(), method.keys());
        let others = possible().others();
        let items = others.iter().map(item).collect::<Vec<_>>();
        commands.set_value(others);
        items
    };
    let choose = move |index: usize| {
        if let Some(method) = commands.with_value(|commands| commands.get(index).copied()) {
            method.run(app);
        }
    };
    let is_new = untrack(|| {
        app.store.status.with(|status| {
            !status.roots.is_empty()
                && status
                    .roots
                    .iter()
                    .all(|row| drops::is_unsaved_new(app, &row.root))
        })
    });
    let paths = move || match app.store.status.repository_name() {
        None if is_new && tops <= 1 => {
            "The zip and the patch use paths relative to the new catalog’s folder."
        }
        None if tops <= 1 => {
            "The zip and the patch use paths relative to the root of the opened folder or archive."
        }
        None => {
            "The zip and the patch use paths relative to the folder that holds the folders you opened."
        }
        Some(_) => "The patch uses paths from the repository’s root.",
    };
    // The page's messages are hidden behind the dialog: show new ones here.
    let toasts = app.notifications.toasts;
    let before = untrack(|| toasts.newest()).map_or(0, |(id, _)| id);
    let note = move || {
        let news = toasts.newest().filter(|(id, _)| *id > before);
        news.map_or_else(|| paths().to_owned(), |(_, text)| text)
    };
    view! {
        <section class="dialog-foot" aria-label="Save" hidden=move || hidden.get()>
            <span class="dialog-note">{note}</span>
            <MenuButton label="More ways to save" items=Callback::new(items) on_choose=choose/>
            <Button label=first.label() look=Look::Primary disabled on_press=move |()| first.run(app)/>
        </section>
    }
    .into_any()
}

/// The progress of a save, or its result if there is one to report.
#[component]
pub fn SaveProgress() -> impl IntoView {
    let app = app_context();
    let progress = move || match app.store.saving.get() {
        SaveState::Asking => "Waiting for the browser's permission to write…".to_owned(),
        SaveState::Comparing => "Comparing with what is on disk…".to_owned(),
        SaveState::Writing { done, total } => {
            format!("Writing: {done} of {}…", words::count(total, "file"))
        }
        SaveState::Idle | SaveState::Deciding(_) | SaveState::Ended(_) => String::new(),
    };
    announce::follow(progress);
    let failed = move || match app.store.saving.get() {
        SaveState::Ended(report) if !report.is_success() => Some(report),
        _ => None,
    };
    announce::follow_alert(move || match failed() {
        Some(_) => "Not everything was saved: the dialog says why.".to_owned(),
        None => String::new(),
    });
    let lacking = move || {
        let is_edited = app
            .store
            .status
            .with(|status| !status.changed_files.is_empty());
        app.session
            .cannot_save()
            .filter(|_| is_edited)
            .map(|why| view! { <p class="save-note"><Glyph icon=Icon::Info/><span>{in_code(why)}</span></p> })
    };
    let refused = move || {
        let refused = app
            .store
            .status
            .with(|status| refused_names(&status.changed_files));
        (app.session.cannot_save().is_none() && !refused.is_empty()).then(|| {
            let text = format!(
                "Save to disk leaves out {}: {REFUSED_NAME}.",
                refused.join(", ")
            );
            view! { <p class="save-note"><Glyph icon=Icon::Warning/>{text}</p> }
        })
    };
    view! {
        <p class="save-progress">{progress}</p>
        <div>{move || failed().map(result_view)}</div>
        {lacking}
        {refused}
    }
    .into_any()
}

fn result_view(report: SaveReport) -> AnyView {
    let SaveReport {
        stop_reason,
        written,
        up_to_date,
        failed,
        set_aside,
    } = report;
    let title = match (stop_reason.is_empty(), failed.is_empty()) {
        (false, _) => "Not saved",
        (true, false) => "Not everything was saved",
        (true, true) => "Saved, except edits that no longer apply",
    };
    let done: Vec<String> = written.into_iter().chain(up_to_date).collect();
    view! {
        <div class="save-report" role="group" aria-label="Save result">
            <h3 class="save-title"><Glyph icon=Icon::Warning/>{title}</h3>
            {(!stop_reason.is_empty()).then(|| view! { <p>{stop_reason}</p> })}
            {render_list("Not written", failed.into_iter().map(|file| (file.path, file.reason)).collect())}
            {render_list("Set aside", set_aside.into_iter().map(|aside| (aside.step.title, aside.reason)).collect())}
            {(!done.is_empty())
                .then(|| {
                    view! {
                        <p class="save-list-title">"Written"</p>
                        <ul class="save-list" aria-label="Written">
                            {done.into_iter().map(|path| view! { <li><code>{path}</code></li> }).collect_view()}
                        </ul>
                    }
                })}
        </div>
    }
    .into_any()
}

fn render_list(title: &'static str, list: Vec<(String, String)>) -> Option<impl IntoView> {
    (!list.is_empty()).then(|| {
        view! {
            <p class="save-list-title">{title}</p>
            <ul class="save-list" aria-label=title>
                {list
                    .into_iter()
                    .map(|(what, why)| view! { <li><strong>{what}</strong>": "{in_code(&why)}</li> })
                    .collect_view()}
            </ul>
        }
        .into_any()
    })
}

/// The files that somebody else changed, with the choices. Created anew for each save with
/// conflicts.
#[component]
pub fn Conflicts() -> impl IntoView {
    let app = app_context();
    let conflicts = match app.store.saving.get_untracked() {
        SaveState::Deciding(conflicts) => conflicts,
        _ => Vec::new(),
    };
    let count = words::count(conflicts.len() as u32, "file");
    let summary = NodeRef::<html::P>::new();
    // The pressed button is no longer in view and has lost the focus.
    effect(move |_| {
        if let Some(summary) = summary.get() {
            dom::focus(&summary);
        }
    });
    view! {
        <p node_ref=summary class="review-summary" tabindex="-1">
            {format!("{count} changed on disk since they were read. Nothing is written until you choose.")}
        </p>
        {conflicts.into_iter().enumerate().map(|(index, conflict)| conflict_view(app, index, conflict)).collect_view()}
    }
    .into_any()
}

fn conflict_view(app: AppContext, index: usize, conflict: Conflict) -> AnyView {
    let heading = dom::fresh_id("conflict");
    let labelled = heading.clone();
    let name = dom::fresh_id("choice");
    let choices = conflict.choices();
    let Conflict { path, sides, .. } = conflict;
    let is_chosen = move |choice: ConflictChoice| {
        app.store.saving.with(|saving| match saving {
            SaveState::Deciding(list) => list
                .get(index)
                .is_some_and(|conflict| conflict.choice == Some(choice)),
            _ => false,
        })
    };
    let render_choice = |&choice: &ConflictChoice| {
        let (label, hint) = choice_text(choice, sides.as_deref());
        let note = dom::fresh_id("choice-note");
        view! {
            <label class="conflict-choice">
                <input
                    type="radio"
                    name=name.clone()
                    aria-describedby=note.clone()
                    prop:checked=move || is_chosen(choice)
                    on:change=move |_| app.store.saving.choose_resolution(index, choice)
                />
                <span class="conflict-choice-label">{label}</span>
                <span class="dim" id=note>{hint}</span>
            </label>
        }
    };
    let choices = choices.iter().map(render_choice).collect_view();
    let what = match sides {
        Some(_) => "Changed on disk since it was read.",
        None => "Deleted on disk.",
    };
    view! {
        <section class="conflict" aria-labelledby=labelled>
            <h3 class="conflict-title" id=heading>{path.clone()}</h3>
            <p class="dim">{what}</p>
            <fieldset class="conflict-choices">
                <legend class="visually-hidden">{format!("What to do with {path}")}</legend>
                {choices}
            </fieldset>
            {sides.map(|sides| both_sides_view(*sides))}
        </section>
    }
    .into_any()
}

fn both_sides_view(sides: BothSides) -> AnyView {
    let BothSides {
        theirs,
        mine,
        refused,
        ..
    } = sides;
    let refused = refused
        .into_iter()
        .map(|(step, why)| (step.title, why))
        .collect();
    let named_as = |file: FileDiff, what: &str| FileDiff {
        path: format!("{}: {what}", file.path),
        ..file
    };
    view! {
        {render_list("Edits that do not apply to the file on disk", refused)}
        <Diff file=named_as(theirs, "changed on disk")/>
        <Diff file=named_as(mine, "what Keep mine would overwrite")/>
    }
    .into_any()
}

/// Describes a choice and its effect.
fn choice_text(choice: ConflictChoice, sides: Option<&BothSides>) -> (&'static str, String) {
    match (choice, sides) {
        (ConflictChoice::Merge, Some(sides)) if sides.refused.is_empty() => (
            "Merge",
            "reapply my edits to the file on disk; all of them apply".to_owned(),
        ),
        (ConflictChoice::Merge, sides) => {
            let refused = sides.map_or(0, |sides| sides.refused.len()) as u32;
            let fitting = sides.map_or(0, |sides| sides.fitting);
            let hint = format!(
                "reapply {} to the file on disk and set aside {refused}",
                words::count(fitting, "edit")
            );
            ("Merge", hint)
        }
        (ConflictChoice::Mine, Some(_)) => ("Keep mine", "overwrite the file on disk".to_owned()),
        (ConflictChoice::Mine, None) => ("Keep mine", "write the file again".to_owned()),
        (ConflictChoice::Theirs, _) => (
            "Take theirs",
            "drop my edits in this file; undo brings them back".to_owned(),
        ),
        (ConflictChoice::Leave, _) => ("Leave it", "do not save this file now".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Json;
    use protocol::request::ReplayStep;
    #[test]
    fn files_are_saved_in_place_if_the_browser_can() {
        let possible = |in_place, to_folder| Possible {
            in_place,
            to_folder,
            is_changed: true,
        };
        assert_eq!(possible(true, false).first(), Command::Save);
        assert_eq!(possible(false, true).first(), Command::SaveToFolder);
        assert_eq!(possible(false, false).first(), Command::DownloadChanged);
        use Command::CopyCommands;
        use Command::DownloadAll;
        use Command::DownloadChanged;
        use Command::DownloadPatch;
        assert_eq!(
            possible(true, false).others(),
            [DownloadPatch, DownloadChanged, DownloadAll, CopyCommands]
        );
        assert_eq!(
            possible(false, false).others(),
            [DownloadPatch, DownloadAll, CopyCommands]
        );
    }

    #[test]
    fn without_changes_only_the_whole_can_be_downloaded() {
        let possible = Possible {
            in_place: true,
            to_folder: false,
            is_changed: false,
        };
        assert_eq!(possible.others(), [Command::DownloadAll]);
    }

    #[test]
    fn a_merge_reports_the_edits_it_would_set_aside() {
        let step = ReplayStep {
            title: "Set range".into(),
            ops: Json(Vec::new()),
        };
        let sides = |refused: usize| BothSides {
            theirs: FileDiff::default(),
            mine: FileDiff::default(),
            fitting: 1,
            refused: vec![(step.clone(), "gone".into()); refused],
        };
        assert!(
            choice_text(ConflictChoice::Merge, Some(&sides(0)))
                .1
                .ends_with("all of them apply")
        );
        assert_eq!(
            choice_text(ConflictChoice::Merge, Some(&sides(2))).1,
            "reapply 1 edit to the file on disk and set aside 2"
        );
    }
}
