//! The arguments of `switchyard repo`.

use crate::input::template_bundles::BundlesArgs;
use crate::output::formats::TextOrData;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum RepositoryCommand {
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
pub(crate) struct RepositoryArgs {
    /// The folder that contains `operators` and `catalogs`, or the folder of one operator, with its `ci.yaml`; by default the
    /// nearest repository from the current folder upward
    #[arg(value_name = "ROOT")]
    pub(crate) root: Option<PathBuf>,
    /// The folder that holds the catalogs, such as v4.21, where ROOT has no `catalogs`
    #[arg(long, value_name = "DIR")]
    pub(crate) catalogs: Option<PathBuf>,
    /// Output format
    #[arg(long, short = 'o', visible_alias = "output", value_enum, default_value_t = TextOrData::Text)]
    pub(crate) format: TextOrData,
}

/// One operator of a repository.
#[derive(Debug, Args)]
pub(crate) struct OperatorArgs {
    #[command(flatten)]
    pub(crate) repository: RepositoryArgs,
    /// The operator, by folder name
    #[arg(long, value_name = "O")]
    pub(crate) operator: String,
}

/// The option of commands that change files.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct WriteArg {
    /// Write the files, all or none; without it the patch is printed
    #[arg(long)]
    pub(crate) write: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    pub(crate) repository: RepositoryArgs,
    /// Only this operator, by folder name; repeatable
    #[arg(long, value_name = "O")]
    pub(crate) operator: Vec<String>,
    #[command(flatten)]
    pub(crate) known: BundlesArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) of: OperatorArgs,
    /// Also check this bundle of the operator, by folder name
    #[arg(long, value_name = "V")]
    pub(crate) bundle: Option<String>,
    /// Also check the operator in this catalog; repeatable
    #[arg(long, value_name = "C")]
    pub(crate) catalog: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ReleaseArgs {
    #[command(flatten)]
    pub(crate) of: OperatorArgs,
    /// The bundle, by folder name
    #[arg(long, value_name = "V")]
    pub(crate) bundle: String,
    /// The bundle's image reference; a placeholder is enough to see what would change
    #[arg(long, value_name = "REF")]
    pub(crate) image: String,
    #[command(flatten)]
    pub(crate) write: WriteArg,
}

#[derive(Debug, Args)]
pub(crate) struct PromoteArgs {
    #[command(flatten)]
    pub(crate) repository: RepositoryArgs,
    /// The catalog that is copied, such as v4.21
    #[arg(long, value_name = "C")]
    pub(crate) from: String,
    /// The catalog that it is copied to, such as v4.22
    #[arg(long, value_name = "C")]
    pub(crate) to: String,
    /// Only this operator, by folder name; repeatable
    #[arg(long, value_name = "O")]
    pub(crate) operator: Vec<String>,
    #[command(flatten)]
    pub(crate) write: WriteArg,
}

#[derive(Debug, Args)]
pub(crate) struct OnboardArgs {
    #[command(flatten)]
    pub(crate) of: OperatorArgs,
    /// A catalog that serves the operator now, and the output of `opm render` for it, such as v4.21=index.yaml;
    /// repeatable
    #[arg(long, value_name = "C=FILE", required = true, value_parser = named_file)]
    pub(crate) catalog: Vec<(String, PathBuf)>,
    #[command(flatten)]
    pub(crate) write: WriteArg,
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
pub(crate) struct RenderArgs {
    #[command(flatten)]
    pub(crate) repository: RepositoryArgs,
    /// Only this operator, by folder name; repeatable
    #[arg(long, value_name = "O")]
    pub(crate) operator: Vec<String>,
    /// Only this catalog; repeatable
    #[arg(long, value_name = "C")]
    pub(crate) catalog: Vec<String>,
    /// Only catalogs that differ from what their template renders to
    #[arg(long)]
    pub(crate) stale: bool,
    #[command(flatten)]
    pub(crate) known: BundlesArgs,
    #[command(flatten)]
    pub(crate) write: WriteArg,
}
