//! Whole subtrees as `opm` reads them after the conversion from YAML to JSON: the keys and values
//! of a mapping, and the canonical JSON text (keys sorted bytewise, numbers as Go writes floats).
//!
//! No tree of values is built; everything is read from the span tree and its text, without
//! recursion.

mod canonical;
mod dump;
mod entries;

#[cfg(test)]
mod tests;

use super::error::SyntaxError;
use super::tree::{NodeId, NodeKind, Tree};
use canonical::Form;
pub use dump::{mark_offset, not_a_mapping};
pub use entries::mapping_entries;
use std::borrow::Cow;

/// One key of a mapping and its effective value.
#[derive(Debug, Clone, PartialEq)]
pub struct MapEntry<'a> {
    /// The key in JSON: `1.10:` is "1.1", `on:` is "true".
    pub key: Cow<'a, str>,
    /// Where the key is written; inside another mapping if it was merged.
    pub key_node: NodeId,
    /// May be an alias: see [`Tree::resolve_alias`].
    pub value_node: NodeId,
}

/// Returns the canonical compact JSON text of a subtree, without a final line break.
pub fn canonical_json(tree: &Tree, text: &[u8], node: NodeId) -> Result<String, SyntaxError> {
    let mut out = String::with_capacity(tree.range(node).len() + 16);
    canonical::write(tree, text, node, Form::Canonical, Some(&mut out))?;
    Ok(out)
}

/// Returns the compact JSON text that the conversion from YAML produces: integers in full, `<`, `>`
/// and `&` escaped.
pub fn converted_json(tree: &Tree, text: &[u8], node: NodeId) -> Result<String, SyntaxError> {
    let mut out = String::with_capacity(tree.range(node).len() + 16);
    canonical::write(tree, text, node, Form::Converted, Some(&mut out))?;
    Ok(out)
}

/// Returns the canonical JSON of a whole document; "" if it is empty.
pub fn document_json(tree: &Tree, text: &[u8]) -> Result<String, SyntaxError> {
    tree.root().map_or_else(
        || Ok(String::new()),
        |root| canonical_json(tree, text, root),
    )
}

/// Whether `opm` can convert this document to JSON. Every part counts, used or not.
///
/// Nearly free for documents without aliases, tags, merge keys and odd keys or numbers.
pub fn check(tree: &Tree, text: &[u8]) -> Result<(), SyntaxError> {
    if !tree.suspicious && !tree.has_properties_or_aliases() {
        return Ok(());
    }
    let Some(root) = tree.root() else {
        return Ok(());
    };
    if tree.json {
        return match dump::number_beyond_float(tree, text) {
            Some((at, problem)) => Err(SyntaxError::bare(at, problem)),
            None => Ok(()),
        };
    }
    canonical::decode(tree, text, root)?;
    canonical::write(tree, text, root, Form::Canonical, None)
}

/// Whether the key is `<<` without quotes, or has the merge tag.
pub fn is_merge_key(tree: &Tree, text: &[u8], key: NodeId) -> bool {
    if tree.json || !tree.kind(key).is_scalar() {
        return false;
    }
    let implicit = match super::scalar::tag(tree, text, key).as_deref() {
        None => tree.kind(key) == NodeKind::Plain,
        Some("!" | "tag:yaml.org,2002:merge") => true,
        Some(_) => false,
    };
    implicit && super::scalar::decode(tree, text, key) == "<<"
}
