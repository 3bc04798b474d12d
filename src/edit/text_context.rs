//! Captures the surroundings of a text position, to find it again after the text changed.
//!
//! The replaced text alone does not identify a position: an insertion replaces none, and many
//! entries contain the same lines. So an applied text change stores the surrounding lines, and the
//! blob and path that contain it ([`TextAnchor`]). In the same text its position is unchanged. In
//! another text it is the single position with the same surrounding lines in the same blob and
//! path; if there is none, or more than one, the change is refused.

use catalog::model::{Body, FileIndex};
use catalog::source::digest::Digest;
use protocol::operation::TextAnchor;
use std::ops::Range;
use syntax::tree::{Format, NodeId, Tree};

/// Minimum number of lines stored on either side.
const MIN_LINES: usize = 3;
/// Minimum if the blob and path are known, so that a change of the next entry does not matter.
const MIN_LINES_IN_BLOB: usize = 1;
/// Number of parts that identify a blob: schema, package and name. Further parts are the path
/// inside the blob.
const BLOB_PARTS: usize = 3;
/// Maximum number of lines, if other positions look the same.
const MAX_LINES: usize = 24;
/// Maximum number of bytes stored on either side.
const MAX_BYTES: usize = 2048;
/// Margin in bytes around the enclosing blobs that capturing may read.
pub const MARGIN: usize = MAX_BYTES + 8;
/// Maximum number of positions with equal lines that are distinguished by blob and path.
const MAX_MATCHES: usize = 64;

/// Why a position cannot be found again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelocationError {
    /// No position has the same surrounding lines.
    Changed,
    /// Number of indistinguishable matches.
    Several(usize),
}

/// Captures the surroundings of `place` in `text`, or in a part of a text with [`MARGIN`] around
/// the blobs that contain `place`: equal lines in other blobs do not matter. `within` is its
/// [`path_to`], `digest` that of the whole text.
pub fn capture(
    text: &[u8],
    place: &Range<usize>,
    within: Vec<String>,
    digest: Digest,
) -> TextAnchor {
    let mut lines = if within.len() > BLOB_PARTS {
        MIN_LINES_IN_BLOB
    } else {
        MIN_LINES
    };
    loop {
        let (above, below) = (
            lines_before(text, place.start, lines),
            lines_after(text, place.end, lines),
        );
        let is_whole_text = above.start == 0 && below.end == text.len();
        let needle = &text[above.start..below.end];
        if lines >= MAX_LINES
            || is_whole_text
            || memchr::memmem::find_iter(text, needle).nth(1).is_none()
        {
            // Stop before bytes that are not UTF-8: they cannot be stored as text.
            let (above, below) = (last_text(&text[above]), first_text(&text[below]));
            return TextAnchor {
                above,
                below,
                digest: digest.to_string(),
                within,
            };
        }
        lines *= 2;
    }
}

/// Finds the position of a change of `before` with the surroundings `around`. `place` is the old
/// position, if the text has it; `index` has the facts of the text.
pub fn relocate(
    around: &TextAnchor,
    before: &str,
    text: &[u8],
    index: Option<&FileIndex>,
    place: Option<Range<usize>>,
) -> Result<Range<usize>, RelocationError> {
    let place = place.filter(|place| text.get(place.clone()) == Some(before.as_bytes()));
    if !around.digest.is_empty() && around.digest == Digest::from_bytes(text).to_string() {
        return place.ok_or(RelocationError::Changed);
    }
    // The user saw these lines at this position when typing; the rest of the text does not matter.
    if let Some(place) =
        place.filter(|place| around.digest.is_empty() && has_context(around, text, place))
    {
        return Ok(place);
    }
    let needle = [
        around.above.as_bytes(),
        before.as_bytes(),
        around.below.as_bytes(),
    ]
    .concat();
    if needle.is_empty() {
        return Err(RelocationError::Changed);
    }
    let mut places: Vec<Range<usize>> = Vec::new();
    let mut from = 0;
    for part in parts_of_blob(around, before.len(), text.len(), index) {
        from = from.max(part.start);
        // Matches may overlap.
        while let Some(at) = text
            .get(from..part.end)
            .and_then(|rest| memchr::memmem::find(rest, &needle))
        {
            let start = from + at + around.above.len();
            let place = start..start + before.len();
            if has_context(around, text, &place) {
                places.push(place);
            }
            if places.len() > MAX_MATCHES {
                return Err(RelocationError::Several(places.len()));
            }
            from += at + 1;
        }
    }
    if !around.within.is_empty() {
        places.retain(|place| path_to(text, 0, index, place) == around.within);
    }
    match places.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(RelocationError::Changed),
        several => Err(RelocationError::Several(several.len())),
    }
}

