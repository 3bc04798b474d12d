//! The page's end of the line to the host worker: asks, matches answers, and survives the worker's death.
//!
//! A trap ends a worker (there is no unwinding, and a trapped instance goes on answering, wrongly). At its first `error`
//! event it is ended, a new one starts, the files are opened again, the applied steps are replayed one by one, and what
//! was under way is asked again. A step or request that kills two workers is set aside and reported.

mod line;
mod pool;
mod recovery;
mod saving;
mod sitting;

pub use saving::Present;
pub use sitting::WentOn;

use super::browser::journals::Journals;
use super::browser::marks;
use super::browser::tabs::Tabs;
use super::browser::tree::{PickedFile, Walk};
use super::state::ask::{Answer, Ask, Event, Lost};
use super::state::journal::{Change, Folder, SetAside, Step, What};
use super::state::pending::Pending;
use crate::fbc::diagnostic::Profile;
use crate::protocol::request::{OfferedFile, OpenMode, ReplayStep};
use crate::protocol::response::Applied;
use crate::protocol::views::Status;
use crate::protocol::{RequestBody, Response, ResponseBody};
use futures::channel::oneshot;
use futures::future::LocalBoxFuture;
use futures::lock::Mutex;
use line::Line;
use pool::Pool;
use sitting::{Outgoing, Sitting};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use web_sys::File;

/// A handle; clones talk to the same worker.
#[derive(Clone)]
pub struct Client(Rc<Inner>);

