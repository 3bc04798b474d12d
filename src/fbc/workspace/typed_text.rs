//! A change of free text, as it is typed, and the text at a place. What is typed inside one document of YAML is read again
//! alone: the other documents only move.

use super::export::unreadable;
use super::file::Version;
use super::file_updates::{FileUpdate, offset};
use super::{Refused, Workspace};
use crate::catalog::Content;
use crate::edit::plan;
use crate::index::index_bytes;
use crate::model::{Blob, Body, FileId, FileIndex};
use crate::place::LineIndex;
use crate::source::text_edit::{TextEdit, TextEdits};
use crate::syntax::tree::Format;
use protocol::diagnostic::Location;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// The line before a document.
const SEPARATOR: &[u8] = b"---\n";

impl Workspace {
    /// `shown` is the file as refusals name it.
    pub(super) fn replace_text(
        &mut self,
        shown: String,
        file: FileId,
        (from, to): ((u32, u32), (u32, u32)),
        before: &str,
        text: String,
    ) -> Result<FileUpdate, Refused> {
        let old = self.readable_as(&shown, file)?.clone();
        self.pin(&old)?;
        let path = self.files.get(&file).map_or_else(String::new, |f| f.path.clone());
        let bytes = self.text_of(&old).map_err(|e| unreadable(&e))?;
        let lines = LineIndex::new(&bytes);
        let place = |(line, column): (u32, u32)| offset(&bytes, &lines, line, column);
        let here =
            Location { file: shown, line: from.0 + 1, column: from.1 + 1, end_line: to.0 + 1, end_column: to.1 + 1 };
        let (Some(start), Some(end)) = (place(from), place(to)) else {
            return Err(Refused::new(format!("`{path}` has no such line or column"))
                .help("the file has changed since; reload it")
                .at(here));
        };
        if bytes.get(start..end) != Some(before.as_bytes()) {
            return Err(Refused::new(format!("`{path}` now has different text here"))
                .help("the file has changed since; reload it")
                .at(here));
        }
        let edits = TextEdits::new(vec![TextEdit::replace(start..end, text.into_bytes())])
            .map_err(|e| Refused::new(e.to_string()))?;
        let mut version = old.clone();
        version.pieces.apply(&edits).map_err(|e| Refused::new(e.to_string()))?;
        version.content = match self.typed_in_one(&old, &bytes, start..end, &edits) {
            Some(index) => Content::Indexed(Arc::new(index)),
            None => self.content_of(&path, edits.apply(&bytes)),
        };
        Ok(FileUpdate { id: file, path, version, edits })
    }

    /// The facts after a change inside one document of YAML that is accepted before and after it. `None`: the file has to
    /// be read as a whole, since the change may cut the documents in another way, or say something of the file.
    fn typed_in_one(
        &mut self,
        old: &Version,
        bytes: &[u8],
        range: Range<usize>,
        edits: &TextEdits,
    ) -> Option<FileIndex> {
        let index = old.index()?.clone();
        let is_plain = |blob: &Blob| blob.format == Format::Yaml && blob.column == 0;
        let at = index.blobs.partition_point(|blob| blob.end <= range.end as u64);
        let blob = index.blobs.get(at)?;
        // The first document is where the language of a file is decided.
        if at == 0 || !index.blobs.iter().all(is_plain) || self.is_yaml_like_json(old, &index).unwrap_or(true) {
            return None;
        }
        let (first, last) = (blob.start as usize, blob.end as usize);
        let before = bytes.get(first..last)?;
        let [edit] = edits.as_slice() else { return None };
        let (head, tail) = (before.get(..range.start.checked_sub(first)?)?, before.get(range.end - first..)?);
        let after = [head, &edit.insert, tail].concat();
        let (was, is) = (alone(before)?, alone(&after)?);
        if (&was.body, &was.faults) != (&blob.body, &blob.faults) {
            return None;
        }
        let changed = BTreeMap::from([(at as u32, after)]);
        let new = self.shifted(old, &index, edits, &changed, &BTreeSet::new()).ok()?;
        new.blobs.get(at).is_some_and(|blob| blob.body == is.body && blob.faults.is_empty()).then_some(new)
    }

    /// The text at a place (`LINE:COLUMN-LINE:COLUMN`, from 1) of a file, by its path in the workspace; "" for a missing
    /// file.
    pub fn text_at(&self, path: &str, at: &str) -> Result<String, Refused> {
        let range = plan::parse_range(at)?;
        let Ok((_, Some(now))) = self.states(path) else { return Ok(String::new()) };
        let bytes = self.text_of(now).map_err(|e| unreadable(&e))?;
        let lines = LineIndex::new(&bytes);
        let place = |(line, column): (u32, u32)| offset(&bytes, &lines, line, column);
        let text = place(range.start).zip(place(range.end)).and_then(|(start, end)| bytes.get(start..end));
        let text = text.ok_or_else(|| Refused::new(format!("`{path}` has no position {at}")))?;
        String::from_utf8(text.to_vec()).map_err(|_| Refused::new(format!("{at} of `{path}` is not UTF-8 text")))
    }
}

