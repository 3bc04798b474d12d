//! The header, rows and cells.

use super::table_data::{Column, Numbered, Sort};
use super::{TableContext, cell_editing, cell_id, entry_of};
use crate::edits::suggestions::is_absent;
use crate::reactive::memo;
use crate::widgets::cut_text::{cut_cell, cut_version};
use crate::widgets::dom;
use crate::widgets::grid_cursor::CellAt;
use crate::widgets::icon::{Glyph, Icon};
use crate::words;
use leptos::prelude::*;
use protocol::views::{ProblemMark, TableRow};

pub(super) fn header(sheet: TableContext) -> AnyView {
    let columns = sheet.columns.with(|columns| columns.visible().to_vec());
    let head = |(column, at): (Column, usize)| {
        let at = CellAt { row: 0, column: at };
        let direction = move || {
            sheet
                .sort
                .get()
                .filter(|sort| sort.column == column)
                .map(|sort| sort.descending)
        };
        let sorted = move || match direction() {
            None => "none",
            Some(false) => "ascending",
            Some(true) => "descending",
        };
        let arrow = move || {
            let icon = if direction()? {
                Icon::ChevronDown
            } else {
                Icon::ChevronUp
            };
            Some(view! { <Glyph icon=icon/> })
        };
        view! {
            <th scope="col" role="columnheader" aria-sort=sorted aria-colindex=at.column + 1 data-cell=place(at) data-head=column.label()>
                <button
                    type="button"
                    class="table-sort"
                    id=cell_id(at)
                    tabindex=move || tab_stop(sheet, at)
                    on:click=move |_| sheet.sort.update(|sort| *sort = Sort::next_sort(*sort, column))
                >
                    {column.label()}
                    {arrow}
                </button>
            </th>
        }
    };
    let at = CellAt { row: 0, column: 0 };
    view! {
        <tr aria-rowindex="1">
            <th
                scope="col"
                role="columnheader"
                id=cell_id(at)
                aria-colindex="1"
                data-cell=place(at)
                tabindex=move || tab_stop(sheet, at)
            >
                <span class="visually-hidden">"Selected"</span>
            </th>
            {columns.into_iter().zip(1..).map(head).collect_view()}
        </tr>
    }
    .into_any()
}

fn place(at: CellAt) -> String {
    format!("{} {}", at.row, at.column)
}

fn tab_stop(sheet: TableContext, at: CellAt) -> &'static str {
    if sheet.stop.get() == at { "0" } else { "-1" }
}

/// `index`: among the visible rows.
pub(super) fn table_row(sheet: TableContext, (index, numbered): (usize, Numbered)) -> AnyView {
    let app = sheet.app;
    let row = &numbered.1;
    let entry = entry_of(row);
    let (is_absent, numbered_row) = (is_absent(row), StoredValue::new(numbered.clone()));
    let is_current = {
        let entry = entry.clone();
        memo(move |_| app.current.selected_entry().as_ref() == Some(&entry))
    };
    let is_picked = {
        let entry = entry.clone();
        memo(move |_| app.selected_entries.now().with(|picked| picked.has(&entry)))
    };
    let choose = {
        let entry = entry.clone();
        move |event: web_sys::MouseEvent| {
            if event.shift_key() {
                app.pick_entries_to(&sheet.order(), entry.clone());
            } else if event.ctrl_key() || event.meta_key() {
                numbered_row.with_value(|(_, row)| sheet.pick(row));
            } else {
                numbered_row.with_value(|(_, row)| sheet.select(row));
            }
        }
    };
    let columns = memo(move |_| sheet.columns.with(|columns| columns.visible().to_vec()));
    let cells = move || {
        let cell = |(column, at): (Column, usize)| {
            numbered_row.with_value(|numbered| {
                cell(
                    sheet,
                    numbered,
                    column,
                    CellAt {
                        row: index + 1,
                        column: at,
                    },
                )
            })
        };
        columns.get().into_iter().zip(1..).map(cell).collect_view()
    };
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
                let at = place_of(&event);
                app.open_entry_menu(entry.clone(), at);
            }
        >
            {tick(sheet, numbered_row, is_picked, CellAt { row: index + 1, column: 0 })}
            {cells}
        </tr>
    }
    .into_any()
}

/// The checkbox of a row in the multiple selection. Names that only an edge mentions have none.
fn tick(
    sheet: TableContext,
    numbered_row: StoredValue<Numbered>,
    is_picked: Memo<bool>,
    at: CellAt,
) -> AnyView {
    let (name, is_absent) = numbered_row.with_value(|(_, row)| {
        (
            format!("Select {} in {}", row.entry, row.channel),
            is_absent(row),
        )
    });
    if is_absent {
        return view! {
            <td role="gridcell" id=cell_id(at) data-cell=place(at) aria-colindex="1" tabindex=move || tab_stop(sheet, at)></td>
        }
        .into_any();
    }
    view! {
        <td role="gridcell" data-cell=place(at) aria-colindex="1">
            <input
                type="checkbox"
                class="table-pick"
                id=cell_id(at)
                tabindex=move || tab_stop(sheet, at)
                aria-label=name
                prop:checked=move || is_picked.get()
                on:click=move |event| {
                    event.stop_propagation();
                    numbered_row.with_value(|(_, row)| {
                        if event.shift_key() {
                            sheet.app.pick_entries_to(&sheet.order(), entry_of(row));
                        } else {
                            sheet.pick(row);
                        }
                    });
                }
            />
        </td>
    }
    .into_any()
}

