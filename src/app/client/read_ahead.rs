//! Files that are handed over as they are found, before the open that they are for is asked for: where a catalog has many
//! folders, finding its files takes as long as reading them.

use super::{Client, OfferedFiles, offer};
use crate::browser::file_tree::{FileWalk, PickedFile};
use protocol::RequestBody;

/// Hands over the files of one walk.
pub struct ReadAhead {
    client: Client,
    waiting: Vec<PickedFile>,
    sent: usize,
}

impl ReadAhead {
    /// These files were found.
    pub fn add_files(&mut self, files: &[PickedFile]) {
        // An archive is unpacked by its open.
        self.waiting.extend(
            files
                .iter()
                .filter(|picked| picked.path.contains('/'))
                .cloned(),
        );
        // The worker puts all that waits in order each time: the parts grow with what is there.
        if self.waiting.len() > self.sent / 4 {
            self.sent += self.waiting.len();
            self.client.read_ahead(std::mem::take(&mut self.waiting));
        }
    }
}

impl Client {
    /// Begins to read what a walk finds. What was read for an earlier walk is of another open, whatever its names.
    pub fn reading_ahead(&self) -> ReadAhead {
        self.stop_reading_ahead();
        ReadAhead {
            client: self.clone(),
            waiting: Vec::new(),
            sent: 0,
        }
    }

    /// The open that files were read ahead of will not come.
    pub fn stop_reading_ahead(&self) {
        self.send(0, RequestBody::StopReadingAhead, &OfferedFiles::new());
    }

    fn read_ahead(&self, files: Vec<PickedFile>) {
        // While another open or a recovery is under way, the worker reads for that.
        if files.is_empty() || self.0.opening.get() || self.0.recovering.get() {
            return;
        }
        self.start_pool();
        let offer = offer(&FileWalk {
            files,
            unreadable: Vec::new(),
        });
        let files = offer.iter().map(|(file, _)| file.clone()).collect();
        self.send(0, RequestBody::ReadAhead { files }, &offer);
    }
}
