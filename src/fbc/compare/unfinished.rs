//! Unfinished parts: a package or channel that has no entry yet and never had one. `opm` refuses it
//! until the next step, which is the only thing to report; it harms nobody.

use crate::model::Package;
use crate::place::Text;
use std::fmt;

/// A package or channel without its first entry.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Unfinished {
    pub package: Text,
    /// The channel that needs an entry; `None` for a package without channels.
    pub channel: Option<Text>,
    /// No channel of the package ever had an entry: all problems of the package follow from that.
    pub is_whole_package: bool,
    /// There are bundles that a channel could list.
    pub has_bundles: bool,
}

impl Unfinished {
    /// Whether findings in this channel ("" for the package) only exist because it is unfinished.
    pub fn covers(&self, channel: &str) -> bool {
        self.is_whole_package || self.channel.as_deref() == Some(channel)
    }
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let package = &self.package;
        match &self.channel {
            None if self.has_bundles => {
                write!(
                    f,
                    "package {package} is not finished: add a channel for its bundles next"
                )
            }
            None => write!(
                f,
                "package {package} is not finished: add a channel next, then a bundle"
            ),
            Some(channel) if self.is_whole_package && self.has_bundles => {
                write!(
                    f,
                    "package {package} is not finished: promote a bundle into channel {channel} next"
                )
            }
            Some(channel) if self.is_whole_package => {
                write!(
                    f,
                    "package {package} is not finished: add a bundle to channel {channel} next"
                )
            }
            Some(channel) => {
                write!(
                    f,
                    "channel {channel} is not finished: add a bundle to it next, or promote one into it"
                )
            }
        }
    }
}

/// The unfinished part that the change leaves.
pub fn find_unfinished(before: Option<&Package>, after: Option<&Package>) -> Vec<Unfinished> {
    let Some(after) = after.filter(|package| !package.name.is_empty()) else {
        return Vec::new();
    };
    let of = |channel: Option<&Text>, is_whole_package| Unfinished {
        package: after.name.clone(),
        channel: channel.cloned(),
        is_whole_package,
        has_bundles: !after.bundles.is_empty(),
    };
    if !before.is_some_and(has_entries) && !has_entries(after) {
        let channels: Vec<_> = after
            .channels
            .iter()
            .map(|channel| &channel.name.value)
            .collect();
        let default = channels
            .iter()
            .find(|name| &****name == after.default_channel())
            .or(channels.first());
        return vec![of(default.copied(), true)];
    }
    let was_there = |name: &Text| before.is_some_and(|package| package.channel(name).is_some());
    let empty = after
        .channels
        .iter()
        .filter(|channel| channel.entries.is_empty());
    let begun = empty
        .map(|channel| &channel.name.value)
        .filter(|name| !was_there(name));
    begun.map(|name| of(Some(name), false)).collect()
}

fn has_entries(package: &Package) -> bool {
    package
        .channels
        .iter()
        .any(|channel| !channel.entries.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upgrade::testing::package;
    use std::sync::Arc;

    /// The entry `none` denotes a channel without entries.
    fn parse_package(text: &str) -> Arc<Package> {
        let mut package = package(text);
        for channel in &mut package.channels {
            Arc::make_mut(&mut channel.data)
                .entries
                .retain(|entry| entry.name.as_str() != "none");
        }
        Arc::new(package)
    }

    fn user_effects(before: Option<&str>, after: &str) -> Vec<String> {
        find_unfinished(
            before.map(parse_package).as_deref(),
            Some(&parse_package(after)),
        )
        .iter()
        .map(ToString::to_string)
        .collect()
    }

    #[test]
    fn a_part_without_entries_is_only_unfinished() {
        let (whole, begun) = ("c: a@1.0.0", "c: a@1.0.0\nd: none");
        assert!(user_effects(None, whole).is_empty());
        assert!(
            user_effects(Some(whole), "c: none").is_empty(),
            "it lost its last entry"
        );
        assert_eq!(
            user_effects(None, ""),
            ["package p is not finished: add a channel next, then a bundle"]
        );
        assert_eq!(
            user_effects(Some(""), "c: none"),
            ["package p is not finished: add a bundle to channel c next"]
        );
        let mut bundled = Package::clone(&parse_package(whole));
        bundled.channels.clear();
        let message = find_unfinished(None, Some(&bundled))[0].to_string();
        assert_eq!(
            message,
            "package p is not finished: add a channel for its bundles next"
        );
        let channel =
            ["channel d is not finished: add a bundle to it next, or promote one into it"];
        assert_eq!(user_effects(Some(whole), begun), channel);
        assert!(
            user_effects(Some(begun), begun).is_empty(),
            "it was unfinished before"
        );
        assert!(user_effects(Some(""), whole).is_empty());
    }
}
