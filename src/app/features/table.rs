//! The graph as a table: one row per entry, including absent ones. Sorted, filtered and copied; a
//! row's menu has every operation of the graph. An APG *Grid* with one tab stop, and its toolbar:
//! filter and copying.
//!
//! | key | effect |
//! |---|---|
//! | arrows, Home, End, Page up, Page down | another cell, see `widgets::cursors` |
//! | Enter | sorts on a header; opens the form of an edge cell; otherwise selects the row |
//! | Space | toggles the row in the multiple selection |
//! | Shift+Down, Shift+Up | extends the selection |
//! | u | shows the source |
//! | Ctrl+C | copies the selected rows, or else all visible ones |
//! | context menu key, Shift+F10 | opens the row's menu |

mod cells;
pub mod table_data;

use crate::context::saving;
use crate::edits::form_values::FormValues;
use crate::prelude::*;
use crate::widgets::cursors::{CellPosition, Extent, clamp_cell, next_cell};
use crate::widgets::dom::field_text;
use crate::widgets::virtual_list::Stack;
use protocol::diagnostic::Location;
use protocol::views::{EdgeLines, EntryRef, TableRow};
use std::ops::Range;
use std::sync::Arc;
use table_data::{Column, Filter, Numbered, Sort, arrange, count_states, export};
use wasm_bindgen::JsCast;

/// Longer tables are only drawn in the visible area, with rows of equal height.
const MAX_UNWINDOWED_ROWS: usize = 60;
/// Height of such a row, from the style sheet.
const ROW_HEIGHT: f64 = 32.0;
/// Pixels drawn above and below the view.
const OVERDRAW: f64 = 160.0;

/// Id of the grid itself, which has the focus until a cell to be focused is drawn.
const GRID_ID: &str = "table-grid";

/// State shared by the parts of the table.
#[derive(Clone, Copy)]
struct TableContext {
    app: AppContext,
    filter: RwSignal<Filter>,
    sort: RwSignal<Option<Sort>>,
    rows: Memo<Arc<Vec<Numbered>>>,
    window: Memo<Range<usize>>,
    /// The focused cell. Row 0 is the header, column 0 the checkboxes.
    at: RwSignal<CellPosition>,
    /// The single tab stop: the focused cell, or its column in the nearest drawn row.
    stop: Memo<CellPosition>,
    scroller: NodeRef<html::Div>,
    top: RwSignal<f64>,
}

#[component]
pub fn Table() -> impl IntoView {
    let app = app_context();
    let context = TableContext::new(app);
    let name = move || format!("Entries of {}", app.current.package.get());
    let row_total = move || context.rows.with(|rows| rows.len());
    let is_windowed = move || (row_total() > MAX_UNWINDOWED_ROWS).then_some("true");
    let drawn = move || {
        context.rows.with(|rows| {
            let window = context.window.get();
            let first = window.start;
            let drawn = rows
                .get(window)
                .unwrap_or_default()
                .iter()
                .cloned()
                .enumerate();
            drawn
                .map(|(index, row)| (first + index, row))
                .collect::<Vec<_>>()
        })
    };
    let space = move |rows: usize| {
        (rows > 0).then(|| {
            let height = format!("{}px", rows as f64 * ROW_HEIGHT);
            view! { <tr class="table-space" aria-hidden="true" style:height=height></tr> }
        })
    };
    view! {
        <div class="table-panel">
            {tools(context)}
            <div
                class="table-scroll"
                tabindex="-1"
                node_ref=context.scroller
                on:scroll=move |_| context.read_scroll()
            >
                <table
                    class="table"
                    id=GRID_ID
                    role="grid"
                    tabindex="-1"
                    data-windowed=is_windowed
                    aria-label=name
                    aria-multiselectable="true"
                    aria-rowcount=move || row_total() + 1
                    aria-colcount=Column::ALL.len() + 1
                    on:keydown=move |event| context.on_key(&event)
                    on:focusin=move |event| context.on_focus(&event)
                >
                    <thead>{cells::header(context)}</thead>
                    <tbody>
                        {move || space(context.window.get().start)}
                        <For each=drawn key=row_key let:row>
                            {cells::table_row(context, row)}
                        </For>
                        {move || space(row_total() - context.window.get().end.min(row_total()))}
                    </tbody>
                </table>
                <p class="table-none" hidden=move || { row_total() > 0 }>
                    "No entry matches. "
                    <button type="button" class="link" on:click=move |_| context.filter.set(Filter::default())>
                        "Show all"
                    </button>
                </p>
            </div>
        </div>
    }
    .into_any()
}

