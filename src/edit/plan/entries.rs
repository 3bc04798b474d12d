//! The operations on one entry: changing its edges, removing it, and withdrawing its bundle. Edges
//! may name entries outside the channel.

use super::channel_draft::ChannelDraft;
use super::relink::relink_step;
use super::version_ranges::{VersionSelector, where_skips_are};
use super::{CatalogView, PlanResult, PlanStep, Refused, did_you_mean, entry_order, relink};
use catalog::model::{ChannelBlob, Located, Package};
use catalog::version::blang;
use catalog::version::range::repair_range;
use protocol::operation::DanglingEdges;
use std::collections::{HashMap, HashSet};

/// `set-replaces`: sets the entry that an entry replaces; `None` removes the edge.
pub(super) fn set_replaces(
    view: &CatalogView<'_>,
    package: &str,
    channel: &str,
    name: &str,
    replaces: Option<&str>,
) -> PlanResult {
    let (_, channel, at) = find_entry(view, package, channel, name)?;
    let mut draft = ChannelDraft::new(channel);
    draft.set_replaces(at, replaces.unwrap_or_default());
    Ok(draft.finish())
}

pub(super) fn set_skip_range(
    view: &CatalogView<'_>,
    package: &str,
    channel: &str,
    name: &str,
    range: Option<&str>,
) -> PlanResult {
    let (_, channel, at) = find_entry(view, package, channel, name)?;
    let range = range.unwrap_or_default();
    check_range(range)?;
    let mut draft = ChannelDraft::new(channel);
    draft.set_skip_range(at, range);
    Ok(draft.finish())
}

/// Refuses an invalid range: a blob with one cannot be read, so no operation could fix it. An empty
/// range is accepted.
pub(super) fn check_range(range: &str) -> Result<(), Refused> {
    if range.is_empty() {
        return Ok(());
    }
    let Err(error) = blang::Range::parse(range) else {
        return Ok(());
    };
    let help = match repair_range(range) {
        Some(repaired) => format!("did you mean `{repaired}`?"),
        None => "write comparisons with full versions, such as `>=1.0.0 <1.2.0`".to_owned(),
    };
    Err(refused!("`{range}` is not a version range: {error}").help(help))
}

/// `add-skip`: adds skips to an entry. If the entry replaced one that matches `skip_matching`, it
/// takes over what that one replaced, so that no users below are stranded. Individually named skips
/// leave `replaces` unchanged.
pub(super) fn add_skip(
    view: &CatalogView<'_>,
    package: &str,
    channel: &str,
    name: &str,
    skip: &[String],
    skip_matching: Option<&str>,
) -> PlanResult {
    let (package, channel, at) = find_entry(view, package, channel, name)?;
    if skip.iter().any(String::is_empty) || skip.is_empty() && skip_matching.is_none() {
        return Err(Refused::new("no entries to skip are named")
            .help("name at least one, or a range of versions"));
    }
    let mut draft = ChannelDraft::new(channel);
    let mut names: Vec<&str> = skip.iter().map(String::as_str).collect();
    if let Some(text) = skip_matching {
        let matching = VersionSelector::parse(text)?.lower_entries(view, package, channel, at)?;
        draft.set_replaces(at, new_replaces(channel, at, &matching));
        names.extend(matching);
    }
    draft.add_skips(at, names);
    Ok(draft.finish())
}

pub(super) fn remove_skip(
    view: &CatalogView<'_>,
    package: &str,
    channel: &str,
    name: &str,
    skip: &[String],
    skip_matching: Option<&str>,
) -> PlanResult {
    let (package, channel, at) = find_entry(view, package, channel, name)?;
    if skip.is_empty() && skip_matching.is_none() {
        return Err(Refused::new("no skips to remove are named")
            .help("name at least one, or a range of versions"));
    }
    let entry = &channel.entries[at];
    if let Some(missing) = skip
        .iter()
        .find(|s| entry.skips.iter().all(|e| e.as_str() != **s))
    {
        let names = entry.skips.iter().map(|s| s.as_str());
        return Err(refused!("`{name}` does not skip `{missing}`")
            .help(did_you_mean(missing, names, where_skips_are(entry)))
            .at(view.locate(channel, entry.name.place)));
    }
    let mut names = skip.to_vec();
    if let Some(text) = skip_matching {
        names.extend(VersionSelector::parse(text)?.skips(view, package, channel, at)?);
    }
    let mut draft = ChannelDraft::new(channel);
    draft.remove_skips(at, &names);
    Ok(draft.finish())
}

