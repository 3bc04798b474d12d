//! Generated manifests, and refusals.

use super::*;
use catalog::model::Package;
use catalog::testing::package;
use serde_json::{Value, json};
use upgrade::Policy;

fn request<'a>(package: &'a Package, catalog: &'a CatalogOnCluster) -> InstallRequest<'a> {
    InstallRequest {
        package,
        catalog,
        namespace: None,
    }
}

fn added_catalog() -> CatalogOnCluster {
    CatalogOnCluster::Added {
        image: "quay.io/me/catalog:v1".into(),
        name: None,
    }
}

fn example() -> Package {
    package("stable: p.v2@2.0.0 r:p.v1; p.v1@1.0.0\nfast: p.v3@3.0.0; p.v2@2.0.0")
}

/// Returns a bundle's document with these install modes.
fn supporting(modes: &[&str]) -> Value {
    let modes: Vec<Value> = [
        "OwnNamespace",
        "SingleNamespace",
        "MultiNamespace",
        "AllNamespaces",
    ]
    .iter()
    .map(|mode| json!({ "type": mode, "supported": modes.contains(mode) }))
    .collect();
    json!({ "properties": [{ "type": "olm.csv.metadata", "value": { "installModes": modes } }] })
}

fn kinds(manifests: &Manifests) -> Vec<&str> {
    manifests
        .objects
        .iter()
        .filter_map(|manifest| manifest.object["kind"].as_str())
        .collect()
}

fn object_of_kind<'m>(manifests: &'m Manifests, kind: &str) -> &'m Value {
    &manifests
        .objects
        .iter()
        .find(|manifest| manifest.object["kind"] == kind)
        .unwrap()
        .object
}

#[test]
fn a_trial_under_classic() {
    let (package, catalog) = (example(), added_catalog());
    let written = classic(request(&package, &catalog), Classic::default(), &|_| None).unwrap();
    assert_eq!(
        kinds(&written),
        [
            "Namespace",
            "CatalogSource",
            "OperatorGroup",
            "Subscription"
        ]
    );
    assert_eq!(written.bundle, "p.v2");
    assert_eq!(
        object_of_kind(&written, "Subscription")["spec"],
        json!({"channel": "stable", "installPlanApproval": "Automatic", "name": "p", "source": "p-catalog", "sourceNamespace": "p"})
    );
    let text = written.yaml();
    assert!(
        text.contains("---\n# The catalog does not say which install modes `p.v2` supports"),
        "{text}"
    );
    assert!(
        text.starts_with("---\napiVersion: v1\nkind: Namespace\n"),
        "{text}"
    );
    assert_eq!(written.list()["items"].as_array().unwrap().len(), 4);
}

#[test]
fn the_operator_group_matches_the_install_modes_of_the_bundle() {
    let (package, catalog) = (example(), added_catalog());
    let group = |supported: &[&str], targets: &[&str]| {
        let targets: Vec<String> = targets.iter().map(|&target| target.to_owned()).collect();
        let classic_request = Classic {
            target_namespaces: &targets,
            ..Classic::default()
        };
        let document = |_: &str| Some(supporting(supported));
        classic(request(&package, &catalog), classic_request, &document)
            .map(|written| object_of_kind(&written, "OperatorGroup")["spec"].clone())
            .map_err(|error| error.reason)
    };
    let all = ["AllNamespaces", "OwnNamespace"];
    assert_eq!(group(&all, &[]), Ok(json!({})));
    assert_eq!(
        group(&["OwnNamespace"], &[]),
        Ok(json!({ "targetNamespaces": ["p"] }))
    );
    assert_eq!(
        group(&all, &["p"]),
        Ok(json!({ "targetNamespaces": ["p"] }))
    );
    assert_eq!(
        group(&["SingleNamespace"], &["other"]),
        Ok(json!({ "targetNamespaces": ["other"] }))
    );
    let refused = group(&["SingleNamespace"], &[]).unwrap_err();
    assert_eq!(
        refused,
        "`p.v2` does not support install mode OwnNamespace; it supports SingleNamespace"
    );
    assert!(
        group(&all, &["a", "b"])
            .unwrap_err()
            .contains("MultiNamespace")
    );
}

