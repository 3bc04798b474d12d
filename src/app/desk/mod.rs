//! The desk: what the page holds and what it can be asked to do. Panels read its signals and call its methods; only the
//! desk talks to the worker. All of it is a handful of signals, so that a desk can be copied into any handler.

mod edit;
mod files;
mod look;
mod recovery;
mod taking_out;

use super::browser::keep;
use super::browser::tree::Tree;
use super::client::{Answer, Client, Lost};
use super::panels::forms::command::EditCommand;
use super::panels::forms::values::FormValues;
use super::state::journal::Step;
use super::widgets::toast::Toasts;
use crate::fbc::diagnostic::Diagnostic;
use crate::fbc::edit::op::EditOp;
use crate::protocol::RequestBody;
use crate::protocol::lanes::Lanes;
use crate::protocol::request::{LaneOptions, Target};
use crate::protocol::response::PackageView;
use crate::protocol::views::{Consequences, EntryRef, Inspection, PackageRow, RootRow, Status, UpgradeQuestion};
use leptos::prelude::*;
use std::sync::Arc;

/// How far an open has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    pub bytes: u64,
    pub total_bytes: u64,
    pub files: u32,
    pub total_files: u32,
}

/// The views of the centre.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Centre {
    #[default]
    Graph,
    Table,
    Source,
}

/// A place to show in *Source*. `file` is relative to the root.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourcePlace {
    pub root: String,
    pub file: String,
    pub line: u32,
    pub end_line: u32,
}

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
    /// Files were dropped over an open workspace.
    Dropped,
}

/// A context menu, and where it was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Menu {
    pub target: Target,
    pub at: (i32, i32),
}

/// The last edit, until the next one or until it is dismissed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LastEdit {
    pub title: String,
    pub consequences: Consequences,
    /// False after an undo or redo: then there is nothing beside it to undo.
    pub can_undo: bool,
}

/// Something that went wrong in the machinery, with the operations that can be taken out.
#[derive(Debug, Clone, PartialEq)]
pub struct Trouble {
    pub text: String,
    pub steps: Vec<Step>,
    /// Nothing works any more until the page is loaded again.
    pub fatal: bool,
}

#[derive(Clone, Copy)]
pub struct Desk {
    client: StoredValue<Option<Client>, LocalStorage>,
    /// What was dropped or picked, to look at the disk again.
    tree: StoredValue<Tree, LocalStorage>,
    /// What was dropped over an open workspace and waits for an answer.
    dropped: StoredValue<Option<Tree>, LocalStorage>,
    /// Counts questions, so that a late answer can be told from the last one.
    tickets: StoredValue<Tickets>,
    pub toasts: Toasts,
    pub is_open: RwSignal<bool>,
    pub progress: RwSignal<Option<Progress>>,
    /// Why an open gave nothing; "" when there is nothing to say.
    pub notice: RwSignal<String>,
    pub open_ms: RwSignal<f64>,
    pub status: RwSignal<Status>,
    pub root: RwSignal<String>,
    pub package: RwSignal<String>,
    pub rows: RwSignal<Arc<Vec<PackageRow>>>,
    /// The package in view, without its lanes.
    pub view: RwSignal<Arc<PackageView>>,
    pub lanes: RwSignal<Arc<Lanes>>,
    pub target: RwSignal<Target>,
    pub inspection: RwSignal<Option<Arc<Inspection>>>,
    pub problems: RwSignal<Arc<Vec<Diagnostic>>>,
    pub question: RwSignal<UpgradeQuestion>,
    pub options: RwSignal<LaneOptions>,
    pub centre: RwSignal<Centre>,
    pub place: RwSignal<SourcePlace>,
    pub overlay: RwSignal<Option<Overlay>>,
    pub menu: RwSignal<Option<Menu>>,
    pub last_edit: RwSignal<Option<LastEdit>>,
    pub troubles: RwSignal<Vec<Trouble>>,
    pub changed_on_disk: RwSignal<Vec<String>>,
    pub theme: RwSignal<Theme>,
    /// Whether single letters are commands.
    pub letter_keys: RwSignal<bool>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Tickets {
    view: u64,
    inspection: u64,
    root: u64,
    /// When an open began whose graph is not painted yet.
    first_graph: Option<f64>,
    looking: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    pub fn name(self) -> &'static str {
        match self {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    pub fn next(self) -> Self {
        match self {
            Theme::System => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::System,
        }
    }

    fn named(name: &str) -> Self {
        match name {
            "light" => Theme::Light,
            "dark" => Theme::Dark,
            _ => Theme::System,
        }
    }
}

impl Desk {
    /// A desk with a worker behind it.
    pub fn start() -> Self {
        let desk = Self {
            client: StoredValue::new_local(None),
            tree: StoredValue::new_local(Tree::default()),
            dropped: StoredValue::new_local(None),
            tickets: StoredValue::new(Tickets::default()),
            toasts: Toasts::default(),
            is_open: RwSignal::new(false),
            progress: RwSignal::new(None),
            notice: RwSignal::new(String::new()),
            open_ms: RwSignal::new(0.0),
            status: RwSignal::new(Status::default()),
            root: RwSignal::new(String::new()),
            package: RwSignal::new(String::new()),
            rows: RwSignal::new(Arc::default()),
            view: RwSignal::new(Arc::default()),
            lanes: RwSignal::new(Arc::default()),
            target: RwSignal::new(Target::Package),
            inspection: RwSignal::new(None),
            problems: RwSignal::new(Arc::default()),
            question: RwSignal::new(UpgradeQuestion::default()),
            options: RwSignal::new(LaneOptions { fold: true, ..LaneOptions::default() }),
            centre: RwSignal::new(Centre::default()),
            place: RwSignal::new(SourcePlace::default()),
            overlay: RwSignal::new(None),
            menu: RwSignal::new(None),
            last_edit: RwSignal::new(None),
            troubles: RwSignal::new(Vec::new()),
            changed_on_disk: RwSignal::new(Vec::new()),
            theme: RwSignal::new(keep::preference("theme").map_or(Theme::System, |name| Theme::named(&name))),
            letter_keys: RwSignal::new(keep::preference("letter-keys").is_none_or(|value| value != "off")),
        };
        let client = Client::start(move |event| desk.on_event(event));
        desk.client.set_value(Some(client));
        keep::ask_before_leaving(move || desk.has_edits());
        keep::on_return(move || desk.look_at_disk());
        desk
    }

    /// Asks the worker; a loss is shown to the user and is `None`.
    pub async fn ask(self, body: RequestBody) -> Option<Answer> {
        let client = self.client.get_value()?;
        match client.ask(body).await {
            Ok(answer) => Some(answer),
            // Both are told by events of the client as well, with what can be done.
            Err(Lost::SetAside { message } | Lost::NoWorker { message }) => {
                self.toasts.error(format!("No answer: {message}"));
                None
            }
        }
    }

    pub fn has_edits(self) -> bool {
        self.status.try_with_untracked(|status| !status.changed_files.is_empty()).unwrap_or(false)
    }

    /// The row of the catalog in view.
    pub fn root_row(self) -> Option<RootRow> {
        let root = self.root.get();
        self.status.with(|status| status.roots.iter().find(|row| row.root == root).cloned())
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

    pub fn close_overlay(self) {
        self.overlay.set(None);
    }
}

/// The desk of this page.
pub fn desk() -> Desk {
    expect_context::<Desk>()
}
