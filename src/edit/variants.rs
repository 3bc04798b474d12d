//! Alternatives for an operation that makes its package fail: another choice for the same goal, or
//! the operation with its necessary consequences. Candidates only: the caller tries each before
//! offering it.

use crate::add_bundles::in_channel;
use catalog::model::Package;
use protocol::operation::{DanglingEdges, EdgeRule, EditOp, EntryPlace, PromoteAs};
use syntax::order::SortSmall;

/// Returns lists of operations that could replace `op`, the most similar first. `package` is the
/// state before.
pub fn variants(package: &Package, op: &EditOp) -> Vec<Vec<EditOp>> {
    match op {
        EditOp::RemoveEntry {
            catalog,
            channel,
            name,
            then,
            ..
        } => {
            let same = other_thens(*then).map(|other| {
                changed(op, |op| {
                    if let EditOp::RemoveEntry { then, .. } = op {
                        *then = other;
                    }
                })
            });
            let builder = OperationBuilder { package, catalog };
            let is_listed_elsewhere = listing(package, name).any(|other| other != channel);
            let with_bundle = (!is_listed_elsewhere && package.bundle(name).is_some())
                .then(|| std::iter::once(*then).chain(other_thens(*then)))
                .into_iter()
                .flatten()
                .map(|then| builder.without_bundle(name, then));
            let only_entry =
                is_only_entry(package, channel, name).then(|| builder.without_channels(&[channel]));
            same.chain(with_bundle).chain(only_entry).collect()
        }
        EditOp::RemoveBundle {
            catalog,
            bundle,
            then,
            ..
        } => {
            let builder = OperationBuilder { package, catalog };
            other_thens(*then)
                .map(|then| builder.without_bundle(bundle, then))
                .collect()
        }
        EditOp::RemoveChannel {
            catalog, channel, ..
        } => {
            vec![OperationBuilder { package, catalog }.without_channels(&[channel])]
        }
        EditOp::AddChannel { from: None, .. } => {
            let mut full = package.channels.iter().filter(|c| !c.entries.is_empty());
            let default = package.default_channel();
            let first = full.next();
            let like = full
                .chain(first)
                .find(|c| c.name.as_str() == default)
                .or(first);
            let copied = like.map(|like| {
                changed(op, |op| {
                    if let EditOp::AddChannel { from, .. } = op {
                        *from = Some(like.name.value.to_string());
                    }
                })
            });
            copied.into_iter().collect()
        }
        EditOp::AddBundle { to: None, .. } => {
            let default = package.default_channel();
            let names = package.channels.iter().map(|c| c.name.as_str());
            let mut names: Vec<&str> = names.collect();
            names.sort_small_by_key(|name| *name != default);
            let names = names.into_iter().take(MOST);
            names.map(|name| vec![in_channel(op, name)]).collect()
        }
        EditOp::Promote { how, .. } => [PromoteAs::Chain, PromoteAs::Head, PromoteAs::Skipped]
            .into_iter()
            .filter(|other| Some(*other) != *how)
            .map(|other| {
                changed(op, |op| {
                    if let EditOp::Promote { how, .. } = op {
                        *how = Some(other);
                    }
                })
            })
            .collect(),
        EditOp::Withdraw { by: Some(_), .. } => {
            vec![changed(op, |op| {
                if let EditOp::Withdraw { by, .. } = op {
                    *by = None;
                }
            })]
        }
        EditOp::RebuildEdges { rule, .. } => [
            EdgeRule::Replaces,
            EdgeRule::ZStream,
            EdgeRule::SkipPatch,
            EdgeRule::SkipRange,
        ]
        .into_iter()
        .filter(|other| other != rule)
        .map(|other| {
            changed(op, |op| {
                if let EditOp::RebuildEdges { rule, .. } = op {
                    *rule = other;
                }
            })
        })
        .collect(),
        EditOp::SetReplaces {
            catalog,
            channel,
            name,
            ..
        } => {
            let entry = package.channel(channel).and_then(|c| c.entry(name));
            let was = entry
                .map(|entry| entry.replaces.value.to_string())
                .filter(|was| !was.is_empty());
            let skipping = was.map(|was| {
                let entry = EntryPlace::new(&package.name, channel, name);
                let skip = entry.add_skips(vec![was], None);
                vec![op.clone(), skip.in_catalog(catalog.clone())]
            });
            skipping.into_iter().collect()
        }
        EditOp::AddSkip {
            catalog,
            channel,
            name,
            skip,
            ..
        } => {
            let (present, absent): (Vec<&String>, Vec<&String>) = skip
                .iter()
                .partition(|bundle| listing(package, bundle).any(|other| other == channel));
            let mut ops: Vec<EditOp> = Vec::new();
            if !absent.is_empty() {
                let mut outside = op.clone();
                if let EditOp::AddSkip { skip, .. } = &mut outside {
                    *skip = absent.into_iter().cloned().collect();
                }
                ops.push(outside);
            }
            ops.extend(present.into_iter().map(|bundle| EditOp::Withdraw {
                catalog: catalog.clone(),
                package: package.name.to_string(),
                bundle: bundle.clone(),
                by: Some(name.clone()),
                channel: vec![channel.clone()],
            }));
            vec![ops]
        }
        EditOp::RemoveSkip {
            catalog,
            channel,
            skip,
            ..
        } => {
            let builder = OperationBuilder { package, catalog };
            let removed = skip
                .iter()
                .filter(|name| listing(package, name).any(|other| other == channel))
                .flat_map(|name| {
                    let elsewhere = listing(package, name).any(|other| other != channel);
                    match elsewhere || package.bundle(name).is_none() {
                        true => vec![builder.without_entry(channel, name)],
                        false => builder.without_bundle(name, DanglingEdges::Relink),
                    }
                });
            vec![std::iter::once(op.clone()).chain(removed).collect()]
        }
        _ => Vec::new(),
    }
}

