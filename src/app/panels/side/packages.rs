//! The packages of the catalog in view, filtered. Of a very long list, only the rows
//! near the visible area are in the DOM.
//!
//! | key | effect |
//! |---|---|
//! | Down, Up, Home, End | next, previous, first and last package |
//! | Enter, Space | shows the package |
//! | Shift+F10 | its menu |

use crate::components::problem_parts::problem_count;
use crate::context::navigation;
use crate::prelude::*;
use crate::state::element_ids::SEARCH_PACKAGES;
use crate::widgets::cursors::{Axis, next_item};
use crate::widgets::dom::field_text;
use crate::widgets::menu::{MenuButton, MenuItem};
use crate::widgets::short_text::cut_text;
use crate::widgets::virtual_list::{ScrolledList, Stack, gaps};
use protocol::diagnostic::Severity;
use protocol::enum_with_text;
use protocol::views::PackageRow;
use std::collections::BTreeSet;

/// Longer lists are drawn only near the visible area.
const MAX_FULLY_DRAWN: usize = 600;
/// Row height in pixels, as in the style sheet.
const ROW_HEIGHT: f64 = 28.0;
/// Pixels drawn above and below the visible area.
const OVERSCAN: f64 = 560.0;
/// Assumed height of the list before it is measured, in pixels.
const INITIAL_HEIGHT: f64 = 600.0;

enum_with_text! {
    fn label;
    const ALL;
    /// What a package must have to be listed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    enum Filter {
        Failing = "Failing",
        Problems = "With problems",
        Changed = "Changed",
        Deprecated = "Deprecated",
        Requirements = "With requirements",
        Unreleased = "With unreleased bundles",
    }
}

impl Filter {
    fn accepts(self, row: &PackageRow) -> bool {
        match self {
            Filter::Failing => row.errors > 0,
            Filter::Problems => row.errors + row.warnings + row.infos > 0,
            Filter::Changed => row.edited,
            Filter::Deprecated => row.deprecated,
            Filter::Requirements => row.has_requirements,
            Filter::Unreleased => row.unreleased > 0,
        }
    }
}

/// The filters of the list. A listed package matches the text and all filters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct PackageQuery {
    text: String,
    filters: BTreeSet<Filter>,
}

/// Returns the rows whose name or display name contains all words of the text; names that start
/// with it come first.
fn matching_rows(rows: &[PackageRow], query: &PackageQuery) -> Vec<PackageRow> {
    let text = query.text.trim().to_lowercase();
    let terms: Vec<&str> = text.split_whitespace().collect();
    let has_all_words = |row: &PackageRow| {
        let (name, display) = (row.name.to_lowercase(), row.display_name.to_lowercase());
        terms
            .iter()
            .all(|word| name.contains(word) || display.contains(word))
    };
    let mut matches: Vec<PackageRow> = rows
        .iter()
        .filter(|row| query.filters.iter().all(|filter| filter.accepts(row)) && has_all_words(row))
        .cloned()
        .collect();
    matches.sort_by_key(|row| {
        let begins = text.is_empty() || row.name.to_lowercase().starts_with(&text);
        !begins
    });
    matches
}

#[component]
pub(super) fn Packages() -> impl IntoView {
    let app = app_context();
    let query = RwSignal::new(PackageQuery::default());
    // A filter typed for one folder does not apply to the next.
    effect(move |was: Option<u32>| {
        let opened = app.session.opened.get();
        if was.is_some_and(|was| was != opened) {
            query.set(PackageQuery::default());
        }
        opened
    });
    let rows = memo(move |_| {
        app.store
            .packages
            .with(|rows| query.with(|query| matching_rows(rows, query)))
    });
    view! {
        <section class="side-section" data-part="packages">
            <h2 class="side-title" id="packages-title">"Packages"</h2>
            <div class="side-search">
                <Glyph icon=Icon::Search/>
                <input
                    id=SEARCH_PACKAGES
                    class="side-search-input"
                    type="search"
                    aria-label="Search packages"
                    placeholder="Search"
                    autocomplete="off"
                    spellcheck="false"
                    use:field_text=derived(move || query.with(|query| query.text.clone()))
                    on:input=move |event| query.update(|query| query.text = event_target_value(&event))
                    on:keydown=move |event| {
                        let first = rows.with_untracked(|rows| rows.first().map(|row| row.name.clone()));
                        if event.key() == "Enter" && let Some(name) = first {
                            navigation::choose_package(app, name);
                        }
                    }
                />
                <FilterMenu query/>
            </div>
            <PackageList app rows/>
            <div class="side-empty" hidden=move || rows.with(|rows| !rows.is_empty())>
                <EmptyList app query/>
            </div>
        </section>
    }
    .into_any()
}

