//! Bytes to blobs to span trees: YAML as the Go reader behind `opm` accepts it (yaml.v2, YAML 1.1),
//! and concatenated JSON.
//!
//! Knows no catalogs: schemas and field names belong to `catalog::model`.
//!
//! [`document::Reader`] cuts a stream of bytes into documents; [`yaml`] and [`json`] parse each to
//! a [`tree::Tree`]; [`scalar`] reads single scalars and [`value`] whole subtrees like Go.

pub mod base64;
pub mod did_you_mean;
pub mod document;
pub mod error;
pub mod go_text;
pub mod json;
pub mod order;
pub mod place;
pub mod scalar;
pub mod tree;
pub mod value;
pub mod yaml;

pub mod hashed {
    //! Hash maps and sets with a fast, deterministic hash.
    //!
    //! The standard hash protects servers from keys chosen to collide. A catalog can slow down only
    //! its own tab, and the standard hash took a sixth of the time of an edit.

    use foldhash::fast::FixedState;

    pub type HashMap<K, V> = std::collections::HashMap<K, V, FixedState>;
    pub type HashSet<T> = std::collections::HashSet<T, FixedState>;
}

#[cfg(test)]
mod corpus_tests;
#[cfg(test)]
pub mod testing;

use error::SyntaxError;
use tree::{Format, Tree};

/// Parses one document. Of a YAML text only the first document is parsed, as in `opm`.
///
/// `opm` may still fail to convert a text that parses to JSON: [`value::check`] decides that.
pub fn parse(text: &[u8], format: Format) -> Result<Tree, SyntaxError> {
    match format {
        Format::Yaml => yaml::parse(text),
        Format::Json => json::parse(text),
    }
}
