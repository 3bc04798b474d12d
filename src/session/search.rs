//! Search over the names of everything open. Knows the session, but not how results are shown.
//!
//! Nothing is indexed before the first search. Later, a package's names are collected again only if
//! its `Arc` is a different one, so edits need not notify the index. Texts are shared with the
//! facts; a name costs 32 bytes. Problems change with every edit and are few, so they are searched
//! without an index.

mod match_quality;
#[cfg(test)]
mod tests;

use crate::{Root, Session};
use catalog::Catalog;
use catalog::model::{BundleBlob, Package};
use catalog::version::Version;
use match_quality::{MatchQuality, Query};
use protocol::diagnostic::Diagnostic;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use syntax::hashed::HashSet;
use syntax::order::SortSmall;
use syntax::place::Text;

/// A result: its text, and the kind of thing it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub kind: HitKind,
    pub text: String,
    /// The matched parts of the text, as byte ranges at character boundaries.
    pub marks: Vec<Range<usize>>,
    /// The root's name.
    pub root: String,
    /// "" for a problem outside of packages.
    pub package: String,
    /// For a channel, its own name. For a bundle or anything in it, a channel that lists it,
    /// preferably the default one. Otherwise "".
    pub channel: String,
    /// The bundle or entry that the text belongs to; otherwise "".
    pub bundle: String,
    /// For a problem: its index in the root's list.
    pub problem: Option<usize>,
}

/// The best results, and the total number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchResults {
    pub hits: Vec<Hit>,
    pub total: usize,
}

/// The size of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexSize {
    pub names: usize,
    /// In addition to the facts, whose texts the index shares.
    pub bytes: usize,
}

/// The names of a session.
#[derive(Debug, Default)]
pub struct Index {
    roots: Vec<Vec<PackageItems>>,
}

/// Position of a result among all results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    fit: MatchQuality,
    kind: HitKind,
    length: u32,
    root: u32,
    package_items: u32,
    item: u32,
}

impl Rank {
    fn new(fit: MatchQuality, kind: HitKind, text: &str, item: u32) -> Self {
        Self {
            fit,
            kind,
            length: text.len() as u32,
            root: 0,
            package_items: 0,
            item,
        }
    }
}

impl Index {
    /// Indexes what changed since the last call; after an edit, these are the packages it touched.
    pub fn refresh(&mut self, session: &Session) {
        self.roots.resize_with(session.roots().len(), Vec::new);
        for (all_items, root) in self.roots.iter_mut().zip(session.roots()) {
            // A rendering has the names of its template and the template's sources.
            match root.rendering() {
                None => refresh(all_items, root.catalog()),
                Some(_) => all_items.clear(),
            }
        }
    }

    /// Returns the best `limit` results for the typed text, in the session of the last refresh.
    pub fn find(&self, session: &Session, typed: &str, limit: usize) -> SearchResults {
        let query = Query::new(typed);
        if query.is_empty() {
            return SearchResults::default();
        }
        let mut ranks: Vec<Rank> = Vec::new();
        for ((all_items, root), number) in self.roots.iter().zip(session.roots()).zip(0..) {
            for (package_items, at) in all_items.iter().zip(0..) {
                rank_names(package_items, &query, |rank| {
                    ranks.push(Rank {
                        root: number,
                        package_items: at,
                        ..rank
                    })
                });
            }
            rank_problems(root, &query, |rank| {
                ranks.push(Rank {
                    root: number,
                    ..rank
                })
            });
        }
        let total = ranks.len();
        if limit > 0 && limit < total {
            ranks.select_nth_unstable(limit - 1);
        }
        ranks.truncate(limit);
        ranks.sort_small();
        let hits = ranks
            .iter()
            .filter_map(|rank| self.hit(session, *rank, &query))
            .collect();
        SearchResults { hits, total }
    }

    pub fn size(&self) -> IndexSize {
        let all_items = || self.roots.iter().flatten();
        IndexSize {
            names: all_items()
                .map(|package_items| package_items.items.len())
                .sum(),
            bytes: all_items().map(PackageItems::bytes).sum(),
        }
    }

