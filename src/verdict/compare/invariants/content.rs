//! Bundles and their versions (I5, I8, I10, I15), channels (I7, I9, I14), the two lenses,
//! deprecations and several catalogs (I13, I17, I20).

use super::context::{CheckedChannel, Context};
use super::{Findings, Invariant, Severity};
use crate::compare::users::is_lower;
use crate::compare::{BundlesByName, Sides, User};
use catalog::model::{BundleBlob, Entry, Located};
use catalog::version::{Version, VersionRelease};
use protocol::counting::count_of;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use syntax::hashed::{HashMap, HashSet};
use syntax::place::Text;
use upgrade::everyone::{PathSummaries, PathSummary, path_summaries};
use upgrade::installed_set::InstalledSet;
use upgrade::{ErrorKind, Lens, Options, UpgradeIndex};

pub static REMOVED_KEEPS_EDGES: Invariant = Invariant {
    id: "I5",
    name: "removed-keeps-edges",
    severity: Severity::Error,
    rule: "An entry that is removed from a channel is still replaced, skipped or covered by an entry of the chain.",
    why: "You may remove a bundle, but not the edge that upgrades it, or its users are left behind. `replaces` and \
          `skips` may name absent entries.",
    fix: "Add the name to the head's `skips`, or widen its skipRange to `>=oldest <head`.",
    check: removed_keeps_edges,
};

pub static IMMUTABLE_BUNDLE: Invariant = Invariant {
    id: "I8",
    name: "immutable-bundle",
    severity: Severity::Error,
    rule: "A bundle in both the old and the new catalog keeps its image, version and properties; only embedded metadata may \
           change, and `olm.*` properties that are neither APIs nor requirements may be added.",
    why: "OLM does not reinstall a bundle of the same name: existing clusters keep the old content, new installs get \
          the new content, and both report the same version.",
    fix: "Leave the bundle as it was, and ship the change as a new bundle that replaces or skips it.",
    check: immutable_bundle,
};

pub static PIN_LOST: Invariant = Invariant {
    id: "I10",
    name: "pin-lost",
    severity: Severity::Error,
    rule: "Every version that the package offered is still offered, and so is every version that a channel offered by that channel.",
    why: "A ClusterExtension that pins the version then reports `no bundles found for package … matching version …` until \
          somebody changes it. Where only a channel loses the version, this happens to a ClusterExtension that names the channel; \
          one that names none still gets it.",
    fix: "Keep the bundle and its entry, or deprecate the bundle in `olm.deprecations` first, so that users are warned on the cluster.",
    check: pin_lost,
};

pub static VERSION_TWICE: Invariant = Invariant {
    id: "I15",
    name: "version-twice",
    severity: Severity::Error,
    rule: "No two bundles of the package have the same version and release.",
    why: "OLM v1 identifies bundles by version: it treats the two as one bundle and never upgrades from one to the \
          other.",
    fix: "Give the later one a higher version, or a release (`1.2.3+2`).",
    check: version_twice,
};

fn removed_keeps_edges(context: &Context<'_>, findings: &mut Findings<'_>) {
    for channel in context.present() {
        let listed: BTreeSet<&str> = channel.new.iter().map(|e| e.name.as_str()).collect();
        for entry in channel
            .old
            .iter()
            .filter(|e| !listed.contains(e.name.as_str()))
        {
            let name = &entry.name.value;
            let numbers = context.pair.versions.by_name(name);
            let is_updated = |paths: &PathSummaries| {
                let mut paths = numbers.iter().filter_map(|&number| paths.get(number));
                paths.any(|path| path.next.is_some())
            };
            let Sides { old, new } = &channel.pair.v0;
            // Nobody got an entry without a bundle from this catalog, unless it lists only entries.
            let bundles = &context.old_bundles;
            let has_users = bundles.is_empty() || bundles.contains_key(&**name) || is_updated(old);
            if has_users && !is_updated(new) {
                let message = format!(
                    "users of `{name}` are left behind: it was removed, and no entry of the chain replaces, skips \
                     or covers it"
                );
                let help = channel
                    .head()
                    .map_or_else(String::new, |head| format!("let `{head}` skip `{name}`"));
                findings.add(channel.name(), name, message, help);
            }
        }
    }
}

