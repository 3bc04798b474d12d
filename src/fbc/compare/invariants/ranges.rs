//! Skip ranges, and rewritten edges: I11, I12, I18.

use super::context::Context;
use super::{Findings, Invariant, Severity};
use crate::hashed::HashMap;
use crate::model::Entry;
use crate::place::Text;
use crate::upgrade::installed_set::{InstalledSet, is_within};
use crate::version::Version;
use crate::version::blang::Range;
use std::cmp::Ordering;
use std::collections::BTreeSet;

pub static RANGE_LOOKS_AHEAD: Invariant = Invariant {
    id: "I11",
    name: "range-looks-ahead",
    severity: Severity::Error,
    rule: "No skipRange covers a version of the channel that is higher than its entry's own version.",
    why: "Neither OLM Classic nor OLM v1 compares the versions along an edge: Classic moves users of the higher \
          version to the entry, which is a downgrade, or part of an endless cycle.",
    fix: "Bound the range by `<` the entry's own version.",
    check: |context, findings| holds(context, findings, Ordering::Greater),
};

pub static RANGE_HOLDS_ITSELF: Invariant = Invariant {
    id: "I11",
    name: "range-holds-itself",
    severity: Severity::Warning,
    rule: "A skipRange does not contain its entry's own version.",
    why: "Users of that bundle are not affected, but users of another bundle with the same version would be upgraded \
          to this one.",
    fix: "Bound the range by `<` the entry's own version.",
    check: |context, findings| holds(context, findings, Ordering::Equal),
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

fn holds(context: &Context<'_>, findings: &mut Findings<'_>, wanted: Ordering) {
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
            if version.cmp_precedence(&own) == wanted {
                let (name, range) = (&entry.name.value, &entry.skip_range.value);
                let message = match wanted {
                    Ordering::Equal => {
                        format!(
                            "`{name}` is offered as its own update: its skipRange `{range}` covers it"
                        )
                    }
                    _ => {
                        let higher = &highest.name;
                        format!(
                            "whoever runs the higher `{higher}` may be moved back to `{name}`: its skipRange `{range}` contains it"
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
            for what in rewritten(was, entry, (before, after)) {
                let name = &entry.name.value;
                findings.add(
                    channel.name(),
                    name,
                    format!("`{name}`, which users may have, now {what}"),
                    String::new(),
                );
            }
        }
    }
}

fn rewritten<'a>(
    was: &'a Entry,
    is: &'a Entry,
    (before, after): (&InstalledSet<'_>, &InstalledSet<'_>),
) -> Vec<String> {
    let mut what = Vec::new();
    if was.replaces.value != is.replaces.value {
        what.push(match (was.replaces.as_str(), is.replaces.as_str()) {
            ("", new) => format!("replaces `{new}`"),
            (old, "") => format!("no longer replaces `{old}`"),
            (old, new) => format!("replaces `{new}` instead of `{old}`"),
        });
    }
    let names = |entry: &'a Entry| entry.skips.iter().map(|skip| skip.as_str());
    if !names(was).eq(names(is)) {
        let skips: BTreeSet<&str> = names(is).collect();
        let lost: Vec<String> = names(was)
            .filter(|name| !skips.contains(name))
            .map(|name| format!("`{name}`"))
            .collect();
        if !lost.is_empty() {
            what.push(format!("no longer skips {}", lost.join(", ")));
        }
    }
    if was.skip_range.value != is.skip_range.value
        && !is_within(
            &before.covered_places(&was.skip_range.value),
            &after.covered_places(&is.skip_range.value),
        )
    {
        what.push(format!(
            "covers less: skipRange `{}` instead of `{}`",
            is.skip_range.value, was.skip_range.value
        ));
    }
    what
}
