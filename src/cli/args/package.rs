//! `switchyard edit`: the arguments of operations on packages, channels, bundles and their
//! properties.

use super::options::{
    OnePackage, OperationInputs, Packages, PromoteAsArg, ThenArg, choice, mirrored_values, or_none,
};
use crate::error::CliError;
use ::edit::add_bundles::{CsvEdges, add_bundle, skips_from_csv};
use clap::{Args, Subcommand, ValueEnum};
use protocol::operation::{Choice, EdgeRule, EditOp, IfExists};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};

#[derive(Debug, Subcommand)]
pub(crate) enum ChannelOperation {
    /// Rebuild the edges of a channel by a rule
    ///
    /// The rule replaces all edges between its entries. Edges to names that are not in the channel
    /// stay: all skips of such names, and a `replaces` where the rule sets none; so does the lowest
    /// entry's skipRange. With z-stream, these edges move to the highest entry of the y-stream.
    RebuildEdges {
        #[command(flatten)]
        packages: Packages,
        /// The channel; repeatable
        #[arg(long, value_name = "C", required = true)]
        channel: Vec<String>,
        /// The rule that makes the edges
        #[arg(long, value_enum)]
        rule: RuleArg,
    },
    /// Add a channel
    ///
    /// Without --from it has no entries, and opm refuses the catalog until you promote a bundle to
    /// it.
    AddChannel {
        #[command(flatten)]
        packages: Packages,
        /// The new channel; repeatable
        #[arg(long, value_name = "C", required = true)]
        channel: Vec<String>,
        /// The channel to copy the entries and their edges from
        #[arg(long, value_name = "C2")]
        from: Option<String>,
    },
    /// Rename a channel, with the default channel and the deprecations that name it
    RenameChannel {
        #[command(flatten)]
        packages: Packages,
        /// The channel's current name
        #[arg(long, value_name = "C")]
        channel: String,
        /// Its new name
        #[arg(long, value_name = "NAME")]
        to: String,
    },
    /// Remove a channel and the deprecations that name it; its bundles stay
    ///
    /// To remove the default channel, set another one first (set-default-channel); otherwise opm
    /// refuses the package.
    RemoveChannel {
        #[command(flatten)]
        packages: Packages,
        /// The channel; repeatable
        #[arg(long, value_name = "C", required = true)]
        channel: Vec<String>,
    },
    /// Remove a bundle, its entries in all channels and the deprecations that name it
    ///
    /// A channel that loses its last entry stays, empty, and fails validation. If the catalog has
    /// several identical copies of the bundle, only the last copy is removed, and nothing else.
    RemoveBundle {
        #[command(flatten)]
        package: OnePackage,
        /// The bundle; repeatable
        #[arg(long, value_name = "NAME", required = true)]
        bundle: Vec<String>,
        /// What happens to edges that name it; by default nobody who has it installed loses the
        /// update
        #[arg(long, value_enum, default_value_t = ThenArg::Skip)]
        then: ThenArg,
    },
}

mirrored_values! { pub(crate) RuleArg for EdgeRule {
    /// Each entry replaces the next lower one
    Replaces,
    /// Like the semver template: the highest entry of each y-stream replaces that of the previous
    /// one, and skips everything else below it in its major version
    SkipPatch,
    /// The highest entry of each y-stream replaces that of the previous one, and skips all others
    /// of its own: everyone passes through the latest patch
    ZStream,
    /// Like replaces; in addition, each entry has a skipRange from the start of its y-stream (its
    /// first entry: of the y-stream before)
    SkipRange,
}}

