//! The lanes of one package as a standalone picture: light theme, labelled, readable without the
//! page.

use super::{escape_xml, format_states};
use crate::graph::layout::{
    Bracket, Curve, EntryNode, EntryNodeKind, Lane, Layout, Link, Run, Shape,
};
use crate::graph::{ChannelGraph, PackageGraph};
use std::fmt::Write;

const STYLE: &str = "\
text{font:11px ui-monospace,Menlo,Consolas,monospace;fill:#1d1f23}\
.page{fill:#fbfbfa}.band{fill:#f4f4f2}.stream,.name{font:600 12px system-ui,sans-serif}\
.stream,.column,.node{text-anchor:middle}.column,.note{fill:#666b73}.note{font:11px system-ui,sans-serif}\
.old{fill:#9a5b00}.track{stroke:#deded9;stroke-width:3}\
.link,.bracket{stroke:#666b73;fill:none;stroke-width:1.5}.ghost{stroke-dasharray:2 2}\
.bracket{stroke-dasharray:4 3}.bad{stroke:#a3262a}.run{stroke:#666b73;stroke-width:2.5}.tick{stroke:#666b73}\
.box{fill:#fff;stroke:#666b73;stroke-width:1.2}.box.head{stroke:#1d1f23;stroke-width:2.4}\
.box.absent{fill:#fbfbfa;stroke-dasharray:2 2}.box.skipped{stroke:#9a9ea6}.box.deprecated{fill:url(#hatch);stroke:#9a5b00}\
.box.stranded{stroke:#a3262a;stroke-dasharray:6 2}.head text{font-weight:700}.skipped text{fill:#666b73;text-decoration:line-through}.absent text{fill:#666b73}\
.flag{fill:#1d1f23}";

const DEFS: &str = "<pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" \
patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#fff\"/><path d=\"M0 0V6\" stroke=\"#e6c78f\" \
stroke-width=\"2\"/></pattern>";

/// Space to the right of and below the lanes, in pixels.
const MARGIN: f32 = 16.0;
/// Lower lanes have no room for a second line of text.
const MIN_TWO_LINE_HEIGHT: f32 = 40.0;

/// Draws a layout of `graph` without a selection. Every entry has a title with its name, channel
/// and states; the picture runs no script and refers to nothing outside.
pub fn svg(graph: &PackageGraph, layout: &Layout) -> String {
    let (width, height) = (layout.width + MARGIN, layout.height + MARGIN);
    let deprecation = if graph.deprecated.is_some() {
        ", a deprecated package"
    } else {
        ""
    };
    let title = escape_xml(&format!("Upgrade graph of {}{deprecation}", graph.package));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-label=\"{title}\">\n<title>{title}</title>\n<style>{STYLE}</style>\n<defs>{DEFS}</defs>\n<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n"
    );
    draw_headings(&mut out, layout);
    for lane in &layout.lanes {
        if let Some(channel) = graph.channels.get(lane.channel as usize) {
            draw_lane(&mut out, graph, channel, lane, layout.header);
        }
    }
    out.push_str("</svg>\n");
    out
}

fn draw_headings(out: &mut String, layout: &Layout) {
    for (index, stream) in layout.streams.iter().enumerate() {
        if index % 2 == 1 {
            let (x, width, height) = (stream.x, stream.width, layout.height);
            let _ = writeln!(
                out,
                "<rect class=\"band\" x=\"{x:.1}\" y=\"0\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
            );
        }
        let (x, y) = (stream.x + stream.width / 2.0, (layout.top * 0.4).max(14.0));
        let _ = writeln!(
            out,
            "<text class=\"stream\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
            escape_xml(&stream.label)
        );
    }
    for column in layout
        .columns
        .iter()
        .filter(|column| !column.label.is_empty())
    {
        let (x, y) = (column.x + column.width / 2.0, layout.top - 14.0);
        let _ = writeln!(
            out,
            "<text class=\"column\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
            escape_xml(&column.label)
        );
    }
}

fn draw_lane(
    out: &mut String,
    graph: &PackageGraph,
    channel: &ChannelGraph,
    lane: &Lane,
    header: f32,
) {
    let middle = lane.track.y;
    let star = if channel.is_default { "★ " } else { "" };
    let deprecation_class = if channel.deprecated.is_some() {
        " old"
    } else {
        ""
    };
    let name = escape_xml(&format!("{star}{}", channel.name));
    let is_low = lane.height < MIN_TWO_LINE_HEIGHT;
    let y = if is_low { middle + 4.0 } else { middle - 3.0 };
    let _ = writeln!(
        out,
        "<g class=\"lane\">\n<text class=\"name{deprecation_class}\" x=\"8\" y=\"{y:.1}\">{name}</text>"
    );
    if !is_low {
        let note = escape_xml(&lane.subtitle);
        let _ = writeln!(
            out,
            "<text class=\"note\" x=\"8\" y=\"{:.1}\">{note}</text>",
            middle + 13.0
        );
    }
    let (x1, x2) = (lane.track.x1.max(header), lane.track.x2);
    let _ = writeln!(
        out,
        "<path class=\"track\" d=\"M{x1:.1} {middle:.1}H{x2:.1}\"/>"
    );
    for run in &lane.runs {
        draw_run(out, run);
    }
    for bracket in &lane.brackets {
        draw_bracket(out, channel, bracket);
    }
    for link in &lane.links {
        draw_link(out, graph, channel, link);
    }
    for entry_node in &lane.entry_nodes {
        draw_entry_node(out, graph, channel, entry_node);
    }
    out.push_str("</g>\n");
}

