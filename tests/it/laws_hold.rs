//! Every law of [`crate::laws`] over generated cases on stable, and over the cases that once broke
//! one (`tests/data/fuzz`, a folder a target).
//!
//! `SWITCHYARD_CASES` sets the number of cases, `PROPTEST_RNG_SEED` the seed.

use crate::laws::LAWS;
use crate::laws::passing::{self, Outcome};
use crate::laws::second_opinion::compare_with_another_parser;
use crate::laws::subset;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

fn law(target: &str) -> fn(&[u8]) {
    LAWS.iter()
        .find(|(name, _)| *name == target)
        .map(|(_, law)| *law)
        .unwrap()
}

/// Input of a generator. Short inputs give small cases; shrinking shortens them.
fn decisions() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        2 => prop::collection::vec(any::<u8>(), 0..40),
        3 => prop::collection::vec(any::<u8>(), 40..400),
    ]
}

/// The requested number of cases.
fn requested_cases() -> Option<u32> {
    std::env::var("SWITCHYARD_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
}

fn check(target: &str) {
    let law = law(target);
    check_cases(target, requested_cases().unwrap_or(1500), law);
}

fn check_cases(target: &str, cases: u32, law: impl Fn(&[u8])) {
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    TestRunner::new(config)
        .run(&decisions(), |data| {
            law(&data);
            Ok(())
        })
        .unwrap_or_else(|broken| panic!("{target}: {broken}"));
}

#[test]
fn edits() {
    check("edits");
}

#[test]
fn indexignore() {
    check("indexignore");
}

#[test]
fn json() {
    check("json");
}

#[test]
fn load() {
    check("load");
}

#[test]
fn operations() {
    // A case opens three sessions: 1,500 took longer than all other tests together.
    check_cases(
        "operations",
        requested_cases().unwrap_or(400),
        law("operations"),
    );
}

#[test]
fn passing() {
    // Each operation of a case is previewed, applied and validated, and so is each alternative.
    const CASES: u32 = 400;
    const FLOOR: u32 = 4;
    let cases = requested_cases().unwrap_or(CASES);
    let counts: RefCell<BTreeMap<&str, TrialCounts>> = RefCell::default();
    let law = |data: &[u8]| {
        for (kind, outcome) in passing::check_all(data) {
            let mut counts = counts.borrow_mut();
            let count = counts.entry(kind).or_default();
            count.all += 1;
            count.kept += u32::from(outcome == Outcome::Kept);
            count.fails += u32::from(matches!(outcome, Outcome::Fails(_)));
            count.with_alternatives +=
                u32::from(matches!(outcome, Outcome::Fails(alternatives) if alternatives > 0));
        }
    };
    check_cases("passing", cases, law);
    let counts = counts.into_inner();
    println!("{counts:#?}");
    if cases < CASES {
        return;
    }
    assert_eq!(
        counts.len(),
        passing::KINDS,
        "every kind of operation came up: {:?}",
        counts.keys()
    );
    for (kind, count) in &counts {
        assert!(count.all >= FLOOR, "{kind} came up too seldom: {count:?}");
        // Nothing is deprecated at first. These bundles have only one property, which cannot be
        // removed.
        let is_idle = matches!(
            *kind,
            "undeprecate" | "remove-property" | "remove-property olm.package" | "set-icon"
        );
        assert!(
            is_idle || count.kept + count.fails > 0,
            "{kind} never did anything: {count:?}"
        );
    }
    let sum = |field: fn(&TrialCounts) -> u32| counts.values().map(field).sum::<u32>();
    assert!(
        sum(|count| count.fails) >= FLOOR && sum(|count| count.with_alternatives) >= FLOOR,
        "{counts:?}"
    );
}

/// The results for one kind of operation.
#[derive(Debug, Default)]
struct TrialCounts {
    all: u32,
    kept: u32,
    fails: u32,
    with_alternatives: u32,
}

#[test]
fn ranges() {
    check("ranges");
}

#[test]
fn subset() {
    // Every case opens and validates several catalogs.
    const CASES: u32 = 300;
    let cases = requested_cases().unwrap_or(CASES);
    let counts: RefCell<BTreeMap<&str, u32>> = RefCell::default();
    check_cases("subset", cases, |data| {
        for outcome in subset::check_all(data) {
            let kind = match outcome {
                subset::Outcome::Refused => "refused",
                subset::Outcome::Whole => "whole",
                subset::Outcome::Cut(0) => "blobs go",
                subset::Outcome::Cut(_) => "entries go",
            };
            *counts.borrow_mut().entry(kind).or_default() += 1;
        }
    });
    let counts = counts.into_inner();
    println!("{counts:?}");
    for kind in ["refused", "whole", "blobs go", "entries go"] {
        let count = counts.get(kind).copied().unwrap_or_default();
        assert!(count * 20 >= cases, "{kind} came up too seldom: {counts:?}");
    }
}

#[test]
fn yaml() {
    check("yaml");
}

/// Minimum number of stored cases.
const KEPT: usize = 15;

#[test]
fn past_counterexamples_hold() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/fuzz");
    let mut count = 0;
    for (target, law) in LAWS {
        for case in std::fs::read_dir(folder.join(target))
            .into_iter()
            .flatten()
            .flatten()
        {
            println!("{}", case.path().display());
            law(&std::fs::read(case.path()).unwrap());
            count += 1;
        }
    }
    println!("{count} cases");
    assert!(count >= KEPT, "only {count} kept cases");
}

/// A YAML 1.2 parser finds the same structure and the same places if both languages agree.
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
        compare_with_another_parser(text).unwrap_or_else(|e| panic!("{text}\n{e}"));
    }
}
