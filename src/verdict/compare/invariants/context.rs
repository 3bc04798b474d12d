//! The input of the checks: each channel of New with its chain, its skipped entries, and all users'
//! paths with that channel alone. Also the lenses that a finding applies to, and the corrected
//! names that are exempt from the checks.

use super::Finding;
use super::skips::EDGE_REWRITTEN;
use crate::compare::{
    BundlesByName, ChannelPair, Pair, Sides, State, UnlistedUsers, User, bundles_by_name,
};
use crate::validate::edit_count;
use catalog::Catalog;
use catalog::graph::PackageGraph;
use catalog::model::{ChannelBlob, Entry, Located, Package};
use catalog::version::Version;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use syntax::hashed::{HashMap, HashSet};
use syntax::order::SortSmall;
use syntax::place::Text;
use upgrade::everyone::{PathSummaries, PathSummary, path_summaries_by_edges};
use upgrade::installed_set::InstalledSet;
use upgrade::resolve::ResolverCache;
use upgrade::{ErrorKind, Lens, Options, UpgradeError, v0};

/// The catalogs that the checked package belongs to.
#[derive(Clone, Copy, Default)]
pub struct CatalogContext<'a> {
    pub old: Option<&'a Catalog>,
    pub new: Option<&'a Catalog>,
    /// The OCP version that New targets, such as `(4, 19)`.
    pub ocp: Option<(u64, u64)>,
    /// Other visible catalogs of the same priority, by name.
    pub neighbors: &'a [(String, &'a Catalog)],
    /// Set by callers that check repeatedly; without it, each check reads the catalogs again.
    pub resolver_cache: Option<&'a RefCell<ResolverCache>>,
}

impl CatalogContext<'_> {
    /// Returns the context for checking Old.
    pub fn before(&self) -> Self {
        Self {
            new: self.old,
            ..*self
        }
    }
}

/// The channels of a package by name.
type ChannelBlobs<'a> = HashMap<&'a str, Vec<&'a Located<ChannelBlob>>>;

pub struct Context<'a> {
    pub pair: &'a Pair<'a>,
    pub catalogs: CatalogContext<'a>,
    /// The channels to check, without shared ones, for which every check has equal results in both
    /// states.
    pub channels: Vec<CheckedChannel<'a>>,
    pub old_bundles: BundlesByName<'a>,
    pub new_bundles: BundlesByName<'a>,
    /// [`Pair::unlisted_users`].
    pub unlisted: &'a [UnlistedUsers],
    /// All versions, resolved against Old and against New.
    pub sets: [InstalledSet<'a>; 2],
    /// The pair and state that hold New's graph of these channels.
    graph: (&'a Pair<'a>, State),
}

/// A chain, head first, or why there is none.
type Order = Result<Vec<Text>, UpgradeError>;

/// A channel of either state.
pub struct CheckedChannel<'a> {
    pub pair: &'a ChannelPair,
    pub old: Vec<&'a Entry>,
    pub new: Vec<&'a Entry>,
    /// New's chain, head first, or why there is none.
    pub order: Order,
    /// Old's chain.
    pub old_order: Order,
    /// Names that New's entries skip.
    pub skipped: HashSet<&'a str>,
    /// X of the specification: versions that either state lists, and those that Old mentions.
    pub installed: Vec<u32>,
    /// Paths under v1 with this channel alone, following edges only. OLM v1 refuses bundles with
    /// requirements in either state; otherwise each new version would repeat that refusal.
    pub v1: Sides,
    latest: OnceCell<LatestPatches>,
}

/// The latest patch of each minor version, by number.
pub type LatestPatches = HashMap<(u64, u64), u32>;

impl<'a> Context<'a> {
    pub fn new(pair: &'a Pair<'a>, catalogs: &CatalogContext<'a>) -> Self {
        let channels_to_check = pair
            .channels
            .iter()
            .filter(|channel| !pair.shared.contains(&channel.name));
        Self::with(
            pair,
            catalogs,
            channels_to_check,
            (pair, State::New),
            |sets, channel, options| {
                // OLM v1 refuses nothing without requirements.
                if channel.is_followed
                    && !pair.old_index.needs_solver()
                    && !pair.new_index.needs_solver()
                {
                    return (channel.v1.clone(), None);
                }
                let members = &channel.v0.new.members;
                let side = |set| {
                    Rc::new(path_summaries_by_edges(
                        set,
                        &pair.versions,
                        members.clone(),
                        options,
                    ))
                };
                (
                    Sides {
                        old: side(&sets[0]),
                        new: side(&sets[1]),
                    },
                    None,
                )
            },
        )
    }

