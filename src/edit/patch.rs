//! Symbolic changes inside one blob: a value's path in keys and indices, and the action. There are
//! no byte positions, so patches only affect one another if they touch the same value.
//!
//! A patch has two independent interpretations that must agree: [`super::verify`] applies
//! it to the values of a document, [`super::splice`] to its text; [`super::verify`] compares them.
//! Knows neither schemas nor spelling.

use std::fmt;
use syntax::go_text::names_field;
use syntax::place::Place;
use syntax::tree::{Format, NodeId, Tree};
use syntax::value;

/// One step of a path, from a value to a value inside it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PathSegment {
    /// The value of a key. Found as Go finds a field: the exact name, else the one that differs only in case.
    Key(String),
    /// An item of a list, from 0.
    Index(usize),
}

impl From<&str> for PathSegment {
    fn from(key: &str) -> Self {
        PathSegment::Key(key.to_owned())
    }
}

impl From<usize> for PathSegment {
    fn from(index: usize) -> Self {
        PathSegment::Index(index)
    }
}

/// A new value. Its key order is kept unless neighbouring mappings have another one.
pub use serde_json::Value;

/// What a patch does to the value at its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Replaces the value. A missing key is added to its mapping: its position follows neighbouring
    /// mappings of the same list that have the key; else sorted order if the neighbours' keys are
    /// sorted; else it comes after the last existing key of `after`; else at the end.
    Set { value: Value, after: Vec<String> },
    /// Adds an item to the list at the path, before the current item `at`; if `at` is the
    /// list's length, at the end.
    InsertItem { at: usize, value: Value },
    /// Removes the value at the path: the item, or the key with its value. An emptied list or
    /// mapping becomes `[]` or `{}`.
    Remove,
}

/// One change inside one blob. Patches of one blob apply in order: each path refers to the result
/// of the previous ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    pub path: Vec<PathSegment>,
    pub action: Action,
}

impl Patch {
    /// Sets the value at a path; a missing key is added at the end.
    pub fn set(path: impl Into<Vec<PathSegment>>, value: impl Into<Value>) -> Self {
        Self::put(path, value, &[])
    }

    /// Sets the value at a path; a missing key is added after the last existing key of
    /// `after`.
    pub fn put(path: impl Into<Vec<PathSegment>>, value: impl Into<Value>, after: &[&str]) -> Self {
        let (path, value) = (path.into(), value.into());
        let after = after.iter().map(|&key| key.to_owned()).collect();
        Self {
            path,
            action: Action::Set { value, after },
        }
    }

    pub fn insert_item(
        path: impl Into<Vec<PathSegment>>,
        at: usize,
        value: impl Into<Value>,
    ) -> Self {
        let (path, value) = (path.into(), value.into());
        Self {
            path,
            action: Action::InsertItem { at, value },
        }
    }

    pub fn remove(path: impl Into<Vec<PathSegment>>) -> Self {
        Self {
            path: path.into(),
            action: Action::Remove,
        }
    }

    /// Prefixes the path, for a blob that is a value inside a document.
    pub fn below(mut self, path: &[PathSegment]) -> Self {
        self.path.splice(0..0, path.iter().cloned());
        self
    }
}

/// Builds a path: `path!["entries", 3, "replaces"]`.
#[doc(hidden)]
#[macro_export]
macro_rules! path_to {
    ($($segment:expr),* $(,)?) => { vec![$($crate::patch::PathSegment::from($segment)),*] };
}
pub use crate::path_to as path;

/// Formats a path like `entries[3].replaces`.
pub struct DisplayPath<'a>(pub &'a [PathSegment]);

