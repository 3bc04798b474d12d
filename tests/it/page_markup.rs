//! The markup of the page: style sheets define exactly the classes that it uses, and it has few
//! live regions. Screen readers read several regions in an unpredictable order, so messages belong
//! in the page's own regions (`src/app/widgets/announce.rs`).

use crate::walls::{is_test_file, without_test_items};
use std::collections::{BTreeMap, BTreeSet};
use test_support::{files_below, project, read, relative_path};

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

/// The files of the page with live regions, and their number. Besides the polite and urgent regions
/// of the page and those of dialogs, users look up these by name: the verdict, the messages, the
/// selection, the editor's message, and the effect of a drop.
const REGIONS: &[(&str, usize)] = &[
    ("features/graph/drag_view.rs", 1),
    ("panels/banners.rs", 3),
    ("panels/inspector.rs", 1),
    ("panels/status_bar.rs", 1),
    ("widgets/editor/draw.rs", 1),
    ("widgets/toast.rs", 1),
];

const MOST: usize = 8;

/// The number of live regions in a source.
fn live_regions(text: &str) -> usize {
    let is_region = |line: &&str| {
        let has_role = ["status", "alert", "log", "timer"]
            .iter()
            .any(|role| line.contains(&format!("role=\"{role}\"")));
        let is_code = !line.trim_start().starts_with("//");
        is_code
            && (has_role
                || line.contains("aria-live=")
                || (line.contains("role=if") && line.contains("\"alert\"")))
    };
    text.lines().filter(is_region).count()
}

#[test]
fn the_page_has_few_live_regions() {
    let folder = project().join("src/app");
    let sources = files_below("src/app", "rs");
    let found: Vec<(String, usize)> = sources
        .iter()
        .filter(|file| !is_test_file(file))
        .map(|file| {
            (
                file.strip_prefix(&folder).unwrap().display().to_string(),
                live_regions(&read(file)),
            )
        })
        .filter(|(_, count)| *count > 0)
        .collect();
    let known: Vec<(String, usize)> = REGIONS
        .iter()
        .map(|(file, count)| ((*file).to_owned(), *count))
        .collect();
    assert_eq!(found, known, "announce it with `widgets::announce`");
    assert!(found.iter().map(|(_, count)| count).sum::<usize>() <= MOST);
}

#[test]
fn a_planted_live_region_is_found() {
    for line in [
        "<p role=\"status\">",
        "<div aria-live=\"polite\">",
        "<div role=if is_calm { \"status\" } else { \"alert\" }>",
        "<div class=\"x\" role=\"alert\" data-tone=\"error\">",
    ] {
        assert_eq!(live_regions(line), 1, "{line}");
    }
    assert_eq!(
        live_regions("// role=\"status\" is announced once\n<footer class=\"status\">"),
        0
    );
}
