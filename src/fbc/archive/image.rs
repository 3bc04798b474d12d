//! Container images in `docker save` and OCI layout: the files in `/configs`, or those of a bundle,
//! layer by layer. A layer may remove a file of a lower one (`.wh.NAME`, or `.wh..wh..opq` for a
//! whole folder).

use super::limits::Budget;
use super::{
    ArchiveError, ImageContent, Magic, Member, Store, decompress, first, magic, tar_archive,
};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::io::Read;

/// The catalog folder of an image.
const CONFIGS: &str = "configs";
/// The folders of a bundle.
const BUNDLE: [&str; 2] = ["manifests", "metadata"];
/// Maximum size of a manifest.
const MANIFEST: u64 = 4 << 20;
/// Maximum nesting of indexes.
const DEEP: usize = 4;

pub(super) fn is_image<B>(members: &[Member<B>]) -> bool {
    let has = |path: &str| members.iter().any(|member| member.path == path);
    has("manifest.json") || (has("index.json") && has("oci-layout"))
}

pub(super) fn files<S: Store>(
    store: &S,
    members: &[Member<S::Bytes>],
    wanted: ImageContent,
    budget: &mut Budget<'_>,
) -> Result<Vec<Member<S::Bytes>>, ArchiveError> {
    let parts: HashMap<&str, &S::Bytes> = members
        .iter()
        .filter_map(|member| Some((member.path.as_str(), member.bytes.as_ref()?)))
        .collect();
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
        lay(
            &mut files,
            tar_archive::members(store, &tar, budget)?,
            wanted,
        );
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

/// Applies one layer.
fn lay<B>(files: &mut BTreeMap<String, Option<B>>, layer: Vec<Member<B>>, wanted: ImageContent) {
    let is_wanted = |path: &str| {
        below(path, CONFIGS)
            || wanted == ImageContent::CatalogOrBundle
                && BUNDLE.iter().any(|folder| below(path, folder))
    };
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
            .filter(|member| is_wanted(&member.path))
            .map(|member| (member.path, member.bytes)),
    );
}

/// The folder of a whiteout and the removed name; `None` for the whole folder.
fn parse_whiteout(path: &str) -> Option<(&str, Option<&str>)> {
    let (folder, last) = path.rsplit_once('/').unwrap_or(("", path));
    let name = last.strip_prefix(".wh.")?;
    Some((folder, (name != ".wh..opq").then_some(name)))
}

/// Paths of the layers, lowest first.
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
                    .filter_map(|of| blob(of.get("digest")?.as_str()?))
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

/// `sha256:…` is stored as `blobs/sha256/…`.
fn blob(digest: &str) -> Option<String> {
    let (algorithm, hash) = digest.split_once(':')?;
    Some(format!("blobs/{algorithm}/{hash}"))
}

fn json<S: Store>(store: &S, bytes: &S::Bytes) -> Result<Value, ArchiveError> {
    let mut text = Vec::new();
    store.open(bytes).take(MANIFEST).read_to_end(&mut text)?;
    serde_json::from_slice(&text).map_err(|error| ArchiveError::Image(error.to_string()))
}
