//! Updates the text of a catalog file after rendering its template again: unchanged blobs keep
//! every byte, changed ones are edited where they differ, and new ones are written in `opm`'s
//! format.

use super::freshness::{self, BlobKey};
use catalog::index::index_bytes;
use catalog::model::{Blob, FileIndex};
use edit::diff_values::changes;
use edit::verify::edit_blob;
use serde_json::Value;
use std::ops::Range;
use syntax::order::SortSmall;
use syntax::tree::Format;

/// Returns the new text of a file that contains exactly the rendering, in `opm`'s order. The error
/// explains why the text cannot be changed.
pub fn updated_text(
    text: &[u8],
    index: &FileIndex,
    rendered: Vec<Value>,
) -> Result<Vec<u8>, String> {
    let current = freshness::read(text, index).ok_or("one of its blobs cannot be read")?;
    let target = freshness::in_catalog_form(&current, rendered);
    if target == current {
        return Ok(text.to_vec());
    }
    let format = index.blobs.first().map_or(Format::Yaml, |blob| blob.format);
    let mut file = FileWriter {
        out: Vec::with_capacity(text.len()),
        format,
    };
    // The index in `target` of each blob in the file.
    let mut matches: Vec<Option<usize>> = Vec::new();
    let mut is_used = vec![false; target.len()];
    for blob in &current {
        let key = BlobKey::from_blob(blob);
        let target_index = (0..target.len())
            .find(|&index| !is_used[index] && BlobKey::from_blob(&target[index]) == key);
        if let Some(index) = target_index {
            is_used[index] = true;
        }
        matches.push(target_index);
    }
    let mut next = 0;
    let mut end = 0;
    for ((blob, old), target_index) in index.blobs.iter().zip(&current).zip(&matches) {
        let chunk = end..blob.end as usize;
        end = chunk.end;
        let Some(index) = *target_index else {
            continue;
        };
        // New blobs go before the first one they precede.
        while next < index {
            if !is_used[next] {
                file.add(&target[next]);
            }
            next += 1;
        }
        next = next.max(index + 1);
        file.keep(text, chunk, blob, old, &target[index]);
    }
    for index in next..target.len() {
        if !is_used[index] {
            file.add(&target[index]);
        }
    }
    file.out
        .extend_from_slice(text.get(end..).unwrap_or_default());
    check(file.out, target)
}

pub fn new_text(rendered: &[Value]) -> Vec<u8> {
    bundle::to_yaml(rendered).into_bytes()
}

/// Returns the text if it parses to `target`.
fn check(text: Vec<u8>, target: Vec<Value>) -> Result<Vec<u8>, String> {
    let parsed = freshness::read(&text, &index_bytes(&text))
        .ok_or("the changed text cannot be read again")?;
    if in_output_order(&parsed) != in_output_order(&target) {
        return Err("the changed text does not parse to the rendered blobs".to_owned());
    }
    Ok(text)
}

fn in_output_order(blobs: &[Value]) -> Vec<(BlobKey, Value)> {
    let mut blobs: Vec<(BlobKey, Value)> = blobs
        .iter()
        .map(|blob| (BlobKey::from_blob(blob), blob.clone()))
        .collect();
    blobs.sort_small_by(|(a, _), (b, _)| a.cmp(b));
    blobs
}

struct FileWriter {
    out: Vec<u8>,
    format: Format,
}

impl FileWriter {
    /// Keeps a blob of the file with the text before it, edited if it changed.
    fn keep(&mut self, text: &[u8], chunk: Range<usize>, blob: &Blob, old: &Value, new: &Value) {
        let (start, end) = (blob.start as usize, blob.end as usize);
        let before = text.get(chunk.start..start).unwrap_or_default();
        let blob_text = text.get(start..end).unwrap_or_default();
        if self.format == Format::Yaml && !self.out.is_empty() && !has_separator(before) {
            self.end_line();
            self.out.extend_from_slice(b"---\n");
        }
        self.out.extend_from_slice(before);
        if old == new {
            self.out.extend_from_slice(blob_text);
            return;
        }
        match edit_blob(blob_text, blob.format, &changes(old, new)) {
            Ok(edited) => self.out.extend_from_slice(&edited.text),
            // Rewrite what cannot be edited in place.
            Err(_) => self.out.extend_from_slice(&self.format_blob(new)),
        }
    }

