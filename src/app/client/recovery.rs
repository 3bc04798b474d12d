//! Recovers from a worker's death: starts a new one with the same files and steps. Also cancels
//! requests, shows slow ones with a way to cancel them, and replaces an unresponsive worker.
//!
//! A computation in wasm receives no messages before it ends. So a worker that does not finish a
//! cancelled request within 100 ms is terminated.

use super::log::applied_operations;
use super::{Client, EncodedResult};
use crate::browser::{time, workers};
use crate::reactive::spawn_local;
use crate::state::journal::{ChangeContent, DroppedStep, JournalStep, StoredWork};
use crate::state::worker_api::{
    Answer, AnyQuery, Busy, Event, OfferedFiles, PendingRequest, WatchdogAction, WorkerTask,
    WorkerWatchdog, unexpected_answer,
};
use futures::channel::oneshot;
use protocol::query::{
    GoTo, NoteSaved, Open, OpenOperator, Query, Replay, Request, SetProfile, ShowRendered,
    TreatAsOne,
};
use protocol::request::OpenMode;
use protocol::response::{AskError, Opened};
use protocol::views::Status;
use protocol::wire;
use std::collections::HashMap;

/// Maximum number of consecutive workers that may die during recovery.
const MAX_ATTEMPTS: usize = 4;
/// A step that kills this number of workers during replay is set aside.
const MAX_STRIKES: u8 = 2;

/// Time for a worker to end a cancelled request.
const GRACE_MS: u32 = 100;
/// Time for a worker to end a cancelled open, which continues until the current chunk or message is
/// done.
const OPEN_GRACE_MS: u32 = 400;
/// Interval of watchdog checks.
const WATCH_INTERVAL_MS: u32 = 250;

/// Why a step is set aside, if the worker rejects its query.
const NOT_ACCEPTED: &str = "the worker did not accept it";

struct WorkerDied;

