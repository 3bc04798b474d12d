//! Computes the upgrade path of every version of a package, under OLM v1 and under Classic for each
//! channel: the next step, the end and the number of steps. Also the result of a fresh install.
//!
//! Each version is resolved once. The steps of a lens form a graph with at most one outgoing edge
//! per version, so one memoized walk yields all ends, lengths and cycles.
//!
//! Unlisted versions are those that no bundle has and no entry mentions. They have no edges by
//! name, so only skip ranges matter. Their next step assumes that no entry mentions the installed
//! bundle's name and that, if a bundle has its version, the release differs: under v1 it has no
//! bundle to stay on.

use super::answer::{
    EdgeKind, ErrorKind, Installed, Lens, Options, Successor, UnlistedSteps, UpgradeError,
};
use super::candidates::bundle_flaw;
use super::index::UpgradeIndex;
use super::installed_set::{InstalledSet, InstalledVersions};
use super::package_view::PackageView;
use super::resolve::CatalogSet;
use super::subscription::{Subscription, subscribed_channels};
use super::v0;
use super::v1::{self, NextSteps, Requirements};
use catalog::graph::FunctionalGraph;
use catalog::version::Version;
use petgraph::visit::DfsPostOrder;
use protocol::upgrades::PathMark;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::rc::Rc;
use syntax::place::Text;

/// The upgrade path of one version under one lens, in brief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathSummary {
    /// `None`: the version is kept or the step is refused.
    pub next: Option<PathStep>,
    pub error: Option<ErrorKind>,
    /// Index of the version where the path ends; the version itself if it is kept. In a cycle: the
    /// first repeated version.
    pub last: u32,
    /// Number of updates on the path.
    pub steps: u32,
    /// Number of updates if the path entered each minor version only once.
    pub needed: u32,
    pub marks: Marks,
    /// Classic: why it does not take the step that an edge offers. One sentence; names in
    /// backticks.
    pub held_back: Option<String>,
}

/// A step to another version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathStep {
    pub to: u32,
    /// The channel of the entry with the edge; "" if no channel lists the bundle (v1).
    pub channel: Text,
    pub edge: EdgeKind,
}

/// Anomalies of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks {
    /// No step follows, although this is not the channel's head (under Classic) or not the result
    /// of a fresh install (under v1).
    pub stuck: bool,
    /// Whether the next step or the end is a lower version.
    pub goes_back: bool,
    /// More steps than [`PathSummary::needed`]: the path visits several patches of one minor
    /// version, although the last one could take all of them.
    pub long_way: bool,
    /// Whether the version is stable, but the path passes through a prerelease.
    pub prerelease: bool,
    /// Whether the path is a cycle.
    pub looped: bool,
}

#[derive(Debug, Clone, Default)]
pub struct PathSummaries {
    /// Numbers of versions, ascending.
    pub members: Vec<u32>,
    /// Parallel to `members`.
    pub paths: Vec<PathSummary>,
    /// Why the question is refused: an invalid range, or a channel without an order.
    pub refused: Option<UpgradeError>,
    /// Name of the channel's head (Classic) or of the result of a fresh install (v1).
    pub end: Option<Text>,
}

/// The paths of all versions of a package under both lenses.
#[derive(Debug, Clone, Default)]
pub struct Everyone {
    pub versions: InstalledVersions,
    pub v1: PathSummaries,
    /// Per channel, the versions that it lists or mentions, or that its skip ranges contain; the
    /// default channel first, then by name.
    pub v0: Vec<(Text, PathSummaries)>,
}

/// Paths of all versions of `index`: Classic for each channel, v1 with the channels, range and
/// policy of `options`. `catalog_set` is as in [`classic_path_summaries`].
pub fn every_path(
    index: &UpgradeIndex,
    options: &Options,
    catalog_set: Option<&CatalogSet<'_>>,
) -> Everyone {
    let versions = InstalledVersions::from_indexes([index]);
    let installed_set = InstalledSet::from_sorted(index, &versions);
    let v1 = path_summaries(&installed_set, &versions, versions.all(), Lens::V1, options);
    let v0 = subscribed_channels(index, "")
        .into_iter()
        .filter_map(|channels: Vec<&super::index::Channel>| {
            let name = channels.first()?.name.clone();
            let options = Options::for_channel(&name);
            let mut members: BTreeSet<u32> = versions.members([index], &name).into_iter().collect();
            if index.has_ranges(&name)
                && let Ok(subscription) = Subscription::new(index, false, &options)
            {
                let listed = subscription.listed.iter();
                let allowed = listed.filter(|listed| !listed.bundle.prohibited);
                let ranges = allowed.filter_map(|listed| listed.entry.range);
                members.extend(installed_set.covered_by(ranges));
            }
            let members = members.into_iter().collect();
            let paths =
                classic_path_summaries(&installed_set, &versions, members, &options, catalog_set);
            Some((name, paths))
        })
        .collect();
    drop(installed_set);
    Everyone { versions, v1, v0 }
}

