//! Distributes files to several indexing workers, and limits the memory that indexing a file needs.
//!
//! Files are assigned largest first, a few to each indexer at a time, so that reading and indexing
//! overlap and no large file remains at the end.

use catalog::index::FileIndexer;
use catalog::model::FileIndex;
use std::collections::BTreeMap;
use syntax::order::SortSmall;

/// Maximum number of files in flight per indexer: more gain nothing, as each needs a stream and a
/// buffer.
pub const IN_FLIGHT: usize = 4;
/// Maximum size of a file that is read in one piece. Its cost is the round trip, so more such files
/// are in flight.
pub const MAX_WHOLE: u64 = 64 * 1024;
const SMALL_IN_FLIGHT: usize = 16;
/// Maximum size of a document in bytes. The largest known ones, bundles with all their manifests,
/// have a few million.
pub const DOCUMENT_BYTES: u64 = 64 << 20;
/// Number of bytes between two checks of the current document's size.
const CHECK_INTERVAL: usize = 1 << 20;

/// The files to index, and the indexer of each assigned one.
#[derive(Debug, Default)]
pub struct IndexScheduler {
    /// Smallest first, because files are assigned from the end.
    waiting: Vec<QueuedFile>,
    suspects: Vec<QueuedFile>,
    indexers: BTreeMap<u32, IndexerState>,
}

#[derive(Debug, Clone, Copy)]
struct QueuedFile {
    file: u32,
    size: u64,
}

impl QueuedFile {
    fn is_small(self) -> bool {
        self.size <= MAX_WHOLE
    }
}

#[derive(Debug, Default)]
struct IndexerState {
    /// Whether it has reported that it runs.
    is_running: bool,
    files: Vec<QueuedFile>,
    /// Whether it indexes a suspect, and therefore gets no other file.
    is_alone: bool,
}

/// The remaining files if no indexer can be started.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RemainingFiles {
    /// Files that were never assigned, largest first: the host reads them itself.
    pub unread: Vec<u32>,
    /// Files of dead indexers: one of these may have killed its indexer, but which one is unknown.
    pub suspects: Vec<u32>,
}

impl IndexScheduler {
    /// Adds files to index, each as number and size.
    pub fn add_files(&mut self, files: impl IntoIterator<Item = (u32, u64)>) {
        self.waiting.extend(
            files
                .into_iter()
                .map(|(file, size)| QueuedFile { file, size }),
        );
        self.waiting
            .sort_small_by_key(|waiting| (waiting.size, std::cmp::Reverse(waiting.file)));
    }

    pub fn add_indexer(&mut self, indexer: u32) {
        self.indexers.entry(indexer).or_default();
    }

    pub fn mark_started(&mut self, indexer: u32) {
        self.indexers.entry(indexer).or_default().is_running = true;
    }

    /// Whether there are indexers, including those that are starting.
    pub fn has_indexers(&self) -> bool {
        !self.indexers.is_empty()
    }

    /// Whether no remaining indexer runs yet.
    pub fn is_only_starting(&self) -> bool {
        self.has_indexers() && self.indexers.values().all(|state| !state.is_running)
    }

    pub fn give_up_starting(&mut self) {
        self.indexers.retain(|_, state| state.is_running);
    }

    /// Assigns the next files. Returns pairs of indexer and file.
    pub fn assign(&mut self) -> Vec<(u32, u32)> {
        let mut assigned = Vec::new();
        for (&indexer, state) in self
            .indexers
            .iter_mut()
            .filter(|(_, state)| state.is_running)
        {
            if state.files.is_empty()
                && let Some(suspect) = self.suspects.pop()
            {
                state.is_alone = true;
                state.files.push(suspect);
                assigned.push((indexer, suspect.file));
            }
        }
        // Assign one file per round to each indexer, so that large files are spread.
        for round in 0..SMALL_IN_FLIGHT {
            for (&indexer, state) in self
                .indexers
                .iter_mut()
                .filter(|(_, state)| state.is_running)
            {
                if state.files.len() == round
                    && !state.is_alone
                    && let Some(next) = self
                        .waiting
                        .pop_if(|next| next.is_small() || round < IN_FLIGHT)
                {
                    state.files.push(next);
                    assigned.push((indexer, next.file));
                }
            }
        }
        assigned
    }

    /// Records that an indexer has finished a file. Returns false if it does not have this file.
    pub fn mark_done(&mut self, indexer: u32, file: u32) -> bool {
        let Some(state) = self.indexers.get_mut(&indexer) else {
            return false;
        };
        let Some(index) = state.files.iter().position(|queued| queued.file == file) else {
            return false;
        };
        state.files.remove(index);
        state.is_alone = false;
        true
    }

    /// Removes a dead indexer. Returns the file that killed it, if known; that file is not assigned
    /// again.
    pub fn remove_dead(&mut self, indexer: u32) -> Option<u32> {
        let state = self.indexers.remove(&indexer)?;
        if state.is_alone {
            return state.files.first().map(|queued| queued.file);
        }
        self.suspects.extend(state.files);
        None
    }

