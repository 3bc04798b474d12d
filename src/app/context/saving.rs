//! Saving to disk, downloads and the clipboard. Graphs are exported as text from the worker, and as
//! a bitmap that the page draws from it.

use super::{AppContext, Overlay};
use crate::browser::file_tree::error_message;
use crate::browser::{downloads, folder_access};
use crate::edits::form_values::catalog_name;
use crate::reactive::spawn_local;
use crate::state::journal::{JournalStep, format_json_lines};
use crate::state::save_state::{SaveReport, SaveState};
use crate::widgets::dom;
use crate::words;
use leptos::prelude::*;
use protocol::counting::first_of;
use protocol::repository::PullRequest;
use protocol::request::{Export, GraphFormat, PackageRequest};
use protocol::response::OperationRefusal;
use protocol::subset::SavedSubset;
use protocol::views::RootRow;

/// Selector of the primary button of *Review changes*.
const SAVE_BUTTON: &str = "[aria-label='Save'] > [data-look='primary']";
/// PNG pixels per CSS pixel.
const PNG_SCALE: f64 = 2.0;
/// Maximum number of failing catalogs named in a message.
const MAX_NAMED_CATALOGS: usize = 3;

/// Saves the changed files in place. *Review changes* shows the progress and closes at the end
/// unless the user has something to read. If an edited catalog fails `opm validate`, or if there is
/// unapplied text, opens the review instead; saving from there saves anyway.
pub fn save(app: AppContext) {
    save_if(app, |app| {
        is_reviewing(app) || !(stop_if_failing(app) || stop_if_unfinished(app))
    });
}

/// Applies all typed text and waits for pending edits, then saves if `is_allowed`.
fn save_if(app: AppContext, is_allowed: fn(AppContext) -> bool) {
    if !app.current.is_open.get_untracked() || app.store.saving.with_untracked(SaveState::is_busy) {
        return;
    }
    app.text_steps.finish_typing();
    if !app.text_steps.is_all_applied() {
        // Pending typed text must be saved too.
        app.text_steps
            .when_applied(move || save_if(app, is_allowed));
        return;
    }
    if app.store.is_changing() {
        // Wait for pending edits too.
        spawn_local(async move {
            app.store.wait_for_edits().await;
            save_if(app, is_allowed);
        });
        return;
    }
    if !app.store.status.has_unsaved_edits_untracked() {
        if !stop_if_unfinished(app) {
            app.notifications
                .toasts
                .note("Nothing to save: the files on disk match what is shown.");
        }
        return;
    }
    if !is_allowed(app) {
        return;
    }
    show_review(app);
    if app.session.cannot_save().is_some() {
        return;
    }
    spawn_local(async move {
        app.session.save().await;
        match app.store.saving.get_untracked() {
            SaveState::Ended(report) if report.is_success() => {
                app.store.saving.report(SaveState::Idle);
                app.review.reset_message();
                close_review(app);
                app.notifications
                    .toasts
                    .report_success(success_message(&report));
            }
            // The review may have been closed meanwhile, and a failure must be visible.
            SaveState::Ended(_) if may_review(app) => show_review(app),
            SaveState::Ended(_) => app
                .notifications
                .toasts
                .error("Not everything was saved. Review changes shows why."),
            _ => {}
        }
    });
}

/// Asks for a folder, writes the opened files there, and saves the edits.
pub fn save_to_folder(app: AppContext) {
    if !app.current.is_open.get_untracked() || app.store.saving.with_untracked(SaveState::is_busy) {
        return;
    }
    if !app.session.can_save_to_folder() {
        return save(app);
    }
    if !is_reviewing(app) && stop_if_unfinished(app) {
        return;
    }
    spawn_local(async move {
        if app.session.save_to_folder().await {
            // The review's actions depend on what can be written.
            close_review(app);
            if app.store.status.has_unsaved_edits_untracked() {
                save_if(app, |_| true);
            } else {
                app.notifications
                    .toasts
                    .report_success("Saved to the folder.");
            }
        }
    });
}

/// Handles the closing of *Review changes*: cancels a save that waits for choices, and marks
/// the last result as read.
pub fn leave_review(app: AppContext) {
    app.session.decide(false);
    if matches!(app.store.saving.get_untracked(), SaveState::Ended(_)) {
        app.store.saving.report(SaveState::Idle);
    }
    close_review(app);
}

/// Whether *Review changes* may be shown: it must not replace a form with user input.
fn may_review(app: AppContext) -> bool {
    app.overlays
        .overlay
        .with_untracked(|overlay| matches!(overlay, None | Some(Overlay::Review)))
}

