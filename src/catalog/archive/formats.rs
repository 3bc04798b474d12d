//! Lists the files of a tar, of a zip, and of a container image in `docker save` or OCI layout.

use super::limits::Budget;
use super::{ArchiveError, ImageContent, Magic, Member, Store, decompress, first, inside, magic};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Read};
use tar::{Archive, EntryType};
use zip::ZipArchive;
use zip::result::ZipError;

pub fn tar_members<S: Store>(
    store: &S,
    tar: &S::Bytes,
    budget: &mut Budget<'_>,
) -> Result<Vec<Member<S::Bytes>>, ArchiveError> {
    check_names(store, tar)?;
    let mut archive = Archive::new(store.open(tar));
    let mut members: Vec<Member<S::Bytes>> = Vec::new();
    // Links by index into `members`, with their targets.
    let mut links = Vec::new();
    for entry in archive.entries_with_seek()? {
        let entry = entry?;
        let name = text(&entry.path_bytes())?;
        let kind = entry.header().entry_type();
        let path = inside(&name)?;
        let is_link = kind.is_symlink() || kind.is_hard_link();
        let is_file = kind.is_file() || kind == EntryType::Continuous;
        let Some(path) = path.filter(|_| is_link || is_file) else {
            continue;
        };
        budget.file()?;
        let bytes = match is_link {
            true => {
                let target = entry
                    .link_name_bytes()
                    .map(|name| text(&name))
                    .transpose()?
                    .unwrap_or_default();
                links.push((
                    members.len(),
                    link_target(&path, &target, kind.is_hard_link()),
                ));
                None
            }
            false => {
                budget.part(entry.size())?;
                Some(store.part(tar, entry.raw_file_position(), entry.size())?)
            }
        };
        members.push(Member { path, bytes });
    }
    let files = by_path(&members);
    let targets: Vec<(usize, Option<S::Bytes>)> = links
        .into_iter()
        .map(|(at, target): (usize, Option<String>)| {
            let file = target.and_then(|target| files.get(target.as_str()).copied());
            (at, file.cloned())
        })
        .collect();
    for (at, bytes) in targets {
        members[at].bytes = bytes;
    }
    Ok(members)
}

fn by_path<B>(members: &[Member<B>]) -> HashMap<&str, &B> {
    members
        .iter()
        .filter_map(|member| Some((member.path.as_str(), member.bytes.as_ref()?)))
        .collect()
}

/// Maximum size of the extended headers before a file, which are read at once.
const NAME: u64 = 1 << 20;

