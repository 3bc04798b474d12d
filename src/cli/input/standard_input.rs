//! A catalog on standard input, as `opm render` prints it: one file, with YAML or JSON recognized by its content.

use crate::error::CliError;
use fbc::catalog::Content;
use fbc::index::index_bytes;
use fbc::model::FileId;
use fbc::source::bytes::{ByteSource, ReadError};
use fbc::workspace::NewFile;
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Means standard input in place of a folder, and is the name of its file.
pub(crate) const NAME: &str = "-";

/// Whether a folder argument means standard input.
pub(crate) fn is_dash(folder: &Path) -> bool {
    folder == Path::new(NAME)
}

/// The content of standard input.
pub(crate) struct Input(Vec<u8>);

impl Input {
    /// Reads everything. Empty input is an error: the program that should write it has failed.
    pub(crate) fn read() -> Result<Self, CliError> {
        let mut text = Vec::new();
        let read = std::io::stdin().lock().read_to_end(&mut text);
        read.map_err(|e| CliError::new(format!("cannot read standard input: {e}")))?;
        if text.trim_ascii().is_empty() {
            return Err(CliError::new("standard input is empty")
                .hint("pipe a catalog into it: opm render IMAGE | switchyard validate -"));
        }
        Ok(Self(text))
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    pub(crate) fn new(text: Vec<u8>) -> Self {
        Self(text)
    }

    /// The only file of its catalog, under this name.
    pub(crate) fn file(&self, name: &str) -> NewFile {
        let content = Content::Indexed(Arc::new(index_bytes(&self.0)));
        NewFile {
            id: FileId(0),
            path: name.to_owned(),
            content,
        }
    }
}

impl ByteSource for Input {
    fn read(&self, spans: &[(FileId, Range<u64>)]) -> Result<Vec<Vec<u8>>, ReadError> {
        let read = |(_, span): &(FileId, Range<u64>)| {
            let bytes = self.0.get(span.start as usize..span.end as usize);
            bytes.map(<[u8]>::to_vec).ok_or_else(|| ReadError::Failed {
                path: "standard input".to_owned(),
                reason: "it is shorter than expected".to_owned(),
            })
        };
        spans.iter().map(read).collect()
    }
}
