//! Previews, applies, undoes and redoes operations.

use super::alternatives::alternatives;
use super::change_tracker::ChangeTracker;
use super::export::{ChangedFile, empty_table};
use super::file::{FileState, Version};
use super::file_updates::FileUpdate;
use super::preview_cache::PreviewCache;
use super::{Changes, OperationLog, Planner, Refused, Session};
use catalog::model::FileId;
use catalog::source::piece::PieceTable;
use protocol::operation::EditOp;
use std::borrow::Cow;
use std::collections::BTreeSet;
use syntax::order::SortSmall;
use syntax::place::Text;
use verdict::compare::ChangedValues;
use verdict::consequences::Consequences;

/// Maximum number of operations joined into one step: all of them are rewritten with each addition.
const MAX_JOINED_OPS: usize = 100;

/// Operations that are applied and undone together.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryStep {
    pub title: String,
    pub ops: Vec<EditOp>,
    pub(super) changes: Vec<FileChange>,
}

/// A file before and after a step. `None`: it does not exist.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FileChange {
    pub(super) id: FileId,
    pub(super) before: Option<Version>,
    pub(super) after: Option<Version>,
    /// The edits from `before` to `after`, as a table over `before`.
    pub(super) since: PieceTable,
}

/// The effect of a step, its undo or its redo.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Applied {
    pub title: String,
    /// Packages with changed facts: root name and package name.
    pub packages: Vec<(String, Text)>,
    /// Paths in the session of files with changed text.
    pub files: Vec<String>,
    pub consequences: Consequences,
}

/// The effect that operations would have.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Preview {
    /// The files that would change, before and after.
    pub files: Vec<ChangedFile>,
    pub consequences: Consequences,
    /// If passing packages would fail: alternative operations after which they pass. Each was
    /// tried; the most similar first.
    pub alternatives: Vec<Vec<EditOp>>,
    pub(super) changed_values: ChangedValues,
}

/// Operations applied on trial, with their results.
#[derive(Debug, Clone)]
pub(super) struct Trial {
    /// As stored in a step: text changes with their surroundings.
    pub(super) ops: Vec<EditOp>,
    pub(super) changes: Vec<FileChange>,
    pub(super) applied: Applied,
}

/// The last typed text, as one step that may continue.
#[derive(Debug)]
pub(super) struct TypedStep {
    /// The session revision right after it.
    revision: u64,
    /// Changes since the state before its first letter.
    since: ChangeTracker,
}

impl FileChange {
    /// Whether the file exists on one side only.
    fn creates_or_deletes(&self) -> bool {
        self.before.is_none() || self.after.is_none()
    }
}

impl HistoryStep {
    pub(super) fn before(&self, id: FileId) -> Option<Option<&Version>> {
        self.changes
            .iter()
            .find(|c| c.id == id)
            .map(|c| c.before.as_ref())
    }

    /// Returns the changed files, before and after.
    pub(super) fn versions(
        &self,
    ) -> impl Iterator<Item = (FileId, Option<&Version>, Option<&Version>)> {
        self.changes
            .iter()
            .map(|c| (c.id, c.before.as_ref(), c.after.as_ref()))
    }

    pub(super) fn originals(&self) -> impl Iterator<Item = FileId> {
        self.changes
            .iter()
            .flat_map(|c| c.before.iter().chain(&c.after))
            .map(|v| v.original)
    }
}

impl OperationLog {
    /// Adds a step whose changes are applied, in place of the undone ones.
    pub(super) fn push(&mut self, title: &str, ops: Vec<EditOp>, changes: Vec<FileChange>) {
        self.steps.truncate(self.applied);
        self.steps.push(HistoryStep {
            title: title.to_owned(),
            ops,
            changes,
        });
        self.applied = self.steps.len();
    }

    pub(super) fn touched_files(&self) -> BTreeSet<FileId> {
        let changes = self.steps.iter().flat_map(|step| &step.changes);
        changes.map(|change| change.id).collect()
    }

