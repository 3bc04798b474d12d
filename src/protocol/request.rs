//! The page's requests to the worker.

use super::bundles::BundlePlacement;
use super::json::Json;
use super::lanes::Zoom;
use super::repository::RepositoryTask;
use super::response::PackageView;
use super::upgrades::Baseline;
use super::views::{EntryRef, UpgradeQuestion};
use crate::diagnostic::Profile;
use crate::install::InstallRequest;
use crate::operation::EditOp;
use crate::subset::{SavedSubset, Selection};
use crate::templates::{NewTemplate, RenderRequest, TemplateKind};
use serde::{Deserialize, Serialize};

/// A request with its id. Its files travel beside it as a plain array of browser `File`s.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    pub id: u64,
    pub body: RequestBody,
}

/// A file from the page. Its `File` is at the same index in the array beside the message. A `null` there is a file that
/// the browser could not open; its size is 0.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
    /// A new workspace; closes the present one.
    Replace,
    /// Added to the present workspace; a path that is already open is replaced and its edits are rebased.
    Add,
    /// Rereads the whole tree from disk and reapplies the steps. Answered by `Replayed`.
    Reload,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum RequestBody {
    /// With files. Answered by `Progress` (many), perhaps one `FirstLanes`, then `Opened` or `Cancelled`.
    Open {
        mode: OpenMode,
        files: Vec<InputFile>,
    },
    /// With files of a coming `Open`, sent while the page is still listing the rest. Not answered.
    ReadAhead { files: Vec<InputFile> },
    /// The announced `Open` will not come.
    StopReadingAhead,
    /// Stops an open in progress; the present workspace stays.
    CancelOpen,
    /// These answers are no longer needed: requests that have not begun are answered by `Cancelled`.
    CancelRequests { ids: Vec<u64> },
    /// Splits a folder into catalogs again, or treats it as one. Answered by `Opened`.
    TreatAsOne { folder: String, as_one: bool },
    /// Opens the rendered form of a template as a catalog beside it, or closes it. Answered by `Opened`.
    ShowRendered { template: String, shown: bool },
    /// The catalogs that a template is rendered into, and whether each is up to date. Answered by `RenderTargets` or
    /// `Refused`.
    RenderTargets { template: String },
    /// Operations that write the rendered form of a template. Answered by `Operations` or `Refused`.
    Render {
        template: String,
        what: RenderRequest,
    },
    /// Operations that convert a template, or the template that a catalog is rendered from. Answered by `Converted`,
    /// `NotConverted` or `Refused`.
    Convert {
        template: String,
        into: TemplateKind,
    },
    /// Operations that create a template from a catalog, or from one of its packages. Answered as `Convert`.
    MakeTemplate(NewTemplate),
    /// Rows of the package list of one catalog. Answered by `Packages`.
    Packages { root: String },
    /// The main view of one package. Answered by `Package`.
    Package(PackageRequest),
    /// Versions that a range admits while the user types it, among the channels of `question`. Answered by `Range`.
    Range {
        root: String,
        package: String,
        question: UpgradeQuestion,
    },
    /// Versions that a `skipRange` of an entry catches while the user types it. Answered by `RangeMatches`.
    RangeMatches {
        root: String,
        package: String,
        entry: EntryRef,
        text: String,
        purpose: RangePurpose,
    },
    /// The inspector's content. Answered by `Inspection`.
    Inspect {
        root: String,
        package: String,
        target: Target,
    },
    /// Lines of a file around a place. Answered by `Source`.
    Source {
        root: String,
        file: String,
        at: SourceAt,
    },
    /// The next match of a text in a file, from a line and column (from 1) on, wrapping around. Answered by
    /// `FoundText`.
    FindText {
        root: String,
        file: String,
        text: String,
        from: (u32, u32),
        backwards: bool,
    },
    /// All problems of a catalog. Answered by `Problems`.
    Problems { root: String },
    /// The advice to report beside `opm`'s rules; `None`: as in the configuration files. Answered by `Opened`.
    SetProfile { profile: Option<Profile> },
    /// The documentation of a rule. Answered by `Explained`.
    Explain { rule: String },
    /// The effects of `ops`, without applying them. `view` is the view that would follow. Answered by `Previewed` or
    /// `Refused`.
    Preview {
        ops: Json<Vec<EditOp>>,
        scope: PreviewScope,
        view: Option<PackageRequest>,
    },
    /// Reads dropped files (beside) as bundles for `placement`. Answered by `Bundles`, or by `NoBundles` if they are
    /// something else.
    ReadBundles {
        files: Vec<InputFile>,
        placement: BundlePlacement,
    },
    /// Reads dropped files (beside) as questions about the next upgrade of packages; `root` is the catalog in view.
    /// Answered by `Manifests`, or by `NoManifests` if they are something else.
    ReadManifests { files: Vec<InputFile>, root: String },
    /// Applies `ops` as one step. Answered by `Applied` or `Refused`.
    Apply {
        ops: Json<Vec<EditOp>>,
        title: String,
        view: Option<PackageRequest>,
    },
    /// Applies `ops` as a part of the last step, so that undo covers both; if the last step cannot be extended, as a
    /// new step. Answered by `Applied` (with all operations of the step) or `Refused`.
    ApplyToLastStep {
        ops: Json<Vec<EditOp>>,
        title: String,
        view: Option<PackageRequest>,
    },
    /// Applies the first safe fix of `kind` to every problem of `rule` (of the package, if given), as one step.
    /// Answered by `Applied` or `Refused`.
    FixAll {
        root: String,
        rule: String,
        kind: String,
        package: Option<String>,
        view: Option<PackageRequest>,
    },
    /// Answered by `Applied`.
    Undo { view: Option<PackageRequest> },
    /// Answered by `Applied`.
    Redo { view: Option<PackageRequest> },
    /// Undoes or redoes until `steps` steps are applied. Answered by `Applied`.
    GoTo {
        steps: usize,
        view: Option<PackageRequest>,
    },
    /// The changed files with their diffs. Answered by `Review`.
    Review,
    /// Restores a file's original text, as one step that can be undone. Answered by `Applied` or `Refused`.
    RevertFile {
        root: String,
        file: String,
        view: Option<PackageRequest>,
    },
    /// Answered by `Exported`.
    Export(Export),
    /// Compares the disk content of files that are about to be written with what was last read or saved. Their `File`s
    /// are beside the message; `null` for a missing file. Answered by `DiskChecked`.
    CheckDisk { files: Vec<InputFile> },
    /// Takes the present disk content (`File`s beside) as the base and reapplies the edits that it lacks. Answered by
    /// `Replayed`.
    Merge { files: Vec<InputFile> },
    /// Drops the edits in a file that another program changed, as one step. Its `File` is beside the message. Answered
    /// by `Applied` or `Refused`.
    TakeTheirs {
        file: InputFile,
        view: Option<PackageRequest>,
    },
    /// The intended content of each changed file, and the edits that lead there from the present one: needed before
    /// writing them. Answered by `ToBeWritten`.
    ToBeWritten,
    /// The page has written files; their content on disk is beside the message and becomes the base for later changes.
    /// Answered by `Saved`.
    Saved { files: Vec<InputFile> },
    /// Reapplies operations after a worker died: each inner list is one step. Answered by `Replayed`.
    Replay { steps: Vec<ReplayStep> },
    /// Which of these files, by their paths in the workspace, affect a catalog, so that a change on disk matters.
    /// Answered by `RelevantFiles`.
    RelevantFiles { paths: Vec<String> },
    /// Whether an image, given in base64, is safe to show. Answered by `Picture`.
    Picture { media_type: String, data: String },
    /// Checksums of these files on disk; paths in the workspace. Answered by `Fingerprints`.
    Fingerprint { paths: Vec<String> },
    /// The next step and the end of each version ever published of a package: under v1 for `question`, under Classic
    /// for each channel. With `ops`, as if they were applied and `view` requested then. Answered by `Everyone` or
    /// `Refused`.
    Everyone {
        root: String,
        package: String,
        question: UpgradeQuestion,
        ops: Json<Vec<EditOp>>,
        view: Option<PackageRequest>,
    },
    /// The consequences for users of moving from one catalog to another. Answered by `Compared`.
    Compare { old: Baseline, root: String },
    /// The same for one package, in full; with the consequences for a cluster of this OpenShift version, unless it is
    /// "". Answered by `ComparedPackage`.
    ComparePackage {
        old: Baseline,
        root: String,
        package: String,
        cluster: String,
    },
    /// Entries of a package that differ from the disk. Answered by `Unsaved`.
    Unsaved { root: String, package: String },
    /// A package's versions by catalogs, in the order of clusters' upgrades. Answered by `Matrix`.
    Matrix { roots: Vec<String>, package: String },
    /// The content of a part of a catalog. Answered by `Subset` or `Refused`.
    Subset { root: String, selection: Selection },
    /// The files of a part of a catalog. Answered by `SubsetFiles` or `Refused`.
    SubsetFiles(SavedSubset),
    /// The manifests that try a package on a cluster. Answered by `InstallManifests` or `NoInstallManifests`.
    InstallRequest(InstallRequest),
    /// Operators by catalogs, derived from file names alone. Answered by `Repository`.
    Repository,
    /// Details of one operator; reads its files. Answered by `Operator`.
    Operator { operator: String },
    /// Files (beside) of the open repository that were known by name only. They are all files of `operators`. Answered
    /// by `FilesListed`.
    ListFiles {
        operators: Vec<String>,
        files: Vec<InputFile>,
    },
    /// Reads the files of an operator into the workspace for viewing and editing. Answered by `Opened`.
    OpenOperator { operator: String },
    /// The choices of the release form. The files of a bundle that the repository lacks are included, with paths below
    /// its folder. Answered by `ReleaseForm`.
    ReleaseForm {
        operator: String,
        bundle: String,
        dropped: Vec<(String, String)>,
    },
    /// The effects of a task. Answered by `RepositoryPlan`.
    PlanRepository(RepositoryTask),
    /// Applies a task as one step. Answered by `Applied` or `Refused`.
    ApplyRepository {
        task: RepositoryTask,
        view: Option<PackageRequest>,
    },
    /// Search results for the omnibox. A text without letters finds nothing but prepares the next search. Answered by
    /// `Found`.
    Find { text: String, limit: u32 },
}

