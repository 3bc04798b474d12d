//! An operator repository as the page shows it: operators against catalogs, and what is planned for them.

use super::views::{Consequences, FileDiff};
use serde::{Deserialize, Serialize};

/// That what is open is a repository. Part of the status.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RepositoryStatus {
    /// The folder that was opened; "" where several were opened together.
    pub name: String,
    /// Operators whose files were read into the workspace, in order.
    pub open: Vec<String>,
}

/// What the names of its files say about a repository..
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RepositoryView {
    /// Catalogs: newest version first, then other names.
    pub catalogs: Vec<String>,
    /// In the order of their names.
    pub operators: Vec<OperatorRow>,
}

/// An operator, by names alone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OperatorRow {
    pub name: String,
    /// Positions of the catalogs that have it.
    pub catalogs: Vec<u32>,
    /// Its bundle folders.
    pub bundles: u32,
}

/// What was found out about one operator..
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OperatorView {
    pub operator: String,
    /// Catalogs that its mapping names or that have it; one that two templates are mapped to stands there twice.
    pub cells: Vec<OperatorCell>,
    /// Highest version first.
    pub bundles: Vec<BundleFolder>,
    pub templates: Vec<OperatorTemplate>,
    /// What is wrong in its files, and what the pipeline does without a word.
    pub findings: Vec<RepositoryFinding>,
    /// Checks that `config.yaml` leaves out for it.
    pub left_out: Vec<String>,
}

/// An operator in a catalog.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OperatorCell {
    pub catalog: String,
    /// The catalog's root in the workspace.
    pub root: String,
    pub state: CellState,
    /// What the state means here; "" where there is nothing to say.
    pub says: String,
    /// Path below the repository; "" where no mapping names the catalog.
    pub template: String,
    pub verdict: CellVerdict,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum CellState {
    Fresh,
    Stale,
    /// A mapping names the catalog, and it does not have the operator.
    Missing,
    #[default]
    NotJudged,
}

/// What `opm validate` would say of the whole catalog that an operator is in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum CellVerdict {
    /// There is nothing to judge.
    #[default]
    None,
    Passes,
    /// Nothing is wrong with the operator's part. The whole catalog is too large to be judged in the page.
    PartPasses,
    /// Which operators fail, and why: a line each.
    Fails(String),
}

/// A folder with a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BundleFolder {
    /// The folder's name, which is the bundle's version.
    pub version: String,
    pub has_release_config: bool,
    /// Whether a committed catalog of the operator has a bundle of this version.
    pub is_released: bool,
}

/// A template of an operator.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OperatorTemplate {
    /// Its file name.
    pub name: String,
    /// As its mapping has it; "" for none.
    pub kind: String,
    /// The catalogs that it is mapped to.
    pub catalogs: Vec<String>,
    pub channels: Vec<String>,
    /// Names of its entries, highest version first.
    pub entries: Vec<String>,
}

/// One thing that is wrong, or that somebody should know.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RepositoryFinding {
    /// The check of the pipeline, or what we call it.
    pub check: String,
    pub is_error: bool,
    pub message: String,
    /// Path below the repository; "" for none.
    pub file: String,
    /// Where the file can be opened; "" where it cannot.
    pub opened: String,
    /// From 1; 0 for the whole file.
    pub line: u32,
    pub help: String,
    /// What corrects it, in words; "" where nothing is certain.
    pub fix: String,
}

/// Something to be done in a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RepositoryTask {
    Release(ReleaseDraft),
    /// All stale catalogs of an operator are rendered.
    Render {
        operator: String,
    },
    /// To the next OpenShift version; all operators where none is named.
    Promote {
        from: String,
        to: String,
        operators: Vec<String>,
    },
    /// To file-based catalogs, from catalogs as a registry serves them.
    Onboard {
        operator: String,
        catalogs: Vec<ServedCatalog>,
    },
    /// What corrects a finding.
    Fix {
        operator: String,
        check: String,
        /// Path below the repository.
        file: String,
        line: u32,
    },
}

