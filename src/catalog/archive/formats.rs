//! Lists the files of a tar, of a zip, and of a container image in `docker save` or OCI layout.

use super::limits::Budget;
use super::{
    ArchiveError, Format, ImageContent, Member, Store, decompress, detect_format, read_first_bytes,
    session_path,
};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Read};
use tar::{Archive, EntryType};
use zip::ZipArchive;
use zip::result::ZipError;

/// Maximum size, in bytes, of an extended header, which the reader loads completely.
const MAX_EXTENDED_HEADER: u64 = 1 << 20;
const CATALOG_FOLDER: &str = "configs";
const BUNDLE_FOLDERS: [&str; 2] = ["manifests", "metadata"];
/// Maximum size of a manifest, in bytes.
const MAX_MANIFEST: u64 = 4 << 20;
/// Maximum nesting of image indexes.
const MAX_INDEX_DEPTH: usize = 4;

pub fn tar_members<S: Store>(
    store: &S,
    tar: &S::Bytes,
    budget: &mut Budget<'_>,
) -> Result<Vec<Member<S::Bytes>>, ArchiveError> {
    check_names(store, tar)?;
    let mut archive = Archive::new(store.open(tar));
    let mut members: Vec<Member<S::Bytes>> = Vec::new();
    let mut links = Vec::new();
    for entry in archive.entries_with_seek()? {
        let entry = entry?;
        let name = utf8_path(&entry.path_bytes())?;
        let kind = entry.header().entry_type();
        let path = session_path(&name)?;
        let is_link = kind.is_symlink() || kind.is_hard_link();
        let is_file = kind.is_file() || kind == EntryType::Continuous;
        let Some(path) = path.filter(|_| is_link || is_file) else {
            continue;
        };
        budget.count_file()?;
        if is_link {
            let target = match entry.link_name_bytes() {
                Some(target) => utf8_path(&target)?,
                None => String::new(),
            };
            links.push(Link {
                member: members.len(),
                target: link_target(&path, &target, kind.is_hard_link()),
            });
            members.push(Member { path, bytes: None });
        } else {
            budget.check_shared_size(entry.size())?;
            let bytes = store.part(tar, entry.raw_file_position(), entry.size())?;
            members.push(Member {
                path,
                bytes: Some(bytes),
            });
        }
    }
    resolve_links(&mut members, &links);
    Ok(members)
}

struct Link {
    member: usize,
    /// Path of the target; `None` outside the archive.
    target: Option<String>,
}

fn resolve_links<B: Clone>(members: &mut [Member<B>], links: &[Link]) {
    let files = by_path(members);
    let targets: Vec<Option<B>> = links
        .iter()
        .map(|link| files.get(link.target.as_deref()?).copied().cloned())
        .collect();
    for (link, bytes) in links.iter().zip(targets) {
        members[link.member].bytes = bytes;
    }
}

fn by_path<B>(members: &[Member<B>]) -> HashMap<&str, &B> {
    members
        .iter()
        .filter_map(|member| Some((member.path.as_str(), member.bytes.as_ref()?)))
        .collect()
}

/// Checks the sizes of long names and attributes.
fn check_names<S: Store>(store: &S, tar: &S::Bytes) -> Result<(), ArchiveError> {
    let mut archive = Archive::new(store.open(tar));
    for entry in archive.entries_with_seek()?.raw(true) {
        let entry = entry?;
        let kind = entry.header().entry_type();
        let is_name = kind.is_gnu_longname() || kind.is_gnu_longlink();
        let is_attributes = kind.is_pax_local_extensions() || kind.is_pax_global_extensions();
        if (is_name || is_attributes) && entry.size() > MAX_EXTENDED_HEADER {
            return Err(ArchiveError::TooMuch(format!(
                "{} MB in the name of one file",
                MAX_EXTENDED_HEADER >> 20
            )));
        }
    }
    Ok(())
}

