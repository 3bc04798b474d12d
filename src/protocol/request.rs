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

/// A request with its number. Files that belong to it travel beside it as a plain array of browser `File`s.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    pub id: u64,
    pub body: RequestBody,
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

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum RequestBody {
    /// Files beside. Answered by `Progress` (many), perhaps one `FirstLanes`, then `Opened` or `Cancelled`.
    Open {
        mode: OpenMode,
        files: Vec<InputFile>,
    },
    /// Files beside, of an open that will be asked for once all its files are found. Not answered.
    ReadAhead { files: Vec<InputFile> },
    /// There will be no such open.
    StopReadingAhead,
    /// Stops an open in progress; what was open before stays.
    CancelOpen,
    /// Nobody waits for these requests any more: those that have not begun are answered by `Cancelled`.
    CancelRequests { ids: Vec<u64> },
    /// Splits a folder into catalogs again, or treats it as one. Answered by `Opened`.
    TreatAsOne { folder: String, as_one: bool },
    /// Opens what a template renders to as a catalog beside it, or closes it. Answered by `Opened`.
    ShowRendered { template: String, shown: bool },
    /// The catalogs that a template is rendered into, and whether each is what rendering gives now. Answered by
    /// `RenderTargets` or `Refused`.
    RenderTargets { template: String },
    /// Operations that write what a template renders to. Answered by `Operations` or `Refused`.
    Render {
        template: String,
        what: RenderRequest,
    },
    /// What converts a template, or the one that a catalog is rendered from. Answered by `Converted`, `NotConverted` or
    /// `Refused`.
    Convert {
        template: String,
        into: TemplateKind,
    },
    /// What makes the template of a catalog, or of one of its packages. Answered as `Convert`.
    MakeTemplate(NewTemplate),
    /// Rows of the package list of one catalog. Answered by `Packages`.
    Packages { root: String },
    /// Everything the centre shows of one package. Answered by `Package`.
    Package(PackageRequest),
    /// Which versions a version range admits that is being typed, of the channels that `question` names. Answered by
    /// `Range`.
    Range {
        root: String,
        package: String,
        question: UpgradeQuestion,
    },
    /// Which versions a range of `skipRange`'s dialect catches that is being typed for an entry. Answered by `RangeMatches`.
    RangeMatches {
        root: String,
        package: String,
        entry: EntryRef,
        text: String,
        purpose: RangePurpose,
    },
    /// What the inspector shows. Answered by `Inspection`.
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
    /// The next place of a text in a file, from a line and column (from 1) on, going round. Answered by `FoundText`.
    FindText {
        root: String,
        file: String,
        text: String,
        from: (u32, u32),
        backwards: bool,
    },
    /// All problems of a catalog. Answered by `Problems`.
    Problems { root: String },
    /// The advice wanted beside `opm`'s rules; `None`: as the configuration files say. Answered by `Opened`.
    SetProfile { profile: Option<Profile> },
    /// The documentation of a rule. Answered by `Explained`.
    Explain { rule: String },
    /// What `ops` would change, without changing it. `view` is what will be requested if they are applied. Answered by
    /// `Previewed` or `Refused`.
    Preview {
        ops: Json<Vec<EditOp>>,
        scope: PreviewScope,
        view: Option<PackageRequest>,
    },
    /// Reads dropped files (beside) as bundles, to go where `placement` says. Answered by `Bundles`, or by `NoBundles` if
    /// they are something else.
    ReadBundles {
        files: Vec<InputFile>,
        placement: BundlePlacement,
    },
    /// Reads dropped files (beside) as questions where packages will go; `root` is the catalog in view. Answered by
    /// `Manifests`, or by `NoManifests` if they are something else.
    ReadManifests { files: Vec<InputFile>, root: String },
    /// Applies `ops` as one step. Answered by `Applied` or `Refused`.
    Apply {
        ops: Json<Vec<EditOp>>,
        title: String,
        view: Option<PackageRequest>,
    },
    /// The same as a part of the last step, which is then undone with it; a step of its own where no step can be added to.
    /// Answered by `Applied` (with all operations of the step) or `Refused`.
    ApplyToLastStep {
        ops: Json<Vec<EditOp>>,
        title: String,
        view: Option<PackageRequest>,
    },
    /// Applies, for every problem of `rule` (of the package, where one is named), its first safe fix of `kind`, as one step.
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
    /// Gives a file its original text back, as one step that can be undone. Answered by `Applied` or `Refused`.
    RevertFile {
        root: String,
        file: String,
        view: Option<PackageRequest>,
    },
    /// Answered by `Exported`.
    Export(Export),
    /// What is on disk now of files that are to be written, against what was read or saved last. Their `File`s beside;
    /// `null` for one that is not there. Answered by `DiskChecked`.
    CheckDisk { files: Vec<InputFile> },
    /// Edits start from what is on disk now (`File`s beside), and those that it does not have are applied again. Answered
    /// by `Replayed`.
    Merge { files: Vec<InputFile> },
    /// Drops the edits in a file that somebody else changed, as one step. Its `File` is beside the message. Answered
    /// by `Applied` or `Refused`.
    TakeTheirs {
        file: InputFile,
        view: Option<PackageRequest>,
    },
    /// The intended content of each changed file, and the edits that lead there from the present one: needed
    /// before writing them. Answered by `ToBeWritten`.
    ToBeWritten,
    /// The page has written files; their content on disk is beside the message. Changes are computed relative to it
    /// from here on. Answered by `Saved`.
    Saved { files: Vec<InputFile> },
    /// Applies operations again after a worker died: each inner list is one step. Answered by `Replayed`.
    Replay { steps: Vec<ReplayStep> },
    /// Which of these files, by their paths in the workspace, matter to a catalog, so that their change on disk is
    /// relevant. Answered by `RelevantFiles`.
    RelevantFiles { paths: Vec<String> },
    /// Whether a picture may be shown, by its bytes in base64. Answered by `Picture`.
    Picture { media_type: String, data: String },
    /// Checksums of these files on disk; paths in the workspace. Answered by `Fingerprints`.
    Fingerprint { paths: Vec<String> },
    /// Each version ever published of a package, with its next step and its end: under v1 for `question`, under Classic
    /// for each channel; as it would be with `ops` applied, and `view` requested then. Answered by `Everyone` or
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
    /// The same for one package, in full; with what it means for a cluster of this OpenShift version, unless that is "".
    /// Answered by `ComparedPackage`.
    ComparePackage {
        old: Baseline,
        root: String,
        package: String,
        cluster: String,
    },
    /// Which entries of a package are not as they are on disk. Answered by `Unsaved`.
    Unsaved { root: String, package: String },
    /// A package's versions by catalogs, in the order of clusters' upgrades. Answered by `Matrix`.
    Matrix { roots: Vec<String>, package: String },
    /// What a part of a catalog would have. Answered by `Subset` or `Refused`.
    Subset { root: String, selection: Selection },
    /// The files of a part of a catalog. Answered by `SubsetFiles` or `Refused`.
    SubsetFiles(SavedSubset),
    /// The manifests that try a package on a cluster. Answered by `InstallManifests` or `NoInstallManifests`.
    InstallRequest(InstallRequest),
    /// Operators against catalogs, by names alone. Answered by `Repository`.
    Repository,
    /// One operator of the repository; its files are read for it. Answered by `Operator`.
    Operator { operator: String },
    /// Files beside, of the repository that is open: they were only names before. Of `operators` these are all. Answered by
    /// `FilesListed`.
    ListFiles {
        operators: Vec<String>,
        files: Vec<InputFile>,
    },
    /// Reads the files of an operator into the workspace, to be looked at and edited. Answered by `Opened`.
    OpenOperator { operator: String },
    /// What the release of a bundle can name. The files of a bundle that the repository does not have are given, with paths
    /// below its folder. Answered by `ReleaseForm`.
    ReleaseForm {
        operator: String,
        bundle: String,
        dropped: Vec<(String, String)>,
    },
    /// What a task would come to. Answered by `RepositoryPlan`.
    PlanRepository(RepositoryTask),
    /// Makes a task one step. Answered by `Applied` or `Refused`.
    ApplyRepository {
        task: RepositoryTask,
        view: Option<PackageRequest>,
    },
    /// Names found for the omnibox. A text without letters finds nothing, and makes the next search ready. Answered by
    /// `Found`.
    Find { text: String, limit: u32 },
}

impl RequestBody {
    /// Whether it is a pure query: it changes nothing, so it can be dropped at any time.
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
