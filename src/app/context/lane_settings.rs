//! The arrangement of lanes of the package in view.

use super::CurrentView;
use crate::state::lane_arrangement::LaneArrangement;
use crate::state::store::WorkspaceStore;
use leptos::prelude::*;
use protocol::request::LaneOptions;
use wasm_bindgen_futures::spawn_local;

/// Changes how the lanes are drawn.
#[derive(Clone, Copy)]
pub struct LaneSettings {
    store: WorkspaceStore,
    current: CurrentView,
}

impl LaneSettings {
    pub(super) fn new(store: WorkspaceStore, current: CurrentView) -> Self {
        Self { store, current }
    }

    /// Changes the lane options.
    pub fn draw(self, change: impl FnOnce(&mut LaneOptions)) {
        let mut lanes = self.store.lanes.get_untracked();
        change(&mut lanes);
        spawn_local(self.store.set_lanes(lanes));
    }

    /// The arrangement of lanes of the package in view.
    pub fn lane_arrangement(self) -> LaneArrangement {
        self.current.view.with(|view| {
            self.store
                .lanes
                .with(|options| LaneArrangement::new(&view.channels, options))
        })
    }

    pub fn arrange(self, arrangement: LaneArrangement) {
        self.draw(|options| {
            options.order = arrangement.channels;
            options.hidden_channels = arrangement.hidden;
            options.collapsed_channels = arrangement.collapsed;
            options.pinned_channels = arrangement.pinned;
        });
    }

    /// Folds or unfolds a y-stream.
    pub fn toggle_stream(self, stream: String) {
        self.draw(|options| toggle(&mut options.toggled_streams, stream));
    }

    /// Collapses or expands a channel's lane.
    pub fn toggle_channel(self, channel: String) {
        self.draw(|options| toggle(&mut options.collapsed_channels, channel));
    }
}

fn toggle(list: &mut Vec<String>, name: String) {
    match list.iter().position(|known| *known == name) {
        Some(at) => {
            list.remove(at);
        }
        None => list.push(name),
    }
}
