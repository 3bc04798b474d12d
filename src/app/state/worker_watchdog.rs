//! How long the worker has not responded to a request, and what the user is offered then.

/// After this long without a response, *Cancel* is offered.
const SLOW_MS: f64 = 2_000.0;
/// After this long, *Restart the worker* is offered.
const STUCK_MS: f64 = 10_000.0;

/// Whether somebody is waiting for the worker, and for how long.
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
    /// Somebody waits for an answer, or the worker is being brought up to date.
    Wanted,
    /// The worker is serving a query that nobody waits for any more.
    Unwanted,
    /// Files are being opened, which has a progress bar and *Cancel* of its own.
    Opening,
}

/// What is to be done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchdogAction {
    Report(Busy),
    /// The worker is ended and replaced: nobody would ever see the result of what it is doing.
    Restart,
}

/// When the worker was heard last, in milliseconds of the page's clock. Progress is a word, too.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WorkerWatchdog {
    since: Option<f64>,
}

impl WorkerWatchdog {
    /// A request was sent. Only the first of several that wait begins the silence.
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
            "nothing was asked since"
        );
    }

    #[test]
    fn what_nobody_waits_for_is_ended() {
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
