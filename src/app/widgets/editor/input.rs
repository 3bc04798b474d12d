//! Input of the editor: its keys, and when typed text becomes an undo step.
//!
//! A step ends at a pause, when the editor is left, after a long time, when typing continues
//! elsewhere, and around atomic changes (a paste, a cut, an accepted suggestion). Callers pass the
//! time in milliseconds.

use super::Editor;
use super::draw::CompletionList;
use super::marks::shift_line;
use super::text::{self, TextPosition};
use crate::widgets::dom;
use crate::widgets::virtual_list::LINE;
use leptos::prelude::*;
use web_sys::HtmlTextAreaElement;

/// A pause of this length ends a step, in milliseconds.
pub const STEP_PAUSE_MS: f64 = 700.0;
/// Maximum duration of a step in milliseconds, so that problems are reported during long typing.
const MAX_STEP_MS: f64 = 5_000.0;

/// A longer pasted text, in bytes, does not go through the control: the browser would take seconds
/// to lay it out.
pub const MAX_TYPED: usize = 64 * 1024;
/// Maximum number of characters in the control after such a paste.
const MAX_AFTER_PASTE: usize = 16 * 1024;

const INDENT: &str = "  ";
/// Distance of the text from the control's left edge; the style sheet has the same number.
const LEFT: f64 = 4.0;
/// Width of the line numbers, in cells; the style sheet has the same number.
const NUMBERS: f64 = 8.5;

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

    /// Adds an input; `is_near`: it changes text at the caret. Returns whether the open step must
    /// be completed first.
    pub fn add(&mut self, is_near: bool, kind: InputKind, now: f64) -> bool {
        let going_on = self.0.filter(|open| {
            let is_soon = now - open.last < STEP_PAUSE_MS && now - open.since < MAX_STEP_MS;
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
                || now - open.last >= STEP_PAUSE_MS
                || now - open.since >= MAX_STEP_MS
        })
    }

    pub fn kind(&self) -> InputKind {
        self.0.map_or(InputKind::Keys, |open| open.kind)
    }

    /// Forgets the completed step.
    pub fn close(&mut self) {
        self.0 = None;
    }
}

impl Editor {
    pub(super) fn on_key(self, event: &web_sys::KeyboardEvent) {
        if event.is_composing() || self.composing.get_value() {
            return;
        }
        let Some(area) = self.area.get_untracked() else {
            return;
        };
        let key = event.key();
        if !matches!(key.as_str(), "Escape" | "Tab" | "Shift") {
            self.leaving.set_value(false);
        }
        if self.list.with_untracked(Option::is_some) && self.on_list_key(event, &key) {
            event.prevent_default();
            event.stop_propagation();
            return;
        }
        let command = event.ctrl_key() || event.meta_key();
        let is_ours = match key.to_lowercase().as_str() {
            "escape" => {
                if !self.leaving.get_value() {
                    self.leaving.set_value(true);
                    self.say("Tab leaves the editor now.");
                }
                false
            }
            "tab" if command || event.alt_key() || self.is_locked() => false,
            "tab" if self.leaving.get_value() => {
                self.leaving.set_value(false);
                false
            }
            "tab" => {
                self.indent(&area, event.shift_key());
                true
            }
            "enter" if !command && !self.is_locked() => {
                self.break_line(&area);
                true
            }
            "s" if command => {
                // Save the typed text too; the page handles the key itself.
                self.close_step();
                false
            }
            "z" if command && !event.alt_key() => {
                if event.shift_key() {
                    self.owner.on_redo.run(())
                } else {
                    self.owner.on_undo.run(())
                }
                true
            }
            "y" if command && !event.alt_key() => {
                self.owner.on_redo.run(());
                true
            }
            "f" if command && !event.shift_key() => {
                self.owner.on_find.run(());
                true
            }
            "g" if command && !event.shift_key() => {
                self.owner.on_go_to_line.run(());
                true
            }
            " " if command => {
                self.suggest(true);
                true
            }
            "f1" => {
                let help = self.message_at(self.caret.get_untracked());
                self.say(if help.is_empty() {
                    "No help for this place.".to_owned()
                } else {
                    help
                });
                true
            }
            "a" if command => {
                let (from, to) = self.text.with_value(|text| (text.first, text.last()));
                if from > 1 || to < self.total.get_untracked() {
                    self.say(format!("Only lines {from} to {to} are selected: a file this long is shown in parts."));
                }
                false
            }
            "home" if command => self.go_beyond(1),
            "end" if command => self.go_beyond(self.total.get_untracked().max(1)),
            "pageup" => self.page(&area, -1, event.shift_key()),
            "pagedown" => self.page(&area, 1, event.shift_key()),
            _ => false,
        };
        if is_ours {
            event.prevent_default();
            event.stop_propagation();
        }
    }