    fn join_last(&mut self) {
        let Some(later) = self.steps.pop() else {
            return;
        };
        let Some(step) = self.steps.last_mut() else {
            return;
        };
        step.ops.extend(later.ops);
        for change in later.changes {
            match step
                .changes
                .iter_mut()
                .find(|cached| cached.id == change.id)
            {
                Some(cached) => {
                    cached.since = cached.since.then(&change.since);
                    cached.after = change.after;
                }
                None => step.changes.push(change),
            }
        }
        self.applied = self.steps.len();
    }
}

impl Session {
    /// Returns the effect of `ops` together. Changes nothing, not even the revision.
    pub fn preview(&mut self, ops: &[EditOp]) -> Result<Preview, Refused> {
        let mut preview = self.preview_alone(ops)?;
        if !preview.consequences.failing.is_empty() {
            let preview_cache = self.preview_cache.take();
            preview.alternatives = alternatives(self, ops, &preview.consequences.failing);
            self.preview_cache = preview_cache;
        }
        Ok(preview)
    }

    /// Like `preview`, without searching for alternatives, which costs many trials.
    pub(super) fn preview_alone(&mut self, ops: &[EditOp]) -> Result<Preview, Refused> {
        let mut tracker = ChangeTracker::default();
        let origins_known = self.origins.get().is_some();
        let trial = self.try_ops(ops, None, &mut tracker)?;
        let changed_values = tracker.changed_values(&self.roots);
        let files = trial
            .changes
            .iter()
            .map(|change| match self.changes().changed_between(change) {
                // A render consists of text changes.
                Ok(file) if tracker.is_typed => self.templates().without_kept_origin(file),
                file => file,
            })
            .collect::<Result<Vec<_>, _>>();
        let files = files.map(|files| [files, self.changes().rendered_changes(&tracker)].concat());
        let preview_cache = PreviewCache::new(self, ops, &trial, &tracker);
        let consequences = trial.applied.consequences;
        self.roll_back(&trial.changes, tracker, origins_known);
        self.preview_cache = preview_cache;
        Ok(Preview {
            files: files?,
            consequences,
            alternatives: Vec::new(),
            changed_values,
        })
    }

    /// Calls `inspect` on the session with `ops` applied, and on their consequences. Changes
    /// nothing, not even the revision.
    pub fn simulate<T>(
        &mut self,
        ops: &[EditOp],
        inspect: impl FnOnce(&Session, Consequences) -> T,
    ) -> Result<T, Refused> {
        let cached = self.preview_cache.take();
        let origins_known = self.origins.get().is_some();
        let mut tracker = ChangeTracker::default();
        let trial = match self.try_ops(ops, cached.as_ref(), &mut tracker) {
            Ok(trial) => trial,
            Err(refused) => {
                self.preview_cache = cached;
                return Err(refused);
            }
        };
        let preview_cache = match cached.filter(|cached| cached.is_for(ops, self.revision)) {
            None => PreviewCache::new(self, ops, &trial, &tracker),
            cached => cached,
        };
        let result = inspect(self, trial.applied.consequences);
        self.roll_back(&trial.changes, tracker, origins_known);
        self.preview_cache = preview_cache;
        Ok(result)
    }

    /// Applies `ops` as one step, or refuses all of them. Without an effect, no step is created.
    pub fn apply(&mut self, title: &str, ops: &[EditOp]) -> Result<Applied, Refused> {
        let preview_cache = self.preview_cache.take();
        let mut tracker = ChangeTracker::default();
        let Trial {
            ops,
            changes,
            mut applied,
        } = self.try_ops(ops, preview_cache.as_ref(), &mut tracker)?;
        applied.title = title.to_owned();
        if !changes.is_empty() {
            let changes_file_list = changes.iter().any(FileChange::creates_or_deletes);
            self.log.push(title, ops, changes);
            self.revision += 1;
            if changes_file_list {
                self.find_other_roots();
            } else if tracker.is_typed {
                self.typed_step = Some(TypedStep {
                    revision: self.revision,
                    since: tracker,
                });
            }
        }
        Ok(applied)
    }

