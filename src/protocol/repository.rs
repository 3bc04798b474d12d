//! An operator repository as shown on the page: operators by catalogs, and planned changes.

use super::views::{Consequences, FileDiff};
use serde::{Deserialize, Serialize};

/// Part of the status if the open session is an operator repository.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RepositoryStatus {
    /// The opened folder; "" if several were opened together.
    pub name: String,
}

/// Operators and catalogs, derived from file names alone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RepositoryView {
    /// Names of the catalogs: newest version first, then other names.
    pub catalogs: Vec<String>,
    /// Sorted by name.
    pub operators: Vec<OperatorRow>,
}

/// An operator, derived from file names alone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OperatorRow {
    pub name: String,
    /// Indices into [`RepositoryView::catalogs`] of those that have it.
    pub catalogs: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OperatorView {
    pub operator: String,
    /// Catalogs that its mapping names or that have it. A catalog with two mapped templates appears
    /// twice.
    pub cells: Vec<OperatorCell>,
    /// Highest version first.
    pub bundles: Vec<BundleFolder>,
    pub templates: Vec<TemplateOffer>,
    /// Errors in its files, and silent side effects of the pipeline.
    pub findings: Vec<RepositoryFinding>,
    /// Checks that `config.yaml` disables for it.
    pub left_out: Vec<String>,
}

impl OperatorView {
    /// Whether a template makes one of its catalogs.
    pub fn has_template(&self) -> bool {
        self.cells.iter().any(|cell| !cell.template.is_empty())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OperatorCell {
    pub catalog: String,
    /// The catalog's root in the session.
    pub root: String,
    pub state: CellState,
    /// The meaning of the state; "" if it needs no explanation.
    pub explanation: String,
    /// Path of the template in the session; "" if no mapping names the catalog.
    pub template: String,
    pub verdict: CellVerdict,
    /// Whether the catalog is stale but cannot be rendered; a finding has the reason.
    pub is_blocked: bool,
}

impl OperatorCell {
    /// Whether rendering would bring the catalog up to date.
    pub fn can_be_rendered(&self) -> bool {
        self.state == CellState::Stale && !self.is_blocked
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum CellState {
    Fresh,
    Stale,
    /// Differs as in [`OPM_DIFFERENCE`](super::templates::OPM_DIFFERENCE).
    OtherOpm,
    /// A mapping names the catalog, but it lacks the operator.
    Missing,
    #[default]
    NotJudged,
}

/// The verdict that `opm validate` would give on the whole catalog with the operator.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum CellVerdict {
    /// There is no catalog to validate.
    #[default]
    None,
    Passes,
    /// The operator's part passes. The whole catalog is too large to validate in the page.
    PartPasses,
    /// Which operators fail, and why: one line each.
    Fails(String),
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BundleFolder {
    /// The folder's name, which is the bundle's version.
    pub version: String,
    pub has_release_config: bool,
    /// The operator's catalogs that have a bundle of this version, oldest first.
    pub catalogs: Vec<String>,
    /// The others, but for unreadable ones.
    pub lacking: Vec<String>,
}

/// An error or a remark.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RepositoryFinding {
    /// The pipeline's name of the check, or ours.
    pub check: String,
    pub is_error: bool,
    pub message: String,
    /// Path below the repository; "" for none.
    pub file: String,
    /// Path for opening the file; "" if it cannot be opened.
    pub opened: String,
    /// From 1; 0 for the whole file.
    pub line: u32,
    pub help: String,
    /// The remedy; "" if none is certain.
    pub fix: String,
}

/// A change to a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RepositoryTask {
    Release(ReleaseDraft),
    /// Renders all stale catalogs of an operator.
    Render {
        operator: String,
    },
    /// Promotes to the next OpenShift version: the named operators, or all if none is named.
    Promote {
        from: String,
        to: String,
        operators: Vec<String>,
    },
    /// Creates file-based catalogs from catalogs as served by a registry.
    Onboard {
        operator: String,
        catalogs: Vec<ServedCatalog>,
    },
    /// Applies the remedy of a finding.
    Fix {
        operator: String,
        check: String,
        /// Path below the repository.
        file: String,
        line: u32,
    },
}

/// A catalog as printed by `opm render`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ServedCatalog {
    /// Its name in the repository: `v4.18`.
    pub name: String,
    /// Name of the file it was read from.
    pub file: String,
    pub text: String,
}

/// The values of the release form.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReleaseDraft {
    pub operator: String,
    /// The bundle's folder.
    pub bundle: String,
    pub image: String,
    pub items: Vec<ReleaseItem>,
    pub hand_in: SubmitMode,
    /// Files of a bundle that the repository lacks, with paths below the bundle's folder.
    pub dropped: Vec<(String, String)>,
}

