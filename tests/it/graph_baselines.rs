//! Small packages modelled on six real ones: their layout as JSON and as SVG, stored in
//! `tests/data/graph`, so that a change of the graph appears as a change of lines. `UPDATE_EXPECT=1
//! cargo test --test it graph_baselines` updates them.

use crate::graph_corpus::index_catalog;
use ::catalog::graph::export::svg;
use ::catalog::graph::layout::{
    Curve, EntryNode, EntryNodeKind, HorizontalLine, Lane, Layout, LayoutRequest, Marks, Selection,
    Shape, layout,
};
use ::catalog::graph::{ChannelGraph, PackageGraph};
use expect_test::expect_file;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Folders of `tests/data/graph`, each with one package.
const SHAPES: [&str; 6] = [
    "many-channels",
    "nightly-and-stable",
    "one-long-channel",
    "one-skips-eighty",
    "skip-ranges",
    "y-stream-channels",
];

#[test]
fn six_real_shapes_are_drawn_unchanged() {
    for shape in SHAPES {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/data/graph")
            .join(shape);
        let graph = graph(&folder);
        let near = LayoutRequest {
            fold: true,
            ..LayoutRequest::default()
        };
        let selected = LayoutRequest {
            selected: Some(head(&graph)),
            ..near.clone()
        };
        for (name, request) in [("near", &near), ("selected", &selected)] {
            let layout = layout(&graph, request);
            expect_file![folder.join(format!("{name}.json"))].assert_eq(&render(&graph, &layout));
            if request.selected.is_none() {
                expect_file![folder.join(format!("{name}.svg"))].assert_eq(&svg(&graph, &layout));
            }
        }
    }
}

fn graph(folder: &Path) -> PackageGraph {
    let catalog = std::fs::read(folder.join("catalog.yaml")).unwrap();
    let catalog = index_catalog(&[(PathBuf::from("catalog.yaml"), catalog)]);
    let mut packages = catalog
        .packages()
        .map(|package| PackageGraph::build(package));
    let graph = packages.next().unwrap();
    assert!(
        packages.next().is_none(),
        "{}: one package each",
        folder.display()
    );
    graph
}

/// The head of the default channel.
fn head(graph: &PackageGraph) -> Selection {
    let channel = graph
        .channels
        .iter()
        .find(|channel| channel.is_default)
        .unwrap();
    let head = *channel.heads.first().unwrap();
    Selection {
        channel: Some(channel.name.clone()),
        name: graph.name_at(channel, head).into(),
    }
}

/// The layout with names instead of indices, one line per element.
fn render(graph: &PackageGraph, layout: &Layout) -> String {
    let mut out = String::from("{\n");
    let sizes = [layout.width, layout.height, layout.header, layout.top];
    let _ = writeln!(out, "\"size\": {},", json!(sizes.map(round)));
    let streams = layout.streams.iter().map(|stream| {
        json!({"stream": stream.key, "label": stream.label, "x": span(stream.x, stream.width), "count": stream.count,
            "folded": stream.folded})
    });
    list(&mut out, "streams", streams, ",");
    let columns = layout.columns.iter().map(|column| {
        let names: Vec<&str> = column.names.iter().map(|&name| &*graph.names[name as usize].name).collect();
        json!({"column": column.label, "x": span(column.x, column.width), "names": ends(&names), "folded": column.folded})
    });
    list(&mut out, "columns", columns, ",");
    out.push_str("\"lanes\": [\n");
    for (index, lane) in layout.lanes.iter().enumerate() {
        write_lane(&mut out, graph, lane);
        out.push_str(if index + 1 < layout.lanes.len() {
            ",\n"
        } else {
            "\n"
        });
    }
    out.push_str("]\n}\n");
    out
}

