//! The parse error of both range dialects.

/// Why a text is not a range, in the wording of the dialect's library.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RangeError(pub String);
