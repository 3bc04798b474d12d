//! From a file as it is and the value that is meant to its new text, in which only what is meant changes.

use super::problem::Problem;
use crate::bundle;
use crate::edit::value_changes::changes;
use crate::edit::verify::edit_blob_as;
use crate::index::index_bytes;
use crate::model::Body;
use serde_json::Value;

/// A file that gets another text, or comes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Path below the repository.
    pub path: String,
    /// `None`: there is no such file.
    pub before: Option<Vec<u8>>,
    pub after: Vec<u8>,
}

impl FileChange {
    /// Whether there is anything to write.
    pub fn is_change(&self) -> bool {
        self.before.as_ref() != Some(&self.after)
    }
}

/// The text of a file whose one document changes from one value to another.
pub(super) fn edited(
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
        Problem::new(operator, path, format!("it cannot be changed without loss: {reason}")).help("edit it as text")
    };
    let index = index_bytes(text);
    let holds_nothing =
        |body: &Body| matches!(body, Body::Other(other) if other.template.is_none()) && before.is_null();
    let Some(blob) = index.blobs.first().filter(|blob| !holds_nothing(&blob.body)) else {
        let end: &[u8] = if text.is_empty() || text.ends_with(b"\n") { b"" } else { b"\n" };
        // A second separator would begin a second document.
        let written = written(after);
        let has_separator = text.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"---"));
        let written = if has_separator { written.strip_prefix(b"---\n").unwrap_or(&written) } else { &written };
        return Ok([text, end, written].concat());
    };
    let (start, end) = (blob.start as usize, blob.end as usize);
    let own = text.get(start..end).unwrap_or_default();
    let edited = edit_blob_as(own, blob.format, &changes(before, after)).map_err(|refusal| refused(refusal.reason))?;
    Ok([text.get(..start).unwrap_or_default(), &edited.text, text.get(end..).unwrap_or_default()].concat())
}

/// The text of a file that is not there yet.
pub(super) fn written(value: &Value) -> Vec<u8> {
    bundle::to_yaml(std::slice::from_ref(value)).into_bytes()
}
