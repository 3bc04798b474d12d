//! Skipped bundles and patch releases (I3, I4), skip ranges and rewritten edges (I11, I12, I18).

use super::context::{CheckedChannel, Context, LatestPatches, lens_name};
use super::{Findings, Invariant, Severity};
use catalog::model::Entry;
use catalog::version::Version;
use catalog::version::blang::Range;
use protocol::counting::quoted;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use syntax::hashed::HashMap;
use syntax::place::Text;
use upgrade::Lens;
use upgrade::everyone::PathSummaries;
use upgrade::installed_set::{InstalledSet, is_within};

pub static SKIPPED_INSTALLED: Invariant = Invariant {
    id: "I3",
    name: "skipped-installed",
    severity: Severity::Error,
    rule: "A skipped bundle is never installed, either by a fresh install or by an upgrade.",
    why: "`skips` says that a bundle must no longer be used. Classic obeys; OLM v1 still takes a skipped bundle when it \
          is the highest version that an edge leads to.",
    fix: "Let the skipping entry cover everything that the skipped one covers (by `skips` or a skipRange), or remove the \
          skipped entry.",
    check: skipped_installed,
};

pub static LATEST_PATCH: Invariant = Invariant {
    id: "I4",
    name: "latest-patch",
    severity: Severity::Warning,
    rule: "Every version older than the latest patch of its minor version is upgraded to that patch on its path.",
    why: "Many operators support updates to the next minor only from the latest patch. A channel may do otherwise on \
          purpose: with `opm`'s semver template, every version of a major upgrades directly to its newest release.",
    fix: "Let the latest patch skip the patches below it, and let the next minor replace only that patch. To do \
          so for a whole channel, rebuild its edges with the rule `z-stream`.",
    check: latest_patch,
};

pub static LATEST_PATCH_AT_ONCE: Invariant = Invariant {
    id: "I4",
    name: "latest-patch-at-once",
    severity: Severity::Warning,
    rule: "Every version older than the latest patch of its minor version upgrades to that patch in one step, under both lenses.",
    why: "Each step in between is an update with its own risk and downtime.",
    fix: "Let the latest patch skip all patches below it. To do so for a whole channel, rebuild its edges with \
          the rule `z-stream`.",
    check: latest_patch_at_once,
};

fn skipped_installed(context: &Context<'_>, findings: &mut Findings<'_>) {
    for channel in context.present() {
        let ends = [
            (Lens::V0, channel.head()),
            (Lens::V1, channel.v1.new.end.as_ref()),
        ];
        for (lens, end) in ends
            .into_iter()
            .filter_map(|(lens, end)| Some((lens, end?)))
        {
            if channel.skipped.contains(&**end) {
                let under = lens_name(lens);
                let message =
                    format!("a fresh install gets `{end}` under {under}, although it is skipped");
                findings.add(channel.name(), end, message, String::new());
            }
        }
        let mut skippers: HashMap<&str, &Text> = HashMap::default();
        for entry in &channel.new {
            entry
                .skips
                .iter()
                .for_each(|skip| _ = skippers.entry(skip.as_str()).or_insert(&entry.name.value));
        }
        for (lens, paths) in lenses(channel) {
            for &number in &channel.installed {
                let Some(next) = paths.next_version(number) else {
                    continue;
                };
                let (name, next) = (context.name(number), context.name(next));
                if channel.skipped.contains(&*next) {
                    let qualifier = channel
                        .affected_lenses(context, number, &[lens])
                        .qualifier();
                    let message = format!(
                        "users of `{name}` get `{next}` {qualifier}, although it is skipped"
                    );
                    let by = skippers.get(&*next);
                    let help =
                        by.map_or_else(String::new, |by| format!("let `{by}` skip `{name}` too"));
                    findings.add(channel.name(), &name, message, help);
                }
            }
        }
    }
}

fn latest_patch(context: &Context<'_>, findings: &mut Findings<'_>) {
    for channel in context.present() {
        let latest = channel.latest(|| latest_of_each_minor(context, channel));
        for (lens, paths) in lenses(channel) {
            let passes = passes_latest(context, paths, latest);
            for &number in &channel.installed {
                let Some(&latest) = later_patch(context, number, latest) else {
                    continue;
                };
                if passes.get(&number).copied() == Some(false) {
                    let patch = describe_patch(context, latest);
                    let (name, latest) = (context.name(number), context.name(latest));
                    let qualifier = channel
                        .affected_lenses(context, number, &[lens])
                        .qualifier();
                    let message = format!("users of `{name}` never get {patch} {qualifier}");
                    findings.add(
                        channel.name(),
                        &name,
                        message,
                        format!("let `{latest}` skip `{name}`"),
                    );
                }
            }
        }
    }
}

