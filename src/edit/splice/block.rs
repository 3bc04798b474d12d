//! Changes YAML block collections by whole lines.

use super::locate::{self, Parent, Target};
use super::write::{BlockText, Marker, Writer, blanks};
use super::{Document, SpliceResult};
use crate::patch::{PatchRefusal, RefusalKind, Value};
use crate::spelling::Quote;
use catalog::source::text_edit::TextEdit;
use std::ops::Range;
use syntax::tree::{Format, NodeId, NodeKind};

pub(super) fn set(
    writer: &Writer<'_>,
    target: &Target,
    parent: Parent,
    value: &Value,
) -> SpliceResult {
    let document = writer.document;
    let models = target.with_peers();
    let Some(key) = target.key else {
        let dash = find_dash(document, target.node)?;
        let gap = document
            .dash_gap(target.node)
            .unwrap_or(writer.style.dash_gap);
        let marker = Marker::Dash(document.column(dash) + 1 + gap);
        let new = writer.block(value, &models, Quote::Plain, marker);
        return Ok(replace_value(writer, dash + 1, target.node, new));
    };
    let marker = Marker::Key(document.column(document.start(key)));
    let quote = writer.pair_style(&[parent.node]).value;
    let new = writer.block(value, &models, quote, marker);
    let marker_end = colon_end(document, key)?;
    Ok(replace_value(writer, marker_end, target.node, new))
}

/// Replaces the value after a colon or dash, which ends at `marker_end`. Keeps a comment on the
/// line.
fn replace_value(
    writer: &Writer<'_>,
    marker_end: usize,
    old: NodeId,
    new: BlockText,
) -> Vec<TextEdit> {
    let document = writer.document;
    let kind = document.tree.kind(old);
    let range = document.tree.range(old);
    let below: String = new
        .below
        .iter()
        .map(|line| format!("{}{line}", writer.style.newline))
        .collect();
    let opener = match new.opener.as_str() {
        "" => String::new(),
        opener => format!(" {opener}"),
    };
    if kind == NodeKind::Absent {
        let end = document.line_end(marker_end);
        return vec![
            TextEdit::insert(marker_end, opener),
            TextEdit::insert(end, below),
        ];
    }
    if document.has_line_break(marker_end..range.start) {
        // The old value starts below the line of the marker.
        let first = document.line_end(marker_end);
        return vec![
            TextEdit::insert(marker_end, opener),
            TextEdit::replace(first..document.line_end(range.end).max(first), below),
        ];
    }
    // Keep the blanks before the old value, except at the end of the line.
    let start = if new.opener.is_empty() {
        marker_end
    } else {
        range.start
    };
    if matches!(kind, NodeKind::Literal | NodeKind::Folded) {
        let header = &document.text[range.start..document.line_end(range.start)];
        let header_end = range.start
            + header
                .iter()
                .take_while(|byte| !byte.is_ascii_whitespace())
                .count();
        let first = document.line_end(range.start);
        return vec![
            TextEdit::replace(start..header_end, new.opener),
            TextEdit::replace(first..range.end.max(first), below),
        ];
    }
    let end = document.line_end(range.end);
    vec![
        TextEdit::replace(start..range.end, new.opener),
        TextEdit::insert(end, below),
    ]
}

pub(super) fn insert_key(
    writer: &Writer<'_>,
    target: &Target,
    key: &str,
    value: &Value,
    after: &[String],
) -> SpliceResult {
    let document = writer.document;
    let position = writer.key_position(target.node, &target.peers, key, after);
    let pairs: Vec<(NodeId, NodeId)> = document.tree.pairs(target.node).collect();
    let Some(&(first, _)) = pairs.first() else {
        return Ok(Vec::new());
    };
    let start = movable_key_start(document, first)?;
    let models = locate::values_of_key(document, &target.peers, key);
    let column = document.column(start);
    let style = writer.pair_style(&target.with_peers());
    let lines = writer.block_pair(key, value, &models, style, column);
    match position.checked_sub(1).and_then(|before| pairs.get(before)) {
        Some(&(key, value)) => {
            movable_key_start(document, key)?;
            let end = element_end(document, colon_end(document, key)?, value);
            Ok(vec![insert_below(writer, end, &lines, column)])
        }
        None => Ok(vec![insert_above(writer, start, start, &lines)]),
    }
}

pub(super) fn insert_item(
    writer: &Writer<'_>,
    target: &Target,
    at: usize,
    value: &Value,
) -> SpliceResult {
    let document = writer.document;
    let list: Vec<NodeId> = document.tree.children(target.node).collect();
    let Some(&first) = list.first() else {
        return Ok(Vec::new());
    };
    let start = find_dash(document, first)?;
    let models = locate::nearest_items(document, target, at..at);
    let column = document.column(start);
    let lines = writer.block_item(value, &models, column);
    match at.checked_sub(1).and_then(|before| list.get(before)) {
        Some(&before) => {
            let end = element_end(document, find_dash(document, before)? + 1, before);
            Ok(vec![insert_below(writer, end, &lines, column)])
        }
        None => {
            let comments = document.comments_above(start);
            Ok(vec![insert_above(writer, start, comments, &lines)])
        }
    }
}

