//! Signals that anybody reads and only the state writes.

use leptos::prelude::*;
use std::ops::Deref;

/// A part of the state. It is read as any signal; outside of `state` it has no method that writes it, so that what is
/// shown changes in one place.
#[derive(Debug)]
pub struct Kept<T: 'static> {
    signal: RwSignal<T>,
    read: ReadSignal<T>,
}

impl<T> Clone for Kept<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Kept<T> {}

impl<T: Send + Sync + 'static> Kept<T> {
    pub(super) fn new(value: T) -> Self {
        let signal = RwSignal::new(value);
        Self { signal, read: signal.read_only() }
    }

    pub(super) fn set(self, value: T) {
        self.signal.set(value);
    }

    pub(super) fn update(self, change: impl FnOnce(&mut T)) {
        self.signal.update(change);
    }
}

impl<T: Default + Send + Sync + 'static> Default for Kept<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> Deref for Kept<T> {
    type Target = ReadSignal<T>;

    fn deref(&self) -> &ReadSignal<T> {
        &self.read
    }
}

impl<T: Send + Sync + Clone + 'static> From<Kept<T>> for Signal<T> {
    fn from(kept: Kept<T>) -> Self {
        kept.read.into()
    }
}
