//! State and geometry of drag and drop in the graph, and the forecast of a drop's consequences.

use super::viewport::{Area, Point};
use super::{GraphContext, nodes};
use crate::edits::command::{EditCommand, Field};
use crate::edits::form_values::FormValues;
use crate::prelude::*;
use protocol::lanes::{EntryNode, EntryNodeKind, Lane, Lanes};
use protocol::operation::{EditOp, EntryPlace};
use protocol::request::Target;
use protocol::response::PackageView;
use protocol::upgrades::Outcome;
use protocol::views::{EntryRef, UpgradeQuestion};

/// Minimum distance of a drag in CSS pixels; a shorter movement is a click.
const CLICK_DISTANCE: f64 = 4.0;
/// Tolerance around a node, in pixels of the lanes.
const NODE_TOLERANCE: f64 = 4.0;
/// Width of the zones along the edges in which a drag scrolls, in CSS pixels.
const SCROLL_ZONE: f64 = 40.0;
/// Maximum scroll speed of a drag, in pixels per frame.
const MAX_SCROLL_SPEED: f64 = 14.0;

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
    pub source: DragSource,
    /// The pointer's position in the window, in CSS pixels.
    pub at: Point,
    /// Whether the pointer has moved too far for a click.
    pub moved: bool,
    /// Whether Shift or Alt is held.
    pub has_modifier: bool,
}

/// Whether the distance is too long for a click.
pub fn exceeds_click(from: Point, to: Point) -> bool {
    (to.x - from.x).abs() + (to.y - from.y).abs() > CLICK_DISTANCE
}

impl Drag {
    pub fn new(source: DragSource, at: Point, has_modifier: bool) -> Self {
        Self {
            source,
            at,
            moved: false,
            has_modifier,
        }
    }

    /// Whether moving the pointer to `to` makes it a drag.
    pub fn is_drag_to(&self, to: Point) -> bool {
        self.moved || exceeds_click(self.at, to)
    }