    fn add(&mut self, blob: &Value) {
        self.end_line();
        if self.format == Format::Yaml {
            self.out.extend_from_slice(b"---\n");
        }
        let text = self.format_blob(blob);
        self.out.extend_from_slice(&text);
    }

    fn format_blob(&self, blob: &Value) -> Vec<u8> {
        let blobs = std::slice::from_ref(blob);
        match self.format {
            Format::Json => bundle::to_json(blobs).into_bytes(),
            Format::Yaml => bundle::to_yaml(blobs)
                .trim_start_matches("---\n")
                .as_bytes()
                .to_vec(),
        }
    }

    fn end_line(&mut self) {
        if self.out.last().is_some_and(|byte| *byte != b'\n') {
            self.out.push(b'\n');
        }
    }
}

/// Whether a document starts in the text before a blob.
fn has_separator(before: &[u8]) -> bool {
    before
        .split(|byte| *byte == b'\n')
        .any(|line| line.starts_with(b"---"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const TEXT: &str = "---\n# by hand\nname: p\nschema: olm.package\ndefaultChannel: a\n---\nentries:\n- name: p.v1 # first\nname: a\npackage: p\nschema: olm.channel\n---\nentries:\n- name: p.v1\nname: b\npackage: p\nschema: olm.channel\n";

    fn updated_text(text: &str, rendered: Vec<Value>) -> Result<String, String> {
        let text = super::updated_text(text.as_bytes(), &index_bytes(text.as_bytes()), rendered)?;
        Ok(String::from_utf8(text).expect("text"))
    }

    fn package() -> Value {
        json!({"schema": "olm.package", "name": "p", "defaultChannel": "a"})
    }

    fn channel(name: &str, entries: &[&str]) -> Value {
        let entries: Vec<Value> = entries.iter().map(|name| json!({ "name": name })).collect();
        json!({"schema": "olm.channel", "package": "p", "name": name, "entries": entries})
    }

    #[test]
    fn unchanged_blobs_are_preserved_byte_for_byte() {
        let same = vec![package(), channel("a", &["p.v1"]), channel("b", &["p.v1"])];
        assert_eq!(updated_text(TEXT, same).as_deref(), Ok(TEXT));
        let other = vec![
            package(),
            channel("a", &["p.v1", "p.v2"]),
            channel("b", &["p.v1"]),
        ];
        let expected = TEXT.replacen(
            "- name: p.v1 # first\n",
            "- name: p.v1 # first\n- name: p.v2\n",
            1,
        );
        assert_eq!(updated_text(TEXT, other), Ok(expected));
    }

    #[test]
    fn blobs_are_removed_and_added_in_opms_order() {
        let gone = vec![package(), channel("b", &["p.v1"])];
        let expected = TEXT.replace(
            "---\nentries:\n- name: p.v1 # first\nname: a\npackage: p\nschema: olm.channel\n",
            "",
        );
        assert_eq!(updated_text(TEXT, gone), Ok(expected));
        let new = vec![
            package(),
            channel("a", &["p.v1"]),
            channel("aa", &["p.v1"]),
            channel("b", &["p.v1"]),
            channel("c", &["p.v1"]),
        ];
        let text = |name: &str| {
            format!("---\nentries:\n- name: p.v1\nname: {name}\npackage: p\nschema: olm.channel\n")
        };
        let expected = TEXT.replace(
            "---\nentries:\n- name: p.v1\nname: b",
            &format!("{}---\nentries:\n- name: p.v1\nname: b", text("aa")),
        );
        assert_eq!(
            updated_text(TEXT, new),
            Ok(format!("{expected}{}", text("c")))
        );
    }

    #[test]
    fn json_objects_stay_objects() {
        let text = "{\"schema\": \"olm.package\", \"name\": \"p\", \"defaultChannel\": \"a\"}\n";
        let after = updated_text(text, vec![package(), channel("a", &["p.v1"])]).expect("written");
        assert!(
            after.starts_with(text) && after.contains("\"entries\": ["),
            "{after}"
        );
        let first = text.trim_end();
        assert!(updated_text(first, vec![package(), channel("a", &["p.v1"])]).is_ok());
    }

    #[test]
    fn a_first_document_without_separator_can_have_others_before_it() {
        let text = "entries:\n- name: p.v1\nname: b\npackage: p\nschema: olm.channel\n";
        let after = updated_text(text, vec![package(), channel("b", &["p.v1"])]).expect("written");
        assert_eq!(
            after,
            format!("---\ndefaultChannel: a\nname: p\nschema: olm.package\n---\n{text}")
        );
    }
}
