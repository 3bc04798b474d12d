//! The packages of the catalog in view. Only the rows of a very long list around the view are in
//! the DOM.
//!
//! | key | effect |
//! |---|---|
//! | Down, Up, Home, End | next, previous, first and last package |
//! | Enter, Space | shows the package; with Ctrl in a new tab |
//! | Shift+F10 | its menu |

use super::package_filter::{Filter, PackageQuery, Sort, matching_rows};
use crate::browser::storage;
use crate::context::{AppContext, app_context, navigation, tabs};
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
use protocol::views::PackageRow;

#[component]
pub(super) fn Packages() -> impl IntoView {
    let app = app_context();
    let kept = storage::preference(KEPT_SORT);
    let kept = Sort::EACH
        .into_iter()
        .find(|sort| kept.as_deref() == Some(sort.key()));
    let wanted = RwSignal::new(PackageQuery {
        sort: kept.unwrap_or_default(),
        ..PackageQuery::default()
    });
    // A filter typed for one folder does not apply to the next.
    effect(move |was: Option<u32>| {
        let opened = app.session.opened.get();
        if was.is_some_and(|was| was != opened) {
            wanted.update(|wanted| {
                *wanted = PackageQuery {
                    sort: wanted.sort,
                    ..PackageQuery::default()
                };
            });
        }
        opened
    });
    let rows = memo(move |_| {
        app.store
            .packages
            .with(|rows| wanted.with(|wanted| matching_rows(rows, wanted)))
    });
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
                        let first = rows.with_untracked(|rows| rows.first().map(|row| row.name.clone()));
                        if event.key() == "Enter" && let Some(name) = first {
                            navigation::choose_package(app, name);
                        }
                    }
                />
            </div>
            <FilterChips wanted/>
            <PackageList app rows/>
            <div class="side-empty" hidden=move || rows.with(|rows| !rows.is_empty())>
                <EmptyList app wanted/>
            </div>
        </section>
    }
    .into_any()
}

const KEPT_SORT: &str = "packages-sort";

/// The title, and the order.
#[component]
fn PackagesHead(wanted: RwSignal<PackageQuery>) -> impl IntoView {
    view! {
        <div class="packages-head">
            <h2 class="side-title" id="packages-title">"Packages"</h2>
            <select
                class="packages-sort"
                aria-label="Sort by"
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
                        view! { <option value=sort.key() prop:selected=is_it>{format!("By {}", sort.label())}</option> }
                    })
                    .collect_view()}
            </select>
        </div>
    }
    .into_any()
}

#[component]
fn FilterChips(wanted: RwSignal<PackageQuery>) -> impl IntoView {
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
        </div>
    }
    .into_any()
}

/// Tells why the list is empty, and how to change that.
#[component]
fn EmptyList(app: AppContext, wanted: RwSignal<PackageQuery>) -> impl IntoView {
    let is_narrowed = move || wanted.with(|wanted| !wanted.is_all());
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
                    wanted.update(|wanted| {
                        *wanted = PackageQuery { sort: wanted.sort, ..PackageQuery::default() };
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
/// Row height from the style sheet.
const ROW: f64 = 28.0;
/// Pixels drawn above and below the view.
const MORE: f64 = 560.0;

/// Returns the position of a package in the list.
fn row_of(rows: Memo<Vec<PackageRow>>, name: &str) -> Option<usize> {
    rows.with_untracked(|rows| rows.iter().position(|row| row.name == name))
}

fn row_id(name: &str) -> String {
    format!("package-{name}")
}

#[component]
fn PackageList(app: AppContext, rows: Memo<Vec<PackageRow>>) -> impl IntoView {
    let scrolled = ScrolledList::new(600.0);
    let stack = memo(move |_| Stack::new((0..rows.with(Vec::len)).map(|_| ROW)));
    let window = memo(move |_| match rows.with(Vec::len) {
        count if count <= ALL_IN_PAGE => 0..count,
        _ => stack.with(|stack| stack.window(scrolled.top.get(), scrolled.size.get().1, MORE)),
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
        let row = row_of(rows, &app.current.package.get());
        // Use the known geometry: measuring would cost a layout for each chosen package.
        let (at, height) = (
            scrolled.top.get_untracked(),
            scrolled.size.get_untracked().1,
        );
        if let Some(to) = row
            .filter(|_| is_sized.get())
            .and_then(|row| stack.get_untracked().scroll_to(row, at, height, ROW))
        {
            scrolled.scroll_to(to);
        }
    });
    let on_key = move |event: web_sys::KeyboardEvent| {
        let here = dom::focused_element().and_then(|element| element.get_attribute("data-package"));
        let at = here.and_then(|here| row_of(rows, &here));
        let count = rows.with_untracked(Vec::len);
        let Some(row) = next_item(&event.key(), at, count, Axis::Vertical) else {
            return;
        };
        event.prevent_default();
        scrolled.bring(stack, row, ROW);
        let id = rows.with_untracked(|rows| rows.get(row).map(|row| row_id(&row.name)));
        let id = id.unwrap_or_default();
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
            <ul class="side-list" aria-label="Packages">
                <For each=move || drawn.get() key=key let:row>
                    {package(app, stop, row)}
                </For>
            </ul>
            <div style:height=below></div>
        </div>
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
                        tabs::open_in_tab(app, own.get_value());
                    } else {
                        navigation::choose_package(app, own.get_value());
                    }
                }
                on:auxclick=move |event| {
                    if event.button() == 1 {
                        event.prevent_default();
                        tabs::open_in_tab(app, own.get_value());
                    }
                }
                on:keydown=move |event| {
                    if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
                        event.prevent_default();
                        tabs::open_in_tab(app, own.get_value());
                    }
                }
                on:contextmenu=move |event| {
                    event.prevent_default();
                    tabs::open_package_menu(app, own.get_value(), (event.client_x(), event.client_y()));
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
