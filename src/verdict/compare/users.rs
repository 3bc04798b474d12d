//! The next step and the end of every version of Old, before and after.
//!
//! Further users are the names that a channel only mentions, versions of other channels, and
//! ClusterExtensions that name one channel.

use super::unlisted::UnlistedUsers;
use super::{ChannelPair, InOrder, Pair, Sides};
use catalog::model::Package;
use catalog::version::Version;
use protocol::destination::Destination;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};
use syntax::hashed::HashSet;
use syntax::order::SortSmall;
use syntax::place::Text;
use upgrade::everyone::{PathSummary, newest_first};
use upgrade::{ErrorKind, Installed, Lens, UpgradeIndex};

pub use protocol::upgrades::Effect;

/// A version of Old under one lens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub from: Installed,
    pub lens: Lens,
    /// Classic: the affected subscribed channels. v1: the affected channels that a ClusterExtension
    /// may name alone; empty if it names none.
    pub channels: Vec<Text>,
    pub old_next: Option<Installed>,
    pub new_next: Option<Installed>,
    /// The end of the path before and after; the version itself if it stays there.
    pub old_last: Installed,
    pub new_last: Installed,
    /// Why Old gave no answer.
    pub old_error: Option<ErrorKind>,
    /// Why New gives no answer.
    pub error: Option<ErrorKind>,
    /// `None` if the next step is unchanged.
    pub effect: Option<Effect>,
}

impl User {
    /// Whether neither the next step nor the end differs.
    pub fn is_same(&self) -> bool {
        self.effect.is_none() && self.old_last == self.new_last
    }

    /// Whether the path ends at a lower version than before.
    pub fn ends_lower(&self) -> bool {
        self.old_last != self.new_last && is_lower(&self.new_last.version, &self.old_last.version)
    }

    /// Orders the worst effect first, then the highest version.
    pub fn gravest_first(&self, other: &Self) -> Ordering {
        let grave = |user: &Self| user.effect.map_or((1, None), |effect| (0, Some(effect)));
        grave(self)
            .cmp(&grave(other))
            .then_with(|| newest_first(&self.from, &other.from))
            .then_with(|| (self.lens == Lens::V1).cmp(&(other.lens == Lens::V1)))
            .then_with(|| self.channels.cmp(&other.channels))
    }
}

impl std::fmt::Display for User {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = |next: &Option<Installed>, error: Option<ErrorKind>| match next {
            Some(next) => next.name.to_string(),
            None => no_update(error).to_string(),
        };
        if self.effect == Some(Effect::Stranded) && self.old_next.is_none() {
            write!(
                f,
                "from {}: no next step: its entry, channel or package is gone",
                self.from.name
            )?;
        } else if self.effect.is_some() {
            write!(
                f,
                "from {}: {} instead of {}",
                self.from.name,
                name(&self.new_next, self.error),
                name(&self.old_next, self.old_error)
            )?;
        } else {
            write!(
                f,
                "from {}: ends at {} instead of {}",
                self.from.name, self.new_last.name, self.old_last.name
            )?;
        }
        match self.lens {
            Lens::V0 if self.channels.is_empty() => write!(f, " (Classic)"),
            Lens::V0 => write!(f, " (Classic, {})", self.channels.join(", ")),
            Lens::V1 if self.channels.is_empty() => write!(f, " (OLM v1)"),
            Lens::V1 => write!(f, " (OLM v1 naming {})", self.channels.join(" or ")),
        }
    }
}

