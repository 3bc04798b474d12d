//! The graph as a table: one row an entry, absent ones too. The same operations by keyboard and menu.
//!
//! | key | does |
//! |---|---|
//! | Down, Up, Home, End | next and previous row, first and last |
//! | Enter | selects |
//! | Space | selects together with others, or no longer |
//! | Shift+Down, Shift+Up | selects the rows on the way |
//! | s | shows the source |
//! | context menu key, Shift+F10 | opens the menu |

use super::centre::show_source;
use super::forms::suggest::is_absent;
use crate::app::desk::{Desk, desk};
use crate::app::panels::words;
use crate::app::widgets::dom;
use crate::app::widgets::icon::{Glyph, Icon};
use crate::app::widgets::list_cursor::Axis;
use crate::app::widgets::rove::rove;
use crate::protocol::request::Target;
use crate::protocol::views::{EntryRef, ProblemMark, TableRow};
use leptos::prelude::*;

const COLUMNS: [&str; 7] = ["Channel", "Entry", "Version", "Replaces", "Skips", "Skip range", "State"];

#[component]
pub fn Table() -> impl IntoView {
    let desk = desk();
    let rows = Memo::new(move |_| numbered(&desk.view.with(|view| view.table.clone())));
    let selected = Memo::new(move |_| desk.selected_entry());
    // One stop for Tab: the selected row, or the first.
    let stop = Memo::new(move |_| {
        let selected = selected.get();
        rows.with(|rows| {
            let is_it = |row: &(usize, TableRow)| selected.as_ref().is_some_and(|entry| is_row(entry, &row.1));
            rows.iter().position(is_it).unwrap_or(0)
        })
    });
    view! {
        <div class="table-scroll" tabindex="-1">
            <table class="table" on:keydown=move |event| on_key(desk, &event)>
                <caption class="visually-hidden">{move || format!("Entries of {}", desk.package.get())}</caption>
                <thead>
                    <tr>
                        <th scope="col"><span class="visually-hidden">"Selected"</span></th>
                        {COLUMNS.into_iter().map(|name| view! { <th scope="col">{name}</th> }).collect_view()}
                    </tr>
                </thead>
                <tbody>
                    <For each=move || rows.get() key=|row| row.clone() let:row>
                        {table_row(desk, selected, stop, row)}
                    </For>
                </tbody>
            </table>
        </div>
    }
    .into_any()
}

/// Rows with their position, so that two rows that say the same are still two.
fn numbered(rows: &[TableRow]) -> Vec<(usize, TableRow)> {
    rows.iter().cloned().enumerate().collect()
}

fn is_row(entry: &EntryRef, row: &TableRow) -> bool {
    entry.channel == row.channel && entry.name == row.entry
}

fn table_row(
    desk: Desk,
    selected: Memo<Option<EntryRef>>,
    stop: Memo<usize>,
    (index, row): (usize, TableRow),
) -> impl IntoView {
    let entry = EntryRef { channel: row.channel.clone(), name: row.entry.clone() };
    let target = Target::Entry { channel: row.channel.clone(), name: row.entry.clone() };
    let is_selected = {
        let row = row.clone();
        move || selected.with(|selected| selected.as_ref().is_some_and(|entry| is_row(entry, &row)))
    };
    let is_absent = is_absent(&row);
    let (clicked, asked, boxed) = (entry.clone(), entry.clone(), entry.clone());
    let is_picked = {
        let entry = entry.clone();
        Memo::new(move |_| desk.picked.with(|picked| picked.has(&entry)))
    };
    let keyed = entry.clone();
    let name = format!("Select {} in {}", row.entry, row.channel);
    view! {
        <tr
            class="table-row"
            data-absent=is_absent.then_some("true")
            aria-current=move || is_selected().then_some("true")
            data-picked=move || is_picked.get().then_some("true")
            on:click=move |event| {
                if event.shift_key() {
                    desk.pick_to(&order(desk), clicked.clone());
                } else if event.ctrl_key() || event.meta_key() {
                    pick(desk, clicked.clone());
                } else {
                    desk.select(target.clone());
                }
            }
            on:contextmenu=move |event| {
                event.prevent_default();
                let at = place_of(&event);
                desk.open_entry_menu(asked.clone(), at);
            }
        >
            <td>
                {(!is_absent)
                    .then(|| {
                        view! {
                            <input
                                type="checkbox"
                                class="table-pick"
                                tabindex="-1"
                                aria-label=name
                                prop:checked=move || is_picked.get()
                                on:click=move |event| {
                                    event.stop_propagation();
                                    if event.shift_key() {
                                        desk.pick_to(&order(desk), boxed.clone());
                                    } else {
                                        pick(desk, boxed.clone());
                                    }
                                }
                            />
                        }
                    })}
            </td>
            <td>{row.channel}</td>
            <td>
                <button
                    type="button"
                    class="table-entry"
                    data-row=index.to_string()
                    tabindex=move || if stop.get() == index { "0" } else { "-1" }
                    on:keyup=move |event| {
                        if event.key() == " " {
                            event.prevent_default();
                        }
                    }
                    on:keydown=move |event| {
                        if event.key() == " " {
                            event.prevent_default();
                            pick(desk, keyed.clone());
                        }
                        if event.key() == "s" && !event.ctrl_key() && !event.meta_key() {
                            event.stop_propagation();
                            show_source(desk, &entry);
                        }
                    }
                >
                    {row.entry}
                </button>
            </td>
            <td class="mono">{row.version}</td>
            <td class="mono">{row.replaces}</td>
            <td class="mono">{skips(&row.skips)}</td>
            <td class="mono">{row.skip_range}</td>
            <td>
                {row.state
                    .into_iter()
                    .map(|state| view! { <span class="state" data-state=state.clone()>{state.clone()}</span> })
                    .collect_view()}
                {row.problem.map(problem)}
            </td>
        </tr>
    }
    .into_any()
}

