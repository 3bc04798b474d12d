//! Unfinished work of earlier visits: listed, offered when its folder is opened, continued,
//! discarded.

use super::AppContext;
use crate::browser::document::click_files;
use crate::browser::{start_page, storage};
use crate::reactive::effect;
use crate::state::journal::{EarlierJournal, FolderDifferences, FolderListing, FolderMatch};
use crate::words;
use leptos::prelude::*;
use protocol::counting::first_of;
use std::collections::BTreeMap;
use std::sync::Arc;
use wasm_bindgen_futures::spawn_local;

/// The locks of recently closed tabs may not be released yet: read the list again after these
/// delays.
const LOOK_AGAIN_MS: [u32; 2] = [500, 2_000];

/// Maximum number of folders named in a sentence.
const NAMED: usize = 3;

/// Work of earlier visits.
#[derive(Debug, Clone, Copy, Default)]
pub struct UnfinishedWork {
    /// Journals of earlier visits, newest first.
    pub list: RwSignal<Vec<EarlierJournal>>,
    /// Work on the last opened folder.
    pub offer: RwSignal<Option<RestoreOffer>>,
    /// Work to continue after the user opens its folder again.
    pub wanted: RwSignal<Option<EarlierJournal>>,
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
    GoOn(RestoreOffer),
    Discard(EarlierJournal),
}

impl AppContext {
    /// Reads the list, and checks each opened folder for unfinished work. Call it once.
    pub(super) fn follow_unfinished(self) {
        self.list_unfinished();
        storage::on_return(move || self.list_unfinished());
        for pause in LOOK_AGAIN_MS {
            set_timeout(
                move || self.list_unfinished(),
                std::time::Duration::from_millis(u64::from(pause)),
            );
        }
        effect(move |_| {
            if self.session.opened.get() > 0 {
                spawn_local(self.look_for_earlier_work());
            }
        });
    }

    pub fn keeps_edits(self) -> bool {
        self.session.client().log().keeps_edits()
    }

    /// Describes how to continue edits set aside now, as the end of a sentence that calls them
    /// `them`.
    pub fn way_back(self, them: &str) -> String {
        way_back(&self.session.folder(), them)
    }

    /// Continues work whose folder is not open, by opening or recreating its files.
    pub fn want_unfinished(self, earlier: EarlierJournal) {
        let Ok(kept) = earlier.kept.clone() else {
            return;
        };
        self.unfinished.wanted.set(Some(earlier));
        let on_disk = kept.folder.on_disk();
        if start_page::is_sample(on_disk.paths()) {
            self.open_sample();
        } else if kept.folder.is_begun() {
            self.restore_new(&kept);
        } else if on_disk.paths().all(|path| !path.contains('/')) {
            click_files();
        } else {
            self.open_folder();
        }
    }

    /// Continues the offered work.
    pub fn accept_unfinished(self) {
        // Taken immediately, so that a second press does not continue it twice.
        if let Some(offer) = self.unfinished.offer.try_update(Option::take).flatten() {
            spawn_local(self.check_and_go_on(offer));
        }
    }

    /// Continues work despite the changed folder: the user confirmed [`RestoreQuestion::GoOn`].
    pub fn resume_anyway(self, offer: RestoreOffer) {
        self.unfinished.question.set(None);
        spawn_local(self.resume_work(offer));
    }

    /// Discards work: the user confirmed [`RestoreQuestion::Discard`].
    pub fn discard_unfinished(self, earlier: EarlierJournal) {
        let UnfinishedWork {
            list,
            offer,
            wanted,
            question,
        } = self.unfinished;
        question.set(None);
        spawn_local(async move {
            match self.session.client().log().discard(&earlier.id).await {
                Ok(()) => {
                    list.update(|list| list.retain(|known| known.id != earlier.id));
                    // The pressed button was removed: restore the focus.
                    crate::widgets::dom::focus_first_later(".unfinished");
                    offer.update(|offer| {
                        *offer = offer.take().filter(|offer| offer.earlier.id != earlier.id)
                    });
                    wanted.update(|wanted| {
                        *wanted = wanted.take().filter(|wanted| wanted.id != earlier.id)
                    });
                    self.notifications.toasts.report_success("Discarded.");
                }
                Err(reason) => self
                    .notifications
                    .toasts
                    .error(format!("The edits cannot be discarded: {reason}")),
            }
        });
    }

    fn list_unfinished(self) {
        spawn_local(async move {
            if self.current.is_open.get_untracked() {
                return;
            }
            // If the browser stores nothing there is nothing to list; the first edit reports that.
            let journals = self
                .session
                .client()
                .log()
                .unfinished_journals()
                .await
                .unwrap_or_default();
            let journals = EarlierJournal::all(journals);
            if self
                .unfinished
                .list
                .with_untracked(|known| *known != journals)
            {
                self.unfinished.list.set(journals);
            }
        });
    }

    async fn look_for_earlier_work(self) {
        let client = self.session.client();
        let folder = self.session.folder();
        let UnfinishedWork {
            offer,
            wanted,
            question,
            ..
        } = self.unfinished;
        offer.set(None);
        question.set(None);
        if let Some(earlier) = wanted.try_update(Option::take).flatten() {
            let Ok(kept) = earlier.kept.clone() else {
                return;
            };
            let differences = match kept.folder.compare(&folder) {
                FolderMatch::Same => FolderDifferences::default(),
                FolderMatch::Similar(differences) => differences,
                FolderMatch::Different => kept.folder.differences(&folder),
            };
            let restore_offer = RestoreOffer {
                earlier,
                differences,
            };
            offer.set(Some(restore_offer.clone()));
            self.check_and_go_on(restore_offer).await;
            return;
        }
        let all = EarlierJournal::all(client.log().unfinished_journals().await.unwrap_or_default());
        let candidate = EarlierJournal::find_for_folder(&all, &folder);
        if self.session.folder() == folder {
            offer.set(candidate.map(|(earlier, differences)| RestoreOffer {
                earlier,
                differences,
            }));
        }
    }

