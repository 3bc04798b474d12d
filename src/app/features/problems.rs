//! The problem list of the catalog in view: one item per problem, below the heading of its package
//! or file, with filter, keyboard, explanations and fixes. Marks problems that the last edit
//! introduced, and scrolls to what concerns the user. A long list is drawn in parts.
//!
//! | key | effect |
//! |---|---|
//! | Down, Up, Home, End | next, previous, first and last problem |
//! | Enter, Space | opens the explanation and shows its subject; closes it |
//! | Tab | the position and fixes of the problem |
//! | Escape | closes the explanation |

mod problem_row;

use crate::components::preview::revision;
use crate::prelude::*;
use crate::state::layout::Pane;
use crate::state::problems::ProblemListState;
use crate::state::problems::rows::{
    Facet, Filter, GroupSubject, Listing, Row, hash_row, others_with_problems,
};
use crate::state::store::LastChange;
use crate::widgets::cursors::{Axis, next_item};
use crate::widgets::dom::field_text;
pub use problem_row::problem_item;
use problem_row::row;
use protocol::diagnostic::{Diagnostic, Profile};
use protocol::request::Target;
use std::collections::HashMap;
use std::ops::Range;

/// Maximum number of rows drawn at once.
const MAX_ROWS: usize = 200;
/// Maximum number of rows drawn in a list that is one row high.
const MAX_ROWS_LOW: usize = 16;

