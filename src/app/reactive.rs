//! Memos and effects whose code is compiled once for each type of value, and not for each closure that makes one: the
//! framework's own constructors are generic in the closure, and the page has hundreds of them. Must not know what is
//! computed.

use leptos::prelude::*;
use std::sync::{Arc, Mutex};

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

type SharedView<T> = Arc<Mutex<dyn FnMut() -> T + Send>>;

/// A view that is replaced as a whole when a signal that `draw` reads changes. To redraw an element in place, tachys
/// 0.2.19 built with `erase_components` removes and sets every attribute: for an element that has no state (focus, a typed
/// value, scroll position), replacing it is cheaper.
pub fn redrawn_whole(draw: impl Fn() -> AnyView + Send + 'static) -> AnyView {
    // A closure that returns another closure is not redrawn in place.
    let outer: SharedView<SharedView<Option<AnyView>>> = Arc::new(Mutex::new(move || {
        let mut view = Some(draw());
        let inner: SharedView<Option<AnyView>> = Arc::new(Mutex::new(move || view.take()));
        inner
    }));
    outer.into_any()
}
