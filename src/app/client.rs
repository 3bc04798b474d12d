//! The page's client of the host worker: sends requests, matches answers, and recovers when the
//! worker dies.
//!
//! A wasm trap does not unwind, and a trapped instance keeps answering wrongly. So at its first
//! `error` event the worker is terminated, a new one starts, the files are opened again, the
//! applied steps are replayed one by one, and pending requests are sent again. A step or request
//! that kills two workers is set aside and reported.

mod files;
mod host;
mod log;
mod recovery;

pub use files::FileOnDisk;
pub use log::Log;

use super::browser::file_tree::FileWalk;
use super::browser::{document, time, workers};
use super::state::journal::{ChangeContent, FolderListing, WorkChange};
use super::state::worker_api::{
    Answer, AnyQuery, Busy, Event, OfferedFiles, PendingRequest, PendingRequests, WorkerApi,
    WorkerWatchdog,
};
use crate::reactive::spawn_local;
use files::{OpenedFiles, by_path, offer};
use futures::FutureExt;
use futures::channel::oneshot;
use futures::future::LocalBoxFuture;
use futures::lock::Mutex;
use host::{Host, IndexerPool};
use js_sys::Array;
use protocol::query::{
    ChooseEdits, EncodedAnswer, Fingerprint, Merge, NoteSaved, Open, Query, Replay, Request,
    TakeTheirs, TreatAsOne,
};
use protocol::request::{InputFile, OpenMode};
use protocol::response::{self, Applied, AskError, Found, Opened, Replayed, Response};
use protocol::views::Status;
use protocol::wire;
use recovery::RequestGuard;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Delay before the originals of edited files are fingerprinted: after the edit is visible.
const FINGERPRINT_DELAY_MS: u32 = 400;

/// Delay before a busy page is asked again whether it is idle.
const WARM_UP_DELAY_MS: u32 = 1_000;

/// A handle to the host worker; clones share it.
#[derive(Clone)]
pub struct Client(Rc<Inner>);

/// The bytes of an answer.
type EncodedResult = Result<Vec<u8>, AskError>;

struct Inner {
    host: Host,
    pool: IndexerPool,
    log: Log,
    /// Whether a new worker is being updated; meanwhile requests are only registered.
    recovering: Cell<bool>,
    /// The reason why no worker can be started.
    dead: RefCell<Option<String>>,
    pending: RefCell<PendingRequests<oneshot::Sender<Answer>>>,
    /// The recovery's pending request; dropping it notifies the recovery that the worker died.
    recovery_request: RefCell<Option<(u64, oneshot::Sender<EncodedResult>)>>,
    opened: RefCell<OpenedFiles>,
    watchdog: RefCell<WorkerWatchdog>,
    watching: Cell<bool>,
    reported_busy: Cell<Busy>,
    /// Serializes opens.
    open_lock: Mutex<()>,
    opening: Cell<bool>,
    /// Archives that the latest open left out, with the reason.
    refused_archives: RefCell<Vec<InputFile>>,
    /// The message of the worker's last panic; "" if there is none.
    last_panic: RefCell<String>,
    /// Answers held back until the end of an open is painted; `None` if none is being painted.
    held_answers: RefCell<Option<Vec<Vec<u8>>>>,
    /// When the warm-up was requested, in milliseconds of the page's clock.
    warm_up_began: Cell<f64>,
    on_event: Rc<dyn Fn(Event)>,
}

impl Client {
    /// Starts the host worker and the indexers for the first drop. `on_event` receives spontaneous
    /// messages.
    pub fn start(on_event: impl Fn(Event) + 'static) -> Self {
        let on_event: Rc<dyn Fn(Event)> = Rc::new(on_event);
        let host = Host::default();
        let client = Self(Rc::new(Inner {
            pool: IndexerPool::new(host.clone()),
            host,
            log: Log::new(on_event.clone()),
            recovering: Cell::new(false),
            dead: RefCell::default(),
            pending: RefCell::default(),
            recovery_request: RefCell::default(),
            opened: RefCell::default(),
            watchdog: RefCell::default(),
            watching: Cell::new(false),
            reported_busy: Cell::default(),
            open_lock: Mutex::new(()),
            opening: Cell::new(false),
            refused_archives: RefCell::default(),
            last_panic: RefCell::default(),
            held_answers: RefCell::default(),
            warm_up_began: Cell::default(),
            on_event,
        }));
        client.connect();
        if !client.0.host.is_connected() {
            client.handle_death("the browser cannot start a worker".to_owned());
        }
        client.0.pool.prepare();
        client.warm_up();
        client
    }

