//! `switchyard explain`: describes a rule, with example catalogs, or writes the page of all rules,
//! `docs/rules.md`.

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
    let rule = rule.map(Explanation::find).transpose()?;
    match (rule, format) {
        (Some(rule), ExplainFormat::Text | ExplainFormat::Markdown) => {
            output::print_text(&match rule.details {
                Details::Rule(doc) if format == ExplainFormat::Markdown => rule_to_markdown(doc),
                _ => rule.to_text(),
            })?;
        }
        (Some(rule), ExplainFormat::Data(form)) => output::print_data(form, &to_json([rule]))?,
        (None, ExplainFormat::Text) => output::print_text(&list_rules())?,
        (None, ExplainFormat::Markdown) => output::print_text(&render_page())?,
        (None, ExplainFormat::Data(form)) => {
            output::print_data(form, &to_json(Explanation::all()))?
        }
    }
    Ok(0)
}

/// The headings of examples.
const BAD_HEADING: &str = "Has the problem";
const GOOD_HEADING: &str = "Is fine";

/// Files with more lines are not shown in full.
const MAX_SHOWN_LINES: usize = 6;

const PAGE_INTRODUCTION: &str = "# Rules

What `switchyard validate` checks. The rules of `opm` decide the verdict and are always checked. Advice is Switchyard's own
and never changes the verdict. Each profile (`opm`, `community`, `strict`) includes the rules of the one before it;
[configuration.md](configuration.md) says how to choose a profile, turn a rule off or suppress a problem.

In the examples, `-` marks the lines that have the problem, `+` the lines that fix it, and `@@` the file or blob they are in.
`switchyard explain RULE` prints the whole catalogs. At the end are the findings in [operator repositories](#operator-repositories). This page is written by `switchyard explain --format markdown`, and its
examples are tests.
";

const REPOSITORY_SECTION: &str = "
## Operator repositories

What `switchyard repo check` finds in `ci.yaml`, `release-config.yaml` and `config.yaml`. Names that begin with `check_` are the
pipeline's own; the others are what it does without a word. No profile turns them off; the pipeline's `config.yaml` does.

| rule | severity | |
|---|---|---|
";

/// The explanation of a rule, an invariant or a finding.
struct Explanation {
    id: &'static str,
    /// Whose rule it is: `opm`, `ours`, `repository` or `diff`.
    owner: &'static str,
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

impl From<&'static RuleDoc> for Explanation {
    fn from(doc: &'static RuleDoc) -> Self {
        Self {
            id: doc.id,
            owner: if doc.opm { "opm" } else { "ours" },
            severity: doc.severity.name(),
            summary: doc.summary,
            why: doc.why,
            fix: doc.fix,
            details: Details::Rule(doc),
        }
    }
}

impl From<&'static FindingRule> for Explanation {
    fn from(rule: &'static FindingRule) -> Self {
        Self {
            id: rule.id,
            owner: "repository",
            severity: rule.severity.name(),
            summary: rule.summary,
            why: rule.why,
            fix: rule.fix,
            details: Details::Finding(rule),
        }
    }
}

impl From<&'static Invariant> for Explanation {
    fn from(invariant: &'static Invariant) -> Self {
        Self {
            id: invariant.name,
            owner: "diff",
            severity: invariant.severity.name(),
            summary: invariant.rule,
            why: invariant.why,
            fix: invariant.fix,
            details: Details::Invariant(invariant),
        }
    }
}

impl Explanation {
    fn all() -> impl Iterator<Item = Self> {
        documents()
            .map(Self::from)
            .chain(rules::ALL.iter().map(Self::from))
            .chain(invariants::ALL.iter().copied().map(Self::from))
    }

    fn find(id: &str) -> Result<Self, CliError> {
        Self::all()
            .find(|rule| rule.id == id)
            .or_else(|| invariants::find(id).map(Self::from))
            .ok_or_else(|| {
                let ids = Self::all().map(|rule| rule.id);
                let hint = did_you_mean(id, ids, "`switchyard explain` lists all rules");
                cli_error!("no rule `{id}`").hint(hint)
            })
    }

