//! A text editor for long texts: one native text control holds some thousand lines around the
//! caret, the others are drawn only when they are in view. So selection, clipboard, input methods
//! and screen readers are the browser's own, and a text of any length opens at once.
//!
//! | key | does |
//! |---|---|
//! | Tab, Shift+Tab | indents and outdents the selected lines |
//! | Escape, then Tab | leaves the editor |
//! | Ctrl+Space | suggestions; Down, Up move, Enter or Tab takes one, Escape closes |
//! | Ctrl+F, Ctrl+G | finds; goes to a line |
//! | Ctrl+Z, Ctrl+Shift+Z | undo and redo, handled by the owner |
//! | F1 | help for the text at the caret |
//!
//! The [`Owner`] supplies the text, its meaning, and applies changes. The [`Editor`] holds the
//! lines in the control, the step being typed, the view, and its overlays.

mod draw;
pub mod find;
pub mod input;
pub mod marks;
pub mod text;

use crate::widgets::virtual_list::{LINE, line_at, scroll_to};
use draw::CompletionList;
pub use draw::{Completions, Suggestion, TextEditor};
use input::{InputKind, STEP_PAUSE_MS, Typing};
use leptos::html;
use leptos::prelude::*;
use marks::{Mark, marks_of_line, shift, shift_line};
use std::sync::Arc;
use std::time::Duration;
use text::{Change, End, Lines, Locked, TextPosition};

/// Distance of the caret from the end of the control's lines at which other lines are requested.
const NEAR_LINES: u32 = 150;
/// Maximum length of a selection that is searched, in UTF-16 units.
const MAX_SELECTED: u32 = 200;

/// Current lines of the text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Piece {
    /// Identifies the text.
    pub text_id: String,
    pub lines: Lines,
    /// Lines of the whole text.
    pub total: u32,
    pub marks: Vec<Mark>,
    /// Numbers of lines that differ from the original.
    pub changed: Vec<u32>,
    /// The line break of new lines.
    pub breaks: End,
    /// Why the text cannot be edited; "" if it can.
    pub locked: String,
}

/// Callbacks of the editor's owner.
#[derive(Clone, Copy)]
pub struct Owner {
    /// Text is being typed: see [`Editor::typed_change`].
    pub on_typing: Callback<()>,
    /// A step was completed.
    pub on_step: Callback<(Change, InputKind)>,
    /// The control lost the focus; all typed text is in steps.
    pub on_leave: Callback<()>,
    /// The caret should move to a position whose lines are not in the control.
    pub on_missing_target: Callback<TextPosition>,
    /// Lines from this one on are in view but unknown.
    pub on_missing_lines: Callback<u32>,
    pub on_undo: Callback<()>,
    pub on_redo: Callback<()>,
    pub on_find: Callback<()>,
    pub on_go_to_line: Callback<()>,
    pub offer: Callback<TextPosition, Option<Completions>>,
    /// Help for a position in addition to its marks; "" for none.
    pub help: Callback<TextPosition, String>,
}

#[derive(Clone, Copy)]
pub struct Editor {
    pub owner: Owner,
    text: StoredValue<Lines>,
    /// The lines at the last step.
    sent: StoredValue<Lines>,
    typing: StoredValue<Typing>,
    composing: StoredValue<bool>,
    text_id: StoredValue<String>,
    breaks: StoredValue<End>,
    /// Counts changes of `text`, for drawing.
    drawn: RwSignal<u32>,
    pub total: RwSignal<u32>,
    /// Lines in view away from the caret.
    seen: RwSignal<Arc<Lines>>,
    marks: RwSignal<Vec<Mark>>,
    changed: RwSignal<Vec<u32>>,
    pub locked: RwSignal<String>,
    pub caret: RwSignal<TextPosition>,
    /// First and last line of the navigation target.
    pub here: RwSignal<(u32, u32)>,
    area: NodeRef<html::Textarea>,
    scroller: NodeRef<html::Div>,
    ruler: NodeRef<html::Span>,
    scrolled: RwSignal<(f64, f64)>,
    list: RwSignal<Option<CompletionList>>,
    /// Announced to screen readers.
    pub status: RwSignal<String>,
    /// Whether the next Tab leaves the editor.
    leaving: StoredValue<bool>,
    /// The lines in the control when others were requested: first and last.
    requested_lines: StoredValue<(u32, u32)>,
    /// Navigation target until the control is in the page.
    jump: StoredValue<Option<(TextPosition, TextPosition, bool)>>,
}

