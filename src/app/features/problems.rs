//! The problem list of the catalog in view: one item per problem, below the heading of its package
//! or file, with filter, keyboard, explanations and fixes. Marks problems that the last edit
//! introduced. Scrolls to the first new problem, to the group of the package in view, and to the
//! first problem of the selection. Only the visible part of a long list is in the DOM.
//!
//! | key | effect |
//! |---|---|
//! | Down, Up, Home, End | next, previous, first and last problem |
//! | Enter, Space | opens the explanation and shows its subject; closes it |
//! | Tab | the position and fixes of the problem |
//! | Escape | closes the explanation |

mod problem_row;

use crate::components::preview::revision;
use crate::context::{AppContext, app_context};
use crate::reactive::{effect, memo};
use crate::state::layout::Pane;
use crate::state::problems::ProblemListState;
use crate::state::problems::rows::{Facet, Filter, GroupSubject, Listing, Row, none_here, stamp};
use crate::state::store::LastChange;
use crate::widgets::cursors::{Axis, next_item};
use crate::widgets::dom::field_text;
use crate::widgets::virtual_list::{ScrolledList, Stack, gaps};
use crate::widgets::{announce, dom};
use crate::words;
use leptos::prelude::*;
pub use problem_row::problem_item;
use problem_row::row;
use protocol::diagnostic::{Diagnostic, Profile};
use protocol::request::Target;
use std::collections::HashMap;
use std::ops::Range;

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
    // Announce only the result of filtering: edits announce their own effect.
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

/// Scrolls to the first problem that an edit introduced, unless a problem is open and thus being
/// read.
fn follow_new(app: AppContext, list: ListView) {
    let board = app.problem_list;
    let revision = revision(app);
    // The last revision that was scrolled to. Scroll once per revision: the user may move on to
    // another package.
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

/// Whether the last edit introduced the problem.
fn is_new(app: AppContext, problem: &Diagnostic) -> bool {
    app.store.last_change.with(|change| match change {
        Some(LastChange::Made { consequences, .. }) => consequences
            .problems_gained
            .iter()
            .any(|gained| is_same(&gained.0, problem)),
        _ => false,
    })
}

/// Compares two problems without their lines, which an edit may change.
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
    scrolled: ScrolledList,
    stack: Memo<Stack>,
    /// Whether the list is one row high and thus without headings.
    is_low: Memo<bool>,
}

impl ListView {
    /// Scrolls a row into view, with a heading above it if there is room.
    fn scroll_to(self, row: usize) {
        let above = if self.is_low.get_untracked() {
            0.0
        } else {
            HEADING
        };
        self.scrolled.bring(self.stack, row, above);
    }
}

/// Scrolls to the group of the package in view, unless one of its problems is open.
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
        let Some(element) = list.scrolled.element.get_untracked() else {
            return last;
        };
        let opened = board.open.get_untracked().and_then(|index| {
            app.store
                .problems
                .with_untracked(|problems| problems.get(index)?.package.clone())
        });
        // The user did not choose the first package of a catalog: if there is room, show the
        // catalog's worst problem.
        let is_wanted = match &last {
            None => is_low,
            Some((before, _)) if *before != place => opened.as_ref() != Some(&place.1),
            Some((_, was_low)) => *was_low != is_low && opened.is_none(),
        };
        let is_resized = last.as_ref().is_none_or(|(_, was_low)| *was_low != is_low);
        let row = board.listing.with_untracked(|list| {
            // A package without problems: show the first ones, which concern the whole catalog.
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
            list.scrolled.read_scroll();
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
    let Some(scroller) = list.scrolled.element.try_get_untracked().flatten() else {
        return;
    };
    let Some(element) = document().get_element_by_id(id) else {
        return;
    };
    let row = element.closest("li, h3").ok().flatten().unwrap_or(element);
    let by = row.get_bounding_client_rect().top() - scroller.get_bounding_client_rect().top();
    scroller.set_scroll_top(scroller.scroll_top() + by.round() as i32);
}

/// Scrolls to the first problem of the selection, unless a problem is open and thus being read.
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

/// Longer lists are only drawn in the visible area.
const ALL_IN_PAGE: usize = 60;
/// Row heights from the style sheet.
const HEADING: f64 = 28.0;
const PROBLEM: f64 = 50.0;
/// Height of a list with one row.
const LOW: f64 = 33.0;
/// Pixels drawn above and below the view.
const MORE: f64 = 300.0;

/// Returns the id of the button that opens a problem.
fn toggle_id(index: usize) -> String {
    format!("problem-{index}")
}

/// Returns the id of a group's heading.
fn group_id(number: usize) -> String {
    format!("problem-group-{number}")
}

/// Consecutive drawn rows of one group.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Block {
    group: usize,
    has_heading: bool,
    /// Indices of problems, with their depth.
    problems: Vec<(usize, u8)>,
}

