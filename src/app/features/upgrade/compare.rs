//! *Compare with…*: the catalog in view against another one, or against its files on disk. Lists
//! the packages by number of affected versions, and for the package in view its changes, broken
//! invariants, and affected users.
//!
//! Also a matrix of versions and catalogs, for a cluster that moves to the next OpenShift version:
//! whether each catalog has the version, has a next step for it, or blocks the cluster.

use super::everyone::version_or_name;
use super::incomplete;
use crate::components::consequences::UserTables;
use crate::context::{AppContext, app_context, debounced_query};
use crate::edits::form_values::named_roots;
use crate::reactive::memo;
use crate::state::element_ids::COMPARE_WITH;
use crate::state::entries::{ChangeKind, Changes};
use crate::widgets::buttons::{Button, Segmented};
use crate::widgets::cursors::{Axis, rove};
use crate::widgets::short_text::{cut_version, in_code};
use crate::words::{self, shorten};
use leptos::prelude::*;
use protocol::judgement::Tone;
use protocol::query::Matrix;
use protocol::upgrades::{
    Baseline, ComparedKind, ComparedRow, Comparison, EntryChange, MatrixCell, MatrixColumn,
    MatrixRow, MatrixView, PackageComparison, PathSummary, VersionStatus,
};
use std::sync::Arc;

#[component]
pub fn Compare() -> impl IntoView {
    let app = app_context();
    let kind = RwSignal::new("catalogs");
    let has_other = memo(move |_| app.store.status.has_several_catalogs());
    let is_matrix = memo(move |_| has_other.get() && kind.get() == "matrix");
    let same = memo(move |_| {
        let comparison = app.comparison.catalogs.get();
        let comparison = comparison.filter(|comparison| comparison.packages.is_empty());
        app.comparison.baseline.get().and(comparison)
    });
    view! {
        <section class="compare" aria-label="Compare">
            <Show when=move || has_other.get()>
                <div class="compare-kinds">
                    <Segmented
                        label="What is compared"
                        options=&[("catalogs", "Old against new"), ("matrix", "Versions by catalog")]
                        selected=kind
                        on_select=move |key| kind.set(key)
                    />
                </div>
            </Show>
            <Show when=move || is_matrix.get()>
                <CatalogMatrix/>
            </Show>
            <div class="compare-old-new" hidden=move || is_matrix.get()>
                <Bar app/>
                <Show when=move || app.comparison.baseline.with(Option::is_none)>
                    <p class="compare-none">
                        "Choose what users have now. You can also drop another catalog on the page, such as another branch or OCP version."
                    </p>
                </Show>
                {move || same.get().map(|comparison| nothing_changed(&comparison))}
                <div
                    class="compare-body"
                    hidden=move || app.comparison.baseline.with(Option::is_none) || same.with(Option::is_some)
                >
                    <div class="compare-packages">
                        {move || app.comparison.catalogs.get().map(|comparison| packages(app, &comparison))}
                    </div>
                    <div class="compare-package" tabindex="0" role="region" aria-label="What differs">
                        {move || app.comparison.package.get().map(|comparison| package(&comparison))}
                    </div>
                </div>
            </div>
        </section>
    }
    .into_any()
}

/// The bar that names the compared catalogs.
#[component]
fn Bar(app: AppContext) -> impl IntoView {
    let names = memo(move |_| {
        app.store
            .status
            .with(|status| named_roots(&status.roots, |row| !row.is_template()))
    });
    let here = move || {
        let root = app.store.root.get();
        names.with(|names| {
            names
                .iter()
                .find(|(known, _)| *known == root)
                .map(|(_, name)| name.clone())
        })
    };
    let old = app.comparison.baseline;
    let swap = move |()| {
        if let Some(Baseline::Catalog(other)) = old.get_untracked() {
            let here = Baseline::Catalog(app.store.root.get_untracked());
            app.store.comparison.choose_for(other.clone(), here);
            app.show_root(other);
        }
    };
    view! {
        <div class="compare-bar">
            <label class="question-label" for=COMPARE_WITH>"Users come from"</label>
            <select
                class="field-input compare-select"
                id=COMPARE_WITH
                on:change=move |event| {
                    app.store.comparison.choose(parse_baseline(&event_target_value(&event)));
                }
            >
                <option value="" prop:selected=move || old.with(Option::is_none)>"choose…"</option>
                <option value=baseline_value(&Baseline::Disk) prop:selected=move || old.with(|old| *old == Some(Baseline::Disk))>
                    "what is on disk"
                </option>
                {move || {
                    let root = app.store.root.get();
                    let others = names.get().into_iter().filter(|(known, _)| *known != root);
                    others
                        .map(|(root, name)| {
                            let own = Baseline::Catalog(root);
                            let value = baseline_value(&own);
                            let is_it = move || old.with(|old| old.as_ref() == Some(&own));
                            view! { <option value=value prop:selected=is_it>{name}</option> }
                        })
                        .collect_view()
                }}
            </select>
            <span class="dim">"and get"</span>
            <strong class="mono">{here}</strong>
            <span class="dim" hidden=move || old.with(|old| *old != Some(Baseline::Disk))>"as it is edited here"</span>
            <Show when=move || old.with(|old| matches!(old, Some(Baseline::Catalog(_))))>
                <Button label="Swap" on_press=swap/>
            </Show>
        </div>
    }
    .into_any()
}

