//! The package list. For a very long one only the surroundings of the view are in the DOM.
//!
//! | key | effect |
//! |---|---|
//! | Down, Up, Home, End | next, previous, first and last package |
//! | Enter, Space | shows the package; with Ctrl in a new tab |
//! | Shift+F10 | its menu |

use super::package_filter::Group;
use crate::context::AppContext;
use crate::reactive::{effect, memo};
use crate::widgets::cut_text::cut_text;
use crate::widgets::dom;
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::list_cursor::{Axis, next_item};
use crate::widgets::virtual_list::Stack;
use crate::words;
use leptos::html;
use leptos::prelude::*;
use protocol::views::PackageRow;
use std::ops::Range;

/// Longer lists are only drawn in the visible area.
const ALL_IN_PAGE: usize = 600;
/// Row heights from the style sheet.
const HEADING: f64 = 30.0;
const ROW: f64 = 28.0;
/// Pixels drawn above and below the view.
const MORE: f64 = 560.0;

/// Heights of all rows, including headings.
fn stack_rows(groups: &[Group]) -> Stack {
    Stack::new(groups.iter().flat_map(|group| {
        let heading = group.heading.map(|_| HEADING);
        heading.into_iter().chain(group.rows.iter().map(|_| ROW))
    }))
}

/// The groups in a window of rows, with whether it includes their headings.
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
        // A list without rows is still a list.
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

/// Row of a package in the whole list.
fn row_of(groups: &[Group], name: &str) -> Option<usize> {
    let mut at = 0;
    for group in groups {
        at += usize::from(group.heading.is_some());
        if let Some(found) = group.rows.iter().position(|row| row.name == name) {
            return Some(at + found);
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
    let scroller = NodeRef::<html::Div>::new();
    let size = RwSignal::new((0.0, 600.0));
    let top = RwSignal::new(0.0);
    dom::follow_size(scroller, size);
    let stack = memo(move |_| groups.with(|groups| stack_rows(groups)));
    let total = memo(move |_| {
        groups.with(|groups| groups.iter().map(|group| group.rows.len()).sum::<usize>())
    });
    let window = memo(move |_| {
        if total.get() <= ALL_IN_PAGE {
            0..usize::MAX
        } else {
            stack.with(|stack| stack.window(top.get(), size.get().1, MORE))
        }
    });
    let drawn_groups = memo(move |_| groups.with(|groups| rows_in(groups, &window.get())));
    let above = move || format!("{}px", stack.with(|stack| stack.top(window.get().start)));
    let below = move || {
        format!(
            "{}px",
            stack.with(|stack| stack.height() - stack.top(window.get().end))
        )
    };
    // The single tab stop: the package in view, or the first one if that is not drawn.
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
    let is_sized = memo(move |_| size.get().1 > 0.0);
    // Scroll to packages shown from elsewhere (a problem, the palette, a tab).
    effect(move |_| {
        let package = app.current.package.get();
        let row = groups.with_untracked(|groups| row_of(groups, &package));
        // Uses known geometry: measuring would cost a layout for each chosen package.
        let (at, height) = (top.get_untracked(), size.get_untracked().1);
        let Some(to) = row
            .filter(|_| is_sized.get())
            .and_then(|row| stack.get_untracked().scroll_to(row, at, height, HEADING))
        else {
            return;
        };
        if let Some(element) = scroller.get_untracked() {
            element.set_scroll_top(to as i32);
            top.set(to);
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
        let row = groups.with_untracked(|groups| row_of(groups, &name));
        if let (Some(element), Some(row)) = (scroller.get_untracked(), row) {
            bring(&element, &stack.get_untracked(), row, top);
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
            node_ref=scroller
            on:scroll=move |_| {
                if let Some(element) = scroller.get_untracked() {
                    top.set(f64::from(element.scroll_top()));
                }
            }
            on:keydown=on_key
        >
            <div style:height=above></div>
            <For each=move || drawn_groups.get() key=|(has_heading, group)| (*has_heading, group.heading) let:found>
                {group(app, groups, drawn_groups, stop, found.0, found.1.heading)}
            </For>
            <div style:height=below></div>
        </div>
    }
    .into_any()
}

/// Scrolls a row into view.
fn bring(element: &web_sys::HtmlElement, stack: &Stack, row: usize, top: RwSignal<f64>) {
    let (from, view) = (
        f64::from(element.scroll_top()),
        f64::from(element.client_height()),
    );
    if let Some(to) = stack.scroll_to(row, from, view, HEADING) {
        element.set_scroll_top(to as i32);
        top.set(to);
    }
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

/// A row is redrawn when its key changes.
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

/// Number of problems of a severity with its icon; hidden if there are none.
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
    use super::super::package_filter::Heading;
    use super::*;

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
