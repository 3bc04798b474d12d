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
pub mod invariants;
pub mod matrix;
#[cfg(test)]
mod tests;
mod unlisted;
#[cfg(test)]
mod unlisted_tests;
mod user_table;
mod users;

use crate::validate::{UnreadableText, place_of};
use catalog::Catalog;
use catalog::graph::PackageGraph;
use catalog::model::{ChannelBlob, Located, Package};
use catalog::version::Version;
use invariants::{EDGE_REWRITTEN_UNLISTED, Finding, is_of_unlisted};
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
use upgrade::resolve::ResolverCache;
use upgrade::{Installed, Lens, Options, UpgradeIndex};

pub use changed_values::ChangedValues;
pub use changes::{
    ChangeKind, DeprecationChange, EntryChange, GoneChannel, HeadsMoved, Labels, Stranded,
    Unfinished, find_unfinished,
};
pub(crate) use headline::join_clauses;
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
    pub kind: ChangeKind,
    pub default_channel: Option<(Text, Text)>,
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
    /// bundle of the catalog meets. Sentences with names in backticks.
    pub unmet: Vec<String>,
    /// Whether only users of versions in use are included.
    pub is_restricted: bool,
    /// Names of bundles in either state, and names that entries mention.
    pub(super) known_names: HashSet<Text>,
    pub(super) labels: Labels,
    /// Why the other fields are empty: the text of one state could not be read.
    pub hidden: Option<String>,
}

impl<'a> Pair<'a> {
    /// Computes the paths of all versions in all channels.
    pub fn new(old: Option<&'a Package>, new: Option<&'a Package>) -> Self {
        let index = |package: Option<&Package>| {
            let nothing =
                || UpgradeIndex::empty(&new.or(old).map_or_else(Text::default, |p| p.name.clone()));
            Rc::new(package.map_or_else(nothing, UpgradeIndex::new))
        };
        Self::with(old, new, (index(old), index(new)), |_| true)
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
        let shared = channels(old, new);
        Self::with(old, new, indexes, |channel| !shared.contains(channel))
    }

    fn with(
        old: Option<&'a Package>,
        new: Option<&'a Package>,
        (old_index, new_index): (Rc<UpgradeIndex>, Rc<UpgradeIndex>),
        is_included: impl Fn(&Text) -> bool,
    ) -> Self {
        let name = new.or(old).map_or_else(Text::default, |p| p.name.clone());
        let versions = Rc::new(InstalledVersions::from_indexes([&*old_index, &*new_index]));
        let (before, after) = (
            InstalledSet::from_sorted(&old_index, &versions),
            InstalledSet::from_sorted(&new_index, &versions),
        );
        let shared = channels(old, new);
        let sides = |members: Vec<u32>, lens, options: &Options| Sides {
            old: Rc::new(path_summaries(
                &before,
                &versions,
                members.clone(),
                lens,
                options,
            )),
            new: Rc::new(path_summaries(&after, &versions, members, lens, options)),
        };
        let classic = |name: &Text, options: &Options| {
            let members = versions.members([&*old_index, &*new_index], name);
            if shared.contains(name) {
                Sides::same(Rc::new(path_summaries(
                    &before,
                    &versions,
                    members,
                    Lens::V0,
                    options,
                )))
            } else {
                sides(members, Lens::V0, options)
            }
        };
        let v1 = sides(versions.all(), Lens::V1, &Options::default());
        let [in_old, in_new] =
            [old, new].map(|package| package.map(Package::channels_by_name).unwrap_or_default());
        let channel = |name: Text| {
            let options = Options {
                channels: vec![name.to_string()],
                ..Options::default()
            };
            let is_included = is_included(&name);
            let (in_old, in_new) = (in_old.contains_key(&*name), in_new.contains_key(&*name));
            let is_same = shared.contains(&name)
                || (in_old && in_new && old_index.answers_as(&new_index, &name));
            let is_changed = !is_same;
            let is_followed = in_old && in_new && is_changed;
            ChannelPair {
                in_old,
                in_new,
                v1: if is_followed {
                    let mut members = versions.members([&*old_index, &*new_index], &name);
                    let listed = [&old_index, &new_index]
                        .map(|index| versions.listed_in(index, &name))
                        .concat();
                    // A version that the channel does not list may resolve to a listed bundle of
                    // that version and release.
                    members.extend(
                        listed
                            .iter()
                            .flat_map(|&number| versions.same_version(number)),
                    );
                    members.sort_small();
                    members.dedup();
                    sides(members, Lens::V1, &options)
                } else {
                    Sides::default()
                },
                is_changed,
                is_followed,
                v0: if is_included {
                    classic(&name, &options)
                } else {
                    Sides::default()
                },
                users: if is_included {
                    versions.listed_in(&old_index, &name)
                } else {
                    Vec::new()
                },
                name,
            }
        };
        let channels = channel_names(old, new).into_iter().map(channel).collect();
        drop((before, after));
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

    /// Compares package, graph and users.
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
        comparison
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
        let of_users = self.all_users().all(User::is_same)
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
        let of_graph = default_channel.is_none()
            && channels_added.is_empty()
            && channels_gone.is_empty()
            && self.bundles_added.is_empty()
            && self.bundles_gone.is_empty()
            && self.deprecations.is_empty()
            && entries.is_empty()
            && heads_moved.is_empty()
            && *stranded == Stranded::default();
        *kind == ChangeKind::Changed && of_users && of_graph
    }

