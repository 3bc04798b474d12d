//! Formats new values. Each value follows its models, the corresponding values in neighbouring
//! items: they decide block or flow style, key order and quotes. Without models the blob's style
//! applies.

use super::locate::{items, values_of};
use super::style::Style;
use super::{Document, style};
use crate::patch::Value;
use crate::spelling::{self, Quote, ScalarContext};
use serde_json::Map;
use syntax::tree::{Format, NodeId, NodeKind};

/// Formats values for one blob.
pub(crate) struct Writer<'a> {
    pub(super) document: Document<'a>,
    pub(super) style: Style,
}

/// A value after a key or dash of a block collection.
pub(super) struct Written {
    /// The text on the line of the key or dash, without the preceding blank; empty if everything is
    /// below.
    pub opener: String,
    /// The lines below, indented, without line breaks.
    pub below: Vec<String>,
}

impl Written {
    fn one_line(opener: String) -> Self {
        Self {
            opener,
            below: Vec::new(),
        }
    }
}

/// What precedes a block value.
#[derive(Clone, Copy)]
pub(super) enum LinePosition {
    /// A key in this column.
    Key(usize),
    /// A dash; the content starts in this column.
    Dash(usize),
}

impl<'a> Writer<'a> {
    pub(super) fn new(document: Document<'a>, style: Style) -> Self {
        Self { document, style }
    }

    /// Creates a writer in the document's style, with this line break.
    pub(crate) fn from_document(document: Document<'a>, newline: &'static str) -> Self {
        Self::new(document, Style::learn(document, newline))
    }

    /// Formats a value in block context. `wish` applies to strings without models.
    pub(super) fn block(
        &self,
        value: &Value,
        models: &[NodeId],
        wish: Quote,
        follows: LinePosition,
    ) -> Written {
        let (LinePosition::Key(column) | LinePosition::Dash(column)) = follows;
        match value {
            Value::String(text) => {
                let indent = match follows {
                    LinePosition::Key(column) => column + self.style.map_step,
                    LinePosition::Dash(column) => column,
                };
                let ends_well = !text.ends_with('\n') || self.document.text.ends_with(b"\n");
                match spelling::literal(text, indent.max(1), "\n").filter(|_| ends_well) {
                    Some(literal) => {
                        let mut lines = literal.split('\n').map(str::to_owned);
                        Written {
                            opener: lines.next().unwrap_or_default(),
                            below: lines.collect(),
                        }
                    }
                    None => {
                        Written::one_line(self.string(text, models, wish, ScalarContext::Block))
                    }
                }
            }
            Value::Array(items) if !items.is_empty() && !self.in_brackets(models) => {
                match follows {
                    LinePosition::Key(column) => {
                        let column = column + self.list_step(models);
                        let below = self.block_list(items, models, column);
                        Written {
                            opener: String::new(),
                            below: indent_first(below, column),
                        }
                    }
                    LinePosition::Dash(column) => {
                        first_on_line(self.block_list(items, models, column))
                    }
                }
            }
            Value::Object(pairs) if !pairs.is_empty() && !self.in_brackets(models) => match follows
            {
                LinePosition::Key(column) => {
                    let column = column + self.style.map_step;
                    Written {
                        opener: String::new(),
                        below: indent_first(self.block_map(pairs, models, column), column),
                    }
                }
                LinePosition::Dash(column) => first_on_line(self.block_map(pairs, models, column)),
            },
            _ => Written::one_line(self.flow(value, models, &blanks(column))),
        }
    }

    /// Formats `key: value` in block context; all lines but the first are indented.
    pub(super) fn block_pair(
        &self,
        key: &str,
        value: &Value,
        models: &[NodeId],
        style: PairStyle,
        column: usize,
    ) -> Vec<String> {
        let key = spelling::string(key, style.key, self.style.quotes, ScalarContext::Block);
        let written = self.block(value, models, style.value, LinePosition::Key(column));
        let gap = if written.opener.is_empty() { "" } else { " " };
        let mut lines = vec![format!("{key}:{gap}{}", written.opener)];
        lines.extend(written.below);
        lines
    }

    /// Formats items with their dashes; all lines but the first are indented.
    fn block_list(&self, list: &[Value], models: &[NodeId], column: usize) -> Vec<String> {
        let models = items(self.document, models);
        let mut lines = Vec::new();
        for item in list {
            let dashed = self.block_item(item, &models, column);
            push_indented(&mut lines, dashed, column);
        }
        lines
    }

