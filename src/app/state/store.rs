//! The workspace store: the open files, the view, and how the worker's answers change them.
//!
//! Signals hold the state, so that panels update only for what concerns them; all logic is here and none of it touches
//! the browser. Content is always identified by root, package and name, so that a late answer can be recognized.

mod edits;
mod loading;
mod opening;
mod page_state;
mod repository;
#[cfg(test)]
mod tests;
mod unsaved;
mod view_state;

pub use edits::{LastChange, Preview};
pub use opening::OpenEnd;
pub use protocol::response::Progress;
pub use view_state::{ViewSnapshot, ViewState};

use super::journal::{JournalStep, SetAside};
use super::save_state::SaveState;
use super::store_signal::StoreSignal;
use super::worker_api::WorkerApi;
use super::worker_watchdog::Busy;
use futures::channel::oneshot;
use leptos::prelude::*;
use protocol::diagnostic::{Diagnostic, Location};
use protocol::inspection::Inspection;
use protocol::query::Query;
use protocol::request::{LaneOptions, PackageRequest, Target};
use protocol::response::{AskError, PackageView};
use protocol::upgrades::Baseline;
use protocol::views::*;
use std::rc::Rc;
use std::sync::Arc;

/// Whether something is open.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Phase {
    /// Nothing is: the start page.
    #[default]
    Empty,
    Opening(Progress),
    Open,
}

/// The lanes of the package that will be in view first, while its catalog is still being read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstLanes {
    pub package: String,
    /// A picture that refers to nothing outside.
    pub svg: Arc<[u8]>,
}

/// The centre's tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Tab {
    #[default]
    Graph,
    Table,
    Everyone,
    Compare,
    Source,
}

/// The place in view in the source tab.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourcePlace {
    /// Path relative to the current root.
    pub file: String,
    /// Line to be seen, from 1.
    pub line: u32,
    /// Last line to be marked with it.
    pub end_line: u32,
}

/// A message that stays until the user dismisses it.
#[derive(Debug, Clone, PartialEq)]
pub enum Notice {
    /// The worker died and was replaced; these steps could not be restored.
    Recovered {
        message: String,
        set_aside: Vec<SetAside>,
    },
    /// A step killed the worker twice.
    SetAside(SetAside),
    /// No worker can be had. The steps can be taken out as a list of operations.
    Dead {
        message: String,
        steps: Vec<JournalStep>,
    },
    /// A request could not be served.
    Failed(String),
    /// A package of a catalog cannot be shown. It goes when another is in view.
    NotShown {
        root: String,
        package: String,
        message: String,
    },
    /// Edits cannot be stored where they would outlive the tab; the browser's reason.
    Unkept(String),
    /// Another tab has the same folder open.
    OpenElsewhere,
    /// Going on with earlier work set these steps aside.
    Resumed { set_aside: Vec<SetAside> },
    /// Reloading set these steps aside.
    Reloaded {
        set_aside: Vec<(JournalStep, String)>,
    },
}

