//! The interface between scanner and parser: tokens, marks and failures.

use super::input::ReaderError;
use crate::error::SyntaxError;
use crate::tree::NodeKind;

/// A position in the text. Lines and columns count from 0; columns count characters.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mark {
    pub at: u32,
    pub line: u32,
    pub column: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    StreamEnd,
    VersionDirective { major: u8, minor: u8 },
    TagDirective,
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias,
    Anchor,
    Tag,
    Scalar(NodeKind),
}

#[derive(Debug, Clone, Copy)]
pub struct Token {
    pub kind: TokenKind,
    pub start: u32,
    pub end: u32,
    /// Line of `start`.
    pub line: u32,
}

/// Why scanning or parsing failed. Boxed to keep [`Outcome`] small.
#[derive(Debug)]
pub struct Failure(Box<SyntaxError>);

pub type Outcome<T> = Result<T, Failure>;

impl Failure {
    /// Creates a scanner error. Go reports the problem's line counted from 1; if it is the first
    /// line, the context's line counted from 0.
    pub fn scanner(
        context_line: u32,
        problem_at: u32,
        problem_line: u32,
        problem: impl Into<String>,
    ) -> Self {
        let line = if problem_line != 0 {
            problem_line + 1
        } else {
            context_line
        };
        Self::new(SyntaxError::yaml(problem_at as usize, line, problem))
    }

    /// Creates a parser error. Go reports the problem's line counted from 0; if it is the first
    /// line, the context's line. Line 0 is omitted.
    pub fn parser(
        context_line: u32,
        problem_at: u32,
        problem_line: u32,
        problem: impl Into<String>,
    ) -> Self {
        let line = if problem_line != 0 {
            problem_line
        } else {
            context_line
        };
        Self::new(SyntaxError::yaml(problem_at as usize, line, problem))
    }

    pub fn reader(error: ReaderError) -> Self {
        Self::new(SyntaxError::yaml(error.at, 0, error.problem))
    }

    pub fn new(error: SyntaxError) -> Self {
        Self(Box::new(error))
    }

    pub fn into_error(self) -> SyntaxError {
        *self.0
    }
}
