//! The packages of the catalog in view. Only the rows of a very long list around the view are in
//! the DOM.
//!
//! | key | effect |
//! |---|---|
//! | Down, Up, Home, End | next, previous, first and last package |
//! | Enter, Space | shows the package; with Ctrl in a new tab |
//! | Shift+F10 | its menu |

use super::package_filter::{ChannelCount, Filter, Group, PackageQuery, Sort, matching_groups};
use crate::browser::storage;
use crate::context::{AppContext, app_context};
use crate::reactive::{effect, memo};
use crate::state::layout::SEARCH_PACKAGES;
use crate::widgets::cursors::{Axis, next_item};
use crate::widgets::dom;
use crate::widgets::dom::field_text;
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::short_text::cut_text;
use crate::widgets::virtual_list::{ScrolledList, Stack, gaps};
use crate::words;
use leptos::prelude::*;
use protocol::upgrades::Comparison;
use protocol::views::PackageRow;
use std::collections::HashSet;
use std::ops::Range;
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
    // A filter typed for one folder does not apply to the next.
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
        app.comparison.catalogs.with(|comparison| {
            let names = |comparison: &Arc<Comparison>| {
                rows.with(|rows| changed_in_view(comparison, &root, rows))
            };
            comparison.as_ref().map(names).unwrap_or_default()
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

/// Returns the packages in view that the comparison found changed. Ignores comparisons of other
/// catalogs, and removed packages.
fn changed_in_view(comparison: &Comparison, root: &str, rows: &[PackageRow]) -> HashSet<String> {
    let is_in_view = |name: &&String| rows.iter().any(|row| row.name == **name);
    let names = comparison
        .packages
        .iter()
        .map(|row| &row.package)
        .filter(is_in_view);
    names.filter(|_| comparison.root == root).cloned().collect()
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
    let kept = storage::preference(KEPT_SORT);
    Sort::EACH
        .into_iter()
        .find(|sort| kept.as_deref() == Some(sort.key()))
        .unwrap_or_default()
}

fn kept_groups() -> bool {
    storage::preference(KEPT_GROUPS).is_some_and(|kept| kept == "problems")
}

/// The title, and a button for order, headings and channel filter.
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
                            storage::set_preference(KEPT_SORT, sort.key());
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
                        storage::set_preference(KEPT_GROUPS, if is_grouped { "problems" } else { "none" });
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

/// Tells why the list is empty, and how to change that.
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

/// Longer lists are only drawn in the visible area.
const ALL_IN_PAGE: usize = 600;
/// Row heights from the style sheet.
const HEADING: f64 = 30.0;
const ROW: f64 = 28.0;
/// Pixels drawn above and below the view.
const MORE: f64 = 560.0;

/// Returns the heights of all rows, including headings.
fn stack_rows(groups: &[Group]) -> Stack {
    Stack::new(groups.iter().flat_map(|group| {
        let heading = group.heading.map(|_| HEADING);
        heading.into_iter().chain(group.rows.iter().map(|_| ROW))
    }))
}

/// Returns the groups in a window of rows, each with whether its heading is included.
fn rows_in(groups: &[Group], window: &Range<usize>) -> Vec<(bool, Group)> {
    let mut out = Vec::new();
    let mut at = 0;
    for group in groups {
        let headings = usize::from(group.heading.is_some());
        let first = at + headings;
        let end = first + group.rows.len();
        let from = window.start.clamp(first, end) - first;
        let to = window.end.clamp(first, end) - first;
        let has_heading = headings > 0 && window.contains(&at);
        // Keep the first group without rows: an empty list is still a list.
        if has_heading || from < to || (headings == 0 && end == first) {
            let rows = group.rows.get(from..to).unwrap_or_default().to_vec();
            out.push((
                has_heading,
                Group {
                    heading: group.heading,
                    rows,
                },
            ));
        }
        at = end;
    }
    out
}

/// Returns the row of a package in the whole list.
fn row_of(groups: &[Group], name: &str) -> Option<usize> {
    let mut at = 0;
    for group in groups {
        at += usize::from(group.heading.is_some());
        if let Some(position) = group.rows.iter().position(|row| row.name == name) {
            return Some(at + position);
        }
        at += group.rows.len();
    }
    None
}

fn row_id(name: &str) -> String {
    format!("package-{name}")
}

#[component]
pub(super) fn PackageList(app: AppContext, groups: Memo<Vec<Group>>) -> impl IntoView {
    let scrolled = ScrolledList::new(600.0);
    let stack = memo(move |_| groups.with(|groups| stack_rows(groups)));
    let total = memo(move |_| {
        groups.with(|groups| groups.iter().map(|group| group.rows.len()).sum::<usize>())
    });
    let window = memo(move |_| {
        if total.get() <= ALL_IN_PAGE {
            0..usize::MAX
        } else {
            stack.with(|stack| stack.window(scrolled.top.get(), scrolled.size.get().1, MORE))
        }
    });
    let drawn_groups = memo(move |_| groups.with(|groups| rows_in(groups, &window.get())));
    let [above, below] = gaps(stack, window);
    // The single tab stop: the package in view, or the first drawn one if that is not drawn.
    let stop = memo(move |_| {
        let package = app.current.package.get();
        drawn_groups.with(|drawn_groups| {
            let mut rows = drawn_groups.iter().flat_map(|(_, group)| &group.rows);
            let first = rows.next().map(|row| row.name.clone()).unwrap_or_default();
            if first == package || rows.any(|row| row.name == package) {
                package
            } else {
                first
            }
        })
    });
    let is_sized = memo(move |_| scrolled.size.get().1 > 0.0);
    // Scroll to a package that was shown from elsewhere, such as a problem, the palette, or a tab.
    effect(move |_| {
        let package = app.current.package.get();
        let row = groups.with_untracked(|groups| row_of(groups, &package));
        // Use the known geometry: measuring would cost a layout for each chosen package.
        let (at, height) = (
            scrolled.top.get_untracked(),
            scrolled.size.get_untracked().1,
        );
        if let Some(to) = row
            .filter(|_| is_sized.get())
            .and_then(|row| stack.get_untracked().scroll_to(row, at, height, HEADING))
        {
            scrolled.scroll_to(to);
        }
    });
    let on_key = move |event: web_sys::KeyboardEvent| {
        let here = dom::focused_element().and_then(|element| element.get_attribute("data-package"));
        let Some(name) = groups.with_untracked(|groups| {
            let names: Vec<&String> = groups
                .iter()
                .flat_map(|group| &group.rows)
                .map(|row| &row.name)
                .collect();
            let at = here
                .as_ref()
                .and_then(|here| names.iter().position(|name| *name == here));
            next_item(&event.key(), at, names.len(), Axis::Vertical)
                .and_then(|to| names.get(to).map(|name| (*name).clone()))
        }) else {
            return;
        };
        event.prevent_default();
        if let Some(row) = groups.with_untracked(|groups| row_of(groups, &name)) {
            scrolled.bring(stack, row, HEADING);
        }
        let id = row_id(&name);
        match document().get_element_by_id(&id) {
            Some(_) => dom::focus_id(&id),
            None => dom::focus_id_later(id),
        }
    };
    view! {
        <div
            class="side-scroll"
            node_ref=scrolled.element
            on:scroll=move |_| scrolled.read_scroll()
            on:keydown=on_key
        >
            <div style:height=above></div>
            <For each=move || drawn_groups.get() key=|(has_heading, group)| (*has_heading, group.heading) let:drawn>
                {group(app, groups, drawn_groups, stop, drawn.0, drawn.1.heading)}
            </For>
            <div style:height=below></div>
        </div>
    }
    .into_any()
}

fn group(
    app: AppContext,
    groups: Memo<Vec<Group>>,
    drawn_groups: Memo<Vec<(bool, Group)>>,
    stop: Memo<String>,
    has_heading: bool,
    heading: Option<super::package_filter::Heading>,
) -> impl IntoView {
    let rows = move || {
        drawn_groups.with(|drawn_groups| {
            let own = drawn_groups
                .iter()
                .find(|(_, group)| group.heading == heading);
            own.map(|(_, group)| group.rows.clone()).unwrap_or_default()
        })
    };
    let count = move || {
        groups.with(|groups| {
            groups
                .iter()
                .find(|group| group.heading == heading)
                .map_or(0, |group| group.rows.len())
        })
    };
    let name = heading.map_or_else(
        || "Packages".to_owned(),
        |heading| format!("Packages {}", heading.label().to_lowercase()),
    );
    view! {
        {heading
            .filter(|_| has_heading)
            .map(|heading| {
                view! {
                    <h3 class="side-group">{heading.label()} " " <span class="row-count">{count}</span></h3>
                }
            })}
        <ul class="side-list" aria-label=name>
            <For each=rows key=key let:row>
                {package(app, stop, row)}
            </For>
        </ul>
    }
    .into_any()
}

/// Returns the key of a row. A row with another key is redrawn.
fn key(row: &PackageRow) -> (String, [u32; 5], [bool; 2]) {
    (
        row.name.clone(),
        [
            row.channels,
            row.bundles,
            row.errors,
            row.warnings,
            row.infos,
        ],
        [row.edited, row.deprecated],
    )
}

fn package(app: AppContext, stop: Memo<String>, row: PackageRow) -> impl IntoView {
    let name = row.name.clone();
    let is_here = memo({
        let name = name.clone();
        move |_| app.current.package.get() == name
    });
    let stops = {
        let name = name.clone();
        move || {
            if stop.with(|stop| *stop == name) {
                "0"
            } else {
                "-1"
            }
        }
    };
    let own = StoredValue::new(name.clone());
    let (id, data) = (row_id(&name), name.clone());
    view! {
        <li class="side-item" aria-label=words::package_item(&row)>
            <button
                type="button"
                class="row"
                id=id
                data-package=data
                title=row.display_name.clone()
                aria-current=move || is_here.get().then_some("true")
                tabindex=stops
                on:click=move |event| {
                    if event.ctrl_key() || event.meta_key() {
                        app.open_in_tab(own.get_value());
                    } else {
                        app.choose_package(own.get_value());
                    }
                }
                on:auxclick=move |event| {
                    if event.button() == 1 {
                        event.prevent_default();
                        app.open_in_tab(own.get_value());
                    }
                }
                on:keydown=move |event| {
                    if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
                        event.prevent_default();
                        app.open_in_tab(own.get_value());
                    }
                }
                on:contextmenu=move |event| {
                    event.prevent_default();
                    app.open_package_menu(own.get_value(), (event.client_x(), event.client_y()));
                }
            >
                <span class="row-name">{cut_text(&name)}</span>
                {row.deprecated
                    .then(|| {
                        view! {
                            <span class="mark" data-tone="advice" title="deprecated">
                                <span aria-hidden="true">"⊘"</span>
                                <span class="visually-hidden">"deprecated"</span>
                            </span>
                        }
                    })}
                {row.edited
                    .then(|| view! { <span class="dot" title="edited"><span class="visually-hidden">"edited"</span></span> })}
                {mark(row.errors, "error", Icon::Error, words::count(row.errors, "error"))}
                {mark(row.warnings, "advice", Icon::Warning, words::count(row.warnings, "warning"))}
                {mark(row.infos, "info", Icon::Info, format!("{} info", row.infos))}
                <span class="row-count" title=words::count(row.channels, "channel")>{row.channels}</span>
            </button>
        </li>
    }
    .into_any()
}

/// Renders the number of problems of a severity with its icon; nothing for 0.
fn mark(count: u32, tone: &'static str, icon: Icon, text: String) -> impl IntoView {
    (count > 0).then(|| {
        let spoken = text
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .to_owned();
        view! {
            <span class="mark" data-tone=tone title=text>
                <Glyph icon=icon/>
                {count}
                <span class="visually-hidden">{spoken}</span>
            </span>
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::side::package_filter::Heading;
    use protocol::upgrades::ComparedRow;
    #[test]
    fn changed_packages_are_counted_in_the_catalog_in_view() {
        let row = |package: &str| ComparedRow {
            package: package.into(),
            ..ComparedRow::default()
        };
        let comparison = Comparison {
            root: "v4.20".into(),
            packages: vec![row("kept"), row("gone")],
            ..Comparison::default()
        };
        let rows = [PackageRow {
            name: "kept".into(),
            ..PackageRow::default()
        }];
        assert_eq!(
            changed_in_view(&comparison, "v4.20", &rows),
            HashSet::from(["kept".to_owned()])
        );
        assert!(
            changed_in_view(&comparison, "v4.19", &rows).is_empty(),
            "it is of another catalog"
        );
    }

    fn group(heading: Option<Heading>, names: &[&str]) -> Group {
        let row = |name: &&str| PackageRow {
            name: (*name).to_owned(),
            ..PackageRow::default()
        };
        Group {
            heading,
            rows: names.iter().map(row).collect(),
        }
    }

    fn shape(groups: &[Group], window: Range<usize>) -> Vec<(bool, usize)> {
        rows_in(groups, &window)
            .into_iter()
            .map(|(has_heading, group)| (has_heading, group.rows.len()))
            .collect()
    }

    #[test]
    fn a_window_takes_rows_and_headings_as_they_lie() {
        let groups = [
            group(Some(Heading::Errors), &["a", "b"]),
            group(Some(Heading::Clean), &["c", "d", "e"]),
        ];
        assert_eq!(shape(&groups, 0..usize::MAX), [(true, 2), (true, 3)]);
        assert_eq!(shape(&groups, 2..5), [(false, 1), (true, 1)]);
        assert_eq!(shape(&groups, 4..6), [(false, 2)]);
        assert_eq!(shape(&groups, 3..4), [(true, 0)]);
        assert_eq!(row_of(&groups, "c"), Some(4));
        assert_eq!(row_of(&groups, "x"), None);
        assert_eq!(stack_rows(&groups).height(), 2.0 * HEADING + 5.0 * ROW);
    }

    #[test]
    fn a_list_of_nothing_is_a_list() {
        assert_eq!(shape(&[group(None, &[])], 0..usize::MAX), [(false, 0)]);
        assert!(shape(&[], 0..9).is_empty());
    }
}
