//! What follows from something that moves all the time, and is told on seldom.

use leptos::prelude::*;

/// A value that is told only when it is another. Who follows a memo is woken with each move to ask
/// whether it changed, and all cars and headings follow these.
pub(super) fn changed_only<T>(value: impl Fn(Option<T>) -> T + 'static) -> Signal<T>
where
    T: Copy + PartialEq + Send + Sync + 'static,
{
    let told = RwSignal::new(untrack(|| value(None)));
    Effect::new(move |_| {
        let known = told.get_untracked();
        let now = value(Some(known));
        if now != known {
            told.set(now);
        }
    });
    told.into()
}
