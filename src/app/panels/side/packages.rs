//! The packages of the catalog in view.

use super::filter::{Filter, filtered};
use super::rove;
use crate::app::desk::{Desk, desk};
use crate::app::panels::words;
use crate::app::widgets::icon::{Glyph, Icon};
use crate::protocol::request::Target;
use crate::protocol::upgrades::Comparison;
use crate::protocol::views::PackageRow;
use leptos::prelude::*;
use std::collections::HashSet;
use std::sync::Arc;

/// Id of the search box, for the key that goes there.
pub const SEARCH: &str = "search-packages";

#[component]
pub(super) fn Packages() -> impl IntoView {
    let desk = desk();
    let text = RwSignal::new(String::new());
    let filter = RwSignal::new(Filter::All);
    let only_changed = RwSignal::new(false);
    // Packages that differ from the catalog that the one in view is compared with.
    let changed = Memo::new(move |_| {
        let names = |found: &Arc<Comparison>| found.packages.iter().map(|row| row.package.clone()).collect();
        desk.comparing.catalogs.with(|found| found.as_ref().map(names).unwrap_or_else(HashSet::<String>::new))
    });
    let shown = Memo::new(move |_| {
        let mut rows = desk.session.packages.with(|rows| filtered(rows, &text.get(), filter.get()));
        if only_changed.get() && changed.with(|changed| !changed.is_empty()) {
            changed.with(|changed| rows.retain(|row| changed.contains(&row.name)));
        }
        rows
    });
    let count =
        move |wanted: Filter| desk.session.packages.with(|rows| rows.iter().filter(|row| wanted.takes(row)).count());
    // The list is one stop for Tab: the package in view, or the first where that is not listed.
    let stop = Memo::new(move |_| {
        let package = desk.package.get();
        shown.with(|rows| {
            let here = rows.iter().any(|row| row.name == package);
            if here { package } else { rows.first().map(|row| row.name.clone()).unwrap_or_default() }
        })
    });
    view! {
        <section class="side-section" data-part="packages">
            <h2 class="side-title" id="packages-title">"Packages"</h2>
            <div class="side-search">
                <Glyph icon=Icon::Search/>
                <input
                    id=SEARCH
                    class="side-search-input"
                    type="search"
                    aria-label="Search packages"
                    placeholder="Search packages"
                    autocomplete="off"
                    spellcheck="false"
                    prop:value=move || text.get()
                    on:input=move |event| text.set(event_target_value(&event))
                    on:keydown=move |event| {
                        if event.key() == "Enter"
                            && let Some(name) = shown.with(|rows| rows.first().map(|row| row.name.clone()))
                        {
                            desk.choose_package(name);
                        }
                    }
                />
            </div>
            <div class="chips" role="group" aria-label="Filter packages">
                {Filter::SOME
                    .into_iter()
                    .map(|kind| {
                        let is_on = move || filter.get() == kind;
                        view! {
                            <Show when=move || { count(kind) > 0 || is_on() }>
                                <button
                                    type="button"
                                    class="chip"
                                    aria-pressed=move || is_on().to_string()
                                    on:click=move |_| filter.set(if is_on() { Filter::All } else { kind })
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
                        "Changed"
                        <span class="chip-count">{move || changed.with(HashSet::len)}</span>
                    </button>
                </Show>
            </div>
            <ul
                class="side-list"
                data-grow="true"
                aria-label="Packages"
                on:keydown=move |event| rove(&event)
            >
                <For each=move || shown.get() key=key let:row>
                    {package(desk, stop, row)}
                </For>
            </ul>
            <p class="side-empty" hidden=move || shown.with(|rows| !rows.is_empty())>
                {move || if text.get().is_empty() { "There is no package here" } else { "No package has this in its name" }}
            </p>
        </section>
    }
    .into_any()
}

/// A row is drawn anew when anything of it changed.
fn key(row: &PackageRow) -> (String, [u32; 4], [bool; 2]) {
    (row.name.clone(), [row.channels, row.bundles, row.errors, row.warnings], [row.edited, row.deprecated])
}

fn package(desk: Desk, stop: Memo<String>, row: PackageRow) -> impl IntoView {
    let name = row.name.clone();
    let is_here = Memo::new({
        let name = name.clone();
        move |_| desk.package.get() == name
    });
    let stops = {
        let name = name.clone();
        move || if stop.with(|stop| *stop == name) { "0" } else { "-1" }
    };
    let clicked = name.clone();
    let asked = name.clone();
    view! {
        <li class="side-item" aria-label=words::package_item(&row)>
            <button
                type="button"
                class="row"
                title=row.display_name.clone()
                aria-current=move || is_here.get().then_some("true")
                tabindex=stops
                on:click=move |_| desk.choose_package(clicked.clone())
                on:contextmenu=move |event| {
                    event.prevent_default();
                    if !is_here.get_untracked() {
                        desk.show_package(asked.clone());
                    }
                    desk.open_menu(Target::Package, (event.client_x(), event.client_y()));
                }
            >
                <span class="row-name">{name}</span>
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
                {mark(row.warnings, "advice", Icon::Warning, format!("{} advice", row.warnings))}
                <span class="row-count" title=words::count(row.channels, "channel")>{row.channels}</span>
            </button>
        </li>
    }
    .into_any()
}

/// How many problems of a severity there are, with its sign; nothing where there are none.
fn mark(count: u32, tone: &'static str, icon: Icon, words: String) -> impl IntoView {
    (count > 0).then(|| {
        let spoken = words.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned();
        view! {
            <span class="mark" data-tone=tone title=words>
                <Glyph icon=icon/>
                {count}
                <span class="visually-hidden">{spoken}</span>
            </span>
        }
    })
}
