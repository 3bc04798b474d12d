//! The laws of operations on a session: only the named blobs change, undo restores every byte, the
//! facts match the text, and an independent reader sees the intended change, which [`super::naive`]
//! specifies a second time.

use super::choices::Choices;
use super::content;
use super::edits::hostile::damage;
use super::naive::{Naive, Versions, apply, comparable};
use super::{catalog, channels};
use ::catalog::index::index_bytes;
use ::catalog::model::{Blob, Body, BundleBlob, FileId, FileIndex, Package};
use edit::patch::RefusalKind;
use protocol::operation::{Choice, DanglingEdges, EditOp, PromoteAs};
use rand::Rng;
use serde_json::Value;
use session::{self, Session};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use syntax::tree::Format;
use template::unfold::unfold;
use test_support::MemorySource;
use verdict::validate::Verdict;

/// Consecutive operations on a generated catalog, either a valid one or one with damaged text.
pub fn hold(data: &[u8]) {
    let mut choices = Choices::new(data);
    let hostile = choices.random_bool(0.3);
    let mut files = catalog::files(&mut choices);
    if hostile {
        for (_, text) in &mut files {
            *text = damage(&mut choices, std::mem::take(text));
        }
    }
    let (new, source) = MemorySource::with_files(files.clone());
    let mut session = session::open_one("catalog", new, source);
    let [mut tried, mut unseen] = [files.clone(), files].map(|files| {
        let (new, source) = MemorySource::with_files(files);
        session::open_one("catalog", new, source)
    });
    for _ in 0..choices.random_range(1..4) {
        let Some(op) = random_op(&mut choices, &session) else {
            return;
        };
        if hostile {
            check_any(&mut session, &op);
        } else {
            check(&mut session, &op);
        }
        // Later operations use the catalog as this one leaves it.
        let _ = session.apply("kept", std::slice::from_ref(&op));
        check_tried(&mut tried, &mut unseen, &op);
    }
}

/// An operation has the same result whether or not it was previewed or simulated before.
fn check_tried(tried: &mut Session, unseen: &mut Session, op: &EditOp) {
    let ops = std::slice::from_ref(op);
    let before = state(tried);
    let expected = match tried.applied_steps() % 2 {
        0 => tried.preview(ops).map(|preview| preview.consequences),
        _ => tried.simulate(ops, |_, consequences| consequences),
    };
    assert!(
        before == state(tried),
        "{op:?} changes something when it is tried"
    );
    let (after, alone) = (tried.apply("kept", ops), unseen.apply("kept", ops));
    assert_eq!(after, alone, "{op:?}");
    if let (Ok(expected), Ok(came)) = (expected, &alone) {
        assert_eq!(expected, came.consequences, "{op:?}");
    }
    let [one, other] = [tried, unseen].map(|session| state(session));
    assert!(
        one.catalog == other.catalog,
        "{op:?} has another result after a trial"
    );
}

/// Everything about a session that callers can observe.
#[derive(PartialEq)]
struct State {
    catalog: (Verdict, Vec<Package>, Vec<Vec<u8>>, String),
    /// The numbers of applied, saved and all steps; the revision.
    history: (usize, Option<usize>, usize, u64),
}

fn state(session: &Session) -> State {
    let root = session.root(None).unwrap();
    let packages = root
        .catalog()
        .packages()
        .map(|package| (**package).clone())
        .collect();
    let texts = session
        .files()
        .paths()
        .map(|path| session.files().bytes(path).unwrap())
        .collect();
    let steps = session.history().len();
    State {
        catalog: (
            root.verdict().clone(),
            packages,
            texts,
            session.files().changed_paths().join(" "),
        ),
        history: (
            session.applied_steps(),
            session.changes().saved_steps(),
            steps,
            session.revision(),
        ),
    }
}

