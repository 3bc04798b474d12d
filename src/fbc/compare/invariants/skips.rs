//! Skipped bundles and patch releases: I3 and I4.

use super::context::{CheckedChannel, Context, LatestPatches, lens_words};
use super::{Findings, Invariant, Severity};
use crate::hashed::HashMap;
use crate::place::Text;
use crate::upgrade::Lens;
use crate::upgrade::everyone::{PathSummaries, PathSummary};
use crate::version::Version;

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
    fix: "Let the latest patch skip the patches below it, and let the next minor replace only that patch: `switchyard edit \
          DIR rebuild-edges --rule z-stream` does so for a whole channel.",
    check: latest_patch,
};

pub static LATEST_PATCH_AT_ONCE: Invariant = Invariant {
    id: "I4",
    name: "latest-patch-at-once",
    severity: Severity::Warning,
    rule: "Every version older than the latest patch of its minor version upgrades to that patch in one step, under both lenses.",
    why: "Each step in between is an update with its own risk and downtime.",
    fix: "Let the latest patch skip all patches below it: `switchyard edit DIR rebuild-edges --rule z-stream` does so for a \
          whole channel.",
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
                let under = lens_words(lens);
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
                let Some(step) = paths.get(number).and_then(|path| path.next.as_ref()) else {
                    continue;
                };
                let (name, next) = (context.name(number), context.name(step.to));
                if channel.skipped.contains(&*next) {
                    let under = channel.under(context, number, &[lens]).qualifier();
                    let message = format!(
                        "whoever runs `{name}` gets `{next}` {under}, although it is skipped"
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
                let Some(&latest) = behind(context, number, latest) else {
                    continue;
                };
                if passes.get(&number).copied() == Some(false) {
                    let (name, latest) = (context.name(number), context.name(latest));
                    let under = channel.under(context, number, &[lens]).qualifier();
                    let message = format!(
                        "whoever runs `{name}` never gets its latest patch, `{latest}`, {under}"
                    );
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
            let Some(&latest) = behind(context, number, latest) else {
                continue;
            };
            let other: Vec<Lens> = lenses(channel)
                .into_iter()
                .filter(|(_, paths)| {
                    paths
                        .get(number)
                        .and_then(|c| c.next.as_ref())
                        .is_none_or(|step| step.to != latest)
                })
                .map(|(lens, _)| lens)
                .collect();
            if !other.is_empty() {
                let (name, latest) = (context.name(number), context.name(latest));
                let under = channel.under(context, number, &other).qualifier();
                let message = format!(
                    "whoever runs `{name}` does not get its latest patch, `{latest}`, at once {under}"
                );
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

/// The highest version of each minor version in New's chain.
fn latest_of_each_minor(context: &Context<'_>, channel: &CheckedChannel<'_>) -> LatestPatches {
    let mut latest = LatestPatches::default();
    let bundle = |name: &Text| {
        let version = context.new_bundles.get(&**name)?.version();
        context
            .pair
            .versions
            .number(&crate::upgrade::Installed::new(name.clone(), version))
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

/// The latest patch of its minor version, if that is higher.
fn behind<'m>(
    context: &Context<'_>,
    number: u32,
    latest: &'m HashMap<Minor, u32>,
) -> Option<&'m u32> {
    latest
        .get(&minor(context.version(number)?))
        .filter(|&&latest| context.is_lower(number, latest))
}

/// Which versions reach the latest patch of their minor version before they leave it. Each path is
/// walked once.
fn passes_latest(
    context: &Context<'_>,
    paths: &PathSummaries,
    latest: &HashMap<Minor, u32>,
) -> HashMap<u32, bool> {
    let mut passes: HashMap<u32, bool> = HashMap::default();
    let of = |number: u32| context.version(number).map(minor);
    for &start in &paths.members {
        let mut way = Vec::new();
        let mut at = start;
        let found = loop {
            if let Some(&known) = passes.get(&at) {
                break known;
            }
            // A cycle passes none; later versions on this path get the same result.
            passes.insert(at, false);
            way.push(at);
            let next = paths
                .get(at)
                .and_then(|path: &PathSummary| path.next.as_ref())
                .map(|step| step.to);
            let Some(next) = next else { break false };
            if of(at).and_then(|minor| latest.get(&minor)) == Some(&next) {
                break true;
            }
            if of(next) != of(at) {
                break false;
            }
            at = next;
        };
        way.into_iter().for_each(|number| {
            passes.insert(number, found);
        });
    }
    passes
}
