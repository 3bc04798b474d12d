//! For each invariant, a change that keeps it and one that breaks it.

use super::*;
use catalog::Catalog;
use catalog::testing::package;
use std::cell::RefCell;
use std::sync::Arc;

/// Name, Old, a New that keeps it, a New that breaks it, and the findings (channel and subject) of
/// the latter.
type Case = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

const CHAIN: &str = "c: c@3.0.0 r:b; b@2.0.0 r:a; a@1.0.0";

const CASES: &[Case] = &[
    (
        "single-replacement",
        CHAIN,
        "c: c@3.0.0 r:b s:a; b@2.0.0",
        "c: c@3.0.0 r:b s:a; b@2.0.0 r:a; a@1.0.0",
        &[("c", "a")],
    ),
    (
        "next-step-v0",
        CHAIN,
        "c: c@3.0.0 r:b; b@2.0.0 sr:<2.0.0",
        "c: c@3.0.0 r:b; b@2.0.0",
        &[("c", "a")],
    ),
    (
        "next-step-v1",
        CHAIN,
        "c: c@3.0.0 r:b; b@2.0.0 sr:<2.0.0",
        "c: c@3.0.0 r:b; b@2.0.0",
        &[("c", "a")],
    ),
    (
        "dead-end",
        CHAIN,
        "c: d@4.0.0 r:c; c@3.0.0 r:b; b@2.0.0 r:a; a@1.0.0",
        "c: d@4.0.0 s:c; c@3.0.0 r:b; b@2.0.0 r:a; a@1.0.0",
        // Under Classic `a` and `b` go nowhere, because the skipped `c` is not a target.
        &[("c", "b"), ("c", "a")],
    ),
    (
        "skipped-installed",
        "c: b@2.0.0 r:a; a@1.0.0",
        "c: c@3.0.0 r:a s:b; b@2.0.0 r:a; a@1.0.0",
        "c: c@3.0.0 s:b; b@2.0.0 r:a; a@1.0.0",
        &[("c", "a")],
    ),
    (
        "latest-patch",
        "c: b@1.0.1 r:a; a@1.0.0",
        "c: c@1.1.0 r:b; b@1.0.1 r:a; a@1.0.0",
        "c: c@1.1.0 r:b s:a; b@1.0.1; a@1.0.0",
        &[("c", "a")],
    ),
    (
        "latest-patch-at-once",
        "c: b@1.0.1 r:a; a@1.0.0",
        "c: c@1.0.2 r:b s:a; b@1.0.1; a@1.0.0",
        "c: c@1.0.2 r:b; b@1.0.1 r:a; a@1.0.0",
        &[("c", "a")],
    ),
    (
        "removed-keeps-edges",
        CHAIN,
        "c: c@3.0.0 r:b s:a; b@2.0.0",
        "c: c@3.0.0 r:b; b@2.0.0",
        &[("c", "a")],
    ),
    (
        "stranded",
        CHAIN,
        "c: d@4.0.0 r:c s:a s:b; c@3.0.0",
        "c: d@4.0.0 r:c; c@3.0.0",
        &[("c", "a"), ("c", "b"), ("", "a"), ("", "b")],
    ),
    (
        "head-moves-back",
        CHAIN,
        "c: d@4.0.0 r:c; c@3.0.0",
        "c: b@2.0.0 r:a; a@1.0.0",
        &[("c", "b")],
    ),
    (
        "immutable-bundle",
        "c: a@1.0.0 image:x",
        "c: a@1.0.0 image:x",
        "c: a@1.0.0 image:y",
        &[("", "a")],
    ),
    (
        "channel-gone",
        "c: a@1.0.0\nd: a@1.0.0",
        "c: a@1.0.0\nd: a@1.0.0\ne: a@1.0.0",
        "c: a@1.0.0",
        &[("d", "d")],
    ),
    (
        "default-channel-changed",
        "c: a@1.0.0\nd: a@1.0.0",
        "c: a@1.0.0",
        "d: a@1.0.0\nc: a@1.0.0",
        &[("", "d")],
    ),
    (
        "pin-lost",
        CHAIN,
        "c: d@4.0.0 r:c; c@3.0.0 r:b; b@2.0.0 r:a; a@1.0.0",
        "c: c@3.0.0 r:b s:a; b@2.0.0",
        &[("c", "a")],
    ),
    (
        "range-looks-ahead",
        CHAIN,
        "c: c@3.0.0 r:b sr:<3.0.0; b@2.0.0",
        "c: c@3.0.0 r:b; b@2.0.0 sr:<=3.0.0",
        &[("c", "b")],
    ),
    (
        "range-holds-itself",
        CHAIN,
        "c: c@3.0.0 r:b sr:<3.0.0; b@2.0.0",
        "c: c@3.0.0 r:b; b@2.0.0 sr:<=2.0.0",
        &[("c", "b")],
    ),
    (
        "range-unreadable",
        CHAIN,
        "c: c@3.0.0 r:b sr:<3.0.0; b@2.0.0",
        "c: c@3.0.0 r:b sr:~3.0; b@2.0.0",
        &[("c", "c")],
    ),
    (
        "lenses-differ",
        CHAIN,
        "c: c@3.0.0 r:b s:a; b@2.0.0",
        "c: c@3.0.0 s:b; b@2.0.0 r:a; a@1.0.0",
        &[("c", "a")],
    ),
    (
        "graph-invalid",
        CHAIN,
        "c: c@3.0.0 r:b s:a; b@2.0.0",
        "c: c@3.0.0; b@2.0.0 r:a; a@1.0.0",
        &[("c", "")],
    ),
    (
        "version-twice",
        CHAIN,
        "c: d@4.0.0 r:c; c@3.0.0",
        "c: d@3.0.0 r:c; c@3.0.0",
        &[("", "c")],
    ),
    (
        "deprecation-freezes",
        "c: b@2.0.0 r:a; a@1.0.0",
        "c: b@2.0.0 r:a; a@1.0.0 !deprecated",
        "c: b@2.0.0 r:a !deprecated; a@1.0.0",
        &[("", "a")],
    ),
    (
        "edge-rewritten",
        CHAIN,
        "c: d@4.0.0 r:c; c@3.0.0 r:b s:a; b@2.0.0 r:a",
        "c: c@3.0.0 r:a; b@2.0.0 r:a; a@1.0.0",
        &[("c", "c")],
    ),
    (
        "platform",
        "c: a@1.0.0 kube:1.30.0",
        "c: b@2.0.0 r:a kube:1.32.0; a@1.0.0 kube:1.30.0",
        "c: c@3.0.0 r:b kube:1.33.0; b@2.0.0 r:a kube:1.29.0; a@1.0.0 kube:1.30.0",
        &[("c", "a"), ("c", "c")],
    ),
    (
        "platform",
        "c: a@1.0.0 max:4.19",
        "c: b@2.0.0 r:a max:4.20; a@1.0.0 max:4.19",
        "c: b@2.0.0 r:a max:4.18; a@1.0.0 max:4.19",
        // `a` could not get past its limit before either.
        &[("c", "b")],
    ),
    (
        "lost-path",
        CHAIN,
        "c: d@4.0.0 r:c; c@3.0.0 r:b; b@2.0.0 r:a; a@1.0.0",
        "c: b@2.0.0 r:a; a@1.0.0",
        &[("c", "a"), ("", "a"), ("", "b"), ("c", "b")],
    ),
    (
        "downgrade",
        "c: b@2.0.0 r:a; a@1.0.0",
        "c: c@3.0.0 r:b; b@2.0.0 r:a; a@1.0.0",
        "c: a@1.0.0 r:b; b@2.0.0",
        &[("c", "b")],
    ),
    (
        "extension-fails",
        "c: a@1.0.0",
        "c: b@2.0.0 r:a; a@1.0.0",
        "c: b@2.0.0\nd: a@1.0.0",
        &[("c", "a")],
    ),
    (
        "stranded-unlisted",
        "c: b@2.1.0 sr:>=1.0.0_<2.1.0",
        "c: c@2.2.0 r:b sr:>=1.0.0_<2.2.0; b@2.1.0",
        "c: b@2.1.0",
        &[("c", ">=1.0.0 <2.1.0"), ("", ">=1.0.0 <2.1.0")],
    ),
    (
        "lost-path-unlisted",
        "c: c@3.0.0 r:b; b@2.0.0 sr:<2.0.0",
        "c: d@4.0.0 r:c; c@3.0.0 r:b; b@2.0.0 sr:<2.0.0",
        "c: b@2.0.0 sr:<2.0.0",
        &[("c", "<2.0.0"), ("", "<2.0.0")],
    ),
    (
        "downgrade-unlisted",
        "c: b@2.0.0 sr:<2.0.0",
        "c: b@2.0.0 sr:<=2.0.0",
        "c: b@2.0.0 sr:<3.0.0",
        &[("c", ">2.0.0 <3.0.0"), ("", ">2.0.0 <3.0.0")],
    ),
    (
        "edge-rewritten-unlisted",
        "c: b@2.0.0 r:a sr:>=1.0.0_<2.0.0; a@1.0.0",
        "c: b@2.0.0 r:a sr:>=0.5.0_<2.0.0; a@1.0.0",
        "c: b@2.0.0 r:a sr:>=1.5.0_<2.0.0; a@1.0.0",
        &[("c", "b")],
    ),
    (
        "rerouted-unlisted",
        "c: b@2.1.0 sr:<2.1.0",
        "c: c@2.2.0 r:b; b@2.1.0 sr:<2.1.0",
        "c: c@2.2.0 r:b sr:<2.1.0; b@2.1.0",
        &[("c", "<2.1.0"), ("", "<2.1.0")],
    ),
    (
        "gained-unlisted",
        "c: b@2.1.0 sr:>=2.0.0_<2.1.0",
        "c: b@2.1.0",
        "c: b@2.1.0 sr:>=1.0.0_<2.1.0",
        &[("c", ">=1.0.0 <2.0.0"), ("", ">=1.0.0 <2.0.0")],
    ),
];

