//! Detects a blob's style: line breaks, indentation, quotes. The nearest neighbours take
//! precedence; see [`super::write`].

use super::Document;
use crate::spelling::Quote;
use std::collections::BTreeMap;
use syntax::tree::{Format, NodeId, NodeKind};

/// The style of one blob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Style {
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

    pub fn learn(document: Document<'_>, newline: &'static str) -> Self {
        let mut style = Self::as_written_by_opm(document.format);
        let mut counts = Counts::default();
        let tree = document.tree;
        for id in (0..tree.len() as u32).map(NodeId) {
            match tree.kind(id) {
                NodeKind::BlockMapping => counts.block_values(document, id),
                NodeKind::FlowMapping | NodeKind::FlowSequence => counts.brackets(document, id),
                NodeKind::SingleQuoted => counts.single += 1,
                NodeKind::DoubleQuoted => counts.double += 1,
                _ => {}
            }
        }
        counts.dashes(document);
        style.newline = newline;
        style.map_step = most(&counts.map_steps).unwrap_or(style.map_step);
        style.list_step = most(&counts.list_steps).unwrap_or(style.list_step);
        style.dash_gap = most(&counts.dash_gaps).unwrap_or(style.dash_gap);
        style.quotes = match counts.single.cmp(&counts.double) {
            _ if counts.single + counts.double == 0 => None,
            std::cmp::Ordering::Less => Some(Quote::Double),
            _ => Some(Quote::Single),
        };
        style.unit = most(&counts.units).or(if counts.brackets > 0 {
            None
        } else {
            style.unit
        });
        style.comma = most(&counts.commas).unwrap_or(if style.unit.is_none() {
            style.comma
        } else {
            ", "
        });
        style.colon = most(&counts.colons).unwrap_or(style.colon);
        style.pad = most(&counts.pads).unwrap_or(style.pad);
        style.list_pad = most(&counts.list_pads).unwrap_or(style.list_pad);
        if document.format == Format::Json
            && style.unit.is_none()
            && counts.commas.is_empty()
            && style.colon == ":"
        {
            style.comma = ",";
        }
        style.escapes_html = [&b"\\u003c"[..], b"\\u003e", b"\\u0026"]
            .iter()
            .any(|escape| {
                document.format == Format::Json
                    && memchr::memmem::find(document.text, escape).is_some()
            });
        style
    }
}

/// Counts of observed styles.
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
fn most<T: Ord + Clone>(counts: &BTreeMap<T, usize>) -> Option<T> {
    counts
        .iter()
        .rev()
        .max_by_key(|(_, count)| **count)
        .map(|(what, _)| what.clone())
}

fn spacing(text: &[u8]) -> &'static str {
    if text.is_empty() { "" } else { " " }
}

