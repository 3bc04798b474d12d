//! The walls between the crates that the compiler does not enforce.
//!
//! A manifest may depend only on the workspace crates listed here, and a pure crate only on the
//! external crates listed here. Pure crates do not use files, clocks, threads or processes outside
//! of tests; none of their dependencies provides random numbers. Folders of a pure or layered crate
//! have no import cycles, nor have the files of the folders listed here. Widgets of the page import
//! only widgets and the browser, and do not mention catalogs. Planted violations check the source
//! reader itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use test_support::{files_below, project, read, relative_path};

/// The permitted dependencies of one crate of the workspace.
struct CrateRule {
    folder: &'static str,
    may_name: &'static [&'static str],
    /// Permitted external crates, without dev-dependencies; `None` permits any.
    external: Option<&'static [&'static str]>,
}

const CRATES: &[CrateRule] = &[
    CrateRule {
        folder: "syntax",
        may_name: &[],
        external: Some(&[
            "base64",
            "foldhash",
            "memchr",
            "regex-lite",
            "serde",
            "serde_json",
            "strsim",
            "thiserror",
        ]),
    },
    CrateRule {
        folder: "catalog",
        may_name: &["protocol", "syntax"],
        external: Some(&[
            "base64",
            "flate2",
            "memchr",
            "percent-encoding",
            "petgraph",
            "proptest",
            "regex-lite",
            "roxmltree",
            "semver",
            "serde",
            "serde_json",
            "similar",
            "tar",
            "thiserror",
            "zip",
        ]),
    },
    CrateRule {
        folder: "upgrade",
        may_name: &["catalog", "protocol", "syntax"],
        external: Some(&["petgraph", "regex-lite", "serde", "serde_json", "thiserror"]),
    },
    CrateRule {
        folder: "bundle",
        may_name: &["catalog", "protocol", "syntax", "upgrade"],
        external: Some(&["base64", "regex-lite", "serde_json", "thiserror"]),
    },
    CrateRule {
        folder: "edit",
        may_name: &["bundle", "catalog", "protocol", "syntax", "upgrade"],
        external: Some(&["base64", "memchr", "petgraph", "serde_json", "thiserror"]),
    },
    CrateRule {
        folder: "verdict",
        may_name: &["catalog", "edit", "protocol", "syntax", "upgrade"],
        external: Some(&["base64", "serde_json"]),
    },
    CrateRule {
        folder: "template",
        may_name: &["bundle", "catalog", "edit", "protocol", "syntax", "verdict"],
        external: Some(&["base64", "memchr", "semver", "serde_json"]),
    },
    CrateRule {
        folder: "repository",
        may_name: &[
            "bundle", "catalog", "edit", "protocol", "syntax", "template", "verdict",
        ],
        external: Some(&["memchr", "regex-lite", "semver", "serde_json"]),
    },
    CrateRule {
        folder: "session",
        may_name: &[
            "bundle",
            "catalog",
            "edit",
            "protocol",
            "repository",
            "syntax",
            "template",
            "upgrade",
            "verdict",
        ],
        external: Some(&["base64", "memchr", "serde_json"]),
    },
    CrateRule {
        folder: "lsp",
        may_name: &[
            "catalog",
            "completion",
            "protocol",
            "session",
            "syntax",
            "template",
            "verdict",
        ],
        external: Some(&["lsp-types", "serde", "serde_json"]),
    },
    CrateRule {
        folder: "host",
        may_name: &[
            "bundle",
            "catalog",
            "edit",
            "protocol",
            "repository",
            "session",
            "syntax",
            "template",
            "upgrade",
            "verdict",
        ],
        external: Some(&[
            "base64",
            "crc32fast",
            "flate2",
            "serde",
            "serde_json",
            "tar",
            "zip",
        ]),
    },
    CrateRule {
        folder: "completion",
        may_name: &[],
        external: Some(&[]),
    },
    CrateRule {
        folder: "protocol",
        may_name: &[],
        external: Some(&["postcard", "serde", "serde_json"]),
    },
    CrateRule {
        folder: "worker",
        may_name: &["catalog", "host", "protocol", "repository", "syntax"],
        external: None,
    },
    CrateRule {
        folder: "app",
        may_name: &["completion", "protocol"],
        external: None,
    },
    CrateRule {
        folder: "cli",
        may_name: &[
            "bundle",
            "catalog",
            "edit",
            "lsp",
            "protocol",
            "repository",
            "session",
            "syntax",
            "template",
            "upgrade",
            "verdict",
        ],
        external: None,
    },
    CrateRule {
        folder: "bindgen",
        may_name: &[],
        external: None,
    },
    CrateRule {
        folder: "dev",
        may_name: &[],
        external: None,
    },
];

