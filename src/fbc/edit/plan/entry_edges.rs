//! `set-replaces`, `add-skip`, `remove-skip`, `set-skip-range`: the edges of one entry. Edges may
//! name entries outside the channel.

use super::channel_draft::ChannelDraft;
use super::refused::{Refused, did_you_mean};
use super::version_selector::VersionSelector;
use super::{CatalogView, PlanStep};
use crate::model::{ChannelBlob, Located};
use crate::version::blang;
use crate::version::range::repair_range;
use std::collections::{HashMap, HashSet};

pub(super) fn set_replaces(
    view: &CatalogView<'_>,
    package: &str,
    channel: &str,
    name: &str,
    replaces: Option<&str>,
) -> Result<Vec<PlanStep>, Refused> {
    let (channel, at) = find(view, package, channel, name)?;
    let mut draft = ChannelDraft::new(channel);
    draft.set_replaces(at, replaces.unwrap_or_default());
    Ok(draft.finish().into_iter().collect())
}

pub(super) fn set_skip_range(
    view: &CatalogView<'_>,
    package: &str,
    channel: &str,
    name: &str,
    range: Option<&str>,
) -> Result<Vec<PlanStep>, Refused> {
    let (channel, at) = find(view, package, channel, name)?;
    let range = range.unwrap_or_default();
    readable(range)?;
    let mut draft = ChannelDraft::new(channel);
    draft.set_skip_range(at, range);
    Ok(draft.finish().into_iter().collect())
}

/// Accepts only a valid range or none. Any other makes the catalog invalid beyond repair by further
/// edits.
pub(super) fn readable(range: &str) -> Result<(), Refused> {
    let Some(error) = Some(range)
        .filter(|range| !range.is_empty())
        .and_then(|range| blang::Range::parse(range).err())
    else {
        return Ok(());
    };
    let help = match repair_range(range) {
        Some(repaired) => format!("did you mean `{repaired}`?"),
        None => "write comparisons with full versions, such as `>=1.0.0 <1.2.0`".to_owned(),
    };
    Err(Refused::new(format!("`{range}` is not a version range: {error}")).help(help))
}

/// If the entry replaced a matching entry, it takes over what that one replaced, so that nobody
/// below is stranded; with individual names `replaces` is left alone.
pub(super) fn add_skip(
    view: &CatalogView<'_>,
    package: &str,
    channel: &str,
    name: &str,
    skip: &[String],
    skip_matching: Option<&str>,
) -> Result<Vec<PlanStep>, Refused> {
    let package = view.package(package)?;
    let channel = view.channel(package, channel)?;
    let at = view.entry(channel, name)?;
    if skip.iter().any(String::is_empty) || skip.is_empty() && skip_matching.is_none() {
        return Err(Refused::new("no entries to skip are named")
            .help("name at least one, or a range of versions"));
    }
    let mut draft = ChannelDraft::new(channel);
    let mut names: Vec<&str> = skip.iter().map(String::as_str).collect();
    if let Some(text) = skip_matching {
        let matching = VersionSelector::parse(text)?.lower_entries(view, package, channel, at)?;
        draft.set_replaces(at, below(channel, at, &matching));
        names.extend(matching);
    }
    draft.add_skips(at, names);
    Ok(draft.finish().into_iter().collect())
}

pub(super) fn remove_skip(
    view: &CatalogView<'_>,
    package: &str,
    channel: &str,
    name: &str,
    skip: &[String],
    skip_matching: Option<&str>,
) -> Result<Vec<PlanStep>, Refused> {
    let package = view.package(package)?;
    let channel = view.channel(package, channel)?;
    let at = view.entry(channel, name)?;
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
        let listed = if entry.skips.is_empty() {
            "it skips nothing"
        } else {
            "see the `skips` of the entry"
        };
        return Err(Refused::new(format!("`{name}` does not skip `{missing}`"))
            .help(did_you_mean(missing, names, listed))
            .at(view.location(channel.file, channel.index, entry.name.place)));
    }
    let mut names = skip.to_vec();
    if let Some(text) = skip_matching {
        names.extend(VersionSelector::parse(text)?.skips(view, package, channel, at)?);
    }
    let mut draft = ChannelDraft::new(channel);
    draft.remove_skips(at, &names);
    Ok(draft.finish().into_iter().collect())
}

/// The new `replaces` of an entry after it skips these: the first in the chain from the current one
/// that is not skipped.
fn below<'a>(channel: &'a ChannelBlob, at: usize, skipped: &[&str]) -> &'a str {
    // A chain that returns to the entry ends there.
    let own = channel.entries[at].name.as_str();
    let skipped: HashSet<&str> = skipped
        .iter()
        .copied()
        .chain([own])
        .filter(|n| !n.is_empty())
        .collect();
    let mut replaces: HashMap<&str, &str> = HashMap::with_capacity(channel.entries.len());
    for entry in &channel.entries {
        replaces
            .entry(entry.name.as_str())
            .or_insert(entry.replaces.as_str());
    }
    let mut name = replaces.remove(own).unwrap_or_default();
    // Each step removes a name, so a cycle ends.
    while skipped.contains(name) {
        name = replaces.remove(name).unwrap_or_default();
    }
    name
}

fn find<'a>(
    view: &CatalogView<'a>,
    package: &str,
    channel: &str,
    name: &str,
) -> Result<(&'a Located<ChannelBlob>, usize), Refused> {
    let channel = view.channel(view.package(package)?, channel)?;
    Ok((channel, view.entry(channel, name)?))
}