fn draw_run(out: &mut String, run: &Run) {
    let (x1, x2, y) = (run.bar.x1, run.bar.x2, run.bar.y);
    let _ = writeln!(
        out,
        "<g><title>{}</title><path class=\"run\" d=\"M{x1:.1} {y:.1}H{x2:.1}\"/>",
        escape_xml(&run.label)
    );
    for x in &run.ticks {
        let _ = write!(out, "<path class=\"tick\" d=\"M{x:.1} {:.1}v6\"/>", y - 3.0);
    }
    out.push_str("</g>\n");
}

fn draw_bracket(out: &mut String, channel: &ChannelGraph, bracket: &Bracket) {
    let (x1, x2, y) = (bracket.bar.x1, bracket.bar.x2, bracket.bar.y);
    let ranges: Vec<&str> = bracket
        .ranges
        .iter()
        .filter_map(|&r| channel.ranges.get(r as usize))
        .map(|r| &*r.text)
        .collect();
    let title = escape_xml(&format!("skipRange {}", ranges.join("; ")));
    let bad = if bracket.invalid { " bad" } else { "" };
    let d = format!(
        "M{x1:.1} {:.1}V{y:.1}H{x2:.1}M{:.1} {y:.1}V{:.1}",
        y - 4.0,
        bracket.arrow,
        y - 8.0
    );
    let _ = writeln!(
        out,
        "<g><title>{title}</title><path class=\"bracket{bad}\" d=\"{d}\"/>"
    );
    out.push_str("</g>\n");
}

fn draw_link(out: &mut String, graph: &PackageGraph, channel: &ChannelGraph, link: &Link) {
    let d = match link.shape {
        Shape::Straight(line) => format!("M{:.1} {:.1}H{:.1}", line.x1, line.y, line.x2),
        Shape::Arc(curve) => Curve::path(&curve),
    };
    let ghost = if link.ghost { " ghost" } else { "" };
    let names = link
        .edges
        .iter()
        .filter_map(|&e| channel.edges.get(e as usize));
    let names: Vec<String> = names
        .map(|e| {
            format!(
                "{} replaces {}",
                graph.name_at(channel, e.to),
                graph.name_at(channel, e.from)
            )
        })
        .collect();
    let title = escape_xml(&names.join("; "));
    let _ = writeln!(
        out,
        "<path class=\"link{ghost}\" d=\"{d}\"><title>{title}</title></path>"
    );
}

fn draw_entry_node(
    out: &mut String,
    graph: &PackageGraph,
    channel: &ChannelGraph,
    entry_node: &EntryNode,
) {
    let rect = entry_node.rect;
    let mut classes = String::new();
    for (class, applies) in [
        ("head", entry_node.marks.head),
        ("skipped", entry_node.marks.skipped),
        ("stranded", entry_node.marks.stranded),
        ("absent", entry_node.marks.absent),
        ("deprecated", entry_node.marks.deprecated_bundle),
    ] {
        if applies {
            classes.push(' ');
            classes.push_str(class);
        }
    }
    let title = entry_node_title(graph, channel, entry_node);
    let _ = write!(
        out,
        "<g class=\"{}\"><title>{}</title>",
        classes.trim_start(),
        escape_xml(&title)
    );
    let draw_box = |out: &mut String, offset: f32| {
        let (x, y) = (rect.x + offset, rect.y + offset);
        let _ = write!(
            out,
            "<rect class=\"box{classes}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"6\"/>",
            rect.width, rect.height
        );
    };
    if entry_node.kind == EntryNodeKind::Stack {
        draw_box(out, 3.0);
    }
    draw_box(out, 0.0);
    if !entry_node.text.is_empty() {
        let (x, y) = (rect.center_x(), rect.center_y() + 4.0);
        let _ = write!(
            out,
            "<text class=\"node\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
            escape_xml(&entry_node.text)
        );
    }
    if entry_node.marks.head {
        let (x, y) = (rect.right(), rect.y);
        let _ = write!(
            out,
            "<path class=\"flag\" d=\"M{x:.1} {y:.1}v-9h1v1l8 3l-8 3v2z\"/>"
        );
    }
    out.push_str("</g>\n");
}

/// Returns a line for each entry of a box: its name, channel and states.
fn entry_node_title(
    graph: &PackageGraph,
    channel: &ChannelGraph,
    entry_node: &EntryNode,
) -> String {
    let mut lines = Vec::new();
    for &index in &entry_node.nodes {
        let Some(node) = channel.nodes.get(index as usize) else {
            continue;
        };
        let mut line = format!("{} in {}", graph.name_at(channel, index), channel.name);
        let states = format_states(graph, node);
        if !states.is_empty() {
            line.push_str(&format!(": {states}"));
        }
        lines.push(line);
    }
    lines.join("\n")
}
