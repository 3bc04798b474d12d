//! Converts catalogs served by a registry to file-based catalogs in the repository: a basic
//! template for each, the mapping, and the rendered catalogs.

use super::document::Node;
use super::file_change::{FileChange, edit_text, to_yaml};
use super::layout;
use super::layout::{Files, ReadFailure};
use super::operator::{Bundle, Ci, OperatorCatalogs};
use super::release::TemplateChange;
use super::render::{RenderedCatalog, Source, render_catalog};
use super::rules::{CATALOG_WITHOUT_V, Finding, Problem};
use catalog::index::index_bytes;
use catalog::model::Body;
use catalog::version::Version;
use serde_json::{Value, json};
use syntax::hashed::HashMap;
use syntax::order::SortSmall;
use template::render::{Bundles, TemplateType};

/// An operator, and the catalogs that contain it.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The operator's folder name.
    pub operator: &'a str,
    pub catalogs: &'a [ServedCatalog],
}

#[derive(Debug, Clone)]
pub struct ServedCatalog {
    /// Its name in the repository, such as `v4.21`.
    pub name: String,
    /// The file's name in messages.
    pub file: String,
    pub text: Vec<u8>,
}

/// The changes that move an operator to file-based catalogs.
#[derive(Debug, Clone, PartialEq)]
pub struct Onboarding {
    pub package: String,
    /// One per catalog with the package, oldest first.
    pub templates: Vec<TemplateChange>,
    /// The new value of `ci.yaml`, and the change of the file.
    pub ci: (Value, FileChange),
    pub catalogs: Vec<RenderedCatalog>,
    /// Effects that the pipeline does not report.
    pub remarks: Vec<Finding>,
}

/// Plans moving an operator to file-based catalogs.
///
/// # Errors
///
/// If no bundle names its package, a catalog is unreadable, or `ci.yaml` cannot be changed.
pub fn plan(files: &dyn Files, request: &Request<'_>) -> Result<Onboarding, Problem> {
    let operator = request.operator;
    let mut remarks = Vec::new();
    let package = find_package(files, operator, &mut remarks)?;
    let mut served: Vec<&ServedCatalog> = request.catalogs.iter().collect();
    served.sort_small_by_key(|catalog| layout::catalog_rank(&catalog.name));
    let committed = OperatorCatalogs::find(files, operator);
    let mut onboarding = Onboarding {
        package,
        templates: Vec::new(),
        ci: change_ci(files, operator, &[], &mut Vec::new())?,
        catalogs: Vec::new(),
        remarks,
    };
    let mut names: Vec<&str> = Vec::new();
    for catalog in served {
        let blobs = read_package_blobs(catalog, &onboarding.package, operator)?;
        if blobs.is_empty() {
            let ServedCatalog { name, file, .. } = catalog;
            let message = format!(
                "{file} (catalog {name}) does not have package {}",
                onboarding.package
            );
            let remark =
                Finding::warning("package-not-in-catalog", layout::ci_path(operator), message);
            onboarding
                .remarks
                .push(remark.help("no template is made for it"));
            continue;
        }
        onboarding
            .remarks
            .extend(check_catalog_name(catalog, operator));
        let template = create_template(
            files,
            operator,
            &catalog.name,
            &blobs,
            &mut onboarding.remarks,
        )?;
        let source = Source {
            path: &template.file.path,
            text: &template.file.after,
            kind: TemplateType::Basic,
        };
        let bundles = CatalogBundles::from_blobs(&blobs);
        let outcome = render_catalog(&committed, &catalog.name, source, &bundles);
        let path = template.file.path.clone();
        onboarding.catalogs.push(RenderedCatalog {
            name: catalog.name.clone(),
            template: path,
            outcome,
        });
        onboarding.templates.push(template);
        names.push(&catalog.name);
    }
    if names.is_empty() {
        let message = format!(
            "none of the catalogs has the package {}",
            onboarding.package
        );
        let problem = Problem::new(operator, layout::operator_folder(operator), message);
        return Err(problem.help("name catalogs that the operator was released to"));
    }
    onboarding.ci = change_ci(files, operator, &names, &mut onboarding.remarks)?;
    Ok(onboarding)
}