/// The state of the page, shared by copy.
#[derive(Clone, Copy)]
pub struct WorkspaceStore {
    pub phase: StoreSignal<Phase>,
    pub status: StoreSignal<Status>,
    /// What can be seen of what is being opened.
    pub first_lanes: StoreSignal<Option<FirstLanes>>,
    /// True between an `error` event of the worker and the new worker's first word.
    pub recovering: StoreSignal<bool>,
    /// What the worker died of that is being replaced.
    died_of: StoredValue<Option<String>>,
    /// Whether somebody has been waiting for the worker longer than usual.
    pub busy: StoreSignal<Busy>,
    /// Name of the catalog in view.
    pub root: StoreSignal<String>,
    /// Rows of the catalog in view.
    pub packages: StoreSignal<Vec<PackageRow>>,
    /// Name of the package in view.
    pub package: StoreSignal<Option<String>>,
    pub tab: StoreSignal<Tab>,
    /// What the inspector shows and the graph marks.
    pub selection: StoreSignal<Option<Target>>,
    pub question: StoreSignal<UpgradeQuestion>,
    pub lanes: StoreSignal<LaneOptions>,
    /// A comparison that is on; it belongs to one catalog and ends when another one is shown.
    comparing: StoreSignal<Option<Comparing>>,
    /// Catalog and package of which something is removed and not saved: it is drawn with what is on disk beside it.
    pub with_removed: StoreSignal<Option<(String, String)>>,
    /// The package in view; `None` until its first answer.
    pub view: StoreSignal<Option<Arc<PackageView>>>,
    pub inspection: StoreSignal<Option<Inspection>>,
    pub source_place: StoreSignal<Option<SourcePlace>>,
    pub source: StoreSignal<Option<Arc<SourceView>>>,
    /// The file whose text could not be fetched by the latest query, and the reason.
    pub source_unread: StoreSignal<Option<(String, String)>>,
    /// Problems of the catalog in view.
    pub problems: StoreSignal<Vec<Diagnostic>>,
    /// What the last edit, undo or redo came to, until it is dismissed.
    pub last_change: StoreSignal<Option<LastChange>>,
    /// Packages of any catalog that the last edit judged again: catalog, name, whether it has unsaved edits.
    pub judged: StoreSignal<Vec<(String, String, bool)>>,
    pub notices: StoreSignal<Vec<Notice>>,
    /// A save to disk that is under way or has just ended.
    pub saving: StoreSignal<SaveState>,
    /// Files that changed on disk since they were opened, for the banner.
    pub changed_on_disk: StoreSignal<Vec<String>>,
    /// Typed text that is not a step yet exists.
    pub typed: StoreSignal<bool>,
    /// The number of edits, undos and the like that were requested and are not shown yet.
    changing: RwSignal<u32>,
    /// Those waiting until there are none.
    waiting: StoredValue<Vec<oneshot::Sender<()>>, LocalStorage>,
    /// A request for the view is under way; another one is needed after it.
    view_task: StoredValue<Task>,
    worker: StoredValue<Rc<dyn WorkerApi>, LocalStorage>,
}

/// A catalog against the one that users have now.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Comparing {
    root: String,
    old: Baseline,
}

/// At most one request for the view is under way; changes in the meantime lead to a single further request
/// afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Task {
    #[default]
    Idle,
    Running,
    Again,
}

impl WorkspaceStore {
    /// To be made inside a reactive owner, as all signals.
    pub fn new(worker: Rc<dyn WorkerApi>) -> Self {
        Self {
            phase: StoreSignal::default(),
            status: StoreSignal::default(),
            first_lanes: StoreSignal::default(),
            recovering: StoreSignal::default(),
            died_of: StoredValue::default(),
            busy: StoreSignal::default(),
            root: StoreSignal::default(),
            packages: StoreSignal::default(),
            package: StoreSignal::default(),
            tab: StoreSignal::default(),
            selection: StoreSignal::default(),
            question: StoreSignal::default(),
            // A small package does not fold; a large one is not to be seen without.
            lanes: StoreSignal::new(LaneOptions {
                fold: true,
                ..LaneOptions::default()
            }),
            comparing: StoreSignal::default(),
            with_removed: StoreSignal::default(),
            view: StoreSignal::default(),
            inspection: StoreSignal::default(),
            source_place: StoreSignal::default(),
            source: StoreSignal::default(),
            source_unread: StoreSignal::default(),
            problems: StoreSignal::default(),
            last_change: StoreSignal::default(),
            judged: StoreSignal::default(),
            notices: StoreSignal::default(),
            saving: StoreSignal::default(),
            changed_on_disk: StoreSignal::default(),
            typed: StoreSignal::default(),
            changing: RwSignal::default(),
            waiting: StoredValue::new_local(Vec::new()),
            view_task: StoredValue::default(),
            worker: StoredValue::new_local(worker),
        }
    }

    /// The catalog in view.
    pub fn root_row(self) -> Option<RootRow> {
        let root = self.root.get();
        self.status
            .with(|status| status.roots.iter().find(|row| row.root == root).cloned())
    }

    pub fn can_undo(self) -> bool {
        self.status.with(|status| status.applied_steps > 0)
    }

    pub fn can_redo(self) -> bool {
        self.status
            .with(|status| status.applied_steps < status.history.len())
    }

    /// Whether leaving the page would lose something.
    pub fn would_lose(self) -> bool {
        self.has_unsaved_edits() || self.typed.get_untracked() || self.is_changing()
    }

