//! What is told in passing: messages that are seen, and words for who cannot see what the keys did.

use super::held::Held;
use crate::widgets::toast::Toasts;
use leptos::prelude::*;

#[derive(Clone, Copy, Default)]
pub struct Told {
    pub toasts: Toasts,
    said: Held<String>,
}

impl Told {
    /// What the keys did, for who cannot see it.
    pub fn said(self) -> ReadSignal<String> {
        self.said.reader()
    }

    /// Tells it to who cannot see it; the same once more too.
    pub fn say(self, text: String) {
        let is_same = self.said.with_untracked(|said| *said == text && !text.is_empty());
        self.said.set(if is_same { format!("{text}\u{a0}") } else { text });
    }
}
