//! Proposes alternatives for an operation that makes its package fail: another choice for the same
//! goal, or the operation with its necessary consequences. The caller tries each before offering
//! it.

use crate::add_bundles::with_channel;
use catalog::model::Package;
use protocol::operation::{DanglingEdges, EdgeRule, EditOp, EntryPlace, PromoteAs};
use syntax::order::SortSmall;

/// Maximum number of channels tried for a bundle.
const MAX_CHANNELS: usize = 4;

/// Returns lists of operations that could replace `op`, the most similar first. `package` is the
/// state before.
pub fn variants(package: &Package, op: &EditOp) -> Vec<Vec<EditOp>> {
    let catalog = &op.catalog().map(str::to_owned);
    let builder = OperationBuilder { package, catalog };
    match op {
        EditOp::RemoveEntry {
            channel,
            name,
            then,
            ..
        } => builder.instead_of_removing_entry(op, channel, name, *then),
        EditOp::RemoveBundle { bundle, then, .. } => other_edge_choices(*then)
            .map(|then| builder.remove_bundle_and_channels(bundle, then))
            .collect(),
        EditOp::RemoveChannel { channel, .. } => {
            vec![builder.remove_channels_and_bundles(&[channel])]
        }
        EditOp::AddChannel { from: None, .. } => {
            // The new channel with the entries of the default channel, or else of the first channel
            // with entries.
            let mut channels = package.channels.iter().filter(|c| !c.entries.is_empty());
            let default = package.default_channel();
            let first = channels.clone().next();
            let source = channels.find(|c| c.name.as_str() == default).or(first);
            let names = source.into_iter().map(|c| c.name.value.to_string());
            names
                .map(|name| vec![with_field!(op, AddChannel { from: Some(name) })])
                .collect()
        }
        EditOp::AddBundle { to: None, .. } => {
            let default = package.default_channel();
            let names = package.channels.iter().map(|c| c.name.as_str());
            let mut names: Vec<&str> = names.collect();
            names.sort_small_by_key(|name| *name != default);
            let names = names.into_iter().take(MAX_CHANNELS);
            names.map(|name| vec![with_channel(op, name)]).collect()
        }
        EditOp::Promote { how, .. } => [PromoteAs::Chain, PromoteAs::Head, PromoteAs::Skipped]
            .into_iter()
            .filter(|other| Some(*other) != *how)
            .map(|other| vec![with_field!(op, Promote { how: Some(other) })])
            .collect(),
        EditOp::Withdraw { by: Some(_), .. } => vec![vec![with_field!(op, Withdraw { by: None })]],
        EditOp::RebuildEdges { rule, .. } => [
            EdgeRule::Replaces,
            EdgeRule::ZStream,
            EdgeRule::SkipPatch,
            EdgeRule::SkipRange,
        ]
        .into_iter()
        .filter(|other| other != rule)
        .map(|other| vec![with_field!(op, RebuildEdges { rule: other })])
        .collect(),
        EditOp::SetReplaces { channel, name, .. } => builder
            .skip_old_replaces(op, channel, name)
            .into_iter()
            .collect(),
        EditOp::AddSkip {
            channel,
            name,
            skip,
            ..
        } => vec![builder.withdraw_listed(op, channel, name, skip)],
        EditOp::RemoveSkip { channel, skip, .. } => {
            vec![builder.remove_skipped(op, channel, skip)]
        }
        _ => Vec::new(),
    }
}

fn other_edge_choices(then: DanglingEdges) -> impl Iterator<Item = DanglingEdges> {
    [DanglingEdges::Relink, DanglingEdges::Skip]
        .into_iter()
        .filter(move |other| *other != then)
}

fn channels_listing<'p>(package: &'p Package, name: &'p str) -> impl Iterator<Item = &'p str> {
    package
        .channels
        .iter()
        .filter(move |c| c.has_entry(name))
        .map(|c| c.name.as_str())
}

fn is_only_entry(package: &Package, channel: &str, name: &str) -> bool {
    package
        .channel(channel)
        .is_some_and(|c| c.entries.iter().all(|e| e.name.as_str() == name))
}

#[derive(Clone, Copy)]
struct OperationBuilder<'a> {
    package: &'a Package,
    catalog: &'a Option<String>,
}

