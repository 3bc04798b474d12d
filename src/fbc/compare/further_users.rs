//! Affected users that [`Pair::users`] does not contain: names that a channel only mentions,
//! versions of other channels, and ClusterExtensions that name one channel.

use super::unlisted::RangeChange;
use super::users::{effect, sides};
use super::{ChannelPair, Effect, Pair, User};
use crate::hashed::{HashMap, HashSet};
use crate::upgrade::everyone::PathSummary;
use crate::upgrade::{ErrorKind, Installed, Lens};

/// A user without its channels.
type Key = (Installed, Lens, Change);
/// Next steps and ends before and after, and the error after.
type Change = (
    [Option<Installed>; 2],
    [Installed; 2],
    Option<ErrorKind>,
    Option<Effect>,
);

/// Merges users whose channels give the same answers.
#[derive(Default)]
struct ByAnswer {
    users: Vec<User>,
    places: HashMap<Key, usize>,
}

impl ByAnswer {
    fn add(&mut self, user: User) {
        if user.is_same() {
            return;
        }
        let key = (user.from.clone(), user.lens, change(&user));
        match self.places.get(&key).and_then(|&at| self.users.get_mut(at)) {
            Some(known) => known.channels.extend(user.channels),
            None => {
                self.places.insert(key, self.users.len());
                self.users.push(user);
            }
        }
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
    /// Affected users only. Classic: names that a channel of both states mentions, and versions of
    /// other channels. Under v1: mentioned names, and for each channel of both states the
    /// ClusterExtensions that name only it, unless OLM v1 does the same without channels.
    pub fn further_users(&self) -> &[User] {
        self.further.get_or_init(|| self.all_further_users())
    }

    fn all_further_users(&self) -> Vec<User> {
        let of_old: HashSet<u32> = self.versions.bundles(&self.old_index).into_iter().collect();
        let of_new: HashSet<u32> = self.versions.bundles(&self.new_index).into_iter().collect();
        // Nobody runs a version that only New publishes.
        let is_run = |number: &u32| of_old.contains(number) || !of_new.contains(number);
        let mut classic = ByAnswer::default();
        let mut without_channels = ByAnswer::default();
        let mut with_channel = ByAnswer::default();
        for number in self.v1.old.members.iter().filter(|&number| is_run(number)) {
            if !of_old.contains(number)
                && let Some(sides) = sides(&self.v1, *number)
                && let Some(user) = self.user(*number, Lens::V1, Vec::new(), sides, false)
            {
                without_channels.add(user);
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
                user.into_iter().for_each(|user| classic.add(user));
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
                user.into_iter().for_each(|user| with_channel.add(user));
            }
            for (lens, known, users) in [
                (Lens::V0, members, &mut classic),
                (Lens::V1, &channel.v1.old.members, &mut with_channel),
            ] {
                for change in self.range_changes(lens, Some(channel)) {
                    let inside = self.versions.within(&change.interval).into_iter();
                    let others = inside
                        .filter(|number| is_run(number) && known.binary_search(number).is_err());
                    for number in others {
                        let from = self.versions.get(number).cloned();
                        let user = from.map(|from| user_of_range(from, lens, channel, &change));
                        user.into_iter().for_each(|user| users.add(user));
                    }
                }
            }
        }
        let of_v1 = self.users().iter().filter(|user| user.lens == Lens::V1);
        let known_changes: HashSet<(Installed, Change)> = of_v1
            .chain(&without_channels.users)
            .map(|user| (user.from.clone(), change(user)))
            .collect();
        with_channel
            .users
            .retain(|user| !known_changes.contains(&(user.from.clone(), change(user))));
        let mut users = classic.users;
        users.extend(without_channels.users);
        users.extend(with_channel.users);
        users
    }

    /// The channels of both states whose answers may differ.
    pub(super) fn followed_channels(&self) -> impl Iterator<Item = &ChannelPair> {
        self.channels.iter().filter(|channel| channel.is_followed)
    }
}

/// The version stayed before; now OLM v1 finds no bundle to stay on.
fn begins_to_fail((old, new): (&PathSummary, &PathSummary)) -> bool {
    old.error.is_none() && new.error == Some(ErrorKind::None)
}

fn user_of_range(from: Installed, lens: Lens, channel: &ChannelPair, change: &RangeChange) -> User {
    let stays = |last: &Option<Installed>| last.clone().unwrap_or_else(|| from.clone());
    User {
        lens,
        channels: vec![channel.name.clone()],
        old_last: stays(&change.old_last),
        new_last: stays(&change.new_last),
        effect: effect(
            &from.version,
            change.old_next.as_ref(),
            change.new_next.as_ref(),
            false,
        ),
        old_next: change.old_next.clone(),
        new_next: change.new_next.clone(),
        old_error: change.old_error,
        error: change.error,
        from,
    }
}

impl super::Comparison {
    /// [`super::Comparison::users`] and the further users.
    pub fn all_users(&self) -> impl Iterator<Item = &User> {
        self.users.iter().chain(&self.further)
    }
}
