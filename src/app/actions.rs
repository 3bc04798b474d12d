//! User actions, combining the store (state), the client (worker) and the browser (files,
//! downloads, clipboard, marks). Panels call these and follow the store's signals.

mod saving;

use super::browser::file_tree::{self, FileTree, PickedFile};
use super::browser::folder_access::{self, FolderObserver};
use super::browser::{downloads, storage, time};
use super::client::Client;
use super::state::file_names::SourceNames;
use super::state::save_state::{DiskCheckPacing, SaveState};
use super::state::store::{Notice, OpenEnd, Phase, SessionStore};
use super::state::worker_api::Event;
use super::widgets::dom;
use crate::browser::repository_folders::RepositoryPart;
use crate::reactive::{Attempts, effect};
use futures::channel::oneshot;
use futures::lock::Mutex;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::request::{Export, OpenMode};
use protocol::response::AskError;
use std::cell::{Cell, OnceCell};
use std::rc::Rc;

/// Interval of progress reports during a walk.
const REPORT_WALK_MS: f64 = 100.0;

/// Delay before examining dropped files shows progress.
const SHOW_LOOK_MS: u32 = 200;

/// Performs the user's actions. A copy is a set of handles; provided as a context.
#[derive(Clone, Copy)]
pub struct Actions {
    pub store: SessionStore,
    client: StoredValue<Client, LocalStorage>,
    /// The opened files and folders, kept to walk them again.
    tree: StoredValue<FileTree, LocalStorage>,
    opening: StoredValue<Opening>,
    /// Numbers opens, so that a superseded open no longer reports anything.
    opens: Attempts,
    looks: StoredValue<Examinations>,
    /// Whether the tree is being walked, before the worker is involved.
    walking: StoredValue<bool>,
    /// Number of opens that replaced the previous session.
    pub opened: RwSignal<u32>,
    disk_check_pacing: StoredValue<DiskCheckPacing>,
    /// Whether a delayed disk check is scheduled, because the last one was too recent.
    disk_check_scheduled: StoredValue<bool>,
    /// Whether a disk check was requested while files were being read or written.
    disk_check_pending: StoredValue<bool>,
    /// Resumes the save that waits for the user's decision.
    decided: StoredValue<Option<oneshot::Sender<bool>>, LocalStorage>,
    /// Callers waiting until the files are written.
    unwritten: StoredValue<Vec<oneshot::Sender<()>>, LocalStorage>,
    /// Watches the open folders if the browser supports it.
    observer: StoredValue<Option<FolderObserver>, LocalStorage>,
    /// Number of watches started, so that only the latest is kept.
    watches: StoredValue<u32>,
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
    graph_to_come: bool,
}

