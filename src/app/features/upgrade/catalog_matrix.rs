//! Versions by catalogs: an operator version on a cluster that moves to the next OCP version. Does
//! the catalog have it, does it have a next step, does it block the cluster?

use super::everyone_text::version_or_name;
use super::incomplete::incomplete;
use crate::context::{app_context, debounced_query};
use crate::widgets::cut_text::cut_version;
use leptos::prelude::*;
use protocol::query::Matrix;
use protocol::upgrades::{
    MatrixCell, MatrixColumn, MatrixRow, MatrixView, PathSummary, VersionStatus,
};

#[component]
pub(super) fn CatalogMatrix() -> impl IntoView {
    let app = app_context();
    let wanted = Signal::derive(move || {
        let (roots, revision) = app.store.status.with(|status| {
            let catalogs = status.roots.iter().filter(|row| row.is_catalog());
            (
                catalogs.map(|row| row.root.clone()).collect::<Vec<_>>(),
                status.revision,
            )
        });
        let package = app.current.package.get();
        (!package.is_empty()).then_some((roots, package, revision))
    });
    let found = debounced_query(wanted, move |(roots, package, _)| async move {
        app.store.ask(Matrix { roots, package }).await.ok()
    });
    view! {
        <div class="everyone-scroll" tabindex="0" role="region" aria-label="Versions by catalog">
            {move || {
                found
                    .get()
                    .map(|found| {
                        let is_shared = |column: &MatrixColumn| found.columns.iter().filter(|other| other.label == column.label).count() > 1;
                        let without = without(&found);
                        let heads = found.columns.iter().zip(&without);
                        let columns = heads.map(|(of, without)| column(of, is_shared(of), *without)).collect_view();
                        let rows = found.rows.iter().cloned().map(|of| row(of, &found.columns, &without)).collect_view();
                        view! {
                            {incomplete(found.incomplete.clone())}
                            <p class="matrix-legend">{LEGEND}</p>
                            <table class="table everyone-table matrix">
                                <caption class="visually-hidden">
                                    {format!("Versions of {} by catalog", found.package)}
                                </caption>
                                <thead>
                                    <tr><th scope="col">"Version"</th>{columns}</tr>
                                </thead>
                                <tbody>{rows}</tbody>
                            </table>
                        }
                    })
            }}
        </div>
    }
    .into_any()
}

/// What the shapes and the arrow mean.
const LEGEND: &str = "→ next step under Classic, in the default channel unless said otherwise · ● there · ○ not there, but updates · ◐ updates in part · ■ stays on it · × no update · ⊘ holds the cluster back";
const NO_PACKAGE: &str = "no such package";

/// Columns of catalogs without a version of the package that no OpenShift version marks as a
/// cluster's next one: nobody gets there.
fn without(of: &MatrixView) -> Vec<bool> {
    let has = |at: usize| {
        of.rows
            .iter()
            .any(|row| row.cells.get(at).is_some_and(|cell| cell.present))
    };
    of.columns
        .iter()
        .enumerate()
        .map(|(at, column)| column.ocp.is_empty() && !has(at))
        .collect()
}

/// `is_shared`: another catalog has a folder with the same name.
fn column(column: &MatrixColumn, is_shared: bool, is_without: bool) -> impl IntoView + use<> {
    let ocp = match column.ocp.is_empty() {
        true if is_without => NO_PACKAGE.to_owned(),
        true => "OCP version unknown".to_owned(),
        false => format!("OCP {}", column.ocp),
    };
    view! {
        <th scope="col">
            {if is_shared { column.root.clone() } else { column.label.clone() }}
            " "
            <span class="matrix-ocp">{ocp}</span>
        </th>
    }
}

fn row(row: MatrixRow, columns: &[MatrixColumn], without: &[bool]) -> impl IntoView + use<> {
    let MatrixRow {
        name,
        version,
        cells,
    } = row;
    let shown = if version.is_empty() {
        name.clone()
    } else {
        version
    };
    view! {
        <tr>
            <th scope="row" class="everyone-version mono" title=name>{cut_version(&shown)}</th>
            {cells
                .into_iter()
                .zip(columns)
                .zip(without)
                .map(|((of, column), is_without)| match is_without {
                    true => nothing().into_any(),
                    false => cell(of, &column.default_channel).into_any(),
                })
                .collect_view()}
        </tr>
    }
    .into_any()
}

