//! The walls inside the page's crate: modules form layers, features are independent of each other,
//! and panels import each other in one direction only.
//!
//! Each module may import only the modules listed here; no folder of `features` imports another;
//! imports between panels have no cycle. Tests inside the sources are ignored. `walls` checks the
//! source reader.

use crate::walls::{file_imports, find_cycles, is_test_file};
use std::collections::{BTreeMap, BTreeSet};
use test_support::{files_below, project, read};

/// A module of the page and the modules it may import, from the bottom up. `lib.rs` and `main.rs`
/// are above them.
const LAYERS: &[(&str, &[&str])] = &[
    ("reactive", &[]),
    ("state", &["reactive"]),
    ("browser", &["reactive", "state"]),
    ("widgets", &["browser", "reactive"]),
    ("words", &[]),
    ("edits", &["widgets", "words"]),
    ("client", &["browser", "reactive", "state"]),
    (
        "session",
        &["browser", "client", "reactive", "state", "widgets", "words"],
    ),
    (
        "context",
        &[
            "browser", "edits", "reactive", "session", "state", "widgets", "words",
        ],
    ),
    (
        "commands",
        &["browser", "context", "edits", "state", "widgets"],
    ),
    ("prelude", &["context", "reactive", "widgets", "words"]),
    (
        "components",
        &["context", "edits", "prelude", "state", "widgets", "words"],
    ),
    (
        "features",
        &[
            "browser",
            "commands",
            "components",
            "context",
            "edits",
            "prelude",
            "reactive",
            "state",
            "widgets",
            "words",
        ],
    ),
    (
        "panels",
        &[
            "browser",
            "commands",
            "components",
            "context",
            "edits",
            "features",
            "prelude",
            "state",
            "widgets",
        ],
    ),
    (
        "page",
        &[
            "browser",
            "commands",
            "components",
            "context",
            "features",
            "panels",
            "reactive",
            "widgets",
        ],
    ),
];

/// The sources of the page without tests, with their paths below it.
fn sources() -> Vec<(String, String)> {
    let folder = project().join("src/app");
    files_below("src/app", "rs")
        .iter()
        .filter(|file| !is_test_file(file))
        .filter(|file| !file.ends_with("main.rs") && !file.ends_with("build.rs"))
        .map(|file| {
            (
                file.strip_prefix(&folder).unwrap().display().to_string(),
                read(file),
            )
        })
        .collect()
}

fn as_strs(sources: &[(String, String)]) -> Vec<(&str, &str)> {
    sources
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect()
}

/// The module of a file below `above` ("" for the page itself).
fn module<'a>(above: &str, file: &'a str) -> Option<&'a str> {
    file.strip_prefix(above)?
        .split('/')
        .next()
        .map(|name| name.trim_end_matches(".rs"))
}

/// Each module below `above` with its imports, from the result of [`file_imports`].
fn module_imports(
    above: &str,
    files: &BTreeMap<String, BTreeSet<String>>,
) -> BTreeMap<String, BTreeSet<String>> {
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (file, others) in files {
        let Some(here) = module(above, file).filter(|here| *here != "mod") else {
            continue;
        };
        let others = others
            .iter()
            .filter_map(|other| module(above, other))
            .filter(|other| *other != here);
        imports
            .entry(here.to_owned())
            .or_default()
            .extend(others.map(str::to_owned));
    }
    imports
}

#[test]
fn layers_import_only_lower_layers() {
    let sources = sources();
    let mut imports = module_imports("", &file_imports(&as_strs(&sources)));
    imports.remove("lib");
    let modules: BTreeSet<&str> = sources
        .iter()
        .filter_map(|(path, _)| module("", path))
        .collect();
    let known: BTreeSet<&str> = LAYERS
        .iter()
        .map(|(name, _)| *name)
        .chain(["lib"])
        .collect();
    assert_eq!(modules, known, "the page has other modules than these");
    for (name, may) in LAYERS {
        let others: Vec<&str> = imports
            .get(*name)
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        let beyond: Vec<&&str> = others.iter().filter(|other| !may.contains(other)).collect();
        assert!(beyond.is_empty(), "{name} names {beyond:?}");
        let unused: Vec<&&str> = may.iter().filter(|other| !others.contains(other)).collect();
        assert!(
            unused.is_empty(),
            "{name} may name {unused:?}, and does not"
        );
    }
}

