//! Passing notifications: toasts, and the text of the live region for screen readers.

use super::context_signal::ContextSignal;
use crate::widgets::toast::Toasts;
use leptos::prelude::*;

#[derive(Clone, Copy, Default)]
pub struct Notifications {
    pub toasts: Toasts,
    live_text: ContextSignal<String>,
}

impl Notifications {
    /// The text of the live region: what a key press did, for screen readers.
    pub fn live_text(self) -> ReadSignal<String> {
        self.live_text.reader()
    }

    /// Announces a text to screen readers. A repeated text is announced again.
    pub fn announce(self, text: String) {
        let is_same = self.live_text.with_untracked(|said| *said == text && !text.is_empty());
        self.live_text.set(if is_same { format!("{text}\u{a0}") } else { text });
    }
}
