//! Reads dropped files that are not opened as a catalog: bundles, as `opm render` reads them, and
//! Subscriptions and ClusterExtensions, as questions about their package's next upgrade.

#[cfg(test)]
mod tests;

use crate::views::package;
use ::bundle::manifests::{ManifestErrorAt, ParsedManifest, parse_files};
use ::bundle::{self, BundleSummary, File, Image};
use ::upgrade::Lens;
use catalog::archive::{self, ArchiveError, ImageContent, Limits, Memory, Part, is_archive};
use catalog::index::index_bytes;
use catalog::model::{Body, FileIndex, Package};
use protocol::bundles::BundleMessage;
use protocol::manifests::{DroppedManifests, ManifestQuestion, ManifestRemark};
use protocol::views::{Origin, UpgradeQuestion};
use serde_json::Value;
use session::{Root, Session};

/// Limits of a dropped archive. A bundle's archive is far smaller; one that exceeds them is treated
/// as a catalog's.
const LIMITS: Limits = Limits {
    files: 2_000,
    file: 16 << 20,
    total: 32 << 20,
    ratio: 200,
    always_allowed: 32 << 20,
};

/// A dropped folder or file that holds bundles.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BundleSource {
    /// Path of the folder or the file as dropped.
    path: String,
    content: Content,
}

