//! Compares Old with New: the effect of a package's change on its users. The consequences of an
//! edit, `switchyard diff` and the page's comparison of two catalogs all use it.
//!
//! A [`Pair`] holds both states of a package with the paths of every version, under Classic for
//! each channel and under v1; [`Pair::users`], [`Pair::changes`] and [`invariants`] read from it.
//! Time is linear in the number of entries. Must not know files or edits.
//!
//! An edit keeps the blobs it does not touch, so blobs that both states share need no check.
//! Packages with an unreadable document in either catalog are not compared.

mod changed_values;
mod changes;
pub mod cluster;
mod headline;
mod hidden_text;
pub mod invariants;
pub mod matrix;
#[cfg(test)]
mod tests;
mod unlisted;
#[cfg(test)]
mod unlisted_tests;
mod user_table;
mod users;

use catalog::Catalog;
use catalog::graph::PackageGraph;
use catalog::model::{BundleBlob, ChannelBlob, Located, Package};
use catalog::version::Version;
use invariants::{EDGE_REWRITTEN_UNLISTED, Finding, is_of_unlisted};
use protocol::upgrades::{ComparedKind, EntryChange};
use std::cell::{OnceCell, RefCell};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;
use std::rc::Rc;
use std::sync::Arc;
use syntax::hashed::{HashMap, HashSet};
use syntax::order::SortSmall;
use syntax::place::Text;
use upgrade::everyone::{PathSummaries, path_summaries};
use upgrade::installed_set::{InstalledSet, InstalledVersions};
use upgrade::resolve::{ResolverCache, UnmetRequirement};
use upgrade::{Installed, Lens, Options, UpgradeIndex};

pub use changed_values::ChangedValues;
pub use changes::{
    DeprecationChange, GoneChannel, HeadsMoved, Labels, Stranded, Unfinished, find_unfinished,
};
pub use hidden_text::HiddenText;
pub use unlisted::{UnlistedUsers, UnlistedVersions};
pub use user_table::{Lenses, RowSubject, TableRow, UpgradeImpact, UserTable};
pub use users::{Effect, FreshInstall, User, ends, no_update};

/// A package before and after.
pub struct Pair<'a> {
    pub name: Text,
    /// `None` if the package does not exist in that state.
    pub old: Option<&'a Package>,
    pub new: Option<&'a Package>,
    pub(super) old_index: Rc<UpgradeIndex>,
    pub(super) new_index: Rc<UpgradeIndex>,
    /// Every version that either state publishes. Paths refer to them by number.
    pub versions: Rc<InstalledVersions>,
    /// Paths under v1, with all channels.
    pub v1: Sides,
    /// One per channel of either state, with paths under Classic: Old's channels first, and in each
    /// state the default channel first.
    pub channels: Vec<ChannelPair>,
    /// Channels that are identical in both states, and therefore have equal answers.
    pub(super) shared: HashSet<Text>,
    pub(super) users: OnceCell<Vec<User>>,
    pub(super) further: OnceCell<Vec<User>>,
    pub(super) unlisted: OnceCell<Vec<UnlistedUsers>>,
    /// Versions of names that entries mention but no bundle has, ascending.
    pub(super) mentioned: OnceCell<Vec<Version>>,
    /// The graphs of both states, without shared channels.
    pub(super) graphs: [OnceCell<PackageGraph>; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Old,
    New,
}

/// The paths of the same versions before and after.
#[derive(Debug, Clone, Default)]
pub struct Sides {
    pub old: Rc<PathSummaries>,
    pub new: Rc<PathSummaries>,
}

/// A channel before and after.
#[derive(Debug, Clone, Default)]
pub struct ChannelPair {
    pub name: Text,
    pub in_old: bool,
    pub in_new: bool,
    /// Paths under Classic of a Subscription to this channel.
    pub v0: Sides,
    /// Paths under v1 of a ClusterExtension that names only this channel; set only if the channel
    /// is followed.
    pub v1: Sides,
    /// Versions that Old's channel lists and that have a bundle, ascending.
    pub users: Vec<u32>,
    /// Whether its answers may differ between the states.
    pub(super) is_changed: bool,
    /// Whether it is changed and exists in both states.
    pub(super) is_followed: bool,
}

