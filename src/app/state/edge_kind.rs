//! The kinds of edges of an upgrade graph.

/// The field that an edge comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeKind {
    Replaces,
    Skips,
    SkipRange,
}
