//! Values of Go's JSON: reads them from span trees and writes them as text. Must not know schemas.

use serde_json::{Map, Number, Value};
use syntax::document::{Document, Reader, Sink};
use syntax::error::SyntaxError;
use syntax::go_text::{format_json_float, push_json_string};
use syntax::place::LineIndex;
use syntax::scalar::{self, Typed};
use syntax::tree::{Format, NodeId, Tree};
use syntax::value;

/// Maximum nesting: recursive walks of a value need a limit.
const MAX_DEPTH: usize = 500;

/// Exactly representable as a double.
const TWO_TO_63: f64 = (1_u64 << 63) as f64;

/// How to convert numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// All numbers become floats, as in catalog blobs.
    Floats,
    /// Signed 64-bit integers remain integers, as in Kubernetes objects.
    Objects,
    /// Integers remain exact, as in values that are passed on as text.
    Exact,
}

/// Converts a subtree to a value, with mappings in canonical order.
pub fn read(
    tree: &Tree,
    text: &[u8],
    node: NodeId,
    numbers: Numbers,
) -> Result<Value, SyntaxError> {
    Walk {
        tree,
        text,
        numbers,
        sorted: true,
    }
    .value(node, 0)
}

struct Walk<'t> {
    tree: &'t Tree,
    text: &'t [u8],
    numbers: Numbers,
    /// Whether keys are sorted, as after conversion to a map.
    sorted: bool,
}

impl Walk<'_> {
    fn value(&self, node: NodeId, depth: usize) -> Result<Value, SyntaxError> {
        let Walk {
            tree,
            text,
            numbers,
            sorted,
        } = *self;
        let node = tree.resolve_alias(node);
        let kind = tree.kind(node);
        if depth > MAX_DEPTH {
            let problem = "it is nested too deeply to be rendered".to_owned();
            return Err(SyntaxError {
                at: tree.range(node).start as u32,
                opm: problem.clone(),
                problem,
            });
        }
        if kind.is_mapping() {
            let mut map = Map::new();
            if sorted {
                for entry in value::mapping_entries(tree, text, node)? {
                    map.insert(
                        entry.key.into_owned(),
                        self.value(entry.value_node, depth + 1)?,
                    );
                }
            } else {
                for (key, value) in tree.pairs(node) {
                    map.insert(
                        scalar::decode(tree, text, key).into_owned(),
                        self.value(value, depth + 1)?,
                    );
                }
            }
            return Ok(Value::Object(map));
        }
        if kind.is_sequence() {
            let items = tree.children(node).map(|item| self.value(item, depth + 1));
            return Ok(Value::Array(items.collect::<Result<_, _>>()?));
        }
        Ok(match scalar::resolve(tree, text, node)? {
            None | Some(Typed::Null) => Value::Null,
            Some(Typed::Bool(value)) => Value::Bool(value),
            Some(Typed::Int(value)) if numbers != Numbers::Floats => Value::Number(value.into()),
            Some(Typed::Uint(value)) if numbers == Numbers::Exact => Value::Number(value.into()),
            Some(Typed::Int(value)) => float(value as f64),
            Some(Typed::Uint(value)) => float(value as f64),
            Some(Typed::Float(value)) => float(value),
            Some(Typed::Text(value)) => Value::String(value.into_owned()),
        })
    }
}

