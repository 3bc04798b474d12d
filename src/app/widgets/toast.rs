//! Transient messages in a live region, which screen readers announce. Errors stay until they are
//! closed.

use super::buttons::IconButton;
use super::dom;
use super::icon::Icon;
use leptos::html;
use leptos::prelude::*;
use std::time::Duration;

/// Maximum number of messages shown at once; errors may exceed it.
const MAX_VISIBLE: usize = 4;
/// Time after which a message disappears, unless it is an error.
const VISIBLE_TIME: Duration = Duration::from_secs(6);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Tone {
    Note,
    Done,
    /// Stays until it is closed.
    Error,
}

impl Tone {
    fn name(self) -> &'static str {
        match self {
            Tone::Note => "note",
            Tone::Done => "done",
            Tone::Error => "error",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Message {
    id: u32,
    tone: Tone,
    text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Log {
    last_id: u32,
    visible: Vec<Message>,
}

impl Log {
    /// Adds a message in place of the same earlier one. Returns its id.
    fn add(&mut self, tone: Tone, text: String) -> u32 {
        self.last_id += 1;
        self.visible.retain(|shown| shown.text != text);
        self.visible.push(Message {
            id: self.last_id,
            tone,
            text,
        });
        // The oldest are removed, but never an error.
        let mut old = self.visible.iter();
        if self.visible.len() > MAX_VISIBLE
            && let Some(oldest) = old.position(|shown| shown.tone != Tone::Error)
        {
            self.visible.remove(oldest);
        }
        self.last_id
    }
}

/// The messages of the page.
#[derive(Debug, Clone, Copy, Default)]
pub struct Toasts(RwSignal<Log>);

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

    /// Returns the number and the text of the newest visible message.
    pub fn newest(self) -> Option<(u32, String)> {
        self.0.with(|log| {
            let newest = log.visible.last()?;
            Some((newest.id, newest.text.clone()))
        })
    }

    fn push(self, tone: Tone, text: String) {
        let Some(id) = self
            .0
            .try_update(|log| log.add(tone, text.replace('`', "")))
        else {
            return;
        };
        if tone != Tone::Error {
            set_timeout(move || self.close(id), VISIBLE_TIME);
        }
    }

    fn close(self, id: u32) {
        self.0
            .try_update(|log| log.visible.retain(|shown| shown.id != id));
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
                <div class="toast" data-tone=toast.tone.name() data-has-tip="">
                    <span class="toast-text" title=toast.text.clone()>{toast.text.clone()}</span>
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

    fn visible(messages: &[(Tone, &str)]) -> Vec<String> {
        let mut log = Log::default();
        for (tone, text) in messages {
            log.add(*tone, (*text).to_owned());
        }
        log.visible.into_iter().map(|shown| shown.text).collect()
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
        assert_eq!(visible(&messages), ["e", "2", "3", "4"]);
        let errors = ["0", "1", "2", "3", "4", "5"].map(|text| (Tone::Error, text));
        assert_eq!(visible(&errors).len(), errors.len());
    }

    #[test]
    fn the_same_is_shown_once() {
        let messages = [
            (Tone::Done, "saved"),
            (Tone::Error, "refused"),
            (Tone::Done, "saved"),
        ];
        assert_eq!(visible(&messages), ["refused", "saved"]);
    }
}
