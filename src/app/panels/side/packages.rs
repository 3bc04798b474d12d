//! The packages of the catalog in view.

use super::package_filter::{ChannelCount, Filter, Group, PackageQuery, Sort, matching_groups};
use super::package_list::PackageList;
use crate::browser::local_storage;
use crate::context::{AppContext, app_context};
use crate::reactive::{effect, memo};
use crate::state::element_ids::SEARCH_PACKAGES;
use crate::widgets::dom;
use crate::widgets::field_text::field_text;
use crate::widgets::icon::{Glyph, Icon};
use leptos::prelude::*;
use protocol::upgrades::Comparison;
use protocol::views::PackageRow;
use std::collections::HashSet;
use std::sync::Arc;

/// Id of the box for order and headings.
const ORDER: &str = "packages-order";

#[component]
pub(super) fn Packages() -> impl IntoView {
    let app = app_context();
    let wanted = RwSignal::new(PackageQuery {
        sort: kept_sort(),
        is_grouped: kept_groups(),
        ..PackageQuery::default()
    });
    let only_changed = RwSignal::new(false);
    // A search in one folder does not apply to the next.
    effect(move |was: Option<u32>| {
        let opened = app.actions.opened.get();
        if was.is_some_and(|was| was != opened) {
            wanted.update(|wanted| {
                *wanted = PackageQuery {
                    sort: wanted.sort,
                    is_grouped: wanted.is_grouped,
                    ..PackageQuery::default()
                };
            });
        }
        opened
    });
    // Packages that differ from the compared catalog.
    let changed = memo(move |_| {
        let root = app.store.root.get();
        let rows = app.store.packages;
        app.comparison.catalogs.with(|found| {
            let names =
                |found: &Arc<Comparison>| rows.with(|rows| changed_in_view(found, &root, rows));
            found.as_ref().map(names).unwrap_or_default()
        })
    });
    let groups = memo(move |_| {
        let mut groups = app
            .store
            .packages
            .with(|rows| wanted.with(|wanted| matching_groups(rows, wanted)));
        if only_changed.get() && changed.with(|changed| !changed.is_empty()) {
            for group in &mut groups {
                changed.with(|changed| group.rows.retain(|row| changed.contains(&row.name)));
            }
        }
        groups
    });
    let is_empty =
        memo(move |_| groups.with(|groups| groups.iter().all(|group| group.rows.is_empty())));
    view! {
        <section class="side-section" data-part="packages">
            <PackagesHead wanted/>
            <div class="side-search">
                <Glyph icon=Icon::Search/>
                <input
                    id=SEARCH_PACKAGES
                    class="side-search-input"
                    type="search"
                    aria-label="Search packages"
                    placeholder="Search packages"
                    autocomplete="off"
                    spellcheck="false"
                    use:field_text=Signal::derive(move || wanted.with(|wanted| wanted.text.clone()))
                    on:input=move |event| wanted.update(|wanted| wanted.text = event_target_value(&event))
                    on:keydown=move |event| {
                        if event.key() == "Enter" && let Some(name) = first_name(&groups.get_untracked()) {
                            app.choose_package(name);
                        }
                    }
                />
            </div>
            <FilterChips wanted only_changed changed/>
            <PackageList app groups/>
            <div class="side-empty" hidden=move || !is_empty.get()>
                <EmptyList app wanted only_changed/>
            </div>
        </section>
    }
    .into_any()
}

/// The packages in view that the comparison found changed. Ignores comparisons of other catalogs
/// and removed packages.
fn changed_in_view(found: &Comparison, root: &str, rows: &[PackageRow]) -> HashSet<String> {
    let is_in_view = |name: &&String| rows.iter().any(|row| row.name == **name);
    let names = found
        .packages
        .iter()
        .map(|row| &row.package)
        .filter(is_in_view);
    names.filter(|_| found.root == root).cloned().collect()
}

fn first_name(groups: &[Group]) -> Option<String> {
    groups
        .iter()
        .flat_map(|group| &group.rows)
        .next()
        .map(|row| row.name.clone())
}

const KEPT_SORT: &str = "packages-sort";
const KEPT_GROUPS: &str = "packages-groups";

fn kept_sort() -> Sort {
    let kept = local_storage::preference(KEPT_SORT);
    Sort::EACH
        .into_iter()
        .find(|sort| kept.as_deref() == Some(sort.key()))
        .unwrap_or_default()
}

fn kept_groups() -> bool {
    local_storage::preference(KEPT_GROUPS).is_some_and(|kept| kept == "problems")
}

