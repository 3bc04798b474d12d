//! The app context: the session store and actions, together with page-only state. It is a handle
//! to parts with one subject each. Only a part's own methods write its signals; methods of the
//! context itself need more than one part. Panels read the parts and call their methods, or take
//! the single part they need.

mod comparison;
mod drops;
mod edits;
mod graphs;
mod navigation;
mod overlays;
mod queries;
mod repository;
mod saving;
mod templates;
mod text_steps;
mod unfinished_work;
mod view;
mod workbench;

pub use comparison::{ComparisonState, UnsavedEntries};
pub use drops::{BundleDrop, Drops, NewCatalogs};
pub use edits::{Edits, FieldPlace, UnfinishedFields};
pub use graphs::{GRAPH, SECOND_GRAPH_WIDTH, SecondGraph, TabState};
pub use overlays::{EdgeMenu, Menu, MenuSubject, Overlay, Overlays};
pub use queries::{LatestAnswer, QuerySlot, debounced_query, is_answered, submit_when_ready};
pub use repository::{RepositoryState, TaskDialog};
pub use saving::{Exports, Saving};
pub use templates::{Templates, target_names};
pub use text_steps::TextSteps;
pub use unfinished_work::{RestoreOffer, RestoreQuestion, UnfinishedWork};
pub use view::{CurrentView, DraftQuery, EntrySelection, LaneSettings};
pub use workbench::{Notifications, Preferences, Theme, Workbench, drawer_button};

use super::actions::Actions;
use super::browser::storage;
use super::state::store::SessionStore;
use crate::edits::drafts::KeptInput;
use crate::reactive::{effect, owned_signal};
use crate::state::problems::ProblemListState;
use leptos::prelude::*;
use std::ops::Deref;

/// The state of the page, which lives as long as the page. A copy is a pointer, because the
/// closures of views keep copies: as values, the parts overflow the stack of the page's program.
#[derive(Clone, Copy)]
pub struct AppContext(&'static AppParts);

impl Deref for AppContext {
    type Target = AppParts;

    fn deref(&self) -> &AppParts {
        self.0
    }
}

/// The parts that [`AppContext`] gives access to.
pub struct AppParts {
    pub store: SessionStore,
    pub actions: Actions,
    pub current: CurrentView,
    pub edits: Edits,
    /// Dropped and picked files.
    pub drops: Drops,
    pub saving: Saving,
    /// The arrangement of lanes.
    pub lanes: LaneSettings,
    /// Downloads and the clipboard.
    pub exports: Exports,
    pub templates: Templates,
    /// The open repository.
    pub repository: RepositoryState,
    /// The page's overlays.
    pub overlays: Overlays,
    /// The layout of the workbench.
    pub workbench: Workbench,
    pub preferences: Preferences,
    pub notifications: Notifications,
    /// Entries that are selected together.
    pub selected_entries: EntrySelection,
    /// Package tabs, and edited packages.
    pub tabs: TabState,
    /// The graph beside the focused one.
    pub second_graph: SecondGraph,
    pub draft_query: DraftQuery,
    /// The problem list: filter and open problem.
    pub problem_list: ProblemListState,
    /// Text typed in the source that is not in the session yet.
    pub text_steps: TextSteps,
    /// The comparison of the catalog in view.
    pub comparison: ComparisonState,
    /// Work of earlier visits.
    pub unfinished: UnfinishedWork,
    /// Unapplied text in inspector fields.
    pub unfinished_fields: UnfinishedFields,
    /// Catalogs started in the page.
    pub new_catalogs: NewCatalogs,
}

impl AppContext {
    /// Starts the workers and creates the context.
    pub fn start() -> Self {
        let actions = Actions::start();
        let store = actions.store;
        let (current, tabs) = (CurrentView::new(store), TabState::new(store));
        let (overlays, notifications) = (Overlays::default(), Notifications::default());
        let selected_entries = EntrySelection::default();
        let unfinished_fields = UnfinishedFields::default();
        let edits = Edits::new(actions, overlays, notifications, selected_entries);
        let text_steps = TextSteps::new(store, edits, notifications);
        let exports = Exports::new(actions, current, notifications);
        let repository = RepositoryState::new(actions, overlays, notifications);
        let new_catalogs = NewCatalogs::new(actions);
        let comparison = ComparisonState::new(store);
        let drops = Drops::new(
            actions,
            current,
            edits,
            overlays,
            notifications,
            repository,
            new_catalogs,
        );
        let app = Self(Box::leak(Box::new(AppParts {
            store,
            actions,
            current,
            edits,
            drops,
            saving: Saving {
                store,
                actions,
                current,
                overlays,
                notifications,
                exports,
                text_steps,
                unfinished_fields,
            },
            lanes: LaneSettings::new(store, current),
            exports,
            templates: Templates::new(store, current, overlays, notifications, edits),
            repository,
            overlays,
            workbench: Workbench::load(),
            preferences: Preferences::load(),
            notifications,
            selected_entries,
            tabs,
            second_graph: SecondGraph::new(current, tabs, overlays, notifications, comparison),
            draft_query: DraftQuery::new(store),
            problem_list: ProblemListState::new(store, current.package),
            text_steps,
            comparison,
            unfinished: UnfinishedWork::new(
                actions,
                current,
                notifications,
                repository,
                new_catalogs,
                drops,
            ),
            unfinished_fields,
            new_catalogs,
        })));
        app.selected_entries.follow(store, current);
        app.tabs.follow(current);
        app.second_graph.follow();
        effect(move |_| {
            if actions.reread.get() > 0 {
                app.notifications
                    .toasts
                    .note("Files changed on disk and were read again.");
            }
        });
        effect(move |_| {
            if actions.opened.get() > 0 {
                app.unfinished_fields.forget_all();
                app.overlays.kept.set_value(KeptInput::default());
            }
        });
        // Record typed text before the page may be gone.
        storage::on_hide(move || app.text_steps.write_down());
        app.drops.follow();
        app.repository.follow();
        app.unfinished.follow();
        app.follow_address();
        app
    }
}

/// Returns the context of this page.
pub fn app_context() -> AppContext {
    expect_context::<AppContext>()
}

owned_signal! {
    /// A signal of the context. Everything may read it, and only the context writes it.
    ContextSignal
}