    fn is_locked(self) -> bool {
        self.locked.with_untracked(|locked| !locked.is_empty())
    }

    /// Handles a key of the list. Returns whether it was handled.
    fn on_list_key(self, event: &web_sys::KeyboardEvent, key: &str) -> bool {
        if dom::has_modifier(event) {
            return false;
        }
        let accepted = self.list.with_untracked(|list| {
            list.as_ref()
                .and_then(|list| Some((list.from, list.accepted_by(key)?.clone())))
        });
        if let Some((from, suggestion)) = accepted {
            self.list.set(None);
            self.replace(from, &suggestion.insert);
            return true;
        }
        if key == "Escape" {
            self.list.set(None);
            return true;
        }
        let mut is_ours = false;
        if matches!(key, "ArrowDown" | "ArrowUp") {
            self.list
                .update(|list| is_ours = list.as_mut().is_some_and(|list| list.on_key(key)));
        }
        if matches!(
            key,
            "ArrowLeft" | "ArrowRight" | "Home" | "End" | "PageUp" | "PageDown" | "Enter"
        ) {
            self.list.set(None);
        }
        is_ours
    }

    /// Replaces the text between a position and the caret, as a separate step.
    pub(super) fn replace(self, from: TextPosition, with: &str) {
        let Some(area) = self.area.get_untracked() else {
            return;
        };
        let (start, end) = self
            .text
            .with_value(|text| (text.units(from), text.units(self.caret.get_untracked())));
        // Both places are in the text.
        let _ = area.set_selection_range(start.min(end), end);
        self.replace_selection(&area, with, InputKind::AtOnce);
    }

    /// Shows suggestions at the caret. `by_key`: requested with a key, not by typing.
    pub(super) fn suggest(self, by_key: bool) {
        let offer = if self.is_locked() {
            None
        } else {
            self.owner.offer.run(self.caret.get_untracked())
        };
        let open = offer
            .as_ref()
            .and_then(|offer| CompletionList::from_completions(offer, by_key));
        match &open {
            Some(open)
                if self.list.with_untracked(|list| {
                    list.as_ref()
                        .is_none_or(|list| list.visible.len() != open.visible.len())
                }) =>
            {
                self.say(open.announcement());
            }
            None if by_key => self.say("No suggestions here."),
            _ => {}
        }
        self.list.set(open);
    }

    fn replace_selection(self, area: &HtmlTextAreaElement, text: &str, kind: InputKind) {
        let (start, _) = selected_range(area);
        if area.set_range_text(text).is_ok() {
            let at = start + text.encode_utf16().count() as u32;
            let _ = area.set_selection_range(at, at);
            self.on_input(kind);
            self.reveal(area);
        }
    }

    /// Replaces the selection by a long pasted text, as a step. Afterwards the control has the
    /// lines around its end. Returns `false` if the text is short enough for the control.
    pub(super) fn paste(self, text: &str) -> bool {
        let has_lines = self.text.with_value(|lines| !lines.lines.is_empty());
        let area = self.area.get_untracked();
        let Some(area) = area.filter(|_| has_lines && text.len() > MAX_TYPED) else {
            return false;
        };
        self.close_step();
        let (start, end) = selected_range(&area);
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let mut lines = self.text.get_value();
        let (from, to) = (lines.place(start), lines.place(end));
        match lines.replace(from, to, &text, self.breaks.get_value()) {
            Err(locked) => self.say_locked(locked),
            Ok(change) => {
                let caret = change.end();
                lines.limit(caret.line, MAX_AFTER_PASTE);
                self.shift(&change);
                self.shift_total(&change);
                self.caret.set(caret);
                self.set_lines(lines);
                self.go_to(caret, caret, true);
                self.owner.on_step.run((change, InputKind::AtOnce));
            }
        }
        true
    }

