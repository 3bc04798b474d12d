//! The desk: the session and what can be done, joined with what is only of the page, such as what lies over it. Panels
//! read its signals and call its methods. It is a handful of handles, so that it can be copied into any handler.

mod acts;
mod address;
mod beside;
mod comparing;
mod frame;
mod latest;
mod opened;
mod picked;
mod pictures;
mod saving;
pub mod steps;
mod theme;
mod tour;
mod unfinished;

pub use beside::{BESIDE_WIDTH, Beside, GRAPH};
pub use comparing::{Comparing, Unsaved};
pub use frame::drawer_button;
pub use latest::{Turn, latest};
pub use picked::Picked;
pub use theme::Theme;
pub use unfinished::{Offer, Question, Unfinished};

use super::actions::Actions;
use super::browser::keep;
use super::browser::marks;
use super::browser::printing;
use super::browser::tree::Tree;
use super::state::frame::{Frame, Pane};
use super::state::opened::{Edited, Place};
use super::state::session::{Look, Phase, Progress, Session};
use super::state::tour::Tour;
use super::widgets::toast::Toasts;
use crate::edits::command::EditCommand;
use crate::edits::values::FormValues;
use crate::state::edge_kind::EdgeKind;
use crate::state::problems::Board;
use leptos::prelude::*;
use protocol::diagnostic::Location;
use protocol::lanes::Lanes;
use protocol::operation::EditOp;
use protocol::request::Target;
use protocol::response::PackageView;
use protocol::views::{EntryRef, UpgradeQuestion};
use std::sync::Arc;
use steps::Steps;

/// What lies over the page.
#[derive(Debug, Clone, PartialEq)]
pub enum Overlay {
    Palette,
    Form {
        command: EditCommand,
        values: FormValues,
    },
    /// Operations that need no form: a fix, a typed change.
    Confirm {
        title: String,
        ops: Vec<EditOp>,
    },
    Review,
    Keys,
    /// What was said in this visit.
    Messages,
    /// Files were dropped over an open workspace.
    Dropped,
}

/// A context menu, and where it was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Menu {
    pub of: MenuOf,
    pub at: (i32, i32),
}

/// What a menu is of.
#[derive(Debug, Clone, PartialEq)]
pub enum MenuOf {
    Thing(Target),
    /// All entries that are selected together.
    Picked,
    /// A y-stream, as `1.29`.
    Stream(String),
    Edge(EdgeMenu),
    /// A long chain of these names.
    Chain(Vec<String>),
    /// An entry that is removed, or with the name "" a channel.
    Removed(EntryRef),
}

/// An edge of the graph, as its menu needs it.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeMenu {
    pub kind: EdgeKind,
    /// The entry that says it.
    pub entry: EntryRef,
    pub location: Location,
}

#[derive(Clone, Copy)]
pub struct Desk {
    pub session: Session,
    actions: Actions,
    pub toasts: Toasts,
    /// What the keys did, for who cannot see it.
    pub said: RwSignal<String>,
    pub overlay: RwSignal<Option<Overlay>>,
    pub menu: RwSignal<Option<Menu>>,
    /// Entries that are selected together.
    pub picked: RwSignal<Picked>,
    pub theme: RwSignal<Theme>,
    /// How the workbench is divided.
    pub frame: RwSignal<Frame>,
    /// Whether the page is being printed: then all of what is in view is drawn.
    pub printing: RwSignal<bool>,
    /// Whether a large graph has its map.
    pub minimap: RwSignal<bool>,
    /// The panel that lies over the centre of a narrow window.
    pub drawer: RwSignal<Option<Pane>>,
    pub tour: RwSignal<Tour>,
    /// Packages that are open in tabs.
    pub opened: RwSignal<opened::Packages>,
    /// The graph that is shown beside the one in focus.
    pub beside: Beside,
    /// Packages with unsaved edits, whatever catalog is in view.
    pub edited: RwSignal<Edited>,
    /// What was shown before the menu of a package of the list brought that into view.
    before_menu: StoredValue<Option<(Place, Look)>>,
    /// Whether single letters are commands.
    pub letter_keys: RwSignal<bool>,
    /// Whether there is a workspace, also while another one is being opened.
    pub is_open: Memo<bool>,
    /// How far an open has come; `None` when nothing is being opened.
    pub progress: Memo<Option<Progress>>,
    /// How long the last open took.
    pub open_ms: RwSignal<f64>,
    /// Name of the package in view, "" when there is none.
    pub package: Memo<String>,
    /// The package in view; empty until it is known.
    pub view: Signal<Arc<PackageView>>,
    pub lanes: Memo<Arc<Lanes>>,
    /// What is selected; the package itself when nothing else is.
    pub target: Memo<Target>,
    /// What stands in the field *Version range* and is not asked for yet.
    pub typed_range: RwSignal<Option<String>>,
    /// The question with the range as it is being typed.
    pub typed_question: Memo<UpgradeQuestion>,
    /// The list of problems: its filter, and what is open in it.
    pub board: Board,
    /// What was typed in the source, on its way to the workspace.
    pub text_steps: Steps,
    /// Counts what was asked to be shown of problems, so that an earlier answer does not undo a later one.
    shown_problems: StoredValue<u32>,
    /// The catalog in view against another.
    pub comparing: Comparing,
    /// Work of earlier visits.
    pub unfinished: Unfinished,
    /// Operations that a drag under way would come to.
    pub would_be: RwSignal<Vec<EditOp>>,
    /// What was dropped over an open workspace and waits for an answer.
    dropped: StoredValue<Option<Tree>, LocalStorage>,
}

