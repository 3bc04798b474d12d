//! Adds and removes whole blobs, in existing and new files. Works on a part of the file around the
//! position, so that a large file need not be read.

use super::style::Style;
use super::write::{LinePosition, Writer};
use super::{Document, newline_of};
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
    /// The file starts with a `---` line.
    pub leading_separator: bool,
}

/// The UTF-8 byte order mark.
pub const BOM: &[u8] = b"\xef\xbb\xbf";

/// Adds a blob after the one that ends at `at` (or at the end of a file without blobs). The result
/// uses file offsets.
pub fn insert_blob(
    window: Window<'_>,
    at: usize,
    like: Option<Neighbor<'_>>,
    format: Format,
    value: &Value,
) -> Result<TextEdits, PatchRefusal> {
    let split = at
        .checked_sub(window.start)
        .and_then(|at| window.text.split_at_checked(at));
    let Some((before, behind)) = split else {
        return Err(refuse(
            window.text,
            RefusalKind::NotThere,
            "the position is outside the part of the file that was read",
        ));
    };
    let newline = newline_before(before)
        .or_else(|| newline_of(behind))
        .or(like.and_then(|like| newline_of(like.text)))
        .unwrap_or("\n");
    let body = body(like, format, newline, value)?;
    let alone = window.start == 0
        && before
            .strip_prefix(BOM)
            .unwrap_or(before)
            .trim_ascii()
            .is_empty();
    let text = match format {
        Format::Json if alone => format!("{body}{newline}"),
        Format::Json => format!("{}{body}", json_separator(behind).unwrap_or(newline)),
        Format::Yaml => {
            let first = first_line(behind);
            if !is_separator(first) && !behind.trim_ascii().is_empty() {
                return Err(refuse(
                    behind,
                    RefusalKind::Spelling,
                    "another document continues here",
                ));
            }
            let separated = is_separator(last_line(before))
                || alone && !like.is_some_and(|like| like.leading_separator);
            let separator = if separated {
                String::new()
            } else {
                format!("---{newline}")
            };
            let gap = if !separated && blank_before_separators(before) && !ends_blank(before) {
                newline
            } else {
                ""
            };
            if before.is_empty() || before.ends_with(b"\n") {
                format!("{gap}{separator}{body}{newline}")
            } else if alone {
                // Only a byte order mark precedes.
                format!("{separator}{body}{newline}")
            } else {
                // The file's last line has no line break, nor does the new one.
                format!("{newline}{gap}{separator}{body}")
            }
        }
    };
    Ok(one(TextEdit::insert(at, text)))
}

/// Returns the text of a file that contains one new blob.
pub fn new_file(
    like: Option<Neighbor<'_>>,
    format: Format,
    value: &Value,
) -> Result<Vec<u8>, PatchRefusal> {
    let newline = like.and_then(|like| newline_of(like.text)).unwrap_or("\n");
    let separated = format == Format::Yaml && like.is_none_or(|like| like.leading_separator);
    let separator = if separated {
        format!("---{newline}")
    } else {
        String::new()
    };
    Ok(format!(
        "{separator}{}{newline}",
        body(like, format, newline, value)?
    )
    .into_bytes())
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
        return Err(refuse(
            window.text,
            RefusalKind::NotThere,
            "the position is outside the part of the file that was read",
        ));
    };
    if start > end {
        return Err(refuse(
            window.text,
            RefusalKind::NotThere,
            "the position is not a range",
        ));
    }
    let (before, behind) = (&window.text[..start], &window.text[end..]);
    let gone = removed_run(before, behind, blob, format);
    let mut gone = gone.start.saturating_sub(window.start)..gone.end.saturating_sub(window.start);
    if window.start == 0 && window.text.starts_with(BOM) {
        gone.start = gone.start.max(BOM.len());
    }
    let whole = window.start == 0 && window.text.len() == window.file_len;
    let left = [
        &window.text[..gone.start.min(gone.end)],
        &window.text[gone.end..],
    ]
    .concat();
    if whole && holds_nothing(&left) {
        gone = 0..window.text.len();
    }
    Ok(one(TextEdit::delete(
        gone.start + window.start..gone.end + window.start,
    )))
}

/// Returns the range to remove for consecutive blobs of one format, in file offsets: `run` spans
/// from the first blob's start to the last blob's end. `before` and `behind` are the adjacent texts
/// with their separators. Includes a byte order mark at the start.
pub fn removed_run(
    before: &[u8],
    behind: &[u8],
    run: Range<usize>,
    format: Format,
) -> Range<usize> {
    let Range { start, end } = run;
    match format {
        Format::Yaml if is_separator(last_line(before)) => start - last_line(before).len()..end,
        Format::Yaml => {
            start
                ..end
                    + if is_separator(first_line(behind)) {
                        first_line(behind).len()
                    } else {
                        0
                    }
        }
        Format::Json if !behind.trim_ascii_start().is_empty() => {
            start..end + behind.len() - behind.trim_ascii_start().len()
        }
        Format::Json => start - (before.len() - before.trim_ascii_end().len())..end,
    }
}

