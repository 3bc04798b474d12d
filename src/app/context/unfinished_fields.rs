//! Unapplied text in inspector fields: it stays with its field when the selection changes, until it
//! is applied, reverted, or another folder is opened. Saving mentions it first.

use super::AppContext;
use crate::state::element_ids::in_place_field;
use crate::state::panel_layout::Pane;
use crate::widgets::dom;
use leptos::prelude::*;
use protocol::request::Target;
use wasm_bindgen_futures::spawn_local;

/// A field of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldPlace {
    pub root: String,
    pub package: String,
    pub target: Target,
    pub field: &'static str,
}

impl FieldPlace {
    /// `Deprecation of channel fast`.
    pub fn in_words(&self) -> String {
        let (field, package) = (self.field, &self.package);
        match &self.target {
            Target::Package | Target::Problem { .. } => format!("{field} of package {package}"),
            Target::Channel { channel } => format!("{field} of channel {channel} of {package}"),
            Target::Entry { channel, name } => format!("{field} of {name} in {channel}"),
            Target::Bundle { name } => format!("{field} of bundle {name}"),
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
pub struct UnfinishedFields {
    texts: RwSignal<Texts>,
    /// The field whose text was discarded elsewhere.
    discarded: RwSignal<Option<FieldPlace>>,
}

#[derive(Debug, Default)]
struct Texts(Vec<(FieldPlace, String)>);

impl Texts {
    fn get(&self, place: &FieldPlace) -> Option<&String> {
        self.0
            .iter()
            .find(|(of, _)| of == place)
            .map(|(_, text)| text)
    }

    fn keep(&mut self, place: FieldPlace, text: Option<String>) {
        self.0.retain(|(of, _)| *of != place);
        self.0.extend(text.map(|text| (place, text)));
    }
}

impl UnfinishedFields {
    pub fn get(self, place: &FieldPlace) -> Option<String> {
        self.texts.with_untracked(|texts| texts.get(place).cloned())
    }

    /// All fields with unapplied text, oldest first.
    pub fn places(self) -> Vec<FieldPlace> {
        self.texts
            .with(|texts| texts.0.iter().map(|(place, _)| place.clone()).collect())
    }

    /// `None`: the text was applied or reverted.
    pub fn keep(self, place: FieldPlace, text: Option<String>) {
        if text.is_some() && self.is_discarded_untracked(&place) {
            self.discarded.set(None);
        }
        self.texts.update(|texts| texts.keep(place, text));
    }

    /// Discards a field's text from elsewhere.
    pub fn discard(self, place: FieldPlace) {
        self.keep(place.clone(), None);
        self.discarded.set(Some(place));
    }

    pub fn is_discarded(self, place: &FieldPlace) -> bool {
        self.discarded.with(|of| of.as_ref() == Some(place))
    }

    fn is_discarded_untracked(self, place: &FieldPlace) -> bool {
        untrack(|| self.is_discarded(place))
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
            if self.store.root.get_untracked() != root {
                self.store.show_root(root).await;
            }
            if self.current.package.get_untracked() != package {
                self.store.show_package(package).await;
            }
            self.selected_entries.start_at(None);
            self.store
                .select((target != Target::Package).then_some(target))
                .await;
            self.workbench.show_pane(Pane::Inspector);
            dom::focus_id_when_there(in_place_field(field));
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
    fn a_field_is_named_with_its_thing() {
        let (channel, name) = (String::from("fast"), String::from("p.v1"));
        let of = |target| place(target, "Deprecation").in_words();
        assert_eq!(of(Target::Package), "Deprecation of package p");
        assert_eq!(
            of(Target::Channel {
                channel: channel.clone()
            }),
            "Deprecation of channel fast of p"
        );
        assert_eq!(
            of(Target::Bundle { name: name.clone() }),
            "Deprecation of bundle p.v1"
        );
        assert_eq!(
            of(Target::Entry { channel, name }),
            "Deprecation of p.v1 in fast"
        );
    }
}
