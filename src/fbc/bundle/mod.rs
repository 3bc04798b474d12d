//! What `opm render` prints: blobs as JSON values, made of bundle directories and of catalogs, migrated, put in order and
//! written as text.
//!
//! Knows values only: nothing here edits the text of a catalog, and where the files come from is the caller's matter.
//!
//! [`render`] makes the blob of a bundle directory, [`read_catalog`] the blobs of catalog files; [`migrate`],
//! [`arrange`], [`to_json`] and [`to_yaml`] are the steps between such blobs and the output.

mod advice;
mod catalog;
mod crd_types;
mod directory;
mod find_directories;
mod image_template;
mod media_type;
mod metadata;
mod migrate;
mod moment;
mod objects;
mod package;
mod summary;
mod typed;
mod types;
mod value;
mod write;
mod yaml;

pub use find_directories::{bundle_directories, files_of};
pub use package::{NewPackage, package};
pub use summary::{BundleSummary, summary};

use crate::syntax::tree::Format;
use serde_json::Value;

/// A file of a bundle directory or a catalog: its path below the folder, parted by `/`, and what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub path: String,
    pub bytes: Vec<u8>,
}

/// Which image a bundle that is rendered from a directory has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Image<'a> {
    /// None, as `opm render DIR` writes it: `image: ""`.
    Unknown,
    /// This reference.
    Reference(&'a str),
    /// A template with `{{.Package}}`, `{{.Name}}` and `{{.Version}}`, as `--image-ref-template` gives it, and what is
    /// rendered, as a refusal calls it.
    Template { template: &'a str, of: &'a str },
}

impl<'a> Image<'a> {
    /// What a text means: a reference, a template of one, or where it is empty nothing. `of` is what is rendered.
    pub fn of_text(text: &'a str, of: &'a str) -> Self {
        match text {
            "" => Image::Unknown,
            template if template.contains("{{") => Image::Template { template, of },
            reference => Image::Reference(reference),
        }
    }
}

/// Which of `opm`'s migrations the output goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Migration {
    #[default]
    None,
    /// `bundle-object-to-csv-metadata`, and `all`.
    BundleObjectToCsvMetadata,
}

impl Migration {
    /// The migration of this level.
    pub fn of_level(level: &str) -> Result<Self, Refusal> {
        match level {
            "" | "none" => Ok(Migration::None),
            "bundle-object-to-csv-metadata" | "all" => Ok(Migration::BundleObjectToCsvMetadata),
            _ => Err(Refusal {
                message: format!("unknown migration level {}", crate::go_text::quote(level)),
                file: None,
                line: None,
                help: "levels are none, bundle-object-to-csv-metadata and all".to_owned(),
            }),
        }
    }
}

/// Why there is nothing to print: `opm`'s words, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// As `opm` says it, without the `render reference` before it.
    pub message: String,
    /// Path of the file that is at fault, when one is.
    pub file: Option<String>,
    /// In that file, from 1.
    pub line: Option<u32>,
    /// What to do; "" when there is nothing to say beyond the message.
    pub help: String,
}

/// Advice about a bundle that is rendered all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    pub message: String,
    /// Path of the file that it is about, when it is about one.
    pub file: Option<String>,
    /// In that file, from 1.
    pub line: Option<u32>,
    /// What to do.
    pub help: String,
}

/// The `olm.bundle` blob of a bundle directory (files of `manifests` and `metadata`), related images sorted and embedded
/// objects last. A directory whose annotations name no package gives a blob without `package`, which [`arrange`] drops
/// as `opm` does.
pub fn render(files: &[File], image: Image<'_>) -> Result<Value, Refusal> {
    directory::render(files, image)
}

/// What `opm` accepts of a bundle directory and leaves out, as advice; none for a directory that [`render`] refuses.
pub fn advice(files: &[File]) -> Vec<Remark> {
    advice::advice(files)
}

/// The blobs of catalog files in walk order, as `opm render` has them before it sorts them: the four known schemas
/// without unknown fields, other schemas in canonical form, of bundles the related images sorted and the embedded
/// objects last. Files that an `.indexignore` among them names are left out.
pub fn read_catalog(files: &[File]) -> Result<Vec<Value>, Refusal> {
    catalog::read_catalog(files, true)
}

/// As [`read_catalog`], but of bundles nothing is put in another order: what a template holds stays as it is.
pub fn read_blobs(files: &[File]) -> Result<Vec<Value>, Refusal> {
    catalog::read_catalog(files, false)
}

/// A document of a catalog as it is written, unknown fields and empty lists included, with numbers as [`read_catalog`] has them.
pub fn read_document(text: &[u8], format: Format) -> Option<Value> {
    catalog::document(text, format)
}

