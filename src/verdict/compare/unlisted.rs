//! The effect of a change on versions that no bundle of either state has and no entry mentions:
//! only skip ranges update them.
//!
//! The version axis is cut at the bounds of both states' ranges and at the targets of ranges.
//! Between two cuts, the next step and whether it is higher are constant; after that step every
//! user is on a bundle.

use super::users::{Effect, effect, is_lower};
use super::{ChannelPair, Pair, Sides};
use catalog::version::version_line::{Cut, Interval};
use catalog::version::{Version, version_in_name};
use protocol::counting::first_of;
use std::fmt;
use syntax::hashed::{HashMap, HashSet};
use syntax::order::SortSmall;
use syntax::place::Text;
use upgrade::UnlistedStep;
use upgrade::everyone::PathSummaries;
use upgrade::{ErrorKind, Installed, Lens};

/// The name of these versions in messages.
pub(super) const UNLISTED: &str = "versions that the catalog does not list";
const UNLISTED_VERSION: &str = "a version that the catalog does not list";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnlistedVersions {
    pub interval: Interval,
    /// The interval without bounds that a bundle has, for messages.
    shown: Interval,
    /// Versions within the interval that entries mention, ascending; they are reported by name.
    pub except: Vec<Text>,
    /// The versions in use, if known.
    pub in_use: Vec<Installed>,
    /// Whether it is the single version of a bundle, and represents the other releases and builds
    /// of that version, which have no bundle.
    pub is_of_bundle: bool,
}

/// Users on a set of unlisted versions that the change affects in the same way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnlistedUsers {
    pub versions: UnlistedVersions,
    pub lens: Lens,
    /// The affected channels, as in [`super::User`].
    pub channels: Vec<Text>,
    pub old_next: Option<Installed>,
    pub new_next: Option<Installed>,
    /// The end of the path before and after; `None` if users stay on their version.
    pub old_last: Option<Installed>,
    pub new_last: Option<Installed>,
    pub old_error: Option<ErrorKind>,
    /// Why New gives no answer. Without a matching range v1 reports an error, Classic does not.
    pub error: Option<ErrorKind>,
    /// `None` if only the end differs.
    pub effect: Option<Effect>,
}

impl UnlistedVersions {
    fn new(interval: Interval, except: Vec<Text>) -> Self {
        Self {
            shown: interval.clone(),
            interval,
            except,
            in_use: Vec::new(),
            is_of_bundle: false,
        }
    }

    /// Formats the interval as a skip range with its exceptions.
    pub fn range(&self) -> String {
        let except = first_of(self.except.iter(), 3);
        if self.except.is_empty() {
            self.shown.to_string()
        } else {
            format!("{} without {except}", self.shown)
        }
    }

    fn is_one(&self) -> bool {
        match self.in_use.len() {
            0 => self.interval.only_version().is_some(),
            in_use => in_use == 1,
        }
    }

    pub(super) fn note(&self) -> &'static str {
        match (self.is_of_bundle, self.is_one()) {
            (true, _) => "another release or build than the catalog lists",
            (false, true) => "not listed by the catalog",
            (false, false) => UNLISTED,
        }
    }
}

impl fmt::Display for UnlistedVersions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.in_use.is_empty() {
            return if self.is_of_bundle {
                write!(f, "another release or build of {}", self.range())
            } else {
                f.write_str(&self.range())
            };
        }
        let names = self.in_use.iter().map(|installed| {
            let Installed { name, version, .. } = installed;
            match version_in_name(name) {
                Some((text, _)) if *text == **version => name.to_string(),
                _ => format!("{name}@{version}"),
            }
        });
        f.write_str(&first_of(names, 3))
    }
}

/// Names at most `most` of the versions, and adds that the catalog does not list them.
pub(super) fn describe_unlisted(versions: &[UnlistedVersions], most: usize) -> String {
    let names = first_of(versions.iter(), most);
    let is_unused_bundle = |unlisted_versions: &UnlistedVersions| {
        unlisted_versions.is_of_bundle && unlisted_versions.in_use.is_empty()
    };
    match versions {
        all if all.iter().all(is_unused_bundle) => names,
        [one] if one.is_one() => format!("{names} ({UNLISTED_VERSION})"),
        _ => format!("{names} ({UNLISTED})"),
    }
}

/// Next steps and ends before and after, and the effect.
pub(super) type Outcome = ([Option<Installed>; 4], Option<Effect>);

impl UnlistedUsers {
    /// Returns the users' next steps and ends before and after, and the effect, regardless of lens
    /// and channel.
    pub(super) fn outcome(&self) -> Outcome {
        let steps = [
            &self.old_next,
            &self.new_next,
            &self.old_last,
            &self.new_last,
        ];
        (steps.map(Clone::clone), self.effect)
    }

    fn errors(&self) -> [Option<ErrorKind>; 2] {
        [self.old_error, self.error]
    }

