//! `switchyard explain`: the subject of a rule, with example catalogs; and the page of all rules, `docs/rules.md`.

use crate::error::{CliError, CliResult};
use crate::output::formats::ExplainFormat;
use crate::output::{self, table};
use ::catalog::diff::text_diff;
use ::edit::plan::did_you_mean;
use ::repository::rules::{self, FindingRule};
use protocol::diagnostic::Severity;
use serde_json::{Value, json};
use verdict::compare::invariants::{self, Invariant};
use verdict::validate::explain::documents;
use verdict::validate::{Content, Example, OpmVersion, RuleDoc};

pub(super) fn run(rule: Option<&str>, format: ExplainFormat) -> CliResult {
    let one = rule.map(Explained::find).transpose()?;
    match (one, format) {
        (Some(one), ExplainFormat::Text | ExplainFormat::Markdown) => {
            output::print_text(&match one.details {
                Details::Rule(doc) if format == ExplainFormat::Markdown => markdown_of(doc),
                _ => one.text(),
            })?;
        }
        (Some(one), ExplainFormat::Data(form)) => output::print_data(form, &data([one]))?,
        (None, ExplainFormat::Text) => output::print_text(&list())?,
        (None, ExplainFormat::Markdown) => output::print_text(&page())?,
        (None, ExplainFormat::Data(form)) => output::print_data(form, &data(Explained::all()))?,
    }
    Ok(0)
}

/// The subject of the explanation.
struct Explained {
    id: &'static str,
    /// The owner of the rule.
    of: &'static str,
    severity: &'static str,
    summary: &'static str,
    why: &'static str,
    fix: &'static str,
    details: Details,
}

enum Details {
    Rule(&'static RuleDoc),
    /// An invariant of changes.
    Invariant(&'static Invariant),
    /// A finding in an operator repository.
    Finding(&'static FindingRule),
}

impl From<&'static RuleDoc> for Explained {
    fn from(doc: &'static RuleDoc) -> Self {
        Self {
            id: doc.id,
            of: if doc.opm { "opm" } else { "ours" },
            severity: doc.severity.name(),
            summary: doc.summary,
            why: doc.why,
            fix: doc.fix,
            details: Details::Rule(doc),
        }
    }
}

impl From<&'static FindingRule> for Explained {
    fn from(rule: &'static FindingRule) -> Self {
        Self {
            id: rule.id,
            of: "repository",
            severity: rule.severity.name(),
            summary: rule.summary,
            why: rule.why,
            fix: rule.fix,
            details: Details::Finding(rule),
        }
    }
}

impl From<&'static Invariant> for Explained {
    fn from(invariant: &'static Invariant) -> Self {
        Self {
            id: invariant.name,
            of: "diff",
            severity: invariant.severity.name(),
            summary: invariant.rule,
            why: invariant.why,
            fix: invariant.fix,
            details: Details::Invariant(invariant),
        }
    }
}

impl Explained {
    fn all() -> impl Iterator<Item = Self> {
        documents()
            .map(Self::from)
            .chain(rules::ALL.iter().map(Self::from))
            .chain(invariants::ALL.iter().copied().map(Self::from))
    }

    fn find(id: &str) -> Result<Self, CliError> {
        let known = Self::all().find(|one| one.id == id);
        known
            .or_else(|| invariants::find(id).map(Self::from))
            .ok_or_else(|| {
                let ids = Self::all().map(|one| one.id);
                let hint = did_you_mean(id, ids, "`switchyard explain` lists all rules");
                CliError::new(format!("no rule `{id}`")).hint(hint)
            })
    }

