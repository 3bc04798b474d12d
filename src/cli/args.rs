//! The arguments of the command line. Must not contain behavior, which is in `commands`.

pub(crate) mod author;
pub(crate) mod edit;
mod options;
mod package;

use crate::output::ColorArg;
use crate::output::formats::{Data, DiffFormat, GraphFormat, ValidateFormat};
use author::{Generate, InitArgs, MigrateArgs, RenderArgs, RepositoryCommand, TemplateCommand};
use clap::builder::PossibleValuesParser;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use edit::EditArgs;
use options::mirrored_values;
pub(crate) use options::{
    BundlesArgs, ClusterArgs, DEFAULT_LENS, FormatArgs, LensArg, OperationInputs, PackageArgs,
    PackagesArgs, PartialArgs, PolicyArg, Profile,
};
use protocol::views::Approval;
use std::net::IpAddr;
use std::path::PathBuf;
use verdict::compare::invariants::ALL;
use verdict::validate::OpmVersion;

/// Validate, query and edit file-based catalogs of the Operator Lifecycle Manager
///
/// DIR is always one catalog root, as for opm; commands that do not write also take `-`, standard
/// input. Exit status: 0 done or passed; 1 the answer is no, such as "fails"; 2 could not run, or
/// an edit was refused (nothing is written then). `--lens` defaults to v0, OLM Classic.
#[derive(Debug, Parser)]
#[command(
    name = "switchyard",
    version,
    max_term_width = 100,
    disable_help_subcommand = true
)]
pub(super) struct Arguments {
    /// Change to this folder first; all other paths are relative to it. Repeatable, each relative
    /// to the one before
    #[arg(short = 'C', value_name = "FOLDER", global = true)]
    pub folders: Vec<PathBuf>,
    /// Print the answer alone, without reasons and notes; errors and warnings are still printed
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// When to use colors; auto: on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = ColorArg::Auto, global = true)]
    pub color: ColorArg,
    #[command(subcommand)]
    pub command: Command,
}

