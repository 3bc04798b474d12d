//! Draws the editor: line numbers and signs at the left, the control with the lines around the
//! caret, underlines below it, and other lines in view beside it. Also computes which lines are in
//! view and where, and the list of suggestions.

use super::Editor;
use super::input::InputKind;
use super::marks::{Kind, Mark, Part, accessible_name, marks_of_line, parts};
use super::text::{TextLine, TextPosition, line_cells};
use crate::browser::document::listen;
use crate::reactive::{effect, memo};
use crate::widgets::cursors::{Axis, next_item};
use crate::widgets::dom;
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::virtual_list::{LINE, height, line_at, offset};
use leptos::prelude::*;
use protocol::counting::count_of;
use std::ops::Range;

/// Maximum number of suggestions drawn; typing finds the others.
const MAX_SUGGESTIONS: usize = 100;
/// Lines drawn above and below the visible ones.
const MARGIN_LINES: u32 = 6;

/// The editor's keys, for screen readers.
const HINT: &str = "Tab indents; to leave the editor, press Escape, then Tab. Ctrl+Space suggests, F1 explains what is at the \
     caret, Ctrl+F finds, Ctrl+G goes to a line, F8 goes to the next problem.";

/// A row below the control or beside it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Row {
    line: u32,
    top: i64,
    text: String,
    /// Whether the control shows the text of this row.
    is_held: bool,
    is_here: bool,
    is_changed: bool,
    parts: Vec<Part>,
}

/// A line's number, and its sign.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Number {
    line: u32,
    top: i64,
    is_here: bool,
    /// The worst tone, and all messages.
    sign: Option<(&'static str, String)>,
}

/// `label` names the text. `card` draws the messages and actions of a line's marks; `on_sign` is
/// called when a sign is pressed.
#[component]
pub fn TextEditor(
    editor: Editor,
    label: Signal<String>,
    card: Callback<u32, AnyView>,
    #[prop(into)] on_sign: Callback<u32>,
) -> impl IntoView {
    let hint_id = dom::fresh_id("editor-hint");
    let list_id = dom::fresh_id("suggestions");
    effect(move |_| {
        if editor.area.get().is_some() {
            editor.fill();
        }
    });
    // The control depends on its height, which a redrawn panel does not have yet.
    listen(&window(), "resize", move |_: web_sys::Event| {
        editor.on_scroll()
    })
    .until_cleanup();
    effect(move |_| {
        editor.total.track();
        if editor.scroller.get().is_some() {
            request_animation_frame(move || {
                if editor.scroller.try_get_untracked().flatten().is_some() {
                    editor.on_scroll();
                }
            });
        }
    });
    let marked = memo(move |_| marked_lines(editor));
    let rows = memo(move |_| rows(editor, marked.get()));
    let numbers = memo(move |_| numbers(editor, marked.get()));
    let size = memo(move |_| {
        editor.drawn.track();
        editor.text.with_value(|text| {
            let cells = text
                .lines
                .iter()
                .map(|line| line_cells(&line.text) + line_cells(&line.rest))
                .max();
            (text.first, text.lines.len(), cells.unwrap_or_default())
        })
    });
    let other_cells = move || {
        rows.with(|rows| {
            rows.iter()
                .map(|row| line_cells(&row.text))
                .max()
                .unwrap_or_default()
        })
    };
    let width = move || format!("{}ch", size.get().2.max(other_cells()) + 4);
    let active = {
        let list_id = list_id.clone();
        move || {
            editor.list.with(|list| {
                list.as_ref()
                    .and_then(|list| list.cursor)
                    .map(|at| format!("{list_id}-{at}"))
            })
        }
    };
    effect({
        let active = active.clone();
        move |_| {
            if let Some(id) = active() {
                request_animation_frame(move || dom::reveal(&id));
            }
        }
    });
    let is_locked = move || editor.locked.with(|locked| !locked.is_empty());
    view! {
        <div class="editor" data-whole>
            <div
                class="editor-scroll"
                node_ref=editor.scroller
                role="region"
                aria-label=move || label.get()
                on:scroll=move |_| {
                    editor.list.set(None);
                    editor.on_scroll();
                }
            >
                <div class="editor-all" style:height=move || format!("{}px", editor.height())>
                    <div class="editor-numbers">
                        <For each=move || numbers.get() key=Clone::clone let:number>
                            <NumberRow number card on_sign/>
                        </For>
                    </div>
                    // Handlers for bubbling events are here because an element takes only 26
                    // attributes.
                    <div
                        class="editor-text"
                        style:width=width
                        on:keydown=move |event| editor.on_key(&event)
                        on:beforeinput=move |event| match event.input_type().as_str() {
                            "historyUndo" => {
                                event.prevent_default();
                                editor.owner.on_undo.run(());
                            }
                            "insertFromPaste"
                                if event.data().is_some_and(|text| editor.paste(&text)) =>
                            {
                                event.prevent_default();
                            }
                            "historyRedo" => {
                                event.prevent_default();
                                editor.owner.on_redo.run(());
                            }
                            _ => {}
                        }
                        on:compositionstart=move |_| editor.composing.set_value(true)
                        on:compositionend=move |_| {
                            editor.composing.set_value(false);
                            editor.on_input(InputKind::Keys);
                            // The last input of a composition does not complete a step by itself.
                            editor.wait();
                        }
                        on:keyup=move |_| editor.on_caret()
                        on:mouseup=move |_| editor.on_click()
                        on:select=move |_| editor.on_caret()
                        on:mousedown=move |_| editor.list.set(None)
                    >
                        <div class="editor-rows" aria-hidden="true">
                            <For each=move || rows.get() key=Clone::clone let:row>{row_view(editor, row)}</For>
                        </div>
                        <textarea
                            node_ref=editor.area
                            class="editor-area"
                            aria-label=move || format!("Text: {}", label.get())
                            aria-describedby=hint_id.clone()
                            aria-autocomplete="list"
                            aria-haspopup="listbox"
                            aria-controls={
                                let list_id = list_id.clone();
                                move || editor.list.with(Option::is_some).then(|| list_id.clone())
                            }
                            aria-activedescendant=active
                            autocomplete="off"
                            autocapitalize="off"
                            spellcheck="false"
                            wrap="off"
                            prop:readOnly=is_locked
                            style:top=move || format!("{}px", editor.top(size.get().0))
                            style:height=move || format!("{}px", size.get().1 as f64 * LINE)
                            on:input:target=move |event| {
                                let kind = wasm_bindgen::JsCast::dyn_ref::<web_sys::InputEvent>(&*event)
                                    .map(web_sys::InputEvent::input_type)
                                    .unwrap_or_default();
                                editor.on_input(InputKind::from_input(&kind));
                                if kind == "insertText" || editor.list.with_untracked(Option::is_some) {
                                    editor.suggest(false);
                                }
                            }
                            on:focus=move |_| editor.on_caret()
                            on:blur=move |_| {
                                editor.list.try_set(None);
                                editor.leaving.try_set_value(false);
                                if editor.area.try_get_untracked().flatten().is_some() {
                                    editor.close_step();
                                    editor.owner.on_leave.run(());
                                }
                            }
                        ></textarea>
                    </div>
                </div>
                <span class="editor-ruler" node_ref=editor.ruler aria-hidden="true">
                    "0000000000000000000000000000000000000000"
                </span>
            </div>
            <p class="visually-hidden" id=hint_id>{HINT}</p>
            <p class="visually-hidden" role="status" aria-label="Editor message">{move || editor.status.get()}</p>
            <Suggestions editor list_id/>
        </div>
    }
    .into_any()
}

