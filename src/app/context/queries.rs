//! Debounced queries: while the user types or drags, the worker is queried shortly after the last
//! change, and only the last answer counts. A replaced query is dropped, and the worker discards it
//! if it has not started. A press that needs an answer waits for it: an action must do what the
//! form displayed when it was pressed.

use crate::browser::time;
use crate::reactive::{Attempts, effect, spawn_local};
use futures::channel::oneshot;
use futures::future::select;
use leptos::prelude::*;
use std::future::Future;
use std::pin::pin;
use std::time::Duration;

/// Delay between a change and its query.
const DEBOUNCE: Duration = Duration::from_millis(90);

/// A slot for one pending query. A new query replaces the pending one; dropping the slot drops it.
#[derive(Clone, Copy, Default)]
pub struct QuerySlot(StoredValue<Option<oneshot::Sender<()>>, LocalStorage>);

impl QuerySlot {
    pub fn run(self, query: impl Future<Output = ()> + 'static) {
        let (pending, replaced) = oneshot::channel();
        self.0.try_set_value(Some(pending));
        spawn_local(async move {
            select(pin!(query), replaced).await;
        });
    }

    pub fn clear(self) {
        self.0.try_set_value(None);
    }
}

/// Queries whenever `query` changes (`None`: no query), and keeps the last answer until the next
/// one arrives, so that the view does not flicker.
pub fn debounced_query<Q, A, F>(
    query: Signal<Option<Q>>,
    ask: impl Fn(Q) -> F + Copy + 'static,
) -> ReadSignal<Option<A>>
where
    Q: Clone + PartialEq + Send + Sync + 'static,
    A: Send + Sync + 'static,
    F: Future<Output = Option<A>> + 'static,
{
    let (answer, set_answer) = signal(None);
    let attempts = Attempts::default();
    let slot = QuerySlot::default();
    // Time of the last change, in milliseconds of the page's clock.
    let last_change = StoredValue::new(f64::NEG_INFINITY);
    effect(move |before: Option<Option<Q>>| {
        let current = query.get();
        if before.as_ref() == Some(&current) {
            return current;
        }
        let is_latest = attempts.begin();
        let Some(query) = current.clone() else {
            slot.clear();
            set_answer.set(None);
            return current;
        };
        let send = move || {
            if !is_latest() {
                return;
            }
            slot.run(async move {
                let answer = ask(query).await;
                if is_latest() {
                    set_answer.try_set(answer);
                }
            });
        };
        // The first query is not delayed: nobody is typing yet.
        if before.flatten().is_none() {
            send();
            return current;
        }
        // Nor is a change after a pause. In a series of changes, only the last is sent.
        let (now, last) = (time::now(), last_change.get_value());
        last_change.set_value(now);
        if now - last > DEBOUNCE.as_secs_f64() * 1e3 {
            send();
        } else {
            set_timeout(send, DEBOUNCE);
        }
        current
    });
    answer
}

pub type LatestAnswer<Q, A> = Option<(Q, A)>;

pub fn is_answered<Q: PartialEq, A>(query: Option<&Q>, latest: &LatestAnswer<Q, A>) -> bool {
    query.is_some() && query == latest.as_ref().map(|(answered, _)| answered)
}

/// Returns the callback of a press. It calls `submit` with the query at the time of the press and
/// its answer, immediately if available; not at all if the form changes before the answer arrives.
pub fn submit_when_ready<Q, A>(
    query: Signal<Option<Q>>,
    answered: ReadSignal<LatestAnswer<Q, A>>,
    submit: impl Fn(Q, A) + 'static,
) -> impl Fn() + Copy + 'static
where
    Q: Clone + PartialEq + Send + Sync + 'static,
    A: Clone + Send + Sync + 'static,
{
    let pressed = RwSignal::new(None::<Q>);
    effect(move |_| {
        let Some(submitted) = pressed.get() else {
            return;
        };
        if query.with(|current| current.as_ref() != Some(&submitted)) {
            pressed.set(None);
            return;
        }
        let answer = answered.with(|latest| {
            let (answered_query, answer) = latest.as_ref()?;
            (*answered_query == submitted).then(|| answer.clone())
        });
        if let Some(answer) = answer {
            pressed.set(None);
            submit(submitted, answer);
        }
    });
    move || pressed.set(query.get_untracked())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_answer_to_the_current_question_counts() {
        assert!(is_answered(Some(&1), &Some((1, "one"))));
        assert!(
            !is_answered(Some(&2), &Some((1, "one"))),
            "the answer to an earlier question"
        );
        assert!(!is_answered(Some(&1), &None::<(i32, &str)>));
        assert!(!is_answered(None, &Some((1, "one"))));
    }
}
