//! When the tour is offered, and that it is offered once.

use super::Desk;
use crate::browser::keep;
use crate::state::frame::Pane;
use crate::state::tour::Tour;
use crate::widgets::dom;
use leptos::prelude::*;

const KEPT: &str = "tour";

impl Desk {
    /// Who opens the sample for the first time is shown around.
    pub(super) fn offer_tour(self) {
        if keep::preference(KEPT).is_none() {
            self.tour.set(Tour::begun());
        }
    }

    /// Begins it again, where it is asked for.
    pub fn begin_tour(self) {
        self.show_pane(Pane::Side);
        self.tour.set(Tour::begun());
        dom::focus_first_later(".tour");
    }

    pub fn walk_tour(self, step: fn(Tour) -> Tour) {
        let next = step(self.tour.get_untracked());
        if next == Tour::default() { self.end_tour() } else { self.tour.set(next) }
    }

    pub fn end_tour(self) {
        keep::set_preference(KEPT, "done");
        self.tour.set(Tour::default());
        // Where the card was there is nothing any more.
        dom::focus_id(crate::state::places::SEARCH_PACKAGES);
    }
}
