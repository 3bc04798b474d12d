//! `--cluster` of `next`, `path` and `diff`: versions that block the cluster's update, and versions
//! that do not start on it.
//!
//! `next --manifest` with a dump of a cluster: Subscriptions and ClusterServiceVersions, in one
//! file or in a folder.

use std::fmt::Write;
use test_support::{Folder, Run};

/// Bundles of one channel in ascending order: version, `olm.maxOpenShiftVersion` and
/// `minKubeVersion`, "" for none.
fn catalog(bundles: &[(&str, &str, &str)]) -> String {
    let mut text =
        "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n"
            .to_owned();
    let mut replaces = String::new();
    for (version, ..) in bundles {
        let _ = writeln!(text, "- name: p.v{version}{replaces}");
        replaces = format!("\n  replaces: p.v{version}");
    }
    for (version, max, kube) in bundles {
        let _ = writeln!(
            text,
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: quay.io/p/p:{version}\nproperties:\n\
             - type: olm.package\n  value: {{packageName: p, version: {version}}}"
        );
        if !max.is_empty() {
            let _ = writeln!(text, "- type: olm.maxOpenShiftVersion\n  value: \"{max}\"");
        }
        if !kube.is_empty() {
            let _ = writeln!(
                text,
                "- type: olm.csv.metadata\n  value: {{minKubeVersion: {kube}}}"
            );
        }
    }
    text
}

const HELD: &[(&str, &str, &str)] = &[
    ("1.0.0", "4.18", ""),
    ("1.1.0", "4.18", "1.32.0"),
    ("1.2.0", "4.20", ""),
];

