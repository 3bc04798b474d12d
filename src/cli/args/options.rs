//! Arguments that several commands or operations share, and the other inputs of operations.

use crate::error::CliError;
use crate::output::formats::TextOrData;
use ::catalog::version::openshift::{OpenShift, parse_cluster};
use clap::{Args, ValueEnum};
use protocol::operation::{Choice, DanglingEdges, EditOp, PromoteAs};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};

/// Defines the values of an option, which mirror an enum of the library and convert to it.
macro_rules! mirrored_values {
    ($vis:vis $name:ident for $target:path {
        $($(#[$attribute:meta])* $variant:ident,)*
    }) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
        $vis enum $name {
            $($(#[$attribute])* $variant,)*
        }

        impl From<$name> for $target {
            fn from(value: $name) -> Self {
                match value {
                    $($name::$variant => Self::$variant,)*
                }
            }
        }
    };
}
pub(super) use mirrored_values;

/// The package that a command concerns.
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
    pub fn name(&self) -> Option<&str> {
        self.positional.as_deref().or(self.package.as_deref())
    }
}

/// The packages that a command concerns.
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
    /// Returns the names in the order of the arguments, each once; empty for all packages.
    pub fn names(&self) -> Vec<&str> {
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
    /// Where to find the bundles of a template: a catalog or one of its files, a bundle directory,
    /// a folder of either, or an archive of a bundle or catalog; repeatable
    #[arg(long, value_name = "DIR|FILE", global = true)]
    pub bundles: Vec<PathBuf>,
    /// A file with a JSON object that maps each image to its bundle directory
    #[arg(long, value_name = "FILE", global = true)]
    pub bundle_map: Option<PathBuf>,
}

impl BundlesArgs {
    pub fn is_empty(&self) -> bool {
        self.bundles.is_empty() && self.bundle_map.is_none()
    }
}

/// The output format of most commands.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct FormatArgs {
    /// Output format
    #[arg(long, short = 'o', visible_alias = "output", value_enum, default_value_t = TextOrData::Text)]
    pub format: TextOrData,
}

/// Options of commands that answer from catalogs.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct PartialArgs {
    /// Accept an answer from a catalog that can be read only in part; otherwise the exit status is
    /// 2
    #[arg(long)]
    pub partial: bool,
}

/// Options of questions about a cluster.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ClusterArgs {
    /// The OpenShift version of the cluster, such as 4.18.3: also report which bundles block its
    /// next minor version, and which would not start on it. Patch version and prerelease are
    /// ignored
    #[arg(long, value_name = "VERSION", value_parser = parse_openshift)]
    pub cluster: Option<OpenShift>,
}

fn parse_openshift(text: &str) -> Result<OpenShift, String> {
    parse_cluster(text)
        .map_err(|error| format!("{error}; write MAJOR.MINOR or a full version, such as 4.18.3"))
}

mirrored_values! { pub(crate) Profile for protocol::diagnostic::Profile {
    /// Only what `opm` refuses
    Opm,
    /// Advice that is nearly always worth following
    Community,
    /// All advice
    Strict,
}}

/// The default lens of every command.
pub(crate) const DEFAULT_LENS: LensArg = LensArg::V0;

mirrored_values! { pub(crate) LensArg for upgrade::Lens {
    /// OLM Classic
    V0,
    /// OLM v1
    V1,
}}

mirrored_values! { pub(crate) PolicyArg for upgrade::Policy {
    #[value(name = "CatalogProvided")]
    CatalogProvided,
    #[value(name = "SelfCertified")]
    SelfCertified,
}}

/// The package of an operation within one package.
#[derive(Debug, Args)]
pub(crate) struct OnePackage {
    /// The package; optional if the catalog has only one
    #[arg(long, value_name = "P")]
    package: Option<String>,
}

/// The packages to apply an operation to.
#[derive(Debug, Args)]
pub(crate) struct Packages {
    /// The package; optional if the catalog has only one; repeatable
    #[arg(long, value_name = "P")]
    package: Vec<String>,
}

mirrored_values! { pub(crate) ThenArg for DanglingEdges {
    /// The entry that replaced it now replaces what it replaced
    Relink,
    /// The same, and also skips it
    Skip,
    /// The edges stay, although the entry they name is gone
    Leave,
}}

mirrored_values! { pub(crate) PromoteAsArg for PromoteAs {
    /// The new head
    Head,
    /// In the chain; the next higher entry is changed to replace it
    Chain,
    /// Outside the chain: the next higher entry skips it
    Skipped,
}}

/// Inputs of an operation other than its arguments.
pub(crate) trait OperationInputs {
    /// Returns the name of the only package, or an error.
    fn only_package(&self) -> Result<String, CliError>;

    /// Returns the text in a range (`LINE:COLUMN-LINE:COLUMN`) of a file of the catalog.
    fn text_at(&self, file: &str, range: &str) -> Result<String, CliError>;

    /// Reads an image file as an icon in base64.
    fn read_icon(&self, file: &Path) -> Result<String, CliError>;

    fn read_text(&self, file: &Path) -> Result<String, CliError>;

    /// Reads the blobs of the bundles in a bundle directory, an archive or a file of blobs.
    fn read_bundles(&self, reference: &Path, image: Option<&str>) -> Result<Vec<Json>, CliError>;

    /// Whether the operations are for a semver template, whose edges follow from versions.
    fn is_semver_template(&self) -> bool;
}

impl OnePackage {
    /// Returns the value of `--package`.
    pub fn explicit_name(&self) -> Option<&str> {
        self.package.as_deref()
    }

    pub fn name(self, inputs: &dyn OperationInputs) -> Result<String, CliError> {
        self.package.map_or_else(|| inputs.only_package(), Ok)
    }
}

impl Packages {
    pub fn names(&self, inputs: &dyn OperationInputs) -> Result<Vec<String>, CliError> {
        if self.package.is_empty() {
            Ok(vec![inputs.only_package()?])
        } else {
            Ok(self.package.clone())
        }
    }

    /// Creates one operation per package.
    pub fn each(
        self,
        inputs: &dyn OperationInputs,
        op: impl Fn(&str) -> EditOp,
    ) -> Result<Vec<EditOp>, CliError> {
        Ok(self.names(inputs)?.iter().map(|name| op(name)).collect())
    }

    /// Creates one operation per item, in each package.
    pub fn each_item(
        self,
        inputs: &dyn OperationInputs,
        items: &[String],
        op: impl Fn(String, String) -> EditOp,
    ) -> Result<Vec<EditOp>, CliError> {
        let mut ops = Vec::new();
        for package in self.names(inputs)? {
            ops.extend(items.iter().map(|item| op(package.clone(), item.clone())));
        }
        Ok(ops)
    }
}

/// Parses an option for which `none` is a choice, too.
pub(crate) fn choice(text: Option<String>) -> Choice {
    match text {
        None => Choice::Default,
        Some(text) => or_none(text).map_or(Choice::None, Choice::Value),
    }
}

/// Parses a value that may be `none`.
pub(crate) fn or_none(text: String) -> Option<String> {
    (text != "none").then_some(text)
}
