//! Steps from the installed version: an arc over the lane, or a curve into another one.

use super::geometry::{Car, Curve, Lane, Layout, Route};
use super::{RouteRequest, Selection};
use crate::graph::build::PackageGraph;

/// Above the arcs of a lane, so that a step is not taken for a `replaces`, and inside the lane.
const RISE: f32 = 18.0;

pub(super) fn lay(graph: &PackageGraph, layout: &Layout, requests: &[RouteRequest]) -> Vec<Route> {
    let routes = (0..).zip(requests);
    routes
        .filter_map(|(request, asked)| {
            // Each end prefers the other's lane; the target decides if neither has a preference.
            let to = find(graph, layout, &asked.to, asked.from.channel.as_deref())?;
            let from = find(graph, layout, &asked.from, Some(lane_name(graph, to.0)))?;
            Some(Route { request, curve: curve(from, to)?, chosen: asked.chosen })
        })
        .collect()
}

fn lane_name<'a>(graph: &'a PackageGraph, lane: &Lane) -> &'a str {
    graph.channels.get(lane.channel as usize).map_or("", |c| &c.name)
}

/// The car of a name: in its channel; else in `near`; else in the first lane that has it, rather as an entry.
fn find<'a>(
    graph: &PackageGraph,
    layout: &'a Layout,
    what: &Selection,
    near: Option<&str>,
) -> Option<(&'a Lane, &'a Car)> {
    let found = |lane: &'a Lane| {
        let channel = graph.channels.get(lane.channel as usize)?;
        let node = graph.node_of(channel, &what.name)?;
        let absent = channel.nodes.get(node as usize).is_none_or(|n| n.is_absent());
        let car = lane.cars.iter().find(|car| car.nodes.contains(&node))?;
        Some((absent, lane, car))
    };
    let named = |lane: &&Lane, name: &str| lane_name(graph, lane) == name;
    let all = layout.lanes.iter();
    let place = match &what.channel {
        Some(name) => all.filter(|lane| named(lane, name)).find_map(found),
        None => {
            let near = near.and_then(|name| all.clone().filter(|lane| named(lane, name)).find_map(found));
            near.or_else(|| all.filter_map(found).min_by_key(|(absent, ..)| *absent))
        }
    };
    place.map(|(_, lane, car)| (lane, car))
}

fn curve((lane, from): (&Lane, &Car), (other, to): (&Lane, &Car)) -> Option<Curve> {
    if lane.channel == other.channel {
        let ends = ((from.rect.center_x(), from.rect.y), (to.rect.center_x(), to.rect.y));
        return (ends.0 != ends.1).then(|| Curve::swing(ends.0, ends.1, -RISE));
    }
    let down = other.y > lane.y;
    let start = (from.rect.center_x(), if down { from.rect.bottom() } else { from.rect.y });
    let from_left = to.rect.center_x() >= from.rect.center_x();
    let end = (if from_left { to.rect.x } else { to.rect.right() }, to.rect.center_y());
    let bend = (end.0 - start.0).abs().max(40.0) * if from_left { 0.4 } else { -0.4 };
    let control1 = (start.0, start.1 + (end.1 - start.1) * 0.8);
    Some(Curve { from: start, control1, control2: (end.0 - bend, end.1), to: end })
}
