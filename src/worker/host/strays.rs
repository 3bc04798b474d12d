//! Files outside of any catalog, sent once. There may be tens of thousands of them, and an edit changes few or none.

use fbc::workspace::Workspace;
use protocol::views::UnusedFileRow;
use std::collections::BTreeMap;

/// The files already sent to the page.
#[derive(Debug, Default)]
pub(super) struct UnusedFilesSent {
    /// Reasons by path.
    rows: BTreeMap<String, String>,
    /// Files that had unsaved edits at that time; undo may have reverted them since.
    edited: Vec<String>,
}

impl UnusedFilesSent {
    /// All of them, recorded as sent.
    pub(super) fn all(&mut self, workspace: &Workspace) -> Vec<UnusedFileRow> {
        let all = fbc::workspace::unused_files(workspace);
        self.rows = all
            .iter()
            .map(|stray| (stray.path.clone(), stray.reason.clone()))
            .collect();
        self.edited = workspace
            .files()
            .changed_paths()
            .into_iter()
            .map(str::to_owned)
            .collect();
        all.into_iter()
            .map(|stray| UnusedFileRow {
                path: stray.path,
                reason: stray.reason,
            })
            .collect()
    }

    /// All of them if an edit changed the set; `None` if the page is up to date. The cost is linear in edited files.
    pub(super) fn after_edit(&mut self, workspace: &Workspace) -> Option<Vec<UnusedFileRow>> {
        let edited: Vec<String> = workspace
            .files()
            .changed_paths()
            .into_iter()
            .map(str::to_owned)
            .collect();
        let is_other = |path: &String| {
            // An ignore file can affect any file.
            path.ends_with(".indexignore")
                || fbc::workspace::unused_file(workspace, path)
                    .map(|unused| unused.reason)
                    .as_ref()
                    != self.rows.get(path)
        };
        let are_others = edited.iter().chain(&self.edited).any(is_other);
        self.edited = edited;
        are_others.then(|| self.all(workspace))
    }
}
