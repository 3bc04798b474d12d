//! Compares the catalog in view with what users have now: another catalog, or the same one on disk.

use super::debounced_query;
use crate::reactive::{derived, effect, memo, spawn_local};
use crate::state::entries::{Changes, graph_changes};
use crate::state::store::{SessionStore, Tab};
use leptos::prelude::*;
use protocol::query::{Compare, ComparePackage, Query, Unsaved};
use protocol::upgrades::{Baseline, ComparedKind, Comparison, EntryChange, PackageComparison};
use protocol::views::{PackageRef, PackageRow};
use std::cmp::Ordering;
use std::sync::Arc;

/// The comparison of the catalog in view, and the unsaved changes of its package.
#[derive(Clone, Copy)]
pub struct ComparisonState {
    pub baseline: Memo<Option<Baseline>>,
    /// A package that only the baseline has, if *Compare* shows it instead of the one in view.
    pub removed_package: RwSignal<Option<String>>,
    pub catalogs: ReadSignal<Option<Arc<Comparison>>>,
    /// The package to compare: the removed one, or else the one in view.
    pub package_name: Memo<Option<String>>,
    /// Its comparison in both catalogs.
    pub package: Memo<Option<Arc<PackageComparison>>>,
    /// Entries of the package in view that differ from the disk.
    pub unsaved: ReadSignal<Option<UnsavedEntries>>,
}

/// The unsaved changes of a package.
#[derive(Debug, Clone, PartialEq)]
pub struct UnsavedEntries {
    pub root: String,
    pub package: String,
    pub entries: Vec<EntryChange>,
}

impl UnsavedEntries {
    fn has_removed(&self) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.kind == ComparedKind::Removed)
    }
}

impl ComparisonState {
    /// Returns the changes to mark in the graph: the differences from the compared catalog, or else
    /// the unsaved changes.
    pub fn graph_changes(self, store: SessionStore) -> Changes {
        if let Some(comparison) = self.package.get() {
            return graph_changes(&comparison.entries);
        }
        self.unsaved.with(|unsaved| {
            let unsaved = unsaved.as_ref().filter(|unsaved| {
                store.root.with(|root| *root == unsaved.root)
                    && store
                        .package
                        .with(|name| name.as_ref() == Some(&unsaved.package))
            });
            graph_changes(unsaved.map_or(&[], |unsaved| &unsaved.entries))
        })
    }

    pub(super) fn new(store: SessionStore) -> Self {
        let baseline = memo(move |_| store.comparison.baseline());
        refresh_on_change(store, baseline);
        let query = derived(move || {
            Some(Compare {
                old: baseline.get()?,
                root: store.root.get(),
            })
        });
        let catalogs = query_comparison(store, query);
        let removed_package = RwSignal::new(None::<String>);
        effect(move |_| {
            store.package.track();
            removed_package.set(None);
        });
        let cluster = memo(move |_| store.question.with(|question| question.cluster.clone()));
        let package_name = memo(move |_| {
            let removed = removed_package.get();
            removed
                .filter(|_| store.tab.get() == Tab::Compare)
                .or_else(|| store.package.get())
        });
        let query = derived(move || {
            let Compare { old, root } = query.get()?;
            Some(ComparePackage {
                old,
                root,
                package: package_name.get()?,
                cluster: cluster.get(),
            })
        });
        let answer = query_comparison(store, query);
        // Until the answer for another package arrives, the last one is of the wrong package.
        let package = Memo::new_with_compare(
            move |_| {
                let name = package_name.get()?;
                answer.get().filter(|answer| answer.package == name)
            },
            // Comparing would cost more than drawing again.
            |_, _| true,
        );
        Self {
            baseline,
            removed_package,
            catalogs,
            package_name,
            package,
            unsaved: draw_unsaved_entries(store),
        }
    }
}

/// Ends the comparison when another catalog is shown. Redraws the lanes with the removed entries
/// when the baseline changes.
fn refresh_on_change(store: SessionStore, baseline: Memo<Option<Baseline>>) {
    effect(move |before: Option<String>| {
        let root = store.root.get();
        if before.is_some_and(|before| before != root) {
            store.comparison.end_elsewhere();
        }
        root
    });
    effect(move |before: Option<Option<Baseline>>| {
        let current = baseline.get();
        if before.is_some_and(|before| before != current) {
            spawn_local(store.refresh_view());
        }
        current
    });
}

