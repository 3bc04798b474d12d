//! *Compare with…*: the catalog in view against another one, or against its files on disk. Lists
//! the packages by number of affected versions, and for the package in view its changes, broken
//! invariants, and affected users.

use super::incomplete_notice;
use super::matrix::CatalogMatrix;
use crate::components::consequences::UserTables;
use crate::components::long_list::LongList;
use crate::edits::form_values::catalog_name;
use crate::edits::form_values::named_roots;
use crate::prelude::*;
use crate::state::element_ids::COMPARE_WITH;
use crate::widgets::buttons::{Disclosure, Segmented};
use crate::widgets::cursors::{Axis, rove};
use protocol::judgement::Tone;
use protocol::upgrades::{Baseline, ComparedKind, ComparedRow, Comparison, PackageComparison};

#[component]
pub fn Compare() -> impl IntoView {
    let app = app_context();
    let kind = RwSignal::new("catalogs");
    let has_other = memo(move |_| app.store.status.has_several_catalogs());
    let is_matrix = memo(move |_| has_other.get() && kind.get() == "matrix");
    let unchanged = memo(move |_| {
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
                {move || unchanged.get().map(|comparison| unchanged_note(&comparison))}
                <div
                    class="compare-body"
                    hidden=move || app.comparison.baseline.with(Option::is_none) || unchanged.with(Option::is_some)
                >
                    <div class="compare-packages">
                        {move || app.comparison.catalogs.get().map(|comparison| changed_packages(app, &comparison))}
                    </div>
                    <div class="compare-package" tabindex="0" role="region" aria-label="What differs">
                        {move || app.comparison.package.get().map(|comparison| package_comparison(app, &comparison))}
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
    let old = app.comparison.baseline;
    let swap = move |()| {
        if let Some(Baseline::Catalog(other)) = old.get_untracked() {
            let current = Baseline::Catalog(app.store.root.get_untracked());
            app.store.comparison.choose_for(other.clone(), current);
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
                    let others = names.get().into_iter().filter(|(other, _)| *other != root);
                    others
                        .map(|(root, name)| {
                            let baseline = Baseline::Catalog(root);
                            let value = baseline_value(&baseline);
                            let is_selected = move || old.with(|old| old.as_ref() == Some(&baseline));
                            view! { <option value=value prop:selected=is_selected>{name}</option> }
                        })
                        .collect_view()
                }}
            </select>
            <span class="dim">"and get"</span>
            <strong class="mono">{move || app.store.status.with(|status| catalog_name(&status.roots, &app.store.root.get()))}</strong>
            <span class="dim" hidden=move || old.with(|old| *old != Some(Baseline::Disk))>"as it is edited here"</span>
            <Show when=move || old.with(|old| matches!(old, Some(Baseline::Catalog(_))))>
                <Button label="Swap" on_press=swap/>
            </Show>
        </div>
    }
    .into_any()
}

/// Returns the value of a baseline's option. [`parse_baseline`] reads it.
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

fn unchanged_note(comparison: &Comparison) -> AnyView {
    let message = if comparison.incomplete.count == 0 {
        "Nothing changed: both catalogs have the same packages, channels and bundles."
    } else {
        "What could be read is the same in both catalogs."
    };
    view! {
        <div class="compare-none" role="group" aria-label="Both catalogs">
            <p>{message}</p>
            {(!comparison.new_passed).then(|| failure_note(comparison))}
            {incomplete_notice(comparison.incomplete.clone())}
        </div>
    }
    .into_any()
}

/// Counts the packages by how they differ from the old catalog.
fn count_changes(comparison: &Comparison) -> String {
    let count = |kind: ComparedKind| {
        let rows = comparison.packages.iter();
        rows.filter(|row| row.kind == kind).count()
    };
    let (added, gone) = (count(ComparedKind::Added), count(ComparedKind::Removed));
    let changed = comparison.packages.len() - added - gone;
    let same = comparison.same;
    format!("{changed} changed, {added} added, {gone} gone, {same} unchanged")
}

/// Renders the packages that differ, most affected versions first.
fn changed_packages(app: AppContext, comparison: &Comparison) -> AnyView {
    let summary = count_changes(comparison);
    let items = comparison.packages.clone();
    let render = move |row| package_row(app, row);
    view! {
        <p class="compare-summary">{summary}</p>
        {(!comparison.new_passed).then(|| failure_note(comparison))}
        {incomplete_notice(comparison.incomplete.clone())}
        <div on:keydown=move |event| rove(&event, "button", Axis::Vertical)>
            <LongList label="Packages that differ" items render/>
        </div>
    }
    .into_any()
}

/// Reports that `opm` refuses the new catalog. The problem list has the reasons, which may be
/// unrelated to the differences.
fn failure_note(comparison: &Comparison) -> impl IntoView + use<> {
    let failed_before = comparison.verdict_tone != Tone::Bad;
    let message = match (&comparison.old, failed_before) {
        (Baseline::Catalog(_), true) => format!("Both fail. The new one {}.", comparison.verdict),
        (Baseline::Disk, true) => format!("The catalog {}.", comparison.verdict),
        (Baseline::Disk, false) => {
            "The catalog fails opm validate now; on disk it passes.".to_owned()
        }
        (Baseline::Catalog(_), false) => {
            "The new one fails opm validate; the old one passes.".to_owned()
        }
    };
    view! { <p class="compare-fails" data-tone=comparison.verdict_tone.name() title=comparison.new_message.clone()>{message}</p> }
}

fn affected_users(row: &ComparedRow) -> String {
    match (row.hit, row.is_fresh_changed) {
        _ if row.is_hidden => "not known".to_owned(),
        (0, _) if row.is_unlisted_changed => "versions not listed here".to_owned(),
        (0, false) => "none affected".to_owned(),
        (0, true) => "new installs only".to_owned(),
        (hit, _) => format!("{} affected", words::count(hit, "version")),
    }
}

fn package_row(app: AppContext, row: ComparedRow) -> AnyView {
    let name = row.package.clone();
    let is_current = memo({
        let name = name.clone();
        move |_| {
            app.comparison
                .package_name
                .with(|shown| shown.as_ref() == Some(&name))
        }
    });
    let counts = row_counts(&row);
    let (package, is_gone) = (name.clone(), row.kind == ComparedKind::Removed);
    let affected = affected_users(&row);
    view! {
        <button
            type="button"
            class="compare-row"
            title=row.summary
            aria-current=move || is_current.get().then_some("true")
            on:click=move |_| {
                if is_gone {
                    app.comparison.removed_package.set(Some(package.clone()));
                } else {
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
    }
    .into_any()
}

/// Renders what differs in a package, which may be gone from the catalog in view.
fn package_comparison(app: AppContext, comparison: &PackageComparison) -> AnyView {
    let is_gone = app.comparison.removed_package.with(Option::is_some);
    let note = is_gone.then(|| {
        let in_view = app.current.package.get();
        let note = match in_view.as_str() {
            "" => "This package is gone.".to_owned(),
            name => format!(
                "This package is gone. The graph and the panel on the right still show `{name}`."
            ),
        };
        view! { <p class="dim">{in_code(&note)}</p> }
    });
    // A known table always has a row for new installs, so without rows nothing is known.
    let is_same = !comparison.table.rows.is_empty()
        && comparison.table.is_unchanged()
        && comparison.changes.is_empty()
        && comparison.table.broken.is_empty()
        && comparison.entries.is_empty();
    let changes = comparison.changes.clone();
    let tables = vec![comparison.table.clone()];
    let on_cluster = comparison.on_cluster.clone();
    let cluster_heading = match &comparison.cluster {
        Some(Ok(cluster)) => format!("On OpenShift {}", cluster.openshift),
        _ => String::new(),
    };
    let has_cluster_notes = !on_cluster.is_empty();
    view! {
        <h2 class="compare-title">{comparison.package.clone()}</h2>
        {note}
        {is_same.then(|| view! { <p class="dim">"No user of this package gets a different update."</p> })}
        {(!is_same)
            .then(|| {
                view! { <UserTables tables/> }
            })}
        {has_cluster_notes
            .then(|| {
                view! {
                    <h3 class="compare-heading">{cluster_heading.clone()}</h3>
                    <ul class="compare-list" aria-label=cluster_heading>
                        {on_cluster.into_iter().map(|line| view! { <li>{in_code(&line)}</li> }).collect_view()}
                    </ul>
                }
            })}
        {(!changes.is_empty())
            .then(|| {
                let label = format!("What changed: {}", words::count(changes.len() as u32, "difference"));
                view! {
                    <Disclosure class="user-table-why" label=label.into_any()>
                        <LongList
                            class="compare-list"
                            label="What changed"
                            items=changes
                            render=|line: String| in_code(&line).into_any()
                        />
                    </Disclosure>
                }
            })}
    }
    .into_any()
}

/// Returns the counts of a differing package, each with its tone. Omits zeros.
fn row_counts(row: &ComparedRow) -> Vec<(&'static str, String)> {
    let kind = match row.kind {
        ComparedKind::Added => Some(("plain", "+ added".to_owned())),
        ComparedKind::Removed => Some(("bad", "− removed".to_owned())),
        ComparedKind::Changed | ComparedKind::Moved => None,
    };
    let counted = [
        (row.update_lost, "bad", "■", "update lost"),
        (
            row.stranded - row.update_lost,
            "bad",
            "■",
            "version or channel gone",
        ),
        (row.downgraded, "advice", "◀", "goes back"),
        (row.rerouted, "plain", "↷", "another update"),
        (row.gained, "good", "→", "new update"),
    ];
    let counted = counted
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, tone, glyph, word)| (tone, format!("{glyph} {word}: {count}")));
    let fresh = (row.is_fresh_changed && row.kind == ComparedKind::Changed)
        .then(|| ("advice", "! new installs change".to_owned()));
    let broken = match row.errors {
        0 => None,
        1 => Some(("bad", "✕ breaks a rule".to_owned())),
        errors => Some(("bad", format!("✕ breaks {errors} rules"))),
    };
    kind.into_iter()
        .chain(broken)
        .chain(fresh)
        .chain(counted)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn counts_omit_zeros() {
        let row = ComparedRow {
            stranded: 2,
            update_lost: 1,
            errors: 1,
            gained: 1,
            ..ComparedRow::default()
        };
        let texts: Vec<String> = row_counts(&row).into_iter().map(|(_, text)| text).collect();
        assert_eq!(
            texts,
            [
                "✕ breaks a rule",
                "■ update lost: 1",
                "■ version or channel gone: 1",
                "→ new update: 1"
            ]
        );
    }
}
