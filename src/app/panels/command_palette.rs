//! The command palette: commands with their shortcuts, and matching names. Also the list of
//! keyboard shortcuts by place; those of commands come from the commands, as in tooltips.

use crate::commands::{Command, PALETTE_KEYS, find_commands as found_commands};
use crate::context::{QuerySlot, app_context, navigation};
use crate::edits::applicable::subject;
use crate::edits::command::{EditCommand, Subject};
use crate::reactive::{effect, memo};
use crate::widgets::dialog::{Dialog, Size};
use crate::widgets::palette::{Mark, Palette, PaletteItem};
use crate::words;
use leptos::prelude::*;
use protocol::query::Find;
use protocol::response::Found;
use protocol::views::Hit;

const HITS: u32 = 50;

/// A row of the palette.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PaletteRow {
    Command(Command, Vec<Mark>),
    Hit(Hit),
}

/// The worker's matches, with their query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct FoundNames {
    query: String,
    hits: Vec<Hit>,
    total: u32,
}

#[component]
pub fn CommandPalette() -> impl IntoView {
    let app = app_context();
    let text = RwSignal::new(String::new());
    let names = RwSignal::new(FoundNames::default());
    // Enter was pressed before the answer arrived.
    let is_awaited = RwSignal::new(false);
    let turn = QuerySlot::default();
    let is_busy = memo(move |_| {
        app.current.is_open.get() && names.with(|names| text.with(|text| names.query != *text))
    });
    effect(move |_| {
        let typed = text.get();
        is_awaited.set(false);
        if !app.current.is_open.get_untracked() {
            return;
        }
        // The palette queries "" when it opens, so that the worker is ready for the first letter.
        turn.run(async move {
            let query = Find {
                text: typed.clone(),
                limit: HITS,
            };
            let Found { hits, total } = app.store.ask(query).await.unwrap_or_default();
            if text.try_with_untracked(|text| *text == typed) == Some(true) {
                names.try_set(FoundNames {
                    query: typed,
                    hits: together(hits),
                    total,
                });
            }
        });
    });
    // Commands for the selection come first until something is typed.
    let subject = memo(move |_| app.current.target.with(subject));
    let of_subject = Signal::derive(move || EditCommand::for_subject(subject.get()));
    let lines = memo(move |_| {
        let mut commands = found_commands(&text.get(), |command| command.is_offered(app));
        if text.with(|text| text.trim().is_empty()) {
            let wanted = of_subject.get();
            let place = |command: &Command| match command {
                Command::Edit(edit) => wanted
                    .iter()
                    .position(|known| known == edit)
                    .unwrap_or(wanted.len()),
                _ => wanted.len(),
            };
            commands.sort_by_key(|(command, _)| place(command));
        }
        let commands = commands
            .into_iter()
            .map(|(command, marks)| PaletteRow::Command(command, marks));
        names.with(|names| {
            commands
                .chain(names.hits.iter().cloned().map(PaletteRow::Hit))
                .collect::<Vec<_>>()
        })
    });
    let selected = Signal::derive(move || match subject.get() {
        Subject::Package => "The package",
        Subject::Channel => "The selected channel",
        Subject::Entry => "The selected entry",
        Subject::Bundle => "The selected bundle",
    });
    let items = Signal::derive(move || {
        let is_whole = text.with(|text| text.trim().is_empty());
        let commands = of_subject.get();
        let group = |line: &PaletteRow| match line {
            PaletteRow::Hit(hit) => if is_problem(hit) { "Problems" } else { "Names" }.to_owned(),
            PaletteRow::Command(Command::Edit(edit), _) if is_whole && commands.contains(edit) => {
                selected.get().to_owned()
            }
            PaletteRow::Command(..) => "Commands".to_owned(),
        };
        let has_package = app.current.package.with(|package| !package.is_empty());
        let grouped = |line: &PaletteRow| PaletteItem {
            group: if has_package {
                group(line)
            } else {
                String::new()
            },
            ..item(line)
        };
        lines.with(|lines| lines.iter().map(grouped).collect::<Vec<_>>())
    });
    let count = Signal::derive(move || {
        let commands = lines.with(|lines| {
            lines
                .iter()
                .filter(|line| matches!(line, PaletteRow::Command(..)))
                .count()
        });
        names.with(|names| hits_summary(commands as u32, names.hits.len() as u32, names.total))
    });
    let choose = move |index: usize| {
        let Some(line) = lines.with_untracked(|lines| lines.get(index).cloned()) else {
            return;
        };
        app.overlays.close();
        match line {
            PaletteRow::Command(command, _) => command.run(app),
            PaletteRow::Hit(hit) => navigation::show_hit(app, hit),
        }
    };
    let enter = move |index: usize| {
        let is_known =
            lines.with_untracked(|lines| matches!(lines.get(index), Some(PaletteRow::Command(..))));
        // A row that the user selected is meant; otherwise wait for the first match.
        if index == 0 && is_busy.get_untracked() && !is_known {
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
            placeholder="Search names, versions, images, APIs, problems and commands"
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

fn item(line: &PaletteRow) -> PaletteItem {
    match line {
        PaletteRow::Command(command, marks) => PaletteItem {
            label: command.label().to_owned(),
            marks: marks.clone(),
            kind: "command".to_owned(),
            detail: String::new(),
            keys: command.keys().to_owned(),
            group: String::new(),
        },
        PaletteRow::Hit(hit) => PaletteItem {
            label: hit.label.clone(),
            marks: hit
                .marks
                .iter()
                .map(|&(from, to)| (from as usize, to as usize))
                .collect(),
            kind: hit.kind.clone(),
            detail: hit.detail.clone(),
            keys: String::new(),
            group: String::new(),
        },
    }
}

fn is_problem(hit: &Hit) -> bool {
    hit.problem.is_some()
}

/// Groups names and problems, keeping their order; the group with the best match comes first.
fn together(mut hits: Vec<Hit>) -> Vec<Hit> {
    let best = hits.first().is_some_and(is_problem);
    hits.sort_by_key(|hit| is_problem(hit) != best);
    hits
}

/// Formats the number of results, e.g. `2 commands, 50 of 1204 names`.
fn hits_summary(commands: u32, visible: u32, total: u32) -> String {
    let names = match total {
        0 => None,
        total if total > visible => Some(format!("{visible} of {}", words::count(total, "name"))),
        total => Some(words::count(total, "name")),
    };
    let commands = (commands > 0).then(|| words::count(commands, "command"));
    commands
        .into_iter()
        .chain(names)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Keys that belong to a place rather than a command.
const PLACES: [(&str, &[(&str, &str)]); 7] = [
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
            ("Escape", "back along the edge; then clear the selection"),
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
                "from an entry's grip to another entry: skip it (also Alt); without Shift, replace it",
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
            ("Enter", "choose"),
            ("Ctrl+Enter", "open the package in its own tab"),
            ("Space", "in the table: add to the selection"),
            ("Delete", "on a package tab: close it"),
        ],
    ),
    (
        "In forms and fields",
        &[
            (
                "Enter",
                "take the suggestion, end the typing; in a field that was not changed: apply",
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
            ("Escape", "close what is open; clear the selection"),
        ],
    ),
];

/// Returns the headings with their keys and effects.
fn sheet() -> Vec<(&'static str, Vec<(&'static str, &'static str)>)> {
    let list = |are_edits: bool| {
        let commands = Command::all().filter(|command| !command.keys().is_empty());
        let own = commands.filter(|command| matches!(command, Command::Edit(_)) == are_edits);
        own.map(|command| (command.keys(), command.label()))
            .collect::<Vec<_>>()
    };
    let places = PLACES
        .into_iter()
        .map(|(title, keys)| (title, keys.to_vec()));
    let mut out: Vec<_> = [("Edits", list(true)), ("The workbench", list(false))]
        .into_iter()
        .chain(places)
        .collect();
    // Global shortcuts come first.
    out.rotate_right(1);
    out
}

#[component]
pub fn KeyboardHelp() -> impl IntoView {
    let app = app_context();
    view! {
        <Dialog title="Keys" size=Size::Wide light=true on_close=move |()| app.overlays.close()>
            <div class="dialog-body" tabindex="-1">
                <label class="check">
                    <input
                        type="checkbox"
                        prop:checked=move || app.preferences.letter_keys.get()
                        on:change=move |event| app.preferences.set_letter_keys(event_target_checked(&event))
                    />
                    "Single letters run commands when no text field has the focus"
                </label>
                <div class="keys-sheet">
                    {sheet()
                        .into_iter()
                        .map(|(title, keys)| {
                            view! {
                                <section class="keys-part">
                                    <h3 class="keys-title">{title}</h3>
                                    <dl class="keys">{keys.into_iter().map(row).collect_view()}</dl>
                                </section>
                            }
                        })
                        .collect_view()}
                </div>
            </div>
        </Dialog>
    }
    .into_any()
}

fn row((keys, what): (&'static str, &'static str)) -> impl IntoView {
    view! {
        <dt class="keys-of">{keys.split(' ').map(|key| view! { <kbd>{key}</kbd> }).collect_view()}</dt>
        <dd>{what}</dd>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn what_was_found_is_counted() {
        assert_eq!(hits_summary(2, 50, 120), "2 commands, 50 of 120 names");
        assert_eq!(hits_summary(0, 1, 1), "1 name");
        assert_eq!(hits_summary(1, 0, 0), "1 command");
    }

    #[test]
    fn problems_stand_together() {
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
        assert_eq!(labels(together(hits[1..].to_vec())), ["b", "d", "c"]);
        assert_eq!(
            labels(together(hits.to_vec())),
            ["a", "c", "b", "d"],
            "the best stays the first"
        );
    }

    #[test]
    fn every_command_with_keys_is_on_the_sheet_once() {
        let sheet = sheet();
        let rows = || sheet.iter().flat_map(|(_, keys)| keys);
        for command in Command::all().filter(|command| !command.keys().is_empty()) {
            let same = rows()
                .filter(|row| **row == (command.keys(), command.label()))
                .count();
            assert_eq!(same, 1, "{command:?}");
        }
        assert_eq!(sheet.first().map(|(title, _)| *title), Some("Everywhere"));
    }

    #[test]
    fn the_manual_has_the_keys_of_places() {
        let manual = include_str!("../../../docs/keys.md");
        for (title, keys) in PLACES {
            let part = manual
                .split("\n## ")
                .find(|part| part.starts_with(&format!("{title}\n")));
            for (keys, what) in keys {
                let keys: Vec<String> = keys.split(' ').map(|key| format!("`{key}`")).collect();
                let row = format!("| {} | {what} |", keys.join(" "));
                assert!(
                    part.is_some_and(|part| part.contains(&row)),
                    "{title}: {row}"
                );
            }
        }
    }
}
