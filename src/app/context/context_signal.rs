//! Signals that one part of the app context writes and that everything else may read.

use leptos::prelude::*;
use std::ops::Deref;

/// A signal with the handle by which others read it. The handle is created once: if created at each call it would leak
/// wherever no owner exists, as in an event handler.
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

    /// For those who only read it.
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
