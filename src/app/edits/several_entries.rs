//! Applies one command to several entries: available commands, and the role of the entries.

use super::command::{EditCommand, Field};
use super::form_values::{FormValues, PackageNames};
use protocol::views::EntryRef;
use std::collections::HashMap;

/// Commands for several entries, most important first.
pub const COMMANDS: [EditCommand; 11] = [
    EditCommand::Promote,
    EditCommand::Withdraw,
    EditCommand::AddSkip,
    EditCommand::RemoveSkip,
    EditCommand::Deprecate,
    EditCommand::Undeprecate,
    EditCommand::SetImage,
    EditCommand::AddProperty,
    EditCommand::RemoveProperty,
    EditCommand::RemoveEntry,
    EditCommand::RemoveBundle,
];

/// Whether the entries determine this field, so the form does not ask for it.
pub fn answers(command: EditCommand, field: Field) -> bool {
    match command {
        EditCommand::RemoveEntry => matches!(field, Field::Channel | Field::Entry),
        EditCommand::Deprecate | EditCommand::Undeprecate => {
            matches!(field, Field::Reference | Field::Bundle | Field::Channel)
        }
        EditCommand::SetImage | EditCommand::AddProperty | EditCommand::RemoveProperty => {
            matches!(field, Field::Bundle | Field::Where)
        }
        EditCommand::Promote | EditCommand::Withdraw | EditCommand::RemoveBundle => {
            field == Field::Bundle
        }
        _ => false,
    }
}

/// A form for these entries. For skips they are the skipped ones; otherwise the command applies to
/// each.
pub fn prepare(command: EditCommand, values: FormValues, entries: &[EntryRef]) -> FormValues {
    if !matches!(command, EditCommand::AddSkip | EditCommand::RemoveSkip) {
        return values.for_several(entries.to_vec());
    }
    let channel = entries
        .first()
        .map(|entry| entry.channel.clone())
        .unwrap_or_default();
    let names: Vec<&str> = entries
        .iter()
        .filter(|entry| entry.channel == channel)
        .map(|entry| entry.name.as_str())
        .collect();
    values
        .with(Field::Skip, names.join(", "))
        .with(Field::Channel, channel)
}

/// The form filled in for each entry, lowest version first, so that each becomes the head before
/// the next. A command on bundles applies once to each.
pub fn each(command: EditCommand, values: &FormValues, names: PackageNames<'_>) -> Vec<FormValues> {
    let rank: HashMap<&str, usize> = names
        .bundles
        .iter()
        .enumerate()
        .map(|(at, (name, _))| (&**name, at))
        .collect();
    let mut entries: Vec<&EntryRef> = values.several().iter().collect();
    entries.sort_by_key(|entry| {
        std::cmp::Reverse(rank.get(entry.name.as_str()).copied().unwrap_or(usize::MAX))
    });
    let mut seen = std::collections::HashSet::new();
    let by_entry = command == EditCommand::RemoveEntry;
    entries.retain(|entry| seen.insert((&entry.name, by_entry.then_some(&entry.channel))));
    let filled = |entry: &EntryRef| {
        let one = values.clone().for_several(Vec::new());
        match command {
            EditCommand::RemoveEntry => one
                .with(Field::Channel, &entry.channel)
                .with(Field::Entry, &entry.name),
            EditCommand::Deprecate | EditCommand::Undeprecate => {
                one.with(Field::Reference, format!("bundle {}", entry.name))
            }
            _ => one.with(Field::Bundle, &entry.name).with(Field::Where, ""),
        }
    };
    entries.into_iter().map(filled).collect()
}

/// Distinct names of the command's objects, in order of selection.
pub fn names(command: EditCommand, entries: &[EntryRef]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for entry in entries {
        let name = match command {
            EditCommand::RemoveEntry => format!("{} in {}", entry.name, entry.channel),
            _ => entry.name.clone(),
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(channel: &str, name: &str) -> EntryRef {
        EntryRef {
            channel: channel.into(),
            name: name.into(),
        }
    }

    #[test]
    fn selected_entries_fill_the_skips() {
        let entries = [entry("a", "p.v1"), entry("a", "p.v2"), entry("b", "p.v3")];
        let values = prepare(EditCommand::AddSkip, FormValues::default(), &entries);
        assert_eq!(
            (values.get(Field::Skip), values.get(Field::Channel)),
            ("p.v1, p.v2", "a")
        );
        assert!(values.several().is_empty());
    }

    #[test]
    fn each_name_is_listed_once() {
        let entries = [entry("a", "p.v1"), entry("b", "p.v1")];
        assert_eq!(names(EditCommand::Deprecate, &entries), ["p.v1"]);
        assert_eq!(
            names(EditCommand::RemoveEntry, &entries),
            ["p.v1 in a", "p.v1 in b"]
        );
    }

    #[test]
    fn the_selection_replaces_a_field_of_each_command_except_skips() {
        for command in COMMANDS {
            let skips = matches!(command, EditCommand::AddSkip | EditCommand::RemoveSkip);
            assert_eq!(
                command
                    .fields()
                    .iter()
                    .any(|field| answers(command, *field)),
                !skips,
                "{command:?}"
            );
        }
    }
}
