//! A matrix of versions and catalogs, for a cluster that moves to the next OpenShift version:
//! whether each catalog has the version, has a next step for it, or blocks the cluster.

use super::everyone::version_or_name;
use super::incomplete_notice;
use crate::components::long_list::{PAGE, ShowMore};
use crate::prelude::*;
use protocol::query::Matrix;
use protocol::upgrades::{
    MatrixCell, MatrixColumn, MatrixRow, MatrixView, PathSummary, VersionStatus,
};

/// The meaning of the shapes and the arrow.
const LEGEND: &str = "→ next step under Classic, in the default channel unless said otherwise · ● in the catalog · ○ not in it, but updates · ◐ only some users get an update · ■ end of its path · × no update · ? version unknown · ⊘ holds the cluster back";
const NO_PACKAGE: &str = "no such package";

#[component]
pub(super) fn CatalogMatrix() -> impl IntoView {
    let app = app_context();
    let request = derived(move || {
        let (roots, revision) = app.store.status.with(|status| {
            let catalogs = status.roots.iter().filter(|row| row.is_catalog());
            let roots: Vec<String> = catalogs.map(|row| row.root.clone()).collect();
            (roots, status.revision)
        });
        let package = app.current.package.get();
        (!package.is_empty()).then_some((roots, package, revision))
    });
    let answer = debounced_query(request, move |(roots, package, _)| async move {
        app.store.ask(Matrix { roots, package }).await.ok()
    });
    view! {
        <div class="everyone-scroll" tabindex="0" role="region" aria-label="Versions by catalog">
            {move || answer.get().map(|matrix| matrix_table(&matrix))}
        </div>
    }
    .into_any()
}

fn matrix_table(matrix: &MatrixView) -> AnyView {
    let is_shared = |column: &MatrixColumn| {
        let others = matrix.columns.iter();
        others.filter(|other| other.label == column.label).count() > 1
    };
    let lacks_package = catalogs_without_package(matrix);
    let headings = matrix
        .columns
        .iter()
        .zip(&lacks_package)
        .map(|(column, lacks)| column_heading(column, is_shared(column), *lacks))
        .collect_view();
    let (shown, total) = (RwSignal::new(PAGE), matrix.rows.len());
    let (rows, columns) = (matrix.rows.clone(), matrix.columns.clone());
    let rows = move || {
        let visible = rows.iter().take(shown.get());
        visible
            .map(|row| version_row(row.clone(), &columns, &lacks_package))
            .collect_view()
    };
    view! {
        {incomplete_notice(matrix.incomplete.clone())}
        <p class="matrix-legend">{LEGEND}</p>
        <table class="table everyone-table">
            <caption class="matrix-caption">"Versions of " <strong>{matrix.package.clone()}</strong> " by catalog"</caption>
            <thead>
                <tr><th scope="col">"Version"</th>{headings}</tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
        <ShowMore total shown/>
    }
    .into_any()
}

/// Returns for each catalog whether it lacks the package and no OpenShift version marks it as a
/// cluster's next one, so that no cluster moves to it.
fn catalogs_without_package(matrix: &MatrixView) -> Vec<bool> {
    let has_package = |index: usize| {
        let mut rows = matrix.rows.iter();
        rows.any(|row| row.cells.get(index).is_some_and(|cell| cell.present))
    };
    matrix
        .columns
        .iter()
        .enumerate()
        .map(|(index, column)| column.ocp.is_empty() && !has_package(index))
        .collect()
}

/// Renders the heading of a column. `is_shared`: another catalog's folder has the same name.
fn column_heading(
    column: &MatrixColumn,
    is_shared: bool,
    lacks_package: bool,
) -> impl IntoView + use<> {
    let ocp = if !column.ocp.is_empty() {
        format!("OCP {}", column.ocp)
    } else if lacks_package {
        NO_PACKAGE.to_owned()
    } else {
        "OCP version unknown".to_owned()
    };
    view! {
        <th scope="col">
            {if is_shared { column.root.clone() } else { column.label.clone() }}
            " "
            <span class="matrix-ocp">{ocp}</span>
        </th>
    }
}

fn version_row(row: MatrixRow, columns: &[MatrixColumn], lacks_package: &[bool]) -> AnyView {
    let MatrixRow {
        name,
        version,
        cells,
    } = row;
    let has_version = !version.is_empty();
    let label = if has_version { version } else { name.clone() };
    view! {
        <tr>
            <th scope="row" class="everyone-version mono" title=name>{label}</th>
            {cells
                .into_iter()
                .zip(columns)
                .zip(lacks_package)
                .map(|((cell, column), lacks_package)| {
                    if *lacks_package {
                        missing_cell().into_any()
                    } else {
                        cell_view(cell, &column.default_channel, has_version)
                    }
                })
                .collect_view()}
        </tr>
    }
    .into_any()
}

fn shape_and_tone(cell: &MatrixCell) -> (&'static str, &'static str) {
    match (cell.blocks, cell.status) {
        (true, _) => ("⊘", "bad"),
        (_, VersionStatus::Lost) => ("×", "bad"),
        (_, VersionStatus::Ahead) => ("·", "plain"),
        (_, VersionStatus::Partly) => ("◐", "advice"),
        (_, VersionStatus::Ends) => ("■", "plain"),
        (_, VersionStatus::GoesOn) if cell.present => ("●", "plain"),
        (_, VersionStatus::GoesOn) => ("○", "plain"),
    }
}

