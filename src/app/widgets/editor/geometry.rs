//! Which lines are in view, and where they are drawn.

use super::state::Editor;
use crate::widgets::virtual_list::{LINE, height, line_at, offset};
use leptos::prelude::*;
use std::ops::Range;

impl Editor {
    /// First and last visible line of the whole text.
    pub(super) fn visible_lines(self) -> (u32, u32) {
        self.scope
            .get()
            .unwrap_or_else(|| (1, self.total.get().max(1)))
    }

    pub(super) fn shown_untracked(self) -> (u32, u32) {
        self.scope
            .get_untracked()
            .unwrap_or_else(|| (1, self.total.get_untracked().max(1)))
    }

    /// Height of all lines.
    pub(super) fn height(self) -> f64 {
        let (first, last) = self.visible_lines();
        height(last + 1 - first)
    }

    /// Top of a line.
    pub(super) fn top(self, line: u32) -> f64 {
        let ((first, last), (top, view)) = (self.visible_lines(), self.scrolled.get());
        offset(
            (line + 1).saturating_sub(first),
            top,
            view,
            last + 1 - first,
        )
    }

    /// Lines in view, and some around them.
    pub(super) fn in_view(self) -> Range<u32> {
        let ((first, last), (top, view)) = (self.visible_lines(), self.scrolled.get());
        let at = first + line_at(top, view, last + 1 - first) - 1;
        at.saturating_sub(6).max(first)..(at + (view / LINE).ceil() as u32 + 6).min(last + 1)
    }

    /// Requests lines that scroll into view and are not known.
    pub(super) fn hear_scroll(self) {
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
        let is_here = view.is_empty() || (is_known(view.start) && is_known(view.end - 1));
        if !is_here {
            self.owner.on_look.run(view.start);
        }
    }
}
