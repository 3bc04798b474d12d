//! Debounced queries: while the user types or drags, the worker is queried shortly after the last
//! change, and only the last answer counts. A replaced query is dropped, and the worker discards it
//! if it has not started. A press that needs an answer waits for it: an action must do what the form
//! displayed at that moment.

use crate::browser::time;
use crate::reactive::{Attempts, effect};
use futures::channel::oneshot;
use futures::future::select;
use leptos::prelude::*;
use std::future::Future;
use std::pin::pin;
use std::time::Duration;
use wasm_bindgen_futures::spawn_local;

/// Delay between a change and its query.
const REST: Duration = Duration::from_millis(90);

/// Time of the last typed or dragged change.
#[derive(Clone, Copy)]
pub struct InputPace(StoredValue<f64>);

impl Default for InputPace {
    fn default() -> Self {
        Self(StoredValue::new(f64::NEG_INFINITY))
    }
}

impl InputPace {
    /// Runs `follow` immediately after a pause, since a single change should not wait. During a
    /// series of changes, runs it `rest` after this one: `follow` must check whether another change
    /// has followed.
    pub fn run(self, rest: Duration, follow: impl FnOnce() + 'static) {
        let now = time::now();
        let before = self.0.get_value();
        self.0.set_value(now);
        match now - before > rest.as_secs_f64() * 1e3 {
            true => follow(),
            false => set_timeout(follow, rest),
        }
    }
}

/// A slot for one pending query. A new query replaces the pending one; dropping the slot drops it.
#[derive(Clone, Copy)]
pub struct QuerySlot(StoredValue<Option<oneshot::Sender<()>>, LocalStorage>);

impl Default for QuerySlot {
    fn default() -> Self {
        Self(StoredValue::new_local(None))
    }
}

impl QuerySlot {
    /// Runs a query in place of the pending one.
    pub fn run(self, question: impl Future<Output = ()> + 'static) {
        let (stays, gone) = oneshot::channel();
        self.0.try_set_value(Some(stays));
        spawn_local(async move {
            select(pin!(question), gone).await;
        });
    }

    /// Drops the pending query.
    pub fn leave(self) {
        self.0.try_set_value(None);
    }
}

/// Queries whenever `wanted` changes (`None`: no query), and keeps the last answer until the next
/// one arrives, so that the view does not flicker.
pub fn debounced_query<Q, A, F>(
    wanted: Signal<Option<Q>>,
    ask: impl Fn(Q) -> F + Copy + 'static,
) -> ReadSignal<Option<A>>
where
    Q: Clone + PartialEq + Send + Sync + 'static,
    A: Send + Sync + 'static,
    F: Future<Output = Option<A>> + 'static,
{
    let (answer, set_answer) = signal(None);
    let attempts = Attempts::default();
    let turn = QuerySlot::default();
    let pace = InputPace::default();
    effect(move |before: Option<Option<Q>>| {
        let question = wanted.get();
        if before.as_ref() == Some(&question) {
            return question;
        }
        let is_latest = attempts.begin();
        let Some(query) = question.clone() else {
            turn.leave();
            set_answer.set(None);
            return question;
        };
        let begin = move || {
            if !is_latest() {
                return;
            }
            turn.run(async move {
                let answer = ask(query).await;
                if is_latest() {
                    set_answer.try_set(answer);
                }
            });
        };
        // The first query is not delayed: nobody is typing yet.
        if before.flatten().is_none() {
            begin()
        } else {
            pace.run(REST, begin)
        }
        question
    });
    answer
}

/// A query with its answer.
pub type LatestAnswer<Q, A> = Option<(Q, A)>;

/// Whether the answer belongs to the query.
pub fn is_answered<Q: PartialEq, A>(question: Option<&Q>, answered: &LatestAnswer<Q, A>) -> bool {
    matches!((question, answered), (Some(question), Some((answered_question, _))) if answered_question == question)
}

/// Returns the callback of a press. It calls `act` with the query at the time of the press and its
/// answer, immediately if available; not at all if the form changes before the answer arrives.
pub fn submit_when_ready<Q, A>(
    question: Signal<Option<Q>>,
    answered: ReadSignal<LatestAnswer<Q, A>>,
    act: impl Fn(Q, A) + 'static,
) -> impl Fn() + Copy + 'static
where
    Q: Clone + PartialEq + Send + Sync + 'static,
    A: Clone + Send + Sync + 'static,
{
    let held = RwSignal::new(None::<Q>);
    effect(move |_| {
        let Some(pressed) = held.get() else { return };
        if question.with(|now| now.as_ref() != Some(&pressed)) {
            held.set(None);
            return;
        }
        let answer = answered.with(|latest| {
            let (answered_query, answer) = latest.as_ref()?;
            (*answered_query == pressed).then(|| answer.clone())
        });
        if let Some(answer) = answer {
            held.set(None);
            act(pressed, answer);
        }
    });
    move || held.set(question.get_untracked())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_answer_to_the_question_itself_counts() {
        assert!(is_answered(Some(&1), &Some((1, "one"))));
        assert!(
            !is_answered(Some(&2), &Some((1, "one"))),
            "the answer to an earlier question"
        );
        assert!(!is_answered(Some(&1), &None::<(i32, &str)>));
        assert!(!is_answered(None, &Some((1, "one"))));
    }
}
