//! What both dialects of ranges refuse a text with.

/// Why a text is no range, in the words of the dialect's library.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RangeError(pub String);
