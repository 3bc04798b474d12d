//! Formats new values. Each value has models, the corresponding values in neighbouring items: they
//! decide block or flow style, key order and quotes. Without models the blob's style applies.

use super::locate::{list_items, values_of_key};
use super::style::Style;
use super::{Document, key_order};
use crate::patch::Value;
use crate::spelling::{self, Quote, ScalarContext};
use serde_json::Map;
use syntax::tree::{Format, NodeId, NodeKind};

/// Maximum number of pairs whose quoting is examined.
const MAX_QUOTED_PAIRS: usize = 64;

/// Formats values for one blob.
pub(crate) struct Writer<'a> {
    pub document: Document<'a>,
    pub style: Style,
}

/// A value after a key or dash of a block collection.
pub(crate) struct BlockText {
    /// The text on the line of the key or dash, without the preceding blank; empty if everything is
    /// below.
    pub opener: String,
    /// The lines below, indented, without line breaks.
    pub below: Vec<String>,
}

impl BlockText {
    fn one_line(opener: String) -> Self {
        Self {
            opener,
            below: Vec::new(),
        }
    }

    fn from_lines(mut lines: impl Iterator<Item = String>) -> Self {
        Self {
            opener: lines.next().unwrap_or_default(),
            below: lines.collect(),
        }
    }

