//! The open repository: whether it is in view, its loaded operators, and its tasks. Loads one
//! operator at a time, and only visible or selected ones.

use super::{AppContext, BundleDrop, ContextSignal, Overlay, Overlays};
use crate::browser::file_tree::read_text;
use crate::browser::repository_folders::RepositoryPart;
use crate::reactive::{Attempts, effect, memo, spawn_local};
use crate::session::Session;
use crate::state::repository::{LoadedOperators, operators_in_paths, plan_warning};
use crate::state::store::renderings;
use crate::state::worker_api::AnyQuery;
use leptos::prelude::*;
use protocol::diagnostic::Location;
use protocol::query::{ApplyRepository, ListOperators, OpenOperator, Operator, PrepareRelease};
use protocol::repository::{
    OperatorView, PullRequest, ReleaseDraft, ReleaseForm, RepositoryPlan, RepositoryTask,
    RepositoryView,
};
use protocol::response::{AskError, OperationRefusal};
use std::sync::Arc;

/// In repositories with at most this many operators, catalogs are read as a whole.
const FEW_OPERATORS: usize = 40;

/// A repository task, with its dialog.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskDialog {
    /// Releases a bundle; `dropped` has the files of a bundle that the repository does not have.
    Release {
        operator: String,
        bundle: String,
        dropped: Vec<(String, String)>,
    },
    /// A task without questions to the user.
    Plain(RepositoryTask),
    /// Promotes these operators to the next version; empty for all.
    Promote {
        operators: Vec<String>,
    },
    Onboard {
        operator: String,
    },
}

#[derive(Clone, Copy)]
pub struct RepositoryState {
    session: Session,
    overlays: Overlays,
    /// Whether the repository is in view, rather than one of its catalogs.
    pub in_view: ContextSignal<bool>,
    pub view: ContextSignal<Option<Arc<RepositoryView>>>,
    /// The loaded operators, by name.
    pub known: ContextSignal<LoadedOperators>,
    /// Why the repository or an operator could not be read.
    pub failed: ContextSignal<Option<String>>,
    /// The operator shown beside the grid.
    pub chosen: ContextSignal<Option<String>>,
    pub pull_requests: ContextSignal<Vec<PullRequest>>,
    /// Operators to load, the most urgent first.
    queue: StoredValue<Vec<String>>,
    is_loading: StoredValue<bool>,
    /// Counts opens and changes, to recognize outdated answers.
    loads: Attempts,
}

impl RepositoryState {
    pub(super) fn new(session: Session, overlays: Overlays) -> Self {
        Self {
            session,
            overlays,
            in_view: ContextSignal::default(),
            view: ContextSignal::default(),
            known: ContextSignal::default(),
            failed: ContextSignal::default(),
            chosen: ContextSignal::default(),
            pull_requests: ContextSignal::default(),
            queue: StoredValue::default(),
            is_loading: StoredValue::default(),
            loads: Attempts::default(),
        }
    }

    pub fn choose(self, operator: Option<String>) {
        self.chosen.set(operator);
    }

    /// Shows a repository when it is opened, and reloads what edits affect.
    pub(super) fn load_on_change(self) {
        let opened = self.session.opened;
        let reread = self.session.reread;
        let has_repository = memo(move |_| {
            self.session
                .store
                .status
                .with(|status| status.repository.is_some())
        });
        effect(move |before: Option<(bool, u32, u32)>| {
            let now = (has_repository.get(), opened.get(), reread.get());
            let is_repository = now.0;
            if before != Some(now) {
                self.loads.supersede();
                self.known.set(LoadedOperators::new());
                self.view.set(None);
                self.chosen.set(None);
                self.pull_requests.set(Vec::new());
                self.failed.set(None);
                // Keep the view if only files on disk changed.
                if before.is_none_or(|before| !before.0 || before.1 != now.1) || !is_repository {
                    self.in_view.set(is_repository);
                }
                self.queue.set_value(Vec::new());
                if is_repository {
                    self.load_repository();
                }
            }
            now
        });
        let edits = memo(move |_| {
            self.session.store.status.with(|status| {
                (
                    status.repository.is_some(),
                    status.applied_steps,
                    status.history.len(),
                    status.changed_files.clone(),
                )
            })
        });
        effect(move |before: Option<Vec<String>>| {
            let (is_repository, _, _, changed) = edits.get();
            if let Some(before) = before.filter(|_| is_repository) {
                let affected = operators_in_paths(before.iter().chain(&changed));
                if !affected.is_empty() {
                    self.loads.supersede();
                    // Forgotten operators are loaded again when they are in view.
                    self.known
                        .update(|known| known.retain(|name, _| !affected.contains(name)));
                    self.load_repository();
                    self.load_next_operator();
                }
            }
            changed
        });
    }

