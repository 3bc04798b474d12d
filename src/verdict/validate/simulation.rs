//! Predicts the outcome of a fix: applies its operations to a copy of the package's facts and
//! recomputes the channel's graph. Never guesses; if a simulation costs too much, the outcome is
//! unknown.

use super::channel_scope::{ChannelScope, Graph};
use catalog::model::{ChannelBlob, Package};
use catalog::version::blang::Range;
use edit::plan::simulate;
use protocol::counting::first_of;
use protocol::diagnostic::Fix;
use protocol::operation::EditOp;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use syntax::hashed::HashMap;
use syntax::place::Text;

/// Maximum number of entries and bundles that the fixes of one package may visit.
const BUDGET: usize = 3_000_000;
/// Maximum number of heads in a fix's outcome.
const MAX_HEADS: usize = 20;
/// Maximum number of names in a note.
const MAX_NAMED: usize = 4;

/// Applies operations to a copy of a package.
#[derive(Debug)]
pub struct Simulator {
    package: Arc<Package>,
    size: usize,
    remaining_budget: Cell<usize>,
    /// The current channels by name, built on demand.
    channels: RefCell<HashMap<Text, Rc<CurrentChannel>>>,
}

#[derive(Debug)]
struct CurrentChannel {
    outcome: Rc<ChannelOutcome>,
    /// Number of listings of each name.
    listed: HashMap<Text, u32>,
    /// Number of blobs of the channel.
    blobs: usize,
}

/// A channel's state after some operations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChannelOutcome {
    pub heads: Vec<Text>,
    pub stranded: Vec<Text>,
    pub cycle: bool,
    pub entries: usize,
    /// Bundles that lost their last entry.
    pub unlisted: Vec<String>,
    /// Entries that these operations skip.
    pub skipped: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Simulation {
    Outcome(Rc<ChannelOutcome>),
    /// The session would refuse the operations.
    Refused,
    /// Not simulated: the package is too large.
    Unknown,
}

impl Simulator {
    pub fn new(package: &Package) -> Self {
        let entries: usize = package.channels.iter().map(|c| c.entries.len()).sum();
        Self {
            package: Arc::new(package.clone()),
            size: entries + package.bundles.len() + 1,
            remaining_budget: Cell::new(BUDGET),
            channels: RefCell::default(),
        }
    }

    /// Returns the channel's state after these operations.
    pub fn simulate(&self, channel: &str, ops: &[EditOp]) -> Simulation {
        self.simulate_range_changes(channel, ops)
            .unwrap_or_else(|| self.simulate_on_copy(channel, ops))
    }

    /// Simulates operations that only change skip ranges: heads and chains do not depend on them. A
    /// mistake in the ranges of thousands of entries has as many fixes, and copying the channel for
    /// each would be quadratic. `None` if there are other operations.
    fn simulate_range_changes(&self, channel: &str, ops: &[EditOp]) -> Option<Simulation> {
        for op in ops {
            let EditOp::SetSkipRange {
                package,
                channel,
                name,
                skip_range,
                ..
            } = op
            else {
                return None;
            };
            let current = self.current(channel);
            let range = skip_range.as_deref().filter(|range| !range.is_empty());
            let is_possible = *package == *self.package.name
                && !package.is_empty()
                && current.blobs == 1
                && current.listed.get(name.as_str()) == Some(&1)
                && range.is_none_or(|range| Range::parse(range).is_ok());
            if !is_possible {
                return Some(Simulation::Refused);
            }
        }
        Some(Simulation::Outcome(self.current(channel).outcome.clone()))
    }

    fn current(&self, channel: &str) -> Rc<CurrentChannel> {
        let known = self.channels.borrow().get(channel).cloned();
        known.unwrap_or_else(|| {
            let current = Rc::new(CurrentChannel::find(&self.package, channel));
            self.channels
                .borrow_mut()
                .insert(channel.into(), current.clone());
            current
        })
    }

    fn simulate_on_copy(&self, channel: &str, ops: &[EditOp]) -> Simulation {
        let Some(remaining_budget) = self
            .remaining_budget
            .get()
            .checked_sub(self.size.saturating_mul(ops.len() + 1))
        else {
            return Simulation::Unknown;
        };
        self.remaining_budget.set(remaining_budget);
        let mut package = self.package.clone();
        for op in ops {
            package = match simulate::apply(&package, op) {
                Ok(after) => after,
                Err(_) => return Simulation::Refused,
            };
        }
        let mut outcome = package
            .channel(channel)
            .map_or_else(ChannelOutcome::default, |blob| {
                ChannelOutcome::from_channel(blob)
            });
        for op in ops {
            match op {
                EditOp::RemoveEntry { name, .. }
                    if package.bundle(name).is_some() && !is_listed(&package, name) =>
                {
                    outcome.unlisted.push(name.clone());
                }
                EditOp::AddSkip { skip, .. } => outcome.skipped.extend(skip.iter().cloned()),
                _ => {}
            }
        }
        Simulation::Outcome(Rc::new(outcome))
    }
}

impl CurrentChannel {
    fn find(package: &Package, channel: &str) -> Self {
        let blob = package.channel(channel);
        let mut listed: HashMap<Text, u32> = HashMap::default();
        for entry in blob.into_iter().flat_map(|blob| &blob.entries) {
            *listed.entry(entry.name.value.clone()).or_default() += 1;
        }
        let outcome = blob.map_or_else(ChannelOutcome::default, |blob| {
            ChannelOutcome::from_channel(blob)
        });
        let blobs = package
            .channels
            .iter()
            .filter(|blob| blob.name.as_str() == channel)
            .count();
        Self {
            outcome: Rc::new(outcome),
            listed,
            blobs,
        }
    }
}

