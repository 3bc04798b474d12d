//! OLM v1: the best bundle among catalogs (`olm-resolution` 1.5), with OLM's literal errors (1.6)
//! and an explanation.
//!
//! Accepts invalid catalogs: several heads, stranded entries and unknown default channels do not
//! matter.

use super::answer::{Answer, ErrorKind, Installed, Options, Policy, Successor, UpgradeError};
use super::candidates::{CatalogCandidate, bundle_flaw, check_installed, parse_range};
use super::explain::{
    describe_edge, describe_unreadable_ranges, documented, join_counted_names, join_names,
    join_names_and_others,
};
use super::index::{Bundle, Origin, UpgradeIndex};
use super::installed_set::InstalledSet;
use super::label_selector::Selector;
use super::package_view::{self, Candidate, PackageView};
use catalog::version::Version;

pub use super::candidates::{Catalog, Request};

/// Number of candidates named; the others are counted.
const MAX_NAMES: usize = 3;

/// The catalogs of a successful resolution. OLM v1 takes the conditions from the last catalog with
/// a candidate, which need not be the winner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeprecationSource<'a> {
    pub bundle_from: &'a str,
    pub conditions_from: &'a str,
}

impl<'a> Request<'a> {
    /// Returns the next step of `installed` (`None`: a fresh install).
    pub fn next(&self, installed: Option<&Installed>) -> Answer {
        let winner = self.winner(installed);
        let why = explain(self, &winner, installed);
        match winner {
            Ok(winner) => Answer {
                next: winner.successor(self.catalogs.len() > 1, installed),
                why,
                error: None,
            },
            Err(error) => Answer::fail(error, why),
        }
    }

    /// Returns the source of the deprecation conditions with `installed`; `None` after a failed
    /// resolution.
    pub fn deprecation_source(
        &self,
        installed: Option<&Installed>,
    ) -> Option<DeprecationSource<'a>> {
        let resolved = self.resolve(installed).ok()?;
        Some(DeprecationSource {
            bundle_from: resolved.winner.catalog.name,
            conditions_from: resolved.deprecation_source.name,
        })
    }
}

/// Returns the next step of `installed` (`None`: a fresh install), over catalogs in list order.
/// Without a `selector`, all catalogs count.
pub fn next(
    catalogs: &[Catalog<'_>],
    selector: Option<&Selector>,
    package: &str,
    installed: Option<&Installed>,
    options: &Options,
) -> Answer {
    Request::new(catalogs, selector, package, options).next(installed)
}

/// How to treat bundles with requirements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Requirements {
    /// Refuse them once chosen, as OLM v1 does.
    Refused,
    /// Ignore requirements and follow edges alone.
    LeftOut,
}

/// The next step of each installed version.
pub(super) type NextSteps = Vec<Result<Option<Successor>, ErrorKind>>;

/// Returns the next step of each within one package, and the result of a fresh install. A single
/// `Err` if the question itself is refused.
pub(super) fn everyone<'a>(
    installed_set: &InstalledSet<'a>,
    members: &[u32],
    options: &Options,
    requirements: Requirements,
) -> Result<(NextSteps, Option<&'a Bundle>), UpgradeError> {
    let range = parse_range(options)?;
    if installed_set.index.is_empty {
        return Ok((vec![Err(ErrorKind::None); members.len()], None));
    }
    let view = PackageView::new(installed_set.index, range.as_ref(), options);
    let candidates = view.best_of_all(installed_set, members, options.policy);
    let only = Catalog::only(installed_set.index);
    let steps = members
        .iter()
        .zip(candidates)
        .map(|(&member, candidate)| {
            let origin = installed_set
                .origins
                .get(member as usize)
                .ok_or(ErrorKind::None)?;
            check_installed(origin, options).map_err(|error| error.kind)?;
            let candidate = accept(candidate.ok_or(ErrorKind::None)?, requirements)?;
            let winner = CatalogCandidate {
                catalog: &only,
                candidate,
            };
            Ok(winner.successor(false, Some(origin.installed)))
        })
        .collect();
    Ok((steps, view.candidates.first().copied()))
}

/// Refuses a candidate that OLM v1 chooses and then does not install.
fn accept(
    candidate: Candidate<'_>,
    requirements: Requirements,
) -> Result<Candidate<'_>, ErrorKind> {
    match bundle_flaw(candidate.bundle) {
        Some(kind) if kind != ErrorKind::Dependency || requirements == Requirements::Refused => {
            Err(kind)
        }
        _ => Ok(candidate),
    }
}

