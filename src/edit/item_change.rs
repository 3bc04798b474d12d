//! Changes of list items that facts do not distinguish, such as properties: the blob's text
//! determines which items match.

use super::patch::{Patch, PatchRefusal, RefusalKind, Value, path};
use syntax::go_text::names_field;
use syntax::place::Place;
use syntax::tree::{Format, NodeId, Tree};
use syntax::value;

/// A change of the matching items of one list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemChange {
    /// The blob's field that contains the list.
    pub list: &'static str,
    /// Fields with canonical JSON values; an item matches if it has all of them.
    pub fields: Vec<(&'static str, String)>,
    pub action: ItemAction,
}

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

/// Converts changes of different lists to patches, whose paths are relative to the blob. `within`
/// is the list and position of the blob if it is an item of the document.
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
        let mut matching = (0..list.len()).filter(|&at| fields.matches(list[at], &change.fields));
        match &change.action {
            ItemAction::Remove => resolved.extend(remove_items(change.list, matching)),
            ItemAction::Migrate => {
                // Embedded objects only exist in whole documents.
                if within.is_none()
                    && let Some(metadata) = derive_csv_metadata(text, format)?
                {
                    let removed = remove_items(change.list, matching);
                    let end = list.len() - removed.len();
                    resolved.extend(removed);
                    resolved.push(Patch::insert_item(path![change.list], end, metadata));
                }
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

/// Returns patches that remove the items at these ascending positions, last first.
fn remove_items(list: &str, positions: impl DoubleEndedIterator<Item = usize>) -> Vec<Patch> {
    positions
        .rev()
        .map(|at| Patch::remove(path![list, at]))
        .collect()
}

/// Returns the metadata that `opm` derives from the ClusterServiceVersion of a bundle, if any.
fn derive_csv_metadata(text: &[u8], format: Format) -> Result<Option<Value>, PatchRefusal> {
    let Some(bundle) = bundle::read_document(text, format) else {
        return Ok(None);
    };
    bundle::csv_metadata(&bundle).map_err(|refusal| PatchRefusal {
        kind: RefusalKind::NotThere,
        reason: refusal.message,
        help: refusal.help,
        place: Place::default(),
    })
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

    fn matches(&self, item: NodeId, fields: &[(&'static str, String)]) -> bool {
        fields.iter().all(|(name, expected)| {
            let written = self
                .value(item, name)
                .and_then(|node| value::canonical_json(self.tree, self.text, node).ok());
            written.as_ref() == Some(expected)
        })
    }
}

/// Converts a value to canonical JSON for [`ItemChange::fields`].
pub fn canonical_json(json: &Value) -> String {
    let text = json.to_string();
    let tree = syntax::parse(text.as_bytes(), Format::Json).ok();
    tree.and_then(|tree| value::canonical_json(&tree, text.as_bytes(), tree.root()?).ok())
        .unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const BUNDLE: &str = "schema: olm.bundle\nproperties:\n- type: a\n  value: {z: 1.0, x: b}\n- value: 1\n  TYPE: a\n- type: a\n  value:\n    x: b\n    \"z\": 1\n";

    fn fields(kind: &str, value: serde_json::Value) -> Vec<(&'static str, String)> {
        vec![
            ("type", canonical_json(&json!(kind))),
            ("value", canonical_json(&value)),
        ]
    }

    fn resolve(
        list: &'static str,
        fields: Vec<(&'static str, String)>,
        action: ItemAction,
    ) -> Vec<Patch> {
        resolve_items(
            BUNDLE.as_bytes(),
            Format::Yaml,
            None,
            &[ItemChange {
                list,
                fields,
                action,
            }],
        )
        .expect("readable")
    }

    #[test]
    fn items_are_found_by_value_in_any_spelling() {
        let removed = resolve(
            "properties",
            fields("a", json!({"x": "b", "z": 1})),
            ItemAction::Remove,
        );
        let paths: Vec<_> = removed.into_iter().map(|change| change.path).collect();
        assert_eq!(paths, [path!["properties", 2], path!["properties", 0]]);
        let set = resolve(
            "properties",
            fields("a", json!(1)),
            ItemAction::Set("value", "z".into()),
        );
        assert_eq!(
            set.into_iter()
                .map(|change| change.path)
                .collect::<Vec<_>>(),
            [path!["properties", 1, "value"]]
        );
        assert!(resolve("relatedImages", fields("a", json!(1)), ItemAction::Remove).is_empty());
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
            fields: fields("a", json!(1)),
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
        assert!(resolve("properties", fields("a", json!(1)), add()).is_empty());
        let added = resolve("properties", fields("a", json!(2)), add());
        assert_eq!(added, [Patch::insert_item(path!["properties"], 3, "new")]);
        let first = resolve("relatedImages", fields("a", json!(1)), add());
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
