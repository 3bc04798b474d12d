//! The parts of a layout: boxes, lines and curves, and the nodes and edges that they represent. Plain data.

use std::ops::Range;

/// How far the view is zoomed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Zoom {
    /// Entries with text.
    #[default]
    Near,
    /// Entries as dots; nothing folds, skips and skip ranges are drawn for the selection only.
    Far,
}

/// The drawing of one package.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layout {
    pub zoom: Zoom,
    pub width: f32,
    pub height: f32,
    /// Width of the lane headings; columns begin right of it.
    pub header: f32,
    /// Height of the column headings; lanes begin below it.
    pub top: f32,
    pub streams: Vec<Stream>,
    pub columns: Vec<Column>,
    pub chains: Vec<Chain>,
    pub lanes: Vec<Lane>,
    pub routes: Vec<Route>,
}

/// A y-stream: neighbouring columns under one heading.
#[derive(Debug, Clone, PartialEq)]
pub struct Stream {
    /// `1.29`; "" for names without a version.
    pub key: String,
    /// The key if it fits, else "".
    pub label: String,
    pub x: f32,
    pub width: f32,
    /// Names in the stream, over all lanes.
    pub count: u32,
    pub folded: bool,
    /// Its columns.
    pub columns: Range<u32>,
}

/// A long plain chain: neighbouring columns that are folded into one, or were opened.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    /// Indices into [`super::PackageGraph::names`], in version order.
    pub names: Vec<u32>,
    /// Texts of the first and last version.
    pub ends: (String, String),
    pub x: f32,
    pub width: f32,
    pub folded: bool,
}

/// A version, a folded stream, or a folded chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Indices into [`super::PackageGraph::names`], in version order. More than one only if folded,
    /// or for names of equal version if no lane has two of them.
    pub names: Vec<u32>,
    pub label: String,
    /// Text of its entries.
    pub text: String,
    /// Index into [`Layout::streams`].
    pub stream: u32,
    pub x: f32,
    pub width: f32,
    pub folded: bool,
    /// Index into [`Layout::chains`] of a folded chain.
    pub chain: Option<u32>,
}

/// A channel.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lane {
    /// Index into [`super::PackageGraph::channels`].
    pub channel: u32,
    pub y: f32,
    pub height: f32,
    pub collapsed: bool,
    pub edited: bool,
    pub subtitle: String,
    /// Index of the channel that includes all entries of this one.
    pub repeats: Option<u32>,
    pub track: HorizontalLine,
    /// From left to right.
    pub entry_nodes: Vec<EntryNode>,
    pub links: Vec<Link>,
    pub runs: Vec<Run>,
    pub brackets: Vec<Bracket>,
    pub arrows: Vec<Arrow>,
}

/// A horizontal line.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HorizontalLine {
    pub x1: f32,
    pub x2: f32,
    pub y: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rect {
    pub x: f32,
    pub y: f32,
    pub width: f32,
    pub height: f32,
}

impl Rect {
    pub fn center_x(&self) -> f32 {
        self.x + self.width / 2.0
    }

    pub fn center_y(&self) -> f32 {
        self.y + self.height / 2.0
    }

    pub fn right(&self) -> f32 {
        self.x + self.width
    }

    pub fn bottom(&self) -> f32 {
        self.y + self.height
    }
}

/// An entry, an absent entry, or a stack.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryNode {
    pub kind: EntryNodeKind,
    /// Indices into [`super::ChannelGraph::nodes`]; of a stack, in column order.
    pub nodes: Vec<u32>,
    pub text: String,
    /// Index into [`Layout::columns`].
    pub column: u32,
    pub rect: Rect,
    pub marks: Marks,
    pub selected: bool,
    /// The selected entry's name in another lane.
    pub twin: bool,
    pub edited: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryNodeKind {
    Entry,
    Ghost,
    /// The other state of the package lists it in this channel.
    Gone,
    Stack,
}

/// The states of a box. On a stack, `skipped` and `absent` hold if all members have them, the
/// others if any has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Marks {
    pub head: bool,
    pub skipped: bool,
    pub stranded: bool,
    pub absent: bool,
    pub no_bundle: bool,
    pub duplicate: bool,
    pub cycle: bool,
    pub deprecated_bundle: bool,
    pub deprecated_channel: bool,
    pub deprecated_package: bool,
}

/// One `replaces`, or several between stacks, in upgrade direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Index into [`Lane::entry_nodes`].
    pub from: u32,
    pub to: u32,
    pub shape: Shape,
    /// Indices into [`super::ChannelGraph::edges`].
    pub edges: Vec<u32>,
    pub ghost: bool,
    pub backwards: bool,
    pub selected: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// On the track, between neighbours.
    Straight(HorizontalLine),
    /// Above the boxes it jumps over.
    Arc(Curve),
}

/// A cubic curve.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Curve {
    pub from: (f32, f32),
    pub control1: (f32, f32),
    pub control2: (f32, f32),
    pub to: (f32, f32),
}

impl Curve {
    /// Between two points, offset at its middle by `rise` (upwards if negative).
    pub fn swing(from: (f32, f32), to: (f32, f32), rise: f32) -> Self {
        let lift = rise * 4.0 / 3.0;
        Self {
            from,
            control1: (from.0, from.1 + lift),
            control2: (to.0, to.1 + lift),
            to,
        }
    }

    /// The value of an SVG path's `d` attribute.
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

/// `skips` of neighbouring boxes, as one bar below the lane.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    pub bar: HorizontalLine,
    pub ticks: Vec<f32>,
    /// Indices into [`super::ChannelGraph::edges`].
    pub edges: Vec<u32>,
    /// Skipped nodes from left to right.
    pub nodes: Vec<u32>,
    /// The nodes that skip them.
    pub by: Vec<u32>,
    pub label: String,
    pub selected: bool,
}

/// The skip ranges of a box.
#[derive(Debug, Clone, PartialEq)]
pub struct Bracket {
    /// Index into [`Lane::entry_nodes`].
    pub entry_node: u32,
    /// Indices into [`super::ChannelGraph::ranges`]; more than one only at a stack or a duplicate.
    pub ranges: Vec<u32>,
    /// For a stub, `x2` is below the box.
    pub bar: HorizontalLine,
    /// x of the arrow into the box.
    pub arrow: f32,
    /// True for the whole reach, false for a stub.
    pub full: bool,
    pub ticks: Vec<f32>,
    /// How many entries of the lane it covers; only if `full`.
    pub covers: u32,
    pub covers_selected: bool,
    /// One of the ranges does not parse.
    pub invalid: bool,
}

/// A `skips` that begins or ends at the selected entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrow {
    /// Indices into [`super::ChannelGraph::edges`]; more than one only from or to a stack, or for a
    /// repeated skip.
    pub edges: Vec<u32>,
    pub curve: Curve,
}

/// A step from the installed version.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// Index into [`super::LayoutRequest::routes`].
    pub request: u32,
    pub curve: Curve,
    pub chosen: bool,
}
