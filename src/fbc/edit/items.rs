//! Changes list items that facts do not distinguish: the blob's text determines the matching items.

use super::patch::{PathSegment, Value};
use super::plan::{BlobChange, Change, Presence};
use super::refusal::{PatchRefusal, RefusalKind};
use super::splice::Document;
use crate::bundle;
use crate::go_text::names_field;
use crate::syntax::tree::{Format, NodeId, Tree};
use crate::syntax::{self, value};

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
    let unreadable = |problem: String| {
        let document = Document {
            text,
            tree: &Tree::default(),
            format,
        };
        document.refuse_at(
            0..0,
            RefusalKind::Unreadable,
            format!("the blob cannot be read: {problem}"),
        )
    };
    let refused = |(message, help): (String, String)| {
        let document = Document {
            text,
            tree: &Tree::default(),
            format,
        };
        PatchRefusal {
            help,
            ..document.refuse_at(0..0, RefusalKind::NotThere, message)
        }
    };
    let tree = syntax::parse(text, format).map_err(|error| unreadable(error.problem))?;
    let reader = Reader { tree: &tree, text };
    let blob = tree.root().and_then(|root| match within {
        Some((list, at)) => reader.list(root, list).get(at).copied(),
        None => Some(root),
    });
    let mut resolved = Vec::new();
    for change in changes {
        let list = blob.map_or_else(Vec::new, |blob| reader.list(blob, change.list));
        let matching = (0..list.len()).filter(|&at| reader.matches(list[at], &change.like));
        let path = |at: usize| vec![PathSegment::from(change.list), PathSegment::from(at)];
        match &change.action {
            ItemAction::Remove => {
                resolved.extend(matching.rev().map(|at| BlobChange {
                    path: path(at),
                    change: Change::Remove,
                }));
            }
            ItemAction::Migrate => {
                // Embedded objects only exist in whole documents.
                let metadata = if within.is_some() {
                    None
                } else {
                    metadata(text, format).map_err(refused)?
                };
                let Some(metadata) = metadata else { continue };
                let gone: Vec<usize> = matching.collect();
                resolved.extend(gone.iter().rev().map(|&at| BlobChange {
                    path: path(at),
                    change: Change::Remove,
                }));
                let added = Change::Insert {
                    at: list.len() - gone.len(),
                    value: Value::from(&metadata),
                };
                resolved.push(BlobChange {
                    path: vec![PathSegment::from(change.list)],
                    change: added,
                });
            }
            ItemAction::Set(field, value) => resolved.extend(matching.map(|at| BlobChange {
                path: [path(at), vec![PathSegment::from(*field)]].concat(),
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
                let (path, item) = (vec![PathSegment::from(change.list)], item.clone());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::patch::path;
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
