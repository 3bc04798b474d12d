//! Everyone's next step: each version ever published of a package, where it goes next, where it ends and in how many
//! steps, under OLM v1 and under Classic for each channel.
//!
//! Every version is asked once. The steps of a lens form a graph in which each version has at most one way out, so ends,
//! counts and circles are found by walking every way once and remembering what was found.
//!
//! What is published: the bundles of the catalog, and the names that entries mention without a bundle, since somebody
//! may still run them; their version is read from the name.

use super::answer::{EdgeKind, ErrorKind, Installed, Lens, Options, Step, UpgradeError};
use super::crowd::Crowd;
use super::index::UpgradeIndex;
use super::subscription::subscribed;
use super::v1::Requirements;
use super::{v0, v1};
use crate::graph::ways::Ways;
use crate::hashed::{HashMap, HashSet};
use crate::place::Text;
use crate::version::Version;
use crate::version::version_in_name;
use petgraph::visit::DfsPostOrder;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Distinct installed versions; what courses count in.
#[derive(Debug, Clone, Default)]
pub struct Population {
    people: Vec<Installed>,
    known: HashMap<Installed, u32>,
    by_name: HashMap<Text, Vec<u32>>,
}

/// One version's way under one lens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Course {
    /// `None`: stays, or is refused.
    pub next: Option<Hop>,
    pub error: Option<ErrorKind>,
    /// Where it ends, by number in the population; itself when it stays. In a circle: where the way meets itself.
    pub last: u32,
    /// How often it is updated on the way.
    pub steps: u32,
    /// How many steps would do if each minor version on the way were entered once.
    pub needed: u32,
    pub marks: Marks,
}

/// A step to another of the population.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hop {
    pub to: u32,
    /// The channel whose entry leads there; "" when no channel lists the bundle (v1).
    pub channel: Text,
    pub edge: EdgeKind,
}

/// What is noteworthy about a course.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks {
    /// Nothing follows though it is not the end: under Classic the channel's head, under v1 what a fresh install gives.
    pub stuck: bool,
    /// Its next step or its end is a lower version.
    pub goes_back: bool,
    /// More steps than [`Course::needed`]: somewhere it goes from patch to patch of one minor version, though the last
    /// patch could take all of them.
    pub long_way: bool,
    /// It is stable, and a step on the way is a prerelease.
    pub prerelease: bool,
    /// The steps run in a circle.
    pub looped: bool,
}

/// The courses of some of a population.
#[derive(Debug, Clone, Default)]
pub struct Courses {
    /// By number in the population, ascending.
    pub members: Vec<u32>,
    /// One for each of `members`.
    pub courses: Vec<Course>,
    /// Why nobody is answered: the range does not parse, the channel has no order.
    pub refused: Option<UpgradeError>,
    /// Name of the channel's head (Classic), or of what a fresh install gives (v1).
    pub end: Option<Text>,
}

/// Everyone of a package under both lenses.
#[derive(Debug, Clone, Default)]
pub struct Everyone {
    pub population: Population,
    pub v1: Courses,
    /// Each channel with those whom it lists or mentions; default channel first, then by name.
    pub v0: Vec<(Text, Courses)>,
}

/// Everyone of `index`: Classic in each channel for itself; v1 with the channels, the range and the policy of `options`.
pub fn of(index: &UpgradeIndex, options: &Options) -> Everyone {
    let population = Population::of([index]);
    let crowd = Crowd::new(index, &population.people);
    let v1 = courses(&crowd, &population, population.all(), Lens::V1, options);
    let classic = |channels: Vec<&super::index::Channel>| {
        let name = channels.first()?.name.clone();
        let members = population.members([index], &name);
        let options = Options { channels: vec![name.to_string()], ..Options::default() };
        Some((name, courses(&crowd, &population, members, Lens::V0, &options)))
    };
    let v0 = subscribed(index, "").into_iter().filter_map(classic).collect();
    drop(crowd);
    Everyone { population, v1, v0 }
}

