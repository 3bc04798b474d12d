//! Why a change was not made. A refusal is an answer, not a failure: nothing was written.

use crate::place::Place;

/// The class of a refusal, for counting and for offers (*edit as text*).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RefusalKind {
    /// The blob is not YAML or JSON, so there is nothing to find a place in.
    Unreadable,
    /// The path names nothing, or something of another shape.
    NotThere,
    /// A key to be added exists already.
    AlreadyThere,
    /// The change would also change what an alias refers to, or would replace an alias.
    Alias,
    /// The value has an anchor or tag.
    AnchorOrTag,
    /// A mapping along the path merges keys from elsewhere (`<<`).
    MergeKey,
    /// A key on the way is written more than once (case does not count: Go folds field names).
    DuplicateKey,
    /// A spelling that we do not change (complex keys with `?`, comments inside one-line brackets, …).
    Spelling,
    /// The text cannot be written in a way that all readers read the same.
    Unwritable,
    /// The changed text did not read back as intended. Never expected; carries a report.
    Mismatch,
}

/// A change that was refused, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct PatchRefusal {
    pub kind: RefusalKind,
    /// The reason in words, without the place.
    pub reason: String,
    /// The alternative; may be empty.
    pub help: String,
    /// Relative to the blob's text.
    pub place: Place,
}
