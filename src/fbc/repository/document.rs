//! A YAML document as the pipeline's parser sees it: YAML 1.1 with Python's types, keys in text
//! order, and line numbers. Values are copied on demand.

use super::python;
use crate::syntax::scalar::{self, Typed};
use crate::syntax::tree::{Format, NodeId, NodeKind, Tree};
use crate::syntax::{self, value};
use regex_lite::Regex;
use serde_json::Value;
use std::borrow::Cow;
use std::sync::OnceLock;

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
        let at = |at: u32, message: String| Unreadable {
            line: line_of(&text, at as usize),
            message,
        };
        let tree =
            syntax::parse(&text, Format::Yaml).map_err(|error| at(error.at, error.problem))?;
        value::check(&tree, &text).map_err(|error| at(error.at, error.problem))?;
        let end = tree.root().map_or(0, |root| tree.range(root).end);
        if let Some(second) = second_document(&text, end) {
            return Err(at(
                second as u32,
                "it holds several documents, but the pipeline reads only one".to_owned(),
            ));
        }
        Ok(Self { text, tree })
    }

    /// The root value; `None` for an empty document.
    pub(super) fn root(&self) -> Option<Node<'_>> {
        self.tree.root().map(|id| Node { document: self, id })
    }

    pub(super) fn into_text(self) -> Vec<u8> {
        self.text
    }
}

/// The start of another document after `end`: a `---` line followed by content.
fn second_document(text: &[u8], end: usize) -> Option<usize> {
    let rest = text.get(end..)?;
    let mut at = 0;
    for line in rest.split_inclusive(|byte| *byte == b'\n') {
        let is_separator =
            line.starts_with(b"---") && line.get(3).is_none_or(u8::is_ascii_whitespace);
        let begins_line = end + at == 0 || text.get(end + at - 1) == Some(&b'\n');
        if is_separator && begins_line && end > 0 {
            return Some(end + at);
        }
        at += line.len();
    }
    None
}

