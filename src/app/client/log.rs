//! The log of unsaved work on the open files, and its journal in the browser. A change is written
//! before its answer is delivered.

use crate::browser::storage::{Journals, Write};
use crate::browser::tab_locks::{Claim, TabLocks};
use crate::browser::time;
use crate::reactive::spawn_local;
use crate::state::journal::{
    ChangeContent, DroppedStep, FolderListing, JournalStep, JournalWriter, PendingSave, SavedFile,
    WorkChange, WorkState,
};
use crate::state::worker_api::{Answer, AnyQuery, Event, OfferedFiles};
use futures::channel::oneshot;
use protocol::operation::EditOp;
use protocol::query::{Apply, ApplyToLastStep, ChooseEdits, Request, Tag};
use protocol::request::ReplayStep;
use protocol::response::{Applied, ChosenEdits, Replayed};
use protocol::views::Status;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// Delays before claiming again: the lock of a recently closed tab may not be released yet.
const CLAIM_RETRY_DELAYS_MS: [u32; 2] = [400, 1_200];

/// A handle to the log; clones share it.
#[derive(Clone)]
pub struct Log(Rc<LogState>);

struct LogState {
    session: RefCell<Rc<JournalSession>>,
    /// Answers that wait until an earlier change is written.
    outbox: RefCell<VecDeque<OutgoingAnswer>>,
    /// Whether the outbox is being processed.
    delivering: Cell<bool>,
    journals: Journals,
    tabs: TabLocks,
    reported_unkept: Cell<bool>,
    on_event: Rc<dyn Fn(Event)>,
}

/// The unsaved work on the files of one open, until the next open.
pub(super) struct JournalSession {
    id: String,
    pub(super) work: RefCell<WorkState>,
    writer: RefCell<JournalWriter>,
    /// Edited files whose fingerprints were requested.
    pub(super) fingerprinted: RefCell<Vec<String>>,
    /// Whether steps are being replayed: the journal is written afterwards.
    pub(super) is_replaying: Cell<bool>,
    /// Journals that the next write replaces.
    pub(super) replaced_journals: RefCell<Vec<String>>,
    /// Names claimed among the tabs: the journal in use, and the open folder.
    claims: RefCell<Vec<Claim>>,
    /// The last claimed folder.
    folder: RefCell<String>,
}

/// An answer to be delivered after its change is written.
struct OutgoingAnswer {
    session: Rc<JournalSession>,
    change: Option<WorkChange>,
    reply: Option<(oneshot::Sender<Answer>, Answer)>,
}

impl OutgoingAnswer {
    fn deliver(self) {
        if let Some((reply, answer)) = self.reply {
            // The caller may be gone and does not need the answer.
            let _ = reply.send(answer);
        }
    }
}

impl JournalSession {
    pub(super) fn new() -> Rc<Self> {
        let number = (js_sys::Math::random() * 1e6) as u32;
        Rc::new(Self {
            id: format!("{}-{number}", now()),
            work: RefCell::default(),
            writer: RefCell::default(),
            fingerprinted: RefCell::default(),
            is_replaying: Cell::new(false),
            replaced_journals: RefCell::default(),
            claims: RefCell::default(),
            folder: RefCell::default(),
        })
    }

    /// Updates the list of open files, and drops fingerprints that may be outdated.
    pub(super) fn set_folder(&self, folder: FolderListing) {
        let mut work = self.work.borrow_mut();
        work.folder = folder;
        work.originals.clear();
        self.fingerprinted.borrow_mut().clear();
    }

    /// Updates the sizes of written files and drops their fingerprints.
    pub(super) fn note_written(&self, files: &OfferedFiles) {
        let mut work = self.work.borrow_mut();
        work.folder
            .add(files.iter().map(|(file, _)| (file.path.clone(), file.size)));
        work.originals
            .retain(|path, _| files.iter().all(|(file, _)| file.path != *path));
        self.fingerprinted
            .borrow_mut()
            .retain(|path| files.iter().all(|(file, _)| file.path != *path));
    }
}