impl PathSummaries {
    pub fn get(&self, number: u32) -> Option<&PathSummary> {
        self.paths.get(self.members.binary_search(&number).ok()?)
    }

    /// Returns the number of the next version; `None` as in [`PathSummary::next`].
    pub fn next_version(&self, number: u32) -> Option<u32> {
        Some(self.get(number)?.next.as_ref()?.to)
    }

    pub fn iter(&self) -> impl Iterator<Item = (u32, &PathSummary)> {
        self.members.iter().copied().zip(&self.paths)
    }
}

impl Marks {
    /// Returns the marks that are set, the most severe first.
    pub fn list(self) -> Vec<PathMark> {
        let all = [
            (self.looped, PathMark::Loop),
            (self.stuck, PathMark::Stuck),
            (self.goes_back, PathMark::GoesBack),
            (self.prerelease, PathMark::Prerelease),
            (self.long_way, PathMark::LongWay),
        ];
        all.into_iter()
            .filter_map(|(set, mark)| set.then_some(mark))
            .collect()
    }

    /// Returns the labels of [`Marks::list`].
    pub fn labels(self) -> Vec<&'static str> {
        self.list().into_iter().map(PathMark::label).collect()
    }
}

/// The next step of each version, and the name of the end.
type ChannelAnswers = Result<(NextSteps, Option<Text>), UpgradeError>;

/// Returns the path summaries of `members` (ascending numbers of `versions`).
pub fn path_summaries(
    installed_set: &InstalledSet<'_>,
    versions: &InstalledVersions,
    members: Vec<u32>,
    lens: Lens,
    options: &Options,
) -> PathSummaries {
    match lens {
        Lens::V0 => classic_path_summaries(installed_set, versions, members, options, None),
        Lens::V1 => {
            let answers = next_steps_v1(installed_set, &members, options, Requirements::Refused);
            summarize_paths(installed_set, versions, members, lens, answers)
        }
    }
}

/// Like [`path_summaries`] under Classic, with requirements that the bundles of `catalog_set` meet.
/// `None`: follows edges alone.
pub fn classic_path_summaries(
    installed_set: &InstalledSet<'_>,
    versions: &InstalledVersions,
    members: Vec<u32>,
    options: &Options,
    catalog_set: Option<&CatalogSet<'_>>,
) -> PathSummaries {
    let mut held_back = Vec::new();
    let answers = v0::everyone(installed_set, &members, options).map(|(edges, head)| {
        let steps = match catalog_set {
            None => edges.into_iter().map(Ok).collect(),
            Some(catalog_set) => {
                let resolved = resolve_each(catalog_set, installed_set, &members, options, edges);
                held_back = resolved.1;
                resolved.0
            }
        };
        (steps, head.cloned())
    });
    let mut summaries = summarize_paths(installed_set, versions, members, Lens::V0, answers);
    for (path, reason) in summaries.paths.iter_mut().zip(held_back) {
        path.held_back = reason;
    }
    summaries
}

/// Resolves the next step of each member with requirements. Also returns why it differs from the
/// step along the edges.
fn resolve_each(
    catalog_set: &CatalogSet<'_>,
    installed_set: &InstalledSet<'_>,
    members: &[u32],
    options: &Options,
    edges: Vec<Option<Successor>>,
) -> (NextSteps, Vec<Option<String>>) {
    let name = |step: &Option<Successor>| step.as_ref().map(|step| step.name.clone());
    catalog_set.steps("", installed_set.index.package(), options, |next| {
        let members = members.iter().zip(edges);
        members
            .filter_map(|(&member, edge)| Some((installed_set.origins.get(member as usize)?, edge)))
            .map(|(origin, edge)| {
                let answer = next(Some(origin.installed));
                let differs = name(&answer.next) != name(&edge);
                let reason = answer.why.into_iter().next().filter(|_| differs);
                (
                    answer
                        .error
                        .map_or(Ok(answer.next), |error| Err(error.kind)),
                    reason,
                )
            })
            .unzip()
    })
}

