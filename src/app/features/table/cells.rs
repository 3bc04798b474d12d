//! The header, rows and cells.

use super::table_data::{Column, Numbered, Sort};
use super::{TableContext, cell_id};
use crate::prelude::*;
use crate::widgets::cursors::CellPosition;
use crate::widgets::short_text::{cut_cell, cut_version};
use protocol::views::{EntryState, ProblemMark, TableRow};

pub(super) fn header(context: TableContext) -> AnyView {
    let at = CellPosition { row: 0, column: 0 };
    view! {
        <tr aria-rowindex="1">
            <th
                scope="col"
                role="columnheader"
                id=cell_id(at)
                aria-colindex="1"
                data-cell=position(at)
                tabindex=move || tab_stop(context, at)
            >
                <span class="visually-hidden">"Selected"</span>
            </th>
            {Column::ALL.into_iter().zip(1..).map(|(column, at)| header_cell(context, column, at)).collect_view()}
        </tr>
    }
    .into_any()
}

fn header_cell(context: TableContext, column: Column, index: usize) -> impl IntoView + use<> {
    let at = CellPosition {
        row: 0,
        column: index,
    };
    view! {
        <th
            scope="col"
            role="columnheader"
            aria-sort=move || aria_sort(is_descending(context, column))
            aria-colindex=at.column + 1
            data-cell=position(at)
            data-head=column.label()
        >
            <button
                type="button"
                class="table-sort"
                id=cell_id(at)
                tabindex=move || tab_stop(context, at)
                on:click=move |_| context.sort.update(|sort| *sort = Sort::next_sort(*sort, column))
            >
                {column.label()}
                {move || is_descending(context, column).map(sort_arrow)}
            </button>
        </th>
    }
}

/// Whether the rows are sorted by this column in descending order; `None` if they are sorted by
/// another one, or not at all.
fn is_descending(context: TableContext, column: Column) -> Option<bool> {
    let sort = context.sort.get().filter(|sort| sort.column == column)?;
    Some(sort.descending)
}

fn aria_sort(is_descending: Option<bool>) -> &'static str {
    match is_descending {
        None => "none",
        Some(false) => "ascending",
        Some(true) => "descending",
    }
}

fn sort_arrow(is_descending: bool) -> impl IntoView {
    let icon = if is_descending {
        Icon::ChevronDown
    } else {
        Icon::ChevronUp
    };
    view! { <Glyph icon=icon/> }
}

/// Formats a cell's position as `on_focus` parses it: row and column.
fn position(at: CellPosition) -> String {
    format!("{} {}", at.row, at.column)
}

fn tab_stop(context: TableContext, at: CellPosition) -> &'static str {
    if context.stop.get() == at { "0" } else { "-1" }
}

/// Renders a row. `index` counts the visible rows.
pub(super) fn table_row(context: TableContext, (index, numbered): (usize, Numbered)) -> AnyView {
    let app = context.app;
    let row = &numbered.1;
    let entry = row.entry_ref();
    let (is_absent, numbered_row) = (row.is_absent(), StoredValue::new(numbered.clone()));
    let is_current = {
        let entry = entry.clone();
        memo(move |_| app.current.selected_entry().as_ref() == Some(&entry))
    };
    let is_picked = {
        let entry = entry.clone();
        memo(move |_| {
            app.selected_entries
                .picked
                .with(|picked| picked.has(&entry))
        })
    };
    let choose = {
        let entry = entry.clone();
        move |event: web_sys::MouseEvent| {
            if event.shift_key() {
                app.pick_entries_to(&context.entries_in_order(), entry.clone());
            } else if event.ctrl_key() || event.meta_key() {
                numbered_row.with_value(|(_, row)| context.pick(row));
            } else {
                numbered_row.with_value(|(_, row)| context.select(row));
            }
        }
    };
    let cells = Column::ALL.into_iter().zip(1..).map(|(column, at)| {
        let position = CellPosition {
            row: index + 1,
            column: at,
        };
        cell(context, row, column, position)
    });
    view! {
        <tr
            class="table-row"
            aria-rowindex=index + 2
            data-absent=is_absent.then_some("true")
            aria-current=move || is_current.get().then_some("true")
            aria-selected=move || is_picked.get().to_string()
            data-picked=move || is_picked.get().then_some("true")
            on:click=choose
            on:contextmenu=move |event| {
                event.prevent_default();
                let at = menu_position(&event);
                app.open_entry_menu(entry.clone(), at);
            }
        >
            {checkbox_cell(context, numbered_row, is_picked, CellPosition { row: index + 1, column: 0 })}
            {cells.collect_view()}
        </tr>
    }
    .into_any()
}

/// Renders the checkbox of a row in the multiple selection. Names that only an edge mentions have
/// none.
fn checkbox_cell(
    context: TableContext,
    numbered_row: StoredValue<Numbered>,
    is_picked: Memo<bool>,
    at: CellPosition,
) -> AnyView {
    let (name, is_absent) = numbered_row.with_value(|(_, row)| {
        (
            format!("Select {} in {}", row.entry, row.channel),
            row.is_absent(),
        )
    });
    if is_absent {
        return view! {
            <td role="gridcell" id=cell_id(at) data-cell=position(at) aria-colindex="1" tabindex=move || tab_stop(context, at)></td>
        }
        .into_any();
    }
    view! {
        <td role="gridcell" data-cell=position(at) aria-colindex="1">
            <input
                type="checkbox"
                class="table-pick"
                id=cell_id(at)
                tabindex=move || tab_stop(context, at)
                aria-label=name
                prop:checked=move || is_picked.get()
                on:click=move |event| {
                    event.stop_propagation();
                    numbered_row.with_value(|(_, row)| {
                        if event.shift_key() {
                            context.app.pick_entries_to(&context.entries_in_order(), row.entry_ref());
                        } else {
                            context.pick(row);
                        }
                    });
                }
            />
        </td>
    }
    .into_any()
}

