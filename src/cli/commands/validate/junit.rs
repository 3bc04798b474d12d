//! `validate --format junit`: a test suite per catalog with a test case per package, so that the names of cases do not
//! depend on failures. Advice fails no case; it is in the case's output.

use super::{has_lines, problem_path};
use crate::error::CliError;
use crate::input::disk::Disk;
use fbc::xml::escape;
use protocol::counting::and_more;
use protocol::diagnostic::{Diagnostic, Severity};
use std::collections::BTreeMap;
use std::path::Path;

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

    /// The whole report.
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
    let decides = |problem: &&Diagnostic| problem.opm && problem.severity == Severity::Error;
    let (errors, others): (Vec<&Diagnostic>, Vec<&Diagnostic>) =
        problems.iter().copied().partition(decides);
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

/// A problem and its hint, one line each.
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