    fn load_repository(self) {
        let is_latest = self.loads.latest();
        spawn_local(async move {
            let answer = self.session.store.ask(ListOperators {}).await;
            if !is_latest() {
                return;
            }
            match answer {
                Ok(view) => self.view.set(Some(Arc::new(view))),
                Err(error) => {
                    let refusal = OperationRefusal::from(error);
                    self.failed.set(Some(refusal.reason));
                }
            }
        });
    }

    /// Loads visible or selected operators, the most urgent first; operators that were requested
    /// before are no longer loaded.
    pub fn load_operators(self, names: Vec<String>) {
        self.queue.set_value(names);
        self.load_next_operator();
    }

    fn load_next_operator(self) {
        if self.is_loading.get_value() {
            return;
        }
        let is_unknown = |name: &&String| {
            self.known
                .with_untracked(|known| !known.contains_key(*name))
        };
        let next = self
            .queue
            .with_value(|queue| queue.iter().find(is_unknown).cloned());
        let Some(name) = next else { return };
        self.is_loading.set_value(true);
        spawn_local(async move {
            self.load_operator(name).await;
            self.load_next_operator();
        });
    }

    async fn load_operator(self, name: String) {
        let is_latest = self.loads.latest();
        let operator = name.clone();
        let answer = match self.find_operator(&name).await {
            Ok(()) => self.session.store.ask(Operator { operator }).await,
            Err(refusal) => Err(AskError::Refused(refusal)),
        };
        self.is_loading.set_value(false);
        if !is_latest() {
            return;
        }
        let view = match answer.map_err(OperationRefusal::from) {
            Ok(view) => view,
            Err(refusal) => {
                self.failed.set(Some(format!("{name}: {}", refusal.reason)));
                // Without this entry the operator would be requested endlessly.
                OperatorView {
                    operator: name.clone(),
                    ..OperatorView::default()
                }
            }
        };
        self.known
            .update(|known| drop(known.insert(name, Arc::new(view))));
    }

    /// Finds the files of an operator, and those of whole catalogs if the repository is small.
    async fn find_operator(self, operator: &str) -> Result<(), OperationRefusal> {
        let mut parts = vec![RepositoryPart::Operator(operator.to_owned())];
        parts.extend(self.small_catalogs());
        self.find_parts(parts).await
    }

    /// Returns all catalogs, if the repository has few operators: only whole catalogs have the
    /// pipeline's verdict.
    fn small_catalogs(self) -> Vec<RepositoryPart> {
        self.view.with_untracked(|view| match view {
            Some(view) if view.operators.len() <= FEW_OPERATORS => view
                .catalogs
                .iter()
                .cloned()
                .map(RepositoryPart::Catalog)
                .collect(),
            _ => Vec::new(),
        })
    }

    async fn find_parts(self, parts: Vec<RepositoryPart>) -> Result<(), OperationRefusal> {
        let outcome = self.session.find_parts(parts).await;
        outcome.map_err(OperationRefusal::new)
    }

    /// Finds the files of the operators that own these paths. Missing files are reported where they
    /// are needed.
    pub(super) async fn find_owners(self, paths: &[String]) {
        if self
            .session
            .store
            .status
            .with_untracked(|status| status.repository.is_some())
        {
            let parts = operators_in_paths(paths)
                .into_iter()
                .map(RepositoryPart::Operator)
                .collect();
            let _ = self.session.find_parts(parts).await;
        }
    }

    async fn read_operator(self, operator: String) -> Result<(), OperationRefusal> {
        self.find_operator(&operator).await?;
        let status = self.session.store.ask(OpenOperator { operator }).await?;
        self.session.store.take_status(status);
        Ok(())
    }

    async fn find_files_for(self, task: &RepositoryTask) -> Result<(), OperationRefusal> {
        let (operators, catalogs) = match task {
            RepositoryTask::Release(ReleaseDraft { operator, .. })
            | RepositoryTask::Render { operator }
            | RepositoryTask::Onboard { operator, .. }
            | RepositoryTask::Fix { operator, .. } => (std::slice::from_ref(operator), Vec::new()),
            RepositoryTask::Promote {
                from,
                to,
                operators,
            } if operators.is_empty() => (&[][..], vec![from.clone(), to.clone()]),
            RepositoryTask::Promote { operators, .. } => (operators.as_slice(), Vec::new()),
        };
        let operators = operators.iter().cloned().map(RepositoryPart::Operator);
        let catalogs = catalogs.into_iter().map(RepositoryPart::Catalog);
        let parts = operators.chain(catalogs).chain(self.small_catalogs());
        self.find_parts(parts.collect()).await
    }

    /// Switches from the catalog in view to the repository.
    pub fn show(self) {
        if self
            .session
            .store
            .status
            .with_untracked(|status| status.repository.is_some())
        {
            self.in_view.set(true);
        }
    }

