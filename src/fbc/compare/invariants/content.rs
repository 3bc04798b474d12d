//! Bundles and their versions: I5, I8, I10, I15.

use super::context::{Bundles, Context};
use super::{Findings, Invariant, Severity};
use crate::hashed::{HashMap, HashSet};
use crate::model::{BundleBlob, Entry, Located};
use crate::place::Text;
use crate::version::{Version, VersionRelease};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

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
            let covered = numbers
                .iter()
                .any(|&n| channel.v0(n).is_some_and(|path| path.next.is_some()));
            if !covered {
                let message = format!(
                    "whoever runs `{name}` is left behind: it was removed, and no entry of the chain replaces, skips \
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
        // Both states share bundles that no edit touched.
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
    // A cluster ignores metadata; the package's own property is its version.
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
    let offered = |bundles: &Bundles<'_>| -> BTreeMap<String, Text> {
        bundles.values().filter_map(|bundle| pin(bundle)).collect()
    };
    let has_same_bundles = context.old_bundles.iter().all(|(name, was)| {
        let is = context.new_bundles.get(name);
        is.is_some_and(|is| is.version() == was.version())
    });
    // A pin can only break for everyone if a bundle is removed or changes its version.
    let gone: BTreeMap<String, Text> = match has_same_bundles {
        true => BTreeMap::new(),
        false => {
            let after = offered(&context.new_bundles);
            let mut before = offered(&context.old_bundles);
            before.retain(|version, _| !after.contains_key(version));
            before
        }
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
        let of_channel = |bundles: &Bundles<'_>, entries: &[&Entry]| -> BTreeMap<String, Text> {
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
                format!("whoever pins version {version} (`{name}`) can no longer install it")
            } else {
                format!(
                    "whoever pins version {version} (`{name}`) and names channel `{}` can no longer install it; without \
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
        let message = format!("whoever pins version {version} (`{name}`) can no longer install it");
        findings.add(&Text::default(), name, message, String::new());
    }
}

/// The version with which a ClusterExtension pins a bundle, and its name. A range ignores build
/// metadata and release, so the pin also finds a rebuild.
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