    /// Builds the context that compares Old with itself, for the channels checked here. `same` is
    /// [`Pair::before`] of this pair.
    pub fn before<'b>(&'b self, same: &'b Pair<'b>, catalogs: &CatalogContext<'b>) -> Context<'b>
    where
        'a: 'b,
    {
        let channels: HashMap<&Text, &CheckedChannel<'a>> = self
            .channels
            .iter()
            .map(|channel| (channel.name(), channel))
            .collect();
        let can_reuse_paths = self.pair.can_reuse_paths();
        let channels_to_check = same
            .channels
            .iter()
            .filter(|channel| channels.contains_key(&channel.name));
        Context::with(
            same,
            catalogs,
            channels_to_check,
            (self.pair, State::Old),
            |sets, channel, options| {
                let known = channels.get(&channel.name);
                let paths = match known.filter(|_| can_reuse_paths) {
                    Some(known) => known.v1.old.clone(),
                    None => {
                        let members = channel.v0.new.members.clone();
                        Rc::new(path_summaries_by_edges(
                            &sets[0],
                            &same.versions,
                            members,
                            options,
                        ))
                    }
                };
                (
                    Sides::same(paths),
                    known.map(|known| known.old_order.clone()),
                )
            },
        )
    }

    /// Builds a context. `paths` returns a channel's paths under v1, and its chain if it is known
    /// and equal in both states.
    fn with(
        pair: &'a Pair<'a>,
        catalogs: &CatalogContext<'a>,
        channels_to_check: impl Iterator<Item = &'a ChannelPair>,
        graph: (&'a Pair<'a>, State),
        paths: impl Fn(&[InstalledSet<'a>; 2], &ChannelPair, &Options) -> (Sides, Option<Order>),
    ) -> Self {
        let sets = [&pair.old_index, &pair.new_index]
            .map(|index| InstalledSet::from_sorted(index, &pair.versions));
        let blobs = [pair.old, pair.new]
            .map(|package| package.map(Package::channels_by_name).unwrap_or_default());
        let checked = |channel: &'a ChannelPair| {
            let options = Options::for_channel(&channel.name);
            let (v1, order) = paths(&sets, channel, &options);
            let orders = match order {
                Some(order) => [order.clone(), order],
                None => {
                    [&pair.old_index, &pair.new_index].map(|index| v0::order(index, &channel.name))
                }
            };
            CheckedChannel::new(pair, channel, v1, orders, &blobs)
        };
        let channels = channels_to_check.map(checked).collect();
        let (old_bundles, new_bundles) = (bundles_by_name(pair.old), bundles_by_name(pair.new));
        Self {
            pair,
            catalogs: *catalogs,
            channels,
            old_bundles,
            new_bundles,
            unlisted: pair.unlisted_users(),
            sets,
            graph,
        }
    }

    /// Returns [`Pair::users`] and the further users.
    pub fn users(&self) -> impl Iterator<Item = &'a User> + use<'a> {
        self.pair.users().iter().chain(self.pair.further_users())
    }

    pub fn graph(&self) -> Option<&'a PackageGraph> {
        let (pair, state) = self.graph;
        pair.graph(state)
    }

    pub fn present(&self) -> impl Iterator<Item = &CheckedChannel<'a>> {
        self.channels.iter().filter(|channel| channel.pair.in_new)
    }

    pub fn name(&self, number: u32) -> Text {
        self.pair
            .versions
            .get(number)
            .map(|i| i.name.clone())
            .unwrap_or_default()
    }

    pub fn version(&self, number: u32) -> Option<&Version> {
        self.pair.versions.version(number)
    }

    pub fn is_lower(&self, a: u32, b: u32) -> bool {
        self.version(a)
            .zip(self.version(b))
            .is_some_and(|(a, b)| a.cmp_precedence(b).is_lt())
    }

    pub fn new_package(&self) -> Option<&'a Package> {
        self.pair.new
    }
}

