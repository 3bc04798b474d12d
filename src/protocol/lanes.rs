//! The lanes of one package as geometry for the page to draw. Requested with
//! [`super::request::LaneOptions`].
//!
//! Plain data for postcard: no colors, no state names, nothing that needs the catalog. All lengths
//! are CSS pixels at scale 1 in one coordinate system. Its origin is the top left corner, above and
//! left of the lane headings. `x` and `y` of a box are its top left corner. Lists are in drawing
//! order (left to right, top to bottom, later on top), and every index points into a list in one
//! [`Lanes`].
//!
//! The page draws, from back to front: the bands of [`StreamHeading`]s, the [`Route`]s, each
//! [`Lane`]'s track, its brackets and runs (below the nodes), links, arrows and nodes. The lane
//! headings (`header` wide) and the column headings (`top` high) remain in view while the rest
//! moves.

use super::views::ProblemMark;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Everything to draw for one package.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Lanes {
    pub package: String,
    pub width: f32,
    pub height: f32,
    /// Width of the lane headings at the left; columns begin right of it.
    pub header: f32,
    /// Height of the column headings at the top; lanes begin below it.
    pub top: f32,
    pub streams: Vec<StreamHeading>,
    pub columns: Vec<Column>,
    pub lanes: Vec<Arc<Lane>>,
    pub routes: Vec<Route>,
}

/// A heading in the first row of the column headings: a y-stream, which joins its columns under one
/// band.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StreamHeading {
    /// `1.29`; "" for names without a version, which are at the left.
    pub key: String,
    /// `1.29`; "" if it does not fit (in 12 px bold) or there is no version.
    pub label: String,
    pub x: f32,
    pub width: f32,
    /// Number of versions (names) in the stream, over all lanes.
    pub count: u32,
    /// Whether it is drawn as one stack per lane; the heading is a button that opens it.
    pub folded: bool,
}

/// A heading in the second row of the column headings: a version, or a folded stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Name of the bundle or entry; for a folded stream, the stream's key.
    pub key: String,
    /// `.3`, `.0-rc.1` (long ones cut in the middle); for a folded stream, the count.
    pub label: String,
    /// The full version; "" without one.
    pub version: String,
    /// Index into [`Lanes::streams`].
    pub stream: u32,
    pub x: f32,
    pub width: f32,
    /// Number of names in a folded stream; 0 for a single column.
    pub folded: u32,
}

/// One channel.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Lane {
    pub channel: String,
    /// Index among the package's channel blobs, in load order (two may have the same name).
    pub index: u32,
    pub y: f32,
    pub height: f32,
    pub is_default: bool,
    pub deprecated: bool,
    /// Whether an unsaved change touches the channel.
    pub edited: bool,
    /// Number of entries in the file, without absent ones.
    pub entries: u32,
    /// The problem of the channel as a whole.
    pub problem: Option<ProblemMark>,
    /// Whether only the comparison's baseline has the channel.
    pub removed: bool,
    /// The text below the name: `20 entries`, `3 · 2 heads`, `3 · deprecated`.
    pub subtitle: String,
    /// The faint line under the nodes: start, end, and the height of its middle.
    pub track: HorizontalLine,
    pub nodes: Vec<EntryNode>,
    pub links: Vec<Link>,
    pub runs: Vec<Run>,
    pub brackets: Vec<Bracket>,
    pub arrows: Vec<Arrow>,
    /// The entries that skip ranges cover, including ranges that are not drawn. Needed for keyboard
    /// navigation along edges.
    pub reaches: Vec<Reach>,
}

/// The nodes that a node covers by its skip ranges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reach {
    /// Index into [`Lane::nodes`].
    pub node: u32,
    /// Runs of covered nodes, each as its first and last node. Absent nodes within a run are not
    /// covered.
    pub over: Vec<(u32, u32)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct HorizontalLine {
    pub x1: f32,
    pub x2: f32,
    pub y: f32,
}

/// An entry, an absent entry or a stack of entries.
///
/// Its accessible name begins with `NAME in CHANNEL`; for a stack, with `N entries of STREAM in
/// CHANNEL`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct EntryNode {
    pub kind: EntryNodeKind,
    /// Name of the entry; for a stack, the stream's key.
    pub name: String,
    pub text: String,
    /// The full version; "" without one or for a stack.
    pub version: String,
    /// Index into [`Lanes::columns`].
    pub column: u32,
    pub x: f32,
    pub y: f32,
    pub width: f32,
    pub height: f32,
    pub marks: Marks,
    /// Names in a stack, in column order; empty otherwise.
    pub members: Vec<String>,
    /// Number of entries in a stack, without names that are not in this channel unless all are.
    pub count: u32,
    pub selected: bool,
    /// Whether it is the selected entry's bundle in another lane.
    pub twin: bool,
    /// Whether an unsaved change touches it.
    pub edited: bool,
    /// The node's problem, or the worst problem of a stack's members.
    pub problem: Option<ProblemMark>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum EntryNodeKind {
    #[default]
    Entry,
    /// Named by an edge but not in this channel; drawn dotted and faint.
    Ghost,
    /// Listed in this channel only by the comparison's baseline or the disk; drawn dotted and
    /// struck through.
    Removed,
    /// Several entries, drawn with a second outline behind. Its stream's heading opens it, or
    /// expanding the lane.
    Stack,
}

