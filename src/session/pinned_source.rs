//! The host's bytes, and original bytes kept because an edit needs them.

use super::file::Version;
use catalog::model::FileId;
use catalog::source::digest::{Digest, Prefixes};
use catalog::source::{ByteSource, ReadError};
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// Reads from pinned bytes, or else from the host. A file that changed on disk can no longer be
/// read, so the first edit of a file pins its original.
pub(super) struct PinnedSource {
    host: Rc<dyn ByteSource>,
    pinned: RefCell<BTreeMap<FileId, Pinned>>,
}

struct Pinned {
    bytes: Vec<u8>,
    /// Computed when a digest is requested.
    prefixes: OnceCell<Prefixes>,
}

impl PinnedSource {
    pub(super) fn new(host: Rc<dyn ByteSource>) -> Self {
        Self {
            host,
            pinned: RefCell::new(BTreeMap::new()),
        }
    }

    /// Keeps the whole original from now on.
    pub(super) fn pin(&self, file: FileId, len: u64) -> Result<(), ReadError> {
        if self.pinned.borrow().contains_key(&file) {
            return Ok(());
        }
        let bytes = if len == 0 {
            Vec::new()
        } else {
            let mut read = self.host.read(&[(file, 0..len)])?;
            match read.pop() {
                Some(bytes) if bytes.len() as u64 == len => bytes,
                _ => {
                    let reason = "fewer bytes were read than requested".to_owned();
                    return Err(ReadError::Failed {
                        path: format!("file {}", file.0),
                        reason,
                    });
                }
            }
        };
        self.keep(file, bytes);
        Ok(())
    }

    /// Keeps bytes that the host does not have.
    pub(super) fn keep(&self, file: FileId, bytes: Vec<u8>) {
        self.pinned.borrow_mut().insert(
            file,
            Pinned {
                bytes,
                prefixes: OnceCell::new(),
            },
        );
    }

    /// Returns the digest of a version of a pinned file; only reads what differs from the original.
    pub(super) fn digest(&self, version: &Version) -> Option<Digest> {
        let pinned = self.pinned.borrow();
        let Pinned { bytes, prefixes } = pinned.get(&version.original)?;
        let prefixes = prefixes.get_or_init(|| Prefixes::from_bytes(bytes));
        let pieces = &version.pieces;
        Some(pieces.digest(|range| prefixes.part(bytes, range_within(bytes, &range))))
    }

    /// Releases all but these.
    pub(super) fn retain(&self, needed: impl Fn(FileId) -> bool) {
        self.pinned.borrow_mut().retain(|id, _| needed(*id));
    }
}

impl ByteSource for PinnedSource {
    fn read(&self, spans: &[(FileId, Range<u64>)]) -> Result<Vec<Vec<u8>>, ReadError> {
        let pinned = self.pinned.borrow();
        let from_host: Vec<(FileId, Range<u64>)> = spans
            .iter()
            .filter(|(id, _)| !pinned.contains_key(id))
            .cloned()
            .collect();
        let mut read = if from_host.is_empty() {
            Vec::new()
        } else {
            self.host.read(&from_host)?
        }
        .into_iter();
        let answer = spans.iter().map(|(id, span)| match pinned.get(id) {
            Some(Pinned { bytes, .. }) => bytes
                .get(range_within(bytes, span))
                .unwrap_or_default()
                .to_vec(),
            None => read.next().unwrap_or_default(),
        });
        Ok(answer.collect())
    }
}

fn range_within(bytes: &[u8], range: &Range<u64>) -> Range<usize> {
    let [start, end] = [range.start, range.end].map(|offset| {
        usize::try_from(offset).map_or(bytes.len(), |offset| offset.min(bytes.len()))
    });
    start..end
}
