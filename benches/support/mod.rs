//! What the benchmarks share: real catalogs in memory, an edit to make, times. Each uses a part of it.
#![allow(dead_code)]

use fbc::catalog::Content;
use fbc::index::index_bytes;
use fbc::model::{FileId, Package};
use fbc::source::bytes::{ByteSource, ReadError};
use fbc::workspace::NewFile;
use protocol::operation::EditOp;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The folder of real catalogs, or a line that says what is skipped.
pub fn corpus() -> Option<PathBuf> {
    let folder = std::env::var_os("SWITCHYARD_SHARED")
        .map_or_else(
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
            PathBuf::from,
        )
        .join("corpus");
    if !folder.is_dir() {
        println!("skipped: no folder of real catalogs (SWITCHYARD_SHARED)");
        return None;
    }
    Some(folder)
}

/// Files as a workspace takes them, and where their bytes are read again.
pub fn in_memory(files: &[(String, Vec<u8>)]) -> (Vec<NewFile>, Rc<Memory>) {
    let memory = Rc::new(Memory::default());
    let new = files.iter().zip(0..).map(|((path, bytes), id)| {
        memory.0.borrow_mut().insert(FileId(id), bytes.clone());
        let content = Content::Indexed(Arc::new(index_bytes(bytes)));
        NewFile {
            id: FileId(id),
            path: path.clone(),
            content,
        }
    });
    (new.collect(), memory)
}

/// The largest channel and its last entry.
pub fn last_entry(package: &Package) -> Option<(&str, &str)> {
    let channel = package.channels.iter().max_by_key(|c| c.entries.len())?;
    Some((channel.name.as_str(), channel.entries.last()?.name.as_str()))
}

pub fn range(package: &Package, channel: &str, entry: &str, n: u32) -> EditOp {
    EditOp::SetSkipRange {
        catalog: None,
        package: package.name.to_string(),
        channel: channel.to_owned(),
        name: entry.to_owned(),
        skip_range: Some(format!("<1.0.{n}")),
    }
}

/// Median and worst of `times` runs.
pub fn measure(times: usize, mut run: impl FnMut()) -> (Duration, Duration) {
    let mut took: Vec<Duration> = (0..times)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .collect();
    let [median, worst] = quantiles(&mut took, [0.5, 1.0]);
    (median, worst)
}

/// A clock that stands still while others have the processor: its time is of the thread that reads it. The wall clock where
/// the system does not tell.
#[derive(Clone, Copy)]
pub struct Clock {
    wall: Instant,
    processor: Option<Duration>,
}

impl Clock {
    pub fn start() -> Self {
        Self {
            wall: Instant::now(),
            processor: processor_time(),
        }
    }

    pub fn elapsed(self) -> Duration {
        let processor = self
            .processor
            .zip(processor_time())
            .map(|(then, now)| now.saturating_sub(then));
        processor.unwrap_or_else(|| self.wall.elapsed())
    }
}

fn processor_time() -> Option<Duration> {
    // The system counts up to the last time that it looked at the thread.
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(
        text.split_whitespace().next()?.parse().ok()?,
    ))
}

/// The times below which these shares of all lie.
pub fn quantiles<const N: usize>(times: &mut [Duration], shares: [f64; N]) -> [Duration; N] {
    times.sort();
    let last = times.len().saturating_sub(1);
    shares.map(|share| {
        times
            .get((last as f64 * share).round() as usize)
            .copied()
            .unwrap_or_default()
    })
}

pub fn ms((median, worst): (Duration, Duration)) -> String {
    format!(
        "{:.2} (worst {:.2})",
        median.as_secs_f64() * 1e3,
        worst.as_secs_f64() * 1e3
    )
}

pub fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(at) = folders.pop() {
        for entry in std::fs::read_dir(&at).expect("the corpus can be read") {
            let path = entry.expect("the corpus can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path
                    .strip_prefix(folder)
                    .unwrap_or(&path)
                    .to_string_lossy()
                    .into_owned();
                found.push((name, std::fs::read(&path).expect("the corpus can be read")));
            }
        }
    }
    found.sort();
    found
}

#[derive(Default)]
pub struct Memory(RefCell<BTreeMap<FileId, Vec<u8>>>);

impl ByteSource for Memory {
    fn read(&self, spans: &[(FileId, Range<u64>)]) -> Result<Vec<Vec<u8>>, ReadError> {
        let files = self.0.borrow();
        let read = |(id, span): &(FileId, Range<u64>)| {
            let gone = || ReadError::Changed {
                path: format!("file {}", id.0),
            };
            files
                .get(id)
                .map(|bytes| bytes[span.start as usize..span.end as usize].to_vec())
                .ok_or_else(gone)
        };
        spans.iter().map(read).collect()
    }
}
