//! The edges of a lane: what is replaced, what is skipped by name and by range. As of cars, those that come near the view
//! are drawn. Knows no cars but the ends of its edges.

use super::viewport::Window;
use super::{GraphContext, printed_pages};
use crate::reactive::memo;
use crate::state::entry_changes::Changes;
use leptos::prelude::*;
use protocol::lanes::{Bracket, Curve, Lane, Link, Run, Shape};
use protocol::views::EntryRef;
use std::sync::Arc;

/// An edge of a lane, by its place among those of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum EdgeAt {
    Run(usize),
    Bracket(usize),
    Link(usize),
}

/// The edges of a lane that are near the view: runs under brackets under links.
pub(super) fn edges(
    shared: GraphContext,
    lane: Memo<Option<Arc<Lane>>>,
    index: usize,
) -> impl IntoView {
    let near = memo(move |_| {
        let (window, header) = (shared.window.get(), shared.lanes.with(|lanes| lanes.header));
        lane.with(|lane| {
            lane.as_deref()
                .map(|lane| edges_in(lane, header, window))
                .unwrap_or_default()
        })
    });
    view! {
        <For each=move || near.get() key=|at| *at let:at>
            {move || {
                let changes = shared.changes.get();
                lane.with(|lane| lane.as_deref().and_then(|lane| draw_edge(lane, at, index, &changes)))
            }}
        </For>
    }
}

/// Which edges of a lane reach into a window.
fn edges_in(lane: &Lane, header: f32, window: Window) -> Vec<EdgeAt> {
    let meets =
        |(from, to): (f32, f32)| window.meets_x(f64::from(from - header), f64::from(to - header));
    let runs = lane
        .runs
        .iter()
        .map(|run| (run.bar.x1, run.bar.x2))
        .enumerate()
        .map(|(at, of)| (EdgeAt::Run(at), of));
    let brackets = lane.brackets.iter().map(reach_of_bracket).enumerate();
    let links = lane
        .links
        .iter()
        .map(|link| reach_of_link(&link.shape))
        .enumerate();
    let all = runs
        .chain(brackets.map(|(at, of)| (EdgeAt::Bracket(at), of)))
        .chain(links.map(|(at, of)| (EdgeAt::Link(at), of)));
    all.filter(|(_, reach)| meets(*reach))
        .map(|(at, _)| at)
        .collect()
}

fn reach_of_bracket(bracket: &Bracket) -> (f32, f32) {
    (
        bracket.bar.x1.min(bracket.arrow),
        bracket.bar.x2.max(bracket.arrow),
    )
}

/// A curve stays between the points that it is made of.
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

/// An edge is named by its lane and its place, which is how keys and pointers find it.
fn draw_edge(lane: &Lane, at: EdgeAt, index: usize, changes: &Changes) -> Option<AnyView> {
    match at {
        EdgeAt::Run(i) => lane
            .runs
            .get(i)
            .map(|run| draw_run(run, format!("{index}-run-{i}")).into_any()),
        EdgeAt::Bracket(i) => lane
            .brackets
            .get(i)
            .map(|bracket| draw_bracket(bracket, format!("{index}-bracket-{i}")).into_any()),
        EdgeAt::Link(i) => lane
            .links
            .get(i)
            .map(|link| draw_link(link, format!("{index}-link-{i}"), lane, changes).into_any()),
    }
}

pub(super) fn draw_arrows(shared: GraphContext, lane: &Lane) -> impl IntoView + use<> {
    let tip = shared.ids.with_value(printed_pages::Ids::tip_of_arrow);
    let arrows = lane.arrows.iter();
    arrows
        .map(|a| view! { <path class="arrow" d=a.curve.path() marker-end=tip.clone()/> })
        .collect_view()
}

/// `name` is how the element says which edge it is.
fn draw_run(run: &Run, name: String) -> impl IntoView + use<> {
    let y = run.bar.y;
    let ticks: String = run
        .ticks
        .iter()
        .map(|x| format!("M{x:.1} {:.1}V{:.1}", y - 4.0, y + 3.0))
        .collect();
    view! {
        <g class="run" class:selected=run.selected data-edge=name data-press="">
            <path class="edge-hit" d=format!("M{:.1} {y:.1}H{:.1}", run.bar.x1, run.bar.x2)/>
            <line class="run-bar" x1=run.bar.x1.to_string() x2=run.bar.x2.to_string() y1=y.to_string() y2=y.to_string()/>
            <path class="run-ticks" d=ticks/>
        </g>
    }
}

fn draw_bracket(bracket: &Bracket, name: String) -> impl IntoView + use<> {
    let (x1, x2, y) = (bracket.bar.x1, bracket.bar.x2, bracket.bar.y);
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
    let ticks: String = bracket
        .ticks
        .iter()
        .map(|x| format!("M{x:.1} {:.1}V{:.1}", y - 3.5, y + 3.5))
        .collect();
    view! {
        <g class="bracket" class:selected=bracket.full class:invalid=bracket.invalid class:covers=bracket.covers_selected data-edge=name data-press="">
            <path class="edge-hit" d=line.clone()/>
            <path class="bracket-line" d=line/>
            <path class="bracket-tip" d=tip/>
            <path class="bracket-ticks" d=ticks/>
        </g>
    }
}

fn draw_link(link: &Link, name: String, lane: &Lane, changes: &Changes) -> impl IntoView + use<> {
    let path = match &link.shape {
        Shape::Straight(rail) => format!("M{:.1} {:.1}H{:.1}", rail.x1, rail.y, rail.x2),
        Shape::Arc(curve) => curve.path(),
    };
    let entry = lane
        .cars
        .get(link.to as usize)
        .filter(|c| c.members.is_empty())
        .map(|c| EntryRef {
            channel: lane.channel.clone(),
            name: c.name.clone(),
        });
    let change = entry
        .as_ref()
        .and_then(|entry| changes.get(&(entry.channel.clone(), entry.name.clone())));
    let is_other = change.is_some();
    view! {
        <g class="link" class:compared=is_other class:ghost=link.ghost class:backwards=link.backwards class:selected=link.selected data-press="" data-edge=name>
            <path class="link-hit" d=path.clone()/>
            <path class="link-line" d=path/>
        </g>
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::lane;
    use super::*;
    use protocol::lanes::Rail;

    #[test]
    fn edges_that_reach_into_the_window_are_drawn() {
        let straight = |x1: f32, x2: f32| Link {
            shape: Shape::Straight(Rail { x1, x2, y: 0.0 }),
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
            bar: Rail {
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
            edges_in(
                &lane,
                0.0,
                Window {
                    x1,
                    x2,
                    ..Window::ALL
                },
            )
        };
        assert_eq!(
            within(60.0, 200.0),
            [EdgeAt::Link(1), EdgeAt::Link(2)],
            "what only passes through as well"
        );
        assert_eq!(within(510.0, 520.0), [EdgeAt::Run(0), EdgeAt::Link(2)]);
        assert_eq!(within(f64::MIN, f64::MAX).len(), 4);
    }

    const LINK: Link = Link {
        from: 0,
        to: 0,
        shape: Shape::Straight(Rail {
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
