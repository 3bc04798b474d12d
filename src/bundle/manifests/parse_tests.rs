//! Reads manifests as questions, with their positions. A generated manifest is read back as the
//! question that it was generated for.

use super::{
    CatalogOnCluster, Classic, InstallRequest, ParsedManifest, V1, ValueAtLine, classic, parse,
    parse_files, v1,
};
use catalog::testing::package;
use protocol::views::Approval;
use upgrade::{Options, Policy};

const INSTALLED: &str = "\
# as the cluster has it
apiVersion: v1
kind: List
items:
- apiVersion: operators.coreos.com/v1alpha1
  kind: Subscription
  metadata: {name: sub, namespace: ns}
  spec:
    channel: stable
    installPlanApproval: Manual
    name: p
    source: c
    sourceNamespace: olm
    startingCSV: p.v1
  status:
    currentCSV: p.v2
    installedCSV: p.v1
- apiVersion: messaging.knative.dev/v1
  kind: Subscription
  spec: {channel: {name: not ours}}
---
apiVersion: olm.operatorframework.io/v1
kind: ClusterExtension
metadata:
  name: ext
spec:
  source:
    catalog:
      channels: [stable, \"fast\"]
      packageName: p
      selector: {}
      upgradeConstraintPolicy: SelfCertified
      version: '>=1.0.0'
status:
  install:
    bundle: {name: p.v1, version: 1.0.0}
";

fn value_at(value: &str, line: u32) -> ValueAtLine {
    ValueAtLine {
        value: value.into(),
        line,
    }
}

#[test]
fn objects_of_a_cluster_are_parsed_with_lines() {
    let found = parse(INSTALLED.as_bytes()).unwrap();
    let [subscription, extension] = &found[..] else {
        panic!("{found:#?}")
    };
    assert_eq!(
        (subscription.kind(), &*subscription.name, subscription.line),
        ("Subscription", "sub", 5)
    );
    assert_eq!(subscription.package, value_at("p", 11));
    assert_eq!(subscription.channels, [value_at("stable", 9)]);
    assert_eq!(subscription.approval, Approval::Manual);
    assert_eq!(subscription.starting_csv, Some(value_at("p.v1", 14)));
    assert_eq!(subscription.installed, Some(value_at("p.v1", 17)));
    assert_eq!(subscription.notes.len(), 1);

    assert_eq!(
        (extension.kind(), &*extension.name, extension.line),
        ("ClusterExtension", "ext", 22)
    );
    assert_eq!(
        extension.channels,
        [value_at("stable", 29), value_at("fast", 29)]
    );
    assert_eq!(extension.range, Some(value_at(">=1.0.0", 33)));
    assert_eq!(extension.policy, Policy::SelfCertified);
    assert_eq!(extension.installed, Some(value_at("p.v1@1.0.0", 36)));
    assert_eq!(extension.options().channels, ["stable", "fast"]);
}

#[test]
fn json_is_parsed_too() {
    let text = "{\"apiVersion\": \"operators.coreos.com/v1alpha1\", \"kind\": \"Subscription\",\n\"spec\": {\n\"name\": \"p\"}}";
    let found = parse(text.as_bytes()).unwrap();
    assert_eq!(
        (found[0].line, &found[0].package, &found[0].installed),
        (1, &value_at("p", 3), &None)
    );
}

#[test]
fn invalid_manifests_are_refused_with_their_line() {
    let parse_error = |text: &str| {
        let error = parse(text.as_bytes()).unwrap_err();
        (error.line, error.error.reason)
    };
    let subscription = |spec: &str| {
        format!("apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nspec:\n{spec}")
    };
    assert_eq!(
        parse_error("kind: ConfigMap\napiVersion: v1\n"),
        (1, "found no Subscription or ClusterExtension".into())
    );
    assert_eq!(
        parse_error(&subscription("  channel: c\n")),
        (1, "it has no `spec.name`".into())
    );
    assert_eq!(
        parse_error(&subscription("  name: p\n  channel: 1.1\n")),
        (5, "`spec.channel` is not a string".into())
    );
    let (line, reason) = parse_error(&subscription("  name: p\n  installPlanApproval: manual\n"));
    assert_eq!(
        (line, reason.as_str()),
        (5, "`spec.installPlanApproval` is `manual`")
    );
    let (line, reason) = parse_error("kind: x\n---\na: [\n");
    assert!(
        line >= 3 && reason.starts_with("it cannot be read: "),
        "{line} {reason}"
    );
}

#[test]
fn missing_parts_of_the_package_have_their_line() {
    let package = package("stable: p.v2@2.0.0 r:p.v1; p.v1@1.0.0");
    let mut found = parse(INSTALLED.as_bytes()).unwrap();
    let missing = |parse: &ParsedManifest| -> Vec<(u32, String)> {
        parse
            .missing_in(&package, parse.installed.as_ref().map(|i| &*i.value))
            .into_iter()
            .map(|at| (at.line, at.error.reason))
            .collect()
    };
    assert_eq!(missing(&found[0]), []);
    assert_eq!(
        missing(&found[1]),
        [(29, "package `p` has no channel `fast`".to_owned())]
    );
    found[0].installed = None;
    found[0].starting_csv = Some(value_at("p.v3", 14));
    assert_eq!(
        missing(&found[0]),
        [(14, "channel `stable` has no bundle `p.v3`".to_owned())]
    );
    found[1].range = Some(value_at("1 - 2", 33));
    assert_eq!(
        missing(&found[1])[1],
        (
            33,
            "the ClusterExtension API rejects version range `1 - 2`".to_owned()
        )
    );
    found[0].package.value = "operater".into();
    assert_eq!(
        found[0].unknown_package(["operator"]).error.help,
        "did you mean `operator`?; if this is its catalog, OLM says: no operators found in package operater in the \
         catalog referenced by subscription sub"
    );
}

/// Generating a manifest and reading it back gives the original question.
#[test]
fn manifests_round_trip() {
    let package = package("stable: p.v2@2.0.0 r:p.v1; p.v1@1.0.0\nfast: p.v2@2.0.0");
    let catalog = CatalogOnCluster::Added {
        image: "quay.io/me/c:v1".into(),
        name: None,
    };
    let request = InstallRequest {
        package: &package,
        catalog: &catalog,
        namespace: None,
    };
    let of_classic = Classic {
        channel: Some("stable"),
        approval: Approval::Manual,
        starting_csv: Some("p.v1"),
        ..Classic::default()
    };
    let channels = ["fast".to_owned(), "stable".to_owned()];
    let of_v1 = V1 {
        channels: &channels,
        range: Some("~2.0"),
        policy: Policy::SelfCertified,
        service_account: None,
    };
    let written = [
        classic(request, of_classic, &|_| None).unwrap(),
        v1(request, of_v1, &|_| None).unwrap(),
    ];
    for text in [
        written.each_ref().map(|w| w.yaml()).concat(),
        written.each_ref().map(|w| w.list().to_string()).concat(),
    ] {
        let found = parse(text.as_bytes()).unwrap();
        let options: Vec<Options> = found.iter().map(ParsedManifest::options).collect();
        assert_eq!(
            options,
            [
                Options {
                    channels: vec!["stable".into()],
                    starting_csv: Some("p.v1".into()),
                    subscription: Some("p".into()),
                    ..Options::default()
                },
                Options {
                    channels: channels.to_vec(),
                    range: Some("~2.0".into()),
                    policy: Policy::SelfCertified,
                    starting_csv: None,
                    subscription: None,
                },
            ]
        );
        assert!(
            found
                .iter()
                .all(|parse| parse.missing_in(&package, None).is_empty())
        );
    }
}

#[test]
fn a_dump_contains_the_installed_versions() {
    let text = "\
apiVersion: v1
kind: List
items:
- apiVersion: operators.coreos.com/v1alpha1
  kind: ClusterServiceVersion
  metadata:
    annotations:
      operatorframework.io/properties: '{\"properties\":[{\"type\":\"olm.package\",\"value\":{\"packageName\":\"p\"}}]}'
    name: p.v1
    namespace: ns
  spec:
    version: 1.0.0
    replaces: p.v0
    customresourcedefinitions:
      owned:
      - {name: things.example.com, version: v1, kind: Thing}
  status: {phase: Succeeded}
- apiVersion: operators.coreos.com/v1alpha1
  kind: ClusterServiceVersion
  metadata: {name: p.v1, namespace: copied, labels: {olm.copiedFrom: ns}}
- apiVersion: operators.coreos.com/v1alpha1
  kind: ClusterServiceVersion
  metadata: {name: q.v1, namespace: copied}
  status: {reason: Copied}
";
    let files = parse_files([text.as_bytes()]);
    let file = &files[0];
    let [csv] = &file.csvs[..] else {
        panic!("{file:?}")
    };
    assert_eq!(
        (&*csv.name, &*csv.namespace, &*csv.replaces, csv.line),
        ("p.v1", "ns", "p.v0", 4)
    );
    assert_eq!(csv.installed_name(), "p.v1@1.0.0");
    assert_eq!(csv.package().as_deref(), Some("p"));
    assert_eq!(csv.owned[0].group, "example.com");
    assert_eq!(file.questions, None);
    assert!(parse(text.as_bytes()).is_err(), "it contains no request");
}