    fn hit(&self, session: &Session, rank: Rank, query: &Query) -> Option<Hit> {
        let root = session.roots().get(rank.root as usize)?;
        if rank.kind == HitKind::Problem {
            return problem_hit(root, rank.item as usize, query);
        }
        let package_items = self
            .roots
            .get(rank.root as usize)?
            .get(rank.package_items as usize)?;
        let item = package_items.items.get(rank.item as usize)?;
        let (channel, bundle) = package_items.whereabouts(item);
        Some(Hit {
            kind: item.kind,
            text: item.text.to_string(),
            marks: query.marks(&item.text),
            root: root.name.clone(),
            package: package_items.package.name.to_string(),
            channel,
            bundle,
            problem: None,
        })
    }
}

fn rank_names(package_items: &PackageItems, query: &Query, mut add: impl FnMut(Rank)) {
    for (item, at) in package_items.items.iter().zip(0..) {
        // A package's own name has no context.
        let context = match item.kind {
            HitKind::Package => "",
            _ => &*package_items.package.name,
        };
        if let Some(fit) = query.fit(&item.text, context) {
            add(Rank::new(fit, item.kind, &item.text, at));
        }
    }
}

fn rank_problems(root: &Root, query: &Query, mut add: impl FnMut(Rank)) {
    for (problem, at) in root.verdict().diagnostics.iter().zip(0..) {
        let text = problem_text(problem);
        if let Some(fit) = query.fit(&text, problem.package.as_deref().unwrap_or_default()) {
            add(Rank::new(fit, HitKind::Problem, &text, at));
        }
    }
}

/// Returns the searched and shown text of a problem: its rule and message, without the backquotes
/// around names.
fn problem_text(problem: &Diagnostic) -> String {
    format!("{}: {}", problem.rule, problem.message).replace('`', "")
}

fn problem_hit(root: &Root, at: usize, query: &Query) -> Option<Hit> {
    let problem = root.verdict().diagnostics.get(at)?;
    let text = problem_text(problem);
    Some(Hit {
        kind: HitKind::Problem,
        marks: query.marks(&text),
        text,
        root: root.name.clone(),
        package: problem.package.clone().unwrap_or_default(),
        channel: problem.channel.clone().unwrap_or_default(),
        bundle: problem.bundle.clone().unwrap_or_default(),
        problem: Some(at),
    })
}

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
struct PackageItems {
    package: Arc<Package>,
    items: Vec<Item>,
}

/// One name.
#[derive(Debug)]
struct Item {
    text: Text,
    kind: HitKind,
    /// The channel or bundle it belongs to, as an index into the package's.
    parent: u32,
}

/// Updates the items of a catalog; those of unchanged packages are kept.
fn refresh(all_items: &mut Vec<PackageItems>, catalog: &Catalog) {
    let packages = catalog.packages();
    if all_items.len() == packages.len()
        && all_items
            .iter()
            .zip(catalog.packages())
            .all(|(package_items, package)| Arc::ptr_eq(&package_items.package, package))
    {
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

    /// Returns the number of bytes that the items use in addition to the package's facts.
    fn bytes(&self) -> usize {
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

    /// Returns the channel and bundle of a name.
    fn whereabouts(&self, item: &Item) -> (String, String) {
        let at = item.parent as usize;
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

    /// Returns a channel that lists the bundle, preferably the default one.
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

    fn add(&mut self, kind: HitKind, text: Text, parent: u32) {
        if !text.is_empty() {
            self.items.push(Item { text, kind, parent });
        }
    }

    /// Adds the entries without a bundle, each name once.
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

    /// Adds values that many bundles repeat, each once, for the highest version that has it.
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

/// Formats an API as `KafkaTopic kafka.strimzi.io/v1`; "" for a value that names no kind.
fn api(value: &str) -> Text {
    let Ok(value) = serde_json::from_str::<serde_json::Value>(value) else {
        return Text::default();
    };
    let [kind, group, version] =
        ["kind", "group", "version"].map(|key| value[key].as_str().unwrap_or_default());
    if kind.is_empty() {
        return Text::default();
    }
    format!("{kind} {group}/{version}").into()
}
