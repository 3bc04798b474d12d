//! Finds the next cursor position for a key: in a list (listboxes, menus, tabs, segments), or in a
//! grid (APG *Grid*), whose row 0 is the header. The keys of a grid:
//!
//! | key | effect |
//! |---|---|
//! | arrows | next cell in that direction, stopping at the edges |
//! | Home, End | first and last cell of the row |
//! | Ctrl+Home, Ctrl+End | first cell of the first row, last cell of the last row |
//! | Page up, Page down | one view of rows |

use super::dom;
use leptos::prelude::*;
use web_sys::KeyboardEvent;

/// Returns the index after `key` in a list of `count` items, wrapping around. `None` if the key
/// does not move in a list. Without a current index, forward keys begin at the first item and
/// backward keys at the last.
pub fn next_item(key: &str, current: Option<usize>, count: usize, axis: Axis) -> Option<usize> {
    if count == 0 {
        return None;
    }
    let last = count - 1;
    let (forward, backward) = match axis {
        Axis::Vertical => ("ArrowDown", "ArrowUp"),
        Axis::Horizontal => ("ArrowRight", "ArrowLeft"),
    };
    match (key, current) {
        ("Home", _) => Some(0),
        ("End", _) => Some(last),
        (_, Some(index)) if key == forward && index < last => Some(index + 1),
        (_, Some(index)) if key == backward && index > 0 => Some((index - 1).min(last)),
        _ if key == forward => Some(0),
        _ if key == backward => Some(last),
        _ => None,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    Vertical,
    Horizontal,
}

/// Returns the next item after the current one whose label starts with `letter`, wrapping around.
/// `None` if `letter` is not a single character.
pub fn find_by_letter(letter: &str, current: Option<usize>, labels: &[String]) -> Option<usize> {
    if letter.chars().count() != 1 {
        return None;
    }
    let letter = letter.to_lowercase();
    let start = current.map_or(0, |index| index + 1);
    (0..labels.len())
        .map(|step| (start + step) % labels.len())
        .find(|&index| {
            labels
                .get(index)
                .is_some_and(|label| label.to_lowercase().starts_with(&letter))
        })
}

/// A cell by row and column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CellPosition {
    pub row: usize,
    pub column: usize,
}

/// The size of a grid: rows including the header, columns, and rows in view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    pub rows: usize,
    pub columns: usize,
    pub page: usize,
}

/// Returns the cell after a key, pressed with or without Ctrl; `None` if the key does not move in a
/// grid.
pub fn next_cell(
    key: &str,
    ctrl: bool,
    current: CellPosition,
    extent: Extent,
) -> Option<CellPosition> {
    let last = CellPosition {
        row: extent.rows.saturating_sub(1),
        column: extent.columns.saturating_sub(1),
    };
    // The first row of the body, if it exists.
    let first = last.row.min(1);
    let page = extent.page.max(1);
    let CellPosition { row, column } = current;
    let (row, column) = match (key, ctrl) {
        ("ArrowUp", false) => (row.saturating_sub(1), column),
        ("ArrowDown", false) => (row + 1, column),
        ("ArrowLeft", false) => (row, column.saturating_sub(1)),
        ("ArrowRight", false) => (row, column + 1),
        ("Home", false) => (row, 0),
        ("End", false) => (row, last.column),
        ("Home", true) => (first, 0),
        ("End", true) => (last.row, last.column),
        ("PageUp", false) => (row.saturating_sub(page).max(first.min(row)), column),
        ("PageDown", false) => (row + page, column),
        _ => return None,
    };
    Some(clamp_cell(CellPosition { row, column }, extent))
}

/// Returns the nearest existing cell.
pub fn clamp_cell(cell: CellPosition, extent: Extent) -> CellPosition {
    CellPosition {
        row: cell.row.min(extent.rows.saturating_sub(1)),
        column: cell.column.min(extent.columns.saturating_sub(1)),
    }
}

