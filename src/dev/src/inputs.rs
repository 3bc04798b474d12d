//! A digest of everything that can change the outcome of a check (files, programs, settings; a check lists what it does
//! not read), and a record of the checks that passed, by their inputs: one file per check in `target/passed`, of complete runs
//! without a failure only. Must not know which checks exist.

use crate::report::Report;
use crate::run::{output, which};
use crate::setup::fingerprint;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::UNIX_EPOCH;

/// Generated folders.
const MADE: [&str; 8] = [
    ".git",
    "target",
    "dist",
    "tests/e2e/results",
    "tests/e2e/node_modules",
    "fuzz/target",
    "fuzz/corpus",
    "fuzz/artifacts",
];

/// Programs that tests start.
const PROGRAMS: [&str; 7] = ["bash", "cargo", "git", "go", "node", "python3", "sh"];

/// Prefixes of variables that change what is compiled or tried.
const VARIABLES: [&str; 14] = [
    "CARGO_BUILD_",
    "CARGO_ENCODED_",
    "CARGO_INCREMENTAL",
    "CARGO_PROFILE_",
    "LANG",
    "LC_",
    "PROPTEST_",
    "RUSTC",
    "RUSTDOCFLAGS",
    "RUSTFLAGS",
    "RUSTUP_TOOLCHAIN",
    "RUST_TEST_",
    "SWITCHYARD_",
    "UPDATE_EXPECT",
];

/// Which files of the project a check reads.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reads {
    /// Files below this folder.
    Below(&'static str),
    /// All files except those below these folders. Manifests always count: they decide the features.
    AllBut(&'static [&'static str]),
}

impl Reads {
    fn has(self, path: &str) -> bool {
        match self {
            Self::Below(folder) => is_below(path, folder),
            Self::AllBut(left_out) => {
                path.ends_with("Cargo.toml")
                    || !left_out.iter().any(|folder| is_below(path, folder))
            }
        }
    }
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The digest of these files of the project and the extra inputs.
pub(crate) fn digest(project: &Path, reads: Reads, extra_inputs: &[String]) -> u64 {
    digest_of(&contents(project, |path| reads.has(path)), extra_inputs)
}

pub(crate) fn digest_of(contents: &[(String, u64)], extra_inputs: &[String]) -> u64 {
    let mut text = String::new();
    for (name, content) in contents {
        text.push_str(&format!("{name:?} {content:016x}\n"));
    }
    for line in extra_inputs {
        text.push_str(&format!("{line:?}\n"));
    }
    fingerprint(text.as_bytes())
}

/// Path and fingerprint of each file below a folder that `is_taken` accepts, sorted. An unreadable file has 0.
pub(crate) fn contents(folder: &Path, is_taken: impl Fn(&str) -> bool) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    walk(folder, "", &mut |path, name| {
        if is_taken(name) {
            found.push((
                name.to_owned(),
                std::fs::read(path).map_or(0, |bytes| fingerprint(&bytes)),
            ));
        }
    });
    found.sort();
    found
}

fn walk(folder: &Path, name: &str, file: &mut impl FnMut(&Path, &str)) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let own = entry.file_name().to_string_lossy().into_owned();
        let name = if name.is_empty() {
            own
        } else {
            format!("{name}/{own}")
        };
        if MADE.contains(&name.as_str()) {
            continue;
        }
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(&entry.path(), &name, file);
        } else {
            file(&entry.path(), &name);
        }
    }
}

/// Inputs outside the project: compiler, programs, variables, shared catalogs and recorded answers. Of the latter only
/// names, sizes and times count, because reading them takes as long as some checks.
pub(crate) fn outside(project: &Path) -> Vec<String> {
    let mut extra_inputs =
        vec![output(Command::new("rustc").arg("-vV").current_dir(project)).unwrap_or_default()];
    extra_inputs.extend(
        PROGRAMS
            .iter()
            .map(|name| format!("{name}: {:?}", which(name).map(|path| stamp(&path)))),
    );
    let mut variables: Vec<String> = std::env::vars_os()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value))
        .filter(|(name, _)| {
            VARIABLES
                .iter()
                .any(|beginning| name.starts_with(beginning))
        })
        .map(|(name, value)| format!("{name}={value:?}"))
        .collect();
    variables.sort();
    extra_inputs.extend(variables);
    let folders = ["SWITCHYARD_SHARED", "SWITCHYARD_ORACLE"]
        .map(|name| std::env::var_os(name).map(PathBuf::from));
    let mut stamps = Vec::new();
    for folder in folders
        .into_iter()
        .flatten()
        .chain([project.join("../shared")])
    {
        walk(&folder, "", &mut |path, name| {
            stamps.push(format!("{name} {}", stamp(path)))
        });
    }
    stamps.sort();
    extra_inputs.push(format!(
        "{:016x}",
        fingerprint(stamps.join("\n").as_bytes())
    ));
    extra_inputs
}

