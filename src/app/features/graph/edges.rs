//! Draws the edges of a lane near the view: replaces, skips by name and by range. Knows nodes only
//! as the ends of edges.

use super::viewport::Window;
use super::{GraphContext, Ids};
use crate::reactive::memo;
use crate::state::entry_changes::Changes;
use leptos::prelude::*;
use protocol::lanes::{Bracket, Curve, HorizontalLine, Lane, Link, Run, Shape};
use std::sync::Arc;

/// Everything drawn for an edge. Used as the element's key: unchanged edges keep their element,
/// changed ones are replaced.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct EdgeDrawing {
    class: String,
    /// Lane, kind and index: identifies all edges but arrows for keys and pointers; arrows need
    /// unique keys too.
    name: String,
    is_arrow: bool,
    /// The classes and `d` attributes of its paths.
    paths: Vec<(&'static str, String)>,
}

/// The edges of a lane near the view, bottom to top: runs, brackets, links, arrows.
pub(super) fn edges(
    shared: GraphContext,
    lane: Memo<Option<Arc<Lane>>>,
    index: usize,
) -> impl IntoView {
    let near = memo(move |_| {
        let (window, header) = (shared.window.get(), shared.lanes.with(|lanes| lanes.header));
        shared.changes.with(|changes| {
            lane.with(|lane| {
                lane.as_deref()
                    .map(|lane| edges_in(lane, index, header, window, changes))
                    .unwrap_or_default()
            })
        })
    });
    let tip = shared.ids.with_value(Ids::tip_of_arrow);
    view! {
        <For each=move || near.get() key=EdgeDrawing::clone let:edge>
            {draw(edge, &tip)}
        </For>
    }
}

/// The edges of a lane that intersect a window.
fn edges_in(
    lane: &Lane,
    index: usize,
    header: f32,
    window: Window,
    changes: &Changes,
) -> Vec<EdgeDrawing> {
    let meets =
        |(from, to): (f32, f32)| window.meets_x(f64::from(from - header), f64::from(to - header));
    let name = |kind: &str, at: usize| format!("{index}-{kind}-{at}");
    let runs = lane.runs.iter().enumerate();
    let runs = runs
        .filter(|(_, run)| meets((run.bar.x1, run.bar.x2)))
        .map(|(at, run)| EdgeDrawing::for_run(run, name("run", at)));
    let brackets = lane.brackets.iter().enumerate();
    let brackets = brackets
        .filter(|(_, bracket)| meets(reach_of_bracket(bracket)))
        .map(|(at, bracket)| EdgeDrawing::for_bracket(bracket, name("bracket", at)));
    let links = lane.links.iter().enumerate();
    let links = links
        .filter(|(_, link)| meets(reach_of_link(&link.shape)))
        .map(|(at, link)| EdgeDrawing::for_link(link, name("link", at), lane, changes));
    let arrows = lane.arrows.iter().enumerate();
    let arrows = arrows.map(|(at, arrow)| EdgeDrawing {
        class: "skip".to_owned(),
        name: name("skip", at),
        is_arrow: true,
        paths: vec![("arrow", arrow.curve.path())],
    });
    runs.chain(brackets).chain(links).chain(arrows).collect()
}

fn reach_of_bracket(bracket: &Bracket) -> (f32, f32) {
    (
        bracket.bar.x1.min(bracket.arrow),
        bracket.bar.x2.max(bracket.arrow),
    )
}

/// A curve stays within its control points.
fn reach_of_link(shape: &Shape) -> (f32, f32) {
    match shape {
        Shape::Straight(rail) => (rail.x1.min(rail.x2), rail.x1.max(rail.x2)),
        Shape::Arc(Curve {
            from,
            control1,
            control2,
            to,
        }) => {
            let all = [from.0, control1.0, control2.0, to.0];
            (
                all.into_iter().fold(f32::MAX, f32::min),
                all.into_iter().fold(f32::MIN, f32::max),
            )
        }
    }
}

impl EdgeDrawing {
    fn for_run(run: &Run, name: String) -> Self {
        let HorizontalLine { x1, x2, y } = run.bar;
        let ticks = run
            .ticks
            .iter()
            .map(|x| format!("M{x:.1} {:.1}V{:.1}", y - 4.0, y + 3.0))
            .collect();
        let bar = format!("M{x1:.1} {y:.1}H{x2:.1}");
        Self {
            class: with_states("run", &[(run.selected, "selected")]),
            name,
            is_arrow: false,
            paths: vec![
                ("edge-hit", bar.clone()),
                ("run-bar", bar),
                ("run-ticks", ticks),
            ],
        }
    }