/// Like [`path_summaries`] under v1, but follows edges alone: bundles with requirements are not
/// refused.
pub fn path_summaries_by_edges(
    installed_set: &InstalledSet<'_>,
    versions: &InstalledVersions,
    members: Vec<u32>,
    options: &Options,
) -> PathSummaries {
    let answers = next_steps_v1(installed_set, &members, options, Requirements::LeftOut);
    summarize_paths(installed_set, versions, members, Lens::V1, answers)
}

fn next_steps_v1(
    installed_set: &InstalledSet<'_>,
    members: &[u32],
    options: &Options,
    requirements: Requirements,
) -> ChannelAnswers {
    let (steps, newest) = v1::everyone(installed_set, members, options, requirements)?;
    Ok((steps, newest.map(|bundle| bundle.name.clone())))
}

/// Follows the next steps to the end of each path.
fn summarize_paths(
    installed_set: &InstalledSet<'_>,
    versions: &InstalledVersions,
    members: Vec<u32>,
    lens: Lens,
    answers: ChannelAnswers,
) -> PathSummaries {
    let (successors, end, refused) = match answers {
        Ok((successors, end)) => (successors, end, None),
        Err(error) => (vec![Err(error.kind); members.len()], None, Some(error)),
    };
    let numbered = |to: Successor| {
        let number = versions.number(&to.as_installed())?;
        Some(PathStep {
            to: number,
            channel: to.channel,
            edge: to.edge,
        })
    };
    let steps: Vec<NumberedStep> = successors
        .into_iter()
        .map(|successor| match successor {
            Ok(successor) => (successor.and_then(numbered), None),
            Err(kind) => (None, Some(kind)),
        })
        .collect();
    let walk = Walk::new(installed_set, &members, &steps);
    let end_bundle = end
        .as_ref()
        .and_then(|name| installed_set.index.bundle_named(name));
    let end_version = end_bundle.and_then(|bundle| bundle.version.as_ref().ok());
    let is_at_end = |member: u32, error: Option<ErrorKind>| {
        let is_named = versions.get(member).map(|installed| &installed.name) == end.as_ref();
        let has_end_version = || {
            let version = walk.version(member).zip(end_version);
            version.is_some_and(|(own, end)| own.cmp_precedence(end).is_eq())
        };
        match lens {
            Lens::V0 => is_named,
            Lens::V1 => error.is_none() && (is_named || has_end_version()),
        }
    };
    let paths = steps
        .into_iter()
        .zip(&walk.rests)
        .zip(&members)
        .map(|(((next, error), rest), &member)| {
            let rest = rest.unwrap_or(PathRest::at(member));
            let mut marks = walk.marks(member, next.as_ref(), rest);
            marks.stuck = next.is_none() && !is_at_end(member, error);
            PathSummary {
                next,
                error,
                last: rest.last,
                steps: rest.steps,
                needed: rest.needed,
                marks,
                held_back: None,
            }
        })
        .collect();
    PathSummaries {
        members,
        paths,
        refused,
        end,
    }
}

/// The next step of a member, or its error. Neither: no step follows.
type NumberedStep = (Option<PathStep>, Option<ErrorKind>);

/// The rest of the path from one version.
#[derive(Debug, Clone, Copy, Default)]
struct PathRest {
    last: u32,
    steps: u32,
    needed: u32,
    /// Whether a later step is a prerelease.
    prerelease: bool,
    looped: bool,
}

impl PathRest {
    fn at(member: u32) -> Self {
        Self {
            last: member,
            ..Self::default()
        }
    }
}

/// Visits each path once.
struct Walk<'w, 'a> {
    installed_set: &'w InstalledSet<'a>,
    /// Indexed by member.
    rests: Vec<Option<PathRest>>,
}

