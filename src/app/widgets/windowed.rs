//! Which lines of a very long text are in view. Browsers cap an element's height (about 17 million pixels), so beyond
//! [`MAX_HEIGHT`] the scroll position is a fraction of the text, not a pixel of it.

/// Height of one line.
pub const LINE: f64 = 20.0;
/// The tallest scrolled element.
pub const MAX_HEIGHT: f64 = 8_000_000.0;

/// Height of the element that is scrolled.
pub fn height(total: u32) -> f64 {
    (f64::from(total) * LINE).min(MAX_HEIGHT)
}

/// First line in view (from 1) when scrolled to `top` in a view `view` pixels high.
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

/// Scroll position that brings `line` (from 1) to a third of the view.
pub fn scroll_to(line: u32, view: f64, total: u32) -> f64 {
    let above = (f64::from(line.max(1) - 1) - (view / LINE / 3.0).floor()).max(0.0);
    let full = f64::from(total) * LINE;
    if full <= MAX_HEIGHT {
        above * LINE
    } else {
        above / (f64::from(total) - view / LINE).max(1.0) * (MAX_HEIGHT - view)
    }
}

/// Where line `first` is drawn, so that line `line_at(top)` stands at the top of the view.
pub fn offset(first: u32, top: f64, view: f64, total: u32) -> f64 {
    if f64::from(total) * LINE <= MAX_HEIGHT {
        f64::from(first.max(1) - 1) * LINE
    } else {
        top + (f64::from(first) - f64::from(line_at(top, view, total))) * LINE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
                assert!(first <= line && line <= first + 30, "{line} of {total}: {first}");
            }
        }
    }
}
