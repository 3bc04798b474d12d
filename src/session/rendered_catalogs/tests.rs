//! Tests that rendered catalogs are created from open bundles, updated only if a change affects
//! them, and never saved.

use super::super::{Session, open};
use super::*;
use catalog::testing::MemorySource;
use protocol::operation::{Choice, EditOp};
use std::rc::Rc;

fn bundle(n: &str) -> String {
    format!(
        "---\nschema: olm.bundle\npackage: p\nname: p.v{n}\nimage: quay.io/x/p:v{n}\nproperties:\n- type: olm.package\n  value: {{packageName: p, version: {n}}}\n"
    )
}

fn catalog(bundles: &[&str]) -> String {
    let entries: String = bundles
        .iter()
        .map(|n| format!("- name: p.v{n}\n"))
        .collect();
    let blobs: String = bundles.iter().map(|n| bundle(n)).collect();
    format!(
        "---\nschema: olm.package\nname: p\ndefaultChannel: a\n---\nschema: olm.channel\npackage: p\nname: a\nentries:\n{entries}{blobs}"
    )
}

const BASIC: &str = "# the source\nschema: olm.template.basic\nentries:\n- schema: olm.package\n  name: p\n  defaultChannel: a\n- schema: olm.channel\n  package: p\n  name: a\n  entries:\n  - name: p.v1.0.0\n  - name: p.v1.1.0\n    replaces: p.v1.0.0\n- schema: olm.bundle\n  image: quay.io/x/p:v1.0.0\n- schema: olm.bundle\n  image: quay.io/x/p:v1.1.0\n";

const SEMVER: &str = "---\nschema: olm.semver\ngenerateMajorChannels: true\ncandidate:\n  bundles:\n  - image: quay.io/x/p:v1.0.0\n  - image: quay.io/x/p:v1.1.0\nstable:\n  bundles:\n  - image: quay.io/x/p:v1.0.0\n";

fn open_session(files: &[(&str, &str)]) -> Session {
    let host = Rc::new(MemorySource::default());
    let files = (0..)
        .zip(files)
        .map(|(id, (path, text))| host.add(id, path, text))
        .collect();
    open(files, host)
}

fn entries(session: &Session, root: &str) -> Vec<String> {
    let root = session.root(Some(root)).expect("rendered");
    let channels = root
        .catalog()
        .packages()
        .flat_map(|package| package.channels.iter());
    channels
        .flat_map(|channel| {
            channel.entries.iter().map(|e| {
                format!(
                    "{}: {} {}",
                    channel.name.value, e.name.value, e.replaces.value
                )
            })
        })
        .collect()
}

fn line(session: &Session, root: &str, channel: &str, name: &str) -> Option<u32> {
    let root = session.root(Some(root)).expect("rendered");
    root.rendering()
        .expect("rendered")
        .entry_line("p", channel, name)
        .map(|at| at.line)
}

#[test]
fn a_template_renders_to_a_catalog_beside_it() {
    let mut session = open_session(&[
        ("top/p/catalog.yaml", &catalog(&["1.0.0", "1.1.0"])),
        ("top/basic.yaml", BASIC),
    ]);
    assert_eq!(session.root(None).map(|root| root.is_catalog()), Ok(true));
    let name = session.show_rendered("basic.yaml").expect("rendered");
    assert_eq!(name, "top/basic.yaml (rendered)");
    let root = session.root(Some(&name)).expect("a root");
    assert!(
        root.verdict().passed && root.rendering().is_some_and(Rendering::is_complete),
        "{:?}",
        root.verdict()
    );
    assert_eq!(
        entries(&session, &name),
        ["a: p.v1.0.0 ", "a: p.v1.1.0 p.v1.0.0"]
    );
    assert_eq!(line(&session, &name, "a", "p.v1.1.0"), Some(12));
    assert_eq!(
        root.rendering()
            .and_then(|of| of.bundle_line("p.v1.1.0"))
            .map(|at| at.line),
        Some(17)
    );
    assert_eq!(
        session.root(None).map(|root| root.name.as_str()),
        Ok("top"),
        "the default root of operations"
    );
    assert!(session.files().changed_paths().is_empty() && session.files().file_count() == 2);
    let lines = session.files().lines(&name, 1, 3).expect("its text");
    assert_eq!(
        lines
            .lines
            .iter()
            .map(|line| line.text.as_str())
            .collect::<Vec<_>>(),
        ["---", "defaultChannel: a", "name: p"]
    );
    session.hide_rendered("top/basic.yaml");
    assert!(session.root(Some(&name)).is_err());
}