/// Returns the complete definition of the command line.
pub fn command() -> clap::Command {
    Arguments::command().mut_subcommand("edit", edit::with_examples)
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Validate catalogs as `opm validate` does, and show every problem with its place
    Validate(ValidateArgs),
    /// List the catalogs that changed since a commit, one per line, for scripts
    Changed(ChangedArgs),
    /// Explain a rule or an invariant
    Explain {
        /// The rule's id, as shown with a problem, or an invariant's name; without one, all are
        /// listed
        rule: Option<String>,
        #[command(flatten)]
        output: FormatArgs,
    },
    /// List packages, channels or bundles in the columns of `opm alpha list`
    List(ListArgs),
    /// Draw the upgrade graph
    Graph(GraphArgs),
    /// Show the next step of an installed version, and why
    Next(UpgradeArgs),
    /// Show the upgrade path of an installed version to its end
    Path(UpgradeArgs),
    /// Resolve subscriptions as OLM Classic does, requirements between bundles included
    Resolve(ResolveArgs),
    /// Show which versions are in a range
    Range(RangeArgs),
    /// Compare two states of a catalog and show what changes for users
    Diff(DiffArgs),
    /// Check whether the CRDs of an upgrade may replace the installed ones
    Crds(CrdsArgs),
    /// Follow the versions of a package through the catalogs of several OpenShift versions
    Matrix(MatrixArgs),
    /// Edit a catalog without touching any other line
    Edit(EditArgs),
    /// Render a template to a catalog, or convert a catalog to a template
    #[command(subcommand)]
    Template(TemplateCommand),
    /// Print the blobs of bundles and catalogs, as `opm render` does
    Render(RenderArgs),
    /// Print the blob of a new package, as `opm init` does
    Init(InitArgs),
    /// Convert olm.bundle.object properties to olm.csv.metadata; no other line changes
    Migrate(MigrateArgs),
    /// Take a subset of a catalog: packages, channels, versions from or up to a version, one
    /// version, or heads
    Subset(SubsetArgs),
    /// Merge catalogs into one; where they differ, --take chooses
    Merge(MergeArgs),
    /// Write the Dockerfile of a catalog
    #[command(subcommand)]
    Generate(Generate),
    /// Work in an operator repository, such as community-operators: what its release pipeline will
    /// do, and what is stale
    #[command(subcommand)]
    Repo(RepositoryCommand),
    /// Print the manifests for trying a package on a cluster: catalog, subscription or extension,
    /// and what they need
    Manifests(ManifestsArgs),
    /// Serve an editor over standard input and output: a language server for catalogs and templates
    #[command(after_help = LSP_HELP)]
    Lsp {
        /// The catalogs' folders. Default: found from each file that is opened
        #[arg(value_name = "DIR")]
        dirs: Vec<PathBuf>,
        /// As clients pass it; standard input and output are used anyway
        #[arg(long, hide = true)]
        stdio: bool,
    },
    /// Serve the page on this machine; with a folder, it opens there and is saved through the
    /// program
    Serve(ServeArgs),
    /// Print the version, and the version of opm that it matches
    Version(FormatArgs),
    /// Print a completion script for a shell
    #[command(after_help = COMPLETION_HELP)]
    Completion {
        /// The shell
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Print the manual page, or write the pages of all commands into a folder
    #[command(after_help = MAN_HELP)]
    Man {
        /// Folder to write the pages of all commands to; created if missing
        dir: Option<PathBuf>,
    },
}

/// Help for connecting an editor to the server.
const LSP_HELP: &str = "\
docs/editors.md says how VS Code, Neovim, Helix, Zed and Emacs are set up.";

/// Help for installing the completion in a shell.
const COMPLETION_HELP: &str = "\
Examples:
  switchyard completion bash > ~/.local/share/bash-completion/completions/switchyard
  switchyard completion zsh > \"${fpath[1]}/_switchyard\"
  switchyard completion fish > ~/.config/fish/completions/switchyard.fish";

/// Help for reading the manual.
const MAN_HELP: &str = "\
Examples:
  switchyard man | man -l -
  switchyard man ~/.local/share/man/man1";

#[derive(Debug, Args)]
pub(super) struct ChangedArgs {
    /// The folders of catalogs. One that only holds catalogs of OpenShift versions, such as v4.19,
    /// means all of them
    #[arg(required = true, value_name = "DIR")]
    pub dirs: Vec<PathBuf>,
    /// The commit or range, as `validate --changed-since` takes it
    #[arg(long, value_name = "REVISION")]
    pub since: String,
    /// A configuration that counts as part of every catalog. Default: the nearest .switchyard.yaml,
    /// from DIR upward
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    /// The folder of a catalog, or of several, to open in the page. The address that is printed has
    /// a token: anyone who has it can read and write this folder
    pub dir: Option<PathBuf>,
    /// Port to listen on. Default: 8170, or any free port if 8170 is taken
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// The address to listen on; without DIR, another than this machine's own may be named
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::from([127, 0, 0, 1]))]
    pub listen: IpAddr,
    /// The folder of the built page. Default: the one in the program, or `switchyard-web` beside it
    #[arg(long, value_name = "FOLDER")]
    pub site: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct ValidateArgs {
    /// The catalog's folder, or several, each its own catalog; `-` reads a catalog from standard
    /// input, such as the output of `opm render`. A template's file means the catalog that it
    /// renders to
    #[arg(required = true, value_name = "DIR")]
    pub dirs: Vec<PathBuf>,
    /// Validate only catalogs with files that changed since the branch left this commit (or in this
    /// range), committed or not. A DIR that only contains catalogs named by OpenShift version, such
    /// as v4.19, means all of them
    #[arg(long, value_name = "REVISION")]
    pub changed_since: Option<String>,
    #[command(flatten)]
    pub known: BundlesArgs,
    /// Output format
    #[arg(long, short = 'o', visible_alias = "output", value_enum, default_value_t = ValidateFormat::Text)]
    pub format: ValidateFormat,
    /// How much of Switchyard's own advice to show; never changes the verdict. Default: as
    /// configured, else community
    #[arg(long, value_enum)]
    pub profile: Option<Profile>,
    /// The configuration of advice. Default: the nearest .switchyard.yaml, from DIR upward
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Leave out the rules of opm that are newer than this version. The verdict promises nothing
    /// else about that version
    #[arg(long, value_name = "VERSION", value_parser = parse_opm_version)]
    pub opm_version: Option<OpmVersion>,
    /// Apply the safe fixes: print them as a patch, or write them with --write
    #[arg(long)]
    pub fix: bool,
    /// With --fix: write the files
    #[arg(long, requires = "fix")]
    pub write: bool,
}

