//! Pending requests, and which one is blamed if the worker dies.
//!
//! The worker serves requests in order, so when it dies it was serving the oldest one. That request
//! is sent once more to the new worker; if it kills that one too it is given up. All others are
//! simply sent again.

use super::worker_api::AnyQuery;
use std::collections::BTreeMap;

/// The number of workers that may die with a request under way before it is given up.
const STRIKES: u8 = 2;

/// A pending request. `reply` is what the owner needs to deliver the answer.
#[derive(Debug)]
pub struct PendingRequest<T> {
    pub query: AnyQuery,
    pub reply: T,
    strikes: u8,
}

/// Requests by id, in the order of sending.
#[derive(Debug)]
pub struct PendingRequests<T> {
    next: u64,
    waiting: BTreeMap<u64, PendingRequest<T>>,
}

impl<T> Default for PendingRequests<T> {
    fn default() -> Self {
        Self {
            next: 1,
            waiting: BTreeMap::new(),
        }
    }
}

impl<T> PendingRequests<T> {
    /// Registers a request and returns its id, never 0 (which marks unsolicited messages of the worker).
    pub fn add(&mut self, query: AnyQuery, reply: T) -> u64 {
        let id = self.number();
        self.waiting.insert(
            id,
            PendingRequest {
                query,
                reply,
                strikes: 0,
            },
        );
        id
    }

    /// Reserves an id for a request stored elsewhere.
    pub fn number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// The request of an answer. `None` if it was answered or given up.
    pub fn take(&mut self, id: u64) -> Option<PendingRequest<T>> {
        self.waiting.remove(&id)
    }

    /// Like `take`, if the request satisfies a condition.
    pub fn take_if(
        &mut self,
        id: u64,
        is_such: impl FnOnce(&PendingRequest<T>) -> bool,
    ) -> Option<PendingRequest<T>> {
        self.waiting
            .get(&id)
            .is_some_and(is_such)
            .then(|| self.take(id))
            .flatten()
    }

    /// Removes all requests of a kind, which nobody waits for any more.
    pub fn take_all(
        &mut self,
        mut is_such: impl FnMut(&AnyQuery) -> bool,
    ) -> Vec<(u64, PendingRequest<T>)> {
        self.waiting
            .extract_if(.., |_, waiting| is_such(&waiting.query))
            .collect()
    }

    /// The worker died: blames the oldest request, and returns it after its last attempt.
    pub fn blame(&mut self) -> Option<PendingRequest<T>> {
        let (&id, oldest) = self.waiting.iter_mut().next()?;
        oldest.strikes += 1;
        if oldest.strikes < STRIKES {
            None
        } else {
            self.waiting.remove(&id)
        }
    }

    /// Pending requests in the order of sending.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &PendingRequest<T>)> {
        self.waiting.iter().map(|(&id, waiting)| (id, waiting))
    }

    /// Gives up all requests.
    pub fn drain(&mut self) -> Vec<PendingRequest<T>> {
        std::mem::take(&mut self.waiting).into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::query::{Open, ReviewChanges, Undo};
    use protocol::request::{OpenMode, Request};

    fn open() -> AnyQuery {
        AnyQuery::new(Open {
            mode: OpenMode::Replace,
        })
    }

    #[test]
    fn what_nobody_waits_for_is_taken_out() {
        let mut pending = PendingRequests::default();
        let question = pending.add(AnyQuery::new(ReviewChanges {}), "question");
        let edit = pending.add(AnyQuery::new(Undo { view: None }), "edit");
        assert!(
            pending
                .take_if(edit, |waiting| waiting.query.is_question)
                .is_none()
        );
        assert_eq!(
            pending
                .take_if(question, |waiting| waiting.query.is_question)
                .map(|w| w.reply),
            Some("question")
        );
        let open = pending.add(open(), "open");
        let taken = pending.take_all(|query| query.request != Request::Open);
        assert_eq!(
            taken.into_iter().map(|(id, _)| id).collect::<Vec<_>>(),
            [edit]
        );
        assert_eq!(pending.iter().map(|(id, _)| id).collect::<Vec<_>>(), [open]);
    }

    #[test]
    fn the_oldest_request_is_given_up_at_its_second_strike_and_no_other() {
        let mut pending = PendingRequests::default();
        let bad = pending.add(AnyQuery::new(ReviewChanges {}), "bad");
        let good = pending.add(open(), "good");
        assert!(pending.blame().is_none());
        assert_eq!(
            pending.iter().map(|(id, _)| id).collect::<Vec<_>>(),
            [bad, good]
        );
        assert_eq!(pending.blame().map(|w| w.reply), Some("bad"));
        assert!(
            pending.blame().is_none(),
            "the other has its first strike only now"
        );
        assert_eq!(pending.take(good).map(|w| w.reply), Some("good"));
        assert!(pending.take(good).is_none());
    }
}
