//! A document during conversion: tree, text and lines, with accessors, and the interned values of
//! its file.

use super::blob::Property;
use protocol::enum_with_text;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use syntax::go_text::names_field;
use syntax::hashed::HashSet;
use syntax::place::{LineIndex, Place, Spanned, Text};
use syntax::scalar::{self, Typed};
use syntax::tree::{NodeId, NodeKind, Tree};
use syntax::value::{self, MapEntry};

pub struct View<'a> {
    pub tree: &'a Tree,
    pub text: &'a [u8],
    lines: LineIndex,
}

enum_with_text! {
    /// As in Go's JSON errors.
    pub fn name;
    /// The JSON type of a value.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum JsonKind {
        Null = "null",
        Bool = "bool",
        Number = "number",
        String = "string",
        Array = "array",
        Object = "object",
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
        self.range_place(self.tree.range(node))
    }

    pub fn range_place(&self, range: Range<usize>) -> Place {
        self.lines.place(self.text, range)
    }

    pub fn line(&self, offset: usize) -> u32 {
        self.lines.line_column(self.text, offset).0
    }

    /// Returns the JSON type of a value; null if it does not resolve. Follows an alias.
    pub fn kind(&self, node: NodeId) -> JsonKind {
        let node = self.tree.resolve_alias(node);
        let kind = self.tree.kind(node);
        if kind.is_mapping() {
            return JsonKind::Object;
        }
        if kind.is_sequence() {
            return JsonKind::Array;
        }
        let is_text = match kind {
            NodeKind::Plain => self.is_surely_text(node),
            NodeKind::Absent => false,
            _ => true,
        };
        if is_text && !self.tree.node(node).has_properties {
            return JsonKind::String;
        }
        match scalar::resolve(self.tree, self.text, node) {
            Ok(Some(Typed::Bool(_))) => JsonKind::Bool,
            Ok(Some(Typed::Int(_) | Typed::Uint(_) | Typed::Float(_))) => JsonKind::Number,
            Ok(Some(Typed::Text(_))) => JsonKind::String,
            Ok(Some(Typed::Null) | None) | Err(_) => JsonKind::Null,
        }
    }

    /// Whether the first byte of a plain scalar excludes numbers and keywords. Avoids resolving
    /// most scalars: they are text, and many are long.
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

    /// Returns the text of a scalar; `None` for other types.
    pub fn string(&self, node: NodeId) -> Option<Cow<'a, str>> {
        scalar::text(self.tree, self.text, node)
    }

    /// Returns a text field as Go's decoder fills it: the last of several spellings in byte order
    /// wins; null and other types leave it unchanged. An absent field has the position of `parent`.
    pub fn field(
        &self,
        entries: &[MapEntry<'a>],
        name: &str,
        parent: Place,
        pool: &mut Pool,
    ) -> Spanned<Text> {
        let mut field = Spanned::new(pool.text(""), parent);
        for entry in entries.iter().filter(|e| names_field(&e.key, name)) {
            if let Some(text) = self.string(entry.value_node) {
                field = Spanned::new(pool.text(&text), self.place(entry.value_node));
            } else if field.value.is_empty() {
                field.place = self.place(entry.value_node);
            }
        }
        field
    }

    /// Returns the value of a field of any type; the last of several spellings in byte order.
    pub fn field_value(&self, entries: &[MapEntry<'a>], name: &str) -> Option<NodeId> {
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
        if let Some(existing) = self.texts.get(text) {
            return existing.clone();
        }
        let text = Text::from(text);
        self.texts.insert(text.clone());
        text
    }

    pub fn property(&mut self, property: Property) -> Arc<Property> {
        if let Some(existing) = self.properties.get(&property) {
            return existing.clone();
        }
        let property = Arc::new(property);
        self.properties.insert(property.clone());
        property
    }
}