/// Properties that hold for any text.
fn check_any(session: &mut Session, op: &EditOp) {
    let texts = |session: &Session| -> BTreeMap<String, Vec<u8>> {
        session
            .files()
            .paths()
            .map(|path| (path.to_owned(), session.files().bytes(path).unwrap()))
            .collect()
    };
    let (before, verdict) = (
        texts(session),
        session.root(None).unwrap().verdict().clone(),
    );
    match session.apply("test", std::slice::from_ref(op)) {
        Err(refused) => assert!(!refused.reason.is_empty()),
        Ok(applied) if applied.files.is_empty() => {}
        Ok(applied) => {
            for path in &applied.files {
                let index = session
                    .root(None)
                    .unwrap()
                    .catalog()
                    .file_at(path)
                    .and_then(|f| f.index().cloned());
                let text = session.files().bytes(path).unwrap();
                assert_eq!(
                    index.as_deref(),
                    Some(&index_bytes(&text)),
                    "{path} after {op:?}: the facts are those of the text"
                );
            }
            session.undo().unwrap();
        }
    }
    assert_eq!(texts(session), before, "{op:?}");
    assert_eq!(*session.root(None).unwrap().verdict(), verdict, "{op:?}");
}

/// Reads a single blob's text.
pub type ReadBlob<'r> = dyn FnMut(&[u8], Format) -> Value + 'r;

/// Independent readers: `serde_json` and the fork of `serde_yaml`.
pub fn by_serde(text: &[u8], format: Format) -> Value {
    match format {
        Format::Json => serde_json::from_slice(text).unwrap(),
        Format::Yaml => {
            serde_json::to_value(serde_yaml::from_slice::<serde_yaml::Value>(text).unwrap())
                .unwrap()
        }
    }
}

/// The result of an operation.
pub enum Outcome {
    Applied,
    Nothing,
    /// It refers to something that does not exist, regardless of the text; the reason without
    /// names.
    Inapplicable(String),
    /// The text cannot be edited this way without loss.
    Refused(String),
}

/// Checks one operation on a catalog that independent readers can read, and undoes it.
pub fn check(session: &mut Session, op: &EditOp) -> Outcome {
    check_with_reader(&mut by_serde, session, op)
}

/// Like `check`, with a custom reader.
pub fn check_with_reader(read: &mut ReadBlob<'_>, session: &mut Session, op: &EditOp) -> Outcome {
    let name = op.package().unwrap().to_owned();
    let (before, versions) = (naive(read, session, &name, op), versions(session, &name));
    let changed: Vec<String> = session
        .files()
        .changed_paths()
        .into_iter()
        .map(str::to_owned)
        .collect();
    let index_of = |session: &Session, path: &str| -> Option<Arc<FileIndex>> {
        session
            .root(None)
            .unwrap()
            .catalog()
            .file_at(path)
            .and_then(|f| f.index().cloned())
    };
    // An earlier step may have left a file of the package without blobs.
    let home = files_of(session, &name)
        .into_iter()
        .chain(changed.iter().cloned());
    let texts: BTreeMap<String, (Vec<u8>, Arc<FileIndex>)> = home
        .filter_map(|path| {
            let content = (
                session.files().bytes(&path).ok()?,
                index_of(session, &path)?,
            );
            Some((path, content))
        })
        .collect();
    // Half of the applied operations are previewed first, as in the page.
    if session.revision() % 4 < 2 {
        let _ = session.preview(std::slice::from_ref(op));
    }
    let applied = match session.apply("test", std::slice::from_ref(op)) {
        Ok(applied) => applied,
        Err(refused) => {
            assert!(!refused.reason.is_empty());
            assert!(
                refused.kind != Some(RefusalKind::Mismatch),
                "{op:?}: {refused:?}"
            );
            return match refused.kind {
                Some(kind) => {
                    Outcome::Refused(format!("{kind:?}: {}", without_names(&refused.reason)))
                }
                None => Outcome::Inapplicable(without_names(&refused.reason)),
            };
        }
    };
    if applied.files.is_empty() {
        return Outcome::Nothing;
    }
    let mut expected = apply(&before, op, &versions);
    if is_template(session) {
        // Its bundles are images, whose content is not in the text.
        expected.bundles.clear();
    }
    assert_eq!(
        comparable(naive(read, session, &name, op)),
        comparable(expected),
        "{op:?}"
    );
    for path in &applied.files {
        let after = session.files().bytes(path).unwrap();
        let index = index_of(session, path).unwrap();
        assert_eq!(
            *index,
            facts(session, &after),
            "{path} after {op:?}: the facts are those of the text"
        );
        if let Some((before, old)) = texts.get(path) {
            check_named_blobs((before, old), (&after, &index), op, path);
        }
    }
    session.undo().unwrap();
    for path in &applied.files {
        match texts.get(path) {
            Some((before, index)) => {
                assert!(
                    session.files().bytes(path).unwrap() == *before,
                    "{path}: undo of {op:?}"
                );
                assert_eq!(index_of(session, path).as_ref(), Some(index));
            }
            None => assert!(
                session.files().bytes(path).is_err(),
                "{path}: undo of {op:?} takes the new file away"
            ),
        }
    }
    assert_eq!(session.files().changed_paths(), changed);
    Outcome::Applied
}