    pub fn log(&self) -> &Log {
        &self.0.log
    }

    fn connect(&self) {
        let (receiver, death_handler) = (self.clone(), self.clone());
        self.0.host.connect(
            move |message| receiver.receive(message),
            move |reason| death_handler.handle_death(reason),
        );
    }

    /// Once the page and the worker are idle, lets the worker compile the code for a first drop and
    /// a first preview. Does nothing if data should be saved.
    fn warm_up(&self) {
        let client = self.clone();
        spawn_local(async move {
            if document::should_save_data() || !workers::load_program().await {
                return;
            }
            let is_busy =
                || client.0.opening.get() || client.0.recovering.get() || !client.0.host.is_idle();
            time::idle().await;
            while is_busy() {
                time::pause(WARM_UP_DELAY_MS).await;
                time::idle().await;
            }
            client.0.warm_up_began.set(time::now());
            let host = &client.0.host;
            host.post(&Array::of1(&"warm-up".into()), &Array::new());
        });
    }

    /// Opens the files found by a walk. Progress is reported as events. Cancels an open in progress
    /// first.
    pub async fn open(&self, mode: OpenMode, walk: &FileWalk) -> Result<Opened, AskError> {
        if self.0.opening.get() {
            self.cancel();
        }
        let _guard = self.0.open_lock.lock().await;
        self.0.opening.set(true);
        self.0.refused_archives.borrow_mut().clear();
        self.0.pool.start();
        let answer = self.ask_with(Open { mode }, offer(walk)).await;
        // A worker that is being updated still needs the indexers.
        if !self.0.recovering.get() {
            self.0.pool.end();
        }
        self.0.opening.set(false);
        answer
    }

    /// Returns the archives that the latest open left out, each with the reason in `unreadable`.
    pub fn refused_archives(&self) -> Vec<InputFile> {
        self.0.refused_archives.borrow().clone()
    }

    pub async fn ask<Q: Query>(&self, query: Q) -> Result<Q::Answer, AskError> {
        self.ask_with(query, OfferedFiles::new()).await
    }

