//! Indexes the bytes of a file into a [`FileIndex`]. The host feeds bytes as they arrive; only the
//! current document is held.

use crate::model::{Blob, FileIndex, Pool, lower};
use syntax::document::{Document, Reader, Sink};
use syntax::place::MAX_FILE_BYTES;
use syntax::tree::Format;

#[derive(Debug, Default)]
pub struct FileIndexer {
    reader: Reader,
    blobs: Blobs,
    size: u64,
}

/// Returns the error message if a file is longer than the limit.
pub fn too_long(size: u64) -> Option<String> {
    (size > MAX_FILE_BYTES)
        .then(|| format!("it has {size} bytes; at most {MAX_FILE_BYTES} (4 GiB) can be read"))
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

    /// Indexes the rest of a file, like [`Reader::resume_at`]; the fed bytes start at `offset`.
    pub fn resume_at(format: Format, offset: u64, line: u32) -> Self {
        Self {
            reader: Reader::resume_at(format, offset, line),
            blobs: Blobs::default(),
            size: offset,
        }
    }

    pub fn blobs(&self) -> &[Blob] {
        &self.blobs.blobs
    }

    /// Indexes the next bytes of the file, in pieces of any length.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.size = self.size.saturating_add(bytes.len() as u64);
        if too_long(self.size).is_some() {
            // Too long to read: drop the index and only count the bytes.
            (self.reader, self.blobs) = (Reader::default(), Blobs::default());
        } else {
            self.reader.feed(bytes, &mut self.blobs);
        }
    }

    /// Returns the number of bytes fed so far.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the number of bytes of the current document, which are held until its end is found.
    /// Parsing takes about twenty times as much memory, so hosts with little memory may want to
    /// stop.
    pub fn held_bytes(&self) -> u64 {
        self.reader.held_bytes()
    }

    /// Returns the number of bytes searched or parsed so far, counting repetitions; lets tests
    /// check the cost of reading.
    pub fn examined_bytes(&self) -> u64 {
        self.reader.examined_bytes()
    }

    /// Ends the file and returns its index.
    pub fn finish(mut self) -> FileIndex {
        self.reader.finish(&mut self.blobs);
        self.blobs.blobs.shrink_to_fit();
        FileIndex::new(self.size, self.blobs.blobs)
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes are generated: there are too many to store.
    #[test]
    fn files_above_four_gibibytes_are_refused() {
        let mut indexer = FileIndexer::new();
        indexer.feed(b"schema: olm.package\nname: p\n");
        indexer.size = MAX_FILE_BYTES - 2;
        indexer.feed(b"# more");
        indexer.feed(b"\nname: q\n");
        let index = indexer.finish();
        assert_eq!((index.size, index.blobs.len()), (MAX_FILE_BYTES + 13, 0));
        let reason = too_long(index.size).unwrap();
        assert!(
            reason.contains("4294967308 bytes") && reason.contains("4294967295"),
            "{reason}"
        );
        assert_eq!(too_long(MAX_FILE_BYTES), None);
    }
}
