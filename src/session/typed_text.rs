//! Applies a typed change of free text. Parses the file from the changed document until a document
//! ends where one ended before: later ones only move.

use super::anchored::location;
use super::file::Version;
use super::file_updates::{FileUpdate, WINDOW, content_of, count_line_breaks};
use super::{OpenFiles, Planner, Refused};
use catalog::Content;
use catalog::index::{FileIndexer, too_long};
use catalog::model::{Blob, Body, FileId, FileIndex};
use catalog::source::text_edit::{TextEdit, TextEdits};
use edit::plan;
use edit::refused;
use std::sync::Arc;
use syntax::tree::Format;

/// The start of a separator line between YAML documents.
const SEPARATOR: &[u8] = b"---";

/// Bytes first read after a document.
const FIRST_READ: u64 = 1 << 16;

impl Planner<'_> {
    /// Plans a text change. `display_path` is the file's name in refusals.
    pub(super) fn replace_text(
        &mut self,
        display_path: &str,
        file: FileId,
        (from, to): ((u32, u32), (u32, u32)),
        before: &str,
        text: String,
    ) -> Result<FileUpdate, Refused> {
        let old = self.session.files.readable_as(display_path, file)?.clone();
        self.session.files.pin(&old)?;
        let path = self.session.files.path_of(file).to_owned();
        let location = location(display_path, &(from..to));
        let Some(place) = self.session.files.range_at(&old, &(from..to))? else {
            return Err(refused!("`{path}` has no such line or column")
                .help("the file has changed since; reload it")
                .at(location));
        };
        if self.session.files.read(&old, place.start, place.end)? != before.as_bytes() {
            return Err(refused!("`{path}` now has different text here")
                .help("the file has changed since; reload it")
                .at(location));
        }
        let edit = TextEdit::replace(place.start as usize..place.end as usize, text.into_bytes());
        let edits = TextEdits::new(vec![edit.clone()]).map_err(|e| Refused::new(e.to_string()))?;
        let mut version = old.edited(&edits)?;
        version.content = match self.index_from_change(&old, &version, &edit)? {
            Some(index) => Content::Indexed(Arc::new(index)),
            None => content_of(
                &mut self.session.counters,
                &path,
                self.session.files.text_of(&version)?,
            ),
        };
        Ok(FileUpdate {
            id: file,
            path,
            version,
            edits,
        })
    }

    /// Returns the facts of the file after a change. `None`: the whole file must be read.
    fn index_from_change(
        &mut self,
        old: &Version,
        new: &Version,
        edit: &TextEdit,
    ) -> Result<Option<FileIndex>, Refused> {
        let Some(index) = old.index().cloned() else {
            return Ok(None);
        };
        let size = new.pieces.len();
        if index.size != old.pieces.len() || index.blobs.is_empty() || too_long(size).is_some() {
            return Ok(None);
        }
        let (start, end) = (edit.range.start as u64, edit.range.end as u64);
        let removed = self.session.files.read(old, start, end)?;
        let (kept_count, mut from, mut indexer) =
            self.session.files.resume_point(old, &index, start)?;
        let reparse = Reparse {
            files: &self.session.files,
            old,
            index: &index,
            new,
            kept_count,
            change_end: end,
            byte_shift: edit.insert.len() as i64 - removed.len() as i64,
            line_shift: count_line_breaks(&edit.insert) - count_line_breaks(&removed),
        };
        // Read up to the end of the changed document first, then in growing pieces.
        let touched = index.blobs.partition_point(|blob| blob.end <= end);
        let after = index.blobs.get(touched + 1).map_or(size, |next| {
            next.start.saturating_add_signed(reparse.byte_shift)
        });
        let (mut next, mut step, mut checked) = (after.max(from), FIRST_READ, 0);
        loop {
            indexer.feed(&reparse.files.read(new, from, next)?);
            (from, next, step) = (next, (next + step).min(size), step * 2);
            for nth in checked..indexer.blobs().len() {
                if let Some(old_index) = reparse.matching_blob(nth, &indexer.blobs()[nth])? {
                    let parsed = &indexer.blobs()[..=nth];
                    let new_index = reparse.join(parsed, old_index + 1);
                    self.session.counters.blobs_parsed += parsed.len() as u64;
                    return Ok(Some(new_index));
                }
            }
            checked = indexer.blobs().len();
            if from == size {
                let parsed = indexer.finish().blobs;
                let new_index = reparse.join(&parsed, index.blobs.len());
                self.session.counters.blobs_parsed += parsed.len() as u64;
                return Ok(Some(new_index));
            }
        }
    }
}

