//! `switchyard crds`: whether new CustomResourceDefinitions may replace old ones. Compares two files, or a package's
//! bundles along the edges of its channels or along the upgrade path of one version.

mod bundle_definitions;
mod channel_edges;
mod report;
mod upgrade_path;

use crate::args::CrdsArgs;
use crate::error::{self, CliError, CliResult};
use crate::input::disk::only_package;
use crate::output::formats::TextOrData;
use crate::{input::rendered_catalog, output};
use bundle_definitions::BundleDefinitions;
use fbc::crd::{self, ChangeKind};
use fbc::upgrade::Lens;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;

pub(super) fn run(args: &CrdsArgs) -> CliResult {
    let objects = objects(args)?;
    match &args.new {
        Some(new) => two_files(args, new, objects.as_deref()),
        None => check_catalog(args, objects.as_deref()),
    }
}

/// The CRDs of a package in a catalog or a rendered template.
fn check_catalog(args: &CrdsArgs, objects: Option<&[Value]>) -> CliResult {
    let disk = rendered_catalog::open_catalog(&args.old, &args.known)?.ok_or_else(|| {
        CliError::new(format!(
            "{} is neither a catalog's folder nor a template",
            args.old.display()
        ))
        .hint("name the file of the new definitions after it, or the folder of a catalog instead")
    })?;
    let catalog = disk.root()?.catalog();
    let wanted = match &args.package {
        Some(name) => name.as_str(),
        None => only_package(catalog.packages(), "the catalog has")?,
    };
    let package = crate::commands::package(catalog, wanted)?;
    let known = args.known.read()?;
    let definitions = BundleDefinitions::new(&disk, package, &known, objects, lens(args));
    let status = match &args.from {
        Some(from) => upgrade_path::run(args, from, package, &definitions, lens(args))?,
        None => channel_edges::run(args, package, &definitions)?,
    };
    report::note_unmatched_objects(&definitions.all_read(), objects);
    Ok(status)
}

fn lens(args: &CrdsArgs) -> Lens {
    match args.lens {
        crate::args::LensArg::V0 => Lens::V0,
        crate::args::LensArg::V1 => Lens::V1,
    }
}

fn two_files(args: &CrdsArgs, new: &Path, objects: Option<&[Value]>) -> CliResult {
    let (old, new) = (definitions(&args.old)?, definitions(new)?);
    let mut changes = crd::changes(&old, &new, objects, lens(args));
    // Only compare CRDs that are in both files: a file need not hold all CRDs of a bundle.
    changes.retain(|change| change.kind == ChangeKind::Kept);
    let passed = changes.iter().all(|change| change.objections.is_empty());
    report::note_unmatched_objects(&new, objects);
    match args.format {
        TextOrData::Data(form) => {
            let crds: Vec<Value> = changes.iter().map(report::to_json).collect();
            output::data(
                form,
                &json!({"format": output::FORMAT, "passed": passed, "crds": crds}),
            )?;
        }
        TextOrData::Text => {
            for change in &changes {
                output::text(&report::to_text(change, ""))?;
            }
            if changes.is_empty() {
                output::text("no CustomResourceDefinition is in both files\n")?;
            }
        }
    }
    Ok(if passed { 0 } else { error::FAILED })
}

/// The documents of a file.
fn documents(path: &Path) -> Result<Vec<Value>, CliError> {
    let failed =
        |e: &dyn std::fmt::Display| CliError::new(format!("cannot read {}: {e}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|e| failed(&e))?;
    let documents: Result<Vec<Value>, _> = serde_yaml::Deserializer::from_str(&text)
        .map(Value::deserialize)
        .collect();
    documents.map_err(|e| failed(&e))
}

/// The CRDs of a file; other objects are ignored.
fn definitions(path: &Path) -> Result<Vec<Value>, CliError> {
    let mut definitions = items(documents(path)?);
    definitions.retain(|document| document["kind"] == "CustomResourceDefinition");
    if definitions.is_empty() {
        let complaint = CliError::new(format!("no CustomResourceDefinition in {}", path.display()));
        return Err(complaint.hint(
            "the file must contain YAML or JSON documents with `kind: CustomResourceDefinition`",
        ));
    }
    Ok(definitions)
}

/// The objects of a cluster; `None` if none are given.
fn objects(args: &CrdsArgs) -> Result<Option<Vec<Value>>, CliError> {
    if args.objects.is_empty() {
        return Ok(None);
    }
    let mut all = Vec::new();
    for path in &args.objects {
        let found = items(documents(path)?);
        if let Some(odd) = found.iter().find(|object| !object["kind"].is_string()) {
            let description = if odd.is_null() {
                "an empty document"
            } else {
                "a document without `kind`"
            };
            return Err(CliError::new(format!(
                "{}: {description} is not a Kubernetes object",
                path.display()
            ))
            .hint("`oc get KIND -A -o yaml` prints the objects of a cluster"));
        }
        all.extend(found);
    }
    Ok(Some(all))
}

/// Replaces lists of objects by their items.
fn items(documents: Vec<Value>) -> Vec<Value> {
    let inside = |mut document: Value| match document.get_mut("items") {
        Some(Value::Array(items)) => std::mem::take(items),
        _ => vec![document],
    };
    documents
        .into_iter()
        .filter(|document| !document.is_null())
        .flat_map(inside)
        .collect()
}
