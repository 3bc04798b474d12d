//! Writes manifests that install a package under either OLM, and reads such manifests back as
//! upgrade questions.
//!
//! Generated manifests are valid for OLM's published CustomResourceDefinitions and only name what
//! the catalog contains. Pure data and text: knows no cluster, file or form.

mod checks;
mod cluster;
#[cfg(test)]
mod crd_tests;
mod generate;
mod manifest;
mod parse;
#[cfg(test)]
mod parse_tests;
#[cfg(test)]
mod tests;

pub use checks::has_global_operator_group;
pub use generate::{Classic, V1, classic, v1};
pub use manifest::{
    BundleDocument, CatalogOnCluster, InstallMode, InstallModes, InstallRequest, Manifest,
    ManifestError, Manifests, suggested_namespace,
};
pub use parse::{
    InstalledCsv, KnownSubscription, ManifestErrorAt, NamespaceDump, ParsedFile, ParsedManifest,
    ValueAtLine, parse, parse_files,
};
