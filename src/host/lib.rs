//! Owns a session and answers the queries of `protocol` for any program that shows catalogs. Files
//! arrive indexed, and bytes are reread through a [`ByteSource`]; this crate must not know how.

/// Implements [`protocol::Handle`] for a query without files.
macro_rules! answer {
    ($query:ty, |$host:ident, $fields:pat_param| $answer:expr) => {
        impl protocol::Handle<$query> for $crate::Host {
            fn handle(&mut self, $fields: $query) -> protocol::query::QueryResult<$query> {
                let $host = self;
                $answer
            }
        }
    };
}

mod configuration_problems;
mod disk;
mod export;
mod queries;
pub mod repository;
mod repository_queries;
mod steps;
mod views;

#[cfg(test)]
mod tests;

use crate::repository::Repository;
use crate::views::{changes, package, status};
use catalog::TreeEntry;
use catalog::archive::Packing;
use catalog::model::FileId;
use catalog::source::ByteSource;
use protocol::Json;
use protocol::diagnostic::Profile;
use protocol::disk_check::DiskFile;
use protocol::operation::EditOp;
use protocol::query::{self, EncodedQuery, Handle, Open, Query, QueryResult};
use protocol::request::{OpenMode, PackageRequest, ReplayStep};
use protocol::response::{self, Opened, OperationRefusal, Replayed};
use protocol::views::{PackageRef, Status};
use session::search::Index;
use session::{self, AdviceSource, Applied, HistoryStep, Rebased, Refused, Session};
use std::collections::BTreeMap;
use std::rc::Rc;
use steps::{ChangedEntries, Snapshot, UnusedFilesSent};

/// A session and the additional state of its answers.
pub struct Host {
    source: Rc<dyn ByteSource>,
    session: Session,
    /// Changed channels and entries, one item per step of the history.
    changed_entries: Vec<ChangedEntries>,
    /// `opm validate`'s error for each split folder as one catalog. Not updated after edits,
    /// because each costs as much as an open.
    whole_folder_messages: BTreeMap<String, String>,
    /// Added to the session's revision, so that revisions also grow from one open to the next.
    base_revision: u64,
    next_file: u32,
    /// The user's choice; it survives the next open.
    profile: Option<Profile>,
    /// The archive format for exporting all files: the format they were opened from, else zip.
    packing: Packing,
    /// The omnibox's search index; empty until its first use.
    search_index: Index,
    unused_files_sent: UnusedFilesSent,
    /// The open repository. The session contains only those of its files that were requested.
    repository: Option<Repository>,
}

impl Host {
    pub fn new(source: Rc<dyn ByteSource>) -> Self {
        let mut session = session::open(Vec::new(), source.clone());
        session.set_advice_source(AdviceSource::Nearest(None));
        Self {
            source,
            session,
            changed_entries: Vec::new(),
            whole_folder_messages: BTreeMap::new(),
            base_revision: 0,
            next_file: 0,
            profile: None,
            packing: Packing::Zip,
            search_index: Index::default(),
            unused_files_sent: UnusedFilesSent::default(),
            repository: None,
        }
    }

    /// Returns a number that grows with every visible change during the host's life.
    pub fn revision(&self) -> u64 {
        self.base_revision + self.session.revision()
    }

    /// Returns a new id for original bytes. Ids are never reused.
    pub fn new_file_id(&mut self) -> FileId {
        self.next_file += 1;
        FileId(self.next_file - 1)
    }

    /// Sets how the files of the next open were packed; `None` for files and folders.
    pub fn set_packing(&mut self, packing: Option<Packing>) {
        self.packing = packing.unwrap_or(Packing::Zip);
    }

    pub fn as_on_disk(&self, path: &str) -> Option<TreeEntry> {
        self.session.files().as_on_disk(path)
    }

    /// Opens indexed files and closes any open repository, unless they are added.
    pub fn open(&mut self, mode: OpenMode, files: Vec<TreeEntry>) -> QueryResult<Open> {
        if mode != OpenMode::Add {
            self.repository = None;
        }
        self.open_files(mode, files)
    }

    fn open_files(&mut self, mode: OpenMode, files: Vec<TreeEntry>) -> QueryResult<Open> {
        let replayed = match mode {
            OpenMode::Replace => {
                self.reset_session(files);
                self.validate_whole_folders();
                return Ok(Opened::Anew(Box::new(self.status())));
            }
            OpenMode::Reload => self.reload(files)?,
            OpenMode::Add => {
                let kept = self.session.add_beside(files)?;
                self.validate_whole_folders();
                self.replay_kept(kept)
            }
        };
        Ok(Opened::Replayed(Box::new(replayed)))
    }

