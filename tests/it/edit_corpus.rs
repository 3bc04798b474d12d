//! Random operations over real files: only the named blobs change, undo gives every byte back, an independent reader
//! sees what was meant, and what was meant is told a second time ([`crate::laws::operations`]).
//!
//! `SWITCHYARD_EDITS` says how many operations (a small number otherwise), `SWITCHYARD_SEED` the seed.

pub(crate) use crate::laws::operations::memory;
use crate::laws::operations::{Outcome, check, random_op};
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use switchyard::fbc::index::index_bytes;
use switchyard::fbc::template::of_file;
use switchyard::fbc::workspace;

fn read_tree(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                files.push((name, fs::read(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

/// The catalogs of the corpus: each a folder that is opened as one.
fn catalogs(corpus: &Path) -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> =
        ["community/v4.18", "community/v4.19", "community/v4.20", "operatorhub", "redhat", "scale"]
            .iter()
            .map(|p| corpus.join(p))
            .collect();
    for group in ["split/cert-manager/catalogs", "split/securesign", "split/submariner", "variants", "mistakes"] {
        if let Ok(entries) = fs::read_dir(corpus.join(group)) {
            let mut below: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).filter(|p| p.is_dir()).collect();
            below.sort();
            roots.extend(below);
        }
    }
    roots.retain(|p| p.is_dir());
    roots
}

#[test]
fn random_operations_on_real_files() {
    let Some(corpus) = crate::shared::folder().map(|s| s.join("corpus")) else {
        println!("skipped: no folder of real catalogs (SWITCHYARD_SHARED)");
        return;
    };
    let number =
        |name: &str, otherwise: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise);
    let (count, seed) = (number("SWITCHYARD_EDITS", 120), number("SWITCHYARD_SEED", 1));
    let mut random = StdRng::seed_from_u64(seed);
    let roots = catalogs(&corpus);
    let (mut applied, mut nothing) = (0u64, 0u64);
    let mut refused: BTreeMap<String, u64> = BTreeMap::new();
    let mut done = 0;
    // The large catalogs hold most packages, so they get most operations.
    let weights: Vec<u64> = roots
        .iter()
        .map(|r| {
            if r.starts_with(corpus.join("split"))
                || r.starts_with(corpus.join("variants"))
                || r.starts_with(corpus.join("mistakes"))
            {
                1
            } else {
                12
            }
        })
        .collect();
    let total: u64 = weights.iter().sum();
    for (root, weight) in roots.iter().zip(&weights) {
        let share = (count * weight).div_ceil(total);
        let (files, source) = memory(read_tree(root));
        let mut workspace = workspace::open_one("catalog", files, source);
        for _ in 0..share {
            done += 1;
            let Some(op) = random_op(&mut random, &workspace) else { continue };
            match check(&mut workspace, &op) {
                Outcome::Applied => applied += 1,
                Outcome::Nothing => nothing += 1,
                Outcome::Refused(reason) => *refused.entry(reason).or_default() += 1,
            }
        }
    }
    println!("{done} operations: {applied} applied, {nothing} changed nothing, refused: {refused:#?}");
    assert!(applied * 2 > done, "most operations are to be applied");
}

/// The files of a folder and below that hold a template with blobs, by path.
fn templates(corpus: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for group in ["templates", "split", "variants", "mistakes"] {
        let folder = corpus.join(group);
        if !folder.is_dir() {
            continue;
        }
        let files = read_tree(&folder)
            .into_iter()
            .filter(|(_, text)| of_file(&index_bytes(text)).is_some_and(|template| !template.items().is_empty()));
        found.extend(files.map(|(path, _)| folder.join(path)));
    }
    found
}

#[test]
fn random_operations_on_real_templates() {
    let Some(corpus) = crate::shared::folder().map(|s| s.join("corpus")) else {
        println!("skipped: no folder of real templates (SWITCHYARD_SHARED)");
        return;
    };
    let number =
        |name: &str, otherwise: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise);
    let (count, seed) = (number("SWITCHYARD_EDITS", 320), number("SWITCHYARD_SEED", 1));
    let mut random = StdRng::seed_from_u64(seed);
    let files = templates(&corpus);
    let share = count.div_ceil(files.len().max(1) as u64);
    let (mut done, mut applied, mut nothing) = (0u64, 0u64, 0u64);
    let mut refused: BTreeMap<String, u64> = BTreeMap::new();
    for file in &files {
        let (mut files, source) = memory(vec![("template".to_owned(), fs::read(file).unwrap())]);
        let mut workspace = workspace::open_template(files.remove(0), source);
        assert!(workspace.root(None).is_ok_and(|root| root.is_template()), "{}", file.display());
        for _ in 0..share {
            done += 1;
            let Some(op) = random_op(&mut random, &workspace) else { continue };
            match check(&mut workspace, &op) {
                Outcome::Applied => applied += 1,
                Outcome::Nothing => nothing += 1,
                Outcome::Refused(reason) => *refused.entry(reason).or_default() += 1,
            }
        }
    }
    println!(
        "{} templates, {done} operations: {applied} applied, {nothing} changed nothing, refused: {refused:#?}",
        files.len()
    );
    assert!(files.len() > 100 && applied * 2 > done, "most operations are to be applied");
}
