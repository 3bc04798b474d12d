//! Goes through the made-up catalog of [`Warmup`] between two answers, once in the worker's life.

use super::channel::Shared;
use super::scope::now;
use crate::warmup::Warmup;
use gloo::timers::callback::Timeout;

/// The page draws its first view first: both at once would share the cores with the browser's compilers.
const AFTER_OPEN_MS: u32 = 1_000;
/// Between two steps the worker listens, and leaves the core to the page.
const PAUSE_MS: u32 = 4;
/// A user who sends two requests in this time is busy, and must not wait for a warm-up step.
const QUIET_MS: f64 = 25.0;
/// The worker spends at most this long on it, however far it got.
const LIMIT_MS: f64 = 1_500.0;

/// Begins after the first open; later it has been done.
pub(super) fn begin(shared: &Shared) {
    if !std::mem::replace(&mut shared.borrow_mut().is_warm, true) {
        let shared = shared.clone();
        Timeout::new(AFTER_OPEN_MS, move || later(shared, None, 0.0)).forget();
    }
}

fn later(shared: Shared, warmup: Option<Warmup>, worked: f64) {
    let step = move || {
        let is_quiet = {
            let server = shared.borrow();
            server.load.is_none() && now() - server.asked >= QUIET_MS
        };
        if !is_quiet {
            return later(shared, warmup, worked);
        }
        let start = now();
        let mut warmup = warmup.unwrap_or_default();
        let Some(answer) = warmup.next() else { return };
        let worked = worked + now() - start;
        if answer.is_ok() && worked < LIMIT_MS {
            later(shared, Some(warmup), worked);
        }
    };
    Timeout::new(PAUSE_MS, step).forget();
}
