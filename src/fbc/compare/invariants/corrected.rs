//! Detects corrected names: an edge named nothing that exists and now names an entry without
//! incoming edges, or an entry had a name without a bundle and now has one with a bundle. Nobody
//! runs the misspelt version, so nobody loses an update, and the edge is not considered changed.

use super::Finding;
use super::ranges::EDGE_REWRITTEN;
use crate::hashed::{HashMap, HashSet};
use crate::model::{ChannelBlob, Entry, Package};
use crate::place::Text;
use crate::validate::edit_count;
use std::cell::OnceCell;
use std::sync::Arc;

/// The misspelt names with their channels.
pub(super) struct Corrected {
    names: HashSet<(Text, Text)>,
}

impl Corrected {
    pub fn between(before: &Package, after: &Package) -> Self {
        Self {
            names: names(before, after),
        }
    }

    /// Whether a finding concerns the name, or the entry that named it.
    pub fn is_about(&self, finding: &Finding) -> bool {
        // A finding without a channel concerns OLM v1 without channels.
        let is_corrected = |name: Text| {
            self.names.iter().any(|(channel, corrected)| {
                *corrected == name && (finding.channel.is_empty() || *channel == finding.channel)
            })
        };
        let was = finding
            .message
            .strip_suffix('`')
            .and_then(|message| message.rsplit_once(" instead of `"));
        let is_rewritten = |(_, name): (&str, &str)| {
            *finding.invariant == EDGE_REWRITTEN && is_corrected(name.into())
        };
        !self.names.is_empty()
            && (is_corrected(finding.subject.clone()) || was.is_some_and(is_rewritten))
    }
}

fn names(before: &Package, after: &Package) -> HashSet<(Text, Text)> {
    let mut out = HashSet::default();
    let channels = after.channels_by_name();
    let bundles = OnceCell::new();
    for channel in &before.channels {
        let Some(now) = channels
            .get(channel.name.as_str())
            .and_then(|of_name| of_name.first())
        else {
            continue;
        };
        if Arc::ptr_eq(&channel.data, &now.data) {
            continue;
        }
        let entries: HashMap<&Text, &Entry> = now
            .entries
            .iter()
            .rev()
            .map(|entry| (&entry.name.value, entry))
            .collect();
        let bundles: &HashSet<&Text> = bundles.get_or_init(|| {
            before
                .bundles
                .iter()
                .map(|bundle| &bundle.name.value)
                .collect()
        });
        let names = Names::from_channel(channel);
        let renamed: HashSet<&Text> = names
            .entries
            .iter()
            .copied()
            .filter(|was| !bundles.contains(was))
            .filter(|was| {
                let is_new_spelling =
                    |name: &Text| !names.entries.contains(name) && edit_count(was, name).is_some();
                let mut new = entries.keys().filter(|name| is_new_spelling(name));
                !was.is_empty()
                    && !entries.contains_key(was)
                    && new.any(|name| after.bundle(name).is_some())
            })
            .collect();
        for entry in &channel.entries {
            let Some(now) = entries.get(&entry.name.value) else {
                continue;
            };
            let (were, are) = (edges(entry), edges(now));
            for was in were.difference(&are).filter(|was| !was.is_empty()) {
                // Neither a bundle of the package nor an entry of the channel has the name.
                if bundles.contains(*was) || names.entries.contains(*was) {
                    continue;
                }
                let is_correction = |name: &&Text| {
                    !were.contains(name)
                        && names.leads_nowhere(name)
                        && edit_count(was, name).is_some()
                };
                if are.iter().any(is_correction) {
                    out.insert((channel.name.value.clone(), Text::clone(was)));
                }
            }
        }
        out.extend(
            renamed
                .into_iter()
                .map(|name| (channel.name.value.clone(), name.clone())),
        );
    }
    out
}

/// The names in a channel: its entries and the targets of their edges.
struct Names<'a> {
    entries: HashSet<&'a Text>,
    edges: HashSet<&'a Text>,
}

impl<'a> Names<'a> {
    fn from_channel(channel: &'a ChannelBlob) -> Self {
        let entries = channel
            .entries
            .iter()
            .map(|entry| &entry.name.value)
            .collect();
        Self {
            entries,
            edges: channel.entries.iter().flat_map(edges).collect(),
        }
    }

    /// The name is not an entry of the channel that an edge names.
    fn leads_nowhere(&self, name: &Text) -> bool {
        self.entries.contains(name) && !self.edges.contains(name)
    }
}

fn edges(entry: &Entry) -> HashSet<&Text> {
    std::iter::once(&entry.replaces)
        .chain(&entry.skips)
        .map(|name| &name.value)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upgrade::testing::package;

    fn corrected_names(before: &str, after: &str) -> Vec<Text> {
        names(&package(before), &package(after))
            .into_iter()
            .map(|(_, name)| name)
            .collect()
    }

    #[test]
    fn a_name_is_corrected_if_it_was_unknown_and_nothing_led_to_the_new_one() {
        let before = "c: op.v3@3.0.0 r:op.v22; op.v2@2.0.0 r:op.v1; op.v1@1.0.0";
        assert_eq!(
            corrected_names(before, &before.replace("v22", "v2")),
            [Text::from("op.v22")]
        );
        assert!(corrected_names(before, before).is_empty());
        assert!(
            corrected_names(before, &before.replace("v22", "v1")).is_empty(),
            "the new name had an edge before"
        );
        let skipping = before.replace("r:op.v22", "r:op.v2 s:op.v22");
        assert!(
            corrected_names(&skipping, &skipping.replace(" s:op.v22", "")).is_empty(),
            "the name was only removed"
        );
        let entry = before.replace("op.v2@2.0.0", "op.v22");
        let bundle = format!("{before}\nd: op.v2@2.0.0");
        assert_eq!(
            corrected_names(
                &format!("{entry}\nd: op.v2@2.0.0"),
                &bundle.replace("r:op.v22", "r:op.v2")
            ),
            [Text::from("op.v22")]
        );
        assert!(
            corrected_names(&entry, &before.replace("op.v2@2.0.0 r:op.v1; ", "")).is_empty(),
            "the entry was only removed"
        );
        let other = before.replace("op.v22", "removed");
        assert!(
            corrected_names(&other, &other.replace("removed", "op.v2")).is_empty(),
            "the names are not similar"
        );
    }
}
