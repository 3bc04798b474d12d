//! Why a change was refused. A refusal is an answer, not a failure: nothing was written.

use crate::place::Place;

/// The class of a refusal, for statistics and suggestions (*edit as text*).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RefusalKind {
    /// The blob is not valid YAML or JSON.
    Unreadable,
    /// The path leads to nothing, or to a value of another shape.
    NotThere,
    /// A key to be added exists already.
    AlreadyThere,
    /// The change would affect what an alias refers to, or replace an alias.
    Alias,
    /// The value has an anchor or tag.
    AnchorOrTag,
    /// A mapping along the path merges keys from elsewhere (`<<`).
    MergeKey,
    /// A key on the path is duplicated (ignoring case: Go folds field names).
    DuplicateKey,
    /// A syntax that we do not edit (complex keys with `?`, comments inside one-line brackets, …).
    Spelling,
    /// The text cannot be written so that all readers agree.
    Unwritable,
    /// The changed text did not parse as intended. A bug; includes a report.
    Mismatch,
}

/// A change that was refused, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct PatchRefusal {
    pub kind: RefusalKind,
    /// The reason without the position.
    pub reason: String,
    /// The alternative; may be empty.
    pub help: String,
    /// Relative to the blob's text.
    pub place: Place,
}