    /// Applies `ops` as a part of the last step, so that continuous typing is undone at once.
    /// Creates a new step if there is none, if steps were undone, or if the host has saved that
    /// state.
    pub fn apply_to_last_step(&mut self, title: &str, ops: &[EditOp]) -> Result<Applied, Refused> {
        let count = self.log.steps.len();
        let has_room = self
            .log
            .steps
            .last()
            .is_some_and(|step| step.ops.len() < MAX_JOINED_OPS);
        let can_extend =
            has_room && self.log.applied == count && self.changes().saved_steps() != Some(count);
        let Some(step) = self
            .typed_step
            .take_if(|step| can_extend && step.revision == self.revision)
        else {
            let applied = self.apply(title, ops)?;
            if can_extend && self.log.steps.len() == count + 1 {
                self.log.join_last();
            }
            return Ok(applied);
        };
        let mut tracker = ChangeTracker::default();
        let (ops, changes) = match self.run(ops, &mut tracker) {
            Ok(run) => run,
            Err(refused) => {
                self.typed_step = Some(step);
                return Err(refused);
            }
        };
        self.judge_changes(&mut tracker);
        let packages = tracker.changed_packages(&self.roots);
        // Report consequences for the whole typing run, not per keystroke.
        let since = step.since.followed_by(tracker, &self.roots);
        let consequences = since.consequences(self);
        let applied = Applied {
            title: title.to_owned(),
            packages,
            files: self.changes().paths_of(&changes),
            consequences,
        };
        if !changes.is_empty() {
            self.log.push(title, ops, changes);
            self.revision += 1;
            self.log.join_last();
        }
        self.typed_step = Some(TypedStep {
            revision: self.revision,
            since,
        });
        Ok(applied)
    }

    /// Restores the state before changes on trial. `origins_known`: whether
    /// [`Templates::origin_of`] had been computed before them.
    pub(super) fn roll_back(
        &mut self,
        changes: &[FileChange],
        mut tracker: ChangeTracker,
        origins_known: bool,
    ) {
        for change in changes.iter().rev() {
            self.set(change.id, change.before.clone(), &mut tracker);
        }
        self.restore(tracker);
        if !origins_known {
            self.origins.take();
        }
    }

    /// Undoes the last step, if any.
    pub fn undo(&mut self) -> Option<Applied> {
        let at = self.log.applied.checked_sub(1)?;
        let title = format!("Undone: {}", self.log.steps[at].title);
        let report = self.go_to(at)?;
        Some(Applied { title, ..report })
    }

    /// Redoes the last undone step, if any.
    pub fn redo(&mut self) -> Option<Applied> {
        let step = self.log.steps.get(self.log.applied)?;
        let title = format!("Redone: {}", step.title);
        let report = self.go_to(self.log.applied + 1)?;
        Some(Applied { title, ..report })
    }

    /// Undoes or redoes until `steps` steps are applied (at most all). Returns `None` if nothing
    /// has to be done.
    pub fn go_to(&mut self, steps: usize) -> Option<Applied> {
        let steps = steps.min(self.log.steps.len());
        if steps == self.log.applied {
            return None;
        }
        let mut tracker = ChangeTracker::default();
        let mut changes = Vec::new();
        while self.log.applied > steps {
            self.log.applied -= 1;
            for change in self.log.steps[self.log.applied]
                .changes
                .clone()
                .into_iter()
                .rev()
            {
                self.set(change.id, change.before.clone(), &mut tracker);
                changes.push(change);
            }
        }
        while self.log.applied < steps {
            for change in self.log.steps[self.log.applied].changes.clone() {
                self.set(change.id, change.after.clone(), &mut tracker);
                changes.push(change);
            }
            self.log.applied += 1;
        }
        self.revision += 1;
        self.judge_changes(&mut tracker);
        let report = self.report(&changes, &tracker);
        if changes.iter().any(FileChange::creates_or_deletes) {
            self.find_other_roots();
        }
        let last = steps.checked_sub(1).and_then(|at| self.log.steps.get(at));
        let title = last.map_or("files as opened", |step| &step.title);
        Some(Applied {
            title: format!("Now at: {title}"),
            ..report
        })
    }

    /// Restores the host's text of a file, as one undoable step.
    pub fn revert_file(&mut self, path: &str) -> Result<Applied, Refused> {
        let ops = self.changes().revert_ops(path)?;
        self.apply(&format!("Revert {path}"), &ops)
    }

