//! The main view of a package, and its graph as a table.

use super::problems::Marks;
use super::{bundles, compare, lanes, template, upgrade};
use crate::ViewInput;
use catalog::graph::export::states;
use catalog::graph::layout::{RouteRequest, Selection, lane_order, layout};
use catalog::graph::{ChannelGraph, Node, PackageGraph, by_version};
use catalog::model::{BundleBlob, Entry, Package};
use edit::plan::bundles::is_changed;
use edit::range_pattern;
use edit::refused;
use protocol::Json;
use protocol::diagnostic::Location;
use protocol::request::PackageRequest;
use protocol::response::PackageView;
use protocol::views::{
    EdgeLines, EntryState, Lens, Origin, PathStep, TableRow, UpgradeAnswer, UpgradePath,
};
use session::{Refused, Root};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use syntax::hashed;
use syntax::order::SortSmall;
use syntax::place::{Place, Spanned, Text};

pub(crate) fn view(input: ViewInput<'_>, request: &PackageRequest) -> Result<PackageView, Refused> {
    let PackageRequest {
        question, baseline, ..
    } = request;
    let root = input.session.root(Some(&request.root))?;
    let package = find(root, &request.package)?;
    let graph = PackageGraph::build(package);
    let selected = request.lanes.selected.as_ref();
    let selected = selected.map(|entry| entry.name.as_str());
    let origin = upgrade::origin(package, question, selected);
    let mut answer = upgrade::answer(root, package, origin, question);
    let mut layout_request = lanes::request(&request.lanes);
    // Don't draw routes for a mere selection.
    layout_request.routes = match question.origin {
        Origin::Fresh if answer.origin != Origin::Fresh => Vec::new(),
        _ => routes(&answer, question.lens),
    };
    layout_request.edited = input
        .unsaved_entries
        .iter()
        .flat_map(|step| step.entries(&root.name, &package.name))
        .collect();
    // Removed entries are drawn, but have no details.
    let old = baseline
        .as_ref()
        .and_then(|baseline| compare::old(input.session, baseline, root).ok());
    let old = old
        .as_ref()
        .and_then(|catalog| catalog.package(&request.package));
    let with_removed = old.map(|old| PackageGraph::build_with_removed(package, old));
    let drawn = with_removed.as_ref().unwrap_or(&graph);
    let marks = Marks::from_problems(root.problems_of(&package.name));
    let laid = layout(drawn, &layout_request);
    let drawn_lanes = lanes::lanes(drawn, &laid, &layout_request.routes, &marks);
    let order = lane_order(&graph, &layout_request);
    let table = rows(root, package, &graph, &order, &marks);
    let channels = channel_names(&graph, &order);
    let default_order = if layout_request.order.is_empty() {
        channels.clone()
    } else {
        layout_request.order.clear();
        channel_names(&graph, &lane_order(&graph, &layout_request))
    };
    let ranks: HashMap<&str, usize> = channels.iter().map(String::as_str).zip(0..).collect();
    answer
        .channels
        .sort_small_by_key(|answer| ranks.get(answer.channel.as_str()).copied());
    let name_and_version =
        |bundle: &BundleBlob| (bundle.name.value.to_string(), bundle.version().to_owned());
    let migratable = package.bundles.iter().filter(|bundle| is_changed(bundle));
    Ok(PackageView {
        root: request.root.clone(),
        package: request.package.clone(),
        default_channel: package.default_channel().to_owned(),
        lanes: Arc::new(drawn_lanes),
        table,
        answer,
        bundles: bundles(package)
            .into_iter()
            .map(|bundle| name_and_version(bundle))
            .collect(),
        channels,
        default_order: settle_order(&request.lanes.default_order, default_order),
        problems: root.problems_of(&package.name).cloned().map(Json).collect(),
        deprecations: deprecations(package),
        migratable: migratable.count() as u32,
        substitutions: template::substitutions(root),
        impossible: template::impossible_operations(root),
        lists: template::lists(root),
        rendered_from: template::rendered_from(input.session, &root.name, &package.name),
        range_patterns: range_pattern::patterns(&graph, package),
    })
}

fn channel_names(graph: &PackageGraph, channels: &[u32]) -> Vec<String> {
    let channels = channels
        .iter()
        .filter_map(|&channel| graph.channels.get(channel as usize));
    channels.map(|channel| channel.name.to_string()).collect()
}

