//! The definitions of a package's bundles along an upgrade path: from the objects that the catalog embeds, or from bundles
//! that are named.

use super::report;
use crate::commands::only_package;
use crate::crds_args::CrdsArgs;
use crate::disk::Disk;
use crate::error::{self, CliError, CliResult};
use crate::formats::TextOrData;
use crate::output::{self, one_line};
use crate::rendered_catalog;
use fbc::bundle::{self, File};
use fbc::crd::{self, Change};
use fbc::did_you_mean::did_you_mean;
use fbc::model::{BundleBlob, Package};
use fbc::template::render::known::Known;
use fbc::upgrade::{Installed, Lens, Options, Path, UpgradeIndex, installed_name};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A step of the path.
struct DefinitionStep {
    from: String,
    to: String,
    /// Bundles whose objects are not known; the changes are not, then.
    unknown: Vec<String>,
    /// APIs that the newer bundle no longer provides, which the catalog says in any case.
    lost: Vec<String>,
    changes: Vec<Change>,
}

pub(super) fn run(args: &CrdsArgs, from: &str, objects: Option<&[Value]>) -> CliResult {
    let disk = rendered_catalog::open(&args.old, &args.known, false)?;
    let catalog = disk.root()?.catalog();
    let wanted = match &args.package {
        Some(name) => name.as_str(),
        None => only_package(catalog.packages(), "the catalog has")?,
    };
    let package = crate::commands::package(catalog, wanted)?;
    let known = args.known.read()?;
    let lens = super::lens(args);
    let (names, aside) = path_names(args, package, from, lens)?;
    let mut steps = Vec::new();
    let mut all: Vec<Value> = Vec::new();
    let mut before: Option<(String, Option<Vec<Value>>)> = None;
    for name in names {
        let here = definitions(&disk, package, &known, &name)?;
        all.extend(here.iter().flatten().cloned());
        if let Some((old, there)) = before.take() {
            steps.push(step(package, (old, there.as_deref()), (&name, here.as_deref()), objects, lens));
        }
        before = Some((name, here));
    }
    let mut seen = BTreeSet::new();
    all.retain(|definition| seen.insert(crd::definition_name(definition).to_owned()));
    report::note_unmatched_objects(&all, objects);
    let unknown: BTreeSet<&str> = steps.iter().flat_map(|step| &step.unknown).map(String::as_str).collect();
    let refused = steps.iter().flat_map(|step| &step.changes).any(|change| !change.objections.is_empty());
    match args.format {
        TextOrData::Data(form) => output::data(form, &to_json(args, &steps, package, refused || !unknown.is_empty()))?,
        TextOrData::Text => output::text(&to_text(&steps))?,
    }
    if let Some(aside) = aside {
        output::note(&aside);
    }
    if !unknown.is_empty() {
        let names = unknown.into_iter().collect::<Vec<_>>().join(", ");
        let hint = "pass the folder or the archive of the bundle with --bundles; catalogs with olm.csv.metadata embed no objects";
        output::print_diagnostic("incomplete", &format!("the objects of {names} are unknown"), None, hint);
    }
    Ok(match (refused, steps.iter().any(|step| !step.unknown.is_empty())) {
        (true, _) => error::FAILED,
        (false, true) => error::COULD_NOT_RUN,
        (false, false) => 0,
    })
}

/// The bundle that a version or a name means.
fn named<'p>(package: &'p Package, text: &str) -> Option<&'p BundleBlob> {
    let by_name = package.bundle(text);
    let by_version = || package.bundles.iter().find(|bundle| bundle.version() == text);
    by_name.or_else(by_version).map(|bundle| &**bundle)
}

/// The names along the path, and what to say where it is not the path.
fn path_names(
    args: &CrdsArgs,
    package: &Package,
    from: &str,
    lens: Lens,
) -> Result<(Vec<String>, Option<String>), CliError> {
    if lens == Lens::V0 && args.channel.len() > 1 {
        return Err(
            CliError::new("only OLM v1 takes more than one --channel").hint("use `--lens v1`, or name one channel")
        );
    }
    let installed = match named(package, from) {
        Some(bundle) => Installed::new(bundle.name.value.clone(), bundle.version()),
        None => {
            let read = installed_name::read(from, &[package], std::iter::empty());
            read.map_err(|unknown| CliError::new(unknown.reason).hint(unknown.help))?.installed
        }
    };
    let to = match &args.to {
        None => None,
        Some(text) => Some(named(package, text).map(|bundle| bundle.name.value.to_string()).ok_or_else(|| {
            let names = package.bundles.iter().map(|bundle| bundle.name.as_str());
            CliError::new(format!("package `{}` has no version `{text}`", package.name)).hint(did_you_mean(
                text,
                names,
                "`switchyard list bundles DIR` lists them",
            ))
        })?),
    };
    let options = Options { channels: args.channel.clone(), ..Options::default() };
    let path: Path = UpgradeIndex::new(package).path(lens, Some(&installed), &options);
    let mut names: Vec<String> = path.steps.iter().map(ToString::to_string).collect();
    if path.looped {
        names.pop();
    }
    let Some(to) = to else {
        return match names.len() {
            0 | 1 => Err(CliError::new(format!("nothing follows `{}`", installed.name))
                .hint(path.why.first().cloned().unwrap_or_default())),
            _ => Ok((names, None)),
        };
    };
    match names.iter().position(|name| *name == to) {
        Some(0) => Err(CliError::new(format!("`{to}` is already installed")).hint("name a later version with --to")),
        Some(at) => {
            names.truncate(at + 1);
            Ok((names, None))
        }
        None => {
            let aside = format!(
                "the upgrade path from {} does not reach {to}: {}; comparing the two directly",
                installed.name,
                names.join(" -> ")
            );
            Ok((vec![installed.name.to_string(), to], Some(aside)))
        }
    }
}

