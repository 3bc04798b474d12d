//! The journal session: unsaved work on the open files, and its journal in the browser. A change is
//! written before its answer is delivered.

use super::Client;
use super::OfferedFiles;
use crate::browser::journal_store::Write;
use crate::browser::tab_locks::Claim;
use crate::browser::{performance_marks, time};
use crate::state::journal::{
    ChangeContent, DroppedStep, FolderListing, JournalWriter, StoredWork, WorkChange, WorkState,
};
use crate::state::worker_api::{Answer, Event};
use futures::channel::oneshot;
use protocol::Json;
use protocol::operation::EditOp;
use protocol::query::{Fingerprint, GoTo, Replay, TreatAsOne};
use protocol::request::ReplayStep;
use protocol::response::AskError;
use protocol::views::Status;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The originals of edited files are fingerprinted after the edit is visible.
const FINGERPRINT_AFTER_MS: u32 = 400;
/// The lock of a recently closed tab may not be released yet.
const CLAIM_AGAIN_MS: [u32; 2] = [400, 1_200];

/// Lasts from one open to the next.
pub(super) struct JournalSession {
    /// The journal's name.
    id: String,
    pub(super) work: RefCell<WorkState>,
    writer: RefCell<JournalWriter>,
    /// Edited files with a requested fingerprint.
    fingerprinted: RefCell<Vec<String>>,
    /// Steps are being replayed: the journal is written afterwards.
    going_on: Cell<bool>,
    /// Journals that the next write replaces.
    takes_over: RefCell<Vec<String>>,
    /// Names claimed among the tabs: the journal in use, and the open folder.
    claims: RefCell<Vec<Claim>>,
    /// The last claimed folder.
    folder: RefCell<String>,
}

/// An answer to be delivered.
pub(super) struct OutgoingAnswer {
    journal_session: Rc<JournalSession>,
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

/// The outcome of continuing earlier work.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ResumedWork {
    pub status: Option<Status>,
    pub steps: usize,
    /// Steps that could not be applied, now or earlier.
    pub set_aside: Vec<DroppedStep>,
}

impl JournalSession {
    pub(super) fn new() -> Rc<Self> {
        let number = (js_sys::Math::random() * 1e6) as u32;
        Rc::new(Self {
            id: format!("{}-{number}", now()),
            work: RefCell::default(),
            writer: RefCell::default(),
            fingerprinted: RefCell::default(),
            going_on: Cell::new(false),
            takes_over: RefCell::default(),
            claims: RefCell::default(),
            folder: RefCell::default(),
        })
    }

    pub(super) fn record_change(&self, what: ChangeContent) -> WorkChange {
        self.work.borrow_mut().record_change(what)
    }

    /// Files were opened: updates their list, and drops fingerprints that may be outdated.
    pub(super) fn start(&self, folder: FolderListing) {
        let mut work = self.work.borrow_mut();
        work.folder = folder;
        work.originals.clear();
        self.fingerprinted.borrow_mut().clear();
    }

