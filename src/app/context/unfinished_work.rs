//! Unfinished work of earlier visits: listed, offered when its folder is opened, continued,
//! discarded.

use super::{AppContext, drops};
use crate::browser::document::{self, FILE_INPUT};
use crate::browser::file_tree::FileTree;
use crate::browser::{start_page, storage};
use crate::reactive::{effect, spawn_local};
use crate::state::journal::{
    EarlierJournal, FolderDifferences, FolderListing, MAX_NAMED_FOLDERS, StoredWork,
};
use crate::widgets::dom;
use crate::words;
use leptos::prelude::*;
use protocol::counting::first_of;
use protocol::request::OpenMode;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The locks of recently closed tabs may not be released yet: read the list again after these
/// delays.
const RELIST_DELAYS_MS: [u32; 2] = [500, 2_000];

#[derive(Debug, Clone, Copy, Default)]
pub struct UnfinishedWork {
    /// Journals of earlier visits, newest first.
    pub list: RwSignal<Vec<EarlierJournal>>,
    /// Work on the last opened folder.
    pub offer: RwSignal<Option<RestoreOffer>>,
    /// Work to continue after the user opens its folder again.
    pub awaiting_folder: RwSignal<Option<EarlierJournal>>,
    pub question: RwSignal<Option<RestoreQuestion>>,
}

/// Work on the open files, and how the folder differs from then.
#[derive(Debug, Clone, PartialEq)]
pub struct RestoreOffer {
    pub earlier: EarlierJournal,
    pub differences: FolderDifferences,
}

/// A question to the user about earlier work.
#[derive(Debug, Clone, PartialEq)]
pub enum RestoreQuestion {
    /// Whether to continue although the folder has changed.
    ResumeChanged(RestoreOffer),
    Discard(EarlierJournal),
}

/// Reads the list, and checks each opened folder for unfinished work. Call it once.
pub(super) fn offer_on_open(app: AppContext) {
    read_list(app);
    storage::on_return(move || read_list(app));
    for delay in RELIST_DELAYS_MS {
        set_timeout(
            move || read_list(app),
            std::time::Duration::from_millis(u64::from(delay)),
        );
    }
    effect(move |_| {
        if app.session.opened.get() > 0 {
            spawn_local(find_earlier_work(app));
        }
    });
    // Added files may be those that offered work lacks.
    effect(move |_| {
        app.drops.additions.track();
        if app.unfinished.offer.with_untracked(Option::is_some) {
            spawn_local(find_earlier_work(app));
        }
    });
}

/// Warns what happens to unsaved edits if what is open is replaced now.
pub fn replace_warning(app: AppContext, edits: u32) -> String {
    let is_stored = app.session.client().log().keeps_edits();
    let open = is_stored.then(|| app.session.folder());
    format_replace_warning(edits, open.as_ref())
}

/// Continues work whose folder is not open, by opening or recreating its files.
pub fn open_and_resume(app: AppContext, earlier: EarlierJournal) {
    let Ok(stored) = earlier.work.clone() else {
        return;
    };
    app.unfinished.awaiting_folder.set(Some(earlier));
    let on_disk = stored.folder.on_disk();
    if start_page::is_sample(on_disk.paths()) {
        drops::open_sample(app);
    } else if stored.folder.is_created_in_page() {
        restore_new(app, &stored);
    } else if on_disk.paths().all(|path| !path.contains('/')) {
        document::open_input(FILE_INPUT);
    } else {
        drops::open_folder(app);
    }
}

pub fn accept(app: AppContext) {
    // Taken immediately, so that a second press does not continue it twice.
    if let Some(offer) = app.unfinished.offer.try_update(Option::take).flatten() {
        spawn_local(check_and_resume(app, offer));
    }
}

/// Continues work despite the changed folder: the user confirmed
/// [`RestoreQuestion::ResumeChanged`].
pub fn resume_anyway(app: AppContext, offer: RestoreOffer) {
    app.unfinished.question.set(None);
    spawn_local(resume_work(app, offer));
}

/// Discards work: the user confirmed [`RestoreQuestion::Discard`].
pub fn discard(app: AppContext, earlier: EarlierJournal) {
    let UnfinishedWork {
        list,
        offer,
        awaiting_folder,
        question,
    } = app.unfinished;
    question.set(None);
    spawn_local(async move {
        match app.session.client().log().discard(&earlier.id).await {
            Ok(()) => {
                list.update(|list| list.retain(|listed| listed.id != earlier.id));
                // The pressed button was removed: restore the focus.
                dom::focus_first_later(".unfinished");
                offer.update(|offer| {
                    *offer = offer.take().filter(|offer| offer.earlier.id != earlier.id)
                });
                awaiting_folder.update(|awaiting_folder| {
                    *awaiting_folder = awaiting_folder
                        .take()
                        .filter(|awaiting_folder| awaiting_folder.id != earlier.id)
                });
                app.notifications.toasts.report_success("Discarded.");
            }
            Err(reason) => app
                .notifications
                .toasts
                .error(format!("The edits cannot be discarded: {reason}")),
        }
    });
}

