//! What follows from a change of packages: the verdict, problems gained and lost, heads that moved, entries stranded,
//! and for every version its next step where that is another one now.
//!
//! Compares two states; knows nothing of how one became the other.

use crate::fbc::diagnostic::Diagnostic;
use crate::fbc::graph::{ChannelGraph, PackageGraph};
use crate::fbc::model::Package;
use crate::fbc::place::Text;
use crate::fbc::upgrade::{Installed, Lens, Options, UpgradeIndex};
use crate::fbc::validate::Verdict;
use crate::fbc::version::Version;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// A catalog before and after.
#[derive(Debug)]
pub struct RootChange<'a> {
    pub root: &'a str,
    pub before: &'a Verdict,
    pub after: &'a Verdict,
    /// The packages that changed.
    pub packages: Vec<PackageChange<'a>>,
}

/// A package before and after. `None`: nothing names it.
#[derive(Debug, Clone, Copy)]
pub struct PackageChange<'a> {
    pub before: Option<&'a Package>,
    pub after: Option<&'a Package>,
}

/// What follows from a change, over all catalogs that it touched.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Consequences {
    /// One for each catalog touched.
    pub verdicts: Vec<VerdictChange>,
    pub problems_gained: Vec<Diagnostic>,
    pub problems_lost: Vec<Diagnostic>,
    pub heads_moved: Vec<HeadsMoved>,
    pub newly_stranded: Vec<EntryOf>,
    pub no_longer_stranded: Vec<EntryOf>,
    pub reroutes: Vec<Reroute>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VerdictChange {
    pub root: String,
    pub passed_before: bool,
    pub passed_after: bool,
    /// What `opm validate` says after; "" when it passes.
    pub opm_message: String,
    pub errors_after: usize,
}

/// The heads of a channel, which are others now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadsMoved {
    pub root: String,
    pub package: Text,
    pub channel: Text,
    pub before: Vec<Text>,
    pub after: Vec<Text>,
}

/// An entry of a channel.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct EntryOf {
    pub root: String,
    pub package: Text,
    pub channel: Text,
    pub name: Text,
}

/// A next step that is another one now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reroute {
    pub root: String,
    pub package: Text,
    pub lens: Lens,
    /// Classic: the channels subscribed to; empty under v1, where all channels count.
    pub channels: Vec<Text>,
    pub from: Text,
    pub from_version: Text,
    /// Name of the next bundle.
    pub before: Option<Text>,
    pub after: Option<Text>,
    pub effect: Effect,
}

/// What a reroute means to the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// Goes somewhere else.
    Rerouted,
    /// Went on, and no longer does.
    Stranded,
    /// Did not go on, and now does.
    Gained,
    /// Goes to a lower version than it has.
    Downgrade,
}

impl Effect {
    /// The spelling of the JSON contract.
    pub fn as_str(self) -> &'static str {
        match self {
            Effect::Rerouted => "rerouted",
            Effect::Stranded => "stranded",
            Effect::Gained => "gained",
            Effect::Downgrade => "downgrade",
        }
    }
}

impl Consequences {
    /// Those of several catalogs as one.
    pub fn joined(all: impl IntoIterator<Item = Consequences>) -> Self {
        let mut joined = Self::default();
        for one in all {
            joined.verdicts.extend(one.verdicts);
            joined.problems_gained.extend(one.problems_gained);
            joined.problems_lost.extend(one.problems_lost);
            joined.heads_moved.extend(one.heads_moved);
            joined.newly_stranded.extend(one.newly_stranded);
            joined.no_longer_stranded.extend(one.no_longer_stranded);
            joined.reroutes.extend(one.reroutes);
        }
        joined
    }

