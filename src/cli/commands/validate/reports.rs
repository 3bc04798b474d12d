//! `validate --format sarif`, one log with fixes as replaced text; and `--format junit`, a test suite per catalog with a test
//! case per package, so that the names of cases do not depend on failures. Advice fails no case. Also `--format github`.

use crate::error::CliError;
use crate::input::disk::Disk;
use crate::input::{self, config_file};
use ::catalog::diff::{Replacement, replacements};
use protocol::counting::and_more;
use protocol::diagnostic::{Diagnostic, Fix, Location, Severity};
use serde_json::{Map, Value, json};
use session::{Session, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syntax::xml::escape;
use verdict::validate::explain::explain;

/// The published schema.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// Rule id for failures of `opm` with a message that no rule of ours covers.
const OPM: &str = "opm-validate";

/// The log of the catalogs added so far.
#[derive(Debug, Default)]
pub(super) struct Log {
    results: Vec<Value>,
    /// Reasons why catalogs could not be validated.
    notifications: Vec<Value>,
}

impl Log {
    /// Adds the problems of a catalog, under the given name.
    pub(super) fn add(&mut self, catalog: &Path, disk: &mut Disk) -> Result<(), CliError> {
        let verdict = disk.root()?.verdict().clone();
        for problem in &verdict.diagnostics {
            let fixes = problem
                .fixes
                .iter()
                .filter_map(|fix| as_fix(fix, catalog, &mut disk.session))
                .collect();
            self.results.push(result(problem, catalog, fixes));
        }
        if let Some(message) = verdict
            .opm_message
            .as_ref()
            .filter(|_| verdict.diagnostics.is_empty())
        {
            let locations =
                json!([{ "physicalLocation": physical(catalog, &Location::default()) }]);
            self.results.push(json!({
                "ruleId": OPM, "level": "error", "message": { "text": message }, "locations": locations,
            }));
        }
        Ok(())
    }

    /// Adds a catalog that could not be validated.
    pub(super) fn add_failure(&mut self, catalog: &Path, error: &CliError) {
        let text = format!("{}: {}", catalog.display(), error.message());
        self.notifications
            .push(json!({ "level": "error", "message": { "text": text } }));
    }

    /// Returns the whole log.
    pub(super) fn finish(mut self) -> Value {
        let used: BTreeSet<String> = self
            .results
            .iter()
            .filter_map(|result| result["ruleId"].as_str().map(str::to_owned))
            .collect();
        let position = |rule: &Value| {
            used.iter()
                .position(|id| Some(id.as_str()) == rule.as_str())
        };
        for result in &mut self.results {
            let index = position(&result["ruleId"]);
            result["ruleIndex"] = json!(index);
        }
        let version = env!("CARGO_PKG_VERSION");
        let rules: Vec<Value> = used.iter().map(|id| descriptor(id)).collect();
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

/// Describes a rule.
fn descriptor(id: &str) -> Value {
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

fn result(problem: &Diagnostic, catalog: &Path, fixes: Vec<Value>) -> Value {
    let mut result = json!({
        "ruleId": problem.rule,
        "level": level(problem.severity),
        "message": { "text": problem.message_with_help() },
        "locations": [{ "physicalLocation": physical(catalog, &problem.location) }],
    });
    let related: Vec<Value> = problem
        .evidence()
        .map(|(text, at)| json!({ "message": { "text": text }, "physicalLocation": physical(catalog, at) }))
        .collect();
    for (key, items) in [("relatedLocations", related), ("fixes", fixes)] {
        if !items.is_empty() {
            result[key] = each_once(items).into();
        }
    }
    let mut about = Map::new();
    about.insert("catalog".to_owned(), catalog.display().to_string().into());
    for (key, value) in [
        ("package", &problem.package),
        ("channel", &problem.channel),
        ("bundle", &problem.bundle),
    ] {
        if let Some(value) = value {
            about.insert(key.to_owned(), value.as_str().into());
        }
    }
    about.insert("opm".to_owned(), problem.opm.into());
    result["properties"] = about.into();
    result
}

/// Removes repeated items, which SARIF forbids in a list.
fn each_once(items: Vec<Value>) -> Vec<Value> {
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
fn as_fix(fix: &Fix, catalog: &Path, session: &mut Session) -> Option<Value> {
    if !has_lines(catalog) {
        return None;
    }
    let files = session.preview(&fix.ops).ok()?.files;
    let mut changes = Vec::new();
    for file in files {
        let replacements: Vec<Value> = replacements(&file.hunks)?.iter().map(replacement).collect();
        if !replacements.is_empty() {
            changes.push(json!({ "artifactLocation": artifact(catalog, &file.path), "replacements": replacements }));
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

fn replacement(replacement: &Replacement) -> Value {
    let region = json!({
        "startLine": replacement.start.0, "startColumn": replacement.start.1, "endLine": replacement.end.0, "endColumn": replacement.end.1,
    });
    match replacement.text.is_empty() {
        true => json!({ "deletedRegion": region }),
        false => {
            json!({ "deletedRegion": region, "insertedContent": { "text": replacement.text } })
        }
    }
}

/// Returns the file, with lines and columns if known. A problem of a catalog as a whole is placed at its folder.
fn physical(catalog: &Path, at: &Location) -> Value {
    let mut place = json!({ "artifactLocation": artifact(catalog, &at.file) });
    if !at.file.is_empty() && at.line > 0 && has_lines(catalog) {
        place["region"] = json!({
            "startLine": at.line, "startColumn": at.column.max(1),
            "endLine": at.end_line.max(at.line), "endColumn": at.end_column.max(1),
        });
    }
    place
}

fn artifact(catalog: &Path, file: &str) -> Value {
    json!({ "uri": uri(&problem_path(catalog, file)) })
}

/// Converts a path to a URI: relative to the current folder, or with the scheme `file`.
fn uri(path: &str) -> String {
    let mut out = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=@".contains(&byte);
        match is_plain {
            true => out.push(char::from(byte)),
            false => out.push_str(&format!("%{byte:02X}")),
        }
    }
    if out.is_empty() { ".".to_owned() } else { out }
}

/// Name of the case for problems outside of any package.
const WHOLE: &str = "catalog";

/// The suites of the catalogs added so far.
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
    /// Why it fails: a summary, the first rule, and all errors.
    failure: Option<(String, String, String)>,
    /// Why it could not be validated.
    error: Option<String>,
    /// Warnings and information.
    output: String,
}

impl Suites {
    /// Adds the verdict on a catalog, under the given name.
    pub(super) fn add(&mut self, catalog: &Path, disk: &Disk) -> Result<(), CliError> {
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
            .map(|(package, problems)| case(package, &problems, catalog))
            .collect();
        let fails = cases.iter().any(|case| case.failure.is_some());
        if let Some(message) = verdict.opm_message.as_ref().filter(|_| !fails)
            && let Some(whole) = cases.first_mut()
        {
            whole.failure = Some((message.clone(), "opm validate".to_owned(), message.clone()));
        }
        self.suites.push(Suite {
            catalog: catalog.display().to_string(),
            cases,
        });
        Ok(())
    }

    /// Adds a catalog that could not be validated.
    pub(super) fn add_failure(&mut self, catalog: &Path, error: &CliError) {
        let case = Case {
            name: WHOLE.to_owned(),
            error: Some(error.message()),
            ..Case::default()
        };
        self.suites.push(Suite {
            catalog: catalog.display().to_string(),
            cases: vec![case],
        });
    }

    /// Returns the whole report.
    pub(super) fn finish(&self) -> String {
        let all = || self.suites.iter().flat_map(|suite| &suite.cases);
        let mut out = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"switchyard validate\" {}>\n",
            counts(all())
        );
        for suite in &self.suites {
            let catalog = escape(&suite.catalog);
            out.push_str(&format!(
                "  <testsuite name=\"{catalog}\" {}>\n",
                counts(suite.cases.iter())
            ));
            suite
                .cases
                .iter()
                .for_each(|case| case.write(&catalog, &mut out));
            out.push_str("  </testsuite>\n");
        }
        out.push_str("</testsuites>\n");
        out
    }
}

impl Case {
    fn write(&self, catalog: &str, out: &mut String) {
        let name = escape(&self.name);
        let mut inside = String::new();
        if let Some((summary, rule, text)) = &self.failure {
            let (summary, rule) = (escape(summary), escape(rule));
            inside.push_str(&format!(
                "      <failure message=\"{summary}\" type=\"{rule}\">{}</failure>\n",
                escape(text)
            ));
        }
        if let Some(error) = &self.error {
            inside.push_str(&format!("      <error message=\"{}\"/>\n", escape(error)));
        }
        if !self.output.is_empty() {
            inside.push_str(&format!(
                "      <system-out>{}</system-out>\n",
                escape(&self.output)
            ));
        }
        let start = format!("    <testcase classname=\"{catalog}\" name=\"{name}\"");
        match inside.is_empty() {
            true => out.push_str(&format!("{start}/>\n")),
            false => out.push_str(&format!("{start}>\n{inside}    </testcase>\n")),
        }
    }
}

fn case(package: &str, problems: &[&Diagnostic], catalog: &Path) -> Case {
    let (errors, others): (Vec<&Diagnostic>, Vec<&Diagnostic>) = problems
        .iter()
        .copied()
        .partition(|problem: &&Diagnostic| problem.opm && problem.severity == Severity::Error);
    let lines = |problems: &[&Diagnostic]| {
        problems
            .iter()
            .map(|problem| line(problem, catalog))
            .collect::<String>()
    };
    let failure = errors.first().map(|first| {
        let more = match errors.len() {
            1 => String::new(),
            count => format!(" ({})", and_more(count - 1)),
        };
        (
            format!("{}{more}", first.message),
            first.rule.clone(),
            lines(&errors),
        )
    });
    let name = if package.is_empty() {
        WHOLE.to_owned()
    } else {
        format!("package {package}")
    };
    Case {
        name,
        failure,
        error: None,
        output: lines(&others),
    }
}

/// Formats a problem and its hint, one line each.
fn line(problem: &Diagnostic, catalog: &Path) -> String {
    let at = &problem.location;
    let path = problem_path(catalog, &at.file);
    let place = match at.file.is_empty() || !has_lines(catalog) {
        true => path,
        false => format!("{path}:{}:{}", at.line, at.column),
    };
    let kind = match problem.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    };
    let help = if problem.help.is_empty() {
        String::new()
    } else {
        format!("  help: {}\n", problem.help)
    };
    format!(
        "{place}: {kind}[{}]: {}\n{help}",
        problem.rule, problem.message
    )
}

fn counts<'a>(cases: impl Iterator<Item = &'a Case> + Clone) -> String {
    let tests = cases.clone().count();
    let failures = cases.clone().filter(|case| case.failure.is_some()).count();
    let errors = cases.filter(|case| case.error.is_some()).count();
    format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"")
}

/// Formats workflow commands of GitHub Actions, one annotation per problem. Paths are relative to the current folder,
/// which in a workflow is the repository.
pub(super) fn github(folder: &Path, verdict: &Verdict) -> String {
    let mut out = String::new();
    for d in &verdict.diagnostics {
        let level = match d.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let at = &d.location;
        let help = if d.help.is_empty() {
            String::new()
        } else {
            format!("\n{}", d.help)
        };
        let place = if at.file.is_empty() {
            String::new()
        } else {
            let (line, column) = (at.line, at.column);
            let end = if at.end_line == line {
                format!(",endColumn={}", at.end_column)
            } else {
                String::new()
            };
            format!(
                "file={},line={line},endLine={},col={column}{end},",
                annotation_property(&config_file::from_here(folder, &at.file)),
                at.end_line
            )
        };
        let message = annotation_data(&format!("{}{help}", d.message));
        out.push_str(&format!(
            "::{level} {place}title={}::{message}\n",
            annotation_property(&d.rule)
        ));
    }
    if let Some(message) = verdict
        .opm_message
        .as_ref()
        .filter(|_| verdict.diagnostics.is_empty())
    {
        out.push_str(&format!(
            "::error title=opm validate::{}\n",
            annotation_data(message)
        ));
    }
    out
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

/// Returns the path of a file of a catalog. A rendered catalog has no file, so its template is named instead.
fn problem_path(catalog: &Path, file: &str) -> String {
    if input::is_dash(catalog) {
        return config_file::from_here(Path::new("."), file);
    }
    if catalog.is_file() {
        config_file::from_here(catalog, "")
    } else {
        config_file::from_here(catalog, file)
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