impl Actions {
    /// Starts the workers. Call it once, inside the page's reactive owner.
    pub fn start() -> Self {
        let store: Rc<OnceCell<SessionStore>> = Rc::default();
        let client = Client::start({
            let store = store.clone();
            move |event: Event| {
                if let Some(store) = store.get() {
                    spawn_local(store.hear(event));
                }
            }
        });
        let store = *store.get_or_init(|| SessionStore::new(Rc::new(client.clone())));
        let actions = Self {
            store,
            client: StoredValue::new_local(client),
            tree: StoredValue::new_local(FileTree::default()),
            opening: StoredValue::default(),
            opens: Attempts::default(),
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
        storage::ask_before_leaving(move || store.would_lose());
        storage::on_return(move || actions.check_for_disk_changes());
        actions
    }

    /// Opens dropped or picked files.
    pub fn open(self, tree: FileTree, mode: OpenMode) {
        let start = time::now();
        spawn_local(async move {
            self.open_since(start, tree, mode).await;
        });
    }

    /// Like [`Self::open`], but can be awaited.
    pub async fn open_now(self, tree: FileTree, mode: OpenMode) {
        self.open_since(time::now(), tree, mode).await;
    }

    /// Runs `look`, which examines dropped files before it is known how to open them. Shows a slow
    /// examination as opening; returns `None` if the user cancels it.
    pub async fn look_into<T>(self, look: impl Future<Output = T>) -> Option<T> {
        let started = self.looks.get_value();
        let is_over = Rc::new(Cell::new(false));
        let shown_at = Rc::new(Cell::new(None));
        self.looks.update_value(|looks| looks.active += 1);
        spawn_local({
            let (is_over, shown_at) = (is_over.clone(), shown_at.clone());
            async move {
                time::pause(SHOW_LOOK_MS).await;
                let is_opening =
                    matches!(self.store.opening.phase.get_untracked(), Phase::Opening(_));
                if !is_over.get()
                    && !is_opening
                    && self.looks.get_value().cancelled == started.cancelled
                {
                    shown_at.set(Some(self.opens.latest()));
                    self.store.opening.begin();
                }
            }
        });
        let outcome = look.await;
        is_over.set(true);
        self.looks.update_value(|looks| looks.active -= 1);
        if self.looks.get_value().cancelled != started.cancelled {
            return None;
        }
        // A newer open shows its own progress.
        if shown_at.get().is_some_and(|is_latest| is_latest()) {
            self.store.opening.end();
        }
        Some(outcome)
    }

    pub fn cancel_open(self) {
        if self.walking.get_value() {
            // The worker does not know about the open yet.
            self.walking.set_value(false);
            self.opens.supersede();
            self.store.opening.end();
        } else if self.looks.get_value().active > 0 {
            self.looks.update_value(|looks| looks.cancelled += 1);
            self.store.opening.end();
        } else {
            self.client.with_value(Client::cancel);
        }
    }

    /// Downloads an export as a file. Returns its name if the browser accepts it.
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
            self.client
                .with_value(|client| client.log().note_exported());
        }
        Some(file.name)
    }

    /// Copies the applied operations as command lines. Returns false on failure.
    pub async fn copy_commands(self) -> bool {
        let Some(file) = self.store.export(Export::Commands).await else {
            return false;
        };
        let is_copied = downloads::copy(&String::from_utf8_lossy(&file.bytes)).await;
        if is_copied {
            self.client
                .with_value(|client| client.log().note_exported());
        }
        is_copied
    }

    /// Returns the client, for continuing earlier work.
    pub fn client(self) -> Client {
        self.client.get_value()
    }

    /// Whether a reload requires the user to pick the folder again (then [`Actions::open`] with
    /// [`OpenMode::Reload`]).
    pub fn has_to_pick_again(self) -> bool {
        self.tree.with_value(|tree| !tree.leads_back_to_disk())
    }

    /// Opens the tree's current state on disk and keeps the edits.
    pub fn reload(self) {
        let tree = self.tree.get_value();
        self.open(tree, OpenMode::Reload);
    }

    /// Compares the open files with the disk. Changed files without edits are read again; edited
    /// ones are reported to the banner.
    pub fn check_for_disk_changes(self) {
        let now = time::now();
        if !untrack(|| self.is_calm()) {
            self.disk_check_pending.set_value(true);
            return;
        }
        let early = self
            .disk_check_pacing
            .with_value(|disk_check_pacing| disk_check_pacing.wait(now));
        if early > 0.0 {
            // Delay the check instead of dropping it: changes since the last check must be noticed.
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
            let mut change =
                folder_access::find_disk_changes(&self.tree.get_value(), &opened).await;
            self.disk_check_pacing
                .update_value(|disk_check_pacing| disk_check_pacing.finish_check(now, time::now()));
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
                    .open_since(time::now(), self.tree.get_value(), OpenMode::Reload)
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

    /// Whether nothing is being read or written.
    fn is_calm(self) -> bool {
        self.store.opening.phase.with(|phase| *phase == Phase::Open)
            && !self.store.saving.with(SaveState::is_busy)
    }

    /// Runs a pending disk check once no file is being read or written.
    fn look_when_calm(self) {
        effect(move |_| {
            if self.is_calm() && self.disk_check_pending.get_value() {
                self.disk_check_pending.set_value(false);
                self.check_for_disk_changes();
            }
        });
    }

    /// Opens `tree`, measured from `start`. Returns `None` if another open replaced it, or there
    /// was nothing to open.
    async fn open_since(self, start: f64, tree: FileTree, mode: OpenMode) -> Option<OpenEnd> {
        self.store.opening.begin();
        self.opening.set_value(Opening {
            start,
            graph_to_come: true,
        });
        let is_latest = self.opens.begin();
        self.walking.set_value(true);
        let tree = match mode {
            OpenMode::Add => {
                let (tree, again) = tree.without(&self.tree.get_value()).await;
                if !is_latest() {
                    return None;
                }
                if tree.is_empty() && !again.is_empty() {
                    self.walking.set_value(false);
                    self.store.opening.give_up(&already_open(&again));
                    return None;
                }
                if !again.is_empty() {
                    self.report_failure(already_open(&again));
                }
                tree
            }
            OpenMode::Replace | OpenMode::Reload => tree,
        };
        // Assign names before reading anything, so that open and added files never share a path.
        let taken = match mode {
            OpenMode::Add => self
                .tree
                .with_value(FileTree::names)
                .with(&self.client.with_value(|client| client.log().folder())),
            OpenMode::Replace | OpenMode::Reload => SourceNames::default(),
        };
        let tree = tree.beside(taken);
        let mut tree = tree;
        // A repository's files are found operator by operator: its table only needs names.
        if mode != OpenMode::Add {
            tree.find_repository().await;
        }
        if !is_latest() {
            return None;
        }
        let client = self.client.get_value();
        let mut reported = start;
        let goes_on = |count| {
            if time::now() - reported > REPORT_WALK_MS {
                reported = time::now();
                self.store.opening.note_found(count as u32);
            }
            is_latest()
        };
        let mut ahead =
            (mode != OpenMode::Reload && tree.is_read_as_found()).then(|| client.reading_ahead());
        let on_files = |files: &[PickedFile]| {
            // A later open may be reading its own files.
            if is_latest() {
                ahead.iter_mut().for_each(|ahead| ahead.add_files(files));
            }
        };
        let walk = tree.walk_observed(goes_on, on_files).await;
        let Some(walk) = walk.filter(|_| is_latest()) else {
            client.stop_reading_ahead();
            return None;
        };
        tree.forget_listings();
        self.walking.set_value(false);
        if walk.files.is_empty() && walk.unreadable.is_empty() {
            self.store
                .opening
                .give_up("The folder is empty: there are no files to open.");
            return None;
        }
        let answer = client.open(mode, &walk).await;
        let is_there = answer.is_ok();
        if !is_latest() && !is_there {
            return None;
        }
        let sizes: f64 = walk.files.iter().map(|picked| picked.file.size()).sum();
        let detail = [("bytes", sizes), ("files", walk.files.len() as f64)];
        time::measure("open", start, &detail);
        if is_there {
            // Set this before anything is shown: later disk checks need the location of files.
            match mode {
                OpenMode::Add => self.tree.update_value(|known| known.extend(tree)),
                OpenMode::Replace | OpenMode::Reload => self.tree.set_value(tree),
            }
        }
        if is_there {
            self.measure_verdict(start, detail);
        }
        if is_there && mode == OpenMode::Replace {
            self.store.comparison.choose(None);
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

    /// Measures the time until the verdict is painted, before the first package is requested.
    fn measure_verdict(self, start: f64, [bytes, files]: [(&'static str, f64); 2]) {
        spawn_local(async move {
            time::mark_paint().await;
            let packages = self
                .store
                .status
                .with_untracked(|s| s.roots.iter().map(|r| r.packages).sum::<u32>());
            time::measure(
                "verdict",
                start,
                &[bytes, files, ("packages", f64::from(packages))],
            );
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

    /// Watches the open folders, if the browser supports it.
    pub(super) fn watch_disk(self) {
        self.watches.update_value(|count| *count += 1);
        let watch = self.watches.get_value();
        spawn_local(async move {
            let mut handles = self.tree.get_value().handles().await;
            handles.retain(folder_access::is_folder);
            let observer =
                FolderObserver::start(&handles, move || self.check_for_disk_changes()).await;
            // Of two consecutive opens, the first may be ready last.
            if self.watches.get_value() == watch {
                self.observer.set_value(observer);
                // The observer has missed changes since the files were read.
                self.check_for_disk_changes();
            }
        });
    }

    fn measure_first_graph(self) {
        effect(move |_| {
            let has_view = self.store.view.with(Option::is_some);
            let opening = self.opening.get_value();
            if has_view
                && opening.graph_to_come
                && self.store.opening.phase.with(|phase| *phase == Phase::Open)
            {
                self.opening.set_value(Opening {
                    graph_to_come: false,
                    ..opening
                });
                spawn_local(async move {
                    time::mark_paint().await;
                    time::measure("first-graph", opening.start, &[]);
                });
            }
        });
    }

    fn measure_first_lanes(self) {
        effect(move |_| {
            if self.store.opening.first_lanes.with(Option::is_some) {
                let start = self.opening.with_value(|opening| opening.start);
                spawn_local(async move {
                    time::mark_paint().await;
                    time::measure("first-lanes", start, &[]);
                });
            }
        });
    }

    /// Finds the files of these parts, unless they are already known. The error says why they are
    /// unavailable.
    pub async fn find_parts(self, wanted: Vec<RepositoryPart>) -> Result<(), String> {
        if self
            .tree
            .with_value(|tree| tree.lacking(wanted.clone()).is_empty())
        {
            return Ok(());
        }
        let turn = self.walking_parts.get_value();
        let _turn = turn.lock().await;
        let (tree, is_latest) = (self.tree.get_value(), self.opens.latest());
        let parts = tree.lacking(wanted);
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
            self.tree.update_value(|tree| tree.note_walked(parts));
        }
        Ok(())
    }

    fn report_failure(self, message: String) {
        self.store.notices.push(Notice::Failed(message));
    }
}

/// Returns the message for a folder or file that is already open.
fn already_open(names: &[String]) -> String {
    format!("Already open: {}.", names.join(", "))
}
