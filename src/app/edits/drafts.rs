//! Input that is not applied yet: half-typed names, and the input of forms that were closed without
//! applying. The latter is restored when the form opens again for the same object, until the tab is
//! closed.

use super::command::{EditCommand, Field};
use super::form_values::FormValues;
use super::suggestions::find_bundle_by_version;
use crate::widgets::combobox::Choice;
use protocol::response::PackageView;
use std::collections::BTreeSet;

/// Maximum number of forms whose input is stored.
const MAX_STORED: usize = 16;

/// A form: its command and its initial values, which identify its object.
type FormKey = (EditCommand, FormValues);

/// The input of closed forms, oldest first.
#[derive(Debug, Clone, Default)]
pub struct KeptForms(Vec<(FormKey, Vec<(Field, String)>)>);

impl KeptForms {
    /// Stores the input of a form in place of its earlier input; `None`: nothing was changed.
    pub fn keep(&mut self, form: FormKey, typed: Option<Vec<(Field, String)>>) {
        self.0.retain(|(other, _)| *other != form);
        self.0.extend(typed.map(|typed| (form, typed)));
        if self.0.len() > MAX_STORED {
            self.0.remove(0);
        }
    }

    /// Returns and removes the stored input of a form.
    pub fn take(&mut self, form: &FormKey) -> Option<Vec<(Field, String)>> {
        let index = self.0.iter().position(|(other, _)| other == form)?;
        Some(self.0.remove(index).1)
    }
}

/// Returns the fields of a form that the user changed; `None` if there are none. `touched` contains
/// the fields edited by hand.
pub fn typed_fields(
    opened: &FormValues,
    now: &FormValues,
    touched: &BTreeSet<Field>,
) -> Option<Vec<(Field, String)>> {
    // The icon control shows its file's name, which is not stored.
    let is_typed =
        |field: &&Field| **field != Field::Icon && now.raw(**field) != opened.raw(**field);
    let typed: Vec<_> = touched
        .iter()
        .filter(is_typed)
        .map(|field| (*field, now.raw(*field).to_owned()))
        .collect();
    (!typed.is_empty()).then_some(typed)
}

/// Whether a field names an existing object, so that a prefix of its name is not an error yet.
pub fn names_existing_object(field: Field) -> bool {
    matches!(
        field,
        Field::Catalog
            | Field::Package
            | Field::Bundle
            | Field::Reference
            | Field::Channel
            | Field::Entry
            | Field::From
            | Field::ToChannel
            | Field::By
            | Field::Replaces
            | Field::Skip
    )
}

/// Whether a field only accepts existing names, so that a prefix can be completed.
pub fn accepts_only_existing_names(command: EditCommand, field: Field) -> bool {
    let names_new_object = match command {
        EditCommand::AddPackage => field == Field::Package,
        EditCommand::AddChannel => field == Field::Channel,
        EditCommand::AddBundle => matches!(field, Field::Bundle | Field::ToChannel),
        EditCommand::Promote => field == Field::ToChannel,
        EditCommand::Substitute => field == Field::By,
        _ => false,
    };
    (names_existing_object(field) || field == Field::Stream) && !names_new_object
}

/// Whether the text is not a choice, but may become one. In a list of names the last one counts.
pub fn is_half_typed(text: &str, choices: &[Choice]) -> bool {
    let last = text.rsplit(',').next().unwrap_or_default().trim_start();
    let is_prefix_of =
        |choice: &Choice| choice.value.len() > last.len() && choice.value.starts_with(last);
    !last.is_empty()
        && choices.iter().all(|choice| choice.value != last)
        && choices.iter().any(is_prefix_of)
}

/// Returns the error if a text names no bundle, neither by name nor by version; `None` if it names
/// one or is empty.
pub fn bundle_name_error(text: &str, view: &PackageView) -> Option<String> {
    let text = text.trim();
    let is_name = text.is_empty() || view.bundles.iter().any(|(name, _)| name == text);
    let is_valid = is_name || find_bundle_by_version(text, view).is_some();
    (!is_valid).then(|| format!("No bundle is called {text}: choose one from the list."))
}

