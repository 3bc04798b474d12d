//! The sheet of keys.

use super::commands::Command;
use crate::app::desk::desk;
use crate::app::widgets::dialog::Dialog;
use leptos::prelude::*;

/// Keys that belong to no command.
const OTHERS: [(&str, &str); 10] = [
    ("Ctrl+K /", "Search, and all commands (Cmd+K on a Mac)"),
    ("Arrows", "In the graph: along a lane and between lanes. In lists and the table: rows"),
    ("Enter", "Select; on a stack, open it"),
    ("Space", "In the graph and the table: select together with others (Ctrl+click)"),
    ("Shift+Arrows", "In the graph and the table: select what is on the way (Shift+click)"),
    ("Up", "In the graph, from the first lane: the y-streams, with a menu of their own"),
    ("Shift+F10", "Context menu of what has the focus"),
    ("+ − 0 F", "In the graph: zoom in, out, natural size, fit"),
    ("Ctrl+Space F1 Ctrl+F Ctrl+G", "In the source: suggestions, help, find, go to a line; Escape, then Tab leaves it"),
    ("Escape", "Close what is open; clear the selection"),
];

#[component]
pub fn Keys() -> impl IntoView {
    let desk = desk();
    let commands = Command::all().into_iter().filter(|command| !command.keys().is_empty());
    let rows = OTHERS
        .into_iter()
        .map(|(keys, what)| (keys.to_owned(), what.to_owned()))
        .chain(commands.map(|command| (command.keys().to_owned(), command.label().to_owned())));
    view! {
        <Dialog title="Keys" light=true on_close=move |()| desk.close_overlay()>
            <div class="dialog-body" tabindex="-1">
                <label class="check">
                    <input
                        type="checkbox"
                        prop:checked=move || desk.letter_keys.get()
                        on:change=move |event| desk.set_letter_keys(event_target_checked(&event))
                    />
                    "Single letters are commands where nothing is typed"
                </label>
                <dl class="keys">
                    {rows
                        .map(|(keys, what)| {
                            view! {
                                <dt><kbd>{keys}</kbd></dt>
                                <dd>{what}</dd>
                            }
                        })
                        .collect_view()}
                </dl>
            </div>
        </Dialog>
    }
    .into_any()
}
