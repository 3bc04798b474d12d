//! The inspector's content for a channel: its head, the states of its entries, its place.

use super::{InspectionSubject, conditions, fact, groups, with_note, written_fact};
use fbc::graph::{ChannelGraph, Node, PackageGraph};
use fbc::upgrade::status_conditions::Scope;
use fbc::workspace::Refused;
use protocol::counting::and_more;
use protocol::inspection::{Fact, IconView, Inspection};

/// Most names that are listed one by one.
const LISTED: usize = 40;

pub(super) fn inspect(subject: InspectionSubject<'_>, name: &str) -> Result<Inspection, Refused> {
    let graph = PackageGraph::build(subject.package);
    let channel = graph
        .channel(name)
        .ok_or_else(|| Refused::new(format!("no channel `{name}`")))?;
    let blob = &channel.blob;
    let at = subject.location(blob.file, blob.index, blob.place);
    Ok(Inspection {
        title: name.to_owned(),
        kind: "channel".into(),
        version: String::new(),
        channels: Vec::new(),
        groups: groups([
            ("Channel", facts(subject, &graph, channel)),
            (
                "Stranded",
                names(subject, &graph, channel, |node| node.stranded),
            ),
            (
                "Not in this channel",
                names(subject, &graph, channel, Node::is_absent),
            ),
        ]),
        icon: IconView::None,
        description: String::new(),
        problems: subject.problems(|problem| problem.channel.as_deref() == Some(name)),
        location: Some(at),
    })
}

fn facts(
    subject: InspectionSubject<'_>,
    graph: &PackageGraph,
    channel: &ChannelGraph,
) -> Vec<Fact> {
    let blob = &channel.blob;
    let mut facts = vec![written_fact(
        "Name",
        &*channel.name,
        subject.location(blob.file, blob.index, blob.name.place),
    )];
    if channel.is_default {
        facts.push(fact("Default channel", "yes"));
    }
    let heads: Vec<&str> = channel
        .heads
        .iter()
        .map(|&head| graph.name_at(channel, head))
        .collect();
    facts.push(match heads.as_slice() {
        [] => with_note("every entry is replaced or skipped", fact("Head", "none")),
        [head] => fact("Head", *head),
        heads => with_note("opm requires exactly one", fact("Heads", heads.join(", "))),
    });
    facts.push(fact("Entries", channel.present.to_string()));
    let skipped = channel
        .nodes
        .iter()
        .filter(|node| node.skipped && !node.is_absent())
        .count();
    if skipped > 0 {
        facts.push(fact("Skipped entries", skipped.to_string()));
    }
    facts.extend(conditions(
        subject,
        &[Scope::Package, Scope::Channel(&channel.name)],
    ));
    facts
}

fn names(
    subject: InspectionSubject<'_>,
    graph: &PackageGraph,
    channel: &ChannelGraph,
    wanted: impl Fn(&Node) -> bool,
) -> Vec<Fact> {
    let nodes: Vec<&Node> = channel.nodes.iter().filter(|node| wanted(node)).collect();
    let blob = &channel.blob;
    let listed = nodes.iter().take(LISTED).map(|node| {
        let facts = graph.facts(node);
        let name = facts.map_or("", |facts| &facts.name);
        match channel.only_line(node) {
            Some(entry) => {
                let made = subject
                    .root
                    .rendering()
                    .and_then(|of| of.entry_line(&subject.package.name, &channel.name, name));
                let at = || subject.location(blob.file, blob.index, entry.place);
                written_fact("", name, made.unwrap_or_else(at))
            }
            None => fact("", name),
        }
    });
    let more = nodes.len().saturating_sub(LISTED);
    let rest = (more > 0).then(|| fact("", and_more(more)));
    listed.chain(rest).collect()
}