/// The states of a node; each must be recognizable without color. A stack has `head`, `stranded`,
/// `duplicate`, `no_bundle` or a deprecation if any member has it, and `skipped` or `absent` if all
/// members have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Marks {
    /// Flag and heavy outline.
    pub head: bool,
    /// Listed in a `skips` of this channel: hollow.
    pub skipped: bool,
    /// Neither on the head's chain nor skipped, which is `opm`'s rule.
    pub stranded: bool,
    /// Not in this channel.
    pub absent: bool,
    /// Listed, but there is no `olm.bundle` blob of this name.
    pub no_bundle: bool,
    /// Listed more than once in the channel.
    pub duplicate: bool,
    /// On a `replaces` cycle below the head.
    pub cycle: bool,
    pub deprecated_bundle: bool,
    pub deprecated_channel: bool,
    pub deprecated_package: bool,
}

/// A `replaces`, in upgrade direction. On the track, a straight line between neighbors; otherwise
/// an arc above it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// Index into [`Lane::nodes`] of the older one.
    pub from: u32,
    pub to: u32,
    pub shape: Shape,
    /// The edges that it represents, as (older name, newer name). More than one only between
    /// stacks.
    pub edges: Vec<(String, String)>,
    /// Whether an end is absent: drawn dotted.
    pub ghost: bool,
    /// Whether it runs to the left, because the replaced entry has the higher version.
    pub backwards: bool,
    /// Whether it begins or ends at the selected entry.
    pub selected: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    Straight(HorizontalLine),
    Arc(Curve),
}

/// A cubic curve, each point as (x, y).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Curve {
    pub from: (f32, f32),
    pub control1: (f32, f32),
    pub control2: (f32, f32),
    pub to: (f32, f32),
}

impl Curve {
    /// Creates a curve between two points, offset at its middle by `rise` (upwards if negative).
    pub fn swing(from: (f32, f32), to: (f32, f32), rise: f32) -> Self {
        let lift = rise * 4.0 / 3.0;
        Self {
            from,
            control1: (from.0, from.1 + lift),
            control2: (to.0, to.1 + lift),
            to,
        }
    }

    /// Returns the `d` attribute of an SVG path.
    pub fn path(&self) -> String {
        let Self {
            from,
            control1,
            control2,
            to,
        } = self;
        format!(
            "M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
            from.0, from.1, control1.0, control1.1, control2.0, control2.1, to.0, to.1
        )
    }
}

/// The `skips` of neighboring nodes, as one bar below the lane.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Run {
    pub bar: HorizontalLine,
    /// x of the tick at each skipped name.
    pub ticks: Vec<f32>,
    /// The skipped names, in the order of `ticks` (a stack has one tick for several names).
    pub names: Vec<String>,
    /// The entries that skip them; more than one if their bars would overlap.
    pub by: Vec<String>,
    /// `skips 80: 1.26.0 … 1.33.6`.
    pub label: String,
    pub selected: bool,
}

/// A `skipRange`, dashed below the lane, ending with an arrow up into its entry.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Bracket {
    /// Index into [`Lane::nodes`] of the entry that has the range.
    pub node: u32,
    pub entry: String,
    /// The range as written.
    pub range: String,
    /// Number of further ranges in this stack.
    pub more: u32,
    /// Runs from `x1` (its far end, with a short upright) to `x2`, which is below the entry unless
    /// the range also covers higher versions.
    pub bar: HorizontalLine,
    /// x of the arrow up into the entry.
    pub arrow: f32,
    /// Whether it spans all covered columns; otherwise it is a stub.
    pub full: bool,
    /// x of each covered entry of this lane; only if `full`.
    pub ticks: Vec<f32>,
    /// Number of entries of this lane that it covers; only if `full`.
    pub covers: u32,
    /// Whether it covers the selected entry's version.
    pub covers_selected: bool,
    /// Whether the range does not parse; it is then drawn as an error and covers nothing.
    pub invalid: bool,
}

/// A single `skips` from or to the selected entry, drawn as an arc below the track.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Arrow {
    pub from: String,
    pub to: String,
    /// Number of further edges between these two nodes (stacks).
    pub more: u32,
    pub curve: Curve,
}

/// A step from the installed version, over all lanes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Route {
    pub from: String,
    pub to: String,
    pub curve: Curve,
    /// Whether it belongs to the chosen lens: drawn solid, otherwise dashed.
    pub chosen: bool,
}