impl RequestBody {
    /// Whether it is a pure query, which changes nothing and can be dropped at any time.
    pub fn is_question(&self) -> bool {
        use RequestBody::*;
        matches!(
            self,
            Packages { .. }
                | RenderTargets { .. }
                | Render { .. }
                | Convert { .. }
                | MakeTemplate(_)
                | Package(_)
                | Range { .. }
                | RangeMatches { .. }
                | Inspect { .. }
                | Source { .. }
                | FindText { .. }
                | Problems { .. }
                | Explain { .. }
                | Preview { .. }
                | ReadBundles { .. }
                | ReadManifests { .. }
                | Review
                | Export(_)
                | CheckDisk { .. }
                | ToBeWritten
                | RelevantFiles { .. }
                | Picture { .. }
                | Fingerprint { .. }
                | Everyone { .. }
                | Compare { .. }
                | ComparePackage { .. }
                | Unsaved { .. }
                | Matrix { .. }
                | Subset { .. }
                | SubsetFiles(_)
                | InstallRequest(_)
                | Repository
                | Operator { .. }
                | ReleaseForm { .. }
                | PlanRepository(_)
                | Find { .. }
        )
    }
}

/// The catalogs to preview operations in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PreviewScope {
    /// In their own catalog.
    Own,
    /// In every other catalog, too.
    All,
    /// In every catalog, those operations whose outcome is not there yet.
    Lacking,
}

