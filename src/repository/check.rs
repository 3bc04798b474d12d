//! The pipeline's static checks of a pull request, and problems that it does not report.
//!
//! Excludes checks that need other programs or the network, and those that the pipeline skips for
//! operators with file-based catalogs. If the pipeline would crash, we report that as a finding of our own.

mod bundle;
mod catalogs;
mod config;

use super::document::Node;
use super::layout;
use super::layout::Files;
use super::operator::{Bundle, Failure, read_document};
use super::rules::{Finding, Severity};
use config::Config;
use regex_lite::Regex;

pub use catalogs::obstacles;

/// The subject of a pull request.
#[derive(Debug, Clone, Default)]
pub struct Request<'a> {
    /// The operator's folder name.
    pub operator: &'a str,
    /// The folder name of one of its bundles.
    pub bundle: Option<&'a str>,
    /// Catalogs that contain the operator.
    pub catalogs: &'a [String],
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    pub findings: Vec<Finding>,
    /// Checks that `config.yaml` skips for this operator.
    pub skipped: Vec<String>,
}

impl Report {
    /// Adds findings about what stops the pull request after the checks.
    pub fn with(mut self, findings: Vec<Finding>) -> Self {
        self.findings.extend(findings);
        self
    }

    pub fn has_passed(&self) -> bool {
        self.findings
            .iter()
            .all(|finding| finding.severity != Severity::Error)
    }
}

type Checked = Result<Vec<Finding>, Failure>;

