//! The problems of the catalog in view: list, filter, keyboard, explanations, fixes. Marks problems
//! introduced by the last edit. The list is scrolled to the first new one, to the group of the package
//! in view, and to the first problem of the selected channel, entry or bundle.

mod problem_list;
mod problem_row;

use crate::components::preview::revision;
use crate::context::{AppContext, app_context};
use crate::reactive::{effect, memo};
use crate::state::problems::ProblemListState;
use crate::state::problems::rows::{Facet, Filter, Row, none_here};
use crate::state::store::LastChange;
use crate::widgets::announce;
use crate::widgets::fields::field_text;
use crate::widgets::virtual_list::Stack;
use crate::words;
use leptos::html;
use leptos::prelude::*;
use problem_list::{HEADING, List, group_id, toggle_id};
pub use problem_row::problem_item;
use protocol::diagnostic::{Diagnostic, Profile};
use protocol::request::Target;

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

/// An open problem is being read, so the list does not move.
fn follow_new(app: AppContext, list: ListView) {
    let board = app.problem_list;
    let revision = revision(app);
    // The revision already shown: once, so that a user who moves on to another package is not
    // called back.
    effect(move |done: Option<u64>| {
        let (revision, done) = (revision.get(), done.unwrap_or_default());
        let is_made = app
            .store
            .last_change
            .with(|change| matches!(change, Some(LastChange::Made { .. })));
        let listing = board.listing.get();
        if !is_made || revision == done || board.open.get_untracked().is_some() {
            return done;
        }
        let first = app.store.problems.with_untracked(|problems| {
            let is_it = |index: &&usize| {
                problems
                    .get(**index)
                    .is_some_and(|problem| is_new(app, problem))
            };
            listing.order.iter().find(is_it).copied()
        });
        match first.and_then(|index| listing.row_of(index)) {
            Some(row) => {
                list.scroll_to(row);
                revision
            }
            None => done,
        }
    });
}

/// Whether the last edit introduced it.
fn is_new(app: AppContext, problem: &Diagnostic) -> bool {
    app.store.last_change.with(|change| match change {
        Some(LastChange::Made { consequences, .. }) => consequences
            .problems_gained
            .iter()
            .any(|gained| is_same(&gained.0, problem)),
        _ => false,
    })
}

/// An edit may move a problem to another line.
fn is_same(one: &Diagnostic, other: &Diagnostic) -> bool {
    let subject = |problem: &Diagnostic| {
        (
            problem.package.clone(),
            problem.channel.clone(),
            problem.bundle.clone(),
        )
    };
    one.rule == other.rule && one.message == other.message && subject(one) == subject(other)
}

/// How the list is shown.
#[derive(Clone, Copy)]
struct ListView {
    pub scroller: NodeRef<html::Div>,
    pub stack: Memo<Stack>,
    pub top: RwSignal<f64>,
    /// One row high, without headings.
    pub is_low: Memo<bool>,
}

impl ListView {
    /// Scrolls a row into view, with a heading above it if there is room.
    fn scroll_to(self, row: usize) {
        let Some(element) = self.scroller.get_untracked() else {
            return;
        };
        let (at, height) = (
            f64::from(element.scroll_top()),
            f64::from(element.client_height()),
        );
        let above = if self.is_low.get_untracked() {
            0.0
        } else {
            HEADING
        };
        if let Some(to) = self
            .stack
            .with_untracked(|stack| stack.scroll_to(row, at, height, above))
        {
            element.set_scroll_top(to as i32);
            self.top.set(to);
        }
    }
}

/// Does not scroll if a problem of the package is open: the user already sees it.
fn follow_package(app: AppContext, list: ListView) {
    let board = app.problem_list;
    let place = memo(move |_| {
        let is_known = board.listing.with(|list| !list.rows.is_empty());
        let place = (app.store.root.get(), app.current.package.get());
        (is_known && !place.1.is_empty()).then_some(place)
    });
    effect(move |last: Option<Option<((String, String), bool)>>| {
        let last = last.flatten();
        let is_low = list.is_low.get();
        let Some(place) = place.get() else {
            return last;
        };
        let Some(element) = list.scroller.get_untracked() else {
            return last;
        };
        let opened = board.open.get_untracked().and_then(|index| {
            app.store
                .problems
                .with_untracked(|problems| problems.get(index)?.package.clone())
        });
        // The first package of a catalog was not chosen by the user: if there is room, show the
        // catalog's worst problem.
        let is_wanted = match &last {
            None => is_low,
            Some((before, _)) if *before != place => opened.as_ref() != Some(&place.1),
            Some((_, was_low)) => *was_low != is_low && opened.is_none(),
        };
        let is_resized = last.as_ref().is_none_or(|(_, was_low)| *was_low != is_low);
        let row = board.listing.with_untracked(|list| {
            // The package has no problems of its own: show those of the whole catalog, which come
            // first.
            let first = (is_low || is_resized).then_some(0);
            let row = list.heading_of(&place.1).or(first).filter(|_| is_wanted)?;
            Some((
                row,
                list.rows.get(row).copied()?,
                list.rows.get(row + 1).copied(),
            ))
        });
        if let Some((row, heading, first)) = row {
            element.set_scroll_top(list.stack.with_untracked(|stack| stack.top(row)) as i32);
            list.top.set(f64::from(element.scroll_top()));
            let id = match (is_low, heading, first) {
                (false, Row::Heading { group }, _) => group_id(group),
                (_, _, Some(Row::Problem { index, .. })) => toggle_id(index),
                _ => return Some((place, is_low)),
            };
            request_animation_frame(move || bring(list, &id));
        }
        Some((place, is_low))
    });
}

