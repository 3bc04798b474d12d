//! Fields that can be edited in place: their current values, and the operations for new values.
//! Pure: uses the same operations as the forms.

use crate::edits::command::{EditCommand, Field};
use crate::edits::form_values::FormValues;
use protocol::operation::EditOp;
use protocol::request::Target;
use protocol::response::PackageView;
use protocol::views::TableRow;

/// A field of the inspector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InPlace {
    Replaces,
    /// Names separated by commas.
    Skips,
    SkipRange,
    ChannelName,
    DefaultChannel,
    /// The message of an existing deprecation.
    Message,
}

impl InPlace {
    /// The fields of an existing object. A name that only an edge mentions has none.
    pub fn for_target(target: &Target, view: &PackageView) -> &'static [InPlace] {
        use InPlace::*;
        match target {
            Target::Package => &[DefaultChannel, Message],
            Target::Channel { .. } => &[ChannelName, Message],
            Target::Entry { .. } => match row(target, view) {
                Some(row) if row.state.iter().any(|word| word == "not in this channel") => &[],
                Some(_) => &[Replaces, Skips, SkipRange, Message],
                None => &[],
            },
            Target::Bundle { .. } => &[Message],
            Target::Problem { .. } => &[],
        }
    }

    pub fn label(self) -> &'static str {
        match self {
            InPlace::Replaces => "Replaces",
            InPlace::Skips => "Skips",
            InPlace::SkipRange => "Skip range",
            InPlace::ChannelName => "Channel name",
            InPlace::DefaultChannel => "Default channel",
            InPlace::Message => "Deprecation",
        }
    }

    /// Its current value; "" for none.
    pub fn value(self, target: &Target, view: &PackageView) -> String {
        let of_row =
            |what: fn(&TableRow) -> String| row(target, view).map(what).unwrap_or_default();
        match (self, target) {
            (InPlace::Replaces, _) => of_row(|row| row.replaces.clone()),
            (InPlace::Skips, _) => of_row(|row| row.skips.join(", ")),
            (InPlace::SkipRange, _) => of_row(|row| row.skip_range.clone()),
            (InPlace::ChannelName, Target::Channel { channel }) => channel.clone(),
            (InPlace::DefaultChannel, _) => view.default_channel.clone(),
            (InPlace::Message, _) => {
                let of = reference(target);
                view.deprecations
                    .iter()
                    .find(|(known, _)| *known == of)
                    .map_or(String::new(), |(_, text)| text.clone())
            }
            _ => String::new(),
        }
    }

    /// Suggested names.
    pub fn offers(self, target: &Target, view: &PackageView) -> Vec<String> {
        match (self, target) {
            (InPlace::Replaces, Target::Entry { channel, name }) => {
                let others = view
                    .table
                    .iter()
                    .filter(|row| row.channel == *channel && row.entry != *name);
                others.map(|row| row.entry.clone()).collect()
            }
            (InPlace::DefaultChannel, _) => view.channels.clone(),
            _ => Vec::new(),
        }
    }

    /// The operations that set the value to this text; none if it is unchanged.
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
        let (package, some) = (
            view.package.clone(),
            (!text.is_empty()).then(|| text.to_owned()),
        );
        let (channel, name) = match target {
            Target::Entry { channel, name } => (channel.clone(), name.clone()),
            Target::Channel { channel } => (channel.clone(), String::new()),
            Target::Bundle { name } => (String::new(), name.clone()),
            Target::Package | Target::Problem { .. } => Default::default(),
        };
        let needed = |what: &str| some.clone().ok_or_else(|| format!("{what} is needed"));
        Ok(match self {
            InPlace::Replaces => vec![EditOp::SetReplaces {
                catalog,
                package,
                channel,
                name,
                replaces: some,
            }],
            InPlace::SkipRange => vec![EditOp::SetSkipRange {
                catalog,
                package,
                channel,
                name,
                skip_range: some,
            }],
            InPlace::Skips => {
                let (old, new) = (names(&before), names(text));
                let only = |a: &[String], b: &[String]| {
                    a.iter()
                        .filter(|x| !b.contains(x))
                        .cloned()
                        .collect::<Vec<_>>()
                };
                let (gone, added) = (only(&old, &new), only(&new, &old));
                let of = (
                    catalog.clone(),
                    package.clone(),
                    channel.clone(),
                    name.clone(),
                );
                let remove = (!gone.is_empty()).then(|| EditOp::RemoveSkip {
                    catalog: of.0,
                    package: of.1,
                    channel: of.2,
                    name: of.3,
                    skip: gone,
                    skip_matching: None,
                });
                let add = (!added.is_empty()).then_some(EditOp::AddSkip {
                    catalog,
                    package,
                    channel,
                    name,
                    skip: added,
                    skip_matching: None,
                });
                remove.into_iter().chain(add).collect()
            }
            InPlace::ChannelName => vec![EditOp::RenameChannel {
                catalog,
                package,
                channel,
                to: needed("A name")?,
            }],
            InPlace::DefaultChannel => {
                vec![EditOp::SetDefaultChannel {
                    catalog,
                    package,
                    channel: needed("A channel")?,
                }]
            }
            InPlace::Message => {
                let (channel, bundle) = match target {
                    Target::Channel { channel } => (Some(channel.clone()), None),
                    Target::Entry { name, .. } | Target::Bundle { name } => {
                        (None, Some(name.clone()))
                    }
                    Target::Package | Target::Problem { .. } => (None, None),
                };
                vec![match some {
                    Some(message) => EditOp::Deprecate {
                        catalog,
                        package,
                        channel,
                        bundle,
                        message,
                    },
                    None => EditOp::Undeprecate {
                        catalog,
                        package,
                        channel,
                        bundle,
                    },
                }]
            }
        })
    }

    /// As values of the corresponding form, for the notes below its fields.
    pub fn form(
        self,
        target: &Target,
        package: &str,
        text: &str,
    ) -> Option<(EditCommand, FormValues)> {
        let values = FormValues::default().with(Field::Package, package);
        match (self, target) {
            (InPlace::SkipRange, Target::Entry { channel, name }) => {
                let values = values
                    .with(Field::Channel, channel.clone())
                    .with(Field::Entry, name.clone());
                Some((
                    EditCommand::SetSkipRange,
                    values.with(Field::SkipRange, text),
                ))
            }
            (InPlace::Message, _) => {
                let values = values
                    .with(Field::Reference, reference(target))
                    .with(Field::Message, text);
                Some((EditCommand::Deprecate, values))
            }
            _ => None,
        }
    }
}