impl Editor {
    pub fn new(owner: Owner) -> Self {
        Self {
            owner,
            text: StoredValue::default(),
            sent: StoredValue::default(),
            typing: StoredValue::default(),
            composing: StoredValue::default(),
            text_id: StoredValue::default(),
            breaks: StoredValue::default(),
            drawn: RwSignal::default(),
            total: RwSignal::default(),
            seen: RwSignal::default(),
            marks: RwSignal::default(),
            changed: RwSignal::default(),
            locked: RwSignal::default(),
            caret: RwSignal::new(TextPosition::new(1, 1)),
            here: RwSignal::default(),
            area: NodeRef::new(),
            scroller: NodeRef::new(),
            ruler: NodeRef::new(),
            scrolled: RwSignal::new((0.0, 600.0)),
            list: RwSignal::default(),
            status: RwSignal::default(),
            leaving: StoredValue::default(),
            requested_lines: StoredValue::default(),
            jump: StoredValue::default(),
        }
    }

    /// Puts other lines into the control. Typed text must be in a step already
    /// ([`Editor::close_step`]).
    pub fn open(self, piece: &Piece) {
        let is_other = self.text_id.with_value(|id| *id != piece.text_id);
        self.text_id.set_value(piece.text_id.clone());
        self.breaks.set_value(piece.breaks);
        self.list.set(None);
        if is_other {
            self.seen.set(Arc::default());
            self.caret.set(TextPosition::new(piece.lines.first, 1));
        } else if self.caret.get_untracked().line > piece.total {
            // The text has become shorter.
            self.caret.set(TextPosition::new(piece.total.max(1), 1));
        }
        self.judge(piece);
        self.set_lines(piece.lines.clone());
    }

    /// Updates the same lines. `is_settled`: they include every reported step.
    pub fn refresh(self, piece: &Piece, is_settled: bool) {
        let same = |known: &Lines| {
            let overlap = piece.lines.part(known.first, known.last());
            overlap.first == known.first
                && known.part(overlap.first, overlap.last()).lines == overlap.lines
        };
        let is_known = self.sent.with_value(same)
            && (self.typing.with_value(Typing::is_open)
                || self.total.get_untracked() == piece.total);
        if is_known {
            self.judge(piece);
            if self.typing.with_value(Typing::is_open) {
                let value = self.text.with_value(Lines::value);
                let typed = self
                    .sent
                    .with_value(|sent| sent.change(&value, End::Lf).ok().flatten());
                if let Some(typed) = typed {
                    self.shift(&typed);
                    self.total
                        .update(|total| *total = shift_line(*total, typed.shift()));
                }
            }
            self.requested_lines.set_value((0, 0));
            self.drawn.update(|drawn| *drawn += 1);
            return;
        }
        if !is_settled || self.typing.with_value(Typing::is_open) {
            return;
        }
        // Undo in the control moves the caret to the change.
        let shift = piece.total as i32 - self.total.get_untracked() as i32;
        let change = self
            .text
            .with_value(|text| text.change_to(&piece.lines, shift))
            .filter(|_| self.has_focus());
        let caret = change.map_or(self.caret.get_untracked(), |change| change.end());
        self.judge(piece);
        // Set it immediately: typing may continue before the next frame.
        self.caret.set(caret);
        self.set_lines(piece.lines.clone());
        self.go_to(caret, caret, self.has_focus());
    }

    /// Shows lines that were requested with `on_missing_lines`.
    pub fn show_lines(self, lines: Lines, marks: Vec<Mark>) {
        let (first, last) = (lines.first, lines.last());
        self.seen.set(Arc::new(lines));
        self.marks.update(|known| {
            known.retain(|mark| !(first..=last).contains(&mark.line));
            known.extend(marks);
            known.sort_by_key(|mark| (mark.line, mark.column));
        });
    }