    fn text(&self) -> String {
        let head = match self.details {
            Details::Rule(doc) => format!(": {}", owner(doc)),
            Details::Finding(_) => format!(
                ": found in operator repositories, {}; `switchyard repo check` looks for it",
                match self.severity {
                    "error" => "an error",
                    _ => "a warning",
                }
            ),
            Details::Invariant(invariant) => describe_invariant(invariant),
        };
        let mut text = format!(
            "{}{head}\n\n{}\n\nWhy: {}\n\nWhat to do: {}\n",
            self.id, self.summary, self.why, self.fix
        );
        match self.details {
            Details::Rule(doc) => {
                if !doc.opm_message.is_empty() {
                    text.push_str(&format!("\nopm says: {}\n", doc.opm_message));
                }
                for (title, examples) in [(BAD, doc.bad), (GOOD, doc.good)] {
                    for example in examples {
                        push_files(&mut text, title, shown_files(example));
                    }
                }
            }
            Details::Finding(rule) => {
                push_files(&mut text, BAD, example_files(rule.bad));
                push_files(&mut text, GOOD, example_files(rule.good));
            }
            Details::Invariant(invariant) => text.push_str(&format!(
                "\nTo fail when a change breaks it: switchyard diff OLD NEW --deny {}\n",
                invariant.name
            )),
        }
        text
    }

    fn data(&self) -> Value {
        let mut data = json!({ "rule": self.id, "of": self.of });
        if let Details::Rule(doc) = self.details {
            data["profile"] = doc.profile.name().into();
        }
        data["severity"] = self.severity.into();
        data["summary"] = self.summary.into();
        data["why"] = self.why.into();
        data["fix"] = self.fix.into();
        if let Details::Rule(doc) = self.details {
            data["opm_message"] = doc.opm_message.into();
            data["since"] = doc.opm.then(|| since(doc)).into();
        }
        data
    }
}

fn data(rules: impl IntoIterator<Item = Explained>) -> Value {
    let rules: Value = rules.into_iter().map(|rule| rule.data()).collect();
    json!({ "format": output::FORMAT, "rules": rules })
}

fn list() -> String {
    let row = |one: Explained| {
        let profile = match one.details {
            Details::Rule(doc) => doc.profile.name(),
            _ => "",
        };
        [one.id, one.of, profile, one.summary]
            .map(str::to_owned)
            .to_vec()
    };
    table(
        &["RULE", "OF", "PROFILE", "SUMMARY"],
        &Explained::all().map(row).collect::<Vec<_>>(),
    )
}

const BAD: &str = "Has the problem";
const GOOD: &str = "Is fine";

/// Appends the files of an example, under a title.
fn push_files(text: &mut String, title: &str, files: ShownFiles) {
    text.push_str(&format!("\n{title}:\n"));
    for (path, content) in files {
        text.push_str(&format!("\n  {path}\n"));
        for line in content.lines() {
            text.push_str(format!("    {line}").trim_end());
            text.push('\n');
        }
    }
}

fn describe_invariant(invariant: &Invariant) -> String {
    let number = if invariant.id.is_empty() {
        String::new()
    } else {
        format!(" ({})", invariant.id)
    };
    let gravity = match invariant.severity {
        Severity::Error => "an error: breaking it harms users",
        Severity::Warning => "a warning",
        Severity::Info => "information, which only `--deny` turns into a failure",
    };
    format!("{number}: an invariant of `switchyard diff`; {gravity}")
}

/// Names the version of `opm` that introduced the rule, or states that it is older than the known versions.
fn since(doc: &RuleDoc) -> String {
    doc.since.map_or_else(
        || format!("before {}", OpmVersion::OLDEST_KNOWN),
        |version| version.to_string(),
    )
}

/// Describes whether the rule is `opm`'s or ours, and which profiles check it.
fn owner(doc: &RuleDoc) -> String {
    if let Some(since) = doc.refused_since() {
        return format!("a rule of opm validate; {since}");
    }
    let severity = match doc.severity {
        Severity::Error => "an error",
        Severity::Warning => "a warning",
        Severity::Info => "informational",
    };
    format!(
        "Switchyard's own advice, {severity}, in profile {} and stricter; opm accepts it",
        doc.profile.name()
    )
}

