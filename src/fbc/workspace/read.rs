//! Text that is looked at: the lines of a file, the text of a blob.

use super::export::{line_marks, no_file, unreadable};
use super::file::Version;
use super::{Refused, Root, Workspace, template};
use crate::fbc::diff::LineKind;
use crate::fbc::model::FileId;

/// Lines of a file as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lines {
    /// Number of the first line here, from 1.
    pub first: u32,
    /// Without their line breaks; bytes that are no UTF-8 are shown as U+FFFD.
    pub lines: Vec<String>,
    pub total: u32,
    /// Numbers of the lines here that differ from what the host has.
    pub changed: Vec<u32>,
}

/// The text of a blob.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BlobText {
    pub bytes: Vec<u8>,
    /// Line in the file, from 1.
    pub line: u32,
    /// Where these bytes are a template's: the blob's position in its `entries`.
    pub item: Option<usize>,
}

impl Workspace {
    /// `count` lines from line `first` (from 1) of a file, by its path in the workspace. Only what is asked for is read,
    /// and what lies between it and the blob before it.
    pub fn lines(&self, path: &str, first: u32, count: u32) -> Result<Lines, Refused> {
        let (_, now) = self.states(path)?;
        let version = now.ok_or_else(|| no_file(path))?;
        let first = first.max(1);
        let marks = line_marks(version);
        let total = self.total_lines(version, &marks)?;
        let known = marks.iter().rev().find(|(_, line)| *line < first).copied().unwrap_or_default();
        // A mark may stand inside its line (JSON objects that share one); lines begin at line starts.
        let read_error = |e| unreadable(&e);
        let (mut at, mut line) = match known {
            (0, _) => (0, 0),
            (offset, line) => {
                (version.pieces.line_start(version.original, offset, &self.source).map_err(read_error)?, line)
            }
        };
        let len = version.pieces.len();
        let mut lines = Vec::new();
        let mut left = Vec::new();
        let last = u64::from(first) + u64::from(count);
        while u64::from(line) + 1 < last && (at < len || !left.is_empty()) {
            let end = (at + 64 * 1024).min(len);
            left.extend(version.pieces.read(version.original, at..end, &self.source).map_err(read_error)?);
            at = end;
            let mut begin = 0;
            while u64::from(line) + 1 < last {
                let Some(length) = left.get(begin..).and_then(|rest| memchr::memchr(b'\n', rest)) else { break };
                push_line(&mut lines, line + 1 >= first, left.get(begin..begin + length));
                begin += length + 1;
                line += 1;
            }
            left.drain(..begin.min(left.len()));
            if at >= len {
                if u64::from(line) + 1 < last && !left.is_empty() {
                    push_line(&mut lines, line + 1 >= first, Some(&left));
                }
                break;
            }
        }
        let here = first..first.saturating_add(lines.len() as u32);
        let changed = if self.files.get(&self.by_path[path]).is_some_and(|f| f.is_changed()) {
            let hunks = self.review_file(path)?.hunks;
            let added = hunks.iter().flat_map(|h| &h.lines).filter(|l| l.kind == LineKind::Added);
            added.filter_map(|l| l.new).filter(|n| here.contains(n)).collect()
        } else {
            Vec::new()
        };
        Ok(Lines { first, lines, total, changed })
    }

    /// The text of a blob of a root, as [`crate::fbc::model::Located`] names it; of a template's blob that of the
    /// template.
    pub fn blob_text(&self, root: &Root, file: FileId, index: u32) -> Result<BlobText, Refused> {
        let gone = || Refused::new("this blob is no longer there");
        let version = self.version(file).ok_or_else(gone)?;
        let (index, item) = match root.is_template() {
            true => (0, Some(template::item(self, root, file, index).ok_or_else(gone)?)),
            false => (index, None),
        };
        let blob = version.index().and_then(|i| i.blobs.get(index as usize)).ok_or_else(gone)?;
        let bytes =
            version.pieces.read(version.original, blob.start..blob.end, &self.source).map_err(|e| unreadable(&e))?;
        Ok(BlobText { bytes, line: blob.line + 1, item })
    }

    fn total_lines(&self, version: &Version, marks: &[(u64, u32)]) -> Result<u32, Refused> {
        let (offset, line) = marks.last().copied().unwrap_or_default();
        let len = version.pieces.len();
        let tail = version.pieces.read(version.original, offset..len, &self.source).map_err(|e| unreadable(&e))?;
        let breaks = memchr::memchr_iter(b'\n', &tail).count() as u32;
        let unfinished = tail.last().map_or(u32::from(offset > 0), |&b| u32::from(b != b'\n'));
        Ok(line + breaks + unfinished)
    }
}

fn push_line(lines: &mut Vec<String>, wanted: bool, text: Option<&[u8]>) {
    if wanted {
        let text = text.unwrap_or_default();
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        lines.push(String::from_utf8_lossy(text).into_owned());
    }
}
