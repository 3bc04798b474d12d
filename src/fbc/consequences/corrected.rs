//! Names that a change corrects: an edge named nothing that is there, and now names an entry to which nothing led. Nobody
//! runs a version of the misspelt name, so nobody loses an update with it.

use crate::hashed::HashSet;
use crate::model::{ChannelBlob, Entry, Package};
use crate::place::Text;
use crate::validate::typo_count;

/// The misspelt names, each with its channel.
pub(super) fn corrected_names(before: &Package, after: &Package) -> HashSet<(Text, Text)> {
    let mut out = HashSet::default();
    for channel in &before.channels {
        let Some(now) = after.channels.iter().find(|now| now.name.value == channel.name.value) else { continue };
        for entry in &channel.entries {
            let Some(now) = now.entries.iter().find(|now| now.name.value == entry.name.value) else { continue };
            let edges = |of: &Entry| {
                std::iter::once(&of.replaces).chain(&of.skips).map(|name| name.value.clone()).collect::<Vec<_>>()
            };
            let (were, are) = (edges(entry), edges(now));
            for was in were.iter().filter(|was| !are.contains(was) && is_nothing(was, channel, before)) {
                let is_meant = |name: &&Text| {
                    !were.contains(name) && typo_count(was, name).is_some() && leads_nowhere(name, channel)
                };
                if are.iter().any(|name| is_meant(&name)) {
                    out.insert((channel.name.value.clone(), was.clone()));
                }
            }
        }
    }
    out
}

/// Neither a bundle of the package nor an entry of the channel has the name.
fn is_nothing(name: &Text, channel: &ChannelBlob, package: &Package) -> bool {
    !name.is_empty()
        && package.bundles.iter().all(|bundle| bundle.name.value != *name)
        && channel.entries.iter().all(|entry| entry.name.value != *name)
}

/// An entry of the channel that no edge of it names.
fn leads_nowhere(name: &Text, channel: &ChannelBlob) -> bool {
    channel.entries.iter().any(|entry| entry.name.value == *name)
        && channel
            .entries
            .iter()
            .all(|entry| entry.replaces.value != *name && entry.skips.iter().all(|skip| skip.value != *name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upgrade::testing::package;

    fn corrected(before: &str, after: &str) -> Vec<Text> {
        corrected_names(&package(before), &package(after)).into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn a_name_is_corrected_where_nothing_had_it_and_nothing_led_to_what_is_meant() {
        let before = "c: op.v3@3.0.0 r:op.v22; op.v2@2.0.0 r:op.v1; op.v1@1.0.0";
        assert_eq!(corrected(before, &before.replace("v22", "v2")), [Text::from("op.v22")]);
        assert!(corrected(before, before).is_empty());
        assert!(corrected(before, &before.replace("v22", "v1")).is_empty(), "something led to that");
        let there = before.replace("r:op.v22", "r:op.v2 s:op.v22");
        assert!(corrected(&there, &there.replace(" s:op.v22", "")).is_empty(), "nothing was put in its place");
        let other = before.replace("op.v22", "removed");
        assert!(corrected(&other, &other.replace("removed", "op.v2")).is_empty(), "that is another name");
    }
}
