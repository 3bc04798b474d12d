//! The lanes of one package as geometry for the page to draw. The request for them is
//! [`super::request::LaneOptions`].
//!
//! Plain data for postcard: no colors, no words of state, nothing that needs the catalog. All lengths are CSS pixels at
//! scale 1 in one coordinate system whose origin is the top left corner, above the lane headings and left of them; `x`
//! and `y` of a box are its top left corner. Lists are in drawing order (left to right, top to bottom, later on top)
//! and every index points into a list of the same [`Lanes`].
//!
//! The page draws, from back to front: the bands of [`StreamHeading`]s, the [`Route`]s, each [`Lane`]'s track, its
//! brackets and runs (below the cars), links, arrows and cars. The lane headings (`header` wide) and the
//! column headings (`top` high) stay in view while the rest moves.

use super::views::ProblemMark;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How far out the reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Zoom {
    /// Cars with text.
    #[default]
    Near,
    /// Cars as dots without text; nothing folds, skips and skip ranges are left out unless selected.
    Far,
}

/// Everything to draw of one package.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Lanes {
    pub package: String,
    pub zoom: Zoom,
    pub width: f32,
    pub height: f32,
    /// Width of the lane headings at the left; columns begin right of it.
    pub header: f32,
    /// Height of the column headings at the top; lanes begin below it.
    pub top: f32,
    pub streams: Vec<StreamHeading>,
    pub columns: Vec<Column>,
    pub chains: Vec<ChainHeading>,
    pub lanes: Vec<Arc<Lane>>,
    pub routes: Vec<Route>,
}

/// First row of the column headings: a y-stream, its columns joined under one band.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StreamHeading {
    /// `1.29`; "" for names without a version, which are at the left.
    pub key: String,
    /// `1.29`; "" if it does not fit (in 12 px bold; far out in 10 px) or there is no version.
    pub label: String,
    pub x: f32,
    pub width: f32,
    /// Versions (names) in the stream, over all lanes.
    pub count: u32,
    /// Drawn as one stack a lane; the heading is a button that opens it.
    pub folded: bool,
}

/// A long plain chain: neighboring columns along which every lane only runs from each to the next. They are folded
/// into one column, or were opened; the heading is a button for both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChainHeading {
    /// In version order.
    pub names: Vec<String>,
    /// Texts of the first and the last.
    pub ends: (String, String),
    pub x: f32,
    pub width: f32,
    pub folded: bool,
}

/// Second row of the column headings: a version, a folded stream, or a folded chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Name of the bundle or entry; of a folded stream, the stream's key.
    pub key: String,
    /// `.3`, `.0-rc.1` (long ones cut in the middle); of a folded stream, the count.
    pub label: String,
    /// The whole version; "" without one.
    pub version: String,
    /// Index into [`Lanes::streams`].
    pub stream: u32,
    pub x: f32,
    pub width: f32,
    /// Names in a folded stream or chain; 0 for a single column.
    pub folded: u32,
    /// It is a folded chain, which has its own heading.
    pub is_chain: bool,
}

/// One channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    pub channel: String,
    /// Which of the package's channel blobs, in load order (two may have one name).
    pub index: u32,
    pub y: f32,
    pub height: f32,
    pub is_default: bool,
    pub collapsed: bool,
    pub deprecated: bool,
    /// An unsaved change touches the channel.
    pub edited: bool,
    /// Entries in the file (absent ones do not count).
    pub entries: u32,
    /// What is wrong with the channel as a whole.
    pub problem: Option<ProblemMark>,
    /// Only what the catalog is compared with has the channel.
    pub removed: bool,
    /// Below the name: `20 entries`, `2 · repeats stable`, `3 · deprecated`.
    pub subtitle: String,
    /// The lane whose entries include all of this one's, equal in all three fields.
    pub repeats: Option<String>,
    /// The faint rail under the cars: from, to, height of its middle.
    pub track: Rail,
    pub cars: Vec<Car>,
    pub links: Vec<Link>,
    pub runs: Vec<Run>,
    pub brackets: Vec<Bracket>,
    pub arrows: Vec<Arrow>,
    /// The entries that skip ranges cover, however much of that is drawn: for the keys that follow edges.
    pub reaches: Vec<Reach>,
}

/// The cars that a car covers by its skip ranges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reach {
    /// Index into [`Lane::cars`].
    pub car: u32,
    /// Runs of cars, as their first and their last. Of those between them, the absent ones are not covered.
    pub over: Vec<(u32, u32)>,
}

/// A horizontal line.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Rail {
    pub x1: f32,
    pub x2: f32,
    pub y: f32,
}

