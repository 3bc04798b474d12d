//! The parts of a catalog to keep in a subset. `switchyard subset` parses them from its arguments,
//! and the page from a form.

use crate::counting::{count_of, first_of, quoted};
use serde::{Deserialize, Serialize};

/// Maximum number of packages or channels named in a list.
const MAX_NAMES: usize = 8;

/// The parts to keep. The default keeps everything.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Selection {
    /// Packages to keep; empty: all.
    pub packages: Vec<String>,
    /// Channels to keep. A package without a channel in this list keeps all of its channels.
    pub channels: Vec<PackageScoped>,
    pub entries: EntrySelection,
    pub default_channels: Vec<PackageScoped>,
}

impl Selection {
    /// Whether everything is kept and no default channel is set.
    pub fn is_everything(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the channels to keep of a package; empty: all.
    pub fn channels_of(&self, package: &str) -> Vec<&str> {
        let channels = self.channels.iter();
        channels
            .filter(|channel| {
                channel
                    .package
                    .as_deref()
                    .is_none_or(|name| name == package)
            })
            .map(|channel| channel.value.as_str())
            .collect()
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
    pub losses: SubsetLosses,
}

/// What a subset loses although the selection does not exclude it by name.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SubsetLosses {
    /// Packages that are lost entirely.
    pub packages: Vec<String>,
    pub channels: Vec<LostChannel>,
    pub requirements: Vec<LostRequirement>,
}

/// A channel without a remaining entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostChannel {
    pub package: String,
    pub channel: String,
    /// The lowest and the highest version; "" if it has none.
    pub versions: String,
}

/// Requirements of kept bundles that only bundles outside the subset meet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostRequirement {
    /// The dependents.
    pub packages: Vec<String>,
    /// The required packages and APIs, in words.
    pub required: Vec<String>,
    /// Packages outside the subset that meet them.
    pub outside: Vec<String>,
    /// Kept packages without the bundles that meet them.
    pub cut: Vec<String>,
}

impl SubsetLosses {
    /// Describes the lost packages and channels, one sentence each.
    pub fn removals(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.packages.is_empty() {
            let (count, names) = (self.packages.len(), quoted(&self.packages));
            lines.push(format!(
                "{} {}, because none of their versions is selected: {}",
                count_of(count, "package"),
                disappear(count),
                first_of(names.iter(), MAX_NAMES)
            ));
        }
        let described = self.channels.iter().take(MAX_NAMES);
        lines.extend(described.map(|lost| {
            let reason = match lost.versions.as_str() {
                "" => "none of its entries is kept".to_owned(),
                versions => format!("none of its versions ({versions}) is kept"),
            };
            format!(
                "channel `{}` of `{}` disappears: {reason}",
                lost.channel, lost.package
            )
        }));
        if let Some(rest @ 1..) = self.channels.len().checked_sub(MAX_NAMES) {
            lines.push(format!(
                "{} {}",
                count_of(rest, "more channel"),
                disappear(rest)
            ));
        }
        lines
    }
}

fn disappear(count: usize) -> &'static str {
    if count == 1 {
        "disappears"
    } else {
        "disappear"
    }
}

impl LostRequirement {
    pub fn sentence(&self) -> String {
        let verb = if self.packages.len() == 1 {
            "requires"
        } else {
            "require"
        };
        let remedy = match (self.outside.as_slice(), self.cut.as_slice()) {
            ([], cut) => format!("keep more versions of {}", quoted(cut).join(" or ")),
            (outside, _) => format!("add {}", quoted(outside).join(" or ")),
        };
        format!(
            "{} {verb} {}, which no kept bundle provides: {remedy}",
            first_of(quoted(&self.packages).iter(), MAX_NAMES),
            first_of(self.required.iter(), 3)
        )
    }
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
