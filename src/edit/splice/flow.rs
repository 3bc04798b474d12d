//! Changes bracketed collections: JSON, and YAML flow collections.

use super::block::colon_end;
use super::locate::{self, Parent, Target};
use super::write::Writer;
use super::{Document, SpliceResult};
use crate::patch::{PatchRefusal, RefusalKind, Value};
use crate::spelling::Quote;
use catalog::source::text_edit::TextEdit;
use std::ops::Range;
use syntax::tree::{Format, NodeId, NodeKind};

/// An element in brackets: an item, or a key with its value.
struct Part {
    range: Range<usize>,
    /// The comma after it.
    comma: Option<usize>,
}

/// A parsed bracketed collection.
struct Brackets {
    /// The range between the brackets.
    inside: Range<usize>,
    parts: Vec<Part>,
}

impl Brackets {
    fn parse(document: Document<'_>, node: NodeId) -> Result<Self, PatchRefusal> {
        let (tree, text) = (document.tree, document.text);
        let range = tree.range(node);
        if !text[range.clone()].starts_with(b"{") && !text[range.clone()].starts_with(b"[") {
            return Err(document.refuse(
                node,
                RefusalKind::Spelling,
                "this mapping has no braces of its own",
            ));
        }
        let inside = range.start + 1..range.end - 1;
        let mut ranges = Vec::new();
        if tree.kind(node) == NodeKind::FlowMapping {
            for (key, value) in tree.pairs(node) {
                let end = tree.range(value).end.max(colon_end(document, key)?);
                ranges.push(document.start(key)..end);
            }
        } else {
            for item in tree.children(node) {
                ranges.push(document.start(item)..tree.range(item).end);
            }
        }
        let parts = ranges
            .into_iter()
            .map(|range| {
                let at = document.skip_comments(range.end);
                let comma = (text.get(at) == Some(&b',') && at < inside.end).then_some(at);
                Part { comma, range }
            })
            .collect();
        Ok(Self { inside, parts })
    }

    /// Whether each part is on its own line.
    fn is_multiline(&self, document: Document<'_>) -> bool {
        self.parts
            .iter()
            .all(|part| document.begins_line(part.range.start))
    }
}

pub(super) fn set(
    writer: &Writer<'_>,
    target: &Target,
    parent: Parent,
    value: &Value,
) -> SpliceResult {
    let document = writer.document;
    let range = document.tree.range(target.node);
    let quote = match target.key {
        Some(_) => writer.pair_style(&[parent.node]).value,
        None => Quote::Plain,
    };
    let indent = document.indentation(range.start);
    let text = writer.flow(value, &target.with_peers(), quote, indent);
    let is_absent = document.tree.kind(target.node) == NodeKind::Absent;
    let edit = match target.key.filter(|_| is_absent) {
        Some(key) => TextEdit::insert(colon_end(document, key)?, format!(" {text}")),
        None => TextEdit::replace(range, text),
    };
    Ok(vec![edit])
}

pub(super) fn insert_key(
    writer: &Writer<'_>,
    target: &Target,
    key: &str,
    value: &Value,
    after: &[String],
) -> SpliceResult {
    let position = writer.key_position(target.node, &target.peers, key, after);
    let models = locate::values_of_key(writer.document, &target.peers, key);
    let style = writer.pair_style(&target.with_peers());
    insert(writer, target.node, position, writer.style.pad, |indent| {
        writer.flow_pair(key, value, &models, style, indent)
    })
}

pub(super) fn insert_item(
    writer: &Writer<'_>,
    target: &Target,
    at: usize,
    value: &Value,
) -> SpliceResult {
    let models = locate::nearest_items(writer.document, target, at..at);
    insert(writer, target.node, at, writer.style.list_pad, |indent| {
        writer.flow(value, &models, Quote::Plain, indent)
    })
}

/// Inserts an element before the current one at `at`. `write` gets the indentation of the element's
/// first line.
fn insert(
    writer: &Writer<'_>,
    node: NodeId,
    at: usize,
    pad: &str,
    write: impl Fn(&str) -> String,
) -> SpliceResult {
    let (document, newline) = (writer.document, writer.style.newline);
    let brackets = Brackets::parse(document, node)?;
    let Some(last) = brackets.parts.last() else {
        let open = document.tree.range(node).start;
        return Ok(vec![fill_empty(writer, brackets.inside, open, pad, write)]);
    };
    let is_multiline = brackets.is_multiline(document);
    if let Some(next) = brackets.parts.get(at) {
        let start = next.range.start;
        let indent = document.indentation(start);
        let part = write(indent);
        return Ok(vec![if is_multiline {
            let above = skip_blanks(document, document.comments_above(start));
            TextEdit::insert(above, format!("{part},{newline}{indent}"))
        } else {
            TextEdit::insert(start, format!("{part}{}", writer.style.comma))
        }]);
    }
    let indent = document.indentation(last.range.start);
    let part = write(indent);
    let end = last.comma.map_or(last.range.end, |comma| comma + 1);
    if !is_multiline {
        let text = if last.comma.is_some() {
            format!(" {part},")
        } else {
            format!("{}{part}", writer.style.comma)
        };
        return Ok(vec![TextEdit::insert(end, text)]);
    }
    // A comment after the brackets does not belong to them.
    let comment = document
        .line_comment(end)
        .filter(|comment| comment.end <= brackets.inside.end);
    let line_end = comment.map_or(end, |comment| comment.end);
    let line = format!("{newline}{indent}{part}");
    Ok(match last.comma {
        Some(_) => vec![TextEdit::insert(line_end, format!("{line},"))],
        None => vec![TextEdit::insert(end, ","), TextEdit::insert(line_end, line)],
    })
}

