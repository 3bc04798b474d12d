//! The page's client of the host worker: sends requests, matches answers, and recovers when the
//! worker dies.
//!
//! A wasm trap does not unwind, and a trapped instance keeps answering wrongly. So at its first
//! `error` event the worker is terminated, a new one starts, the files are opened again, the
//! applied steps are replayed one by one, and pending requests are sent again. A step or request
//! that kills two workers is set aside and reported.

mod cancellation;
mod disk_requests;
mod dropped_requests;
mod host_connection;
mod indexer_pool;
mod journal_session;
mod read_ahead;
mod recovery;
mod verdict_first;

pub use disk_requests::FileOnDisk;

use super::browser::file_tree::{FileWalk, PickedFile};
use super::browser::journal_store::Journals;
use super::browser::tab_locks::TabLocks;
use super::browser::{performance_marks, saving_wanted, time, workers};
use super::state::journal::{ChangeContent, DroppedStep, FolderListing, JournalStep, WorkChange};
use super::state::pending_requests::{PendingRequest, PendingRequests};
use super::state::worker_api::{Answer, AnyQuery, Event, WorkerApi};
use super::state::worker_watchdog::{Busy, WorkerWatchdog};
use cancellation::RequestGuard;
use futures::channel::oneshot;
use futures::future::LocalBoxFuture;
use futures::lock::Mutex;
use host_connection::HostConnection;
use indexer_pool::IndexerPool;
use journal_session::{JournalSession, OutgoingAnswer};
use js_sys::Array;
use protocol::diagnostic::Profile;
use protocol::operation::EditOp;
use protocol::query::{
    Apply, ApplyToLastStep, EncodedAnswer, ListFiles, Merge, NoteSaved, Open, OpenOperator, Query,
    RelevantFiles, Replay, SetProfile, ShowRendered, Tag, TakeTheirs, TreatAsOne,
};
use protocol::request::{InputFile, OpenMode, ReplayStep, Request};
use protocol::response::{self, Applied, AskError, Found, Opened, Replayed, Response};
use protocol::views::Status;
use protocol::wire;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use verdict_first::AnswersAfterOpen;
use wasm_bindgen_futures::spawn_local;
use web_sys::File;

/// A handle; clones use the same worker.
#[derive(Clone)]
pub struct Client(Rc<Inner>);

/// The bytes of an answer.
type EncodedResult = Result<Vec<u8>, AskError>;

struct Inner {
    host: RefCell<Option<HostConnection>>,
    /// While a new worker is being updated, requests are only registered.
    recovering: Cell<bool>,
    /// Why no worker can be started any more: requests get no answer.
    dead: RefCell<Option<String>>,
    pending: RefCell<PendingRequests<RequestReply>>,
    /// The recovery's own request; dropping it notifies the recovery that the worker died.
    own: RefCell<Option<(u64, oneshot::Sender<EncodedResult>)>>,
    opened: RefCell<OpenedFiles>,
    journal_session: RefCell<Rc<JournalSession>>,
    /// Answers that wait until an earlier change is written.
    outbox: RefCell<VecDeque<OutgoingAnswer>>,
    /// Whether the outbox is being processed.
    delivering: Cell<bool>,
    journals: Journals,
    tabs: TabLocks,
    reported_unkept: Cell<bool>,
    pool: RefCell<IndexerPool>,
    /// Unanswered requests, including those that nobody waits for any more.
    sent: RefCell<BTreeSet<u64>>,
    watchdog: RefCell<WorkerWatchdog>,
    /// Whether the watchdog is running.
    watching: Cell<bool>,
    reported_busy: Cell<Busy>,
    /// Serializes opens.
    turn: Mutex<()>,
    opening: Cell<bool>,
    last_words: RefCell<String>,
    after_open: AnswersAfterOpen,
    /// When the warm-up was requested.
    warm_up_began: Cell<f64>,
    on_event: Box<dyn Fn(Event)>,
}

/// The receiver of an answer.
struct RequestReply {
    /// The files sent with the request, and for an open the files that it opens.
    files: Rc<OfferedFiles>,
    reply: oneshot::Sender<Answer>,
}

/// Files offered to the worker: `None` for an unreadable one.
type OfferedFiles = Vec<(InputFile, Option<File>)>;