#[derive(Debug, Clone, PartialEq)]
enum Content {
    /// Files below `manifests` and `metadata`.
    Directory(Vec<File>),
    /// Blobs of bundles.
    Blobs(File),
    /// An archive that cannot be opened, with the reason.
    Refused(String),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReadBundle {
    pub(crate) source: String,
    pub(crate) blob: Value,
    pub(crate) summary: BundleSummary,
    /// Advice about content that `opm` accepts but omits.
    pub(crate) advice: Vec<BundleMessage>,
}

/// Finds the bundles among dropped files, with paths as dropped; `None` if the files are something
/// else.
pub(crate) fn find_bundles(files: Vec<File>) -> Option<Vec<BundleSource>> {
    let mut sources = Vec::new();
    let mut unpacked = Vec::new();
    for file in files {
        if !file.path.contains('/') && is_archive(&file.path) {
            sources.extend(sources_in_archive(&file)?);
        } else {
            unpacked.push(file);
        }
    }
    let folders = bundle::bundle_directories(unpacked.iter().map(|file| file.path.as_str()));
    for folder in &folders {
        let content = Content::Directory(bundle::files_of(&unpacked, folder));
        sources.push(BundleSource {
            path: folder.trim_end_matches('/').to_owned(),
            content,
        });
    }
    let is_in_bundle = |path: &str| {
        let mut folders = folders.iter();
        folders.any(|folder| path.len() > folder.len() && path.starts_with(*folder))
    };
    let other_files = unpacked
        .iter()
        .filter(|file| is_text(&file.path) && !is_in_bundle(&file.path));
    // A repository contains many other files: ignore those that belong to no catalog.
    let has_folders = !folders.is_empty();
    for file in other_files {
        match (only_bundles(&index_bytes(&file.bytes)), has_folders) {
            (Some(true), _) => {
                sources.push(BundleSource {
                    path: file.path.clone(),
                    content: Content::Blobs(file.clone()),
                });
            }
            (None, true) => {}
            (Some(false), _) | (None, false) => return None,
        }
    }
    let is_refused = |source: &BundleSource| matches!(source.content, Content::Refused(_));
    (!sources.iter().all(is_refused)).then_some(sources)
}

/// Finds the bundles in an archive; `None` if it contains something else.
fn sources_in_archive(archive: &File) -> Option<Vec<BundleSource>> {
    let part = Part::new(archive.bytes.clone());
    let unpacked = match archive::unpack_content(
        &Memory,
        &part,
        &archive.path,
        &LIMITS,
        ImageContent::CatalogOrBundle,
    ) {
        Ok(unpacked) => unpacked,
        Err(ArchiveError::TooMuch(_) | ArchiveError::Bomb(_)) => return None,
        Err(error) => {
            return Some(vec![BundleSource {
                path: archive.path.clone(),
                content: Content::Refused(error.to_string()),
            }]);
        }
    };
    let members = unpacked.members.into_iter();
    let files = members
        .filter_map(|member| {
            Some(File {
                path: member.path,
                bytes: member.bytes?.bytes().to_vec(),
            })
        })
        .collect();
    let mut sources = find_bundles(files)?;
    for source in &mut sources {
        source.path = match source.path.as_str() {
            "" => archive.path.clone(),
            inner => format!("{}/{inner}", archive.path),
        };
    }
    Some(sources)
}

fn is_text(path: &str) -> bool {
    [".yaml", ".yml", ".json"]
        .iter()
        .any(|ending| path.ends_with(ending))
}

/// Whether all blobs of a file are bundles; `None` if the file has no readable OLM blob.
fn only_bundles(index: &FileIndex) -> Option<bool> {
    let is_known = |body: &Body| !matches!(body, Body::Unreadable | Body::Other(_));
    let mut bodies = index.blobs.iter().map(|blob| &blob.body);
    bodies
        .clone()
        .any(is_known)
        .then(|| bodies.all(|body| matches!(body, Body::Bundle(_))))
}

/// Renders all bundles. `image` is a reference or a template; "" means each bundle's own image. For
/// a single bundle, `image` takes precedence over its own.
pub(crate) fn read(sources: &[BundleSource], image: &str) -> (Vec<ReadBundle>, Vec<BundleMessage>) {
    let (mut bundles, mut refused): (Vec<ReadBundle>, Vec<BundleMessage>) =
        (Vec::new(), Vec::new());
    // A fixed image can belong to one bundle only.
    let image = if sources.len() > 1 && !image.contains("{{") {
        ""
    } else {
        image
    };
    for source in sources {
        match source.read(image) {
            Ok(found) => {
                for found in found {
                    let is_equal = |other: &&ReadBundle| {
                        other.blob["name"] == found.blob["name"]
                            && other.blob["package"] == found.blob["package"]
                    };
                    match bundles.iter().find(is_equal) {
                        Some(first) => refused.push(duplicate(&first.source, &found)),
                        None => bundles.push(found),
                    }
                }
            }
            Err(refusal) => refused.push(refusal),
        }
    }
    if let ([only], false) = (&mut bundles[..], image.is_empty() || image.contains("{{")) {
        only.blob["image"] = image.into();
    }
    (bundles, refused)
}

fn duplicate(first: &str, second: &ReadBundle) -> BundleMessage {
    BundleMessage {
        source: second.source.clone(),
        message: format!(
            "bundle `{}` was dropped twice",
            second.blob["name"].as_str().unwrap_or_default()
        ),
        help: format!("the one in `{first}` is used"),
        ..BundleMessage::default()
    }
}

impl BundleSource {
    fn read(&self, image: &str) -> Result<Vec<ReadBundle>, BundleMessage> {
        let refused = |refusal: bundle::Refusal| BundleMessage {
            source: self.path.clone(),
            message: refusal.message,
            file: refusal
                .file
                .filter(|file| *file != self.path)
                .unwrap_or_default(),
            line: refusal.line.unwrap_or_default(),
            help: refusal.help,
        };
        let (blobs, files): (Vec<Value>, &[File]) = match &self.content {
            Content::Refused(reason) => {
                return Err(BundleMessage {
                    source: self.path.clone(),
                    message: reason.clone(),
                    ..BundleMessage::default()
                });
            }
            Content::Directory(files) => {
                let image = Image::from_text(image, &self.path);
                let blob = bundle::render(files, image).map_err(refused)?;
                (vec![blob], files)
            }
            Content::Blobs(file) => {
                let mut blobs =
                    bundle::read_catalog(std::slice::from_ref(file)).map_err(refused)?;
                for blob in blobs
                    .iter_mut()
                    .filter(|blob| blob["image"].as_str().unwrap_or_default().is_empty())
                {
                    if image.contains("{{") {
                        blob["image"] = bundle::image_of_template(image, blob)
                            .map_err(refused)?
                            .into();
                    }
                }
                (blobs, &[])
            }
        };
        blobs
            .into_iter()
            .map(|blob| self.check_complete(blob, files))
            .collect()
    }

