//! Live regions are few: each is read on its own, in an order that nobody chose. What has something to say writes into the
//! page's own ones (`src/app/widgets/announce.rs`).

use crate::tidy::is_test_file;
use test_support::{files_below, project, read};

/// The files of the page that have live regions, and how many. Beside the page's polite and urgent ones and the dialog's,
/// these are kept since they are asked for by name: the verdict, the messages, what is selected together, what the editor
/// says of its text, and what a drop would do.
const REGIONS: &[(&str, usize)] = &[
    ("features/graph/drag.rs", 1),
    ("panels/banners.rs", 3),
    ("panels/inspector.rs", 1),
    ("panels/status_bar.rs", 1),
    ("widgets/editor/draw.rs", 1),
    ("widgets/toast.rs", 1),
];

const MOST: usize = 8;

/// How many elements of a source are live regions.
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
    assert_eq!(found, known, "say it with `widgets::announce`");
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
        live_regions("// role=\"status\" is said once\n<footer class=\"status\">"),
        0
    );
}