/// Checks the sizes of long names and attributes: the reader loads each completely.
fn check_names<S: Store>(store: &S, tar: &S::Bytes) -> Result<(), ArchiveError> {
    let mut archive = Archive::new(store.open(tar));
    for entry in archive.entries_with_seek()?.raw(true) {
        let entry = entry?;
        let kind = entry.header().entry_type();
        let is_name = kind.is_gnu_longname() || kind.is_gnu_longlink();
        let is_attributes = kind.is_pax_local_extensions() || kind.is_pax_global_extensions();
        if (is_name || is_attributes) && entry.size() > NAME {
            return Err(ArchiveError::TooMuch(format!(
                "{} MB in the name of one file",
                NAME >> 20
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

fn text(bytes: &[u8]) -> io::Result<String> {
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
    // The directory contains the number before any file is unpacked.
    budget.files(
        zip.file_names()
            .filter(|name| !name.ends_with(['/', '\\']))
            .count() as u64,
    )?;
    let mut members = Vec::new();
    for at in 0..zip.len() {
        let mut file = zip.by_index(at).map_err(to_archive_error)?;
        let path = inside(file.name())?;
        if file.is_dir() {
            continue;
        }
        let Some(path) = path else { continue };
        budget.file()?;
        let bytes = match file.is_symlink() {
            true => None,
            false => Some(budget.keep(store, &mut file)?),
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

/// The catalog folder of an image.
const CONFIGS: &str = "configs";
/// The folders of a bundle.
const BUNDLE: [&str; 2] = ["manifests", "metadata"];
/// Maximum size of a manifest.
const MANIFEST: u64 = 4 << 20;
/// Maximum nesting of indexes.
const DEEP: usize = 4;

pub fn is_image<B>(members: &[Member<B>]) -> bool {
    let has = |path: &str| members.iter().any(|member| member.path == path);
    has("manifest.json") || (has("index.json") && has("oci-layout"))
}

pub fn image_files<S: Store>(
    store: &S,
    members: &[Member<S::Bytes>],
    wanted: ImageContent,
    budget: &mut Budget<'_>,
) -> Result<Vec<Member<S::Bytes>>, ArchiveError> {
    let parts = by_path(members);
    let mut files: BTreeMap<String, Option<S::Bytes>> = BTreeMap::new();
    for layer in layers(store, &parts)? {
        let part = *parts
            .get(layer.as_str())
            .ok_or_else(|| ArchiveError::Image(format!("layer `{layer}` is not in it")))?;
        let tar = match magic(&first(store, part)?) {
            Magic::Gzip => decompress(store, part, budget)?,
            Magic::Zstd => return Err(ArchiveError::Layer("zstd".to_owned())),
            Magic::Zip | Magic::Other => part.clone(),
        };
        apply_layer(&mut files, tar_members(store, &tar, budget)?, wanted);
    }
    let is_in = |folder: &str| files.keys().any(|path| below(path, folder));
    if is_in(CONFIGS) {
        files.retain(|path, _| below(path, CONFIGS));
    } else if wanted == ImageContent::Catalog {
        return Err(ArchiveError::NoConfigs);
    } else if !BUNDLE.iter().all(|folder| is_in(folder)) {
        return Err(ArchiveError::NoBundle);
    }
    Ok(files
        .into_iter()
        .map(|(path, bytes)| Member { path, bytes })
        .collect())
}

fn below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.starts_with('/'))
}

/// Applies one layer to the files of those below it.
fn apply_layer<B>(
    files: &mut BTreeMap<String, Option<B>>,
    layer: Vec<Member<B>>,
    wanted: ImageContent,
) {
    let (taken, put): (Vec<_>, Vec<_>) = layer
        .into_iter()
        .partition(|member| parse_whiteout(&member.path).is_some());
    for (folder, name) in taken
        .iter()
        .filter_map(|member| parse_whiteout(&member.path))
    {
        if folder.is_empty() && name.is_none() {
            files.clear();
            continue;
        }
        let gone = match name {
            Some(name) if folder.is_empty() => name.to_owned(),
            Some(name) => format!("{folder}/{name}"),
            None => folder.to_owned(),
        };
        files.retain(|path, _| {
            let inside = path
                .strip_prefix(&gone)
                .is_some_and(|rest| rest.starts_with('/'));
            !inside && (name.is_none() || *path != gone)
        });
    }
    files.extend(
        put.into_iter()
            .filter(|member| {
                below(&member.path, CONFIGS)
                    || wanted == ImageContent::CatalogOrBundle
                        && BUNDLE.iter().any(|folder| below(&member.path, folder))
            })
            .map(|member| (member.path, member.bytes)),
    );
}

/// Parses the path of a whiteout into its folder and the removed name; `None` for the whole folder.
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
        let manifest = json(store, manifest)?;
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
    for _ in 0..DEEP {
        let part = parts
            .get(path.as_str())
            .ok_or_else(|| ArchiveError::Image(format!("`{path}` is not in it")))?;
        let manifest = json(store, part)?;
        let list = |key: &str| -> Option<Vec<String>> {
            let digests = manifest.get(key)?.as_array()?.iter();
            Some(
                digests
                    .filter_map(|descriptor| blob(descriptor.get("digest")?.as_str()?))
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
fn blob(digest: &str) -> Option<String> {
    let (algorithm, hash) = digest.split_once(':')?;
    Some(format!("blobs/{algorithm}/{hash}"))
}

fn json<S: Store>(store: &S, bytes: &S::Bytes) -> Result<Value, ArchiveError> {
    let mut text = Vec::new();
    store.open(bytes).take(MANIFEST).read_to_end(&mut text)?;
    serde_json::from_slice(&text).map_err(|error| ArchiveError::Image(error.to_string()))
}
