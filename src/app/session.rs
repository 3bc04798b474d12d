//! The session: its state in the store, the worker's client, and the opened files on disk. Opens,
//! edits and saves; panels react to the store's signals.

mod left_out;
mod save_to_folder;
mod saving;

use super::browser::file_tree::{self, FileTree, FileWalk, PickedFile};
use super::browser::folder_access;
use super::browser::{downloads, storage, time};
use super::client::Client;
use super::state::journal::FolderListing;
use super::state::save_state::SaveState;
use super::state::source_names::SourceNames;
use super::state::store::{Notice, Phase, SessionStore};
use super::state::worker_api::{AnyQuery, Event};
use super::widgets::announce::Announcer;
use super::widgets::dom;
use super::widgets::toast::Toasts;
use crate::browser::repository_folders::RepositoryPart;
use crate::reactive::{Attempts, effect, spawn_local};
use crate::words;
use futures::FutureExt;
use futures::channel::oneshot;
use futures::lock::Mutex;
use leptos::prelude::*;
use protocol::Json;
use protocol::operation::EditOp;
use protocol::query::{Apply, ApplyToLastStep, FixAll, GoTo, Query, Redo, RevertFile, Undo};
use protocol::request::{Export, OpenMode, PackageRequest};
use protocol::response::{Applied, AskError, OperationRefusal};
use std::cell::{Cell, OnceCell};
use std::rc::Rc;

/// Interval of progress reports during a walk.
const REPORT_WALK_MS: f64 = 100.0;

/// Delay before examining dropped files shows progress.
const SHOW_EXAMINATION_MS: u32 = 200;

/// Transient notifications.
#[derive(Clone, Copy, Default)]
pub struct Notifications {
    pub toasts: Toasts,
    pub announcer: Announcer,
}

/// The session of the page. A copy is a set of handles.
#[derive(Clone, Copy)]
pub struct Session {
    pub store: SessionStore,
    pub notifications: Notifications,
    client: StoredValue<Client, LocalStorage>,
    /// The opened files and folders, kept to walk them again.
    tree: StoredValue<FileTree, LocalStorage>,
    opening: StoredValue<Opening>,
    /// Numbers opens, so that a superseded open no longer reports anything.
    opens: Attempts,
    examinations: StoredValue<Examinations>,
    /// Whether the tree is being walked, before the worker is involved.
    walking: StoredValue<bool>,
    /// Number of opens that replaced the previous session.
    pub opened: RwSignal<u32>,
    /// Whether the disk is being compared with the open files.
    checking_disk: StoredValue<bool>,
    /// A check was requested while files were being read or written.
    disk_check_pending: StoredValue<bool>,
    /// Resumes the save that waits for the user's decision.
    decided: StoredValue<Option<oneshot::Sender<bool>>, LocalStorage>,
    /// Whether edits that were left out of a save are being applied again.
    putting_back: StoredValue<bool>,
    /// Callers waiting until the files are written.
    unwritten: StoredValue<Vec<oneshot::Sender<()>>, LocalStorage>,
    /// Number of times that files were read again after changes on disk.
    pub reread: RwSignal<u32>,
    /// Serializes walks of repository parts.
    walking_parts: StoredValue<Rc<Mutex<()>>, LocalStorage>,
}

/// Running examinations of dropped files, before it is known how to open them.
#[derive(Debug, Clone, Copy, Default)]
struct Examinations {
    active: u32,
    /// Number of times that the user cancelled all active examinations.
    cancelled: u32,
}

/// Timing of the current open.
#[derive(Debug, Clone, Copy, Default)]
struct Opening {
    start: f64,
    /// Whether the first graph is not painted yet.
    awaits_graph: bool,
}

impl Session {
    /// Starts the workers. Call it once, inside the page's reactive owner.
    pub fn start() -> Self {
        let store: Rc<OnceCell<SessionStore>> = Rc::default();
        let client = Client::start({
            let store = store.clone();
            move |event: Event| {
                if let Some(store) = store.get() {
                    spawn_local(store.handle_event(event));
                }
            }
        });
        let store = *store.get_or_init(|| SessionStore::new(Rc::new(client.clone())));
        let session = Self {
            store,
            notifications: Notifications::default(),
            client: StoredValue::new_local(client),
            tree: StoredValue::new_local(FileTree::default()),
            opening: StoredValue::default(),
            opens: Attempts::default(),
            examinations: StoredValue::default(),
            walking: StoredValue::default(),
            opened: RwSignal::default(),
            checking_disk: StoredValue::default(),
            disk_check_pending: StoredValue::default(),
            decided: StoredValue::new_local(None),
            putting_back: StoredValue::default(),
            unwritten: StoredValue::new_local(Vec::new()),
            reread: RwSignal::new(0),
            walking_parts: StoredValue::new_local(Rc::default()),
        };
        session.measure_first_graph();
        effect(move |_| {
            if session.is_idle() && session.disk_check_pending.get_value() {
                session.disk_check_pending.set_value(false);
                session.check_for_disk_changes();
            }
        });
        storage::ask_before_leaving(move || store.has_unsaved_work());
        storage::on_return(move || session.check_for_disk_changes());
        session
    }

