//! The command palette, with commands and matching names, and the help with the list of keyboard
//! shortcuts. The shortcuts of commands come from the commands, as in tooltips.

use crate::browser::time;
use crate::commands::{Command, PALETTE_KEYS, find_commands};
use crate::context::{QuerySlot, navigation};
use crate::edits::applicable::{refused_form, subject};
use crate::edits::command::{EditCommand, Subject};
use crate::prelude::*;
use crate::state::element_ids::LEGEND;
use crate::state::store::{SourcePlace, Tab};
use crate::widgets::dialog::{Dialog, Size};
use crate::widgets::label_match::Mark;
use crate::widgets::palette::{Palette, PaletteItem};
use protocol::query::{Find, SearchText};
use protocol::request::Target;
use protocol::response::Found;
use protocol::views::{Hit, LineSubject, TextMatch, TextMatches};
use std::ops::RangeInclusive;

/// Maximum number of names that the worker returns.
const MAX_NAMES: u32 = 50;
/// Maximum number of lines that a search in all files shows.
const MAX_LINES: u32 = 100;
/// Up to this number of matching names, the text of all files is searched too.
const FEW_NAMES: usize = 5;
/// A text is searched in all files if nothing is typed for this time.
const TYPING_PAUSE_MS: u32 = 150;
/// Length of a text that is searched in all files, in characters: longer ones are pasted by
/// mistake.
const TEXT_LENGTH: RangeInclusive<usize> = 3..=200;

#[derive(Debug, Clone, PartialEq, Eq)]
enum PaletteRow {
    Command(Command, Vec<Mark>),
    Hit(Hit),
    /// Offers to search this text in all files.
    SearchText(String),
    Line(TextMatch),
}

/// The worker's matches, with their query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct FoundNames {
    query: String,
    hits: Vec<Hit>,
    total: u32,
}

/// The lines of all files that contain the query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct FoundLines {
    query: String,
    matches: TextMatches,
    /// Whether only lines are shown, because the user chose to search the text.
    are_alone: bool,
}

#[component]
pub fn CommandPalette() -> impl IntoView {
    let app = app_context();
    let text = RwSignal::new(String::new());
    let names = RwSignal::new(FoundNames::default());
    let lines = RwSignal::new(FoundLines::default());
    let is_searching_text = RwSignal::new(false);
    // Enter was pressed before the answer arrived.
    let is_awaited = RwSignal::new(false);
    let is_busy = memo(move |_| {
        let is_stale = names.with(|names| text.with(|text| names.query != *text));
        app.current.is_open.get() && (is_stale || is_searching_text.get())
    });
    effect(move |_| {
        text.track();
        is_awaited.set(false);
    });
    query_names(app, text, names, lines);
    let subject = memo(move |_| app.current.target.with(subject));
    // The lines for the present text: earlier answers do not count.
    let lines_of_text = memo(move |_| {
        let is_current =
            |lines: &FoundLines| text.with(|text| !text.is_empty() && *text == lines.query);
        lines.with(|lines| is_current(lines).then(|| lines.clone()))
    });
    let rows = memo(move |_| {
        let found = lines_of_text.get();
        let mut rows = Vec::new();
        if found.as_ref().is_none_or(|lines| !lines.are_alone) {
            rows = command_rows(app, &text.get(), subject.get());
            names.with(|names| rows.extend(names.hits.iter().cloned().map(PaletteRow::Hit)));
        }
        match found {
            Some(lines) => rows.extend(lines.matches.lines.into_iter().map(PaletteRow::Line)),
            None => text.with(|text| {
                if app.current.is_open.get() && is_searchable(text) {
                    rows.push(PaletteRow::SearchText(text.clone()));
                }
            }),
        }
        rows
    });
    let items = derived(move || {
        let has_package = app.current.package.with(|package| !package.is_empty());
        let subject = subject.get();
        // Commands for the selection have their own group until something is typed.
        let of_subject = if text.with(|text| text.trim().is_empty()) {
            EditCommand::for_subject(subject)
        } else {
            Vec::new()
        };
        let group = |row: &PaletteRow| {
            let heading = match row {
                PaletteRow::Line(line) => return line.path.clone(),
                PaletteRow::SearchText(_) => "Text",
                _ if !has_package => "",
                PaletteRow::Hit(hit) if is_problem(hit) => "Problems",
                PaletteRow::Hit(_) => "Names",
                PaletteRow::Command(Command::Edit(edit), _) if of_subject.contains(edit) => {
                    subject_heading(subject)
                }
                PaletteRow::Command(..) => "Commands",
            };
            heading.to_owned()
        };
        rows.with(|rows| {
            rows.iter()
                .map(|row| palette_item(app, row, group(row)))
                .collect::<Vec<_>>()
        })
    });
    let count = derived(move || match lines_of_text.get() {
        Some(lines) if lines.matches.matches > 0 || rows.with(Vec::is_empty) => {
            lines_summary(&lines.matches)
        }
        _ => {
            let is_command = |row: &&PaletteRow| matches!(row, PaletteRow::Command(..));
            let commands = rows.with(|rows| rows.iter().filter(is_command).count());
            names.with(|names| hits_summary(commands as u32, &names.hits, names.total))
        }
    });
    let choose = move |index: usize| {
        let Some(row) = rows.with_untracked(|rows| rows.get(index).cloned()) else {
            return;
        };
        if let PaletteRow::SearchText(text) = row {
            is_searching_text.set(true);
            spawn_local(async move {
                let found = search_text(app, text, true).await;
                is_searching_text.try_set(false);
                lines.try_set(found);
            });
            return;
        }
        app.overlays.close();
        match row {
            PaletteRow::Command(command, _) => command.run(app),
            PaletteRow::Hit(hit) => navigation::show_hit(app, hit),
            PaletteRow::Line(line) => {
                app.edit_at(Some(line.root), SourcePlace::of_match(&line.location));
            }
            PaletteRow::SearchText(_) => {}
        }
    };
    let enter = move |index: usize| {
        let is_command =
            rows.with_untracked(|rows| matches!(rows.get(index), Some(PaletteRow::Command(..))));
        // Unless the user selected another row, wait for the first match.
        if index == 0 && is_busy.get_untracked() && !is_command {
            is_awaited.set(true);
        } else {
            choose(index);
        }
    };
    effect(move |_| {
        if is_awaited.get() && !is_busy.get() {
            is_awaited.set(false);
            choose(0);
        }
    });
    view! {
        <Palette
            title="Command palette"
            placeholder="Search names, versions, images, files, problems, text and commands"
            text=text
            items=items
            is_busy=is_busy
            count=count
            on_choose=choose
            on_enter=enter
            on_close=move |()| app.overlays.close()
        />
    }
    .into_any()
}

