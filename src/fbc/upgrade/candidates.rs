//! The candidates of all catalogs under OLM v1, and which one wins for an installed bundle (`olm-resolution` 1.5), with its
//! errors word for word (1.6).

use super::answer::{EdgeKind, ErrorKind, Installed, Options, Policy, Successor, UpgradeError};
use super::incoming::Incoming;
use super::index::{Bundle, Channel, Entry, NameId, Origin, UpgradeIndex};
use super::installed_set::{Assignment, Claim, InstalledSet};
use super::selector::Selector;
use super::subscription;
use crate::go_text::quote;
use crate::hashed::{HashMap, HashSet};
use crate::order::PutInOrder;
use crate::version::masterminds::Constraint;
use crate::version::{VersionError, VersionRelease};
use std::cell::OnceCell;
use std::cmp::Ordering;

/// The label that holds the catalog's name; every catalog has it.
const NAME_LABEL: &str = "olm.operatorframework.io/metadata.name";

/// One catalog and what it holds of the package in question.
#[derive(Debug, Clone)]
pub struct Catalog<'a> {
    pub name: &'a str,
    pub priority: i32,
    /// Labels besides the one with its name.
    pub labels: &'a [(String, String)],
    /// Availability mode `Unavailable`: not looked at.
    pub unavailable: bool,
    /// The package, or why it cannot be read (one such catalog blocks all).
    pub package: Result<&'a UpgradeIndex, &'a str>,
}

impl<'a> Catalog<'a> {
    /// The only catalog there is.
    pub fn only(package: &'a UpgradeIndex) -> Self {
        Self { name: "", priority: 0, labels: &[], unavailable: false, package: Ok(package) }
    }

    fn label(&self, key: &str) -> Option<&'a str> {
        if key == NAME_LABEL {
            return Some(self.name);
        }
        self.labels.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str())
    }
}

/// What a request looks at in all catalogs, without regard to what is installed.
pub(super) struct CatalogSearch<'a> {
    pub catalogs: &'a [Catalog<'a>],
    pub package: &'a str,
    pub options: &'a Options,
    /// Of the catalogs before the one that cannot be read.
    pub views: Vec<(&'a Catalog<'a>, PackageView<'a>)>,
    /// Why nothing can be found whatever is installed: the range, or a catalog that cannot be read.
    refused: Option<UpgradeError>,
}

/// The candidate of one catalog.
#[derive(Clone, Copy)]
pub(super) struct CatalogCandidate<'a> {
    pub catalog: &'a Catalog<'a>,
    pub candidate: Candidate<'a>,
}

/// A bundle and how it follows what is installed.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'a> {
    pub bundle: &'a Bundle,
    pub channel: Option<&'a Channel>,
    pub edge: EdgeKind,
    /// Same version and release as what is installed.
    pub same: bool,
}

/// A package as a request with given channels and range sees it.
pub(super) struct PackageView<'a> {
    pub index: &'a UpgradeIndex,
    pub channels: Vec<&'a Channel>,
    /// In order of preference.
    pub candidates: Vec<&'a Bundle>,
    /// What the entries of one name say, over the channels in view.
    entries: HashMap<NameId, Vec<(&'a Channel, &'a Entry)>>,
    /// What only some questions need, made for the first of them.
    successors: OnceCell<Successors<'a>>,
    skippers: OnceCell<Skippers<'a>>,
    /// Entries with a skip range that cannot be read, and the first position of their candidates.
    unreadable: OnceCell<Vec<(usize, &'a Entry)>>,
}

/// Who follows an installed version.
struct Successors<'a> {
    numbers: HashMap<NameId, u32>,
    /// By number, the positions of the candidates of a name; the most preferred name first.
    names: Vec<Vec<u32>>,
    /// Edges to `names`.
    incoming: Incoming<'a>,
}

/// The first entry with a bundle that skips a name, by channel.
type Skippers<'a> = HashMap<(*const Channel, NameId), &'a Entry>;

