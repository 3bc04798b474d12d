//! The arguments of `switchyard repo`.

use super::formats::TextOrData;
use super::template_bundles::BundlesArgs;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(super) enum RepositoryCommand {
    /// Show which catalogs are what their templates render to
    Status(StatusArgs),
    /// Check an operator, and optionally a bundle and catalogs of it, as the pipeline checks a pull request
    Check(CheckArgs),
    /// Release a bundle as its `release-config.yaml` says: edit the templates and render their catalogs
    Release(ReleaseArgs),
    /// Promote operators to the next OpenShift version: copy their catalogs, and add the new catalog to their `ci.yaml`
    Promote(PromoteArgs),
    /// Move an operator to file-based catalogs: a template for each catalog that serves it, and the mapping in `ci.yaml`
    Onboard(OnboardArgs),
    /// Render catalogs anew from the templates that are mapped to them
    Render(RenderArgs),
}

/// The repository, and the output format.
#[derive(Debug, Args)]
pub(super) struct RepositoryArgs {
    /// The folder that contains `operators` and `catalogs`, or the folder of one operator, with its `ci.yaml`; by default the
    /// nearest repository from the current folder upward
    #[arg(value_name = "ROOT")]
    pub(super) root: Option<PathBuf>,
    /// The folder that holds the catalogs, such as v4.21, where ROOT has no `catalogs`
    #[arg(long, value_name = "DIR")]
    pub(super) catalogs: Option<PathBuf>,
    /// Output format
    #[arg(long, short = 'o', visible_alias = "output", value_enum, default_value_t = TextOrData::Text)]
    pub(super) format: TextOrData,
}

/// One operator of a repository.
#[derive(Debug, Args)]
pub(super) struct OperatorArgs {
    #[command(flatten)]
    pub(super) repository: RepositoryArgs,
    /// The operator, by folder name
    #[arg(long, value_name = "O")]
    pub(super) operator: String,
}

/// The option of commands that change files.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct WriteArg {
    /// Write the files, all or none; without it the patch is printed
    #[arg(long)]
    pub(super) write: bool,
}

#[derive(Debug, Args)]
pub(super) struct StatusArgs {
    #[command(flatten)]
    pub(super) repository: RepositoryArgs,
    /// Only this operator, by folder name; repeatable
    #[arg(long, value_name = "O")]
    pub(super) operator: Vec<String>,
    #[command(flatten)]
    pub(super) known: BundlesArgs,
}

#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    pub(super) of: OperatorArgs,
    /// Also check this bundle of the operator, by folder name
    #[arg(long, value_name = "V")]
    pub(super) bundle: Option<String>,
    /// Also check the operator in this catalog; repeatable
    #[arg(long, value_name = "C")]
    pub(super) catalog: Vec<String>,
}

#[derive(Debug, Args)]
pub(super) struct ReleaseArgs {
    #[command(flatten)]
    pub(super) of: OperatorArgs,
    /// The bundle, by folder name
    #[arg(long, value_name = "V")]
    pub(super) bundle: String,
    /// The bundle's image reference; a placeholder is enough to see what would change
    #[arg(long, value_name = "REF")]
    pub(super) image: String,
    #[command(flatten)]
    pub(super) write: WriteArg,
}

#[derive(Debug, Args)]
pub(super) struct PromoteArgs {
    #[command(flatten)]
    pub(super) repository: RepositoryArgs,
    /// The catalog that is copied, such as v4.21
    #[arg(long, value_name = "C")]
    pub(super) from: String,
    /// The catalog that it is copied to, such as v4.22
    #[arg(long, value_name = "C")]
    pub(super) to: String,
    /// Only this operator, by folder name; repeatable
    #[arg(long, value_name = "O")]
    pub(super) operator: Vec<String>,
    #[command(flatten)]
    pub(super) write: WriteArg,
}

#[derive(Debug, Args)]
pub(super) struct OnboardArgs {
    #[command(flatten)]
    pub(super) of: OperatorArgs,
    /// A catalog that serves the operator now, and the output of `opm render` for it, such as v4.21=index.yaml;
    /// repeatable
    #[arg(long, value_name = "C=FILE", required = true, value_parser = named_file)]
    pub(super) catalog: Vec<(String, PathBuf)>,
    #[command(flatten)]
    pub(super) write: WriteArg,
}

/// Parses a name and a file with `=` between them.
fn named_file(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, file))
            if !name.is_empty()
                && !file.is_empty()
                && !name.contains(['/', '\\'])
                && name != ".." =>
        {
            Ok((name.to_owned(), PathBuf::from(file)))
        }
        _ => Err("write the catalog's name and its file, such as v4.21=index.yaml".to_owned()),
    }
}

#[derive(Debug, Args)]
pub(super) struct RenderArgs {
    #[command(flatten)]
    pub(super) repository: RepositoryArgs,
    /// Only this operator, by folder name; repeatable
    #[arg(long, value_name = "O")]
    pub(super) operator: Vec<String>,
    /// Only this catalog; repeatable
    #[arg(long, value_name = "C")]
    pub(super) catalog: Vec<String>,
    /// Only catalogs that differ from what their template renders to
    #[arg(long)]
    pub(super) stale: bool,
    #[command(flatten)]
    pub(super) known: BundlesArgs,
    #[command(flatten)]
    pub(super) write: WriteArg,
}