/// Queries the matching names whenever the text changes. Also queries "" when the palette opens, so
/// that the worker is ready for the first letter. Searches the text of all files, where related
/// images are, if no command and at most [`FEW_NAMES`] match: this keeps the worker busy, and a
/// chosen command would wait for it.
fn query_names(
    app: AppContext,
    text: RwSignal<String>,
    names: RwSignal<FoundNames>,
    lines: RwSignal<FoundLines>,
) {
    let query_slot = QuerySlot::default();
    effect(move |_| {
        let typed = text.get();
        if !app.current.is_open.get_untracked() {
            return;
        }
        query_slot.run(async move {
            let query = Find {
                text: typed.clone(),
                root: app.store.root.get_untracked(),
                limit: MAX_NAMES,
            };
            let Found { hits, total } = app.store.ask(query).await.unwrap_or_default();
            let commands = untrack(|| command_rows(app, &typed, Subject::Package));
            let names_found = hits.iter().filter(|hit| !is_problem(hit)).count();
            let found = FoundNames {
                query: typed.clone(),
                hits: group_problems(hits),
                total,
            };
            // Without a match, Enter waits for the lines.
            if names_found > 0 || !commands.is_empty() {
                names.try_set(found.clone());
            }
            if commands.is_empty() && names_found <= FEW_NAMES && is_searchable(&typed) {
                time::pause(TYPING_PAUSE_MS).await;
                lines.try_set(search_text(app, typed, false).await);
            }
            names.try_set(found);
        });
    });
}

fn is_searchable(text: &str) -> bool {
    TEXT_LENGTH.contains(&text.trim().chars().count())
}

async fn search_text(app: AppContext, text: String, are_alone: bool) -> FoundLines {
    let query = SearchText {
        text: text.trim().to_owned(),
        root: app.store.root.get_untracked(),
        limit: MAX_LINES,
    };
    FoundLines {
        matches: app.store.ask(query).await.unwrap_or_default(),
        query: text,
        are_alone,
    }
}

/// Returns the matching commands. Until something is typed, those for the selection come first, and
/// those that the template refuses are left out.
fn command_rows(app: AppContext, text: &str, subject: Subject) -> Vec<PaletteRow> {
    let mut commands = find_commands(text, |command| command.is_offered(app));
    if text.trim().is_empty() {
        let of_subject = EditCommand::for_subject(subject);
        commands.retain(|(command, _)| template_refusal(app, *command).is_empty());
        commands.sort_by_key(|(command, _)| rank_for_subject(*command, &of_subject));
    }
    let rows = commands
        .into_iter()
        .map(|(command, marks)| PaletteRow::Command(command, marks));
    rows.collect()
}

