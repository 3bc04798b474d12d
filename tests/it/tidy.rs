//! The project's own rules about its sources: who may import whom, how long a file is, what may not be named.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Most lines a source file may have; it should have one subject and about 500.
const MOST_LINES: usize = 600;

fn project() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files_below(dir: &str, extension: &str) -> Vec<PathBuf> {
    fn walk(dir: &Path, extension: &str, out: &mut Vec<PathBuf>) {
        let mut entries: Vec<_> = std::fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() && !path.is_symlink() {
                walk(&path, extension, out);
            } else if path.extension().is_some_and(|e| e == extension) {
                out.push(path);
            }
        }
    }
    let mut out = Vec::new();
    walk(&project().join(dir), extension, &mut out);
    assert!(!out.is_empty(), "no .{extension} below {dir}");
    out
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn shown(path: &Path) -> String {
    path.strip_prefix(project()).unwrap_or(path).display().to_string()
}

/// Paths that a line of code names below `crate::`: `crate::a::{b::c, d}` gives `a::b::c` and `a::d`.
fn crate_paths(source: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (at, _) in source.match_indices("crate::") {
        if source[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        expand(&source[at + "crate::".len()..], String::new(), &mut out);
    }
    out
}

/// Expands one use tree; gives the rest of the text.
fn expand<'a>(text: &'a str, prefix: String, out: &mut Vec<String>) -> &'a str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = expand(rest, prefix.clone(), out).trim_start();
            match rest.strip_prefix(',') {
                Some(more) if !more.trim_start().starts_with('}') => rest = more,
                more => return more.unwrap_or(rest).trim_start().strip_prefix('}').unwrap_or(""),
            }
        }
    }
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    let path = if prefix.is_empty() { text[..end].to_owned() } else { format!("{prefix}::{}", &text[..end]) };
    match text[end..].strip_prefix("::") {
        Some(rest) => expand(rest, path, out),
        None => {
            out.push(path);
            &text[end..]
        }
    }
}

/// The world a file belongs to, and what that world may name.
fn allowed(world: &str) -> &'static [&'static str] {
    match world {
        "fbc" => &["fbc"],
        "protocol" => &["protocol", "fbc::edit::op", "fbc::diagnostic"],
        "worker" => &["worker", "fbc", "protocol"],
        "app" => &["app", "protocol", "fbc::edit::op", "fbc::diagnostic"],
        "cli" => &["cli", "fbc"],
        other => panic!("src/{other} is no world of ours: name it here and in ARCHITECTURE.md"),
    }
}

