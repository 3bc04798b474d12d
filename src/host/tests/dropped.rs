//! Dropped bundles and manifests.

use super::*;
use protocol::bundles::{BundlePlacement, BundleTarget, DroppedBundles, NewPackageFields};
use protocol::manifests::{DroppedManifests, ManifestQuestion};
use protocol::request::PreviewScope;
use protocol::response::OtherCatalogOutcome;
use protocol::views::{Approval, EntryRef, PackageRef, Policy};

const PACKAGE: &str = "schema: olm.package\nname: yard\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: yard\nname: \
                       stable\nentries:\n- name: yard.v1.1.0\n---\nschema: olm.bundle\nname: yard.v1.1.0\npackage: \
                       yard\nimage: example.com/yard:v1.1.0\nproperties:\n- type: olm.package\n  value: {packageName: \
                       yard, version: 1.1.0}\n";

fn yard() -> Vec<DiskFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/bundles");
    let below = ["manifests", "metadata"].map(|part| root.join("yard").join(part));
    let files = below
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path());
    let file = |path: std::path::PathBuf| DiskFile {
        path: path
            .strip_prefix(&root)
            .unwrap()
            .to_str()
            .unwrap()
            .replace('\\', "/"),
        bytes: Ok(Some(std::fs::read(path).unwrap())),
    };
    files.map(file).collect()
}

fn read(bench: &mut Bench, placement: &BundlePlacement) -> DroppedBundles {
    let placement = placement.clone();
    let read = bench
        .host
        .handle_with_files(ReadBundles { placement }, yard());
    read.expect("an answer").expect("bundles")
}

fn placement(root: &str, channels: &[&str]) -> BundlePlacement {
    BundlePlacement {
        root: root.into(),
        image: "example.com/yard:v1.2.0".into(),
        channels: channels.iter().map(|name| (*name).to_owned()).collect(),
        ..BundlePlacement::default()
    }
}

#[test]
fn the_form_gets_the_data_of_the_bundle_and_the_catalog() {
    let mut bench = Bench::new();
    bench
        .open(
            OpenMode::Replace,
            &[("c/yard/catalog.yaml", PACKAGE.as_bytes())],
        )
        .unwrap();
    let found = read(
        &mut bench,
        &BundlePlacement {
            root: "c".into(),
            ..BundlePlacement::default()
        },
    );
    let row = &found.bundles[0];
    assert_eq!(
        (row.name.as_str(), row.version.as_str(), row.image.as_str()),
        ("yard.v1.2.0", "1.2.0", "")
    );
    assert_eq!((row.provides, row.requires, row.related_images), (1, 2, 2));
    assert_eq!(
        (row.channels.as_slice(), row.is_there),
        (&["stable".to_owned()][..], false)
    );
    assert_eq!(found.image_template, "example.com/yard:v{{.Version}}");
    assert_eq!(found.channels, ["stable"]);
    assert_eq!(
        found.entries,
        [EntryRef {
            channel: "stable".into(),
            name: "yard.v1.1.0".into()
        }]
    );
    assert_eq!(
        (found.new_packages.len(), found.ops.0.len()),
        (0, 0),
        "its image is asked for first"
    );
}

#[test]
fn a_missing_package_is_created_from_the_bundle() {
    let mut bench = Bench::new();
    bench
        .open(OpenMode::Replace, &[("c/catalog.json", b"")])
        .unwrap();
    let found = read(&mut bench, &placement("c", &["stable"]));
    let texts = NewPackageFields {
        default_channel: "stable".into(),
        description: "Signals & points".into(),
        ..NewPackageFields::default()
    };
    let [new_package] = &found.new_packages[..] else {
        panic!("{:?}", found.new_packages);
    };
    assert_eq!(
        (new_package.name.as_str(), &new_package.fields),
        ("yard", &texts)
    );
    let mine = NewPackageFields {
        description: "Mine".into(),
        ..texts
    };
    let ops = read(
        &mut bench,
        &BundlePlacement {
            texts: Some(mine),
            ..placement("c", &["stable"])
        },
    )
    .ops;
    let applied = bench.applied(Apply {
        ops,
        title: "Add".into(),
        view: None,
    });
    assert!(
        applied.status.roots[0].passed,
        "{}",
        applied.status.roots[0].opm_message
    );
    assert_eq!(applied.status.history.len(), 1, "one undo");
    let text = String::from_utf8(bench.export(Export::File {
        path: "c/catalog.json".into(),
    }))
    .unwrap();
    assert!(
        text.contains("\"description\": \"Mine\"") && text.contains("\"name\": \"yard.v1.2.0\""),
        "{text}"
    );
}

