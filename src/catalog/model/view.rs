//! A document during conversion: tree, text and lines, with accessors.

use super::blob::Property;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use syntax::go_text::names_field;
use syntax::hashed::HashSet;
use syntax::place::{LineIndex, Place, Spanned, Text};
use syntax::scalar;
use syntax::tree::{NodeId, NodeKind, Tree};
use syntax::value::{self, MapEntry};

pub struct View<'a> {
    pub tree: &'a Tree,
    pub text: &'a [u8],
    lines: LineIndex,
}

/// Go's JSON types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonKind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

impl JsonKind {
    /// Returns the type's name as in `json: cannot unmarshal number into ...`.
    pub fn word(self) -> &'static str {
        match self {
            JsonKind::Null => "null",
            JsonKind::Bool => "bool",
            JsonKind::Number => "number",
            JsonKind::String => "string",
            JsonKind::Array => "array",
            JsonKind::Object => "object",
        }
    }
}

impl<'a> View<'a> {
    pub fn new(tree: &'a Tree, text: &'a [u8]) -> Self {
        Self {
            tree,
            text,
            lines: LineIndex::new(text),
        }
    }

    pub fn place(&self, node: NodeId) -> Place {
        self.place_of(self.tree.range(node))
    }

    pub fn place_of(&self, range: Range<usize>) -> Place {
        self.lines.place(self.text, range)
    }

    pub fn line(&self, offset: usize) -> u32 {
        self.lines.line_column(self.text, offset).0
    }

    pub fn kind(&self, node: NodeId) -> JsonKind {
        let node = self.tree.resolve_alias(node);
        match self.tree.kind(node) {
            NodeKind::BlockMapping | NodeKind::FlowMapping => JsonKind::Object,
            NodeKind::BlockSequence | NodeKind::FlowSequence => JsonKind::Array,
            kind if kind != NodeKind::Plain
                && kind != NodeKind::Absent
                && !self.tree.node(node).has_properties =>
            {
                JsonKind::String
            }
            NodeKind::Plain
                if !self.tree.node(node).has_properties && self.is_surely_text(node) =>
            {
                JsonKind::String
            }
            _ => match scalar::resolve(self.tree, self.text, node) {
                Ok(Some(typed)) => match typed {
                    scalar::Typed::Null => JsonKind::Null,
                    scalar::Typed::Bool(_) => JsonKind::Bool,
                    scalar::Typed::Int(_) | scalar::Typed::Uint(_) | scalar::Typed::Float(_) => {
                        JsonKind::Number
                    }
                    scalar::Typed::Text(_) => JsonKind::String,
                },
                _ => JsonKind::Null,
            },
        }
    }

    /// Whether the first byte of a plain scalar excludes numbers and special words. A fast check:
    /// most scalars are text, and many are long.
    fn is_surely_text(&self, node: NodeId) -> bool {
        let first = self.text.get(self.tree.range(node).start);
        first.is_some_and(|b| {
            b.is_ascii_alphabetic() && !b"yYnNtTfFoO".contains(b) || *b == b'/' || *b == b'@'
        })
    }

    /// Returns keys and values in canonical order; empty if it is not a mapping.
    pub fn entries(&self, node: NodeId) -> Vec<MapEntry<'a>> {
        value::mapping_entries(self.tree, self.text, node).unwrap_or_default()
    }

    /// Iterates over the items of a list, following an alias; empty if it is not a list.
    pub fn items(&self, node: NodeId) -> impl Iterator<Item = NodeId> + 'a {
        let node = self.tree.resolve_alias(node);
        let is_list = self.tree.kind(node).is_sequence();
        self.tree.children(node).filter(move |_| is_list)
    }

    /// Returns the value, if it is text.
    pub fn string(&self, node: NodeId) -> Option<Cow<'a, str>> {
        scalar::text(self.tree, self.text, node)
    }

    /// Returns a text field as Go's decoder fills it: the last of several spellings in byte order
    /// wins; null and other types leave it unchanged. An absent field has the position of `whole`.
    pub fn field(
        &self,
        entries: &[MapEntry<'a>],
        name: &str,
        whole: Place,
        pool: &mut Pool,
    ) -> Spanned<Text> {
        let mut found = Spanned::new(pool.text(""), whole);
        for entry in entries.iter().filter(|e| names_field(&e.key, name)) {
            if let Some(text) = self.string(entry.value_node) {
                found = Spanned::new(pool.text(&text), self.place(entry.value_node));
            } else if found.value.is_empty() {
                found.place = self.place(entry.value_node);
            }
        }
        found
    }

    /// Returns the value of a field of any type; the last of several spellings in byte order.
    pub fn value(&self, entries: &[MapEntry<'a>], name: &str) -> Option<NodeId> {
        entries
            .iter()
            .rfind(|e| names_field(&e.key, name))
            .map(|e| e.value_node)
    }

    pub fn canonical(&self, node: NodeId) -> String {
        value::canonical_json(self.tree, self.text, node).unwrap_or_default()
    }
}

/// The interned texts and properties of one file.
#[derive(Debug, Default)]
pub struct Pool {
    texts: HashSet<Text>,
    properties: HashSet<Arc<Property>>,
}

impl Pool {
    pub fn text(&mut self, text: &str) -> Text {
        if let Some(known) = self.texts.get(text) {
            return known.clone();
        }
        let text = Text::from(text);
        self.texts.insert(text.clone());
        text
    }

    pub fn property(&mut self, property: Property) -> Arc<Property> {
        if let Some(known) = self.properties.get(&property) {
            return known.clone();
        }
        let property = Arc::new(property);
        self.properties.insert(property.clone());
        property
    }
}