/// The list of suggestions at the caret.
#[component]
fn Suggestions(editor: Editor, list_id: String) -> impl IntoView {
    move || {
        let open = editor.list.get()?;
        let (left, top) = editor.on_screen(open.from)?;
        let list_id = list_id.clone();
        let options = open
            .visible
            .iter()
            .enumerate()
            .map(|(index, one)| {
                let (from, insert) = (open.from, one.insert.clone());
                view! {
                    <li
                        role="option"
                        class="option"
                        id=format!("{list_id}-{index}")
                        aria-selected=(open.cursor == Some(index)).to_string()
                        // Keep the focus in the text.
                        on:mousedown=move |event| event.prevent_default()
                        on:click=move |_| {
                            editor.list.set(None);
                            editor.replace(from, &insert);
                        }
                    >
                        <span class="mono">{one.label.clone()}</span>
                        <span class="option-detail">{one.detail.clone()}</span>
                    </li>
                }
            })
            .collect_view();
        Some(view! {
            <ul
                class="options"
                role="listbox"
                aria-label="Suggestions"
                id=list_id
                style:left=format!("{left}px")
                style:top=format!("{top}px")
            >
                {options}
            </ul>
        })
    }
}

#[component]
fn NumberRow(
    number: Number,
    card: Callback<u32, AnyView>,
    on_sign: Callback<u32>,
) -> impl IntoView {
    let Number {
        line,
        top,
        is_here,
        sign,
    } = number;
    let sign = sign.map(|(tone, label)| {
        let icon = match tone {
            "error" => Icon::Error,
            "warning" => Icon::Warning,
            _ => Icon::Info,
        };
        view! {
            // The style sheet shows the card of a sign that has the pointer or the focus.
            <div class="editor-sign-place" on:keydown=move |event| if event.key() == "Escape" { dom::blur_focused() }>
                <span
                    class="editor-sign mark"
                    data-tone=if tone == "warning" { "advice" } else if tone == "note" { "info" } else { tone }
                    role="note"
                    tabindex="0"
                    aria-label=label
                    on:click=move |_| on_sign.run(line)
                    on:keydown=move |event| {
                        if event.key() == "Enter" {
                            event.prevent_default();
                            on_sign.run(line);
                        }
                    }
                >
                    <Glyph icon=icon/>
                </span>
                <div class="editor-card" role="group" aria-label=format!("Problems of line {line}")>
                    {card.run(line)}
                </div>
            </div>
        }
    });
    view! {
        <div class="editor-number" data-here=is_here.then_some("true") style:top=format!("{top}px")>
            {sign}
            {line}
        </div>
    }
    .into_any()
}

