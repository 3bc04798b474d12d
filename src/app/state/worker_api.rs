//! The page's side of the worker: queries and answers, pending requests, and the watchdog that
//! detects an unresponsive worker.
//!
//! The worker serves requests in order, so when it dies it was serving the oldest one. That request
//! is sent once more to the new worker; if it kills that one too it is given up. All others are
//! simply sent again.

use super::journal::{DroppedStep, JournalStep};
use futures::future::LocalBoxFuture;
use protocol::query::{Query, Request};
use protocol::request::InputFile;
use protocol::response::{AskError, OperationRefusal, Progress};
use protocol::views::Status;
use protocol::wire;
use std::any::Any;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The number of workers that may die while serving a request before it is given up.
const STRIKES: u8 = 2;
/// After this long without a response, *Cancel* is offered.
const SLOW_MS: f64 = 2_000.0;
/// After this long without a response, *Restart the worker* is offered.
const STUCK_MS: f64 = 10_000.0;

/// Answers requests in order. Tests replace the worker.
pub trait WorkerApi {
    fn exchange(&self, query: AnyQuery) -> LocalBoxFuture<'static, Answer>;
}

/// A file offered to the worker: `None` for an unreadable one. The page only passes it on.
pub type OfferedFile = (InputFile, Option<web_sys::File>);

pub type OfferedFiles = Vec<OfferedFile>;

/// A query without its type, so that the code that sends and keeps it is compiled only once.
#[derive(Debug, Clone)]
pub struct AnyQuery {
    query: Rc<dyn Any>,
    pub request: Request,
    pub bytes: Rc<[u8]>,
    /// Files sent with the query.
    pub files: Rc<OfferedFiles>,
    /// See [`Query::IS_QUESTION`].
    pub is_question: bool,
    decode: fn(&[u8]) -> Option<Box<dyn Any>>,
}

impl AnyQuery {
    pub fn new<Q: Query>(query: Q) -> Self {
        Self::with_files(query, OfferedFiles::new())
    }

    pub fn with_files<Q: Query>(query: Q, files: OfferedFiles) -> Self {
        Self {
            request: Q::REQUEST,
            bytes: wire::encode(&query).into(),
            files: Rc::new(files),
            is_question: Q::IS_QUESTION,
            decode: |bytes| Some(Box::new(wire::decode::<Q::Answer>(bytes)?)),
            query: Rc::new(query),
        }
    }

    pub fn get<Q: Query>(&self) -> Option<&Q> {
        self.query.downcast_ref()
    }

    /// Returns the query with its answer, if it is a `Q`.
    pub fn with_answer<'a, Q: Query>(
        &'a self,
        answer: &'a dyn Any,
    ) -> Option<(&'a Q, &'a Q::Answer)> {
        Some((self.get()?, answer.downcast_ref()?))
    }

    pub fn decode(&self, answer: &[u8]) -> Result<Box<dyn Any>, AskError> {
        (self.decode)(answer).ok_or_else(unexpected_answer)
    }
}

/// An answer without its type.
#[derive(Debug)]
pub struct Answer {
    /// Revision of the session that it is based on; `None` if no worker answered.
    pub revision: Option<u64>,
    pub value: Result<Box<dyn Any>, AskError>,
}

impl Answer {
    /// Creates the answer of a query that no worker answered.
    pub fn from_error(error: AskError) -> Self {
        Self {
            revision: None,
            value: Err(error),
        }
    }

    pub fn decode_answer<A: 'static>(self) -> Result<A, AskError> {
        let value = self.value?.downcast().map_err(|_| unexpected_answer())?;
        Ok(*value)
    }
}

/// Returns the error for an answer of the wrong type: a bug, since page and worker are from the
/// same build.
pub fn unexpected_answer() -> AskError {
    AskError::Refused(OperationRefusal::new(
        "the worker sent an unexpected answer",
    ))
}

/// Formats the reason of a failure as part of a sentence.
pub fn failure_reason(error: AskError) -> String {
    match error {
        AskError::DroppedStep { message } | AskError::NoWorker { message } => {
            format!("the worker stopped: {message}")
        }
        other => other.into_reason(),
    }
}

