//! The view that an address names, and the parts of a request that follow from the selection.

use super::SessionStore;
use super::loading::{clear_catalog, reset_lanes};
use crate::state::address::Address;
use futures::future::join;
use leptos::prelude::*;
use protocol::request::Target;
use protocol::views::{EntryRef, Origin, UpgradeQuestion};

/// Returns the entry to draw in full. For a bundle, the channel is "", which means every channel.
pub(super) fn drawn_entry(target: Option<&Target>) -> Option<EntryRef> {
    match target? {
        Target::Entry { channel, name } => Some(EntryRef {
            channel: channel.clone(),
            name: name.clone(),
        }),
        Target::Bundle { name } => Some(EntryRef {
            channel: String::new(),
            name: name.clone(),
        }),
        Target::Package | Target::Channel { .. } | Target::Problem { .. } => None,
    }
}

/// Fills in the selected channel if the user chose none. Selecting an entry does not change the
/// channel if the user chose a starting point.
pub(super) fn with_selected_channel(
    mut question: UpgradeQuestion,
    selection: Option<&Target>,
) -> UpgradeQuestion {
    let has_start = question.origin != Origin::Fresh || !question.starting_csv.is_empty();
    let channel = match selection {
        Some(Target::Channel { channel }) => channel,
        Some(Target::Entry { channel, .. }) if !has_start => channel,
        _ => return question,
    };
    if question.channel.is_empty() {
        question.channel.clone_from(channel);
    }
    if question.channels.is_empty() && matches!(selection, Some(Target::Channel { .. })) {
        question.channels.push(channel.clone());
    }
    question
}

impl SessionStore {
    /// Selects an object of any catalog. Returns false if the user chose another package meanwhile.
    pub async fn show_target(self, root: &str, package: &str, target: Target) -> bool {
        let target = Some(target).filter(|target| *target != Target::Package);
        if self.shows(root, package) {
            self.select(target).await;
        } else {
            self.notices.forget_not_shown();
            let question = self.question.get_untracked();
            let address = Address {
                is_repository: false,
                root: root.to_owned(),
                package: package.to_owned(),
                selection: target,
                tab: self.tab.get_untracked(),
                lens: question.lens,
                cluster: question.cluster,
            };
            self.show_address(address).await;
        }
        self.shows(root, package)
    }

    /// Whether a package of a catalog is in view; untracked.
    pub(super) fn shows(self, root: &str, package: &str) -> bool {
        self.root.with_untracked(|current| current == root)
            && self
                .package
                .with_untracked(|current| current.as_deref() == Some(package))
    }

    /// Shows an address that exists. Sets the whole view before the first query is sent. Another
    /// package resets the question, and the lane options except `fold`.
    pub async fn show_address(self, address: Address) {
        let is_other_root = self.root.get_untracked() != address.root;
        let is_other_package = !self.shows(&address.root, &address.package);
        if is_other_root {
            clear_catalog(self);
        }
        self.root.set(address.root);
        self.package.set(Some(address.package));
        if is_other_package {
            self.question.set(UpgradeQuestion::default());
            reset_lanes(self);

            self.inspection.set(None);
        }
        self.question.update(|question| {
            question.lens = address.lens;
            question.cluster = address.cluster;
        });
        self.set_selection(address.selection);
        self.tab.set(address.tab);
        join(self.refresh_view_and_inspection(), self.source.refresh()).await;
        if is_other_root {
            join(self.refresh_packages(), self.refresh_problems()).await;
        }
    }
}
