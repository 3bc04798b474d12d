//! Random packages copied between real catalogs: they arrive unchanged, everything else stays, and
//! undo removes them.
//!
//! `SWITCHYARD_EDITS` and `SWITCHYARD_SEED` as for [`crate::edit_corpus`].

use crate::edit_corpus::count_and_random;
use crate::laws::operations::{as_text, by_serde};
use ::catalog::model::Package;
use protocol::operation::{EditOp, IfExists};
use rand::Rng;
use rand::rngs::StdRng;
use serde_json::Value;
use session::{self, Session};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use test_support::{MemorySource, corpus, read_tree};

/// Pairs of catalogs to copy from and to. They share packages, and have different layouts: a folder
/// per package, many files per package, YAML and JSON.
const PAIRS: [(&str, &str); 5] = [
    ("community/v4.19", "community/v4.20"),
    ("operatorhub", "community/v4.18"),
    ("redhat", "community/v4.20"),
    ("scale", "redhat"),
    ("community/v4.20", "scale"),
];

/// Folders of the two catalogs: named by OpenShift versions, so that they count as separate
/// catalogs.
const FROM: &str = "v4.1";
const TO: &str = "v4.2";

/// Opens both catalogs side by side; the second without a random half of its files, so that
/// packages are missing.
fn open(corpus: &Path, (from, to): (&str, &str), random: &mut StdRng) -> Session {
    let below = |root: &str, files: Vec<(String, Vec<u8>)>| -> Vec<(String, Vec<u8>)> {
        files
            .into_iter()
            .map(|(path, text)| (format!("{root}/{path}"), text))
            .collect()
    };
    let mut files = below(FROM, read_tree(&corpus.join(from)));
    let kept = read_tree(&corpus.join(to))
        .into_iter()
        .filter(|_| random.random_bool(0.5))
        .collect();
    files.extend(below(TO, kept));
    let (files, source) = MemorySource::with_files(files);
    session::open(files, source)
}

fn packages(session: &Session, root: &str) -> BTreeMap<String, Arc<Package>> {
    let packages = session.root(Some(root)).unwrap().catalog().packages();
    packages
        .map(|package| (package.name.to_string(), package.clone()))
        .collect()
}

/// An independent reader's view of a package, in the order of the catalog.
fn read(session: &Session, root: &str, package: &Package) -> Vec<Value> {
    let root = session.root(Some(root)).unwrap();
    let mut blobs: Vec<_> = package
        .packages
        .iter()
        .map(|b| (b.order, b.file, b.index))
        .collect();
    blobs.extend(package.channels.iter().map(|b| (b.order, b.file, b.index)));
    blobs.extend(package.bundles.iter().map(|b| (b.order, b.file, b.index)));
    blobs.extend(
        package
            .deprecations
            .iter()
            .map(|b| (b.order, b.file, b.index)),
    );
    blobs.extend(package.others.iter().map(|b| (b.order, b.file, b.index)));
    blobs.sort();
    let value = |(_, file, index)| {
        let format = root.catalog().blob(file, index).unwrap().format;
        as_text(by_serde(
            &session.files().blob_text(root, file, index).unwrap().bytes,
            format,
        ))
    };
    blobs.into_iter().map(value).collect()
}

/// Texts of the second catalog by path.
type Texts = BTreeMap<String, Vec<u8>>;

fn texts(session: &Session) -> Texts {
    let below = session.files().paths().filter(|path| path.starts_with(TO));
    below
        .map(|path| (path.to_owned(), session.files().bytes(path).unwrap()))
        .collect()
}

/// Copies one package to the catalog with the texts `existing`, and undoes it. The error is the
/// reason of a refusal.
fn check(session: &mut Session, existing: &Texts, name: &str) -> Result<(), String> {
    let (from, before) = (packages(session, FROM), packages(session, TO));
    let op = EditOp::CopyPackage {
        catalog: Some(TO.to_owned()),
        package: name.to_owned(),
        from: FROM.to_owned(),
        files: Vec::new(),
        if_there: IfExists::Refuse,
    };
    let applied = session
        .apply("copy", std::slice::from_ref(&op))
        .map_err(|refused| refused.reason)?;
    assert!(!applied.files.is_empty(), "{name}: nothing came in");
    for path in &applied.files {
        let after = session.files().bytes(path).unwrap();
        let old = existing.get(path).map_or(&[][..], |text| text);
        assert!(
            after.starts_with(old),
            "{path}: {name} comes behind what was there"
        );
        assert!(after.len() > old.len(), "{path}");
    }
    let now = packages(session, TO);
    let copied = now
        .get(name)
        .unwrap_or_else(|| panic!("{name} is not there"));
    assert_eq!(
        read(session, TO, copied),
        read(session, FROM, &from[name]),
        "{name} is what it was"
    );
    assert_eq!(now.len(), before.len() + 1, "{name}");
    for (other, package) in &before {
        assert_eq!(
            now.get(other),
            Some(package),
            "{other} after {name} came in"
        );
    }
    session.undo().unwrap();
    assert!(session.files().changed_paths().is_empty(), "{name}: undo");
    for path in &applied.files {
        assert_eq!(
            session.files().bytes(path).ok(),
            existing.get(path).cloned(),
            "{path}: undo of {name}"
        );
    }
    assert_eq!(packages(session, TO), before, "{name}: undo");
    Ok(())
}