/// Returns the filters that accept a package of the catalog or are active, with the number of
/// packages that each accepts.
fn offered_filters(rows: &[PackageRow], active: &BTreeSet<Filter>) -> Vec<(Filter, usize)> {
    Filter::ALL
        .into_iter()
        .map(|filter| {
            (
                filter,
                rows.iter().filter(|row| filter.accepts(row)).count(),
            )
        })
        .filter(|(filter, count)| *count > 0 || active.contains(filter))
        .collect()
}

/// The menu of the filters. Its button shows how many are active.
#[component]
fn FilterMenu(query: RwSignal<PackageQuery>) -> impl IntoView {
    let app = app_context();
    let active = derived(move || query.with(|query| query.filters.len()));
    // The menu's items do not change while it is open.
    let shown = StoredValue::new(Vec::new());
    let items = move |()| {
        let filters = app.store.packages.with_untracked(|rows| {
            query.with_untracked(|query| offered_filters(rows, &query.filters))
        });
        shown.set_value(filters.iter().map(|(filter, _)| *filter).collect());
        let item = |(filter, count): (Filter, usize)| MenuItem {
            is_checked: Some(derived(move || {
                query.with(|query| query.filters.contains(&filter))
            })),
            ..MenuItem::new(format!("{} ({count})", filter.label()), "")
        };
        let mut items: Vec<MenuItem> = filters.into_iter().map(item).collect();
        items.push(MenuItem::new("Clear", ""));
        items
    };
    let choose = move |index: usize| {
        let filter = shown.with_value(|filters: &Vec<Filter>| filters.get(index).copied());
        query.update(|query| match filter {
            Some(filter) if query.filters.remove(&filter) => {}
            Some(filter) => {
                query.filters.insert(filter);
            }
            None => query.filters.clear(),
        });
    };
    view! {
        <MenuButton
            label="Filter"
            menu="Filter packages"
            class="side-filter"
            count=active
            items=Callback::new(items)
            on_choose=choose
        />
    }
    .into_any()
}

/// The reason why the list is empty, and how to change that.
#[component]
fn EmptyList(app: AppContext, query: RwSignal<PackageQuery>) -> impl IntoView {
    let is_narrowed =
        move || query.with(|query| !query.text.trim().is_empty() || !query.filters.is_empty());
    // Whether the text alone would leave some packages.
    let is_filtered_out = memo(move |_| {
        query.with(|query| {
            let text_only = PackageQuery {
                filters: BTreeSet::new(),
                text: query.text.clone(),
            };
            !query.filters.is_empty()
                && app
                    .store
                    .packages
                    .with(|rows| !matching_rows(rows, &text_only).is_empty())
        })
    });
    let can_be_rendered = move || {
        let template = app.store.root_row().and_then(|row| row.template);
        template.is_some_and(|template| template.is_rendered)
    };
    let message = move || {
        let is_known = app.current.progress.with(Option::is_none);
        match (app.store.packages.with(Vec::is_empty), is_known) {
            (true, false) => "Reading packages…",
            (true, true) if can_be_rendered() => {
                "The packages of this template appear when it is rendered."
            }
            (true, true) => "There are no packages.",
            (false, _) if is_filtered_out.get() => "The filters hide every package.",
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
                    let keeps_text = is_filtered_out.get_untracked();
                    query.update(|query| {
                        query.filters.clear();
                        if !keeps_text {
                            query.text.clear();
                        }
                    });
                    dom::focus_id(SEARCH_PACKAGES);
                }
            >
                {move || if is_filtered_out.get() { "Clear filters" } else { "Show all packages" }}
            </button>
        </Show>
    }
    .into_any()
}

