//! The view that an address names.

use super::SessionStore;
use crate::state::address::Address;
use futures::future::{join, join3};
use leptos::prelude::*;
use protocol::request::{LaneOptions, Target};
use protocol::views::{EntryRef, UpgradeQuestion};

/// Returns the entry, if the target is one.
pub fn entry_of(target: Option<Target>) -> Option<EntryRef> {
    match target {
        Some(Target::Entry { channel, name }) => Some(EntryRef { channel, name }),
        _ => None,
    }
}

impl SessionStore {
    /// Shows an address whose package is in `root`. Sets the whole view before the first query is
    /// sent.
    pub async fn show_address(self, root: String, address: Address) {
        let is_other_root = self.root.get_untracked() != root;
        if is_other_root {
            self.packages.set(Vec::new());
            self.problems.set(Vec::new());
            self.source.text.set(None);
        }
        self.root.set(root);
        self.package.set(Some(address.package));
        self.question.set(UpgradeQuestion {
            lens: address.lens,
            cluster: address.cluster,
            ..UpgradeQuestion::default()
        });
        self.lanes.update(|lanes| {
            *lanes = LaneOptions {
                fold: lanes.fold,
                selected: entry_of(address.selection.clone()),
                ..LaneOptions::default()
            }
        });
        self.selection.set(address.selection);
        self.inspection.set(None);
        self.tab.set(address.tab);
        join3(
            self.refresh_view(),
            self.refresh_inspection(),
            self.source.refresh(),
        )
        .await;
        if is_other_root {
            join(self.refresh_packages(), self.refresh_problems()).await;
        }
    }
}
