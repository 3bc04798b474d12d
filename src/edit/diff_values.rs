//! Computes a minimal list of patches between two values of a blob, so that unchanged parts keep
//! their text. Does not see the text.

use super::patch::{Patch, PathSegment, Value};
use catalog::diff::equal_pairs;
use serde_json::Map;

/// Returns patches that turn `old` into `new`, each relative to the result of the previous ones.
/// Key order is irrelevant.
pub fn changes(old: &Value, new: &Value) -> Vec<Patch> {
    let mut patches = Vec::new();
    value(old, new, &mut Vec::new(), &mut patches);
    patches
}

fn value(old: &Value, new: &Value, path: &mut Vec<PathSegment>, patches: &mut Vec<Patch>) {
    match (old, new) {
        _ if old == new => {}
        (Value::Object(old), Value::Object(new)) => fields(old, new, path, patches),
        (Value::Array(old), Value::Array(new)) => items(old, new, path, patches),
        _ => patches.push(Patch::set(path.clone(), new.clone())),
    }
}

fn fields(
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
    for (key, is) in new {
        path.push(PathSegment::from(key.as_str()));
        match old.get(key) {
            Some(was) => value(was, is, path, patches),
            None => patches.push(Patch::put(path.clone(), is.clone(), &before)),
        }
        path.pop();
        before.push(key);
    }
}

/// Adds patches from the last item to the first, so that earlier positions stay valid. Items that
/// represent the same object are aligned.
fn items(old: &[Value], new: &[Value], path: &mut Vec<PathSegment>, patches: &mut Vec<Patch>) {
    let [old_keys, new_keys] = [old, new].map(|items| items.iter().map(key).collect::<Vec<_>>());
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
            ([was], [is]) if is_unnamed_other(was, is) => item(old_start, was, is, path, patches),
            (_, added) => {
                let added = added.iter().rev();
                patches
                    .extend(added.map(|is| Patch::insert_item(path.clone(), old_end, is.clone())));
                let removed = (old_start..old_end).rev();
                patches.extend(
                    removed
                        .map(|at| Patch::remove([&path[..], &[PathSegment::Index(at)]].concat())),
                );
            }
        }
        if let Some((i, j)) = pair {
            item(i, &old[i], &new[j], path, patches);
            (old_end, new_end) = (i, j);
        }
    }
}

fn item(
    at: usize,
    old: &Value,
    new: &Value,
    path: &mut Vec<PathSegment>,
    patches: &mut Vec<Patch>,
) {
    path.push(PathSegment::Index(at));
    value(old, new, path, patches);
    path.pop();
}

/// Returns the identity of the object that an item represents: its name, or else the item itself.
fn key(item: &Value) -> String {
    match item["name"].as_str() {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => item.to_string(),
    }
}

/// Whether two unnamed items have something in common: if they are the only differing ones, one was
/// changed into the other.
fn is_unnamed_other(old: &Value, new: &Value) -> bool {
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
        let edited =
            edit_blob(text.as_bytes(), Format::Yaml, &changes(old, new)).expect("it can be edited");
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
    fn any_list_leads_to_any_other() {
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
                let of = |list: &Vec<i32>| serde_json::json!({ "a": list });
                let spelled: Vec<String> = old.iter().map(|n| format!("- {n}\n")).collect();
                let text = if old.is_empty() {
                    "a: []\n".to_owned()
                } else {
                    format!("a:\n{}", spelled.concat())
                };
                let after = edit_text(&text, &of(old), &of(new));
                let read: Value = serde_json::from_str(
                    &syntax::value::document_json(
                        &syntax::parse(after.as_bytes(), Format::Yaml).expect("it parses"),
                        after.as_bytes(),
                    )
                    .expect("values"),
                )
                .expect("JSON");
                assert_eq!(read, of(new), "{old:?} to {new:?}: {after}");
            }
        }
    }
}
