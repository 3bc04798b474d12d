//! The upgrade graph of a package: entries, edges and states ([`build`], [`query`]), its drawing as
//! lanes ([`layout`]) and as text ([`export`]).
//!
//! Pure functions over [`crate::model::Package`]. `validate` judges, `upgrade` decides; this module
//! does neither, and knows a file only by its number.

pub mod build;
pub(crate) mod channel_states;
pub mod coverage;
pub mod export;
pub mod layout;
pub mod names;
pub mod query;
pub mod reach;
mod with_removed;

pub(crate) mod functional_graph;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use build::{ChannelGraph, Edge, EdgeKind, Node, PackageGraph};
pub use names::{NameFacts, VersionSource};
