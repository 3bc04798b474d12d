//! Opens and applies forms and fixes. Keeps unapplied text of inspector fields when the selection
//! changes, until it is applied, reverted, or another folder is opened.

use super::{AppContext, Overlay, templates};
use crate::browser::time;
use crate::edits::applicable;
use crate::edits::command::{EditCommand, Field};
use crate::edits::entry_choices::z_stream_of_entry;
use crate::edits::form_values::{COMMANDS_FOR_SEVERAL, FormValues, values_for_entries};
use crate::reactive::spawn_local;
use crate::state::element_ids::{SELECTED_NODE, in_place_field};
use crate::state::layout::Pane;
use crate::state::worker_api::AnyQuery;
use crate::widgets::dom;
use futures::FutureExt;
use leptos::prelude::*;
use protocol::Json;
use protocol::diagnostic::Fix;
use protocol::operation::EditOp;
use protocol::query::Apply;
use protocol::request::Target;
use protocol::response::OperationRefusal;

impl AppContext {
    /// Returns the operations of a fix, which name the catalog if several catalogs are open.
    pub fn fix_ops(self, fix: &Fix, catalog: &str) -> Vec<EditOp> {
        let mut ops = fix.ops.clone();
        if untrack(|| self.store.status.has_several_roots()) {
            for op in &mut ops {
                op.catalog_mut().get_or_insert_with(|| catalog.to_owned());
            }
        }
        ops
    }

    /// Confirms a fix with a preview.
    pub fn confirm(self, title: String, ops: Vec<EditOp>) {
        self.overlays.open(Overlay::Confirm { title, ops });
    }

    /// Applies a filled-in dialog. It closes only after the new lanes are painted, since closing
    /// makes the browser restyle the whole page. `on_shown` runs once the edit is
    /// visible, `on_refused` after a refusal.
    pub fn apply_and_close(
        self,
        title: String,
        ops: Vec<EditOp>,
        on_shown: impl FnOnce() + 'static,
        on_refused: impl FnOnce(OperationRefusal) + 'static,
    ) {
        let dialog = self.overlays.overlay.get_untracked();
        let outcome = self.apply_then_close(title, ops, dialog, Box::new(on_shown));
        spawn_local(outcome.map(|outcome| {
            if let Err(refusal) = outcome {
                on_refused(refusal);
            }
        }));
    }

    async fn apply_then_close(
        self,
        title: String,
        ops: Vec<EditOp>,
        dialog: Option<Overlay>,
        on_shown: Box<dyn FnOnce()>,
    ) -> Result<(), OperationRefusal> {
        let close = Box::new(move || {
            on_shown();
            spawn_local(async move {
                time::next_paint_or_timeout().await;
                self.selected_entries.clear();
                // Another overlay may be open by now.
                if self.overlays.overlay.get_untracked() == dialog {
                    self.overlays.close();
                }
                // The edit may have redrawn the element that opened the dialog.
                time::next_paint_or_timeout().await;
                if dom::is_focus_lost() {
                    dom::focus_when_drawn(SELECTED_NODE.to_owned());
                }
            });
        });
        self.session.finish_writing().await;
        let query = AnyQuery::new(Apply {
            ops: Json(ops),
            title,
            view: self.store.view_request(),
        });
        self.session.change(query, close).await
    }

    /// Opens a command's form for the selection. If the command is impossible, explains why, and
    /// offers to convert the template if another kind can express it.
    pub fn open_form(self, command: EditCommand) {
        let refusal = self.current.view.with_untracked(|view| {
            let refused = applicable::refused_form(command, view);
            let (why, is_convertible) = match refused {
                Some(refused) => (&*refused.reason, refused.is_convertible),
                None => (applicable::check_in_package(command, view).err()?, false),
            };
            let name = command.label().trim_end_matches('…');
            Some((format!("{name}: {why}."), is_convertible))
        });
        if let Some((message, is_convertible)) = refusal {
            return if is_convertible {
                templates::convert_template(self, message)
            } else {
                self.notifications.toasts.note(message)
            };
        }
        let picked = self
            .selected_entries
            .picked
            .with_untracked(|picked| picked.entries().to_vec());
        if picked.is_empty() || !COMMANDS_FOR_SEVERAL.contains(&command) {
            self.open_form_with(
                command,
                self.current.target.get_untracked(),
                FormValues::default(),
            );
        } else {
            let values = values_for_entries(command, FormValues::default(), &picked);
            self.open_form_with(command, Target::Package, values);
        }
    }