/// An entry, an absent entry or a stack of them.
///
/// Its accessible name begins `NAME in CHANNEL`, of a stack `N entries of STREAM in CHANNEL`, or `N more in CHANNEL` where
/// it is a chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Car {
    pub kind: CarKind,
    /// Name of the entry; of a stack, the stream's key ("" for a collapsed lane), of a chain `A to B`.
    pub name: String,
    /// The text on the car; "" when far out.
    pub text: String,
    /// The whole version; "" without one or for a stack.
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
    /// Index into [`Lanes::chains`], of a stack that is one.
    pub chain: Option<u32>,
    pub selected: bool,
    /// The selected entry's bundle, in another lane.
    pub twin: bool,
    /// An unsaved change touches it.
    pub edited: bool,
    /// What is wrong with it, or with any of a stack.
    pub problem: Option<ProblemMark>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CarKind {
    Entry,
    /// Named by an edge but not in this channel: dotted and faint.
    Ghost,
    /// Only what the catalog is compared with, or the disk, lists it in this channel: dotted and struck through.
    Removed,
    /// Several, drawn with a second outline behind. Opened by its stream's heading, or by expanding the lane.
    Stack,
}

/// The states of a car, each of which must be recognizable without color. On a stack: `head`, `stranded`, `duplicate`,
/// `no_bundle` and the deprecations when any member has them, `skipped` and `absent` when all have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Marks {
    /// Flag and heavy outline.
    pub head: bool,
    /// Named by a `skips` of this channel: hollow.
    pub skipped: bool,
    /// By `opm`'s rule: neither on the head's chain nor skipped.
    pub stranded: bool,
    /// Not in this channel.
    pub absent: bool,
    /// No `olm.bundle` blob of this name.
    pub no_bundle: bool,
    /// Listed more than once in the channel.
    pub duplicate: bool,
    /// On a `replaces` cycle below the head.
    pub cycle: bool,
    pub deprecated_bundle: bool,
    pub deprecated_channel: bool,
    pub deprecated_package: bool,
}

/// A `replaces`, in upgrade direction. On the track, a straight line between neighbors; else an arc above it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// Index into [`Lane::cars`]: the older one.
    pub from: u32,
    pub to: u32,
    pub shape: Shape,
    /// The edges that it draws, (older name, newer name). More than one only between stacks.
    pub edges: Vec<(String, String)>,
    /// An end is absent: draw dotted.
    pub ghost: bool,
    /// It runs to the left: what it replaces has the higher version.
    pub backwards: bool,
    /// It begins or ends at the selected entry.
    pub selected: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    Straight(Rail),
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
    /// The value of an SVG path's `d`.
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

/// `skips` of neighboring cars as one bar below the lane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub bar: Rail,
    /// Where skipped names are: x of each tick.
    pub ticks: Vec<f32>,
    /// The skipped names, in the order of `ticks` (a stack has one tick for several names).
    pub names: Vec<String>,
    /// The entries that skip them. More than one where bars would lie upon each other.
    pub by: Vec<String>,
    /// `skips 80: 1.26.0 … 1.33.6`.
    pub label: String,
    pub selected: bool,
}

/// A `skipRange`, dashed below the lane, ending with an arrow up into its entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bracket {
    /// Index into [`Lane::cars`] of the entry that has it.
    pub car: u32,
    pub entry: String,
    /// The range as written.
    pub range: String,
    /// How many further ranges the same stack has.
    pub more: u32,
    /// The bar runs from `x1` (its far end, with a short upright) to `x2`, which is below the entry unless the range
    /// covers higher versions too.
    pub bar: Rail,
    /// x of the arrow up into the entry.
    pub arrow: f32,
    /// The whole reach, over all columns it covers; else a stub.
    pub full: bool,
    /// Where this lane has a covered entry; only when `full`.
    pub ticks: Vec<f32>,
    /// Entries of this lane that it covers; only when `full`.
    pub covers: u32,
    /// It covers the selected entry's version.
    pub covers_selected: bool,
    /// The range does not parse: drawn as an error, covers nothing.
    pub invalid: bool,
}

/// A single `skips` of the selected entry, or of one that skips it; an arc below the track.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Arrow {
    pub from: String,
    pub to: String,
    /// How many further edges run between the same two cars (stacks).
    pub more: u32,
    pub curve: Curve,
}

/// A step from the installed version, over all lanes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Route {
    pub from: String,
    pub to: String,
    pub curve: Curve,
    /// Of the chosen lens (solid); else of the other one (dashed).
    pub chosen: bool,
}
