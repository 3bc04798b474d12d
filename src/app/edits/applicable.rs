//! Which commands have something to change: a command that removes something is offered only if it
//! exists, and none that the package's template refuses in any case.

use super::command::{EditCommand, Subject};
use super::entry_choices::{streams, z_stream_of_entry};
use protocol::request::Target;
use protocol::response::{ImpossibleOperation, PackageView};
use protocol::views::{EntryRef, EntryState, TableRow};

/// Checks whether the command can do something in the package. The error is the reason why not.
pub fn check_in_package(command: EditCommand, view: &PackageView) -> Result<(), &'static str> {
    match command {
        EditCommand::RemoveSkip if !view.table.iter().any(has_skips) => {
            Err("no entry of this package skips another by name")
        }
        EditCommand::Undeprecate if view.deprecations.is_empty() => {
            Err("nothing in this package is deprecated")
        }
        _ => Ok(()),
    }
}

/// Whether the package's template, if there is one, lets another channel become the default channel.
pub fn can_change_default(view: &PackageView) -> bool {
    find_refusal(EditCommand::SetDefaultChannel, view).is_none()
}

/// Returns the template's refusal if the command's form cannot succeed. A form that adds a package
/// can add it to another catalog.
pub fn refused_form(command: EditCommand, view: &PackageView) -> Option<&ImpossibleOperation> {
    find_refusal(command, view).filter(|_| !command.adds_package())
}

/// Returns the refusal if the package's template refuses the command, whatever its values.
pub fn find_refusal(command: EditCommand, view: &PackageView) -> Option<&ImpossibleOperation> {
    let mut impossible = view.impossible.iter();
    impossible.find(|refused| refused.operation == command.operation())
}

/// Whether the command can do something with this object.
pub fn can_apply_to(command: EditCommand, view: &PackageView, target: &Target) -> bool {
    match (command, target) {
        _ if find_refusal(command, view).is_some() => false,
        (_, Target::Entry { name, .. } | Target::Bundle { name })
            if needs_bundle(command) && !view.bundles.iter().any(|(bundle, _)| bundle == name) =>
        {
            false
        }
        (EditCommand::Promote, Target::Entry { name, .. } | Target::Bundle { name }) => {
            let mut targets = view.promotion_targets().iter();
            targets.any(|target| !view.lists_bundle(target, name))
        }
        (EditCommand::Withdraw, Target::Entry { name, .. } | Target::Bundle { name }) => {
            let mut rows = view.table.iter();
            rows.any(|row| row.entry == *name && !row.is_absent())
        }
        (EditCommand::SetDefaultChannel, Target::Package) => {
            let mut channels = view.channels.iter();
            channels.any(|channel| *channel != view.default_channel)
        }
        (
            EditCommand::SetDefaultChannel,
            Target::Channel { channel } | Target::Entry { channel, .. },
        ) => *channel != view.default_channel,
        (EditCommand::RemoveSkip, Target::Entry { channel, name }) => {
            view.row(channel, name).is_some_and(has_skips)
        }
        (EditCommand::Undeprecate, Target::Channel { channel }) => {
            is_deprecated(view, &format!("channel {channel}"))
        }
        (EditCommand::Undeprecate, Target::Entry { name, .. } | Target::Bundle { name }) => {
            is_deprecated(view, &format!("bundle {name}"))
        }
        (EditCommand::Migrate, Target::Package) => view.migratable > 0,
        (EditCommand::ReplaceStream, Target::Package) => !streams(view, "").is_empty(),
        (EditCommand::ReplaceStream, Target::Channel { channel }) => {
            !streams(view, channel).is_empty()
        }
        (EditCommand::ReplaceStream, Target::Entry { channel, name }) => {
            let choices = streams(view, channel);
            z_stream_of_entry(view, name)
                .is_some_and(|stream| choices.iter().any(|choice| choice.value == stream))
        }
        _ => check_in_package(command, view).is_ok(),
    }
}

