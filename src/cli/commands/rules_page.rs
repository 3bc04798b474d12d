//! The page of all rules, `docs/rules.md`: the problem, the reason, the fix, and the differing lines of an example.

use super::explain::{said_by_opm, shown_files};
use fbc::diff::text_diff;
use fbc::repository::rules;
use fbc::validate::explain::documents;
use fbc::validate::{Example, RuleDoc};

const HEADING: &str = "# Rules

What `switchyard validate` checks. The rules of `opm` decide the verdict and are always checked. Advice is Switchyard's own
and never changes the verdict. Each profile (`opm`, `community`, `strict`) includes the rules of the one before it;
[configuration.md](configuration.md) says how to choose a profile, turn a rule off or suppress a problem.

In the examples, `-` marks the lines that have the problem, `+` the lines that fix it, and `@@` the file or blob they are in.
`switchyard explain RULE` prints the whole catalogs. At the end are the findings in [operator repositories](#operator-repositories). This page is written by `switchyard explain --format markdown`, and its
examples are tests.
";

pub(super) fn page() -> String {
    let mut text = HEADING.to_owned();
    for (title, of_opm) in [("Rules of opm", true), ("Advice", false)] {
        let docs: Vec<&RuleDoc> = documents().filter(|d| d.opm == of_opm).collect();
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
            section(&mut text, doc);
        }
    }
    text.push_str(REPOSITORIES);
    for rule in rules::ALL {
        text.push_str(&format!(
            "| [{0}](#{0}) | {1} | {2} |\n",
            rule.id,
            rule.severity.name(),
            rule.summary
        ));
    }
    for rule in rules::ALL {
        text.push_str(&format!(
            "\n### {}\n\n{} {}\n\n- Fix: {}\n",
            rule.id, rule.summary, rule.why, rule.fix
        ));
        let files = |of: &'static [(&'static str, &'static str)]| {
            of.iter()
                .map(|(path, text)| (*path, (*text).to_owned()))
                .collect::<Vec<_>>()
        };
        text.push_str(&format!(
            "\n```diff\n{}```\n",
            difference_of(files(rule.bad), files(rule.good))
        ));
    }
    text
}

const REPOSITORIES: &str = "
## Operator repositories

What `switchyard repo check` finds in `ci.yaml`, `release-config.yaml` and `config.yaml`. Names that begin with `check_` are the
pipeline's own; the others are what it does without a word. No profile turns them off; the pipeline's `config.yaml` does.

| rule | severity | |
|---|---|---|
";

fn section(text: &mut String, doc: &RuleDoc) {
    text.push_str(&format!(
        "\n### {}\n\n{} {}\n\n- Fix: {}\n",
        doc.id, doc.summary, doc.why, doc.fix
    ));
    if let Some(since) = doc.since {
        text.push_str(&format!("- Refused since opm {since}\n"));
    }
    if !doc.opm_message.is_empty() {
        text.push_str(&format!("- `opm` says: {}\n", said_by_opm(doc.opm_message)));
    }
    text.push_str(&format!("\n```diff\n{}```\n", shortest_difference(doc)));
}

/// The differing lines of the most similar pair of a bad and a good example; preferably of the same files.
fn shortest_difference(doc: &RuleDoc) -> String {
    let undone = doc
        .bad
        .iter()
        .filter_map(change)
        .min_by_key(|text| text.lines().count());
    if let Some(undone) = undone {
        return undone;
    }
    let pairs = doc
        .bad
        .iter()
        .flat_map(|bad| doc.good.iter().map(move |good| (bad, good)));
    let of_other_files = |bad: &Example, good: &Example| {
        let paths = |example: &Example| {
            example
                .paths()
                .into_iter()
                .map(|(path, _)| path)
                .collect::<Vec<_>>()
        };
        paths(bad) != paths(good)
    };
    let differences = pairs.map(|(bad, good)| (of_other_files(bad, good), difference(bad, good)));
    differences
        .min_by_key(|(other, text)| (*other, text.lines().count()))
        .map(|(_, text)| text)
        .unwrap_or_default()
}

/// For an example that is a change: its difference from the published state.
fn change(bad: &Example) -> Option<String> {
    let Example::Changed { before, now } = *bad else {
        return None;
    };
    Some(difference(
        &Example::Catalog(now),
        &Example::Catalog(before),
    ))
}

fn difference(bad: &Example, good: &Example) -> String {
    difference_of(shown_files(bad), shown_files(good))
}

type ShownFiles = Vec<(&'static str, String)>;

fn difference_of(mut bad: ShownFiles, good: ShownFiles) -> String {
    let mut out = String::new();
    if let (&[(from, _)], &[(to, _)]) = (&bad[..], &good[..])
        && from != to
    {
        out.push_str(&format!("-{from}\n+{to}\n"));
        bad[0].0 = to;
    }
    let mut paths: Vec<&str> = bad.iter().chain(&good).map(|(path, _)| *path).collect();
    paths.sort_unstable();
    paths.dedup();
    let text_of = |files: &[(&'static str, String)], path: &str| {
        files
            .iter()
            .find(|(at, _)| *at == path)
            .map(|(_, text)| end_with_period(text))
            .unwrap_or_default()
    };
    for path in &paths {
        let (old, new) = (text_of(&bad, path), text_of(&good, path));
        // The good example has a whole catalog that the bad one lacks: the problem is in another file.
        if old.is_empty() && new.lines().count() > LONG {
            continue;
        }
        let mut hunks = text_diff(old.as_bytes(), new.as_bytes(), 1);
        // The example is about the ignored or omitted file.
        if old == new && old.lines().count() <= LONG {
            hunks.clear();
            out.push_str(&format!("@@ {path} @@\n{}", indent(&old)));
        }
        for hunk in hunks {
            let mut written = Vec::new();
            hunk.write(&mut written);
            let written = String::from_utf8_lossy(&written).into_owned();
            let lines: Vec<&str> = written
                .lines()
                .skip(1)
                .filter(|line| *line != " ---")
                .collect();
            let says_schema = lines.iter().any(|line| line[1..].starts_with("schema:"));
            let blob = blob_around(&new, hunk.new_start as usize).filter(|_| !says_schema);
            let file = (paths.len() > 1).then_some(*path);
            let place: Vec<&str> = file.into_iter().chain(blob.as_deref()).collect();
            if !place.is_empty() {
                out.push_str(&format!("@@ {} @@\n", place.join(": ")));
            }
            lines
                .iter()
                .for_each(|line| out.push_str(&format!("{line}\n")));
        }
    }
    out
}

/// Files with more lines are not shown in full.
const LONG: usize = 6;

fn indent(text: &str) -> String {
    text.lines().map(|line| format!(" {line}\n")).collect()
}

fn end_with_period(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') {
        text.to_owned()
    } else {
        format!("{text}\n")
    }
}

/// Schema and name of the YAML blob that contains this line, numbered from 1.
fn blob_around(text: &str, line: usize) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let at = line.checked_sub(1)?.min(lines.len().checked_sub(1)?);
    let start = lines[..=at]
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
