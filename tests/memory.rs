//! The memory cost of a catalog's facts, measured with a counting allocator.
//!
//! The allocator counts the whole process, so this test has its own binary.

use ::catalog::index::FileIndexer;
use ::catalog::model::FileIndex;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The folder of the corpus, if available.
fn corpus() -> Option<PathBuf> {
    let folder = std::env::var_os("SWITCHYARD_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    Some(folder.join("corpus")).filter(|corpus| corpus.is_dir())
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the corpus can be read") {
        let path = entry.expect("the corpus can be read").path();
        if path.is_dir() {
            files(&path, found)
        } else {
            found.push(path)
        }
    }
}

fn index(path: &Path) -> FileIndex {
    use std::io::Read;
    let mut file = std::fs::File::open(path).expect("the corpus can be read");
    let mut indexer = FileIndexer::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer).expect("the corpus can be read") {
            0 => return indexer.finish(),
            n => indexer.feed(&buffer[..n]),
        }
    }
}

#[test]
fn facts_take_a_small_part_of_the_bytes() {
    let Some(corpus) = corpus() else {
        println!("skipped: no folder of real catalogs (SWITCHYARD_SHARED)");
        return;
    };
    for (folder, most) in [
        ("operatorhub", 0.25),
        ("community/v4.20", 0.25),
        ("redhat", 0.25),
    ] {
        let mut paths = Vec::new();
        files(&corpus.join(folder), &mut paths);
        assert!(paths.len() >= 30, "{folder}: only {} files", paths.len());
        let region = Region::new(ALLOCATOR);
        let start = Instant::now();
        let indexes: Vec<FileIndex> = paths.iter().map(|path| index(path)).collect();
        let seconds = start.elapsed().as_secs_f64();
        let change = region.change();
        let retained = change.bytes_allocated as f64 - change.bytes_deallocated as f64;
        let size = indexes.iter().map(|i| i.size).sum::<u64>() as f64;
        let (share, rate) = (retained / size, size / 1e6 / seconds);
        println!(
            "{folder}: {:.1} % of the bytes retained, indexed at {rate:.0} MB/s",
            share * 100.0
        );
        assert!(share < most, "{folder}: {share} of the bytes are retained");
    }
}
