//! Finds the parts that both states of a package share: an edit replaces the blobs it touches and
//! keeps the others, so only the rest needs checking.

use super::{ChannelPair, Pair, Sides};
use crate::hashed::HashSet;
use crate::model::{ChannelBlob, Located, Package};
use crate::place::Text;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where the states may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Touched {
    Anywhere,
    /// Only in channels outside [`Pair::shared`].
    Channels,
}

/// Names of channels that are identical in both states. Empty if anything but channels may differ,
/// because a channel's answers also depend on bundles, deprecations and the default channel.
pub(super) fn channels(old: Option<&Package>, new: Option<&Package>) -> HashSet<Text> {
    let (Some(old), Some(new)) = (old, new) else {
        return HashSet::default();
    };
    if find_touched(old, new) == Touched::Anywhere {
        return HashSet::default();
    }
    let (before, after) = (by_name(old), by_name(new));
    let is_same = |(name, blobs): (&&Text, &Vec<&Located<ChannelBlob>>)| {
        let after = after.get(*name)?;
        let same = blobs.len() == after.len()
            && blobs
                .iter()
                .zip(after)
                .all(|(a, b)| Arc::ptr_eq(&a.data, &b.data));
        same.then(|| Text::clone(name))
    };
    before.iter().filter_map(is_same).collect()
}

fn find_touched(old: &Package, new: &Package) -> Touched {
    let is_same = same(&old.packages, &new.packages)
        && same(&old.bundles, &new.bundles)
        && same(&old.deprecations, &new.deprecations);
    if is_same {
        Touched::Channels
    } else {
        Touched::Anywhere
    }
}

fn by_name(package: &Package) -> BTreeMap<&Text, Vec<&Located<ChannelBlob>>> {
    let mut by_name: BTreeMap<_, Vec<_>> = BTreeMap::new();
    package.channels.iter().for_each(|channel| {
        by_name
            .entry(&channel.name.value)
            .or_default()
            .push(channel)
    });
    by_name
}

impl<'a> Pair<'a> {
    pub(super) fn find_touched(&self) -> Touched {
        self.old
            .zip(self.new)
            .map_or(Touched::Anywhere, |(old, new)| find_touched(old, new))
    }

    /// Old compared with itself.
    pub(super) fn before(&self) -> Pair<'a> {
        if !self.asks_the_same() {
            return Pair::new(self.old, self.old);
        }
        // The same users take the same paths.
        let channel = |channel: &ChannelPair| ChannelPair {
            name: channel.name.clone(),
            in_old: true,
            in_new: true,
            v0: Sides::same(channel.v0.old.clone()),
            v1: Sides::default(),
            users: channel.users.clone(),
            is_changed: false,
            is_followed: false,
        };
        let channels: Vec<ChannelPair> = self
            .channels
            .iter()
            .filter(|c| c.in_old)
            .map(channel)
            .collect();
        Pair {
            name: self.name.clone(),
            old: self.old,
            new: self.old,
            old_index: self.old_index.clone(),
            new_index: self.old_index.clone(),
            versions: self.versions.clone(),
            v1: Sides::same(self.v1.old.clone()),
            shared: channels
                .iter()
                .map(|channel| channel.name.clone())
                .collect(),
            channels,
            users: OnceCell::new(),
            further: OnceCell::new(),
            unlisted: OnceCell::new(),
            mentioned: OnceCell::new(),
            graphs: Default::default(),
        }
    }

    /// Whether comparing Old with itself uses the same versions and paths as Old in this pair.
    pub(super) fn asks_the_same(&self) -> bool {
        // Then both have the same bundles, and Old lacks only what New alone mentions.
        self.find_touched() == Touched::Channels && self.old_index.names_all_of(&self.new_index)
    }
}

fn same<T>(old: &[Located<T>], new: &[Located<T>]) -> bool {
    old.len() == new.len()
        && old
            .iter()
            .zip(new)
            .all(|(old, new)| Arc::ptr_eq(&old.data, &new.data))
}
