//! The laws of our YAML reader: any bytes give a tree with correct places or a refusal; a text has
//! the value that it was written from; another parser finds the same structure and places where the
//! two languages agree.

use super::choices::Choices;
use super::edits::random_value;
use super::second_opinion::compare_with_another_parser;
use super::write;
use rand::Rng;
use rand::seq::IndexedRandom;
use serde_json::{Map, Value};
use syntax::tree::{NodeId, NodeKind, Tree};
use syntax::{scalar, value, yaml};

/// Pieces that change the interpretation of the following text.
const PIECES: &[&str] = &[
    "a",
    "b: ",
    ":",
    "\n",
    "\n  ",
    "\n    ",
    "- ",
    "? ",
    "[",
    "]",
    "{",
    "}",
    ", ",
    " # c",
    "\"",
    "'",
    "|",
    ">-",
    "|+\n",
    "|2\n",
    "&x ",
    "*x",
    "!!str ",
    "!!binary ",
    "! ",
    "<<: ",
    "\t",
    "\r\n",
    "\r",
    "\u{85}",
    "\u{2028}",
    "é",
    "---\n",
    "...\n",
    "%YAML 1.1\n",
    "\\",
    "1",
    "a: b\n",
    "- a\n",
    "  c: d\n",
    "\u{feff}",
    "''",
    "\"q\"",
    ".inf",
    "0x1F",
    "~",
];

/// Pieces that YAML 1.1 and 1.2 interpret alike in any combination.
const COMMON: &[&str] = &[
    "a", "b", "c: ", ": ", "- ", "\n", "\n  ", "\n    ", "[", "]", "{", "}", ", ", "'x'", "\"y\"",
    " # c\n", "a: b\n", "- a\n", "k:\n  ", "k:\n- ",
];

pub fn hold(data: &[u8]) {
    let mut choices = Choices::new(data);
    match choices.random_range(0..4) {
        0 => check_tree(choices.rest()),
        1 => {
            let text = pieces(&mut choices, PIECES);
            check_tree(text.as_bytes());
        }
        2 => {
            let text = pieces(&mut choices, COMMON);
            check_tree(text.as_bytes());
            check_against_another_parser(&text);
        }
        _ => {
            let value = document(&mut choices);
            let text = write::yaml(&mut choices, &value);
            check_tree(text.as_bytes());
            check_value(&text, &value);
            compare_with_another_parser(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        }
    }
}

fn pieces(rng: &mut impl Rng, of: &[&str]) -> String {
    (0..rng.random_range(0..30))
        .filter_map(|_| of.choose(rng).copied())
        .collect()
}

/// A document like those that edits write: difficult texts at any place.
fn document(rng: &mut impl Rng) -> Value {
    let fields = ["schema", "name", "a b", "y", "1.10", "~"];
    let count = rng.random_range(1..4);
    let keys: Vec<&str> = fields.choose_multiple(rng, count).copied().collect();
    Value::Object(
        keys.into_iter()
            .map(|key| (key.to_owned(), random_value(rng, 3)))
            .collect::<Map<_, _>>(),
    )
}

/// The text is read as the value that it was written from.
fn check_value(text: &str, expected: &Value) {
    let tree = yaml::parse(text.as_bytes()).unwrap_or_else(|e| panic!("{}\n{text}", e.opm));
    value::check(&tree, text.as_bytes()).unwrap_or_else(|e| panic!("{}\n{text}", e.opm));
    let read = value::document_json(&tree, text.as_bytes())
        .unwrap_or_else(|e| panic!("{}\n{text}", e.opm));
    assert!(
        is_equal(&serde_json::from_str(&read).unwrap(), expected),
        "{read} and {expected}\n{text}"
    );
}

/// Equality regardless of the order of keys; numbers are floats, whose last digits depend on the
/// reader.
pub fn is_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-14 * a.abs(),
            (a, b) => a == b,
        },
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, value)| b.get(key).is_some_and(|other| is_equal(value, other)))
        }
        _ => a == b,
    }
}

/// If both parsers accept a text, they find the same.
fn check_against_another_parser(text: &str) {
    // Go's reader ends a document after a flow collection at its root: it reads `[]: a` as `[]`.
    let both = !text.contains("]:") && !text.contains("}:") && yaml::parse(text.as_bytes()).is_ok();
    if both && let Err(difference) = compare_with_another_parser(text) {
        assert!(
            !difference.starts_with("event ") && !difference.contains(" theirs"),
            "{difference}\n{text}"
        );
    }
}

/// Every place of the tree is valid, and every query of the tree has an answer.
pub fn check_tree(text: &[u8]) {
    let tree = match yaml::parse(text) {
        Ok(tree) => tree,
        Err(error) => {
            assert!(
                error.at as usize <= text.len()
                    && !error.opm.is_empty()
                    && !error.problem.is_empty()
            );
            return;
        }
    };
    check_places(&tree, text);
    let checked = value::check(&tree, text);
    let json = value::document_json(&tree, text);
    if let (Ok(()), Ok(json)) = (&checked, &json)
        && !json.is_empty()
    {
        let read: Result<Value, _> = serde_json::from_str(json);
        assert!(
            read.is_ok() || json.contains("[[[["),
            "what is canonical is JSON: {json}"
        );
    }
    assert!(
        checked.is_err() || json.is_ok(),
        "a checked value can be converted"
    );
    let _ = value::not_a_mapping(&tree, text);
    assert!(
        tree.comments()
            .windows(2)
            .all(|pair| pair[0].end <= pair[1].start)
    );
    assert!(
        tree.comments()
            .iter()
            .all(|c| text[c.start as usize] == b'#')
    );
}

fn check_places(tree: &Tree, text: &[u8]) {
    let len = tree.len() as u32;
    let mut last_start = 0;
    for i in 0..len {
        let id = NodeId(i);
        let node = tree.node(id);
        assert!(node.start <= node.end && node.end as usize <= text.len());
        assert!(node.next > i && node.next <= len);
        assert!(node.start >= last_start, "nodes lie in document order");
        last_start = node.start;
        let mut end = node.start;
        for child in tree.children(id) {
            let child = tree.node(child);
            assert!(
                child.start >= end && child.end <= node.end,
                "children lie within, one after the other"
            );
            end = child.end;
        }
        if node.kind.is_mapping() {
            assert!(tree.children(id).count().is_multiple_of(2));
        }
        if node.kind == NodeKind::BlockSequence {
            for item in tree.children(id) {
                let dash = tree.dash(item).expect("an item has a dash");
                assert!(
                    text[dash] == b'-'
                        && dash < tree.range(item).start
                        && dash >= tree.range(id).start
                );
            }
        }
        let _ = scalar::resolve(tree, text, id);
    }
}
