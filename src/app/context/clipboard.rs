//! Downloads and the clipboard.

use super::AppContext;
use crate::browser::downloads;
use crate::state::journal::{JournalStep, as_json_lines};
use protocol::request::Export;
use wasm_bindgen_futures::spawn_local;

impl AppContext {
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

    fn report_copied(self, done: bool, message: impl Into<String>) {
        if done {
            self.notifications.toasts.report_success(message);
        } else {
            self.notifications
                .toasts
                .error("The browser does not allow copying.");
        }
    }
}
