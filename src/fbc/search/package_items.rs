//! The searchable names of one package.

use super::match_quality::LetterSet;
use crate::catalog::Catalog;
use crate::hashed::HashSet;
use crate::model::{BundleBlob, Package};
use crate::order::SortSmall;
use crate::place::Text;
use crate::version::Version;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a result names. The order decides between equally good results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HitKind {
    Package,
    Channel,
    Bundle,
    /// A name that a channel lists without a bundle.
    Entry,
    Version,
    DisplayName,
    ProvidedApi,
    RequiredApi,
    PropertyType,
    Image,
    Problem,
}

/// All names of a package.
#[derive(Debug)]
pub(super) struct PackageItems {
    pub(super) package: Arc<Package>,
    /// Letters of the package's name.
    pub(super) letters: LetterSet,
    pub(super) items: Vec<Item>,
}

/// One name.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) text: Text,
    pub(super) letters: LetterSet,
    pub(super) kind: HitKind,
    /// The channel or bundle it belongs to, as an index into the package's.
    of: u32,
}

/// Updates the items of a catalog; those of unchanged packages are kept.
pub(super) fn refresh(all_items: &mut Vec<PackageItems>, catalog: &Catalog) {
    let packages = catalog.packages();
    let same = |(package_items, package): (&PackageItems, &Arc<Package>)| {
        Arc::ptr_eq(&package_items.package, package)
    };
    if all_items.len() == packages.len() && all_items.iter().zip(catalog.packages()).all(same) {
        return;
    }
    let mut known: BTreeMap<Text, PackageItems> = std::mem::take(all_items)
        .into_iter()
        .map(|package_items| (package_items.package.name.clone(), package_items))
        .collect();
    *all_items = packages
        .map(|package| match known.remove(&package.name) {
            Some(package_items) if Arc::ptr_eq(&package_items.package, package) => package_items,
            _ => PackageItems::from_package(package),
        })
        .collect();
}

impl PackageItems {
    fn from_package(package: &Arc<Package>) -> Self {
        let mut package_items = Self {
            package: package.clone(),
            letters: LetterSet::from_text(&package.name),
            items: Vec::new(),
        };
        package_items.add(HitKind::Package, package.name.clone(), 0);
        for (channel, at) in package.channels.iter().zip(0..) {
            package_items.add(HitKind::Channel, channel.name.value.clone(), at);
        }
        for (bundle, at) in package.bundles.iter().zip(0..) {
            package_items.add(HitKind::Bundle, bundle.name.value.clone(), at);
            let version = bundle
                .package_properties
                .first()
                .map(|property| property.version.value.clone());
            package_items.add(HitKind::Version, version.unwrap_or_default(), at);
            package_items.add(HitKind::Image, bundle.image.value.clone(), at);
        }
        package_items.add_entries(package);
        package_items.add_repeated(package);
        package_items.items.shrink_to_fit();
        package_items
    }

    /// Bytes that the items use in addition to the package's facts.
    pub(super) fn bytes(&self) -> usize {
        let is_own =
            |item: &&Item| matches!(item.kind, HitKind::ProvidedApi | HitKind::RequiredApi);
        let own: usize = self
            .items
            .iter()
            .filter(is_own)
            .map(|item| item.text.len() + 2 * size_of::<usize>())
            .sum();
        size_of::<Self>() + self.items.capacity() * size_of::<Item>() + own
    }

    /// Channel and bundle of a name.
    pub(super) fn whereabouts(&self, item: &Item) -> (String, String) {
        let at = item.of as usize;
        match item.kind {
            HitKind::Package | HitKind::Problem => (String::new(), String::new()),
            HitKind::Channel => (item.text.to_string(), String::new()),
            HitKind::Entry => {
                let channel = self
                    .package
                    .channels
                    .get(at)
                    .map(|channel| channel.name.value.to_string());
                (channel.unwrap_or_default(), item.text.to_string())
            }
            _ => {
                let bundle = self
                    .package
                    .bundles
                    .get(at)
                    .map_or("", |bundle| bundle.name.as_str());
                (self.channel_of(bundle).to_owned(), bundle.to_owned())
            }
        }
    }

    /// A channel that lists the bundle, preferably the default one.
    fn channel_of(&self, bundle: &str) -> &str {
        let default = self.package.default_channel();
        let mut listing = self.package.channels.iter().filter(|channel| {
            let mut entries = channel.entries.iter();
            entries.any(|entry| entry.name.as_str() == bundle)
        });
        let first = listing.next();
        let channel = match first {
            Some(channel) if channel.name.as_str() == default => first,
            _ => listing
                .find(|channel| channel.name.as_str() == default)
                .or(first),
        };
        channel.map_or("", |channel| channel.name.as_str())
    }

    fn add(&mut self, kind: HitKind, text: Text, of: u32) {
        if !text.is_empty() {
            self.items.push(Item {
                letters: LetterSet::from_text(&text),
                text,
                kind,
                of,
            });
        }
    }

    /// Entries without a bundle, each name once.
    fn add_entries(&mut self, package: &Package) {
        let mut known: HashSet<&str> = package
            .bundles
            .iter()
            .map(|bundle| bundle.name.as_str())
            .collect();
        for (channel, at) in package.channels.iter().zip(0..) {
            for entry in &channel.entries {
                if known.insert(entry.name.as_str()) {
                    self.add(HitKind::Entry, entry.name.value.clone(), at);
                }
            }
        }
    }

    /// Values that many bundles repeat are listed once, for the highest version that has them.
    fn add_repeated(&mut self, package: &Package) {
        let mut order: Vec<(Option<Version>, u32, &BundleBlob)> = package
            .bundles
            .iter()
            .zip(0..)
            .map(|(b, at)| (Version::parse(b.version()).ok(), at, &**b))
            .collect();
        order.sort_small_by(|(a, x, _), (b, y, _)| {
            let by_version = match (a, b) {
                (Some(a), Some(b)) => b.cmp_precedence(a),
                (a, b) => b.is_some().cmp(&a.is_some()),
            };
            by_version.then(y.cmp(x))
        });
        let (mut titles, mut kinds, mut values) =
            (HashSet::default(), HashSet::default(), HashSet::default());
        for (_, at, bundle) in order {
            if titles.insert(&bundle.display_name) {
                self.add(HitKind::DisplayName, bundle.display_name.clone(), at);
            }
            for property in &bundle.properties {
                if kinds.insert(&property.kind) {
                    self.add(HitKind::PropertyType, property.kind.clone(), at);
                }
                let kind = match &*property.kind {
                    "olm.gvk" => HitKind::ProvidedApi,
                    "olm.gvk.required" => HitKind::RequiredApi,
                    _ => continue,
                };
                if let Some(value) = property
                    .value
                    .as_ref()
                    .filter(|value| values.insert((kind as u8, *value)))
                {
                    self.add(kind, api(value), at);
                }
            }
        }
    }
}

/// `KafkaTopic kafka.strimzi.io/v1`; "" for a value that names no kind.
fn api(value: &str) -> Text {
    let Ok(value) = serde_json::from_str::<serde_json::Value>(value) else {
        return Text::default();
    };
    let of = |key: &str| {
        value
            .get(key)
            .and_then(serde_json::Value::as_str)
            .unwrap_or_default()
    };
    if of("kind").is_empty() {
        return Text::default();
    }
    format!("{} {}/{}", of("kind"), of("group"), of("version")).into()
}
