//! Cuts a stream of bytes into documents as `opm` does: JSON values one after the other, or YAML
//! chunks between lines that begin with `---`. A file may switch from JSON to YAML after its first
//! object.
//!
//! Only the current document is kept. Every byte belongs to one document, or to none (separators,
//! blanks).

mod chunk;
mod probe;
mod reader;
mod skim;

#[cfg(test)]
mod tests;

use super::error::SyntaxError;
use super::tree::{Format, Tree};
pub(crate) use probe::begins_json;
pub use reader::Reader;

/// One document of a file.
#[derive(Debug)]
pub struct Document<'a> {
    /// First byte in the file: after the `---` line for YAML, of the value for JSON.
    pub start: u64,
    pub end: u64,
    /// Line of `start` in the file, from 0.
    pub line: u32,
    /// Characters between the beginning of that line and `start`.
    pub column: u32,
    pub format: Format,
    /// The document's bytes, `start..end` of the file. Where the file is UTF-16, its UTF-8 form instead.
    pub text: &'a [u8],
    /// `text` is not what the file has: places are places in it, and the document cannot be edited.
    pub transcoded: bool,
    /// The tree, with everything checked that [`super::value::check`] checks; or why `opm` refuses the document.
    pub parsed: Result<Tree, SyntaxError>,
}

/// Receives documents in file order.
pub trait Sink {
    /// Would `opm`'s blob rules accept this document (rules of `opm-semantics` 1.5)? Only called for JSON and for its
    /// replacement: a JSON value among the first two that is refused is read again as YAML.
    fn accepts(&mut self, document: &Document<'_>) -> bool;

    /// The next document, for good.
    fn document(&mut self, document: Document<'_>);
}
