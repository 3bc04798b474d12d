//! The laws of editing a blob ([`crate::laws::edits`]) over many seeds and over real catalogs.
//! Counts the applied edits, because laws also hold if all edits are refused.

use crate::laws::edits::{
    Outcome, generated, hostile, judge, random_patch, read_independently, several,
};
use crate::laws::second_opinion::compare_with_another_parser;
use edit::patch::{Patch, PathSegment, RefusalKind};
use edit::verify::edit_blob;
use rand::rngs::SmallRng;
use rand::seq::{IndexedRandom, IteratorRandom};
use rand::{Rng, SeedableRng};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use syntax::document::{Document, Reader, Sink};
use syntax::tree::Format;

/// The number of edits in seeded runs; `SWITCHYARD_EDITS` overrides it.
fn count(usual: usize) -> usize {
    std::env::var("SWITCHYARD_EDITS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(usual)
}

#[derive(Debug, Default)]
struct Tally {
    done: usize,
    skipped: usize,
    refused: BTreeMap<RefusalKind, usize>,
}

impl Tally {
    fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Done => self.done += 1,
            Outcome::Skipped => self.skipped += 1,
            Outcome::Refused(kind) => *self.refused.entry(kind).or_default() += 1,
        }
    }
}

#[test]
fn generated_blobs_in_generated_spellings() {
    let (mut tally, count) = (Tally::default(), count(4000));
    for seed in 0..count as u64 {
        tally.add(
            generated(&mut SmallRng::seed_from_u64(seed))
                .unwrap_or_else(|e| panic!("seed {seed}: {e}")),
        );
    }
    println!("generated: {tally:?}");
    assert!(
        tally.done > count / 2,
        "only {} of {count} edits were made",
        tally.done
    );
    assert!(
        tally.refused.values().sum::<usize>() * 50 < count,
        "too many refusals: {:?}",
        tally.refused
    );
}

#[test]
fn several_edits_equal_consecutive_ones() {
    let (mut tally, count) = (Tally::default(), count(3000));
    for seed in 0..count as u64 {
        tally.add(
            several(&mut SmallRng::seed_from_u64(seed))
                .unwrap_or_else(|e| panic!("seed {seed}: {e}")),
        );
    }
    println!("several: {tally:?}");
    assert!(
        tally.done > count / 2,
        "only {} of {count} were made",
        tally.done
    );
}

#[test]
fn damaged_text_is_edited_correctly_or_not_at_all() {
    let mut tally = Tally::default();
    for seed in 0..count(6000) as u64 {
        let outcome = hostile::damaged(&mut SmallRng::seed_from_u64(seed));
        tally.add(outcome.unwrap_or_else(|e| panic!("seed {seed}: {e}")));
    }
    println!("damaged: {tally:?}");
    assert!(tally.done > 100);
}

fn key(name: &str) -> Vec<PathSegment> {
    vec![name.into()]
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let deep = 10_000;
    let list = format!("a: {}{}\nb: c\n", "[".repeat(deep), "]".repeat(deep));
    let block = format!("a:\n{}x\nb: c\n", "- ".repeat(deep));
    for text in [list, block] {
        let outcome = std::thread::Builder::new()
            .stack_size(256 << 10)
            .spawn(move || {
                let set = edit_blob(text.as_bytes(), Format::Yaml, &[Patch::set(key("b"), "d")]);
                let path: Vec<PathSegment> = vec!["a".into(), 0.into(), 0.into()];
                let inner = edit_blob(text.as_bytes(), Format::Yaml, &[Patch::remove(path)]);
                (
                    set.map(|edited| edited.text.ends_with(b"b: d\n")),
                    inner.is_ok(),
                )
            });
        // A reader may refuse this depth; an accepted text must be editable.
        match outcome.unwrap().join().unwrap() {
            (Ok(written), _) => assert!(written),
            (Err(refusal), _) => assert_eq!(refusal.kind, RefusalKind::Unreadable),
        }
    }
}

/// The texts of a file's documents that could be parsed.
#[derive(Default)]
struct Texts(Vec<(Vec<u8>, Format)>);