/// Returns the result of a fresh install within one package.
pub(super) fn newest<'a>(index: &'a UpgradeIndex, options: &Options) -> Option<&'a Bundle> {
    let range = parse_range(options).ok()?;
    package_view::newest(index, range.as_ref(), options)
}

/// Explains why this bundle wins, or why no bundle does.
fn explain(
    request: &Request<'_>,
    winner: &Result<CatalogCandidate<'_>, UpgradeError>,
    installed: Option<&Installed>,
) -> Vec<String> {
    let mut why = Vec::new();
    match winner {
        Ok(winner) => {
            explain_winner(&mut why, request, *winner, installed);
            if request.catalogs.len() > 1 {
                why.push(format!(
                    "catalog `{}` offers it, with priority {}",
                    winner.catalog.name, winner.catalog.priority
                ));
            }
        }
        Err(error) => explain_failure(&mut why, request, error, installed),
    }
    why
}

fn explain_winner(
    why: &mut Vec<String>,
    request: &Request<'_>,
    winner: CatalogCandidate<'_>,
    installed: Option<&Installed>,
) {
    let options = request.options;
    let candidate = winner.candidate;
    let (name, version) = (&candidate.bundle.name, &candidate.bundle.version_text);
    let view = request
        .views
        .iter()
        .find(|(c, _)| std::ptr::eq(*c, winner.catalog))
        .map(|(_, view)| view);
    let Some(view) = view else { return };
    let origin = installed.map(|i| view.index.origin(i));
    let edges_from = edges_from(origin.as_ref(), options);
    let passed_over = find_deprecated_above(view, candidate.bundle, edges_from);
    // The winner is the highest candidate considered; claim no more than that.
    let mut condition = constraint_clause(options);
    if request.catalogs.len() > 1 {
        condition.push_str(&format!(" of catalog `{}`", winner.catalog.name));
    }
    let equals = find_equals(view, candidate.bundle, edges_from);
    if !equals.is_empty() {
        why.push(describe_order(candidate.bundle, &equals, &condition));
    }
    let unreadable = find_unreadable(view, edges_from, options);
    let conditions = [
        (!passed_over.is_empty(), "is not deprecated"),
        (!unreadable.is_empty(), "OLM v1 can read"),
    ];
    let conditions: Vec<&str> = conditions
        .iter()
        .filter_map(|(holds, text)| holds.then_some(*text))
        .collect();
    if !conditions.is_empty() {
        condition.push_str(&format!(" that {}", conditions.join(" and that ")));
    }
    match &origin {
        _ if !equals.is_empty() && !candidate.same => {}
        None => why.push(format!("`{name}` is the highest version{condition}; heads and the default channel do not count")),
        Some(origin) if candidate.same && origin.installed.name == *name => {
            why.push(format!("`{name}` stays: nothing higher{condition} follows it"));
            why.extend(describe_unreadable_ranges(view.visible_entries()));
        }
        Some(_) if candidate.same => {
            why.push(format!("`{name}` has the installed version, so OLM v1 treats it as the installed bundle"));
        }
        Some(origin) => match candidate
            .channel
            .filter(|_| options.policy == Policy::CatalogProvided)
            .and_then(|c| view.entry(candidate.bundle, c, origin, candidate.edge).map(|e| (c, e)))
        {
            Some((channel, entry)) => {
                why.push(format!(
                    "`{name}` is the highest version{condition} {} follows: in channel `{}` it {}",
                    if conditions.is_empty() { "that" } else { "and" },
                    channel.name,
                    describe_edge(candidate.edge, entry, origin)
                ));
            }
            _ => why.push(format!(
                "`{name}` ({version}) is the highest version{condition}; with policy `SelfCertified` no edge is needed"
            )),
        },
    }
    if let Some(origin) = &origin {
        explain_others(why, view, candidate.bundle, &equals, origin, options);
    }
    why.extend(describe_unreadable(&unreadable));
    why.extend(describe_prereleases(
        view,
        Some(candidate.bundle),
        edges_from,
        options,
    ));
    if let Some(by) = view
        .skipped_by(candidate.bundle)
        .filter(|_| !candidate.same)
    {
        why.push(format!(
            "`{by}` skips `{name}`, which stops Classic from choosing it, but not OLM v1"
        ));
    }
    if !passed_over.is_empty() {
        let names = passed_over.iter().map(|bundle| &*bundle.name);
        why.push(format!(
            "{}: deprecated, so only taken when nothing else is left",
            join_names_and_others(names, MAX_NAMES)
        ));
    } else if candidate.bundle.deprecated {
        why.push(format!(
            "`{name}` is deprecated, but so is everything else that could be taken"
        ));
    }
}

