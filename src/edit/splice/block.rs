//! Changes YAML block collections by whole lines.

use super::Document;
use super::locate::{self, Parent, Target};
use super::write::{LinePosition, Writer, Written, blanks};
use crate::patch::{PatchRefusal, RefusalKind, Value};
use crate::spelling::Quote;
use catalog::source::text_edit::TextEdit;
use std::ops::Range;
use syntax::tree::{NodeId, NodeKind};

type Edits = Result<Vec<TextEdit>, PatchRefusal>;

/// Replaces a value in a block mapping or block list.
pub(super) fn set(writer: &Writer<'_>, target: &Target, value: &Value) -> Edits {
    let document = writer.document;
    let Some(parent) = target.parent() else {
        return Ok(Vec::new());
    };
    let mut models = vec![target.node];
    models.extend(&target.peers);
    let (mark, follows, wish) = match target.key {
        Some(key) => {
            let column = document.column(document.start(key));
            (
                behind_colon(document, key)?,
                LinePosition::Key(column),
                writer.pair_style(&[parent.node]).value,
            )
        }
        None => {
            let dash = dash(document, target.node)?;
            let gap = document
                .tree
                .range(target.node)
                .start
                .saturating_sub(dash + 1);
            let gap = if gap == 0 || document.has_line_break(dash..dash + 1 + gap) {
                writer.style.dash_gap
            } else {
                gap
            };
            (
                dash + 1,
                LinePosition::Dash(document.column(dash) + 1 + gap),
                Quote::Plain,
            )
        }
    };
    let written = writer.block(value, &models, wish, follows);
    Ok(replace_value(writer, mark, target.node, written))
}