    /// Counts the versions with this effect. Each counts once, regardless of lenses and channels.
    pub fn count(&self, effect: Effect) -> usize {
        self.distinct(|user| user.effect == Some(effect))
    }

    /// Whether the change affects versions that the catalog does not list.
    pub fn affects_unlisted(&self) -> bool {
        !self.unlisted.is_empty() || self.loses_unlisted_steps()
    }

    /// Whether the change has this effect on versions that the catalog does not list.
    pub fn has_unlisted(&self, effect: Effect) -> bool {
        self.unlisted.iter().any(|of| of.effect == Some(effect))
            || (effect == Effect::Stranded && self.loses_unlisted_steps())
    }

    fn loses_unlisted_steps(&self) -> bool {
        self.channels_gone.iter().any(|of| !of.steps.is_empty())
    }

    /// Counts the versions whose next step or end changes.
    pub fn hit(&self) -> usize {
        self.distinct(|user| !user.is_same())
    }

    /// Counts the versions that are worse off: stranded, or updated to a lower version.
    pub fn worse(&self) -> usize {
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
        let mut cache = resolver_cache.borrow_mut();
        let catalog_set = cache.catalog_set(catalog.packages(), &self.package);
        let sentences = targets.into_iter().filter_map(|target| {
            let unmet = catalog_set.unmet_requirement(&self.package, target)?;
            Some(format!(
                "{unmet}: until one does, OLM Classic does not install it"
            ))
        });
        self.unmet = sentences.collect();
    }