/// Parsing a file again from a changed document on.
struct Reparse<'a> {
    files: &'a OpenFiles,
    old: &'a Version,
    index: &'a FileIndex,
    new: &'a Version,
    /// Number of blobs before the change that are not parsed again.
    kept_count: usize,
    /// End of the replaced text in the old version.
    change_end: u64,
    byte_shift: i64,
    line_shift: i64,
}

impl Reparse<'_> {
    /// Returns the index of the old blob that ends where the `nth` parsed blob ends, if all later
    /// blobs are the same as before.
    fn matching_blob(&self, nth: usize, blob: &Blob) -> Result<Option<usize>, Refused> {
        let shifted_end = |old: &Blob| old.end.saturating_add_signed(self.byte_shift);
        let blobs = &self.index.blobs;
        let at = blobs.partition_point(|old| shifted_end(old) < blob.end);
        let Some(old_blob) = blobs.get(at).filter(|old| old.end > self.change_end) else {
            return Ok(None);
        };
        if shifted_end(old_blob) != blob.end || old_blob.format != blob.format {
            return Ok(None);
        }
        let new_position = self.kept_count + nth;
        let is_next_same = blobs.get(at + 1).is_none_or(|next| {
            // Refusals of the second object contain its offset in the file.
            let is_second = old_blob.format == Format::Json && (at == 0 || new_position == 0);
            next.column == 0 && (!is_second || is_accepted(next))
        });
        let is_match = is_next_same
            && self.files.is_independent(self.old, old_blob, at)?
            && self.files.is_independent(self.new, blob, new_position)?;
        Ok(is_match.then_some(at))
    }

    /// Joins the kept blobs, the parsed ones, and the old ones from index `rest` on, shifted.
    fn join(&self, parsed: &[Blob], rest: usize) -> FileIndex {
        let kept = self.index.blobs.iter().take(self.kept_count).cloned();
        let shifted = self.index.blobs.iter().skip(rest).map(|blob| Blob {
            start: blob.start.saturating_add_signed(self.byte_shift),
            end: blob.end.saturating_add_signed(self.byte_shift),
            line: (i64::from(blob.line) + self.line_shift).max(0) as u32,
            ..blob.clone()
        });
        let blobs = kept.chain(parsed.iter().cloned()).chain(shifted).collect();
        FileIndex::new(self.new.pieces.len(), blobs)
    }
}

impl OpenFiles {
    /// Returns the number of documents before a position that need not be parsed again, the offset
    /// where parsing starts after them, and the reader to use.
    fn resume_point(
        &self,
        old: &Version,
        index: &FileIndex,
        place: u64,
    ) -> Result<(usize, u64, FileIndexer), Refused> {
        let mut at = index
            .blobs
            .partition_point(|blob| blob.start <= place)
            .saturating_sub(1);
        // If one of the first two values is refused, YAML reads it and everything after it.
        if index
            .blobs
            .iter()
            .take(2)
            .any(|blob| blob.format == Format::Json && blob.body == Body::Unreadable)
        {
            at = 0;
        }
        while let (Some(before), Some(blob)) = (
            at.checked_sub(1).and_then(|b| index.blobs.get(b)),
            index.blobs.get(at),
        ) {
            // The text between two documents belongs to the separator that ended the previous one,
            // and to the next document itself.
            let near = blob.start - before.end <= WINDOW;
            let enough =
                near && before.format == blob.format && (blob.format == Format::Yaml || at >= 2);
            if enough && blob.column == 0 && self.is_independent(old, before, at - 1)? {
                if blob.format == Format::Json {
                    return Ok((
                        at,
                        blob.start,
                        FileIndexer::resume_at(Format::Json, blob.start, blob.line),
                    ));
                }
                let between = self.read(old, before.end, blob.start)?;
                if let Some(end) =
                    memchr::memchr(b'\n', &between).filter(|_| between.starts_with(SEPARATOR))
                {
                    let start = before.end + end as u64 + 1;
                    let line = i64::from(blob.line) - count_line_breaks(&between[end + 1..]);
                    return Ok((
                        at,
                        start,
                        FileIndexer::resume_at(Format::Yaml, start, line.max(0) as u32),
                    ));
                }
            }
            at -= 1;
        }
        Ok((0, 0, FileIndexer::new()))
    }

