//! Pan and zoom arithmetic. Does not know the browser.
//!
//! The view shows `content` coordinates at `scale`; content point (x, y) is at the top left of the
//! scrolled area (right of the lane headings, below the column headings).

use protocol::lanes::{EntryNode, Lanes};

/// A point in the window (CSS pixels) or in [`Lanes`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Area {
    pub fn between(a: Point, b: Point) -> Self {
        Self {
            x: a.x.min(b.x),
            y: a.y.min(b.y),
            width: (a.x - b.x).abs(),
            height: (a.y - b.y).abs(),
        }
    }

    pub fn from_node(node: &EntryNode) -> Self {
        Self {
            x: node.x.into(),
            y: node.y.into(),
            width: node.width.into(),
            height: node.height.into(),
        }
    }

    pub fn meets(self, other: Self) -> bool {
        self.x <= other.x + other.width
            && other.x <= self.x + self.width
            && self.y <= other.y + other.height
            && other.y <= self.y + self.height
    }

    pub fn middle(self) -> Point {
        Point {
            x: self.x + self.width / 2.0,
            y: self.y + self.height / 2.0,
        }
    }

    pub fn in_content(lanes: &Lanes, node: &EntryNode) -> Self {
        Self {
            x: f64::from(node.x - lanes.header),
            y: f64::from(node.y - lanes.top),
            ..Self::from_node(node)
        }
    }
}

/// The position of the view. `scale` 1 shows content pixels unscaled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Viewport {
    pub x: f64,
    pub y: f64,
    pub scale: f64,
}

impl Default for Viewport {
    fn default() -> Self {
        Self {
            x: 0.0,
            y: 0.0,
            scale: 1.0,
        }
    }
}

/// Sizes in CSS pixels: the content, the area it scrolls in, and the browser's window.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bounds {
    pub content_width: f64,
    pub content_height: f64,
    pub view_width: f64,
    pub view_height: f64,
    pub window_height: f64,
}

impl Bounds {
    /// Whether the window or a panel at the side has another size. The bar with an edit's result only
    /// makes the area lower.
    pub fn is_resized(self, before: Self) -> bool {
        self.view_width != before.view_width || self.window_height != before.window_height
    }
}

/// A rectangle of content to draw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    pub x1: f64,
    pub x2: f64,
    pub y1: f64,
    pub y2: f64,
}

impl Window {
    /// The window that contains everything.
    pub const ALL: Window = Window {
        x1: f64::MIN,
        x2: f64::MAX,
        y1: f64::MIN,
        y2: f64::MAX,
    };

    pub fn meets_x(&self, x1: f64, x2: f64) -> bool {
        x2 >= self.x1 && x1 <= self.x2
    }

    pub fn meets_y(&self, y1: f64, y2: f64) -> bool {
        y2 >= self.y1 && y1 <= self.y2
    }
}

pub const MIN_SCALE: f64 = 0.25;
pub const MAX_SCALE: f64 = 3.0;
/// Minimum scale at which versions on nodes are legible.
const MIN_LEGIBLE_SCALE: f64 = 0.85;
/// Maximum scale of a small graph.
const MAX_FIT_SCALE: f64 = 1.4;
/// Content pixels left of the first node, for the marks at its corner.
const LEFT_MARGIN: f64 = 8.0;
/// Content pixels right of the head in a new view.
const OPENING_MARGIN: f64 = 120.0;
/// Content pixels around what is scrolled into view, and their minimum on the screen, where the
/// soft edges cover the content.
const SCROLL_MARGIN: f64 = 48.0;
const MIN_SCREEN_MARGIN: f64 = 32.0;
/// Differences up to one screen pixel are ignored.
const PIXEL: f64 = 1.0;
/// Windows are rounded to this many content pixels, so that each step adds few nodes.
const WINDOW_STEP: f64 = 60.0;
/// Content pixels drawn ahead of the view, for parts that extend beyond a node.
const DRAW_MARGIN: f64 = 24.0;
/// Drawn content within this distance is kept, so that panning back and forth redraws nothing.
const KEEP_MARGIN: f64 = 1_440.0;

impl Viewport {
    /// Moves the view by screen pixels, limited to the content.
    pub fn pan(self, dx: f64, dy: f64, bounds: Bounds) -> Self {
        Self {
            x: self.x + dx / self.scale,
            y: self.y + dy / self.scale,
            ..self
        }
        .clamp_to(bounds)
    }