/// Whether the command can do something with one of several entries.
pub fn can_apply_to_any(command: EditCommand, view: &PackageView, entries: &[EntryRef]) -> bool {
    entries
        .iter()
        .any(|entry| can_apply_to(command, view, &entry.clone().into()))
}

/// Whether the command changes a bundle, not only an entry.
fn needs_bundle(command: EditCommand) -> bool {
    use EditCommand::{Undeprecate, Withdraw};
    EditCommand::for_subject(Subject::Bundle).contains(&command)
        && !matches!(command, Undeprecate | Withdraw)
}

fn has_skips(row: &TableRow) -> bool {
    !row.is_absent() && !row.skips.is_empty()
}

fn is_deprecated(view: &PackageView, reference: &str) -> bool {
    view.deprecations
        .iter()
        .any(|(deprecated, _)| deprecated == reference)
}

/// Returns the kind of the selected object.
pub fn subject(target: &Target) -> Subject {
    match target {
        Target::Package | Target::Problem { .. } => Subject::Package,
        Target::Channel { .. } => Subject::Channel,
        Target::Entry { .. } => Subject::Entry,
        Target::Bundle { .. } => Subject::Bundle,
    }
}

/// Returns the commands that can do something with an object. A name that a channel only mentions
/// can be added to it, or corrected if there is no such bundle.
pub fn applicable_commands(view: &PackageView, target: &Target) -> Vec<EditCommand> {
    let row = match target {
        Target::Entry { channel, name } => view.row(channel, name),
        _ => None,
    };
    let mut commands = match row.filter(|row| row.is_absent()) {
        Some(row) if row.states.contains(&EntryState::NoBundle) => vec![EditCommand::AddBundle],
        Some(_) => EditCommand::for_subject(Subject::Bundle),
        None => EditCommand::for_subject(subject(target)),
    };
    commands.retain(|command| can_apply_to(*command, view, target));
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(entry: &str, version: &str, skips: &[&str]) -> TableRow {
        TableRow {
            channel: "stable".into(),
            entry: entry.into(),
            version: version.into(),
            skips: skips.iter().map(|name| (*name).to_owned()).collect(),
            ..TableRow::default()
        }
    }

    fn entry_ref(name: &str) -> EntryRef {
        EntryRef {
            channel: "stable".into(),
            name: name.into(),
        }
    }

    fn entry(name: &str) -> Target {
        Target::Entry {
            channel: "stable".into(),
            name: name.into(),
        }
    }

    #[test]
    fn absent_entries_have_other_commands() {
        let with_states = |entry: &str, states: &[EntryState]| TableRow {
            states: states.to_vec(),
            ..row(entry, "1.0.0", &[])
        };
        let in_beta = |row: TableRow| TableRow {
            channel: "beta".into(),
            ..row
        };
        let view = PackageView {
            default_channel: "stable".into(),
            channels: vec!["stable".into(), "beta".into()],
            table: vec![
                with_states("a", &[EntryState::Absent, EntryState::NoBundle]),
                with_states("b", &[EntryState::Absent]),
                row("c", "1.0.0", &[]),
                in_beta(row("c", "1.0.0", &[])),
                with_states("d", &[EntryState::NoBundle]),
            ],
            bundles: ["b", "c"]
                .map(|name| (name.into(), "1.0.0".into()))
                .to_vec(),
            ..PackageView::default()
        };
        let offers =
            |name: &str, command| applicable_commands(&view, &entry(name)).contains(&command);
        assert_eq!(
            applicable_commands(&view, &entry("a")),
            [EditCommand::AddBundle]
        );
        assert!(offers("b", EditCommand::Promote));
        assert!(!offers("b", EditCommand::SetReplaces));
        assert!(!offers("b", EditCommand::Withdraw), "no channel lists it");
        assert!(offers("c", EditCommand::SetReplaces) && offers("c", EditCommand::Withdraw));
        assert!(!offers("c", EditCommand::RemoveSkip), "it skips nothing");
        assert!(!offers("c", EditCommand::Promote), "every channel lists it");
        assert!(!offers("d", EditCommand::SetImage), "it has no bundle");
        assert!(offers("d", EditCommand::RemoveEntry));
        let beta = Target::Channel {
            channel: "beta".into(),
        };
        let sets_default =
            |target: &Target| can_apply_to(EditCommand::SetDefaultChannel, &view, target);
        assert!(sets_default(&Target::Package) && sets_default(&beta));
        assert!(!sets_default(&entry("c")), "it is the default channel");
    }

    #[test]
    fn absent_objects_cannot_be_removed() {
        let view = PackageView {
            table: vec![
                row("b", "1.1.1", &["a"]),
                row("a", "1.1.0", &[]),
                row("z", "1.0.0", &[]),
            ],
            bundles: [("b", "1.1.1"), ("a", "1.1.0"), ("z", "1.0.0")]
                .map(|(n, v)| (n.into(), v.into()))
                .to_vec(),
            deprecations: vec![("bundle a".into(), "old".into())],
            ..PackageView::default()
        };
        assert!(can_apply_to(EditCommand::RemoveSkip, &view, &entry("b")));
        assert!(!can_apply_to(EditCommand::RemoveSkip, &view, &entry("a")));
        assert!(can_apply_to(EditCommand::Undeprecate, &view, &entry("a")));
        assert!(!can_apply_to(EditCommand::Undeprecate, &view, &entry("b")));
        assert!(!can_apply_to(
            EditCommand::Undeprecate,
            &view,
            &Target::Channel {
                channel: "stable".into()
            }
        ));
        assert!(
            can_apply_to(EditCommand::Undeprecate, &view, &Target::Package),
            "one of the package's things is"
        );
        assert!(can_apply_to(EditCommand::AddSkip, &view, &entry("a")));
        assert!(
            can_apply_to(EditCommand::ReplaceStream, &view, &entry("a")),
            "there are two of 1.1.z"
        );
        assert!(!can_apply_to(
            EditCommand::ReplaceStream,
            &view,
            &entry("z")
        ));
        let other = Target::Channel {
            channel: "beta".into(),
        };
        assert!(
            !can_apply_to(EditCommand::ReplaceStream, &view, &other),
            "nothing is listed there"
        );
        assert!(can_apply_to_any(
            EditCommand::RemoveSkip,
            &view,
            &[entry_ref("a"), entry_ref("b")]
        ));
        assert!(!can_apply_to_any(
            EditCommand::RemoveSkip,
            &view,
            &[entry_ref("a")]
        ));
        assert!(check_in_package(EditCommand::RemoveSkip, &view).is_ok());
        let empty = PackageView::default();
        assert!(
            !can_apply_to(EditCommand::Migrate, &empty, &Target::Package),
            "no bundle embeds objects"
        );
        assert!(
            check_in_package(EditCommand::Migrate, &empty).is_ok(),
            "those of other packages may"
        );
        assert!(check_in_package(EditCommand::Substitute, &empty).is_ok());
        let of_template = PackageView {
            substitutions: Some(Vec::new()),
            impossible: ["set-replaces", "copy-package"]
                .map(|operation| ImpossibleOperation {
                    operation: operation.into(),
                    reason: "edges are computed".into(),
                    is_convertible: true,
                })
                .to_vec(),
            ..view
        };
        assert!(can_change_default(&of_template));
        let refusal = find_refusal(EditCommand::SetReplaces, &of_template);
        assert_eq!(
            refusal.map(|refused| refused.reason.as_str()),
            Some("edges are computed")
        );
        assert!(!can_apply_to(
            EditCommand::SetReplaces,
            &of_template,
            &entry("a")
        ));
        assert!(refused_form(EditCommand::SetReplaces, &of_template).is_some());
        assert!(
            refused_form(EditCommand::CopyPackage, &of_template).is_none(),
            "to another catalog"
        );
        assert!(can_apply_to(
            EditCommand::Substitute,
            &of_template,
            &entry("a")
        ));
        assert!(check_in_package(EditCommand::RemoveSkip, &empty).is_err());
        assert!(check_in_package(EditCommand::Undeprecate, &empty).is_err());
    }
}
