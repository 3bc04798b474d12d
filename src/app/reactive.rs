//! Memos and effects whose code is compiled once per value type instead of once per closure: the
//! framework's constructors are generic in the closure, and the page has hundreds of them. Must not
//! know what is computed.

use leptos::prelude::*;
use std::sync::{Arc, Mutex};

type Compute<T> = Box<dyn Fn(Option<&T>) -> T + Send + Sync>;

/// A value computed from signals, updated when one of them changes. Notifies readers only if the
/// value differs.
pub fn memo<T: PartialEq + Send + Sync + 'static>(
    compute: impl Fn(Option<&T>) -> T + Send + Sync + 'static,
) -> Memo<T> {
    let compute: Compute<T> = Box::new(compute);
    Memo::new(compute)
}

/// Runs in the next turn, and again when a signal that it read changes; receives its previous
/// return value.
pub fn effect<T: 'static>(run: impl FnMut(Option<T>) -> T + 'static) {
    let run: Box<dyn FnMut(Option<T>) -> T> = Box::new(run);
    Effect::new(run);
}

type SharedView<T> = Arc<Mutex<dyn FnMut() -> T + Send>>;

/// A view that is replaced as a whole when a signal read by `draw` changes. To redraw an element in
/// place, tachys 0.2.19 with `erase_components` removes and sets every attribute: for an element
/// without state (focus, input, scroll position), replacing it is cheaper.
pub fn redrawn_whole(draw: impl Fn() -> AnyView + Send + 'static) -> AnyView {
    // A closure that returns another closure is not redrawn in place.
    let outer: SharedView<SharedView<Option<AnyView>>> = Arc::new(Mutex::new(move || {
        let mut view = Some(draw());
        let inner: SharedView<Option<AnyView>> = Arc::new(Mutex::new(move || view.take()));
        inner
    }));
    outer.into_any()
}
