//! What is told in passing: messages that are seen, and words for who cannot see what the keys did.

use super::context_signal::ContextSignal;
use crate::widgets::toast::Toasts;
use leptos::prelude::*;

#[derive(Clone, Copy, Default)]
pub struct Notifications {
    pub toasts: Toasts,
    said: ContextSignal<String>,
}

impl Notifications {
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
