//! The names of one package, gathered from its facts.

use super::fit::Letters;
use super::kind::Kind;
use crate::catalog::Catalog;
use crate::hashed::HashSet;
use crate::model::{BundleBlob, Package};
use crate::order::PutInOrder;
use crate::place::Text;
use crate::version::Version;
use std::collections::BTreeMap;
use std::sync::Arc;

/// All names of a package.
#[derive(Debug)]
pub(super) struct Shelf {
    pub(super) package: Arc<Package>,
    /// Of the package's name.
    pub(super) letters: Letters,
    pub(super) items: Vec<Item>,
}

/// One name.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) text: Text,
    pub(super) letters: Letters,
    pub(super) kind: Kind,
    /// The channel or bundle that it belongs to, counted as the package has them.
    of: u32,
}

/// Brings the shelves of a catalog up to date: those of packages that are the same ones stay.
pub(super) fn follow(shelves: &mut Vec<Shelf>, catalog: &Catalog) {
    let packages = catalog.packages();
    let same = |(shelf, package): (&Shelf, &Arc<Package>)| Arc::ptr_eq(&shelf.package, package);
    if shelves.len() == packages.len() && shelves.iter().zip(catalog.packages()).all(same) {
        return;
    }
    let mut known: BTreeMap<Text, Shelf> =
        std::mem::take(shelves).into_iter().map(|shelf| (shelf.package.name.clone(), shelf)).collect();
    *shelves = packages
        .map(|package| match known.remove(&package.name) {
            Some(shelf) if Arc::ptr_eq(&shelf.package, package) => shelf,
            _ => Shelf::of(package),
        })
        .collect();
}

impl Shelf {
    fn of(package: &Arc<Package>) -> Self {
        let mut shelf = Self { package: package.clone(), letters: Letters::of(&package.name), items: Vec::new() };
        shelf.add(Kind::Package, package.name.clone(), 0);
        for (channel, at) in package.channels.iter().zip(0..) {
            shelf.add(Kind::Channel, channel.name.value.clone(), at);
        }
        for (bundle, at) in package.bundles.iter().zip(0..) {
            shelf.add(Kind::Bundle, bundle.name.value.clone(), at);
            let version = bundle.package_properties.first().map(|property| property.version.value.clone());
            shelf.add(Kind::Version, version.unwrap_or_default(), at);
            shelf.add(Kind::Image, bundle.image.value.clone(), at);
        }
        shelf.add_entries(package);
        shelf.add_repeated(package);
        shelf.items.shrink_to_fit();
        shelf
    }

    /// What the shelf takes beside the package's facts.
    pub(super) fn bytes(&self) -> usize {
        let is_own = |item: &&Item| matches!(item.kind, Kind::ProvidedApi | Kind::RequiredApi);
        let own: usize = self.items.iter().filter(is_own).map(|item| item.text.len() + 2 * size_of::<usize>()).sum();
        size_of::<Self>() + self.items.capacity() * size_of::<Item>() + own
    }

    /// Channel and bundle of a name.
    pub(super) fn whereabouts(&self, item: &Item) -> (String, String) {
        let at = item.of as usize;
        match item.kind {
            Kind::Package | Kind::Problem => (String::new(), String::new()),
            Kind::Channel => (item.text.to_string(), String::new()),
            Kind::Entry => {
                let channel = self.package.channels.get(at).map(|channel| channel.name.value.to_string());
                (channel.unwrap_or_default(), item.text.to_string())
            }
            _ => {
                let bundle = self.package.bundles.get(at).map_or("", |bundle| bundle.name.as_str());
                (self.channel_of(bundle).to_owned(), bundle.to_owned())
            }
        }
    }

    /// A channel that lists the bundle: the default one before others.
    fn channel_of(&self, bundle: &str) -> &str {
        let default = self.package.default_channel();
        let mut listing = self.package.channels.iter().filter(|channel| {
            let mut entries = channel.entries.iter();
            entries.any(|entry| entry.name.as_str() == bundle)
        });
        let first = listing.next();
        let channel = match first {
            Some(channel) if channel.name.as_str() == default => first,
            _ => listing.find(|channel| channel.name.as_str() == default).or(first),
        };
        channel.map_or("", |channel| channel.name.as_str())
    }

    fn add(&mut self, kind: Kind, text: Text, of: u32) {
        if !text.is_empty() {
            self.items.push(Item { letters: Letters::of(&text), text, kind, of });
        }
    }

    /// Entries that no bundle stands behind, each name once.
    fn add_entries(&mut self, package: &Package) {
        let mut known: HashSet<&str> = package.bundles.iter().map(|bundle| bundle.name.as_str()).collect();
        for (channel, at) in package.channels.iter().zip(0..) {
            for entry in &channel.entries {
                if known.insert(entry.name.as_str()) {
                    self.add(Kind::Entry, entry.name.value.clone(), at);
                }
            }
        }
    }

    /// What many bundles say alike stands here once, for the highest version that says it.
    fn add_repeated(&mut self, package: &Package) {
        let mut order: Vec<(Option<Version>, u32, &BundleBlob)> =
            package.bundles.iter().zip(0..).map(|(b, at)| (Version::parse(b.version()).ok(), at, &**b)).collect();
        order.put_in_order_by(|(a, x, _), (b, y, _)| {
            let by_version = match (a, b) {
                (Some(a), Some(b)) => b.cmp_precedence(a),
                (a, b) => b.is_some().cmp(&a.is_some()),
            };
            by_version.then(y.cmp(x))
        });
        let (mut titles, mut kinds, mut values) = (HashSet::default(), HashSet::default(), HashSet::default());
        for (_, at, bundle) in order {
            if titles.insert(&bundle.display_name) {
                self.add(Kind::DisplayName, bundle.display_name.clone(), at);
            }
            for property in &bundle.properties {
                if kinds.insert(&property.kind) {
                    self.add(Kind::PropertyType, property.kind.clone(), at);
                }
                let kind = match &*property.kind {
                    "olm.gvk" => Kind::ProvidedApi,
                    "olm.gvk.required" => Kind::RequiredApi,
                    _ => continue,
                };
                if let Some(value) = property.value.as_ref().filter(|value| values.insert((kind as u8, *value))) {
                    self.add(kind, api(value), at);
                }
            }
        }
    }
}

/// `KafkaTopic kafka.strimzi.io/v1`; "" for a value that names no kind.
fn api(value: &str) -> Text {
    let Ok(value) = serde_json::from_str::<serde_json::Value>(value) else { return Text::default() };
    let of = |key: &str| value.get(key).and_then(serde_json::Value::as_str).unwrap_or_default();
    if of("kind").is_empty() {
        return Text::default();
    }
    format!("{} {}/{}", of("kind"), of("group"), of("version")).into()
}
