//! The file of `--manifest`: Subscriptions and ClusterExtensions as questions, with the places of what they name.

use super::args::UpgradeArgs;
use super::error::CliError;
use super::output;
use super::standard_input;
use super::upgrade_question::UpgradeRequest;
use super::walk;
use fbc::did_you_mean::did_you_mean;
use fbc::manifests::{ManifestErrorAt, ParsedManifest, parse};
use fbc::model::Package;
use serde_json::{Value, json};
use std::io::Read;
use std::path::Path;

/// An object that asks, and its file as it was named.
#[derive(Debug, Clone)]
pub(super) struct ManifestSource {
    file: String,
    pub(super) parsed: ParsedManifest,
}

/// What the options ask: one question, or one for each object of the manifest.
pub(super) fn requests(args: &UpgradeArgs) -> Result<Vec<UpgradeRequest>, CliError> {
    let Some(path) = &args.manifest else {
        return Ok(vec![UpgradeRequest::of_options(args)?]);
    };
    let file = path.display().to_string();
    let text = read(path, args)?;
    let found = parse(&text).map_err(|at| error(&file, at))?;
    let wanted = args.package.name();
    let names: Vec<String> = found
        .iter()
        .map(|parsed| parsed.package.value.clone())
        .collect();
    let found = found
        .into_iter()
        .filter(|parsed| wanted.is_none_or(|name| parsed.package.value == name));
    let requests: Vec<UpgradeRequest> = found
        .map(|parsed| {
            UpgradeRequest::of_manifest(
                ManifestSource {
                    file: file.clone(),
                    parsed,
                },
                args.installed.as_deref(),
            )
        })
        .collect();
    if requests.is_empty() {
        let wanted = wanted.unwrap_or_default();
        let all = format!("its packages: {}", names.join(", "));
        let hint = did_you_mean(wanted, names.iter().map(String::as_str), &all);
        return Err(
            CliError::new(format!("{file} has no object for package `{wanted}`")).hint(hint),
        );
    }
    Ok(requests)
}

fn read(path: &Path, args: &UpgradeArgs) -> Result<Vec<u8>, CliError> {
    let failed = |e: std::io::Error| {
        CliError::new(format!(
            "cannot read {}: {}",
            path.display(),
            walk::words(&e)
        ))
    };
    if !standard_input::is_meant(path) {
        return std::fs::read(path).map_err(failed);
    }
    if standard_input::is_meant(&args.dir) {
        return Err(
            CliError::new("catalog and manifest cannot both come on standard input")
                .hint("name a file for one"),
        );
    }
    let mut text = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut text)
        .map_err(failed)?;
    Ok(text)
}

fn error(file: &str, at: ManifestErrorAt) -> CliError {
    CliError::new(at.error.reason)
        .at(format!("{file}:{}", at.line))
        .hint(at.error.help)
}

impl ManifestSource {
    /// `file:line`.
    pub(super) fn place(&self, line: u32) -> String {
        format!("{}:{line}", self.file)
    }

    pub(super) fn error(&self, at: ManifestErrorAt) -> CliError {
        error(&self.file, at)
    }

    /// Says what the package does not have; OLM is asked all the same.
    pub(super) fn warn_of_missing(&self, package: &Package, installed: Option<&str>) {
        for ManifestErrorAt { line, error } in self.parsed.missing_in(package, installed) {
            output::print_diagnostic(
                "warning",
                &error.reason,
                Some(&self.place(line)),
                &error.help,
            );
        }
    }

    /// What stands before an answer where there are several.
    pub(super) fn heading(&self) -> String {
        let ParsedManifest { name, line, .. } = &self.parsed;
        format!(
            "{} {} ({})",
            self.parsed.kind(),
            output::one_line(name),
            self.place(*line)
        )
    }

    pub(super) fn json(&self) -> Value {
        json!({ "file": self.file, "line": self.parsed.line, "kind": self.parsed.kind(), "name": self.parsed.name })
    }
}