fn blocks(list: &Listing, window: Range<usize>) -> Vec<Block> {
    let mut out: Vec<Block> = Vec::new();
    for row in list.rows.get(window).unwrap_or_default() {
        let (group, problem) = match *row {
            Row::Heading { group } => (group, None),
            Row::Problem {
                group,
                index,
                depth,
            } => (group, Some((index, depth))),
        };
        if out.last().is_none_or(|block| block.group != group) {
            out.push(Block {
                group,
                has_heading: problem.is_none(),
                problems: Vec::new(),
            });
        }
        if let Some(block) = out.last_mut() {
            block.problems.extend(problem);
        }
    }
    out
}

#[component]
fn List(app: AppContext) -> impl IntoView {
    let board = app.problem_list;
    let scrolled = ScrolledList::new(300.0);
    // Height of the open problem, measured after drawing.
    let opened = RwSignal::new((0.0, PROBLEM));
    // A list with a single row shows a problem.
    let is_low = memo(move |_| {
        !app.workbench.is_narrow()
            && board.open.get().is_none()
            && app.workbench.frame.with(|frame| frame.is_away(Pane::Below))
    });
    let stack = memo(move |_| {
        let open = board.open.get();
        let (heading, problem) = if is_low.get() {
            (0.0, LOW)
        } else {
            (HEADING, PROBLEM)
        };
        board.listing.with(|list| {
            Stack::new(list.rows.iter().map(|row| match row {
                Row::Heading { .. } => heading,
                Row::Problem { index, .. } if Some(*index) == open => opened.get().1.max(PROBLEM),
                Row::Problem { .. } => problem,
            }))
        })
    });
    let window = memo(move |_| {
        let rows = board.listing.with(|list| list.rows.len());
        if rows <= ALL_IN_PAGE {
            0..rows
        } else {
            stack.with(|stack| stack.window(scrolled.top.get(), scrolled.size.get().1, MORE))
        }
    });
    let drawn = memo(move |_| board.listing.with(|list| blocks(list, window.get())));
    let [above, below] = gaps(stack, window);

    // The single tab stop. It must exist before anything is opened and after the open problem
    // disappears.
    let stop = memo(move |_| {
        let wanted = board.stop.get();
        board.listing.with(|list| {
            wanted
                .filter(|index| list.order.contains(index))
                .or(list.order.first().copied())
        })
    });
    let bring = move |index: usize| {
        let Some(row) = board.listing.with_untracked(|list| list.row_of(index)) else {
            return;
        };
        scrolled.bring(stack, row, HEADING);
        board.stop.set(Some(index));
        dom::focus_id_later(toggle_id(index));
    };
    effect(move |_| {
        if let Some(index) = board.wanted.get() {
            board.wanted.set(None);
            bring(index);
        }
    });
    keep_focus(app);
    let list = ListView {
        scrolled,
        stack,
        is_low,
    };
    follow_package(app, list);
    follow_selection(app, list);
    follow_new(app, list);

    let on_key = move |event: web_sys::KeyboardEvent| {
        let target = dom::element(event.target());
        let at = target
            .as_ref()
            .and_then(|element| element.get_attribute("data-problem")?.parse::<usize>().ok());
        if event.key() == "Escape" && board.open.get_untracked().is_some() {
            event.prevent_default();
            let open = board.open.get_untracked();
            board.close();
            board.wanted.set(open);
            return;
        }
        let Some(at) = at else { return };
        let next = board.listing.with_untracked(|list| {
            let position = list.order.iter().position(|index| *index == at);
            next_item(&event.key(), position, list.order.len(), Axis::Vertical)
                .and_then(|to| list.order.get(to).copied())
        });
        if let Some(index) = next {
            event.prevent_default();
            bring(index);
        }
    };
    view! {
        <div
            class="problems-scroll"
            node_ref=scrolled.element
            on:scroll=move |_| scrolled.read_scroll()
            on:keydown=on_key
        >
            <div style:height=above></div>
            <For each=move || drawn.get() key=move |block| key(app, block) let:block>
                {draw(app, block, drawn, stop, opened)}
            </For>
            <div style:height=below></div>
        </div>
    }
    .into_any()
}

/// A problem in the list. Its index may change while its row stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ProblemRow {
    pub key: ProblemKey,
    pub index: usize,
}

/// Everything that a row shows. A row with another key is redrawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct ProblemKey {
    stamp: u64,
    pub depth: u8,
    /// Number of earlier identical rows.
    repetition: usize,
}

fn problem_rows(problems: &[Diagnostic], listed: &[(usize, u8)]) -> Vec<ProblemRow> {
    let mut repetitions = HashMap::new();
    let row = |&(index, depth): &(usize, u8)| {
        let stamp = stamp(problems.get(index)?);
        let count = repetitions.entry((stamp, depth)).or_insert(0);
        let key = ProblemKey {
            stamp,
            depth,
            repetition: *count,
        };
        *count += 1;
        Some(ProblemRow { key, index })
    };
    listed.iter().filter_map(row).collect()
}