    /// Whether the path ends at a lower version than before.
    pub fn ends_lower(&self) -> bool {
        let own = self.versions.interval.lower.above().map(Version::to_string);
        let reached = |last: &Option<Installed>| match last {
            Some(last) => last.version.to_string(),
            None => own.clone().unwrap_or_default(),
        };
        self.old_last != self.new_last
            && is_lower(&reached(&self.new_last), &reached(&self.old_last))
    }
}

impl Pair<'_> {
    /// Returns the unlisted versions that the change affects: under Classic for each channel of
    /// both states with different answers, then under v1 without channels, then under v1 with each
    /// of these channels if that differs.
    pub fn unlisted_users(&self) -> &[UnlistedUsers] {
        self.unlisted.get_or_init(|| self.all_unlisted_users())
    }

    fn all_unlisted_users(&self) -> Vec<UnlistedUsers> {
        let mut all: Vec<UnlistedUsers> = Vec::new();
        let mut places: HashMap<_, usize> = HashMap::default();
        let mut add = |lens, channel: Option<&ChannelPair>| {
            for mut user in self.range_changes(lens, channel) {
                let Some(versions) = self.unlisted_part(user.versions.interval) else {
                    continue;
                };
                user.versions = versions;
                let interval = user.versions.interval.to_string();
                let key = (interval, lens, user.outcome(), user.errors());
                match places.get(&key).and_then(|&at| all.get_mut(at)) {
                    // The entry without channels already covers this channel.
                    Some(known) if known.channels.is_empty() => {}
                    Some(known) => known.channels.extend(user.channels),
                    None => {
                        places.insert(key, all.len());
                        all.push(user);
                    }
                }
            }
        };
        for channel in self.followed_channels() {
            add(Lens::V0, Some(channel));
        }
        add(Lens::V1, None);
        for channel in self.followed_channels() {
            add(Lens::V1, Some(channel));
        }
        all
    }

    pub(super) fn unlisted_parts(&self, intervals: Vec<Interval>) -> Vec<UnlistedVersions> {
        let parts = intervals.into_iter();
        parts
            .filter_map(|interval| self.unlisted_part(interval))
            .collect()
    }

    fn unlisted_part(&self, interval: Interval) -> Option<UnlistedVersions> {
        let mentioned = self
            .mentioned
            .get_or_init(|| self.find_mentioned_versions());
        let mut versions = without_mentioned(interval, mentioned)?;
        let bundles = self.versions.within(&versions.interval);
        if versions.interval.only_version().is_some() {
            versions.is_of_bundle = !bundles.is_empty();
            return Some(versions);
        }
        for version in bundles.iter().filter_map(|&at| self.versions.version(at)) {
            exclude_bound(&mut versions.shown, version);
        }
        Some(versions)
    }

    /// Returns the versions in names that entries mention and no bundle has, ascending. Skips
    /// versions that a bundle has under another name.
    fn find_mentioned_versions(&self) -> Vec<Version> {
        let bundles = [&self.old_index, &self.new_index].map(|index| self.versions.bundles(index));
        let of_bundles: Vec<u32> = bundles.concat();
        let version = |number: &u32| self.versions.version(*number);
        let mut listed: Vec<&Version> = of_bundles.iter().filter_map(version).collect();
        listed.sort_small_by(|a, b| a.cmp_precedence(b));
        let names: HashSet<u32> = of_bundles.iter().copied().collect();
        let others = self.versions.all();
        let others = others.iter().filter(|number| !names.contains(number));
        let mut mentioned: Vec<Version> = others
            .filter_map(version)
            .filter(|version| {
                listed
                    .binary_search_by(|other| other.cmp_precedence(version))
                    .is_err()
            })
            .map(Version::without_build)
            .collect();
        mentioned.sort_small_by(Version::cmp_precedence);
        mentioned.dedup_by(|a, b| a.cmp_precedence(b).is_eq());
        mentioned
    }

    /// Returns the users in those intervals in which a range of the channel has another target, or
    /// a target whose path ends elsewhere. `None` means all channels, under v1. The intervals are
    /// ascending and include mentioned versions; equal neighbours are merged.
    pub(super) fn range_changes(
        &self,
        lens: Lens,
        channel: Option<&ChannelPair>,
    ) -> Vec<UnlistedUsers> {
        let is_ranged = |channel: &ChannelPair| {
            [&self.old_index, &self.new_index]
                .iter()
                .any(|index| index.has_ranges(&channel.name))
        };
        let name = channel.map(|channel| &channel.name);
        let sides = match (channel, lens) {
            (Some(channel), _) if !is_ranged(channel) => return Vec::new(),
            (Some(channel), Lens::V0) => &channel.v0,
            (Some(channel), Lens::V1) => &channel.v1,
            // Without a changed channel nothing can differ.
            (None, _) if self.channels.iter().all(|channel| !channel.is_changed) => {
                return Vec::new();
            }
            (None, _) => &self.v1,
        };
        let old = self.old_index.unlisted_steps(lens, name);
        let new = self.new_index.unlisted_steps(lens, name);
        let mut cuts: Vec<Cut> = Vec::new();
        for (from, step) in old.stretches.iter().chain(&new.stretches) {
            cuts.push(from.clone());
            if let Ok(Some(next)) = step
                && let Ok(version) = Version::parse(&next.version)
            {
                cuts.extend([Cut::before(&version), Cut::after(&version)]);
            }
        }
        cuts.retain(|cut| !cut.is_end());
        cuts.sort_small_by(Cut::compare);
        cuts.dedup_by(|a, b| a.compare(b).is_eq());
        let mut stretches = [
            old.stretches.iter().peekable(),
            new.stretches.iter().peekable(),
        ];
        let mut steps: [Option<&UnlistedStep>; 2] = [None, None];
        let mut changes: Vec<UnlistedUsers> = Vec::new();
        for (at, lower) in cuts.iter().enumerate() {
            for (stretches, step) in stretches.iter_mut().zip(&mut steps) {
                while let Some((_, next)) =
                    stretches.next_if(|(from, _)| from.compare(lower).is_le())
                {
                    *step = Some(next);
                }
            }
            let [Some(old), Some(new)] = steps else {
                continue;
            };
            let interval = Interval {
                lower: lower.clone(),
                upper: cuts.get(at + 1).cloned().unwrap_or_else(Cut::end),
            };
            let Some(mut change) = self.range_change(interval, lens, [old, new], sides) else {
                continue;
            };
            change.channels.extend(name.cloned());
            match changes.last_mut() {
                Some(last)
                    if last
                        .versions
                        .interval
                        .upper
                        .compare(&change.versions.interval.lower)
                        .is_eq()
                        && (last.outcome(), last.errors())
                            == (change.outcome(), change.errors()) =>
                {
                    last.versions.interval.upper = change.versions.interval.upper;
                }
                _ => changes.push(change),
            }
        }
        changes
    }

    /// Returns the change in an interval, without its channel. `None` if nothing changes, or if only
    /// pre-releases go back that nobody mentions and that had no update.
    fn range_change(
        &self,
        interval: Interval,
        lens: Lens,
        [old, new]: [&UnlistedStep; 2],
        sides: &Sides,
    ) -> Option<UnlistedUsers> {
        let next = |step: &UnlistedStep| step.as_ref().ok().cloned().flatten();
        let (old_next, new_next) = (next(old), next(new));
        let last = |paths: &PathSummaries, next: &Option<Installed>| {
            let next = next.as_ref()?;
            let path = self
                .versions
                .number(next)
                .and_then(|number| paths.get(number));
            let last = path.and_then(|path| self.versions.get(path.last));
            Some(last.unwrap_or(next).clone())
        };
        let (old_last, new_last) = (last(&sides.old, &old_next), last(&sides.new, &new_next));
        if old_next == new_next && old_last == new_last {
            return None;
        }
        let own = interval.lower.above()?.to_string();
        let had_update = old_next
            .as_ref()
            .is_some_and(|next: &Installed| is_lower(&own, &next.version));
        let effect = match effect(&own, old_next.as_ref(), new_next.as_ref(), false) {
            // Users who were moved to a lower version or another release lose no update.
            Some(Effect::Stranded) if !had_update => Some(Effect::Rerouted),
            effect => effect,
        };
        // Advice reports such a range.
        if effect == Some(Effect::Downgrade)
            && !had_update
            && interval.only_prereleases_of().is_some()
            && self.versions.within(&interval).is_empty()
        {
            return None;
        }
        Some(UnlistedUsers {
            versions: UnlistedVersions::new(interval, Vec::new()),
            lens,
            channels: Vec::new(),
            old_next,
            new_next,
            old_last,
            new_last,
            old_error: old.as_ref().err().copied(),
            error: new.as_ref().err().copied(),
            effect,
        })
    }
}

/// Excludes a version that the interval begins or ends with. Returns whether it did.
fn exclude_bound(interval: &mut Interval, version: &Version) -> bool {
    let [before, after] = [Cut::before(version), Cut::after(version)];
    let is_first = before.compare(&interval.lower).is_eq();
    let is_last = after.compare(&interval.upper).is_eq();
    if is_first {
        interval.lower = after;
    } else if is_last {
        interval.upper = before;
    }
    is_first || is_last
}

/// Removes the mentioned versions; `None` if no version remains.
fn without_mentioned(mut interval: Interval, mentioned: &[Version]) -> Option<UnlistedVersions> {
    let first = mentioned.partition_point(|version| {
        let lower = interval.lower.above();
        lower.is_some_and(|lower| version.cmp_precedence(lower).is_lt())
    });
    let inside = mentioned.get(first..).unwrap_or_default().iter();
    let mut inside: Vec<&Version> = inside
        .take_while(|version| interval.contains(version))
        .collect();
    inside.retain(|version| !exclude_bound(&mut interval, version));
    let except = inside.iter().map(|version| version.to_string().into());
    (!interval.is_empty()).then(|| UnlistedVersions::new(interval, except.collect()))
}
