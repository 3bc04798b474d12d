//! What checks look at: each channel of New with its chain, its skipped entries, and everyone's paths when that channel
//! alone is asked for.

use super::under::Under;
use crate::catalog::Catalog;
use crate::compare::{ChannelPair, Pair, Sides, User};
use crate::hashed::{HashMap, HashSet};
use crate::model::{BundleBlob, ChannelBlob, Entry, Located, Package};
use crate::place::Text;
use crate::upgrade::everyone::{PathSummaries, PathSummary, path_summaries_by_edges};
use crate::upgrade::installed_set::InstalledSet;
use crate::upgrade::resolve::ResolverCache;
use crate::upgrade::{ErrorKind, Installed, Lens, Options, UpgradeError, v0};
use crate::version::Version;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// What is known besides the package.
#[derive(Clone, Copy, Default)]
pub struct CatalogContext<'a> {
    pub old: Option<&'a Catalog>,
    pub new: Option<&'a Catalog>,
    /// The OCP version that New is for: `(4, 19)`.
    pub ocp: Option<(u64, u64)>,
    /// Other catalogs of the same priority that a cluster sees, by name.
    pub neighbors: &'a [(String, &'a Catalog)],
    /// Kept by who asks again and again; without, the catalogs are read anew.
    pub resolver_cache: Option<&'a RefCell<ResolverCache>>,
}

impl CatalogContext<'_> {
    /// As Old saw them.
    pub(super) fn before(&self) -> Self {
        Self { new: self.old, ..*self }
    }
}

/// The first bundle of each name.
pub(super) type Bundles<'a> = HashMap<&'a str, &'a BundleBlob>;

/// The channels of a package by name.
type ChannelBlobs<'a> = HashMap<&'a str, Vec<&'a Located<ChannelBlob>>>;

pub(super) struct Context<'a> {
    pub pair: &'a Pair<'a>,
    pub catalogs: CatalogContext<'a>,
    /// The channels that are looked at.
    pub channels: Vec<CheckedChannel<'a>>,
    /// [`Pair::users`].
    pub users: &'a [User],
    pub old_bundles: Bundles<'a>,
    pub new_bundles: Bundles<'a>,
    versions: Vec<Option<Version>>,
}

/// A channel of either state.
pub(super) struct CheckedChannel<'a> {
    pub pair: &'a ChannelPair,
    pub old: Vec<&'a Entry>,
    pub new: Vec<&'a Entry>,
    /// New's chain, head first, or why it has no order.
    pub order: Result<Vec<Text>, UpgradeError>,
    pub old_head: Option<Text>,
    /// Names that New's entries skip.
    pub skipped: HashSet<&'a str>,
    /// X of the specification: whom either state lists, and whom Old mentions.
    pub installed: Vec<u32>,
    /// Under v1, with this channel alone, along the edges: what requires something is refused by OLM v1 in any state, and
    /// would be reported again for each new version.
    pub v1: Sides,
}

impl<'a> Context<'a> {
    pub fn new(pair: &'a Pair<'a>, around: &CatalogContext<'a>, looked_at: impl Fn(&ChannelPair) -> bool) -> Self {
        let installed: Vec<Installed> = pair.versions.iter().map(|(_, i)| i.clone()).collect();
        let sets = (InstalledSet::new(&pair.old_index, &installed), InstalledSet::new(&pair.new_index, &installed));
        let channels = pair.channels.iter().filter(|channel| looked_at(channel));
        let blobs = [pair.old, pair.new].map(|package| package.map(Package::channels_by_name).unwrap_or_default());
        let channels = channels.map(|channel| CheckedChannel::new(pair, channel, (&sets.0, &sets.1), &blobs)).collect();
        let versions = pair.versions.iter().map(|(_, i)| Version::parse(&i.version).ok()).collect();
        let (old_bundles, new_bundles) = (bundles(pair.old), bundles(pair.new));
        let users = pair.users();
        Self { pair, catalogs: *around, channels, users, old_bundles, new_bundles, versions }
    }

