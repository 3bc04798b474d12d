//! Requests to try a package on a cluster: the manifests as text, and refusals that name their value.

use super::*;
use protocol::install::{InstallManifests, InstallRefusal, InstallRequest, InstallValue};

fn request(lens: Lens) -> InstallRequest {
    InstallRequest {
        root: "sample".into(),
        package: "lantern".into(),
        lens,
        image: Some("quay.io/me/catalog:v1".into()),
        ..InstallRequest::default()
    }
}

fn asked(bench: &mut Bench, request: InstallRequest) -> Result<InstallManifests, InstallRefusal> {
    bench.host.answer(request).expect("an answer")
}

#[test]
fn both_olms_have_their_objects() {
    let (mut bench, _) = Bench::sample();
    let kinds = |written: &InstallManifests| -> Vec<String> {
        written
            .yaml
            .lines()
            .filter_map(|line| line.strip_prefix("kind: "))
            .map(str::to_owned)
            .collect()
    };
    let classic = asked(&mut bench, request(Lens::V0)).unwrap();
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
    let v1 = asked(&mut bench, request(Lens::V1)).unwrap();
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
fn what_the_form_says_is_in_the_text() {
    let (mut bench, _) = Bench::sample();
    let wanted = InstallRequest {
        namespace: "mine".into(),
        image: None,
        catalog_name: "community".into(),
        catalog_namespace: "olm".into(),
        approval: protocol::views::Approval::Manual,
        target_namespaces: vec!["mine".into()],
        ..request(Lens::V0)
    };
    let text = asked(&mut bench, wanted).unwrap().yaml;
    for line in [
        "sourceNamespace: olm",
        "source: community",
        "installPlanApproval: Manual",
        "namespace: mine",
        "- mine",
    ] {
        assert!(text.contains(line), "{line} is not in {text}");
    }
    assert!(!text.contains("kind: CatalogSource"), "{text}");
    let wanted = InstallRequest {
        range: ">=1.0.0".into(),
        policy: protocol::views::Policy::SelfCertified,
        service_account: "me".into(),
        ..request(Lens::V1)
    };
    let text = asked(&mut bench, wanted).unwrap().yaml;
    for line in [
        "version: '>=1.0.0'",
        "upgradeConstraintPolicy: SelfCertified",
        "name: me",
    ] {
        assert!(text.contains(line), "{line} is not in {text}");
    }
}

#[test]
fn a_refusal_names_the_value() {
    let (mut bench, _) = Bench::sample();
    let (v0, v1) = (request(Lens::V0), request(Lens::V1));
    let there = InstallRequest {
        image: None,
        catalog_name: "there".into(),
        ..v0.clone()
    };
    for (wanted, value) in [
        (
            InstallRequest {
                image: Some("catalog".into()),
                ..v0.clone()
            },
            InstallValue::CatalogImage,
        ),
        (
            InstallRequest {
                catalog_name: "No!".into(),
                ..v0.clone()
            },
            InstallValue::CatalogName,
        ),
        (there.clone(), InstallValue::CatalogNamespace),
        (
            InstallRequest {
                catalog_namespace: "No!".into(),
                ..there
            },
            InstallValue::CatalogNamespace,
        ),
        (
            InstallRequest {
                namespace: "No!".into(),
                ..v0.clone()
            },
            InstallValue::Namespace,
        ),
        (
            InstallRequest {
                channels: vec!["nowhere".into()],
                ..v0.clone()
            },
            InstallValue::Channel,
        ),
        (
            InstallRequest {
                starting_csv: "lantern.v99".into(),
                ..v0.clone()
            },
            InstallValue::StartingCsv,
        ),
        (
            InstallRequest {
                target_namespaces: vec!["No!".into()],
                ..v0
            },
            InstallValue::TargetNamespaces,
        ),
        (
            InstallRequest {
                channels: vec!["nowhere".into()],
                ..v1.clone()
            },
            InstallValue::Channel,
        ),
        (
            InstallRequest {
                range: "foobar".into(),
                ..v1.clone()
            },
            InstallValue::Range,
        ),
        (
            InstallRequest {
                range: ">=99.0.0".into(),
                ..v1.clone()
            },
            InstallValue::Range,
        ),
        (
            InstallRequest {
                service_account: "No!".into(),
                ..v1.clone()
            },
            InstallValue::ServiceAccount,
        ),
    ] {
        let refusal = asked(&mut bench, wanted).unwrap_err();
        assert_eq!(refusal.value, Some(value), "{refusal:?}");
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
