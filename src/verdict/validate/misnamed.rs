//! Finds names of entries and bundles that are probably misspelt.

use super::channel_scope::ChannelScope;
use super::scope::Scope;
use super::simulation::rename;
use super::spelling::{
    SpellingIndex, looks_like, same_numbers, stem_in, typo_count, version_in, without_version,
};
use catalog::model::{BundleBlob, Entry};
use std::cell::Cell;
use syntax::did_you_mean::differ_only_in_numbers;
use syntax::hashed::{HashMap, HashSet};

/// Maximum number of name comparisons per package.
const MAX_COMPARISONS: usize = 20_000;
/// Typo count for unrelated names.
const UNRELATED_TYPOS: usize = 2;

/// The misspelt object, and the probable name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MisnamedEntry<'a> {
    /// The bundle that the entry means.
    Entry(&'a str),
    /// The bundle, with its index in the package, that should have the entry's name.
    Bundle(u32, &'a BundleBlob),
}

/// Why an entry may mean a bundle.
struct Evidence {
    typos: usize,
    /// The names differ in letters but not in numbers.
    has_same_numbers: bool,
    /// The channel's edges name the bundle.
    is_edge_target: bool,
    /// Another channel's entry for the bundle has the same edges.
    has_same_edges: bool,
    /// No channel lists the bundle, and its name is the wrong one.
    is_bundle_wrong: bool,
    /// They are the only entry without a bundle and the only unlisted bundle.
    is_only_unlisted: bool,
    /// No channel lists the bundle.
    is_unlisted: bool,
    /// No edge of the channel names the entry.
    is_entry_unused: bool,
}

impl Evidence {
    fn is_enough(&self) -> bool {
        self.has_same_numbers
            || self.is_edge_target
            || self.has_same_edges
            || self.is_bundle_wrong
            || self.is_only_unlisted
            || self.is_unlisted && self.is_entry_unused
    }

    fn score(&self) -> usize {
        let weight = 2 * usize::from(self.is_edge_target)
            + 2 * usize::from(self.is_unlisted)
            + usize::from(self.has_same_edges)
            + usize::from(self.has_same_numbers);
        10 * weight + UNRELATED_TYPOS - self.typos.min(UNRELATED_TYPOS)
    }
}

/// A bundle that an entry may mean, with its index in the package.
struct Candidate<'a> {
    score: usize,
    nth: u32,
    bundle: &'a BundleBlob,
}

/// Name statistics of a package, computed on demand for entries without a bundle.
pub struct Names<'s, 'a> {
    scope: &'s Scope<'a>,
    spellings: SpellingIndex<'a>,
    /// Number of mentions of each name in entries, edges and deprecations.
    mentions: HashMap<&'a str, usize>,
    /// Number of bundles with the same name apart from the version.
    stems: HashMap<String, usize>,
    /// The only unlisted bundle, if exactly one entry of the package has no bundle: they match
    /// regardless of their names.
    only_unlisted: Option<&'a str>,
    remaining_comparisons: Cell<usize>,
}

impl<'s, 'a> Names<'s, 'a> {
    pub fn new(scope: &'s Scope<'a>) -> Self {
        let package = scope.package;
        let mut mentions: HashMap<&str, usize> = HashMap::default();
        let entries = package.channels.iter().flat_map(|channel| &channel.entries);
        let written = entries.flat_map(|entry| std::iter::once(&entry.name).chain(entry.targets()));
        let deprecated = package
            .deprecations
            .iter()
            .flat_map(|blob| &blob.entries)
            .map(|entry| &entry.name);
        written
            .chain(deprecated)
            .for_each(|name| *mentions.entry(name.as_str()).or_default() += 1);
        let mut stems: HashMap<String, usize> = HashMap::default();
        for stem in package
            .bundles
            .iter()
            .filter_map(|bundle| stem_in(bundle.name.as_str()))
        {
            *stems.entry(stem).or_default() += 1;
        }
        let spellings =
            SpellingIndex::new(package.bundles.iter().map(|bundle| bundle.name.as_str()));
        Self {
            scope,
            spellings,
            mentions,
            stems,
            only_unlisted: only_unlisted(scope),
            remaining_comparisons: Cell::new(MAX_COMPARISONS),
        }
    }

