//! Random operations on real files: only the requested blobs change, undo restores every byte, and
//! an independent reader sees the intended change, which is specified a second time in
//! [`crate::laws::operations`].
//!
//! `SWITCHYARD_EDITS` sets the number of operations (small by default), `SWITCHYARD_SEED` the seed.

use crate::laws::operations::{Outcome, ReadBlob, by_serde, check_with_reader, random_op};
use ::catalog::index::index_bytes;
use rand::SeedableRng;
use rand::rngs::StdRng;
use session::{self, Session};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use template::template_of_file;
use test_support::{MemorySource, corpus, read_tree};

/// The catalogs of the corpus: each folder is opened as one catalog.
fn catalogs(corpus: &Path) -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = [
        "community/v4.18",
        "community/v4.19",
        "community/v4.20",
        "operatorhub",
        "redhat",
        "scale",
    ]
    .iter()
    .map(|p| corpus.join(p))
    .collect();
    for group in [
        "split/cert-manager/catalogs",
        "split/securesign",
        "split/submariner",
        "variants",
        "mistakes",
    ] {
        if let Ok(entries) = fs::read_dir(corpus.join(group)) {
            let mut below: Vec<PathBuf> = entries
                .map(|e| e.unwrap().path())
                .filter(|p| p.is_dir())
                .collect();
            below.sort();
            roots.extend(below);
        }
    }
    roots.retain(|p| p.is_dir());
    roots
}

/// The results of many operations.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    done: u64,
    applied: u64,
    nothing: u64,
    inapplicable: BTreeMap<String, u64>,
    refused: BTreeMap<String, u64>,
}

impl Tally {
    /// Runs `count` random operations, each undone before the next.
    pub(crate) fn run(
        &mut self,
        read: &mut ReadBlob<'_>,
        random: &mut StdRng,
        session: &mut Session,
        count: u64,
    ) {
        for _ in 0..count {
            let Some(op) = random_op(random, session) else {
                continue;
            };
            self.done += 1;
            match check_with_reader(read, session, &op) {
                Outcome::Applied => self.applied += 1,
                Outcome::Nothing => self.nothing += 1,
                Outcome::Inapplicable(reason) => *self.inapplicable.entry(reason).or_default() += 1,
                Outcome::Refused(reason) => *self.refused.entry(reason).or_default() += 1,
            }
        }
    }

    pub(crate) fn print(&self, what: &str) {
        let inapplicable: u64 = self.inapplicable.values().sum();
        let refused: u64 = self.refused.values().sum();
        println!(
            "{what}: {} operations: {} applied, {} changed nothing, {inapplicable} not applicable, {refused} refused",
            self.done, self.applied, self.nothing
        );
        println!(
            "not applicable: {:#?}\nrefused: {:#?}",
            self.inapplicable, self.refused
        );
    }

    /// Most operations apply, and at most one in a hundred is refused because of the text.
    pub(crate) fn require(&self) {
        assert!(
            self.applied * 2 > self.done,
            "most operations are to be applied: {self:?}"
        );
        let refused: u64 = self.refused.values().sum();
        assert!(
            refused * 100 < self.done.max(200),
            "too many refusals: {:?}",
            self.refused
        );
    }
}

/// `SWITCHYARD_EDITS` (default `usual`) and a random generator from `SWITCHYARD_SEED`.
pub(crate) fn count_and_random(usual: u64) -> (u64, StdRng) {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name)
            .ok()
            .and_then(|n| n.parse().ok())
            .unwrap_or(otherwise)
    };
    (
        number("SWITCHYARD_EDITS", usual),
        StdRng::seed_from_u64(number("SWITCHYARD_SEED", 1)),
    )
}

/// Random operations in all catalogs. Large catalogs have most packages, so they get most
/// operations.
pub(crate) fn over_catalogs(
    read: &mut ReadBlob<'_>,
    corpus: &Path,
    (count, mut random): (u64, StdRng),
) -> Tally {
    let small = ["split", "variants", "mistakes"].map(|group| corpus.join(group));
    let weight = |root: &PathBuf| {
        if small.iter().any(|group| root.starts_with(group)) {
            1
        } else {
            12
        }
    };
    let roots = catalogs(corpus);
    let total: u64 = roots.iter().map(weight).sum();
    let mut tally = Tally::default();
    for root in &roots {
        let (files, source) = MemorySource::with_files(read_tree(root));
        let mut session = session::open_one("catalog", files, source);
        tally.run(
            read,
            &mut random,
            &mut session,
            (count * weight(root)).div_ceil(total),
        );
    }
    tally
}

#[test]
fn random_operations_on_real_files() {
    let Some(corpus) = corpus() else { return };
    let tally = over_catalogs(&mut by_serde, &corpus, count_and_random(120));
    tally.print("catalogs");
    tally.require();
}

/// The files below a folder that are templates with blobs, by path.
pub(crate) fn templates(corpus: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for group in ["templates", "split", "variants", "mistakes"] {
        let folder = corpus.join(group);
        if !folder.is_dir() {
            continue;
        }
        let files = read_tree(&folder).into_iter().filter(|(_, text)| {
            template_of_file(&index_bytes(text))
                .is_some_and(|template| !template.items().is_empty())
        });
        found.extend(files.map(|(path, _)| folder.join(path)));
    }
    found
}

#[test]
fn random_operations_on_real_templates() {
    let Some(corpus) = corpus() else { return };
    let (count, mut random) = count_and_random(320);
    let files = templates(&corpus);
    let share = count.div_ceil(files.len().max(1) as u64);
    let mut tally = Tally::default();
    for file in &files {
        let (mut files, source) =
            MemorySource::with_files(vec![("template".to_owned(), fs::read(file).unwrap())]);
        let mut session = session::open_template(files.remove(0), source);
        assert!(
            session.root(None).is_ok_and(|root| root.is_template()),
            "{}",
            file.display()
        );
        tally.run(&mut by_serde, &mut random, &mut session, share);
    }
    tally.print(&format!("{} templates", files.len()));
    assert!(files.len() > 100);
    tally.require();
}
