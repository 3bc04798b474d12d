//! The formats of `validate` for CI: `sarif`, one log with fixes as replaced text; `junit`, a test
//! suite per catalog with a test case per package, so that the names of cases do not depend on
//! failures; and `github`.

use crate::error::CliError;
use crate::input::disk::Disk;
use crate::input::{self, config_file};
use ::catalog::diff::{Replacement, replacements};
use ::catalog::graph::export::escape_xml as escape;
use protocol::counting::and_more;
use protocol::diagnostic::{Diagnostic, Fix, Location, Severity};
use serde_json::{Value, json};
use session::{Session, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use verdict::validate::explain::explain;

/// The published schema.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// Rule id for failures of `opm` with a message that no rule of ours covers.
const OPM_RULE: &str = "opm-validate";
/// Name of the test case for problems outside of any package.
const CATALOG_CASE: &str = "catalog";

/// The log of the catalogs added so far.
#[derive(Debug, Default)]
pub(super) struct Log {
    results: Vec<Value>,
    /// Reasons why catalogs could not be validated.
    notifications: Vec<Value>,
}

impl Log {
    /// Adds the problems of a catalog, under the given name.
    pub fn add(&mut self, catalog: &Path, disk: &mut Disk) -> Result<(), CliError> {
        let verdict = disk.root()?.verdict().clone();
        for problem in &verdict.diagnostics {
            let fixes = problem
                .fixes
                .iter()
                .filter_map(|fix| fix_to_sarif(fix, catalog, &mut disk.session))
                .collect();
            self.results.push(problem_to_sarif(problem, catalog, fixes));
        }
        if let Some(message) = &verdict.opm_message
            && verdict.diagnostics.is_empty()
        {
            let location = physical_location(catalog, &Location::default());
            let locations = json!([{ "physicalLocation": location }]);
            self.results.push(json!({
                "ruleId": OPM_RULE, "level": "error", "message": { "text": message }, "locations": locations,
            }));
        }
        Ok(())
    }

    /// Adds a catalog that could not be validated.
    pub fn add_failure(&mut self, catalog: &Path, error: &CliError) {
        let text = format!("{}: {}", catalog.display(), error.message());
        self.notifications
            .push(json!({ "level": "error", "message": { "text": text } }));
    }

    /// Returns the log with the descriptions of its rules.
    pub fn finish(mut self) -> Value {
        let rule_ids: BTreeSet<String> = self
            .results
            .iter()
            .filter_map(|result| result["ruleId"].as_str().map(str::to_owned))
            .collect();
        for result in &mut self.results {
            let id = result["ruleId"].as_str();
            let index = rule_ids.iter().position(|rule| Some(rule.as_str()) == id);
            result["ruleIndex"] = json!(index);
        }
        let version = env!("CARGO_PKG_VERSION");
        let rules: Vec<Value> = rule_ids.iter().map(|id| describe_rule(id)).collect();
        let mut invocation = json!({ "executionSuccessful": self.notifications.is_empty() });
        if !self.notifications.is_empty() {
            invocation["toolExecutionNotifications"] = self.notifications.into();
        }
        json!({
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": "Switchyard", "version": version, "semanticVersion": version, "rules": rules,
                } },
                "invocations": [invocation],
                "columnKind": "unicodeCodePoints",
                "results": self.results,
            }],
        })
    }
}

fn describe_rule(id: &str) -> Value {
    let Some(rule) = explain(id) else {
        return json!({ "id": id, "shortDescription": { "text": "`opm validate` rejects the catalog." } });
    };
    json!({
        "id": id,
        "shortDescription": { "text": rule.summary },
        "fullDescription": { "text": rule.why },
        "help": { "text": rule.fix },
        "defaultConfiguration": { "level": level(rule.severity) },
        "properties": { "tags": [if rule.opm { "opm" } else { "advice" }] },
    })
}