impl Sides {
    fn same(paths: Rc<PathSummaries>) -> Self {
        Self {
            old: paths.clone(),
            new: paths,
        }
    }
}

/// The effect of a change on one package.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Comparison {
    pub package: Text,
    pub kind: ComparedKind,
    pub default_channel: Option<DefaultChannelChange>,
    pub channels_added: Vec<Text>,
    pub channels_gone: Vec<GoneChannel>,
    pub bundles_added: Vec<Text>,
    pub bundles_gone: Vec<Text>,
    pub deprecations: Vec<DeprecationChange>,
    pub entries: Vec<EntryChange>,
    pub heads_moved: Vec<HeadsMoved>,
    pub stranded: Stranded,
    /// Unfinished packages or channels.
    pub unfinished: Vec<Unfinished>,
    /// Every version of Old, by lens, in catalog order.
    pub users: Vec<User>,
    /// [`Pair::further_users`].
    pub further: Vec<User>,
    /// [`Pair::unlisted_users`].
    pub unlisted: Vec<UnlistedUsers>,
    /// The results of a fresh install under Classic, then under v1.
    pub fresh: Vec<FreshInstall>,
    /// Why Classic may not take the new next steps, which follow edges alone: requirements that no
    /// bundle of the catalog meets.
    pub unmet: Vec<UnmetRequirement>,
    /// Whether only users of versions in use are included.
    pub is_restricted: bool,
    /// Names of bundles in either state, and names that entries mention.
    pub(super) known_names: HashSet<Text>,
    /// The channels of both states, with the affected versions that Old lists in them.
    pub(super) kept_channels: BTreeMap<Text, HashSet<Text>>,
    pub(super) labels: Labels,
    /// Why the other fields are empty: the text of one state could not be read.
    pub hidden: Option<String>,
}

/// The default channels of both states, which differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultChannelChange {
    pub old: Text,
    pub new: Text,
}

impl<'a> Pair<'a> {
    /// Computes the paths of all versions in all channels.
    pub fn new(old: Option<&'a Package>, new: Option<&'a Package>) -> Self {
        let index = |package: Option<&Package>| {
            let nothing =
                || UpgradeIndex::empty(&new.or(old).map_or_else(Text::default, |p| p.name.clone()));
            Rc::new(package.map_or_else(nothing, UpgradeIndex::new))
        };
        Self::with_indexes(old, new, (index(old), index(new)), |_| true)
    }

    /// Compares both states of an edit. Skips users in channels that both states share, whose
    /// answers cannot change. Caches the indexes of both states in `resolver_cache`.
    pub fn for_edit(
        old: Option<&'a Arc<Package>>,
        new: Option<&'a Arc<Package>>,
        resolver_cache: &RefCell<ResolverCache>,
    ) -> Self {
        let index = |package: Option<&Arc<Package>>| {
            package.map_or_else(
                || Rc::new(UpgradeIndex::empty(new.or(old).map_or("", |p| &p.name))),
                |package| resolver_cache.borrow_mut().index(package),
            )
        };
        let indexes = (index(old), index(new));
        let (old, new) = (old.map(|p| &**p), new.map(|p| &**p));
        let shared = shared_channels(old, new);
        Self::with_indexes(old, new, indexes, |channel| !shared.contains(channel))
    }