/// Events of the worker's client that answer no query.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    Progress(Progress),
    /// Requests wait for a worker that does not respond.
    Busy(Busy),
    /// The user restarted the worker; requests wait for the new one.
    Restarting,
    /// The worker died; requests wait for the new one.
    Crashed,
    /// The new worker has been restored except for the steps set aside. Views have to be requested
    /// again.
    Restored {
        status: Option<Box<Status>>,
        set_aside: Vec<DroppedStep>,
    },
    /// A step was in progress twice when the worker died. It is not part of the history.
    DroppedStep(DroppedStep),
    /// These files changed on disk since they were opened.
    ChangedOnDisk {
        paths: Vec<String>,
    },
    /// Edits cannot be stored beyond the tab; the browser's reason. Reported once.
    NotStored {
        reason: String,
    },
    /// Another tab has the same folder open.
    OpenElsewhere,
    /// No worker survives long enough to load the files. The applied steps, for export.
    Dead {
        message: String,
        steps: Vec<JournalStep>,
    },
}

/// A pending request. `reply` is what the owner needs to deliver the answer.
#[derive(Debug)]
pub struct PendingRequest<T> {
    pub query: AnyQuery,
    pub reply: T,
    strikes: u8,
}

/// Requests by id, in the order of sending.
#[derive(Debug)]
pub struct PendingRequests<T> {
    next_id: u64,
    waiting: BTreeMap<u64, PendingRequest<T>>,
}

impl<T> Default for PendingRequests<T> {
    fn default() -> Self {
        Self {
            next_id: 1,
            waiting: BTreeMap::new(),
        }
    }
}

impl<T> PendingRequests<T> {
    /// Registers a request and returns its id. It is never 0, which marks unsolicited messages of
    /// the worker.
    pub fn add(&mut self, query: AnyQuery, reply: T) -> u64 {
        let id = self.reserve_id();
        self.waiting.insert(
            id,
            PendingRequest {
                query,
                reply,
                strikes: 0,
            },
        );
        id
    }

    /// Reserves an id for a request stored elsewhere.
    pub fn reserve_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id - 1
    }

    /// Removes the request of an answer and returns it; `None` if it was answered or given up.
    pub fn take(&mut self, id: u64) -> Option<PendingRequest<T>> {
        self.waiting.remove(&id)
    }

    /// Like [`Self::take`], if the request satisfies a condition.
    pub fn take_if(
        &mut self,
        id: u64,
        condition: impl FnOnce(&PendingRequest<T>) -> bool,
    ) -> Option<PendingRequest<T>> {
        self.waiting.get(&id).filter(|waiting| condition(waiting))?;
        self.take(id)
    }

    /// Removes and returns all requests whose query satisfies a condition.
    pub fn take_all(
        &mut self,
        mut condition: impl FnMut(&AnyQuery) -> bool,
    ) -> Vec<(u64, PendingRequest<T>)> {
        self.waiting
            .extract_if(.., |_, waiting| condition(&waiting.query))
            .collect()
    }

    /// Blames the oldest request for the worker's death. Returns it if that was its last attempt.
    pub fn blame(&mut self) -> Option<PendingRequest<T>> {
        let (&id, oldest) = self.waiting.iter_mut().next()?;
        oldest.strikes += 1;
        if oldest.strikes < STRIKES {
            None
        } else {
            self.waiting.remove(&id)
        }
    }

    /// Returns the pending requests in the order of sending.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &PendingRequest<T>)> {
        self.waiting.iter().map(|(&id, waiting)| (id, waiting))
    }

    pub fn drain(&mut self) -> Vec<PendingRequest<T>> {
        std::mem::take(&mut self.waiting).into_values().collect()
    }
}

/// How long requests have been waiting for the worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Busy {
    /// No request has been waiting for long.
    #[default]
    No,
    Slow,
    Stuck,
}

/// The request that the worker is serving.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkerTask {
    Idle,
    /// A request whose answer is needed, or updating the worker.
    Wanted,
    /// A query whose answer is no longer needed.
    Unwanted,
    /// Opening files, which has its own progress bar and *Cancel*.
    Opening,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchdogAction {
    Report(Busy),
    /// Replace the worker: the result of its task is no longer needed.
    Restart,
}

/// Time of the worker's last message, in milliseconds of the page's clock. Progress messages count
/// as a sign of life.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WorkerWatchdog {
    since: Option<f64>,
}

impl WorkerWatchdog {
    /// Records that a request was sent. Starts the timer unless requests are already waiting.
    pub fn note_request(&mut self, now: f64) {
        self.since.get_or_insert(now);
    }