impl Population {
    /// The bundles of all, then the names that they only mention.
    pub fn of<'a>(indexes: impl IntoIterator<Item = &'a UpgradeIndex> + Clone) -> Self {
        let mut population = Self::default();
        for index in indexes.clone() {
            for bundle in &index.bundles {
                population.add(Installed { name: bundle.name.clone(), version: bundle.version_text.clone() });
            }
        }
        for name in indexes.into_iter().flat_map(|index| &index.name_of) {
            if !name.is_empty() && !population.by_name.contains_key(name) {
                let version = version_in_name(name).map_or("", |(text, _)| text);
                population.add(Installed { name: name.clone(), version: version.into() });
            }
        }
        population
    }

    fn add(&mut self, installed: Installed) {
        let number = self.people.len() as u32;
        if self.known.contains_key(&installed) {
            return;
        }
        self.by_name.entry(installed.name.clone()).or_default().push(number);
        self.known.insert(installed.clone(), number);
        self.people.push(installed);
    }

    pub fn len(&self) -> usize {
        self.people.len()
    }

    pub fn is_empty(&self) -> bool {
        self.people.is_empty()
    }

    pub fn get(&self, number: u32) -> Option<&Installed> {
        self.people.get(number as usize)
    }

    pub fn iter(&self) -> impl Iterator<Item = (u32, &Installed)> {
        (0..).zip(&self.people)
    }

    pub fn number(&self, installed: &Installed) -> Option<u32> {
        self.known.get(installed).copied()
    }

    /// All versions that go by a name.
    pub fn named(&self, name: &str) -> &[u32] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// Everybody.
    pub fn all(&self) -> Vec<u32> {
        (0..self.people.len() as u32).collect()
    }

    /// Those that a package has bundles of, in catalog order.
    pub fn bundles(&self, index: &UpgradeIndex) -> Vec<u32> {
        let mut seen = HashSet::default();
        let number = |bundle: &super::index::Bundle| {
            self.number(&Installed { name: bundle.name.clone(), version: bundle.version_text.clone() })
        };
        index.bundles.iter().filter_map(number).filter(|&number| seen.insert(number)).collect()
    }

    /// Those whom `channel` lists with a bundle; ascending.
    pub fn listed(&self, index: &UpgradeIndex, channel: &str) -> Vec<u32> {
        let entries = index.channels.iter().filter(|c| &*c.name == channel).flat_map(|c| &c.entries);
        let number = |entry: &super::index::Entry| {
            let bundle = index.bundles.get(entry.bundle?)?;
            self.number(&Installed { name: bundle.name.clone(), version: bundle.version_text.clone() })
        };
        entries.filter_map(number).collect::<BTreeSet<u32>>().into_iter().collect()
    }

    /// Those whom `channel` lists or mentions, in any of `indexes`; ascending.
    pub fn members<'a>(&self, indexes: impl IntoIterator<Item = &'a UpgradeIndex>, channel: &str) -> Vec<u32> {
        let mut members = BTreeSet::new();
        for index in indexes {
            let mut add = |name: &str| members.extend(self.named(name).iter().copied());
            for entry in index.channels.iter().filter(|c| &*c.name == channel).flat_map(|c| &c.entries) {
                add(&entry.name);
                add(&entry.replaces_text);
                entry.skips.iter().filter_map(|id| index.name_of.get(id.0 as usize)).for_each(|name| add(name));
            }
        }
        members.into_iter().collect()
    }
}

impl Courses {
    /// The course of one of the population.
    pub fn of(&self, number: u32) -> Option<&Course> {
        self.courses.get(self.members.binary_search(&number).ok()?)
    }

    pub fn iter(&self) -> impl Iterator<Item = (u32, &Course)> {
        self.members.iter().copied().zip(&self.courses)
    }
}

impl Marks {
    /// One word or two for each that is set, the gravest first.
    pub fn words(self) -> Vec<&'static str> {
        let all = [
            (self.looped, "loop"),
            (self.stuck, "stuck"),
            (self.goes_back, "goes back"),
            (self.prerelease, "prerelease"),
            (self.long_way, "long way"),
        ];
        all.into_iter().filter_map(|(set, word)| set.then_some(word)).collect()
    }
}

/// What is answered to everyone, and the name of the end.
type Answered = Result<(Vec<Result<Option<Step>, ErrorKind>>, Option<Text>), UpgradeError>;

/// Courses of `members` (ascending numbers of the crowd's population).
pub(crate) fn courses(
    crowd: &Crowd<'_>,
    population: &Population,
    members: Vec<u32>,
    lens: Lens,
    options: &Options,
) -> Courses {
    let answered = match lens {
        Lens::V0 => v0::everyone(crowd, &members, options)
            .map(|(steps, head)| (steps.into_iter().map(Ok).collect(), head.cloned())),
        Lens::V1 => of_v1(crowd, &members, options, Requirements::Refused),
    };
    walked(crowd, population, members, lens, answered)
}

/// [`courses`] under v1 along the edges alone: whoever has requirements is not refused.
pub(crate) fn courses_by_edges(
    crowd: &Crowd<'_>,
    population: &Population,
    members: Vec<u32>,
    options: &Options,
) -> Courses {
    let answered = of_v1(crowd, &members, options, Requirements::LeftOut);
    walked(crowd, population, members, Lens::V1, answered)
}

fn of_v1(crowd: &Crowd<'_>, members: &[u32], options: &Options, requirements: Requirements) -> Answered {
    let steps = v1::everyone(crowd, members, options, requirements)?;
    Ok((steps, v1::newest(crowd.index, options).map(|b| b.name.clone())))
}