/// The documents of a catalog's file as [`read_document`] has them; documents that hold nothing are left out. The refusal is
/// that of the first one that cannot be read.
pub fn read_documents(bytes: &[u8]) -> Result<Vec<Value>, Refusal> {
    catalog::documents(bytes)
}

/// A document that was read as it is written, as [`read_catalog`] has it. The error is in Go's words.
pub fn as_loaded(blob: &Value) -> Result<Value, String> {
    catalog::as_loaded(blob)
}

/// The JSON of the bundle's ClusterServiceVersion, from its `olm.bundle.object` properties; `olm.csv.metadata` has none.
pub fn cluster_service_version(bundle: &Value) -> Option<Value> {
    migrate::cluster_service_version(bundle)
}

/// The CustomResourceDefinitions among the embedded objects of a bundle blob; `None` where it embeds no objects, so that
/// they are not known.
pub fn definitions(bundle: &Value) -> Option<Vec<Value>> {
    let mut objects = migrate::embedded(bundle).peekable();
    objects.peek()?;
    Some(
        objects
            .filter(|object| object["kind"] == objects::CRD_KIND)
            .collect(),
    )
}

/// The CustomResourceDefinitions of a bundle directory.
pub fn definitions_of_directory(files: &[File]) -> Result<Vec<Value>, Refusal> {
    let manifests = objects::manifests(files)?;
    Ok(manifests
        .objects
        .into_iter()
        .map(|object| object.value)
        .filter(|o| o["kind"] == objects::CRD_KIND)
        .collect())
}

/// The `olm.csv.metadata` property that takes the place of a bundle's embedded objects; `None` where the migration leaves
/// the blob alone.
pub fn csv_metadata(bundle: &Value) -> Result<Option<Value>, Refusal> {
    migrate::metadata(bundle)
}

/// The image that a template gives an `olm.bundle` blob.
///
/// # Errors
/// The template asks for something that is not known here.
pub fn image_of_template(template: &str, bundle: &Value) -> Result<String, Refusal> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut properties = bundle["properties"].as_array().into_iter().flatten();
    let version = properties.find(|property| property["type"] == "olm.package");
    let version = version
        .map(|property| text(&property["value"]["version"]))
        .unwrap_or_default();
    image_template::fill(
        template,
        &text(&bundle["package"]),
        &text(&bundle["name"]),
        &version,
    )
    .map_err(|message| Refusal {
        message,
        file: None,
        line: None,
        help: image_template::HELP.to_owned(),
    })
}

/// Takes the blobs through a migration. Only bundles with an image are changed.
pub fn migrate(blobs: &mut [Value], migration: Migration) -> Result<(), Refusal> {
    match migration {
        Migration::None => Ok(()),
        Migration::BundleObjectToCsvMetadata => migrate::migrate(blobs),
    }
}

/// The order of `opm`'s writer: packages by name, in each its package blobs, channels by name, bundles by name, others
/// by schema, deprecations; then others without a package. Known schemas without a package name are dropped.
pub fn arrange(blobs: Vec<Value>) -> Vec<Value> {
    write::arrange(blobs)
}

/// The text of `-o json`.
pub fn to_json(blobs: &[Value]) -> String {
    let mut text = String::new();
    for blob in blobs {
        text.push_str(&value::indented(blob));
        text.push('\n');
    }
    text
}

/// The text of `-o yaml`.
pub fn to_yaml(blobs: &[Value]) -> String {
    let mut text = String::new();
    for blob in blobs {
        text.push_str("---\n");
        yaml::write(&mut text, blob);
    }
    text
}

/// The files that lie directly in a folder, by name, with their names.
fn files_in<'f>(files: &'f [File], folder: &str) -> Vec<(&'f str, &'f File)> {
    let name = |file: &'f File| {
        let name = file.path.strip_prefix(folder)?.strip_prefix('/')?;
        (!name.contains('/')).then_some((name, file))
    };
    let mut found: Vec<(&str, &File)> = files.iter().filter_map(name).collect();
    found.sort_by_key(|(name, _)| *name);
    found
}

/// Puts the related images of a bundle in order of their images, and its embedded objects and metadata behind its other
/// properties.
fn put_in_order(bundle: &mut Value) {
    if let Some(images) = bundle
        .get_mut("relatedImages")
        .and_then(Value::as_array_mut)
    {
        images.sort_by(|a, b| a["image"].as_str().cmp(&b["image"].as_str()));
    }
    if bundle["schema"] == "olm.bundle"
        && let Some(properties) = bundle.get_mut("properties").and_then(Value::as_array_mut)
    {
        properties.sort_by_key(|property| {
            matches!(
                property["type"].as_str(),
                Some("olm.bundle.object" | "olm.csv.metadata")
            )
        });
    }
}
