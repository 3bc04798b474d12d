//! What the client tells unasked: progress, deaths and recoveries of the worker, changes on disk.

use super::{Desk, Progress, Trouble};
use crate::app::browser::output;
use crate::app::client::Event;
use crate::app::state::journal::{Step, as_json_lines};
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

impl Desk {
    pub(super) fn on_event(self, event: Event) {
        match event {
            Event::Progress { bytes, total_bytes, files, total_files } => {
                if self.progress.with_untracked(Option::is_some) {
                    self.progress.set(Some(Progress { bytes, total_bytes, files, total_files }));
                }
            }
            Event::Crashed { message } => {
                let reason = if message.is_empty() { String::new() } else { format!(" ({message})") };
                self.toasts.note(format!("The worker stopped{reason}. A new one opens the files again."));
            }
            Event::Restored { status, set_aside } => {
                if let Some(status) = status {
                    self.status.set(*status);
                    self.show_something();
                    self.refresh_inspection();
                }
                for aside in set_aside {
                    self.set_aside(aside.step, &aside.reason);
                }
            }
            Event::SetAside(aside) => self.set_aside(aside.step, &aside.reason),
            Event::ChangedOnDisk { paths } => {
                self.changed_on_disk.update(|known| {
                    for path in paths {
                        if !known.contains(&path) {
                            known.push(path);
                        }
                    }
                });
            }
            Event::Dead { message, steps } => {
                let text = format!("The worker cannot be started again: {message}. Your edits can still be taken out.");
                self.troubles.update(|troubles| troubles.push(Trouble { text, steps, fatal: true }));
            }
        }
    }

    fn set_aside(self, step: Step, reason: &str) {
        let text = format!("“{}” was set aside: {reason}", step.title);
        self.troubles.update(|troubles| troubles.push(Trouble { text, steps: vec![step], fatal: false }));
    }

    /// Puts operations on the clipboard, as JSON lines that the command line takes.
    pub fn copy_operations(self, steps: Vec<Step>) {
        self.copy_text(as_json_lines(&steps), "Operations copied, one a line.");
    }

    pub fn copy_text(self, text: String, done: &'static str) {
        spawn_local(async move {
            if output::copy(&text).await {
                self.toasts.done(done);
            } else {
                self.toasts.error("The browser does not allow copying.");
            }
        });
    }
}