/// Returns the new `replaces` of an entry that skips these names: the first unskipped name of the
/// chain below it.
fn new_replaces<'a>(channel: &'a ChannelBlob, at: usize, skipped: &[&str]) -> &'a str {
    // A chain that returns to the entry ends there.
    let entry_name = channel.entries[at].name.as_str();
    let skipped: HashSet<&str> = skipped
        .iter()
        .copied()
        .chain([entry_name])
        .filter(|n| !n.is_empty())
        .collect();
    // The first of several entries with one name counts.
    let entries = channel.entries.iter().rev();
    let mut replaces: HashMap<&str, &str> = entries
        .map(|entry| (entry.name.as_str(), entry.replaces.as_str()))
        .collect();
    let mut name = replaces.remove(entry_name).unwrap_or_default();
    // Each step removes a name, so a cycle ends.
    while skipped.contains(name) {
        name = replaces.remove(name).unwrap_or_default();
    }
    name
}

fn find_entry<'a>(
    view: &CatalogView<'a>,
    package: &str,
    channel: &str,
    name: &str,
) -> Result<(&'a Package, &'a Located<ChannelBlob>, usize), Refused> {
    let package = view.package(package)?;
    let channel = view.channel(package, channel)?;
    Ok((package, channel, view.entry(channel, name)?))
}

/// `remove-entry`: removes a channel entry and handles the edges to it.
///
/// `relink`: its successors inherit its `replaces` and skips. `skip`: additionally they skip it.
/// `leave`: the edges stay and name a missing entry. Other entries' skips of the removed entry
/// always stay: its users upgrade by them.
///
/// If an entry is listed again without further edges, the last listing is removed: edges still lead
/// to the others, so none changes.
pub(super) fn remove(
    view: &CatalogView<'_>,
    package: &str,
    channel: &str,
    name: &str,
    then: DanglingEdges,
) -> PlanResult {
    let package = view.package(package)?;
    let channel = view.channel(package, channel)?;
    if let Some(again) = last_duplicate(channel, name) {
        let mut draft = ChannelDraft::new(channel);
        draft.remove(again);
        return Ok(draft.finish());
    }
    Ok(remove_entry(
        package,
        channel,
        view.entry(channel, name)?,
        then,
    ))
}

/// Returns the last listing of an entry, if all but the first add no edge.
fn last_duplicate(channel: &ChannelBlob, name: &str) -> Option<usize> {
    let mut listed = channel
        .entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| entry.name.as_str() == name);
    let (_, first) = listed.next()?;
    let mut last = None;
    for (at, entry) in listed {
        if !first.covers(entry) {
            return None;
        }
        last = Some(at);
    }
    last
}

/// Returns the steps that remove the entry `at` from its channel.
pub(super) fn remove_entry(
    package: &Package,
    channel: &Located<ChannelBlob>,
    at: usize,
    then: DanglingEdges,
) -> Vec<PlanStep> {
    match then {
        DanglingEdges::Relink | DanglingEdges::Skip => relink_step(package, channel, at, then),
        DanglingEdges::Leave => {
            let mut draft = ChannelDraft::new(channel);
            draft.remove(at);
            draft.finish()
        }
    }
}

