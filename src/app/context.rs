//! The app context: the session, together with page-only state. It is a handle to parts with one
//! subject each. Panels read the parts and call their methods, or receive the one part they need.
//! A function that needs several parts belongs to the module of its subject, such
//! as [`drops::offer`]; only the few that most components use are methods of the context.

pub mod address;
mod comparison;
pub mod drops;
mod edits;
pub mod navigation;
mod overlays;
mod queries;
pub mod repository;
mod review;
pub mod saving;
pub mod templates;
mod text_steps;
pub mod unfinished_work;
mod view;
mod workbench;

pub use comparison::ComparisonState;
pub use drops::{BundleDrop, DropState};
pub use edits::{FieldPlace, UnfinishedFields};
pub use overlays::{EdgeMenu, Menu, MenuSubject, Overlay, Overlays};
pub use queries::{LatestAnswer, QuerySlot, debounced_query, is_answered, submit_when_ready};
pub use repository::{RepositoryState, TaskDialog};
pub use review::ReviewState;
pub use text_steps::TextSteps;
pub use unfinished_work::{RestoreOffer, RestoreQuestion, UnfinishedWork};
pub use view::{CurrentView, DraftQuery, EntrySelection};
pub use workbench::{Preferences, Theme, Workbench, drawer_button};

use super::browser::storage;
use super::session::{Notifications, Session};
use super::state::store::SessionStore;
use crate::edits::drafts::KeptInput;
use crate::reactive::{effect, owned_signal};
use crate::state::address::HistoryPosition;
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

pub struct AppParts {
    pub session: Session,
    pub store: SessionStore,
    pub notifications: Notifications,
    pub current: CurrentView,
    pub drops: DropState,
    pub repository: RepositoryState,
    pub overlays: Overlays,
    pub workbench: Workbench,
    pub preferences: Preferences,
    /// Entries that are selected together.
    pub selected_entries: EntrySelection,
    pub history: ContextSignal<HistoryPosition>,
    pub draft_query: DraftQuery,
    pub problem_list: ProblemListState,
    /// Text typed in the source that is not in the session yet.
    pub text_steps: TextSteps,
    pub comparison: ComparisonState,
    /// Work of earlier visits.
    pub unfinished: UnfinishedWork,
    /// Unapplied text in inspector fields.
    pub unfinished_fields: UnfinishedFields,
    /// The review, while it is closed.
    pub review: ReviewState,
}

impl AppContext {
    /// Starts the workers and creates the context.
    pub fn start() -> Self {
        let session = Session::start();
        let (store, notifications) = (session.store, session.notifications);
        let current = CurrentView::new(store);
        let overlays = Overlays::default();
        let app = Self(Box::leak(Box::new(AppParts {
            session,
            store,
            notifications,
            current,
            drops: DropState::default(),
            repository: RepositoryState::new(session, overlays),
            overlays,
            workbench: Workbench::load(),
            preferences: Preferences::load(),
            selected_entries: EntrySelection::default(),
            history: ContextSignal::default(),
            draft_query: DraftQuery::new(store),
            problem_list: ProblemListState::new(store, current.package),
            text_steps: TextSteps::new(session),
            comparison: ComparisonState::new(store),
            unfinished: UnfinishedWork::default(),
            unfinished_fields: UnfinishedFields::default(),
            review: ReviewState::default(),
        })));
        app.selected_entries.keep_within_view(store, current);
        effect(move |_| {
            if session.reread.get() > 0 {
                app.notifications
                    .toasts
                    .note("Files changed on disk and were read again.");
            }
        });
        effect(move |_| {
            if session.opened.get() > 0 {
                app.unfinished_fields.forget_all();
                app.overlays.kept.set_value(KeptInput::default());
                app.review.reset_message();
            }
        });
        // Record typed text before the page may be gone.
        storage::on_hide(move || app.text_steps.record_typed());
        app.repository.load_on_change();
        unfinished_work::offer_on_open(app);
        address::sync_address(app);
        app
    }
}

pub fn app_context() -> AppContext {
    expect_context::<AppContext>()
}

owned_signal! {
    /// A signal of the context. Everything may read it, and only the context writes it.
    ContextSignal
}