impl<'a> CatalogSearch<'a> {
    pub(super) fn new(
        catalogs: &'a [Catalog<'a>],
        selector: Option<&Selector>,
        package: &'a str,
        options: &'a Options,
    ) -> Self {
        let mut search = Self { catalogs, package, options, views: Vec::new(), refused: None };
        search.refused = search.look_at_all(selector).err();
        search
    }

    fn look_at_all(&mut self, selector: Option<&Selector>) -> Result<(), UpgradeError> {
        let range = parse_range(self.options)?;
        let is_selected = |catalog: &&Catalog<'_>| {
            !catalog.unavailable && selector.is_none_or(|selector| selector.selects(|key| catalog.label(key)))
        };
        for catalog in self.catalogs.iter().filter(is_selected) {
            let index = catalog.package.map_err(|cause| {
                let text = format!(
                    "error walking catalogs: error getting package {} from catalog {}: {cause}",
                    quote(self.package),
                    quote(catalog.name)
                );
                UpgradeError::new(ErrorKind::Walk, text)
            })?;
            if !index.is_empty {
                self.views.push((catalog, PackageView::new(index, range.as_ref(), self.options)));
            }
        }
        Ok(())
    }

    /// What follows `installed` (`None`: a fresh install).
    pub(super) fn winner(&self, installed: Option<&Installed>) -> Result<CatalogCandidate<'a>, UpgradeError> {
        let mut offers: Vec<CatalogCandidate<'a>> = Vec::new();
        for (catalog, view) in &self.views {
            let origin = installed.map(|i| view.index.origin(i));
            if let Some(origin) = &origin {
                check_installed(origin, self.options)?;
            }
            let Some(candidate) = view.best(origin.as_ref(), self.options.policy) else { continue };
            // Deprecation outranks priority: a catalog whose best is deprecated counts only among its like.
            if let Some(last) = offers.last() {
                match (candidate.bundle.deprecated, last.candidate.bundle.deprecated) {
                    (true, false) => continue,
                    (false, true) => offers.clear(),
                    _ => {}
                }
            }
            offers.push(CatalogCandidate { catalog, candidate });
        }
        match &self.refused {
            Some(error) => Err(error.clone()),
            None => decide(offers, self.package, installed, self.options),
        }
    }
}

pub(super) fn parse_range(options: &Options) -> Result<Option<Constraint>, UpgradeError> {
    match options.range.as_deref() {
        None | Some("") => Ok(None),
        Some(range) => Constraint::parse(range).map(Some).map_err(|error| {
            let text = format!("desired version range {} is invalid: {error}", quote(range));
            UpgradeError::new(ErrorKind::Range, text)
        }),
    }
}

/// The catalog's edges need an installed version that parses.
fn check_installed(origin: &Origin<'_>, options: &Options) -> Result<(), UpgradeError> {
    match unreadable(origin, options) {
        None => Ok(()),
        Some(error) => Err(UpgradeError::new(
            ErrorKind::InstalledVersion,
            format!(
                "error walking catalogs: error finding upgrade edges: failed to get version and release of installed \
                 bundle: {error}"
            ),
        )),
    }
}

pub(super) fn unreadable<'o>(origin: &'o Origin<'_>, options: &Options) -> Option<&'o VersionError> {
    origin.version.as_ref().err().filter(|_| options.policy == Policy::CatalogProvided)
}

/// Why OLM v1 refuses a bundle after it has chosen it.
pub(super) fn flaw(bundle: &Bundle) -> Option<ErrorKind> {
    match (&bundle.requirement, &bundle.version) {
        (Some(_), _) => Some(ErrorKind::Dependency),
        (None, Err(_)) => Some(ErrorKind::Version),
        _ => None,
    }
}

/// Chooses among the catalogs' offers and checks the winner.
fn decide<'a>(
    mut offers: Vec<CatalogCandidate<'a>>,
    package: &str,
    installed: Option<&Installed>,
    options: &Options,
) -> Result<CatalogCandidate<'a>, UpgradeError> {
    offers.put_in_order_by_key(|o| std::cmp::Reverse(o.catalog.priority));
    let winner = match offers[..] {
        [only] => only,
        [first, second, ..] if first.catalog.priority != second.catalog.priority => first,
        _ => return Err(not_one(&offers, package, installed, options)),
    };
    let bundle = winner.candidate.bundle;
    if let Some(requirement) = &bundle.requirement {
        let name = quote(&bundle.name);
        return Err(UpgradeError::new(
            ErrorKind::Dependency,
            format!(
                "validating bundle {name}: bundle {name} has a dependency declared via property {} which is currently \
                 not supported",
                quote(requirement)
            ),
        ));
    }
    if let Err(error) = &bundle.version {
        let text = format!("error getting resolved bundle version for bundle {}: {error}", quote(&bundle.name));
        return Err(UpgradeError::new(ErrorKind::Version, text));
    }
    Ok(winner)
}

