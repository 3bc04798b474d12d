//! The dumps with a marker that `opm` adds to JSON errors.

use super::canonical::{self, Form};
use crate::syntax::scalar::{self, Typed};
use crate::syntax::tree::{NodeId, NodeKind, Tree};

const MARKER: &str = " <==";
/// Our dumps end here. `opm` formats a list ten thousand levels deep as hundreds of megabytes of
/// blanks.
const MAX_DUMP: usize = 64 * 1024;

/// See [`super::not_a_mapping`].
pub(super) fn not_a_mapping(tree: &Tree, text: &[u8]) -> Option<String> {
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
            .map_or("null", |typed: Typed<'_>| typed.json_type())
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

/// The first number of a JSON document that does not fit a float: its place, and `opm`'s message.
pub(super) fn number_beyond_float(tree: &Tree, text: &[u8]) -> Option<(usize, String)> {
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

/// The error with the value in four-space layout and a marker at the offset.
///
/// The place in the formatted text is found as `opm` does it, byte by byte, counting blanks; if
/// that runs past the end there is no dump.
pub(super) fn mark_offset(problem: &str, data: &[u8], offset: usize) -> String {
    let pretty = laid_out(data);
    let head = format!("{problem} at offset {offset} (indicated by{MARKER})\n");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if offset >= data.len() {
        return if offset == data.len() {
            head + &text(&pretty) + MARKER
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
        text(&pretty[..at]),
        text(&pretty[at..])
    )
}

/// `json.Indent` with four spaces.
fn laid_out(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len() * 2);
    let (mut depth, mut in_string, mut escaped, mut just_opened) = (0usize, false, false, false);
    let new_line = |out: &mut Vec<u8>, depth: usize| {
        out.push(b'\n');
        out.extend(std::iter::repeat_n(b' ', (4 * depth).min(MAX_DUMP)));
    };
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