    pub fn open(self, tree: FileTree, mode: OpenMode) {
        spawn_local(self.open_now(tree, mode));
    }

    /// Like [`Self::open`], but can be awaited.
    pub async fn open_now(self, tree: FileTree, mode: OpenMode) {
        self.open_since(time::now(), tree, mode).await;
    }

    /// Awaits the examination of dropped files, before it is known how to open them. Shows a slow
    /// examination as opening; returns `None` if the user cancels it.
    pub async fn await_examination<T>(self, examination: impl Future<Output = T>) -> Option<T> {
        let started = self.examinations.get_value();
        let is_over = Rc::new(Cell::new(false));
        let shown_at = Rc::new(Cell::new(None));
        self.examinations
            .update_value(|examinations| examinations.active += 1);
        spawn_local({
            let (is_over, shown_at) = (is_over.clone(), shown_at.clone());
            async move {
                time::pause(SHOW_EXAMINATION_MS).await;
                let is_opening =
                    matches!(self.store.opening.phase.get_untracked(), Phase::Opening(_));
                if !is_over.get()
                    && !is_opening
                    && self.examinations.get_value().cancelled == started.cancelled
                {
                    shown_at.set(Some(self.opens.latest()));
                    self.store.opening.start();
                }
            }
        });
        let outcome = examination.await;
        is_over.set(true);
        self.examinations
            .update_value(|examinations| examinations.active -= 1);
        if self.examinations.get_value().cancelled != started.cancelled {
            return None;
        }
        // A newer open shows its own progress.
        if shown_at.get().is_some_and(|is_latest| is_latest()) {
            self.store.opening.finish();
        }
        Some(outcome)
    }

    pub fn cancel_open(self) {
        if self.walking.get_value() {
            // The worker does not know about the open yet.
            self.walking.set_value(false);
            self.opens.supersede();
            self.store.opening.finish();
        } else if self.examinations.get_value().active > 0 {
            self.examinations
                .update_value(|examinations| examinations.cancelled += 1);
            self.store.opening.finish();
        } else {
            self.client.with_value(Client::cancel);
        }
    }

    /// Downloads an export as a file. Returns its name if the browser accepts it.
    pub async fn download(self, export: Export) -> Option<String> {
        let is_without_edits = matches!(
            export,
            Export::File { .. }
                | Export::Graph { .. }
                | Export::Subset(_)
                | Export::Dockerfile { .. }
        );
        let file = self.store.ask_or_report(export).await?;
        if let Err(error) = downloads::download(&file.name, &file.mime, &file.bytes) {
            self.report_failure(format!(
                "The download failed: {}",
                file_tree::error_message(&error)
            ));
            return None;
        }
        if !is_without_edits {
            self.client().log().note_exported();
        }
        Some(file.name)
    }

    pub fn client(self) -> Client {
        self.client.get_value()
    }

    /// Returns the paths of the opened files that exist only in the page: those of new catalogs.
    pub fn new_files(self) -> Vec<String> {
        self.tree.with_value(FileTree::new_files)
    }

    /// Returns the open files, as described in a journal.
    pub fn folder(self) -> FolderListing {
        self.client().log().folder()
    }

    /// Whether the open folders can be read again. Otherwise the user must pick them again: use
    /// [`Session::open`] with [`OpenMode::Reload`].
    pub fn can_reload(self) -> bool {
        self.tree.with_value(FileTree::leads_back_to_disk)
    }

    /// Opens the tree's current state on disk and keeps the edits.
    pub fn reload(self) {
        let tree = self.tree.get_value();
        self.open(tree, OpenMode::Reload);
    }