    /// Zooms by `factor` around a fixed point of the screen.
    pub fn zoom(self, factor: f64, at_x: f64, at_y: f64, bounds: Bounds) -> Self {
        let scale = (self.scale * factor).clamp(MIN_SCALE, MAX_SCALE);
        let x = self.x + at_x / self.scale - at_x / scale;
        let y = self.y + at_y / self.scale - at_y / scale;
        Self { x, y, scale }.clamp_to(bounds)
    }

    /// Shows everything, at most at [`MAX_FIT_SCALE`]; if that is not legible, the newest end.
    pub fn fit(bounds: Bounds) -> Self {
        let scale = fitting(bounds).clamp(MIN_LEGIBLE_SCALE, MAX_FIT_SCALE);
        Self {
            x: f64::MAX,
            y: 0.0,
            scale,
        }
        .clamp_to(bounds)
    }

    /// Returns the initial view. If everything is legible at once, shows everything, as large as
    /// possible. Otherwise shows the content up to `end` at natural size, with some room after it.
    pub fn opening(end: f64, bounds: Bounds) -> Self {
        if is_legible(bounds) {
            return Self::fit(bounds);
        }
        Self {
            x: end + OPENING_MARGIN - bounds.view_width,
            y: 0.0,
            scale: 1.0,
        }
        .clamp_to(bounds)
    }

    /// Moves as little as possible to show a part of the content, with a margin.
    pub fn scroll_to(self, part: Area, bounds: Bounds) -> Self {
        let room = SCROLL_MARGIN.max(MIN_SCREEN_MARGIN / self.scale);
        let view = self.area(bounds);
        let shift = |at: f64, size: f64, from: f64, length: f64| {
            if at - room < from {
                at - room
            } else if at + size + room > from + length {
                at + size + room - length
            } else {
                from
            }
        };
        Self {
            x: shift(part.x, part.width, view.x, view.width),
            y: shift(part.y, part.height, view.y, view.height),
            ..self
        }
        .clamp_to(bounds)
    }

    pub fn shows_all(self, bounds: Bounds) -> bool {
        bounds.content_width * self.scale <= bounds.view_width + PIXEL
            && self.shows_all_lanes(bounds)
    }

    fn shows_all_lanes(self, bounds: Bounds) -> bool {
        bounds.content_height * self.scale <= bounds.view_height + PIXEL
    }

    /// Returns the view after the content or the area changed. The newest end stays visible. Only a
    /// resize changes the scale: everything, or else all lanes, stays visible if it stays legible.
    pub fn refit(self, before: Bounds, bounds: Bounds) -> Self {
        let is_resized = bounds.is_resized(before);
        if is_resized && self.shows_all(before) && !self.shows_all(bounds) && is_legible(bounds) {
            return Self::fit(bounds);
        }
        let lanes_scale = bounds.view_height / bounds.content_height;
        let keeps_lanes =
            is_resized && self.shows_all_lanes(before) && lanes_scale >= MIN_LEGIBLE_SCALE;
        let max_scale = if keeps_lanes { lanes_scale } else { MAX_SCALE };
        let scale = self.scale.min(max_scale);
        let hidden = (before.content_width - self.x) * self.scale - before.view_width;
        let x = if hidden <= PIXEL { f64::MAX } else { self.x };
        Self { x, scale, ..self }.clamp_to(bounds)
    }

    /// Returns the part of the content in view.
    pub fn area(self, bounds: Bounds) -> Area {
        Area {
            x: self.x,
            y: self.y,
            width: bounds.view_width / self.scale,
            height: bounds.view_height / self.scale,
        }
    }

    /// Whether a part of the content is completely in view.
    pub fn holds(self, part: Area, bounds: Bounds) -> bool {
        let view = self.area(bounds);
        part.x >= view.x
            && part.x + part.width <= view.x + view.width
            && part.y >= view.y
            && part.y + part.height <= view.y + view.height
    }

    /// Returns the part of the content to draw: the view with a margin, and the parts of `drawn`
    /// nearby.
    pub fn window(self, bounds: Bounds, drawn: Option<Window>) -> Window {
        let Area {
            x,
            y,
            width,
            height,
        } = self.area(bounds);
        let (x1, x2) = stretch((x, x + width), drawn.map(|drawn| (drawn.x1, drawn.x2)));
        let (y1, y2) = stretch((y, y + height), drawn.map(|drawn| (drawn.y1, drawn.y2)));
        Window { x1, x2, y1, y2 }
    }

