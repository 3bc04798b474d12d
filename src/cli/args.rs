//! The words of the command line. Behavior is in `commands`.

use super::edit_args::EditArgs;
use crate::fbc::compare::invariants::ALL;
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Check, question and edit file-based catalogs of the Operator Lifecycle Manager
///
/// DIR is always one catalog root, as for opm. Exit status: 0 done or passed, 1 the verdict is "fails", 2 could not run
/// or an edit was refused (nothing is written then).
#[derive(Debug, Parser)]
#[command(name = "switchyard", version, max_term_width = 100)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Say what `opm validate` says, with all problems at once and the place of each
    Validate(ValidateArgs),
    /// Explain a rule
    Explain {
        /// Id of the rule, as problems show it; without one all rules are listed
        rule: Option<String>,
        /// Without a rule: markdown is the page docs/rules.md
        #[arg(long, value_enum, default_value_t = ExplainFormat::Text, conflicts_with = "rule")]
        format: ExplainFormat,
    },
    /// List packages, channels or bundles in the columns of `opm alpha list`
    List(ListArgs),
    /// Draw the upgrade graph
    Graph(GraphArgs),
    /// Say where an installed version goes next, and why
    Next(UpgradeArgs),
    /// Follow the next steps until nothing follows
    Path(UpgradeArgs),
    /// Resolve subscriptions as OLM Classic does, requirements between bundles included
    Resolve(ResolveArgs),
    /// Say which versions a range admits
    Range(RangeArgs),
    /// Compare two states of a catalog by what the change means for users
    Diff(DiffArgs),
    /// Say whether the CRDs of an upgrade may take the place of the present ones
    Crds(CrdsArgs),
    /// Follow the versions of a package through the catalogs of several OpenShift versions
    Matrix(MatrixArgs),
    /// Change a catalog, only in the lines that are meant
    Edit(EditArgs),
}

#[derive(Debug, Args)]
pub(super) struct ValidateArgs {
    /// The catalog's folder
    pub(super) dir: PathBuf,
    #[arg(long, value_enum, default_value_t = ValidateFormat::Text)]
    pub(super) format: ValidateFormat,
    /// Which advice of our own is looked for; never changes the verdict. Without it the configuration says, else
    /// community
    #[arg(long, value_enum)]
    pub(super) profile: Option<Profile>,
    /// The configuration of advice; without it the nearest .switchyard.yaml, from DIR upward
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Apply the safe fixes: print them as a patch, or write them with --write
    #[arg(long)]
    pub(super) fix: bool,
    /// With --fix: write the files
    #[arg(long, requires = "fix")]
    pub(super) write: bool,
}