impl<'a> CheckedChannel<'a> {
    /// Collects the data of a channel. `blobs` are the channels of both states.
    fn new(
        pair: &'a Pair<'a>,
        channel: &'a ChannelPair,
        v1: Sides,
        [old_order, order]: [Order; 2],
        blobs: &[ChannelBlobs<'a>; 2],
    ) -> Self {
        let [old_entries, new_entries] =
            blobs
                .each_ref()
                .map(|blobs: &ChannelBlobs<'a>| -> Vec<&'a Entry> {
                    let mut seen = HashSet::default();
                    let channels = blobs.get(&*channel.name).into_iter().flatten();
                    channels
                        .flat_map(|c| &c.data.entries)
                        .filter(|e| seen.insert(&e.name.value))
                        .collect()
                });
        let listed = old_entries
            .iter()
            .chain(&new_entries)
            .map(|e| &e.name.value);
        let mentioned = old_entries
            .iter()
            .flat_map(|e| e.skips.iter().map(|s| &s.value).chain([&e.replaces.value]));
        let corrected_names: HashSet<&Text> = listed
            .chain(mentioned)
            .filter(|name| !name.is_empty())
            .collect();
        let mut installed: Vec<u32> = corrected_names
            .into_iter()
            .flat_map(|name| pair.versions.by_name(name).iter().copied())
            .collect();
        installed.sort_small();
        installed.dedup();
        Self {
            pair: channel,
            skipped: new_entries
                .iter()
                .flat_map(|e| &e.skips)
                .map(|s| s.as_str())
                .collect(),
            order,
            old_order,
            old: old_entries,
            new: new_entries,
            installed,
            v1,
            latest: OnceCell::new(),
        }
    }

    pub fn old_head(&self) -> Option<&Text> {
        self.old_order.as_ref().ok()?.first()
    }

    /// Calls `find` once and caches the result.
    pub fn latest(&self, find: impl FnOnce() -> LatestPatches) -> &LatestPatches {
        self.latest.get_or_init(find)
    }

    pub fn name(&self) -> &Text {
        &self.pair.name
    }

    /// Returns New's chain, head first; `None` if there is none.
    pub fn chain(&self) -> Option<&[Text]> {
        self.order.as_deref().ok()
    }

    /// Whether the chain contains the same bundles in both states.
    pub fn keeps_its_chain(&self) -> bool {
        let (old, new) = (
            self.old_order.as_deref().unwrap_or_default(),
            self.chain().unwrap_or_default(),
        );
        old == new || old.iter().collect::<HashSet<_>>() == new.iter().collect()
    }

    pub fn head(&self) -> Option<&Text> {
        self.chain()?.first()
    }

    pub fn v0(&self, number: u32) -> Option<&PathSummary> {
        self.pair.v0.new.get(number)
    }

    pub fn v1(&self, number: u32) -> Option<&PathSummary> {
        self.v1.new.get(number)
    }

    /// Returns the qualifier of a finding under OLM v1 in this channel. The finding holds only with
    /// this channel alone if, with all channels, the path differs or the change does not affect it.
    /// What OLM v1 refuses here it also refuses with all channels.
    fn affected_lenses_v1(&self, context: &Context<'_>, number: u32) -> AffectedLenses {
        let path = |paths: &PathSummaries| {
            let path = paths.get(number)?;
            let is_known = path.error != Some(ErrorKind::Dependency);
            is_known.then(|| (path.next.as_ref().map(|step| step.to), path.last))
        };
        let (all, here) = (&context.pair.v1, &self.v1);
        let is_other = path(&all.new).is_some_and(|now| {
            let stays = path(&all.old) == Some(now) && path(&here.old) != path(&here.new);
            stays || path(&here.new) != Some(now)
        });
        AffectedLenses::v1(is_other)
    }

    /// Returns the lenses for which a finding about a version in this channel holds.
    pub fn affected_lenses(
        &self,
        context: &Context<'_>,
        number: u32,
        lenses: &[Lens],
    ) -> AffectedLenses {
        let v1 = if lenses.contains(&Lens::V1) {
            self.affected_lenses_v1(context, number)
        } else {
            AffectedLenses::default()
        };
        AffectedLenses {
            classic: lenses.contains(&Lens::V0),
            ..v1
        }
    }

    /// Returns the installed versions other than New's head.
    pub fn below<'s>(&'s self, context: &'s Context<'_>) -> impl Iterator<Item = (u32, Text)> + 's {
        let corrected_names = self
            .installed
            .iter()
            .map(|&number| (number, context.name(number)));
        corrected_names.filter(|(_, name)| self.head() != Some(name))
    }

    pub fn entries_by_name(&self) -> HashMap<&'a str, &'a Entry> {
        self.new.iter().map(|e| (e.name.as_str(), *e)).collect()
    }
}