    /// One sentence for the consequence bar: the verdict first, then what matters most to users.
    pub fn summary(&self) -> String {
        let mut parts = Vec::new();
        for verdict in &self.verdicts {
            let of = if self.verdicts.len() > 1 { format!("{}: ", verdict.root) } else { String::new() };
            parts.push(match (verdict.passed_before, verdict.passed_after) {
                (true, true) => format!("{of}still passes opm validate"),
                (false, true) => format!("{of}passes opm validate now"),
                (true, false) => format!("{of}fails opm validate now"),
                (false, false) => format!("{of}still fails opm validate"),
            });
        }
        let counted = |n: usize, one: &str, many: &str| match n {
            0 => None,
            1 => Some(one.to_owned()),
            n => Some(format!("{n} {many}")),
        };
        parts.extend(counted(self.newly_stranded.len(), "1 entry newly stranded", "entries newly stranded"));
        let freed = counted(self.no_longer_stranded.len(), "1 entry no longer stranded", "entries no longer stranded");
        parts.extend(freed);
        parts.extend(self.heads_moved.iter().take(2).map(ToString::to_string));
        parts.extend(counted(self.heads_moved.len().saturating_sub(2), "1 more head moved", "more heads moved"));
        let users: BTreeSet<(&str, &Text, &Text)> =
            self.reroutes.iter().map(|r| (r.root.as_str(), &r.package, &r.from)).collect();
        match (users.len(), self.reroutes.first()) {
            (1, Some(reroute)) => parts.push(reroute.to_string()),
            (0, _) | (_, None) => {}
            (n, _) => parts.push(format!("another next step from {n} versions")),
        }
        parts.join("; ")
    }
}

impl std::fmt::Display for HeadsMoved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = |heads: &[Text]| match heads {
            [] => "none".to_owned(),
            heads => heads.join(", "),
        };
        let (was, is) =
            if self.before.len() > 1 || self.after.len() > 1 { ("heads were", "are") } else { ("head was", "is") };
        write!(f, "{}: {was} {}, {is} {}", self.channel, names(&self.before), names(&self.after))
    }
}

impl std::fmt::Display for Reroute {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = |n: &Option<Text>| n.as_deref().unwrap_or("nothing").to_owned();
        write!(f, "from {}: {} instead of {}", self.from, name(&self.after), name(&self.before))?;
        match self.lens {
            Lens::V0 if self.channels.is_empty() => write!(f, " (Classic)"),
            Lens::V0 => write!(f, " (Classic, {})", self.channels.join(", ")),
            Lens::V1 => write!(f, " (OLM v1)"),
        }
    }
}

/// What follows from the change of one catalog.
pub fn of_root(change: &RootChange<'_>) -> Consequences {
    let errors = |d: &&Diagnostic| d.opm && d.severity == crate::fbc::diagnostic::Severity::Error;
    let verdict = VerdictChange {
        root: change.root.to_owned(),
        passed_before: change.before.passed,
        passed_after: change.after.passed,
        opm_message: change.after.opm_message.clone().unwrap_or_default(),
        errors_after: change.after.diagnostics.iter().filter(errors).count(),
    };
    let mut of = Consequences {
        verdicts: vec![verdict],
        problems_gained: only_in(&change.after.diagnostics, &change.before.diagnostics),
        problems_lost: only_in(&change.before.diagnostics, &change.after.diagnostics),
        ..Consequences::default()
    };
    for package in &change.packages {
        graphs(change.root, package, &mut of);
        reroutes(change.root, package, &mut of);
    }
    of
}

/// Problems of `these` without a counterpart in `those`; a problem that only moved is the same.
fn only_in(these: &[Diagnostic], those: &[Diagnostic]) -> Vec<Diagnostic> {
    let mut left: BTreeMap<_, usize> = BTreeMap::new();
    for diagnostic in those {
        *left.entry(identity(diagnostic)).or_default() += 1;
    }
    let mut new = Vec::new();
    for diagnostic in these {
        match left.get_mut(&identity(diagnostic)) {
            Some(n) if *n > 0 => *n -= 1,
            _ => new.push(diagnostic.clone()),
        }
    }
    new
}

fn identity(d: &Diagnostic) -> impl Ord + '_ {
    (&d.rule, &d.message, &d.package, &d.channel, &d.bundle, &d.location.file)
}

fn graphs(root: &str, change: &PackageChange<'_>, of: &mut Consequences) {
    let graph = |package: Option<&Package>| package.map(PackageGraph::build);
    let (before, after) = (graph(change.before), graph(change.after));
    let facts = |graph: &Option<PackageGraph>| -> BTreeMap<Text, ChannelFacts> {
        let channels = graph.iter().flat_map(|g| g.channels.iter().map(move |c| (g, c)));
        channels.map(|(g, c)| (c.name.clone(), ChannelFacts::new(g, c))).collect()
    };
    let (old, new) = (facts(&before), facts(&after));
    let package = change.after.or(change.before).map_or_else(Text::default, |p| p.name.clone());
    let none = ChannelFacts::default();
    let names: BTreeSet<&Text> = old.keys().chain(new.keys()).collect();
    for channel in names {
        let (was, is) = (old.get(channel).unwrap_or(&none), new.get(channel).unwrap_or(&none));
        if was.heads != is.heads {
            of.heads_moved.push(HeadsMoved {
                root: root.to_owned(),
                package: package.clone(),
                channel: channel.clone(),
                before: was.heads.clone(),
                after: is.heads.clone(),
            });
        }
        let entry = |name: &Text| EntryOf {
            root: root.to_owned(),
            package: package.clone(),
            channel: channel.clone(),
            name: name.clone(),
        };
        of.newly_stranded.extend(is.stranded.difference(&was.stranded).map(entry));
        of.no_longer_stranded.extend(was.stranded.difference(&is.stranded).map(entry));
    }
}

