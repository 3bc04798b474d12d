//! The words of `crds`: definitions of two files, or of a package's bundles along edges or an upgrade path.

use super::args::{DEFAULT_LENS, LensArg};
use super::formats::TextOrData;
use super::template_bundles::BundlesArgs;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(
    override_usage = "switchyard crds [OPTIONS] <OLD> <NEW>\n       switchyard crds [OPTIONS] <DIR> [--channel <C>]\n       switchyard crds [OPTIONS] <DIR> --from <VERSION>"
)]
pub(super) struct CrdsArgs {
    /// A file with the CustomResourceDefinitions on the cluster or of the older bundle; without NEW, the catalog's folder
    /// or a template's file, to compare along each edge of its channels
    #[arg(value_name = "OLD|DIR")]
    pub(super) old: PathBuf,
    /// A file with those of the newer bundle
    #[arg(conflicts_with = "from")]
    pub(super) new: Option<PathBuf>,
    /// The installed version or bundle: compare the CRDs only at each step of its upgrade path
    #[arg(long, value_name = "VERSION|NAME")]
    pub(super) from: Option<String>,
    /// Where to stop; by default at the end of the path
    #[arg(
        long,
        value_name = "VERSION|NAME",
        conflicts_with = "new",
        requires = "from"
    )]
    pub(super) to: Option<String>,
    /// The package; optional if the catalog has only one
    #[arg(long, conflicts_with = "new")]
    pub(super) package: Option<String>,
    /// The channel whose edges are compared; repeatable, by default all. With --from: the Subscription's channel (v0, only
    /// one) or the ClusterExtension's channels (v1)
    #[arg(long, value_name = "C", conflicts_with = "new")]
    pub(super) channel: Vec<String>,
    #[command(flatten)]
    pub(super) known: BundlesArgs,
    /// Objects on the cluster, to be validated against the new definitions, as YAML or JSON (`oc get -o yaml`);
    /// repeatable
    #[arg(long, value_name = "FILE")]
    pub(super) objects: Vec<PathBuf>,
    /// Which OLM to follow
    #[arg(long, value_enum, default_value_t = DEFAULT_LENS)]
    pub(super) lens: LensArg,
    /// Output format
    #[arg(long, short = 'o', visible_alias = "output", value_enum, default_value_t = TextOrData::Text)]
    pub(super) format: TextOrData,
}