    /// Whether parsing the text after a document depends only on where that document ends.
    fn is_independent(&self, version: &Version, blob: &Blob, nth: usize) -> Result<bool, Refused> {
        match blob.format {
            // Refused values among the first two may be YAML. After invalid JSON, the reader
            // searches for a document, and later text can determine its end.
            Format::Json => Ok(blob.body != Body::Unreadable && (nth >= 2 || is_accepted(blob))),
            Format::Yaml if blob.body != Body::Unreadable => Ok(true),
            // A line of dashes that is not a separator still ends its document, but belongs to that
            // document.
            Format::Yaml => {
                let text = self.read(
                    version,
                    blob.start.max(blob.end.saturating_sub(WINDOW)),
                    blob.end,
                )?;
                let Some(lines) = text.strip_suffix(b"\n") else {
                    return Ok(false);
                };
                let last = match memchr::memrchr(b'\n', lines) {
                    Some(line) => &lines[line + 1..],
                    None if blob.end - blob.start <= WINDOW => lines,
                    None => return Ok(false),
                };
                Ok(!last.starts_with(SEPARATOR) || text == b"---\n")
            }
        }
    }

    /// Returns the text at a position (`LINE:COLUMN-LINE:COLUMN`, from 1) of a file, by its path in
    /// the session; "" for a missing file.
    pub fn text_at(&self, path: &str, at: &str) -> Result<String, Refused> {
        let range = plan::parse_range(at)?;
        let Ok((_, Some(current))) = self.states(path) else {
            return Ok(String::new());
        };
        let Some(place) = self.range_at(current, &range)? else {
            return Err(refused!("`{path}` has no position {at}"));
        };
        let text = self.read(current, place.start, place.end)?;
        String::from_utf8(text).map_err(|_| refused!("{at} of `{path}` is not UTF-8 text"))
    }
}