/// Returns the key of a block: the subject of its group, and the group's index.
fn key(app: AppContext, block: &Block) -> (Option<GroupSubject>, usize) {
    let about = app.problem_list.listing.with_untracked(|list| {
        list.groups
            .get(block.group)
            .map(|group| group.about.clone())
    });
    (about, block.group)
}

fn draw(
    app: AppContext,
    block: Block,
    drawn: Memo<Vec<Block>>,
    stop: Memo<Option<usize>>,
    opened: RwSignal<(f64, f64)>,
) -> impl IntoView {
    let number = block.group;
    let about = app
        .problem_list
        .listing
        .with_untracked(|list| list.groups.get(number).map(|group| group.about.clone()));
    let name = about
        .as_ref()
        .map_or_else(String::new, |about| about.heading().to_owned());
    let own = memo(move |_| {
        drawn
            .with(|blocks| blocks.iter().find(|block| block.group == number).cloned())
            .unwrap_or(Block {
                group: number,
                has_heading: false,
                problems: Vec::new(),
            })
    });
    let counts = move || {
        app.problem_list.listing.with(|list| {
            list.groups
                .get(number)
                .map(|group| (group.errors, group.warnings, group.infos))
                .unwrap_or_default()
        })
    };
    let rows = memo(move |_| {
        own.with(|own| {
            app.store
                .problems
                .with(|problems| problem_rows(problems, &own.problems))
        })
    });
    let heading = name.clone();
    let is_package = matches!(about, Some(GroupSubject::Package(_)));
    view! {
        <Show when=move || own.with(|own| own.has_heading)>
            <h3 class="problem-group" id=group_id(number)>
                {match is_package {
                    true => {
                        let (title, go) = (heading.clone(), heading.clone());
                        view! {
                            <button type="button" class="problem-package" on:click=move |_| app.show_package(go.clone())>
                                {title}
                            </button>
                        }
                            .into_any()
                    }
                    false => heading.clone().into_any(),
                }}
                <span class="problem-count">
                    {move || {
                        let (errors, warnings, infos) = counts();
                        words::tally(errors, warnings, infos)
                    }}
                </span>
            </h3>
        </Show>
        <ul aria-label=format!("Problems of {name}")>
            <For each=move || rows.get() key=|row| row.key let:problem_row>
                {row(app, problem_row, rows, stop, opened)}
            </For>
        </ul>
    }
    .into_any()
}

/// After a fix, focuses the problem that takes the place of the fixed one.
fn keep_focus(app: AppContext) {
    let board = app.problem_list;
    effect(move |was_covered: Option<bool>| {
        let is_covered = app.overlays.overlay.with(Option::is_some);
        if was_covered == Some(true) && !is_covered {
            request_animation_frame(move || {
                let is_lost = document()
                    .active_element()
                    .is_none_or(|element| element.tag_name() == "BODY");
                if is_lost && let Some(index) = board.successor() {
                    board.wanted.set(Some(index));
                }
            });
        }
        is_covered
    });
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

    #[test]
    fn rows_keep_their_keys_when_a_problem_before_them_goes() {
        let problem = |message: &str| Diagnostic::new("r", Severity::Error, message);
        let before = [problem("a"), problem("b"), problem("b")];
        let keys = |problems: &[Diagnostic]| -> Vec<ProblemKey> {
            let listed: Vec<(usize, u8)> = (0..problems.len()).map(|index| (index, 0)).collect();
            let rows = problem_rows(problems, &listed);
            rows.into_iter().map(|row| row.key).collect()
        };
        let all = keys(&before);
        assert_eq!(all[1..], keys(&before[1..]));
        assert_ne!(
            all[1], all[2],
            "two problems that look the same have two rows"
        );
    }

    #[test]
    fn a_window_that_begins_inside_a_group_draws_no_heading_for_it() {
        let problem = |group, index| Row::Problem {
            group,
            index,
            depth: 0,
        };
        let rows = vec![
            Row::Heading { group: 0 },
            problem(0, 4),
            problem(0, 5),
            Row::Heading { group: 1 },
            problem(1, 0),
        ];
        let list = Listing {
            rows,
            ..Listing::default()
        };
        let shape = |window| -> Vec<(usize, bool, usize)> {
            blocks(&list, window)
                .iter()
                .map(|b| (b.group, b.has_heading, b.problems.len()))
                .collect()
        };
        assert_eq!(shape(0..5), [(0, true, 2), (1, true, 1)]);
        assert_eq!(shape(2..4), [(0, false, 1), (1, true, 0)]);
        assert!(
            shape(3..9).is_empty(),
            "a window of another list draws nothing"
        );
    }
}