impl<'w, 'a> Walk<'w, 'a> {
    fn new(installed_set: &'w InstalledSet<'a>, members: &[u32], steps: &[NumberedStep]) -> Self {
        // Steps leave the members only in an inconsistent catalog; the path ends there.
        let next: Vec<Option<usize>> = steps
            .iter()
            .map(|(step, _)| {
                step.as_ref()
                    .and_then(|step| members.binary_search(&step.to).ok())
            })
            .collect();
        let mut walk = Self {
            installed_set,
            rests: vec![None; members.len()],
        };
        let functional_graph =
            FunctionalGraph::new(members.len(), |member| next.get(member).copied().flatten());
        // Postorder visits a version after its successor. Only in a cycle is one version visited
        // first; it closes the cycle.
        let mut search = DfsPostOrder::empty(&functional_graph);
        for start in 0..members.len() {
            search.move_to(start);
            while let Some(member) = search.next(&functional_graph) {
                if walk.rests[member].is_some() {
                    continue;
                }
                let Some(successor) = next[member] else {
                    walk.rests[member] = Some(PathRest::at(members[member]));
                    continue;
                };
                match walk.rests[successor] {
                    Some(rest) => {
                        let following = next[successor].map(|following| members[following]);
                        let rest = walk.extend(members[successor], following, rest);
                        walk.rests[member] = Some(rest);
                    }
                    None => walk.close_cycle(member, successor, members, &next),
                }
            }
        }
        walk
    }

    /// Resolves all members of the cycle that the edge from `last` to `first` closes.
    fn close_cycle(&mut self, last: usize, first: usize, members: &[u32], next: &[Option<usize>]) {
        let cycle: Vec<usize> = std::iter::successors(Some(first), |&member| {
            next[member].filter(|_| member != last)
        })
        .collect();
        let prerelease = cycle
            .iter()
            .any(|&member| self.is_prerelease(members[member]));
        let steps = cycle.len() as u32;
        for member in cycle {
            self.rests[member] = Some(PathRest {
                last: members[member],
                steps,
                needed: steps,
                prerelease,
                looped: true,
            });
        }
    }

    /// Extends `rest` by a step to `to`, which `following` follows.
    fn extend(&self, to: u32, following: Option<u32>, rest: PathRest) -> PathRest {
        let minor = |member: u32| {
            let version = self.version(member)?;
            Some((version.major(), version.minor()))
        };
        // Only the last version of each minor version is needed.
        let is_needed =
            following.is_none_or(|following| minor(to).is_none() || minor(to) != minor(following));
        PathRest {
            last: rest.last,
            steps: rest.steps.saturating_add(1),
            needed: rest.needed.saturating_add(u32::from(is_needed)),
            prerelease: rest.prerelease || self.is_prerelease(to),
            looped: rest.looped,
        }
    }

    /// Returns the marks of a path except [`Marks::stuck`].
    fn marks(&self, member: u32, next: Option<&PathStep>, rest: PathRest) -> Marks {
        let version = self.version(member);
        let is_lower = |to: u32| {
            let versions = self.version(to).zip(version);
            versions.is_some_and(|(to, from)| to.cmp_precedence(from).is_lt())
        };
        let goes_back = next.is_some_and(|step| is_lower(step.to)) || is_lower(rest.last);
        Marks {
            stuck: false,
            goes_back: !rest.looped && goes_back,
            long_way: !rest.looped && rest.steps > rest.needed,
            prerelease: version.is_some_and(|version| version.prerelease().is_empty())
                && rest.prerelease,
            looped: rest.looped,
        }
    }

    fn version(&self, member: u32) -> Option<&Version> {
        self.installed_set
            .origins
            .get(member as usize)?
            .version()
            .ok()
    }

    fn is_prerelease(&self, member: u32) -> bool {
        self.version(member)
            .is_some_and(|v| !v.prerelease().is_empty())
    }
}

/// Orders the highest version first; those without a version last, by name.
pub fn newest_first(a: &Installed, b: &Installed) -> Ordering {
    let by_version = match (Version::parse(&a.version), Version::parse(&b.version)) {
        (Ok(a), Ok(b)) => b.cmp_precedence(&a).then_with(|| b.build().cmp(a.build())),
        (a, b) => a.is_err().cmp(&b.is_err()),
    };
    by_version.then_with(|| a.name.cmp(&b.name))
}

impl UpgradeIndex {
    /// Returns the first bundle that is installed. Classic: for a subscription to `channel`; ""
    /// means any channel, the default one first. `None`: nothing can be installed.
    pub fn fresh_install(&self, lens: Lens, channel: &str) -> Option<Installed> {
        match lens {
            Lens::V0 => {
                let options = Options::for_channel(channel);
                let subscription = Subscription::new(self, true, &options).ok()?;
                let next = subscription.choose(None).ok()??.successor(None)?;
                Some(Installed::new(next.name, next.version))
            }
            Lens::V1 => {
                let newest = v1::newest(self, &Options::default())?;
                bundle_flaw(newest).is_none().then(|| newest.as_installed())
            }
        }
    }