/// The title, with order, headings and channel filter behind a button.
#[component]
fn PackagesHead(wanted: RwSignal<PackageQuery>) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let label = move || wanted.with(|wanted| format!("By {}", wanted.sort.label()));
    view! {
        <div class="packages-head">
            <h2 class="side-title" id="packages-title">"Packages"</h2>
            <button
                type="button"
                class="packages-order-button"
                title="Sort, group and filter"
                aria-expanded=move || is_open.get().to_string()
                aria-controls=ORDER
                on:click=move |_| is_open.update(|open| *open = !*open)
            >
                {label}
                <Glyph icon=Signal::derive(move || if is_open.get() { Icon::ChevronUp } else { Icon::ChevronDown })/>
            </button>
        </div>
        <div class="packages-order" id=ORDER hidden=move || !is_open.get()>
            <div class="packages-order-field">
                <label for="packages-sort">"Sort by"</label>
                <select
                    id="packages-sort"
                    class="profile-select"
                    on:change=move |event| {
                        let key = event_target_value(&event);
                        if let Some(sort) = Sort::EACH.into_iter().find(|sort| sort.key() == key) {
                            local_storage::set_preference(KEPT_SORT, sort.key());
                            wanted.update(|wanted| wanted.sort = sort);
                        }
                    }
                >
                    {Sort::EACH
                        .into_iter()
                        .map(|sort| {
                            let is_it = move || wanted.with(|wanted| wanted.sort == sort);
                            view! { <option value=sort.key() prop:selected=is_it>{sort.label()}</option> }
                        })
                        .collect_view()}
                </select>
            </div>
            <div class="packages-order-field">
                <label for="packages-channels">"Number of channels"</label>
                <select
                    id="packages-channels"
                    class="profile-select"
                    on:change=move |event| {
                        let label = event_target_value(&event);
                        if let Some(channels) = ChannelCount::EACH.into_iter().find(|channels| channels.label() == label) {
                            wanted.update(|wanted| wanted.channels = channels);
                        }
                    }
                >
                    {ChannelCount::EACH
                        .into_iter()
                        .map(|channels| {
                            let is_it = move || wanted.with(|wanted| wanted.channels == channels);
                            view! { <option value=channels.label() prop:selected=is_it>{channels.label()}</option> }
                        })
                        .collect_view()}
                </select>
            </div>
            <label class="check">
                <input
                    type="checkbox"
                    prop:checked=move || wanted.with(|wanted| wanted.is_grouped)
                    on:change=move |event| {
                        let is_grouped = event_target_checked(&event);
                        local_storage::set_preference(KEPT_GROUPS, if is_grouped { "problems" } else { "none" });
                        wanted.update(|wanted| wanted.is_grouped = is_grouped);
                    }
                />
                "Group by problems"
            </label>
        </div>
    }
    .into_any()
}

#[component]
fn FilterChips(
    wanted: RwSignal<PackageQuery>,
    only_changed: RwSignal<bool>,
    changed: Memo<HashSet<String>>,
) -> impl IntoView {
    let app = app_context();
    let count = move |kind: Filter| {
        app.store
            .packages
            .with(|rows| rows.iter().filter(|row| kind.takes(row)).count())
    };
    view! {
        <div class="chips" role="group" aria-label="Filter packages">
            {Filter::SOME
                .into_iter()
                .map(|kind| {
                    let is_on = move || wanted.with(|wanted| wanted.filter == kind);
                    view! {
                        <Show when=move || { count(kind) > 0 || is_on() }>
                            <button
                                type="button"
                                class="chip"
                                aria-pressed=move || is_on().to_string()
                                on:click=move |_| {
                                    let next = if is_on() { Filter::All } else { kind };
                                    wanted.update(|wanted| wanted.filter = next);
                                }
                            >
                                {kind.label()}
                                <span class="chip-count">{move || count(kind)}</span>
                            </button>
                        </Show>
                    }
                })
                .collect_view()}
            <Show when=move || changed.with(|changed| !changed.is_empty())>
                <button
                    type="button"
                    class="chip"
                    aria-pressed=move || only_changed.get().to_string()
                    on:click=move |_| only_changed.update(|only| *only = !*only)
                >
                    "Differ"
                    <span class="chip-count">{move || changed.with(HashSet::len)}</span>
                </button>
            </Show>
        </div>
    }
    .into_any()
}

/// Why the list is empty, and how to change that.
#[component]
fn EmptyList(
    app: AppContext,
    wanted: RwSignal<PackageQuery>,
    only_changed: RwSignal<bool>,
) -> impl IntoView {
    let is_narrowed = move || only_changed.get() || wanted.with(|wanted| !wanted.is_all());
    let has_others = move || {
        app.store.status.with(|status| {
            status
                .unused_files
                .as_ref()
                .is_some_and(|files| !files.is_empty())
        })
    };
    let message = move || {
        let is_known = app.current.progress.with(Option::is_none);
        match (app.store.packages.with(Vec::is_empty), is_known) {
            (true, false) => "Reading packages…",
            (true, true) if has_others() => {
                "This catalog has no packages. Files that no catalog uses are listed above with the reason."
            }
            (true, true) => "This catalog has no packages.",
            (false, _) => "No package matches.",
        }
    };
    view! {
        <p>{message}</p>
        <Show when=move || is_narrowed() && !app.store.packages.with(Vec::is_empty)>
            <button
                type="button"
                class="link"
                on:click=move |_| {
                    only_changed.set(false);
                    wanted.update(|wanted| {
                        *wanted = PackageQuery { sort: wanted.sort, is_grouped: wanted.is_grouped, ..PackageQuery::default() };
                    });
                    dom::focus_id(SEARCH_PACKAGES);
                }
            >
                "Show all packages"
            </button>
        </Show>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::upgrades::ComparedRow;

    #[test]
    fn changed_packages_are_counted_in_the_catalog_in_view() {
        let row = |package: &str| ComparedRow {
            package: package.into(),
            ..ComparedRow::default()
        };
        let found = Comparison {
            root: "v4.20".into(),
            packages: vec![row("kept"), row("gone")],
            ..Comparison::default()
        };
        let rows = [PackageRow {
            name: "kept".into(),
            ..PackageRow::default()
        }];
        assert_eq!(
            changed_in_view(&found, "v4.20", &rows),
            HashSet::from(["kept".to_owned()])
        );
        assert!(
            changed_in_view(&found, "v4.19", &rows).is_empty(),
            "it is of another catalog"
        );
    }
}
