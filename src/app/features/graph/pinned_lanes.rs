//! Pinned lanes, which stay in view above the scrolled ones.

use crate::state::lane_arrangement::LaneArrangement;
use protocol::lanes::{Lane, Lanes};

/// Maximum share of the view's height for pinned lanes; further ones are scrolled.
const MOST: f64 = 0.6;

/// The first lanes, which stay.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Pinned {
    pub lanes: usize,
    /// Their height in pixels at scale 1.
    pub height: f64,
}

impl Pinned {
    /// `room` is the height of the view in pixels at scale 1.
    pub fn new(lanes: &Lanes, arranged: &LaneArrangement, room: f64) -> Self {
        leading(lanes, arranged).fold(Self::default(), |all, (index, lane)| {
            let height = f64::from(lane.y + lane.height - lanes.top);
            let fits = all.lanes == index && height <= room * MOST;
            if fits {
                Self {
                    lanes: index + 1,
                    height,
                }
            } else {
                all
            }
        })
    }
}

/// Number of lanes to pin.
pub(super) fn pinned_count(lanes: &Lanes, arranged: &LaneArrangement) -> usize {
    leading(lanes, arranged).count()
}

fn leading<'a>(
    lanes: &'a Lanes,
    arranged: &'a LaneArrangement,
) -> impl Iterator<Item = (usize, &'a Lane)> {
    lanes
        .lanes
        .iter()
        .map(|lane| &**lane)
        .enumerate()
        .take_while(|(_, lane)| arranged.is_pinned(&lane.channel))
}

#[cfg(test)]
mod tests {
    use super::super::testing::lane;
    use super::*;

    fn lanes() -> Lanes {
        let made = (0..)
            .zip(["a", "b", "c"])
            .map(|(at, name)| lane(name, 50.0 + 60.0 * at as f32, Vec::new()));
        Lanes {
            top: 50.0,
            lanes: made.collect(),
            ..Lanes::default()
        }
    }

    fn pinning(names: &[&str]) -> LaneArrangement {
        LaneArrangement {
            pinned: names.iter().map(ToString::to_string).collect(),
            ..LaneArrangement::default()
        }
    }

    #[test]
    fn pinned_lanes_stay_while_other_lanes_have_room() {
        let both = pinning(&["a", "b"]);
        assert_eq!(
            Pinned::new(&lanes(), &both, 200.0),
            Pinned {
                lanes: 2,
                height: 120.0
            }
        );
        assert_eq!(
            Pinned::new(&lanes(), &both, 150.0),
            Pinned {
                lanes: 1,
                height: 60.0
            }
        );
        assert_eq!(Pinned::new(&lanes(), &both, 90.0), Pinned::default());
        assert_eq!(pinned_count(&lanes(), &both), 2);
    }

    #[test]
    fn only_leading_lanes_are_pinned() {
        assert_eq!(
            Pinned::new(&lanes(), &pinning(&["b"]), 900.0),
            Pinned::default()
        );
        assert_eq!(
            Pinned::new(&Lanes::default(), &pinning(&["b"]), 900.0),
            Pinned::default()
        );
    }
}
