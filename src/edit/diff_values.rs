//! Computes a minimal list of patches between two values of a blob, so that unchanged parts keep
//! their text. Knows values only.

use super::patch::{Patch, PathSegment, Value};
use serde_json::Map;

/// Patches that turn `old` into `new`, each relative to the result of the previous ones. Key order
/// is irrelevant.
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

/// Removes items from last to first, so that earlier positions stay valid.
fn items(old: &[Value], new: &[Value], path: &mut Vec<PathSegment>, patches: &mut Vec<Patch>) {
    let mut steps = align(old, new);
    steps.reverse();
    // Position of the next item before the processed part.
    let mut at = old.len();
    for step in steps {
        match step {
            Step::Both(was, is) => {
                at -= 1;
                path.push(PathSegment::Index(at));
                value(was, is, path, patches);
                path.pop();
            }
            Step::Old => {
                at -= 1;
                patches.push(Patch::remove(
                    [&path[..], &[PathSegment::Index(at)]].concat(),
                ));
            }
            Step::New(is) => patches.push(Patch::insert_item(path.clone(), at, is.clone())),
        }
    }
}

enum Step<'j> {
    Both(&'j Value, &'j Value),
    Old,
    New(&'j Value),
}

/// Longer lists (in item pairs) are not aligned.
const LONGEST: usize = 4_000_000;

/// Aligns items that represent the same object, in order, with those that exist in one list only.
fn align<'j>(old: &'j [Value], new: &'j [Value]) -> Vec<Step<'j>> {
    let head = old
        .iter()
        .zip(new)
        .take_while(|(old, new)| old == new)
        .count();
    let tail = old[head..]
        .iter()
        .rev()
        .zip(new[head..].iter().rev())
        .take_while(|(old, new)| old == new)
        .count();
    let (inner_old, inner_new) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let mut steps: Vec<Step<'j>> = old[..head]
        .iter()
        .zip(&new[..head])
        .map(|(old, new)| Step::Both(old, new))
        .collect();
    match (inner_old, inner_new) {
        ([was], [is]) if is_unnamed_other(was, is) => steps.push(Step::Both(was, is)),
        _ => steps.extend(inner(inner_old, inner_new)),
    }
    let (end_old, end_new) = (&old[old.len() - tail..], &new[new.len() - tail..]);
    steps.extend(
        end_old
            .iter()
            .zip(end_new)
            .map(|(old, new)| Step::Both(old, new)),
    );
    steps
}

/// Aligns by the longest common subsequence.
fn inner<'j>(old: &'j [Value], new: &'j [Value]) -> Vec<Step<'j>> {
    if old.len().saturating_mul(new.len()) > LONGEST {
        return old
            .iter()
            .map(|_| Step::Old)
            .chain(new.iter().map(Step::New))
            .collect();
    }
    let width = new.len() + 1;
    let mut common = vec![0_u32; (old.len() + 1) * width];
    for (i, was) in old.iter().enumerate().rev() {
        for (j, is) in new.iter().enumerate().rev() {
            common[i * width + j] = match is_same(was, is) {
                true => common[(i + 1) * width + j + 1] + 1,
                false => common[(i + 1) * width + j].max(common[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut steps = Vec::new();
    while i < old.len() || j < new.len() {
        let is_pair = i < old.len() && j < new.len() && is_same(&old[i], &new[j]);
        if is_pair {
            steps.push(Step::Both(&old[i], &new[j]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len()
            || (i < old.len() && common[(i + 1) * width + j] >= common[i * width + j + 1])
        {
            steps.push(Step::Old);
            i += 1;
        } else {
            steps.push(Step::New(&new[j]));
            j += 1;
        }
    }
    steps
}

/// Whether two unnamed items, the only differing ones, have something in common: then one was
/// changed into the other.
fn is_unnamed_other(old: &Value, new: &Value) -> bool {
    let (Value::Object(old), Value::Object(new)) = (old, new) else {
        return false;
    };
    !old.contains_key("name")
        && !new.contains_key("name")
        && old.iter().any(|(key, value)| new.get(key) == Some(value))
}

/// Whether two items represent the same object: equal, or with the same name.
fn is_same(old: &Value, new: &Value) -> bool {
    let [old_name, new_name] = [old, new].map(|value| value.get("name").and_then(Value::as_str));
    old == new || (old_name == new_name && old_name.is_some_and(|name| !name.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::edit_blob;
    use syntax::tree::Format;

    /// The YAML text after the patches from the first to the second value.
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