#[derive(Debug, Args)]
pub(super) struct ResolveArgs {
    /// JSON: {"catalogs": [{"name", "namespace", "priority", "blobs"}], "subscriptions": [..], "installed": [..]};
    /// several, one after another, give an answer each. `-` reads standard input
    #[arg(long)]
    pub(super) request: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ValidateFormat {
    /// For people: the source line with a caret
    Text,
    Json,
    /// The bare message that `opm validate` fails with; nothing when it passes
    Opm,
    /// Workflow commands of GitHub Actions
    Github,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Profile {
    /// Only what `opm` refuses
    Opm,
    /// Advice that is nearly always worth following
    Community,
    /// All advice
    Strict,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ExplainFormat {
    Text,
    /// All rules with their examples
    Markdown,
}

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    #[arg(value_enum)]
    pub(super) what: ListWhat,
    /// The catalog's folder
    pub(super) dir: PathBuf,
    /// Only this package
    pub(super) package: Option<String>,
    #[arg(long, value_enum, default_value_t = TextOrJson::Text)]
    pub(super) format: TextOrJson,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ListWhat {
    Packages,
    Channels,
    Bundles,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum TextOrJson {
    Text,
    Json,
}

#[derive(Debug, Args)]
pub(super) struct GraphArgs {
    /// The catalog's folder
    pub(super) dir: PathBuf,
    /// Only this package (needed for svg)
    #[arg(long)]
    pub(super) package: Option<String>,
    #[arg(long, value_enum, default_value_t = GraphFormat::Mermaid)]
    pub(super) format: GraphFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum GraphFormat {
    Mermaid,
    Dot,
    Svg,
    Json,
}

#[derive(Debug, Args)]
pub(super) struct UpgradeArgs {
    /// The catalog's folder
    pub(super) dir: PathBuf,
    #[arg(long)]
    pub(super) package: String,
    /// The installed bundle; without it a fresh install. The version is the bundle's own unless said
    #[arg(long, value_name = "NAME[@VERSION]")]
    pub(super) installed: Option<String>,
    #[arg(long, value_enum, default_value_t = LensArg::V0)]
    pub(super) lens: LensArg,
    /// v0: the channel subscribed to; v1: the channels named, all when there is none
    #[arg(long, value_name = "C")]
    pub(super) channel: Vec<String>,
    /// v1: the version range asked for
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true)]
    pub(super) version: Option<String>,
    /// v1: the upgrade constraint policy
    #[arg(long, value_enum, default_value_t = PolicyArg::CatalogProvided)]
    pub(super) policy: PolicyArg,
    /// v0: the bundle that a fresh install begins with
    #[arg(long, value_name = "NAME")]
    pub(super) starting_csv: Option<String>,
    /// v1: further catalogs; DIR is then the first, named by its folder, with priority 0
    #[arg(long, value_name = "NAME=DIR[:PRIORITY]")]
    pub(super) catalog: Vec<String>,
    /// v1: a label selector over the catalogs
    #[arg(long, value_name = "S")]
    pub(super) selector: Option<String>,
    #[arg(long, value_enum, default_value_t = TextOrJson::Text)]
    pub(super) format: TextOrJson,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum LensArg {
    /// OLM Classic
    V0,
    /// OLM v1
    V1,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum PolicyArg {
    #[value(name = "CatalogProvided")]
    CatalogProvided,
    #[value(name = "SelfCertified")]
    SelfCertified,
}

#[derive(Debug, Args)]
pub(super) struct RangeArgs {
    #[arg(long, value_enum)]
    pub(super) dialect: DialectArg,
    #[arg(allow_hyphen_values = true)]
    pub(super) range: String,
    #[arg(value_name = "VERSION")]
    pub(super) versions: Vec<String>,
    #[arg(long, value_enum, default_value_t = TextOrJson::Text)]
    pub(super) format: TextOrJson,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum DialectArg {
    /// skipRange, olm.package.required and opm
    Blang,
    /// The version range of a ClusterExtension (OLM v1)
    Masterminds,
}

#[derive(Debug, Args)]
pub(super) struct CrdsArgs {
    /// The CustomResourceDefinitions on the cluster, or of the older bundle
    pub(super) old: PathBuf,
    /// Those of the newer bundle
    pub(super) new: PathBuf,
    #[arg(long, value_enum, default_value_t = LensArg::V1)]
    pub(super) lens: LensArg,
    #[arg(long, value_enum, default_value_t = TextOrJson::Text)]
    pub(super) format: TextOrJson,
}

#[derive(Debug, Args)]
pub(super) struct DiffArgs {
    /// The catalog as it was
    pub(super) old: PathBuf,
    /// The catalog as it is
    pub(super) new: PathBuf,
    #[arg(long, value_enum, default_value_t = DiffFormat::Text)]
    pub(super) format: DiffFormat,
    /// Fail when the change breaks one of these invariants (`switchyard explain` tells what each is about)
    #[arg(long, value_delimiter = ',', value_name = "INVARIANT", value_parser = invariants())]
    pub(super) deny: Vec<String>,
    /// Another catalog of the same priority that the cluster sees, for the invariant `catalog-tie`
    #[arg(long, value_name = "NAME=DIR")]
    pub(super) catalog: Vec<String>,
}

#[derive(Debug, Args)]
pub(super) struct MatrixArgs {
    #[arg(long)]
    pub(super) package: String,
    /// Catalogs in the order in which clusters come to them; a name such as `v4.19` (else the folder's) tells the
    /// OpenShift version
    #[arg(required = true, value_name = "[NAME=]DIR")]
    pub(super) catalogs: Vec<String>,
    #[arg(long, value_enum, default_value_t = TextOrJson::Text)]
    pub(super) format: TextOrJson,
}

/// Names that `--deny` takes.
fn invariants() -> PossibleValuesParser {
    PossibleValuesParser::new(ALL.iter().map(|invariant| invariant.name).chain(["all", "errors"]))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum DiffFormat {
    Text,
    Json,
    Markdown,
}