fn row<'a>(target: &Target, view: &'a PackageView) -> Option<&'a TableRow> {
    let Target::Entry { channel, name } = target else {
        return None;
    };
    view.table
        .iter()
        .find(|row| row.channel == *channel && row.entry == *name)
}

/// The subject of a message, in view and form.
fn reference(target: &Target) -> String {
    match target {
        Target::Package | Target::Problem { .. } => "package".to_owned(),
        Target::Channel { channel } => format!("channel {channel}"),
        Target::Entry { name, .. } | Target::Bundle { name } => format!("bundle {name}"),
    }
}

fn names(text: &str) -> Vec<String> {
    text.split([',', ' ', '\n'])
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
            state: vec!["not in this channel".into()],
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

    fn json(field: InPlace, target: &Target, text: &str) -> String {
        let ops = field.operations(target, &view(), None, text).unwrap();
        ops.iter()
            .map(|op| serde_json::to_string(op).unwrap())
            .collect::<Vec<_>>()
            .join("\n")
    }

    #[test]
    fn a_field_means_the_operation_of_its_form() {
        let of = entry("p.v2");
        assert_eq!(InPlace::Replaces.value(&of, &view()), "p.v1");
        assert!(json(InPlace::Replaces, &of, "p.v1-b").contains(r#""replaces":"p.v1-b""#));
        assert!(json(InPlace::Replaces, &of, "").contains(r#""replaces":null"#));
        assert!(json(InPlace::SkipRange, &of, " <2.0.0 ").contains(r#""skip-range":"<2.0.0""#));
        assert_eq!(
            json(InPlace::Replaces, &of, " p.v1 "),
            "",
            "it is that already"
        );
        let fast = Target::Channel {
            channel: "fast".into(),
        };
        assert_eq!(InPlace::Message.value(&fast, &view()), "Move on.");
        assert!(json(InPlace::Message, &fast, "").contains("undeprecate"));
        assert!(json(InPlace::Message, &entry("p.v2"), "Bad.").contains(r#""bundle":"p.v2""#));
        assert!(json(InPlace::ChannelName, &fast, "quick").contains(r#""to":"quick""#));
        assert!(
            json(InPlace::DefaultChannel, &Target::Package, "fast").contains(r#""channel":"fast""#)
        );
    }

    #[test]
    fn only_changed_skips_are_added_and_removed() {
        let of = entry("p.v2");
        let ops = json(InPlace::Skips, &of, "p.v1-b, p.v1-c");
        let lines: Vec<&str> = ops.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].contains("remove-skip") && lines[0].contains(r#""skip":["p.v1-a"]"#));
        assert!(lines[1].contains("add-skip") && lines[1].contains(r#""skip":["p.v1-c"]"#));
        assert_eq!(
            json(InPlace::Skips, &of, "p.v1-b p.v1-a"),
            "",
            "the order counts for nothing"
        );
    }

    #[test]
    fn required_values_have_fields_and_absent_objects_have_none() {
        let fast = Target::Channel {
            channel: "fast".into(),
        };
        assert_eq!(
            InPlace::ChannelName.operations(&fast, &view(), None, " "),
            Err("A name is needed".into())
        );
        assert_eq!(InPlace::for_target(&entry("p.v0"), &view()), []);
        assert!(InPlace::for_target(&entry("p.v2"), &view()).contains(&InPlace::SkipRange));
        assert_eq!(InPlace::Replaces.offers(&entry("p.v2"), &view()), ["p.v0"]);
    }
}
