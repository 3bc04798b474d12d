//! `switchyard edit`: the operations on packages, bundles and their properties as words.

use super::edit_args::Surroundings;
use crate::fbc::edit::op::EditOp;
use clap::{Args, Subcommand};
use serde_json::Value as Json;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(super) enum PackageOperation {
    /// Set the package's description
    SetDescription {
        #[arg(long, value_name = "P")]
        package: String,
        /// An empty text takes the description away
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        text: String,
    },
    /// Set the package's icon
    SetIcon {
        #[arg(long, value_name = "P")]
        package: String,
        /// An SVG, PNG, JPEG or GIF image, told by its content; `none` takes the icon away
        #[arg(long, value_name = "FILE|none")]
        file: PathBuf,
    },
    /// Add a bundle, with the olm.package property that opm asks for
    ///
    /// `opm` refuses a bundle that no channel lists, so say which one it enters, or `promote` it after.
    AddBundle {
        #[arg(long, value_name = "P")]
        package: String,
        #[arg(long, value_name = "NAME")]
        bundle: String,
        #[arg(long, value_name = "V")]
        version: String,
        /// Tells rebuilds of one version apart; the bundle is named PACKAGE-vVERSION-RELEASE then
        #[arg(long, value_name = "R")]
        release: Option<String>,
        #[arg(long, value_name = "IMAGE")]
        image: String,
        /// The channel that it enters, where `promote` would put it
        #[arg(long, value_name = "C")]
        to: Option<String>,
    },
    /// Copy a package of another catalog as it is written there
    ///
    /// Files keep their paths; where one is there already, the blobs go to its end.
    CopyPackage {
        #[arg(long, value_name = "P")]
        package: String,
        /// The folder of the catalog that has it
        #[arg(long, value_name = "DIR2")]
        from: String,
    },
    /// Set the image of bundles; a related image that is the old one changes along
    SetImage {
        #[command(flatten)]
        bundles: BundlesArgs,
        #[arg(long, value_name = "IMAGE")]
        image: String,
    },
    /// Add a property to bundles that do not have it yet; the value is checked by its type
    AddProperty {
        #[command(flatten)]
        bundles: BundlesArgs,
        /// Such as olm.gvk, olm.package.required, olm.constraint, olm.maxOpenShiftVersion
        #[arg(long = "type", value_name = "T")]
        kind: String,
        #[arg(long, value_name = "JSON", allow_hyphen_values = true, value_parser = json)]
        value: Json,
    },
    /// Take a property out of bundles
    RemoveProperty {
        #[command(flatten)]
        bundles: BundlesArgs,
        #[arg(long = "type", value_name = "T")]
        kind: String,
        /// All of the type when not said
        #[arg(long, value_name = "JSON", allow_hyphen_values = true, value_parser = json)]
        value: Option<Json>,
    },
}

/// Bundles of a package: one, or those that meet a condition.
#[derive(Debug, Args)]
pub(super) struct BundlesArgs {
    #[arg(long, value_name = "P")]
    package: String,
    #[arg(long, value_name = "NAME", required_unless_present = "condition", conflicts_with = "condition")]
    bundle: Option<String>,
    /// All bundles that meet a condition
    ///
    /// `version >=1.2.0 <1.3.0` (ranges as in skipRange), `name=TEXT`, `image~TEXT`, `channel!=TEXT` (`=` is, `!=` is not,
    /// `~` holds; channel: those that list the bundle), `has TYPE` (a property), joined by `and`, `or`, `not` and
    /// parentheses. Texts with blanks stand in quotes.
    #[arg(id = "condition", long = "where", value_name = "EXPR")]
    condition: Option<String>,
}

fn json(text: &str) -> Result<Json, String> {
    serde_json::from_str(text).map_err(|error| format!("{error}; a text stands in double quotes, as in '\"4.18\"'"))
}

impl PackageOperation {
    pub(super) fn into_op<S: Surroundings>(self, surroundings: &S) -> Result<EditOp, S::Error> {
        let catalog = None;
        Ok(match self {
            PackageOperation::SetDescription { package, text } => EditOp::SetDescription { catalog, package, text },
            PackageOperation::SetIcon { package, file } => {
                let data = if file.as_os_str() == "none" { None } else { Some(surroundings.icon(&file)?) };
                EditOp::SetIcon { catalog, package, data }
            }
            PackageOperation::AddBundle { package, bundle, version, release, image, to } => {
                EditOp::AddBundle { catalog, package, bundle, version, release, image, to }
            }
            PackageOperation::CopyPackage { package, from } => {
                EditOp::CopyPackage { catalog, package, from, files: Vec::new() }
            }
            PackageOperation::SetImage { bundles: BundlesArgs { package, bundle, condition }, image } => {
                EditOp::SetImage { catalog, package, bundle, condition, image }
            }
            PackageOperation::AddProperty { bundles: BundlesArgs { package, bundle, condition }, kind, value } => {
                EditOp::AddProperty { catalog, package, bundle, condition, kind, value }
            }
            PackageOperation::RemoveProperty { bundles: BundlesArgs { package, bundle, condition }, kind, value } => {
                EditOp::RemoveProperty { catalog, package, bundle, condition, kind, value }
            }
        })
    }
}
