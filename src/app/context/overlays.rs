//! Overlays of the page: a dialog or a context menu, with their subjects.

use super::ContextSignal;
use super::repository::TaskDialog;
use crate::edits::command::EditCommand;
use crate::edits::drafts::KeptInput;
use crate::edits::form_values::FormValues;
use crate::state::entries::EdgeKind;
use leptos::prelude::*;
use protocol::diagnostic::Location;
use protocol::manifests::DroppedManifests;
use protocol::operation::EditOp;
use protocol::request::Target;
use protocol::views::EntryRef;

/// An overlay of the page, with its subject.
#[derive(Debug, Clone, PartialEq)]
pub enum Overlay {
    Palette,
    Form {
        command: EditCommand,
        values: FormValues,
    },
    /// Operations without a form: a fix, or a typed change.
    Confirm {
        title: String,
        ops: Vec<EditOp>,
    },
    Review,
    /// The dialog *Save a part as…*.
    SaveSubset,
    /// A template's target catalogs. `adds`: the dialog asks for the name of another one.
    RenderTargets {
        template: String,
        adds: bool,
    },
    /// The dialog *Convert template…*. `because`: why an edit needs the conversion; "" for none.
    ConvertTemplate {
        template: String,
        because: String,
    },
    /// The dialog *Make a template…* for a catalog; `package` is the one in view, "" for none.
    MakeTemplate {
        root: String,
        package: String,
    },
    /// The dialog *Try on a cluster…* for the selection.
    TryOnCluster,
    /// How to begin, and the keys.
    Help,
    /// Asks how to open files that were dropped or picked while a session is open.
    DropDialog,
    /// The form for dropped bundles ([`super::DropState::bundles`]).
    Bundles,
    /// The list of dropped Subscriptions and ClusterExtensions.
    Manifests(DroppedManifests),
    /// The form for a new catalog, possibly for dropped bundles.
    NewCatalog,
    Repository(TaskDialog),
}

impl Overlay {
    /// Whether another overlay would discard the user's input.
    fn has_user_input(&self) -> bool {
        !matches!(
            self,
            Overlay::Palette | Overlay::Help | Overlay::Manifests(_)
        )
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Menu {
    pub subject: MenuSubject,
    /// Pixels from the top left corner of the window.
    pub position: (i32, i32),
}

/// The object that a menu belongs to.
#[derive(Debug, Clone, PartialEq)]
pub enum MenuSubject {
    Object(Target),
    /// The multiple selection.
    SelectedEntries,
    /// A y-stream such as `1.29`.
    Stream(String),
    Edge(EdgeMenu),
    /// A removed entry, or a removed channel if the name is "".
    Removed(EntryRef),
}

/// An edge of the graph for its menu.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeMenu {
    pub kind: EdgeKind,
    /// The entry that defines it.
    pub entry: EntryRef,
    pub location: Location,
}

#[derive(Clone, Copy, Default)]
pub struct Overlays {
    pub overlay: ContextSignal<Option<Overlay>>,
    pub menu: ContextSignal<Option<Menu>>,
    pub kept: StoredValue<KeptInput>,
    /// Callback that stores the input of the open form.
    save_input: StoredValue<Option<Callback<()>>>,
}

impl Overlays {
    pub fn open(self, overlay: Overlay) {
        self.overlay.set(Some(overlay));
    }

    pub fn close(self) {
        self.overlay.set(None);
    }

    pub fn open_menu(self, subject: MenuSubject, position: (i32, i32)) {
        self.menu.set(Some(Menu { subject, position }));
    }

    pub fn close_menu(self) {
        self.menu.set(None);
    }

    /// Whether an overlay with user input is open; untracked.
    pub(super) fn has_user_input(self) -> bool {
        self.overlay
            .with_untracked(|overlay| overlay.as_ref().is_some_and(Overlay::has_user_input))
    }

    /// Whether the form that accepts bundle files is open; untracked.
    pub(super) fn asks_for_bundle(self) -> bool {
        self.overlay.with_untracked(|overlay| {
            matches!(
                overlay,
                Some(Overlay::Form {
                    command: EditCommand::AddBundle,
                    ..
                })
            )
        })
    }

    /// Registers an opened form: `save_input` stores its input if it must close.
    pub fn register_form(self, save_input: Callback<()>) {
        self.save_input.set_value(Some(save_input));
    }

    /// Closes the form so that the files it asks for can be handled. Its input is restored when it
    /// opens again.
    pub fn close_for_files(self) {
        if let Some(save_input) = self.save_input.try_update_value(Option::take).flatten() {
            save_input.try_run(());
        }
        self.close();
    }
}