/// Returns the key of a row: its content and position, without line numbers, since edits in lines
/// above must not redraw it.
fn row_key((index, (number, row)): &(usize, Numbered)) -> (usize, Numbered) {
    let content = TableRow {
        edge_lines: EdgeLines::default(),
        location: Location::default(),
        ..row.clone()
    };
    (*index, (*number, content))
}

fn cell_id(at: CellPosition) -> String {
    format!("cell-{}-{}", at.row, at.column)
}

impl TableContext {
    fn new(app: AppContext) -> Self {
        let filter = RwSignal::new(Filter::default());
        let sort = RwSignal::new(None::<Sort>);
        let rows = memo(move |_| {
            let table = app.current.view.with(|view| view.table.clone());
            Arc::new(filter.with(|filter| arrange(&table, filter, sort.get())))
        });
        let scroller = NodeRef::<html::Div>::new();
        let size = RwSignal::new((0.0, 600.0));
        dom::follow_size(scroller, size);
        let top = RwSignal::new(0.0);
        let window = memo(move |_| {
            let count = rows.with(|rows| rows.len());
            if count <= MAX_UNWINDOWED_ROWS {
                0..count
            } else {
                stack(count).window(top.get(), size.get().1, OVERDRAW)
            }
        });
        let at = RwSignal::new(CellPosition { row: 1, column: 2 });
        let stop = memo(move |_| {
            let at = at.get();
            let window = window.get();
            let row = if at.row == 0 {
                0
            } else {
                at.row
                    .clamp(window.start + 1, window.end.max(window.start + 1))
            };
            if window.is_empty() {
                CellPosition { row: 0, ..at }
            } else {
                CellPosition { row, ..at }
            }
        });
        let context = Self {
            app,
            filter,
            sort,
            rows,
            window,
            at,
            stop,
            scroller,
            top,
        };
        context.follow_selection();
        context
    }

    /// Scrolls to a selection made elsewhere and starts keyboard navigation there.
    fn follow_selection(self) {
        let selected = memo(move |_| self.app.current.selected_entry());
        effect(move |_| {
            let Some(selected) = selected.get() else {
                return;
            };
            // Requires the scroll container.
            if self.scroller.get().is_none() {
                return;
            }
            let position = self
                .rows
                .with(|rows| rows.iter().position(|(_, row)| row.entry_ref() == selected));
            let Some(position) = position else { return };
            if self.at.get_untracked().row != position + 1 {
                self.at.update(|at| at.row = position + 1);
            }
            self.reveal(position + 1);
        });
    }

    fn extent(self) -> Extent {
        let rows = self.rows.with_untracked(|rows| rows.len()) + 1;
        let height = self
            .scroller
            .get_untracked()
            .map_or(0, |scroller| scroller.client_height());
        Extent {
            rows,
            columns: Column::ALL.len() + 1,
            page: (f64::from(height) / ROW_HEIGHT) as usize,
        }
    }

    fn read_scroll(self) {
        if let Some(top) = self
            .scroller
            .get_untracked()
            .map(|scroller| scroller.scroll_top())
        {
            self.move_focus_to_grid(f64::from(top));
            self.top.set(f64::from(top));
            self.restore_cell_focus();
        }
    }

    /// Moves the focus to the grid if the focused row is about to be removed from the DOM. The grid
    /// handles keys and continues from the same cell.
    fn move_focus_to_grid(self, top: f64) {
        let count = self.rows.with_untracked(|rows| rows.len());
        let own = document()
            .active_element()
            .and_then(|element| element.closest("[data-cell]").ok().flatten());
        let (Some(scroller), true, true) = (
            self.scroller.get_untracked(),
            count > MAX_UNWINDOWED_ROWS,
            own.is_some(),
        ) else {
            return;
        };
        let drawn = stack(count).window(top, f64::from(scroller.client_height()), OVERDRAW);
        let row = self.at.get_untracked().row;
        if row > 0 && !drawn.contains(&(row - 1)) {
            focus_in_place(&scroller, GRID_ID);
        }
    }