pub fn lens_name(lens: Lens) -> &'static str {
    match lens {
        Lens::V0 => "Classic",
        Lens::V1 => "OLM v1",
    }
}

/// The lenses that a finding applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct AffectedLenses {
    pub classic: bool,
    pub v1: bool,
    /// Whether it holds under OLM v1 only if the ClusterExtension allows this channel alone.
    pub is_one_channel: bool,
}

/// All qualifiers; none contains a later one.
const QUALIFIERS: [(AffectedLenses, &str); 5] = [
    (
        new(true, true, true),
        "under Classic, and under OLM v1 if only this channel is allowed",
    ),
    (
        new(false, true, true),
        "under OLM v1 if only this channel is allowed",
    ),
    (new(true, true, false), "under Classic and OLM v1"),
    (new(true, false, false), "under Classic"),
    (new(false, true, false), "under OLM v1"),
];

const fn new(classic: bool, v1: bool, is_one_channel: bool) -> AffectedLenses {
    AffectedLenses {
        classic,
        v1,
        is_one_channel,
    }
}

impl AffectedLenses {
    pub const CLASSIC: Self = new(true, false, false);
    pub const V1: Self = new(false, true, false);
    pub const BOTH: Self = new(true, true, false);

    /// Returns OLM v1, with all channels or with a single one.
    pub fn v1(is_one_channel: bool) -> Self {
        new(false, true, is_one_channel)
    }

    /// Returns the text for these lenses; "" for none.
    pub fn qualifier(self) -> &'static str {
        let known_lenses = Self {
            is_one_channel: self.is_one_channel && self.v1,
            ..self
        };
        QUALIFIERS
            .iter()
            .find(|(under, _)| *under == known_lenses)
            .map_or("", |(_, text)| text)
    }

    /// Extracts the qualifier of a message, with its text.
    pub fn in_message(message: &str) -> Option<(Self, &'static str)> {
        QUALIFIERS
            .iter()
            .find(|(_, text)| message.contains(text))
            .map(|(under, text)| (*under, *text))
    }

    /// Returns the union. A finding that holds with all channels also holds with one.
    pub fn and(self, other: Self) -> Self {
        let is_wide = |of: Self| of.v1 && !of.is_one_channel;
        Self {
            classic: self.classic || other.classic,
            v1: self.v1 || other.v1,
            is_one_channel: (self.v1 || other.v1) && !is_wide(self) && !is_wide(other),
        }
    }

    /// Whether `self` includes `other`.
    pub fn covers(self, other: Self) -> bool {
        let v1 = !other.v1 || (self.v1 && (!self.is_one_channel || other.is_one_channel));
        (self.classic || !other.classic) && v1
    }
}

/// Names that the change corrected, with their channels: names without a bundle that gave way to a
/// similar entry. Nobody runs the misspelt version, so nobody loses an update, and the edge does
/// not count as changed.
pub struct Corrected {
    corrected_names: HashSet<(Text, Text)>,
}

impl Corrected {
    pub fn between(before: &Package, after: &Package) -> Self {
        Self {
            corrected_names: corrected_names(before, after),
        }
    }

    /// Whether a finding concerns a corrected name, or the entry that referred to it.
    pub fn covers(&self, finding: &Finding) -> bool {
        // A finding without a channel concerns OLM v1 without channels.
        let is_corrected = |name: Text| {
            self.corrected_names.iter().any(|(channel, corrected)| {
                *corrected == name && (finding.channel.is_empty() || *channel == finding.channel)
            })
        };
        let was = finding
            .message
            .strip_suffix('`')
            .and_then(|message| message.rsplit_once(" instead of `"));
        !self.corrected_names.is_empty()
            && (is_corrected(finding.subject.clone())
                || was.is_some_and(|(_, name): (&str, &str)| {
                    *finding.invariant == EDGE_REWRITTEN && is_corrected(name.into())
                }))
    }
}