    /// `is_included` selects the channels whose users are compared.
    fn with_indexes(
        old: Option<&'a Package>,
        new: Option<&'a Package>,
        (old_index, new_index): (Rc<UpgradeIndex>, Rc<UpgradeIndex>),
        is_included: impl Fn(&Text) -> bool,
    ) -> Self {
        let name = new.or(old).map_or_else(Text::default, |p| p.name.clone());
        let versions = Rc::new(InstalledVersions::from_indexes([&*old_index, &*new_index]));
        let shared = shared_channels(old, new);
        let paths = BothPaths {
            indexes: [&*old_index, &*new_index],
            before: InstalledSet::from_sorted(&old_index, &versions),
            after: InstalledSet::from_sorted(&new_index, &versions),
            versions: &versions,
            shared: &shared,
        };
        let v1 = paths.sides(versions.all(), Lens::V1, &Options::default());
        let [in_old, in_new] =
            [old, new].map(|package| package.map(Package::channels_by_name).unwrap_or_default());
        let channels = channel_names(old, new).into_iter().map(|name| {
            let (in_old, in_new) = (in_old.contains_key(&*name), in_new.contains_key(&*name));
            let is_included = is_included(&name);
            paths.channel(name, (in_old, in_new), is_included)
        });
        let channels = channels.collect();
        drop(paths);
        Self {
            name,
            old,
            new,
            old_index,
            new_index,
            versions,
            v1,
            channels,
            shared,
            users: OnceCell::new(),
            further: OnceCell::new(),
            unlisted: OnceCell::new(),
            mentioned: OnceCell::new(),
            graphs: Default::default(),
        }
    }

    /// Whether New needs the resolver. If not, none of its bundles has requirements, and no check
    /// reads the previous state of other packages.
    pub fn needs_solver(&self) -> bool {
        self.new_index.needs_solver()
    }

    /// Returns the graph of a state without shared channels; `None` if the package does not exist.
    pub(super) fn graph(&self, state: State) -> Option<&PackageGraph> {
        let package = match state {
            State::Old => self.old?,
            State::New => self.new?,
        };
        Some(self.graphs[state as usize].get_or_init(|| {
            PackageGraph::from_channels(package, |name| !self.shared.contains(name))
        }))
    }

    pub fn compare(&self) -> Comparison {
        let mut comparison = self.changes();
        let (old, new) = (self.graph(State::Old), self.graph(State::New));
        comparison.stranded = Stranded::between(old, new, &mut comparison.heads_moved);
        comparison.users = self.users().to_vec();
        comparison.further = self.further_users().to_vec();
        comparison.unlisted = self.unlisted_users().to_vec();
        comparison.known_names = self
            .versions
            .iter()
            .map(|(_, installed)| installed.name.clone())
            .collect();
        comparison.labels = Labels::new(self.versions.iter().map(|(_, installed)| installed));
        comparison.fresh = self.fresh_installs();
        comparison.kept_channels = self.kept_channels(&comparison);
        comparison
    }

    fn kept_channels(&self, comparison: &Comparison) -> BTreeMap<Text, HashSet<Text>> {
        let affected = comparison.all_users().filter(|user| !user.is_same());
        let affected: HashSet<&Text> = affected.map(|user| &user.from.name).collect();
        let kept = self.channels.iter().filter(|c| c.in_old && c.in_new);
        let mut kept: BTreeMap<Text, HashSet<Text>> = kept
            .map(|channel| (channel.name.clone(), HashSet::default()))
            .collect();
        for channel in self.old.into_iter().flat_map(|old| &old.channels) {
            if let Some(versions) = kept.get_mut(&channel.name.value) {
                let listed = channel.entries.iter().map(|entry| &entry.name.value);
                versions.extend(listed.filter(|name| affected.contains(name)).cloned());
            }
        }
        kept
    }
}

struct BothPaths<'p> {
    /// Old's index, then New's.
    indexes: [&'p UpgradeIndex; 2],
    before: InstalledSet<'p>,
    after: InstalledSet<'p>,
    versions: &'p InstalledVersions,
    /// [`Pair::shared`].
    shared: &'p HashSet<Text>,
}

