//! `switchyard manifests`, and manifests as input of `next` and `path`.

use serde_json::{Value, json};
use test_support::Folder;

/// Package `p` with channels `stable` and `fast`; `p.v2.0.0` only supports its own namespace.
const CATALOG: &str = "\
schema: olm.package
name: p
defaultChannel: stable
---
schema: olm.channel
package: p
name: stable
entries:
- name: p.v1.0.0
- name: p.v1.1.0
  replaces: p.v1.0.0
---
schema: olm.channel
package: p
name: fast
entries:
- name: p.v1.1.0
- name: p.v2.0.0
  replaces: p.v1.1.0
---
schema: olm.bundle
package: p
name: p.v1.0.0
image: quay.io/p/p:1.0.0
properties:
- type: olm.package
  value: {packageName: p, version: 1.0.0}
---
schema: olm.bundle
package: p
name: p.v1.1.0
image: quay.io/p/p:1.1.0
properties:
- type: olm.package
  value: {packageName: p, version: 1.1.0}
---
schema: olm.bundle
package: p
name: p.v2.0.0
image: quay.io/p/p:2.0.0
properties:
- type: olm.package
  value: {packageName: p, version: 2.0.0}
- type: olm.csv.metadata
  value:
    annotations: {operatorframework.io/suggested-namespace: p-system}
    installModes:
    - {type: OwnNamespace, supported: true}
    - {type: AllNamespaces, supported: false}
";

const IMAGE: [&str; 2] = ["--catalog-image", "quay.io/me/catalog:v1"];

fn folder() -> Folder {
    Folder::new(&[("catalog/catalog.yaml", CATALOG)])
}

fn documents(yaml: &str) -> Vec<Value> {
    use serde::Deserialize;
    serde_yaml::Deserializer::from_str(yaml)
        .map(|document| Value::deserialize(document).unwrap())
        .collect()
}

/// The options of `switchyard manifests catalog p` with an image.
fn with<'a>(options: &[&'a str]) -> Vec<&'a str> {
    [&["manifests", "catalog", "p"], &IMAGE[..], options].concat()
}

#[test]
fn manifests_are_the_same_in_both_forms() {
    let folder = folder();
    for lens in ["v0", "v1"] {
        let yaml = folder.run(&with(&["--lens", lens]));
        yaml.ok();
        let list = folder.run(&with(&["--lens", lens, "-o", "json"])).json();
        assert_eq!(
            (&list["kind"], &list["items"]),
            (&json!("List"), &json!(documents(&yaml.stdout)))
        );
    }
}

#[test]
fn a_subscription_is_generated_with_its_dependencies() {
    let folder = folder();
    let run = folder.run(&with(&[
        "--channel",
        "fast",
        "--approval",
        "Manual",
        "--starting-csv",
        "p.v2.0.0",
    ]));
    run.ok();
    let objects = documents(&run.stdout);
    let kinds: Vec<&str> = objects
        .iter()
        .filter_map(|object| object["kind"].as_str())
        .collect();
    assert_eq!(
        kinds,
        [
            "Namespace",
            "CatalogSource",
            "OperatorGroup",
            "Subscription"
        ]
    );
    assert_eq!(
        objects[0]["metadata"]["name"], "p-system",
        "the bundle suggests it"
    );
    assert_eq!(objects[1]["spec"]["image"], "quay.io/me/catalog:v1");
    assert_eq!(
        objects[2]["spec"],
        json!({ "targetNamespaces": ["p-system"] }),
        "no other namespace can be watched"
    );
    assert_eq!(
        objects[3]["spec"],
        json!({
            "channel": "fast",
            "installPlanApproval": "Manual",
            "name": "p",
            "source": "p-catalog",
            "sourceNamespace": "p-system",
            "startingCSV": "p.v2.0.0",
        })
    );
}

