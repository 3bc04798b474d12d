//! Splits a form's fields into those known from its context, those to ask, and rarely changed ones.

use super::command::{EditCommand, Field};
use super::form_values::FormValues;
use std::collections::BTreeSet;

/// The fields of a form in three parts, in the order of the command's fields.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FormParts {
    /// In the form's head: known, and changed only on request.
    pub known: Vec<Field>,
    pub asked: Vec<Field>,
    /// Under *More*: the meaning of an empty field is usually right.
    pub more: Vec<Field>,
}

impl FormParts {
    /// `given`: the fields set by the command's subject. `values`: the form's initial values.
    pub fn new(
        command: EditCommand,
        given: &BTreeSet<Field>,
        values: &FormValues,
        channels: usize,
    ) -> Self {
        let mut parts = Self::default();
        for &field in command.fields() {
            let is_known =
                !values.get(field).is_empty() && is_known(command, field, given, channels);
            match (is_known, is_more(command, field)) {
                (true, _) => parts.known.push(field),
                (_, true) => parts.more.push(field),
                _ => parts.asked.push(field),
            }
        }
        parts
    }
}

fn is_known(command: EditCommand, field: Field, given: &BTreeSet<Field>, channels: usize) -> bool {
    match field {
        Field::Catalog => true,
        // The object to create or copy is the question.
        Field::Package => !matches!(command, EditCommand::AddPackage | EditCommand::CopyPackage),
        Field::Bundle | Field::Entry => {
            given.contains(&field)
                && !matches!(command, EditCommand::AddBundle | EditCommand::Deprecate)
        }
        // For a package, the default channel is only a guess if there are others.
        Field::Channel => {
            let is_chosen = given.contains(&Field::Entry) || channels == 1;
            is_chosen
                && given.contains(&field)
                && !matches!(command, EditCommand::Deprecate | EditCommand::AddChannel)
        }
        _ => false,
    }
}

fn is_more(command: EditCommand, field: Field) -> bool {
    match command {
        EditCommand::Promote => matches!(field, Field::As | Field::Replaces | Field::SkipRange),
        EditCommand::Withdraw => matches!(field, Field::Channel | Field::By),
        EditCommand::AddBundle => field == Field::Release,
        // Without one: every channel that lists the z-stream.
        EditCommand::ReplaceStream => field == Field::Channel,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::request::Target;

    fn parts(command: EditCommand, target: &Target, channels: usize) -> FormParts {
        let mut values = FormValues::default()
            .with(Field::Catalog, "c")
            .with(Field::Package, "p");
        values.fill_from(command, target, "stable");
        FormParts::new(command, &values.filled_fields(), &values, channels)
    }

    #[test]
    fn asks_only_for_ambiguous_values() {
        use Field::*;
        let bundle = Target::Bundle {
            name: "p.v1".into(),
        };
        let promote = parts(EditCommand::Promote, &bundle, 3);
        assert_eq!(promote.known, [Catalog, Package, Bundle]);
        assert_eq!(
            (promote.asked, promote.more),
            (vec![ToChannel, SkipsToo], vec![As, Replaces, SkipRange])
        );
        let channel = Target::Channel {
            channel: "beta".into(),
        };
        let promote = parts(EditCommand::Promote, &channel, 3);
        assert_eq!(
            (promote.known, promote.asked),
            (vec![Catalog, Package], vec![Bundle, ToChannel, SkipsToo])
        );
        let entry = Target::Entry {
            channel: "beta".into(),
            name: "p.v1".into(),
        };
        let replaces = parts(EditCommand::SetReplaces, &entry, 3);
        assert_eq!(
            (replaces.known, replaces.asked),
            (vec![Catalog, Package, Channel, Entry], vec![Replaces])
        );
        assert_eq!(
            parts(EditCommand::SetReplaces, &Target::Package, 3).asked,
            [Channel, Entry, Replaces]
        );
        assert_eq!(
            parts(EditCommand::SetReplaces, &Target::Package, 1).asked,
            [Entry, Replaces]
        );
    }

    #[test]
    fn every_field_is_in_one_part() {
        for command in EditCommand::ALL {
            let found = parts(command, &Target::Package, 2);
            let mut all: Vec<Field> = [found.known, found.asked, found.more].concat();
            all.sort_unstable();
            let mut fields = command.fields().to_vec();
            fields.sort_unstable();
            assert_eq!(all, fields, "{command:?}");
        }
    }
}
