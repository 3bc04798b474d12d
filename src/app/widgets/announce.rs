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
    pub polite: RwSignal<String>,
    pub urgent: RwSignal<String>,
    /// The last announced text, also after it was removed.
    last: StoredValue<String>,
}

impl Announcer {
    /// Announces a text at the reader's next pause, even if it repeats the last one.
    pub fn say(self, text: String) {
        self.announce(self.polite, text);
    }

    /// Sets a region to a text that differs from the last one: otherwise screen readers ignore it.
    /// They would read the backticks around names.
    fn announce(self, region: RwSignal<String>, text: String) {
        let mut text = text.replace('`', "");
        let is_last = self.last.try_with_value(|last| *last == text);
        if is_last == Some(true) || region.try_with_untracked(|now| *now == text) == Some(true) {
            text.push('\u{a0}');
        }
        self.last.try_set_value(text.clone());
        region.try_set(text);
    }
}

/// Removes a text from a region, unless another one has replaced it.
fn clear_region(region: RwSignal<String>, text: &str) {
    let is_same = |current: &String| current.trim_end_matches('\u{a0}') == text.replace('`', "");
    if region.try_with_untracked(is_same) == Some(true) {
        region.try_set(String::new());
    }
}

/// Announces a text whenever it changes, except the first one, which is read in place. Removes it
/// when it becomes empty, and with its component.
pub fn follow(text: impl Fn() -> String + 'static) {
    follow_changes(|announcer| announcer.polite, false, text);
}

/// Announces an error immediately when it appears. Removes it when it is solved, and with its
/// component.
pub fn follow_alert(text: impl Fn() -> String + 'static) {
    follow_changes(|announcer| announcer.urgent, true, text);
}

fn follow_changes(
    region: fn(Announcer) -> RwSignal<String>,
    includes_first: bool,
    text: impl Fn() -> String + 'static,
) {
    let Some(announcer) = use_context::<Announcer>() else {
        return;
    };
    let region = region(announcer);
    let announced = StoredValue::new(String::new());
    let clear = move || clear_region(region, &announced.get_value());
    on_cleanup(clear);
    effect(move |before: Option<String>| {
        let now = text();
        let is_new = before.map_or(includes_first, |before| before != now);
        if is_new && now.is_empty() {
            clear();
        } else if is_new {
            announcer.announce(region, now.clone());
            announced.set_value(now.clone());
        }
        now
    });
}

/// Announces text that enters the page, and removes it with its component.
pub fn say(text: impl Into<String>) {
    enter(|announcer| announcer.polite, text.into());
}

/// Announces an error that enters the page, and removes it with its component.
pub fn alert(text: impl Into<String>) {
    enter(|announcer| announcer.urgent, text.into());
}

fn enter(region: fn(Announcer) -> RwSignal<String>, text: String) {
    if let Some(announcer) = use_context::<Announcer>() {
        let region = region(announcer);
        announcer.announce(region, text.clone());
        on_cleanup(move || clear_region(region, &text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_announcement_goes_with_its_component() {
        let page = Owner::new();
        page.set();
        let announcer = Announcer::default();
        provide_context(announcer);
        let component = page.child();
        component.with(|| say("Checking…"));
        assert_eq!(announcer.polite.get_untracked(), "Checking…");
        component.cleanup();
        assert_eq!(announcer.polite.get_untracked(), "");
        component.with(|| say("Checking…"));
        assert_eq!(announcer.polite.get_untracked(), "Checking…\u{a0}", "again");
        announcer.say("Added p".into());
        component.cleanup();
        assert_eq!(announcer.polite.get_untracked(), "Added p");
    }

    #[test]
    fn a_repeated_announcement_has_a_different_text() {
        let owner = Owner::new();
        owner.set();
        let announcer = Announcer::default();
        announcer.say("back at 1.1.0".into());
        provide_context(announcer);
        alert("`p` refused");
        assert_eq!(announcer.polite.get_untracked(), "back at 1.1.0");
        announcer.say("back at 1.1.0".into());
        assert_eq!(announcer.polite.get_untracked(), "back at 1.1.0\u{a0}");
        announcer.say("back at 1.1.0".into());
        assert_eq!(announcer.polite.get_untracked(), "back at 1.1.0");
        assert_eq!(
            announcer.urgent.get_untracked(),
            "p refused",
            "one does not take the other's place"
        );
        clear_region(announcer.urgent, "something else");
        assert_eq!(announcer.urgent.get_untracked(), "p refused");
        clear_region(announcer.urgent, "`p` refused");
        assert_eq!(announcer.urgent.get_untracked(), "");
    }
}
