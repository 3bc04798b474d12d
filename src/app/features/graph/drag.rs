//! What is held in the graph and what letting go of it would mean: plain state and geometry. Knows no browser and no
//! catalog.

use super::arrow_keys;
use protocol::lanes::{Car, CarKind, Lane, Lanes};
use protocol::views::EntryRef;

/// A point: of the window in CSS pixels, or of [`Lanes`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

/// What the pointer holds.
#[derive(Debug, Clone, PartialEq)]
pub enum DragSource {
    /// The ground: the view is panned.
    Ground,
    /// A frame around what is to be selected, from this point of the lanes on.
    Frame(Point),
    Car(EntryRef),
    /// The grip of a car: an edge from it to another.
    Grip(EntryRef),
    /// The star of the default channel.
    Star,
}

/// A press of the pointer that has not ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Drag {
    pub held: DragSource,
    /// Where the pointer is, of the window.
    pub at: Point,
    /// It has moved so far that it is no click any more.
    pub moved: bool,
    /// Shift or Alt is held.
    pub other: bool,
}

/// A pointer that moved less than this is a click.
const CLICK: f64 = 4.0;

pub fn is_far(from: Point, to: Point) -> bool {
    (to.x - from.x).abs() + (to.y - from.y).abs() > CLICK
}

impl Drag {
    pub fn new(held: DragSource, at: Point, other: bool) -> Self {
        Self {
            held,
            at,
            moved: false,
            other,
        }
    }

    /// Whether a pointer at `to` makes a drag of it.
    pub fn goes_far(&self, to: Point) -> bool {
        self.moved || is_far(self.at, to)
    }

    /// The car that is on its way.
    pub fn carried(&self) -> Option<&EntryRef> {
        match &self.held {
            DragSource::Car(entry) if self.moved => Some(entry),
            _ => None,
        }
    }
}

/// What a drop means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gesture {
    Promote { bundle: String, to: String },
    Replace { entry: EntryRef, replaces: String },
    Skip { entry: EntryRef, skip: String },
    SetDefault { channel: String },
}

impl Gesture {
    /// As it is said while it is under way.
    pub fn announcement(&self) -> String {
        match self {
            Gesture::Promote { bundle, to } => format!("Promote {bundle} to {to}"),
            Gesture::Replace { entry, replaces } => format!("{} replaces {replaces}", entry.name),
            Gesture::Skip { entry, skip } => format!("{} skips {skip}", entry.name),
            Gesture::SetDefault { channel } => format!("{channel} becomes the default channel"),
        }
    }
}

/// What the pointer is over, to what is held.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum DropTarget {
    /// Nothing that it could be dropped on.
    #[default]
    Nothing,
    /// It cannot be dropped there, and why.
    Cannot(String),
    Does(Gesture),
}

impl DropTarget {
    pub fn gesture(&self) -> Option<&Gesture> {
        match self {
            DropTarget::Does(gesture) => Some(gesture),
            DropTarget::Nothing | DropTarget::Cannot(_) => None,
        }
    }

    /// The lane that the drop would change as a whole.
    pub fn lane(&self) -> Option<&str> {
        match self.gesture()? {
            Gesture::Promote { to, .. } => Some(to),
            Gesture::SetDefault { channel } => Some(channel),
            Gesture::Replace { .. } | Gesture::Skip { .. } => None,
        }
    }
}

/// What dropping `held` at a point of the lanes means. `other`: with Shift or Alt.
pub fn aim(lanes: &Lanes, held: &DragSource, other: bool, at: Point) -> DropTarget {
    match held {
        DragSource::Ground | DragSource::Frame(_) => DropTarget::Nothing,
        DragSource::Car(entry) => match lane_at(lanes, at) {
            Some(lane) if lane.channel != entry.channel => promotion(lane, entry),
            _ => DropTarget::Nothing,
        },
        DragSource::Grip(entry) => {
            match lane_at(lanes, at).and_then(|lane| Some((lane, car_in(lane, at)?))) {
                Some((lane, car)) => edge(entry, lane, car, other),
                None => DropTarget::Nothing,
            }
        }
        DragSource::Star => match lane_at(lanes, at) {
            Some(lane) if !lane.is_default => DropTarget::Does(Gesture::SetDefault {
                channel: lane.channel.clone(),
            }),
            _ => DropTarget::Nothing,
        },
    }
}

fn promotion(lane: &Lane, entry: &EntryRef) -> DropTarget {
    let lists = |car: &Car| match car.kind {
        CarKind::Entry => car.name == entry.name,
        CarKind::Stack => car.members.contains(&entry.name),
        CarKind::Ghost | CarKind::Removed => false,
    };
    if lane.cars.iter().any(lists) {
        return DropTarget::Cannot(format!("{} already lists {}", lane.channel, entry.name));
    }
    DropTarget::Does(Gesture::Promote {
        bundle: entry.name.clone(),
        to: lane.channel.clone(),
    })
}

