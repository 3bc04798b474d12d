//! What follows from a change of packages: the verdict, problems gained and lost, and what [`compare`] finds of each
//! package: heads that moved, entries stranded, and every version whose next step or end is another one now.
//!
//! Compares two states; knows nothing of how one became the other.

use crate::fbc::compare::{self, Pair, User};
use crate::fbc::diagnostic::Diagnostic;
use crate::fbc::model::Package;
use crate::fbc::place::Text;
use crate::fbc::validate::Verdict;
use std::collections::{BTreeMap, BTreeSet};

pub use crate::fbc::compare::Effect;

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
    pub heads: compare::HeadsMoved,
}

/// An entry of a channel.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct EntryOf {
    pub root: String,
    pub package: Text,
    pub channel: Text,
    pub name: Text,
}

/// A version whose next step or end is another one now; in each package the gravest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reroute {
    pub root: String,
    pub package: Text,
    pub user: User,
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
        parts.extend(self.heads_moved.iter().take(2).map(|moved| moved.heads.to_string()));
        parts.extend(counted(self.heads_moved.len().saturating_sub(2), "1 more head moved", "more heads moved"));
        let users = |of: fn(&User) -> bool| -> BTreeSet<(&str, &Text, &Text)> {
            let some = self.reroutes.iter().filter(|r| of(&r.user));
            some.map(|r| (r.root.as_str(), &r.package, &r.user.from.name)).collect()
        };
        let rerouted = users(|user| user.effect.is_some());
        match (rerouted.len(), self.reroutes.first()) {
            (1, Some(reroute)) => parts.push(reroute.user.to_string()),
            (0, _) | (_, None) => {}
            (n, _) => parts.push(format!("another next step from {n} versions")),
        }
        let ends = users(|user| user.effect.is_none()).difference(&rerouted).count();
        parts.extend(counted(ends, "another end for 1 version", "versions end elsewhere"));
        parts.join("; ")
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
        users(change.root, package, &mut of);
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

fn users(root: &str, change: &PackageChange<'_>, of: &mut Consequences) {
    let compared = Pair::new(change.before, change.after).compare();
    let package = &compared.package;
    let entry =
        |(channel, name): (Text, Text)| EntryOf { root: root.to_owned(), package: package.clone(), channel, name };
    of.newly_stranded.extend(compared.stranded.newly.into_iter().map(entry));
    of.no_longer_stranded.extend(compared.stranded.no_longer.into_iter().map(entry));
    let moved = |heads| HeadsMoved { root: root.to_owned(), package: package.clone(), heads };
    of.heads_moved.extend(compared.heads_moved.into_iter().map(moved));
    let reroute = |user| Reroute { root: root.to_owned(), package: package.clone(), user };
    let mut hit: Vec<User> = compared.users.into_iter().filter(|user| !user.is_same()).collect();
    hit.sort_by(User::gravest_first);
    of.reroutes.extend(hit.into_iter().map(reroute));
}
