//! The kinds of edges of an upgrade graph.

/// What says an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeKind {
    Replaces,
    Skips,
    SkipRange,
}
