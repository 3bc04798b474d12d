//! The consequences of a package change: the verdict, problems gained and lost, and the results of
//! [`compare`] for each package: changed heads, stranded entries, and versions with a different
//! next step or end.
//!
//! Compares two states; does not know how one became the other.

mod facts;
#[cfg(test)]
mod tests;
mod verdict_change;

use crate::compare::invariants::{self, CatalogContext, Finding, GroupedFinding, Severity};
use crate::compare::{
    self, Comparison, InOrder, Pair, Unfinished, Unpublished, UpgradeImpact, UserTable,
};
use crate::validate::{UnreadableText, Verdict, describe_unreadable, explain, judge};
use catalog::Catalog;
use catalog::model::Package;
use catalog::roots::catalog_version;
use protocol::counting::first_of;
use protocol::diagnostic::Diagnostic;
use protocol::judgement::{ErrorCounts, Tone};
use protocol::views::{EntryLocation, FailingPackage};
use std::cell::{OnceCell, RefCell};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use syntax::hashed::{HashMap, HashSet};
use syntax::order::SortSmall;
use syntax::place::Text;
use upgrade::resolve::ResolverCache;

pub use facts::tone_of;
pub use verdict_change::VerdictChange;
use verdict_change::{Compared, ProblemChanges};

/// Maximum number of unreadable files named in a sentence.
const MAX_NAMED: usize = 3;
/// Maximum number of catalogs named in a sentence.
const MAX_ROOTS: usize = 2;

/// A catalog before and after.
#[derive(Debug)]
pub struct RootChange<'a> {
    pub root: &'a str,
    pub before: &'a Verdict,
    pub after: &'a Verdict,
    /// The catalog with its current packages.
    pub catalog: &'a Catalog,
    /// Cached package data for questions about requirements.
    pub resolver_cache: &'a RefCell<ResolverCache>,
    pub packages: Vec<PackageChange<'a>>,
    pub unpublished: Unpublished,
    /// Whether a problem makes its package fail.
    pub is_failure: fn(&Diagnostic) -> bool,
}

/// `None`: the package does not exist in that state.
#[derive(Debug, Clone, Copy)]
pub struct PackageChange<'a> {
    pub before: Option<&'a Arc<Package>>,
    pub after: Option<&'a Arc<Package>>,
}

/// The consequences of a change in all affected catalogs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Consequences {
    /// One per affected catalog.
    pub verdicts: Vec<VerdictChange>,
    /// Unfinished parts. They fail until the next step, but nobody is worse off.
    pub unfinished: Vec<UnfinishedPart>,
    /// Files, with their catalogs, whose text is unreadable while the user types. Their
    /// consequences are unknown until they parse again.
    pub unreadable: Vec<(String, String)>,
    /// Packages with unreadable text before or after: their users are not reported.
    pub hidden: Vec<HiddenPackage>,
    /// Packages that passed before and fail now, regardless of the rest of the catalog.
    pub failing: Vec<FailingPackage>,
    pub problems_gained: Vec<Diagnostic>,
    pub problems_lost: Vec<Diagnostic>,
    /// New messages of earlier problems that are only reworded or moved to another channel, and
    /// therefore count neither as new nor as solved.
    pub reworded: Vec<String>,
    pub heads_moved: Vec<HeadsMoved>,
    /// Channels that lost their last entry, which `opm` refuses.
    pub emptied: Vec<EmptiedChannel>,
    pub newly_stranded: Vec<EntryLocation>,
    pub no_longer_stranded: Vec<EntryLocation>,
    /// The effect on users, one table per changed package; equal tables of several catalogs are
    /// merged.
    pub tables: Vec<PackageTable>,
    /// Newly broken invariants, errors first.
    pub broken: Vec<BrokenInvariant>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenPackage {
    pub root: String,
    pub package: Text,
    /// The unreadable text, with its place.
    pub text: String,
    pub is_readable_now: bool,
}

