//! Delays a press until the answer for its form arrives. Forms query after each change with a
//! delay, so a shown answer may belong to an earlier choice; an action must do what the form said
//! when it was pressed.

use crate::reactive::effect;
use leptos::prelude::*;

/// A query with its answer.
pub type LatestAnswer<Q, A> = Option<(Q, A)>;

/// Whether the answer belongs to the query.
pub fn is_answered<Q: PartialEq, A>(question: Option<&Q>, answered: &LatestAnswer<Q, A>) -> bool {
    matches!((question, answered), (Some(question), Some((of, _))) if of == question)
}

/// The callback of a press. Calls `act` with the query at the time of the press and its answer,
/// immediately if available; not at all if the form changes before the answer arrives.
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
        let answer = answered.with(|found| {
            let (of, answer) = found.as_ref()?;
            (*of == pressed).then(|| answer.clone())
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
