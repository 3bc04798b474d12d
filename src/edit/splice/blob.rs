//! Adds and removes whole blobs, in existing and new files. Needs only the part of the file around
//! the position.

use super::style::Style;
use super::write::{Marker, Writer};
use super::{Document, first_newline, newline_at};
use crate::patch::{PatchRefusal, RefusalKind, Value};
use crate::spelling::Quote;
use crate::verify::reads_as;
use catalog::source::text_edit::{TextEdit, TextEdits};
use std::ops::Range;
use syntax::tree::{Format, Tree};

/// A part of a file. Must contain the changed position, the separators on both sides and some text
/// beyond.
#[derive(Debug, Clone, Copy)]
pub struct Window<'a> {
    pub text: &'a [u8],
    /// Offset of the text in the file.
    pub start: usize,
    pub file_len: usize,
}

/// A blob whose style is copied: preferably with the same schema, else any of the same file or
/// package.
#[derive(Debug, Clone, Copy)]
pub struct Neighbor<'a> {
    pub text: &'a [u8],
    pub format: Format,
    /// Whether the file starts with a `---` line.
    pub leading_separator: bool,
}

/// The UTF-8 byte order mark.
pub const BOM: &[u8] = b"\xef\xbb\xbf";

/// Adds a blob after the one that ends at `at` (or at the end of a file without blobs). The result
/// uses file offsets.
pub fn insert_blob(
    window: Window<'_>,
    at: usize,
    neighbor: Option<Neighbor<'_>>,
    format: Format,
    value: &Value,
) -> Result<TextEdits, PatchRefusal> {
    let split = at
        .checked_sub(window.start)
        .and_then(|at| window.text.split_at_checked(at));
    let Some((before, after)) = split else {
        return Err(refuse_outside());
    };
    let newline = newline_before(before)
        .or_else(|| first_newline(after))
        .or(neighbor.and_then(|neighbor| first_newline(neighbor.text)))
        .unwrap_or("\n");
    let body = render_blob(neighbor, format, newline, value)?;
    let is_first_blob = window.start == 0
        && before
            .strip_prefix(BOM)
            .unwrap_or(before)
            .trim_ascii()
            .is_empty();
    let text = match format {
        Format::Json if is_first_blob => format!("{body}{newline}"),
        Format::Json => format!("{}{body}", json_separator(after).unwrap_or(newline)),
        Format::Yaml => {
            if !is_separator(first_line(after)) && !after.trim_ascii().is_empty() {
                let reason = "another document continues here";
                return Err(refuse(RefusalKind::Spelling, reason));
            }
            let is_separated = is_separator(last_line(before))
                || is_first_blob && !neighbor.is_some_and(|neighbor| neighbor.leading_separator);
            let separator = if is_separated {
                String::new()
            } else if has_blank_before_separator(before) && !ends_with_blank_line(before) {
                format!("{newline}---{newline}")
            } else {
                format!("---{newline}")
            };
            if is_first_blob || before.is_empty() || before.ends_with(b"\n") {
                format!("{separator}{body}{newline}")
            } else {
                // The file's last line has no line break, nor does the new one.
                format!("{newline}{separator}{body}")
            }
        }
    };
    Ok(single_edit(TextEdit::insert(at, text)))
}

/// Returns the text of a file that contains one new blob.
pub fn new_file(
    neighbor: Option<Neighbor<'_>>,
    format: Format,
    value: &Value,
) -> Result<Vec<u8>, PatchRefusal> {
    let newline = neighbor
        .and_then(|neighbor| first_newline(neighbor.text))
        .unwrap_or("\n");
    let has_separator = neighbor.is_none_or(|neighbor| neighbor.leading_separator);
    let separator = if format == Format::Yaml && has_separator {
        format!("---{newline}")
    } else {
        String::new()
    };
    let body = render_blob(neighbor, format, newline, value)?;
    Ok(format!("{separator}{body}{newline}").into_bytes())
}

/// Removes the blob at `blob` (a document's chunk or a JSON value, in file offsets) with its
/// separator. A file that would only contain separators becomes empty.
pub fn remove_blob(
    window: Window<'_>,
    blob: Range<usize>,
    format: Format,
) -> Result<TextEdits, PatchRefusal> {
    let inside = |at: usize| {
        at.checked_sub(window.start)
            .filter(|&at| at <= window.text.len())
    };
    let (Some(start), Some(end)) = (inside(blob.start), inside(blob.end)) else {
        return Err(refuse_outside());
    };
    if start > end {
        let reason = "the position is not a range";
        return Err(refuse(RefusalKind::NotThere, reason));
    }
    let (before, after) = (&window.text[..start], &window.text[end..]);
    let run = removed_run(before, after, blob, format);
    let mut removed = run.start.saturating_sub(window.start)..run.end.saturating_sub(window.start);
    if window.start == 0 && window.text.starts_with(BOM) {
        removed.start = removed.start.max(BOM.len());
    }
    let is_whole_file = window.start == 0 && window.text.len() == window.file_len;
    let remaining = [
        &window.text[..removed.start.min(removed.end)],
        &window.text[removed.end..],
    ]
    .concat();
    if is_whole_file && has_no_blob(&remaining) {
        removed = 0..window.text.len();
    }
    Ok(single_edit(TextEdit::delete(
        removed.start + window.start..removed.end + window.start,
    )))
}

