//! Merges edits with the disk: compares the disk with what was read, and rebases the edits if both
//! sides changed a file. The host provides its new text as bytes; unsaved edits are operations, so
//! they can be applied to another text.

use super::change_tracker::ChangeTracker;
use super::export::{ChangedFile, FileText, no_file};
use super::file::{FileState, Version};
use super::file_updates::content_of;
use super::history::HistoryStep;
use super::{Changes, Refused, Session};
use catalog::diff::{self, CONTEXT};
use catalog::model::FileId;
use protocol::operation::EditOp;
use std::collections::{BTreeMap, BTreeSet};

/// The host's current version of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostFile {
    /// Identifies these bytes; never used before.
    pub id: FileId,
    /// Path in the session, with `/`.
    pub path: String,
    pub bytes: Vec<u8>,
}

/// The host's version of a file compared with what was last read or saved.
#[derive(Debug, Clone, PartialEq)]
pub enum HostFileState {
    /// Unchanged.
    AsRead,
    /// Equal to our version: there is nothing to write.
    AsHere,
    /// The file was deleted.
    Gone,
    /// The file was changed, or created where we want to write a new one.
    Changed(Box<BothSides>),
}

/// Both sides of a file that changed here and on the host.
#[derive(Debug, Clone, PartialEq)]
pub struct BothSides {
    /// From what was read to the host's current version.
    pub theirs: ChangedFile,
    /// From the host's current version to the one to be written over it.
    pub mine: ChangedFile,
    /// The outcome of applying the edits to the host's text.
    pub merged: Result<Rebased, Refused>,
}

/// The outcome of the edits after files were read again.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rebased {
    /// The steps that the host did not have, with their operations, in order.
    pub steps: Vec<(String, Vec<EditOp>)>,
    /// Titles of history steps that can no longer be undone or redone: the host has them, or they
    /// were undone.
    pub forgotten: Vec<String>,
    /// Refused steps, by index in `steps`; they leave the history, as do those without an effect.
    pub refused: Vec<(usize, Refused)>,
}

/// The state before a rebase, to restore it.
struct BeforeRebase {
    files: BTreeMap<FileId, FileState>,
    history: Vec<HistoryStep>,
    applied: usize,
    revision: u64,
}

impl Rebased {
    /// Returns the number of steps that could be applied again.
    pub fn kept_steps(&self) -> usize {
        self.steps.len() - self.refused.len()
    }
}

impl<'w> Changes<'w> {
    /// Returns the number of steps (including undone ones) after which all files equal the host's.
    /// `None`: there is no such number.
    pub fn saved_steps(&self) -> Option<usize> {
        let files = self.session.files.by_id.iter();
        let changed: BTreeSet<FileId> = files
            .filter(|(_, file)| file.is_changed())
            .map(|(id, _)| *id)
            .collect();
        let mut differing = changed.clone();
        let mut at = self.session.log.applied;
        while !differing.is_empty() && at > 0 {
            at -= 1;
            for (id, before, _) in self.session.log.steps.get(at)?.versions() {
                self.update_differing(&mut differing, id, before);
            }
        }
        if differing.is_empty() {
            return Some(at);
        }
        (differing, at) = (changed, self.session.log.applied);
        for step in self.session.log.steps.iter().skip(self.session.log.applied) {
            at += 1;
            for (id, _, after) in step.versions() {
                self.update_differing(&mut differing, id, after);
            }
            if differing.is_empty() {
                return Some(at);
            }
        }
        None
    }

    /// Returns the bytes of a file at the start of the history; `None` if it did not exist.
    pub fn bytes_before_history(&self, path: &str) -> Result<Option<Vec<u8>>, Refused> {
        self.text_before_history(path)?
            .map(|text| text.whole())
            .transpose()
    }