/// Which files to submit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum SubmitMode {
    /// `release-config.yaml` alone: the pipeline creates the rest.
    #[default]
    ConfigOnly,
    /// Templates and catalogs too, in a second pull request.
    All,
}

/// The position of a bundle in one template.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReleaseItem {
    /// The template's file name.
    pub template: String,
    pub channels: Vec<String>,
    pub replaces: Option<String>,
    pub skips: Vec<String>,
    pub skip_range: Option<String>,
    /// `None` leaves it unchanged.
    pub default_channel: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReleaseForm {
    pub operator: String,
    pub bundle: String,
    /// The bundle's name; "" if it cannot be read.
    pub name: String,
    /// An image in the pattern of its predecessors.
    pub image: String,
    /// The templates that the bundle can enter.
    pub templates: Vec<TemplateOffer>,
    /// From the bundle's `release-config.yaml` if it has one; otherwise derived from the releases
    /// of its predecessors.
    pub draft: Vec<ReleaseItem>,
    /// Whether the draft is from the bundle's own file.
    pub is_written: bool,
    /// Why the bundle or its file cannot be read.
    pub findings: Vec<RepositoryFinding>,
}

/// A template, and the names to choose from in its fields.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TemplateOffer {
    pub template: String,
    /// The type in its mapping, such as `olm.semver`; "" for none.
    pub kind: String,
    /// The catalogs that it is mapped to.
    pub catalogs: Vec<String>,
    pub channels: Vec<String>,
    /// Bundles that it has entries for, highest version first.
    pub entries: Vec<String>,
    /// The image references of a semver template.
    pub images: Vec<String>,
    /// The newest entry below the released version that has a bundle.
    pub predecessor: Option<String>,
    pub default_channel: Option<String>,
}

/// The effects of a task.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RepositoryPlan {
    /// The step's title.
    pub title: String,
    /// Why the task is impossible.
    pub refused: Vec<RepositoryFinding>,
    /// Warnings to read first.
    pub findings: Vec<RepositoryFinding>,
    /// Remarks, one line each.
    pub notes: Vec<String>,
    /// Templates and configuration that change, including those that the pipeline changes later.
    pub files: Vec<FileDiff>,
    pub catalogs: Vec<PlannedCatalog>,
    /// The pull requests to submit, in order.
    pub pull_requests: Vec<PullRequest>,
}

/// A catalog that is created or changed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PlannedCatalog {
    pub operator: String,
    pub catalog: String,
    pub is_new: bool,
    /// `None`: unchanged.
    pub diff: Option<FileDiff>,
    /// The consequences for users; empty if the catalog is new or cannot be rendered.
    pub consequences: Consequences,
    /// Whether the whole catalog passes.
    pub passes: bool,
    /// Only the operator's part was validated: the whole catalog is too large for the page.
    pub is_part: bool,
    /// Which operators fail `opm validate` and why, or why the catalog cannot be rendered.
    pub message: String,
    /// Whether it cannot be rendered.
    pub is_refused: bool,
}

/// Files that are submitted together.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PullRequest {
    /// Paths in the session.
    pub files: Vec<String>,
    /// The commit message, title first.
    pub message: String,
    /// File name of the patch.
    pub patch: String,
}