#[test]
fn a_template_edit_renders_only_that_template_again() {
    let mut session = open_session(&[
        ("top/p/catalog.yaml", &catalog(&["1.0.0", "1.1.0"])),
        ("top/basic.yaml", BASIC),
        ("top/semver.yaml", SEMVER),
    ]);
    let basic = session.show_rendered("top/basic.yaml").expect("rendered");
    let semver = session.show_rendered("top/semver.yaml").expect("rendered");
    assert_eq!(
        entries(&session, &semver),
        [
            "candidate-v1: p.v1.0.0 ",
            "candidate-v1: p.v1.1.0 p.v1.0.0",
            "stable-v1: p.v1.0.0 "
        ]
    );
    assert_eq!(line(&session, &semver, "stable-v1", "p.v1.0.0"), Some(10));
    let op = EditOp::SetReplaces {
        catalog: Some(basic.clone()),
        package: "p".to_owned(),
        channel: "a".to_owned(),
        name: "p.v1.1.0".to_owned(),
        replaces: None,
    };
    let before = session.counters();
    let preview = session
        .preview_alone(std::slice::from_ref(&op))
        .expect("applicable to the template");
    let changed: Vec<_> = preview
        .files
        .iter()
        .map(|file| (file.path.as_str(), file.is_rendered, file.removed))
        .collect();
    assert_eq!(
        changed,
        [("top/basic.yaml", false, 1), (basic.as_str(), true, 1)]
    );
    let verdict = preview
        .consequences
        .verdicts
        .iter()
        .find(|verdict| verdict.root == basic);
    assert_eq!(
        verdict.map(|verdict| (verdict.passed_before, verdict.passed_after)),
        Some((true, false))
    );
    assert_eq!(
        entries(&session, &basic)[1],
        "a: p.v1.1.0 p.v1.0.0",
        "nothing changed"
    );
    assert!(
        session
            .root(Some(&basic))
            .is_ok_and(|root| root.verdict().passed)
    );
    let judged = session.counters().packages_judged - before.packages_judged;
    // In the folder above, the template is a blob without a package.
    assert_eq!(
        judged, 3,
        "the template, its own blob, and the rendered catalog"
    );

    let applied = session.apply("edit", &[op]).expect("applied");
    assert_eq!(
        applied.files,
        ["top/basic.yaml"],
        "the rendered catalog is no file"
    );
    assert_eq!(
        session.counters().packages_judged - before.packages_judged,
        judged,
        "a previewed state is not judged again"
    );
    assert_eq!(entries(&session, &basic)[1], "a: p.v1.1.0 ");
    let problems = &session
        .root(Some(&basic))
        .expect("rendered")
        .verdict()
        .diagnostics;
    let positions: Vec<_> = problems
        .iter()
        .map(|d| (d.rule.as_str(), d.location.file.as_str(), d.location.line))
        .collect();
    assert_eq!(positions, [("channel-head-multiple", "basic.yaml", 11)]);
    let catalog_of = |op: &EditOp| op.catalog().map(str::to_owned);
    assert_eq!(
        session
            .changes()
            .operations()
            .into_iter()
            .map(catalog_of)
            .collect::<Vec<_>>(),
        [Some("top/basic.yaml".to_owned())]
    );
    session.undo();
    assert_eq!(entries(&session, &basic)[1], "a: p.v1.1.0 p.v1.0.0");
    assert!(
        session
            .root(Some(&basic))
            .is_ok_and(|root| root.verdict().passed)
    );
    session.redo();
    assert_eq!(entries(&session, &basic)[1], "a: p.v1.1.0 ");
}

#[test]
fn a_missing_bundle_is_listed_and_the_rest_is_shown() {
    let mut session = open_session(&[
        ("top/p/catalog.yaml", &catalog(&["1.0.0"])),
        ("top/basic.yaml", BASIC),
    ]);
    let name = session.show_rendered("basic.yaml").expect("rendered");
    let root = session.root(Some(&name)).expect("a root");
    let rendering = root.rendering().expect("rendered");
    let missing: Vec<_> = rendering
        .missing
        .iter()
        .map(|m| (m.reference.as_str(), m.location.as_ref().map(|at| at.line)))
        .collect();
    assert_eq!(missing, [("quay.io/x/p:v1.1.0", Some(17))]);
    assert!(
        root.verdict().opm_message.is_none() && root.verdict().passed,
        "no message is attributed to opm"
    );
    let package = root.catalog().package("p").expect("p");
    assert_eq!(
        package
            .bundle("p.v1.1.0")
            .map(|bundle| bundle.version().to_owned()),
        Some("1.1.0".to_owned())
    );

    // Editing the catalog adds the missing bundle, and the verdict is `opm`'s.
    let add = EditOp::AddBundle {
        catalog: Some("top".to_owned()),
        package: "p".to_owned(),
        bundle: "p.v1.1.0".to_owned(),
        version: "1.1.0".to_owned(),
        release: None,
        image: "quay.io/x/p:v1.1.0".to_owned(),
        to: None,
        how: None,
        replaces: Choice::Default,
        skip_range: Choice::Default,
        skips: Vec::new(),
        blob: None,
    };
    session.apply("add", &[add]).expect("added");
    let rendering = |session: &Session| {
        session
            .root(Some(&name))
            .expect("a root")
            .rendering()
            .cloned()
    };
    assert!(rendering(&session).is_some_and(|of| of.is_complete()));
    session.undo();
    assert_eq!(rendering(&session).map(|of| of.missing.len()), Some(1));
}