/// Returns the value of a choice; "" for none.
fn baseline_value(baseline: &Baseline) -> String {
    match baseline {
        Baseline::Disk => "disk".to_owned(),
        Baseline::Catalog(root) => format!("at:{root}"),
    }
}

fn parse_baseline(value: &str) -> Option<Baseline> {
    match value.strip_prefix("at:") {
        Some(root) => Some(Baseline::Catalog(root.to_owned())),
        None => (value == "disk").then_some(Baseline::Disk),
    }
}

/// Reports that the catalogs are equal.
fn nothing_changed(comparison: &Comparison) -> impl IntoView + use<> {
    let same = match comparison.incomplete.is_empty() {
        true => "Nothing changed: both catalogs have the same packages, channels and bundles.",
        false => "What could be read is the same in both catalogs.",
    };
    view! {
        <div class="compare-none" role="group" aria-label="Both catalogs">
            <p>{same}</p>
            {(!comparison.new_passed).then(|| fails(comparison))}
            {incomplete(comparison.incomplete.clone())}
        </div>
    }
    .into_any()
}

/// Counts the differing packages in the catalog in view, like the filter beside it, and those that
/// only the old catalog has.
fn count_changes(comparison: &Comparison) -> String {
    let is_gone = |row: &&ComparedRow| row.kind == ComparedKind::Removed;
    let gone = comparison.packages.iter().filter(is_gone).count() as u32;
    let differ = comparison.packages.len() as u32 - gone;
    let differ = match differ {
        1 => "1 package differs".to_owned(),
        _ => format!("{} differ", words::count(differ, "package")),
    };
    let gone = match gone {
        0 => String::new(),
        1 => ", 1 is gone".to_owned(),
        _ => format!(", {gone} are gone"),
    };
    format!("{differ}{gone}, {} the same", comparison.same)
}

/// Renders the packages that differ, most affected versions first.
fn packages(app: AppContext, comparison: &Comparison) -> impl IntoView + use<> {
    let summary = count_changes(comparison);
    let rows = comparison
        .packages
        .iter()
        .cloned()
        .map(|row| package_row(app, row))
        .collect_view();
    view! {
        <p class="compare-told">{summary}</p>
        {(!comparison.new_passed).then(|| fails(comparison))}
        {incomplete(comparison.incomplete.clone())}
        <ul aria-label="Packages that differ" on:keydown=move |event| rove(&event, "button", Axis::Vertical)>{rows}</ul>
    }
    .into_any()
}

/// Reports that `opm` refuses the new catalog. The problem list has the reasons, which may be
/// unrelated to the differences.
fn fails(comparison: &Comparison) -> impl IntoView + use<> {
    let is_as_before = comparison.verdict_tone != Tone::Bad;
    let message = match (&comparison.old, is_as_before) {
        (Baseline::Catalog(_), true) => format!("Both fail. The new one {}.", comparison.verdict),
        (_, true) => format!("The catalog {}.", comparison.verdict),
        (Baseline::Disk, false) => {
            "The catalog fails opm validate now; on disk it passes.".to_owned()
        }
        (_, false) => "The new one fails opm validate; the old one passes.".to_owned(),
    };
    view! { <p class="compare-fails" data-tone=comparison.verdict_tone.name() title=comparison.new_message.clone()>{message}</p> }
}

/// Describes the affected users.
fn affected_users(row: &ComparedRow) -> String {
    match (row.hit, row.is_fresh_changed) {
        _ if row.is_hidden => "not known".to_owned(),
        (0, _) if row.is_unlisted_changed => "versions not listed here".to_owned(),
        (0, false) => "none affected".to_owned(),
        (0, true) => "new installs only".to_owned(),
        (hit, _) => format!("{} affected", words::count(hit, "version")),
    }
}

