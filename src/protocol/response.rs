//! The worker's answers.

use super::bundles::RangePattern;
use super::lanes::Lanes;
use super::query::EncodedAnswer;
use super::request::{InputFile, ReplayStep};
use super::templates::RenderedFrom;
use super::views::*;
use super::wire::Json;
use crate::diagnostic::Diagnostic;
use crate::operation::EditOp;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A message from the worker, followed by the bytes of the answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Response {
    Answer {
        id: u64,
        /// Session revision that the answer was made from.
        revision: u64,
        /// Milliseconds spent in the worker; 0 if no request waits for this answer alone.
        took: f64,
        error: Option<AskError>,
    },
    Event(Event),
}

/// Why a query has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum AskError {
    /// Nothing was changed.
    Refused(OperationRefusal),
    /// The user cancelled. Nothing was changed.
    Cancelled,
    /// The worker died twice during this request.
    DroppedStep { message: String },
    /// No worker can be started.
    NoWorker { message: String },
}

impl AskError {
    /// Returns the reason alone.
    pub fn into_reason(self) -> String {
        match self {
            AskError::Refused(refusal) => refusal.reason,
            AskError::Cancelled => "it was cancelled".to_owned(),
            AskError::DroppedStep { message } | AskError::NoWorker { message } => message,
        }
    }
}

impl From<AskError> for OperationRefusal {
    fn from(error: AskError) -> Self {
        match error {
            AskError::Refused(refusal) => refusal,
            AskError::Cancelled => Self::new("it was cancelled; nothing was changed"),
            AskError::DroppedStep { message } | AskError::NoWorker { message } => Self {
                help: "edits applied so far are kept".into(),
                ..Self::new(format!("the worker stopped: {message}"))
            },
        }
    }
}

/// A message that answers no request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// The worker is running; sent once.
    Ready,
    /// The worker has opened a made-up catalog, which compiles its functions before the first drop.
    /// The page decodes the answers to compile its decoders as well. Sent once.
    WarmedUp {
        answers: Vec<EncodedAnswer>,
    },
    Progress(Progress),
    /// These archives are not part of the open in progress, each for the reason in `unreadable`.
    ArchivesRefused {
        archives: Vec<InputFile>,
    },
    /// These files changed on disk since they were opened; no edit was lost.
    ChangedOnDisk {
        paths: Vec<String>,
    },
    /// The worker panicked and will terminate; `message` is the panic's text.
    Panicked {
        message: String,
    },
}

/// The progress of an open. While the tree is walked, only `files` is set and counts the files
/// found; while archives are unpacked, it is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Progress {
    pub bytes: u64,
    pub total_bytes: u64,
    pub files: u32,
    pub total_files: u32,
}

/// The end of an open: all files are indexed, and all verdicts known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Opened {
    Anew(Box<Status>),
    /// Applied steps had to be reapplied.
    Replayed(Box<Replayed>),
}

/// The result of reapplying edits that the added files did not contain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Replayed {
    pub status: Status,
    /// The steps that could be applied, in order, without those that no longer change anything.
    /// They are the whole history, except after `Replay`, which adds them; the status has the
    /// number of applied steps.
    pub steps: Vec<ReplayStep>,
    /// The steps that could not be applied, with the reason.
    pub refused: Vec<(ReplayStep, String)>,
    /// Files whose history still begins with unchanged content: the added content counts as last
    /// read or saved.
    pub kept: Vec<String>,
    /// Titles of steps that can no longer be undone or redone, although they are not refused.
    pub forgotten: Vec<String>,
}

/// The state after a save.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    pub status: Status,
    /// Paths of files whose disk content differs from what was written.
    pub differing: Vec<String>,
}

/// The effects of operations.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Previewed {
    /// The previewed operations if they differ from the requested ones: those whose result the
    /// catalog lacks.
    pub lacking: Option<Json<Vec<EditOp>>>,
    pub diffs: Vec<FileDiff>,
    pub consequences: Consequences,
    /// Operations after which packages still pass, if the requested ones would make them fail.
    /// Nearest to the request first.
    pub alternatives: Vec<Json<Vec<EditOp>>>,
    /// Every other open catalog, if requested.
    pub elsewhere: Vec<OtherCatalog>,
}

/// All differences from the disk.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Review {
    pub files: Vec<FileDiff>,
    /// The unsaved steps that still have an effect.
    pub steps: Vec<StepInEffect>,
    /// Whether the paths of the patch start at the top of the repository, rather than at the opened
    /// folder.
    pub starts_at_repository: bool,
}

/// The unsaved steps without the edits that are left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChosenEdits {
    /// For each edit, the index of one that it needs, if that is left out.
    pub needs: Vec<Option<usize>>,
    pub replayed: Replayed,
}

