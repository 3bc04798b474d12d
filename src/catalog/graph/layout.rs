//! The lanes of a package: one lane per channel, one column per version, shared by all lanes.
//!
//! Deterministic. Lengths are CSS pixels at scale 1; the origin is the top left corner of the
//! headings. The cost is linear in nodes and edges, except for sorting; skip ranges are evaluated
//! for the selection only.

pub mod geometry;

mod below;
mod columns;
mod lane;

#[cfg(test)]
mod tests;

pub use geometry::{
    Arrow, Bracket, Column, Curve, EntryNode, EntryNodeKind, HorizontalLine, Lane, Layout, Link,
    Marks, Rect, Route, Run, Shape, StreamHeading,
};

use super::channel_order::channel_order;
use super::{ChannelGraph, PackageGraph};
use std::collections::BTreeSet;
use syntax::hashed::{HashMap, HashSet};
use syntax::order::SortSmall;
use syntax::place::Text;

/// Width of the lane headings and height of the column headings, in pixels.
const HEADER: f32 = 148.0;
const TOP: f32 = 56.0;

/// How the lanes are to be drawn. Names that the package does not have are ignored.
#[derive(Debug, Clone, Default)]
pub struct LayoutRequest {
    /// In a large package, fold the y-streams older than the newest few.
    pub fold: bool,
    /// y-streams (`1.29`) whose folding the user has toggled.
    pub toggled: BTreeSet<String>,
    /// Channels to put first, in this order.
    pub order: Vec<Text>,
    /// Channels in the order in which they were last shown, which they keep even if their heads
    /// change.
    pub settled: Vec<Text>,
    /// Channels without a lane; hiding one moves no columns.
    pub hidden: HashSet<Text>,
    pub selected: Option<Selection>,
    /// Channels and entries with unsaved changes; the entry "" is the channel itself.
    pub edited: HashSet<(Text, Text)>,
    pub routes: Vec<RouteRequest>,
}

/// An entry of a channel; without a channel, the bundle in all lanes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    pub channel: Option<Text>,
    pub name: Text,
}

/// An upgrade step, drawn over the lanes. An end without a channel is searched in the other end's
/// lane, then in all lanes from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteRequest {
    pub from: Selection,
    pub to: Selection,
    pub chosen: bool,
}

impl Selection {
    fn includes(&self, channel: &ChannelGraph) -> bool {
        self.channel
            .as_ref()
            .is_none_or(|name| *name == channel.name)
    }
}

pub fn layout(graph: &PackageGraph, request: &LayoutRequest) -> Layout {
    let plan = columns::plan(graph, request);
    let mut order = lane_order(graph, request);
    order.retain(|&index| {
        !request
            .hidden
            .contains(&graph.channels[index as usize].name)
    });
    let mut lanes = Vec::with_capacity(order.len());
    let mut y = TOP;
    for &channel in &order {
        let lane = lane::lay_out_lane(graph, channel, request, &plan, y);
        y += lane.height;
        lanes.push(lane);
    }
    Layout {
        width: plan.width,
        height: y,
        header: HEADER,
        top: TOP,
        routes: lane::lay_out_routes(graph, &lanes, &request.routes),
        streams: plan.streams,
        columns: plan.columns,
        lanes,
    }
}

/// Returns the channels in the order of their lanes: those that the request names, then those that
/// keep their last order, then the rest in the order of [`channel_order`]. A channel that was added
/// between settled ones precedes the channel that it would precede without them. Hidden ones are
/// included.
pub fn lane_order(graph: &PackageGraph, request: &LayoutRequest) -> Vec<u32> {
    let mut order = settle_order(
        channel_order(graph),
        &channel_ranks(graph, &request.settled),
    );
    let requested = channel_ranks(graph, &request.order);
    order.sort_small_by_key(|&channel| requested[channel as usize].unwrap_or(usize::MAX));
    order
}

fn channel_ranks(graph: &PackageGraph, names: &[Text]) -> Vec<Option<usize>> {
    let mut ranks: HashMap<&str, usize> = HashMap::default();
    for (rank, name) in names.iter().enumerate() {
        ranks.entry(&**name).or_insert(rank);
    }
    let channels = graph.channels.iter();
    channels
        .map(|channel| ranks.get(&*channel.name).copied())
        .collect()
}

/// Sorts the channels that have a rank by rank; each run of others remains before the channel that
/// followed it.
fn settle_order(order: Vec<u32>, ranks: &[Option<usize>]) -> Vec<u32> {
    let mut ranked: Vec<(usize, Vec<u32>)> = Vec::new();
    let mut run = Vec::new();
    for channel in order {
        run.push(channel);
        if let Some(rank) = ranks[channel as usize] {
            ranked.push((rank, std::mem::take(&mut run)));
        }
    }
    ranked.sort_small_by_key(|(rank, _)| *rank);
    ranked
        .into_iter()
        .flat_map(|(_, run)| run)
        .chain(run)
        .collect()
}