    /// Returns the bundle if it is complete; the error names the missing part.
    fn check_complete(&self, blob: Value, files: &[File]) -> Result<ReadBundle, BundleMessage> {
        let lacks = |key: &str| blob[key].as_str().unwrap_or_default().is_empty();
        let incomplete = |message: &str, help: &str| BundleMessage {
            source: self.path.clone(),
            message: message.to_owned(),
            help: help.to_owned(),
            ..BundleMessage::default()
        };
        if lacks("package") {
            let help = "set the annotation `operators.operatorframework.io.bundle.package.v1`";
            return Err(incomplete(
                "the bundle names no package, so `opm render` writes none",
                help,
            ));
        }
        if lacks("name") {
            return Err(incomplete(
                "the bundle has no name",
                "set `metadata.name` of the ClusterServiceVersion",
            ));
        }
        let summary = bundle::summary(&blob, files);
        let to_message = |remark: bundle::Remark| BundleMessage {
            source: self.path.clone(),
            message: remark.message,
            file: remark.file.unwrap_or_default(),
            line: remark.line.unwrap_or_default(),
            help: remark.help,
        };
        let advice = bundle::advice(files).into_iter().map(to_message).collect();
        Ok(ReadBundle {
            source: self.path.clone(),
            blob,
            summary,
            advice,
        })
    }
}

pub(crate) struct ManifestFile {
    /// Path as dropped.
    path: String,
    /// The questions of its objects, or its first error.
    questions: Result<Vec<ParsedManifest>, ManifestErrorAt>,
}

/// Parses the questions of dropped files; `None` if the files are something else.
pub(crate) fn find_manifests(files: &[File]) -> Option<Vec<ManifestFile>> {
    let texts = || files.iter().filter(|file| is_text(&file.path));
    if texts().any(|file| is_of_catalog(&index_bytes(&file.bytes))) {
        return None;
    }
    let parsed = parse_files(texts().map(|file| file.bytes.as_slice()));
    let manifests: Vec<ManifestFile> = texts()
        .zip(parsed)
        .filter_map(|(file, parsed)| {
            Some(ManifestFile {
                path: file.path.clone(),
                questions: parsed.questions?,
            })
        })
        .collect();
    (!manifests.is_empty()).then_some(manifests)
}

/// Matches the questions against the open catalogs; `root` is the catalog in view.
pub(crate) fn questions(
    session: &Session,
    files: Vec<ManifestFile>,
    root: &str,
) -> DroppedManifests {
    let mut dropped = DroppedManifests::default();
    for ManifestFile { path, questions } in files {
        match questions {
            Ok(parsed) => dropped.questions.extend(
                parsed
                    .iter()
                    .map(|parsed| manifest_question(session, &path, parsed, root)),
            ),
            Err(error) => dropped.refused.push(manifest_remark(&path, error)),
        }
    }
    dropped
}

/// Whether a file contains blobs of a catalog, or is a template.
fn is_of_catalog(index: &FileIndex) -> bool {
    index.blobs.iter().any(|blob| match &blob.body {
        Body::Unreadable => false,
        Body::Other(other) => other.template.is_some(),
        _ => true,
    })
}

/// Matches one question against the open catalogs. `file` is its path as dropped, `root` the
/// catalog in view.
pub(crate) fn manifest_question(
    session: &Session,
    file: &str,
    parsed: &ParsedManifest,
    root: &str,
) -> ManifestQuestion {
    let mut roots: Vec<&Root> = session
        .roots()
        .iter()
        .filter(|root| !root.is_template())
        .collect();
    let packages: Vec<&str> = roots
        .iter()
        .flat_map(|root| root.catalog().packages())
        .map(|package| &*package.name)
        .collect();
    let name = &parsed.package.value;
    let unknown = parsed.unknown_package(packages);
    roots.retain(|root| root.catalog().package(name).is_some());
    // Move the catalog in view to the front and keep the order of the others.
    if let Some(index) = roots.iter().position(|candidate| candidate.name == root) {
        roots[..=index].rotate_right(1);
    }
    let package = roots
        .first()
        .and_then(|root| package::find(root, name).ok());
    let installed = match &parsed.installed {
        Some(installed) => Some(installed.value.clone()),
        None => package
            .and_then(|package| parsed.unowned_csv(package))
            .map(|csv| csv.installed_name()),
    };
    let mut remarks: Vec<ManifestRemark> = match package {
        Some(package) => parsed
            .blockers(package)
            .into_iter()
            .chain(parsed.missing_in(package, installed.as_deref()))
            .map(|error| manifest_remark(file, error))
            .collect(),
        None => vec![manifest_remark(file, unknown)],
    };
    let missing_csv = parsed.missing_csv();
    remarks.extend(
        parsed
            .notes
            .iter()
            .chain(&missing_csv)
            .map(|note| ManifestRemark {
                file: file.to_owned(),
                line: parsed.line,
                reason: note.clone(),
                help: String::new(),
            }),
    );
    ManifestQuestion {
        kind: parsed.kind().to_owned(),
        name: parsed.name.clone(),
        file: file.to_owned(),
        line: parsed.line,
        package: name.clone(),
        question: question(
            parsed,
            package.map(|package| &**package),
            installed.as_deref(),
        ),
        roots: roots.into_iter().map(|root| root.name.clone()).collect(),
        remarks,
    }
}

/// Converts an error at a line of a manifest to a remark.
pub(crate) fn manifest_remark(file: &str, error: ManifestErrorAt) -> ManifestRemark {
    ManifestRemark {
        file: file.to_owned(),
        line: error.line,
        reason: error.error.reason,
        help: error.error.help,
    }
}

/// Converts the parsed fields to a question. A default channel is left out.
fn question(
    parsed: &ParsedManifest,
    package: Option<&Package>,
    installed: Option<&str>,
) -> UpgradeQuestion {
    let names: Vec<String> = parsed
        .channels
        .iter()
        .map(|channel| channel.value.clone())
        .collect();
    let origin = match installed {
        Some(installed) => Origin::Installed(listed_name(installed, package)),
        None => Origin::Fresh,
    };
    let base = UpgradeQuestion {
        origin,
        ..UpgradeQuestion::default()
    };
    match parsed.lens {
        Lens::V0 => {
            let channel = names.into_iter().next().unwrap_or_default();
            let is_default = package.is_some_and(|package| package.default_channel() == channel);
            UpgradeQuestion {
                lens: Lens::V0,
                channel: if is_default { String::new() } else { channel },
                approval: parsed.approval,
                starting_csv: parsed
                    .starting_csv
                    .as_ref()
                    .map(|name| name.value.clone())
                    .unwrap_or_default(),
                ..base
            }
        }
        Lens::V1 => UpgradeQuestion {
            lens: Lens::V1,
            channels: names,
            range: parsed
                .range
                .as_ref()
                .map(|range| range.value.clone())
                .unwrap_or_default(),
            policy: parsed.policy,
            ..base
        },
    }
}

/// Returns the bundle's name alone if the catalog has it in that version; otherwise the name as in
/// the object's status.
fn listed_name(installed: &str, package: Option<&Package>) -> String {
    let listed = installed.rsplit_once('@').filter(|(name, version)| {
        package
            .and_then(|package| package.bundle(name))
            .is_some_and(|bundle| bundle.version() == *version)
    });
    listed.map_or(installed, |(name, _)| name).to_owned()
}