/// Returns the names that were corrected, as (channel, old name). A name is corrected if it was not
/// a bundle before, the channel no longer mentions it, and a similar name is a new entry, or an
/// entry that no edge referred to before.
fn corrected_names(before: &Package, after: &Package) -> HashSet<(Text, Text)> {
    let bundles: HashSet<&Text> = before.bundles.iter().map(|b| &b.name.value).collect();
    let channels = after.channels_by_name();
    let mut corrected = HashSet::default();
    for channel in &before.channels {
        let now = channels.get(channel.name.as_str()).and_then(|c| c.first());
        let Some(now) = now.filter(|now| !Arc::ptr_eq(&channel.data, &now.data)) else {
            continue;
        };
        let (old, new) = (Names::from_channel(channel), Names::from_channel(now));
        let gained: Vec<&&Text> = new
            .entries
            .iter()
            .filter(|name| {
                !old.entries.contains(*name)
                    || (new.edges.contains(*name) && !old.edges.contains(*name))
            })
            .collect();
        let is_gone = |name: &Text| {
            !(name.is_empty()
                || bundles.contains(name)
                || new.entries.contains(name)
                || new.edges.contains(name))
        };
        for was in old.entries.union(&old.edges).filter(|was| is_gone(was)) {
            if gained.iter().any(|name| edit_count(was, name).is_some()) {
                corrected.insert((channel.name.value.clone(), Text::clone(was)));
            }
        }
    }
    corrected
}

/// The names in a channel: its entries and the targets of their edges.
struct Names<'a> {
    entries: HashSet<&'a Text>,
    edges: HashSet<&'a Text>,
}

impl<'a> Names<'a> {
    fn from_channel(channel: &'a ChannelBlob) -> Self {
        let edges = channel.entries.iter().flat_map(|entry| entry.targets());
        Self {
            entries: channel.entries.iter().map(|e| &e.name.value).collect(),
            edges: edges.map(|name| &name.value).collect(),
        }
    }
}

#[cfg(test)]
mod affected_lenses_tests {
    use super::*;

    #[test]
    fn qualifiers_are_extracted_from_messages() {
        for (under, text) in QUALIFIERS {
            assert_eq!(under.qualifier(), text);
            assert_eq!(
                AffectedLenses::in_message(&format!("users of `a` get nothing {text}; b")),
                Some((under, text))
            );
        }
        assert_eq!(AffectedLenses::in_message("`a` is gone"), None);
        assert_eq!(AffectedLenses::default().qualifier(), "");
    }

    #[test]
    fn one_channel_is_less_than_all() {
        let one = AffectedLenses::v1(true);
        assert_eq!(one.and(AffectedLenses::V1), AffectedLenses::V1);
        assert_eq!(
            one.and(AffectedLenses::CLASSIC).qualifier(),
            QUALIFIERS[0].1
        );
        assert!(
            AffectedLenses::V1.covers(one)
                && !one.covers(AffectedLenses::V1)
                && !AffectedLenses::CLASSIC.covers(one)
        );
        assert!(
            AffectedLenses::BOTH.covers(AffectedLenses::CLASSIC)
                && AffectedLenses::BOTH.covers(AffectedLenses::BOTH)
        );
    }
}

#[cfg(test)]
mod corrected_tests {
    use super::*;
    use catalog::testing::package;

    fn corrected(before: &str, after: &str) -> Vec<Text> {
        corrected_names(&package(before), &package(after))
            .into_iter()
            .map(|(_, name)| name)
            .collect()
    }

    #[test]
    fn a_name_is_corrected_if_it_was_unknown_and_nothing_led_to_the_new_one() {
        let before = "c: op.v3@3.0.0 r:op.v22; op.v2@2.0.0 r:op.v1; op.v1@1.0.0";
        assert_eq!(
            corrected(before, &before.replace("v22", "v2")),
            [Text::from("op.v22")]
        );
        assert!(corrected(before, before).is_empty());
        assert!(
            corrected(before, &before.replace("v22", "v1")).is_empty(),
            "the new name had an edge before"
        );
        let skipping = before.replace("r:op.v22", "r:op.v2 s:op.v22");
        assert!(
            corrected(&skipping, &skipping.replace(" s:op.v22", "")).is_empty(),
            "the name was only removed"
        );
        let entry = before.replace("op.v2@2.0.0", "op.v22");
        let bundle = format!("{before}\nd: op.v2@2.0.0");
        assert_eq!(
            corrected(
                &format!("{entry}\nd: op.v2@2.0.0"),
                &bundle.replace("r:op.v22", "r:op.v2")
            ),
            [Text::from("op.v22")]
        );
        assert!(
            corrected(&entry, &before.replace("op.v2@2.0.0 r:op.v1; ", "")).is_empty(),
            "the entry was only removed"
        );
        let other = before.replace("op.v22", "removed");
        assert!(
            corrected(&other, &other.replace("removed", "op.v2")).is_empty(),
            "the names are not similar"
        );
    }
}
