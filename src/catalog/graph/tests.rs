//! The cases of `opm-semantics` 2.3, and any channel against a naive reading by names.

use super::{ChannelGraph, EdgeKind, PackageGraph};
use crate::model::Entry;
use crate::model::blob::ChannelBlob;
use crate::testing::{
    any_versioned_package as any_package, deprecate, entry, package_of_entries as assemble,
    versioned_package as package,
};
use crate::version::version_in_name;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn names<'a>(
    graph: &'a PackageGraph,
    channel: &ChannelGraph,
    nodes: impl IntoIterator<Item = u32>,
) -> Vec<&'a str> {
    nodes
        .into_iter()
        .map(|node| graph.name_at(channel, node))
        .collect()
}

/// Renders heads, cycle and stranded entries of one channel, as `A, B` each.
fn render_states(lines: &[&str]) -> (String, String, String) {
    let graph = PackageGraph::build(&package(&[("c", lines)]));
    let channel = &graph.channels[0];
    let stranded = (0..)
        .zip(&channel.nodes)
        .filter(|(_, n)| n.stranded)
        .map(|(i, _)| i);
    (
        names(&graph, channel, channel.heads.iter().copied()).join(", "),
        names(&graph, channel, channel.cycle.iter().copied()).join(", "),
        names(&graph, channel, stranded).join(", "),
    )
}

#[test]
fn heads_cycles_and_stranded_entries_match_opm() {
    for (lines, heads, cycle, stranded) in [
        (&["A", "B r:A"][..], "B", "", ""),
        (&["A", "B"], "A, B", "", ""),
        (&["A", "B sr:<1.0.0"], "A, B", "", ""),
        (&["A r:B", "B r:A"], "", "", ""),
        (&["A r:A"], "", "", ""),
        (&["A s:A"], "", "", ""),
        (&["A r:A", "B r:A"], "B", "A", ""),
        (&["A r:C", "B r:A", "C r:B", "D r:C"], "D", "C, B, A", ""),
        (&["A r:C", "B r:A", "C r:B", "D r:C s:B"], "D", "", "A"),
        (&["A r:C", "B r:A", "C r:B", "D r:C s:C"], "D", "", "A, B"),
        (&["A", "B r:A", "C s:B"], "C", "", "A"),
        (&["A", "B r:A", "C r:B s:B"], "C", "", "A"),
        (&["A", "B r:A", "C r:B s:A"], "C", "", ""),
        (&["A", "B r:A", "C r:A s:B"], "C", "", ""),
        (&["A", "B r:A", "C r:A", "D r:C"], "B, D", "", ""),
        (&["A", "B r:Z", "C r:B s:A"], "C", "", ""),
        (&["A s:B", "B s:A"], "", "", ""),
        (&["A r:gone"], "A", "", ""),
        (&["A s:gone"], "A", "", ""),
        (&[""], "", "", ""),
    ] {
        assert_eq!(
            render_states(lines),
            (heads.into(), cycle.into(), stranded.into()),
            "{lines:?}"
        );
    }
}

#[test]
fn an_entry_without_a_name_is_a_cycle_as_in_opm() {
    let graph = PackageGraph::build(&assemble(vec![("c", vec![entry("")])]));
    assert_eq!(graph.channels[0].cycle, [0]);
}

#[test]
fn versions_are_read_from_the_end_of_names() {
    for (name, version) in [
        ("op.v1.2.3", Some("1.2.3")),
        ("op-v1.2.3-rc.1", Some("1.2.3-rc.1")),
        ("op-1.2.3+4", Some("1.2.3+4")),
        ("1.2.3", Some("1.2.3")),
        ("op-2.v1.2.3", Some("1.2.3")),
        ("ov1.2.3", None),
        ("op.v1.2", None),
        ("op.v1.2.3.4", None),
        ("op.v2024.1.2.3", None),
        ("k8s-thing-1.2.0-rc.1", Some("1.2.0-rc.1")),
        ("op.v01.2.3", None),
        ("op", None),
        ("é.v1.2.3é", None),
    ] {
        assert_eq!(
            version_in_name(name).map(|(text, _)| text),
            version,
            "{name}"
        );
    }
}

#[test]
fn edges_know_the_line_that_defines_them() {
    let graph = PackageGraph::build(&package(&[(
        "c",
        &["p.v1.0.0", "p.v1.1.0 r:p.v1.0.0 s:x,y sr:<1.1.0"],
    )]));
    let channel = &graph.channels[0];
    let edges: Vec<_> = graph
        .all_edges(channel)
        .iter()
        .map(|e| (graph.name_at(channel, e.from), e.kind, e.line, e.item))
        .collect();
    let expected = [
        ("p.v1.0.0", EdgeKind::Replaces, 1, 0),
        ("x", EdgeKind::Skips, 1, 0),
        ("y", EdgeKind::Skips, 1, 1),
        ("p.v1.0.0", EdgeKind::SkipRange, 1, 0),
    ];
    assert_eq!(edges, expected);
}