#[test]
fn a_cluster_extension_is_generated_with_its_dependencies() {
    let folder = folder();
    let run = folder.run(&with(&[
        "--lens",
        "v1",
        "--version",
        ">=1.0.0 <2.0.0",
        "--policy",
        "SelfCertified",
        "--service-account",
        "me",
    ]));
    run.ok();
    assert!(
        run.stdout.contains("\n# cluster-admin is for trials only"),
        "{}",
        run.stdout
    );
    let objects = documents(&run.stdout);
    let extension = objects.last().unwrap();
    let catalog = &extension["spec"]["source"]["catalog"];
    assert_eq!(
        (&catalog["version"], &catalog["packageName"]),
        (&json!(">=1.0.0 <2.0.0"), &json!("p"))
    );
    assert_eq!(
        extension["spec"]["serviceAccount"]["name"],
        objects[2]["metadata"]["name"]
    );
    // Limits of OLM v1 for a bundle are remarks.
    let narrow = folder.run(&with(&["--lens", "v1", "-o", "json"]));
    narrow.ok();
    assert!(
        narrow
            .stderr
            .contains("OLM v1 chooses `p.v2.0.0` and then refuses to install it: unsupported bundle: bundle does not support AllNamespaces install mode; it supports OwnNamespace"),
        "{}",
        narrow.stderr
    );
}

#[test]
fn unknown_names_are_refused_with_similar_ones() {
    let folder = folder();
    let refused = |options: &[&str]| {
        let run = folder.run(options);
        run.status(2);
        assert_eq!(run.stdout, "");
        run.stderr
    };
    assert!(
        refused(&["manifests", "catalog", "pp", IMAGE[0], IMAGE[1]]).contains("did you mean `p`?")
    );
    assert!(refused(&with(&["--channel", "stabel"])).contains("did you mean `stable`?"));
    assert!(refused(&with(&["--starting-csv", "p.v1.1.O"])).contains("did you mean `p.v1.1.0`"));
    assert!(!refused(&with(&["--starting-csv", "p.v1.1.1"])).contains("did you mean"));
    assert!(
        refused(&with(&["--lens", "v1", "--version", ">9"]))
            .contains("the package has versions `1.0.0`")
    );
    assert!(refused(&with(&["--version", ">1"])).contains("only OLM v1 takes --version"));
    assert!(
        refused(&with(&["--lens", "v1", "--approval", "Manual"]))
            .contains("only OLM Classic takes --approval")
    );
    assert!(refused(&["manifests", "catalog", "--catalog-name", "mine"]).contains("is not set"));
    assert!(refused(&["manifests", "catalog"]).contains("--catalog-image <IMAGE>"));
}

/// Output of `kubectl get`: a Subscription with a status, one to a package of another catalog, a
/// ClusterExtension.
const ON_CLUSTER: &str = "\
apiVersion: v1
kind: List
items:
- apiVersion: operators.coreos.com/v1alpha1
  kind: Subscription
  metadata: {name: of-p, namespace: p-system}
  spec:
    channel: fast
    installPlanApproval: Manual
    name: p
    source: mine
    sourceNamespace: olm
  status:
    installedCSV: p.v1.1.0
- apiVersion: operators.coreos.com/v1alpha1
  kind: Subscription
  metadata: {name: other, namespace: ns}
  spec:
    name: q
    source: mine
    sourceNamespace: olm
- apiVersion: olm.operatorframework.io/v1
  kind: ClusterExtension
  metadata: {name: ext}
  spec:
    source:
      catalog:
        channels: [stable, gone]
        packageName: p
        version: 1.x
  status:
    install:
      bundle: {name: p.v1.0.0, version: 1.0.0}
";

