//! Single scalars as Go reads them: their text (escapes, folding, chomping) and their type by YAML
//! 1.1.

mod decode;
mod resolve;

pub use resolve::{days_in_month, is_timestamp};

#[cfg(test)]
mod tests;

use super::error::SyntaxError;
use super::tree::{NodeId, NodeKind, Tree};
use crate::base64;
use std::borrow::Cow;

/// A scalar's value, by type.
#[derive(Debug, Clone, PartialEq)]
pub enum Typed<'a> {
    Null,
    Bool(bool),
    Int(i64),
    /// Beyond `i64`.
    Uint(u64),
    /// May be infinite or NaN.
    Float(f64),
    /// Includes dates.
    Text(Cow<'a, str>),
}

impl Typed<'_> {
    /// Returns the type's name in Go's JSON errors.
    pub fn json_type(&self) -> &'static str {
        match self {
            Typed::Null => "null",
            Typed::Bool(_) => "bool",
            Typed::Int(_) | Typed::Uint(_) | Typed::Float(_) => "number",
            Typed::Text(_) => "string",
        }
    }
}

/// Decodes the text of a scalar of any type: undoes quotes, escapes and line folding.
/// Follows an alias. "" for an absent scalar and for a collection.
pub fn decode<'a>(tree: &Tree, text: &'a [u8], node: NodeId) -> Cow<'a, str> {
    decode::decode(tree, text, tree.resolve_alias(node))
}

/// Returns the scalar's value. Follows an alias. `None` for collections.
///
/// Fails if `opm` does: a tag that does not fit the text, invalid base64, a JSON number beyond the
/// range of a float.
pub fn resolve<'a>(
    tree: &Tree,
    text: &'a [u8],
    node: NodeId,
) -> Result<Option<Typed<'a>>, SyntaxError> {
    let node = tree.resolve_alias(node);
    let kind = tree.kind(node);
    if !kind.is_scalar() {
        return Ok(None);
    }
    if kind != NodeKind::Plain && kind != NodeKind::Absent && !tree.node(node).has_properties {
        return Ok(Some(Typed::Text(decode::decode(tree, text, node))));
    }
    resolve::resolve(tree, text, node).map(Some)
}

/// Returns the bytes of a scalar with the tag `!!binary`, which need not be UTF-8.
pub(crate) fn binary(tree: &Tree, text: &[u8], node: NodeId) -> Option<Vec<u8>> {
    let node = tree.resolve_alias(node);
    if tag(tree, text, node)?.strip_prefix(resolve::CORE_TAG_PREFIX)? == "binary" {
        base64::decode(decode::decode(tree, text, node).as_bytes())
    } else {
        None
    }
}

/// Returns the text of a scalar. `None` for other types and for collections.
pub fn text<'a>(tree: &Tree, text: &'a [u8], node: NodeId) -> Option<Cow<'a, str>> {
    match resolve(tree, text, node) {
        Ok(Some(Typed::Text(text))) => Some(text),
        _ => None,
    }
}

/// Resolves an unquoted word by the YAML 1.1 rules of yaml.v2.
pub fn resolve_plain(word: &str) -> Typed<'_> {
    resolve::resolve_word(Cow::Borrowed(word))
}

/// Returns the tag of a node in its long form (`tag:yaml.org,2002:int`), if it has one.
pub fn tag(tree: &Tree, text: &[u8], node: NodeId) -> Option<String> {
    let range = tree.properties(node)?.tag.clone()?;
    Some(resolve::long_tag(
        tree,
        text.get(range.start as usize..range.end as usize)?,
    ))
}