/// Returns `order` with the removed names of `before`, each after its former predecessor, so that
/// an entry that undo restores, or that is drawn as removed, keeps its place.
fn settle_order(before: &[String], order: Vec<String>) -> Vec<String> {
    let current: HashSet<String> = order.iter().cloned().collect();
    let mut settled = order;
    let mut predecessor: Option<&String> = None;
    for name in before {
        if !current.contains(name) {
            let index = predecessor
                .and_then(|predecessor| settled.iter().position(|name| name == predecessor))
                .map_or(0, |index| index + 1);
            settled.insert(index, name.clone());
        }
        predecessor = Some(name);
    }
    settled
}

pub(crate) fn find<'a>(root: &'a Root, name: &str) -> Result<&'a Arc<Package>, Refused> {
    root.catalog()
        .package(name)
        .ok_or_else(|| refused!("no package `{name}` in `{}`", root.name))
}

/// Returns the path under the chosen lens, and those steps under the other lens that are not on it.
fn routes(answer: &UpgradeAnswer, lens: Lens) -> Vec<RouteRequest> {
    let (chosen, other) = match lens {
        Lens::V0 => (&answer.v0, &answer.v1),
        Lens::V1 => (&answer.v1, &answer.v0),
    };
    let from = match &answer.origin {
        Origin::Installed(name) => Some(name.as_str()),
        Origin::Fresh => None,
    };
    let chosen = steps(from, chosen);
    let other = steps(from, other);
    let is_chosen = |step: &&RouteStep<'_>| {
        chosen
            .iter()
            .any(|chosen| (chosen.from, &chosen.to.name) == (step.from, &step.to.name))
    };
    let others = other.iter().filter(|step| !is_chosen(step));
    let routes = chosen.iter().map(|step| step.to_request(true));
    routes
        .chain(others.map(|step| step.to_request(false)))
        .collect()
}

struct RouteStep<'a> {
    from: &'a str,
    to: &'a PathStep,
}

impl RouteStep<'_> {
    fn to_request(&self, chosen: bool) -> RouteRequest {
        RouteRequest {
            from: Selection {
                channel: None,
                name: self.from.into(),
            },
            to: Selection {
                channel: self.to.channel.as_deref().map(Into::into),
                name: self.to.name.as_str().into(),
            },
            chosen,
        }
    }
}

/// Returns the steps of a path from `from`. The first step of a new install has no origin and is
/// omitted.
fn steps<'a>(from: Option<&'a str>, path: &'a UpgradePath) -> Vec<RouteStep<'a>> {
    let names = path.steps.iter().map(|step| Some(step.name.as_str()));
    let origins = std::iter::once(from).chain(names);
    origins
        .zip(&path.steps)
        .filter_map(|(from, to)| Some(RouteStep { from: from?, to }))
        .collect()
}

/// Returns the deprecations as pairs of scope and message.
fn deprecations(package: &Package) -> Vec<(String, String)> {
    let entries = package.deprecations.iter().flat_map(|blob| &blob.entries);
    entries
        .map(|entry| {
            let scope = match entry.schema.as_str() {
                "olm.package" => "package".to_owned(),
                schema => format!(
                    "{} {}",
                    schema.trim_start_matches("olm."),
                    entry.name.as_str()
                ),
            };
            (scope, entry.message.value.to_string())
        })
        .collect()
}

/// Builds the rows in lane order; within a lane, highest version first.
///
/// Every edit of a package rebuilds all of its rows, so nothing is computed twice.
fn rows(
    root: &Root,
    package: &Package,
    graph: &PackageGraph,
    lanes: &[u32],
    marks: &Marks<'_>,
) -> Vec<TableRow> {
    let bundles = package
        .bundles
        .iter()
        .map(|bundle| (bundle.name.as_str(), &**bundle))
        .collect();
    let input = TableInput {
        root,
        package,
        graph,
        bundles,
        marks,
    };
    let count = graph
        .channels
        .iter()
        .map(|channel| channel.nodes.len())
        .sum();
    let mut rows = Vec::with_capacity(count);
    for channel in lanes
        .iter()
        .filter_map(|&lane| graph.channels.get(lane as usize))
    {
        input.add_channel(channel, &mut rows);
    }
    rows
}

struct TableInput<'a> {
    root: &'a Root,
    package: &'a Package,
    graph: &'a PackageGraph,
    bundles: hashed::HashMap<&'a str, &'a BundleBlob>,
    marks: &'a Marks<'a>,
}