impl std::fmt::Display for HiddenPackage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (text, package) = (&self.text, &self.package);
        if self.is_readable_now {
            write!(
                f,
                "{text} could not be read before, so what changes for users of {package} is unknown"
            )
        } else {
            write!(
                f,
                "{text} cannot be read, so what this means for users of {package} is unknown"
            )
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedPart {
    pub root: String,
    pub part: Unfinished,
}

impl UnfinishedPart {
    /// Whether the problem only exists because the part is unfinished.
    fn is_cause_of(&self, problem: &Diagnostic) -> bool {
        problem.catalog == self.root
            && problem.package.as_deref() == Some(&*self.part.package)
            && self
                .part
                .covers(problem.channel.as_deref().unwrap_or_default())
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadsMoved {
    pub root: String,
    pub package: Text,
    pub heads: compare::HeadsMoved,
}

/// A channel that lost all its entries.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct EmptiedChannel {
    pub root: String,
    pub package: Text,
    pub channel: Text,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageTable {
    /// The catalogs with this table.
    pub roots: Vec<String>,
    pub package: Text,
    pub table: UserTable,
}

/// A finding about an invariant that a change breaks.
#[derive(Debug, Clone, PartialEq)]
pub struct BrokenInvariant {
    pub root: String,
    pub package: Text,
    pub finding: Finding,
}

impl Consequences {
    /// Merges the consequences of several catalogs.
    pub fn join(all: impl IntoIterator<Item = Consequences>) -> Self {
        let mut joined = Self::default();
        for catalog in all {
            joined.verdicts.extend(catalog.verdicts);
            joined.unfinished.extend(catalog.unfinished);
            joined.unreadable.extend(catalog.unreadable);
            joined.hidden.extend(catalog.hidden);
            joined.failing.extend(catalog.failing);
            joined.problems_gained.extend(catalog.problems_gained);
            joined.problems_lost.extend(catalog.problems_lost);
            joined.heads_moved.extend(catalog.heads_moved);
            joined.emptied.extend(catalog.emptied);
            joined.newly_stranded.extend(catalog.newly_stranded);
            joined.no_longer_stranded.extend(catalog.no_longer_stranded);
            joined.reworded.extend(catalog.reworded);
            for table in catalog.tables {
                match joined
                    .tables
                    .iter_mut()
                    .find(|known| known.package == table.package && known.table == table.table)
                {
                    Some(known) => known.roots.extend(table.roots),
                    None => joined.tables.push(table),
                }
            }
            joined.broken.extend(catalog.broken);
        }
        joined.tables.sort_small_by_key(|table| table.table.worst());
        joined
            .broken
            .sort_small_by_key(|broken| broken.finding.invariant.severity);
        joined
    }

    /// Adds files that are unreadable while the user types in them, and drops consequences that may
    /// only result from missing text.
    pub fn with_unreadable_files(self, root: &str, files: Vec<String>) -> Self {
        let Self {
            verdicts,
            mut problems_gained,
            ..
        } = self;
        problems_gained
            .retain(|problem| facts::is_failure(problem) && files.contains(&problem.location.file));
        let unreadable = files
            .into_iter()
            .map(|file| (root.to_owned(), file))
            .collect();
        Self {
            verdicts,
            problems_gained,
            unreadable,
            ..Self::default()
        }
    }

    /// Formats the note about files that are unreadable for now.
    fn unreadable_files_note(&self) -> Option<String> {
        let names = self.unreadable.iter().map(|(_, file)| format!("`{file}`"));
        let is_one = self.unreadable.len() == 1;
        (!self.unreadable.is_empty()).then(|| {
            format!(
                "{} {} not readable yet",
                first_of(names, MAX_NAMED),
                if is_one { "is" } else { "are" }
            )
        })
    }

    /// Groups broken invariants into facts for readers, by catalog and package, errors first. Each
    /// fact names at most `limit` subjects.
    pub fn group_broken(&self, limit: usize) -> Vec<(&str, &Text, GroupedFinding)> {
        let mut groups: InOrder<(&str, &Text), Vec<&Finding>> = InOrder::new();
        for broken in &self.broken {
            groups
                .get_or_insert_with((&broken.root, &broken.package), Vec::new)
                .push(&broken.finding);
        }
        let mut grouped = Vec::new();
        for ((root, package), findings) in groups.items {
            let facts = invariants::group_findings(findings, limit);
            grouped.extend(facts.into_iter().map(|fact| (root, package, fact)));
        }
        grouped.sort_small_by_key(|(.., finding)| finding.severity);
        grouped
    }

    /// Returns newly failing packages that no verdict mentions.
    pub fn failures_without_verdict(&self) -> impl Iterator<Item = &FailingPackage> {
        self.failing
            .iter()
            .filter(|failure| !self.is_in_verdict(failure))
    }

    /// Whether the verdict of its catalog turned to failed as well.
    fn is_in_verdict(&self, failure: &FailingPackage) -> bool {
        self.verdicts
            .iter()
            .any(|verdict| verdict.root == failure.root && verdict.fails_now())
    }

    /// Formats one sentence: the verdict, and the worst effect.
    pub fn summary(&self) -> String {
        self.summary_with(VerdictChange::to_text)
    }

    /// Like `summary`, with a custom text for verdicts.
    pub fn summary_with(&self, verdict_words: impl Fn(&VerdictChange) -> String) -> String {
        let verdict = self.worst_verdict(verdict_words);
        let effect = self
            .unreadable_files_note()
            .or_else(|| self.hidden.first().map(HiddenPackage::to_string))
            .or_else(|| Some(self.unfinished.first()?.part.to_string()))
            .or_else(|| self.failures_without_verdict().next().map(describe_failure))
            .or_else(|| {
                let emptied = self.emptied.first()?;
                Some(format!("channel {} has no entries now", emptied.channel))
            })
            .or_else(|| self.effect_beside_users())
            .unwrap_or_else(|| self.headline());
        let parts = [verdict, effect].into_iter();
        parts
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join("; ")
    }

    /// Describes a broken rule or a moved head if no table has a changed row.
    fn effect_beside_users(&self) -> Option<String> {
        if self.affects_users() {
            return None;
        }
        self.worst_broken(Severity::Error)
            .or_else(|| Some(self.heads_moved.first()?.heads.to_string()))
    }

    /// Whether a user gets a different update, or a new install a different version.
    pub fn affects_users(&self) -> bool {
        let mut tables = self.tables.iter();
        tables.any(|table| table.table.worst() != UpgradeImpact::Same)
    }

    /// Formats the worst verdict, with the catalogs that have it if there are several.
    fn worst_verdict(&self, words: impl Fn(&VerdictChange) -> String) -> String {
        let rank = |verdict: &&VerdictChange| match verdict.tone() {
            Tone::Bad => 0,
            Tone::Good => 2,
            _ => 1,
        };
        let Some(worst) = self.verdicts.iter().min_by_key(rank).map(&words) else {
            return String::new();
        };
        let alike = self.verdicts.iter().filter(|other| words(other) == worst);
        let roots: Vec<&str> = alike.map(|verdict| verdict.root.as_str()).collect();
        let each = if roots.len() > 1 { "each " } else { "" };
        match self.verdicts.len() {
            1 => worst,
            _ => format!("{}: {each}{worst}", first_of(roots.iter(), MAX_ROOTS)),
        }
    }
}

fn describe_failure(failure: &FailingPackage) -> String {
    format!("package {} fails now: {}", failure.package, failure.message)
}

/// Returns the problems that are new after a change, without reworded or moved ones.
pub fn problems_gained(before: &Verdict, after: &Verdict) -> Vec<Diagnostic> {
    Compared::new(before, after).changes().gained
}

/// Computes the consequences of a change to one catalog.
pub fn for_root(change: &RootChange<'_>) -> Consequences {
    let changed: HashSet<&str> = change
        .packages
        .iter()
        .filter_map(|package| package.after.or(package.before))
        .map(|p| &*p.name)
        .collect();
    let compared = Compared::new(change.before, change.after);
    let mut verdict =
        VerdictChange::from_verdicts(change.root, change.before, change.after, &compared)
            .within(change.after, &changed);
    let hidden = hidden_packages(change);
    if !hidden.is_empty() {
        // With unreadable text, the errors that remain are unknown.
        (verdict.errors, verdict.errors_here) = (ErrorCounts::default(), None);
    }
    verdict.was_empty = change
        .packages
        .iter()
        .all(|package| package.before.is_none())
        && change
            .catalog
            .packages()
            .all(|package| changed.contains(&*package.name));
    let mut consequences = compare_problems(change, &compared, &hidden);
    consequences.verdicts.push(verdict);
    let is_known = |package: &str| !hidden.iter().any(|hidden| *hidden.package == *package);
    consequences.failing = newly_failing_packages(change);
    consequences
        .failing
        .retain(|failure| is_known(&failure.package));
    consequences.emptied = change
        .packages
        .iter()
        .flat_map(|package| emptied_channels(change.root, package))
        .filter(|emptied| is_known(&emptied.package))
        .collect();
    add_user_effects(change, is_known, &mut consequences);
    consequences.hidden = hidden;
    consequences.drop_solved_unrequested_prereleases();
    consequences
}

/// Returns consequences with only the gained, lost and reworded problems.
fn compare_problems(
    change: &RootChange<'_>,
    compared: &Compared<'_>,
    hidden: &[HiddenPackage],
) -> Consequences {
    let ProblemChanges {
        mut gained,
        mut lost,
        mut reworded,
    } = compared.changes();
    lost.retain(|problem| !ends_with_its_package(change, problem));
    if !hidden.is_empty() {
        reworded.clear();
        let is_known = |problem: &Diagnostic| {
            !hidden
                .iter()
                .any(|hidden| problem.package.as_deref() == Some(&*hidden.package))
        };
        gained.retain(is_known);
        let is_hidden_now = hidden.iter().any(|package| !package.is_readable_now);
        lost.retain(|problem| is_known(problem) && !(is_hidden_now && problem.hides_text()));
    }
    Consequences {
        problems_gained: gained,
        problems_lost: lost,
        reworded,
        ..Consequences::default()
    }
}

/// Returns the changed packages with unreadable text before or after.
fn hidden_packages(change: &RootChange<'_>) -> Vec<HiddenPackage> {
    let [before, after] = [change.before, change.after].map(|verdict| {
        let problems = verdict.diagnostics.iter().map(|problem| &**problem);
        UnreadableText::reported_by(change.catalog, problems)
    });
    if before.is_empty() && after.is_empty() {
        Vec::new()
    } else {
        change
            .packages
            .iter()
            .filter_map(|package_change: &PackageChange<'_>| {
                let (was, is) = (
                    package_change.before.or(package_change.after)?,
                    package_change.after.or(package_change.before)?,
                );
                let now = after.near_any_part(is, change.catalog);
                let cause = now.or_else(|| before.near_any_part(was, change.catalog))?;
                Some(HiddenPackage {
                    root: change.root.to_owned(),
                    package: is.name.clone(),
                    text: describe_unreadable(cause),
                    is_readable_now: now.is_none(),
                })
            })
            .collect()
    }
}

/// Whether a problem disappeared because its package is now deprecated as a whole.
fn ends_with_its_package(change: &RootChange<'_>, problem: &Diagnostic) -> bool {
    let mut changed = change.packages.iter().filter_map(|package| package.after);
    explain(&problem.rule).is_some_and(|rule| rule.skips_deprecated_packages)
        && changed.any(|package| {
            let mut entries = package.deprecations.iter().flat_map(|blob| &blob.entries);
            problem.package.as_deref() == Some(&*package.name)
                && entries.any(|entry| entry.schema.as_str() == "olm.package")
        })
}

/// Judges both states of a catalog that is replaced, and compares all packages. Returns the new
/// verdict and the consequences. Use [`for_root`] if the changed packages are known.
pub fn for_catalogs(root: &str, before: &Catalog, after: &Catalog) -> (Verdict, Consequences) {
    let (judged_before, judged_after) = (judge(before), judge(after));
    let gone = before
        .packages()
        .filter(|package| after.package(&package.name).is_none());
    let names = after.packages().chain(gone).map(|package| &*package.name);
    let consequences = for_packages(
        root,
        (before, &judged_before),
        (after, &judged_after),
        names,
    );
    (judged_after, consequences)
}

/// Computes the consequences of changing some packages of a catalog, given its full verdicts.
pub fn for_packages<'a>(
    root: &str,
    (before, judged_before): (&Catalog, &Verdict),
    (after, judged_after): (&Catalog, &Verdict),
    names: impl IntoIterator<Item = &'a str>,
) -> Consequences {
    for_root(&RootChange {
        root,
        before: judged_before,
        after: judged_after,
        catalog: after,
        resolver_cache: &RefCell::default(),
        packages: names
            .into_iter()
            .map(|package| PackageChange {
                before: before.package(package),
                after: after.package(package),
            })
            .collect(),
        unpublished: Unpublished::default(),
        is_failure: facts::is_failure,
    })
}

/// Returns the packages that passed before and fail now, with their first failure.
fn newly_failing_packages(change: &RootChange<'_>) -> Vec<FailingPackage> {
    let changed: HashSet<&str> = change
        .packages
        .iter()
        .filter_map(|package| package.before)
        .map(|p| &*p.name)
        .collect();
    let [before, mut after] = [change.before, change.after].map(|verdict| {
        let mut first: HashMap<&str, &str> = HashMap::default();
        for problem in verdict
            .diagnostics
            .iter()
            .filter(|problem| (change.is_failure)(problem))
        {
            let package = problem.package.as_deref();
            if let Some(package) = package.filter(|package| changed.contains(package)) {
                first.entry(package).or_insert(&problem.message);
            }
        }
        first
    });
    let passed = change
        .packages
        .iter()
        .filter_map(|package| package.before)
        .filter(|p| !before.contains_key(&*p.name));
    let fails = passed.filter_map(|package| {
        let message = after.remove(&*package.name)?.to_owned();
        Some(FailingPackage {
            root: change.root.to_owned(),
            package: package.name.to_string(),
            message,
        })
    });
    fails.collect()
}

fn emptied_channels<'a>(
    root: &'a str,
    package: &PackageChange<'a>,
) -> impl Iterator<Item = EmptiedChannel> + 'a {
    let had: BTreeSet<&Text> = package
        .before
        .into_iter()
        .flat_map(|p| &p.channels)
        .filter(|channel| !channel.entries.is_empty())
        .map(|channel| &channel.name.value)
        .collect();
    let after = package
        .after
        .into_iter()
        .flat_map(|p| p.channels.iter().map(move |channel| (p, channel)));
    after
        .filter(move |(_, channel)| channel.entries.is_empty() && had.contains(&channel.name.value))
        .map(move |(package, channel)| EmptiedChannel {
            root: root.to_owned(),
            package: package.name.clone(),
            channel: channel.name.value.clone(),
        })
}

