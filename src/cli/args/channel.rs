//! `switchyard edit`: the arguments of operations on whole channels and their bundles.

use crate::args::edit::{OnePackage, OperationInputs, Packages, ThenArg};
use clap::{Subcommand, ValueEnum};
use protocol::operation::{EdgeRule, EditOp};

#[derive(Debug, Subcommand)]
pub(crate) enum ChannelOperation {
    /// Rebuild the edges of a channel by a rule
    ///
    /// The rule replaces all edges between its entries. Edges to names that are not in the channel stay: all skips of
    /// such names, and a `replaces` where the rule sets none; so does the lowest entry's skipRange. With z-stream,
    /// these edges move to the highest entry of the y-stream.
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
    /// Without --from it has no entries, and opm refuses the catalog until you promote a bundle to it.
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
    /// To remove the default channel, set another one first (set-default-channel); otherwise opm refuses the package.
    RemoveChannel {
        #[command(flatten)]
        packages: Packages,
        /// The channel; repeatable
        #[arg(long, value_name = "C", required = true)]
        channel: Vec<String>,
    },
    /// Remove a bundle, its entries in all channels and the deprecations that name it
    ///
    /// A channel that loses its last entry stays, empty, and fails validation. If the catalog has several identical
    /// copies of the bundle, only the last copy is removed, and nothing else.
    RemoveBundle {
        #[command(flatten)]
        package: OnePackage,
        /// The bundle; repeatable
        #[arg(long, value_name = "NAME", required = true)]
        bundle: Vec<String>,
        /// What happens to edges that name it; by default nobody who has it installed loses the update
        #[arg(long, value_enum, default_value_t = ThenArg::Skip)]
        then: ThenArg,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum RuleArg {
    /// Each entry replaces the next lower one
    Replaces,
    /// Like the semver template: the highest entry of each y-stream replaces that of the previous one, and skips
    /// everything else below it in its major version
    SkipPatch,
    /// The highest entry of each y-stream replaces that of the previous one, and skips all others of its own: everyone
    /// passes through the latest patch
    ZStream,
    /// Like replaces; in addition, each entry has a skipRange from the start of its y-stream (its first entry: of the
    /// y-stream before)
    SkipRange,
}

impl From<RuleArg> for EdgeRule {
    fn from(rule: RuleArg) -> Self {
        match rule {
            RuleArg::Replaces => EdgeRule::Replaces,
            RuleArg::SkipPatch => EdgeRule::SkipPatch,
            RuleArg::ZStream => EdgeRule::ZStream,
            RuleArg::SkipRange => EdgeRule::SkipRange,
        }
    }
}

impl ChannelOperation {
    pub(crate) fn into_ops<S: OperationInputs>(self, inputs: &S) -> Result<Vec<EditOp>, S::Error> {
        Ok(match self {
            ChannelOperation::RebuildEdges {
                packages,
                channel,
                rule,
            } => {
                let packages = packages.names(inputs)?;
                each(&packages, &channel, |package, channel| {
                    EditOp::RebuildEdges {
                        catalog: None,
                        package,
                        channel,
                        rule: rule.into(),
                    }
                })
            }
            ChannelOperation::AddChannel {
                packages,
                channel,
                from,
            } => {
                let packages = packages.names(inputs)?;
                each(&packages, &channel, |package, channel| EditOp::AddChannel {
                    catalog: None,
                    package,
                    channel,
                    from: from.clone(),
                })
            }
            ChannelOperation::RenameChannel {
                packages,
                channel,
                to,
            } => {
                let packages = packages.names(inputs)?;
                each(&packages, &[channel], |package, channel| {
                    EditOp::RenameChannel {
                        catalog: None,
                        package,
                        channel,
                        to: to.clone(),
                    }
                })
            }
            ChannelOperation::RemoveChannel { packages, channel } => {
                let packages = packages.names(inputs)?;
                each(&packages, &channel, |package, channel| {
                    EditOp::RemoveChannel {
                        catalog: None,
                        package,
                        channel,
                    }
                })
            }
            ChannelOperation::RemoveBundle {
                package,
                bundle,
                then,
            } => {
                let package = package.name(inputs)?;
                each(&[package], &bundle, |package, bundle| {
                    EditOp::RemoveBundle {
                        catalog: None,
                        package,
                        bundle,
                        then: then.into(),
                    }
                })
            }
        })
    }
}

/// One operation per item of `of`, in each package.
fn each(packages: &[String], of: &[String], op: impl Fn(String, String) -> EditOp) -> Vec<EditOp> {
    packages
        .iter()
        .flat_map(|p| of.iter().map(move |one| (p, one)))
        .map(|(p, one)| op(p.clone(), one.clone()))
        .collect()
}
