//! The same laws over real catalogs, where they are there.

use super::{count, independent, judge, random_patch};
use crate::fbc::edit::refusal::RefusalKind;
use crate::fbc::syntax::document::{Document, Reader, Sink};
use crate::fbc::syntax::tree::Format;
use rand::rngs::SmallRng;
use rand::seq::{IndexedRandom, IteratorRandom};
use rand::{Rng, SeedableRng};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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
    let mut entries: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        let small = || path.metadata().is_ok_and(|data| data.len() < 4_000_000);
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "yaml" || kind == "json" || kind == "yml") && small() {
            found.push(path);
        }
    }
}

#[test]
fn random_edits_of_real_catalogs() {
    let shared = std::env::var_os("SWITCHYARD_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let mut found = Vec::new();
    files(&shared.join("corpus"), &mut found);
    if found.is_empty() {
        return println!("skipped: no real catalogs beside the checkout (SWITCHYARD_SHARED names another place)");
    }
    let count = count(600);
    let (mut done, mut unread, mut refused) = (0, 0, BTreeMap::<RefusalKind, usize>::new());
    let (mut seed, mut violations) = (0, Vec::new());
    while done + refused.values().sum::<usize>() < count && seed < 50 * count as u64 {
        seed += 1;
        let mut rng = SmallRng::seed_from_u64(seed);
        let Some(bytes) = found.choose(&mut rng).and_then(|path| std::fs::read(path).ok()) else { continue };
        let mut texts = Texts::default();
        let mut reader = Reader::new();
        reader.feed(&bytes, &mut texts);
        reader.finish(&mut texts);
        // Small blobs are where people edit; a large one now and then.
        let limit = if rng.random_bool(0.1) { 200_000 } else { 20_000 };
        let texts: Vec<_> = texts.0.iter().filter(|(text, _)| text.len() < limit).choose_multiple(&mut rng, 8);
        for (text, format) in texts {
            let Some(before) = independent(text, *format).filter(|before| before.is_object()) else {
                unread += 1;
                continue;
            };
            let Some(patch) = random_patch(&mut rng, &before) else { continue };
            match judge(text, *format, &patch, &before) {
                Ok(None) => done += 1,
                Ok(Some(kind)) => *refused.entry(kind).or_default() += 1,
                Err(violation) => violations.push(format!("seed {seed}: {violation}")),
            }
        }
    }
    println!("real catalogs: {done} edits right, refused {refused:?}, {unread} blobs that serde cannot read");
    violations.truncate(3);
    assert!(violations.is_empty(), "{}", violations.join("\n\n"));
    assert!(refused.values().sum::<usize>() * 50 < count, "too many refusals: {refused:?}");
}