    fn for_bracket(bracket: &Bracket, name: String) -> Self {
        let HorizontalLine { x1, x2, y } = bracket.bar;
        let up = bracket.arrow;
        let line = format!(
            "M{x1:.1} {:.1}V{y:.1}H{x2:.1}M{up:.1} {y:.1}V{:.1}",
            y - 5.0,
            y - 3.0
        );
        let tip = format!(
            "M{:.1} {:.1}L{up:.1} {:.1}L{:.1} {:.1}z",
            up - 3.5,
            y - 2.0,
            y - 7.0,
            up + 3.5,
            y - 2.0
        );
        let ticks = bracket
            .ticks
            .iter()
            .map(|x| format!("M{x:.1} {:.1}V{:.1}", y - 3.5, y + 3.5))
            .collect();
        let states = [
            (bracket.full, "selected"),
            (bracket.invalid, "invalid"),
            (bracket.covers_selected, "covers"),
        ];
        Self {
            class: with_states("bracket", &states),
            name,
            is_arrow: false,
            paths: vec![
                ("edge-hit", line.clone()),
                ("bracket-line", line),
                ("bracket-tip", tip),
                ("bracket-ticks", ticks),
            ],
        }
    }

    fn for_link(link: &Link, name: String, lane: &Lane, changes: &Changes) -> Self {
        let path = match &link.shape {
            Shape::Straight(rail) => format!("M{:.1} {:.1}H{:.1}", rail.x1, rail.y, rail.x2),
            Shape::Arc(curve) => curve.path(),
        };
        let newer = lane.nodes.get(link.to as usize);
        let is_changed = newer.is_some_and(|node| {
            node.members.is_empty()
                && changes.contains_key(&(lane.channel.clone(), node.name.clone()))
        });
        let states = [
            (is_changed, "compared"),
            (link.ghost, "ghost"),
            (link.backwards, "backwards"),
            (link.selected, "selected"),
        ];
        Self {
            class: with_states("link", &states),
            name,
            is_arrow: false,
            paths: vec![("link-hit", path.clone()), ("link-line", path)],
        }
    }
}

fn with_states(class: &str, states: &[(bool, &str)]) -> String {
    let states = states.iter().filter(|(is_so, _)| *is_so);
    states.fold(class.to_owned(), |class, (_, state)| class + " " + state)
}

fn draw(edge: EdgeDrawing, tip: &str) -> AnyView {
    let EdgeDrawing {
        class,
        name,
        is_arrow,
        paths,
    } = edge;
    let tip = is_arrow.then(|| tip.to_owned());
    let name = (!is_arrow).then_some(name);
    let is_pressed = name.is_some().then_some("");
    let paths = paths
        .into_iter()
        .map(|(class, d)| view! { <path class=class d=d marker-end=tip.clone()/> })
        .collect_view();
    view! { <g class=class data-edge=name data-press=is_pressed>{paths}</g> }.into_any()
}

#[cfg(test)]
mod tests {
    use super::super::testing::lane;
    use super::*;

    #[test]
    fn edges_that_reach_into_the_window_are_drawn() {
        let straight = |x1: f32, x2: f32| Link {
            shape: Shape::Straight(HorizontalLine { x1, x2, y: 0.0 }),
            ..LINK
        };
        let over = Curve {
            from: (10.0, 0.0),
            control1: (10.0, 9.0),
            control2: (900.0, 9.0),
            to: (900.0, 0.0),
        };
        let links = vec![
            straight(0.0, 50.0),
            straight(150.0, 50.0),
            Link {
                shape: Shape::Arc(over),
                ..LINK
            },
        ];
        let run = Run {
            bar: HorizontalLine {
                x1: 500.0,
                x2: 600.0,
                y: 0.0,
            },
            ticks: Vec::new(),
            names: Vec::new(),
            by: Vec::new(),
            label: String::new(),
            selected: false,
        };
        let lane = Lane {
            links,
            runs: vec![run],
            ..Arc::unwrap_or_clone(lane("stable", 0.0, Vec::new()))
        };
        let within = |x1: f64, x2: f64| {
            let window = Window {
                x1,
                x2,
                ..Window::ALL
            };
            edges_in(&lane, 0, 0.0, window, &Changes::default())
                .into_iter()
                .map(|edge| edge.name)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            within(60.0, 200.0),
            ["0-link-1", "0-link-2"],
            "an edge that only passes through is drawn too"
        );
        assert_eq!(within(510.0, 520.0), ["0-run-0", "0-link-2"]);
        assert_eq!(within(f64::MIN, f64::MAX).len(), 4);
    }

    #[test]
    fn an_edge_that_stays_keeps_its_key_when_another_one_changes() {
        let links = |selected: bool| {
            vec![
                Link { selected, ..LINK },
                Link {
                    shape: Shape::Straight(HorizontalLine {
                        x1: 10.0,
                        x2: 20.0,
                        y: 0.0,
                    }),
                    ..LINK
                },
            ]
        };
        let drawn = |selected: bool| {
            let lane = Lane {
                links: links(selected),
                ..Arc::unwrap_or_clone(lane("stable", 0.0, Vec::new()))
            };
            edges_in(&lane, 0, 0.0, Window::ALL, &Changes::default())
        };
        let (before, after) = (drawn(false), drawn(true));
        assert_ne!(before[0], after[0]);
        assert_eq!(before[1], after[1]);
    }

    const LINK: Link = Link {
        from: 0,
        to: 0,
        shape: Shape::Straight(HorizontalLine {
            x1: 0.0,
            x2: 0.0,
            y: 0.0,
        }),
        edges: Vec::new(),
        ghost: false,
        backwards: false,
        selected: false,
    };
}
