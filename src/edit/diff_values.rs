//! Computes a minimal list of patches between two values of a blob, so that unchanged parts keep
//! their text. Does not see the text.

use super::patch::{Patch, PathSegment, Value};
use catalog::diff::equal_pairs;
use serde_json::Map;

/// Returns patches that turn `old` into `new`, each relative to the result of the previous ones.
/// Key order is irrelevant.
pub fn changes(old: &Value, new: &Value) -> Vec<Patch> {
    let mut patches = Vec::new();
    diff_value(old, new, &mut Vec::new(), &mut patches);
    patches
}

fn diff_value(old: &Value, new: &Value, path: &mut Vec<PathSegment>, patches: &mut Vec<Patch>) {
    match (old, new) {
        _ if old == new => {}
        (Value::Object(old), Value::Object(new)) => diff_fields(old, new, path, patches),
        (Value::Array(old), Value::Array(new)) => diff_items(old, new, path, patches),
        _ => patches.push(Patch::set(path.clone(), new.clone())),
    }
}

fn diff_fields(
    old: &Map<String, Value>,
    new: &Map<String, Value>,
    path: &mut Vec<PathSegment>,
    patches: &mut Vec<Patch>,
) {
    for key in old.keys().filter(|key| !new.contains_key(*key)) {
        patches.push(Patch::remove(
            [&path[..], &[PathSegment::from(key.as_str())]].concat(),
        ));
    }
    let mut before: Vec<&str> = Vec::new();
    for (key, new_value) in new {
        path.push(PathSegment::from(key.as_str()));
        match old.get(key) {
            Some(old_value) => diff_value(old_value, new_value, path, patches),
            None => patches.push(Patch::put(path.clone(), new_value.clone(), &before)),
        }
        path.pop();
        before.push(key);
    }
}

/// Adds patches from the last item to the first, so that earlier positions stay valid. Items that
/// represent the same object are aligned.
fn diff_items(old: &[Value], new: &[Value], path: &mut Vec<PathSegment>, patches: &mut Vec<Patch>) {
    let [old_keys, new_keys] =
        [old, new].map(|items| items.iter().map(identity).collect::<Vec<_>>());
    let [old_keys, new_keys] =
        [&old_keys, &new_keys].map(|keys| keys.iter().map(String::as_bytes).collect::<Vec<_>>());
    let pairs = equal_pairs(&old_keys, &new_keys);
    // The ends of the unprocessed parts. Each round handles the gap after `pair`.
    let (mut old_end, mut new_end) = (old.len(), new.len());
    for pair in std::iter::once(None)
        .chain(pairs.into_iter().map(Some))
        .rev()
    {
        let (old_start, new_start) = pair.map_or((0, 0), |(i, j)| (i + 1, j + 1));
        match (&old[old_start..old_end], &new[new_start..new_end]) {
            ([old], [new]) if is_edit(old, new) => diff_item(old_start, old, new, path, patches),
            (_, added) => {
                for value in added.iter().rev() {
                    patches.push(Patch::insert_item(path.clone(), old_end, value.clone()));
                }
                for index in (old_start..old_end).rev() {
                    let item = [&path[..], &[PathSegment::Index(index)]].concat();
                    patches.push(Patch::remove(item));
                }
            }
        }
        if let Some((i, j)) = pair {
            diff_item(i, &old[i], &new[j], path, patches);
            (old_end, new_end) = (i, j);
        }
    }
}

fn diff_item(
    at: usize,
    old: &Value,
    new: &Value,
    path: &mut Vec<PathSegment>,
    patches: &mut Vec<Patch>,
) {
    path.push(PathSegment::Index(at));
    diff_value(old, new, path, patches);
    path.pop();
}

/// Returns the identity of the object that an item represents: its name, or else the item itself.
fn identity(item: &Value) -> String {
    match item["name"].as_str() {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => item.to_string(),
    }
}

/// Whether two unnamed items share a field, so that `new` is likely an edit of `old`.
fn is_edit(old: &Value, new: &Value) -> bool {
    let (Value::Object(old), Value::Object(new)) = (old, new) else {
        return false;
    };
    !old.contains_key("name")
        && !new.contains_key("name")
        && old.iter().any(|(key, value)| new.get(key) == Some(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::edit_blob;
    use syntax::tree::Format;

    /// Returns the YAML text after the patches from the first to the second value.
    fn edit_text(text: &str, old: &Value, new: &Value) -> String {
        let edited = edit_blob(text.as_bytes(), Format::Yaml, &changes(old, new))
            .expect("an applicable edit");
        String::from_utf8(edited.text).expect("text")
    }

    #[test]
    fn only_differences_are_written() {
        let text = "schema: olm.channel # kept\nname: a\nentries:\n- name: v1 # the first\n- name: v2\n  replaces: v1\n- name: v4\n";
        let old = serde_json::json!({"schema": "olm.channel", "name": "a", "entries": [{"name": "v1"}, {"name": "v2", "replaces": "v1"}, {"name": "v4"}]});
        let new = serde_json::json!({"schema": "olm.channel", "name": "a", "entries": [{"name": "v1"}, {"name": "v3", "replaces": "v1", "skips": ["v2"]}, {"name": "v4", "replaces": "v3"}], "properties": []});
        let expected = "schema: olm.channel # kept\nname: a\nentries:\n- name: v1 # the first\n- name: v3\n  replaces: v1\n  skips:\n  - v2\n- name: v4\n  replaces: v3\nproperties: []\n";
        assert_eq!(edit_text(text, &old, &new), expected);
        assert!(changes(&old, &old).is_empty());
    }

    #[test]
    fn a_single_changed_item_is_edited_in_place() {
        let text = "m:\n- t: a # kept\n  c: ['1',\n    2]\n";
        let (old, new) = (
            serde_json::json!({"m": [{"t": "a", "c": ["1", 2]}]}),
            serde_json::json!({"m": [{"t": "a", "c": ["1", 2, 3]}]}),
        );
        assert_eq!(
            edit_text(text, &old, &new),
            "m:\n- t: a # kept\n  c: ['1',\n    2, 3]\n"
        );
    }

    #[test]
    fn any_list_can_become_any_other() {
        let lists = [
            vec![],
            vec![1],
            vec![2],
            vec![1, 2],
            vec![2, 1],
            vec![1, 2, 3],
            vec![3, 1, 2, 4],
            vec![4, 4, 1],
        ];
        for old in &lists {
            for new in &lists {
                let document = |list: &Vec<i32>| serde_json::json!({ "a": list });
                let spelled: Vec<String> = old.iter().map(|n| format!("- {n}\n")).collect();
                let text = if old.is_empty() {
                    "a: []\n".to_owned()
                } else {
                    format!("a:\n{}", spelled.concat())
                };
                let after = edit_text(&text, &document(old), &document(new));
                let read: Value = serde_json::from_str(
                    &syntax::value::document_json(
                        &syntax::parse(after.as_bytes(), Format::Yaml).expect("valid YAML"),
                        after.as_bytes(),
                    )
                    .expect("values"),
                )
                .expect("JSON");
                assert_eq!(read, document(new), "{old:?} to {new:?}: {after}");
            }
        }
    }
}
