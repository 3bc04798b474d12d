//! Measures how long the worker has not responded to a request, and decides what the user can do.

/// After this long without a response, *Cancel* is offered.
const SLOW_MS: f64 = 2_000.0;
/// After this long, *Restart the worker* is offered.
const STUCK_MS: f64 = 10_000.0;

/// Whether and how long somebody has been waiting for the worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Busy {
    /// Nobody waits, or not for long.
    #[default]
    No,
    Slow,
    Stuck,
}

/// The request that the worker is serving.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkerTask {
    Nothing,
    /// A request that somebody waits for, or updating the worker.
    Wanted,
    /// A query that nobody waits for any more.
    Unwanted,
    /// Opening files, which has its own progress bar and *Cancel*.
    Opening,
}

/// The recommended action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchdogAction {
    Report(Busy),
    /// Replace the worker: nobody would see the result of its task.
    Restart,
}

/// Time of the worker's last message, in milliseconds of the page's clock. Progress messages count
/// as a sign of life.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WorkerWatchdog {
    since: Option<f64>,
}

impl WorkerWatchdog {
    /// A request was sent. Starts the timer unless requests are already waiting.
    pub fn note_request(&mut self, now: f64) {
        self.since.get_or_insert(now);
    }

    /// The worker responded, and continues with `under_way`.
    pub fn note_response(&mut self, now: f64, under_way: WorkerTask) {
        self.since = (under_way != WorkerTask::Nothing).then_some(now);
    }

    pub fn due(&self, now: f64, under_way: WorkerTask) -> WatchdogAction {
        let silent = self.since.map_or(0.0, |since| now - since);
        match under_way {
            WorkerTask::Wanted if silent >= STUCK_MS => WatchdogAction::Report(Busy::Stuck),
            WorkerTask::Wanted if silent >= SLOW_MS => WatchdogAction::Report(Busy::Slow),
            WorkerTask::Unwanted if silent >= STUCK_MS => WatchdogAction::Restart,
            _ => WatchdogAction::Report(Busy::No),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_out_is_offered_after_two_seconds_and_another_after_ten() {
        let mut watchdog = WorkerWatchdog::default();
        watchdog.note_request(100.0);
        watchdog.note_request(2_000.0);
        let due = |at| watchdog.due(at, WorkerTask::Wanted);
        assert_eq!(due(2_099.0), WatchdogAction::Report(Busy::No));
        assert_eq!(
            due(2_100.0),
            WatchdogAction::Report(Busy::Slow),
            "the first that waits counts"
        );
        assert_eq!(due(10_100.0), WatchdogAction::Report(Busy::Stuck));
        assert_eq!(
            watchdog.due(20_000.0, WorkerTask::Opening),
            WatchdogAction::Report(Busy::No)
        );
    }

    #[test]
    fn a_worker_that_speaks_is_alive() {
        let mut watchdog = WorkerWatchdog::default();
        watchdog.note_request(0.0);
        watchdog.note_response(1_900.0, WorkerTask::Wanted);
        assert_eq!(
            watchdog.due(3_800.0, WorkerTask::Wanted),
            WatchdogAction::Report(Busy::No)
        );
        watchdog.note_response(3_900.0, WorkerTask::Nothing);
        assert_eq!(
            watchdog.due(90_000.0, WorkerTask::Wanted),
            WatchdogAction::Report(Busy::No),
            "no request since"
        );
    }

    #[test]
    fn an_unwanted_task_ends_in_a_restart() {
        let mut watchdog = WorkerWatchdog::default();
        watchdog.note_request(0.0);
        assert_eq!(
            watchdog.due(9_000.0, WorkerTask::Unwanted),
            WatchdogAction::Report(Busy::No)
        );
        assert_eq!(
            watchdog.due(10_000.0, WorkerTask::Unwanted),
            WatchdogAction::Restart
        );
    }
}
