//! The words of `switchyard repo`.

use super::formats::TextOrData;
use clap::{Args, Subcommand};
use std::path::{Path, PathBuf};

#[derive(Debug, Subcommand)]
pub(super) enum RepositoryCommand {
    /// Show which catalogs are what their templates render to
    Status(StatusArgs),
    /// Check an operator, a bundle and catalogs of it as the pipeline checks a pull request
    Check(CheckArgs),
}

/// Which repository, and how the answer is written.
#[derive(Debug, Args)]
pub(super) struct RepositoryArgs {
    /// The folder that holds `operators` and `catalogs`; by default the nearest upward from the present folder
    #[arg(value_name = "ROOT")]
    root: Option<PathBuf>,
    /// Output format
    #[arg(long, short = 'o', visible_alias = "output", value_enum, default_value_t = TextOrData::Text)]
    pub(super) format: TextOrData,
}

impl RepositoryArgs {
    pub(super) fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }
}

#[derive(Debug, Args)]
pub(super) struct StatusArgs {
    #[command(flatten)]
    pub(super) repository: RepositoryArgs,
    /// Only this operator, by its folder; may be given several times
    #[arg(long, value_name = "O")]
    pub(super) operator: Vec<String>,
}

#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    pub(super) repository: RepositoryArgs,
    /// The operator, by its folder
    #[arg(long, value_name = "O")]
    pub(super) operator: String,
    /// Check this bundle of it too, by its folder
    #[arg(long, value_name = "V")]
    pub(super) bundle: Option<String>,
    /// Check the operator in this catalog too; may be given several times
    #[arg(long, value_name = "C")]
    pub(super) catalog: Vec<String>,
}