/// Adds the effect of each changed package on its users: most versions worse off first, then most
/// versions affected.
fn add_user_effects(
    change: &RootChange<'_>,
    is_known: impl Fn(&str) -> bool,
    into: &mut Consequences,
) {
    let (before, empty) = (OnceCell::new(), Catalog::default());
    let readable = change.packages.iter().filter(|package| {
        let package = package.after.or(package.before);
        package.is_some_and(|package| is_known(&package.name))
    });
    let compared = readable.map(|package| {
        let pair = Pair::for_edit(package.before, package.after, change.resolver_cache);
        let old = if pair.needs_solver() {
            before.get_or_init(|| catalog_before(change))
        } else {
            &empty
        };
        let broken = invariants::find_broken(
            &pair,
            &CatalogContext {
                old: Some(old),
                new: Some(change.catalog),
                ocp: catalog_version(change.root),
                neighbors: &[],
                resolver_cache: Some(change.resolver_cache),
            },
            &change.unpublished,
        );
        let mut compared = pair.compare();
        compared.drop_unpublished(&change.unpublished);
        if pair.needs_solver() {
            compared.note_unmet_requirements(change.catalog, change.resolver_cache);
        }
        (compared, broken)
    });
    let mut compared: Vec<(Comparison, Vec<Finding>)> = compared.collect();
    compared.sort_small_by_key(|(users, _)| {
        (
            Reverse(users.count_worse_off()),
            Reverse(users.count_affected()),
        )
    });
    for (comparison, broken) in compared {
        into.add_comparison(change.root, comparison, broken);
    }
}