/// The tool `cargo dev` is a package of its own, whose walls the compiler keeps.
#[test]
fn worlds_import_only_what_they_may() {
    let mut wrong = Vec::new();
    for file in files_below("src", "rs") {
        let relative = shown(&file);
        let mut parts = relative.split('/').skip(1);
        let world = parts.next().unwrap_or("");
        if ["bin", "dev"].contains(&world) || world.ends_with(".rs") {
            continue;
        }
        for path in crate_paths(&without_comments(&read(&file))) {
            if !allowed(world).iter().any(|may| path == *may || path.starts_with(&format!("{may}::"))) {
                wrong.push(format!("{relative} names crate::{path}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn widgets_know_no_domain_and_panels_do_not_import_each_other() {
    let mut wrong = Vec::new();
    for file in files_below("src/app", "rs") {
        let relative = shown(&file);
        for path in crate_paths(&without_comments(&read(&file))) {
            let is_widget = relative.starts_with("src/app/widgets/");
            if is_widget && !path.starts_with("app::widgets") && !path.starts_with("app::browser") {
                wrong.push(format!("{relative} names crate::{path}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn the_library_is_pure() {
    const FORBIDDEN: &[&str] = &[
        "std::fs",
        "std::env",
        "std::process",
        "std::thread",
        "std::net",
        "std::time::Instant",
        "std::time::SystemTime",
        "println!(",
        "eprintln!(",
        "print!(",
        "dbg!(",
        "web_sys",
        "js_sys",
        "wasm_bindgen",
        "leptos",
        "gloo",
        "rand::",
    ];
    let mut wrong = Vec::new();
    for file in files_below("src/fbc", "rs") {
        if is_test_file(&file) {
            continue;
        }
        let source = without_tests(&without_comments(&read(&file)));
        for word in FORBIDDEN {
            if source.contains(word) {
                wrong.push(format!("{} uses {word}", shown(&file)));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn modules_open_with_what_they_are_for() {
    let silent: Vec<String> =
        files_below("src", "rs").into_iter().filter(|f| !read(f).starts_with("//!")).map(|f| shown(&f)).collect();
    assert_eq!(silent, Vec::<String>::new());
}

#[test]
fn files_have_one_subject() {
    let mut long = Vec::new();
    for (dir, extension) in [("src", "rs"), ("tests", "rs"), ("style", "css")] {
        for file in files_below(dir, extension) {
            let lines = read(&file).lines().count();
            if lines > MOST_LINES {
                long.push(format!("{} has {lines} lines", shown(&file)));
            }
        }
    }
    assert_eq!(long, Vec::<String>::new());
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
        assert!(name == "main" || main.contains(&format!("mod {name};")), "tests/it/{name} is not in tests/it/main.rs");
    }
}

#[test]
fn nothing_names_this_machine() {
    // Put together from parts, so that this file does not name them either.
    let words = [["/wo", "rk/"], ["/ro", "ot/"], ["artif", "actory"], [".lib", "rary"]].map(|p| p.concat());
    let mut wrong = Vec::new();
    for (dir, extension) in
        [("src", "rs"), ("tests/it", "rs"), ("tests/e2e", "ts"), ("tests/e2e", "mjs"), ("style", "css"), ("docs", "md")]
    {
        for file in files_below(dir, extension) {
            let text = read(&file);
            wrong.extend(words.iter().filter(|w| text.contains(*w)).map(|w| format!("{}: {w}", shown(&file))));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// Classes that the style sheets define and that the sources give to elements are the same.
#[test]
fn classes_used_and_defined_are_the_same() {
    let mut defined = BTreeSet::new();
    for file in files_below("style", "css") {
        let css = strip(&read(&file), "/*", "*/");
        for (at, _) in css.match_indices('.') {
            let name: String = css[at + 1..].chars().take_while(|c| c.is_alphanumeric() || "-_".contains(*c)).collect();
            let is_class = name.starts_with(|c: char| c.is_ascii_alphabetic())
                && !css[..at].ends_with(|c: char| c.is_ascii_digit());
            if is_class {
                defined.insert(name);
            }
        }
    }
    let mut words: BTreeMap<String, String> = BTreeMap::new();
    let mut used = BTreeMap::new();
    let sources = files_below("src/app", "rs")
        .into_iter()
        .chain([project().join("index.html"), project().join("public/boot.js")]);
    for file in sources {
        let text = without_tests(&read(&file));
        for word in text.split(|c: char| !(c.is_alphanumeric() || "-_".contains(c))) {
            words.insert(word.to_owned(), shown(&file));
        }
        for (at, opening) in text.match_indices("class=\"") {
            let value: String = text[at + opening.len()..].chars().take_while(|c| *c != '"').collect();
            used.extend(value.split_whitespace().map(|c| (c.to_owned(), shown(&file))));
        }
        for (at, opening) in text.match_indices("class:") {
            let value: String =
                text[at + opening.len()..].chars().take_while(|c| c.is_alphanumeric() || "-_".contains(*c)).collect();
            used.insert(value, shown(&file));
        }
    }
    used.remove("");
    let undefined: Vec<_> = used.iter().filter(|(c, _)| !defined.contains(*c)).collect();
    assert!(undefined.is_empty(), "used and not defined: {undefined:?}");
    let unused: Vec<_> = defined.iter().filter(|c| !words.contains_key(*c)).collect();
    assert!(unused.is_empty(), "defined and not used: {unused:?}");
}

fn without_comments(source: &str) -> String {
    source.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// `tests.rs` beside what it tests, `testing.rs` with what several of them share, or a file of a `tests` folder.
fn is_test_file(file: &Path) -> bool {
    file.iter().any(|part| part == "tests")
        || file.file_stem().is_some_and(|s| s == "tests" || s == "testing" || s.to_string_lossy().ends_with("_tests"))
}

/// A source up to its unit tests.
fn without_tests(source: &str) -> String {
    source.split("#[cfg(test)]").next().unwrap_or("").to_owned()
}

fn strip(text: &str, open: &str, close: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(open) {
        out.push_str(&rest[..at]);
        rest = rest[at..].find(close).map_or("", |end| &rest[at + end + close.len()..]);
    }
    out + rest
}

#[test]
fn use_trees_are_read_whole() {
    let mut found = crate_paths("use crate::a::{b::{c, d}, e};\nlet x = crate::f::g();");
    found.sort();
    assert_eq!(found, ["a::b::c", "a::b::d", "a::e", "f::g"]);
}