/// Returns why the template in view refuses the command; "" if it does not.
fn template_refusal(app: AppContext, command: Command) -> String {
    let Command::Edit(command) = command else {
        return String::new();
    };
    app.current.view.with(|view| {
        let refused = refused_form(command, view);
        refused.map_or_else(String::new, |refused| refused.reason.clone())
    })
}

/// Returns the sort rank of a command: commands of the selection first, in the order of
/// `of_subject`, then all others.
fn rank_for_subject(command: Command, of_subject: &[EditCommand]) -> usize {
    let position = match command {
        Command::Edit(edit) => of_subject.iter().position(|listed| *listed == edit),
        _ => None,
    };
    position.unwrap_or(of_subject.len())
}

fn subject_heading(subject: Subject) -> &'static str {
    match subject {
        Subject::Package => "The package",
        Subject::Channel => "The selected channel",
        Subject::Entry => "The selected entry",
        Subject::Bundle => "The selected bundle",
    }
}

fn palette_item(app: AppContext, row: &PaletteRow, group: String) -> PaletteItem {
    match row {
        PaletteRow::Command(command, marks) => PaletteItem {
            label: command.label().to_owned(),
            marks: marks.clone(),
            kind: "command".to_owned(),
            detail: template_refusal(app, *command),
            keys: command.active_keys(app).to_owned(),
            group,
        },
        PaletteRow::Hit(hit) => PaletteItem {
            label: hit.label.clone(),
            marks: hit
                .marks
                .iter()
                .map(|range| (range.start as usize, range.end as usize))
                .collect(),
            kind: hit.kind.label().to_owned(),
            detail: hit.detail.clone(),
            group,
            ..PaletteItem::default()
        },
        PaletteRow::SearchText(text) => PaletteItem {
            label: format!("Search in all files for “{}”", text.trim()),
            group,
            ..PaletteItem::default()
        },
        PaletteRow::Line(line) => PaletteItem {
            label: line.text.clone(),
            marks: vec![(line.mark.start as usize, line.mark.end as usize)],
            kind: format!("line {}", line.location.line),
            detail: line.subject.as_ref().map_or_else(String::new, subject_name),
            group,
            ..PaletteItem::default()
        },
    }
}

/// Names what a line belongs to.
fn subject_name(subject: &LineSubject) -> String {
    match &subject.target {
        Target::Bundle { name } => name.clone(),
        Target::Entry { channel, name } => format!("{name} in {channel}"),
        Target::Channel { channel } => format!("{channel} of {}", subject.package),
        Target::Package | Target::Problem { .. } => subject.package.clone(),
    }
}

fn is_problem(hit: &Hit) -> bool {
    hit.problem.is_some()
}

/// Groups names and problems, keeping their order; the group with the best match comes first.
fn group_problems(mut hits: Vec<Hit>) -> Vec<Hit> {
    let is_problem_best = hits.first().is_some_and(is_problem);
    hits.sort_by_key(|hit| is_problem(hit) != is_problem_best);
    hits
}

/// Formats the number of results, e.g. `2 commands, 3 names, 1 problem`. Of too many, only the first
/// are known.
fn hits_summary(commands: u32, hits: &[Hit], total: u32) -> String {
    let visible = hits.len() as u32;
    let problems = hits.iter().filter(|hit| is_problem(hit)).count() as u32;
    let mut parts = Vec::new();
    let mut add = |count: u32, noun: &str| {
        if count > 0 {
            parts.push(words::count(count, noun));
        }
    };
    add(commands, "command");
    if total > visible {
        parts.push(format!("{visible} of {}", words::count(total, "result")));
    } else {
        add(visible - problems, "name");
        add(problems, "problem");
    }
    if parts.is_empty() {
        "Nothing found among commands, names, file paths and problems".to_owned()
    } else {
        parts.join(", ")
    }
}

/// Formats the number of matches in the text of files.
fn lines_summary(found: &TextMatches) -> String {
    let unreadable = match found.unreadable_files {
        0 => String::new(),
        count => format!("; {} could not be read", words::count(count, "file")),
    };
    if found.matches == 0 {
        return format!(
            "Nothing found among names, file paths and problems, or in the text of any file{unreadable}"
        );
    }
    let lines = match found.lines.len() as u32 {
        MAX_LINES => format!("; these are the first {MAX_LINES} lines"),
        _ => String::new(),
    };
    let matches = words::count(found.matches, "match");
    let files = words::count(found.files, "file");
    format!("{matches} in {files}{lines}{unreadable}")
}

