//! Draws the edges of a lane near the view: replaces, skips by name, and skips by range. Nodes
//! matter only as the ends of edges. Also draws soft edges at the cut sides of the picture, so that
//! it does not look complete.

use super::viewport::{Bounds, Viewport, Window};
use super::{ARROW_TIP, GraphContext};
use crate::reactive::memo;
use crate::state::entries::Changes;
use leptos::prelude::*;
use protocol::lanes::{Bracket, Curve, HorizontalLine, Lane, Link, Run, Shape};
use std::sync::Arc;

/// Width of a soft edge in pixels.
const SOFT_EDGE_WIDTH: f64 = 28.0;
const FADE: &str = "url(#graph-fade)";
/// Smaller hidden parts are ignored, in pixels of the screen.
const MIN_HIDDEN: f64 = 4.0;
/// Start and end of the gradient.
const OUTSIDE: &str = "0";
const INSIDE: &str = "1";

/// Everything drawn for an edge. Used as the element's key: unchanged edges keep their element,
/// changed ones are replaced.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct EdgeDrawing {
    class: String,
    /// Lane, kind and index. Identifies an edge for keys and pointers; arrows only need unique
    /// keys. "" in the legend.
    name: String,
    is_arrow: bool,
    /// The classes and `d` attributes of its paths.
    paths: Vec<(&'static str, String)>,
}

/// Renders the edges of a lane near the view, from bottom to top: runs, brackets, links, arrows.
pub(super) fn edges(shared: GraphContext, lane: Memo<Arc<Lane>>, index: usize) -> impl IntoView {
    let near = memo(move |_| {
        let (window, header) = (shared.window.get(), shared.lanes.with(|lanes| lanes.header));
        shared
            .changes
            .with(|changes| lane.with(|lane| edges_in(lane, index, header, window, changes)))
    });
    view! {
        <For each=move || near.get() key=EdgeDrawing::clone let:edge>
            {draw(edge)}
        </For>
    }
}

/// Returns the edges of a lane that intersect a window.
fn edges_in(
    lane: &Lane,
    index: usize,
    header: f32,
    window: Window,
    changes: &Changes,
) -> Vec<EdgeDrawing> {
    let meets =
        |(from, to): (f32, f32)| window.meets_x((from - header).into(), (to - header).into());
    let name = |kind: &str, at: usize| format!("{index}-{kind}-{at}");
    let runs = lane
        .runs
        .iter()
        .enumerate()
        .filter(|(_, run)| meets((run.bar.x1, run.bar.x2)))
        .map(|(at, run)| EdgeDrawing::for_run(run, name("run", at)));
    let brackets = lane
        .brackets
        .iter()
        .enumerate()
        .filter(|(_, bracket)| meets(bracket_extent(bracket)))
        .map(|(at, bracket)| EdgeDrawing::for_bracket(bracket, name("bracket", at)));
    let links = lane
        .links
        .iter()
        .enumerate()
        .filter(|(_, link)| meets(link_extent(&link.shape)))
        .map(|(at, link)| EdgeDrawing::for_link(link, name("link", at), lane, changes));
    let arrows = lane
        .arrows
        .iter()
        .enumerate()
        .map(|(at, arrow)| EdgeDrawing::for_arrow(arrow.curve, name("skip", at)));
    runs.chain(brackets).chain(links).chain(arrows).collect()
}

fn bracket_extent(bracket: &Bracket) -> (f32, f32) {
    (
        bracket.bar.x1.min(bracket.arrow),
        bracket.bar.x2.max(bracket.arrow),
    )
}

/// Returns the horizontal extent of a link. A curve stays within its control points.
fn link_extent(shape: &Shape) -> (f32, f32) {
    match shape {
        Shape::Straight(line) => (line.x1.min(line.x2), line.x1.max(line.x2)),
        Shape::Arc(Curve {
            from,
            control1,
            control2,
            to,
        }) => {
            let xs = [from.0, control1.0, control2.0, to.0];
            (
                xs.into_iter().fold(f32::MAX, f32::min),
                xs.into_iter().fold(f32::MIN, f32::max),
            )
        }
    }
}

impl EdgeDrawing {
    pub(super) fn for_run(run: &Run, name: String) -> Self {
        let HorizontalLine { x1, x2, y } = run.bar;
        let ticks = run
            .ticks
            .iter()
            .map(|x| format!("M{x:.1} {:.1}V{:.1}", y - 4.0, y + 3.0))
            .collect();
        let bar = format!("M{x1:.1} {y:.1}H{x2:.1}");
        Self {
            class: class_with_states("run", &[(run.selected, "selected")]),
            name,
            is_arrow: false,
            paths: vec![
                ("edge-hit", bar.clone()),
                ("run-bar", bar),
                ("run-ticks", ticks),
            ],
        }
    }