/// A file to download.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Exported {
    pub name: String,
    pub mime: String,
    pub bytes: Vec<u8>,
}

/// The best hits, and the total number of hits.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Found {
    pub hits: Vec<Hit>,
    pub total: u32,
}

/// The main view of one package.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PackageView {
    pub root: String,
    pub package: String,
    pub default_channel: String,
    /// Shared, because many parts of the page keep a reference.
    pub lanes: Arc<Lanes>,
    pub table: Vec<TableRow>,
    pub answer: UpgradeAnswer,
    /// Bundles of the package, highest version first: name and version. For *Installed* and the
    /// forms.
    pub bundles: Vec<(String, String)>,
    /// Channel names in lane order.
    pub channels: Vec<String>,
    /// The order without any arrangement by the user, for the next view request.
    pub default_order: Vec<String>,
    pub problems: Vec<Json<Diagnostic>>,
    /// Deprecated objects, as `package`, `channel NAME`, `bundle NAME`, with their messages.
    pub deprecations: Vec<(String, String)>,
    /// The template that the package is rendered from, if known.
    pub rendered_from: Option<RenderedFrom>,
    /// Bundles whose embedded objects can become `olm.csv.metadata`.
    pub migratable: u32,
    /// For a substitutes template or its rendered form: each replaced bundle, and the image of its
    /// replacement. `None` elsewhere.
    pub substitutions: Option<Vec<(String, String)>>,
    /// The operations that the template of the package refuses whatever their values. Empty for a
    /// package of a catalog.
    pub impossible: Vec<ImpossibleOperation>,
    /// For a semver template or its rendered form: the lists that bundles are added to, and from
    /// which it generates the channels. Empty elsewhere.
    pub lists: Vec<String>,
    /// Patterns of channels whose newest entries agree.
    pub range_patterns: Vec<RangePattern>,
}

impl PackageView {
    /// Whether a semver template computes the channels and edges of the package.
    pub fn computes_edges(&self) -> bool {
        !self.lists.is_empty()
    }

    /// Returns what bundles can be added to: the channels, or the lists of a semver template.
    pub fn promotion_targets(&self) -> &[String] {
        if self.computes_edges() {
            &self.lists
        } else {
            &self.channels
        }
    }

    /// Returns the target of a promotion to a channel: the channel, or the list that it is generated
    /// from.
    pub fn promotion_target<'a>(&'a self, channel: &'a str) -> &'a str {
        let is_generated = |list: &&String| {
            let version = channel.strip_prefix(list.as_str());
            version.is_some_and(|version| version.starts_with("-v"))
        };
        let list = self.lists.iter().find(is_generated);
        list.map_or(channel, String::as_str)
    }

    /// Whether a channel, or a list, has a bundle.
    pub fn lists_bundle(&self, target: &str, bundle: &str) -> bool {
        self.table.iter().any(|row| {
            row.entry == bundle && self.promotion_target(&row.channel) == target && !row.is_absent()
        })
    }

    /// Returns the row of an entry; if it is listed twice, the first.
    pub fn row(&self, channel: &str, entry: &str) -> Option<&TableRow> {
        let mut rows = self.table.iter();
        rows.find(|row| row.channel == channel && row.entry == entry)
    }
}

/// An operation that a template refuses whatever its values.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ImpossibleOperation {
    /// See [`EditOp::name`].
    pub operation: String,
    pub reason: String,
    /// Whether another kind of template may express it.
    pub is_convertible: bool,
}

/// An unsaved step that still has an effect.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StepInEffect {
    pub title: String,
    /// The package that all its operations name; "" if they name several, or none.
    pub package: String,
}

/// The session after an edit, an undo or a redo.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Applied {
    pub status: Status,
    /// Rows of the affected packages, by catalog.
    pub packages: Vec<(String, PackageRow)>,
    /// Packages that no longer exist.
    pub gone: Vec<PackageRef>,
    pub consequences: Consequences,
    pub title: String,
    /// The operations of the applied step, as a new worker would need them; empty for undo and
    /// redo.
    pub ops: Json<Vec<EditOp>>,
    /// The requested view in its current state.
    pub view: Option<PackageView>,
}

/// The effect of operations in another open catalog.
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
    /// `differs`: the difference from the operations' own catalog, with names in backticks; "" if
    /// everything they affect is equal.
    Previewed {
        differs: String,
        diffs: Vec<FileDiff>,
        consequences: Box<Consequences>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OperationRefusal {
    pub reason: String,
    pub help: String,
    pub location: Option<Box<crate::diagnostic::Location>>,
    /// The root of a template whose kind cannot express the operation, although another kind may;
    /// otherwise "".
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
