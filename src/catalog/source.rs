//! Reads bytes of files and changes text. The host keeps a file's bytes and reads them on request.

pub mod digest;
pub mod piece;
pub mod text_edit;

use crate::model::FileId;
use std::ops::Range;

/// Why a file's bytes are not available.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The file on disk is no longer the one that was indexed (size or date differ).
    #[error("{path} changed on disk since it was opened")]
    Changed { path: String },
    #[error("{path} cannot be read: {reason}")]
    Failed { path: String, reason: String },
}

/// Reads ranges of original files: `FileReaderSync` and pinned bytes in the worker, plain reads on
/// the command line, memory in tests.
pub trait ByteSource {
    /// Reads all spans, in order. Ranges are bytes of the file as it was indexed.
    fn read(&self, spans: &[(FileId, Range<u64>)]) -> Result<Vec<Vec<u8>>, ReadError>;
}
