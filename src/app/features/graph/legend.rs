//! The legend: every mark of the graph, drawn as in the graph, with its meaning.

use super::canvas::{NodeDrawing, NodeState, classes};
use super::edges::{self, EdgeDrawing};
use super::lane_headings::problem_mark;
use super::toolbar::SheetButton;
use crate::state::entries::Changes;
use leptos::prelude::*;
use protocol::lanes::{
    Bracket, Curve, EntryNode, EntryNodeKind, HorizontalLine, Lane, Link, Marks, Run, Shape,
};
use protocol::upgrades::ComparedKind;
use protocol::views::ProblemMark;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Replaces,
    Backwards,
    ToAbsent,
    Skips,
    SkipOfSelected,
    SkipRange,
    InvalidRange,
    NextStep,
    OtherStep,
    DefaultChannel,
    DeprecatedChannel,
    Head,
    Skipped,
    Absent,
    Stranded,
    Deprecated,
    NoBundle,
    Broken,
    Stack,
    Installed,
    Selected,
    Picked,
    Twin,
    Unsaved,
    Change(ComparedKind),
    ChangedEdge,
    Error,
    Warning,
}

/// Mark, label, and meaning.
const ROWS: [(Mark, &str, &str); 31] = [
    (
        Mark::Replaces,
        "replaces",
        "the right entry upgrades the left one",
    ),
    (
        Mark::Backwards,
        "replaces a higher version",
        "the upgrade goes to the left",
    ),
    (Mark::ToAbsent, "replaces an entry that is not listed", ""),
    (
        Mark::Skips,
        "skips",
        "an entry at the right of the bar upgrades those with a tick",
    ),
    (
        Mark::SkipOfSelected,
        "skips",
        "from or to the selected entry",
    ),
    (
        Mark::SkipRange,
        "skip range",
        "the entry at the tip upgrades every version in a range",
    ),
    (
        Mark::InvalidRange,
        "skip range that OLM ignores",
        "it cannot be read",
    ),
    (
        Mark::NextStep,
        "next step",
        "from the installed version, also into another channel",
    ),
    (
        Mark::OtherStep,
        "next step, other OLM",
        "where Classic and v1 differ",
    ),
    (
        Mark::DefaultChannel,
        "default channel",
        "for subscriptions that name no channel",
    ),
    (Mark::DeprecatedChannel, "deprecated channel", ""),
    (
        Mark::Head,
        "head",
        "no entry of the channel replaces or skips it",
    ),
    (
        Mark::Skipped,
        "skipped",
        "a newer entry of the channel skips it",
    ),
    (
        Mark::Absent,
        "not in this channel",
        "an edge names it, but the channel does not list it",
    ),
    (
        Mark::Stranded,
        "stranded",
        "no path leads from it to the head",
    ),
    (Mark::Deprecated, "deprecated", ""),
    (
        Mark::NoBundle,
        "no bundle",
        "it is listed, but the package has no such bundle",
    ),
    (Mark::Broken, "in a cycle, or listed twice", ""),
    (
        Mark::Stack,
        "stack",
        "folded versions: their number, or their head",
    ),
    (Mark::Installed, "installed", "or a stack that contains it"),
    (Mark::Selected, "selected", ""),
    (Mark::Picked, "selected with others", ""),
    (Mark::Twin, "the selected bundle in another channel", ""),
    (Mark::Unsaved, "unsaved change", ""),
    (
        Mark::Change(ComparedKind::Added),
        "added",
        "not saved, or not in the compared catalog",
    ),
    (
        Mark::Change(ComparedKind::Moved),
        "moved",
        "it was in other channels",
    ),
    (
        Mark::Change(ComparedKind::Changed),
        "changed",
        "its edges differ",
    ),
    (
        Mark::Change(ComparedKind::Removed),
        "removed",
        "only on disk, or in the compared catalog",
    ),
    (Mark::ChangedEdge, "edge of a changed entry", ""),
    (Mark::Error, "error", ""),
    (Mark::Warning, "warning", ""),
];

#[component]
pub(super) fn Legend() -> impl IntoView {
    let rows = move |()| {
        let rows = ROWS.into_iter().map(|(mark, label, meaning)| {
            let meaning = if meaning.is_empty() {
                String::new()
            } else {
                format!(": {meaning}")
            };
            view! {
                <li class="legend-item">
                    <svg class="legend-sample" width="64" height="34" aria-hidden="true">{sample(mark)}</svg>
                    <span><strong>{label}</strong>{meaning}</span>
                </li>
            }
        });
        view! {
            // A long list scrolls, which needs the focus.
            <ul class="legend" aria-label="Legend" tabindex="0">{rows.collect_view()}</ul>
        }
        .into_any()
    };
    view! {
        <SheetButton
            text="Legend"
            name=Signal::stored("Legend".to_owned())
            state=Signal::stored(String::new())
            tip="Explain lines and shapes"
            dialog="Legend of the graph"
            content=Callback::new(rows)
        />
    }
    .into_any()
}

