//! How long the worker has been silent over what was asked of it, and what the user is offered then.

/// After so long without a word there is *Cancel*.
const SLOW_MS: f64 = 2_000.0;
/// After so long there is *Restart the worker*.
const STUCK_MS: f64 = 10_000.0;

/// Whether somebody waits for the worker, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Busy {
    /// Nobody waits, or not for long.
    #[default]
    No,
    Slow,
    Stuck,
}

/// What is under way with the worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnderWay {
    Nothing,
    /// Somebody waits for an answer, or the worker is being brought up to date.
    Wanted,
    /// The worker is at a question that nobody waits for any more.
    Unwanted,
    /// Files are opened, which has a bar and a *Cancel* of its own.
    Opening,
}

/// What is to be done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    Tell(Busy),
    /// The worker is ended and brought up to date: nobody would ever see what it is at.
    End,
}

/// When the worker was heard last, in milliseconds of the page's clock. Progress is a word, too.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Patience {
    since: Option<f64>,
}

impl Patience {
    /// Something was asked. Only the first of several that wait begins the silence.
    pub fn asked(&mut self, now: f64) {
        self.since.get_or_insert(now);
    }

    /// The worker said something, and goes on with `under_way`.
    pub fn heard(&mut self, now: f64, under_way: UnderWay) {
        self.since = (under_way != UnderWay::Nothing).then_some(now);
    }

    pub fn due(&self, now: f64, under_way: UnderWay) -> Due {
        let silent = self.since.map_or(0.0, |since| now - since);
        match under_way {
            UnderWay::Wanted if silent >= STUCK_MS => Due::Tell(Busy::Stuck),
            UnderWay::Wanted if silent >= SLOW_MS => Due::Tell(Busy::Slow),
            UnderWay::Unwanted if silent >= STUCK_MS => Due::End,
            _ => Due::Tell(Busy::No),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_out_is_offered_after_two_seconds_and_another_after_ten() {
        let mut patience = Patience::default();
        patience.asked(100.0);
        patience.asked(2_000.0);
        let due = |at| patience.due(at, UnderWay::Wanted);
        assert_eq!(due(2_099.0), Due::Tell(Busy::No));
        assert_eq!(due(2_100.0), Due::Tell(Busy::Slow), "the first that waits counts");
        assert_eq!(due(10_100.0), Due::Tell(Busy::Stuck));
        assert_eq!(patience.due(20_000.0, UnderWay::Opening), Due::Tell(Busy::No));
    }

    #[test]
    fn a_worker_that_speaks_is_alive() {
        let mut patience = Patience::default();
        patience.asked(0.0);
        patience.heard(1_900.0, UnderWay::Wanted);
        assert_eq!(patience.due(3_800.0, UnderWay::Wanted), Due::Tell(Busy::No));
        patience.heard(3_900.0, UnderWay::Nothing);
        assert_eq!(patience.due(90_000.0, UnderWay::Wanted), Due::Tell(Busy::No), "nothing was asked since");
    }

    #[test]
    fn what_nobody_waits_for_is_ended() {
        let mut patience = Patience::default();
        patience.asked(0.0);
        assert_eq!(patience.due(9_000.0, UnderWay::Unwanted), Due::Tell(Busy::No));
        assert_eq!(patience.due(10_000.0, UnderWay::Unwanted), Due::End);
    }
}