/// Keys that work in one part of the page, by part, each with its effect.
const KEYS_BY_PART: [(&str, &[(&str, &str)]); 7] = [
    (
        "In the graph",
        &[
            ("Arrows", "along a lane, and between lanes"),
            (
                "Up",
                "from the first lane to the y-streams, which have their own menu",
            ),
            ("Home End", "to the ends of the lane"),
            (
                "[ ]",
                "follow an edge: to what it replaces, to what replaces it",
            ),
            (
                "{ }",
                "to what it skips, to what skips it, by name or by range",
            ),
            (
                "[ ] { }",
                "again: the next one, if there are several; Enter accepts it",
            ),
            (
                "Escape",
                "back along the edge; then from an entry to its channel and its package",
            ),
            ("Enter", "select; on a stack, open it"),
            ("Space", "add to the selection (or Ctrl+click)"),
            ("Shift+Arrows", "extend the selection (or Shift+click)"),
            ("+ − 0 F", "zoom in, zoom out, actual size, fit"),
        ],
    ),
    (
        "While dragging in the graph",
        &[
            (
                "Shift",
                "from the dot beside an entry to another entry: skip it (also Alt); without Shift, replace it",
            ),
            (
                "Shift",
                "from the background: select what the frame touches",
            ),
            ("Escape", "cancel the drag"),
        ],
    ),
    (
        "In lists and the table",
        &[
            ("Arrows Home End", "rows"),
            (
                "Enter",
                "choose; on a Replaces, Skips or Skip range cell: open its form",
            ),
            ("Space", "in the table: add to the selection"),
        ],
    ),
    (
        "In forms and fields",
        &[
            (
                "Enter",
                "take the suggestion, end the typing; in place, or in a field that was not changed: apply",
            ),
            ("Ctrl+Enter", "apply"),
            ("Escape", "close the list; take back what was typed"),
        ],
    ),
    (
        "In the source",
        &[
            ("Ctrl+Space", "suggestions"),
            ("F1", "help"),
            ("Ctrl+F Ctrl+G", "find; go to a line"),
            ("Escape Tab", "pressed in turn: leave the editor"),
        ],
    ),
    (
        "On a line between panels",
        &[
            ("Arrows", "move it; with Shift, farther"),
            ("Home End", "smallest, largest size"),
            ("Enter", "hide or show the panel"),
        ],
    ),
    (
        "Everywhere",
        &[
            (
                PALETTE_KEYS,
                "search, and all commands (Cmd+K on a Mac; also /)",
            ),
            ("Shift+F10", "the menu of what has the focus"),
            ("Escape", "close what is open"),
        ],
    ),
];

/// Keys under a heading, each with its effect.
struct KeyGroup {
    title: &'static str,
    keys: Vec<(&'static str, &'static str)>,
}

/// Returns the contents of the key list, without single letters unless they are on. Shortcuts that
/// work everywhere come first.
fn key_groups(letters: bool) -> Vec<KeyGroup> {
    let (edits, others): (Vec<Command>, Vec<Command>) = Command::all()
        .filter(|command| !command.keys_if(letters).is_empty())
        .partition(|command| matches!(command, Command::Edit(_)));
    let command_group = |title, commands: Vec<Command>| KeyGroup {
        title,
        keys: commands
            .into_iter()
            .map(|command| (command.keys(), command.label()))
            .collect(),
    };
    let parts = KEYS_BY_PART.into_iter().map(|(title, keys)| KeyGroup {
        title,
        keys: keys.to_vec(),
    });
    let mut groups = vec![
        command_group("Edits", edits),
        command_group("The workbench", others),
    ];
    groups.extend(parts);
    groups.rotate_right(1);
    groups
}

/// The first steps of a new user.
const FIRST_STEPS: [&str; 4] = [
    "Choose a catalog on the left, then a package. The graph has a lane for each channel and a column for each version.",
    "Select an entry: on the right are its next upgrade, its problems, its fields and its commands. Drag it to another lane to promote it.",
    "Choose what is installed on a cluster at the top, and whose rules decide, Classic or OLM v1: the graph marks the path.",
    "Each edit shows its effect before it is applied. Review and save writes or downloads the changes; until then they are only in this browser.",
];

