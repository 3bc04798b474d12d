//! Describes operations: titles of history steps, labels of fixes, conditions of hypothetical
//! answers.

use protocol::counting::{count_of, first_of};
use protocol::operation::{EdgeRule, EditOp};

/// Maximum number of channels named in a title.
const MAX_NAMED_CHANNELS: usize = 2;

/// Returns the title of a step: the first operation, the number of further ones, and the number of
/// catalogs with the same change. `others` is the number of other catalogs.
pub fn title(ops: &[EditOp], others: usize) -> String {
    let Some((first, rest)) = ops.split_first() else {
        return "Nothing".to_owned();
    };
    let first_title = describe(first);
    let title = match (rest.len(), named_channel(first)) {
        (0, _) => first_title,
        // The same change to the same entry in several channels.
        (count, Some(channel)) if rest.iter().all(|op| is_same_change(first, op)) => {
            let channels = format!(" in {channel} and {}", count_of(count, "more channel"));
            first_title.replacen(&format!(" in {channel}"), &channels, 1)
        }
        (count, _) => format!("{first_title} and {}", count_of(count, "more edit")),
    };
    match others {
        0 => title,
        others => format!("{title}, in {} catalogs", others + 1),
    }
}

/// Returns the channel in the title of an edit.
fn named_channel(op: &EditOp) -> Option<&str> {
    match op {
        EditOp::SetReplaces { channel, .. }
        | EditOp::AddSkip { channel, .. }
        | EditOp::RemoveSkip { channel, .. }
        | EditOp::SetSkipRange { channel, .. } => Some(channel),
        _ => None,
    }
}

/// Whether `other` is the same change to the same entry in another channel.
fn is_same_change(first: &EditOp, other: &EditOp) -> bool {
    let (Some(channel), Some(other_channel)) = (named_channel(first), named_channel(other)) else {
        return false;
    };
    let without_channel =
        |op: &EditOp, channel: &str| describe(op).replacen(&format!(" in {channel}"), "", 1);
    channel != other_channel
        && without_channel(first, channel) == without_channel(other, other_channel)
}

fn describe(op: &EditOp) -> String {
    let or_none = |name: &Option<String>| name.clone().unwrap_or_else(|| "none".to_owned());
    match op {
        EditOp::Promote { bundle, to, .. } => format!("Promote {bundle} to {to}"),
        EditOp::Withdraw {
            bundle, channel, ..
        } if channel.is_empty() => format!("Withdraw {bundle}"),
        EditOp::Withdraw {
            bundle, channel, ..
        } => format!(
            "Withdraw {bundle} from {}",
            first_of(channel.iter(), MAX_NAMED_CHANNELS)
        ),
        EditOp::SetDefaultChannel {
            package, channel, ..
        } => format!("Set default channel of {package} to {channel}"),
        EditOp::SetReplaces {
            channel,
            name,
            replaces,
            ..
        } => {
            format!(
                "Set replaces of {name} in {channel} to {}",
                or_none(replaces)
            )
        }
        EditOp::AddSkip {
            channel,
            name,
            skip,
            skip_matching,
            ..
        } => {
            format!(
                "Let {name} in {channel} skip {}",
                describe_skips(skip, skip_matching)
            )
        }
        EditOp::RemoveSkip {
            channel,
            name,
            skip,
            skip_matching,
            ..
        } => {
            format!(
                "Let {name} in {channel} no longer skip {}",
                describe_skips(skip, skip_matching)
            )
        }
        EditOp::SetSkipRange {
            channel,
            name,
            skip_range,
            ..
        } => {
            format!(
                "Set skip range of {name} in {channel} to {}",
                or_none(skip_range)
            )
        }
        EditOp::RemoveEntry { channel, name, .. } => format!("Remove {name} from {channel}"),
        EditOp::RebuildEdges { channel, rule, .. } => {
            let rule = match rule {
                EdgeRule::Replaces => "replaces chain",
                EdgeRule::SkipPatch => "skip-patch",
                EdgeRule::ZStream => "z-streams",
                EdgeRule::SkipRange => "skip ranges by y-stream",
            };
            format!("Rebuild the edges of {channel}: {rule}")
        }
        EditOp::AddChannel {
            channel,
            from: None,
            ..
        } => format!("Add channel {channel}"),
        EditOp::AddChannel {
            channel,
            from: Some(from),
            ..
        } => format!("Add channel {channel} as a copy of {from}"),
        EditOp::RenameChannel { channel, to, .. } => format!("Rename channel {channel} to {to}"),
        EditOp::RemoveChannel { channel, .. } => format!("Remove channel {channel}"),
        EditOp::RemoveBundle { bundle, .. } => format!("Remove bundle {bundle}"),
        EditOp::RenameBundle { bundle, to, .. } => format!("Rename bundle {bundle} to {to}"),
        EditOp::Deprecate {
            package,
            channel,
            bundle,
            ..
        } => format!("Deprecate {}", describe_target(package, channel, bundle)),
        EditOp::Undeprecate {
            package,
            channel,
            bundle,
            ..
        } => {
            format!(
                "Remove deprecation of {}",
                describe_target(package, channel, bundle)
            )
        }
        EditOp::SetDescription { package, text, .. } if text.is_empty() => {
            format!("Remove the description of {package}")
        }
        EditOp::SetDescription { package, .. } => format!("Set the description of {package}"),
        EditOp::SetIcon {
            package,
            data: None,
            ..
        } => format!("Remove the icon of {package}"),
        EditOp::SetIcon { package, .. } => format!("Set the icon of {package}"),
        EditOp::AddBundle {
            bundle,
            to: Some(channel),
            ..
        } => format!("Add bundle {bundle} to {channel}"),
        EditOp::AddBundle { bundle, .. } => format!("Add bundle {bundle}"),
        EditOp::AddPackage { package, .. } => format!("Add package {package}"),
        EditOp::RemovePackage { package, .. } => format!("Remove package {package}"),
        EditOp::CopyPackage { package, from, .. } => format!("Copy {package} from {from}"),
        EditOp::SetImage {
            package,
            bundle,
            condition,
            ..
        } => {
            format!(
                "Set the image of {}",
                describe_selection(package, bundle, condition)
            )
        }
        EditOp::Substitute {
            bundle,
            by: Some(by),
            ..
        } => format!("Substitute {bundle} by {by}"),
        EditOp::Substitute {
            bundle, by: None, ..
        } => format!("Remove the substitution of {bundle}"),
        EditOp::AddProperty {
            package,
            bundle,
            condition,
            kind,
            ..
        } => {
            format!(
                "Add {kind} to {}",
                describe_selection(package, bundle, condition)
            )
        }
        EditOp::RemoveProperty {
            package,
            bundle,
            condition,
            kind,
            ..
        } => {
            format!(
                "Remove {kind} from {}",
                describe_selection(package, bundle, condition)
            )
        }
        EditOp::Migrate {
            package: Some(package),
            ..
        } => format!("Migrate the bundles of {package}"),
        EditOp::Migrate { package: None, .. } => "Migrate all bundles".to_owned(),
        EditOp::ReplaceText { file, .. } => format!("Change text of {file}"),
    }
}

