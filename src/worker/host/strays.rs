//! Files that are no catalog, told once. There may be tens of thousands of them, and an edit changes none of them, or few.

use fbc::workspace::Workspace;
use protocol::views::UnusedFileRow;
use std::collections::BTreeMap;

/// What the page knows of them.
#[derive(Debug, Default)]
pub(super) struct SentStrays {
    /// Reasons by path.
    rows: BTreeMap<String, String>,
    /// Files that had unsaved edits then: undo may have taken them back since.
    edited: Vec<String>,
}

impl SentStrays {
    /// All of them, to be told now.
    pub(super) fn all(&mut self, workspace: &Workspace) -> Vec<UnusedFileRow> {
        let all = workspace.unused_files();
        self.rows = all.iter().map(|stray| (stray.path.clone(), stray.reason.clone())).collect();
        self.edited = workspace.changed_paths().into_iter().map(str::to_owned).collect();
        all.into_iter().map(|stray| UnusedFileRow { path: stray.path, reason: stray.reason }).collect()
    }

    /// The same where an edit made others of them; `None` where the page knows all. Costs by edited files.
    pub(super) fn after_edit(&mut self, workspace: &Workspace) -> Option<Vec<UnusedFileRow>> {
        let edited: Vec<String> = workspace.changed_paths().into_iter().map(str::to_owned).collect();
        let is_other = |path: &String| {
            // What is ignored from now on may be any file.
            path.ends_with(".indexignore")
                || workspace.unused_file(path).map(|unused| unused.reason).as_ref() != self.rows.get(path)
        };
        let are_others = edited.iter().chain(&self.edited).any(is_other);
        self.edited = edited;
        are_others.then(|| self.all(workspace))
    }
}
