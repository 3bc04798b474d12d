//! When the tour is offered, and that it is offered once.

use super::AppContext;
use super::context_signal::ContextSignal;
use crate::browser::local_storage;
use crate::state::element_ids::SEARCH_PACKAGES;
use crate::state::panel_layout::Pane;
use crate::state::tour::Tour;
use crate::widgets::dom;
use leptos::prelude::*;

const KEPT: &str = "tour";

/// The position of the tour.
#[derive(Clone, Copy, Default)]
pub struct TourState(ContextSignal<Tour>);

impl TourState {
    pub fn now(self) -> ReadSignal<Tour> {
        self.0.reader()
    }

    /// Who opens the sample for the first time is shown around.
    pub(super) fn offer(self) {
        if local_storage::preference(KEPT).is_none() {
            self.0.set(Tour::begun());
        }
    }

    pub fn walk(self, step: fn(Tour) -> Tour) {
        let next = step(self.0.get_untracked());
        if next == Tour::default() {
            self.end()
        } else {
            self.0.set(next)
        }
    }

    pub fn end(self) {
        local_storage::set_preference(KEPT, "done");
        self.0.set(Tour::default());
        // Where the card was there is nothing any more.
        dom::focus_id(SEARCH_PACKAGES);
    }
}

impl AppContext {
    /// Restarts it on request.
    pub fn begin_tour(self) {
        self.workbench.show_pane(Pane::Side);
        self.tour.0.set(Tour::begun());
        dom::focus_first_later(".tour");
    }
}