impl Pair<'_> {
    /// Returns every version of Old: under Classic for each channel that lists it, merging channels
    /// with equal answers; then under v1.
    pub fn users(&self) -> &[User] {
        self.users.get_or_init(|| self.all_users())
    }

    fn all_users(&self) -> Vec<User> {
        let mut merged = ByAnswer::new();
        let blobs = self.new.map(Package::channels_by_name).unwrap_or_default();
        for channel in &self.channels {
            // Empty if the channel or package is gone.
            let listed = blobs
                .get(&*channel.name)
                .into_iter()
                .flatten()
                .flat_map(|blob| &blob.entries);
            let listed: HashSet<&Text> = listed.map(|entry| &entry.name.value).collect();
            for &number in &channel.users {
                let Some((old, new)) = sides(&channel.v0, number) else {
                    continue;
                };
                let is_gone = self
                    .versions
                    .get(number)
                    .is_none_or(|who| !listed.contains(&who.name));
                let name = vec![channel.name.clone()];
                let user = self.user(number, Lens::V0, name, (old, new), is_gone);
                user.into_iter().for_each(|user| merged.add(user));
            }
        }
        let mut users = merged.into_users();
        let bundles: HashSet<&Text> = self
            .new
            .into_iter()
            .flat_map(|p| &p.bundles)
            .map(|b| &b.name.value)
            .collect();
        for number in self.versions.bundles(&self.old_index) {
            let Some((old, new)) = sides(&self.v1, number) else {
                continue;
            };
            let is_gone = self
                .versions
                .get(number)
                .is_none_or(|who| !bundles.contains(&who.name));
            users.extend(self.user(number, Lens::V1, Vec::new(), (old, new), is_gone));
        }
        users
    }

    pub(super) fn user(
        &self,
        number: u32,
        lens: Lens,
        channels: Vec<Text>,
        (old, new): (&PathSummary, &PathSummary),
        is_gone: bool,
    ) -> Option<User> {
        let who = |number: u32| self.versions.get(number).cloned();
        let next = |path: &PathSummary| path.next.as_ref().and_then(|step| who(step.to));
        let from = who(number)?;
        let (old_next, new_next) = (next(old), next(new));
        let effect = effect(&from.version, old_next.as_ref(), new_next.as_ref(), is_gone);
        Some(User {
            from,
            lens,
            channels,
            old_next,
            new_next,
            old_last: who(old.last)?,
            new_last: who(new.last)?,
            old_error: old.error,
            error: new.error,
            effect,
        })
    }
}

/// Determines the effect of a different next step on a version's user. `is_gone` is whether the
/// installed or subscribed object is gone.
pub(super) fn effect(
    version: &str,
    old_next: Option<&Installed>,
    new_next: Option<&Installed>,
    is_gone: bool,
) -> Option<Effect> {
    match (old_next, new_next) {
        // Also at the end of the path, because nothing can follow. OLM reports an error if the
        // channel is missing.
        (None, None) if is_gone => Some(Effect::Stranded),
        (None, None) => None,
        (Some(old), Some(new)) if old == new => None,
        (_, Some(new)) if is_lower(&new.version, version) => Some(Effect::Downgrade),
        (Some(_), Some(_)) => Some(Effect::Rerouted),
        (Some(_), None) => Some(Effect::Stranded),
        (None, Some(_)) => Some(Effect::Gained),
    }
}

/// Describes the versions with the same next step but another end, one sentence per pair of ends;
/// most versions first.
pub fn ends<'u>(users: impl IntoIterator<Item = &'u User>) -> Vec<String> {
    // A version may appear for several channels.
    let mut by_end: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for user in users
        .into_iter()
        .filter(|user| user.effect.is_none() && !user.is_same())
    {
        by_end
            .entry((
                &*user.old_last.name,
                &*user.new_last.name,
                user.lens == Lens::V1,
            ))
            .or_default()
            .insert((&*user.from.name, &*user.from.version));
    }
    let counted = by_end.into_iter();
    let mut counted: Vec<_> = counted
        .map(|(end, versions)| (end, versions.len()))
        .collect();
    counted.sort_small_by_key(|(_, n)| Reverse(*n));
    counted
        .into_iter()
        .map(|((old, new, v1), n): ((&str, &str, bool), usize)| {
            let versions = if n == 1 {
                "1 version ends".to_owned()
            } else {
                format!("{n} versions end")
            };
            format!(
                "{versions} at {new} instead of {old} ({})",
                if v1 { "OLM v1" } else { "Classic" }
            )
        })
        .collect()
}

/// Returns the destination of a user without a next step.
pub fn no_update(error: Option<ErrorKind>) -> Destination<'static> {
    if error.is_some_and(ErrorKind::is_refusal) {
        Destination::RefusedByV1
    } else {
        Destination::NoUpdate
    }
}

pub(super) fn sides(sides: &Sides, number: u32) -> Option<(&PathSummary, &PathSummary)> {
    Some((sides.old.get(number)?, sides.new.get(number)?))
}

pub(super) fn is_lower(a: &str, b: &str) -> bool {
    match (Version::parse(a), Version::parse(b)) {
        (Ok(a), Ok(b)) => a.cmp_precedence(&b) == Ordering::Less,
        _ => false,
    }
}

