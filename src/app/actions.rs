//! What the user can do, joined from the store (what is known), the client (the worker) and the browser (files,
//! downloads, clipboard, marks). Panels call these and follow the store's signals.

mod repository_parts;
mod save_to_disk;
mod save_to_folder;

use super::browser::file_tree::{self, FileTree, PickedFile};
use super::browser::folder_observer::FolderObserver;
use super::browser::{
    disk_changes, downloads, folder_access, local_storage, performance_marks, recent_folders, time,
};
use super::client::Client;
use super::state::disk_check_pacing::DiskCheckPacing;
use super::state::save_state::SaveState;
use super::state::source_names::SourceNames;
use super::state::store::{Notice, OpenEnd, Phase, WorkspaceStore};
use super::state::worker_api::Event;
use super::widgets::dom;
use crate::reactive::effect;
use futures::channel::oneshot;
use futures::lock::Mutex;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::ResponseBody;
use protocol::operation::EditOp;
use protocol::request::{Export, OpenMode};
use protocol::response::OperationRefusal;
use std::cell::{Cell, OnceCell};
use std::rc::Rc;

/// How often a walk reports how many files it has found.
const REPORT_WALK_MS: f64 = 100.0;

/// A look into what was dropped is shown once it takes longer.
const SHOW_LOOK_MS: u32 = 200;

/// Shared by copy, as a context.
#[derive(Clone, Copy)]
pub struct Actions {
    pub store: WorkspaceStore,
    client: StoredValue<Client, LocalStorage>,
    /// The user's files and folders, for walking them again.
    tree: StoredValue<FileTree, LocalStorage>,
    opening: StoredValue<Opening>,
    /// Counts opens, so that an open that a newer one has superseded no longer reports anything.
    opens: StoredValue<u32>,
    looks: StoredValue<Looks>,
    /// The tree is being walked; the worker has not been asked yet.
    walking: StoredValue<bool>,
    /// Counts opens that took the place of what was open.
    pub opened: RwSignal<u32>,
    disk_check_pacing: StoredValue<DiskCheckPacing>,
    /// A look is on its way, since the last one was too short ago.
    disk_check_scheduled: StoredValue<bool>,
    /// Somebody wanted a look while files were being read or written.
    disk_check_pending: StoredValue<bool>,
    /// The save that waits for the user's decision.
    decided: StoredValue<Option<oneshot::Sender<bool>>, LocalStorage>,
    /// Callers that wait until the files are written.
    unwritten: StoredValue<Vec<oneshot::Sender<()>>, LocalStorage>,
    /// Watches the open folders where the browser supports it.
    observer: StoredValue<Option<FolderObserver>, LocalStorage>,
    /// Counts the watches that were begun, so that only the latest is kept.
    watches: StoredValue<u32>,
    /// How often files were read again because they had changed on disk.
    pub reread: RwSignal<u32>,
    /// Parts of a repository are walked one after the other.
    walking_parts: StoredValue<Rc<Mutex<()>>, LocalStorage>,
}

/// Looks into what was dropped, before it is known how it opens.
#[derive(Debug, Clone, Copy, Default)]
struct Looks {
    active: u32,
    /// How often *Cancel* ended all that were active.
    cancelled: u32,
}

/// The open that is being measured.
#[derive(Debug, Clone, Copy, Default)]
struct Opening {
    start: f64,
    graph_to_come: bool,
}

