//! Signals that one part of the app context writes and everything else may read.

use leptos::prelude::*;
use std::ops::Deref;

/// A signal with its read handle. The handle is created once: created on demand it would leak
/// outside of an owner, as in an event handler.
#[derive(Debug)]
pub(super) struct ContextSignal<T: 'static> {
    signal: RwSignal<T>,
    reader: ReadSignal<T>,
}

impl<T> Clone for ContextSignal<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ContextSignal<T> {}

impl<T: Send + Sync + 'static> ContextSignal<T> {
    pub(super) fn new(value: T) -> Self {
        let signal = RwSignal::new(value);
        Self {
            signal,
            reader: signal.read_only(),
        }
    }

    /// The read-only handle.
    pub(super) fn reader(self) -> ReadSignal<T> {
        self.reader
    }
}

impl<T: Default + Send + Sync + 'static> Default for ContextSignal<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> Deref for ContextSignal<T> {
    type Target = RwSignal<T>;

    fn deref(&self) -> &RwSignal<T> {
        &self.signal
    }
}
