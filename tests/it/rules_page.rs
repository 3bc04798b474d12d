//! The page of all rules, `docs/rules.md`, written from the documentation of the rules.

use catalog::diff::text_diff;
use repository::rules;
use serde_json::Value;
use std::path::Path;
use test_support::switchyard;
use verdict::validate::explain::documents;
use verdict::validate::{Content, Example, RuleDoc};

/// Most lines of the page: it shows differences, not whole catalogs.
const MOST_LINES: usize = 2600;

/// `UPDATE_EXPECT=1` updates the page.
#[test]
fn the_page_of_rules_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules.md");
    let page = render_page();
    expect_test::expect_file![path].assert_eq(&page);
    let sections: Vec<&str> = page.split("\n### ").skip(1).collect();
    for section in &sections {
        let example = section
            .split_once("```diff\n")
            .map_or("", |(_, example)| example);
        assert!(
            example.starts_with(['-', '+', '@', ' ']) && section.contains("- Fix: "),
            "{section}"
        );
    }
    let explained = switchyard().args(["explain", "-o", "json"]).output();
    let explained: Value = serde_json::from_slice(&explained.unwrap().stdout).unwrap();
    let rules = explained["rules"].as_array().unwrap();
    // The invariants of `diff` have a page of their own.
    let documented = rules.iter().filter(|rule| rule["of"] != "diff");
    assert_eq!(sections.len(), documented.count());
    assert!(
        page.lines().count() < MOST_LINES,
        "docs/rules.md has {} lines",
        page.lines().count()
    );
}

/// Files with more lines are not shown in full.
const MAX_SHOWN_LINES: usize = 6;

const PAGE_INTRODUCTION: &str = "# Rules

What `switchyard validate` checks. The rules of `opm` decide the verdict and are always checked. Advice is Switchyard's own
and never changes the verdict. Each profile (`opm`, `community`, `strict`) includes the rules of the one before it;
[configuration.md](configuration.md) says how to choose a profile, turn a rule off or suppress a problem.