#[component]
pub fn Help() -> impl IntoView {
    let app = app_context();
    let show_legend = move |()| {
        app.overlays.close();
        app.store.tab.show(Tab::Graph);
        dom::press_when_drawn(LEGEND);
    };
    view! {
        <Dialog title=Command::Help.label() size=Size::Wide closes_outside=true on_close=move |()| app.overlays.close()>
            <div class="dialog-body" tabindex="-1">
                <ol class="first-steps" aria-label="How to begin">
                    {FIRST_STEPS.map(|step| view! { <li>{step}</li> })}
                </ol>
                <div class="help-settings">
                    <label class="check">
                        <input
                            type="checkbox"
                            role="switch"
                            prop:checked=move || app.preferences.letter_keys.get()
                            on:change=move |event| app.preferences.letter_keys.set(event_target_checked(&event))
                        />
                        "Single letters open edits"
                    </label>
                    <Show when=move || app.current.is_open.get()>
                        <Button label="Open the legend of the graph" on_press=show_legend/>
                    </Show>
                </div>
                <div class="keys-sheet">
                    {move || {
                        key_groups(app.preferences.letter_keys.get())
                            .into_iter()
                            .map(|KeyGroup { title, keys }| {
                                view! {
                                    <section class="keys-part">
                                        <h3 class="keys-title">{title}</h3>
                                        <dl class="keys">{keys.into_iter().map(key_row).collect_view()}</dl>
                                    </section>
                                }
                            })
                            .collect_view()
                    }}
                </div>
            </div>
        </Dialog>
    }
    .into_any()
}

fn key_row((keys, effect): (&'static str, &'static str)) -> AnyView {
    view! {
        <dt class="keys-of">{keys.split(' ').map(|key| view! { <kbd>{key}</kbd> }).collect_view()}</dt>
        <dd>{effect}</dd>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_counted() {
        let hits = [None, Some(0), Some(1)].map(|problem| Hit {
            problem,
            ..Hit::default()
        });
        assert_eq!(hits_summary(2, &hits, 120), "2 commands, 3 of 120 results");
        assert_eq!(hits_summary(0, &hits[..1], 1), "1 name");
        assert_eq!(hits_summary(0, &hits, 3), "1 name, 2 problems");
        assert_eq!(hits_summary(1, &[], 0), "1 command");
    }

    #[test]
    fn matches_are_counted_with_their_files() {
        let mut found = TextMatches {
            lines: vec![TextMatch::default(); 100],
            matches: 793,
            files: 12,
            ..TextMatches::default()
        };
        assert_eq!(
            lines_summary(&found),
            "793 matches in 12 files; these are the first 100 lines"
        );
        (found.lines, found.matches, found.files) = (Vec::new(), 1, 1);
        assert_eq!(lines_summary(&found), "1 match in 1 file");
    }

    #[test]
    fn problems_are_grouped() {
        let hit = |label: &str, problem| Hit {
            label: label.into(),
            problem,
            ..Hit::default()
        };
        let labels = |hits: Vec<Hit>| hits.into_iter().map(|hit| hit.label).collect::<Vec<_>>();
        let hits = [
            hit("a", Some(0)),
            hit("b", None),
            hit("c", Some(1)),
            hit("d", None),
        ];
        assert_eq!(labels(group_problems(hits[1..].to_vec())), ["b", "d", "c"]);
        assert_eq!(
            labels(group_problems(hits.to_vec())),
            ["a", "c", "b", "d"],
            "the best stays the first"
        );
    }

    #[test]
    fn every_command_with_keys_is_in_the_help_once() {
        let groups = key_groups(true);
        let rows = || groups.iter().flat_map(|group| &group.keys);
        for command in Command::all().filter(|command| !command.keys().is_empty()) {
            let same = rows()
                .filter(|row| **row == (command.keys(), command.label()))
                .count();
            assert_eq!(same, 1, "{command:?}");
        }
        assert_eq!(groups.first().map(|group| group.title), Some("Everywhere"));
        let active = key_groups(false);
        let mut keys = active.iter().flat_map(|group| &group.keys);
        assert!(
            keys.all(|(_, effect)| *effect != Command::Compare.label()),
            "its letter does nothing"
        );
    }

    #[test]
    fn the_manual_lists_the_keys_of_each_place() {
        let manual = include_str!("../../../docs/keys.md");
        for (title, keys) in KEYS_BY_PART {
            let part = manual
                .split("\n## ")
                .find(|part| part.starts_with(&format!("{title}\n")));
            for (keys, effect) in keys {
                let keys: Vec<String> = keys.split(' ').map(|key| format!("`{key}`")).collect();
                let row = format!("| {} | {effect} |", keys.join(" "));
                assert!(
                    part.is_some_and(|part| part.contains(&row)),
                    "{title}: {row}"
                );
            }
        }
    }
}
