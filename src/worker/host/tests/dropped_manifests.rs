//! Dropped Subscriptions and ClusterExtensions: their question is complete, and parts that the catalog lacks are reported.

use super::*;
use protocol::manifests::{DroppedManifests, ManifestQuestion};
use protocol::views::{Approval, Policy};

const LIST: &str = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: operators.coreos.com/v1alpha1\n  kind: Subscription\n  \
                    metadata: {name: lantern}\n  spec:\n    name: lantern\n    channel: CHANNEL\n    installPlanApproval: \
                    Manual\n  status:\n    installedCSV: INSTALLED\n- apiVersion: olm.operatorframework.io/v1\n  kind: \
                    ClusterExtension\n  metadata: {name: other}\n  spec:\n    source:\n      sourceType: Catalog\n      \
                    catalog:\n        packageName: PACKAGE\n        channels: [CHANNEL]\n        version: '>=0.1.0'\n        \
                    upgradeConstraintPolicy: SelfCertified\n";

fn dropped(host: &mut Host, text: &str, root: &str) -> DroppedManifests {
    let file = DiskFile {
        path: "all.yaml".into(),
        bytes: Ok(Some(text.as_bytes().to_vec())),
    };
    let root = root.to_owned();
    let found = host.handle_with_files(ReadManifests { root }, vec![file]);
    found.expect("an answer").expect("manifests")
}

/// The sample's package: the default channel, and a bundle of it.
fn known(bench: &mut Bench) -> (String, String) {
    let Ok(view) = bench.host.answer(wanted("lantern")) else {
        panic!()
    };
    let bundle = view.bundles.last().expect("a bundle").0.clone();
    (view.default_channel, bundle)
}

#[test]
fn the_question_is_filled_in() {
    let (mut bench, _) = Bench::sample();
    let (channel, bundle) = known(&mut bench);
    let text = LIST
        .replace("CHANNEL", &channel)
        .replace("INSTALLED", &bundle)
        .replace("PACKAGE", "lantern");
    let found = dropped(&mut bench.host, &text, "sample");
    let [classic, v1] = &found.questions[..] else {
        panic!("{found:?}")
    };
    assert_eq!(
        (classic.kind.as_str(), classic.line, classic.roots.len()),
        ("Subscription", 4, 1)
    );
    let asked = UpgradeQuestion {
        lens: Lens::V0,
        origin: Origin::Installed(bundle),
        // The default one.
        channel: String::new(),
        approval: Approval::Manual,
        ..UpgradeQuestion::default()
    };
    assert_eq!((&classic.question, &classic.remarks[..]), (&asked, &[][..]));
    let asked = UpgradeQuestion {
        lens: Lens::V1,
        channels: vec![channel],
        range: ">=0.1.0".into(),
        policy: Policy::SelfCertified,
        ..UpgradeQuestion::default()
    };
    assert_eq!(v1.question, asked);
}

#[test]
fn what_no_catalog_has_is_told_with_its_line() {
    let (mut bench, _) = Bench::sample();
    let text = LIST
        .replace("CHANNEL", "no-such")
        .replace("INSTALLED", "gone.v0.0.1")
        .replace("PACKAGE", "lamtern");
    let found = dropped(&mut bench.host, &text, "sample");
    let told = |manifest: &ManifestQuestion| {
        manifest
            .remarks
            .iter()
            .map(|remark| (remark.line, remark.reason.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        told(&found.questions[0]),
        [(9, "package `lantern` has no channel `no-such`".to_owned())]
    );
    assert_eq!(found.questions[0].question.channel, "no-such");
    assert_eq!(
        told(&found.questions[1]),
        [(20, "package `lamtern` not found".to_owned())]
    );
    assert_eq!(
        found.questions[1].remarks[0].help,
        "did you mean `lantern`?"
    );
    assert_eq!(found.questions[1].roots, Vec::<String>::new());
    let mut nothing = Bench::new();
    assert_eq!(
        dropped(&mut nothing.host, &text, "").questions[0].roots,
        Vec::<String>::new()
    );
}

#[test]
fn a_csv_that_no_subscription_owns_is_installed_and_told() {
    let (mut bench, _) = Bench::sample();
    let (_, bundle) = known(&mut bench);
    let text = format!(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {{name: s, namespace: team}}\nspec: {{name: \
         lantern}}\n---\napiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {{name: {bundle}, \
         namespace: team}}\nspec: {{}}\n"
    );
    let found = dropped(&mut bench.host, &text, "sample");
    let [question] = &found.questions[..] else {
        panic!("{found:?}")
    };
    assert_eq!(question.question.origin, Origin::Installed(bundle));
    assert!(
        question.remarks[0]
            .reason
            .contains("no Subscription owns it"),
        "{:?}",
        question.remarks
    );
}