/// A catalog as `opm render` printed it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ServedCatalog {
    /// As the repository calls it: `v4.18`.
    pub name: String,
    /// What the file is called.
    pub file: String,
    pub text: String,
}

/// The release of a bundle as it is filled in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReleaseDraft {
    pub operator: String,
    /// The bundle's folder.
    pub bundle: String,
    pub image: String,
    pub items: Vec<ReleaseItem>,
    pub hand_in: HandIn,
    /// Files of a bundle that the repository does not have yet, with paths below the bundle's folder.
    pub dropped: Vec<(String, String)>,
}

/// What is handed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum HandIn {
    /// `release-config.yaml` alone: the pipeline makes the rest.
    #[default]
    ConfigOnly,
    /// Templates and catalogs too, in a second pull request.
    All,
}

/// Where a bundle goes in one template.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReleaseItem {
    /// The template's file name.
    pub template: String,
    pub channels: Vec<String>,
    /// "" for none.
    pub replaces: String,
    pub skips: Vec<String>,
    /// "" for none.
    pub skip_range: String,
    /// "" to leave it as it is.
    pub default_channel: String,
}

/// What the release form begins with..
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReleaseForm {
    pub operator: String,
    pub bundle: String,
    /// The bundle's name; "" where it cannot be read.
    pub name: String,
    /// An image like those of its predecessors.
    pub image: String,
    /// The templates that the bundle can go into.
    pub templates: Vec<TemplateOffer>,
    /// From the bundle's `release-config.yaml` if it has one, else as its predecessors were released.
    pub draft: Vec<ReleaseItem>,
    /// Whether the draft is what the bundle's own file says.
    pub is_written: bool,
    /// Why the bundle or its file cannot be read.
    pub findings: Vec<RepositoryFinding>,
}

/// A template, and what can be named in it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TemplateOffer {
    pub template: String,
    /// `olm.template.basic` or `olm.semver`.
    pub kind: String,
    pub catalogs: Vec<String>,
    pub channels: Vec<String>,
    /// Bundles that it has entries for, highest version first.
    pub entries: Vec<String>,
    pub default_channel: String,
}

/// What a task comes to..
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RepositoryPlan {
    /// The step's title.
    pub title: String,
    /// Why it cannot be made.
    pub refused: Vec<RepositoryFinding>,
    /// What should be known before.
    pub findings: Vec<RepositoryFinding>,
    /// What is not a finding: a line each.
    pub notes: Vec<String>,
    /// The text of `release-config.yaml`; "" for other tasks.
    pub config: String,
    /// Templates and configuration that change.
    pub files: Vec<FileDiff>,
    pub catalogs: Vec<PlannedCatalog>,
    /// The pull requests that hand it in, in their order.
    pub pull_requests: Vec<PullRequest>,
}

/// A catalog that is made or changed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PlannedCatalog {
    pub operator: String,
    pub catalog: String,
    pub is_new: bool,
    /// `None`: nothing changes.
    pub diff: Option<FileDiff>,
    /// What it means to users; empty where the catalog is new or cannot be made.
    pub consequences: Consequences,
    /// Whether the whole catalog passes.
    pub passes: bool,
    /// Only the operator's part was judged: the whole catalog is too large to be judged in the page.
    pub is_part: bool,
    /// Which operators fail `opm validate` and why, or why the catalog cannot be made.
    pub message: String,
    /// Whether it cannot be made.
    pub is_refused: bool,
    pub next_steps: Vec<NextStep>,
}

/// Where one version goes now and after, under both semantics.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NextStep {
    pub package: String,
    pub name: String,
    /// For each channel that has it: channel, next step now and after; "" for none.
    pub classic: Vec<(String, String, String)>,
    pub v1: (String, String),
}

/// Files that are handed in together.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PullRequest {
    /// Paths in the workspace.
    pub files: Vec<String>,
    /// The commit message, its title first.
    pub message: String,
    /// The name of the patch.
    pub patch: String,
}
