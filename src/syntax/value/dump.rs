//! Formats values for error messages: with a marker at an offset, as `opm` does for JSON errors,
//! and with the verbs `%#v`, `%v` and `%t` of Go.

use super::canonical::{self, Form};
use super::{is_merge_key, mapping_entries};
use crate::error::SyntaxError;
use crate::go_text::{format_float, quote};
use crate::scalar::{self, Typed};
use crate::tree::{NodeId, NodeKind, Tree};
use std::borrow::Cow;
use std::collections::BTreeMap;

const MARKER: &str = " <==";
/// Maximum size of a dump. `opm` indents a list that is ten thousand levels deep with hundreds of
/// megabytes of blanks.
const MAX_DUMP_BYTES: usize = 64 * 1024;
/// Maximum nesting in [`go_syntax`]. Deeper values are written as `...`.
const MAX_DEPTH: usize = 32;

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
    let kind = json_type(tree, text, root);
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
    let message = mark_offset(&problem, data, offset);
    Some(if tree.json {
        message
    } else {
        format!("error unmarshaling JSON: while decoding JSON: {message}")
    })
}

/// Returns the node's type in Go's JSON errors.
fn json_type(tree: &Tree, text: &[u8], node: NodeId) -> &'static str {
    if tree.kind(node).is_sequence() {
        return "array";
    }
    if tree.json && tree.kind(node) == NodeKind::Plain {
        return match text.get(tree.range(node).start) {
            Some(b't' | b'f') => "bool",
            Some(b'n') => "null",
            _ => "number",
        };
    }
    let value = scalar::resolve(tree, text, node).ok().flatten();
    value.map_or("null", |value| value.json_type())
}

/// Fails if a number of a JSON document does not fit a float.
pub fn check_number_range(tree: &Tree, text: &[u8]) -> Result<(), SyntaxError> {
    let Some(root) = tree.root().filter(|&root| tree.kind(root).is_mapping()) else {
        return Ok(());
    };
    for node in (0..tree.len() as u32).map(NodeId) {
        if tree.kind(node) == NodeKind::Plain
            && let Err(error) = scalar::resolve(tree, text, node)
        {
            let data = text.get(tree.range(root)).unwrap_or_default();
            let range = tree.range(node);
            let offset = range.end + 1 - tree.range(root).start;
            let problem = mark_offset(&error.problem, data, offset);
            return Err(SyntaxError::bare(range.start, problem));
        }
    }
    Ok(())
}

/// Formats a JSON error with its value, indented by four spaces, and a marker at the offset.
///
/// Finds the position in the formatted text like `opm`: byte by byte, counting blanks. If it is
/// past the end, the dump is omitted.
pub fn mark_offset(problem: &str, data: &[u8], offset: usize) -> String {
    let pretty = indent_json(data);
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
fn indent_json(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len() * 2);
    let (mut depth, mut in_string, mut escaped, mut just_opened) = (0usize, false, false, false);
    for &b in data {
        if out.len() > MAX_DUMP_BYTES {
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
    out.extend(std::iter::repeat_n(b' ', (4 * depth).min(MAX_DUMP_BYTES)));
}

/// Formats a value like `%#v`.
pub fn go_syntax(tree: &Tree, text: &[u8], node: NodeId) -> String {
    let mut out = String::new();
    push_go_syntax(tree, text, node, 0, &mut out);
    out
}

fn push_go_syntax(tree: &Tree, text: &[u8], node: NodeId, depth: usize, out: &mut String) {
    let node = tree.resolve_alias(node);
    if depth > MAX_DEPTH {
        out.push_str("...");
    } else if tree.kind(node).is_sequence() {
        out.push_str("[]interface {}{");
        for (i, item) in tree.children(node).enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            push_go_syntax(tree, text, item, depth + 1, out);
        }
        out.push('}');
    } else if tree.kind(node).is_mapping() {
        push_go_map(tree, text, node, depth, out);
    } else {
        push_go_scalar(tree, text, node, depth, out);
    }
}

fn push_go_map(tree: &Tree, text: &[u8], node: NodeId, depth: usize, out: &mut String) {
    let mut pairs: BTreeMap<String, NodeId> = BTreeMap::new();
    for (key, value) in tree.pairs(node) {
        if is_merge_key(tree, text, key) {
            continue;
        }
        let mut name = String::new();
        push_go_syntax(tree, text, key, depth + 1, &mut name);
        pairs.insert(name, value);
    }
    out.push_str("map[interface {}]interface {}{");
    for (i, (name, value)) in pairs.into_iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        out.push_str(&name);
        out.push(':');
        push_go_syntax(tree, text, value, depth + 1, out);
    }
    out.push('}');
}

