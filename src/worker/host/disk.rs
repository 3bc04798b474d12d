//! The state of the disk before and after files are written, as reported by the caller.

use super::Host;
use crate::views::changes;
use fbc::workspace::{HostFile, HostFileState};
use protocol::Json;
use protocol::disk_check::{BothSides, DiskCheck, DiskFile, DiskState};
use protocol::query::{CheckDisk, HandleWithFiles, Merge, NoteSaved, QueryResult, TakeTheirs};
use protocol::request::ReplayStep;
use protocol::response::{OperationRefusal, Saved};

impl HandleWithFiles<CheckDisk> for Host {
    fn handle_with_files(&mut self, _: CheckDisk, files: Vec<DiskFile>) -> QueryResult<CheckDisk> {
        let check = |file: DiskFile| {
            let path = file.path.clone();
            let state = self
                .check(file)
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
        let rebased = fbc::workspace::rebase(&mut self.workspace, files)?;
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
        self.step(view, |workspace| {
            fbc::workspace::take_theirs(workspace, file)
        })
    }
}

impl HandleWithFiles<NoteSaved> for Host {
    fn handle_with_files(&mut self, _: NoteSaved, files: Vec<DiskFile>) -> QueryResult<NoteSaved> {
        let mut differing = Vec::new();
        for file in files {
            let path = file.path.clone();
            let same = self.existing_file(file).and_then(|file| {
                fbc::workspace::mark_saved(&mut self.workspace, file).map_err(|why| why.reason)
            });
            if same != Ok(true) {
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
    fn check(&mut self, file: DiskFile) -> Result<DiskState, String> {
        let DiskFile { path, bytes } = file;
        let host = bytes?.map(|bytes| HostFile {
            id: self.new_file_id(),
            path: path.clone(),
            bytes,
        });
        Ok(
            match fbc::workspace::compare_with_host(&mut self.workspace, &path, host)
                .map_err(|refused| refused.reason)?
            {
                HostFileState::AsRead => DiskState::AsRead,
                HostFileState::AsHere => DiskState::AsHere,
                HostFileState::Gone => DiskState::Gone,
                HostFileState::Changed(changed) => {
                    let rebased = changed.merged.map_err(|refused| refused.reason)?;
                    let fitting = rebased.kept_steps() as u32;
                    let refused = rebased.refused.into_iter().filter_map(|(index, why)| {
                        let (title, ops) = rebased.steps.get(index)?.clone();
                        Some((
                            ReplayStep {
                                title,
                                ops: Json(ops),
                            },
                            why.reason,
                        ))
                    });
                    DiskState::Changed(Box::new(BothSides {
                        theirs: changes::file_diff(&changed.theirs),
                        mine: changes::file_diff(&changed.mine),
                        fitting,
                        refused: refused.collect(),
                    }))
                }
            },
        )
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