fn one(edit: TextEdit) -> TextEdits {
    TextEdits::new(vec![edit]).unwrap_or_default()
}

/// Returns the new blob's text without a final line break, after parsing it again and comparing the
/// values.
fn body(
    like: Option<Neighbor<'_>>,
    format: Format,
    newline: &'static str,
    value: &Value,
) -> Result<String, PatchRefusal> {
    let empty = Tree::default();
    let like = like.filter(|like| like.format == format);
    let parsed = like.and_then(|like| syntax::parse(like.text, format).ok());
    let text = like
        .filter(|_| parsed.is_some())
        .map_or(&b""[..], |like| like.text);
    let document = Document {
        text,
        tree: parsed.as_ref().unwrap_or(&empty),
        format,
    };
    if value.as_object().is_none_or(serde_json::Map::is_empty)
        || !super::writable(value, super::DEEPEST)
    {
        return Err(refuse(
            text,
            RefusalKind::Unwritable,
            "a blob must be a mapping that JSON can represent",
        ));
    }
    let style = match parsed {
        Some(_) => Style::learn(document, newline),
        None => Style {
            newline,
            ..Style::as_written_by_opm(format)
        },
    };
    let writer = Writer::new(document, style);
    let models: Vec<_> = document.tree.root().into_iter().collect();
    let body = match format {
        Format::Json => writer.flow(value, &models, ""),
        Format::Yaml => {
            let written = writer.block(value, &models, Quote::Plain, LinePosition::Dash(0));
            std::iter::once(written.opener)
                .chain(written.below)
                .collect::<Vec<_>>()
                .join(newline)
        }
    };
    let reads_well = syntax::parse(body.as_bytes(), format).is_ok_and(|tree| {
        let document = Document {
            text: body.as_bytes(),
            tree: &tree,
            format,
        };
        tree.root()
            .is_some_and(|root| reads_as(document, root, value))
    });
    if reads_well {
        Ok(body)
    } else {
        Err(refuse(
            text,
            RefusalKind::Mismatch,
            "the new blob does not parse as intended",
        ))
    }
}

fn refuse(text: &[u8], kind: RefusalKind, reason: &str) -> PatchRefusal {
    Document {
        text,
        tree: &Tree::default(),
        format: Format::Yaml,
    }
    .refuse_at(0..0, kind, reason)
}

/// Returns the last line break of a text. Ignores one at the start, which may be the second half of
/// a line break.
fn newline_before(text: &[u8]) -> Option<&'static str> {
    let at = memchr::memrchr(b'\n', text).filter(|&at| at > 0)?;
    Some(if text[..at].ends_with(b"\r") {
        "\r\n"
    } else {
        "\n"
    })
}

/// Returns the blanks between a JSON value and the next.
fn json_separator(behind: &[u8]) -> Option<&str> {
    let rest = behind.trim_ascii_start();
    if rest.is_empty() {
        None
    } else {
        std::str::from_utf8(&behind[..behind.len() - rest.len()]).ok()
    }
}

/// Returns the first line, with its line break.
pub fn first_line(text: &[u8]) -> &[u8] {
    &text[..memchr::memchr(b'\n', text).map_or(text.len(), |at| at + 1)]
}

/// Returns the last line, with its line break.
pub fn last_line(text: &[u8]) -> &[u8] {
    let body = text.strip_suffix(b"\n").unwrap_or(text);
    let line = &text[memchr::memrchr(b'\n', body).map_or(0, |at| at + 1)..];
    line.strip_prefix(BOM).unwrap_or(line)
}

/// Whether the line is `---`, alone or before a comment.
pub fn is_separator(line: &[u8]) -> bool {
    let rest = line.strip_prefix(b"---").map(<[u8]>::trim_ascii);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"#"))
}

fn ends_blank(text: &[u8]) -> bool {
    last_line(text).trim_ascii().is_empty()
}

/// Whether the last separator of this text follows a blank line.
fn blank_before_separators(text: &[u8]) -> bool {
    let head = memchr::memmem::rfind(text, b"\n---").map(|at| &text[..at + 1]);
    head.is_some_and(ends_blank)
}

/// Whether the text contains only blank lines and separators.
pub fn holds_nothing(text: &[u8]) -> bool {
    let text = text.strip_prefix(BOM).unwrap_or(text);
    text.split(|&byte| byte == b'\n')
        .all(|line| matches!(line.trim_ascii(), b"" | b"---" | b"..."))
}

#[cfg(test)]
mod tests;