fn immutable_bundle(context: &Context<'_>, findings: &mut Findings<'_>) {
    let (Some(old), Some(new)) = (context.pair.old, context.pair.new) else {
        return;
    };
    let after: HashMap<&str, &Located<BundleBlob>> = new
        .bundles
        .iter()
        .rev()
        .map(|b| (b.name.as_str(), b))
        .collect();
    for was in &old.bundles {
        // Skip bundles that both states share: no edit touched them.
        let Some(is) = after
            .get(was.name.as_str())
            .filter(|is| !Arc::ptr_eq(&was.data, &is.data))
        else {
            continue;
        };
        let changed = changed_parts(was, is);
        if !changed.is_empty() {
            let (name, what) = (&was.name.value, changed.join(" and "));
            let message = format!(
                "clusters that already run `{name}` differ from new installs of it: {what} changed"
            );
            findings.add(&Text::default(), &was.name.value, message, String::new());
        }
    }
}

fn changed_parts(was: &BundleBlob, is: &BundleBlob) -> Vec<&'static str> {
    let mut changed = Vec::new();
    if was.image.value != is.image.value {
        changed.push("image");
    }
    if (was.version(), was.release()) != (is.version(), is.release()) {
        changed.push("version");
    }
    // Clusters ignore metadata, and the bundle's `olm.package` property is its version, compared
    // above.
    let counts = |kind: &str| {
        !matches!(
            kind,
            "olm.csv.metadata" | "olm.bundle.object" | "olm.package"
        )
    };
    let properties = |bundle: &BundleBlob| -> BTreeSet<(Text, Option<Text>)> {
        let some = bundle.properties.iter().filter(|p| counts(&p.kind));
        some.map(|p| (p.kind.clone(), p.value.clone())).collect()
    };
    let (before, after) = (properties(was), properties(is));
    let requires =
        |kind: &str| kind.ends_with(".required") || matches!(kind, "olm.constraint" | "olm.gvk");
    let added = after
        .difference(&before)
        .any(|(kind, _)| !kind.starts_with("olm.") || requires(kind));
    if added || before.difference(&after).next().is_some() {
        changed.push("properties");
    }
    changed
}

fn pin_lost(context: &Context<'_>, findings: &mut Findings<'_>) {
    let offered = |bundles: &BundlesByName<'_>| -> BTreeMap<String, Text> {
        bundles.values().filter_map(|bundle| pin(bundle)).collect()
    };
    let has_same_bundles = context.old_bundles.iter().all(|(name, was)| {
        let is = context.new_bundles.get(name);
        is.is_some_and(|is| is.version() == was.version())
    });
    // A pin can only break for everyone if a bundle is removed or changes its version.
    let gone: BTreeMap<String, Text> = if has_same_bundles {
        BTreeMap::new()
    } else {
        let after = offered(&context.new_bundles);
        let mut before = offered(&context.old_bundles);
        before.retain(|version, _| !after.contains_key(version));
        before
    };
    let mut reported: HashSet<String> = HashSet::default();
    for channel in context.present() {
        // Most entries still offer the same versions and need no parsing.
        let listed: HashSet<&str> = channel
            .new
            .iter()
            .map(|entry| entry.name.as_str())
            .collect();
        let is_kept = |name: &str| {
            let [before, after] =
                [&context.old_bundles, &context.new_bundles].map(|bundles| bundles.get(name));
            listed.contains(name)
                && before.map(|bundle| bundle.version()) == after.map(|bundle| bundle.version())
        };
        if channel.old.iter().all(|entry| is_kept(entry.name.as_str())) {
            continue;
        }
        let of_channel =
            |bundles: &BundlesByName<'_>, entries: &[&Entry]| -> BTreeMap<String, Text> {
                let bundles = entries.iter().filter_map(|e| bundles.get(e.name.as_str()));
                bundles.filter_map(|bundle| pin(bundle)).collect()
            };
        let (before, after) = (
            of_channel(&context.old_bundles, &channel.old),
            of_channel(&context.new_bundles, &channel.new),
        );
        for (version, name) in before
            .iter()
            .filter(|(version, _)| !after.contains_key(*version))
        {
            let message = if gone.contains_key(version) {
                reported.insert(version.clone());
                format!("users who pin version {version} (`{name}`) can no longer install it")
            } else {
                format!(
                    "users who pin version {version} (`{name}`) and name channel `{}` can no longer install it; without \
                     channels, OLM v1 still does",
                    channel.name()
                )
            };
            findings.add(channel.name(), name, message, String::new());
        }
    }
    for (version, name) in gone
        .iter()
        .filter(|(version, _)| !reported.contains(*version))
    {
        let message =
            format!("users who pin version {version} (`{name}`) can no longer install it");
        findings.add(&Text::default(), name, message, String::new());
    }
}