impl OperationBuilder<'_> {
    fn name(self) -> String {
        self.package.name.to_string()
    }

    /// Removes the entry with another choice for its edges, or with its bundle or channel if
    /// nothing else lists them.
    fn instead_of_removing_entry(
        self,
        op: &EditOp,
        channel: &str,
        name: &str,
        then: DanglingEdges,
    ) -> Vec<Vec<EditOp>> {
        let mut variants: Vec<Vec<EditOp>> = other_edge_choices(then)
            .map(|other| vec![with_field!(op, RemoveEntry { then: other })])
            .collect();
        let is_listed_elsewhere = channels_listing(self.package, name).any(|c| c != channel);
        if !is_listed_elsewhere && self.package.bundle(name).is_some() {
            let choices = std::iter::once(then).chain(other_edge_choices(then));
            variants.extend(choices.map(|then| self.remove_bundle_and_channels(name, then)));
        }
        if is_only_entry(self.package, channel, name) {
            variants.push(self.remove_channels_and_bundles(&[channel]));
        }
        variants
    }

    /// Skips the entry that was replaced before.
    fn skip_old_replaces(self, op: &EditOp, channel: &str, name: &str) -> Option<Vec<EditOp>> {
        let entry = self.package.channel(channel)?.entry(name)?;
        let old = entry.replaces.value.to_string();
        if old.is_empty() {
            return None;
        }
        let place = EntryPlace::new(&self.package.name, channel, name);
        let skip = place.add_skips(vec![old], None);
        Some(vec![op.clone(), skip.in_catalog(self.catalog.clone())])
    }

    /// Removes the entries that are no longer skipped, with their bundles unless other channels
    /// list them.
    fn remove_skipped(self, op: &EditOp, channel: &str, skips: &[String]) -> Vec<EditOp> {
        let mut ops = vec![op.clone()];
        for name in skips {
            let (here, elsewhere): (Vec<&str>, Vec<&str>) =
                channels_listing(self.package, name).partition(|other| *other == channel);
            if here.is_empty() {
                continue;
            }
            if !elsewhere.is_empty() || self.package.bundle(name).is_none() {
                ops.push(self.remove_entry(channel, name));
            } else {
                ops.extend(self.remove_bundle_and_channels(name, DanglingEdges::Relink));
            }
        }
        ops
    }

    /// Withdraws the skipped bundles that the channel lists. `op` keeps the other skips.
    fn withdraw_listed(
        self,
        op: &EditOp,
        channel: &str,
        successor: &str,
        skips: &[String],
    ) -> Vec<EditOp> {
        let (listed, unlisted): (Vec<&String>, Vec<&String>) = skips
            .iter()
            .partition(|bundle| channels_listing(self.package, bundle).any(|c| c == channel));
        let mut ops = Vec::new();
        if !unlisted.is_empty() {
            let unlisted = unlisted.into_iter().cloned().collect();
            ops.push(with_field!(op, AddSkip { skip: unlisted }));
        }
        ops.extend(listed.into_iter().map(|bundle| EditOp::Withdraw {
            catalog: self.catalog.clone(),
            package: self.name(),
            bundle: bundle.clone(),
            by: Some(successor.to_owned()),
            channel: vec![channel.to_owned()],
        }));
        ops
    }

    fn remove_entry(self, channel: &str, name: &str) -> EditOp {
        EntryPlace::new(&self.package.name, channel, name)
            .remove(DanglingEdges::Relink)
            .in_catalog(self.catalog.clone())
    }

    fn remove_bundle(self, bundle: &str, then: DanglingEdges) -> EditOp {
        EditOp::RemoveBundle {
            catalog: self.catalog.clone(),
            package: self.name(),
            bundle: bundle.to_owned(),
            then,
        }
    }

    /// Removes the bundle, and the channels that list nothing else.
    fn remove_bundle_and_channels(self, bundle: &str, then: DanglingEdges) -> Vec<EditOp> {
        let emptied: Vec<&str> = channels_listing(self.package, bundle)
            .filter(|channel| is_only_entry(self.package, channel, bundle))
            .collect();
        let mut ops = self.remove_channels_and_bundles(&emptied);
        let is_removed = ops.iter().any(
            |op| matches!(op, EditOp::RemoveBundle { bundle: removed, .. } if removed == bundle),
        );
        if !is_removed {
            ops.push(self.remove_bundle(bundle, then));
        }
        ops
    }

    /// Removes the channels, and the bundles that no other channel lists. If the default channel is
    /// removed, the largest remaining one becomes the default.
    fn remove_channels_and_bundles(self, channels: &[&str]) -> Vec<EditOp> {
        let (catalog, package) = (self.catalog, self.package);
        let mut ops = Vec::new();
        if channels.contains(&package.default_channel()) {
            let remaining = package
                .channels
                .iter()
                .filter(|c| !channels.contains(&c.name.as_str()) && !c.entries.is_empty());
            if let Some(next) = remaining.max_by_key(|c| c.entries.len()) {
                let op = EditOp::set_default_channel(&package.name, next.name.as_str());
                ops.push(op.in_catalog(catalog.clone()));
            }
        }
        for channel in channels {
            let (catalog, channel) = (catalog.clone(), (*channel).to_owned());
            ops.push(EditOp::RemoveChannel {
                catalog,
                package: self.name(),
                channel,
            });
        }
        for bundle in &package.bundles {
            let name = bundle.name.as_str();
            let mut listing = channels_listing(package, name).peekable();
            if listing.peek().is_some() && listing.all(|channel| channels.contains(&channel)) {
                ops.push(self.remove_bundle(name, DanglingEdges::Relink));
            }
        }
        ops
    }
}
