//! Steps from the installed version: an arc over the lane, or a curve to another one.

use super::geometry::{Curve, EntryNode, Lane, Layout, Route};
use super::{RouteRequest, Selection};
use crate::graph::build::PackageGraph;
use crate::hashed::HashMap;

/// Above the arcs of a lane, so that a step is not mistaken for a `replaces`, and inside the lane.
const RISE: f32 = 18.0;

pub(super) fn lay(graph: &PackageGraph, layout: &Layout, requests: &[RouteRequest]) -> Vec<Route> {
    if requests.is_empty() {
        return Vec::new();
    }
    let places = Places::new(graph, layout);
    let routes = (0..).zip(requests);
    routes
        .filter_map(|(index, request)| {
            // Each end prefers the other's lane; without a preference the target decides.
            let to = places.find(&request.to, request.from.channel.as_deref())?;
            let from = places.find(&request.from, Some(lane_name(graph, to.0)))?;
            Some(Route {
                request: index,
                curve: curve(from, to)?,
                chosen: request.chosen,
            })
        })
        .collect()
}

fn lane_name<'a>(graph: &'a PackageGraph, lane: &Lane) -> &'a str {
    graph
        .channels
        .get(lane.channel as usize)
        .map_or("", |c| &c.name)
}

/// Finds the box of a name without a search: a path has as many steps as a channel has entries.
struct Places<'a> {
    graph: &'a PackageGraph,
    /// By name, in lane order.
    by_name: HashMap<&'a str, Vec<PlaceInLane<'a>>>,
}

#[derive(Clone, Copy)]
struct PlaceInLane<'a> {
    lane: &'a Lane,
    entry_node: &'a EntryNode,
    absent: bool,
}

impl<'a> Places<'a> {
    fn new(graph: &'a PackageGraph, layout: &'a Layout) -> Self {
        let mut by_name: HashMap<&str, Vec<PlaceInLane<'_>>> = HashMap::default();
        for lane in &layout.lanes {
            let Some(channel) = graph.channels.get(lane.channel as usize) else {
                continue;
            };
            for (entry_node, &node) in lane
                .entry_nodes
                .iter()
                .flat_map(|entry_node| entry_node.nodes.iter().map(move |node| (entry_node, node)))
            {
                let absent = channel
                    .nodes
                    .get(node as usize)
                    .is_none_or(|n| n.is_absent());
                by_name
                    .entry(graph.name_at(channel, node))
                    .or_default()
                    .push(PlaceInLane {
                        lane,
                        entry_node,
                        absent,
                    });
            }
        }
        Self { graph, by_name }
    }

    /// The box of a name: in its channel; else in `near`; else in the first lane that has it,
    /// preferably as an entry.
    fn find(&self, what: &Selection, near: Option<&str>) -> Option<(&'a Lane, &'a EntryNode)> {
        let all = self.by_name.get(&*what.name)?;
        let in_lane = |name: &str| {
            all.iter()
                .find(|place| lane_name(self.graph, place.lane) == name)
        };
        let place = match &what.channel {
            Some(name) => in_lane(name),
            None => near
                .and_then(in_lane)
                .or_else(|| all.iter().min_by_key(|place| place.absent)),
        };
        place.map(|place| (place.lane, place.entry_node))
    }
}

fn curve((lane, from): (&Lane, &EntryNode), (other, to): (&Lane, &EntryNode)) -> Option<Curve> {
    if lane.channel == other.channel {
        let ends = (
            (from.rect.center_x(), from.rect.y),
            (to.rect.center_x(), to.rect.y),
        );
        return (ends.0 != ends.1).then(|| Curve::swing(ends.0, ends.1, -RISE));
    }
    let down = other.y > lane.y;
    let start = (
        from.rect.center_x(),
        if down {
            from.rect.bottom()
        } else {
            from.rect.y
        },
    );
    let from_left = to.rect.center_x() >= from.rect.center_x();
    let end = (
        if from_left {
            to.rect.x
        } else {
            to.rect.right()
        },
        to.rect.center_y(),
    );
    let bend = (end.0 - start.0).abs().max(40.0) * if from_left { 0.4 } else { -0.4 };
    let control1 = (start.0, start.1 + (end.1 - start.1) * 0.8);
    Some(Curve {
        from: start,
        control1,
        control2: (end.0 - bend, end.1),
        to: end,
    })
}
