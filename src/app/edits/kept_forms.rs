//! Input of forms closed without applying: restored when the same form opens for the same object.
//! Outlives the form, but not the tab.

use super::command::{EditCommand, Field};
use super::form_values::FormValues;
use std::collections::BTreeSet;

/// Maximum number of forms stored, the last closed ones.
const KEPT: usize = 16;

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
    /// Stores what the user changed. `touched`: the fields edited by hand.
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

#[cfg(test)]
mod tests {
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
