//! The entries of a mapping after duplicates, merges and aliases are resolved.

use super::dump::go_syntax;
use super::{MapEntry, is_merge_key};
use crate::error::SyntaxError;
use crate::go_text::format_key_float;
use crate::order::SortSmall;
use crate::scalar::{self, Typed};
use crate::tree::{NodeId, NodeKind, Tree};
use std::borrow::Cow;

/// Returns the entries of a mapping sorted by key, with merge keys expanded and only the last of
/// duplicates. Follows an alias. Empty for other nodes.
///
/// Fails for keys that `opm` cannot convert to text, but never for a document that
/// [`super::check`] accepted.
pub fn mapping_entries<'a>(
    tree: &Tree,
    text: &'a [u8],
    node: NodeId,
) -> Result<Vec<MapEntry<'a>>, SyntaxError> {
    let node = tree.resolve_alias(node);
    let pairs = if tree.suspicious || tree.has_properties_or_aliases() {
        collect_pairs(tree, text, node)?
    } else {
        tree.pairs(node).collect()
    };
    let mut entries = Vec::with_capacity(pairs.len());
    for (index, &(key_node, value_node)) in pairs.iter().enumerate() {
        // A refused key is reported with its effective value: that of the last equal key.
        let key = key_text(tree, text, key_node, value_node).or_else(|_| {
            let effective = last_value(tree, text, &pairs[index..], value_node);
            key_text(tree, text, key_node, effective)
        })?;
        entries.push(MapEntry {
            key,
            key_node,
            value_node,
        });
    }
    // The sort is stable, and the last of equal keys counts.
    entries.sort_small_by(|a, b| a.key.as_bytes().cmp(b.key.as_bytes()));
    entries.dedup_by(|later, earlier| {
        let is_same_key = later.key == earlier.key;
        if is_same_key {
            std::mem::swap(later, earlier);
        }
        is_same_key
    });
    Ok(entries)
}

/// Returns the number of nodes that may be read before a document is refused: aliases can expand
/// without end.
pub fn expansion_budget(tree: &Tree) -> usize {
    tree.len() * 2 + 1_000_000
}

/// Returns the value of the last pair whose key equals the first key; `value` if that fails.
fn last_value(tree: &Tree, text: &[u8], pairs: &[(NodeId, NodeId)], value: NodeId) -> NodeId {
    let typed = |key: NodeId| scalar::resolve(tree, text, key).ok().flatten();
    let Some(first) = pairs.first().and_then(|pair| typed(pair.0)) else {
        return value;
    };
    pairs
        .iter()
        .rfind(|pair| typed(pair.0).as_ref() == Some(&first))
        .map_or(value, |pair| pair.1)
}

/// Collects keys and values in the order in which Go sets them: merged keys at the merge key.
fn collect_pairs(
    tree: &Tree,
    text: &[u8],
    node: NodeId,
) -> Result<Vec<(NodeId, NodeId)>, SyntaxError> {
    let mut pairs = Vec::new();
    if !tree.kind(node).is_mapping() {
        return Ok(pairs);
    }
    let mut budget = expansion_budget(tree);
    let mut stack = vec![tree.children(node)];
    while let Some(children) = stack.last_mut() {
        let (Some(key_node), Some(value_node)) = (children.next(), children.next()) else {
            stack.pop();
            continue;
        };
        budget -= 1;
        if budget == 0 {
            return Err(SyntaxError::excessive_aliasing(tree.range(node).start));
        }
        if !is_merge_key(tree, text, key_node) {
            pairs.push((key_node, value_node));
            continue;
        }
        let merged = tree.resolve_alias(value_node);
        if tree.kind(merged).is_mapping() {
            stack.push(tree.children(merged));
        } else {
            // The first item has priority, so it is set last: it is the lowest on the stack.
            stack.extend(
                tree.children(merged)
                    .map(|item| tree.children(tree.resolve_alias(item))),
            );
        }
    }
    Ok(pairs)
}

/// Converts a key to text; `value` is for the error message.
fn key_text<'a>(
    tree: &Tree,
    text: &'a [u8],
    key: NodeId,
    value: NodeId,
) -> Result<Cow<'a, str>, SyntaxError> {
    let kind = tree.kind(key);
    let is_text = kind.is_scalar()
        && !matches!(kind, NodeKind::Plain | NodeKind::Absent)
        && !tree.node(key).has_properties;
    if tree.json || is_text {
        return Ok(scalar::decode(tree, text, key));
    }
    let at = tree.range(key).start;
    let unsupported = |kind: &str, key: String| {
        let value = go_syntax(tree, text, value);
        let problem = format!("unsupported map key of type: {kind}, key: {key}, value: {value}");
        Err(SyntaxError::conversion(at, problem))
    };
    match scalar::resolve(tree, text, key)? {
        Some(Typed::Text(text)) => Ok(text),
        Some(Typed::Bool(value)) => Ok(Cow::Borrowed(if value { "true" } else { "false" })),
        Some(Typed::Int(value)) => Ok(Cow::Owned(value.to_string())),
        Some(Typed::Float(value)) => Ok(Cow::Owned(format_key_float(value))),
        Some(Typed::Null) => unsupported("%!s(<nil>)", "<nil>".into()),
        Some(Typed::Uint(value)) => unsupported("uint64", format!("{value:#x}")),
        None => Err(SyntaxError::yaml(
            at,
            0,
            format!("invalid map key: {}", go_syntax(tree, text, key)),
        )),
    }
}
