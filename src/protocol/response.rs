//! What the worker answers.

use super::bundles::RangePattern;
use super::json::Json;
use super::lanes::Lanes;
use super::request::{ReplayStep, Request};
use super::templates::RenderedFrom;
use super::views::*;
use crate::diagnostic::Diagnostic;
use crate::operation::EditOp;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What the worker sends. The bytes of an answer follow it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Response {
    Answer {
        id: u64,
        /// Of the workspace that the answer was made from.
        revision: u64,
        /// Milliseconds that the worker spent on it; 0 if nobody waits for this answer alone.
        took: f64,
        error: Option<AskError>,
    },
    Event(Event),
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum AskError {
    /// Nothing was changed.
    Refused(OperationRefusal),
    /// The user did not wait for it. Nothing was changed.
    Cancelled,
    /// The request was under way twice when the worker died.
    SetAside { message: String },
    /// No worker can be started at all.
    NoWorker { message: String },
}

impl AskError {
    /// The reason alone.
    pub fn into_reason(self) -> String {
        match self {
            AskError::Refused(refusal) => refusal.reason,
            AskError::Cancelled => "it was cancelled".to_owned(),
            AskError::SetAside { message } | AskError::NoWorker { message } => message,
        }
    }
}

impl From<AskError> for OperationRefusal {
    fn from(error: AskError) -> Self {
        match error {
            AskError::Refused(refusal) => refusal,
            AskError::Cancelled => Self::new("it was cancelled; nothing was changed"),
            AskError::SetAside { message } | AskError::NoWorker { message } => Self {
                help: "edits applied so far are kept".into(),
                ..Self::new(format!("the worker stopped: {message}"))
            },
        }
    }
}

/// What the worker sends unasked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// The worker runs; sent once.
    Ready,
    /// The answer to a query that nobody made follows: the page decodes it as it will decode the first real ones, and
    /// forgets it.
    Rehearsed(Request),
    /// What a first drop needs has been gone through: files by the indexers, answers by the host. Sent once.
    WarmedUp {
        files: u32,
        answers: u32,
    },
    Progress(Progress),
    /// The lanes of the package that will be in view first, as an SVG, while the other files are read.
    FirstLanes {
        package: String,
        svg: Vec<u8>,
    },
    /// These files changed on disk since they were opened; nothing was lost.
    ChangedOnDisk {
        paths: Vec<String>,
    },
    /// The worker is about to die; the text of its panic.
    Panicked {
        message: String,
    },
}

/// The progress of an open. While the tree is walked only `files` is known, counting those found; while archives are
/// unpacked there are no files yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Progress {
    pub bytes: u64,
    pub total_bytes: u64,
    pub files: u32,
    pub total_files: u32,
}

/// How an open ended: all files are indexed, verdicts included.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Opened {
    Anew(Box<Status>),
    /// Applied steps had to be applied again.
    Replayed(Box<Replayed>),
}

/// Edits that the added files did not contain were applied again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Replayed {
    pub status: Status,
    /// The steps that could be applied, in order, without those that no longer changed anything. Except for `Replay`,
    /// which adds them, these are the whole history, of which the status gives the number applied.
    pub steps: Vec<ReplayStep>,
    /// The steps that could not be, with the reason.
    pub refused: Vec<(ReplayStep, String)>,
    /// Files with which the history begins as before: their added content is what was last read or saved.
    pub kept: Vec<String>,
    /// Titles of steps that can no longer be undone or done again, though they are not refused.
    pub forgotten: Vec<String>,
}

/// What a save left.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    pub status: Status,
    /// Paths of files that are on disk something else than what was written.
    pub differing: Vec<String>,
}

