//! The graph for scripts: the contract of `switchyard graph --format json`.

use super::states;
use crate::graph::{ChannelGraph, PackageGraph};
use serde_json::{Value, json};

/// `{"format":1,"packages":[{"package","default","deprecated","channels":[{"channel","head","deprecated","entries":[…],
/// "edges":[…]}]}]}`.
///
/// `deprecated` is the message of a deprecation of the package or of the channel, null without one; an entry's state
/// is that of its bundle alone.
///
/// Packages and channels come in the order given. `head` is null unless there is exactly one. `entries` are the channel's
/// in file order, then absent ones (state `absent`) that its edges name; `version` is null if neither bundle nor name has
/// one. Edges run old to new; a skip range has one edge for each entry it covers, except itself.
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
    let edges = graph.all_edges(channel).into_iter().map(|edge| {
        json!({
            "from": graph.name_at(channel, edge.from),
            "to": graph.name_at(channel, edge.to),
            "kind": edge.kind.field(),
        })
    });
    json!({
        "channel": &*channel.name,
        "head": channel.head().map(|head| graph.name_at(channel, head)),
        "deprecated": channel.deprecated.as_deref(),
        "entries": entries.collect::<Vec<_>>(),
        "edges": edges.collect::<Vec<_>>(),
    })
}