    /// Those of them that New has.
    pub fn present(&self) -> impl Iterator<Item = &CheckedChannel<'a>> {
        self.channels.iter().filter(|channel| channel.pair.in_new)
    }

    pub fn name(&self, number: u32) -> Text {
        self.pair.versions.get(number).map(|i| i.name.clone()).unwrap_or_default()
    }

    pub fn version(&self, number: u32) -> Option<&Version> {
        self.versions.get(number as usize)?.as_ref()
    }

    pub fn is_lower(&self, a: u32, b: u32) -> bool {
        self.version(a).zip(self.version(b)).is_some_and(|(a, b)| a.cmp_precedence(b).is_lt())
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
        (old, new): (&InstalledSet<'_>, &InstalledSet<'_>),
        blobs: &[ChannelBlobs<'a>; 2],
    ) -> Self {
        let options = Options { channels: vec![channel.name.to_string()], ..Options::default() };
        let members = channel.v0.new.members.clone();
        let v1 = Sides {
            old: path_summaries_by_edges(old, &pair.versions, members.clone(), &options),
            new: path_summaries_by_edges(new, &pair.versions, members, &options),
        };
        let entries = |blobs: &ChannelBlobs<'a>| -> Vec<&'a Entry> {
            let mut seen = HashSet::default();
            let channels = blobs.get(&*channel.name).into_iter().flatten();
            channels.flat_map(|c| &c.data.entries).filter(|e| seen.insert(&e.name.value)).collect()
        };
        let [old_entries, new_entries] = blobs.each_ref().map(entries);
        let listed = old_entries.iter().chain(&new_entries).map(|e| &e.name.value);
        let mentioned = old_entries.iter().flat_map(|e| e.skips.iter().map(|s| &s.value).chain([&e.replaces.value]));
        let names: BTreeSet<&Text> = listed.chain(mentioned).filter(|name| !name.is_empty()).collect();
        let installed: BTreeSet<u32> =
            names.into_iter().flat_map(|name| pair.versions.named(name).iter().copied()).collect();
        Self {
            pair: channel,
            skipped: new_entries.iter().flat_map(|e| &e.skips).map(|s| s.as_str()).collect(),
            order: v0::order(&pair.new_index, &channel.name),
            old_head: v0::order(&pair.old_index, &channel.name).ok().and_then(|chain| chain.into_iter().next()),
            old: old_entries,
            new: new_entries,
            installed: installed.into_iter().collect(),
            v1,
        }
    }

    pub fn name(&self) -> &Text {
        &self.pair.name
    }

    /// New's chain, head first; `None` when it has no order.
    pub fn chain(&self) -> Option<&[Text]> {
        self.order.as_deref().ok()
    }

    /// Whether the chain has the same bundles in both states.
    pub fn keeps_its_chain(&self, pair: &Pair<'_>) -> bool {
        let names = |chain: Option<&[Text]>| -> BTreeSet<Text> { chain.into_iter().flatten().cloned().collect() };
        let old = v0::order(&pair.old_index, self.name()).ok();
        names(old.as_deref()) == names(self.chain())
    }

    /// The first of New's chain.
    pub fn head(&self) -> Option<&Text> {
        self.chain()?.first()
    }

    pub fn v0(&self, number: u32) -> Option<&PathSummary> {
        self.pair.v0.new.of(number)
    }

    pub fn v1(&self, number: u32) -> Option<&PathSummary> {
        self.v1.new.of(number)
    }

    /// Under OLM v1 in this channel: whether it is so for a version only where no other channel is allowed, as with all
    /// channels its path is another one, or the change leaves that as it was. What OLM v1 refuses it refuses with all
    /// channels, too.
    pub fn under_v1(&self, context: &Context<'_>, number: u32) -> Under {
        let path = |paths: &PathSummaries| {
            let path = paths.of(number)?;
            let is_known = path.error != Some(ErrorKind::Dependency);
            is_known.then(|| (path.next.as_ref().map(|step| step.to), path.last))
        };
        let (all, here) = (&context.pair.v1, &self.v1);
        let is_other = path(&all.new).is_some_and(|now| {
            let stays = path(&all.old) == Some(now) && path(&here.old) != path(&here.new);
            stays || path(&here.new) != Some(now)
        });
        Under::v1(is_other)
    }

    /// Under which OLM something is so for a version in this channel.
    pub fn under(&self, context: &Context<'_>, number: u32, lenses: &[Lens]) -> Under {
        let v1 = if lenses.contains(&Lens::V1) { self.under_v1(context, number) } else { Under::default() };
        Under { classic: lenses.contains(&Lens::V0), ..v1 }
    }

    /// Those of X that are not New's head.
    pub fn below<'s>(&'s self, context: &'s Context<'_>) -> impl Iterator<Item = (u32, Text)> + 's {
        let named = self.installed.iter().map(|&number| (number, context.name(number)));
        named.filter(|(_, name)| self.head() != Some(name))
    }

    /// Entries of New by name.
    pub fn entry_of(&self) -> HashMap<&'a str, &'a Entry> {
        self.new.iter().map(|e| (e.name.as_str(), *e)).collect()
    }
}

fn bundles(package: Option<&Package>) -> Bundles<'_> {
    let bundles = package.map_or(&[][..], |package| &package.bundles);
    bundles.iter().rev().map(|bundle| (bundle.name.as_str(), &**bundle)).collect()
}

/// `Classic` or `OLM v1`.
pub(super) fn lens_words(lens: Lens) -> &'static str {
    match lens {
        Lens::V0 => "Classic",
        Lens::V1 => "OLM v1",
    }
}
