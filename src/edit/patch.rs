//! Symbolic changes inside one blob: a value's path in keys and indices, and the action. There are
//! no byte positions, so patches only affect one another if they touch the same value.
//!
//! A patch has two independent interpretations that must agree: [`super::verify`] applies
//! it to the values of a document, [`super::splice`] to its text; [`super::verify`] compares them.
//! Knows neither schemas nor spelling.

use super::plan::{BlobChange, Change, Presence};
use super::splice::Document;
use serde_json::Value as Json;
use std::fmt;
use syntax::go_text::names_field;
use syntax::place::Place;
use syntax::tree::{Format, NodeId, Tree};
use syntax::value;

/// One segment from a value to a value inside it.
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

/// New data. Maps keep their order unless the neighbours have another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    String(String),
    /// A number, `true`, `false` or `null` in JSON spelling.
    Raw(String),
    List(Vec<Value>),
    Map(Vec<(String, Value)>),
}

impl Value {
    pub fn list<T: Into<Value>>(items: impl IntoIterator<Item = T>) -> Self {
        Value::List(items.into_iter().map(Into::into).collect())
    }

    pub fn map<K: Into<String>, T: Into<Value>>(pairs: impl IntoIterator<Item = (K, T)>) -> Self {
        Value::Map(
            pairs
                .into_iter()
                .map(|(key, value)| (key.into(), value.into()))
                .collect(),
        )
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::String(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::String(text)
    }
}

impl From<&Json> for Value {
    /// Recursion is bounded: `serde_json` reads at most 128 levels.
    fn from(json: &Json) -> Self {
        match json {
            Json::String(text) => Value::String(text.clone()),
            Json::Array(items) => Value::list(items),
            Json::Object(pairs) => Value::map(pairs),
            Json::Null | Json::Bool(_) | Json::Number(_) => Value::Raw(json.to_string()),
        }
    }
}

/// The change of the value at a patch's path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Replaces the value, which must exist.
    Set(Value),
    /// Adds a key to the mapping at the path, which must lack it. Its position follows neighbouring
    /// mappings of the same list that have the key; else sorted order if the neighbours' keys are
    /// sorted; else it comes after the last existing key of `after`; else at the end.
    InsertKey {
        key: String,
        value: Value,
        after: Vec<String>,
    },
    /// Adds an item to the list at the path, before the current item `at` (its length: at the end).
    InsertItem { at: usize, value: Value },
    /// Removes the value at the path: the item, or the key with its value.
    Remove(WhenEmpty),
}

/// What happens to a list or mapping that loses its last element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WhenEmpty {
    /// Stays as `[]` or `{}`.
    #[default]
    Keep,
    /// Is removed too (the key with it, or the item). Affects only this level; its parent stays as
    /// `[]` or `{}`.
    RemoveParent,
}

/// One change inside one blob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    pub path: Vec<PathSegment>,
    pub action: Action,
}

impl Patch {
    pub fn set(path: impl Into<Vec<PathSegment>>, value: impl Into<Value>) -> Self {
        Self {
            path: path.into(),
            action: Action::Set(value.into()),
        }
    }

    pub fn insert_key(
        path: impl Into<Vec<PathSegment>>,
        key: &str,
        value: impl Into<Value>,
        after: &[&str],
    ) -> Self {
        let after = after.iter().map(|&key| key.to_owned()).collect();
        Self {
            path: path.into(),
            action: Action::InsertKey {
                key: key.to_owned(),
                value: value.into(),
                after,
            },
        }
    }

    pub fn insert_item(
        path: impl Into<Vec<PathSegment>>,
        at: usize,
        value: impl Into<Value>,
    ) -> Self {
        Self {
            path: path.into(),
            action: Action::InsertItem {
                at,
                value: value.into(),
            },
        }
    }

    pub fn remove(path: impl Into<Vec<PathSegment>>, when_empty: WhenEmpty) -> Self {
        Self {
            path: path.into(),
            action: Action::Remove(when_empty),
        }
    }
}