/// Returns the installed bundle if a successor needs an edge from it.
fn edges_from<'o, 'i>(origin: Option<&'o Origin<'i>>, options: &Options) -> Option<&'o Origin<'i>> {
    origin.filter(|_| options.policy == Policy::CatalogProvided)
}

/// Finds other eligible candidates that compare equal to the winner.
fn find_equals<'a>(
    view: &PackageView<'a>,
    winner: &Bundle,
    edges_from: Option<&Origin<'_>>,
) -> Vec<&'a Bundle> {
    let Some(rank) = &winner.rank else {
        return Vec::new();
    };
    let installed = edges_from.and_then(Origin::rank);
    let has_installed_version = installed.is_some_and(|installed| installed.compare(rank).is_eq());
    let could_be_taken = |bundle: &Bundle| {
        edges_from.is_none_or(|origin| has_installed_version || view.edge(bundle, origin).is_some())
    };
    // Candidates are sorted by preference, so equal ones are adjacent.
    let is_equal = |bundle: &&Bundle| {
        bundle.deprecated == winner.deprecated
            && bundle
                .rank
                .as_ref()
                .is_some_and(|other| other.compare(rank).is_eq())
    };
    let start = view
        .candidates
        .iter()
        .position(is_equal)
        .unwrap_or(view.candidates.len());
    view.candidates[start..]
        .iter()
        .copied()
        .take_while(is_equal)
        .filter(|bundle| bundle.id != winner.id && could_be_taken(bundle))
        .collect()
}

/// Explains why the winner comes before bundles that compare equal to it.
fn describe_order(winner: &Bundle, equals: &[&Bundle], condition: &str) -> String {
    let bundles = std::iter::once(winner).chain(equals.iter().copied());
    let names = join_counted_names(
        bundles.map(|bundle| &*bundle.name),
        equals.len() + 1,
        MAX_NAMES,
    );
    let any = |test: fn(&Bundle) -> bool| test(winner) || equals.iter().any(|bundle| test(bundle));
    let has_build = |bundle: &Bundle| {
        let version = bundle.version.as_ref();
        version.is_ok_and(|version| !version.build().is_empty())
    };
    let mut order = format!(
        "OLM v1 considers {names} equally high{condition}; it takes `{}`, which comes first in the catalog",
        winner.name
    );
    if any(|bundle| bundle.has_release && bundle.release.is_none()) {
        order.push_str("; it ignores a `release` without a feature gate");
    }
    if any(has_build) {
        order
            .push_str("; it ignores build metadata that is not a release of at most 20 characters");
    }
    order
}

/// Returns the bundles that could be taken if OLM v1 could read their version, including the
/// installed one if OLM v1 cannot read it.
fn find_unreadable<'a>(
    view: &PackageView<'a>,
    edges_from: Option<&Origin<'_>>,
    options: &Options,
) -> Vec<&'a Bundle> {
    let could_be_taken = |bundle: &&Bundle| match edges_from {
        Some(origin) => origin.id == Some(bundle.id) || view.edge(bundle, origin).is_some(),
        None => options.channels.is_empty() || view.is_listed(bundle),
    };
    let unreadable = view.index.bundles.iter().filter(|b| b.version.is_err());
    unreadable.filter(could_be_taken).collect()
}

fn join_bundle_names(bundles: &[&Bundle]) -> String {
    let names = bundles.iter().map(|bundle| &*bundle.name);
    join_counted_names(names, bundles.len(), MAX_NAMES)
}

fn describe_unreadable(unreadable: &[&Bundle]) -> Option<String> {
    let first = unreadable.first()?;
    let error = first.version.as_ref().err()?;
    let names = join_bundle_names(unreadable);
    let (are, of_first) = match unreadable.len() {
        1 => (
            "is no candidate: OLM v1 cannot read its version",
            String::new(),
        ),
        _ => (
            "are no candidates: OLM v1 cannot read their versions",
            format!("`{}`: ", first.name),
        ),
    };
    Some(format!("{names} {are} ({of_first}{error})"))
}

