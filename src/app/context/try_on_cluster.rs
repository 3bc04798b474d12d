//! *Try on a cluster…*: when it is available, and its subject.

use super::{AppContext, Overlay};
use leptos::prelude::*;

impl AppContext {
    /// Whether the package in view is in a catalog that a cluster can use, that is, not in a
    /// template.
    pub fn can_try_on_cluster(self) -> bool {
        self.current.package.with(|package| !package.is_empty())
            && self.store.root_row().is_some_and(|row| !row.is_template())
    }

    /// Opens *Try on a cluster…* for the selection.
    pub fn try_on_cluster(self) {
        if untrack(|| self.can_try_on_cluster()) {
            self.overlays.open(Overlay::TryOnCluster);
        }
    }
}