impl Actions {
    /// Starts the workers. To be called once, inside the page's reactive owner.
    pub fn start() -> Self {
        let store: Rc<OnceCell<WorkspaceStore>> = Rc::default();
        let client = Client::start({
            let store = store.clone();
            move |event: Event| {
                if let Some(store) = store.get() {
                    spawn_local(store.hear(event));
                }
            }
        });
        let store = *store.get_or_init(|| WorkspaceStore::new(Rc::new(client.clone())));
        let actions = Self {
            store,
            client: StoredValue::new_local(client),
            tree: StoredValue::new_local(FileTree::default()),
            opening: StoredValue::default(),
            opens: StoredValue::default(),
            looks: StoredValue::default(),
            walking: StoredValue::default(),
            opened: RwSignal::default(),
            disk_check_pacing: StoredValue::default(),
            disk_check_scheduled: StoredValue::default(),
            disk_check_pending: StoredValue::default(),
            decided: StoredValue::new_local(None),
            unwritten: StoredValue::new_local(Vec::new()),
            observer: StoredValue::new_local(None),
            watches: StoredValue::default(),
            reread: RwSignal::new(0),
            walking_parts: StoredValue::new_local(Rc::default()),
        };
        actions.measure_first_graph();
        actions.measure_first_lanes();
        actions.look_when_calm();
        local_storage::ask_before_leaving(move || store.would_lose());
        local_storage::on_return(move || actions.check_for_disk_changes());
        actions
    }

    /// Opens dropped or picked files.
    pub fn open(self, tree: FileTree, mode: OpenMode) {
        let start = performance_marks::now();
        spawn_local(async move {
            self.open_since(start, tree, mode).await;
        });
    }

    /// The same, to wait for.
    pub async fn open_now(self, tree: FileTree, mode: OpenMode) {
        self.open_since(performance_marks::now(), tree, mode).await;
    }

    /// Looks into what was dropped, before it is known how it opens. A look that takes long is shown as opening, and
    /// *Cancel* ends it: `None` then.
    pub async fn look_into<T>(self, look: impl Future<Output = T>) -> Option<T> {
        let started = self.looks.get_value();
        let is_over = Rc::new(Cell::new(false));
        let shown_at = Rc::new(Cell::new(None));
        self.looks.update_value(|looks| looks.active += 1);
        spawn_local({
            let (is_over, shown_at) = (is_over.clone(), shown_at.clone());
            async move {
                time::pause(SHOW_LOOK_MS).await;
                let is_opening = matches!(self.store.phase.get_untracked(), Phase::Opening(_));
                if !is_over.get()
                    && !is_opening
                    && self.looks.get_value().cancelled == started.cancelled
                {
                    shown_at.set(Some(self.opens.get_value()));
                    self.store.begin_open();
                }
            }
        });
        let found = look.await;
        is_over.set(true);
        self.looks.update_value(|looks| looks.active -= 1);
        if self.looks.get_value().cancelled != started.cancelled {
            return None;
        }
        // Whatever began to open meanwhile shows its own progress.
        if shown_at.get() == Some(self.opens.get_value()) {
            self.store.cancelled_open();
        }
        Some(found)
    }

    pub fn cancel_open(self) {
        if self.walking.get_value() {
            // The worker has not heard of it yet.
            self.walking.set_value(false);
            self.opens.update_value(|opens| *opens += 1);
            self.store.cancelled_open();
        } else if self.looks.get_value().active > 0 {
            self.looks.update_value(|looks| looks.cancelled += 1);
            self.store.cancelled_open();
        } else {
            self.client.with_value(Client::cancel);
        }
    }

    /// Applies operations as one step, measured as `edit`. `shown` hears when its verdict and lanes are in the page.
    pub async fn apply(
        self,
        ops: Vec<EditOp>,
        title: String,
        shown: impl FnOnce(),
    ) -> Result<(), OperationRefusal> {
        let measure = measured_edit();
        // Measure what was painted before any caller continues.
        let shown = || {
            measure();
            shown();
        };
        self.store.apply(ops, title, shown).await
    }

    /// The same as a part of the last step, where that can take more.
    pub async fn apply_to_last_step(
        self,
        ops: Vec<EditOp>,
        title: String,
    ) -> Result<(), OperationRefusal> {
        self.store
            .apply_to_last_step(ops, title, measured_edit())
            .await
    }