    /// Removes all indexers, which the page has ended, and queues their files again.
    pub fn requeue_all(&mut self) {
        for (_, state) in std::mem::take(&mut self.indexers) {
            self.waiting.extend(state.files);
        }
    }

    /// Returns the remaining files if no indexer is left and none will be started.
    pub fn take_over(&mut self) -> RemainingFiles {
        self.indexers.clear();
        let files = |waiting: Vec<QueuedFile>| waiting.into_iter().map(|waiting| waiting.file);
        RemainingFiles {
            unread: files(std::mem::take(&mut self.waiting)).rev().collect(),
            suspects: files(std::mem::take(&mut self.suspects)).collect(),
        }
    }
}

/// Indexes one file; refuses it if a document exceeds [`DOCUMENT_BYTES`].
#[derive(Debug)]
pub struct BoundedIndexer {
    indexer: FileIndexer,
    max_bytes: u64,
    /// Offset of the refused document.
    refused_at: Option<u64>,
}

impl Default for BoundedIndexer {
    fn default() -> Self {
        Self::with_limit(DOCUMENT_BYTES)
    }
}

impl BoundedIndexer {
    fn with_limit(max_bytes: u64) -> Self {
        Self {
            indexer: FileIndexer::new(),
            max_bytes,
            refused_at: None,
        }
    }

    /// Indexes the next bytes of the file. Returns false once the file is refused and further bytes
    /// are ignored.
    pub fn feed(&mut self, bytes: &[u8]) -> bool {
        if self.refused_at.is_some() {
            return false;
        }
        // A document may begin and end within these bytes, so check after each piece.
        for piece in bytes.chunks(CHECK_INTERVAL) {
            self.indexer.feed(piece);
            let held = self.indexer.held_bytes();
            if held > self.max_bytes {
                self.refused_at = Some(self.indexer.size() - held);
                // Free the indexer's memory, because the file is refused.
                self.indexer = FileIndexer::new();
                return false;
            }
        }
        true
    }