    /// Builds the table of effects on users, the worst first.
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

/// Compares all packages of two catalogs. Returns those that differ, sorted by versions worse off,
/// then by versions affected, then by name; and the number of equal packages.
pub fn catalogs<'a>(old: &'a Catalog, new: &'a Catalog) -> (Vec<(Pair<'a>, Comparison)>, usize) {
    let names: BTreeSet<&Text> = old
        .packages()
        .chain(new.packages())
        .map(|p| &p.name)
        .collect();
    let hidden = HiddenText::between(old, new);
    let resolver_cache = RefCell::default();
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
            if pair.needs_solver() {
                comparison.note_unmet_requirements(new, &resolver_cache);
            }
            differing.push((pair, comparison));
        }
    }
    differing.sort_small_by_key(|(pair, of)| {
        (Reverse(of.worse()), Reverse(of.hit()), pair.name.clone())
    });
    (differing, same)
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
        let of: BTreeSet<&Text> = package.channels.iter().map(|c| &c.name.value).collect();
        let default = package.default_channel();
        let (first, rest): (Vec<&Text>, Vec<&Text>) =
            of.into_iter().partition(|name| ***name == *default);
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
fn channels(old: Option<&Package>, new: Option<&Package>) -> HashSet<Text> {
    let (Some(old), Some(new)) = (old, new) else {
        return HashSet::default();
    };
    if find_touched(old, new) == Touched::Anywhere {
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

fn find_touched(old: &Package, new: &Package) -> Touched {
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
    fn find_touched(&self) -> Touched {
        self.old
            .zip(self.new)
            .map_or(Touched::Anywhere, |(old, new)| find_touched(old, new))
    }

    /// Compares Old with itself.
    fn before(&self) -> Pair<'a> {
        if !self.asks_the_same() {
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
    fn asks_the_same(&self) -> bool {
        // If only channels differ, both states have the same bundles, and Old can lack only names
        // that New's entries mention.
        self.find_touched() == Touched::Channels && self.old_index.names_all_of(&self.new_index)
    }
}

fn same<T>(old: &[Located<T>], new: &[Located<T>]) -> bool {
    old.len() == new.len()
        && old
            .iter()
            .zip(new)
            .all(|(old, new)| Arc::ptr_eq(&old.data, &new.data))
}

/// The unreadable text of two catalogs.
pub struct HiddenText<'a> {
    catalogs: [&'a Catalog; 2],
    old: UnreadableText<'a>,
    new: UnreadableText<'a>,
}

impl<'a> HiddenText<'a> {
    pub fn between(old: &'a Catalog, new: &'a Catalog) -> Self {
        Self {
            catalogs: [old, new],
            old: UnreadableText::in_catalog(old),
            new: UnreadableText::in_catalog(new),
        }
    }

    /// Returns why the package cannot be compared; `None` if it can.
    pub fn reason(&self, pair: &Pair<'_>) -> Option<String> {
        let [old_catalog, new_catalog] = self.catalogs;
        let old = pair.old.map(|package| (package, old_catalog));
        let new = pair.new.map(|package| (package, new_catalog));
        let near = |text: &'_ UnreadableText<'_>, of: Option<(&Package, &Catalog)>| {
            let (package, catalog) = of?;
            text.near_any_part(package, catalog).map(place_of)
        };
        let now = near(&self.new, new.or(old)).map(|place| {
            format!("{place} cannot be read: what this means for users is not known until it can")
        });
        now.or_else(|| {
            let place = near(&self.old, old.or(new))?;
            Some(format!(
                "{place} could not be read before: what changed for users is not known"
            ))
        })
    }
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

#[cfg(test)]
mod hidden_tests {
    use super::catalogs;
    use catalog::index::index_bytes;
    use catalog::model::FileId;
    use catalog::{Catalog, Content, TreeEntry};
    use std::sync::Arc;

    const CHANNEL: &str =
        "---\nschema: olm.channel\npackage: p\nname: b\nentries: [{name: p.v1}]\n";

    fn catalog(files: &[(&str, String)]) -> Catalog {
        let entry = |(id, (path, text)): (usize, &(&str, String))| TreeEntry {
            id: FileId(id as u32),
            path: (*path).to_owned(),
            content: Content::Indexed(Arc::new(index_bytes(text.as_bytes()))),
        };
        Catalog::new("dir", files.iter().enumerate().map(entry).collect())
    }

    fn package(name: &str, last: &str) -> String {
        format!(
            "schema: olm.package\nname: {name}\ndefaultChannel: a\n---\nschema: olm.channel\npackage: {name}\nname: a\n\
             entries: [{{name: {name}.v1}}]\n---\nschema: olm.bundle\npackage: {name}\nname: {name}.v1\nimage: x/y:z\n\
             properties: [{{type: olm.package, value: {{packageName: {name}, version: 1.0.0}}}}]\n{last}"
        )
    }

    #[test]
    fn a_package_with_unreadable_text_on_one_side_is_not_compared() {
        let broken = CHANNEL.replace("entries: [", "entries: [[");
        let whole = catalog(&[
            ("p.yaml", package("p", CHANNEL)),
            ("q.yaml", package("q", "")),
        ]);
        let torn = catalog(&[
            ("p.yaml", package("p", &broken)),
            ("q.yaml", package("q", "")),
        ]);
        let headlines = |old, new| {
            let (differing, same) = catalogs(old, new);
            let headline = |of: &super::Comparison| (of.table().headline(), of.hit());
            let found: Vec<_> = differing.iter().map(|(_, of)| headline(of)).collect();
            (found, same)
        };
        // The parser misses the bracket at the end of the text.
        let line = package("p", &broken).lines().count() + 1;
        let now = format!(
            "line {line} of `p.yaml` cannot be read: what this means for users is not known until it can"
        );
        assert_eq!(headlines(&whole, &torn), (vec![(now, 0)], 1));
        let before = format!(
            "line {line} of `p.yaml` could not be read before: what changed for users is not known"
        );
        assert_eq!(headlines(&torn, &whole), (vec![(before, 0)], 1));
    }
}
