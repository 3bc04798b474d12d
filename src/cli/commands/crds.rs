//! `switchyard crds`: whether new CustomResourceDefinitions may replace old ones. Compares two
//! files, or a package's bundles along the edges of its channels or along the upgrade path of one
//! version.

mod definitions;

use crate::args::CrdsArgs;
use crate::error::{self, CliError, CliResult};
use crate::input::disk::chosen_package;
use crate::input::templates;
use crate::output::formats::TextOrData;
use crate::output::{self, one_line};
use ::catalog::graph::export::check_edges;
use ::catalog::graph::{ChannelGraph, PackageGraph};
use ::catalog::model::{BundleBlob, Package};
use definitions::{BundleDefinitions, DefinitionStep};
use protocol::counting::first_of;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::rc::Rc;
use syntax::did_you_mean::did_you_mean;
use upgrade::crd::{self, Change, ChangeKind};
use upgrade::{Installed, Lens, Options, UpgradeIndex, installed_name};

/// At most this many absent entries are listed in a note.
const MAX_ABSENT: usize = 6;

pub(super) fn run(args: &CrdsArgs) -> CliResult {
    let objects = read_objects(args)?;
    match &args.new {
        Some(new) => compare_files(args, new, objects.as_deref()),
        None => check_catalog(args, objects.as_deref()),
    }
}

/// Checks the CRDs of a package in a catalog or a rendered template.
fn check_catalog(args: &CrdsArgs, objects: Option<&[Value]>) -> CliResult {
    let disk = templates::open_catalog(&args.old, &args.known)?.ok_or_else(|| {
        cli_error!(
            "{} is neither a catalog's folder nor a template",
            args.old.display()
        )
        .hint("name the file of the new definitions after it, or the folder of a catalog instead")
    })?;
    let catalog = disk.root()?.catalog();
    let package = chosen_package(catalog, args.package.as_deref())?;
    let known = args.known.read()?;
    let definitions = BundleDefinitions::new(&disk, package, &known, objects, args.lens.into());
    let status = match &args.from {
        Some(from) => compare_path(args, from, package, &definitions, args.lens.into())?,
        None => compare_channels(args, package, &definitions)?,
    };
    definitions::note_unmatched_objects(&definitions.all_read(), objects);
    Ok(status)
}

fn compare_files(args: &CrdsArgs, new: &Path, objects: Option<&[Value]>) -> CliResult {
    let (old, new) = (read_definitions(&args.old)?, read_definitions(new)?);
    let mut changes = crd::changes(&old, &new, objects, args.lens.into());
    // Only compare CRDs that are in both files: a file need not hold all CRDs of a bundle.
    changes.retain(|change| change.kind == ChangeKind::Kept);
    let passed = changes.iter().all(|change| change.objections.is_empty());
    definitions::note_unmatched_objects(&new, objects);
    match args.output.format {
        TextOrData::Data(form) => {
            let answer = json!({"format": output::FORMAT, "passed": passed, "crds": changes});
            output::print_data(form, &answer)?;
        }
        TextOrData::Text => {
            for change in &changes {
                output::print_text(&definitions::to_text(change, ""))?;
            }
            if changes.is_empty() {
                output::print_text("no CustomResourceDefinition is in both files\n")?;
            }
        }
    }
    Ok(if passed { 0 } else { error::FAILED })
}