In the examples, `-` marks the lines that have the problem, `+` the lines that fix it, and `@@` the file or blob they are in.
`switchyard explain RULE` prints the whole catalogs. At the end are the findings in [operator repositories](#operator-repositories). A test
writes this page, and the examples are tests.
";

const REPOSITORY_SECTION: &str = "
## Operator repositories

What `switchyard repo check` finds in `ci.yaml`, `release-config.yaml` and `config.yaml`. Names that begin with `check_` are the
pipeline's own; the others are what it does silently. No profile turns them off; the pipeline's `config.yaml` does.

| rule | severity | |
|---|---|---|
";

/// A file of an example, with the part of its content to show.
struct DisplayedFile {
    path: &'static str,
    content: String,
}

/// Returns the files of an example in path order, after the published state if the example is a
/// change.
fn displayed_files(example: &Example) -> Vec<DisplayedFile> {
    let before = example.before().map(|text| DisplayedFile {
        path: "as it was published",
        content: text.to_owned(),
    });
    let files = example.files().into_iter();
    let files = files.map(|(path, content)| DisplayedFile {
        path,
        content: display_content(content),
    });
    before.into_iter().chain(files).collect()
}

fn finding_files(example: &'static [(&'static str, &'static str)]) -> Vec<DisplayedFile> {
    example
        .iter()
        .map(|(path, text)| DisplayedFile {
            path,
            content: (*text).to_owned(),
        })
        .collect()
}

fn display_content(content: Content) -> String {
    match content {
        Content::Text(text) => text.to_owned(),
        Content::Repeated(text, times) => format!("{text}{text}{text}... ({times} times)"),
        Content::LinkToDirectory => "(a link to a folder)".to_owned(),
        Content::BrokenLink => "(a broken link)".to_owned(),
        Content::Unreadable(reason) => format!("(cannot be read: {reason})"),
    }
}

/// Formats `opm`'s message as code in a line of Markdown.
fn inline_code(message: &str) -> String {
    let fence = if message.contains('`') { "``" } else { "`" };
    format!("{fence}{}{fence}", message.trim_end().replace('\n', " "))
}

fn render_page() -> String {
    let mut text = PAGE_INTRODUCTION.to_owned();
    for (title, is_opms) in [("Rules of opm", true), ("Advice", false)] {
        let docs: Vec<&RuleDoc> = documents().filter(|doc| doc.opm == is_opms).collect();
        text.push_str(&format!("\n## {title}\n\n"));
        text.push_str("| rule | profile | severity | |\n|---|---|---|---|\n");
        for doc in &docs {
            let (id, severity) = (doc.id, doc.severity.name());
            text.push_str(&format!(
                "| [{id}](#{id}) | {} | {severity} | {} |\n",
                doc.profile.name(),
                doc.summary
            ));
        }
        for doc in docs {
            let mut facts = String::new();
            if let Some(since) = doc.since {
                facts.push_str(&format!("- Refused since opm {since}\n"));
            }
            if !doc.opm_message.is_empty() {
                facts.push_str(&format!("- `opm` says: {}\n", inline_code(doc.opm_message)));
            }
            text.push_str(&section(
                [doc.id, doc.summary, doc.why, doc.fix],
                &facts,
                &shortest_difference(doc),
            ));
        }
    }
    text.push_str(REPOSITORY_SECTION);
    for rule in rules::ALL {
        text.push_str(&format!(
            "| [{0}](#{0}) | {1} | {2} |\n",
            rule.id,
            rule.severity.name(),
            rule.summary
        ));
    }
    for rule in rules::ALL {
        let difference = format_difference(finding_files(rule.bad), &finding_files(rule.good));
        let texts = [rule.id, rule.summary, rule.why, rule.fix];
        text.push_str(&section(texts, "", &difference));
    }
    text
}

fn section([id, summary, why, fix]: [&str; 4], facts: &str, difference: &str) -> String {
    format!("\n### {id}\n\n{summary} {why}\n\n- Fix: {fix}\n{facts}\n```diff\n{difference}```\n")
}

/// Returns the shortest difference between a bad and a good example, preferably with the same
/// files.
fn shortest_difference(doc: &RuleDoc) -> String {
    let reverted = doc.bad.iter().filter_map(difference_from_published);
    if let Some(shortest) = reverted.min_by_key(|text| text.lines().count()) {
        return shortest;
    }
    let mut shortest: Option<((bool, usize), String)> = None;
    for bad in doc.bad {
        for good in doc.good {
            let text = difference(bad, good);
            let rank = (has_other_files(bad, good), text.lines().count());
            if shortest.as_ref().is_none_or(|(best, _)| rank < *best) {
                shortest = Some((rank, text));
            }
        }
    }
    shortest.map(|(_, text)| text).unwrap_or_default()
}

fn has_other_files(bad: &Example, good: &Example) -> bool {
    let (bad, good) = (bad.files(), good.files());
    !bad.into_iter()
        .map(|(path, _)| path)
        .eq(good.into_iter().map(|(path, _)| path))
}

/// Returns the difference of an example from the published state; `None` if the example is not a
/// change.
fn difference_from_published(bad: &Example) -> Option<String> {
    let Example::Changed { before, now } = *bad else {
        return None;
    };
    Some(difference(
        &Example::Catalog(now),
        &Example::Catalog(before),
    ))
}

fn difference(bad: &Example, good: &Example) -> String {
    format_difference(displayed_files(bad), &displayed_files(good))
}

/// Formats the differing lines of two examples. `-` marks those of the bad one.
fn format_difference(mut bad: Vec<DisplayedFile>, good: &[DisplayedFile]) -> String {
    let mut text = String::new();
    if let ([old], [new]) = (&mut bad[..], good)
        && old.path != new.path
    {
        text.push_str(&format!("-{}\n+{}\n", old.path, new.path));
        old.path = new.path;
    }
    let mut paths: Vec<&str> = bad.iter().chain(good).map(|file| file.path).collect();
    paths.sort_unstable();
    paths.dedup();
    for path in &paths {
        let heading = (paths.len() > 1).then_some(*path);
        push_file_difference(
            &mut text,
            path,
            heading,
            &text_of_file(&bad, path),
            &text_of_file(good, path),
        );
    }
    text
}

/// Appends the differing lines of a file. `heading` is its path if there are several files.
fn push_file_difference(
    text: &mut String,
    path: &str,
    heading: Option<&str>,
    old: &str,
    new: &str,
) {
    // The good example has a whole catalog that the bad one lacks: the problem is in another file.
    if old.is_empty() && new.lines().count() > MAX_SHOWN_LINES {
        return;
    }
    // Show the text itself: the example shows an ignored or omitted file.
    if old == new && old.lines().count() <= MAX_SHOWN_LINES {
        text.push_str(&format!("@@ {path} @@\n{}", indent(old)));
        return;
    }
    for hunk in text_diff(old.as_bytes(), new.as_bytes(), 1) {
        let mut bytes = Vec::new();
        hunk.write(&mut bytes);
        let hunk_text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = hunk_text
            .lines()
            .skip(1)
            .filter(|line| *line != " ---")
            .collect();
        let has_schema = lines.iter().any(|line| line[1..].starts_with("schema:"));
        let blob = blob_around(new, hunk.new_start as usize).filter(|_| !has_schema);
        let location: Vec<&str> = heading.into_iter().chain(blob.as_deref()).collect();
        if !location.is_empty() {
            text.push_str(&format!("@@ {} @@\n", location.join(": ")));
        }
        for line in lines {
            text.push_str(&format!("{line}\n"));
        }
    }
}

fn text_of_file(files: &[DisplayedFile], path: &str) -> String {
    let file = files.iter().find(|file| file.path == path);
    file.map(|file| end_with_line_break(&file.content))
        .unwrap_or_default()
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!(" {line}\n")).collect()
}

fn end_with_line_break(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') {
        text.to_owned()
    } else {
        format!("{text}\n")
    }
}

/// Returns schema and name of the YAML blob that contains this line, numbered from 1.
fn blob_around(text: &str, line: usize) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let index = line.checked_sub(1)?.min(lines.len().checked_sub(1)?);
    let start = lines[..=index]
        .iter()
        .rposition(|line| line.starts_with("---"))
        .map_or(0, |separator| separator + 1);
    let blob = lines[start..]
        .iter()
        .take_while(|line| !line.starts_with("---"));
    let field = |key: &str| {
        blob.clone()
            .find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
    };
    let schema = field("schema")?;
    Some(field("name").map_or_else(|| schema.to_owned(), |name| format!("{schema} {name}")))
}
