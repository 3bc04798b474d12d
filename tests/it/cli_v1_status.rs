//! Conditions of OLM v1 besides the next step: deprecations, unreadable bundles, refusals after
//! resolution.

use serde_json::{Value, json};
use test_support::Folder;

fn bundle(name: &str, value: &str, more: &str) -> String {
    format!(
        "---\nschema: olm.bundle\npackage: p\nname: {name}\nimage: q.io/o/p:1\nproperties:\n\
         - type: olm.package\n  value: {value}\n{more}"
    )
}

fn catalog(entries: &str, rest: &str) -> String {
    format!(
        "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\n\
         entries: [{entries}]\n{rest}"
    )
}

fn one_bundle() -> String {
    bundle("p.v1", "{packageName: p, version: 1.0.0}", "")
}

fn deprecated(message: &str) -> String {
    let deprecations = format!(
        "---\nschema: olm.deprecations\npackage: p\nentries:\n- reference: {{schema: olm.package}}\n  message: {message}\n"
    );
    catalog("{name: p.v1}", &(one_bundle() + &deprecations))
}

#[test]
fn conditions_come_from_the_last_catalog_that_offers_a_candidate() {
    let folder = Folder::new(&[
        ("a/catalog.yaml", &deprecated("a is old")),
        ("b/catalog.yaml", &deprecated("b is old")),
    ]);
    let args = ["next", "a", "--lens", "v1", "--catalog", "b=b:-1"];
    let answer = folder.run(&[&args[..], &["-o", "json"]].concat()).json();
    assert_eq!(answer["next"], "p.v1");
    assert_eq!(
        answer["condition_catalogs"][0],
        json!({ "installed": null, "conditions_from": "b", "bundle_from": "a" })
    );
    assert_eq!(answer["conditions"][0]["message"], "b is old");
    let text = folder.run(&args).stdout;
    assert!(
        text.contains("they come from catalog `b`, the last that offers a candidate; the bundle comes from `a`"),
        "{text}"
    );
}