impl BothPaths<'_> {
    fn sides(&self, members: Vec<u32>, lens: Lens, options: &Options) -> Sides {
        let paths = |set: &InstalledSet<'_>, members| {
            Rc::new(path_summaries(set, self.versions, members, lens, options))
        };
        Sides {
            old: paths(&self.before, members.clone()),
            new: paths(&self.after, members),
        }
    }

    fn channel(
        &self,
        name: Text,
        (in_old, in_new): (bool, bool),
        is_included: bool,
    ) -> ChannelPair {
        let [old_index, new_index] = self.indexes;
        let options = Options::for_channel(&name);
        let is_same = self.shared.contains(&name)
            || (in_old && in_new && old_index.answers_as(new_index, &name));
        let is_followed = in_old && in_new && !is_same;
        let mut channel = ChannelPair {
            in_old,
            in_new,
            is_changed: !is_same,
            is_followed,
            ..ChannelPair::default()
        };
        if is_followed {
            let members = self.followed_members(&name);
            channel.v1 = self.sides(members, Lens::V1, &options);
        }
        if is_included {
            channel.v0 = self.classic(&name, &options);
            channel.users = self.versions.listed_in(old_index, &name);
        }
        ChannelPair { name, ..channel }
    }

    /// Returns the paths under Classic in a channel.
    fn classic(&self, channel: &Text, options: &Options) -> Sides {
        let members = self.versions.members(self.indexes, channel);
        if self.shared.contains(channel) {
            let paths = path_summaries(&self.before, self.versions, members, Lens::V0, options);
            Sides::same(Rc::new(paths))
        } else {
            self.sides(members, Lens::V0, options)
        }
    }

    /// Returns the versions whose paths under v1 a channel may determine.
    fn followed_members(&self, channel: &Text) -> Vec<u32> {
        let mut members = self.versions.members(self.indexes, channel);
        // A version that the channel does not list may resolve to a listed bundle of that version
        // and release.
        let listed = self
            .indexes
            .map(|index| self.versions.listed_in(index, channel));
        let listed = listed.iter().flatten();
        members.extend(listed.flat_map(|&number| self.versions.same_version(number)));
        members.sort_small();
        members.dedup();
        members
    }
}

/// Bundles, with their packages, that were never published: nobody runs them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Unpublished(pub HashSet<(Text, Text)>);

impl Unpublished {
    pub(super) fn has(&self, package: &Text, bundle: &Text) -> bool {
        !self.0.is_empty() && self.0.contains(&(package.clone(), bundle.clone()))
    }
}

impl Comparison {
    /// Drops users of versions that nobody runs.
    pub fn drop_unpublished(&mut self, unpublished: &Unpublished) {
        let package = self.package.clone();
        let is_run = |user: &User| !unpublished.has(&package, &user.from.name);
        self.users.retain(is_run);
        self.further.retain(is_run);
    }

    /// Whether neither users nor the graph changed.
    pub fn is_same(&self) -> bool {
        let are_users_same = self.all_users().all(User::is_same)
            && self.unlisted.is_empty()
            && self.fresh.iter().all(FreshInstall::is_same);
        let Self {
            kind,
            default_channel,
            channels_added,
            channels_gone,
            entries,
            heads_moved,
            stranded,
            ..
        } = self;
        let is_graph_same = default_channel.is_none()
            && channels_added.is_empty()
            && channels_gone.is_empty()
            && self.bundles_added.is_empty()
            && self.bundles_gone.is_empty()
            && self.deprecations.is_empty()
            && entries.is_empty()
            && heads_moved.is_empty()
            && *stranded == Stranded::default();
        *kind == ComparedKind::Changed && are_users_same && is_graph_same
    }

    /// Counts the versions with this effect. Each counts once, regardless of lenses and channels.
    pub fn count(&self, effect: Effect) -> usize {
        self.distinct(|user| user.effect == Some(effect))
    }

    /// Counts the versions that had an update and have none now.
    pub fn count_lost_updates(&self) -> usize {
        self.distinct(|user| user.effect == Some(Effect::Stranded) && user.old_next.is_some())
    }