/// Whether a position has these surrounding lines. A part of a text is enough if it has four more
/// bytes before the lines.
pub fn has_context(around: &TextAnchor, text: &[u8], place: &Range<usize>) -> bool {
    let above = text
        .get(..place.start)
        .is_some_and(|above| above.ends_with(around.above.as_bytes()));
    let below = text
        .get(place.end..)
        .is_some_and(|below| below.starts_with(around.below.as_bytes()));
    above && below && starts_on_line(around, text, place.start - around.above.len())
}

/// Returns the parts of a text, ascending, that may contain the position: blobs with the stored
/// name, or the whole text if none is stored.
fn parts_of_blob(
    around: &TextAnchor,
    replaced: usize,
    len: usize,
    index: Option<&FileIndex>,
) -> Vec<Range<usize>> {
    let (Some(index), Some(name)) = (index, around.within.get(..BLOB_PARTS)) else {
        return std::iter::once(0..len).collect();
    };
    let blobs = &index.blobs;
    let parts = blobs
        .iter()
        .enumerate()
        .filter(|(_, blob)| blob_name(&blob.body).is_some_and(|own| own == name))
        .map(|(at, _)| {
            let before = at
                .checked_sub(1)
                .and_then(|before| blobs.get(before))
                .map_or(0, |before| before.end as usize);
            let next = blobs.get(at + 1).map_or(len, |next| next.start as usize);
            before.saturating_sub(around.above.len())
                ..(next + replaced + around.below.len()).min(len)
        });
    parts.collect()
}

/// Returns the schema, package and name of the blob that contains a position, then the keys and
/// item names on the path to the text before the position. Empty outside of readable blobs. The
/// text starts at offset `start` of the file; `place` is relative to the text.
pub fn path_to(
    text: &[u8],
    start: usize,
    index: Option<&FileIndex>,
    place: &Range<usize>,
) -> Vec<String> {
    let blobs = index.map_or(&[][..], |index| &index.blobs);
    let find_blob = |at: usize| {
        let offset = start + at;
        let index = blobs
            .partition_point(|blob| blob.start as usize <= offset)
            .checked_sub(1)?;
        blobs.get(index).filter(|blob| offset < blob.end as usize)
    };
    let last = text
        .get(..place.start)
        .and_then(|text| text.iter().rposition(is_visible));
    let next = text
        .get(place.end..)
        .and_then(|text| text.iter().position(is_visible))
        .map(|at| place.end + at);
    let Some((at, blob)) = [last, next]
        .into_iter()
        .flatten()
        .find_map(|at| Some((at, find_blob(at)?)))
    else {
        return Vec::new();
    };
    let Some(mut names) = blob_name(&blob.body) else {
        return Vec::new();
    };
    let document = (blob.start as usize)
        .checked_sub(start)
        .zip((blob.end as usize).checked_sub(start));
    if let Some(document) = document.and_then(|(first, last)| text.get(first..last)) {
        names.extend(path_in_blob(
            document,
            blob.format,
            start + at - blob.start as usize,
        ));
    }
    names
}

fn is_visible(byte: &u8) -> bool {
    !byte.is_ascii_whitespace()
}

fn blob_name(body: &Body) -> Option<Vec<String>> {
    let (schema, package, name) = match body {
        Body::Package(b) => ("olm.package", "", &*b.name.value),
        Body::Channel(b) => ("olm.channel", &*b.package.value, &*b.name.value),
        Body::Bundle(b) => ("olm.bundle", &*b.package.value, &*b.name.value),
        Body::Deprecations(b) => ("olm.deprecations", &*b.package.value, ""),
        Body::Other(b) => (&*b.schema.value, &*b.package.value, &*b.name.value),
        Body::Unreadable => return None,
    };
    Some([schema, package, name].map(str::to_owned).to_vec())
}

