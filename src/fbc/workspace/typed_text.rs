//! A change of free text, as it is typed, and the text at a place. What is typed inside one document is read again alone:
//! the other documents only move, and the rest of the file is not read.

use super::export::unreadable;
use super::file::Version;
use super::file_updates::{FileUpdate, WINDOW, breaks};
use super::{Refused, Workspace};
use crate::catalog::Content;
use crate::edit::plan;
use crate::index::index_bytes;
use crate::model::{Blob, Body, FileId, FileIndex};
use crate::source::text_edit::{TextEdit, TextEdits};
use crate::syntax::document::begins_json;
use crate::syntax::tree::Format;
use protocol::diagnostic::Location;
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
        let here =
            Location { file: shown, line: from.0 + 1, column: from.1 + 1, end_line: to.0 + 1, end_column: to.1 + 1 };
        let Some(place) = self.range_at(&old, &(from..to))? else {
            return Err(Refused::new(format!("`{path}` has no such line or column"))
                .help("the file has changed since; reload it")
                .at(here));
        };
        if self.read(&old, place.start, place.end)? != before.as_bytes() {
            return Err(Refused::new(format!("`{path}` now has different text here"))
                .help("the file has changed since; reload it")
                .at(here));
        }
        let edit = TextEdit::replace(place.start as usize..place.end as usize, text.into_bytes());
        let typed = self.typed_in_one(&old, &edit)?;
        let edits = TextEdits::new(vec![edit]).map_err(|e| Refused::new(e.to_string()))?;
        let mut version = old.clone();
        version.pieces.apply(&edits).map_err(|e| Refused::new(e.to_string()))?;
        version.content = match typed {
            Some(index) => Content::Indexed(Arc::new(index)),
            None => self.content_of(&path, self.text_of(&version).map_err(|e| unreadable(&e))?),
        };
        Ok(FileUpdate { id: file, path, version, edits })
    }

    /// The facts after a change inside one document, which is one document after it too. `None`: the file has to be read as
    /// a whole, since the change may cut the documents in another way, or say something of the file.
    fn typed_in_one(&mut self, old: &Version, edit: &TextEdit) -> Result<Option<FileIndex>, Refused> {
        let Some(index) = old.index().cloned() else { return Ok(None) };
        let (first, last) = (edit.range.start as u64, edit.range.end as u64);
        let at = index.blobs.partition_point(|blob| blob.end <= last && blob.end < index.size);
        let Some(blob) = index.blobs.get(at).filter(|blob| blob.start <= first && last <= blob.end) else {
            return Ok(None);
        };
        let is_alike = |other: &Blob| other.format == blob.format && other.column == 0;
        if !index.blobs.iter().all(is_alike) || self.is_yaml_like_json(old, &index)? {
            return Ok(None);
        }
        // What comes before the first document decides how it is read; before any other of YAML there is a separator.
        let before = match (at, blob.format) {
            (0, _) if blob.start > WINDOW => return Ok(None),
            (0, _) => self.read(old, 0, blob.start)?,
            (_, Format::Yaml) => SEPARATOR.to_vec(),
            (_, Format::Json) => Vec::new(),
        };
        let was = self.read(old, blob.start, blob.end)?;
        let cut = |at: u64| (at - blob.start) as usize;
        let gone = &was[cut(first)..cut(last)];
        let is = [&was[..cut(first)], &edit.insert, &was[cut(last)..]].concat();
        let (Some(read), Some(new)) = (alone(&before, &was), alone(&before, &is)) else { return Ok(None) };
        // Where a text cannot be read, where it ends depends on what follows.
        let is_read = new.faults.is_empty() && new.body != Body::Unreadable;
        let is_as_known = |of: &Blob| (of.format, &of.body, &of.faults) == (blob.format, &blob.body, &blob.faults);
        // A file of YAML that begins with a brace is read as JSON first.
        let is_json_now = at == 0 && blob.format == Format::Yaml && begins_json(&[&*before, &*is].concat());
        if !is_read || !is_as_known(&read) || new.format != blob.format || is_json_now {
            return Ok(None);
        }
        self.counters.blobs_parsed += 1;
        let (bytes, lines) = (edit.insert.len() as i64 - gone.len() as i64, breaks(&edit.insert) - breaks(gone));
        let new = Blob { start: blob.start, end: blob.start + is.len() as u64, line: blob.line, column: 0, ..new };
        let moved = |blob: &Blob| Blob {
            start: blob.start.saturating_add_signed(bytes),
            end: blob.end.saturating_add_signed(bytes),
            line: (i64::from(blob.line) + lines).max(0) as u32,
            ..blob.clone()
        };
        let (stay, behind) = (&index.blobs[..at], &index.blobs[at + 1..]);
        let blobs = stay.iter().cloned().chain([new]).chain(behind.iter().map(moved)).collect();
        Ok(Some(FileIndex::new(index.size.saturating_add_signed(bytes), blobs)))
    }

    /// The text at a place (`LINE:COLUMN-LINE:COLUMN`, from 1) of a file, by its path in the workspace; "" for a missing
    /// file.
    pub fn text_at(&self, path: &str, at: &str) -> Result<String, Refused> {
        let range = plan::parse_range(at)?;
        let Ok((_, Some(now))) = self.states(path) else { return Ok(String::new()) };
        let Some(place) = self.range_at(now, &range)? else {
            return Err(Refused::new(format!("`{path}` has no position {at}")));
        };
        let text = self.read(now, place.start, place.end)?;
        String::from_utf8(text).map_err(|_| Refused::new(format!("{at} of `{path}` is not UTF-8 text")))
    }
}

