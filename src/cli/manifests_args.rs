//! The words of `switchyard manifests`.

use super::args::{DEFAULT_LENS, LensArg, PackageArgs, PartialArgs, PolicyArg};
use super::template_bundles::BundlesArgs;
use clap::{Args, ValueEnum};
use fbc::manifests::Approval;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct ManifestsArgs {
    /// The catalog's folder, or a template's file
    pub(super) dir: PathBuf,
    #[command(flatten)]
    pub(super) package: PackageArgs,
    /// Which OLM is to install it
    #[arg(long, value_enum, default_value_t = DEFAULT_LENS)]
    pub(super) lens: LensArg,
    /// The catalog's image; the manifests add it to the cluster as a CatalogSource or ClusterCatalog
    #[arg(long, value_name = "IMAGE", required_unless_present = "catalog_name")]
    pub(super) catalog_image: Option<String>,
    /// The catalog's name on the cluster; without --catalog-image, that of an existing catalog. Default:
    /// PACKAGE-catalog
    #[arg(long, value_name = "NAME")]
    pub(super) catalog_name: Option<String>,
    /// v0: the namespace of the CatalogSource, by default that of the Subscription
    #[arg(long, value_name = "NAMESPACE")]
    pub(super) catalog_namespace: Option<String>,
    /// The namespace to install to; by default the one that the bundle suggests, else one named after the package
    #[arg(long, value_name = "NAMESPACE")]
    pub(super) namespace: Option<String>,
    /// v0: the channel, by default the package's default channel; v1: the channels, by default all; repeatable
    #[arg(long, value_name = "C")]
    pub(super) channel: Vec<String>,
    /// v0: the namespaces that the operator watches, by default all if it supports that, else its own; repeatable
    #[arg(long, value_name = "NAMESPACE")]
    pub(super) target_namespace: Vec<String>,
    /// v0: who approves install plans, by default Automatic
    #[arg(long, value_enum)]
    pub(super) approval: Option<ApprovalArg>,
    /// v0: the bundle to begin with, by default the channel's head
    #[arg(long, value_name = "NAME")]
    pub(super) starting_csv: Option<String>,
    /// v1: the version range
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true)]
    pub(super) version: Option<String>,
    /// v1: the upgrade constraint policy, by default CatalogProvided
    #[arg(long, value_enum)]
    pub(super) policy: Option<PolicyArg>,
    /// v1: write this ServiceAccount, which OLM v1 before v1.11.0 needs to install it, and its rights
    #[arg(long, value_name = "NAME")]
    pub(super) service_account: Option<String>,
    #[command(flatten)]
    pub(super) known: BundlesArgs,
    /// Output format
    #[arg(long, short = 'o', visible_alias = "output", value_enum, default_value_t = ManifestFormat::Yaml)]
    pub(super) format: ManifestFormat,
    #[command(flatten)]
    pub(super) partial: PartialArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ManifestFormat {
    /// A document for each object, with remarks as comments
    Yaml,
    /// One object of kind List
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ApprovalArg {
    /// OLM installs and upgrades by itself
    #[value(name = "Automatic")]
    Automatic,
    /// Somebody approves each install plan
    #[value(name = "Manual")]
    Manual,
}

impl From<ApprovalArg> for Approval {
    fn from(approval: ApprovalArg) -> Self {
        match approval {
            ApprovalArg::Automatic => Approval::Automatic,
            ApprovalArg::Manual => Approval::Manual,
        }
    }
}
