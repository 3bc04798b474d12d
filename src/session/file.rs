//! A file: the host's version, and versions created by edits.

use super::Refused;
use catalog::Content;
use catalog::index::too_long;
use catalog::model::{FileId, FileIndex};
use catalog::source::piece::PieceTable;
use catalog::source::text_edit::{TextEdit, TextEdits};
use std::sync::Arc;

/// A version of a file. Cheap to clone: inserted text and facts are shared.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Version {
    /// The file whose original bytes the pieces refer to.
    pub(super) original: FileId,
    pub(super) pieces: PieceTable,
    pub(super) content: Content,
}

/// A file of the session. `None`: it does not exist in that state.
#[derive(Debug, Clone)]
pub(super) struct FileState {
    pub(super) path: String,
    /// The facts at opening, which represent the published state; saving does not change them.
    pub(super) opened: Option<Arc<FileIndex>>,
    /// The host's version: as opened or last saved.
    pub(super) saved: Option<Version>,
    pub(super) current: Option<Version>,
}

impl Version {
    pub(super) fn new(original: FileId, content: Content) -> Self {
        let content = match content {
            Content::Indexed(index) => {
                too_long(index.size).map_or(Content::Indexed(index), Content::Unreadable)
            }
            content => content,
        };
        let len = match &content {
            Content::Indexed(index) => index.size,
            Content::Ignore(bytes) => bytes.len() as u64,
            Content::Unread
            | Content::LinkToDirectory
            | Content::BrokenLink
            | Content::Unreadable(_) => 0,
        };
        Self {
            original,
            pieces: PieceTable::new(len),
            content,
        }
    }

    /// Returns the version after these edits. Its content is still the old one.
    pub(super) fn edited(&self, edits: &TextEdits) -> Result<Self, Refused> {
        let mut version = self.clone();
        version
            .pieces
            .apply(edits)
            .map_err(|error| Refused::new(error.to_string()))?;
        Ok(version)
    }

    /// Creates a version that contains only this text.
    pub(super) fn with_text(original: FileId, text: Vec<u8>, content: Content) -> Self {
        let edits = TextEdits::new(vec![TextEdit::insert(0, text)]).unwrap_or_default();
        let mut version = Self::empty(original);
        // Inserting into an empty text is always in range.
        let _ = version.pieces.apply(&edits);
        version.content = content;
        version
    }

    pub(super) fn empty(original: FileId) -> Self {
        Self::new(original, Content::Indexed(Arc::new(FileIndex::default())))
    }

    pub(super) fn index(&self) -> Option<&Arc<FileIndex>> {
        match &self.content {
            Content::Indexed(index) => Some(index),
            _ => None,
        }
    }

    /// Whether both have the same text, judged by their pieces.
    pub(super) fn same_text(&self, other: &Self) -> bool {
        self.original == other.original && self.pieces == other.pieces
    }
}

impl FileState {
    /// Creates the state of a file that does not exist yet.
    pub(super) fn new(path: String) -> Self {
        Self {
            path,
            opened: None,
            saved: None,
            current: None,
        }
    }

    pub(super) fn is_as_opened(&self) -> bool {
        let current = self.current.as_ref().and_then(Version::index);
        let opened = self.opened.as_ref().zip(current);
        opened.is_some_and(|(opened, current)| Arc::ptr_eq(opened, current))
    }

    pub(super) fn is_changed(&self) -> bool {
        match (&self.saved, &self.current) {
            (Some(saved), Some(current)) => !saved.same_text(current),
            (saved, current) => saved.is_some() != current.is_some(),
        }
    }
}
