//! What both states of a package share: an edit replaces the blobs that it touches and keeps all others, so that only the
//! rest has to be looked at.

use super::{ChannelPair, Pair, Sides};
use crate::fbc::model::{Located, Package};
use crate::fbc::upgrade::everyone::Population;
use std::sync::Arc;

/// Where the states may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Touched {
    Anywhere,
    /// Only in channels: see [`Pair::is_shared`].
    Channels,
}

impl<'a> Pair<'a> {
    pub(super) fn touched(&self) -> Touched {
        match (self.old, self.new) {
            (Some(old), Some(new))
                if same(&old.packages, &new.packages)
                    && same(&old.bundles, &new.bundles)
                    && same(&old.deprecations, &new.deprecations) =>
            {
                Touched::Channels
            }
            _ => Touched::Anywhere,
        }
    }

    /// Whether both states have the very same channel.
    pub(super) fn is_shared(&self, channel: &ChannelPair) -> bool {
        let of = |package: Option<&'a Package>| {
            package.into_iter().flat_map(|p| &p.channels).filter(|c| c.name.value == channel.name)
        };
        let (old, new): (Vec<_>, Vec<_>) = (of(self.old).collect(), of(self.new).collect());
        old.len() == new.len() && old.iter().zip(&new).all(|(old, new)| Arc::ptr_eq(&old.data, &new.data))
    }

    /// Old against itself.
    pub(super) fn before(&self) -> Pair<'a> {
        if self.touched() == Touched::Anywhere || Population::of([&self.old_index]).all() != self.population.all() {
            return Pair::new(self.old, self.old);
        }
        // The same people take the same courses.
        let twice = |of: &Sides| Sides { old: of.old.clone(), new: of.old.clone() };
        let channel = |channel: &ChannelPair| ChannelPair {
            name: channel.name.clone(),
            in_old: true,
            in_new: true,
            v0: twice(&channel.v0),
            users: channel.users.clone(),
        };
        Pair {
            name: self.name.clone(),
            old: self.old,
            new: self.old,
            old_index: self.old_index.clone(),
            new_index: self.old_index.clone(),
            population: self.population.clone(),
            v1: twice(&self.v1),
            channels: self.channels.iter().filter(|c| c.in_old).map(channel).collect(),
        }
    }
}

fn same<T>(old: &[Located<T>], new: &[Located<T>]) -> bool {
    old.len() == new.len() && old.iter().zip(new).all(|(old, new)| Arc::ptr_eq(&old.data, &new.data))
}