/// The files that a new worker must open.
#[derive(Default)]
struct OpenedFiles {
    files: BTreeMap<String, (InputFile, Option<File>)>,
    /// Original texts of edited files, kept in memory: a file that changed on disk can no longer be
    /// read.
    first: BTreeMap<String, (InputFile, Option<File>)>,
    /// Saved files as they are on disk, where they differ from the start of the history.
    on_disk: BTreeMap<String, (InputFile, Option<File>)>,
    treated: Vec<(String, bool)>,
    /// Templates with open rendered catalogs.
    rendered: BTreeSet<String>,
    /// Opened operators of a repository.
    operators: BTreeSet<String>,
    /// The requested advice profile.
    profile: Option<Profile>,
}

impl OpenedFiles {
    /// Starts the history over from the files on disk.
    fn begin_with(&mut self, offer: &OfferedFiles) {
        self.first.retain(|path, _| {
            !self.on_disk.contains_key(path)
                && offer.iter().all(|(offered, _)| offered.path != *path)
        });
        self.files.append(&mut self.on_disk);
        self.files.extend(by_path(offer));
    }

    /// Adds files; the history keeps its start for the files `kept`.
    fn take(&mut self, mode: OpenMode, offer: &OfferedFiles, kept: &[String]) {
        let mut before = std::mem::take(self);
        self.profile = before.profile;
        if mode != OpenMode::Replace {
            self.treated = before.treated;
            self.rendered = before.rendered;
            self.operators = before.operators;
        }
        if mode == OpenMode::Add {
            self.files = before.files;
            self.files.extend(
                before
                    .on_disk
                    .iter()
                    .map(|(path, file)| (path.clone(), file.clone())),
            );
        }
        self.files.extend(by_path(offer));
        for path in kept {
            self.first.extend(before.first.remove_entry(path));
            // Saved before: the start of the history is no longer on disk.
            if before.on_disk.contains_key(path)
                && let Some(now) = self.files.get(path)
            {
                self.on_disk.insert(path.clone(), now.clone());
            }
        }
    }

    /// The files as they are on disk.
    fn present(&self) -> impl Iterator<Item = &(InputFile, Option<File>)> {
        let unsaved = self
            .files
            .iter()
            .filter(|(path, _)| !self.on_disk.contains_key(*path));
        unsaved.chain(&self.on_disk).map(|(_, file)| file)
    }

    /// The files that a new worker opens before it replays the steps.
    fn at_first(&self) -> OfferedFiles {
        let first = |(path, file)| self.first.get(path).unwrap_or(file).clone();
        self.files.iter().map(first).collect()
    }
}

fn by_path(offer: &OfferedFiles) -> impl Iterator<Item = (String, (InputFile, Option<File>))> {
    offer
        .iter()
        .map(|entry| (entry.0.path.clone(), entry.clone()))
}

impl Client {
    /// Starts the host worker and the indexers for the first drop. `on_event` receives spontaneous
    /// messages.
    pub fn start(on_event: impl Fn(Event) + 'static) -> Self {
        let client = Self(Rc::new(Inner {
            host: RefCell::default(),
            recovering: Cell::new(false),
            dead: RefCell::default(),
            pending: RefCell::default(),
            own: RefCell::default(),
            opened: RefCell::default(),
            journal_session: RefCell::new(JournalSession::new()),
            outbox: RefCell::default(),
            delivering: Cell::new(false),
            journals: Journals::default(),
            tabs: TabLocks::join(),
            reported_unkept: Cell::new(false),
            pool: RefCell::default(),
            sent: RefCell::default(),
            watchdog: RefCell::default(),
            watching: Cell::new(false),
            reported_busy: Cell::default(),
            turn: Mutex::new(()),
            opening: Cell::new(false),
            last_words: RefCell::default(),
            after_open: AnswersAfterOpen::default(),
            warm_up_began: Cell::default(),
            on_event: Box::new(on_event),
        }));
        client.connect();
        if !client.is_connected() {
            client.handle_death("the browser cannot start a worker".to_owned());
        }
        client.prepare_pool();
        client.warm_up();
        client
    }

    /// Lets the worker compile what a first drop needs, once the page is idle; not where data or power is to be saved.
    fn warm_up(&self) {
        let client = self.clone();
        spawn_local(async move {
            if !workers::program_comes().await || saving_wanted::is_saving_wanted().await {
                return;
            }
            time::idle().await;
            let is_busy = client.0.opening.get()
                || client.0.recovering.get()
                || !client.0.sent.borrow().is_empty();
            if !is_busy {
                client.0.warm_up_began.set(performance_marks::now());
                client.post_to_host(&Array::of1(&"warm-up".into()), &Array::new());
            }
        });
    }