#[derive(Debug, Default)]
struct ChannelFacts {
    heads: Vec<Text>,
    stranded: BTreeSet<Text>,
}

impl ChannelFacts {
    fn new(graph: &PackageGraph, channel: &ChannelGraph) -> Self {
        let name = |node: u32| Text::from(graph.name_at(channel, node));
        let stranded = (0..channel.nodes.len() as u32)
            .filter(|&i| channel.nodes.get(i as usize).is_some_and(|n| n.stranded))
            .map(name)
            .collect();
        Self { heads: channel.heads.iter().map(|&node| name(node)).collect(), stranded }
    }
}

/// Every bundle that was there, under both lenses; Classic for each channel that lists it.
fn reroutes(root: &str, change: &PackageChange<'_>, of: &mut Consequences) {
    let Some(before) = change.before else { return };
    let empty = Package { name: before.name.clone(), ..Package::default() };
    let after = change.after.unwrap_or(&empty);
    let (old, new) = (UpgradeIndex::new(before), UpgradeIndex::new(after));
    let mut seen = BTreeSet::new();
    let everyone: Vec<Installed> = old.installs().into_iter().filter(|i| seen.insert(i.name.clone())).collect();
    let versions: BTreeMap<&Text, &Text> = everyone.iter().map(|i| (&i.name, &i.version)).collect();
    let mut found: BTreeMap<(Text, Option<Text>, Option<Text>), Reroute> = BTreeMap::new();
    for channel in &before.channels {
        let listed: Vec<Installed> = channel
            .entries
            .iter()
            .filter_map(|e| {
                let version = versions.get(&e.name.value)?;
                Some(Installed { name: e.name.value.clone(), version: (*version).clone() })
            })
            .collect();
        let options = Options { channels: vec![channel.name.value.to_string()], ..Options::default() };
        for reroute in compare(root, before, Lens::V0, &listed, &options, (&old, &new)) {
            let key = (reroute.from.clone(), reroute.before.clone(), reroute.after.clone());
            found.entry(key).or_insert(reroute).channels.push(channel.name.value.clone());
        }
    }
    of.reroutes.extend(found.into_values());
    of.reroutes.extend(compare(root, before, Lens::V1, &everyone, &Options::default(), (&old, &new)));
}

fn compare(
    root: &str,
    package: &Package,
    lens: Lens,
    installed: &[Installed],
    options: &Options,
    (old, new): (&UpgradeIndex, &UpgradeIndex),
) -> Vec<Reroute> {
    let before = old.everyone(lens, installed, options);
    let after = new.everyone(lens, installed, options);
    let mut reroutes = Vec::new();
    for ((from, before), after) in installed.iter().zip(before).zip(after) {
        let (before, after) = (before.ok().flatten(), after.ok().flatten());
        let effect = match (&before, &after) {
            (None, None) => continue,
            (Some(b), Some(a)) if a.name == b.name => continue,
            (_, Some(a)) if is_lower(&a.version, &from.version) => Effect::Downgrade,
            (Some(_), Some(_)) => Effect::Rerouted,
            (Some(_), None) => Effect::Stranded,
            (None, Some(_)) => Effect::Gained,
        };
        reroutes.push(Reroute {
            root: root.to_owned(),
            package: package.name.clone(),
            lens,
            channels: Vec::new(),
            from: from.name.clone(),
            from_version: from.version.clone(),
            before: before.map(|s| s.name),
            after: after.map(|s| s.name),
            effect,
        });
    }
    reroutes
}

fn is_lower(a: &str, b: &str) -> bool {
    match (Version::parse(a), Version::parse(b)) {
        (Ok(a), Ok(b)) => a.cmp_precedence(&b) == Ordering::Less,
        _ => false,
    }
}