    /// Returns the dragged node's entry.
    pub fn carried_entry(&self) -> Option<&EntryRef> {
        match &self.source {
            DragSource::Node(entry) if self.moved => Some(entry),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gesture {
    Promote { bundle: String, to: String },
    Replace { entry: EntryRef, replaces: String },
    Skip { entry: EntryRef, skip: String },
    SetDefault { channel: String },
}

impl Gesture {
    /// For screen readers, during the drag.
    pub fn announcement(&self) -> String {
        match self {
            Gesture::Promote { bundle, to } => format!("Promote {bundle} to {to}"),
            Gesture::Replace { entry, replaces } => format!("{} replaces {replaces}", entry.name),
            Gesture::Skip { entry, skip } => format!("{} skips {skip}", entry.name),
            Gesture::SetDefault { channel } => format!("{channel} becomes the default channel"),
        }
    }

    /// Returns the operation of the drop, with the form's defaults.
    fn operation(&self, catalog: Option<String>, package: &str) -> EditOp {
        let place = |entry: &EntryRef| EntryPlace::new(package, &entry.channel, &entry.name);
        let op = match self {
            Gesture::Promote { bundle, to } => EditOp::promote(package, bundle, to),
            Gesture::Replace { entry, replaces } => {
                place(entry).set_replaces(Some(replaces.clone()))
            }
            Gesture::Skip { entry, skip } => place(entry).add_skips(vec![skip.clone()], None),
            Gesture::SetDefault { channel } => EditOp::set_default_channel(package, channel),
        };
        op.in_catalog(catalog)
    }

    /// Returns the form that the drop opens: the same as from the shortcut and the menu.
    pub(super) fn form(self) -> (EditCommand, Target, FormValues) {
        let values = FormValues::default();
        match self {
            Gesture::Promote { bundle, to } => (
                EditCommand::Promote,
                Target::Bundle { name: bundle },
                values.with(Field::ToChannel, to),
            ),
            Gesture::Replace { entry, replaces } => (
                EditCommand::SetReplaces,
                entry.into(),
                values.with(Field::Replaces, replaces),
            ),
            Gesture::Skip { entry, skip } => (
                EditCommand::AddSkip,
                entry.into(),
                values.with(Field::Skip, skip),
            ),
            Gesture::SetDefault { channel } => (
                EditCommand::SetDefaultChannel,
                Target::Channel { channel },
                values,
            ),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum DropTarget {
    /// There is nothing to drop on.
    #[default]
    Absent,
    /// Dropping is not possible there, with the reason.
    Invalid(String),
    Valid(Gesture),
}

impl DropTarget {
    pub fn gesture(&self) -> Option<&Gesture> {
        match self {
            DropTarget::Valid(gesture) => Some(gesture),
            DropTarget::Absent | DropTarget::Invalid(_) => None,
        }
    }

    /// Returns the lane that the drop would change as a whole.
    pub fn lane(&self) -> Option<&str> {
        match self.gesture()? {
            Gesture::Promote { to, .. } => Some(to),
            Gesture::SetDefault { channel } => Some(channel),
            Gesture::Replace { .. } | Gesture::Skip { .. } => None,
        }
    }
}

/// Returns the effect of dropping `source` at a point of the lanes of `view`. `has_modifier`: Shift
/// or Alt is held.
pub fn drop_target(
    lanes: &Lanes,
    view: &PackageView,
    source: &DragSource,
    has_modifier: bool,
    at: Point,
) -> DropTarget {
    match source {
        DragSource::Ground | DragSource::Frame(_) => DropTarget::Absent,
        DragSource::Node(entry) => match lane_at(lanes, at) {
            Some(lane) if lane.channel != entry.channel => promotion_target(view, lane, entry),
            _ => DropTarget::Absent,
        },
        DragSource::Grip(entry) => {
            match lane_at(lanes, at).and_then(|lane| Some((lane, node_in(lane, at)?))) {
                Some((lane, node)) => edge_target(entry, lane, node, has_modifier),
                None => DropTarget::Absent,
            }
        }
        DragSource::Star => match lane_at(lanes, at) {
            Some(lane) if !lane.is_default => DropTarget::Valid(Gesture::SetDefault {
                channel: lane.channel.clone(),
            }),
            _ => DropTarget::Absent,
        },
    }
}

fn promotion_target(view: &PackageView, lane: &Lane, entry: &EntryRef) -> DropTarget {
    let target = view.promotion_target(&lane.channel);
    if view.lists_bundle(target, &entry.name) {
        return DropTarget::Invalid(format!("{target} already lists {}", entry.name));
    }
    // A semver template generates the channels of a list from the versions in it.
    let row = view.row(&entry.channel, &entry.name);
    let version = row.map_or("", |row| &row.version);
    let suffix = lane.channel.strip_prefix(target);
    if let Some(versions) = suffix.and_then(|suffix| suffix.strip_prefix("-v"))
        && !version.starts_with(&format!("{versions}."))
    {
        let channel = &lane.channel;
        return DropTarget::Invalid(format!("{channel} lists only versions {versions}.*"));
    }
    DropTarget::Valid(Gesture::Promote {
        bundle: entry.name.clone(),
        to: lane.channel.clone(),
    })
}

fn edge_target(entry: &EntryRef, lane: &Lane, node: &EntryNode, has_modifier: bool) -> DropTarget {
    if lane.channel != entry.channel {
        return DropTarget::Invalid(format!("Edges stay within one channel: {}", entry.channel));
    }
    match node.kind {
        EntryNodeKind::Stack => DropTarget::Invalid(format!("Open {} first", node.name)),
        EntryNodeKind::Removed => DropTarget::Invalid(format!("{} is removed", node.name)),
        EntryNodeKind::Entry | EntryNodeKind::Ghost if node.name == entry.name => {
            DropTarget::Absent
        }
        EntryNodeKind::Entry | EntryNodeKind::Ghost => {
            let (entry, name) = (entry.clone(), node.name.clone());
            DropTarget::Valid(if has_modifier {
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

pub fn lane_at(lanes: &Lanes, at: Point) -> Option<&Lane> {
    let contains =
        |lane: &&Lane| (f64::from(lane.y)..f64::from(lane.y + lane.height)).contains(&at.y);
    lanes
        .lanes
        .iter()
        .map(|lane| &**lane)
        .filter(|lane| !lane.removed)
        .find(contains)
}

fn node_in(lane: &Lane, at: Point) -> Option<&EntryNode> {
    lane.nodes.iter().find(|node| {
        let (area, middle) = (Area::from_node(node), Area::from_node(node).middle());
        (at.x - middle.x).abs() <= area.width / 2.0 + NODE_TOLERANCE
            && (at.y - middle.y).abs() <= area.height / 2.0 + NODE_TOLERANCE
    })
}

/// Returns the entries that a frame touches, including those in stacks, in lane order.
pub fn entries_in(lanes: &Lanes, frame: Area) -> Vec<EntryRef> {
    nodes::entries(lanes, |lane, node| {
        !lane.removed && frame.meets(Area::from_node(node))
    })
}

/// The preview of a new node: its position, and what it would replace.
#[derive(Debug, Clone, PartialEq)]
pub struct Ghost {
    pub at: Area,
    pub text: String,
    /// The center of the node that it replaces, if it is in the lane.
    pub replaces: Option<Point>,
}

/// Returns the preview of `entry` in another lane: in its own column, since lanes share columns.
pub fn ghost(lanes: &Lanes, entry: &EntryRef, to: &str, replaces: &str) -> Option<Ghost> {
    let node = nodes::node_at(lanes, nodes::find(lanes, &entry.channel, &entry.name)?)?;
    let lane = lanes.lanes.iter().find(|lane| lane.channel == to)?;
    let at = Area {
        y: f64::from(lane.track.y - node.height / 2.0),
        ..Area::from_node(node)
    };
    let replaced = nodes::find(lanes, to, replaces).and_then(|at| nodes::node_at(lanes, at));
    Some(Ghost {
        at,
        text: node.text.clone(),
        replaces: replaced.map(|node| Area::from_node(node).middle()),
    })
}

/// Returns the position of a node's grip: on its left, towards the entries that it updates.
pub fn grip(node: &EntryNode) -> Option<Point> {
    (node.kind == EntryNodeKind::Entry && !node.text.is_empty()).then(|| Point {
        x: f64::from(node.x),
        y: f64::from(node.y + node.height / 2.0),
    })
}

/// Returns the scroll speed while the pointer is near an edge, in pixels per frame. `at` is
/// relative to an area of this size, and may be outside of it.
pub fn edge_speed(at: Point, width: f64, height: f64) -> (f64, f64) {
    let speed = |at: f64, length: f64| {
        // An area smaller than its edge zones does not scroll.
        if length <= 3.0 * SCROLL_ZONE {
            return 0.0;
        }
        let (before, after) = (SCROLL_ZONE - at, at - (length - SCROLL_ZONE));
        if before > 0.0 {
            -MAX_SCROLL_SPEED * (before / SCROLL_ZONE).min(1.0)
        } else if after > 0.0 {
            MAX_SCROLL_SPEED * (after / SCROLL_ZONE).min(1.0)
        } else {
            0.0
        }
    };
    (speed(at.x, width), speed(at.y, height))
}

/// The predicted result, or why the operation would be refused.
pub(super) type Forecast = Result<Outcome, String>;

/// Queries the result of dropping at the current target.
pub(super) fn forecast(
    app: AppContext,
    drop_target: RwSignal<DropTarget>,
) -> Memo<Option<Forecast>> {
    let drop = memo(move |_| {
        let gesture = drop_target.with(|drop_target| drop_target.gesture().cloned())?;
        let (catalog, package) =
            untrack(|| (app.store.operation_catalog(), app.current.package.get()));
        Some(gesture.operation(catalog, &package))
    });
    let revision = move || app.store.status.revision();
    let request = derived(move || Some((drop.get()?, revision())));
    let answer = debounced_query(request, move |(op, _)| async move {
        let ops = vec![op.clone()];
        let view = app
            .store
            .fetch_everyone(UpgradeQuestion::default(), ops)
            .await?;
        Some((op, view.map(|view| view.outcome.clone())))
    });
    memo(move |_| {
        let (op, answer) = answer.get()?;
        // The answer may be for an earlier target.
        if drop.get()? != op {
            return None;
        }
        answer.transpose()
    })
}

/// Converts a window point to the area right of the lane headings and below the column headings.
pub(super) fn inside(shared: GraphContext, at: Point) -> Point {
    let (left, top) = shared
        .area
        .try_get_untracked()
        .flatten()
        .map_or((0.0, 0.0), |a| {
            let rect = a.get_bounding_client_rect();
            (rect.left(), rect.top())
        });
    shared.lanes.with_untracked(|l| Point {
        x: at.x - left - f64::from(l.header),
        y: at.y - top - f64::from(l.top),
    })
}

/// Converts a window point to lane coordinates.
pub(super) fn point_in_lanes(shared: GraphContext, at: Point) -> Point {
    let at = inside(shared, at);
    let view = shared.view.get_untracked();
    shared.lanes.with_untracked(|l| Point {
        x: view.x + at.x / view.scale + f64::from(l.header),
        y: view.y + at.y / view.scale + f64::from(l.top),
    })
}

#[cfg(test)]
mod tests;