/// Returns the version with which a ClusterExtension pins a bundle, and the bundle's name. A range
/// ignores build metadata and release, so the pin also matches a rebuild.
fn pin(bundle: &BundleBlob) -> Option<(String, Text)> {
    let text = bundle.version();
    let version = Version::parse(text).map(|version| version.without_build().to_string());
    let pinned = version.unwrap_or_else(|_| text.to_owned());
    (!text.is_empty()).then(|| (pinned, bundle.name.value.clone()))
}

fn version_twice(context: &Context<'_>, findings: &mut Findings<'_>) {
    let mut seen: BTreeMap<String, &Text> = BTreeMap::new();
    for bundle in context.new_package().into_iter().flat_map(|p| &p.bundles) {
        let Ok(version) = Version::parse(bundle.version()) else {
            continue;
        };
        let ranked = VersionRelease::from_v1(&version);
        let release = match (bundle.release(), ranked.release) {
            ("", Some(release)) => release.as_str().to_owned(),
            (release, _) => release.to_owned(),
        };
        let text = format!("{}+{release}", ranked.version.without_build());
        match seen.get(&text) {
            Some(first) if **first != bundle.name.value => {
                let message = format!(
                    "`{first}` and `{}` both have version {}: which one users get is left to chance",
                    bundle.name.value,
                    bundle.version()
                );
                findings.add(&Text::default(), &bundle.name.value, message, String::new());
            }
            Some(_) => {}
            None => {
                seen.insert(text, &bundle.name.value);
            }
        }
    }
}

pub static HEAD_MOVES_BACK: Invariant = Invariant {
    id: "I7",
    name: "head-moves-back",
    severity: Severity::Warning,
    rule: "The head of a channel stays, or moves to a version that the old head upgrades to, never to a lower one.",
    why: "Fresh installs get the new head, and clusters on the old head never reach it.",
    fix: "Let the new head replace or skip the old one; to take a release back, ship a higher version that skips it.",
    check: head_moves_back,
};

pub static CHANNEL_GONE: Invariant = Invariant {
    id: "I9",
    name: "channel-gone",
    severity: Severity::Error,
    rule: "No channel disappears.",
    why: "A Classic subscription to it reports `no operators found in channel …`, and nothing in its whole namespace resolves from then on; a ClusterExtension that names it reports `no bundles found … in channels […]`.",
    fix: "Keep the channel and its entries, and deprecate it in `olm.deprecations` with a message that names the channel to move to.",
    check: channel_gone,
};

pub static DEFAULT_CHANNEL_CHANGED: Invariant = Invariant {
    id: "I9",
    name: "default-channel-changed",
    severity: Severity::Warning,
    rule: "The default channel does not change.",
    why: "Subscriptions without a channel prefer the default one, and dependencies are resolved from it first, so both \
          silently switch to the new channel. OLM v1 ignores the default channel.",
    fix: "If this is intended, announce it in the release notes.",
    check: default_channel_changed,
};

pub static GRAPH_INVALID: Invariant = Invariant {
    id: "I14",
    name: "graph-invalid",
    severity: Severity::Error,
    rule: "Every channel has exactly one head, no `replaces` cycle and no stranded entry, for `opm` and for Classic's \
           resolver.",
    why: "`opm validate` rejects the catalog, and the catalog server does not start with it; if it did, Classic could \
          resolve nothing in the namespace.",
    fix: "Fix the catalog's problems; each names its line and the edits that fix it.",
    check: graph_invalid,
};

fn head_moves_back(context: &Context<'_>, findings: &mut Findings<'_>) {
    for channel in context.present().filter(|channel| channel.pair.in_old) {
        let (Some(old), Some(new)) = (channel.old_head(), channel.head()) else {
            continue;
        };
        if old == new {
            continue;
        }
        let version = |package: Option<&catalog::model::Package>, name: &str| {
            package
                .and_then(|p| p.bundle(name))
                .map_or_else(String::new, |b| b.version().to_owned())
        };
        let comes = context.pair.versions.by_name(old).iter().any(|&number| {
            channel
                .v0(number)
                .is_some_and(|path| context.name(path.last) == *new)
        });
        let message = if is_lower(
            &version(context.pair.new, new),
            &version(context.pair.old, old),
        ) {
            format!("new users get the lower `{new}`: the head was `{old}`")
        } else if !comes {
            format!("users of `{old}`, the previous head, are not updated to the new head `{new}`")
        } else {
            continue;
        };
        findings.add(
            channel.name(),
            new,
            message,
            format!("let `{new}` skip `{old}`"),
        );
    }
}

