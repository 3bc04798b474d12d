//! State and geometry of drag and drop in the graph, and its visuals: the grip, the preview of a
//! node, the selection frame, and the card with the consequences of a drop.

use super::viewport::{Area, Point};
use super::{GraphContext, nodes};
use crate::context::{AppContext, debounced_query};
use crate::edits::command::{EditCommand, Field};
use crate::edits::form_values::FormValues;
use crate::reactive::{memo, redrawn_whole};
use crate::words;
use leptos::prelude::*;
use protocol::lanes::{EntryNode, EntryNodeKind, Lane, Lanes};
use protocol::operation::{EditOp, EntryPlace};
use protocol::request::Target;
use protocol::upgrades::{EntryOutcome, Outcome};
use protocol::views::{EntryRef, UpgradeQuestion};
use protocol::words::versions_affected;

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
    /// The pointer's position in the window, in CSS pixels.
    pub at: Point,
    /// Whether the pointer has moved too far for a click.
    pub moved: bool,
    /// Whether Shift or Alt is held.
    pub other: bool,
}

/// Minimum distance of a drag in CSS pixels; a shorter movement is a click.
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

    /// Returns the dragged node's entry.
    pub fn carried_entry(&self) -> Option<&EntryRef> {
        match &self.held {
            DragSource::Node(entry) if self.moved => Some(entry),
            _ => None,
        }
    }
}

/// The effect of a drop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gesture {
    Promote { bundle: String, to: String },
    Replace { entry: EntryRef, replaces: String },
    Skip { entry: EntryRef, skip: String },
    SetDefault { channel: String },
}

impl Gesture {
    /// Returns the announcement during the drag.
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

/// What a drag is over.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum DropTarget {
    /// There is nothing to drop on.
    #[default]
    Nothing,
    /// Dropping is not possible there, with the reason.
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

    /// Returns the lane that the drop would change as a whole.
    pub fn lane(&self) -> Option<&str> {
        match self.gesture()? {
            Gesture::Promote { to, .. } => Some(to),
            Gesture::SetDefault { channel } => Some(channel),
            Gesture::Replace { .. } | Gesture::Skip { .. } => None,
        }
    }
}

/// Returns the effect of dropping `held` at a point of the lanes. `other`: Shift or Alt is held.
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

/// Returns the lane at a vertical position.
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
    let replaced = nodes::find(lanes, to, replaces).and_then(|place| nodes::node_at(lanes, place));
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

/// The predicted result of the current gesture, or why its operation would be refused.
pub(super) type Forecast = Result<Outcome, String>;

