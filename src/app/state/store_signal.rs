//! Signals that anyone can read but only the state writes.

use leptos::prelude::*;
use std::ops::Deref;

/// A part of the state, readable like any signal. Outside of `state` it has no methods that write,
/// so changes happen in one place.
#[derive(Debug)]
pub struct StoreSignal<T: 'static> {
    signal: RwSignal<T>,
    read: ReadSignal<T>,
}

impl<T> Clone for StoreSignal<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for StoreSignal<T> {}

impl<T: Send + Sync + 'static> StoreSignal<T> {
    pub(super) fn new(value: T) -> Self {
        let signal = RwSignal::new(value);
        Self {
            signal,
            read: signal.read_only(),
        }
    }

    pub(super) fn set(self, value: T) {
        self.signal.set(value);
    }

    pub(super) fn update(self, change: impl FnOnce(&mut T)) {
        self.signal.update(change);
    }
}

impl<T: Default + Send + Sync + 'static> Default for StoreSignal<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> Deref for StoreSignal<T> {
    type Target = ReadSignal<T>;

    fn deref(&self) -> &ReadSignal<T> {
        &self.read
    }
}

impl<T: Send + Sync + Clone + 'static> From<StoreSignal<T>> for Signal<T> {
    fn from(kept: StoreSignal<T>) -> Self {
        kept.read.into()
    }
}
