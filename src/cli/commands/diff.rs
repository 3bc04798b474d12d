//! `switchyard diff`: the effect on users of moving from one catalog to another.

mod markdown;
mod report;

use crate::args::DiffArgs;
use crate::error::{CliError, CliResult, FAILED, io_reason};
use crate::input::disk::{Disk, package};
use crate::input::manifest_files::manifest_error;
use crate::input::templates;
use crate::input::upgrade_question::CatalogArg;
use crate::output;
use crate::output::formats::DiffFormat;
use crate::output::problems::Incomplete;
use ::catalog::Catalog;
use ::catalog::model::Package;
use ::catalog::roots::catalog_version;
use ::catalog::version::openshift::OpenShift;
use bundle::manifests::parse_files;
use report::{PackageDiff, Report};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use upgrade::installed_name;
use verdict::compare::invariants::{self, CatalogContext, Finding, Severity};
use verdict::compare::{self, InUse, Unpublished};

pub(super) fn run(args: &DiffArgs) -> CliResult {
    let open = |path| templates::open(path, &args.known, args.partial.partial);
    let (old, new) = (open(&args.old)?, open(&args.new)?);
    let mut incomplete = Incomplete::default();
    for disk in [&old, &new] {
        incomplete.add(&disk.name(), disk.root()?.catalog());
    }
    let (old, new) = (old.root()?, new.root()?);
    let others = args
        .catalog
        .iter()
        .map(|text| {
            let catalog = CatalogArg::parse(text)?;
            Ok((catalog.name, Disk::open(&catalog.dir)?))
        })
        .collect::<Result<Vec<_>, CliError>>()?;
    let mut neighbors: Vec<(String, &Catalog)> = Vec::new();
    for (name, disk) in &others {
        neighbors.push((name.clone(), disk.root()?.catalog()));
        incomplete.add(&disk.name(), disk.root()?.catalog());
    }
    // A parent folder may name the OpenShift version: `v4.18/etcd`.
    let folder = args
        .new
        .canonicalize()
        .ok()
        .map(|dir| dir.to_string_lossy().replace('\\', "/"));
    let resolver_cache = RefCell::default();
    let context = CatalogContext {
        old: Some(old.catalog()),
        new: Some(new.catalog()),
        ocp: args
            .cluster
            .cluster
            .map(OpenShift::parts)
            .or_else(|| folder.as_deref().and_then(catalog_version)),
        neighbors: &neighbors,
        resolver_cache: Some(&resolver_cache),
    };
    let names = args.packages.names();
    for name in &names {
        // A removed package is compared, too.
        package(new.catalog(), name)
            .or_else(|error| package(old.catalog(), name).map_err(|_| error))?;
    }
    let is_selected = |name: &str| names.is_empty() || names.contains(&name);
    let compare::ComparedCatalogs {
        differing: pairs,
        same,
    } = compare::compare_catalogs(old.catalog(), new.catalog());
    let mut in_use = match &args.installed {
        None => None,
        Some(path) => Some(read_installed(path, old.catalog(), new.catalog())?),
    };
    let resolver_cache = RefCell::default();
    let packages: Vec<PackageDiff> = pairs
        .into_iter()
        .filter(|(_, comparison)| is_selected(&comparison.package))
        .map(|(pair, mut comparison)| {
            let mut findings = invariants::find_broken(&pair, &context, &Unpublished::default());
            let cluster = args.cluster.cluster.filter(|_| comparison.hidden.is_none());
            let mut on_cluster = cluster.map(|version| pair.users_on_cluster(version));
            if let Some(in_use) = &mut in_use {
                let in_use = in_use.remove(&*pair.name).unwrap_or_default();
                if let Some(on_cluster) = &mut on_cluster {
                    let mut users = comparison.users.iter();
                    on_cluster.retain(|_| users.next().is_some_and(|user| in_use.has(user)));
                }
                comparison.keep_in_use(&in_use, &mut findings);
            }
            if pair.needs_solver() {
                comparison.note_unmet_requirements(new.catalog(), &resolver_cache);
            }
            PackageDiff {
                comparison,
                findings,
                on_cluster,
            }
        })
        .collect();
    let same = if names.is_empty() {
        same
    } else {
        names.len() - packages.len()
    };
    // With named packages, report a failing verdict only if they contribute to it.
    let concerns_selected = names.is_empty()
        || new.verdict().diagnostics.iter().any(|problem| {
            problem.opm
                && problem.severity == Severity::Error
                && problem.package.as_deref().is_none_or(is_selected)
        });
    let verdict = invariants::verdict(old.verdict().passed, new.verdict().opm_message.as_deref());
    let report = Report {
        packages,
        same,
        verdict: verdict.filter(|_| concerns_selected),
        cluster: args.cluster.cluster,
    };
    match args.format {
        DiffFormat::Data(form) => {
            let mut answer = report.to_json();
            incomplete.mark(&mut answer);
            output::print_data(form, &answer)?;
        }
        DiffFormat::Text => output::print_text(&report.to_text())?,
        DiffFormat::Markdown => output::print_text(&markdown::render(&report))?,
    }
    // Findings about unreadable text are not reported, but `--deny` does not accept the unknown
    // either.
    let findings = report.packages.iter().flat_map(|package| &package.findings);
    let is_denied = findings
        .chain(&report.verdict)
        .any(|finding| is_denied(finding, &args.deny));
    let status = if is_denied { FAILED } else { 0 };
    Ok(incomplete.report(args.partial.partial, status))
}

