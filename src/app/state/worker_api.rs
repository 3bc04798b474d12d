//! What the store needs of the worker, so that tests can replace it.

use super::journal::{JournalStep, SetAside};
use super::worker_watchdog::Busy;
use futures::future::LocalBoxFuture;
use protocol::views::Status;
use protocol::{RequestBody, ResponseBody};

/// Answers requests, one after the other.
pub trait WorkerApi {
    fn ask(&self, body: RequestBody) -> LocalBoxFuture<'static, Result<Answer, NoAnswer>>;
}

/// An answer, and the revision of the workspace it was made from.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub revision: u64,
    pub body: ResponseBody,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoAnswer {
    /// The request was under way twice when the worker died.
    SetAside { message: String },
    /// No worker can be started at all.
    NoWorker { message: String },
    /// The user did not wait for it. Nothing was changed.
    GivenUp,
}

impl NoAnswer {
    pub fn message(&self) -> &str {
        match self {
            NoAnswer::SetAside { message } | NoAnswer::NoWorker { message } => message,
            NoAnswer::GivenUp => "it was cancelled",
        }
    }
}

/// What comes unasked.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    Progress {
        bytes: u64,
        total_bytes: u64,
        files: u32,
        total_files: u32,
    },
    /// The lanes of the package that will be in view first, as an SVG, while the other files are read.
    FirstLanes { package: String, svg: Vec<u8> },
    /// Somebody is waiting for the worker, and it does not respond.
    Busy(Busy),
    /// The user ended the worker; a new one is being made, and requests wait.
    Restarting,
    /// The worker died with these words; a new one is being made, and requests wait.
    Crashed { message: String },
    /// The new worker has been restored except for the steps set aside. Views have to be requested again.
    Restored {
        status: Option<Box<Status>>,
        set_aside: Vec<SetAside>,
    },
    /// A step was under way twice when the worker died. It is not part of the history.
    SetAside(SetAside),
    /// These files changed on disk since they were opened.
    ChangedOnDisk { paths: Vec<String> },
    /// Edits cannot be stored where they would outlive the tab; the browser's reason. Reported once.
    Unkept { reason: String },
    /// Another tab has the same folder open.
    OpenElsewhere,
    /// No worker lives long enough to have the files again. The applied steps, to be taken out.
    Dead {
        message: String,
        steps: Vec<JournalStep>,
    },
}