/// Finds bundles above the winner that the range excludes only because their versions count as
/// pre-releases.
fn describe_prereleases(
    view: &PackageView<'_>,
    winner: Option<&Bundle>,
    edges_from: Option<&Origin<'_>>,
    options: &Options,
) -> Option<String> {
    let range = parse_range(options).ok()??;
    let is_above = |version: &Version| match winner.map(|winner| &winner.version) {
        Some(Ok(winner)) => version.cmp_precedence(winner).is_gt(),
        _ => true,
    };
    let left_out: Vec<&Bundle> = view
        .index
        .bundles
        .iter()
        .filter(|bundle| {
            bundle.version.as_ref().is_ok_and(|version| {
                is_above(version)
                    && (range.refuses_as_prerelease(version)
                        || range.contains_only_release_of(version))
            })
        })
        .filter(|bundle| match edges_from {
            Some(origin) => view.edge(bundle, origin).is_some(),
            None => options.channels.is_empty() || view.is_listed(bundle),
        })
        .collect();
    let first = left_out.first()?;
    let names = join_bundle_names(&left_out);
    let (are, versions, count) = match left_out.len() {
        1 => ("is", "its version", "counts as a pre-release"),
        _ => ("are", "their versions", "count as pre-releases"),
    };
    Some(format!(
        "{names} {are} left out: {versions} ({}{}) {count}, which a range contains only if one of its bounds is a \
         pre-release too, such as `>={}-0`",
        first.version_text,
        if left_out.len() > 1 { ", …" } else { "" },
        first
            .version
            .as_ref()
            .map_or_else(|_| "1.0.0".to_owned(), |v| v.release_version().to_string())
    ))
}

/// Reports the other possible successors, and higher versions that are unreachable.
fn explain_others(
    why: &mut Vec<String>,
    view: &PackageView<'_>,
    winner: &Bundle,
    equals: &[&Bundle],
    origin: &Origin<'_>,
    options: &Options,
) {
    if options.policy == Policy::SelfCertified {
        return;
    }
    let higher = view.count_above(winner);
    let above = || {
        view.candidates
            .iter()
            .take(higher)
            .filter(|b| b.id != winner.id)
            .map(|b| &*b.name)
    };
    let count = higher
        - view
            .positions(winner.id)
            .take_while(|&position| position < higher)
            .count();
    if count > 0 {
        let within = match options.channels.is_empty() {
            true => String::new(),
            false => format!(
                " in {}",
                join_names(options.channels.iter().map(String::as_str), 4)
            ),
        };
        why.push(format!(
            "{} higher, but no entry of {}{within} replaces or skips `{}` or has a skipRange that contains `{}`",
            if count == 1 {
                format!("{} is", join_counted_names(above(), count, 1))
            } else {
                format!("{} are", join_counted_names(above(), count, MAX_NAMES))
            },
            if count == 1 { "it" } else { "them" },
            origin.installed.name,
            origin.installed.version
        ));
        why.extend(describe_unreadable_ranges(
            view.unreadable_above(higher)
                .filter(|entry| entry.id != winner.id),
        ));
    }
    // Among those not above the winner, the ones that have an edge but a lower version.
    let mut without = vec![Some(winner.id), origin.id];
    without.extend(equals.iter().map(|bundle| Some(bundle.id)));
    let readable = view.count_readable();
    let below = view.successors_among(origin, higher..readable, &without, MAX_NAMES + 1);
    if !below.is_empty() {
        let names = below.iter().map(|bundle| &*bundle.name);
        why.push(format!(
            "{} could follow as well; OLM v1 takes the highest version",
            join_names_and_others(names, MAX_NAMES)
        ));
    }
    let versions = winner.version.as_ref().ok().zip(origin.version().ok());
    if let Some((to, at)) = versions {
        if to.cmp_precedence(at).is_lt() {
            why.push(format!(
                "it is a lower version than `{}`, but OLM v1 needs only an edge to it",
                origin.installed.version
            ));
        }
        if to.major() > at.major() {
            why.push(documented::NEXT_MAJOR.to_owned());
        }
    }
}