#[component]
pub fn Problems() -> impl IntoView {
    let app = app_context();
    let state = app.problem_list;
    let is_clean = memo(move |_| app.store.problems.with(Vec::is_empty));
    let is_empty = memo(move |_| state.listing.with(|list| list.order.is_empty()));
    let other_packages = memo(move |_| {
        app.current.package.with(|package| {
            app.store
                .problems
                .with(|problems| others_with_problems(problems, package))
        })
    });
    let no_problems_note = move || {
        other_packages.get().map(|others| {
            let others = match others {
                0 => String::new(),
                1 => "; 1 other package has some".to_owned(),
                others => format!("; {others} other packages have some"),
            };
            format!("No problems in {}{others}", app.current.package.get())
        })
    };
    let nothing = move || match app.store.root_row() {
        Some(row) if row.is_refused() => "There is no rendered catalog to check",
        _ => "No problems",
    };
    view! {
        <section class="problems" aria-label="Problems" data-here=move || other_packages.get().map(|_| "none")>
            <div class="below-head">
                <h2 class="visually-hidden">"Problems"</h2>
                <span class="dim" hidden=move || !is_clean.get()>{nothing}</span>
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
            <p class="problems-none-here">{no_problems_note}</p>
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
    let filtered = memo(move |_| {
        (
            state.filter.get(),
            state.listing.with(|list| list.order.len() as u32),
        )
    });
    announce::follow(move || {
        let (filter, count) = filtered.get();
        if filter == Filter::default() {
            String::new()
        } else {
            format!("{} listed", words::count(count, "problem"))
        }
    });
    let facets = Facet::ALL
        .into_iter()
        .enumerate()
        .map(|(index, (facet, label))| {
            let is_on = move || state.filter.with(|filter| filter.has(facet));
            let count = move || {
                state
                    .listing
                    .with(|list| list.counts.get(index).copied().unwrap_or_default())
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
            use:field_text=derived(move || state.filter.with(|filter| filter.text.clone()))
            on:input=move |event| state.filter.update(|filter| filter.text = event_target_value(&event))
        />
    }
    .into_any()
}

/// Selects which advice is shown beside `opm`'s rules.
#[component]
fn Advice(app: AppContext) -> impl IntoView {
    let chosen = move || app.store.status.with(|status| status.profile);
    let default_label = move || {
        let row = app.store.root_row();
        let profile = row.map(|row| row.profile).unwrap_or_default();
        let has_files = app
            .store
            .status
            .with(|status| !status.config_files.is_empty());
        match (chosen(), has_files) {
            (None, true) => format!("Configured advice: {}", profile.name()),
            (None, false) => format!("Default advice: {}", profile.name()),
            (Some(_), true) => "Configured advice".to_owned(),
            (Some(_), false) => "Default advice".to_owned(),
        }
    };
    view! {
            <select
                class="profile-select"
                aria-label="Advice"
                title="Which advice is shown beside opm’s errors"
                on:change=move |event| {
                    let name = event_target_value(&event);
                    spawn_local(app.store.set_profile(Profile::ALL.into_iter().find(|profile| profile.name() == name)));
                }
            >
                <option value="" prop:selected=move || chosen().is_none()>{default_label}</option>
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

/// Whether the last edit introduced the problem.
fn is_new(app: AppContext, problem: &Diagnostic) -> bool {
    app.store.last_change.with(|change| match change {
        Some(LastChange::Made { consequences, .. }) => consequences
            .problems_gained
            .iter()
            .any(|gained| is_same_problem(&gained.0, problem)),
        _ => false,
    })
}

/// Compares two problems without their lines, which an edit may change.
fn is_same_problem(one: &Diagnostic, other: &Diagnostic) -> bool {
    one.rule == other.rule
        && one.message == other.message
        && one.package == other.package
        && one.channel == other.channel
        && one.bundle == other.bundle
}

#[derive(Clone, Copy)]
struct ListView {
    scroller: NodeRef<html::Div>,
    /// The first drawn row, unless the list is shorter.
    first: RwSignal<usize>,
    drawn_rows: Memo<Range<usize>>,
    /// Whether the list is one row high and thus without headings.
    is_low: Memo<bool>,
}

impl ListView {
    /// Draws the rows around this one if it is not drawn.
    fn draw_row(self, row: usize) {
        if !self.drawn_rows.with_untracked(|drawn| drawn.contains(&row)) {
            let before = max_rows(self.is_low.get_untracked()) / 4;
            self.first.set(row.saturating_sub(before));
        }
    }

    /// Scrolls a problem into view; a heading, or the problem of a list of one row, to the top.
    fn scroll_to(self, listing: &Listing, row: usize) {
        let is_low = self.is_low.get_untracked();
        let row = match listing.rows.get(row) {
            Some(Row::Heading { .. }) if is_low => row + 1,
            _ => row,
        };
        self.draw_row(row);
        let (id, to_top) = match listing.rows.get(row) {
            Some(Row::Problem { index, .. }) => (toggle_id(*index), is_low),
            Some(Row::Heading { group }) => (group_id(*group), true),
            None => return,
        };
        request_animation_frame(move || {
            if to_top {
                self.align(&id);
            } else {
                dom::reveal(&id);
            }
        });
    }

    /// Scrolls the row of an element to the top.
    fn align(self, id: &str) {
        if let Some(scroller) = self.scroller.try_get_untracked().flatten()
            && let Some(element) = document().get_element_by_id(id)
        {
            let row = element.closest("li, h3").ok().flatten().unwrap_or(element);
            let top = row.get_bounding_client_rect().top();
            let by = top - scroller.get_bounding_client_rect().top();
            scroller.set_scroll_top(scroller.scroll_top() + by.round() as i32);
        }
    }
}

/// What the list was last scrolled for.
#[derive(Debug, Clone, PartialEq)]
struct ScrollTrigger {
    revision: u64,
    /// Root, package and selection.
    selection: (String, String, Target),
    is_low: bool,
}

/// Scrolls to what concerns the user now: the first problem that an edit introduced, the first one
/// of the selection, or the group of the package in view. Stays while a problem of that package is
/// open, because it is being read.
fn scroll_to_relevant(app: AppContext, list: ListView) {
    let state = app.problem_list;
    let revision = revision(app);
    let selection = memo(move |_| {
        (
            app.store.root.get(),
            app.current.package.get(),
            app.current.target.get(),
        )
    });
    effect(move |last: Option<Option<ScrollTrigger>>| {
        let last = last.flatten();
        let listing = state.listing.get();
        let mut now = ScrollTrigger {
            revision: revision.get(),
            selection: selection.get(),
            is_low: list.is_low.get(),
        };
        let is_made = app
            .store
            .last_change
            .with(|change| matches!(change, Some(LastChange::Made { .. })));
        let (_, package, target) = &now.selection;
        if listing.rows.is_empty() || package.is_empty() {
            return last;
        }
        let find_row = |is_it: &dyn Fn(&Diagnostic) -> bool| {
            let index = app.store.problems.with_untracked(|problems| {
                let mut order = listing.order.iter().copied();
                order.find(|index| problems.get(*index).is_some_and(is_it))
            });
            index.and_then(|index| listing.find_row(index))
        };
        let is_read = state.open.get_untracked().is_some_and(|index| {
            app.store.problems.with_untracked(|problems| {
                problems
                    .get(index)
                    .and_then(|problem| problem.package.as_ref())
                    == Some(package)
            })
        });
        let is_edited = is_made
            && last
                .as_ref()
                .is_none_or(|last| last.revision != now.revision);
        let new = is_edited
            .then(|| find_row(&|problem| is_new(app, problem)))
            .flatten();
        let is_elsewhere = last
            .as_ref()
            .is_some_and(|last| last.selection != now.selection);
        // The user did not choose the first package of a catalog: if there is room, show the
        // catalog's worst problem.
        let is_resized = last
            .as_ref()
            .map_or(now.is_low, |last| last.is_low != now.is_low);
        let row = match new {
            _ if is_read => None,
            Some(row) => Some(row),
            None if is_elsewhere => find_row(&|problem| concerns(problem, package, target))
                .or_else(|| listing.find_heading(package))
                // A package without problems: show those of the whole catalog.
                .or(now.is_low.then_some(0)),
            None if is_resized => Some(listing.find_heading(package).unwrap_or_default()),
            None => None,
        };
        if let Some(row) = row {
            list.scroll_to(&listing, row);
        }
        if let Some(last) = last.filter(|_| is_edited && new.is_none()) {
            // The new problems are not listed yet.
            now.revision = last.revision;
        }
        Some(now)
    });
}

/// Whether a problem concerns the selection; the package itself has its own group.
fn concerns(problem: &Diagnostic, package: &str, target: &Target) -> bool {
    let is_named = |field: &Option<String>, name: &str| field.as_deref() == Some(name);
    is_named(&problem.package, package)
        && match target {
            Target::Channel { channel } => is_named(&problem.channel, channel),
            Target::Entry { channel, name } => {
                is_named(&problem.bundle, name)
                    && problem
                        .channel
                        .as_deref()
                        .is_none_or(|listed| listed == channel)
            }
            Target::Bundle { name } => is_named(&problem.bundle, name),
            Target::Package | Target::Problem { .. } => false,
        }
}

/// Returns the id of the button that opens a problem.
fn toggle_id(index: usize) -> String {
    format!("problem-{index}")
}

/// Returns the id of a group's heading.
fn group_id(number: usize) -> String {
    format!("problem-group-{number}")
}

/// Consecutive drawn rows of one group.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Block {
    group: usize,
    has_heading: bool,
    /// Indices of problems, with their depth.
    problems: Vec<(usize, u8)>,
}

/// Opening a dialog restyles every drawn row, so a low list draws few.
fn max_rows(is_low: bool) -> usize {
    if is_low { MAX_ROWS_LOW } else { MAX_ROWS }
}

fn group_rows(list: &Listing, window: Range<usize>) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for row in list.rows.get(window).unwrap_or_default() {
        let (group, problem) = match *row {
            Row::Heading { group } => (group, None),
            Row::Problem {
                group,
                index,
                depth,
            } => (group, Some((index, depth))),
        };
        if blocks.last().is_none_or(|block| block.group != group) {
            blocks.push(Block {
                group,
                has_heading: problem.is_none(),
                problems: Vec::new(),
            });
        }
        if let Some(block) = blocks.last_mut() {
            block.problems.extend(problem);
        }
    }
    blocks
}

/// Returns the single tab stop: the current problem if it is drawn, else the first drawn one.
fn find_tab_stop(drawn: &[Block], current: Option<usize>) -> Option<usize> {
    let problems = drawn.iter().flat_map(|block| &block.problems);
    let mut indices = problems.map(|(index, _)| *index);
    let first = indices.clone().next();
    indices.find(|index| Some(*index) == current).or(first)
}

#[component]
fn List(app: AppContext) -> impl IntoView {
    let state = app.problem_list;
    let first = RwSignal::new(0);
    // A list with a single row shows a problem.
    let is_low = memo(move |_| {
        !app.workbench.is_narrow()
            && state.open.get().is_none()
            && app
                .workbench
                .frame
                .with(|frame| frame.is_hidden(Pane::Below))
    });
    let count = memo(move |_| state.listing.with(|list| list.rows.len()));
    let drawn_rows = memo(move |_| {
        let max = max_rows(is_low.get());
        let start = first.get().min(count.get().saturating_sub(max));
        start..(start + max).min(count.get())
    });
    let drawn = memo(move |_| {
        state
            .listing
            .with(|list| group_rows(list, drawn_rows.get()))
    });
    let list = ListView {
        scroller: NodeRef::new(),
        first,
        drawn_rows,
        is_low,
    };
    let tab_stop = memo(move |_| drawn.with(|blocks| find_tab_stop(blocks, state.stop.get())));
    let focus_problem = move |index: usize| {
        let Some(row) = state.listing.with_untracked(|list| list.find_row(index)) else {
            return;
        };
        list.draw_row(row);
        state.stop.set(Some(index));
        dom::focus_id_later(toggle_id(index));
    };
    effect(move |_| {
        if let Some(index) = state.wanted.get() {
            state.wanted.set(None);
            focus_problem(index);
        }
    });
    refocus_after_fix(app);
    scroll_to_relevant(app, list);
    let show_rows_from = move |first_row: usize| {
        first.set(first_row);
        if let Some(scroller) = list.scroller.get_untracked() {
            scroller.set_scroll_top(0);
        }
    };
    let earlier =
        move |()| show_rows_from(drawn_rows.get_untracked().start.saturating_sub(MAX_ROWS));
    let later = move |()| show_rows_from(drawn_rows.get_untracked().end);
    let on_key = move |event: web_sys::KeyboardEvent| {
        let target = dom::element(event.target());
        let focused = target
            .as_ref()
            .and_then(|element| element.get_attribute("data-problem")?.parse::<usize>().ok());
        if event.key() == "Escape" && state.open.get_untracked().is_some() {
            event.prevent_default();
            let open = state.open.get_untracked();
            state.close();
            state.wanted.set(open);
            return;
        }
        let Some(focused) = focused else { return };
        let next = state.listing.with_untracked(|list| {
            let position = list.order.iter().position(|index| *index == focused);
            next_item(&event.key(), position, list.order.len(), Axis::Vertical)
                .and_then(|position| list.order.get(position).copied())
        });
        if let Some(index) = next {
            event.prevent_default();
            focus_problem(index);
        }
    };
    view! {
        <div
            class="problems-scroll"
            node_ref=list.scroller
            on:keydown=on_key
        >
            <Show when=move || { !is_low.get() && drawn_rows.get().start > 0 }>
                <Button label="Earlier problems" look=Look::Quiet on_press=earlier/>
            </Show>
            <For each=move || drawn.get() key=move |block| (group_subject(app, block.group), block.group) let:block>
                {block_view(app, block, drawn, tab_stop)}
            </For>
            <Show when=move || { !is_low.get() && drawn_rows.get().end < count.get() }>
                <Button label="Later problems" look=Look::Quiet on_press=later/>
            </Show>
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
        let stamp = hash_row(problems.get(index)?);
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

/// Returns the subject of a group, which distinguishes its block from others in the same place.
fn group_subject(app: AppContext, group: usize) -> Option<GroupSubject> {
    let listing = app.problem_list.listing;
    listing.with_untracked(|list| list.groups.get(group).map(|group| group.subject.clone()))
}

fn block_view(
    app: AppContext,
    block: Block,
    drawn: Memo<Vec<Block>>,
    tab_stop: Memo<Option<usize>>,
) -> AnyView {
    let number = block.group;
    let about = group_subject(app, number);
    let name = about
        .as_ref()
        .map_or_else(String::new, |about| about.heading().to_owned());
    let current = memo(move |_| {
        drawn
            .with(|blocks| blocks.iter().find(|block| block.group == number).cloned())
            .unwrap_or_default()
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
        current.with(|block| {
            app.store
                .problems
                .with(|problems| problem_rows(problems, &block.problems))
        })
    });
    let heading = name.clone();
    let is_package = matches!(about, Some(GroupSubject::Package(_)));
    view! {
        <Show when=move || current.with(|block| block.has_heading)>
            <h3 class="problem-group" id=group_id(number)>
                {if is_package {
                    let (title, package) = (heading.clone(), heading.clone());
                    view! {
                        <button type="button" class="problem-package" on:click=move |_| app.show_package(package.clone())>
                            {title}
                        </button>
                    }
                        .into_any()
                } else {
                    heading.clone().into_any()
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
                {row(app, problem_row, rows, tab_stop)}
            </For>
        </ul>
    }
    .into_any()
}

/// After a fix, focuses the problem that takes the place of the fixed one.
fn refocus_after_fix(app: AppContext) {
    let state = app.problem_list;
    effect(move |was_covered: Option<bool>| {
        let is_covered = app.overlays.overlay.with(Option::is_some);
        if was_covered == Some(true) && !is_covered {
            request_animation_frame(move || {
                if dom::is_focus_lost()
                    && let Some(index) = state.successor()
                {
                    state.wanted.set(Some(index));
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
    fn a_moved_problem_keeps_its_identity() {
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
        assert!(is_same_problem(&problem, &moved));
        assert!(!is_same_problem(
            &problem,
            &Diagnostic {
                package: Some("q".into()),
                ..problem.clone()
            }
        ));
        assert!(!is_same_problem(
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
        assert!(concerns(&problem, "p", &entry("stable")));
        assert!(!concerns(&problem, "p", &entry("fast")));
        assert!(concerns(
            &problem,
            "p",
            &Target::Channel {
                channel: "stable".into()
            }
        ));
        assert!(concerns(
            &problem,
            "p",
            &Target::Bundle {
                name: "p.v1".into()
            }
        ));
        assert!(!concerns(
            &problem,
            "q",
            &Target::Bundle {
                name: "p.v1".into()
            }
        ));
        assert!(!concerns(&problem, "p", &Target::Package));
    }

    #[test]
    fn rows_keep_their_keys_when_an_earlier_problem_disappears() {
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
    fn a_window_that_starts_inside_a_group_draws_no_heading() {
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
            group_rows(&list, window)
                .iter()
                .map(|b| (b.group, b.has_heading, b.problems.len()))
                .collect()
        };
        assert_eq!(shape(0..5), [(0, true, 2), (1, true, 1)]);
        assert_eq!(shape(2..4), [(0, false, 1), (1, true, 0)]);
        let tab_stop = |current| find_tab_stop(&group_rows(&list, 2..5), current);
        assert_eq!(tab_stop(Some(0)), Some(0));
        assert_eq!(tab_stop(Some(4)), Some(5), "4 is not drawn");
        assert_eq!(tab_stop(None), Some(5));
        assert!(
            shape(3..9).is_empty(),
            "a window of another list draws nothing"
        );
    }
}