fn parse_opm_version(text: &str) -> Result<OpmVersion, String> {
    OpmVersion::parse(text)
        .ok_or_else(|| "write the version of opm as 1.64, v1.64 or 1.64.0".to_owned())
}

#[derive(Debug, Args)]
#[command(after_help = RESOLVE_HELP)]
pub(super) struct ResolveArgs {
    /// A JSON file with one or more requests in the form below; each request gets its own answer.
    /// `-` reads standard input
    #[arg(long)]
    pub request: PathBuf,
    /// Output format: one line of JSON or one YAML document per answer
    #[arg(long, short = 'o', visible_alias = "output", value_enum, default_value_t = Data::Json)]
    pub format: Data,
    #[command(flatten)]
    pub partial: PartialArgs,
}

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// What is listed
    #[arg(value_enum)]
    pub what: ListWhat,
    /// The catalog's folder, or a template's file
    pub dir: PathBuf,
    #[command(flatten)]
    pub packages: PackagesArgs,
    #[command(flatten)]
    pub known: BundlesArgs,
    /// Only bundles whose blob contains this text, such as the digest of an image
    #[arg(long, value_name = "TEXT")]
    pub mentions: Option<String>,
    #[command(flatten)]
    pub output: FormatArgs,
    #[command(flatten)]
    pub partial: PartialArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ListWhat {
    Packages,
    Channels,
    Bundles,
}

#[derive(Debug, Args)]
pub(super) struct GraphArgs {
    /// The catalog's folder, or a template's file
    pub dir: PathBuf,
    #[command(flatten)]
    pub packages: PackagesArgs,
    #[command(flatten)]
    pub known: BundlesArgs,
    /// Output format
    #[arg(long, short = 'o', visible_alias = "output", value_enum, default_value_t = GraphFormat::Mermaid)]
    pub format: GraphFormat,
    #[command(flatten)]
    pub partial: PartialArgs,
}

#[derive(Debug, Args)]
pub(super) struct UpgradeArgs {
    /// The catalog's folder, or a template's file
    pub dir: PathBuf,
    #[command(flatten)]
    pub package: PackageArgs,
    /// The installed bundle; without it, a fresh install is assumed. Write NAME@VERSION if the
    /// catalog lacks the bundle
    #[arg(long, value_name = "NAME[@VERSION]")]
    pub installed: Option<String>,
    /// A YAML or JSON file with a Subscription or ClusterExtension (`-`: standard input), or a
    /// folder of such files, that gives the package, channels, range, installed bundle (from its
    /// status) and all other settings; several objects get an answer each. ClusterServiceVersions
    /// in it count as installed
    #[arg(long, value_name = "FILE",
        conflicts_with_all = ["lens", "channel", "version", "policy", "starting_csv", "selector"])]
    pub manifest: Option<PathBuf>,
    /// Which OLM to follow
    #[arg(long, value_enum, default_value_t = DEFAULT_LENS)]
    pub lens: LensArg,
    /// v0: the Subscription's channel (only one); v1: the ClusterExtension's channels, by default
    /// all; repeatable
    #[arg(long, value_name = "C")]
    pub channel: Vec<String>,
    /// v1: the version range
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true)]
    pub version: Option<String>,
    /// v1: the upgrade constraint policy, by default CatalogProvided
    #[arg(long, value_enum)]
    pub policy: Option<PolicyArg>,
    /// v1: for clusters with the alpha gate BundleReleaseSupport, where the `release` of a bundle
    /// counts
    #[arg(long)]
    pub release_support: bool,
    /// v0: the bundle that a fresh install starts with
    #[arg(long, value_name = "NAME")]
    pub starting_csv: Option<String>,
    /// Another catalog on the cluster; repeatable. DIR has its folder's name and priority 0. v0:
    /// only for requirements
    #[arg(long, value_name = "NAME=DIR[:PRIORITY]")]
    pub catalog: Vec<String>,
    /// v1: a label selector over the catalogs
    #[arg(long, value_name = "S")]
    pub selector: Option<String>,
    #[command(flatten)]
    pub cluster: ClusterArgs,
    #[command(flatten)]
    pub known: BundlesArgs,
    #[command(flatten)]
    pub output: FormatArgs,
    #[command(flatten)]
    pub partial: PartialArgs,
}