/// The fields of a user other than its channels.
type Key = (Installed, Lens, Change);
/// Next steps and ends before and after, and the error after.
type Change = (
    [Option<Installed>; 2],
    [Installed; 2],
    Option<ErrorKind>,
    Option<Effect>,
);

/// Merges users whose channels give the same answers.
struct ByAnswer(InOrder<Key, User>);

impl ByAnswer {
    fn new() -> Self {
        Self(InOrder::new())
    }

    fn add(&mut self, mut user: User) {
        let key = (user.from.clone(), user.lens, change(&user));
        let channels = std::mem::take(&mut user.channels);
        let known = self.0.get_or_insert_with(key, || user);
        known.channels.extend(channels);
    }

    fn add_changed(&mut self, user: Option<User>) {
        if let Some(user) = user.filter(|user| !user.is_same()) {
            self.add(user);
        }
    }

    fn into_users(self) -> Vec<User> {
        self.0.into_values().collect()
    }
}

fn change(user: &User) -> Change {
    (
        [user.old_next.clone(), user.new_next.clone()],
        [user.old_last.clone(), user.new_last.clone()],
        user.error,
        user.effect,
    )
}

impl Pair<'_> {
    /// Returns the affected further users. Classic: names that a channel of both states mentions,
    /// and versions of other channels. v1: mentioned names, and for each channel of both states the
    /// ClusterExtensions that name only it, unless the effect without channels is equal.
    pub fn further_users(&self) -> &[User] {
        self.further.get_or_init(|| self.all_further_users())
    }

    fn all_further_users(&self) -> Vec<User> {
        let of_old: HashSet<u32> = self.versions.bundles(&self.old_index).into_iter().collect();
        let of_new: HashSet<u32> = self.versions.bundles(&self.new_index).into_iter().collect();
        // Nobody runs a version that only New publishes.
        let is_run = |number: &u32| of_old.contains(number) || !of_new.contains(number);
        let mut classic = ByAnswer::new();
        let mut without_channels = ByAnswer::new();
        let mut with_channel = ByAnswer::new();
        for number in self.v1.old.members.iter().filter(|&number| is_run(number)) {
            if !of_old.contains(number) {
                let sides = sides(&self.v1, *number);
                let user =
                    sides.and_then(|sides| self.user(*number, Lens::V1, Vec::new(), sides, false));
                without_channels.add_changed(user);
            }
        }
        for channel in self.followed_channels() {
            let name = || vec![channel.name.clone()];
            let listed: HashSet<u32> = channel.users.iter().copied().collect();
            let members = &channel.v0.old.members;
            let mentioned = |number: &&u32| is_run(number) && !listed.contains(*number);
            for &number in members.iter().filter(mentioned) {
                let sides = sides(&channel.v0, number);
                let user =
                    sides.and_then(|sides| self.user(number, Lens::V0, name(), sides, false));
                classic.add_changed(user);
            }
            for &number in channel
                .v1
                .old
                .members
                .iter()
                .filter(|&number| is_run(number))
            {
                let Some(sides) = sides(&channel.v1, number) else {
                    continue;
                };
                let user = self.user(number, Lens::V1, name(), sides, begins_to_fail(sides));
                with_channel.add_changed(user);
            }
            for (lens, known, users) in [
                (Lens::V0, members, &mut classic),
                (Lens::V1, &channel.v1.old.members, &mut with_channel),
            ] {
                for change in self.range_changes(lens, Some(channel)) {
                    let inside = self.versions.within(&change.versions.interval).into_iter();
                    let others = inside
                        .filter(|number| is_run(number) && known.binary_search(number).is_err());
                    for number in others {
                        let from = self.versions.get(number).cloned();
                        let user = from.map(|from| user_of_range(from, &change));
                        users.add_changed(user);
                    }
                }
            }
        }
        let of_v1 = self.users().iter().filter(|user| user.lens == Lens::V1);
        let without_channels = without_channels.into_users();
        let known_changes: HashSet<(Installed, Change)> = of_v1
            .chain(&without_channels)
            .map(|user| (user.from.clone(), change(user)))
            .collect();
        let mut users = classic.into_users();
        users.extend(without_channels);
        let with_channel = with_channel.into_users().into_iter();
        users.extend(
            with_channel.filter(|user| !known_changes.contains(&(user.from.clone(), change(user)))),
        );
        users
    }

    /// Returns the channels of both states whose answers may differ.
    pub(super) fn followed_channels(&self) -> impl Iterator<Item = &ChannelPair> {
        self.channels.iter().filter(|channel| channel.is_followed)
    }
}