#[test]
fn the_namespace_of_all_operators_has_its_group() {
    let (package, catalog) = (
        example(),
        CatalogOnCluster::Existing {
            name: "community".into(),
        },
    );
    let request = InstallRequest {
        namespace: Some("operators"),
        ..request(&package, &catalog)
    };
    let classic_request = Classic {
        catalog_namespace: Some("olm"),
        ..Classic::default()
    };
    let written = classic(request, classic_request, &|_| None).unwrap();
    assert_eq!(kinds(&written), ["Subscription"]);
    assert_eq!(
        object_of_kind(&written, "Subscription")["spec"]["sourceNamespace"],
        "olm"
    );
    let error = classic(request, Classic::default(), &|_| None).unwrap_err();
    assert_eq!(
        error.reason,
        "the namespace of catalog `community` is not set"
    );
    let narrow = |_: &str| Some(supporting(&["OwnNamespace"]));
    assert!(
        classic(request, classic_request, &narrow)
            .unwrap_err()
            .reason
            .contains("AllNamespaces")
    );
}

#[test]
fn invalid_names_are_refused() {
    let package = example();
    let named = CatalogOnCluster::Added {
        image: "quay.io/me/catalog:v1".into(),
        name: Some("No!".into()),
    };
    let targets = ["No!".to_owned()];
    for (catalog, settings) in [
        (&named, Classic::default()),
        (
            &added_catalog(),
            Classic {
                catalog_namespace: Some("No!"),
                ..Classic::default()
            },
        ),
        (
            &added_catalog(),
            Classic {
                target_namespaces: &targets,
                ..Classic::default()
            },
        ),
    ] {
        let error = classic(request(&package, catalog), settings, &|_| None).unwrap_err();
        assert!(error.reason.starts_with("`No!` is not a valid"), "{error}");
    }
    let settings = V1 {
        service_account: Some("No!"),
        ..V1::default()
    };
    let error = v1(request(&package, &added_catalog()), settings, &|_| None).unwrap_err();
    assert!(error.reason.starts_with("`No!` is not a valid"), "{error}");
}

#[test]
fn a_trial_under_v1() {
    let (package, catalog) = (example(), added_catalog());
    let channels = ["stable".to_owned()];
    let v1_request = V1 {
        channels: &channels,
        range: Some(">=1.0.0 <2.0.0"),
        policy: Policy::SelfCertified,
        service_account: None,
    };
    let suggested = json!({ "properties": [{ "type": "olm.csv.metadata", "value":
        { "annotations": { "operatorframework.io/suggested-namespace": "of-p" } } }] });
    let written = v1(request(&package, &catalog), v1_request, &|_| {
        Some(suggested.clone())
    })
    .unwrap();
    assert_eq!(
        kinds(&written),
        ["ClusterCatalog", "Namespace", "ClusterExtension"]
    );
    assert_eq!(written.bundle, "p.v1");
    assert_eq!(
        object_of_kind(&written, "ClusterExtension")["spec"],
        json!({
            "namespace": "of-p",
            "source": { "sourceType": "Catalog", "catalog": {
                "packageName": "p",
                "selector": { "matchLabels": { "olm.operatorframework.io/metadata.name": "p-catalog" } },
                "upgradeConstraintPolicy": "SelfCertified",
                "channels": ["stable"],
                "version": ">=1.0.0 <2.0.0",
            } },
        })
    );
}

#[test]
fn only_an_older_olm_v1_gets_a_service_account() {
    let (package, catalog) = (example(), added_catalog());
    let v1_request = V1 {
        service_account: Some("me"),
        ..V1::default()
    };
    let plain = v1(request(&package, &catalog), V1::default(), &|_| None).unwrap();
    let with_account = v1(request(&package, &catalog), v1_request, &|_| None).unwrap();
    let rights = ["ServiceAccount", "ClusterRoleBinding"];
    assert!(kinds(&plain).iter().all(|kind| !rights.contains(kind)));
    assert!(
        rights
            .iter()
            .all(|kind| kinds(&with_account).contains(kind))
    );
    assert_eq!(
        object_of_kind(&plain, "ClusterExtension")["spec"].get("serviceAccount"),
        None
    );
    assert_eq!(
        object_of_kind(&with_account, "ClusterExtension")["spec"]["serviceAccount"],
        json!({ "name": "me" })
    );
    let remarks: Vec<&str> = plain.remarks().collect();
    assert_eq!(remarks.len(), 1, "{remarks:?}");
    assert!(
        remarks[0].contains("before v1.11.0 requires"),
        "{remarks:?}"
    );
    let remarks: Vec<&str> = with_account.remarks().collect();
    assert!(
        remarks
            .iter()
            .any(|remark| remark.contains("v1.11.0 on ignores")),
        "{remarks:?}"
    );
}

