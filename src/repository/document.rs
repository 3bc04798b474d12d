//! A YAML document as the pipeline's parser reads it: YAML 1.1 with Python's types, keys in text
//! order, and line numbers. Values are copied on demand.
//!
//! Values are printed and evaluated as in Python, in which the pipeline is written: our messages
//! must equal its own.

use regex_lite::Regex;
use serde_json::Value;
use std::borrow::Cow;
use std::fmt::Write;
use std::sync::LazyLock;
use syntax::scalar::{self, Typed};
use syntax::tree::{Format, NodeId, NodeKind, Tree};
use syntax::{self, value};

/// Maximum nesting of merge keys; only malicious texts nest them deeper.
const MAX_MERGE_DEPTH: usize = 20;

/// The single document of a file.
#[derive(Debug)]
pub(super) struct Document {
    text: Vec<u8>,
    tree: Tree,
}

/// Why a file has no readable document, with the line (from 1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unreadable {
    pub line: u32,
    pub message: String,
}

impl Document {
    /// Parses a text that must contain exactly one document.
    pub(super) fn read(text: Vec<u8>) -> Result<Self, Unreadable> {
        let unreadable = |offset: u32, message: String| Unreadable {
            line: line_of(&text, offset as usize),
            message,
        };
        let tree = syntax::parse(&text, Format::Yaml)
            .map_err(|error| unreadable(error.at, error.problem))?;
        value::check(&tree, &text).map_err(|error| unreadable(error.at, error.problem))?;
        let end = tree.root().map_or(0, |root| tree.range(root).end);
        if let Some(second) = second_document(&text, end) {
            return Err(unreadable(
                second as u32,
                "it holds several documents, but the pipeline reads only one".to_owned(),
            ));
        }
        Ok(Self { text, tree })
    }

    /// Returns the root value; `None` for an empty document.
    pub(super) fn root(&self) -> Option<Node<'_>> {
        self.tree.root().map(|id| Node { document: self, id })
    }

    pub(super) fn into_text(self) -> Vec<u8> {
        self.text
    }
}

/// Finds the `---` line of another document after `end`.
fn second_document(text: &[u8], end: usize) -> Option<usize> {
    let rest = text.get(end..)?;
    let mut offset = 0;
    for line in rest.split_inclusive(|byte| *byte == b'\n') {
        let is_separator =
            line.starts_with(b"---") && line.get(3).is_none_or(u8::is_ascii_whitespace);
        let begins_line = end + offset == 0 || text.get(end + offset - 1) == Some(&b'\n');
        if is_separator && begins_line && end > 0 {
            return Some(end + offset);
        }
        offset += line.len();
    }
    None
}

