//! `crds` along the upgrade path of a package: CRDs embedded in the catalog or from given bundles,
//! and the objects of a cluster.

use base64::Engine;
use serde_json::{Value, json};
use std::fmt::Write;
use test_support::Folder;

fn definition(scope: &str, spec: &Value) -> String {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "boats.example.com"},
        "spec": {"group": "example.com", "scope": scope, "names": {"kind": "Boat", "plural": "boats"}, "versions": [{
            "name": "v1", "served": true, "storage": true,
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}}]}
    })
    .to_string()
}

fn optional_field() -> String {
    definition("Namespaced", &json!({"type": "object"}))
}

fn required_field() -> String {
    definition(
        "Namespaced",
        &json!({"type": "object", "required": ["size"]}),
    )
}

/// A chain of bundles, with their embedded objects, if any.
fn catalog(bundles: &[(&str, &[String])]) -> String {
    let mut text =
        "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n"
            .to_owned();
    let mut replaces = String::new();
    for (version, _) in bundles {
        let _ = writeln!(text, "- name: p.v{version}{replaces}");
        replaces = format!("\n  replaces: p.v{version}");
    }
    for (version, objects) in bundles {
        let _ = writeln!(
            text,
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: quay.io/p/p:{version}\nproperties:\n\
             - type: olm.package\n  value: {{packageName: p, version: {version}}}\n\
             - type: olm.gvk\n  value: {{group: example.com, version: v1, kind: Boat}}"
        );
        for object in *objects {
            let data = base64::engine::general_purpose::STANDARD.encode(object);
            let _ = writeln!(text, "- type: olm.bundle.object\n  value: {{data: {data}}}");
        }
    }
    text
}

fn bundle_folder(folder: &Folder, at: &str, version: &str, definition: &str) {
    let csv = format!(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {{name: p.v{version}}}\nspec: \
         {{version: {version}}}\n"
    );
    folder.write(&format!("{at}/manifests/csv.yaml"), &csv);
    folder.write(&format!("{at}/manifests/crd.yaml"), definition);
    let annotations = "annotations:\n  operators.operatorframework.io.bundle.package.v1: p\n  \
                       operators.operatorframework.io.bundle.manifests.v1: manifests/\n";
    folder.write(&format!("{at}/metadata/annotations.yaml"), annotations);
}

#[test]
fn each_step_of_the_path_is_compared() {
    let cluster = definition("Cluster", &json!({"type": "object", "required": ["size"]}));
    let text = catalog(&[
        ("1.0.0", &[optional_field()]),
        ("1.1.0", &[required_field()]),
        ("1.2.0", &[cluster]),
    ]);
    let folder = Folder::new(&[("c/catalog.yaml", &text)]);
    let run = folder.run(&[
        "crds",
        "c",
        "--package",
        "p",
        "--from",
        "1.0.0",
        "--to",
        "1.1.0",
        "--channel",
        "c",
    ]);
    run.status(0);
    assert_eq!(
        run.stdout,
        "p.v1.0.0 -> p.v1.1.0\n  boats.example.com can replace the old one if existing objects still satisfy:\n    v1: ^.spec: required: new required fields: [size]\n"
    );
    let whole = folder.run(&[
        "crds", "c", "--from", "p.v1.0.0", "--lens", "v1", "-o", "json",
    ]);
    whole.status(1);
    let answer = whole.json();
    assert_eq!(answer["passed"], false);
    let edges = answer["steps"].as_array().unwrap();
    let objections = |at: usize| edges[at]["crds"][0]["objections"].to_string();
    assert_eq!(edges.len(), 2);
    assert!(
        objections(0).contains("new required fields") && objections(1).contains("scope changed"),
        "{edges:?}"
    );
    assert_eq!(answer["crds"].as_array().unwrap().len(), 2);
}