#[test]
fn late_refusals_of_olm_v1_are_remarks() {
    let (package, catalog) = (example(), added_catalog());
    let remarks = |value: serde_json::Value| -> String {
        let document = json!({ "properties": [{ "type": "olm.csv.metadata", "value": value }] });
        let written = v1(request(&package, &catalog), V1::default(), &|_| {
            Some(document.clone())
        });
        let written = written.unwrap();
        written.remarks().collect::<Vec<_>>().join("\n")
    };
    let narrow = json!({ "installModes": [
        { "type": "OwnNamespace", "supported": true }, { "type": "AllNamespaces", "supported": false } ] });
    assert!(remarks(narrow).contains(
        "refuses to install it: unsupported bundle: bundle does not support AllNamespaces install mode; it supports OwnNamespace."
    ));
    let serving = json!({ "apiServiceDefinitions": { "owned": [{ "name": "a" }] } });
    assert!(
        remarks(serving).contains("unsupported bundle: apiServiceDefintions are not supported.")
    );
    assert!(!remarks(json!({ "apiServiceDefinitions": {} })).contains("refuses"));
}

#[test]
fn an_image_by_digest_is_not_polled() {
    let package = example();
    let digest = format!("quay.io/me/catalog@sha256:{}", "a".repeat(64));
    let catalog = CatalogOnCluster::Added {
        image: digest,
        name: Some("mine".into()),
    };
    let written = v1(request(&package, &catalog), V1::default(), &|_| None).unwrap();
    let image = &object_of_kind(&written, "ClusterCatalog")["spec"]["source"]["image"];
    assert_eq!(
        image.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["ref"]
    );
    let written = classic(request(&package, &catalog), Classic::default(), &|_| None).unwrap();
    assert_eq!(
        object_of_kind(&written, "CatalogSource")["spec"].get("updateStrategy"),
        None
    );
}

#[test]
fn unknown_or_invalid_values_are_refused() {
    let (package, catalog) = (example(), added_catalog());
    let of_classic = |request_details: Classic<'_>| {
        classic(request(&package, &catalog), request_details, &|_| None).unwrap_err()
    };
    let error = of_classic(Classic {
        channel: Some("stabel"),
        ..Classic::default()
    });
    assert_eq!(error.help, "did you mean `stable`?");
    let error = of_classic(Classic {
        starting_csv: Some("p.v9"),
        ..Classic::default()
    });
    assert_eq!(error.reason, "channel `stable` has no bundle `p.v9`");
    let of_v1 = |request_details: V1<'_>| {
        v1(request(&package, &catalog), request_details, &|_| None).unwrap_err()
    };
    let error = of_v1(V1 {
        range: Some(">=9.0.0"),
        ..V1::default()
    });
    assert_eq!(
        error.reason,
        "no bundles found for package \"p\" matching version \">=9.0.0\""
    );
    assert_eq!(
        error.help,
        "the package has versions `2.0.0`, `1.0.0`, `3.0.0`"
    );
    assert!(
        of_v1(V1 {
            range: Some("1.0.0 - 2.0.0"),
            ..V1::default()
        })
        .reason
        .contains("rejects version range")
    );
    assert!(
        of_v1(V1 {
            range: Some("foobar"),
            ..V1::default()
        })
        .reason
        .contains("improper constraint")
    );
    let error = of_v1(V1 {
        service_account: Some("Me"),
        ..V1::default()
    });
    assert!(error.reason.contains("`Me`"), "{error:?}");
    for image in [
        "",
        "catalog:v1",
        "quay.io/me/catalog",
        "quay.io/Me/catalog:v1",
        "quay.io/me/catalog:",
    ] {
        let catalog = CatalogOnCluster::Added {
            image: image.into(),
            name: None,
        };
        assert!(
            v1(request(&package, &catalog), V1::default(), &|_| None).is_err(),
            "{image}"
        );
    }
    for namespace in ["No", "a.b", &"a".repeat(64)] {
        let request = InstallRequest {
            namespace: Some(namespace),
            ..request(&package, &catalog)
        };
        assert!(
            v1(request, V1::default(), &|_| None).is_err(),
            "{namespace}"
        );
    }
}

#[test]
fn expected_refusals_of_olm_v1_are_remarks() {
    let (package, catalog) = (package("stable: p.v1@1.0.0 !required"), added_catalog());
    let written = v1(request(&package, &catalog), V1::default(), &|_| None).unwrap();
    assert!(
        written
            .remarks()
            .any(|remark| remark.starts_with("OLM v1 will refuse it: ")),
        "{:?}",
        written.objects
    );
}
