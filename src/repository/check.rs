//! The pipeline's static checks of a pull request, and problems that it does not report.
//!
//! Excludes checks that need other programs or the network, and those that the pipeline skips for
//! operators with file-based catalogs. A crash of the pipeline is a finding of its own.

mod bundle;
mod catalogs;
mod config;
mod iso_date;

use super::document::Node;
use super::layout;
use super::layout::Files;
use super::operator::{Bundle, Failure, read_document};
use super::rules::Finding;
use config::Config;
use protocol::diagnostic::Severity;
use regex_lite::Regex;

pub use catalogs::obstacles;

/// The id of our own finding where the pipeline would crash.
const PIPELINE_FAILS: &str = "pipeline-fails";

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

/// The findings of a check, or why the pipeline crashes in it.
type CheckResult = Result<Vec<Finding>, Failure>;

/// The result of a check with the pipeline's name for it.
type NamedResult = (&'static str, CheckResult);

/// Checks an operator with the requested bundle and catalogs. Reports those that do not exist.
pub fn check(files: &dyn Files, request: &Request<'_>) -> Report {
    let operator = request.operator;
    let (skipped, mut remarks) = read_skipped_checks(files, operator);
    let mut results: Vec<NamedResult> = Vec::new();
    let config = Config::read(files, operator);
    results.push((config::CI_SCHEMA, config::check_ci_schema(&config)));
    results.push((config::CATALOG_USAGE, config::check_catalog_usage(&config)));
    if let Some(version) = request.bundle {
        match Bundle::open(files, operator, version) {
            Err(missing) => remarks.push(missing),
            Ok(bundle) => {
                results.push((bundle::OPERATOR_NAME, bundle::check_operator_name(&bundle)));
                results.extend(check_release_config(&bundle, &config));
                results.push((
                    bundle::VERSION_FOLDER,
                    bundle::check_version_folder(&bundle),
                ));
                results.push((
                    bundle::NETWORK_POLICY,
                    bundle::check_network_policy(&bundle),
                ));
                results.push((
                    bundle::REQUIRED_FIELDS,
                    bundle::check_required_fields(&bundle),
                ));
                remarks.extend(config::release_config_remarks(&bundle, &config));
                remarks.extend(bundle::default_channel_remarks(&bundle, &config));
            }
        }
    }
    let catalogs = catalogs::find_catalogs(files, operator, request.catalogs, &mut remarks);
    results.push((catalogs::IMAGES, catalogs::check_images(files, &catalogs)));
    results.push((catalogs::OBJECTS, catalogs::check_objects(&catalogs)));
    remarks.extend(catalogs::later_object_remarks(&catalogs));
    remarks.extend(config::ci_remarks(files, &config));
    remarks.extend(config::find_unread_release_configs(files, operator));
    if request.bundle.is_some() && !request.catalogs.is_empty() {
        let message = "a pull request may change the bundle or catalogs, but not both";
        let finding = Finding::warning(
            "bundle-and-catalogs",
            layout::operator_folder(operator),
            message,
        );
        remarks.push(finding.help("submit the bundle first, and the catalogs once it is released"));
    }
    Report {
        findings: merge_findings(results, remarks, &skipped),
        skipped,
    }
}

/// Checks the default channel in a bundle's annotations.
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
pub fn check_configuration(
    files: &dyn Files,
    operator: &str,
    is_released: &dyn Fn(&str) -> bool,
) -> Vec<Finding> {
    let (skipped, mut remarks) = read_skipped_checks(files, operator);
    let config = Config::read(files, operator);
    let mut results: Vec<NamedResult> = vec![
        (config::CI_SCHEMA, config::check_ci_schema(&config)),
        (config::CATALOG_USAGE, config::check_catalog_usage(&config)),
    ];
    remarks.extend(config::ci_remarks(files, &config));
    remarks.extend(config::find_unread_release_configs(files, operator));
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
        results.extend(check_release_config(&bundle, &config));
        remarks.extend(config::release_config_remarks(&bundle, &config));
        remarks.extend(bundle::default_channel_remarks(&bundle, &config));
    }
    let mut findings = merge_findings(results, remarks, &skipped);
    // Several checks may crash at one position; report the first.
    let mut crash_positions: Vec<(String, Option<u32>)> = Vec::new();
    findings.retain(|finding| {
        if finding.check != PIPELINE_FAILS {
            return true;
        }
        let position = (finding.file.clone(), finding.line);
        let is_first = !crash_positions.contains(&position);
        crash_positions.push(position);
        is_first
    });
    findings
}

fn check_release_config(bundle: &Bundle<'_>, config: &Config<'_>) -> [NamedResult; 2] {
    [
        (
            config::BUNDLE_RELEASE_CONFIG,
            config::check_release_config(bundle, config),
        ),
        (
            config::RELEASE_CONFIG_SCHEMA,
            config::check_release_config_schema(bundle),
        ),
    ]
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
                failure.reason
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

/// Returns the results of the checks that are not skipped, followed by our own findings.
fn merge_findings(
    results: Vec<NamedResult>,
    remarks: Vec<Finding>,
    skipped: &[String],
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (check, result) in results
        .into_iter()
        .filter(|(check, _)| !skipped.iter().any(|name| name == check))
    {
        match result {
            Ok(results) => findings.extend(results),
            Err(failure) => {
                let message = format!("the pipeline crashes in {check}: {}", failure.reason);
                findings.push(
                    Finding::error(PIPELINE_FAILS, failure.file, message).on_line(failure.line),
                );
            }
        }
    }
    findings.extend(remarks);
    findings
}