/// Removes text in backticks, and numbers.
fn without_names(reason: &str) -> String {
    let normalize = |part: &str| -> String {
        let number = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
        part.split(' ')
            .map(|word| if number(word) { "N" } else { word })
            .collect::<Vec<_>>()
            .join(" ")
    };
    let parts = reason.split('`').enumerate();
    parts
        .map(|(i, part)| {
            if i % 2 == 0 {
                normalize(part)
            } else {
                "`…`".to_owned()
            }
        })
        .collect()
}

fn is_template(session: &Session) -> bool {
    session.root(None).unwrap().is_template()
}

/// The facts of a text as the session stores them.
fn facts(session: &Session, text: &[u8]) -> FileIndex {
    let index = index_bytes(text);
    if is_template(session) {
        unfold(&index).index
    } else {
        index
    }
}

/// A blob's own range in a document that contains several.
fn range_in_document(body: &Body) -> Option<Range<usize>> {
    Some(match body {
        Body::Package(b) => b.place.range(),
        Body::Channel(b) => b.place.range(),
        Body::Bundle(b) if b.name.is_empty() => b.place.range(),
        Body::Deprecations(b) => b.place.range(),
        Body::Other(b) => b.place.range(),
        // Inferred from a channel, or not a blob.
        Body::Bundle(_) | Body::Unreadable => return None,
    })
}

/// Finds the blobs in both texts anew: each old one is still there, byte for byte and in order,
/// unless the operation names it, and at most one is added or removed.
fn check_named_blobs(
    (before, old): (&[u8], &FileIndex),
    (after, new): (&[u8], &FileIndex),
    op: &EditOp,
    path: &str,
) {
    let shared = |i: &FileIndex| {
        i.blobs
            .windows(2)
            .any(|pair| pair[0].start == pair[1].start)
    };
    let in_template = shared(old) || shared(new);
    let text = |bytes: &[u8], i: &FileIndex| -> Vec<(String, Vec<u8>)> {
        // An added separator may be below a blank line, like the others of its file.
        let text = |b: &Blob| {
            let whole = &bytes[b.start as usize..b.end as usize];
            if in_template {
                return range_in_document(&b.body)
                    .map(|range| whole[range].trim_ascii_end().to_vec());
            }
            Some(whole.trim_ascii_end().to_vec())
        };
        i.blobs
            .iter()
            .filter_map(|b| Some((title(&b.body), text(b)?)))
            .collect()
    };
    let (before, mut after) = (text(before, old), text(after, new));
    if let EditOp::AddBundle { image, .. } = op
        && in_template
    {
        let was = after.len();
        after.retain(|(title, text)| title != "bundle  " || position_of(text, image).is_none());
        assert_eq!(after.len() + 1, was, "{path}: one image is added");
    }
    let unnamed = |blobs: &[(String, Vec<u8>)]| -> Vec<Vec<u8>> {
        blobs
            .iter()
            .filter(|(title, _)| !is_named(op, title))
            .map(|(_, text)| text.clone())
            .collect()
    };
    let differs = unnamed(&before)
        .into_iter()
        .zip(unnamed(&after))
        .find(|(before, after)| before != after);
    if let Some((before, after)) = differs {
        let (before, after) = (
            String::from_utf8_lossy(&before).into_owned(),
            String::from_utf8_lossy(&after).into_owned(),
        );
        panic!("{path}: {op:?} changed a blob that it does not name\n{before:?}\n{after:?}");
    }
    assert_eq!(
        unnamed(&before).len(),
        unnamed(&after).len(),
        "{path}: {op:?} changed a blob that it does not name"
    );
}

