//! Laws of the layout on any package, and the rules of the picture on small ones.

use super::*;
use crate::graph::EdgeKind;
use crate::model::Entry;
use crate::testing::{
    any_versioned_package as any_package, deprecate, entry, package_of_entries as assemble,
    versioned_package as package,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn build_layout(channels: &[(&str, &[&str])], request: &LayoutRequest) -> (PackageGraph, Layout) {
    let graph = PackageGraph::build(&package(channels));
    let layout = layout(&graph, request);
    (graph, layout)
}

fn near() -> LayoutRequest {
    LayoutRequest::default()
}

fn selecting(channel: &str, name: &str) -> LayoutRequest {
    LayoutRequest {
        selected: Some(Selection {
            channel: Some(channel.into()),
            name: name.into(),
        }),
        ..near()
    }
}

/// Returns `name@column` of every node, by lane.
fn places(graph: &PackageGraph, layout: &Layout) -> Vec<Vec<String>> {
    let entry_node = |lane: &Lane, entry_node: &EntryNode| {
        let channel = &graph.channels[lane.channel as usize];
        let names: Vec<&str> = entry_node
            .nodes
            .iter()
            .map(|&n| graph.name_at(channel, n))
            .collect();
        format!("{}@{}", names.join("+"), entry_node.column)
    };
    layout
        .lanes
        .iter()
        .map(|lane| {
            lane.entry_nodes
                .iter()
                .map(|c| entry_node(lane, c))
                .collect()
        })
        .collect()
}

#[test]
fn columns_are_in_version_order_and_shared() {
    let (graph, layout) = build_layout(
        &[
            ("a", &["p.v1.10.0", "p.v1.9.0", "zz", "aa"]),
            ("b", &["p.v1.9.0", "p.v1.9.0-rc.1"]),
        ],
        &near(),
    );
    assert_eq!(
        places(&graph, &layout),
        [
            vec!["aa@0", "zz@1", "p.v1.9.0@3", "p.v1.10.0@4"],
            vec!["p.v1.9.0-rc.1@2", "p.v1.9.0@3"]
        ]
    );
    assert_eq!(
        layout
            .streams
            .iter()
            .map(|s| s.key.as_str())
            .collect::<Vec<_>>(),
        ["", "1.9", "1.10"]
    );
}

#[test]
fn equal_versions_have_separate_columns() {
    let (graph, layout) = build_layout(
        &[("a", &["p.v1.0.0+b", "q.v1.0.0", "p.v1.0.0", "p.v1.0.0+a"])],
        &near(),
    );
    assert_eq!(
        places(&graph, &layout),
        [["p.v1.0.0@0", "q.v1.0.0@1", "p.v1.0.0+a@2", "p.v1.0.0+b@3"]]
    );
    let texts: BTreeSet<&str> = layout.columns.iter().map(|c| c.text.as_str()).collect();
    assert_eq!(
        texts,
        BTreeSet::from(["1.0.0+a", "1.0.0+b", "p.v1.0.0", "q.v1.0.0"])
    );
}

#[test]
fn ghosts_are_placed_at_their_version_or_left_of_their_referrer() {
    let (graph, layout) = build_layout(
        &[
            ("a", &["p.v1.0.0", "p.v1.2.0 r:p.v1.1.0 s:gone"]),
            ("b", &["p.v1.1.0 r:old.v1.0.0"]),
        ],
        &near(),
    );
    assert_eq!(
        places(&graph, &layout),
        [
            vec!["p.v1.0.0@0", "p.v1.1.0@1", "gone@2", "p.v1.2.0@3"],
            vec!["old.v1.0.0@0", "p.v1.1.0@1"]
        ]
    );
    assert!(
        layout.lanes[0].entry_nodes[1].marks.absent
            && layout.lanes[0].entry_nodes[1].kind == EntryNodeKind::Ghost
    );
}

#[test]
fn two_names_of_one_version_in_one_lane_do_not_share_a_column() {
    let (graph, layout) = build_layout(&[("a", &["p.v1.1.0 r:old.v1.0.0", "p.v1.0.0"])], &near());
    assert_eq!(
        places(&graph, &layout),
        [["p.v1.0.0@0", "old.v1.0.0@1", "p.v1.1.0@2"]]
    );
}

#[test]
fn requested_lanes_precede_the_others() {
    let channels: &[(&str, &[&str])] = &[
        ("stable", &["p.v1.0.0"]),
        ("low", &["p.v1.1.0"]),
        ("high", &["p.v1.3.0"]),
    ];
    let request = LayoutRequest {
        order: vec!["low".into(), "no such".into()],
        ..near()
    };
    let (graph, layout) = build_layout(channels, &request);
    let order = layout.lanes.iter();
    let order: Vec<_> = order
        .map(|lane| &*graph.channels[lane.channel as usize].name)
        .collect();
    assert_eq!(order, ["low", "stable", "high"]);
}

#[test]
fn settled_lanes_keep_their_order_around_new_ones() {
    let channels: &[(&str, &[&str])] = &[
        ("stable", &["p.v1.2.0"]),
        ("fast", &["p.v1.3.0"]),
        ("new", &["p.v1.2.5"]),
        ("slow", &["p.v1.1.0"]),
        ("last", &["p.v1.0.0"]),
    ];
    let order = |settled: &[&str], first: &[&str]| {
        let names = |names: &[&str]| names.iter().map(|name| (*name).into()).collect();
        let request = LayoutRequest {
            settled: names(settled),
            order: names(first),
            ..near()
        };
        let (graph, layout) = build_layout(channels, &request);
        layout
            .lanes
            .iter()
            .map(|l| graph.channels[l.channel as usize].name.to_string())
            .collect::<Vec<_>>()
    };
    let natural = ["stable", "fast", "new", "slow", "last"];
    assert_eq!(order(&[], &[]), natural);
    // `slow` was above `fast`; `new` was added and would precede `slow`.
    assert_eq!(
        order(&["stable", "slow", "fast", "gone", "last"], &[]),
        ["stable", "new", "slow", "fast", "last"]
    );
    assert_eq!(
        order(&["slow", "fast"], &["last"]),
        ["last", "new", "slow", "stable", "fast"]
    );
    // A channel that is last without them has none to precede.
    assert_eq!(
        order(&["fast", "stable"], &[]),
        ["fast", "stable", "new", "slow", "last"]
    );
}

#[test]
fn a_hidden_channel_has_no_lane_and_moves_no_column() {
    let channels: [(&str, &[&str]); 2] = [
        ("a", &["p.v1.0.0", "p.v1.2.0 r:p.v1.0.0"]),
        ("b", &["p.v1.1.0"]),
    ];
    let (graph, all) = build_layout(&channels, &near());
    let (_, one) = build_layout(
        &channels,
        &LayoutRequest {
            hidden: HashSet::from_iter(["b".into()]),
            ..near()
        },
    );
    assert_eq!((all.lanes.len(), one.lanes.len()), (2, 1));
    assert_eq!(one.lanes[0].entry_nodes, all.lanes[0].entry_nodes);
    assert_eq!(lane_order(&graph, &near()).len(), 2);
}

#[test]
fn replaces_is_on_the_track_or_arcs_over_other_entries() {
    let (_, layout) = build_layout(
        &[(
            "a",
            &[
                "p.v1.0.0",
                "p.v1.1.0 r:p.v1.0.0",
                "p.v1.2.0 r:p.v1.0.0 s:p.v1.1.0",
            ],
        )],
        &near(),
    );
    let links: Vec<_> = layout.lanes[0]
        .links
        .iter()
        .map(|l| (l.from, l.to, matches!(l.shape, Shape::Straight(_))))
        .collect();
    assert_eq!(links, [(0, 1, true), (0, 2, false)]);
    let (_, layout) = build_layout(
        &[(
            "a",
            &[
                "p.v1.0.0 r:p.v1.1.0",
                "p.v1.1.0 r:p.v1.0.0",
                "p.v1.2.0 r:p.v1.2.0",
            ],
        )],
        &near(),
    );
    let links: Vec<_> = layout.lanes[0]
        .links
        .iter()
        .map(|l| {
            (
                l.from,
                l.to,
                matches!(l.shape, Shape::Straight(_)),
                l.backwards,
            )
        })
        .collect();
    assert_eq!(
        links,
        [
            (0, 1, true, false),
            (1, 0, false, true),
            (2, 2, false, false)
        ]
    );
}

#[test]
fn neighboring_skips_are_one_run() {
    let lines: Vec<String> = (0..9).map(|i| format!("p.v1.0.{i}")).collect();
    let head =
        "p.v1.1.0 r:p.v1.0.4 s:p.v1.0.0,p.v1.0.1,p.v1.0.2,p.v1.0.6,p.v1.0.7,p.v1.0.8,p.v1.0.8";
    let lines: Vec<&str> = lines.iter().map(String::as_str).chain([head]).collect();
    let (_, layout) = build_layout(&[("a", &lines)], &near());
    let runs = &layout.lanes[0].runs;
    assert_eq!(
        runs.iter().map(|r| r.label.as_str()).collect::<Vec<_>>(),
        ["skips 3: 1.0.0 … 1.0.2", "skips 3: 1.0.6 … 1.0.8"]
    );
    assert_eq!(
        runs.iter().map(|r| r.ticks.len()).collect::<Vec<_>>(),
        [3, 3]
    );
    assert!(layout.lanes[0].arrows.is_empty());
    let (_, layout) = build_layout(&[("a", &lines)], &selecting("a", "p.v1.1.0"));
    assert_eq!(
        layout.lanes[0].arrows.len(),
        6,
        "one from each skipped entry"
    );
}

#[test]
fn many_overlapping_runs_stay_within_the_lane() {
    let lines: Vec<String> = (1..40)
        .map(|i| {
            let skips: Vec<String> = (0..i).map(|n| format!("p.v1.0.{n}")).collect();
            format!("p.v1.0.{i} s:{}", skips.join(","))
        })
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (_, layout) = build_layout(&[("a", &lines)], &near());
    let lane = &layout.lanes[0];
    assert!(lane.runs.len() <= 4, "{}", lane.runs.len());
    assert!(
        lane.runs
            .iter()
            .all(|r| r.bar.y > lane.y + 44.0 && r.bar.y < lane.y + lane.height)
    );
    let by: BTreeSet<u32> = lane
        .runs
        .iter()
        .flat_map(|r| r.by.iter().copied())
        .collect();
    assert_eq!(by.len(), 39);
}

#[test]
fn a_skip_range_is_a_stub_until_its_entry_is_selected() {
    let lines = [
        "p.v1.0.0",
        "p.v1.1.0 sr:>=1.0.0_<1.1.0",
        "p.v1.2.0 r:p.v1.1.0 sr:>=1.0.0_<1.2.0",
    ];
    let channels: &[(&str, &[&str])] = &[("a", &lines), ("b", &["p.v1.0.5"])];
    let (_, layout) = build_layout(channels, &near());
    assert!(
        layout.lanes[0]
            .brackets
            .iter()
            .all(|b| !b.full && b.ticks.is_empty() && b.bar.x2 - b.bar.x1 <= 30.0)
    );
    let (_, layout) = build_layout(channels, &selecting("a", "p.v1.2.0"));
    let [stub, whole] = &layout.lanes[0].brackets[..] else {
        panic!("two brackets")
    };
    assert!(!stub.full && whole.full);
    assert_eq!((whole.covers, whole.ticks.len()), (2, 2));
    assert!(whole.bar.x1 < layout.columns[1].x, "it spans all columns");
    let (_, layout) = build_layout(channels, &selecting("a", "p.v1.0.0"));
    assert!(layout.lanes[0].brackets.iter().all(|b| b.covers_selected));
}

#[test]
fn subtitles_have_size_heads_and_deprecation() {
    let mut package = package(&[
        ("stable", &["p.v1.0.0", "p.v1.1.0 r:p.v1.0.0"]),
        ("same", &["p.v1.0.0", "p.v1.1.0 r:p.v1.0.0"]),
        ("part", &["p.v1.0.0"]),
        ("heads", &["p.v1.0.0", "p.v1.1.0"]),
        ("twice", &["p.v1.0.0", "p.v1.1.0 r:p.v1.0.0", "p.v1.1.0"]),
    ]);
    deprecate(&mut package, &[("olm.channel", "part")]);
    let graph = PackageGraph::build(&package);
    let layout = layout(&graph, &near());
    assert_eq!(
        layout
            .lanes
            .iter()
            .map(|l| l.subtitle.as_str())
            .collect::<Vec<_>>(),
        [
            "2 entries",
            "2 · 2 heads",
            "2 entries",
            "3 entries",
            "1 · deprecated"
        ]
    );
}

/// Builds three y-streams of ten versions each.
fn large() -> Vec<Entry> {
    (0..30)
        .map(|i| entry(&format!("p.v1.{}.{}", i / 10, i % 10)))
        .collect()
}

#[test]
fn old_streams_of_a_large_package_fold_unless_toggled() {
    let graph = PackageGraph::build(&assemble(vec![("a", large())]));
    let folded = |request: LayoutRequest| {
        layout(&graph, &request)
            .streams
            .into_iter()
            .filter(|s| s.folded)
            .map(|s| s.key)
            .collect::<Vec<_>>()
    };
    assert_eq!(folded(near()), [] as [&str; 0]);
    let fold = LayoutRequest {
        fold: true,
        ..near()
    };
    assert_eq!(folded(fold.clone()), ["1.0", "1.1"]);
    let toggled = ["1.0".to_owned(), "1.2".to_owned()].into();
    assert_eq!(folded(LayoutRequest { toggled, ..fold }), ["1.1", "1.2"]);
}

#[test]
fn a_stack_is_labelled_with_its_count_or_head() {
    let mut entries = large();
    entries[29] = entry("p.v1.2.9-nightly-2025 r:p.v1.2.8");
    let request = LayoutRequest {
        toggled: ["1.1".to_owned(), "1.2".to_owned()].into(),
        ..near()
    };
    let mut chained = entries.clone();
    for i in 1..30 {
        chained[i].replaces.value = entries[i - 1].name.value.clone();
    }
    let graph = PackageGraph::build(&assemble(vec![("a", chained)]));
    let layout = layout(&graph, &request);
    let stacks: Vec<&EntryNode> = layout.lanes[0]
        .entry_nodes
        .iter()
        .filter(|c| c.kind == EntryNodeKind::Stack)
        .collect();
    assert_eq!(
        stacks.iter().map(|c| c.text.as_str()).collect::<Vec<_>>(),
        ["10", "…2025"]
    );
    assert!(stacks[1].marks.head);
    assert_eq!(
        layout.lanes[0].links.len(),
        11,
        "links within a stack are not drawn"
    );
}

#[test]
fn routes_join_entry_nodes_of_one_lane_or_two() {
    let to = |channel: Option<&str>, name: &str| Selection {
        channel: channel.map(Into::into),
        name: name.into(),
    };
    let route = |from, to, chosen| RouteRequest { from, to, chosen };
    let request = LayoutRequest {
        routes: vec![
            route(to(Some("a"), "p.v1.0.0"), to(Some("a"), "p.v1.1.0"), true),
            route(to(None, "p.v1.0.0"), to(Some("b"), "p.v2.0.0"), false),
            route(to(None, "p.v1.0.0"), to(None, "no such"), false),
        ],
        ..near()
    };
    let (_, layout) = build_layout(
        &[
            ("a", &["p.v1.0.0", "p.v1.1.0 r:p.v1.0.0"]),
            ("b", &["p.v2.0.0"]),
        ],
        &request,
    );
    assert_eq!(
        layout
            .routes
            .iter()
            .map(|r| (r.request, r.chosen))
            .collect::<Vec<_>>(),
        [(0, true), (1, false)]
    );
    let target = &layout.lanes[1].entry_nodes[0].rect;
    let curve = layout.routes[1].curve;
    assert_eq!(
        (curve.to, curve.control2),
        (
            (target.center_x(), target.y),
            (target.center_x(), target.y - 20.0)
        ),
        "the line ends above its target, not behind the boxes beside it"
    );
}

#[test]
fn marks_of_edits_and_twins() {
    let edited = HashSet::from_iter([("a".into(), "p.v1.0.0".into())]);
    let request = LayoutRequest {
        edited,
        ..selecting("b", "p.v1.0.0")
    };
    let (_, layout) = build_layout(&[("a", &["p.v1.0.0"]), ("b", &["p.v1.0.0"])], &request);
    let entry_node = |lane: usize| &layout.lanes[lane].entry_nodes[0];
    assert!(
        entry_node(0).edited
            && entry_node(0).twin
            && !entry_node(0).selected
            && layout.lanes[0].edited
    );
    assert!(
        !entry_node(1).edited
            && entry_node(1).selected
            && !entry_node(1).twin
            && !layout.lanes[1].edited
    );
}

fn any_request() -> impl Strategy<Value = LayoutRequest> {
    let streams = prop::collection::btree_set(prop_oneof!["1\\.[0-2]", Just(String::new())], 0..3);
    (any::<bool>(), streams, any::<bool>()).prop_map(|(fold, toggled, select)| LayoutRequest {
        fold,
        toggled,
        selected: select.then(|| Selection {
            channel: None,
            name: "op.v1.1.1".into(),
        }),
        ..near()
    })
}

fn check_entry_nodes(graph: &PackageGraph, layout: &Layout) -> Result<(), TestCaseError> {
    let mut column_of: BTreeMap<u32, u32> = BTreeMap::new();
    for lane in &layout.lanes {
        let channel = &graph.channels[lane.channel as usize];
        let mut nodes: Vec<u32> = lane
            .entry_nodes
            .iter()
            .flat_map(|entry_node| entry_node.nodes.iter().copied())
            .collect();
        nodes.sort_unstable();
        prop_assert_eq!(
            nodes,
            (0..channel.nodes.len() as u32).collect::<Vec<_>>(),
            "each entry has one node"
        );
        for pair in lane.entry_nodes.windows(2) {
            prop_assert!(pair[0].rect.right() < pair[1].rect.x, "entry_nodes overlap");
        }
        for entry_node in &lane.entry_nodes {
            let column = &layout.columns[entry_node.column as usize];
            prop_assert!(
                entry_node.rect.x >= column.x && entry_node.rect.right() <= column.x + column.width
            );
            prop_assert!(
                entry_node.rect.y >= lane.y && entry_node.rect.bottom() <= lane.y + lane.height
            );
            for &node in &entry_node.nodes {
                let name = channel.nodes[node as usize].name;
                prop_assert!(column.names.contains(&name));
                prop_assert_eq!(
                    *column_of.entry(name).or_insert(entry_node.column),
                    entry_node.column,
                    "columns agree"
                );
            }
        }
    }
    Ok(())
}

fn check_frame(layout: &Layout) -> Result<(), TestCaseError> {
    let mut x = layout.header;
    for column in &layout.columns {
        prop_assert_eq!(column.x, x);
        x += column.width;
    }
    prop_assert_eq!(layout.width, x);
    for (index, stream) in layout.streams.iter().enumerate() {
        let mut own = layout.columns.iter().filter(|c| c.stream as usize == index);
        prop_assert_eq!(own.next().map(|column| column.x), Some(stream.x));
    }
    let mut y = layout.top;
    for lane in &layout.lanes {
        prop_assert_eq!(lane.y, y);
        y += lane.height;
    }
    prop_assert_eq!(layout.height, y);
    Ok(())
}

/// Returns a point of a cubic curve, `t` from 0 to 1.
fn point(curve: &Curve, t: f32) -> (f32, f32) {
    let s = 1.0 - t;
    let at = |a: f32, b: f32, c: f32, d: f32| {
        s * s * s * a + 3.0 * s * s * t * b + 3.0 * s * t * t * c + t * t * t * d
    };
    let Curve {
        from,
        control1,
        control2,
        to,
    } = curve;
    (
        at(from.0, control1.0, control2.0, to.0),
        at(from.1, control1.1, control2.1, to.1),
    )
}

proptest! {
    #[test]
    fn no_edge_runs_through_a_entry_node_that_it_does_not_concern(package in any_package(), request in any_request()) {
        let layout = layout(&PackageGraph::build(&package), &request);
        for lane in &layout.lanes {
            let points_on = |link: &Link| -> Vec<(f32, f32)> {
                let at = |step: u32| step as f32 / 32.0;
                match link.shape {
                    Shape::Straight(rail) => (0..=32).map(|i| (rail.x1 + (rail.x2 - rail.x1) * at(i), rail.y)).collect(),
                    Shape::Arc(curve) => (0..=32).map(|i| point(&curve, at(i))).collect(),
                }
            };
            for link in &lane.links {
                let inside = |entry_node: &EntryNode, (x, y): (f32, f32)| {
                    x > entry_node.rect.x + 0.1 && x < entry_node.rect.right() - 0.1 && y > entry_node.rect.y + 0.1 && y < entry_node.rect.bottom() - 0.1
                };
                let others = (0u32..).zip(&lane.entry_nodes).filter(|(i, _)| *i != link.from && *i != link.to);
                for (_, entry_node) in others {
                    prop_assert!(points_on(link).into_iter().all(|at| !inside(entry_node, at)), "{:?} through {:?}", link, entry_node);
                }
            }
        }
    }

    #[test]
    fn every_node_has_one_place_and_entry_nodes_do_not_overlap(package in any_package(), request in any_request()) {
        let graph = PackageGraph::build(&package);
        let layout = layout(&graph, &request);
        prop_assert_eq!(layout.lanes.len(), graph.channels.len());
        check_entry_nodes(&graph, &layout)?;
        check_frame(&layout)?;
        prop_assert_eq!(&layout, &super::layout(&PackageGraph::build(&package), &request), "deterministic");
    }

    #[test]
    fn every_edge_is_drawn_or_within_a_stack(package in any_package(), request in any_request()) {
        let graph = PackageGraph::build(&package);
        let layout = layout(&graph, &request);
        for lane in &layout.lanes {
            let channel = &graph.channels[lane.channel as usize];
            let entry_node = |node: u32| lane.entry_nodes.iter().position(|c| c.nodes.contains(&node));
            let linked: Vec<u32> = lane.links.iter().flat_map(|l| l.edges.iter().copied()).collect();
            for (index, edge) in channel.edges.iter().enumerate() {
                match edge.kind {
                    EdgeKind::Replaces => {
                        let drawn = linked.iter().filter(|&&e| e as usize == index).count();
                        let within = edge.from != edge.to && entry_node(edge.from) == entry_node(edge.to);
                        prop_assert_eq!(drawn, usize::from(!within));
                    }
                    _ => {
                        let runs = lane.runs.iter().filter(|run| run.edges.contains(&(index as u32)));
                        let ends = |run: &Run| run.nodes.contains(&edge.from) && run.by.contains(&edge.to);
                        prop_assert_eq!(runs.map(ends).collect::<Vec<_>>(), [true]);
                    }
                }
            }
            let mut ranges: Vec<u32> = lane.brackets.iter().flat_map(|b| b.ranges.iter().copied()).collect();
            ranges.sort_unstable();
            prop_assert_eq!(ranges, (0..channel.ranges.len() as u32).collect::<Vec<_>>());
        }
    }

    #[test]
    fn unchanged_lanes_keep_their_relative_order(package in any_package()) {
        let before = PackageGraph::build(&package);
        let mut entries: Vec<Entry> = package.channels[0].data.entries.clone();
        entries.push(entry("op.v1.1.7 r:op.v1.1.1"));
        let mut edited = package.clone();
        let mut blob = (*edited.channels[0].data).clone();
        blob.entries = entries;
        edited.channels[0].data = blob.into();
        let after = PackageGraph::build(&edited);
        let order = |graph: &PackageGraph| -> Vec<String> {
            let layout = layout(graph, &near());
            let names = layout.columns.iter().flat_map(|c| c.names.clone());
            names.map(|n| &graph.names[n as usize]).filter(|f| f.version.is_some()).map(|f| f.name.to_string()).collect()
        };
        let (old, new) = (order(&before), order(&after));
        let kept: Vec<&String> = new.iter().filter(|name| old.contains(name)).collect();
        prop_assert_eq!(kept, old.iter().collect::<Vec<_>>());
    }
}
