//! Searches the names of everything open. Does not know how results are shown.
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
use match_quality::{MatchQuality, Query, Tier};
use protocol::diagnostic::Diagnostic;
pub use protocol::views::HitKind;
use std::collections::{BTreeMap, HashMap, hash_map};
use std::ops::Range;
use std::sync::Arc;
use syntax::hashed::HashSet;
use syntax::order::SortSmall;
use syntax::place::Text;

/// A search result.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hit {
    pub kind: HitKind,
    pub text: String,
    /// The matched parts of the text, as byte ranges at character boundaries.
    pub marks: Vec<Range<usize>>,
    /// The root's name.
    pub root: String,
    /// The number of other roots with an equal result.
    pub other_roots: u32,
    /// "" for a problem outside of packages.
    pub package: String,
    /// For a channel, its own name. For a bundle or anything in it, a channel that lists it,
    /// preferably the default one. Otherwise "".
    pub channel: String,
    /// The bundle or entry that the text belongs to; otherwise "".
    pub bundle: String,
    /// For a problem: its index in the root's list.
    pub problem: Option<usize>,
    /// For a file: its path relative to the root.
    pub file: Option<String>,
}

/// The best results, and the total number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchResults {
    pub hits: Vec<Hit>,
    pub total: usize,
}

#[derive(Debug, Default)]
pub struct Index {
    roots: Vec<Vec<PackageItems>>,
}

#[derive(Debug)]
struct PackageItems {
    package: Arc<Package>,
    items: Vec<Item>,
}

#[derive(Debug)]
struct Item {
    text: Text,
    kind: HitKind,
    /// The channel or bundle it belongs to, as an index into the package's.
    parent: u32,
}

/// Position of a result among all results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// Whether it belongs to another root than the one in view.
    is_elsewhere: bool,
    quality: MatchQuality,
    kind: HitKind,
    length: u32,
    /// Index among the roots.
    root: u32,
    /// Index among the root's packages.
    package: u32,
    /// Index among the package's items, or of a problem in the verdict.
    item: u32,
}

impl Rank {
    fn new(quality: MatchQuality, kind: HitKind, text: &str, item: u32) -> Self {
        Self {
            is_elsewhere: false,
            quality,
            kind,
            length: text.len() as u32,
            root: 0,
            package: 0,
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
                None => update_items(all_items, root.catalog()),
                Some(_) => all_items.clear(),
            }
        }
    }

    /// Returns the best `limit` results for the typed text, in the session of the last refresh.
    /// Results of the root `in_view` come first; equal results of several roots are one.
    pub fn find(
        &self,
        session: &Session,
        typed: &str,
        in_view: &str,
        limit: usize,
    ) -> SearchResults {
        let query = Query::new(typed);
        if query.is_empty() {
            return SearchResults::default();
        }
        let mut ranks = self.rank_all(session, &query, in_view);
        ranks.sort_small();
        let mut known: HashMap<Key, Known> = HashMap::new();
        let mut results = SearchResults::default();
        for rank in ranks {
            let Some(key) = self.key(session, rank) else {
                continue;
            };
            match known.entry(key) {
                hash_map::Entry::Occupied(mut known) if known.get().last_root != rank.root => {
                    let known = known.get_mut();
                    known.last_root = rank.root;
                    if let Some(hit) = results.hits.get_mut(known.index) {
                        hit.other_roots += 1;
                    }
                }
                entry => {
                    entry.or_insert(Known {
                        index: results.total,
                        last_root: rank.root,
                    });
                    results.total += 1;
                    if results.hits.len() < limit {
                        results.hits.extend(self.create_hit(session, rank, &query));
                    }
                }
            }
        }
        results
    }

    fn rank_all(&self, session: &Session, query: &Query, in_view: &str) -> Vec<Rank> {
        let mut ranks: Vec<Rank> = Vec::new();
        for ((all_items, root), root_index) in self.roots.iter().zip(session.roots()).zip(0..) {
            let of_root = |rank: Rank| Rank {
                root: root_index,
                is_elsewhere: root.name != in_view,
                ..rank
            };
            for (items, package) in all_items.iter().zip(0..) {
                let names = rank_names(items, query);
                ranks.extend(names.map(|rank| of_root(Rank { package, ..rank })));
            }
            ranks.extend(rank_problems(root, query).map(of_root));
            ranks.extend(rank_files(root, query).map(of_root));
        }
        ranks
    }

    /// Returns what makes results of different roots equal.
    fn key(&self, session: &Session, rank: Rank) -> Option<Key> {
        let root = session.roots().get(rank.root as usize)?;
        let (package, text) = match rank.kind {
            HitKind::Problem => {
                let problem = root.verdict().diagnostics.get(rank.item as usize)?;
                let package = problem.package.as_deref().unwrap_or_default();
                (package.into(), problem_text(problem).into())
            }
            HitKind::File => {
                let file = root.catalog().files().get(rank.item as usize)?;
                (Text::default(), root.full_path(&file.path).into())
            }
            _ => {
                let (items, item) = self.item(rank)?;
                (items.package.name.clone(), item.text.clone())
            }
        };
        Some(Key {
            kind: rank.kind,
            package,
            text,
        })
    }

    fn item(&self, rank: Rank) -> Option<(&PackageItems, &Item)> {
        let items = self
            .roots
            .get(rank.root as usize)?
            .get(rank.package as usize)?;
        Some((items, items.items.get(rank.item as usize)?))
    }

    fn create_hit(&self, session: &Session, rank: Rank, query: &Query) -> Option<Hit> {
        let root = session.roots().get(rank.root as usize)?;
        match rank.kind {
            HitKind::Problem => return problem_hit(root, rank.item as usize, query),
            HitKind::File => return file_hit(root, rank.item as usize, query),
            _ => {}
        }
        let (package_items, item) = self.item(rank)?;
        let (channel, bundle) = package_items.channel_and_bundle(item);
        Some(Hit {
            kind: item.kind,
            text: item.text.to_string(),
            marks: query.marks(&item.text),
            root: root.name.clone(),
            package: package_items.package.name.to_string(),
            channel,
            bundle,
            ..Hit::default()
        })
    }
}

