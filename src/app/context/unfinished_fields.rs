//! Text that was typed in a field of the inspector and is not applied: it stays with its field when something else is
//! selected, until it is applied, taken back, or another folder is opened.

use leptos::prelude::*;
use protocol::request::Target;

/// A field of a thing.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldPlace {
    pub root: String,
    pub package: String,
    pub target: Target,
    pub field: &'static str,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct UnfinishedFields(StoredValue<Texts>);

#[derive(Debug, Default)]
struct Texts(Vec<(FieldPlace, String)>);

impl Texts {
    fn of(&self, place: &FieldPlace) -> Option<&String> {
        self.0.iter().find(|(of, _)| of == place).map(|(_, text)| text)
    }

    fn keep(&mut self, place: FieldPlace, text: Option<String>) {
        self.0.retain(|(of, _)| *of != place);
        self.0.extend(text.map(|text| (place, text)));
    }
}

impl UnfinishedFields {
    pub fn of(self, place: &FieldPlace) -> Option<String> {
        self.0.with_value(|texts| texts.of(place).cloned())
    }

    /// `None`: it is applied or taken back.
    pub fn keep(self, place: FieldPlace, text: Option<String>) {
        self.0.update_value(|texts| texts.keep(place, text));
    }

    pub(super) fn forget_all(self) {
        self.0.update_value(|texts| texts.0.clear());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_of_each_thing_keeps_its_own() {
        let place = |name: &str, field| FieldPlace {
            root: "c".into(),
            package: "p".into(),
            target: Target::Bundle { name: name.into() },
            field,
        };
        let mut texts = Texts::default();
        texts.keep(place("p.v1", "Deprecation"), Some("Move".into()));
        texts.keep(place("p.v1", "Deprecation"), Some("Move on".into()));
        assert_eq!(texts.of(&place("p.v1", "Deprecation")).map(String::as_str), Some("Move on"));
        assert_eq!(texts.of(&place("p.v2", "Deprecation")), None);
        assert_eq!(texts.of(&place("p.v1", "Replaces")), None);
        texts.keep(place("p.v1", "Deprecation"), None);
        assert!(texts.0.is_empty());
    }
}
