//! The list of keyboard shortcuts by place. Shortcuts of commands come from the commands, as in
//! tooltips.

use crate::commands::{Command, PALETTE_KEYS};
use crate::context::app_context;
use crate::widgets::dialog::{Dialog, Size};
use leptos::prelude::*;

/// Keys that belong to a place rather than a command.
const PLACES: [(&str, &[(&str, &str)]); 8] = [
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
            ("+ − 0 F O", "zoom in, zoom out, actual size, fit, overview"),
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
        "On the minimap",
        &[
            ("Arrows", "move the view by a third of it"),
            ("PageUp PageDown", "by all of it"),
            ("Home End", "to the oldest, the newest versions"),
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

/// Headings with their keys and effects.
fn sheet() -> Vec<(&'static str, Vec<(&'static str, &'static str)>)> {
    let of = |are_edits: bool| {
        let commands = Command::all().filter(|command| !command.keys().is_empty());
        let own = commands.filter(|command| matches!(command, Command::Edit(_)) == are_edits);
        own.map(|command| (command.keys(), command.label()))
            .collect::<Vec<_>>()
    };
    let places = PLACES
        .into_iter()
        .map(|(title, keys)| (title, keys.to_vec()));
    let mut out: Vec<_> = [("Edits", of(true)), ("The workbench", of(false))]
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
                        prop:checked=move || app.preferences.letter_keys().get()
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
