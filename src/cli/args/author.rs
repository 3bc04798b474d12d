//! Arguments of the commands that write new blobs, templates and repositories.

use super::options::{BundlesArgs, FormatArgs};
use crate::output::formats::Data;
use clap::{Args, Subcommand, ValueEnum};
use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    /// Bundle directories, catalogs, archives of bundle images, or files of blobs; `-` reads blobs
    /// from standard input
    #[arg(required = true, value_name = "DIR|ARCHIVE|FILE")]
    pub references: Vec<PathBuf>,
    /// The image to write for a bundle directory or archive, such as
    /// `example.com/{{.Package}}/bundle:v{{.Version}}`
    #[arg(
        long,
        value_name = "TEMPLATE",
        visible_alias = "alpha-image-ref-template"
    )]
    pub image_ref_template: Option<String>,
    /// The last migration to apply to the output: none, bundle-object-to-csv-metadata or all
    #[arg(
        long,
        value_name = "LEVEL",
        default_value = "",
        hide_default_value = true
    )]
    pub migrate_level: String,
    /// Same as --migrate-level all
    #[arg(long, conflicts_with = "migrate_level")]
    pub migrate: bool,
    /// The form of the output: json or yaml
    #[arg(long, short = 'o', value_name = "FORMAT", default_value = "json")]
    pub output: String,
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The package's name
    #[arg(value_name = "NAME")]
    pub name: Vec<String>,
    /// Its default channel
    #[arg(
        long,
        short = 'c',
        value_name = "CHANNEL",
        default_value = "",
        hide_default_value = true
    )]
    pub default_channel: String,
    /// A file whose text describes the package, such as README.md
    #[arg(long, short = 'd', value_name = "README")]
    // As in `opm`, an empty name means no file; clap would refuse it for a path.
    pub description: Option<OsString>,
    /// An image file
    #[arg(long, short = 'i', value_name = "ICON")]
    pub icon: Option<OsString>,
    /// The form of the output: json or yaml
    #[arg(long, short = 'o', value_name = "FORMAT", default_value = "json")]
    pub output: String,
}

#[derive(Debug, Args)]
pub(crate) struct MigrateArgs {
    /// The catalog's folder
    pub dir: PathBuf,
    /// Write the files; without it the patch is printed
    #[arg(long)]
    pub write: bool,
    /// Do nothing if the catalog would fail `opm validate` afterwards
    #[arg(long)]
    pub require_pass: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Generate {
    /// Write a catalog's Dockerfile next to its folder
    Dockerfile(DockerfileArgs),
}

#[derive(Debug, Args)]
pub(crate) struct DockerfileArgs {
    /// The catalog's folder
    #[arg(value_name = "DIR")]
    pub dir: Vec<PathBuf>,
    /// The image that serves the catalog; `scratch` for an image that only holds files
    #[arg(long, short = 'i', value_name = "IMAGE", default_value = bundle::dockerfile::DEFAULT_IMAGE)]
    pub base_image: String,
    /// The image that builds the catalog's cache
    #[arg(long, short = 'b', value_name = "IMAGE", default_value = bundle::dockerfile::DEFAULT_IMAGE)]
    pub builder_image: String,
    /// Set both images at once; kept for older scripts
    #[arg(long, value_name = "IMAGE", conflicts_with = "base_image")]
    pub binary_image: Option<String>,
    /// Further labels of the image
    #[arg(long, short = 'l', value_name = "KEY=VALUE,...")]
    pub extra_labels: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TemplateCommand {
    /// Print the catalog that a template renders to, as `opm alpha render-template` does
    Render(TemplateRenderArgs),
    /// Print a template for a catalog, as `opm alpha convert-template` does, or a semver template
    /// that renders to its graph
    Convert(ConvertArgs),
}

#[derive(Debug, Args)]
pub(crate) struct TemplateRenderArgs {
    /// The template's file; `-` reads it from standard input. You can give the type before it, as
    /// in `opm`
    #[arg(value_name = "[TYPE] FILE", required = true, num_args = 1..=2)]
    operands: Vec<PathBuf>,
    /// The type of template: basic, semver or substitutes. Default: by the schema of the first
    /// document
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    #[command(flatten)]
    pub known: BundlesArgs,
    /// The last migration to apply to rendered bundles: none, bundle-object-to-csv-metadata or all
    #[arg(long, value_name = "LEVEL")]
    pub migrate_level: Option<String>,
    /// The form of the catalog
    #[arg(long, short = 'o', visible_alias = "output", value_enum, default_value_t = RenderFormat::Json)]
    pub format: RenderFormat,
}

impl TemplateRenderArgs {
    /// Returns the template's file, which is the last operand.
    pub fn file(&self) -> &Path {
        self.operands
            .last()
            .map_or(Path::new("-"), PathBuf::as_path)
    }