    pub async fn fix_all(self, rule: String, kind: String) -> Result<(), OperationRefusal> {
        self.store.fix_all(rule, kind, measured_edit()).await
    }

    pub async fn undo(self) -> Result<(), OperationRefusal> {
        self.written().await;
        self.store.undo(measured_edit()).await
    }

    pub async fn redo(self) -> Result<(), OperationRefusal> {
        self.written().await;
        self.store.redo(measured_edit()).await
    }

    pub async fn go_to(self, steps: usize) -> Result<(), OperationRefusal> {
        self.written().await;
        self.store.go_to(steps, measured_edit()).await
    }

    pub async fn revert_file(self, root: String, file: String) -> Result<(), OperationRefusal> {
        self.store.revert_file(root, file, measured_edit()).await
    }

    /// Offers an export as a file to save; its name, if the browser took it.
    pub async fn download(self, what: Export) -> Option<String> {
        let holds_no_edits = matches!(
            what,
            Export::File { .. }
                | Export::Graph { .. }
                | Export::Subset(_)
                | Export::Dockerfile { .. }
        );
        let file = self.store.export(what).await?;
        if let Err(error) = downloads::download(&file.name, &file.mime, &file.bytes) {
            self.report_failure(format!(
                "The download failed: {}",
                file_tree::error_message(&error)
            ));
            return None;
        }
        if !holds_no_edits {
            self.client.with_value(Client::note_exported);
        }
        Some(file.name)
    }

    /// Copies the applied operations as command lines; false when the browser refuses.
    pub async fn copy_commands(self) -> bool {
        let Some(file) = self.store.export(Export::Commands).await else {
            return false;
        };
        let is_copied = downloads::copy(&String::from_utf8_lossy(&file.bytes)).await;
        if is_copied {
            self.client.with_value(Client::note_exported);
        }
        is_copied
    }

    /// The worker's other end, for continuing earlier work.
    pub fn client(self) -> Client {
        self.client.get_value()
    }

    /// Whether a reload needs the user to pick the folder again (then [`Actions::open`] with [`OpenMode::Reload`]).
    pub fn has_to_pick_again(self) -> bool {
        self.tree.with_value(|tree| !tree.leads_back_to_disk())
    }

    /// Opens the tree as it is on disk now, keeping the edits.
    pub fn reload(self) {
        let tree = self.tree.get_value();
        self.open(tree, OpenMode::Reload);
    }

    /// Compares the open files with the disk. Changed files without edits are read again; for edited ones the banner's
    /// signal is set.
    pub fn check_for_disk_changes(self) {
        let now = performance_marks::now();
        if !untrack(|| self.is_calm()) {
            self.disk_check_pending.set_value(true);
            return;
        }
        let early = self
            .disk_check_pacing
            .with_value(|disk_check_pacing| disk_check_pacing.wait(now));
        if early > 0.0 {
            // Not forgotten, only later: what changed since the last look has to be seen.
            if !self.disk_check_scheduled.get_value() {
                self.disk_check_scheduled.set_value(true);
                let later = std::time::Duration::from_millis(early.ceil() as u64 + 1);
                set_timeout(move || self.check_for_disk_changes(), later);
            }
            return;
        }
        self.disk_check_pacing
            .update_value(|disk_check_pacing| disk_check_pacing.begun(now));
        self.disk_check_scheduled.set_value(false);
        spawn_local(async move {
            let opened = self.client.with_value(Client::opened_files);
            let mut change = disk_changes::look(&self.tree.get_value(), &opened).await;
            self.disk_check_pacing.update_value(|disk_check_pacing| {
                disk_check_pacing.ended(now, performance_marks::now())
            });
            change.paths = self.client.get_value().matters(change.paths).await;
            if !untrack(|| self.is_calm()) {
                self.disk_check_pending.set_value(true);
                return;
            }
            let may_reload =
                change.walk.is_some() && !self.store.would_lose() && !dom::dialog_is_open();
            if !change.paths.is_empty() && may_reload {
                self.disk_check_pending.set_value(false);
                let end = self
                    .open_since(
                        performance_marks::now(),
                        self.tree.get_value(),
                        OpenMode::Reload,
                    )
                    .await;
                if end == Some(OpenEnd::Opened) {
                    self.reread.update(|count| *count += 1);
                }
            } else if self
                .store
                .changed_on_disk
                .with_untracked(|known| *known != change.paths)
            {
                self.store.note_changed_on_disk(change.paths);
            }
        });
    }

