//! Tokens to events of the tree builder: the grammar of YAML 1.1 as a state machine with an
//! explicit stack, so that nesting needs no recursion.

use super::build::{Builder, Props};
use super::scanner::Scanner;
use super::token::{Failure, Outcome, Token, TokenKind};
use crate::tree::NodeKind;
use std::ops::Range;

/// What to parse next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    BlockNode,
    BlockNodeOrIndentlessSequence,
    FlowNode,
    BlockSequenceEntry,
    IndentlessSequenceEntry,
    BlockMappingKey,
    BlockMappingValue,
    FlowSequenceFirst,
    FlowSequenceEntry,
    FlowPairKey,
    FlowPairValue,
    FlowPairEnd,
    FlowMappingFirst,
    FlowMappingKey,
    FlowMappingValue,
    FlowMappingNoValue,
}

#[derive(Debug)]
pub struct Parser<'t> {
    scanner: Scanner<'t>,
    builder: Builder<'t>,
    /// The states to return to, innermost last.
    states: Vec<State>,
    /// Lines where the open collections began, for error messages.
    lines: Vec<u32>,
    /// End of the token taken last.
    end: u32,
    /// Handles of `%TAG` directives.
    handles: Vec<Range<u32>>,
}

impl<'t> Parser<'t> {
    pub fn new(scanner: Scanner<'t>, builder: Builder<'t>) -> Self {
        Self {
            scanner,
            builder,
            states: Vec::with_capacity(32),
            lines: Vec::with_capacity(16),
            end: 0,
            handles: Vec::new(),
        }
    }

    /// Parses the first document and, as Go does, peeks at the token after it.
    pub fn document(mut self) -> Outcome<(Builder<'t>, Scanner<'t>)> {
        let token = self.scanner.peek()?;
        let content = match token.kind {
            TokenKind::StreamEnd => return Ok((self.builder, self.scanner)),
            TokenKind::VersionDirective { .. }
            | TokenKind::TagDirective
            | TokenKind::DocumentStart => {
                self.directives()?;
                let token = self.scanner.peek()?;
                if token.kind != TokenKind::DocumentStart {
                    return self.fail(0, token, "did not find expected <document start>");
                }
                self.take(token);
                let next = self.scanner.peek()?.kind;
                !matches!(
                    next,
                    TokenKind::VersionDirective { .. }
                        | TokenKind::TagDirective
                        | TokenKind::DocumentStart
                        | TokenKind::DocumentEnd
                        | TokenKind::StreamEnd
                )
            }
            _ => true,
        };
        if content {
            self.states.push(State::BlockNode);
            while let Some(state) = self.states.pop() {
                self.step(state)?;
            }
        }
        self.scanner.peek()?;
        Ok((self.builder, self.scanner))
    }

    fn step(&mut self, state: State) -> Outcome<()> {
        match state {
            State::BlockNode => self.node(true, false),
            State::BlockNodeOrIndentlessSequence => self.node(true, true),
            State::FlowNode => self.node(false, false),
            State::BlockSequenceEntry => self.block_sequence_entry(),
            State::IndentlessSequenceEntry => self.indentless_sequence_entry(),
            State::BlockMappingKey => self.block_mapping_key(),
            State::BlockMappingValue => self.block_mapping_value(),
            State::FlowSequenceFirst => self.flow_sequence_entry(true),
            State::FlowSequenceEntry => self.flow_sequence_entry(false),
            State::FlowPairKey => self.flow_pair_key(),
            State::FlowPairValue => self.flow_value(State::FlowPairEnd, TokenKind::FlowSequenceEnd),
            State::FlowPairEnd => {
                self.scanner.peek()?;
                self.builder.close(None);
                Ok(())
            }
            State::FlowMappingFirst => self.flow_mapping_key(true),
            State::FlowMappingKey => self.flow_mapping_key(false),
            State::FlowMappingValue => {
                self.flow_value(State::FlowMappingKey, TokenKind::FlowMappingEnd)
            }
            State::FlowMappingNoValue => {
                self.scanner.peek()?;
                self.states.push(State::FlowMappingKey);
                self.absent();
                Ok(())
            }
        }
    }

    fn directives(&mut self) -> Outcome<()> {
        let mut version_seen = false;
        loop {
            let token = self.scanner.peek()?;
            match token.kind {
                TokenKind::VersionDirective { major, minor } => {
                    if version_seen {
                        return self.fail(0, token, "found duplicate %YAML directive");
                    }
                    if (major, minor) != (1, 1) {
                        return self.fail(0, token, "found incompatible YAML document");
                    }
                    version_seen = true;
                }
                TokenKind::TagDirective => {
                    let Some((handle, prefix)) = self.scanner.tag_directives.pop_front() else {
                        return Ok(());
                    };
                    let name = self.bytes(&handle);
                    if self.handles.iter().any(|h| self.bytes(h) == name) {
                        return self.fail(0, token, "found duplicate %TAG directive");
                    }
                    self.builder.tag_prefix(&handle, &prefix);
                    self.handles.push(handle);
                }
                _ => return Ok(()),
            }
            self.take(token);
        }
    }

