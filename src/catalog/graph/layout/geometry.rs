//! The parts of a layout (boxes, lines and curves) with the nodes and edges that they represent,
//! and the texts of boxes.

use crate::graph::NameFacts;
use syntax::hashed::HashMap;

pub use protocol::lanes::{Curve, EntryNodeKind, HorizontalLine, Marks, Shape, StreamHeading};

/// Width of a character of the monospaced font at 11 px.
const CHARACTER_WIDTH: f32 = 6.6;
/// Width of a character of the bold heading font at 12 px.
const HEADING_CHARACTER_WIDTH: f32 = 7.4;
/// Minimum width of a box, and total space beside its text, in pixels.
const MIN_NODE_WIDTH: f32 = 52.0;
const NODE_PADDING: f32 = 12.0;

/// This many digits in a row are a timestamp, as in nightly builds: `240522125744`.
const MIN_TIMESTAMP_DIGITS: usize = 8;

/// Maximum lengths of shortened texts, in characters. A longer one is used only for texts that
/// would otherwise be equal.
const TEXT_LENGTHS: [usize; 5] = [14, 20, 28, 48, 96];

/// Boxes with a total width of at most this many pixels fit into any window beside the lane
/// headings, so their texts are not shortened.
const MAX_UNCUT_WIDTH: f32 = 600.0;

/// The drawing of one package.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layout {
    pub width: f32,
    pub height: f32,
    /// Width of the lane headings; columns begin right of it.
    pub header: f32,
    /// Height of the column headings; lanes begin below it.
    pub top: f32,
    pub streams: Vec<StreamHeading>,
    pub columns: Vec<Column>,
    pub lanes: Vec<Lane>,
    pub routes: Vec<Route>,
}