/// Whether `--deny` names the invariant of a finding.
fn is_denied(finding: &Finding, denied: &[String]) -> bool {
    denied.iter().any(|name| match name.as_str() {
        "all" => true,
        "errors" => finding.invariant.severity == Severity::Error,
        name => name == finding.invariant.name,
    })
}

/// An installed version in the file of `--installed`.
struct InstalledVersion {
    /// The line in the file, from 1.
    line: u32,
    /// The package, if the file states it.
    package: Option<String>,
    /// `NAME` or `NAME@VERSION`.
    installed: String,
}

/// Reads the installed versions by package. The file is a dump of a cluster, or a list with one
/// name and version per line.
fn read_installed(
    path: &Path,
    old: &Catalog,
    new: &Catalog,
) -> Result<BTreeMap<String, InUse>, CliError> {
    let file = path.display().to_string();
    let text =
        std::fs::read(path).map_err(|e| cli_error!("cannot read {file}: {}", io_reason(&e)))?;
    let versions = parse_installed(&text, &file)?;
    if versions.is_empty() {
        return Err(cli_error!("{file} names no installed version").hint(
            "write one a line, such as `etcd.v1.2.3` or `etcd.v1.2.3 1.2.3`, or give the output of \
             `oc get subscriptions,clusterextensions -A -o yaml`",
        ));
    }
    let mut in_use: BTreeMap<String, InUse> = BTreeMap::new();
    for version in versions {
        let location = format!("{file}:{}", version.line);
        let Some(name) = find_package(&version, old, new) else {
            let reason = match &version.package {
                Some(package) => format!("the catalogs have no package `{package}`"),
                None => "no package of the catalogs has bundles of such a name".to_owned(),
            };
            let message = format!("`{}` is left out: {reason}", version.installed);
            output::print_diagnostic("warning", &message, Some(&location), "");
            continue;
        };
        let states: Vec<&Package> = [old, new]
            .iter()
            .filter_map(|catalog| catalog.package(&name))
            .map(|package| &**package)
            .collect();
        let parsed = installed_name::parse(&version.installed, &states, []).map_err(|unknown| {
            CliError::new(unknown.reason)
                .at(location)
                .hint(unknown.help)
        })?;
        in_use.entry(name).or_default().0.push(parsed.installed);
    }
    Ok(in_use)
}

/// Parses a dump of a cluster, or a list.
fn parse_installed(text: &[u8], file: &str) -> Result<Vec<InstalledVersion>, CliError> {
    let Some(parsed) = parse_files([text]).pop() else {
        return Ok(Vec::new());
    };
    let questions = match parsed.questions {
        Some(Ok(questions)) => questions,
        Some(Err(at)) => return Err(manifest_error(file, at)),
        None if parsed.csvs.is_empty() => return Ok(parse_list(&String::from_utf8_lossy(text))),
        None => Vec::new(),
    };
    let mut versions: Vec<InstalledVersion> = questions
        .into_iter()
        .filter_map(|question| {
            let installed = question.installed?;
            Some(InstalledVersion {
                line: installed.line,
                installed: installed.value,
                package: Some(question.package.value),
            })
        })
        .collect();
    for csv in parsed.csvs {
        let is_listed = versions
            .iter()
            .any(|version| version.installed.split('@').next() == Some(&csv.name));
        if !is_listed {
            versions.push(InstalledVersion {
                line: csv.line,
                installed: csv.installed_name(),
                package: csv.package(),
            });
        }
    }
    Ok(versions)
}

/// Parses a list. Each line is a name, followed by its version after a blank, a comma or `@`; `#`
/// starts a comment.
fn parse_list(text: &str) -> Vec<InstalledVersion> {
    (1..)
        .zip(text.lines())
        .filter_map(|(number, line)| parse_list_line(number, line))
        .collect()
}

fn parse_list_line(number: u32, line: &str) -> Option<InstalledVersion> {
    let content = line.split('#').next().unwrap_or_default();
    let mut fields = content
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|field| !field.is_empty());
    let name = fields.next()?;
    Some(InstalledVersion {
        line: number,
        package: None,
        installed: match fields.next() {
            Some(version) => format!("{name}@{version}"),
            None => name.to_owned(),
        },
    })
}

/// Finds the package of an installed version: the stated one, else the one that refers to the
/// bundle, or whose bundles have similar names.
fn find_package(version: &InstalledVersion, old: &Catalog, new: &Catalog) -> Option<String> {
    let packages = || old.packages().chain(new.packages());
    if let Some(package) = &version.package {
        return packages()
            .any(|other| *other.name == **package)
            .then(|| package.clone());
    }
    let name = version
        .installed
        .rsplit_once('@')
        .map_or(&*version.installed, |(name, _)| name);
    let package = packages()
        .find(|package| package.mentions(name))
        .or_else(|| packages().find(|package| package.is_named_like(name)));
    package.map(|package| package.name.to_string())
}
