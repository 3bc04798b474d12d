//! Differences of entries from another catalog's, as marked in the graph. Plain data.

use std::collections::HashMap;

/// How an entry compares with another catalog's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    Added,
    Changed,
    /// Only the other catalog has it.
    Removed,
    /// The other catalog lists it, but in other channels.
    Moved,
}

impl ChangeKind {
    pub const ALL: [ChangeKind; 4] = [
        ChangeKind::Added,
        ChangeKind::Moved,
        ChangeKind::Changed,
        ChangeKind::Removed,
    ];

    pub fn label(self) -> &'static str {
        match self {
            ChangeKind::Added => "added",
            ChangeKind::Changed => "changed",
            ChangeKind::Removed => "removed",
            ChangeKind::Moved => "moved",
        }
    }

    pub fn glyph(self) -> &'static str {
        match self {
            ChangeKind::Added => "+",
            ChangeKind::Changed => "Δ",
            ChangeKind::Removed => "−",
            ChangeKind::Moved => "→",
        }
    }
}

/// Entries that differ from another catalog, by channel and name, with a description.
pub type Changes = HashMap<(String, String), (ChangeKind, String)>;
