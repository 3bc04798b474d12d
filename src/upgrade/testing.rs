//! Queries for tests.

use crate::installed_set::InstalledSet;
use crate::{ErrorKind, Installed, Lens, Options, Successor, UpgradeError, UpgradeIndex, v0, v1};

impl UpgradeIndex {
    /// Returns the next step of each of `installed`, in order, without explanations. Equals
    /// [`UpgradeIndex::next`] for each; time grows with the sum of entries and installed versions,
    /// not with their product.
    pub fn everyone(
        &self,
        lens: Lens,
        installed: &[Installed],
        options: &Options,
    ) -> Vec<Result<Option<Successor>, ErrorKind>> {
        let installed_set = InstalledSet::new(self, installed);
        let members: Vec<u32> = (0..installed.len() as u32).collect();
        let answered = match lens {
            Lens::V0 => v0::everyone(&installed_set, &members, options)
                .map(|(steps, _)| steps.into_iter().map(Ok).collect()),
            Lens::V1 => v1::everyone(&installed_set, &members, options, v1::Requirements::Refused)
                .map(|(steps, _)| steps),
        };
        answered.unwrap_or_else(|error: UpgradeError| vec![Err(error.kind); installed.len()])
    }

    /// Returns every bundle of the package as an installed bundle, in catalog order.
    pub fn installs(&self) -> Vec<Installed> {
        self.bundles
            .iter()
            .map(|bundle| bundle.as_installed())
            .collect()
    }

    /// Returns the number of evaluations by [`UpgradeIndex::unlisted_steps`].
    pub fn unlisted_questions(&self) -> usize {
        self.unlisted.borrow().len()
    }
}