/// Returns the line of a byte, from 1.
pub(super) fn line_of(text: &[u8], offset: usize) -> u32 {
    let before = text.get(..offset).unwrap_or(text);
    before.iter().filter(|byte| **byte == b'\n').count() as u32 + 1
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Node<'d> {
    document: &'d Document,
    id: NodeId,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind<'d> {
    Null,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(Cow<'d, str>),
    /// A date, or a date with time.
    Time(Cow<'d, str>),
    List,
    Map,
}

impl<'d> Node<'d> {
    /// Returns the line on which it starts, from 1.
    pub(super) fn line(self) -> u32 {
        line_of(&self.document.text, self.document.tree.range(self.id).start)
    }

    pub(super) fn kind(self) -> Kind<'d> {
        let Document { text, tree } = self.document;
        let id = tree.resolve_alias(self.id);
        let kind = tree.kind(id);
        if kind.is_mapping() {
            return Kind::Map;
        }
        if kind.is_sequence() {
            return Kind::List;
        }
        let is_plain = matches!(kind, NodeKind::Plain | NodeKind::Absent)
            && tree.properties(id).is_none_or(|p| p.tag.is_none());
        if is_plain {
            return resolve_plain(scalar::decode(tree, text, id));
        }
        match scalar::resolve(tree, text, id) {
            Ok(Some(Typed::Null)) => Kind::Null,
            Ok(Some(Typed::Bool(value))) => Kind::Bool(value),
            Ok(Some(Typed::Int(value))) => Kind::Int(value.into()),
            Ok(Some(Typed::Uint(value))) => Kind::Int(value.into()),
            Ok(Some(Typed::Float(value))) => Kind::Float(value),
            Ok(Some(Typed::Text(value))) => Kind::Text(value),
            Ok(None) | Err(_) => Kind::Text(scalar::decode(tree, text, id)),
        }
    }

    /// Returns the value if it is a text.
    pub(super) fn text(self) -> Option<Cow<'d, str>> {
        match self.kind() {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn is_map(self) -> bool {
        self.kind() == Kind::Map
    }

    /// Returns the items of a list; empty for other values.
    pub(super) fn items(self) -> Vec<Node<'d>> {
        let tree = &self.document.tree;
        let id = tree.resolve_alias(self.id);
        if !tree.kind(id).is_sequence() {
            return Vec::new();
        }
        tree.children(id)
            .map(|id| Node {
                document: self.document,
                id,
            })
            .collect()
    }

    /// Returns the pairs of a mapping, merged ones first; empty for other values. The last of equal
    /// keys counts.
    pub(super) fn pairs(self) -> Vec<(Node<'d>, Node<'d>)> {
        let mut pairs = Vec::new();
        self.collect_pairs(&mut pairs, 0);
        pairs
    }

    fn collect_pairs(self, all: &mut Vec<(Node<'d>, Node<'d>)>, depth: usize) {
        let Document { text, tree } = self.document;
        let id = tree.resolve_alias(self.id);
        if depth > MAX_MERGE_DEPTH {
            return;
        }
        let node = |id| Node {
            document: self.document,
            id,
        };
        let is_merge = |key: &NodeId| value::is_merge_key(tree, text, *key);
        for (_, merged) in tree.pairs(id).filter(|(key, _)| is_merge(key)) {
            let merged = node(merged);
            match merged.kind() {
                Kind::List => {
                    for item in merged.items().into_iter().rev() {
                        item.collect_pairs(all, depth + 1);
                    }
                }
                _ => merged.collect_pairs(all, depth + 1),
            }
        }
        for (key, value) in tree.pairs(id).filter(|(key, _)| !is_merge(key)) {
            let (key, value) = (node(key), node(value));
            match all
                .iter_mut()
                .find(|(existing, _)| existing.kind() == key.kind())
            {
                Some(existing) => *existing = (key, value),
                None => all.push((key, value)),
            }
        }
    }

    pub(super) fn get(self, key: &str) -> Option<Node<'d>> {
        self.entry(key).map(|(_, value)| value)
    }

    /// Returns the node of a key, and its value.
    pub(super) fn entry(self, key: &str) -> Option<(Node<'d>, Node<'d>)> {
        self.pairs()
            .into_iter()
            .find(|(existing, _)| existing.text().as_deref() == Some(key))
    }

    /// Converts the value to JSON, with keys in text order. Dates become texts.
    pub(super) fn value(self) -> Value {
        match self.kind() {
            Kind::Null => Value::Null,
            Kind::Bool(value) => value.into(),
            Kind::Int(number) => {
                i64::try_from(number).map_or_else(|_| (number as f64).into(), Value::from)
            }
            Kind::Float(number) => number.into(),
            Kind::Text(text) | Kind::Time(text) => text.into_owned().into(),
            Kind::List => self.items().into_iter().map(Node::value).collect(),
            Kind::Map => {
                let pairs = self
                    .pairs()
                    .into_iter()
                    .map(|(key, value)| (text(key), value.value()));
                Value::Object(pairs.collect())
            }
        }
    }

    /// Whether Python treats the values as equal: numbers by value, mappings regardless of key
    /// order.
    pub(super) fn equals(self, other: Node<'_>) -> bool {
        match (self.kind(), other.kind()) {
            (Kind::List, Kind::List) => {
                let (a, b) = (self.items(), other.items());
                a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| a.equals(*b))
            }
            (Kind::Map, Kind::Map) => {
                let (a, b) = (self.pairs(), other.pairs());
                a.len() == b.len()
                    && a.iter().all(|(key, value): &(Node<'d>, Node<'d>)| {
                        b.iter().any(|(other, other_value)| {
                            key.equals(*other) && value.equals(*other_value)
                        })
                    })
            }
            (Kind::Int(a), Kind::Float(b)) | (Kind::Float(b), Kind::Int(a)) => a as f64 == b,
            (a, b) => scalars_are_equal(&a, &b),
        }
    }
}

fn scalars_are_equal(a: &Kind<'_>, b: &Kind<'_>) -> bool {
    match (a, b) {
        (Kind::Text(a), Kind::Text(b)) | (Kind::Time(a), Kind::Time(b)) => a == b,
        (Kind::Null, Kind::Null) => true,
        (Kind::Bool(a), Kind::Bool(b)) => a == b,
        (Kind::Int(a), Kind::Int(b)) => a == b,
        (Kind::Float(a), Kind::Float(b)) => a == b,
        _ => false,
    }
}

