//! The input of the checks: each channel of New with its chain, its skipped entries, and all users'
//! paths with that channel alone.

use super::affected_lenses::AffectedLenses;
use crate::catalog::Catalog;
use crate::compare::{ChannelPair, Pair, Sides, State, UnlistedUsers, User};
use crate::graph::PackageGraph;
use crate::hashed::{HashMap, HashSet};
use crate::model::{BundleBlob, ChannelBlob, Entry, Located, Package};
use crate::order::SortSmall;
use crate::place::Text;
use crate::upgrade::everyone::{PathSummaries, PathSummary, path_summaries_by_edges};
use crate::upgrade::installed_set::InstalledSet;
use crate::upgrade::resolve::ResolverCache;
use crate::upgrade::{ErrorKind, Lens, Options, UpgradeError, v0};
use crate::version::Version;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// Context besides the package.
#[derive(Clone, Copy, Default)]
pub struct CatalogContext<'a> {
    pub old: Option<&'a Catalog>,
    pub new: Option<&'a Catalog>,
    /// The OCP version that New targets, such as `(4, 19)`.
    pub ocp: Option<(u64, u64)>,
    /// Other visible catalogs of the same priority, by name.
    pub neighbors: &'a [(String, &'a Catalog)],
    /// Set by callers that check repeatedly; otherwise the catalogs are read anew.
    pub resolver_cache: Option<&'a RefCell<ResolverCache>>,
}

impl CatalogContext<'_> {
    /// The context of Old.
    pub(super) fn before(&self) -> Self {
        Self {
            new: self.old,
            ..*self
        }
    }
}

/// The first bundle of each name.
pub(super) type Bundles<'a> = HashMap<&'a str, &'a BundleBlob>;

/// The channels of a package by name.
type ChannelBlobs<'a> = HashMap<&'a str, Vec<&'a Located<ChannelBlob>>>;

pub(super) struct Context<'a> {
    pub pair: &'a Pair<'a>,
    pub catalogs: CatalogContext<'a>,
    /// The channels to check. For channels that both states share, every check gives the same
    /// result before and after.
    pub channels: Vec<CheckedChannel<'a>>,
    pub old_bundles: Bundles<'a>,
    pub new_bundles: Bundles<'a>,
    /// [`Pair::unlisted_users`].
    pub unlisted: &'a [UnlistedUsers],
    /// All versions resolved against both states.
    pub sets: [InstalledSet<'a>; 2],
    /// The pair and state that hold New's graph of these channels.
    graph: (&'a Pair<'a>, State),
}

/// A chain, head first, or why there is none.
type Order = Result<Vec<Text>, UpgradeError>;

/// A channel of either state.
pub(super) struct CheckedChannel<'a> {
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
    /// Under v1 with this channel alone, following edges only. OLM v1 refuses bundles with
    /// requirements in any state, which would otherwise be reported again for each new version.
    pub v1: Sides,
    latest: OnceCell<LatestPatches>,
}

/// The latest patch of each minor version, by number.
pub(super) type LatestPatches = HashMap<(u64, u64), u32>;

