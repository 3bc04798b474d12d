//! The view state of a package, which a tab restores when it is shown again.

use super::{Inspection, SessionStore, SourcePlace, Tab};
use crate::state::address::Address;
use futures::future::{join, join3};
use leptos::prelude::*;
use protocol::request::{LaneOptions, PackageRequest, Target};
use protocol::response::PackageView;
use protocol::upgrades::Baseline;
use protocol::views::{EntryRef, UpgradeQuestion};
use std::future::Future;
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq)]
pub struct ViewState {
    tab: Tab,
    selection: Option<Target>,
    question: UpgradeQuestion,
    lanes: LaneOptions,
    source_place: Option<SourcePlace>,
}

/// Returns the entry, if the target is one.
pub fn entry_of(target: Option<Target>) -> Option<EntryRef> {
    match target {
        Some(Target::Entry { channel, name }) => Some(EntryRef { channel, name }),
        _ => None,
    }
}

impl ViewState {
    /// Returns the view state of an address; unspecified parts have their default, or their value
    /// in `before`.
    pub fn from_address(address: &Address, before: &ViewState) -> Self {
        let selected = entry_of(address.selection.clone());
        Self {
            tab: address.tab,
            selection: address.selection.clone(),
            question: UpgradeQuestion {
                lens: address.lens,
                cluster: address.cluster.clone(),
                ..UpgradeQuestion::default()
            },
            lanes: LaneOptions {
                fold: before.lanes.fold,
                selected,
                ..LaneOptions::default()
            },
            source_place: before.source_place.clone(),
        }
    }

    /// Returns the view state before anything was chosen.
    pub fn initial() -> Self {
        Self {
            tab: Tab::default(),
            selection: None,
            question: UpgradeQuestion::default(),
            lanes: LaneOptions {
                fold: true,
                ..LaneOptions::default()
            },
            source_place: None,
        }
    }

    /// Shows one of these channels alone and selects it.
    pub fn with_only_channel(mut self, channel: &str, channels: &[String]) -> Self {
        self.selection = Some(Target::Channel {
            channel: channel.to_owned(),
        });
        self.lanes.selected = None;
        self.lanes.collapsed_channels.clear();
        self.lanes.hidden_channels = channels
            .iter()
            .filter(|name| *name != channel)
            .cloned()
            .collect();
        self
    }

    pub fn lanes(&self) -> &LaneOptions {
        &self.lanes
    }

    /// Returns the selected entry.
    pub fn entry(&self) -> Option<EntryRef> {
        entry_of(self.selection.clone())
    }

    /// Returns the query that shows a package in this view state.
    pub fn request(
        &self,
        root: String,
        package: String,
        baseline: Option<Baseline>,
    ) -> PackageRequest {
        PackageRequest {
            root,
            package,
            lanes: self.lanes.clone(),
            question: self.question.clone(),
            baseline,
        }
    }
}

/// The cached content of a package shown beside the current one.
#[derive(Debug, Clone, Default)]
pub struct ViewSnapshot {
    /// The query that `view` answers; `None` if the view is not current.
    pub request: Option<PackageRequest>,
    pub view: Option<Arc<PackageView>>,
    pub inspection: Option<Inspection>,
}

impl SessionStore {
    /// Returns the current view state of the package in view.
    pub fn view_state(self) -> ViewState {
        ViewState {
            tab: self.tab.get_untracked(),
            selection: self.selection.get_untracked(),
            question: self.question.get_untracked(),
            lanes: self.lanes.get_untracked(),
            source_place: self.source.place.get_untracked(),
        }
    }

    /// Returns the content of the package in view.
    pub fn view_snapshot(self) -> ViewSnapshot {
        ViewSnapshot {
            request: self.package_request().filter(|_| self.is_view_current()),
            view: self.view.get_untracked(),
            inspection: self.inspection.get_untracked(),
        }
    }

    /// Sets the package in view and its view state. Returns whether another catalog was in view.
    fn set_view_state(self, root: String, package: String, state: ViewState) -> bool {
        let is_other_root = self.root.get_untracked() != root;
        if is_other_root {
            self.packages.set(Vec::new());
            self.problems.set(Vec::new());
            self.source.text.set(None);
        }
        self.root.set(root);
        self.package.set(Some(package));
        self.selection.set(state.selection);
        self.question.set(state.question);
        self.lanes.set(state.lanes);
        self.source.place.set(state.source_place);
        is_other_root
    }

    /// Shows a package that was shown beside the current one: its cached content immediately, then
    /// fetches what is missing. Keeps the tab.
    pub fn apply_view_state(
        self,
        root: String,
        package: String,
        state: ViewState,
        snapshot: ViewSnapshot,
    ) -> impl Future<Output = ()> {
        if self
            .source
            .place
            .with_untracked(|place| *place != state.source_place)
        {
            self.source.text.set(None);
        }
        let is_other_root = self.set_view_state(root, package, state);
        self.inspection.set(snapshot.inspection);
        self.view.set(snapshot.view);
        let is_current = self.is_view_current()
            && snapshot.request.is_some()
            && self.package_request() == snapshot.request;
        async move {
            if !is_current {
                self.refresh_view().await;
            }
            join(self.refresh_inspection(), self.source.refresh()).await;
            if is_other_root {
                join(self.refresh_packages(), self.refresh_problems()).await;
            }
        }
    }

    /// Shows a package of any catalog in a view state. Sets the whole state before the first query
    /// is sent.
    pub async fn show_view_state(self, root: String, package: String, state: ViewState) {
        let tab = state.tab;
        let is_other_root = self.set_view_state(root, package, state);
        self.inspection.set(None);
        self.tab.set(tab);
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
