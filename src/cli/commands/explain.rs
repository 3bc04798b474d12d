//! `switchyard explain`: the subject of a rule, with example catalogs.

use super::rules_page;
use crate::error::{CliError, CliResult};
use crate::output;
use crate::output::formats::ExplainFormat;
use crate::output::table;
use fbc::compare::invariants::{self, Invariant};
use fbc::edit::plan::did_you_mean;
use fbc::repository;
use fbc::repository::rules::{self, FindingRule};
use fbc::validate::explain::{documents, explain};
use fbc::validate::{Content, Example, OpmVersion, RuleDoc};
use protocol::diagnostic::Severity;
use serde_json::{Value, json};

pub(super) fn run(rule: Option<&str>, format: ExplainFormat) -> CliResult {
    let one = rule.map(Explained::find).transpose()?;
    match (one, format) {
        (Some(Explained::Rule(doc)), ExplainFormat::Markdown) => output::text(&markdown_of(doc))?,
        (Some(one), ExplainFormat::Text | ExplainFormat::Markdown) => output::text(&one.text())?,
        (Some(one), ExplainFormat::Data(form)) => output::data(form, &data([one]))?,
        (None, ExplainFormat::Text) => output::text(&list())?,
        (None, ExplainFormat::Markdown) => output::text(&rules_page::page())?,
        (None, ExplainFormat::Data(form)) => {
            let rules = documents()
                .map(Explained::Rule)
                .chain(rules::ALL.iter().map(Explained::Finding));
            output::data(
                form,
                &data(rules.chain(invariants::ALL.iter().copied().map(Explained::Invariant))),
            )?;
        }
    }
    Ok(0)
}

