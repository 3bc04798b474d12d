//! Recovers from a worker's death: starts a new one with the same files and steps. Also cancels
//! requests, shows slow ones with a way to cancel them, and replaces an unresponsive worker.
//!
//! A computation in wasm receives no messages before it ends. So a worker that does not finish a
//! cancelled request within 100 ms is terminated.

use super::log::applied_operations;
use super::{Client, EncodedResult};
use crate::browser::{time, workers};
use crate::state::journal::{ChangeContent, DroppedStep, JournalStep, StoredWork};
use crate::state::worker_api::{
    Answer, AnyQuery, Busy, Event, OfferedFiles, PendingRequest, WatchdogAction, WorkerTask,
    WorkerWatchdog, unexpected_answer,
};
use futures::channel::oneshot;
use protocol::query::Request;
use protocol::query::{
    GoTo, NoteSaved, Open, OpenOperator, Query, Replay, SetProfile, ShowRendered, TreatAsOne,
};
use protocol::request::{OpenMode, ReplayStep};
use protocol::response::{AskError, Opened};
use protocol::views::Status;
use protocol::{Json, wire};
use std::collections::HashMap;
use wasm_bindgen_futures::spawn_local;

/// Maximum number of consecutive workers that may die during recovery.
const ATTEMPTS: usize = 4;
/// A step that kills this number of workers during replay is set aside.
const STRIKES: u8 = 2;

/// Time for a worker to end a cancelled request.
const GRACE_MS: u32 = 100;
/// A cancelled open continues until the current chunk or message is done.
const OPEN_GRACE_MS: u32 = 400;
/// Interval of watchdog checks.
const LOOK_MS: u32 = 250;

/// The worker died during recovery.
struct WorkerDied;

/// The outcome of continuing earlier work.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ResumedWork {
    pub status: Option<Status>,
    pub steps: usize,
    /// Steps that could not be applied, now or earlier.
    pub set_aside: Vec<DroppedStep>,
}

