//! The problem list: one item per problem, below the heading of its package or file. For a long
//! list only the visible part is in the DOM.
//!
//! | key | effect |
//! |---|---|
//! | Down, Up, Home, End | next, previous, first and last problem |
//! | Enter, Space | opens the explanation and shows its subject; closes it |
//! | Tab | the position and fixes of the problem |
//! | Escape | closes the explanation |

use super::follow_new;
use super::follow_selection;
use super::problem_row::row;
use super::{ListView, follow_package};
use crate::context::AppContext;
use crate::reactive::{effect, memo};
use crate::state::panel_layout::Pane;
use crate::state::problems::rows::{GroupSubject, Listing, Row, stamp};
use crate::widgets::cursors::{Axis, next_item};
use crate::widgets::dom;
use crate::widgets::virtual_list::Stack;
use crate::words;
use leptos::html;
use leptos::prelude::*;
use protocol::diagnostic::Diagnostic;
use std::collections::HashMap;
use std::ops::Range;

/// Longer lists are only drawn in the visible area.
const ALL_IN_PAGE: usize = 60;
/// Row heights from the style sheet.
pub(super) const HEADING: f64 = 28.0;
const PROBLEM: f64 = 50.0;
/// Height of a list with one row.
const LOW: f64 = 33.0;
/// Pixels drawn above and below the view.
const MORE: f64 = 300.0;

/// Id of the button that opens a problem.
pub(super) fn toggle_id(index: usize) -> String {
    format!("problem-{index}")
}

/// Id of a group's heading.
pub(super) fn group_id(number: usize) -> String {
    format!("problem-group-{number}")
}

/// Consecutive drawn rows of one group.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Block {
    group: usize,
    has_heading: bool,
    /// Problems with their depth.
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
pub(super) fn List(app: AppContext) -> impl IntoView {
    let board = app.problem_list;
    let scroller = NodeRef::<html::Div>::new();
    let size = RwSignal::new((0.0, 300.0));
    let top = RwSignal::new(0.0);
    // Height of the open problem, measured after drawing.
    let opened = RwSignal::new((0.0, PROBLEM));
    dom::follow_size(scroller, size);
    // A list with a single row shows a problem.
    let is_low = memo(move |_| {
        !app.workbench.is_narrow()
            && board.open.get().is_none()
            && app
                .workbench
                .frame()
                .with(|frame| frame.is_away(Pane::Below))
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
            stack.with(|stack| stack.window(top.get(), size.get().1, MORE))
        }
    });
    let drawn = memo(move |_| board.listing.with(|list| blocks(list, window.get())));
    let above = move || format!("{}px", stack.with(|stack| stack.top(window.get().start)));
    let below = move || {
        format!(
            "{}px",
            stack.with(|stack| stack.height() - stack.top(window.get().end))
        )
    };

    // One tab stop, which exists before anything is opened and after it disappears.
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
        if let Some(element) = scroller.get_untracked() {
            let to = stack.with_untracked(|stack| {
                stack.scroll_to(
                    row,
                    f64::from(element.scroll_top()),
                    f64::from(element.client_height()),
                    HEADING,
                )
            });
            if let Some(to) = to {
                element.set_scroll_top(to as i32);
                top.set(to);
            }
        }
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
        scroller,
        stack,
        top,
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
            node_ref=scroller
            on:scroll=move |_| {
                if let Some(element) = scroller.get_untracked() {
                    top.set(f64::from(element.scroll_top()));
                }
            }
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
pub(super) struct ProblemRow {
    pub key: ProblemKey,
    pub index: usize,
}

/// Everything that a row shows: a changed key redraws it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ProblemKey {
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

/// A group keeps its key while its subject is the same, wherever it is.
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
            <For each=move || rows.get() key=|row| row.key let:found>
                {row(app, found, rows, stop, opened)}
            </For>
        </ul>
    }
    .into_any()
}

/// After a fix, focuses the problem that takes the place of the fixed one.
fn keep_focus(app: AppContext) {
    let board = app.problem_list;
    effect(move |was_covered: Option<bool>| {
        let is_covered = app.overlays.overlay().with(Option::is_some);
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
    use protocol::diagnostic::Severity;

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
