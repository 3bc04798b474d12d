//! The CRDs of a package's bundles along the upgrade path of an installed version.

use super::bundle_definitions::{BundleDefinitions, DefinitionStep};
use super::report;
use crate::args::CrdsArgs;
use crate::error::{CliError, CliResult};
use crate::output::formats::TextOrData;
use crate::output::{self, one_line};
use fbc::did_you_mean::did_you_mean;
use fbc::model::{BundleBlob, Package};
use fbc::upgrade::{Installed, Lens, Options, Path, UpgradeIndex, installed_name};
use serde_json::{Value, json};

pub(super) fn run(
    args: &CrdsArgs,
    from: &str,
    package: &Package,
    definitions: &BundleDefinitions<'_>,
    lens: Lens,
) -> CliResult {
    let (names, aside) = path_names(args, package, from, lens)?;
    let pairs = names
        .windows(2)
        .filter_map(|pair| pair.first().zip(pair.last()));
    let steps = pairs
        .map(|(from, to)| definitions.step(from, to))
        .collect::<Result<Vec<_>, _>>()?;
    let status = report::status(&steps);
    match args.format {
        TextOrData::Data(form) => output::data(form, &to_json(args, &steps, package, status == 0))?,
        TextOrData::Text => output::text(&steps.iter().map(to_text).collect::<String>())?,
    }
    if let Some(aside) = aside {
        output::note(&aside);
    }
    report::print_unknown(&steps);
    Ok(status)
}

/// Finds a bundle by name, else by version.
fn find_bundle<'p>(package: &'p Package, text: &str) -> Option<&'p BundleBlob> {
    let by_name = package.bundle(text);
    let by_version = || {
        package
            .bundles
            .iter()
            .find(|bundle| bundle.version() == text)
    };
    by_name.or_else(by_version).map(|bundle| &**bundle)
}

/// The names along the path, and a note if the path ends early.
fn path_names(
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
            let read = installed_name::read(from, &[package], std::iter::empty());
            read.map_err(|unknown| CliError::new(unknown.reason).hint(unknown.help))?
                .installed
        }
    };
    let to = match &args.to {
        None => None,
        Some(text) => Some(
            find_bundle(package, text)
                .map(|bundle| bundle.name.value.to_string())
                .ok_or_else(|| {
                    let names = package.bundles.iter().map(|bundle| bundle.name.as_str());
                    CliError::new(format!(
                        "package `{}` has no version `{text}`",
                        package.name
                    ))
                    .hint(did_you_mean(
                        text,
                        names,
                        "`switchyard list bundles DIR` lists them",
                    ))
                })?,
        ),
    };
    let options = Options {
        channels: args.channel.clone(),
        ..Options::default()
    };
    let path: Path = UpgradeIndex::new(package).path(lens, Some(&installed), &options);
    let mut names: Vec<String> = path.steps.iter().map(ToString::to_string).collect();
    if path.looped {
        names.pop();
    }
    let Some(to) = to else {
        return match names.len() {
            0 | 1 => Err(
                CliError::new(format!("nothing follows `{}`", installed.name))
                    .hint(path.why.first().cloned().unwrap_or_default()),
            ),
            _ => Ok((names, None)),
        };
    };
    match names.iter().position(|name| *name == to) {
        Some(0) => Err(CliError::new(format!("`{to}` is already installed"))
            .hint("name a later version with --to")),
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

fn to_text(step: &DefinitionStep) -> String {
    format!(
        "{} -> {}\n{}",
        one_line(&step.from),
        one_line(&step.to),
        report::step_to_text(step, "  ")
    )
}

fn to_json(args: &CrdsArgs, steps: &[DefinitionStep], package: &Package, passed: bool) -> Value {
    // The CRDs of all steps, for callers that need nothing else.
    let crds: Vec<Value> = steps
        .iter()
        .flat_map(|step| step.changes.iter())
        .map(report::to_json)
        .collect();
    json!({
        "format": output::FORMAT,
        "passed": passed,
        "lens": report::lens_name(args),
        "package": &*package.name,
        "crds": crds,
        "steps": steps.iter().map(report::step_to_json).collect::<Vec<_>>(),
    })
}