#[test]
fn each_edge_of_a_channel_is_compared() {
    let cluster = definition("Cluster", &json!({"type": "object", "required": ["size"]}));
    let text = catalog(&[
        ("1.0.0", &[optional_field()]),
        ("1.1.0", &[required_field()]),
        ("1.2.0", &[cluster]),
        ("1.3.0", &[]),
    ]);
    // One entry with three edges: two to the same bundle, one from an unknown one.
    let text = text.replace(
        "- name: p.v1.2.0\n  replaces: p.v1.1.0",
        "- name: p.v1.2.0\n  replaces: p.v1.1.0\n  skips: [p.v1.1.0, p.v0.9.0]\n  skipRange: '<1.2.0'",
    ) + "---\nschema: olm.channel\npackage: p\nname: d\nentries:\n- name: p.v1.0.0\n- {name: p.v1.1.0, skips: [p.v1.0.0]}\n";
    let folder = Folder::new(&[("c/catalog.yaml", &text)]);
    let run = folder.run(&["crds", "c", "--channel", "d"]);
    run.status(0);
    assert_eq!(
        run.stdout,
        "channel d\n  p.v1.0.0 -> p.v1.1.0 (skips)\n    boats.example.com can replace the old one if existing objects still \
         satisfy:\n      v1: ^.spec: required: new required fields: [size]\n"
    );
    let all = folder.run(&["crds", "c", "--package", "p", "--lens", "v1", "-o", "json"]);
    all.status(1);
    let answer = all.json();
    assert_eq!(
        (&answer["passed"], &answer["lens"]),
        (&json!(false), &json!("v1"))
    );
    let edges = answer["channels"][0]["edges"].as_array().unwrap();
    let describe = |edge: &Value| {
        let kinds: Vec<&str> = edge["kinds"]
            .as_array()
            .unwrap()
            .iter()
            .map(|kind| kind.as_str().unwrap())
            .collect();
        format!(
            "{} {} {}",
            edge["from"].as_str().unwrap(),
            edge["to"].as_str().unwrap(),
            kinds.join("+")
        )
    };
    assert_eq!(
        edges.iter().map(describe).collect::<Vec<_>>(),
        [
            "p.v1.0.0 p.v1.1.0 replaces",
            "p.v1.1.0 p.v1.2.0 replaces+skips+skipRange",
            "p.v1.0.0 p.v1.2.0 skipRange",
            "p.v1.2.0 p.v1.3.0 replaces"
        ]
    );
    assert_eq!(edges[3]["unknown"], json!(["p.v1.3.0"]));
    assert_eq!(answer["channels"][0]["absent"], json!(["p.v0.9.0"]));
    assert!(
        all.stderr.contains("the objects of p.v1.3.0 are unknown"),
        "{}",
        all.stderr
    );
    assert!(
        all.stderr
            .contains("left out edges from bundles that are not there: p.v0.9.0"),
        "{}",
        all.stderr
    );
    // Each edge has its own objections.
    let twice = folder.run(&["crds", "c", "--channel", "c", "--channel", "d"]);
    twice.status(2);
    assert_eq!(
        twice.stdout.matches("new required fields").count(),
        3,
        "{}",
        twice.stdout
    );
    // Existing objects decide along edges, too.
    folder.write(
        "bad.yaml",
        "apiVersion: example.com/v1\nkind: Boat\nmetadata: {name: a}\nspec: {}\n",
    );
    let bad = folder.run(&["crds", "c", "--channel", "d", "--objects", "bad.yaml"]);
    bad.status(1);
    assert!(
        bad.stdout.contains("updated validation is too restrictive"),
        "{}",
        bad.stdout
    );
}

#[test]
fn accepted_definitions_are_counted() {
    let other = |name: &str| optional_field().replace("boats.example.com", name);
    let definitions = |boat: String| vec![boat, other("a.example.com"), other("b.example.com")];
    let text = catalog(&[
        ("1.0.0", &definitions(optional_field())),
        ("1.1.0", &definitions(required_field())),
    ]);
    let folder = Folder::new(&[("c/catalog.yaml", &text)]);
    let run = folder.run(&["crds", "c"]);
    run.status(0);
    assert!(
        run.stdout
            .ends_with("[size]\n    2 others can replace the old ones\n"),
        "{}",
        run.stdout
    );
    assert_eq!(
        run.stdout.matches("example.com").count(),
        1,
        "{}",
        run.stdout
    );
}

#[test]
fn objects_of_the_cluster_are_checked() {
    let folder = Folder::new(&[(
        "c/catalog.yaml",
        &catalog(&[
            ("1.0.0", &[optional_field()]),
            ("1.1.0", &[required_field()]),
        ]),
    )]);
    folder.write(
        "good.yaml",
        "apiVersion: example.com/v1\nkind: Boat\nmetadata: {name: a}\nspec: {size: 1}\n",
    );
    folder.write(
        "bad.yaml",
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: example.com/v1\n  kind: Boat\n  metadata: {name: a, namespace: \
         n}\n  spec: {}\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: s}\n",
    );
    let good = folder.run(&["crds", "c", "--from", "1.0.0", "--objects", "good.yaml"]);
    good.status(0);
    assert!(
        good.stdout
            .contains("can replace the old one (1 object checked)"),
        "{}",
        good.stdout
    );
    let bad = folder.run(&[
        "crds",
        "c",
        "--from",
        "1.0.0",
        "--objects",
        "bad.yaml",
        "--objects",
        "good.yaml",
    ]);
    bad.status(1);
    assert!(
        bad.stdout.contains(
            "error validating existing CRs against new CRD's schema for \"boats.example.com\": error validating \
             example.com/v1, Kind=Boat \"n/a\": updated validation is too restrictive: [].spec.size: Required value"
        ),
        "{}",
        bad.stdout
    );
    assert!(
        bad.stderr
            .contains("skipped 1 object: no definition here matches"),
        "{}",
        bad.stderr
    );
    // The form with two files supports objects, too.
    folder.write("old.yaml", &optional_field());
    folder.write("new.yaml", &required_field());
    folder.run(&["crds", "old.yaml", "new.yaml"]).status(0);
    folder
        .run(&["crds", "old.yaml", "new.yaml", "--objects", "good.yaml"])
        .status(0);
    folder
        .run(&["crds", "old.yaml", "new.yaml", "--objects", "bad.yaml"])
        .status(1);
    let odd = folder.run(&[
        "crds",
        "old.yaml",
        "new.yaml",
        "--objects",
        "c/catalog.yaml",
    ]);
    odd.status(2);
    assert!(
        odd.stderr
            .contains("a document without `kind` is not a Kubernetes object"),
        "{}",
        odd.stderr
    );
}