    /// Opens what a walk found. Progress is reported by events. An open that is under way is cancelled first.
    pub async fn open(&self, mode: OpenMode, walk: &FileWalk) -> Result<Opened, AskError> {
        if self.0.opening.get() {
            self.cancel();
        }
        let _turn = self.0.turn.lock().await;
        self.0.opening.set(true);
        self.start_pool();
        let answer = self.ask_with(Open { mode }, offer(walk)).await;
        // A worker that is being updated needs them.
        if !self.0.recovering.get() {
            self.end_pool();
        }
        self.0.opening.set(false);
        answer
    }

    /// Provides files of the open repository that were only names before: all of these operators'
    /// files.
    pub async fn list_files(
        &self,
        operators: Vec<String>,
        walk: &FileWalk,
    ) -> Result<(), AskError> {
        // Wait for a pending `Open`.
        let _turn = self.0.turn.lock().await;
        self.ask_with(ListFiles { operators }, offer(walk)).await
    }

    pub fn applied_steps(&self) -> Vec<JournalStep> {
        self.journal_session()
            .work
            .borrow()
            .journal
            .applied_steps()
            .to_vec()
    }

    /// Whether edits are stored beyond the tab, as far as known.
    pub fn keeps_edits(&self) -> bool {
        !self.0.reported_unkept.get()
    }

    /// The open files, as last seen on disk: opened or saved.
    pub fn opened_files(&self) -> Vec<PickedFile> {
        let opened = self.0.opened.borrow();
        let picked = |(offered, file): &(InputFile, Option<File>)| {
            Some(PickedFile {
                path: offered.path.clone(),
                file: file.clone()?,
            })
        };
        opened.present().filter_map(picked).collect()
    }

    /// The changed files that matter to a catalog.
    pub async fn matters(&self, paths: Vec<String>) -> Vec<String> {
        if paths.is_empty() {
            return paths;
        }
        let query = RelevantFiles {
            paths: paths.clone(),
        };
        self.ask(query).await.unwrap_or(paths)
    }

    pub async fn ask<Q: Query>(&self, query: Q) -> Result<Q::Answer, AskError> {
        self.ask_with(query, OfferedFiles::new()).await
    }

    async fn ask_with<Q: Query>(
        &self,
        query: Q,
        files: OfferedFiles,
    ) -> Result<Q::Answer, AskError> {
        let answer = self.exchange_with(AnyQuery::new(query), files).await;
        answer.decode_answer::<Q>()
    }

    async fn exchange_with(&self, query: AnyQuery, files: OfferedFiles) -> Answer {
        let dead = self.0.dead.borrow().clone();
        if let Some(message) = dead {
            return Answer::none(AskError::NoWorker { message });
        }
        let files = Rc::new(files);
        let (reply, answer) = oneshot::channel();
        let id = self.0.pending.borrow_mut().add(
            query.clone(),
            RequestReply {
                files: files.clone(),
                reply,
            },
        );
        if !self.0.recovering.get() {
            self.send(id, query.request, &query.bytes, &files);
        }
        self.watch();
        cancellation::wait_for_answer(
            RequestGuard {
                client: self.clone(),
                id,
            },
            answer,
        )
        .await
        .unwrap_or_else(|| {
            Answer::none(AskError::NoWorker {
                message: "the page is closing".into(),
            })
        })
    }

    fn receive(&self, message: Vec<u8>) {
        let Some((response, body)) = wire::split::<Response>(&message) else {
            return;
        };
        match response {
            Response::Event(event) => {
                self.note_message(0);
                self.receive_event(event);
            }
            Response::Answer { .. } if self.0.after_open.hold(&message) => {}
            Response::Answer {
                id,
                revision,
                took,
                error,
            } => {
                self.note_message(id);
                let body = error.map_or(Ok(body), Err);
                if let Some((_, own)) = self.0.own.borrow_mut().take_if(|(own, _)| *own == id) {
                    // The recovery waits for it, or has given up.
                    let _ = own.send(body.map(<[u8]>::to_vec));
                    return;
                }
                let waiting = self.0.pending.borrow_mut().take(id);
                if let Some(PendingRequest { query, reply, .. }) = waiting {
                    let value = body.and_then(|body| query.decode(body));
                    let change = value.as_ref().ok().and_then(|answer| {
                        self.measure(took, &**answer);
                        self.note(&query, &reply.files, &**answer)
                    });
                    if query.request == Request::Open && value.is_ok() {
                        self.paint_before_others();
                    }
                    let answer = Answer {
                        revision: Some(revision),
                        value,
                    };
                    self.deliver_in_order(change, Some((reply.reply, answer)));
                }
            }
        }
    }