/// Returns the text of a cell: the target version, or a word. Its tooltip has the full sentence.
fn cell_text(cell: &MatrixCell, default_channel: &str, has_version: bool) -> String {
    let next = || next_version(cell, default_channel);
    match (cell.blocks, cell.status) {
        (true, _) => match &cell.unblocked_at {
            Some(version) => format!("blocks, until {}", version_or_name(version)),
            None => "blocks".to_owned(),
        },
        (_, VersionStatus::Ahead) => "later".to_owned(),
        // A skip range may contain the version.
        _ if !has_version => next().map_or_else(
            || "unknown".to_owned(),
            |next| format!("→ {next}, or unknown"),
        ),
        (_, VersionStatus::Lost) => "no update".to_owned(),
        (_, VersionStatus::Ends) => "end".to_owned(),
        (_, VersionStatus::GoesOn) => {
            next().map_or_else(|| "updates".to_owned(), |next| format!("→ {next}"))
        }
        (_, VersionStatus::Partly) => {
            format!("→ {}, {}", next().unwrap_or_default(), without_update(cell))
        }
    }
}

/// Only used if other users have an update.
fn without_update(cell: &MatrixCell) -> &'static str {
    let mut classic = cell.v0.iter().map(|path| path.next.is_some());
    match cell.v1.next {
        None if classic.all(|has_update| has_update) => "none under OLM v1",
        Some(_) if !classic.any(|has_update| has_update) => "none under Classic",
        _ => "not in every channel",
    }
}

/// Returns Classic's next version, with its channel unless that is the default one; or else OLM
/// v1's.
fn next_version(cell: &MatrixCell, default_channel: &str) -> Option<String> {
    let next = |path: &PathSummary| path.next.as_ref().map(version_or_name).map(str::to_owned);
    for path in &cell.v0 {
        if let Some(next) = next(path) {
            return Some(if path.channel == default_channel {
                next
            } else {
                format!("{next} in {}", path.channel)
            });
        }
    }
    next(&cell.v1).map(|next| format!("{next} under OLM v1"))
}

fn missing_cell() -> impl IntoView {
    view! {
        <td>
            <span class="dim" aria-hidden="true">"–"</span>
            <span class="visually-hidden">{NO_PACKAGE}</span>
        </td>
    }
}

fn cell_view(cell: MatrixCell, default_channel: &str, has_version: bool) -> AnyView {
    let (glyph, tone) = match cell.status {
        VersionStatus::Lost | VersionStatus::Ends if !has_version && !cell.blocks => ("?", "plain"),
        _ => shape_and_tone(&cell),
    };
    let text = cell_text(&cell, default_channel, has_version);
    let max = (!cell.max.is_empty()).then(|| format!("olm.maxOpenShiftVersion {}", cell.max));
    let held_back = cell.v0.iter().find_map(|path| path.held_back.clone());
    view! {
        <td>
            <span class="strip-mark" data-tone=tone aria-hidden="true">{glyph}</span>
            <span aria-hidden="true" title=cell.summary.clone()>{text}</span>
            <span class="visually-hidden">{cell.summary}</span>
            {held_back.map(|reason| view! { <span class="matrix-max">{in_code(&reason)}</span> })}
            {max.map(|max| view! { <span class="matrix-max">{max}</span> })}
        </td>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::upgrades::BundleVersion;

    #[test]
    fn a_catalog_without_the_package_has_no_stuck_users() {
        let column = |ocp: &str| MatrixColumn {
            ocp: ocp.into(),
            ..MatrixColumn::default()
        };
        let present = MatrixCell {
            present: true,
            ..MatrixCell::default()
        };
        let row = MatrixRow {
            cells: vec![present, MatrixCell::default(), MatrixCell::default()],
            ..MatrixRow::default()
        };
        let view = MatrixView {
            columns: vec![column(""), column(""), column("4.19")],
            rows: vec![row],
            ..MatrixView::default()
        };
        assert_eq!(
            catalogs_without_package(&view),
            [false, true, false],
            "an upgraded cluster uses the catalog of its next version"
        );
    }

    #[test]
    fn channels_other_than_the_default_are_named() {
        let path = |channel: &str, next: Option<&str>| PathSummary {
            channel: channel.into(),
            next: next.map(|version| BundleVersion {
                version: version.into(),
                ..BundleVersion::default()
            }),
            ..PathSummary::default()
        };
        let matrix_cell = |v0: Vec<PathSummary>| MatrixCell {
            present: true,
            status: VersionStatus::GoesOn,
            v0,
            ..MatrixCell::default()
        };
        let ends = matrix_cell(vec![path("stable", None), path("nightly", Some("2.0.0"))]);
        assert_eq!(cell_text(&ends, "stable", true), "→ 2.0.0 in nightly");
        let updates = matrix_cell(vec![path("stable", Some("1.1.0"))]);
        assert_eq!(cell_text(&updates, "stable", true), "→ 1.1.0");
        assert_eq!(cell_text(&updates, "stable", false), "→ 1.1.0, or unknown");
    }

    #[test]
    fn versions_that_block_the_cluster_are_emphasized() {
        let present = || MatrixCell {
            present: true,
            status: VersionStatus::GoesOn,
            ..MatrixCell::default()
        };
        assert_eq!(shape_and_tone(&present()).0, "●");
        assert_eq!(
            shape_and_tone(&MatrixCell {
                blocks: true,
                ..present()
            })
            .0,
            "⊘"
        );
        assert_eq!(
            shape_and_tone(&MatrixCell {
                present: false,
                ..present()
            })
            .0,
            "○"
        );
        assert_eq!(shape_and_tone(&MatrixCell::default()), ("×", "bad"));
        assert_eq!(
            [
                cell_text(&MatrixCell::default(), "", true),
                cell_text(&present(), "", true)
            ],
            ["no update", "updates"]
        );
    }
}
