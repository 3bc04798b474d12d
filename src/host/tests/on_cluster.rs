//! Upgrade questions about a cluster, and manifests that try a package on one.

use super::*;
use protocol::manifests::{InstallManifests, InstallRefusal, InstallRequest, InstallValue};
use protocol::upgrades::ClusterView;
use protocol::views::{EntryRef, UpgradeAnswer, UpgradePath};

/// On 4.18, `p.v1` and `p.v2` block the cluster's upgrade, and `p.v2` requires a newer Kubernetes;
/// `p.v3` does neither.
const CATALOG: &str = r#"schema: olm.package
name: p
defaultChannel: stable
---
schema: olm.channel
package: p
name: stable
entries:
- name: p.v1
- name: p.v2
  replaces: p.v1
- name: p.v3
  replaces: p.v2
---
schema: olm.bundle
package: p
name: p.v1
image: example.com/p:v1
properties:
- {type: olm.package, value: {packageName: p, version: 1.0.0}}
- {type: olm.maxOpenShiftVersion, value: "4.18"}
---
schema: olm.bundle
package: p
name: p.v2
image: example.com/p:v2
properties:
- {type: olm.package, value: {packageName: p, version: 2.0.0}}
- {type: olm.maxOpenShiftVersion, value: "4.18"}
- {type: olm.csv.metadata, value: {minKubeVersion: 1.40.0}}
---
schema: olm.bundle
package: p
name: p.v3
image: example.com/p:v3
properties:
- {type: olm.package, value: {packageName: p, version: 3.0.0}}
"#;

fn answer(bench: &mut Bench, origin: Origin, cluster: &str) -> UpgradeAnswer {
    let question = UpgradeQuestion {
        origin,
        cluster: cluster.into(),
        ..UpgradeQuestion::default()
    };
    bench
        .package(PackageRequest {
            question,
            ..package_request_in("c", "p")
        })
        .answer
}

fn opened() -> Bench {
    let mut bench = Bench::new();
    bench
        .open(OpenMode::Replace, &[("c/catalog.yaml", CATALOG.as_bytes())])
        .unwrap();
    bench
}

fn remarks(path: &UpgradePath) -> Vec<&str> {
    path.steps
        .iter()
        .map(|step| step.on_cluster.as_deref().unwrap_or_default())
        .collect()
}

#[test]
fn both_lenses_answer_for_the_cluster() {
    let mut bench = opened();
    let view = answer(&mut bench, Origin::Installed("p.v1".into()), "v4.18.3");
    let cluster = ClusterView {
        openshift: "4.18".to_owned(),
        kubernetes: Some("1.31".to_owned()),
    };
    assert_eq!(view.cluster, Some(Ok(cluster)));
    assert_eq!(
        view.v0.on_cluster,
        [
            "`p.v1` blocks cluster updates beyond OpenShift 4.18: its olm.maxOpenShiftVersion is 4.18; upgrading to \
             `p.v3` unblocks it, but `p.v2` comes first and does not start",
            "`p.v2` requires Kubernetes 1.40.0 (minKubeVersion), and OpenShift 4.18 has 1.31; OLM resolves it, but its \
             ClusterServiceVersion stays Pending",
        ]
    );
    let held = "blocks cluster updates beyond OpenShift 4.18 (limit 4.18)";
    assert_eq!(
        remarks(&view.v0),
        [
            &format!("{held}; does not start: requires Kubernetes 1.40.0"),
            ""
        ]
    );
    assert!(
        view.v1.on_cluster[1].ends_with("OLM v1 does not check this and installs it anyway"),
        "{:?}",
        view.v1.on_cluster
    );
    let later = answer(&mut bench, Origin::Installed("p.v1".into()), "4.17");
    assert_eq!(
        (later.v0.on_cluster.len(), remarks(&later.v1)[1]),
        (1, ""),
        "no limit there: {later:?}"
    );
}

