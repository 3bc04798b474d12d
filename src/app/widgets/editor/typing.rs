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

use super::text::{Change, TextPosition};
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

/// What to do with the open step before adding new input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenStepAction {
    GoOn,
    /// Complete it first.
    Close,
}

/// The open step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Typing(Option<TypingStep>);

#[derive(Debug, Clone, Copy, PartialEq)]
struct TypingStep {
    kind: InputKind,
    /// The range of text that it touched, in current places.
    from: TextPosition,
    to: TextPosition,
    since: f64,
    last: f64,
}

impl Typing {
    pub fn is_open(&self) -> bool {
        self.0.is_some()
    }

    /// Adds an input; `change` is only the new part.
    pub fn add(&mut self, change: &Change, kind: InputKind, now: f64) -> OpenStepAction {
        let goes_on = self.0.is_some_and(|open| {
            let is_near = change.from <= open.to && change.to >= open.from;
            let is_soon = now - open.last < PAUSE && now - open.since < LONGEST;
            is_near && is_soon && kind == InputKind::Keys && open.kind == InputKind::Keys
        });
        let (from, to) = match self.0 {
            Some(open) if goes_on => (
                open.from.min(change.from),
                move_place(open.to, change).max(change.end()),
            ),
            _ => (change.from, change.end()),
        };
        let before = if self.0.is_some() && !goes_on {
            OpenStepAction::Close
        } else {
            OpenStepAction::GoOn
        };
        let since = self.0.filter(|_| goes_on).map_or(now, |open| open.since);
        self.0 = Some(TypingStep {
            kind,
            from,
            to,
            since,
            last: now,
        });
        before
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

/// Moves a place by a change before it or around it.
fn move_place(place: TextPosition, change: &Change) -> TextPosition {
    if place <= change.from {
        return place;
    }
    if place <= change.to {
        return change.end();
    }
    let line = (i64::from(place.line) + change.shift()).max(1) as u32;
    if place.line > change.to.line {
        return TextPosition::new(line, place.column);
    }
    TextPosition::new(
        line,
        change.end().column + (place.column - change.to.column),
    )
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
    fn typed(line: u32, column: u32, before: &str, text: &str) -> Change {
        let from = TextPosition::new(line, column);
        let to = Change {
            from,
            to: from,
            text: before.into(),
            ..Change::default()
        }
        .end();
        Change {
            from,
            to,
            before: before.into(),
            text: text.into(),
            ..Change::default()
        }
    }

    #[test]
    fn letters_in_one_go_are_one_step() {
        let mut typing = Typing::default();
        assert_eq!(
            typing.add(&typed(3, 5, "", "a"), InputKind::Keys, 0.0),
            OpenStepAction::GoOn
        );
        assert_eq!(
            typing.add(&typed(3, 6, "", "b"), InputKind::Keys, 200.0),
            OpenStepAction::GoOn
        );
        assert_eq!(
            typing.add(&typed(3, 6, "b", ""), InputKind::Keys, 400.0),
            OpenStepAction::GoOn,
            "and what is deleted of them"
        );
        assert_eq!(
            typing.add(&typed(3, 6, "", "\n  "), InputKind::Keys, 500.0),
            OpenStepAction::GoOn
        );
        assert_eq!(
            typing.add(&typed(4, 3, "", "x"), InputKind::Keys, 600.0),
            OpenStepAction::GoOn,
            "also on the next line"
        );
        assert!(!typing.is_due(700.0));
        assert!(typing.is_due(600.0 + PAUSE));
        typing.close();
        assert!(!typing.is_open() && !typing.is_due(9_999.0));
    }

    #[test]
    fn another_place_a_pause_and_a_long_time_make_another_step() {
        let mut typing = Typing::default();
        typing.add(&typed(3, 5, "", "a"), InputKind::Keys, 0.0);
        assert_eq!(
            typing.add(&typed(9, 1, "", "b"), InputKind::Keys, 100.0),
            OpenStepAction::Close
        );
        assert_eq!(
            typing.add(&typed(9, 2, "", "c"), InputKind::Keys, 100.0 + PAUSE),
            OpenStepAction::Close
        );
        let mut now = 10_000.0;
        let mut typing = Typing::default();
        let mut closed = 0;
        for column in 1..=100 {
            closed += usize::from(
                typing.add(&typed(1, column, "", "a"), InputKind::Keys, now)
                    == OpenStepAction::Close,
            );
            now += 100.0;
        }
        assert_eq!(closed, 1);
    }

    #[test]
    fn a_single_command_is_its_own_step() {
        let mut typing = Typing::default();
        typing.add(&typed(3, 5, "", "a"), InputKind::Keys, 0.0);
        assert_eq!(
            typing.add(&typed(3, 6, "", "pasted\ntext"), InputKind::AtOnce, 10.0),
            OpenStepAction::Close
        );
        assert!(typing.is_due(10.0), "it waits for nothing");
        assert_eq!(
            typing.add(&typed(4, 5, "", "b"), InputKind::Keys, 20.0),
            OpenStepAction::Close
        );
        assert_eq!(InputKind::from_input("insertFromPaste"), InputKind::AtOnce);
        assert_eq!(
            InputKind::from_input("insertCompositionText"),
            InputKind::Keys
        );
    }

    #[test]
    fn the_touched_range_grows_with_the_typing() {
        let change = typed(2, 3, "ab", "x\ny");
        assert_eq!(
            move_place(TextPosition::new(1, 9), &change),
            TextPosition::new(1, 9)
        );
        assert_eq!(
            move_place(TextPosition::new(2, 4), &change),
            TextPosition::new(3, 2),
            "within: its end"
        );
        assert_eq!(
            move_place(TextPosition::new(2, 9), &change),
            TextPosition::new(3, 6)
        );
        assert_eq!(
            move_place(TextPosition::new(7, 9), &change),
            TextPosition::new(8, 9)
        );
    }
}
