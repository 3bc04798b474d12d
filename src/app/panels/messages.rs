//! All messages of this visit, for reading again: the button in the status bar, and the list.

use crate::browser::time;
use crate::commands::Command;
use crate::context::app_context;
use crate::widgets::button::Button;
use crate::widgets::dialog::Dialog;
use crate::widgets::shortcuts::{spoken_keys, with_keys};
use crate::widgets::toast::{Message, Tone};
use leptos::prelude::*;

#[component]
pub fn MessagesButton() -> impl IntoView {
    let app = app_context();
    let unread = move || app.notifications.toasts.unread();
    let (label, keys) = (Command::Messages.label(), Command::Messages.keys());
    view! {
        <button
            type="button"
            class="status-button"
            aria-haspopup="dialog"
            title=with_keys(label, keys)
            aria-keyshortcuts=spoken_keys(keys)
            data-unread=move || (unread() > 0).to_string()
            on:click=move |_| Command::Messages.run(app)
        >
            {label}
            {move || match (app.notifications.toasts.count(), unread()) {
                (0, _) => String::new(),
                (count, 0) => format!(" {count}"),
                (count, 1) => format!(" {count}, 1 error"),
                (count, unread) => format!(" {count}, {unread} errors"),
            }}
        </button>
    }
    .into_any()
}

#[component]
pub fn Messages() -> impl IntoView {
    let app = app_context();
    app.notifications.toasts.look_up();
    let is_empty = move || app.notifications.toasts.count() == 0;
    view! {
        <Dialog title=Command::Messages.label() light=true on_close=move |()| app.overlays.close()>
            <div class="dialog-body" tabindex="-1">
                <p class="dim" hidden=move || !is_empty()>
                    "No messages yet. Notifications stay listed here until you close the page."
                </p>
                <ol class="messages" aria-label="Messages since the page was opened" hidden=is_empty>
                    <For each=move || app.notifications.toasts.all() key=|message| message.id let:message>
                        {line(message)}
                    </For>
                </ol>
                <p hidden=is_empty>
                    <Button label="Clear all" on_press=move |()| app.notifications.toasts.forget()/>
                </p>
            </div>
        </Dialog>
    }
    .into_any()
}

fn line(message: Message) -> impl IntoView {
    let word = match message.tone {
        Tone::Note => "Note",
        Tone::Done => "Done",
        Tone::Error => "Error",
    };
    view! {
        <li class="message" data-tone=message.tone.name()>
            <span class="message-tone">{word}</span>
            <span class="message-text">{message.in_words()}</span>
            <time class="message-time">{time::moment(message.at as u64)}</time>
        </li>
    }
    .into_any()
}