#[derive(Debug, Args)]
pub(super) struct RangeArgs {
    /// Which library reads the range; by default that of --lens
    #[arg(long, value_enum, conflicts_with = "lens")]
    pub dialect: Option<DialectArg>,
    /// Kind of range: v0 is skipRange and olm.package.required (blang), v1 a ClusterExtension's
    /// version (masterminds)
    #[arg(long, value_enum, default_value_t = DEFAULT_LENS)]
    pub lens: LensArg,
    /// The range, such as '>=1.2.0 <2.0.0'
    #[arg(allow_hyphen_values = true)]
    pub range: String,
    /// Versions to check; exit status 1 if none is in the range
    #[arg(value_name = "VERSION")]
    pub versions: Vec<String>,
    #[command(flatten)]
    pub output: FormatArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum DialectArg {
    /// skipRange, olm.package.required and opm
    Blang,
    /// The version range of a ClusterExtension (OLM v1)
    Masterminds,
}

#[derive(Debug, Args)]
pub(super) struct DiffArgs {
    /// The catalog as it was: a folder, or a template's file
    pub old: PathBuf,
    /// The catalog as it is: a folder, or a template's file
    pub new: PathBuf,
    #[command(flatten)]
    pub packages: PackagesArgs,
    #[command(flatten)]
    pub known: BundlesArgs,
    /// Output format
    #[arg(long, short = 'o', visible_alias = "output", value_enum, default_value_t = DiffFormat::Text)]
    pub format: DiffFormat,
    /// Fail if the change breaks one of these invariants (see `explain`); `errors`: any that harms
    /// users, `all`: any
    #[arg(long, value_delimiter = ',', value_name = "INVARIANT", value_parser = deny_values())]
    pub deny: Vec<String>,
    /// Only versions that are really in use: a file with a name and its version a line, or a dump
    /// of a cluster
    ///
    /// The dump is YAML or JSON with Subscriptions or ClusterExtensions and their status, as `oc
    /// get subscriptions, clusterextensions -A -o yaml` prints it. A name without a version has
    /// that of its bundle, or the one in the name.
    #[arg(long, value_name = "FILE")]
    pub installed: Option<PathBuf>,
    /// Another catalog of the same priority that the cluster sees, for the invariant `catalog-tie`
    #[arg(long, value_name = "NAME=DIR")]
    pub catalog: Vec<String>,
    #[command(flatten)]
    pub cluster: ClusterArgs,
    #[command(flatten)]
    pub partial: PartialArgs,
}

#[derive(Debug, Args)]
pub(super) struct MatrixArgs {
    /// The package; optional if the catalogs have only one. Can also be given after the last
    /// catalog
    #[arg(long)]
    pub package: Option<String>,
    /// Catalogs in upgrade order; NAME, such as `v4.19`, gives the OpenShift version (default: the
    /// folder's name)
    ///
    /// A template's file means the catalog that it renders to.
    #[arg(required = true, value_name = "[NAME=]DIR|FILE")]
    pub catalogs: Vec<String>,
    #[command(flatten)]
    pub known: BundlesArgs,
    #[command(flatten)]
    pub output: FormatArgs,
    #[command(flatten)]
    pub partial: PartialArgs,
}

/// Returns the values of `--deny`.
fn deny_values() -> PossibleValuesParser {
    PossibleValuesParser::new(
        ALL.iter()
            .map(|invariant| invariant.name)
            .chain(["all", "errors"]),
    )
}

#[derive(Debug, Args)]
#[command(
    override_usage = "switchyard crds [OPTIONS] <OLD> <NEW>\n       switchyard crds [OPTIONS] <DIR> [--channel <C>]\n       switchyard crds [OPTIONS] <DIR> --from <VERSION>"
)]
pub(super) struct CrdsArgs {
    /// A file with the CustomResourceDefinitions on the cluster or of the older bundle; without
    /// NEW, the catalog's folder or a template's file, to compare along each edge of its channels
    #[arg(value_name = "OLD|DIR")]
    pub old: PathBuf,
    /// A file with those of the newer bundle
    #[arg(conflicts_with = "from")]
    pub new: Option<PathBuf>,
    /// The installed version or bundle: compare the CRDs only at each step of its upgrade path
    #[arg(long, value_name = "VERSION|NAME")]
    pub from: Option<String>,
    /// Where to stop; by default at the end of the path
    #[arg(
        long,
        value_name = "VERSION|NAME",
        conflicts_with = "new",
        requires = "from"
    )]
    pub to: Option<String>,
    /// The package; optional if the catalog has only one
    #[arg(long, conflicts_with = "new")]
    pub package: Option<String>,
    /// The channel whose edges are compared; repeatable, by default all. With --from: the
    /// Subscription's channel (v0, only one) or the ClusterExtension's channels (v1)
    #[arg(long, value_name = "C", conflicts_with = "new")]
    pub channel: Vec<String>,
    #[command(flatten)]
    pub known: BundlesArgs,
    /// Objects on the cluster, to be validated against the new definitions, as YAML or JSON (`oc
    /// get -o yaml`); repeatable
    #[arg(long, value_name = "FILE")]
    pub objects: Vec<PathBuf>,
    /// Which OLM to follow
    #[arg(long, value_enum, default_value_t = DEFAULT_LENS)]
    pub lens: LensArg,
    #[command(flatten)]
    pub output: FormatArgs,
}