fn row_view(editor: Editor, row: Row) -> impl IntoView {
    let Row {
        line,
        top,
        text,
        is_held,
        is_here,
        is_changed,
        parts,
    } = row;
    let go = move |event: web_sys::MouseEvent| {
        let left = event.current_target().map_or(0.0, |target| {
            wasm_bindgen::JsCast::unchecked_ref::<web_sys::Element>(&target)
                .get_bounding_client_rect()
                .left()
        });
        let place = TextPosition::new(
            line,
            editor.column_at(&text, left, f64::from(event.client_x())),
        );
        editor.close_step();
        editor.go_to(place, place, true);
    };
    view! {
        <div
            class="editor-row"
            data-held=is_held.then_some("true")
            data-here=is_here.then_some("true")
            data-changed=is_changed.then_some("true")
            style:top=format!("{top}px")
            on:click=go
        >
            {parts
                .into_iter()
                .map(|(part, tone, kind)| match (tone, kind) {
                    (None, Kind::Plain) => part.into_any(),
                    (None, kind) => view! { <span class="editor-part" data-kind=kind.name()>{part}</span> }.into_any(),
                    (Some(tone), kind) => {
                        view! { <span class="editor-wrong editor-part" data-tone=tone.name() data-kind=kind.name()>{part}</span> }
                            .into_any()
                    }
                })
                .collect_view()}
        </div>
    }
}

/// Returns the first and last line to mark: the navigation target while the caret is in it, else the
/// line of the caret.
fn marked_lines(editor: Editor) -> (u32, u32) {
    let (from, to) = editor.here.get();
    let line = editor.caret.get().line;
    if (from..=to).contains(&line) {
        (from, to)
    } else {
        (line, line)
    }
}

fn rows(editor: Editor, (from, to): (u32, u32)) -> Vec<Row> {
    editor.drawn.track();
    editor.marks.with(|marks| {
        editor.seen.with(|seen| {
            editor.changed.with(|changed| {
                let row = |line: u32| {
                    let held = editor
                        .text
                        .with_value(|text| text.line(line).map(TextLine::visible_text));
                    let is_held = held.is_some();
                    let text = held.or_else(|| seen.line(line).map(TextLine::visible_text))?;
                    Some(Row {
                        line,
                        top: editor.top(line) as i64,
                        is_held,
                        is_here: (from..=to).contains(&line),
                        is_changed: changed.contains(&line),
                        parts: parts(&text, marks_of_line(marks, line)),
                        text,
                    })
                };
                editor.in_view().filter_map(row).collect()
            })
        })
    })
}

