//! What of a catalog is to stay when it is cut: `switchyard subset` reads it from its words, and the page from a form.

use serde::{Deserialize, Serialize};

/// What stays. Nothing named: everything.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Selection {
    /// Packages that stay; none named: all.
    pub packages: Vec<String>,
    /// Channels that stay. Where none is named for a package, all of its channels do.
    pub channels: Vec<PackageScoped>,
    pub entries: EntrySelection,
    /// Channels that become the default.
    pub default_channels: Vec<PackageScoped>,
}

impl Selection {
    /// Nothing is cut, and no default channel is set.
    pub fn is_everything(&self) -> bool {
        *self == Self::default()
    }
}

/// A value for one package, or for every one that stays.
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

/// Which entries of the channels stay.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum EntrySelection {
    #[default]
    All,
    /// A version and all above it. At most one version counts for a package: its own, else the one for every package.
    From(Vec<PackageScoped>),
    /// From one version to another, both included. Without a version for a package it is open on that side.
    Between {
        from: Vec<PackageScoped>,
        to: Vec<PackageScoped>,
    },
    /// One version; for each package as above.
    Only(Vec<PackageScoped>),
    /// The head of each channel.
    Heads,
}

/// A part of a catalog as it would be saved.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SubsetView {
    pub kept: SubsetCounts,
    /// Of the whole catalog.
    pub total: SubsetCounts,
    /// `opm validate` would pass it.
    pub passed: bool,
    /// Its message otherwise.
    pub message: String,
    /// Paths below the catalog's folder, and lengths in bytes.
    pub files: Vec<(String, u64)>,
    /// Files that an `.indexignore` leaves out: they are not read, and do not come along.
    pub left_out: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SubsetCounts {
    pub packages: u32,
    pub channels: u32,
    pub entries: u32,
    pub bundles: u32,
}

/// A part of a catalog that is to be saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedSubset {
    pub root: String,
    pub selection: Selection,
    /// Of the folder that it is saved as.
    pub name: String,
    /// A Dockerfile stands beside the folder.
    pub dockerfile: bool,
}