/// Finds the package in the bundles' annotations. If they differ, the newest bundle's counts.
fn find_package(
    files: &dyn Files,
    operator: &str,
    remarks: &mut Vec<Finding>,
) -> Result<String, Problem> {
    let mut versions = layout::bundles(files, operator);
    versions.sort_small_by(|a, b| {
        let [a, b] = [a, b].map(|name| Version::parse_tolerant(name).ok());
        Version::compare_optional(&a, &b)
    });
    let mut packages: Vec<(String, String)> = Vec::new();
    for version in &versions {
        let bundle = Bundle::at(files, operator, version);
        let name = bundle
            .annotated_name()
            .map_err(|failure| failure.into_problem(operator))?;
        if !name.is_empty() {
            packages.push((name, bundle.folder));
        }
    }
    let Some((package, folder)) = packages.last().cloned() else {
        let message = "no bundle of the operator names its package in `metadata/annotations.yaml`";
        return Err(
            Problem::new(operator, layout::operator_folder(operator), message).help(
                "name it with the annotation `operators.operatorframework.io.bundle.package.v1`",
            ),
        );
    };
    if let Some((other, other_folder)) = packages.iter().find(|(name, _)| *name != package) {
        let message = format!(
            "the newest bundle belongs to package {package}, but {other_folder} to {other}"
        );
        let remark = Finding::warning("packages-differ", folder, message);
        remarks.push(remark.help(format!(
            "only blobs of {package} are taken from the catalogs"
        )));
    }
    Ok(package)
}

/// Returns the `olm.package` blob of a package and the blobs that belong to it, as written and in
/// order.
fn read_package_blobs(
    catalog: &ServedCatalog,
    package: &str,
    operator: &str,
) -> Result<Vec<Value>, Problem> {
    let index = index_bytes(&catalog.text);
    let mut blobs = Vec::new();
    for blob in &index.blobs {
        let text = catalog
            .text
            .get(blob.start as usize..blob.end as usize)
            .unwrap_or_default();
        // Parsing a catalog of hundreds of packages is slow: skip texts without the name.
        if memchr::memmem::find(text, package.as_bytes()).is_none() {
            continue;
        }
        let read = bundle::read_document(text, blob.format)
            .filter(|_| !matches!(blob.body, Body::Unreadable));
        let Some(value) = read else {
            let problem = Problem::new(operator, &*catalog.file, "one of its blobs cannot be read");
            return Err(
                problem.on_line(super::document::line_of(&catalog.text, blob.start as usize))
            );
        };
        if value["name"] == *package || value["package"] == *package {
            blobs.push(value);
        }
    }
    Ok(blobs)
}

/// Builds the basic template of the blobs: a bundle is reduced to its image.
fn create_template(
    files: &dyn Files,
    operator: &str,
    catalog: &str,
    blobs: &[Value],
    remarks: &mut Vec<Finding>,
) -> Result<TemplateChange, Problem> {
    let entries: Vec<Value> = blobs
        .iter()
        .map(|blob| {
            if blob["schema"] == "olm.bundle" {
                json!({"schema": blob["schema"], "image": blob["image"]})
            } else {
                blob.clone()
            }
        })
        .collect();
    let value = json!({"schema": TemplateType::Basic.schema(), "entries": entries});
    let path = layout::template_path(operator, &template_name(catalog));
    let before = match files.read(&path) {
        Ok(text) => Some(text),
        Err(ReadFailure::NotThere) => None,
        Err(ReadFailure::Refused(reason)) => return Err(Problem::new(operator, path, reason)),
    };
    if before.is_some() {
        let remark = Finding::warning(
            "template-overwritten",
            &*path,
            "the template already exists and will be overwritten",
        );
        remarks.push(remark.help("keep a copy if it has anything that the catalog lacks"));
    }
    let after = to_yaml(&value);
    Ok(TemplateChange {
        value,
        file: FileChange {
            path,
            before,
            after,
        },
    })
}

