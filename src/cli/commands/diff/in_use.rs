//! The file of `--installed`: the versions that are in use.

use crate::error::CliError;
use crate::input::walk;
use crate::output;
use fbc::catalog::Catalog;
use fbc::compare::InUse;
use fbc::manifests::parse_files;
use fbc::model::Package;
use fbc::upgrade::installed_name;
use std::collections::BTreeMap;
use std::path::Path;

/// One entry of the file.
struct Line {
    /// From 1.
    number: u32,
    /// The package, if the file states it.
    package: Option<String>,
    /// `NAME` or `NAME@VERSION`.
    installed: String,
}

/// Installed versions by package. The file is a dump of a cluster, or a list with one name and version per line.
pub(super) fn read(
    path: &Path,
    old: &Catalog,
    new: &Catalog,
) -> Result<BTreeMap<String, InUse>, CliError> {
    let file = path.display().to_string();
    let text = std::fs::read(path)
        .map_err(|e| CliError::new(format!("cannot read {file}: {}", walk::io_reason(&e))))?;
    let lines = lines(&text, &file)?;
    if lines.is_empty() {
        return Err(CliError::new(format!("{file} names no installed version")).hint(
            "write one a line, such as `etcd.v1.2.3` or `etcd.v1.2.3 1.2.3`, or give the output of \
             `oc get subscriptions,clusterextensions -A -o yaml`",
        ));
    }
    let mut in_use: BTreeMap<String, InUse> = BTreeMap::new();
    for line in lines {
        let place = format!("{file}:{}", line.number);
        let Some(name) = package_of(&line, old, new) else {
            let reason = match &line.package {
                Some(package) => format!("the catalogs have no package `{package}`"),
                None => "no package of the catalogs has bundles of such a name".to_owned(),
            };
            let message = format!("`{}` is left out: {reason}", line.installed);
            output::print_diagnostic("warning", &message, Some(&place), "");
            continue;
        };
        let own: Vec<&Package> = [old, new]
            .iter()
            .filter_map(|catalog| catalog.package(&name))
            .map(|package| &**package)
            .collect();
        let read = installed_name::read(&line.installed, &own, [])
            .map_err(|unknown| CliError::new(unknown.reason).at(place).hint(unknown.help))?;
        in_use.entry(name).or_default().0.push(read.installed);
    }
    Ok(in_use)
}

/// The versions in a dump of a cluster, or those of a list.
fn lines(text: &[u8], file: &str) -> Result<Vec<Line>, CliError> {
    let Some(parsed) = parse_files([text]).pop() else {
        return Ok(Vec::new());
    };
    let questions = match parsed.questions {
        Some(Ok(questions)) => questions,
        Some(Err(at)) => {
            return Err(CliError::new(at.error.reason)
                .at(format!("{file}:{}", at.line))
                .hint(at.error.help));
        }
        None if parsed.csvs.is_empty() => return Ok(names(&String::from_utf8_lossy(text))),
        None => Vec::new(),
    };
    let of_questions = questions.into_iter().filter_map(|question| {
        let installed = question.installed?;
        Some(Line {
            number: installed.line,
            installed: installed.value,
            package: Some(question.package.value),
        })
    });
    let mut lines: Vec<Line> = of_questions.collect();
    for csv in parsed.csvs {
        let is_known = lines
            .iter()
            .any(|line| line.installed.split('@').next() == Some(&csv.name));
        if !is_known {
            lines.push(Line {
                number: csv.line,
                installed: csv.installed_name(),
                package: csv.package(),
            });
        }
    }
    Ok(lines)
}

/// Each line is a name, followed by its version after a blank, a comma or `@`; `#` starts a comment.
fn names(text: &str) -> Vec<Line> {
    let line = |(number, line): (u32, &str)| {
        let content = line.split('#').next().unwrap_or_default();
        let mut fields = content
            .split(|c: char| c.is_whitespace() || c == ',')
            .filter(|word| !word.is_empty());
        let name = fields.next()?;
        Some(Line {
            number,
            package: None,
            installed: match fields.next() {
                Some(version) => format!("{name}@{version}"),
                None => name.to_owned(),
            },
        })
    };
    (1..).zip(text.lines()).filter_map(line).collect()
}

/// The package in the properties; else the one that refers to the bundle, or whose bundles have similar names.
fn package_of(line: &Line, old: &Catalog, new: &Catalog) -> Option<String> {
    let packages = || old.packages().chain(new.packages());
    if let Some(package) = &line.package {
        return packages()
            .any(|of| *of.name == **package)
            .then(|| package.clone());
    }
    let name = line
        .installed
        .rsplit_once('@')
        .map_or(&*line.installed, |(name, _)| name);
    let package = packages()
        .find(|package| package.mentions(name))
        .or_else(|| packages().find(|package| package.is_named_like(name)));
    package.map(|package| package.name.to_string())
}
