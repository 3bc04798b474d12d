//! The values of a form: the text of its fields, what they refer to, and which fields the form asks
//! for. A form may apply to several entries.

use super::command::{EditCommand, Field};
use protocol::request::Target;
use protocol::response::PackageView;
use protocol::views::{EntryRef, RootRow, TableRow};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// The text of each field; unset fields are empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FormValues {
    texts: BTreeMap<Field, String>,
    /// The entries of a form for several entries.
    several: Vec<EntryRef>,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct PackageNames<'a> {
    pub channels: &'a [String],
    /// Name and version, highest version first.
    pub bundles: &'a [(String, String)],
    pub table: &'a [TableRow],
}

/// The sources of suggestions.
#[derive(Debug, Clone, Default)]
pub struct FormContext {
    pub roots: Vec<RootRow>,
    /// The names of the packages in the selected catalog.
    pub packages: Vec<String>,
    /// The form's package; `None` until loaded.
    pub view: Option<Arc<PackageView>>,
    /// The package's description; only set if a form needs it.
    pub description: String,
}

/// An invalid field with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    pub field: Field,
    pub message: String,
}

impl FieldError {
    pub fn new(field: Field, message: impl Into<String>) -> Self {
        Self {
            field,
            message: message.into(),
        }
    }
}

/// Returns the reason why a field is invalid; "" if it is valid.
pub fn find_error(errors: &[FieldError], field: Field) -> String {
    let error = errors.iter().find(|error| error.field == field);
    error.map(|error| error.message.clone()).unwrap_or_default()
}

/// The subject of a deprecation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    Package,
    Channel(String),
    Bundle(String),
}

impl FormValues {
    pub fn get(&self, field: Field) -> &str {
        self.texts.get(&field).map_or("", |text| text.trim())
    }

    /// Returns the text as typed, for the control.
    pub fn raw(&self, field: Field) -> &str {
        self.texts.get(&field).map_or("", String::as_str)
    }

    pub fn set(&mut self, field: Field, text: impl Into<String>) {
        self.texts.insert(field, text.into());
    }

    pub fn several(&self) -> &[EntryRef] {
        &self.several
    }

    pub fn for_several(mut self, entries: Vec<EntryRef>) -> Self {
        self.several = entries;
        self
    }

    pub fn with(mut self, field: Field, text: impl Into<String>) -> Self {
        self.set(field, text);
        self
    }

    pub fn filled_fields(&self) -> BTreeSet<Field> {
        self.texts
            .iter()
            .filter(|(_, text)| !text.trim().is_empty())
            .map(|(field, _)| *field)
            .collect()
    }

    /// Copies every field that `other` has set.
    pub fn overlay(&mut self, other: &FormValues) {
        self.texts.extend(
            other
                .texts
                .iter()
                .map(|(field, text)| (*field, text.clone())),
        );
        if !other.several.is_empty() {
            self.several.clone_from(&other.several);
        }
    }

    /// Fills in the fields that the command's subject determines.
    pub fn fill_from(&mut self, command: EditCommand, target: &Target, default_channel: &str) {
        let fields = command.fields();
        let is_deprecation = command.is_deprecation();
        let mut fill = |field: Field, text: &str| {
            // Don't prefill no-ops or the name of something new.
            let is_no_op = command == EditCommand::SetDefaultChannel
                && field == Field::Channel
                && text == default_channel;
            let is_new = match command {
                EditCommand::AddBundle => field == Field::Bundle,
                EditCommand::AddChannel => field == Field::Channel,
                EditCommand::AddPackage => field == Field::Package,
                _ => false,
            };
            if fields.contains(&field) && !is_no_op && !is_new {
                self.set(field, text);
            }
        };
        match target {
            Target::Package | Target::Problem { .. } => {
                let asks_for_channel = matches!(
                    command,
                    EditCommand::Withdraw
                        | EditCommand::SetDefaultChannel
                        | EditCommand::RenameChannel
                        | EditCommand::RemoveChannel
                        | EditCommand::ReplaceStream
                );
                if !is_deprecation && !asks_for_channel {
                    fill(Field::Channel, default_channel);
                }
                fill(Field::Reference, "package");
            }
            Target::Channel { channel } => {
                fill(Field::Channel, channel);
                fill(Field::ToChannel, channel);
                if command == EditCommand::AddChannel {
                    fill(Field::From, channel);
                }
                fill(Field::Reference, &format!("channel {channel}"));
            }
            Target::Entry { channel, name } => {
                // A bundle is withdrawn from all channels, and a z-stream skipped in all, unless
                // one is named.
                let applies_to_all_channels =
                    matches!(command, EditCommand::Withdraw | EditCommand::ReplaceStream);
                if !is_deprecation && !applies_to_all_channels {
                    fill(Field::Channel, channel);
                }
                fill(Field::Entry, name);
                fill(Field::Bundle, name);
                fill(Field::Reference, &format!("bundle {name}"));
            }
            Target::Bundle { name } => {
                fill(Field::Bundle, name);
                fill(Field::Entry, name);
                if !is_deprecation && command != EditCommand::Withdraw {
                    fill(Field::Channel, default_channel);
                }
                fill(Field::Reference, &format!("bundle {name}"));
            }
        }
    }
}