    /// Scrolls to a position and selects up to `to`; requests lines that are missing.
    pub fn go_to(self, from: TextPosition, to: TextPosition, focus: bool) {
        if !self.text.with_value(|text| text.holds(from.line)) {
            self.owner.on_missing_target.run(from);
            return;
        }
        self.caret.set(from);
        self.jump.set_value(Some((from, to, focus)));
        self.arrive();
    }

    pub fn close_step(self) {
        let kind = self.typing.try_update_value(|typing| {
            let kind = typing.kind();
            typing.close();
            kind
        });
        let Some(value) = self.text.try_with_value(Lines::value) else {
            return;
        };
        if self.send_step(&value, kind.unwrap_or_default()) {
            // A step may have other line breaks than the control.
            self.text.set_value(self.sent.get_value());
        }
    }

    /// Reports the change from the last step to this value. Returns whether there is a change.
    fn send_step(self, value: &str, kind: InputKind) -> bool {
        let breaks = self.breaks.get_value();
        let mut change = None;
        self.sent
            .update_value(|sent| change = sent.take(value, breaks).ok().flatten());
        let has_change = change.is_some();
        if let Some(change) = change {
            self.owner.on_step.run((change, kind));
        }
        has_change
    }

    /// Returns the typed text that is not in a step yet.
    pub fn typed_change(self) -> Option<Change> {
        let value = self.text.try_with_value(Lines::value)?;
        let breaks = self.breaks.try_get_value()?;
        self.sent
            .try_with_value(|sent| sent.change(&value, breaks).ok().flatten())?
    }

    /// Shows refused changes as if they were typed here, if their position is in the control.
    pub fn show_refused(self, changes: &[Change]) {
        if changes.is_empty() {
            return;
        }
        let mut lines = self.text.get_value();
        let mut more = 0;
        for change in changes {
            more += if lines.redo(change, self.breaks.get_value()) {
                change.shift()
            } else {
                0
            };
        }
        self.total.update(|total| *total = shift_line(*total, more));
        self.set_lines(lines);
    }

    /// Whether there is typed text that is not in a step yet.
    pub fn is_typing(self) -> bool {
        self.typing.with_value(Typing::is_open)
    }

    /// Identifies the text in the control.
    pub fn text_id(self) -> String {
        self.text_id.get_value()
    }

    pub fn focus(self) {
        if let Some(area) = self.area.get_untracked() {
            // Fails only if the control cannot have the focus.
            let _ = area.focus();
        }
    }

    pub fn has_focus(self) -> bool {
        let active = document().active_element();
        self.area
            .get_untracked()
            .is_some_and(|area| active.is_some_and(|active| active.is_same_node(Some(&area))))
    }

    /// Returns the lines of the control up to and including a line.
    pub fn lines_to(self, line: u32) -> Vec<String> {
        self.text
            .with_value(|text| text.part(text.first, line).into_texts())
    }

    pub fn line_text(self, line: u32) -> String {
        self.text.with_value(|text| {
            text.line(line)
                .map(|line| line.text.clone())
                .unwrap_or_default()
        })
    }

    /// Returns the lines of the control after a line.
    pub fn lines_from(self, line: u32) -> Vec<String> {
        self.text
            .with_value(|text| text.part(line, text.last()).into_texts())
    }

    /// Converts a position in the file to one in the control.
    pub fn in_control(self, place: TextPosition) -> TextPosition {
        self.text.with_value(|text| text.without_mark(place))
    }

    pub fn holds(self, line: u32) -> bool {
        self.text.with_value(|text| text.holds(line))
    }

    pub fn selected_text(self) -> String {
        let Some(area) = self.area.get_untracked() else {
            return String::new();
        };
        let (from, to) = input::selected_range(&area);
        let units: Vec<u16> = area
            .value()
            .encode_utf16()
            .skip(from as usize)
            .take(to.saturating_sub(from).min(MAX_SELECTED) as usize)
            .collect();
        let text = String::from_utf16_lossy(&units);
        if text.contains('\n') {
            String::new()
        } else {
            text
        }
    }