fn write_lane(out: &mut String, graph: &PackageGraph, lane: &Lane) {
    let channel = &graph.channels[lane.channel as usize];
    let name = |node: u32| graph.name_at(channel, node);
    let edges = |edges: &[u32]| {
        let edges = edges.iter().map(|&edge| &channel.edges[edge as usize]);
        let descriptions: Vec<String> = edges
            .map(|edge| format!("{} > {}", name(edge.from), name(edge.to)))
            .collect();
        ends(&descriptions.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let nodes = |nodes: &[u32]| ends(&nodes.iter().map(|&node| name(node)).collect::<Vec<_>>());
    let head = json!({"channel": &*channel.name, "y": span(lane.y, lane.height), "subtitle": lane.subtitle,
        "track": horizontal_line(lane.track)});
    let head = head.to_string();
    let _ = writeln!(out, "{},", head.trim_end_matches('}'));
    list(
        out,
        "entry_nodes",
        lane.entry_nodes
            .iter()
            .map(|entry_node| entry_node_line(graph, channel, entry_node)),
        ",",
    );
    let links = lane.links.iter().map(|link| {
        let shape = match link.shape {
            Shape::Straight(straight) => horizontal_line(straight),
            Shape::Arc(arc) => curve(arc),
        };
        json!({"replaces": edges(&link.edges), "shape": shape, "selected": link.selected, "backwards": link.backwards})
    });
    list(out, "links", links, ",");
    let runs = lane.runs.iter().map(|run| {
        json!({"run": run.label, "bar": horizontal_line(run.bar), "by": nodes(&run.by), "skipped": nodes(&run.nodes),
            "ticks": run.ticks.len(), "selected": run.selected})
    });
    list(out, "runs", runs, ",");
    let brackets = lane.brackets.iter().map(|bracket| {
        let ranges: Vec<&str> = bracket.ranges.iter().map(|&range| &*channel.ranges[range as usize].text).collect();
        json!({"ranges": ends(&ranges), "bar": horizontal_line(bracket.bar), "arrow": round(bracket.arrow), "full": bracket.full,
            "covers": bracket.covers, "ticks": bracket.ticks.len(), "covers_selected": bracket.covers_selected})
    });
    list(out, "brackets", brackets, ",");
    let arrows = lane
        .arrows
        .iter()
        .map(|arrow| json!({"skips": edges(&arrow.edges), "shape": curve(arrow.curve)}));
    list(out, "arrows", arrows, "");
    out.push('}');
}

fn entry_node_line(graph: &PackageGraph, channel: &ChannelGraph, entry_node: &EntryNode) -> Value {
    let kind = match entry_node.kind {
        EntryNodeKind::Entry => "entry",
        EntryNodeKind::Ghost => "ghost",
        EntryNodeKind::Removed => "gone",
        EntryNodeKind::Stack => "stack",
    };
    let names: Vec<&str> = entry_node
        .nodes
        .iter()
        .map(|&node| graph.name_at(channel, node))
        .collect();
    let rect = [
        entry_node.rect.x,
        entry_node.rect.y,
        entry_node.rect.width,
        entry_node.rect.height,
    ]
    .map(round);
    json!({kind: ends(&names), "text": entry_node.text, "at": rect, "marks": marks(entry_node)})
}

fn marks(entry_node: &EntryNode) -> String {
    let Marks {
        head,
        skipped,
        stranded,
        absent,
        no_bundle,
        duplicate,
        cycle,
        ..
    } = entry_node.marks;
    let Marks {
        deprecated_bundle,
        deprecated_channel,
        deprecated_package,
        ..
    } = entry_node.marks;
    let all = [
        ("head", head),
        ("skipped", skipped),
        ("stranded", stranded),
        ("absent", absent),
        ("no bundle", no_bundle),
        ("duplicate", duplicate),
        ("cycle", cycle),
        ("deprecated bundle", deprecated_bundle),
        ("deprecated channel", deprecated_channel),
        ("deprecated package", deprecated_package),
        ("selected", entry_node.selected),
        ("twin", entry_node.twin),
    ];
    let held: Vec<&str> = all
        .into_iter()
        .filter(|(_, holds)| *holds)
        .map(|(word, _)| word)
        .collect();
    held.join(", ")
}

/// `"name": [`, one line per item, `]`.
fn list(out: &mut String, name: &str, items: impl Iterator<Item = Value>, end: &str) {
    let lines: Vec<String> = items.map(|item| item.to_string()).collect();
    let open = if lines.is_empty() { "" } else { "\n" };
    let _ = writeln!(out, "\"{name}\": [{open}{}{open}]{end}", lines.join(",\n"));
}

/// A single name, or the first and the last with the count.
fn ends(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first, second] => format!("{first}, {second}"),
        [first, .., last] => format!("{first} … {last} ({})", names.len()),
    }
}

fn span(from: f32, length: f32) -> Value {
    json!([round(from), round(from + length)])
}

fn horizontal_line(rail: HorizontalLine) -> Value {
    json!([round(rail.x1), round(rail.x2), round(rail.y)])
}

fn curve(curve: Curve) -> Value {
    json!(curve.path())
}

/// Rounds to a tenth of a pixel.
fn round(length: f32) -> f64 {
    (f64::from(length) * 10.0).round() / 10.0
}