fn cell(context: TableContext, row: &TableRow, column: Column, at: CellPosition) -> AnyView {
    let is_entry = column == Column::Entry;
    let content = match column {
        // In this cell, the button has the focus.
        Column::Entry => view! {
            <button
                type="button"
                class="table-entry"
                id=cell_id(at)
                // Screen readers would read a name that is split into boxes with spaces.
                aria-label=row.entry.clone()
                tabindex=move || tab_stop(context, at)
                on:keyup=move |event| {
                    if event.key() == " " {
                        event.prevent_default();
                    }
                }
            >
                {cut_cell(&row.entry)}
            </button>
        }
        .into_any(),
        Column::State => state_marks(row).into_any(),
        column => visible_text(row, column),
    };
    let is_cut = matches!(
        column,
        Column::Channel | Column::Version | Column::Replaces | Column::Skips
    );
    view! {
        <td
            role="gridcell"
            id=(!is_entry).then(|| cell_id(at))
            data-cell=position(at)
            data-column=column.label()
            aria-colindex=at.column + 1
            aria-label=is_cut.then(|| column.text(row))
            title=(!is_entry).then(|| column.text(row))
            tabindex=move || (!is_entry).then(|| tab_stop(context, at))
            on:dblclick=move |_| {
                context.open_form(at);
            }
        >
            {content}
        </td>
    }
    .into_any()
}

fn visible_text(row: &TableRow, column: Column) -> AnyView {
    match column {
        Column::Version => cut_version(&row.version).into_any(),
        Column::Channel | Column::Replaces | Column::Skips => {
            cut_cell(&short_text(row, column)).into_any()
        }
        column => short_text(row, column).into_any(),
    }
}

fn state_marks(row: &TableRow) -> impl IntoView + use<> {
    let states = row.states.iter().map(|&state| state_mark(state));
    (
        states.collect_view(),
        row.problem.as_ref().map(problem_count),
    )
}

fn state_mark(state: EntryState) -> AnyView {
    let label = state.label();
    if state != EntryState::DefaultChannel {
        return view! { <span class="state" data-state=label>{label}</span> }.into_any();
    }
    // Every row of the default channel repeats this state: show a mark instead.
    view! {
        <span class="state-default" title=label>
            <span aria-hidden="true">"★"</span>
            <span class="visually-hidden">{label}</span>
        </span>
    }
    .into_any()
}

/// Renders the number of problems of a row, with the worst one's icon.
fn problem_count(mark: &ProblemMark) -> impl IntoView + use<> {
    let (tone, icon) = if mark.errors > 0 {
        ("error", Icon::Error)
    } else {
        ("advice", Icon::Warning)
    };
    view! {
        <span class="mark" data-tone=tone title=words::problem(mark)>
            <Glyph icon=icon/>
            {words::tally(mark.errors, mark.warnings, 0)}
        </span>
    }
}

/// Returns the visible text of a cell. Another entry is abbreviated to its difference from this
/// entry's name, a list to its length. The tooltip and screen readers get the full text.
fn short_text(row: &TableRow, column: Column) -> String {
    match (column, row.skips.as_slice()) {
        (Column::Replaces, _) => without_common_prefix(row, &row.replaces).to_owned(),
        (Column::Skips, [only]) => without_common_prefix(row, only).to_owned(),
        (Column::Skips, [_, _, ..]) => format!("{} entries", row.skips.len()),
        (column, _) => column.text(row),
    }
}

/// Returns another entry's name without a common prefix such as `anchor-operator.v`.
fn without_common_prefix<'n>(row: &TableRow, name: &'n str) -> &'n str {
    let common = row.entry.find(".v").map_or("", |end| &row.entry[..end + 2]);
    name.strip_prefix(common)
        .filter(|rest| !rest.is_empty())
        .unwrap_or(name)
}

/// Returns the position of a menu: at the pointer, or below the focus if a key opened it.
fn menu_position(event: &web_sys::MouseEvent) -> (i32, i32) {
    if (event.client_x(), event.client_y()) != (0, 0) {
        return (event.client_x(), event.client_y());
    }
    dom::below(document().active_element().as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn many_skips_are_counted() {
        let row_with = |count: usize| TableRow {
            skips: (0..count).map(|n| format!("p.v1.0.{n}")).collect(),
            ..TableRow::default()
        };
        assert_eq!(short_text(&row_with(80), Column::Skips), "80 entries");
        let with_skips = |count| TableRow {
            entry: "p.v2.0.0".into(),
            ..row_with(count)
        };
        assert_eq!(short_text(&with_skips(2), Column::Skips), "2 entries");
        assert_eq!(short_text(&with_skips(1), Column::Skips), "1.0.0");
        let other = TableRow {
            entry: "q.v2.0.0".into(),
            replaces: "q.v1.9.0".into(),
            ..row_with(1)
        };
        assert_eq!(short_text(&other, Column::Skips), "p.v1.0.0");
        assert_eq!(short_text(&other, Column::Replaces), "1.9.0");
        assert_eq!(short_text(&row_with(0), Column::Skips), "");
    }
}
