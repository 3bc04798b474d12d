//! The fingers that touch the graph, and the pinches of two of them.

use super::viewport::Point;

/// Minimum distance of two fingers, in CSS pixels. The ratio of shorter ones is not a zoom.
const MIN_DISTANCE: f64 = 8.0;

/// The fingers that are down, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TouchPoints {
    down: Vec<(i32, Point)>,
}

/// A movement of two fingers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pinch {
    /// The previous midpoint.
    pub from: Point,
    /// The current midpoint.
    pub to: Point,
    /// Ratio of the current to the previous distance.
    pub factor: f64,
}

impl TouchPoints {
    pub fn down(&mut self, id: i32, at: Point) {
        self.up(id);
        self.down.push((id, at));
    }

    /// Removes a lifted finger. Returns the position of the remaining one, if exactly one remains.
    pub fn up(&mut self, id: i32) -> Option<Point> {
        let before = self.down.len();
        self.down.retain(|(touch, _)| *touch != id);
        match (before, self.down.as_slice()) {
            (2, [(_, remaining)]) => Some(*remaining),
            _ => None,
        }
    }

    /// Whether several fingers are down.
    pub fn are_several(&self) -> bool {
        self.down.len() > 1
    }

    /// Returns the pointer ids of all fingers.
    pub fn ids(&self) -> impl Iterator<Item = i32> + '_ {
        self.down.iter().map(|(id, _)| *id)
    }

    /// Moves a finger. Returns `None` if it is the only one, or not among the first two.
    pub fn move_touch(&mut self, id: i32, to: Point) -> Option<Pinch> {
        let before = self.pair();
        self.down
            .iter_mut()
            .filter(|(touch, _)| *touch == id)
            .for_each(|(_, at)| *at = to);
        let ((from, old_length), (to, length)) = (before?, self.pair()?);
        let factor = if old_length < MIN_DISTANCE || length < MIN_DISTANCE {
            1.0
        } else {
            length / old_length
        };
        (from != to || length != old_length).then_some(Pinch { from, to, factor })
    }

    /// Returns the midpoint and the distance of the first two fingers.
    fn pair(&self) -> Option<(Point, f64)> {
        let [(_, a), (_, b), ..] = self.down.as_slice() else {
            return None;
        };
        Some((
            Point {
                x: (a.x + b.x) / 2.0,
                y: (a.y + b.y) / 2.0,
            },
            (a.x - b.x).hypot(a.y - b.y),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn at(x: f64, y: f64) -> Point {
        Point { x, y }
    }

    #[test]
    fn two_fingers_zoom_around_their_middle() {
        let mut fingers = TouchPoints::default();
        fingers.down(1, at(100.0, 100.0));
        assert_eq!(
            fingers.move_touch(1, at(110.0, 100.0)),
            None,
            "one is a pointer"
        );
        fingers.down(2, at(210.0, 100.0));
        assert!(fingers.are_several());
        let pinch = fingers.move_touch(2, at(310.0, 100.0));
        assert_eq!(
            pinch,
            Some(Pinch {
                from: at(160.0, 100.0),
                to: at(210.0, 100.0),
                factor: 2.0
            })
        );
        fingers.down(3, at(0.0, 0.0));
        assert_eq!(
            fingers.move_touch(3, at(5.0, 5.0)),
            None,
            "a third one does not count"
        );
        assert_eq!(fingers.up(3), None);
        assert_eq!(
            fingers.up(1),
            Some(at(310.0, 100.0)),
            "the other finger continues"
        );
        assert!(!fingers.are_several());
        assert_eq!(fingers.up(2), None);
    }

    #[test]
    fn fingers_on_one_spot_do_not_zoom() {
        let mut fingers = TouchPoints::default();
        fingers.down(1, at(0.0, 0.0));
        fingers.down(2, at(0.0, 0.0));
        assert_eq!(
            fingers
                .move_touch(2, at(4.0, 0.0))
                .map(|pinch| pinch.factor),
            Some(1.0)
        );
    }
}
