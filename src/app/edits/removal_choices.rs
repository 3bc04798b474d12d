//! The choices of *Remove bundle…* and *Remove entry…* for edges to the removed object, described
//! by their effect on users.

use super::command::{EditCommand, Field};
use super::form_values::FormValues;
use protocol::counting::first_of;
use protocol::views::TableRow;

/// Maximum number of successors named.
const NAMED: usize = 2;

/// The meaning of an empty field. A removed bundle must not strand its users; an entry is often
/// removed because nobody should get it.
pub fn default_choice(command: EditCommand) -> &'static str {
    match command {
        EditCommand::RemoveBundle => "skip",
        _ => "relink",
    }
}

/// The choices and their labels, the default first.
pub fn choices(
    command: EditCommand,
    values: &FormValues,
    table: &[TableRow],
) -> Vec<(String, String)> {
    let mut all = ["skip", "relink", "leave"];
    if default_choice(command) == "relink" {
        all.swap(0, 1);
    }
    all.map(|choice| (choice.to_owned(), label(choice, command, values, table)))
        .to_vec()
}

fn label(choice: &str, command: EditCommand, values: &FormValues, table: &[TableRow]) -> String {
    let (field, channel) = match command {
        EditCommand::RemoveBundle => (Field::Bundle, ""),
        _ => (Field::Entry, values.get(Field::Channel)),
    };
    let name = values.get(field);
    let rows = || {
        table
            .iter()
            .filter(|row| channel.is_empty() || row.channel == channel)
    };
    let successors = versions(rows().filter(|row| !name.is_empty() && row.replaces == name));
    let removed = || rows().filter(|row| row.entry == name);
    let is_replaced = |row: &&TableRow| removed().any(|removed| removed.replaces == row.entry);
    let predecessors = versions(rows().filter(is_replaced));
    match (choice, successors.as_slice(), predecessors.as_slice()) {
        ("skip", ..) if name.is_empty() => "its users go to its successors".to_owned(),
        (..) if name.is_empty() && choice != "relink" => {
            "its successors' edges name an absent entry".to_owned()
        }
        ("skip", [], _) => "its users get no update: nothing replaces it".to_owned(),
        ("skip", ..) => format!("its users go to {}", first_of(successors.iter(), NAMED)),
        ("relink", ..) => "its users get no update, unless a skip range covers it".to_owned(),
        (_, [], _) => "its edges stay and name an absent entry".to_owned(),
        (_, _, []) => format!(
            "its users go to {}, by edges that name an absent entry",
            first_of(successors.iter(), NAMED)
        ),
        _ => format!(
            "its users go to {}, but those of {} get no update",
            first_of(successors.iter(), NAMED),
            first_of(predecessors.iter(), NAMED)
        ),
    }
}

/// Distinct versions.
fn versions<'t>(rows: impl Iterator<Item = &'t TableRow>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for row in rows {
        let version = match row.version.as_str() {
            "" => &row.entry,
            _ => &row.version,
        };
        if !out.contains(version) {
            out.push(version.clone());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Vec<TableRow> {
        let row = |channel: &str, version: &str, replaces: &str| TableRow {
            channel: channel.into(),
            entry: format!("p.v{version}"),
            version: version.into(),
            replaces: replaces.into(),
            ..TableRow::default()
        };
        vec![
            row("stable", "3.8.1", ""),
            row("stable", "3.8.2", "p.v3.8.1"),
            row("stable", "3.8.3", "p.v3.8.2"),
            row("fast", "3.8.2", ""),
            row("fast", "3.9.0", "p.v3.8.2"),
        ]
    }

    fn labels(command: EditCommand, values: &FormValues) -> Vec<String> {
        let all = choices(command, values, &table());
        all.into_iter()
            .map(|(choice, label)| format!("{choice}: {label}"))
            .collect()
    }

    #[test]
    fn removal_choices_describe_the_effect_on_users() {
        let bundle = FormValues::default().with(Field::Bundle, "p.v3.8.2");
        assert_eq!(
            labels(EditCommand::RemoveBundle, &bundle),
            [
                "skip: its users go to 3.8.3, 3.9.0",
                "relink: its users get no update, unless a skip range covers it",
                "leave: its users go to 3.8.3, 3.9.0, but those of 3.8.1 get no update",
            ]
        );
        let head = FormValues::default().with(Field::Bundle, "p.v3.9.0");
        assert_eq!(
            labels(EditCommand::RemoveBundle, &head)[0],
            "skip: its users get no update: nothing replaces it"
        );
        assert_eq!(
            labels(EditCommand::RemoveBundle, &FormValues::default()),
            [
                "skip: its users go to its successors",
                "relink: its users get no update, unless a skip range covers it",
                "leave: its successors' edges name an absent entry",
            ],
            "nothing is known of an unnamed bundle"
        );
        let entry = FormValues::default()
            .with(Field::Channel, "fast")
            .with(Field::Entry, "p.v3.8.2");
        assert_eq!(
            labels(EditCommand::RemoveEntry, &entry),
            [
                "relink: its users get no update, unless a skip range covers it",
                "skip: its users go to 3.9.0",
                "leave: its users go to 3.9.0, by edges that name an absent entry",
            ]
        );
    }
}