/// Whether OLM v1 answered without an error before and now finds no candidate.
fn begins_to_fail((old, new): (&PathSummary, &PathSummary)) -> bool {
    old.error.is_none() && new.error == Some(ErrorKind::None)
}

fn user_of_range(from: Installed, change: &UnlistedUsers) -> User {
    let stays = |last: &Option<Installed>| last.clone().unwrap_or_else(|| from.clone());
    let (old_next, new_next) = (change.old_next.clone(), change.new_next.clone());
    User {
        lens: change.lens,
        channels: change.channels.clone(),
        old_last: stays(&change.old_last),
        new_last: stays(&change.new_last),
        effect: effect(&from.version, old_next.as_ref(), new_next.as_ref(), false),
        old_next,
        new_next,
        old_error: change.old_error,
        error: change.error,
        from,
    }
}

impl super::Comparison {
    /// Returns [`super::Comparison::users`] and the further users.
    pub fn all_users(&self) -> impl Iterator<Item = &User> {
        self.users.iter().chain(&self.further)
    }
}

/// A fresh install under one lens. `None`: nothing can be installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreshInstall {
    pub lens: Lens,
    /// Classic: New's default channel, or Old's if New has none; "" if neither has one. Under v1
    /// "".
    pub channel: Text,
    pub old: Option<Installed>,
    pub new: Option<Installed>,
    /// Whether OLM v1 refuses the chosen bundle, in Old and in New.
    pub refused: [bool; 2],
}

impl FreshInstall {
    pub fn is_same(&self) -> bool {
        self.old == self.new && self.refused[0] == self.refused[1]
    }

    /// Whether a lower version is installed, or nothing is installable any longer.
    pub fn is_worse(&self) -> bool {
        match (&self.old, &self.new) {
            (Some(old), Some(new)) => is_lower(&new.version, &old.version),
            (Some(_), None) => true,
            (None, _) => false,
        }
    }
}

impl Pair<'_> {
    /// Computes the fresh installs: under Classic with each state's own default channel, then under
    /// v1.
    pub fn fresh_installs(&self) -> Vec<FreshInstall> {
        let default =
            |package: Option<&Package>| Text::from(package.map_or("", Package::default_channel));
        let (was, is) = (default(self.old), default(self.new));
        let of = |lens, index: &UpgradeIndex, channel: &str| index.fresh_install(lens, channel);
        let lens = |lens, old: &str, new: &str, channel: Text| FreshInstall {
            lens,
            channel,
            old: of(lens, &self.old_index, old),
            new: of(lens, &self.new_index, new),
            refused: [&self.old_index, &self.new_index]
                .map(|index| lens == Lens::V1 && index.refuses_fresh_install()),
        };
        let channel = if is.is_empty() {
            was.clone()
        } else {
            is.clone()
        };
        vec![
            lens(Lens::V0, &was, &is, channel),
            lens(Lens::V1, "", "", Text::default()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Pair;
    use catalog::testing::package;

    #[test]
    fn another_default_channel_changes_what_is_installed() {
        let (old, new) = (
            package("c: b@2.0.0 r:a; a@1.0.0\nd: a@1.0.0"),
            package("d: a@1.0.0\nc: b@2.0.0 r:a; a@1.0.0"),
        );
        let found = Pair::new(Some(&old), Some(&new)).fresh_installs();
        let name = |installed: &Option<Installed>| installed.as_ref().map(|i| i.name.to_string());
        assert_eq!(
            (name(&found[0].old), name(&found[0].new)),
            (Some("b".to_owned()), Some("a".to_owned()))
        );
        assert!(found[0].is_worse() && &*found[0].channel == "d");
        assert!(
            found[1].is_same(),
            "OLM v1 takes the highest version of all channels"
        );
        let gone = Pair::new(Some(&old), None).fresh_installs();
        assert!(gone.iter().all(FreshInstall::is_worse));
        let fresh_installs = Pair::new(None, Some(&old)).fresh_installs();
        assert!(
            fresh_installs
                .iter()
                .all(|fresh| !fresh.is_worse() && !fresh.is_same())
        );
    }
}
