//! The arguments of `subset` and `merge`.

use super::args::PartialArgs;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct SubsetArgs {
    /// The catalog's folder; `-` reads one from standard input, as `opm render` writes it
    pub(super) dir: PathBuf,
    /// Package to keep; repeatable. Default: all
    #[arg(long, value_name = "P", num_args = 1..)]
    pub(super) package: Vec<String>,
    /// Channel to keep, in every package or in package P; repeatable. Default: all channels of a kept package
    #[arg(long, value_name = "[P=]C", num_args = 1..)]
    pub(super) channel: Vec<String>,
    /// Lowest version to keep, in every package or in package P; everything newer is kept, up to --to; repeatable
    #[arg(long, value_name = "[P=]VERSION", conflicts_with = "heads_only", num_args = 1..)]
    pub(super) from: Vec<String>,
    /// Highest version to keep, in every package or in package P; repeatable
    #[arg(long, value_name = "[P=]VERSION", conflicts_with = "heads_only", num_args = 1..)]
    pub(super) to: Vec<String>,
    /// Keep only this version, in every package or in package P; repeatable
    #[arg(long, value_name = "[P=]VERSION", conflicts_with_all = ["heads_only", "from", "to"], num_args = 1..)]
    pub(super) only: Vec<String>,
    /// Keep only the head of each channel
    #[arg(long)]
    pub(super) heads_only: bool,
    /// New default channel, of every package that has it or of package P; repeatable
    #[arg(long, value_name = "[P=]C", num_args = 1..)]
    pub(super) default_channel: Vec<String>,
    #[command(flatten)]
    pub(super) out: OutArgs,
    #[command(flatten)]
    pub(super) partial: PartialArgs,
}

/// Where the new catalog is written.
#[derive(Debug, Args)]
pub(super) struct OutArgs {
    /// New or empty folder to write to; by default the catalog is printed
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    /// Folders of the catalogs to merge
    #[arg(required = true, value_name = "DIR")]
    pub(super) dirs: Vec<PathBuf>,
    /// Which catalog to take package P or FILE from when the catalogs differ; repeatable
    #[arg(long, value_name = "P|FILE=DIR")]
    pub(super) take: Vec<String>,
    #[command(flatten)]
    pub(super) out: OutArgs,
    #[command(flatten)]
    pub(super) partial: PartialArgs,
}
