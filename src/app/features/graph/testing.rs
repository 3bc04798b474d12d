//! Lanes for tests.

use protocol::lanes::{Car, CarKind, Lane, Marks, Rail};
use std::sync::Arc;

pub(super) fn car(kind: CarKind, name: &str, x: f32, y: f32) -> Car {
    Car {
        kind,
        name: name.into(),
        text: name.into(),
        version: String::new(),
        column: 0,
        x,
        y,
        width: 50.0,
        height: 20.0,
        marks: Marks::default(),
        members: Vec::new(),
        chain: None,
        selected: false,
        twin: false,
        edited: false,
        problem: None,
    }
}

pub(super) fn lane(channel: &str, y: f32, cars: Vec<Car>) -> Arc<Lane> {
    Arc::new(Lane {
        channel: channel.into(),
        index: 0,
        y,
        height: 60.0,
        is_default: channel == "stable",
        collapsed: false,
        deprecated: false,
        edited: false,
        entries: cars
            .iter()
            .filter(|car| car.kind != CarKind::Ghost && !car.marks.absent)
            .count() as u32,
        problem: None,
        removed: false,
        subtitle: String::new(),
        repeats: None,
        track: Rail {
            x1: 0.0,
            x2: 400.0,
            y: y + 30.0,
        },
        cars,
        links: vec![],
        runs: vec![],
        brackets: vec![],
        arrows: vec![],
        reaches: vec![],
    })
}
