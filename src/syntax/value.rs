//! Reads whole subtrees as `opm` does after the conversion from YAML to JSON: the keys and values
//! of a mapping, and the canonical JSON text (keys sorted bytewise, numbers written like Go's
//! floats).
//!
//! Works on the span tree and its text, without recursion; builds no tree of values.

mod canonical;
mod decoding;
mod dump;
mod entries;

#[cfg(test)]
mod tests;

use super::error::SyntaxError;
use super::tree::{NodeId, NodeKind, Tree};
use canonical::Form;
pub use dump::{format_as_bool_and_value, mark_offset, not_a_mapping};
pub use entries::mapping_entries;
use std::borrow::Cow;

/// One key of a mapping and its effective value.
#[derive(Debug, Clone, PartialEq)]
pub struct MapEntry<'a> {
    /// The key in JSON: `1.10:` is "1.1", `on:` is "true".
    pub key: Cow<'a, str>,
    /// The key as written; inside another mapping if it was merged.
    pub key_node: NodeId,
    /// May be an alias: see [`Tree::resolve_alias`].
    pub value_node: NodeId,
}

/// Returns the canonical compact JSON text of a subtree, without a final line break.
pub fn canonical_json(tree: &Tree, text: &[u8], node: NodeId) -> Result<String, SyntaxError> {
    json(tree, text, node, Form::Canonical)
}

/// Returns the compact JSON text that the conversion from YAML produces: integers in full, `<`, `>`
/// and `&` escaped.
pub fn converted_json(tree: &Tree, text: &[u8], node: NodeId) -> Result<String, SyntaxError> {
    json(tree, text, node, Form::Converted)
}

fn json(tree: &Tree, text: &[u8], node: NodeId, form: Form) -> Result<String, SyntaxError> {
    let mut out = String::with_capacity(tree.range(node).len() + 16);
    canonical::write(tree, text, node, form, Some(&mut out))?;
    Ok(out)
}

/// Returns the canonical JSON of a whole document; "" if it is empty.
pub fn document_json(tree: &Tree, text: &[u8]) -> Result<String, SyntaxError> {
    tree.root().map_or_else(
        || Ok(String::new()),
        |root| canonical_json(tree, text, root),
    )
}

/// Fails if `opm` cannot convert this document to JSON, including the parts that it does not use.
///
/// Nearly free for documents without aliases, tags, merge keys and unusual keys or numbers.
pub fn check(tree: &Tree, text: &[u8]) -> Result<(), SyntaxError> {
    if !tree.suspicious && !tree.has_properties_or_aliases() {
        return Ok(());
    }
    let Some(root) = tree.root() else {
        return Ok(());
    };
    if tree.json {
        return dump::check_number_range(tree, text);
    }
    decoding::check_decoding(tree, text, root)?;
    canonical::write(tree, text, root, Form::Canonical, None)
}

/// Whether the key is `<<` without quotes, or has the merge tag.
pub fn is_merge_key(tree: &Tree, text: &[u8], key: NodeId) -> bool {
    if tree.json || !tree.kind(key).is_scalar() {
        return false;
    }
    let may_merge = match super::scalar::tag(tree, text, key).as_deref() {
        None => tree.kind(key) == NodeKind::Plain,
        Some("!" | "tag:yaml.org,2002:merge") => true,
        Some(_) => false,
    };
    may_merge && super::scalar::decode(tree, text, key) == "<<"
}
