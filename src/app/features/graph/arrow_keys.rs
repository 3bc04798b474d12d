//! Arrow keys: along the nodes of a lane, and between the lanes of a column.

use protocol::lanes::{Car, CarKind, Lanes};
use protocol::views::EntryRef;

/// A node by its indices in [`Lanes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CarAt {
    pub lane: usize,
    pub car: usize,
}

/// The direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArrowMove {
    Left,
    Right,
    Up,
    Down,
    First,
    Last,
}

pub fn car_at(lanes: &Lanes, at: CarAt) -> Option<&Car> {
    lanes.lanes.get(at.lane)?.cars.get(at.car)
}

/// The first node with a name in a channel.
pub fn find(lanes: &Lanes, channel: &str, name: &str) -> Option<CarAt> {
    lanes
        .lanes
        .iter()
        .enumerate()
        .filter(|(_, lane)| lane.channel == channel)
        .find_map(|(l, lane)| {
            let car = lane.cars.iter().position(|c| c.name == name).or_else(|| {
                lane.cars
                    .iter()
                    .position(|c| c.members.iter().any(|m| m == name))
            })?;
            Some(CarAt { lane: l, car })
        })
}

/// The entries of a channel in lane order, including those in stacks.
pub fn entries_of(lanes: &Lanes, channel: &str) -> Vec<EntryRef> {
    let cars = lanes
        .lanes
        .iter()
        .filter(|lane| lane.channel == channel)
        .flat_map(|lane| &lane.cars);
    let names = cars
        .filter(|car| matches!(car.kind, CarKind::Entry | CarKind::Stack))
        .flat_map(names_of);
    names
        .map(|name| EntryRef {
            channel: channel.to_owned(),
            name: name.clone(),
        })
        .collect()
}

/// The names represented by a node: its own, or those of a stack.
pub fn names_of(car: &Car) -> &[String] {
    if car.members.is_empty() {
        std::slice::from_ref(&car.name)
    } else {
        &car.members
    }
}

/// The y-stream above a node.
pub fn stream_over(lanes: &Lanes, at: CarAt) -> Option<&str> {
    let car = car_at(lanes, at)?;
    let middle = car.x + car.width / 2.0;
    let stream = lanes
        .streams
        .iter()
        .find(|s| !s.label.is_empty() && (s.x..s.x + s.width).contains(&middle))?;
    Some(&stream.key)
}

/// The initial focus: the default lane's head, else the last node of the first non-empty lane.
pub fn start(lanes: &Lanes) -> Option<CarAt> {
    let (lane, cars) = lanes
        .lanes
        .iter()
        .enumerate()
        .find(|(_, l)| !l.cars.is_empty())?;
    let head = cars
        .cars
        .iter()
        .position(|c| c.marks.head)
        .unwrap_or(cars.cars.len() - 1);
    Some(CarAt { lane, car: head })
}

/// The position of a node after the lanes are replaced: where it is now, or the stack that contains
/// it, or else what is at its old position.
pub fn kept(before: &Lanes, at: CarAt, after: &Lanes) -> Option<CarAt> {
    let lane = before.lanes.get(at.lane)?;
    let car = lane.cars.get(at.car)?;
    // Members of a stack stay together, so the first one is enough.
    let same = names_of(car)
        .first()
        .and_then(|name| find(after, &lane.channel, name));
    let beside = || {
        let (index, lane) = after
            .lanes
            .iter()
            .enumerate()
            .find(|(_, of)| of.channel == lane.channel)?;
        Some(CarAt {
            lane: index,
            car: at.car.min(lane.cars.len().checked_sub(1)?),
        })
    };
    same.or_else(beside).or_else(|| start(after))
}

/// The next node in a direction; `None` at the edge. Up and down go to the node nearest in x.
pub fn step(lanes: &Lanes, at: CarAt, go: ArrowMove) -> Option<CarAt> {
    let lane = lanes.lanes.get(at.lane)?;
    let same = |car: usize| (car < lane.cars.len()).then_some(CarAt { lane: at.lane, car });
    match go {
        ArrowMove::Left => at.car.checked_sub(1).and_then(same),
        ArrowMove::Right => same(at.car + 1),
        ArrowMove::First => same(0),
        ArrowMove::Last => lane.cars.len().checked_sub(1).and_then(same),
        ArrowMove::Up => (0..at.lane).rev().find_map(|l| nearest(lanes, at, l)),
        ArrowMove::Down => (at.lane + 1..lanes.lanes.len()).find_map(|l| nearest(lanes, at, l)),
    }
}

fn nearest(lanes: &Lanes, from: CarAt, lane: usize) -> Option<CarAt> {
    let x = car_at(lanes, from)?.x;
    let cars = &lanes.lanes.get(lane)?.cars;
    let (car, _) = cars
        .iter()
        .enumerate()
        .min_by(|(_, a), (_, b)| (a.x - x).abs().total_cmp(&(b.x - x).abs()))?;
    Some(CarAt { lane, car })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{car, lane};
    use super::*;

    fn lanes(channels: &[(&str, &[&str])]) -> Lanes {
        let one = |name: &&str| match name.split_once('=') {
            Some((stack, members)) => Car {
                members: members.split(',').map(str::to_owned).collect(),
                ..car(CarKind::Stack, stack, 0.0, 0.0)
            },
            None => car(CarKind::Entry, name, 0.0, 0.0),
        };
        let lanes = channels
            .iter()
            .map(|(channel, cars)| lane(channel, 0.0, cars.iter().map(one).collect()));
        Lanes {
            lanes: lanes.collect(),
            ..Lanes::default()
        }
    }

    #[test]
    fn a_place_stays_with_its_car() {
        let before = lanes(&[("stable", &["0.x=a,b", "c", "d"]), ("fast", &["d"])]);
        let kept = |lane: usize, car: usize, after: &[(&str, &[&str])]| {
            kept(&before, CarAt { lane, car }, &lanes(after)).map(|at| (at.lane, at.car))
        };
        assert_eq!(
            kept(
                0,
                2,
                &[("fast", &["d"]), ("stable", &["0.x=a,b", "c", "new", "d"])]
            ),
            Some((1, 3))
        );
        assert_eq!(
            kept(0, 0, &[("stable", &["a", "b", "c", "d"])]),
            Some((0, 0)),
            "its stack was opened"
        );
        assert_eq!(
            kept(0, 1, &[("stable", &["0.x=a,b,c", "d"])]),
            Some((0, 0)),
            "it is in a stack now"
        );
        assert_eq!(
            kept(0, 2, &[("stable", &["a", "c"])]),
            Some((0, 1)),
            "it is gone: the nearest"
        );
        assert_eq!(
            kept(1, 0, &[("fast", &[]), ("stable", &["a", "c"])]),
            Some((1, 1)),
            "so is its lane"
        );
        assert_eq!(kept(0, 0, &[]), None);
        assert_eq!(kept(5, 0, &[("stable", &["a"])]), None);
    }
}
