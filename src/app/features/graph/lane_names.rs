//! Decides which lanes show their name when zoomed out: names never overlap, and the most important
//! ones stay.

use protocol::lanes::{Lane, Lanes};
use protocol::views::EntryRef;

/// Line height of names in pixels.
const LINE: f64 = 13.0;

/// By lane, whether its name has room at this scale: the selected entry's and the default channel
/// first, then edited ones and those with problems, then from the top.
pub(super) fn named_lanes(lanes: &Lanes, selected: Option<&EntryRef>, scale: f64) -> Vec<bool> {
    let middle = |lane: &Lane| f64::from(lane.y + lane.height / 2.0) * scale;
    let rank = |lane: &Lane| match lane {
        lane if selected.is_some_and(|of| of.channel == lane.channel) => 0,
        Lane {
            is_default: true, ..
        } => 1,
        lane if lane.edited || lane.problem.is_some() => 2,
        _ => 3,
    };
    let mut order: Vec<(usize, &Lane)> =
        lanes.lanes.iter().map(|lane| &**lane).enumerate().collect();
    // A stable sort keeps the order from the top within a rank.
    order.sort_by_key(|(_, lane)| rank(lane));
    let mut has_name = vec![false; lanes.lanes.len()];
    // Centers of the visible names, from the top.
    let mut taken: Vec<f64> = Vec::new();
    for (index, lane) in order {
        let at = middle(lane);
        let next = taken.partition_point(|other| *other < at);
        let near = |other: Option<&f64>| other.is_some_and(|other| (other - at).abs() < LINE);
        let is_free = !near(next.checked_sub(1).and_then(|before| taken.get(before)))
            && !near(taken.get(next));
        if let Some(has_name) = has_name.get_mut(index).filter(|_| is_free) {
            *has_name = true;
            taken.insert(next, at);
        }
    }
    has_name
}

#[cfg(test)]
mod tests {
    use super::super::testing::lane;
    use super::*;

    #[test]
    fn names_that_would_collide_are_left_out_and_the_default_channel_stays() {
        let channels = ["a", "b", "c", "stable", "e"];
        let made = (0..)
            .zip(channels)
            .map(|(at, name)| lane(name, 60.0 * at as f32, Vec::new()))
            .collect();
        let lanes = Lanes {
            lanes: made,
            ..Lanes::default()
        };
        assert_eq!(named_lanes(&lanes, None, 1.0), [true; 5]);
        // 9 pixels between lanes.
        assert_eq!(
            named_lanes(&lanes, None, 0.15),
            [true, false, false, true, false]
        );
        let selected = EntryRef {
            channel: "c".into(),
            name: "x".into(),
        };
        assert_eq!(
            named_lanes(&lanes, Some(&selected), 0.15),
            [true, false, true, false, true]
        );
        assert!(named_lanes(&Lanes::default(), None, 0.0).is_empty());
    }
}
