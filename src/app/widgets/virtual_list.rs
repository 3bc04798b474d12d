//! Computes which lines of a long text, or rows of a long list, are in view, and scrolls lists.
//! Browsers limit an element's height to about 17 million pixels, so beyond [`MAX_HEIGHT`] the
//! scroll position is a fraction of the text. Rows of a list may differ in height ([`Stack`]);
//! lists are shorter than the limit. All lengths are in pixels.

use super::dom;
use crate::reactive::derived;
use leptos::html;
use leptos::prelude::*;
use std::ops::Range;

/// Height of one line.
pub const LINE: f64 = 20.0;
/// Maximum height of a scrolled element.
pub const MAX_HEIGHT: f64 = 16_000_000.0;

pub fn height(total: u32) -> f64 {
    (f64::from(total) * LINE).min(MAX_HEIGHT)
}

/// Returns the first line in view (from 1) when scrolled to `top` in a view of height `view`.
pub fn line_at(top: f64, view: f64, total: u32) -> u32 {
    let full = f64::from(total) * LINE;
    let line = if full <= MAX_HEIGHT {
        top / LINE
    } else {
        let room = (MAX_HEIGHT - view).max(1.0);
        (top / room).clamp(0.0, 1.0) * (f64::from(total) - view / LINE).max(0.0)
    };
    (line.max(0.0) as u32).saturating_add(1).min(total.max(1))
}

/// Returns the scroll position that brings `line` (from 1) to a third of the view.
pub fn scroll_to(line: u32, view: f64, total: u32) -> f64 {
    let above = (f64::from(line.max(1) - 1) - (view / LINE / 3.0).floor()).max(0.0);
    let full = f64::from(total) * LINE;
    if full <= MAX_HEIGHT {
        above * LINE
    } else {
        above / (f64::from(total) - view / LINE).max(1.0) * (MAX_HEIGHT - view)
    }
}

/// Returns where line `first` is drawn, so that line `line_at(top)` is at the top of the view.
pub fn offset(first: u32, top: f64, view: f64, total: u32) -> f64 {
    if f64::from(total) * LINE <= MAX_HEIGHT {
        f64::from(first.max(1) - 1) * LINE
    } else {
        top + (f64::from(first) - f64::from(line_at(top, view, total))) * LINE
    }
}

/// Stacked rows with individual heights.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stack {
    /// Top of each row, and the bottom of the last one.
    tops: Vec<f64>,
}

impl Stack {
    pub fn new(heights: impl IntoIterator<Item = f64>) -> Self {
        let mut bottom = 0.0;
        let mut tops = vec![bottom];
        tops.extend(heights.into_iter().map(|height| {
            bottom += height;
            bottom
        }));
        Self { tops }
    }

    pub fn height(&self) -> f64 {
        self.tops.last().copied().unwrap_or_default()
    }

    /// Returns the top of a row; the bottom of all rows for one that does not exist.
    pub fn top(&self, row: usize) -> f64 {
        self.tops.get(row).copied().unwrap_or_else(|| self.height())
    }

    fn rows(&self) -> usize {
        self.tops.len().saturating_sub(1)
    }

    /// Returns the rows in view when scrolled to `top`, and within `margin` above and below.
    pub fn window(&self, top: f64, view: f64, margin: f64) -> Range<usize> {
        let first = self
            .tops
            .partition_point(|&row| row <= top - margin)
            .saturating_sub(1);
        let end = self.tops.partition_point(|&row| row < top + view + margin);
        first.min(self.rows())..end.min(self.rows())
    }

    /// Returns the scroll position at which a row is completely in view, with space `above` it;
    /// `None` if it is already in view.
    pub fn scroll_to(&self, row: usize, top: f64, view: f64, above: f64) -> Option<f64> {
        let (row_top, row_bottom) = (self.top(row), self.top(row + 1));
        let is_in_view = row_top >= top && (row_bottom <= top + view || row_top <= top + above);
        (!is_in_view).then(|| (row_top - above).max(0.0))
    }
}