#[derive(Debug, Args)]
pub(super) struct SubsetArgs {
    /// The catalog's folder; `-` reads one from standard input, as `opm render` writes it
    pub dir: PathBuf,
    /// Package to keep; repeatable. Default: all
    #[arg(long, value_name = "P", num_args = 1..)]
    pub package: Vec<String>,
    /// Channel to keep, in every package or in package P; repeatable. Default: all channels of a
    /// kept package
    #[arg(long, value_name = "[P=]C", num_args = 1..)]
    pub channel: Vec<String>,
    /// Lowest version to keep, in every package or in package P; everything newer is kept, up to
    /// --to; repeatable
    #[arg(long, value_name = "[P=]VERSION", conflicts_with = "heads_only", num_args = 1..)]
    pub from: Vec<String>,
    /// Highest version to keep, in every package or in package P; repeatable
    #[arg(long, value_name = "[P=]VERSION", conflicts_with = "heads_only", num_args = 1..)]
    pub to: Vec<String>,
    /// Keep only this version, in every package or in package P; repeatable
    #[arg(long, value_name = "[P=]VERSION", conflicts_with_all = ["heads_only", "from", "to"], num_args = 1..)]
    pub only: Vec<String>,
    /// Keep only the head of each channel
    #[arg(long)]
    pub heads_only: bool,
    /// New default channel, of every package that has it or of package P; repeatable
    #[arg(long, value_name = "[P=]C", num_args = 1..)]
    pub default_channel: Vec<String>,
    #[command(flatten)]
    pub out: OutArgs,
    #[command(flatten)]
    pub partial: PartialArgs,
}

/// The output folder for a new catalog.
#[derive(Debug, Args)]
pub(super) struct OutArgs {
    /// New or empty folder to write to; by default the catalog is printed
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    /// Folders of the catalogs to merge
    #[arg(required = true, value_name = "DIR")]
    pub dirs: Vec<PathBuf>,
    /// Which catalog to take package P or FILE from when the catalogs differ; repeatable
    #[arg(long, value_name = "P|FILE=DIR")]
    pub take: Vec<String>,
    #[command(flatten)]
    pub out: OutArgs,
    #[command(flatten)]
    pub partial: PartialArgs,
}

