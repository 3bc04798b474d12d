//! How a package is looked at, so that a tab that is come back to is as it was left.

use super::{Session, SourcePlace, Tab};
use crate::app::state::address::Address;
use crate::protocol::request::{LaneOptions, Target};
use crate::protocol::views::{EntryRef, UpgradeQuestion};
use futures::future::{join, join3};
use leptos::prelude::*;

#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    tab: Tab,
    selection: Option<Target>,
    question: UpgradeQuestion,
    lanes: LaneOptions,
    source_place: Option<SourcePlace>,
}

impl Look {
    /// As an address names it; what it does not name is as usual, or as it was `before`.
    pub fn of(address: &Address, before: &Look) -> Self {
        let selected = match &address.selection {
            Some(Target::Entry { channel, name }) => Some(EntryRef { channel: channel.clone(), name: name.clone() }),
            _ => None,
        };
        // What the address names is not folded away.
        let unfolded = selected.iter().map(|entry: &EntryRef| entry.name.clone()).collect();
        Self {
            tab: address.tab,
            selection: address.selection.clone(),
            question: UpgradeQuestion { lens: address.lens, ..UpgradeQuestion::default() },
            lanes: LaneOptions {
                fold: before.lanes.fold,
                zoom: address.zoom,
                selected,
                unfolded,
                ..LaneOptions::default()
            },
            source_place: before.source_place.clone(),
        }
    }
}

impl Session {
    /// How the package in view is looked at now.
    pub fn look(self) -> Look {
        Look {
            tab: self.tab.get_untracked(),
            selection: self.selection.get_untracked(),
            question: self.question.get_untracked(),
            lanes: self.lanes.get_untracked(),
            source_place: self.source_place.get_untracked(),
        }
    }

    /// Shows a package of any catalog as it was looked at; all of it is known to be wanted before anything is asked.
    pub async fn show_look(self, root: String, package: String, look: Look) {
        let is_other_root = self.root.get_untracked() != root;
        if is_other_root {
            self.packages.set(Vec::new());
            self.problems.set(Vec::new());
            self.source.set(None);
        }
        self.root.set(root);
        self.package.set(Some(package));
        self.inspection.set(None);
        self.selection.set(look.selection);
        self.question.set(look.question);
        self.lanes.set(look.lanes);
        self.source_place.set(look.source_place);
        self.tab.set(look.tab);
        join3(self.refresh_view(), self.refresh_inspection(), self.refresh_source()).await;
        if is_other_root {
            join(self.refresh_packages(), self.refresh_problems()).await;
        }
    }
}
