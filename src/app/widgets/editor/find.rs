//! The bar to find a text and to go to a line. Its owner searches.
//!
//! | key | does |
//! |---|---|
//! | Enter, Shift+Enter | next and previous match; in *Line*, goes there |
//! | Escape | closes the bar |

use crate::widgets::buttons::IconButton;
use crate::widgets::dom::field_text;
use crate::widgets::icon::Icon;
use crate::widgets::{announce, dom};
use leptos::html;
use leptos::prelude::*;

#[derive(Clone, Copy, Default)]
pub struct FindBar {
    pub is_open: RwSignal<bool>,
    pub text: RwSignal<String>,
    /// For example `3 of 17`.
    pub status: RwSignal<String>,
    field: NodeRef<html::Input>,
    line_field: NodeRef<html::Input>,
}

impl FindBar {
    /// Opens the bar for a text; an empty one keeps the last search.
    pub fn open(self, text: &str) {
        if !text.is_empty() {
            self.text.set(text.to_owned());
        }
        self.show(self.field);
    }

    pub fn open_line(self) {
        self.show(self.line_field);
    }

    fn show(self, field: NodeRef<html::Input>) {
        self.is_open.set(true);
        request_animation_frame(move || {
            if let Some(field) = field.try_get_untracked().flatten() {
                dom::focus(&field);
                field.select();
            }
        });
    }
}

/// `on_find` gets whether to go backwards; `on_line` gets a line number.
#[component]
pub fn FindRow(
    bar: FindBar,
    #[prop(into)] on_find: Callback<bool>,
    #[prop(into)] on_line: Callback<u32>,
    #[prop(into)] on_close: Callback<()>,
) -> impl IntoView {
    let close = move || {
        bar.is_open.set(false);
        on_close.run(());
    };
    let typed_line = RwSignal::new(String::new());
    let go_to_line = move || {
        if let Ok(line) = typed_line.get_untracked().trim().parse() {
            on_line.run(line);
        }
    };
    announce::follow(move || bar.status.get());
    view! {
        <Show when=move || bar.is_open.get()>
            <div
                class="find"
                role="search"
                aria-label="Find in the text"
                on:keydown=move |event| {
                    if event.key() == "Escape" {
                        event.prevent_default();
                        event.stop_propagation();
                        close();
                    }
                }
            >
                <label class="find-field">
                    "Find"
                    <input
                        node_ref=bar.field
                        class="field-input"
                        type="text"
                        autocomplete="off"
                        spellcheck="false"
                        use:field_text=Signal::from(bar.text)
                        on:input:target=move |event| {
                            bar.text.set(event.target().value());
                            bar.status.set(String::new());
                        }
                        on:keydown=move |event| {
                            if event.key() == "Enter" && !event.is_composing() {
                                event.prevent_default();
                                on_find.run(event.shift_key());
                            }
                        }
                    />
                </label>
                <IconButton label="Previous place" icon=Icon::ChevronUp on_press=move |()| on_find.run(true)/>
                <IconButton label="Next place" icon=Icon::ChevronDown on_press=move |()| on_find.run(false)/>
                <span class="find-status">{move || bar.status.get()}</span>
                <label class="find-field">
                    "Line"
                    <input
                        node_ref=bar.line_field
                        class="field-input find-line"
                        type="text"
                        inputmode="numeric"
                        autocomplete="off"
                        use:field_text=Signal::from(typed_line)
                        on:input:target=move |event| typed_line.set(event.target().value())
                        on:keydown=move |event| {
                            if event.key() == "Enter" {
                                event.prevent_default();
                                go_to_line();
                            }
                        }
                    />
                </label>
                <IconButton label="Close" icon=Icon::Close on_press=move |()| close() quiet=true/>
            </div>
        </Show>
    }
    .into_any()
}