#[derive(Debug, Args)]
pub(super) struct ManifestsArgs {
    /// The catalog's folder, or a template's file
    pub dir: PathBuf,
    #[command(flatten)]
    pub package: PackageArgs,
    /// Which OLM is to install it
    #[arg(long, value_enum, default_value_t = DEFAULT_LENS)]
    pub lens: LensArg,
    /// The catalog's image; the manifests add it to the cluster as a CatalogSource or
    /// ClusterCatalog
    #[arg(long, value_name = "IMAGE", required_unless_present = "catalog_name")]
    pub catalog_image: Option<String>,
    /// The catalog's name on the cluster; without --catalog-image, that of an existing catalog.
    /// Default: PACKAGE-catalog
    #[arg(long, value_name = "NAME")]
    pub catalog_name: Option<String>,
    /// v0: the namespace of the CatalogSource, by default that of the Subscription
    #[arg(long, value_name = "NAMESPACE")]
    pub catalog_namespace: Option<String>,
    /// The namespace to install to; by default the one that the bundle suggests, else one named
    /// after the package
    #[arg(long, value_name = "NAMESPACE")]
    pub namespace: Option<String>,
    /// v0: the channel, by default the package's default channel; v1: the channels, by default all;
    /// repeatable
    #[arg(long, value_name = "C")]
    pub channel: Vec<String>,
    /// v0: the namespaces that the operator watches, by default all if it supports that, else its
    /// own; repeatable
    #[arg(long, value_name = "NAMESPACE")]
    pub target_namespace: Vec<String>,
    /// v0: who approves install plans, by default Automatic
    #[arg(long, value_enum)]
    pub approval: Option<ApprovalArg>,
    /// v0: the bundle to begin with, by default the channel's head
    #[arg(long, value_name = "NAME")]
    pub starting_csv: Option<String>,
    /// v1: the version range
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true)]
    pub version: Option<String>,
    /// v1: the upgrade constraint policy, by default CatalogProvided
    #[arg(long, value_enum)]
    pub policy: Option<PolicyArg>,
    /// v1: write this ServiceAccount, which OLM v1 before v1.11.0 needs to install it, and its
    /// rights
    #[arg(long, value_name = "NAME")]
    pub service_account: Option<String>,
    #[command(flatten)]
    pub known: BundlesArgs,
    /// Output format
    #[arg(long, short = 'o', visible_alias = "output", value_enum, default_value_t = ManifestFormat::Yaml)]
    pub format: ManifestFormat,
    #[command(flatten)]
    pub partial: PartialArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ManifestFormat {
    /// A document for each object, with remarks as comments
    Yaml,
    /// One object of kind List
    Json,
}

mirrored_values! { pub(super) ApprovalArg for Approval {
    /// OLM installs and upgrades by itself
    #[value(name = "Automatic")]
    Automatic,
    /// Somebody approves each install plan
    #[value(name = "Manual")]
    Manual,
}}

/// The shape of a request, for the help.
const RESOLVE_HELP: &str = r#"A request:
  {
    "catalogs": [{
      "name": "c",                    as subscriptions name it
      "namespace": "",                where it is; "" is the namespace that is resolved
      "priority": 0,
      "blobs": [..]                   its olm.package, olm.channel, olm.bundle, … blobs
    }],
    "subscriptions": [{
      "name": "s",
      "package": "p",
      "channel": "stable",            without one: any channel, the default channel first
      "catalog": "c",
      "catalogNamespace": "",         of the catalog
      "startingCSV": "p.v1.0.0",      used only while nothing is installed
      "installedCSV": "p.v1.1.0"      used only if `installed` contains it
    }],
    "installed": [{                   the ClusterServiceVersions on the cluster
      "name": "p.v1.1.0",
      "version": "1.1.0",
      "properties": [{"type": "olm.package", "value": {..}}],
      "owned": [{"name": "things.example.com", "version": "v1", "kind": "Thing"}],
      "required": [],                 owned and required are used if there are no properties
      "phase": "Succeeded",
      "replaces": ""
    }],
    "failForward": false              the operator group's TechPreviewUnsafeFailForward
  }

An answer has `bundles` to install, `subscriptions` with a state each (installs, updates, up-to-date, held-back,
no-way-on) and `why`; or `kind` and `error`, with exit status 1."#;