/// The definitions of a bundle: those that are embedded in the catalog's blob, else those of a bundle that is named.
fn definitions(disk: &Disk, package: &Package, known: &Known, name: &str) -> Result<Option<Vec<Value>>, CliError> {
    let located = package.bundle(name);
    if let Some(located) = located.filter(|bundle| bundle.has_objects) {
        let text = disk.workspace.blob_text(disk.root()?, located.file, located.index)?;
        let file = File { path: name.to_owned(), bytes: text.bytes };
        let blobs = bundle::read_catalog(&[file]).map_err(|refusal| CliError::new(refusal.message))?;
        if let Some(found) = blobs.first().and_then(bundle::definitions) {
            return Ok(Some(found));
        }
    }
    let image = located.map_or("", |bundle| bundle.image.as_str());
    known.definitions(name, image).map_err(|words| CliError::new(format!("{name}: {words}")))
}

fn step(
    package: &Package,
    (from, old): (String, Option<&[Value]>),
    (to, new): (&str, Option<&[Value]>),
    objects: Option<&[Value]>,
    lens: Lens,
) -> DefinitionStep {
    let apis = |name: &str| -> Option<BTreeSet<String>> {
        let provided = package.bundle(name)?.properties.iter().filter(|property| &*property.kind == "olm.gvk");
        let shown = provided.filter_map(|property| {
            let value: Value = serde_json::from_str(property.value.as_deref()?).ok()?;
            let text = |field: &str| value[field].as_str().unwrap_or_default().to_owned();
            Some(format!("{}/{} {}", text("group"), text("version"), text("kind")))
        });
        Some(shown.collect())
    };
    let lost = apis(&from).zip(apis(to)).map_or_else(Vec::new, |(was, is)| was.difference(&is).cloned().collect());
    let unknown = [(from.as_str(), old.is_none()), (to, new.is_none())];
    DefinitionStep {
        unknown: unknown.into_iter().filter(|(_, unknown)| *unknown).map(|(name, _)| name.to_owned()).collect(),
        changes: old.zip(new).map_or_else(Vec::new, |(old, new)| crd::changes(old, new, objects, lens)),
        lost,
        from,
        to: to.to_owned(),
    }
}

fn to_text(steps: &[DefinitionStep]) -> String {
    let mut text = String::new();
    for step in steps {
        text.push_str(&format!("{} -> {}\n", one_line(&step.from), one_line(&step.to)));
        for lost in &step.lost {
            text.push_str(&format!("  {} is no longer provided\n", one_line(lost)));
        }
        if !step.unknown.is_empty() {
            text.push_str("  not compared: objects unknown\n");
        } else if step.changes.is_empty() {
            text.push_str("  no CustomResourceDefinition\n");
        }
        step.changes.iter().for_each(|change| text.push_str(&report::to_text(change, "  ")));
    }
    text
}

fn to_json(args: &CrdsArgs, steps: &[DefinitionStep], package: &Package, failed: bool) -> Value {
    let of_step = |step: &DefinitionStep| {
        json!({
            "from": step.from,
            "to": step.to,
            "unknown": step.unknown,
            "lost_apis": step.lost,
            "crds": step.changes.iter().map(report::to_json).collect::<Vec<_>>(),
        })
    };
    // The definitions of all steps, for those who ask for no more than that.
    let crds: Vec<Value> = steps.iter().flat_map(|step| &step.changes).map(report::to_json).collect();
    json!({
        "format": output::FORMAT,
        "passed": !failed,
        "lens": if super::lens(args) == Lens::V0 { "v0" } else { "v1" },
        "package": &*package.name,
        "crds": crds,
        "steps": steps.iter().map(of_step).collect::<Vec<_>>(),
    })
}