/// `withdraw`: a bad bundle stays listed, but its successor, the entry that users should get
/// instead, skips it. Every entry that replaced it inherits its `replaces`.
///
/// A skipped entry is no longer an update under OLM Classic, but still is one under OLM v1. So the
/// successor also skips the bundles that only the withdrawn entry skipped: their users would be
/// stuck, or updated to the bad bundle.
pub(super) fn withdraw(
    view: &CatalogView<'_>,
    package: &str,
    bundle: &str,
    by: Option<&str>,
    channels: &[String],
) -> PlanResult {
    let package = view.package(package)?;
    let targets = withdrawal_channels(view, package, bundle, channels)?;
    let mut steps = Vec::new();
    for channel in targets {
        let at = view.entry(channel, bundle)?;
        let by = successor(view, package, channel, at, by)?;
        let mut draft = ChannelDraft::new(channel);
        for above in relink::replacing(channel, at) {
            draft.set_replaces(above, relink::below(channel, at, above));
        }
        draft.add_skips(
            by,
            std::iter::once(bundle).chain(relink::stranded_skips(package, channel, at, by)),
        );
        if let Some(range) = relink::inherited_range(package, channel, at, by) {
            draft.set_skip_range(by, range);
        }
        steps.extend(draft.finish());
    }
    Ok(steps)
}

/// Returns the named channels without duplicates, or else all that list the bundle.
fn withdrawal_channels<'a>(
    view: &CatalogView<'a>,
    package: &'a Package,
    bundle: &str,
    channels: &[String],
) -> Result<Vec<&'a Located<ChannelBlob>>, Refused> {
    let mut targets: Vec<&Located<ChannelBlob>> = Vec::new();
    for name in channels {
        let channel = view.channel(package, name)?;
        if !targets.iter().any(|t| std::ptr::eq(*t, channel)) {
            targets.push(channel);
        }
    }
    if channels.is_empty() {
        for channel in package.channels.iter().filter(|c| c.has_entry(bundle)) {
            targets.push(view.channel(package, channel.name.as_str())?);
        }
    }
    if targets.is_empty() {
        let names = package.entries().map(|e| e.name.as_str());
        return Err(
            refused!("no channel of package `{}` lists `{bundle}`", package.name).help(
                did_you_mean(bundle, names, "`switchyard list bundles` lists the entries"),
            ),
        );
    }
    Ok(targets)
}

/// Returns the entry that should skip the withdrawn one: the named one, else the one with the next
/// higher version, else the nearest one above, which its users get now. Skipped entries do not
/// count, since they update nobody, and a channel's only head has no successor.
fn successor(
    view: &CatalogView<'_>,
    package: &Package,
    channel: &Located<ChannelBlob>,
    at: usize,
    by: Option<&str>,
) -> Result<usize, Refused> {
    let bundle = channel.entries[at].name.as_str();
    let location = view.locate(channel, channel.entries[at].name.place);
    if let Some(by) = by {
        if by == bundle {
            return Err(refused!("`{bundle}` cannot be its own successor")
                .help("name the entry that users should get instead")
                .at(location));
        }
        return view.entry(channel, by).map_err(|refused| {
            let help = "use `--channel` to limit the channels, or name another entry with `--by`";
            if refused.help.starts_with("did you mean") {
                refused
            } else {
                refused.help(help)
            }
        });
    }
    let skipped = relink::skipped_names(channel);
    let mut versions = entry_order::versions(package, channel);
    let withdrawn = versions[at].take();
    for (version, entry) in versions.iter_mut().zip(&channel.entries) {
        version.take_if(|_| skipped.contains(entry.name.as_str()));
    }
    let higher = withdrawn
        .as_ref()
        .and_then(|version| entry_order::next_higher(&versions, version));
    let is_only_head = entry_order::heads(channel) == [at];
    let successor = higher
        .or_else(|| relink::nearest_above(channel, at))
        .filter(|_| !is_only_head);
    successor.ok_or_else(|| {
        refused!(
            "channel `{}` has no entry above `{bundle}` that users could get instead",
            channel.name.value
        )
        .help("release a fix first, or deprecate the bundle")
        .at(location)
    })
}
