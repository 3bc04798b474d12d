//! Detects the style of a whole blob: indentation, quotes and brackets. The style of the nearest
//! neighbours takes precedence; see [`super::write`].

use super::Document;
use crate::spelling::Quote;
use std::collections::BTreeMap;
use syntax::tree::{Format, NodeId, NodeKind};

/// Escapes of `<`, `>` and `&` in Go's JSON.
const HTML_ESCAPES: [&[u8]; 3] = [b"\\u003c", b"\\u003e", b"\\u0026"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Style {
    pub newline: &'static str,
    /// Columns from a key to the keys of the mapping below it.
    pub map_step: usize,
    /// Columns from a key to the dashes of the list below it.
    pub list_step: usize,
    /// Columns from a dash to its content on the same line.
    pub dash_gap: usize,
    /// The preferred quotes; `None` if the blob has none.
    pub quotes: Option<Quote>,
    /// The indentation added by multi-line brackets; `None` if all are on one line.
    pub unit: Option<String>,
    /// Separator of items in one-line brackets.
    pub comma: &'static str,
    /// Separator of key and value in brackets.
    pub colon: &'static str,
    /// Padding inside one-line braces (`{ a: b }`).
    pub pad: &'static str,
    /// Padding inside one-line list brackets (`[ a, b ]`).
    pub list_pad: &'static str,
    /// Whether JSON escapes `<`, `>` and `&`.
    pub escapes_html: bool,
}

impl Style {
    /// Returns the style of `opm`'s output.
    pub fn as_written_by_opm(format: Format) -> Self {
        Self {
            newline: "\n",
            map_step: 2,
            list_step: 0,
            dash_gap: 1,
            quotes: None,
            unit: (format == Format::Json).then(|| "    ".to_owned()),
            comma: ", ",
            colon: ": ",
            pad: "",
            list_pad: "",
            escapes_html: false,
        }
    }

    /// Returns the most frequent style of a document; lines end with `newline`.
    pub fn detect(document: Document<'_>, newline: &'static str) -> Self {
        let mut style = Self::as_written_by_opm(document.format);
        let counts = Counts::new(document);
        style.newline = newline;
        style.map_step = most_frequent(&counts.map_steps).unwrap_or(style.map_step);
        style.list_step = most_frequent(&counts.list_steps).unwrap_or(style.list_step);
        style.dash_gap = most_frequent(&counts.dash_gaps).unwrap_or(style.dash_gap);
        style.quotes = match counts.single.cmp(&counts.double) {
            _ if counts.single + counts.double == 0 => None,
            std::cmp::Ordering::Less => Some(Quote::Double),
            _ => Some(Quote::Single),
        };
        style.unit = most_frequent(&counts.units).or(if counts.brackets > 0 {
            None
        } else {
            style.unit
        });
        style.comma = most_frequent(&counts.commas).unwrap_or(if style.unit.is_none() {
            style.comma
        } else {
            ", "
        });
        style.colon = most_frequent(&counts.colons).unwrap_or(style.colon);
        style.pad = most_frequent(&counts.pads).unwrap_or(style.pad);
        style.list_pad = most_frequent(&counts.list_pads).unwrap_or(style.list_pad);
        if document.format == Format::Json
            && style.unit.is_none()
            && counts.commas.is_empty()
            && style.colon == ":"
        {
            style.comma = ",";
        }
        style.escapes_html = document.format == Format::Json
            && HTML_ESCAPES
                .iter()
                .any(|escape| memchr::memmem::find(document.text, escape).is_some());
        style
    }
}

/// How often each style occurs in a document.
#[derive(Default)]
struct Counts {
    map_steps: BTreeMap<usize, usize>,
    list_steps: BTreeMap<usize, usize>,
    dash_gaps: BTreeMap<usize, usize>,
    units: BTreeMap<String, usize>,
    commas: BTreeMap<&'static str, usize>,
    colons: BTreeMap<&'static str, usize>,
    pads: BTreeMap<&'static str, usize>,
    list_pads: BTreeMap<&'static str, usize>,
    single: usize,
    double: usize,
    brackets: usize,
}

/// Returns the most frequent value; the smallest among equally frequent ones.
fn most_frequent<T: Ord + Clone>(counts: &BTreeMap<T, usize>) -> Option<T> {
    counts
        .iter()
        .rev()
        .max_by_key(|(_, count)| **count)
        .map(|(value, _)| value.clone())
}

impl Counts {
    fn new(document: Document<'_>) -> Self {
        let mut counts = Self::default();
        let tree = document.tree;
        for id in (0..tree.len() as u32).map(NodeId) {
            match tree.kind(id) {
                NodeKind::BlockMapping => counts.count_block_values(document, id),
                kind if kind.is_flow() => counts.count_brackets(document, id),
                NodeKind::SingleQuoted => counts.single += 1,
                NodeKind::DoubleQuoted => counts.double += 1,
                _ => {}
            }
            if let Some(gap) = document.dash_gap(id) {
                *counts.dash_gaps.entry(gap).or_default() += 1;
            }
        }
        counts
    }

    fn count_block_values(&mut self, document: Document<'_>, mapping: NodeId) {
        let tree = document.tree;
        for (key, value) in tree.pairs(mapping) {
            let (kind, start) = (tree.kind(value), tree.range(value).start);
            let key_end = tree.range(key).end;
            if !matches!(kind, NodeKind::BlockMapping | NodeKind::BlockSequence)
                || !document.has_line_break(key_end..start)
            {
                continue;
            }
            let Some(step) = document
                .column(start)
                .checked_sub(document.column(document.start(key)))
            else {
                continue;
            };
            let steps = if kind == NodeKind::BlockMapping {
                &mut self.map_steps
            } else {
                &mut self.list_steps
            };
            *steps.entry(step).or_default() += 1;
        }
    }

    fn count_brackets(&mut self, document: Document<'_>, id: NodeId) {
        let tree = document.tree;
        let range = tree.range(id);
        let Some(first) = tree.children(id).next() else {
            return;
        };
        self.brackets += 1;
        let first_start = document.start(first);
        if !document.begins_line(first_start) {
            self.count_one_line_brackets(document, id, first_start);
        } else if document.begins_line(range.end - 1) {
            let unit = document
                .indentation(first_start)
                .strip_prefix(document.indentation(range.end - 1));
            if let Some(unit) = unit.filter(|unit| !unit.is_empty()) {
                *self.units.entry(unit.to_owned()).or_default() += 1;
            }
        }
        if let Some((key, value)) = tree.pairs(id).next()
            && tree.kind(value) != NodeKind::Absent
            && let Some(between) = document
                .text
                .get(tree.range(key).end..document.start(value))
        {
            let colon = if between.ends_with(b":") { ":" } else { ": " };
            *self.colons.entry(colon).or_default() += 1;
        }
    }

    /// Counts the comma and padding of brackets whose first element starts at `first_start`.
    fn count_one_line_brackets(&mut self, document: Document<'_>, id: NodeId, first_start: usize) {
        let tree = document.tree;
        let second = if tree.kind(id).is_mapping() {
            tree.pairs(id).nth(1).map(|(key, _)| key)
        } else {
            tree.children(id).nth(1)
        };
        if let Some(second) = second {
            let before = &document.text[..document.start(second)];
            let comma = if before.ends_with(b",") { "," } else { ", " };
            *self.commas.entry(comma).or_default() += 1;
        }
        let open = tree.range(id).start;
        let pads = match document.text[open] {
            b'{' => &mut self.pads,
            b'[' => &mut self.list_pads,
            _ => return,
        };
        // In `[{a: b}: c]` a pair without braces starts at the bracket of its key.
        if let Some(gap) = document.text.get(open + 1..first_start) {
            let pad = if gap.is_empty() { "" } else { " " };
            *pads.entry(pad).or_default() += 1;
        }
    }
}