    /// Whether the change affects versions that the catalog does not list.
    pub fn affects_unlisted(&self) -> bool {
        !self.unlisted.is_empty() || self.loses_unlisted_steps()
    }

    /// Whether the change has this effect on versions that the catalog does not list.
    pub fn has_unlisted(&self, effect: Effect) -> bool {
        self.unlisted
            .iter()
            .any(|users| users.effect == Some(effect))
            || (effect == Effect::Stranded && self.loses_unlisted_steps())
    }

    fn loses_unlisted_steps(&self) -> bool {
        self.channels_gone.iter().any(|gone| !gone.steps.is_empty())
    }

    /// Counts the versions whose next step or end changes.
    pub fn count_affected(&self) -> usize {
        self.distinct(|user| !user.is_same())
    }

    /// Counts the versions that are worse off: stranded, or updated to a lower version.
    pub fn count_worse_off(&self) -> usize {
        self.distinct(|user| matches!(user.effect, Some(Effect::Stranded | Effect::Downgrade)))
    }

    /// Clears everything if a state contains unreadable text, which may contain seemingly missing
    /// objects.
    pub fn hide(&mut self, hidden: Option<String>) {
        if hidden.is_some() {
            *self = Self {
                package: self.package.clone(),
                hidden,
                ..Self::default()
            };
        }
    }

    /// Fills in [`Comparison::unmet`]. `catalog` is New.
    pub fn note_unmet_requirements(
        &mut self,
        catalog: &Catalog,
        resolver_cache: &RefCell<ResolverCache>,
    ) {
        let table = self.table();
        let rows = table.changed_rows().filter(|row| row.lenses != Lenses::V1);
        let targets: BTreeSet<&Text> = rows
            .filter_map(|row| Some(&row.now.as_ref()?.name))
            .collect();
        if targets.is_empty() {
            return;
        }
        let mut cache = resolver_cache.borrow_mut();
        let catalog_set = cache.catalog_set(catalog.packages(), &self.package);
        self.unmet = targets
            .into_iter()
            .filter_map(|target| catalog_set.unmet_requirement(&self.package, target))
            .collect();
    }

    /// Whether a version is listed in other channels of both states than `affected` ones, if there
    /// are any. `None`: a version that no channel lists, whose users may subscribe to any.
    fn has_other_channels(&self, affected: &BTreeSet<Text>, version: Option<&Text>) -> bool {
        if affected.is_empty() {
            return false;
        }
        self.kept_channels.iter().any(|(channel, versions)| {
            !affected.contains(channel) && version.is_none_or(|version| versions.contains(version))
        })
    }

    pub fn table(&self) -> UserTable {
        UserTable::new(self)
    }

    fn distinct(&self, is: impl Fn(&User) -> bool) -> usize {
        self.all_users()
            .filter(|user| is(user))
            .map(|user| &user.from)
            .collect::<HashSet<_>>()
            .len()
    }
}

pub struct ComparedCatalogs<'a> {
    /// Sorted by versions worse off, then by versions affected, then by name.
    pub differing: Vec<(Pair<'a>, Comparison)>,
    /// Number of equal packages.
    pub same: usize,
}

pub fn compare_catalogs<'a>(old: &'a Catalog, new: &'a Catalog) -> ComparedCatalogs<'a> {
    let names: BTreeSet<&Text> = old
        .packages()
        .chain(new.packages())
        .map(|p| &p.name)
        .collect();
    let hidden = HiddenText::between(old, new);
    let mut same = 0;
    let mut differing = Vec::new();
    for name in names.into_iter().filter(|name| !name.is_empty()) {
        let (before, after) = (
            old.package(name).map(|p| &**p),
            new.package(name).map(|p| &**p),
        );
        // Facts contain positions, which shift with changes above them, so only a full comparison
        // can decide.
        if before == after {
            same += 1;
            continue;
        }
        let pair = Pair::new(before, after);
        let mut comparison = pair.compare();
        comparison.hide(hidden.reason(&pair));
        if comparison.hidden.is_none() && comparison.is_same() && !pair.bundles_differ() {
            same += 1;
        } else {
            differing.push((pair, comparison));
        }
    }
    differing.sort_small_by_key(|(pair, comparison)| {
        (
            Reverse(comparison.count_worse_off()),
            Reverse(comparison.count_affected()),
            pair.name.clone(),
        )
    });
    ComparedCatalogs { differing, same }
}