    /// Formats `- item`; all lines but the first are indented.
    pub(super) fn block_item(&self, item: &Value, models: &[NodeId], column: usize) -> Vec<String> {
        let gap = self.dash_gap(models);
        let written = self.block(
            item,
            models,
            self.list_wish(models),
            LinePosition::Dash(column + 1 + gap),
        );
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
        for (key, value) in self.arrange(pairs, models) {
            let models = values_of(self.document, models, key);
            let pair = self.block_pair(key, value, &models, style, column);
            push_indented(&mut lines, pair, column);
        }
        lines
    }

    /// Formats a value in brackets, or a scalar as written inside them. `indent` is the indentation
    /// of its first line.
    pub(super) fn flow(&self, value: &Value, models: &[NodeId], indent: &str) -> String {
        match value {
            Value::String(text) => {
                self.string(text, models, self.list_wish(models), self.in_flow())
            }
            Value::Array(list) => {
                let inner = items(self.document, models);
                self.write_bracketed(
                    ('[', ']'),
                    self.style.list_pad,
                    models,
                    indent,
                    list,
                    |item, indent| self.flow(item, &inner, indent),
                )
            }
            Value::Object(pairs) => {
                let pairs = self.arrange(pairs, models);
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
                            &values_of(self.document, models, key),
                            style,
                            indent,
                        )
                    },
                )
            }
            other => other.to_string(),
        }
    }

    pub(super) fn flow_pair(
        &self,
        key: &str,
        value: &Value,
        models: &[NodeId],
        style: PairStyle,
        indent: &str,
    ) -> String {
        let key = spelling::string(key, style.key, self.style.quotes, self.in_flow());
        // After a plain YAML key, the colon needs a blank; JSON may omit it.
        let colon = if key.ends_with(['"', '\'']) {
            self.style.colon
        } else {
            ": "
        };
        format!(
            "{key}{colon}{}",
            self.flow_value(value, models, style.value, indent)
        )
    }

    /// Like [`Self::flow`], for a mapping's value: `wish` applies to strings without models.
    pub(super) fn flow_value(
        &self,
        value: &Value,
        models: &[NodeId],
        wish: Quote,
        indent: &str,
    ) -> String {
        match value {
            Value::String(text) => self.string(text, models, wish, self.in_flow()),
            value => self.flow(value, models, indent),
        }
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
        let spread = !parts.is_empty() && self.spreads(models);
        let Some(unit) = self.style.unit.as_deref().filter(|_| spread) else {
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
    fn spreads(&self, models: &[NodeId]) -> bool {
        let tree = self.document.tree;
        match models.iter().find(|&&node| {
            matches!(
                tree.kind(node),
                NodeKind::FlowMapping | NodeKind::FlowSequence
            ) && tree.children(node).next().is_some()
        }) {
            Some(&model) => self.document.has_line_break(tree.range(model)),
            None => self.document.format == Format::Json,
        }
    }

    fn in_flow(&self) -> ScalarContext {
        if self.document.format == Format::Json {
            ScalarContext::Json
        } else {
            ScalarContext::Flow
        }
    }

    fn string(&self, text: &str, models: &[NodeId], wish: Quote, context: ScalarContext) -> String {
        let wish = self.quotes_of(models).unwrap_or(wish);
        let quotes = if wish == Quote::Plain {
            self.needed_quotes(models)
        } else {
            Some(wish)
        };
        let written = spelling::string(text, wish, quotes, context);
        if self.style.escapes_html {
            spelling::html_escaped(&written)
        } else {
            written
        }
    }

    /// Returns the quoting of the nearest scalar among the models.
    fn quotes_of(&self, models: &[NodeId]) -> Option<Quote> {
        models
            .iter()
            .find_map(|&node| quote(self.document.tree.kind(node)))
    }

    /// Returns the quotes for a string that cannot be plain: a quoted model's, else the blob's.
    fn needed_quotes(&self, models: &[NodeId]) -> Option<Quote> {
        let of_models = models
            .iter()
            .filter_map(|&node| quote(self.document.tree.kind(node)));
        of_models
            .into_iter()
            .find(|&quote| quote != Quote::Plain)
            .or(self.style.quotes)
    }

    /// Returns the quoting of strings in lists with these items.
    fn list_wish(&self, models: &[NodeId]) -> Quote {
        self.quotes_of(models)
            .unwrap_or(if self.document.format == Format::Json {
                Quote::Double
            } else {
                Quote::Plain
            })
    }

    /// Returns the quoting of keys and strings in mappings like these.
    pub(super) fn pair_style(&self, mappings: &[NodeId]) -> PairStyle {
        let document = self.document;
        let pairs = || {
            mappings
                .iter()
                .flat_map(|&mapping| document.tree.pairs(mapping))
                .take(64)
        };
        let key = pairs()
            .find_map(|(key, _)| quote(document.tree.kind(key)))
            .unwrap_or(Quote::Plain);
        // Required quotes do not indicate a style; only quoted values that could be plain do.
        let needless = |node: NodeId| {
            let text = document.string(node)?;
            let plain = spelling::string(&text, Quote::Plain, None, ScalarContext::Block);
            quote(document.tree.kind(node)).filter(|_| plain == text)
        };
        let value = pairs()
            .find_map(|(_, value)| needless(value))
            .unwrap_or(Quote::Plain);
        PairStyle { key, value }
    }

    fn in_brackets(&self, models: &[NodeId]) -> bool {
        let tree = self.document.tree;
        let filled = models
            .iter()
            .find(|&&node| !tree.kind(node).is_scalar() && tree.children(node).next().is_some());
        filled.is_some_and(|&node| {
            matches!(
                tree.kind(node),
                NodeKind::FlowMapping | NodeKind::FlowSequence
            )
        })
    }

    /// Returns the number of columns from a key to the dashes below, as in the models.
    fn list_step(&self, models: &[NodeId]) -> usize {
        models
            .iter()
            .find_map(|&node| self.own_list_step(node))
            .unwrap_or(self.style.list_step)
    }

    fn own_list_step(&self, list: NodeId) -> Option<usize> {
        let document = self.document;
        let start = document.tree.range(list).start;
        let above = document.text[..document.line_start(start)].trim_ascii_end();
        let is_block =
            document.tree.kind(list) == NodeKind::BlockSequence && document.begins_line(start);
        // The key's line is the previous one, unless comments intervene.
        let key_line =
            (is_block && above.ends_with(b":")).then(|| document.line_start(above.len()))?;
        let line = &document.text[key_line..above.len()];
        let key = line
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'-'))
            .count();
        document.column(start).checked_sub(key)
    }

    fn dash_gap(&self, models: &[NodeId]) -> usize {
        let document = self.document;
        models
            .iter()
            .find_map(|&node| {
                let (dash, start) = (document.tree.dash(node)?, document.start(node));
                (start > dash + 1 && !document.has_line_break(dash..start))
                    .then(|| start - dash - 1)
            })
            .unwrap_or(self.style.dash_gap)
    }

    fn arrange<'v>(
        &self,
        pairs: &'v Map<String, Value>,
        models: &[NodeId],
    ) -> Vec<(&'v str, &'v Value)> {
        let keys: Vec<&str> = pairs.keys().map(String::as_str).collect();
        let peers = self.keys_of(models);
        let arranged = style::arrange(&keys, &peers, style::are_sorted(&peers));
        arranged
            .into_iter()
            .filter_map(|key| Some((key, pairs.get(key)?)))
            .collect()
    }

    /// Returns the position of a new key in a mapping with these neighbours.
    pub(super) fn key_position(
        &self,
        mapping: NodeId,
        peers: &[NodeId],
        key: &str,
        after: &[String],
    ) -> usize {
        let own = self.keys_of(&[mapping]).pop().unwrap_or_default();
        let own: Vec<&str> = own.iter().map(String::as_str).collect();
        let after: Vec<&str> = after.iter().map(String::as_str).collect();
        let peers = self.keys_of(peers);
        let mut all = self.keys_of(&[mapping, NodeId(0)]);
        all.extend_from_slice(&peers);
        style::position(&own, key, &peers, style::are_sorted(&all), &after)
    }

    /// Returns the keys of each mapping as text.
    pub(super) fn keys_of(&self, mappings: &[NodeId]) -> Vec<Vec<String>> {
        let tree = self.document.tree;
        mappings
            .iter()
            .filter(|&&node| tree.kind(node).is_mapping())
            .map(|&mapping: &NodeId| -> Vec<String> {
                let pairs = tree.pairs(mapping);
                pairs
                    .map(|(key, _)| self.document.string(key).unwrap_or_default().into_owned())
                    .collect()
            })
            .collect()
    }
}

/// The quoting of keys and plain strings in a mapping.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairStyle {
    pub key: Quote,
    pub value: Quote,
}

fn quote(kind: NodeKind) -> Option<Quote> {
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

fn indent_first(mut lines: Vec<String>, column: usize) -> Vec<String> {
    if let Some(first) = lines.first_mut() {
        first.insert_str(0, &blanks(column));
    }
    lines
}

fn first_on_line(lines: Vec<String>) -> Written {
    let mut lines = lines.into_iter();
    Written {
        opener: lines.next().unwrap_or_default(),
        below: lines.collect(),
    }
}