    fn node(&mut self, block: bool, indentless: bool) -> Outcome<()> {
        let mut token = self.scanner.peek()?;
        if token.kind == TokenKind::Alias {
            self.take(token);
            if !self.builder.alias(token.start..token.end) {
                let name =
                    String::from_utf8_lossy(self.bytes(&(token.start + 1..token.end))).into_owned();
                let problem = format!("unknown anchor '{name}' referenced");
                return Err(Failure::parser(0, token.start, 0, problem));
            }
            return Ok(());
        }
        let first = token;
        let mut props = Props::default();
        if matches!(token.kind, TokenKind::Anchor | TokenKind::Tag) {
            let mut tag = None;
            for _ in 0..2 {
                match token.kind {
                    TokenKind::Anchor if props.anchor.is_none() => {
                        props.anchor = Some(token.start..token.end)
                    }
                    TokenKind::Tag if props.tag.is_none() => {
                        props.tag = Some(token.start..token.end);
                        tag = Some(token);
                    }
                    _ => break,
                }
                self.take(token);
                token = self.scanner.peek()?;
            }
            if let Some(tag) = tag
                && !self.handle_is_known(&(tag.start..tag.end))
            {
                return self.fail(first.line, tag, "found undefined tag handle");
            }
        }
        match token.kind {
            TokenKind::BlockEntry if indentless => {
                self.builder
                    .open(NodeKind::BlockSequence, token.start, props);
                self.states.push(State::IndentlessSequenceEntry);
            }
            TokenKind::Scalar(kind) => {
                self.take(token);
                self.builder.scalar(kind, token.start..token.end, props);
            }
            TokenKind::FlowSequenceStart => {
                self.open(token, NodeKind::FlowSequence, props);
                self.states.push(State::FlowSequenceFirst);
            }
            TokenKind::FlowMappingStart => {
                self.open(token, NodeKind::FlowMapping, props);
                self.states.push(State::FlowMappingFirst);
            }
            TokenKind::BlockSequenceStart if block => {
                self.open(token, NodeKind::BlockSequence, props);
                self.states.push(State::BlockSequenceEntry);
            }
            TokenKind::BlockMappingStart if block => {
                self.open(token, NodeKind::BlockMapping, props);
                self.states.push(State::BlockMappingKey);
            }
            _ if !props.is_empty() => self.builder.absent(self.end, props),
            _ => return self.fail(first.line, token, "did not find expected node content"),
        }
        Ok(())
    }

    fn block_sequence_entry(&mut self) -> Outcome<()> {
        let token = self.scanner.peek()?;
        match token.kind {
            TokenKind::BlockEntry => {
                self.take_dash(token);
                let next = self.scanner.peek()?.kind;
                self.states.push(State::BlockSequenceEntry);
                if matches!(next, TokenKind::BlockEntry | TokenKind::BlockEnd) {
                    self.absent();
                } else {
                    self.states.push(State::BlockNode);
                }
                Ok(())
            }
            TokenKind::BlockEnd => {
                self.end_block();
                Ok(())
            }
            _ => self.fail(self.line(), token, "did not find expected '-' indicator"),
        }
    }

    fn indentless_sequence_entry(&mut self) -> Outcome<()> {
        let token = self.scanner.peek()?;
        if token.kind != TokenKind::BlockEntry {
            self.builder.close(None);
            return Ok(());
        }
        self.take_dash(token);
        let next = self.scanner.peek()?.kind;
        self.states.push(State::IndentlessSequenceEntry);
        if matches!(
            next,
            TokenKind::BlockEntry | TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd
        ) {
            self.absent();
        } else {
            self.states.push(State::BlockNode);
        }
        Ok(())
    }

    fn block_mapping_key(&mut self) -> Outcome<()> {
        let token = self.scanner.peek()?;
        match token.kind {
            TokenKind::Key => {
                self.take(token);
                let next = self.scanner.peek()?.kind;
                self.states.push(State::BlockMappingValue);
                self.block_mapping_part(next);
                Ok(())
            }
            TokenKind::BlockEnd => {
                self.end_block();
                Ok(())
            }
            // Go's grammar accepts no `:` without a key here.
            _ => self.fail(self.line(), token, "did not find expected key"),
        }
    }

    fn block_mapping_value(&mut self) -> Outcome<()> {
        let token = self.scanner.peek()?;
        self.states.push(State::BlockMappingKey);
        if token.kind == TokenKind::Value {
            self.take(token);
            let next = self.scanner.peek()?.kind;
            self.block_mapping_part(next);
        } else {
            self.absent();
        }
        Ok(())
    }

    /// Continues with a key or value of a block mapping, which may be missing.
    fn block_mapping_part(&mut self, next: TokenKind) {
        if matches!(
            next,
            TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd
        ) {
            self.absent();
        } else {
            self.states.push(State::BlockNodeOrIndentlessSequence);
        }
    }