impl<'a> Context<'a> {
    pub fn new(pair: &'a Pair<'a>, around: &CatalogContext<'a>) -> Self {
        let looked_at = pair
            .channels
            .iter()
            .filter(|channel| !pair.shared.contains(&channel.name));
        Self::with(
            pair,
            around,
            looked_at,
            (pair, State::New),
            |sets, channel, options| {
                // Without requirements nothing is refused.
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

    /// Compares Old with itself, for the channels checked here. `same`: [`Pair::before`] of this
    /// pair.
    pub fn before<'b>(&'b self, same: &'b Pair<'b>, around: &CatalogContext<'b>) -> Context<'b>
    where
        'a: 'b,
    {
        let channels: HashMap<&Text, &CheckedChannel<'a>> = self
            .channels
            .iter()
            .map(|channel| (channel.name(), channel))
            .collect();
        let asks_the_same = self.pair.asks_the_same();
        let looked_at = same
            .channels
            .iter()
            .filter(|channel| channels.contains_key(&channel.name));
        Context::with(
            same,
            around,
            looked_at,
            (self.pair, State::Old),
            |sets, channel, options| {
                let known = channels.get(&channel.name);
                let paths = match known.filter(|_| asks_the_same) {
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

    /// `paths`: the paths under v1, and both chains if they are equal and known.
    fn with(
        pair: &'a Pair<'a>,
        around: &CatalogContext<'a>,
        looked_at: impl Iterator<Item = &'a ChannelPair>,
        graph: (&'a Pair<'a>, State),
        paths: impl Fn(&[InstalledSet<'a>; 2], &ChannelPair, &Options) -> (Sides, Option<Order>),
    ) -> Self {
        let sets = [&pair.old_index, &pair.new_index]
            .map(|index| InstalledSet::from_sorted(index, &pair.versions));
        let blobs = [pair.old, pair.new]
            .map(|package| package.map(Package::channels_by_name).unwrap_or_default());
        let checked = |channel: &'a ChannelPair| {
            let options = Options {
                channels: vec![channel.name.to_string()],
                ..Options::default()
            };
            let (v1, order) = paths(&sets, channel, &options);
            let orders = match order {
                Some(order) => [order.clone(), order],
                None => {
                    [&pair.old_index, &pair.new_index].map(|index| v0::order(index, &channel.name))
                }
            };
            CheckedChannel::new(pair, channel, v1, orders, &blobs)
        };
        let channels = looked_at.map(checked).collect();
        let (old_bundles, new_bundles) = (bundles(pair.old), bundles(pair.new));
        Self {
            pair,
            catalogs: *around,
            channels,
            old_bundles,
            new_bundles,
            unlisted: pair.unlisted_users(),
            sets,
            graph,
        }
    }

    /// [`Pair::users`] and the further users.
    pub fn users(&self) -> impl Iterator<Item = &'a User> + use<'a> {
        self.pair.users().iter().chain(self.pair.further_users())
    }

    /// New's graph of the channels to check.
    pub fn graph(&self) -> Option<&'a PackageGraph> {
        let (pair, state) = self.graph;
        pair.graph(state)
    }

    /// The checked channels that exist in New.
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
    /// `blobs`: the channels of both states.
    fn new(
        pair: &'a Pair<'a>,
        channel: &'a ChannelPair,
        v1: Sides,
        [old_order, order]: [Order; 2],
        blobs: &[ChannelBlobs<'a>; 2],
    ) -> Self {
        let entries = |blobs: &ChannelBlobs<'a>| -> Vec<&'a Entry> {
            let mut seen = HashSet::default();
            let channels = blobs.get(&*channel.name).into_iter().flatten();
            channels
                .flat_map(|c| &c.data.entries)
                .filter(|e| seen.insert(&e.name.value))
                .collect()
        };
        let [old_entries, new_entries] = blobs.each_ref().map(entries);
        let listed = old_entries
            .iter()
            .chain(&new_entries)
            .map(|e| &e.name.value);
        let mentioned = old_entries
            .iter()
            .flat_map(|e| e.skips.iter().map(|s| &s.value).chain([&e.replaces.value]));
        let names: HashSet<&Text> = listed
            .chain(mentioned)
            .filter(|name| !name.is_empty())
            .collect();
        let mut installed: Vec<u32> = names
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

    /// The head of Old's chain.
    pub fn old_head(&self) -> Option<&Text> {
        self.old_order.as_ref().ok()?.first()
    }

    /// [`LatestPatches`] of New's chain, computed once.
    pub fn latest(&self, find: impl FnOnce() -> LatestPatches) -> &LatestPatches {
        self.latest.get_or_init(find)
    }

    pub fn name(&self) -> &Text {
        &self.pair.name
    }

    /// New's chain, head first; `None` if it has no order.
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

    /// The head of New's chain.
    pub fn head(&self) -> Option<&Text> {
        self.chain()?.first()
    }

    pub fn v0(&self, number: u32) -> Option<&PathSummary> {
        self.pair.v0.new.get(number)
    }

    pub fn v1(&self, number: u32) -> Option<&PathSummary> {
        self.v1.new.get(number)
    }

    /// The qualifier of a finding under OLM v1 in this channel: whether it holds only if no other
    /// channel is allowed, because with all channels the path differs or the change does not affect
    /// it. What OLM v1 refuses here it also refuses with all channels.
    pub fn under_v1(&self, context: &Context<'_>, number: u32) -> AffectedLenses {
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

    /// The lenses for which a finding about a version in this channel holds.
    pub fn under(&self, context: &Context<'_>, number: u32, lenses: &[Lens]) -> AffectedLenses {
        let v1 = if lenses.contains(&Lens::V1) {
            self.under_v1(context, number)
        } else {
            AffectedLenses::default()
        };
        AffectedLenses {
            classic: lenses.contains(&Lens::V0),
            ..v1
        }
    }

    /// The versions of X other than New's head.
    pub fn below<'s>(&'s self, context: &'s Context<'_>) -> impl Iterator<Item = (u32, Text)> + 's {
        let names = self
            .installed
            .iter()
            .map(|&number| (number, context.name(number)));
        names.filter(|(_, name)| self.head() != Some(name))
    }

    /// Entries of New by name.
    pub fn entry_of(&self) -> HashMap<&'a str, &'a Entry> {
        self.new.iter().map(|e| (e.name.as_str(), *e)).collect()
    }
}

fn bundles(package: Option<&Package>) -> Bundles<'_> {
    let bundles = package.map_or(&[][..], |package| &package.bundles);
    bundles
        .iter()
        .rev()
        .map(|bundle| (bundle.name.as_str(), &**bundle))
        .collect()
}

/// `Classic` or `OLM v1`.
pub(super) fn lens_words(lens: Lens) -> &'static str {
    match lens {
        Lens::V0 => "Classic",
        Lens::V1 => "OLM v1",
    }
}