    /// Like `bytes_before_history`, for reading in pieces.
    pub fn text_before_history(&self, path: &str) -> Result<Option<FileText<'w>>, Refused> {
        let id = self
            .session
            .files
            .by_path
            .get(path)
            .ok_or_else(|| no_file(path))?;
        let first = self
            .session
            .log
            .steps
            .iter()
            .find_map(|step| step.before(*id));
        let version = first.unwrap_or_else(|| self.session.files.version(*id));
        Ok(version.map(|version| self.session.files.file_text(version)))
    }

    /// Returns the steps from the host's state to the current one: those of the history if
    /// possible, else one of free text, for example after saved steps were undone.
    pub fn unsaved_steps(&self) -> Result<Vec<(String, Vec<EditOp>)>, Refused> {
        if let Some(saved) = self.saved_steps()
            && let Some(steps) = self.session.log.steps.get(saved..self.session.log.applied)
        {
            return Ok(steps
                .iter()
                .map(|step| (step.title.clone(), step.ops.clone()))
                .collect());
        }
        let mut ops = Vec::new();
        for path in self.session.files.changed_paths() {
            ops.extend(self.text_ops(path)?);
        }
        Ok(if ops.is_empty() {
            Vec::new()
        } else {
            vec![("Changes since the last save".to_owned(), ops)]
        })
    }

    /// Returns free text operations that turn the host's version of a file into the current one,
    /// last position first.
    pub fn text_ops(&self, path: &str) -> Result<Vec<EditOp>, Refused> {
        let files = &self.session.files;
        let (saved, current) = files.states(path)?;
        let [old, new] = [files.text_or_empty(saved)?, files.text_or_empty(current)?];
        files.anchor_successively(saved, self.text_change_ops(path, &old, &new)?)
    }

    /// Returns the titles of the steps that a rebase removes from the history.
    pub fn forgotten_by_a_rebase(&self) -> Vec<String> {
        let unsaved = match self.saved_steps() {
            Some(saved) if saved <= self.session.log.applied => saved..self.session.log.applied,
            _ => 0..0,
        };
        let steps = self
            .session
            .log
            .steps
            .iter()
            .enumerate()
            .filter(|(at, _)| !unsaved.contains(at));
        steps.map(|(_, step)| step.title.clone()).collect()
    }

    /// Records whether a file in this version equals the host's.
    fn update_differing(
        &self,
        differing: &mut BTreeSet<FileId>,
        id: FileId,
        version: Option<&Version>,
    ) {
        let Some(file) = self.session.files.by_id.get(&id) else {
            return;
        };
        let is_same = match (&file.saved, version) {
            (Some(saved), Some(version)) => saved.same_text(version),
            // A file that the host has is emptied rather than removed.
            (Some(saved), None) => saved.same_text(&Version::empty(id)),
            (None, version) => version.is_none(),
        };
        if is_same {
            differing.remove(&id);
        } else {
            differing.insert(id);
        }
    }
}

/// Returns the state of the host's file, checked before it is overwritten. Changes nothing. `None`:
/// the host has no such file.
pub fn compare_with_host(
    session: &mut Session,
    path: &str,
    host: Option<HostFile>,
) -> Result<HostFileState, Refused> {
    let (saved, current) = session.files.states(path)?;
    let [saved_text, current] = [saved, current].map(|version| {
        let text = version.map(|version| session.files.text_of(version));
        text.transpose()
    });
    let (saved_text, current) = (saved_text?, current?);
    let Some(host) = host else {
        return Ok(if saved_text.is_some() {
            HostFileState::Gone
        } else {
            HostFileState::AsRead
        });
    };
    if saved_text.as_ref() == Some(&host.bytes) {
        return Ok(HostFileState::AsRead);
    }
    if current.as_ref() == Some(&host.bytes) {
        return Ok(HostFileState::AsHere);
    }
    let theirs = diff::text_diff(&saved_text.unwrap_or_default(), &host.bytes, CONTEXT);
    let mine = diff::text_diff(&host.bytes, &current.unwrap_or_default(), CONTEXT);
    let (theirs, mine) = (
        session.changes().changed_file(path, false, theirs),
        session.changes().changed_file(path, false, mine),
    );
    let merged = try_rebase(session, vec![host]).map(|(rebased, before)| {
        undo_rebase(session, before);
        rebased
    });
    Ok(HostFileState::Changed(Box::new(BothSides {
        theirs,
        mine,
        merged,
    })))
}

/// Makes the host's current text the base of the edits. Unsaved edits are applied to it in
/// order, and those that no longer apply are reported. Edits that it already contains leave the
/// history.
pub fn rebase(session: &mut Session, files: Vec<HostFile>) -> Result<Rebased, Refused> {
    let (rebased, before) = try_rebase(session, files)?;
    session.revision = before.revision + 1;
    session.release_unused_pins();
    Ok(rebased)
}

/// Takes the host's version of a file and drops the edits in it, as one undoable step.
pub fn take_theirs(session: &mut Session, host: HostFile) -> Result<super::Applied, Refused> {
    let id = *session
        .files
        .by_path
        .get(&host.path)
        .ok_or_else(|| no_file(&host.path))?;
    let (path, bytes) = (host.path.clone(), host.bytes.clone());
    let version = new_host_version(session, host);
    let Some(file) = session.files.by_id.get_mut(&id) else {
        return Err(no_file(&path));
    };
    let before = file.saved.replace(version);
    let applied = session
        .changes()
        .revert_ops(&path)
        .and_then(|ops| session.apply(&format!("Take {path} as it is on disk"), &ops));
    if let Some(file) = session.files.by_id.get_mut(&id)
        && applied.is_err()
    {
        file.saved = before;
    }
    let applied = applied?;
    mark_saved_if_same(session, &path, &bytes)?;
    Ok(applied)
}