    /// Arranges the lines of a collection, whose first line is not indented yet: below a key, or
    /// from the line of a dash on.
    fn new(mut lines: Vec<String>, marker: Marker, column: usize) -> Self {
        if let Marker::Dash(_) = marker {
            return Self::from_lines(lines.into_iter());
        }
        if let Some(first) = lines.first_mut() {
            first.insert_str(0, &blanks(column));
        }
        Self {
            opener: String::new(),
            below: lines,
        }
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Marker {
    /// A key in this column.
    Key(usize),
    /// A dash; the content starts in this column.
    Dash(usize),
}

impl Marker {
    /// Returns the column of the value; `step` is the distance from a key to the value below it.
    fn content_column(self, step: usize) -> usize {
        match self {
            Marker::Key(column) => column + step,
            Marker::Dash(column) => column,
        }
    }
}

impl<'a> Writer<'a> {
    pub fn new(document: Document<'a>, style: Style) -> Self {
        Self { document, style }
    }

    /// Creates a writer in the document's style, with this line break.
    pub fn from_document(document: Document<'a>, newline: &'static str) -> Self {
        Self::new(document, Style::detect(document, newline))
    }

    /// Formats a value in block context. `preferred` applies to strings without models.
    pub fn block(
        &self,
        value: &Value,
        models: &[NodeId],
        preferred: Quote,
        marker: Marker,
    ) -> BlockText {
        match value {
            Value::String(text) => self.block_string(text, models, preferred, marker),
            Value::Array(items) if !items.is_empty() && !self.is_bracketed(models) => {
                let column = marker.content_column(self.list_step(models));
                BlockText::new(self.block_list(items, models, column), marker, column)
            }
            Value::Object(pairs) if !pairs.is_empty() && !self.is_bracketed(models) => {
                let column = marker.content_column(self.style.map_step);
                BlockText::new(self.block_map(pairs, models, column), marker, column)
            }
            _ => {
                let indent = blanks(marker.content_column(0));
                BlockText::one_line(self.flow(value, models, preferred, &indent))
            }
        }
    }

    /// Formats a string as a literal block if it has several lines.
    fn block_string(
        &self,
        text: &str,
        models: &[NodeId],
        preferred: Quote,
        marker: Marker,
    ) -> BlockText {
        // A final line break can only be written if the blob ends with one.
        let can_be_literal = !text.ends_with('\n') || self.document.text.ends_with(b"\n");
        let indent = marker.content_column(self.style.map_step).max(1);
        match spelling::literal(text, indent, "\n").filter(|_| can_be_literal) {
            Some(literal) => BlockText::from_lines(literal.split('\n').map(str::to_owned)),
            None => BlockText::one_line(self.string(text, models, preferred, ScalarContext::Block)),
        }
    }

    /// Formats `key: value` in block context; all lines but the first are indented.
    pub fn block_pair(
        &self,
        key: &str,
        value: &Value,
        models: &[NodeId],
        style: PairStyle,
        column: usize,
    ) -> Vec<String> {
        let key = spelling::string(key, style.key, self.style.quotes, ScalarContext::Block);
        let written = self.block(value, models, style.value, Marker::Key(column));
        let gap = if written.opener.is_empty() { "" } else { " " };
        let mut lines = vec![format!("{key}:{gap}{}", written.opener)];
        lines.extend(written.below);
        lines
    }

    /// Formats items with their dashes; all lines but the first are indented.
    fn block_list(&self, list: &[Value], models: &[NodeId], column: usize) -> Vec<String> {
        let models = list_items(self.document, models);
        let mut lines = Vec::new();
        for item in list {
            let dashed = self.block_item(item, &models, column);
            push_indented(&mut lines, dashed, column);
        }
        lines
    }

    /// Formats `- item`; all lines but the first are indented.
    pub fn block_item(&self, item: &Value, models: &[NodeId], column: usize) -> Vec<String> {
        let gap = self.dash_gap(models);
        let marker = Marker::Dash(column + 1 + gap);
        let written = self.block(item, models, Quote::Plain, marker);
        let mut lines = vec![format!("-{}{}", blanks(gap), written.opener)];
        lines.extend(written.below);
        lines
    }

    fn block_map(
        &self,
        pairs: &Map<String, Value>,
        models: &[NodeId],
        column: usize,
    ) -> Vec<String> {
        let style = self.pair_style(models);
        let mut lines = Vec::new();
        for (key, value) in self.sorted_pairs(pairs, models) {
            let models = values_of_key(self.document, models, key);
            let pair = self.block_pair(key, value, &models, style, column);
            push_indented(&mut lines, pair, column);
        }
        lines
    }

    /// Formats a value in brackets, or a scalar as written inside them. `preferred` applies to
    /// strings without models, `indent` is the indentation of its first line.
    pub fn flow(&self, value: &Value, models: &[NodeId], preferred: Quote, indent: &str) -> String {
        match value {
            Value::String(text) => self.string(text, models, preferred, self.flow_context()),
            Value::Array(list) => {
                let inner = list_items(self.document, models);
                self.write_bracketed(
                    ('[', ']'),
                    self.style.list_pad,
                    models,
                    indent,
                    list,
                    |item, indent| self.flow(item, &inner, Quote::Plain, indent),
                )
            }
            Value::Object(pairs) => {
                let pairs = self.sorted_pairs(pairs, models);
                let style = self.pair_style(models);
                self.write_bracketed(
                    ('{', '}'),
                    self.style.pad,
                    models,
                    indent,
                    &pairs,
                    |(key, value), indent| {
                        self.flow_pair(
                            key,
                            value,
                            &values_of_key(self.document, models, key),
                            style,
                            indent,
                        )
                    },
                )
            }
            other => other.to_string(),
        }
    }

    pub fn flow_pair(
        &self,
        key: &str,
        value: &Value,
        models: &[NodeId],
        style: PairStyle,
        indent: &str,
    ) -> String {
        let key = spelling::string(key, style.key, self.style.quotes, self.flow_context());
        // After a plain YAML key, the colon needs a blank; JSON may omit it.
        let colon = if key.ends_with(['"', '\'']) {
            self.style.colon
        } else {
            ": "
        };
        format!(
            "{key}{colon}{}",
            self.flow(value, models, style.value, indent)
        )
    }

    fn write_bracketed<T>(
        &self,
        (open, close): (char, char),
        pad: &str,
        models: &[NodeId],
        indent: &str,
        parts: &[T],
        write: impl Fn(&T, &str) -> String,
    ) -> String {
        let is_multiline = !parts.is_empty() && self.is_multiline(models);
        let Some(unit) = self.style.unit.as_deref().filter(|_| is_multiline) else {
            let parts: Vec<String> = parts.iter().map(|part| write(part, indent)).collect();
            let pad = if parts.is_empty() { "" } else { pad };
            return format!("{open}{pad}{}{pad}{close}", parts.join(self.style.comma));
        };
        let (newline, inner) = (self.style.newline, format!("{indent}{unit}"));
        let parts: Vec<String> = parts
            .iter()
            .map(|part| format!("{newline}{inner}{}", write(part, &inner)))
            .collect();
        format!("{open}{}{newline}{indent}{close}", parts.join(","))
    }

    /// Whether brackets span several lines, as in the models or else the blob's style.
    fn is_multiline(&self, models: &[NodeId]) -> bool {
        let tree = self.document.tree;
        let bracketed = models
            .iter()
            .find(|&&node| tree.kind(node).is_flow() && tree.children(node).next().is_some());
        match bracketed {
            Some(&model) => self.document.has_line_break(tree.range(model)),
            None => self.document.format == Format::Json,
        }
    }

    fn flow_context(&self) -> ScalarContext {
        if self.document.format == Format::Json {
            ScalarContext::Json
        } else {
            ScalarContext::Flow
        }
    }

    fn string(
        &self,
        text: &str,
        models: &[NodeId],
        preferred: Quote,
        context: ScalarContext,
    ) -> String {
        let mut quotes = models
            .iter()
            .filter_map(|&node| scalar_quote(self.document.tree.kind(node)));
        let preferred = quotes.next().unwrap_or(preferred);
        // A string that cannot be plain has the quotes of a quoted model, else of the blob.
        let fallback = quotes.find(|&quote| quote != Quote::Plain);
        let fallback = fallback.or(self.style.quotes);
        let written = spelling::string(text, preferred, fallback, context);
        if self.style.escapes_html {
            spelling::html_escaped(&written)
        } else {
            written
        }
    }

    /// Returns the quoting of keys and strings in mappings like these.
    pub fn pair_style(&self, mappings: &[NodeId]) -> PairStyle {
        let document = self.document;
        let pairs = || {
            mappings
                .iter()
                .flat_map(|&mapping| document.tree.pairs(mapping))
                .take(MAX_QUOTED_PAIRS)
        };
        let key = pairs()
            .find_map(|(key, _)| scalar_quote(document.tree.kind(key)))
            .unwrap_or(Quote::Plain);
        // Required quotes do not indicate a style; only those of values that could be plain do.
        let optional_quote = |node: NodeId| {
            let text = document.string(node)?;
            let plain = spelling::string(&text, Quote::Plain, None, ScalarContext::Block);
            scalar_quote(document.tree.kind(node)).filter(|_| plain == text)
        };
        let value = pairs()
            .find_map(|(_, value)| optional_quote(value))
            .unwrap_or(Quote::Plain);
        PairStyle { key, value }
    }

    /// Whether the nearest collection among the models that has elements is in brackets.
    fn is_bracketed(&self, models: &[NodeId]) -> bool {
        let tree = self.document.tree;
        let filled = models
            .iter()
            .find(|&&node| !tree.kind(node).is_scalar() && tree.children(node).next().is_some());
        filled.is_some_and(|&node| tree.kind(node).is_flow())
    }

    /// Returns the number of columns from a key to the dashes below, as in the models.
    fn list_step(&self, models: &[NodeId]) -> usize {
        models
            .iter()
            .find_map(|&node| self.measure_list_step(node))
            .unwrap_or(self.style.list_step)
    }

    /// Returns the number of columns from this list's key to its dashes; `None` if a comment
    /// separates them.
    fn measure_list_step(&self, list: NodeId) -> Option<usize> {
        let document = self.document;
        let start = document.tree.range(list).start;
        let above = document.text[..document.line_start(start)].trim_ascii_end();
        let is_block =
            document.tree.kind(list) == NodeKind::BlockSequence && document.begins_line(start);
        let key_line =
            (is_block && above.ends_with(b":")).then(|| document.line_start(above.len()))?;
        let line = &document.text[key_line..above.len()];
        let key_column = line
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'-'))
            .count();
        document.column(start).checked_sub(key_column)
    }