fn template_name(catalog: &str) -> String {
    format!("{catalog}.yaml")
}

/// Adds the mapping of these catalogs to `ci.yaml`, and removes the settings that only operators
/// without file-based catalogs use.
fn change_ci(
    files: &dyn Files,
    operator: &str,
    catalogs: &[&str],
    remarks: &mut Vec<Finding>,
) -> Result<(Value, FileChange), Problem> {
    let ci = Ci::read(files, operator)?;
    let path = layout::ci_path(operator);
    let before = ci
        .as_ref()
        .and_then(|ci| ci.document.root())
        .map_or(Value::Null, Node::value);
    let mut after = if before.is_null() {
        json!({})
    } else {
        before.clone()
    };
    let line = ci
        .as_ref()
        .and_then(|ci| ci.document.root())
        .map_or(1, Node::line);
    let Some(fields) = after.as_object_mut() else {
        let problem = Problem::new(operator, path, "the file is not a mapping").on_line(line);
        return Err(problem.help("correct the text of the file"));
    };
    let mappings: Vec<Value> = catalogs
        .iter()
        .map(|name| {
            json!({
                "template_name": template_name(name),
                "catalog_names": [name],
                "type": TemplateType::Basic.schema(),
            })
        })
        .collect();
    let fbc = json!({"enabled": true, "catalog_mapping": mappings});
    if let Some(old) = fields.insert("fbc".to_owned(), fbc) {
        let line = ci
            .as_ref()
            .and_then(|ci| ci.document.root()?.entry("fbc"))
            .map(|(key, _)| key.line());
        let remark = Finding::warning(
            "fbc-overwritten",
            &*path,
            format!("`fbc` is overwritten; it was {old}"),
        );
        remarks.push(
            remark
                .on_line(line)
                .help("copy what you want to keep into the new one"),
        );
    }
    fields.remove("updateGraph");
    let Some(ci) = ci else {
        let text = to_yaml(&after);
        return Ok((
            after,
            FileChange {
                path,
                before: None,
                after: text,
            },
        ));
    };
    let text = ci.document.into_text();
    let new = edit_text(operator, &path, &text, &before, &after)?;
    Ok((
        after,
        FileChange {
            path,
            before: Some(text),
            after: new,
        },
    ))
}

/// Reports a catalog name that is not the name of a catalog on clusters.
fn check_catalog_name(catalog: &ServedCatalog, operator: &str) -> Option<Finding> {
    let with_v = layout::name_with_v(&catalog.name)?;
    let message = format!(
        "catalog name `{0}` lacks its `v`: no cluster uses `catalogs/{0}`",
        catalog.name
    );
    Some(
        Finding::warning(CATALOG_WITHOUT_V, layout::ci_path(operator), message)
            .help(format!("write `{with_v}`")),
    )
}

struct CatalogBundles<'b>(HashMap<&'b str, &'b Value>);

impl<'b> CatalogBundles<'b> {
    fn from_blobs(blobs: &'b [Value]) -> Self {
        let mut images = HashMap::default();
        for blob in blobs.iter().filter(|blob| blob["schema"] == "olm.bundle") {
            if let Some(image) = blob["image"].as_str() {
                images.entry(image).or_insert(blob);
            }
        }
        Self(images)
    }
}

impl Bundles for CatalogBundles<'_> {
    fn bundle(&self, reference: &str) -> Result<Option<Value>, String> {
        self.0
            .get(reference)
            .map(|blob| bundle::as_loaded(blob))
            .transpose()
    }
}