/// Crates that are functions of their inputs.
const PURE: &[&str] = &[
    "bundle",
    "catalog",
    "completion",
    "edit",
    "host",
    "lsp",
    "protocol",
    "repository",
    "session",
    "syntax",
    "template",
    "upgrade",
    "verdict",
];

/// Crates that are not pure, whose folders have no import cycles either.
const LAYERED: &[&str] = &["cli"];

/// Paths and macros that a pure crate may not use. A path matches whole words only.
const IMPURE: &[&str] = &[
    "std::env",
    "std::fs",
    "std::io::stderr",
    "std::io::stdin",
    "std::io::stdout",
    "std::net",
    "std::os",
    "std::process",
    "std::thread",
    "std::time::Instant",
    "std::time::SystemTime",
    "println!",
    "eprintln!",
    "print!",
    "eprint!",
    "dbg!",
];

/// The names in the section `[dependencies]` of a manifest, including target-specific ones.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut is_in = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_in = line.trim_matches(['[', ']']).ends_with("dependencies")
                && !line.contains("dev-dependencies");
        } else if is_in && line.starts_with(|c: char| c.is_ascii_alphabetic()) {
            names.extend(line.split(['.', ' ', '=']).next().map(str::to_owned));
        }
    }
    names
}

/// Dependencies in `manifest` that `rule` does not permit.
fn forbidden_dependencies(rule: &CrateRule, manifest: &str) -> Vec<String> {
    let (ours, others): (BTreeSet<_>, BTreeSet<_>) = dependencies(manifest)
        .into_iter()
        .partition(|name| name.starts_with("switchyard"));
    let report = |name: &String| format!("src/{}/Cargo.toml names {name}", rule.folder);
    let may: BTreeSet<String> = rule
        .may_name
        .iter()
        .map(|name| format!("switchyard-{name}"))
        .collect();
    let mut wrong: Vec<String> = ours.difference(&may).map(report).collect();
    if let Some(external) = rule.external {
        wrong.extend(
            others
                .iter()
                .filter(|name| !external.contains(&name.as_str()))
                .map(report),
        );
    }
    wrong
}

#[test]
fn crates_use_only_permitted_dependencies() {
    let folders: BTreeSet<String> = std::fs::read_dir(project().join("src"))
        .unwrap()
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(
        folders,
        CRATES.iter().map(|rule| rule.folder.to_owned()).collect(),
        "src has other crates than these"
    );
    let manifest =
        |rule: &CrateRule| read(&project().join("src").join(rule.folder).join("Cargo.toml"));
    let wrong: Vec<String> = CRATES
        .iter()
        .flat_map(|rule| forbidden_dependencies(rule, &manifest(rule)))
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
}

/// The paths and macros of [`IMPURE`] that `source` uses.
fn impurities(source: &str) -> Vec<&'static str> {
    let code = without_comments(&without_test_items(source));
    let mut paths = Vec::new();
    for (at, _) in code.match_indices("std::") {
        if !code[..at].ends_with(is_identifier_character) {
            expand(&code[at..], String::new(), &mut paths);
        }
    }
    let is_below = |path: &str, what: &str| {
        path.strip_prefix(what)
            .is_some_and(|rest| !rest.starts_with(is_identifier_character))
    };
    let is_named = |what: &str| match what.strip_suffix('!') {
        Some(_) => code
            .match_indices(what)
            .any(|(at, _)| !code[..at].ends_with(is_identifier_character)),
        None => paths.iter().any(|path| is_below(path, what)),
    };
    IMPURE
        .iter()
        .copied()
        .filter(|what| is_named(what))
        .collect()
}

