//! The state of the disk before and after files are written, as reported by the caller.

use super::{Host, PackageRequest, refusal};
use crate::views::changes;
use fbc::workspace::{HostFile, HostFileState, Refused};
use protocol::disk_check::{BothSides, DiskCheck, DiskState};
use protocol::request::ReplayStep;
use protocol::{Json, ResponseBody};

/// A file by its path in the workspace, as it is on disk now.
pub struct DiskFile {
    pub path: String,
    /// `None`: it does not exist; the error: why it cannot be read.
    pub bytes: Result<Option<Vec<u8>>, String>,
}

impl Host {
    /// Compares without changing anything.
    pub fn check_disk(&mut self, files: Vec<DiskFile>) -> ResponseBody {
        let check = |file: DiskFile| {
            let path = file.path.clone();
            let state = self
                .check(file)
                .unwrap_or_else(|reason| DiskState::Unreadable { reason });
            DiskCheck { path, state }
        };
        ResponseBody::DiskChecked {
            files: files.into_iter().map(check).collect(),
        }
    }

    /// Makes the text on disk the base of the edits.
    pub fn rebase(&mut self, files: Vec<DiskFile>) -> ResponseBody {
        self.prefetch.forget();
        let merged = files
            .into_iter()
            .map(|file| self.existing_file(file))
            .collect::<Result<Vec<_>, _>>();
        let merged = merged.and_then(|files| {
            self.workspace
                .rebase(files)
                .map_err(|refused| refused.reason)
        });
        match merged {
            Ok(rebased) => self.rebased(rebased),
            Err(message) => ResponseBody::Failed { message },
        }
    }

    /// Drops the edits in a file, as one step.
    pub fn take_theirs(&mut self, file: DiskFile, view: Option<PackageRequest>) -> ResponseBody {
        self.prefetch.forget();
        match self.existing_file(file) {
            Ok(file) => self.step(view, |workspace| workspace.take_theirs(file)),
            Err(reason) => ResponseBody::Refused(refusal(Refused::new(reason))),
        }
    }

    /// Records that the page has written these files.
    pub fn saved(&mut self, files: Vec<DiskFile>) -> ResponseBody {
        self.prefetch.forget();
        let mut differing = Vec::new();
        for file in files {
            let path = file.path.clone();
            let same = self
                .existing_file(file)
                .and_then(|file| self.workspace.mark_saved(file).map_err(|why| why.reason));
            if same != Ok(true) {
                differing.push(path);
            }
        }
        ResponseBody::Saved {
            status: Box::new(self.status()),
            differing,
        }
    }

    fn check(&mut self, file: DiskFile) -> Result<DiskState, String> {
        let DiskFile { path, bytes } = file;
        let host = bytes?.map(|bytes| HostFile {
            id: self.new_file_id(),
            path: path.clone(),
            bytes,
        });
        Ok(
            match self
                .workspace
                .compare_with_host(&path, host)
                .map_err(|refused| refused.reason)?
            {
                HostFileState::AsRead => DiskState::AsRead,
                HostFileState::AsHere => DiskState::AsHere,
                HostFileState::Gone => DiskState::Gone,
                HostFileState::Changed(changed) => {
                    let rebased = changed.merged.map_err(|refused| refused.reason)?;
                    let fitting = rebased.kept() as u32;
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
