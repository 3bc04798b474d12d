//! The state of the problem list besides the problems: filter, open problem, keyboard focus.

use super::rows::{Filter, Listing, found_again, listing};
use crate::reactive::memo;
use crate::state::store::WorkspaceStore;
use leptos::prelude::*;
use protocol::diagnostic::Diagnostic;
use std::sync::Arc;

/// A set of signal handles; `Copy`.
#[derive(Clone, Copy)]
pub struct ProblemListState {
    pub filter: RwSignal<Filter>,
    pub listing: Memo<Arc<Listing>>,
    /// Index of the open problem in the catalog in view; `None` also after an edit made it
    /// disappear.
    pub open: Memo<Option<usize>>,
    /// The tab stop: a problem's index.
    pub stop: RwSignal<Option<usize>>,
    /// A problem to scroll to and focus.
    pub wanted: RwSignal<Option<usize>>,
    opened: RwSignal<Option<Diagnostic>>,
    /// Position in the list of the last open problem.
    last: StoredValue<Option<usize>>,
    /// Counts requests to show a problem.
    asked: StoredValue<u32>,
}

impl ProblemListState {
    /// `package` is the one in view.
    pub fn new(store: WorkspaceStore, package: Memo<String>) -> Self {
        let filter = RwSignal::new(Filter::default());
        let opened = RwSignal::new(None::<Diagnostic>);
        let open = memo(move |_| {
            opened.with(|known| {
                let known = known.as_ref()?;
                let is_here = store.root.with(|root| known.catalog == *root);
                store
                    .problems
                    .with(|problems| is_here.then(|| found_again(problems, known)).flatten())
            })
        });
        let listing = memo(move |_| {
            let package = package.get();
            store.problems.with(|problems| {
                filter.with(|filter| Arc::new(listing(problems, filter, &package)))
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
            asked: StoredValue::default(),
        }
    }

    /// Opens a problem, clearing the filter if it hides it. Returns a function that tells whether
    /// this is still the latest request, so that an earlier answer does not override a later one.
    pub fn show(self, problem: Diagnostic, index: usize) -> impl Fn() -> bool + use<> {
        self.opened.set(Some(problem));
        self.stop.set(Some(index));
        let place = || {
            self.listing
                .with_untracked(|list| list.order.iter().position(|own| *own == index))
        };
        if place().is_none() {
            self.filter.set(Filter::default());
        }
        self.last.set_value(place());
        let mine = self.asked.get_value() + 1;
        self.asked.set_value(mine);
        move || self.asked.get_value() == mine
    }

    pub fn close(self) {
        self.opened.set(None);
    }

    /// The problem `step` after the open one, or else after the focused one.
    pub fn step_from(self, step: isize) -> Option<usize> {
        let from = self.open.get_untracked();
        self.listing
            .with_untracked(|list| list.step_from(from, self.last.get_value(), step))
    }

    /// The problem now at the position of the last one.
    pub fn successor(self) -> Option<usize> {
        let last = self.last.get_value()?;
        self.listing
            .with_untracked(|list| list.order.get(last).or(list.order.last()).copied())
    }
}
