//! Indexing within a browser's memory. A document is read as a whole and takes about twenty times its bytes meanwhile.

use fbc::index::FileIndexer;
use fbc::model::FileIndex;

/// Most bytes of one document. The largest known ones, bundles with all their manifests, have a few million.
pub const DOCUMENT_BYTES: u64 = 64 << 20;

/// Indexes one file; refuses it at the first document that is too long.
#[derive(Debug)]
pub struct BoundedIndexer {
    indexer: FileIndexer,
    most: u64,
    /// Offset of the refused document.
    refused_at: Option<u64>,
}

impl Default for BoundedIndexer {
    fn default() -> Self {
        Self::within(DOCUMENT_BYTES)
    }
}

impl BoundedIndexer {
    fn within(most: u64) -> Self {
        Self {
            indexer: FileIndexer::new(),
            most,
            refused_at: None,
        }
    }

    /// Takes the next bytes of the file. Returns false once the file is refused; later bytes are ignored.
    pub fn feed(&mut self, bytes: &[u8]) -> bool {
        if self.refused_at.is_some() {
            return false;
        }
        // A document may begin and end in these bytes, so split them further.
        for piece in bytes.chunks(PIECE) {
            self.indexer.feed(piece);
            let held = self.indexer.held_bytes();
            if held > self.most {
                self.refused_at = Some(self.indexer.size() - held);
                // Free its memory: the file is refused.
                self.indexer = FileIndexer::new();
                return false;
            }
        }
        true
    }

    /// Ends the file. The error is why it is not read, with a remedy.
    pub fn finish(self) -> Result<FileIndex, String> {
        match self.refused_at {
            None => Ok(self.indexer.finish()),
            Some(at) => Err(format!(
                "the document that begins at byte {at} is larger than {} MB, too large for a browser to read; split it \
                 into several documents, or use the command line",
                self.most >> 20
            )),
        }
    }
}

/// Bytes between two checks of the current document's size.
const PIECE: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    /// A package, and a channel with this many entries.
    fn listing(entries: usize) -> String {
        let lines: String = (0..entries)
            .map(|number| format!("- name: p.v{number}.0.0\n"))
            .collect();
        format!(
            "schema: olm.package\nname: p\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n{lines}"
        )
    }

    #[test]
    fn a_document_that_is_too_long_is_refused_with_its_place_and_what_to_do() {
        let text = listing(300_000);
        let mut bounded = BoundedIndexer::within(2 << 20);
        let mut fed = 0;
        for chunk in text.as_bytes().chunks(65_536) {
            fed += chunk.len();
            if !bounded.feed(chunk) {
                break;
            }
        }
        assert!(fed < 4 << 20, "the rest is not read: {fed}");
        assert_eq!(bounded.indexer.held_bytes(), 0, "nothing is kept of it");
        let reason = bounded.finish().unwrap_err();
        let begin = text.find("---").unwrap();
        assert!(
            reason.contains("larger than 2 MB") && reason.contains("command line"),
            "{reason}"
        );
        let at: usize = reason
            .split("byte ")
            .nth(1)
            .unwrap()
            .split(' ')
            .next()
            .unwrap()
            .parse()
            .unwrap();
        assert!((begin..begin + 8).contains(&at), "{reason}");
    }

    #[test]
    fn many_documents_may_be_more_than_one_may() {
        let text = format!("{}\n---\n", listing(1_000)).repeat(200);
        assert!(text.len() > 3 << 20);
        let mut bounded = BoundedIndexer::within(2 << 20);
        assert!(bounded.feed(text.as_bytes()));
        assert_eq!(bounded.finish().unwrap().blobs.len(), 400);
    }
}
