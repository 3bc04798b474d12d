//! Prints and evaluates values like Python, in which the pipeline is written; its messages must
//! match.

use super::document::{Kind, Node};
use std::fmt::Write;

/// A value in Python's `str` format.
pub(super) fn text(node: Node<'_>) -> String {
    match node.kind() {
        Kind::Text(text) | Kind::Time(text) => text.into_owned(),
        _ => repr(node),
    }
}

/// A value in Python's `repr` format, as inside a list.
pub(super) fn repr(node: Node<'_>) -> String {
    match node.kind() {
        Kind::Null => "None".to_owned(),
        Kind::Bool(true) => "True".to_owned(),
        Kind::Bool(false) => "False".to_owned(),
        Kind::Int(number) => number.to_string(),
        Kind::Float(number) => float(number),
        Kind::Text(text) => quote(&text),
        Kind::Time(text) => date(&text).unwrap_or_else(|| text.into_owned()),
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

/// A list of texts in Python's format.
pub(super) fn list<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let texts: Vec<String> = texts.into_iter().map(quote).collect();
    format!("[{}]", texts.join(", "))
}

/// A text in quotes: single ones, unless it contains only these.
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

fn float(number: f64) -> String {
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

fn date(text: &str) -> Option<String> {
    let parts: Option<Vec<u32>> = text.split('-').map(|part| part.parse().ok()).collect();
    match parts?[..] {
        [year, month, day] => Some(format!("datetime.date({year}, {month}, {day})")),
        _ => None,
    }
}

/// Whether Python treats the value as true.
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

/// The elements of a Python loop over a value, each with its text and its key if hashable: list
/// items, mapping keys, or characters. `None`: not iterable.
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

    /// In Python's `str` format.
    pub(super) fn text(self) -> String {
        match self {
            PyItem::Node(node) => text(node),
            PyItem::Letter(letter) => letter.to_string(),
        }
    }

    /// A unique key for the element; `None` if it is not hashable.
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
    use crate::repository::document::Document;

    #[test]
    fn values_are_printed_as_python_prints_them() {
        let printed = |text: &str| {
            let document = Document::read(text.as_bytes().to_vec()).expect("it can be read");
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
        assert_eq!(quote("a\nb\u{1}\\"), r"'a\nb\x01\\'");
        assert_eq!(
            (float(1e16), float(0.000_01), float(4.0)),
            ("1e+16".to_owned(), "1e-05".to_owned(), "4.0".to_owned())
        );
    }
}
