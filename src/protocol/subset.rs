//! The parts of a catalog to keep in a subset. `switchyard subset` parses them from its arguments,
//! and the page from a form.

use serde::{Deserialize, Serialize};

/// The parts to keep. The default keeps everything.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Selection {
    /// Packages to keep; empty: all.
    pub packages: Vec<String>,
    /// Channels to keep. A package without a channel in this list keeps all of its channels.
    pub channels: Vec<PackageScoped>,
    pub entries: EntrySelection,
    /// New default channels.
    pub default_channels: Vec<PackageScoped>,
}

impl Selection {
    /// Whether everything is kept and no default channel is set.
    pub fn is_everything(&self) -> bool {
        *self == Self::default()
    }
}

/// A value for one package, or for every package that is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackageScoped {
    pub package: Option<String>,
    pub value: String,
}

impl PackageScoped {
    pub fn every(value: impl Into<String>) -> Self {
        Self {
            package: None,
            value: value.into(),
        }
    }

    pub fn one(package: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            package: Some(package.into()),
            value: value.into(),
        }
    }
}

/// Which entries of the channels to keep.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum EntrySelection {
    #[default]
    All,
    /// A version and all above it. At most one version applies to a package: its own, otherwise the
    /// one for every package.
    From(Vec<PackageScoped>),
    /// From one version to another, both included. A package without a version is open on that
    /// side.
    Between {
        from: Vec<PackageScoped>,
        to: Vec<PackageScoped>,
    },
    /// One version, selected per package as in `From`.
    Only(Vec<PackageScoped>),
    /// The head of each channel.
    Heads,
}

/// A part of a catalog as it would be saved.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SubsetView {
    pub kept: SubsetCounts,
    /// Counts of the whole catalog.
    pub total: SubsetCounts,
    /// Whether `opm validate` would pass it.
    pub passed: bool,
    /// `opm`'s message if it would not pass.
    pub message: String,
    /// Paths below the catalog's folder, and lengths in bytes.
    pub files: Vec<(String, u64)>,
    /// Files that an `.indexignore` excludes: neither read nor saved.
    pub left_out: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SubsetCounts {
    pub packages: u32,
    pub channels: u32,
    pub entries: u32,
    pub bundles: u32,
}

/// A part of a catalog to save.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedSubset {
    pub root: String,
    pub selection: Selection,
    /// Name of the saved folder.
    pub name: String,
    /// Whether to add a Dockerfile beside the folder.
    pub dockerfile: bool,
}