fn read_list(app: AppContext) {
    spawn_local(async move {
        if app.current.is_open.get_untracked() {
            return;
        }
        // If the browser stores nothing there is nothing to list; the first edit reports that.
        let journals = stored_journals(app).await;
        if app
            .unfinished
            .list
            .with_untracked(|listed| *listed != journals)
        {
            app.unfinished.list.set(journals);
        }
    });
}

async fn stored_journals(app: AppContext) -> Vec<EarlierJournal> {
    let journals = app.session.client().log().unfinished_journals().await;
    EarlierJournal::parse_all(journals.unwrap_or_default())
}

async fn find_earlier_work(app: AppContext) {
    let folder = app.session.folder();
    let UnfinishedWork {
        offer,
        awaiting_folder,
        question,
        ..
    } = app.unfinished;
    offer.set(None);
    question.set(None);
    if let Some(earlier) = awaiting_folder.try_update(Option::take).flatten() {
        let Ok(stored) = earlier.work.clone() else {
            return;
        };
        let restore_offer = RestoreOffer {
            earlier,
            differences: stored.folder.differences(&folder),
        };
        offer.set(Some(restore_offer.clone()));
        let unopened = restore_offer.differences.unopened.len();
        // Several folders are opened one after the other: the offer waits for the rest.
        if unopened == 0 || unopened == stored.folder.on_disk().tops().len() {
            check_and_resume(app, restore_offer).await;
        }
        return;
    }
    let all = stored_journals(app).await;
    let candidate = EarlierJournal::find_for_folder(&all, &folder);
    if app.session.folder() == folder {
        offer.set(candidate.map(|(earlier, differences)| RestoreOffer {
            earlier,
            differences,
        }));
    }
}

/// Continues if the folder is unchanged, comparing the fingerprints of edited files; asks
/// otherwise.
async fn check_and_resume(app: AppContext, offer: RestoreOffer) {
    let Ok(stored) = offer.earlier.work.clone() else {
        return;
    };
    let folder = app.session.folder();
    let fingerprints = fingerprint_files(app, &stored).await;
    if app.session.folder() != folder {
        return;
    }
    // Files written by an interrupted save are not differences, and are not written again.
    let stored = Arc::new((*stored).clone().after_interrupted_save(&fingerprints));
    let differences = check_differences(&offer.differences, &stored, &folder, &fingerprints);
    let earlier = EarlierJournal {
        work: Ok(stored),
        ..offer.earlier.clone()
    };
    let offer = RestoreOffer { earlier, ..offer };
    let is_unchanged = differences.is_empty();
    let checked = RestoreOffer {
        differences,
        ..offer.clone()
    };
    if is_unchanged {
        resume_work(app, checked).await;
    } else {
        // Keep the offer in case the user answers no.
        app.unfinished.offer.set(Some(offer));
        let question = RestoreQuestion::ResumeChanged(checked);
        app.unfinished.question.set(Some(question));
    }
}

/// Returns the CRC-32 on disk of edited files and of files that were being saved, by path.
async fn fingerprint_files(app: AppContext, stored: &StoredWork) -> BTreeMap<String, u32> {
    let mut paths: Vec<String> = stored.originals.keys().cloned().collect();
    paths.extend(
        stored
            .possibly_written()
            .filter(|path| !stored.originals.contains_key(*path))
            .map(str::to_owned),
    );
    app.repository.find_owners(&paths).await;
    if paths.is_empty() {
        return BTreeMap::new();
    }
    let fingerprints = app.session.client().fingerprints(paths).await;
    fingerprints.into_iter().collect()
}

/// Corrects the differences of a folder, which were found by size: compares edited files by
/// fingerprint.
fn check_differences(
    by_size: &FolderDifferences,
    stored: &StoredWork,
    folder: &FolderListing,
    fingerprints: &BTreeMap<String, u32>,
) -> FolderDifferences {
    let mut differences = by_size.clone();
    differences.changed.retain(|path| {
        fingerprints
            .get(path)
            .is_none_or(|crc| stored.originals.get(path) != Some(crc))
    });
    let recreated = stored.folder.files_to_recreate(folder);
    for (path, crc) in &stored.originals {
        let is_recreated = recreated.iter().any(|(recreated, _)| recreated == path);
        let is_same = fingerprints.get(path) == Some(crc);
        let is_listed = differences.missing.contains(path) || differences.changed.contains(path);
        let is_unopened = differences.is_unopened(path);
        if !is_recreated && !is_same && !is_listed && !is_unopened {
            differences.changed.push(path.clone());
        }
    }
    differences
}

