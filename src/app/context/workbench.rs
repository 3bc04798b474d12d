//! The panels around the center: sizes, visibility and, in a narrow window, which one covers the
//! center.

use super::context_signal::ContextSignal;
use crate::browser::local_storage;
use crate::state::panel_layout::{Pane, PanelLayout};
use crate::widgets::dom;
use crate::widgets::splitter::ResizeRequest;
use leptos::prelude::*;

const KEPT: &str = "frame";
const KEPT_MINIMAP: &str = "minimap";
/// In a narrower window, panels cover the center one at a time. The style sheets use the same
/// number.
const NARROW: f64 = 900.0;

/// The layout of the workbench.
#[derive(Clone, Copy)]
pub struct Workbench {
    frame: ContextSignal<PanelLayout>,
    drawer: ContextSignal<Option<Pane>>,
    minimap: ContextSignal<bool>,
}

/// The class of a panel's element.
fn selector(pane: Pane) -> &'static str {
    match pane {
        Pane::Side => ".side",
        Pane::Inspector => ".inspector",
        Pane::Below => ".below",
    }
}

/// Id of the button that opens a panel in a narrow window.
pub fn drawer_button(pane: Pane) -> &'static str {
    match pane {
        Pane::Side => "open-side",
        Pane::Inspector => "open-inspector",
        Pane::Below => "open-below",
    }
}

impl Workbench {
    /// Restores the layout of the last visit.
    pub(super) fn load() -> Self {
        Self {
            frame: ContextSignal::new(
                local_storage::preference(KEPT)
                    .map(|text| PanelLayout::read(&text))
                    .unwrap_or_default(),
            ),
            drawer: ContextSignal::new(None),
            minimap: ContextSignal::new(
                local_storage::preference(KEPT_MINIMAP).is_none_or(|value| value != "away"),
            ),
        }
    }

    /// Sizes and visibility of the panels.
    pub fn frame(self) -> ReadSignal<PanelLayout> {
        self.frame.reader()
    }

    /// The panel that covers the center in a narrow window.
    pub fn drawer(self) -> ReadSignal<Option<Pane>> {
        self.drawer.reader()
    }

    /// Whether large graphs have a minimap.
    pub fn minimap(self) -> ReadSignal<bool> {
        self.minimap.reader()
    }

    /// Whether panels cover the center.
    pub fn is_narrow(self) -> bool {
        window()
            .inner_width()
            .ok()
            .and_then(|width| width.as_f64())
            .is_some_and(|width| width < NARROW)
    }

    /// Resizes by the splitter's request; stored when the drag ends.
    pub fn resize(self, pane: Pane, wish: ResizeRequest) {
        self.frame.update(|frame| match wish {
            ResizeRequest::Size(size) => frame.resize(pane, size),
            ResizeRequest::Away(is_away) => frame.put_away(pane, is_away),
            ResizeRequest::Usual => frame.reset(pane),
        });
    }

    pub fn keep_frame(self) {
        local_storage::set_preference(KEPT, &self.frame.with_untracked(|frame| frame.to_text()));
    }

    /// Hides or shows a panel. In a narrow window it starts or stops covering the center.
    pub fn toggle_pane(self, pane: Pane) {
        if self.is_narrow() {
            let is_over = self.drawer.with_untracked(|drawer| *drawer == Some(pane));
            if is_over {
                self.close_drawer()
            } else {
                self.open_drawer(pane)
            }
        } else {
            let is_away = self.frame.with_untracked(|frame| frame.is_away(pane));
            self.resize(pane, ResizeRequest::Away(!is_away));
            self.keep_frame();
        }
    }

    /// Shows or hides the minimap of large graphs.
    pub fn show_minimap(self, is_visible: bool) {
        local_storage::set_preference(KEPT_MINIMAP, if is_visible { "there" } else { "away" });
        self.minimap.set(is_visible);
    }

    pub fn toggle_minimap(self) {
        self.show_minimap(!self.minimap.get_untracked());
    }

    /// Makes the panel visible: in a narrow window it covers the center.
    pub fn show_pane(self, pane: Pane) {
        if self.is_narrow() {
            self.drawer.set(Some(pane));
        } else if self.frame.with_untracked(|frame| frame.is_away(pane)) {
            self.resize(pane, ResizeRequest::Away(false));
            self.keep_frame();
        }
    }

    /// Opens the panel over the center in a narrow window only.
    pub(super) fn uncover(self, pane: Pane) {
        if self.is_narrow() {
            self.drawer.set(Some(pane));
        }
    }

    fn open_drawer(self, pane: Pane) {
        self.drawer.set(Some(pane));
        dom::focus_first_later(selector(pane));
    }

    /// Uncovers the center and returns the focus to where the panel was opened from.
    pub fn close_drawer(self) {
        let Some(pane) = self.drawer.try_get_untracked().flatten() else {
            return;
        };
        self.drawer.set(None);
        dom::focus_id(drawer_button(pane));
    }
}
