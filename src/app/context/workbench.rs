//! The panels around the center (sizes, visibility and, in a narrow window, which one covers the
//! center), and the user's preferences.

use super::ContextSignal;
use crate::browser::storage;
use crate::state::layout::{Pane, PanelLayout};
use crate::widgets::dom;
use crate::widgets::splitter::ResizeRequest;
use leptos::prelude::*;
use protocol::enum_with_text;

const FRAME_PREFERENCE: &str = "frame";
const THEME_PREFERENCE: &str = "theme";
const LETTER_KEYS_PREFERENCE: &str = "letter-keys";
const FOLDER_NOTES_PREFERENCE: &str = "folder-notes";
/// In a window narrower than this number of pixels, panels cover the center one at a time. The
/// style sheets use the same number.
const NARROW_WIDTH: f64 = 900.0;

#[derive(Clone, Copy)]
pub struct Workbench {
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
pub fn drawer_button(pane: Pane) -> String {
    format!("open-{}", pane.name())
}

impl Workbench {
    /// Restores the layout of the last visit.
    pub(super) fn load() -> Self {
        Self {
            frame: ContextSignal::new(
                storage::preference(FRAME_PREFERENCE)
                    .map(|text| PanelLayout::from_json(&text))
                    .unwrap_or_default(),
            ),
            drawer: ContextSignal::new(None),
        }
    }

    /// Whether panels cover the center.
    pub fn is_narrow(self) -> bool {
        dom::window_size().0 < NARROW_WIDTH
    }

    /// Applies a request of the splitter without storing the layout.
    pub fn resize(self, pane: Pane, request: ResizeRequest) {
        self.frame.update(|frame| match request {
            ResizeRequest::Size(size) => frame.resize(pane, size),
            ResizeRequest::Hidden(is_away) => frame.set_hidden(pane, is_away),
            ResizeRequest::DefaultSize => frame.reset(pane),
        });
    }

    pub fn store_frame(self) {
        storage::set_preference(
            FRAME_PREFERENCE,
            &self.frame.with_untracked(|frame| frame.to_json()),
        );
    }

    /// Hides or shows a panel. In a narrow window it starts or stops covering the center.
    pub fn toggle_pane(self, pane: Pane) {
        if self.is_narrow() {
            let is_open = self.drawer.with_untracked(|drawer| *drawer == Some(pane));
            if is_open {
                self.close_drawer();
            } else {
                self.drawer.set(Some(pane));
                dom::focus_first_later(selector(pane));
            }
        } else {
            let is_away = self.frame.with_untracked(|frame| frame.is_hidden(pane));
            self.resize(pane, ResizeRequest::Hidden(!is_away));
            self.store_frame();
        }
    }

    /// Makes the panel visible: in a narrow window it covers the center.
    pub fn show_pane(self, pane: Pane) {
        if self.is_narrow() {
            self.drawer.set(Some(pane));
        } else if self.frame.with_untracked(|frame| frame.is_hidden(pane)) {
            self.resize(pane, ResizeRequest::Hidden(false));
            self.store_frame();
        }
    }

    /// Shows the panel over the center, in a narrow window only.
    pub(super) fn show_drawer(self, pane: Pane) {
        if self.is_narrow() {
            self.drawer.set(Some(pane));
        }
    }

    /// Uncovers the center and returns the focus to where the panel was opened from.
    pub fn close_drawer(self) {
        let Some(pane) = self.drawer.try_get_untracked().flatten() else {
            return;
        };
        self.drawer.set(None);
        dom::focus_id(&drawer_button(pane));
    }
}

/// The user's preferences, in local storage.
#[derive(Clone, Copy)]
pub struct Preferences {
    pub theme: ContextSignal<Theme>,
    /// Whether single letters are shortcuts.
    pub letter_keys: Switch,
    /// Whether the list of catalogs offers to treat a folder as one catalog.
    pub folder_notes: Switch,
}

#[derive(Clone, Copy)]
pub struct Switch {
    name: &'static str,
    value: ContextSignal<bool>,
}

impl Switch {
    fn load(name: &'static str, default: bool) -> Self {
        let value = storage::preference(name).map_or(default, |value| value == "on");
        Self {
            name,
            value: ContextSignal::new(value),
        }
    }

    pub fn get(self) -> bool {
        self.value.get()
    }

    pub fn get_untracked(self) -> bool {
        self.value.get_untracked()
    }

    pub fn set(self, enabled: bool) {
        storage::set_preference(self.name, if enabled { "on" } else { "off" });
        self.value.set(enabled);
    }
}

impl Preferences {
    pub(super) fn load() -> Self {
        Self {
            theme: ContextSignal::new(
                storage::preference(THEME_PREFERENCE)
                    .map_or(Theme::System, |name| Theme::from_name(&name)),
            ),
            letter_keys: Switch::load(LETTER_KEYS_PREFERENCE, false),
            folder_notes: Switch::load(FOLDER_NOTES_PREFERENCE, true),
        }
    }

    pub fn set_theme(self, theme: Theme) {
        storage::set_preference(THEME_PREFERENCE, theme.name());
        self.theme.set(theme);
    }
}

enum_with_text! {
    pub fn name;
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Theme {
        #[default]
        System = "system",
        Light = "light",
        Dark = "dark",
    }
}

impl Theme {
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