fn problem_to_sarif(problem: &Diagnostic, catalog: &Path, fixes: Vec<Value>) -> Value {
    let mut result = json!({
        "ruleId": problem.rule,
        "level": level(problem.severity),
        "message": { "text": problem.message_with_help() },
        "locations": [{ "physicalLocation": physical_location(catalog, &problem.location) }],
    });
    let related: Vec<Value> = problem
        .evidence()
        .map(|(text, location)| {
            json!({
                "message": { "text": text },
                "physicalLocation": physical_location(catalog, location),
            })
        })
        .collect();
    for (key, items) in [("relatedLocations", related), ("fixes", fixes)] {
        if !items.is_empty() {
            result[key] = without_repetitions(items).into();
        }
    }
    let mut properties = json!({ "catalog": catalog.display().to_string() });
    for (key, value) in [
        ("package", &problem.package),
        ("channel", &problem.channel),
        ("bundle", &problem.bundle),
    ] {
        if let Some(value) = value {
            properties[key] = value.as_str().into();
        }
    }
    properties["opm"] = problem.opm.into();
    result["properties"] = properties;
    result
}

/// Removes repeated items, which SARIF forbids in a list.
fn without_repetitions(items: Vec<Value>) -> Vec<Value> {
    let mut unique: Vec<Value> = Vec::new();
    for item in items {
        if !unique.contains(&item) {
            unique.push(item);
        }
    }
    unique
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

/// Converts a fix, with the text that it replaces; `None` if that text is not known.
fn fix_to_sarif(fix: &Fix, catalog: &Path, session: &mut Session) -> Option<Value> {
    if !has_lines(catalog) {
        return None;
    }
    let files = session.preview(&fix.ops).ok()?.files;
    let mut changes = Vec::new();
    for file in files {
        let replacements: Vec<Value> = replacements(&file.hunks)?
            .iter()
            .map(replacement_to_sarif)
            .collect();
        if !replacements.is_empty() {
            changes.push(json!({
                "artifactLocation": artifact_location(catalog, &file.path),
                "replacements": replacements,
            }));
        }
    }
    let description = if fix.note.is_empty() {
        fix.title.clone()
    } else {
        format!("{}\n{}", fix.title, fix.note)
    };
    (!changes.is_empty())
        .then(|| json!({ "description": { "text": description }, "artifactChanges": changes }))
}

fn replacement_to_sarif(replacement: &Replacement) -> Value {
    let mut converted = json!({
        "deletedRegion": {
            "startLine": replacement.start.0,
            "startColumn": replacement.start.1,
            "endLine": replacement.end.0,
            "endColumn": replacement.end.1,
        },
    });
    if !replacement.text.is_empty() {
        converted["insertedContent"] = json!({ "text": replacement.text });
    }
    converted
}

/// Returns the file, with lines and columns if known. The location of a problem of the whole
/// catalog is its folder.
fn physical_location(catalog: &Path, location: &Location) -> Value {
    let mut physical = json!({ "artifactLocation": artifact_location(catalog, &location.file) });
    if !location.file.is_empty() && location.line > 0 && has_lines(catalog) {
        physical["region"] = json!({
            "startLine": location.line,
            "startColumn": location.column.max(1),
            "endLine": location.end_line.max(location.line),
            "endColumn": location.end_column.max(1),
        });
    }
    physical
}

fn artifact_location(catalog: &Path, file: &str) -> Value {
    json!({ "uri": uri(&problem_path(catalog, file)) })
}

/// Converts a path to a URI: relative to the current folder, or with the scheme `file`.
fn uri(path: &str) -> String {
    let mut out = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=@".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    if out.is_empty() { ".".to_owned() } else { out }
}

#[derive(Debug, Default)]
pub(super) struct Suites {
    suites: Vec<Suite>,
}

#[derive(Debug)]
struct Suite {
    catalog: String,
    cases: Vec<Case>,
}

/// The result for one package.
#[derive(Debug, Default)]
struct Case {
    name: String,
    failure: Option<Failure>,
    /// Why it could not be validated.
    error: Option<String>,
    /// Warnings and information.
    output: String,
}

/// Why a case fails.
#[derive(Debug)]
struct Failure {
    summary: String,
    /// The rule of the first error.
    rule: String,
    /// All errors.
    text: String,
}

impl Suites {
    /// Adds the verdict on a catalog, under the given name.
    pub fn add(&mut self, catalog: &Path, disk: &Disk) -> Result<(), CliError> {
        let root = disk.root()?;
        let verdict = root.verdict();
        let mut by_package: BTreeMap<&str, Vec<&Diagnostic>> = BTreeMap::from([("", Vec::new())]);
        for package in root.catalog().packages() {
            by_package.entry(&package.name).or_default();
        }
        for problem in &verdict.diagnostics {
            by_package
                .entry(problem.package.as_deref().unwrap_or_default())
                .or_default()
                .push(problem);
        }
        let mut cases: Vec<Case> = by_package
            .into_iter()
            .map(|(package, problems)| Case::new(package, &problems, catalog))
            .collect();
        let has_failure = cases.iter().any(|case| case.failure.is_some());
        if let Some(message) = verdict.opm_message.as_ref().filter(|_| !has_failure)
            && let Some(catalog_case) = cases.first_mut()
        {
            catalog_case.failure = Some(Failure {
                summary: message.clone(),
                rule: "opm validate".to_owned(),
                text: message.clone(),
            });
        }
        self.suites.push(Suite {
            catalog: catalog.display().to_string(),
            cases,
        });
        Ok(())
    }

    /// Adds a catalog that could not be validated.
    pub fn add_failure(&mut self, catalog: &Path, error: &CliError) {
        let case = Case {
            name: CATALOG_CASE.to_owned(),
            error: Some(error.message()),
            ..Case::default()
        };
        self.suites.push(Suite {
            catalog: catalog.display().to_string(),
            cases: vec![case],
        });
    }

    /// Formats the report.
    pub fn finish(&self) -> String {
        let all_cases = self.suites.iter().flat_map(|suite| &suite.cases);
        let mut out = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"switchyard validate\" {}>\n",
            counts(all_cases)
        );
        for suite in &self.suites {
            let catalog = escape(&suite.catalog);
            out.push_str(&format!(
                "  <testsuite name=\"{catalog}\" {}>\n",
                counts(suite.cases.iter())
            ));
            for case in &suite.cases {
                case.write(&catalog, &mut out);
            }
            out.push_str("  </testsuite>\n");
        }
        out.push_str("</testsuites>\n");
        out
    }
}