#[test]
fn deprecations_are_parsed_by_scope() {
    let mut package = package(&[("a", &["p.v1.0.0"]), ("b", &["p.v1.0.0"])]);
    deprecate(
        &mut package,
        &[("olm.channel", "b"), ("olm.bundle", "p.v1.0.0")],
    );
    let graph = PackageGraph::build(&package);
    assert_eq!(
        graph
            .channels
            .iter()
            .map(|c| c.deprecated.is_some())
            .collect::<Vec<_>>(),
        [false, true]
    );
    assert!(graph.names[0].deprecated.is_some());
    assert_eq!(graph.deprecated, None);
    deprecate(&mut package, &[("olm.package", "")]);
    assert_eq!(
        PackageGraph::build(&package).deprecated.as_deref(),
        Some("old")
    );
}

#[test]
fn long_chains_do_not_overflow_the_stack() {
    let lines: Vec<Entry> = (0..20_000)
        .map(|i| entry(&format!("p.v1.0.{i} r:p.v1.0.{}", (i + 1) % 20_000)))
        .collect();
    let head = entry("p.v2.0.0 r:p.v1.0.0");
    let graph = PackageGraph::build(&assemble(vec![(
        "c",
        lines.into_iter().chain([head]).collect(),
    )]));
    assert_eq!(graph.channels[0].cycle.len(), 20_000);
    assert_eq!(
        graph.channels[0]
            .nodes
            .iter()
            .filter(|node| node.walked)
            .count(),
        20_001
    );
}

/// The states of a channel by names alone, with sets and no indices.
struct Naive {
    heads: BTreeSet<String>,
    skipped: BTreeSet<String>,
    walked: BTreeSet<String>,
    stranded: BTreeSet<String>,
    absent: BTreeSet<String>,
    cycle: bool,
}

fn naive(channel: &ChannelBlob) -> Naive {
    // If a name is listed twice, the walk follows its first line.
    let mut replaces: BTreeMap<String, String> = BTreeMap::new();
    let (mut incoming, mut skipped) = (BTreeSet::new(), BTreeSet::new());
    for entry in &channel.entries {
        replaces
            .entry(entry.name.value.to_string())
            .or_insert(entry.replaces.value.to_string());
        if !entry.replaces.is_empty() {
            incoming.insert(entry.replaces.value.to_string());
        }
        skipped.extend(entry.skips.iter().map(|s| s.value.to_string()));
    }
    incoming.extend(skipped.iter().cloned());
    let present: BTreeSet<String> = replaces.keys().cloned().collect();
    let heads: BTreeSet<String> = present.difference(&incoming).cloned().collect();
    let mut walked = BTreeSet::new();
    let mut cycle = false;
    if heads.len() == 1 {
        let mut at = heads.first().cloned();
        while let Some(name) = at.take() {
            walked.insert(name.clone());
            let next = &replaces[&name];
            if !skipped.contains(next) && present.contains(next) {
                cycle = walked.contains(next);
                at = (!cycle).then(|| next.clone());
            }
        }
    }
    let stranded = present
        .iter()
        .filter(|n| heads.len() == 1 && !walked.contains(*n) && !skipped.contains(*n))
        .cloned();
    Naive {
        stranded: stranded.collect(),
        absent: incoming
            .iter()
            .filter(|n| !n.is_empty() && !present.contains(*n))
            .cloned()
            .collect(),
        heads,
        skipped: skipped.into_iter().filter(|n| !n.is_empty()).collect(),
        walked,
        cycle,
    }
}

proptest! {
    #[test]
    fn states_equal_a_naive_reading(package in any_package()) {
        let graph = PackageGraph::build(&package);
        for channel in &graph.channels {
            let naive = naive(&channel.blob.data);
            let names_with = |state: &dyn Fn(&super::Node) -> bool| -> BTreeSet<String> {
                channel.nodes.iter().filter(|n| state(n)).map(|n| graph.names[n.name as usize].name.to_string()).collect()
            };
            prop_assert_eq!(names_with(&|n| n.head), naive.heads);
            prop_assert_eq!(names_with(&|n| n.skipped), naive.skipped);
            prop_assert_eq!(names_with(&|n| n.walked), naive.walked);
            prop_assert_eq!(names_with(&|n| n.stranded), naive.stranded);
            prop_assert_eq!(names_with(&|n| n.is_absent()), naive.absent);
            prop_assert_eq!(!channel.cycle.is_empty(), naive.cycle);
        }
    }
}
