//! `next --manifest` with a dump of a cluster: Subscriptions and ClusterServiceVersions, in one file or in a folder.

use test_support::{Folder, Run};

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
fn the_package_of_a_csv_is_that_of_its_properties() {
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
fn one_that_is_being_replaced_belongs_to_its_subscription_until_then() {
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
fn an_installed_csv_that_is_gone_is_remarked() {
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
fn a_csv_of_a_similar_name_is_of_the_package() {
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
