//! The session store: the open files, the view, and how the worker's answers change them.
//!
//! Signals hold the state, so that panels only update for what concerns them; all logic is here and
//! none of it touches the browser. Content is always identified by root, package and name, so that
//! a late answer can be recognized.

mod edits;
mod loading;
mod opening;
pub mod renderings;
mod selection;
mod signals;
mod source;
#[cfg(test)]
mod tests;
mod view_state;

pub use edits::{LastChange, Preview};
pub use opening::{ComparisonChoice, OpenProgress};
pub use protocol::response::Progress;
pub use source::{SourcePlace, SourceState};
use view_state::{drawn_entry, with_selected_channel};

use super::journal::{DroppedStep, JournalStep};
use super::save_state::SaveState;
use super::worker_api::{Answer, AnyQuery, Busy, WorkerApi};
use crate::reactive::owned_signal;
use futures::FutureExt;
use futures::channel::oneshot;
use leptos::prelude::*;
use protocol::diagnostic::Diagnostic;
use protocol::inspection::Inspection;
use protocol::query::Query;
use protocol::request::{LaneOptions, PackageRequest, Target};
use protocol::response::{AskError, PackageView};
use protocol::upgrades::Baseline;
use protocol::views::*;
use selection::LostSelection;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;

owned_signal! {
    /// A part of the state. Everything may read it, and only the store writes it.
    StoreSignal
}

/// Whether something is open.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Phase {
    /// Nothing is open: the start page.
    #[default]
    Empty,
    Opening(Progress),
    Open,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Tab {
    #[default]
    Graph,
    Table,
    UpgradeMap,
    Compare,
    Source,
}

/// A message shown until the user dismisses it.
#[derive(Debug, Clone, PartialEq)]
pub enum Notice {
    /// The worker died and was replaced; these steps could not be restored.
    Recovered { set_aside: Vec<DroppedStep> },
    /// A step killed the worker twice.
    DroppedStep(DroppedStep),
    /// No worker can be started. The steps can be exported as a list of operations.
    Dead {
        message: String,
        steps: Vec<JournalStep>,
    },
    /// A request failed.
    Failed(String),
    /// Files changed on disk, so these steps can no longer be undone or redone: `A and 2 more`.
    Forgotten(String),
    /// A package of a catalog cannot be shown. Removed when another package is in view.
    NotShown {
        root: String,
        package: String,
        message: String,
    },
    /// Edits cannot be stored beyond the tab; the browser's reason.
    NotStored(String),
    /// Another tab has the same folder open.
    OpenElsewhere,
    /// Continuing earlier work set these steps aside.
    Resumed { set_aside: Vec<DroppedStep> },
    /// Reloading set these steps aside.
    Reloaded { set_aside: Vec<DroppedStep> },
}