async fn resume_work(app: AppContext, offer: RestoreOffer) {
    let RestoreOffer {
        earlier,
        differences,
    } = offer;
    let Ok(stored) = earlier.work.clone() else {
        return;
    };
    app.unfinished.offer.set(None);
    if !restore_new_beside(app, &stored).await {
        let names = first_of(
            stored.folder.created_in_page().tops().iter(),
            MAX_NAMED_FOLDERS,
        );
        app.unfinished.offer.set(Some(RestoreOffer {
            earlier,
            differences,
        }));
        return app.notifications.toasts.error(format!(
            "The edits cannot be applied now: {names} cannot be created again. They are kept."
        ));
    }
    match app
        .session
        .client()
        .resume(&earlier.id, &stored, &differences.changed)
        .await
    {
        Ok(resumed) => {
            app.notifications.toasts.report_success(format!(
                "Resumed {}.",
                words::count(resumed.steps as u32, "edit")
            ));
            if stored.damaged > 0 {
                let records = words::count(stored.damaged, "record");
                app.notifications.toasts.error(format!(
                    "{records} of the journal could not be read, so edits may be missing. The old journal is kept \
                     until you discard it on the start page."
                ));
            }
            app.store
                .take_resumed_work(resumed.status, resumed.set_aside)
                .await;
        }
        Err(error) => app.notifications.toasts.error(format!(
            "The edits cannot be applied now: {}. They are kept.",
            error.into_reason()
        )),
    }
}

/// Recreates files of earlier work that were never saved, replacing what is open.
fn restore_new(app: AppContext, stored: &StoredWork) {
    let tree = FileTree::from_files(drops::recreate_files(
        &stored.folder,
        &FolderListing::default(),
    ));
    app.session.open(tree, OpenMode::Replace);
}

/// Recreates missing files of earlier work beside those opened from disk. Returns false if some
/// are still missing.
async fn restore_new_beside(app: AppContext, stored: &StoredWork) -> bool {
    let missing = drops::recreate_files(&stored.folder, &app.session.folder());
    if !missing.is_empty() {
        app.session
            .open_now(FileTree::from_files(missing), OpenMode::Add)
            .await;
    }
    stored
        .folder
        .files_to_recreate(&app.session.folder())
        .is_empty()
}

/// `open`: the folders to open again; `None` if the edits are not stored.
fn format_replace_warning(edits: u32, open: Option<&FolderListing>) -> String {
    let count = words::count(edits, "unsaved edit");
    match open {
        Some(open) => {
            let hint = how_to_resume(open, if edits == 1 { "it" } else { "them" });
            format!("Replacing what is open sets aside {count}: {hint}")
        }
        None => format!("Replacing what is open discards {count}."),
    }
}

/// Describes how to continue edits, as the end of a sentence that calls them `them`.
fn how_to_resume(open: &FolderListing, them: &str) -> String {
    let (begun, on_disk) = (open.created_in_page(), open.on_disk());
    let (begun, on_disk) = (
        first_of(begun.tops().iter(), MAX_NAMED_FOLDERS),
        first_of(on_disk.tops().iter(), MAX_NAMED_FOLDERS),
    );
    if on_disk.is_empty() {
        format!(
            "reload this page and choose “Continue…” on the start page to continue with {them} in {begun}."
        )
    } else if begun.is_empty() {
        format!("you can continue with {them} when you open {on_disk} again.")
    } else {
        format!(
            "you can continue with {them} when you open {on_disk} again. New catalogs come back with {them}: {begun}."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_for_resuming_depends_on_what_was_created_in_the_page() {
        let new = crate::state::catalogs::NewCatalog {
            name: "new".into(),
            ..Default::default()
        };
        let size = |path: &str| {
            let placeholder = new.files().into_iter().find(|(own, _)| own == path);
            placeholder.map_or(0, |(_, text)| text.len() as u64)
        };
        let listing = |paths: &[&str]| {
            let files = paths.iter().map(|path| ((*path).to_owned(), size(path)));
            FolderListing::new(files.collect())
        };
        let resume_hint = |paths: &[&str]| how_to_resume(&listing(paths), "it");
        assert_eq!(
            resume_hint(&["hub/a.yaml"]),
            "you can continue with it when you open hub again."
        );
        for file in ["new/catalog.yaml", "new/.indexignore"] {
            assert_eq!(
                resume_hint(&[file]),
                "reload this page and choose “Continue…” on the start page to continue with it in new.",
                "{file}"
            );
        }
        assert_eq!(
            resume_hint(&["hub/a.yaml", "new/catalog.yaml"]),
            "you can continue with it when you open hub again. New catalogs come back with it: new."
        );
        assert_eq!(
            format_replace_warning(2, Some(&listing(&["hub/a.yaml"]))),
            "Replacing what is open sets aside 2 unsaved edits: you can continue with them when you open hub again."
        );
        assert_eq!(
            format_replace_warning(1, None),
            "Replacing what is open discards 1 unsaved edit."
        );
    }
}
