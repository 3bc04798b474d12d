//! Changes bracketed collections: JSON, and YAML flow collections.

use super::Document;
use super::block::behind_colon;
use super::locate::{self, Target};
use super::write::Writer;
use crate::patch::{PatchRefusal, RefusalKind, Value};
use catalog::source::text_edit::TextEdit;
use std::ops::Range;
use syntax::tree::{Format, NodeId, NodeKind};

type Edits = Result<Vec<TextEdit>, PatchRefusal>;

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
    fn read(document: Document<'_>, node: NodeId) -> Result<Self, PatchRefusal> {
        let (tree, text) = (document.tree, document.text);
        let whole = tree.range(node);
        if !text[whole.clone()].starts_with(b"{") && !text[whole.clone()].starts_with(b"[") {
            return Err(document.refuse(
                node,
                RefusalKind::Spelling,
                "this mapping has no braces of its own",
            ));
        }
        let inside = whole.start + 1..whole.end - 1;
        let ranges: Vec<Range<usize>> =
            if tree.kind(node) == NodeKind::FlowMapping {
                let pairs = tree.pairs(node);
                pairs
                    .map(|(key, value)| {
                        Ok(document.start(key)
                            ..tree.range(value).end.max(behind_colon(document, key)?))
                    })
                    .collect::<Result<_, PatchRefusal>>()?
            } else {
                tree.children(node)
                    .map(|item| document.start(item)..tree.range(item).end)
                    .collect()
            };
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
    fn is_spread(&self, document: Document<'_>) -> bool {
        self.parts
            .iter()
            .all(|part| document.begins_line(part.range.start))
    }
}

/// Replaces a value in brackets.
pub(super) fn set(writer: &Writer<'_>, target: &Target, value: &Value) -> Edits {
    let document = writer.document;
    let range = document.tree.range(target.node);
    let mut models = vec![target.node];
    models.extend(&target.peers);
    let indent = document.indentation(range.start);
    let text = match target.parent().filter(|_| target.key.is_some()) {
        Some(parent) => writer.flow_value(
            value,
            &models,
            writer.pair_style(&[parent.node]).value,
            indent,
        ),
        None => writer.flow(value, &models, indent),
    };
    match target
        .key
        .filter(|_| document.tree.kind(target.node) == NodeKind::Absent)
    {
        Some(key) => Ok(vec![TextEdit::insert(
            behind_colon(document, key)?,
            format!(" {text}"),
        )]),
        None => Ok(vec![TextEdit::replace(range, text)]),
    }
}

pub(super) fn insert_key(
    writer: &Writer<'_>,
    target: &Target,
    key: &str,
    value: &Value,
    after: &[String],
) -> Edits {
    let position = writer.key_position(target.node, &target.peers, key, after);
    let models = locate::values_of(writer.document, &target.peers, key);
    let mut mappings = vec![target.node];
    mappings.extend(&target.peers);
    let style = writer.pair_style(&mappings);
    insert(writer, target.node, position, writer.style.pad, |indent| {
        writer.flow_pair(key, value, &models, style, indent)
    })
}