fn latest_patch_at_once(context: &Context<'_>, findings: &mut Findings<'_>) {
    for channel in context.present() {
        let latest = channel.latest(|| latest_of_each_minor(context, channel));
        for &number in &channel.installed {
            let Some(&latest) = later_patch(context, number, latest) else {
                continue;
            };
            let other: Vec<Lens> = lenses(channel)
                .into_iter()
                .filter(|(_, paths)| paths.next_version(number) != Some(latest))
                .map(|(lens, _)| lens)
                .collect();
            if !other.is_empty() {
                let patch = describe_patch(context, latest);
                let (name, latest) = (context.name(number), context.name(latest));
                let qualifier = channel.affected_lenses(context, number, &other).qualifier();
                let message =
                    format!("users of `{name}` do not get {patch} in one step {qualifier}");
                findings.add(
                    channel.name(),
                    &name,
                    message,
                    format!("let `{latest}` skip `{name}`"),
                );
            }
        }
    }
}

/// Formats a patch: `` `op.v1.2.3`, the latest patch of 1.2, ``.
fn describe_patch(context: &Context<'_>, number: u32) -> String {
    let minor = context.version(number).map(minor);
    let (major, minor) = minor.unwrap_or_default();
    let name = context.name(number);
    format!("`{name}`, the latest patch of {major}.{minor},")
}

fn lenses<'l>(channel: &'l CheckedChannel<'_>) -> [(Lens, &'l PathSummaries); 2] {
    [
        (Lens::V0, &channel.pair.v0.new),
        (Lens::V1, &channel.v1.new),
    ]
}

type Minor = (u64, u64);

fn minor(version: &Version) -> Minor {
    (version.major(), version.minor())
}

/// Finds the highest version of each minor version in New's chain.
fn latest_of_each_minor(context: &Context<'_>, channel: &CheckedChannel<'_>) -> LatestPatches {
    let mut latest = LatestPatches::default();
    let bundle = |name: &Text| {
        let version = context.new_bundles.get(&**name)?.version();
        context
            .pair
            .versions
            .number(&upgrade::Installed::new(name.clone(), version))
    };
    for number in channel.chain().into_iter().flatten().filter_map(bundle) {
        let Some(version) = context.version(number) else {
            continue;
        };
        let best = latest.entry(minor(version)).or_insert(number);
        if context.is_lower(*best, number) {
            *best = number;
        }
    }
    latest
}

/// Returns the latest patch of the version's minor version, if it is higher.
fn later_patch<'m>(
    context: &Context<'_>,
    number: u32,
    latest: &'m HashMap<Minor, u32>,
) -> Option<&'m u32> {
    latest
        .get(&minor(context.version(number)?))
        .filter(|&&latest| context.is_lower(number, latest))
}

/// Determines for each version whether it reaches the latest patch of its minor version before
/// leaving that minor version. Walks each path once.
fn passes_latest(
    context: &Context<'_>,
    paths: &PathSummaries,
    latest: &HashMap<Minor, u32>,
) -> HashMap<u32, bool> {
    let mut passes: HashMap<u32, bool> = HashMap::default();
    let minor_of = |number: u32| context.version(number).map(minor);
    for &start in &paths.members {
        let mut walked = Vec::new();
        let mut number = start;
        let reaches_latest = loop {
            if let Some(&known) = passes.get(&number) {
                break known;
            }
            // Provisional: if the path returns here, the cycle never reaches the latest patch.
            passes.insert(number, false);
            walked.push(number);
            let Some(next) = paths.next_version(number) else {
                break false;
            };
            if minor_of(number).and_then(|minor| latest.get(&minor)) == Some(&next) {
                break true;
            }
            if minor_of(next) != minor_of(number) {
                break false;
            }
            number = next;
        };
        passes.extend(walked.into_iter().map(|number| (number, reaches_latest)));
    }
    passes
}

pub static RANGE_LOOKS_AHEAD: Invariant = Invariant {
    id: "I11",
    name: "range-looks-ahead",
    severity: Severity::Error,
    rule: "No skipRange covers a version of the channel that is higher than its entry's own version.",
    why: "Neither OLM Classic nor OLM v1 compares the versions along an edge: Classic moves users of the higher \
          version to the entry, which is a downgrade, or part of an endless cycle.",
    fix: "Bound the range by `<` the entry's own version.",
    check: |context, findings| check_range(context, findings, Ordering::Greater),
};

pub static RANGE_HOLDS_ITSELF: Invariant = Invariant {
    id: "I11",
    name: "range-holds-itself",
    severity: Severity::Warning,
    rule: "A skipRange does not contain its entry's own version.",
    why: "Users of that bundle are not affected, but users of another bundle with the same version would be upgraded \
          to this one.",
    fix: "Bound the range by `<` the entry's own version.",
    check: |context, findings| check_range(context, findings, Ordering::Equal),
};

