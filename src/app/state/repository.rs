//! The grid of operators and catalogs of a repository: filtered rows, columns, cells and their
//! labels.

use protocol::enum_with_text;
use protocol::judgement::Judgement;
use protocol::repository::{
    BundleFolder, CellState, CellVerdict, OperatorCell, OperatorRow, OperatorView, PlannedCatalog,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub type LoadedOperators = BTreeMap<String, Arc<OperatorView>>;

enum_with_text! {
    pub fn label;
    pub const ALL;
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum StateFilter {
        #[default]
        All = "All operators",
        Stale = "With stale catalogs",
        Missing = "With missing catalogs",
        NotJudged = "With catalogs not judged",
        Failing = "Failing opm validate",
        WithFindings = "With findings",
        Unreleased = "With unreleased bundles",
    }
}

impl StateFilter {
    fn includes(self, view: &OperatorView) -> bool {
        let any = |predicate: &dyn Fn(&OperatorCell) -> bool| view.cells.iter().any(predicate);
        match self {
            StateFilter::All => true,
            StateFilter::Stale => any(&|cell| cell.state == CellState::Stale),
            StateFilter::Missing => any(&|cell| cell.state == CellState::Missing),
            StateFilter::NotJudged => any(&|cell| cell.state == CellState::NotJudged),
            StateFilter::Failing => any(&|cell| matches!(cell.verdict, CellVerdict::Fails(_))),
            StateFilter::WithFindings => !view.findings.is_empty(),
            StateFilter::Unreleased => count_unreleased(view) > 0,
        }
    }
}

/// Counts the bundles that no catalog lists; 0 if no template makes the operator's catalogs.
pub fn count_unreleased(view: &OperatorView) -> usize {
    let bundles = view
        .bundles
        .iter()
        .filter(|bundle| bundle.catalogs.is_empty());
    if view.has_template() {
        bundles.count()
    } else {
        0
    }
}

/// Lists the catalogs that have a bundle, and those that lack it: `in v4.17 to v4.19; not in v4.16`.
pub fn list_releases(bundle: &BundleFolder) -> String {
    let list = |names: &[String]| {
        let runs = names.chunk_by(|older, newer| {
            let next = parse_version(older).map(|(major, minor)| (major, minor + 1));
            next.is_some() && next == parse_version(newer)
        });
        let runs = runs.map(|run| match run {
            [first, _, .., last] => format!("{first} to {last}"),
            run => run.join(", "),
        });
        runs.collect::<Vec<_>>().join(", ")
    };
    match (bundle.catalogs.as_slice(), bundle.lacking.as_slice()) {
        ([], _) => "in no catalog".to_owned(),
        (names, []) => format!("in {}", list(names)),
        (names, lacking) => format!("in {}; not in {}", list(names), list(lacking)),
    }
}

/// Summarizes what planned catalogs do to users and their verdicts; `None` if nothing is wrong.
pub fn plan_warning(catalogs: &[PlannedCatalog]) -> Option<String> {
    let names_where = |accepts: &dyn Fn(&PlannedCatalog) -> bool| -> Vec<String> {
        let catalogs = catalogs.iter().filter(|catalog| accepts(catalog));
        catalogs.map(|catalog| catalog.catalog.clone()).collect()
    };
    let failing = names_where(&|catalog| catalog.diff.is_some() && !catalog.passes);
    let worse = names_where(&|catalog| catalog.consequences.judgement == Judgement::Worse);
    let parts = [
        ("opm validate fails in", failing),
        ("worse for users of", worse),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(what, names)| format!("{what} {}", names.join(", ")))
        .collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Returns the filtered rows in order. Filters by state exclude operators that are not loaded.
pub fn filter_rows(
    rows: &[OperatorRow],
    loaded: &LoadedOperators,
    name: &str,
    state: StateFilter,
) -> Vec<OperatorRow> {
    let name = name.trim().to_lowercase();
    let has_state = |row: &OperatorRow| {
        state == StateFilter::All
            || loaded
                .get(&row.name)
                .is_some_and(|view| state.includes(view))
    };
    rows.iter()
        .filter(|row| row.name.to_lowercase().contains(&name) && has_state(row))
        .cloned()
        .collect()
}

/// Returns the names of all existing or mapped catalogs, in order.
pub fn columns(catalogs: &[String], loaded: &LoadedOperators) -> Vec<String> {
    let cells = loaded.values().flat_map(|view| &view.cells);
    let names = catalogs.iter().chain(cells.map(|cell| &cell.catalog));
    let sorted: BTreeSet<_> = names.map(|name| sort_key(name)).collect();
    sorted.into_iter().map(|(.., name)| name).collect()
}

/// Parses a catalog's name as an OpenShift version.
pub fn parse_version(name: &str) -> Option<(u64, u64)> {
    let (major, minor) = name.trim_start_matches('v').split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Sorts the newest version first, and other names last.
fn sort_key(name: &str) -> (bool, std::cmp::Reverse<(u64, u64)>, String) {
    let version = parse_version(name);
    (
        version.is_none(),
        std::cmp::Reverse(version.unwrap_or_default()),
        name.to_owned(),
    )
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum GridCell {
    /// The operator is not in the catalog and not expected there.
    #[default]
    Absent,
    /// The operator is in the catalog, but its state is not loaded yet.
    Waiting,
    Known {
        state: CellState,
        explanation: String,
        verdict: CellVerdict,
    },
}

pub fn grid_cell(
    row: &OperatorRow,
    loaded: Option<&Arc<OperatorView>>,
    catalogs: &[String],
    catalog: &str,
) -> GridCell {
    let Some(view) = loaded else {
        let is_in_catalog = row.catalogs.iter().any(|index| {
            catalogs
                .get(*index as usize)
                .is_some_and(|name| name == catalog)
        });
        return if is_in_catalog {
            GridCell::Waiting
        } else {
            GridCell::Absent
        };
    };
    // If several templates render into one catalog, show the worst state.
    let cells = view.cells.iter().filter(|cell| cell.catalog == catalog);
    let worst = cells.max_by_key(|cell| match cell.state {
        CellState::Fresh => 0,
        CellState::OtherOpm => 1,
        CellState::NotJudged => 2,
        CellState::Missing => 3,
        CellState::Stale => 4,
    });
    worst.map_or(GridCell::Absent, |cell| GridCell::Known {
        state: cell.state,
        explanation: cell.explanation.clone(),
        verdict: cell.verdict.clone(),
    })
}

pub fn state_meaning(state: CellState) -> &'static str {
    match state {
        CellState::Fresh => "equals what its template renders",
        CellState::Stale => "its template renders something else",
        CellState::OtherOpm => "differs only in what another version of opm writes",
        CellState::Missing => "ci.yaml names the catalog, but the operator is not in it",
        CellState::NotJudged => "cannot be rendered here; the operator’s list of catalogs says why",
    }
}

pub fn state_label(state: CellState) -> (&'static str, &'static str) {
    match state {
        CellState::Fresh => ("●", "fresh"),
        CellState::Stale => ("◐", "stale"),
        CellState::OtherOpm => ("●", "other opm version"),
        CellState::Missing => ("○", "missing"),
        CellState::NotJudged => ("?", "not judged"),
    }
}

pub fn verdict_label(verdict: &CellVerdict) -> &'static str {
    match verdict {
        CellVerdict::None => "",
        CellVerdict::Passes => "passes opm validate",
        CellVerdict::PartPasses => "no errors in its part of the catalog",
        CellVerdict::Fails(_) => "fails opm validate",
    }
}

/// Returns the names of the operators that these paths belong to.
pub fn operators_in_paths<'a>(paths: impl IntoIterator<Item = &'a String>) -> BTreeSet<String> {
    paths
        .into_iter()
        .filter_map(|path| operator_in_path(path))
        .map(str::to_owned)
        .collect()
}

fn operator_in_path(path: &str) -> Option<&str> {
    let parts: Vec<&str> = path.split('/').collect();
    for (index, part) in parts.iter().enumerate() {
        match *part {
            "operators" => return parts.get(index + 1).copied(),
            "catalogs" => return parts.get(index + 2).copied(),
            _ => {}
        }
    }
    // The folder of one operator, opened beside its catalogs.
    parts.iter().rev().nth(1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::views::Consequences;

    fn row(name: &str, catalogs: &[u32]) -> OperatorRow {
        OperatorRow {
            name: name.to_owned(),
            catalogs: catalogs.to_vec(),
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
        let loaded: LoadedOperators = [("harbor", CellState::Fresh), ("lantern", CellState::Stale)]
            .map(|(name, state)| (name.to_owned(), view(name, &[("v4.18", state)])))
            .into();
        let names = |name: &str, state| {
            filter_rows(&rows, &loaded, name, state)
                .into_iter()
                .map(|row| row.name)
                .collect::<Vec<_>>()
        };
        assert_eq!(names(" R", StateFilter::All), ["harbor", "lantern"]);
        assert_eq!(names("", StateFilter::Stale), ["lantern"]);
        assert_eq!(names("", StateFilter::Missing), Vec::<String>::new());
    }

    #[test]
    fn a_catalog_named_only_by_a_mapping_has_a_column() {
        let loaded: LoadedOperators = [(
            "o".to_owned(),
            view(
                "o",
                &[("v4.19", CellState::Missing), ("4.20", CellState::Missing)],
            ),
        )]
        .into();
        let catalogs = ["v4.21", "v4.18", "latest"].map(str::to_owned);
        assert_eq!(
            columns(&catalogs, &loaded),
            ["v4.21", "4.20", "v4.19", "v4.18", "latest"]
        );
    }

    #[test]
    fn a_cell_waits_until_its_operator_is_read() {
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
        let names: Vec<String> = operators_in_paths(&paths).into_iter().collect();
        assert_eq!(names, ["a", "b", "c"]);
    }

    #[test]
    fn unreleased_bundles_are_counted_if_a_template_generates_the_catalogs() {
        let released = BundleFolder {
            catalogs: vec!["v4.18".into()],
            ..BundleFolder::default()
        };
        let mut view = OperatorView {
            bundles: vec![BundleFolder::default(), released],
            ..OperatorView::default()
        };
        assert_eq!(count_unreleased(&view), 0);
        view.cells.push(OperatorCell {
            template: "basic.yaml".into(),
            ..OperatorCell::default()
        });
        assert_eq!(count_unreleased(&view), 1);
        assert!(StateFilter::Unreleased.includes(&view));
    }

    #[test]
    fn a_bundle_is_listed_with_the_catalogs_that_have_and_lack_it() {
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect();
        let list = |catalogs: &[&str], lacking: &[&str]| {
            list_releases(&BundleFolder {
                catalogs: names(catalogs),
                lacking: names(lacking),
                ..BundleFolder::default()
            })
        };
        assert_eq!(list(&[], &["v4.18"]), "in no catalog");
        assert_eq!(list(&["v4.17", "v4.18"], &[]), "in v4.17, v4.18");
        assert_eq!(
            list(
                &["v4.9", "v4.10", "v4.11", "v4.13", "latest"],
                &["v4.12", "v4.14"]
            ),
            "in v4.9 to v4.11, v4.13, latest; not in v4.12, v4.14"
        );
    }

    #[test]
    fn a_plan_that_harms_users_or_fails_is_reported() {
        let catalog = |name: &str, passes, judgement| PlannedCatalog {
            catalog: name.into(),
            diff: Some(Default::default()),
            passes,
            consequences: Consequences {
                judgement,
                ..Consequences::default()
            },
            ..PlannedCatalog::default()
        };
        let good = catalog("v4.20", true, Judgement::default());
        assert_eq!(plan_warning(std::slice::from_ref(&good)), None);
        let worse = catalog("v4.19", true, Judgement::Worse);
        let failing = catalog("v4.18", false, Judgement::default());
        assert_eq!(
            plan_warning(&[good, worse, failing]).as_deref(),
            Some("opm validate fails in v4.18; worse for users of v4.19")
        );
    }
}