/// The subject of the explanation: a rule, or an invariant of changes.
enum Explained {
    Rule(&'static RuleDoc),
    Invariant(&'static Invariant),
    /// A finding in an operator repository.
    Finding(&'static FindingRule),
}

impl Explained {
    fn find(id: &str) -> Result<Self, CliError> {
        let rule = explain(id).map(Explained::Rule);
        let rule = rule.or_else(|| rules::find(id).map(Explained::Finding));
        rule.or_else(|| invariants::find(id).map(Explained::Invariant))
            .ok_or_else(|| {
                let ids = documents()
                    .map(|d| d.id)
                    .chain(rules::ALL.iter().map(|rule| rule.id));
                let ids = ids.chain(invariants::ALL.iter().map(|i| i.name));
                let hint = did_you_mean(id, ids, "`switchyard explain` lists all rules");
                CliError::new(format!("no rule `{id}`")).hint(hint)
            })
    }

    fn text(&self) -> String {
        match self {
            Explained::Rule(doc) => text(doc),
            Explained::Invariant(of) => explain_invariant(of),
            Explained::Finding(rule) => explain_finding(rule),
        }
    }

    fn data(&self) -> Value {
        match self {
            Explained::Rule(doc) => json!({
                "rule": doc.id,
                "of": if doc.opm { "opm" } else { "ours" },
                "profile": doc.profile.name(),
                "severity": doc.severity.name(),
                "summary": doc.summary,
                "why": doc.why,
                "fix": doc.fix,
                "opm_message": doc.opm_message,
                "since": doc.opm.then(|| since(doc)),
            }),
            Explained::Finding(rule) => json!({
                "rule": rule.id,
                "of": "repository",
                "severity": rule.severity.name(),
                "summary": rule.summary,
                "why": rule.why,
                "fix": rule.fix,
            }),
            Explained::Invariant(of) => json!({
                "rule": of.name,
                "of": "diff",
                "severity": match of.severity {
                    invariants::Severity::Error => "error",
                    invariants::Severity::Warning => "warning",
                    invariants::Severity::Info => "info",
                },
                "summary": of.rule,
                "why": of.why,
                "fix": of.fix,
            }),
        }
    }
}

fn data(rules: impl IntoIterator<Item = Explained>) -> Value {
    json!({ "format": output::FORMAT, "rules": rules.into_iter().map(|rule| rule.data()).collect::<Vec<_>>() })
}

fn list() -> String {
    let row = |cells: [&str; 4]| cells.map(str::to_owned).to_vec();
    let rows = documents().map(|d| {
        row([
            d.id,
            if d.opm { "opm" } else { "ours" },
            d.profile.name(),
            d.summary,
        ])
    });
    let of_changes = invariants::ALL
        .iter()
        .map(|i| row([i.name, "diff", "", i.rule]));
    let of_repositories = rules::ALL
        .iter()
        .map(|rule| row([rule.id, "repository", "", rule.summary]));
    let all: Vec<_> = rows.chain(of_repositories).chain(of_changes).collect();
    table(&["RULE", "OF", "PROFILE", "SUMMARY"], &all)
}

fn explain_finding(rule: &FindingRule) -> String {
    let mut text = format!(
        "{}: found in operator repositories, {}; `switchyard repo check` looks for it\n\n{}\n\nWhy: {}\n\nWhat to do: {}\n",
        rule.id,
        match rule.severity {
            repository::Severity::Error => "an error",
            repository::Severity::Warning => "a warning",
        },
        rule.summary,
        rule.why,
        rule.fix
    );
    for (title, files) in [("Has the problem:", rule.bad), ("Is fine:", rule.good)] {
        text.push_str(&format!("\n{title}\n"));
        for (path, content) in files {
            text.push_str(&format!("\n  {path}\n"));
            content
                .lines()
                .for_each(|line| text.push_str(&format!("    {line}\n")));
        }
    }
    text
}

fn explain_invariant(of: &Invariant) -> String {
    let number = if of.id.is_empty() {
        String::new()
    } else {
        format!(" ({})", of.id)
    };
    let gravity = match of.severity {
        invariants::Severity::Error => "an error: breaking it harms users",
        invariants::Severity::Warning => "a warning",
        invariants::Severity::Info => "information, which only `--deny` turns into a failure",
    };
    format!(
        "{}{number}: an invariant of `switchyard diff`; {gravity}\n\n{}\n\nWhy: {}\n\nWhat to do: {}\n\nTo fail when a \
         change breaks it: switchyard diff OLD NEW --deny {}\n",
        of.name, of.rule, of.why, of.fix, of.name
    )
}

/// The version of `opm` that introduced the rule, or that it is older than the known versions.
fn since(doc: &RuleDoc) -> String {
    doc.since.map_or_else(
        || format!("before {}", OpmVersion::OLDEST_KNOWN),
        |version| version.to_string(),
    )
}

/// Whether the rule is `opm`'s or ours, and which profiles check it.
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

fn text(doc: &RuleDoc) -> String {
    let mut text = format!(
        "{}: {}\n\n{}\n\nWhy: {}\n\nWhat to do: {}\n",
        doc.id,
        owner(doc),
        doc.summary,
        doc.why,
        doc.fix
    );
    if !doc.opm_message.is_empty() {
        text.push_str(&format!("\nopm says: {}\n", doc.opm_message));
    }
    for (title, examples) in [("Has the problem:", doc.bad), ("Is fine:", doc.good)] {
        for example in examples {
            text.push_str(&format!("\n{title}\n"));
            for (path, content) in shown_files(example) {
                text.push_str(&format!("\n  {path}\n"));
                for line in content.lines() {
                    text.push_str(format!("    {line}").trim_end());
                    text.push('\n');
                }
            }
        }
    }
    text
}

/// The files of an example in path order, with the part to show of each.
pub(super) fn shown_files(example: &Example) -> Vec<(&'static str, String)> {
    let display = |content: Content| match content {
        Content::Text(text) => text.to_owned(),
        Content::Repeated(text, times) => format!("{text}{text}{text}... ({times} times)"),
        Content::LinkToDirectory => "(a link to a folder)".to_owned(),
        Content::BrokenLink => "(a broken link)".to_owned(),
        Content::Unreadable(reason) => format!("(cannot be read: {reason})"),
    };
    let before = example
        .before()
        .map(|text| ("as it was published", text.to_owned()));
    before
        .into_iter()
        .chain(
            example
                .paths()
                .into_iter()
                .map(|(path, content)| (path, display(content))),
        )
        .collect()
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
    for (title, examples) in [("Has the problem", doc.bad), ("Is fine", doc.good)] {
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

/// `opm`'s message as code in a line of Markdown.
pub(super) fn said_by_opm(message: &str) -> String {
    let fence = if message.contains('`') { "``" } else { "`" };
    format!("{fence}{}{fence}", message.trim_end().replace('\n', " "))
}
