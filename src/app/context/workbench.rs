//! The panels around the center (sizes, visibility and, in a narrow window, which one covers the
//! center), and the user's preferences.

use super::ContextSignal;
use crate::browser::storage;
use crate::state::layout::{Pane, PanelLayout};
use crate::widgets::dom;
use crate::widgets::splitter::ResizeRequest;
use leptos::prelude::*;

const KEPT: &str = "frame";
/// In a narrower window, panels cover the center one at a time. The style sheets use the same
/// number.
const NARROW: f64 = 900.0;

/// The layout of the workbench.
#[derive(Clone, Copy)]
pub struct Workbench {
    /// Sizes and visibility of the panels.
    pub frame: ContextSignal<PanelLayout>,
    /// The panel that covers the center in a narrow window.
    pub drawer: ContextSignal<Option<Pane>>,
}

/// Returns the selector of a panel's element.
fn selector(pane: Pane) -> &'static str {
    match pane {
        Pane::Side => ".side",
        Pane::Inspector => ".inspector",
        Pane::Below => ".below",
    }
}

/// Returns the id of the button that opens a panel in a narrow window.
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
                storage::preference(KEPT)
                    .map(|text| PanelLayout::read(&text))
                    .unwrap_or_default(),
            ),
            drawer: ContextSignal::new(None),
        }
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
        storage::set_preference(KEPT, &self.frame.with_untracked(|frame| frame.to_text()));
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

const KEPT_THEME: &str = "theme";
const KEPT_LETTERS: &str = "letter-keys";

#[derive(Clone, Copy)]
pub struct Preferences {
    pub theme: ContextSignal<Theme>,
    /// Whether single letters are shortcuts.
    pub letter_keys: ContextSignal<bool>,
}

impl Preferences {
    pub(super) fn load() -> Self {
        Self {
            theme: ContextSignal::new(
                storage::preference(KEPT_THEME)
                    .map_or(Theme::System, |name| Theme::from_name(&name)),
            ),
            letter_keys: ContextSignal::new(
                storage::preference(KEPT_LETTERS).is_none_or(|value| value != "off"),
            ),
        }
    }

    pub fn set_theme(self, theme: Theme) {
        storage::set_preference(KEPT_THEME, theme.name());
        self.theme.set(theme);
    }

    pub fn set_letter_keys(self, on: bool) {
        storage::set_preference(KEPT_LETTERS, if on { "on" } else { "off" });
        self.letter_keys.set(on);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    pub fn name(self) -> &'static str {
        match self {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    pub fn next(self) -> Self {
        match self {
            Theme::System => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::System,
        }
    }

    /// Parses a stored name; any other text selects the system's theme.
    pub fn from_name(name: &str) -> Self {
        match name {
            "light" => Theme::Light,
            "dark" => Theme::Dark,
            _ => Theme::System,
        }
    }
}
