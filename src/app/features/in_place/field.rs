//! The inspector fields that are edited in place: their values, and the operations that set them.

use crate::edits::command::{EditCommand, Field};
use crate::edits::form_values::{FieldError, FormValues, parse_names};
use crate::edits::operations::operation;
use protocol::enum_with_text;
use protocol::operation::{EditOp, EntryPlace};
use protocol::request::Target;
use protocol::response::PackageView;
use protocol::views::TableRow;

enum_with_text! {
    pub fn label;
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum InPlaceField {
        Replaces = "Replaces",
        /// Names separated by commas.
        Skips = "Skips",
        SkipRange = "Skip range",
        ChannelName = "Channel name",
        DefaultChannel = "Default channel",
        /// The message of an existing deprecation.
        Message = "Deprecation",
    }
}

impl InPlaceField {
    /// Returns the fields of an existing object. A name that only an edge mentions has none.
    pub fn for_target(target: &Target, view: &PackageView) -> &'static [InPlaceField] {
        use InPlaceField::*;
        match target {
            Target::Package => &[DefaultChannel, Message],
            Target::Channel { .. } => &[ChannelName, Message],
            Target::Entry { .. } => match row(target, view) {
                Some(row) if row.is_absent() => &[],
                Some(_) => &[Replaces, Skips, SkipRange, Message],
                None => &[],
            },
            Target::Bundle { .. } => &[Message],
            Target::Problem { .. } => &[],
        }
    }

    /// Returns the command that sets a value, and its field for the value.
    pub fn command(self) -> (EditCommand, Field) {
        match self {
            InPlaceField::Replaces => (EditCommand::SetReplaces, Field::Replaces),
            InPlaceField::Skips => (EditCommand::AddSkip, Field::Skip),
            InPlaceField::SkipRange => (EditCommand::SetSkipRange, Field::SkipRange),
            InPlaceField::ChannelName => (EditCommand::RenameChannel, Field::NewName),
            InPlaceField::DefaultChannel => (EditCommand::SetDefaultChannel, Field::Channel),
            InPlaceField::Message => (EditCommand::Deprecate, Field::Message),
        }
    }

    /// Returns the current value; "" for none.
    pub fn value(self, target: &Target, view: &PackageView) -> String {
        let of_row =
            |what: fn(&TableRow) -> String| row(target, view).map(what).unwrap_or_default();
        match (self, target) {
            (InPlaceField::Replaces, _) => of_row(|row| row.replaces.clone()),
            (InPlaceField::Skips, _) => of_row(|row| row.skips.join(", ")),
            (InPlaceField::SkipRange, _) => of_row(|row| row.skip_range.clone()),
            (InPlaceField::ChannelName, Target::Channel { channel }) => channel.clone(),
            (InPlaceField::DefaultChannel, _) => view.default_channel.clone(),
            (InPlaceField::Message, _) => {
                let entry = reference(target);
                view.deprecations
                    .iter()
                    .find(|(known, _)| *known == entry)
                    .map_or(String::new(), |(_, text)| text.clone())
            }
            _ => String::new(),
        }
    }

    pub fn offers(self, target: &Target, view: &PackageView) -> Vec<String> {
        match (self, target) {
            (InPlaceField::Replaces, Target::Entry { channel, name }) => {
                let is_other = |row: &&TableRow| row.channel == *channel && row.entry != *name;
                let others = view.table.iter().filter(is_other);
                others.map(|row| row.entry.clone()).collect()
            }
            (InPlaceField::DefaultChannel, _) => view.channels.clone(),
            _ => Vec::new(),
        }
    }

    /// Returns the operations that set the value to this text; none if it is unchanged.
    pub fn operations(
        self,
        target: &Target,
        view: &PackageView,
        catalog: Option<String>,
        text: &str,
    ) -> Result<Vec<EditOp>, String> {
        let (text, before) = (text.trim(), self.value(target, view));
        if text == before.trim() {
            return Ok(Vec::new());
        }
        match self {
            InPlaceField::ChannelName if text.is_empty() => {
                return Err("A name is needed".to_owned());
            }
            InPlaceField::DefaultChannel if text.is_empty() => {
                return Err("A channel is needed".to_owned());
            }
            _ => {}
        }
        let Some((command, values)) = self.form(target, &view.package, text) else {
            let Target::Entry { channel, name } = target else {
                return Ok(Vec::new());
            };
            let place = EntryPlace::new(&view.package, channel, name);
            let ops = place.change_skips(&parse_names(&before), &parse_names(text));
            let in_catalog = |op: EditOp| op.in_catalog(catalog.clone());
            return Ok(ops.into_iter().map(in_catalog).collect());
        };
        operation(command, &values, catalog.as_deref())
            .map(|op| vec![op])
            .map_err(join_reasons)
    }

    /// Returns the form that makes the same edit, filled in with this text; `None` for a list of
    /// names, which takes two edits.
    pub fn form(
        self,
        target: &Target,
        package: &str,
        text: &str,
    ) -> Option<(EditCommand, FormValues)> {
        let (command, field) = match self.command() {
            (EditCommand::AddSkip, _) => return None,
            (EditCommand::Deprecate, field) if text.is_empty() => (EditCommand::Undeprecate, field),
            command_and_field => command_and_field,
        };
        let mut values = FormValues::default().with(Field::Package, package);
        values.fill_from(command, target, "");
        Some((command, values.with(field, text)))
    }
}

