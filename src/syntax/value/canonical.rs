//! The canonical JSON text of a subtree, and the errors of Go's JSON step.

use super::dump::go_syntax;
use super::entries::mapping_entries;
use super::{MapEntry, is_merge_key};
use crate::error::SyntaxError;
use crate::go_text::{json_float, push_json_string};
use crate::scalar::{self, Typed};
use crate::tree::{Children, NodeId, NodeKind, Tree};
use std::collections::HashSet;

const MAX_DEPTH: usize = 10_000;

/// The two texts that Go produces in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// What typed decoding sees: every number is a float.
    Canonical,
    /// What the conversion from YAML produces: integers in full, `<`, `>` and `&` escaped.
    Converted,
}

enum Frame<'t, 'a> {
    Mapping(std::vec::IntoIter<MapEntry<'a>>),
    Sequence(Children<'t>),
}

/// Writes the subtree in canonical order; with `None`, only checks that it can be written.
///
/// Keys are refused before infinities, and these before nesting, whatever their order in the text:
/// Go makes three separate passes.
pub fn write<'a>(
    tree: &Tree,
    text: &'a [u8],
    node: NodeId,
    form: Form,
    mut out: Option<&mut String>,
) -> Result<(), SyntaxError> {
    let mut unsupported = None;
    let mut too_deep = None;
    let mut budget = tree.len() * 2 + 1_000_000;
    let mut frames: Vec<(Frame<'_, 'a>, bool)> = Vec::new();
    let mut next = Some(node);
    loop {
        if let Some(node) = next.take() {
            let node = tree.resolve_alias(node);
            let at = tree.range(node).start;
            budget -= 1;
            if budget == 0 {
                return Err(SyntaxError::yaml(
                    at,
                    0,
                    "document contains excessive aliasing",
                ));
            }
            let kind = tree.kind(node);
            if kind.is_mapping() || kind.is_sequence() {
                let (frame, bracket) = if kind.is_mapping() {
                    (
                        Frame::Mapping(mapping_entries(tree, text, node)?.into_iter()),
                        '{',
                    )
                } else {
                    (Frame::Sequence(tree.children(node)), '[')
                };
                if let Some(out) = &mut out {
                    out.push(bracket);
                }
                frames.push((frame, true));
                if frames.len() > MAX_DEPTH && too_deep.is_none() {
                    let problem = format!("invalid character '{bracket}' exceeded max depth");
                    let opm = format!("error unmarshaling JSON: while decoding JSON: {problem}");
                    too_deep = Some(SyntaxError {
                        at: at as u32,
                        opm,
                        problem,
                    });
                }
            } else if let Some(out) = &mut out {
                if let Err(error) = scalar_json(tree, text, node, form, out) {
                    unsupported.get_or_insert(error);
                }
            } else if (kind == NodeKind::Plain || tree.node(node).has_properties)
                && let Err(error) = scalar_json(tree, text, node, form, &mut String::new())
            {
                unsupported.get_or_insert(error);
            }
        }
        let Some((frame, first)) = frames.last_mut() else {
            break;
        };
        let separator = if std::mem::take(first) { "" } else { "," };
        match frame {
            Frame::Mapping(entries) => match entries.next() {
                Some(entry) => {
                    if let Some(out) = &mut out {
                        out.push_str(separator);
                        push_json_string(out, &entry.key, form == Form::Converted);
                        out.push(':');
                    }
                    next = Some(entry.value_node);
                }
                None => {
                    frames.pop();
                    if let Some(out) = &mut out {
                        out.push('}');
                    }
                }
            },
            Frame::Sequence(items) => match items.next() {
                Some(item) => {
                    if let Some(out) = &mut out {
                        out.push_str(separator);
                    }
                    next = Some(item);
                }
                None => {
                    frames.pop();
                    if let Some(out) = &mut out {
                        out.push(']');
                    }
                }
            },
        }
    }
    unsupported.or(too_deep).map_or(Ok(()), Err)
}

fn scalar_json(
    tree: &Tree,
    text: &[u8],
    node: NodeId,
    form: Form,
    out: &mut String,
) -> Result<(), SyntaxError> {
    match scalar::resolve(tree, text, node)? {
        None | Some(Typed::Null) => out.push_str("null"),
        Some(Typed::Bool(value)) => out.push_str(if value { "true" } else { "false" }),
        Some(Typed::Int(value)) if form == Form::Converted => out.push_str(&value.to_string()),
        Some(Typed::Uint(value)) if form == Form::Converted => out.push_str(&value.to_string()),
        Some(Typed::Int(value)) => out.push_str(&json_float(value as f64)),
        Some(Typed::Uint(value)) => out.push_str(&json_float(value as f64)),
        Some(Typed::Float(value)) if value.is_finite() => out.push_str(&json_float(value)),
        Some(Typed::Float(value)) => {
            let name = if value.is_nan() {
                "NaN"
            } else {
                ["-Inf", "+Inf"][usize::from(value > 0.0)]
            };
            let problem = format!("json: unsupported value: {name}");
            return Err(SyntaxError::conversion(tree.range(node).start, problem));
        }
        Some(Typed::Text(value)) => match scalar::binary(tree, text, node) {
            Some(bytes) if form == Form::Converted => push_binary(out, &bytes),
            _ => push_json_string(out, &value, form == Form::Converted),
        },
    }
    Ok(())
}

/// Writes bytes like Go writes them as text: invalid UTF-8 becomes escapes.
fn push_binary(out: &mut String, bytes: &[u8]) {
    let mut text = String::new();
    out.push('"');
    for chunk in bytes.utf8_chunks() {
        text.clear();
        push_json_string(&mut text, chunk.valid(), true);
        out.push_str(&text[1..text.len() - 1]);
        out.push_str(&"\\ufffd".repeat(chunk.invalid().len()));
    }
    out.push('"');
}

#[derive(Debug)]
enum CheckStep<'t> {
    Visit(NodeId),
    /// An alias whose target was visited.
    Leave(NodeId),
    Items(Children<'t>),
    Pairs(Children<'t>),
    /// A key that was visited.
    Key(NodeId),
    /// One of a list of mappings to merge.
    MergeItem(NodeId),
}

pub fn decode(tree: &Tree, text: &[u8], root: NodeId) -> Result<(), SyntaxError> {
    let mut counts = Counts {
        decoded: 1,
        ..Counts::default()
    };
    let mut inside: HashSet<NodeId> = HashSet::new();
    let mut steps = vec![CheckStep::Visit(root)];
    while let Some(step) = steps.pop() {
        match step {
            CheckStep::Visit(node) => {
                let at = tree.range(node).start;
                if !counts.count() {
                    return Err(SyntaxError::yaml(
                        at,
                        0,
                        "document contains excessive aliasing",
                    ));
                }
                match tree.kind(node) {
                    NodeKind::Alias => {
                        if !inside.insert(node) {
                            let name = text.get(at + 1..tree.range(node).end).unwrap_or_default();
                            let name = String::from_utf8_lossy(name);
                            return Err(SyntaxError::yaml(
                                at,
                                0,
                                format!("anchor '{name}' value contains itself"),
                            ));
                        }
                        counts.depth += 1;
                        steps.push(CheckStep::Leave(node));
                        steps.push(CheckStep::Visit(tree.resolve_alias(node)));
                    }
                    kind if kind.is_mapping() => steps.push(CheckStep::Pairs(tree.children(node))),
                    kind if kind.is_sequence() => steps.push(CheckStep::Items(tree.children(node))),
                    _ if tree.node(node).has_properties => {
                        scalar::resolve(tree, text, node)?;
                    }
                    _ => {}
                }
            }
            CheckStep::Leave(alias) => {
                inside.remove(&alias);
                counts.depth -= 1;
            }
            CheckStep::Items(mut items) => {
                if let Some(item) = items.next() {
                    steps.push(CheckStep::Items(items));
                    steps.push(CheckStep::Visit(item));
                }
            }
            CheckStep::Pairs(mut pairs) => {
                let (Some(key), Some(value)) = (pairs.next(), pairs.next()) else {
                    continue;
                };
                steps.push(CheckStep::Pairs(pairs));
                if !is_merge_key(tree, text, key) {
                    steps.push(CheckStep::Visit(value));
                    steps.push(CheckStep::Key(key));
                    steps.push(CheckStep::Visit(key));
                } else if tree.kind(value).is_sequence() {
                    steps.extend(tree.children(value).map(CheckStep::MergeItem));
                } else {
                    steps.push(CheckStep::MergeItem(value));
                }
            }
            CheckStep::Key(key) => {
                let key = tree.resolve_alias(key);
                if !tree.kind(key).is_scalar() {
                    let problem = format!("invalid map key: {}", go_syntax(tree, text, key));
                    return Err(SyntaxError::yaml(tree.range(key).start, 0, problem));
                }
            }
            CheckStep::MergeItem(item) => {
                if !tree.kind(tree.resolve_alias(item)).is_mapping() {
                    let problem = "map merge requires map or sequence of maps as the value";
                    return Err(SyntaxError::yaml(tree.range(item).start, 0, problem));
                }
                steps.push(CheckStep::Visit(item));
            }
        }
    }
    Ok(())
}

/// How often nodes were decoded, and how often because of an alias.
#[derive(Debug, Default)]
struct Counts {
    decoded: u64,
    by_alias: u64,
    depth: u32,
}

impl Counts {
    /// Counts one node; `false` when aliases cause too much of the work.
    fn count(&mut self) -> bool {
        self.decoded += 1;
        self.by_alias += u64::from(self.depth > 0);
        let allowed = match self.decoded {
            ..=400_000 => 0.99,
            4_000_000.. => 0.10,
            n => 0.99 - 0.89 * ((n - 400_000) as f64 / 3_600_000.0),
        };
        self.by_alias <= 100
            || self.decoded <= 1000
            || self.by_alias as f64 / self.decoded as f64 <= allowed
    }
}
