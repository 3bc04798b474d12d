//! Downloads and the clipboard. Graphs are exported as text from the worker, and as a bitmap that
//! the page draws from it.

use super::{CurrentView, Notifications};
use crate::actions::Actions;
use crate::browser::file_tree::error_message;
use crate::browser::{downloads, graph_image};
use crate::state::journal::{JournalStep, as_json_lines};
use leptos::prelude::*;
use protocol::repository::PullRequest;
use protocol::request::{Export, GraphFormat};
use wasm_bindgen_futures::spawn_local;

/// PNG pixels per CSS pixel.
const SCALE: f64 = 2.0;

/// Downloads and copies, each with its notice.
#[derive(Clone, Copy)]
pub struct Exports {
    actions: Actions,
    current: CurrentView,
    notifications: Notifications,
}

impl Exports {
    pub(super) fn new(
        actions: Actions,
        current: CurrentView,
        notifications: Notifications,
    ) -> Self {
        Self {
            actions,
            current,
            notifications,
        }
    }

    pub fn download(self, what: Export) {
        spawn_local(async move {
            if let Some(name) = self.actions.download(what).await {
                self.notifications
                    .toasts
                    .report_success(format!("{name} was downloaded."));
            }
        });
    }

    /// Offers a text as a file download.
    pub fn download_text(self, name: &str, mime: &str, text: &str) {
        if downloads::download(name, mime, text.as_bytes()).is_err() {
            self.notifications
                .toasts
                .error("The browser does not allow downloads.");
        }
    }

    /// Copies the edits as command lines.
    pub fn copy_commands(self) {
        spawn_local(async move {
            let done = self.actions.copy_commands().await;
            self.report_copied(done, "Commands copied, one per line.");
        });
    }

    /// Copies a text and confirms it with a notice.
    pub fn copy_text(self, text: String, message: String) {
        spawn_local(async move {
            let done = downloads::copy(&text).await;
            self.report_copied(done, message);
        });
    }

    /// Copies operations as JSON lines for the command line.
    pub fn copy_operations(self, steps: Vec<JournalStep>) {
        spawn_local(async move {
            let done = downloads::copy(&as_json_lines(&steps)).await;
            self.report_copied(done, "Operations copied, one per line.");
        });
    }

    /// Copies a bug report for the maintainers.
    pub fn copy_report(self, report: String) {
        spawn_local(async move {
            let done = downloads::copy(&report).await;
            self.report_copied(
                done,
                "Report copied. It contains the operation and the text of the document.",
            );
        });
    }

    /// Offers a pull request's patch as a file download.
    pub fn download_pull_request(self, pull_request: &PullRequest) {
        self.download(Export::PatchOf {
            files: pull_request.files.clone(),
            message: pull_request.message.clone(),
            name: pull_request.patch.clone(),
        });
    }

    /// The Dockerfile of the catalog in view.
    pub fn download_dockerfile(self) {
        self.download(Export::Dockerfile {
            root: self.actions.store.root.get_untracked(),
        });
    }

    fn report_copied(self, done: bool, message: impl Into<String>) {
        if done {
            self.notifications.toasts.report_success(message);
        } else {
            self.notifications
                .toasts
                .error("The browser does not allow copying.");
        }
    }

    /// The graph of the package in view, with the current arrangement of lanes.
    pub fn download_graph(self, format: GraphFormat) {
        self.download(self.graph_export(format));
    }

    /// The graph as a PNG at double size.
    pub fn download_picture(self) {
        let what = self.graph_export(GraphFormat::Svg);
        spawn_local(async move {
            // The store has already reported the reason.
            let Some(svg) = self.actions.store.export(what).await else {
                return;
            };
            let name = format!("{}.png", svg.name.trim_end_matches(".svg"));
            let made = match graph_image::png(&svg.bytes, SCALE).await {
                Ok(png) => downloads::offer(&name, &png.file)
                    .map(|()| png)
                    .map_err(|error| error_message(&error)),
                Err(why) => Err(why),
            };
            match made {
                Ok(png) if png.scale < SCALE => self.notifications.toasts.note(format!(
                    "{name} is {} × {} pixels, {:.1} times the size of the graph: browsers cannot draw larger pictures. \
                     The SVG is sharp at any size.",
                    png.width, png.height, png.scale
                )),
                Ok(_) => {}
                Err(why) => self
                    .notifications
                    .toasts
                    .error(format!("The picture could not be created: {why}. Export the SVG instead: it is sharp at any size.")),
            }
        });
    }

    fn graph_export(self, format: GraphFormat) -> Export {
        let mut lanes = self.actions.store.lanes.get_untracked();
        let (root, package) = (
            self.actions.store.root.get_untracked(),
            self.current.package.get_untracked(),
        );
        self.current.view.with_untracked(|view| {
            if (&view.root, &view.package) == (&root, &package) {
                lanes.default_order.clone_from(&view.default_order);
            }
        });
        Export::Graph {
            root,
            package,
            lanes: Box::new(lanes),
            format,
        }
    }
}