/// A patch, or two alternatives: facts do not always show whether a key is written (an empty list
/// reads as absent). The choice is made when the patch is applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intent {
    Certain(Patch),
    /// `insert` adds the key; if it is already written, `set` replaces its value.
    Put {
        insert: Patch,
        set: Patch,
    },
}

impl Intent {
    /// The path of the set or removed value, or of the collection that gains one.
    pub fn path(&self) -> &[PathSegment] {
        let (Intent::Certain(patch) | Intent::Put { set: patch, .. }) = self;
        &patch.path
    }
}

impl From<Patch> for Intent {
    fn from(patch: Patch) -> Self {
        Intent::Certain(patch)
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

/// Changes list items that facts do not distinguish: the blob's text determines the matching items.
///
/// A change of items in one list of a blob.
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
    /// Appends an item to the list unless one matches. A new list goes after the last key of
    /// `after`.
    AddMissing {
        item: Value,
        after: &'static [&'static str],
    },
}

/// Converts the changes to list positions, in order. Lists must be named once.
pub fn resolve_items(
    text: &[u8],
    format: Format,
    changes: &[ItemChange],
) -> Result<Vec<BlobChange>, PatchRefusal> {
    resolve_items_in(text, format, None, changes)
}

/// Like `resolve_items`, for a blob that is a list item of the document. Paths are relative to the
/// blob.
pub fn resolve_items_in(
    text: &[u8],
    format: Format,
    within: Option<(&str, usize)>,
    changes: &[ItemChange],
) -> Result<Vec<BlobChange>, PatchRefusal> {
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    let document = Document {
        text,
        tree: &Tree::default(),
        format,
    };
    let tree = syntax::parse(text, format).map_err(|error| {
        document.refuse_at(
            0..0,
            RefusalKind::Unreadable,
            format!("the blob cannot be read: {}", error.problem),
        )
    })?;
    let reader = Reader { tree: &tree, text };
    let blob = tree.root().and_then(|root| match within {
        Some((list, at)) => reader.list(root, list).get(at).copied(),
        None => Some(root),
    });
    let mut resolved = Vec::new();
    for change in changes {
        let list = blob.map_or_else(Vec::new, |blob| reader.list(blob, change.list));
        let matching = (0..list.len()).filter(|&at| reader.matches(list[at], &change.like));
        match &change.action {
            ItemAction::Remove => {
                resolved.extend(matching.rev().map(|at| BlobChange {
                    path: path![change.list, at],
                    change: Change::Remove,
                }));
            }
            ItemAction::Migrate => {
                // Embedded objects only exist in whole documents.
                let metadata = if within.is_some() {
                    None
                } else {
                    metadata(text, format).map_err(|(message, help)| PatchRefusal {
                        help,
                        ..document.refuse_at(0..0, RefusalKind::NotThere, message)
                    })?
                };
                let Some(metadata) = metadata else { continue };
                let gone: Vec<usize> = matching.collect();
                resolved.extend(gone.iter().rev().map(|&at| BlobChange {
                    path: path![change.list, at],
                    change: Change::Remove,
                }));
                let added = Change::Insert {
                    at: list.len() - gone.len(),
                    value: Value::from(&metadata),
                };
                resolved.push(BlobChange {
                    path: path![change.list],
                    change: added,
                });
            }
            ItemAction::Set(field, value) => resolved.extend(matching.map(|at| BlobChange {
                path: path![change.list, at, *field],
                change: Change::Put {
                    value: value.clone(),
                    after: &[],
                    present: Presence::There,
                },
            })),
            ItemAction::AddMissing { item, after } => {
                let mut matching = matching;
                if matching.next().is_some() {
                    continue;
                }
                let (path, item) = (path![change.list], item.clone());
                let change = if list.is_empty() {
                    Change::Put {
                        value: Value::List(vec![item]),
                        after,
                        present: Presence::Unknown,
                    }
                } else {
                    Change::Insert {
                        at: list.len(),
                        value: item,
                    }
                };
                resolved.push(BlobChange { path, change });
            }
        }
    }
    Ok(resolved)
}