/// Checks an operator with the given bundle and catalogs. Reports a bundle or catalog that does not
/// exist.
pub fn check(files: &dyn Files, request: &Request<'_>) -> Report {
    let operator = request.operator;
    let (skipped, mut found) = read_skipped_checks(files, operator);
    let mut made: Vec<(&'static str, Checked)> = Vec::new();
    let config = Config::read(files, operator);
    made.push((config::CI_SCHEMA, config::check_ci_schema(&config)));
    made.push((config::USAGE, config::usage(&config)));
    if let Some(version) = request.bundle {
        match Bundle::open(files, operator, version) {
            Err(missing) => found.push(missing),
            Ok(bundle) => {
                made.push((bundle::OPERATOR_NAME, bundle::check_operator_name(&bundle)));
                made.push((
                    config::BUNDLE_RELEASE_CONFIG,
                    config::check_release_config(&bundle, &config),
                ));
                made.push((
                    config::RELEASE_CONFIG_SCHEMA,
                    config::check_release_config_schema(&bundle),
                ));
                made.push((
                    bundle::VERSION_FOLDER,
                    bundle::check_version_folder(&bundle),
                ));
                made.push((
                    bundle::NETWORK_POLICY,
                    bundle::check_network_policy(&bundle),
                ));
                made.push((
                    bundle::REQUIRED_FIELDS,
                    bundle::check_required_fields(&bundle),
                ));
                found.extend(config::release_config_remarks(&bundle, &config));
                found.extend(bundle::default_channel_remarks(&bundle, &config));
            }
        }
    }
    let catalogs = catalogs::find_catalogs(files, operator, request.catalogs, &mut found);
    made.push((catalogs::IMAGES, catalogs::images(files, &catalogs)));
    made.push((catalogs::OBJECTS, catalogs::objects(&catalogs)));
    found.extend(catalogs::remarks(&catalogs));
    found.extend(config::ci_remarks(files, &config));
    found.extend(config::release_configs(files, operator));
    if request.bundle.is_some() && !request.catalogs.is_empty() {
        let message = "a pull request may change the bundle or catalogs, but not both";
        let finding = Finding::warning(
            "bundle-and-catalogs",
            layout::operator_folder(operator),
            message,
        );
        found.push(finding.help("submit the bundle first, and the catalogs once it is released"));
    }
    Report {
        findings: merge_findings(made, found, &skipped),
        skipped,
    }
}

/// Findings about the default channel in a bundle's annotations.
pub(super) fn default_channel_findings(
    files: &dyn Files,
    operator: &str,
    version: &str,
) -> Vec<Finding> {
    let bundle = Bundle::at(files, operator, version);
    bundle::default_channel_remarks(&bundle, &Config::read(files, operator))
}

/// Checks the `ci.yaml` of an operator and the `release-config.yaml` of its unreleased bundles: the
/// part of [`check`] that reads no catalog.
pub fn configuration(
    files: &dyn Files,
    operator: &str,
    is_released: &dyn Fn(&str) -> bool,
) -> Vec<Finding> {
    let (skipped, mut found) = read_skipped_checks(files, operator);
    let config = Config::read(files, operator);
    let mut made: Vec<(&'static str, Checked)> = vec![
        (config::CI_SCHEMA, config::check_ci_schema(&config)),
        (config::USAGE, config::usage(&config)),
    ];
    found.extend(config::ci_remarks(files, &config));
    found.extend(config::release_configs(files, operator));
    for version in layout::bundles(files, operator) {
        let entries = files.entries(&layout::bundle_folder(operator, &version));
        if is_released(&version)
            || entries
                .iter()
                .all(|entry| entry.name != layout::RELEASE_CONFIG)
        {
            continue;
        }
        let bundle = Bundle::at(files, operator, &version);
        made.push((
            config::BUNDLE_RELEASE_CONFIG,
            config::check_release_config(&bundle, &config),
        ));
        made.push((
            config::RELEASE_CONFIG_SCHEMA,
            config::check_release_config_schema(&bundle),
        ));
        found.extend(config::release_config_remarks(&bundle, &config));
        found.extend(bundle::default_channel_remarks(&bundle, &config));
    }
    let mut findings = merge_findings(made, found, &skipped);
    // Several checks may crash at one position; report the first.
    let mut failed: Vec<(String, Option<u32>)> = Vec::new();
    findings.retain(|finding| {
        let place = (finding.file.clone(), finding.line);
        let is_known = finding.check == FAILS && failed.contains(&place);
        if finding.check == FAILS && !is_known {
            failed.push(place);
        }
        !is_known
    });
    findings
}

/// Returns the checks that the repository's configuration skips for an operator, and problems of
/// that configuration.
fn read_skipped_checks(files: &dyn Files, operator: &str) -> (Vec<String>, Vec<Finding>) {
    let (mut skipped, mut findings) = (Vec::new(), Vec::new());
    let config = match read_document(files, layout::CONFIG) {
        Ok(config) => config,
        Err(failure) => {
            let message = format!(
                "the configuration of the repository cannot be read: {}",
                failure.why
            );
            findings.push(
                Finding::error("config-unreadable", failure.file, message).on_line(failure.line),
            );
            return (skipped, findings);
        }
    };
    let tests = config
        .as_ref()
        .and_then(|config| config.root()?.get("tests"));
    for test in tests.into_iter().flat_map(Node::items) {
        let Some(name) = test.get("name").and_then(Node::text) else {
            continue;
        };
        let patterns = test.get("ignore_operators");
        for pattern in patterns.into_iter().flat_map(Node::items) {
            let Some(text) = pattern.text() else { continue };
            // Python's `re.match` requires a match at the start only.
            match Regex::new(&format!("^(?:{text})")) {
                Ok(regex) if regex.is_match(operator) => skipped.push(name.clone().into_owned()),
                Ok(_) => {}
                Err(error) => {
                    let message = format!("`{text}` is not a regular expression: {error}");
                    findings.push(
                        Finding::warning("config-pattern", layout::CONFIG, message)
                            .on_line(pattern.line()),
                    );
                }
            }
        }
    }
    skipped.dedup();
    (skipped, findings)
}

/// Our own finding where the pipeline would crash.
const FAILS: &str = "pipeline-fails";

/// Returns the results of the checks that are not skipped, followed by our own findings.
fn merge_findings(
    made: Vec<(&'static str, Checked)>,
    found: Vec<Finding>,
    skipped: &[String],
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (check, result) in made
        .into_iter()
        .filter(|(check, _)| !skipped.iter().any(|name| name == check))
    {
        match result {
            Ok(results) => findings.extend(results),
            Err(failure) => {
                let message = format!("the pipeline crashes in {check}: {}", failure.why);
                findings.push(Finding::error(FAILS, failure.file, message).on_line(failure.line));
            }
        }
    }
    findings.extend(found);
    findings
}
