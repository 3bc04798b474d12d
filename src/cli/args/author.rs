//! The arguments of the commands that create a catalog: rendering, a new package, a Dockerfile. Their options are
//! `opm`'s.

use clap::{Args, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    /// Bundle directories, catalogs, archives of bundle images, or files of blobs; `-` reads blobs from standard input
    #[arg(required = true, value_name = "DIR|ARCHIVE|FILE")]
    pub(crate) references: Vec<PathBuf>,
    /// The image to write for a bundle directory or archive, such as `example.com/{{.Package}}/bundle:v{{.Version}}`
    #[arg(
        long,
        value_name = "TEMPLATE",
        visible_alias = "alpha-image-ref-template"
    )]
    pub(crate) image_ref_template: Option<String>,
    /// The last migration to apply to the output: none, bundle-object-to-csv-metadata or all
    #[arg(
        long,
        value_name = "LEVEL",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) migrate_level: String,
    /// Same as --migrate-level all
    #[arg(long, conflicts_with = "migrate_level")]
    pub(crate) migrate: bool,
    /// The form of the output: json or yaml
    #[arg(long, short = 'o', value_name = "FORMAT", default_value = "json")]
    pub(crate) output: String,
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The package's name
    #[arg(value_name = "NAME")]
    pub(crate) name: Vec<String>,
    /// Its default channel
    #[arg(
        long,
        short = 'c',
        value_name = "CHANNEL",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) default_channel: String,
    /// A file whose text describes the package, such as README.md
    #[arg(long, short = 'd', value_name = "README")]
    // As in `opm`, an empty name means no file; clap would refuse it for a path.
    pub(crate) description: Option<OsString>,
    /// An image file
    #[arg(long, short = 'i', value_name = "ICON")]
    pub(crate) icon: Option<OsString>,
    /// The form of the output: json or yaml
    #[arg(long, short = 'o', value_name = "FORMAT", default_value = "json")]
    pub(crate) output: String,
}

#[derive(Debug, Args)]
pub(crate) struct MigrateArgs {
    /// The catalog's folder
    pub(crate) dir: PathBuf,
    /// Write the files; without it the patch is printed
    #[arg(long)]
    pub(crate) write: bool,
    /// Do nothing if the catalog would fail `opm validate` afterwards
    #[arg(long)]
    pub(crate) require_pass: bool,
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
    pub(crate) dir: Vec<PathBuf>,
    /// The image that serves the catalog; `scratch` for an image that only holds files
    #[arg(long, short = 'i', value_name = "IMAGE", default_value = fbc::dockerfile::DEFAULT_IMAGE)]
    pub(crate) base_image: String,
    /// The image that builds the catalog's cache
    #[arg(long, short = 'b', value_name = "IMAGE", default_value = fbc::dockerfile::DEFAULT_IMAGE)]
    pub(crate) builder_image: String,
    /// Set both images at once; kept for older scripts
    #[arg(long, value_name = "IMAGE", conflicts_with = "base_image")]
    pub(crate) binary_image: Option<String>,
    /// Further labels of the image
    #[arg(long, short = 'l', value_name = "KEY=VALUE,...")]
    pub(crate) extra_labels: Vec<String>,
}
