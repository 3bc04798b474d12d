//! Input that is not applied yet: half-typed names, and the input of forms and dialogs that were
//! closed without applying. The latter is restored when the form or dialog opens again in the same
//! state, until the tab is closed.

use super::bundle_form_values::BundleInput;
use super::command::{EditCommand, Field};
use super::form_values::FormValues;
use super::suggestions::find_bundle_by_version;
use crate::widgets::combobox::Choice;
use protocol::response::PackageView;
use std::collections::BTreeSet;

/// Maximum number of forms, and of dialogs of each kind, whose input is stored.
const MAX_STORED: usize = 16;

#[derive(Debug, Clone, Default)]
pub struct KeptInput {
    /// By command and the form's initial values, which identify its object.
    pub forms: KeptTexts<(EditCommand, FormValues), Vec<(Field, String)>>,
    pub new_catalogs: KeptTexts<NewCatalogText, NewCatalogText>,
    pub bundles: KeptTexts<BundlesText, BundlesText>,
}

/// The input of closed dialogs of one kind, by their initial state.
#[derive(Debug, Clone)]
pub struct KeptTexts<K, T>(Vec<(K, T)>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCatalogText {
    pub name: String,
    pub versions: String,
    pub layout: String,
    pub format: String,
    pub mode: String,
}

/// The input of the dialog for dropped bundles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundlesText {
    /// Names of the dropped bundles. Where they were dropped does not matter: the lane only affects
    /// the initial selection.
    pub names: Vec<String>,
    /// The name of the target catalog.
    pub catalog: String,
    pub input: BundleInput,
}

impl<K, T> Default for KeptTexts<K, T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: PartialEq, T> KeptTexts<K, T> {
    /// Stores the input of a dialog in place of its earlier input; `None`: nothing was changed.
    pub fn keep(&mut self, opened: K, typed: Option<T>) {
        self.0.retain(|(initial, _)| *initial != opened);
        self.0.extend(typed.map(|typed| (opened, typed)));
        if self.0.len() > MAX_STORED {
            self.0.remove(0);
        }
    }

    pub fn take(&mut self, opened: &K) -> Option<T> {
        let index = self.0.iter().position(|(initial, _)| initial == opened)?;
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

    #[test]
    fn input_is_restored_once_for_the_same_target() {
        let mut kept = KeptTexts::default();
        kept.keep("p.v1", Some("typed"));
        assert_eq!(kept.take(&"p.v2"), None);
        assert_eq!(kept.take(&"p.v1"), Some("typed"));
        assert_eq!(kept.take(&"p.v1"), None, "it is in the dialog again");
    }

    #[test]
    fn an_unchanged_dialog_keeps_nothing() {
        let mut kept = KeptTexts::default();
        kept.keep("p.v1", Some("typed"));
        kept.keep("p.v1", None);
        assert_eq!(kept.take(&"p.v1"), None);
    }

    #[test]
    fn the_oldest_of_many_dialogs_is_forgotten() {
        let mut kept = KeptTexts::default();
        for at in 0..=MAX_STORED {
            kept.keep(at, Some("typed"));
        }
        assert_eq!(kept.take(&0), None);
        assert_eq!(kept.take(&1), Some("typed"));
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
