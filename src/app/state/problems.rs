//! The problem list of the catalog in view: filter, order, and open problem.

pub mod rows;

use crate::reactive::{Attempts, memo};
use crate::state::store::SessionStore;
use leptos::prelude::*;
use protocol::diagnostic::Diagnostic;
use rows::{Filter, Listing, find_again, list_problems};
use std::sync::Arc;

/// A set of signal handles; `Copy`.
#[derive(Clone, Copy)]
pub struct ProblemListState {
    pub filter: RwSignal<Filter>,
    pub listing: Memo<Arc<Listing>>,
    /// Index of the open problem; `None` also if it is in another catalog or was fixed.
    pub open: Memo<Option<usize>>,
    /// Index of the problem that is the tab stop.
    pub stop: RwSignal<Option<usize>>,
    /// Index of a problem to scroll to and focus.
    pub wanted: RwSignal<Option<usize>>,
    /// The open problem as it was when it was opened.
    opened: RwSignal<Option<Diagnostic>>,
    /// Position of the last open problem in the list.
    last: StoredValue<Option<usize>>,
    /// Counts requests to show a problem.
    requests: Attempts,
}

impl ProblemListState {
    /// Creates the state; `package` is the one in view.
    pub fn new(store: SessionStore, package: Memo<String>) -> Self {
        let filter = RwSignal::new(Filter::default());
        let opened = RwSignal::new(None::<Diagnostic>);
        let open = memo(move |_| {
            opened.with(|opened| {
                let opened = opened.as_ref()?;
                if store.root.with(|root| opened.catalog != *root) {
                    return None;
                }
                store.problems.with(|problems| find_again(problems, opened))
            })
        });
        let listing = memo(move |_| {
            let package = package.get();
            store.problems.with(|problems| {
                filter.with(|filter| Arc::new(list_problems(problems, filter, &package)))
            })
        });
        Self {
            filter,
            listing,
            open,
            stop: RwSignal::new(None),
            wanted: RwSignal::new(None),
            opened,
            last: StoredValue::new(None),
            requests: Attempts::default(),
        }
    }

    /// Opens a problem, clearing the filter if it hides it. Returns a function that checks whether
    /// this is still the latest request, so that an earlier answer does not override a later one.
    pub fn show(self, problem: Diagnostic, index: usize) -> impl Fn() -> bool + use<> {
        self.opened.set(Some(problem));
        self.stop.set(Some(index));
        let position = || {
            self.listing
                .with_untracked(|list| list.order.iter().position(|other| *other == index))
        };
        if position().is_none() {
            self.filter.set(Filter::default());
        }
        self.last.set_value(position());
        self.requests.begin()
    }

    pub fn close(self) {
        self.opened.set(None);
    }

    /// Returns the problem `step` after the open one, or else after the focused one; untracked.
    pub fn step_from(self, step: isize) -> Option<usize> {
        let from = self.open.get_untracked();
        self.listing
            .with_untracked(|list| list.step_from(from, self.last.get_value(), step))
    }

    /// Returns the problem now at the position of the last one; untracked.
    pub fn successor(self) -> Option<usize> {
        let last = self.last.get_value()?;
        self.listing
            .with_untracked(|list| list.order.get(last).or(list.order.last()).copied())
    }
}