fn not_one(
    offers: &[CatalogCandidate<'_>],
    package: &str,
    installed: Option<&Installed>,
    options: &Options,
) -> UpgradeError {
    let mut parts = Vec::new();
    if let Some(installed) = installed {
        parts.push(format!("error upgrading from currently installed version {}:", quote(&installed.version)));
    }
    let kind = if offers.is_empty() { ErrorKind::None } else { ErrorKind::Ambiguous };
    let what = if offers.is_empty() { "no bundles found" } else { "found bundles" };
    parts.push(format!("{what} for package {}", quote(package)));
    if let Some(range) = options.range.as_deref().filter(|r| !r.is_empty()) {
        parts.push(format!("matching version {}", quote(range)));
    }
    if !options.channels.is_empty() {
        parts.push(format!("in channels [{}]", options.channels.join(" ")));
    }
    if !offers.is_empty() {
        let mut names: Vec<&str> = offers.iter().map(|o| o.catalog.name).collect();
        names.put_in_order();
        parts.push(format!("in multiple catalogs with the same priority [{}]", names.join(" ")));
    }
    UpgradeError::new(kind, parts.join(" "))
}

impl<'a> PackageView<'a> {
    pub(super) fn new(index: &'a UpgradeIndex, range: Option<&Constraint>, options: &Options) -> Self {
        let all = options.channels.is_empty();
        let channels: Vec<&Channel> =
            index.channels.iter().filter(|c| all || options.channels.iter().any(|name| **name == *c.name)).collect();
        let mut entries: HashMap<NameId, Vec<(&Channel, &Entry)>> = HashMap::default();
        for channel in &channels {
            for entry in &channel.entries {
                entries.entry(entry.id).or_default().push((channel, entry));
            }
        }
        let mut candidates: Vec<&Bundle> = index
            .bundles
            .iter()
            .filter(|b| all || entries.contains_key(&b.id))
            .filter(|b| range.is_none_or(|r| b.version.as_ref().is_ok_and(|v| r.check(v))))
            .collect();
        candidates.put_in_order_by(|a, b| preference(a, b));
        let (successors, skippers, unreadable) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { index, channels, candidates, entries, successors, skippers, unreadable }
    }

    /// The first candidate that the policy allows from `origin`.
    fn best(&self, origin: Option<&Origin<'_>>, policy: Policy) -> Option<Candidate<'a>> {
        let Some(origin) = origin else {
            let bundle = *self.candidates.first()?;
            return Some(Candidate {
                bundle,
                channel: self.channel_listing(bundle),
                edge: EdgeKind::None,
                same: false,
            });
        };
        let rank = origin.version.as_ref().ok().map(VersionRelease::of_v1);
        let position = match policy {
            Policy::SelfCertified => 0,
            Policy::CatalogProvided => {
                let follows = self.successors(origin).next();
                let same = rank.as_ref().and_then(|rank| self.position_of(rank));
                follows.into_iter().chain(same).min()?
            }
        };
        let bundle = *self.candidates.get(position)?;
        let same = rank.as_ref().zip(bundle.rank.as_ref()).is_some_and(|(a, b)| a.compare(b).is_eq());
        let edge = self.edge(bundle, origin);
        let channel = edge.map(|(channel, _)| channel).or_else(|| self.channel_listing(bundle));
        Some(Candidate { bundle, channel, edge: edge.map_or(EdgeKind::Version, |(_, kind)| kind), same })
    }

    /// Positions of the candidates to which an edge leads, name by name, the most preferred name first: those of one name
    /// need not stand together.
    pub(super) fn successors(&self, origin: &Origin<'_>) -> impl Iterator<Item = usize> {
        let Successors { names, incoming, .. } = self.all_successors();
        let positions = |(number, _): (u32, EdgeKind)| names.get(number as usize).into_iter().flatten();
        incoming.from(origin).into_iter().flat_map(positions).map(|&position| position as usize)
    }

    /// Positions of the candidates of this name, ascending.
    pub(super) fn positions(&self, name: NameId) -> impl Iterator<Item = usize> {
        let Successors { numbers, names, .. } = self.all_successors();
        let positions = numbers.get(&name).and_then(|&number| names.get(number as usize));
        positions.into_iter().flatten().map(|&position| position as usize)
    }

    fn all_successors(&self) -> &Successors<'a> {
        self.successors.get_or_init(|| {
            let mut numbers: HashMap<NameId, u32> = HashMap::default();
            let mut names: Vec<Vec<u32>> = Vec::new();
            for (bundle, position) in self.candidates.iter().zip(0..) {
                let number = *numbers.entry(bundle.id).or_insert(names.len() as u32);
                match names.get_mut(number as usize) {
                    Some(positions) => positions.push(position),
                    None => names.push(vec![position]),
                }
            }
            let entries = self.channels.iter().flat_map(|channel| &channel.entries);
            let edges = entries.filter_map(|entry| Some((*numbers.get(&entry.id)?, entry)));
            let incoming = Incoming::new(self.index, edges);
            Successors { numbers, names, incoming }
        })
    }

    /// The entries of the first `above` candidates that have a skip range that cannot be read.
    pub(super) fn unreadable_above(&self, above: usize) -> impl Iterator<Item = &'a Entry> {
        let unreadable = self.unreadable.get_or_init(|| {
            let entries = self.channels.iter().flat_map(|channel| &channel.entries);
            let unreadable = entries.filter(|entry| entry.range.is_none() && !entry.range_text.is_empty());
            unreadable.filter_map(|entry| Some((self.positions(entry.id).next()?, entry))).collect()
        });
        unreadable.iter().filter(move |(first, _)| *first < above).map(|(_, entry)| *entry)
    }

    /// How many candidates are not deprecated: they come first.
    pub(super) fn kept(&self) -> usize {
        self.candidates.partition_point(|bundle| !bundle.deprecated)
    }

    /// How many of those are higher than `bundle`: they come first.
    pub(super) fn kept_above(&self, bundle: &Bundle) -> usize {
        let Some(rank) = &bundle.rank else { return 0 };
        let is_higher = |other: &&Bundle| other.rank.as_ref().is_some_and(|other| other.compare(rank).is_gt());
        self.candidates.get(..self.kept()).map_or(0, |kept| kept.partition_point(is_higher))
    }

    /// [`PackageView::best`] for each of `members`, in time that does not grow with candidates times members.
    pub(super) fn best_of_all(
        &self,
        installed_set: &InstalledSet<'a>,
        members: &[u32],
        policy: Policy,
    ) -> Vec<Option<Candidate<'a>>> {
        let mut assignment = Assignment::new(installed_set, members);
        // With `SelfCertified` the first candidate wins whatever leads to it.
        let asked = match policy {
            Policy::CatalogProvided => self.candidates.len(),
            Policy::SelfCertified => self.candidates.len().min(1),
        };
        let mut seen = HashSet::default();
        for (position, bundle) in self.candidates.iter().take(asked).enumerate() {
            let Some(of_name) = self.entries.get(&bundle.id).filter(|_| seen.insert(bundle.id)) else { continue };
            // The strongest kind of edge first, then channel order, as in `PackageView::edge`.
            let entries = || of_name.iter().map(|(_, entry)| *entry).enumerate();
            for (entry, of) in entries() {
                of.replaces.iter().for_each(|&id| {
                    assignment.claim_name(id, Claim { position, entry, edge: EdgeKind::Replaces });
                });
            }
            for (entry, of) in entries() {
                of.skips
                    .iter()
                    .for_each(|&id| assignment.claim_name(id, Claim { position, entry, edge: EdgeKind::Skips }));
            }
            for (entry, of) in entries() {
                of.range.iter().for_each(|&id| {
                    assignment.claim_range(id, Claim { position, entry, edge: EdgeKind::SkipRange });
                });
            }
        }
        let choose = |(&member, claim): (&u32, Option<Claim>)| {
            let rank = installed_set.origins.get(member as usize)?.version.as_ref().ok().map(VersionRelease::of_v1);
            let same_at = rank.as_ref().and_then(|rank| self.position_of(rank));
            let position = match policy {
                Policy::SelfCertified => 0,
                Policy::CatalogProvided => claim.iter().map(|c| c.position).chain(same_at).min()?,
            };
            let bundle = *self.candidates.get(position)?;
            let same = rank.as_ref().zip(bundle.rank.as_ref()).is_some_and(|(a, b)| a.compare(b).is_eq());
            let edge = claim.filter(|c| c.position == position).and_then(|c| {
                let (channel, _) = self.entries.get(&bundle.id)?.get(c.entry)?;
                Some((*channel, c.edge))
            });
            let channel = edge.map(|(channel, _)| channel).or_else(|| self.channel_listing(bundle));
            Some(Candidate { bundle, channel, edge: edge.map_or(EdgeKind::Version, |(_, kind)| kind), same })
        };
        members.iter().zip(assignment.claims()).map(choose).collect()
    }

    /// The first candidate of a version and release.
    fn position_of(&self, rank: &VersionRelease) -> Option<usize> {
        let kept = self.candidates.partition_point(|b| !b.deprecated);
        let (kept, deprecated) = self.candidates.split_at(kept);
        let find = |some: &[&Bundle]| {
            let higher = |b: &&Bundle| b.rank.as_ref().is_some_and(|b| b.compare(rank).is_gt());
            let at = some.partition_point(higher);
            let found = some.get(at)?.rank.as_ref()?;
            found.compare(rank).is_eq().then_some(at)
        };
        find(kept).or_else(|| find(deprecated).map(|at| at + kept.len()))
    }

    /// The strongest edge from `origin` to `bundle` and the first channel that has it.
    pub(super) fn edge(&self, bundle: &Bundle, origin: &Origin<'_>) -> Option<(&'a Channel, EdgeKind)> {
        let entries = self.entries.get(&bundle.id)?.iter();
        let kinds = entries
            .filter_map(|&(channel, entry)| subscription::edge(self.index, entry, origin).map(|kind| (channel, kind)));
        // min_by_key keeps the first of equals.
        kinds.min_by_key(|(_, kind)| match kind {
            EdgeKind::Replaces => 0,
            EdgeKind::Skips => 1,
            _ => 2,
        })
    }

    /// Who skips the bundle in every channel in view that lists it, the first of them: only then Classic does not go there.
    pub(super) fn skipped_by(&self, bundle: &Bundle) -> Option<&'a str> {
        let skippers = self.skippers.get_or_init(|| {
            let mut skippers = Skippers::default();
            for &channel in &self.channels {
                for entry in channel.entries.iter().filter(|entry| entry.bundle.is_some()) {
                    for &skipped in &entry.skips {
                        skippers.entry((std::ptr::from_ref(channel), skipped)).or_insert(entry);
                    }
                }
            }
            skippers
        });
        let mut found = None;
        for (channel, _) in self.entries.get(&bundle.id)? {
            let by = skippers.get(&(std::ptr::from_ref(*channel), bundle.id))?;
            found = found.or(Some(&*by.name));
        }
        found
    }

    fn channel_listing(&self, bundle: &Bundle) -> Option<&'a Channel> {
        self.entries.get(&bundle.id).and_then(|entries| entries.first()).map(|(channel, _)| *channel)
    }

    /// The entry of the channel that takes what is installed by an edge of this kind.
    pub(super) fn entry(
        &self,
        bundle: &Bundle,
        channel: &Channel,
        origin: &Origin<'_>,
        kind: EdgeKind,
    ) -> Option<&'a Entry> {
        let mut here = self.entries.get(&bundle.id)?.iter().filter(|(c, _)| std::ptr::eq(*c, channel));
        here.find(|(_, entry)| subscription::edge(self.index, entry, origin) == Some(kind)).map(|(_, entry)| *entry)
    }
}

impl CatalogCandidate<'_> {
    /// `None` when it is what is installed already.
    pub(super) fn successor(&self, several: bool, installed: Option<&Installed>) -> Option<Successor> {
        let Candidate { bundle, channel, edge, same } = self.candidate;
        let stays = same && installed.is_some_and(|i| i.name == bundle.name);
        (!stays).then(|| Successor {
            name: bundle.name.clone(),
            version: bundle.version_text.clone(),
            channel: channel.map_or_else(|| "".into(), |c| c.name.clone()),
            edge,
            catalog: if several { self.catalog.name.into() } else { "".into() },
        })
    }
}

/// Not deprecated first, then the highest version and release; unparsable versions last; else catalog order.
fn preference(a: &Bundle, b: &Bundle) -> Ordering {
    let by_rank = match (&a.rank, &b.rank) {
        (Some(a), Some(b)) => b.compare(a),
        (a, b) => a.is_none().cmp(&b.is_none()),
    };
    a.deprecated.cmp(&b.deprecated).then(by_rank)
}
