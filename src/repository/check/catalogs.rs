//! Checks of an operator's catalogs, and problems that stop a pull request after its static checks:
//! catalogs that fail as a whole, and images that are not released yet.

use super::{CheckResult, Request};
use crate::document::{self, line_of};
use crate::file_change::FileChange;
use crate::layout::{self, Files, ReadFailure, join};
use crate::operator::{Bundle, Failure, is_migrated, read_document};
use crate::release;
use crate::render::{State, operator_status};
use crate::rules::{Finding, Problem};
use crate::whole_catalog::{WholeCatalog, failing_operators};
use serde_json::Value;
use std::collections::BTreeMap;
use syntax::did_you_mean::did_you_mean;

pub(super) const IMAGES: &str = "check_bundle_images_in_fbc";
pub(super) const OBJECTS: &str = "check_olm_bundle_object_in_fbc";

/// File names that the pipeline reads as a catalog.
const CATALOG_FILE_NAMES: [&str; 3] = ["catalog.yaml", "catalog.yml", "catalog.json"];

pub(super) struct Catalog {
    name: String,
    /// The pipeline's name for it.
    display_name: String,
    path: String,
    text: Vec<u8>,
    blobs: Result<Vec<Value>, Failure>,
}

/// Whether the pipeline finds the operator in a catalog.
pub(super) fn has_operator(files: &dyn Files, catalog: &str, operator: &str) -> bool {
    files
        .entries(&layout::catalog_folder(catalog, operator))
        .iter()
        .any(|entry| CATALOG_FILE_NAMES.contains(&entry.name.as_str()))
}

/// Returns the named catalogs that contain the operator. Reports the others.
pub(super) fn find_catalogs(
    files: &dyn Files,
    operator: &str,
    names: &[String],
    findings: &mut Vec<Finding>,
) -> Vec<Catalog> {
    let mut catalogs: Vec<Catalog> = Vec::new();
    for name in names {
        if catalogs.iter().any(|other| other.name == *name) {
            continue;
        }
        let folder = layout::catalog_folder(name, operator);
        let entries = files.entries(&folder);
        let file = CATALOG_FILE_NAMES
            .into_iter()
            .find(|name| entries.iter().any(|entry| entry.name == **name));
        let Some(file) = file else {
            let all = layout::catalogs(files);
            let hint = did_you_mean(
                name,
                all.iter().map(String::as_str),
                "`ci.yaml` names the catalogs of the operator",
            );
            let message = format!(
                "catalog `{name}` does not have the operator: there is no {folder}/catalog.yaml"
            );
            findings.push(Finding::error("catalog-not-found", folder, message).help(hint));
            continue;
        };
        let path = join(&folder, file);
        let text = files.read(&path);
        let blobs = match &text {
            Ok(text) => {
                let read = bundle::read_documents(text);
                read.map_err(|refusal| Failure::new(&*path, refusal.line, refusal.message))
            }
            Err(ReadFailure::NotThere) => Err(Failure::new(&*path, None, "there is no such file")),
            Err(ReadFailure::Refused(reason)) => Err(Failure::new(&*path, None, &**reason)),
        };
        // Python's JSON reader accepts a single value.
        let blobs = blobs.and_then(|blobs| {
            if file.ends_with(".json") && blobs.len() > 1 {
                return Err(Failure::new(
                    &*path,
                    None,
                    "it holds several JSON objects, but the pipeline reads it as one YAML document",
                ));
            }
            Ok(blobs)
        });
        let display_name = format!("OperatorCatalog({name}/{operator})");
        catalogs.push(Catalog {
            name: name.clone(),
            display_name,
            path,
            text: text.unwrap_or_default(),
            blobs,
        });
    }
    catalogs
}

impl Catalog {
    fn bundles(&self) -> Result<impl Iterator<Item = &Value>, Failure> {
        let blobs = self.blobs.as_ref().map_err(Clone::clone)?;
        Ok(blobs.iter().filter(|blob| blob["schema"] == "olm.bundle"))
    }

    fn line_of_text(&self, text: &str) -> Option<u32> {
        let at = memchr::memmem::find(&self.text, text.as_bytes())?;
        Some(line_of(&self.text, at))
    }
}

