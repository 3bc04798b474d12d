//! The result of the last preview, kept until anything changes: applying what was just previewed gives exactly what was
//! shown, and computes nothing again.

use super::Workspace;
use super::change_tracker::{ChangeTracker, RootSnapshots};
use super::history::{Applied, FileChange, Tried};
use super::rendered_catalogs::RenderedState;
use protocol::operation::EditOp;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Operations that were tried and taken back.
pub(super) struct PreviewCache {
    /// Of the workspace, when they were tried.
    revision: u64,
    ops: Vec<EditOp>,
    /// The same as a step keeps them.
    anchored: Vec<EditOp>,
    changes: Vec<FileChange>,
    snapshots: RootSnapshots,
    /// Rendered catalogs that follow, by path of their template.
    rendered: BTreeMap<String, Rc<RenderedState>>,
    applied: Applied,
}

impl PreviewCache {
    /// `None` if the change affects other catalogs: their verdicts are not kept.
    pub(super) fn new(
        workspace: &Workspace,
        ops: &[EditOp],
        tried: &Tried,
        tracker: &ChangeTracker,
    ) -> Option<Self> {
        let snapshots = tracker.snapshots(&workspace.roots)?;
        let Tried {
            ops: anchored,
            changes,
            applied,
        } = tried.clone();
        let rendered = workspace.rendered_now(tracker);
        let (revision, ops) = (workspace.revision, ops.to_vec());
        Some(Self {
            revision,
            ops,
            anchored,
            changes,
            snapshots,
            rendered,
            applied,
        })
    }

    /// Nothing happened since, and it is about these.
    pub(super) fn is_of(&self, ops: &[EditOp], revision: u64) -> bool {
        self.revision == revision && self.ops == ops
    }
}

impl Workspace {
    /// What `look` sees of the workspace after the step that was just previewed, if it was of `ops`. Nothing changes, the
    /// revision neither.
    ///
    /// `None`: something else was previewed, or something that changes nothing, or there are undone steps, which would be
    /// lost by a new one.
    pub fn simulate_previewed<T>(
        &mut self,
        ops: &[EditOp],
        look: impl FnOnce(&Workspace, &Applied) -> T,
    ) -> Option<T> {
        let is_of =
            |known: &PreviewCache| known.is_of(ops, self.revision) && !known.changes.is_empty();
        let is_known =
            self.applied == self.history.len() && self.preview_cache.as_ref().is_some_and(is_of);
        let preview_cache = self.preview_cache.take_if(|_| is_known)?;
        let mut tracker = ChangeTracker::default();
        let origins_known = self.origins.get().is_some();
        let Tried {
            ops,
            changes,
            applied,
        } = self.reapply(&preview_cache, &mut tracker);
        self.push_step("", ops, changes);
        let seen = look(self, &applied);
        self.drop_last_step(tracker);
        self.restore_origins(origins_known);
        self.preview_cache = Some(preview_cache);
        Some(seen)
    }

    /// Applies the cached changes. The history step is pushed by the caller.
    pub(super) fn reapply(
        &mut self,
        preview_cache: &PreviewCache,
        tracker: &mut ChangeTracker,
    ) -> Tried {
        for change in &preview_cache.changes {
            self.set(change.id, change.after.clone(), tracker);
        }
        for (template, state) in &preview_cache.rendered {
            self.set_rendered(template, Rc::clone(state), tracker);
        }
        self.restore_snapshot(&preview_cache.snapshots, tracker);
        let PreviewCache {
            anchored,
            changes,
            applied,
            ..
        } = preview_cache;
        Tried {
            ops: anchored.clone(),
            changes: changes.clone(),
            applied: applied.clone(),
        }
    }
}