    /// Compares the open files with the disk, as soon as no files are being read or written.
    /// Changed files without edits are read again; edited ones are reported to the banner.
    fn check_for_disk_changes(self) {
        if self.checking_disk.get_value() || !untrack(|| self.is_idle()) {
            self.disk_check_pending.set_value(true);
            return;
        }
        self.checking_disk.set_value(true);
        spawn_local(async move {
            self.handle_disk_changes().await;
            self.checking_disk.set_value(false);
            if self.disk_check_pending.get_value() {
                self.disk_check_pending.set_value(false);
                self.check_for_disk_changes();
            }
        });
    }

    /// Reads files again that changed on disk, or reports them if that could lose edits.
    async fn handle_disk_changes(self) {
        let (client, tree) = (self.client(), self.tree.get_value());
        let change = folder_access::find_disk_changes(&tree, &client.opened_files()).await;
        let paths = client.relevant_files(change.paths).await;
        if !untrack(|| self.is_idle()) {
            self.disk_check_pending.set_value(true);
            return;
        }
        let may_reload =
            change.walk.is_some() && !self.store.has_unsaved_work() && !dom::dialog_is_open();
        if !paths.is_empty() && may_reload {
            let is_opened = self.open_since(time::now(), tree, OpenMode::Reload).await;
            if is_opened == Some(true) {
                self.reread.update(|count| *count += 1);
            }
        } else if self
            .store
            .changed_on_disk
            .with_untracked(|reported| *reported != paths)
        {
            self.store.note_changed_on_disk(paths);
        }
    }

    /// Whether nothing is being read or written.
    fn is_idle(self) -> bool {
        let is_open = self.store.opening.phase.with(|phase| *phase == Phase::Open);
        let is_saving = self.store.saving.with(SaveState::is_busy);
        is_open && !is_saving
    }

    /// Opens `tree`, measured from `start`. Returns whether it was opened; `None` if another open
    /// replaced it, or there was nothing to open.
    async fn open_since(self, start: f64, tree: FileTree, mode: OpenMode) -> Option<bool> {
        self.store.opening.start();
        self.opening.set_value(Opening {
            start,
            awaits_graph: true,
        });
        let is_latest = self.opens.begin();
        self.walking.set_value(true);
        let mut tree = self.prepare_tree(tree, mode, is_latest).await?;
        let walk = self.walk_tree(&tree, mode, start, is_latest).await?;
        self.walking.set_value(false);
        let is_empty = walk.files.is_empty() && walk.unreadable.is_empty();
        let names = if is_empty {
            tree.display_names()
        } else {
            walk.empty_folders.clone()
        };
        let without_files = (!names.is_empty())
            .then(|| format!("There are no files in {}.", words::list_names(&names)));
        if is_empty {
            self.store
                .opening
                .give_up(&without_files.unwrap_or_default());
            return None;
        }
        let answer = self.client().open(mode, &walk).await;
        if !is_latest() && answer.is_err() {
            return None;
        }
        let refused = self.client().refused_archives();
        for archive in &refused {
            tree.remove_file(&archive.path);
        }
        let sizes: f64 = walk.files.iter().map(|picked| picked.file.size()).sum();
        let detail = [("bytes", sizes), ("files", walk.files.len() as f64)];
        time::measure("open", start, &detail);
        if answer.is_ok() {
            // Set this before anything is shown: later disk checks need the location of files.
            match mode {
                OpenMode::Add => self.tree.update_value(|opened| opened.extend(tree)),
                OpenMode::Replace | OpenMode::Reload => self.tree.set_value(tree),
            }
            self.measure_verdict(start, detail);
            if mode == OpenMode::Replace {
                self.store.comparison.choose(None);
            }
        }
        let is_opened = self.store.end_open(answer).await;
        if is_opened {
            let mut reasons: Vec<String> =
                refused.into_iter().map(|file| file.unreadable).collect();
            if mode != OpenMode::Reload {
                self.remember();
                reasons.extend(without_files);
            }
            if !reasons.is_empty() {
                self.report_failure(reasons.join(" "));
            }
            if mode == OpenMode::Replace {
                self.opened.update(|count| *count += 1);
            }
        }
        Some(is_opened)
    }

