//! Passing notifications: toasts, and what is said to screen readers.

use crate::widgets::announce::Announcer;
use crate::widgets::toast::Toasts;

#[derive(Clone, Copy, Default)]
pub struct Notifications {
    pub toasts: Toasts,
    pub announcer: Announcer,
}

impl Notifications {
    /// Announces a text to screen readers: what a key press did. A repeated text is announced again.
    pub fn announce(self, text: String) {
        self.announcer.say(text);
    }
}
