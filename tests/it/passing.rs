//! The law of whole packages ([`crate::laws::passing`]) on real ones: every operation with its
//! defaults on every channel, entry and bundle, counted by operation.
//!
//! A run takes a sample; `SWITCHYARD_PASSING=all` takes every package and every target, a number
//! takes this many targets per operation and package.

use crate::laws::passing::{Outcome, check, operations};
use protocol::operation::EditOp;
use session::{self, Session};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use test_support::{MemorySource, corpus, read_tree};
use verdict::validate::judge;

#[derive(Debug, Default, Clone)]
struct Count {
    done: usize,
    refused: usize,
    fails: usize,
    /// Number of those without an alternative.
    without_alternative: usize,
    example: String,
}

/// Folders that are catalogs.
fn catalogs(corpus: &Path) -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = ["operatorhub", "redhat", "scale"]
        .iter()
        .map(|p| corpus.join(p))
        .collect();
    for group in [
        "community",
        "repository/catalogs",
        "split",
        "split/cert-manager/catalogs",
        "variants",
    ] {
        let below = std::fs::read_dir(corpus.join(group))
            .into_iter()
            .flatten()
            .flatten()
            .map(|e| e.path());
        let mut below: Vec<PathBuf> = below.filter(|p| p.is_dir()).collect();
        below.sort();
        roots.extend(below);
    }
    roots.retain(|p| p.is_dir());
    roots
}

/// Each package of a catalog that passes alone, with a printable name.
fn packages(root: &Path) -> Vec<(String, Session)> {
    let mut folders: BTreeMap<String, Vec<(String, Vec<u8>)>> = BTreeMap::new();
    for (path, bytes) in read_tree(root) {
        let folder = path
            .split_once('/')
            .map_or(String::new(), |(folder, _)| folder.to_owned());
        folders.entry(folder).or_default().push((path, bytes));
    }
    let open = |(folder, files)| {
        let (files, source) = MemorySource::with_files(files);
        let session = session::open_one("catalog", files, source);
        let catalog = session.root(None).unwrap().catalog();
        let is_one = catalog.packages().count() == 1 && judge(catalog).passed;
        is_one.then(|| (format!("{}/{folder}", root.display()), session))
    };
    folders.into_iter().filter_map(open).collect()
}

fn run(
    counts: &mut BTreeMap<&'static str, Count>,
    name: &str,
    session: &mut Session,
    limit: usize,
    turn: usize,
) {
    let package = session
        .root(None)
        .unwrap()
        .catalog()
        .packages()
        .next()
        .unwrap()
        .clone();
    let mut by_kind: BTreeMap<&'static str, Vec<EditOp>> = BTreeMap::new();
    operations(&package)
        .into_iter()
        .for_each(|(kind, op)| by_kind.entry(kind).or_default().push(op));
    for (kind, ops) in by_kind {
        let count = counts.entry(kind).or_default();
        let step = ops.len().div_ceil(limit).max(1);
        for op in ops.iter().skip(turn % step).step_by(step) {
            match check(session, op) {
                Outcome::Nothing => {}
                Outcome::Refused => count.refused += 1,
                Outcome::Kept => count.done += 1,
                Outcome::Fails(offered) => {
                    count.done += 1;
                    count.fails += 1;
                    count.without_alternative += usize::from(offered == 0);
                    if count.example.is_empty() || offered == 0 {
                        count.example = format!("{name}: {}", serde_json::to_string(op).unwrap());
                    }
                }
            }
        }
    }
}

#[test]
fn operations_that_break_a_real_package_are_reported() {
    let Some(corpus) = corpus() else { return };
    let limit_text = std::env::var("SWITCHYARD_PASSING").ok();
    let limit = match limit_text.as_deref() {
        None => 1,
        Some("all") => usize::MAX,
        Some(number) => number.parse().unwrap(),
    };
    let mut counts = BTreeMap::new();
    let (mut checked, mut seen) = (0, 0);
    for root in catalogs(&corpus) {
        for (name, mut session) in packages(&root) {
            seen += 1;
            let entries: usize = session
                .root(None)
                .unwrap()
                .catalog()
                .packages()
                .flat_map(|p| &p.channels)
                .map(|c| c.entries.len())
                .sum();
            // Sample only small packages, since tests are not optimized.
            if limit_text.is_none() && (entries > 25 || seen % 29 != 0) {
                continue;
            }
            checked += 1;
            run(&mut counts, &name, &mut session, limit, checked);
        }
    }
    println!("{checked} of {seen} packages that pass");
    println!(
        "{:28} {:>8} {:>8} {:>8} {:>8}",
        "operation", "done", "fails", "no alternative", "refused"
    );
    for (kind, count) in &counts {
        println!(
            "{kind:28} {:8} {:8} {:8} {:8}",
            count.done, count.fails, count.without_alternative, count.refused
        );
        if count.fails > 0 {
            println!("    {}", count.example);
        }
    }
    let done: usize = counts.values().map(|count: &Count| count.done).sum();
    assert!(
        checked >= 10 && done >= 150,
        "only {done} operations on {checked} packages"
    );
    for kind in [
        "withdraw",
        "withdraw everywhere",
        "rebuild-edges",
        "rename-channel",
        "set-default-channel",
    ] {
        assert_eq!(
            counts.get(kind).map_or(0, |count| count.fails),
            0,
            "{kind} breaks what passed"
        );
    }
    assert_eq!(
        counts
            .get("promote")
            .map_or(0, |count| count.without_alternative),
        0,
        "promote offers no other way"
    );
}
