//! OLM Classic within one package: the next step (`olm-resolution` 2.3).
//!
//! Ignores requirements between bundles; [`super::resolve`] handles them.

use super::answer::{Answer, EdgeKind, Installed, Options, Successor, UpgradeError};
use super::explain;
use super::index::UpgradeIndex;
use super::installed_set::{Assignment, Claim, InstalledSet};
use super::subscription::{ChannelCandidate, Subscription};
use crate::place::Text;
use std::cell::OnceCell;

/// A subscription to a package; prepares everything independent of the installed bundle once.
pub struct Subscribed<'a> {
    index: &'a UpgradeIndex,
    options: &'a Options,
    /// Prepared on first use, for a fresh install and for updates.
    fresh: OnceCell<Result<Subscription<'a>, UpgradeError>>,
    update: OnceCell<Result<Subscription<'a>, UpgradeError>>,
}

impl<'a> Subscribed<'a> {
    pub fn new(index: &'a UpgradeIndex, options: &'a Options) -> Self {
        Self {
            index,
            options,
            fresh: OnceCell::new(),
            update: OnceCell::new(),
        }
    }

    /// The next step of `installed` (`None`: a fresh install).
    pub fn next(&self, installed: Option<&Installed>) -> Answer {
        let Self { index, options, .. } = self;
        let origin = installed.map(|i| index.origin(i));
        let is_fresh = origin.is_none();
        let prepared = if is_fresh { &self.fresh } else { &self.update };
        let subscription =
            match prepared.get_or_init(|| Subscription::new(index, is_fresh, options)) {
                Ok(subscription) => subscription,
                Err(error) => {
                    let why = explain::v0::explain_refusal(index, error, is_fresh, options);
                    return Answer::fail(error.clone(), why);
                }
            };
        let chosen = subscription.choose(origin.as_ref());
        let choice = chosen.as_ref().ok().copied().flatten();
        let why = explain::v0::explain_choice(subscription, origin.as_ref(), choice, options);
        match chosen {
            Ok(chosen) => Answer {
                next: chosen.and_then(|c| c.successor(origin.as_ref())),
                why,
                error: None,
            },
            Err(error) => Answer::fail(error, why),
        }
    }
}

/// The next step of `installed` (`None`: a fresh install).
pub fn next(index: &UpgradeIndex, installed: Option<&Installed>, options: &Options) -> Answer {
    Subscribed::new(index, options).next(installed)
}

/// The next step of each, and the head's name. A single `Err` if the subscription itself is
/// refused.
pub(super) fn everyone<'a>(
    installed_set: &InstalledSet<'a>,
    members: &[u32],
    options: &Options,
) -> Result<(Vec<Option<Successor>>, Option<&'a Text>), UpgradeError> {
    let subscription = Subscription::new(installed_set.index, false, options)?;
    let mut assignment = Assignment::new(installed_set, members);
    for (position, listed) in subscription
        .listed
        .iter()
        .enumerate()
        .filter(|(_, l)| !l.bundle.prohibited)
    {
        let claim = |edge| Claim {
            position,
            entry: 0,
            edge,
        };
        let entry = listed.entry;
        entry
            .replaces
            .iter()
            .for_each(|&id| assignment.claim_name(id, claim(EdgeKind::Replaces)));
        entry
            .skips
            .iter()
            .for_each(|&id| assignment.claim_name(id, claim(EdgeKind::Skips)));
        entry
            .range
            .iter()
            .for_each(|&id| assignment.claim_range(id, claim(EdgeKind::SkipRange)));
    }
    let step = |(&member, claim): (&u32, Option<Claim>)| {
        let claim = claim?;
        let listed = *subscription.listed.get(claim.position)?;
        ChannelCandidate {
            listed,
            edge: claim.edge,
        }
        .successor(installed_set.origins.get(member as usize))
    };
    let steps = members.iter().zip(assignment.claims()).map(step).collect();
    Ok((steps, subscription.listed.first().map(|l| &l.entry.name)))
}

/// The names of a channel in Classic's order, head first, without skipped entries and those without
/// a bundle.
pub(crate) fn order(index: &UpgradeIndex, channel: &str) -> Result<Vec<Text>, UpgradeError> {
    let options = Options {
        channels: vec![channel.to_owned()],
        ..Options::default()
    };
    let subscription = Subscription::new(index, false, &options)?;
    Ok(subscription
        .listed
        .iter()
        .map(|listed| listed.entry.name.clone())
        .collect())
}
