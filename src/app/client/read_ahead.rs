//! Sends files to the worker while they are found, before the open itself is requested: in a
//! catalog with many folders, finding files takes as long as reading them.

use super::{Client, offer};
use crate::browser::file_tree::{FileWalk, PickedFile};
use protocol::request::Request;

/// Sends the files of one walk.
pub struct ReadAhead {
    client: Client,
    waiting: Vec<PickedFile>,
    sent: usize,
}

impl ReadAhead {
    /// Adds found files.
    pub fn add_files(&mut self, files: &[PickedFile]) {
        // Archives are unpacked by their open.
        self.waiting.extend(
            files
                .iter()
                .filter(|picked| picked.path.contains('/'))
                .cloned(),
        );
        // The worker sorts its whole queue each time, so send growing batches.
        if self.waiting.len() > self.sent / 4 {
            self.sent += self.waiting.len();
            self.client.read_ahead(std::mem::take(&mut self.waiting));
        }
    }
}

impl Client {
    /// Starts reading what a walk finds. Files read for an earlier walk belong to another open,
    /// whatever their names.
    pub fn reading_ahead(&self) -> ReadAhead {
        self.stop_reading_ahead();
        ReadAhead {
            client: self.clone(),
            waiting: Vec::new(),
            sent: 0,
        }
    }

    /// The open that the files were read for will not come.
    pub fn stop_reading_ahead(&self) {
        self.signal(Request::StopReadingAhead, &[]);
    }

    fn read_ahead(&self, files: Vec<PickedFile>) {
        // During another open or a recovery, the worker reads for that.
        if files.is_empty() || self.0.opening.get() || self.0.recovering.get() {
            return;
        }
        self.start_pool();
        let offer = offer(&FileWalk {
            files,
            unreadable: Vec::new(),
        });
        self.send(0, Request::ReadAhead, &[], &offer);
    }
}
