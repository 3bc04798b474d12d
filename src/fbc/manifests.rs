//! Writes manifests that install a package under either OLM, and reads such manifests back as
//! upgrade questions.
//!
//! Generated manifests are valid for OLM's published CustomResourceDefinitions and only name what
//! the catalog contains. Pure data and text: knows no cluster, file or form.

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