fn position_of(text: &[u8], image: &str) -> Option<usize> {
    text.windows(image.len())
        .position(|window| window == image.as_bytes())
}

fn title(body: &Body) -> String {
    match body {
        Body::Package(b) => format!("package {}", b.name.value),
        Body::Channel(b) => format!("channel {} {}", b.package.value, b.name.value),
        Body::Bundle(b) => format!("bundle {} {}", b.package.value, b.name.value),
        Body::Deprecations(b) => format!("deprecations {}", b.package.value),
        Body::Other(_) | Body::Unreadable => "other".to_owned(),
    }
}

fn is_named(op: &EditOp, title: &str) -> bool {
    let channel_of = |package: &str, channel: &str| title == format!("channel {package} {channel}");
    match op {
        EditOp::SetDefaultChannel { package, .. } => title == format!("package {package}"),
        EditOp::Promote { package, to, .. } => channel_of(package, to),
        EditOp::Withdraw {
            package, channel, ..
        } if channel.is_empty() => title.starts_with(&format!("channel {package} ")),
        EditOp::Withdraw {
            package, channel, ..
        } => channel.iter().any(|c| channel_of(package, c)),
        EditOp::SetReplaces {
            package, channel, ..
        }
        | EditOp::AddSkip {
            package, channel, ..
        }
        | EditOp::RemoveSkip {
            package, channel, ..
        }
        | EditOp::SetSkipRange {
            package, channel, ..
        }
        | EditOp::RemoveEntry {
            package, channel, ..
        } => channel_of(package, channel),
        EditOp::Deprecate { package, .. } | EditOp::Undeprecate { package, .. } => {
            title == format!("deprecations {package}")
        }
        EditOp::SetDescription { .. }
        | EditOp::SetIcon { .. }
        | EditOp::SetImage { .. }
        | EditOp::AddBundle { .. }
        | EditOp::AddProperty { .. }
        | EditOp::RemoveProperty { .. } => content::names(op, title),
        EditOp::RebuildEdges { .. }
        | EditOp::AddChannel { .. }
        | EditOp::RenameChannel { .. }
        | EditOp::RemoveChannel { .. }
        | EditOp::RemoveBundle { .. }
        | EditOp::RenameBundle { .. }
        | EditOp::Substitute { .. } => channels::names(op, title),
        EditOp::AddPackage { .. }
        | EditOp::RemovePackage { .. }
        | EditOp::CopyPackage { .. }
        | EditOp::Migrate { .. }
        | EditOp::ReplaceText { .. } => false,
    }
}

fn changes_bundles(op: &EditOp) -> bool {
    matches!(
        op,
        EditOp::RemoveBundle { .. } | EditOp::RenameBundle { .. } | EditOp::Substitute { .. }
    )
}

fn package<'a>(session: &'a Session, name: &str) -> &'a Package {
    session.root(None).unwrap().catalog().package(name).unwrap()
}

fn files_of(session: &Session, name: &str) -> Vec<String> {
    let catalog = session.root(None).unwrap().catalog();
    let package = package(session, name);
    let mut files: Vec<FileId> = package.packages.iter().map(|b| b.file).collect();
    files.extend(package.channels.iter().map(|b| b.file));
    files.extend(package.deprecations.iter().map(|b| b.file));
    files.extend(package.bundles.iter().map(|b| b.file));
    files.sort();
    files.dedup();
    files
        .into_iter()
        .map(|f| catalog.file(f).unwrap().path.clone())
        .collect()
}

