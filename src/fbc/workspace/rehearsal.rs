//! What a preview came to, kept until anything changes: who applies what was just previewed gets what was shown, and
//! nothing is worked out a second time.

use super::Workspace;
use super::apply::{Applied, FileChange, Tried};
use super::changes::{Standings, Watch};
use protocol::operation::EditOp;

/// Operations that were tried and taken back.
pub(super) struct Rehearsal {
    /// Of the workspace, when they were tried.
    revision: u64,
    ops: Vec<EditOp>,
    /// The same as a step keeps them.
    anchored: Vec<EditOp>,
    changes: Vec<FileChange>,
    standings: Standings,
    applied: Applied,
}

impl Rehearsal {
    /// `None` where other catalogs would hear of the change: what these conclude is not kept.
    pub(super) fn new(workspace: &Workspace, ops: &[EditOp], tried: &Tried, watch: &Watch) -> Option<Self> {
        let standings = watch.standings(&workspace.roots)?;
        let Tried { ops: anchored, changes, applied } = tried.clone();
        Some(Self { revision: workspace.revision, ops: ops.to_vec(), anchored, changes, standings, applied })
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
    pub fn foreseeing<T>(&mut self, ops: &[EditOp], look: impl FnOnce(&Workspace, &Applied) -> T) -> Option<T> {
        let is_of = |known: &Rehearsal| known.is_of(ops, self.revision) && !known.changes.is_empty();
        let is_known = self.applied == self.history.len() && self.rehearsal.as_ref().is_some_and(is_of);
        let rehearsal = self.rehearsal.take_if(|_| is_known)?;
        let mut watch = Watch::default();
        let knew_origins = self.origins.get().is_some();
        let Tried { ops, changes, applied } = self.enact(&rehearsal, &mut watch);
        self.take_step("", ops, changes);
        let seen = look(self, &applied);
        self.drop_step(watch);
        self.unlearn_origins(knew_origins);
        self.rehearsal = Some(rehearsal);
        Some(seen)
    }

    /// Puts in force what was rehearsed. No step is made of it yet.
    pub(super) fn enact(&mut self, rehearsal: &Rehearsal, watch: &mut Watch) -> Tried {
        for change in &rehearsal.changes {
            self.set(change.id, change.after.clone(), watch);
        }
        self.stand(&rehearsal.standings, watch);
        let Rehearsal { anchored, changes, applied, .. } = rehearsal;
        Tried { ops: anchored.clone(), changes: changes.clone(), applied: applied.clone() }
    }
}