#[derive(Debug, Subcommand)]
pub(crate) enum PackageOperation {
    /// Set the package's description
    SetDescription {
        #[command(flatten)]
        packages: Packages,
        /// The new description; an empty text removes it
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        text: String,
    },
    /// Set the package's icon
    SetIcon {
        #[command(flatten)]
        packages: Packages,
        /// An SVG, PNG, JPEG or GIF image, recognized by its content; `none` removes the icon
        #[arg(long, value_name = "FILE|none")]
        file: PathBuf,
    },
    /// Add a bundle, with the olm.package property that opm asks for
    ///
    /// `opm` refuses a bundle that no channel lists, so give a channel with --to, or `promote` it
    /// afterwards. With --from, the entry gets the olm.skipRange, replaces and skips of the
    /// bundle's CSV where the options name none. If the channel would not be valid with that
    /// replaces, its version decides; what differs from the CSV is printed.
    AddBundle {
        #[command(flatten)]
        package: OnePackage,
        /// A bundle directory, an archive of a bundle's image, or a file of blobs, to take the
        /// whole bundle from
        #[arg(long, value_name = "DIR|FILE|ARCHIVE")]
        from: Option<PathBuf>,
        /// The new bundle's name; a semver template needs none
        #[arg(long, value_name = "NAME")]
        bundle: Option<String>,
        /// Its version, such as 1.3.0; by default the one that its name ends in
        #[arg(long, value_name = "V", conflicts_with = "from")]
        version: Option<String>,
        /// The release, which distinguishes rebuilds of one version; --bundle must then be
        /// PACKAGE-vVERSION-RELEASE
        #[arg(long, value_name = "R", conflicts_with = "from")]
        release: Option<String>,
        /// Its image, with a tag or a digest
        #[arg(long, value_name = "IMAGE", required_unless_present = "from")]
        image: Option<String>,
        /// The channel to add it to, at the place that `promote` would choose; repeatable
        #[arg(long, value_name = "C")]
        to: Vec<String>,
        /// Where to put it; by default its version decides
        #[arg(long = "as", value_enum, requires = "to")]
        how: Option<PromoteAsArg>,
        /// The entry it replaces; by default it follows from --as
        #[arg(long, value_name = "NAME|none", requires = "to")]
        replaces: Option<String>,
        /// Its skipRange
        #[arg(long, value_name = "R|none", requires = "to")]
        skip_range: Option<String>,
        /// Names that its entry skips; repeatable
        #[arg(long, value_name = "NAME", requires = "to")]
        skip: Vec<String>,
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
        /// An SVG, PNG, JPEG or GIF image, recognized by its content
        #[arg(long, value_name = "FILE")]
        icon: Option<PathBuf>,
        /// Where to write the first package of a catalog, such as NAME/catalog.json; later packages
        /// follow its layout
        #[arg(long, value_name = "PATH")]
        file: Option<String>,
    },
    /// Remove packages with everything in them
    RemovePackage {
        /// The package; repeatable
        #[arg(long, value_name = "P", required = true)]
        package: Vec<String>,
    },
    /// Copy packages verbatim from another catalog
    ///
    /// Files keep their paths; if a file already exists, the blobs are appended to it. A replaced
    /// package stays in its file if each catalog has it in a single file.
    CopyPackage {
        /// The package; repeatable
        #[arg(long, value_name = "P", required = true)]
        package: Vec<String>,
        /// The folder of the catalog that has it
        #[arg(long, value_name = "DIR2")]
        from: String,
        /// Replace a package that already exists; without this option the copy is refused
        #[arg(long)]
        replace: bool,
    },
    /// Set the image of bundles, also in related images that have the old one
    SetImage {
        #[command(flatten)]
        bundles: BundleSelection,
        /// The new image, with a tag or a digest
        #[arg(long, value_name = "IMAGE")]
        image: String,
    },
    /// Let one bundle take the place of another in every channel
    ///
    /// Entries, replaces, skips and deprecations name the new bundle; nothing else changes. The old
    /// bundle's blob is removed; the new one's is added if the catalog lacks it and --image names
    /// its image. In a semver template, both are named by image; a substitutes template gets a
    /// substitution.
    Substitute {
        #[command(flatten)]
        package: OnePackage,
        /// The bundle whose place is taken; in a semver template also its image
        #[arg(long, value_name = "NAME|IMAGE")]
        bundle: String,
        /// The bundle that takes its place; in a semver or substitutes template its image. `none`
        /// removes a substitution
        #[arg(long, value_name = "NAME|IMAGE|none", required_unless_present = "from")]
        by: Option<String>,
        /// A bundle directory, an archive of a bundle's image, or a file of blobs, to add the new
        /// bundle from
        #[arg(long, value_name = "DIR|FILE|ARCHIVE")]
        from: Option<PathBuf>,
        /// The new bundle's image, for a basic template or a bundle that the catalog lacks
        #[arg(long, value_name = "IMAGE")]
        image: Option<String>,
        /// Also skip the old name, so that installed users keep an update
        #[arg(long)]
        skip_old: bool,
    },
    /// Rename a bundle in its blob, in all channels and deprecations
    ///
    /// Installed users and the CSV in the bundle's image keep the old name.
    RenameBundle {
        #[command(flatten)]
        package: OnePackage,
        /// The bundle
        #[arg(long, value_name = "NAME")]
        bundle: String,
        /// Its new name
        #[arg(long, value_name = "NAME")]
        to: String,
        /// Also skip the old name, so that installed users keep an update
        #[arg(long)]
        skip_old: bool,
    },
    /// Add a property to bundles that do not have it yet; the value must be valid for its type
    AddProperty {
        #[command(flatten)]
        bundles: BundleSelection,
        /// The type, such as olm.gvk, olm.package.required, olm.constraint, olm.maxOpenShiftVersion
        #[arg(long = "type", value_name = "T")]
        kind: String,
        /// The value, as JSON; put text in double quotes, as in '"4.18"'
        #[arg(long, value_name = "JSON", allow_hyphen_values = true, value_parser = parse_json)]
        value: Json,
    },
    /// Convert olm.bundle.object properties to olm.csv.metadata, as opm render --migrate-level does
    Migrate {
        /// The package; by default all packages of the catalog; repeatable
        #[arg(long, value_name = "P")]
        package: Vec<String>,
    },
    /// Remove a property from bundles
    RemoveProperty {
        #[command(flatten)]
        bundles: BundleSelection,
        /// The type of the property
        #[arg(long = "type", value_name = "T")]
        kind: String,
        /// Only the property with this value; by default all of the type
        #[arg(long, value_name = "JSON", allow_hyphen_values = true, value_parser = parse_json)]
        value: Option<Json>,
    },
}

