//! Problems that stop a pull request after its static checks: catalogs that fail as a whole, and
//! images that are not released yet.

use super::Request;
use super::catalogs::is_in;
use crate::repository::bundle_folder::Bundle;
use crate::repository::document::line_of;
use crate::repository::edit::FileChange;
use crate::repository::files::Files;
use crate::repository::finding::{Finding, Problem};
use crate::repository::layout;
use crate::repository::release;
use crate::repository::status::{State, operator_status};
use crate::repository::whole_catalog::{WholeCatalog, failing_operators};
use std::collections::BTreeMap;

/// The image of a bundle that is not built yet.
pub(super) const NOT_BUILT: &str = "example.com/to-be-built";

/// Problems that stop the pull request. Reads every given catalog, and those that releasing the
/// bundle changes, completely; without a bundle and catalogs, every catalog that has the operator.
pub fn obstacles(files: &dyn Files, request: &Request<'_>) -> Vec<Finding> {
    let mut found = waiting_images(files, request.operator);
    let mut catalogs: Vec<(String, Option<FileChange>)> = Vec::new();
    let every = match request.bundle.is_none() && request.catalogs.is_empty() {
        true => layout::catalogs(files),
        false => Vec::new(),
    };
    for name in request.catalogs.iter().chain(&every) {
        if is_in(files, name, request.operator) && catalogs.iter().all(|(known, _)| known != name) {
            catalogs.push((name.clone(), None));
        }
    }
    if let Some(version) = request.bundle {
        for (name, outcome) in released_catalogs(files, request.operator, version) {
            match outcome {
                Ok(change) => {
                    catalogs.retain(|(known, _)| *known != name);
                    catalogs.push((name, change));
                }
                Err(problem) => {
                    let message = format!("catalog {name} cannot be rendered: {}", problem.message);
                    let finding = Finding::warning("catalog-not-rendered", problem.file, message);
                    found.push(finding.on_line(problem.line).help(problem.help));
                }
            }
        }
    }
    found.extend(failing(files, request.operator, &catalogs));
    found
}

/// The catalogs that releasing a bundle changes, including those that already contain it.
fn released_catalogs(
    files: &dyn Files,
    operator: &str,
    version: &str,
) -> Vec<(String, Result<Option<FileChange>, Problem>)> {
    let request = release::Request {
        operator,
        bundle: version,
        image: NOT_BUILT,
    };
    // The static checks report why a release is refused.
    let Ok(release) = release::plan(files, &request) else {
        return Vec::new();
    };
    let name = Bundle::at(files, operator, version).name().ok();
    let is_there = |change: &FileChange| {
        let (before, _) = change.catalogs();
        name.as_ref().is_some_and(|name| {
            before
                .packages()
                .any(|package| package.bundle(name).is_some())
        })
    };
    release::render_catalogs(files, &request, &release)
        .into_iter()
        .map(|of| {
            let change = of
                .outcome
                .map(|change| Some(change).filter(|change| !is_there(change)));
            (of.name, change)
        })
        .collect()
}

/// Operators that make whole catalogs fail; equal problems of several catalogs are merged.
fn failing(
    files: &dyn Files,
    operator: &str,
    catalogs: &[(String, Option<FileChange>)],
) -> Vec<Finding> {
    let mut groups: Vec<(Problem, Vec<&str>)> = Vec::new();
    for (name, change) in catalogs {
        let changes: Vec<&FileChange> = change.iter().collect();
        let verdict = WholeCatalog::read(files, name).verdict(&changes);
        for problem in failing_operators(name, &verdict, operator) {
            let is_same = |known: &Problem| {
                (&known.operator, &known.message) == (&problem.operator, &problem.message)
            };
            match groups.iter_mut().find(|(known, _)| is_same(known)) {
                Some((_, names)) => names.push(name),
                None => groups.push((problem, vec![name])),
            }
        }
    }
    let finding = |(problem, names): (Problem, Vec<&str>)| {
        let message = format!("{}: {}", names.join(", "), problem.message);
        Finding::error("catalog-fails", problem.file, message)
            .on_line(problem.line)
            .help(problem.help)
    };
    groups.into_iter().map(finding).collect()
}

/// Images in templates that none of the operator's catalogs contain: their bundles must be released
/// first.
fn waiting_images(files: &dyn Files, operator: &str) -> Vec<Finding> {
    let mut waiting: BTreeMap<String, (Vec<String>, Vec<String>)> = BTreeMap::new();
    for catalog in operator_status(files, operator).catalogs {
        let (State::UnknownBundles(images), Some(template)) = (catalog.state, catalog.template)
        else {
            continue;
        };
        let (known, names) = waiting.entry(template).or_default();
        for image in images {
            if !known.contains(&image) {
                known.push(image);
            }
        }
        names.push(catalog.catalog);
    }
    let mut found = Vec::new();
    for (template, (images, catalogs)) in waiting {
        let text = files.read(&template).unwrap_or_default();
        for image in images {
            let at = memchr::memmem::find(&text, image.as_bytes());
            let message = format!(
                "no catalog of the operator has `{image}`: unless its bundle is released already, {} cannot be rendered from \
                 this template",
                catalogs.join(", ")
            );
            let finding = Finding::warning("image-not-released", &*template, message);
            found.push(
                finding
                    .on_line(at.map(|at| line_of(&text, at)))
                    .help(waiting_help(files, operator, &image)),
            );
        }
    }
    found
}

fn waiting_help(files: &dyn Files, operator: &str, image: &str) -> String {
    let tag = image.rsplit(':').next().unwrap_or_default();
    let version = tag.strip_prefix('v').unwrap_or(tag);
    let bundles = layout::bundles(files, operator);
    let bundle = match bundles.iter().any(|bundle| bundle == version) {
        true => format!("the bundle in {}", layout::bundle_folder(operator, version)),
        false => "the bundle".to_owned(),
    };
    format!(
        "submit {bundle} first, in a pull request of its own; template and catalogs follow in a second one, once the image is \
         published"
    )
}
