//! What the facts of a catalog cost in memory, measured with a counting allocator.
//!
//! The allocator counts the whole process, so this is the only test of its kind and takes the smallest difference of a
//! few runs: tests that run beside it can only add.

use crate::validate_oracle::shared;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::path::{Path, PathBuf};
use std::time::Instant;
use switchyard::fbc::index::FileIndexer;
use switchyard::fbc::model::FileIndex;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

fn index(path: &Path) -> FileIndex {
    use std::io::Read;
    let mut file = std::fs::File::open(path).unwrap();
    let mut indexer = FileIndexer::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer).unwrap() {
            0 => return indexer.finish(),
            n => indexer.feed(&buffer[..n]),
        }
    }
}

#[test]
fn facts_take_a_small_part_of_the_bytes() {
    let Some(shared) = shared() else {
        println!("skipped: memory and speed of indexing (no shared folder)");
        return;
    };
    for (folder, most) in [("operatorhub", 0.25), ("community/v4.20", 0.25), ("redhat", 0.25)] {
        let mut paths = Vec::new();
        files(&shared.join("corpus").join(folder), &mut paths);
        let mut least = f64::MAX;
        let mut rate = 0.0f64;
        for _ in 0..3 {
            let region = Region::new(ALLOCATOR);
            let start = Instant::now();
            let indexes: Vec<FileIndex> = paths.iter().map(|path| index(path)).collect();
            let seconds = start.elapsed().as_secs_f64();
            let change = region.change();
            let retained = change.bytes_allocated as f64 - change.bytes_deallocated as f64;
            let size: u64 = indexes.iter().map(|i| i.size).sum();
            least = least.min(retained / size as f64);
            rate = rate.max(size as f64 / 1e6 / seconds);
        }
        println!("{folder}: {:.1} % of the bytes retained, indexed at {rate:.0} MB/s", least * 100.0);
        assert!(least < most, "{folder}: {least} of the bytes are retained");
    }
}