/// The document that a text is behind a separator, if it is one document without a fault, from its first byte to its last.
fn alone(text: &[u8]) -> Option<Blob> {
    let mut index = index_bytes(&[SEPARATOR, text].concat());
    let only = index.blobs.pop().filter(|_| index.blobs.is_empty())?;
    let is_whole = (only.start, only.end) == (SEPARATOR.len() as u64, (SEPARATOR.len() + text.len()) as u64);
    (is_whole && only.faults.is_empty() && only.body != Body::Unreadable).then_some(only)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::testing::Host;
    use crate::workspace::{self, Workspace};
    use proptest::prelude::*;
    use protocol::operation::EditOp;
    use std::rc::Rc;

    const DOCUMENTS: [&str; 5] = [
        "schema: olm.package\nname: p\ndefaultChannel: c\n",
        "schema: olm.channel\npackage: p\nname: c\nentries:\n- name: p.v1\n\n",
        "# Words.\nschema: olm.bundle\npackage: p\nname: p.v1\nimage: i\nproperties:\n- {type: a, value: 'x y'}\n",
        "schema: other\ntext: |\n  some\n  lines\n",
        "schema: other\r\ntext: a\r\n",
    ];

    fn opened(text: &str) -> Workspace {
        let host = Rc::new(Host::default());
        let file = host.file(0, "c.yaml", text);
        workspace::open_one("r", vec![file], host)
    }

    /// Of the text between two offsets, on whole characters.
    fn typed(text: &str, range: Range<usize>, insert: &str) -> EditOp {
        let place = |at: usize| {
            let before = &text[..at];
            let start = before.rfind('\n').map_or(0, |line| line + 1);
            format!("{}:{}", before.matches('\n').count() + 1, before[start..].chars().count() + 1)
        };
        EditOp::ReplaceText {
            catalog: None,
            file: "c.yaml".into(),
            at: format!("{}-{}", place(range.start), place(range.end)),
            before: text[range.clone()].into(),
            text: insert.into(),
            around: None,
        }
    }

    #[test]
    fn a_letter_costs_its_document() {
        let text = format!("---\n{}", DOCUMENTS[..4].join("---\n"));
        let mut workspace = opened(&text);
        let at = text.find("some").expect("it is there");
        workspace.apply("typed", &[typed(&text, at..at, "x")]).expect("it is typed");
        assert_eq!((workspace.counters().files_indexed, workspace.counters().blobs_parsed), (0, 1));
        // Another document, and the first one.
        for insert in ["\n---\nschema: other\n", "\n---"] {
            let before = workspace.counters().files_indexed;
            let now = String::from_utf8(workspace.bytes("c.yaml").expect("it is open")).expect("it is text");
            let at = now.find("xsome").expect("it is there");
            workspace.apply("typed", &[typed(&now, at..at, insert)]).expect("it is typed");
            assert_eq!(workspace.counters().files_indexed, before + 1, "{insert:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]

        #[test]
        fn the_facts_are_those_of_the_whole_text(
            chosen in prop::collection::vec(0..DOCUMENTS.len(), 1..6),
            separator in prop::sample::select(vec!["---\n", "--- \n", "---\r\n", "--- # a\n"]),
            (from, length) in (0.0..1.0f64, 0..6usize),
            insert in prop::collection::vec(prop::sample::select(vec!["a", " ", "\n", "---", "-", "#", ": ", "'", "\r", "{", "\n---\n", "schema"]), 0..4),
        ) {
            let text: String = chosen.iter().map(|at| format!("{separator}{}", DOCUMENTS[*at])).collect();
            let start = (from * text.len() as f64) as usize;
            let (range, insert) = (start..(start + length).min(text.len()), insert.concat());
            let mut workspace = opened(&text);
            if workspace.apply("typed", &[typed(&text, range.clone(), &insert)]).is_ok() {
                let expected = [&text[..range.start], &insert, &text[range.end..]].concat();
                prop_assert_eq!(workspace.bytes("c.yaml").expect("it is open"), expected.as_bytes());
                let (_, now) = workspace.states("c.yaml").expect("it is open");
                let index = now.and_then(Version::index).expect("it is read");
                prop_assert_eq!(&**index, &index_bytes(expected.as_bytes()));
            }
        }
    }
}
