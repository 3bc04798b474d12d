//! Manifests that try a package on a cluster, for each of the two OLMs; and back, the question that such manifests ask.
//!
//! What is written is valid for the CustomResourceDefinitions that OLM publishes, and names only what the catalog has.
//! Pure data and text: knows no cluster, no file and no form.

mod checks;
mod classic;
mod cluster;
#[cfg(test)]
mod crd_tests;
mod install_modes;
mod manifest;
mod parse;
#[cfg(test)]
mod parse_tests;
mod parsed;
#[cfg(test)]
mod tests;
mod v1;

pub use checks::is_on_every_cluster;
pub use classic::{Approval, Classic, classic};
pub use install_modes::{InstallMode, InstallModes, suggested_namespace};
pub use manifest::{
    BundleDocument, CatalogOnCluster, InstallRequest, Manifest, ManifestError, Manifests,
};
pub use parse::{parse, parse_dump, parse_files};
pub use parsed::{
    Dump, InstalledCsv, KnownSubscription, ManifestErrorAt, NamespaceDump, ParsedFile,
    ParsedManifest, ValueAtLine,
};
pub use v1::{V1, v1};