fn cell(sheet: TableContext, numbered: &Numbered, column: Column, at: CellAt) -> AnyView {
    let row = &numbered.1;
    match column {
        // In this cell the button has the focus.
        Column::Entry => view! {
            <td role="gridcell" data-cell=place(at) data-column=column.label() aria-colindex=at.column + 1>
                <button
                    type="button"
                    class="table-entry"
                    id=cell_id(at)
                    // A name cut into boxes would be read with spaces.
                    aria-label=row.entry.clone()
                    tabindex=move || tab_stop(sheet, at)
                    on:keyup=move |event| {
                        if event.key() == " " {
                            event.prevent_default();
                        }
                    }
                >
                    {cut_cell(&row.entry)}
                </button>
            </td>
        }
        .into_any(),
        column if column.is_edited() && !is_absent(row) => {
            let is_edited = cell_editing::is_edited(sheet, numbered.0, column);
            let numbered = numbered.clone();
            let content = move || match is_edited.get() {
                true => cell_editing::editor(sheet, &numbered, column),
                false if matches!(column, Column::Replaces | Column::Skips) => {
                    cut_cell(&short(&numbered.1, column)).into_any()
                }
                false => short(&numbered.1, column).into_any(),
            };
            view! {
                <td
                    role="gridcell"
                    class="table-edited"
                    id=cell_id(at)
                    data-cell=place(at)
                    data-column=column.label()
                    aria-colindex=at.column + 1
                    aria-label=matches!(column, Column::Replaces | Column::Skips).then(|| column.text(row))
                    title=column.text(row)
                    tabindex=move || tab_stop(sheet, at)
                    on:dblclick=move |_| sheet.edit(at)
                >
                    {content}
                </td>
            }
            .into_any()
        }
        column => {
            let content = match column {
                Column::State => states(row).into_any(),
                Column::Channel => cut_cell(&row.channel).into_any(),
                Column::Version => cut_version(&row.version).into_any(),
                Column::Replaces | Column::Skips => cut_cell(&short(row, column)).into_any(),
                column => short(row, column).into_any(),
            };
            view! {
                <td
                    role="gridcell"
                    id=cell_id(at)
                    data-cell=place(at)
                    data-column=column.label()
                    aria-colindex=at.column + 1
                    aria-label=matches!(column, Column::Channel | Column::Version | Column::Skips).then(|| column.text(row))
                    title=column.text(row)
                    tabindex=move || tab_stop(sheet, at)
                >
                    {content}
                </td>
            }
            .into_any()
        }
    }
}

/// The state of all entries of the default channel.
const DEFAULT: &str = "default channel";

fn states(row: &TableRow) -> impl IntoView + use<> {
    // Every row of the default channel would repeat it: show a mark.
    let state = |state: &String| {
        match state.as_str() {
        DEFAULT => view! { <span class="state-default" title=DEFAULT><span aria-hidden="true">"★"</span><span class="visually-hidden">{DEFAULT}</span></span> }.into_any(),
        _ => view! { <span class="state" data-state=state.clone()>{state.clone()}</span> }.into_any(),
    }
    };
    let states = row.state.iter().map(state);
    (states.collect_view(), row.problem.as_ref().map(problem))
}

/// Number of problems of a row, with the worst one's icon.
fn problem(mark: &ProblemMark) -> impl IntoView + use<> {
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

/// The visible text of a cell. Another entry is abbreviated to its difference from this one's name,
/// a list to its length. Tooltip and screen readers have all of it.
fn short(row: &TableRow, column: Column) -> String {
    match (column, row.skips.as_slice()) {
        (Column::Replaces, _) => own_part(row, &row.replaces).to_owned(),
        (Column::Skips, [only]) => own_part(row, only).to_owned(),
        (Column::Skips, [_, _, ..]) => format!("{} entries", row.skips.len()),
        (column, _) => column.text(row),
    }
}

/// Another entry's name without the common prefix such as `anchor-operator.v`; otherwise all of it.
fn own_part<'n>(row: &TableRow, name: &'n str) -> &'n str {
    let common = row.entry.find(".v").map_or("", |end| &row.entry[..end + 2]);
    name.strip_prefix(common)
        .filter(|rest| !rest.is_empty())
        .unwrap_or(name)
}

/// The position of a menu: at the pointer, or below the focus if opened by key.
fn place_of(event: &web_sys::MouseEvent) -> (i32, i32) {
    if (event.client_x(), event.client_y()) != (0, 0) {
        return (event.client_x(), event.client_y());
    }
    dom::focused_element().map_or((0, 0), |element| {
        let rect = element.get_bounding_client_rect();
        (rect.left() as i32, rect.bottom() as i32)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_skips_are_counted() {
        let of = |count: usize| TableRow {
            skips: (0..count).map(|n| format!("p.v1.0.{n}")).collect(),
            ..TableRow::default()
        };
        assert_eq!(short(&of(80), Column::Skips), "80 entries");
        let with_skips = |count| TableRow {
            entry: "p.v2.0.0".into(),
            ..of(count)
        };
        assert_eq!(short(&with_skips(2), Column::Skips), "2 entries");
        assert_eq!(short(&with_skips(1), Column::Skips), "1.0.0");
        let other = TableRow {
            entry: "q.v2.0.0".into(),
            replaces: "q.v1.9.0".into(),
            ..of(1)
        };
        assert_eq!(short(&other, Column::Skips), "p.v1.0.0");
        assert_eq!(short(&other, Column::Replaces), "1.9.0");
        assert_eq!(short(&of(0), Column::Skips), "");
    }
}
