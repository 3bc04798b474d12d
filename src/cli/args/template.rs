//! The arguments of `switchyard template`.

use crate::input::template_bundles::BundlesArgs;
use crate::output::formats::Data;
use clap::{Args, Subcommand, ValueEnum};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

#[derive(Debug, Subcommand)]
pub(crate) enum TemplateCommand {
    /// Print the catalog that a template renders to, as `opm alpha render-template` does
    Render(RenderArgs),
    /// Print a template for a catalog, as `opm alpha convert-template` does, or a semver template that renders to its
    /// graph
    Convert(ConvertArgs),
}

#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    /// The template's file; `-` reads it from standard input. You can give the type before it, as in `opm`
    #[arg(value_name = "[TYPE] FILE", required = true, num_args = 1..=2)]
    operands: Vec<PathBuf>,
    /// The type of template: basic, semver or substitutes. Default: by the schema of the first document
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    #[command(flatten)]
    pub(crate) known: BundlesArgs,
    /// The last migration to apply to rendered bundles: none, bundle-object-to-csv-metadata or all
    #[arg(long, value_name = "LEVEL")]
    pub(crate) migrate_level: Option<String>,
    /// The form of the catalog
    #[arg(long, short = 'o', visible_alias = "output", value_enum, default_value_t = RenderFormat::Json)]
    pub(crate) format: RenderFormat,
}

impl RenderArgs {
    /// The template's file: the last operand.
    pub(crate) fn file(&self) -> &Path {
        self.operands
            .last()
            .map_or(Path::new("-"), PathBuf::as_path)
    }

    /// The type by `--type`, else the operand before the file. `None`: the template's own schema decides.
    pub(crate) fn kind(&self) -> Option<Cow<'_, str>> {
        let before_file = self
            .operands
            .split_last()
            .and_then(|(_, before)| before.first());
        self.kind
            .as_deref()
            .map(Cow::Borrowed)
            .or_else(|| before_file.map(|kind| kind.to_string_lossy()))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RenderFormat {
    /// Blobs as JSON, one after the other
    Json,
    /// Blobs as YAML documents
    Yaml,
    /// The upgrade graph
    Mermaid,
}

#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// The kind of template
    #[arg(value_enum)]
    pub(crate) kind: ConvertKind,
    /// The catalog: a file, a folder, or `-` for standard input; with --bundles a template's file, for what it renders to
    #[arg(value_name = "FILE|DIR")]
    pub(crate) catalog: PathBuf,
    #[command(flatten)]
    pub(crate) known: BundlesArgs,
    /// The form of the template
    #[arg(long, short = 'o', visible_alias = "output", value_enum, default_value_t = Data::Json)]
    pub(crate) format: Data,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConvertKind {
    /// Bundles as images, all other blobs unchanged
    Basic,
    /// All blobs unchanged, and a list of substitutions
    Substitutes,
    /// Bundle images listed under candidate, fast and stable; only if such a template renders to the same graph
    Semver,
}
