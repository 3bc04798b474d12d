//! How entries differ from those of another catalog, as the graph marks them. Plain data.

use std::collections::HashMap;

/// How an entry compares with another catalog's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    Added,
    Changed,
    /// The other catalog has it, this one does not.
    Removed,
    /// The other catalog has it, in other channels only, and this one there no more.
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

/// Entries that differ from another catalog, by channel and name, with a description of the difference.
pub type Changes = HashMap<(String, String), (ChangeKind, String)>;
