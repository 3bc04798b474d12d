//! The laws of subsets: a subset of everything equals the catalog; kept text is unchanged except
//! for removed entries; a subset of a passing catalog passes; merging the parts of a catalog gives
//! the catalog; and equal requests have equal answers.

use super::choices::Choices;
use super::{catalog, passing, write};
use ::catalog::model::{Blob, Body};
use edit::plan::subset::Unreadable;
use protocol::subset::{EntrySelection, PackageScoped, Selection};
use rand::Rng;
use rand::seq::IndexedRandom;
use serde_json::{Value, json};
use session::merge::{MergeSource, contributions};
use session::merge_files::place_files;
use session::{self, Session, Subset};
use std::collections::BTreeSet;
use test_support::MemorySource;

pub type File = (String, Vec<u8>);

/// The result of a selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Refused,
    /// Nothing was removed.
    Whole,
    /// The number of changed blobs in the subset.
    Cut(usize),
}

pub fn assert_laws(data: &[u8]) {
    check_all(data);
}

/// Selections from a generated catalog, and their results. Two of three catalogs pass.
pub fn check_all(data: &[u8]) -> Vec<Outcome> {
    let mut choices = Choices::new(data);
    let files = if choices.random_bool(0.3) {
        catalog::files(&mut choices)
    } else {
        sound_files(&mut choices)
    };
    let session = open(files);
    check_everything(&session);
    check_parts(&session);
    let count = choices.random_range(1..4);
    (0..count)
        .map(|_| check(&session, &selection(&mut choices, &session)))
        .collect()
}

pub fn open(files: Vec<File>) -> Session {
    let (files, source) = MemorySource::with_files(files);
    session::open_one("catalog", files, source)
}

/// Passing packages, in one file, one file per package or per blob, with deprecations and blobs
/// without a package.
pub fn sound_files(random: &mut impl Rng) -> Vec<File> {
    let mut packages: Vec<(&str, Vec<Value>)> = Vec::new();
    for name in ["p", "q", "r"].into_iter().take(random.random_range(1..4)) {
        let Some(mut blobs) = passing::blobs(random, name) else {
            continue;
        };
        if random.random_bool(0.5) {
            blobs.push(deprecations(random, name, &blobs));
        }
        if random.random_bool(0.3) {
            blobs.push(json!({"schema": "example.com/note", "package": name, "text": "kept"}));
        }
        packages.push((name, blobs));
    }
    if random.random_bool(0.3) {
        packages.push((
            "",
            vec![json!({"schema": "example.com/about", "name": "all"})],
        ));
    }
    let of_one_file = random.random_bool(0.4);
    if of_one_file {
        let blobs: Vec<Value> = packages.into_iter().flat_map(|(_, blobs)| blobs).collect();
        return vec![("catalog.yaml".to_owned(), write::file(random, &blobs))];
    }
    let mut files: Vec<File> = Vec::new();
    for (name, blobs) in packages {
        let folder = if name.is_empty() { "about" } else { name };
        if random.random_bool(0.6) {
            files.push((
                format!("{folder}/catalog.yaml"),
                write::file(random, &blobs),
            ));
        } else {
            let each = blobs.chunks(random.random_range(1..4)).enumerate();
            files.extend(
                each.map(|(i, blobs)| (format!("{folder}/{i}.yaml"), write::file(random, blobs))),
            );
        }
        if random.random_bool(0.3) {
            files.push((format!("{folder}/README.md"), b"# No blob\n".to_vec()));
            files.push((format!("{folder}/.indexignore"), b"*.md\n".to_vec()));
        }
    }
    files
}

fn deprecations(random: &mut impl Rng, package: &str, blobs: &[Value]) -> Value {
    let mut entries = Vec::new();
    for blob in blobs.iter().filter(|_| random.random_bool(0.4)) {
        let reference = match blob["schema"].as_str().unwrap() {
            "olm.package" => json!({"schema": "olm.package"}),
            schema => json!({"schema": schema, "name": blob["name"]}),
        };
        entries.push(json!({"reference": reference, "message": "use another one"}));
    }
    json!({"schema": "olm.deprecations", "package": package, "entries": entries})
}

/// Any selection of existing things, and occasionally of missing ones.
pub fn selection(random: &mut impl Rng, session: &Session) -> Selection {
    let catalog = session.root(None).unwrap().catalog();
    let packages: Vec<String> = catalog
        .packages()
        .map(|package| package.name.to_string())
        .collect();
    let channels: Vec<String> = catalog
        .packages()
        .flat_map(|p| &p.channels)
        .map(|channel| channel.name.value.to_string())
        .collect();
    let versions: Vec<String> = catalog
        .packages()
        .flat_map(|p| &p.bundles)
        .map(|bundle| bundle.version().to_owned())
        .collect();
    let mut selection = Selection::default();
    for package in packages.iter().filter(|name| !name.is_empty()) {
        if random.random_bool(0.4) {
            selection.packages.push(package.clone());
        }
    }
    if let Some(channel) = channels.choose(random).filter(|_| random.random_bool(0.4)) {
        selection
            .channels
            .push(PackageScoped::every(channel.clone()));
    }
    if let Some(channel) = channels.choose(random).filter(|_| random.random_bool(0.7)) {
        selection
            .default_channels
            .push(PackageScoped::every(channel.clone()));
    }
    let mut version = || {
        let version = versions.choose(random).cloned();
        PackageScoped::every(version.unwrap_or_else(|| "1.0.0".to_owned()))
    };
    let (one, other) = (version(), version());
    selection.entries = match random.random_range(0..7) {
        0 => EntrySelection::Heads,
        1 | 2 => EntrySelection::From(vec![one]),
        3 => EntrySelection::Between {
            from: Vec::new(),
            to: vec![one],
        },
        4 => EntrySelection::Between {
            from: vec![one],
            to: vec![other],
        },
        5 => EntrySelection::Only(vec![one]),
        _ => EntrySelection::All,
    };
    selection
}