    /// Returns the probable meaning of an entry without a bundle. `None` if there is none or it is
    /// ambiguous.
    pub fn probable_bundle(
        &self,
        channel: &ChannelScope<'a>,
        entry: &Entry,
    ) -> Option<MisnamedEntry<'a>> {
        let written = entry.name.as_str();
        if written.is_empty()
            || channel
                .blob
                .entries
                .iter()
                .filter(|e| e.name.as_str() == written)
                .count()
                > 1
        {
            return None;
        }
        let respelled = self.spellings.find_spelling(written);
        let edges: HashSet<&str> = channel
            .entries
            .iter()
            .filter(|other| other.name.as_str() != written)
            .flat_map(|other| std::iter::once(&other.replaces).chain(&other.skips))
            .map(|name| name.as_str())
            .collect();
        let mut best: Option<Candidate<'a>> = None;
        let mut is_unambiguous = true;
        for (nth, bundle) in (0..).zip(&self.scope.package.bundles) {
            let bundle: &'a BundleBlob = bundle;
            let name = bundle.name.as_str();
            if name.is_empty() || channel.position(name).is_some() {
                continue;
            }
            self.remaining_comparisons
                .set(self.remaining_comparisons.get().checked_sub(1)?);
            let is_respelled = respelled == Some(name);
            let evidence = self.evidence(channel, entry, bundle, &edges, is_respelled);
            let Some(evidence) = evidence.filter(Evidence::is_enough) else {
                continue;
            };
            let score = evidence.score();
            match &best {
                Some(best) if best.score > score => {}
                Some(best) if best.score == score => is_unambiguous = false,
                _ => {
                    is_unambiguous = true;
                    best = Some(Candidate { score, nth, bundle });
                }
            }
        }
        let Candidate { nth, bundle, .. } = best.filter(|_| is_unambiguous)?;
        let is_bundle = self.is_bundle_wrong(written, bundle);
        Some(if is_bundle {
            MisnamedEntry::Bundle(nth, bundle)
        } else {
            MisnamedEntry::Entry(bundle.name.as_str())
        })
    }

    /// Returns why an entry may mean a bundle; `None` if their names are unrelated. `edges` are
    /// the names in the edges of the channel's other entries.
    fn evidence(
        &self,
        channel: &ChannelScope<'a>,
        entry: &Entry,
        bundle: &BundleBlob,
        edges: &HashSet<&str>,
        is_respelled: bool,
    ) -> Option<Evidence> {
        let (written, name) = (entry.name.as_str(), bundle.name.as_str());
        let resembles = is_respelled || looks_like(written, name) || looks_like(name, written);
        let is_edge_target = edges.contains(name);
        let is_only_unlisted =
            self.only_unlisted == Some(name) && rename(channel, written, name).is_fine();
        let typos = if resembles {
            usize::from(!is_respelled)
        } else {
            // The only remaining pair matches regardless of the numbers in its names.
            let is_remaining_pair =
                is_only_unlisted && (is_edge_target || differ_only_in_numbers(written, name));
            typo_count(written, name).or(is_remaining_pair.then_some(UNRELATED_TYPOS))?
        };
        let is_unlisted = !self.scope.is_listed(name);
        Some(Evidence {
            typos,
            has_same_numbers: resembles || same_numbers(written, name),
            is_edge_target,
            has_same_edges: self.has_same_edges(channel, entry, name),
            is_bundle_wrong: is_unlisted && self.is_bundle_wrong(written, bundle),
            is_only_unlisted,
            is_unlisted,
            is_entry_unused: !edges.contains(written),
        })
    }

    /// Returns the correctly named entry of this channel, if other edges refer to it by the
    /// misspelt name.
    pub fn twin(&self, channel: &ChannelScope<'a>, entry: &Entry) -> Option<&'a str> {
        let written = entry.name.as_str();
        self.mentions
            .get(written)
            .filter(|mentions| **mentions > 1)?;
        self.remaining_comparisons.set(
            self.remaining_comparisons
                .get()
                .checked_sub(channel.entries.len())?,
        );
        let listed = || {
            channel
                .entries
                .iter()
                .map(|other| other.name.as_str())
                .filter(|name| self.scope.bundle(name).is_some())
        };
        SpellingIndex::new(listed())
            .find_spelling(written)
            .or_else(|| without_version(written, listed()))
    }

    /// Whether another channel lists the bundle with the same edges as this entry.
    fn has_same_edges(&self, channel: &ChannelScope<'_>, entry: &Entry, bundle: &str) -> bool {
        let has_edges =
            !entry.replaces.is_empty() || !entry.skips.is_empty() || !entry.skip_range.is_empty();
        let mut others = self
            .scope
            .channels
            .iter()
            .filter(|other| other.nth != channel.nth);
        has_edges
            && others.any(|other| {
                other
                    .position(bundle)
                    .is_some_and(|at| other.entries[at].has_same_edges(entry))
            })
    }

    /// Whether the bundle's name is the wrong one: nothing uses it, and its version, the other
    /// bundles' names or several mentions support the entry's name.
    fn is_bundle_wrong(&self, entry: &str, bundle: &BundleBlob) -> bool {
        let name = bundle.name.as_str();
        if self.mentions.contains_key(name) {
            return false;
        }
        if has_blanks(entry) != has_blanks(name) {
            return has_blanks(name);
        }
        let version = bundle.version().to_lowercase();
        let has_version = |name: &str| version_in(name).is_some_and(|own| own == version);
        if has_version(entry) != has_version(name) {
            return has_version(entry);
        }
        // Bundles are usually named after their package.
        let is_called = |name: &str| name.contains(&*self.scope.package.name);
        if is_called(entry) != is_called(name) {
            return is_called(entry);
        }
        let others = |name: &str| {
            stem_in(name)
                .and_then(|stem| self.stems.get(&stem))
                .copied()
                .unwrap_or(0)
        };
        // The bundle's own name counts towards its own stem.
        match others(entry).cmp(&others(name).saturating_sub(1)) {
            _ if stem_in(entry) == stem_in(name) => {
                self.mentions.get(entry).is_some_and(|n| *n > 1)
            }
            std::cmp::Ordering::Greater => true,
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Equal => self.mentions.get(entry).is_some_and(|n| *n > 1),
        }
    }
}

fn has_blanks(name: &str) -> bool {
    name.trim() != name
}

/// Returns the only unlisted bundle, if exactly one name in the channels has no bundle.
fn only_unlisted<'a>(scope: &Scope<'a>) -> Option<&'a str> {
    let entries = scope
        .package
        .channels
        .iter()
        .flat_map(|channel| &channel.entries);
    let mut without = entries
        .map(|entry| entry.name.as_str())
        .filter(|name| scope.bundle(name).is_none());
    let first = without.next()?;
    let mut unlisted = scope
        .package
        .bundles
        .iter()
        .filter(|bundle| !scope.is_listed(bundle.name.as_str()));
    let bundle: &'a BundleBlob = unlisted.next()?;
    (without.all(|name| name == first) && unlisted.next().is_none()).then(|| bundle.name.as_str())
}
