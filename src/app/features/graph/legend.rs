//! The legend: every mark of the graph, drawn as in the graph, with its meaning.

use super::canvas::{NodeDrawing, NodeState, classes, route_paths};
use super::drag_view::draw_grip;
use super::edges::{self, EdgeDrawing};
use super::lane_headings::problem_mark;
use super::toolbar::SheetButton;
use crate::state::entries::Changes;
use leptos::prelude::*;
use protocol::lanes::{
    Bracket, Curve, EntryNode, EntryNodeKind, HorizontalLine, Lane, Link, Run, Shape,
};
use protocol::upgrades::ComparedKind;
use protocol::views::ProblemMark;

const LINE: HorizontalLine = HorizontalLine {
    x1: 4.0,
    x2: 60.0,
    y: 17.0,
};

/// Label, meaning and example of a mark. An example has 64 by 34 pixels.
type Row = (&'static str, &'static str, fn() -> AnyView);

const ROWS: &[Row] = &[
    ("replaces", "the right entry upgrades the left one", || {
        sample_link(|_| {})
    }),
    (
        "replaces a higher version",
        "the upgrade goes to the left",
        || sample_link(|link| link.backwards = true),
    ),
    ("replaces an entry that is not listed", "", || {
        sample_link(|link| link.ghost = true)
    }),
    (
        "skips",
        "an entry at the right of the bar upgrades those with a tick",
        || {
            let run = Run {
                bar: LINE,
                ticks: vec![8.0, 26.0, 44.0],
                ..Run::default()
            };
            edges::draw(EdgeDrawing::for_run(&run, String::new()))
        },
    ),
    ("skips", "from or to the selected entry", || {
        let curve = Curve::swing((6.0, 10.0), (58.0, 10.0), 16.0);
        edges::draw(EdgeDrawing::for_arrow(curve, String::new()))
    }),
    (
        "skip range",
        "the entry at the tip upgrades every version in a range",
        || sample_bracket(false),
    ),
    ("skip range that OLM ignores", "it cannot be read", || {
        sample_bracket(true)
    }),
    (
        "edge of the selected entry",
        "or a skip range that covers it",
        || sample_link(|link| link.selected = true),
    ),
    (
        "next step",
        "from the installed version, also into another channel",
        || sample_route(false),
    ),
    (
        "next step, other OLM",
        "where Classic and v1 differ",
        || sample_route(true),
    ),
    (
        "default channel",
        "for subscriptions that name no channel",
        || view! { <text class="lane-name" x="26" y="22">"★"</text> }.into_any(),
    ),
    ("deprecated channel", "", || {
        view! { <g class="lane-deprecated"><text class="lane-name" x="14" y="22">"name"</text></g> }
            .into_any()
    }),
    (
        "head",
        "no entry of the channel replaces or skips it",
        || sample_with(|node, _| node.marks.head = true),
    ),
    ("skipped", "a newer entry of the channel skips it", || {
        sample_with(|node, _| node.marks.skipped = true)
    }),
    (
        "not in this channel",
        "an edge names it, but the channel does not list it",
        || sample_with(|node, _| node.kind = EntryNodeKind::Ghost),
    ),
    ("stranded", "no path leads from it to the head", || {
        sample_with(|node, _| node.marks.stranded = true)
    }),
    ("deprecated", "", || {
        sample_with(|node, _| node.marks.deprecated_bundle = true)
    }),
    (
        "no bundle",
        "it is listed, but the package has no such bundle",
        || sample_with(|node, _| node.marks.no_bundle = true),
    ),
    ("in a cycle, or listed twice", "", || {
        sample_with(|node, _| node.marks.cycle = true)
    }),
    (
        "stack",
        "folded versions, ⊞ in their heading: their number, or their head",
        || {
            sample_with(|node, _| {
                node.kind = EntryNodeKind::Stack;
                node.text = "12".to_owned();
            })
        },
    ),
    ("installed", "or a stack that contains it", || {
        sample_with(|_, state| state.installed = Some(""))
    }),
    ("selected", "", || {
        sample_with(|_, state| state.selected = true)
    }),
    ("selected with others", "", || {
        sample_with(|_, state| state.picked = true)
    }),
    ("the selected bundle in another channel", "", || {
        sample_with(|node, _| node.twin = true)
    }),
    (
        "grip",
        "drag it to what the entry replaces, or with Shift or Alt to what it skips",
        || {
            view! {
                {sample_with(|_, _| {})}
                <g class="grip grip-hover" transform="translate(12 18)">{draw_grip()}</g>
            }
            .into_any()
        },
    ),
    ("unsaved change", "", || {
        sample_with(|node, _| node.edited = true)
    }),
    ("added", "not saved, or not in the compared catalog", || {
        changed_node(EntryNodeKind::Entry, ComparedKind::Added)
    }),
    ("moved", "it was in other channels", || {
        changed_node(EntryNodeKind::Entry, ComparedKind::Moved)
    }),
    ("changed", "its edges differ", || {
        changed_node(EntryNodeKind::Entry, ComparedKind::Changed)
    }),
    (
        "removed",
        "only on disk, or in the compared catalog",
        || changed_node(EntryNodeKind::Removed, ComparedKind::Removed),
    ),
    ("edge of a changed entry", "", || {
        draw_link(&straight_link(), &changed(ComparedKind::Changed))
    }),
    ("error", "", || sample_problem(1)),
    ("warning", "", || sample_problem(0)),
];