#[test]
fn a_bundle_folder_gives_its_bundle() {
    let csv = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: p.v1.1.0\nspec:\n  version: 1.1.0\n";
    let annotations = "annotations:\n  operators.operatorframework.io.bundle.package.v1: p\n  operators.operatorframework.io.bundle.channels.v1: a\n";
    let mut session = open_session(&[
        ("top/catalogs/v4.20/p/catalog.yaml", &catalog(&["1.0.0"])),
        ("top/operators/p/1.1.0/manifests/csv.yaml", csv),
        (
            "top/operators/p/1.1.0/metadata/annotations.yaml",
            annotations,
        ),
        ("top/operators/p/catalog-templates/basic.yaml", BASIC),
    ]);
    let name = session.show_rendered("basic.yaml").expect("rendered");
    let rendering = session
        .root(Some(&name))
        .expect("a root")
        .rendering()
        .cloned()
        .expect("rendered");
    assert!(rendering.is_complete(), "{rendering:?}");
    assert_eq!(
        rendering
            .found
            .get("quay.io/x/p:v1.1.0")
            .map(String::as_str),
        Some("top/operators/p/1.1.0")
    );
}

#[test]
fn rendering_errors_have_a_reason() {
    let text = BASIC.replace(
        "  image: quay.io/x/p:v1.1.0\n",
        "  image: quay.io/x/p:v1.1.0\n  package: p\n",
    );
    let mut session = open_session(&[
        ("top/p/catalog.yaml", &catalog(&["1.0.0", "1.1.0"])),
        ("top/basic.yaml", &text),
    ]);
    let name = session.show_rendered("basic.yaml").expect("rendered");
    let root = session.root(Some(&name)).expect("a root");
    assert_eq!(
        root.verdict().opm_message.as_deref(),
        Some("rendering template: unexpected fields present in basic template bundle")
    );
    assert!(!root.verdict().passed);
    let mut composite = open_session(&[("c.yaml", "schema: olm.composite\ncomponents: []\n")]);
    assert!(
        composite
            .show_rendered("c.yaml")
            .is_err_and(|refused| refused.reason.contains("no longer supports them"))
    );
}

#[test]
fn a_template_whose_bundles_are_not_open_is_not_refused() {
    let mut session = open_session(&[("semver.yaml", SEMVER)]);
    let name = session.show_rendered("semver.yaml").expect("rendered");
    let root = session.root(Some(&name)).expect("a root");
    let rendering = root.rendering().expect("rendered");
    assert_eq!((rendering.missing.len(), &rendering.refused), (2, &None));
    assert!(!rendering.is_complete());

    let text = "schema: olm.semver\ngenerateMajorChannels: true\n";
    let mut session = open_session(&[("semver.yaml", text)]);
    let name = session.show_rendered("semver.yaml").expect("rendered");
    let root = session.root(Some(&name)).expect("a root");
    assert!(root.rendering().is_some_and(|it| it.refused.is_some()));
}

#[test]
fn typed_text_changes_the_template_and_never_the_rendered_catalog() {
    let mut session = open_session(&[
        ("top/p/catalog.yaml", &catalog(&["1.0.0", "1.1.0"])),
        ("top/semver.yaml", SEMVER),
    ]);
    let name = session.show_rendered("semver.yaml").expect("rendered");
    let typed = |file: &str| EditOp::ReplaceText {
        catalog: Some(name.clone()),
        file: file.to_owned(),
        at: "10:1-10:1".to_owned(),
        before: String::new(),
        text: "  - image: quay.io/x/p:v1.1.0\n".to_owned(),
        around: None,
    };
    session
        .apply("type", &[typed("semver.yaml")])
        .expect("typed");
    assert_eq!(
        entries(&session, &name).last().map(String::as_str),
        Some("stable-v1: p.v1.1.0 p.v1.0.0")
    );
    let refused = session
        .apply("type", &[typed("semver.yaml (rendered)")])
        .expect_err("refused");
    assert_eq!(
        refused.help,
        "edit `top/semver.yaml`, which it is rendered from"
    );
}

#[test]
fn rendered_catalogs_survive_adding_files() {
    let host = Rc::new(MemorySource::default());
    let text = catalog(&["1.0.0"]);
    let files = vec![
        host.add(0, "top/p/catalog.yaml", &text),
        host.add(1, "top/basic.yaml", BASIC),
    ];
    let mut session = open(files, host.clone());
    let name = session.show_rendered("basic.yaml").expect("rendered");
    session
        .add_beside(vec![host.add(
            2,
            "more/p/catalog.yaml",
            catalog(&["1.1.0"]),
        )])
        .expect("added");
    let rendering = session
        .root(Some(&name))
        .expect("still there")
        .rendering()
        .expect("rendered");
    assert!(rendering.is_complete(), "the bundle came with them");
}
