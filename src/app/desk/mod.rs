//! The desk: the session and what can be done, joined with what is only of the page. It is a handle on parts of one subject
//! each, whose signals are written by their own methods; what it does itself takes more than one of them. Panels read the
//! parts and call what is done, or take the one part that they need.

mod acts;
mod address;
mod asked;
mod beside;
mod comparing;
mod held;
mod latest;
mod looks;
mod opened;
mod opening;
mod over;
mod picked;
mod picking;
mod pictures;
mod saving;
mod showing;
mod shown;
pub mod steps;
mod taking;
mod theme;
mod told;
mod tour;
mod unfinished;
mod workbench;

pub use asked::Asked;
pub use beside::{BESIDE_WIDTH, Beside, GRAPH};
pub use comparing::{Comparing, Unsaved};
pub use latest::{Turn, latest};
pub use looks::Looks;
pub use opened::Tabs;
pub use over::{EdgeMenu, Menu, MenuOf, Over, Overlay};
pub use picked::Picked;
pub use picking::Picking;
pub use shown::Shown;
pub use theme::Theme;
pub use told::Told;
pub use tour::Touring;
pub use unfinished::{Offer, Question, Unfinished};
pub use workbench::{Workbench, drawer_button};

use super::actions::Actions;
use super::browser::keep;
use super::state::session::Session;
use crate::state::problems::ProblemListState;
use leptos::prelude::*;
use steps::Steps;

#[derive(Clone, Copy)]
pub struct Desk {
    pub session: Session,
    actions: Actions,
    pub shown: Shown,
    /// What lies over the page.
    pub over: Over,
    /// How the workbench is divided.
    pub workbench: Workbench,
    pub looks: Looks,
    pub told: Told,
    pub tour: Touring,
    /// Entries that are selected together.
    pub picked: Picking,
    /// Packages that are open in tabs, and which are edited.
    pub tabs: Tabs,
    /// The graph that is shown beside the one in focus.
    pub beside: Beside,
    pub asked: Asked,
    /// The list of problems: its filter, and what is open in it.
    pub problem_list: ProblemListState,
    /// What was typed in the source, on its way to the workspace.
    pub text_steps: Steps,
    /// The catalog in view against another.
    pub comparing: Comparing,
    /// Work of earlier visits.
    pub unfinished: Unfinished,
}

impl Desk {
    /// A desk with a worker behind it.
    pub fn start() -> Self {
        let actions = Actions::start();
        let session = actions.session;
        let (shown, tabs) = (Shown::of(session), Tabs::default());
        let desk = Self {
            session,
            actions,
            shown,
            over: Over::default(),
            workbench: Workbench::kept(),
            looks: Looks::kept(),
            told: Told::default(),
            tour: Touring::default(),
            picked: Picking::default(),
            tabs,
            beside: Beside::new(session, tabs),
            asked: Asked::of(session),
            problem_list: ProblemListState::new(session, shown.package),
            text_steps: Steps::default(),
            comparing: Comparing::new(session),
            unfinished: Unfinished::default(),
        };
        desk.picked.follow(session, shown);
        desk.follow_opened();
        desk.beside.follow(session);
        Effect::new(move |_| {
            if actions.reread.get() > 0 {
                desk.told.toasts.note("Files changed on disk and were read again.");
            }
        });
        // What is typed is written down before the page may be gone.
        keep::on_hide(move || desk.text_steps.tell(desk));
        desk.follow_unfinished();
        desk.follow_address();
        desk
    }
}

/// The desk of this page.
pub fn desk() -> Desk {
    expect_context::<Desk>()
}