    fn clamp_to(self, bounds: Bounds) -> Self {
        let limit = |content: f64, view: f64, least: f64| (content - view / self.scale).max(least);
        Self {
            x: self
                .x
                .min(limit(bounds.content_width, bounds.view_width, -LEFT_MARGIN))
                .max(-LEFT_MARGIN),
            y: self
                .y
                .min(limit(bounds.content_height, bounds.view_height, 0.0))
                .max(0.0),
            scale: self.scale,
        }
    }
}

fn fitting(bounds: Bounds) -> f64 {
    let ratio = |view: f64, content: f64| if content > 0.0 { view / content } else { 1.0 };
    ratio(bounds.view_width, bounds.content_width)
        .min(ratio(bounds.view_height, bounds.content_height))
}

/// Whether nodes are legible when everything is in view.
fn is_legible(bounds: Bounds) -> bool {
    fitting(bounds) >= MIN_LEGIBLE_SCALE
}

/// Computes a window in one dimension: around the view, joined with what is already drawn.
fn stretch(view: (f64, f64), drawn: Option<(f64, f64)>) -> (f64, f64) {
    let around = |room: f64| {
        (
            ((view.0 - room) / WINDOW_STEP).floor() * WINDOW_STEP,
            ((view.1 + room) / WINDOW_STEP).ceil() * WINDOW_STEP,
        )
    };
    let (near, far) = (around(DRAW_MARGIN), around(KEEP_MARGIN));
    match drawn.filter(|drawn| drawn.0 <= near.1 && drawn.1 >= near.0) {
        Some(drawn) => (
            drawn.0.max(far.0).min(near.0),
            drawn.1.min(far.1).max(near.1),
        ),
        None => near,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds {
        content_width: 2000.0,
        content_height: 600.0,
        view_width: 800.0,
        view_height: 400.0,
        window_height: 800.0,
    };

    #[test]
    fn panning_stops_at_the_edges() {
        let view = Viewport::default().pan(-50.0, -50.0, BOUNDS);
        assert_eq!(
            (view.x, view.y),
            (-LEFT_MARGIN, 0.0),
            "marks of the first node are in view"
        );
        let view = view.pan(99_999.0, 99_999.0, BOUNDS);
        assert_eq!((view.x, view.y), (1200.0, 200.0));
    }

    #[test]
    fn a_fitted_view_stays_fitted() {
        let wider = Bounds {
            content_width: 1_100.0,
            ..BOUNDS
        };
        let small = Bounds {
            content_width: 900.0,
            content_height: 300.0,
            ..BOUNDS
        };
        let narrow = Bounds {
            view_width: 780.0,
            ..small
        };
        let whole = Viewport::fit(small);
        assert!(whole.shows_all(small) && !whole.shows_all(narrow));
        assert!(whole.refit(small, narrow).shows_all(narrow));
        for after_edit in [
            Bounds {
                content_width: 930.0,
                content_height: 400.0,
                ..small
            },
            Bounds {
                view_height: 260.0,
                ..small
            },
        ] {
            assert_eq!(whole.refit(small, after_edit).scale, whole.scale);
        }
        let end = Viewport {
            x: 1_200.0,
            y: 0.0,
            scale: 1.0,
        };
        let longer = Bounds {
            content_width: 2_100.0,
            ..BOUNDS
        };
        assert_eq!(end.refit(BOUNDS, longer).x, 1_300.0, "the end is followed");
        let middle = Viewport { x: 600.0, ..end };
        assert_eq!(middle.refit(BOUNDS, longer).x, 600.0, "nothing else moves");
        assert_eq!(middle.refit(BOUNDS, wider).x, 300.0, "there is less to see");
    }

    #[test]
    fn all_lanes_stay_visible_in_another_window_if_they_stay_legible() {
        let high = Bounds {
            view_height: 600.0,
            ..BOUNDS
        };
        let scale_in = |window_height: f64, view_height: f64| {
            let bounds = Bounds {
                view_height,
                window_height,
                ..high
            };
            view_at(600.0).refit(high, bounds).scale
        };
        assert_eq!(scale_in(740.0, 540.0), 0.9);
        assert_eq!(scale_in(500.0, 300.0), 1.0, "labels stay legible");
        assert_eq!(scale_in(800.0, 540.0), 1.0, "the bar with a result opened");
    }

    #[test]
    fn zoom_keeps_the_point_under_the_pointer() {
        let before = Viewport {
            x: 500.0,
            y: 100.0,
            scale: 1.0,
        };
        let after = before.zoom(2.0, 200.0, 100.0, BOUNDS);
        assert!((before.x + 200.0 - (after.x + 200.0 / after.scale)).abs() < 1e-9);
        assert_eq!(after.scale, 2.0);
        assert_eq!(before.zoom(1e9, 0.0, 0.0, BOUNDS).scale, MAX_SCALE);
    }

    #[test]
    fn fit_shows_everything_or_the_newest_end() {
        let all = Viewport::fit(Bounds {
            content_width: 900.0,
            content_height: 300.0,
            ..BOUNDS
        });
        assert_eq!((all.x, all.scale), (0.0, 800.0 / 900.0));
        let wide = Viewport::fit(Bounds {
            content_width: 100_000.0,
            ..BOUNDS
        });
        assert_eq!(wide.scale, MIN_LEGIBLE_SCALE);
        assert_eq!(wide.x, 100_000.0 - 800.0 / MIN_LEGIBLE_SCALE);
    }

    #[test]
    fn a_large_graph_opens_at_its_head_and_a_small_one_fills_the_view() {
        let at = |end: f64| {
            let view = Viewport::opening(end, BOUNDS);
            (view.x, view.scale)
        };
        assert_eq!(at(1000.0), (320.0, 1.0));
        assert_eq!(at(1990.0), (1200.0, 1.0));
        assert_eq!(at(10.0), (-LEFT_MARGIN, 1.0));
        let fit = |content_width: f64, content_height: f64| {
            let view = Viewport::opening(
                0.0,
                Bounds {
                    content_width,
                    content_height,
                    ..BOUNDS
                },
            );
            (view.x, view.scale)
        };
        assert_eq!(
            fit(940.0, 300.0),
            (0.0, 800.0 / 940.0),
            "all of it, where it can be read"
        );
        assert_eq!(fit(640.0, 320.0), (0.0, 1.25));
        assert_eq!(
            fit(60.0, 64.0),
            (-LEFT_MARGIN, MAX_FIT_SCALE),
            "no larger than helps"
        );
    }

    #[test]
    fn reveals_a_part_with_a_margin() {
        let part = Area {
            x: 1500.0,
            y: 10.0,
            width: 52.0,
            height: 24.0,
        };
        let view = Viewport::default().scroll_to(part, BOUNDS);
        assert_eq!(view.x, 1500.0 + 52.0 + 48.0 - 800.0);
        assert_eq!(view.scroll_to(part, BOUNDS), view);
        assert!(view.holds(part, BOUNDS) && !Viewport::default().holds(part, BOUNDS));
        let cut = Area { x: 790.0, ..part };
        assert!(
            !Viewport::default().holds(cut, BOUNDS),
            "a part of it is not enough"
        );
    }

    fn view_at(x: f64) -> Viewport {
        Viewport {
            x,
            y: 0.0,
            scale: 1.0,
        }
    }

    #[test]
    fn the_window_contains_the_view_and_rarely_changes() {
        let window = view_at(600.0).window(BOUNDS, None);
        assert!(window.x1 <= 600.0 && window.x2 >= 1400.0);
        assert_eq!(
            view_at(630.0).window(BOUNDS, None),
            view_at(655.0).window(BOUNDS, None)
        );
    }

    #[test]
    fn panning_back_and_forth_only_extends_the_window() {
        let mut window = view_at(600.0).window(BOUNDS, None);
        for x in (600..=1200).step_by(7) {
            let next = view_at(f64::from(x)).window(BOUNDS, Some(window));
            assert!(
                next.x1 <= window.x1 && next.x2 >= window.x2,
                "the window only grows"
            );
            window = next;
        }
        assert_eq!(view_at(600.0).window(BOUNDS, Some(window)), window);
    }

    #[test]
    fn distant_parts_are_dropped() {
        let near = view_at(0.0).window(BOUNDS, None);
        let window = (0..100).fold(near, |drawn, step| {
            view_at(f64::from(step) * 100.0).window(BOUNDS, Some(drawn))
        });
        assert!(
            window.x1 > 9_900.0 - KEEP_MARGIN - WINDOW_STEP - 1.0,
            "{window:?}"
        );
        assert_eq!(
            view_at(9_900.0).window(BOUNDS, Some(near)),
            view_at(9_900.0).window(BOUNDS, None),
            "a jump"
        );
        let all = view_at(600.0).window(BOUNDS, Some(Window::ALL));
        assert!(
            all.x1 < 0.0 && all.x1.is_finite() && all.x1 >= 600.0 - KEEP_MARGIN - WINDOW_STEP,
            "after paper: {all:?}"
        );
    }
}