/// Parses `package`, `channel NAME` or `bundle NAME`.
pub fn parse_reference(text: &str) -> Option<Reference> {
    match text.trim().split_once(' ') {
        Some(("channel", name)) => Some(Reference::Channel(name.trim().to_owned())),
        Some(("bundle", name)) => Some(Reference::Bundle(name.trim().to_owned())),
        _ => (text.trim() == "package").then_some(Reference::Package),
    }
}

/// Updates the *Reference* of a deprecation after the user changed `field`: the name of a channel
/// or bundle, or the chosen kind, whose own field contains the name.
pub fn update_reference(command: EditCommand, field: Field, values: &mut FormValues) {
    let name_field = match (field, values.get(Field::Reference)) {
        _ if command != EditCommand::Deprecate => return,
        (Field::Channel, _) | (Field::Reference, "channel") => Field::Channel,
        (Field::Bundle, _) | (Field::Reference, "bundle") => Field::Bundle,
        _ => return,
    };
    let kind = if name_field == Field::Channel {
        "channel"
    } else {
        "bundle"
    };
    // A cleared field waits for another name: it never falls back to the whole package.
    let text = format!("{kind} {}", values.get(name_field));
    values.set(Field::Reference, text.trim_end());
}

/// Parses the distinct names of a list separated by commas, blanks or line breaks.
pub fn parse_names(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for name in text
        .split([',', ' ', '\n', '\t'])
        .filter(|name| !name.is_empty())
    {
        if !out.iter().any(|listed| listed == name) {
            out.push(name.to_owned());
        }
    }
    out
}

/// Returns the name of a root in forms: its label, or the whole path if labels collide.
pub fn catalog_name(roots: &[RootRow], root: &str) -> String {
    let Some(row) = roots.iter().find(|row| row.root == root) else {
        return root.to_owned();
    };
    let is_ambiguous = roots
        .iter()
        .filter(|other| other.label == row.label)
        .count()
        > 1;
    if is_ambiguous || row.label.is_empty() {
        row.root.clone()
    } else {
        row.label.clone()
    }
}

/// Returns the roots that `accepts` allows, each with its name in forms.
pub fn named_roots(roots: &[RootRow], accepts: impl Fn(&RootRow) -> bool) -> Vec<(String, String)> {
    roots
        .iter()
        .filter(|row| accepts(row))
        .map(|row| (row.root.clone(), catalog_name(roots, &row.root)))
        .collect()
}

/// Finds the root with a typed name: its path, or a label that no other root has.
pub fn find_catalog<'a>(roots: &'a [RootRow], text: &str) -> Option<&'a str> {
    let text = text.trim();
    let by_path = roots.iter().find(|row| row.root == text);
    let mut by_label = roots.iter().filter(|row| row.label == text);
    let row = by_path.or_else(|| by_label.next().filter(|_| by_label.next().is_none()))?;
    Some(&row.root)
}

/// The fields of a form in three parts, in the order of the command's fields.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FormParts {
    /// Shown in the form's head: filled in already, and changed only on request.
    pub known: Vec<Field>,
    pub main: Vec<Field>,
    /// Shown under *More*: the meaning of an empty field is usually right.
    pub more: Vec<Field>,
}

impl FormParts {
    /// Sorts the command's fields into parts. `from_subject` are the fields that the command's
    /// subject set, `values` the form's initial values, `channels` the number of channels in the
    /// package.
    pub fn new(
        command: EditCommand,
        from_subject: &BTreeSet<Field>,
        values: &FormValues,
        channels: usize,
    ) -> Self {
        let mut parts = Self::default();
        for &field in command.fields() {
            let is_known =
                !values.get(field).is_empty() && is_known(command, field, from_subject, channels);
            match (is_known, is_rarely_needed(command, field)) {
                (true, _) => parts.known.push(field),
                (_, true) => parts.more.push(field),
                _ => parts.main.push(field),
            }
        }
        parts
    }
}

fn is_known(
    command: EditCommand,
    field: Field,
    from_subject: &BTreeSet<Field>,
    channels: usize,
) -> bool {
    match field {
        // The target of a copy is the last of its fields.
        Field::Catalog => !command.is_copy(),
        // The form must ask which object to create or copy.
        Field::Package => !command.adds_package(),
        Field::Bundle | Field::Entry => {
            from_subject.contains(&field)
                && !matches!(command, EditCommand::AddBundle | EditCommand::Deprecate)
        }
        // If the form was opened for a package with several channels, the default one is a guess.
        Field::Channel => {
            let is_chosen = from_subject.contains(&Field::Entry) || channels == 1;
            is_chosen
                && from_subject.contains(&field)
                && !matches!(command, EditCommand::Deprecate | EditCommand::AddChannel)
        }
        _ => false,
    }
}