    /// Nothing is being read or written.
    fn is_calm(self) -> bool {
        self.store.phase.with(|phase| *phase == Phase::Open)
            && !self.store.saving.with(SaveState::is_busy)
    }

    /// What changed on disk while files were read or written was perhaps not seen: looks once that has ended.
    fn look_when_calm(self) {
        effect(move |_| {
            if self.is_calm() && self.disk_check_pending.get_value() {
                self.disk_check_pending.set_value(false);
                self.check_for_disk_changes();
            }
        });
    }

    /// `None` if another open replaced it, or there was nothing to open.
    async fn open_since(self, start: f64, tree: FileTree, mode: OpenMode) -> Option<OpenEnd> {
        self.store.begin_open();
        self.opening.set_value(Opening {
            start,
            graph_to_come: true,
        });
        let number = self.opens.get_value() + 1;
        self.opens.set_value(number);
        self.walking.set_value(true);
        let tree = match mode {
            OpenMode::Add => {
                let (tree, again) = tree.without(&self.tree.get_value()).await;
                if self.opens.get_value() != number {
                    return None;
                }
                if tree.is_empty() && !again.is_empty() {
                    self.walking.set_value(false);
                    self.store.give_up_open(&already_open(&again));
                    return None;
                }
                if !again.is_empty() {
                    self.report_failure(already_open(&again));
                }
                tree
            }
            OpenMode::Replace | OpenMode::Reload => tree,
        };
        // Named before anything is read, so that open and newly added files never share a path.
        let taken = match mode {
            OpenMode::Add => self
                .tree
                .with_value(FileTree::names)
                .with(&self.client.with_value(Client::folder)),
            OpenMode::Replace | OpenMode::Reload => SourceNames::default(),
        };
        let tree = tree.beside(taken);
        let mut tree = tree;
        // The files of a repository are found operator by operator: its table is made of names.
        if mode != OpenMode::Add {
            tree.find_repository().await;
        }
        if self.opens.get_value() != number {
            return None;
        }
        let client = self.client.get_value();
        let mut reported = start;
        let goes_on = |found| {
            if performance_marks::now() - reported > REPORT_WALK_MS {
                reported = performance_marks::now();
                self.store.note_found(found as u32);
            }
            self.opens.get_value() == number
        };
        let mut ahead =
            (mode != OpenMode::Reload && tree.is_read_as_found()).then(|| client.reading_ahead());
        let found = |files: &[PickedFile]| {
            // A later open reads its own files by now.
            if self.opens.get_value() == number {
                ahead.iter_mut().for_each(|ahead| ahead.add_files(files));
            }
        };
        let walk = tree.walk_hearing(goes_on, found).await;
        let Some(walk) = walk.filter(|_| self.opens.get_value() == number) else {
            client.stop_reading_ahead();
            return None;
        };
        tree.forget_listings();
        self.walking.set_value(false);
        if walk.files.is_empty() && walk.unreadable.is_empty() {
            self.store
                .give_up_open("The folder is empty: there are no files to open.");
            return None;
        }
        let answer = client.open(mode, &walk).await;
        let is_there = answer.as_ref().is_ok_and(|answer| {
            matches!(
                answer.body,
                ResponseBody::Opened(_) | ResponseBody::Replayed { .. }
            )
        });
        if self.opens.get_value() != number && !is_there {
            return None;
        }
        let sizes: f64 = walk.files.iter().map(|picked| picked.file.size()).sum();
        let detail = [("bytes", sizes), ("files", walk.files.len() as f64)];
        performance_marks::measure("open", start, &detail);
        if is_there {
            // Before anything is shown, since every later check of the disk needs to know where the files are.
            match mode {
                OpenMode::Add => self.tree.update_value(|known| known.extend(tree)),
                OpenMode::Replace | OpenMode::Reload => self.tree.set_value(tree),
            }
        }
        if is_there {
            self.measure_verdict(start, detail);
        }
        if is_there && mode == OpenMode::Replace {
            self.store.compare_with(None);
        }
        let end = self.store.end_open(answer).await;
        if end == OpenEnd::Opened {
            if mode != OpenMode::Reload {
                self.remember();
            }
            self.watch_disk();
            if mode == OpenMode::Replace {
                self.opened.update(|count| *count += 1);
            }
        }
        Some(end)
    }