#[test]
fn after_a_failed_resolution_all_conditions_are_unknown() {
    let folder = Folder::new(&[("catalog.yaml", &deprecated("p is old"))]);
    let args = ["next", ".", "--lens", "v1", "--version", ">2.0.0"];
    let answer = folder.run(&[&args[..], &["-o", "json"]].concat()).json();
    assert_eq!(answer["error"]["kind"], "none");
    assert_eq!(answer.get("conditions"), None);
    let unknown: Vec<(&Value, &Value)> = answer["unknown_conditions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|condition| (&condition["type"], &condition["reason"]))
        .collect();
    let expected = [
        ("Deprecated", "DeprecationStatusUnknown"),
        ("PackageDeprecated", "DeprecationStatusUnknown"),
        ("ChannelDeprecated", "DeprecationStatusUnknown"),
        ("BundleDeprecated", "Absent"),
    ];
    assert_eq!(unknown.len(), expected.len());
    for ((kind, reason), (expected_kind, expected_reason)) in unknown.into_iter().zip(expected) {
        assert_eq!(
            (kind, reason),
            (&json!(expected_kind), &json!(expected_reason))
        );
    }
    let text = folder.run(&args).stdout;
    assert!(text.contains("all four are Unknown"), "{text}");
}

#[test]
fn a_bundle_whose_package_property_does_not_decode_is_unreadable() {
    for value in [
        "{packageName: p, version: 2.0.0, release: 1}",
        "{packageName: 7, version: 2.0.0}",
        "{packageName: p, version: 2.0.0, release: {}}",
    ] {
        let entries = "{name: p.v1}, {name: p.v2, replaces: p.v1}";
        let text = catalog(entries, &(one_bundle() + &bundle("p.v2", value, "")));
        let folder = Folder::new(&[("catalog.yaml", &text)]);
        let next = |args: &[&str]| {
            let all = [&["next", ".", "--lens", "v1", "-o", "json"], args].concat();
            folder.run(&all).json()
        };
        // It is sorted last, is in no range, and is not kept.
        assert_eq!(next(&[])["next"], "p.v1", "{value}");
        assert_eq!(next(&["--version", ">=1.0.0"])["next"], "p.v1", "{value}");
        let stays = next(&["--installed", "p.v2@2.0.0"]);
        assert_eq!(stays["error"]["kind"], "none", "{value}: {stays}");
        let alone = catalog("{name: p.v2}", &bundle("p.v2", value, ""));
        let alone = Folder::new(&[("catalog.yaml", &alone)])
            .run(&["next", ".", "--lens", "v1", "-o", "json"]);
        let error = alone.json()["error"].clone();
        assert_eq!(error["kind"], "version", "{value}");
        assert!(
            error["text"]
                .as_str()
                .unwrap()
                .contains("error unmarshalling package property: json: cannot unmarshal"),
            "{error}"
        );
    }
}

#[test]
fn a_bundle_that_v1_cannot_install_is_named() {
    let metadata = |fields: &str| format!("- type: olm.csv.metadata\n  value: {fields}\n");
    for (fields, error) in [
        (
            "{installModes: [{type: OwnNamespace, supported: true}, {type: AllNamespaces, supported: false}]}",
            "unsupported bundle: bundle does not support AllNamespaces install mode",
        ),
        (
            "{apiServiceDefinitions: {owned: [{name: a, group: g, version: v1, kind: A}]}}",
            "unsupported bundle: apiServiceDefintions are not supported",
        ),
    ] {
        let value = "{packageName: p, version: 1.0.0}";
        let text = catalog("{name: p.v1}", &bundle("p.v1", value, &metadata(fields)));
        let folder = Folder::new(&[("catalog.yaml", &text)]);
        for command in ["next", "path"] {
            let answer = folder
                .run(&[command, ".", "--lens", "v1", "-o", "json"])
                .json();
            assert_eq!(
                answer["install_refusals"],
                json!([{ "bundle": "p.v1", "error": error }])
            );
            let text = folder.run(&[command, ".", "--lens", "v1"]).stdout;
            assert!(text.contains("then refuses to install it"), "{text}");
            let classic = folder.run(&[command, ".", "-o", "json"]).json();
            assert_eq!(classic.get("install_refusals"), None);
        }
    }
}

#[test]
fn a_release_counts_with_release_support_only() {
    let value = |release: &str| format!("{{packageName: p, version: 1.0.0, release: '{release}'}}");
    let bundles = bundle("p-v1.0.0-1", &value("1"), "") + &bundle("p-v1.0.0-2", &value("2"), "");
    let entries = "{name: p-v1.0.0-1}, {name: p-v1.0.0-2, replaces: p-v1.0.0-1}";
    let folder = Folder::new(&[("c/catalog.yaml", &catalog(entries, &bundles))]);
    let next = |more: &[&str]| {
        let args = ["next", "c", "--installed", "p-v1.0.0-1", "--format", "json"];
        folder.run(&[&args, more].concat()).json()
    };
    let default = next(&["--lens", "v1"]);
    assert_eq!(default["next"], Value::Null, "{default}");
    let supported = next(&["--lens", "v1", "--release-support"]);
    assert_eq!(supported["next"], "p-v1.0.0-2", "{supported}");
    assert_eq!(supported["version"], "1.0.0");
    assert_eq!(supported["release"], "2");

    folder.write(
        "s.yaml",
        "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: s, namespace: n}\n\
         spec: {name: p, channel: c, source: s, sourceNamespace: n}\n",
    );
    let by_manifest = folder.run(&["next", "c", "--manifest", "s.yaml", "--release-support"]);
    assert_eq!(by_manifest.status, 2, "{}", by_manifest.stdout);

    let classic = folder.run(&["next", "c", "--release-support"]);
    assert_eq!(classic.status, 2);
    assert!(
        classic
            .stderr
            .contains("only OLM v1 takes --release-support"),
        "{}",
        classic.stderr
    );
}