impl Sink for Texts {
    fn accepts(&mut self, _: &Document<'_>) -> bool {
        true
    }

    fn document(&mut self, document: Document<'_>) {
        if document.parsed.is_ok() && !document.transcoded {
            self.0.push((document.text.to_vec(), document.format));
        }
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path())
        .collect();
    entries.sort();
    for path in entries {
        let small = || path.metadata().is_ok_and(|data| data.len() < 4_000_000);
        if path.is_dir() {
            files(&path, found);
        } else if path
            .extension()
            .is_some_and(|kind| kind == "yaml" || kind == "json" || kind == "yml")
            && small()
        {
            found.push(path);
        }
    }
}

#[test]
fn random_edits_of_real_catalogs() {
    let shared = std::env::var_os("SWITCHYARD_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let mut found = Vec::new();
    files(&shared.join("corpus"), &mut found);
    if found.is_empty() {
        return println!("skipped: no folder of real catalogs (SWITCHYARD_SHARED)");
    }
    let count = count(600);
    let (mut done, mut unread, mut refused) = (0, 0, BTreeMap::<RefusalKind, usize>::new());
    let (mut seed, mut violations) = (0, Vec::new());
    while done + refused.values().sum::<usize>() < count && seed < 50 * count as u64 {
        seed += 1;
        let mut rng = SmallRng::seed_from_u64(seed);
        let Some(bytes) = found
            .choose(&mut rng)
            .and_then(|path| std::fs::read(path).ok())
        else {
            continue;
        };
        let mut texts = Texts::default();
        let mut reader = Reader::default();
        reader.feed(&bytes, &mut texts);
        reader.finish(&mut texts);
        // Users mostly edit small blobs; include a large one now and then.
        let limit = if rng.random_bool(0.1) {
            200_000
        } else {
            20_000
        };
        let texts: Vec<_> = texts
            .0
            .iter()
            .filter(|(text, _)| text.len() < limit)
            .choose_multiple(&mut rng, 8);
        for (text, format) in texts {
            let Some(before) =
                read_independently(text, *format).filter(|before| before.is_object())
            else {
                unread += 1;
                continue;
            };
            let Some(patch) = random_patch(&mut rng, &before) else {
                continue;
            };
            match judge(text, *format, &patch, &before) {
                Ok(None) => done += 1,
                Ok(Some(kind)) => *refused.entry(kind).or_default() += 1,
                Err(violation) => violations.push(format!("seed {seed}: {violation}")),
            }
        }
    }
    println!(
        "real catalogs: {done} edits right, refused {refused:?}, {unread} blobs that serde cannot read"
    );
    assert!(done > count / 2, "only {done} of {count} edits were made");
    violations.truncate(3);
    assert!(violations.is_empty(), "{}", violations.join("\n\n"));
    assert!(
        refused.values().sum::<usize>() * 50 < count,
        "too many refusals: {refused:?}"
    );
}

/// Places in real catalogs match those of another parser.
#[test]
fn positions_match_another_parser() {
    let shared = std::env::var_os("SWITCHYARD_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let mut found = Vec::new();
    for folder in ["community/v4.20", "operatorhub", "split"] {
        files(&shared.join("corpus").join(folder), &mut found);
    }
    if found.is_empty() {
        return println!("skipped: no folder of real catalogs (SWITCHYARD_SHARED)");
    }
    let mut documents = 0;
    for path in found.iter().step_by(found.len() / 60 + 1) {
        let mut texts = Texts::default();
        let mut reader = Reader::default();
        reader.feed(&std::fs::read(path).unwrap(), &mut texts);
        reader.finish(&mut texts);
        for (text, _) in texts
            .0
            .iter()
            .filter(|(text, format)| *format == Format::Yaml && text.len() < 200_000)
        {
            let text = std::str::from_utf8(text).unwrap();
            compare_with_another_parser(text)
                .unwrap_or_else(|e| panic!("{}: {e}\n{text}", path.display()));
            documents += 1;
        }
    }
    println!("{documents} documents");
    assert!(documents >= 100, "only {documents} documents");
}
