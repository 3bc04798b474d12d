//! Parses YAML 1.1 into a span tree. Accepts exactly the texts that Go's yaml.v2 accepts, with the
//! same structure, and refuses all others with its messages.
//!
//! It does not interpret scalars, and takes linear time and constant stack for any text.

mod build;
pub(crate) mod chars;
mod fast_path;
mod input;
mod parser;
mod scan_properties;
mod scan_scalars;
mod scanner;
mod token;

#[cfg(test)]
mod tests;

use super::error::SyntaxError;
use super::tree::Tree;
use build::Builder;
pub(crate) use input::from_utf16;
use input::{Input, ReaderError};
use parser::Parser;
use scanner::Scanner;
use std::borrow::Cow;

/// Whether the fast path is tried first. A build with `SWITCHYARD_FULL_READER` uses only the
/// parser, so that all tests can run without the fast path; its own tests compare the two in any
/// build.
const FAST_PATH_FIRST: bool = option_env!("SWITCHYARD_FULL_READER").is_none();

/// Parses the first document of a chunk.
///
/// Text after it (after `...`, or after a flow collection at the root) is ignored, as in `opm`. A
/// missing final line break is assumed and `\r\n` counts as `\n`, because the reader that passes
/// chunks to `opm` adds the former and normalizes the latter.
pub fn parse(text: &[u8]) -> Result<Tree, SyntaxError> {
    parse_input(&input::prepare_lines(text), text.len())
}

/// Parses a text that `opm` reads without splitting it into chunks, so no final line break is
/// added.
pub fn parse_whole(text: &[u8]) -> Result<Tree, SyntaxError> {
    parse_input(&input::prepare(text), text.len())
}

/// Parses a chunk that begins with a separator line of `skip` bytes. Messages count lines from the
/// separator, but positions in the tree and in errors are relative to the text after it.
pub(crate) fn parse_after(chunk: &[u8], skip: usize) -> Result<Tree, SyntaxError> {
    let skip = skip as u32;
    match parse(chunk) {
        Ok(mut tree) => {
            tree.rebase(skip);
            Ok(tree)
        }
        Err(error) => Err(SyntaxError {
            at: error.at.saturating_sub(skip),
            ..error
        }),
    }
}

/// Parses text that was decoded from UTF-16. `problem` is the decoding error after it, if any.
pub(crate) fn parse_decoded(
    text: &[u8],
    problem: Option<&'static str>,
) -> Result<Tree, SyntaxError> {
    let mut input = input::prepare(text);
    if let Some(problem) = problem
        && input.limit.is_none()
    {
        input.text = Cow::Borrowed(text);
        input.limit = Some(ReaderError {
            at: text.len(),
            problem,
        });
    }
    parse_input(&input, text.len())
}

fn parse_input(input: &Input<'_>, len: usize) -> Result<Tree, SyntaxError> {
    if FAST_PATH_FIRST && let Some(tree) = fast_path::parse(input, len) {
        return Ok(tree);
    }
    parse_fully(input, len)
}

fn parse_fully(input: &Input<'_>, len: usize) -> Result<Tree, SyntaxError> {
    let scanner = Scanner::new(input);
    let builder = Builder::new(&input.text, len);
    match Parser::new(scanner, builder).document() {
        Ok((builder, scanner)) => Ok(builder.finish(scanner.comments, &scanner.block_indents)),
        Err(failure) => {
            let mut error = failure.into_error();
            error.at = error.at.min(len as u32);
            if let Some(marker) = find_conflict_marker(&input.text, error.at as usize) {
                error.problem = format!("{marker}: {}", error.problem);
            }
            Err(error)
        }
    }
}

/// Names the merge conflict marker that begins the line of a position, or a line next to it.
fn find_conflict_marker(text: &[u8], at: usize) -> Option<String> {
    let line_start = |end: usize| memchr::memrchr(b'\n', &text[..end]).map_or(0, |at| at + 1);
    let this = line_start(at.min(text.len()));
    let above = this.checked_sub(1).map(line_start);
    let below = memchr::memchr(b'\n', &text[this..]).map(|end| this + end + 1);
    // Prose underlines its headings with equals signs.
    let is_conflict = || memchr::memmem::find(text, b">>>>>>>").is_some();
    let places = [
        (above, " on the line above"),
        (Some(this), ""),
        (below, " on the line below"),
    ];
    places.into_iter().find_map(|(start, place)| {
        let line = &text[start?..];
        let mut markers = ["<<<<<<<", "=======", ">>>>>>>"].into_iter();
        let marker = markers.find(|marker| line.starts_with(marker.as_bytes()))?;
        (marker != "=======" || is_conflict())
            .then(|| format!("merge conflict marker `{marker}`{place}"))
    })
}