/// Replaces the value after a colon or dash. Keeps a comment on the line.
fn replace_value(writer: &Writer<'_>, mark: usize, old: NodeId, new: Written) -> Vec<TextEdit> {
    let (document, kind) = (writer.document, writer.document.tree.kind(old));
    let range = document.tree.range(old);
    let below: String = new
        .below
        .iter()
        .map(|line| format!("{}{line}", writer.style.newline))
        .collect();
    let spaced = match new.opener.as_str() {
        "" => String::new(),
        opener => format!(" {opener}"),
    };
    if kind == NodeKind::Absent {
        let end = document.line_end(mark);
        return vec![TextEdit::insert(mark, spaced), TextEdit::insert(end, below)];
    }
    if document.has_line_break(mark..range.start) {
        // The old value is entirely below: from the first line after the marker to its own last
        // line.
        let first = document.line_end(mark);
        return vec![
            TextEdit::insert(mark, spaced),
            TextEdit::replace(first..document.line_end(range.end).max(first), below),
        ];
    }
    // Keep the blanks before the old value, unless nothing follows them.
    let start = if new.opener.is_empty() {
        mark
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
) -> Edits {
    let document = writer.document;
    let position = writer.key_position(target.node, &target.peers, key, after);
    let pairs: Vec<(NodeId, NodeId)> = document.tree.pairs(target.node).collect();
    let Some(&(first, _)) = pairs.first() else {
        return Ok(Vec::new());
    };
    let head = head_of_key(document, first)?;
    let models = locate::values_of(document, &target.peers, key);
    let mut mappings = vec![target.node];
    mappings.extend(&target.peers);
    let lines = writer.block_pair(
        key,
        value,
        &models,
        writer.pair_style(&mappings),
        document.column(head),
    );
    match position.checked_sub(1).and_then(|before| pairs.get(before)) {
        Some(&(key, value)) => {
            head_of_key(document, key)?;
            let end = end_of(document, behind_colon(document, key)?, value);
            Ok(vec![insert_below(
                writer,
                end,
                &lines,
                document.column(head),
            )])
        }
        None => Ok(vec![insert_above(writer, head, head, &lines)]),
    }
}

pub(super) fn insert_item(writer: &Writer<'_>, target: &Target, at: usize, value: &Value) -> Edits {
    let document = writer.document;
    let list: Vec<NodeId> = document.tree.children(target.node).collect();
    let Some(&first) = list.first() else {
        return Ok(Vec::new());
    };
    let head = dash(document, first)?;
    let mut models = locate::nearest(document, target.node, at, false);
    models.extend(locate::items(document, &target.peers));
    let column = document.column(head);
    let lines = writer.block_item(value, &models, column);
    match at.checked_sub(1).and_then(|before| list.get(before)) {
        Some(&before) => {
            let end = end_of(document, dash(document, before)? + 1, before);
            Ok(vec![insert_below(writer, end, &lines, column)])
        }
        None => Ok(vec![insert_above(
            writer,
            head,
            document.comments_above(head),
            &lines,
        )]),
    }
}

/// Removes a key with its value or an item: its lines and the comments directly above.
pub(super) fn remove(document: Document<'_>, target: &Target) -> Edits {
    let Some(parent) = target.parent() else {
        return Ok(Vec::new());
    };
    let (head, mark) = match target.key {
        Some(key) => (head_of_key(document, key)?, behind_colon(document, key)?),
        None => {
            let dash = dash(document, target.node)?;
            (dash, dash + 1)
        }
    };
    let end = end_of(document, mark, target.node);
    let siblings =
        document.tree.children(parent.node).count() / if target.key.is_some() { 2 } else { 1 };
    if siblings == 1 {
        return empty(document, parent, head, end);
    }
    if !document.begins_line(head) {
        // The first key on a dash's line: the next key moves up to the dash.
        return Ok(vec![TextEdit::delete(head..document.skip_space(end))]);
    }
    let start = document.comments_above(head);
    Ok(vec![TextEdit::delete(whole_lines(document, start..end))])
}

/// Removes the only element of a block collection, which becomes `[]` or `{}`.
fn empty(document: Document<'_>, parent: Parent, head: usize, end: usize) -> Edits {
    let brackets = if document.tree.kind(parent.node) == NodeKind::BlockMapping {
        "{}"
    } else {
        "[]"
    };
    let own = document.start(parent.node)..document.tree.range(parent.node).end;
    if document.tree.node(parent.node).has_properties {
        let reason = "the collection that would become empty has an anchor or a tag";
        return Err(document.refuse(parent.node, RefusalKind::AnchorOrTag, reason));
    }
    let Some(key) = parent.key else {
        // A collection that is an item or the blob itself: the brackets replace its start.
        return Ok(vec![TextEdit::replace(own, brackets)]);
    };
    let mark = behind_colon(document, key)?;
    let start = document.comments_above(head);
    let lines = TextEdit::delete(whole_lines(document, start..end));
    Ok(vec![
        TextEdit::insert(mark.min(lines.range.start), format!(" {brackets}")),
        lines,
    ])
}

/// Returns the bytes to remove for these lines. If they end a text without a final line break, the
/// preceding break and blank lines are removed too, so that it still has none.
fn whole_lines(document: Document<'_>, lines: Range<usize>) -> Range<usize> {
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

/// Inserts lines above the first element of a collection, which starts at `head`; its comments
/// start at `comments`.
fn insert_above(writer: &Writer<'_>, head: usize, comments: usize, lines: &[String]) -> TextEdit {
    let (document, newline) = (writer.document, writer.style.newline);
    let block = lines.join(newline);
    let indentation = blanks(document.column(head));
    if document.begins_line(head) && comments < document.line_start(head) {
        TextEdit::insert(comments, format!("{indentation}{block}{newline}"))
    } else {
        TextEdit::insert(head, format!("{block}{newline}{indentation}"))
    }
}

/// Returns the end of an element's last line, including its line break. `mark` is after its colon
/// or dash.
fn end_of(document: Document<'_>, mark: usize, value: NodeId) -> usize {
    document.next_line(document.tree.range(value).end.max(mark))
}

/// Returns the start of a movable key: on its own line or after a dash, but not after a `?`.
fn head_of_key(document: Document<'_>, key: NodeId) -> Result<usize, PatchRefusal> {
    let head = document.start(key);
    let before = &document.text[document.line_start(head)..head];
    if before.contains(&b'?') || before.contains(&b':') {
        return Err(document.refuse(
            key,
            RefusalKind::Spelling,
            "this key is written with `?`, or follows another key on the same line",
        ));
    }
    Ok(head)
}

/// Returns the offset after the colon of a key.
pub(super) fn behind_colon(document: Document<'_>, key: NodeId) -> Result<usize, PatchRefusal> {
    let end = document.tree.range(key).end;
    let rest = document.text.get(end..).unwrap_or_default();
    let blank = rest
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
        .count();
    match rest.get(blank) {
        Some(b':')
            if document.format != syntax::tree::Format::Yaml || !rest[..blank].contains(&b'\n') =>
        {
            Ok(end + blank + 1)
        }
        _ => Err(document.refuse(
            key,
            RefusalKind::Spelling,
            "this key is not written as `key: value`",
        )),
    }
}

fn dash(document: Document<'_>, item: NodeId) -> Result<usize, PatchRefusal> {
    document.tree.dash(item).ok_or_else(|| {
        document.refuse(
            item,
            RefusalKind::Spelling,
            "this is not a list item with a dash",
        )
    })
}
