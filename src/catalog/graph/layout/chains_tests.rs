//! Long chains: folded and visible columns, and the laws of the layout.

use super::tests::{check_entry_nodes, check_frame};
use super::*;
use crate::model::{Entry, Package};
use crate::testing::{entry, package_of_entries as assemble};
use proptest::prelude::*;

fn name(minor: usize) -> String {
    format!("p.v1.{minor}.0")
}

/// Builds a chain in which each entry replaces the one before it.
fn chain(minors: std::ops::Range<usize>) -> Vec<Entry> {
    let first = minors.start;
    let line = |minor: usize| match minor == first {
        true => name(minor),
        false => format!("{} r:{}", name(minor), name(minor - 1)),
    };
    minors.map(|minor| entry(&line(minor))).collect()
}

fn fold() -> LayoutRequest {
    LayoutRequest {
        fold: true,
        ..LayoutRequest::default()
    }
}

/// Returns the texts of the nodes of the first lane.
fn texts(channels: Vec<(&str, Vec<Entry>)>, request: &LayoutRequest) -> Vec<String> {
    let layout = layout(&PackageGraph::build(&assemble(channels)), request);
    layout.lanes[0]
        .entry_nodes
        .iter()
        .map(|entry_node| entry_node.text.clone())
        .collect()
}

#[test]
fn the_middle_of_a_long_chain_folds_over_streams_of_one_version_each() {
    let labels = texts(vec![("a", chain(0..40))], &fold());
    assert_eq!(
        labels,
        [
            "1.0.0", "33 more", "1.34.0", "1.35.0", "1.36.0", "1.37.0", "1.38.0", "1.39.0"
        ]
    );
    assert_eq!(
        texts(vec![("a", chain(0..40))], &LayoutRequest::default()).len(),
        40
    );
    assert_eq!(
        texts(vec![("a", chain(0..24))], &fold()).len(),
        24,
        "a small package stays as it is"
    );
}

#[test]
fn an_opened_chain_can_fold_again() {
    let graph = PackageGraph::build(&assemble(vec![("a", chain(0..40))]));
    let folded = layout(&graph, &fold());
    let unfolded = layout(
        &graph,
        &LayoutRequest {
            unfolded: HashSet::from_iter([name(9).into()]),
            ..fold()
        },
    );
    let selected = Selection {
        channel: Some("a".into()),
        name: name(9).into(),
    };
    let selected = layout(
        &graph,
        &LayoutRequest {
            selected: Some(selected),
            ..fold()
        },
    );
    assert_eq!(
        (
            folded.lanes[0].entry_nodes.len(),
            unfolded.lanes[0].entry_nodes.len()
        ),
        (8, 40)
    );
    for (layout, is_folded) in [(&folded, true), (&unfolded, false), (&selected, false)] {
        let [chain] = &layout.chains[..] else {
            panic!("one chain")
        };
        assert_eq!((chain.names.len(), chain.folded), (33, is_folded));
        assert_eq!(chain.ends, ("1.1.0".to_owned(), "1.33.0".to_owned()));
    }
    let (from, to) = (&unfolded.columns[1], &unfolded.columns[33]);
    assert_eq!(
        (unfolded.chains[0].x, unfolded.chains[0].width),
        (from.x, to.x + to.width - from.x)
    );
}

#[test]
fn notable_entries_stay_visible() {
    let with = |request: LayoutRequest| texts(vec![("a", chain(0..40))], &request);
    let split = ["1.0.0", "19 more", "1.20.0", "13 more", "1.34.0"].map(String::from);
    let name = || -> Text { name(20).into() };
    assert_eq!(
        with(LayoutRequest {
            kept: HashSet::from_iter([name()]),
            ..fold()
        })[..5],
        split
    );
    assert_eq!(
        with(LayoutRequest {
            edited: HashSet::from_iter([("a".into(), name())]),
            ..fold()
        })[..5],
        split
    );
    let to = Selection {
        channel: None,
        name: name(),
    };
    let from = Selection {
        channel: None,
        name: self::name(0).into(),
    };
    let routes = vec![RouteRequest {
        from,
        to,
        chosen: true,
    }];
    assert_eq!(with(LayoutRequest { routes, ..fold() })[..5], split);
    // The head of another lane, and where that begins.
    let other = texts(vec![("a", chain(0..40)), ("b", chain(12..21))], &fold());
    assert_eq!(
        other[..5],
        ["1.0.0", "11 more", "1.12.0", "7 more", "1.20.0"].map(String::from)
    );
}

#[test]
fn skips_and_short_chains_do_not_fold() {
    let mut entries = chain(0..40);
    entries[20].skips = entry("x s:p.v1.18.5").skips;
    let labels = texts(vec![("a", entries)], &fold());
    let around = [
        "1.0.0", "17 more", "1.18.0", "1.18.5", "1.19.0", "1.20.0", "13 more",
    ]
    .map(String::from);
    assert_eq!(labels[..7], around);
    let kept = LayoutRequest {
        kept: HashSet::from_iter([name(4).into()]),
        ..fold()
    };
    let short = ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0", "29 more"].map(String::from);
    assert_eq!(texts(vec![("a", chain(0..40))], &kept)[..6], short);
}

