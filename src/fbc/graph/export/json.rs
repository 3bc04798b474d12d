//! The graph for scripts: the contract of `switchyard graph --format json`.

use super::states;
use crate::graph::{ChannelGraph, PackageGraph};
use serde_json::{Value, json};
use std::ops::Range as Run;

/// Up to this many edges of skip ranges are listed one by one.
const LISTED: usize = 100_000;

/// `{"format":1,"packages":[{"package","default","deprecated","channels":[{"channel","head","deprecated","entries":[…],
/// "edges":[…],"by_version":[…],"ranges":[…]}]}]}`.
///
/// `deprecated` is the message of a deprecation of the package or channel, or null; an entry's
/// state is that of its bundle alone.
///
/// Packages and channels keep the given order. `head` is null unless there is exactly one.
/// `entries` are the channel's in file order, then absent ones (state `absent`) that its edges
/// name; `version` is null if neither bundle nor name has one. Edges run from old to new. `ranges`
/// gives what a skip range covers as runs of `by_version`, the entries that have a version from
/// lowest to highest, without its own entry. `edges` also lists the edges of skip ranges, unless
/// the channel has more than [`LISTED`] of them: their number grows with the square of the entries.
pub fn json<'a>(graphs: impl IntoIterator<Item = &'a PackageGraph>) -> Value {
    json!({ "format": 1, "packages": graphs.into_iter().map(package).collect::<Vec<_>>() })
}

fn package(graph: &PackageGraph) -> Value {
    json!({
        "package": &*graph.package,
        "default": &*graph.default_channel,
        "deprecated": graph.deprecated.as_deref(),
        "channels": graph.channels.iter().map(|c| channel(graph, c)).collect::<Vec<_>>(),
    })
}

fn channel(graph: &PackageGraph, channel: &ChannelGraph) -> Value {
    let entries = channel.nodes.iter().map(|node| {
        let facts = graph.facts(node);
        json!({
            "name": facts.map_or("", |f| &f.name),
            "version": facts.map(|f| &*f.text).filter(|text| !text.is_empty()),
            "state": states(graph, node),
        })
    });
    let coverage = graph.coverage(channel);
    let listed = if coverage.edges() <= LISTED {
        graph.all_edges(channel)
    } else {
        channel.edges.clone()
    };
    let edges = listed.iter().map(|edge| {
        json!({
            "from": graph.name_at(channel, edge.from),
            "to": graph.name_at(channel, edge.to),
            "kind": edge.kind.field(),
        })
    });
    let name = |place: usize| {
        coverage
            .by_version
            .get(place)
            .map(|&node| graph.name_at(channel, node))
    };
    let ranges = channel.ranges.iter().zip(&coverage.ranges).map(|(range, runs)| {
        let run = |run: &Run<usize>| {
            json!({ "from": name(run.start), "to": name(run.end.saturating_sub(1)), "entries": run.len() })
        };
        json!({
            "to": graph.name_at(channel, range.node),
            "skipRange": &*range.text,
            "covers": runs.iter().map(run).collect::<Vec<_>>(),
        })
    });
    json!({
        "channel": &*channel.name,
        "head": channel.head().map(|head| graph.name_at(channel, head)),
        "deprecated": channel.deprecated.as_deref(),
        "entries": entries.collect::<Vec<_>>(),
        "edges": edges.collect::<Vec<_>>(),
        "by_version": (0..coverage.by_version.len()).map(name).collect::<Vec<_>>(),
        "ranges": ranges.collect::<Vec<_>>(),
    })
}