/// Bundles of a package: one, or those that meet a condition.
#[derive(Debug, Args)]
pub(crate) struct BundleSelection {
    #[command(flatten)]
    package: OnePackage,
    /// The bundle; repeatable
    #[arg(
        long,
        value_name = "NAME",
        required_unless_present = "condition",
        conflicts_with = "condition"
    )]
    bundle: Vec<String>,
    /// All bundles that meet a condition
    ///
    /// `version >=1.2.0 <1.3.0` (ranges as in skipRange); `name`, `image` or `channel` with `=TEXT`
    /// (is), `!=TEXT` (is not) or `~TEXT` (contains); `has TYPE` (has a property). A channel is one
    /// that lists the bundle. Join them with `and`, `or`, `not` and parentheses. Put text that
    /// contains spaces in quotes.
    #[arg(id = "condition", long = "where", value_name = "EXPR")]
    condition: Option<String>,
}

fn parse_json(text: &str) -> Result<Json, String> {
    serde_json::from_str(text)
        .map_err(|error| format!("{error}; put text in double quotes, as in '\"4.18\"'"))
}

impl BundleSelection {
    /// Creates one operation per bundle, or a single one for those that meet the condition.
    fn each(
        self,
        inputs: &dyn OperationInputs,
        op: impl Fn(String, Option<String>, Option<String>) -> EditOp,
    ) -> Result<Vec<EditOp>, CliError> {
        let package = self.package.name(inputs)?;
        Ok(match self.condition {
            Some(condition) => vec![op(package, None, Some(condition))],
            None => self
                .bundle
                .into_iter()
                .map(|bundle| op(package.clone(), Some(bundle), None))
                .collect(),
        })
    }
}

impl ChannelOperation {
    pub fn into_ops(self, inputs: &dyn OperationInputs) -> Result<Vec<EditOp>, CliError> {
        match self {
            ChannelOperation::RebuildEdges {
                packages,
                channel,
                rule,
            } => packages.each_item(inputs, &channel, |package, channel| EditOp::RebuildEdges {
                catalog: None,
                package,
                channel,
                rule: rule.into(),
            }),
            ChannelOperation::AddChannel {
                packages,
                channel,
                from,
            } => packages.each_item(inputs, &channel, |package, channel| EditOp::AddChannel {
                catalog: None,
                package,
                channel,
                from: from.clone(),
            }),
            ChannelOperation::RenameChannel {
                packages,
                channel,
                to,
            } => packages.each(inputs, |package| {
                EditOp::rename_channel(package, &channel, &to)
            }),
            ChannelOperation::RemoveChannel { packages, channel } => {
                packages.each_item(inputs, &channel, |package, channel| EditOp::RemoveChannel {
                    catalog: None,
                    package,
                    channel,
                })
            }
            ChannelOperation::RemoveBundle {
                package,
                bundle,
                then,
            } => {
                let package = package.name(inputs)?;
                let removals = bundle.into_iter().map(|bundle| EditOp::RemoveBundle {
                    catalog: None,
                    package: package.clone(),
                    bundle,
                    then: then.into(),
                });
                Ok(removals.collect())
            }
        }
    }
}