pub(super) fn insert_item(writer: &Writer<'_>, target: &Target, at: usize, value: &Value) -> Edits {
    let mut models = locate::nearest(writer.document, target.node, at, false);
    models.extend(locate::items(writer.document, &target.peers));
    insert(writer, target.node, at, writer.style.list_pad, |indent| {
        writer.flow(value, &models, indent)
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
) -> Edits {
    let (document, newline) = (writer.document, writer.style.newline);
    let brackets = Brackets::read(document, node)?;
    let whole = document.tree.range(node);
    let Some(last) = brackets.parts.last() else {
        return Ok(vec![fill(writer, brackets.inside, whole.start, pad, write)]);
    };
    let spread = brackets.is_spread(document);
    if let Some(next) = brackets.parts.get(at) {
        let indent = document.indentation(next.range.start);
        let part = write(indent);
        if !spread {
            return Ok(vec![TextEdit::insert(
                next.range.start,
                format!("{part}{}", writer.style.comma),
            )]);
        }
        let above = document.comments_above(next.range.start);
        let above = skip_blanks(document, above);
        return Ok(vec![TextEdit::insert(
            above,
            format!("{part},{newline}{indent}"),
        )]);
    }
    let indent = document.indentation(last.range.start);
    let part = write(indent);
    if !spread {
        let text = if last.comma.is_some() {
            format!(" {part},")
        } else {
            format!("{}{part}", writer.style.comma)
        };
        return Ok(vec![TextEdit::insert(
            last.comma.map_or(last.range.end, |comma| comma + 1),
            text,
        )]);
    }
    // A comment after the brackets does not belong to them.
    let line = |from: usize| {
        let comment = document
            .line_comment(from)
            .filter(|comment| comment.end <= brackets.inside.end);
        comment.map_or(from, |comment| comment.end)
    };
    match last.comma {
        Some(comma) => Ok(vec![TextEdit::insert(
            line(comma + 1),
            format!("{newline}{indent}{part},"),
        )]),
        None => Ok(vec![
            TextEdit::insert(last.range.end, ","),
            TextEdit::insert(line(last.range.end), format!("{newline}{indent}{part}")),
        ]),
    }
}

/// Fills empty brackets with a first element.
fn fill(
    writer: &Writer<'_>,
    inside: Range<usize>,
    open: usize,
    pad: &str,
    write: impl Fn(&str) -> String,
) -> TextEdit {
    let (document, newline) = (writer.document, writer.style.newline);
    let outer = document.indentation(open);
    if document.comments_within(inside.clone()) {
        let inner = format!("{outer}{}", writer.style.unit.as_deref().unwrap_or("  "));
        let start = inside.start + document.text[inside.clone()].trim_ascii_end().len();
        return TextEdit::replace(
            start..inside.end,
            format!("{newline}{inner}{}{newline}{outer}", write(&inner)),
        );
    }
    match writer
        .style
        .unit
        .as_deref()
        .filter(|_| document.format == Format::Json)
    {
        Some(unit) => {
            let inner = format!("{outer}{unit}");
            TextEdit::replace(
                inside,
                format!("{newline}{inner}{}{newline}{outer}", write(&inner)),
            )
        }
        None => TextEdit::replace(inside, format!("{pad}{}{pad}", write(outer))),
    }
}

/// Removes an item, or a key with its value. If it shares no line, its lines and the comments
/// directly above are removed too.
pub(super) fn remove(document: Document<'_>, target: &Target) -> Edits {
    let Some(parent) = target.parent() else {
        return Ok(Vec::new());
    };
    let brackets = Brackets::read(document, parent.node)?;
    let parts = &brackets.parts;
    let Some(part) = parts.get(parent.position) else {
        return Ok(Vec::new());
    };
    let (before, next) = (
        parent.position.checked_sub(1).and_then(|i| parts.get(i)),
        parts.get(parent.position + 1),
    );
    let commented = document.comments_within(brackets.inside.clone());
    if commented {
        return Ok(remove_among_comments(document, part, before));
    }
    let edit = match (before, next) {
        (_, Some(next)) => part.range.start..next.range.start,
        (Some(before), None) => before.range.end..part.range.end,
        (None, None) => brackets.inside,
    };
    Ok(vec![TextEdit::delete(edit)])
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
    let own_comma = part.comma.is_some();
    let comma_before = before
        .and_then(|before| before.comma)
        .filter(|_| !own_comma);
    let mut edits: Vec<TextEdit> = comma_before
        .map(|comma| TextEdit::delete(comma..comma + 1))
        .into_iter()
        .collect();
    let end = part.comma.map_or(part.range.end, |comma| comma + 1);
    let line_end = document.line_end(end);
    let content_end = document
        .line_comment(end)
        .map_or(line_end, |comment| comment.start.min(line_end));
    let ends_line = document.text[end..content_end.max(end)]
        .trim_ascii()
        .is_empty();
    let commented_comma = document.comments_within(part.range.end..end);
    let begins_line = document.begins_line(part.range.start);
    if begins_line && ends_line && !commented_comma {
        edits.push(TextEdit::delete(
            document.comments_above(part.range.start)..document.next_line(end),
        ));
        return edits;
    }
    // If nothing else follows on the line, or the brackets end there, the preceding blanks are
    // removed too.
    let shut = matches!(document.text.get(end), Some(b'}' | b']'));
    let start = match !begins_line && (ends_line || shut) {
        true => {
            part.range.start
                - document.text[..part.range.start]
                    .iter()
                    .rev()
                    .take_while(|byte| matches!(byte, b' ' | b'\t'))
                    .count()
        }
        false => part.range.start,
    };
    match part.comma.filter(|_| commented_comma) {
        Some(comma) => edits.extend([
            TextEdit::delete(start..part.range.end),
            TextEdit::delete(comma..comma + 1),
        ]),
        None if ends_line || !own_comma => edits.push(TextEdit::delete(start..end)),
        None => edits.push(TextEdit::delete(start..skip_blanks(document, end))),
    }
    edits
}

fn skip_blanks(document: Document<'_>, at: usize) -> usize {
    at + document.text[at..]
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count()
}
