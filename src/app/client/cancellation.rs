//! Cancelling and restarting: drops queries that nobody waits for, shows slow requests with a way
//! to cancel them, and replaces an unresponsive worker.
//!
//! A computation in wasm receives no messages before it ends. So a worker that does not finish a
//! cancelled request within 100 ms is terminated; a new one gets the same files and steps.

use super::Client;
use crate::browser::{performance_marks, time, workers};
use crate::state::worker_api::{Answer, AnyQuery, Event};
use crate::state::worker_watchdog::{Busy, WatchdogAction, WorkerTask, WorkerWatchdog};
use futures::channel::oneshot;
use protocol::request::Request;
use protocol::response::AskError;
use protocol::wire;

/// Time for a worker to end a cancelled request.
const GRACE_MS: u32 = 100;
/// A cancelled open continues until the current chunk or message is done.
const OPEN_GRACE_MS: u32 = 400;
/// Interval of watchdog checks.
const LOOK_MS: u32 = 250;

/// A pending query; dropping it before the answer marks it as no longer needed.
pub(super) struct RequestGuard {
    pub(super) client: Client,
    pub(super) id: u64,
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        let given_up = self
            .client
            .0
            .pending
            .borrow_mut()
            .take_if(self.id, |waiting| waiting.query.is_question);
        if given_up.is_some() {
            self.client.cancel_requests(&[self.id]);
        }
    }
}

impl Client {
    /// Gives up all pending requests except an open. Their edits have not been applied.
    pub fn give_up(&self) {
        let mut ids = Vec::new();
        let mut are_questions = true;
        let given_up = self.0.pending.borrow_mut().take_all(|of| !is_open(of));
        for (id, waiting) in given_up {
            are_questions &= waiting.query.is_question;
            ids.push(id);
            let _ = waiting.reply.reply.send(Answer::none(AskError::Cancelled));
        }
        self.cancel_requests(&ids);
        self.report_busy(Busy::No);
        if !are_questions {
            // The worker may have applied it, or may still do so, without this side knowing.
            return self.restart();
        }
        let client = self.clone();
        wasm_bindgen_futures::spawn_local(async move {
            time::pause(GRACE_MS).await;
            if client.under_way() == WorkerTask::Unwanted {
                client.restart();
            }
        });
    }

    fn cancel_requests(&self, ids: &[u64]) {
        self.signal(Request::CancelRequests, &wire::encode(&ids));
    }

    /// Terminates the worker, whatever it is doing, and updates a new one.
    pub fn restart(&self) {
        let given_up = self.0.pending.borrow_mut().take_all(|of| !is_open(of));
        for (_, waiting) in given_up {
            let _ = waiting.reply.reply.send(Answer::none(AskError::Cancelled));
        }
        self.report_busy(Busy::No);
        if self.0.recovering.replace(true) {
            // It is being updated, and the current step may be the reason.
            *self.0.last_words.borrow_mut() = "it took too long and was ended".to_owned();
            self.0.own.take();
            return;
        }
        *self.0.host.borrow_mut() = None;
        self.emit(Event::Restarting);
        wasm_bindgen_futures::spawn_local(self.clone().recover("it was ended".to_owned()));
    }

    /// Cancels an open in progress, which is then answered with `Cancelled`. Terminates a worker
    /// that does not respond.
    pub fn cancel(&self) {
        self.signal(Request::CancelOpen, &[]);
        let opens = |client: &Client| {
            let pending = client.0.pending.borrow();
            pending
                .iter()
                .find(|(_, waiting)| is_open(&waiting.query))
                .map(|(id, _)| id)
        };
        let Some(cancelled) = opens(self) else { return };
        let client = self.clone();
        wasm_bindgen_futures::spawn_local(async move {
            time::pause(OPEN_GRACE_MS).await;
            if opens(&client) == Some(cancelled) && !client.0.recovering.get() {
                let open = client.0.pending.borrow_mut().take(cancelled);
                client.restart();
                if let Some(waiting) = open {
                    let _ = waiting.reply.reply.send(Answer::none(AskError::Cancelled));
                }
            }
        });
    }

    /// A request was sent: starts the watchdog.
    pub(super) fn watch(&self) {
        let is_watched = self.0.watching.replace(true);
        if !is_watched {
            *self.0.watchdog.borrow_mut() = WorkerWatchdog::default();
        }
        self.0
            .watchdog
            .borrow_mut()
            .note_request(performance_marks::now());
        if !is_watched {
            wasm_bindgen_futures::spawn_local(self.clone().watch_loop());
        }
    }

    /// The worker responded.
    pub(super) fn note_message(&self, id: u64) {
        self.0.sent.borrow_mut().remove(&id);
        let under_way = self.under_way_but(id);
        self.0
            .watchdog
            .borrow_mut()
            .note_response(performance_marks::now(), under_way);
    }

    async fn watch_loop(self) {
        loop {
            time::pause(LOOK_MS).await;
            let under_way = self.under_way();
            if under_way == WorkerTask::Nothing {
                break;
            }
            if !workers::program_is_here() {
                // A worker whose program is not loaded is not busy.
                self.0
                    .watchdog
                    .borrow_mut()
                    .note_response(performance_marks::now(), under_way);
                continue;
            }
            let due = self
                .0
                .watchdog
                .borrow()
                .due(performance_marks::now(), under_way);
            match due {
                WatchdogAction::Report(busy) => self.report_busy(busy),
                WatchdogAction::Restart => self.restart(),
            }
        }
        self.0.watching.set(false);
        self.report_busy(Busy::No);
    }

    fn under_way(&self) -> WorkerTask {
        self.under_way_but(0)
    }

    /// `answered`: a request whose answer is being handled right now.
    fn under_way_but(&self, answered: u64) -> WorkerTask {
        let pending = self.0.pending.borrow();
        let mut waiting = pending
            .iter()
            .filter(|(id, _)| *id != answered)
            .map(|(_, waiting)| &waiting.query)
            .peekable();
        if self.0.recovering.get() {
            WorkerTask::Wanted
        } else if waiting.peek().is_some() {
            if waiting.any(is_open) {
                WorkerTask::Opening
            } else {
                WorkerTask::Wanted
            }
        } else if self.0.sent.borrow().is_empty() {
            WorkerTask::Nothing
        } else {
            WorkerTask::Unwanted
        }
    }

    fn report_busy(&self, busy: Busy) {
        if self.0.reported_busy.replace(busy) != busy {
            self.emit(Event::Busy(busy));
        }
    }
}

fn is_open(query: &AnyQuery) -> bool {
    query.request == Request::Open
}

/// Waits for the answer while holding the guard, whose drop marks the request as no longer needed.
pub(super) async fn wait_for_answer<T>(
    asked: RequestGuard,
    answer: oneshot::Receiver<T>,
) -> Option<T> {
    let answer = answer.await.ok();
    drop(asked);
    answer
}