impl fmt::Display for DisplayPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, segment) in self.0.iter().enumerate() {
            match segment {
                PathSegment::Key(key) if position > 0 => write!(f, ".{key}")?,
                PathSegment::Key(key) => write!(f, "{key}")?,
                PathSegment::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// A change of list items that facts do not distinguish: the blob's text determines the matching
/// items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemChange {
    /// The blob's field that contains the list.
    pub list: &'static str,
    /// Fields with canonical JSON values; an item matches if it has all of them.
    pub like: Vec<(&'static str, String)>,
    pub action: ItemAction,
}

/// The change to the matching items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemAction {
    Remove,
    /// Sets a field that all matching items have.
    Set(&'static str, Value),
    /// Replaces the matching embedded objects with the metadata that `opm` derives from them. Blobs
    /// without a ClusterServiceVersion stay unchanged.
    Migrate,
    /// Appends an item to the list unless one matches. A new list is added after the last key of
    /// `after`.
    AddMissing {
        item: Value,
        after: &'static [&'static str],
    },
}

/// Converts the changes to list positions, in order. Lists must be named once.
///
/// `within`: the list and position of the blob, if it is an item of the document. Paths are relative
/// to the blob.
pub fn resolve_items(
    text: &[u8],
    format: Format,
    within: Option<(&str, usize)>,
    changes: &[ItemChange],
) -> Result<Vec<Patch>, PatchRefusal> {
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    let tree = super::verify::parse(text, format)?;
    let fields = Fields { tree: &tree, text };
    let blob = tree.root().and_then(|root| match within {
        Some((list, at)) => fields.items(root, list).get(at).copied(),
        None => Some(root),
    });
    let mut resolved = Vec::new();
    for change in changes {
        let list = blob.map_or_else(Vec::new, |blob| fields.items(blob, change.list));
        let mut matching = (0..list.len()).filter(|&at| fields.matches(list[at], &change.like));
        match &change.action {
            ItemAction::Remove => resolved.extend(
                matching
                    .rev()
                    .map(|at| Patch::remove(path![change.list, at])),
            ),
            ItemAction::Migrate => {
                // Embedded objects only exist in whole documents.
                let document = bundle::read_document(text, format).filter(|_| within.is_none());
                let metadata = document
                    .map(|bundle| bundle::csv_metadata(&bundle))
                    .transpose();
                let metadata = metadata.map_err(|refusal| PatchRefusal {
                    kind: RefusalKind::NotThere,
                    reason: refusal.message,
                    help: refusal.help,
                    place: Place::default(),
                })?;
                let Some(metadata) = metadata.flatten() else {
                    continue;
                };
                let gone: Vec<usize> = matching.collect();
                resolved.extend(
                    gone.iter()
                        .rev()
                        .map(|&at| Patch::remove(path![change.list, at])),
                );
                let end = list.len() - gone.len();
                resolved.push(Patch::insert_item(path![change.list], end, metadata));
            }
            ItemAction::Set(field, value) => resolved.extend(
                matching.map(|at| Patch::set(path![change.list, at, *field], value.clone())),
            ),
            ItemAction::AddMissing { item, after } => {
                if matching.next().is_none() {
                    resolved.push(append(change.list, list.len(), item.clone(), after));
                }
            }
        }
    }
    Ok(resolved)
}

/// Returns a patch that appends an item to a blob's list of length `len`. An empty list may be
/// absent, so it is set as a whole, after the last key of `after`.
pub fn append(list: &str, len: usize, item: impl Into<Value>, after: &[&str]) -> Patch {
    match len {
        0 => Patch::put(path![list], vec![item.into()], after),
        _ => Patch::insert_item(path![list], len, item),
    }
}

/// The fields of a document's mappings, as Go reads them.
pub struct Fields<'a> {
    pub tree: &'a Tree,
    pub text: &'a [u8],
}

impl Fields<'_> {
    pub fn value(&self, mapping: NodeId, name: &str) -> Option<NodeId> {
        let entries = value::mapping_entries(self.tree, self.text, mapping).ok()?;
        entries
            .iter()
            .rfind(|entry| names_field(&entry.key, name))
            .map(|entry| self.tree.resolve_alias(entry.value_node))
    }

    /// Returns the items of a field; `None` if it is not a list.
    pub fn list(&self, mapping: NodeId, name: &str) -> Option<Vec<NodeId>> {
        let list = self.value(mapping, name)?;
        let is_list = self.tree.kind(list).is_sequence();
        is_list.then(|| self.tree.children(list).collect())
    }

    fn items(&self, mapping: NodeId, name: &str) -> Vec<NodeId> {
        self.list(mapping, name).unwrap_or_default()
    }

    fn matches(&self, item: NodeId, like: &[(&'static str, String)]) -> bool {
        like.iter().all(|(name, wanted)| {
            let written = self
                .value(item, name)
                .and_then(|node| value::canonical_json(self.tree, self.text, node).ok());
            written.as_ref() == Some(wanted)
        })
    }
}

/// Converts a value to canonical JSON for [`ItemChange::like`].
pub fn canonical(json: &Value) -> String {
    let text = json.to_string();
    let read = syntax::parse(text.as_bytes(), Format::Json).ok();
    let canonical =
        read.and_then(|tree| value::canonical_json(&tree, text.as_bytes(), tree.root()?).ok());
    canonical.unwrap_or(text)
}

/// The class of a refusal, for statistics and suggestions (*edit as text*).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RefusalKind {
    /// The blob is not valid YAML or JSON.
    Unreadable,
    /// The path leads to no value, or to one of another shape.
    NotThere,
    /// The change would affect what an alias refers to, or replace an alias.
    Alias,
    /// The value has an anchor or tag.
    AnchorOrTag,
    /// A mapping along the path merges keys from elsewhere (`<<`).
    MergeKey,
    /// A key on the path is duplicated (ignoring case: Go folds field names).
    DuplicateKey,
    /// A syntax that we do not edit (complex keys with `?`, comments inside one-line brackets, …).
    Spelling,
    /// The text cannot be written so that all readers agree.
    Unwritable,
    /// The changed text did not parse as intended. This is a bug; the refusal includes a report.
    Mismatch,
}