/// The field that a version range is typed into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RangePurpose {
    SkipRange,
    /// Also accepts a y-stream, such as `1.29.z`.
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
    /// Draws entries and channels of the baseline that the catalog lacks, too.
    pub baseline: Option<Baseline>,
}

impl PackageRequest {
    /// The same with the lane order of `view`, if it shows this package, so that an edit that changes a head does not
    /// reorder lanes in view.
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
    /// The entry whose edges are drawn in full.
    pub selected: Option<EntryRef>,
    /// Fold older y-streams into stacks.
    pub fold: bool,
    /// y-streams (`1.29`) whose state the user toggled against `fold`.
    pub toggled_streams: Vec<String>,
    /// Names whose chains the user opened although `fold` would fold them.
    pub unfolded: Vec<String>,
    /// Channels drawn as a single line.
    pub collapsed_channels: Vec<String>,
    /// Channels whose lanes come first, in this order.
    pub order: Vec<String>,
    /// The default order of the lanes: [`PackageView::default_order`] of the latest view.
    pub default_order: Vec<String>,
    /// Channels whose lanes stay in view; first in `order`. Used by the page only.
    pub pinned_channels: Vec<String>,
    /// Channels without a lane.
    pub hidden_channels: Vec<String>,
    /// Far out, nodes are dots and nothing folds.
    pub zoom: Zoom,
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

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SourceAt {
    /// Lines from `first` (from 1), `count` of them.
    Lines { first: u32, count: u32 },
    /// `count` lines around `line`, with the line range of its blob.
    Around { line: u32, count: u32 },
}

/// The form of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Export {
    /// A zip of the changed files, with paths in the workspace.
    Changed,
    /// A zip of all files.
    All,
    /// One patch for `git apply`.
    Patch,
    /// A patch of some files, by their paths in the workspace, with a commit message that `git apply` ignores.
    PatchOf {
        files: Vec<String>,
        message: String,
        name: String,
    },
    /// The applied operations as command lines, one per operation.
    Commands,
    /// The applied operations as JSON lines.
    Operations,
    /// The present bytes of one file, by its path in the workspace.
    File { path: String },
    /// The bytes of one file at the start of the history, by its path in the workspace.
    AtFirst { path: String },
    /// A zip of a part of a catalog.
    Subset(SavedSubset),
    /// The Dockerfile of a catalog, placed beside its folder.
    Dockerfile { root: String },
    /// The upgrade graph of a package; as an image, with the lanes as in view.
    Graph {
        root: String,
        package: String,
        lanes: Box<LaneOptions>,
        format: GraphFormat,
    },
}

/// The file format of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum GraphFormat {
    Svg,
    /// As written by `opm alpha render-graph`.
    OpmMermaid,
    /// With heads, the default channel and skip ranges.
    Mermaid,
    Dot,
    Json,
}