    pub fn track_text(self) {
        self.drawn.track();
    }

    pub fn say(self, message: impl Into<String>) {
        let message: String = message.into();
        self.status.set(message.replace('`', ""));
    }

    /// Returns the messages of the marks at a position, and its help.
    pub fn message_at(self, position: TextPosition) -> String {
        let mut lines: Vec<String> = self.marks.with_untracked(|marks| {
            marks_of_line(marks, position.line)
                .iter()
                .filter(|mark| mark.contains(position.line, position.column))
                .map(|mark| format!("{}: {}", mark.tone.word(), mark.message))
                .collect()
        });
        let help = self.owner.help.run(position);
        if !help.is_empty() {
            lines.push(help);
        }
        lines.join("\n")
    }

    fn value(self) -> Option<String> {
        self.area.get_untracked().map(|area| area.value())
    }

    fn on_input(self, kind: InputKind) {
        let (Some(area), Some(value)) = (self.area.get_untracked(), self.value()) else {
            return;
        };
        let before = self.text.get_value();
        let mut taken = Ok(None);
        self.text
            .update_value(|text| taken = text.take(&value, self.breaks.get_value()));
        match taken {
            Err(locked) => {
                area.set_value(&before.value());
                let at = before.units(self.caret.get_untracked());
                // The range is in the text.
                let _ = area.set_selection_range(at, at);
                self.say_locked(locked);
            }
            Ok(None) => {}
            Ok(Some(change)) => {
                let caret = self.caret.get_untracked();
                let is_near =
                    change.from.line <= caret.line + 1 && change.to.line + 1 >= caret.line;
                let kind_before = self.typing.with_value(Typing::kind);
                let is_completed = self
                    .typing
                    .try_update_value(|typing| typing.add(is_near, kind, js_sys::Date::now()));
                // A composition in progress makes no step.
                if is_completed == Some(true) && !self.composing.get_value() {
                    // The last input begins the next step.
                    self.send_step(&before.value(), kind_before);
                }
                self.shift(&change);
                self.shift_total(&change);
                self.drawn.update(|drawn| *drawn += 1);
                // A pending jump would move the caret away from the typed text.
                self.jump.set_value(None);
                self.on_caret();
                self.wait();
                self.owner.on_typing.run(());
            }
        }
    }

    fn say_locked(self, locked: Locked) {
        self.say(format!(
            "Line {} is too long to be shown whole, so it cannot be edited here.",
            locked.line
        ));
    }

    /// Handles a click into the text, which overrides a pending jump.
    fn on_click(self) {
        self.jump.set_value(None);
        self.on_caret();
    }

    /// Handles a possible move of the caret.
    fn on_caret(self) {
        // The pending target is more accurate than the current caret.
        if self.jump.with_value(Option::is_some) {
            return;
        }
        let Some(area) = self.area.get_untracked() else {
            return;
        };
        // Only text controls have a selection.
        let at = area.selection_end().ok().flatten().unwrap_or_default();
        let caret = self.text.with_value(|text| text.place(at));
        let before = self.caret.get_untracked();
        if caret != before {
            // Text typed elsewhere is another step.
            if caret.line.abs_diff(before.line) > 1 && !self.composing.get_value() {
                self.close_step();
            }
            self.caret.set(caret);
        }
        self.keep_lines_around(caret, &area);
    }

    /// Requests other lines when the caret is near the end of those in the control, unless text is
    /// being typed or selected.
    fn keep_lines_around(self, caret: TextPosition, area: &web_sys::HtmlTextAreaElement) {
        let total = self.total.get_untracked();
        let is_near = self.text.with_value(|text| {
            (text.first > 1 && caret.line < text.first + NEAR_LINES)
                || (text.last() < total && caret.line + NEAR_LINES > text.last())
        });
        let is_at_rest = area.selection_start() == area.selection_end()
            && !self.is_typing()
            && !self.composing.get_value();
        // Requested once for the current lines.
        let here = self.text.with_value(|text| (text.first, text.last()));
        if is_near && is_at_rest && self.requested_lines.get_value() != here {
            self.requested_lines.set_value(here);
            self.owner.on_missing_target.run(caret);
        }
    }

