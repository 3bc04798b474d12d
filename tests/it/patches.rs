//! The real git accepts every patch: applied, it gives the new bytes; reversed, the old ones.
//!
//! `SWITCHYARD_PATCHES` sets the number of real packages and templates (`all`; small by default).

use crate::edit_corpus::templates;
use crate::laws::{catalog, operations};
use protocol::operation::EditOp;
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::json;
use session::{self, Session};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;
use test_support::{MemorySource, corpus, read_tree};

/// Runs `git apply` in a folder outside of any repository. `None`: git is not installed.
pub(crate) fn git_apply(folder: &Path, patch: &[u8], reversed: bool) -> Option<Result<(), String>> {
    let mut child = Command::new("git")
        .args(["apply", "--whitespace=nowarn"])
        .args(reversed.then_some("--reverse"))
        .arg("-")
        .current_dir(folder)
        .env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap_or(folder))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    // A git that refuses may have ended already.
    let _ = child.stdin.take().unwrap().write_all(patch);
    let output = child.wait_with_output().unwrap();
    Some(if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    })
}

fn has_git() -> bool {
    let has = Command::new("git").arg("--version").output().is_ok();
    if !has {
        println!("skipped: git is not installed, no patch was applied by it");
    }
    has
}

/// Patches by operation: attempts, and those with a patch.
#[derive(Debug, Default)]
struct Tally {
    by_operation: BTreeMap<&'static str, (u64, u64)>,
    wrong: Vec<String>,
}

impl Tally {
    fn patches(&self) -> u64 {
        self.by_operation.values().map(|(_, patches)| patches).sum()
    }

    /// Applies one operation and undoes it.
    fn try_op(&mut self, session: &mut Session, op: &EditOp) {
        let counts = self.by_operation.entry(op.name()).or_default();
        counts.0 += 1;
        let before = session
            .files()
            .paths()
            .map(|path| (path.to_owned(), session.files().bytes(path).unwrap()));
        let before: BTreeMap<String, Vec<u8>> = before.collect();
        let Ok(applied) = session.apply("patch", std::slice::from_ref(op)) else {
            return;
        };
        if applied.files.is_empty() {
            return;
        }
        let patch = session.changes().patch().unwrap();
        if !patch.is_empty() {
            counts.1 += 1;
            if let Err(reason) = check(session, &before, &patch) {
                self.wrong.push(format!(
                    "{}: {reason}\n{}",
                    json!(op),
                    String::from_utf8_lossy(&patch)
                ));
            }
        }
        session.undo().unwrap();
    }

    /// Copies, renames and removes every channel.
    fn channels(&mut self, session: &mut Session) {
        let packages = session.root(None).unwrap().catalog().packages().cloned();
        for package in packages.collect::<Vec<_>>() {
            for channel in &package.channels {
                let operation = |op: &str, more: serde_json::Value| -> EditOp {
                    let mut op = json!({"op": op, "package": &*package.name, "channel": channel.name.as_str()});
                    op.as_object_mut()
                        .unwrap()
                        .extend(more.as_object().unwrap().clone());
                    serde_json::from_value(op).unwrap()
                };
                let copy = json!({"channel": "new-channel", "from": channel.name.as_str()});
                self.try_op(session, &operation("add-channel", copy));
                self.try_op(
                    session,
                    &operation("add-channel", json!({"channel": "new-channel"})),
                );
                self.try_op(
                    session,
                    &operation("rename-channel", json!({"to": "new-name"})),
                );
                self.try_op(session, &operation("remove-channel", json!({})));
            }
        }
    }

    fn try_random(&mut self, session: &mut Session, random: &mut StdRng, count: usize) {
        for _ in 0..count {
            if let Some(op) = operations::random_op(random, session) {
                self.try_op(session, &op);
            }
        }
    }

    fn require(&self, what: &str, floor: u64) {
        println!(
            "{what}: {} patches; by operation (tried, with a patch): {:?}",
            self.patches(),
            self.by_operation
        );
        let wrong = self.wrong.len();
        assert!(
            wrong == 0,
            "git did not take {wrong} of {}:\n{}",
            self.patches(),
            self.wrong[0]
        );
        assert!(self.patches() >= floor, "only {} patches", self.patches());
    }
}

fn check(
    session: &Session,
    before: &BTreeMap<String, Vec<u8>>,
    patch: &[u8],
) -> Result<(), String> {
    let folder = TempDir::new().unwrap();
    let place = |path: &str| {
        folder
            .path()
            .join(session.changes().relative_to_opened(path).as_ref())
    };
    let changed = session.files().changed_paths();
    for path in &changed {
        fs::create_dir_all(place(path).parent().unwrap()).unwrap();
        before
            .get(*path)
            .inspect(|bytes| fs::write(place(path), bytes).unwrap());
    }
    git_apply(folder.path(), patch, false).unwrap()?;
    for path in &changed {
        if fs::read(place(path)).unwrap_or_default() != session.files().bytes(path).unwrap() {
            return Err(format!("{path} is not what would be written"));
        }
    }
    git_apply(folder.path(), patch, true)
        .unwrap()
        .map_err(|error| format!("reversed: {error}"))?;
    for path in &changed {
        if fs::read(place(path)).ok() != before.get(*path).cloned() {
            return Err(format!("reversed, {path} is not what was read"));
        }
    }
    Ok(())
}