fn package_row(app: AppContext, row: ComparedRow) -> impl IntoView {
    let name = row.package.clone();
    let is_here = memo({
        let name = name.clone();
        move |_| {
            app.comparison
                .removed_package
                .get()
                .unwrap_or_else(|| app.current.package.get())
                == name
        }
    });
    let counts = counts(&row);
    let (package, is_gone) = (name.clone(), row.kind == ComparedKind::Removed);
    let affected = affected_users(&row);
    view! {
        <li>
            <button
                type="button"
                class="compare-row"
                title=row.summary
                aria-current=move || is_here.get().then_some("true")
                on:click=move |_| {
                    if is_gone {
                        app.comparison.removed_package.set(Some(package.clone()));
                    } else {
                        app.comparison.removed_package.set(None);
                        app.show_package(package.clone());
                    }
                }
            >
                <span class="compare-name">{name}</span>
                <span class="row-count">{affected}</span>
                <span class="compare-counts">
                    {counts.into_iter().map(|(tone, text)| view! { <span data-tone=tone>{text}</span> }).collect_view()}
                </span>
            </button>
        </li>
    }
    .into_any()
}

/// Renders a package that is in both catalogs.
fn package(comparison: &PackageComparison) -> impl IntoView + use<> {
    // A known table always has a row for new installs, so without rows nothing is known.
    let is_same = !comparison.table.rows.is_empty()
        && comparison.table.is_unchanged()
        && comparison.changes.is_empty()
        && comparison.table.broken.is_empty()
        && comparison.entries.is_empty();
    let changes = comparison.changes.clone();
    let entries = comparison
        .entries
        .iter()
        .filter(|entry| !entry.detail.is_empty());
    let details: Vec<String> = entries
        .map(|entry| format!("`{}` in `{}`: {}", entry.name, entry.channel, entry.detail))
        .collect();
    let tables = vec![comparison.table.clone()];
    let on_cluster = comparison.on_cluster.clone();
    let of_cluster = match &comparison.cluster {
        Some(Ok(cluster)) => format!("On OpenShift {}", cluster.openshift),
        _ => String::new(),
    };
    let has_cluster_notes = !on_cluster.is_empty();
    let has_changes = !(changes.is_empty() && details.is_empty());
    view! {
        <h2 class="compare-title">{comparison.package.clone()}</h2>
        {is_same.then(|| view! { <p class="dim">"No user of this package gets a different upgrade."</p> })}
        {(!is_same)
            .then(|| {
                view! {
                    <h3 class="compare-heading">"What users get"</h3>
                    <UserTables tables/>
                }
            })}
        {has_cluster_notes
            .then(|| {
                view! {
                    <h3 class="compare-heading">{of_cluster.clone()}</h3>
                    <ul class="compare-list" aria-label=of_cluster>
                        {on_cluster.into_iter().map(|line| view! { <li>{in_code(&line)}</li> }).collect_view()}
                    </ul>
                }
            })}
        {has_changes
            .then(|| {
                view! {
                    <h3 class="compare-heading">"What changed"</h3>
                    <ul class="compare-list" aria-label="What changed">
                        {changes.into_iter().chain(details).map(|line| view! { <li>{in_code(&line)}</li> }).collect_view()}
                    </ul>
                }
            })}
    }
    .into_any()
}

/// Returns the marks for the graph of the newer catalog.
pub fn changes(entries: &[EntryChange]) -> Arc<Changes> {
    let marks = entries.iter().map(|entry| {
        let change = match entry.kind {
            ComparedKind::Added => ChangeKind::Added,
            ComparedKind::Removed => ChangeKind::Removed,
            ComparedKind::Changed => ChangeKind::Changed,
            ComparedKind::Moved => ChangeKind::Moved,
        };
        (
            (entry.channel.clone(), entry.name.clone()),
            (change, entry.detail.replace('`', "")),
        )
    });
    Arc::new(marks.collect())
}

