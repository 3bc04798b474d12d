//! The laws: properties of any input, each specified a second time, naively. The fuzz targets
//! (`fuzz/`), proptest on stable and the seeded runs of `tests/it` all call them.
//!
//! A law is a function of bytes that panics if it is broken. The bytes are decisions of a generator
//! ([`choices`]) of mostly realistic catalogs, edits and ranges, and occasionally of arbitrary
//! bytes.

#![allow(
    clippy::unwrap_used,
    reason = "a law reports that it is broken by a panic"
)]

pub mod catalog;
mod channels;
pub mod choices;
mod content;
pub mod edits;
pub mod index_ignore;
pub mod json;
pub mod load;
pub mod naive;
pub mod operations;
pub mod passing;
pub mod ranges;
pub mod second_opinion;
pub mod subset;
mod withdraw_and_remove;
pub mod write;
pub mod yaml;

/// Accepts any bytes; panics if the law is broken.
pub type Law = fn(&[u8]);

/// All laws by the name of their fuzz target.
pub const LAWS: &[(&str, Law)] = &[
    ("edits", edits::hold),
    ("indexignore", index_ignore::hold),
    ("json", json::hold),
    ("load", load::hold),
    ("operations", operations::hold),
    ("passing", passing::hold),
    ("ranges", ranges::hold),
    ("subset", subset::assert_laws),
    ("yaml", yaml::hold),
];