#[test]
fn pure_crates_are_pure() {
    let mut wrong = Vec::new();
    for folder in PURE {
        for file in files_below(&format!("src/{folder}"), "rs")
            .iter()
            .filter(|file| !is_test_file(file))
        {
            wrong.extend(
                impurities(&read(file))
                    .iter()
                    .map(|what| format!("{} names {what}", relative_path(file))),
            );
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// Each folder with the folders that it imports. `sources` are (path below the crate, text). Files
/// beside the folders, such as `lib.rs`, are above them and not listed.
fn folder_imports<'a>(
    sources: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> BTreeMap<String, BTreeSet<String>> {
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, source) in sources {
        let folder = path.split('/').next().unwrap_or("").trim_end_matches(".rs");
        let code = without_comments(&without_test_items(source));
        for path in paths_from("crate", &code) {
            let other = path.split("::").next().unwrap_or("").to_owned();
            if other != folder && folder != "lib" {
                imports.entry(folder.to_owned()).or_default().insert(other);
            }
        }
    }
    imports
}

/// Pairs of folders that reach each other, directly or through others.
pub(crate) fn find_cycles(imports: &BTreeMap<String, BTreeSet<String>>) -> Vec<(String, String)> {
    let reached = |from: &str| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from.to_owned()]);
        while let Some(folder) = next.pop() {
            next.extend(
                imports
                    .get(&folder)
                    .into_iter()
                    .flatten()
                    .filter(|other| seen.insert((*other).clone()))
                    .cloned(),
            );
        }
        seen
    };
    let reachable: BTreeMap<&String, BTreeSet<String>> = imports
        .keys()
        .map(|folder| (folder, reached(folder)))
        .collect();
    let leads =
        |a: &String, b: &String| reachable.get(a).is_some_and(|folders| folders.contains(b));
    let pairs = reachable
        .keys()
        .flat_map(|a| reachable.keys().map(move |b| (*a, *b)));
    pairs
        .filter(|(a, b)| a < b && leads(a, b) && leads(b, a))
        .map(|(a, b)| (a.clone(), b.clone()))
        .collect()
}

/// The sources of a crate without its tests, each with its path below the crate.
fn sources_of_crate(name: &str) -> Vec<(String, String)> {
    let folder = format!("src/{name}");
    let root = project().join(&folder);
    files_below(&folder, "rs")
        .iter()
        .filter(|file| !is_test_file(file))
        .map(|file| {
            (
                file.strip_prefix(&root).unwrap().display().to_string(),
                read(file),
            )
        })
        .collect()
}

#[test]
fn folders_of_a_crate_have_no_import_cycle() {
    for name in PURE.iter().chain(LAYERED) {
        let sources = sources_of_crate(name);
        let imports = folder_imports(
            sources
                .iter()
                .map(|(path, text)| (path.as_str(), text.as_str())),
        );
        assert_eq!(find_cycles(&imports), Vec::new(), "in {name}");
    }
}

#[test]
fn a_planted_cycle_is_found() {
    let line = [
        ("a/x.rs", "use crate::b::X;"),
        ("b.rs", "fn f() { crate::c::g() }"),
        ("c/mod.rs", ""),
    ];
    assert_eq!(find_cycles(&folder_imports(line)), Vec::new());
    let back = [
        ("c/y.rs", "use crate::{a::x, d};"),
        ("lib.rs", "use crate::a;"),
    ];
    let edge = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(
        find_cycles(&folder_imports(line.into_iter().chain(back))),
        [edge("a", "b"), edge("a", "c"), edge("b", "c")]
    );
    let in_tests = [("c/z.rs", "#[cfg(test)]\nmod tests {\n    use crate::a;\n}")];
    assert_eq!(
        find_cycles(&folder_imports(line.into_iter().chain(in_tests))),
        Vec::new()
    );
}