/// The steps of one recovery, across workers.
#[derive(Default)]
struct RecoveredSteps {
    /// The number of workers that each step killed, by the step's debug representation.
    strikes: HashMap<String, u8>,
    set_aside: Vec<DroppedStep>,
}

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
        let last_error = self.0.last_panic.take();
        let message = if last_error.is_empty() {
            message
        } else {
            last_error
        };
        if self.0.recovering.replace(true) {
            self.0.last_panic.replace(message);
            self.0.recovery_request.take();
            return;
        }
        self.emit(Event::Crashed);
        // Run this outside of the dead worker's own handler, which is dropped with the worker.
        spawn_local(self.clone().recover(message));
    }

    pub(super) async fn recover(self, message: String) {
        self.set_aside_deadly_request(&message);
        let mut recovered = RecoveredSteps::default();
        for _ in 0..MAX_ATTEMPTS {
            self.0.pool.end();
            self.connect();
            if self.0.host.is_connected()
                && let Ok(status) = self.restore(&mut recovered).await
            {
                self.0.recovering.set(false);
                if !recovered.set_aside.is_empty() {
                    self.0.log.note_change(ChangeContent::All);
                }
                self.emit(Event::Restored {
                    status: status.map(Box::new),
                    set_aside: recovered.set_aside,
                });
                self.send_again();
                return;
            }
        }
        self.0.host.end();
        *self.0.dead.borrow_mut() = Some(message.clone());
        self.emit(Event::Dead {
            message: message.clone(),
            steps: [self.0.log.applied_steps(), self.0.log.left_out()].concat(),
        });
        for waiting in self.0.pending.borrow_mut().drain() {
            let message = message.clone();
            refuse(waiting, AskError::NoWorker { message });
        }
    }

    /// Sets aside the pending request that killed two workers, if there is one.
    fn set_aside_deadly_request(&self, message: &str) {
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
                .with_work(|work| work.journal.add_dropped(aside.clone()));
            self.0.log.note_change(ChangeContent::All);
            self.emit(Event::DroppedStep(aside));
        }
        let message = message.to_owned();
        refuse(waiting, AskError::DroppedStep { message });
    }

    /// Brings a new worker to the state of the dead one. Returns the last status, if the worker
    /// answered with one.
    async fn restore(&self, recovered: &mut RecoveredSteps) -> Result<Option<Status>, WorkerDied> {
        let reopened = self.reopen().await?;
        let replayed = self.replay_steps(recovered).await?;
        let on_disk: OfferedFiles = self.0.opened.borrow().on_disk.values().cloned().collect();
        let mut status = replayed.or(reopened);
        if !on_disk.is_empty() {
            let saved = self.ask_in_recovery_with(NoteSaved {}, on_disk).await?;
            status = saved.ok().map(|saved| saved.status).or(status);
        }
        Ok(status)
    }

    /// Opens the original files again and repeats the settings.
    async fn reopen(&self) -> Result<Option<Status>, WorkerDied> {
        let (offer, treated, rendered, profile, operators) = {
            let opened = self.0.opened.borrow();
            (
                opened.original_files(),
                opened.treated.clone(),
                opened.rendered.clone(),
                opened.profile,
                opened.operators.clone(),
            )
        };
        let mut status = None;
        // Sent even without a profile: a worker that cannot start fails here.
        let _ = self.ask_in_recovery(SetProfile { profile }).await?;
        if !offer.is_empty() {
            self.0.pool.start();
            let open = Open {
                mode: OpenMode::Replace,
            };
            if let Ok(Opened::Anew(opened)) = self.ask_in_recovery_with(open, offer).await? {
                status = Some(*opened);
            }
            self.0.pool.end();
        }
        for operator in operators {
            let opened = self.ask_in_recovery(OpenOperator { operator }).await?;
            status = opened.ok().or(status);
        }
        for (folder, as_one) in treated {
            let treated = self.ask_in_recovery(TreatAsOne { folder, as_one }).await?;
            status = treated.ok().or(status);
        }
        for template in rendered {
            let show = ShowRendered {
                template,
                shown: true,
            };
            status = self.ask_in_recovery(show).await?.ok().or(status);
        }
        Ok(status)
    }

    /// Replays the steps, one request each, to identify a deadly one. Undone steps are undone
    /// again.
    async fn replay_steps(
        &self,
        recovered: &mut RecoveredSteps,
    ) -> Result<Option<Status>, WorkerDied> {
        let log = &self.0.log;
        let mut status = None;
        let mut index = 0;
        // The number of steps to leave applied.
        let mut applied = log.applied_steps().len();
        while let Some(step) = log.step(index) {
            let reason = match self.ask_in_recovery(replay_query(&step)).await {
                Ok(Ok(replayed)) => {
                    status = Some(replayed.status);
                    if replayed.refused.is_empty() && replayed.steps.is_empty() {
                        // It no longer has an effect, so the worker has no such step.
                        log.with_work(|work| work.journal.remove(index));
                        applied = applied.saturating_sub(usize::from(index < applied));
                        continue;
                    }
                    let refused = replayed.refused.into_iter().next();
                    refused.map(|(_, reason)| reason)
                }
                Ok(Err(_)) => Some(NOT_ACCEPTED.to_owned()),
                Err(WorkerDied) => {
                    let strikes = recovered.strikes.entry(format!("{step:?}")).or_default();
                    *strikes += 1;
                    if *strikes >= MAX_STRIKES {
                        let reason = self.0.last_panic.borrow().clone();
                        log.set_step_aside(index, reason, &mut recovered.set_aside);
                    }
                    return Err(WorkerDied);
                }
            };
            match reason {
                Some(reason) => {
                    log.set_step_aside(index, reason, &mut recovered.set_aside);
                    applied = applied.saturating_sub(usize::from(index < applied));
                }
                None => index += 1,
            }
        }
        if applied < index {
            // Undo the undone steps again, so that they can be redone.
            let undo = GoTo {
                steps: applied,
                view: None,
            };
            let undone = self.ask_in_recovery(undo).await?;
            status = undone.ok().map(|undone| undone.status).or(status);
        }
        Ok(status)
    }

    /// Sends a request of the recovery itself.
    async fn ask_in_recovery<Q: Query>(
        &self,
        query: Q,
    ) -> Result<Result<Q::Answer, AskError>, WorkerDied> {
        self.ask_in_recovery_with(query, OfferedFiles::new()).await
    }

    async fn ask_in_recovery_with<Q: Query>(
        &self,
        query: Q,
        files: OfferedFiles,
    ) -> Result<Result<Q::Answer, AskError>, WorkerDied> {
        let answer = self
            .exchange_in_recovery(AnyQuery::with_files(query, files))
            .await?;
        Ok(answer.and_then(|answer| wire::decode(&answer).ok_or_else(unexpected_answer)))
    }

    async fn exchange_in_recovery(&self, query: AnyQuery) -> Result<EncodedResult, WorkerDied> {
        let (reply, answer) = oneshot::channel();
        let id = self.0.pending.borrow_mut().reserve_id();
        *self.0.recovery_request.borrow_mut() = Some((id, reply));
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
        let mut are_all_questions = true;
        let given_up = self
            .0
            .pending
            .borrow_mut()
            .take_all(|pending| !is_open(pending));
        for (id, waiting) in given_up {
            are_all_questions &= waiting.query.is_question;
            ids.push(id);
            refuse(waiting, AskError::Cancelled);
        }
        self.cancel_requests(&ids);
        self.report_busy(Busy::No);
        if !are_all_questions {
            // The worker may have applied an edit, or may still do so, without the page knowing.
            return self.restart();
        }
        let client = self.clone();
        spawn_local(async move {
            time::pause(GRACE_MS).await;
            if client.current_task(None) == WorkerTask::Unwanted {
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
            *self.0.last_panic.borrow_mut() = "it took too long and was ended".to_owned();
            self.0.recovery_request.take();
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
        let Some(cancelled) = self.pending_open() else {
            return;
        };
        let client = self.clone();
        spawn_local(async move {
            time::pause(OPEN_GRACE_MS).await;
            if client.pending_open() == Some(cancelled) && !client.0.recovering.get() {
                let open = client.0.pending.borrow_mut().take(cancelled);
                client.restart();
                if let Some(waiting) = open {
                    refuse(waiting, AskError::Cancelled);
                }
            }
        });
    }

    fn pending_open(&self) -> Option<u64> {
        let pending = self.0.pending.borrow();
        pending
            .iter()
            .find(|(_, waiting)| is_open(&waiting.query))
            .map(|(id, _)| id)
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
        let task = self.current_task(Some(id));
        self.0
            .watchdog
            .borrow_mut()
            .note_response(time::now(), task);
    }

    async fn watch_loop(self) {
        loop {
            time::pause(WATCH_INTERVAL_MS).await;
            let task = self.current_task(None);
            if task == WorkerTask::Idle {
                break;
            }
            if !workers::is_program_loaded() {
                // A worker whose program is not loaded is not busy.
                self.0
                    .watchdog
                    .borrow_mut()
                    .note_response(time::now(), task);
                continue;
            }
            let due = self.0.watchdog.borrow().action(time::now(), task);
            match due {
                WatchdogAction::Report(busy) => self.report_busy(busy),
                WatchdogAction::Restart => self.restart(),
            }
        }
        self.0.watching.set(false);
        self.report_busy(Busy::No);
    }

    /// Returns the worker's current task. Ignores `answered`, the request whose answer is being
    /// handled right now, if any.
    fn current_task(&self, answered: Option<u64>) -> WorkerTask {
        let pending = self.0.pending.borrow();
        let mut waiting = pending
            .iter()
            .filter(|(id, _)| Some(*id) != answered)
            .map(|(_, waiting)| &waiting.query)
            .peekable();
        if self.0.recovering.get() {
            return WorkerTask::Wanted;
        }
        match (waiting.peek().is_some(), self.0.host.is_idle()) {
            (true, _) if waiting.any(is_open) => WorkerTask::Opening,
            (true, _) => WorkerTask::Wanted,
            (false, true) => WorkerTask::Idle,
            (false, false) => WorkerTask::Unwanted,
        }
    }

    fn report_busy(&self, busy: Busy) {
        if self.0.reported_busy.replace(busy) != busy {
            self.emit(Event::Busy(busy));
        }
    }

    /// Replays the steps of an earlier visit on the open files; `changed` are files that differ
    /// from then. Afterwards the journal of this session replaces the old one in one transaction.
    pub async fn resume(
        &self,
        id: &str,
        stored: &StoredWork,
        changed: &[String],
    ) -> Result<ResumedWork, AskError> {
        let session = self.0.log.session();
        session.is_replaying.set(true);
        let outcome = self.replay_stored_work(stored, changed).await;
        session.is_replaying.set(false);
        // An unreadable journal is kept until the user agrees to delete it.
        if outcome.is_ok() && stored.damaged == 0 {
            session.replaced_journals.borrow_mut().push(id.to_owned());
        }
        self.0.log.write_down(ChangeContent::All).await;
        outcome
    }

    /// Replays steps one by one, to identify one that kills the worker.
    async fn replay_stored_work(
        &self,
        stored: &StoredWork,
        changed: &[String],
    ) -> Result<ResumedWork, AskError> {
        for (folder, as_one) in &stored.treated {
            let treat = TreatAsOne {
                folder: folder.clone(),
                as_one: *as_one,
            };
            self.ask(treat).await?;
        }
        let steps_before = self.0.log.applied_steps().len();
        let mut resumed = ResumedWork {
            set_aside: stored.journal.dropped_steps().to_vec(),
            ..ResumedWork::default()
        };
        let mut replayed_steps = 0;
        for (index, step) in stored.journal.steps().iter().enumerate() {
            let reason = match step.misplaced_reason(changed) {
                Some(reason) => Some(reason),
                None => match self.ask(replay_query(step)).await {
                    Ok(replayed) => {
                        // A step without effect is dropped: the files already contain its result.
                        let is_step = !replayed.steps.is_empty();
                        let is_applied = is_step && index < stored.journal.applied_steps().len();
                        replayed_steps += usize::from(is_step);
                        resumed.steps += usize::from(is_applied);
                        resumed.status = Some(replayed.status);
                        let refused = replayed.refused.into_iter().next();
                        refused.map(|(_, reason)| reason)
                    }
                    Err(AskError::Refused(_)) => Some(NOT_ACCEPTED.to_owned()),
                    Err(AskError::DroppedStep { message }) => Some(message),
                    Err(error) => return Err(error),
                },
            };
            resumed.set_aside.extend(reason.map(|reason| DroppedStep {
                step: step.clone(),
                reason,
            }));
        }
        if resumed.steps < replayed_steps {
            let undo = GoTo {
                steps: steps_before + resumed.steps,
                view: None,
            };
            resumed.status = Some(self.ask(undo).await?.status);
        }
        self.0.log.with_work(|work| {
            for dropped in &resumed.set_aside {
                work.journal.add_dropped(dropped.clone());
            }
        });
        Ok(resumed)
    }
}

fn replay_query(step: &JournalStep) -> Replay {
    Replay {
        steps: vec![step.to_replay()],
    }
}

/// Answers a pending request with an error; its owner may be gone.
fn refuse(waiting: PendingRequest<oneshot::Sender<Answer>>, error: AskError) {
    let _ = waiting.reply.send(Answer::from_error(error));
}

fn is_open(query: &AnyQuery) -> bool {
    query.request == Request::Open
}
