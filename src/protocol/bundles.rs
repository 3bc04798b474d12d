//! Bundles that were dropped: what a form says of them, and what the worker reads in them.

use super::json::Json;
use crate::operation::{EditOp, Entering};
use serde::{Deserialize, Serialize};

/// What a form says of dropped bundles.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BundlePlacement {
    /// Root of the catalog or template that they go to.
    pub root: String,
    /// The image, or a template of it with `{{.Package}}`, `{{.Name}}` and `{{.Version}}`; "": as the bundles say.
    pub image: String,
    /// Names of bundles that stay out.
    pub left_out: Vec<String>,
    /// Channels that each enters.
    pub channels: Vec<String>,
    pub entering: Json<Entering>,
    /// What is said of a package that begins; `None`: what its newest bundle says.
    pub texts: Option<NewPackageFields>,
    /// Where the first package of an empty catalog is written; "": in a folder of its name.
    pub file: String,
}

/// What is said of a package that begins. Empty where nothing is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NewPackageFields {
    pub default_channel: String,
    pub description: String,
    /// In base64.
    pub icon: String,
    /// `image/png`, or another type that consoles show; "" without an icon.
    pub icon_type: String,
}

/// What dropped bundles are added to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum BundleTarget {
    #[default]
    Catalog,
    /// A template with channels and entries, which gets the images.
    Template,
    /// A template whose lists get the images; its channels are made from versions.
    SemverTemplate,
}

impl BundleTarget {
    pub fn is_template(self) -> bool {
        self != BundleTarget::Catalog
    }
}

/// How the newest entries of a channel write their skip ranges: the same text around each one's own version.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct RangePattern {
    pub channel: String,
    /// What stands before the own version, and behind it.
    pub before: String,
    pub after: String,
    /// What versions begin with for which this is known, such as `1.89.`; "" for all.
    pub within: String,
}

impl RangePattern {
    /// The range of the next entry; `None` where the pattern says nothing of this version.
    pub fn for_version(&self, version: &str) -> Option<String> {
        let is_known = !version.is_empty() && version.starts_with(&self.within);
        is_known.then(|| format!("{}{version}{}", self.before, self.after))
    }
}

/// What was dropped, read as bundles.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DroppedBundles {
    pub target: BundleTarget,
    /// By package, then by version.
    pub bundles: Vec<BundleRow>,
    pub refused: Vec<BundleMessage>,
    /// Advice about bundles that are taken.
    pub advice: Vec<BundleMessage>,
    /// The packages that the catalog does not have, with what the newest bundle says of each.
    pub new_packages: Vec<(String, NewPackageFields)>,
    /// Channels of the packages that are there, the default channel first; the lists of a semver template.
    pub channels: Vec<String>,
    /// Entries of these channels, to be replaced: channel and name.
    pub entries: Vec<(String, String)>,
    /// Of these channels, where the newest entries agree; none where several packages are dropped.
    pub range_patterns: Vec<RangePattern>,
    /// A template after the image of the package's newest bundle; "" where there is none.
    pub image_template: String,
    /// The operations for a catalog that has nothing of it; none as long as an image is missing.
    pub ops: Json<Vec<EditOp>>,
}

/// A bundle that was dropped.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BundleRow {
    /// Path of what it was read from, as dropped.
    pub source: String,
    pub name: String,
    pub package: String,
    pub version: String,
    pub release: String,
    /// "" if it is not said.
    pub image: String,
    /// APIs that it provides and requires; packages that it requires; related images.
    pub provides: u32,
    pub requires: u32,
    pub related_images: u32,
    /// Channels and default channel that its annotations name.
    pub channels: Vec<String>,
    pub default_channel: String,
    /// As its ClusterServiceVersion says.
    pub replaces: String,
    pub skip_range: String,
    /// The catalog has a bundle of this name, which stays as it is.
    pub is_there: bool,
}

/// What is said of something that was dropped as a bundle: why it is none, or what `opm` accepts of it and leaves out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BundleMessage {
    /// Path of what was dropped.
    pub source: String,
    /// In `opm`'s words where it is refused.
    pub message: String,
    /// Below the source; "" where no file is at fault.
    pub file: String,
    /// From 1; 0 where no line is.
    pub line: u32,
    pub help: String,
}
