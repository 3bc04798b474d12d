//! Preferences from the last visit: theme, and whether single letters are commands.

use super::Theme;
use super::context_signal::ContextSignal;
use crate::browser::local_storage;
use leptos::prelude::*;

const KEPT_THEME: &str = "theme";
const KEPT_LETTERS: &str = "letter-keys";

#[derive(Clone, Copy)]
pub struct Preferences {
    theme: ContextSignal<Theme>,
    letter_keys: ContextSignal<bool>,
}

impl Preferences {
    pub(super) fn load() -> Self {
        Self {
            theme: ContextSignal::new(
                local_storage::preference(KEPT_THEME)
                    .map_or(Theme::System, |name| Theme::from_name(&name)),
            ),
            letter_keys: ContextSignal::new(
                local_storage::preference(KEPT_LETTERS).is_none_or(|value| value != "off"),
            ),
        }
    }

    pub fn theme(self) -> ReadSignal<Theme> {
        self.theme.reader()
    }

    pub fn set_theme(self, theme: Theme) {
        local_storage::set_preference(KEPT_THEME, theme.name());
        self.theme.set(theme);
    }

    /// Whether single letters are shortcuts.
    pub fn letter_keys(self) -> ReadSignal<bool> {
        self.letter_keys.reader()
    }

    pub fn set_letter_keys(self, on: bool) {
        local_storage::set_preference(KEPT_LETTERS, if on { "on" } else { "off" });
        self.letter_keys.set(on);
    }
}
