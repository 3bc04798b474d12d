//! The store's interface to the worker, so that tests can replace it.

use super::journal::{DroppedStep, JournalStep};
use super::worker_watchdog::Busy;
use futures::future::LocalBoxFuture;
use protocol::views::Status;
use protocol::{RequestBody, ResponseBody};

/// Answers requests in order.
pub trait WorkerApi {
    fn ask(&self, body: RequestBody) -> LocalBoxFuture<'static, Result<Answer, NoAnswer>>;
}

/// An answer, with the workspace revision it is based on.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub revision: u64,
    pub body: ResponseBody,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoAnswer {
    /// The request was in progress twice when the worker died.
    DroppedStep { message: String },
    /// No worker can be started.
    NoWorker { message: String },
    /// The user cancelled. Nothing was changed.
    GivenUp,
}

impl NoAnswer {
    pub fn message(&self) -> &str {
        match self {
            NoAnswer::DroppedStep { message } | NoAnswer::NoWorker { message } => message,
            NoAnswer::GivenUp => "it was cancelled",
        }
    }
}

/// Spontaneous events.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    Progress {
        bytes: u64,
        total_bytes: u64,
        files: u32,
        total_files: u32,
    },
    /// The lanes of the first package to be shown, as an SVG, while the other files are read.
    FirstLanes { package: String, svg: Vec<u8> },
    /// Somebody is waiting for a worker that does not respond.
    Busy(Busy),
    /// The user restarted the worker; requests wait for the new one.
    Restarting,
    /// The worker died with this error; requests wait for the new one.
    Crashed { message: String },
    /// The new worker has been restored except for the steps set aside. Views have to be requested again.
    Restored {
        status: Option<Box<Status>>,
        set_aside: Vec<DroppedStep>,
    },
    /// A step was in progress twice when the worker died. It is not part of the history.
    DroppedStep(DroppedStep),
    /// These files changed on disk since they were opened.
    ChangedOnDisk { paths: Vec<String> },
    /// Edits cannot be stored beyond the tab; the browser's reason. Reported once.
    Unkept { reason: String },
    /// Another tab has the same folder open.
    OpenElsewhere,
    /// No worker survives long enough to load the files. The applied steps, for export.
    Dead {
        message: String,
        steps: Vec<JournalStep>,
    },
}
