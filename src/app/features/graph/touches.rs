//! Touch gestures on the graph: two fingers zoom and pan at once. One finger acts like any pointer.

use super::drag::Point;

/// The fingers that are down, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TouchPoints {
    down: Vec<(i32, Point)>,
}

/// A movement of two fingers, which the view follows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pinch {
    /// The previous and current midpoint.
    pub from: Point,
    pub to: Point,
    pub factor: f64,
}

/// Minimum distance for measuring zoom.
const LEAST: f64 = 8.0;

impl TouchPoints {
    pub fn down(&mut self, id: i32, at: Point) {
        self.up(id);
        self.down.push((id, at));
    }

    /// The remaining finger, if exactly one remains.
    pub fn up(&mut self, id: i32) -> Option<Point> {
        let before = self.down.len();
        self.down.retain(|(known, _)| *known != id);
        match (before, self.down.as_slice()) {
            (2, [(_, left)]) => Some(*left),
            _ => None,
        }
    }

    /// Whether several fingers are down.
    pub fn are_several(&self) -> bool {
        self.down.len() > 1
    }

    /// The pointer ids of all fingers.
    pub fn ids(&self) -> impl Iterator<Item = i32> + '_ {
        self.down.iter().map(|(id, _)| *id)
    }

    /// A finger moved. `None`: it is the only one, or not among the first two.
    pub fn move_touch(&mut self, id: i32, to: Point) -> Option<Pinch> {
        let before = self.pair();
        self.down
            .iter_mut()
            .filter(|(known, _)| *known == id)
            .for_each(|(_, at)| *at = to);
        let ((from, length), (to, now)) = (before?, self.pair()?);
        let factor = if length < LEAST || now < LEAST {
            1.0
        } else {
            now / length
        };
        (from != to || length != now).then_some(Pinch { from, to, factor })
    }

    /// Midpoint and distance of the first two.
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