/// How many problems a row has, with the sign of the worst.
fn problem(mark: ProblemMark) -> impl IntoView {
    let (tone, icon) = if mark.errors > 0 { ("error", Icon::Error) } else { ("advice", Icon::Warning) };
    view! {
        <span class="mark" data-tone=tone title=words::problem(&mark)>
            <Glyph icon=icon/>
            {words::tally(mark.errors, mark.warnings)}
        </span>
    }
}

/// A few skips in full; of many, how many they are and the ends.
fn skips(names: &[String]) -> String {
    match names {
        [first, .., last] if names.len() > 4 => format!("{} entries: {first} … {last}", names.len()),
        _ => names.join(", "),
    }
}

/// Where a menu is to open: at the pointer, or below the row's button when a key asked.
fn place_of(event: &web_sys::MouseEvent) -> (i32, i32) {
    if (event.client_x(), event.client_y()) != (0, 0) {
        return (event.client_x(), event.client_y());
    }
    dom::focused().map_or((0, 0), |element| {
        let rect = element.get_bounding_client_rect();
        (rect.left() as i32, rect.bottom() as i32)
    })
}

fn on_key(desk: Desk, event: &web_sys::KeyboardEvent) {
    let begin = focused_row(desk);
    rove(event, "[data-row]", Axis::Vertical);
    if event.shift_key() && matches!(event.key().as_str(), "ArrowDown" | "ArrowUp" | "Home" | "End") {
        let order = order(desk);
        [begin, focused_row(desk)].into_iter().flatten().for_each(|entry| desk.pick_to(&order, entry));
    }
}

/// Entries as the rows stand, without those that only an edge names.
fn order(desk: Desk) -> Vec<EntryRef> {
    let of = |row: &TableRow| EntryRef { channel: row.channel.clone(), name: row.entry.clone() };
    desk.view.with_untracked(|view| view.table.iter().filter(|row| !is_absent(row)).map(of).collect())
}

fn pick(desk: Desk, entry: EntryRef) {
    if order(desk).contains(&entry) {
        desk.pick(entry);
    }
}

/// The entry of the row that has the focus.
fn focused_row(desk: Desk) -> Option<EntryRef> {
    let index: usize = dom::focused()?.get_attribute("data-row")?.parse().ok()?;
    let row = desk.view.with_untracked(|view| view.table.get(index).cloned())?;
    (!is_absent(&row)).then_some(EntryRef { channel: row.channel, name: row.entry })
}

#[cfg(test)]
mod tests {
    use super::skips;

    #[test]
    fn many_skips_are_counted() {
        let names: Vec<String> = (0..80).map(|n| format!("p.v1.0.{n}")).collect();
        assert_eq!(skips(&names), "80 entries: p.v1.0.0 … p.v1.0.79");
        assert_eq!(skips(&names[..2]), "p.v1.0.0, p.v1.0.1");
        assert_eq!(skips(&[]), "");
    }
}
