//! Writes the JSON text of a subtree, and finds the errors that Go reports for it.

use super::MapEntry;
use super::dump::non_finite_name;
use super::entries::{expansion_budget, mapping_entries};
use crate::error::SyntaxError;
use crate::go_text::{format_json_float, push_json_string};
use crate::json::MAX_DEPTH;
use crate::scalar::{self, Typed};
use crate::tree::{Children, NodeId, NodeKind, Tree};

/// The JSON texts that Go produces, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// After the text is decoded: every number is a float.
    Canonical,
    /// After the conversion from YAML: integers in full, `<`, `>` and `&` escaped.
    Converted,
}

/// Writes the subtree in canonical order; with `None`, only checks that it can be written.
///
/// Keys are refused before infinities, and these before nesting, whatever their order in the text:
/// Go makes three separate passes.
pub fn write(
    tree: &Tree,
    text: &[u8],
    node: NodeId,
    form: Form,
    out: Option<&mut String>,
) -> Result<(), SyntaxError> {
    let mut writer = Writer {
        tree,
        text,
        form,
        out,
        frames: Vec::new(),
        budget: expansion_budget(tree),
        unsupported: None,
        too_deep: None,
    };
    let mut next = Some(node);
    while let Some(node) = next {
        writer.begin_node(node)?;
        next = writer.next_node();
    }
    writer.unsupported.or(writer.too_deep).map_or(Ok(()), Err)
}

struct Writer<'t, 'a, 'o> {
    tree: &'t Tree,
    text: &'a [u8],
    form: Form,
    out: Option<&'o mut String>,
    /// Open collections, and whether their next item is the first.
    frames: Vec<(Frame<'t, 'a>, bool)>,
    /// Nodes that may still be written.
    budget: usize,
    /// The first value that JSON cannot represent.
    unsupported: Option<SyntaxError>,
    too_deep: Option<SyntaxError>,
}

enum Frame<'t, 'a> {
    Mapping(std::vec::IntoIter<MapEntry<'a>>),
    Sequence(Children<'t>),
}

impl<'t, 'a> Writer<'t, 'a, '_> {
    /// Writes a scalar, or the opening bracket of a collection.
    fn begin_node(&mut self, node: NodeId) -> Result<(), SyntaxError> {
        let node = self.tree.resolve_alias(node);
        let at = self.tree.range(node).start;
        self.budget -= 1;
        if self.budget == 0 {
            return Err(SyntaxError::excessive_aliasing(at));
        }
        let kind = self.tree.kind(node);
        if kind.is_mapping() {
            let entries = mapping_entries(self.tree, self.text, node)?;
            self.begin_collection(Frame::Mapping(entries.into_iter()), '{', at);
        } else if kind.is_sequence() {
            self.begin_collection(Frame::Sequence(self.tree.children(node)), '[', at);
        } else {
            self.scalar(node, kind);
        }
        Ok(())
    }

    fn scalar(&mut self, node: NodeId, kind: NodeKind) {
        let written = match &mut self.out {
            Some(out) => scalar_json(self.tree, self.text, node, self.form, out),
            None if kind == NodeKind::Plain || self.tree.node(node).has_properties => {
                scalar_json(self.tree, self.text, node, self.form, &mut String::new())
            }
            None => Ok(()),
        };
        if let Err(error) = written {
            self.unsupported.get_or_insert(error);
        }
    }

    fn begin_collection(&mut self, frame: Frame<'t, 'a>, bracket: char, at: usize) {
        self.push(bracket);
        self.frames.push((frame, true));
        if self.frames.len() > MAX_DEPTH && self.too_deep.is_none() {
            let problem = format!("invalid character '{bracket}' exceeded max depth");
            self.too_deep = Some(SyntaxError {
                at: at as u32,
                opm: format!("error unmarshaling JSON: while decoding JSON: {problem}"),
                problem,
            });
        }
    }

    /// Writes up to the next value and returns its node; `None` at the end.
    fn next_node(&mut self) -> Option<NodeId> {
        loop {
            let (frame, is_first) = self.frames.last_mut()?;
            let separator = if std::mem::take(is_first) { "" } else { "," };
            let bracket = match frame {
                Frame::Mapping(entries) => {
                    if let Some(entry) = entries.next() {
                        if let Some(out) = &mut self.out {
                            out.push_str(separator);
                            push_json_string(out, &entry.key, self.form == Form::Converted);
                            out.push(':');
                        }
                        return Some(entry.value_node);
                    }
                    '}'
                }
                Frame::Sequence(items) => {
                    if let Some(item) = items.next() {
                        if let Some(out) = &mut self.out {
                            out.push_str(separator);
                        }
                        return Some(item);
                    }
                    ']'
                }
            };
            self.frames.pop();
            self.push(bracket);
        }
    }

    fn push(&mut self, c: char) {
        if let Some(out) = &mut self.out {
            out.push(c);
        }
    }
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
        Some(Typed::Int(value)) => out.push_str(&format_json_float(value as f64)),
        Some(Typed::Uint(value)) => out.push_str(&format_json_float(value as f64)),
        Some(Typed::Float(value)) if value.is_finite() => out.push_str(&format_json_float(value)),
        Some(Typed::Float(value)) => {
            let problem = format!("json: unsupported value: {}", non_finite_name(value));
            return Err(SyntaxError::conversion(tree.range(node).start, problem));
        }
        Some(Typed::Text(value)) => match scalar::binary(tree, text, node) {
            Some(bytes) if form == Form::Converted => push_binary(out, &bytes),
            _ => push_json_string(out, &value, form == Form::Converted),
        },
    }
    Ok(())
}

/// Appends bytes as a JSON string like Go: each invalid byte becomes an escaped U+FFFD.
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