    /// Assigns names to the files of `tree`, without files that are already open. Returns `None` if
    /// there is nothing to open, or another open began.
    async fn prepare_tree(
        self,
        tree: FileTree,
        mode: OpenMode,
        is_latest: impl Fn() -> bool,
    ) -> Option<FileTree> {
        if mode != OpenMode::Add {
            let mut tree = tree.with_unique_names(SourceNames::default());
            // A repository's files are found operator by operator: its table only needs names.
            tree.find_repository().await;
            return is_latest().then_some(tree);
        }
        let (tree, already_open) = tree.without(&self.tree.get_value()).await;
        if !is_latest() {
            return None;
        }
        if !already_open.is_empty() {
            let message = format!("Already open: {}.", already_open.join(", "));
            if tree.is_empty() {
                self.walking.set_value(false);
                self.store.opening.give_up(&message);
                return None;
            }
            self.report_failure(message);
        }
        // Assign names before reading anything, so that open and added files never share a path.
        let taken = self.tree.with_value(FileTree::names).with(&self.folder());
        Some(tree.with_unique_names(taken))
    }

    /// Finds the files of `tree` and reports progress. Lets the worker read files as they are found
    /// if possible. Returns `None` if another open began.
    async fn walk_tree(
        self,
        tree: &FileTree,
        mode: OpenMode,
        start: f64,
        is_latest: impl Fn() -> bool + Copy,
    ) -> Option<FileWalk> {
        let client = self.client();
        let mut reported = start;
        let should_continue = |count| {
            if time::now() - reported > REPORT_WALK_MS {
                reported = time::now();
                self.store.opening.note_found(count as u32);
            }
            is_latest()
        };
        let mut read_ahead =
            (mode != OpenMode::Reload && tree.is_read_as_found()).then(|| client.read_ahead());
        let on_files = |files: &[PickedFile]| {
            // A later open may be reading its own files.
            if is_latest()
                && let Some(read_ahead) = &mut read_ahead
            {
                read_ahead.add_files(files);
            }
        };
        let walk = tree.walk_observed(should_continue, on_files).await;
        let walk = walk.filter(|_| is_latest());
        if walk.is_none() {
            client.stop_reading_ahead();
        }
        walk
    }