/// Values by key, in the order in which their keys first occurred.
pub(crate) struct InOrder<K, V> {
    places: HashMap<K, usize>,
    pub(crate) items: Vec<(K, V)>,
}

impl<K: Clone + Eq + Hash, V> InOrder<K, V> {
    pub(crate) fn new() -> Self {
        Self {
            places: HashMap::default(),
            items: Vec::new(),
        }
    }

    pub(crate) fn get_or_insert_with(&mut self, key: K, value: impl FnOnce() -> V) -> &mut V {
        let new = self.items.len();
        let at = *self.places.entry(key.clone()).or_insert(new);
        if at == new {
            self.items.push((key, value()));
        }
        &mut self.items[at].1
    }

    pub(crate) fn into_values(self) -> impl Iterator<Item = V> {
        self.items.into_iter().map(|(_, value)| value)
    }
}

/// Returns Old's channels, then New's; in each state the default channel first, then by name.
fn channel_names(old: Option<&Package>, new: Option<&Package>) -> Vec<Text> {
    let mut seen = BTreeSet::new();
    let mut names = Vec::new();
    for package in [old, new].into_iter().flatten() {
        let own: BTreeSet<&Text> = package.channels.iter().map(|c| &c.name.value).collect();
        let default = package.default_channel();
        let (first, rest): (Vec<&Text>, Vec<&Text>) =
            own.into_iter().partition(|name| ***name == *default);
        names.extend(
            first
                .into_iter()
                .chain(rest)
                .filter(|name| seen.insert((*name).clone()))
                .cloned(),
        );
    }
    names
}

/// The parts of a package in which its states may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Touched {
    Anywhere,
    /// Only in channels outside [`Pair::shared`].
    Channels,
}

/// Returns the names of channels that are identical in both states. Empty if anything but channels
/// may differ, because a channel's answers also depend on bundles, deprecations and the default
/// channel.
fn shared_channels(old: Option<&Package>, new: Option<&Package>) -> HashSet<Text> {
    let (Some(old), Some(new)) = (old, new) else {
        return HashSet::default();
    };
    if touched_between(old, new) == Touched::Anywhere {
        return HashSet::default();
    }
    let (before, after) = (by_name(old), by_name(new));
    before
        .iter()
        .filter_map(|(name, blobs): (&&Text, &Vec<&Located<ChannelBlob>>)| {
            let after = after.get(*name)?;
            let same = blobs.len() == after.len()
                && blobs
                    .iter()
                    .zip(after)
                    .all(|(a, b)| Arc::ptr_eq(&a.data, &b.data));
            same.then(|| Text::clone(name))
        })
        .collect()
}

fn touched_between(old: &Package, new: &Package) -> Touched {
    let is_same = same(&old.packages, &new.packages)
        && same(&old.bundles, &new.bundles)
        && same(&old.deprecations, &new.deprecations);
    if is_same {
        Touched::Channels
    } else {
        Touched::Anywhere
    }
}

fn by_name(package: &Package) -> BTreeMap<&Text, Vec<&Located<ChannelBlob>>> {
    let mut by_name: BTreeMap<_, Vec<_>> = BTreeMap::new();
    package.channels.iter().for_each(|channel| {
        by_name
            .entry(&channel.name.value)
            .or_default()
            .push(channel)
    });
    by_name
}