/// Types an untagged plain scalar by Python's YAML 1.1 rules.
fn resolve_plain(word: Cow<'_, str>) -> Kind<'_> {
    match &*word {
        "" | "~" | "null" | "Null" | "NULL" => return Kind::Null,
        "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            return Kind::Bool(true);
        }
        "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return Kind::Bool(false);
        }
        _ => {}
    }
    if !word.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
        return Kind::Text(word);
    }
    if let Some(number) = parse_integer(&word) {
        return Kind::Int(number);
    }
    if let Some(number) = parse_float(&word) {
        return Kind::Float(number);
    }
    if is_timestamp(&word) {
        Kind::Time(word)
    } else {
        Kind::Text(word)
    }
}

/// Parses an integer in base 2, 16, 8, 10, or 60, such as `1:30:00`.
fn parse_integer(word: &str) -> Option<i128> {
    static INTEGER: LazyLock<Regex> = LazyLock::new(|| {
        let decimal = "0|[1-9][0-9_]*(?::[0-5]?[0-9])*";
        let pattern = format!("^([-+]?)(?:0b([01_]+)|0x([0-9a-fA-F_]+)|(0[0-7_]+)|({decimal}))$");
        Regex::new(&pattern).expect("a valid pattern")
    });
    let found = INTEGER.captures(word)?;
    let digits = |group: usize| Some(found.get(group)?.as_str().replace('_', ""));
    let in_radix = |group, radix| i128::from_str_radix(&digits(group)?, radix).ok();
    let decimal = || {
        digits(5)?.split(':').try_fold(0_i128, |total, part| {
            total.checked_mul(60)?.checked_add(part.parse().ok()?)
        })
    };
    let value = in_radix(2, 2)
        .or_else(|| in_radix(3, 16))
        .or_else(|| in_radix(4, 8))
        .or_else(decimal)?;
    Some(if &found[1] == "-" { -value } else { value })
}

fn parse_float(word: &str) -> Option<f64> {
    // The decimal point is required, and an exponent needs a sign.
    static FLOAT: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = r"^[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?$";
        Regex::new(pattern).expect("a valid pattern")
    });
    let digits_only = word.replace('_', "");
    match digits_only.trim_start_matches(['+', '-']) {
        ".inf" | ".Inf" | ".INF" => {
            return Some(if word.starts_with('-') {
                f64::NEG_INFINITY
            } else {
                f64::INFINITY
            });
        }
        ".nan" | ".NaN" | ".NAN" if digits_only.starts_with('.') => return Some(f64::NAN),
        _ => {}
    }
    if FLOAT.is_match(&digits_only) {
        digits_only.parse().ok()
    } else {
        None
    }
}

fn is_timestamp(word: &str) -> bool {
    static TIME: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = r"^(?:\d{4}-\d\d-\d\d|\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)$";
        Regex::new(pattern).expect("a valid pattern")
    });
    TIME.is_match(word)
}

/// Formats a value like Python's `str`.
pub(super) fn text(node: Node<'_>) -> String {
    match node.kind() {
        Kind::Text(text) | Kind::Time(text) => text.into_owned(),
        _ => repr(node),
    }
}

