//! What NAME means in `cargo dev test NAME`: checks, journeys, or tests in Rust.
//!
//! Reads names and sources only; it must not know how anything runs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const JOURNEYS: &str = "tests/e2e/journeys";
/// Journeys whose titles come from tables.
const TABLES: &str = "tests/e2e/hostile";
const ENDING: &str = ".spec.ts";

/// The selection that a NAME resolves to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Chosen {
    /// Checks by name.
    Checks(Vec<&'static str>),
    Journeys(Journeys),
    /// Tests whose path contains the name, in these places.
    RustTests(BTreeSet<Home>),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Journeys {
    /// The files that hold them.
    pub(crate) files: Vec<PathBuf>,
    /// A common part of their titles; `None` runs the whole files.
    pub(crate) title: Option<String>,
}

/// Where tests in Rust live.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Home {
    /// The library of a crate below `src`, or its program if it has no library.
    Crate { name: String, is_library: bool },
    /// The tests in `tests/it`.
    Outside,
    /// A separate binary: `extreme`, `growth`, `growth_operations`, `growth_questions`, `growth_others`,
    /// `growth_repository`, `memory`.
    Alone(String),
}

/// A whole name takes precedence over part of a name, checks over journeys, and journeys over Rust tests. `None` if
/// nothing matches.
pub(crate) fn choose(name: &str, checks: &[&'static str], project: &Path) -> Option<Chosen> {
    if let Some(check) = checks.iter().find(|check| **check == name) {
        return Some(Chosen::Checks(vec![check]));
    }
    let specs = specs(&project.join(JOURNEYS));
    if let Some(file) = specs.iter().find(|file| is_file_name(file, name)) {
        return Some(Chosen::Journeys(Journeys {
            files: vec![file.clone()],
            title: None,
        }));
    }
    let checks: Vec<&str> = checks
        .iter()
        .filter(|check| check.contains(name))
        .copied()
        .collect();
    if !checks.is_empty() {
        return Some(Chosen::Checks(checks));
    }
    let journeys = find_titled(name, specs, project);
    if !journeys.files.is_empty() {
        return Some(Chosen::Journeys(journeys));
    }
    let homes = homes(name, project);
    (!homes.is_empty()).then_some(Chosen::RustTests(homes))
}

/// All journeys.
pub(crate) fn all_journeys(project: &Path) -> Journeys {
    Journeys {
        files: specs(&project.join(JOURNEYS)),
        title: None,
    }
}

/// `edit`, `edit.spec.ts` and the path all name the file.
fn is_file_name(file: &Path, name: &str) -> bool {
    let own = file.file_name().and_then(|own| own.to_str()).unwrap_or("");
    let name = name.rsplit('/').next().unwrap_or(name);
    own == name || own.strip_suffix(ENDING) == Some(name)
}

fn specs(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = files(folder);
    files.retain(|file| file.to_string_lossy().ends_with(ENDING));
    files
}

/// The journeys whose title contains the name, ignoring case as the runner does.
fn find_titled(name: &str, mut specs: Vec<PathBuf>, project: &Path) -> Journeys {
    let wanted = name.to_lowercase();
    let has = |file: &Path, calls: &[&str]| {
        let text = std::fs::read_to_string(file)
            .unwrap_or_default()
            .to_lowercase();
        titles(&text, calls).any(|title| title.contains(&wanted))
    };
    let is_in_tables = files(&project.join(TABLES))
        .iter()
        .any(|file| has(file, &["name: ", "test(", "describe("]));
    specs.retain(|file| {
        let is_of_tables = file
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("hostile-"));
        has(file, &["test(", "describe("]) || (is_in_tables && is_of_tables)
    });
    Journeys {
        files: specs,
        title: Some(name.to_owned()),
    }
}

/// The literal parts of the quoted texts that directly follow one of these.
fn titles<'t>(text: &'t str, calls: &'t [&str]) -> impl Iterator<Item = &'t str> {
    let behind = calls.iter().flat_map(|call| {
        text.match_indices(call)
            .map(|(at, call)| &text[at + call.len()..])
    });
    let quoted = behind.filter_map(|rest| {
        let quote = rest
            .chars()
            .next()
            .filter(|c| ['\'', '"', '`'].contains(c))?;
        rest[1..].split_once(quote).map(|(title, _)| title)
    });
    quoted.flat_map(|title| {
        title.split("${").enumerate().map(|(nth, part)| match nth {
            0 => part,
            _ => part.split_once('}').map_or("", |(_, literal)| literal),
        })
    })
}

/// The places of Rust tests whose path contains the name.
fn homes(name: &str, project: &Path) -> BTreeSet<Home> {
    let mut homes = BTreeSet::new();
    for (folder, home) in folders(project) {
        let mut sources = Vec::new();
        below(&folder, &mut sources);
        if sources
            .iter()
            .any(|file| has_test(file, &modules(file, &folder, &home), name))
        {
            homes.insert(home);
        }
    }
    homes
}

