//! Bytes to blobs to span trees: YAML as the Go reader behind `opm` accepts it (yaml.v2, YAML 1.1),
//! and concatenated JSON.
//!
//! Knows no catalogs: schemas and field names begin in `model`.
//!
//! [`document::Reader`] cuts a stream of bytes into documents; [`yaml`] and [`json`] parse each to a
//! [`tree::Tree`]; [`scalar`] reads single scalars and [`value`] whole subtrees like Go.
pub mod did_you_mean;
pub mod go_text;
pub mod hashed;
pub mod order;
pub mod place;
pub mod xml;

pub mod base64;
pub mod document;
pub mod error;
pub mod json;
pub mod scalar;
pub mod tree;
pub mod value;
pub mod yaml;

#[cfg(test)]
mod corpus_tests;
#[cfg(test)]
pub mod testing;

use error::SyntaxError;
use tree::{Format, Tree};

/// Parses one document. For YAML only the first document of the text counts, as in `opm`.
///
/// `opm` may still fail to convert a text that parses to JSON: [`value::check`] decides that.
pub fn parse(text: &[u8], format: Format) -> Result<Tree, SyntaxError> {
    match format {
        Format::Yaml => yaml::parse(text),
        Format::Json => json::parse(text),
    }
}