/// Formats a value like Python's `repr`, which lists use for their items.
pub(super) fn repr(node: Node<'_>) -> String {
    match node.kind() {
        Kind::Null => "None".to_owned(),
        Kind::Bool(true) => "True".to_owned(),
        Kind::Bool(false) => "False".to_owned(),
        Kind::Int(number) => number.to_string(),
        Kind::Float(number) => print_float(number),
        Kind::Text(text) => quote(&text),
        Kind::Time(text) => print_date(&text).unwrap_or_else(|| text.into_owned()),
        Kind::List => {
            let items: Vec<String> = node.items().into_iter().map(repr).collect();
            format!("[{}]", items.join(", "))
        }
        Kind::Map => {
            let pairs = node
                .pairs()
                .into_iter()
                .map(|(key, value)| format!("{}: {}", repr(key), repr(value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
    }
}

/// Formats a list of texts like Python.
pub(super) fn list<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let texts: Vec<String> = texts.into_iter().map(quote).collect();
    format!("[{}]", texts.join(", "))
}

/// Quotes a text like Python: in single quotes, unless it contains these and no double quotes.
pub(super) fn quote(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => out.extend(['\\', c]),
            c if c < ' ' || ('\u{7f}'..='\u{a0}').contains(&c) || c == '\u{ad}' => {
                let _ = write!(out, "\\x{:02x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

fn print_float(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    let text = format!("{number:?}");
    match text.split_once('e') {
        None => text,
        Some((mantissa, exponent)) => {
            let (sign, digits) = exponent
                .strip_prefix('-')
                .map_or(('+', exponent), |digits| ('-', digits));
            format!("{mantissa}e{sign}{digits:0>2}")
        }
    }
}

fn print_date(text: &str) -> Option<String> {
    let parts: Option<Vec<u32>> = text.split('-').map(|part| part.parse().ok()).collect();
    match parts?[..] {
        [year, month, day] => Some(format!("datetime.date({year}, {month}, {day})")),
        _ => None,
    }
}

/// Whether the value is true in Python.
pub(super) fn is_true(node: Node<'_>) -> bool {
    match node.kind() {
        Kind::Null => false,
        Kind::Bool(value) => value,
        Kind::Int(number) => number != 0,
        Kind::Float(number) => number != 0.0,
        Kind::Text(text) => !text.is_empty(),
        Kind::Time(_) => true,
        Kind::List => !node.items().is_empty(),
        Kind::Map => !node.pairs().is_empty(),
    }
}

/// Returns the elements of a Python loop over a value: list items, mapping keys, or characters;
/// `None` if it is not iterable.
pub(super) fn loop_items(node: Node<'_>) -> Option<Vec<PyItem<'_>>> {
    match node.kind() {
        Kind::List => Some(node.items().into_iter().map(PyItem::Node).collect()),
        Kind::Map => Some(
            node.pairs()
                .into_iter()
                .map(|(key, _)| PyItem::Node(key))
                .collect(),
        ),
        Kind::Text(text) => Some(text.chars().map(PyItem::Letter).collect()),
        _ => None,
    }
}

/// An element of [`loop_items`].
#[derive(Debug, Clone, Copy)]
pub(super) enum PyItem<'d> {
    Node(Node<'d>),
    Letter(char),
}

impl<'d> PyItem<'d> {
    pub(super) fn node(self) -> Option<Node<'d>> {
        match self {
            PyItem::Node(node) => Some(node),
            PyItem::Letter(_) => None,
        }
    }

    /// Formats the element like Python's `str`.
    pub(super) fn text(self) -> String {
        match self {
            PyItem::Node(node) => text(node),
            PyItem::Letter(letter) => letter.to_string(),
        }
    }

    /// Returns a unique key for the element; `None` if it is not hashable.
    pub(super) fn key(self) -> Option<String> {
        match self {
            PyItem::Letter(letter) => Some(quote(&letter.to_string())),
            PyItem::Node(node) if matches!(node.kind(), Kind::List | Kind::Map) => None,
            PyItem::Node(node) => Some(repr(node)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_printed_like_python() {
        let printed = |text: &str| {
            let document = Document::read(text.as_bytes().to_vec()).expect("a readable document");
            repr(document.root().expect("a value"))
        };
        assert_eq!(
            printed("[a, 'it''s', \"q\\\"'\", 4.20, 010, yes, y, ~, 1.0, 1e3]"),
            r#"['a', "it's", 'q"\'', 4.2, 8, True, 'y', None, 1.0, '1e3']"#
        );
        assert_eq!(
            printed("{a: [1, {b: c}], 2024-01-02: x}"),
            "{'a': [1, {'b': 'c'}], datetime.date(2024, 1, 2): 'x'}"
        );
        assert_eq!(printed("- &x {a: b}\n- *x\n"), "[{'a': 'b'}, {'a': 'b'}]");
        assert_eq!(
            printed("base: &b {a: 1, c: 2}\nmore: {<<: *b, a: 3}\n"),
            "{'base': {'a': 1, 'c': 2}, 'more': {'a': 3, 'c': 2}}"
        );
        assert_eq!(
            printed("[0, 0_, -0_, 0_17, 0x_f, 1_0, 1:30]"),
            "[0, 0, 0, 15, 15, 10, 90]"
        );
        assert_eq!(quote("a\nb\u{1}\\"), r"'a\nb\x01\\'");
        assert_eq!(
            (print_float(1e16), print_float(0.000_01), print_float(4.0)),
            ("1e+16".to_owned(), "1e-05".to_owned(), "4.0".to_owned())
        );
    }
}