    /// Measures the time until the verdict is painted, before the first package is requested.
    fn measure_verdict(self, start: f64, [bytes, files]: [(&'static str, f64); 2]) {
        spawn_local(async move {
            time::next_paint().await;
            let packages = self
                .store
                .status
                .with_untracked(|status| status.roots.iter().map(|row| row.packages).sum::<u32>());
            let packages = ("packages", f64::from(packages));
            time::measure("verdict", start, &[bytes, files, packages]);
        });
    }

    /// Stores the opened folders as recent folders for the start page.
    pub(super) fn remember(self) {
        spawn_local(async move {
            let mut handles = self.tree.get_value().handles().await;
            handles.retain(folder_access::is_folder);
            storage::remember_folders(handles).await;
        });
    }

    fn measure_first_graph(self) {
        effect(move |_| {
            let has_view = self.store.view.with(Option::is_some);
            let opening = self.opening.get_value();
            if has_view
                && opening.awaits_graph
                && self.store.opening.phase.with(|phase| *phase == Phase::Open)
            {
                self.opening.set_value(Opening {
                    awaits_graph: false,
                    ..opening
                });
                time::measure_paint("first-graph", opening.start, Vec::new());
            }
        });
    }

    /// Finds the files of these parts, unless they were found before. The error explains why they
    /// are unavailable.
    pub async fn find_parts(self, parts: Vec<RepositoryPart>) -> Result<(), String> {
        if self
            .tree
            .with_value(|tree| tree.missing_parts(parts.clone()).is_empty())
        {
            return Ok(());
        }
        let walking = self.walking_parts.get_value();
        let _guard = walking.lock().await;
        let (tree, is_latest) = (self.tree.get_value(), self.opens.latest());
        let parts = tree.missing_parts(parts);
        if parts.is_empty() {
            return Ok(());
        }
        let walk = tree.walk_parts(&parts).await;
        // A newer open has its own files.
        if !is_latest() {
            return Ok(());
        }
        let operators = parts.iter().filter_map(|part| match part {
            RepositoryPart::Operator(name) => Some(name.clone()),
            RepositoryPart::Catalog(_) => None,
        });
        self.client
            .get_value()
            .list_files(operators.collect(), &walk)
            .await
            .map_err(AskError::into_reason)?;
        if is_latest() {
            self.tree.update_value(|tree| tree.mark_walked(parts));
        }
        Ok(())
    }

    fn report_failure(self, message: String) {
        self.store.notices.push(Notice::Failed(message));
    }
}

/// Edits: the store applies them, with undo. Event handlers cannot wait, so the futures are spawned
/// here.
impl Session {
    /// Records typed text that is not a step yet.
    pub fn note_typed(self, ops: Vec<EditOp>) {
        self.store.note_typed(!ops.is_empty());
        self.client().log().note_typed(ops);
    }

    /// Applies operations as one step. `on_end` receives a refusal.
    pub fn apply(
        self,
        title: String,
        ops: Vec<EditOp>,
        on_end: impl FnOnce(Result<(), OperationRefusal>) + 'static,
    ) {
        let ops = Json(ops);
        self.spawn_change(|view| Apply { ops, title, view }, on_end);
    }

    /// Like [`Self::apply`], but extends the last step if possible.
    pub fn apply_to_last_step(
        self,
        title: String,
        ops: Vec<EditOp>,
        on_end: impl FnOnce(Result<(), OperationRefusal>) + 'static,
    ) {
        let ops = Json(ops);
        self.spawn_change(|view| ApplyToLastStep { ops, title, view }, on_end);
    }

    /// Applies a safe fix to all problems with this `rule` and `kind`. `on_success` is not called
    /// after a refusal.
    pub fn fix_all(self, rule: String, kind: String, on_success: impl FnOnce() + 'static) {
        let root = self.store.root.get_untracked();
        let query = |view| FixAll {
            root,
            rule,
            kind,
            package: None,
            view,
        };
        self.spawn_change(query, move |outcome| match outcome {
            Ok(()) => on_success(),
            refused => self.report_refusal(refused),
        });
    }

    /// Reverts a file; `file` is its path in the session.
    pub fn revert_file(self, file: String) {
        self.spawn_change(
            |view| RevertFile { file, view },
            move |outcome| self.report_refusal(outcome),
        );
    }

    pub fn undo(self) {
        spawn_local(self.undo_and_wait());
    }

    pub fn redo(self) {
        spawn_local(self.redo_and_wait());
    }

    pub async fn undo_and_wait(self) {
        self.finish_edits().await;
        if untrack(|| self.store.status.can_undo()) {
            self.move_in_history(edit_of_view(|view| Undo { view }))
                .await;
        }
    }

    pub async fn redo_and_wait(self) {
        self.finish_edits().await;
        if untrack(|| self.store.status.can_redo()) {
            self.move_in_history(edit_of_view(|view| Redo { view }))
                .await;
        }
    }

    /// Waits for the edits begun before: one in flight is the step to undo.
    async fn finish_edits(self) {
        self.finish_writing().await;
        self.store.wait_for_edits().await;
    }

    /// Undoes or redoes until this number of steps is applied.
    pub fn go_to(self, steps: usize) {
        spawn_local(self.move_in_history(edit_of_view(move |view| GoTo { steps, view })));
    }

    /// Reports a refusal that no form shows.
    pub fn report_refusal(self, outcome: Result<(), OperationRefusal>) {
        if let Err(refusal) = outcome {
            self.notifications.toasts.error(refusal.reason);
        }
    }

    /// Makes an edit and measures the time until it is painted; the query's answer must be
    /// [`Applied`]. `on_shown` runs once it is visible. Await [`Self::finish_writing`] before the
    /// query is made.
    pub async fn change(
        self,
        query: AnyQuery,
        on_shown: Box<dyn FnOnce()>,
    ) -> Result<(), OperationRefusal> {
        let start = time::now();
        let measure_and_notify = Box::new(move || {
            time::measure_paint("edit", start, Vec::new());
            on_shown();
        });
        self.store.change(query, measure_and_notify).await
    }

    fn spawn_change<Q: Query<Answer = Applied>>(
        self,
        query: impl FnOnce(Option<PackageRequest>) -> Q + 'static,
        on_end: impl FnOnce(Result<(), OperationRefusal>) + 'static,
    ) {
        spawn_local(self.change_view(edit_of_view(query)).map(on_end));
    }

    async fn move_in_history(self, query: EditOfView) {
        let outcome = self.change_view(query).await;
        self.report_refusal(outcome);
    }

    /// Makes an edit that also answers the package in view.
    async fn change_view(self, query: EditOfView) -> Result<(), OperationRefusal> {
        self.finish_writing().await;
        let query = query(self.store.view_request());
        self.change(query, Box::new(|| ())).await
    }
}

/// Makes the query of an edit from the package in view. It has no type parameters, since each
/// instance of an `async fn` is large.
type EditOfView = Box<dyn FnOnce(Option<PackageRequest>) -> AnyQuery>;

fn edit_of_view<Q: Query<Answer = Applied>>(
    query: impl FnOnce(Option<PackageRequest>) -> Q + 'static,
) -> EditOfView {
    Box::new(|view| AnyQuery::new(query(view)))
}
