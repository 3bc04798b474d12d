//! Converts trees of files to catalogs: from a recorded case, or from the disk.

use ::catalog::index::index_bytes;
use ::catalog::model::{FileId, FileIndex};
use ::catalog::{Catalog, Content, TreeEntry};
use base64::Engine;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) fn file(id: u32, path: &str, bytes: &[u8]) -> TreeEntry {
    TreeEntry {
        id: FileId(id),
        path: path.to_owned(),
        content: content(path, bytes),
    }
}

fn content(path: &str, bytes: &[u8]) -> Content {
    if path.rsplit('/').next() == Some(".indexignore") {
        Content::Ignore(bytes.into())
    } else {
        Content::Indexed(Arc::new(index_bytes(bytes)))
    }
}

/// The tree of a case. Its root is named `{root}`, as in the recorded messages.
pub(crate) fn of_case(case: &Value) -> Catalog {
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let object = |key: &str| case[key].as_object().cloned().unwrap_or_default();
    for (path, text) in object("files") {
        files.insert(path, text.as_str().unwrap().as_bytes().to_vec());
    }
    for (path, text) in object("b64") {
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(text.as_str().unwrap())
            .unwrap();
        files.insert(path, bytes);
    }
    let mut folders: Vec<String> = case["dirs"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|d| d.as_str().unwrap().to_owned())
        .collect();
    let links = object("links");
    let paths = files.keys().chain(links.keys());
    folders
        .extend(paths.flat_map(|path| path.match_indices('/').map(|(i, _)| path[..i].to_owned())));
    let mut entries: Vec<TreeEntry> = files
        .iter()
        .enumerate()
        .map(|(i, (path, bytes))| file(i as u32, path, bytes))
        .collect();
    for (path, target) in links {
        let target = resolve(&path, target.as_str().unwrap());
        let content = if let Some(bytes) = files.get(&target) {
            content(&path, bytes)
        } else if target.is_empty() || folders.contains(&target) {
            Content::LinkToDirectory
        } else {
            Content::BrokenLink
        };
        entries.push(TreeEntry {
            id: FileId(entries.len() as u32),
            path,
            content,
        });
    }
    Catalog::new("{root}", entries)
}

/// The target of a relative link inside the tree.
fn resolve(link: &str, target: &str) -> String {
    let mut parts: Vec<&str> = link.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// Catalogs on disk; a file is indexed once, regardless of the number of catalogs that contain it.
pub(crate) struct Disk {
    root: PathBuf,
    indexed: HashMap<PathBuf, Arc<FileIndex>>,
}

impl Disk {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self {
            root,
            indexed: HashMap::new(),
        }
    }

    /// The folder at `path` below the root; a file counts as a folder with only this file.
    pub(crate) fn catalog(&mut self, path: &str) -> Catalog {
        let top = self.root.join(path);
        let mut found = Vec::new();
        if top.is_file() {
            let name = top.file_name().unwrap().to_str().unwrap().to_owned();
            found.push((name, top));
        } else {
            walk(&top, "", &mut found);
        }
        let entries = found.into_iter().enumerate().map(|(i, (path, full))| {
            let content = if path.rsplit('/').next() == Some(".indexignore") {
                content(&path, &std::fs::read(&full).unwrap())
            } else {
                let index = self.indexed.entry(full).or_insert_with_key(|full| {
                    Arc::new(index_bytes(&std::fs::read(full).unwrap()))
                });
                Content::Indexed(index.clone())
            };
            TreeEntry {
                id: FileId(i as u32),
                path,
                content,
            }
        });
        Catalog::new("{root}", entries.collect())
    }
}

fn walk(folder: &Path, below: &str, found: &mut Vec<(String, PathBuf)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = if below.is_empty() {
            name
        } else {
            format!("{below}/{name}")
        };
        if entry.path().is_dir() {
            walk(&entry.path(), &path, found);
        } else {
            found.push((path, entry.path()));
        }
    }
}