    /// Applies operations and judges their changes, reusing a cached preview of them.
    fn try_ops(
        &mut self,
        ops: &[EditOp],
        preview_cache: Option<&PreviewCache>,
        tracker: &mut ChangeTracker,
    ) -> Result<Trial, Refused> {
        if let Some(preview_cache) =
            preview_cache.filter(|preview_cache| preview_cache.is_for(ops, self.revision))
        {
            return Ok(self.reapply(preview_cache, tracker));
        }
        let (ops, changes) = self.run(ops, tracker)?;
        self.judge_changes(tracker);
        let applied = self.report(&changes, tracker);
        Ok(Trial {
            ops,
            changes,
            applied,
        })
    }

    /// Applies operations to the files; a refusal restores the previous state. Returns the
    /// operations as stored in a step.
    pub(super) fn run(
        &mut self,
        ops: &[EditOp],
        tracker: &mut ChangeTracker,
    ) -> Result<(Vec<EditOp>, Vec<FileChange>), Refused> {
        tracker.is_typed = ops
            .iter()
            .all(|op| matches!(op, EditOp::ReplaceText { .. }));
        let mut changes: Vec<FileChange> = Vec::new();
        let mut anchored = Vec::with_capacity(ops.len());
        let mut refused = None;
        for op in ops {
            let mut planner = Planner { session: self };
            let updates = planner
                .redirect_to_template(op)
                .and_then(|op| planner.anchor(&op).map(Cow::into_owned))
                .and_then(|op| {
                    let updates = planner.plan_updates(&op);
                    anchored.push(op);
                    updates
                });
            match updates {
                Ok(updates) => {
                    for update in updates {
                        if let Err(error) = self.apply_update(update, &mut changes, tracker) {
                            refused = Some(error);
                        }
                    }
                }
                Err(error) => {
                    refused = Some(error);
                    break;
                }
            }
        }
        let Some(refused) = refused else {
            changes.retain(|c| c.before.is_none() || !c.since.is_original());
            return Ok((anchored, changes));
        };
        self.roll_back(&changes, std::mem::take(tracker), true);
        Err(refused)
    }

    /// Sets the new version of a file and records the change.
    fn apply_update(
        &mut self,
        update: FileUpdate,
        changes: &mut Vec<FileChange>,
        tracker: &mut ChangeTracker,
    ) -> Result<(), Refused> {
        let FileUpdate {
            id,
            path,
            version,
            edits,
        } = update;
        let state = self.files.by_id.entry(id);
        let state = state.or_insert_with(|| FileState::new(path));
        let index = changes.iter().position(|c| c.id == id).unwrap_or_else(|| {
            let before = state.current.clone();
            let since = empty_table(before.as_ref());
            changes.push(FileChange {
                id,
                before,
                after: None,
                since,
            });
            changes.len() - 1
        });
        let applied = changes[index].since.apply(&edits);
        changes[index].after = Some(version.clone());
        self.set(id, Some(version), tracker);
        applied
            .map(drop)
            .map_err(|error| Refused::new(error.to_string()))
    }

    /// Returns the outcome without a title, which the caller sets.
    fn report(&self, changes: &[FileChange], tracker: &ChangeTracker) -> Applied {
        Applied {
            title: String::new(),
            packages: tracker.changed_packages(&self.roots),
            files: self.changes().paths_of(changes),
            consequences: tracker.consequences(self),
        }
    }
}

impl Changes<'_> {
    /// Returns the paths in the session of the files changed by the last applied step.
    pub fn last_step_files(&self) -> Vec<String> {
        let last = self.session.applied_steps().checked_sub(1);
        let step = last.and_then(|last| self.session.history().get(last));
        step.map(|step| self.paths_of(&step.changes))
            .unwrap_or_default()
    }

    fn paths_of(&self, changes: &[FileChange]) -> Vec<String> {
        let mut files: Vec<String> = changes
            .iter()
            .filter_map(|c| self.session.files.by_id.get(&c.id))
            .map(|f| f.path.clone())
            .collect();
        files.sort_small();
        files.dedup();
        files
    }
}
