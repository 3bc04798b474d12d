//! Parameters of queries: files, packages, previews, exports.

use super::response::PackageView;
use super::upgrades::Baseline;
use super::views::{EntryRef, UpgradeQuestion};
use super::wire::Json;
use crate::operation::EditOp;
use crate::subset::SavedSubset;
use serde::{Deserialize, Serialize};

/// A file from the page. Its `File` is at this file's index in the array beside the message. A
/// `null` in that array is a file that the browser could not open; its size is 0.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct InputFile {
    /// Path with `/`, beginning with the name of the dropped or picked folder.
    pub path: String,
    pub size: u64,
    /// Milliseconds since 1970, as reported by the browser.
    pub modified: u64,
    /// Why the browser could not open it; "" if it could.
    pub unreadable: String,
}

/// How new files combine with the open ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum OpenMode {
    /// Opens a new session and closes the current one.
    Replace,
    /// Adds the files to the current session. A path that is already open is replaced and its edits
    /// are rebased.
    Add,
    /// Rereads the whole tree from disk and reapplies the steps. Answered by `Opened::Replayed`.
    Reload,
}

/// The catalogs to preview operations in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PreviewScope {
    /// In the operations' own catalog.
    Own,
    /// In every other catalog as well.
    All,
    /// In every catalog, the operations whose result the catalog does not have yet.
    Lacking,
}

/// The purpose of a version range that the user types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RangePurpose {
    /// Every version of the package that may be installed somewhere.
    SkipRange,
    /// Lower entries of the channel that the entry does not skip yet. Also accepts a y-stream, such
    /// as `1.29.z`.
    Skip,
    /// Names that the entry skips. Also accepts a y-stream.
    Unskip,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReplayStep {
    pub title: String,
    pub ops: Json<Vec<EditOp>>,
}

impl From<(String, Vec<EditOp>)> for ReplayStep {
    fn from((title, ops): (String, Vec<EditOp>)) -> Self {
        let ops = Json(ops);
        Self { title, ops }
    }
}

/// Which package to show, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PackageRequest {
    pub root: String,
    pub package: String,
    pub lanes: LaneOptions,
    pub question: UpgradeQuestion,
    /// The lanes also show entries and channels that the baseline has and the catalog lacks.
    pub baseline: Option<Baseline>,
}

impl PackageRequest {
    /// Requests a package with default lanes, for a new install, without a baseline.
    pub fn new(root: String, package: String) -> Self {
        Self {
            root,
            package,
            lanes: LaneOptions::default(),
            question: UpgradeQuestion::default(),
            baseline: None,
        }
    }

    /// Adopts the lane order of `view` if it shows this package, so that an edit that changes a
    /// head does not reorder visible lanes.
    pub fn as_seen(mut self, view: Option<&PackageView>) -> Self {
        if let Some(view) =
            view.filter(|view| view.root == self.root && view.package == self.package)
        {
            self.lanes.default_order.clone_from(&view.default_order);
        }
        self
    }
}

/// How to draw the lanes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LaneOptions {
    /// The entry whose edges are drawn in full, in every channel if its channel is "".
    pub selected: Option<EntryRef>,
    /// Fold older y-streams into stacks.
    pub fold: bool,
    /// y-streams (`1.29`) whose state the user toggled against `fold`.
    pub toggled_streams: Vec<String>,
    /// Channels whose lanes come first, in this order.
    pub order: Vec<String>,
    /// The default order of the lanes: [`PackageView::default_order`] of the latest view.
    pub default_order: Vec<String>,
    /// Channels without a lane.
    pub hidden_channels: Vec<String>,
}

/// The inspector's subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    Package,
    Channel { channel: String },
    Entry { channel: String, name: String },
    Bundle { name: String },
    Problem { index: u32 },
}

impl From<EntryRef> for Target {
    fn from(EntryRef { channel, name }: EntryRef) -> Self {
        Target::Entry { channel, name }
    }
}

impl Target {
    /// Returns the entry, if the target is one.
    pub fn into_entry(self) -> Option<EntryRef> {
        match self {
            Target::Entry { channel, name } => Some(EntryRef { channel, name }),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SourceAt {
    /// `count` lines, starting with line `first` (from 1).
    Lines { first: u32, count: u32 },
    /// `count` lines around `line`.
    Around { line: u32, count: u32 },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Export {
    /// A zip of the changed files, with paths in the session.
    Changed,
    /// A zip of all files.
    All,
    /// One patch for `git apply`, which ignores the commit message at its start.
    Patch { message: String },
    /// A patch of some files, by their paths in the session.
    PatchOf {
        files: Vec<String>,
        message: String,
        name: String,
    },
    /// The applied operations as command lines, one per operation.
    Commands,
    /// The applied operations as JSON lines.
    Operations,
    /// The current bytes of one file, by its path in the session.
    File { path: String },
    /// The bytes of one file at the start of the history, by its path in the session.
    AtFirst { path: String },
    /// A zip of a part of a catalog.
    Subset(SavedSubset),
    /// The Dockerfile of a catalog, placed beside its folder.
    Dockerfile { root: String },
    /// The upgrade graph of a package; an image shows the lanes as in the view.
    Graph {
        root: String,
        package: String,
        lanes: Box<LaneOptions>,
        format: GraphFormat,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum GraphFormat {
    Svg,
    /// As written by `opm alpha render-graph`.
    Mermaid,
    Dot,
    Json,
}
