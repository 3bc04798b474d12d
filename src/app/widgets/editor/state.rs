//! The editor's state: the lines in the control, the step that is being typed, what is in view, and what lies over it.

use super::lists::{CompletionList, Completions};
use super::marks::{Mark, of_line, shift};
use super::text::{Change, End, Lines, TextPosition};
use super::typing::{Before, InputKind, PAUSE, Typing};
use crate::widgets::virtual_list::{LINE, line_at, scroll_to};
use leptos::html;
use leptos::prelude::*;
use std::sync::Arc;
use std::time::Duration;

/// Lines of the text as they are now.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Piece {
    /// Which text it is of.
    pub of: String,
    pub lines: Lines,
    /// Lines of the whole text.
    pub total: u32,
    pub marks: Vec<Mark>,
    /// Numbers of lines that differ from what they were at first.
    pub changed: Vec<u32>,
    /// What a new line ends with.
    pub breaks: End,
    /// Why the text cannot be edited; "" where it can.
    pub locked: String,
}

/// What the editor asks of who it belongs to.
#[derive(Clone, Copy)]
pub struct Owner {
    /// Something is being typed; [`Editor::typed`] says what.
    pub on_typing: Callback<()>,
    /// Something was typed, or done at once, and is a step now.
    pub on_step: Callback<(Change, InputKind)>,
    /// The control has lost the focus, and all that was typed is a step.
    pub on_leave: Callback<()>,
    /// The caret is to go to a place whose lines are not in the control.
    pub on_far: Callback<TextPosition>,
    /// Lines from this one on are looked at and not known.
    pub on_look: Callback<u32>,
    pub on_undo: Callback<()>,
    pub on_redo: Callback<()>,
    pub on_find: Callback<()>,
    pub on_go_to_line: Callback<()>,
    /// What can stand at a place.
    pub offer: Callback<TextPosition, Option<Completions>>,
    /// What there is to say about a place, besides its marks; "" for nothing.
    pub help: Callback<TextPosition, String>,
}

#[derive(Clone, Copy)]
pub struct Editor {
    pub owner: Owner,
    /// What is in the control.
    pub(super) text: StoredValue<Lines>,
    /// The same as of the last step.
    sent: StoredValue<Lines>,
    typing: StoredValue<Typing>,
    pub(super) composing: StoredValue<bool>,
    of: StoredValue<String>,
    breaks: StoredValue<End>,
    /// Counts changes of `text`, for what is drawn.
    pub(super) drawn: RwSignal<u32>,
    pub total: RwSignal<u32>,
    /// The only lines that are shown, where not all are.
    pub(super) scope: RwSignal<Option<(u32, u32)>>,
    /// Lines that are looked at away from the caret.
    pub(super) seen: RwSignal<Arc<Lines>>,
    pub(super) marks: RwSignal<Vec<Mark>>,
    pub(super) changed: RwSignal<Vec<u32>>,
    pub locked: RwSignal<String>,
    pub caret: RwSignal<TextPosition>,
    /// First and last line that were gone to.
    pub here: RwSignal<(u32, u32)>,
    pub(super) area: NodeRef<html::Textarea>,
    pub(super) scroller: NodeRef<html::Div>,
    pub(super) ruler: NodeRef<html::Span>,
    pub(super) scrolled: RwSignal<(f64, f64)>,
    pub(super) list: RwSignal<Option<CompletionList>>,
    /// What the pointer rests on: where on the screen, and what is said of it.
    pub(super) tip: RwSignal<Option<(f64, f64, String)>>,
    /// Said to who cannot see it.
    pub said: RwSignal<String>,
    /// The next Tab leaves.
    pub(super) leaving: StoredValue<bool>,
    /// The lines that were here when others were asked for.
    asked: StoredValue<(u32, u32)>,
    /// To be gone to as soon as the control is in the page.
    jump: StoredValue<Option<(TextPosition, TextPosition, bool)>>,
}

impl Editor {
    /// To be made inside a reactive owner.
    pub fn new(owner: Owner) -> Self {
        Self {
            owner,
            text: StoredValue::default(),
            sent: StoredValue::default(),
            typing: StoredValue::default(),
            composing: StoredValue::default(),
            of: StoredValue::default(),
            breaks: StoredValue::default(),
            drawn: RwSignal::default(),
            total: RwSignal::default(),
            scope: RwSignal::default(),
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
            tip: RwSignal::default(),
            said: RwSignal::default(),
            leaving: StoredValue::default(),
            asked: StoredValue::default(),
            jump: StoredValue::default(),
        }
    }