    fn flow_sequence_entry(&mut self, first: bool) -> Outcome<()> {
        let mut token = self.scanner.peek()?;
        if token.kind != TokenKind::FlowSequenceEnd {
            if !first {
                if token.kind != TokenKind::FlowEntry {
                    return self.fail(self.line(), token, "did not find expected ',' or ']'");
                }
                self.take(token);
                token = self.scanner.peek()?;
            }
            if token.kind == TokenKind::Key {
                self.states.push(State::FlowSequenceEntry);
                self.builder
                    .open(NodeKind::FlowMapping, token.start, Props::default());
                self.take(token);
                self.states.push(State::FlowPairKey);
                return Ok(());
            }
            if token.kind != TokenKind::FlowSequenceEnd {
                self.states.push(State::FlowSequenceEntry);
                self.states.push(State::FlowNode);
                return Ok(());
            }
        }
        self.close(token);
        Ok(())
    }

    fn flow_pair_key(&mut self) -> Outcome<()> {
        let token = self.scanner.peek()?;
        self.states.push(State::FlowPairValue);
        if matches!(
            token.kind,
            TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowSequenceEnd
        ) {
            // Go removes this token, whatever it is.
            self.absent();
            self.take(token);
        } else {
            self.states.push(State::FlowNode);
        }
        Ok(())
    }

    /// Parses the value after a key of a flow collection that ends with `end`, which may be missing.
    fn flow_value(&mut self, then: State, end: TokenKind) -> Outcome<()> {
        let token = self.scanner.peek()?;
        self.states.push(then);
        if token.kind == TokenKind::Value {
            self.take(token);
            let next = self.scanner.peek()?.kind;
            if next != TokenKind::FlowEntry && next != end {
                self.states.push(State::FlowNode);
                return Ok(());
            }
        }
        self.absent();
        Ok(())
    }

    fn flow_mapping_key(&mut self, first: bool) -> Outcome<()> {
        let mut token = self.scanner.peek()?;
        if token.kind != TokenKind::FlowMappingEnd {
            if !first {
                if token.kind != TokenKind::FlowEntry {
                    return self.fail(self.line(), token, "did not find expected ',' or '}'");
                }
                self.take(token);
                token = self.scanner.peek()?;
            }
            if token.kind == TokenKind::Key {
                self.take(token);
                let next = self.scanner.peek()?.kind;
                self.states.push(State::FlowMappingValue);
                if matches!(
                    next,
                    TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowMappingEnd
                ) {
                    self.absent();
                } else {
                    self.states.push(State::FlowNode);
                }
                return Ok(());
            }
            if token.kind != TokenKind::FlowMappingEnd {
                self.states.push(State::FlowMappingNoValue);
                self.states.push(State::FlowNode);
                return Ok(());
            }
        }
        self.close(token);
        Ok(())
    }

    /// Opens a collection whose first token was peeked.
    fn open(&mut self, token: Token, kind: NodeKind, props: Props) {
        self.builder.open(kind, token.start, props);
        self.lines.push(token.line);
        self.take(token);
    }

    fn end_block(&mut self) {
        self.lines.pop();
        self.builder.close(None);
        self.scanner.take();
    }

    /// Closes a flow collection at its bracket.
    fn close(&mut self, token: Token) {
        self.lines.pop();
        self.take(token);
        self.builder.close(Some(token.end));
    }

    fn take(&mut self, token: Token) {
        self.end = self.end.max(token.end);
        self.scanner.take();
    }

    fn take_dash(&mut self, token: Token) {
        self.take(token);
        self.builder.dash = Some(token.start);
    }

    fn absent(&mut self) {
        self.builder.absent(self.end, Props::default());
    }

    /// Returns the line where the innermost open collection began.
    fn line(&self) -> u32 {
        self.lines.last().copied().unwrap_or(0)
    }

    #[cold]
    fn fail<T>(&self, context_line: u32, token: Token, problem: &str) -> Outcome<T> {
        Err(Failure::parser(
            context_line,
            token.start,
            token.line,
            problem,
        ))
    }

    fn bytes(&self, range: &Range<u32>) -> &'t [u8] {
        self.scanner
            .text
            .get(range.start as usize..range.end as usize)
            .unwrap_or_default()
    }

    /// Whether the handle of a tag is known: `!` and `!!` always are, others need a `%TAG`
    /// directive; `!<...>` needs none.
    fn handle_is_known(&self, tag: &Range<u32>) -> bool {
        let tag = self.bytes(tag);
        if tag.starts_with(b"!<") {
            return true;
        }
        match tag.get(1..).and_then(|rest| memchr::memchr(b'!', rest)) {
            // `!name!rest` has a handle only if a word is between the marks.
            Some(i)
                if i > 0
                    && tag[1..=i]
                        .iter()
                        .all(|&b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-') =>
            {
                self.handles.iter().any(|h| self.bytes(h) == &tag[..i + 2])
            }
            _ => true,
        }
    }
}
