//! Differential tests against the reference: both sides validate randomly damaged trees.
//!
//! `cargo dev parity` builds the program under `tests/opm` and starts [`mutants`]; without that
//! program, the test does nothing. Its earlier findings are in `tests/data/parity` and always
//! replayed.

mod case;
mod change_model;
mod change_text;
mod change_tree;
mod differ;
mod edits;
mod node;
mod opm;
mod pools;
mod rendered;
mod shrink;
mod start;
mod write;

use crate::verdict_matches_opm::compare::Tally;
use crate::verdict_matches_opm::tree::of_case;
use case::Tree;
use differ::{Outcome, Pair, compare};
use opm::Opm;
use pools::chance;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde_json::Value;
use start::CatalogSet;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use verdict::validate::judge;

/// A damaged tree, with descriptions of the changes.
fn mutant(catalog_set: &CatalogSet, seed: u64, nth: u64) -> (Tree, Vec<String>) {
    let mut rng = SmallRng::seed_from_u64(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ nth);
    let rng = &mut rng;
    let mut files = catalog_set.tree(rng);
    let mut changes = Vec::new();
    // The number of changes of each class: mostly one or two in all.
    let total = *[1, 1, 1, 1, 1, 2, 2, 3, 5].choose(rng).unwrap_or(&1);
    let (mut text, mut tree_changes) = (0, 0);
    for _ in 0..total {
        match rng.random_range(0..100) {
            0..=54 => changes.push(change_model::change(rng, &mut files)),
            55..=91 => text += 1,
            _ => tree_changes += 1,
        }
    }
    let mut tree = Tree::default();
    for file in &files {
        let written = match &file.text {
            // Sometimes rewrite a real file in another style or format.
            Some(text) if file.blobs.is_empty() || chance(rng, 70) => text.clone(),
            _ => {
                let json = file.json != chance(rng, 10);
                write::write(rng, &file.blobs, json)
            }
        };
        tree.put(&file.path, written.into_bytes());
    }
    for _ in 0..text {
        let paths: Vec<String> = tree.files.keys().cloned().collect();
        if let Some(bytes) = paths.choose(rng).and_then(|path| tree.files.get_mut(path)) {
            changes.push(change_text::change(rng, bytes));
        }
    }
    for _ in 0..tree_changes {
        changes.push(change_tree::change(rng, &mut tree));
    }
    (tree, changes)
}

/// The results of a run.
#[derive(Debug, Default)]
struct Report {
    /// Trees, trees that pass, equal verdicts, equal messages, crashes of the reference.
    counts: [u64; 5],
    /// For each class of differences its frequency and the first tree that shows it.
    classes: BTreeMap<String, (u64, u64)>,
    /// The reference's messages with their frequency.
    messages: BTreeMap<String, u64>,
}

impl Report {
    fn count(&mut self, nth: u64, pair: &Pair) -> bool {
        let outcome = pair.outcome();
        let facts = [
            true,
            pair.opm.is_empty(),
            outcome != Outcome::Verdict,
            outcome == Outcome::Equal,
            pair.panicked,
        ];
        for (count, fact) in self.counts.iter_mut().zip(facts) {
            *count += u64::from(fact);
        }
        *self
            .messages
            .entry(pair.class().lines().next().unwrap_or_default().to_owned())
            .or_default() += 1;
        if outcome == Outcome::Equal {
            return false;
        }
        let label = if outcome == Outcome::Verdict {
            "VERDICT"
        } else {
            "message"
        };
        let class = self
            .classes
            .entry(format!("{label} {}", pair.class()))
            .or_insert((0, nth));
        class.0 += 1;
        class.0 == 1
    }

    fn print(&self) {
        let [trees, passed, verdicts, messages, panics] = self.counts;
        println!(
            "{trees} trees, {passed} pass, {} kinds of message; {verdicts} verdicts equal, {messages} messages equal, {panics} crashes of opm",
            self.messages.len()
        );
        for (class, (count, first)) in &self.classes {
            println!("{count} x {class}\n     first: mutant {first}");
        }
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// A new random seed.
fn fresh_seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |now| now.as_nanos() as u64 & 0xffff_ffff)
}

