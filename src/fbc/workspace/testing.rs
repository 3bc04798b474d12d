//! An in-memory host for small files.

use super::{Content, NewFile};
use crate::index::index_bytes;
use crate::model::FileId;
use crate::source::bytes::{ByteSource, ReadError};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The host's bytes by id; reads are counted.
#[derive(Default)]
pub(crate) struct Host(pub(super) RefCell<BTreeMap<FileId, Vec<u8>>>);

impl ByteSource for Host {
    fn read(&self, spans: &[(FileId, Range<u64>)]) -> Result<Vec<Vec<u8>>, ReadError> {
        let files = self.0.borrow();
        let read = |(id, span): &(FileId, Range<u64>)| match files.get(id) {
            Some(bytes) => Ok(bytes[span.start as usize..span.end as usize].to_vec()),
            None => Err(ReadError::Changed {
                path: format!("file {}", id.0),
            }),
        };
        spans.iter().map(read).collect()
    }
}

impl Host {
    pub(crate) fn file(&self, id: u32, path: &str, text: &str) -> NewFile {
        self.0
            .borrow_mut()
            .insert(FileId(id), text.as_bytes().to_vec());
        let content = if path.ends_with(".indexignore") {
            Content::Ignore(text.as_bytes().into())
        } else {
            Content::Indexed(Arc::new(index_bytes(text.as_bytes())))
        };
        NewFile {
            id: FileId(id),
            path: path.to_owned(),
            content,
        }
    }
}