impl Log {
    pub(super) fn new(on_event: Rc<dyn Fn(Event)>) -> Self {
        Self(Rc::new(LogState {
            session: RefCell::new(JournalSession::new()),
            outbox: RefCell::default(),
            delivering: Cell::new(false),
            journals: Journals::default(),
            tabs: TabLocks::join(),
            reported_unkept: Cell::new(false),
            on_event,
        }))
    }

    pub(super) fn session(&self) -> Rc<JournalSession> {
        self.0.session.borrow().clone()
    }

    /// Starts a new session; the journal of the previous one is kept.
    pub(super) fn start_session(&self) {
        *self.0.session.borrow_mut() = JournalSession::new();
    }

    pub(super) fn with_work<T>(&self, run: impl FnOnce(&mut WorkState) -> T) -> T {
        run(&mut self.session().work.borrow_mut())
    }

    pub fn applied_steps(&self) -> Vec<JournalStep> {
        self.with_work(|work| work.journal.applied_steps().to_vec())
    }

    /// Whether no write to the journal has failed yet, so that edits outlive the tab.
    pub fn keeps_edits(&self) -> bool {
        !self.0.reported_unkept.get()
    }

    /// Returns the open files, as described in a journal.
    pub fn folder(&self) -> FolderListing {
        self.with_work(|work| work.folder.clone())
    }

    /// Records typed text that is not a step yet, in order.
    pub fn note_typed(&self, ops: Vec<EditOp>) {
        let is_new = self.with_work(|work| {
            let is_new = work.draft != ops;
            work.draft = ops;
            is_new
        });
        // Do not query an unresponsive storage on every keystroke.
        if is_new && self.keeps_edits() {
            self.note_change(ChangeContent::Draft);
        }
    }

    /// Records that everything was downloaded or copied.
    pub fn note_exported(&self) {
        self.note_change(ChangeContent::TakenOut);
    }

    /// Records which files are about to be written. Must be followed by the saved files or
    /// [`Log::cancel_saving`].
    pub(super) async fn begin_saving(&self, files: Vec<SavedFile>) {
        self.with_work(|work| {
            work.saving = Some(PendingSave {
                steps: work.journal.applied_steps().len(),
                files,
            });
        });
        self.write_down(ChangeContent::All).await;
    }

    /// Records that the save ended without writing anything.
    pub fn cancel_saving(&self) {
        let saving = self.with_work(|work| work.saving.take());
        if saving.is_some() {
            self.note_change(ChangeContent::All);
        }
    }

    /// Returns journals of earlier visits that no open tab has claimed, newest first. The error is
    /// the browser's message.
    pub async fn unfinished_journals(&self) -> Result<Vec<(String, String)>, String> {
        let taken = self.0.tabs.claimed_names().await;
        let session = self.session();
        let mut journals = self.0.journals.all().await?;
        journals.retain(|(id, _)| *id != session.id && !taken.contains(&journal_claim(id)));
        Ok(journals)
    }

    /// Deletes a journal permanently.
    pub async fn discard(&self, id: &str) -> Result<(), String> {
        self.0.journals.remove(id).await
    }

    /// Announces the open files to other tabs. Reports once if another tab has them open.
    pub(super) async fn claim(self) {
        let session = self.session();
        let key = session.work.borrow().folder.key();
        if session.folder.replace(key.clone()) == key {
            return;
        }
        let journal = journal_claim(&session.id);
        // Keep the journal's lock: if released and claimed again immediately, the browser would
        // still report it as taken.
        session
            .claims
            .borrow_mut()
            .retain(|claim| claim.is_for(&journal));
        if session.claims.borrow().is_empty() {
            let claim = self.0.tabs.claim(&journal).await;
            session.claims.borrow_mut().extend(claim);
        }
        let folder = format!("folder/{key}");
        let mut claim = self.0.tabs.claim(&folder).await;
        for delay in CLAIM_RETRY_DELAYS_MS {
            if claim.is_none() {
                time::pause(delay).await;
                claim = self.0.tabs.claim(&folder).await;
            }
        }
        if *session.folder.borrow() != key || !Rc::ptr_eq(&session, &self.session()) {
            return;
        }
        match claim {
            Some(claim) => session.claims.borrow_mut().push(claim),
            None => (self.0.on_event)(Event::OpenElsewhere),
        }
    }