/// Returns the files of an example in path order, with the part to show of each.
fn shown_files(example: &Example) -> ShownFiles {
    let before = example
        .before()
        .map(|text| ("as it was published", text.to_owned()));
    before
        .into_iter()
        .chain(
            example
                .paths()
                .into_iter()
                .map(|(path, content)| (path, display_content(content))),
        )
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

fn markdown_of(doc: &RuleDoc) -> String {
    let mut text = String::new();
    section(&mut text, doc);
    text.trim_start().to_owned()
}

fn section(text: &mut String, doc: &RuleDoc) {
    text.push_str(&format!(
        "\n### {}\n\n{}\n\n{}\n\nWhat to do: {}\n",
        doc.id, doc.summary, doc.why, doc.fix
    ));
    if !doc.opm_message.is_empty() {
        text.push_str(&format!(
            "\n`opm` says:\n\n```text\n{}\n```\n",
            doc.opm_message
        ));
    }
    for (title, examples) in [(BAD, doc.bad), (GOOD, doc.good)] {
        for example in examples {
            let files = shown_files(example);
            for (path, content) in &files {
                let path_note = if files.len() > 1 {
                    format!(" (`{path}`)")
                } else {
                    String::new()
                };
                let language = if path.ends_with(".json") {
                    "json"
                } else {
                    "yaml"
                };
                let end = if content.ends_with('\n') { "" } else { "\n" };
                text.push_str(&format!(
                    "\n{title}{path_note}:\n\n```{language}\n{content}{end}```\n"
                ));
            }
        }
    }
}

/// Formats `opm`'s message as code in a line of Markdown.
fn said_by_opm(message: &str) -> String {
    let fence = if message.contains('`') { "``" } else { "`" };
    format!("{fence}{}{fence}", message.trim_end().replace('\n', " "))
}

const HEADING: &str = "# Rules

What `switchyard validate` checks. The rules of `opm` decide the verdict and are always checked. Advice is Switchyard's own
and never changes the verdict. Each profile (`opm`, `community`, `strict`) includes the rules of the one before it;
[configuration.md](configuration.md) says how to choose a profile, turn a rule off or suppress a problem.

In the examples, `-` marks the lines that have the problem, `+` the lines that fix it, and `@@` the file or blob they are in.
`switchyard explain RULE` prints the whole catalogs. At the end are the findings in [operator repositories](#operator-repositories). This page is written by `switchyard explain --format markdown`, and its
examples are tests.
";

fn page() -> String {
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
            let mut facts = String::new();
            if let Some(since) = doc.since {
                facts.push_str(&format!("- Refused since opm {since}\n"));
            }
            if !doc.opm_message.is_empty() {
                facts.push_str(&format!("- `opm` says: {}\n", said_by_opm(doc.opm_message)));
            }
            text.push_str(&page_section(
                &doc.into(),
                &facts,
                &shortest_difference(doc),
            ));
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
        let difference = difference_of(example_files(rule.bad), example_files(rule.good));
        text.push_str(&page_section(&rule.into(), "", &difference));
    }
    text
}

fn example_files(example: &'static [(&'static str, &'static str)]) -> ShownFiles {
    example
        .iter()
        .map(|(path, text)| (*path, (*text).to_owned()))
        .collect()
}

const REPOSITORIES: &str = "
## Operator repositories

What `switchyard repo check` finds in `ci.yaml`, `release-config.yaml` and `config.yaml`. Names that begin with `check_` are the
pipeline's own; the others are what it does without a word. No profile turns them off; the pipeline's `config.yaml` does.

| rule | severity | |
|---|---|---|
";

fn page_section(rule: &Explained, facts: &str, difference: &str) -> String {
    let Explained {
        id,
        summary,
        why,
        fix,
        ..
    } = rule;
    format!("\n### {id}\n\n{summary} {why}\n\n- Fix: {fix}\n{facts}\n```diff\n{difference}```\n")
}

/// Returns the differing lines of the most similar pair of a bad and a good example, preferably with the same files.
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

/// Returns the difference of an example from the published state; `None` if the example is not a change.
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
    for path in &paths {
        let (old, new) = (text_of_file(&bad, path), text_of_file(&good, path));
        // The good example has a whole catalog that the bad one lacks: the problem is in another file.
        if old.is_empty() && new.lines().count() > LONG {
            continue;
        }
        let mut hunks = text_diff(old.as_bytes(), new.as_bytes(), 1);
        // Show the text itself, because the example is about an ignored or omitted file.
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

fn text_of_file(files: &[(&'static str, String)], path: &str) -> String {
    files
        .iter()
        .find(|(at, _)| *at == path)
        .map(|(_, text)| end_with_period(text))
        .unwrap_or_default()
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

/// Returns schema and name of the YAML blob that contains this line, numbered from 1.
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
