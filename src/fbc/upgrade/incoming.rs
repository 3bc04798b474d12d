//! Which of a list of entries take an installed version: the edges of entries, turned round.

use super::answer::EdgeKind;
use super::index::{Entry, NameId, Origin, RangeId, UpgradeIndex};
use super::range_lookup::RangeLookup;
use crate::hashed::HashMap;
use crate::order::PutInOrder;
use std::cell::OnceCell;

/// The edges of numbered targets, by what they come from. Costs what the edges are to build, and what is found to ask.
pub(super) struct Incoming<'a> {
    index: &'a UpgradeIndex,
    named: HashMap<NameId, Vec<(u32, EdgeKind)>>,
    /// By range.
    ranged: Vec<Vec<u32>>,
    /// Made for the first version that is looked up.
    ranges: OnceCell<RangeLookup<'a>>,
}

impl<'a> Incoming<'a> {
    /// Several entries may have one number.
    pub(super) fn new(index: &'a UpgradeIndex, entries: impl IntoIterator<Item = (u32, &'a Entry)>) -> Self {
        let mut named: HashMap<NameId, Vec<(u32, EdgeKind)>> = HashMap::default();
        let mut ranged = vec![Vec::new(); index.ranges.len()];
        for (target, entry) in entries {
            if let Some(name) = entry.replaces {
                named.entry(name).or_default().push((target, EdgeKind::Replaces));
            }
            for &name in &entry.skips {
                named.entry(name).or_default().push((target, EdgeKind::Skips));
            }
            let range = entry.range.and_then(|id| ranged.get_mut(id.0 as usize));
            range.into_iter().for_each(|targets: &mut Vec<u32>| targets.push(target));
        }
        Self { index, named, ranged, ranges: OnceCell::new() }
    }

    /// The targets with an edge from `origin`, ascending, each with the strongest kind: `replaces`, then `skips`, then
    /// a range.
    pub(super) fn from(&self, origin: &Origin<'_>) -> Vec<(u32, EdgeKind)> {
        let named = origin.id.and_then(|id| self.named.get(&id)).into_iter().flatten().copied();
        let mut found: Vec<(u32, EdgeKind)> = named.collect();
        if let Ok(version) = &origin.version
            && !self.ranged.is_empty()
        {
            let ranges = self.ranges.get_or_init(|| RangeLookup::new(self.index));
            let targets = |RangeId(id)| self.ranged.get(id as usize).into_iter().flatten();
            found.extend(ranges.holding(version).flat_map(targets).map(|&target| (target, EdgeKind::SkipRange)));
        }
        let strength = |kind: &EdgeKind| match kind {
            EdgeKind::Replaces => 0,
            EdgeKind::Skips => 1,
            _ => 2,
        };
        found.put_in_order_by_key(|(target, kind)| (*target, strength(kind)));
        found.dedup_by_key(|(target, _)| *target);
        found
    }
}