    async fn ask_with<Q: Query>(
        &self,
        query: Q,
        files: OfferedFiles,
    ) -> Result<Q::Answer, AskError> {
        let answer = self.exchange(AnyQuery::with_files(query, files)).await;
        answer.decode_answer()
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
            Response::Answer { .. } if self.hold_back(&message) => {}
            Response::Answer {
                id,
                revision,
                took,
                error,
            } => {
                self.note_message(id);
                let body = error.map_or(Ok(body), Err);
                self.receive_answer(id, revision, took, body);
            }
        }
    }

    /// Delivers an answer that took `took` milliseconds.
    fn receive_answer(&self, id: u64, revision: u64, took: f64, body: Result<&[u8], AskError>) {
        let recovery_request = self
            .0
            .recovery_request
            .borrow_mut()
            .take_if(|(request, _)| *request == id);
        if let Some((_, reply)) = recovery_request {
            // Fails only if the recovery no longer waits.
            let _ = reply.send(body.map(<[u8]>::to_vec));
            return;
        }
        let pending = self.0.pending.borrow_mut().take(id);
        let Some(PendingRequest { query, reply, .. }) = pending else {
            return;
        };
        let value = body.and_then(|body| query.decode(body));
        let change = value.as_ref().ok().and_then(|answer| {
            self.measure(took, &**answer);
            self.record(&query, &**answer)
        });
        if query.request == Request::Open && value.is_ok() {
            self.paint_before_others();
        }
        let answer = Answer {
            revision: Some(revision),
            value,
        };
        self.0.log.deliver_in_order(change, Some((reply, answer)));
    }

    fn receive_event(&self, event: response::Event) {
        match event {
            response::Event::Ready => {}
            response::Event::WarmedUp { answers } => {
                answers.iter().for_each(EncodedAnswer::decode_and_drop);
                let counts = [("answers", answers.len() as f64)];
                let began = self.0.warm_up_began.get();
                time::measure("warm-up", began, &counts);
            }
            response::Event::Progress(progress) => self.emit(Event::Progress(progress)),
            response::Event::ArchivesRefused { archives } => {
                *self.0.refused_archives.borrow_mut() = archives;
            }
            response::Event::ChangedOnDisk { paths } => self.emit(Event::ChangedOnDisk { paths }),
            response::Event::Panicked { message } => *self.0.last_panic.borrow_mut() = message,
        }
    }

    fn measure(&self, took: f64, answer: &dyn Any) {
        let start = time::now() - took;
        if answer.is::<Applied>() {
            time::measure("answer", start, &[]);
        } else if answer.is::<Found>() {
            time::measure("search", start, &[]);
        }
    }

    /// Records what a new worker or a later visit needs. Returns the change to write before this
    /// response is delivered.
    fn record(&self, query: &AnyQuery, answer: &dyn Any) -> Option<WorkChange> {
        if self.0.opened.borrow_mut().record(query) {
            return None;
        }
        let (opened, offer, log) = (&self.0.opened, &*query.files, &self.0.log);
        let content = if let Some((Open { mode }, answer)) = query.with_answer(answer) {
            let refused = self.refused_archives();
            let mut opened = offer.clone();
            opened.retain(|(file, _)| refused.iter().all(|archive| archive.path != file.path));
            self.note_open(*mode, &opened, answer);
            ChangeContent::All
        } else if let Some(TreatAsOne { folder, as_one }) = query.get() {
            let mut opened = opened.borrow_mut();
            opened.treated.retain(|(treated, _)| treated != folder);
            opened.treated.push((folder.clone(), *as_one));
            log.with_work(|work| work.treated.clone_from(&opened.treated));
            ChangeContent::All
        } else if let Some((Replay { .. }, answer)) = query.with_answer(answer) {
            log.note_appended(answer);
            ChangeContent::All
        } else if let Some((choice, answer)) = query.with_answer::<ChooseEdits>(answer) {
            log.note_chosen(choice, answer);
            ChangeContent::All
        } else if let Some((Merge {}, answer)) = query.with_answer(answer) {
            opened.borrow_mut().restart_history(offer);
            log.note_replayed(&answer.steps, &answer.refused, &answer.status);
            self.note_disk(offer, &answer.status);
            ChangeContent::All
        } else if let Some((NoteSaved {}, answer)) = query.with_answer(answer) {
            opened.borrow_mut().on_disk.extend(by_path(offer));
            self.note_disk(offer, &answer.status);
            log.with_work(|work| work.saving = None);
            ChangeContent::All
        } else if let Some((TakeTheirs { .. }, applied)) = query.with_answer(answer) {
            if log.note_applied(query, applied).is_some() {
                opened.borrow_mut().on_disk.extend(by_path(offer));
            }
            self.note_disk(offer, &applied.status);
            ChangeContent::All
        } else {
            let applied: &Applied = answer.downcast_ref()?;
            self.request_fingerprints(&applied.status.changed_files);
            log.note_applied(query, applied)?
        };
        Some(log.with_work(|work| work.record_change(content)))
    }

    fn note_open(&self, mode: OpenMode, offer: &OfferedFiles, answer: &Opened) {
        let mut opened = self.0.opened.borrow_mut();
        if mode == OpenMode::Replace {
            self.0.log.start_session();
        }
        let unchanged_history = match answer {
            Opened::Replayed(replayed) => replayed.kept.as_slice(),
            Opened::Anew(_) => &[],
        };
        opened.add(mode, offer, unchanged_history);
        let files = opened
            .current_files()
            .map(|(file, _)| (file.path.clone(), file.size));
        let log = &self.0.log;
        log.session()
            .set_folder(FolderListing::new(files.collect()));
        if let Opened::Replayed(replayed) = answer {
            let Replayed {
                status,
                steps,
                refused,
                ..
            } = &**replayed;
            // Files were added to the open ones: a new worker needs these settings again.
            for row in status.folders.iter().filter(|row| row.as_one) {
                let is_recorded = opened
                    .treated
                    .iter()
                    .any(|(folder, _)| *folder == row.folder);
                if !is_recorded {
                    opened.treated.push((row.folder.clone(), true));
                }
            }
            log.with_work(|work| work.treated.clone_from(&opened.treated));
            log.note_replayed(steps, refused, status);
            log.with_work(|work| work.update_status(status));
            self.request_fingerprints(&status.changed_files);
        }
        spawn_local(log.clone().claim());
    }

    /// Records that these files were saved or read again.
    fn note_disk(&self, files: &OfferedFiles, status: &Status) {
        let log = &self.0.log;
        log.session().note_written(files);
        log.with_work(|work| work.update_status(status));
        self.request_fingerprints(&status.changed_files);
        // Another tab would open what is on disk now.
        spawn_local(log.clone().claim());
    }

    /// Fingerprints the originals of edited files, once per file, after the edit is visible.
    fn request_fingerprints(&self, changed_files: &[String]) {
        let session = self.0.log.session();
        let mut new_paths = changed_files.to_vec();
        new_paths.retain(|path| !session.fingerprinted.borrow().contains(path));
        if new_paths.is_empty() {
            return;
        }
        session
            .fingerprinted
            .borrow_mut()
            .extend(new_paths.iter().cloned());
        let client = self.clone();
        spawn_local(async move {
            client.keep_originals(&new_paths).await;
            time::pause(FINGERPRINT_DELAY_MS).await;
            let fingerprints = client.fingerprints(new_paths).await;
            if Rc::ptr_eq(&session, &client.0.log.session()) {
                for (path, crc) in fingerprints {
                    session
                        .work
                        .borrow_mut()
                        .originals
                        .insert(path.clone(), crc);
                    client
                        .0
                        .log
                        .note_change(ChangeContent::Original { path, crc });
                }
            }
        });
    }

    /// Returns the CRC-32 of files on disk, by path; unreadable ones are omitted.
    pub async fn fingerprints(&self, paths: Vec<String>) -> Vec<(String, u32)> {
        // Without fingerprints, files are compared by size.
        self.ask(Fingerprint { paths }).await.unwrap_or_default()
    }

    /// Stores an answer until the end of an open is painted. Returns false if none is being
    /// painted.
    fn hold_back(&self, answer: &[u8]) -> bool {
        let mut held = self.0.held_answers.borrow_mut();
        if let Some(held) = &mut *held {
            held.push(answer.to_vec());
        }
        held.is_some()
    }

    /// Paints the end of an open before delivering later answers: drawing a package takes longer
    /// than reading a small catalog, and the user first wants to know whether it passes.
    fn paint_before_others(&self) {
        *self.0.held_answers.borrow_mut() = Some(Vec::new());
        let client = self.clone();
        spawn_local(async move {
            time::next_paint_or_timeout().await;
            let held = client.0.held_answers.take().unwrap_or_default();
            held.into_iter().for_each(|answer| client.receive(answer));
        });
    }

    fn emit(&self, event: Event) {
        (self.0.on_event)(event);
    }
}

impl WorkerApi for Client {
    fn exchange(&self, query: AnyQuery) -> LocalBoxFuture<'static, Answer> {
        let client = self.clone();
        async move {
            if let Some(message) = client.0.dead.borrow().clone() {
                return Answer::from_error(AskError::NoWorker { message });
            }
            let (reply, answer) = oneshot::channel();
            let id = client.0.pending.borrow_mut().add(query.clone(), reply);
            if !client.0.recovering.get() {
                client.0.host.send_query(id, &query);
            }
            client.watch();
            // Dropping it before the answer marks the request as no longer needed.
            let _guard = RequestGuard { client, id };
            answer.await.unwrap_or_else(|_| {
                Answer::from_error(AskError::NoWorker {
                    message: "the page is closing".into(),
                })
            })
        }
        .boxed_local()
    }
}
