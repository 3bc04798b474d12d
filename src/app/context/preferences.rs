//! Preferences from the last visit: theme, and whether single letters are commands; also whether the page is being printed.

use super::Theme;
use super::context_signal::ContextSignal;
use crate::browser::{local_storage, printing};
use leptos::prelude::*;

const KEPT_THEME: &str = "theme";
const KEPT_LETTERS: &str = "letter-keys";

#[derive(Clone, Copy)]
pub struct Preferences {
    theme: ContextSignal<Theme>,
    letter_keys: ContextSignal<bool>,
    printing: ContextSignal<bool>,
}

impl Preferences {
    pub(super) fn kept() -> Self {
        let printing = ContextSignal::new(false);
        printing::follow(move |on| {
            printing.try_set(on);
        });
        Self {
            theme: ContextSignal::new(
                local_storage::preference(KEPT_THEME)
                    .map_or(Theme::System, |name| Theme::named(&name)),
            ),
            letter_keys: ContextSignal::new(
                local_storage::preference(KEPT_LETTERS).is_none_or(|value| value != "off"),
            ),
            printing,
        }
    }

    pub fn theme(self) -> ReadSignal<Theme> {
        self.theme.reader()
    }

    pub fn set_theme(self, theme: Theme) {
        local_storage::set_preference(KEPT_THEME, theme.name());
        self.theme.set(theme);
    }

    /// Whether single letters are commands.
    pub fn letter_keys(self) -> ReadSignal<bool> {
        self.letter_keys.reader()
    }

    pub fn set_letter_keys(self, on: bool) {
        local_storage::set_preference(KEPT_LETTERS, if on { "on" } else { "off" });
        self.letter_keys.set(on);
    }

    /// Whether the page is being printed: then all of what is in view is drawn.
    pub fn printing(self) -> ReadSignal<bool> {
        self.printing.reader()
    }
}