/// Checks bundle images against the registries that the repository allows.
pub(super) fn check_images(files: &dyn Files, catalogs: &[Catalog]) -> CheckResult {
    if catalogs.is_empty() {
        return Ok(Vec::new());
    }
    let config = read_document(files, layout::CONFIG)?;
    let allowed = config
        .as_ref()
        .and_then(|config| config.root()?.get("allowed_bundle_registries"));
    let Some(allowed) = allowed.filter(|allowed| document::is_true(*allowed)) else {
        return Ok(Vec::new());
    };
    let registries: Option<Vec<String>> = allowed
        .items()
        .into_iter()
        .map(|registry| registry.text().map(|text| text.into_owned()))
        .collect();
    let registries = registries
        .filter(|registries| !registries.is_empty())
        .ok_or_else(|| {
            Failure::new(
                layout::CONFIG,
                allowed.line(),
                "`allowed_bundle_registries` is not a list of strings",
            )
        })?;
    let mut findings = Vec::new();
    for catalog in catalogs {
        let images = catalog
            .bundles()?
            .filter_map(|bundle| bundle["image"].as_str());
        let invalid: Vec<&str> = images
            .filter(|image| {
                !image.is_empty()
                    && !registries
                        .iter()
                        .any(|registry| image.starts_with(registry))
            })
            .collect();
        if let Some(first) = invalid.first() {
            let message = format!(
                "Invalid bundle image(s) found in {}: {}. Only these registries are allowed for bundle images: {}.",
                catalog.display_name,
                invalid.join(", "),
                registries.join(", ")
            );
            findings.push(
                Finding::error(IMAGES, &*catalog.path, message)
                    .on_line(catalog.line_of_text(first)),
            );
        }
    }
    Ok(findings)
}

/// Reports embedded objects in catalogs that must not have any. Like the pipeline, checks only the
/// first bundle of each.
pub(super) fn check_objects(catalogs: &[Catalog]) -> CheckResult {
    let mut findings = Vec::new();
    for catalog in catalogs.iter().filter(|catalog| is_migrated(&catalog.name)) {
        let Some(first) = catalog.bundles()?.next() else {
            continue;
        };
        let properties = first
            .get("properties")
            .map_or(Some(&[][..]), |value| value.as_array().map(Vec::as_slice));
        let properties = properties.ok_or_else(|| {
            Failure::new(
                &*catalog.path,
                None,
                "`properties` of a bundle is not a list",
            )
        })?;
        if properties.iter().any(is_bundle_object) {
            let message = format!(
                "Bundle object found in {} catalog uses 'olm.bundle.object'. This is not allowed for catalogs with version \
                 `>= 4.17`. Render catalog again with latest [Makefile](https://redhat-openshift-ecosystem.github.io/\
                 operator-pipelines/users/fbc_workflow/#generate-catalogs-using-templates) using `make catalogs`. Bundle \
                 object is not supported in FBC.",
                catalog.display_name
            );
            let finding = Finding::error(OBJECTS, &*catalog.path, message);
            findings.push(
                finding
                    .on_line(catalog.line_of_text("olm.bundle.object"))
                    .help("render the catalog again"),
            );
        }
    }
    Ok(findings)
}

fn is_bundle_object(property: &Value) -> bool {
    property["type"] == "olm.bundle.object"
}

/// Reports embedded objects that the pipeline misses: those after the first bundle.
pub(super) fn later_object_remarks(catalogs: &[Catalog]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for catalog in catalogs.iter().filter(|catalog| is_migrated(&catalog.name)) {
        let Ok(bundles) = catalog.bundles() else {
            continue;
        };
        let later: Vec<&str> = bundles
            .skip(1)
            .filter(|bundle| {
                bundle["properties"]
                    .as_array()
                    .is_some_and(|all| all.iter().any(is_bundle_object))
            })
            .map(|bundle| bundle["name"].as_str().unwrap_or_default())
            .collect();
        if !later.is_empty() {
            let message = format!(
                "bundles embed objects ({}), but the pipeline misses them: it checks only the catalog's first bundle",
                protocol::counting::first_of(later.iter(), 3)
            );
            let finding = Finding::warning("bundle-objects-later", &*catalog.path, message);
            findings.push(
                finding
                    .on_line(catalog.line_of_text("olm.bundle.object"))
                    .help("render the catalog again"),
            );
        }
    }
    findings
}

/// Reports what stops a pull request after the static checks. Reads completely: the given catalogs,
/// and those that releasing the bundle changes; without a bundle and catalogs, every catalog that
/// has the operator.
pub fn obstacles(files: &dyn Files, request: &Request<'_>) -> Vec<Finding> {
    let mut findings = find_unreleased_images(files, request.operator);
    let mut catalogs: Vec<(String, Option<FileChange>)> = Vec::new();
    let all_catalogs = if request.bundle.is_none() && request.catalogs.is_empty() {
        layout::catalogs(files)
    } else {
        Vec::new()
    };
    for name in request.catalogs.iter().chain(&all_catalogs) {
        if has_operator(files, name, request.operator)
            && catalogs.iter().all(|(other, _)| other != name)
        {
            catalogs.push((name.clone(), None));
        }
    }
    if let Some(version) = request.bundle {
        for (name, outcome) in released_catalogs(files, request.operator, version) {
            match outcome {
                Ok(change) => {
                    catalogs.retain(|(other, _)| *other != name);
                    catalogs.push((name, change));
                }
                Err(problem) => {
                    let message = format!("catalog {name} cannot be rendered: {}", problem.message);
                    let finding = Finding::warning("catalog-not-rendered", problem.file, message);
                    findings.push(finding.on_line(problem.line).help(problem.help));
                }
            }
        }
    }
    findings.extend(report_failing_operators(files, request.operator, &catalogs));
    findings
}