    /// Replaces the history with the replayed steps, and sets the refused ones aside.
    pub(super) fn note_replayed(
        &self,
        steps: &[ReplayStep],
        refused: &[(ReplayStep, String)],
        status: &Status,
    ) {
        let session = self.session();
        let mut work = session.work.borrow_mut();
        work.journal
            .replace(steps.iter().map(JournalStep::from_replay));
        work.journal.set_applied(status.applied_steps);
        for refused in refused {
            work.journal.add_dropped(DroppedStep::from_refused(refused));
        }
    }

    /// Adds replayed steps to the history: nothing is left out any more.
    pub(super) fn note_appended(&self, replayed: &Replayed) {
        self.with_work(|work| {
            for step in &replayed.steps {
                work.journal.push(JournalStep::from_replay(step));
            }
            for refused in &replayed.refused {
                work.journal.add_dropped(DroppedStep::from_refused(refused));
            }
            work.left_out.clear();
            work.update_status(&replayed.status);
        });
    }

    /// Replaces the unsaved steps with the chosen ones, and keeps the others.
    pub(super) fn note_chosen(&self, choice: &ChooseEdits, chosen: &ChosenEdits) {
        let ChosenEdits { needs, replayed } = chosen;
        let saved = replayed.status.applied_steps - replayed.steps.len();
        self.with_work(|work| work.journal.truncate(saved));
        self.note_appended(replayed);
        let edits = choice.edits.iter().zip(needs).enumerate();
        let left_out = edits
            .filter(|(at, (_, needed))| needed.is_some() || choice.left_out.contains(at))
            .map(|(_, (edit, _))| JournalStep::from_replay(edit));
        self.with_work(|work| work.left_out = left_out.collect());
    }

    /// Returns the unsaved edits that are left out of the next save.
    pub fn left_out(&self) -> Vec<JournalStep> {
        self.with_work(|work| work.left_out.clone())
    }

    /// Returns the applied edits since the last save; `None` if they are not separate, as after the
    /// undo of a saved edit.
    pub fn unsaved_edits(&self) -> Option<Vec<JournalStep>> {
        self.with_work(|work| {
            let since = work.journal.since(work.saved?)?;
            Some(since.applied_steps().to_vec())
        })
    }

    /// Records an applied edit, undo or redo. Returns the change to write, if any.
    pub(super) fn note_applied(
        &self,
        query: &AnyQuery,
        applied: &Applied,
    ) -> Option<ChangeContent> {
        let session = self.session();
        let mut work = session.work.borrow_mut();
        work.update_status(&applied.status);
        let is_history_move = matches!(
            query.request,
            Request::Query(Tag::Undo | Tag::Redo | Tag::GoTo)
        );
        let steps_before = work.journal.applied_steps().len();
        let steps = applied.status.applied_steps;
        if is_history_move {
            work.journal.set_applied(steps);
            return (steps != steps_before).then_some(ChangeContent::Applied(steps));
        }
        if let Some((_, ops)) = applied_operations(query)
            && let [typed] = ops
            && let Some(index) = work.draft.iter().position(|op| op == typed)
        {
            // The typed text is a step now.
            work.draft.remove(index);
        }
        // Operations without effect created no step.
        if applied.ops.0.is_empty() {
            return None;
        }
        let step = JournalStep {
            title: applied.title.clone(),
            ops: applied.ops.0.clone(),
        };
        let is_joined = steps == steps_before && query.get::<ApplyToLastStep>().is_some();
        if is_joined {
            work.journal.set_applied(steps.saturating_sub(1));
            work.journal.push(step.clone());
            return Some(ChangeContent::LastStep(steps, step));
        }
        if steps <= steps_before {
            return None;
        }
        work.journal.push(step.clone());
        Some(ChangeContent::Step(step))
    }

