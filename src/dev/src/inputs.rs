//! A check's inputs, as far as they can change its outcome: files, programs and settings, as one digest.
//!
//! A check names what it surely does not read. All else counts: it is run once too often rather than once too seldom.

use crate::run::{output, which};
use crate::setup::fingerprint;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::UNIX_EPOCH;

/// What is made here and never read as a source.
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

/// Programs that tests look for and start.
const PROGRAMS: [&str; 7] = ["bash", "cargo", "git", "go", "node", "python3", "sh"];

/// Variables that change what is compiled or tried, by how they begin.
const VARIABLES: [&str; 13] = [
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
];

/// Which files of the project a check reads.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reads {
    /// Those below this folder.
    Below(&'static str),
    /// All files except those whose path begins with one of these. Manifests always count, since they decide the
    /// features of what is compiled.
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

/// A folder's own path, or one in it.
fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The digest of a check's inputs: these files of the project, and the extra inputs given.
pub(crate) fn digest(project: &Path, reads: Reads, said: &[String]) -> u64 {
    of(&contents(project, |path| reads.has(path)), said)
}

/// The digest of named contents and the extra inputs.
pub(crate) fn of(contents: &[(String, u64)], said: &[String]) -> u64 {
    let mut text = String::new();
    for (name, content) in contents {
        text.push_str(&format!("{name:?} {content:016x}\n"));
    }
    for line in said {
        text.push_str(&format!("{line:?}\n"));
    }
    fingerprint(text.as_bytes())
}

/// The files below a folder that are taken, by their path in it and what is in them, in order. One that cannot be read is
/// another than it was.
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

/// Inputs outside the project: the compiler, programs, variables, and real catalogs and recorded answers where present.
/// Of these, names, sizes and times are hashed: reading them all would take as long as some checks.
pub(crate) fn outside(project: &Path) -> Vec<String> {
    let mut said =
        vec![output(Command::new("rustc").arg("-vV").current_dir(project)).unwrap_or_default()];
    said.extend(
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
    said.extend(variables);
    let named = ["SWITCHYARD_SHARED", "SWITCHYARD_ORACLE"]
        .map(|name| std::env::var_os(name).map(PathBuf::from));
    let mut stamps = Vec::new();
    for folder in named
        .into_iter()
        .flatten()
        .chain([project.join("../shared")])
    {
        walk(&folder, "", &mut |path, name| {
            stamps.push(format!("{name} {}", stamp(path)))
        });
    }
    stamps.sort();
    said.push(format!(
        "{:016x}",
        fingerprint(stamps.join("\n").as_bytes())
    ));
    said
}

/// A file's path, size and time of its last change, links followed.
pub(crate) fn stamp(path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let told = path.metadata().ok().map(|file| {
        let changed = file
            .modified()
            .ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        (file.len(), changed)
    });
    format!("{} {told:?}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEFT_OUT: Reads = Reads::AllBut(&["docs", "src/app"]);

    #[test]
    fn only_what_is_named_is_left_out() {
        for path in ["src/app/page.rs", "docs/keys.md", "docs"] {
            assert!(!LEFT_OUT.has(path), "{path}");
        }
        for path in [
            "src/application.rs",
            "src/fbc/docs/a.rs",
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
            "src/fbc/a.rs",
            "src/app/b.rs",
            "src/app/Cargo.toml",
            "Cargo.lock",
            "tests/it/c.rs",
        ] {
            write(path, "as it was");
        }
        let said = ["seed 1".to_owned()];
        let now = || digest(&project, LEFT_OUT, &said);
        let before = now();
        assert_eq!(now(), before);
        write("src/app/b.rs", "not read");
        write("target/debug/x", "made");
        write("docs/new.md", "not read");
        assert_eq!(now(), before);
        for (path, text) in [
            ("src/fbc/a.rs", "as it waS"),
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
    fn contents_and_words_are_kept_apart() {
        let file = |name: &str, content| (name.to_owned(), content);
        let said = |words: &[&str]| {
            words
                .iter()
                .map(|&word| word.to_owned())
                .collect::<Vec<_>>()
        };
        let all = [
            of(&[file("a", 1), file("b", 2)], &[]),
            of(&[file("a", 2), file("b", 1)], &[]),
            of(&[file("a", 1)], &said(&["b 2"])),
            of(&[], &said(&["a", "b"])),
            of(&[], &said(&["a\nb"])),
            of(&[], &said(&["ab"])),
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
