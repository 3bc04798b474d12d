//! The upgrade path of every version of a package, under OLM v1 and under Classic for each channel:
//! the next step, the end and the number of steps.
//!
//! Each version is resolved once. The steps of a lens form a graph with at most one outgoing edge per
//! version, so one memoized walk yields all ends, lengths and cycles.

use super::answer::{EdgeKind, ErrorKind, Installed, Lens, Options, Successor, UpgradeError};
use super::index::UpgradeIndex;
use super::installed_set::InstalledSet;
use super::installed_versions::InstalledVersions;
use super::subscription::subscribed_channels;
use super::v1::Requirements;
use super::{v0, v1};
use crate::graph::functional_graph::FunctionalGraph;
use crate::place::Text;
use crate::version::Version;
use petgraph::visit::DfsPostOrder;
use std::cmp::Ordering;

/// The upgrade path of one version under one lens, in brief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathSummary {
    /// `None`: stays or is refused.
    pub next: Option<PathStep>,
    pub error: Option<ErrorKind>,
    /// Number of the version where the path ends; the version itself if it stays. In a cycle: the
    /// first repeated version.
    pub last: u32,
    /// Number of updates on the path.
    pub steps: u32,
    /// Number of updates if the path entered each minor version only once.
    pub needed: u32,
    pub marks: Marks,
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
    /// There is no next step, although this is neither the channel's head (Classic) nor the result
    /// of a fresh install (v1).
    pub stuck: bool,
    /// The next step or the end is a lower version.
    pub goes_back: bool,
    /// More steps than [`PathSummary::needed`]: the path visits several patches of one minor
    /// version, although the last one could take all of them.
    pub long_way: bool,
    /// The version is stable, but the path passes through a prerelease.
    pub prerelease: bool,
    /// The path is a cycle.
    pub looped: bool,
}

/// The path summaries of some versions.
#[derive(Debug, Clone, Default)]
pub struct PathSummaries {
    /// Numbers of versions, ascending.
    pub members: Vec<u32>,
    /// Parallel to `members`.
    pub paths: Vec<PathSummary>,
    /// Why there is no answer at all: an invalid range, or a channel without an order.
    pub refused: Option<UpgradeError>,
    /// Name of the channel's head (Classic) or of the result of a fresh install (v1).
    pub end: Option<Text>,
}

/// The paths of all versions of a package under both lenses.
#[derive(Debug, Clone, Default)]
pub struct Everyone {
    pub versions: InstalledVersions,
    pub v1: PathSummaries,
    /// Per channel, the versions that it lists or mentions; the default channel first, then by
    /// name.
    pub v0: Vec<(Text, PathSummaries)>,
}

/// Paths of all versions of `index`: Classic for each channel, v1 with the channels, range and
/// policy of `options`.
pub fn every_path(index: &UpgradeIndex, options: &Options) -> Everyone {
    let versions = InstalledVersions::from_indexes([index]);
    let installed_set = InstalledSet::from_sorted(index, &versions);
    let v1 = path_summaries(&installed_set, &versions, versions.all(), Lens::V1, options);
    let classic = |channels: Vec<&super::index::Channel>| {
        let name = channels.first()?.name.clone();
        let members = versions.members([index], &name);
        let options = Options {
            channels: vec![name.to_string()],
            ..Options::default()
        };
        Some((
            name,
            path_summaries(&installed_set, &versions, members, Lens::V0, &options),
        ))
    };
    let v0 = subscribed_channels(index, "")
        .into_iter()
        .filter_map(classic)
        .collect();
    drop(installed_set);
    Everyone { versions, v1, v0 }
}

impl PathSummaries {
    pub fn get(&self, number: u32) -> Option<&PathSummary> {
        self.paths.get(self.members.binary_search(&number).ok()?)
    }

    pub fn iter(&self) -> impl Iterator<Item = (u32, &PathSummary)> {
        self.members.iter().copied().zip(&self.paths)
    }
}