/// A subset of everything equals the catalog.
pub fn check_everything(session: &Session) {
    let subset =
        session::subset(session, None, &Selection::default(), Unreadable::Refused).unwrap();
    let before: Vec<File> = session
        .files()
        .paths()
        .map(|path| (path.to_owned(), session.files().bytes(path).unwrap()))
        .collect();
    let mut after = texts(session, &subset);
    after.sort();
    assert!(before == after, "a subset of everything is not the catalog");
    assert_eq!(subset.remaining, subset.total);
    assert_eq!(
        subset.verdict.opm_message,
        session.root(None).unwrap().verdict().opm_message
    );
}

pub fn texts(session: &Session, subset: &Subset) -> Vec<File> {
    let text = |file: &session::SubsetFile| {
        (
            file.path.clone(),
            session.files().subset_bytes(file).unwrap().unwrap(),
        )
    };
    subset.files.iter().map(text).collect()
}

/// The parts of a passing catalog, one package each, merged: equal to the catalog by value, with
/// unchanged blobs.
pub fn check_parts(session: &Session) {
    let root = session.root(None).unwrap();
    let names: Vec<String> = root
        .catalog()
        .packages()
        .map(|package| package.name.to_string())
        .collect();
    if !root.verdict().passed || names.is_empty() {
        return;
    }
    let part = |name: &String| {
        let selection = Selection {
            packages: vec![name.clone()],
            ..Selection::default()
        };
        open(texts(
            session,
            &session::subset(session, None, &selection, Unreadable::Refused).unwrap(),
        ))
    };
    let parts: Vec<Session> = names.iter().map(part).collect();
    let sources: Vec<MergeSource<'_>> = names
        .iter()
        .zip(&parts)
        .map(|(name, session)| MergeSource { name, session })
        .collect();
    let parts = contributions(&sources, &[], Unreadable::Refused).unwrap();
    assert!(parts.shared.is_empty(), "{:?}", parts.shared);
    let merged = place_files(&sources, &names, &parts, &[], &|_, _| {
        panic!("all was read")
    })
    .unwrap();
    assert!(merged.verdict.passed, "{:?}", merged.verdict.opm_message);
    let paths = |session: &Session| {
        session
            .files()
            .paths()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let merged = open(
        merged
            .files
            .into_iter()
            .map(|file| (file.path, file.bytes))
            .collect(),
    );
    assert_eq!(paths(&merged), paths(session));
    for path in paths(session) {
        let texts = |session: &Session| {
            let whole = session.files().bytes(&path).unwrap();
            let mut texts: Vec<Vec<u8>> = blobs(session, &path)
                .iter()
                .map(|blob| text(&whole, blob).to_vec())
                .collect();
            texts.sort();
            texts
        };
        assert!(texts(&merged) == texts(session), "{path} has other blobs");
    }
}

/// The laws of one selection.
pub fn check(session: &Session, selection: &Selection) -> Outcome {
    let ask = || session::subset(session, None, selection, Unreadable::Refused);
    let subset = match ask() {
        Ok(subset) => subset,
        Err(refused) => {
            assert!(!refused.reason.is_empty());
            // A subset is never refused because of its text.
            assert_eq!(refused.kind, None, "{selection:?}: {refused:?}");
            return Outcome::Refused;
        }
    };
    let files = texts(session, &subset);
    assert!(
        files == texts(session, &ask().unwrap()),
        "{selection:?} has two answers"
    );
    let passed = session.root(None).unwrap().verdict().passed;
    let part = open(files.clone());
    let verdict = part.root(None).unwrap().verdict();
    assert_eq!(
        subset.verdict.opm_message, verdict.opm_message,
        "{selection:?} is judged as it reads"
    );
    assert!(
        verdict.passed || !passed,
        "{selection:?}: {:?}",
        verdict.opm_message
    );
    assert_eq!(
        subset.remaining,
        session::Counts::from_catalog(part.root(None).unwrap().catalog())
    );
    let mut changed = 0;
    for (path, bytes) in &files {
        let whole = session.files().bytes(path).unwrap();
        let (before, after) = (blobs(session, path), blobs(&part, path));
        let known: BTreeSet<&[u8]> = before.iter().map(|blob| text(&whole, blob)).collect();
        for blob in &after {
            if !known.contains(text(bytes, blob)) {
                let may_change = matches!(
                    blob.body,
                    Body::Package(_) | Body::Channel(_) | Body::Deprecations(_)
                );
                assert!(
                    may_change,
                    "{selection:?} changes a blob of {path} that it keeps"
                );
                changed += 1;
            }
        }
    }
    if subset.remaining == subset.total && changed == 0 {
        Outcome::Whole
    } else {
        Outcome::Cut(changed)
    }
}

fn blobs(session: &Session, path: &str) -> Vec<Blob> {
    let file = session
        .root(None)
        .unwrap()
        .catalog()
        .file_at(path)
        .filter(|file| !file.ignored);
    file.and_then(|file| file.index())
        .map_or_else(Vec::new, |index| index.blobs.clone())
}

fn text<'t>(file: &'t [u8], blob: &Blob) -> &'t [u8] {
    file[blob.start as usize..blob.end as usize].trim_ascii()
}
