//! The store's interface to the worker, so that tests can replace it.

use super::journal::{DroppedStep, JournalStep};
use super::worker_watchdog::Busy;
use futures::FutureExt;
use futures::future::LocalBoxFuture;
use protocol::query::Query;
use protocol::request::Request;
use protocol::response::{AskError, OperationRefusal, Progress};
use protocol::views::Status;
use protocol::wire;
use std::any::Any;
use std::rc::Rc;

/// Answers requests in order.
pub trait WorkerApi {
    fn exchange(&self, query: AnyQuery) -> LocalBoxFuture<'static, Answer>;
}

impl dyn WorkerApi {
    pub fn ask<Q: Query>(
        &self,
        query: Q,
    ) -> impl Future<Output = Result<Q::Answer, AskError>> + use<Q> {
        self.exchange(AnyQuery::new(query))
            .map(|answer| answer.decode_answer::<Q>())
    }
}

/// A query without its type, so that the code that sends and keeps it is compiled only once.
#[derive(Debug, Clone)]
pub struct AnyQuery {
    query: Rc<dyn Any>,
    pub request: Request,
    pub bytes: Rc<[u8]>,
    /// See [`Query::IS_QUESTION`].
    pub is_question: bool,
    decode: fn(&[u8]) -> Option<Box<dyn Any>>,
}

impl AnyQuery {
    pub fn new<Q: Query>(query: Q) -> Self {
        Self {
            request: Q::REQUEST,
            bytes: wire::encode(&query).into(),
            is_question: Q::IS_QUESTION,
            decode: |bytes| Some(Box::new(wire::decode::<Q::Answer>(bytes)?)),
            query: Rc::new(query),
        }
    }

    pub fn get<Q: Query>(&self) -> Option<&Q> {
        self.query.downcast_ref()
    }

    /// The query with its answer, if it is a `Q`.
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
    /// Revision of the workspace that it is based on; `None` if no worker answered.
    pub revision: Option<u64>,
    pub value: Result<Box<dyn Any>, AskError>,
}

impl Answer {
    /// No worker answered.
    pub fn none(why: AskError) -> Self {
        Self {
            revision: None,
            value: Err(why),
        }
    }

    pub fn decode_answer<Q: Query>(self) -> Result<Q::Answer, AskError> {
        let value = self.value?.downcast().map_err(|_| unexpected_answer())?;
        Ok(*value)
    }
}

/// Page and worker are from the same build, so this is a bug.
pub fn unexpected_answer() -> AskError {
    AskError::Refused(OperationRefusal::new(
        "the worker sent an unexpected answer",
    ))
}

/// Spontaneous events.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    Progress(Progress),
    /// The lanes of the first package to be shown, as an SVG, while the other files are read.
    FirstLanes {
        package: String,
        svg: Vec<u8>,
    },
    /// Somebody is waiting for a worker that does not respond.
    Busy(Busy),
    /// The user restarted the worker; requests wait for the new one.
    Restarting,
    /// The worker died with this error; requests wait for the new one.
    Crashed {
        message: String,
    },
    /// The new worker has been restored except for the steps set aside. Views have to be requested again.
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
    Unkept {
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
