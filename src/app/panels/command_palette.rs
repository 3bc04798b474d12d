//! The command palette: commands with their shortcuts, and matching names.

use crate::commands::{Command, find_commands as found_commands};
use crate::context::{QuerySlot, app_context};
use crate::edits::applicable::subject;
use crate::edits::command::{EditCommand, Subject};
use crate::reactive::{effect, memo};
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
    of: String,
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
        app.current.is_open.get() && names.with(|names| text.with(|text| names.of != *text))
    });
    effect(move |_| {
        let of = text.get();
        is_awaited.set(false);
        if !app.current.is_open.get_untracked() {
            return;
        }
        // Also queried for "" when the palette opens, so that the worker is ready for the first
        // letter.
        turn.run(async move {
            let query = Find {
                text: of.clone(),
                limit: HITS,
            };
            let Found { hits, total } = app.store.ask(query).await.unwrap_or_default();
            if text.try_with_untracked(|text| *text == of) == Some(true) {
                names.try_set(FoundNames {
                    of,
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
                    .position(|of| of == edit)
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
        let of = of_subject.get();
        let group = |line: &PaletteRow| match line {
            PaletteRow::Hit(hit) => if is_problem(hit) { "Problems" } else { "Names" }.to_owned(),
            PaletteRow::Command(Command::Edit(edit), _) if is_whole && of.contains(edit) => {
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
    let found = Signal::derive(move || {
        let commands = lines.with(|lines| {
            lines
                .iter()
                .filter(|line| matches!(line, PaletteRow::Command(..)))
                .count()
        });
        names.with(|names| in_words(commands as u32, names.hits.len() as u32, names.total))
    });
    let choose = move |index: usize| {
        let Some(line) = lines.with_untracked(|lines| lines.get(index).cloned()) else {
            return;
        };
        app.overlays.close();
        match line {
            PaletteRow::Command(command, _) => command.run(app),
            PaletteRow::Hit(hit) => app.show_hit(hit),
        }
    };
    let enter = move |index: usize| {
        let is_known =
            lines.with_untracked(|lines| matches!(lines.get(index), Some(PaletteRow::Command(..))));
        // A row marked by hand is meant; otherwise wait for the first match.
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
            found=found
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
        PaletteRow::Hit(hit) if is_problem(hit) => problem(hit),
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

/// Problems of one rule start alike: the subject comes first, then the rule.
fn problem(hit: &Hit) -> PaletteItem {
    let marks = hit
        .marks
        .iter()
        .map(|&(from, to)| (from as usize, to as usize));
    let (label, marks) = match hit.label.split_once(": ") {
        None => (hit.label.clone(), marks.collect()),
        Some((rule, message)) => {
            let (begins, behind) = (rule.len() + ": ".len(), message.len() + " (".len());
            let moved = |(from, to): (usize, usize)| match (to <= rule.len(), from >= begins) {
                (true, _) => Some((from + behind, to + behind)),
                (_, true) => Some((from - begins, to - begins)),
                _ => None,
            };
            let mut marks: Vec<Mark> = marks.filter_map(moved).collect();
            marks.sort_unstable();
            (format!("{message} ({rule})"), marks)
        }
    };
    PaletteItem {
        label,
        marks,
        kind: hit.kind.clone(),
        detail: hit.detail.clone(),
        keys: String::new(),
        group: String::new(),
    }
}

/// `2 commands, 50 of 1204 names`.
fn in_words(commands: u32, shown: u32, total: u32) -> String {
    let names = match total {
        0 => None,
        total if total > shown => Some(format!("{shown} of {}", words::count(total, "name"))),
        total => Some(words::count(total, "name")),
    };
    let commands = (commands > 0).then(|| words::count(commands, "command"));
    commands
        .into_iter()
        .chain(names)
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_is_counted() {
        assert_eq!(in_words(2, 50, 120), "2 commands, 50 of 120 names");
        assert_eq!(in_words(0, 1, 1), "1 name");
        assert_eq!(in_words(1, 0, 0), "1 command");
    }

    #[test]
    fn problems_stand_together_and_begin_with_what_is_so() {
        let hit = |label: &str, problem| Hit {
            label: label.into(),
            problem,
            ..Hit::default()
        };
        let labels = |hits: Vec<Hit>| hits.into_iter().map(|hit| hit.label).collect::<Vec<_>>();
        let found = [
            hit("a", Some(0)),
            hit("b", None),
            hit("c", Some(1)),
            hit("d", None),
        ];
        assert_eq!(labels(together(found[1..].to_vec())), ["b", "d", "c"]);
        assert_eq!(
            labels(together(found.to_vec())),
            ["a", "c", "b", "d"],
            "the best stays the first"
        );
        let text = "dependency-not-here: p.v1 depends on q";
        let marked = Hit {
            marks: vec![(0, 6), (26, 32)],
            detail: "p in v4.20".into(),
            ..hit(text, Some(0))
        };
        let item = problem(&marked);
        assert_eq!(item.label, "p.v1 depends on q (dependency-not-here)");
        let marked: Vec<&str> = item
            .marks
            .iter()
            .map(|(from, to)| &item.label[*from..*to])
            .collect();
        assert_eq!(marked, ["depend", "depend"]);
        assert_eq!(item.detail, "p in v4.20");
    }
}