    /// Opens an operator's catalog or template in the workbench.
    pub fn open_operator_root(self, operator: String, root: String) {
        spawn_local(async move {
            let (store, toasts) = (self.session.store, self.session.notifications.toasts);
            if let Err(refusal) = self.read_operator(operator.clone()).await {
                return toasts.error(refusal.reason);
            }
            if !store.status.is_root_open_untracked(&root) {
                return toasts.error(format!("{root} is missing or cannot be read."));
            }
            renderings::show_template(store, root.clone()).await;
            if store.root.get_untracked() != root {
                return;
            }
            let has_package = store
                .packages
                .with_untracked(|rows| rows.iter().any(|row| row.name == operator));
            let is_in_view = store.package.get_untracked().as_deref() == Some(&*operator);
            if has_package && !is_in_view {
                store.show_package(operator).await;
            }
            self.in_view.set(false);
        });
    }

    pub fn open_task(self, task: TaskDialog) {
        self.overlays.open(Overlay::Repository(task));
    }

    pub async fn plan(self, task: RepositoryTask) -> Result<RepositoryPlan, OperationRefusal> {
        self.find_files_for(&task).await?;
        Ok(self.session.store.ask(task).await?)
    }

    pub async fn release_form(
        self,
        operator: String,
        bundle: String,
        dropped: Vec<(String, String)>,
    ) -> Result<ReleaseForm, OperationRefusal> {
        self.find_operator(&operator).await?;
        let query = PrepareRelease {
            operator,
            bundle,
            dropped,
        };
        Ok(self.session.store.ask(query).await?)
    }

    /// Carries out a task as one step. Closes the dialog on success; `on_end` gets the result.
    pub fn apply(
        self,
        task: RepositoryTask,
        plan: RepositoryPlan,
        on_end: impl FnOnce(Result<(), OperationRefusal>) + 'static,
    ) {
        spawn_local(async move {
            let outcome = match self.find_files_for(&task).await {
                Ok(()) => {
                    self.session.finish_writing().await;
                    let view = self.session.store.view_request();
                    let query = ApplyRepository { task, view };
                    let query = AnyQuery::new(query);
                    self.session.store.change(query, Box::new(|| ())).await
                }
                Err(refusal) => Err(refusal),
            };
            if outcome.is_ok() {
                self.pull_requests.set(plan.pull_requests);
                self.overlays.close();
                if let Some(warning) = plan_warning(&plan.catalogs) {
                    let toasts = self.session.notifications.toasts;
                    toasts.error(format!("{}: {warning}.", plan.title));
                }
            }
            on_end(outcome);
        });
    }

    /// Opens the release dialog for a bundle dropped over the repository. The release adds its
    /// files.
    pub(super) async fn release_dropped(self, dropped: BundleDrop) {
        let toasts = self.session.notifications.toasts;
        let [bundle] = dropped.content.bundles.as_slice() else {
            return toasts.note("Drop one bundle at a time: each is released by itself.");
        };
        let operator = bundle.package.clone();
        let is_known = self.view.with_untracked(|view| {
            view.as_ref()
                .is_some_and(|view| view.operators.iter().any(|row| row.name == operator))
        });
        if !is_known {
            return toasts.error(format!("The repository has no operator {operator}."));
        }
        let mut files = Vec::new();
        for picked in dropped.files.iter() {
            let below = match bundle.source.as_str() {
                "" => Some(picked.path.as_str()),
                source => picked
                    .path
                    .strip_prefix(source)
                    .and_then(|path| path.strip_prefix('/')),
            };
            let Some(path) = below.filter(|path| !path.is_empty()) else {
                continue;
            };
            match read_text(&picked.file).await {
                Some(text) => files.push((path.to_owned(), text)),
                None => return toasts.error(format!("{} cannot be read.", picked.path)),
            }
        }
        self.open_task(TaskDialog::Release {
            operator,
            bundle: bundle.version.clone(),
            dropped: files,
        });
    }
}

/// Opens a position in an operator's file for editing.
pub fn open_file(app: AppContext, operator: String, path: String, line: u32) {
    spawn_local(async move {
        if let Err(refusal) = app.repository.read_operator(operator).await {
            app.notifications.toasts.error(refusal.reason);
            return;
        }
        let (root, file) = split_at_root(app, &path);
        let line = line.max(1);
        let location = Location {
            file,
            line,
            end_line: line,
            column: 1,
            end_column: 1,
        };
        app.repository.in_view.set(false);
        app.edit_as_text(root, location);
    });
}

/// Returns the catalog or template that contains a file of the repository, and the file's path in
/// it. The path of a file outside all catalogs starts with `/`.
fn split_at_root(app: AppContext, path: &str) -> (Option<String>, String) {
    let root = app.store.status.with_untracked(|status| {
        let mut roots = status.roots.iter().filter(|row| row.rendered.is_none());
        let contains = |root: &str| path == root || path.starts_with(&format!("{root}/"));
        roots
            .find(|row| contains(&row.root))
            .map(|row| row.root.clone())
    });
    let file = match &root {
        Some(root) if root == path => path.rsplit('/').next().unwrap_or(path).to_owned(),
        Some(root) => path.get(root.len() + 1..).unwrap_or_default().to_owned(),
        None => format!("/{path}"),
    };
    (root, file)
}
