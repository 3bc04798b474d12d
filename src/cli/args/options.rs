//! Options that several commands have.

use ::catalog::version::openshift::{OpenShift, parse_cluster};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The package in question.
#[derive(Debug, Args)]
pub(crate) struct PackageArgs {
    /// The package; optional if the catalog has only one
    #[arg(value_name = "PACKAGE", conflicts_with = "package")]
    positional: Option<String>,
    /// The package, by name
    #[arg(long, value_name = "PACKAGE")]
    package: Option<String>,
}

impl PackageArgs {
    pub(crate) fn name(&self) -> Option<&str> {
        self.positional.as_deref().or(self.package.as_deref())
    }
}

/// The packages in question.
#[derive(Debug, Args)]
pub(crate) struct PackagesArgs {
    /// Only these packages
    #[arg(value_name = "PACKAGE")]
    positional: Vec<String>,
    /// Only this package; repeatable
    #[arg(long, value_name = "PACKAGE")]
    package: Vec<String>,
}

impl PackagesArgs {
    /// In the given order, each once; empty for all packages.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for name in self.positional.iter().chain(&self.package) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }
}

/// The options that provide bundles. In `edit` they may follow the operation.
#[derive(Debug, Args)]
pub(crate) struct BundlesArgs {
    /// Where to find the bundles of a template: a catalog or one of its files, a bundle directory, a folder of either,
    /// or an archive of a bundle or catalog; repeatable
    #[arg(long, value_name = "DIR|FILE", global = true)]
    pub(crate) bundles: Vec<PathBuf>,
    /// A file with a JSON object that maps each image to its bundle directory
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) bundle_map: Option<PathBuf>,
}

impl BundlesArgs {
    pub(crate) fn is_empty(&self) -> bool {
        self.bundles.is_empty() && self.bundle_map.is_none()
    }
}

/// Options of commands that answer from catalogs.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct PartialArgs {
    /// Accept an answer from a catalog that can be read only in part; otherwise the exit status is 2
    #[arg(long)]
    pub(crate) partial: bool,
}

/// Options of questions about a cluster.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ClusterArgs {
    /// The OpenShift version of the cluster, such as 4.18.3: also report which bundles block its next minor version,
    /// and which would not start on it. Patch version and prerelease are ignored
    #[arg(long, value_name = "VERSION", value_parser = openshift)]
    pub(crate) cluster: Option<OpenShift>,
}

fn openshift(text: &str) -> Result<OpenShift, String> {
    parse_cluster(text)
        .map_err(|error| format!("{error}; write MAJOR.MINOR or a full version, such as 4.18.3"))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Profile {
    /// Only what `opm` refuses
    Opm,
    /// Advice that is nearly always worth following
    Community,
    /// All advice
    Strict,
}

/// The default lens of every command.
pub(crate) const DEFAULT_LENS: LensArg = LensArg::V0;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LensArg {
    /// OLM Classic
    V0,
    /// OLM v1
    V1,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PolicyArg {
    #[value(name = "CatalogProvided")]
    CatalogProvided,
    #[value(name = "SelfCertified")]
    SelfCertified,
}
