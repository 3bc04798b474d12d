//! Channels that New does not have, and where they led their users.

use super::{ChannelPair, Comparison, InUse, Pair};
use crate::hashed::HashSet;
use crate::place::Text;
use crate::upgrade::everyone::PathSummary;
use crate::upgrade::{Installed, Lens};
use crate::version::Version;
use crate::version::version_line::{Cut, Interval};

/// A channel that is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoneChannel {
    pub name: Text,
    /// How many versions it listed; they may be subscribed to it.
    pub listed: usize,
    /// Where it led users on versions that it did not list.
    pub(super) steps: Vec<GoneStep>,
}

/// A next step that is gone with its channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GoneStep {
    users: GoneUsers,
    pub next: Installed,
    /// Where the path ended.
    pub last: Installed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum GoneUsers {
    /// An entry mentioned them.
    Mentioned(Installed),
    /// A range covered them.
    Unlisted(Interval),
}

impl GoneChannel {
    pub(super) fn keep_in_use(&mut self, in_use: &InUse, known_names: &HashSet<Text>) {
        self.steps.retain(|step| match &step.users {
            GoneUsers::Mentioned(installed) => in_use.0.contains(installed),
            GoneUsers::Unlisted(interval) => in_use.unlisted_in(interval, known_names).count() > 0,
        });
    }
}

impl InUse {
    /// Those in an interval whose names the catalog does not know.
    pub(super) fn unlisted_in<'u>(
        &'u self,
        interval: &'u Interval,
        known_names: &'u HashSet<Text>,
    ) -> impl Iterator<Item = &'u Installed> {
        self.0.iter().filter(|installed| {
            !known_names.contains(&installed.name)
                && Version::parse(&installed.version)
                    .is_ok_and(|version| interval.contains(&version))
        })
    }
}

impl Pair<'_> {
    pub(super) fn gone_channels(&self) -> Vec<GoneChannel> {
        let gone = self.channels.iter().filter(|c| c.in_old && !c.in_new);
        gone.map(|channel| GoneChannel {
            name: channel.name.clone(),
            listed: channel.users.len(),
            steps: self.gone_steps(channel),
        })
        .collect()
    }

    fn gone_steps(&self, channel: &ChannelPair) -> Vec<GoneStep> {
        let paths = &channel.v0.old;
        let bundle = |number: u32| self.versions.get(number).cloned();
        let is_listed = |number: &u32| channel.users.binary_search(number).is_ok();
        let mentioned = paths.members.iter().filter(|number| !is_listed(number));
        let of_mentioned = |&number: &u32| {
            let path: &PathSummary = paths.get(number)?;
            Some(GoneStep {
                users: GoneUsers::Mentioned(bundle(number)?),
                next: bundle(path.next.as_ref()?.to)?,
                last: bundle(path.last)?,
            })
        };
        let mut steps: Vec<GoneStep> = mentioned.filter_map(of_mentioned).collect();
        if !self.old_index.has_ranges(&channel.name) {
            return steps;
        }
        let ranges = self.old_index.unlisted_steps(Lens::V0, Some(&channel.name));
        let ends = ranges
            .stretches
            .iter()
            .skip(1)
            .map(|(from, _)| from.clone());
        let stretches = ranges.stretches.iter().zip(ends.chain([Cut::end()]));
        for ((from, step), upper) in stretches {
            let Ok(Some(next)) = step else {
                continue;
            };
            let interval = Interval {
                lower: from.clone(),
                upper,
            };
            let path = self.versions.number(next).and_then(|n| paths.get(n));
            let last = path.and_then(|path| bundle(path.last));
            for versions in self.unlisted_parts(vec![interval]) {
                steps.push(GoneStep {
                    users: GoneUsers::Unlisted(versions.interval),
                    next: next.clone(),
                    last: last.clone().unwrap_or_else(|| next.clone()),
                });
            }
        }
        steps
    }
}

impl Comparison {
    /// Whether a channel is gone.
    pub fn is_channel_gone(&self, name: &Text) -> bool {
        self.channels_gone.iter().any(|gone| gone.name == *name)
    }
}
