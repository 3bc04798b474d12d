//! The CRDs of a package's bundles along each edge of its channels, from any installed version.

use super::bundle_definitions::{BundleDefinitions, DefinitionStep};
use super::report;
use crate::args::CrdsArgs;
use crate::error::{CliError, CliResult};
use crate::output::formats::TextOrData;
use crate::output::{self, one_line};
use fbc::crd::Change;
use fbc::did_you_mean::did_you_mean;
use fbc::graph::export::{TooManyEdges, check_edges};
use fbc::graph::{ChannelGraph, PackageGraph};
use fbc::model::Package;
use protocol::counting::first_of;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// Most absent entries that a note lists.
const NAMED: usize = 6;

struct Channel {
    name: String,
    edges: Vec<Edge>,
    /// Source entries of edges that are in no catalog and no given bundle: they cannot be compared.
    absent: Vec<String>,
}

struct Edge {
    /// The fields that define the edge: `replaces`, `skips`, `skipRange`.
    kinds: Vec<&'static str>,
    step: DefinitionStep,
}

pub(super) fn run(
    args: &CrdsArgs,
    package: &Package,
    definitions: &BundleDefinitions<'_>,
) -> CliResult {
    let mut channels = Vec::new();
    let graph = graph(args, package)?;
    for channel in &graph.channels {
        channels.push(edges_of(&graph, channel, definitions)?);
    }
    let steps = || {
        channels
            .iter()
            .flat_map(|channel| &channel.edges)
            .map(|edge| &edge.step)
    };
    let status = report::status(steps());
    match args.format {
        TextOrData::Data(form) => {
            output::data(form, &to_json(args, &channels, package, status == 0))?
        }
        TextOrData::Text => output::text(&to_text(&channels))?,
    }
    let absent: BTreeSet<&str> = channels
        .iter()
        .flat_map(|channel| &channel.absent)
        .map(String::as_str)
        .collect();
    if !absent.is_empty() {
        output::note(&format!(
            "left out edges from bundles that are not there: {}",
            first_of(absent.iter(), NAMED)
        ));
    }
    report::print_unknown(steps());
    Ok(status)
}

/// The requested channels, or all.
fn graph(args: &CrdsArgs, package: &Package) -> Result<PackageGraph, CliError> {
    for name in &args.channel {
        if package.channel(name).is_none() {
            let names = package.channels.iter().map(|channel| channel.name.as_str());
            return Err(CliError::new(format!(
                "package `{}` has no channel `{name}`",
                package.name
            ))
            .hint(did_you_mean(
                name,
                names,
                "`switchyard list channels DIR` lists them",
            )));
        }
    }
    let is_wanted =
        |name: &str| args.channel.is_empty() || args.channel.iter().any(|wanted| wanted == name);
    let graph = PackageGraph::from_channels(package, |name| is_wanted(name));
    check_edges(std::slice::from_ref(&graph))
        .map_err(|error| CliError::new(error.to_string()).hint(TooManyEdges::HELP))?;
    Ok(graph)
}

fn edges_of(
    graph: &PackageGraph,
    channel: &ChannelGraph,
    definitions: &BundleDefinitions<'_>,
) -> Result<Channel, CliError> {
    // Several fields of an entry may refer to the same name.
    let mut pairs: Vec<((u32, u32), Vec<&'static str>)> = Vec::new();
    let mut places: HashMap<(u32, u32), usize> = HashMap::new();
    for edge in graph.all_edges(channel) {
        let pair = (edge.from, edge.to);
        let at = *places.entry(pair).or_insert(pairs.len());
        match pairs.get_mut(at) {
            Some((_, kinds)) if kinds.contains(&edge.kind.field()) => {}
            Some((_, kinds)) => kinds.push(edge.kind.field()),
            None => pairs.push((pair, vec![edge.kind.field()])),
        }
    }
    let mut edges = Vec::new();
    let mut absent: Vec<String> = Vec::new();
    for ((from, to), kinds) in pairs {
        let (from, to) = (graph.name_at(channel, from), graph.name_at(channel, to));
        if definitions.has(from)? {
            edges.push(Edge {
                kinds,
                step: definitions.step(from, to)?,
            });
        } else if !absent.iter().any(|known| known == from) {
            absent.push(from.to_owned());
        }
    }
    Ok(Channel {
        name: channel.name.to_string(),
        edges,
        absent,
    })
}

/// Only the first of several edges between bundles with the same CRDs is printed; the others refer to it.
fn to_text(channels: &[Channel]) -> String {
    let mut text = String::new();
    let mut first_edges: HashMap<*const Vec<Change>, String> = HashMap::new();
    for channel in channels {
        text.push_str(&format!("channel {}\n", one_line(&channel.name)));
        for Edge { kinds, step } in &channel.edges {
            let edge = format!("{} -> {}", one_line(&step.from), one_line(&step.to));
            text.push_str(&format!("  {edge} ({})\n", kinds.join(", ")));
            match first_edges
                .get(&Rc::as_ptr(&step.changes))
                .filter(|_| report::is_long(step))
            {
                Some(before) => {
                    let before = if *before == edge { "above" } else { before };
                    text.push_str(&format!(
                        "{}    as {before}\n",
                        report::lost_to_text(step, "    ")
                    ));
                }
                None => text.push_str(&report::step_to_text(step, "    ")),
            }
            first_edges.entry(Rc::as_ptr(&step.changes)).or_insert(edge);
        }
        if channel.edges.is_empty() {
            text.push_str("  no edges\n");
        }
    }
    text
}

fn to_json(args: &CrdsArgs, channels: &[Channel], package: &Package, passed: bool) -> Value {
    let of_edge = |edge: &Edge| {
        let mut step = report::step_to_json(&edge.step);
        step["kinds"] = json!(edge.kinds);
        step
    };
    let of_channel = |channel: &Channel| {
        json!({
            "channel": channel.name,
            "edges": channel.edges.iter().map(of_edge).collect::<Vec<_>>(),
            "absent": channel.absent,
        })
    };
    json!({
        "format": output::FORMAT,
        "passed": passed,
        "lens": report::lens_name(args),
        "package": &*package.name,
        "crds": each_once(channels).into_iter().map(report::to_json).collect::<Vec<_>>(),
        "channels": channels.iter().map(of_channel).collect::<Vec<_>>(),
    })
}

/// The changes of all edges, without repetitions from bundles with equal CRDs.
fn each_once(channels: &[Channel]) -> Vec<&Change> {
    let mut seen = BTreeSet::new();
    let all = channels
        .iter()
        .flat_map(|channel| &channel.edges)
        .map(|edge| &edge.step.changes);
    all.filter(|changes| seen.insert(Rc::as_ptr(changes)))
        .flat_map(|changes| changes.iter())
        .collect()
}