impl PackageOperation {
    pub fn into_ops(self, inputs: &dyn OperationInputs) -> Result<Vec<EditOp>, CliError> {
        match self {
            PackageOperation::SetDescription { packages, text } => {
                packages.each(inputs, |package| EditOp::SetDescription {
                    catalog: None,
                    package: package.to_owned(),
                    text: text.clone(),
                })
            }
            PackageOperation::SetIcon { packages, file } => {
                let data = if file.as_os_str() == "none" {
                    None
                } else {
                    Some(inputs.read_icon(&file)?)
                };
                packages.each(inputs, |package| EditOp::SetIcon {
                    catalog: None,
                    package: package.to_owned(),
                    data: data.clone(),
                })
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
                skip,
            } => {
                let mut addition = match from {
                    Some(from) => {
                        let wanted = BundleFilter {
                            package: package.explicit_name(),
                            bundle: bundle.as_deref(),
                        };
                        render_bundle(inputs, &from, wanted, image.as_deref())?
                    }
                    None => EditOp::AddBundle {
                        catalog: None,
                        package: package.name(inputs)?,
                        bundle: bundle.unwrap_or_default(),
                        version: version.unwrap_or_default(),
                        release,
                        image: image.unwrap_or_default(),
                        to: None,
                        how: None,
                        replaces: Choice::Default,
                        skip_range: Choice::Default,
                        skips: Vec::new(),
                        blob: None,
                    },
                };
                if let EditOp::AddBundle {
                    how: entry_how,
                    replaces: entry_replaces,
                    skip_range: entry_range,
                    skips,
                    ..
                } = &mut addition
                {
                    *entry_how = how.map(Into::into);
                    *entry_replaces = choice(replaces);
                    *entry_range = choice(skip_range);
                    *skips = skip;
                }
                Ok(add_to_channels(addition, to, inputs.is_semver_template()))
            }
            PackageOperation::AddPackage {
                package,
                default_channel,
                description,
                icon,
                file,
            } => Ok(vec![EditOp::AddPackage {
                catalog: None,
                package,
                default_channel,
                description: description
                    .map(|file| inputs.read_text(&file))
                    .transpose()?,
                icon: icon.map(|file| inputs.read_icon(&file)).transpose()?,
                file,
            }]),
            PackageOperation::RemovePackage { package } => Ok(package
                .into_iter()
                .map(|package| EditOp::RemovePackage {
                    catalog: None,
                    package,
                })
                .collect()),
            PackageOperation::CopyPackage {
                package,
                from,
                replace,
            } => {
                let if_there = if replace {
                    IfExists::Replace
                } else {
                    IfExists::Refuse
                };
                let copies = package.into_iter().map(|package| EditOp::CopyPackage {
                    catalog: None,
                    package,
                    from: from.clone(),
                    files: Vec::new(),
                    if_there,
                });
                Ok(copies.collect())
            }
            PackageOperation::SetImage { bundles, image } => {
                bundles.each(inputs, |package, bundle, condition| EditOp::SetImage {
                    catalog: None,
                    package,
                    bundle,
                    condition,
                    image: image.clone(),
                })
            }
            PackageOperation::Substitute {
                package,
                bundle,
                by,
                from,
                image,
                skip_old,
            } => {
                let addition = match from {
                    Some(from) => {
                        let wanted = BundleFilter {
                            package: package.explicit_name(),
                            bundle: by.as_deref(),
                        };
                        Some(render_bundle(inputs, &from, wanted, image.as_deref())?)
                    }
                    None => None,
                };
                let (by, image) = match &addition {
                    Some(EditOp::AddBundle { bundle, .. }) => (Some(bundle.clone()), None),
                    _ => (by.and_then(or_none), image),
                };
                let substitute = EditOp::Substitute {
                    catalog: None,
                    package: package.name(inputs)?,
                    bundle,
                    by,
                    image,
                    skip_old,
                };
                Ok(addition.into_iter().chain([substitute]).collect())
            }
            PackageOperation::RenameBundle {
                package,
                bundle,
                to,
                skip_old,
            } => Ok(vec![EditOp::RenameBundle {
                catalog: None,
                package: package.name(inputs)?,
                bundle,
                to,
                skip_old,
            }]),
            PackageOperation::AddProperty {
                bundles,
                kind,
                value,
            } => bundles.each(inputs, |package, bundle, condition| EditOp::AddProperty {
                catalog: None,
                package,
                bundle,
                condition,
                kind: kind.clone(),
                value: value.clone(),
            }),
            PackageOperation::Migrate { package } => {
                let migration = |package| EditOp::Migrate {
                    catalog: None,
                    package,
                };
                Ok(if package.is_empty() {
                    vec![migration(None)]
                } else {
                    package.into_iter().map(Some).map(migration).collect()
                })
            }
            PackageOperation::RemoveProperty {
                bundles,
                kind,
                value,
            } => bundles.each(inputs, |package, bundle, condition| {
                EditOp::RemoveProperty {
                    catalog: None,
                    package,
                    bundle,
                    condition,
                    kind: kind.clone(),
                    value: value.clone(),
                }
            }),
        }
    }
}

