//! `switchyard edit`: the operations on packages, bundles and their properties as words.

use super::edit_args::{OnePackage, OperationInputs, Packages};
use super::promote_args::{AsArg, choice, or_none};
use clap::{Args, Subcommand};
use fbc::edit::add_bundles::add_bundle;
use protocol::operation::{EditOp, IfThere};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};

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
        /// A bundle directory, an archive of a bundle's image, or a file of blobs, which says all of the bundle
        #[arg(long, value_name = "DIR|FILE|ARCHIVE")]
        from: Option<PathBuf>,
        /// The new bundle's name
        #[arg(long, value_name = "NAME", required_unless_present = "from")]
        bundle: Option<String>,
        /// Its version, such as 1.3.0
        #[arg(long, value_name = "V", required_unless_present = "from", conflicts_with = "from")]
        version: Option<String>,
        /// Tells rebuilds of one version apart; the bundle is named PACKAGE-vVERSION-RELEASE then
        #[arg(long, value_name = "R", conflicts_with = "from")]
        release: Option<String>,
        /// Its image, with a tag or a digest
        #[arg(long, value_name = "IMAGE", required_unless_present = "from")]
        image: Option<String>,
        /// The channel that it enters, where `promote` would put it; repeatable
        #[arg(long, value_name = "C")]
        to: Vec<String>,
        /// How it enters; by its version when not said
        #[arg(long = "as", value_enum, requires = "to")]
        how: Option<AsArg>,
        /// What it replaces; by how it enters when not said
        #[arg(long, value_name = "NAME|none", requires = "to")]
        replaces: Option<String>,
        /// The range that it skips
        #[arg(long, value_name = "R|none", requires = "to")]
        skip_range: Option<String>,
    },
    /// Add a package, as `opm init` does
    AddPackage {
        /// The new package's name
        #[arg(long, value_name = "P")]
        package: String,
        /// Its default channel
        #[arg(long, value_name = "C", default_value = "", hide_default_value = true)]
        default_channel: String,
        /// A file whose text describes it, such as README.md
        #[arg(long, value_name = "FILE")]
        description: Option<PathBuf>,
        /// An SVG, PNG, JPEG or GIF image, told by its content
        #[arg(long, value_name = "FILE")]
        icon: Option<PathBuf>,
        /// Where the first package of a catalog is written, such as NAME/catalog.json; others follow its example
        #[arg(long, value_name = "PATH")]
        file: Option<String>,
    },
    /// Remove packages with everything in them
    RemovePackage {
        /// The package; may be given several times
        #[arg(long, value_name = "P", required = true)]
        package: Vec<String>,
    },
    /// Copy packages verbatim from another catalog
    ///
    /// Files keep their paths; where one is there already, the blobs go to its end. A package that is replaced stays in
    /// its file if both catalogs have it in one.
    CopyPackage {
        /// The package; repeatable
        #[arg(long, value_name = "P", required = true)]
        package: Vec<String>,
        /// The folder of the catalog that has it
        #[arg(long, value_name = "DIR2")]
        from: String,
        /// Replace a package that is there already; without it that is refused
        #[arg(long)]
        replace: bool,
    },
    /// Set the image of bundles, also in related images that have the old one
    SetImage {
        #[command(flatten)]
        bundles: BundlesArgs,
        /// The new image, with a tag or a digest
        #[arg(long, value_name = "IMAGE")]
        image: String,
    },
    /// In a substitutes template, let the bundle of an image take the place of another in every channel
    Substitute {
        #[command(flatten)]
        package: OnePackage,
        /// The bundle whose place is taken
        #[arg(long, value_name = "NAME")]
        bundle: String,
        /// The image of the bundle that takes it; `none` takes the substitution away
        #[arg(long, value_name = "IMAGE|none")]
        by: String,
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
    /// Turn embedded objects into olm.csv.metadata, as opm render --migrate-level does
    Migrate {
        /// The package; by default all of the catalog; repeatable
        #[arg(long, value_name = "P")]
        package: Vec<String>,
    },
    /// Remove a property from bundles
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
            PackageOperation::AddBundle {
                package,
                from,
                bundle,
                version,
                release,
                image,
                to,
                how,
                replaces,
                skip_range,
            } => {
                let added = match from {
                    Some(from) => {
                        let of = (package.said(), bundle.as_deref(), image.as_deref());
                        rendered(inputs, &from, of)?
                    }
                    None => EditOp::AddBundle {
                        catalog: None,
                        package: package.name(inputs)?,
                        bundle: bundle.unwrap_or_default(),
                        version: version.unwrap_or_default(),
                        release,
                        image: image.unwrap_or_default(),
                        to: None,
                        blob: None,
                    },
                };
                Ok(entering(added, to, how, (replaces, skip_range)))
            }
            PackageOperation::AddPackage { package, default_channel, description, icon, file } => {
                Ok(vec![EditOp::AddPackage {
                    catalog: None,
                    package,
                    default_channel,
                    description: description.map(|file| inputs.text(&file)).transpose()?,
                    icon: icon.map(|file| inputs.icon(&file)).transpose()?,
                    file,
                }])
            }
            PackageOperation::RemovePackage { package } => {
                Ok(package.into_iter().map(|package| EditOp::RemovePackage { catalog: None, package }).collect())
            }
            PackageOperation::CopyPackage { package, from, replace } => {
                let if_there = if replace { IfThere::Replace } else { IfThere::Refuse };
                let one = |package| {
                    let (from, files) = (from.clone(), Vec::new());
                    EditOp::CopyPackage { catalog: None, package, from, files, if_there }
                };
                Ok(package.into_iter().map(one).collect())
            }
            PackageOperation::SetImage { bundles, image } => bundles.each(inputs, |package, bundle, condition| {
                EditOp::SetImage { catalog: None, package, bundle, condition, image: image.clone() }
            }),
            PackageOperation::Substitute { package, bundle, by } => {
                Ok(vec![EditOp::Substitute { catalog: None, package: package.name(inputs)?, bundle, by: or_none(by) }])
            }
            PackageOperation::AddProperty { bundles, kind, value } => {
                bundles.each(inputs, |package, bundle, condition| {
                    let (kind, value) = (kind.clone(), value.clone());
                    EditOp::AddProperty { catalog: None, package, bundle, condition, kind, value }
                })
            }
            PackageOperation::Migrate { package } if package.is_empty() => {
                Ok(vec![EditOp::Migrate { catalog: None, package: None }])
            }
            PackageOperation::Migrate { package } => {
                let one = |package| EditOp::Migrate { catalog: None, package: Some(package) };
                Ok(package.into_iter().map(one).collect())
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

/// The operation that adds a bundle as it is rendered: the only one, or the one that is named.
fn rendered<S: OperationInputs>(
    inputs: &S,
    from: &Path,
    (package, bundle, image): (Option<&str>, Option<&str>, Option<&str>),
) -> Result<EditOp, S::Error> {
    let text = |value: &Json, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let mut blobs = inputs.bundles(from, image)?;
    blobs.retain(|blob| {
        package.is_none_or(|package| blob["package"] == package) && bundle.is_none_or(|bundle| blob["name"] == bundle)
    });
    let names: Vec<String> = blobs.iter().map(|blob| text(blob, "name")).collect();
    let blob = match (blobs.pop(), names.len()) {
        (Some(blob), 1) => blob,
        (None, _) => return Err(inputs.missing(format!("{} holds no such bundle", from.display()))),
        _ => {
            let message =
                format!("{} holds several bundles, name one with --bundle: {}", from.display(), names.join(", "));
            return Err(inputs.missing(message));
        }
    };
    if text(&blob, "image").is_empty() {
        let message = format!("which image `{}` is, is not said; name it with --image", text(&blob, "name"));
        return Err(inputs.missing(message));
    }
    Ok(add_bundle(&blob))
}

/// The new bundle, and how it enters its channels: the first at once where nothing more is said, the others as any bundle.
fn entering(
    mut added: EditOp,
    to: Vec<String>,
    how: Option<AsArg>,
    (replaces, skip_range): (Option<String>, Option<String>),
) -> Vec<EditOp> {
    let mut channels = to.into_iter();
    let is_plain = how.is_none() && replaces.is_none() && skip_range.is_none();
    let EditOp::AddBundle { package, bundle, to, .. } = &mut added else { return vec![added] };
    if is_plain {
        *to = channels.next();
    }
    let (package, bundle) = (package.clone(), bundle.clone());
    let others: Vec<EditOp> = channels
        .map(|to| EditOp::Promote {
            catalog: None,
            package: package.clone(),
            bundle: bundle.clone(),
            to,
            how: how.map(Into::into),
            replaces: choice(replaces.clone()),
            skip_range: choice(skip_range.clone()),
        })
        .collect();
    std::iter::once(added).chain(others).collect()
}