/// The document that a text is behind another one, if it is one document, from its first byte to its last.
fn alone(before: &[u8], text: &[u8]) -> Option<Blob> {
    let mut index = index_bytes(&[before, text].concat());
    let only = index.blobs.pop().filter(|_| index.blobs.is_empty())?;
    ((only.start, only.end) == (before.len() as u64, (before.len() + text.len()) as u64)).then_some(only)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::testing::Host;
    use crate::workspace::{self, Workspace};
    use proptest::prelude::*;
    use protocol::operation::EditOp;
    use std::ops::Range;
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

    /// Types, and reads the result as a whole.
    fn is_as_read(workspace: &mut Workspace, text: &str, range: Range<usize>, insert: &str) -> bool {
        if workspace.apply("typed", &[typed(text, range.clone(), insert)]).is_err() {
            return true;
        }
        let expected = [&text[..range.start], insert, &text[range.end..]].concat();
        let (_, now) = workspace.states("c.yaml").expect("it is open");
        let index = now.and_then(Version::index).expect("it is read");
        workspace.bytes("c.yaml").expect("it is open") == expected.as_bytes()
            && **index == index_bytes(expected.as_bytes())
    }

    #[test]
    fn a_letter_in_json_costs_its_object() {
        let object = |name: &str| format!("{{\n  \"schema\": \"other\",\n  \"name\": \"{name}\"\n}}\n");
        let text = [object("first"), object("second"), object("third")].concat();
        let mut workspace = opened(&text);
        for name in ["first", "second", "third"] {
            let now = String::from_utf8(workspace.bytes("c.yaml").expect("it is open")).expect("it is text");
            let at = now.find(name).expect("it is there");
            workspace.apply("typed", &[typed(&now, at..at, "x")]).expect("it is typed");
        }
        assert_eq!((workspace.counters().files_indexed, workspace.counters().blobs_parsed), (0, 3));
    }

    #[test]
    fn a_letter_costs_its_document() {
        let text = format!("---\n{}", DOCUMENTS[..4].join("---\n"));
        let mut workspace = opened(&text);
        let at = text.find("some").expect("it is there");
        workspace.apply("typed", &[typed(&text, at..at, "x")]).expect("it is typed");
        assert_eq!((workspace.counters().files_indexed, workspace.counters().blobs_parsed), (0, 1));
        // In the first document.
        let now = String::from_utf8(workspace.bytes("c.yaml").expect("it is open")).expect("it is text");
        let at = now.find("defaultChannel").expect("it is there");
        workspace.apply("typed", &[typed(&now, at..at, "a")]).expect("it is typed");
        assert_eq!(workspace.counters().files_indexed, 0);
        // Another document.
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
            is_begun in any::<bool>(),
            (from, length) in (0.0..1.0f64, 0..6usize),
            insert in prop::collection::vec(prop::sample::select(vec!["a", " ", "\n", "---", "-", "#", ": ", "'", "\r", "{", "\n---\n", "schema"]), 0..4),
        ) {
            let text: String = chosen.iter().map(|at| format!("{separator}{}", DOCUMENTS[*at])).collect();
            let text = if is_begun { text.as_str() } else { &text[separator.len()..] };
            let start = (from * text.len() as f64) as usize;
            let (range, insert) = (start..(start + length).min(text.len()), insert.concat());
            let mut workspace = opened(text);
            prop_assert!(is_as_read(&mut workspace, text, range, &insert));
        }

        #[test]
        fn the_facts_of_json_are_too(
            count in 1..4usize,
            between in prop::sample::select(vec!["\n", "\n\n", " ", ""]),
            (from, length) in (0.0..1.0f64, 0..4usize),
            insert in prop::collection::vec(prop::sample::select(vec!["a", " ", "\n", "\"", "}", "{", ",", "}{", "1", "\\"]), 0..3),
        ) {
            let object = |i: usize| format!("{{\n  \"schema\": \"other\",\n  \"name\": \"n{i}\", \"count\": [1, 2]\n}}");
            let text = (0..count).map(object).collect::<Vec<_>>().join(between) + "\n";
            let start = (from * text.len() as f64) as usize;
            let (range, insert) = (start..(start + length).min(text.len()), insert.concat());
            let mut workspace = opened(&text);
            prop_assert!(is_as_read(&mut workspace, &text, range, &insert));
        }
    }
}
