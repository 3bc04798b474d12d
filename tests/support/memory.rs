//! Files in memory, as a host of a workspace has them.

use fbc::index::index_bytes;
use fbc::model::FileId;
use fbc::source::bytes::{ByteSource, ReadError};
use fbc::workspace::{Content, NewFile};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// The bytes of files by id; counts what is read.
#[derive(Debug, Default)]
pub struct MemorySource {
    files: RefCell<BTreeMap<FileId, Vec<u8>>>,
    spans_read: Cell<usize>,
    bytes_read: Cell<u64>,
}

impl MemorySource {
    /// One file with id 0.
    pub fn with_file(bytes: &[u8]) -> Self {
        let source = Self::default();
        source.insert(FileId(0), bytes);
        source
    }

    /// Files with the ids 0, 1, 2, …, and their content for a workspace.
    pub fn with_files<P, B>(files: impl IntoIterator<Item = (P, B)>) -> (Vec<NewFile>, Rc<Self>)
    where
        P: AsRef<str>,
        B: AsRef<[u8]>,
    {
        let source = Rc::new(Self::default());
        let files = files
            .into_iter()
            .zip(0..)
            .map(|((path, bytes), id)| source.add(id, path.as_ref(), bytes))
            .collect();
        (files, source)
    }

    /// Adds or replaces a file, and returns its content for a workspace.
    pub fn add(&self, id: u32, path: &str, bytes: impl AsRef<[u8]>) -> NewFile {
        let (id, bytes) = (FileId(id), bytes.as_ref());
        self.insert(id, bytes);
        let content = if path.ends_with(".indexignore") {
            Content::Ignore(bytes.into())
        } else {
            Content::Indexed(Arc::new(index_bytes(bytes)))
        };
        NewFile {
            id,
            path: path.to_owned(),
            content,
        }
    }

    pub fn insert(&self, id: FileId, bytes: &[u8]) {
        self.files.borrow_mut().insert(id, bytes.to_vec());
    }

    pub fn remove(&self, id: FileId) {
        self.files.borrow_mut().remove(&id);
    }

    pub fn clear(&self) {
        self.files.borrow_mut().clear();
    }

    pub fn spans_read(&self) -> usize {
        self.spans_read.get()
    }

    pub fn bytes_read(&self) -> u64 {
        self.bytes_read.get()
    }

    pub fn reset_counts(&self) {
        self.spans_read.set(0);
        self.bytes_read.set(0);
    }
}

/// Files with the ids 0, 1, 2, ….
impl FromIterator<Vec<u8>> for MemorySource {
    fn from_iter<I: IntoIterator<Item = Vec<u8>>>(files: I) -> Self {
        let files = (0..).map(FileId).zip(files).collect();
        Self {
            files: RefCell::new(files),
            ..Self::default()
        }
    }
}

impl ByteSource for MemorySource {
    fn read(&self, spans: &[(FileId, Range<u64>)]) -> Result<Vec<Vec<u8>>, ReadError> {
        let files = self.files.borrow();
        let mut texts = Vec::with_capacity(spans.len());
        for (id, span) in spans {
            let bytes = files.get(id).ok_or_else(|| ReadError::Changed {
                path: format!("file {}", id.0),
            })?;
            texts.push(bytes[span.start as usize..span.end as usize].to_vec());
            self.spans_read.set(self.spans_read.get() + 1);
            self.bytes_read
                .set(self.bytes_read.get() + (span.end - span.start));
        }
        Ok(texts)
    }
}