/// The property that replaces a bundle's embedded objects. The error describes what is wrong with
/// them.
fn metadata(text: &[u8], format: Format) -> Result<Option<serde_json::Value>, (String, String)> {
    let Some(bundle) = bundle::read_document(text, format) else {
        return Ok(None);
    };
    bundle::csv_metadata(&bundle).map_err(|refusal| (refusal.message, refusal.help))
}

struct Reader<'a> {
    tree: &'a Tree,
    text: &'a [u8],
}

impl Reader<'_> {
    fn field(&self, mapping: NodeId, name: &str) -> Option<NodeId> {
        let entries = value::mapping_entries(self.tree, self.text, mapping).ok()?;
        entries
            .iter()
            .rfind(|entry| names_field(&entry.key, name))
            .map(|entry| entry.value_node)
    }

    /// The items of a field; empty if it is not a list.
    fn list(&self, mapping: NodeId, name: &str) -> Vec<NodeId> {
        let Some(list) = self.field(mapping, name) else {
            return Vec::new();
        };
        let list = self.tree.resolve_alias(list);
        self.tree
            .children(list)
            .filter(|_| self.tree.kind(list).is_sequence())
            .collect()
    }

    fn matches(&self, item: NodeId, like: &[(&'static str, String)]) -> bool {
        like.iter().all(|(name, wanted)| {
            let written = self
                .field(item, name)
                .and_then(|node| value::canonical_json(self.tree, self.text, node).ok());
            written.as_ref() == Some(wanted)
        })
    }
}

/// Canonical JSON for [`ItemChange::like`].
pub fn canonical(json: &serde_json::Value) -> String {
    let text = json.to_string();
    let read = syntax::parse(text.as_bytes(), Format::Json).ok();
    let canonical =
        read.and_then(|tree| value::canonical_json(&tree, text.as_bytes(), tree.root()?).ok());
    canonical.unwrap_or(text)
}

/// Why a change was refused. A refusal is an answer, not a failure: nothing was written.
///
/// The class of a refusal, for statistics and suggestions (*edit as text*).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RefusalKind {
    /// The blob is not valid YAML or JSON.
    Unreadable,
    /// The path leads to nothing, or to a value of another shape.
    NotThere,
    /// A key to be added exists already.
    AlreadyThere,
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
    /// The changed text did not parse as intended. A bug; includes a report.
    Mismatch,
}

/// A change that was refused, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct PatchRefusal {
    pub kind: RefusalKind,
    /// The reason without the position.
    pub reason: String,
    /// The alternative; may be empty.
    pub help: String,
    /// Relative to the blob's text.
    pub place: Place,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_read_well() {
        let patch = Patch::remove(path!["entries", 3, "replaces"], WhenEmpty::Keep);
        assert_eq!(DisplayPath(&patch.path).to_string(), "entries[3].replaces");
    }

    #[test]
    fn json_numbers_keep_their_spelling_class() {
        let json: Json = serde_json::from_str(r#"{"b":[1,true,null,"x"],"a":1.5}"#).unwrap();
        let raw = |text: &str| Value::Raw(text.to_owned());
        let list = Value::List(vec![raw("1"), raw("true"), raw("null"), "x".into()]);
        assert_eq!(
            Value::from(&json),
            Value::map([("b", list), ("a", raw("1.5"))])
        );
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
    ) -> Vec<BlobChange> {
        resolve_items(
            BUNDLE.as_bytes(),
            Format::Yaml,
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
            resolve_items_in(
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
        assert_eq!(
            added[0].change,
            Change::Insert {
                at: 3,
                value: "new".into()
            }
        );
        let first = resolve("relatedImages", like("a", json!(1)), add());
        assert_eq!(first[0].path, path!["relatedImages"]);
        assert!(matches!(
            first[0].change,
            Change::Put {
                present: Presence::Unknown,
                ..
            }
        ));
    }
}