fn read_documents(path: &Path) -> Result<Vec<Value>, CliError> {
    let read_error =
        |error: &dyn std::fmt::Display| cli_error!("cannot read {}: {error}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| read_error(&error))?;
    let documents: Result<Vec<Value>, _> = serde_yaml::Deserializer::from_str(&text)
        .map(Value::deserialize)
        .collect();
    documents.map_err(|error| read_error(&error))
}

/// Reads the CRDs of a file. Ignores other objects.
fn read_definitions(path: &Path) -> Result<Vec<Value>, CliError> {
    let mut definitions = expand_lists(read_documents(path)?);
    definitions.retain(|document| document["kind"] == "CustomResourceDefinition");
    if definitions.is_empty() {
        let error = cli_error!("no CustomResourceDefinition in {}", path.display());
        return Err(error.hint(
            "the file must contain YAML or JSON documents with `kind: CustomResourceDefinition`",
        ));
    }
    Ok(definitions)
}

/// Reads the files of `--objects`; `None` without this option.
fn read_objects(args: &CrdsArgs) -> Result<Option<Vec<Value>>, CliError> {
    if args.objects.is_empty() {
        return Ok(None);
    }
    let mut all = Vec::new();
    for path in &args.objects {
        let objects = expand_lists(read_documents(path)?);
        if let Some(invalid) = objects.iter().find(|object| !object["kind"].is_string()) {
            let description = if invalid.is_null() {
                "an empty document"
            } else {
                "a document without `kind`"
            };
            return Err(cli_error!(
                "{}: {description} is not a Kubernetes object",
                path.display()
            )
            .hint("`oc get KIND -A -o yaml` prints the objects of a cluster"));
        }
        all.extend(objects);
    }
    Ok(Some(all))
}

/// Replaces lists of objects by their items.
fn expand_lists(documents: Vec<Value>) -> Vec<Value> {
    documents
        .into_iter()
        .filter(|document| !document.is_null())
        .flat_map(|mut document| match document.get_mut("items") {
            Some(Value::Array(items)) => std::mem::take(items),
            _ => vec![document],
        })
        .collect()
}

#[derive(Serialize)]
struct Channel {
    #[serde(rename = "channel")]
    name: String,
    edges: Vec<Edge>,
    /// Source entries without a bundle in the catalog or in `--bundles`. Their edges cannot be
    /// compared.
    absent: Vec<String>,
}

#[derive(Serialize)]
struct Edge {
    #[serde(flatten)]
    step: DefinitionStep,
    /// The fields that define the edge: `replaces`, `skips`, `skipRange`.
    kinds: Vec<&'static str>,
}

fn compare_channels(
    args: &CrdsArgs,
    package: &Package,
    definitions: &BundleDefinitions<'_>,
) -> CliResult {
    let mut channels = Vec::new();
    let graph = build_graph(args, package)?;
    for channel in &graph.channels {
        channels.push(compare_edges(&graph, channel, definitions)?);
    }
    let steps = || {
        channels
            .iter()
            .flat_map(|channel| &channel.edges)
            .map(|edge| &edge.step)
    };
    let status = definitions::status(steps());
    match args.output.format {
        TextOrData::Data(form) => {
            let changes = distinct_changes(&channels);
            let mut answer = answer_json(args, package, status == 0, &changes);
            answer["channels"] = json!(channels);
            output::print_data(form, &answer)?;
        }
        TextOrData::Text => output::print_text(&channels_to_text(&channels))?,
    }
    let absent: BTreeSet<&str> = channels
        .iter()
        .flat_map(|channel| &channel.absent)
        .map(String::as_str)
        .collect();
    if !absent.is_empty() {
        output::print_note(&format!(
            "left out edges from bundles that are not there: {}",
            first_of(absent.iter(), MAX_ABSENT)
        ));
    }
    definitions::print_unknown(steps());
    Ok(status)
}

/// Builds the graph of the requested channels, or of all.
fn build_graph(args: &CrdsArgs, package: &Package) -> Result<PackageGraph, CliError> {
    for name in &args.channel {
        if package.channel(name).is_none() {
            let names = package.channels.iter().map(|channel| channel.name.as_str());
            return Err(
                cli_error!("package `{}` has no channel `{name}`", package.name).hint(
                    did_you_mean(name, names, "`switchyard list channels DIR` lists them"),
                ),
            );
        }
    }
    let graph = PackageGraph::from_channels(package, |name| {
        args.channel.is_empty() || args.channel.iter().any(|selected| **selected == **name)
    });
    check_edges([&graph])?;
    Ok(graph)
}

fn compare_edges(
    graph: &PackageGraph,
    channel: &ChannelGraph,
    definitions: &BundleDefinitions<'_>,
) -> Result<Channel, CliError> {
    // Several fields of an entry may refer to the same name.
    let mut pairs: Vec<((u32, u32), Vec<&'static str>)> = Vec::new();
    let mut indices: HashMap<(u32, u32), usize> = HashMap::new();
    for edge in graph.all_edges(channel) {
        let pair = (edge.from, edge.to);
        let index = *indices.entry(pair).or_insert(pairs.len());
        match pairs.get_mut(index) {
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
        } else if !absent.iter().any(|name| name == from) {
            absent.push(from.to_owned());
        }
    }
    Ok(Channel {
        name: channel.name.to_string(),
        edges,
        absent,
    })
}

fn channels_to_text(channels: &[Channel]) -> String {
    let mut text = String::new();
    for channel in channels {
        text.push_str(&format!("channel {}\n", one_line(&channel.name)));
        for Edge { kinds, step } in &channel.edges {
            text.push_str(&format!(
                "  {} -> {} ({})\n{}",
                one_line(&step.from),
                one_line(&step.to),
                kinds.join(", "),
                definitions::step_to_text(step, "    ")
            ));
        }
        if channel.edges.is_empty() {
            text.push_str("  no edges\n");
        }
    }
    text
}

/// Returns the common fields of answers about a package. `changes` are those of all steps.
fn answer_json(args: &CrdsArgs, package: &Package, passed: bool, changes: &[&Change]) -> Value {
    json!({
        "format": output::FORMAT,
        "passed": passed,
        "lens": Lens::from(args.lens).name(),
        "package": package.name,
        "crds": changes,
    })
}

/// Returns the changes of all edges. Bundles with equal CRDs share their changes, which are
/// returned once.
fn distinct_changes(channels: &[Channel]) -> Vec<&Change> {
    let mut seen = BTreeSet::new();
    let all = channels
        .iter()
        .flat_map(|channel| &channel.edges)
        .map(|edge| &edge.step.changes);
    all.filter(|changes| seen.insert(Rc::as_ptr(changes)))
        .flat_map(|changes| changes.iter())
        .collect()
}

fn compare_path(
    args: &CrdsArgs,
    from: &str,
    package: &Package,
    definitions: &BundleDefinitions<'_>,
    lens: Lens,
) -> CliResult {
    let (names, note) = find_path(args, package, from, lens)?;
    let pairs = names
        .windows(2)
        .filter_map(|pair| pair.first().zip(pair.last()));
    let steps = pairs
        .map(|(from, to)| definitions.step(from, to))
        .collect::<Result<Vec<_>, _>>()?;
    let status = definitions::status(&steps);
    match args.output.format {
        TextOrData::Data(form) => {
            let changes: Vec<&Change> = steps.iter().flat_map(|step| step.changes.iter()).collect();
            let mut answer = answer_json(args, package, status == 0, &changes);
            answer["steps"] = json!(steps);
            output::print_data(form, &answer)?;
        }
        TextOrData::Text => {
            output::print_text(&steps.iter().map(step_to_line).collect::<String>())?
        }
    }
    if let Some(note) = note {
        output::print_note(&note);
    }
    definitions::print_unknown(&steps);
    Ok(status)
}

/// Finds a bundle by name, else by version.
fn find_bundle<'p>(package: &'p Package, text: &str) -> Option<&'p BundleBlob> {
    let by_name = package.bundle(text);
    by_name
        .or_else(|| {
            package
                .bundles
                .iter()
                .find(|bundle| bundle.version() == text)
        })
        .map(|bundle| &**bundle)
}