fn row_index(rows: Memo<Vec<PackageRow>>, name: &str) -> Option<usize> {
    rows.with_untracked(|rows| rows.iter().position(|row| row.name == name))
}

fn row_id(name: &str) -> String {
    format!("package-{name}")
}

#[component]
fn PackageList(app: AppContext, rows: Memo<Vec<PackageRow>>) -> impl IntoView {
    let scrolled = ScrolledList::new(INITIAL_HEIGHT);
    let stack = memo(move |_| Stack::new((0..rows.with(Vec::len)).map(|_| ROW_HEIGHT)));
    let window = memo(move |_| match rows.with(Vec::len) {
        count if count <= MAX_FULLY_DRAWN => 0..count,
        _ => stack.with(|stack| stack.window(scrolled.top.get(), scrolled.size.get().1, OVERSCAN)),
    });
    let drawn =
        memo(move |_| rows.with(|rows| rows.get(window.get()).unwrap_or_default().to_vec()));
    let [above, below] = gaps(stack, window);
    // The single tab stop: the package in view, or the first drawn one if that is not drawn.
    let stop = memo(move |_| {
        let package = app.current.package.get();
        drawn.with(|drawn| {
            let is_drawn = drawn.iter().any(|row| row.name == package);
            let first = drawn.first().map(|row| row.name.clone());
            if is_drawn {
                package
            } else {
                first.unwrap_or_default()
            }
        })
    });
    let is_sized = memo(move |_| scrolled.size.get().1 > 0.0);
    // Scroll to a package that was shown from elsewhere, such as a problem, the palette, or a tab.
    effect(move |_| {
        let row = row_index(rows, &app.current.package.get());
        // Use the known geometry: measuring would cost a layout for each chosen package.
        let top = scrolled.top.get_untracked();
        let height = scrolled.size.get_untracked().1;
        if let Some(new_top) = row.filter(|_| is_sized.get()).and_then(|row| {
            stack
                .get_untracked()
                .scroll_to(row, top, height, ROW_HEIGHT)
        }) {
            scrolled.scroll_to(new_top);
        }
    });
    let on_key = move |event: web_sys::KeyboardEvent| {
        let focused =
            dom::focused_element().and_then(|element| element.get_attribute("data-package"));
        let index = focused.and_then(|name| row_index(rows, &name));
        let count = rows.with_untracked(Vec::len);
        let Some(row) = next_item(&event.key(), index, count, Axis::Vertical) else {
            return;
        };
        event.prevent_default();
        scrolled.reveal(stack, row, ROW_HEIGHT);
        let id = rows.with_untracked(|rows| rows.get(row).map(|row| row_id(&row.name)));
        dom::focus_id_or_later(id.unwrap_or_default());
    };
    view! {
        <div
            class="side-scroll"
            node_ref=scrolled.element
            on:scroll=move |_| scrolled.read_scroll()
            on:keydown=on_key
        >
            <div style:height=above></div>
            <ul class="side-list" aria-label="Packages">
                <For each=move || drawn.get() key=redraw_key let:row>
                    {package_item(app, stop, row)}
                </For>
            </ul>
            <div style:height=below></div>
        </div>
    }
    .into_any()
}

