//! Symbolic changes inside one blob: a value's path in keys and indices, and the action. There are
//! no byte positions, so patches only affect one another if they touch the same value.
//!
//! A patch has two independent interpretations that must agree: [`super::expected_values`] applies
//! it to the values of a document, [`super::splice`] to its text; [`super::verify`] compares them.
//! Knows neither schemas nor spelling.

use serde_json::Value as Json;
use std::fmt;

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
macro_rules! path_to {
    ($($segment:expr),* $(,)?) => { vec![$($crate::edit::patch::PathSegment::from($segment)),*] };
}
pub(crate) use path_to as path;

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
