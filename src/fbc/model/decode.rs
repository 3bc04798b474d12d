//! Checks whether Go's JSON decoder would accept a value for a type, and which error it would
//! report.
//!
//! Decodes nothing; facts are read where they are needed. Go reports the first error in canonical
//! order. Almost all values are valid, so they are first checked in text order, without sorting;
//! only an error triggers sorting, removing duplicates and resolving merge keys to confirm it. The
//! recursion depth depends on the types, not on the input.

use super::shapes::{Shape, Struct};
use super::view::{JsonKind, View};
use crate::go_text::names_field;
use crate::syntax::base64;
use crate::syntax::scalar;
use crate::syntax::tree::{NodeId, NodeKind};
use std::borrow::Cow;

/// Go's message, and the value it concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DecodeError {
    pub(super) message: String,
    pub(super) node: NodeId,
}

/// Checks `node` as the whole value of a type.
pub(super) fn check(view: &View<'_>, node: NodeId, shape: &Shape) -> Result<(), DecodeError> {
    let plain = !view.tree.has_properties_or_aliases();
    if plain && Decoder::new(view, false).value(node, shape).is_ok() {
        return Ok(());
    }
    Decoder::new(view, true).value(node, shape)
}

/// Checks a mapping as a struct.
pub(super) fn check_struct(
    view: &View<'_>,
    node: NodeId,
    s: &'static Struct,
) -> Result<(), DecodeError> {
    check(view, node, &Shape::Struct(s))
}

struct Decoder<'v, 'a> {
    view: &'v View<'a>,
    canonical: bool,
    /// JSON names of the enclosing struct fields.
    path: Vec<&'static str>,
    inside: Option<&'static Struct>,
}

impl<'v, 'a> Decoder<'v, 'a> {
    fn new(view: &'v View<'a>, canonical: bool) -> Self {
        Self {
            view,
            canonical,
            path: Vec::new(),
            inside: None,
        }
    }

    fn value(&mut self, node: NodeId, shape: &Shape) -> Result<(), DecodeError> {
        if matches!(shape, Shape::Any) {
            return Ok(());
        }
        let kind = self.view.kind(node);
        match (shape, kind) {
            (_, JsonKind::Null)
            | (Shape::Text(_), JsonKind::String)
            | (Shape::Bool, JsonKind::Bool) => Ok(()),
            (Shape::Bytes, JsonKind::String) => self.base64(node),
            (Shape::Bytes, JsonKind::Array) => self.list(node, &Shape::Int("uint8", 0, 255)),
            (Shape::Int(_, low, high), JsonKind::Number) => {
                let number = self.view.canonical(node);
                match number.parse::<i64>() {
                    Ok(n) if (*low..=*high).contains(&n) => Ok(()),
                    _ => Err(self.mismatch(node, &format!("number {number}"), shape)),
                }
            }
            (Shape::TextMap, JsonKind::Object) => self.each(node, |decoder, _, value| {
                decoder.value(value, &Shape::Text("string"))
            }),
            (Shape::List(item), JsonKind::Array) => self.list(node, item),
            (Shape::Struct(s), JsonKind::Object) => {
                let outer = self.inside;
                let result = self.each(node, |decoder, key, value| {
                    let Some((name, shape)) = field(s, key) else {
                        return Ok(());
                    };
                    decoder.inside = Some(s);
                    decoder.path.push(name);
                    let result = decoder.value(value, shape);
                    decoder.path.pop();
                    result
                });
                self.inside = outer;
                result
            }
            _ => Err(self.mismatch(node, kind.word(), shape)),
        }
    }

    fn list(&mut self, node: NodeId, item: &Shape) -> Result<(), DecodeError> {
        let inside = self.inside;
        for child in self.view.items(node) {
            self.value(child, item)?;
            self.inside = inside;
        }
        Ok(())
    }

    fn each(
        &mut self,
        node: NodeId,
        mut visit: impl FnMut(&mut Self, &[u8], NodeId) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        if self.canonical {
            for entry in self.view.entries(node) {
                visit(self, entry.key.as_bytes(), entry.value_node)?;
            }
            return Ok(());
        }
        for (key, value) in self.view.tree.pairs(node) {
            let spelled = self.key(key);
            if &*spelled == b"<<" && self.view.tree.kind(key) == NodeKind::Plain {
                // A merge key: check again in canonical order.
                return Err(DecodeError {
                    message: String::new(),
                    node: key,
                });
            }
            visit(self, &spelled, value)?;
        }
        Ok(())
    }

    /// A key as written; field names never contain escapes.
    fn key(&self, key: NodeId) -> Cow<'a, [u8]> {
        let bytes = &self.view.text[self.view.tree.range(key)];
        let inner = match self.view.tree.kind(key) {
            NodeKind::Plain => Some(bytes),
            NodeKind::DoubleQuoted if !bytes.contains(&b'\\') => {
                bytes.get(1..bytes.len().saturating_sub(1))
            }
            _ => None,
        };
        match inner {
            Some(inner) => Cow::Borrowed(inner),
            None => Cow::Owned(
                scalar::decode(self.view.tree, self.view.text, key)
                    .into_owned()
                    .into_bytes(),
            ),
        }
    }

    fn base64(&self, node: NodeId) -> Result<(), DecodeError> {
        let text = self.view.string(node).unwrap_or_default();
        base64::check(text.as_bytes()).map_err(|at| DecodeError {
            message: format!("illegal base64 data at input byte {at}"),
            node,
        })
    }

    fn mismatch(&self, node: NodeId, found: &str, shape: &Shape) -> DecodeError {
        let message = match self.inside {
            Some(s) => format!(
                "json: cannot unmarshal {found} into Go struct field {}.{} of type {}",
                s.name(),
                self.path.join("."),
                shape.go()
            ),
            None => format!(
                "json: cannot unmarshal {found} into Go value of type {}",
                shape.go()
            ),
        };
        DecodeError { message, node }
    }
}

/// The field for a key: the exact name, else case-insensitively.
fn field(s: &'static Struct, key: &[u8]) -> Option<(&'static str, &'static Shape)> {
    let exact = s.fields.iter().find(|(name, _)| name.as_bytes() == key);
    let found = exact.or_else(|| {
        let key = std::str::from_utf8(key).ok()?;
        s.fields.iter().find(|(name, _)| names_field(key, name))
    });
    found.map(|(name, shape)| (*name, shape))
}