fn is_reviewing(app: AppContext) -> bool {
    app.overlays
        .overlay
        .with_untracked(|overlay| *overlay == Some(Overlay::Review))
}

fn show_review(app: AppContext) {
    if !is_reviewing(app) {
        app.overlays.open(Overlay::Review);
    }
}

fn close_review(app: AppContext) {
    if is_reviewing(app) {
        app.overlays.close();
    }
}

/// Shows *Review changes* if there is unapplied text. Returns whether it did.
fn stop_if_unfinished(app: AppContext) -> bool {
    let fields = untrack(|| app.unfinished_fields.places()).len() as u32;
    if fields > 0 {
        let message = not_applied_message(fields, app.store.status.has_unsaved_edits_untracked());
        open_review_before_save(app, message);
    }
    fields > 0
}

/// Shows *Review changes*, ready to save, if an edited catalog fails. Returns whether it did.
fn stop_if_failing(app: AppContext) -> bool {
    let failing = app
        .store
        .status
        .with_untracked(|status| failing_edited(&status.roots));
    if failing.is_empty() {
        return false;
    }
    open_review_before_save(app, failing_message(&failing));
    true
}

/// Shows *Review changes* with a message and the focus on *Save*.
fn open_review_before_save(app: AppContext, message: String) {
    show_review(app);
    // Wait until the review is open: it shows new messages beside its buttons, and can be
    // focused.
    request_animation_frame(move || {
        app.notifications.toasts.note(message);
        if let Some(body) = document().body() {
            dom::focus_first_in(&body, SAVE_BUTTON);
        }
    });
}

/// Opens *Save a part as…* for the package in view.
pub fn open_save_subset(app: AppContext) {
    if untrack(|| app.current.is_catalog()) {
        app.overlays.open(Overlay::SaveSubset);
    } else {
        app.notifications.toasts.note(
            "You can save a part of a catalog, not of a template. Open a catalog rendered from the template.",
        );
    }
}

pub fn download_part(app: AppContext, part: SavedSubset) {
    app.overlays.close();
    download(app, Export::Subset(part));
}

/// Asks for a folder and writes the part into a new one there. Returns `Ok(false)` if the user
/// cancels. The error explains why nothing was written.
pub async fn save_subset_to_folder(app: AppContext, part: SavedSubset) -> Result<bool, String> {
    // Ask first: the browser only allows it right after a press.
    let Some(parent) = folder_access::pick_writable_folder().await? else {
        return Ok(false);
    };
    let name = part.name.clone();
    let files = app
        .store
        .ask(part)
        .await
        .map_err(|error| OperationRefusal::from(error).reason)?;
    folder_access::write_new_folder(&parent, &files).await?;
    app.overlays.close();
    app.notifications.toasts.note(format!(
        "Saved {} as {name}.",
        words::count(files.len() as u32, "file")
    ));
    Ok(true)
}

/// Returns the names of edited catalogs that fail.
fn failing_edited(roots: &[RootRow]) -> Vec<String> {
    let failing = roots
        .iter()
        .filter(|row| row.edited && !row.passed && row.rendered.is_none());
    failing.map(|row| catalog_name(roots, &row.root)).collect()
}

fn failing_message(failing: &[String]) -> String {
    let names = first_of(failing.iter(), MAX_NAMED_CATALOGS);
    let fail = if failing.len() == 1 { "fails" } else { "fail" };
    format!("Nothing is saved yet: {names} {fail} validation. Save again to save all the same.")
}

