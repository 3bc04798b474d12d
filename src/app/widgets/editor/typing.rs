//! Decides when typing becomes an undo step: at a pause, when the editor is left, after a long
//! time, when typing continues elsewhere, and around atomic changes (a paste, a cut, an accepted
//! suggestion). Callers pass the time in milliseconds.
//!
//! Also the bar to find a text and to go to a line. Its owner searches.
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

/// A pause of this length ends a step, in milliseconds.
pub const PAUSE: f64 = 700.0;
/// Maximum duration of a step in milliseconds, so that problems are reported during long typing.
const LONGEST: f64 = 5_000.0;

/// The kind of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InputKind {
    /// Typed and deleted characters.
    #[default]
    Keys,
    /// Pasted, cut, dropped or completed: a step of its own.
    AtOnce,
}

impl InputKind {
    /// Converts the `inputType` of a browser event.
    pub fn from_input(name: &str) -> Self {
        match name {
            "insertFromPaste"
            | "insertFromDrop"
            | "deleteByCut"
            | "deleteByDrag"
            | "insertReplacementText" => InputKind::AtOnce,
            _ => InputKind::Keys,
        }
    }
}

/// The open step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Typing(Option<TypingStep>);

#[derive(Debug, Clone, Copy, PartialEq)]
struct TypingStep {
    kind: InputKind,
    since: f64,
    last: f64,
}

impl Typing {
    pub fn is_open(&self) -> bool {
        self.0.is_some()
    }

    /// Adds an input; `is_near`: it changes text at the caret. Returns whether the open step must be
    /// completed first.
    pub fn add(&mut self, is_near: bool, kind: InputKind, now: f64) -> bool {
        let going_on = self.0.filter(|open| {
            let is_soon = now - open.last < PAUSE && now - open.since < LONGEST;
            is_near && is_soon && kind == InputKind::Keys && open.kind == InputKind::Keys
        });
        let is_completed = self.0.is_some() && going_on.is_none();
        self.0 = Some(TypingStep {
            kind,
            since: going_on.map_or(now, |open| open.since),
            last: now,
        });
        is_completed
    }

    /// Whether the open step is complete, because of a pause or its kind.
    pub fn is_due(&self, now: f64) -> bool {
        self.0.is_some_and(|open| {
            open.kind == InputKind::AtOnce
                || now - open.last >= PAUSE
                || now - open.since >= LONGEST
        })
    }

    /// Returns the kind of the open step.
    pub fn kind(&self) -> InputKind {
        self.0.map_or(InputKind::Keys, |open| open.kind)
    }

    /// Forgets the completed step.
    pub fn close(&mut self) {
        self.0 = None;
    }
}

/// The bar's state.
#[derive(Clone, Copy)]
pub struct FindBar {
    pub is_open: RwSignal<bool>,
    pub wanted: RwSignal<String>,
    /// The result: `3 of 17`.
    pub status: RwSignal<String>,
    field: NodeRef<html::Input>,
    line: NodeRef<html::Input>,
}

impl Default for FindBar {
    fn default() -> Self {
        Self {
            is_open: RwSignal::default(),
            wanted: RwSignal::default(),
            status: RwSignal::default(),
            field: NodeRef::new(),
            line: NodeRef::new(),
        }
    }
}

impl FindBar {
    /// Opens the bar for a text; an empty one keeps the last search.
    pub fn open(self, text: &str) {
        if !text.is_empty() {
            self.wanted.set(text.to_owned());
        }
        self.show(self.field);
    }

    pub fn open_line(self) {
        self.show(self.line);
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
    let go = move || {
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
                        use:field_text=Signal::from(bar.wanted)
                        on:input:target=move |event| {
                            bar.wanted.set(event.target().value());
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
                <span class="find-told">{move || bar.status.get()}</span>
                <label class="find-field">
                    "Line"
                    <input
                        node_ref=bar.line
                        class="field-input find-line"
                        type="text"
                        inputmode="numeric"
                        autocomplete="off"
                        use:field_text=Signal::from(typed_line)
                        on:input:target=move |event| typed_line.set(event.target().value())
                        on:keydown=move |event| {
                            if event.key() == "Enter" {
                                event.prevent_default();
                                go();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_in_one_go_are_one_step() {
        let mut typing = Typing::default();
        for now in [0.0, 200.0, 400.0, 600.0] {
            assert!(!typing.add(true, InputKind::Keys, now));
        }
        assert!(!typing.is_due(700.0));
        assert!(typing.is_due(600.0 + PAUSE));
        typing.close();
        assert!(!typing.is_open() && !typing.is_due(9_999.0));
    }

    #[test]
    fn another_place_a_pause_and_a_long_time_make_another_step() {
        let mut typing = Typing::default();
        typing.add(true, InputKind::Keys, 0.0);
        assert!(typing.add(false, InputKind::Keys, 100.0), "another place");
        assert!(typing.add(true, InputKind::Keys, 100.0 + PAUSE), "a pause");
        let mut typing = Typing::default();
        let inputs = (0..100).map(|at| f64::from(at) * 100.0);
        let completed = inputs.filter(|now| typing.add(true, InputKind::Keys, *now));
        assert_eq!(completed.count(), 1);
    }

    #[test]
    fn a_single_command_is_its_own_step() {
        let mut typing = Typing::default();
        typing.add(true, InputKind::Keys, 0.0);
        assert!(typing.add(true, InputKind::AtOnce, 10.0));
        assert!(typing.is_due(10.0), "it waits for nothing");
        assert!(typing.add(true, InputKind::Keys, 20.0));
        assert_eq!(InputKind::from_input("insertFromPaste"), InputKind::AtOnce);
        assert_eq!(
            InputKind::from_input("insertCompositionText"),
            InputKind::Keys
        );
    }
}
