//! Parses tokens into a tree: the grammar of YAML 1.1 as a state machine with an explicit stack, so
//! that nesting needs no recursion.

use super::build::{Builder, NodeProperties};
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

/// The collection around a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    Block,
    /// A block mapping, whose values may be sequences in the column of the key.
    BlockOrIndentlessSequence,
    Flow,
}

/// Whether an item of a flow collection is its first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Item {
    First,
    Later,
}

#[derive(Debug)]
pub struct Parser<'t> {
    scanner: Scanner<'t>,
    builder: Builder<'t>,
    /// The states to return to, innermost last.
    states: Vec<State>,
    /// Lines where the open collections began, for error messages.
    open_lines: Vec<u32>,
    /// End of the last consumed token.
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
            open_lines: Vec::with_capacity(16),
            end: 0,
            handles: Vec::new(),
        }
    }

    /// Parses the first document and, as Go does, peeks at the token after it.
    pub fn document(mut self) -> Outcome<(Builder<'t>, Scanner<'t>)> {
        let token = self.scanner.peek()?;
        let has_content = match token.kind {
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
        if has_content {
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
            State::BlockNode => self.node(Context::Block),
            State::BlockNodeOrIndentlessSequence => self.node(Context::BlockOrIndentlessSequence),
            State::FlowNode => self.node(Context::Flow),
            State::BlockSequenceEntry => self.block_sequence_entry(),
            State::IndentlessSequenceEntry => self.indentless_sequence_entry(),
            State::BlockMappingKey => self.block_mapping_key(),
            State::BlockMappingValue => self.block_mapping_value(),
            State::FlowSequenceFirst => self.flow_sequence_entry(Item::First),
            State::FlowSequenceEntry => self.flow_sequence_entry(Item::Later),
            State::FlowPairKey => self.flow_pair_key(),
            State::FlowPairValue => self.flow_value(State::FlowPairEnd, TokenKind::FlowSequenceEnd),
            State::FlowPairEnd => {
                self.scanner.peek()?;
                self.builder.close(None);
                Ok(())
            }
            State::FlowMappingFirst => self.flow_mapping_key(Item::First),
            State::FlowMappingKey => self.flow_mapping_key(Item::Later),
            State::FlowMappingValue => {
                self.flow_value(State::FlowMappingKey, TokenKind::FlowMappingEnd)
            }
            State::FlowMappingNoValue => {
                self.scanner.peek()?;
                self.states.push(State::FlowMappingKey);
                self.add_absent();
                Ok(())
            }
        }
    }

    fn directives(&mut self) -> Outcome<()> {
        let mut has_version = false;
        loop {
            let token = self.scanner.peek()?;
            match token.kind {
                TokenKind::VersionDirective { major, minor } => {
                    if has_version {
                        return self.fail(0, token, "found duplicate %YAML directive");
                    }
                    if (major, minor) != (1, 1) {
                        return self.fail(0, token, "found incompatible YAML document");
                    }
                    has_version = true;
                }
                TokenKind::TagDirective => {
                    let Some((handle, prefix)) = self.scanner.tag_directives.pop_front() else {
                        return Ok(());
                    };
                    let name = self.bytes(&handle);
                    if self.handles.iter().any(|h| self.bytes(h) == name) {
                        return self.fail(0, token, "found duplicate %TAG directive");
                    }
                    self.builder.add_tag_prefix(&handle, &prefix);
                    self.handles.push(handle);
                }
                _ => return Ok(()),
            }
            self.take(token);
        }
    }

    fn node(&mut self, context: Context) -> Outcome<()> {
        let first = self.scanner.peek()?;
        if first.kind == TokenKind::Alias {
            return self.alias(first);
        }
        let properties = self.node_properties()?;
        let token = self.scanner.peek()?;
        let in_block = context != Context::Flow;
        match token.kind {
            TokenKind::BlockEntry if context == Context::BlockOrIndentlessSequence => {
                self.builder
                    .open(NodeKind::BlockSequence, token.start, properties);
                self.states.push(State::IndentlessSequenceEntry);
            }
            TokenKind::Scalar(kind) => {
                self.take(token);
                self.builder
                    .add_scalar(kind, token.start..token.end, properties);
            }
            TokenKind::FlowSequenceStart => {
                self.open(token, NodeKind::FlowSequence, properties);
                self.states.push(State::FlowSequenceFirst);
            }
            TokenKind::FlowMappingStart => {
                self.open(token, NodeKind::FlowMapping, properties);
                self.states.push(State::FlowMappingFirst);
            }
            TokenKind::BlockSequenceStart if in_block => {
                self.open(token, NodeKind::BlockSequence, properties);
                self.states.push(State::BlockSequenceEntry);
            }
            TokenKind::BlockMappingStart if in_block => {
                self.open(token, NodeKind::BlockMapping, properties);
                self.states.push(State::BlockMappingKey);
            }
            _ if !properties.is_empty() => self.builder.add_absent(self.end, properties),
            _ => return self.fail(first.line, token, "did not find expected node content"),
        }
        Ok(())
    }

    fn alias(&mut self, token: Token) -> Outcome<()> {
        self.take(token);
        if self.builder.add_alias(token.start..token.end) {
            return Ok(());
        }
        let name = String::from_utf8_lossy(self.bytes(&(token.start + 1..token.end)));
        let problem = format!("unknown anchor '{name}' referenced");
        Err(Failure::new(token.start as usize, 0, problem))
    }

    /// Parses the anchor and tag before a node, in either order.
    fn node_properties(&mut self) -> Outcome<NodeProperties> {
        let first = self.scanner.peek()?;
        let mut properties = NodeProperties::default();
        let mut tag = None;
        let mut token = first;
        loop {
            match token.kind {
                TokenKind::Anchor if properties.anchor.is_none() => {
                    properties.anchor = Some(token.start..token.end)
                }
                TokenKind::Tag if properties.tag.is_none() => {
                    properties.tag = Some(token.start..token.end);
                    tag = Some(token);
                }
                _ => break,
            }
            self.take(token);
            token = self.scanner.peek()?;
        }
        if let Some(tag) = tag
            && !self.is_handle_declared(&(tag.start..tag.end))
        {
            return self.fail(first.line, tag, "found undefined tag handle");
        }
        Ok(properties)
    }

    fn block_sequence_entry(&mut self) -> Outcome<()> {
        let token = self.scanner.peek()?;
        match token.kind {
            TokenKind::BlockEntry => {
                self.take_dash(token);
                let next = self.scanner.peek()?.kind;
                self.states.push(State::BlockSequenceEntry);
                let is_absent = matches!(next, TokenKind::BlockEntry | TokenKind::BlockEnd);
                self.continue_with(State::BlockNode, is_absent);
                Ok(())
            }
            TokenKind::BlockEnd => {
                self.end_block();
                Ok(())
            }
            _ => self.fail(
                self.open_line(),
                token,
                "did not find expected '-' indicator",
            ),
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
        let is_absent = matches!(
            next,
            TokenKind::BlockEntry | TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd
        );
        self.continue_with(State::BlockNode, is_absent);
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
            _ => self.fail(self.open_line(), token, "did not find expected key"),
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
            self.add_absent();
        }
        Ok(())
    }

    /// Continues with a key or value of a block mapping, which may be missing.
    fn block_mapping_part(&mut self, next: TokenKind) {
        let is_absent = matches!(
            next,
            TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd
        );
        self.continue_with(State::BlockNodeOrIndentlessSequence, is_absent);
    }

    /// Returns the first token of the next item of a flow collection; `None` if the collection
    /// ended, which is closed then. `end` is the token that ends it.
    fn next_flow_item(
        &mut self,
        item: Item,
        end: TokenKind,
        problem: &str,
    ) -> Outcome<Option<Token>> {
        let mut token = self.scanner.peek()?;
        if token.kind != end && item == Item::Later {
            if token.kind != TokenKind::FlowEntry {
                return self.fail(self.open_line(), token, problem);
            }
            self.take(token);
            token = self.scanner.peek()?;
        }
        if token.kind == end {
            self.close(token);
            return Ok(None);
        }
        Ok(Some(token))
    }

    fn flow_sequence_entry(&mut self, item: Item) -> Outcome<()> {
        let problem = "did not find expected ',' or ']'";
        let next = self.next_flow_item(item, TokenKind::FlowSequenceEnd, problem)?;
        let Some(token) = next else { return Ok(()) };
        self.states.push(State::FlowSequenceEntry);
        if token.kind == TokenKind::Key {
            self.builder.open(
                NodeKind::FlowMapping,
                token.start,
                NodeProperties::default(),
            );
            self.take(token);
            self.states.push(State::FlowPairKey);
        } else {
            self.states.push(State::FlowNode);
        }
        Ok(())
    }

    fn flow_pair_key(&mut self) -> Outcome<()> {
        let token = self.scanner.peek()?;
        self.states.push(State::FlowPairValue);
        if matches!(
            token.kind,
            TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowSequenceEnd
        ) {
            // Go consumes this token, whatever it is.
            self.add_absent();
            self.take(token);
        } else {
            self.states.push(State::FlowNode);
        }
        Ok(())
    }

    /// Parses the value after a key of a flow collection; it may be missing. `end` is the token
    /// that ends the collection.
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
        self.add_absent();
        Ok(())
    }

    fn flow_mapping_key(&mut self, item: Item) -> Outcome<()> {
        let problem = "did not find expected ',' or '}'";
        let next = self.next_flow_item(item, TokenKind::FlowMappingEnd, problem)?;
        let Some(token) = next else { return Ok(()) };
        if token.kind == TokenKind::Key {
            self.take(token);
            let next = self.scanner.peek()?.kind;
            self.states.push(State::FlowMappingValue);
            let is_absent = matches!(
                next,
                TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowMappingEnd
            );
            self.continue_with(State::FlowNode, is_absent);
        } else {
            self.states.push(State::FlowMappingNoValue);
            self.states.push(State::FlowNode);
        }
        Ok(())
    }

    /// Opens a collection whose first token was peeked.
    fn open(&mut self, token: Token, kind: NodeKind, properties: NodeProperties) {
        self.builder.open(kind, token.start, properties);
        self.open_lines.push(token.line);
        self.take(token);
    }

    fn end_block(&mut self) {
        self.open_lines.pop();
        self.builder.close(None);
        self.scanner.take();
    }

    /// Closes a flow collection at its bracket.
    fn close(&mut self, token: Token) {
        self.open_lines.pop();
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

    fn add_absent(&mut self) {
        self.builder.add_absent(self.end, NodeProperties::default());
    }

    /// Parses a node next, or adds one that is absent.
    fn continue_with(&mut self, node: State, is_absent: bool) {
        if is_absent {
            self.add_absent();
        } else {
            self.states.push(node);
        }
    }

    /// Returns the line where the innermost open collection began.
    fn open_line(&self) -> u32 {
        self.open_lines.last().copied().unwrap_or(0)
    }

    /// Fails at a token. Go reports its line counted from 0; on the first line, the context's line.
    #[cold]
    fn fail<T>(&self, context_line: u32, token: Token, problem: &str) -> Outcome<T> {
        let line = match token.line {
            0 => context_line,
            line => line,
        };
        Err(Failure::new(token.start as usize, line, problem))
    }

    fn bytes(&self, range: &Range<u32>) -> &'t [u8] {
        self.scanner
            .text
            .get(range.start as usize..range.end as usize)
            .unwrap_or_default()
    }

    /// Whether a tag's handle is declared by a `%TAG` directive, or needs none: `!`, `!!` and
    /// `!<...>`.
    fn is_handle_declared(&self, tag: &Range<u32>) -> bool {
        let tag = self.bytes(tag);
        if tag.starts_with(b"!<") {
            return true;
        }
        match tag.get(1..).and_then(|rest| memchr::memchr(b'!', rest)) {
            // `!name!rest` has a handle only if `name` is a word.
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
