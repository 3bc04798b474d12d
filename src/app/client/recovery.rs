//! Recovers from a worker's death: starts a new one with the same files and steps.

use super::{Client, EncodedResult, OfferedFiles, applied_operations};
use crate::state::journal::{ChangeContent, DroppedStep, JournalStep};
use crate::state::worker_api::{Answer, AnyQuery, Event, unexpected_answer};
use futures::channel::oneshot;
use protocol::query::{
    GoTo, NoteSaved, Open, OpenOperator, Query, Replay, SetProfile, ShowRendered, TreatAsOne,
};
use protocol::request::{OpenMode, ReplayStep, Request};
use protocol::response::{AskError, Opened};
use protocol::views::Status;
use protocol::{Json, wire};
use std::collections::HashMap;

/// Maximum number of consecutive workers that may die during recovery.
const ATTEMPTS: usize = 4;
/// A step that kills this number of workers during replay is set aside.
const STRIKES: u8 = 2;

/// The worker died during recovery.
struct WorkerDied;

impl Client {
    /// Handles an `error` event: nothing this worker still sends can be trusted.
    pub(super) fn handle_death(&self, message: String) {
        let words = self.0.last_words.take();
        let message = if words.is_empty() { message } else { words };
        if self.0.recovering.replace(true) {
            self.0.last_words.replace(message);
            self.0.own.take();
            return;
        }
        self.emit(Event::Crashed {
            message: message.clone(),
        });
        // Not within the dead worker's own handler, which is dropped with it.
        wasm_bindgen_futures::spawn_local(self.clone().recover(message));
    }

    pub(super) async fn recover(self, message: String) {
        self.set_aside_what_killed_twice(&message);
        let mut strikes = HashMap::new();
        let mut set_aside = Vec::new();
        for _ in 0..ATTEMPTS {
            self.end_pool();
            self.connect();
            if self.is_connected()
                && let Ok(status) = self.restore(&mut strikes, &mut set_aside).await
            {
                self.0.recovering.set(false);
                if !set_aside.is_empty() {
                    self.note_change(ChangeContent::All);
                }
                self.emit(Event::Restored {
                    status: status.map(Box::new),
                    set_aside,
                });
                self.send_again();
                return;
            }
        }
        *self.0.host.borrow_mut() = None;
        *self.0.dead.borrow_mut() = Some(message.clone());
        self.emit(Event::Dead {
            message: message.clone(),
            steps: self.applied_steps(),
        });
        for waiting in self.0.pending.borrow_mut().drain() {
            let _ = waiting.reply.reply.send(Answer::none(AskError::NoWorker {
                message: message.clone(),
            }));
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
            self.journal_session()
                .work
                .borrow_mut()
                .journal
                .put_aside(aside.clone());
            self.note_change(ChangeContent::All);
            self.emit(Event::DroppedStep(aside));
        }
        let _ = waiting
            .reply
            .reply
            .send(Answer::none(AskError::DroppedStep {
                message: message.to_owned(),
            }));
    }

