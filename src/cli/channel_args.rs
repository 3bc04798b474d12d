//! `switchyard edit`: the operations on whole channels and their bundles as words.

use super::edit_args::ThenArg;
use crate::fbc::edit::op::{EdgeRule, EditOp};
use clap::{Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(super) enum ChannelOperation {
    /// Make the edges of a channel anew, by a rule
    ///
    /// Edges between its entries are the rule's alone; what comes from outside stays: skips of names that are not in the
    /// channel, replaces of such a name where the rule gives none, and the lowest entry's skip range.
    RebuildEdges {
        #[arg(long, value_name = "P")]
        package: String,
        #[arg(long, value_name = "C")]
        channel: String,
        #[arg(long, value_enum)]
        rule: RuleArg,
    },
    /// Add a channel
    ///
    /// Without --from it has no entries, which opm refuses until a bundle is promoted into it.
    AddChannel {
        #[arg(long, value_name = "P")]
        package: String,
        /// The new channel
        #[arg(long, value_name = "C")]
        channel: String,
        /// The channel whose entries it gets, with their edges
        #[arg(long, value_name = "C2")]
        from: Option<String>,
    },
    /// Rename a channel, with the default channel and the deprecations that name it
    RenameChannel {
        #[arg(long, value_name = "P")]
        package: String,
        #[arg(long, value_name = "C")]
        channel: String,
        /// Its new name
        #[arg(long, value_name = "NAME")]
        to: String,
    },
    /// Remove a channel and the deprecations that name it; its bundles stay
    ///
    /// Of the default channel opm wants another one: set-default-channel first.
    RemoveChannel {
        #[arg(long, value_name = "P")]
        package: String,
        #[arg(long, value_name = "C")]
        channel: String,
    },
    /// Remove a bundle, its entries in all channels and the deprecations that name it
    ///
    /// A channel that loses its last entry stays, without any, and the verdict tells of it.
    RemoveBundle {
        #[arg(long, value_name = "P")]
        package: String,
        #[arg(long, value_name = "NAME")]
        bundle: String,
        /// What becomes of the edges that named it
        #[arg(long, value_enum, default_value_t = ThenArg::Relink)]
        then: ThenArg,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum RuleArg {
    /// Each entry replaces the next lower one
    Replaces,
    /// The highest of a y-stream replaces the highest of the one before, and skips all else below it in its major version
    SkipPatch,
    /// As replaces, and each takes over by range from the start of its y-stream (the first: of the one before)
    SkipRange,
}

impl From<ChannelOperation> for EditOp {
    fn from(operation: ChannelOperation) -> Self {
        let catalog = None;
        match operation {
            ChannelOperation::RebuildEdges { package, channel, rule } => EditOp::RebuildEdges {
                catalog,
                package,
                channel,
                rule: match rule {
                    RuleArg::Replaces => EdgeRule::Replaces,
                    RuleArg::SkipPatch => EdgeRule::SkipPatch,
                    RuleArg::SkipRange => EdgeRule::SkipRange,
                },
            },
            ChannelOperation::AddChannel { package, channel, from } => {
                EditOp::AddChannel { catalog, package, channel, from }
            }
            ChannelOperation::RenameChannel { package, channel, to } => {
                EditOp::RenameChannel { catalog, package, channel, to }
            }
            ChannelOperation::RemoveChannel { package, channel } => EditOp::RemoveChannel { catalog, package, channel },
            ChannelOperation::RemoveBundle { package, bundle, then } => {
                EditOp::RemoveBundle { catalog, package, bundle, then: then.into() }
            }
        }
    }
}