fn push_go_scalar(tree: &Tree, text: &[u8], node: NodeId, depth: usize, out: &mut String) {
    match scalar::resolve(tree, text, node).ok().flatten() {
        None | Some(Typed::Null) if depth == 0 => out.push_str("<nil>"),
        None | Some(Typed::Null) => out.push_str("interface {}(nil)"),
        Some(Typed::Bool(value)) => out.push_str(if value { "true" } else { "false" }),
        Some(Typed::Int(value)) => out.push_str(&value.to_string()),
        Some(Typed::Uint(value)) => out.push_str(&format!("{value:#x}")),
        Some(Typed::Float(value)) if value.is_finite() => out.push_str(&format_float(value)),
        Some(Typed::Float(value)) => out.push_str(non_finite_name(value)),
        Some(Typed::Text(value)) => match scalar::binary(tree, text, node) {
            Some(bytes) => quote_bytes(&bytes, out),
            None => out.push_str(&quote(&value)),
        },
    }
}

/// Returns Go's name of an infinity or NaN.
pub fn non_finite_name(value: f64) -> &'static str {
    if value.is_nan() {
        "NaN"
    } else if value > 0.0 {
        "+Inf"
    } else {
        "-Inf"
    }
}

/// Formats a value with `%t`, which is meant for booleans, and `%v`, separated by a colon.
pub fn format_as_bool_and_value(tree: &Tree, text: &[u8], node: NodeId) -> String {
    let [bool, value] = [Verb::Bool, Verb::Value].map(|verb| format_with(tree, text, node, verb));
    format!("{bool}: {value}")
}

/// A formatting verb of Go's `fmt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    /// `%t`
    Bool,
    /// `%v`
    Value,
}

enum Part<'a> {
    Node(NodeId),
    Key(Cow<'a, str>),
    Text(&'static str),
}

fn format_with(tree: &Tree, text: &[u8], node: NodeId, verb: Verb) -> String {
    let mut out = String::new();
    // Pending parts, last first: avoids recursion on deep values.
    let mut pending = vec![Part::Node(node)];
    let mut is_root = true;
    while let Some(part) = pending.pop() {
        let node = match part {
            Part::Text(text) => {
                out.push_str(text);
                continue;
            }
            Part::Key(key) => {
                push_with(&mut out, verb, "string", &key);
                continue;
            }
            Part::Node(node) => tree.resolve_alias(node),
        };
        let mut parts = Vec::new();
        if tree.kind(node).is_mapping() {
            out.push_str("map[");
            let entries = mapping_entries(tree, text, node).unwrap_or_default();
            for (i, entry) in entries.into_iter().enumerate() {
                parts.extend((i > 0).then_some(Part::Text(" ")));
                parts.extend([Part::Key(entry.key), Part::Text(":")]);
                parts.push(Part::Node(entry.value_node));
            }
            parts.push(Part::Text("]"));
        } else if tree.kind(node).is_sequence() {
            out.push('[');
            for (i, item) in tree.children(node).enumerate() {
                parts.extend((i > 0).then_some(Part::Text(" ")));
                parts.push(Part::Node(item));
            }
            parts.push(Part::Text("]"));
        } else {
            let value = scalar::resolve(tree, text, node).ok().flatten();
            push_scalar_with(&mut out, verb, value, is_root);
        }
        pending.extend(parts.into_iter().rev());
        is_root = false;
    }
    out
}

fn push_scalar_with(out: &mut String, verb: Verb, value: Option<Typed<'_>>, is_root: bool) {
    let number = match value {
        None | Some(Typed::Null) if verb == Verb::Bool && is_root => {
            return out.push_str("%!t(<nil>)");
        }
        None | Some(Typed::Null) => return out.push_str("<nil>"),
        Some(Typed::Bool(value)) => return out.push_str(if value { "true" } else { "false" }),
        Some(Typed::Text(value)) => return push_with(out, verb, "string", &value),
        Some(Typed::Int(value)) => value as f64,
        Some(Typed::Uint(value)) => value as f64,
        Some(Typed::Float(value)) => value,
    };
    push_with(out, verb, "float64", &format_float(number));
}

fn push_with(out: &mut String, verb: Verb, go_type: &str, value: &str) {
    match verb {
        Verb::Bool => out.extend(["%!t(", go_type, "=", value, ")"]),
        Verb::Value => out.push_str(value),
    }
}

/// Like [`quote`], for bytes that may not be UTF-8.
fn quote_bytes(bytes: &[u8], out: &mut String) {
    out.push('"');
    for chunk in bytes.utf8_chunks() {
        let quoted = quote(chunk.valid());
        out.push_str(&quoted[1..quoted.len() - 1]);
        for byte in chunk.invalid() {
            out.push_str(&format!("\\x{byte:02x}"));
        }
    }
    out.push('"');
}