/// The bundles to choose from several; `None` accepts any name.
struct BundleFilter<'a> {
    package: Option<&'a str>,
    bundle: Option<&'a str>,
}

/// Returns the operation that adds the only bundle of a reference that passes the filter.
fn render_bundle(
    inputs: &dyn OperationInputs,
    reference: &Path,
    filter: BundleFilter<'_>,
    image: Option<&str>,
) -> Result<EditOp, CliError> {
    let text = |value: &Json, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let mut blobs = inputs.read_bundles(reference, image)?;
    blobs.retain(|blob| {
        filter
            .package
            .is_none_or(|package| blob["package"] == package)
            && filter.bundle.is_none_or(|bundle| blob["name"] == bundle)
    });
    let names: Vec<String> = blobs.iter().map(|blob| text(blob, "name")).collect();
    let blob = match (blobs.pop(), names.len()) {
        (Some(blob), 1) => blob,
        (None, _) => {
            return Err(cli_error!(
                "{} does not contain this bundle",
                reference.display()
            ));
        }
        _ => {
            let message = format!(
                "{} contains several bundles; name one with --bundle: {}",
                reference.display(),
                names.join(", ")
            );
            return Err(CliError::new(message));
        }
    };
    if text(&blob, "image").is_empty() {
        let message = format!(
            "bundle `{}` has no image; name it with --image",
            text(&blob, "name")
        );
        return Err(CliError::new(message));
    }
    Ok(add_bundle(&blob))
}

/// Returns the operations that add a bundle to channels: the addition, to the first channel, and
/// promotions to the others.
fn add_to_channels(mut addition: EditOp, channels: Vec<String>, is_semver: bool) -> Vec<EditOp> {
    let mut channels = channels.into_iter();
    let EditOp::AddBundle {
        package,
        bundle,
        to,
        how,
        replaces,
        skip_range,
        skips,
        blob,
        ..
    } = &mut addition
    else {
        return vec![addition];
    };
    *to = channels.next();
    let mut csv = blob.as_deref().map(CsvEdges::from_blob).unwrap_or_default();
    csv.skips.extend(skips.iter().cloned());
    let mut promotions = Vec::new();
    for to in channels {
        let skip = skips_from_csv(package, bundle, &to, &csv).filter(|_| !is_semver);
        promotions.push(EditOp::Promote {
            catalog: None,
            package: package.clone(),
            bundle: bundle.clone(),
            to,
            how: *how,
            replaces: replaces.clone(),
            skip_range: skip_range.clone(),
        });
        promotions.extend(skip);
    }
    std::iter::once(addition).chain(promotions).collect()
}
