//! *Try on a cluster…*: when it can be asked for, and for what.

use super::{AppContext, Overlay};
use leptos::prelude::*;

impl AppContext {
    /// Whether the package in view is of a catalog that a cluster can have: it is, unless it is a template's.
    pub fn can_try_on_cluster(self) -> bool {
        self.current.package.with(|package| !package.is_empty())
            && self.store.root_row().is_some_and(|row| !row.is_template())
    }

    /// Opens *Try on a cluster…* for what is selected.
    pub fn try_on_cluster(self) {
        if untrack(|| self.can_try_on_cluster()) {
            self.overlays.open(Overlay::TryOnCluster);
        }
    }
}