#[test]
fn each_catalog_gets_its_missing_parts() {
    let mut bench = Bench::new();
    let other = "schema: olm.package\nname: other\ndefaultChannel: c\n";
    let tree = [
        ("t/v4.16/yard/catalog.yaml", PACKAGE),
        ("t/v4.18/other/catalog.yaml", other),
    ];
    let tree: Vec<(&str, &[u8])> = tree
        .iter()
        .map(|(path, text)| (*path, text.as_bytes()))
        .collect();
    bench.open(OpenMode::Replace, &tree).unwrap();
    let request = placement("t/v4.16", &["stable", "fast"]);
    let ops = read(&mut bench, &request).ops;
    let preview = PreviewEdit {
        ops,
        scope: PreviewScope::Lacking,
    };
    let Ok(Previewed {
        lacking: Some(lacking),
        elsewhere,
        ..
    }) = bench.host.answer(preview)
    else {
        panic!("refused")
    };
    let names = |ops: &[EditOp]| ops.iter().map(EditOp::name).collect::<Vec<_>>();
    assert_eq!(
        names(&lacking.0),
        ["add-channel", "add-bundle", "promote", "promote"]
    );
    let [there] = &elsewhere[..] else {
        panic!("{elsewhere:?}")
    };
    let begun = [
        "add-package",
        "add-channel",
        "add-channel",
        "add-bundle",
        "promote",
        "promote",
    ];
    assert_eq!(names(&there.ops.0), begun);
    let OtherCatalogOutcome::Previewed { differs, .. } = &there.outcome else {
        panic!("{there:?}")
    };
    assert_eq!(differs, "package `yard` does not exist yet");
    let all = [lacking.0, there.ops.0.clone()].concat();
    bench.applied(Apply {
        ops: Json(all),
        title: "Add".into(),
        view: None,
    });
    let text = |bench: &mut Bench, path: &str| {
        String::from_utf8(bench.export(Export::File { path: path.into() })).unwrap()
    };
    let (old, new) = (
        text(&mut bench, "t/v4.16/yard/catalog.yaml"),
        text(&mut bench, "t/v4.18/yard/catalog.yaml"),
    );
    assert!(
        old.contains("olm.bundle.object") && !old.contains("olm.csv.metadata"),
        "{old}"
    );
    assert!(
        !new.contains("olm.bundle.object") && new.contains("olm.csv.metadata"),
        "OpenShift 4.18 reads that: {new}"
    );
    assert!(old.contains("replaces: yard.v1.1.0"), "{old}");
}

#[test]
fn the_bundle_is_read_even_if_no_catalog_is_open() {
    let mut bench = Bench::new();
    let found = read(&mut bench, &BundlePlacement::default());
    assert_eq!((found.bundles.len(), found.new_packages.len()), (1, 1));
}

#[test]
fn the_format_of_the_metadata_is_not_a_difference() {
    let mut bench = Bench::new();
    let other = b"schema: olm.package\nname: other\ndefaultChannel: c\n";
    bench
        .open(
            OpenMode::Replace,
            &[
                ("t/v4.16/other/catalog.yaml", other),
                ("t/v4.18/other/catalog.yaml", other),
            ],
        )
        .unwrap();
    let ops = read(&mut bench, &placement("t/v4.16", &["stable"])).ops;
    let preview = PreviewEdit {
        ops,
        scope: PreviewScope::Lacking,
    };
    let Ok(Previewed { elsewhere, .. }) = bench.host.answer(preview) else {
        panic!("refused")
    };
    let OtherCatalogOutcome::Previewed { differs, .. } = &elsewhere[0].outcome else {
        panic!("{elsewhere:?}")
    };
    assert_eq!(differs, "");
}

#[test]
fn a_removed_package_is_reported() {
    let mut bench = Bench::new();
    bench
        .open(
            OpenMode::Replace,
            &[("c/yard/catalog.yaml", PACKAGE.as_bytes())],
        )
        .unwrap();
    let remove = EditOp::RemovePackage {
        catalog: None,
        package: "yard".into(),
    };
    let applied = bench.applied(Apply {
        ops: Json(vec![remove]),
        title: "Remove".into(),
        view: None,
    });
    assert_eq!(
        (applied.packages.len(), applied.gone),
        (
            0,
            vec![PackageRef {
                root: "c".into(),
                package: "yard".into()
            }]
        )
    );
    let undone = bench.applied(Undo { view: None });
    assert_eq!((undone.packages.len(), undone.gone.len()), (1, 0));
}

const BASIC: &str = "schema: olm.template.basic\nentries:\n- schema: olm.package\n  name: yard\n  defaultChannel: stable\n- schema: olm.channel\n  package: yard\n  name: stable\n  entries:\n  - name: yard.v1.1.0\n- schema: olm.bundle\n  image: example.com/yard:v1.1.0\n";

