//! Decides which entries inherit the edges of an entry that leaves the chain because it is skipped
//! or removed.

use super::channel_draft::ChannelDraft;
use super::entry_order::{self, Bundles};
use super::{PlanStep, simulate};
use catalog::graph::ChannelGraph;
use catalog::model::{ChannelBlob, Located, Package};
use catalog::version::blang::Range;
use std::collections::{HashSet, VecDeque};

/// Returns the entries that replace the entry `at`, except itself.
pub(super) fn replacing(channel: &ChannelBlob, at: usize) -> Vec<usize> {
    let name = channel.entries[at].name.as_str();
    (0..channel.entries.len())
        .filter(|&i| i != at && entry_order::replaces(&channel.entries[i], name))
        .collect()
}

/// Returns the new `replaces` of `above`, which replaced the entry `at`, after that one leaves the
/// chain: what it replaced; nothing if that leads back to `above`.
pub(super) fn below(channel: &ChannelBlob, at: usize, above: usize) -> &str {
    let replaces = channel.entries[at].replaces.as_str();
    let Some(next) = channel
        .entries
        .iter()
        .position(|e| !replaces.is_empty() && e.name.as_str() == replaces)
    else {
        return replaces;
    };
    let leads_back = next == at || entry_order::replaces_chain(channel, next).contains(&above);
    if leads_back { "" } else { replaces }
}

/// Returns the names that an entry of the channel skips.
pub(super) fn skipped_names(channel: &ChannelBlob) -> HashSet<&str> {
    channel
        .entries
        .iter()
        .flat_map(|e| &e.skips)
        .map(|s| s.as_str())
        .filter(|name| !name.is_empty())
        .collect()
}

/// Returns the nearest unskipped entry above `at`, following the entries that replace or skip it.
pub(super) fn nearest_above(channel: &ChannelBlob, at: usize) -> Option<usize> {
    let skipped = skipped_names(channel);
    let (mut seen, mut open) = (HashSet::from([at]), VecDeque::from([at]));
    while let Some(below) = open.pop_front() {
        let name = channel.entries[below].name.as_str();
        for (i, entry) in channel.entries.iter().enumerate() {
            let names = entry_order::replaces(entry, name) || entry.has_skip(name);
            if !names || !seen.insert(i) {
                continue;
            }
            if !skipped.contains(entry.name.as_str()) {
                return Some(i);
            }
            open.push_back(i);
        }
    }
    None
}

/// Returns the names that the entry `at` skips and whose users would be stuck once the entry `by`
/// skips it: no unskipped entry above names or covers them.
pub(super) fn left_behind<'c>(
    package: &Package,
    channel: &'c Located<ChannelBlob>,
    at: usize,
    by: usize,
) -> impl Iterator<Item = &'c str> {
    let gone = &channel.entries[at];
    let bundles = Bundles::new(package);
    let version = |i: usize| bundles.version(channel.entries[i].name.as_str());
    let own = version(at);
    let skipped = skipped_names(channel);
    let replacing = replacing(channel, at);
    let replaces = |i: usize| match replacing.contains(&i) {
        true => below(channel, at, i),
        false => channel.entries[i].replaces.as_str(),
    };
    let above: Vec<(usize, Option<Range>)> = (0..channel.entries.len())
        .filter(|&i| i != at && !skipped.contains(channel.entries[i].name.as_str()))
        .filter(|&i| matches!((version(i), &own), (Some(other), Some(own)) if other.compare(own).is_gt()))
        .map(|i| (i, Range::parse(channel.entries[i].skip_range.as_str()).ok()))
        .collect();
    let goes_on = |name: &str| {
        let version = bundles.version(name);
        above.iter().any(|(i, range)| {
            replaces(*i) == name
                || channel.entries[*i].has_skip(name)
                || range
                    .as_ref()
                    .zip(version.as_ref())
                    .is_some_and(|(range, version)| range.contains(&version.version))
        })
    };
    let replacement = channel.entries[by].name.as_str();
    let names = gone
        .skips
        .iter()
        .map(|s| s.as_str())
        .filter(|name| !["", replacement, gone.name.as_str(), replaces(by)].contains(name))
        .filter(|name| !goes_on(name));
    names.collect::<Vec<_>>().into_iter()
}

/// Returns the skip range of the entry `at`, if `replacement` can inherit it: it has none, and the
/// range excludes its version.
pub(super) fn inherited_range<'c>(
    package: &Package,
    channel: &'c Located<ChannelBlob>,
    at: usize,
    replacement: usize,
) -> Option<&'c str> {
    let (gone, own) = (
        channel.entries[at].skip_range.as_str(),
        &channel.entries[replacement],
    );
    let version = Bundles::new(package).version(own.name.as_str());
    let is_safe = Range::parse(gone).is_ok_and(|range| {
        !version
            .as_ref()
            .is_none_or(|version| range.contains(&version.version))
    });
    (own.skip_range.is_empty() && is_safe).then_some(gone)
}

