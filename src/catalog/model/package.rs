//! Packages assembled from blobs. Derived data, cheap to rebuild after an edit.

use super::blob::{
    BundleBlob, ChannelBlob, DeprecationsBlob, Entry, OtherBlob, PackageBlob, PackageProperty,
};
use crate::version::version_in_name;
use std::ops::Deref;
use std::sync::Arc;
use syntax::hashed::HashMap;
use syntax::place::Text;

/// A file of the session. Stable for the session's lifetime; independent of load order.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct FileId(pub u32);

/// A blob's facts, and the blob's location.
#[derive(Debug, Clone, PartialEq)]
pub struct Located<T> {
    pub file: FileId,
    /// Index into [`super::FileIndex::blobs`].
    pub index: u32,
    /// Position in load order over the whole catalog (files in walk order, blobs in file order).
    pub order: u64,
    pub data: Arc<T>,
}

/// The location of a blob of any schema; in load order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlobLocation {
    pub order: u64,
    pub file: FileId,
    pub index: u32,
}

impl<T> Deref for Located<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.data
    }
}

/// All blobs that name one package, by schema in load order, including duplicates. `packages` is
/// empty if no `olm.package` blob defines the name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Package {
    pub name: Text,
    pub packages: Vec<Located<PackageBlob>>,
    pub channels: Vec<Located<ChannelBlob>>,
    pub bundles: Vec<Located<BundleBlob>>,
    pub deprecations: Vec<Located<DeprecationsBlob>>,
    pub others: Vec<Located<OtherBlob>>,
}

impl Package {
    /// Whether both share all blobs, at equal positions.
    pub fn shares_blobs_with(&self, other: &Package) -> bool {
        share_blobs(&self.packages, &other.packages)
            && share_blobs(&self.channels, &other.channels)
            && share_blobs(&self.bundles, &other.bundles)
            && share_blobs(&self.deprecations, &other.deprecations)
            && share_blobs(&self.others, &other.others)
    }

    /// Iterates over the locations of its blobs by schema, its definition first.
    pub fn blobs(&self) -> impl Iterator<Item = BlobLocation> {
        locations(&self.packages)
            .chain(locations(&self.channels))
            .chain(locations(&self.bundles))
            .chain(locations(&self.deprecations))
            .chain(locations(&self.others))
    }

    /// Returns the default channel's name; "" if it is unset or the package is undefined.
    pub fn default_channel(&self) -> &str {
        self.packages
            .first()
            .map_or("", |p| p.default_channel.as_str())
    }

    pub fn channel(&self, name: &str) -> Option<&Located<ChannelBlob>> {
        self.channels.iter().find(|c| c.name.as_str() == name)
    }

    /// Iterates over the entries of all channels.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.channels.iter().flat_map(|channel| &channel.entries)
    }

    /// Indexes the channels by name, for repeated lookups.
    pub fn channels_by_name(&self) -> HashMap<&str, Vec<&Located<ChannelBlob>>> {
        let mut by_name: HashMap<&str, Vec<_>> = HashMap::default();
        for channel in &self.channels {
            let channels = by_name.entry(channel.name.as_str()).or_default();
            channels.push(channel);
        }
        by_name
    }

    pub fn bundle(&self, name: &str) -> Option<&Located<BundleBlob>> {
        self.bundles.iter().find(|b| b.name.as_str() == name)
    }

    /// Whether a bundle or an entry has this name.
    pub fn mentions(&self, name: &str) -> bool {
        self.mentioned_names().any(|mentioned| mentioned == name)
    }

    /// Whether the name, without its version, is that of the package or of one of its bundles. Such
    /// a bundle probably belongs to this package, even if the catalog does not list it.
    pub fn is_named_like(&self, name: &str) -> bool {
        let stem = name_without_version(name);
        stem == &*self.name
            || self
                .mentioned_names()
                .any(|mentioned| name_without_version(mentioned) == stem)
    }

    /// Iterates over the names of bundles and entries, and the names that entries mention.
    pub fn mentioned_names(&self) -> impl Iterator<Item = &str> {
        let bundles = self.bundles.iter().map(|bundle| bundle.name.as_str());
        let entry_names = self.entries().flat_map(|entry| {
            [entry.name.as_str(), entry.replaces.as_str()]
                .into_iter()
                .chain(entry.skips.iter().map(|skip| skip.as_str()))
        });
        bundles.chain(entry_names).filter(|name| !name.is_empty())
    }
}

fn share_blobs<T>(a: &[Located<T>], b: &[Located<T>]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            (a.file, a.index, a.order) == (b.file, b.index, b.order)
                && Arc::ptr_eq(&a.data, &b.data)
        })
}

fn locations<T>(blobs: &[Located<T>]) -> impl Iterator<Item = BlobLocation> {
    blobs.iter().map(|blob| BlobLocation {
        order: blob.order,
        file: blob.file,
        index: blob.index,
    })
}

/// Removes the version from a name: `op` for `op.v1.2.3` and `op-v1.2.3`.
fn name_without_version(name: &str) -> &str {
    let stem = version_in_name(name).and_then(|(version, _)| name.strip_suffix(version));
    stem.map_or(name, |stem| {
        let stem = stem.strip_suffix(['v', 'V']).unwrap_or(stem);
        stem.trim_end_matches(['.', '-', '_'])
    })
}

impl BundleBlob {
    /// Returns the `version` of the first `olm.package` property; "" if absent.
    pub fn version(&self) -> &str {
        self.package_properties
            .first()
            .map_or("", |p| p.version.as_str())
    }

    /// Returns the `release` of the first `olm.package` property; "" if absent.
    pub fn release(&self) -> &str {
        self.package_properties
            .first()
            .map_or("", PackageProperty::release)
    }
}