/// Aligns drawn content exactly: row heights are only estimates.
fn bring(list: ListView, id: &str) {
    let Some(scroller) = list.scroller.try_get_untracked().flatten() else {
        return;
    };
    let Some(element) = document().get_element_by_id(id) else {
        return;
    };
    let row = element.closest("li, h3").ok().flatten().unwrap_or(element);
    let by = row.get_bounding_client_rect().top() - scroller.get_bounding_client_rect().top();
    scroller.set_scroll_top(scroller.scroll_top() + by.round() as i32);
}

/// An open problem is being read, so the list does not move.
fn follow_selection(app: AppContext, list: ListView) {
    let board = app.problem_list;
    let selected = memo(move |_| {
        (
            app.store.root.get(),
            app.current.package.get(),
            app.current.target.get(),
        )
    });
    effect(move |last: Option<(String, String, Target)>| {
        let now = selected.get();
        let is_other = last.as_ref().is_some_and(|last| *last != now);
        if !is_other || board.open.get_untracked().is_some() {
            return now;
        }
        let (_, package, target) = &now;
        let index = app.store.problems.with_untracked(|problems| {
            let is_it = |index: &&usize| {
                problems
                    .get(**index)
                    .is_some_and(|problem| is_of(problem, package, target))
            };
            board
                .listing
                .with_untracked(|list| list.order.iter().find(is_it).copied())
        });
        let row = index.and_then(|index| board.listing.with_untracked(|list| list.row_of(index)));
        if let Some(row) = row {
            list.scroll_to(row);
        }
        now
    });
}

/// Whether a problem concerns the selection; the package itself has its own group.
fn is_of(problem: &Diagnostic, package: &str, target: &Target) -> bool {
    let is_named = |field: &Option<String>, name: &str| field.as_deref() == Some(name);
    is_named(&problem.package, package)
        && match target {
            Target::Channel { channel } => is_named(&problem.channel, channel),
            Target::Entry { channel, name } => {
                is_named(&problem.bundle, name)
                    && problem.channel.as_deref().is_none_or(|at| at == channel)
            }
            Target::Bundle { name } => is_named(&problem.bundle, name),
            Target::Package | Target::Problem { .. } => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::diagnostic::{Location, Severity};
    #[test]
    fn a_problem_that_moved_is_the_same() {
        let problem = Diagnostic {
            opm: true,
            package: Some("p".into()),
            ..Diagnostic::new("r", Severity::Error, "m")
        };
        let moved = Diagnostic {
            location: Location {
                line: 9,
                ..Location::default()
            },
            ..problem.clone()
        };
        assert!(is_same(&problem, &moved));
        assert!(!is_same(
            &problem,
            &Diagnostic {
                package: Some("q".into()),
                ..problem.clone()
            }
        ));
        assert!(!is_same(
            &problem,
            &Diagnostic {
                message: "n".into(),
                ..problem.clone()
            }
        ));
    }

    #[test]
    fn a_problem_belongs_to_the_objects_it_names() {
        let problem = Diagnostic {
            opm: true,
            package: Some("p".into()),
            channel: Some("stable".into()),
            bundle: Some("p.v1".into()),
            ..Diagnostic::new("r", Severity::Error, "")
        };
        let entry = |channel: &str| Target::Entry {
            channel: channel.into(),
            name: "p.v1".into(),
        };
        assert!(is_of(&problem, "p", &entry("stable")));
        assert!(!is_of(&problem, "p", &entry("fast")));
        assert!(is_of(
            &problem,
            "p",
            &Target::Channel {
                channel: "stable".into()
            }
        ));
        assert!(is_of(
            &problem,
            "p",
            &Target::Bundle {
                name: "p.v1".into()
            }
        ));
        assert!(!is_of(
            &problem,
            "q",
            &Target::Bundle {
                name: "p.v1".into()
            }
        ));
        assert!(!is_of(&problem, "p", &Target::Package));
    }
}