/// Returns the range to remove for consecutive blobs of one format, in file offsets: `run` spans
/// from the first blob's start to the last blob's end. `before` and `after` are the adjacent texts
/// with their separators. Includes a byte order mark at the start.
pub fn removed_run(before: &[u8], after: &[u8], run: Range<usize>, format: Format) -> Range<usize> {
    let Range { start, end } = run;
    match format {
        Format::Yaml if is_separator(last_line(before)) => start - last_line(before).len()..end,
        Format::Yaml if is_separator(first_line(after)) => start..end + first_line(after).len(),
        Format::Yaml => start..end,
        Format::Json if !after.trim_ascii_start().is_empty() => {
            start..end + after.len() - after.trim_ascii_start().len()
        }
        Format::Json => start - (before.len() - before.trim_ascii_end().len())..end,
    }
}

fn single_edit(edit: TextEdit) -> TextEdits {
    TextEdits::new(vec![edit]).unwrap_or_default()
}

/// Returns the new blob's text without a final line break, after parsing it again and comparing the
/// values.
fn render_blob(
    neighbor: Option<Neighbor<'_>>,
    format: Format,
    newline: &'static str,
    value: &Value,
) -> Result<String, PatchRefusal> {
    let neighbor = neighbor.filter(|neighbor| neighbor.format == format);
    let parsed =
        neighbor.and_then(|Neighbor { text, .. }| Some((text, syntax::parse(text, format).ok()?)));
    let has_model = parsed.is_some();
    let (text, tree) = &parsed.unwrap_or_default();
    let document = Document { text, tree, format };
    if value.as_object().is_none_or(serde_json::Map::is_empty)
        || !super::is_writable(value, super::MAX_DEPTH)
    {
        let reason = "a blob must be a mapping that JSON can represent";
        return Err(refuse(RefusalKind::Unwritable, reason));
    }
    let style = if has_model {
        Style::detect(document, newline)
    } else {
        Style {
            newline,
            ..Style::as_written_by_opm(format)
        }
    };
    let writer = Writer::new(document, style);
    let models: Vec<_> = document.tree.root().into_iter().collect();
    let body = match format {
        Format::Json => writer.flow(value, &models, Quote::Plain, ""),
        Format::Yaml => {
            let written = writer.block(value, &models, Quote::Plain, Marker::Dash(0));
            std::iter::once(written.opener)
                .chain(written.below)
                .collect::<Vec<_>>()
                .join(newline)
        }
    };
    let has_value = syntax::parse(body.as_bytes(), format).is_ok_and(|tree| {
        let document = Document {
            text: body.as_bytes(),
            tree: &tree,
            format,
        };
        tree.root()
            .is_some_and(|root| reads_as(document, root, value))
    });
    if has_value {
        Ok(body)
    } else {
        let reason = "the new blob does not parse as intended";
        Err(refuse(RefusalKind::Mismatch, reason))
    }
}

fn refuse(kind: RefusalKind, reason: &str) -> PatchRefusal {
    Document {
        text: b"",
        tree: &Tree::default(),
        format: Format::Yaml,
    }
    .refuse_at(0..0, kind, reason)
}

fn refuse_outside() -> PatchRefusal {
    let reason = "the position is outside the part of the file that was read";
    refuse(RefusalKind::NotThere, reason)
}

/// Returns the last line break of a text. Ignores one at the start, which may be the second half of
/// a line break.
fn newline_before(text: &[u8]) -> Option<&'static str> {
    let offset = memchr::memrchr(b'\n', text).filter(|&offset| offset > 0)?;
    Some(newline_at(text, offset))
}

/// Returns the blanks between a JSON value and the next.
fn json_separator(after: &[u8]) -> Option<&str> {
    let next_value = after.trim_ascii_start();
    if next_value.is_empty() {
        None
    } else {
        std::str::from_utf8(&after[..after.len() - next_value.len()]).ok()
    }
}

pub fn first_line(text: &[u8]) -> &[u8] {
    &text[..memchr::memchr(b'\n', text).map_or(text.len(), |at| at + 1)]
}

pub fn last_line(text: &[u8]) -> &[u8] {
    let body = text.strip_suffix(b"\n").unwrap_or(text);
    let line = &text[memchr::memrchr(b'\n', body).map_or(0, |at| at + 1)..];
    line.strip_prefix(BOM).unwrap_or(line)
}

/// Whether the line is `---`, alone or before a comment.
pub fn is_separator(line: &[u8]) -> bool {
    let after_dashes = line.strip_prefix(b"---").map(<[u8]>::trim_ascii);
    after_dashes
        .is_some_and(|after_dashes| after_dashes.is_empty() || after_dashes.starts_with(b"#"))
}

fn ends_with_blank_line(text: &[u8]) -> bool {
    last_line(text).trim_ascii().is_empty()
}

/// Whether the last separator of this text follows a blank line.
fn has_blank_before_separator(text: &[u8]) -> bool {
    let head = memchr::memmem::rfind(text, b"\n---").map(|at| &text[..at + 1]);
    head.is_some_and(ends_with_blank_line)
}

/// Whether the text contains only blank lines and separators.
pub fn has_no_blob(text: &[u8]) -> bool {
    let text = text.strip_prefix(BOM).unwrap_or(text);
    text.split(|&byte| byte == b'\n')
        .all(|line| matches!(line.trim_ascii(), b"" | b"---" | b"..."))
}

#[cfg(test)]
mod tests;