impl Counts {
    fn block_values(&mut self, document: Document<'_>, mapping: NodeId) {
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

    fn dashes(&mut self, document: Document<'_>) {
        let tree = document.tree;
        for id in (0..tree.len() as u32).map(NodeId) {
            let (Some(dash), start) = (tree.dash(id), document.start(id)) else {
                continue;
            };
            if start > dash + 1 && !document.has_line_break(dash..start) {
                *self.dash_gaps.entry(start - dash - 1).or_default() += 1;
            }
        }
    }

    fn brackets(&mut self, document: Document<'_>, id: NodeId) {
        let tree = document.tree;
        let range = tree.range(id);
        let mut children = tree.children(id);
        let Some(first) = children.next() else { return };
        self.brackets += 1;
        let first_start = document.start(first);
        if document.begins_line(first_start) {
            if document.begins_line(range.end - 1) {
                let unit = document
                    .indentation(first_start)
                    .strip_prefix(document.indentation(range.end - 1));
                if let Some(unit) = unit.filter(|unit| !unit.is_empty()) {
                    *self.units.entry(unit.to_owned()).or_default() += 1;
                }
            }
        } else {
            if let Some(second) = if tree.kind(id).is_mapping() {
                children.nth(1)
            } else {
                children.next()
            } {
                let text = &document.text[..document.start(second)];
                *self
                    .commas
                    .entry(if text.ends_with(b",") { "," } else { ", " })
                    .or_default() += 1;
            }
            let pads = match document.text[range.start] {
                b'{' => Some(&mut self.pads),
                b'[' => Some(&mut self.list_pads),
                _ => None,
            };
            // In `[{a: b}: c]` a pair without braces starts at the bracket of its key.
            if let Some((pads, gap)) = pads.zip(document.text.get(range.start + 1..first_start)) {
                *pads.entry(spacing(gap)).or_default() += 1;
            }
        }
        if let Some((key, value)) = tree.pairs(id).next()
            && tree.kind(value) != NodeKind::Absent
            && let Some(between) = document
                .text
                .get(tree.range(key).end..document.start(value))
        {
            *self
                .colons
                .entry(if between.ends_with(b":") { ":" } else { ": " })
                .or_default() += 1;
        }
    }
}

/// Returns the position (from 0) of a new key in `keys`. `peers` are the keys of neighbouring
/// mappings, nearest first; `all_sorted` means that the blob's keys are sorted wherever visible.
///
/// The neighbours' order counts first: after the key that precedes it there, before the one that
/// follows. Then sorted order, then after the last key of `after`, then as early as the neighbours'
/// order allows, or at the end.
pub(super) fn position(
    keys: &[&str],
    key: &str,
    peers: &[Vec<String>],
    all_sorted: bool,
    after: &[&str],
) -> usize {
    let at = |name: &String| keys.iter().position(|k| k == name);
    let habit = peers.iter().find_map(|peer| {
        let own = peer.iter().position(|k| k == key)?;
        let first = peer[..own]
            .iter()
            .rev()
            .find_map(at)
            .map(|before| before + 1);
        let last = peer[own + 1..].iter().find_map(at);
        (first.is_some() || last.is_some())
            .then(|| (first.unwrap_or(0), last.unwrap_or(keys.len())))
    });
    let (first, last) = habit.unwrap_or((0, keys.len()));
    let wanted = match all_sorted && keys.is_sorted() {
        true => keys.partition_point(|k| *k < key),
        false => after
            .iter()
            .filter_map(|name| keys.iter().position(|k| k == name))
            .max()
            .map_or(if habit.is_some() { first } else { keys.len() }, |before| {
                before + 1
            }),
    };
    wanted.min(last.max(first)).max(first)
}

/// Arranges new keys in the neighbours' order; other keys keep their order.
pub(super) fn arrange<'k>(
    keys: &[&'k str],
    peers: &[Vec<String>],
    all_sorted: bool,
) -> Vec<&'k str> {
    let mut arranged: Vec<&str> = Vec::with_capacity(keys.len());
    if peers.is_empty() {
        return keys.to_vec();
    }
    for (index, key) in keys.iter().enumerate() {
        arranged.insert(
            position(&arranged, key, peers, all_sorted, &keys[..index]),
            key,
        );
    }
    arranged
}

/// Whether all these key lists are sorted, and one is long enough to be significant.
pub(super) fn are_sorted(lists: &[Vec<String>]) -> bool {
    lists.iter().any(|keys| keys.len() > 2) && lists.iter().all(|keys| keys.is_sorted())
}

#[cfg(test)]
mod key_order_tests {
    use super::*;

    fn peers(lists: &[&[&str]]) -> Vec<Vec<String>> {
        lists
            .iter()
            .map(|list| list.iter().map(|&key| key.to_owned()).collect())
            .collect()
    }

    #[test]
    fn neighbors_habits_come_first() {
        let habit = peers(&[&["name"], &["skips", "name", "replaces"]]);
        assert_eq!(position(&["name"], "skips", &habit, false, &["name"]), 0);
        assert_eq!(position(&["name"], "replaces", &habit, false, &[]), 1);
        assert_eq!(
            arrange(&["name", "replaces", "skips"], &habit, false),
            ["skips", "name", "replaces"]
        );
        let habit = peers(&[&["name", "skipRange"]]);
        assert_eq!(
            arrange(&["name", "replaces", "skipRange"], &habit, false),
            ["name", "replaces", "skipRange"]
        );
    }

    #[test]
    fn then_sorted_order_then_the_given_place() {
        assert_eq!(position(&["entries", "schema"], "name", &[], true, &[]), 1);
        assert_eq!(
            position(&["schema", "name"], "package", &[], true, &["schema"]),
            1
        );
        assert_eq!(
            position(&["schema", "name"], "package", &[], false, &["none"]),
            2
        );
        assert_eq!(position(&["name"], "entries", &[], false, &["name"]), 1);
        assert!(are_sorted(&peers(&[&["a", "b", "c"], &["x"]])));
        assert!(
            !are_sorted(&peers(&[&["a", "b"]]))
                && !are_sorted(&peers(&[&["a", "b", "c"], &["y", "x"]]))
        );
    }
}
