//! `withdraw`: a bad bundle stays listed, is skipped by the entry that is to replace it, and that one takes over what it
//! replaced.

use super::draft::Draft;
use super::order;
use super::refused::{Refused, did_you_mean};
use super::{CatalogView, Step};
use crate::fbc::model::{ChannelBlob, Located, Package};

pub(super) fn plan(
    view: &CatalogView<'_>,
    package: &str,
    bundle: &str,
    by: Option<&str>,
    channels: &[String],
) -> Result<Vec<Step>, Refused> {
    let package = view.package(package)?;
    let mut targets: Vec<&Located<ChannelBlob>> = Vec::new();
    for name in channels {
        let channel = view.channel(package, name)?;
        if !targets.iter().any(|t| std::ptr::eq(*t, channel)) {
            targets.push(channel);
        }
    }
    if channels.is_empty() {
        for channel in package.channels.iter().filter(|c| c.entries.iter().any(|e| e.name.as_str() == bundle)) {
            targets.push(view.channel(package, channel.name.as_str())?);
        }
    }
    if targets.is_empty() {
        let names = package.channels.iter().flat_map(|c| &c.entries).map(|e| e.name.as_str());
        return Err(Refused::new(format!("no channel of package `{}` lists `{bundle}`", package.name))
            .help(did_you_mean(bundle, names, "`switchyard list bundles` lists the entries")));
    }
    let mut steps = Vec::new();
    for channel in targets {
        let at = view.entry(channel, bundle)?;
        let by = successor(view, package, channel, at, by)?;
        let mut draft = Draft::new(channel);
        draft.add_skips(by, [bundle]);
        if order::replaces(&channel.entries[by], bundle) {
            draft.set_replaces(by, channel.entries[at].replaces.as_str());
        }
        steps.extend(draft.finish());
    }
    Ok(steps)
}

/// The entry that replaces the withdrawn one: the one named, else the next higher one; where versions say nothing, the
/// one that replaces it now.
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
            return Err(Refused::new(format!("`{bundle}` cannot be withdrawn by itself"))
                .help("name the entry that its users are to get instead")
                .at(here));
        }
        return view.entry(channel, by).map_err(|refused| {
            let help = "name the channels to withdraw it from with `--channel`, or another `--by`";
            if refused.help.starts_with("did you mean") { refused } else { refused.help(help) }
        });
    }
    let versions = order::versions(package, channel);
    let higher = versions[at].as_ref().and_then(|version| order::next_higher(&versions, version));
    let replacing = || (0..channel.entries.len()).find(|&i| i != at && order::replaces(&channel.entries[i], bundle));
    higher.or_else(replacing).ok_or_else(|| {
        Refused::new(format!("`{bundle}` has nothing higher in channel `{}`", channel.name.value))
            .help("release a fix first, or deprecate it")
            .at(here)
    })
}
