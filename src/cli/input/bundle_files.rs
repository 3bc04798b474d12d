//! Manifests on disk: those of a bundle, and those of a Subscription or a ClusterExtension.

use super::upgrade_question::UpgradeRequest;
use super::walk;
use crate::args::UpgradeArgs;
use crate::error::CliError;
use crate::output;
use ::catalog::archive::{self, ImageContent, Limits, Memory, Part};
use ::catalog::ignore::{FILE_NAME, IgnoreRules};
use ::catalog::model::Package;
use bundle::manifests::{ManifestErrorAt, ParsedManifest, parse, parse_files};
use bundle::{self, File};
use serde_json::{Value, json};
use std::io::Read;
use std::path::Path;
use syntax::did_you_mean::did_you_mean;

/// The content of a reference.
#[derive(Debug)]
pub(crate) enum Source {
    /// The files of `manifests` and `metadata`.
    Bundle(Vec<File>),
    /// Blobs, and a read error. It is reported only if nothing else is wrong, since `opm` reads several files at a time.
    Catalog(Vec<File>, Option<String>),
}

/// Reads a reference. The error is worded as in `opm`.
pub(crate) fn read(path: &Path) -> Result<Source, CliError> {
    if crate::input::walk::is_dash(path) {
        let bytes = crate::input::walk::Input::read()?.into_bytes();
        return Ok(Source::Catalog(
            vec![File {
                path: crate::input::walk::NAME.to_owned(),
                bytes,
            }],
            None,
        ));
    }
    let metadata = std::fs::metadata(path).map_err(|error| {
        CliError::new(format!(
            "stat {}: {}",
            path.display(),
            walk::io_reason(&error)
        ))
    })?;
    if !metadata.is_dir() {
        return file(path);
    }
    match is_bundle(path) {
        true => bundle(path).map(Source::Bundle),
        false => catalog(path).map(|(files, obstacle)| Source::Catalog(files, obstacle)),
    }
}

fn file(path: &Path) -> Result<Source, CliError> {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    if archive::is_archive(&name) {
        return read_archive(path, &name);
    }
    Ok(Source::Catalog(
        vec![File {
            path: name,
            bytes: bytes(path)?,
        }],
        None,
    ))
}

fn bytes(path: &Path) -> Result<Vec<u8>, CliError> {
    std::fs::read(path).map_err(|error| {
        CliError::new(format!(
            "open {}: {}",
            path.display(),
            walk::io_reason(&error)
        ))
    })
}

/// The content of an archive: the image of a bundle or a catalog, or a folder with one.
fn read_archive(path: &Path, name: &str) -> Result<Source, CliError> {
    let limits = Limits::default();
    let unpacked = archive::unpack_wanted(
        &Memory,
        &Part::new(bytes(path)?),
        name,
        &limits,
        ImageContent::CatalogOrBundle,
    )
    .map_err(|refused| CliError::new(format!("{}: {refused}", path.display())))?;
    let members = unpacked.members.into_iter();
    let files: Vec<File> = members
        .filter_map(|member| {
            Some(File {
                path: member.path,
                bytes: member.bytes?.bytes().to_vec(),
            })
        })
        .collect();
    // The two folders of a bundle may be inside a folder of the archive.
    let bundle = bundle::bundle_directories(files.iter().map(|file| file.path.as_str()))
        .first()
        .map(|folder| bundle::files_of(&files, folder));
    Ok(bundle.map_or(Source::Catalog(files, None), Source::Bundle))
}

/// Whether it contains real folders `manifests` and `metadata`; links do not count.
pub(crate) fn is_bundle(folder: &Path) -> bool {
    let is_folder = |name: &str| {
        folder
            .join(name)
            .symlink_metadata()
            .is_ok_and(|metadata| metadata.is_dir())
    };
    is_folder("manifests") && is_folder("metadata")
}

/// The files directly in the two folders. Unreadable files are skipped, like dangling links.
fn bundle(folder: &Path) -> Result<Vec<File>, CliError> {
    let mut files = Vec::new();
    for name in ["manifests", "metadata"] {
        for entry in std::fs::read_dir(folder.join(name))? {
            let entry = entry?;
            let path = format!("{name}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_file()
                && let Ok(bytes) = std::fs::read(entry.path())
            {
                files.push(File { path, bytes });
            }
        }
    }
    Ok(files)
}

/// The files of a catalog, without ignored ones.
fn catalog(folder: &Path) -> Result<(Vec<File>, Option<String>), CliError> {
    let found = walk::walk(folder)?;
    let mut rules = IgnoreRules::default();
    let mut files = Vec::new();
    let mut obstacle = None;
    for file in found.iter().filter(|file| is_ignore_file(&file.path)) {
        let bytes = bytes(&file.on_disk)?;
        let parent = file.path.rsplit_once('/').map_or("", |(parent, _)| parent);
        // Reading the catalog reports a line that is too long.
        let _ = rules.add(parent, &bytes);
        files.push(File {
            path: file.path.clone(),
            bytes,
        });
    }
    for file in found
        .iter()
        .filter(|file| !is_ignore_file(&file.path) && !rules.ignores(&file.path))
    {
        match file.obstacle(folder) {
            Some(reason) => drop(obstacle.get_or_insert(reason)),
            None => files.push(File {
                path: file.path.clone(),
                bytes: bytes(&file.on_disk)?,
            }),
        }
    }
    Ok((files, obstacle))
}

fn is_ignore_file(path: &str) -> bool {
    path.rsplit('/').next() == Some(FILE_NAME)
}

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
            let parsed = parse(&read_manifest(path, args)?).map_err(|at| error(&file, at))?;
            parsed
                .into_iter()
                .map(|parsed| ManifestSource {
                    file: file.clone(),
                    parsed,
                })
                .collect()
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
        if !is_data || !std::fs::metadata(&found.on_disk).is_ok_and(|file| is_small_file(&file)) {
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
        let questions = questions.map_err(|at| error(file, at))?;
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

fn is_small_file(file: &std::fs::Metadata) -> bool {
    file.is_file() && file.len() <= MOST_READ
}

fn read_manifest(path: &Path, args: &UpgradeArgs) -> Result<Vec<u8>, CliError> {
    let failed = |e: std::io::Error| {
        CliError::new(format!(
            "cannot read {}: {}",
            path.display(),
            walk::io_reason(&e)
        ))
    };
    if !walk::is_dash(path) {
        return std::fs::read(path).map_err(failed);
    }
    if walk::is_dash(&args.dir) {
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
