//! Opening, adding, reloading: how files come onto the desk.

use super::{Desk, Overlay, Progress, Tickets};
use crate::app::browser::tree::{Tree, Walk};
use crate::app::browser::{disk, marks, sample, tree};
use crate::app::client::{Answer, Lost};
use crate::protocol::ResponseBody;
use crate::protocol::request::OpenMode;
use crate::protocol::views::Status;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

impl Desk {
    /// What was dropped or picked. Over an open workspace the user is asked what to do with it.
    pub fn offer(self, tree: Tree) {
        if tree.is_empty() {
            return;
        }
        if self.is_open.get_untracked() {
            self.dropped.set_value(Some(tree));
            self.overlay.set(Some(Overlay::Dropped));
        } else {
            self.open(tree, OpenMode::Replace);
        }
    }

    /// The answer to the question of [`Desk::offer`]; `None` forgets what was dropped.
    pub fn take_dropped(self, mode: Option<OpenMode>) {
        self.close_overlay();
        let tree = self.dropped.try_update_value(Option::take).flatten();
        if let (Some(tree), Some(mode)) = (tree, mode) {
            self.open(tree, mode);
        }
    }

    /// Asks for a folder where the browser can hand out a handle; false where it cannot.
    pub fn pick_folder(self) -> bool {
        if !tree::can_pick_folder() {
            return false;
        }
        spawn_local(async move {
            if let Some(tree) = tree::pick_folder().await {
                self.offer(tree);
            }
        });
        true
    }

    pub fn open_sample(self) {
        spawn_local(async move {
            match sample::fetch().await {
                Ok(tree) => self.offer(tree),
                Err(error) => self.notice.set(format!("The sample cannot be read: {}", tree::words(&error))),
            }
        });
    }

    pub fn cancel_open(self) {
        if let Some(client) = self.client.get_value() {
            client.cancel();
        }
    }

    fn open(self, tree: Tree, mode: OpenMode) {
        let start = marks::now();
        self.notice.set(String::new());
        self.progress.set(Some(Progress::default()));
        spawn_local(async move {
            let walk = tree.walk().await;
            if walk.files.is_empty() && walk.unreadable.is_empty() {
                self.progress.set(None);
                self.tell("The folder is empty: there are no files to open.".to_owned());
                return;
            }
            let Some(answer) = self.read(mode, &walk).await else { return };
            match answer.body {
                ResponseBody::Opened(status) => {
                    match mode {
                        OpenMode::Replace => {
                            self.tree.set_value(tree);
                            self.last_edit.set(None);
                            self.troubles.set(Vec::new());
                        }
                        OpenMode::Add | OpenMode::Reload => self.tree.update_value(|known| known.extend(tree)),
                    }
                    self.opened(*status, start);
                }
                ResponseBody::Failed { message } => self.tell(message),
                _ => self.toasts.note("Opening was canceled."),
            }
        });
    }

    /// Hands the files to the worker, with the progress shown meanwhile.
    async fn read(self, mode: OpenMode, walk: &Walk) -> Option<Answer> {
        let client = self.client.get_value()?;
        let answer = client.open(mode, walk).await;
        self.progress.set(None);
        match answer {
            Ok(answer) => Some(answer),
            Err(lost) => {
                let (Lost::SetAside { message } | Lost::NoWorker { message }) = lost;
                self.tell(format!("The files cannot be opened: {message}"));
                None
            }
        }
    }

    /// Says it where the user looks: on the start page, or beside the open workspace.
    fn tell(self, message: String) {
        if self.is_open.get_untracked() {
            self.toasts.error(message);
        } else {
            self.notice.set(message);
        }
    }

    fn opened(self, status: Status, start: f64) {
        let (bytes, files) = (status.bytes as f64, f64::from(status.files));
        let packages: u32 = status.roots.iter().map(|row| row.packages).sum();
        let detail = [("bytes", bytes), ("files", files), ("packages", f64::from(packages))];
        marks::measure("open", start, &detail);
        self.open_ms.set(marks::now() - start);
        self.tickets.update_value(|tickets| tickets.first_graph = Some(start));
        self.status.set(status);
        self.is_open.set(true);
        self.changed_on_disk.set(Vec::new());
        self.show_something();
        spawn_local(async move {
            marks::painted().await;
            marks::measure("verdict", start, &detail);
        });
    }

    /// The lanes are on the screen: the first time after an open this is measured.
    pub fn painted(self) {
        let start = self.tickets.try_update_value(|tickets| tickets.first_graph.take()).flatten();
        if let Some(start) = start {
            let (bytes, files) = self.status.with_untracked(|status| (status.bytes as f64, f64::from(status.files)));
            marks::measure("first-graph", start, &[("bytes", bytes), ("files", files)]);
        }
    }

    /// Splits a folder into catalogs again, or treats it as one.
    pub fn treat_as_one(self, folder: String, as_one: bool) {
        let start = marks::now();
        spawn_local(async move {
            let Some(answer) = self.ask(crate::protocol::RequestBody::TreatAsOne { folder, as_one }).await else {
                return;
            };
            match answer.body {
                ResponseBody::Opened(status) => self.opened(*status, start),
                ResponseBody::Failed { message } => self.toasts.error(message),
                _ => {}
            }
        });
    }

    /// Looks whether opened files changed on disk; the banner says so.
    pub fn look_at_disk(self) {
        let busy = self.tickets.try_update_value(|tickets: &mut Tickets| std::mem::replace(&mut tickets.looking, true));
        if busy != Some(false) {
            return;
        }
        let Some(client) = self.client.get_value() else { return };
        spawn_local(async move {
            if self.is_open.get_untracked() && self.progress.get_untracked().is_none() {
                let change = disk::look(&self.tree.get_value(), &client.opened_files()).await;
                if self.changed_on_disk.get_untracked() != change.paths {
                    self.changed_on_disk.set(change.paths);
                }
            }
            self.tickets.update_value(|tickets| tickets.looking = false);
        });
    }

    /// Whether the browser can read the folder again by itself.
    pub fn can_reload(self) -> bool {
        self.tree.with_value(Tree::leads_back_to_disk)
    }

    /// Reads the folder again and applies the edits to it.
    pub fn reload(self) {
        let start = marks::now();
        let tree = self.tree.get_value();
        spawn_local(async move {
            self.progress.set(Some(Progress::default()));
            let walk = tree.walk().await;
            let Some(answer) = self.read(OpenMode::Reload, &walk).await else { return };
            match answer.body {
                ResponseBody::Replayed { status, refused } => {
                    for (_, reason) in &refused {
                        self.toasts.error(format!("An edit could not be kept: {reason}"));
                    }
                    self.opened(*status, start);
                }
                ResponseBody::Opened(status) => self.opened(*status, start),
                ResponseBody::Failed { message } => self.toasts.error(message),
                _ => {}
            }
        });
    }

    /// The folder was picked again, where the browser has no way back to the disk by itself.
    pub fn reload_from(self, tree: Tree) {
        self.tree.set_value(tree);
        self.reload();
    }
}