/// A file's path, size and time of its last change, links followed.
pub(crate) fn stamp(path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let stamp = path.metadata().ok().map(|file| {
        let changed = file
            .modified()
            .ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        (file.len(), changed)
    });
    format!("{} {stamp:?}", path.display())
}

/// The value of an `integrity` attribute for these bytes.
pub(crate) fn integrity(bytes: &[u8]) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(bytes)))
}

/// The digest in hexadecimal digits.
pub(crate) fn hex_digest(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Increase the number when the format or the digest changes.
const FORM: &str = "switchyard remembers 2";

/// The outcomes of earlier runs.
#[derive(Debug)]
pub(crate) struct PassStore {
    /// `None`: nothing is stored.
    folder: Option<PathBuf>,
    /// Whether to use earlier outcomes, or only record new ones.
    use_store: bool,
}

impl PassStore {
    /// Nothing is stored in continuous integration.
    pub(crate) fn new(project: &Path, use_store: bool) -> Self {
        let is_ci =
            std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false");
        Self {
            folder: (!is_ci).then(|| project.join("target/passed")),
            use_store,
        }
    }

    #[cfg(test)]
    pub(crate) fn below(folder: PathBuf) -> Self {
        Self {
            folder: Some(folder),
            use_store: true,
        }
    }

    /// The report of a run that passed on these inputs.
    pub(crate) fn recall(&self, name: &str, digest: u64) -> Option<Report> {
        let file = self.file(name).filter(|_| self.use_store)?;
        read(&std::fs::read_to_string(file).ok()?, digest)
    }

    /// Records a passed check, or removes the record of one that failed.
    pub(crate) fn note(&self, name: &str, digest: u64, report: &Report) {
        let Some(file) = self.file(name) else { return };
        let noted = match serialize(digest, report) {
            Some(text) => file
                .parent()
                .map_or(Ok(()), std::fs::create_dir_all)
                .and_then(|()| std::fs::write(&file, text)),
            None if file.exists() => std::fs::remove_file(&file),
            None => Ok(()),
        };
        if let Err(error) = noted {
            println!(
                "what passed could not be noted in {}: {error}",
                file.display()
            );
        }
    }

    fn file(&self, name: &str) -> Option<PathBuf> {
        let plain = name.chars().map(|c| {
            if c.is_ascii_alphanumeric() || c == '.' {
                c
            } else {
                '-'
            }
        });
        self.folder
            .as_ref()
            .map(|folder| folder.join(plain.collect::<String>()))
    }
}

/// The text to store; `None` for an incomplete or failed run.
fn serialize(digest: u64, report: &Report) -> Option<String> {
    let report = serde_json::to_string(report)
        .ok()
        .filter(|_| report.is_whole())?;
    Some(format!("{FORM}\n{digest:016x}\n{report}\nend\n"))
}

/// Reads a stored report of these inputs. A text that is cut off is ignored.
fn read(text: &str, digest: u64) -> Option<Report> {
    let rest = text.strip_prefix(&format!("{FORM}\n{digest:016x}\n"))?;
    Report::parse(rest.strip_suffix("\nend\n")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEFT_OUT: Reads = Reads::AllBut(&["docs", "src/app"]);

    #[test]
    fn excludes_only_the_named_files() {
        for path in ["src/app/page.rs", "docs/keys.md", "docs"] {
            assert!(!LEFT_OUT.has(path), "{path}");
        }
        for path in [
            "src/application.rs",
            "src/edit/docs/a.rs",
            "src/app/Cargo.toml",
            "docs.md",
            "anything new",
        ] {
            assert!(LEFT_OUT.has(path), "{path}");
        }
        assert!(
            Reads::Below("tests/e2e").has("tests/e2e/a.ts")
                && !Reads::Below("tests/e2e").has("tests/e2e.ts")
        );
    }

    /// Each planted change is noticed, and a change of what a check does not read is not.
    #[test]
    fn a_change_is_another_digest() {
        let project =
            std::env::temp_dir().join(format!("switchyard-inputs-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            let path = project.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        for path in [
            "src/edit/a.rs",
            "src/app/b.rs",
            "src/app/Cargo.toml",
            "Cargo.lock",
            "tests/it/c.rs",
        ] {
            write(path, "as it was");
        }
        let extra_inputs = ["seed 1".to_owned()];
        let now = || digest(&project, LEFT_OUT, &extra_inputs);
        let before = now();
        assert_eq!(now(), before);
        write("src/app/b.rs", "not read");
        write("target/debug/x", "made");
        write("docs/new.md", "not read");
        assert_eq!(now(), before);
        for (path, text) in [
            ("src/edit/a.rs", "as it waS"),
            ("src/app/Cargo.toml", "a feature"),
            ("Cargo.lock", ""),
            ("tests/it/new.rs", "one more"),
            ("tests/data/target", "the name of a made folder elsewhere"),
        ] {
            let before = now();
            write(path, text);
            assert_ne!(now(), before, "{path}");
        }
        let before = now();
        std::fs::rename(project.join("tests/it/c.rs"), project.join("tests/it/d.rs")).unwrap();
        assert_ne!(now(), before, "another name");
        assert_ne!(now(), digest(&project, LEFT_OUT, &["seed 2".to_owned()]));
        assert_ne!(now(), digest(&project, LEFT_OUT, &[]));
        std::fs::remove_dir_all(&project).unwrap();
    }

    #[test]
    fn separates_files_from_extra_inputs() {
        let file = |name: &str, content| (name.to_owned(), content);
        let extra_inputs = |inputs: &[&str]| {
            inputs
                .iter()
                .map(|&word| word.to_owned())
                .collect::<Vec<_>>()
        };
        let all = [
            digest_of(&[file("a", 1), file("b", 2)], &[]),
            digest_of(&[file("a", 2), file("b", 1)], &[]),
            digest_of(&[file("a", 1)], &extra_inputs(&["b 2"])),
            digest_of(&[], &extra_inputs(&["a", "b"])),
            digest_of(&[], &extra_inputs(&["a\nb"])),
            digest_of(&[], &extra_inputs(&["ab"])),
        ];
        for (nth, one) in all.iter().enumerate() {
            assert!(!all[..nth].contains(one), "{nth}");
        }
    }

    #[test]
    fn a_program_that_is_replaced_is_another() {
        let file = std::env::temp_dir().join(format!("switchyard-stamp-{}", std::process::id()));
        std::fs::write(&file, "one").unwrap();
        let before = stamp(&file);
        assert_eq!(stamp(&file), before);
        std::fs::write(&file, "longer").unwrap();
        assert_ne!(stamp(&file), before);
        std::fs::remove_file(&file).unwrap();
    }
}

#[cfg(test)]
mod passed_checks_tests {
    use super::*;
    use crate::report::Note;

    fn report() -> Report {
        let mut report = Report::default();
        report.passed = 12;
        report.note(Note::Skipped, "a\\n › b", "no\tengine\nhere");
        report.note(Note::InPart, "table", "a slice");
        report.ran("parity::mutants");
        report
    }

    #[test]
    fn stored_results_keep_their_notes() {
        let text = serialize(7, &report()).expect("it passed");
        let again = read(&text, 7).expect("the inputs are the same");
        assert_eq!((again.passed, again.failed), (12, 0));
        assert!(
            again
                .summary()
                .ends_with("\n12 of these passed before, on the same inputs\n"),
            "{}",
            again.summary()
        );
        assert_eq!(
            again
                .summary()
                .replace("12 of these passed before, on the same inputs\n", ""),
            report().summary() + "\n"
        );
        let mut other = Report::default();
        other.note(Note::Skipped, "parity::mutants", "needs the program");
        other.add(again);
        assert!(
            !other.summary().contains("needs the program"),
            "{}",
            other.summary()
        );
    }

    #[test]
    fn other_inputs_and_damaged_notes_are_no_memory() {
        let text = serialize(7, &report()).expect("it passed");
        assert_eq!(read(&text, 8), None);
        for cut in 0..text.len() {
            assert_eq!(
                text.get(..cut).and_then(|text| read(text, 7)),
                None,
                "{cut}"
            );
        }
        assert_eq!(read(&text.replace("remembers 2", "remembers 1"), 7), None);
    }

    #[test]
    fn stores_only_complete_passes() {
        let mut again = report();
        again.note(Note::Again, "dies", "the browser itself had ended");
        let mut not_run = report();
        not_run.note(Note::NotRun, "later", "the run ended before");
        for not_whole in [
            report().with_failed(),
            Report::one(false),
            Report::default(),
            again,
            not_run,
        ] {
            assert_eq!(serialize(7, &not_whole), None, "{not_whole:?}");
        }
        assert!(serialize(7, &Report::one(true)).is_some());
    }

    #[test]
    fn a_check_that_fails_or_changes_is_forgotten() {
        let project = std::env::temp_dir().join(format!("switchyard-store-{}", std::process::id()));
        let store = PassStore {
            folder: Some(project.clone()),
            use_store: true,
        };
        assert_eq!(store.recall("edit.spec.ts", 7), None);
        store.note("edit.spec.ts", 7, &report());
        assert!(store.recall("edit.spec.ts", 7).is_some());
        assert_eq!(store.recall("edit.spec.ts", 8), None);
        assert_eq!(store.recall("real.spec.ts", 7), None);
        assert_eq!(
            PassStore {
                folder: Some(project.clone()),
                use_store: false
            }
            .recall("edit.spec.ts", 7),
            None
        );
        store.note("edit.spec.ts", 7, &report().with_failed());
        assert_eq!(store.recall("edit.spec.ts", 7), None);
        let none = PassStore {
            folder: None,
            use_store: true,
        };
        none.note("edit.spec.ts", 7, &report());
        assert_eq!(none.recall("edit.spec.ts", 7), None);
        std::fs::remove_dir_all(&project).unwrap();
    }
}