pub static RANGE_UNREADABLE: Invariant = Invariant {
    id: "I12",
    name: "range-unreadable",
    severity: Severity::Error,
    rule: "Every skipRange parses.",
    why: "`opm validate` rejects the catalog; on a cluster, both OLM Classic and OLM v1 silently ignore the range.",
    fix: "Write full versions, separate comparisons with spaces (`>=1.0.0 <2.0.0`) and alternatives with ` || `.",
    check: range_unreadable,
};

pub static EDGE_REWRITTEN: Invariant = Invariant {
    id: "I18",
    name: "edge-rewritten",
    severity: Severity::Warning,
    rule: "For an entry in both the old and the new catalog, `replaces` is unchanged, `skips` only grows, and the skipRange still covers \
           everything it covered.",
    why: "Users plan upgrades by the edges of a released version; removing such an edge can cut off an upgrade path.",
    fix: "Leave released entries unchanged; put new edges on new entries.",
    check: edge_rewritten,
};

fn check_range(context: &Context<'_>, findings: &mut Findings<'_>, reported: Ordering) {
    for channel in context.present() {
        let [_, installed_set] = &context.sets;
        let listed = |name: &Text| context.pair.versions.by_name(name).iter().copied();
        let mut places = None;
        for entry in channel.new.iter().filter(|e| !e.skip_range.is_empty()) {
            let own = context
                .new_bundles
                .get(entry.name.as_str())
                .map(|b| b.version());
            let own = own.and_then(|text| Version::parse(text).ok());
            let places = &*places.get_or_insert_with(|| {
                let mut places =
                    installed_set.places(channel.new.iter().flat_map(|e| listed(&e.name.value)));
                places.dedup();
                places
            });
            let Some((own, (highest, version))) =
                own.zip(installed_set.highest_in(&entry.skip_range.value, places))
            else {
                continue;
            };
            if version.cmp_precedence(&own) == reported {
                let (name, range) = (&entry.name.value, &entry.skip_range.value);
                let message = match reported {
                    Ordering::Equal => {
                        format!(
                            "`{name}` is offered as its own update: its skipRange `{range}` covers it"
                        )
                    }
                    _ => {
                        let higher = &highest.name;
                        format!(
                            "users of the higher `{higher}` may be moved back to `{name}`: its skipRange `{range}` contains it"
                        )
                    }
                };
                findings.add(
                    channel.name(),
                    name,
                    message,
                    format!("bound it by `<{own}`"),
                );
            }
        }
    }
}

fn range_unreadable(context: &Context<'_>, findings: &mut Findings<'_>) {
    for channel in context.present() {
        for entry in channel.new.iter().filter(|e| !e.skip_range.is_empty()) {
            if let Err(error) = Range::parse(&entry.skip_range.value) {
                let (name, range) = (&entry.name.value, &entry.skip_range.value);
                findings.add(
                    channel.name(),
                    name,
                    format!("nobody is updated by skipRange `{range}` of `{name}`, which cannot be read: {}", error.0),
                    String::new(),
                );
            }
        }
    }
}

fn edge_rewritten(context: &Context<'_>, findings: &mut Findings<'_>) {
    let [before, after] = &context.sets;
    for channel in context.present() {
        let old: HashMap<&str, _> = channel.old.iter().map(|e| (e.name.as_str(), *e)).collect();
        for entry in &channel.new {
            let Some(was) = old.get(entry.name.as_str()) else {
                continue;
            };
            for change in rewritten_edges(was, entry, (before, after)) {
                let name = &entry.name.value;
                findings.add(
                    channel.name(),
                    name,
                    format!("`{name}`, which users may have, now {change}"),
                    String::new(),
                );
            }
        }
    }
}

/// Describes edges that were replaced or removed, worded to follow "now".
fn rewritten_edges<'a>(
    was: &'a Entry,
    is: &'a Entry,
    (before, after): (&InstalledSet<'_>, &InstalledSet<'_>),
) -> Vec<String> {
    let mut changes = Vec::new();
    if was.replaces.value != is.replaces.value {
        changes.push(match (was.replaces.as_str(), is.replaces.as_str()) {
            ("", new) => format!("replaces `{new}`"),
            (old, "") => format!("no longer replaces `{old}`"),
            (old, new) => format!("replaces `{new}` instead of `{old}`"),
        });
    }
    let names = |entry: &'a Entry| entry.skips.iter().map(|skip| skip.as_str());
    if !names(was).eq(names(is)) {
        let skips: BTreeSet<&str> = names(is).collect();
        let lost = quoted(names(was).filter(|name| !skips.contains(name)));
        if !lost.is_empty() {
            changes.push(format!("no longer skips {}", lost.join(", ")));
        }
    }
    if was.skip_range.value != is.skip_range.value
        && !is_within(
            &before.covered_places(&was.skip_range.value),
            &after.covered_places(&is.skip_range.value),
        )
    {
        changes.push(format!(
            "covers less: skipRange `{}` instead of `{}`",
            is.skip_range.value, was.skip_range.value
        ));
    }
    changes
}
