//! Decides which entries inherit the edges of an entry that leaves the chain because it is skipped
//! or removed.

use super::channel_draft::ChannelDraft;
use super::entry_order::{self, Bundles};
use super::{PlanStep, simulate};
use catalog::graph::ChannelGraph;
use catalog::model::{ChannelBlob, Located, Package};
use catalog::version::VersionRelease;
use catalog::version::blang::Range;
use protocol::operation::DanglingEdges;
use std::collections::{HashSet, VecDeque};

/// Returns the entries that replace the entry `at`, except itself.
pub(super) fn replacing(channel: &ChannelBlob, at: usize) -> Vec<usize> {
    let name = channel.entries[at].name.as_str();
    (0..channel.entries.len())
        .filter(|&i| i != at && entry_order::replaces(&channel.entries[i], name))
        .collect()
}

/// Returns the new `replaces` of `above`, which replaced the entry `at`, after that one leaves the
/// chain: its `replaces`, or "" if that leads back to `above`.
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
    let (mut visited, mut queue) = (HashSet::from([at]), VecDeque::from([at]));
    while let Some(below) = queue.pop_front() {
        let name = channel.entries[below].name.as_str();
        for (i, entry) in channel.entries.iter().enumerate() {
            let names = entry_order::replaces(entry, name) || entry.has_skip(name);
            if !names || !visited.insert(i) {
                continue;
            }
            if !skipped.contains(entry.name.as_str()) {
                return Some(i);
            }
            queue.push_back(i);
        }
    }
    None
}

/// Returns the names that the entry `at` skips and whose users have no update once the entry `by`
/// skips it: no unskipped entry above replaces or skips them.
pub(super) fn stranded_skips<'c>(
    package: &Package,
    channel: &'c Located<ChannelBlob>,
    at: usize,
    by: usize,
) -> Vec<&'c str> {
    let removed = &channel.entries[at];
    let bundles = Bundles::new(package);
    let version = |i: usize| bundles.version(channel.entries[i].name.as_str());
    let removed_version = version(at);
    let skipped = skipped_names(channel);
    let replacing = replacing(channel, at);
    let replaces = |i: usize| {
        if replacing.contains(&i) {
            below(channel, at, i)
        } else {
            channel.entries[i].replaces.as_str()
        }
    };
    let is_higher = |i: usize| match (version(i), &removed_version) {
        (Some(version), Some(removed)) => version.compare(removed).is_gt(),
        _ => false,
    };
    let above: Vec<(usize, Option<Range>)> = (0..channel.entries.len())
        .filter(|&i| i != at && !skipped.contains(channel.entries[i].name.as_str()))
        .filter(|&i| is_higher(i))
        .map(|i| (i, Range::parse(channel.entries[i].skip_range.as_str()).ok()))
        .collect();
    let has_update = |name: &str| {
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
    removed
        .skips
        .iter()
        .map(|s| s.as_str())
        .filter(|name| !["", replacement, removed.name.as_str(), replaces(by)].contains(name))
        .filter(|name| !has_update(name))
        .collect()
}

/// Returns the skip range of the entry `at`, if `replacement` can inherit it: it has none, and the
/// range excludes its version.
pub(super) fn inherited_range<'c>(
    package: &Package,
    channel: &'c Located<ChannelBlob>,
    at: usize,
    replacement: usize,
) -> Option<&'c str> {
    let skip_range = channel.entries[at].skip_range.as_str();
    let replacement = &channel.entries[replacement];
    let version = Bundles::new(package).version(replacement.name.as_str())?;
    let is_excluded = Range::parse(skip_range).is_ok_and(|range| !range.contains(&version.version));
    (replacement.skip_range.is_empty() && is_excluded).then_some(skip_range)
}

/// The entries that inherit the edges of a removed one.
#[derive(Debug, Clone, Copy)]
enum Replacements {
    /// Those that replaced it.
    Replacing,
    /// The nearest unskipped entry above it: inherits what only the removed entry skipped.
    NearestAbove,
    /// The highest entry without incoming edges: the new head.
    NewHead,
}

