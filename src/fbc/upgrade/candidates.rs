//! The candidates of all catalogs for one installed bundle under OLM v1, and which one wins (`olm-resolution` 1.5), with its errors
//! word for word (1.6).

use super::answer::{EdgeKind, ErrorKind, Installed, Options, Policy, Successor, UpgradeError};
use super::index::{Bundle, Channel, Entry, NameId, Origin, RangeId, UpgradeIndex};
use super::installed_set::{Assignment, Claim, InstalledSet};
use super::selector::Selector;
use super::subscription;
use crate::go_text::quote;
use crate::hashed::{HashMap, HashSet};
use crate::order::PutInOrder;
use crate::version::masterminds::Constraint;
use crate::version::{VersionError, VersionRelease};
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

/// What was found, and what was looked at on the way (for explanations).
pub(super) struct CatalogSearch<'a> {
    pub views: Vec<(&'a Catalog<'a>, PackageView<'a>)>,
    pub winner: Result<CatalogCandidate<'a>, UpgradeError>,
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
    edges: HashMap<NameId, Edges<'a>>,
}

/// What the entries of one name say, over the channels in view.
#[derive(Default)]
struct Edges<'a> {
    entries: Vec<(&'a Channel, &'a Entry)>,
    replaces: Vec<NameId>,
    skips: Vec<NameId>,
    ranges: Vec<RangeId>,
}

pub(super) fn find<'a>(
    catalogs: &'a [Catalog<'a>],
    selector: Option<&Selector>,
    package: &str,
    installed: Option<&Installed>,
    options: &Options,
) -> CatalogSearch<'a> {
    let mut views = Vec::new();
    let winner = walk(catalogs, selector, package, installed, options, &mut views)
        .and_then(|offers| decide(offers, package, installed, options));
    CatalogSearch { views, winner }
}

fn walk<'a>(
    catalogs: &'a [Catalog<'a>],
    selector: Option<&Selector>,
    package: &str,
    installed: Option<&Installed>,
    options: &Options,
    views: &mut Vec<(&'a Catalog<'a>, PackageView<'a>)>,
) -> Result<Vec<CatalogCandidate<'a>>, UpgradeError> {
    let range = parse_range(options)?;
    let mut offers: Vec<CatalogCandidate<'a>> = Vec::new();
    for catalog in catalogs.iter().filter(|c| !c.unavailable && selector.is_none_or(|s| s.selects(|key| c.label(key))))
    {
        let index = catalog.package.map_err(|cause| {
            let text = format!(
                "error walking catalogs: error getting package {} from catalog {}: {cause}",
                quote(package),
                quote(catalog.name)
            );
            UpgradeError::new(ErrorKind::Walk, text)
        })?;
        if index.is_empty {
            continue;
        }
        let origin = installed.map(|i| index.origin(i));
        if let Some(origin) = &origin {
            check_installed(origin, options)?;
        }
        let view = PackageView::new(index, range.as_ref(), options);
        let candidate = view.best(origin.as_ref(), options.policy);
        views.push((catalog, view));
        let Some(candidate) = candidate else { continue };
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
    Ok(offers)
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
        let mut edges: HashMap<NameId, Edges<'a>> = HashMap::default();
        for channel in &channels {
            for entry in &channel.entries {
                let edges = edges.entry(entry.id).or_default();
                edges.entries.push((channel, entry));
                edges.replaces.extend(entry.replaces);
                edges.skips.extend(&entry.skips);
                edges.ranges.extend(entry.range);
            }
        }
        for edges in edges.values_mut() {
            edges.replaces.put_in_order();
            edges.replaces.dedup();
            edges.skips.put_in_order();
            edges.skips.dedup();
            edges.ranges.put_in_order();
            edges.ranges.dedup();
        }
        let mut candidates: Vec<&Bundle> = index
            .bundles
            .iter()
            .filter(|b| all || edges.contains_key(&b.id))
            .filter(|b| range.is_none_or(|r| b.version.as_ref().is_ok_and(|v| r.check(v))))
            .collect();
        candidates.put_in_order_by(|a, b| preference(a, b));
        Self { index, channels, candidates, edges }
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
        self.candidates.iter().find_map(|bundle| {
            let same = rank.as_ref().zip(bundle.rank.as_ref()).is_some_and(|(a, b)| a.compare(b).is_eq());
            if policy == Policy::CatalogProvided && !same && !self.is_successor(bundle, origin) {
                return None;
            }
            let edge = self.edge(bundle, origin);
            let channel = edge.map(|(channel, _)| channel).or_else(|| self.channel_listing(bundle));
            Some(Candidate { bundle, channel, edge: edge.map_or(EdgeKind::Version, |(_, kind)| kind), same })
        })
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
            let Some(edges) = self.edges.get(&bundle.id).filter(|_| seen.insert(bundle.id)) else { continue };
            // The strongest kind of edge first, then channel order, as in `PackageView::edge`.
            let entries = || edges.entries.iter().map(|(_, entry)| *entry).enumerate();
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
                let (channel, _) = self.edges.get(&bundle.id)?.entries.get(c.entry)?;
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

    fn is_successor(&self, bundle: &Bundle, origin: &Origin<'_>) -> bool {
        let Some(edges) = self.edges.get(&bundle.id) else { return false };
        let named = |names: &[NameId]| origin.id.is_some_and(|id| names.binary_search(&id).is_ok());
        named(&edges.replaces)
            || named(&edges.skips)
            || edges.ranges.iter().any(|&r| self.index.range_contains(r, origin))
    }

    /// The strongest edge from `origin` to `bundle` and the first channel that has it.
    pub(super) fn edge(&self, bundle: &Bundle, origin: &Origin<'_>) -> Option<(&'a Channel, EdgeKind)> {
        let edges = self.edges.get(&bundle.id)?;
        let kinds = edges
            .entries
            .iter()
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
        let mut found = None;
        for channel in self.channels.iter().filter(|c| c.entries.iter().any(|e| e.id == bundle.id)) {
            let by = channel.entries.iter().find(|e| e.bundle.is_some() && e.skips.contains(&bundle.id))?;
            found = found.or(Some(&*by.name));
        }
        found
    }

    fn channel_listing(&self, bundle: &Bundle) -> Option<&'a Channel> {
        self.edges.get(&bundle.id).and_then(|e| e.entries.first()).map(|(channel, _)| *channel)
    }

    /// The entry of the channel that takes what is installed by an edge of this kind.
    pub(super) fn entry(
        &self,
        bundle: &Bundle,
        channel: &Channel,
        origin: &Origin<'_>,
        kind: EdgeKind,
    ) -> Option<&'a Entry> {
        let mut here = self.edges.get(&bundle.id)?.entries.iter().filter(|(c, _)| std::ptr::eq(*c, channel));
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