    fn to_text(&self) -> String {
        let description = match self.details {
            Details::Rule(doc) => format!(": {}", describe_owner(doc)),
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
            "{}{description}\n\n{}\n\nWhy: {}\n\nWhat to do: {}\n",
            self.id, self.summary, self.why, self.fix
        );
        match self.details {
            Details::Rule(doc) => {
                if !doc.opm_message.is_empty() {
                    text.push_str(&format!("\nopm says: {}\n", doc.opm_message));
                }
                for (heading, examples) in [(BAD_HEADING, doc.bad), (GOOD_HEADING, doc.good)] {
                    for example in examples {
                        push_files(&mut text, heading, &displayed_files(example));
                    }
                }
            }
            Details::Finding(rule) => {
                push_files(&mut text, BAD_HEADING, &finding_files(rule.bad));
                push_files(&mut text, GOOD_HEADING, &finding_files(rule.good));
            }
            Details::Invariant(invariant) => text.push_str(&format!(
                "\nTo fail when a change breaks it: switchyard diff OLD NEW --deny {}\n",
                invariant.name
            )),
        }
        text
    }

    fn to_json(&self) -> Value {
        let mut data = json!({ "rule": self.id, "of": self.owner });
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

fn to_json(rules: impl IntoIterator<Item = Explanation>) -> Value {
    let rules: Value = rules.into_iter().map(|rule| rule.to_json()).collect();
    json!({ "format": output::FORMAT, "rules": rules })
}

fn list_rules() -> String {
    let row = |rule: Explanation| {
        let profile = match rule.details {
            Details::Rule(doc) => doc.profile.name(),
            _ => "",
        };
        [rule.id, rule.owner, profile, rule.summary]
            .map(str::to_owned)
            .to_vec()
    };
    table(
        &["RULE", "OF", "PROFILE", "SUMMARY"],
        &Explanation::all().map(row).collect::<Vec<_>>(),
    )
}

/// Appends the files of an example, under a heading.
fn push_files(text: &mut String, heading: &str, files: &[DisplayedFile]) {
    text.push_str(&format!("\n{heading}:\n"));
    for file in files {
        text.push_str(&format!("\n  {}\n", file.path));
        for line in file.content.lines() {
            text.push_str(format!("    {line}").trim_end());
            text.push('\n');
        }
    }
}

fn describe_invariant(invariant: &Invariant) -> String {
    let id = if invariant.id.is_empty() {
        String::new()
    } else {
        format!(" ({})", invariant.id)
    };
    let severity = match invariant.severity {
        Severity::Error => "an error: breaking it harms users",
        Severity::Warning => "a warning",
        Severity::Info => "information, which only `--deny` turns into a failure",
    };
    format!("{id}: an invariant of `switchyard diff`; {severity}")
}

/// Names the version of `opm` that introduced the rule, or states that it is older than the known
/// versions.
fn since(doc: &RuleDoc) -> String {
    doc.since.map_or_else(
        || format!("before {}", OpmVersion::OLDEST_KNOWN),
        |version| version.to_string(),
    )
}

/// Describes whether the rule is `opm`'s or ours, and which profiles check it.
fn describe_owner(doc: &RuleDoc) -> String {
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

/// Renders a rule with all of its examples.
fn rule_to_markdown(doc: &RuleDoc) -> String {
    let mut text = format!(
        "### {}\n\n{}\n\n{}\n\nWhat to do: {}\n",
        doc.id, doc.summary, doc.why, doc.fix
    );
    if !doc.opm_message.is_empty() {
        text.push_str(&format!(
            "\n`opm` says:\n\n```text\n{}\n```\n",
            doc.opm_message
        ));
    }
    for (heading, examples) in [(BAD_HEADING, doc.bad), (GOOD_HEADING, doc.good)] {
        for example in examples {
            push_code_blocks(&mut text, heading, &displayed_files(example));
        }
    }
    text
}

fn push_code_blocks(text: &mut String, heading: &str, files: &[DisplayedFile]) {
    for DisplayedFile { path, content } in files {
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
            "\n{heading}{path_note}:\n\n```{language}\n{content}{end}```\n"
        ));
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
            text.push_str(&page_section(
                &doc.into(),
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
        text.push_str(&page_section(&rule.into(), "", &difference));
    }
    text
}

fn page_section(rule: &Explanation, facts: &str, difference: &str) -> String {
    let Explanation {
        id,
        summary,
        why,
        fix,
        ..
    } = rule;
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
    // Show the text itself, because the example is about an ignored or omitted file.
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