    /// Returns the focus to a redrawn cell, unless the focus has moved elsewhere.
    fn restore_cell_focus(self) {
        let Some(scroller) = self
            .scroller
            .get_untracked()
            .filter(|_| dom::has_focus(GRID_ID))
        else {
            return;
        };
        request_animation_frame(move || {
            if let Some(at) = self
                .at
                .try_get_untracked()
                .filter(|_| dom::has_focus(GRID_ID))
            {
                focus_in_place(&scroller, &cell_id(at));
            }
        });
    }

    /// Scrolls a row into view if rows have equal height; otherwise focusing scrolls. Returns
    /// whether other rows are drawn now.
    fn reveal(self, row: usize) -> bool {
        let count = self.rows.with_untracked(|rows| rows.len());
        let Some(scroller) = self
            .scroller
            .get_untracked()
            .filter(|_| row > 0 && count > MAX_UNWINDOWED_ROWS)
        else {
            return false;
        };
        // The header covers the first row of the view.
        let view = (f64::from(scroller.client_height()) - 2.0 * ROW_HEIGHT).max(ROW_HEIGHT);
        let to =
            stack(count).scroll_to(row - 1, f64::from(scroller.scroll_top()), view, view / 3.0);
        if let Some(to) = to {
            scroller.set_scroll_top(to as i32);
            self.top.set(f64::from(scroller.scroll_top()));
        }
        to.is_some()
    }

    /// Moves the focus to a cell. Until its row is drawn, the grid has the focus and handles keys.
    fn focus(self, at: CellPosition) {
        let at = clamp_cell(at, self.extent());
        self.at.set(at);
        let is_moving = self.reveal(at.row);
        let element = |id: &str| {
            document()
                .get_element_by_id(id)
                .and_then(|element| element.dyn_into().ok())
        };
        match element(&cell_id(at)).filter(|_| !is_moving) {
            Some(cell) => dom::focus(&cell),
            None => {
                element(GRID_ID).as_ref().map(dom::focus);
                request_animation_frame(move || {
                    // Another key may have moved further.
                    if self.at.try_get_untracked() == Some(at) {
                        element(&cell_id(at)).as_ref().map(dom::focus);
                    }
                });
            }
        }
    }

    fn on_focus(self, event: &web_sys::FocusEvent) {
        let cell = dom::closest(event.target(), "[data-cell]");
        let place = cell.and_then(|cell| cell.get_attribute("data-cell"));
        let at = place.as_deref().and_then(|place| {
            let (row, column) = place.split_once(' ')?;
            Some(CellPosition {
                row: row.parse().ok()?,
                column: column.parse().ok()?,
            })
        });
        if let Some(at) = at.filter(|at| self.at.get_untracked() != *at) {
            self.at.set(at);
        }
    }

    /// Returns the visible row at a cell; `None` for the header.
    fn row(self, at: CellPosition) -> Option<Numbered> {
        self.rows
            .with_untracked(|rows| rows.get(at.row.checked_sub(1)?).cloned())
    }