/// A scrolled list, with the size and the scroll position of its element.
#[derive(Clone, Copy)]
pub struct ScrolledList {
    pub element: NodeRef<html::Div>,
    pub size: RwSignal<(f64, f64)>,
    pub top: RwSignal<f64>,
}

impl ScrolledList {
    /// Creates a list with a height that is assumed until it is drawn.
    pub fn new(height: f64) -> Self {
        let list = Self {
            element: NodeRef::new(),
            size: RwSignal::new((0.0, height)),
            top: RwSignal::new(0.0),
        };
        dom::follow_size(list.element, list.size);
        list
    }

    pub fn read_scroll(self) {
        if let Some(element) = self.element.get_untracked() {
            self.top.set(f64::from(element.scroll_top()));
        }
    }

    pub fn scroll_to(self, top: f64) {
        if let Some(element) = self.element.get_untracked() {
            element.set_scroll_top(top as i32);
            self.top.set(top);
        }
    }

    /// Scrolls a row into view, with space `above` it.
    pub fn reveal(self, stack: Memo<Stack>, row: usize, above: f64) {
        let Some(element) = self.element.get_untracked() else {
            return;
        };
        let (from, view) = (
            f64::from(element.scroll_top()),
            f64::from(element.client_height()),
        );
        if let Some(to) = stack.with_untracked(|stack| stack.scroll_to(row, from, view, above)) {
            self.scroll_to(to);
        }
    }
}

/// Returns the heights of the space above and below the drawn rows.
pub fn gaps(stack: Memo<Stack>, window: Memo<Range<usize>>) -> [Signal<String>; 2] {
    let above = move || format!("{}px", stack.with(|stack| stack.top(window.get().start)));
    let below = move || {
        format!(
            "{}px",
            stack.with(|stack| stack.height() - stack.top(window.get().end))
        )
    };
    [derived(above), derived(below)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_rows_by_their_height() {
        let stack = Stack::new((0..1000).map(|row| if row == 10 { 200.0 } else { 20.0 }));
        assert_eq!(stack.height(), 20_180.0);
        assert_eq!(stack.window(0.0, 100.0, 0.0), 0..5);
        assert_eq!(
            stack.window(210.0, 100.0, 0.0),
            10..11,
            "a high row fills the view"
        );
        assert_eq!(stack.window(400.0, 40.0, 40.0), 10..15);
        assert_eq!(stack.window(20_100.0, 400.0, 0.0), 996..1000);
        assert_eq!(Stack::new([]).window(0.0, 100.0, 50.0), 0..0);
    }

    #[test]
    fn only_rows_out_of_view_are_scrolled_to() {
        let stack = Stack::new((0..100).map(|_| 20.0));
        assert_eq!(stack.scroll_to(3, 0.0, 100.0, 30.0), None);
        assert_eq!(stack.scroll_to(50, 0.0, 100.0, 30.0), Some(970.0));
        assert_eq!(stack.scroll_to(1, 500.0, 100.0, 30.0), Some(0.0));
    }

    #[test]
    fn a_short_text_scrolls_by_pixels() {
        assert_eq!(line_at(0.0, 400.0, 1000), 1);
        assert_eq!(line_at(200.0, 400.0, 1000), 11);
        assert_eq!(offset(11, 200.0, 400.0, 1000), 200.0);
    }

    #[test]
    fn a_huge_text_can_be_scrolled_to_its_end() {
        let total = 3_000_000;
        assert_eq!(height(total), MAX_HEIGHT);
        let last = line_at(MAX_HEIGHT - 400.0, 400.0, total);
        assert!(total - last <= 21, "the last lines are in view: {last}");
    }

    #[test]
    fn scrolling_to_a_line_shows_it() {
        for total in [50, 1000, 3_000_000] {
            for line in [1, total / 3, total] {
                let top = scroll_to(line, 600.0, total);
                let first = line_at(top, 600.0, total);
                assert!(
                    first <= line && line <= first + 30,
                    "{line} of {total}: {first}"
                );
            }
        }
    }
}
