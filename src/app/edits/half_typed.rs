//! Names being typed: a prefix of a known name is not an error yet.

use super::command::{EditCommand, Field};
use super::suggestions::named_by_version;
use crate::widgets::combobox::Choice;
use protocol::response::PackageView;

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

/// Why a text is not a valid bundle: no bundle has this name, and no version identifies one.
/// `None`: it is valid or empty.
pub fn not_a_bundle(text: &str, view: &PackageView) -> Option<String> {
    let text = text.trim();
    let is_one = text.is_empty() || view.bundles.iter().any(|(name, _)| name == text);
    let is_chosen = is_one || named_by_version(text, view).is_some();
    (!is_chosen).then(|| format!("No bundle is called {text}: choose one from the list."))
}

#[cfg(test)]
mod tests {
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