    /// Inserts a line break with the indentation of the current line.
    fn break_line(self, area: &HtmlTextAreaElement) {
        let (start, _) = selected_range(area);
        let at = self.text.with_value(|text| text.place(start));
        let line = self.line_text(at.line);
        let blank: String = line
            .chars()
            .take(at.column.saturating_sub(1) as usize)
            .take_while(|letter| matches!(letter, ' ' | '\t'))
            .collect();
        self.replace_selection(area, &format!("\n{blank}"), InputKind::Keys);
    }

    /// Indents or outdents the selected lines; without a multi-line selection, at the caret.
    fn indent(self, area: &HtmlTextAreaElement, out: bool) {
        let (start, end) = selected_range(area);
        let (from, to) = self
            .text
            .with_value(|text| (text.place(start), text.place(end)));
        let is_tabbed = self.line_text(from.line).starts_with('\t');
        let unit = if is_tabbed { "\t" } else { INDENT };
        if from.line == to.line && !out {
            return self.replace_selection(area, unit, InputKind::Keys);
        }
        // A selection that ends before the first character of a line excludes that line.
        let last = if to.column == 1 && to.line > from.line {
            to.line - 1
        } else {
            to.line
        };
        let lines: Vec<String> = (from.line..=last)
            .map(|line| self.line_text(line))
            .collect();
        let turned: Vec<String> = lines
            .iter()
            .map(|line| indent_line(line, unit, out))
            .collect();
        let (first_units, last_units) = self.text.with_value(|text| {
            (
                text.units(TextPosition::new(from.line, 1)),
                text.units(TextPosition::new(last, u32::MAX)),
            )
        });
        let _ = area.set_selection_range(first_units, last_units);
        let text = turned.join("\n");
        if area.set_range_text(&text).is_ok() {
            let length = text.encode_utf16().count() as u32;
            if from.line == to.line {
                let lost = (lines[0].len() - turned[0].len()) as u32;
                let at = start.saturating_sub(lost).max(first_units);
                let _ = area.set_selection_range(at, at);
            } else {
                let _ = area.set_selection_range(first_units, first_units + length);
            }
            self.on_input(InputKind::AtOnce);
        }
    }

    /// Goes to a line that is not in the control. Returns `false` if it is, so that the control
    /// handles the key.
    fn go_beyond(self, line: u32) -> bool {
        if self.text.with_value(|text| text.holds(line)) {
            return false;
        }
        self.close_step();
        self.go_to(TextPosition::new(line, 1), TextPosition::new(line, 1), true);
        true
    }

    /// Moves by one view, forward (`1`) or back (`-1`), extending the selection if `select`.
    fn page(self, area: &HtmlTextAreaElement, direction: i64, select: bool) -> bool {
        let rows = (self.scrolled.get_untracked().1 / LINE).floor() as i64 - 1;
        let (start, end) = selected_range(area);
        let is_backward = area.selection_direction().ok().flatten().as_deref() == Some("backward");
        let (anchor, head) = if is_backward {
            (end, start)
        } else {
            (start, end)
        };
        let at = self.text.with_value(|text| text.place(head));
        let line =
            shift_line(at.line, direction * rows.max(1)).min(self.total.get_untracked().max(1));
        let target = TextPosition::new(line, at.column);
        if !select {
            self.close_step();
            self.go_to(target, target, true);
            return true;
        }
        let head = self.text.with_value(|text| text.units(target));
        let direction = if head < anchor { "backward" } else { "forward" };
        let _ =
            area.set_selection_range_with_direction(anchor.min(head), anchor.max(head), direction);
        self.on_caret();
        self.reveal(area);
        true
    }

    /// Scrolls to the caret's line after a change that the browser does not follow itself.
    fn reveal(self, area: &HtmlTextAreaElement) {
        let Some(scroller) = self.scroller.get_untracked() else {
            return;
        };
        let (view, control) = (
            scroller.get_bounding_client_rect(),
            area.get_bounding_client_rect(),
        );
        let caret = self.caret.get_untracked();
        let row = self
            .text
            .with_value(|text| caret.line.saturating_sub(text.first));
        let top = control.top() + f64::from(row) * LINE;
        if top < view.top() {
            scroller.set_scroll_top(scroller.scroll_top() - (view.top() - top) as i32);
        } else if top + 2.0 * LINE > view.bottom() {
            scroller
                .set_scroll_top(scroller.scroll_top() + (top + 2.0 * LINE - view.bottom()) as i32);
        }
    }