/// The package's blobs as the independent readers read them, with scalars as text; includes bundles
/// only if the operation is specified by them.
fn naive(read: &mut ReadBlob<'_>, session: &Session, name: &str, op: &EditOp) -> Naive {
    let mut read = |file: FileId, index: u32| -> Value {
        let root = session.root(None).unwrap();
        let text = session.files().blob_text(root, file, index).unwrap();
        let item = text.item;
        let blob = root.catalog().blob(file, index).unwrap();
        let mut value = read(&text.bytes, blob.format);
        if let Some(item) = item {
            value = value["entries"][item].take();
        }
        as_text(value)
    };
    // A package disappears with its last blob.
    let Some(package) = session.root(None).unwrap().catalog().package(name) else {
        return Naive::default();
    };
    Naive {
        package: package
            .packages
            .first()
            .map_or(Value::Null, |b| read(b.file, b.index)),
        channels: package
            .channels
            .iter()
            .map(|b| (b.name.value.to_string(), read(b.file, b.index)))
            .collect(),
        deprecations: package.deprecations.first().map(|b| read(b.file, b.index)),
        bundles: if is_template(session) {
            Vec::new()
        } else if content::is_of_bundles(op) || changes_bundles(op) {
            package
                .bundles
                .iter()
                .map(|b| read(b.file, b.index))
                .collect()
        } else {
            Vec::new()
        },
    }
}

pub fn as_text(value: Value) -> Value {
    match value {
        // A null field is read as an empty text; in a property's value it is a separate value.
        Value::Object(map) => {
            let text = |k: &str, v: Value| {
                if v.is_null() && k != "value" {
                    Value::String(String::new())
                } else {
                    as_text(v)
                }
            };
            map.into_iter()
                .map(|(k, v)| (k.clone(), text(&k, v)))
                .collect()
        }
        Value::Array(items) => items.into_iter().map(as_text).collect(),
        Value::String(text) => Value::String(text),
        other => Value::String(other.to_string()),
    }
}

fn versions(session: &Session, name: &str) -> Versions {
    let version = |bundle: &BundleBlob| {
        let mut version = semver::Version::parse(bundle.version()).ok()?;
        if !bundle.release().is_empty() {
            version.build = semver::BuildMetadata::new(bundle.release()).ok()?;
        } else if !bundle.substitutes_for {
            version.build = semver::BuildMetadata::EMPTY;
        }
        Some(version)
    };
    let mut versions = Versions::new();
    for bundle in &package(session, name).bundles {
        // If two bundles share a name, it has no version.
        versions
            .entry(bundle.name.value.to_string())
            .and_modify(|v| *v = None)
            .or_insert_with(|| version(bundle));
    }
    versions
}