fn require_bundle<'p>(package: &'p Package, text: &str) -> Result<&'p BundleBlob, CliError> {
    find_bundle(package, text).ok_or_else(|| {
        let names = package.bundles.iter().map(|bundle| bundle.name.as_str());
        let hint = did_you_mean(text, names, "`switchyard list bundles DIR` lists them");
        let package = &package.name;
        cli_error!("package `{package}` has no version `{text}`").hint(hint)
    })
}

/// Finds the upgrade path to `--to`, or to its end. If it does not reach `--to`, the two bundles
/// are compared directly. Returns the bundles to compare, each with the next, and a note if they
/// are not the upgrade path.
fn find_path(
    args: &CrdsArgs,
    package: &Package,
    from: &str,
    lens: Lens,
) -> Result<(Vec<String>, Option<String>), CliError> {
    if lens == Lens::V0 && args.channel.len() > 1 {
        return Err(CliError::new("only OLM v1 takes more than one --channel")
            .hint("use `--lens v1`, or name one channel"));
    }
    let installed = match find_bundle(package, from) {
        Some(bundle) => Installed::new(bundle.name.value.clone(), bundle.version()),
        None => {
            let parsed = installed_name::parse(from, &[package], std::iter::empty());
            parsed
                .map_err(|unknown| CliError::new(unknown.reason).hint(unknown.help))?
                .installed
        }
    };
    let to = match &args.to {
        None => None,
        Some(text) => Some(require_bundle(package, text)?.name.value.to_string()),
    };
    let options = Options {
        channels: args.channel.clone(),
        ..Options::default()
    };
    let path: upgrade::Path = UpgradeIndex::new(package).path(lens, Some(&installed), &options);
    let mut names: Vec<String> = path.steps.iter().map(ToString::to_string).collect();
    if path.looped {
        names.pop();
    }
    let Some(to) = to else {
        return match names.len() {
            0 | 1 => Err(cli_error!("nothing follows `{}`", installed.name)
                .hint(path.why.first().cloned().unwrap_or_default())),
            _ => Ok((names, None)),
        };
    };
    match names.iter().position(|name| *name == to) {
        Some(0) => {
            Err(cli_error!("`{to}` is already installed").hint("name a later version with --to"))
        }
        Some(index) => {
            names.truncate(index + 1);
            Ok((names, None))
        }
        None => {
            let note = format!(
                "the upgrade path from {} does not reach {to}: {}; comparing the two directly",
                installed.name,
                names.join(" -> ")
            );
            Ok((vec![installed.name.to_string(), to], Some(note)))
        }
    }
}

fn step_to_line(step: &DefinitionStep) -> String {
    format!(
        "{} -> {}\n{}",
        one_line(&step.from),
        one_line(&step.to),
        definitions::step_to_text(step, "  ")
    )
}