/// Describes the bundles that an operation changes: a single one, or those that meet a condition.
fn describe_selection(
    package: &str,
    bundle: &Option<String>,
    condition: &Option<String>,
) -> String {
    match (bundle, condition) {
        (Some(bundle), _) => bundle.clone(),
        (None, Some(condition)) => format!("bundles of {package} where {condition}"),
        (None, None) => package.to_owned(),
    }
}

fn describe_skips(names: &[String], matching: &Option<String>) -> String {
    let matching = matching.as_ref().map(|range| format!("all in {range}"));
    names
        .iter()
        .cloned()
        .chain(matching)
        .collect::<Vec<_>>()
        .join(", ")
}

fn describe_target(package: &str, channel: &Option<String>, bundle: &Option<String>) -> String {
    match (channel, bundle) {
        (Some(channel), _) => format!("channel {channel}"),
        (None, Some(bundle)) => format!("bundle {bundle}"),
        (None, None) => format!("package {package}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_the_channels_of_a_repeated_operation() {
        let skip = |channel: &str, name: &str| EditOp::AddSkip {
            catalog: None,
            package: "p".into(),
            channel: channel.into(),
            name: name.into(),
            skip: Vec::new(),
            skip_matching: Some("1.5.z".into()),
        };
        let same = [
            skip("stable", "p.v3"),
            skip("beta", "p.v3"),
            skip("alpha", "p.v3"),
        ];
        assert_eq!(
            title(&same, 0),
            "Let p.v3 in stable and 2 more channels skip all in 1.5.z"
        );
        let withdraw = |channel: &[&str]| EditOp::Withdraw {
            catalog: None,
            package: "p".into(),
            bundle: "p.v3".into(),
            by: None,
            channel: channel.iter().map(|name| (*name).to_owned()).collect(),
        };
        assert_eq!(
            title(&[withdraw(&["stable"])], 0),
            "Withdraw p.v3 from stable"
        );
        assert_eq!(title(&[withdraw(&[])], 0), "Withdraw p.v3");
        let others = [skip("stable", "p.v3"), skip("beta", "p.v4")];
        assert_eq!(
            title(&others, 0),
            "Let p.v3 in stable skip all in 1.5.z and 1 more edit"
        );
        assert_eq!(
            title(&others, 2),
            "Let p.v3 in stable skip all in 1.5.z and 1 more edit, in 3 catalogs"
        );
        let migrate = EditOp::Migrate {
            catalog: None,
            package: Some("p".into()),
        };
        assert_eq!(title(&[migrate], 0), "Migrate the bundles of p");
    }
}