    /// Whether the view differs from the disk.
    pub fn has_unsaved_edits(self) -> bool {
        self.status
            .with_untracked(|status| !status.changed_files.is_empty())
    }

    /// Whether operations have to name their catalog.
    pub fn has_several_roots(self) -> bool {
        self.status.with(|status| status.roots.len() > 1)
    }

    /// Whether a catalog can be laid beside another.
    pub fn has_several_catalogs(self) -> bool {
        self.status
            .with(|status| status.roots.iter().filter(|row| row.is_catalog()).count() > 1)
    }

    /// The `catalog` of an operation on the package in view.
    pub fn catalog_of_op(self) -> Option<String> {
        self.has_several_roots().then(|| self.root.get())
    }

    /// Shows where something is written.
    pub fn source_place_of(location: &Location) -> SourcePlace {
        SourcePlace {
            file: location.file.clone(),
            line: location.line,
            end_line: location.end_line,
        }
    }

    pub fn package_request(self) -> Option<PackageRequest> {
        let (root, package) = (self.root.get_untracked(), self.package.get_untracked()?);
        let is_it = |of: &(String, String)| (&of.0, &of.1) == (&root, &package);
        let disk = self
            .with_removed
            .with_untracked(|of| of.as_ref().is_some_and(is_it).then_some(Baseline::Disk));
        Some(PackageRequest {
            lanes: self.lanes.get_untracked(),
            question: self.question.get_untracked(),
            baseline: untrack(|| self.compared_with()).or(disk),
            root,
            package,
        })
    }

    /// The queries that show the package in view after an edit.
    pub fn view_request(self) -> Option<PackageRequest> {
        self.package_request().map(|request| self.as_seen(request))
    }

    fn as_seen(self, request: PackageRequest) -> PackageRequest {
        self.view
            .with_untracked(|view| request.as_seen(view.as_deref()))
    }

    /// Whether the picture compares the catalog with another; otherwise it marks unsaved changes.
    pub fn is_compared(self) -> bool {
        matches!(self.compared_with(), Some(Baseline::Catalog(_)))
    }

    /// Draws what was removed from a package and not saved, or from none.
    pub async fn draw_removed(self, of: Option<(String, String)>) {
        if self.with_removed.with_untracked(|known| *known != of) {
            self.with_removed.set(of);
            self.refresh_view().await;
        }
    }

    /// What the catalog in view is compared with, as long as that is open and another one.
    pub fn compared_with(self) -> Option<Baseline> {
        let root = self.root.get();
        let is_open = |name: &String| {
            self.status
                .with(|status| status.roots.iter().any(|row| row.root == *name))
        };
        let comparing = self.comparing.get().filter(|of| of.root == root)?;
        Some(comparing.old).filter(|old| match old {
            Baseline::Disk => true,
            Baseline::Catalog(other) => *other != root && is_open(other),
        })
    }

    /// Whether no request for the view is under way.
    fn view_is_answered(self) -> bool {
        self.view_task.get_value() == Task::Idle
    }

    pub fn ask<Q: Query>(
        self,
        query: Q,
    ) -> impl Future<Output = Result<Q::Answer, AskError>> + use<Q> {
        self.worker.get_value().ask(query)
    }

    fn revision(self) -> u64 {
        self.status.with_untracked(|status| status.revision)
    }
}

/// The text for a catalog's verdict.
pub fn verdict(row: &RootRow) -> String {
    if let Some(rendered) = row
        .rendered
        .as_ref()
        .filter(|rendered| !rendered.is_complete())
    {
        return match rendered.missing.len() {
            1 => "Not validated: 1 bundle is not open".into(),
            missing => format!("Not validated: {missing} bundles are not open"),
        };
    }
    if row
        .rendered
        .as_ref()
        .is_some_and(|rendered| !rendered.refused.is_empty())
    {
        return "Cannot be rendered".into();
    }
    if row.is_template() {
        return match row.errors {
            0 => "Template without errors".into(),
            1 => "Template with errors: 1 error".into(),
            errors => format!("Template with errors: {errors} errors"),
        };
    }
    match (row.passed, row.errors) {
        (true, _) => "Passes opm validate".into(),
        (false, 1) => "Fails opm validate: 1 error".into(),
        (false, errors) => format!("Fails opm validate: {errors} errors"),
    }
}
