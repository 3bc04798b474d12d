//! The log of applied operations: replayed by a new worker after a crash, stored so that closing
//! the tab or a crash loses nothing, and exportable as a last resort.

mod earlier_journal;
mod folder_listing;
mod record;
mod stored_work;
#[cfg(test)]
mod tests;
mod writer;

pub use earlier_journal::EarlierJournal;
pub use folder_listing::{FolderDifferences, FolderListing, FolderMatch};
pub use record::SavedFile;
pub use stored_work::{StoredWork, UnreadableJournal};
pub use writer::{ChangeContent, JournalWriter, WorkChange, WorkState};

use protocol::operation::EditOp;
use protocol::request::ReplayStep;

/// An applied step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JournalStep {
    pub title: String,
    pub ops: Vec<EditOp>,
}

impl JournalStep {
    pub fn from_replay(step: &ReplayStep) -> Self {
        Self {
            title: step.title.clone(),
            ops: step.ops.0.clone(),
        }
    }

    /// Why the step cannot be applied now that the files in `changed` differ: it changes text of one of them and,
    /// having been written by an older version, does not record the surrounding text.
    pub fn out_of_place(&self, changed: &[String]) -> Option<String> {
        let is_changed = |file: &str| {
            changed.iter().any(|path| {
                path.strip_suffix(file)
                    .is_some_and(|top| top.is_empty() || top.ends_with('/'))
            })
        };
        self.ops.iter().find_map(|op| match op {
            EditOp::ReplaceText {
                file, around: None, ..
            } if is_changed(file) => Some(format!(
                "`{file}` has changed, and the edit does not record where in the file it belongs"
            )),
            _ => None,
        })
    }
}

/// A step that no longer applies, with the reason.
#[derive(Debug, Clone, PartialEq)]
pub struct DroppedStep {
    pub step: JournalStep,
    pub reason: String,
}

/// Steps in order. Those from `applied` on are undone and can be redone. Mirrors the worker's history step by step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Journal {
    steps: Vec<JournalStep>,
    applied: usize,
    /// Steps that could not be applied again, kept until the work is discarded.
    aside: Vec<DroppedStep>,
}

impl Journal {
    /// Adds a step: undone steps can no longer be redone.
    pub fn push(&mut self, step: JournalStep) {
        self.steps.truncate(self.applied);
        self.steps.push(step);
        self.applied = self.steps.len();
    }

    /// After undo, redo or go-to: sets the number of applied steps.
    pub fn set_applied(&mut self, applied: usize) {
        self.applied = applied.min(self.steps.len());
    }

    /// Replaces the history after unsaved edits were applied again to new files.
    pub fn replace(&mut self, steps: impl IntoIterator<Item = JournalStep>) {
        self.steps = steps.into_iter().collect();
        self.applied = self.steps.len();
    }

    /// Sets aside a step that could not be applied again. Undone steps can still be redone.
    pub fn set_aside(&mut self, index: usize, reason: String) {
        if let Some(step) = self.forget(index) {
            self.put_aside(DroppedStep { step, reason });
        }
    }

    /// Removes a step without a remaining effect.
    pub fn forget(&mut self, index: usize) -> Option<JournalStep> {
        let is_there = index < self.steps.len();
        self.applied -= usize::from(index < self.applied);
        is_there.then(|| self.steps.remove(index))
    }

    /// Stores a step that is not applied.
    pub fn put_aside(&mut self, aside: DroppedStep) {
        if !self.aside.contains(&aside) {
            self.aside.push(aside);
        }
    }

    /// The history after this number of saved steps; `None` if more are saved than applied.
    pub fn since(&self, saved: usize) -> Option<Self> {
        let applied = self.applied.checked_sub(saved)?;
        Some(Self {
            steps: self.steps[saved..].to_vec(),
            applied,
            aside: self.aside.clone(),
        })
    }

    pub fn applied_steps(&self) -> &[JournalStep] {
        &self.steps[..self.applied]
    }

    /// All steps, including those that can be redone.
    pub fn steps(&self) -> &[JournalStep] {
        &self.steps
    }

    /// The same steps, with the steps set aside in another journal.
    fn with_aside_of(mut self, other: &Self) -> Self {
        self.aside.clone_from(&other.aside);
        self
    }

    pub fn aside(&self) -> &[DroppedStep] {
        &self.aside
    }

    /// Whether no step is applied.
    pub fn is_empty(&self) -> bool {
        self.applied == 0
    }
}

/// Operations as JSON lines, the input of `switchyard edit --stdin`.
pub fn as_json_lines<'a>(steps: impl IntoIterator<Item = &'a JournalStep>) -> String {
    let mut out = String::new();
    for op in steps.into_iter().flat_map(|step| &step.ops) {
        // Operations consist of strings, lists and options: JSON can express all of them.
        if let Ok(line) = serde_json::to_string(op) {
            out.push_str(&line);
            out.push('\n');
        }
    }
    out
}