    /// Returns the type from `--type`, else from the operand before the file. If `None`, the
    /// template's own schema decides.
    pub fn kind(&self) -> Option<Cow<'_, str>> {
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
    pub kind: ConvertKind,
    /// The catalog: a file, a folder, or `-` for standard input; with --bundles a template's file,
    /// for what it renders to
    #[arg(value_name = "FILE|DIR")]
    pub catalog: PathBuf,
    #[command(flatten)]
    pub known: BundlesArgs,
    /// The form of the template
    #[arg(long, short = 'o', visible_alias = "output", value_enum, default_value_t = Data::Json)]
    pub format: Data,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConvertKind {
    /// Bundles as images, all other blobs unchanged
    Basic,
    /// All blobs unchanged, and a list of substitutions
    Substitutes,
    /// Bundle images listed under candidate, fast and stable; only if such a template renders to
    /// the same graph
    Semver,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RepositoryCommand {
    /// Show which catalogs are what their templates render to
    Status(StatusArgs),
    /// Check an operator, and optionally a bundle and catalogs of it, as the pipeline checks a pull
    /// request
    Check(CheckArgs),
    /// Release a bundle as in its `release-config.yaml`: edit the templates and render their
    /// catalogs
    Release(ReleaseArgs),
    /// Promote operators to the next OpenShift version: copy their catalogs, and add the new
    /// catalog to their `ci.yaml`
    Promote(PromoteArgs),
    /// Move an operator to file-based catalogs: a template for each catalog that serves it, and the
    /// mapping in `ci.yaml`
    Onboard(OnboardArgs),
    /// Render catalogs anew from the templates that are mapped to them
    Render(RepositoryRenderArgs),
}

/// The repository, and the output format.
#[derive(Debug, Args)]
pub(crate) struct RepositoryArgs {
    /// The folder that contains `operators` and `catalogs`, or the folder of one operator, with its
    /// `ci.yaml`; by default the nearest repository from the current folder upward
    #[arg(value_name = "ROOT")]
    pub root: Option<PathBuf>,
    /// The folder that holds the catalogs, such as v4.21, where ROOT has no `catalogs`
    #[arg(long, value_name = "DIR")]
    pub catalogs: Option<PathBuf>,
    #[command(flatten)]
    pub output: FormatArgs,
}

/// One operator of a repository.
#[derive(Debug, Args)]
pub(crate) struct OperatorArgs {
    #[command(flatten)]
    pub repository: RepositoryArgs,
    /// The operator, by folder name
    #[arg(long, value_name = "O")]
    pub operator: String,
}

/// The option of commands that change files.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct WriteArg {
    /// Write the files, all or none; without it the patch is printed
    #[arg(long)]
    pub write: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    pub repository: RepositoryArgs,
    /// Only this operator, by folder name; repeatable
    #[arg(long, value_name = "O")]
    pub operator: Vec<String>,
    #[command(flatten)]
    pub known: BundlesArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub operator: OperatorArgs,
    /// Also check this bundle of the operator, by folder name
    #[arg(long, value_name = "V")]
    pub bundle: Option<String>,
    /// Also check the operator in this catalog; repeatable
    #[arg(long, value_name = "C")]
    pub catalog: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ReleaseArgs {
    #[command(flatten)]
    pub operator: OperatorArgs,
    /// The bundle, by folder name
    #[arg(long, value_name = "V")]
    pub bundle: String,
    /// The bundle's image reference; a placeholder is enough to see what would change
    #[arg(long, value_name = "REF")]
    pub image: String,
    #[command(flatten)]
    pub write: WriteArg,
}

#[derive(Debug, Args)]
pub(crate) struct PromoteArgs {
    #[command(flatten)]
    pub repository: RepositoryArgs,
    /// The catalog that is copied, such as v4.21
    #[arg(long, value_name = "C")]
    pub from: String,
    /// The catalog that it is copied to, such as v4.22
    #[arg(long, value_name = "C")]
    pub to: String,
    /// Only this operator, by folder name; repeatable
    #[arg(long, value_name = "O")]
    pub operator: Vec<String>,
    #[command(flatten)]
    pub write: WriteArg,
}

#[derive(Debug, Args)]
pub(crate) struct OnboardArgs {
    #[command(flatten)]
    pub operator: OperatorArgs,
    /// A catalog that serves the operator now, and the output of `opm render` for it, such as
    /// v4.21=index.yaml; repeatable
    #[arg(long, value_name = "C=FILE", required = true, value_parser = parse_named_file)]
    pub catalog: Vec<(String, PathBuf)>,
    #[command(flatten)]
    pub write: WriteArg,
}

/// Parses a name and a file with `=` between them.
fn parse_named_file(text: &str) -> Result<(String, PathBuf), String> {
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
pub(crate) struct RepositoryRenderArgs {
    #[command(flatten)]
    pub repository: RepositoryArgs,
    /// Only this operator, by folder name; repeatable
    #[arg(long, value_name = "O")]
    pub operator: Vec<String>,
    /// Only this catalog; repeatable
    #[arg(long, value_name = "C")]
    pub catalog: Vec<String>,
    /// Only catalogs that differ from what their template renders to
    #[arg(long)]
    pub stale: bool,
    #[command(flatten)]
    pub known: BundlesArgs,
    #[command(flatten)]
    pub write: WriteArg,
}