/// Applies the operations offered by a template's form. Returns the form's answer and the
/// template's text.
fn added(template: &str, channels: &[&str]) -> (DroppedBundles, String) {
    let mut bench = Bench::new();
    bench
        .open(
            OpenMode::Replace,
            &[
                ("c/yard/catalog.yaml", PACKAGE.as_bytes()),
                ("t.yaml", template.as_bytes()),
            ],
        )
        .unwrap();
    let found = read(&mut bench, &placement("t.yaml", channels));
    let ask = PreviewEdit {
        ops: found.ops.clone(),
        scope: PreviewScope::Lacking,
    };
    let (lacking, elsewhere) = match bench.host.answer(ask) {
        Ok(Previewed {
            lacking, elsewhere, ..
        }) => (lacking, elsewhere),
        other => panic!("{other:?}"),
    };
    let ops = lacking.unwrap_or_else(|| found.ops.clone());
    assert_eq!(
        elsewhere,
        [],
        "a catalog gets it when the template is rendered"
    );
    let apply = Apply {
        ops,
        title: "Add".into(),
        view: None,
    };
    assert!(bench.host.answer(apply).is_ok());
    let text = bench.export(Export::File {
        path: "t.yaml".into(),
    });
    (found, String::from_utf8(text).expect("text"))
}

#[test]
fn a_basic_template_gets_the_image_and_the_entries() {
    let (found, text) = added(BASIC, &["stable", "fast"]);
    assert_eq!(found.target, BundleTarget::Template);
    assert_eq!(
        (found.channels.as_slice(), found.bundles[0].is_there),
        (&["stable".to_owned()][..], false)
    );
    let lines = |line: &str| text.lines().filter(|known| known.trim() == line).count();
    assert_eq!(lines("image: example.com/yard:v1.2.0"), 1, "{text}");
    assert_eq!(lines("- name: yard.v1.2.0"), 2, "in both channels: {text}");
    assert_eq!(
        (lines("name: fast"), lines("replaces: yard.v1.1.0")),
        (1, 1),
        "{text}"
    );
    assert!(
        !text.contains("properties"),
        "these come with the image: {text}"
    );
}

#[test]
fn a_semver_template_gets_the_image_in_its_lists() {
    let template = "schema: olm.semver\ngenerateMajorChannels: true\nfast:\n  bundles:\n  - image: example.com/yard:v1.1.0\n";
    let (found, text) = added(template, &["candidate", "fast"]);
    assert_eq!(
        (found.target, found.channels.as_slice()),
        (
            BundleTarget::SemverTemplate,
            &["candidate", "fast", "stable"].map(str::to_owned)[..]
        )
    );
    assert_eq!(
        text.matches("image: example.com/yard:v1.2.0").count(),
        2,
        "{text}"
    );
    assert!(
        text.contains("fast:\n  bundles:\n  - image: example.com/yard:v1.1.0\n  - image: example.com/yard:v1.2.0\n"),
        "{text}"
    );

    let mut bench = Bench::new();
    bench
        .open(OpenMode::Replace, &[("t.yaml", text.as_bytes())])
        .unwrap();
    assert!(read(&mut bench, &placement("t.yaml", &["fast"])).bundles[0].is_there);
}

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

/// Returns the default channel of the sample's package, and one of its bundles.
fn known(bench: &mut Bench) -> (String, String) {
    let Ok(view) = bench.host.answer(package_request("lantern")) else {
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
    let question = UpgradeQuestion {
        lens: Lens::V0,
        origin: Origin::Installed(bundle),
        // "" means the default channel.
        channel: String::new(),
        approval: Approval::Manual,
        ..UpgradeQuestion::default()
    };
    assert_eq!(
        (&classic.question, &classic.remarks[..]),
        (&question, &[][..])
    );
    let question = UpgradeQuestion {
        lens: Lens::V1,
        channels: vec![channel],
        range: ">=0.1.0".into(),
        policy: Policy::SelfCertified,
        ..UpgradeQuestion::default()
    };
    assert_eq!(v1.question, question);
}

#[test]
fn missing_packages_are_reported_with_their_line() {
    let (mut bench, _) = Bench::sample();
    let text = LIST
        .replace("CHANNEL", "no-such")
        .replace("INSTALLED", "gone.v0.0.1")
        .replace("PACKAGE", "lamtern");
    let found = dropped(&mut bench.host, &text, "sample");
    let remark_lines = |manifest: &ManifestQuestion| {
        manifest
            .remarks
            .iter()
            .map(|remark| (remark.line, remark.reason.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        remark_lines(&found.questions[0]),
        [(9, "package `lantern` has no channel `no-such`".to_owned())]
    );
    assert_eq!(found.questions[0].question.channel, "no-such");
    assert_eq!(
        remark_lines(&found.questions[1]),
        [(20, "package `lamtern` not found".to_owned())]
    );
    assert_eq!(
        found.questions[1].remarks[0].help,
        "did you mean `lantern`?"
    );
    assert_eq!(found.questions[1].roots, Vec::<String>::new());
    let mut empty_bench = Bench::new();
    assert_eq!(
        dropped(&mut empty_bench.host, &text, "").questions[0].roots,
        Vec::<String>::new()
    );
}

#[test]
fn a_csv_without_a_subscription_is_installed_and_reported() {
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