fn channel_gone(context: &Context<'_>, findings: &mut Findings<'_>) {
    for channel in context
        .channels
        .iter()
        .filter(|channel| !channel.pair.in_new)
    {
        let users = channel.pair.users.len();
        let versions = count_of(users, "version");
        let what = if context.pair.new.is_none() {
            " with the package"
        } else {
            ""
        };
        let message = format!(
            "channel `{}` is gone{what}: its subscribers get no more updates, and a ClusterExtension that names it gets an error ({versions})",
            channel.name()
        );
        findings.add(channel.name(), channel.name(), message, String::new());
    }
}

fn default_channel_changed(context: &Context<'_>, findings: &mut Findings<'_>) {
    let (Some(old), Some(new)) = (context.pair.old, context.pair.new) else {
        return;
    };
    let (old, new) = (old.default_channel(), new.default_channel());
    if old != new {
        let message = format!(
            "users who name no channel now get channel `{new}` instead of `{old}` under Classic"
        );
        findings.add(&Text::default(), &new.into(), message, String::new());
    }
}

fn graph_invalid(context: &Context<'_>, findings: &mut Findings<'_>) {
    let Some(graph) = context.graph() else { return };
    let channels: HashMap<&Text, &CheckedChannel<'_>> = context
        .present()
        .map(|channel| (channel.name(), channel))
        .collect();
    for channel in graph
        .channels
        .iter()
        .filter(|channel| channels.contains_key(&channel.name))
    {
        let mut tell = |subject: &str, message: String| {
            findings.add(&channel.name, &subject.into(), message, String::new())
        };
        let names = |nodes: &[u32]| {
            nodes
                .iter()
                .map(|&node| format!("`{}`", graph.name_at(channel, node)))
                .collect::<Vec<_>>()
                .join(", ")
        };
        match channel.heads.len() {
            1 => {}
            0 => tell(
                "",
                "the channel has no head: nobody can install from it".to_owned(),
            ),
            n => tell(
                "",
                format!(
                    "the channel has {n} heads, where one is allowed: {}",
                    names(&channel.heads)
                ),
            ),
        }
        if !channel.cycle.is_empty() {
            tell(
                "",
                format!("`replaces` forms a cycle: {}", names(&channel.cycle)),
            );
        }
        let stranded = (0..).zip(&channel.nodes).filter(|(_, node)| node.stranded);
        for (node, _) in stranded {
            let name = graph.name_at(channel, node);
            tell(
                name,
                format!("users of `{name}` are stranded: nothing leads from it to the head"),
            );
        }
        if channel.heads.len() == 1
            && channel.cycle.is_empty()
            && let Some(Err(error)) = channels.get(&channel.name).map(|channel| &channel.order)
        {
            tell("", error.text.clone());
        }
    }
}

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
                "users of `{name}` with a ClusterExtension that names channel `{channel}` get an error: OLM v1 finds \
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
            let [v0, v1] =
                [&channel.pair.v0.new, &channel.v1.new].map(|paths| paths.next_version(number));
            if v0 != v1 {
                let name = context.name(number);
                let gets = |to: Option<u32>| {
                    to.map_or("no update".to_owned(), |to| {
                        format!("`{}`", context.name(to))
                    })
                };
                let message = format!(
                    "users of `{name}` get {} under Classic and {} under OLM v1",
                    gets(v0),
                    gets(v1)
                );
                findings.add(channel.name(), &name, message, String::new());
            }
        }
    }
}

fn deprecation_freezes(context: &Context<'_>, findings: &mut Findings<'_>) {
    let deprecated = |package: Option<&catalog::model::Package>| -> HashSet<Text> {
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
                "users of `{name}` are no longer updated under OLM v1: `{successor}` is deprecated now"
            ),
            Some(step) if context.is_lower(step.to, number) => {
                let to = context.name(step.to);
                format!(
                    "users of `{name}` are moved back to `{to}` under OLM v1: `{successor}` is deprecated now"
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
        // A lens has candidates unless it reports that it found none.
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
                "users of `{name}` get no update under OLM v1: this catalog and `{catalog}` both offer one"
            );
            findings.add(&Text::default(), &name, message, String::new());
        }
    }
}