#[test]
fn a_manifest_defines_the_question() {
    let folder = folder();
    folder.write("sub.yaml", ON_CLUSTER);
    // The same answer as with options, plus the object.
    let options = [
        "next",
        "catalog",
        "p",
        "--installed",
        "p.v1.1.0",
        "--channel",
        "fast",
        "-o",
        "json",
    ];
    let by_options = folder.run(&options).json();
    let run = folder.run(&[
        "next",
        "catalog",
        "--manifest",
        "sub.yaml",
        "p",
        "-o",
        "json",
    ]);
    run.ok();
    let answers: Vec<Value> = serde_json::Deserializer::from_str(&run.stdout)
        .into_iter()
        .map(Result::unwrap)
        .collect();
    let [subscription, extension] = &answers[..] else {
        panic!("{answers:#?}")
    };
    assert_eq!(subscription["next"], by_options["next"]);
    assert_eq!(
        (&subscription["lens"], &subscription["channel"]),
        (&json!("v0"), &json!("fast"))
    );
    assert_eq!(
        subscription["manifest"],
        json!({"file": "sub.yaml", "line": 4, "kind": "Subscription", "name": "of-p"})
    );
    let why = subscription["why"].as_array().unwrap();
    assert!(
        why.iter()
            .any(|line| line.as_str().unwrap().starts_with("Manual approval: ")),
        "{why:?}"
    );
    assert_eq!(
        (&extension["lens"], &extension["next"]),
        (&json!("v1"), &json!("p.v1.1.0"))
    );
    // A missing package is reported with its place and does not prevent the other answers.
    assert!(
        run.stderr
            .contains("warning: package `p` has no channel `gone`"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("--> sub.yaml:28"), "{}", run.stderr);

    let all = folder.run(&["path", "catalog", "--manifest", "sub.yaml"]);
    all.status(2);
    assert!(
        all.stderr
            .contains("error: package `q` not found\n  --> sub.yaml:19"),
        "{}",
        all.stderr
    );
    assert!(
        all.stdout
            .starts_with("Subscription of-p (sub.yaml:4)\np.v1.1.0\np.v2.0.0\n"),
        "{}",
        all.stdout
    );
    assert!(
        all.stdout
            .contains("\nClusterExtension ext (sub.yaml:22)\np.v1.0.0\np.v1.1.0\n"),
        "{}",
        all.stdout
    );

    let piped = folder.run_with(
        &["next", "catalog", "p", "--manifest", "-", "-q"],
        ON_CLUSTER,
    );
    assert_eq!(
        piped.stdout,
        "Subscription of-p (-:4)\np.v1.1.0 -> p.v2.0.0 (replaces)\nClusterExtension ext (-:22)\np.v1.0.0 -> p.v1.1.0 (replaces)\n"
    );
}

#[test]
fn a_generated_manifest_yields_the_same_question() {
    let folder = folder();
    for (lens, expected) in [
        ("v0", "fresh install -> p.v1.1.0 (none)\n"),
        ("v1", "fresh install -> p.v2.0.0 (none)\n"),
    ] {
        for format in ["yaml", "json"] {
            folder.write(
                "trial.yaml",
                &folder.run(&with(&["--lens", lens, "-o", format])).stdout,
            );
            let run = folder.run(&["next", "catalog", "--manifest", "trial.yaml", "-q"]);
            run.ok();
            assert_eq!(run.stdout, expected, "{lens} {format}");
        }
    }
    // An option takes precedence over the manifest.
    let run = folder.run(&[
        "next",
        "catalog",
        "--manifest",
        "trial.yaml",
        "--installed",
        "p.v1.0.0",
        "-q",
    ]);
    assert_eq!(run.stdout, "p.v1.0.0 -> p.v1.1.0 (replaces)\n");
}

#[test]
fn unsupported_manifests_are_refused_with_their_line() {
    let folder = folder();
    let subscription = "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nspec:\n";
    folder.write(
        "typo.yaml",
        &format!("{subscription}  name: p\nstatus:\n  installedCSV: pv1\n"),
    );
    folder.write(
        "number.yaml",
        &format!("{subscription}  name: p\n  channel: 1.1\n"),
    );
    folder.write("none.yaml", "kind: ConfigMap\napiVersion: v1\n");
    let refused = |options: &[&str]| {
        let run = folder.run(&[&["next", "catalog", "--manifest"], options].concat());
        run.status(2);
        run.stderr
    };
    let typo = refused(&["typo.yaml"]);
    assert!(
        typo.contains("nothing in package `p` mentions `pv1`\n  --> typo.yaml:6"),
        "{typo}"
    );
    assert!(
        refused(&["number.yaml"]).contains("`spec.channel` is not a string\n  --> number.yaml:5")
    );
    assert!(refused(&["none.yaml"]).contains("it has ConfigMap of `v1`"));
    assert!(refused(&["typo.yaml", "--lens", "v1"]).contains("cannot be used with"));
    assert!(refused(&["typo.yaml", "q"]).contains("typo.yaml has no object for package `q`"));
    assert!(refused(&["nowhere.yaml"]).contains("cannot read nowhere.yaml"));
}