/// Fills empty brackets, which begin at `open`, with a first element.
fn fill_empty(
    writer: &Writer<'_>,
    inside: Range<usize>,
    open: usize,
    pad: &str,
    write: impl Fn(&str) -> String,
) -> TextEdit {
    let (document, newline) = (writer.document, writer.style.newline);
    let outer = document.indentation(open);
    let own_line = |unit: &str| {
        let inner = format!("{outer}{unit}");
        format!("{newline}{inner}{}{newline}{outer}", write(&inner))
    };
    let unit = writer.style.unit.as_deref();
    if document.has_comments_in(inside.clone()) {
        let start = inside.start + document.text[inside.clone()].trim_ascii_end().len();
        return TextEdit::replace(start..inside.end, own_line(unit.unwrap_or("  ")));
    }
    match unit.filter(|_| document.format == Format::Json) {
        Some(unit) => TextEdit::replace(inside, own_line(unit)),
        None => TextEdit::replace(inside, format!("{pad}{}{pad}", write(outer))),
    }
}

/// Removes an item, or a key with its value.
pub(super) fn remove(document: Document<'_>, parent: Parent) -> SpliceResult {
    let brackets = Brackets::parse(document, parent.node)?;
    let parts = &brackets.parts;
    let Some(part) = parts.get(parent.position) else {
        return Ok(Vec::new());
    };
    let (before, next) = (
        parent.position.checked_sub(1).and_then(|i| parts.get(i)),
        parts.get(parent.position + 1),
    );
    if document.has_comments_in(brackets.inside.clone()) {
        return Ok(remove_among_comments(document, part, before));
    }
    let removed = match (before, next) {
        (_, Some(next)) => part.range.start..next.range.start,
        (Some(before), None) => before.range.end..part.range.end,
        (None, None) => brackets.inside,
    };
    Ok(vec![TextEdit::delete(removed)])
}

/// Removes an element from brackets that contain comments. An element on its own lines is removed
/// with them, its trailing comment and the comments directly above. If it shares lines, only its
/// text and one comma are removed: the comments around it may belong to others.
fn remove_among_comments(
    document: Document<'_>,
    part: &Part,
    before: Option<&Part>,
) -> Vec<TextEdit> {
    // The last element is removed with the preceding comma, so that there is no trailing comma.
    let mut edits = Vec::new();
    if part.comma.is_none()
        && let Some(comma) = before.and_then(|before| before.comma)
    {
        edits.push(TextEdit::delete(comma..comma + 1));
    }
    let end = part.comma.map_or(part.range.end, |comma| comma + 1);
    let line_end = document.line_end(end);
    let content_end = document
        .line_comment(end)
        .map_or(line_end, |comment| comment.start.min(line_end));
    let ends_line = document.text[end..content_end.max(end)]
        .trim_ascii()
        .is_empty();
    let has_comment_before_comma = document.has_comments_in(part.range.end..end);
    let begins_line = document.begins_line(part.range.start);
    if begins_line && ends_line && !has_comment_before_comma {
        edits.push(TextEdit::delete(
            document.comments_above(part.range.start)..document.next_line(end),
        ));
        return edits;
    }
    // Remove the preceding blanks at the end of the line or before the closing bracket.
    let ends_brackets = matches!(document.text.get(end), Some(b'}' | b']'));
    let mut start = part.range.start;
    if !begins_line && (ends_line || ends_brackets) {
        let before = document.text[..start].iter().rev();
        start -= before
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count();
    }
    match part.comma.filter(|_| has_comment_before_comma) {
        Some(comma) => edits.extend([
            TextEdit::delete(start..part.range.end),
            TextEdit::delete(comma..comma + 1),
        ]),
        None if ends_line || part.comma.is_none() => edits.push(TextEdit::delete(start..end)),
        None => edits.push(TextEdit::delete(start..skip_blanks(document, end))),
    }
    edits
}

fn skip_blanks(document: Document<'_>, offset: usize) -> usize {
    offset
        + document.text[offset..]
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count()
}