fn numbers(editor: Editor, (from, to): (u32, u32)) -> Vec<Number> {
    editor.marks.with(|marks| {
        let number = |line: u32| {
            let marks: &[Mark] = marks_of_line(marks, line);
            let worst = marks.iter().map(|mark| mark.tone).min();
            Number {
                line,
                top: editor.top(line) as i64,
                is_here: (from..=to).contains(&line),
                sign: worst.map(|tone| (tone.name(), accessible_name(marks))),
            }
        };
        editor.in_view().map(number).collect()
    })
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Suggestion {
    pub label: String,
    pub insert: String,
    /// Dimmed text beside it.
    pub detail: String,
}

/// Suggestions at the caret; `from` is the start of the word that a suggestion replaces.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Completions {
    pub from: TextPosition,
    pub typed: String,
    pub all: Vec<Suggestion>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CompletionList {
    pub from: TextPosition,
    pub visible: Vec<Suggestion>,
    pub cursor: Option<usize>,
}

impl CompletionList {
    /// Creates the list for these completions. If a key opened it, marks its first suggestion;
    /// otherwise keys still apply to the text.
    pub fn from_completions(offer: &Completions, by_key: bool) -> Option<Self> {
        let typed = offer.typed.to_lowercase();
        let is_complete = offer.all.iter().any(|one| one.label == offer.typed);
        if !by_key && (typed.is_empty() || is_complete) {
            return None;
        }
        let begins =
            |one: &&Suggestion| is_complete || one.label.to_lowercase().starts_with(&typed);
        let contains =
            |one: &&Suggestion| !begins(one) && one.label.to_lowercase().contains(&typed);
        let first = offer.all.iter().filter(begins);
        let suggestions: Vec<_> = first
            .chain(offer.all.iter().filter(contains))
            .take(MAX_SUGGESTIONS)
            .cloned()
            .collect();
        let cursor = by_key.then_some(0);
        (!suggestions.is_empty()).then_some(Self {
            from: offer.from,
            visible: suggestions,
            cursor,
        })
    }

    /// Moves the cursor. Returns `false` if the list does not handle the key.
    pub fn on_key(&mut self, key: &str) -> bool {
        if !matches!(key, "ArrowDown" | "ArrowUp") {
            return false;
        }
        self.cursor =
            next_item(key, self.cursor, self.visible.len(), Axis::Vertical).or(self.cursor);
        true
    }

    /// Returns the suggestion that Enter accepts. Tab accepts the first one if none is marked.
    pub fn accepted_by(&self, key: &str) -> Option<&Suggestion> {
        match key {
            "Enter" => self.visible.get(self.cursor?),
            "Tab" => self.visible.get(self.cursor.unwrap_or_default()),
            _ => None,
        }
    }

    /// Returns the announcement when it opens.
    pub fn announcement(&self) -> String {
        format!(
            "{}, Down to choose",
            count_of(self.visible.len(), "suggestion")
        )
    }
}

impl Editor {
    pub(super) fn height(self) -> f64 {
        height(self.total.get())
    }

    pub(super) fn top(self, line: u32) -> f64 {
        let (top, view) = self.scrolled.get();
        offset(line, top, view, self.total.get())
    }

    /// Returns the visible lines, and [`MARGIN_LINES`] more on each side.
    pub(super) fn in_view(self) -> Range<u32> {
        let ((top, view), total) = (self.scrolled.get(), self.total.get().max(1));
        let first = line_at(top, view, total);
        let end = first + (view / LINE).ceil() as u32 + MARGIN_LINES;
        first.saturating_sub(MARGIN_LINES).max(1)..end.min(total + 1)
    }

    /// Requests lines that scroll into view and are not known.
    pub(super) fn on_scroll(self) {
        let Some(scroller) = self.scroller.get_untracked() else {
            return;
        };
        self.scrolled.set((
            f64::from(scroller.scroll_top()),
            f64::from(scroller.client_height()),
        ));
        let view = untrack(|| self.in_view());
        let is_known = |line: u32| {
            self.text.with_value(|text| text.holds(line))
                || self.seen.with_untracked(|seen| seen.holds(line))
        };
        if !view.is_empty() && (!is_known(view.start) || !is_known(view.end - 1)) {
            self.owner.on_missing_lines.run(view.start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn offer(typed: &str, all: &[&str]) -> Completions {
        let all = all.iter().map(|label| Suggestion {
            label: (*label).into(),
            insert: (*label).into(),
            detail: String::new(),
        });
        Completions {
            from: TextPosition::new(1, 1),
            typed: typed.into(),
            all: all.collect(),
        }
    }

    fn labels(open: &CompletionList) -> Vec<&str> {
        open.visible.iter().map(|one| one.label.as_str()).collect()
    }

    #[test]
    fn prefix_matches_come_first() {
        let open =
            CompletionList::from_completions(&offer("rep", &["a.rep", "replaces", "skips"]), false)
                .expect("open");
        assert_eq!(
            (labels(&open), open.cursor),
            (vec!["replaces", "a.rep"], None)
        );
        assert_eq!(open.accepted_by("Enter"), None, "a line break stays one");
        assert_eq!(
            open.accepted_by("Tab").map(|one| one.label.as_str()),
            Some("replaces")
        );
    }

    #[test]
    fn opens_by_itself_only_while_a_word_is_typed() {
        assert_eq!(
            CompletionList::from_completions(&offer("", &["a"]), false),
            None
        );
        assert_eq!(
            CompletionList::from_completions(&offer("a", &["a", "ab"]), false),
            None,
            "the word is complete"
        );
        let mut open = CompletionList::from_completions(&offer("a", &["a", "ab", "c"]), true)
            .expect("asked for");
        assert_eq!(
            (labels(&open), open.cursor),
            (vec!["a", "ab", "c"], Some(0))
        );
        assert!(open.on_key("ArrowUp") && !open.on_key("Home"));
        assert_eq!(
            open.accepted_by("Enter").map(|one| one.label.as_str()),
            Some("c")
        );
        assert_eq!(
            CompletionList::from_completions(&offer("zz", &["a"]), true),
            None
        );
        assert_eq!(open.announcement(), "3 suggestions, Down to choose");
    }
}
