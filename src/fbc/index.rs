//! Bytes of a file in, [`FileIndex`] out. The host feeds the bytes as they come; nothing is asked for and nothing but the
//! document at hand is kept.

use crate::fbc::model::{Blob, FileIndex, Pool, lower};
use crate::fbc::syntax::document::{Document, Reader, Sink};

/// Indexes one file.
#[derive(Debug, Default)]
pub struct FileIndexer {
    reader: Reader,
    blobs: Blobs,
    size: u64,
}

#[derive(Debug, Default)]
struct Blobs {
    pool: Pool,
    blobs: Vec<Blob>,
}

impl FileIndexer {
    pub fn new() -> Self {
        Self::default()
    }

    /// The next bytes of the file, in pieces of any length.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.size += bytes.len() as u64;
        self.reader.feed(bytes, &mut self.blobs);
    }

    /// Bytes fed so far.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Bytes that were searched or parsed so far, each as often as it was; for tests of what reading costs.
    pub fn looked_at(&self) -> u64 {
        self.reader.looked_at()
    }

    /// The file has ended.
    pub fn finish(mut self) -> FileIndex {
        self.reader.finish(&mut self.blobs);
        self.blobs.blobs.shrink_to_fit();
        FileIndex::new(self.size, self.blobs.blobs)
    }
}

/// Indexes a file that is at hand as a whole.
pub fn index_bytes(bytes: &[u8]) -> FileIndex {
    let mut indexer = FileIndexer::new();
    indexer.feed(bytes);
    indexer.finish()
}

impl Sink for Blobs {
    fn accepts(&mut self, document: &Document<'_>) -> bool {
        lower::accepts(document)
    }

    fn document(&mut self, document: Document<'_>) {
        self.blobs.push(lower::lower(&document, &mut self.pool));
    }
}