fn open(files: Vec<(String, Vec<u8>)>) -> Session {
    let (files, source) = MemorySource::with_files(files);
    session::open_one("catalog", files, source)
}

/// Channels with similar starts, as in real catalogs: a patch for one could apply some lines
/// further down as well.
fn similar_channels(newline: &str, last: &str) -> String {
    let channel = |name: &str| {
        let entries: String = (0..4).map(|n| format!("- name: p.v1.{n}.0\n")).collect();
        format!("---\nschema: olm.channel\npackage: p\nname: {name}\nentries:\n{entries}")
    };
    let bundle = |n: u32| {
        format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v1.{n}.0\nimage: quay.io/p/p:v1.{n}.0\nproperties:\n- type: olm.package\n  value:\n    packageName: p\n    version: 1.{n}.0\n"
        )
    };
    let package = "---\nschema: olm.package\nname: p\ndefaultChannel: a\n".to_owned();
    let blobs = std::iter::once(package)
        .chain(["a", "b", "c"].map(channel))
        .chain((0..4).map(bundle));
    let text = blobs.collect::<String>();
    format!("{}{last}", text.trim_end()).replace('\n', newline)
}

#[test]
fn git_applies_every_patch() {
    if !has_git() {
        return;
    }
    let mut tally = Tally::default();
    let mut random = StdRng::seed_from_u64(16);
    for (newline, last) in [("\n", "\n"), ("\n", ""), ("\r\n", "\n"), ("\n", "\n---\n")] {
        let mut session = open(vec![(
            "p/catalog.yaml".to_owned(),
            similar_channels(newline, last).into_bytes(),
        )]);
        tally.channels(&mut session);
        tally.try_random(&mut session, &mut random, 10);
    }
    for _ in 0..12 {
        let mut session = open(catalog::files(&mut random));
        tally.try_random(&mut session, &mut random, 8);
    }
    tally.require("made catalogs", 60);
}

/// Folders that directly contain the files of a package.
fn packages(corpus: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), Vec::new());
    for group in [
        "community",
        "operatorhub",
        "redhat",
        "scale",
        "split",
        "repository",
        "variants",
    ] {
        folders.push(corpus.join(group));
    }
    while let Some(at) = folders.pop() {
        let Ok(entries) = fs::read_dir(&at) else {
            continue;
        };
        let (below, files): (Vec<_>, Vec<_>) = entries
            .map(|e| e.unwrap().path())
            .partition(|path| path.is_dir());
        if !files.is_empty() {
            found.push(at);
        }
        folders.extend(below);
    }
    found.sort();
    found
}

/// An even selection of the items.
fn sample<T>(all: Vec<T>, usual: usize) -> Vec<T> {
    let requested = std::env::var("SWITCHYARD_PATCHES").ok();
    let count = match requested.as_deref() {
        Some("all") => all.len(),
        requested => requested.and_then(|n| n.parse().ok()).unwrap_or(usual),
    };
    let step = all.len().div_ceil(count.max(1)).max(1);
    all.into_iter().step_by(step).collect()
}

#[test]
fn git_applies_every_patch_of_real_packages() {
    let Some(corpus) = corpus().filter(|_| has_git()) else {
        return;
    };
    let (mut tally, mut random) = (Tally::default(), StdRng::seed_from_u64(4));
    let mut count = 0;
    for folder in sample(packages(&corpus), 12) {
        let mut files = read_tree(&folder);
        files.retain(|(path, bytes)| !path.contains('/') && bytes.len() < 4 << 20);
        let mut session = open(files);
        count += session.root(None).unwrap().catalog().packages().count();
        tally.channels(&mut session);
        tally.try_random(&mut session, &mut random, 12);
    }
    tally.require(&format!("{count} real packages"), 1);
}

#[test]
fn git_applies_every_patch_of_real_templates() {
    let Some(corpus) = corpus().filter(|_| has_git()) else {
        return;
    };
    let (mut tally, mut random) = (Tally::default(), StdRng::seed_from_u64(5));
    let found = sample(templates(&corpus), 8);
    for file in &found {
        let (mut files, source) =
            MemorySource::with_files(vec![("template.yaml".to_owned(), fs::read(file).unwrap())]);
        let mut session = session::open_template(files.remove(0), source);
        tally.channels(&mut session);
        tally.try_random(&mut session, &mut random, 12);
    }
    tally.require(&format!("{} real templates", found.len()), 1);
}
