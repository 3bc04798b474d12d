//! Input that is not applied yet: half-typed names, and the input of forms and dialogs that were
//! closed without applying. It is restored when the same form or dialog opens in the same state, and
//! outlives it, but not the tab.

use super::bundle_form_values::BundleValues;
use super::command::{EditCommand, Field};
use super::form_values::FormValues;
use super::suggestions::named_by_version;
use crate::widgets::combobox::Choice;
use protocol::response::PackageView;
use std::collections::BTreeSet;

/// Maximum number of forms stored, and of dialogs per kind: the last closed ones.
const KEPT: usize = 16;

/// The input of closed dialogs.
#[derive(Debug, Clone, Default)]
pub struct KeptDialogs {
    pub new_catalogs: KeptTexts<NewCatalogText>,
    pub bundles: KeptTexts<BundlesText>,
}

/// Initial and final state of each closed dialog.
#[derive(Debug, Clone)]
pub struct KeptTexts<T>(Vec<(T, T)>);

/// The input of the dialog for new catalogs.
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
    pub values: BundleValues,
}

impl<T> Default for KeptTexts<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: PartialEq> KeptTexts<T> {
    /// Stores input that differs from the initial state.
    pub fn keep(&mut self, opened: T, now: T) {
        self.0.retain(|(initial, _)| *initial != opened);
        if now == opened {
            return;
        }
        self.0.push((opened, now));
        if self.0.len() > KEPT {
            self.0.remove(0);
        }
    }

    /// Returns and removes the stored input of a dialog.
    pub fn take(&mut self, opened: &T) -> Option<T> {
        let at = self.0.iter().position(|(initial, _)| initial == opened)?;
        Some(self.0.remove(at).1)
    }
}