/// Returns the higher candidates that lost only because they are deprecated: one more than are
/// named, at most.
fn find_deprecated_above<'a>(
    view: &PackageView<'a>,
    winner: &Bundle,
    edges_from: Option<&Origin<'_>>,
) -> Vec<&'a Bundle> {
    if winner.deprecated {
        return Vec::new();
    }
    let higher = view.deprecated_above(winner);
    let limit = MAX_NAMES + 1;
    match edges_from {
        Some(origin) => view.successors_among(origin, higher, &[], limit),
        None => {
            let higher = view.candidates.get(higher).unwrap_or_default();
            higher.iter().take(limit).copied().collect()
        }
    }
}

fn explain_failure(
    why: &mut Vec<String>,
    request: &Request<'_>,
    error: &UpgradeError,
    installed: Option<&Installed>,
) {
    why.push(match error.kind {
        ErrorKind::None => return explain_no_candidate(why, request, installed),
        ErrorKind::Ambiguous => {
            "several catalogs offer a bundle and none has the highest priority alone: give one of \
                                 them a higher priority, or select one by its labels"
                .to_owned()
        }
        ErrorKind::Range => "OLM v1 cannot read the version range".to_owned(),
        ErrorKind::Walk => {
            "a selected catalog cannot be read, and that blocks all others".to_owned()
        }
        ErrorKind::InstalledVersion => {
            "the installed version must be `major.minor.patch`".to_owned()
        }
        ErrorKind::Version => {
            "OLM v1 cannot read the version of any possible successor: it chooses one of them and then refuses it".to_owned()
        }
        ErrorKind::Dependency => {
            "OLM v1 chose a bundle, then refused it for its requirements, and does not try another"
                .to_owned()
        }
        _ => "the chosen bundle has no valid version".to_owned(),
    });
}

fn explain_no_candidate(
    why: &mut Vec<String>,
    request: &Request<'_>,
    installed: Option<&Installed>,
) {
    let Request {
        catalogs,
        package,
        options,
        views,
        ..
    } = request;
    if views.is_empty() {
        let has = |catalog: &&Catalog<'_>| catalog.package.is_ok_and(|index| !index.is_empty);
        let left_out = join_names(catalogs.iter().filter(has).map(|catalog| catalog.name), 4);
        why.push(match left_out.is_empty() {
            true => format!("no catalog has a package `{package}`"),
            false => format!(
                "the package is only in catalogs that are not selected or not available: {left_out}"
            ),
        });
        return;
    }
    for (catalog, view) in views {
        let prefix = if views.len() > 1 {
            format!("catalog `{}`: ", catalog.name)
        } else {
            String::new()
        };
        if !options.channels.is_empty() && view.channels.is_empty() {
            let existing = join_names(view.index.channels.iter().map(|c| &*c.name), 8);
            let existing = if existing.is_empty() {
                "none at all"
            } else {
                &existing
            };
            why.push(format!(
                "{prefix}package `{package}` has none of the requested channels; it has {existing}"
            ));
        } else if view.candidates.is_empty() {
            why.push(format!(
                "{prefix}package `{package}` has no bundle{}",
                constraint_clause(options)
            ));
            why.extend(describe_unreadable(&find_unreadable(view, None, options)));
            why.extend(describe_prereleases(view, None, None, options));
        } else if let Some(installed) = installed {
            let readable = view.candidates.iter().filter(|b| b.version.is_ok()).count();
            why.push(format!(
                "{prefix}none of {} {}{} replaces or skips `{}`, has a skipRange that contains `{}`, or has that exact version",
                view.candidates.len(),
                if readable < view.candidates.len() { "bundles" } else { "candidates" },
                constraint_clause(options),
                installed.name,
                installed.version
            ));
            why.extend(describe_unreadable_ranges(view.visible_entries()));
            let origin = view.index.origin(installed);
            let edges_from = edges_from(Some(&origin), options);
            let unreadable = find_unreadable(view, edges_from, options);
            why.extend(describe_unreadable(&unreadable));
            why.extend(describe_prereleases(view, None, edges_from, options));
        }
    }
}

/// Describes the request's constraints, as a trailing clause.
fn constraint_clause(options: &Options) -> String {
    let mut text = String::new();
    if let Some(range) = options.range.as_deref().filter(|r| !r.is_empty()) {
        text.push_str(&format!(" in range `{range}`"));
    }
    if !options.channels.is_empty() {
        text.push_str(&format!(
            " in {}",
            join_names(options.channels.iter().map(String::as_str), 4)
        ));
    }
    text
}