    fn dash_gap(&self, models: &[NodeId]) -> usize {
        models
            .iter()
            .find_map(|&node| self.document.dash_gap(node))
            .unwrap_or(self.style.dash_gap)
    }

    fn sorted_pairs<'v>(
        &self,
        pairs: &'v Map<String, Value>,
        models: &[NodeId],
    ) -> Vec<(&'v str, &'v Value)> {
        let keys: Vec<&str> = pairs.keys().map(String::as_str).collect();
        let peers = self.key_names(models);
        let arranged = key_order::arrange_keys(&keys, &peers, key_order::are_sorted(&peers));
        arranged
            .into_iter()
            .filter_map(|key| Some((key, pairs.get(key)?)))
            .collect()
    }

    /// Returns the position of a new key in a mapping with these neighbours.
    pub fn key_position(
        &self,
        mapping: NodeId,
        peers: &[NodeId],
        key: &str,
        after: &[String],
    ) -> usize {
        let keys = self.key_names(&[mapping]).pop().unwrap_or_default();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let after: Vec<&str> = after.iter().map(String::as_str).collect();
        let peers = self.key_names(peers);
        let mut all = self.key_names(&[mapping, NodeId(0)]);
        all.extend_from_slice(&peers);
        key_order::new_key_position(&keys, key, &peers, key_order::are_sorted(&all), &after)
    }

    pub fn key_names(&self, mappings: &[NodeId]) -> Vec<Vec<String>> {
        let tree = self.document.tree;
        mappings
            .iter()
            .filter(|&&node| tree.kind(node).is_mapping())
            .map(|&mapping| {
                let keys = tree.pairs(mapping).map(|(key, _)| key);
                keys.map(|key| self.document.string(key).unwrap_or_default().into_owned())
                    .collect()
            })
            .collect()
    }
}

/// The quoting of keys and plain strings in a mapping.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairStyle {
    pub key: Quote,
    pub value: Quote,
}

/// Returns the quoting of a scalar written in flow style.
fn scalar_quote(kind: NodeKind) -> Option<Quote> {
    match kind {
        NodeKind::Plain => Some(Quote::Plain),
        NodeKind::SingleQuoted => Some(Quote::Single),
        NodeKind::DoubleQuoted => Some(Quote::Double),
        _ => None,
    }
}

pub(super) fn blanks(count: usize) -> String {
    " ".repeat(count)
}

/// Appends lines, indenting all but the first; the very first line overall stays unindented.
fn push_indented(lines: &mut Vec<String>, new: Vec<String>, column: usize) {
    for (index, line) in new.into_iter().enumerate() {
        lines.push(if index == 0 && !lines.is_empty() {
            format!("{}{line}", blanks(column))
        } else {
            line
        });
    }
}
