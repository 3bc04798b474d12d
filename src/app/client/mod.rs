//! The page's end of the line to the host worker: asks, matches answers, and survives the worker's death.
//!
//! A trap ends a worker (there is no unwinding, and a trapped instance goes on answering, wrongly). At its first `error`
//! event it is ended, a new one starts, the files are opened again, the applied steps are replayed one by one, and what
//! was under way is asked again. A step or request that kills two workers is set aside and reported.

mod line;
mod pool;
mod recovery;
mod saving;

use super::browser::tree::{PickedFile, Walk};
use super::state::ask::{Answer, Ask, Event, Lost};
use super::state::journal::{Journal, Step};
use super::state::pending::Pending;
use crate::fbc::diagnostic::Profile;
use crate::protocol::request::{OfferedFile, OpenMode};
use crate::protocol::{RequestBody, Response, ResponseBody};
use futures::channel::oneshot;
use futures::future::LocalBoxFuture;
use futures::lock::Mutex;
use line::Line;
use pool::Pool;
pub use saving::Present;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use web_sys::File;

/// A handle; clones talk to the same worker.
#[derive(Clone)]
pub struct Client(Rc<Inner>);

struct Inner {
    line: RefCell<Option<Line>>,
    /// While a new worker is brought up to date, requests are only registered.
    recovering: Cell<bool>,
    pending: RefCell<Pending<Waits>>,
    /// The one request of the recovery itself; dropping it tells the recovery that the worker died.
    own: RefCell<Option<(u64, oneshot::Sender<ResponseBody>)>>,
    opened: RefCell<Opened>,
    journal: RefCell<Journal>,
    pool: RefCell<Pool>,
    /// Opens come one after the other.
    turn: Mutex<()>,
    opening: Cell<bool>,
    last_words: RefCell<String>,
    on_event: Box<dyn Fn(Event)>,
}

/// A request's other half.
struct Waits {
    /// What travels beside it, and with an open what is open once it succeeded.
    files: Rc<Offer>,
    reply: oneshot::Sender<Result<Answer, Lost>>,
}

/// Files as they are offered to the worker: `None` for one that could not be opened.
type Offer = Vec<(OfferedFile, Option<File>)>;

/// What a new worker would have to open.
#[derive(Default)]
struct Opened {
    files: BTreeMap<String, (OfferedFile, Option<File>)>,
    /// Files that are something else on disk by now than what the history begins with: saved ones, as they are there.
    on_disk: BTreeMap<String, (OfferedFile, Option<File>)>,
    treated: Vec<(String, bool)>,
    /// The profile of advice that was asked for.
    profile: Option<Profile>,
}

impl Opened {
    /// The history begins anew, with what is on disk.
    fn begin_with(&mut self, offer: &Offer) {
        self.files.append(&mut self.on_disk);
        self.files.extend(by_path(offer));
    }
}

fn by_path(offer: &Offer) -> impl Iterator<Item = (String, (OfferedFile, Option<File>))> {
    offer.iter().map(|entry| (entry.0.path.clone(), entry.clone()))
}

impl Client {
    /// Starts the host worker and, to be ready for the first drop, the indexers. `on_event` hears what comes unasked.
    pub fn start(on_event: impl Fn(Event) + 'static) -> Self {
        let client = Self(Rc::new(Inner {
            line: RefCell::default(),
            recovering: Cell::new(false),
            pending: RefCell::default(),
            own: RefCell::default(),
            opened: RefCell::default(),
            journal: RefCell::default(),
            pool: RefCell::default(),
            turn: Mutex::new(()),
            opening: Cell::new(false),
            last_words: RefCell::default(),
            on_event: Box::new(on_event),
        }));
        client.connect();
        client.start_pool();
        client
    }

    /// Opens what a walk found. Events tell the progress; the answer is `Opened`, `Replayed` (where applied steps had to
    /// be applied again), `Cancelled` or `Failed`. An open that is under way is cancelled first.
    pub async fn open(&self, mode: OpenMode, walk: &Walk) -> Result<Answer, Lost> {
        if self.0.opening.get() {
            self.cancel();
        }
        let _turn = self.0.turn.lock().await;
        self.0.opening.set(true);
        self.start_pool();
        let offer: Offer = offer(walk);
        let files = offer.iter().map(|(file, _)| file.clone()).collect();
        let answer = self.ask_with(RequestBody::Open { mode, files }, Rc::new(offer)).await;
        self.0.pool.borrow_mut().end();
        self.0.opening.set(false);
        answer
    }

    /// Stops an open in progress, which is then answered by `Cancelled`.
    pub fn cancel(&self) {
        self.send(0, RequestBody::Cancel, &Offer::new());
    }

    /// The steps that are applied, for the list of operations that can always be taken out.
    pub fn applied_steps(&self) -> Vec<Step> {
        self.0.journal.borrow().applied().to_vec()
    }

