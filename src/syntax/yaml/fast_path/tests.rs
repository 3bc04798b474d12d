//! The fast path gives the parser's result, or none: on our catalogs, on real ones, on damaged
//! ones, and on texts composed of lines with special meaning.

use super::super::input::{prepare, prepare_lines};
use super::super::parse_fully;
use super::parse;
use crate::testing::{corpus, read};
use crate::tree::Format;
use proptest::prelude::*;
use std::path::{Path, PathBuf};

/// Whether the fast path accepted the text. Panics if its result differs from the parser's.
fn is_parsed_fast(text: &[u8]) -> bool {
    for input in [prepare_lines(text), prepare(text)] {
        if let Some(fast) = parse(&input, text.len()) {
            let full = parse_fully(&input, text.len());
            assert_eq!(
                Ok(fast),
                full.map_err(|error| error.opm),
                "{}",
                String::from_utf8_lossy(text)
            );
        }
    }
    parse(&prepare_lines(text), text.len()).is_some()
}

fn yaml_files(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        if entry.is_dir() {
            yaml_files(&entry, files);
        } else if entry.extension().is_some_and(|ending| ending == "yaml") {
            files.push(entry);
        }
    }
}

/// Returns the YAML documents of our own catalogs.
fn documents() -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    yaml_files(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/catalogs"),
        &mut files,
    );
    files.sort();
    let documents = files
        .iter()
        .flat_map(|file| read(&std::fs::read(file).unwrap(), 1 << 16));
    documents
        .filter(|document| document.format == Format::Yaml)
        .map(|document| document.text)
        .collect()
}

#[test]
fn catalogs_take_the_fast_path_with_the_same_result() {
    let documents = documents();
    let taken = documents.iter().filter(|text| is_parsed_fast(text)).count();
    assert!(
        documents.len() >= 50 && taken * 10 >= documents.len() * 9,
        "{taken} of {}",
        documents.len()
    );
}

#[test]
fn real_catalogs_take_the_fast_path() {
    let (mut taken, mut all) = (0, 0);
    for file in corpus(&["community", "operatorhub", "redhat", "split", "templates"])
        .iter()
        .step_by(11)
    {
        for document in read(&std::fs::read(file).unwrap(), 1 << 16) {
            if document.format == Format::Yaml {
                all += document.text.len();
                taken += if is_parsed_fast(&document.text) {
                    document.text.len()
                } else {
                    0
                };
            }
        }
    }
    println!("{taken} of {all} bytes");
    assert!(taken * 10 >= all * 9, "{taken} of {all} bytes");
}

#[test]
fn unusual_yaml_is_parsed_by_the_full_parser() {
    for text in [
        "",
        "# only\n",
        "text\n",
        "a: [b,\n c]\n",
        "a: {b: c,}\n",
        "a: {b}\n",
        "a: [b: c]\n",
        "a: [- b]\n",
        "a: [b #c]\n",
        "a: [>b]\n",
        "[a]: b\n",
        "a: &b c\n",
        "a: *b\n",
        "a: !t b\n",
        "? a\n",
        "a:\tb\n",
        "\ta: b\n",
        "a : b\n",
        "a: b: c\n",
        "a: - b\n",
        "a: |0\n   b\n",
        "%YAML 1.1\n",
        "a: b\n...\n",
        "a: b\n---\n",
        "a:\r\n  b\r\n",
        "a: \"\\q\"\n",
        "a: \"\\ud800\"\n",
        "a: 'b\n",
        " a: b\nc: d\n",
        "a:\n  b: c\n d: e\n",
        "a: b\n  c: d\n",
        "- a\nb: c\n",
    ] {
        assert!(!is_parsed_fast(text.as_bytes()), "{text:?}");
    }
}

#[test]
fn common_yaml_takes_the_fast_path() {
    for text in [
        "a: b\n",
        "---\na: b # c\n",
        "# h\na:\n- b\n- c: d\n  e:\n  f: g\n-\n- - h\n  - i\n",
        "a:\n\n  b\n  - c\n\n  d # e\nf:\n",
        "a: |\n\n   b\n    c\n\nd: >-\n  e\nf: |+\n  g\n\n\nh: |\ni: []\nj: {} # k\n",
        "'a''b': \"c \\\"\\\n  d\\u00e9\n\n  e\" # f\n",
        "a:\n    b:\n        c: d\n    e: f\ng: http://h#i\n",
        "ä: ö\nü:\n- ß: é\n  è: \u{1F600}\n",
        "- a\n- b\n",
        "a:\n  |\n  b\n",
        "a: [b, 'c' , {d: e, \"f\":[g]}] # h\n",
        "a: |2\n\n    b\n   c\nd: >-1\n  e\n",
        "a: {b: http://c, d: [], e: [f#g, h:i]}\nj: k\n",
    ] {
        assert!(is_parsed_fast(text.as_bytes()), "{text:?}");
    }
}

const PIECES: [&str; 49] = [
    "a: b",
    "k:",
    "- ",
    "-",
    "- x",
    "- k: v",
    "- - y",
    "? q",
    ": w",
    "|",
    ">",
    "|-",
    "|+",
    "d: |",
    "e: >-",
    "f: |+",
    "f: |2",
    "f: |-1",
    "\"q",
    "q\"",
    "g: \"x\\n\"",
    "h: \"a\\",
    "i: 'it''s'",
    "'j': k",
    "# c",
    "l: m # n",
    "",
    "---",
    "...",
    "&a o",
    "*a",
    "p: &a",
    "!t r",
    "[",
    "]",
    "s: [x, 'y']",
    "t: {}",
    "u: {v: [w, {x: y}], \"z\":1}",
    "text more",
    "x : y",
    "z: a: b",
    "colon:tight",
    "hash#tight",
    "end:",
    "\t",
    "a:\tb",
    "ä: é",
    "<<: k",
    "~: null",
];

fn line() -> impl Strategy<Value = String> {
    (
        0..5usize,
        prop::collection::vec(0..PIECES.len(), 1..3),
        any::<bool>(),
    )
        .prop_map(|(indent, pieces, spaced)| {
            let text: Vec<&str> = pieces.iter().map(|&at| PIECES[at]).collect();
            format!(
                "{}{}",
                " ".repeat(indent),
                text.join(if spaced { " " } else { "" })
            )
        })
}

/// Generates changes of a text: at a position, a piece replaces a number of bytes.
fn damage() -> impl Strategy<Value = Vec<(prop::sample::Index, usize, usize)>> {
    prop::collection::vec(
        (any::<prop::sample::Index>(), 0..6usize, 0..PIECES.len()),
        1..4,
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases * 10, ..ProptestConfig::default() })]

    #[test]
    fn random_lines_give_the_same_result(lines in prop::collection::vec(line(), 1..9)) {
        is_parsed_fast(lines.join("\n").as_bytes());
    }
}

proptest! {
    #[test]
    fn damaged_catalogs_give_the_same_result(which in any::<prop::sample::Index>(), damage in damage()) {
        let documents = documents();
        let mut text = which.get(&documents).clone();
        for (place, removed, piece) in damage {
            let at = place.index(text.len() + 1);
            let end = (at + removed).min(text.len());
            text.splice(at..end, PIECES[piece].bytes());
        }
        is_parsed_fast(&text);
    }
}