    /// Scrolls sideways to a position that is left or right of the view.
    pub(super) fn reveal_column(self, place: TextPosition, scroller: &web_sys::Element) {
        let Some((left, _)) = self.on_screen(place) else {
            return;
        };
        let view = scroller.get_bounding_client_rect();
        let numbers = NUMBERS * self.cell();
        let room = view.width() - numbers;
        let at = left - view.left() - numbers;
        if !(0.0..room - 2.0 * self.cell()).contains(&at) {
            scroller.set_scroll_left(scroller.scroll_left() + (at - room / 2.0) as i32);
        }
    }

    fn cell(self) -> f64 {
        let ruler = self
            .ruler
            .get_untracked()
            .map_or(0.0, |ruler| ruler.get_bounding_client_rect().width() / 40.0);
        if ruler > 0.0 { ruler } else { 7.2 }
    }

    /// Returns the screen coordinates of a position in the control: left and bottom.
    pub(super) fn on_screen(self, place: TextPosition) -> Option<(f64, f64)> {
        let rect = self.area.get_untracked()?.get_bounding_client_rect();
        let (row, cells) = self.text.with_value(|text| {
            let line = text
                .line(place.line)
                .map(super::text::TextLine::visible_text)
                .unwrap_or_default();
            (
                place.line.saturating_sub(text.first),
                text::cells(&line, place.column),
            )
        });
        Some((
            rect.left() + LEFT + f64::from(cells) * self.cell(),
            rect.top() + f64::from(row + 1) * LINE,
        ))
    }

    /// Returns the column at a point of the screen, in a line whose text begins at `left`.
    pub(super) fn column_at(self, text: &str, left: f64, x: f64) -> u32 {
        text::column_at(text, ((x - left - LEFT) / self.cell()).max(0.0))
    }
}

/// Returns the start and end of the selection, in UTF-16 units.
pub(super) fn selected_range(area: &HtmlTextAreaElement) -> (u32, u32) {
    let units = |end: Result<Option<u32>, _>| end.ok().flatten().unwrap_or_default();
    (units(area.selection_start()), units(area.selection_end()))
}

/// Indents a line by one step, or outdents it if `out`.
fn indent_line(line: &str, unit: &str, out: bool) -> String {
    if !out {
        return if line.is_empty() {
            String::new()
        } else {
            format!("{unit}{line}")
        };
    }
    let blanks = line
        .chars()
        .take(unit.len())
        .take_while(|letter| unit.contains(*letter))
        .count();
    line[blanks..].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_indented_and_outdented_by_one_step() {
        assert_eq!(indent_line("a", INDENT, false), "  a");
        assert_eq!(
            indent_line("", INDENT, false),
            "",
            "an empty line stays empty"
        );
        assert_eq!(indent_line("   a", INDENT, true), " a");
        assert_eq!(indent_line(" a", INDENT, true), "a");
        assert_eq!(indent_line("\ta", "\t", true), "a");
        assert_eq!(indent_line("ä", INDENT, true), "ä");
    }

    #[test]
    fn continuous_letters_are_one_step() {
        let mut typing = Typing::default();
        for now in [0.0, 200.0, 400.0, 600.0] {
            assert!(!typing.add(true, InputKind::Keys, now));
        }
        assert!(!typing.is_due(700.0));
        assert!(typing.is_due(600.0 + STEP_PAUSE_MS));
        typing.close();
        assert!(!typing.is_open() && !typing.is_due(9_999.0));
    }

    #[test]
    fn another_place_a_pause_or_a_long_time_starts_a_new_step() {
        let mut typing = Typing::default();
        typing.add(true, InputKind::Keys, 0.0);
        assert!(typing.add(false, InputKind::Keys, 100.0), "another place");
        assert!(
            typing.add(true, InputKind::Keys, 100.0 + STEP_PAUSE_MS),
            "a pause"
        );
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
