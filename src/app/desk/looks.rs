//! How the page is to look and to hear, as the last visit left it: its theme, whether letters are commands, and whether it
//! is on paper now.

use super::Theme;
use super::held::Held;
use crate::browser::{keep, printing};
use leptos::prelude::*;

const KEPT_THEME: &str = "theme";
const KEPT_LETTERS: &str = "letter-keys";

#[derive(Clone, Copy)]
pub struct Looks {
    theme: Held<Theme>,
    letter_keys: Held<bool>,
    printing: Held<bool>,
}

impl Looks {
    pub(super) fn kept() -> Self {
        let printing = Held::new(false);
        printing::follow(move |on| {
            printing.try_set(on);
        });
        Self {
            theme: Held::new(keep::preference(KEPT_THEME).map_or(Theme::System, |name| Theme::named(&name))),
            letter_keys: Held::new(keep::preference(KEPT_LETTERS).is_none_or(|value| value != "off")),
            printing,
        }
    }

    pub fn theme(self) -> ReadSignal<Theme> {
        self.theme.reader()
    }

    pub fn set_theme(self, theme: Theme) {
        keep::set_preference(KEPT_THEME, theme.name());
        self.theme.set(theme);
    }

    /// Whether single letters are commands.
    pub fn letter_keys(self) -> ReadSignal<bool> {
        self.letter_keys.reader()
    }

    pub fn set_letter_keys(self, on: bool) {
        keep::set_preference(KEPT_LETTERS, if on { "on" } else { "off" });
        self.letter_keys.set(on);
    }

    /// Whether the page is being printed: then all of what is in view is drawn.
    pub fn printing(self) -> ReadSignal<bool> {
        self.printing.reader()
    }
}
