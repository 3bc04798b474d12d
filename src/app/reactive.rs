//! Reactive building blocks: memos, effects, background tasks and redrawn views that are compiled
//! once per value type, numbered attempts, and signals with one writer. Must not know what is
//! computed.
//!
//! The framework's constructors are generic in the closure, and the page has hundreds of closures.

use futures::future::LocalBoxFuture;
use leptos::prelude::*;
use std::sync::{Arc, Mutex};

type Compute<T> = Box<dyn Fn(Option<&T>) -> T + Send + Sync>;

/// Creates a value computed from signals, updated when one of them changes. It notifies readers
/// only if the value differs.
pub fn memo<T: PartialEq + Send + Sync + 'static>(
    compute: impl Fn(Option<&T>) -> T + Send + Sync + 'static,
) -> Memo<T> {
    let compute: Compute<T> = Box::new(compute);
    Memo::new(compute)
}

/// Creates a value that is computed whenever it is read.
pub fn derived<T: Send + Sync + 'static>(
    compute: impl Fn() -> T + Send + Sync + 'static,
) -> Signal<T> {
    let compute: Box<dyn Fn() -> T + Send + Sync> = Box::new(compute);
    Signal::derive(compute)
}

/// Runs a future in the background. It is boxed, since `wasm_bindgen_futures` compiles each type of
/// future twice.
pub fn spawn_local(future: impl Future<Output = ()> + 'static) {
    let future: LocalBoxFuture<'static, ()> = Box::pin(future);
    wasm_bindgen_futures::spawn_local(future);
}

/// Runs in the next turn, and again when a signal that it read changes; receives its previous
/// return value.
pub fn effect<T: 'static>(run: impl FnMut(Option<T>) -> T + 'static) {
    let run: Box<dyn FnMut(Option<T>) -> T> = Box::new(run);
    Effect::new(run);
}

type SharedView<T> = Arc<Mutex<dyn FnMut() -> T + Send>>;

/// Draws a view that is replaced as a whole when a signal read by `draw` changes. To redraw an
/// element in place, tachys 0.2.19 with `erase_components` removes and sets every attribute: for an
/// element without state (focus, input, scroll position), replacing it is cheaper.
pub fn redrawn_whole(draw: impl Fn() -> AnyView + Send + 'static) -> AnyView {
    // A closure that returns another closure is not redrawn in place.
    let outer: SharedView<SharedView<Option<AnyView>>> = Arc::new(Mutex::new(move || {
        let mut view = Some(draw());
        let inner: SharedView<Option<AnyView>> = Arc::new(Mutex::new(move || view.take()));
        inner
    }));
    outer.into_any()
}

/// Numbers attempts, so that a finished attempt can tell whether a newer one has begun.
#[derive(Clone, Copy, Default)]
pub struct Attempts(StoredValue<u32>);

impl Attempts {
    /// Starts a new attempt; the returned function reports whether it is still the latest.
    pub fn begin(self) -> impl Fn() -> bool + Copy + Send + Sync + 'static {
        self.supersede();
        self.latest()
    }

    /// Supersedes all attempts so far.
    pub fn supersede(self) {
        self.0.update_value(|number| *number += 1);
    }

    /// Like [`Self::begin`], for the attempt that is current now.
    pub fn latest(self) -> impl Fn() -> bool + Copy + Send + Sync + 'static {
        let number = self.0.get_value();
        move || self.0.try_get_value() == Some(number)
    }
}

/// Defines a type of signals that everything may read, and only the module with the definition (and
/// those inside it) may create and write.
macro_rules! owned_signal {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        #[derive(Debug)]
        pub struct $name<T: 'static> {
            signal: RwSignal<T>,
            // Created once: created on demand outside of an owner, as in an event handler, it
            // leaks.
            reader: ReadSignal<T>,
        }

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<T> {}

        impl<T: Send + Sync + 'static> $name<T> {
            fn new(value: T) -> Self {
                let signal = RwSignal::new(value);
                let reader = signal.read_only();
                Self { signal, reader }
            }

            fn set(self, value: T) {
                self.signal.set(value);
            }

            fn update(self, change: impl FnOnce(&mut T)) {
                self.signal.update(change);
            }
        }

        impl<T: Default + Send + Sync + 'static> Default for $name<T> {
            fn default() -> Self {
                Self::new(T::default())
            }
        }

        impl<T> std::ops::Deref for $name<T> {
            type Target = ReadSignal<T>;

            fn deref(&self) -> &ReadSignal<T> {
                &self.reader
            }
        }

        impl<T: Send + Sync + Clone + 'static> From<$name<T>> for Signal<T> {
            fn from(owned: $name<T>) -> Self {
                owned.reader.into()
            }
        }
    };
}

pub(crate) use owned_signal;