    /// Opens the files again and replays the steps, one request each, to identify a deadly one.
    /// Undone steps are undone again.
    async fn restore(
        &self,
        strikes: &mut HashMap<String, u8>,
        set_aside: &mut Vec<DroppedStep>,
    ) -> Result<Option<Status>, WorkerDied> {
        let (offer, treated, rendered, profile) = {
            let opened = self.0.opened.borrow();
            (
                opened.at_first(),
                opened.treated.clone(),
                opened.rendered.clone(),
                opened.profile,
            )
        };
        let operators = self.0.opened.borrow().operators.clone();
        let none = OfferedFiles::new();
        let mut status = None;
        // Sent even without a profile: a worker that cannot start fails here.
        let _ = self.ask_own(SetProfile { profile }, &none).await?;
        if !offer.is_empty() {
            self.start_pool();
            let mode = OpenMode::Replace;
            if let Ok(Opened::Anew(opened)) = self.ask_own(Open { mode }, &offer).await? {
                status = Some(*opened);
            }
            self.end_pool();
        }
        for operator in operators {
            let opened = self.ask_own(OpenOperator { operator }, &none).await?;
            status = opened.ok().or(status);
        }
        for (folder, as_one) in treated {
            let treated = self.ask_own(TreatAsOne { folder, as_one }, &none).await?;
            status = treated.ok().or(status);
        }
        for template in rendered {
            let show = ShowRendered {
                template,
                shown: true,
            };
            status = self.ask_own(show, &none).await?.ok().or(status);
        }
        let mut index = 0;
        // The number of steps to apply.
        let mut applied = self.applied_steps().len();
        while let Some(step) = self.step(index) {
            let steps = vec![ReplayStep {
                title: step.title.clone(),
                ops: Json(step.ops.clone()),
            }];
            let reason = match self.ask_own(Replay { steps }, &none).await {
                Ok(Ok(replayed)) => {
                    status = Some(replayed.status);
                    if replayed.refused.is_empty() && replayed.steps.is_empty() {
                        // It has no effect any more, so the worker has no such step.
                        self.journal_session()
                            .work
                            .borrow_mut()
                            .journal
                            .forget(index);
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
                        self.set_step_aside(index, self.0.last_words.borrow().clone(), set_aside);
                    }
                    return Err(WorkerDied);
                }
            };
            match reason {
                Some(reason) => {
                    self.set_step_aside(index, reason, set_aside);
                    applied = applied.saturating_sub(usize::from(index < applied));
                }
                None => index += 1,
            }
        }
        if applied < index {
            // Undone steps can be redone.
            let back = GoTo {
                steps: applied,
                view: None,
            };
            let went = self.ask_own(back, &none).await?;
            status = went.ok().map(|went| went.status).or(status);
        }
        let on_disk: OfferedFiles = self.0.opened.borrow().on_disk.values().cloned().collect();
        if !on_disk.is_empty() {
            let saved = self.ask_own(NoteSaved {}, &on_disk).await?;
            status = saved.ok().map(|saved| saved.status).or(status);
        }
        Ok(status)
    }

    fn step(&self, index: usize) -> Option<JournalStep> {
        self.journal_session()
            .work
            .borrow()
            .journal
            .steps()
            .get(index)
            .cloned()
    }

    fn set_step_aside(&self, index: usize, reason: String, set_aside: &mut Vec<DroppedStep>) {
        set_aside.extend(self.step(index).map(|step| DroppedStep {
            step,
            reason: reason.clone(),
        }));
        self.journal_session()
            .work
            .borrow_mut()
            .journal
            .set_aside(index, reason);
    }

    /// A request of the recovery itself.
    async fn ask_own<Q: Query>(
        &self,
        query: Q,
        offer: &OfferedFiles,
    ) -> Result<Result<Q::Answer, AskError>, WorkerDied> {
        let answer = self.exchange_own(AnyQuery::new(query), offer).await?;
        Ok(answer.and_then(|answer| wire::decode(&answer).ok_or_else(unexpected_answer)))
    }

    async fn exchange_own(
        &self,
        query: AnyQuery,
        offer: &OfferedFiles,
    ) -> Result<EncodedResult, WorkerDied> {
        let (reply, answer) = oneshot::channel();
        let id = self.0.pending.borrow_mut().number();
        *self.0.own.borrow_mut() = Some((id, reply));
        self.send(id, query.request, &query.bytes, offer);
        self.watch();
        answer.await.map_err(|_| WorkerDied)
    }

    fn send_again(&self) {
        let waiting: Vec<_> = {
            let pending = self.0.pending.borrow();
            pending
                .iter()
                .map(|(id, waiting)| (id, waiting.query.clone(), waiting.reply.files.clone()))
                .collect()
        };
        if waiting
            .iter()
            .any(|(_, query, _)| query.request == Request::Open)
        {
            self.start_pool();
        }
        for (id, query, files) in waiting {
            self.send(id, query.request, &query.bytes, &files);
        }
    }
}