/// An operation on a random package that any reader can read and whose names are unique.
pub fn random_op<R: Rng>(random: &mut R, session: &Session) -> Option<EditOp> {
    let catalog = session.root(None).unwrap().catalog();
    let sound = |file, index| {
        catalog
            .blob(file, index)
            .is_some_and(|blob| blob.faults.is_empty())
    };
    let clean = |p: &&Arc<Package>| {
        let mut channels: Vec<&str> = p.channels.iter().map(|c| c.name.as_str()).collect();
        let all = channels.len();
        channels.sort();
        channels.dedup();
        let readable = |c: &::catalog::model::Located<::catalog::model::ChannelBlob>| {
            let text = session
                .files()
                .blob_text(session.root(None).unwrap(), c.file, c.index)
                .unwrap()
                .bytes;
            catalog.blob(c.file, c.index).unwrap().faults.is_empty()
                && (text.trim_ascii_start().starts_with(b"{")
                    || serde_yaml::from_slice::<serde_yaml::Value>(&text).is_ok())
        };
        p.bundles.iter().all(|b| sound(b.file, b.index))
            && p.packages.len() < 2
            && !p.channels.is_empty()
            && channels.len() == all
            && p.channels.iter().all(readable)
    };
    let packages: Vec<&Arc<Package>> = catalog.packages().filter(|p| !p.name.is_empty()).collect();
    if packages.is_empty() {
        return None;
    }
    let package = (0..20)
        .map(|_| packages[random.random_range(0..packages.len())])
        .find(clean)?;
    if random.random_bool(0.3) {
        return content::random_op(random, package);
    }
    let channel = &package.channels[random.random_range(0..package.channels.len())];
    if random.random_bool(0.3) {
        return channels::random_op(random, package, channel);
    }
    if channel.entries.is_empty() {
        return None;
    }
    let any = |random: &mut R| {
        channel.entries[random.random_range(0..channel.entries.len())]
            .name
            .value
            .to_string()
    };
    let name = any(random);
    let other = match random.random_range(0..4) {
        0 => format!("{}.v0.0.{}", package.name, random.random_range(0..100)),
        1 => ["010", "yes", "a: b", "# x", "-1", "null"][random.random_range(0..6)].to_owned(),
        _ => any(random),
    };
    let catalog = None;
    let (package_name, channel_name) = (package.name.to_string(), channel.name.value.to_string());
    let (package, in_channel) = (package_name.clone(), channel_name.clone());
    let bundle = |random: &mut R| {
        let bundles = &packages
            .iter()
            .find(|p| *p.name == *package_name)
            .unwrap()
            .bundles;
        if bundles.is_empty() {
            None
        } else {
            Some(
                bundles[random.random_range(0..bundles.len())]
                    .name
                    .value
                    .to_string(),
            )
        }
    };
    Some(match random.random_range(0..13) {
        0 => EditOp::SetDefaultChannel {
            catalog,
            package,
            channel: in_channel,
        },
        1 => EditOp::SetReplaces {
            catalog,
            package,
            channel: in_channel,
            name,
            replaces: Some(other),
        },
        2 => EditOp::SetReplaces {
            catalog,
            package,
            channel: in_channel,
            name,
            replaces: None,
        },
        3 => EditOp::AddSkip {
            catalog,
            package,
            channel: in_channel,
            name,
            skip: vec![other],
            skip_matching: None,
        },
        4 => EditOp::AddSkip {
            catalog,
            package,
            channel: in_channel,
            name,
            skip: vec![other, "z.v9.9.9".to_owned()],
            skip_matching: None,
        },
        5 => {
            let skipping: Vec<_> = channel
                .entries
                .iter()
                .filter(|e| !e.skips.is_empty())
                .collect();
            if skipping.is_empty() {
                return None;
            }
            let entry = skipping[random.random_range(0..skipping.len())];
            let skip = entry.skips[random.random_range(0..entry.skips.len())]
                .value
                .to_string();
            EditOp::RemoveSkip {
                catalog,
                package,
                channel: in_channel,
                name: entry.name.value.to_string(),
                skip: vec![skip],
                skip_matching: None,
            }
        }
        6 => {
            let range = [
                None,
                Some(">=1.0.0 <2.0.0".to_owned()),
                Some("<3.1.4".to_owned()),
            ];
            let skip_range = range[random.random_range(0..3)].clone();
            EditOp::SetSkipRange {
                catalog,
                package,
                channel: in_channel,
                name,
                skip_range,
            }
        }
        7 => {
            let then = [
                DanglingEdges::Relink,
                DanglingEdges::Skip,
                DanglingEdges::Leave,
            ][random.random_range(0..3)];
            EditOp::RemoveEntry {
                catalog,
                package,
                channel: in_channel,
                name,
                then,
            }
        }
        8 | 9 => {
            let how = [
                None,
                None,
                Some(PromoteAs::Head),
                Some(PromoteAs::Chain),
                Some(PromoteAs::Skipped),
            ][random.random_range(0..5)];
            let choices = [
                Choice::Default,
                Choice::Default,
                Choice::None,
                Choice::Value(other),
            ];
            let replaces = choices[random.random_range(0..4)].clone();
            let ranges = [
                Choice::Default,
                Choice::None,
                Choice::Value("<9.0.0".to_owned()),
            ];
            let skip_range = ranges[random.random_range(0..3)].clone();
            EditOp::Promote {
                catalog,
                package,
                bundle: bundle(random)?,
                to: in_channel,
                how,
                replaces,
                skip_range,
            }
        }
        10 => EditOp::Withdraw {
            catalog,
            package,
            bundle: name,
            by: None,
            channel: if random.random() {
                vec![in_channel]
            } else {
                Vec::new()
            },
        },
        11 => {
            let (channel, bundle) = match random.random_range(0..3) {
                0 => (None, None),
                1 => (Some(in_channel), None),
                _ => (None, Some(bundle(random)?)),
            };
            let message = [
                "use b",
                "it's: \"old\" # no",
                "line one\nline two\n",
                "ä – ü",
            ][random.random_range(0..4)];
            EditOp::Deprecate {
                catalog,
                package,
                channel,
                bundle,
                message: message.to_owned(),
            }
        }
        _ => EditOp::Undeprecate {
            catalog,
            package,
            channel: None,
            bundle: Some(bundle(random)?),
        },
    })
}