/// Identifies equal results of several roots.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    kind: HitKind,
    package: Text,
    text: Text,
}

fn rank_names<'a>(
    package_items: &'a PackageItems,
    query: &'a Query,
) -> impl Iterator<Item = Rank> + 'a {
    let items = package_items.items.iter().zip(0..);
    items.filter_map(|(item, index)| {
        // A package's own name has no context.
        let context = match item.kind {
            HitKind::Package => "",
            _ => &*package_items.package.name,
        };
        let quality = query.quality(&item.text, context)?;
        Some(Rank::new(quality, item.kind, &item.text, index))
    })
}

fn rank_problems<'a>(root: &'a Root, query: &'a Query) -> impl Iterator<Item = Rank> + 'a {
    let problems = root.verdict().diagnostics.iter().zip(0..);
    problems.filter_map(|(problem, index)| {
        let text = problem_text(problem);
        let context = problem.package.as_deref().unwrap_or_default();
        let quality = query.quality(&text, context)?;
        Some(Rank::new(quality, HitKind::Problem, &text, index))
    })
}

/// Formats a problem as its rule and message, without the backticks around names.
fn problem_text(problem: &Diagnostic) -> String {
    format!("{}: {}", problem.rule, problem.message).replace('`', "")
}

fn problem_hit(root: &Root, index: usize, query: &Query) -> Option<Hit> {
    let problem = root.verdict().diagnostics.get(index)?;
    let text = problem_text(problem);
    Some(Hit {
        kind: HitKind::Problem,
        marks: query.marks(&text),
        text,
        root: root.name.clone(),
        package: problem.package.clone().unwrap_or_default(),
        channel: problem.channel.clone().unwrap_or_default(),
        bundle: problem.bundle.clone().unwrap_or_default(),
        problem: Some(index),
        ..Hit::default()
    })
}

/// A result that was added to the results.
struct Known {
    /// Index among the hits; beyond them, the result is only counted.
    index: usize,
    /// The last root that has it.
    last_root: u32,
}

fn rank_files<'a>(root: &'a Root, query: &'a Query) -> impl Iterator<Item = Rank> + 'a {
    let files = root.catalog().files().iter().zip(0..);
    files.filter_map(|(file, index)| {
        let path = root.full_path(&file.path);
        // A folder above the root has many files: they come after everything else.
        let quality = query.quality(&file.path, "").or_else(|| {
            let tier = Tier::Substring;
            let quality = query.quality(&path, "")?;
            Some(MatchQuality { tier, ..quality })
        })?;
        Some(Rank::new(quality, HitKind::File, &path, index))
    })
}

fn file_hit(root: &Root, index: usize, query: &Query) -> Option<Hit> {
    let file = root.catalog().files().get(index)?.path.clone();
    let path = root.full_path(&file);
    Some(Hit {
        kind: HitKind::File,
        marks: query.marks(&path),
        text: path,
        root: root.name.clone(),
        file: Some(file),
        ..Hit::default()
    })
}

