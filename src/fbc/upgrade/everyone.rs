//! The upgrade path of every version of a package: where it goes next, where it ends and in how many
//! steps, under OLM v1 and under Classic for each channel.
//!
//! Every version is asked once. The steps of a lens form a graph in which each version has at most one way out, so ends,
//! counts and circles are found by walking every way once and remembering what was found.

use super::answer::{EdgeKind, ErrorKind, Installed, Lens, Options, Successor, UpgradeError};
use super::index::UpgradeIndex;
use super::installed_set::InstalledSet;
use super::installed_versions::InstalledVersions;
use super::subscription::subscribed;
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
    /// `None`: stays, or is refused.
    pub next: Option<PathStep>,
    pub error: Option<ErrorKind>,
    /// Number of the version where the path ends; its own when it stays. In a circle: where the path meets itself.
    pub last: u32,
    /// How many updates the path has.
    pub steps: u32,
    /// How many updates would do if each minor version on the path were entered once.
    pub needed: u32,
    pub marks: Marks,
}

/// A step to another version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathStep {
    pub to: u32,
    /// The channel whose entry leads there; "" when no channel lists the bundle (v1).
    pub channel: Text,
    pub edge: EdgeKind,
}

/// What a reader should notice about a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks {
    /// Nothing follows though it is not the end: under Classic the channel's head, under v1 what a fresh install gives.
    pub stuck: bool,
    /// Its next step or its end is a lower version.
    pub goes_back: bool,
    /// More steps than [`PathSummary::needed`]: somewhere it goes from patch to patch of one minor version, though the last
    /// patch could take all of them.
    pub long_way: bool,
    /// It is stable, and a step on the way is a prerelease.
    pub prerelease: bool,
    /// The steps run in a circle.
    pub looped: bool,
}

/// The paths of some of the versions.
#[derive(Debug, Clone, Default)]
pub struct PathSummaries {
    /// Numbers of versions, ascending.
    pub members: Vec<u32>,
    /// One for each of `members`.
    pub paths: Vec<PathSummary>,
    /// Why there is no answer at all: the range does not parse, or the channel has no order.
    pub refused: Option<UpgradeError>,
    /// Name of the channel's head (Classic), or of what a fresh install gives (v1).
    pub end: Option<Text>,
}

/// The paths of all versions of a package under both lenses.
#[derive(Debug, Clone, Default)]
pub struct Everyone {
    pub versions: InstalledVersions,
    pub v1: PathSummaries,
    /// Each channel with those whom it lists or mentions; default channel first, then by name.
    pub v0: Vec<(Text, PathSummaries)>,
}

/// Everyone of `index`: Classic in each channel for itself; v1 with the channels, the range and the policy of `options`.
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
    let v0 = subscribed(index, "")
        .into_iter()
        .filter_map(classic)
        .collect();
    drop(installed_set);
    Everyone { versions, v1, v0 }
}

impl PathSummaries {
    /// The path of a version.
    pub fn get(&self, number: u32) -> Option<&PathSummary> {
        self.paths.get(self.members.binary_search(&number).ok()?)
    }

    pub fn iter(&self) -> impl Iterator<Item = (u32, &PathSummary)> {
        self.members.iter().copied().zip(&self.paths)
    }
}

impl Marks {
    /// One word or two for each that is set, the gravest first.
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
type Answered = Result<(Vec<Result<Option<Successor>, ErrorKind>>, Option<Text>), UpgradeError>;

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
        Lens::V1 => of_v1(installed_set, &members, options, Requirements::Refused),
    };
    walked(installed_set, versions, members, lens, answered)
}

/// [`path_summaries`] under v1 along the edges alone: bundles with requirements are not refused.
pub(crate) fn path_summaries_by_edges(
    installed_set: &InstalledSet<'_>,
    versions: &InstalledVersions,
    members: Vec<u32>,
    options: &Options,
) -> PathSummaries {
    let answered = of_v1(installed_set, &members, options, Requirements::LeftOut);
    walked(installed_set, versions, members, Lens::V1, answered)
}

fn of_v1(
    installed_set: &InstalledSet<'_>,
    members: &[u32],
    options: &Options,
    requirements: Requirements,
) -> Answered {
    let (steps, newest) = v1::everyone(installed_set, members, options, requirements)?;
    Ok((steps, newest.map(|bundle| bundle.name.clone())))
}

fn walked(
    installed_set: &InstalledSet<'_>,
    versions: &InstalledVersions,
    members: Vec<u32>,
    lens: Lens,
    answered: Answered,
) -> PathSummaries {
    let (successors, end, refused) = match answered {
        Ok((successors, end)) => (successors, end, None),
        Err(error) => (vec![Err(error.kind); members.len()], None, Some(error)),
    };
    let step = |to: Successor| {
        let number = versions.number(&Installed {
            name: to.name,
            version: to.version,
        })?;
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
            let found = found.unwrap_or(Reached::at(member));
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

/// What walking on from one version finds.
#[derive(Debug, Clone, Copy)]
struct Reached {
    last: u32,
    steps: u32,
    needed: u32,
    /// A step on the way is a prerelease.
    prerelease: bool,
    looped: bool,
}

impl Reached {
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

/// Follows each path once.
struct Walk<'w, 'a> {
    installed_set: &'w InstalledSet<'a>,
    /// By member.
    found: Vec<Option<Reached>>,
}

impl<'w, 'a> Walk<'w, 'a> {
    fn new(
        installed_set: &'w InstalledSet<'a>,
        members: &[u32],
        steps: &[(Option<PathStep>, Option<ErrorKind>)],
    ) -> Self {
        // FunctionalGraph leave the members only where a catalog is at odds with itself; they end there.
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
        // What a version leads to comes before it, but for the one that closes a circle: that is met first of its circle.
        let mut search = DfsPostOrder::empty(&functional_graph);
        for start in 0..members.len() {
            search.move_to(start);
            while let Some(here) = search.next(&functional_graph) {
                if walk.found[here].is_some() {
                    continue;
                }
                walk.found[here] = match next[here].map(|there| (there, walk.found[there])) {
                    None => Some(Reached::at(members[here])),
                    Some((there, Some(found))) => Some(walk.before(
                        members[there],
                        next[there].map(|then| members[then]),
                        found,
                    )),
                    Some((there, None)) => {
                        walk.close(here, there, members, &next);
                        continue;
                    }
                };
            }
        }
        walk
    }

    /// All of the circle that `here` closes by leading to `there`.
    fn close(&mut self, here: usize, there: usize, members: &[u32], next: &[Option<usize>]) {
        let onward = std::iter::successors(Some(there), |&at| next[at].filter(|_| at != here));
        let circle: Vec<usize> = onward.collect();
        let prerelease = circle.iter().any(|&i| self.is_prerelease(members[i]));
        let steps = circle.len() as u32;
        for i in circle {
            self.found[i] = Some(Reached {
                last: members[i],
                steps,
                needed: steps,
                prerelease,
                looped: true,
            });
        }
    }

    /// What is found one step before `to`, from which it goes on to `then`.
    fn before(&self, to: u32, then: Option<u32>, found: Reached) -> Reached {
        let minor = |i: u32| self.version(i).map(|v| (v.major(), v.minor()));
        let enters = match then {
            None => 1,
            Some(then) => u32::from(minor(to).is_none() || minor(to) != minor(then)),
        };
        Reached {
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
