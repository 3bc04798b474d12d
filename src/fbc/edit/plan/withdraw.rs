//! `withdraw`: a bad bundle stays listed but is skipped by the entry that its users should get
//! instead; every entry that replaced it inherits its `replaces`.
//!
//! A skipped entry is no longer an update under OLM Classic, but still is one under OLM v1: users
//! of bundles that only the withdrawn entry skipped would be stuck or sent to it. So the successor
//! skips these too.

use super::channel_draft::ChannelDraft;
use super::entry_order;
use super::refused::{Refused, did_you_mean};
use super::{CatalogView, PlanStep, relink};
use crate::model::{ChannelBlob, Located, Package};

pub(super) fn plan(
    view: &CatalogView<'_>,
    package: &str,
    bundle: &str,
    by: Option<&str>,
    channels: &[String],
) -> Result<Vec<PlanStep>, Refused> {
    let package = view.package(package)?;
    let mut targets: Vec<&Located<ChannelBlob>> = Vec::new();
    for name in channels {
        let channel = view.channel(package, name)?;
        if !targets.iter().any(|t| std::ptr::eq(*t, channel)) {
            targets.push(channel);
        }
    }
    if channels.is_empty() {
        for channel in package
            .channels
            .iter()
            .filter(|c| c.entries.iter().any(|e| e.name.as_str() == bundle))
        {
            targets.push(view.channel(package, channel.name.as_str())?);
        }
    }
    if targets.is_empty() {
        let names = package
            .channels
            .iter()
            .flat_map(|c| &c.entries)
            .map(|e| e.name.as_str());
        return Err(Refused::new(format!(
            "no channel of package `{}` lists `{bundle}`",
            package.name
        ))
        .help(did_you_mean(
            bundle,
            names,
            "`switchyard list bundles` lists the entries",
        )));
    }
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
            std::iter::once(bundle).chain(relink::left_behind(package, channel, at, by)),
        );
        if let Some(range) = relink::inherited_range(package, channel, at, by) {
            draft.set_skip_range(by, range);
        }
        steps.extend(draft.finish());
    }
    Ok(steps)
}

/// The entry that should skip the withdrawn one: the named one, else the next higher; if versions
/// do not decide, the one that its users get now. A skipped entry updates nobody, and a channel
/// keeps its head.
fn successor(
    view: &CatalogView<'_>,
    package: &Package,
    channel: &Located<ChannelBlob>,
    at: usize,
    by: Option<&str>,
) -> Result<usize, Refused> {
    let bundle = channel.entries[at].name.as_str();
    let here = view.location(channel.file, channel.index, channel.entries[at].name.place);
    if let Some(by) = by {
        if by == bundle {
            return Err(
                Refused::new(format!("`{bundle}` cannot be its own successor"))
                    .help("name the entry that users should get instead")
                    .at(here),
            );
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
    let own = versions[at].take();
    for (version, entry) in versions.iter_mut().zip(&channel.entries) {
        version.take_if(|_| skipped.contains(entry.name.as_str()));
    }
    let higher = own
        .as_ref()
        .and_then(|version| entry_order::next_higher(&versions, version));
    let is_only_head = entry_order::heads(channel) == [at];
    let found = higher
        .or_else(|| relink::nearest_above(channel, at))
        .filter(|_| !is_only_head);
    found.ok_or_else(|| {
        Refused::new(format!(
            "channel `{}` has no entry above `{bundle}` that users could get instead",
            channel.name.value
        ))
        .help("release a fix first, or deprecate the bundle")
        .at(here)
    })
}
