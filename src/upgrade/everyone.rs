//! Computes the upgrade path of every version of a package, under OLM v1 and under Classic for each
//! channel: the next step, the end and the number of steps. Also the result of a fresh install.
//!
//! Each version is resolved once. The steps of a lens form a graph with at most one outgoing edge per
//! version, so one memoized walk yields all ends, lengths and cycles.
//!
//! Unlisted versions are those that no bundle has and no entry mentions. They have no edges by name,
//! so only skip ranges matter. Their next step assumes that no entry mentions the installed bundle's
//! name and that, if a bundle has its version, the release differs: under v1 it has no bundle to stay
//! on.

use super::answer::{
    EdgeKind, ErrorKind, Installed, Lens, Options, Successor, UnlistedSteps, UpgradeError,
};
use super::candidates::flaw;
use super::index::UpgradeIndex;
use super::installed_set::{InstalledSet, InstalledVersions};
use super::package_view::PackageView;
use super::subscription::{Subscription, subscribed_channels};
use super::v0;
use super::v1::{self, Requirements};
use catalog::graph::FunctionalGraph;
use catalog::version::Version;
use petgraph::visit::DfsPostOrder;
use protocol::upgrades::PathMark;
use std::cmp::Ordering;
use std::rc::Rc;
use syntax::place::Text;

/// The upgrade path of one version under one lens, in brief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathSummary {
    /// `None`: the version is kept or the step is refused.
    pub next: Option<PathStep>,
    pub error: Option<ErrorKind>,
    /// Number of the version where the path ends; the version itself if it is kept. In a cycle: the
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
    /// No step follows, although this is neither the channel's head (Classic) nor the result of a
    /// fresh install (v1).
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

/// The path summaries of some versions.
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
    let v0 = subscribed_channels(index, "")
        .into_iter()
        .filter_map(|channels: Vec<&super::index::Channel>| {
            let name = channels.first()?.name.clone();
            let members = versions.members([index], &name);
            let options = Options::for_channel(&name);
            Some((
                name,
                path_summaries(&installed_set, &versions, members, Lens::V0, &options),
            ))
        })
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
type ChannelAnswers =
    Result<(Vec<Result<Option<Successor>, ErrorKind>>, Option<Text>), UpgradeError>;

/// Returns the path summaries of `members` (ascending numbers of `versions`).
pub fn path_summaries(
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
pub fn path_summaries_by_edges(
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
    let paths =
        steps
            .into_iter()
            .zip(&walk.rests)
            .zip(&members)
            .map(|(((next, error), rest), &member)| {
                let rest = rest.unwrap_or(PathRest::at(member));
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
                    goes_back: !rest.looped
                        && (next.as_ref().is_some_and(|step| lower(step.to)) || lower(rest.last)),
                    long_way: !rest.looped && rest.steps > rest.needed,
                    prerelease: version.is_some_and(|v| v.prerelease().is_empty())
                        && rest.prerelease,
                    looped: rest.looped,
                };
                PathSummary {
                    next,
                    error,
                    last: rest.last,
                    steps: rest.steps,
                    needed: rest.needed,
                    marks,
                }
            });
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
    /// Whether a later step is a prerelease.
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
    rests: Vec<Option<PathRest>>,
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
            rests: vec![None; members.len()],
        };
        let functional_graph =
            FunctionalGraph::new(members.len(), |here| next.get(here).copied().flatten());
        // Postorder visits a version after its successor. Only in a cycle is one version visited
        // first; it closes the cycle.
        let mut search = DfsPostOrder::empty(&functional_graph);
        for start in 0..members.len() {
            search.move_to(start);
            while let Some(here) = search.next(&functional_graph) {
                if walk.rests[here].is_some() {
                    continue;
                }
                walk.rests[here] =
                    match next[here].map(|next_member| (next_member, walk.rests[next_member])) {
                        None => Some(PathRest::at(members[here])),
                        Some((next_member, Some(rest))) => Some(walk.before(
                            members[next_member],
                            next[next_member].map(|then| members[then]),
                            rest,
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
            self.rests[i] = Some(PathRest {
                last: members[i],
                steps,
                needed: steps,
                prerelease,
                looped: true,
            });
        }
    }

    /// Extends `rest` by one step to `to`, which continues to `then`.
    fn before(&self, to: u32, then: Option<u32>, rest: PathRest) -> PathRest {
        let minor = |i: u32| self.version(i).map(|v| (v.major(), v.minor()));
        let enters = match then {
            None => 1,
            Some(then) => u32::from(minor(to).is_none() || minor(to) != minor(then)),
        };
        PathRest {
            last: rest.last,
            steps: rest.steps.saturating_add(1),
            needed: rest.needed.saturating_add(enters),
            prerelease: rest.prerelease || self.is_prerelease(to),
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
                flaw(newest).is_none().then(|| newest.as_installed())
            }
        }
    }

    /// Whether OLM v1 refuses the bundle that it chooses for a fresh install.
    pub fn refuses_fresh_install(&self) -> bool {
        v1::newest(self, &Options::default()).is_some_and(|newest| flaw(newest).is_some())
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
        if let Some(known) = self.unlisted.borrow().get(&key) {
            return known.clone();
        }
        let options = Options {
            channels: channel.iter().map(|name| name.to_string()).collect(),
            ..Options::default()
        };
        let steps = Rc::new(match lens {
            Lens::V0 => classic(self, &options),
            Lens::V1 => v1(self, &options),
        });
        self.unlisted.borrow_mut().insert(key, steps.clone());
        steps
    }

    /// Returns the number of evaluations by [`UpgradeIndex::unlisted_steps`]; for tests.
    #[cfg(any(test, feature = "testing"))]
    pub fn unlisted_questions(&self) -> usize {
        self.unlisted.borrow().len()
    }

    /// Whether an entry of the channel has a valid skip range.
    pub fn has_ranges(&self, channel: &str) -> bool {
        self.channels_named(channel)
            .flat_map(|channel| &channel.entries)
            .any(|entry| entry.range.is_some())
    }
}

fn classic(index: &UpgradeIndex, options: &Options) -> UnlistedSteps {
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

fn v1(index: &UpgradeIndex, options: &Options) -> UnlistedSteps {
    let view = PackageView::new(index, None, options);
    let step = |target: Option<u32>| {
        let position = target.ok_or(ErrorKind::None)?;
        let bundle = view
            .candidates
            .get(position as usize)
            .ok_or(ErrorKind::None)?;
        match flaw(bundle) {
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