    /// Opens the files again. If they differ from the open ones, reapplies the unsaved steps to
    /// them.
    fn reload(&mut self, files: Vec<TreeEntry>) -> Result<Replayed, Refused> {
        self.locate_repository();
        // Files that cannot be compared count as changed.
        if let Ok(Some(kept)) = self.session.reload_files(&files) {
            self.validate_whole_folders();
            return Ok(self.replay_kept(kept));
        }
        let forgotten = self.session.changes().forgotten_by_a_rebase();
        let steps = self.session.changes().unsaved_steps()?;
        let folders = self.session.folders().iter();
        let folders_as_one: Vec<String> = folders
            .filter(|folder| folder.as_one)
            .map(|folder| folder.path.clone())
            .collect();
        let rendered_templates: Vec<String> = self
            .session
            .templates()
            .rendered_templates()
            .map(str::to_owned)
            .collect();
        self.reset_session(files);
        for folder in folders_as_one {
            self.session.treat_as_one(&folder, true);
        }
        for template in rendered_templates {
            // Fails if the template no longer exists; its catalog is then gone too.
            let _ = self.session.show_rendered(&template);
        }
        self.validate_whole_folders();
        Ok(Replayed {
            forgotten,
            ..self.replay(steps)
        })
    }

    pub fn answer<Q: Query>(&mut self, query: Q) -> QueryResult<Q>
    where
        Self: Handle<Q>,
    {
        self.handle(query)
    }

    pub fn serve(
        &mut self,
        query: &EncodedQuery,
        files: Vec<DiskFile>,
    ) -> Result<Vec<u8>, OperationRefusal> {
        query::dispatch(self, query.tag, &query.bytes, files)
    }

    /// Tells the session where the open repository is.
    fn locate_repository(&mut self) {
        let repository = self.repository.as_ref();
        self.session
            .set_repository(repository.map(|repository| repository.place.clone()));
    }

    fn reset_session(&mut self, files: Vec<TreeEntry>) {
        self.base_revision = self.revision() + 1;
        self.session = session::open(files, self.source.clone());
        self.locate_repository();
        self.session
            .set_advice_source(AdviceSource::Nearest(self.profile));
        self.changed_entries.clear();
        self.search_index = Index::default();
    }

    fn replay(&mut self, steps: Vec<(String, Vec<EditOp>)>) -> Replayed {
        self.open_required_parts(steps.iter().flat_map(|(_, ops)| ops));
        let first = self.session.applied_steps();
        let mut refused = Vec::new();
        for (title, ops) in steps {
            let snapshot = Snapshot::take(&self.session);
            let revision = self.session.revision();
            match self.session.apply(&title, &ops) {
                Ok(applied) if self.session.revision() != revision => {
                    self.record_step(&snapshot, &applied, HistoryChange::NewStep)
                }
                Ok(_) => {}
                Err(refusal) => refused.push(((title, ops).into(), refusal.reason)),
            }
        }
        self.replay_report(first, refused)
    }

    /// Reports that new files left the history intact. `kept` are the paths that it changes.
    fn replay_kept(&mut self, kept: Vec<String>) -> Replayed {
        Replayed {
            status: self.status(),
            steps: self.session.history().iter().map(replay_step).collect(),
            refused: Vec::new(),
            kept,
            forgotten: Vec::new(),
        }
    }

    /// Reports a rebase, which reapplied unsaved steps.
    fn replay_rebased(&mut self, rebased: Rebased) -> Replayed {
        self.changed_entries = vec![ChangedEntries::default(); self.session.history().len()];
        let refused = refused_steps(&rebased);
        Replayed {
            forgotten: rebased.forgotten,
            ..self.replay_report(0, refused)
        }
    }

    /// Reports the steps from `first` on, which were reapplied.
    fn replay_report(&mut self, first: usize, refused: Vec<(ReplayStep, String)>) -> Replayed {
        let applied = self.session.applied_steps();
        let steps = self.session.history().iter().take(applied).skip(first);
        Replayed {
            steps: steps.map(replay_step).collect(),
            status: self.status(),
            refused,
            kept: Vec::new(),
            forgotten: Vec::new(),
        }
    }