#[test]
fn a_stream_that_was_opened_is_not_folded_another_way() {
    let entries: Vec<Entry> = (0..40)
        .map(|patch| match patch {
            0 => entry("p.v1.0.0"),
            _ => entry(&format!("p.v1.0.{patch} r:p.v1.0.{}", patch - 1)),
        })
        .chain([entry("p.v1.1.0 r:p.v1.0.39"), entry("p.v1.1.1 r:p.v1.1.0")])
        .collect();
    let labels = |request: &LayoutRequest| texts(vec![("a", entries.clone())], request);
    assert_eq!(labels(&fold()), ["40", "1.1.0", "1.1.1"]);
    let opened = LayoutRequest {
        toggled: ["1.0".to_owned()].into(),
        ..fold()
    };
    assert_eq!(labels(&opened).len(), 42);
}

/// Generates two channels of chains with some holes, skips and branches.
fn any_long_package() -> impl Strategy<Value = Package> {
    let odd = || prop::collection::btree_map(0..50usize, 0..4u8, 0..4);
    (25..50usize, 1..4usize, odd(), 0..30usize, 5..40usize, odd()).prop_map(
        |(count, each, odd, start, long, other)| {
            let version = move |at: usize| format!("p.v1.{}.{}", at / each, at % each);
            let channel = |range: std::ops::Range<usize>,
                           odd: &std::collections::BTreeMap<usize, u8>| {
                let first = range.start;
                let line = |at: usize| match (at == first, odd.get(&at)) {
                    (true, _) => Some(version(at)),
                    (_, Some(0)) => None,
                    (_, Some(1)) => Some(format!(
                        "{} r:{} s:{}",
                        version(at),
                        version(at - 1),
                        version(first)
                    )),
                    (_, Some(2)) => Some(version(at)),
                    (_, Some(_)) => {
                        Some(format!("{} r:{} sr:<1.9.0", version(at), version(at - 1)))
                    }
                    (_, None) => Some(format!("{} r:{}", version(at), version(at - 1))),
                };
                range
                    .filter_map(line)
                    .map(|line| entry(&line))
                    .collect::<Vec<Entry>>()
            };
            assemble(vec![
                ("a", channel(0..count, &odd)),
                ("b", channel(start..start + long, &other)),
            ])
        },
    )
}

proptest! {
    #[test]
    fn the_laws_hold_with_folded_chains(package in any_long_package(), opened in prop::option::of(0..50usize)) {
        let graph = PackageGraph::build(&package);
        let unfolded: HashSet<Text> = opened.and_then(|at| graph.names.get(at)).map(|f| f.name.clone()).into_iter().collect();
        let request = LayoutRequest { unfolded: unfolded.clone(), ..fold() };
        let laid = layout(&graph, &request);
        check_entry_nodes(&graph, &laid)?;
        check_frame(&laid)?;
        prop_assert_eq!(&laid, &layout(&PackageGraph::build(&package), &request), "deterministic");
        for (index, chain) in (0..).zip(&laid.chains) {
            let is_opened = chain.names.iter().any(|&n| unfolded.contains(&graph.names[n as usize].name));
            prop_assert_eq!(chain.folded, !is_opened);
            let columns: Vec<_> = laid.columns.iter().filter(|column| column.chain == Some(index)).collect();
            prop_assert_eq!(columns.len(), usize::from(chain.folded));
            prop_assert!(columns.iter().all(|column| column.names == chain.names && column.x == chain.x));
        }
        for entry_node in laid.lanes.iter().flat_map(|lane| &lane.entry_nodes) {
            if laid.columns[entry_node.column as usize].chain.is_some() {
                let marks = entry_node.marks;
                prop_assert!(!(marks.head || marks.skipped || marks.stranded || marks.absent || marks.cycle || marks.duplicate));
            }
        }
    }

    #[test]
    fn folding_changes_no_order_and_loses_no_edge(package in any_long_package()) {
        let graph = PackageGraph::build(&package);
        let order = |request: &LayoutRequest| layout(&graph, request).columns.iter().flat_map(|c| c.names.clone()).collect::<Vec<u32>>();
        prop_assert_eq!(order(&fold()), order(&LayoutRequest::default()));
        let laid = layout(&graph, &fold());
        for lane in &laid.lanes {
            let channel = &graph.channels[lane.channel as usize];
            let entry_node = |node: u32| lane.entry_nodes.iter().position(|entry_node| entry_node.nodes.contains(&node));
            for (index, edge) in (0..).zip(&channel.edges).filter(|(_, edge)| edge.kind == crate::graph::EdgeKind::Replaces) {
                let drawn = lane.links.iter().any(|link| link.edges.contains(&index));
                prop_assert_eq!(drawn, entry_node(edge.from) != entry_node(edge.to));
            }
        }
    }
}

#[test]
fn long_versions_are_not_cut_if_there_is_room() {
    let with = |others: usize| {
        let entries = (0..others)
            .map(|minor| entry(&name(minor)))
            .chain([entry("p.v2.0.0-clusterwide-preview")])
            .collect();
        texts(vec![("a", entries)], &LayoutRequest::default())
    };
    assert_eq!(
        with(3).last().map(String::as_str),
        Some("2.0.0-clusterwide-preview")
    );
    assert_eq!(with(30).last().map(String::as_str), Some("2.0.0…preview"));
}