fn folders(project: &Path) -> Vec<(PathBuf, Home)> {
    let crates = std::fs::read_dir(project.join("src"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    let crates = crates
        .filter(|folder| folder.join("Cargo.toml").is_file())
        .map(|folder| {
            let name = folder
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let is_library = folder.join("lib.rs").is_file();
            let sources = if is_library {
                folder
            } else {
                folder.join("src")
            };
            (sources, Home::Crate { name, is_library })
        });
    let tests = project.join("tests");
    let alone = [
        "extreme",
        "growth",
        "growth_operations",
        "growth_questions",
        "growth_others",
        "growth_repository",
        "memory",
    ]
    .map(|name| {
        (
            tests.join(format!("{name}.rs")),
            Home::Alone(name.to_owned()),
        )
    });
    // The laws are a module of `tests/it`.
    let outside = ["it", "laws"].map(|name| (tests.join(name), Home::Outside));
    crates.chain(outside).chain(alone).collect()
}

/// The path of a file's module, with `::` after each name.
fn modules(file: &Path, folder: &Path, home: &Home) -> String {
    let own = file.strip_prefix(folder).unwrap_or(file).with_extension("");
    let names = own.iter().map(|part| part.to_string_lossy().into_owned());
    let around = (*home == Home::Outside && folder.ends_with("laws")).then(|| "laws".to_owned());
    around
        .into_iter()
        .chain(names.filter(|name| !["mod", "lib", "main", ""].contains(&name.as_str())))
        .map(|name| name + "::")
        .collect()
}

/// Whether the path of any test in the file contains the name. A module within a file is called `tests` everywhere.
fn has_test(file: &Path, modules: &str, name: &str) -> bool {
    let Ok(text) = std::fs::read_to_string(file) else {
        return false;
    };
    let mut is_test = false;
    text.lines().map(str::trim_start).any(|line| {
        is_test |= line.starts_with("#[test]");
        let Some((_, rest)) = line
            .split_once("fn ")
            .filter(|_| is_test && !line.starts_with("//"))
        else {
            return false;
        };
        is_test = false;
        let own = rest
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .next()
            .unwrap_or("");
        ["", "tests::"]
            .iter()
            .any(|within| format!("{modules}{within}{own}").contains(name))
    })
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    files.sort();
    files
}

/// Collects the Rust sources of a folder and its subfolders; a file yields itself.
fn below(path: &Path, into: &mut Vec<PathBuf>) {
    if path.extension().is_some_and(|ending| ending == "rs") {
        into.push(path.to_owned());
    } else {
        files(path).iter().for_each(|path| below(path, into));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHECKS: [&str; 4] = [
        "tests",
        "types of journeys",
        "edits read by opm",
        "journeys",
    ];

    fn here(name: &str) -> Option<Chosen> {
        let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        choose(name, &CHECKS, &project)
    }

    fn journeys(name: &str) -> (Vec<String>, Option<String>) {
        let Some(Chosen::Journeys(Journeys { files, title })) = here(name) else {
            panic!("{name}: {:?}", here(name))
        };
        let file_name = |file: &PathBuf| {
            file.file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        };
        (files.iter().map(file_name).collect(), title)
    }

    fn rust_tests(name: &str) -> Vec<Home> {
        let Some(Chosen::RustTests(homes)) = here(name) else {
            panic!("{name}: {:?}", here(name))
        };
        homes.into_iter().collect()
    }

    #[test]
    fn a_whole_name_is_preferred_to_a_part() {
        assert_eq!(here("journeys"), Some(Chosen::Checks(vec!["journeys"])));
        assert_eq!(
            here("journ"),
            Some(Chosen::Checks(vec!["types of journeys", "journeys"]))
        );
        assert_eq!(
            here("edits"),
            Some(Chosen::Checks(vec!["edits read by opm"]))
        );
        for name in ["edit", "edit.spec.ts", "tests/e2e/journeys/edit.spec.ts"] {
            assert_eq!(journeys(name), (vec!["edit.spec.ts".to_owned()], None));
        }
    }

    #[test]
    fn journeys_are_found_by_their_titles() {
        let title = "The whole job, by";
        assert_eq!(
            journeys(title),
            (vec!["edit.spec.ts".to_owned()], Some(title.to_owned()))
        );
        assert_eq!(
            journeys("keeps the law, seed").0,
            ["law.spec.ts"],
            "the literal part of a title that is made"
        );
        assert_eq!(
            journeys("another build came between").0,
            ["hostile-chromium.spec.ts", "hostile-firefox.spec.ts"]
        );
    }

    #[test]
    fn tests_in_rust_are_found_where_they_live() {
        let in_crate = |name: &str, is_library| Home::Crate {
            name: name.to_owned(),
            is_library,
        };
        assert_eq!(
            rust_tests("tests_in_rust_are_found"),
            [in_crate("dev", false)]
        );
        assert_eq!(
            rust_tests("chosen::tests::tests_in_rust"),
            [in_crate("dev", false)]
        );
        assert_eq!(
            rust_tests("places_are_those_of_another_parser"),
            [Home::Outside]
        );
        assert_eq!(rust_tests("edit_laws::"), [Home::Outside]);
        assert_eq!(rust_tests("graph::layout::"), [in_crate("catalog", true)]);
        assert_eq!(here("no test is called so"), None);
    }
}