#[test]
fn patch_version_and_prerelease_are_ignored() {
    let folder = Folder::new(&[("c/catalog.yaml", &catalog(HELD))]);
    for (cluster, holds) in [
        ("4.17.9", false),
        ("4.18", true),
        ("4.18.3", true),
        ("4.18.0-rc1", true),
        ("v4.18.3", true),
        ("4.19.0", true),
        ("openshift-v4.17", false),
    ] {
        for lens in ["v0", "v1"] {
            let run = folder.run(&[
                "next",
                "c",
                "--installed",
                "p.v1.0.0",
                "--cluster",
                cluster,
                "--lens",
                lens,
                "-o",
                "json",
            ]);
            run.status(0);
            assert_eq!(
                run.json()["cluster"]["installed"]["blocks_update"],
                holds,
                "{cluster} {lens}"
            );
        }
    }
    for cluster in ["x", "4", "1.31"] {
        let run = folder.run(&["next", "c", "--cluster", cluster]);
        run.status(2);
        assert!(
            run.stderr.contains("is not an OpenShift version"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn next_reports_versions_that_block_or_unblock_the_cluster_or_do_not_start() {
    let folder = Folder::new(&[("c/catalog.yaml", &catalog(HELD))]);
    let next = |more: &[&str]| {
        let mut args = vec![
            "next",
            "c",
            "--installed",
            "p.v1.0.0",
            "--cluster",
            "4.18.3",
            "--quiet",
        ];
        args.extend(more);
        folder.run(&args).stdout
    };
    assert_eq!(
        next(&[]),
        "p.v1.0.0 -> p.v1.1.0 (replaces)\n`p.v1.0.0` blocks cluster updates beyond OpenShift 4.18: its \
         olm.maxOpenShiftVersion is 4.18; upgrading to `p.v1.2.0` unblocks it, but `p.v1.1.0` comes first and does not \
         start\n`p.v1.1.0` requires Kubernetes 1.32.0 (minKubeVersion), and OpenShift 4.18 has 1.31; OLM resolves it, but \
         its ClusterServiceVersion stays Pending\n"
    );
    // OLM v1 ignores minKubeVersion; OpenShift's operator for it respects the limit.
    assert_eq!(
        next(&["--lens", "v1"]),
        "p.v1.0.0 -> p.v1.1.0 (replaces)\n`p.v1.0.0` blocks cluster updates beyond OpenShift 4.18: its \
         olm.maxOpenShiftVersion is 4.18; upgrading to `p.v1.2.0` unblocks it\n`p.v1.1.0` requires Kubernetes 1.32.0 \
         (minKubeVersion), and OpenShift 4.18 has 1.31; OLM v1 does not check this and installs it anyway\n"
    );
}

#[test]
fn path_marks_each_step_and_names_stay_in_front() {
    let folder = Folder::new(&[("c/catalog.yaml", &catalog(HELD))]);
    let run = folder.run(&[
        "path",
        "c",
        "--installed",
        "p.v1.0.0",
        "--cluster",
        "4.18.3",
        "--quiet",
    ]);
    assert_eq!(
        run.stdout,
        "p.v1.0.0  (blocks cluster updates beyond OpenShift 4.18 (limit 4.18))\np.v1.1.0  (blocks cluster updates beyond \
         OpenShift 4.18 (limit 4.18); does not start: requires Kubernetes 1.32.0)\np.v1.2.0\n"
    );
    let plain = folder.run(&["path", "c", "--installed", "p.v1.0.0", "--quiet"]);
    assert_eq!(plain.stdout, "p.v1.0.0\np.v1.1.0\np.v1.2.0\n");
}

#[test]
fn diff_reports_the_cluster_for_each_affected_version() {
    let folder = Folder::new(&[
        ("old/catalog.yaml", &catalog(&HELD[..1])),
        ("new/catalog.yaml", &catalog(HELD)),
    ]);
    let answer = folder
        .run(&["diff", "old", "new", "--cluster", "4.18.3", "-o", "json"])
        .json();
    assert_eq!(answer["cluster"]["kubernetes"], "1.31");
    let users = answer["packages"][0]["users"].as_array().unwrap();
    for (user, starts) in users.iter().zip(["no", "ignored"]) {
        assert_eq!(user["cluster"]["old_unblocked_by"], serde_json::Value::Null);
        assert_eq!(user["cluster"]["new_unblocked_by"], "p.v1.2.0");
        assert_eq!(user["cluster"]["new_next_starts"], starts);
    }
    let back = folder
        .run(&["diff", "new", "old", "--cluster", "4.18.3"])
        .stdout;
    assert!(
        back.contains("`p.v1.2.0` unblocked it; now nothing on its path does (Classic, OLM v1)"),
        "{back}"
    );
    let markdown = folder
        .run(&[
            "diff",
            "new",
            "old",
            "--cluster",
            "4.18.3",
            "-o",
            "markdown",
        ])
        .stdout;
    assert!(
        markdown.contains("`p.v1.2.0` unblocked it; now nothing on its path does"),
        "{markdown}"
    );
    // The invariants use the given cluster version, not the folder's name.
    assert!(back.contains("error: platform"), "{back}");
    // Without a cluster, the answer is unchanged.
    let plain = folder.run(&["diff", "new", "old", "-o", "json"]).json();
    assert!(plain["cluster"].is_null() && plain["packages"][0]["users"][0]["cluster"].is_null());
}

/// An embedded ClusterServiceVersion, in JSON or YAML, gives the same facts as its metadata.
#[test]
fn the_minimum_is_read_from_embedded_objects() {
    use base64::Engine;
    let json = r#"{"kind":"ClusterServiceVersion","metadata":{"name":"p.v1.0.0"},"spec":{"minKubeVersion":"1.32.0"}}"#;
    let yaml = "kind: ClusterServiceVersion\nmetadata: {name: p.v1.0.0}\nspec:\n  minKubeVersion: 1.32.0\n";
    for object in [json, yaml] {
        let data = base64::engine::general_purpose::STANDARD.encode(object);
        let text = catalog(&[("1.0.0", "", "")])
            + &format!("- type: olm.bundle.object\n  value: {{data: {data}}}\n");
        let folder = Folder::new(&[("c/catalog.yaml", &text)]);
        let answer = folder
            .run(&["next", "c", "--cluster", "4.18", "-o", "json"])
            .json();
        assert_eq!(
            answer["cluster"]["next"]["min_kube_version"], "1.32.0",
            "{object}"
        );
        assert_eq!(answer["cluster"]["next"]["starts"], "no");
    }
}

#[test]
fn versions_are_printed_as_written_and_olm_is_quoted() {
    let catalog = "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\n\
        entries: [{name: p.v1}]\n---\nschema: olm.bundle\npackage: p\nname: p.v1\nimage: q.io/o/p:1\nproperties:\n\
        - {type: olm.package, value: {packageName: p, version: 1.0.0}}\n\
        - {type: olm.maxOpenShiftVersion, value: '4.23'}\n";
    let folder = Folder::new(&[("catalog.yaml", catalog)]);
    let next = |cluster: &str, lens: &str| {
        let args = [
            "next",
            ".",
            "--installed",
            "p.v1",
            "--cluster",
            cluster,
            "--lens",
            lens,
        ];
        folder.run(&[&args[..], &["-o", "json"]].concat()).json()["cluster"].clone()
    };
    for version in ["4.23", "5.0"] {
        let cluster = next(version, "v0");
        assert_eq!(cluster["openshift"], version);
        assert_eq!(cluster["installed"]["max_openshift_version"], "4.23");
        assert_eq!(
            cluster["olm_message"],
            "ClusterServiceVersions blocking minor version upgrades to 4.23 or major version upgrades to 5.0:\n\
             - maximum supported OCP version for NAMESPACE/p.v1 is 4.23"
        );
    }
    assert_eq!(next("4.23", "v1")["olm_message"], serde_json::Value::Null);
    assert_eq!(next("4.22", "v0")["olm_message"], serde_json::Value::Null);
}

/// `cert` has 1.3.8 and 1.3.9 in `stable`, `other` 1.0.0.
const CATALOG: &str = "\
---
schema: olm.package
name: cert
defaultChannel: stable
---
schema: olm.channel
package: cert
name: stable
entries:
- name: cert.v1.3.8
- name: cert.v1.3.9
  replaces: cert.v1.3.8
---
schema: olm.bundle
package: cert
name: cert.v1.3.8
image: example.com/cert:v1.3.8
properties:
- {type: olm.package, value: {packageName: cert, version: 1.3.8}}
---
schema: olm.bundle
package: cert
name: cert.v1.3.9
image: example.com/cert:v1.3.9
properties:
- {type: olm.package, value: {packageName: cert, version: 1.3.9}}
---
schema: olm.package
name: other
defaultChannel: stable
---
schema: olm.channel
package: other
name: stable
entries:
- name: other.v1.0.0
---
schema: olm.bundle
package: other
name: other.v1.0.0
image: example.com/other:v1.0.0
properties:
- {type: olm.package, value: {packageName: other, version: 1.0.0}}
";

fn subscription(name: &str, package: &str, status: &str) -> String {
    format!(
        "---\napiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata:\n  name: {name}\n  namespace: team\n\
         spec:\n  name: {package}\n  channel: stable\n  source: acme\n  sourceNamespace: olm\n{status}"
    )
}

fn status(installed: &str) -> String {
    format!("status:\n  installedCSV: {installed}\n  currentCSV: {installed}\n")
}

fn csv(name: &str, version: &str, metadata: &str) -> String {
    format!(
        "---\napiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: {name}\n  namespace: \
         team\n{metadata}spec:\n  version: {version}\nstatus:\n  phase: Succeeded\n"
    )
}

fn next(dump: &str) -> Run {
    let folder = Folder::new(&[("catalog/catalog.yaml", CATALOG), ("dump.yaml", dump)]);
    folder.run(&["next", "catalog", "--manifest", "dump.yaml"])
}

#[test]
fn a_csv_that_no_subscription_owns_blocks_the_resolution() {
    let run = next(&(subscription("sub", "cert", "") + &csv("cert.v1.3.9", "1.3.9", "")));
    run.ok();
    assert!(
        run.stdout
            .starts_with("cert.v1.3.9: constraints not satisfiable: ")
            && run.stdout.contains(
                "clusterserviceversion cert.v1.3.9 exists and is not referenced by a subscription"
            )
            && run.stdout.contains("subscription sub exists"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("no Subscription owns it")
            && run
                .stdout
                .contains("kubectl delete csv cert.v1.3.9 -n team"),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains("fresh install"), "{}", run.stdout);
}

#[test]
fn the_path_is_blocked_too() {
    let dump = subscription("sub", "cert", "") + &csv("cert.v1.3.8", "1.3.8", "");
    let folder = Folder::new(&[("catalog/catalog.yaml", CATALOG), ("dump.yaml", &dump)]);
    let run = folder.run(&["path", "catalog", "--manifest", "dump.yaml", "-o", "json"]);
    run.ok();
    let answer = run.json();
    assert_eq!(answer["steps"], serde_json::json!(["cert.v1.3.8"]));
    assert!(
        answer["error"]["text"]
            .as_str()
            .unwrap()
            .contains("is not referenced by a subscription")
    );
}

#[test]
fn a_csv_that_its_subscription_owns_blocks_nothing() {
    let owned =
        subscription("sub", "cert", &status("cert.v1.3.8")) + &csv("cert.v1.3.8", "1.3.8", "");
    let run = next(&owned);
    run.ok();
    assert!(
        run.stdout
            .starts_with("cert.v1.3.8 -> cert.v1.3.9 (replaces)\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn objects_of_other_packages_or_namespaces_block_nothing() {
    let fresh = subscription("sub", "cert", "");
    let elsewhere = csv("cert.v1.3.9", "1.3.9", "").replace("namespace: team", "namespace: else");
    let copy = csv(
        "cert.v1.3.9",
        "1.3.9",
        "  labels:\n    olm.copiedFrom: else\n",
    );
    let foreign = csv("other.v1.0.0", "1.0.0", "");
    for beside in [elsewhere, copy, foreign] {
        let run = next(&(fresh.clone() + &beside));
        run.ok();
        assert!(
            run.stdout.starts_with("fresh install -> cert.v1.3.9"),
            "{beside}{}",
            run.stdout
        );
    }
}

#[test]
fn the_package_of_a_csv_comes_from_its_properties() {
    let annotation = |package: &str| {
        format!(
            "  annotations:\n    operatorframework.io/properties: '{{\"properties\":[{{\"type\":\"olm.package\",\"value\":\
             {{\"packageName\":\"{package}\",\"version\":\"9.9.9\"}}}}]}}'\n"
        )
    };
    let fresh = subscription("sub", "cert", "");
    let run = next(&(fresh.clone() + &csv("renamed.v9", "9.9.9", &annotation("cert"))));
    assert!(
        run.stdout
            .contains("clusterserviceversion renamed.v9 exists"),
        "{}",
        run.stdout
    );
    let run = next(&(fresh + &csv("renamed.v9", "9.9.9", &annotation("other"))));
    assert!(
        run.stdout.starts_with("fresh install -> cert.v1.3.9"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_csv_that_is_being_replaced_belongs_to_its_subscription() {
    let upgrading = subscription(
        "sub",
        "cert",
        "status:\n  installedCSV: cert.v1.3.8\n  currentCSV: cert.v1.3.9\n",
    ) + &csv("cert.v1.3.8", "1.3.8", "")
        + &csv("cert.v1.3.9", "1.3.9", "");
    let run = next(&upgrading);
    assert!(!run.stdout.contains("is not referenced"), "{}", run.stdout);
}

#[test]
fn a_missing_installed_csv_is_remarked() {
    let dump =
        subscription("sub", "cert", &status("cert.v1.3.8")) + &csv("other.v1.0.0", "1.0.0", "");
    let run = next(&dump);
    assert!(
        run.stdout
            .contains("namespace `team` has no such ClusterServiceVersion here"),
        "{}",
        run.stdout
    );
}

#[test]
fn messages_name_the_subscription() {
    let wrong = subscription("my-sub", "cert", "").replace("channel: stable", "channel: alpha");
    let run = next(&wrong);
    assert!(
        run.stdout.contains(
            "no operators found in channel alpha of package cert in the catalog referenced by subscription my-sub, \
             subscription my-sub exists"
        ),
        "{}",
        run.stdout
    );
    let start = subscription("my-sub", "cert", "").replace(
        "  channel: stable\n",
        "  channel: stable\n  startingCSV: cert.v1.2.0\n",
    );
    let run = next(&start);
    assert!(
        run.stdout.contains(
            "no operators found with name cert.v1.2.0 in channel stable of package cert in the catalog referenced by \
             subscription my-sub"
        ),
        "{}",
        run.stdout
    );
    let swapped = subscription("my-sub", "stable", "").replace("channel: stable", "channel: cert");
    let run = next(&swapped);
    run.status(2);
    assert!(
        run.stderr.contains(
            "no operators found in package stable in the catalog referenced by subscription my-sub"
        ) && run.stderr.contains("they may be swapped"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_folder_is_read_as_one_cluster() {
    let folder = Folder::new(&[
        ("catalog/catalog.yaml", CATALOG),
        (
            "gather/namespaces/team/operators.coreos.com/subscriptions/sub.yaml",
            &subscription("sub", "cert", ""),
        ),
        (
            "gather/namespaces/team/operators.coreos.com/clusterserviceversions/cert.yaml",
            &csv("cert.v1.3.9", "1.3.9", ""),
        ),
        ("gather/namespaces/team/pods/log.yaml", "{ not: [yaml"),
        ("gather/version.txt", "4.20"),
    ]);
    let run = folder.run(&["next", "catalog", "--manifest", "gather"]);
    run.ok();
    assert!(
        run.stdout
            .contains("clusterserviceversion cert.v1.3.9 exists and is not referenced"),
        "{}",
        run.stdout
    );
    let run = folder.run(&["next", "catalog", "--manifest", "catalog"]);
    run.status(2);
    assert!(
        run.stderr
            .contains("has no file with a Subscription or ClusterExtension"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_current_csv_that_exists_is_installed() {
    let pending = subscription(
        "sub",
        "cert",
        "status:\n  currentCSV: cert.v1.3.8\n  state: UpgradePending\n",
    );
    let run = next(&(pending.clone() + &csv("cert.v1.3.8", "1.3.8", "")));
    run.ok();
    assert!(
        run.stdout
            .starts_with("cert.v1.3.8 -> cert.v1.3.9 (replaces)\n")
            && run.stdout.contains("OLM takes it as installed"),
        "{}",
        run.stdout
    );
    let run = next(&pending);
    assert!(
        run.stdout
            .contains("OLM resolves nothing new until that is installed"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_csv_with_a_similar_name_belongs_to_the_package() {
    let run = next(&(subscription("sub", "cert", "") + &csv("cert.v1.2.0", "1.2.0", "")));
    assert!(
        run.stdout.starts_with("cert.v1.2.0: ")
            && run
                .stdout
                .contains("`cert.v1.2.0` exists in namespace `team`, and no Subscription owns it"),
        "{}",
        run.stdout
    );
}