/// Whether these are the first bytes of a tar: the checksum of the first header matches, or it is
/// the end of an empty tar.
pub fn is_tar(first: &[u8]) -> bool {
    let Some(header) = first.get(..512) else {
        return false;
    };
    if header.iter().all(|byte| *byte == 0) {
        return true;
    }
    let octal: String = header[148..156]
        .iter()
        .map(|&b| char::from(b))
        .filter(char::is_ascii_digit)
        .collect();
    let summed = header[..148].iter().chain(&header[156..]);
    let blanks = 8 * i64::from(b' ');
    let sum = blanks + summed.clone().map(|&b| i64::from(b)).sum::<i64>();
    // Old writers added signed bytes.
    let signed_sum = blanks + summed.map(|&b| i64::from(b as i8)).sum::<i64>();
    i64::from_str_radix(&octal, 8).is_ok_and(|stored| [sum, signed_sum].contains(&stored))
}

/// Resolves the target of a link to a path in the archive; hard links are relative to the top.
fn link_target(path: &str, target: &str, is_hard: bool) -> Option<String> {
    let mut parts: Vec<&str> = if is_hard || target.starts_with('/') {
        Vec::new()
    } else {
        path.split('/').collect()
    };
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn utf8_path(bytes: &[u8]) -> io::Result<String> {
    std::str::from_utf8(bytes)
        .map(str::to_owned)
        .map_err(|_| io::Error::other("a path is not UTF-8"))
}

pub fn zip_members<S: Store>(
    store: &S,
    archive: &S::Bytes,
    budget: &mut Budget<'_>,
) -> Result<Vec<Member<S::Bytes>>, ArchiveError> {
    let mut zip = ZipArchive::new(store.open(archive)).map_err(to_archive_error)?;
    // Check the number of files before unpacking any.
    budget.check_file_count(
        zip.file_names()
            .filter(|name| !name.ends_with(['/', '\\']))
            .count() as u64,
    )?;
    let mut members = Vec::new();
    for at in 0..zip.len() {
        let mut file = zip.by_index(at).map_err(to_archive_error)?;
        let path = session_path(file.name())?;
        if file.is_dir() {
            continue;
        }
        let Some(path) = path else { continue };
        budget.count_file()?;
        let bytes = if file.is_symlink() {
            None
        } else {
            Some(budget.unpack(store, &mut file)?)
        };
        members.push(Member { path, bytes });
    }
    Ok(members)
}

fn to_archive_error(error: ZipError) -> ArchiveError {
    match error {
        ZipError::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            ArchiveError::Damaged
        }
        ZipError::Io(error) => ArchiveError::Unreadable(error),
        ZipError::InvalidArchive(_) => ArchiveError::Damaged,
        ZipError::InvalidPassword | ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => {
            ArchiveError::Locked
        }
        other => ArchiveError::Unreadable(io::Error::other(other.to_string())),
    }
}

pub fn is_image<B>(members: &[Member<B>]) -> bool {
    let has = |path: &str| members.iter().any(|member| member.path == path);
    has("manifest.json") || (has("index.json") && has("oci-layout"))
}

pub fn image_files<S: Store>(
    store: &S,
    members: &[Member<S::Bytes>],
    content: ImageContent,
    budget: &mut Budget<'_>,
) -> Result<Vec<Member<S::Bytes>>, ArchiveError> {
    let parts = by_path(members);
    let mut files: BTreeMap<String, Option<S::Bytes>> = BTreeMap::new();
    for layer in layers(store, &parts)? {
        let part = *parts
            .get(layer.as_str())
            .ok_or_else(|| ArchiveError::Image(format!("layer `{layer}` is not in it")))?;
        let tar = match detect_format(&read_first_bytes(store, part)?) {
            Format::Gzip => decompress(store, part, budget)?,
            Format::Zstd => return Err(ArchiveError::Layer("zstd".to_owned())),
            Format::Zip | Format::Other => part.clone(),
        };
        apply_layer(&mut files, tar_members(store, &tar, budget)?, content);
    }
    let is_in = |folder: &str| files.keys().any(|path| is_below(path, folder));
    if is_in(CATALOG_FOLDER) {
        files.retain(|path, _| is_below(path, CATALOG_FOLDER));
    } else if content == ImageContent::Catalog {
        return Err(ArchiveError::NoConfigs);
    } else if !BUNDLE_FOLDERS.iter().all(|folder| is_in(folder)) {
        return Err(ArchiveError::NoBundle);
    }
    Ok(files
        .into_iter()
        .map(|(path, bytes)| Member { path, bytes })
        .collect())
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.starts_with('/'))
}