    fn receive_event(&self, event: response::Event) {
        match event {
            response::Event::Ready => {}
            response::Event::WarmedUp { answers } => {
                answers.iter().for_each(EncodedAnswer::decode_and_drop);
                let counts = [("answers", answers.len() as f64)];
                let began = self.0.warm_up_began.get();
                performance_marks::measure("warm-up", began, &counts);
            }
            response::Event::Progress(progress) => self.emit(Event::Progress(progress)),
            response::Event::FirstLanes { package, svg } => {
                self.emit(Event::FirstLanes { package, svg });
            }
            response::Event::ChangedOnDisk { paths } => self.emit(Event::ChangedOnDisk { paths }),
            response::Event::Panicked { message } => *self.0.last_words.borrow_mut() = message,
        }
    }

    fn measure(&self, took: f64, answer: &dyn Any) {
        let start = performance_marks::now() - took;
        if answer.is::<Applied>() {
            performance_marks::measure("answer", start, &[]);
        } else if answer.is::<Found>() {
            performance_marks::measure("search", start, &[]);
        }
    }

    /// Updates what a new worker or a later visit needs. Returns the change to be written before
    /// this response is delivered.
    fn note(&self, query: &AnyQuery, offer: &OfferedFiles, answer: &dyn Any) -> Option<WorkChange> {
        let opened = &self.0.opened;
        let what = if let Some((Open { mode }, answer)) = query.with_answer(answer) {
            self.note_open(*mode, offer, answer);
            ChangeContent::All
        } else if let Some(TreatAsOne { folder, as_one }) = query.get() {
            let mut opened = opened.borrow_mut();
            opened.treated.retain(|(known, _)| known != folder);
            opened.treated.push((folder.clone(), *as_one));
            self.journal_session()
                .work
                .borrow_mut()
                .treated
                .clone_from(&opened.treated);
            ChangeContent::All
        } else if let Some(ShowRendered { template, shown }) = query.get() {
            let rendered = &mut opened.borrow_mut().rendered;
            if *shown {
                rendered.insert(template.clone());
            } else {
                rendered.remove(template);
            }
            return None;
        } else if query.get::<ListFiles>().is_some() {
            // Open files keep their original names: the journal remains that of the same folder.
            opened.borrow_mut().files.extend(by_path(offer));
            return None;
        } else if let Some(OpenOperator { operator }) = query.get() {
            opened.borrow_mut().operators.insert(operator.clone());
            return None;
        } else if let Some(SetProfile { profile }) = query.get() {
            opened.borrow_mut().profile = *profile;
            return None;
        } else if let Some((Replay { .. }, answer)) = query.with_answer(answer) {
            let journal_session = self.journal_session();
            let mut work = journal_session.work.borrow_mut();
            for step in &answer.steps {
                work.journal.push(JournalStep::from_replay(step));
            }
            work.note_status(&answer.status);
            ChangeContent::All
        } else if let Some((Merge {}, answer)) = query.with_answer(answer) {
            opened.borrow_mut().begin_with(offer);
            self.note_replayed(&answer.steps, &answer.refused, &answer.status);
            self.note_disk(offer, &answer.status);
            ChangeContent::All
        } else if let Some((NoteSaved {}, answer)) = query.with_answer(answer) {
            opened.borrow_mut().on_disk.extend(by_path(offer));
            self.note_disk(offer, &answer.status);
            self.journal_session().work.borrow_mut().saving = None;
            ChangeContent::All
        } else if let Some((TakeTheirs { .. }, applied)) = query.with_answer(answer) {
            if self.note_applied(query, applied).is_some() {
                opened.borrow_mut().on_disk.extend(by_path(offer));
            }
            self.note_disk(offer, &applied.status);
            ChangeContent::All
        } else {
            let applied: &Applied = answer.downcast_ref()?;
            self.fingerprint(&applied.status.changed_files);
            self.note_applied(query, applied)?
        };
        Some(self.journal_session().record_change(what))
    }

