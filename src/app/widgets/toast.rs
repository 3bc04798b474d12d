//! Short messages that come and go, spoken by screen readers (a live region that is always in the page).

use super::button::IconButton;
use super::icon::Icon;
use leptos::prelude::*;
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Note,
    Done,
    /// Stays until it is closed.
    Error,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Toast {
    id: u32,
    tone: Tone,
    text: String,
}

/// The messages now on the page.
#[derive(Debug, Clone, Copy)]
pub struct Toasts(RwSignal<(u32, Vec<Toast>)>);

impl Default for Toasts {
    fn default() -> Self {
        Self(RwSignal::new((0, Vec::new())))
    }
}

impl Toasts {
    pub fn note(self, text: impl Into<String>) {
        self.push(Tone::Note, text.into());
    }

    pub fn done(self, text: impl Into<String>) {
        self.push(Tone::Done, text.into());
    }

    pub fn error(self, text: impl Into<String>) {
        self.push(Tone::Error, text.into());
    }

    fn push(self, tone: Tone, text: String) {
        let id = self.0.with_untracked(|(last, _)| last + 1);
        self.0.update(|(last, toasts)| {
            *last = id;
            toasts.retain(|toast| toast.text != text);
            toasts.push(Toast { id, tone, text });
            // More than a handful is noise: the oldest go.
            if toasts.len() > 4 {
                toasts.remove(0);
            }
        });
        if tone != Tone::Error {
            set_timeout(move || self.close(id), Duration::from_secs(6));
        }
    }

    fn close(self, id: u32) {
        self.0.try_update(|(_, toasts)| toasts.retain(|toast| toast.id != id));
    }
}

#[component]
pub fn ToastRegion(toasts: Toasts) -> impl IntoView {
    view! {
        <div class="toasts" role="log" aria-label="Messages" aria-live="polite">
            <For each=move || toasts.0.get().1 key=|toast| toast.id let:toast>
                <div
                    class="toast"
                    data-tone=match toast.tone {
                        Tone::Note => "note",
                        Tone::Done => "done",
                        Tone::Error => "error",
                    }
                >
                    <span class="toast-text">{toast.text}</span>
                    <IconButton label="Dismiss" icon=Icon::Close quiet=true on_press=move |()| toasts.close(toast.id)/>
                </div>
            </For>
        </div>
    }
}
