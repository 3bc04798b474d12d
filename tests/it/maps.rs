//! The map of the code is up to date: every file and folder in the tables "Where things are" exists.

use std::path::{Path, PathBuf};
use test_support::{project, read};

const MAPS: [&str; 2] = ["ARCHITECTURE.md", "docs/where-things-are.md"];
/// Paths relative to the project; all others are relative to `src`.
const AT_THE_TOP: [&str; 10] = [
    "action.yml",
    "ci",
    "docs",
    "fuzz",
    "index.html",
    "public",
    "release",
    "style",
    "tests",
    "target",
];

/// The rows of the table of changes and places.
fn rows(text: &str) -> Vec<&str> {
    let from = text
        .lines()
        .skip_while(|line| !line.starts_with("| to change |"));
    from.skip(2)
        .take_while(|line| line.starts_with('|'))
        .collect()
}

/// The paths in a row's second cell, in order. A file without a folder is beside or in the previous path.
fn paths(row: &str) -> Vec<PathBuf> {
    let cell = row.split('|').nth(2).unwrap_or("");
    let mut paths: Vec<PathBuf> = Vec::new();
    for name in cell.split('`').skip(1).step_by(2) {
        let first = name.split('/').next().unwrap_or("");
        let base = if AT_THE_TOP.contains(&first) {
            project()
        } else {
            project().join("src")
        };
        let path = match paths.last() {
            Some(before)
                if !name.contains('/') && name.contains('.') && !AT_THE_TOP.contains(&first) =>
            {
                let folder = if before.is_dir() {
                    before.clone()
                } else {
                    folder_of(before)
                };
                folder.join(name)
            }
            _ => base.join(name),
        };
        paths.push(path);
    }
    paths
}

fn folder_of(file: &Path) -> PathBuf {
    file.parent().map(Path::to_owned).unwrap_or_default()
}

#[test]
fn mapped_paths_exist() {
    let mut count = 0;
    let mut missing = Vec::new();
    for map in MAPS {
        for row in rows(&read(&project().join(map))) {
            let paths = paths(row);
            assert!(!paths.is_empty(), "{map}: no place in {row}");
            count += paths.len();
            missing.extend(
                paths
                    .into_iter()
                    .filter(|path| !path.exists())
                    .map(|path| format!("{map}: {}", path.display())),
            );
        }
    }
    assert_eq!(missing, Vec::<String>::new());
    assert!(count > 60, "{count} places in both tables");
}

#[test]
fn finds_missing_places() {
    let found =
        paths("| x | `fbc/graph/layout` (positions), `no_such.rs`; `ci/check-pull-request.sh` |");
    assert_eq!(
        found.iter().map(|path| path.exists()).collect::<Vec<_>>(),
        [true, false, true]
    );
}