/// Returns the channel's state after renaming `was` in its entries and edges.
pub fn rename(channel: &ChannelScope<'_>, was: &str, replacement: &str) -> ChannelOutcome {
    let mut blob = channel.blob.clone();
    for entry in &mut blob.entries {
        let names = [&mut entry.name, &mut entry.replaces]
            .into_iter()
            .chain(&mut entry.skips);
        names
            .filter(|name| name.as_str() == was)
            .for_each(|name| name.value = replacement.into());
    }
    ChannelOutcome::from_channel(&blob)
}

fn is_listed(package: &Package, name: &str) -> bool {
    package.channels.iter().any(|c| c.has_entry(name))
}

impl ChannelOutcome {
    fn from_channel(blob: &ChannelBlob) -> Self {
        let scope = ChannelScope::new(0, blob);
        let name = |&entry: &usize| scope.entries[entry].name.value.clone();
        let mut outcome = ChannelOutcome {
            entries: scope.entries.len(),
            ..ChannelOutcome::default()
        };
        match &scope.graph {
            Graph::Heads => {
                outcome.heads = scope.heads().iter().take(MAX_HEADS).map(name).collect()
            }
            Graph::Stranded(head, stranded) => {
                outcome.heads = vec![name(head)];
                outcome.stranded = stranded.iter().map(name).collect();
            }
            Graph::Cycle(_) | Graph::Fine => {
                outcome.heads = scope.heads().iter().map(name).collect();
                outcome.cycle = matches!(scope.graph, Graph::Cycle(_));
            }
            Graph::Empty | Graph::NoHead => {}
        }
        outcome
    }

    /// Whether there is a single head that all entries lead to, and every bundle is listed.
    pub fn is_fine(&self) -> bool {
        self.heads.len() == 1 && self.stranded.is_empty() && !self.cycle && self.unlisted.is_empty()
    }

    /// Writes heads and note of the outcome into the fix.
    pub fn describe_in(&self, fix: &mut Fix) {
        fix.heads = self.heads.iter().map(ToString::to_string).collect();
        let mut notes: Vec<String> = Vec::new();
        notes.extend((!fix.note.is_empty()).then(|| std::mem::take(&mut fix.note)));
        if self.entries == 0 {
            notes.push("the channel is then empty".to_owned());
        } else if self.heads.is_empty() {
            notes.push("the channel still has no head".to_owned());
        } else if self.heads.len() > 1 {
            notes.push("the channel still has several heads".to_owned());
        }
        if self.cycle {
            notes.push("the `replaces` cycle remains".to_owned());
        }
        if !self.stranded.is_empty() {
            notes.push(format!("strands {}", names(&self.stranded)));
        }
        if !self.unlisted.is_empty() {
            notes.push(format!(
                "no channel then lists {}, so its bundle must be removed too",
                names(&self.unlisted)
            ));
        }
        if !self.skipped.is_empty() && self.heads.len() == 1 {
            notes.push(format!(
                "from then on Classic upgrades nobody to {}",
                names(&self.skipped)
            ));
        }
        fix.note = notes.join("; ");
    }
}

fn names(all: &[impl AsRef<str>]) -> String {
    first_of(
        all.iter().map(|name| format!("`{}`", name.as_ref())),
        MAX_NAMED,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RANGES: [Option<&str>; 4] = [None, Some(""), Some("<1.1.0"), Some("not a range")];

    proptest! {
        #[test]
        fn other_ranges_keep_the_result_of_a_copy(
            package in test_support::any_channels().prop_map(catalog::testing::package_of_channels),
            channel in prop::sample::select(vec!["a", "b", "c", "gone"]),
            ops in prop::collection::vec((0..5usize, 0..20usize, 0..RANGES.len()), 1..3),
        ) {
            let mut names: Vec<String> =
                package.channels.iter().flat_map(|c| &c.entries).map(|e| e.name.value.to_string()).collect();
            names.push("gone".to_owned());
            let op = |&(channel, name, range): &(usize, usize, usize)| EditOp::SetSkipRange {
                catalog: None,
                package: "p".into(),
                channel: ["a", "b", "c", "d", "gone"][channel].into(),
                name: names[name % names.len()].clone(),
                skip_range: RANGES[range].map(str::to_owned),
            };
            let ops: Vec<EditOp> = ops.iter().map(op).collect();
            let simulator = Simulator::new(&package);
            let quick = simulator.simulate_range_changes(channel, &ops);
            prop_assert_eq!(quick, Some(simulator.simulate_on_copy(channel, &ops)));
        }
    }

    #[test]
    fn two_blobs_of_one_channel_refuse() {
        let mut package =
            catalog::testing::versioned_package(&[("a", &["p.v1.0.0"]), ("a", &["p.v1.1.0"])]);
        let op = |package: &str| EditOp::SetSkipRange {
            catalog: None,
            package: package.into(),
            channel: "a".into(),
            name: "p.v1.0.0".into(),
            skip_range: None,
        };
        assert_eq!(
            Simulator::new(&package).simulate("a", &[op("p")]),
            Simulation::Refused
        );
        package.channels.truncate(1);
        assert!(matches!(
            Simulator::new(&package).simulate("a", &[op("p")]),
            Simulation::Outcome(_)
        ));
        assert_eq!(
            Simulator::new(&package).simulate("a", &[op("q")]),
            Simulation::Refused
        );
    }
}
