//! The repository view as data: filtered rows, cells, and the operator of a path.

use protocol::repository::{CellState, CellVerdict, OperatorCell, OperatorRow, OperatorView};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Loaded operators by name.
pub type Known = BTreeMap<String, Arc<OperatorView>>;

/// Filters rows by known state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StateFilter {
    #[default]
    All,
    Stale,
    Missing,
    NotJudged,
    Failing,
    WithFindings,
}

impl StateFilter {
    pub const ALL: [StateFilter; 6] = [
        StateFilter::All,
        StateFilter::Stale,
        StateFilter::Missing,
        StateFilter::NotJudged,
        StateFilter::Failing,
        StateFilter::WithFindings,
    ];

    pub fn key(self) -> &'static str {
        match self {
            StateFilter::All => "all",
            StateFilter::Stale => "stale",
            StateFilter::Missing => "missing",
            StateFilter::NotJudged => "not-judged",
            StateFilter::Failing => "failing",
            StateFilter::WithFindings => "findings",
        }
    }

    pub fn label(self) -> &'static str {
        match self {
            StateFilter::All => "All operators",
            StateFilter::Stale => "With stale catalogs",
            StateFilter::Missing => "With missing catalogs",
            StateFilter::NotJudged => "With catalogs not judged",
            StateFilter::Failing => "Failing opm validate",
            StateFilter::WithFindings => "With findings",
        }
    }

    fn takes(self, view: &OperatorView) -> bool {
        let any = |predicate: &dyn Fn(&OperatorCell) -> bool| view.cells.iter().any(predicate);
        match self {
            StateFilter::All => true,
            StateFilter::Stale => any(&|cell| cell.state == CellState::Stale),
            StateFilter::Missing => any(&|cell| cell.state == CellState::Missing),
            StateFilter::NotJudged => any(&|cell| cell.state == CellState::NotJudged),
            StateFilter::Failing => any(&|cell| matches!(cell.verdict, CellVerdict::Fails(_))),
            StateFilter::WithFindings => !view.findings.is_empty(),
        }
    }
}

/// Returns the filtered rows in order. Filters by state exclude unknown operators.
pub fn filter_rows(
    rows: &[OperatorRow],
    known: &Known,
    name: &str,
    state: StateFilter,
) -> Vec<OperatorRow> {
    let name = name.trim().to_lowercase();
    let takes = |row: &&OperatorRow| {
        let by_state =
            state == StateFilter::All || known.get(&row.name).is_some_and(|view| state.takes(view));
        by_state && row.name.to_lowercase().contains(&name)
    };
    rows.iter().filter(takes).cloned().collect()
}

/// Returns all existing or mapped catalogs, in order.
pub fn columns(catalogs: &[String], known: &Known) -> Vec<String> {
    let mut columns = catalogs.to_vec();
    let mapped: BTreeSet<&String> = known
        .values()
        .flat_map(|view| &view.cells)
        .map(|cell| &cell.catalog)
        .collect();
    let missing: Vec<&String> = mapped
        .into_iter()
        .filter(|name| !catalogs.contains(name))
        .collect();
    for name in missing {
        let at = columns
            .iter()
            .position(|column| rank(column) > rank(name))
            .unwrap_or(columns.len());
        columns.insert(at, name.clone());
    }
    columns
}

/// Parses the OpenShift version in a catalog's name.
pub fn version_of(name: &str) -> Option<(u64, u64)> {
    let (major, minor) = name.trim_start_matches('v').split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Returns the sort key: newest version first, then other names.
fn rank(name: &str) -> (bool, std::cmp::Reverse<(u64, u64)>, String) {
    let version = version_of(name);
    (
        version.is_none(),
        std::cmp::Reverse(version.unwrap_or_default()),
        name.to_owned(),
    )
}

/// The content of a grid cell.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum GridCell {
    /// The operator is not in the catalog and not expected there.
    #[default]
    Absent,
    /// It exists, but its state is not loaded yet.
    Waiting,
    Known {
        state: CellState,
        says: String,
        verdict: CellVerdict,
    },
}

/// Returns the content of an operator's cell.
pub fn grid_cell(
    row: &OperatorRow,
    known: Option<&Arc<OperatorView>>,
    catalogs: &[String],
    catalog: &str,
) -> GridCell {
    let Some(view) = known else {
        let is_there = row.catalogs.iter().any(|at| {
            catalogs
                .get(*at as usize)
                .is_some_and(|name| name == catalog)
        });
        return if is_there {
            GridCell::Waiting
        } else {
            GridCell::Absent
        };
    };
    // If several templates render into one catalog, show the worst state.
    let cells = view.cells.iter().filter(|cell| cell.catalog == catalog);
    let worst = cells.max_by_key(|cell| match cell.state {
        CellState::Fresh => 0,
        CellState::NotJudged => 1,
        CellState::Missing => 2,
        CellState::Stale => 3,
    });
    worst.map_or(GridCell::Absent, |cell| GridCell::Known {
        state: cell.state,
        says: cell.says.clone(),
        verdict: cell.verdict.clone(),
    })
}

