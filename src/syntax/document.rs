//! Cuts a stream of bytes into documents as `opm` does: JSON values one after the other, or YAML
//! chunks between lines that begin with `---`. A file may switch from JSON to YAML after its first
//! object.
//!
//! Only the current document is kept. Every byte belongs to one document, or to none (separators,
//! blanks).

mod chunk;
mod reader;

#[cfg(test)]
mod tests;

use super::error::SyntaxError;
use super::tree::{Format, Tree};
pub use chunk::begins_json;
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
    /// The document's bytes, `start..end` of the file. If the file is UTF-16, its UTF-8 form
    /// instead.
    pub text: &'a [u8],
    /// `text` differs from the file's bytes: places refer to `text`, and the document cannot be
    /// edited.
    pub transcoded: bool,
    /// The tree, with all the checks of [`super::value::check`]; or why `opm` refuses the document.
    pub parsed: Result<Tree, SyntaxError>,
}

/// Receives documents in file order.
pub trait Sink {
    /// Whether `opm`'s blob rules accept this document (`opm-semantics` 1.5). Called only for JSON
    /// and its replacement: a refused JSON value among the first two is read again as YAML.
    fn accepts(&mut self, document: &Document<'_>) -> bool;

    /// Receives the next document, which is final.
    fn document(&mut self, document: Document<'_>);
}