/// The entries that inherit the edges of a removed one.
#[derive(Debug, Clone, Copy)]
enum Replacements {
    /// Those that replaced it.
    Replacing,
    /// The nearest unskipped entry above it: inherits what only the removed entry skipped.
    NearestAbove,
    /// The highest entry without incoming edges: the new head.
    HighestLeft,
}

/// Returns the steps that remove the entry `at`: its successors inherit its `replaces`, its skips,
/// and its skip range if they have none. `skips_it`: they also skip the removed entry.
/// The successors are the entries that replaced it. If there are none, or only skipped ones, a
/// valid channel could end up with several heads or stranded entries; then other entries inherit
/// instead, so that it stays valid.
pub(super) fn relink_step(
    package: &Package,
    channel: &Located<ChannelBlob>,
    at: usize,
    skips_it: bool,
) -> Vec<PlanStep> {
    let with = |replacements| relink(package, channel, at, replacements, skips_it);
    let plain = with(Replacements::Replacing);
    // Checked first because it is cheap: while many fixes are simulated, the channel is seldom
    // valid.
    let is_sound =
        entry_order::heads(channel).len() == 1 && ChannelGraph::from_channel(channel).is_sound();
    if !is_sound || is_sound_after(channel, &plain) {
        return plain;
    }
    let others = [Replacements::NearestAbove, Replacements::HighestLeft].map(with);
    others
        .into_iter()
        .find(|step| is_sound_after(channel, step))
        .unwrap_or(plain)
}

pub(super) fn is_sound_after(channel: &Located<ChannelBlob>, steps: &[PlanStep]) -> bool {
    let [PlanStep::Patch { patches, .. }] = steps else {
        return false;
    };
    let mut after = channel.clone();
    after.data = simulate::apply_patches(channel, patches).into();
    ChannelGraph::from_channel(&after).is_sound()
}

fn relink(
    package: &Package,
    channel: &Located<ChannelBlob>,
    at: usize,
    replacements: Replacements,
    skips_it: bool,
) -> Vec<PlanStep> {
    let gone = &channel.entries[at];
    let name = gone.name.as_str();
    let replacing = replacing(channel, at);
    let skipped = skipped_names(channel);
    let left: Vec<usize> = replacing
        .iter()
        .copied()
        .filter(|&i| !skipped.contains(channel.entries[i].name.as_str()))
        .collect();
    let bundles = Bundles::new(package);
    let replacements: Vec<usize> = match replacements {
        // A skipped entry is not an upgrade target, so its skips would help nobody.
        Replacements::Replacing if left.is_empty() => replacing.clone(),
        Replacements::Replacing => left,
        Replacements::NearestAbove => nearest_above(channel, at).into_iter().collect(),
        Replacements::HighestLeft => highest_left(channel, at, &bundles).into_iter().collect(),
    };
    let mut draft = ChannelDraft::new(channel);
    for i in 0..channel.entries.len() {
        let own = &channel.entries[i];
        let is_replacement = replacements.contains(&i);
        let replaces = match replacing.contains(&i) {
            true => below(channel, at, i),
            false
                if is_replacement
                    && replacing.is_empty()
                    && !skipped.contains(name)
                    && !gone.replaces.is_empty() =>
            {
                // The new head takes the position of the old one.
                if gone.replaces.value == own.name.value {
                    own.replaces.as_str()
                } else {
                    gone.replaces.as_str()
                }
            }
            false => own.replaces.as_str(),
        };
        draft.set_replaces(i, replaces);
        let mut skips: Vec<&str> = Vec::new();
        if is_replacement {
            let inherited = gone.skips.iter().map(|s| s.as_str());
            skips.extend(
                inherited
                    .filter(|s| !s.is_empty() && ![own.name.as_str(), name, replaces].contains(s)),
            );
            if let Some(range) = inherited_range(package, channel, at, i) {
                draft.set_skip_range(i, range);
            }
        }
        skips.extend((skips_it && replacing.contains(&i)).then_some(name));
        draft.add_skips(i, skips);
    }
    draft.remove(at);
    draft.finish()
}

/// Returns the entry with the highest version among those without incoming edges after removing the
/// entry `at`.
fn highest_left(channel: &ChannelBlob, at: usize, bundles: &Bundles<'_>) -> Option<usize> {
    let mut left = channel.clone();
    left.entries.remove(at);
    let heads = entry_order::heads(&left)
        .into_iter()
        .map(|i| if i < at { i } else { i + 1 });
    heads.max_by(|&a, &b| {
        let [a, b] = [a, b].map(|i| bundles.version(channel.entries[i].name.as_str()));
        entry_order::compare(&a, &b)
    })
}
