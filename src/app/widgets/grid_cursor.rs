//! Where the cursor of a grid goes for a key (APG *Grid*). Row 0 is the header.
//!
//! | key | effect |
//! |---|---|
//! | arrows | next cell in that direction, stopping at the edges |
//! | Home, End | first and last cell of the row |
//! | Ctrl+Home, Ctrl+End | first cell of the first row, last cell of the last row |
//! | Page up, Page down | one view of rows |

/// A cell by row and column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CellAt {
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

/// The cell after a key; `None` if the key does not move in a grid.
pub fn next_cell(key: &str, ctrl: bool, at: CellAt, extent: Extent) -> Option<CellAt> {
    let last = CellAt {
        row: extent.rows.saturating_sub(1),
        column: extent.columns.saturating_sub(1),
    };
    // The first row of the body, if there is one.
    let first = last.row.min(1);
    let page = extent.page.max(1);
    let CellAt { row, column } = at;
    let to = match (key, ctrl) {
        ("ArrowUp", false) => CellAt {
            row: row.saturating_sub(1),
            column,
        },
        ("ArrowDown", false) => CellAt {
            row: row + 1,
            column,
        },
        ("ArrowLeft", false) => CellAt {
            row,
            column: column.saturating_sub(1),
        },
        ("ArrowRight", false) => CellAt {
            row,
            column: column + 1,
        },
        ("Home", false) => CellAt { row, column: 0 },
        ("End", false) => CellAt {
            row,
            column: last.column,
        },
        ("Home", true) => CellAt {
            row: first,
            column: 0,
        },
        ("End", true) => last,
        ("PageUp", false) => CellAt {
            row: row.saturating_sub(page).max(first.min(row)),
            column,
        },
        ("PageDown", false) => CellAt {
            row: row + page,
            column,
        },
        _ => return None,
    };
    Some(kept_inside(to, extent))
}

/// The nearest existing cell.
pub fn kept_inside(at: CellAt, extent: Extent) -> CellAt {
    CellAt {
        row: at.row.min(extent.rows.saturating_sub(1)),
        column: at.column.min(extent.columns.saturating_sub(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXTENT: Extent = Extent {
        rows: 30,
        columns: 4,
        page: 10,
    };

    fn after(key: &str, ctrl: bool, row: usize, column: usize) -> Option<(usize, usize)> {
        next_cell(key, ctrl, CellAt { row, column }, EXTENT).map(|at| (at.row, at.column))
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
    fn home_and_end_keep_to_the_row_and_with_ctrl_do_not() {
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
                next_cell(key, key == "End", CellAt::default(), extent).map(|at| at.row),
                Some(0),
                "{key}"
            );
        }
        assert_eq!(next_cell("x", false, CellAt::default(), EXTENT), None);
    }
}