impl Consequences {
    /// Adds the effects of a package's change, without verdict and problems.
    pub fn add_comparison(&mut self, root: &str, comparison: Comparison, broken: Vec<Finding>) {
        let package = &comparison.package;
        let root = || root.to_owned();
        let entry = |(channel, name): (Text, Text)| EntryLocation {
            root: root(),
            package: package.to_string(),
            channel: channel.to_string(),
            name: name.to_string(),
        };
        // Images of a template belong to a package without a name, which nobody can install.
        if !package.is_empty() {
            self.tables.push(PackageTable {
                roots: vec![root()],
                package: package.clone(),
                table: comparison.table(),
            });
        }
        self.broken
            .extend(broken.into_iter().map(|finding| BrokenInvariant {
                root: root(),
                package: package.clone(),
                finding,
            }));
        let unfinished = comparison.unfinished.into_iter();
        self.unfinished
            .extend(unfinished.map(|part| UnfinishedPart { root: root(), part }));
        self.newly_stranded
            .extend(comparison.stranded.newly.into_iter().map(entry));
        self.no_longer_stranded
            .extend(comparison.stranded.no_longer.into_iter().map(entry));
        let heads_moved = comparison.heads_moved.into_iter();
        self.heads_moved.extend(heads_moved.map(|heads| HeadsMoved {
            root: root(),
            package: package.clone(),
            heads,
        }));
    }
}

/// Returns the catalog's packages before the change; unchanged ones are shared.
fn catalog_before(change: &RootChange<'_>) -> Catalog {
    let mut packages: BTreeMap<Text, Arc<Package>> = change
        .catalog
        .packages()
        .map(|package| (package.name.clone(), package.clone()))
        .collect();
    for PackageChange { before, after } in &change.packages {
        if let Some(after) = after {
            packages.remove(&after.name);
        }
        if let Some(before) = before {
            packages.insert(before.name.clone(), (*before).clone());
        }
    }
    Catalog::from_packages(packages.into_values())
}
