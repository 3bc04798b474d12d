//! Counts of work at one size and at twice that size, for tests that a busy machine cannot fail.
//!
//! The allocator counts the whole process, so each test that uses this module has its own binary,
//! whose parts run one at a time.

#[allow(dead_code, reason = "not each test has all shapes")]
pub mod shapes;

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::sync::{Mutex, PoisonError};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The permitted growth of the work at twice the size.
const TWICE: f64 = 2.2;

/// The cost of an operation.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    /// Blocks that the allocator allocated or enlarged.
    pub blocks: f64,
    /// Bytes in them, summed over time.
    pub bytes: f64,
    /// Bytes that the reader searched or parsed; 0 if unknown.
    pub looked_at: f64,
}

/// The failures so far.
#[derive(Debug, Default)]
pub struct Findings(pub Vec<String>);

impl Findings {
    /// Runs the input of both sizes; `most` bounds the bytes allocated for the larger one.
    pub fn linear<I>(
        &mut self,
        name: &str,
        size: usize,
        most: f64,
        make: impl Fn(usize) -> I,
        run: impl Fn(&I) -> u64,
    ) {
        let (small, large) = (measure(&make(size), &run), measure(&make(2 * size), &run));
        println!("{name}: {small:?}, twice as much: {large:?}");
        for (what, small, large, spare) in [
            ("blocks", small.blocks, large.blocks, 200.0),
            ("bytes", small.bytes, large.bytes, 100_000.0),
            ("looked at", small.looked_at, large.looked_at, 100_000.0),
        ] {
            if large > TWICE * small + spare {
                self.0
                    .push(format!("{name}: {what} grow from {small} to {large}"));
            }
        }
        if large.bytes > most {
            self.0.push(format!(
                "{name}: {} bytes were asked for, and {most} are allowed",
                large.bytes
            ));
        }
    }
}

pub fn measure<I>(input: &I, run: impl Fn(&I) -> u64) -> Work {
    let region = Region::new(ALLOCATOR);
    let looked_at = run(input) as f64;
    let change = region.change();
    Work {
        blocks: (change.allocations + change.reallocations) as f64,
        bytes: change.bytes_allocated as f64,
        looked_at,
    }
}

/// Runs one part at a time, regardless of the harness's threads, on the stack size of a worker in
/// the browser.
pub fn run_part(part: fn(&mut Findings)) {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let run = move || {
        let mut findings = Findings::default();
        part(&mut findings);
        findings.0
    };
    let findings = std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(run)
        .unwrap()
        .join()
        .unwrap();
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}