/// Returns what a row displays. A row whose key changes is redrawn.
fn redraw_key(row: &PackageRow) -> (String, [u32; 5], [bool; 2]) {
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

fn package_item(app: AppContext, stop: Memo<String>, row: PackageRow) -> AnyView {
    let name = row.name.clone();
    let is_here = memo({
        let name = name.clone();
        move |_| app.current.package.get() == name
    });
    let tab_index = {
        let name = name.clone();
        move || {
            if stop.with(|stop| *stop == name) {
                "0"
            } else {
                "-1"
            }
        }
    };
    let stored_name = StoredValue::new(name.clone());
    view! {
        <li class="side-item" aria-label=words::package_item(&row)>
            <button
                type="button"
                class="row"
                id=row_id(&name)
                data-package=name.clone()
                title=full_name(&row)
                aria-current=move || is_here.get().then_some("true")
                tabindex=tab_index
                on:click=move |_| navigation::choose_package(app, stored_name.get_value())
                on:contextmenu=move |event| {
                    event.prevent_default();
                    navigation::open_package_menu(app, stored_name.get_value(), (event.client_x(), event.client_y()));
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
                {problem_count(row.errors, Severity::Error)}
                {problem_count(row.warnings, Severity::Warning)}
                {problem_count(row.infos, Severity::Info)}
                <span class="row-count" title=words::count(row.channels, "channel")>{row.channels}</span>
            </button>
        </li>
    }
    .into_any()
}

/// Returns the tooltip of a row with a display name. It begins with the name, which may be cut.
fn full_name(row: &PackageRow) -> Option<String> {
    let PackageRow {
        name, display_name, ..
    } = row;
    (!display_name.is_empty()).then(|| format!("{name} ({display_name})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, display_name: &str, edited: bool) -> PackageRow {
        PackageRow {
            name: name.into(),
            display_name: display_name.into(),
            edited,
            ..PackageRow::default()
        }
    }

    fn rows() -> Vec<PackageRow> {
        vec![
            PackageRow {
                channels: 1,
                warnings: 3,
                ..row("my-kafka", "", false)
            },
            PackageRow {
                channels: 4,
                infos: 1,
                has_requirements: true,
                ..row("kafka", "", true)
            },
            PackageRow {
                channels: 26,
                errors: 1,
                ..row("strimzi-kafka-operator", "Strimzi", false)
            },
        ]
    }

    fn names(query: PackageQuery) -> Vec<String> {
        matching_rows(&rows(), &query)
            .into_iter()
            .map(|row| row.name)
            .collect()
    }

    fn with(text: &str, filters: &[Filter]) -> PackageQuery {
        PackageQuery {
            text: text.to_owned(),
            filters: filters.iter().copied().collect(),
        }
    }

    #[test]
    fn prefix_matches_come_first() {
        assert_eq!(
            names(with("kafka", &[])),
            ["kafka", "my-kafka", "strimzi-kafka-operator"]
        );
        assert_eq!(
            names(with("", &[])),
            ["my-kafka", "kafka", "strimzi-kafka-operator"]
        );
    }

    #[test]
    fn each_word_must_match_either_name() {
        assert_eq!(
            names(with("STRIMZI kafka", &[])),
            ["strimzi-kafka-operator"]
        );
        assert!(names(with("strimzi rabbit", &[])).is_empty());
    }

    #[test]
    fn filters_and_text_narrow_together() {
        assert_eq!(names(with("", &[Filter::Changed])), ["kafka"]);
        assert_eq!(
            names(with("", &[Filter::Changed, Filter::Requirements])),
            ["kafka"]
        );
        assert!(names(with("", &[Filter::Changed, Filter::Failing])).is_empty());
        assert!(names(with("my", &[Filter::Changed])).is_empty());
    }

    #[test]
    fn empty_filters_are_offered_only_while_active() {
        let offered = |active: &[Filter]| {
            let active = active.iter().copied().collect();
            let filters = offered_filters(&rows(), &active).into_iter();
            filters
                .map(|(filter, count)| format!("{} ({count})", filter.label()))
                .collect::<Vec<_>>()
        };
        let with_packages = [
            "Failing (1)",
            "With problems (3)",
            "Changed (1)",
            "With requirements (1)",
        ];
        assert_eq!(offered(&[]), with_packages);
        assert_eq!(
            offered(&[Filter::Unreleased])[4],
            "With unreleased bundles (0)"
        );
    }
}
