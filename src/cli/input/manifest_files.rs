//! Manifests on disk: Subscriptions, ClusterExtensions and dumps of a cluster.

use super::{is_dash, read_any, walk};
use crate::error::{CliError, io_reason};
use crate::output;
use ::catalog::model::Package;
use bundle::manifests::{ManifestErrorAt, ParsedManifest, parse, parse_files};
use serde_json::{Value, json};
use std::path::Path;

/// Larger files in a folder, in bytes, are skipped.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// Only files that mention one of these API groups, of Classic and of v1, are parsed.
const API_GROUPS: [&str; 2] = ["operators.coreos.com", "olm.operatorframework.io"];

/// A Subscription or ClusterExtension.
#[derive(Debug, Clone)]
pub(crate) struct ManifestSource {
    /// The file, as on the command line.
    file: String,
    pub parsed: ParsedManifest,
}

/// Reads the objects of a file, or of the files of a folder. Fails if `catalog` needs standard
/// input, too.
pub(crate) fn read(path: &Path, catalog: &Path) -> Result<Vec<ManifestSource>, CliError> {
    if path.is_dir() {
        return read_folder(path);
    }
    let file = path.display().to_string();
    let parsed = parse(&read_manifest(path, catalog)?).map_err(|at| manifest_error(&file, at))?;
    let sources = parsed.into_iter().map(|parsed| ManifestSource {
        file: file.clone(),
        parsed,
    });
    Ok(sources.collect())
}

/// Reads the objects of all files of a folder, such as a must-gather: the installed CSVs of a
/// namespace may be in other files than its Subscriptions.
fn read_folder(folder: &Path) -> Result<Vec<ManifestSource>, CliError> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for found in walk::walk(folder)? {
        let has_data_suffix = [".yaml", ".yml", ".json"]
            .iter()
            .any(|suffix| found.path.ends_with(suffix));
        if !has_data_suffix
            || !std::fs::metadata(&found.on_disk)
                .is_ok_and(|file| file.is_file() && file.len() <= MAX_FILE_BYTES)
        {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&found.on_disk) else {
            continue;
        };
        if API_GROUPS.iter().any(|group| text.contains(group)) {
            let path = folder.join(&found.path).display().to_string();
            files.push((path, text.into_bytes()));
        }
    }
    let mut sources = Vec::new();
    let parsed = parse_files(files.iter().map(|(_, text)| text.as_slice()));
    for ((file, _), parsed) in files.iter().zip(parsed) {
        let Some(questions) = parsed.questions else {
            continue;
        };
        let questions = questions.map_err(|at| manifest_error(file, at))?;
        sources.extend(questions.into_iter().map(|parsed| ManifestSource {
            file: file.clone(),
            parsed,
        }));
    }
    if sources.is_empty() {
        let message = format!(
            "{} has no file with a Subscription or ClusterExtension",
            folder.display()
        );
        return Err(CliError::new(message).hint("files end in .yaml, .yml or .json"));
    }
    Ok(sources)
}

fn read_manifest(path: &Path, catalog: &Path) -> Result<Vec<u8>, CliError> {
    if is_dash(path) && is_dash(catalog) {
        return Err(
            CliError::new("catalog and manifest cannot both come on standard input")
                .hint("name a file for one"),
        );
    }
    read_any(path).map_err(|error| {
        let reason = io_reason(&error);
        cli_error!("cannot read {}: {reason}", path.display())
    })
}

pub(crate) fn manifest_error(file: &str, at: ManifestErrorAt) -> CliError {
    CliError::new(at.error.reason)
        .at(format!("{file}:{}", at.line))
        .hint(at.error.help)
}

impl ManifestSource {
    /// Formats a location as `file:line`.
    pub fn location(&self, line: u32) -> String {
        format!("{}:{line}", self.file)
    }

    pub fn error(&self, at: ManifestErrorAt) -> CliError {
        manifest_error(&self.file, at)
    }

    /// Warns about references that the package lacks; they don't prevent the answer.
    pub fn warn_of_missing(&self, package: &Package, installed: Option<&str>) {
        for ManifestErrorAt { line, error } in self.parsed.missing_in(package, installed) {
            output::print_diagnostic(
                "warning",
                &error.reason,
                Some(&self.location(line)),
                &error.help,
            );
        }
    }

    /// Formats the heading of one of several answers.
    pub fn heading(&self) -> String {
        let ParsedManifest { name, line, .. } = &self.parsed;
        format!(
            "{} {} ({})",
            self.parsed.kind(),
            output::one_line(name),
            self.location(*line)
        )
    }

    pub fn json(&self) -> Value {
        json!({ "file": self.file, "line": self.parsed.line, "kind": self.parsed.kind(), "name": self.parsed.name })
    }
}