fn walked(crowd: &Crowd<'_>, population: &Population, members: Vec<u32>, lens: Lens, answered: Answered) -> Courses {
    let (steps, end, refused) = match answered {
        Ok((steps, end)) => (steps, end, None),
        Err(error) => (vec![Err(error.kind); members.len()], None, Some(error)),
    };
    let hop = |step: Step| {
        let to = population.number(&Installed { name: step.name, version: step.version })?;
        Some(Hop { to, channel: step.channel, edge: step.edge })
    };
    let hops: Vec<(Option<Hop>, Option<ErrorKind>)> = steps
        .into_iter()
        .map(|step| match step {
            Ok(step) => (step.and_then(hop), None),
            Err(kind) => (None, Some(kind)),
        })
        .collect();
    let walk = Walk::new(crowd, &members, &hops);
    let end_version = end.as_ref().and_then(|name| crowd.index.bundles.iter().find(|b| b.name == *name));
    let end_version = end_version.and_then(|b| b.version.as_ref().ok());
    let courses = hops.into_iter().zip(&walk.found).zip(&members).map(|(((next, error), found), &member)| {
        let found = found.unwrap_or(Found::at(member));
        let version = walk.version(member);
        let own_name = population.get(member).map(|i| &i.name);
        let at_end = match lens {
            Lens::V0 => own_name == end.as_ref(),
            Lens::V1 => {
                let same = version.zip(end_version).is_some_and(|(a, b)| a.cmp_precedence(b).is_eq());
                error.is_none() && (own_name == end.as_ref() || same)
            }
        };
        let lower = |to: u32| walk.version(to).zip(version).is_some_and(|(to, at)| to.cmp_precedence(at).is_lt());
        let marks = Marks {
            stuck: next.is_none() && !at_end,
            goes_back: !found.looped && (next.as_ref().is_some_and(|hop| lower(hop.to)) || lower(found.last)),
            long_way: !found.looped && found.steps > found.needed,
            prerelease: version.is_some_and(|v| v.prerelease().is_empty()) && found.prerelease,
            looped: found.looped,
        };
        Course { next, error, last: found.last, steps: found.steps, needed: found.needed, marks }
    });
    let courses = courses.collect();
    Courses { members, courses, refused, end }
}

/// What walking on from one version finds.
#[derive(Debug, Clone, Copy)]
struct Found {
    last: u32,
    steps: u32,
    needed: u32,
    /// A step on the way is a prerelease.
    prerelease: bool,
    looped: bool,
}

impl Found {
    fn at(member: u32) -> Self {
        Self { last: member, steps: 0, needed: 0, prerelease: false, looped: false }
    }
}

/// Follows every way once.
struct Walk<'w, 'a> {
    crowd: &'w Crowd<'a>,
    /// By member.
    found: Vec<Option<Found>>,
}

impl<'w, 'a> Walk<'w, 'a> {
    fn new(crowd: &'w Crowd<'a>, members: &[u32], hops: &[(Option<Hop>, Option<ErrorKind>)]) -> Self {
        // Ways leave the members only where a catalog is at odds with itself; they end there.
        let next: Vec<Option<usize>> =
            hops.iter().map(|(hop, _)| hop.as_ref().and_then(|hop| members.binary_search(&hop.to).ok())).collect();
        let mut walk = Self { crowd, found: vec![None; members.len()] };
        let ways = Ways::new(members.len(), |here| next.get(here).copied().flatten());
        // What a version leads to comes before it, but for the one that closes a circle: that is met first of its circle.
        let mut search = DfsPostOrder::empty(&ways);
        for start in 0..members.len() {
            search.move_to(start);
            while let Some(here) = search.next(&ways) {
                if walk.found[here].is_some() {
                    continue;
                }
                walk.found[here] = match next[here].map(|there| (there, walk.found[there])) {
                    None => Some(Found::at(members[here])),
                    Some((there, Some(found))) => {
                        Some(walk.before(members[there], next[there].map(|then| members[then]), found))
                    }
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
            self.found[i] = Some(Found { last: members[i], steps, needed: steps, prerelease, looped: true });
        }
    }

    /// What is found one step before `to`, from which it goes on to `then`.
    fn before(&self, to: u32, then: Option<u32>, found: Found) -> Found {
        let minor = |i: u32| self.version(i).map(|v| (v.major(), v.minor()));
        let enters = match then {
            None => 1,
            Some(then) => u32::from(minor(to).is_none() || minor(to) != minor(then)),
        };
        Found {
            last: found.last,
            steps: found.steps.saturating_add(1),
            needed: found.needed.saturating_add(enters),
            prerelease: found.prerelease || self.is_prerelease(to),
            looped: found.looped,
        }
    }

    fn version(&self, member: u32) -> Option<&Version> {
        self.crowd.origins.get(member as usize)?.version.as_ref().ok()
    }

    fn is_prerelease(&self, member: u32) -> bool {
        self.version(member).is_some_and(|v| !v.prerelease().is_empty())
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