struct Inner {
    line: RefCell<Option<Line>>,
    /// While a new worker is brought up to date, requests are only registered.
    recovering: Cell<bool>,
    /// Why no worker can be had any more: nobody would answer.
    dead: RefCell<Option<String>>,
    pending: RefCell<Pending<Waits>>,
    /// The one request of the recovery itself; dropping it tells the recovery that the worker died.
    own: RefCell<Option<(u64, oneshot::Sender<ResponseBody>)>>,
    opened: RefCell<Opened>,
    sitting: RefCell<Rc<Sitting>>,
    /// Answers that wait until the change of an earlier one is written.
    outbox: RefCell<VecDeque<Outgoing>>,
    /// Somebody works on the outbox.
    telling: Cell<bool>,
    journals: Journals,
    tabs: Tabs,
    told_unkept: Cell<bool>,
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
            dead: RefCell::default(),
            pending: RefCell::default(),
            own: RefCell::default(),
            opened: RefCell::default(),
            sitting: RefCell::new(Sitting::new()),
            outbox: RefCell::default(),
            telling: Cell::new(false),
            journals: Journals::default(),
            tabs: Tabs::join(),
            told_unkept: Cell::new(false),
            pool: RefCell::default(),
            turn: Mutex::new(()),
            opening: Cell::new(false),
            last_words: RefCell::default(),
            on_event: Box::new(on_event),
        }));
        client.connect();
        if !client.has_line() {
            client.died("the browser starts no worker".to_owned());
        }
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
        self.sitting().work.borrow().journal.applied().to_vec()
    }

    /// Whether edits are written where they outlive the tab, as far as is known.
    pub fn keeps_edits(&self) -> bool {
        !self.0.told_unkept.get()
    }

    /// The files that are open, as they were on disk when the page looked last: opened or saved.
    pub fn opened_files(&self) -> Vec<PickedFile> {
        let opened = self.0.opened.borrow();
        let unsaved = opened.files.iter().filter(|(path, _)| !opened.on_disk.contains_key(*path));
        let files = unsaved.chain(&opened.on_disk);
        files.filter_map(|(path, (_, file))| Some(PickedFile { path: path.clone(), file: file.clone()? })).collect()
    }

    async fn ask_with(&self, body: RequestBody, files: Rc<Offer>) -> Result<Answer, Lost> {
        let dead = self.0.dead.borrow().clone();
        if let Some(message) = dead {
            return Err(Lost::NoWorker { message });
        }
        let (reply, answer) = oneshot::channel();
        let id = self.0.pending.borrow_mut().add(body.clone(), Waits { files: files.clone(), reply });
        if !self.0.recovering.get() {
            self.send(id, body, &files);
        }
        answer.await.unwrap_or_else(|_| Err(Lost::NoWorker { message: "the page is closing".into() }))
    }

    fn receive(&self, response: Response) {
        let Response { id, revision, took, body } = response;
        match body {
            ResponseBody::Applied(_) => marks::measure("answer", marks::now() - took, &[]),
            ResponseBody::Found { .. } => marks::measure("search", marks::now() - took, &[]),
            _ => {}
        }
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
                    let change = self.note(&waiting.body, &waiting.reply.files, &body);
                    self.tell_in_turn(change, Some((waiting.reply.reply, Answer { revision, body })));
                }
            }
        }
    }

    /// Keeps what a new worker or a later visit would need. The answer is what has to be written before this one is told.
    fn note(&self, request: &RequestBody, offer: &Offer, answer: &ResponseBody) -> Option<Change> {
        let what = match (request, answer) {
            (RequestBody::Open { mode, .. }, ResponseBody::Opened(_) | ResponseBody::Replayed { .. }) => {
                self.note_open(*mode, offer, answer);
                What::All
            }
            (RequestBody::TreatAsOne { folder, as_one }, ResponseBody::Opened(_)) => {
                let mut opened = self.0.opened.borrow_mut();
                opened.treated.retain(|(known, _)| known != folder);
                opened.treated.push((folder.clone(), *as_one));
                self.sitting().work.borrow_mut().treated.clone_from(&opened.treated);
                What::All
            }
            (RequestBody::SetProfile { profile }, ResponseBody::Opened(_)) => {
                self.0.opened.borrow_mut().profile = *profile;
                return None;
            }
            (RequestBody::Replay { .. }, ResponseBody::Replayed { status, steps, .. }) => {
                let sitting = self.sitting();
                let mut work = sitting.work.borrow_mut();
                for step in steps {
                    work.journal.push(Step::of(step));
                }
                work.note_status(status);
                What::All
            }
            (RequestBody::Merge { files }, ResponseBody::Replayed { status, steps, refused }) => {
                self.0.opened.borrow_mut().begin_with(offer);
                self.note_replayed(steps, refused);
                self.note_disk(files, status);
                What::All
            }
            (RequestBody::Saved { files }, ResponseBody::Saved { status, .. }) => {
                self.0.opened.borrow_mut().on_disk.extend(by_path(offer));
                self.note_disk(files, status);
                What::All
            }
            (RequestBody::TakeTheirs { file, .. }, ResponseBody::Applied(applied)) => {
                if self.note_applied(request, applied).is_some() {
                    self.0.opened.borrow_mut().on_disk.extend(by_path(offer));
                }
                self.note_disk(std::slice::from_ref(file), &applied.status);
                What::All
            }
            (_, ResponseBody::Applied(applied)) => {
                self.fingerprint(&applied.status.changed_files);
                self.note_applied(request, applied)?
            }
            _ => return None,
        };
        Some(self.sitting().changed(what))
    }

    fn note_open(&self, mode: OpenMode, offer: &Offer, answer: &ResponseBody) {
        let mut opened = self.0.opened.borrow_mut();
        if mode == OpenMode::Replace {
            *self.0.sitting.borrow_mut() = Sitting::new();
            opened.treated.clear();
        }
        if mode != OpenMode::Add {
            opened.files.clear();
            opened.on_disk.clear();
        }
        opened.begin_with(offer);
        let files = opened.files.values().map(|(file, _)| (file.path.clone(), file.size));
        let sitting = self.sitting();
        sitting.opened(Folder::new(files.collect()));
        if let ResponseBody::Replayed { status, steps, refused } = answer {
            self.note_replayed(steps, refused);
            sitting.work.borrow_mut().note_status(status);
            self.fingerprint(&status.changed_files);
        }
        wasm_bindgen_futures::spawn_local(self.clone().claim());
    }

    /// The history is another one.
    fn note_replayed(&self, steps: &[ReplayStep], refused: &[(ReplayStep, String)]) {
        let sitting = self.sitting();
        let mut work = sitting.work.borrow_mut();
        work.journal.replace(steps.iter().map(Step::of));
        for (step, reason) in refused {
            work.journal.put_aside(SetAside { step: Step::of(step), reason: reason.clone() });
        }
    }

    /// These files are something else on disk now.
    fn note_disk(&self, files: &[OfferedFile], status: &Status) {
        let sitting = self.sitting();
        sitting.on_disk(files);
        sitting.work.borrow_mut().note_status(status);
        self.fingerprint(&status.changed_files);
    }

    /// The answer is what changed, if anything did.
    fn note_applied(&self, request: &RequestBody, applied: &Applied) -> Option<What> {
        let sitting = self.sitting();
        let mut work = sitting.work.borrow_mut();
        work.note_status(&applied.status);
        let is_travel =
            matches!(request, RequestBody::Undo { .. } | RequestBody::Redo { .. } | RequestBody::GoTo { .. });
        let (before, now) = (work.journal.applied().len(), applied.status.applied_steps);
        if is_travel {
            work.journal.set_applied(now);
            return (now != before).then_some(What::Applied(now));
        }
        // Operations that changed nothing left no step.
        let step = (now > before).then(|| Step { title: applied.title.clone(), ops: applied.ops.0.clone() })?;
        work.journal.push(step.clone());
        Some(What::Step(step))
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
