//! Implements `opm render`: creates blobs as JSON values from bundle directories and catalogs,
//! migrates, sorts and prints them.
//!
//! Knows values only: it does not edit catalog text, and the caller provides the files.
//!
//! [`render`] creates the blob of a bundle directory, [`read_catalog`] reads the blobs of catalog
//! files; [`migrate`], [`arrange`], [`to_json`] and [`to_yaml`] are the steps from blobs to output.

pub mod dockerfile;
pub mod manifests;

mod advice;
mod blobs;
mod catalog;
mod directory;
mod image_template;
mod media_type;
mod metadata;
mod objects;
mod typed;
mod types;
mod value;
mod yaml;

use self::catalog::BundleContent;
pub use self::catalog::{as_loaded, read_document, read_documents};
pub use advice::advice;
pub use blobs::{NewPackage, arrange, cluster_service_version, csv_metadata, package};
pub use directory::{bundle_directories, files_of, render};
pub use metadata::{BundleSummary, summary};
use serde_json::Value;
use syntax::go_text::{quote, string_or_empty};
pub use typed::go_kind;

/// A file of a bundle directory or catalog: its relative path with `/`, and its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub path: String,
    pub bytes: Vec<u8>,
}

/// The image of a bundle rendered from a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Image<'a> {
    /// No image, like `opm render DIR`: `image: ""`.
    Unknown,
    Reference(&'a str),
    /// A template with `{{.Package}}`, `{{.Name}}` and `{{.Version}}`, as in
    /// `--image-ref-template`, and the name of the rendered item for refusals.
    Template {
        template: &'a str,
        item: &'a str,
    },
}

impl<'a> Image<'a> {
    /// Interprets a text: a reference, a template, or no image if it is empty. `item` names the
    /// rendered item in refusals.
    pub fn from_text(text: &'a str, item: &'a str) -> Self {
        match text {
            "" => Image::Unknown,
            template if template.contains("{{") => Image::Template { template, item },
            reference => Image::Reference(reference),
        }
    }
}

/// The migration level of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Migration {
    #[default]
    None,
    /// `bundle-object-to-csv-metadata`, and `all`.
    BundleObjectToCsvMetadata,
}

impl Migration {
    /// Parses a value of `--migrate-level`.
    pub fn from_level(level: &str) -> Result<Self, Refusal> {
        match level {
            "" | "none" => Ok(Migration::None),
            "bundle-object-to-csv-metadata" | "all" => Ok(Migration::BundleObjectToCsvMetadata),
            _ => Err(Refusal::new(
                format!("unknown migration level {}", quote(level)),
                "levels are none, bundle-object-to-csv-metadata and all",
            )),
        }
    }
}

/// Why there is no output: `opm`'s message, and the position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// `opm`'s message without the `render reference` prefix.
    pub message: String,
    /// Path of the invalid file, if any.
    pub file: Option<String>,
    /// Line in that file, from 1.
    pub line: Option<u32>,
    /// The remedy; "" if the message is sufficient.
    pub help: String,
}

impl Refusal {
    /// Creates a refusal that concerns no file.
    fn new(message: String, help: impl Into<String>) -> Self {
        Self {
            message,
            file: None,
            line: None,
            help: help.into(),
        }
    }
}

/// Advice about a bundle that is rendered anyway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    pub message: String,
    /// Path of the file, if it concerns one.
    pub file: Option<String>,
    /// Line in that file, from 1.
    pub line: Option<u32>,
    /// The remedy.
    pub help: String,
}

/// Reads the blobs of catalog files in walk order, as `opm render` has them before sorting: the
/// four known schemas without unknown fields, other schemas in canonical form, bundles with sorted
/// related images and embedded objects last. Skips files excluded by an `.indexignore` among them.
pub fn read_catalog(files: &[File]) -> Result<Vec<Value>, Refusal> {
    catalog::read_catalog(files, BundleContent::Sorted)
}

/// Like [`read_catalog`], without sorting the content of bundles, as for templates.
pub fn read_blobs(files: &[File]) -> Result<Vec<Value>, Refusal> {
    catalog::read_catalog(files, BundleContent::AsWritten)
}

/// Returns the CustomResourceDefinitions among a bundle's embedded objects; `None` if it embeds no
/// objects, so that the definitions are unknown.
pub fn definitions(bundle: &Value) -> Option<Vec<Value>> {
    let mut objects = blobs::embedded_objects(bundle).peekable();
    objects.peek()?;
    Some(
        objects
            .filter(|object| object["kind"] == objects::CRD_KIND)
            .collect(),
    )
}

/// Returns the CustomResourceDefinitions of a bundle directory.
pub fn definitions_of_directory(files: &[File]) -> Result<Vec<Value>, Refusal> {
    let manifests = objects::manifests(files)?;
    let values = manifests.objects.into_iter().map(|object| object.value);
    Ok(values
        .filter(|value| value["kind"] == objects::CRD_KIND)
        .collect())
}

/// Returns the image that a template gives to an `olm.bundle` blob.
///
/// # Errors
///
/// If the template refers to an unknown field.
pub fn image_of_template(template: &str, bundle: &Value) -> Result<String, Refusal> {
    let version = blobs::property_value(bundle, "olm.package")
        .map(|value| string_or_empty(&value["version"]))
        .unwrap_or_default();
    image_template::fill(
        template,
        &string_or_empty(&bundle["package"]),
        &string_or_empty(&bundle["name"]),
        &version,
    )
    .map_err(|message| Refusal::new(message, image_template::HELP))
}

/// Migrates blobs. Changes only bundles with an image.
pub fn migrate(blobs: &mut [Value], migration: Migration) -> Result<(), Refusal> {
    match migration {
        Migration::None => Ok(()),
        Migration::BundleObjectToCsvMetadata => blobs::migrate(blobs),
    }
}

/// Formats blobs like `-o json`.
pub fn to_json(blobs: &[Value]) -> String {
    blobs
        .iter()
        .map(|blob| value::to_indented_json(blob) + "\n")
        .collect()
}

/// Formats blobs like `-o yaml`.
pub fn to_yaml(blobs: &[Value]) -> String {
    let mut text = String::new();
    for blob in blobs {
        text.push_str("---\n");
        yaml::write(&mut text, blob);
    }
    text
}

/// Returns the files directly in a folder with their names, sorted by name.
fn files_in<'f>(files: &'f [File], folder: &str) -> Vec<(&'f str, &'f File)> {
    let mut in_folder: Vec<(&str, &File)> = files
        .iter()
        .filter_map(|file| {
            let name = file.path.strip_prefix(folder)?.strip_prefix('/')?;
            (!name.contains('/')).then_some((name, file))
        })
        .collect();
    in_folder.sort_by_key(|(name, _)| *name);
    in_folder
}