fn is_rarely_needed(command: EditCommand, field: Field) -> bool {
    match command {
        EditCommand::Promote => matches!(field, Field::As | Field::Replaces | Field::SkipRange),
        EditCommand::Withdraw => matches!(field, Field::Channel | Field::By),
        EditCommand::AddBundle => field == Field::Release,
        // Without a channel, the command applies to every channel that lists the z-stream.
        EditCommand::ReplaceStream => field == Field::Channel,
        _ => false,
    }
}

/// Commands for several entries, most important first.
pub const COMMANDS_FOR_SEVERAL: [EditCommand; 11] = [
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
pub fn is_set_by_entries(command: EditCommand, field: Field) -> bool {
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

/// Fills in a form for these entries. For skips, they are the skipped ones; otherwise the command
/// applies to each.
pub fn values_for_entries(
    command: EditCommand,
    values: FormValues,
    entries: &[EntryRef],
) -> FormValues {
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

/// Returns the form filled in for each entry, lowest version first, so that each becomes the head
/// before the next. A command on bundles applies once to each.
pub fn values_for_each(
    command: EditCommand,
    values: &FormValues,
    names: PackageNames<'_>,
) -> Vec<FormValues> {
    let rank: HashMap<&str, usize> = names
        .bundles
        .iter()
        .enumerate()
        .map(|(index, (name, _))| (&**name, index))
        .collect();
    let mut entries: Vec<&EntryRef> = values.several().iter().collect();
    entries.sort_by_key(|entry| {
        std::cmp::Reverse(rank.get(entry.name.as_str()).copied().unwrap_or(usize::MAX))
    });
    let mut seen = HashSet::new();
    let is_per_channel = command == EditCommand::RemoveEntry;
    entries.retain(|entry| seen.insert((&entry.name, is_per_channel.then_some(&entry.channel))));
    let values_for = |entry: &EntryRef| {
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
    entries.into_iter().map(values_for).collect()
}

/// Returns the distinct names of the command's objects, in order of selection.
pub fn entry_names(command: EditCommand, entries: &[EntryRef]) -> Vec<String> {
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
mod form_parts_tests {
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
            (promote.main, promote.more),
            (vec![ToChannel], vec![As, Replaces, SkipRange])
        );
        let channel = Target::Channel {
            channel: "beta".into(),
        };
        let promote = parts(EditCommand::Promote, &channel, 3);
        assert_eq!(
            (promote.known, promote.main),
            (vec![Catalog, Package], vec![Bundle, ToChannel])
        );
        let entry = Target::Entry {
            channel: "beta".into(),
            name: "p.v1".into(),
        };
        let replaces = parts(EditCommand::SetReplaces, &entry, 3);
        assert_eq!(
            (replaces.known, replaces.main),
            (vec![Catalog, Package, Channel, Entry], vec![Replaces])
        );
        assert_eq!(
            parts(EditCommand::SetReplaces, &Target::Package, 3).main,
            [Channel, Entry, Replaces]
        );
        assert_eq!(
            parts(EditCommand::SetReplaces, &Target::Package, 1).main,
            [Entry, Replaces]
        );
    }

    #[test]
    fn every_field_is_in_one_part() {
        for command in EditCommand::ALL {
            let fields_of = parts(command, &Target::Package, 2);
            let mut all: Vec<Field> = [fields_of.known, fields_of.main, fields_of.more].concat();
            all.sort_unstable();
            let mut fields = command.fields().to_vec();
            fields.sort_unstable();
            assert_eq!(all, fields, "{command:?}");
        }
    }
}

#[cfg(test)]
mod several_entries_tests {
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
        let values = values_for_entries(EditCommand::AddSkip, FormValues::default(), &entries);
        assert_eq!(
            (values.get(Field::Skip), values.get(Field::Channel)),
            ("p.v1, p.v2", "a")
        );
        assert!(values.several().is_empty());
    }

    #[test]
    fn each_name_is_listed_once() {
        let entries = [entry("a", "p.v1"), entry("b", "p.v1")];
        assert_eq!(entry_names(EditCommand::Deprecate, &entries), ["p.v1"]);
        assert_eq!(
            entry_names(EditCommand::RemoveEntry, &entries),
            ["p.v1 in a", "p.v1 in b"]
        );
    }

    #[test]
    fn the_selection_replaces_a_field_of_each_command_except_skips() {
        for command in COMMANDS_FOR_SEVERAL {
            let skips = matches!(command, EditCommand::AddSkip | EditCommand::RemoveSkip);
            assert_eq!(
                command
                    .fields()
                    .iter()
                    .any(|field| is_set_by_entries(command, *field)),
                !skips,
                "{command:?}"
            );
        }
    }
}
