//! A tree of files in the format of requests and recorded cases.

use base64::Engine;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Tree {
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    /// Symbolic links: path to target.
    pub(crate) links: BTreeMap<String, String>,
    /// Empty folders.
    pub(crate) dirs: Vec<String>,
}

impl Tree {
    /// Adds a file, unless its path is invalid or blocked by a non-file.
    pub(crate) fn put(&mut self, path: &str, bytes: Vec<u8>) {
        let above = |other: &str, path: &str| {
            path.strip_prefix(other)
                .is_some_and(|rest| rest.starts_with('/'))
        };
        let blocked = path.split('/').any(str::is_empty)
            || self
                .files
                .keys()
                .any(|other| above(other, path) || above(path, other))
            || self.links.contains_key(path)
            || self.dirs.iter().any(|dir| dir == path || above(path, dir));
        if !blocked {
            self.files.insert(path.to_owned(), bytes);
        }
    }

    /// Whether there is anything at this path, below it or above it.
    pub(crate) fn has(&self, path: &str) -> bool {
        let related = |other: &str| {
            let (long, short) = if other.len() > path.len() {
                (other, path)
            } else {
                (path, other)
            };
            long.strip_prefix(short)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.files
            .keys()
            .chain(self.links.keys())
            .chain(&self.dirs)
            .any(|other| related(other))
    }

    pub(crate) fn case(&self) -> Value {
        let (mut files, mut b64) = (Map::new(), Map::new());
        for (path, bytes) in &self.files {
            match std::str::from_utf8(bytes) {
                Ok(text) => files.insert(path.clone(), text.into()),
                Err(_) => {
                    let encoded = base64::engine::general_purpose::STANDARD.encode(bytes);
                    b64.insert(path.clone(), encoded.into())
                }
            };
        }
        let mut case = json!({"files": files});
        for (key, value) in [
            ("b64", json!(b64)),
            ("links", json!(self.links)),
            ("dirs", json!(self.dirs)),
        ] {
            let empty = value.as_array().is_some_and(Vec::is_empty)
                || value.as_object().is_some_and(Map::is_empty);
            if !empty {
                case[key] = value;
            }
        }
        case
    }
}
