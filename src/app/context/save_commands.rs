//! Saving to disk, for panels.

use super::{AppContext, Overlay};
use crate::browser::file_tree::FileTree;
use crate::browser::folder_access::{self, Access};
use crate::context::text_steps::AfterSteps;
use crate::edits::suggestions::catalog_name;
use crate::state::save_state::{SaveReport, SaveState};
use crate::widgets::dom;
use crate::words;
use leptos::prelude::*;
use protocol::counting::first_of;
use protocol::views::RootRow;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::FileSystemHandle;

impl AppContext {
    /// Saves the changed files in place. *Review changes* shows the progress and closes at the end
    /// if there is nothing to read. If an edited catalog fails `opm validate`, or there is
    /// unapplied text, the review is shown first: the next press there saves.
    pub fn save(self) {
        self.save_if(|app| {
            app.is_reviewing() || !(app.stops_at_failing() || app.stops_at_unfinished())
        });
    }

    /// Like `save`, after all typed text is applied, if `may` allows it then.
    fn save_if(self, may: fn(Self) -> bool) {
        if !self.current.is_open.get_untracked()
            || self.store.saving.with_untracked(SaveState::is_busy)
        {
            return;
        }
        self.text_steps.close();
        if !self.text_steps.is_all_applied() {
            // Pending typed text must be saved too.
            self.text_steps.then(self, AfterSteps::Save);
            return;
        }
        if self.store.is_changing() {
            // Wait for pending edits too.
            spawn_local(async move {
                self.store.edits_done().await;
                self.save_if(may);
            });
            return;
        }
        if !self.store.has_unsaved_edits() {
            if !self.stops_at_unfinished() {
                self.notifications
                    .toasts
                    .note("Nothing to save: the files on disk match what is shown.");
            }
            return;
        }
        if !may(self) {
            return;
        }
        self.show_review();
        if self.actions.cannot_save().is_some() {
            return;
        }
        spawn_local(async move {
            self.actions.save().await;
            match self.store.saving.get_untracked() {
                SaveState::Ended(report) if report.is_plain() => {
                    self.store.note_saving(SaveState::Idle);
                    self.close_review();
                    self.notifications
                        .toasts
                        .report_success(success_message(&report));
                }
                // The review may have been closed meanwhile, and a failure must be visible.
                SaveState::Ended(_) if self.may_review() => self.show_review(),
                SaveState::Ended(_) => self
                    .notifications
                    .toasts
                    .error("Not everything was saved. Review changes shows why."),
                _ => {}
            }
        });
    }

    /// Asks for a folder, writes the opened files there, and saves the edits.
    pub fn save_to_folder(self) {
        if !self.current.is_open.get_untracked()
            || self.store.saving.with_untracked(SaveState::is_busy)
        {
            return;
        }
        if !self.actions.can_save_to_folder() {
            return self.save();
        }
        if !self.is_reviewing() && self.stops_at_unfinished() {
            return;
        }
        spawn_local(async move {
            if self.actions.save_to_folder().await {
                if self.store.has_unsaved_edits() {
                    // Its actions depend on what can be written.
                    self.close_review();
                    self.save_if(|_| true);
                } else {
                    self.close_review();
                    self.notifications
                        .toasts
                        .report_success("Saved to the folder.");
                }
            }
        });
    }

    /// Opens a recent folder. The browser may ask for permission again.
    pub fn open_recent(self, handle: FileSystemHandle) {
        spawn_local(async move {
            match folder_access::permit(&handle, Access::Read).await {
                Ok(true) => self.offer(FileTree::from_handle(handle.unchecked_ref())),
                Ok(false) => self.notifications.toasts.error(
                    "The browser does not let the page read this folder. Open it with Open folder…, or drop it here.",
                ),
                Err(why) => self.notifications.toasts.error(format!("The folder cannot be opened: {why}")),
            }
        });
    }

    /// *Review changes* was closed: cancels a save that waits for choices, and marks the last
    /// result as read.
    pub fn leave_review(self) {
        self.actions.decide(false);
        if matches!(self.store.saving.get_untracked(), SaveState::Ended(_)) {
            self.store.note_saving(SaveState::Idle);
        }
        self.close_review();
    }

    /// Do not replace a form with user input.
    fn may_review(self) -> bool {
        self.overlays
            .overlay()
            .with_untracked(|over| over.as_ref().is_none_or(|over| *over == Overlay::Review))
    }

    fn is_reviewing(self) -> bool {
        self.overlays
            .overlay()
            .with_untracked(|overlay| *overlay == Some(Overlay::Review))
    }