/// The input of closed forms.
#[derive(Debug, Clone, Default)]
pub struct KeptForms(Vec<KeptForm>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct KeptForm {
    command: EditCommand,
    /// The form's initial values, which identify its object.
    opened: FormValues,
    typed: Vec<(Field, String)>,
}

impl KeptForms {
    /// Stores what the user changed. `touched` contains the fields edited by hand.
    pub fn keep(
        &mut self,
        command: EditCommand,
        opened: FormValues,
        now: &FormValues,
        touched: &BTreeSet<Field>,
    ) {
        // The icon control shows its file's name, which is not stored.
        let is_typed =
            |field: &&Field| **field != Field::Icon && now.raw(**field) != opened.raw(**field);
        let typed: Vec<_> = touched
            .iter()
            .filter(is_typed)
            .map(|field| (*field, now.raw(*field).to_owned()))
            .collect();
        if typed.is_empty() {
            return;
        }
        self.0.push(KeptForm {
            command,
            opened,
            typed,
        });
        if self.0.len() > KEPT {
            self.0.remove(0);
        }
    }

    /// Returns and removes the stored input of a form.
    pub fn take(&mut self, command: EditCommand, opened: &FormValues) -> Vec<(Field, String)> {
        let is_it = |kept: &KeptForm| kept.command == command && kept.opened == *opened;
        let typed = self
            .0
            .iter()
            .rposition(is_it)
            .map(|at| self.0.remove(at).typed)
            .unwrap_or_default();
        self.0.retain(|kept| !is_it(kept));
        typed
    }
}

/// Whether a field names an existing object, so that a prefix of its name is not an error yet.
pub fn names_something(field: Field) -> bool {
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
pub fn takes_known_names(command: EditCommand, field: Field) -> bool {
    let makes = match command {
        EditCommand::AddPackage => field == Field::Package,
        EditCommand::AddChannel => field == Field::Channel,
        EditCommand::AddBundle => matches!(field, Field::Bundle | Field::ToChannel),
        EditCommand::Promote => field == Field::ToChannel,
        EditCommand::Substitute => field == Field::By,
        _ => false,
    };
    (names_something(field) || field == Field::Stream) && !makes
}

/// Whether the text is not a choice, but may become one. In a list of names the last one counts.
pub fn is_half_typed(text: &str, choices: &[Choice]) -> bool {
    let last = text.rsplit(',').next().unwrap_or_default().trim_start();
    let is_beginning =
        |choice: &Choice| choice.value.len() > last.len() && choice.value.starts_with(last);
    !last.is_empty()
        && choices.iter().all(|choice| choice.value != last)
        && choices.iter().any(is_beginning)
}

/// Returns why a text is not a valid bundle: no bundle has this name, and no version identifies
/// one. `None` if it is valid or empty.
pub fn not_a_bundle(text: &str, view: &PackageView) -> Option<String> {
    let text = text.trim();
    let is_one = text.is_empty() || view.bundles.iter().any(|(name, _)| name == text);
    let is_chosen = is_one || named_by_version(text, view).is_some();
    (!is_chosen).then(|| format!("No bundle is called {text}: choose one from the list."))
}

#[cfg(test)]
mod dialog_tests {
    use super::*;

    fn bundles(name: &str, image: Option<&str>) -> BundlesText {
        let values = BundleValues {
            image: image.map(str::to_owned),
            ..BundleValues::default()
        };
        BundlesText {
            names: vec![name.to_owned()],
            catalog: "c".to_owned(),
            values,
        }
    }

    #[test]
    fn values_are_restored_once_for_the_same_bundles() {
        let (opened, typed) = (
            bundles("p.v1", None),
            bundles("p.v1", Some("example.com/p:v1")),
        );
        let mut kept = KeptTexts::default();
        kept.keep(opened.clone(), typed.clone());
        assert_eq!(kept.take(&bundles("p.v2", None)), None);
        assert_eq!(kept.take(&opened), Some(typed));
        assert_eq!(kept.take(&opened), None, "it is in the dialog again");
    }

    #[test]
    fn an_unchanged_dialog_keeps_nothing() {
        let opened = bundles("p.v1", None);
        let mut kept = KeptTexts::default();
        kept.keep(opened.clone(), bundles("p.v1", Some("image")));
        kept.keep(opened.clone(), opened.clone());
        assert_eq!(kept.take(&opened), None);
    }

    #[test]
    fn the_oldest_of_many_dialogs_is_forgotten() {
        let mut kept = KeptTexts::default();
        for at in 0..=KEPT {
            kept.keep(at.to_string(), "typed".to_owned());
        }
        assert_eq!(kept.take(&"0".to_owned()), None);
        assert_eq!(kept.take(&"1".to_owned()).as_deref(), Some("typed"));
    }
}

#[cfg(test)]
mod form_tests {
    use super::*;

    fn opened(bundle: &str) -> FormValues {
        FormValues::default()
            .with(Field::Package, "p")
            .with(Field::Bundle, bundle)
    }

    #[test]
    fn values_are_restored_once_for_the_same_target() {
        let mut forms = KeptForms::default();
        let now = opened("p.v1")
            .with(Field::Message, "too old")
            .with(Field::Channel, "filled in by itself");
        let touched = BTreeSet::from([Field::Package, Field::Bundle, Field::Message]);
        forms.keep(EditCommand::Deprecate, opened("p.v1"), &now, &touched);
        assert_eq!(forms.take(EditCommand::Deprecate, &opened("p.v2")), []);
        assert_eq!(forms.take(EditCommand::Withdraw, &opened("p.v1")), []);
        let typed = [(Field::Message, "too old".to_owned())];
        assert_eq!(forms.take(EditCommand::Deprecate, &opened("p.v1")), typed);
        assert_eq!(
            forms.take(EditCommand::Deprecate, &opened("p.v1")),
            [],
            "it is in the form again"
        );
    }

    #[test]
    fn an_unchanged_form_keeps_nothing() {
        let mut forms = KeptForms::default();
        forms.keep(
            EditCommand::Withdraw,
            opened("p.v1"),
            &opened("p.v1"),
            &BTreeSet::from([Field::Bundle]),
        );
        assert_eq!(forms.take(EditCommand::Withdraw, &opened("p.v1")), []);
    }

    #[test]
    fn the_oldest_of_many_forms_is_forgotten() {
        let mut forms = KeptForms::default();
        for at in 0..=KEPT {
            let opened = opened(&format!("p.v{at}"));
            let now = opened.clone().with(Field::Message, "old");
            forms.keep(
                EditCommand::Deprecate,
                opened,
                &now,
                &BTreeSet::from([Field::Message]),
            );
        }
        assert_eq!(forms.take(EditCommand::Deprecate, &opened("p.v0")), []);
        assert_eq!(forms.take(EditCommand::Deprecate, &opened("p.v1")).len(), 1);
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
        assert_eq!(not_a_bundle("p.v", &view).as_deref(), Some(expected));
        for chosen in ["p.v1.0.0", "2.0.0", "v2.0.0", ""] {
            assert_eq!(not_a_bundle(chosen, &view), None, "{chosen}");
        }
    }

    #[test]
    fn names_of_new_objects_are_not_completed() {
        assert!(takes_known_names(EditCommand::ReplaceStream, Field::Stream));
        assert!(takes_known_names(EditCommand::Deprecate, Field::Bundle));
        assert!(!takes_known_names(EditCommand::AddChannel, Field::Channel));
        assert!(!takes_known_names(EditCommand::Deprecate, Field::Message));
    }

    #[test]
    fn a_beginning_of_a_known_name_is_not_wrong_yet() {
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
            "it is one, though another begins with it"
        );
        assert!(!is_half_typed("stale", &choices), "it can become none");
        assert!(!is_half_typed("", &choices));
        assert!(!is_half_typed("alpha, ", &choices));
        assert!(!is_half_typed("new", &[]));
    }
}
