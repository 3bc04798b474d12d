//! What is on disk of files that are to be written, as the worker compared it.

use super::json::Json;
use super::request::ReplayStep;
use super::views::FileDiff;
use crate::operation::EditOp;
use serde::{Deserialize, Serialize};

/// A file by its path in the workspace, as it is on disk now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskFile {
    pub path: String,
    /// `None`: it does not exist; the error: why it cannot be read.
    pub bytes: Result<Option<Vec<u8>>, String>,
}

/// One file, by its path in the workspace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiskCheck {
    pub path: String,
    pub state: DiskState,
}

/// The disk compared with what was read or saved last, byte by byte.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum DiskState {
    /// The same: the file may be written.
    AsRead,
    /// What would be written: nothing is to be done.
    AsHere,
    /// The file is not there any more.
    Gone,
    /// Somebody else changed it, or made it first.
    Changed(Box<BothSides>),
    /// It cannot be compared.
    Unreadable { reason: String },
}

/// A changed file, by its path in the workspace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToBeWritten {
    pub path: String,
    /// CRC-32 of its bytes as they are here.
    pub crc: u32,
    /// Free text edits that lead there from the state on disk.
    pub ops: Json<Vec<EditOp>>,
}

/// A file that changed here and outside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BothSides {
    /// From what was read to what is on disk now.
    pub theirs: FileDiff,
    /// From what is on disk now to what would be written over it.
    pub mine: FileDiff,
    /// How many steps could be applied again to what is on disk.
    pub fitting: u32,
    /// The steps that could not, with the reason.
    pub refused: Vec<(ReplayStep, String)>,
}