#[test]
#[ignore = "needs the program under tests/opm: run `cargo dev parity`"]
fn mutants() {
    let program = std::env::var_os("SWITCHYARD_OPM")
        .expect("SWITCHYARD_OPM names the built program of tests/opm");
    let count = number("SWITCHYARD_PARITY_COUNT").unwrap_or(1000);
    let seed = number("SWITCHYARD_PARITY_SEED").unwrap_or_else(fresh_seed);
    let only = number("SWITCHYARD_PARITY_ONLY");
    println!("parity: {count} mutants of seed {seed}");
    let catalog_set = CatalogSet::open();
    let report = Mutex::new(Report::default());
    let next = AtomicU64::new(only.unwrap_or(0));
    let end = only.map_or(count, |only| only + 1);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                let mut opm = Opm::new(Path::new(&program));
                loop {
                    let nth = next.fetch_add(1, Ordering::Relaxed);
                    if nth >= end {
                        return;
                    }
                    let (tree, changes) = mutant(&catalog_set, seed, nth);
                    let pair = compare(&mut opm, &tree);
                    let new = report.lock().unwrap().count(nth, &pair);
                    if new {
                        save(&mut opm, &format!("{seed}-{nth}"), tree, &pair, &changes);
                    }
                }
            });
        }
    });
    let report = report.into_inner().unwrap();
    report.print();
    let [trees, _, verdicts, messages, _] = report.counts;
    assert_eq!(
        trees,
        only.map_or(count, |_| 1),
        "seed {seed}: so many trees were judged"
    );
    assert_eq!(
        verdicts,
        trees,
        "seed {seed}: verdicts differ; the trees are in {}",
        folder().display()
    );
    assert!(
        messages * 1000 >= trees * 999,
        "seed {seed}: {} of {trees} messages differ",
        trees - messages
    );
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/parity")
}

/// Writes the smallest tree with the difference, and both answers, below `target/parity`.
fn save(opm: &mut Opm, name: &str, tree: Tree, pair: &Pair, changes: &[String]) {
    let class = (pair.outcome(), pair.class());
    let small = shrink::shrink(tree, |tree| {
        let pair = compare(opm, tree);
        (pair.outcome(), pair.class()) == class
    });
    let pair = compare(opm, &small);
    let folder = folder().join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for (path, bytes) in &small.files {
        let full = folder.join("tree").join(path);
        // Some trees cannot exist on a disk (a file in a file); the case below contains them
        // anyway.
        let written = std::fs::create_dir_all(full.parent().unwrap())
            .and_then(|()| std::fs::write(&full, bytes));
        if let Err(error) = written {
            println!("{}: {error}", full.display());
        }
    }
    let mut case = small.case();
    case["id"] = name.into();
    case["why"] = changes.into();
    case["ok"] = pair.opm.is_empty().into();
    case["message"] = pair.opm.clone().into();
    std::fs::write(folder.join("case.json"), format!("{case}\n")).unwrap();
    std::fs::write(folder.join("opm.txt"), pair.opm).unwrap();
    std::fs::write(folder.join("ours.txt"), pair.ours).unwrap();
}

/// Earlier findings, in the format of the recorded tables.
#[test]
fn past_findings_stay_resolved() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/parity/findings.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let mut tally = Tally::new("parity findings");
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        tally.count(&case, &judge(&of_case(&case)));
    }
    tally.print();
    tally.require_verdicts(1.0);
    tally.require_messages(1.0);
}

/// The same seed gives the same trees, and few of them are similar.
#[test]
fn mutants_are_reproducible() {
    let catalog_set = CatalogSet::open();
    let all: Vec<Tree> = (0..200).map(|nth| mutant(&catalog_set, 7, nth).0).collect();
    let again: Vec<Tree> = (0..200).map(|nth| mutant(&catalog_set, 7, nth).0).collect();
    assert_eq!(all, again);
    let distinct = all
        .iter()
        .enumerate()
        .filter(|(i, tree)| !all[..*i].contains(tree))
        .count();
    assert!(distinct > 190, "{distinct}");
}
