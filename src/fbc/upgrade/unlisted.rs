//! The next step of unlisted versions: no bundle has them and no entry mentions them. They have no
//! edges by name, so only skip ranges matter.
//!
//! Assumes that no entry mentions the installed bundle's name and that, if a bundle has its
//! version, the release differs: under v1 it has no bundle to stay on.

use super::answer::{ErrorKind, Installed, Lens, Options, UnlistedSteps};
use super::candidates::flaw;
use super::index::UpgradeIndex;
use super::package_view::PackageView;
use super::subscription::Subscription;
use crate::place::Text;
use std::rc::Rc;

impl UpgradeIndex {
    /// Steps for a subscription to `channel`, or a ClusterExtension that names only it; `None`: one
    /// that names none (v1). Cached, because several edits may start from one state.
    pub(crate) fn unlisted_steps(&self, lens: Lens, channel: Option<&Text>) -> Rc<UnlistedSteps> {
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

    /// Number of evaluations by [`UpgradeIndex::unlisted_steps`]; for tests.
    #[cfg(test)]
    pub(crate) fn unlisted_questions(&self) -> usize {
        self.unlisted.borrow().len()
    }

    /// Whether an entry of the channel has a valid skip range.
    pub(crate) fn has_ranges(&self, channel: &str) -> bool {
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
        let bundle = listed.bundle;
        Some(Installed::new(
            bundle.name.clone(),
            bundle.version_text.clone(),
        ))
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
            None => Ok(Some(Installed::new(
                bundle.name.clone(),
                bundle.version_text.clone(),
            ))),
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