/// A change that was refused, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct PatchRefusal {
    pub kind: RefusalKind,
    /// The reason without the position.
    pub reason: String,
    /// A suggested alternative; may be empty.
    pub help: String,
    /// Relative to the blob's text.
    pub place: Place,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_read_well() {
        let patch = Patch::remove(path!["entries", 3, "replaces"]);
        assert_eq!(DisplayPath(&patch.path).to_string(), "entries[3].replaces");
    }
}

#[cfg(test)]
mod items_tests {
    use super::*;
    use crate::patch::path;
    use serde_json::json;

    const BUNDLE: &str = "schema: olm.bundle\nproperties:\n- type: a\n  value: {z: 1.0, x: b}\n- value: 1\n  TYPE: a\n- type: a\n  value:\n    x: b\n    \"z\": 1\n";

    fn like(kind: &str, value: serde_json::Value) -> Vec<(&'static str, String)> {
        vec![
            ("type", canonical(&json!(kind))),
            ("value", canonical(&value)),
        ]
    }

    fn resolve(
        list: &'static str,
        like: Vec<(&'static str, String)>,
        action: ItemAction,
    ) -> Vec<Patch> {
        resolve_items(
            BUNDLE.as_bytes(),
            Format::Yaml,
            None,
            &[ItemChange { list, like, action }],
        )
        .expect("readable")
    }

    #[test]
    fn items_are_found_by_value_in_any_spelling() {
        let removed = resolve(
            "properties",
            like("a", json!({"x": "b", "z": 1})),
            ItemAction::Remove,
        );
        let paths: Vec<_> = removed.into_iter().map(|change| change.path).collect();
        assert_eq!(paths, [path!["properties", 2], path!["properties", 0]]);
        let set = resolve(
            "properties",
            like("a", json!(1)),
            ItemAction::Set("value", "z".into()),
        );
        assert_eq!(
            set.into_iter()
                .map(|change| change.path)
                .collect::<Vec<_>>(),
            [path!["properties", 1, "value"]]
        );
        assert!(resolve("relatedImages", like("a", json!(1)), ItemAction::Remove).is_empty());
    }

    #[test]
    fn items_of_a_blob_in_a_list_are_found_too() {
        let text = format!(
            "entries:\n- schema: x\n- {}",
            BUNDLE.trim_end().replace('\n', "\n  ")
        );
        let (list, action) = ("properties", ItemAction::Remove);
        let change = ItemChange {
            list,
            like: like("a", json!(1)),
            action,
        };
        let at = |at| {
            resolve_items(
                text.as_bytes(),
                Format::Yaml,
                Some(("entries", at)),
                std::slice::from_ref(&change),
            )
        };
        let paths: Vec<_> = at(1)
            .expect("readable")
            .into_iter()
            .map(|change| change.path)
            .collect();
        assert_eq!(
            paths,
            [path!["properties", 1]],
            "of the blob, not of the document"
        );
        assert_eq!(at(0).expect("readable"), []);
    }

    #[test]
    fn an_item_is_added_once() {
        let add = || ItemAction::AddMissing {
            item: "new".into(),
            after: &["name"],
        };
        assert!(resolve("properties", like("a", json!(1)), add()).is_empty());
        let added = resolve("properties", like("a", json!(2)), add());
        assert_eq!(added, [Patch::insert_item(path!["properties"], 3, "new")]);
        let first = resolve("relatedImages", like("a", json!(1)), add());
        assert_eq!(
            first,
            [Patch::put(
                path!["relatedImages"],
                json!(["new"]),
                &["name"]
            )]
        );
    }
}