    /// Takes other lines into the control. What was typed before has to be a step already ([`Editor::close_step`]).
    pub fn open(self, piece: &Piece, scope: Option<(u32, u32)>) {
        let is_other = self.of.with_value(|of| *of != piece.of);
        self.of.set_value(piece.of.clone());
        self.breaks.set_value(piece.breaks);
        self.scope.set(scope);
        self.list.set(None);
        if is_other {
            self.seen.set(Arc::default());
            self.caret.set(TextPosition::new(
                piece.lines.first.max(scope.map_or(1, |scope| scope.0)),
                1,
            ));
        }
        self.judge(piece);
        self.put(piece.lines.clone());
    }

    /// Takes the same lines as they are now. `is_settled`: every step that was told is in them. Tells whether the text was
    /// another than what is known here, so that something else changed it.
    pub fn refresh(self, piece: &Piece, is_settled: bool) -> bool {
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
                        .update(|total| *total = (i64::from(*total) + typed.shift()).max(1) as u32);
                }
            }
            self.drawn.update(|drawn| *drawn += 1);
            return false;
        }
        if !is_settled || self.typing.with_value(Typing::is_open) {
            return false;
        }
        let change = match self.scope.get_untracked() {
            Some(_) => None,
            // To where it changed.
            None => self.text.with_value(|text| {
                let is_same_part = text.first == piece.lines.first;
                is_same_part
                    .then(|| text.change(&piece.lines.value(), End::Lf).ok().flatten())
                    .flatten()
            }),
        };
        let caret = change.map_or(self.caret.get_untracked(), |change| change.end());
        self.judge(piece);
        // At once: who types on before the next frame types there.
        self.caret.set(caret);
        self.put(piece.lines.clone());
        self.go_to(caret, caret, self.has_focus());
        true
    }

    /// Lines that were asked for with `on_look`.
    pub fn look(self, lines: Lines, marks: Vec<Mark>) {
        let (first, last) = (lines.first, lines.last());
        self.seen.set(Arc::new(lines));
        self.marks.update(|known| {
            known.retain(|mark| !(first..=last).contains(&mark.line));
            known.extend(marks);
            known.sort_by_key(|mark| (mark.line, mark.column));
        });
    }

    /// Brings a place into view, selected to `to`. Lines that are not here are asked for.
    pub fn go_to(self, from: TextPosition, to: TextPosition, focus: bool) {
        if !self.text.with_value(|text| text.holds(from.line)) {
            self.owner.on_far.run(from);
            return;
        }
        self.caret.set(from);
        self.jump.set_value(Some((from, to, focus)));
        self.arrive();
    }

    /// What is typed becomes a step.
    pub fn close_step(self) {
        let kind = self.typing.try_update_value(|typing| {
            let kind = typing.kind();
            typing.close();
            kind
        });
        let Some(value) = self.text.try_with_value(Lines::value) else {
            return;
        };
        let breaks = self.breaks.get_value();
        let mut change = None;
        self.sent
            .update_value(|sent| change = sent.take(&value, breaks).ok().flatten());
        if let Some(change) = change {
            // The lines end as the step says.
            self.text.set_value(self.sent.get_value());
            self.owner
                .on_step
                .run((change, kind.unwrap_or(InputKind::Keys)));
        }
    }

    /// What is typed and no step yet.
    pub fn typed(self) -> Option<Change> {
        let value = self.text.try_with_value(Lines::value)?;
        let breaks = self.breaks.try_get_value()?;
        self.sent
            .try_with_value(|sent| sent.change(&value, breaks).ok().flatten())?
    }

    /// Shows changes as if they had been typed here, those whose place is here.
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
        self.total
            .update(|total| *total = (i64::from(*total) + more).max(1) as u32);
        self.put(lines);
    }

    /// Whether something is typed that is no step yet.
    pub fn is_typing(self) -> bool {
        self.typing.with_value(Typing::is_open)
    }

    /// Which text the control holds.
    pub fn of(self) -> String {
        self.of.get_value()
    }

    pub fn focus(self) {
        if let Some(area) = self.area.get_untracked() {
            // Focus fails only on what cannot have it.
            let _ = area.focus();
        }
    }

    pub fn has_focus(self) -> bool {
        let active = document().active_element();
        self.area
            .get_untracked()
            .is_some_and(|area| active.is_some_and(|active| active.is_same_node(Some(&area))))
    }

    /// Lines before a line, as they stand in the control, and the line itself.
    pub fn lines_to(self, line: u32) -> Vec<String> {
        self.text.with_value(|text| {
            text.part(text.first, line)
                .lines
                .into_iter()
                .map(|line| line.text)
                .collect()
        })
    }

    pub fn line_text(self, line: u32) -> String {
        self.text.with_value(|text| {
            text.line(line)
                .map(|line| line.text.clone())
                .unwrap_or_default()
        })
    }

    /// The lines behind a line that are in the control.
    pub fn lines_from(self, line: u32) -> Vec<String> {
        self.text.with_value(|text| {
            text.part(line, text.last())
                .lines
                .into_iter()
                .map(|line| line.text)
                .collect()
        })
    }

    pub fn holds(self, line: u32) -> bool {
        self.text.with_value(|text| text.holds(line))
    }

    /// What is selected, where that lies in one line.
    pub fn selected(self) -> String {
        let Some(area) = self.area.get_untracked() else {
            return String::new();
        };
        let end = |end: Result<Option<u32>, _>| end.ok().flatten().unwrap_or_default() as usize;
        let (from, to) = (end(area.selection_start()), end(area.selection_end()));
        let units: Vec<u16> = area
            .value()
            .encode_utf16()
            .skip(from)
            .take(to.saturating_sub(from).min(200))
            .collect();
        let text = String::from_utf16_lossy(&units);
        if text.contains('\n') {
            String::new()
        } else {
            text
        }
    }

    /// Follows what is typed.
    pub fn drawn_now(self) {
        self.drawn.track();
    }

    pub fn say(self, words: impl Into<String>) {
        self.said.set(words.into());
    }

    /// Marks of a line, and what else is to be said of a place of it.
    pub fn words_at(self, place: TextPosition) -> String {
        let mut words: Vec<String> = self.marks.with_untracked(|marks| {
            let here = of_line(marks, place.line)
                .iter()
                .filter(|mark| mark.holds(place.line, place.column));
            here.map(|mark| format!("{}: {}", mark.tone.word(), mark.message))
                .collect()
        });
        let help = self.owner.help.run(place);
        if !help.is_empty() {
            words.push(help);
        }
        words.join("\n")
    }

    /// What stands in the control.
    pub(super) fn value(self) -> Option<String> {
        self.area.get_untracked().map(|area| area.value())
    }

    /// The control's content changed. `kind` says how.
    pub(super) fn hear_input(self, kind: InputKind) {
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
                // The range lies in the text.
                let _ = area.set_selection_range(at, at);
                self.say(format!(
                    "Line {} is too long to be shown whole, so it cannot be edited here.",
                    locked.line
                ));
                self.tip.set(None);
            }
            Ok(None) => {}
            Ok(Some(change)) => {
                let mut first = Before::GoOn;
                let kind_before = self.typing.with_value(Typing::kind);
                self.typing.update_value(|typing| {
                    first = typing.heard(&change, kind, js_sys::Date::now())
                });
                // What is half composed is no step.
                if first == Before::Close && !self.composing.get_value() {
                    self.close_as(&before, kind_before);
                }
                self.shift(&change);
                self.shift_total(&change);
                self.drawn.update(|drawn| *drawn += 1);
                self.hear_caret();
                self.wait();
                self.owner.on_typing.run(());
            }
        }
    }

    /// The caret may have moved.
    pub(super) fn hear_caret(self) {
        // Where it goes is known better than where it stands.
        if self.jump.with_value(Option::is_some) {
            return;
        }
        let Some(area) = self.area.get_untracked() else {
            return;
        };
        // A control without a selection is none of ours.
        let at = area.selection_end().ok().flatten().unwrap_or_default();
        let caret = self.text.with_value(|text| text.place(at));
        if caret != self.caret.get_untracked() {
            self.caret.set(caret);
        }
        self.keep_lines_around(caret, &area);
    }

    /// Near the end of the lines in the control others are asked for, while nothing is being typed or selected.
    fn keep_lines_around(self, caret: TextPosition, area: &web_sys::HtmlTextAreaElement) {
        const NEAR: u32 = 150;
        let (first, last) = self.shown_untracked();
        let is_near = self.text.with_value(|text| {
            (text.first > first && caret.line < text.first + NEAR)
                || (text.last() < last && caret.line + NEAR > text.last())
        });
        let is_at_rest = area.selection_start() == area.selection_end()
            && !self.is_typing()
            && !self.composing.get_value();
        // Asked for once for the lines that are here.
        let here = self.text.with_value(|text| (text.first, text.last()));
        if is_near && is_at_rest && self.asked.get_value() != here {
            self.asked.set_value(here);
            self.owner.on_far.run(caret);
        }
    }

    /// Looks after the pause whether what was typed is a step.
    pub(super) fn wait(self) {
        let due = move || {
            let now = js_sys::Date::now();
            let is_composing = self.composing.try_get_value().unwrap_or(true);
            if !is_composing
                && self
                    .typing
                    .try_with_value(|typing| typing.is_due(now))
                    .unwrap_or_default()
            {
                self.close_step();
            }
        };
        if self
            .typing
            .with_value(|typing| typing.is_due(js_sys::Date::now()))
            && !self.composing.get_value()
        {
            due();
        } else {
            set_timeout(due, Duration::from_millis(PAUSE as u64 + 5));
        }
    }

    /// The text as it was before the last input becomes a step, and the last input begins another.
    fn close_as(self, before: &Lines, kind: InputKind) {
        let breaks = self.breaks.get_value();
        let mut change = None;
        self.sent
            .update_value(|sent| change = sent.take(&before.value(), breaks).ok().flatten());
        if let Some(change) = change {
            self.owner.on_step.run((change, kind));
        }
    }

    fn shift(self, change: &Change) {
        if change.shift() != 0 {
            self.marks
                .update(|marks| shift(marks, change.to.line, change.shift()));
            self.changed.update(|changed| {
                for line in changed.iter_mut().filter(|line| **line > change.to.line) {
                    *line = (i64::from(*line) + change.shift()).max(1) as u32;
                }
            });
        }
    }

    fn shift_total(self, change: &Change) {
        if change.shift() == 0 {
            return;
        }
        let moved = |line: u32| (i64::from(line) + change.shift()).max(1) as u32;
        self.total.update(|total| *total = moved(*total));
        self.here.update(|here| {
            if here.0 > change.to.line {
                *here = (moved(here.0), moved(here.1));
            }
        });
        self.scope
            .update(|scope| *scope = scope.map(|(first, last)| (first, moved(last).max(first))));
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

    /// Puts lines into the control, the caret and the view where they are.
    fn put(self, lines: Lines) {
        let lines = match self.scope.get_untracked() {
            Some((first, last)) => lines.part(first, last),
            None => lines,
        };
        self.typing.update_value(Typing::close);
        self.sent.set_value(lines.clone());
        self.text.set_value(lines);
        self.drawn.update(|drawn| *drawn += 1);
        self.fill();
    }

    /// The control holds what it is to hold; also when it has just come into the page.
    pub(super) fn fill(self) {
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

    /// Goes where it was to go, once everything is drawn.
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
            let (first, last) = self.shown_untracked();
            let (view, top) = (
                f64::from(scroller.client_height()),
                f64::from(scroller.scroll_top()),
            );
            let line = (from.line + 1).saturating_sub(first);
            let at = line_at(top, view, last + 1 - first);
            let is_in_view = line > at && f64::from(line + 1 - at) * LINE < view;
            if !is_in_view {
                scroller.set_scroll_top(scroll_to(line, view, last + 1 - first) as i32);
            }
            if focus {
                // The browser scrolls to what gets the focus, which is as high as all its lines.
                let (top, left) = (scroller.scroll_top(), scroller.scroll_left());
                let _ = area.focus();
                scroller.set_scroll_top(top);
                scroller.set_scroll_left(left);
            }
            self.hear_scroll();
        });
    }
}
