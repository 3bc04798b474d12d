//! The package list.

use super::bundles;
use crate::host::ViewInput;
use fbc::model::Package;
use fbc::upgrade::status_conditions::{self, Scope};
use fbc::workspace::Root;
use protocol::diagnostic::{Diagnostic, Severity};
use protocol::views::PackageRow;
use std::collections::HashMap;

/// All packages of a catalog, by name. Blobs without a package only appear as problems.
pub(crate) fn rows(input: ViewInput<'_>, root: &Root) -> Vec<PackageRow> {
    let problems = problems(root);
    let packages = root
        .catalog()
        .packages()
        .filter(|package| !package.name.is_empty());
    let of = |package: &Package| problems.get(&*package.name).copied().unwrap_or_default();
    packages
        .map(|package| row_of(input, root, package, of(package)))
        .collect()
}

/// One row; `None` if nothing refers to the package any more.
pub(crate) fn row(input: ViewInput<'_>, root: &Root, package: &str) -> Option<PackageRow> {
    let package = root.catalog().package(package)?;
    let mut count = [0; 3];
    root.problems_of(&package.name)
        .for_each(|problem| add(&mut count, problem));
    Some(row_of(input, root, package, count))
}

/// Takes the numbers of errors, warnings and infos.
fn row_of(
    input: ViewInput<'_>,
    root: &Root,
    package: &Package,
    [errors, warnings, infos]: [u32; 3],
) -> PackageRow {
    let newest = bundles(package)
        .into_iter()
        .find(|bundle| !bundle.display_name.is_empty());
    PackageRow {
        name: package.name.to_string(),
        display_name: newest.map_or_else(String::new, |bundle| bundle.display_name.to_string()),
        channels: package.channels.len() as u32,
        bundles: package.bundles.len() as u32,
        errors,
        warnings,
        infos,
        edited: input
            .touched
            .iter()
            .any(|step| step.has(&root.name, &package.name)),
        deprecated: status_conditions::message(package, Scope::Package).is_some(),
    }
}

/// Number of errors, warnings and infos by package.
fn problems(root: &Root) -> HashMap<&str, [u32; 3]> {
    let mut counts: HashMap<&str, [u32; 3]> = HashMap::new();
    for problem in &root.verdict().diagnostics {
        let Some(package) = problem.package.as_deref() else {
            continue;
        };
        add(counts.entry(package).or_default(), problem);
    }
    counts
}

fn add([errors, warnings, infos]: &mut [u32; 3], problem: &Diagnostic) {
    match problem.severity {
        Severity::Error => *errors += 1,
        Severity::Warning => *warnings += 1,
        Severity::Info => *infos += 1,
    }
}