/// Converts a float; a whole number becomes an integer, as Go writes it.
fn float(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < TWO_TO_63 {
        return Value::Number((value as i64).into());
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

/// Parses JSON text and keeps its key order.
pub fn parse_json(text: &[u8], numbers: Numbers) -> Result<Value, SyntaxError> {
    let tree = syntax::json::parse(text)?;
    tree.root().map_or(Ok(Value::Null), |root| {
        Walk {
            tree: &tree,
            text,
            numbers,
            sorted: false,
        }
        .value(root, 0)
    })
}

/// Returns the compact text as written by Go. `html`: whether to escape `<`, `>` and `&`.
pub fn compact(value: &Value, html: bool) -> String {
    let mut out = String::new();
    write(&mut out, value, html, None);
    out
}

/// Returns the text on several lines, indented by four blanks per level.
pub fn to_indented_json(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value, false, Some(0));
    out
}

fn write(out: &mut String, value: &Value, html: bool, depth: Option<usize>) {
    let inner = depth.map(|depth| depth + 1);
    match value {
        Value::Object(map) if map.is_empty() => out.push_str("{}"),
        Value::Array(items) if items.is_empty() => out.push_str("[]"),
        Value::Object(map) => {
            for (index, (key, value)) in map.iter().enumerate() {
                out.push(if index == 0 { '{' } else { ',' });
                new_line(out, inner);
                push_json_string(out, key, html);
                out.push_str(if depth.is_some() { ": " } else { ":" });
                write(out, value, html, inner);
            }
            new_line(out, depth);
            out.push('}');
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                out.push(if index == 0 { '[' } else { ',' });
                new_line(out, inner);
                write(out, value, html, inner);
            }
            new_line(out, depth);
            out.push(']');
        }
        Value::String(text) => push_json_string(out, text, html),
        Value::Number(number) => out.push_str(&number_text(number)),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Null => out.push_str("null"),
    }
}

/// Begins a line at this depth; nothing in compact text.
fn new_line(out: &mut String, depth: Option<usize>) {
    if let Some(depth) = depth {
        out.push('\n');
        out.extend(std::iter::repeat_n("    ", depth));
    }
}

/// Returns a number as written by Go.
pub fn number_text(number: &Number) -> String {
    match number.as_f64() {
        Some(value) if number.is_f64() => format_json_float(value),
        _ => number.to_string(),
    }
}

/// The first document of a file.
#[derive(Debug)]
pub struct FirstDocument {
    pub format: Format,
    pub text: Vec<u8>,
    pub tree: Tree,
    /// Line of the document in the file, from 0.
    line: u32,
}

impl FirstDocument {
    /// Returns the line of a node in the file, from 1.
    pub fn line_of(&self, node: NodeId) -> u32 {
        let at = self.tree.range(node).start;
        self.line + LineIndex::new(&self.text).line_column(&self.text, at).0 + 1
    }
}

/// Parses the first document of a file, the only one that Kubernetes reads. The error has its line
/// (from 1).
pub fn first_document(bytes: &[u8]) -> Result<FirstDocument, (u32, String)> {
    struct FirstDocumentSink(Option<Result<FirstDocument, (u32, String)>>);
    impl Sink for FirstDocumentSink {
        fn document(&mut self, document: Document<'_>) {
            if self.0.is_none() {
                let lines = LineIndex::new(document.text);
                self.0 = Some(match document.parsed {
                    Ok(tree) => Ok(FirstDocument {
                        format: document.format,
                        text: document.text.to_vec(),
                        tree,
                        line: document.line,
                    }),
                    Err(error) => {
                        let (line, _) = lines.line_column(document.text, error.at as usize);
                        Err((document.line + line + 1, error.opm))
                    }
                });
            }
        }
    }
    let mut taker = FirstDocumentSink(None);
    Reader::read_file(bytes, &mut taker);
    taker.0.unwrap_or_else(|| Err((1, "EOF".to_owned())))
}

/// Returns the line (from 1) of a file's second document, if any; a document with only comments
/// does not count.
pub fn second_document(bytes: &[u8]) -> Option<u32> {
    struct Lines(Vec<u32>);
    impl Sink for Lines {
        fn document(&mut self, document: Document<'_>) {
            let is_there = document
                .parsed
                .as_ref()
                .map_or(true, |tree| tree.root().is_some());
            if is_there {
                self.0.push(document.line + 1);
            }
        }
    }
    let mut lines = Lines(Vec::new());
    Reader::read_file(bytes, &mut lines);
    lines.0.get(1).copied()
}