    pub(super) fn step(&self, index: usize) -> Option<JournalStep> {
        self.with_work(|work| work.journal.steps().get(index).cloned())
    }

    pub(super) fn set_step_aside(
        &self,
        index: usize,
        reason: String,
        set_aside: &mut Vec<DroppedStep>,
    ) {
        set_aside.extend(self.step(index).map(|step| DroppedStep {
            step,
            reason: reason.clone(),
        }));
        self.with_work(|work| work.journal.drop_step(index, reason));
    }

    /// Delivers an answer after all earlier ones, and after its change is written.
    pub(super) fn deliver_in_order(
        &self,
        change: Option<WorkChange>,
        reply: Option<(oneshot::Sender<Answer>, Answer)>,
    ) {
        let outgoing = OutgoingAnswer {
            session: self.session(),
            change,
            reply,
        };
        if outgoing.change.is_none() && !self.0.delivering.get() {
            outgoing.deliver();
            return;
        }
        self.0.outbox.borrow_mut().push_back(outgoing);
        if !self.0.delivering.replace(true) {
            spawn_local(self.clone().deliver_all());
        }
    }

    async fn deliver_all(self) {
        loop {
            let next = self.0.outbox.borrow_mut().pop_front();
            let Some(outgoing) = next else { break };
            if let Some(change) = &outgoing.change {
                self.write(&outgoing.session, change).await;
            }
            outgoing.deliver();
        }
        self.0.delivering.set(false);
    }

    async fn write(&self, session: &JournalSession, change: &WorkChange) {
        if session.is_replaying.get() {
            return;
        }
        let batch = session
            .writer
            .borrow_mut()
            .batch(change, &session.work.borrow(), now());
        let remove = session.replaced_journals.borrow().clone();
        let has_batch = batch.is_some();
        if !has_batch && remove.is_empty() {
            return;
        }
        // Without work to keep, the replaced journals must be deleted anyway.
        let batch = batch.unwrap_or_default();
        let write = Write {
            journal: &session.id,
            clear: batch.clear,
            first: batch.first,
            lines: &batch.lines,
            remove: &remove,
        };
        let start = time::now();
        let written = self.0.journals.write(write).await;
        if has_batch {
            time::measure("journal", start, &[("lines", batch.lines.len() as f64)]);
            session.writer.borrow_mut().finish_write(written.is_ok());
        }
        match written {
            Ok(()) => session
                .replaced_journals
                .borrow_mut()
                .retain(|id| !remove.contains(id)),
            // Reported once; otherwise every edit would report it.
            Err(reason) if has_batch && !self.0.reported_unkept.replace(true) => {
                (self.0.on_event)(Event::NotStored { reason });
            }
            Err(_) => {}
        }
    }

    /// Writes a change and waits until it is on disk.
    pub(super) async fn write_down(&self, content: ChangeContent) {
        let (ended, end) = oneshot::channel();
        let change = self.with_work(|work| work.record_change(content));
        let answer = Answer {
            revision: None,
            value: Ok(Box::new(())),
        };
        self.deliver_in_order(Some(change), Some((ended, answer)));
        let _ = end.await;
    }

    /// Writes a change without delaying an answer.
    pub(super) fn note_change(&self, content: ChangeContent) {
        let change = self.with_work(|work| work.record_change(content));
        self.deliver_in_order(Some(change), None);
    }
}

pub(super) fn applied_operations(query: &AnyQuery) -> Option<(&str, &[EditOp])> {
    if let Some(Apply { title, ops, .. }) = query.get() {
        return Some((title, &ops.0));
    }
    let ApplyToLastStep { title, ops, .. } = query.get()?;
    Some((title, &ops.0))
}

fn journal_claim(id: &str) -> String {
    format!("journal/{id}")
}

/// Returns the current time in milliseconds since 1970.
fn now() -> u64 {
    js_sys::Date::now() as u64
}