    /// Runs `step` on the session and returns the consequences of the new step.
    fn run_step(
        &mut self,
        view: Option<PackageRequest>,
        step: impl FnOnce(&mut Session) -> Result<Applied, Refused>,
    ) -> Result<response::Applied, OperationRefusal> {
        let snapshot = Snapshot::take(&self.session);
        let revision = self.session.revision();
        let steps = self.session.applied_steps();
        let applied = step(&mut self.session)?;
        // Operations that change nothing add no step.
        if self.session.revision() == revision {
            return Ok(self.applied_response(applied, view, Vec::new()));
        }
        let change = if self.session.applied_steps() == steps {
            HistoryChange::ExtendedStep
        } else {
            HistoryChange::NewStep
        };
        self.record_step(&snapshot, &applied, change);
        let last = self.session.history().last();
        let ops = last.map_or_else(Vec::new, |step| step.ops.clone());
        Ok(self.applied_response(applied, view, ops))
    }

    /// Builds the answer to an applied step. `ops` are those of a new step; empty after undo or
    /// redo.
    fn applied_response(
        &mut self,
        applied: Applied,
        view: Option<PackageRequest>,
        ops: Vec<EditOp>,
    ) -> response::Applied {
        let view = view.and_then(|request| package::view(self.view_input(), &request).ok());
        let unused_files = self.unused_files_sent.after_edit(&self.session);
        let input = self.view_input();
        let (mut packages, mut gone) = (Vec::new(), Vec::new());
        for (root, package) in &applied.packages {
            let opened = self.session.root(Some(root)).ok();
            match opened.and_then(|opened| status::row(input, opened, package)) {
                Some(row) => packages.push((root.clone(), row)),
                None => gone.push(PackageRef {
                    root: root.clone(),
                    package: package.to_string(),
                }),
            }
        }
        response::Applied {
            status: status::status(input, unused_files, self.repository_status()),
            packages,
            gone,
            consequences: changes::consequences(&applied.consequences),
            title: applied.title,
            ops: Json(ops),
            view,
        }
    }

    /// Records the changed entries of the last step of the history.
    fn record_step(&mut self, snapshot: &Snapshot, applied: &Applied, change: HistoryChange) {
        let mut entries = ChangedEntries::since(snapshot, &self.session, applied);
        let index = self.session.history().len().saturating_sub(1);
        if change == HistoryChange::ExtendedStep
            && let Some(earlier) = self.changed_entries.get(index)
        {
            entries.extend(earlier.clone());
        }
        self.changed_entries.truncate(index);
        self.changed_entries.push(entries);
    }

    fn validate_whole_folders(&mut self) {
        let files = self.session.files();
        let folders = self.session.folders().iter();
        self.whole_folder_messages = folders
            .filter(|folder| !folder.as_one)
            .map(|folder| {
                let message = files.whole_message(&folder.path);
                (folder.path.clone(), message.unwrap_or_default())
            })
            .collect();
    }

    /// Returns the complete status, including all unused files.
    fn status(&mut self) -> Status {
        let unused_files = self.unused_files_sent.all(&self.session);
        status::status(
            self.view_input(),
            Some(unused_files),
            self.repository_status(),
        )
    }

    fn view_input(&self) -> ViewInput<'_> {
        ViewInput {
            session: &self.session,
            unsaved_entries: unsaved_changes(&self.session, &self.changed_entries),
            whole_folder_messages: &self.whole_folder_messages,
            repository: self.repository.as_ref(),
            revision: self.revision(),
        }
    }
}

/// How an applied step changed the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HistoryChange {
    NewStep,
    ExtendedStep,
}

fn replay_step(step: &HistoryStep) -> ReplayStep {
    (step.title.clone(), step.ops.clone()).into()
}

fn refused_steps(rebased: &Rebased) -> Vec<(ReplayStep, String)> {
    let refused = rebased.refused.iter().filter_map(|(index, refusal)| {
        let step = rebased.steps.get(*index)?.clone();
        Some((step.into(), refusal.reason.clone()))
    });
    refused.collect()
}

/// Returns the changes between the saved and the current state; after an undo past the save, those
/// of the undone steps.
fn unsaved_changes<'a>(session: &Session, steps: &'a [ChangedEntries]) -> &'a [ChangedEntries] {
    let applied = session.applied_steps();
    let saved = session.changes().saved_steps().unwrap_or_default();
    let steps = steps.get(saved.min(applied)..).unwrap_or_default();
    steps.get(..saved.abs_diff(applied)).unwrap_or(steps)
}

#[derive(Clone, Copy)]
pub(crate) struct ViewInput<'a> {
    pub(crate) session: &'a Session,
    /// Changed channels and entries, one item per unsaved step.
    pub(crate) unsaved_entries: &'a [ChangedEntries],
    /// As in [`Host`].
    pub(crate) whole_folder_messages: &'a BTreeMap<String, String>,
    pub(crate) repository: Option<&'a Repository>,
    pub(crate) revision: u64,
}
