//! Transient messages in a live region, which screen readers announce. All are kept for later
//! reading; errors stay visible until they are closed.

use super::buttons::IconButton;
use super::dom;
use super::icon::Icon;
use leptos::html;
use leptos::prelude::*;
use std::time::Duration;

/// Maximum number of messages shown at once; errors may exceed it.
const MAX_VISIBLE: usize = 4;
/// Maximum number of messages kept.
const MAX_KEPT: usize = 200;
/// Time after which a message disappears, unless it is an error.
const VISIBLE_TIME: Duration = Duration::from_secs(6);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tone {
    Note,
    Done,
    /// Stays until it is closed.
    Error,
}

impl Tone {
    pub fn name(self) -> &'static str {
        match self {
            Tone::Note => "note",
            Tone::Done => "done",
            Tone::Error => "error",
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    pub id: u32,
    pub tone: Tone,
    pub text: String,
    /// Time of the last occurrence, in milliseconds since 1970.
    pub at: f64,
    /// Consecutive occurrences.
    pub times: u32,
}

impl Message {
    /// Returns the text with the number of occurrences.
    pub fn describe(&self) -> String {
        if self.times < 2 {
            self.text.clone()
        } else {
            format!("{} ({} times)", self.text, self.times)
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
struct Log {
    last_id: u32,
    visible: Vec<Message>,
    all: Vec<Message>,
    /// Number of errors that were not closed before the user read the list.
    unread: usize,
}

impl Log {
    /// Adds a message at a time in milliseconds since 1970. Returns its id.
    fn add(&mut self, tone: Tone, text: String, at: f64) -> u32 {
        self.last_id += 1;
        let repeated = self
            .all
            .pop_if(|last| last.text == text && last.tone == tone);
        let times = repeated.map_or(1, |last| last.times + 1);
        let message = Message {
            id: self.last_id,
            tone,
            text,
            at,
            times,
        };
        // A repeated message replaces the shown one and counts once.
        let (same, others): (Vec<Message>, Vec<Message>) = std::mem::take(&mut self.visible)
            .into_iter()
            .partition(|shown| shown.text == message.text);
        self.visible = others;
        let is_error = |shown: &&Message| shown.tone == Tone::Error;
        self.unread = self
            .unread
            .saturating_sub(same.iter().filter(is_error).count());
        self.visible.push(message.clone());
        // The oldest are removed, but never an error.
        if self.visible.len() > MAX_VISIBLE
            && let Some(oldest) = self
                .visible
                .iter()
                .position(|shown| shown.tone != Tone::Error)
        {
            self.visible.remove(oldest);
        }
        self.all.push(message);
        if self.all.len() > MAX_KEPT {
            self.all.remove(0);
        }
        self.unread += usize::from(tone == Tone::Error);
        self.last_id
    }

    fn close(&mut self, id: u32) {
        if let Some(index) = self.visible.iter().position(|shown| shown.id == id) {
            let closed = self.visible.remove(index);
            self.unread = self
                .unread
                .saturating_sub(usize::from(closed.tone == Tone::Error));
        }
    }

    fn mark_read(&mut self) {
        self.visible.clear();
        self.unread = 0;
    }
}

/// The messages of the page.
#[derive(Debug, Clone, Copy)]
pub struct Toasts(RwSignal<Log>);

impl Default for Toasts {
    fn default() -> Self {
        Self(RwSignal::new(Log::default()))
    }
}

impl Toasts {
    pub fn note(self, text: impl Into<String>) {
        self.push(Tone::Note, text.into());
    }

    pub fn report_success(self, text: impl Into<String>) {
        self.push(Tone::Done, text.into());
    }

    pub fn error(self, text: impl Into<String>) {
        self.push(Tone::Error, text.into());
    }

    /// Returns all messages, newest first.
    pub fn all(self) -> Vec<Message> {
        self.0.with(|log| log.all.iter().rev().cloned().collect())
    }

    pub fn count(self) -> usize {
        self.0.with(|log| log.all.len())
    }

    /// Returns the number of errors that were not closed before the user read the list.
    pub fn unread(self) -> usize {
        self.0.with(|log| log.unread)
    }

    /// Hides the messages on the page, because the user reads the list.
    pub fn mark_read(self) {
        self.0.update(Log::mark_read);
    }

    pub fn clear(self) {
        self.0.update(|log| log.all.clear());
    }

    fn push(self, tone: Tone, text: String) {
        let Some(id) = self
            .0
            .try_update(|log| log.add(tone, text, js_sys::Date::now()))
        else {
            return;
        };
        if tone != Tone::Error {
            set_timeout(move || self.close(id), VISIBLE_TIME);
        }
    }

    fn close(self, id: u32) {
        self.0.try_update(|log| log.close(id));
    }
}

#[component]
pub fn ToastRegion(toasts: Toasts) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let (came_from, on_focusin) = dom::remember_origin(node);
    let close = move |id: u32| {
        let is_by_key = dom::is_focus_visible_in(".toasts");
        toasts.close(id);
        if is_by_key {
            // The focused button disappears with its message: focus the next one, or the element
            // before.
            request_animation_frame(move || {
                if dom::is_focus_lost() && !dom::focus_first(".toasts") {
                    came_from.try_with_value(|from| from.as_ref().map(dom::Origin::restore_focus));
                }
            });
        }
    };
    view! {
        <div node_ref=node on:focusin=on_focusin class="toasts" role="log" aria-label="Messages" aria-live="polite">
            <For each=move || toasts.0.with(|log| log.visible.clone()) key=|toast| toast.id let:toast>
                <div class="toast" data-tone=toast.tone.name() data-told-here="">
                    <span class="toast-text" title=toast.describe()>{toast.describe()}</span>
                    <IconButton label="Dismiss" icon=Icon::Close quiet=true on_press=move |()| close(toast.id)/>
                </div>
            </For>
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log_of(messages: &[(Tone, &str)]) -> Log {
        let mut log = Log::default();
        for (tone, text) in messages {
            log.add(*tone, (*text).to_owned(), 0.0);
        }
        log
    }

    fn texts(messages: &[Message]) -> Vec<&str> {
        messages
            .iter()
            .map(|message| message.text.as_str())
            .collect()
    }

    #[test]
    fn errors_stay_until_closed() {
        let messages = [
            (Tone::Error, "e"),
            (Tone::Note, "1"),
            (Tone::Note, "2"),
            (Tone::Note, "3"),
            (Tone::Done, "4"),
        ];
        let log = log_of(&messages);
        assert_eq!(texts(&log.visible), ["e", "2", "3", "4"]);
        let errors: Vec<String> = (0..9).map(|number| number.to_string()).collect();
        let messages: Vec<(Tone, &str)> = errors
            .iter()
            .map(|text| (Tone::Error, text.as_str()))
            .collect();
        assert_eq!(log_of(&messages).visible.len(), 9);
    }

    #[test]
    fn past_messages_are_kept() {
        let mut log = log_of(&[
            (Tone::Done, "saved"),
            (Tone::Error, "refused"),
            (Tone::Done, "saved"),
        ]);
        assert_eq!(
            texts(&log.visible),
            ["refused", "saved"],
            "the same is shown once"
        );
        assert_eq!(texts(&log.all), ["saved", "refused", "saved"]);
        assert_eq!(log.unread, 1);
        log.close(2);
        assert_eq!((texts(&log.visible), log.unread), (vec!["saved"], 0));
        assert_eq!(log.all.len(), 3);
    }

    #[test]
    fn repeated_messages_are_shown_once() {
        let log = log_of(&[(Tone::Error, "nothing to undo"); 45]);
        assert_eq!((log.all.len(), log.visible.len(), log.unread), (1, 1, 1));
        assert_eq!(log.all[0].times, 45);
    }

    #[test]
    fn a_repeated_error_counts_once() {
        let mut log = log_of(&[
            (Tone::Error, "refused"),
            (Tone::Error, "lost"),
            (Tone::Error, "refused"),
        ]);
        assert_eq!(
            (texts(&log.visible), log.unread),
            (vec!["lost", "refused"], 2)
        );
        log.close(3);
        log.close(2);
        assert_eq!(log.unread, 0);
    }

    #[test]
    fn looking_them_up_takes_them_off_the_page() {
        let mut log = log_of(&[(Tone::Error, "refused")]);
        log.mark_read();
        assert!(log.visible.is_empty() && log.unread == 0 && log.all.len() == 1);
    }

    #[test]
    fn keeps_a_limited_number_of_messages() {
        let texts: Vec<String> = (0..MAX_KEPT + 5).map(|number| number.to_string()).collect();
        let messages: Vec<(Tone, &str)> = texts
            .iter()
            .map(|text| (Tone::Note, text.as_str()))
            .collect();
        let log = log_of(&messages);
        assert_eq!((log.all.len(), log.all[0].text.as_str()), (MAX_KEPT, "5"));
    }
}
