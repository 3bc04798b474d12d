//! How entries differ from those of another catalog, as the graph marks them. Plain data.

use std::collections::HashMap;

/// How an entry stands against another catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Added,
    Changed,
    /// The other catalog has it, this one does not.
    Removed,
    /// The other catalog has it, in other channels only, and this one there no more.
    Moved,
}

impl Change {
    pub const ALL: [Change; 4] = [Change::Added, Change::Moved, Change::Changed, Change::Removed];

    pub fn words(self) -> &'static str {
        match self {
            Change::Added => "added",
            Change::Changed => "changed",
            Change::Removed => "removed",
            Change::Moved => "moved",
        }
    }

    pub fn glyph(self) -> &'static str {
        match self {
            Change::Added => "+",
            Change::Changed => "Δ",
            Change::Removed => "−",
            Change::Moved => "→",
        }
    }
}

/// Entries that differ from another catalog, by channel and name, with what differs in words.
pub type Changes = HashMap<(String, String), (Change, String)>;