    fn show_review(self) {
        if !self.is_reviewing() {
            self.overlays.open(Overlay::Review);
        }
    }

    fn close_review(self) {
        if self.is_reviewing() {
            self.overlays.close();
        }
    }

    /// Shows *Review changes* if there is unapplied text. False otherwise.
    fn stops_at_unfinished(self) -> bool {
        let fields = untrack(|| self.unfinished_fields.places()).len() as u32;
        if fields > 0 {
            self.ready_to_save(not_applied_yet(fields, self.store.has_unsaved_edits()));
        }
        fields > 0
    }

    /// Shows *Review changes*, ready to save, if an edited catalog fails. False otherwise.
    fn stops_at_failing(self) -> bool {
        let failing = self
            .store
            .status
            .with_untracked(|status| failing_edited(&status.roots));
        if failing.is_empty() {
            return false;
        }
        self.ready_to_save(not_saved_yet(&failing));
        true
    }

    fn ready_to_save(self, message: String) {
        self.show_review();
        // After it is open: it shows new problems beside its buttons, and can be focused.
        request_animation_frame(move || {
            self.notifications.toasts.note(message);
            if let Some(page) = document().body() {
                dom::focus_first_in(&page, SAVE_BUTTON);
            }
        });
    }
}

/// The primary action of *Review changes*.
const SAVE_BUTTON: &str = "[aria-label='Save'] > [data-look='primary']";

/// Names of edited catalogs that fail.
fn failing_edited(roots: &[RootRow]) -> Vec<String> {
    let failing = roots
        .iter()
        .filter(|row| row.edited && !row.passed && row.rendered.is_none());
    failing.map(|row| catalog_name(roots, &row.root)).collect()
}

fn not_saved_yet(failing: &[String]) -> String {
    let (names, fail) = (
        first_of(failing.iter(), 3),
        if failing.len() == 1 { "fails" } else { "fail" },
    );
    format!("Nothing is saved yet: {names} {fail} validation. Save again to save all the same.")
}

/// `has_edits`: whether there are other edits to save.
fn not_applied_yet(fields: u32, has_edits: bool) -> String {
    let what = words::count(fields, "field");
    let again = if has_edits {
        " Save again to save without it."
    } else {
        ""
    };
    format!("Nothing is saved yet: what was typed in {what} is not applied.{again}")
}

fn success_message(report: &SaveReport) -> String {
    match (report.written.as_slice(), report.up_to_date.len() as u32) {
        ([one], 0) => format!("Saved {one}."),
        ([], up_to_date) => {
            format!(
                "{} already up to date on disk; nothing was written.",
                words::count(up_to_date, "file")
            )
        }
        (written, _) => format!("Saved {}.", words::count(written.len() as u32, "file")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_failing_edited_catalogs_stop_a_save() {
        let row = |root: &str, edited, passed| RootRow {
            root: root.into(),
            edited,
            passed,
            ..RootRow::default()
        };
        let rows = [
            row("v4.18", true, true),
            row("v4.19", false, false),
            row("v4.20", true, false),
        ];
        assert_eq!(failing_edited(&rows), ["v4.20"]);
        assert_eq!(failing_edited(&rows[..2]), [""; 0]);
        let both = ["v4.19".to_owned(), "v4.20".to_owned()];
        let expected =
            "Nothing is saved yet: v4.19, v4.20 fail validation. Save again to save all the same.";
        assert_eq!(not_saved_yet(&both), expected);
    }

    #[test]
    fn unapplied_text_is_reported_before_a_save() {
        let again = "Save again to save without it.";
        assert_eq!(
            not_applied_yet(1, true),
            format!("Nothing is saved yet: what was typed in 1 field is not applied. {again}")
        );
        assert_eq!(
            not_applied_yet(2, false),
            "Nothing is saved yet: what was typed in 2 fields is not applied."
        );
    }

    #[test]
    fn reports_the_saved_files_in_one_line() {
        let of = |written: &[&str], up_to_date: &[&str]| {
            let all = |list: &[&str]| list.iter().map(|path| (*path).to_owned()).collect();
            success_message(&SaveReport {
                written: all(written),
                up_to_date: all(up_to_date),
                ..SaveReport::default()
            })
        };
        assert_eq!(of(&["a/b.yaml"], &[]), "Saved a/b.yaml.");
        assert_eq!(of(&["a", "b"], &["c"]), "Saved 2 files.");
        assert_eq!(
            of(&[], &["c"]),
            "1 file already up to date on disk; nothing was written."
        );
    }
}