/// Applies one layer to the files of those below it.
fn apply_layer<B>(
    files: &mut BTreeMap<String, Option<B>>,
    layer: Vec<Member<B>>,
    content: ImageContent,
) {
    let (whiteouts, added): (Vec<_>, Vec<_>) = layer
        .into_iter()
        .partition(|member| parse_whiteout(&member.path).is_some());
    for (folder, name) in whiteouts
        .iter()
        .filter_map(|member| parse_whiteout(&member.path))
    {
        if folder.is_empty() && name.is_none() {
            files.clear();
            continue;
        }
        let removed = match name {
            Some(name) if folder.is_empty() => name.to_owned(),
            Some(name) => format!("{folder}/{name}"),
            None => folder.to_owned(),
        };
        files.retain(|path, _| !is_below(path, &removed) && (name.is_none() || *path != removed));
    }
    files.extend(
        added
            .into_iter()
            .filter(|member| {
                is_below(&member.path, CATALOG_FOLDER)
                    || content == ImageContent::CatalogOrBundle
                        && BUNDLE_FOLDERS
                            .iter()
                            .any(|folder| is_below(&member.path, folder))
            })
            .map(|member| (member.path, member.bytes)),
    );
}

/// Parses the path of a whiteout into its folder and the name that it removes from it; without a
/// name, it removes everything.
fn parse_whiteout(path: &str) -> Option<(&str, Option<&str>)> {
    let (folder, last) = path.rsplit_once('/').unwrap_or(("", path));
    let name = last.strip_prefix(".wh.")?;
    Some((folder, (name != ".wh..opq").then_some(name)))
}

/// Returns the paths of the layers, lowest first.
fn layers<S: Store>(
    store: &S,
    parts: &HashMap<&str, &S::Bytes>,
) -> Result<Vec<String>, ArchiveError> {
    if let Some(manifest) = parts.get("manifest.json") {
        let manifest = read_json(store, manifest)?;
        let first = manifest
            .get(0)
            .and_then(|image| image.get("Layers"))
            .and_then(Value::as_array);
        let layers = first
            .ok_or_else(|| ArchiveError::Image("`manifest.json` names no layers".to_owned()))?;
        return Ok(layers
            .iter()
            .filter_map(|layer| Some(layer.as_str()?.to_owned()))
            .collect());
    }
    let mut path = "index.json".to_owned();
    for _ in 0..MAX_INDEX_DEPTH {
        let part = parts
            .get(path.as_str())
            .ok_or_else(|| ArchiveError::Image(format!("`{path}` is not in it")))?;
        let manifest = read_json(store, part)?;
        let list = |key: &str| -> Option<Vec<String>> {
            let digests = manifest.get(key)?.as_array()?.iter();
            Some(
                digests
                    .filter_map(|descriptor| blob_path(descriptor.get("digest")?.as_str()?))
                    .collect(),
            )
        };
        if let Some(layers) = list("layers") {
            return Ok(layers);
        }
        let next = list("manifests").and_then(|manifests| manifests.into_iter().next());
        path = next.ok_or_else(|| ArchiveError::Image(format!("`{path}` names no manifest")))?;
    }
    Err(ArchiveError::Image(
        "its indexes lead to no manifest".to_owned(),
    ))
}

/// Returns the path of a blob: `sha256:…` is stored as `blobs/sha256/…`.
fn blob_path(digest: &str) -> Option<String> {
    let (algorithm, hash) = digest.split_once(':')?;
    Some(format!("blobs/{algorithm}/{hash}"))
}

fn read_json<S: Store>(store: &S, bytes: &S::Bytes) -> Result<Value, ArchiveError> {
    let mut utf8_path = Vec::new();
    store
        .open(bytes)
        .take(MAX_MANIFEST)
        .read_to_end(&mut utf8_path)?;
    serde_json::from_slice(&utf8_path).map_err(|error| ArchiveError::Image(error.to_string()))
}