/// Removes a key with its value or an item: its lines and the comments directly above.
pub(super) fn remove(document: Document<'_>, target: &Target, parent: Parent) -> SpliceResult {
    let tree = document.tree;
    let (start, marker_end, is_only) = match target.key {
        Some(key) => {
            let start = movable_key_start(document, key)?;
            let is_only = tree.pairs(parent.node).count() == 1;
            (start, colon_end(document, key)?, is_only)
        }
        None => {
            let dash = find_dash(document, target.node)?;
            (dash, dash + 1, tree.children(parent.node).count() == 1)
        }
    };
    let element = start..element_end(document, marker_end, target.node);
    if is_only {
        return remove_only_element(document, parent, element);
    }
    if !document.begins_line(element.start) {
        // The first key on a dash's line: the next key moves up to the dash.
        let end = document.skip_space(element.end);
        return Ok(vec![TextEdit::delete(element.start..end)]);
    }
    let lines = document.comments_above(element.start)..element.end;
    Ok(vec![TextEdit::delete(removal_range(document, lines))])
}

/// Removes the only element of a block collection, which becomes `[]` or `{}`.
fn remove_only_element(
    document: Document<'_>,
    parent: Parent,
    element: Range<usize>,
) -> SpliceResult {
    let brackets = if document.tree.kind(parent.node) == NodeKind::BlockMapping {
        "{}"
    } else {
        "[]"
    };
    if document.tree.node(parent.node).has_properties {
        let reason = "the collection that would become empty has an anchor or a tag";
        return Err(document.refuse(parent.node, RefusalKind::AnchorOrTag, reason));
    }
    let Some(key) = parent.key else {
        // A collection that is an item or the blob itself: the brackets replace its start.
        let collection = document.start(parent.node)..document.tree.range(parent.node).end;
        return Ok(vec![TextEdit::replace(collection, brackets)]);
    };
    let marker_end = colon_end(document, key)?;
    let lines = document.comments_above(element.start)..element.end;
    let lines = TextEdit::delete(removal_range(document, lines));
    Ok(vec![
        TextEdit::insert(marker_end.min(lines.range.start), format!(" {brackets}")),
        lines,
    ])
}

/// Returns the bytes to remove for these lines. At the end of a text without a final line break,
/// they include the preceding break and blank lines, so that the text still has no final break.
fn removal_range(document: Document<'_>, lines: Range<usize>) -> Range<usize> {
    if lines.end < document.text.len() || document.text.ends_with(b"\n") {
        return lines;
    }
    let mut start = lines.start;
    while start > 0 && document.text[..start].ends_with(b"\n") {
        let line = document.line_start(start - 1);
        let content = document.text[line..start].trim_ascii_end();
        if !content.is_empty() {
            let above = &document.text[..start];
            start -= if above.ends_with(b"\r\n") { 2 } else { 1 };
            break;
        }
        start = line;
    }
    start..lines.end
}

/// Inserts lines below another element, after its last line.
fn insert_below(writer: &Writer<'_>, end: usize, lines: &[String], column: usize) -> TextEdit {
    let (text, newline) = (writer.document.text, writer.style.newline);
    let block = format!("{}{}", blanks(column), lines.join(newline));
    if text[..end].ends_with(b"\n") || end == 0 {
        TextEdit::insert(end, format!("{block}{newline}"))
    } else {
        TextEdit::insert(end, format!("{newline}{block}"))
    }
}

/// Inserts lines above the first element of a collection, which starts at `start`; its comments
/// start at `comments`.
fn insert_above(writer: &Writer<'_>, start: usize, comments: usize, lines: &[String]) -> TextEdit {
    let (document, newline) = (writer.document, writer.style.newline);
    let block = lines.join(newline);
    let indentation = blanks(document.column(start));
    if document.begins_line(start) && comments < document.line_start(start) {
        TextEdit::insert(comments, format!("{indentation}{block}{newline}"))
    } else {
        TextEdit::insert(start, format!("{block}{newline}{indentation}"))
    }
}

/// Returns the end of an element's last line, including its line break. `marker_end` is after its
/// colon or dash.
fn element_end(document: Document<'_>, marker_end: usize, value: NodeId) -> usize {
    document.next_line(document.tree.range(value).end.max(marker_end))
}

/// Returns the start of a movable key: on its own line or after a dash, but not after a `?`.
fn movable_key_start(document: Document<'_>, key: NodeId) -> Result<usize, PatchRefusal> {
    let start = document.start(key);
    let before = &document.text[document.line_start(start)..start];
    if before.contains(&b'?') || before.contains(&b':') {
        return Err(document.refuse(
            key,
            RefusalKind::Spelling,
            "this key is written with `?`, or follows another key on the same line",
        ));
    }
    Ok(start)
}

/// Returns the offset after the colon of a key.
pub(super) fn colon_end(document: Document<'_>, key: NodeId) -> Result<usize, PatchRefusal> {
    let end = document.tree.range(key).end;
    let after_key = document.text.get(end..).unwrap_or_default();
    let blanks = after_key
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
        .count();
    let may_break = document.format != Format::Yaml;
    if after_key.get(blanks) == Some(&b':') && (may_break || !after_key[..blanks].contains(&b'\n'))
    {
        return Ok(end + blanks + 1);
    }
    Err(document.refuse(
        key,
        RefusalKind::Spelling,
        "this key is not written as `key: value`",
    ))
}

fn find_dash(document: Document<'_>, item: NodeId) -> Result<usize, PatchRefusal> {
    document.tree.dash(item).ok_or_else(|| {
        document.refuse(
            item,
            RefusalKind::Spelling,
            "this is not a list item with a dash",
        )
    })
}