/// Folders whose files have no import cycles. Add a folder here once it has none.
const WITHOUT_CYCLES: &[&str] = &[
    "bundle/manifests",
    "catalog/diff",
    "catalog/model",
    "catalog/source",
    "catalog/version",
    "session/rendered_catalogs",
    "session/search",
    "session/subset",
    "syntax/document",
    "template/convert",
    "template/render",
    "upgrade/crd",
    "upgrade/resolve",
    "verdict/validate",
    "cli/args",
    "cli/commands",
    "cli/input",
    "cli/lsp",
    "cli/output",
    "cli/serve",
    "cli/write",
];

/// The module of a file, from its path below the crate: its folders and its own name; no name for
/// `mod.rs`.
fn module_of(path: &str) -> Vec<&str> {
    let mut names: Vec<&str> = path.trim_end_matches(".rs").split('/').collect();
    if names.last() == Some(&"mod") {
        names.pop();
    }
    names
}

/// Each file with the files that it imports. `sources` are (path below the crate, text). A path in
/// the code leads to the deepest module that is a file; an item of a folder itself is in its
/// `mod.rs`, which is above its files.
pub(crate) fn file_imports(sources: &[(&str, &str)]) -> BTreeMap<String, BTreeSet<String>> {
    let modules: BTreeMap<Vec<&str>, &str> = sources
        .iter()
        .map(|(path, _)| (module_of(path), *path))
        .collect();
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, source) in sources {
        let code = without_visibility(&without_comments(&without_test_items(source)));
        let here = module_of(path);
        let below = modules.keys().filter(|module| {
            module
                .split_last()
                .is_some_and(|(_, above)| *above == here[..])
        });
        let below = below.filter_map(|module| module.last().copied());
        for root in ["crate", "super", "self"].into_iter().chain(below) {
            for found in paths_from(root, &code) {
                let mut sought: Vec<&str> = if root == "crate" {
                    Vec::new()
                } else {
                    here.clone()
                };
                match root {
                    "crate" | "self" => {}
                    "super" => drop(sought.pop()),
                    child => sought.push(child),
                }
                for segment in found.split("::") {
                    match segment {
                        "super" => drop(sought.pop()),
                        "self" => {}
                        name => sought.push(name),
                    }
                }
                let deepest = (1..=sought.len())
                    .rev()
                    .find_map(|n| modules.get(&sought[..n]));
                if let Some(file) = deepest.filter(|file| *file != path) {
                    imports
                        .entry((*path).to_owned())
                        .or_default()
                        .insert((*file).to_owned());
                }
            }
        }
    }
    imports
}

/// Removes paths that only restrict visibility, such as `pub(in …)`.
fn without_visibility(code: &str) -> String {
    let mut parts = code.split("pub(in ");
    let first = parts.next().unwrap_or("").to_owned();
    parts.fold(first, |kept, part| {
        kept + "pub" + part.split_once(')').map_or("", |(_, rest)| rest)
    })
}

#[test]
fn files_of_these_folders_have_no_import_cycle() {
    let mut without_cycles = Vec::new();
    for name in PURE.iter().chain(LAYERED) {
        let sources = sources_of_crate(name);
        let folders: BTreeSet<&str> = sources
            .iter()
            .filter_map(|(path, _)| Some(path.split_once('/')?.0))
            .collect();
        for folder in folders {
            let inside: Vec<(&str, &str)> = sources
                .iter()
                .filter(|(path, _)| path.split(['/', '.']).next() == Some(folder))
                .map(|(path, text)| (path.as_str(), text.as_str()))
                .collect();
            let found = find_cycles(&file_imports(&inside));
            let folder = format!("{name}/{folder}");
            if found.is_empty() {
                without_cycles.push(folder);
            } else if WITHOUT_CYCLES.contains(&folder.as_str()) {
                panic!("cycles in {folder}: {found:?}");
            }
        }
    }
    assert_eq!(
        without_cycles, WITHOUT_CYCLES,
        "folders without cycles are listed"
    );
}