impl<'a> Pair<'a> {
    fn touched(&self) -> Touched {
        self.old
            .zip(self.new)
            .map_or(Touched::Anywhere, |(old, new)| touched_between(old, new))
    }

    fn old_with_itself(&self) -> Pair<'a> {
        if !self.can_reuse_paths() {
            return Pair::new(self.old, self.old);
        }
        // Users and paths are unchanged: reuse them.
        let channel = |channel: &ChannelPair| ChannelPair {
            name: channel.name.clone(),
            in_old: true,
            in_new: true,
            v0: Sides::same(channel.v0.old.clone()),
            v1: Sides::default(),
            users: channel.users.clone(),
            is_changed: false,
            is_followed: false,
        };
        let channels: Vec<ChannelPair> = self
            .channels
            .iter()
            .filter(|c| c.in_old)
            .map(channel)
            .collect();
        Pair {
            name: self.name.clone(),
            old: self.old,
            new: self.old,
            old_index: self.old_index.clone(),
            new_index: self.old_index.clone(),
            versions: self.versions.clone(),
            v1: Sides::same(self.v1.old.clone()),
            shared: channels
                .iter()
                .map(|channel| channel.name.clone())
                .collect(),
            channels,
            users: OnceCell::new(),
            further: OnceCell::new(),
            unlisted: OnceCell::new(),
            mentioned: OnceCell::new(),
            graphs: Default::default(),
        }
    }

    /// Whether comparing Old with itself uses the same versions and paths as Old in this pair.
    fn can_reuse_paths(&self) -> bool {
        // If only channels differ, both states have the same bundles, and Old can lack only names
        // that New's entries mention.
        self.touched() == Touched::Channels && self.old_index.names_all_of(&self.new_index)
    }
}

/// The first bundle of each name.
type BundlesByName<'p> = HashMap<&'p str, &'p BundleBlob>;

fn bundles_by_name(package: Option<&Package>) -> BundlesByName<'_> {
    let bundles = package.map_or(&[][..], |package| &package.bundles);
    bundles
        .iter()
        .rev()
        .map(|bundle| (bundle.name.as_str(), &**bundle))
        .collect()
}

fn same<T>(old: &[Located<T>], new: &[Located<T>]) -> bool {
    old.len() == new.len()
        && old
            .iter()
            .zip(new)
            .all(|(old, new)| Arc::ptr_eq(&old.data, &new.data))
}

/// Installed versions of one package.
#[derive(Debug, Clone, Default)]
pub struct InUse(pub Vec<Installed>);

impl InUse {
    pub fn has(&self, user: &User) -> bool {
        self.0.contains(&user.from)
    }
}

impl Comparison {
    /// Keeps only users on versions in use, and the `findings` that concern them or no version at
    /// all.
    pub fn keep_in_use(&mut self, in_use: &InUse, findings: &mut Vec<Finding>) {
        self.is_restricted = true;
        self.users.retain(|user| in_use.has(user));
        self.further.retain(|user| in_use.has(user));
        let names: HashSet<&Text> = in_use.0.iter().map(|installed| &installed.name).collect();
        for users in &mut self.unlisted {
            let inside = in_use.unlisted_in(&users.versions.interval, &self.known_names);
            users.versions.in_use = inside.cloned().collect();
        }
        for gone in &mut self.channels_gone {
            gone.keep_in_use(in_use, &self.known_names);
        }
        self.unlisted
            .retain(|users| !users.versions.in_use.is_empty());
        let unlisted: HashSet<String> = self
            .unlisted
            .iter()
            .map(|users| users.versions.range())
            .collect();
        findings.retain(|finding| {
            if is_of_unlisted(finding.invariant) {
                return unlisted.contains(&*finding.subject);
            }
            if finding.invariant.name == EDGE_REWRITTEN_UNLISTED.name && unlisted.is_empty() {
                return false;
            }
            !finding.invariant.is_of_installed() || names.contains(&finding.subject)
        });
    }
}