/// The line of a byte, from 1.
pub(super) fn line_of(text: &[u8], at: usize) -> u32 {
    let before = text.get(..at).unwrap_or(text);
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
    /// As written.
    Int(i128),
    Float(f64),
    Text(Cow<'d, str>),
    /// A date, or a date with time.
    Time(Cow<'d, str>),
    List,
    Map,
}

impl<'d> Node<'d> {
    /// Its first line, from 1.
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
            return plain(scalar::decode(tree, text, id));
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

    /// The text, if it is one.
    pub(super) fn text(self) -> Option<Cow<'d, str>> {
        match self.kind() {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn is_map(self) -> bool {
        self.kind() == Kind::Map
    }

    /// The items of a list; empty for other values.
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

    /// The pairs of a mapping; empty for other values. Merged ones come first, and the last of
    /// equal keys counts.
    pub(super) fn pairs(self) -> Vec<(Node<'d>, Node<'d>)> {
        let mut found = Vec::new();
        self.collect_pairs(&mut found, 0);
        found
    }

    fn collect_pairs(self, found: &mut Vec<(Node<'d>, Node<'d>)>, depth: usize) {
        let Document { text, tree } = self.document;
        let id = tree.resolve_alias(self.id);
        // Only malicious texts nest merges this deeply.
        if depth > 20 {
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
                Kind::List => merged
                    .items()
                    .into_iter()
                    .rev()
                    .for_each(|item| item.collect_pairs(found, depth + 1)),
                _ => merged.collect_pairs(found, depth + 1),
            }
        }
        for (key, value) in tree.pairs(id).filter(|(key, _)| !is_merge(key)) {
            let (key, value) = (node(key), node(value));
            match found
                .iter_mut()
                .find(|(known, _)| known.kind() == key.kind())
            {
                Some(known) => *known = (key, value),
                None => found.push((key, value)),
            }
        }
    }

    /// The value of a key.
    pub(super) fn get(self, key: &str) -> Option<Node<'d>> {
        self.entry(key).map(|(_, value)| value)
    }

    /// A key and its value.
    pub(super) fn entry(self, key: &str) -> Option<(Node<'d>, Node<'d>)> {
        self.pairs()
            .into_iter()
            .find(|(known, _)| known.text().as_deref() == Some(key))
    }

    /// The value as JSON, with keys in text order; dates become texts.
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
                    .map(|(key, value)| (python::text(key), value.value()));
                Value::Object(pairs.collect())
            }
        }
    }

    /// Python equality: numbers by value, mappings regardless of key order.
    pub(super) fn equals(self, other: Node<'_>) -> bool {
        match (self.kind(), other.kind()) {
            (Kind::List, Kind::List) => {
                let (a, b) = (self.items(), other.items());
                a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| a.equals(*b))
            }
            (Kind::Map, Kind::Map) => {
                let (a, b) = (self.pairs(), other.pairs());
                let is_in = |(key, value): &(Node<'d>, Node<'d>)| {
                    b.iter()
                        .any(|(other, at)| key.equals(*other) && value.equals(*at))
                };
                a.len() == b.len() && a.iter().all(is_in)
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

/// An untagged plain scalar under Python's YAML 1.1 rules.
fn plain(word: Cow<'_, str>) -> Kind<'_> {
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
    if let Some(number) = integer(&word) {
        return Kind::Int(number);
    }
    if let Some(number) = float(&word) {
        return Kind::Float(number);
    }
    if is_time(&word) {
        Kind::Time(word)
    } else {
        Kind::Text(word)
    }
}

fn integer(word: &str) -> Option<i128> {
    let (sign, digits) = match word.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, word.strip_prefix('+').unwrap_or(word)),
    };
    let bare = digits.replace('_', "");
    let radix = |prefix: &str, radix: u32| {
        let rest = bare.strip_prefix(prefix)?;
        let is_digit = |c: char| c.is_digit(radix);
        (!rest.is_empty() && rest.chars().all(is_digit))
            .then(|| i128::from_str_radix(rest, radix).ok())?
    };
    let is_decimal =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let value = match &*bare {
        "0" => Some(0),
        _ if bare.starts_with("0b") => radix("0b", 2),
        _ if bare.starts_with("0x") => radix("0x", 16),
        _ if bare.starts_with('0') => radix("0", 8),
        _ if is_decimal(&bare) && !digits.starts_with('_') => bare.parse().ok(),
        _ if bare.contains(':') => sexagesimal(&bare),
        _ => None,
    };
    value.map(|value| sign * value)
}

/// `1:30:00` in base 60.
fn sexagesimal(digits: &str) -> Option<i128> {
    let mut total: i128 = 0;
    for (nth, part) in digits.split(':').enumerate() {
        let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let value: i128 = if is_number {
            part.parse().ok()?
        } else {
            return None;
        };
        if nth > 0 && (value > 59 || part.len() > 2) {
            return None;
        }
        total = total.checked_mul(60)?.checked_add(value)?;
    }
    Some(total)
}

fn float(word: &str) -> Option<f64> {
    static FLOAT: OnceLock<Option<Regex>> = OnceLock::new();
    let bare = word.replace('_', "");
    match bare.trim_start_matches(['+', '-']) {
        ".inf" | ".Inf" | ".INF" => {
            return Some(if word.starts_with('-') {
                f64::NEG_INFINITY
            } else {
                f64::INFINITY
            });
        }
        ".nan" | ".NaN" | ".NAN" if bare.starts_with('.') => return Some(f64::NAN),
        _ => {}
    }
    // The decimal point is required, and an exponent needs a sign.
    let pattern = r"^[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?$";
    let is_float = FLOAT
        .get_or_init(|| Regex::new(pattern).ok())
        .as_ref()?
        .is_match(&bare);
    if is_float { bare.parse().ok() } else { None }
}

fn is_time(word: &str) -> bool {
    static TIME: OnceLock<Option<Regex>> = OnceLock::new();
    let pattern = r"^(?:\d{4}-\d\d-\d\d|\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)$";
    TIME.get_or_init(|| Regex::new(pattern).ok())
        .as_ref()
        .is_some_and(|pattern| pattern.is_match(word))
}