#[test]
fn without_a_cluster_no_remark_mentions_one() {
    let mut bench = opened();
    let view = answer(&mut bench, Origin::Installed("p.v1".into()), "");
    assert_eq!(view.cluster, None);
    assert!(
        view.v0.on_cluster.is_empty() && remarks(&view.v0).iter().all(|remark| remark.is_empty())
    );
    let fresh = answer(&mut bench, Origin::Fresh, "4.18");
    assert!(
        fresh.v0.on_cluster.is_empty(),
        "`p.v3` holds nothing: {:?}",
        fresh.v0
    );
}

#[test]
fn an_invalid_version_is_reported() {
    let mut bench = opened();
    for origin in [Origin::Fresh, Origin::Installed("nowhere".into())] {
        let view = answer(&mut bench, origin, "soon");
        let error = "`soon` is not an OpenShift version: write it as 4.18 or 4.18.3";
        assert_eq!(view.cluster, Some(Err(error.to_owned())));
        assert!(view.v0.on_cluster.is_empty());
    }
}

#[test]
fn a_comparison_reports_the_effect_on_the_cluster() {
    let mut bench = Bench::new();
    let cut = CATALOG.replace("- name: p.v3\n  replaces: p.v2\n", "");
    let files = [
        ("t/v4.18/c.yaml", CATALOG.as_bytes()),
        ("t/v4.19/c.yaml", cut.as_bytes()),
    ];
    bench.open(OpenMode::Replace, &files).unwrap();
    let mut compare_on = |cluster: &str| {
        let old = Baseline::Catalog("t/v4.18".into());
        let (root, package, cluster) = ("t/v4.19".to_owned(), "p".to_owned(), cluster.to_owned());
        match bench.host.answer(ComparePackage {
            old,
            root,
            package,
            cluster,
        }) {
            Ok(comparison) => comparison,
            other => panic!("{other:?}"),
        }
    };
    let comparison = compare_on("4.18.3");
    assert_eq!(
        comparison.changes,
        [
            "channel `stable`: entry `p.v3`: removed: replaced `p.v2`",
            "stable: the head is p.v2 instead of p.v3",
        ],
        "each change once, with its detail"
    );
    assert_eq!(comparison.cluster.unwrap().unwrap().openshift, "4.18");
    let gone = "`p.v1` blocks cluster updates beyond OpenShift 4.18: before this change `p.v3` unblocked it; now nothing";
    assert!(
        comparison
            .on_cluster
            .iter()
            .any(|sentence| sentence.starts_with(gone)),
        "{:?}",
        comparison.on_cluster
    );
    assert!(compare_on("").on_cluster.is_empty());
    assert!(matches!(compare_on("soon").cluster, Some(Err(_))));
}

#[test]
fn without_a_question_the_path_of_the_selected_version_is_shown() {
    let mut bench = opened();
    let lanes = |name: &str| LaneOptions {
        selected: Some(EntryRef {
            channel: "stable".into(),
            name: name.into(),
        }),
        ..LaneOptions::default()
    };
    let mut view_with = |name: &str, question: UpgradeQuestion| {
        bench.package(PackageRequest {
            question,
            lanes: lanes(name),
            ..package_request_in("c", "p")
        })
    };
    let view = view_with("p.v1", UpgradeQuestion::default());
    assert_eq!(view.answer.origin, Origin::Installed("p.v1".into()));
    assert!(
        view.lanes.routes.is_empty(),
        "a selection alone draws no path"
    );
    let origin = |view: PackageView| view.answer.origin;
    assert_eq!(
        origin(view_with("p.v9", UpgradeQuestion::default())),
        Origin::Fresh,
        "cannot be installed"
    );
    let begins = UpgradeQuestion {
        starting_csv: "p.v1".into(),
        ..UpgradeQuestion::default()
    };
    assert_eq!(origin(view_with("p.v2", begins)), Origin::Fresh);
    let question = UpgradeQuestion {
        origin: Origin::Installed("p.v2".into()),
        ..UpgradeQuestion::default()
    };
    assert_eq!(
        origin(view_with("p.v1", question)),
        Origin::Installed("p.v2".into())
    );
}

