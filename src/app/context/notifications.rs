//! Transient notifications: toasts, and announcements to screen readers.

use crate::widgets::announce::Announcer;
use crate::widgets::toast::Toasts;

#[derive(Clone, Copy, Default)]
pub struct Notifications {
    pub toasts: Toasts,
    pub announcer: Announcer,
}

impl Notifications {
    /// Announces the effect of a key press to screen readers. Repeated texts are announced again.
    pub fn announce(self, text: String) {
        self.announcer.say(text);
    }
}