/// A cell's shape and tone.
fn look(cell: &MatrixCell) -> (&'static str, &'static str) {
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

/// The text of a cell: the target version, or a word; the sentence is its tooltip.
fn short(cell: &MatrixCell, default_channel: &str) -> String {
    let next = |path: &PathSummary| {
        path.next
            .as_ref()
            .map(|next| shorten(version_or_name(next)))
    };
    let classic = || {
        cell.v0
            .iter()
            .find_map(|path| match path.channel == default_channel {
                true => next(path),
                false => next(path).map(|next| format!("{next} in {}", path.channel)),
            })
    };
    let next = || classic().or_else(|| next(&cell.v1).map(|next| format!("{next} under OLM v1")));
    match (cell.blocks, cell.status) {
        (true, _) => match &cell.unblocked_at {
            Some(at) => format!("blocks, until {}", version_or_name(at)),
            None => "blocks".to_owned(),
        },
        (_, VersionStatus::Lost) => "no update".to_owned(),
        (_, VersionStatus::Ahead) => "later".to_owned(),
        (_, VersionStatus::Ends) => "end".to_owned(),
        (_, VersionStatus::GoesOn) => {
            next().map_or_else(|| "updates".to_owned(), |next| format!("→ {next}"))
        }
        (_, VersionStatus::Partly) => {
            next().map_or_else(|| "partly".to_owned(), |next| format!("→ {next}, partly"))
        }
    }
}

/// A long version cut in its middle, since related versions differ at their ends. The cell's
/// sentence has all of it.
fn shorten(version: &str) -> String {
    const WHOLE: usize = 14;
    let letters: Vec<char> = version.chars().collect();
    match letters.as_slice() {
        [start @ .., a, b, c, d, e] if letters.len() > WHOLE => {
            let start: String = start.iter().take(6).collect();
            format!(
                "{start}…{}",
                [a, b, c, d, e].into_iter().collect::<String>()
            )
        }
        _ => version.to_owned(),
    }
}

/// The cell of a catalog without the package.
fn nothing() -> impl IntoView {
    view! {
        <td>
            <span class="dim" aria-hidden="true">"–"</span>
            <span class="visually-hidden">{NO_PACKAGE}</span>
        </td>
    }
}

fn cell(cell: MatrixCell, default_channel: &str) -> impl IntoView + use<> {
    let (glyph, tone) = look(&cell);
    let max = (!cell.max.is_empty()).then(|| format!("olm.maxOpenShiftVersion {}", cell.max));
    view! {
        <td>
            <span class="strip-mark" data-tone=tone aria-hidden="true">{glyph}</span>
            <span aria-hidden="true" title=cell.says.clone()>{short(&cell, default_channel)}</span>
            <span class="visually-hidden">{cell.says}</span>
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
    fn of_a_long_version_both_ends_stay() {
        assert_eq!(shorten("1.31.0-nightly-2026-08-22"), "1.31.0…08-22");
        assert_eq!(shorten("1.30.3"), "1.30.3");
    }

    #[test]
    fn a_catalog_without_the_package_has_nobody_that_is_stuck() {
        let column = |ocp: &str| MatrixColumn {
            ocp: ocp.into(),
            ..MatrixColumn::default()
        };
        let there = MatrixCell {
            present: true,
            ..MatrixCell::default()
        };
        let row = MatrixRow {
            cells: vec![there, MatrixCell::default(), MatrixCell::default()],
            ..MatrixRow::default()
        };
        let view = MatrixView {
            columns: vec![column(""), column(""), column("4.19")],
            rows: vec![row],
            ..MatrixView::default()
        };
        assert_eq!(
            without(&view),
            [false, true, false],
            "a cluster comes to the catalog of its next version"
        );
    }

    #[test]
    fn of_another_channel_than_the_default_one_it_is_said_which() {
        let path = |channel: &str, next: Option<&str>| PathSummary {
            channel: channel.into(),
            next: next.map(|version| BundleVersion {
                version: version.into(),
                ..BundleVersion::default()
            }),
            ..PathSummary::default()
        };
        let of = |v0: Vec<PathSummary>| MatrixCell {
            present: true,
            status: VersionStatus::GoesOn,
            v0,
            ..MatrixCell::default()
        };
        let ends = of(vec![path("stable", None), path("nightly", Some("2.0.0"))]);
        assert_eq!(short(&ends, "stable"), "→ 2.0.0 in nightly");
        assert_eq!(
            short(&of(vec![path("stable", Some("1.1.0"))]), "stable"),
            "→ 1.1.0"
        );
    }

    #[test]
    fn what_holds_the_cluster_back_is_loudest() {
        let there = || MatrixCell {
            present: true,
            status: VersionStatus::GoesOn,
            ..MatrixCell::default()
        };
        assert_eq!(look(&there()).0, "●");
        assert_eq!(
            look(&MatrixCell {
                blocks: true,
                ..there()
            })
            .0,
            "⊘"
        );
        assert_eq!(
            look(&MatrixCell {
                present: false,
                ..there()
            })
            .0,
            "○"
        );
        assert_eq!(look(&MatrixCell::default()), ("×", "bad"));
        assert_eq!(
            [short(&MatrixCell::default(), ""), short(&there(), "")],
            ["no update", "updates"]
        );
    }
}
