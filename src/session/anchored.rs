//! Locates a text change: at its original position in the same text, at the matching position in
//! another text, or nowhere.

use super::file::Version;
use super::{OpenFiles, Planner, Refused};
use catalog::source::digest::Digest;
use edit::plan;
use edit::refused;
use edit::text_context::{self, MARGIN, RelocationError};
use protocol::diagnostic::Location;
use protocol::operation::{EditOp, TextAnchor};
use std::borrow::Cow;
use std::ops::Range;
use syntax::place::LineIndex;

const RELOAD_HELP: &str = "the file has changed since; reload it and make the change again";

impl Planner<'_> {
    /// Returns the text change at its current position, with its surroundings so that it can be
    /// located again later. Other operations are returned unchanged.
    ///
    /// # Errors
    ///
    /// If the position cannot be determined.
    pub(super) fn anchor<'o>(&self, op: &'o EditOp) -> Result<Cow<'o, EditOp>, Refused> {
        let EditOp::ReplaceText {
            file,
            at,
            before,
            around,
            ..
        } = op
        else {
            return Ok(Cow::Borrowed(op));
        };
        let path = self.session.path_in(op.catalog(), file)?;
        let stated = plan::parse_range(at)?;
        let files = &self.session.files;
        let states = files.states(&path).ok();
        let Some(version) = states.and_then(|(_, current)| current) else {
            let around = anchor_in_missing_file(&path, around.as_deref())?;
            return Ok(with_anchor(op, at.clone(), around));
        };
        if let Some(around) = files.anchor_unmoved(version, &stated, before, around.as_deref())? {
            return Ok(with_anchor(op, format_columns(&stated), around));
        }
        let bytes = files.text_of(version)?;
        let place = files.range_at(version, &stated)?;
        let place = place.map(|place| place.start as usize..place.end as usize);
        let index = version.index().map(|index| &**index);
        let range = match around {
            Some(around) => {
                text_context::relocate(around, before, &bytes, index, place).map_err(|error| {
                    relocation_refusal(&path, around, error).at(location(file, &stated))
                })?
            }
            None => match place {
                Some(place) if bytes.get(place.clone()) == Some(before.as_bytes()) => place,
                // Refused when applied, with its own message.
                _ => return Ok(Cow::Borrowed(op)),
            },
        };
        let within = text_context::path_to(&bytes, 0, index, &range);
        let around = text_context::capture(&bytes, &range, within, Digest::from_bytes(&bytes));
        Ok(with_anchor(op, format_range(&bytes, &range), around))
    }
}

/// Returns a text change with its current position and its surroundings.
fn with_anchor(op: &EditOp, position: String, anchor: TextAnchor) -> Cow<'_, EditOp> {
    let mut op = op.clone();
    if let EditOp::ReplaceText { at, around, .. } = &mut op {
        (*at, *around) = (position, Some(Box::new(anchor)));
    }
    Cow::Owned(op)
}

/// Returns the surroundings in a file that does not exist. The plan decides whether it can be
/// created.
fn anchor_in_missing_file(path: &str, around: Option<&TextAnchor>) -> Result<TextAnchor, Refused> {
    let no_text = Digest::from_bytes(b"").to_string();
    let had_text =
        around.is_some_and(|around| !around.digest.is_empty() && around.digest != no_text);
    if had_text {
        return Err(refused!("`{path}` no longer exists").help(RELOAD_HELP));
    }
    Ok(TextAnchor {
        digest: no_text,
        ..TextAnchor::default()
    })
}

impl OpenFiles {
    /// Returns the surroundings of a change at its stated position, without reading the whole file.
    /// `None`: the file must be read, because the position differs or is outside of blobs.
    fn anchor_unmoved(
        &self,
        version: &Version,
        stated: &plan::LineColumns,
        before: &str,
        around: Option<&TextAnchor>,
    ) -> Result<Option<TextAnchor>, Refused> {
        let Some(index) = version.index() else {
            return Ok(None);
        };
        self.pin(version)?;
        let Some(place) = self.range_at(version, stated)? else {
            return Ok(None);
        };
        if self.read(version, place.start, place.end)? != before.as_bytes() {
            return Ok(None);
        }
        let Some(digest) = self.source.digest(version) else {
            return Ok(None);
        };
        let is_here = match around {
            None => true,
            Some(around) if around.digest.is_empty() => {
                self.has_context(version, around, &place)?
            }
            Some(around) => around.digest == digest.to_string(),
        };
        if !is_here {
            return Ok(None);
        }
        // The blobs on both sides, and one more before: the preceding text may be there.
        let blobs = &index.blobs;
        let first = blobs
            .partition_point(|blob| blob.start <= place.start)
            .saturating_sub(2);
        let next = blobs.partition_point(|blob| blob.start <= place.end) + 1;
        let len = version.pieces.len();
        let from = blobs
            .get(first)
            .filter(|_| first > 0)
            .map_or(0, |blob| blob.start);
        let to = blobs.get(next).map_or(len, |blob| blob.start);
        let (from, to) = (
            from.saturating_sub(MARGIN as u64),
            (to + MARGIN as u64).min(len),
        );
        let part = self.read(version, from, to)?;
        let place = (place.start - from) as usize..(place.end - from) as usize;
        let within = text_context::path_to(&part, from as usize, Some(index), &place);
        // Outside of blobs the lines must be unique in the file.
        let is_in_blob = !within.is_empty();
        Ok(is_in_blob.then(|| text_context::capture(&part, &place, within, digest)))
    }

