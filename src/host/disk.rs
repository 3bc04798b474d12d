//! Answers queries about files on disk: checks them before a save, and adopts their changes.

use super::{Host, refused_steps};
use crate::views::changes;
use protocol::disk_check::{BothSides, DiskCheck, DiskFile, DiskState};
use protocol::query::{CheckDisk, HandleWithFiles, Merge, NoteSaved, QueryResult, TakeTheirs};
use protocol::response::{OperationRefusal, Saved};
use session::{HostFile, HostFileState};

impl HandleWithFiles<CheckDisk> for Host {
    fn handle_with_files(&mut self, _: CheckDisk, files: Vec<DiskFile>) -> QueryResult<CheckDisk> {
        let check = |file: DiskFile| {
            let path = file.path.clone();
            let state = self
                .compare_with_disk(file)
                .unwrap_or_else(|reason| DiskState::Unreadable { reason });
            DiskCheck { path, state }
        };
        Ok(files.into_iter().map(check).collect())
    }
}

impl HandleWithFiles<Merge> for Host {
    fn handle_with_files(&mut self, _: Merge, files: Vec<DiskFile>) -> QueryResult<Merge> {
        let files = files.into_iter().map(|file| self.existing_file(file));
        let files = files
            .collect::<Result<_, _>>()
            .map_err(OperationRefusal::new)?;
        let rebased = session::rebase(&mut self.session, files)?;
        Ok(self.replay_rebased(rebased))
    }
}

impl HandleWithFiles<TakeTheirs> for Host {
    fn handle_with_files(
        &mut self,
        TakeTheirs { view }: TakeTheirs,
        mut files: Vec<DiskFile>,
    ) -> QueryResult<TakeTheirs> {
        let file = files
            .pop()
            .ok_or_else(|| OperationRefusal::new("the request has no file"))?;
        let file = self.existing_file(file).map_err(OperationRefusal::new)?;
        self.run_step(view, |session| session::take_theirs(session, file))
    }
}

impl HandleWithFiles<NoteSaved> for Host {
    fn handle_with_files(&mut self, _: NoteSaved, files: Vec<DiskFile>) -> QueryResult<NoteSaved> {
        let mut differing = Vec::new();
        for file in files {
            let path = file.path.clone();
            let is_equal = self.existing_file(file).and_then(|file| {
                session::mark_saved(&mut self.session, file).map_err(|refused| refused.reason)
            });
            if is_equal != Ok(true) {
                differing.push(path);
            }
        }
        Ok(Saved {
            status: self.status(),
            differing,
        })
    }
}

impl Host {
    /// Compares a file on disk with the session; the error is why it cannot be compared.
    fn compare_with_disk(&mut self, file: DiskFile) -> Result<DiskState, String> {
        let DiskFile { path, bytes } = file;
        let host = bytes?.map(|bytes| HostFile {
            id: self.new_file_id(),
            path: path.clone(),
            bytes,
        });
        let state = session::compare_with_host(&mut self.session, &path, host)
            .map_err(|refused| refused.reason)?;
        Ok(match state {
            HostFileState::AsRead => DiskState::AsRead,
            HostFileState::AsHere => DiskState::AsHere,
            HostFileState::Gone => DiskState::Gone,
            HostFileState::Changed(changed) => {
                let rebased = changed.merged.map_err(|refused| refused.reason)?;
                DiskState::Changed(Box::new(BothSides {
                    theirs: changes::file_diff(&changed.theirs),
                    mine: changes::file_diff(&changed.mine),
                    fitting: rebased.kept_steps() as u32,
                    refused: refused_steps(&rebased),
                }))
            }
        })
    }

    fn existing_file(&mut self, file: DiskFile) -> Result<HostFile, String> {
        let DiskFile { path, bytes } = file;
        match bytes? {
            Some(bytes) => Ok(HostFile {
                id: self.new_file_id(),
                path,
                bytes,
            }),
            None => Err(format!("{path} is no longer on disk")),
        }
    }
}