/// Records that the host has this version: further changes are relative to it. Keeps the
/// history, so that undo still works. Returns false if it differs from the file here.
pub fn mark_saved(session: &mut Session, host: HostFile) -> Result<bool, Refused> {
    let (path, bytes) = (host.path.clone(), host.bytes.clone());
    if mark_saved_if_same(session, &path, &bytes)? {
        return Ok(true);
    }
    let version = new_host_version(session, host);
    if let Some(file) = session
        .files
        .by_path
        .get(&path)
        .and_then(|id| session.files.by_id.get_mut(id))
    {
        file.saved = Some(version);
    }
    Ok(false)
}

/// Makes the current version the host's, if the bytes are the same.
fn mark_saved_if_same(session: &mut Session, path: &str, bytes: &[u8]) -> Result<bool, Refused> {
    let same = session.files.bytes(path)? == bytes;
    if same
        && let Some(file) = session
            .files
            .by_path
            .get(path)
            .and_then(|id| session.files.by_id.get_mut(id))
    {
        file.saved.clone_from(&file.current);
        session.revision += 1;
    }
    Ok(same)
}

/// Creates a version for the text and keeps its bytes: the host may lose them with the next
/// write.
fn new_host_version(session: &mut Session, host: HostFile) -> Version {
    session.preview_cache = None;
    let HostFile { id, path, bytes } = host;
    let content = content_of(&mut session.counters, &path, bytes.clone());
    session.files.source.keep(id, bytes);
    Version::new(id, content)
}

/// Restores the host's state, adds the files and applies the other edits again.
fn try_rebase(
    session: &mut Session,
    files: Vec<HostFile>,
) -> Result<(Rebased, BeforeRebase), Refused> {
    let (steps, forgotten) = (
        session.changes().unsaved_steps()?,
        session.changes().forgotten_by_a_rebase(),
    );
    let before = BeforeRebase {
        files: session.files.by_id.clone(),
        history: std::mem::take(&mut session.log.steps),
        applied: std::mem::take(&mut session.log.applied),
        revision: session.revision,
    };
    let mut tracker = ChangeTracker::default();
    for (id, file) in before.files.iter().filter(|(_, file)| file.is_changed()) {
        session.set(*id, file.saved.clone(), &mut tracker);
    }
    for host in files {
        let id = *session
            .files
            .by_path
            .entry(host.path.clone())
            .or_insert(host.id);
        let path = host.path.clone();
        let version = new_host_version(session, host);
        let new_file = || FileState::new(path);
        let state = session.files.by_id.entry(id).or_insert_with(new_file);
        state.opened = version.index().cloned();
        state.saved = Some(version.clone());
        session.set(id, Some(version), &mut tracker);
    }
    session.judge_changes(&mut tracker);
    Ok((session.apply_again(steps, forgotten), before))
}

impl Session {
    /// Applies steps again after files were read again; reports those that are refused.
    pub(super) fn apply_again(
        &mut self,
        steps: Vec<(String, Vec<EditOp>)>,
        forgotten: Vec<String>,
    ) -> Rebased {
        let trials = steps
            .iter()
            .map(|(title, ops)| self.apply(title, ops).err());
        let refused = trials
            .enumerate()
            .filter_map(|(at, refused)| Some((at, refused?)));
        Rebased {
            refused: refused.collect(),
            steps,
            forgotten,
        }
    }
}

fn undo_rebase(session: &mut Session, before: BeforeRebase) {
    let mut tracker = ChangeTracker::default();
    let created: Vec<FileId> = session
        .files
        .by_id
        .keys()
        .filter(|id| !before.files.contains_key(id))
        .copied()
        .collect();
    for id in created {
        if let Some(file) = session.files.by_id.get_mut(&id) {
            file.saved = None;
        }
        session.set(id, None, &mut tracker);
    }
    for (id, past) in before.files {
        let Some(file) = session.files.by_id.get_mut(&id) else {
            continue;
        };
        (file.opened, file.saved) = (past.opened, past.saved);
        let is_unchanged = match (&file.current, &past.current) {
            (Some(present), Some(past)) => present.same_text(past),
            (present, past) => present.is_none() && past.is_none(),
        };
        if !is_unchanged {
            session.set(id, past.current, &mut tracker);
        }
    }
    session.log.steps = before.history;
    session.log.applied = before.applied;
    session.revision = before.revision;
    session.restore(tracker);
    session.release_unused_pins();
}

#[cfg(test)]
#[path = "rebase_tests.rs"]
mod tests;
