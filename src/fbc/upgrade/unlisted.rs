//! The next step of unlisted versions: those that no bundle has and no entry mentions. No edge by name leads anywhere from
//! them, so that it depends on skip ranges alone.
//!
//! The installed bundle has a name that no entry mentions and, where a bundle has its version, another release: under v1 it
//! has no bundle to stay on.

use super::answer::{ErrorKind, Installed, Lens, Options, UnlistedSteps};
use super::candidates::flaw;
use super::index::UpgradeIndex;
use super::package_view::PackageView;
use super::subscription::Subscription;
use crate::place::Text;
use std::rc::Rc;

impl UpgradeIndex {
    /// Subscribed to `channel`, or with a ClusterExtension that names it alone; `None`: one that names none (v1). Kept:
    /// a state that several edits start from is asked once.
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

    /// How many times [`UpgradeIndex::unlisted_steps`] evaluated ranges.
    #[cfg(test)]
    pub(crate) fn unlisted_questions(&self) -> usize {
        self.unlisted.borrow().len()
    }

    /// Whether an entry of the channel has a skip range that can be read.
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
