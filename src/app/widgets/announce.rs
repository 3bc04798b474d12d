//! Announcements to screen readers. The page has one polite and one urgent live region
//! (`panels/banners.rs`), and every component writes into them: with a region for each message,
//! the reading order would be undefined, and text that enters the page together with its region is
//! not read at all.
//!
//! The functions are called while a component is created, and do nothing if the page provides no
//! [`Announcer`].

use crate::reactive::effect;
use leptos::prelude::*;

/// A context with the texts of the live regions.
#[derive(Debug, Clone, Copy, Default)]
pub struct Announcer {
    polite: RwSignal<String>,
    urgent: RwSignal<String>,
}

impl Announcer {
    /// Announces a text at the reader's next pause, even if it repeats the last one.
    pub fn say(self, text: String) {
        set_region(self.polite, text);
    }

    /// Announces a text immediately: an error, or a question that needs an answer.
    pub fn alert(self, text: String) {
        set_region(self.urgent, text);
    }

    /// Removes a text from the urgent region, unless another one has replaced it.
    fn retract_alert(self, text: &str) {
        if self.urgent.try_with_untracked(|current| {
            current.trim_end_matches('\u{a0}') == text.replace('`', "")
        }) == Some(true)
        {
            self.urgent.try_set(String::new());
        }
    }

    pub fn polite(self) -> Signal<String> {
        self.polite.into()
    }

    pub fn urgent(self) -> Signal<String> {
        self.urgent.into()
    }
}

/// Sets a region to a text that differs from its last one: otherwise screen readers ignore it.
/// Screen readers would read the backticks around names.
fn set_region(region: RwSignal<String>, text: String) {
    let text = text.replace('`', "");
    let is_same = region.try_with_untracked(|current| *current == text && !text.is_empty());
    region.try_set(if is_same == Some(true) {
        format!("{text}\u{a0}")
    } else {
        text
    });
}

/// Announces a text whenever it changes, except the first one, which is read in place.
pub fn follow(text: impl Fn() -> String + 'static) {
    follow_changes(text, |announcer, before, now| {
        if before.is_some() && !now.is_empty() {
            announcer.say(now);
        }
    });
}

/// Announces an error immediately when it appears.
pub fn follow_alert(text: impl Fn() -> String + 'static) {
    follow_changes(text, |announcer, before, now| match before {
        // Remove a solved error from the region.
        Some(before) if now.is_empty() => announcer.retract_alert(&before),
        _ if now.is_empty() => {}
        _ => announcer.alert(now),
    });
}

/// `before` is `None` for the first text.
fn follow_changes(
    text: impl Fn() -> String + 'static,
    announce: fn(Announcer, Option<String>, String),
) {
    let Some(announcer) = use_context::<Announcer>() else {
        return;
    };
    effect(move |before: Option<String>| {
        let now = text();
        if before.as_ref() != Some(&now) {
            announce(announcer, before, now.clone());
        }
        now
    });
}

/// Announces text that enters the page.
pub fn say(text: impl Into<String>) {
    if let Some(announcer) = use_context::<Announcer>() {
        announcer.say(text.into());
    }
}

/// Announces an error that enters the page.
pub fn alert(text: impl Into<String>) {
    if let Some(announcer) = use_context::<Announcer>() {
        announcer.alert(text.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_announcement_has_a_different_text() {
        let owner = Owner::new();
        owner.set();
        let announcer = Announcer::default();
        announcer.say("back at 1.1.0".into());
        announcer.alert("`p` refused".into());
        assert_eq!(announcer.polite().get_untracked(), "back at 1.1.0");
        announcer.say("back at 1.1.0".into());
        assert_eq!(announcer.polite().get_untracked(), "back at 1.1.0\u{a0}");
        announcer.say("back at 1.1.0".into());
        assert_eq!(announcer.polite().get_untracked(), "back at 1.1.0");
        assert_eq!(
            announcer.urgent().get_untracked(),
            "p refused",
            "one does not take the other's place"
        );
        announcer.retract_alert("something else");
        assert_eq!(announcer.urgent().get_untracked(), "p refused");
        announcer.retract_alert("`p` refused");
        assert_eq!(announcer.urgent().get_untracked(), "");
    }
}
