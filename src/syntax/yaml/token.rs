//! The interface between scanner and parser: tokens, marks and failures.

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
    /// `line` is the one that Go reports; 0 is omitted.
    pub fn new(at: usize, line: u32, problem: impl Into<String>) -> Self {
        Self(Box::new(SyntaxError::yaml(at, line, problem)))
    }

    pub fn into_error(self) -> SyntaxError {
        *self.0
    }
}