    fn note_open(&self, mode: OpenMode, offer: &OfferedFiles, answer: &Opened) {
        let mut opened = self.0.opened.borrow_mut();
        if mode == OpenMode::Replace {
            *self.0.journal_session.borrow_mut() = JournalSession::new();
        }
        let kept = match answer {
            Opened::Replayed(replayed) => replayed.kept.as_slice(),
            Opened::Anew(_) => &[],
        };
        opened.take(mode, offer, kept);
        let files = opened
            .present()
            .map(|(file, _)| (file.path.clone(), file.size));
        let journal_session = self.journal_session();
        journal_session.start(FolderListing::new(files.collect()));
        if let Opened::Replayed(replayed) = answer {
            let Replayed {
                status,
                steps,
                refused,
                ..
            } = &**replayed;
            // Added files are beside the open ones: a new worker needs these settings again.
            for kept in status.folders.iter().filter(|row| row.as_one) {
                if opened
                    .treated
                    .iter()
                    .all(|(folder, _)| *folder != kept.folder)
                {
                    opened.treated.push((kept.folder.clone(), true));
                }
            }
            journal_session
                .work
                .borrow_mut()
                .treated
                .clone_from(&opened.treated);
            self.note_replayed(steps, refused, status);
            journal_session.work.borrow_mut().note_status(status);
            self.fingerprint(&status.changed_files);
        }
        wasm_bindgen_futures::spawn_local(self.clone().claim());
    }

    /// Replaces the history.
    fn note_replayed(
        &self,
        steps: &[ReplayStep],
        refused: &[(ReplayStep, String)],
        status: &Status,
    ) {
        let journal_session = self.journal_session();
        let mut work = journal_session.work.borrow_mut();
        work.journal
            .replace(steps.iter().map(JournalStep::from_replay));
        work.journal.set_applied(status.applied_steps);
        for (step, reason) in refused {
            work.journal.put_aside(DroppedStep {
                step: JournalStep::from_replay(step),
                reason: reason.clone(),
            });
        }
    }

    /// Updates the content on disk of these files.
    fn note_disk(&self, files: &OfferedFiles, status: &Status) {
        let journal_session = self.journal_session();
        journal_session.on_disk(files);
        journal_session.work.borrow_mut().note_status(status);
        self.fingerprint(&status.changed_files);
        // Another tab would open what is on disk now.
        wasm_bindgen_futures::spawn_local(self.clone().claim());
    }

    /// Returns the change, if any.
    fn note_applied(&self, query: &AnyQuery, applied: &Applied) -> Option<ChangeContent> {
        let journal_session = self.journal_session();
        let mut work = journal_session.work.borrow_mut();
        work.note_status(&applied.status);
        let is_travel = matches!(
            query.request,
            Request::Query(Tag::Undo | Tag::Redo | Tag::GoTo)
        );
        let (before, now) = (
            work.journal.applied_steps().len(),
            applied.status.applied_steps,
        );
        if is_travel {
            work.journal.set_applied(now);
            return (now != before).then_some(ChangeContent::Applied(now));
        }
        if let Some((_, ops)) = applied_operations(query)
            && let [typed] = ops
            && let Some(at) = work.draft.iter().position(|known| known == typed)
        {
            // The typed text is a step now.
            work.draft.remove(at);
        }
        // Operations without effect created no step.
        if applied.ops.0.is_empty() {
            return None;
        }
        let step = JournalStep {
            title: applied.title.clone(),
            ops: applied.ops.0.clone(),
        };
        let is_joined = now == before && query.get::<ApplyToLastStep>().is_some();
        if is_joined {
            work.journal.set_applied(now.saturating_sub(1));
            work.journal.push(step.clone());
            return Some(ChangeContent::LastStep(now, step));
        }
        if now <= before {
            return None;
        }
        work.journal.push(step.clone());
        Some(ChangeContent::Step(step))
    }

    fn emit(&self, event: Event) {
        (self.0.on_event)(event);
    }
}

impl WorkerApi for Client {
    fn exchange(&self, query: AnyQuery) -> LocalBoxFuture<'static, Answer> {
        let client = self.clone();
        Box::pin(async move { client.exchange_with(query, OfferedFiles::new()).await })
    }
}

/// The title and the operations of an edit.
fn applied_operations(query: &AnyQuery) -> Option<(&str, &[EditOp])> {
    if let Some(Apply { title, ops, .. }) = query.get() {
        return Some((title, &ops.0));
    }
    let ApplyToLastStep { title, ops, .. } = query.get()?;
    Some((title, &ops.0))
}

fn offer_file(PickedFile { path, file }: &PickedFile) -> (InputFile, Option<File>) {
    let described = InputFile {
        path: path.clone(),
        size: file.size() as u64,
        modified: file.last_modified() as u64,
        unreadable: String::new(),
    };
    (described, Some(file.clone()))
}

fn offer(walk: &FileWalk) -> OfferedFiles {
    let readable = walk.files.iter().map(offer_file);
    let unreadable = walk.unreadable.iter().map(|(path, why)| {
        let file = InputFile {
            path: path.clone(),
            size: 0,
            modified: 0,
            unreadable: why.clone(),
        };
        (file, None)
    });
    readable.chain(unreadable).collect()
}
