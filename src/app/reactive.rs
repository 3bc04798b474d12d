//! Memos and effects whose code is compiled once for each type of value, and not for each closure that makes one: the
//! framework's own constructors are generic in the closure, and the page has hundreds of them. Must not know what is
//! computed.

use leptos::prelude::*;

type Compute<T> = Box<dyn Fn(Option<&T>) -> T + Send + Sync>;

/// What is computed from signals, again when one that was read changed. Whoever reads it hears of it only if the value is
/// another.
pub fn memo<T: PartialEq + Send + Sync + 'static>(
    compute: impl Fn(Option<&T>) -> T + Send + Sync + 'static,
) -> Memo<T> {
    let compute: Compute<T> = Box::new(compute);
    Memo::new(compute)
}

/// Runs at the next turn, and again when a signal that it read changed; it is given what it returned before.
pub fn effect<T: 'static>(run: impl FnMut(Option<T>) -> T + 'static) {
    let run: Box<dyn FnMut(Option<T>) -> T> = Box::new(run);
    Effect::new(run);
}