fn join_reasons(errors: Vec<FieldError>) -> String {
    let reasons: Vec<String> = errors.into_iter().map(|error| error.message).collect();
    reasons.join("; ")
}

fn row<'a>(target: &Target, view: &'a PackageView) -> Option<&'a TableRow> {
    let Target::Entry { channel, name } = target else {
        return None;
    };
    view.row(channel, name)
}

fn reference(target: &Target) -> String {
    match target {
        Target::Package | Target::Problem { .. } => "package".to_owned(),
        Target::Channel { channel } => format!("channel {channel}"),
        Target::Entry { name, .. } | Target::Bundle { name } => format!("bundle {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::views::EntryState;
    fn view() -> PackageView {
        let row = TableRow {
            channel: "stable".into(),
            entry: "p.v2".into(),
            replaces: "p.v1".into(),
            skips: vec!["p.v1-a".into(), "p.v1-b".into()],
            ..TableRow::default()
        };
        let absent = TableRow {
            channel: "stable".into(),
            entry: "p.v0".into(),
            states: vec![EntryState::Absent],
            ..TableRow::default()
        };
        PackageView {
            package: "p".into(),
            default_channel: "stable".into(),
            table: vec![row, absent],
            channels: vec!["stable".into(), "fast".into()],
            deprecations: vec![("channel fast".into(), "Move on.".into())],
            ..PackageView::default()
        }
    }

    fn entry(name: &str) -> Target {
        Target::Entry {
            channel: "stable".into(),
            name: name.into(),
        }
    }

    fn json(field: InPlaceField, target: &Target, text: &str) -> String {
        let ops = field.operations(target, &view(), None, text).unwrap();
        ops.iter()
            .map(|op| serde_json::to_string(op).unwrap())
            .collect::<Vec<_>>()
            .join("\n")
    }

    #[test]
    fn a_field_gives_the_operation_of_its_form() {
        let target = entry("p.v2");
        assert_eq!(InPlaceField::Replaces.value(&target, &view()), "p.v1");
        assert!(json(InPlaceField::Replaces, &target, "p.v1-b").contains(r#""replaces":"p.v1-b""#));
        assert!(json(InPlaceField::Replaces, &target, "").contains(r#""replaces":null"#));
        assert!(
            json(InPlaceField::SkipRange, &target, " <2.0.0 ").contains(r#""skip-range":"<2.0.0""#)
        );
        assert_eq!(
            json(InPlaceField::Replaces, &target, " p.v1 "),
            "",
            "already the value"
        );
        let fast = Target::Channel {
            channel: "fast".into(),
        };
        assert_eq!(InPlaceField::Message.value(&fast, &view()), "Move on.");
        assert!(json(InPlaceField::Message, &fast, "").contains("undeprecate"));
        assert!(json(InPlaceField::Message, &entry("p.v2"), "Bad.").contains(r#""bundle":"p.v2""#));
        assert!(json(InPlaceField::ChannelName, &fast, "quick").contains(r#""to":"quick""#));
        assert!(
            json(InPlaceField::DefaultChannel, &Target::Package, "fast")
                .contains(r#""channel":"fast""#)
        );
    }

    #[test]
    fn only_changed_skips_are_added_and_removed() {
        let target = entry("p.v2");
        let ops = json(InPlaceField::Skips, &target, "p.v1-b, p.v1-c");
        let lines: Vec<&str> = ops.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].contains("remove-skip") && lines[0].contains(r#""skip":["p.v1-a"]"#));
        assert!(lines[1].contains("add-skip") && lines[1].contains(r#""skip":["p.v1-c"]"#));
        assert_eq!(
            json(InPlaceField::Skips, &target, "p.v1-b p.v1-a"),
            "",
            "the order does not matter"
        );
    }

    #[test]
    fn several_reasons_are_kept_apart() {
        let errors =
            [Field::Channel, Field::NewName].map(|field| FieldError::new(field, "is empty"));
        assert_eq!(join_reasons(errors.to_vec()), "is empty; is empty");
    }

    #[test]
    fn required_values_have_fields_and_absent_objects_have_none() {
        let fast = Target::Channel {
            channel: "fast".into(),
        };
        assert_eq!(
            InPlaceField::ChannelName.operations(&fast, &view(), None, " "),
            Err("A name is needed".into())
        );
        assert_eq!(InPlaceField::for_target(&entry("p.v0"), &view()), []);
        assert!(
            InPlaceField::for_target(&entry("p.v2"), &view()).contains(&InPlaceField::SkipRange)
        );
        assert_eq!(
            InPlaceField::Replaces.offers(&entry("p.v2"), &view()),
            ["p.v0"]
        );
    }
}