#[test]
fn given_bundles_supply_missing_definitions() {
    let folder = Folder::new(&[(
        "c/catalog.yaml",
        &catalog(&[
            ("1.0.0", &[]),
            ("1.1.0", &[]),
            ("1.2.0", &[optional_field()]),
        ]),
    )]);
    let unknown = folder.run(&["crds", "c", "--from", "1.0.0", "--to", "1.1.0"]);
    unknown.status(2);
    assert!(
        unknown.stdout.contains("not compared: objects unknown")
            && unknown.stderr.contains("--bundles"),
        "{}",
        unknown.stderr
    );
    bundle_folder(&folder, "bundles/1.0.0", "1.0.0", &optional_field());
    let half = folder.run(&[
        "crds",
        "c",
        "--from",
        "1.0.0",
        "--to",
        "1.1.0",
        "--bundles",
        "bundles",
        "-o",
        "json",
    ]);
    half.status(2);
    assert_eq!(half.json()["steps"][0]["unknown"], json!(["p.v1.1.0"]));
    bundle_folder(&folder, "bundles/1.1.0", "1.1.0", &required_field());
    let all = folder.run(&[
        "crds",
        "c",
        "--from",
        "1.0.0",
        "--bundles",
        "bundles",
        "--lens",
        "v1",
        "-o",
        "json",
    ]);
    all.status(1);
    let answer = all.json();
    assert_eq!(
        answer["steps"][0]["crds"][0]["objections"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    // From the bundle folder to the embedded CRDs.
    assert_eq!(answer["steps"][1]["crds"][0]["objections"], json!([]));
    let one = ["--bundles", "bundles/1.0.0", "--bundles", "bundles/1.1.0"];
    folder
        .run(&[&["crds", "c", "--from", "1.0.0", "--to", "1.1.0"][..], &one].concat())
        .status(0);
}

#[test]
fn reports_impossible_paths() {
    let text = catalog(&[
        ("1.0.0", &[optional_field()]),
        ("1.1.0", &[optional_field()]),
    ]);
    let folder = Folder::new(&[("c/catalog.yaml", &text)]);
    let back = folder.run(&["crds", "c", "--from", "1.1.0", "--to", "1.0.0"]);
    back.status(0);
    assert!(
        back.stderr.contains("; comparing the two directly"),
        "{}",
        back.stderr
    );
    for (args, message) in [
        (
            &["crds", "c", "--from", "1.1.0"][..],
            "nothing follows `p.v1.1.0`",
        ),
        (
            &["crds", "c", "--from", "1.0.0", "--to", "9.9.9"],
            "package `p` has no version `9.9.9`",
        ),
        (
            &["crds", "c", "--from", "1.0.0", "--to", "1.0.0"],
            "is already installed",
        ),
        (&["crds", "c", "--from", "7.0.0"], "7.0.0"),
        (
            &["crds", "c/catalog.yaml"],
            "is neither a catalog's folder nor a template",
        ),
        (
            &["crds", "c", "--channel", "d"],
            "package `p` has no channel `d`",
        ),
        (&["crds", "c", "--to", "1.1.0"], "--from"),
        (
            &["crds", "a.yaml", "b.yaml", "--package", "p"],
            "cannot be used with",
        ),
    ] {
        let run = folder.run(args);
        run.status(2);
        assert!(run.stderr.contains(message), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn removed_apis_are_always_reported() {
    let text = catalog(&[("1.0.0", &[]), ("1.1.0", &[])]);
    let text = text.replacen("version: v1, kind: Boat", "version: v1beta1, kind: Boat", 1);
    let folder = Folder::new(&[("c/catalog.yaml", &text)]);
    let run = folder.run(&["crds", "c", "--from", "1.0.0"]);
    assert!(
        run.stdout
            .contains("example.com/v1beta1 Boat is no longer provided"),
        "{}",
        run.stdout
    );
}