/// The state of the page. A copy is a pointer, since many closures keep one.
#[derive(Clone, Copy)]
pub struct SessionStore(&'static StoreState);

impl Deref for SessionStore {
    type Target = StoreState;

    fn deref(&self) -> &StoreState {
        self.0
    }
}

/// The content of [`SessionStore`].
pub struct StoreState {
    pub status: StoreSignal<Status>,
    pub opening: OpenProgress,
    /// True between the worker's `error` event and the new worker's first message.
    pub recovering: StoreSignal<bool>,
    /// Whether the worker being replaced died, rather than being ended by the user.
    has_crashed: StoredValue<bool>,
    /// How long requests have been waiting for the worker.
    pub busy: StoreSignal<Busy>,
    /// Name of the catalog in view.
    pub root: StoreSignal<String>,
    /// Package rows of the catalog in view.
    pub packages: StoreSignal<Vec<PackageRow>>,
    /// Name of the package in view.
    pub package: StoreSignal<Option<String>>,
    pub tab: StoreSignal<Tab>,
    /// Shown in the inspector and marked in the graph.
    pub selection: StoreSignal<Option<Target>>,
    pub question: StoreSignal<UpgradeQuestion>,
    /// Without the selected entry, which follows from `selection`.
    pub lanes: StoreSignal<LaneOptions>,
    pub comparison: ComparisonChoice,
    /// The package with unsaved removals, drawn beside the current state.
    pub with_removed: StoreSignal<Option<PackageRef>>,
    /// The package in view; `None` until its first answer.
    pub view: StoreSignal<Option<Arc<PackageView>>>,
    pub inspection: StoreSignal<Option<Inspection>>,
    pub source: SourceState,
    /// Problems of the catalog in view.
    pub problems: StoreSignal<Vec<Diagnostic>>,
    /// The consequences of the last edit, undo or redo, until dismissed.
    pub last_change: StoreSignal<Option<LastChange>>,
    /// Packages that the last edit validated again.
    pub judged: StoreSignal<Vec<PackageRef>>,
    pub notices: StoreSignal<Vec<Notice>>,
    /// A save in progress or just ended.
    pub saving: StoreSignal<SaveState>,
    /// Files that changed on disk since opening, for the banner.
    pub changed_on_disk: StoreSignal<Vec<String>>,
    /// Whether there is typed text that is not a step yet.
    pub typed: StoreSignal<bool>,
    lost: StoredValue<Vec<LostSelection>>,
    /// Number of edits and undos whose results are not shown yet.
    changing: RwSignal<u32>,
    /// Waiters for the end of all edits.
    waiting: StoredValue<Vec<oneshot::Sender<()>>, LocalStorage>,
    refresh: StoredValue<Refresh, LocalStorage>,
    worker: StoredValue<Rc<dyn WorkerApi>, LocalStorage>,
}

/// A refresh of the view in progress.
#[derive(Default)]
struct Refresh {
    with_inspection: bool,
    /// The first caller sends the requests, the others wait.
    callers: Vec<oneshot::Sender<()>>,
}

impl SessionStore {
    /// Creates the store. Must be called inside a reactive owner, like for all signals.
    pub fn new(worker: Rc<dyn WorkerApi>) -> Self {
        let worker = StoredValue::new_local(worker);
        let (status, root, notices) = Default::default();
        Self(Box::leak(Box::new(StoreState {
            status,
            opening: OpenProgress::new(status, notices),
            recovering: StoreSignal::default(),
            has_crashed: StoredValue::default(),
            busy: StoreSignal::default(),
            root,
            packages: StoreSignal::default(),
            package: StoreSignal::default(),
            tab: StoreSignal::default(),
            selection: StoreSignal::default(),
            question: StoreSignal::default(),
            // A small package has nothing to fold; a large one is unreadable without folding.
            lanes: StoreSignal::new(LaneOptions {
                fold: true,
                ..LaneOptions::default()
            }),
            comparison: ComparisonChoice::new(root, status),
            with_removed: StoreSignal::default(),
            view: StoreSignal::default(),
            inspection: StoreSignal::default(),
            source: SourceState::new(root, notices, worker),
            problems: StoreSignal::default(),
            last_change: StoreSignal::default(),
            judged: StoreSignal::default(),
            notices,
            saving: StoreSignal::default(),
            changed_on_disk: StoreSignal::default(),
            typed: StoreSignal::default(),
            lost: StoredValue::default(),
            changing: RwSignal::default(),
            waiting: StoredValue::new_local(Vec::new()),
            refresh: StoredValue::new_local(Refresh::default()),
            worker,
        })))
    }

    pub fn root_row(self) -> Option<RootRow> {
        let root = self.root.get();
        self.status
            .with(|status| status.roots.iter().find(|row| row.root == root).cloned())
    }

    /// Whether leaving the page would lose work; untracked.
    pub fn has_unsaved_work(self) -> bool {
        self.status.has_unsaved_edits_untracked()
            || self.typed.get_untracked()
            || self.is_changing()
    }

    /// Returns the `catalog` field of operations on the package in view.
    pub fn operation_catalog(self) -> Option<String> {
        self.status.has_several_roots().then(|| self.root.get())
    }

    /// Returns the question about the selection: the subscribed channel is the selected one, unless
    /// the user chose a channel.
    pub fn question_in_view(self) -> UpgradeQuestion {
        let question = self.question.get();
        self.selection
            .with(|selection| with_selected_channel(question, selection.as_ref()))
    }

    /// Returns the query for the package in view, untracked; `None` if there is none.
    pub fn package_request(self) -> Option<PackageRequest> {
        let (root, package) = (self.root.get_untracked(), self.package.get_untracked()?);
        let has_removed = self.with_removed.with_untracked(|removed| {
            removed
                .as_ref()
                .is_some_and(|removed| removed.root == root && removed.package == package)
        });
        let disk = has_removed.then_some(Baseline::Disk);
        Some(PackageRequest {
            lanes: LaneOptions {
                selected: self
                    .selection
                    .with_untracked(|target| drawn_entry(target.as_ref())),
                ..self.lanes.get_untracked()
            },
            question: untrack(|| self.question_in_view()),
            baseline: untrack(|| self.comparison.baseline()).or(disk),
            root,
            package,
        })
    }

    /// Returns the query that refreshes the package in view after an edit.
    pub fn view_request(self) -> Option<PackageRequest> {
        let request = self.package_request()?;
        Some(
            self.view
                .with_untracked(|view| request.as_seen(view.as_deref())),
        )
    }

    /// Draws the unsaved removals of a package, or none.
    pub async fn draw_removed(self, removed: Option<PackageRef>) {
        if self
            .with_removed
            .with_untracked(|current| *current != removed)
        {
            self.with_removed.set(removed);
            self.refresh_view().await;
        }
    }

    /// Sends a query to the worker. Dropping the returned future discards the answer.
    pub fn ask<Q: Query>(
        self,
        query: Q,
    ) -> impl Future<Output = Result<Q::Answer, AskError>> + use<Q> {
        self.worker
            .get_value()
            .exchange(AnyQuery::new(query))
            .map(Answer::decode_answer)
    }
}
