//! Prints values for error messages: the dumps with a marker that `opm` adds to JSON errors, and
//! Go's own syntax (`%#v`).

use super::canonical::{self, Form};
use super::is_merge_key;
use crate::go_text::{float, quote};
use crate::scalar::{self, Typed};
use crate::tree::{NodeId, NodeKind, Tree};
use std::collections::BTreeMap;

const MARKER: &str = " <==";
/// Maximum size of a dump. `opm` formats a list ten thousand levels deep as hundreds of megabytes
/// of blanks.
const MAX_DUMP: usize = 64 * 1024;

/// Returns `opm`'s error for a document whose root is not a mapping, with its dump of the value;
/// `None` if it is a mapping, null or empty.
///
/// For YAML the message has its prefix (`error unmarshaling JSON: while decoding JSON: `), for JSON
/// it has none.
pub fn not_a_mapping(tree: &Tree, text: &[u8]) -> Option<String> {
    let root = tree.resolve_alias(tree.root()?);
    if tree.kind(root).is_mapping() {
        return None;
    }
    let kind = if tree.kind(root).is_sequence() {
        "array"
    } else if tree.json && tree.kind(root) == NodeKind::Plain {
        match text.get(tree.range(root).start) {
            Some(b't' | b'f') => "bool",
            Some(b'n') => "null",
            _ => "number",
        }
    } else {
        scalar::resolve(tree, text, root)
            .ok()
            .flatten()
            .map_or("null", |typed| typed.json_type())
    };
    if kind == "null" {
        return None;
    }
    let mut converted = String::new();
    let data = if tree.json {
        text.get(tree.range(root)).unwrap_or_default()
    } else {
        // Cannot fail: the document was checked.
        let _ = canonical::write(tree, text, root, Form::Converted, Some(&mut converted));
        converted.as_bytes()
    };
    let offset = if kind == "array" { 1 } else { data.len() };
    let problem =
        format!("json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}");
    let prefix = if tree.json {
        ""
    } else {
        "error unmarshaling JSON: while decoding JSON: "
    };
    Some(format!("{prefix}{}", mark_offset(&problem, data, offset)))
}

/// Finds the first number of a JSON document that does not fit a float: its place, and `opm`'s
/// message.
pub fn number_beyond_float(tree: &Tree, text: &[u8]) -> Option<(usize, String)> {
    let root = tree.root().filter(|&root| tree.kind(root).is_mapping())?;
    let beyond = (0..tree.len() as u32).map(NodeId).find_map(|node| {
        let error = (tree.kind(node) == NodeKind::Plain)
            .then(|| scalar::resolve(tree, text, node).err())??;
        Some((node, error))
    });
    let (node, error) = beyond?;
    let data = text.get(tree.range(root)).unwrap_or_default();
    let range = tree.range(node);
    let offset = range.end + 1 - tree.range(root).start;
    Some((range.start, mark_offset(&error.problem, data, offset)))
}

/// Formats a JSON error with the value that it refers to, in four-space layout, and a marker at the
/// offset.
///
/// The place in the formatted text is found like in `opm`, byte by byte, counting blanks; if that
/// runs past the end the dump is omitted.
pub fn mark_offset(problem: &str, data: &[u8], offset: usize) -> String {
    let pretty = laid_out(data);
    let head = format!("{problem} at offset {offset} (indicated by{MARKER})\n");
    if offset >= data.len() {
        return if offset == data.len() {
            head + &String::from_utf8_lossy(&pretty) + MARKER
        } else {
            problem.to_owned()
        };
    }
    let mut at = 0;
    for &b in &data[..offset] {
        match pretty[at.min(pretty.len())..].iter().position(|&p| p == b) {
            Some(skipped) => at += skipped + 1,
            None => return problem.to_owned(),
        }
    }
    format!(
        "{head}{}{MARKER} {}",
        String::from_utf8_lossy(&pretty[..at]),
        String::from_utf8_lossy(&pretty[at..])
    )
}

/// Formats like `json.Indent` with four spaces.
fn laid_out(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len() * 2);
    let (mut depth, mut in_string, mut escaped, mut just_opened) = (0usize, false, false, false);
    for &b in data {
        if out.len() > MAX_DUMP {
            break;
        }
        if in_string {
            out.push(b);
            in_string = escaped || b != b'"';
            escaped = !escaped && b == b'\\';
            continue;
        }
        if matches!(b, b' ' | b'\t' | b'\n' | b'\r') {
            continue;
        }
        let closes = matches!(b, b'}' | b']');
        if std::mem::take(&mut just_opened) {
            if !closes {
                depth += 1;
                new_line(&mut out, depth);
            }
        } else if closes {
            depth = depth.saturating_sub(1);
            new_line(&mut out, depth);
        }
        out.push(b);
        match b {
            b'"' => in_string = true,
            b'{' | b'[' => just_opened = true,
            b',' => new_line(&mut out, depth),
            b':' => out.push(b' '),
            _ => {}
        }
    }
    out
}

fn new_line(out: &mut Vec<u8>, depth: usize) {
    out.push(b'\n');
    out.extend(std::iter::repeat_n(b' ', (4 * depth).min(MAX_DUMP)));
}

/// Deeper parts are omitted.
const MAX_DEPTH: usize = 32;

pub fn go_syntax(tree: &Tree, text: &[u8], node: NodeId) -> String {
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
