//! What `opm render` prints: blobs as JSON values, made of bundle directories and of catalogs, migrated, put in order and
//! written as text.
//!
//! Knows values only: nothing here edits the text of a catalog, and where the files come from is the caller's matter.
//!
//! [`render`] makes the blob of a bundle directory, [`read_catalog`] the blobs of catalog files; [`migrate`],
//! [`arrange`], [`to_json`] and [`to_yaml`] are the steps between such blobs and the output.

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
    /// A template with `{{.Package}}`, `{{.Name}}` and `{{.Version}}`, as `--image-ref-template` gives it.
    Template(&'a str),
}

/// Which of `opm`'s migrations the output goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Migration {
    #[default]
    None,
    /// `bundle-object-to-csv-metadata`, and `all`.
    BundleObjectToCsvMetadata,
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

/// The `olm.bundle` blob of a bundle directory (files of `manifests` and `metadata`), related images sorted and embedded
/// objects last. A directory whose annotations name no package gives a blob with an empty `package`, which [`arrange`]
/// drops as `opm` does.
pub fn render(_files: &[File], _image: Image<'_>) -> Result<Value, Refusal> {
    Err(Refusal { message: "not there yet".to_owned(), file: None, line: None, help: String::new() })
}

/// The blobs of catalog files in the order of the files given, as `opm render` has them before it sorts them: the four
/// known schemas without unknown fields, other schemas in canonical form, of bundles the related images sorted and the
/// embedded objects last.
pub fn read_catalog(_files: &[File]) -> Result<Vec<Value>, Refusal> {
    Err(Refusal { message: "not there yet".to_owned(), file: None, line: None, help: String::new() })
}

/// The JSON of the bundle's ClusterServiceVersion, from its `olm.bundle.object` properties; `olm.csv.metadata` has none.
pub fn cluster_service_version(_bundle: &Value) -> Option<Value> {
    None
}

/// Takes the blobs through a migration. Only bundles with an image are changed.
pub fn migrate(_blobs: &mut [Value], _migration: Migration) -> Result<(), Refusal> {
    Ok(())
}

/// The order of `opm`'s writer: packages by name, in each its package blobs, channels by name, bundles by name, others
/// by schema, deprecations; then others without a package. Known schemas without a package name are dropped.
pub fn arrange(blobs: Vec<Value>) -> Vec<Value> {
    blobs
}

/// The text of `-o json`.
pub fn to_json(_blobs: &[Value]) -> String {
    String::new()
}

/// The text of `-o yaml`.
pub fn to_yaml(_blobs: &[Value]) -> String {
    String::new()
}
