//! The text of a rendered catalog with its facts. Unchanged blobs are neither written nor parsed
//! again.

use catalog::index::index_bytes;
use catalog::model::{Blob, FileIndex};
use serde_json::Value;
use std::rc::Rc;
use syntax::hashed::HashMap;

/// The blobs of a rendered catalog in order, with their text.
#[derive(Debug, Default)]
pub(super) struct RenderedText {
    blobs: Vec<Rc<WrittenBlob>>,
}

#[derive(Debug)]
struct WrittenBlob {
    value: Value,
    /// Includes the preceding separator.
    text: String,
    lines: u32,
    /// The facts of the text as a file of its own.
    facts: Vec<Blob>,
}

/// Schema, package and name.
type Key<'v> = (&'v str, &'v str, &'v str);

fn key(value: &Value) -> Key<'_> {
    ["schema", "package", "name"]
        .map(|field| value[field].as_str().unwrap_or_default())
        .into()
}

impl RenderedText {
    /// Writes `blobs`; shares those that `old` has.
    pub(super) fn new(blobs: Vec<Value>, old: Option<&RenderedText>) -> Self {
        let mut old_blobs: HashMap<Key<'_>, Vec<&Rc<WrittenBlob>>> = HashMap::default();
        for blob in old.into_iter().flat_map(|old| &old.blobs) {
            old_blobs.entry(key(&blob.value)).or_default().push(blob);
        }
        let write = |value: Value| {
            let candidates = old_blobs.get(&key(&value)).into_iter().flatten();
            match candidates.copied().find(|blob| blob.value == value) {
                Some(blob) => Rc::clone(blob),
                None => Rc::new(WrittenBlob::new(value)),
            }
        };
        Self {
            blobs: blobs.into_iter().map(write).collect(),
        }
    }

    pub(super) fn text(&self) -> Vec<u8> {
        let length = self.blobs.iter().map(|blob| blob.text.len()).sum();
        let mut text = Vec::with_capacity(length);
        for blob in &self.blobs {
            text.extend_from_slice(blob.text.as_bytes());
        }
        text
    }

    pub(super) fn index(&self) -> FileIndex {
        let (mut at, mut line) = (0_u64, 0_u32);
        let mut blobs = Vec::with_capacity(self.blobs.len());
        for blob in &self.blobs {
            let moved = blob.facts.iter().map(|facts| Blob {
                start: facts.start + at,
                end: facts.end + at,
                line: facts.line + line,
                ..facts.clone()
            });
            blobs.extend(moved);
            at += blob.text.len() as u64;
            line += blob.lines;
        }
        FileIndex::new(at, blobs)
    }
}

impl WrittenBlob {
    fn new(value: Value) -> Self {
        let text = bundle::to_yaml(std::slice::from_ref(&value));
        let facts = index_bytes(text.as_bytes()).blobs;
        let lines = memchr::memchr_iter(b'\n', text.as_bytes()).count() as u32;
        Self {
            value,
            text,
            lines,
            facts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_facts_are_those_of_the_whole_text() {
        let blobs = vec![
            json!({"schema": "olm.package", "name": "p", "defaultChannel": "a", "description": "two\nlines\n"}),
            json!({"schema": "olm.channel", "package": "p", "name": "a", "entries": [{"name": "p.v1"}]}),
            json!({"schema": "olm.bundle", "package": "p", "name": "p.v1", "image": "q/p:v1", "properties": []}),
        ];
        let written = RenderedText::new(blobs.clone(), None);
        assert_eq!(written.index(), index_bytes(&written.text()));
        assert_eq!(written.index().blobs.len(), 3);
        let mut changed = blobs;
        changed[1]["entries"] = json!([{"name": "p.v1"}, {"name": "p.v2"}]);
        let again = RenderedText::new(changed, Some(&written));
        let kept: Vec<bool> = written
            .blobs
            .iter()
            .zip(&again.blobs)
            .map(|(a, b)| Rc::ptr_eq(a, b))
            .collect();
        assert_eq!(kept, [true, false, true]);
        assert_eq!(again.index(), index_bytes(&again.text()));
    }
}