fn around() -> CatalogContext<'static> {
    CatalogContext {
        ocp: Some((4, 19)),
        ..CatalogContext::default()
    }
}

fn findings_of(name: &str, old: &str, new: &str) -> Vec<(String, String)> {
    let (old, new) = (package(old), package(new));
    let findings = new_findings(&Pair::new(Some(&old), Some(&new)), &around());
    let mut matching: Vec<_> = findings
        .iter()
        .filter(|f| f.invariant.name == name)
        .collect();
    matching.dedup_by_key(|f| (f.channel.clone(), f.subject.clone()));
    assert!(matching.iter().all(|f| !f.message.is_empty()));
    let mut matching: Vec<_> = matching
        .into_iter()
        .map(|f| (f.channel.to_string(), f.subject.to_string()))
        .collect();
    matching.sort();
    matching.dedup();
    matching
}

#[test]
fn remedies_name_no_command_line() {
    for invariant in ALL {
        let is_command = invariant.fix.contains("`switchyard ") || invariant.fix.contains(" --");
        assert!(!is_command, "{}: {}", invariant.name, invariant.fix);
    }
}

#[test]
fn each_invariant_is_kept_and_broken() {
    let mut wrong = Vec::new();
    for (name, old, good, bad, expected) in CASES {
        assert!(find(name).is_some(), "{name}");
        let mut expect = |what: &str, is: Vec<(String, String)>, should: &[(String, String)]| {
            if is != should {
                wrong.push(format!("{name} {what}: {is:?}"));
            }
        };
        expect("is kept", findings_of(name, old, good), &[]);
        let mut expected: Vec<_> = expected
            .iter()
            .map(|(c, s)| ((*c).to_owned(), (*s).to_owned()))
            .collect();
        expected.sort();
        expect("is broken", findings_of(name, old, bad), &expected);
        // Nothing changed, so there is no finding.
        expect("was broken before", findings_of(name, bad, bad), &[]);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn another_default_channel_concerns_classic() {
    let (old, new) = (
        package("c: a@1.0.0\nd: a@1.0.0"),
        package("d: a@1.0.0\nc: a@1.0.0"),
    );
    let findings = new_findings(&Pair::new(Some(&old), Some(&new)), &around());
    let mut messages = findings.iter().map(|found| &*found.message);
    let expected = "users who name no channel now get channel `d` instead of `c` under Classic";
    assert!(messages.any(|message| message == expected));
}

#[test]
fn each_invariant_has_a_name_an_explanation_and_a_case() {
    let elsewhere = ["requirement-lost", "catalog-tie", "verdict"];
    for invariant in ALL {
        let name = invariant.name;
        assert!(
            name.bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
            "{name}"
        );
        assert!(
            [invariant.rule, invariant.why, invariant.fix]
                .iter()
                .all(|text| text.len() > 20),
            "{name}"
        );
        assert!(
            CASES.iter().any(|case| case.0 == name) || elsewhere.contains(&name),
            "{name} has no case"
        );
        assert_eq!(ALL.iter().filter(|other| other.name == name).count(), 1);
    }
    for id in 1..=20 {
        assert!(find(&format!("I{id}")).is_some(), "I{id}");
    }
}

/// Builds a catalog of packages in the notation of [`package`], named `p`, `q`, …
fn catalog(packages: &[(&str, &str)]) -> Catalog {
    let mut text = String::new();
    for (name, channels) in packages {
        let package = package(channels);
        text.push_str(&format!(
            "{{\"schema\":\"olm.package\",\"name\":\"{name}\",\"defaultChannel\":\"c\"}}\n"
        ));
        for channel in &package.channels {
            let entry = |e: &catalog::model::Entry| {
                let skips: Vec<&str> = e.skips.iter().map(|s| s.as_str()).collect();
                let mut entry = serde_json::json!({"name": e.name.as_str(), "skips": skips});
                if !e.replaces.is_empty() {
                    entry["replaces"] = e.replaces.as_str().into();
                }
                entry
            };
            let entries: Vec<_> = channel.entries.iter().map(entry).collect();
            let blob = serde_json::json!({"schema": "olm.channel", "package": name, "name": channel.name.as_str(), "entries": entries});
            text.push_str(&format!("{blob}\n"));
        }
        for bundle in &package.bundles {
            let mut properties = vec![serde_json::json!({
                "type": "olm.package", "value": {"packageName": name, "version": bundle.version()}
            })];
            for property in &bundle.properties {
                let value: serde_json::Value =
                    serde_json::from_str(property.value.as_deref().unwrap()).unwrap();
                properties.push(serde_json::json!({"type": &*property.kind, "value": value}));
            }
            let blob = serde_json::json!({
                "schema": "olm.bundle", "package": name, "name": bundle.name.as_str(), "image": "i/i", "properties": properties
            });
            text.push_str(&format!("{blob}\n"));
        }
    }
    let index = catalog::index::index_bytes(text.as_bytes());
    let content = catalog::Content::Indexed(std::sync::Arc::new(index));
    let id = catalog::model::FileId(0);
    Catalog::new(
        "",
        vec![catalog::TreeEntry {
            id,
            path: "catalog.json".into(),
            content,
        }],
    )
}

fn among(
    name: &str,
    old: &Catalog,
    new: &Catalog,
    neighbors: &[(String, &Catalog)],
) -> Vec<String> {
    let around = CatalogContext {
        old: Some(old),
        new: Some(new),
        neighbors,
        ..CatalogContext::default()
    };
    let pair = Pair::new(
        old.package("p").map(|p| &**p),
        new.package("p").map(|p| &**p),
    );
    let findings = new_findings(&pair, &around);
    findings
        .into_iter()
        .filter(|f| f.invariant.name == name)
        .map(|f| f.message)
        .collect()
}

#[test]
fn requirements_are_still_met() {
    let needy = ("q", "c: q@1.0.0 needs:K");
    let old = catalog(&[("p", "c: a@1.0.0 api:K"), needy]);
    let good = catalog(&[("p", "c: b@2.0.0 r:a api:K; a@1.0.0 api:K"), needy]);
    let bad = catalog(&[("p", "c: b@2.0.0 s:a; a@1.0.0 api:K"), needy]);
    assert_eq!(
        among("requirement-lost", &old, &good, &[]),
        Vec::<String>::new()
    );
    let found = among("requirement-lost", &old, &bad, &[]);
    assert_eq!(
        found,
        ["`q` cannot be installed: it requires K (g/v1), which no chain here provides"]
    );
    // The package's own requirement.
    let bad = catalog(&[("p", "c: b@2.0.0 s:a needs:Nowhere; a@1.0.0 api:K"), needy]);
    let found = among("requirement-lost", &old, &bad, &[]);
    assert!(
        found
            .iter()
            .any(|m| m.starts_with("channel `c` is no longer installable")),
        "{found:?}"
    );
}

#[test]
fn an_api_that_another_package_provides_is_not_lost() {
    let needy = ("q", "c: q@1.0.0 needs:K");
    let (old, new) = ("c: a@1.0.0 api:K", "c: b@2.0.0 s:a; a@1.0.0 api:K");
    let with = |other: &str| {
        among(
            "requirement-lost",
            &catalog(&[("p", old), needy]),
            &catalog(&[("p", new), needy, ("r", other)]),
            &[],
        )
    };
    assert_eq!(with("c: r@1.0.0 api:K"), Vec::<String>::new());
    assert_eq!(with("c: r@1.0.0 api:L").len(), 1);
    assert_eq!(
        with("c: s@2.0.0 s:r; r@1.0.0 api:K").len(),
        1,
        "a skipped entry provides no API"
    );
}

#[test]
fn reports_a_constraint_that_is_no_longer_met() {
    let needy = (
        "q",
        r#"c: q@1.0.0 asks:{"gvk":{"group":"g","version":"v1","kind":"K"}}"#,
    );
    let old = catalog(&[("p", "c: a@1.0.0 api:K"), needy]);
    let bad = catalog(&[("p", "c: b@2.0.0 s:a; a@1.0.0 api:K"), needy]);
    assert_eq!(among("requirement-lost", &old, &bad, &[]).len(), 1);
    let good = catalog(&[("p", "c: b@2.0.0 r:a api:K; a@1.0.0 api:K"), needy]);
    assert_eq!(
        among("requirement-lost", &old, &good, &[]),
        Vec::<String>::new()
    );
    let elsewhere = catalog(&[
        ("p", "c: b@2.0.0 s:a; a@1.0.0 api:K"),
        needy,
        ("r", "c: r@1.0.0 api:K"),
    ]);
    assert_eq!(
        among("requirement-lost", &old, &elsewhere, &[]),
        Vec::<String>::new()
    );
}

#[test]
fn nobody_got_an_entry_without_a_bundle() {
    let removed = |entries: &str| {
        let old = format!("c: b@2.0.0; {entries}");
        findings_of("removed-keeps-edges", &old, "c: b@2.0.0").len()
    };
    assert_eq!(removed("p.v0.3.0"), 0);
    assert_eq!(removed("p.v0.3.0@0.3.0"), 1);
    let alone = findings_of("removed-keeps-edges", "c: b r:a; a", "c: b");
    assert_eq!(alone.len(), 1, "the bundles are elsewhere");
}

#[test]
fn a_rebuild_keeps_the_pin() {
    assert_eq!(
        findings_of("pin-lost", "c: a@1.0.0+1", "c: b@1.0.0+2 r:a"),
        []
    );
    assert_eq!(
        findings_of("pin-lost", "c: a@1.0.0+1", "c: b@1.0.1 r:a").len(),
        1
    );
}

#[test]
fn requirements_do_not_make_a_release_a_dead_end() {
    let old = package("c: a@1.0.0 !required");
    for new in [
        "c: b@2.0.0 r:a !required; a@1.0.0 !required",
        "c: b@2.0.0 r:a; a@1.0.0 !required",
    ] {
        let new = package(new);
        let findings = new_findings(&Pair::new(Some(&old), Some(&new)), &around());
        assert_eq!(
            findings.iter().map(|f| &f.message).collect::<Vec<_>>(),
            [""; 0]
        );
    }
}

/// States that share their equal parts, as after an edit, have the same findings as states that
/// share nothing.
#[test]
fn shared_blobs_do_not_change_findings() {
    use crate::compare::Touched;
    use catalog::model::{Located, Package};
    fn share<T: PartialEq>(old: &[Located<T>], new: &mut [Located<T>]) {
        for blob in new {
            if let Some(same) = old.iter().find(|old| *old.data == *blob.data) {
                blob.data = same.data.clone();
            }
        }
    }
    let shared = |old: &Package, mut new: Package| {
        share(&old.packages, &mut new.packages);
        share(&old.channels, &mut new.channels);
        share(&old.bundles, &mut new.bundles);
        share(&old.deprecations, &mut new.deprecations);
        new
    };
    let more = [
        (
            "c: b@2.0.0 r:a; a@1.0.0\nd: b@2.0.0; a@1.0.0",
            "c: b@2.0.0; a@1.0.0\nd: b@2.0.0; a@1.0.0",
        ),
        (
            "c: b@2.0.0 r:a; a@1.0.0\nd: b@2.0.0 r:a; a@1.0.0",
            "c: b@2.0.0; a@1.0.0\nd: b@2.0.0 r:a; a@1.0.0",
        ),
        (
            "c: b@2.0.0 r:a; a@1.0.0\nd: b@2.0.0 r:a; a@1.0.0",
            "d: b@2.0.0 r:a; a@1.0.0",
        ),
    ];
    let cases = CASES
        .iter()
        .flat_map(|(_, old, good, bad, _)| [(*old, *good), (*old, *bad)]);
    let (mut found, mut in_channels) = (0, 0);
    for (old, new) in cases.chain(more) {
        let (before, after) = (Arc::new(package(old)), package(new));
        let edited = Arc::new(shared(&before, after.clone()));
        let (apart, together) = (
            Pair::new(Some(&before), Some(&after)),
            Pair::new(Some(&before), Some(&edited)),
        );
        assert_eq!(
            new_findings(&apart, &around()),
            new_findings(&together, &around()),
            "{old} -> {new}"
        );
        assert_eq!(apart.compare(), together.compare(), "{old} -> {new}");
        let edit = Pair::for_edit(Some(&before), Some(&edited), &RefCell::default());
        assert_eq!(
            new_findings(&edit, &around()),
            new_findings(&apart, &around()),
            "{old} -> {new}"
        );
        let differing = |pair: &Pair<'_>| {
            pair.users()
                .iter()
                .filter(|user| !user.is_same())
                .cloned()
                .collect::<Vec<_>>()
        };
        assert_eq!(differing(&edit), differing(&apart), "{old} -> {new}");
        found += new_findings(&apart, &around()).len();
        in_channels += usize::from(together.touched() == Touched::Channels);
    }
    assert!(
        found > 20 && in_channels >= 10,
        "{found} findings, {in_channels} changes of channels alone"
    );
}

#[test]
fn two_catalogs_of_one_priority_tie() {
    let old = catalog(&[("p", "c: a@1.0.0")]);
    let (same, other) = (
        catalog(&[("p", "c: a@1.0.0")]),
        catalog(&[("q", "c: a@1.0.0")]),
    );
    let new = catalog(&[("p", "c: b@2.0.0 r:a; a@1.0.0")]);
    assert_eq!(
        among("catalog-tie", &old, &new, &[("other".to_owned(), &other)]),
        Vec::<String>::new()
    );
    // `a` was already tied before.
    let found = among("catalog-tie", &old, &new, &[("same".to_owned(), &same)]);
    assert_eq!(found, Vec::<String>::new());
    let wide = catalog(&[("p", "c: c@3.0.0 s:a s:b; b@2.0.0")]);
    let found = among("catalog-tie", &old, &new, &[("wide".to_owned(), &wide)]);
    assert_eq!(
        found,
        ["users of `b` get no update under OLM v1: this catalog and `wide` both offer one"]
    );
}

#[test]
fn matches_the_cases_of_the_specification() {
    let names = |old: &str, new: &str| -> Vec<&str> {
        let (old, new) = (package(old), package(new));
        let mut names: Vec<&str> = new_findings(&Pair::new(Some(&old), Some(&new)), &around())
            .iter()
            .filter(|f| f.invariant.severity != Severity::Info)
            .map(|f| f.invariant.name)
            .collect();
        names.dedup();
        names
    };
    let old = "c: o91@0.9.1 r:o90; o90@0.9.0";
    assert_eq!(
        names(old, "c: o92@0.9.2 r:o90 s:o91; o91@0.9.1 r:o90; o90@0.9.0"),
        [""; 0]
    );
    let found = names(old, "c: o92@0.9.2 s:o91; o91@0.9.1 r:o90; o90@0.9.0");
    for name in [
        "next-step-v0",
        "dead-end",
        "skipped-installed",
        "graph-invalid",
    ] {
        assert!(found.contains(&name), "{name}: {found:?}");
    }
    let old = "c: c@3.0.0 r:b; b@2.0.0 r:a; a@1.0.0";
    let found = names(old, "c: d@4.0.0 r:c; c@3.0.0");
    assert!(
        found.contains(&"removed-keeps-edges") && found.contains(&"stranded"),
        "{found:?}"
    );
    let found = names(old, "c: d@4.0.0 sr:>=1.0.0_<4.0.0");
    assert_eq!(found, ["pin-lost"]);
}

/// Renders the manual page.
fn document() -> String {
    let mut text = String::from(
        "# What a change keeps for its users\n\nThe invariants of `switchyard diff`. `diff` reports only what the \
         change breaks, not what was broken before.\n`--deny NAME,NAME` makes `diff` fail when one of them is broken, \
         `--deny errors` for all that harm users, `--deny all` for every one.\n`switchyard explain NAME` prints the \
         same text.\n\nIn the examples a line is a channel; `b@2.0.0 r:a s:x sr:<2.0.0` is an entry with its version, its \
         `replaces`, `skips` and `skipRange`\n(`_` stands for a blank), and `!deprecated` marks a deprecated bundle. This \
         page is written by a test; `UPDATE_EXPECT=1 cargo test -p switchyard-verdict --lib invariants` writes it again.\n",
    );
    for invariant in ALL {
        let number = if invariant.id.is_empty() {
            String::new()
        } else {
            format!(" ({})", invariant.id)
        };
        let gravity = match invariant.severity {
            Severity::Error => "An error: breaking it harms users.",
            Severity::Warning => "A warning.",
            Severity::Info => "Information: only `--deny` turns it into a failure.",
        };
        text.push_str(&format!(
            "\n## {}{number}\n\n{} {gravity}\n\nWhy: {}\n\nWhat to do: {}\n",
            invariant.name, invariant.rule, invariant.why, invariant.fix
        ));
        for (_, old, good, bad, _) in CASES.iter().filter(|case| case.0 == invariant.name) {
            let indented = |what: &str, channels: &str| {
                let lines: Vec<String> = channels
                    .lines()
                    .map(|line| format!("    {line}\n"))
                    .collect();
                format!("{what}\n{}", lines.concat())
            };
            let states = [
                indented("before", old),
                indented("kept", good),
                indented("broken", bad),
            ]
            .concat();
            text.push_str(&format!("\n```text\n{states}```\n"));
        }
    }
    text
}

#[test]
fn the_manual_lists_all_invariants() {
    expect_test::expect_file!["../../../../docs/invariants.md"].assert_eq(&document());
}

#[test]
fn a_new_package_has_no_users_to_harm() {
    // Two heads, a gap, and a limit below the catalog's version: advice about the package that
    // harms nobody.
    let new = package("c: c@3.0.0 max:4.10; b@2.0.0 kube:1.99.0; a@1.0.0 r:b sr:<9.0.0");
    let around = CatalogContext {
        ocp: Some((4, 18)),
        ..CatalogContext::default()
    };
    let pair = Pair::new(None, Some(&new));
    assert_eq!(new_findings(&pair, &around), []);
    // A package that another catalog offers already has users, and two catalogs tie for them.
    let other = package("c: d@4.0.0 r:c; c@3.0.0; b@2.0.0; a@1.0.0");
    let other = Catalog::from_packages([Arc::new(other)]);
    let neighbors = [("other".to_owned(), &other)];
    let around = CatalogContext {
        neighbors: &neighbors,
        ..around
    };
    let found = new_findings(&pair, &around);
    assert!(
        !found.is_empty()
            && found
                .iter()
                .all(|finding| finding.invariant.name == "catalog-tie"),
        "{found:?}"
    );
}
