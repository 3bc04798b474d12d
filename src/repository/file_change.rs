//! Changed files of a repository. An edit towards a new value leaves the remaining text unchanged.

use super::document::{Document, Node};
use super::layout::CATALOG_FILE;
use super::rules::Problem;
use catalog::index::index_bytes;
use catalog::model::FileId;
use catalog::{Catalog, Content, TreeEntry};
use edit::diff_values::changes;
use edit::verify::edit_blob;
use serde_json::Value;
use std::sync::Arc;

/// A changed or new file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Path in the repository.
    pub path: String,
    /// `None`: the file does not exist.
    pub before: Option<Vec<u8>>,
    pub after: Vec<u8>,
}

impl FileChange {
    pub fn is_change(&self) -> bool {
        self.before.as_ref() != Some(&self.after)
    }

    /// Returns catalogs that consist of this file only, before and after.
    pub fn catalogs(&self) -> (Catalog, Catalog) {
        [self.before.as_deref(), Some(&*self.after)]
            .map(|text| {
                let file = text.map(|text| TreeEntry {
                    id: FileId(0),
                    path: CATALOG_FILE.to_owned(),
                    content: Content::Indexed(Arc::new(index_bytes(text))),
                });
                Catalog::new(String::new(), file.into_iter().collect())
            })
            .into()
    }
}

/// Edits the text of a single-document file so that its value becomes `after`.
pub(super) fn edit_text(
    operator: &str,
    path: &str,
    text: &[u8],
    before: &Value,
    after: &Value,
) -> Result<Vec<u8>, Problem> {
    if before == after {
        return Ok(text.to_vec());
    }
    let refused = |reason: String| {
        Problem::new(
            operator,
            path,
            format!("it cannot be changed without loss: {reason}"),
        )
        .help("edit it as text")
    };
    let index = index_bytes(text);
    let Some(blob) = index.blobs.first().filter(|_| !before.is_null()) else {
        let filled = fill_empty(text, after);
        let is_expected = Document::read(filled.clone())
            .is_ok_and(|document| document.root().map_or(Value::Null, Node::value) == *after);
        return if is_expected {
            Ok(filled)
        } else {
            Err(refused(
                "it holds only `null`, or text that is not a comment".to_owned(),
            ))
        };
    };
    let (start, end) = (blob.start as usize, blob.end as usize);
    let document = text.get(start..end).unwrap_or_default();
    let edited = edit_blob(document, blob.format, &changes(before, after))
        .map_err(|refusal| refused(refusal.reason))?;
    Ok([
        text.get(..start).unwrap_or_default(),
        &edited.text,
        text.get(end..).unwrap_or_default(),
    ]
    .concat())
}

/// Appends a value to a file that has only comments.
fn fill_empty(text: &[u8], value: &Value) -> Vec<u8> {
    let end: &[u8] = if text.is_empty() || text.ends_with(b"\n") {
        b""
    } else {
        b"\n"
    };
    // A second separator would start a second document.
    let written = to_yaml(value);
    let has_separator = text
        .split(|byte| *byte == b'\n')
        .any(|line| line.starts_with(b"---"));
    let written = if has_separator {
        written.strip_prefix(b"---\n").unwrap_or(&written)
    } else {
        &written
    };
    [text, end, written].concat()
}

/// Writes the text of a new file.
pub(super) fn to_yaml(value: &Value) -> Vec<u8> {
    bundle::to_yaml(std::slice::from_ref(value)).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text of a file after a change of its value.
    fn change_text(text: &str, change: impl Fn(&mut Value)) -> String {
        let document = Document::read(text.as_bytes().to_vec()).expect("a readable document");
        let before = document.root().map_or(Value::Null, Node::value);
        let mut after = before.clone();
        change(&mut after);
        let text =
            edit_text("o", "f", text.as_bytes(), &before, &after).expect("an applicable edit");
        String::from_utf8(text).expect("text")
    }

    #[test]
    fn a_multi_line_list_keeps_its_lines_and_quotes() {
        let text = "---\n# who\nfbc:\n  catalog_mapping:\n    - catalog_names: [\"v4.12\", \"v4.13\",\n        v4.14, v4.15]\n      type: x\n";
        let push = |value: &mut Value| {
            let names = value["fbc"]["catalog_mapping"][0]["catalog_names"]
                .as_array_mut()
                .expect("a list");
            names.push("v4.16".into());
        };
        assert_eq!(
            change_text(text, push),
            text.replace("v4.15]", "v4.15, v4.16]")
        );
    }

    #[test]
    fn an_empty_file_is_filled_after_its_comments() {
        let fill = |value: &mut Value| *value = serde_json::json!({"fbc": {"enabled": true}});
        let written = "fbc:\n  enabled: true\n";
        assert_eq!(change_text("", fill), format!("---\n{written}"));
        assert_eq!(
            change_text("# who\n", fill),
            format!("# who\n---\n{written}")
        );
        assert_eq!(
            change_text("---\n# who\n", fill),
            format!("---\n# who\n{written}")
        );
    }
}