    /// The verdict is in the page as soon as it is known, before the first package in view has been asked for.
    fn measure_verdict(self, start: f64, [bytes, files]: [(&'static str, f64); 2]) {
        spawn_local(async move {
            performance_marks::painted().await;
            let packages = self
                .store
                .status
                .with_untracked(|s| s.roots.iter().map(|r| r.packages).sum::<u32>());
            performance_marks::measure(
                "verdict",
                start,
                &[bytes, files, ("packages", f64::from(packages))],
            );
        });
    }

    /// How many times files were opened in place of others.
    pub fn opened_count(self) -> RwSignal<u32> {
        self.opened
    }

    /// Keeps the folders for the start page.
    pub(super) fn remember(self) {
        spawn_local(async move {
            let mut handles = self.tree.get_value().handles().await;
            handles.retain(folder_access::is_folder);
            recent_folders::remember(handles).await;
        });
    }

    /// Listens for changes below the open folders, where the browser reports them.
    pub(super) fn watch_disk(self) {
        self.watches.update_value(|count| *count += 1);
        let watch = self.watches.get_value();
        spawn_local(async move {
            let mut handles = self.tree.get_value().handles().await;
            handles.retain(folder_access::is_folder);
            let observer =
                FolderObserver::start(&handles, move || self.check_for_disk_changes()).await;
            // Of two opens in a row, the first may be ready last.
            if self.watches.get_value() == watch {
                self.observer.set_value(observer);
                // What changed from when the files were read until now, the observer has not seen.
                self.check_for_disk_changes();
            }
        });
    }

    fn measure_first_graph(self) {
        effect(move |_| {
            let shown = self.store.view.with(Option::is_some);
            let opening = self.opening.get_value();
            if shown
                && opening.graph_to_come
                && self.store.phase.with(|phase| *phase == Phase::Open)
            {
                self.opening.set_value(Opening {
                    graph_to_come: false,
                    ..opening
                });
                spawn_local(async move {
                    performance_marks::painted().await;
                    performance_marks::measure("first-graph", opening.start, &[]);
                });
            }
        });
    }

    fn measure_first_lanes(self) {
        effect(move |_| {
            if self.store.first_lanes.with(Option::is_some) {
                let start = self.opening.with_value(|opening| opening.start);
                spawn_local(async move {
                    performance_marks::painted().await;
                    performance_marks::measure("first-lanes", start, &[]);
                });
            }
        });
    }

    fn report_failure(self, message: String) {
        self.store.notify(Notice::Failed(message));
    }
}

/// The message where a folder or file is opened a second time.
fn already_open(names: &[String]) -> String {
    format!("Already open: {}.", names.join(", "))
}

/// From now to the moment at which what this is called about is painted.
fn measured_edit() -> impl FnOnce() {
    let start = performance_marks::now();
    move || {
        spawn_local(async move {
            performance_marks::painted().await;
            performance_marks::measure("edit", start, &[]);
        });
    }
}