/// Replaces a package by another of its name, and undoes it. The error is the reason of a refusal.
fn check_replacement(session: &mut Session, existing: &Texts, name: &str) -> Result<bool, String> {
    let (from, before) = (packages(session, FROM), packages(session, TO));
    let op = EditOp::CopyPackage {
        catalog: Some(TO.to_owned()),
        package: name.to_owned(),
        from: FROM.to_owned(),
        files: Vec::new(),
        if_there: IfExists::Replace,
    };
    let applied = session
        .apply("copy", std::slice::from_ref(&op))
        .map_err(|refused| refused.reason)?;
    let now = packages(session, TO);
    assert_eq!(
        read(session, TO, &now[name]),
        read(session, FROM, &from[name]),
        "{name} is what it was"
    );
    assert_eq!(now.len(), before.len(), "{name}");
    for (other, package) in before.iter().filter(|(other, _)| *other != name) {
        assert_eq!(
            read(session, TO, &now[other]),
            read(session, TO, package),
            "{other} after {name} came in"
        );
    }
    if applied.files.is_empty() {
        return Ok(false);
    }
    session.undo().unwrap();
    assert!(session.files().changed_paths().is_empty(), "{name}: undo");
    assert_eq!(&texts(session), existing, "{name}: undo");
    Ok(true)
}

#[test]
fn random_packages_of_real_catalogs_replace_others() {
    let Some(corpus) = corpus() else { return };
    let (count, mut random) = count_and_random(6);
    let (mut replaced, mut refused) = (0, BTreeMap::<String, u64>::new());
    for pair in [PAIRS[0], ("community/v4.18", "operatorhub")] {
        let mut session = open(&corpus, pair, &mut random);
        let (from, to) = (packages(&session, FROM), packages(&session, TO));
        let existing = texts(&session);
        let shared: Vec<&String> = from
            .keys()
            .filter(|name| !name.is_empty() && to.contains_key(*name))
            .collect();
        for _ in 0..count.div_ceil(2) {
            match check_replacement(
                &mut session,
                &existing,
                shared[random.random_range(0..shared.len())],
            ) {
                Ok(changed) => replaced += u64::from(changed),
                Err(reason) => *refused.entry(reason).or_default() += 1,
            }
        }
    }
    println!("{replaced} packages replaced, refused: {refused:#?}");
    assert!(refused.is_empty(), "{refused:?}");
    assert!(replaced * 3 >= count, "only {replaced} packages replaced");
}

#[test]
fn random_copies_between_real_catalogs() {
    let Some(corpus) = corpus() else { return };
    let (count, mut random) = count_and_random(15);
    let (mut copied, mut refused) = (0, BTreeMap::<String, u64>::new());
    for pair in PAIRS {
        let mut session = open(&corpus, pair, &mut random);
        let (from, to) = (packages(&session, FROM), packages(&session, TO));
        let existing = texts(&session);
        let missing: Vec<&String> = from
            .keys()
            .filter(|name| !name.is_empty() && !to.contains_key(*name))
            .collect();
        assert!(!missing.is_empty(), "{pair:?}");
        for _ in 0..count.div_ceil(PAIRS.len() as u64) {
            let name = missing[random.random_range(0..missing.len())];
            match check(&mut session, &existing, name) {
                Ok(()) => copied += 1,
                Err(reason) => *refused.entry(reason).or_default() += 1,
            }
        }
    }
    println!("{copied} packages copied, refused: {refused:#?}");
    assert!(refused.is_empty(), "{refused:?}");
    assert!(copied >= count, "only {copied} packages copied");
}