/// Moves the focus with the arrow keys among the elements that `items` (a CSS selector) matches
/// inside the element with the listener.
pub fn rove(event: &KeyboardEvent, items: &str, axis: Axis) {
    let Some(list) = dom::element(event.current_target()) else {
        return;
    };
    let items = dom::elements_in(&list, items);
    let active = document().active_element();
    let current = active.and_then(|active| {
        items
            .iter()
            .position(|item| item.is_same_node(Some(&active)))
    });
    let next = next_item(&event.key(), current, items.len(), axis);
    if let Some(element) = next.and_then(|index| items.get(index)) {
        event.prevent_default();
        dom::focus(element);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn arrows_wrap_around() {
        assert_eq!(next_item("ArrowDown", None, 3, Axis::Vertical), Some(0));
        assert_eq!(next_item("ArrowDown", Some(2), 3, Axis::Vertical), Some(0));
        assert_eq!(next_item("ArrowUp", None, 3, Axis::Vertical), Some(2));
        assert_eq!(next_item("ArrowUp", Some(0), 3, Axis::Vertical), Some(2));
        assert_eq!(
            next_item("ArrowLeft", Some(1), 3, Axis::Horizontal),
            Some(0)
        );
    }

    #[test]
    fn other_keys_are_ignored() {
        assert_eq!(next_item("ArrowLeft", Some(1), 3, Axis::Vertical), None);
        assert_eq!(next_item("a", Some(1), 3, Axis::Vertical), None);
        assert_eq!(next_item("Home", None, 0, Axis::Vertical), None);
    }

    #[test]
    fn a_shrunken_list_can_be_left() {
        assert_eq!(next_item("ArrowDown", Some(9), 3, Axis::Vertical), Some(0));
        assert_eq!(next_item("ArrowUp", Some(9), 3, Axis::Vertical), Some(2));
    }

    #[test]
    fn letters_find_the_next_match() {
        let labels = ["Promote", "Withdraw", "Pause"].map(String::from);
        assert_eq!(find_by_letter("p", Some(0), &labels), Some(2));
        assert_eq!(find_by_letter("P", Some(2), &labels), Some(0));
        assert_eq!(find_by_letter("x", None, &labels), None);
        assert_eq!(find_by_letter("Enter", None, &labels), None);
    }

    const EXTENT: Extent = Extent {
        rows: 30,
        columns: 4,
        page: 10,
    };

    fn after(key: &str, ctrl: bool, row: usize, column: usize) -> Option<(usize, usize)> {
        next_cell(key, ctrl, CellPosition { row, column }, EXTENT).map(|at| (at.row, at.column))
    }

    #[test]
    fn arrows_stop_at_the_edges() {
        assert_eq!(after("ArrowUp", false, 1, 2), Some((0, 2)), "to the header");
        assert_eq!(after("ArrowUp", false, 0, 2), Some((0, 2)));
        assert_eq!(after("ArrowDown", false, 29, 2), Some((29, 2)));
        assert_eq!(after("ArrowLeft", false, 3, 0), Some((3, 0)));
        assert_eq!(after("ArrowRight", false, 3, 3), Some((3, 3)));
    }

    #[test]
    fn home_and_end_stay_in_the_row_except_with_ctrl() {
        assert_eq!(after("Home", false, 5, 2), Some((5, 0)));
        assert_eq!(after("End", false, 5, 2), Some((5, 3)));
        assert_eq!(after("Home", true, 5, 2), Some((1, 0)));
        assert_eq!(after("End", true, 5, 2), Some((29, 3)));
    }

    #[test]
    fn pages_stay_in_the_body() {
        assert_eq!(after("PageDown", false, 25, 1), Some((29, 1)));
        assert_eq!(after("PageUp", false, 5, 1), Some((1, 1)));
        assert_eq!(after("PageUp", false, 0, 1), Some((0, 1)));
    }

    #[test]
    fn an_empty_grid_has_its_header() {
        let extent = Extent {
            rows: 1,
            columns: 2,
            page: 3,
        };
        for key in ["ArrowDown", "PageDown", "PageUp", "End"] {
            assert_eq!(
                next_cell(key, key == "End", CellPosition::default(), extent).map(|at| at.row),
                Some(0),
                "{key}"
            );
        }
        assert_eq!(next_cell("x", false, CellPosition::default(), EXTENT), None);
    }
}