/// Returns the operation with a change applied.
fn changed(op: &EditOp, change: impl FnOnce(&mut EditOp)) -> Vec<EditOp> {
    let mut op = op.clone();
    change(&mut op);
    vec![op]
}

/// Maximum number of channels tried for a bundle.
const MOST: usize = 4;

fn other_thens(then: DanglingEdges) -> impl Iterator<Item = DanglingEdges> {
    [DanglingEdges::Relink, DanglingEdges::Skip]
        .into_iter()
        .filter(move |other| *other != then)
}

/// Returns the channels that list an entry of this name.
fn listing<'p>(package: &'p Package, name: &'p str) -> impl Iterator<Item = &'p str> {
    package
        .channels
        .iter()
        .filter(move |c| c.lists(name))
        .map(|c| c.name.as_str())
}

fn is_only_entry(package: &Package, channel: &str, name: &str) -> bool {
    package
        .channel(channel)
        .is_some_and(|c| c.entries.iter().all(|e| e.name.as_str() == name))
}

/// Builds operations on one package.
#[derive(Clone, Copy)]
struct OperationBuilder<'a> {
    package: &'a Package,
    catalog: &'a Option<String>,
}

impl OperationBuilder<'_> {
    fn name(self) -> String {
        self.package.name.to_string()
    }

    fn without_entry(self, channel: &str, name: &str) -> EditOp {
        EntryPlace::new(&self.package.name, channel, name)
            .remove(DanglingEdges::Relink)
            .in_catalog(self.catalog.clone())
    }

    fn bundle_removed(self, bundle: &str, then: DanglingEdges) -> EditOp {
        EditOp::RemoveBundle {
            catalog: self.catalog.clone(),
            package: self.name(),
            bundle: bundle.to_owned(),
            then,
        }
    }

    /// Removes the bundle, and the channels that list nothing else.
    fn without_bundle(self, bundle: &str, then: DanglingEdges) -> Vec<EditOp> {
        let emptied: Vec<&str> = listing(self.package, bundle)
            .filter(|channel| is_only_entry(self.package, channel, bundle))
            .collect();
        let mut ops = self.without_channels(&emptied);
        let is_gone = ops
            .iter()
            .any(|op| matches!(op, EditOp::RemoveBundle { bundle: gone, .. } if gone == bundle));
        if !is_gone {
            ops.push(self.bundle_removed(bundle, then));
        }
        ops
    }

    /// Removes the channels, and the bundles that no other channel lists. If the default channel is
    /// removed, another channel becomes the default.
    fn without_channels(self, channels: &[&str]) -> Vec<EditOp> {
        let (catalog, package) = (self.catalog, self.package);
        let mut ops = Vec::new();
        if channels.contains(&package.default_channel()) {
            // The largest remaining channel becomes the default.
            let left = package
                .channels
                .iter()
                .filter(|c| !channels.contains(&c.name.as_str()) && !c.entries.is_empty());
            if let Some(next) = left.max_by_key(|c| c.entries.len()) {
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
            let mut listing = listing(package, name).peekable();
            if listing.peek().is_some() && listing.all(|channel| channels.contains(&channel)) {
                ops.push(self.bundle_removed(name, DanglingEdges::Relink));
            }
        }
        ops
    }
}
