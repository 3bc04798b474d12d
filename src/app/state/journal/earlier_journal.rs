//! Work of earlier visits, and the part that belongs to the open files.

use super::{
    FolderDifferences, FolderListing, FolderMatch, JournalStep, StoredWork, UnreadableJournal,
};
use std::sync::Arc;

/// A journal that no open tab writes.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlierJournal {
    pub id: String,
    pub kept: Result<Arc<StoredWork>, UnreadableJournal>,
}

impl EarlierJournal {
    /// All work worth showing, newest first. `journals` are names and texts.
    pub fn all(journals: Vec<(String, String)>) -> Vec<Self> {
        let read = |(id, text): (String, String)| Self {
            id,
            kept: StoredWork::read(text.as_bytes()).map(Arc::new),
        };
        let mut all: Vec<Self> = journals.into_iter().map(read).collect();
        all.retain(|earlier| earlier.kept.as_ref().map_or(true, |kept| kept.has_work()));
        all.sort_by_key(|earlier| std::cmp::Reverse(earlier.changed_at()));
        all
    }

    /// The newest work on this folder, or else on a very similar one, with the differences.
    pub fn find_for_folder(
        all: &[Self],
        folder: &FolderListing,
    ) -> Option<(Self, FolderDifferences)> {
        let mut alike = None;
        for earlier in all {
            let Ok(kept) = &earlier.kept else { continue };
            match kept.folder.compare(folder) {
                FolderMatch::Same => return Some((earlier.clone(), FolderDifferences::default())),
                FolderMatch::Similar(differences) => {
                    alike.get_or_insert_with(|| (earlier.clone(), differences));
                }
                FolderMatch::Different => {}
            }
        }
        alike
    }

    /// The name of what was opened then.
    pub fn name(&self) -> String {
        self.kept.as_ref().map_or_else(
            |_| "A journal that cannot be read".to_owned(),
            |kept| kept.folder.name(),
        )
    }

    /// What the user has to open again; if nothing was opened, everything.
    pub fn to_open(&self) -> String {
        let on_disk = self
            .kept
            .as_ref()
            .map(|kept| kept.folder.on_disk())
            .unwrap_or_default();
        if on_disk.is_empty() {
            self.name()
        } else {
            on_disk.name()
        }
    }

    pub fn edits(&self) -> u32 {
        self.kept
            .as_ref()
            .map_or(0, |kept| kept.journal.applied_steps().len() as u32)
    }

    /// Time of the last change in milliseconds since 1970; 0 if unknown.
    pub fn changed_at(&self) -> u64 {
        self.kept.as_ref().map_or(0, |kept| kept.changed)
    }

    /// Applied steps, followed by those set aside.
    pub fn steps(&self) -> Vec<JournalStep> {
        let Ok(kept) = &self.kept else {
            return Vec::new();
        };
        let aside = kept.journal.aside().iter().map(|aside| aside.step.clone());
        kept.journal
            .applied_steps()
            .iter()
            .cloned()
            .chain(aside)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::journal::Journal;

    fn earlier(id: &str, changed: u64, files: &[(&str, u64)], steps: usize) -> EarlierJournal {
        let files = files
            .iter()
            .map(|(path, size)| ((*path).to_owned(), *size))
            .collect();
        let mut journal = Journal::default();
        for _ in 0..steps {
            journal.push(JournalStep::default());
        }
        let kept = StoredWork {
            folder: FolderListing::new(files),
            changed,
            journal,
            ..StoredWork::default()
        };
        EarlierJournal {
            id: id.to_owned(),
            kept: Ok(Arc::new(kept)),
        }
    }

    #[test]
    fn the_same_folder_is_preferred_to_a_newer_similar_one() {
        let all = [
            earlier("alike", 3, &[("c/a", 1), ("c/b", 9)], 1),
            earlier("other", 2, &[("d/a", 1)], 1),
            earlier("same", 1, &[("c/a", 1), ("c/b", 2)], 1),
        ];
        let folder = FolderListing::new(vec![("c/a".into(), 1), ("c/b".into(), 2)]);
        assert_eq!(
            EarlierJournal::find_for_folder(&all, &folder).unwrap().0.id,
            "same"
        );
        let (found, differences) = EarlierJournal::find_for_folder(&all[..2], &folder).unwrap();
        assert_eq!(
            (found.id.as_str(), differences.changed),
            ("alike", vec!["c/b".to_owned()])
        );
        assert_eq!(EarlierJournal::find_for_folder(&all[1..2], &folder), None);
    }

    #[test]
    fn a_journal_that_cannot_be_read_is_listed_last_and_work_that_is_undone_is_not() {
        let damaged = ("damaged".to_owned(), "nonsense".to_owned());
        let all = EarlierJournal::all(vec![damaged]);
        assert_eq!(
            (all.len(), all[0].kept.clone(), all[0].edits()),
            (1, Err(UnreadableJournal::Damaged), 0)
        );
    }
}