/// Features that import others.
fn features_that_import_others(sources: &[(&str, &str)]) -> Vec<(String, BTreeSet<String>)> {
    let imports = module_imports("features/", &file_imports(sources));
    imports
        .into_iter()
        .filter(|(_, others)| !others.is_empty())
        .collect()
}

#[test]
fn features_import_no_other_feature() {
    let sources = sources();
    let folders: BTreeSet<&str> = sources
        .iter()
        .filter_map(|(path, _)| module("features/", path))
        .collect();
    assert!(
        folders.contains("graph") && folders.len() > 6,
        "there are more features than {folders:?}"
    );
    assert_eq!(features_that_import_others(&as_strs(&sources)), Vec::new());
}

#[test]
fn a_planted_import_of_a_feature_is_found() {
    let separate = [
        ("features/mod.rs", "pub mod a;\npub mod b;"),
        (
            "features/a/mod.rs",
            "mod x;\nuse crate::components::P;\nuse x::X;",
        ),
        (
            "features/a/x.rs",
            "use super::super::a;\n#[cfg(test)]\nmod tests {\n    use crate::features::b;\n}",
        ),
        (
            "features/b.rs",
            "//! As [`crate::features::a`].\nuse crate::state;",
        ),
        ("components/mod.rs", "pub struct P;"),
        ("state/mod.rs", ""),
    ];
    assert_eq!(features_that_import_others(&separate), Vec::new());
    let with = |line: &'static str| {
        let planted = separate.map(|(path, text)| {
            (
                path,
                if path == "features/a/x.rs" {
                    line
                } else {
                    text
                },
            )
        });
        features_that_import_others(&planted)
    };
    let found = vec![("a".to_owned(), BTreeSet::from(["b".to_owned()]))];
    assert_eq!(with("use crate::features::b::B;"), found);
    assert_eq!(with("use crate::{features::{b as c}, state};"), found);
    assert_eq!(with("fn f() { super::super::b::g() }"), found);
}

#[test]
fn panel_imports_have_no_cycle() {
    let sources = sources();
    let imports = module_imports("panels/", &file_imports(&as_strs(&sources)));
    assert!(
        imports.len() > 10,
        "there are more panels than {}",
        imports.len()
    );
    assert_eq!(find_cycles(&imports), Vec::new());
}

#[test]
fn a_planted_panel_cycle_is_found() {
    let line = [
        ("panels/mod.rs", "pub mod a;\npub mod b;"),
        ("panels/a/mod.rs", "mod x;\nuse super::b::B;"),
        ("panels/a/x.rs", "use super::super::c::C;"),
        (
            "panels/b.rs",
            "use crate::context::AppContext;\n#[cfg(test)]\nmod tests {\n    use crate::panels::a;\n}",
        ),
        ("panels/c.rs", ""),
        ("context/mod.rs", "use crate::state;"),
    ];
    let found =
        |sources: &[(&str, &str)]| find_cycles(&module_imports("panels/", &file_imports(sources)));
    assert_eq!(found(&line), Vec::new());
    let back = line.map(|(path, text)| {
        (
            path,
            if path == "panels/c.rs" {
                "fn f() { crate::panels::a::g() }"
            } else {
                text
            },
        )
    });
    assert_eq!(found(&back), [("a".to_owned(), "c".to_owned())]);
    let imports = module_imports("", &file_imports(&line));
    assert_eq!(
        imports
            .get("panels")
            .map(|others| others.iter().map(String::as_str).collect()),
        Some(vec!["context"])
    );
}