/// Returns the counts of a differing package, each with its tone.
pub fn counts(row: &ComparedRow) -> Vec<(&'static str, String)> {
    let kind = match row.kind {
        ComparedKind::Added => Some(("plain", "+ added".to_owned())),
        ComparedKind::Removed => Some(("bad", "− removed".to_owned())),
        ComparedKind::Changed | ComparedKind::Moved => None,
    };
    let counted = [
        (row.stranded, "bad", "■", "stranded"),
        (row.downgraded, "bad", "◀", "downgraded"),
        (row.rerouted, "plain", "↷", "re-routed"),
        (row.gained, "good", "→", "gained"),
    ];
    let counted = counted.into_iter().filter(|(count, ..)| *count > 0);
    let counted =
        counted.map(|(count, tone, glyph, word)| (tone, format!("{glyph} {count} {word}")));
    let fresh = (row.is_fresh_changed && row.kind == ComparedKind::Changed)
        .then(|| ("advice", "! new installs change".to_owned()));
    let broken = (row.errors > 0).then(|| {
        (
            "bad",
            format!("✕ {} broken", words::count(row.errors, "invariant")),
        )
    });
    kind.into_iter()
        .chain(broken)
        .chain(fresh)
        .chain(counted)
        .collect()
}

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
    let answer = debounced_query(wanted, move |(roots, package, _)| async move {
        app.store.ask(Matrix { roots, package }).await.ok()
    });
    view! {
        <div class="everyone-scroll" tabindex="0" role="region" aria-label="Versions by catalog">
            {move || {
                answer
                    .get()
                    .map(|answer| {
                        let is_shared = |column: &MatrixColumn| answer.columns.iter().filter(|other| other.label == column.label).count() > 1;
                        let without = catalogs_without_package(&answer);
                        let heads = answer.columns.iter().zip(&without);
                        let columns = heads.map(|(matrix_column, without)| column(matrix_column, is_shared(matrix_column), *without)).collect_view();
                        let rows = answer.rows.iter().cloned().map(|matrix_row| row(matrix_row, &answer.columns, &without)).collect_view();
                        view! {
                            {incomplete(answer.incomplete.clone())}
                            <p class="matrix-legend">{LEGEND}</p>
                            <table class="table everyone-table matrix">
                                <caption class="visually-hidden">
                                    {format!("Versions of {} by catalog", answer.package)}
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

/// Returns for each catalog whether it lacks the package and no OpenShift version marks it as a
/// cluster's next one, so that no cluster moves to it.
fn catalogs_without_package(matrix: &MatrixView) -> Vec<bool> {
    let has = |at: usize| {
        matrix
            .rows
            .iter()
            .any(|row| row.cells.get(at).is_some_and(|cell| cell.present))
    };
    matrix
        .columns
        .iter()
        .enumerate()
        .map(|(at, column)| column.ocp.is_empty() && !has(at))
        .collect()
}

/// Renders the heading of a column. `is_shared`: another catalog's folder has the same name.
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
    let label = if version.is_empty() {
        name.clone()
    } else {
        version
    };
    view! {
        <tr>
            <th scope="row" class="everyone-version mono" title=name>{cut_version(&label)}</th>
            {cells
                .into_iter()
                .zip(columns)
                .zip(without)
                .map(|((matrix_cell, column), is_without)| match is_without {
                    true => nothing().into_any(),
                    false => cell(matrix_cell, &column.default_channel).into_any(),
                })
                .collect_view()}
        </tr>
    }
    .into_any()
}

/// Returns the shape and tone of a cell.
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
fn short(cell: &MatrixCell, default_channel: &str) -> String {
    let next = |path: &PathSummary| {
        path.next
            .as_ref()
            .map(|next| shorten(version_or_name(next), 14))
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

/// Renders the cell of a catalog without the package.
fn nothing() -> impl IntoView {
    view! {
        <td>
            <span class="dim" aria-hidden="true">"–"</span>
            <span class="visually-hidden">{NO_PACKAGE}</span>
        </td>
    }
}

fn cell(cell: MatrixCell, default_channel: &str) -> impl IntoView + use<> {
    let (glyph, tone) = shape_and_tone(&cell);
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
    fn entries_are_marked_by_channel_and_name() {
        let entry = |name: &str, kind, detail: &str| EntryChange {
            channel: "stable".into(),
            name: name.into(),
            kind,
            detail: detail.into(),
        };
        let marks = changes(&[
            entry("a", ComparedKind::Added, ""),
            entry("b", ComparedKind::Changed, "replaces was `x`, is `y`"),
        ]);
        assert_eq!(
            marks[&("stable".to_owned(), "a".to_owned())],
            (ChangeKind::Added, String::new())
        );
        assert_eq!(
            marks[&("stable".to_owned(), "b".to_owned())].1,
            "replaces was x, is y"
        );
        assert!(changes(&[]).is_empty());
    }

    #[test]
    fn counts_leave_out_zeros() {
        let row = ComparedRow {
            stranded: 2,
            errors: 1,
            gained: 1,
            ..ComparedRow::default()
        };
        let texts: Vec<String> = counts(&row).into_iter().map(|(_, text)| text).collect();
        assert_eq!(
            texts,
            ["✕ 1 invariant broken", "■ 2 stranded", "→ 1 gained"]
        );
    }

    #[test]
    fn a_catalog_without_the_package_has_nobody_that_is_stuck() {
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
        let matrix_cell = |v0: Vec<PathSummary>| MatrixCell {
            present: true,
            status: VersionStatus::GoesOn,
            v0,
            ..MatrixCell::default()
        };
        let ends = matrix_cell(vec![path("stable", None), path("nightly", Some("2.0.0"))]);
        assert_eq!(short(&ends, "stable"), "→ 2.0.0 in nightly");
        assert_eq!(
            short(&matrix_cell(vec![path("stable", Some("1.1.0"))]), "stable"),
            "→ 1.1.0"
        );
    }

    #[test]
    fn what_holds_the_cluster_back_is_loudest() {
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
            [short(&MatrixCell::default(), ""), short(&present(), "")],
            ["no update", "updates"]
        );
    }
}