fn edge(entry: &EntryRef, lane: &Lane, car: &Car, other: bool) -> DropTarget {
    if lane.channel != entry.channel {
        return DropTarget::Cannot(format!("Edges stay within one channel: {}", entry.channel));
    }
    match car.kind {
        CarKind::Stack => DropTarget::Cannot(format!("Open {} first", car.name)),
        CarKind::Removed => DropTarget::Cannot(format!("{} is removed", car.name)),
        CarKind::Entry | CarKind::Ghost if car.name == entry.name => DropTarget::Nothing,
        CarKind::Entry | CarKind::Ghost => {
            let (entry, name) = (entry.clone(), car.name.clone());
            DropTarget::Does(if other {
                Gesture::Skip { entry, skip: name }
            } else {
                Gesture::Replace {
                    entry,
                    replaces: name,
                }
            })
        }
    }
}

/// The lane at a height.
pub fn lane_at(lanes: &Lanes, at: Point) -> Option<&Lane> {
    let is_there =
        |lane: &&Lane| (f64::from(lane.y)..f64::from(lane.y + lane.height)).contains(&at.y);
    lanes
        .lanes
        .iter()
        .map(|lane| &**lane)
        .filter(|lane| !lane.removed)
        .find(is_there)
}

fn car_in(lane: &Lane, at: Point) -> Option<&Car> {
    // A pointer that is only near meets it too.
    const NEAR: f64 = 4.0;
    lane.cars.iter().find(|car| {
        let (area, middle) = (Area::from_car(car), Area::from_car(car).middle());
        (at.x - middle.x).abs() <= area.width / 2.0 + NEAR
            && (at.y - middle.y).abs() <= area.height / 2.0 + NEAR
    })
}

/// A rectangle of the lanes.
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

    pub fn from_car(car: &Car) -> Self {
        Self {
            x: car.x.into(),
            y: car.y.into(),
            width: car.width.into(),
            height: car.height.into(),
        }
    }

    fn meets(self, other: Self) -> bool {
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
}

/// The entries that a frame touches, those in stacks too, in the order of the lanes.
pub fn framed(lanes: &Lanes, frame: Area) -> Vec<EntryRef> {
    let lanes = lanes.lanes.iter().filter(|lane| !lane.removed);
    lanes
        .flat_map(|lane| {
            let cars = lane
                .cars
                .iter()
                .filter(|car| matches!(car.kind, CarKind::Entry | CarKind::Stack));
            let names = cars
                .filter(|car| frame.meets(Area::from_car(car)))
                .flat_map(arrow_keys::names_of);
            names.map(|name| EntryRef {
                channel: lane.channel.clone(),
                name: name.clone(),
            })
        })
        .collect()
}

/// A car that is not there yet: where it would stand, and what it would replace.
#[derive(Debug, Clone, PartialEq)]
pub struct Ghost {
    pub at: Area,
    pub text: String,
    /// The middle of the car that it replaces, where that is in the lane.
    pub replaces: Option<Point>,
}

/// The car of `entry` as it would stand in another lane: in its own column, since lanes share them.
pub fn ghost(lanes: &Lanes, entry: &EntryRef, to: &str, replaces: &str) -> Option<Ghost> {
    let car = arrow_keys::car_at(lanes, arrow_keys::find(lanes, &entry.channel, &entry.name)?)?;
    let lane = lanes.lanes.iter().find(|lane| lane.channel == to)?;
    let at = Area {
        y: f64::from(lane.track.y - car.height / 2.0),
        ..Area::from_car(car)
    };
    let replaced =
        arrow_keys::find(lanes, to, replaces).and_then(|found| arrow_keys::car_at(lanes, found));
    Some(Ghost {
        at,
        text: car.text.clone(),
        replaces: replaced.map(|car| Area::from_car(car).middle()),
    })
}

/// Where a car's grip is: at its left, where what it takes over from stands.
pub fn grip(car: &Car) -> Option<Point> {
    (car.kind == CarKind::Entry && !car.text.is_empty()).then(|| Point {
        x: f64::from(car.x),
        y: f64::from(car.y + car.height / 2.0),
    })
}

/// How fast the view moves with the pointer near an edge, in pixels a frame. `at` is in an area of this size, or outside.
pub fn edge_speed(at: Point, width: f64, height: f64) -> (f64, f64) {
    const EDGE: f64 = 40.0;
    const FASTEST: f64 = 14.0;
    let along = |at: f64, length: f64| {
        let (before, behind) = (EDGE - at, at - (length - EDGE));
        // An area with less room than its edges need stays where it is.
        match length > 3.0 * EDGE {
            true if before > 0.0 => -FASTEST * (before / EDGE).min(1.0),
            true if behind > 0.0 => FASTEST * (behind / EDGE).min(1.0),
            _ => 0.0,
        }
    };
    (along(at.x, width), along(at.y, height))
}

#[cfg(test)]
#[path = "drag_tests.rs"]
mod tests;