impl Marks {
    /// Short labels of the marks that are set, the most severe first.
    pub fn labels(self) -> Vec<&'static str> {
        let all = [
            (self.looped, "loop"),
            (self.stuck, "stuck"),
            (self.goes_back, "goes back"),
            (self.prerelease, "prerelease"),
            (self.long_way, "long way"),
        ];
        all.into_iter()
            .filter_map(|(set, word)| set.then_some(word))
            .collect()
    }
}

/// The next step of each version, and the name of the end.
type ChannelAnswers =
    Result<(Vec<Result<Option<Successor>, ErrorKind>>, Option<Text>), UpgradeError>;

/// The path summaries of `members` (ascending numbers of `versions`).
pub(crate) fn path_summaries(
    installed_set: &InstalledSet<'_>,
    versions: &InstalledVersions,
    members: Vec<u32>,
    lens: Lens,
    options: &Options,
) -> PathSummaries {
    let answered = match lens {
        Lens::V0 => v0::everyone(installed_set, &members, options)
            .map(|(steps, head)| (steps.into_iter().map(Ok).collect(), head.cloned())),
        Lens::V1 => next_steps_v1(installed_set, &members, options, Requirements::Refused),
    };
    walk(installed_set, versions, members, lens, answered)
}

/// Like [`path_summaries`] under v1, but follows edges alone: bundles with requirements are not
/// refused.
pub(crate) fn path_summaries_by_edges(
    installed_set: &InstalledSet<'_>,
    versions: &InstalledVersions,
    members: Vec<u32>,
    options: &Options,
) -> PathSummaries {
    let answered = next_steps_v1(installed_set, &members, options, Requirements::LeftOut);
    walk(installed_set, versions, members, Lens::V1, answered)
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

fn walk(
    installed_set: &InstalledSet<'_>,
    versions: &InstalledVersions,
    members: Vec<u32>,
    lens: Lens,
    answered: ChannelAnswers,
) -> PathSummaries {
    let (successors, end, refused) = match answered {
        Ok((successors, end)) => (successors, end, None),
        Err(error) => (vec![Err(error.kind); members.len()], None, Some(error)),
    };
    let step = |to: Successor| {
        let number = versions.number(&to.as_installed())?;
        Some(PathStep {
            to: number,
            channel: to.channel,
            edge: to.edge,
        })
    };
    let steps: Vec<(Option<PathStep>, Option<ErrorKind>)> = successors
        .into_iter()
        .map(|successor| match successor {
            Ok(successor) => (successor.and_then(step), None),
            Err(kind) => (None, Some(kind)),
        })
        .collect();
    let walk = Walk::new(installed_set, &members, &steps);
    let end_version = end
        .as_ref()
        .and_then(|name| installed_set.index.bundle_named(name));
    let end_version = end_version.and_then(|b| b.version.as_ref().ok());
    let paths = steps.into_iter().zip(&walk.found).zip(&members).map(
        |(((next, error), found), &member)| {
            let found = found.unwrap_or(PathRest::at(member));
            let version = walk.version(member);
            let own_name = versions.get(member).map(|i| &i.name);
            let at_end = match lens {
                Lens::V0 => own_name == end.as_ref(),
                Lens::V1 => {
                    let same = version
                        .zip(end_version)
                        .is_some_and(|(a, b)| a.cmp_precedence(b).is_eq());
                    error.is_none() && (own_name == end.as_ref() || same)
                }
            };
            let lower = |to: u32| {
                walk.version(to)
                    .zip(version)
                    .is_some_and(|(to, at)| to.cmp_precedence(at).is_lt())
            };
            let marks = Marks {
                stuck: next.is_none() && !at_end,
                goes_back: !found.looped
                    && (next.as_ref().is_some_and(|step| lower(step.to)) || lower(found.last)),
                long_way: !found.looped && found.steps > found.needed,
                prerelease: version.is_some_and(|v| v.prerelease().is_empty()) && found.prerelease,
                looped: found.looped,
            };
            PathSummary {
                next,
                error,
                last: found.last,
                steps: found.steps,
                needed: found.needed,
                marks,
            }
        },
    );
    let paths = paths.collect();
    PathSummaries {
        members,
        paths,
        refused,
        end,
    }
}

/// The rest of the path from one version.
#[derive(Debug, Clone, Copy)]
struct PathRest {
    last: u32,
    steps: u32,
    needed: u32,
    /// A later step is a prerelease.
    prerelease: bool,
    looped: bool,
}

impl PathRest {
    fn at(member: u32) -> Self {
        Self {
            last: member,
            steps: 0,
            needed: 0,
            prerelease: false,
            looped: false,
        }
    }
}

/// Visits each path once.
struct Walk<'w, 'a> {
    installed_set: &'w InstalledSet<'a>,
    /// Indexed by member.
    found: Vec<Option<PathRest>>,
}

impl<'w, 'a> Walk<'w, 'a> {
    fn new(
        installed_set: &'w InstalledSet<'a>,
        members: &[u32],
        steps: &[(Option<PathStep>, Option<ErrorKind>)],
    ) -> Self {
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
            found: vec![None; members.len()],
        };
        let functional_graph =
            FunctionalGraph::new(members.len(), |here| next.get(here).copied().flatten());
        // Postorder visits a version after its successor. Only in a cycle is one version visited
        // first; it closes the cycle.
        let mut search = DfsPostOrder::empty(&functional_graph);
        for start in 0..members.len() {
            search.move_to(start);
            while let Some(here) = search.next(&functional_graph) {
                if walk.found[here].is_some() {
                    continue;
                }
                walk.found[here] =
                    match next[here].map(|next_member| (next_member, walk.found[next_member])) {
                        None => Some(PathRest::at(members[here])),
                        Some((next_member, Some(found))) => Some(walk.before(
                            members[next_member],
                            next[next_member].map(|then| members[then]),
                            found,
                        )),
                        Some((next_member, None)) => {
                            walk.close(here, next_member, members, &next);
                            continue;
                        }
                    };
            }
        }
        walk
    }

    /// Resolves all members of the cycle that the edge from `here` to `next_member` closes.
    fn close(&mut self, here: usize, next_member: usize, members: &[u32], next: &[Option<usize>]) {
        let onward =
            std::iter::successors(Some(next_member), |&at| next[at].filter(|_| at != here));
        let circle: Vec<usize> = onward.collect();
        let prerelease = circle.iter().any(|&i| self.is_prerelease(members[i]));
        let steps = circle.len() as u32;
        for i in circle {
            self.found[i] = Some(PathRest {
                last: members[i],
                steps,
                needed: steps,
                prerelease,
                looped: true,
            });
        }
    }

    /// Extends `found` by one step to `to`, which continues to `then`.
    fn before(&self, to: u32, then: Option<u32>, found: PathRest) -> PathRest {
        let minor = |i: u32| self.version(i).map(|v| (v.major(), v.minor()));
        let enters = match then {
            None => 1,
            Some(then) => u32::from(minor(to).is_none() || minor(to) != minor(then)),
        };
        PathRest {
            last: found.last,
            steps: found.steps.saturating_add(1),
            needed: found.needed.saturating_add(enters),
            prerelease: found.prerelease || self.is_prerelease(to),
            looped: found.looped,
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

/// Highest version first; those without a version last, by name.
pub fn newest_first(a: &Installed, b: &Installed) -> Ordering {
    let by_version = match (Version::parse(&a.version), Version::parse(&b.version)) {
        (Ok(a), Ok(b)) => b.cmp_precedence(&a).then_with(|| b.build().cmp(a.build())),
        (a, b) => a.is_err().cmp(&b.is_err()),
    };
    by_version.then_with(|| a.name.cmp(&b.name))
}
