//! The app context: the workspace store and actions, together with page-only state. It is a handle
//! to parts with one subject each. Only a part's own methods write its signals; methods of the
//! context itself need more than one part. Panels read the parts and call their methods, or take
//! the single part they need.

mod address_sync;
mod comparison;
mod context_signal;
mod create_catalog;
mod current_view;
mod debounced_query;
mod draft_query;
mod drop_queue;
mod edit_actions;
mod entry_selection;
mod entry_selection_state;
mod exports;
mod lane_settings;
mod manifest_questions;
mod navigation;
mod notifications;
mod opening;
mod overlays;
mod package_tabs;
mod preferences;
pub mod render_commands;
mod repository;
mod save_commands;
mod second_graph;
mod submit_when_ready;
mod subset_commands;
pub mod text_steps;
mod theme;
mod try_on_cluster;
mod typing_run;
mod unfinished_fields;
mod unfinished_work;
mod workbench;

pub use comparison::{ComparisonState, UnsavedEntries};
pub use create_catalog::NewCatalogs;
pub use current_view::CurrentView;
pub use debounced_query::{InputPace, QuerySlot, debounced_query};
pub use draft_query::DraftQuery;
pub use drop_queue::BundleDrop;
pub use edit_actions::Edits;
pub use entry_selection::SelectedEntries;
pub use entry_selection_state::EntrySelection;
pub use exports::Exports;
pub use lane_settings::LaneSettings;
pub use notifications::Notifications;
pub use overlays::{EdgeMenu, Menu, MenuSubject, Overlay, Overlays};
pub use package_tabs::TabState;
pub use preferences::Preferences;
pub use render_commands::Templates;
pub use repository::{RepositoryState, TaskDialog};
pub use second_graph::{GRAPH, SECOND_GRAPH_WIDTH, SecondGraph};
pub use submit_when_ready::{LatestAnswer, is_answered, submit_when_ready};
pub use theme::Theme;
pub use unfinished_fields::{FieldPlace, UnfinishedFields};
pub use unfinished_work::{RestoreOffer, RestoreQuestion, UnfinishedWork};
pub use workbench::{Workbench, drawer_button};

use super::actions::Actions;
use super::browser::local_storage;
use super::state::store::WorkspaceStore;
use crate::edits::kept_dialogs::KeptDialogs;
use crate::edits::kept_forms::KeptForms;
use crate::reactive::effect;
use crate::state::problems::ProblemListState;
use leptos::prelude::*;
use text_steps::TextSteps;

#[derive(Clone, Copy)]
pub struct AppContext {
    pub store: WorkspaceStore,
    pub actions: Actions,
    pub current: CurrentView,
    pub edits: Edits,
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
    /// Text typed in the source that is not in the workspace yet.
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
        let edits = Edits::new(actions, overlays, notifications, selected_entries);
        let exports = Exports::new(actions, current, notifications);
        let repository = RepositoryState::new(actions, overlays, notifications);
        let new_catalogs = NewCatalogs::new(actions);
        let app = Self {
            store,
            actions,
            current,
            edits,
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
            second_graph: SecondGraph::new(store, tabs),
            draft_query: DraftQuery::new(store),
            problem_list: ProblemListState::new(store, current.package),
            text_steps: TextSteps::default(),
            comparison: ComparisonState::new(store),
            unfinished: UnfinishedWork::new(
                actions,
                current,
                notifications,
                exports,
                repository,
                new_catalogs,
            ),
            unfinished_fields: UnfinishedFields::default(),
            new_catalogs,
        };
        app.selected_entries.follow(store, current);
        app.tabs.follow(current);
        app.second_graph.follow(store);
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
                app.overlays.kept_forms().set_value(KeptForms::default());
                app.overlays
                    .kept_dialogs()
                    .set_value(KeptDialogs::default());
            }
        });
        // Record typed text before the page may be gone.
        local_storage::on_hide(move || app.text_steps.write_down(app));
        app.follow_waiting_drops();
        app.repository.follow();
        app.unfinished.follow();
        app.follow_address();
        app
    }
}

/// The context of this page.
pub fn app_context() -> AppContext {
    expect_context::<AppContext>()
}