    /// Finishes the index. The error is why the file is not read, with a remedy.
    pub fn finish(self) -> Result<FileIndex, String> {
        match self.refused_at {
            None => Ok(self.indexer.finish()),
            Some(at) => Err(format!(
                "the document that begins at byte {at} is larger than {} MB, too large for a browser to read; split it \
                 into several documents, or use the command line",
                self.max_bytes >> 20
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files_of(assigned: &[(u32, u32)], indexer: u32) -> Vec<u32> {
        assigned
            .iter()
            .filter(|(to, _)| *to == indexer)
            .map(|(_, file)| *file)
            .collect()
    }

    fn scheduler(sizes: &[u64], indexers: u32) -> IndexScheduler {
        let megabytes = |(number, size): (usize, &u64)| (number as u32, size << 20);
        let mut scheduler = IndexScheduler::default();
        scheduler.add_files(sizes.iter().enumerate().map(megabytes));
        for indexer in 0..indexers {
            scheduler.add_indexer(indexer);
            scheduler.mark_started(indexer);
        }
        scheduler
    }

    #[test]
    fn the_largest_files_are_first_and_spread_over_indexers() {
        let mut scheduler = scheduler(&[1, 90, 5, 80, 70, 60, 50, 40, 30, 2], 2);
        let assigned = scheduler.assign();
        assert_eq!(files_of(&assigned, 0), [1, 4, 6, 8]);
        assert_eq!(files_of(&assigned, 1), [3, 5, 7, 2]);
        assert!(scheduler.assign().is_empty());
        assert!(scheduler.mark_done(1, 5));
        assert!(!scheduler.mark_done(1, 5), "only once");
        assert_eq!(scheduler.assign(), [(1, 9)]);
    }

    #[test]
    fn many_small_files_are_assigned_at_once() {
        let mut scheduler = IndexScheduler::default();
        scheduler
            .add_files((0..50).map(|number| (number, if number < 6 { 1 << 20 } else { 5_000 })));
        scheduler.mark_started(0);
        let assigned: Vec<u32> = scheduler
            .assign()
            .into_iter()
            .map(|(_, file)| file)
            .collect();
        assert_eq!(
            assigned,
            [0, 1, 2, 3],
            "behind large ones there is no room for the next large one"
        );
        assert!(
            [0, 1, 2, 3]
                .iter()
                .all(|&file| scheduler.mark_done(0, file))
        );
        let assigned = scheduler.assign();
        assert_eq!(assigned.len(), SMALL_IN_FLIGHT);
        assert_eq!(&assigned[..3], [(0, 4), (0, 5), (0, 6)]);
    }

    #[test]
    fn later_files_are_assigned_by_size() {
        let mut scheduler = scheduler(&[3, 9, 5, 1, 4], 1);
        assert_eq!(files_of(&scheduler.assign(), 0), [1, 2, 4, 0]);
        scheduler.add_files([(5, 20 << 20), (6, 2 << 20)]);
        assert!([1, 2, 4].iter().all(|&file| scheduler.mark_done(0, file)));
        assert_eq!(files_of(&scheduler.assign(), 0), [5, 6, 3]);
    }

    #[test]
    fn a_file_that_crashes_two_indexers_is_given_up() {
        let deadly = 3;
        let mut scheduler = scheduler(&[10, 20, 30, 40, 50, 60], 2);
        let (mut done, mut given_up, mut next_indexer) = (Vec::new(), Vec::new(), 2);
        loop {
            let assigned = scheduler.assign();
            if assigned.is_empty() {
                break;
            }
            let mut dead = None;
            for (indexer, file) in assigned {
                if Some(indexer) == dead {
                    continue;
                }
                if file == deadly {
                    given_up.extend(scheduler.remove_dead(indexer));
                    scheduler.mark_started(next_indexer);
                    next_indexer += 1;
                    dead = Some(indexer);
                } else if scheduler.mark_done(indexer, file) {
                    done.push(file);
                }
            }
        }
        done.sort_unstable();
        assert_eq!(given_up, [deadly]);
        assert_eq!(done, [0, 1, 2, 4, 5]);
    }

    #[test]
    fn the_host_takes_over_unsuspected_files() {
        let mut scheduler = scheduler(&[9, 8, 7, 6, 5, 4], 1);
        scheduler.assign();
        assert_eq!(scheduler.remove_dead(0), None);
        assert!(!scheduler.has_indexers());
        assert_eq!(
            scheduler.take_over(),
            RemainingFiles {
                unread: vec![4, 5],
                suspects: vec![0, 1, 2, 3]
            }
        );
    }

    #[test]
    fn an_indexer_that_never_ran_does_not_blame_a_file() {
        let mut scheduler = scheduler(&[9, 8, 7], 0);
        scheduler.add_indexer(0);
        scheduler.add_indexer(1);
        assert!(scheduler.is_only_starting());
        assert_eq!(scheduler.assign(), []);
        assert_eq!(scheduler.remove_dead(0), None);
        assert_eq!(scheduler.remove_dead(1), None);
        assert_eq!(
            scheduler.take_over(),
            RemainingFiles {
                unread: vec![0, 1, 2],
                suspects: vec![]
            }
        );
    }

    #[test]
    fn a_running_indexer_gets_the_files_of_one_that_never_started() {
        let mut scheduler = scheduler(&[9, 8], 0);
        scheduler.add_indexer(0);
        scheduler.mark_started(1);
        assert!(!scheduler.is_only_starting());
        assert_eq!(scheduler.assign(), [(1, 0), (1, 1)]);
        scheduler.give_up_starting();
        assert!(scheduler.has_indexers() && scheduler.mark_done(1, 0) && scheduler.mark_done(1, 1));
    }

    #[test]
    fn indexers_that_were_stopped_blame_no_file() {
        let mut scheduler = scheduler(&[9, 8, 7], 1);
        scheduler.assign();
        scheduler.requeue_all();
        let left = scheduler.take_over();
        assert_eq!((left.unread.len(), left.suspects.len()), (3, 0));
    }

    #[test]
    fn a_late_indexer_is_not_waited_for() {
        let mut scheduler = scheduler(&[9, 8], 0);
        scheduler.add_indexer(0);
        scheduler.give_up_starting();
        assert!(!scheduler.has_indexers());
        assert_eq!(scheduler.take_over().unread, [0, 1]);
        scheduler.mark_started(0);
        assert_eq!(scheduler.assign(), [], "a late indexer gets no file");
    }

    /// Returns a package, and a channel with this number of entries.
    fn listing(entries: usize) -> String {
        let lines: String = (0..entries)
            .map(|number| format!("- name: p.v{number}.0.0\n"))
            .collect();
        format!(
            "schema: olm.package\nname: p\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n{lines}"
        )
    }

    #[test]
    fn a_document_that_is_too_long_is_refused_with_its_place_and_advice() {
        let text = listing(300_000);
        let mut bounded = BoundedIndexer::with_limit(2 << 20);
        let mut fed = 0;
        for chunk in text.as_bytes().chunks(65_536) {
            fed += chunk.len();
            if !bounded.feed(chunk) {
                break;
            }
        }
        assert!(fed < 4 << 20, "the rest is not read: {fed}");
        assert_eq!(bounded.indexer.held_bytes(), 0, "nothing is kept of it");
        let reason = bounded.finish().unwrap_err();
        let begin = text.find("---").unwrap();
        assert!(
            reason.contains("larger than 2 MB") && reason.contains("command line"),
            "{reason}"
        );
        let at: usize = reason
            .split("byte ")
            .nth(1)
            .unwrap()
            .split(' ')
            .next()
            .unwrap()
            .parse()
            .unwrap();
        assert!((begin..begin + 8).contains(&at), "{reason}");
    }

    #[test]
    fn many_documents_may_exceed_the_limit_of_one() {
        let text = format!("{}\n---\n", listing(1_000)).repeat(200);
        assert!(text.len() > 3 << 20);
        let mut bounded = BoundedIndexer::with_limit(2 << 20);
        assert!(bounded.feed(text.as_bytes()));
        assert_eq!(bounded.finish().unwrap().blobs.len(), 400);
    }
}
