//! Trials of a package on a cluster: the manifests as text, and refusals that name their value.

use super::*;
use protocol::trial::{Trial, TrialManifests, TrialRefusal, TrialValue};

fn trial(lens: Lens) -> Trial {
    Trial {
        root: "sample".into(),
        package: "lantern".into(),
        lens,
        image: Some("quay.io/me/catalog:v1".into()),
        ..Trial::default()
    }
}

fn asked(bench: &mut Bench, trial: Trial) -> Result<TrialManifests, TrialRefusal> {
    match bench.host.answer(RequestBody::Trial(trial)) {
        ResponseBody::TrialManifests(written) => Ok(*written),
        ResponseBody::NoTrial(refusal) => Err(*refusal),
        other => panic!("{other:?}"),
    }
}

#[test]
fn both_olms_have_their_objects() {
    let (mut bench, _) = Bench::sample();
    let kinds = |written: &TrialManifests| -> Vec<String> {
        written.yaml.lines().filter_map(|line| line.strip_prefix("kind: ")).map(str::to_owned).collect()
    };
    let classic = asked(&mut bench, trial(Lens::V0)).unwrap();
    assert_eq!(kinds(&classic), ["Namespace", "CatalogSource", "OperatorGroup", "Subscription"]);
    assert!(classic.bundle.starts_with("lantern.v"), "{}", classic.bundle);
    let v1 = asked(&mut bench, trial(Lens::V1)).unwrap();
    let of_v1 = ["ClusterCatalog", "Namespace", "ServiceAccount", "ClusterRoleBinding", "ClusterExtension"];
    assert_eq!(kinds(&v1), of_v1);
    assert!(v1.remarks.iter().any(|remark| remark.starts_with("cluster-admin ")), "{:?}", v1.remarks);
    assert!(v1.yaml.contains(&format!("# {}\n", v1.remarks[0])), "remarks are comments, too: {}", v1.yaml);
}

#[test]
fn what_the_form_says_is_in_the_text() {
    let (mut bench, _) = Bench::sample();
    let wanted = Trial {
        namespace: "mine".into(),
        image: None,
        catalog_name: "community".into(),
        catalog_namespace: "olm".into(),
        approval: protocol::views::Approval::Manual,
        target_namespaces: vec!["mine".into()],
        ..trial(Lens::V0)
    };
    let text = asked(&mut bench, wanted).unwrap().yaml;
    for line in
        ["sourceNamespace: olm", "source: community", "installPlanApproval: Manual", "namespace: mine", "- mine"]
    {
        assert!(text.contains(line), "{line} is not in {text}");
    }
    assert!(!text.contains("kind: CatalogSource"), "{text}");
    let wanted = Trial {
        range: ">=1.0.0".into(),
        policy: protocol::views::Policy::SelfCertified,
        service_account: "me".into(),
        ..trial(Lens::V1)
    };
    let text = asked(&mut bench, wanted).unwrap().yaml;
    for line in ["version: '>=1.0.0'", "upgradeConstraintPolicy: SelfCertified", "name: me"] {
        assert!(text.contains(line), "{line} is not in {text}");
    }
}

#[test]
fn a_refusal_names_the_value() {
    let (mut bench, _) = Bench::sample();
    let (v0, v1) = (trial(Lens::V0), trial(Lens::V1));
    let there = Trial { image: None, catalog_name: "there".into(), ..v0.clone() };
    for (wanted, value) in [
        (Trial { image: Some("catalog".into()), ..v0.clone() }, TrialValue::CatalogImage),
        (Trial { catalog_name: "No!".into(), ..v0.clone() }, TrialValue::CatalogName),
        (there.clone(), TrialValue::CatalogNamespace),
        (Trial { catalog_namespace: "No!".into(), ..there }, TrialValue::CatalogNamespace),
        (Trial { namespace: "No!".into(), ..v0.clone() }, TrialValue::Namespace),
        (Trial { channels: vec!["nowhere".into()], ..v0.clone() }, TrialValue::Channel),
        (Trial { starting_csv: "lantern.v99".into(), ..v0.clone() }, TrialValue::StartingCsv),
        (Trial { target_namespaces: vec!["No!".into()], ..v0 }, TrialValue::TargetNamespaces),
        (Trial { channels: vec!["nowhere".into()], ..v1.clone() }, TrialValue::Channel),
        (Trial { range: "foobar".into(), ..v1.clone() }, TrialValue::Range),
        (Trial { range: ">=99.0.0".into(), ..v1.clone() }, TrialValue::Range),
        (Trial { service_account: "No!".into(), ..v1.clone() }, TrialValue::ServiceAccount),
    ] {
        let refusal = asked(&mut bench, wanted).unwrap_err();
        assert_eq!(refusal.value, Some(value), "{refusal:?}");
        assert!(!refusal.reason.is_empty() && !refusal.help.is_empty(), "{refusal:?}");
    }
    let gone = bench.host.answer(RequestBody::Trial(Trial { package: "gone".into(), ..v1 }));
    assert!(matches!(gone, ResponseBody::Failed { .. }), "{gone:?}");
}