    fn has_context(
        &self,
        version: &Version,
        around: &TextAnchor,
        place: &Range<u64>,
    ) -> Result<bool, Refused> {
        let from = place.start.saturating_sub(around.above.len() as u64 + 4);
        let part = self.read(version, from, place.end + around.below.len() as u64)?;
        let place = (place.start - from) as usize..(place.end - from) as usize;
        Ok(text_context::has_context(around, &part, &place))
    }

    /// Anchors successive text changes of one file, each with its surroundings at that time.
    /// `saved` is the initial text; positions are in descending order, so that no change shifts
    /// another.
    pub(super) fn anchor_successively(
        &self,
        saved: Option<&Version>,
        ops: Vec<EditOp>,
    ) -> Result<Vec<EditOp>, Refused> {
        let bytes = self.text_or_empty(saved)?;
        let index = saved.and_then(Version::index).map(|index| &**index);
        let mut current = bytes.clone();
        let mut anchored = Vec::with_capacity(ops.len());
        for op in ops {
            let EditOp::ReplaceText {
                catalog,
                file,
                at,
                before,
                text,
                ..
            } = op
            else {
                continue;
            };
            let stated = plan::parse_range(&at)?;
            let place = match saved {
                Some(saved) => self.range_at(saved, &stated)?,
                None => Some(0..0),
            };
            let around = place.map(|place| {
                let place = place.start as usize..place.end as usize;
                let around = text_context::capture(
                    &current,
                    &place,
                    text_context::path_to(&bytes, 0, index, &place),
                    Digest::from_bytes(&current),
                );
                current.splice(place, text.bytes());
                Box::new(around)
            });
            anchored.push(EditOp::ReplaceText {
                catalog,
                file,
                at,
                before,
                text,
                around,
            });
        }
        Ok(anchored)
    }
}

/// Returns the location of a stated range, from 1.
pub(super) fn location(file: &str, range: &plan::LineColumns) -> Location {
    Location {
        file: file.to_owned(),
        line: range.start.0 + 1,
        column: range.start.1 + 1,
        end_line: range.end.0 + 1,
        end_column: range.end.1 + 1,
    }
}

fn relocation_refusal(path: &str, around: &TextAnchor, error: RelocationError) -> Refused {
    let within = match around.within.as_slice() {
        [schema, package, name, keys @ ..] => {
            let blob: Vec<String> = [package, name]
                .into_iter()
                .filter(|part| !part.is_empty())
                .map(|part| format!("`{part}`"))
                .collect();
            let inner_path = if keys.is_empty() {
                String::new()
            } else {
                format!(", at `{}`", keys.join(" / "))
            };
            format!(" in the {schema} {}{inner_path}", blob.join(" "))
        }
        _ => String::new(),
    };
    let reason = match error {
        RelocationError::Changed if around.digest == Digest::from_bytes(b"").to_string() => {
            format!("`{path}` is no longer empty")
        }
        RelocationError::Changed => {
            format!("the lines around this place in `{path}`{within} have changed")
        }
        RelocationError::Several(count) => {
            format!(
                "{count} places in `{path}`{within} match the edited one, so it is unclear which is meant"
            )
        }
    };
    Refused::new(reason).help(RELOAD_HELP)
}

/// Formats a byte range as `LINE:COLUMN-LINE:COLUMN`, from 1, in characters.
fn format_range(bytes: &[u8], place: &Range<usize>) -> String {
    let lines = LineIndex::new(bytes);
    let start = lines.line_column(bytes, place.start);
    format_columns(&(start..lines.line_column(bytes, place.end)))
}

fn format_columns(range: &plan::LineColumns) -> String {
    let [start, end] =
        [range.start, range.end].map(|(line, column)| format!("{}:{}", line + 1, column + 1));
    format!("{start}-{end}")
}