    /// Continues if the folder is unchanged, comparing the bytes of edited files; asks otherwise.
    async fn check_and_go_on(self, offer: RestoreOffer) {
        let Ok(kept) = offer.earlier.kept.clone() else {
            return;
        };
        let mut differences = offer.differences.clone();
        let folder = self.session.folder();
        let mut paths: Vec<String> = kept.originals.keys().cloned().collect();
        paths.extend(
            kept.being_saved()
                .filter(|path| !kept.originals.contains_key(*path))
                .map(str::to_owned),
        );
        self.repository.find_owners(&paths).await;
        let fingerprints = if paths.is_empty() {
            Vec::new()
        } else {
            self.session.client().fingerprints(paths).await
        };
        if self.session.folder() != folder {
            return;
        }
        // Files written by an interrupted save are not differences, and are not written again.
        let fingerprints: BTreeMap<String, u32> = fingerprints.into_iter().collect();
        let kept = Arc::new((*kept).clone().since_saving(&fingerprints));
        differences.changed.retain(|path| {
            fingerprints
                .get(path)
                .is_none_or(|now| kept.originals.get(path) != Some(now))
        });
        let earlier = EarlierJournal {
            kept: Ok(kept.clone()),
            ..offer.earlier.clone()
        };
        let offer = RestoreOffer { earlier, ..offer };
        let made_again: Vec<String> = kept
            .folder
            .to_make_again(&folder)
            .into_iter()
            .map(|(path, _)| path)
            .collect();
        for (path, crc) in kept
            .originals
            .iter()
            .filter(|(path, _)| !made_again.contains(path))
        {
            let is_same = fingerprints.get(path) == Some(crc);
            let is_listed =
                differences.missing.contains(path) || differences.changed.contains(path);
            if !is_same && !is_listed {
                differences.changed.push(path.clone());
            }
        }
        if differences.is_empty() {
            self.resume_work(RestoreOffer {
                differences,
                ..offer
            })
            .await;
        } else {
            // Keep the offer in case the user answers no.
            self.unfinished.offer.set(Some(offer.clone()));
            self.unfinished
                .question
                .set(Some(RestoreQuestion::GoOn(RestoreOffer {
                    differences,
                    ..offer
                })));
        }
    }

    async fn resume_work(self, offer: RestoreOffer) {
        let RestoreOffer {
            earlier,
            differences,
        } = offer;
        let Ok(kept) = earlier.kept.clone() else {
            return;
        };
        self.unfinished.offer.set(None);
        if !self.restore_new_beside(&kept).await {
            let names = first_of(kept.folder.begun().tops().iter(), NAMED);
            self.unfinished.offer.set(Some(RestoreOffer {
                earlier,
                differences,
            }));
            return self.notifications.toasts.error(format!(
                "The edits cannot be applied now: {names} cannot be created again. They are kept."
            ));
        }
        match self
            .session
            .client()
            .resume(&earlier.id, &kept, &differences.changed)
            .await
        {
            Ok(went) => {
                self.notifications.toasts.report_success(format!(
                    "Resumed {}.",
                    words::count(went.steps as u32, "edit")
                ));
                if kept.damaged > 0 {
                    let records = words::count(kept.damaged, "record");
                    self.notifications.toasts.error(format!(
                        "{records} of the journal could not be read, so edits may be missing. The old journal is kept \
                         until you discard it on the start page."
                    ));
                }
                self.store
                    .take_resumed_work(went.status, went.set_aside)
                    .await;
            }
            Err(lost) => self.notifications.toasts.error(format!(
                "The edits cannot be applied now: {}. They are kept.",
                lost.into_reason()
            )),
        }
    }
}

fn way_back(open: &FolderListing, them: &str) -> String {
    let (begun, on_disk) = (open.begun(), open.on_disk());
    let (begun, on_disk) = (
        first_of(begun.tops().iter(), NAMED),
        first_of(on_disk.tops().iter(), NAMED),
    );
    if on_disk.is_empty() {
        format!(
            "reload this page and choose “Go on…” on the start page to continue with {them} in {begun}."
        )
    } else if begun.is_empty() {
        format!("you can continue with {them} when you open {on_disk} again.")
    } else {
        format!(
            "you can continue with {them} when you open {on_disk} again. {begun} comes back with {them}."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_edits_are_found_again_depends_on_what_was_begun_in_the_page() {
        let listing = |paths: &[&str]| {
            FolderListing::new(paths.iter().map(|path| ((*path).to_owned(), 0)).collect())
        };
        let way_back_for = |paths: &[&str]| way_back(&listing(paths), "it");
        assert_eq!(
            way_back_for(&["hub/a.yaml"]),
            "you can continue with it when you open hub again."
        );
        assert_eq!(
            way_back_for(&["new/catalog.yaml"]),
            "reload this page and choose “Go on…” on the start page to continue with it in new."
        );
        assert_eq!(
            way_back_for(&["hub/a.yaml", "new/catalog.yaml"]),
            "you can continue with it when you open hub again. new comes back with it."
        );
    }
}