    /// Makes a step of the typed text when it is complete, at the latest after a pause.
    fn wait(self) {
        let is_due = move || {
            let is_complete = |typing: &Typing| typing.is_due(js_sys::Date::now());
            let is_complete = self.typing.try_with_value(is_complete).unwrap_or_default();
            is_complete && self.composing.try_get_value() == Some(false)
        };
        if is_due() {
            return self.close_step();
        }
        let check = move || {
            if is_due() {
                self.close_step();
            }
        };
        set_timeout(check, Duration::from_millis(STEP_PAUSE_MS as u64 + 5));
    }

    fn shift(self, change: &Change) {
        let lines = change.shift();
        if lines != 0 {
            self.marks
                .update(|marks| shift(marks, change.to.line, lines));
            self.changed.update(|changed| {
                for line in changed.iter_mut().filter(|line| **line > change.to.line) {
                    *line = shift_line(*line, lines);
                }
            });
        }
    }

    fn shift_total(self, change: &Change) {
        let lines = change.shift();
        if lines == 0 {
            return;
        }
        let moved = |line: u32| shift_line(line, lines);
        self.total.update(|total| *total = moved(*total));
        self.here.update(|here| {
            if here.0 > change.to.line {
                *here = (moved(here.0), moved(here.1));
            }
        });
        self.seen.update(|seen| {
            if seen.first > change.to.line {
                Arc::make_mut(seen).first = moved(seen.first);
            }
        });
    }

    fn judge(self, piece: &Piece) {
        self.total.set(piece.total);
        self.marks.set(piece.marks.clone());
        self.changed.set(piece.changed.clone());
        self.locked.set(piece.locked.clone());
    }

    /// Puts lines into the control, keeping caret and view.
    fn set_lines(self, lines: Lines) {
        self.typing.update_value(Typing::close);
        self.sent.set_value(lines.clone());
        self.text.set_value(lines);
        self.drawn.update(|drawn| *drawn += 1);
        self.fill();
    }

    /// Fills the control, also when it has just entered the page.
    fn fill(self) {
        let Some(area) = self.area.get_untracked() else {
            return;
        };
        let value = self.text.with_value(Lines::value);
        if area.value() != value {
            let had_focus = self.has_focus();
            area.set_value(&value);
            if had_focus {
                let at = self
                    .text
                    .with_value(|text| text.units(self.caret.get_untracked()));
                let _ = area.set_selection_range(at, at);
            }
        }
        self.arrive();
    }

    /// Goes to the pending target after drawing.
    fn arrive(self) {
        if self.jump.with_value(Option::is_none) {
            return;
        }
        request_animation_frame(move || {
            let (Some(area), Some(scroller)) = (
                self.area.try_get_untracked().flatten(),
                self.scroller.try_get_untracked().flatten(),
            ) else {
                return;
            };
            let Some((from, to, focus)) = self.jump.try_update_value(Option::take).flatten() else {
                return;
            };
            let (start, end) = self
                .text
                .with_value(|text| (text.units(from), text.units(to)));
            let _ = area.set_selection_range(start, end);
            let total = self.total.get_untracked();
            let (view, top) = (
                f64::from(scroller.client_height()),
                f64::from(scroller.scroll_top()),
            );
            let at = line_at(top, view, total);
            let is_in_view = from.line > at && f64::from(from.line + 1 - at) * LINE < view;
            if !is_in_view {
                scroller.set_scroll_top(scroll_to(from.line, view, total) as i32);
            }
            self.reveal_column(from, &scroller);
            if focus {
                // The browser scrolls to a control that gets the focus, which is as high as all its
                // lines: restore the scroll position.
                let (top, left) = (scroller.scroll_top(), scroller.scroll_left());
                let _ = area.focus();
                scroller.set_scroll_top(top);
                scroller.set_scroll_left(left);
            }
            self.on_scroll();
        });
    }
}