/// Guards a pending query: dropping this before the answer marks the query as no longer needed.
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
    /// Handles an `error` event. Nothing that this worker still sends can be trusted.
    pub(super) fn handle_death(&self, message: String) {
        let last_error = self.0.last_words.take();
        let message = if last_error.is_empty() {
            message
        } else {
            last_error
        };
        if self.0.recovering.replace(true) {
            self.0.last_words.replace(message);
            self.0.own.take();
            return;
        }
        self.emit(Event::Crashed);
        // Run this outside of the dead worker's own handler, which is dropped with it.
        spawn_local(self.clone().recover(message));
    }

    pub(super) async fn recover(self, message: String) {
        self.set_aside_what_killed_twice(&message);
        let mut strikes = HashMap::new();
        let mut set_aside = Vec::new();
        for _ in 0..ATTEMPTS {
            self.0.pool.end();
            self.connect();
            if self.0.host.is_connected()
                && let Ok(status) = self.restore(&mut strikes, &mut set_aside).await
            {
                self.0.recovering.set(false);
                if !set_aside.is_empty() {
                    self.0.log.note_change(ChangeContent::All);
                }
                self.emit(Event::Restored {
                    status: status.map(Box::new),
                    set_aside,
                });
                self.send_again();
                return;
            }
        }
        self.0.host.end();
        *self.0.dead.borrow_mut() = Some(message.clone());
        self.emit(Event::Dead {
            message: message.clone(),
            steps: self.0.log.applied_steps(),
        });
        for waiting in self.0.pending.borrow_mut().drain() {
            let message = message.clone();
            refuse(waiting, AskError::NoWorker { message });
        }
    }

    fn set_aside_what_killed_twice(&self, message: &str) {
        let Some(waiting) = self.0.pending.borrow_mut().blame() else {
            return;
        };
        if let Some((title, ops)) = applied_operations(&waiting.query) {
            let step = JournalStep {
                title: title.to_owned(),
                ops: ops.to_vec(),
            };
            let aside = DroppedStep {
                step,
                reason: message.to_owned(),
            };
            self.0
                .log
                .with_work(|work| work.journal.put_aside(aside.clone()));
            self.0.log.note_change(ChangeContent::All);
            self.emit(Event::DroppedStep(aside));
        }
        let message = message.to_owned();
        refuse(waiting, AskError::DroppedStep { message });
    }

    /// Opens the files again and replays the steps, one request each, to identify a deadly one.
    /// Undone steps are undone again.
    async fn restore(
        &self,
        strikes: &mut HashMap<String, u8>,
        set_aside: &mut Vec<DroppedStep>,
    ) -> Result<Option<Status>, WorkerDied> {
        let (offer, treated, rendered, profile, operators) = {
            let opened = self.0.opened.borrow();
            (
                opened.at_first(),
                opened.treated.clone(),
                opened.rendered.clone(),
                opened.profile,
                opened.operators.clone(),
            )
        };
        let mut status = None;
        // Sent even without a profile: a worker that cannot start fails here.
        let _ = self.ask_own(SetProfile { profile }).await?;
        if !offer.is_empty() {
            self.0.pool.start();
            let open = Open {
                mode: OpenMode::Replace,
            };
            if let Ok(Opened::Anew(opened)) = self.ask_own_with(open, offer).await? {
                status = Some(*opened);
            }
            self.0.pool.end();
        }
        for operator in operators {
            let opened = self.ask_own(OpenOperator { operator }).await?;
            status = opened.ok().or(status);
        }
        for (folder, as_one) in treated {
            let treated = self.ask_own(TreatAsOne { folder, as_one }).await?;
            status = treated.ok().or(status);
        }
        for template in rendered {
            let show = ShowRendered {
                template,
                shown: true,
            };
            status = self.ask_own(show).await?.ok().or(status);
        }
        let mut index = 0;
        // The number of steps to leave applied.
        let mut applied = self.0.log.applied_steps().len();
        while let Some(step) = self.0.log.step(index) {
            let steps = vec![ReplayStep {
                title: step.title.clone(),
                ops: Json(step.ops.clone()),
            }];
            let reason = match self.ask_own(Replay { steps }).await {
                Ok(Ok(replayed)) => {
                    status = Some(replayed.status);
                    if replayed.refused.is_empty() && replayed.steps.is_empty() {
                        // It no longer has an effect, so the worker has no such step.
                        self.0.log.with_work(|work| work.journal.forget(index));
                        applied = applied.saturating_sub(usize::from(index < applied));
                        continue;
                    }
                    let refused = replayed.refused.into_iter().next();
                    refused.map(|(_, reason)| reason)
                }
                Ok(Err(_)) => Some("the worker did not accept it".to_owned()),
                Err(WorkerDied) => {
                    let count = strikes.entry(format!("{step:?}")).or_default();
                    *count += 1;
                    if *count >= STRIKES {
                        self.0.log.set_step_aside(
                            index,
                            self.0.last_words.borrow().clone(),
                            set_aside,
                        );
                    }
                    return Err(WorkerDied);
                }
            };
            match reason {
                Some(reason) => {
                    self.0.log.set_step_aside(index, reason, set_aside);
                    applied = applied.saturating_sub(usize::from(index < applied));
                }
                None => index += 1,
            }
        }
        if applied < index {
            // Undo the undone steps again, so that they can be redone.
            let back = GoTo {
                steps: applied,
                view: None,
            };
            let went = self.ask_own(back).await?;
            status = went.ok().map(|went| went.status).or(status);
        }
        let on_disk: OfferedFiles = self.0.opened.borrow().on_disk.values().cloned().collect();
        if !on_disk.is_empty() {
            let saved = self.ask_own_with(NoteSaved {}, on_disk).await?;
            status = saved.ok().map(|saved| saved.status).or(status);
        }
        Ok(status)
    }

    /// Sends a request of the recovery itself.
    async fn ask_own<Q: Query>(&self, query: Q) -> Result<Result<Q::Answer, AskError>, WorkerDied> {
        self.ask_own_with(query, OfferedFiles::new()).await
    }

    async fn ask_own_with<Q: Query>(
        &self,
        query: Q,
        files: OfferedFiles,
    ) -> Result<Result<Q::Answer, AskError>, WorkerDied> {
        let answer = self
            .exchange_own(AnyQuery::with_files(query, files))
            .await?;
        Ok(answer.and_then(|answer| wire::decode(&answer).ok_or_else(unexpected_answer)))
    }

    async fn exchange_own(&self, query: AnyQuery) -> Result<EncodedResult, WorkerDied> {
        let (reply, answer) = oneshot::channel();
        let id = self.0.pending.borrow_mut().number();
        *self.0.own.borrow_mut() = Some((id, reply));
        self.0.host.send_query(id, &query);
        self.watch();
        answer.await.map_err(|_| WorkerDied)
    }

    fn send_again(&self) {
        let waiting: Vec<_> = {
            let pending = self.0.pending.borrow();
            pending
                .iter()
                .map(|(id, waiting)| (id, waiting.query.clone()))
                .collect()
        };
        if waiting.iter().any(|(_, query)| is_open(query)) {
            self.0.pool.start();
        }
        for (id, query) in waiting {
            self.0.host.send_query(id, &query);
        }
    }

    /// Gives up all pending requests except an open. Restarts the worker if one of them is not a
    /// mere question, or if it does not stop.
    pub fn give_up(&self) {
        let mut ids = Vec::new();
        let mut are_questions = true;
        let given_up = self
            .0
            .pending
            .borrow_mut()
            .take_all(|pending| !is_open(pending));
        for (id, waiting) in given_up {
            are_questions &= waiting.query.is_question;
            ids.push(id);
            refuse(waiting, AskError::Cancelled);
        }
        self.cancel_requests(&ids);
        self.report_busy(Busy::No);
        if !are_questions {
            // The worker may have applied an edit, or may still do so, without the page knowing.
            return self.restart();
        }
        let client = self.clone();
        spawn_local(async move {
            time::pause(GRACE_MS).await;
            if client.under_way() == WorkerTask::Unwanted {
                client.restart();
            }
        });
    }

    fn cancel_requests(&self, ids: &[u64]) {
        self.0.host.send(
            0,
            Request::CancelRequests,
            &wire::encode(&ids),
            &OfferedFiles::new(),
        );
    }

    /// Terminates the worker, whatever it is doing, and restores its state in a new one.
    pub fn restart(&self) {
        let given_up = self
            .0
            .pending
            .borrow_mut()
            .take_all(|pending| !is_open(pending));
        for (_, waiting) in given_up {
            refuse(waiting, AskError::Cancelled);
        }
        self.report_busy(Busy::No);
        if self.0.recovering.replace(true) {
            // A recovery is already in progress, and its current step may be the reason.
            *self.0.last_words.borrow_mut() = "it took too long and was ended".to_owned();
            self.0.own.take();
            return;
        }
        self.0.host.end();
        self.emit(Event::Restarting);
        spawn_local(self.clone().recover("it was ended".to_owned()));
    }

    /// Cancels an open in progress, which is then answered with `Cancelled`. Terminates a worker
    /// that does not respond.
    pub fn cancel(&self) {
        self.0
            .host
            .send(0, Request::CancelOpen, &[], &OfferedFiles::new());
        let opens = |client: &Client| {
            let pending = client.0.pending.borrow();
            pending
                .iter()
                .find(|(_, waiting)| is_open(&waiting.query))
                .map(|(id, _)| id)
        };
        let Some(cancelled) = opens(self) else { return };
        let client = self.clone();
        spawn_local(async move {
            time::pause(OPEN_GRACE_MS).await;
            if opens(&client) == Some(cancelled) && !client.0.recovering.get() {
                let open = client.0.pending.borrow_mut().take(cancelled);
                client.restart();
                if let Some(waiting) = open {
                    refuse(waiting, AskError::Cancelled);
                }
            }
        });
    }

    /// Starts the watchdog, unless it is running.
    pub(super) fn watch(&self) {
        let is_watched = self.0.watching.replace(true);
        if !is_watched {
            *self.0.watchdog.borrow_mut() = WorkerWatchdog::default();
        }
        self.0.watchdog.borrow_mut().note_request(time::now());
        if !is_watched {
            spawn_local(self.clone().watch_loop());
        }
    }

    /// Records a message of the worker: the answer to request `id`, or 0 for another message.
    pub(super) fn note_message(&self, id: u64) {
        self.0.host.note_answer(id);
        let under_way = self.under_way_but(id);
        self.0
            .watchdog
            .borrow_mut()
            .note_response(time::now(), under_way);
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
                    .note_response(time::now(), under_way);
                continue;
            }
            let due = self.0.watchdog.borrow().due(time::now(), under_way);
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

    /// Returns the worker's current task. Ignores `answered`, a request whose answer is being
    /// handled right now.
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
        } else if self.0.host.is_idle() {
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

    /// Replays the steps of an earlier visit on the open files; `changed` are files that differ
    /// from then. Steps are replayed one by one, to identify one that kills the worker. Afterwards
    /// the journal of this session replaces the old one in one transaction.
    pub async fn resume(
        &self,
        id: &str,
        kept: &StoredWork,
        changed: &[String],
    ) -> Result<ResumedWork, AskError> {
        let session = self.0.log.session();
        session.going_on.set(true);
        let went = self.apply_again(kept, changed).await;
        session.going_on.set(false);
        // An unreadable journal is kept until the user agrees to delete it.
        if went.is_ok() && kept.damaged == 0 {
            session.takes_over.borrow_mut().push(id.to_owned());
        }
        self.0.log.write_down(ChangeContent::All).await;
        went
    }

    async fn apply_again(
        &self,
        kept: &StoredWork,
        changed: &[String],
    ) -> Result<ResumedWork, AskError> {
        for (folder, as_one) in &kept.treated {
            let treat = TreatAsOne {
                folder: folder.clone(),
                as_one: *as_one,
            };
            self.ask(treat).await?;
        }
        let before = self.0.log.applied_steps().len();
        let mut went = ResumedWork {
            set_aside: kept.journal.aside().to_vec(),
            ..ResumedWork::default()
        };
        let (mut applied, mut all) = (0, 0);
        for (index, step) in kept.journal.steps().iter().enumerate() {
            if let Some(reason) = step.out_of_place(changed) {
                went.set_aside.push(DroppedStep {
                    step: step.clone(),
                    reason,
                });
                continue;
            }
            let steps = vec![ReplayStep {
                title: step.title.clone(),
                ops: Json(step.ops.clone()),
            }];
            let reason = match self.ask(Replay { steps }).await {
                Ok(replayed) => {
                    // A step without effect is dropped: the files already contain its result.
                    let is_step = !replayed.steps.is_empty();
                    all += usize::from(is_step);
                    applied += usize::from(is_step && index < kept.journal.applied_steps().len());
                    went.status = Some(replayed.status);
                    let refused = replayed.refused.into_iter().next();
                    refused.map(|(_, reason)| reason)
                }
                Err(AskError::Refused(_)) => Some("the worker did not accept it".to_owned()),
                Err(AskError::DroppedStep { message }) => Some(message),
                Err(lost) => return Err(lost),
            };
            if let Some(reason) = reason {
                went.set_aside.push(DroppedStep {
                    step: step.clone(),
                    reason,
                });
            }
        }
        if applied < all {
            let back = GoTo {
                steps: before + applied,
                view: None,
            };
            went.status = Some(self.ask(back).await?.status);
        }
        went.steps = applied;
        let session = self.0.log.session();
        for aside in &went.set_aside {
            session.work.borrow_mut().journal.put_aside(aside.clone());
        }
        Ok(went)
    }
}

/// Answers a pending request with an error; its owner may be gone.
fn refuse(waiting: PendingRequest<oneshot::Sender<Answer>>, error: AskError) {
    let _ = waiting.reply.send(Answer::none(error));
}

fn is_open(query: &AnyQuery) -> bool {
    query.request == Request::Open
}
