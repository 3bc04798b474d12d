//! The worker's comparison of files that the page is about to write with their state on disk.

use super::request::ReplayStep;
use super::views::FileDiff;
use super::wire::Json;
use crate::operation::EditOp;
use serde::{Deserialize, Serialize};

/// The current state of a file on disk, by its path in the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskFile {
    pub path: String,
    /// `None` if the file does not exist; the error is why it cannot be read.
    pub bytes: Result<Option<Vec<u8>>, String>,
}

/// The result for one file, by its path in the session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiskCheck {
    pub path: String,
    pub state: DiskState,
}

/// The bytes on disk, compared with those last read or saved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum DiskState {
    /// Unchanged: the file may be written.
    AsRead,
    /// Already equal to the new content: nothing to write.
    AsHere,
    /// The file no longer exists.
    Gone,
    /// Another program changed or created it.
    Changed(Box<BothSides>),
    /// It cannot be compared.
    Unreadable { reason: String },
}

/// A changed file, by its path in the session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToBeWritten {
    pub path: String,
    /// CRC-32 of its bytes in the session.
    pub crc: u32,
    /// Free text edits from the state on disk to these bytes.
    pub ops: Json<Vec<EditOp>>,
}

/// A file that changed both in the session and on disk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BothSides {
    /// From the content last read to the content on disk now.
    pub theirs: FileDiff,
    /// From the content on disk now to the content that would overwrite it.
    pub mine: FileDiff,
    /// Number of steps that can be reapplied to the content on disk.
    pub fitting: u32,
    /// The steps that cannot be reapplied, with the reason.
    pub refused: Vec<(ReplayStep, String)>,
}