/// Queries the result of dropping at the current target.
pub(super) fn forecast(app: AppContext, aim: RwSignal<DropTarget>) -> Memo<Option<Forecast>> {
    let drop = memo(move |_| {
        let gesture = aim.with(|aim| aim.gesture().cloned())?;
        let place = untrack(|| (app.store.operation_catalog(), app.current.package.get()));
        Some(gesture.operation(place.0, &place.1))
    });
    let revision = move || app.store.status.with(|status| status.revision);
    let wanted = Signal::derive(move || Some((drop.get()?, revision())));
    let answer = debounced_query(wanted, move |(op, _)| async move {
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

/// A line of the card.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CardLine {
    tone: &'static str,
    text: String,
}

/// The parts of a drag that move with the lanes.
#[component]
pub(super) fn DragLayer(shared: GraphContext) -> impl IntoView {
    let drawn = memo(move |_| drag_shape(shared));
    view! {
        <Grip shared/>
        {redrawn_whole(move || {
            drawn.get().map(|drawn| draw(drawn, shared.arrow_tip())).into_any()
        })}
    }
    .into_any()
}

/// The grip of the hovered or focused node. The keyboard shortcuts and menu items *Set replaces…*
/// and *Add skip…* are its alternatives.
#[component]
fn Grip(shared: GraphContext) -> impl IntoView {
    let at = memo(move |_| {
        let at = shared.gripped.get()?;
        shared.lanes.with(|lanes| grip(nodes::node_at(lanes, at)?))
    });
    let is_hovered = memo(move |_| shared.hover.get().is_some());
    let is_there = memo(move |_| at.with(Option::is_some));
    let moved = move || {
        let at = at.get().unwrap_or_default();
        format!("translate({:.1} {:.1})", at.x, at.y)
    };
    view! {
        <Show when=move || is_there.get()>
            <g class="grip" data-grip="" class:grip-hover=move || is_hovered.get() aria-hidden="true" transform=moved>
                <circle class="grip-hit" r="9"/>
                <circle class="grip-dot" r="4.5"/>
                <path class="grip-sign" d="M1.5 -2L-1.5 0L1.5 2"/>
            </g>
        </Show>
    }
    .into_any()
}

/// What a drag draws over the lanes.
#[derive(Debug, Clone, PartialEq)]
enum DragShape {
    Ghost(Ghost),
    Frame(Area),
    /// A line from a grip to the pointer, or to the node under it.
    Line {
        from: Point,
        to: Point,
        meets: bool,
        skips: bool,
    },
}

fn drag_shape(shared: GraphContext) -> Option<DragShape> {
    // Panning draws nothing: do not recompute with every movement of the view.
    let drag = shared.drag.with(|drag| {
        drag.clone()
            .filter(|drag| drag.moved && drag.held != DragSource::Ground)
    })?;
    let aim = shared.aim.get();
    // Moving the view changes the lanes under the pointer.
    shared.view.track();
    let pointer = shared.pointer();
    shared.lanes.with(|lanes| match &drag.held {
        DragSource::Node(entry) => {
            let DropTarget::Does(Gesture::Promote { to, .. }) = &aim else {
                return None;
            };
            let replaces = shared
                .forecast
                .with(|forecast| replaced_note(forecast.as_ref(), entry, to));
            ghost(lanes, entry, to, &replaces).map(DragShape::Ghost)
        }
        DragSource::Grip(entry) => {
            let node =
                |name: &str| nodes::node_at(lanes, nodes::find(lanes, &entry.channel, name)?);
            let from = grip(node(&entry.name)?)?;
            let (met, skips) = match aim.gesture() {
                Some(Gesture::Replace { replaces, .. }) => (node(replaces), false),
                Some(Gesture::Skip { skip, .. }) => (node(skip), true),
                _ => (None, drag.other),
            };
            let met = met.map(Area::from_node);
            let to = met.map_or(pointer, |node| Point {
                x: node.x + node.width,
                y: node.middle().y,
            });
            Some(DragShape::Line {
                from,
                to,
                meets: met.is_some(),
                skips,
            })
        }
        DragSource::Frame(from) => Some(DragShape::Frame(Area::between(*from, pointer))),
        DragSource::Ground | DragSource::Star => None,
    })
}

/// Names the entry that a promotion would replace; "" while unknown.
fn replaced_note(forecast: Option<&Forecast>, entry: &EntryRef, to: &str) -> String {
    let Some(Ok(outcome)) = forecast else {
        return String::new();
    };
    let mine = outcome
        .entries
        .iter()
        .find(|changed| changed.channel == to && changed.name == entry.name);
    mine.map(|changed| changed.replaces.clone())
        .unwrap_or_default()
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
    let is_pinned = at.y / view.scale < shared.pinned.get_untracked().height;
    let scrolled = if is_pinned { 0.0 } else { view.y };
    shared.lanes.with_untracked(|l| Point {
        x: view.x + at.x / view.scale + f64::from(l.header),
        y: scrolled + at.y / view.scale + f64::from(l.top),
    })
}

/// Renders the shape. `tip` refers to the arrow head.
fn draw(drawn: DragShape, tip: String) -> AnyView {
    match drawn {
        DragShape::Ghost(ghost) => {
            let Area { x, y, width, height } = ghost.at;
            let line = ghost.replaces.map(|from| {
                let (to_x, to_y) = (if from.x < x { x } else { x + width }, y + height / 2.0);
                view! { <path class="drag-line" d=format!("M{:.1} {:.1}L{to_x:.1} {to_y:.1}", from.x, from.y) marker-end=tip/> }
            });
            view! {
                <g class="drag-ghost" aria-hidden="true">
                    {line}
                    <rect class="drag-ghost-box" x=x.to_string() y=y.to_string() width=width.to_string() height=height.to_string() rx="6"/>
                    <text class="drag-ghost-text" x=(x + width / 2.0).to_string() y=(y + height / 2.0 + 4.0).to_string() text-anchor="middle">{ghost.text}</text>
                </g>
            }
            .into_any()
        }
        DragShape::Frame(Area { x, y, width, height }) => view! {
            <rect class="drag-frame" aria-hidden="true" x=x.to_string() y=y.to_string() width=width.to_string() height=height.to_string()/>
        }
        .into_any(),
        DragShape::Line { from, to, meets, skips } => view! {
            <g class="drag-edge" class:drag-skips=skips aria-hidden="true">
                <path class="drag-line" d=format!("M{:.1} {:.1}L{:.1} {:.1}", to.x, to.y, from.x, from.y) marker-end=tip/>
                {meets.then(|| view! { <circle class="drag-met" cx=to.x.to_string() cy=to.y.to_string() r="5"/> })}
            </g>
        }
        .into_any(),
    }
}

/// The consequences of a drop, beside the pointer.
#[component]
pub(super) fn DragCard(shared: GraphContext) -> impl IntoView {
    let lines = memo(move |_| {
        let held = shared.drag.with(|drag| {
            drag.as_ref()
                .filter(|drag| drag.moved)
                .map(|drag| drag.held.clone())
        })?;
        shared.aim.with(|aim| {
            shared
                .forecast
                .with(|forecast| lines(&held, aim, forecast.as_ref()))
        })
    });
    let place = move || {
        shared
            .drag
            .with(|drag| drag.as_ref().map(|drag| drag.at).unwrap_or_default())
    };
    view! {
        <div
            class="drag-card"
            role="status"
            aria-label="Drag"
            hidden=move || lines.with(Option::is_none)
            style:left=move || format!("{:.0}px", place().x + 16.0)
            style:top=move || format!("{:.0}px", place().y + 20.0)
        >
            {move || {
                let lines = lines.get().unwrap_or_default().into_iter();
                lines.map(|CardLine { tone, text }| view! { <p class="drag-card-line" data-tone=tone>{text}</p> }).collect_view()
            }}
        </div>
    }
    .into_any()
}

/// Returns the text of the card; `None` if there is no card.
fn lines(
    held: &DragSource,
    aim: &DropTarget,
    forecast: Option<&Forecast>,
) -> Option<Vec<CardLine>> {
    let plain = |text: String| CardLine {
        tone: "plain",
        text,
    };
    let hint = match (held, aim) {
        (DragSource::Ground | DragSource::Frame(_), _) => return None,
        (_, DropTarget::Cannot(why)) => {
            return Some(vec![CardLine {
                tone: "bad",
                text: why.clone(),
            }]);
        }
        (_, DropTarget::Does(gesture)) => {
            let mut lines = vec![CardLine {
                tone: "title",
                text: gesture.announcement(),
            }];
            match forecast {
                None => lines.push(plain("…".to_owned())),
                Some(forecast) => lines.extend(forecast_lines(gesture, forecast)),
            }
            return Some(lines);
        }
        (DragSource::Node(_), DropTarget::Nothing) => "Drop on another lane to promote",
        (DragSource::Grip(_), DropTarget::Nothing) => {
            "Drop on what it replaces; with Shift or Alt, on what it skips"
        }
        (DragSource::Star, DropTarget::Nothing) => {
            "Drop on the lane that becomes the default channel"
        }
    };
    Some(vec![plain(hint.to_owned())])
}

fn forecast_lines(gesture: &Gesture, forecast: &Forecast) -> Vec<CardLine> {
    let outcome = match forecast {
        Err(why) => {
            return vec![CardLine {
                tone: "bad",
                text: format!("cannot be done: {}", bare(why)),
            }];
        }
        Ok(outcome) => outcome,
    };
    let why = bare(&outcome.why);
    let (tone, sign) = match (outcome.passes, outcome.breaks || outcome.passed) {
        (true, _) => ("good", "✓ "),
        (false, true) => ("bad", "✗ "),
        (false, false) => ("plain", ""),
    };
    // Templates have no verdict.
    let parts = [outcome.verdict.as_str(), why.as_str()]
        .into_iter()
        .filter(|part| !part.is_empty());
    let verdict = CardLine {
        tone,
        text: format!("{sign}{}", parts.collect::<Vec<_>>().join(": ")),
    };
    // Errors that the drop does not cause come last. Templates give no reason.
    let (mut lines, last) = match outcome.passes || outcome.breaks {
        true => (
            Some(verdict)
                .filter(|line| !line.text.trim_end().is_empty())
                .into_iter()
                .collect(),
            None,
        ),
        false => (Vec::new(), Some(verdict).filter(|_| !why.is_empty())),
    };
    if let Gesture::Promote { bundle, to } = gesture {
        let is_it = |entry: &&EntryOutcome| entry.channel == *to && entry.name == *bundle;
        lines.extend(outcome.entries.iter().find(is_it).map(|entry| CardLine {
            tone: "plain",
            text: edges(entry),
        }));
        let others = outcome.entries.iter().filter(|entry| !is_it(entry)).count() as u32;
        let text = |others| format!("{} with other edges", words::count(others, "entry"));
        lines.extend((others > 0).then(|| CardLine {
            tone: "plain",
            text: text(others),
        }));
    }
    if outcome.hit > 0 {
        lines.push(CardLine {
            tone: "plain",
            text: versions_affected(&[outcome.hit]),
        });
    }
    let judged = [
        (outcome.tone.name(), &outcome.headline),
        ("bad", &outcome.broken),
    ];
    lines.extend(
        judged
            .into_iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(tone, text)| CardLine {
                tone,
                text: bare(text),
            }),
    );
    lines.extend(last);
    lines
}

/// Formats the edges of an entry, e.g. `replaces a, skips 2, skipRange <1.0.0`.
fn edges(entry: &EntryOutcome) -> String {
    let skips = match entry.skips.as_slice() {
        [] => None,
        [one] => Some(format!("skips {one}")),
        several => Some(format!("skips {}", several.len())),
    };
    let parts = [
        (!entry.replaces.is_empty()).then(|| format!("replaces {}", entry.replaces)),
        skips,
        (!entry.skip_range.is_empty()).then(|| format!("skipRange {}", entry.skip_range)),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        "replaces nothing".to_owned()
    } else {
        parts.join(", ")
    }
}

fn bare(text: &str) -> String {
    text.chars().filter(|c| *c != '`').collect()
}

impl GraphContext {
    /// Returns the pointer's position in lane coordinates.
    fn pointer(self) -> Point {
        let at = self.drag.with(|drag| drag.as_ref().map(|drag| drag.at));
        at.map(|at| point_in_lanes(self, at)).unwrap_or_default()
    }
}

#[cfg(test)]
mod drag_view_tests {
    use super::*;

    fn texts(held: &DragSource, aim: &DropTarget, forecast: Option<&Forecast>) -> Vec<String> {
        lines(held, aim, forecast)
            .unwrap_or_default()
            .into_iter()
            .map(|line| line.text)
            .collect()
    }

    fn entry(name: &str) -> EntryRef {
        EntryRef {
            channel: "fast".into(),
            name: name.into(),
        }
    }

    #[test]
    fn reports_a_promotion_with_its_verdict_and_edges() {
        let held = DragSource::Node(entry("b.v2"));
        let aim = DropTarget::Does(Gesture::Promote {
            bundle: "b.v2".into(),
            to: "stable".into(),
        });
        assert_eq!(
            texts(&held, &aim, None),
            ["Promote b.v2 to stable", "…"],
            "the card waits for the forecast"
        );
        let mine = EntryOutcome {
            channel: "stable".into(),
            name: "b.v2".into(),
            replaces: "b.v1".into(),
            ..Default::default()
        };
        let outcome = Outcome {
            passes: true,
            passed: true,
            verdict: "still passes opm validate".into(),
            headline: "users on 1 update to 2".into(),
            broken: "breaks 1 invariant".into(),
            entries: vec![mine, EntryOutcome::default()],
            hit: 3,
            ..Outcome::default()
        };
        assert_eq!(
            texts(&held, &aim, Some(&Ok(outcome.clone()))),
            [
                "Promote b.v2 to stable",
                "✓ still passes opm validate",
                "replaces b.v1",
                "1 entry with other edges",
                "3 versions affected",
                "users on 1 update to 2",
                "breaks 1 invariant"
            ]
        );
        assert_eq!(
            replaced_note(Some(&Ok(outcome.clone())), &entry("b.v2"), "stable"),
            "b.v1"
        );
        let fails = Outcome {
            passes: false,
            verdict: "fails opm validate now".into(),
            why: "2 heads in `stable`".into(),
            breaks: true,
            ..outcome
        };
        let failed = Outcome {
            passed: false,
            verdict: "still fails opm validate".into(),
            ..fails.clone()
        };
        assert_eq!(
            texts(&held, &aim, Some(&Ok(failed.clone())))[1],
            "✗ still fails opm validate: 2 heads in stable"
        );
        let elsewhere = Outcome {
            why: "`q` has no bundle".into(),
            breaks: false,
            ..failed
        };
        let lines = texts(&held, &aim, Some(&Ok(elsewhere)));
        assert_eq!(
            (lines[1].as_str(), lines[6].as_str()),
            ("replaces b.v1", "still fails opm validate: q has no bundle")
        );
        assert_eq!(
            texts(&held, &aim, Some(&Ok(fails)))[1],
            "✗ fails opm validate now: 2 heads in stable"
        );
        let refused = Err("no `b.v2`".into());
        assert_eq!(
            texts(&held, &aim, Some(&refused))[1],
            "cannot be done: no b.v2"
        );
    }

    #[test]
    fn an_impossible_drop_shows_its_reason_and_the_ground_shows_nothing() {
        assert_eq!(
            texts(&DragSource::Star, &DropTarget::Cannot("no".into()), None),
            ["no"]
        );
        assert!(
            texts(&DragSource::Grip(entry("a")), &DropTarget::Nothing, None)[0]
                .contains("Shift or Alt")
        );
        assert_eq!(lines(&DragSource::Ground, &DropTarget::Nothing, None), None);
    }
}

#[cfg(test)]
mod tests;