fn is_accepted(blob: &Blob) -> bool {
    blob.faults.is_empty() && blob.body != Body::Unreadable
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{self as session, Session};
    use catalog::index::index_bytes;
    use catalog::testing::MemorySource;
    use proptest::prelude::*;
    use protocol::operation::EditOp;
    use std::ops::Range;
    use std::rc::Rc;

    const DOCUMENTS: [&str; 10] = [
        "schema: olm.package\nname: p\ndefaultChannel: c\n",
        "schema: olm.channel\npackage: p\nname: c\nentries:\n- name: p.v1\n\n",
        "# Words.\nschema: olm.bundle\npackage: p\nname: p.v1\nimage: i\nproperties:\n- {type: a, value: 'x y'}\n",
        "schema: other\ntext: |\n  some\n  lines\n",
        "schema: other\r\ntext: a\r\n",
        "schema: [\n",
        "",
        "---\n",
        "---a\nschema: other\n---a\n",
        "{schema: other, text: a}\n",
    ];

    fn open_session(text: &str) -> Session {
        let host = Rc::new(MemorySource::default());
        let file = host.add(0, "c.yaml", text);
        session::open_one("r", vec![file], host)
    }

    /// Replaces the text between two offsets, at character boundaries.
    fn typed_edit(text: &str, range: Range<usize>, insert: &str) -> EditOp {
        let place = |at: usize| {
            let before = &text[..at];
            let start = before.rfind('\n').map_or(0, |line| line + 1);
            format!(
                "{}:{}",
                before.matches('\n').count() + 1,
                before[start..].chars().count() + 1
            )
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

    /// Whether typing gives the same facts as parsing the whole result, or is refused.
    fn is_as_read(session: &mut Session, text: &str, range: Range<usize>, insert: &str) -> bool {
        if session
            .apply("typed", &[typed_edit(text, range.clone(), insert)])
            .is_err()
        {
            return true;
        }
        let expected = [&text[..range.start], insert, &text[range.end..]].concat();
        let (_, current) = session.files().states("c.yaml").expect("an open file");
        let index = current.and_then(Version::index).expect("an index");
        session.files().bytes("c.yaml").expect("an open file") == expected.as_bytes()
            && **index == index_bytes(expected.as_bytes())
    }

    #[test]
    fn a_letter_in_json_reparses_only_its_object() {
        let object =
            |name: &str| format!("{{\n  \"schema\": \"other\",\n  \"name\": \"{name}\"\n}}\n");
        let text = [object("first"), object("second"), object("third")].concat();
        let mut session = open_session(&text);
        for name in ["first", "second", "third"] {
            let current = String::from_utf8(session.files().bytes("c.yaml").expect("an open file"))
                .expect("text");
            let at = current.find(name).expect("a position");
            session
                .apply("typed", &[typed_edit(&current, at..at, "x")])
                .expect("applied");
        }
        // Whether the second one can be YAML depends on the first.
        assert_eq!(
            (
                session.counters().files_indexed,
                session.counters().blobs_parsed
            ),
            (0, 4)
        );
    }

    /// A bracket or quote is missing or extra: the surrounding objects determine the end of the
    /// broken one, regardless of the following text.
    #[test]
    fn a_letter_in_broken_json_reparses_the_objects_around_it() {
        let object = |i: usize| {
            format!("{{\n  \"schema\": \"other\",\n  \"name\": \"n{i}\",\n  \"list\": [1, 2]\n}}\n")
        };
        let whole: String = (0..40).map(object).collect();
        for (before, after) in [
            ("2]", "2"),
            ("[1", "1"),
            ("\"n20\"", "\"n20"),
            ("2]", "2]]"),
            ("2]", "2]}"),
            ("2]\n}", "2]"),
        ] {
            let mut session = open_session(&whole);
            let place = whole.find("n20").expect("a position");
            let place = place - 1 + whole[place - 1..].find(before).expect("a position");
            assert!(
                is_as_read(&mut session, &whole, place..place + before.len(), after),
                "{after:?}"
            );
            // Forward and back again.
            for (range, insert) in [
                (place..place, " "),
                (place..place + 1, ""),
                (place..place + after.len(), before),
            ] {
                let current =
                    String::from_utf8(session.files().bytes("c.yaml").expect("an open file"))
                        .expect("text");
                let parsed = session.counters().blobs_parsed;
                assert!(
                    is_as_read(&mut session, &current, range, insert),
                    "{after:?}, {insert:?}"
                );
                assert_eq!(session.counters().files_indexed, 0, "{after:?}, {insert:?}");
                let parsed = session.counters().blobs_parsed - parsed;
                assert!(parsed <= 5, "{after:?}, {insert:?}: {parsed}");
            }
        }
    }

    #[test]
    fn a_letter_reparses_only_its_document() {
        let text = format!("---\n{}", DOCUMENTS[..4].join("---\n"));
        let mut session = open_session(&text);
        let at = text.find("some").expect("a position");
        session
            .apply("typed", &[typed_edit(&text, at..at, "x")])
            .expect("applied");
        assert_eq!(
            (
                session.counters().files_indexed,
                session.counters().blobs_parsed
            ),
            (0, 1)
        );
        // In the first document.
        let current = String::from_utf8(session.files().bytes("c.yaml").expect("an open file"))
            .expect("text");
        let at = current.find("defaultChannel").expect("a position");
        session
            .apply("typed", &[typed_edit(&current, at..at, "a")])
            .expect("applied");
        assert_eq!(session.counters().files_indexed, 0);
        // Another document, a broken one, and one less.
        for insert in ["\n---\nschema: other\n", "\n---", "\na: [", "\n---broken\n"] {
            let before = session.counters();
            let current = String::from_utf8(session.files().bytes("c.yaml").expect("an open file"))
                .expect("text");
            let at = current.find("# Words").expect("a position");
            assert!(
                is_as_read(&mut session, &current, at..at, insert),
                "{insert:?}"
            );
            let after = session.counters();
            assert_eq!(after.files_indexed, before.files_indexed, "{insert:?}");
            assert!(after.blobs_parsed - before.blobs_parsed <= 3, "{insert:?}");
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
            let mut session = open_session(text);
            prop_assert!(is_as_read(&mut session, text, range, &insert));
        }

        #[test]
        fn the_facts_of_json_are_those_of_the_whole_text(
            faults in prop::collection::vec(prop::sample::select(vec!["", "", "", "", "]", "}", "\"", "]]", "]}", "x", "{", "},"]), 1..8),
            between in prop::sample::select(vec!["\n", "\n\n", " ", "", "\nx\n"]),
            is_flush in any::<bool>(),
            typed in prop::collection::vec((0.0..1.0f64, 0..4usize, prop::collection::vec(prop::sample::select(vec!["a", " ", "\n", "\"", "}", "{", ",", "}{", "]", "[", "1", "\\", "\n---\n"]), 0..3)), 1..4),
        ) {
            let indent = if is_flush { "" } else { "  " };
            let object = |(i, fault): (usize, &&str)| {
                let text = format!("{{\n{indent}\"schema\": \"other\",\n{indent}\"name\": \"n{i}\", \"count\":\n[{indent}\n{{\"a\": 2}}]\n}}");
                match *fault {
                    "" => text,
                    "x" => text.replacen("2}", "2x}", 1),
                    "]" | "}" => text.replacen(fault, "", 1),
                    "\"" => text.replacen("\",", ",", 1),
                    _ => text.replacen("2}", &format!("2}}{fault}"), 1),
                }
            };
            let mut text = faults.iter().enumerate().map(object).collect::<Vec<_>>().join(between) + "\n";
            let mut session = open_session(&text);
            for (from, length, insert) in typed {
                let start = (from * text.len() as f64) as usize;
                let (range, insert) = (start..(start + length).min(text.len()), insert.concat());
                prop_assert!(is_as_read(&mut session, &text, range, &insert));
                text = String::from_utf8(session.files().bytes("c.yaml").expect("an open file")).expect("text");
            }
        }
    }
}