impl Case {
    /// Creates the case of a package; `""` is the catalog as a whole. Only errors of `opm` fail it.
    fn new(package: &str, problems: &[&Diagnostic], catalog: &Path) -> Self {
        let (errors, others): (Vec<&Diagnostic>, Vec<&Diagnostic>) = problems
            .iter()
            .copied()
            .partition(|problem| problem.opm && problem.severity == Severity::Error);
        let failure = errors.first().map(|first| {
            let more = match errors.len() {
                1 => String::new(),
                count => format!(" ({})", and_more(count - 1)),
            };
            Failure {
                summary: format!("{}{more}", first.message),
                rule: first.rule.clone(),
                text: problems_to_text(&errors, catalog),
            }
        });
        Self {
            name: match package {
                "" => CATALOG_CASE.to_owned(),
                package => format!("package {package}"),
            },
            failure,
            error: None,
            output: problems_to_text(&others, catalog),
        }
    }

    fn write(&self, catalog: &str, out: &mut String) {
        let name = escape(&self.name);
        let mut content = String::new();
        if let Some(Failure {
            summary,
            rule,
            text,
        }) = &self.failure
        {
            let (summary, rule) = (escape(summary), escape(rule));
            content.push_str(&format!(
                "      <failure message=\"{summary}\" type=\"{rule}\">{}</failure>\n",
                escape(text)
            ));
        }
        if let Some(error) = &self.error {
            content.push_str(&format!("      <error message=\"{}\"/>\n", escape(error)));
        }
        if !self.output.is_empty() {
            content.push_str(&format!(
                "      <system-out>{}</system-out>\n",
                escape(&self.output)
            ));
        }
        let start = format!("    <testcase classname=\"{catalog}\" name=\"{name}\"");
        if content.is_empty() {
            out.push_str(&format!("{start}/>\n"));
        } else {
            out.push_str(&format!("{start}>\n{content}    </testcase>\n"));
        }
    }
}

