//! Which unsaved edits work without some of the others, so that only a part of them is saved.

use super::{Refused, Session};
use protocol::operation::EditOp;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The unsaved files by path, with a hash of their text.
type FileHashes = BTreeMap<String, u64>;

/// An edit: its title and operations.
pub type Edit = (String, Vec<EditOp>);

/// Tries edits in another order. `session` is where the next edit is applied.
struct Reordering<'s> {
    session: &'s mut Session,
    edits: &'s [Edit],
}

impl Session {
    /// Undoes the unsaved steps, which are `edits` in any order, and drops them from the history.
    /// For each edit that is not left out but does not work before those that are, returns one that
    /// it needs. A refusal restores the history.
    pub fn undo_for_choice(
        &mut self,
        edits: &[Edit],
        is_left_out: impl Fn(usize) -> bool,
    ) -> Result<Vec<Option<usize>>, Refused> {
        let saved = self.changes().saved_steps();
        let base = saved
            .filter(|saved| *saved <= self.log.applied)
            .ok_or_else(|| Refused::new("the edits since the last save are no longer separate"))?;
        let (steps, applied) = (self.log.steps.clone(), self.log.applied);
        self.go_to(base);
        let needs = Reordering {
            session: self,
            edits,
        }
        .find_needs(is_left_out);
        self.go_to(base);
        match &needs {
            Ok(_) => self.log.steps.truncate(base),
            Err(_) => {
                self.log.steps = steps;
                self.go_to(applied);
            }
        }
        needs
    }

    fn unsaved_hashes(&self) -> Result<FileHashes, Refused> {
        let hash = |path: &str| -> Result<(String, u64), Refused> {
            let mut hasher = DefaultHasher::new();
            self.files.bytes(path)?.hash(&mut hasher);
            Ok((path.to_owned(), hasher.finish()))
        };
        self.files.changed_paths().into_iter().map(hash).collect()
    }
}

impl Reordering<'_> {
    fn find_needs(
        &mut self,
        is_left_out: impl Fn(usize) -> bool,
    ) -> Result<Vec<Option<usize>>, Refused> {
        let start = self.session.log.applied;
        let mut states = Vec::with_capacity(self.edits.len());
        for (title, ops) in self.edits {
            self.session.apply(title, ops)?;
            states.push(self.session.unsaved_hashes()?);
        }
        self.session.go_to(start);
        let mut needs = vec![None; self.edits.len()];
        let mut left: Vec<usize> = Vec::new();
        for (at, state) in states.iter().enumerate() {
            if is_left_out(at) {
                left.push(at);
            } else if !self.apply_before(&[at], &left, state) {
                let needed = self.find_needed(at, &left, state);
                needs[at] = needed.map(|needed| needs[needed].unwrap_or(needed));
                left.push(at);
            }
        }
        Ok(needs)
    }

    /// Applies `first`, and keeps it if `then` can follow and leads to `state`.
    fn apply_before(&mut self, first: &[usize], then: &[usize], state: &FileHashes) -> bool {
        let start = self.session.log.applied;
        let is_applied = self.apply(first);
        let kept = self.session.log.applied;
        let leads_there = is_applied
            && self.apply(then)
            && self.session.unsaved_hashes().is_ok_and(|now| now == *state);
        self.session.go_to(if leads_there { kept } else { start });
        leads_there
    }

    fn apply(&mut self, edits: &[usize]) -> bool {
        edits.iter().all(|at| {
            let edit = self.edits.get(*at);
            edit.is_some_and(|(title, ops)| self.session.apply(title, ops).is_ok())
        })
    }

    /// Returns the last of `left` with which the edit works, or else the last one.
    fn find_needed(&mut self, at: usize, left: &[usize], state: &FileHashes) -> Option<usize> {
        let start = self.session.log.applied;
        let works_with = |needed: &usize| {
            let others: Vec<usize> = left.iter().copied().filter(|one| one != needed).collect();
            let works = self.apply_before(&[*needed, at], &others, state);
            self.session.go_to(start);
            works
        };
        let mut latest = left.iter().rev().copied();
        latest.find(works_with).or(left.last().copied())
    }
}