/// Returns the steps that remove the entry `at`: its successors inherit its `replaces`, its skips,
/// and its skip range if they have none. With [`DanglingEdges::Skip`], those that replaced it also
/// skip it.
///
/// The successors are the entries that replaced it. If there are none, or only skipped ones, a
/// valid channel could end up with several heads or stranded entries; then other entries inherit
/// instead, so that it stays valid.
pub(super) fn relink_step(
    package: &Package,
    channel: &Located<ChannelBlob>,
    at: usize,
    then: DanglingEdges,
) -> Vec<PlanStep> {
    let with = |replacements| relink(package, channel, at, replacements, then);
    let plain = with(Replacements::Replacing);
    // The number of heads is checked first because that is cheap: most channels are invalid when
    // fixes are simulated.
    let is_sound =
        entry_order::heads(channel).len() == 1 && ChannelGraph::from_channel(channel).is_sound();
    if !is_sound || is_sound_after(channel, &plain) {
        return plain;
    }
    [Replacements::NearestAbove, Replacements::NewHead]
        .into_iter()
        .map(with)
        .find(|steps| is_sound_after(channel, steps))
        .unwrap_or(plain)
}

/// Whether the channel has one head and no stranded entries after these steps, which must patch its
/// blob.
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
    then: DanglingEdges,
) -> Vec<PlanStep> {
    let removed = &channel.entries[at];
    let name = removed.name.as_str();
    let replacing = replacing(channel, at);
    let skipped = skipped_names(channel);
    let unskipped: Vec<usize> = replacing
        .iter()
        .copied()
        .filter(|&i| !skipped.contains(channel.entries[i].name.as_str()))
        .collect();
    let bundles = Bundles::new(package);
    let replacements: Vec<usize> = match replacements {
        // A skipped entry is not an upgrade target, so its skips would help nobody.
        Replacements::Replacing if unskipped.is_empty() => replacing.clone(),
        Replacements::Replacing => unskipped,
        Replacements::NearestAbove => nearest_above(channel, at).into_iter().collect(),
        Replacements::NewHead => new_head(channel, at, &bundles).into_iter().collect(),
    };
    let new_head_inherits_replaces =
        replacing.is_empty() && !skipped.contains(name) && !removed.replaces.is_empty();
    let mut draft = ChannelDraft::new(channel);
    for (i, entry) in channel.entries.iter().enumerate() {
        let is_replacement = replacements.contains(&i);
        let replaces = if replacing.contains(&i) {
            below(channel, at, i)
        } else if is_replacement
            && new_head_inherits_replaces
            && removed.replaces.value != entry.name.value
        {
            removed.replaces.as_str()
        } else {
            entry.replaces.as_str()
        };
        draft.set_replaces(i, replaces);
        let mut skips: Vec<&str> = Vec::new();
        if is_replacement {
            let own_names = ["", entry.name.as_str(), name, replaces];
            let inherited = removed.skips.iter().map(|skip| skip.as_str());
            skips.extend(inherited.filter(|skip| !own_names.contains(skip)));
            if let Some(range) = inherited_range(package, channel, at, i) {
                draft.set_skip_range(i, range);
            }
        }
        if then == DanglingEdges::Skip && replacing.contains(&i) {
            skips.push(name);
        }
        draft.add_skips(i, skips);
    }
    draft.remove(at);
    draft.finish()
}

/// Returns the entry with the highest version among the heads after removing the entry `at`.
fn new_head(channel: &ChannelBlob, at: usize, bundles: &Bundles<'_>) -> Option<usize> {
    let mut remaining = channel.clone();
    remaining.entries.remove(at);
    let heads = entry_order::heads(&remaining)
        .into_iter()
        .map(|i| if i < at { i } else { i + 1 });
    heads.max_by(|&a, &b| {
        let [a, b] = [a, b].map(|i| bundles.version(channel.entries[i].name.as_str()));
        VersionRelease::compare_optional(&a, &b)
    })
}