/// The effect of operations.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Previewed {
    /// What was previewed if it is not what was asked for: the operations that the catalog lacks.
    pub lacking: Option<Json<Vec<EditOp>>>,
    pub diffs: Vec<FileDiff>,
    pub consequences: Consequences,
    /// If passing packages would fail: operations to do instead, after which they pass. Nearest to the request first.
    pub alternatives: Vec<Json<Vec<EditOp>>>,
    /// Every other open catalog, if requested.
    pub elsewhere: Vec<OtherCatalog>,
}

/// All that differs from the disk.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Review {
    pub files: Vec<FileDiff>,
    /// The unsaved steps that are still in effect.
    pub steps: Vec<StepInEffect>,
    /// The git repository that they lie in, as a folder that the patch names its paths from; `None`: not seen.
    pub git_folder: Option<String>,
}

/// The content of a file to be downloaded.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Exported {
    pub name: String,
    pub mime: String,
    pub bytes: Vec<u8>,
}

/// The best hits of the omnibox, and how many there are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Found {
    pub hits: Vec<Hit>,
    pub total: u32,
}

/// What the centre shows of one package.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PackageView {
    pub root: String,
    pub package: String,
    pub default_channel: String,
    /// Shared, since many parts of the page hold on to them.
    pub lanes: Arc<Lanes>,
    pub table: Vec<TableRow>,
    pub answer: UpgradeAnswer,
    /// Bundles of the package, highest version first: name and version. For *Installed* and the forms.
    pub bundles: Vec<(String, String)>,
    /// Channel names in lane order.
    pub channels: Vec<String>,
    /// The order without any arrangement by the user, to be sent with the next view request.
    pub default_order: Vec<String>,
    pub problems: Vec<Json<Diagnostic>>,
    /// Names of deprecated things, as `package`, `channel NAME`, `bundle NAME`, with their message.
    pub deprecations: Vec<(String, String)>,
    /// The template that the package is rendered from, as far as that can be determined.
    pub rendered_from: Option<RenderedFrom>,
    /// Bundles whose embedded objects can become `olm.csv.metadata`.
    pub migratable: u32,
    /// Of a substitutes template, or of what it renders to: each bundle whose place is taken, and the image of the one that
    /// takes it. `None` elsewhere.
    pub substitutions: Option<Vec<(String, String)>>,
    /// Of each channel whose newest entries agree.
    pub range_patterns: Vec<RangePattern>,
}

/// A step that is not saved, and of which something is left.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StepInEffect {
    pub title: String,
    /// The package that all its operations name; "" where they name several, or none.
    pub package: String,
}

/// The workspace after an edit, an undo or a redo.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Applied {
    pub status: Status,
    /// Rows of the packages touched, by catalog.
    pub packages: Vec<(String, PackageRow)>,
    /// Packages that are no longer there, by catalog.
    pub gone: Vec<(String, String)>,
    pub consequences: Consequences,
    pub title: String,
    /// The operations of the step that was applied, as a new worker would need them; empty for undo and redo.
    pub ops: Json<Vec<EditOp>>,
    /// The requested view, in its present state.
    pub view: Option<PackageView>,
}

/// What operations would do in another catalog that is open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OtherCatalog {
    /// The root's name.
    pub root: String,
    /// The operations for it.
    pub ops: Json<Vec<EditOp>>,
    pub outcome: OtherCatalogOutcome,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum OtherCatalogOutcome {
    /// The catalog has no such package.
    Absent,
    Refused(OperationRefusal),
    /// `differs`: what is not as in the operations' own catalog, names in backticks; "" where all that they touch is the
    /// same.
    Previewed {
        differs: String,
        diffs: Vec<FileDiff>,
        consequences: Box<Consequences>,
    },
}

/// Why an operation was refused.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OperationRefusal {
    pub reason: String,
    pub help: String,
    pub location: Option<crate::diagnostic::Location>,
    /// The report for the developers, if it is a bug of ours; else "".
    pub report: String,
    /// The root of a template that cannot express what is asked because of its kind: as another kind it may. Else "".
    pub convertible: String,
}

impl OperationRefusal {
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            ..Self::default()
        }
    }
}