/// Draws an example of a mark, 64 by 34 pixels.
fn sample(mark: Mark) -> AnyView {
    match mark {
        Mark::Replaces => sample_link(|_| {}),
        Mark::Backwards => sample_link(|link| link.backwards = true),
        Mark::ToAbsent => sample_link(|link| link.ghost = true),
        Mark::ChangedEdge => {
            let changes = changed(ComparedKind::Changed);
            let link = straight_link();
            edges::draw(EdgeDrawing::for_link(&link, String::new(), &sample_lane(), &changes))
        }
        Mark::Skips => edges::draw(EdgeDrawing::for_run(&sample_run(), String::new())),
        Mark::SkipOfSelected => {
            let curve = Curve::swing((6.0, 10.0), (58.0, 10.0), 16.0);
            edges::draw(EdgeDrawing::for_arrow(curve, String::new()))
        }
        Mark::SkipRange => sample_bracket(false),
        Mark::InvalidRange => sample_bracket(true),
        Mark::NextStep => sample_route(false),
        Mark::OtherStep => sample_route(true),
        Mark::DefaultChannel => {
            view! { <text class="lane-name" x="26" y="22">"★"</text> }.into_any()
        }
        Mark::DeprecatedChannel => {
            view! { <g class="lane-deprecated"><text class="lane-name" x="14" y="22">"name"</text></g> }.into_any()
        }
        Mark::Head => marked_node(|marks| marks.head = true),
        Mark::Skipped => marked_node(|marks| marks.skipped = true),
        Mark::Absent => node(EntryNode {
            kind: EntryNodeKind::Ghost,
            ..sample_node()
        }),
        Mark::Stranded => marked_node(|marks| marks.stranded = true),
        Mark::Deprecated => marked_node(|marks| marks.deprecated_bundle = true),
        Mark::NoBundle => marked_node(|marks| marks.no_bundle = true),
        Mark::Broken => marked_node(|marks| marks.cycle = true),
        Mark::Stack => node(EntryNode {
            kind: EntryNodeKind::Stack,
            text: "12".to_owned(),
            ..sample_node()
        }),
        Mark::Installed => node_in_state(NodeState { installed: Some(""), ..NodeState::default() }),
        Mark::Selected => node_in_state(NodeState { selected: true, ..NodeState::default() }),
        Mark::Picked => node_in_state(NodeState { picked: true, ..NodeState::default() }),
        Mark::Twin => node(EntryNode { twin: true, ..sample_node() }),
        Mark::Unsaved => node(EntryNode { edited: true, ..sample_node() }),
        Mark::Change(ComparedKind::Removed) => changed_node(EntryNodeKind::Removed, ComparedKind::Removed),
        Mark::Change(kind) => changed_node(EntryNodeKind::Entry, kind),
        Mark::Error => sample_problem(1),
        Mark::Warning => sample_problem(0),
    }
}

fn sample_node() -> EntryNode {
    EntryNode {
        text: "1.2".to_owned(),
        x: 12.0,
        y: 9.0,
        width: 40.0,
        height: 18.0,
        ..EntryNode::default()
    }
}

fn sample_lane() -> Lane {
    let node = sample_node();
    Lane {
        nodes: vec![node.clone(), node],
        ..Lane::default()
    }
}

fn changed(kind: ComparedKind) -> Changes {
    Changes::from([(Default::default(), (kind, String::new()))])
}

fn node_with(node: &EntryNode, changes: &Changes, state: NodeState) -> AnyView {
    let drawing = NodeDrawing::new(node, "", changes);
    let frame = drawing.draw_state(state);
    view! { <g class=classes(node, state)>{drawing.draw()}{frame}</g> }.into_any()
}

fn node(node: EntryNode) -> AnyView {
    node_with(&node, &Changes::default(), NodeState::default())
}

fn marked_node(mark: fn(&mut Marks)) -> AnyView {
    let mut sample = sample_node();
    mark(&mut sample.marks);
    node(sample)
}

fn node_in_state(state: NodeState) -> AnyView {
    node_with(&sample_node(), &Changes::default(), state)
}

/// The change is drawn below the node.
fn changed_node(kind: EntryNodeKind, change: ComparedKind) -> AnyView {
    let node = EntryNode {
        kind,
        y: 3.0,
        ..sample_node()
    };
    node_with(&node, &changed(change), NodeState::default())
}

