//! The words of the commands on whole catalogs: cut a part out, merge several.

use super::args::PartialArgs;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct SubsetArgs {
    /// The catalog's folder; `-` reads one from standard input, as `opm render` writes it
    pub(super) dir: PathBuf,
    /// A package that stays; repeatable. Without it all do
    #[arg(long, value_name = "P", num_args = 1..)]
    pub(super) package: Vec<String>,
    /// A channel that stays, of every package or of one; repeatable. Without it all channels of a package do
    #[arg(long, value_name = "[P=]C", num_args = 1..)]
    pub(super) channel: Vec<String>,
    /// The lowest version that stays, with all above it: of every package or of one; repeatable
    #[arg(long, value_name = "[P=]VERSION", conflicts_with = "heads_only", num_args = 1..)]
    pub(super) from: Vec<String>,
    /// Only the head of each channel stays
    #[arg(long)]
    pub(super) heads_only: bool,
    /// The channel that becomes the default, of every package that has it or of one; repeatable
    #[arg(long, value_name = "[P=]C", num_args = 1..)]
    pub(super) default_channel: Vec<String>,
    #[command(flatten)]
    pub(super) out: OutArgs,
    #[command(flatten)]
    pub(super) partial: PartialArgs,
}

/// Where a catalog goes.
#[derive(Debug, Args)]
pub(super) struct OutArgs {
    /// A new or empty folder for the files; without it the catalog is printed
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    /// The catalogs' folders
    #[arg(required = true, value_name = "DIR")]
    pub(super) dirs: Vec<PathBuf>,
    /// Whose package it is where catalogs have different ones of a name, or whose file of a path; repeatable
    #[arg(long, value_name = "P|FILE=DIR")]
    pub(super) take: Vec<String>,
    #[command(flatten)]
    pub(super) out: OutArgs,
    #[command(flatten)]
    pub(super) partial: PartialArgs,
}
