//! Shared by the benchmarks: real catalogs in memory, an edit, times. Each uses a part of it.
#![allow(dead_code)]

use catalog::model::Package;
use protocol::operation::EditOp;
use std::time::{Duration, Instant};

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

/// A clock that pauses while other processes use the processor: the time of the current thread.
/// Falls back to the wall clock.
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
    // The system only counts up to the last time that it scheduled the thread.
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
