//! Caches the last preview until anything changes: applying it gives exactly what was shown,
//! without recomputation.

use super::Session;
use super::change_tracker::{ChangeTracker, RootSnapshots};
use super::history::{Applied, Tried};
use super::rendered_catalogs::RenderedState;
use protocol::operation::EditOp;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Operations that were tried and rolled back.
pub(super) struct PreviewCache {
    /// The session revision at that time.
    revision: u64,
    ops: Vec<EditOp>,
    tried: Tried,
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
        tried: &Tried,
        tracker: &ChangeTracker,
    ) -> Option<Self> {
        Some(Self {
            revision: session.revision,
            ops: ops.to_vec(),
            tried: tried.clone(),
            snapshots: tracker.snapshots(&session.roots)?,
            rendered: session.templates().rendered_now(tracker),
        })
    }

    /// Whether the cache is for these operations and nothing happened since.
    pub(super) fn is_of(&self, ops: &[EditOp], revision: u64) -> bool {
        self.revision == revision && self.ops == ops
    }
}

impl Session {
    /// Calls `look` on the session after the last previewed step, if it was for `ops`. Changes
    /// nothing, not even the revision.
    ///
    /// `None`: something else was previewed, or it changes nothing, or there are undone steps,
    /// which a new step would drop.
    pub fn simulate_previewed<T>(
        &mut self,
        ops: &[EditOp],
        look: impl FnOnce(&Session, &Applied) -> T,
    ) -> Option<T> {
        let is_of = |known: &PreviewCache| {
            known.is_of(ops, self.revision) && !known.tried.changes.is_empty()
        };
        let is_known = self.log.applied == self.log.steps.len()
            && self.preview_cache.as_ref().is_some_and(is_of);
        let preview_cache = self.preview_cache.take_if(|_| is_known)?;
        let mut tracker = ChangeTracker::default();
        let origins_known = self.origins.get().is_some();
        let Tried {
            ops,
            changes,
            applied,
        } = self.reapply(&preview_cache, &mut tracker);
        self.log.push("", ops, changes.clone());
        self.revision += 1;
        let seen = look(self, &applied);
        self.log.pop();
        self.revision -= 1;
        self.roll_back(&changes, tracker, origins_known);
        self.preview_cache = Some(preview_cache);
        Some(seen)
    }

    /// Applies the cached changes. The caller pushes the history step.
    pub(super) fn reapply(
        &mut self,
        preview_cache: &PreviewCache,
        tracker: &mut ChangeTracker,
    ) -> Tried {
        for change in &preview_cache.tried.changes {
            self.set(change.id, change.after.clone(), tracker);
        }
        for (template, state) in &preview_cache.rendered {
            self.set_rendered(template, Rc::clone(state), tracker);
        }
        for (at, snapshot) in &preview_cache.snapshots {
            let Some(root) = self.roots.get_mut(*at) else {
                continue;
            };
            tracker.snapshot_before(*at, root);
            root.restore_snapshot(snapshot);
        }
        preview_cache.tried.clone()
    }
}
