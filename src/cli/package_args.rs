//! `switchyard edit`: the operations on packages, bundles and their properties as words.

use super::edit_args::{OnePackage, OperationInputs, Packages};
use clap::{Args, Subcommand};
use protocol::operation::{Choice, EditOp};
use serde_json::Value as Json;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(super) enum PackageOperation {
    /// Set the package's description
    SetDescription {
        #[command(flatten)]
        packages: Packages,
        /// An empty text takes the description away
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        text: String,
    },
    /// Set the package's icon
    SetIcon {
        #[command(flatten)]
        packages: Packages,
        /// An SVG, PNG, JPEG or GIF image, told by its content; `none` takes the icon away
        #[arg(long, value_name = "FILE|none")]
        file: PathBuf,
    },
    /// Add a bundle, with the olm.package property that opm asks for
    ///
    /// `opm` refuses a bundle that no channel lists, so say which one it enters, or `promote` it after.
    AddBundle {
        #[command(flatten)]
        package: OnePackage,
        /// The new bundle's name
        #[arg(long, value_name = "NAME")]
        bundle: String,
        /// Its version, such as 1.3.0
        #[arg(long, value_name = "V")]
        version: String,
        /// Tells rebuilds of one version apart; the bundle is named PACKAGE-vVERSION-RELEASE then
        #[arg(long, value_name = "R")]
        release: Option<String>,
        /// Its image, with a tag or a digest
        #[arg(long, value_name = "IMAGE")]
        image: String,
        /// The channel that it enters, where `promote` would put it; repeatable
        #[arg(long, value_name = "C")]
        to: Vec<String>,
    },
    /// Copy a package of another catalog as it is written there
    ///
    /// Files keep their paths; where one is there already, the blobs go to its end.
    CopyPackage {
        /// The package; repeatable
        #[arg(long, value_name = "P", required = true)]
        package: Vec<String>,
        /// The folder of the catalog that has it
        #[arg(long, value_name = "DIR2")]
        from: String,
    },
    /// Set the image of bundles; a related image that is the old one changes along
    SetImage {
        #[command(flatten)]
        bundles: BundlesArgs,
        /// The new image, with a tag or a digest
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
        /// The value; a text stands in double quotes, as in '"4.18"'
        #[arg(long, value_name = "JSON", allow_hyphen_values = true, value_parser = json)]
        value: Json,
    },
    /// Take a property out of bundles
    RemoveProperty {
        #[command(flatten)]
        bundles: BundlesArgs,
        /// The type of the property
        #[arg(long = "type", value_name = "T")]
        kind: String,
        /// Only the property with this value; by default all of the type
        #[arg(long, value_name = "JSON", allow_hyphen_values = true, value_parser = json)]
        value: Option<Json>,
    },
}

/// Bundles of a package: one, or those that meet a condition.
#[derive(Debug, Args)]
pub(super) struct BundlesArgs {
    #[command(flatten)]
    package: OnePackage,
    /// The bundle; repeatable
    #[arg(long, value_name = "NAME", required_unless_present = "condition", conflicts_with = "condition")]
    bundle: Vec<String>,
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

impl BundlesArgs {
    /// The operation on each bundle, or on those that meet the condition.
    fn each<S: OperationInputs>(
        self,
        inputs: &S,
        op: impl Fn(String, Option<String>, Option<String>) -> EditOp,
    ) -> Result<Vec<EditOp>, S::Error> {
        let package = self.package.name(inputs)?;
        Ok(match self.condition {
            Some(condition) => vec![op(package, None, Some(condition))],
            None => self.bundle.into_iter().map(|bundle| op(package.clone(), Some(bundle), None)).collect(),
        })
    }
}

impl PackageOperation {
    pub(super) fn into_ops<S: OperationInputs>(self, inputs: &S) -> Result<Vec<EditOp>, S::Error> {
        match self {
            PackageOperation::SetDescription { packages, text } => {
                let one = |package| EditOp::SetDescription { catalog: None, package, text: text.clone() };
                Ok(packages.names(inputs)?.into_iter().map(one).collect())
            }
            PackageOperation::SetIcon { packages, file } => {
                let data = if file.as_os_str() == "none" { None } else { Some(inputs.icon(&file)?) };
                let one = |package| EditOp::SetIcon { catalog: None, package, data: data.clone() };
                Ok(packages.names(inputs)?.into_iter().map(one).collect())
            }
            PackageOperation::AddBundle { package, bundle, version, release, image, to } => {
                let package = package.name(inputs)?;
                let mut channels = to.into_iter();
                // It comes to be in the first channel, and enters the others as any bundle does.
                let added = EditOp::AddBundle {
                    catalog: None,
                    package: package.clone(),
                    bundle: bundle.clone(),
                    version,
                    release,
                    image,
                    to: channels.next(),
                };
                let others = channels.map(|to| EditOp::Promote {
                    catalog: None,
                    package: package.clone(),
                    bundle: bundle.clone(),
                    to,
                    how: None,
                    replaces: Choice::Default,
                    skip_range: Choice::Default,
                });
                Ok(std::iter::once(added).chain(others).collect())
            }
            PackageOperation::CopyPackage { package, from } => {
                let one =
                    |package| EditOp::CopyPackage { catalog: None, package, from: from.clone(), files: Vec::new() };
                Ok(package.into_iter().map(one).collect())
            }
            PackageOperation::SetImage { bundles, image } => bundles.each(inputs, |package, bundle, condition| {
                EditOp::SetImage { catalog: None, package, bundle, condition, image: image.clone() }
            }),
            PackageOperation::AddProperty { bundles, kind, value } => {
                bundles.each(inputs, |package, bundle, condition| {
                    let (kind, value) = (kind.clone(), value.clone());
                    EditOp::AddProperty { catalog: None, package, bundle, condition, kind, value }
                })
            }
            PackageOperation::RemoveProperty { bundles, kind, value } => {
                bundles.each(inputs, |package, bundle, condition| {
                    let (kind, value) = (kind.clone(), value.clone());
                    EditOp::RemoveProperty { catalog: None, package, bundle, condition, kind, value }
                })
            }
        }
    }
}