    /// The files that are open, as they were on disk when the page looked last: opened or saved.
    pub fn opened_files(&self) -> Vec<PickedFile> {
        let opened = self.0.opened.borrow();
        let unsaved = opened.files.iter().filter(|(path, _)| !opened.on_disk.contains_key(*path));
        let files = unsaved.chain(&opened.on_disk);
        files.filter_map(|(path, (_, file))| Some(PickedFile { path: path.clone(), file: file.clone()? })).collect()
    }

    async fn ask_with(&self, body: RequestBody, files: Rc<Offer>) -> Result<Answer, Lost> {
        let (reply, answer) = oneshot::channel();
        let id = self.0.pending.borrow_mut().add(body.clone(), Waits { files: files.clone(), reply });
        if !self.0.recovering.get() {
            self.send(id, body, &files);
        }
        answer.await.unwrap_or_else(|_| Err(Lost::NoWorker { message: "the page is closing".into() }))
    }

    fn receive(&self, response: Response) {
        let Response { id, revision, body } = response;
        if let ResponseBody::ChangedOnDisk { paths } = &body {
            self.tell(Event::ChangedOnDisk { paths: paths.clone() });
        }
        match body {
            ResponseBody::Progress { bytes, total_bytes, files, total_files } => {
                self.tell(Event::Progress { bytes, total_bytes, files, total_files });
            }
            ResponseBody::Panicked { message } => *self.0.last_words.borrow_mut() = message,
            body => {
                if let Some((_, own)) = self.0.own.borrow_mut().take_if(|(own, _)| *own == id) {
                    // The recovery waits for it, or has given up and does not care.
                    let _ = own.send(body);
                } else if let Some(waiting) = self.0.pending.borrow_mut().take(id) {
                    self.note(&waiting.body, &waiting.reply.files, &body);
                    // Who asked may have gone; then nobody misses the answer.
                    let _ = waiting.reply.reply.send(Ok(Answer { revision, body }));
                }
            }
        }
    }

    /// Keeps what a new worker would need.
    fn note(&self, request: &RequestBody, offer: &Offer, answer: &ResponseBody) {
        let mut journal = self.0.journal.borrow_mut();
        let mut opened = self.0.opened.borrow_mut();
        match (request, answer) {
            (RequestBody::Open { mode, .. }, ResponseBody::Opened(_) | ResponseBody::Replayed { .. }) => {
                if *mode == OpenMode::Replace {
                    journal.clear();
                    opened.treated.clear();
                }
                if *mode != OpenMode::Add {
                    opened.files.clear();
                    opened.on_disk.clear();
                }
                opened.begin_with(offer);
                if let ResponseBody::Replayed { steps, .. } = answer {
                    journal.replace(steps.iter().map(Step::of));
                }
            }
            (RequestBody::Merge { .. }, ResponseBody::Replayed { steps, .. }) => {
                opened.begin_with(offer);
                journal.replace(steps.iter().map(Step::of));
            }
            (RequestBody::Saved { .. }, ResponseBody::Saved { .. }) => opened.on_disk.extend(by_path(offer)),
            (RequestBody::TreatAsOne { folder, as_one }, ResponseBody::Opened(_)) => {
                opened.treated.retain(|(known, _)| known != folder);
                opened.treated.push((folder.clone(), *as_one));
            }
            (RequestBody::SetProfile { profile }, ResponseBody::Opened(_)) => opened.profile = *profile,
            // Operations that changed nothing left no step.
            (
                RequestBody::Apply { .. }
                | RequestBody::FixAll { .. }
                | RequestBody::RevertFile { .. }
                | RequestBody::TakeTheirs { .. },
                ResponseBody::Applied(applied),
            ) if applied.status.applied_steps > journal.applied().len() => {
                if matches!(request, RequestBody::TakeTheirs { .. }) {
                    opened.on_disk.extend(by_path(offer));
                }
                journal.push(Step { title: applied.title.clone(), ops: applied.ops.0.clone() });
            }
            (_, ResponseBody::Applied(applied)) => journal.set_applied(applied.status.applied_steps),
            _ => {}
        }
    }

    fn tell(&self, event: Event) {
        (self.0.on_event)(event);
    }
}

impl Ask for Client {
    fn ask(&self, body: RequestBody) -> LocalBoxFuture<'static, Result<Answer, Lost>> {
        let client = self.clone();
        Box::pin(async move { client.ask_with(body, Rc::default()).await })
    }
}

fn offer(walk: &Walk) -> Offer {
    let readable = walk.files.iter().map(|PickedFile { path, file }| {
        let (size, modified) = (file.size() as u64, file.last_modified() as u64);
        (OfferedFile { path: path.clone(), size, modified }, Some(file.clone()))
    });
    let unreadable = walk.unreadable.iter().map(|(path, _)| {
        let file = OfferedFile { path: path.clone(), size: 0, modified: 0 };
        (file, None)
    });
    readable.chain(unreadable).collect()
}
