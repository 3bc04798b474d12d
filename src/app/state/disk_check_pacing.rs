//! Limits how often the disk is checked. A check walks the whole tree: the longer it takes, the
//! rarer it is.

/// Minimum pause between checks, in milliseconds.
const PAUSE_MS: f64 = 3_000.0;
/// The pause after a check, as a multiple of the time the check took.
const REST: f64 = 8.0;

/// Times of disk checks, in milliseconds of the page's clock.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DiskCheckPacing {
    next: f64,
}

impl DiskCheckPacing {
    /// Time until the next check; 0 if it may start now.
    pub fn wait(&self, now: f64) -> f64 {
        (self.next - now).max(0.0)
    }

    pub fn begun(&mut self, now: f64) {
        self.next = now + PAUSE_MS;
    }

    pub fn finish_check(&mut self, begun: f64, now: f64) {
        self.next = self.next.max(now + (now - begun) * REST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_look_in_some_seconds_and_fewer_where_they_take_long() {
        let mut looking = DiskCheckPacing::default();
        assert_eq!(looking.wait(10_000.0), 0.0);
        looking.begun(10_000.0);
        looking.finish_check(10_000.0, 10_050.0);
        assert_eq!(looking.wait(10_050.0), 2_950.0);
        assert_eq!(looking.wait(13_000.0), 0.0);
        looking.begun(20_000.0);
        looking.finish_check(20_000.0, 24_000.0);
        assert_eq!(looking.wait(24_000.0), 32_000.0);
    }
}