    /// These files were written, by this page or somebody else.
    pub(super) fn on_disk(&self, files: &OfferedFiles) {
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

impl Client {
    /// Delivers an answer after all earlier ones, and after its change is written.
    pub(super) fn deliver_in_order(
        &self,
        change: Option<WorkChange>,
        reply: Option<(oneshot::Sender<Answer>, Answer)>,
    ) {
        let outgoing = OutgoingAnswer {
            journal_session: self.journal_session(),
            change,
            reply,
        };
        if outgoing.change.is_none() && !self.0.delivering.get() {
            outgoing.deliver();
            return;
        }
        self.0.outbox.borrow_mut().push_back(outgoing);
        if !self.0.delivering.replace(true) {
            wasm_bindgen_futures::spawn_local(self.clone().deliver_all());
        }
    }

    async fn deliver_all(self) {
        loop {
            let next = self.0.outbox.borrow_mut().pop_front();
            let Some(outgoing) = next else { break };
            if let Some(change) = &outgoing.change {
                self.write(&outgoing.journal_session, change).await;
            }
            outgoing.deliver();
        }
        self.0.delivering.set(false);
    }

    async fn write(&self, journal_session: &JournalSession, change: &WorkChange) {
        if journal_session.going_on.get() {
            return;
        }
        let batch = journal_session.writer.borrow_mut().batch(
            change,
            &journal_session.work.borrow(),
            now(),
        );
        let remove = journal_session.takes_over.borrow().clone();
        let Some(batch) = batch else {
            // Nothing has to be kept, but the replaced journal must be deleted anyway.
            if !remove.is_empty() {
                let write = Write {
                    journal: &journal_session.id,
                    clear: false,
                    first: 0,
                    lines: &[],
                    remove: &remove,
                };
                if self.0.journals.write(write).await.is_ok() {
                    journal_session
                        .takes_over
                        .borrow_mut()
                        .retain(|id| !remove.contains(id));
                }
            }
            return;
        };
        let write = Write {
            journal: &journal_session.id,
            clear: batch.clear,
            first: batch.first,
            lines: &batch.lines,
            remove: &remove,
        };
        let start = performance_marks::now();
        let written = self.0.journals.write(write).await;
        performance_marks::measure("journal", start, &[("lines", batch.lines.len() as f64)]);
        journal_session
            .writer
            .borrow_mut()
            .finish_write(written.is_ok());
        match written {
            Ok(()) => journal_session
                .takes_over
                .borrow_mut()
                .retain(|id| !remove.contains(id)),
            // Reported once; otherwise every edit would report it.
            Err(_) if self.0.reported_unkept.replace(true) => {}
            Err(reason) => self.emit(Event::Unkept { reason }),
        }
    }

    pub(super) fn journal_session(&self) -> Rc<JournalSession> {
        self.0.journal_session.borrow().clone()
    }

    /// Writes a change and waits until it is on disk.
    pub(super) async fn write_down(&self, what: ChangeContent) {
        let (ended, end) = oneshot::channel();
        let change = self.journal_session().record_change(what);
        let answer = Answer {
            revision: None,
            value: Ok(Box::new(())),
        };
        self.deliver_in_order(Some(change), Some((ended, answer)));
        let _ = end.await;
    }

    /// Writes a change that no answer waits for.
    pub(super) fn note_change(&self, what: ChangeContent) {
        let change = self.journal_session().record_change(what);
        self.deliver_in_order(Some(change), None);
    }

    /// Fingerprints the originals of edited files, once per file, when there is time.
    pub(super) fn fingerprint(&self, changed_files: &[String]) {
        let journal_session = self.journal_session();
        let fresh: Vec<String> = {
            let mut known = journal_session.fingerprinted.borrow_mut();
            let fresh: Vec<String> = changed_files
                .iter()
                .filter(|path| !known.contains(path))
                .cloned()
                .collect();
            known.extend(fresh.iter().cloned());
            fresh
        };
        if fresh.is_empty() {
            return;
        }
        let client = self.clone();
        wasm_bindgen_futures::spawn_local(async move {
            client.hold(&fresh).await;
            time::pause(FINGERPRINT_AFTER_MS).await;
            let found = client.fingerprints(fresh).await;
            if Rc::ptr_eq(&journal_session, &client.journal_session()) {
                for (path, crc) in found {
                    journal_session
                        .work
                        .borrow_mut()
                        .originals
                        .insert(path.clone(), crc);
                    client.note_change(ChangeContent::Original { path, crc });
                }
            }
        });
    }

    /// CRC-32 of files on disk, by path; unreadable ones are omitted.
    pub async fn fingerprints(&self, paths: Vec<String>) -> Vec<(String, u32)> {
        // Without it, files are compared by size.
        self.ask(Fingerprint { paths }).await.unwrap_or_default()
    }

    /// Announces the open files to other tabs. Reports once if another tab has them open.
    pub(super) async fn claim(self) {
        let journal_session = self.journal_session();
        let key = journal_session.work.borrow().folder.key();
        if journal_session.folder.replace(key.clone()) == key {
            return;
        }
        let own = claim_of(&journal_session.id);
        // Keep the journal's lock: if released and claimed again immediately, the browser would
        // still report it as taken.
        journal_session
            .claims
            .borrow_mut()
            .retain(|claim| claim.is_of(&own));
        if journal_session.claims.borrow().is_empty() {
            let claim = self.0.tabs.claim(&own).await;
            journal_session.claims.borrow_mut().extend(claim);
        }
        let folder = format!("folder/{key}");
        let mut claim = self.0.tabs.claim(&folder).await;
        for pause in CLAIM_AGAIN_MS {
            if claim.is_none() {
                time::pause(pause).await;
                claim = self.0.tabs.claim(&folder).await;
            }
        }
        if *journal_session.folder.borrow() != key
            || !Rc::ptr_eq(&journal_session, &self.journal_session())
        {
            return;
        }
        match claim {
            Some(claim) => journal_session.claims.borrow_mut().push(claim),
            None => self.emit(Event::OpenElsewhere),
        }
    }

    /// Work of earlier visits that no open tab has; newest first. The error is the browser's
    /// message.
    pub async fn unfinished_journals(&self) -> Result<Vec<(String, String)>, String> {
        let taken = self.0.tabs.claimed_names().await;
        let own = self.journal_session();
        let mut journals = self.0.journals.all().await?;
        journals.retain(|(id, _)| *id != own.id && !taken.contains(&claim_of(id)));
        Ok(journals)
    }

    /// Deletes a journal permanently.
    pub async fn discard(&self, id: &str) -> Result<(), String> {
        self.0.journals.remove(id).await
    }

    /// The open files, as described in a journal.
    pub fn folder(&self) -> FolderListing {
        self.journal_session().work.borrow().folder.clone()
    }

    /// Records typed text that is not a step yet, in order.
    pub fn note_typed(&self, ops: Vec<EditOp>) {
        let journal_session = self.journal_session();
        if journal_session.work.borrow().draft != ops {
            journal_session.work.borrow_mut().draft = ops;
            // Do not query an unresponsive storage on every keystroke.
            if self.keeps_edits() {
                self.note_change(ChangeContent::Draft);
            }
        }
    }

    /// Records that everything was downloaded or copied.
    pub fn note_exported(&self) {
        self.note_change(ChangeContent::TakenOut);
    }

    /// Replays the steps of an earlier visit on the open files; `changed` are files that differ
    /// from then. Steps are replayed one by one, to identify one that kills the worker. Afterwards
    /// the journal of this session replaces the old one in one transaction.
    pub async fn resume(
        &self,
        id: &str,
        kept: &StoredWork,
        changed: &[String],
    ) -> Result<ResumedWork, AskError> {
        let journal_session = self.journal_session();
        journal_session.going_on.set(true);
        let went = self.apply_again(kept, changed).await;
        journal_session.going_on.set(false);
        // An unreadable journal is kept until the user agrees to delete it.
        if went.is_ok() && kept.damaged == 0 {
            journal_session.takes_over.borrow_mut().push(id.to_owned());
        }
        self.write_down(ChangeContent::All).await;
        went
    }

    async fn apply_again(
        &self,
        kept: &StoredWork,
        changed: &[String],
    ) -> Result<ResumedWork, AskError> {
        for (folder, as_one) in &kept.treated {
            let treat = TreatAsOne {
                folder: folder.clone(),
                as_one: *as_one,
            };
            self.ask(treat).await?;
        }
        let before = self.applied_steps().len();
        let mut went = ResumedWork {
            set_aside: kept.journal.aside().to_vec(),
            ..ResumedWork::default()
        };
        let (mut applied, mut all) = (0, 0);
        for (index, step) in kept.journal.steps().iter().enumerate() {
            if let Some(reason) = step.out_of_place(changed) {
                went.set_aside.push(DroppedStep {
                    step: step.clone(),
                    reason,
                });
                continue;
            }
            let steps = vec![ReplayStep {
                title: step.title.clone(),
                ops: Json(step.ops.clone()),
            }];
            let reason = match self.ask(Replay { steps }).await {
                Ok(replayed) => {
                    // A step without effect is dropped: the files already contain its result.
                    let is_step = !replayed.steps.is_empty();
                    all += usize::from(is_step);
                    applied += usize::from(is_step && index < kept.journal.applied_steps().len());
                    went.status = Some(replayed.status);
                    let refused = replayed.refused.into_iter().next();
                    refused.map(|(_, reason)| reason)
                }
                Err(AskError::Refused(_)) => Some("the worker did not accept it".to_owned()),
                Err(AskError::DroppedStep { message }) => Some(message),
                Err(lost) => return Err(lost),
            };
            if let Some(reason) = reason {
                went.set_aside.push(DroppedStep {
                    step: step.clone(),
                    reason,
                });
            }
        }
        if applied < all {
            let back = GoTo {
                steps: before + applied,
                view: None,
            };
            went.status = Some(self.ask(back).await?.status);
        }
        went.steps = applied;
        let journal_session = self.journal_session();
        for aside in &went.set_aside {
            journal_session
                .work
                .borrow_mut()
                .journal
                .put_aside(aside.clone());
        }
        Ok(went)
    }
}

fn claim_of(journal: &str) -> String {
    format!("journal/{journal}")
}

/// Milliseconds since 1970.
fn now() -> u64 {
    js_sys::Date::now() as u64
}
