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
mod waiting;

pub use saving::Present;
pub use sitting::WentOn;

use super::browser::journals::Journals;
use super::browser::marks;
use super::browser::tabs::Tabs;
use super::browser::tree::{PickedFile, Walk};
use super::state::ask::{Answer, Ask, Event, Lost};
use super::state::journal::{Change, Folder, SetAside, Step, What};
use super::state::patience::{Busy, Patience};
use super::state::pending::Pending;
use futures::channel::oneshot;
use futures::future::LocalBoxFuture;
use futures::lock::Mutex;
use line::Line;
use pool::Pool;
use protocol::diagnostic::Profile;
use protocol::request::{InputFile, OpenMode, ReplayStep};
use protocol::response::Applied;
use protocol::views::Status;
use protocol::{RequestBody, Response, ResponseBody};
use sitting::{Outgoing, Sitting};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use waiting::Asked;
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
    /// Requests that the worker was sent and has not answered, those that nobody waits for too.
    sent: RefCell<BTreeSet<u64>>,
    patience: RefCell<Patience>,
    /// Somebody looks whether the worker is silent.
    watching: Cell<bool>,
    told_busy: Cell<Busy>,
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
type Offer = Vec<(InputFile, Option<File>)>;

/// What a new worker would have to open.
#[derive(Default)]
struct Opened {
    files: BTreeMap<String, (InputFile, Option<File>)>,
    /// Texts that the history begins with, of files that were edited: what changes on disk can no longer be read. They are
    /// kept in memory.
    first: BTreeMap<String, (InputFile, Option<File>)>,
    /// Files that are something else on disk by now than what the history begins with: saved ones, as they are there.
    on_disk: BTreeMap<String, (InputFile, Option<File>)>,
    treated: Vec<(String, bool)>,
    /// The profile of advice that was asked for.
    profile: Option<Profile>,
}

impl Opened {
    /// The history begins anew, with what is on disk.
    fn begin_with(&mut self, offer: &Offer) {
        self.first.retain(|path, _| {
            !self.on_disk.contains_key(path) && offer.iter().all(|(offered, _)| offered.path != *path)
        });
        self.files.append(&mut self.on_disk);
        self.files.extend(by_path(offer));
    }

    /// Files came in; the history begins with the files `kept` as it did before.
    fn take(&mut self, mode: OpenMode, offer: &Offer, kept: &[String]) {
        let mut before = std::mem::take(self);
        self.profile = before.profile;
        if mode != OpenMode::Replace {
            self.treated = before.treated;
        }
        if mode == OpenMode::Add {
            self.files = before.files;
            self.files.extend(before.on_disk.iter().map(|(path, file)| (path.clone(), file.clone())));
        }
        self.files.extend(by_path(offer));
        for path in kept {
            self.first.extend(before.first.remove_entry(path));
            // Saved before: what the history begins with is no longer on disk.
            if before.on_disk.contains_key(path)
                && let Some(now) = self.files.get(path)
            {
                self.on_disk.insert(path.clone(), now.clone());
            }
        }
    }

    /// The files as they are on disk.
    fn present(&self) -> impl Iterator<Item = &(InputFile, Option<File>)> {
        let unsaved = self.files.iter().filter(|(path, _)| !self.on_disk.contains_key(*path));
        unsaved.chain(&self.on_disk).map(|(_, file)| file)
    }

    /// What a new worker opens before it applies the steps again.
    fn at_first(&self) -> Offer {
        let first = |(path, file)| self.first.get(path).unwrap_or(file).clone();
        self.files.iter().map(first).collect()
    }
}

fn by_path(offer: &Offer) -> impl Iterator<Item = (String, (InputFile, Option<File>))> {
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
            sent: RefCell::default(),
            patience: RefCell::default(),
            watching: Cell::new(false),
            told_busy: Cell::default(),
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
        // A worker that is being brought up to date needs them.
        if !self.0.recovering.get() {
            self.end_pool();
        }
        self.0.opening.set(false);
        answer
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
        let picked = |(offered, file): &(InputFile, Option<File>)| {
            Some(PickedFile { path: offered.path.clone(), file: file.clone()? })
        };
        opened.present().filter_map(picked).collect()
    }

    /// Of files that changed on disk, those that say something to a catalog.
    pub async fn matters(&self, paths: Vec<String>) -> Vec<String> {
        if paths.is_empty() {
            return paths;
        }
        match self.ask(RequestBody::RelevantFiles { paths: paths.clone() }).await {
            Ok(Answer { body: ResponseBody::RelevantFiles { paths }, .. }) => paths,
            _ => paths,
        }
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
        self.watch();
        waiting::answered(Asked { client: self.clone(), id }, answer)
            .await
            .unwrap_or_else(|| Err(Lost::NoWorker { message: "the page is closing".into() }))
    }

    fn receive(&self, response: Response) {
        let Response { id, revision, took, body } = response;
        self.note_word(id, &body);
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
            (RequestBody::Merge { files }, ResponseBody::Replayed { status, steps, refused, .. }) => {
                self.0.opened.borrow_mut().begin_with(offer);
                self.note_replayed(steps, refused, status);
                self.note_disk(files, status);
                What::All
            }
            (RequestBody::Saved { files }, ResponseBody::Saved { status, .. }) => {
                self.0.opened.borrow_mut().on_disk.extend(by_path(offer));
                self.note_disk(files, status);
                self.sitting().work.borrow_mut().saving = None;
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
        }
        let kept = match answer {
            ResponseBody::Replayed { kept, .. } => kept.as_slice(),
            _ => &[],
        };
        opened.take(mode, offer, kept);
        let files = opened.present().map(|(file, _)| (file.path.clone(), file.size));
        let sitting = self.sitting();
        sitting.opened(Folder::new(files.collect()));
        if let ResponseBody::Replayed { status, steps, refused, .. } = answer {
            self.note_replayed(steps, refused, status);
            sitting.work.borrow_mut().note_status(status);
            self.fingerprint(&status.changed_files);
        }
        wasm_bindgen_futures::spawn_local(self.clone().claim());
    }

    /// The history is another one.
    fn note_replayed(&self, steps: &[ReplayStep], refused: &[(ReplayStep, String)], status: &Status) {
        let sitting = self.sitting();
        let mut work = sitting.work.borrow_mut();
        work.journal.replace(steps.iter().map(Step::of));
        work.journal.set_applied(status.applied_steps);
        for (step, reason) in refused {
            work.journal.put_aside(SetAside { step: Step::of(step), reason: reason.clone() });
        }
    }

    /// These files are something else on disk now.
    fn note_disk(&self, files: &[InputFile], status: &Status) {
        let sitting = self.sitting();
        sitting.on_disk(files);
        sitting.work.borrow_mut().note_status(status);
        self.fingerprint(&status.changed_files);
        // What is there now is what another tab would open.
        wasm_bindgen_futures::spawn_local(self.clone().claim());
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
        if let RequestBody::Apply { ops, .. } = request
            && let [typed] = ops.0.as_slice()
            && let Some(at) = work.draft.iter().position(|known| known == typed)
        {
            // It was typed, and is a step now.
            work.draft.remove(at);
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
        (InputFile { path: path.clone(), size, modified, unreadable: String::new() }, Some(file.clone()))
    });
    let unreadable = walk.unreadable.iter().map(|(path, why)| {
        let file = InputFile { path: path.clone(), size: 0, modified: 0, unreadable: why.clone() };
        (file, None)
    });
    readable.chain(unreadable).collect()
}
