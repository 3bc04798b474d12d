//! What the worker answers.

use super::bundles::{DroppedBundles, RangePattern};
use super::disk_check::{DiskCheck, ToBeWritten};
use super::inspection::{IconView, Inspection};
use super::json::Json;
use super::lanes::Lanes;
use super::manifests::DroppedManifests;
use super::repository::{OperatorView, ReleaseForm, RepositoryPlan, RepositoryView};
use super::request::ReplayStep;
use super::templates::{RenderTargets, RenderedFrom};
use super::upgrades::{Comparison, EntryChange, EveryoneView, MatrixView, PackageComparison};
use super::views::*;
use crate::diagnostic::Diagnostic;
use crate::install::{InstallManifests, InstallRefusal};
use crate::operation::EditOp;
use crate::subset::SubsetView;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// An answer, the request it answers and the revision it was made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Response {
    pub id: u64,
    pub revision: u64,
    /// Milliseconds that the worker spent on it; 0 if nobody waits for this answer alone.
    pub took: f64,
    pub body: ResponseBody,
}

impl Response {
    /// What comes unasked.
    pub fn unasked(body: ResponseBody) -> Self {
        Self {
            id: 0,
            revision: 0,
            took: 0.0,
            body,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ResponseBody {
    /// The worker runs; sent once, unasked, with id 0.
    Ready,
    /// The worker has opened a made-up catalog, so that its functions are compiled before the first drop. The page decodes
    /// the answers, so that its decoders are compiled too. Sent once, unasked.
    WarmedUp {
        answers: Vec<ResponseBody>,
    },
    /// How far an open has come.
    Progress {
        bytes: u64,
        total_bytes: u64,
        files: u32,
        total_files: u32,
    },
    /// The lanes of the package that will be in view first, as an SVG, while the other files are read. Sent unasked.
    FirstLanes {
        package: String,
        svg: Vec<u8>,
    },
    /// All files are indexed; verdicts included.
    Opened(Box<Status>),
    Cancelled,
    Packages {
        root: String,
        rows: Vec<PackageRow>,
    },
    Package(Box<PackageView>),
    Range(Box<RangeView>),
    RangeMatches(Box<RangeMatches>),
    Inspection(Box<Inspection>),
    Source(Box<SourceView>),
    FoundText(FoundText),
    Problems {
        root: String,
        problems: Vec<Json<Diagnostic>>,
    },
    Explained(Box<RuleText>),
    Previewed {
        /// What was previewed if it is not what was asked for: the operations that the catalog lacks.
        lacking: Option<Json<Vec<EditOp>>>,
        diffs: Vec<FileDiff>,
        consequences: Box<Consequences>,
        /// If passing packages would fail: operations to do instead, after which they pass. Nearest to the request first.
        alternatives: Vec<Json<Vec<EditOp>>>,
        /// Every other open catalog, if requested.
        elsewhere: Vec<OtherCatalog>,
    },
    RenderTargets(Box<RenderTargets>),
    /// Operations to preview and apply; none where nothing has to change.
    Operations(Json<Vec<EditOp>>),
    /// Operations that convert a template, and what is lost though it renders to the same catalog.
    Converted {
        ops: Json<Vec<EditOp>>,
        remarks: Vec<String>,
    },
    /// No semver template makes the graph of this one: what differs, a line each.
    NotConverted {
        differences: Vec<String>,
    },
    Bundles(Box<DroppedBundles>),
    /// The dropped files hold no bundle, or something else besides.
    NoBundles,
    Manifests(Box<DroppedManifests>),
    /// Nothing in the dropped files asks where a package will go, or they are of a catalog.
    NoManifests,
    /// Answers `ListFiles`.
    FilesListed,
    Applied(Box<Applied>),
    /// An operation was refused: nothing changed.
    Refused(OperationRefusal),
    Review {
        files: Vec<FileDiff>,
        /// The unsaved steps that are still in effect.
        steps: Vec<StepInEffect>,
        /// The git repository that they lie in, as a folder that the patch names its paths from; `None`: not seen.
        git_folder: Option<String>,
    },
    Exported {
        name: String,
        mime: String,
        bytes: Vec<u8>,
    },
    /// Edits that the added files did not contain were applied again.
    Replayed {
        status: Box<Status>,
        /// The steps that could be applied, in order, without those that no longer changed anything. Except for
        /// `Replay`, which adds them, these are the whole history, of which the status gives the number applied.
        steps: Vec<ReplayStep>,
        /// The steps that could not be, with the reason.
        refused: Vec<(ReplayStep, String)>,
        /// Files with which the history begins as before: their added content is what was last read or saved.
        kept: Vec<String>,
        /// Titles of steps that can no longer be undone or done again, though they are not refused.
        forgotten: Vec<String>,
    },
    DiskChecked {
        files: Vec<DiskCheck>,
    },
    ToBeWritten {
        files: Vec<ToBeWritten>,
    },
    Saved {
        status: Box<Status>,
        /// Paths of files that are on disk something else than what was written.
        differing: Vec<String>,
    },
    Repository(Box<RepositoryView>),
    Operator(Box<OperatorView>),
    ReleaseForm(Box<ReleaseForm>),
    RepositoryPlan(Box<RepositoryPlan>),
    /// The best, and how many there are.
    Found {
        hits: Vec<Hit>,
        total: u32,
    },
    /// Files that matter to a catalog, by path.
    RelevantFiles {
        paths: Vec<String>,
    },
    Picture(IconView),
    /// CRC-32 of the bytes on disk, by path; files that are not there or cannot be read are left out.
    Fingerprints {
        found: Vec<(String, u32)>,
    },
    Everyone(Box<EveryoneView>),
    Compared(Box<Comparison>),
    ComparedPackage(Box<PackageComparison>),
    Matrix(Box<MatrixView>),
    Subset(Box<SubsetView>),
    /// Paths, beginning with the folder's name, and bytes.
    SubsetFiles {
        files: Vec<(String, Vec<u8>)>,
    },
    InstallManifests(Box<InstallManifests>),
    NoInstallManifests(Box<InstallRefusal>),
    /// Entries of a package against the disk.
    Unsaved {
        entries: Vec<EntryChange>,
    },
    /// These files changed on disk since they were opened; nothing was lost.
    ChangedOnDisk {
        paths: Vec<String>,
    },
    /// The worker is about to die; the text of its panic. Sent unasked with id 0.
    Panicked {
        message: String,
    },
    /// The request could not be served (a name that is gone, a file that cannot be read).
    Failed {
        message: String,
    },
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
