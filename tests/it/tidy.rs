//! The project's own rules about its sources: forbidden names, and consistent CSS classes.

use crate::walls::without_test_items;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use test_support::{files_below, project, read, relative_path};

#[test]
fn modules_start_with_their_purpose() {
    let silent: Vec<String> = files_below("src", "rs")
        .into_iter()
        .filter(|f| !read(f).starts_with("//!"))
        .map(|f| relative_path(&f))
        .collect();
    assert_eq!(silent, Vec::<String>::new());
}

#[test]
fn every_suite_is_run() {
    let main = read(&project().join("tests/it/main.rs"));
    for file in files_below("tests/it", "rs") {
        let Some(name) = file
            .strip_prefix(project().join("tests/it"))
            .ok()
            .and_then(|p| p.iter().next())
            .map(|p| p.to_string_lossy().trim_end_matches(".rs").to_owned())
        else {
            continue;
        };
        assert!(
            name == "main" || main.contains(&format!("mod {name};")),
            "tests/it/{name} is not in tests/it/main.rs"
        );
    }
}

#[test]
fn no_file_names_this_machine() {
    // Assembled from parts, so that this file does not contain them.
    let parts = [
        ["/wo", "rk/"],
        ["/ro", "ot/"],
        ["artif", "actory"],
        [".lib", "rary"],
    ]
    .map(|p| p.concat());
    let mut wrong = Vec::new();
    for (dir, extension) in [
        ("src", "rs"),
        ("tests/it", "rs"),
        ("tests/e2e", "ts"),
        ("tests/e2e", "mjs"),
        ("style", "css"),
        ("docs", "md"),
    ] {
        for file in files_below(dir, extension) {
            let text = read(&file);
            wrong.extend(
                parts
                    .iter()
                    .filter(|part| text.contains(*part))
                    .map(|w| format!("{}: {w}", relative_path(&file))),
            );
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// The style sheets define exactly the classes that the sources use.
#[test]
fn classes_used_and_defined_are_the_same() {
    let mut defined = BTreeSet::new();
    for file in files_below("style", "css") {
        let css = strip(&read(&file), "/*", "*/");
        for (at, _) in css.match_indices('.') {
            let name: String = css[at + 1..]
                .chars()
                .take_while(|c| c.is_alphanumeric() || "-_".contains(*c))
                .collect();
            let is_class = name.starts_with(|c: char| c.is_ascii_alphabetic())
                && !css[..at].ends_with(|c: char| c.is_ascii_digit());
            if is_class {
                defined.insert(name);
            }
        }
    }
    let mut words: BTreeMap<String, String> = BTreeMap::new();
    let mut used = BTreeMap::new();
    let sources = files_below("src/app", "rs").into_iter().chain([
        project().join("index.html"),
        project().join("public/boot.js"),
    ]);
    for file in sources {
        let text = without_test_items(&read(&file));
        for word in text.split(|c: char| !(c.is_alphanumeric() || "-_".contains(c))) {
            words.insert(word.to_owned(), relative_path(&file));
        }
        for (at, opening) in text.match_indices("class=\"") {
            let value: String = text[at + opening.len()..]
                .chars()
                .take_while(|c| *c != '"')
                .collect();
            used.extend(
                value
                    .split_whitespace()
                    .map(|c| (c.to_owned(), relative_path(&file))),
            );
        }
        for (at, opening) in text.match_indices("class:") {
            let value: String = text[at + opening.len()..]
                .chars()
                .take_while(|c| c.is_alphanumeric() || "-_".contains(*c))
                .collect();
            used.insert(value, relative_path(&file));
        }
    }
    used.remove("");
    let undefined: Vec<_> = used.iter().filter(|(c, _)| !defined.contains(*c)).collect();
    assert!(undefined.is_empty(), "used and not defined: {undefined:?}");
    let unused: Vec<_> = defined.iter().filter(|c| !words.contains_key(*c)).collect();
    assert!(unused.is_empty(), "defined and not used: {unused:?}");
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

fn strip(text: &str, open: &str, close: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(open) {
        out.push_str(&rest[..at]);
        rest = rest[at..]
            .find(close)
            .map_or("", |end| &rest[at + end + close.len()..]);
    }
    out + rest
}