/// Renders the catalogs that releasing a bundle changes. `None` for a catalog that already contains
/// the bundle.
fn released_catalogs(
    files: &dyn Files,
    operator: &str,
    version: &str,
) -> Vec<(String, Result<Option<FileChange>, Problem>)> {
    let request = release::Request {
        operator,
        bundle: version,
        image: release::UNBUILT_IMAGE,
    };
    // The static checks report why a release is refused.
    let Ok(release) = release::plan(files, &request) else {
        return Vec::new();
    };
    let name = Bundle::at(files, operator, version).name().ok();
    let has_bundle = |change: &FileChange| {
        let (before, _) = change.catalogs();
        name.as_ref().is_some_and(|name| {
            before
                .packages()
                .any(|package| package.bundle(name).is_some())
        })
    };
    release::render_catalogs(files, &request, &release)
        .into_iter()
        .map(|rendered| {
            let change = rendered
                .outcome
                .map(|change| Some(change).filter(|change| !has_bundle(change)));
            (rendered.name, change)
        })
        .collect()
}

/// Reports the operators that make whole catalogs fail. Merges equal problems of several catalogs.
fn report_failing_operators(
    files: &dyn Files,
    operator: &str,
    catalogs: &[(String, Option<FileChange>)],
) -> Vec<Finding> {
    let mut groups: Vec<(Problem, Vec<&str>)> = Vec::new();
    for (name, change) in catalogs {
        let changes: Vec<&FileChange> = change.iter().collect();
        let verdict = WholeCatalog::read(files, name).verdict(&changes);
        for problem in failing_operators(name, &verdict, operator) {
            let same = groups.iter_mut().find(|(other, _)| {
                (&other.operator, &other.message) == (&problem.operator, &problem.message)
            });
            match same {
                Some((_, names)) => names.push(name),
                None => groups.push((problem, vec![name])),
            }
        }
    }
    groups
        .into_iter()
        .map(|(problem, names)| {
            let message = format!("{}: {}", names.join(", "), problem.message);
            Finding::error("catalog-fails", problem.file, message)
                .on_line(problem.line)
                .help(problem.help)
        })
        .collect()
}

/// Reports images in templates that none of the operator's catalogs contain: their bundles must be
/// released first.
fn find_unreleased_images(files: &dyn Files, operator: &str) -> Vec<Finding> {
    let mut unreleased: BTreeMap<String, (Vec<String>, Vec<String>)> = BTreeMap::new();
    for catalog in operator_status(files, operator, false).catalogs {
        let (State::UnknownBundles(images), Some(template)) = (catalog.state, catalog.template)
        else {
            continue;
        };
        let (template_images, names) = unreleased.entry(template).or_default();
        for image in images {
            if !template_images.contains(&image) {
                template_images.push(image);
            }
        }
        names.push(catalog.catalog);
    }
    let mut findings = Vec::new();
    for (template, (images, catalogs)) in unreleased {
        let text = files.read(&template).unwrap_or_default();
        for image in images {
            let at = memchr::memmem::find(&text, image.as_bytes());
            let message = format!(
                "no catalog of the operator has `{image}`: unless its bundle is released already, {} cannot be rendered from \
                 this template",
                catalogs.join(", ")
            );
            let finding = Finding::warning("image-not-released", &*template, message);
            findings.push(
                finding
                    .on_line(at.map(|at| line_of(&text, at)))
                    .help(unreleased_image_help(files, operator, &image)),
            );
        }
    }
    findings
}

fn unreleased_image_help(files: &dyn Files, operator: &str, image: &str) -> String {
    let tag = image.rsplit(':').next().unwrap_or_default();
    let version = tag.strip_prefix('v').unwrap_or(tag);
    let bundles = layout::bundles(files, operator);
    let bundle = if bundles.iter().any(|bundle| bundle == version) {
        format!("the bundle in {}", layout::bundle_folder(operator, version))
    } else {
        "the bundle".to_owned()
    };
    format!(
        "submit {bundle} first, in a pull request of its own; template and catalogs follow in a second one, once the image is \
         published"
    )
}
