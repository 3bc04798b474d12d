//! Compares the two lenses; deprecations; several catalogs: I13, I17, I20.

use super::context::Context;
use super::{Findings, Invariant, Severity};
use crate::compare::User;
use crate::hashed::HashSet;
use crate::place::Text;
use crate::upgrade::everyone::{PathSummary, path_summaries};
use crate::upgrade::installed_set::InstalledSet;
use crate::upgrade::{ErrorKind, Lens, Options, UpgradeIndex};

pub static LENSES_DIFFER: Invariant = Invariant {
    id: "I13",
    name: "lenses-differ",
    severity: Severity::Warning,
    rule: "In each channel both lenses have the same next step for every version, and the same fresh install.",
    why: "Classic takes the entry nearest to the head, OLM v1 the highest version, even if skipped: users of the two OLMs \
          end up with different operators from one catalog.",
    fix: "Let the head be the highest version, and let it cover whatever a skipped entry covers.",
    check: lenses_differ,
};

pub static DEPRECATION_FREEZES: Invariant = Invariant {
    id: "I17",
    name: "deprecation-freezes",
    severity: Severity::Warning,
    rule: "Under OLM v1, deprecating a bundle does not stop anyone's updates.",
    why: "OLM v1 prefers any bundle that is not deprecated, including the installed one: if the only successor is \
          deprecated, users of the version before it stay on that version. Classic only shows the message.",
    fix: "First release a successor that is not deprecated, or deprecate the older bundles as well.",
    check: deprecation_freezes,
};

pub static CATALOG_TIE: Invariant = Invariant {
    id: "I20",
    name: "catalog-tie",
    severity: Severity::Warning,
    rule: "No other catalog of the same priority has candidates for the same package.",
    why: "OLM v1 does not choose between catalogs of one priority: it reports `found bundles … in multiple catalogs with \
          the same priority`, and nothing is installed or upgraded.",
    fix: "Give one of the ClusterCatalogs a higher `priority`, or select one by its labels in the ClusterExtension.",
    check: catalog_tie,
};

pub static EXTENSION_FAILS: Invariant = Invariant {
    id: "",
    name: "extension-fails",
    severity: Severity::Error,
    rule: "A ClusterExtension that names a channel still finds its installed version there, or an update.",
    why: "If the channel neither lists the installed version nor has an update for it, OLM v1 reports `error upgrading from \
          currently installed version …: no bundles found for package … in channels […]` until somebody changes the \
          ClusterExtension. Classic just stays on the version.",
    fix: "Keep the entry in the channel, or let an entry of the channel replace, skip or cover the version.",
    check: extension_fails,
};

fn extension_fails(context: &Context<'_>, findings: &mut Findings<'_>) {
    let of_channels = |user: &&User| user.lens == Lens::V1 && !user.channels.is_empty();
    for user in context.users().filter(of_channels) {
        if user.old_error.is_some() || user.error != Some(ErrorKind::None) {
            continue;
        }
        let name = &user.from.name;
        for channel in &user.channels {
            let message = format!(
                "whoever runs `{name}` with a ClusterExtension that names channel `{channel}` gets an error: OLM v1 finds \
                 no bundle in that channel to stay on or to update to"
            );
            findings.add(channel, name, message, String::new());
        }
    }
}

fn lenses_differ(context: &Context<'_>, findings: &mut Findings<'_>) {
    for channel in context.present() {
        let ends = channel.head().zip(channel.v1.new.end.as_ref());
        if let Some((v0, v1)) = ends.filter(|(v0, v1)| v0 != v1) {
            let message =
                format!("a fresh install gets `{v0}` under Classic and `{v1}` under OLM v1");
            findings.add(channel.name(), &Text::default(), message, String::new());
        }
        for &number in &channel.installed {
            let next =
                |path: Option<&PathSummary>| path.and_then(|c| c.next.as_ref()).map(|step| step.to);
            let (v0, v1) = (next(channel.v0(number)), next(channel.v1(number)));
            if v0 != v1 {
                let name = context.name(number);
                let gets = |to: Option<u32>| {
                    to.map_or("no update".to_owned(), |to| {
                        format!("`{}`", context.name(to))
                    })
                };
                let message = format!(
                    "whoever runs `{name}` gets {} under Classic and {} under OLM v1",
                    gets(v0),
                    gets(v1)
                );
                findings.add(channel.name(), &name, message, String::new());
            }
        }
    }
}

fn deprecation_freezes(context: &Context<'_>, findings: &mut Findings<'_>) {
    let deprecated = |package: Option<&crate::model::Package>| -> HashSet<Text> {
        let entries = package
            .and_then(|p| p.deprecations.first())
            .map_or(&[][..], |d| &d.data.entries);
        entries
            .iter()
            .filter(|e| e.schema.as_str() == "olm.bundle")
            .map(|e| e.name.value.clone())
            .collect()
    };
    let (before, after) = (deprecated(context.pair.old), deprecated(context.pair.new));
    for (number, old) in context.pair.v1.old.iter() {
        let Some(step) = &old.next else { continue };
        let (name, successor) = (context.name(number), context.name(step.to));
        if !after.contains(&successor) || before.contains(&successor) {
            continue;
        }
        let Some(new) = context.pair.v1.new.get(number) else {
            continue;
        };
        let message = match &new.next {
            None => format!(
                "whoever runs `{name}` is no longer updated under OLM v1: `{successor}` is deprecated now"
            ),
            Some(step) if context.is_lower(step.to, number) => {
                let to = context.name(step.to);
                format!(
                    "whoever runs `{name}` is moved back to `{to}` under OLM v1: `{successor}` is deprecated now"
                )
            }
            Some(_) => continue,
        };
        findings.add(&Text::default(), &name, message, String::new());
    }
}

fn catalog_tie(context: &Context<'_>, findings: &mut Findings<'_>) {
    for (catalog, other) in context.catalogs.neighbors {
        let Some(package) = other.package(&context.pair.name) else {
            continue;
        };
        let index = UpgradeIndex::new(package);
        let versions = &context.pair.versions;
        let installed_set = InstalledSet::from_sorted(&index, versions);
        let other_paths = path_summaries(
            &installed_set,
            versions,
            versions.all(),
            Lens::V1,
            &Options::default(),
        );
        // There are candidates under both unless one reports that it found none.
        let finds =
            |path: Option<&PathSummary>| path.is_some_and(|c| c.error != Some(ErrorKind::None));
        let tied = versions.bundles(&context.pair.new_index);
        let tied: Vec<u32> = tied
            .into_iter()
            .filter(|&n| finds(context.pair.v1.new.get(n)) && finds(other_paths.get(n)))
            .collect();
        for number in tied {
            let name = context.name(number);
            let message = format!(
                "whoever runs `{name}` gets no update under OLM v1: this catalog and `{catalog}` both offer one"
            );
            findings.add(&Text::default(), &name, message, String::new());
        }
    }
}
