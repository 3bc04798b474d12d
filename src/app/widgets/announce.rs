//! What is said to screen readers. The page has one polite and one urgent live region (`panels/live_region.rs`), and
//! whatever has something to say writes into them: a region for each message would be read in an order that nobody
//! chose, or not at all where it came into the page together with its text.
//!
//! The functions are called while a component is made, and say nothing where the page gave no [`Announcer`].

use crate::reactive::effect;
use leptos::prelude::*;

/// A context: the texts of the live regions.
#[derive(Debug, Clone, Copy)]
pub struct Announcer {
    polite: RwSignal<String>,
    urgent: RwSignal<String>,
}

impl Default for Announcer {
    fn default() -> Self {
        Self {
            polite: RwSignal::new(String::new()),
            urgent: RwSignal::new(String::new()),
        }
    }
}

impl Announcer {
    /// Said when the reader pauses. A repeated text is said again.
    pub fn say(self, text: String) {
        tell(self.polite, text);
    }

    /// Said at once: what went wrong, and what needs an answer.
    pub fn alert(self, text: String) {
        tell(self.urgent, text);
    }

    fn take_back(self, text: &str) {
        if self
            .urgent
            .try_with_untracked(|said| said.trim_end_matches('\u{a0}') == text)
            == Some(true)
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

/// Readers are told of a text only when it is another one.
fn tell(region: RwSignal<String>, text: String) {
    let is_same = region.try_with_untracked(|said| *said == text && !text.is_empty());
    region.try_set(if is_same == Some(true) {
        format!("{text}\u{a0}")
    } else {
        text
    });
}

/// Says a text whenever it becomes another one. What is there at first is read where it stands.
pub fn follow(text: impl Fn() -> String + 'static) {
    let Some(announcer) = use_context::<Announcer>() else {
        return;
    };
    effect(move |before: Option<String>| {
        let now = text();
        if before.is_some_and(|before| before != now) && !now.is_empty() {
            announcer.say(now.clone());
        }
        now
    });
}

/// Says at once what went wrong, as soon as something did.
pub fn follow_alert(text: impl Fn() -> String + 'static) {
    let Some(announcer) = use_context::<Announcer>() else {
        return;
    };
    effect(move |before: Option<String>| {
        let now = text();
        match before {
            Some(before) if before == now => {}
            // What is no longer so does not stay in the region.
            Some(before) if now.is_empty() => announcer.take_back(&before),
            _ if now.is_empty() => {}
            _ => announcer.alert(now.clone()),
        }
        now
    });
}

/// Says what came into the page.
pub fn say(text: impl Into<String>) {
    if let Some(announcer) = use_context::<Announcer>() {
        announcer.say(text.into());
    }
}

/// Says at once what came into the page.
pub fn alert(text: impl Into<String>) {
    if let Some(announcer) = use_context::<Announcer>() {
        announcer.alert(text.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_twice_is_another_text_to_a_reader() {
        let owner = Owner::new();
        owner.set();
        let announcer = Announcer::default();
        announcer.say("back at 1.1.0".into());
        announcer.alert("refused".into());
        assert_eq!(announcer.polite().get_untracked(), "back at 1.1.0");
        announcer.say("back at 1.1.0".into());
        assert_eq!(announcer.polite().get_untracked(), "back at 1.1.0\u{a0}");
        announcer.say("back at 1.1.0".into());
        assert_eq!(announcer.polite().get_untracked(), "back at 1.1.0");
        assert_eq!(
            announcer.urgent().get_untracked(),
            "refused",
            "one does not take the other's place"
        );
        announcer.take_back("something else");
        assert_eq!(announcer.urgent().get_untracked(), "refused");
        announcer.take_back("refused");
        assert_eq!(announcer.urgent().get_untracked(), "");
    }
}