fn problems_to_text(problems: &[&Diagnostic], catalog: &Path) -> String {
    problems
        .iter()
        .map(|problem| problem_to_text(problem, catalog))
        .collect()
}

/// Formats a problem and its hint, one line each.
fn problem_to_text(problem: &Diagnostic, catalog: &Path) -> String {
    let location = &problem.location;
    let mut position = problem_path(catalog, &location.file);
    if !location.file.is_empty() && has_lines(catalog) {
        position.push_str(&format!(":{}:{}", location.line, location.column));
    }
    let kind = problem.severity.name();
    let help = if problem.help.is_empty() {
        String::new()
    } else {
        format!("  help: {}\n", problem.help)
    };
    format!(
        "{position}: {kind}[{}]: {}\n{help}",
        problem.rule, problem.message
    )
}

fn counts<'a>(cases: impl Iterator<Item = &'a Case> + Clone) -> String {
    let tests = cases.clone().count();
    let failures = cases.clone().filter(|case| case.failure.is_some()).count();
    let errors = cases.filter(|case| case.error.is_some()).count();
    format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"")
}

/// Formats workflow commands of GitHub Actions, one annotation per problem. Paths are relative to
/// the current folder, which in a workflow is the repository.
pub(super) fn github(folder: &Path, verdict: &Verdict) -> String {
    let mut out: String = verdict
        .diagnostics
        .iter()
        .map(|problem| annotation(folder, problem))
        .collect();
    if let Some(message) = &verdict.opm_message
        && verdict.diagnostics.is_empty()
    {
        out.push_str(&format!(
            "::error title=opm validate::{}\n",
            annotation_data(message)
        ));
    }
    out
}

fn annotation(folder: &Path, problem: &Diagnostic) -> String {
    let level = match problem.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    };
    let mut message = problem.message.clone();
    if !problem.help.is_empty() {
        message.push_str(&format!("\n{}", problem.help));
    }
    format!(
        "::{level} {}title={}::{}\n",
        annotation_location(folder, &problem.location),
        annotation_property(&problem.rule),
        annotation_data(&message)
    )
}

/// Formats the properties of a location, each followed by a comma; `""` without a file.
fn annotation_location(folder: &Path, location: &Location) -> String {
    if location.file.is_empty() {
        return String::new();
    }
    let Location {
        line,
        column,
        end_line,
        end_column,
        ..
    } = location;
    let end = if end_line == line {
        format!(",endColumn={end_column}")
    } else {
        String::new()
    };
    let file = annotation_property(&config_file::from_current_dir(folder, &location.file));
    format!("file={file},line={line},endLine={end_line},col={column}{end},")
}

fn annotation_data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn annotation_property(text: &str) -> String {
    annotation_data(text)
        .replace(':', "%3A")
        .replace(',', "%2C")
}

/// Returns the path of a file of a catalog. A rendered catalog has no file, so its template is
/// named instead.
fn problem_path(catalog: &Path, file: &str) -> String {
    if input::is_dash(catalog) {
        return config_file::from_current_dir(Path::new("."), file);
    }
    if catalog.is_file() {
        config_file::from_current_dir(catalog, "")
    } else {
        config_file::from_current_dir(catalog, file)
    }
}

/// Whether lines and columns of problems refer to the file that [`problem_path`] names.
fn has_lines(catalog: &Path) -> bool {
    input::is_dash(catalog) || !catalog.is_file()
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_are_escaped() {
        assert_eq!(uri("v4.19/p/catalog.yaml"), "v4.19/p/catalog.yaml");
        assert_eq!(uri("a b/ü:%.yaml"), "a%20b/%C3%BC%3A%25.yaml");
        assert_eq!(uri("/elsewhere/c"), "file:///elsewhere/c");
        assert_eq!(uri(""), ".");
    }
}