    /// Opens a command's form for a target. `initial` takes precedence over values that follow from
    /// the target.
    pub fn open_form_with(self, command: EditCommand, target: Target, initial: FormValues) {
        if !self.current.is_open.get_untracked() {
            return;
        }
        let mut values = FormValues::default();
        let root = self.store.root.get_untracked();
        values.set(Field::Catalog, self.current.name_of_catalog(&root));
        match command {
            // A new package in an empty catalog uses the file chosen with the catalog.
            EditCommand::AddPackage => {
                values.set(Field::File, self.drops.first_package_file(&root))
            }
            _ => values.set(Field::Package, self.current.package.get_untracked()),
        }
        let default_channel = self
            .current
            .view
            .with_untracked(|view| view.default_channel.clone());
        values.fill_from(command, &target, &default_channel);
        if let (EditCommand::ReplaceStream, Target::Entry { name, .. }) = (command, &target) {
            let stream = self
                .current
                .view
                .with_untracked(|view| z_stream_of_entry(view, name));
            values.set(Field::Stream, stream.unwrap_or_default());
        }
        values.overlay(&initial);
        let to = self.current.view.with_untracked(|view| {
            let to = values.get(Field::ToChannel);
            view.promotion_target(to).to_owned()
        });
        values.set(Field::ToChannel, to);
        self.overlays.open(Overlay::Form { command, values });
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct FieldPlace {
    pub root: String,
    pub package: String,
    pub target: Target,
    pub field: &'static str,
}

impl FieldPlace {
    /// Describes the field, such as `Deprecation of channel fast`.
    pub fn describe(&self) -> String {
        let (field, package) = (self.field, &self.package);
        match &self.target {
            Target::Package | Target::Problem { .. } => format!("{field} of package {package}"),
            Target::Channel { channel } => format!("{field} of channel {channel} of {package}"),
            Target::Entry { channel, name } => format!("{field} of {name} in {channel}"),
            Target::Bundle { name } => format!("{field} of bundle {name}"),
        }
    }
}

/// Unapplied text in inspector fields.
#[derive(Debug, Clone, Copy, Default)]
pub struct UnfinishedFields {
    texts: RwSignal<Texts>,
    /// The field whose text was discarded outside of the inspector.
    discarded: RwSignal<Option<FieldPlace>>,
}

#[derive(Debug, Default)]
struct Texts(Vec<(FieldPlace, String)>);

impl Texts {
    fn get(&self, place: &FieldPlace) -> Option<&String> {
        self.0
            .iter()
            .find(|(field, _)| field == place)
            .map(|(_, text)| text)
    }

    fn keep(&mut self, place: FieldPlace, text: Option<String>) {
        self.0.retain(|(field, _)| *field != place);
        self.0.extend(text.map(|text| (place, text)));
    }
}

impl UnfinishedFields {
    /// Returns the unfinished text of a field, untracked.
    pub fn get(self, place: &FieldPlace) -> Option<String> {
        self.texts.with_untracked(|texts| texts.get(place).cloned())
    }

    /// Returns all fields with unapplied text, oldest first.
    pub fn places(self) -> Vec<FieldPlace> {
        self.texts
            .with(|texts| texts.0.iter().map(|(place, _)| place.clone()).collect())
    }

    /// Keeps a field's unapplied text; `None` if it was applied or reverted.
    pub fn keep(self, place: FieldPlace, text: Option<String>) {
        if text.is_some() && untrack(|| self.is_discarded(&place)) {
            self.discarded.set(None);
        }
        self.texts.update(|texts| texts.keep(place, text));
    }

    /// Discards a field's text from outside of the inspector.
    pub fn discard(self, place: FieldPlace) {
        self.keep(place.clone(), None);
        self.discarded.set(Some(place));
    }

    pub fn is_discarded(self, place: &FieldPlace) -> bool {
        self.discarded
            .with(|discarded| discarded.as_ref() == Some(place))
    }

    pub(super) fn forget_all(self) {
        self.texts.update(|texts| texts.0.clear());
    }
}

impl AppContext {
    /// Shows and focuses an inspector field.
    pub fn show_field(self, place: FieldPlace) {
        self.overlays.close();
        spawn_local(async move {
            let FieldPlace {
                root,
                package,
                target,
                field,
            } = place;
            self.selected_entries.start_at(None);
            self.store.show_target(&root, &package, target).await;
            self.workbench.show_pane(Pane::Inspector);
            dom::focus_id_when_drawn(&in_place_field(field));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(target: Target, field: &'static str) -> FieldPlace {
        FieldPlace {
            root: "c".into(),
            package: "p".into(),
            target,
            field,
        }
    }

    #[test]
    fn each_field_of_each_object_keeps_its_own_text() {
        let place = |name: &str, field| place(Target::Bundle { name: name.into() }, field);
        let mut texts = Texts::default();
        texts.keep(place("p.v1", "Deprecation"), Some("Move".into()));
        texts.keep(place("p.v1", "Deprecation"), Some("Move on".into()));
        assert_eq!(
            texts.get(&place("p.v1", "Deprecation")).map(String::as_str),
            Some("Move on")
        );
        assert_eq!(texts.get(&place("p.v2", "Deprecation")), None);
        assert_eq!(texts.get(&place("p.v1", "Replaces")), None);
        texts.keep(place("p.v1", "Deprecation"), None);
        assert!(texts.0.is_empty());
    }

    #[test]
    fn a_field_is_named_with_its_object() {
        let (channel, name) = (String::from("fast"), String::from("p.v1"));
        let name_of = |target| place(target, "Deprecation").describe();
        assert_eq!(name_of(Target::Package), "Deprecation of package p");
        assert_eq!(
            name_of(Target::Channel {
                channel: channel.clone()
            }),
            "Deprecation of channel fast of p"
        );
        assert_eq!(
            name_of(Target::Bundle { name: name.clone() }),
            "Deprecation of bundle p.v1"
        );
        assert_eq!(
            name_of(Target::Entry { channel, name }),
            "Deprecation of p.v1 in fast"
        );
    }
}
