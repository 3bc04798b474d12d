//! Caches the last preview until anything changes: applying it gives exactly what was shown,
//! without recomputation.

use super::Session;
use super::change_tracker::{ChangeTracker, RootSnapshots};
use super::history::Trial;
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
