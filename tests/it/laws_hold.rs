//! Every law of [`crate::laws`] over generated cases on stable, and over the cases that once broke one
//! (`tests/data/fuzz`, a folder a target).
//!
//! `SWITCHYARD_CASES` asks for more cases of each, `PROPTEST_RNG_SEED` for others.

use crate::laws::LAWS;
use crate::laws::second_opinion::second_opinion;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::path::PathBuf;

fn law(target: &str) -> fn(&[u8]) {
    LAWS.iter().find(|(name, _)| *name == target).map(|(_, law)| *law).unwrap()
}

/// Decisions for a generator. Few make small cases, and shrinking makes fewer.
fn decisions() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        2 => prop::collection::vec(any::<u8>(), 0..40),
        3 => prop::collection::vec(any::<u8>(), 40..400),
    ]
}

fn holds(target: &str) {
    let cases = std::env::var("SWITCHYARD_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1500);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let law = law(target);
    TestRunner::new(config)
        .run(&decisions(), |data| {
            law(&data);
            Ok(())
        })
        .unwrap_or_else(|broken| panic!("{target}: {broken}"));
}

#[test]
fn edits() {
    holds("edits");
}

#[test]
fn indexignore() {
    holds("indexignore");
}

#[test]
fn json() {
    holds("json");
}

#[test]
fn load() {
    holds("load");
}

#[test]
fn operations() {
    holds("operations");
}

#[test]
fn ranges() {
    holds("ranges");
}

#[test]
fn yaml() {
    holds("yaml");
}

#[test]
fn what_once_broke_a_law_breaks_none() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/fuzz");
    let mut count = 0;
    for (target, law) in LAWS {
        for case in std::fs::read_dir(folder.join(target)).into_iter().flatten().flatten() {
            println!("{}", case.path().display());
            law(&std::fs::read(case.path()).unwrap());
            count += 1;
        }
    }
    println!("{count} cases");
}

/// A parser of YAML 1.2 sees the same structure and the same places where the two languages agree.
#[test]
fn another_parser_sees_the_same() {
    let texts = [
        "a: b\nl:\n- x\n- y: 1\n  z: [1, {k: v}]\n",
        "schema: olm.bundle\nproperties:\n  - type: a\n    value: {b: 'c'}\n  - type: \"d\"\n",
        "a: |\n  x\n   y\nb: >-\n  z\nc: p\n  q\n",
        "a: &x {b: 1}\nc: *x\n? k\n: v\n",
        "- - a\n  - b\n-\n  - c\n- []\n- {}\n",
        "é: ü\n'x': \"y\\n\"\n",
        "a:\nb: ~\n",
    ];
    for text in texts {
        second_opinion(text).unwrap_or_else(|e| panic!("{text}\n{e}"));
    }
}