    pub fn note_response(&mut self, now: f64, task: WorkerTask) {
        self.since = (task != WorkerTask::Idle).then_some(now);
    }

    /// Returns the action after the silence so far, while the worker serves `task`.
    pub fn action(&self, now: f64, task: WorkerTask) -> WatchdogAction {
        let silent = self.since.map_or(0.0, |since| now - since);
        match task {
            WorkerTask::Wanted if silent >= STUCK_MS => WatchdogAction::Report(Busy::Stuck),
            WorkerTask::Wanted if silent >= SLOW_MS => WatchdogAction::Report(Busy::Slow),
            WorkerTask::Unwanted if silent >= STUCK_MS => WatchdogAction::Restart,
            _ => WatchdogAction::Report(Busy::No),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::query::Request;
    use protocol::query::{Open, ReviewChanges, Undo};
    use protocol::request::OpenMode;

    fn open() -> AnyQuery {
        AnyQuery::new(Open {
            mode: OpenMode::Replace,
        })
    }

    #[test]
    fn abandoned_requests_are_removed() {
        let mut pending = PendingRequests::default();
        let question = pending.add(AnyQuery::new(ReviewChanges {}), "question");
        let edit = pending.add(AnyQuery::new(Undo { view: None }), "edit");
        assert!(
            pending
                .take_if(edit, |waiting| waiting.query.is_question)
                .is_none()
        );
        assert_eq!(
            pending
                .take_if(question, |waiting| waiting.query.is_question)
                .map(|w| w.reply),
            Some("question")
        );
        let open = pending.add(open(), "open");
        let taken = pending.take_all(|query| query.request != Request::Open);
        assert_eq!(
            taken.into_iter().map(|(id, _)| id).collect::<Vec<_>>(),
            [edit]
        );
        assert_eq!(pending.iter().map(|(id, _)| id).collect::<Vec<_>>(), [open]);
    }

    #[test]
    fn only_the_oldest_request_is_given_up_at_its_second_strike() {
        let mut pending = PendingRequests::default();
        let bad = pending.add(AnyQuery::new(ReviewChanges {}), "bad");
        let good = pending.add(open(), "good");
        assert!(pending.blame().is_none());
        assert_eq!(
            pending.iter().map(|(id, _)| id).collect::<Vec<_>>(),
            [bad, good]
        );
        assert_eq!(pending.blame().map(|w| w.reply), Some("bad"));
        assert!(
            pending.blame().is_none(),
            "the other has its first strike only now"
        );
        assert_eq!(pending.take(good).map(|w| w.reply), Some("good"));
        assert!(pending.take(good).is_none());
    }

    #[test]
    fn cancelling_is_offered_after_two_seconds_and_restarting_after_ten() {
        let mut watchdog = WorkerWatchdog::default();
        watchdog.note_request(100.0);
        watchdog.note_request(2_000.0);
        let due = |at| watchdog.action(at, WorkerTask::Wanted);
        assert_eq!(due(2_099.0), WatchdogAction::Report(Busy::No));
        assert_eq!(
            due(2_100.0),
            WatchdogAction::Report(Busy::Slow),
            "the first that waits counts"
        );
        assert_eq!(due(10_100.0), WatchdogAction::Report(Busy::Stuck));
        assert_eq!(
            watchdog.action(20_000.0, WorkerTask::Opening),
            WatchdogAction::Report(Busy::No)
        );
    }

    #[test]
    fn a_worker_that_sends_messages_is_alive() {
        let mut watchdog = WorkerWatchdog::default();
        watchdog.note_request(0.0);
        watchdog.note_response(1_900.0, WorkerTask::Wanted);
        assert_eq!(
            watchdog.action(3_800.0, WorkerTask::Wanted),
            WatchdogAction::Report(Busy::No)
        );
        watchdog.note_response(3_900.0, WorkerTask::Idle);
        assert_eq!(
            watchdog.action(90_000.0, WorkerTask::Wanted),
            WatchdogAction::Report(Busy::No),
            "no request since"
        );
    }

    #[test]
    fn an_abandoned_task_ends_with_a_restart() {
        let mut watchdog = WorkerWatchdog::default();
        watchdog.note_request(0.0);
        assert_eq!(
            watchdog.action(9_000.0, WorkerTask::Unwanted),
            WatchdogAction::Report(Busy::No)
        );
        assert_eq!(
            watchdog.action(10_000.0, WorkerTask::Unwanted),
            WatchdogAction::Restart
        );
    }
}