#[test]
fn a_planted_file_cycle_is_found() {
    let line = [
        (
            "v/mod.rs",
            "mod a;\nmod b;\npub mod n;\npub use a::A;\nfn f() { n::g() }",
        ),
        (
            "v/a.rs",
            "use super::{b::{self, B as C}, n::*};\npub(in crate::v::n) fn g() {}",
        ),
        (
            "v/b.rs",
            "//! [`super::a`] stands above.\nuse crate::v::n::d::D;\n#[cfg(test)]\nmod tests {\n    use super::super::a;\n}",
        ),
        ("v/n/mod.rs", "pub mod d;"),
        ("v/n/d.rs", "use crate::w::x;\nuse std::fmt;"),
    ];
    assert_eq!(find_cycles(&file_imports(&line)), Vec::new());
    let with = |path: &'static str, source: &'static str| {
        let planted = line.map(|(known, text)| (known, if known == path { source } else { text }));
        find_cycles(&file_imports(&planted))
    };
    let edge = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    let (a, b, d, top) = ("v/a.rs", "v/b.rs", "v/n/d.rs", "v/mod.rs");
    assert_eq!(with(b, "use super::a::A;"), [edge(a, b)]);
    assert_eq!(with(d, "fn f() -> super::super::b::B {}"), [edge(b, d)]);
    assert_eq!(
        with(d, "use crate::{w::{x as y, z}, v::b as c};"),
        [edge(b, d)]
    );
    assert_eq!(
        with(b, "use super::A;"),
        [edge(a, b), edge(a, top), edge(b, top)]
    );
}

/// Words that a widget must not contain, because widgets must be usable in any other page.
const CATALOG_TERMS: &[&str] = &[
    "bundle", "catalog", "channel", "deprecat", "operator", "package", "upgrade",
];

/// The words of catalogs in a source, ignoring comments and tests.
fn catalog_terms(source: &str) -> Vec<&'static str> {
    let code = without_comments(&without_test_items(source)).to_lowercase();
    CATALOG_TERMS
        .iter()
        .copied()
        .filter(|word| code.contains(word))
        .collect()
}

#[test]
fn widgets_mention_no_catalog_terms() {
    let files = files_below("src/app/widgets", "rs");
    let found = |file: &std::path::PathBuf| {
        let words = catalog_terms(&read(file));
        (!words.is_empty()).then(|| format!("{} has {words:?}", relative_path(file)))
    };
    assert_eq!(
        files.iter().filter_map(found).collect::<Vec<_>>(),
        Vec::<String>::new()
    );
    assert_eq!(
        catalog_terms("// of a bundle\nfn f() {}\n#[cfg(test)]\nmod tests {\n    use catalog;\n}"),
        [""; 0]
    );
    assert_eq!(
        catalog_terms("let label = \"New Channel\"; // x"),
        ["channel"]
    );
}

