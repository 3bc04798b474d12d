//! Queues requests in order of arrival and drops those that are no longer needed: typing sends a
//! request with each letter, and only the last answer is shown.

use std::collections::VecDeque;

#[derive(Debug)]
pub struct RequestQueue<T>(VecDeque<(u64, T)>);

impl<T> Default for RequestQueue<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T> RequestQueue<T> {
    pub fn push(&mut self, id: u64, request: T) {
        self.0.push_back((id, request));
    }

    /// Drops the requests with these ids from the queue and returns the ids that it had. Requests
    /// that have begun are no longer queued.
    pub fn forget(&mut self, ids: &[u64]) -> Vec<u64> {
        let dropped = self
            .0
            .iter()
            .map(|(id, _)| *id)
            .filter(|id| ids.contains(id))
            .collect();
        self.0.retain(|(id, _)| !ids.contains(id));
        dropped
    }

    /// Removes and returns the oldest request.
    pub fn take_first(&mut self) -> Option<T> {
        self.0.pop_front().map(|(_, request)| request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn superseded_requests_never_start() {
        let mut queue = RequestQueue::default();
        for (id, typed) in [(1, "a"), (2, "ab"), (3, "abc")] {
            queue.push(id, typed);
        }
        assert_eq!(queue.take_first(), Some("a"), "it has begun");
        assert_eq!(queue.forget(&[1, 2]), [2]);
        assert_eq!(
            (queue.take_first(), queue.take_first()),
            (Some("abc"), None)
        );
    }
}
