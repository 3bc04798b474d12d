//! `switchyard explain`: describes a rule, with example catalogs.

use crate::error::{CliError, CliResult};
use crate::output::formats::TextOrData;
use crate::output::{self, table};
use ::edit::plan::did_you_mean;
use ::repository::rules::{self, FindingRule};
use protocol::diagnostic::Severity;
use serde_json::{Value, json};
use verdict::compare::invariants::{self, Invariant};
use verdict::validate::explain::documents;
use verdict::validate::{Content, Example, OpmVersion, RuleDoc};

pub(super) fn run(rule: Option<&str>, format: TextOrData) -> CliResult {
    let rule = rule.map(Explanation::find).transpose()?;
    match (rule, format) {
        (Some(rule), TextOrData::Text) => output::print_text(&rule.to_text())?,
        (Some(rule), TextOrData::Data(form)) => output::print_data(form, &to_json([rule]))?,
        (None, TextOrData::Text) => output::print_text(&list_rules())?,
        (None, TextOrData::Data(form)) => output::print_data(form, &to_json(Explanation::all()))?,
    }
    Ok(0)
}

/// The headings of examples.
const BAD_HEADING: &str = "Has the problem";
const GOOD_HEADING: &str = "Is fine";

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