#[cfg(test)]
mod kept_tests {
    use super::*;

    fn opened(bundle: &str) -> FormValues {
        FormValues::default()
            .with(Field::Package, "p")
            .with(Field::Bundle, bundle)
    }

    fn key(bundle: &str) -> FormKey {
        (EditCommand::Deprecate, opened(bundle))
    }

    fn typed() -> Option<Vec<(Field, String)>> {
        Some(vec![(Field::Message, "typed".to_owned())])
    }

    #[test]
    fn input_is_restored_once_for_the_same_object() {
        let mut kept = KeptForms::default();
        kept.keep(key("p.v1"), typed());
        assert_eq!(kept.take(&key("p.v2")), None);
        assert_eq!(kept.take(&key("p.v1")), typed());
        assert_eq!(kept.take(&key("p.v1")), None, "it is in the form again");
    }

    #[test]
    fn an_unchanged_form_keeps_nothing() {
        let mut kept = KeptForms::default();
        kept.keep(key("p.v1"), typed());
        kept.keep(key("p.v1"), None);
        assert_eq!(kept.take(&key("p.v1")), None);
    }

    #[test]
    fn the_oldest_of_many_forms_is_forgotten() {
        let mut kept = KeptForms::default();
        for at in 0..=MAX_STORED {
            kept.keep(key(&at.to_string()), typed());
        }
        assert_eq!(kept.take(&key("0")), None);
        assert_eq!(kept.take(&key("1")), typed());
    }

    #[test]
    fn a_form_keeps_the_fields_that_were_changed_by_hand() {
        let now = opened("p.v1")
            .with(Field::Message, "too old")
            .with(Field::Channel, "filled in by itself");
        let touched = BTreeSet::from([Field::Package, Field::Bundle, Field::Message]);
        assert_eq!(
            typed_fields(&opened("p.v1"), &now, &touched),
            Some(vec![(Field::Message, "too old".to_owned())])
        );
        assert_eq!(typed_fields(&now, &now, &touched), None);
    }
}

#[cfg(test)]
mod half_typed_tests {
    use super::*;

    #[test]
    fn an_incomplete_name_chooses_no_bundle() {
        let view = PackageView {
            bundles: vec![
                ("p.v2.0.0".into(), "2.0.0".into()),
                ("p.v1.0.0".into(), "1.0.0".into()),
            ],
            ..PackageView::default()
        };
        let expected = "No bundle is called p.v: choose one from the list.";
        assert_eq!(bundle_name_error("p.v", &view).as_deref(), Some(expected));
        for chosen in ["p.v1.0.0", "2.0.0", "v2.0.0", ""] {
            assert_eq!(bundle_name_error(chosen, &view), None, "{chosen}");
        }
    }

    #[test]
    fn names_of_new_objects_are_not_completed() {
        assert!(accepts_only_existing_names(
            EditCommand::ReplaceStream,
            Field::Stream
        ));
        assert!(accepts_only_existing_names(
            EditCommand::Deprecate,
            Field::Bundle
        ));
        assert!(!accepts_only_existing_names(
            EditCommand::AddChannel,
            Field::Channel
        ));
        assert!(!accepts_only_existing_names(
            EditCommand::Deprecate,
            Field::Message
        ));
    }

    #[test]
    fn a_prefix_of_a_known_name_is_not_an_error() {
        let choices = [
            Choice::new("stable", ""),
            Choice::new("stable-v1", ""),
            Choice::new("alpha", ""),
        ];
        assert!(is_half_typed("sta", &choices));
        assert!(is_half_typed("stable-", &choices));
        assert!(
            is_half_typed("alpha, sta", &choices),
            "the last of a list is being typed"
        );
        assert!(
            !is_half_typed("stable", &choices),
            "complete, although it is a prefix of another"
        );
        assert!(!is_half_typed("stale", &choices), "it can become none");
        assert!(!is_half_typed("", &choices));
        assert!(!is_half_typed("alpha, ", &choices));
        assert!(!is_half_typed("new", &[]));
    }
}