/// Sends a query whenever it or the session changes.
fn query_comparison<Q>(
    store: SessionStore,
    query: Signal<Option<Q>>,
) -> ReadSignal<Option<Arc<Q::Answer>>>
where
    Q: Query + Clone + PartialEq + Send + Sync + 'static,
    Q::Answer: Send + Sync,
{
    let revised_query = derived(move || {
        let revision = store.status.revision();
        Some((query.get()?, revision))
    });
    debounced_query(revised_query, move |(query, _)| async move {
        store.ask(query).await.ok().map(Arc::new)
    })
}

/// Queries the unsaved changes of the package in view, and draws its removed entries. The query is
/// sent shortly after an edit, so that edits do not wait for it.
fn draw_unsaved_entries(store: SessionStore) -> ReadSignal<Option<UnsavedEntries>> {
    let is_edited = move |name: &String| {
        store
            .packages
            .with(|rows| rows.iter().any(|row| row.name == *name && row.edited))
    };
    let edited = derived(move || {
        let name = store.package.get().filter(is_edited)?;
        let revision = store.status.revision();
        Some((store.root.get(), name, revision))
    });
    let unsaved = debounced_query(edited, move |(root, package, _)| async move {
        let query = Unsaved {
            root: root.clone(),
            package: package.clone(),
        };
        let entries = store.ask(query).await.ok()?;
        Some(UnsavedEntries {
            root,
            package,
            entries,
        })
    });
    effect(move |_| {
        let removed = unsaved.with(|entries| {
            let entries = entries.as_ref().filter(|entries| entries.has_removed())?;
            Some(PackageRef {
                root: entries.root.clone(),
                package: entries.package.clone(),
            })
        });
        spawn_local(store.draw_removed(removed));
    });
    unsaved
}

#[derive(Debug, Clone, Copy)]
pub struct CatalogSummary<'a> {
    /// Path of its folder.
    pub root: &'a str,
    pub packages: &'a [PackageRow],
}

/// Whether `one` is newer than `other`: by the numbers in their names if the names differ in
/// nothing else (`v4.19`, `v4.20`); otherwise by the number of bundles in common packages, since
/// catalogs grow.
pub fn is_newer(one: CatalogSummary<'_>, other: CatalogSummary<'_>) -> bool {
    let order = compare_numbers(last_component(one.root), last_component(other.root))
        .unwrap_or_else(|| {
            let one_count = count_common_bundles(one.packages, other.packages);
            one_count.cmp(&count_common_bundles(other.packages, one.packages))
        });
    order == Ordering::Greater
}

pub(super) fn last_component(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Compares two names by their numbers; `None` if they differ in more than numbers, or are equal.
fn compare_numbers(one: &str, other: &str) -> Option<Ordering> {
    let letters = |text: &str| text.split(|c: char| c.is_ascii_digit()).collect::<String>();
    let numbers = |text: &str| -> Vec<u64> {
        text.split(|c: char| !c.is_ascii_digit())
            .filter_map(|part| part.parse().ok())
            .collect()
    };
    let order = numbers(one).cmp(&numbers(other));
    (letters(one) == letters(other) && order != Ordering::Equal).then_some(order)
}

/// Counts the bundles in packages that the other catalog has too.
fn count_common_bundles(packages: &[PackageRow], others: &[PackageRow]) -> u32 {
    packages
        .iter()
        .filter(|row| others.iter().any(|other| other.name == row.name))
        .map(|row| row.bundles)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalog<'a>(root: &'a str, packages: &'a [PackageRow]) -> CatalogSummary<'a> {
        CatalogSummary { root, packages }
    }

    fn rows(packages: &[(&str, u32)]) -> Vec<PackageRow> {
        let row = |(name, bundles): &(&str, u32)| PackageRow {
            name: (*name).to_owned(),
            bundles: *bundles,
            ..PackageRow::default()
        };
        packages.iter().map(row).collect()
    }

    #[test]
    fn a_higher_version_in_the_name_is_newer() {
        assert!(is_newer(catalog("a/v4.20", &[]), catalog("b/v4.19", &[])));
        assert!(
            !is_newer(catalog("v4.9", &[]), catalog("v4.10", &[])),
            "compared as numbers, not letters"
        );
        let (few, many) = (rows(&[("p", 1)]), rows(&[("p", 2)]));
        assert!(
            !is_newer(catalog("v4.19", &many), catalog("v4.20", &few)),
            "the name takes precedence"
        );
    }

    #[test]
    fn otherwise_the_catalog_with_more_bundles_is_newer() {
        let (few, many) = (rows(&[("p", 3), ("own", 90)]), rows(&[("p", 4), ("q", 1)]));
        assert!(is_newer(catalog("next", &many), catalog("hub", &few)));
        assert!(!is_newer(catalog("hub", &few), catalog("next", &many)));
        assert!(
            !is_newer(catalog("next", &few), catalog("hub", &few)),
            "of two like each other none is"
        );
    }
}
