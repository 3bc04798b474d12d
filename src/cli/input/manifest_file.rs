//! The file of `--manifest`: Subscriptions and ClusterExtensions as questions, with the places of their references.

use crate::args::UpgradeArgs;
use crate::error::CliError;
use crate::input::standard_input;
use crate::input::upgrade_question::UpgradeRequest;
use crate::input::walk;
use crate::output;
use fbc::did_you_mean::did_you_mean;
use fbc::manifests::{ManifestErrorAt, ParsedManifest, parse, parse_files};
use fbc::model::Package;
use serde_json::{Value, json};
use std::io::Read;
use std::path::Path;

/// Larger files in a folder are skipped.
const MOST_READ: u64 = 64 << 20;

/// Only files that mention one of these API groups, of Classic and of v1, are parsed.
const GROUPS: [&str; 2] = ["operators.coreos.com", "olm.operatorframework.io"];

/// An object with a question, and its file as given on the command line.
#[derive(Debug, Clone)]
pub(crate) struct ManifestSource {
    file: String,
    pub(crate) parsed: ParsedManifest,
}

/// The questions from the options: a single one, or one per object of the manifest.
pub(crate) fn requests(args: &UpgradeArgs) -> Result<Vec<UpgradeRequest>, CliError> {
    let Some(path) = &args.manifest else {
        return Ok(vec![UpgradeRequest::from_options(args)?]);
    };
    let file = path.display().to_string();
    let found = match path.is_dir() {
        true => read_folder(path)?,
        false => {
            let parsed = parse(&read(path, args)?).map_err(|at| error(&file, at))?;
            let source = |parsed| ManifestSource {
                file: file.clone(),
                parsed,
            };
            parsed.into_iter().map(source).collect()
        }
    };
    let wanted = args.package.name();
    let names: Vec<String> = found
        .iter()
        .map(|source| source.parsed.package.value.clone())
        .collect();
    let found = found
        .into_iter()
        .filter(|source| wanted.is_none_or(|name| source.parsed.package.value == name));
    let requests: Vec<UpgradeRequest> = found
        .map(|source| UpgradeRequest::from_manifest(source, args.installed.as_deref()))
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

/// The objects of all files of a folder, such as a must-gather: the installed CSVs of a namespace may be in other files
/// than its Subscriptions.
fn read_folder(folder: &Path) -> Result<Vec<ManifestSource>, CliError> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for found in walk::walk(folder)? {
        let is_data = [".yaml", ".yml", ".json"]
            .iter()
            .any(|ending| found.path.ends_with(ending));
        let has_size = |file: &std::fs::Metadata| file.is_file() && file.len() <= MOST_READ;
        if !is_data || !std::fs::metadata(&found.on_disk).is_ok_and(|file| has_size(&file)) {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&found.on_disk) else {
            continue;
        };
        if GROUPS.iter().any(|group| text.contains(group)) {
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
        let source = |parsed| ManifestSource {
            file: file.clone(),
            parsed,
        };
        let questions = questions.map_err(|at| error(file, at))?;
        sources.extend(questions.into_iter().map(source));
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

fn read(path: &Path, args: &UpgradeArgs) -> Result<Vec<u8>, CliError> {
    let failed = |e: std::io::Error| {
        CliError::new(format!(
            "cannot read {}: {}",
            path.display(),
            walk::io_reason(&e)
        ))
    };
    if !standard_input::is_dash(path) {
        return std::fs::read(path).map_err(failed);
    }
    if standard_input::is_dash(&args.dir) {
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
    pub(crate) fn place(&self, line: u32) -> String {
        format!("{}:{line}", self.file)
    }

    pub(crate) fn error(&self, at: ManifestErrorAt) -> CliError {
        error(&self.file, at)
    }

    /// Warns about references that the package lacks; they don't prevent the answer.
    pub(crate) fn warn_of_missing(&self, package: &Package, installed: Option<&str>) {
        for ManifestErrorAt { line, error } in self.parsed.missing_in(package, installed) {
            output::print_diagnostic(
                "warning",
                &error.reason,
                Some(&self.place(line)),
                &error.help,
            );
        }
    }

    /// The heading of an answer if there are several.
    pub(crate) fn heading(&self) -> String {
        let ParsedManifest { name, line, .. } = &self.parsed;
        format!(
            "{} {} ({})",
            self.parsed.kind(),
            output::one_line(name),
            self.place(*line)
        )
    }

    pub(crate) fn json(&self) -> Value {
        json!({ "file": self.file, "line": self.parsed.line, "kind": self.parsed.kind(), "name": self.parsed.name })
    }
}