#[test]
fn widgets_import_only_widgets_the_browser_memos_and_counts() {
    let mut wrong = Vec::new();
    for file in files_below("src/app/widgets", "rs") {
        let code = without_comments(&read(&file));
        let beyond = |path: &String| {
            !["widgets", "browser", "reactive"]
                .iter()
                .any(|may| path.split("::").next() == Some(*may))
        };
        wrong.extend(
            paths_from("crate", &code)
                .iter()
                .filter(|p| beyond(p))
                .map(|p| format!("{} names {p}", relative_path(&file))),
        );
        // The wording of counts must not know what is counted.
        let of_protocol = code
            .match_indices("protocol::")
            .filter(|(at, _)| !code[*at..].starts_with("protocol::counting::"));
        if of_protocol.count() > 0 {
            wrong.push(format!("{} names the protocol", relative_path(&file)));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

pub(crate) fn without_comments(source: &str) -> String {
    source
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Whether it is a `tests.rs`, a `testing.rs` with shared helpers, or a file of a `tests` folder.
pub(crate) fn is_test_file(file: &Path) -> bool {
    file.iter().any(|part| part == "tests")
        || file.file_stem().is_some_and(|s| {
            s == "tests" || s == "testing" || s.to_string_lossy().ends_with("_tests")
        })
}

/// Removes items marked `#[cfg(test)]` from a source; the items after them stay.
pub(crate) fn without_test_items(source: &str) -> String {
    let mut kept = Vec::new();
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        if line.trim_start() != "#[cfg(test)]" {
            kept.push(line);
            continue;
        }
        let indent = &line[..line.len() - line.trim_start().len()];
        let mut is_open = false;
        for line in lines.by_ref() {
            let is_whole = !is_open && (line.ends_with(';') || line.ends_with('}'));
            is_open |= line.ends_with('{');
            if is_whole
                || is_open
                    && line
                        .strip_prefix(indent)
                        .is_some_and(|rest| rest.starts_with('}'))
            {
                break;
            }
        }
    }
    kept.join("\n")
}

/// Paths that code imports below `root`: `crate::a::{b::c, d}` gives `a::b::c` and `a::d`.
fn paths_from(root: &str, source: &str) -> Vec<String> {
    let start = format!("{root}::");
    let mut out = Vec::new();
    for (at, _) in source.match_indices(&start) {
        if !source[..at].ends_with(is_identifier_character) && !source[..at].ends_with("::") {
            expand(&source[at + start.len()..], String::new(), &mut out);
        }
    }
    out
}

/// Expands one use tree; returns the rest of the text.
fn expand<'a>(text: &'a str, prefix: String, out: &mut Vec<String>) -> &'a str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = expand(rest, prefix.clone(), out).trim_start();
            match rest.strip_prefix(',') {
                Some(more) if !more.trim_start().starts_with('}') => rest = more,
                more => {
                    return more
                        .unwrap_or(rest)
                        .trim_start()
                        .strip_prefix('}')
                        .unwrap_or("");
                }
            }
        }
    }
    let end = text
        .find(|c: char| !is_identifier_character(c))
        .unwrap_or(text.len());
    let path = if prefix.is_empty() {
        text[..end].to_owned()
    } else {
        format!("{prefix}::{}", &text[..end])
    };
    match text[end..].strip_prefix("::") {
        Some(rest) => expand(rest, path, out),
        None => {
            out.push(path);
            let rest = text[end..].strip_prefix('*').unwrap_or(&text[end..]);
            rest.trim_start().strip_prefix("as ").map_or(rest, |name| {
                name.trim_start_matches(is_identifier_character)
            })
        }
    }
}

fn is_identifier_character(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[test]
fn use_trees_are_read_completely() {
    let mut found = paths_from(
        "crate",
        "use crate::a::{b::{c, d as x}, e, g::*, h};\nlet x = crate::f::g();",
    );
    found.sort();
    assert_eq!(
        found,
        ["a::b::c", "a::b::d", "a::e", "a::g::", "a::h", "f::g"]
    );
}

#[test]
fn planted_violations_are_found() {
    let planted: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("use std::fs;", &["std::fs"][..]),
        ("use std::{collections::BTreeMap, fs::File};", &["std::fs"]),
        (
            "use std::time::{Duration, Instant};",
            &["std::time::Instant"],
        ),
        (
            "#[cfg(test)]\nmod tests;\n\nfn late() {\n    std::thread::yield_now();\n}",
            &["std::thread"],
        ),
        (
            "#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n\nfn late() {\n    println!(\"x\");\n}",
            &["println!"],
        ),
        (
            "#[cfg(test)]\nmod tests {\n    use std::fs;\n    fn f() {\n    }\n}",
            &[],
        ),
        ("#[cfg(test)]\nuse std::fs;\nuse std::fmt;", &[]),
        (
            "use std::time::Duration;\nuse std::fmt; // not std::fs",
            &["std::fs"],
        ),
        ("// std::fs is not used here", &[]),
        ("let my_print!(x);", &[]),
    ]);
    for (source, wrong) in planted {
        assert_eq!(impurities(source), wrong, "{source}");
    }
    let rule = CrateRule {
        folder: "x",
        may_name: &["protocol"],
        external: Some(&["serde"]),
    };
    let manifest = "[dependencies]\nserde.workspace = true\nleptos = \"1\"\nswitchyard-protocol.workspace = true\n\
        switchyard-app = { path = \"../app\" }\n[dev-dependencies]\nproptest.workspace = true\n\
        [target.'cfg(unix)'.dependencies]\nrustix.workspace = true\n";
    let expected: Vec<String> = ["switchyard-app", "leptos", "rustix"]
        .map(|n| format!("src/x/Cargo.toml names {n}"))
        .into();
    assert_eq!(forbidden_dependencies(&rule, manifest), expected);
}
