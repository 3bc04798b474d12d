//! The laws of our JSON scanner compared with `serde_json`: it accepts everything that `serde_json`
//! accepts, with the same value; anything else that it accepts, Go accepts too.

use super::catalog;
use super::choices::Choices;
use super::write;
use super::yaml::is_equal;
use rand::Rng;
use rand::seq::IndexedRandom;
use serde_json::Value;
use syntax::tree::NodeId;
use syntax::{json, scalar, value};

const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "\"a\"",
    "\"\\u00e9\"",
    "\"\\ud83d\\ude00\"",
    "\"\\ud800\"",
    "\\",
    "\\u",
    "\\n",
    "0",
    "-",
    "1",
    "-0",
    "1.5",
    "1e3",
    "1E+400",
    ".",
    "true",
    "false",
    "null",
    "nul",
    " ",
    "\n",
    "\t",
    "\r",
    "\u{c}",
    "é",
    "\u{0}",
    "\u{7f}",
    "\"a\":",
    "{\"a\":1}",
    "[1,2]",
    "01",
    "1.",
    "'",
    "/",
    "//",
];

pub fn hold(data: &[u8]) {
    let mut choices = Choices::new(data);
    match choices.random_range(0..3) {
        0 => check_agreement(choices.rest()),
        1 => {
            let text: String = (0..choices.random_range(0..24))
                .filter_map(|_| PIECES.choose(&mut choices).copied())
                .collect();
            check_agreement(text.as_bytes());
        }
        _ => {
            let blobs = catalog::blobs(&mut choices, "p");
            let blob = blobs.choose(&mut choices).unwrap();
            let mut text = write::json(&mut choices, blob).into_bytes();
            for _ in 0..choices.random_range(0..3) {
                let at = choices.random_range(0..=text.len());
                let piece = PIECES.choose(&mut choices).copied().unwrap_or_default();
                let end = (at + choices.random_range(0..3)).min(text.len());
                text.splice(at..end, piece.bytes());
            }
            check_agreement(&text);
        }
    }
}

fn check_agreement(text: &[u8]) {
    let theirs: Result<Value, _> = serde_json::from_slice(text);
    let tree = match json::parse(text) {
        Ok(tree) => tree,
        Err(error) => {
            assert!(error.at as usize <= text.len() && !error.problem.is_empty());
            assert!(
                theirs.is_err(),
                "{} in {:?}",
                error.problem,
                String::from_utf8_lossy(text)
            );
            return;
        }
    };
    for i in 0..tree.len() as u32 {
        let range = tree.range(NodeId(i));
        assert!(range.start < range.end && range.end <= text.len());
        let _ = scalar::resolve(&tree, text, NodeId(i));
    }
    let checked = value::check(&tree, text);
    let written = value::document_json(&tree, text);
    match theirs {
        Ok(theirs) => {
            let ours: Value = serde_json::from_str(&written.unwrap()).unwrap();
            assert!(
                is_equal(&ours, &theirs),
                "{ours} and {theirs} in {:?}",
                String::from_utf8_lossy(text)
            );
        }
        Err(error) => assert!(
            only_go_takes(text, &error) || checked.is_err() || written.is_err(),
            "{error} in {:?}",
            String::from_utf8_lossy(text)
        ),
    }
}

/// Invalid UTF-8, halves of surrogate pairs, nesting deeper than `serde_json` supports, and numbers
/// that are not floats (reported by `check` in objects only, as in `opm`).
fn only_go_takes(text: &[u8], error: &serde_json::Error) -> bool {
    let why = error.to_string();
    let no_float = why.starts_with("number out of range");
    let deep = why.starts_with("recursion limit exceeded");
    let surrogate = why.contains("surrogate") || why.contains("unexpected end of hex escape");
    std::str::from_utf8(text).is_err() || no_float || deep || surrogate
}