/// Returns the keys and item names on the path from a document's root to byte `at`.
fn path_in_blob(document: &[u8], format: Format, at: usize) -> Vec<String> {
    let Ok(tree) = syntax::parse(document, format) else {
        return Vec::new();
    };
    let mut path = Vec::new();
    let mut node = tree.root();
    while let Some(collection) = node.take() {
        let kind = tree.kind(collection);
        if kind.is_mapping() {
            let Some((key, value)) = tree
                .pairs(collection)
                .take_while(|(key, _)| tree.range(*key).start <= at)
                .last()
            else {
                break;
            };
            path.push(source_text(&tree, document, key));
            node =
                (tree.range(value).start <= at && !tree.range(value).is_empty()).then_some(value);
        } else if kind.is_sequence() {
            let begins =
                |item: &NodeId| tree.dash(*item).unwrap_or_else(|| tree.range(*item).start) <= at;
            node = tree.children(collection).take_while(begins).last();
            path.extend(node.and_then(|item| item_name(&tree, document, item)));
        }
    }
    path
}

/// Returns the distinguishing name of a list item.
fn item_name(tree: &Tree, document: &[u8], item: NodeId) -> Option<String> {
    let name = ["name", "type", "image", "version"]
        .into_iter()
        .find_map(|field| {
            let mut pairs = tree.pairs(item);
            pairs
                .find(|(key, _)| unquote(&source_text(tree, document, *key)) == field)
                .map(|(_, value)| value)
        })?;
    tree.kind(name)
        .is_scalar()
        .then(|| source_text(tree, document, name))
}

fn unquote(text: &str) -> &str {
    text.trim_matches(['"', '\''])
}

fn source_text(tree: &Tree, document: &[u8], node: NodeId) -> String {
    String::from_utf8_lossy(document.get(tree.range(node)).unwrap_or_default()).into_owned()
}

/// Returns the range of the line's part before `at`, and `lines` lines before it, within
/// [`MAX_BYTES`].
fn lines_before(text: &[u8], at: usize, lines: usize) -> Range<usize> {
    let earliest = at.saturating_sub(MAX_BYTES);
    let mut line_starts =
        memchr::memrchr_iter(b'\n', &text[earliest..at]).map(|newline| earliest + newline + 1);
    let mut start = match (line_starts.next(), earliest) {
        (Some(start), _) => start,
        (None, 0) => 0,
        (None, earliest) => return char_boundary(text, earliest)..at,
    };
    for _ in 0..lines {
        start = match (line_starts.next(), earliest) {
            (Some(start), _) => start,
            (None, 0) => 0,
            (None, _) => break,
        };
    }
    start..at
}

/// Returns the range of the line's part after `at`, and `lines` lines after it, within
/// [`MAX_BYTES`].
fn lines_after(text: &[u8], at: usize, lines: usize) -> Range<usize> {
    let latest = at.saturating_add(MAX_BYTES).min(text.len());
    // At the start of a line, that line counts as the first one after.
    let is_at_start = at == 0 || text.get(at - 1) == Some(&b'\n');
    let max_ends = if is_at_start { lines } else { lines + 1 };
    let line_ends = memchr::memchr_iter(b'\n', &text[at..latest]).map(|newline| at + newline + 1);
    let end = match line_ends.take(max_ends).enumerate().last() {
        Some((index, end)) if index + 1 == max_ends => end,
        _ if latest == text.len() => latest,
        Some((_, end)) => end,
        None => char_boundary(text, latest),
    };
    at..end
}

/// Returns the next character boundary at or after `at`.
fn char_boundary(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(|byte| byte & 0xC0 == 0x80) {
        at += 1;
    }
    at
}

/// Whether the text before `start` ends a line, which is required if several lines above are
/// stored.
fn starts_on_line(around: &TextAnchor, text: &[u8], start: usize) -> bool {
    let above = text.get(..start).unwrap_or_default();
    !around.above.contains('\n')
        || above.is_empty()
        || above.ends_with(b"\n")
        || above == "\u{feff}".as_bytes()
}

fn first_text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(error) => String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned(),
    }
}

fn last_text(bytes: &[u8]) -> String {
    let mut remaining = bytes;
    while let Err(error) = std::str::from_utf8(remaining) {
        remaining = &remaining
            [(error.valid_up_to() + error.error_len().unwrap_or(1)).min(remaining.len())..];
    }
    String::from_utf8_lossy(remaining).into_owned()
}

#[cfg(test)]
#[path = "text_context_tests.rs"]
mod tests;