#[component]
pub(super) fn Legend() -> impl IntoView {
    let rows = move |()| {
        let rows = ROWS.iter().map(|(label, meaning, draw)| {
            let meaning = (!meaning.is_empty()).then(|| format!(": {meaning}"));
            view! {
                <li class="legend-item">
                    <svg class="legend-sample" width="64" height="34" aria-hidden="true">{draw()}</svg>
                    <span><strong>{*label}</strong>{meaning}</span>
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

fn changed(kind: ComparedKind) -> Changes {
    Changes::from([(Default::default(), (kind, String::new()))])
}

fn node_with(node: &EntryNode, changes: &Changes, state: NodeState) -> AnyView {
    let drawing = NodeDrawing::new(node, "", changes);
    let frame = drawing.draw_state(state);
    view! { <g class=classes(node, state)>{drawing.draw()}{frame}</g> }.into_any()
}

fn sample_with(change: impl FnOnce(&mut EntryNode, &mut NodeState)) -> AnyView {
    let (mut node, mut state) = (sample_node(), NodeState::default());
    change(&mut node, &mut state);
    node_with(&node, &Changes::default(), state)
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
        shape: Shape::Straight(LINE),
        edges: Vec::new(),
        ghost: false,
        backwards: false,
        selected: false,
    }
}

fn sample_link(change: impl FnOnce(&mut Link)) -> AnyView {
    let mut link = straight_link();
    change(&mut link);
    draw_link(&link, &Changes::default())
}

fn draw_link(link: &Link, changes: &Changes) -> AnyView {
    let lane = Lane {
        nodes: vec![sample_node(); 2],
        ..Lane::default()
    };
    edges::draw(EdgeDrawing::for_link(link, String::new(), &lane, changes))
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
    view! { <g class="route" class:other=is_other>{route_paths(curve)}</g> }.into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::entries::EdgeKind;
    use protocol::lanes::Marks;

    /// Returns the label of a kind of node; `None` for a plain entry.
    fn label_of_kind(kind: EntryNodeKind) -> Option<&'static str> {
        match kind {
            EntryNodeKind::Entry => None,
            EntryNodeKind::Ghost => Some("not in this channel"),
            EntryNodeKind::Removed => Some("removed"),
            EntryNodeKind::Stack => Some("stack"),
        }
    }

    /// Returns the labels of all states. A new state does not compile here until it has one.
    fn labels_of_states(marks: Marks) -> Vec<&'static str> {
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
            (head, "head"),
            (skipped, "skipped"),
            (stranded, "stranded"),
            (absent, "not in this channel"),
            (no_bundle, "no bundle"),
            (duplicate, "in a cycle, or listed twice"),
            (cycle, "in a cycle, or listed twice"),
            (deprecated_bundle, "deprecated"),
            (deprecated_channel, "deprecated channel"),
        ];
        let states = states.into_iter().filter(|(applies, _)| *applies);
        states.map(|(_, label)| label).collect()
    }

    fn label_of_edge(kind: EdgeKind) -> &'static str {
        match kind {
            EdgeKind::Replaces => "replaces",
            EdgeKind::Skips => "skips",
            EdgeKind::SkipRange => "skip range",
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
        let is_explained = |label: &&str| ROWS.iter().any(|(row, ..)| row == label);
        let kinds = [
            EntryNodeKind::Entry,
            EntryNodeKind::Ghost,
            EntryNodeKind::Removed,
            EntryNodeKind::Stack,
        ];
        assert!(
            kinds
                .into_iter()
                .filter_map(label_of_kind)
                .all(|label| is_explained(&label))
        );
        let edges = [EdgeKind::Replaces, EdgeKind::Skips, EdgeKind::SkipRange];
        assert!(edges.map(label_of_edge).iter().all(is_explained));
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
        assert!(labels_of_states(every).iter().all(is_explained));
        let changes = ComparedKind::ALL.map(ComparedKind::label);
        assert!(changes.iter().all(is_explained));
    }
}