/// Returns the mark and label of a state.
pub fn state_words(state: CellState) -> (&'static str, &'static str) {
    match state {
        CellState::Fresh => ("●", "fresh"),
        CellState::Stale => ("◐", "stale"),
        CellState::Missing => ("○", "missing"),
        CellState::NotJudged => ("?", "not judged"),
    }
}

/// Returns the key of a state in style sheets.
pub fn state_key(state: CellState) -> &'static str {
    match state {
        CellState::Fresh => "fresh",
        CellState::Stale => "stale",
        CellState::Missing => "missing",
        CellState::NotJudged => "not-judged",
    }
}

pub fn verdict_words(verdict: &CellVerdict) -> &'static str {
    match verdict {
        CellVerdict::None => "",
        CellVerdict::Passes => "passes opm validate",
        CellVerdict::PartPasses => "no errors in its part of the catalog",
        CellVerdict::Fails(_) => "fails opm validate",
    }
}

/// Returns the operators of session paths.
pub fn operators_of<'a>(paths: impl IntoIterator<Item = &'a String>) -> BTreeSet<String> {
    let operator = |path: &String| {
        let parts: Vec<&str> = path.split('/').collect();
        let at = parts
            .iter()
            .position(|part| *part == "operators" || *part == "catalogs");
        match at {
            Some(at) if parts[at] == "operators" => {
                parts.get(at + 1).map(|name| (*name).to_owned())
            }
            Some(at) => parts.get(at + 2).map(|name| (*name).to_owned()),
            // The folder of one operator, opened with its catalogs beside it.
            None => parts.iter().rev().nth(1).map(|name| (*name).to_owned()),
        }
    };
    paths.into_iter().filter_map(operator).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, catalogs: &[u32]) -> OperatorRow {
        OperatorRow {
            name: name.to_owned(),
            catalogs: catalogs.to_vec(),
            bundles: 1,
        }
    }

    fn view(name: &str, cells: &[(&str, CellState)]) -> Arc<OperatorView> {
        let cell = |(catalog, state): &(&str, CellState)| OperatorCell {
            catalog: (*catalog).to_owned(),
            state: *state,
            ..OperatorCell::default()
        };
        let cells = cells.iter().map(cell).collect();
        Arc::new(OperatorView {
            operator: name.to_owned(),
            cells,
            ..OperatorView::default()
        })
    }

    #[test]
    fn filters_by_name_and_loaded_state() {
        let rows = [row("harbor", &[0]), row("lantern", &[0]), row("tide", &[])];
        let known: Known = [("harbor", CellState::Fresh), ("lantern", CellState::Stale)]
            .map(|(name, state)| (name.to_owned(), view(name, &[("v4.18", state)])))
            .into();
        let names = |name: &str, state| {
            filter_rows(&rows, &known, name, state)
                .into_iter()
                .map(|row| row.name)
                .collect::<Vec<_>>()
        };
        assert_eq!(names(" R", StateFilter::All), ["harbor", "lantern"]);
        assert_eq!(names("", StateFilter::Stale), ["lantern"]);
        assert_eq!(names("", StateFilter::Missing), Vec::<String>::new());
    }

    #[test]
    fn a_catalog_that_only_a_mapping_names_has_a_column() {
        let known: Known = [(
            "o".to_owned(),
            view(
                "o",
                &[("v4.19", CellState::Missing), ("4.20", CellState::Missing)],
            ),
        )]
        .into();
        let catalogs = ["v4.21", "v4.18", "latest"].map(str::to_owned);
        assert_eq!(
            columns(&catalogs, &known),
            ["v4.21", "4.20", "v4.19", "v4.18", "latest"]
        );
    }

    #[test]
    fn a_cell_waits_until_its_operator_is_known() {
        let catalogs = ["v4.18", "v4.17"].map(str::to_owned);
        let row = row("o", &[1]);
        assert_eq!(grid_cell(&row, None, &catalogs, "v4.17"), GridCell::Waiting);
        assert_eq!(grid_cell(&row, None, &catalogs, "v4.18"), GridCell::Absent);
        let both = view(
            "o",
            &[("v4.17", CellState::Fresh), ("v4.17", CellState::Stale)],
        );
        let cell = grid_cell(&row, Some(&both), &catalogs, "v4.17");
        assert!(
            matches!(
                cell,
                GridCell::Known {
                    state: CellState::Stale,
                    ..
                }
            ),
            "the worst state is shown"
        );
    }

    #[test]
    fn changed_paths_name_their_operators() {
        let paths = [
            "r/operators/a/ci.yaml",
            "catalogs/v4.18/b/catalog.yaml",
            "c/ci.yaml",
        ]
        .map(str::to_owned);
        let names: Vec<String> = operators_of(&paths).into_iter().collect();
        assert_eq!(names, ["a", "b", "c"]);
    }
}
