//! The worker's answers.

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
    /// Milliseconds spent in the worker; 0 if no request waits for this answer alone.
    pub took: f64,
    pub body: ResponseBody,
}

impl Response {
    /// A message that answers no request.
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
    /// The worker runs; sent once, with id 0.
    Ready,
    /// The worker has opened a made-up catalog, so that its functions are compiled before the first drop. The page
    /// decodes the answers to compile its decoders, too. Sent once, without a request.
    WarmedUp {
        answers: Vec<ResponseBody>,
    },
    /// Progress of an open.
    Progress {
        bytes: u64,
        total_bytes: u64,
        files: u32,
        total_files: u32,
    },
    /// The lanes of the first package to be in view, as an SVG, while the other files are read. Sent without a request.
    FirstLanes {
        package: String,
        svg: Vec<u8>,
    },
    /// All files are indexed, and all verdicts known.
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
        /// The previewed operations if they are not the requested ones: those that the catalog lacks.
        lacking: Option<Json<Vec<EditOp>>>,
        diffs: Vec<FileDiff>,
        consequences: Box<Consequences>,
        /// If passing packages would fail: operations after which they pass. Nearest to the request first.
        alternatives: Vec<Json<Vec<EditOp>>>,
        /// Every other open catalog, if requested.
        elsewhere: Vec<OtherCatalog>,
    },
    RenderTargets(Box<RenderTargets>),
    /// Operations to preview and apply; empty if nothing has to change.
    Operations(Json<Vec<EditOp>>),
    /// Operations that convert a template, and losses that do not affect the rendered catalog.
    Converted {
        ops: Json<Vec<EditOp>>,
        remarks: Vec<String>,
    },
    /// No semver template produces the graph of this one: the differences, one line each.
    NotConverted {
        differences: Vec<String>,
    },
    Bundles(Box<DroppedBundles>),
    /// The dropped files hold no bundle, or other files, too.
    NoBundles,
    Manifests(Box<DroppedManifests>),
    /// No dropped file is a Subscription or ClusterExtension, or the files belong to a catalog.
    NoManifests,
    /// Answers `ListFiles`.
    FilesListed,
    Applied(Box<Applied>),
    /// An operation was refused; the workspace is unchanged.
    Refused(OperationRefusal),
    Review {
        files: Vec<FileDiff>,
        /// The unsaved steps that are still in effect.
        steps: Vec<StepInEffect>,
        /// The folder of the surrounding git repository, which the patch's paths are relative to; `None`: no repository
        /// seen.
        git_folder: Option<String>,
    },
    Exported {
        name: String,
        mime: String,
        bytes: Vec<u8>,
    },
    /// Edits that the added files did not contain were reapplied.
    Replayed {
        status: Box<Status>,
        /// The steps that could be applied, in order, without those that no longer change anything. Except for
        /// `Replay`, which adds them, these are the whole history; the status has the number of applied steps.
        steps: Vec<ReplayStep>,
        /// The steps that could not be applied, with the reason.
        refused: Vec<(ReplayStep, String)>,
        /// Files whose history still begins with the same content: their added content is what was last read or saved.
        kept: Vec<String>,
        /// Titles of steps that can no longer be undone or redone, though they are not refused.
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
        /// Paths of files whose disk content differs from what was written.
        differing: Vec<String>,
    },
    Repository(Box<RepositoryView>),
    Operator(Box<OperatorView>),
    ReleaseForm(Box<ReleaseForm>),
    RepositoryPlan(Box<RepositoryPlan>),
    /// The best hits, and the number of all.
    Found {
        hits: Vec<Hit>,
        total: u32,
    },
    /// Paths of files that affect a catalog.
    RelevantFiles {
        paths: Vec<String>,
    },
    Picture(IconView),
    /// CRC-32 of the bytes on disk, by path; without files that are missing or unreadable.
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
    /// Entries of a package that differ from the disk.
    Unsaved {
        entries: Vec<EntryChange>,
    },
    /// These files changed on disk since they were opened; no edit was lost.
    ChangedOnDisk {
        paths: Vec<String>,
    },
    /// The worker is about to die; the text of its panic. Sent without a request, with id 0.
    Panicked {
        message: String,
    },
    /// The request failed (a name no longer exists, a file cannot be read).
    Failed {
        message: String,
    },
}

/// The main view of one package.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PackageView {
    pub root: String,
    pub package: String,
    pub default_channel: String,
    /// Shared, since many parts of the page hold it.
    pub lanes: Arc<Lanes>,
    pub table: Vec<TableRow>,
    pub answer: UpgradeAnswer,
    /// Bundles of the package, highest version first: name and version. For *Installed* and the forms.
    pub bundles: Vec<(String, String)>,
    /// Channel names in lane order.
    pub channels: Vec<String>,
    /// The order without any arrangement by the user, to send with the next view request.
    pub default_order: Vec<String>,
    pub problems: Vec<Json<Diagnostic>>,
    /// Names of deprecated things, as `package`, `channel NAME`, `bundle NAME`, with their message.
    pub deprecations: Vec<(String, String)>,
    /// The template that the package is rendered from, if known.
    pub rendered_from: Option<RenderedFrom>,
    /// Bundles whose embedded objects can become `olm.csv.metadata`.
    pub migratable: u32,
    /// For a substitutes template or its rendered form: each replaced bundle, and the image of its replacement. `None`
    /// elsewhere.
    pub substitutions: Option<Vec<(String, String)>>,
    /// Patterns of channels whose newest entries agree.
    pub range_patterns: Vec<RangePattern>,
}

/// An unsaved step that still has an effect.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StepInEffect {
    pub title: String,
    /// The package that all its operations name; "" if they name several, or none.
    pub package: String,
}

/// The workspace after an edit, an undo or a redo.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Applied {
    pub status: Status,
    /// Rows of the affected packages, by catalog.
    pub packages: Vec<(String, PackageRow)>,
    /// Packages that no longer exist, by catalog.
    pub gone: Vec<(String, String)>,
    pub consequences: Consequences,
    pub title: String,
    /// The operations of the applied step, as a new worker would need them; empty for undo and redo.
    pub ops: Json<Vec<EditOp>>,
    /// The requested view in its present state.
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
    /// `differs`: what differs from the operations' own catalog, names in backticks; "" if everything they affect is
    /// equal.
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
    /// A report for the developers if it is a bug of ours; else "".
    pub report: String,
    /// The root of a template whose kind cannot express the operation; another kind may. Else "".
    pub convertible: String,
}
