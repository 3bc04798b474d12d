//! State and geometry of drag and drop in the graph. Knows no browser and no catalog.

use super::arrow_keys;
use protocol::lanes::{EntryNode, EntryNodeKind, Lane, Lanes};
use protocol::views::EntryRef;

/// A point in the window (CSS pixels) or in [`Lanes`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

/// What is being dragged.
#[derive(Debug, Clone, PartialEq)]
pub enum DragSource {
    /// The background: pans the view.
    Ground,
    /// A selection frame, starting at this point of the lanes.
    Frame(Point),
    Node(EntryRef),
    /// A node's grip: an edge to another node.
    Grip(EntryRef),
    /// The star of the default channel.
    Star,
}

/// A pointer press in progress.
#[derive(Debug, Clone, PartialEq)]
pub struct Drag {
    pub held: DragSource,
    /// The pointer's position in the window.
    pub at: Point,
    /// It moved too far for a click.
    pub moved: bool,
    /// Shift or Alt is held.
    pub other: bool,
}

/// A smaller movement is a click.
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

    /// Whether moving the pointer to `to` makes it a drag.
    pub fn goes_far(&self, to: Point) -> bool {
        self.moved || is_far(self.at, to)
    }

    /// The dragged node's entry.
    pub fn carried_entry(&self) -> Option<&EntryRef> {
        match &self.held {
            DragSource::Node(entry) if self.moved => Some(entry),
            _ => None,
        }
    }
}

/// The meaning of a drop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gesture {
    Promote { bundle: String, to: String },
    Replace { entry: EntryRef, replaces: String },
    Skip { entry: EntryRef, skip: String },
    SetDefault { channel: String },
}

impl Gesture {
    /// The announcement during the drag.
    pub fn announcement(&self) -> String {
        match self {
            Gesture::Promote { bundle, to } => format!("Promote {bundle} to {to}"),
            Gesture::Replace { entry, replaces } => format!("{} replaces {replaces}", entry.name),
            Gesture::Skip { entry, skip } => format!("{} skips {skip}", entry.name),
            Gesture::SetDefault { channel } => format!("{channel} becomes the default channel"),
        }
    }
}

/// What a drag is over.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum DropTarget {
    /// No drop target.
    #[default]
    Nothing,
    /// Not droppable there, with the reason.
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

/// The meaning of dropping `held` at a point of the lanes. `other`: with Shift or Alt.
pub fn aim(lanes: &Lanes, held: &DragSource, other: bool, at: Point) -> DropTarget {
    match held {
        DragSource::Ground | DragSource::Frame(_) => DropTarget::Nothing,
        DragSource::Node(entry) => match lane_at(lanes, at) {
            Some(lane) if lane.channel != entry.channel => promotion(lane, entry),
            _ => DropTarget::Nothing,
        },
        DragSource::Grip(entry) => {
            match lane_at(lanes, at).and_then(|lane| Some((lane, node_in(lane, at)?))) {
                Some((lane, node)) => edge(entry, lane, node, other),
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
    let lists = |node: &EntryNode| match node.kind {
        EntryNodeKind::Entry => node.name == entry.name,
        EntryNodeKind::Stack => node.members.contains(&entry.name),
        EntryNodeKind::Ghost | EntryNodeKind::Removed => false,
    };
    if lane.nodes.iter().any(lists) {
        return DropTarget::Cannot(format!("{} already lists {}", lane.channel, entry.name));
    }
    DropTarget::Does(Gesture::Promote {
        bundle: entry.name.clone(),
        to: lane.channel.clone(),
    })
}

fn edge(entry: &EntryRef, lane: &Lane, node: &EntryNode, other: bool) -> DropTarget {
    if lane.channel != entry.channel {
        return DropTarget::Cannot(format!("Edges stay within one channel: {}", entry.channel));
    }
    match node.kind {
        EntryNodeKind::Stack => DropTarget::Cannot(format!("Open {} first", node.name)),
        EntryNodeKind::Removed => DropTarget::Cannot(format!("{} is removed", node.name)),
        EntryNodeKind::Entry | EntryNodeKind::Ghost if node.name == entry.name => {
            DropTarget::Nothing
        }
        EntryNodeKind::Entry | EntryNodeKind::Ghost => {
            let (entry, name) = (entry.clone(), node.name.clone());
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

/// The lane at a vertical position.
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

fn node_in(lane: &Lane, at: Point) -> Option<&EntryNode> {
    // Tolerance around a node.
    const NEAR: f64 = 4.0;
    lane.nodes.iter().find(|node| {
        let (area, middle) = (Area::from_node(node), Area::from_node(node).middle());
        (at.x - middle.x).abs() <= area.width / 2.0 + NEAR
            && (at.y - middle.y).abs() <= area.height / 2.0 + NEAR
    })
}

/// A rectangle in lane coordinates.
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

/// The entries that a frame touches, including those in stacks, in lane order.
pub fn entries_in(lanes: &Lanes, frame: Area) -> Vec<EntryRef> {
    let lanes = lanes.lanes.iter().filter(|lane| !lane.removed);
    lanes
        .flat_map(|lane| {
            let nodes = lane
                .nodes
                .iter()
                .filter(|node| matches!(node.kind, EntryNodeKind::Entry | EntryNodeKind::Stack));
            let names = nodes
                .filter(|node| frame.meets(Area::from_node(node)))
                .flat_map(arrow_keys::names_of);
            names.map(|name| EntryRef {
                channel: lane.channel.clone(),
                name: name.clone(),
            })
        })
        .collect()
}

/// The preview of a new node: its position, and what it would replace.
#[derive(Debug, Clone, PartialEq)]
pub struct Ghost {
    pub at: Area,
    pub text: String,
    /// The center of the node that it replaces, if it is in the lane.
    pub replaces: Option<Point>,
}

/// The node of `entry` in another lane: in its own column, since lanes share columns.
pub fn ghost(lanes: &Lanes, entry: &EntryRef, to: &str, replaces: &str) -> Option<Ghost> {
    let node = arrow_keys::node_at(lanes, arrow_keys::find(lanes, &entry.channel, &entry.name)?)?;
    let lane = lanes.lanes.iter().find(|lane| lane.channel == to)?;
    let at = Area {
        y: f64::from(lane.track.y - node.height / 2.0),
        ..Area::from_node(node)
    };
    let replaced =
        arrow_keys::find(lanes, to, replaces).and_then(|found| arrow_keys::node_at(lanes, found));
    Some(Ghost {
        at,
        text: node.text.clone(),
        replaces: replaced.map(|node| Area::from_node(node).middle()),
    })
}

/// The position of a node's grip: on its left, towards the entries it updates.
pub fn grip(node: &EntryNode) -> Option<Point> {
    (node.kind == EntryNodeKind::Entry && !node.text.is_empty()).then(|| Point {
        x: f64::from(node.x),
        y: f64::from(node.y + node.height / 2.0),
    })
}

/// Scroll speed with the pointer near an edge, in pixels per frame. `at` is relative to an area of
/// this size, possibly outside.
pub fn edge_speed(at: Point, width: f64, height: f64) -> (f64, f64) {
    const EDGE: f64 = 40.0;
    const FASTEST: f64 = 14.0;
    let along = |at: f64, length: f64| {
        let (before, behind) = (EDGE - at, at - (length - EDGE));
        // An area smaller than its edge zones does not scroll.
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