    fn on_key(self, event: &web_sys::KeyboardEvent) {
        if event.alt_key() || event.default_prevented() {
            return;
        }
        let (key, ctrl) = (event.key(), event.ctrl_key() || event.meta_key());
        let at = self.at.get_untracked();
        if let Some(to) = next_cell(&key, ctrl, at, self.extent()) {
            event.prevent_default();
            self.focus(to);
            if event.shift_key() && matches!(key.as_str(), "ArrowDown" | "ArrowUp" | "Home" | "End")
            {
                self.pick_between(at, to);
            }
            return;
        }
        let Some((_, row)) = self.row(at) else { return };
        match key.as_str() {
            "Enter" if !ctrl && self.open_form(at) => {}
            // On the button, Enter presses it.
            "Enter" if !ctrl && Column::at(at.column) != Some(Column::Entry) => self.select(&row),
            // On the checkbox, Space toggles it.
            " " if !ctrl && at.column > 0 => self.pick(&row),
            "u" if !ctrl => self.app.show_source_of(&row.entry_ref()),
            "c" if ctrl && dom::selected_text_is_empty() => self.copy(),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    }

    /// Opens the form that changes a cell. Returns whether there is one.
    fn open_form(self, at: CellPosition) -> bool {
        let row = self.row(at).filter(|(_, row)| !row.is_absent());
        let command = Column::at(at.column).and_then(Column::command);
        let (Some((_, row)), Some(command)) = (row, command) else {
            return false;
        };
        let target = row.entry_ref().into();
        self.app
            .open_form_with(command, target, FormValues::default());
        true
    }

    fn select(self, row: &TableRow) {
        self.app.select(row.entry_ref().into());
    }

    /// Returns the entries in row order, without names that only an edge mentions.
    fn entries_in_order(self) -> Vec<EntryRef> {
        self.rows.with_untracked(|rows| {
            rows.iter()
                .filter(|(_, row)| !row.is_absent())
                .map(|(_, row)| row.entry_ref())
                .collect()
        })
    }

    fn pick(self, row: &TableRow) {
        if !row.is_absent() {
            self.app.pick_entry(row.entry_ref());
        }
    }

    fn pick_between(self, from: CellPosition, to: CellPosition) {
        let entries_in_order = self.entries_in_order();
        for (_, row) in [from, to]
            .into_iter()
            .filter_map(|at| self.row(at))
            .filter(|(_, row)| !row.is_absent())
        {
            self.app.pick_entries_to(&entries_in_order, row.entry_ref());
        }
    }

    /// Copies the selected rows, or all visible ones if none is selected.
    fn copy(self) {
        let (text, count) = self.rows.with_untracked(|rows| {
            let picked = self.app.selected_entries.picked.get_untracked();
            let is_copied = |row: &TableRow| picked.is_empty() || picked.has(&row.entry_ref());
            let copied: Vec<&TableRow> = rows
                .iter()
                .map(|(_, row)| row)
                .filter(|row| is_copied(row))
                .collect();
            (export(copied.iter().copied()), copied.len())
        });
        let rows = words::count(count as u32, "row");
        saving::copy_text(self.app, text, format!("{rows} copied."));
    }
}

/// Focuses a drawn element without scrolling.
fn focus_in_place(scroller: &web_sys::HtmlElement, id: &str) {
    let top = scroller.scroll_top();
    dom::focus_id(id);
    scroller.set_scroll_top(top);
}

fn stack(rows: usize) -> Stack {
    Stack::new(std::iter::repeat_n(ROW_HEIGHT, rows))
}

fn tools(context: TableContext) -> AnyView {
    let states = memo(move |_| {
        context
            .app
            .current
            .view
            .with(|view| count_states(&view.table))
    });
    let chip = move |(state, count): (&'static str, usize)| {
        view! {
            <button
                type="button"
                class="chip"
                aria-pressed=move || context.filter.with(|filter| filter.states.contains(&state)).to_string()
                on:click=move |_| context.filter.update(|filter| filter.toggle(state))
            >
                {state}
                <span class="chip-count">{count}</span>
            </button>
        }
    };
    let row_count = move || {
        let all = context.app.current.view.with(|view| view.table.len());
        match context.rows.with(|rows| rows.len()) {
            visible if visible == all => words::count(all as u32, "row"),
            visible => format!("{visible} of {}", words::count(all as u32, "row")),
        }
    };
    // Announce only the result of filtering: edits announce their own effect.
    announce::follow(move || {
        if context.filter.with(|filter| *filter == Default::default()) {
            String::new()
        } else {
            row_count()
        }
    });
    view! {
        <div class="table-tools">
            <input
                class="table-search"
                type="search"
                aria-label="Filter entries"
                placeholder="Filter entries"
                autocomplete="off"
                spellcheck="false"
                use:field_text=derived(move || context.filter.with(|filter| filter.text.clone()))
                on:input=move |event| context.filter.update(|filter| filter.text = event_target_value(&event))
            />
            <div class="chips" role="group" aria-label="Filter by state">
                {move || states.get().into_iter().map(chip).collect_view()}
            </div>
            <span class="table-count">{row_count}</span>
            <Button label="Copy as TSV" icon=Icon::Copy on_press=move |()| context.copy()/>
        </div>
    }
    .into_any()
}