/// Updates the items of a catalog; those of unchanged packages are kept.
fn update_items(all_items: &mut Vec<PackageItems>, catalog: &Catalog) {
    let packages = catalog.packages();
    if all_items.len() == packages.len()
        && all_items
            .iter()
            .zip(catalog.packages())
            .all(|(items, package)| Arc::ptr_eq(&items.package, package))
    {
        return;
    }
    let mut old: BTreeMap<Text, PackageItems> = std::mem::take(all_items)
        .into_iter()
        .map(|items| (items.package.name.clone(), items))
        .collect();
    *all_items = packages
        .map(|package| match old.remove(&package.name) {
            Some(items) if Arc::ptr_eq(&items.package, package) => items,
            _ => PackageItems::from_package(package),
        })
        .collect();
}

impl PackageItems {
    fn from_package(package: &Arc<Package>) -> Self {
        let mut all = Self {
            package: package.clone(),
            items: Vec::new(),
        };
        all.add(HitKind::Package, package.name.clone(), 0);
        for (channel, index) in package.channels.iter().zip(0..) {
            all.add(HitKind::Channel, channel.name.value.clone(), index);
        }
        for (bundle, index) in package.bundles.iter().zip(0..) {
            all.add(HitKind::Bundle, bundle.name.value.clone(), index);
            let property = bundle.package_properties.first();
            let version = property.map(|property| property.version.value.clone());
            all.add(HitKind::Version, version.unwrap_or_default(), index);
            all.add(HitKind::Image, bundle.image.value.clone(), index);
        }
        all.add_entries(package);
        all.add_repeated(package);
        all.items.shrink_to_fit();
        all
    }

    /// Returns the channel and bundle of a hit; "" for each that it lacks.
    fn channel_and_bundle(&self, item: &Item) -> (String, String) {
        let at = item.parent as usize;
        match item.kind {
            HitKind::Package | HitKind::Problem | HitKind::File => (String::new(), String::new()),
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
                (self.find_channel(bundle).to_owned(), bundle.to_owned())
            }
        }
    }

    /// Returns a channel that lists the bundle, preferably the default one.
    fn find_channel(&self, bundle: &str) -> &str {
        let default = self.package.default_channel();
        let mut channels = self.package.channels.iter().filter(|c| c.has_entry(bundle));
        let first = channels.clone().next();
        let channel = channels.find(|c| c.name.as_str() == default).or(first);
        channel.map_or("", |channel| channel.name.as_str())
    }

    fn add(&mut self, kind: HitKind, text: Text, parent: u32) {
        if !text.is_empty() {
            self.items.push(Item { text, kind, parent });
        }
    }

    /// Adds the entries without a bundle, each name once.
    fn add_entries(&mut self, package: &Package) {
        let mut seen: HashSet<&str> = package
            .bundles
            .iter()
            .map(|bundle| bundle.name.as_str())
            .collect();
        for (channel, at) in package.channels.iter().zip(0..) {
            for entry in &channel.entries {
                if seen.insert(entry.name.as_str()) {
                    self.add(HitKind::Entry, entry.name.value.clone(), at);
                }
            }
        }
    }

    /// Adds values that many bundles repeat, each once, for the highest version that has it.
    fn add_repeated(&mut self, package: &Package) {
        let (mut titles, mut kinds, mut values) =
            (HashSet::default(), HashSet::default(), HashSet::default());
        for (index, bundle) in by_descending_version(package) {
            if titles.insert(&bundle.display_name) {
                self.add(HitKind::DisplayName, bundle.display_name.clone(), index);
            }
            for property in &bundle.properties {
                if kinds.insert(&property.kind) {
                    self.add(HitKind::PropertyType, property.kind.clone(), index);
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
                    self.add(kind, format_api(value), index);
                }
            }
        }
    }
}

/// Returns a package's bundles with their indices, highest version first.
fn by_descending_version(package: &Package) -> impl Iterator<Item = (u32, &BundleBlob)> {
    let mut bundles: Vec<(Option<Version>, u32, &BundleBlob)> = package
        .bundles
        .iter()
        .zip(0..)
        .map(|(bundle, index)| (Version::parse(bundle.version()).ok(), index, &**bundle))
        .collect();
    bundles.sort_small_by(|(a, a_index, _), (b, b_index, _)| {
        Version::compare_optional(b, a).then(b_index.cmp(a_index))
    });
    bundles
        .into_iter()
        .map(|(_, index, bundle)| (index, bundle))
}

/// Formats an API as `KafkaTopic kafka.strimzi.io/v1`; "" for a value that names no kind.
fn format_api(value: &str) -> Text {
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
