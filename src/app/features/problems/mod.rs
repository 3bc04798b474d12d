//! The problems of the catalog in view: list, filter, keyboard, explanations, fixes.

mod chain_diagram;
mod fixes;
mod follow_package;
mod follow_selection;
mod new_problems;
mod problem_detail;
mod problem_list;
mod problem_row;

pub use problem_row::problem_item;

use crate::context::{AppContext, app_context};
use crate::reactive::memo;
use crate::state::problems::ProblemListState;
use crate::state::problems::rows::{Facet, Filter, none_here};
use crate::widgets::announce;
use crate::widgets::field_text::field_text;
use crate::words;
use leptos::prelude::*;
use problem_list::List;
use protocol::diagnostic::Profile;

#[component]
pub fn Problems() -> impl IntoView {
    let app = app_context();
    let state = app.problem_list;
    let is_clean = memo(move |_| app.store.problems.with(Vec::is_empty));
    let is_empty = memo(move |_| state.listing.with(|list| list.order.is_empty()));
    let without = memo(move |_| {
        app.current.package.with(|package| {
            app.store
                .problems
                .with(|problems| none_here(problems, package))
        })
    });
    let none = move || {
        without.get().map(|none| {
            let others = match none.others {
                0 => String::new(),
                1 => "; 1 other package has some".to_owned(),
                others => format!("; {others} other packages have some"),
            };
            format!("No problems in {}{others}", app.current.package.get())
        })
    };
    view! {
        <section class="problems" aria-label="Problems" data-here=move || without.get().map(|_| "none")>
            <div class="below-head">
                <h2 class="visually-hidden">"Problems"</h2>
                <span class="dim" hidden=move || !is_clean.get()>"No problems"</span>
                <Show when=move || !is_clean.get()>
                    <Filters state/>
                </Show>
                // If they do not fit beside the chips, both move to their own row.
                <div class="below-fields">
                    <Show when=move || !is_clean.get()>
                        <Search state/>
                    </Show>
                    <Advice app/>
                </div>
            </div>
            // Replaces a list that is one row high.
            <p class="problems-none-here">{none}</p>
            <p class="problems-none" hidden=move || is_clean.get() || !is_empty.get()>
                "No problem matches. "
                <button type="button" class="link" on:click=move |_| state.filter.set(Filter::default())>"Show all"</button>
            </p>
            <List app/>
        </section>
    }
    .into_any()
}

#[component]
fn Filters(state: ProblemListState) -> impl IntoView {
    // Announced only after filtering: edits announce their own effect.
    let narrowed = memo(move |_| {
        (
            state.filter.get(),
            state.listing.with(|list| list.order.len() as u32),
        )
    });
    announce::follow(move || {
        let (filter, count) = narrowed.get();
        if filter == Filter::default() {
            String::new()
        } else {
            format!("{} listed", words::count(count, "problem"))
        }
    });
    let facets = Facet::EACH
        .into_iter()
        .enumerate()
        .map(|(at, (facet, label))| {
            let is_on = move || state.filter.with(|filter| filter.has(facet));
            let count = move || {
                state
                    .listing
                    .with(|list| list.counts.get(at).copied().unwrap_or_default())
            };
            view! {
                <Show when=move || { count() > 0 || is_on() }>
                    <button
                        type="button"
                        class="chip"
                        aria-pressed=move || is_on().to_string()
                        on:click=move |_| state.filter.update(|filter| filter.toggle(facet))
                    >
                        {label}
                        <span class="chip-count">{count}</span>
                    </button>
                </Show>
            }
        });
    view! {
        <div class="chips" role="group" aria-label="Filter problems">{facets.collect_view()}</div>
    }
    .into_any()
}

#[component]
fn Search(state: ProblemListState) -> impl IntoView {
    view! {
        <input
            class="problems-search"
            type="search"
            aria-label="Search problems"
            placeholder="Search"
            autocomplete="off"
            spellcheck="false"
            use:field_text=Signal::derive(move || state.filter.with(|filter| filter.text.clone()))
            on:input=move |event| state.filter.update(|filter| filter.text = event_target_value(&event))
        />
    }
    .into_any()
}

/// Selects the advice beside `opm`'s rules.
#[component]
fn Advice(app: AppContext) -> impl IntoView {
    let chosen = move || app.store.status.with(|status| status.profile);
    let of_files = move || {
        let (has_files, profile) = app.store.status.with(|status| {
            let root = app.store.root.get();
            let row = status.roots.iter().find(|row| row.root == root);
            (
                !status.config_files.is_empty(),
                row.map(|row| row.profile).unwrap_or_default(),
            )
        });
        match (chosen(), has_files) {
            (None, true) => format!("Advice: as configured ({})", profile.name()),
            (None, false) => format!("Advice: default ({})", profile.name()),
            (Some(_), true) => "Advice: as configured".to_owned(),
            (Some(_), false) => "Advice: default".to_owned(),
        }
    };
    view! {
            <select
                class="profile-select"
                aria-label="Advice"
                on:change=move |event| {
                    let name = event_target_value(&event);
                    app.set_profile(Profile::ALL.into_iter().find(|profile| profile.name() == name));
                }
            >
                <option value="" prop:selected=move || chosen().is_none()>{of_files}</option>
                {Profile::ALL
                    .into_iter()
                    .map(|profile| {
                        view! {
                            <option value=profile.name() prop:selected=move || chosen() == Some(profile)>
                                {format!("Advice: {}", profile.name())}
                            </option>
                        }
                    })
                    .collect_view()}
            </select>
    }
    .into_any()
}