fn sample_problem(errors: u32) -> AnyView {
    let problem = ProblemMark {
        errors,
        warnings: 1 - errors,
        worst: String::new(),
    };
    problem_mark(&problem, 32.0, 17.0).into_any()
}

fn straight_link() -> Link {
    Link {
        from: 0,
        to: 1,
        shape: Shape::Straight(HorizontalLine {
            x1: 4.0,
            x2: 60.0,
            y: 17.0,
        }),
        edges: Vec::new(),
        ghost: false,
        backwards: false,
        selected: false,
    }
}

fn sample_link(change: impl FnOnce(&mut Link)) -> AnyView {
    let mut link = straight_link();
    change(&mut link);
    edges::draw(EdgeDrawing::for_link(
        &link,
        String::new(),
        &Lane::default(),
        &Changes::default(),
    ))
}

fn sample_run() -> Run {
    Run {
        bar: HorizontalLine {
            x1: 4.0,
            x2: 60.0,
            y: 17.0,
        },
        ticks: vec![8.0, 26.0, 44.0],
        ..Run::default()
    }
}

fn sample_bracket(invalid: bool) -> AnyView {
    let bracket = Bracket {
        bar: HorizontalLine {
            x1: 6.0,
            x2: 54.0,
            y: 21.0,
        },
        arrow: 54.0,
        invalid,
        ..Bracket::default()
    };
    edges::draw(EdgeDrawing::for_bracket(&bracket, String::new()))
}

fn sample_route(is_other: bool) -> AnyView {
    let curve = Curve::swing((4.0, 26.0), (60.0, 26.0), -16.0);
    view! { <g class="route" class:other=is_other><path class="route-line" d=curve.path()/></g> }
        .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::entries::EdgeKind;

    /// Returns the mark of a kind of node; `None` for a plain entry.
    fn mark_of_kind(kind: EntryNodeKind) -> Option<Mark> {
        match kind {
            EntryNodeKind::Entry => None,
            EntryNodeKind::Ghost => Some(Mark::Absent),
            EntryNodeKind::Removed => Some(Mark::Change(ComparedKind::Removed)),
            EntryNodeKind::Stack => Some(Mark::Stack),
        }
    }

    /// Returns the marks of all states. A new state does not compile here until it has one.
    fn marks_of_states(marks: Marks) -> Vec<Mark> {
        let Marks {
            head,
            skipped,
            stranded,
            absent,
            no_bundle,
            duplicate,
            cycle,
            deprecated_bundle,
            deprecated_channel,
            // Drawn in the header of the package.
            deprecated_package: _,
        } = marks;
        let states = [
            (head, Mark::Head),
            (skipped, Mark::Skipped),
            (stranded, Mark::Stranded),
            (absent, Mark::Absent),
            (no_bundle, Mark::NoBundle),
            (duplicate, Mark::Broken),
            (cycle, Mark::Broken),
            (deprecated_bundle, Mark::Deprecated),
            (deprecated_channel, Mark::DeprecatedChannel),
        ];
        let states = states.into_iter().filter(|(applies, _)| *applies);
        states.map(|(_, mark)| mark).collect()
    }

    fn mark_of_edge(kind: EdgeKind) -> Mark {
        match kind {
            EdgeKind::Replaces => Mark::Replaces,
            EdgeKind::Skips => Mark::Skips,
            EdgeKind::SkipRange => Mark::SkipRange,
        }
    }

    #[test]
    fn a_stack_of_absent_entries_looks_like_one_of_them() {
        let mut stack = EntryNode {
            kind: EntryNodeKind::Stack,
            ..sample_node()
        };
        stack.marks.absent = true;
        assert_eq!(classes(&stack, NodeState::default()), "node ghost stack");
    }

    #[test]
    fn every_state_and_kind_is_explained() {
        let is_explained = |mark: &Mark| ROWS.iter().any(|(row, ..)| row == mark);
        let kinds = [
            EntryNodeKind::Entry,
            EntryNodeKind::Ghost,
            EntryNodeKind::Removed,
            EntryNodeKind::Stack,
        ];
        assert!(
            kinds
                .into_iter()
                .filter_map(mark_of_kind)
                .all(|mark| is_explained(&mark))
        );
        let edges = [EdgeKind::Replaces, EdgeKind::Skips, EdgeKind::SkipRange];
        assert!(edges.map(mark_of_edge).iter().all(is_explained));
        let every = Marks {
            head: true,
            skipped: true,
            stranded: true,
            absent: true,
            no_bundle: true,
            duplicate: true,
            cycle: true,
            deprecated_bundle: true,
            deprecated_channel: true,
            deprecated_package: true,
        };
        assert!(marks_of_states(every).iter().all(is_explained));
        assert!(ComparedKind::ALL.map(Mark::Change).iter().all(is_explained));
    }
}
