//! Symbolic changes inside one blob: a value's path in keys and indices, and the action. There are
//! no byte positions, so patches only affect one another if they touch the same value.
//!
//! A patch has two independent interpretations that must agree: [`super::verify`] applies
//! it to the values of a document, [`super::splice`] to its text; [`super::verify`] compares them.
//! Knows neither schemas nor spelling.

use std::fmt;
use syntax::place::Place;

/// One step of a path, from a value to a value inside it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PathSegment {
    /// The value of a key. Go's rules for field names apply: the exact name, else one that differs
    /// only in case.
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

/// The class of a refusal, for statistics and suggestions (*edit as text*).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RefusalKind {
    /// The blob is not valid YAML or JSON.
    Unreadable,
    /// The path leads to no value, or to one of another shape.
    NotThere,
    /// The change would also show wherever an alias repeats the value.
    Alias,
    /// The value is written elsewhere: an alias or a merge key (`<<`) repeats it here.
    Inherited,
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
    fn paths_are_readable() {
        let patch = Patch::remove(path!["entries", 3, "replaces"]);
        assert_eq!(DisplayPath(&patch.path).to_string(), "entries[3].replaces");
    }
}