fn request(lens: Lens) -> InstallRequest {
    InstallRequest {
        root: "sample".into(),
        package: "lantern".into(),
        lens,
        image: "quay.io/me/catalog:v1".into(),
        ..InstallRequest::default()
    }
}

fn generate(
    bench: &mut Bench,
    request: InstallRequest,
) -> Result<InstallManifests, InstallRefusal> {
    bench.host.answer(request).expect("an answer")
}

#[test]
fn both_olm_versions_have_their_objects() {
    let (mut bench, _) = Bench::sample();
    let kinds = |written: &InstallManifests| -> Vec<String> {
        written
            .yaml
            .lines()
            .filter_map(|line| line.strip_prefix("kind: "))
            .map(str::to_owned)
            .collect()
    };
    let classic = generate(&mut bench, request(Lens::V0)).unwrap();
    assert_eq!(
        kinds(&classic),
        [
            "Namespace",
            "CatalogSource",
            "OperatorGroup",
            "Subscription"
        ]
    );
    assert!(
        classic.bundle.starts_with("lantern.v"),
        "{}",
        classic.bundle
    );
    let v1 = generate(&mut bench, request(Lens::V1)).unwrap();
    let of_v1 = ["ClusterCatalog", "Namespace", "ClusterExtension"];
    assert_eq!(kinds(&v1), of_v1);
    assert_eq!(v1.remarks.len(), 1, "{:?}", v1.remarks);
    assert!(
        v1.yaml.contains(&format!("# {}\n", v1.remarks[0])),
        "remarks are comments, too: {}",
        v1.yaml
    );
}

#[test]
fn values_of_the_form_are_in_the_manifest() {
    let (mut bench, _) = Bench::sample();
    let install = InstallRequest {
        namespace: "mine".into(),
        approval: protocol::views::Approval::Manual,
        ..request(Lens::V0)
    };
    let text = generate(&mut bench, install).unwrap().yaml;
    for line in ["installPlanApproval: Manual", "namespace: mine"] {
        assert!(text.contains(line), "{line} is not in {text}");
    }
    let install = InstallRequest {
        range: ">=1.0.0".into(),
        policy: protocol::views::Policy::SelfCertified,
        ..request(Lens::V1)
    };
    let text = generate(&mut bench, install).unwrap().yaml;
    for line in [
        "version: '>=1.0.0'",
        "upgradeConstraintPolicy: SelfCertified",
    ] {
        assert!(text.contains(line), "{line} is not in {text}");
    }
}

#[test]
fn a_refusal_names_the_value() {
    let (mut bench, _) = Bench::sample();
    let (v0, v1) = (request(Lens::V0), request(Lens::V1));
    for (wanted, value) in [
        (
            InstallRequest {
                image: "catalog".into(),
                ..v0.clone()
            },
            Some(InstallValue::CatalogImage),
        ),
        (
            InstallRequest {
                namespace: "No!".into(),
                ..v0.clone()
            },
            Some(InstallValue::Namespace),
        ),
        (
            InstallRequest {
                channels: vec!["nowhere".into()],
                ..v0.clone()
            },
            Some(InstallValue::Channel),
        ),
        (
            InstallRequest {
                starting_csv: "lantern.v99".into(),
                ..v0.clone()
            },
            None,
        ),
        (
            InstallRequest {
                channels: vec!["nowhere".into()],
                ..v1.clone()
            },
            Some(InstallValue::Channel),
        ),
        (
            InstallRequest {
                range: "foobar".into(),
                ..v1.clone()
            },
            None,
        ),
        (
            InstallRequest {
                range: ">=99.0.0".into(),
                ..v1.clone()
            },
            None,
        ),
    ] {
        let refusal = generate(&mut bench, wanted).unwrap_err();
        assert_eq!(refusal.value, value, "{refusal:?}");
        assert!(
            !refusal.reason.is_empty() && !refusal.help.is_empty(),
            "{refusal:?}"
        );
    }
    let gone = bench.host.answer(InstallRequest {
        package: "gone".into(),
        ..v1
    });
    assert!(gone.is_err(), "{gone:?}");
}
