//! The page's requests to the worker.

use super::json::Json;
use super::lanes::Zoom;
use super::response::PackageView;
use super::upgrades::Baseline;
use super::views::{EntryRef, UpgradeQuestion};
use crate::operation::EditOp;
use crate::query::Tag;
use crate::subset::SavedSubset;
use serde::{Deserialize, Serialize};

/// What the page sends. The bytes of a query follow it; the browser's `File`s are in an array beside it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Its answer has the same number; 0 if there is none.
    pub id: u64,
    pub request: Request,
    pub files: Vec<InputFile>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    Query(Tag),
    Open,
    ListFiles,
    /// The files are of an open that will be requested once all its files are found. Not answered.
    ReadAhead,
    /// There will be no such open.
    StopReadingAhead,
    /// Stops an open in progress; what was open before stays.
    CancelOpen,
    /// Nobody waits for the requests whose numbers follow. Those that have not begun fail with `Cancelled`.
    CancelRequests,
}

/// A file that the page hands over. Its `File` is at the same index in the array beside the message; `null` there marks
/// one that the browser could not open, which has size 0.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct InputFile {
    /// Path in what was dropped or picked, with `/`, beginning with the dropped folder's own name.
    pub path: String,
    pub size: u64,
    /// Milliseconds since 1970, as reported by the browser.
    pub modified: u64,
    /// Why the browser could not open it; "" where it could.
    pub unreadable: String,
}

/// How offered files meet what is open already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum OpenMode {
    /// A new workspace; what was open is closed.
    Replace,
    /// Added to what is open; a path that is open already is replaced (rebased).
    Add,
    /// The whole tree again, as it is on disk now: the applied steps are applied to it again. Answered by `Replayed`.
    Reload,
}

/// Where operations are previewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PreviewScope {
    /// In their own catalog.
    Own,
    /// The same in every other catalog too.
    All,
    /// In every catalog those that it lacks: whose outcome is not there yet.
    Lacking,
}

/// What a range of versions is typed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RangePurpose {
    SkipRange,
    /// Also a y-stream, as `1.29.z`.
    AddSkip,
    RemoveSkip,
}

/// One step of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReplayStep {
    pub title: String,
    pub ops: Json<Vec<EditOp>>,
}

/// Which package to show, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PackageRequest {
    pub root: String,
    pub package: String,
    pub lanes: LaneOptions,
    pub question: UpgradeQuestion,
    /// Entries and channels that this has and the catalog has not are drawn too.
    pub baseline: Option<Baseline>,
}

impl PackageRequest {
    /// The same with its lanes where they are seen in `view`, if that is of this package: an edit that changes a head moves
    /// no lane away from under the eye.
    pub fn as_seen(mut self, view: Option<&PackageView>) -> Self {
        if let Some(view) =
            view.filter(|view| view.root == self.root && view.package == self.package)
        {
            self.lanes.default_order.clone_from(&view.default_order);
        }
        self
    }
}

/// How the lanes are to be drawn.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LaneOptions {
    /// The entry whose edges are drawn in full.
    pub selected: Option<EntryRef>,
    /// Fold older y-streams into stacks.
    pub fold: bool,
    /// y-streams (`1.29`) the user opened although `fold` would fold them, and the other way round.
    pub toggled_streams: Vec<String>,
    /// Names whose chains are open although `fold` would fold them.
    pub unfolded: Vec<String>,
    /// Channels shown as a bare rail.
    pub collapsed_channels: Vec<String>,
    /// Channels whose lanes come first, in this order.
    pub order: Vec<String>,
    /// The default order of the lanes: [`PackageView::default_order`] of the latest view.
    pub default_order: Vec<String>,
    /// Channels whose lanes stay in view; they are first in `order`. Concerns the page alone.
    pub pinned_channels: Vec<String>,
    /// Channels without a lane.
    pub hidden_channels: Vec<String>,
    /// Far out, cars are dots and nothing folds.
    pub zoom: Zoom,
}

/// What the inspector is to show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    Package,
    Channel { channel: String },
    Entry { channel: String, name: String },
    Bundle { name: String },
    Problem { index: u32 },
}

/// Where in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SourceAt {
    /// Lines from `first` (from 1), `count` of them.
    Lines { first: u32, count: u32 },
    /// `count` lines around `line`, and which lines its blob has.
    Around { line: u32, count: u32 },
}

/// What to remove.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Export {
    /// A zip of the changed files with the tree's paths.
    Changed,
    /// A zip of all files.
    All,
    /// One patch for `git apply`.
    Patch,
    /// The same of some files, by their paths in the workspace, under a commit message, which `git apply` passes over.
    PatchOf {
        files: Vec<String>,
        message: String,
        name: String,
    },
    /// The applied operations as command lines, one an operation.
    Commands,
    /// The applied operations as JSON lines.
    Operations,
    /// The present bytes of one file, by its path in the workspace.
    File { path: String },
    /// The bytes of one file as the history begins with it, by its path in the workspace.
    AtFirst { path: String },
    /// A zip of a part of a catalog.
    Subset(SavedSubset),
    /// The Dockerfile of a catalog, which goes beside its folder.
    Dockerfile { root: String },
    /// The upgrade graph of a package; of the picture, the lanes as they are in view.
    Graph {
        root: String,
        package: String,
        lanes: Box<LaneOptions>,
        format: GraphFormat,
    },
}

/// What a graph is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum GraphFormat {
    Svg,
    /// As `opm alpha render-graph` writes it.
    OpmMermaid,
    /// With heads, the default channel and skip ranges.
    Mermaid,
    Dot,
    Json,
}