impl Desk {
    /// A desk with a worker behind it.
    pub fn start() -> Self {
        let actions = Actions::start();
        let session = actions.session;
        let view = Signal::derive(move || session.view.get().unwrap_or_default());
        let typed_range = RwSignal::new(None::<String>);
        let (opened, edited) = (RwSignal::default(), RwSignal::default());
        let package = Memo::new(move |_| session.package.get().unwrap_or_default());
        let desk = Self {
            session,
            actions,
            toasts: Toasts::default(),
            said: RwSignal::default(),
            overlay: RwSignal::new(None),
            menu: RwSignal::new(None),
            picked: RwSignal::default(),
            theme: RwSignal::new(keep::preference("theme").map_or(Theme::System, |name| Theme::named(&name))),
            frame: RwSignal::new(frame::kept()),
            printing: RwSignal::new(false),
            minimap: RwSignal::new(frame::has_minimap()),
            drawer: RwSignal::new(None),
            tour: RwSignal::default(),
            opened,
            beside: Beside::new(session, opened, edited),
            edited,
            before_menu: StoredValue::default(),
            letter_keys: RwSignal::new(keep::preference("letter-keys").is_none_or(|value| value != "off")),
            is_open: Memo::new(move |_| {
                session.phase.with(|phase| *phase == Phase::Open)
                    || session.status.with(|status| status.files > 0 || !status.roots.is_empty())
            }),
            progress: Memo::new(move |_| match session.phase.get() {
                Phase::Opening(progress) => Some(progress),
                Phase::Empty | Phase::Open => None,
            }),
            open_ms: RwSignal::new(0.0),
            package,
            view,
            // The lanes are taken over once for each view; comparing them would cost more than drawing them again.
            lanes: Memo::new_with_compare(
                move |_| session.view.with(|view| view.as_ref().map(|view| view.lanes.clone()).unwrap_or_default()),
                |_, _| true,
            ),
            target: Memo::new(move |_| session.selection.get().unwrap_or(Target::Package)),
            typed_range,
            typed_question: Memo::new(move |_| {
                let question = session.question.get();
                match typed_range.get() {
                    Some(range) => UpgradeQuestion { range: range.trim().to_owned(), ..question },
                    None => question,
                }
            }),
            board: Board::new(session, package),
            text_steps: Steps::default(),
            shown_problems: StoredValue::default(),
            comparing: Comparing::new(session),
            unfinished: Unfinished::default(),
            would_be: RwSignal::new(Vec::new()),
            dropped: StoredValue::new_local(None),
        };
        printing::follow(move |on| {
            desk.printing.try_set(on);
        });
        desk.time_opens();
        desk.keep_picked();
        desk.follow_opened();
        desk.beside.follow(session);
        Effect::new(move |_| {
            if actions.reread.get() > 0 {
                desk.toasts.note("Files changed on disk and were read again.");
            }
        });
        // What is typed is written down before the page may be gone.
        keep::on_hide(move || desk.text_steps.tell(desk));
        desk.follow_unfinished();
        desk.follow_address();
        desk
    }

    /// The selected entry, for the lanes and the table.
    pub fn selected_entry(self) -> Option<EntryRef> {
        match self.target.get() {
            Target::Entry { channel, name } => Some(EntryRef { channel, name }),
            _ => None,
        }
    }

    pub fn set_theme(self, theme: Theme) {
        keep::set_preference("theme", theme.name());
        self.theme.set(theme);
    }

    pub fn set_letter_keys(self, on: bool) {
        keep::set_preference("letter-keys", if on { "on" } else { "off" });
        self.letter_keys.set(on);
    }

    /// Tells it to who cannot see it; the same once more too.
    pub fn say(self, text: String) {
        let is_same = self.said.with_untracked(|said| *said == text && !text.is_empty());
        self.said.set(if is_same { format!("{text}\u{a0}") } else { text });
    }

    pub fn close_overlay(self) {
        self.overlay.set(None);
    }

    /// What is selected together is of the package in view, and there.
    fn keep_picked(self) {
        let shown = Memo::new(move |_| (self.session.root.get(), self.package.get()));
        Effect::new(move |before: Option<(String, String)>| {
            let shown = shown.get();
            if before.as_ref().is_some_and(|before| *before != shown) {
                self.picked.update(Picked::clear);
            }
            shown
        });
        Effect::new(move |_| {
            let view = self.view.get();
            if self.picked.with_untracked(Picked::is_empty) {
                return;
            }
            let is_there =
                |entry: &EntryRef| view.table.iter().any(|row| row.channel == entry.channel && row.entry == entry.name);
            let mut kept = self.picked.get_untracked();
            if kept.keep(is_there) {
                self.picked.set(kept);
            }
        });
    }

    fn time_opens(self) {
        Effect::new(move |started: Option<Option<f64>>| {
            let is_opening = self.progress.with(Option::is_some);
            match (started.flatten(), is_opening) {
                (None, true) => Some(marks::now()),
                (Some(start), false) => {
                    self.open_ms.set(marks::now() - start);
                    None
                }
                (started, _) => started,
            }
        });
    }
}

/// The desk of this page.
pub fn desk() -> Desk {
    expect_context::<Desk>()
}
