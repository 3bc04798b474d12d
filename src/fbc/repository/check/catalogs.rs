//! Checks of an operator's catalogs.

use super::Checked;
use crate::bundle;
use crate::did_you_mean::did_you_mean;
use crate::repository::bundle_folder::{Failure, read_document};
use crate::repository::document::line_of;
use crate::repository::files::{Files, ReadFailure, join};
use crate::repository::finding::Finding;
use crate::repository::layout;
use crate::repository::operator_catalogs::is_migrated;
use crate::repository::python;
use serde_json::Value;

pub(super) const IMAGES: &str = "check_bundle_images_in_fbc";
pub(super) const OBJECTS: &str = "check_olm_bundle_object_in_fbc";

/// File names that the pipeline reads as a catalog.
const NAMES: [&str; 3] = ["catalog.yaml", "catalog.yml", "catalog.json"];

/// An operator in a catalog.
pub(super) struct Catalog {
    name: String,
    /// The pipeline's name for it.
    display_name: String,
    path: String,
    text: Vec<u8>,
    blobs: Result<Vec<Value>, Failure>,
}

/// Whether the pipeline finds the operator in a catalog.
pub(super) fn is_in(files: &dyn Files, catalog: &str, operator: &str) -> bool {
    files
        .entries(&layout::catalog_folder(catalog, operator))
        .iter()
        .any(|entry| NAMES.contains(&entry.name.as_str()))
}

/// The named catalogs that contain the operator. Reports the others.
pub(super) fn find_catalogs(
    files: &dyn Files,
    operator: &str,
    names: &[String],
    found: &mut Vec<Finding>,
) -> Vec<Catalog> {
    let mut catalogs: Vec<Catalog> = Vec::new();
    for name in names {
        if catalogs.iter().any(|known| known.name == *name) {
            continue;
        }
        let folder = layout::catalog_folder(name, operator);
        let entries = files.entries(&folder);
        let file = NAMES
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
            found.push(Finding::error("catalog-not-found", folder, message).help(hint));
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
        let blobs = blobs.and_then(|blobs| match file.ends_with(".json") && blobs.len() > 1 {
            true => Err(Failure::new(
                &*path,
                None,
                "it holds several JSON objects, but the pipeline reads it as one YAML document",
            )),
            false => Ok(blobs),
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

    /// The first line that contains a text.
    fn line_of_text(&self, text: &str) -> Option<u32> {
        let at = memchr::memmem::find(&self.text, text.as_bytes())?;
        Some(line_of(&self.text, at))
    }
}

/// Checks bundle images against the registries that the repository allows.
pub(super) fn images(files: &dyn Files, catalogs: &[Catalog]) -> Checked {
    if catalogs.is_empty() {
        return Ok(Vec::new());
    }
    let config = read_document(files, layout::CONFIG)?;
    let allowed = config
        .as_ref()
        .and_then(|config| config.root()?.get("allowed_bundle_registries"));
    let Some(allowed) = allowed.filter(|allowed| python::is_true(*allowed)) else {
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
    let mut found = Vec::new();
    for catalog in catalogs {
        let images = catalog
            .bundles()?
            .filter_map(|bundle| bundle["image"].as_str());
        let is_allowed = |image: &str| {
            registries
                .iter()
                .any(|registry| image.starts_with(registry))
        };
        let invalid: Vec<&str> = images
            .filter(|image| !image.is_empty() && !is_allowed(image))
            .collect();
        if let Some(first) = invalid.first() {
            let message = format!(
                "Invalid bundle image(s) found in {}: {}. Only these registries are allowed for bundle images: {}.",
                catalog.display_name,
                invalid.join(", "),
                registries.join(", ")
            );
            found.push(
                Finding::error(IMAGES, &*catalog.path, message)
                    .on_line(catalog.line_of_text(first)),
            );
        }
    }
    Ok(found)
}

/// Embedded objects in catalogs that must not have any. The pipeline only checks the first bundle
/// of each.
pub(super) fn objects(catalogs: &[Catalog]) -> Checked {
    let mut found = Vec::new();
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
        if properties.iter().any(is_object) {
            let message = format!(
                "Bundle object found in {} catalog uses 'olm.bundle.object'. This is not allowed for catalogs with version \
                 `>= 4.17`. Render catalog again with latest [Makefile](https://redhat-openshift-ecosystem.github.io/\
                 operator-pipelines/users/fbc_workflow/#generate-catalogs-using-templates) using `make catalogs`. Bundle \
                 object is not supported in FBC.",
                catalog.display_name
            );
            let finding = Finding::error(OBJECTS, &*catalog.path, message);
            found.push(
                finding
                    .on_line(catalog.line_of_text("olm.bundle.object"))
                    .help("render the catalog again"),
            );
        }
    }
    Ok(found)
}

fn is_object(property: &Value) -> bool {
    property["type"] == "olm.bundle.object"
}

/// Bundles with embedded objects after a first one without, which the pipeline misses.
pub(super) fn remarks(catalogs: &[Catalog]) -> Vec<Finding> {
    let mut found = Vec::new();
    for catalog in catalogs.iter().filter(|catalog| is_migrated(&catalog.name)) {
        let Ok(bundles) = catalog.bundles() else {
            continue;
        };
        let has_objects = |bundle: &&Value| {
            bundle["properties"]
                .as_array()
                .is_some_and(|all| all.iter().any(is_object))
        };
        let later: Vec<&str> = bundles
            .skip(1)
            .filter(has_objects)
            .map(|bundle| bundle["name"].as_str().unwrap_or_default())
            .collect();
        if !later.is_empty() {
            let message = format!(
                "bundles embed objects ({}), but the pipeline misses them: it checks only the catalog's first bundle",
                protocol::counting::first_of(later.iter(), 3)
            );
            let finding = Finding::warning("bundle-objects-later", &*catalog.path, message);
            found.push(
                finding
                    .on_line(catalog.line_of_text("olm.bundle.object"))
                    .help("render the catalog again"),
            );
        }
    }
    found
}
