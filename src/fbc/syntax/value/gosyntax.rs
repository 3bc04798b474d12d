//! Values in Go's own syntax (`%#v`), as two error messages print them.

use super::is_merge_key;
use crate::go_text::{float, quote};
use crate::syntax::scalar::{self, Typed};
use crate::syntax::tree::{NodeId, Tree};
use std::collections::BTreeMap;

/// Deeper parts are left out.
const MAX_DEPTH: usize = 32;

pub(super) fn go_syntax(tree: &Tree, text: &[u8], node: NodeId) -> String {
    let mut out = String::new();
    write(tree, text, node, 0, &mut out);
    out
}

fn write(tree: &Tree, text: &[u8], node: NodeId, depth: usize, out: &mut String) {
    let node = tree.resolve_alias(node);
    if depth > MAX_DEPTH {
        out.push_str("...");
    } else if tree.kind(node).is_sequence() {
        out.push_str("[]interface {}{");
        for (i, item) in tree.children(node).enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            write(tree, text, item, depth + 1, out);
        }
        out.push('}');
    } else if tree.kind(node).is_mapping() {
        let mut pairs: BTreeMap<String, NodeId> = BTreeMap::new();
        for (key, value) in tree
            .pairs(node)
            .filter(|(key, _)| !is_merge_key(tree, text, *key))
        {
            let mut name = String::new();
            write(tree, text, key, depth + 1, &mut name);
            pairs.insert(name, value);
        }
        out.push_str("map[interface {}]interface {}{");
        for (i, (name, value)) in pairs.into_iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            out.push_str(&name);
            out.push(':');
            write(tree, text, value, depth + 1, out);
        }
        out.push('}');
    } else {
        match scalar::resolve(tree, text, node).ok().flatten() {
            None | Some(Typed::Null) => out.push_str(if depth == 0 {
                "<nil>"
            } else {
                "interface {}(nil)"
            }),
            Some(Typed::Bool(value)) => out.push_str(if value { "true" } else { "false" }),
            Some(Typed::Int(value)) => out.push_str(&value.to_string()),
            Some(Typed::Uint(value)) => out.push_str(&format!("{value:#x}")),
            Some(Typed::Float(value)) if value.is_nan() => out.push_str("NaN"),
            Some(Typed::Float(value)) if value.is_infinite() => {
                out.push_str(["-Inf", "+Inf"][usize::from(value > 0.0)])
            }
            Some(Typed::Float(value)) => out.push_str(&float(value)),
            Some(Typed::Text(value)) => match scalar::binary(tree, text, node) {
                Some(bytes) => quote_bytes(&bytes, out),
                None => out.push_str(&quote(&value)),
            },
        }
    }
}

/// Like [`quote`], for bytes that may not be UTF-8.
fn quote_bytes(bytes: &[u8], out: &mut String) {
    out.push('"');
    for chunk in bytes.utf8_chunks() {
        let quoted = quote(chunk.valid());
        out.push_str(&quoted[1..quoted.len() - 1]);
        chunk
            .invalid()
            .iter()
            .for_each(|byte| out.push_str(&format!("\\x{byte:02x}")));
    }
    out.push('"');
}