    /// Whether OLM v1 refuses the bundle that it chooses for a fresh install.
    pub fn refuses_fresh_install(&self) -> bool {
        v1::newest(self, &Options::default()).is_some_and(|newest| bundle_flaw(newest).is_some())
    }

    /// Whether the installed bundle is the channel's head, or the result of a fresh install under
    /// v1.
    pub fn is_at_end(&self, lens: Lens, installed: &Installed, options: &Options) -> bool {
        match lens {
            Lens::V0 => {
                let subscription = Subscription::new(self, false, options).ok();
                let head = subscription
                    .as_ref()
                    .and_then(|subscription| subscription.listed.first());
                head.is_some_and(|head| head.entry.name == installed.name)
            }
            Lens::V1 => v1::newest(self, options).is_some_and(|newest| {
                let same = newest
                    .version
                    .as_ref()
                    .ok()
                    .zip(Version::parse(&installed.version).ok());
                newest.name == installed.name
                    || same.is_some_and(|(a, b)| a.cmp_precedence(&b).is_eq())
            }),
        }
    }
}

impl UpgradeIndex {
    /// Returns the steps for a subscription to `channel`, or a ClusterExtension that names only it;
    /// `None`: one that names none (v1). Cached, because several edits may start from one state.
    pub fn unlisted_steps(&self, lens: Lens, channel: Option<&Text>) -> Rc<UnlistedSteps> {
        let key = (lens, channel.cloned());
        if let Some(steps) = self.unlisted.borrow().get(&key) {
            return steps.clone();
        }
        let options = Options {
            channels: channel.iter().map(|name| name.to_string()).collect(),
            ..Options::default()
        };
        let steps = Rc::new(match lens {
            Lens::V0 => unlisted_steps_v0(self, &options),
            Lens::V1 => unlisted_steps_v1(self, &options),
        });
        self.unlisted.borrow_mut().insert(key, steps.clone());
        steps
    }

    /// Whether an entry of the channel has a valid skip range.
    pub fn has_ranges(&self, channel: &str) -> bool {
        self.channels_named(channel)
            .flat_map(|channel| &channel.entries)
            .any(|entry| entry.range.is_some())
    }
}

fn unlisted_steps_v0(index: &UpgradeIndex, options: &Options) -> UnlistedSteps {
    let subscription = match Subscription::new(index, false, options) {
        Ok(subscription) => subscription,
        Err(error) => return UnlistedSteps::everywhere(Err(error.kind)),
    };
    let step = |target: Option<u32>| {
        let listed = subscription.listed.get(target? as usize)?;
        Some(listed.bundle.as_installed())
    };
    let stretches = subscription.first_by_range();
    UnlistedSteps {
        stretches: stretches
            .into_iter()
            .map(|(from, target)| (from, Ok(step(target))))
            .collect(),
    }
}

fn unlisted_steps_v1(index: &UpgradeIndex, options: &Options) -> UnlistedSteps {
    let view = PackageView::new(index, None, options);
    let step = |target: Option<u32>| {
        let position = target.ok_or(ErrorKind::None)?;
        let bundle = view
            .candidates
            .get(position as usize)
            .ok_or(ErrorKind::None)?;
        match bundle_flaw(bundle) {
            Some(kind) => Err(kind),
            None => Ok(Some(bundle.as_installed())),
        }
    };
    let stretches = view.first_by_range();
    UnlistedSteps {
        stretches: stretches
            .into_iter()
            .map(|(from, target)| (from, step(target)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::testing::package;

    #[test]
    fn equals_the_explained_answer() {
        for text in [
            "c: b@2.0.0 r:a; a@1.0.0\nd: z@3.0.0",
            "c: b@2.0.0 r:a; a@1.0.0",
            "c: a@1.0.0; b@2.0.0",
            "c: b@2.0.0 r:a !required; a@1.0.0",
        ] {
            let index = UpgradeIndex::new(&package(text));
            for lens in [Lens::V0, Lens::V1] {
                let explained = index
                    .next(lens, None, &Options::default())
                    .next
                    .map(|next| next.name);
                assert_eq!(
                    index.fresh_install(lens, "").map(|bundle| bundle.name),
                    explained,
                    "{text} {lens:?}"
                );
            }
        }
        assert_eq!(UpgradeIndex::empty("p").fresh_install(Lens::V0, ""), None);
        assert_eq!(UpgradeIndex::empty("p").fresh_install(Lens::V1, ""), None);
    }
}
