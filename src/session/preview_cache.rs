//! Caches the last preview until anything changes: applying it gives exactly what was shown,
//! without recomputation.

use super::Session;
use super::change_tracker::{ChangeTracker, RootSnapshots};
use super::history::{Applied, Trial};
use super::rendered_catalogs::RenderedState;
use protocol::operation::EditOp;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Operations that were tried and rolled back.
pub(super) struct PreviewCache {
    /// The session revision at that time.
    revision: u64,
    ops: Vec<EditOp>,
    trial: Trial,
    snapshots: RootSnapshots,
    /// Resulting rendered catalogs, by path of their template.
    rendered: BTreeMap<String, Rc<RenderedState>>,
}

impl PreviewCache {
    /// Caches a trial. Returns `None` if the change affects other catalogs, whose verdicts are not
    /// cached.
    pub(super) fn new(
        session: &Session,
        ops: &[EditOp],
        trial: &Trial,
        tracker: &ChangeTracker,
    ) -> Option<Self> {
        Some(Self {
            revision: session.revision,
            ops: ops.to_vec(),
            trial: trial.clone(),
            snapshots: tracker.snapshots(&session.roots)?,
            rendered: session.templates().current_renderings(tracker),
        })
    }

    /// Whether the cache is for these operations and nothing happened since.
    pub(super) fn is_for(&self, ops: &[EditOp], revision: u64) -> bool {
        self.revision == revision && self.ops == ops
    }
}

impl Session {
    /// Calls `inspect` on the session after the last previewed step, if it was for `ops`, and rolls
    /// that step back. The revision stays the same.
    ///
    /// Returns `None` if something else was previewed, if `ops` change nothing, or if there are
    /// undone steps, which a new step would drop.
    pub fn simulate_previewed<T>(
        &mut self,
        ops: &[EditOp],
        inspect: impl FnOnce(&Session, &Applied) -> T,
    ) -> Option<T> {
        let revision = self.revision;
        let has_undone_steps = self.log.applied < self.log.steps.len();
        let preview_cache = self.preview_cache.take_if(|cache| {
            !has_undone_steps && cache.is_for(ops, revision) && !cache.trial.changes.is_empty()
        })?;
        let mut tracker = ChangeTracker::default();
        let origins_known = self.origins.get().is_some();
        let Trial {
            ops,
            changes,
            applied,
        } = self.reapply(&preview_cache, &mut tracker);
        self.log.push("", ops, changes.clone());
        self.revision += 1;
        let result = inspect(self, &applied);
        self.log.pop();
        self.revision -= 1;
        self.roll_back(&changes, tracker, origins_known);
        self.preview_cache = Some(preview_cache);
        Some(result)
    }

    /// Applies the cached changes. The caller pushes the history step.
    pub(super) fn reapply(
        &mut self,
        preview_cache: &PreviewCache,
        tracker: &mut ChangeTracker,
    ) -> Trial {
        for change in &preview_cache.trial.changes {
            self.set(change.id, change.after.clone(), tracker);
        }
        for (template, state) in &preview_cache.rendered {
            self.set_rendered(template, Rc::clone(state), tracker);
        }
        for (index, snapshot) in &preview_cache.snapshots {
            if let Some(root) = self.roots.get_mut(*index) {
                tracker.snapshot_before(*index, root);
                root.restore_snapshot(snapshot);
            }
        }
        preview_cache.trial.clone()
    }
}