    pub(super) fn for_bracket(bracket: &Bracket, name: String) -> Self {
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
            class: class_with_states("bracket", &states),
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

    /// Creates the drawing of a single skip from or to the selected entry.
    pub(super) fn for_arrow(curve: Curve, name: String) -> Self {
        Self {
            class: "skip".to_owned(),
            name,
            is_arrow: true,
            paths: vec![("arrow", curve.path())],
        }
    }

    pub(super) fn for_link(link: &Link, name: String, lane: &Lane, changes: &Changes) -> Self {
        let path = match &link.shape {
            Shape::Straight(line) => format!("M{:.1} {:.1}H{:.1}", line.x1, line.y, line.x2),
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
            class: class_with_states("link", &states),
            name,
            is_arrow: false,
            paths: vec![("link-hit", path.clone()), ("link-line", path)],
        }
    }
}

fn class_with_states(class: &str, states: &[(bool, &str)]) -> String {
    let states = states.iter().filter(|(applies, _)| *applies);
    states.fold(class.to_owned(), |class, (_, state)| class + " " + state)
}

pub(super) fn draw(edge: EdgeDrawing) -> AnyView {
    let EdgeDrawing {
        class,
        name,
        is_arrow,
        paths,
    } = edge;
    let tip = is_arrow.then_some(ARROW_TIP);
    let name = (!is_arrow && !name.is_empty()).then_some(name);
    let press = name.is_some().then_some("");
    let paths = paths
        .into_iter()
        .map(|(class, d)| view! { <path class=class d=d marker-end=tip/> })
        .collect_view();
    view! { <g class=class data-edge=name data-press=press>{paths}</g> }.into_any()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct HiddenSides {
    left: bool,
    right: bool,
}

impl HiddenSides {
    fn new(view: Viewport, bounds: Bounds) -> Self {
        let end = view.x + bounds.view_width / view.scale;
        Self {
            left: view.x * view.scale > MIN_HIDDEN,
            right: (bounds.content_width - end) * view.scale > MIN_HIDDEN,
        }
    }
}

/// Soft edges above the lanes and below the headings. `left` is the start of the lanes in pixels.
#[component]
pub(super) fn SoftEdges(shared: GraphContext, left: Signal<f32>) -> impl IntoView {
    let hidden = memo(move |_| HiddenSides::new(shared.view.get(), shared.bounds.get()));
    let mirrored = move || {
        let x = f64::from(left.get()) + shared.bounds.with(|bounds| bounds.view_width);
        format!("translate({x:.0} 0) scale(-1 1)")
    };
    view! {
        <defs>
            // Both stops use non-literal values: Leptos wraps an all-literal element in a group,
            // which a gradient must not contain.
            <linearGradient id="graph-fade">
                <stop class="graph-edge-end" offset=OUTSIDE/>
                <stop class="graph-edge-end" offset=INSIDE stop-opacity="0"/>
            </linearGradient>
        </defs>
        <Show when=move || hidden.get().left>
            <rect class="graph-edge" x=move || left.get().to_string() width=SOFT_EDGE_WIDTH.to_string() height="100%" fill=FADE/>
        </Show>
        <Show when=move || hidden.get().right>
            <rect class="graph-edge" transform=mirrored width=SOFT_EDGE_WIDTH.to_string() height="100%" fill=FADE/>
        </Show>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::graph::testing::lane;

    #[test]
    fn edges_that_cross_the_window_are_drawn() {
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
    fn an_unchanged_edge_keeps_its_key() {
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

    fn hidden_sides(x: f64, scale: f64) -> (bool, bool) {
        let bounds = Bounds {
            content_width: 1_000.0,
            view_width: 400.0,
            ..Bounds::default()
        };
        let HiddenSides { left, right } = HiddenSides::new(Viewport { x, y: 0.0, scale }, bounds);
        (left, right)
    }

    #[test]
    fn an_edge_is_soft_if_content_continues_behind_it() {
        assert_eq!(hidden_sides(0.0, 1.0), (false, true));
        assert_eq!(hidden_sides(300.0, 1.0), (true, true));
        assert_eq!(hidden_sides(600.0, 1.0), (true, false));
        assert_eq!(
            hidden_sides(0.0, 0.4),
            (false, false),
            "all of it is in view"
        );
        assert_eq!(hidden_sides(3.0, 1.0), (false, true), "next to nothing");
    }
}