impl TableInput<'_> {
    fn add_channel(&self, channel: &ChannelGraph, rows: &mut Vec<TableRow>) {
        let mut nodes: Vec<&Node> = channel.nodes.iter().collect();
        nodes.sort_small_by(|a, b| match (self.graph.facts(a), self.graph.facts(b)) {
            (Some(a), Some(b)) => by_version(b, a),
            _ => Ordering::Equal,
        });
        for node in nodes {
            self.add_node(channel, node, rows);
        }
    }

    /// Adds an entry's rows: two if it is listed twice; one without fields if it is absent.
    fn add_node(&self, channel: &ChannelGraph, node: &Node, rows: &mut Vec<TableRow>) {
        let blob = &channel.blob;
        let row = self.row_without_fields(channel, node);
        let Some((last, before)) = node.lines.split_last() else {
            rows.push(TableRow {
                location: self.channel_location(channel),
                ..row
            });
            return;
        };
        let entry = |line: u32| blob.entries.get(line as usize);
        rows.extend(
            before
                .iter()
                .filter_map(|&line| entry(line))
                .map(|entry| self.entry_row(channel, entry, row.clone())),
        );
        rows.extend(entry(*last).map(|entry| self.entry_row(channel, entry, row)));
    }

    /// Builds a row for a name, whether or not the channel lists it.
    fn row_without_fields(&self, channel: &ChannelGraph, node: &Node) -> TableRow {
        let facts = self.graph.facts(node);
        let mut states = states(self.graph, node);
        let bundle = facts.and_then(|facts| self.bundles.get(&*facts.name));
        let is_in_default = channel.is_default && !node.is_absent();
        states.extend(is_in_default.then_some(EntryState::DefaultChannel));
        TableRow {
            channel: copy_text(&channel.name),
            entry: facts.map_or_else(String::new, |facts| copy_text(&facts.name)),
            version: facts.map_or_else(String::new, |facts| copy_text(&facts.text)),
            states,
            problem: facts.and_then(|facts| self.marks.entries(&channel.name, [&*facts.name])),
            date: bundle.map_or_else(String::new, |bundle| bundle.created_date().to_owned()),
            has_requirements: bundle.is_some_and(|bundle| bundle.has_requirements()),
            ..TableRow::default()
        }
    }

    /// Adds the fields of an entry's line to its row.
    fn entry_row(&self, channel: &ChannelGraph, entry: &Entry, row: TableRow) -> TableRow {
        let location = self.entry_location(channel, entry);
        TableRow {
            replaces: copy_text(&entry.replaces.value),
            skips: entry
                .skips
                .iter()
                .map(|skip| copy_text(&skip.value))
                .collect(),
            skip_range: copy_text(&entry.skip_range.value),
            edge_lines: match self.root.rendering() {
                None => edge_lines(entry, |edge| {
                    location.line + edge.place.line.saturating_sub(entry.place.line)
                }),
                // In a rendered catalog, the template's line that produced the entry also produced
                // its edges.
                Some(_) => edge_lines(entry, |_| location.line),
            },
            location,
            ..row
        }
    }

    /// Returns the position of an entry; in a rendered catalog, the template's line that produced
    /// it.
    fn entry_location(&self, channel: &ChannelGraph, entry: &Entry) -> Location {
        let template_line = self.root.rendering().and_then(|rendering| {
            rendering.entry_line(&self.package.name, &channel.name, &entry.name.value)
        });
        template_line.unwrap_or_else(|| self.location(channel, entry.place))
    }

    fn channel_location(&self, channel: &ChannelGraph) -> Location {
        let template_line = self
            .root
            .rendering()
            .and_then(|rendering| rendering.channel_line(&self.package.name, &channel.name));
        template_line.unwrap_or_else(|| self.location(channel, channel.blob.place))
    }

    fn location(&self, channel: &ChannelGraph, place: Place) -> Location {
        let blob = &channel.blob;
        self.root.catalog().location(blob.file, blob.index, place)
    }
}

/// Avoids `Display`, which is too slow for thousands of names at each edit.
fn copy_text(text: &Text) -> String {
    String::from(&**text)
}

/// Returns the lines of the entry's edges; 0 for one that it lacks.
fn edge_lines(entry: &Entry, line: impl Fn(&Spanned<Text>) -> u32) -> EdgeLines {
    let line = |text: &Spanned<Text>| if text.is_empty() { 0 } else { line(text) };
    EdgeLines {
        replaces: line(&entry.replaces),
        skips: entry.skips.iter().map(line).collect(),
        skip_range: line(&entry.skip_range),
    }
}

#[cfg(test)]
mod tests {
    use super::settle_order;

    #[test]
    fn removed_entries_keep_their_position() {
        let names = |text: &str| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let after = |before: &str, now: &str| settle_order(&names(before), names(now)).join(" ");
        assert_eq!(after("", "a b"), "a b");
        assert_eq!(after("a b c", "a c"), "a b c");
        assert_eq!(
            after("a b c d", "d new a"),
            "d new a b c",
            "behind what it was behind"
        );
        assert_eq!(after("gone a", "a"), "gone a");
    }
}