/// Returns the message for unapplied fields. `has_edits`: whether there are other edits to save.
fn not_applied_message(fields: u32, has_edits: bool) -> String {
    let field_count = words::count(fields, "field");
    let hint = if has_edits {
        " Save again to save without it."
    } else {
        ""
    };
    format!("Nothing is saved yet: what was typed in {field_count} is not applied.{hint}")
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

pub fn download(app: AppContext, export: Export) {
    spawn_local(async move {
        if let Some(name) = app.session.download(export).await {
            app.notifications
                .toasts
                .report_success(format!("{name} was downloaded."));
        }
    });
}

/// Downloads the patch of all changes, with the commit message if the user has edited it.
pub fn download_patch(app: AppContext) {
    let message = app.review.patch_message();
    download(app, Export::Patch { message });
}

pub fn download_text(app: AppContext, name: &str, mime: &str, text: &str) {
    if downloads::download(name, mime, text.as_bytes()).is_err() {
        app.notifications
            .toasts
            .error("The browser does not allow downloads.");
    }
}

pub fn copy_commands(app: AppContext) {
    spawn_local(async move {
        if let Some(file) = app.store.ask_or_report(Export::Commands).await {
            let text = String::from_utf8_lossy(&file.bytes);
            if copy(app, &text, "Commands copied, one per line.").await {
                app.session.client().log().note_exported();
            }
        }
    });
}

/// Copies a text and confirms it with a notice.
pub fn copy_text(app: AppContext, text: String, message: impl Into<String> + 'static) {
    spawn_local(async move {
        copy(app, &text, message).await;
    });
}

/// Copies operations as JSON lines for the command line.
pub fn copy_operations(app: AppContext, steps: &[JournalStep]) {
    copy_text(
        app,
        format_json_lines(steps),
        "Operations copied, one per line.",
    );
}

/// Copies a text and reports the outcome. Returns whether it was copied.
async fn copy(app: AppContext, text: &str, message: impl Into<String>) -> bool {
    let is_copied = downloads::copy(text).await;
    let toasts = app.notifications.toasts;
    if is_copied {
        toasts.report_success(message);
    } else {
        toasts.error("The browser does not allow copying.");
    }
    is_copied
}

pub fn download_pull_request(app: AppContext, pull_request: &PullRequest) {
    download(
        app,
        Export::PatchOf {
            files: pull_request.files.clone(),
            message: pull_request.message.clone(),
            name: pull_request.patch.clone(),
        },
    );
}

pub fn download_dockerfile(app: AppContext) {
    download(
        app,
        Export::Dockerfile {
            root: app.store.root.get_untracked(),
        },
    );
}

/// Downloads the graph of the package in view, with the current arrangement of lanes.
pub fn download_graph(app: AppContext, format: GraphFormat) {
    if let Some(export) = graph_export(app, format) {
        download(app, export);
    }
}

/// Downloads the graph as a PNG at double size.
pub fn download_picture(app: AppContext) {
    let Some(export) = graph_export(app, GraphFormat::Svg) else {
        return;
    };
    spawn_local(async move {
        // The store has already reported the reason.
        let Some(svg) = app.store.ask_or_report(export).await else {
            return;
        };
        let name = format!("{}.png", svg.name.trim_end_matches(".svg"));
        let picture = match downloads::draw_png(&svg.bytes, PNG_SCALE).await {
            Ok(png) => downloads::save_blob(&name, &png.file)
                .map(|()| png)
                .map_err(|error| error_message(&error)),
            Err(why) => Err(why),
        };
        match picture {
            Ok(png) if png.scale < PNG_SCALE => app.notifications.toasts.note(format!(
                "{name} is {} × {} pixels, {:.1} times the size of the graph: browsers cannot draw larger pictures. \
                 The SVG is sharp at any size.",
                png.width, png.height, png.scale
            )),
            Ok(_) => {}
            Err(why) => app
                .notifications
                .toasts
                .error(format!("The picture could not be created: {why}. Export the SVG instead: it is sharp at any size.")),
        }
    });
}

/// Returns the request for the graph in view; `None` without a package.
fn graph_export(app: AppContext, format: GraphFormat) -> Option<Export> {
    let PackageRequest {
        root,
        package,
        lanes,
        ..
    } = app.store.view_request()?;
    Some(Export::Graph {
        root,
        package,
        lanes: Box::new(lanes),
        format,
    })
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
        assert_eq!(failing_message(&both), expected);
    }

    #[test]
    fn unapplied_text_is_reported_before_a_save() {
        let again = "Save again to save without it.";
        assert_eq!(
            not_applied_message(1, true),
            format!("Nothing is saved yet: what was typed in 1 field is not applied. {again}")
        );
        assert_eq!(
            not_applied_message(2, false),
            "Nothing is saved yet: what was typed in 2 fields is not applied."
        );
    }

    #[test]
    fn reports_the_saved_files_in_one_line() {
        let message = |written: &[&str], up_to_date: &[&str]| {
            let all = |list: &[&str]| list.iter().map(|path| (*path).to_owned()).collect();
            success_message(&SaveReport {
                written: all(written),
                up_to_date: all(up_to_date),
                ..SaveReport::default()
            })
        };
        assert_eq!(message(&["a/b.yaml"], &[]), "Saved a/b.yaml.");
        assert_eq!(message(&["a", "b"], &["c"]), "Saved 2 files.");
        assert_eq!(
            message(&[], &["c"]),
            "1 file already up to date on disk; nothing was written."
        );
    }
}
