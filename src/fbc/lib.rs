//! The library: file-based catalogs as text, model and graph, and edits between them.
//!
//! Pure: no files, clock, randomness, threads, logging or web crates, and it never panics on input.
//! Bytes come in through [`source::bytes::ByteSource`] or are fed to the indexer; text edits come
//! out.
//!
//! Reading order: [`place`] and [`source`] (positions), [`syntax`] (bytes to span trees), [`model`]
//! (facts), [`validate`], [`graph`], [`upgrade`] (questions about the facts), [`edit`] (changes),
//! `workspace` (owns it all).

pub mod archive;
pub mod bundle;
pub mod catalog;
pub mod compare;
pub mod consequences;
pub mod crd;
pub mod did_you_mean;
pub mod diff;
pub mod dockerfile;
pub mod edit;
pub mod go_text;
pub mod graph;
pub mod hashed;
pub mod ignore;
pub mod index;
pub mod manifests;
pub mod model;
pub mod order;
pub mod place;
pub mod repository;
pub mod roots;
pub mod search;
pub mod source;
pub mod syntax;
pub mod template;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod upgrade;
pub mod validate;
pub mod version;
pub mod workspace;
pub mod xml;
