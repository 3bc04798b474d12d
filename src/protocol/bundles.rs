//! Dropped bundles: the values of the form that adds them, and the worker's reading of the files.

use super::views::EntryRef;
use super::wire::Json;
use crate::operation::{ChannelPlacement, EditOp};
use serde::{Deserialize, Serialize};

/// The form's values for dropped bundles.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BundlePlacement {
    /// Root of the catalog or template that receives the bundles.
    pub root: String,
    /// The image, or an image template with `{{.Package}}`, `{{.Name}}` and `{{.Version}}`; "" to
    /// take it from the bundles.
    pub image: String,
    /// Names of bundles to leave out.
    pub left_out: Vec<String>,
    /// Channels that each bundle enters.
    pub channels: Vec<String>,
    pub entering: Json<ChannelPlacement>,
    /// Fields of a new package; `None` to take them from its newest bundle.
    pub texts: Option<NewPackageFields>,
    /// File for the first package of an empty catalog; "": a folder named after the package.
    pub file: String,
}

/// Descriptive fields of a new package; "" if absent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NewPackageFields {
    pub default_channel: String,
    pub description: String,
    /// Base64; "" without an icon that consoles can show.
    pub icon: String,
}

/// A package that the catalog lacks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NewPackageRow {
    pub name: String,
    pub fields: NewPackageFields,
}

/// The file format that dropped bundles are added to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum BundleTarget {
    #[default]
    Catalog,
    /// A template with channels and entries; receives the images.
    Template,
    /// A template whose lists receive the images; its channels follow from versions.
    SemverTemplate,
}

impl BundleTarget {
    pub fn is_template(self) -> bool {
        self != BundleTarget::Catalog
    }
}

/// The pattern of the skip ranges that the newest entries of a channel have: a constant text around
/// each entry's own version.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct RangePattern {
    pub channel: String,
    /// The text before the entry's own version, and the text after it.
    pub before: String,
    pub after: String,
    /// Prefix of the versions that follow the pattern, such as `1.89.`; "" for all.
    pub within: String,
}

impl RangePattern {
    /// Returns the range of the next entry; `None` if the pattern does not apply to this version.
    pub fn for_version(&self, version: &str) -> Option<String> {
        let is_known = !version.is_empty() && version.starts_with(&self.within);
        is_known.then(|| format!("{}{version}{}", self.before, self.after))
    }
}

/// Dropped files, read as bundles.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DroppedBundles {
    pub target: BundleTarget,
    /// By package, then by version.
    pub bundles: Vec<BundleRow>,
    pub refused: Vec<BundleMessage>,
    pub advice: Vec<BundleMessage>,
    /// Packages that the catalog lacks, with fields from the newest bundle of each.
    pub new_packages: Vec<NewPackageRow>,
    /// Channels of the existing packages, the default channel first; for a semver template, its
    /// lists.
    pub channels: Vec<String>,
    /// The entries in these channels, as candidates for `replaces`.
    pub entries: Vec<EntryRef>,
    /// Patterns of channels whose newest entries agree; empty if several packages were dropped.
    pub range_patterns: Vec<RangePattern>,
    /// Image template derived from the package's newest bundle; "" if there is none.
    pub image_template: String,
    /// The operations that add the bundles; empty while an image is missing.
    pub ops: Json<Vec<EditOp>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BundleRow {
    /// Path as dropped.
    pub source: String,
    pub name: String,
    pub package: String,
    pub version: String,
    pub release: String,
    /// "" if unknown.
    pub image: String,
    /// Numbers of provided APIs, requirements and related images.
    pub provides: u32,
    pub requires: u32,
    pub related_images: u32,
    /// Channels and default channel that its annotations name.
    pub channels: Vec<String>,
    pub default_channel: String,
    /// From the ClusterServiceVersion.
    pub replaces: String,
    pub skip_range: String,
    /// Whether the catalog already has a bundle with this name, which is not changed.
    pub is_there: bool,
}

/// Why a dropped file is not a bundle, or advice about content that `opm` accepts but ignores.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BundleMessage {
    /// Path as dropped.
    pub source: String,
    /// `opm`'s wording if `opm` refuses it.
    pub message: String,
    /// Path below the source; "" if no file is at fault.
    pub file: String,
    /// From 1; 0 if no line is known.
    pub line: u32,
    pub help: String,
}