/// A version, or a folded stream.
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
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lane {
    /// Index into [`super::PackageGraph::channels`].
    pub channel: u32,
    pub y: f32,
    pub height: f32,
    pub edited: bool,
    pub subtitle: String,
    pub track: HorizontalLine,
    /// From left to right.
    pub entry_nodes: Vec<EntryNode>,
    pub links: Vec<Link>,
    pub runs: Vec<Run>,
    pub brackets: Vec<Bracket>,
    pub arrows: Vec<Arrow>,
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
    /// Number of entries, without absent ones unless all are absent.
    pub count: u32,
    pub text: String,
    /// Index into [`Layout::columns`].
    pub column: u32,
    pub rect: Rect,
    pub marks: Marks,
    pub selected: bool,
    /// Whether it has the selected entry's name in another lane.
    pub twin: bool,
    pub edited: bool,
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
    /// Number of entries of the lane that it covers; only if `full`.
    pub covers: u32,
    pub covers_selected: bool,
    /// Whether one of the ranges does not parse.
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

pub(super) fn entry_node_width(text: &str) -> f32 {
    (text.chars().count() as f32 * CHARACTER_WIDTH + NODE_PADDING)
        .ceil()
        .max(MIN_NODE_WIDTH)
}

/// Characters that fit into a box of this width.
pub(super) fn characters(width: f32) -> usize {
    ((width - NODE_PADDING) / CHARACTER_WIDTH + 0.1).max(1.0) as usize
}

pub(super) fn fits_heading(text: &str, width: f32) -> bool {
    text.chars().count() as f32 * HEADING_CHARACTER_WIDTH <= width
}

/// Shortens in the middle to at most `max` characters; keeps more of the end, where versions
/// differ, and cuts between words if that loses little.
pub(super) fn shorten(text: &str, max: usize) -> String {
    if has_at_most(text, max) {
        return text.to_owned();
    }
    let text: Vec<char> = text.chars().collect();
    let remaining = max.saturating_sub(1);
    // Keep a timestamp if it fits: builds differ in its middle.
    let digits = text.iter().rev().take_while(|c| c.is_ascii_digit()).count();
    let is_timestamp = digits >= MIN_TIMESTAMP_DIGITS;
    let end = if is_timestamp {
        text.len() - digits.min(remaining)
    } else {
        next_word(&text, text.len() - remaining * 3 / 5)
    };
    let mut start = remaining.saturating_sub(text.len() - end);
    let separator = (start.saturating_sub(3)..=start)
        .rev()
        .find(|&i| i > 0 && text.get(i).is_some_and(is_separator));
    start = separator.unwrap_or(start);
    if is_timestamp && start < 3 {
        // Too short to be readable.
        start = 0;
    }
    text.iter()
        .take(start)
        .chain(&['…'])
        .chain(text.iter().skip(end))
        .collect()
}

/// Keeps only the end, for narrow boxes.
pub(super) fn tail(text: &str, max: usize) -> String {
    if has_at_most(text, max) {
        return text.to_owned();
    }
    let text: Vec<char> = text.chars().collect();
    let end = next_word(&text, text.len() - max.saturating_sub(1));
    ['…'].iter().chain(text.iter().skip(end)).collect()
}

fn has_at_most(text: &str, max: usize) -> bool {
    text.len() <= max || text.chars().nth(max).is_none()
}

/// Returns the start of the next word at or after `start` if it is near and leaves four characters;
/// else `start`.
fn next_word(text: &[char], start: usize) -> usize {
    (start..start + 4)
        .find(|&i: &usize| i > 0 && text.get(i - 1).is_some_and(is_separator))
        .filter(|&i| i + 4 <= text.len())
        .unwrap_or(start)
}

fn is_separator(c: &char) -> bool {
    matches!(c, '.' | '-' | '+' | '_')
}

/// Returns the texts of the boxes of these names, each in full and shortened: the version (with its
/// release), or the name if it has no version or shares it with another name. They are shortened
/// only if not all fit uncut, and only as far as they remain distinct.
pub(super) fn entry_node_texts(names: &[&NameFacts]) -> Vec<(String, String)> {
    let mut full: Vec<String> = names.iter().map(|facts| version_label(facts)).collect();
    let is_shared = are_repeated(&full);
    for ((text, facts), is_shared) in full.iter_mut().zip(names).zip(is_shared) {
        if is_shared {
            *text = facts.name.to_string();
        }
    }
    let width: f32 = full.iter().map(|text| entry_node_width(text)).sum();
    let lengths = if width <= MAX_UNCUT_WIDTH {
        &TEXT_LENGTHS[TEXT_LENGTHS.len() - 1..]
    } else {
        &TEXT_LENGTHS
    };
    let mut texts: Vec<String> = full.iter().map(|text| shorten(text, lengths[0])).collect();
    for max in lengths.iter().skip(1) {
        let is_repeated = are_repeated(&texts);
        if !is_repeated.contains(&true) {
            break;
        }
        for ((text, full), is_repeated) in texts.iter_mut().zip(&full).zip(is_repeated) {
            if is_repeated {
                *text = shorten(full, *max);
            }
        }
    }
    full.into_iter().zip(texts).collect()
}

fn version_label(facts: &NameFacts) -> String {
    match (facts.text.is_empty(), facts.release.is_empty()) {
        (true, _) => facts.name.to_string(),
        (false, true) => facts.text.to_string(),
        (false, false) => format!("{}-{}", facts.text, facts.release),
    }
}

/// Returns, for each text, whether another one is equal.
fn are_repeated(texts: &[String]) -> Vec<bool> {
    let mut counts: HashMap<&str, u32> = HashMap::default();
    for text in texts {
        *counts.entry(text).or_default() += 1;
    }
    texts
        .iter()
        .map(|text| counts.get(text.as_str()).is_some_and(|&n| n > 1))
        .collect()
}

/// Returns the part of a version after its stream, such as `.3` or `.0-rc.1`; "" without a version.
pub(super) fn patch(facts: &NameFacts) -> String {
    let Some(version) = &facts.version else {
        return String::new();
    };
    let mut label = format!(".{}", version.patch());
    if !version.prerelease().is_empty() {
        label = format!("{label}-{}", version.prerelease());
    }
    if !version.build().is_empty() {
        label = format!("{label}+{}", version.build());
    }
    label
}

/// Formats the label of a run: `skips 80: 1.26.0 … 1.33.6`.
pub(super) fn run_label(first: &str, last: &str, count: usize, by: usize) -> String {
    let mut label = if count == 1 {
        format!("skips {first}")
    } else {
        format!("skips {count}: {first} … {last}")
    };
    if by > 1 {
        label.push_str(&format!(" (by {by} entries)"));
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_in_the_middle_and_keep_their_end() {
        assert_eq!(shorten("1.29.3", 14), "1.29.3");
        assert_eq!(shorten("1.31.0-nightly-2025-08-22", 14), "1.31.0…08-22");
        assert_eq!(shorten("op.abcdefghijklmnopq", 14), "op.abc…klmnopq");
        assert_eq!(
            shorten("0.2.1-240522125744", 14),
            "…240522125744",
            "the day and the hour are in the middle"
        );
        assert_eq!(shorten("0.2.1-20240522125744", 14), "…0240522125744");
        assert_eq!(shorten("1.31.0-20250822", 14), "1.31…20250822");
        assert_eq!(shorten("12345678901234567890", 0), "…");
        assert_eq!(tail("1.31.0-nightly-2025-08-22", 8), "…08-22");
        assert_eq!(tail("1.30.20", 6), "…30.20");
        assert_eq!(tail("", 0), "");
        assert_eq!(shorten("ä", 0), "…");
    }

    #[test]
    fn entry_nodes_are_as_wide_as_their_text_needs() {
        assert_eq!(entry_node_width("1.29.3"), 52.0);
        assert_eq!(entry_node_width("1.31.0…08-22"), 92.0);
        assert_eq!(characters(52.0), 6);
    }
}
