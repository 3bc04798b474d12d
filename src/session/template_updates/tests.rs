//! Tests opening, editing and undo of templates beside catalogs, which are never claimed to pass
//! `opm validate`.

use super::super::{Session, open, open_template};
use super::*;
use catalog::testing::MemorySource;
use protocol::operation::{Choice, DanglingEdges};
use std::rc::Rc;

const TEMPLATE: &str = "---\n# the source\nschema: olm.template.basic\nentries:\n  # what it is\n  - schema: olm.package\n    name: p\n    \
    defaultChannel: a   # for now\n  - schema: olm.channel\n    package: p\n    name: a\n    entries:\n      - name: p.v1.0.0\n      - name: \
    p.v1.1.0  # good\n        replaces: p.v1.0.0\n  - schema: olm.channel\n    package: p\n    name: b\n    entries:\n      - name: p.v1.1.0\n  \
    - schema: olm.bundle\n    image: quay.io/x/p:v1.0.0\n  - schema: olm.bundle\n    image: quay.io/x/p:v1.1.0\n";

fn catalog() -> String {
    let bundle = |n: &str| {
        format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{n}\nimage: quay.io/x/p:v{n}\nproperties:\n- type: olm.package\n  value: {{packageName: p, version: {n}}}\n"
        )
    };
    format!(
        "---\nschema: olm.package\nname: p\ndefaultChannel: a\n---\nschema: olm.channel\npackage: p\nname: a\nentries:\n- name: p.v1.0.0\n- name: p.v1.1.0\n  replaces: p.v1.0.0\n{}{}",
        bundle("1.0.0"),
        bundle("1.1.0")
    )
}

fn alone(text: &str) -> Session {
    let host = Rc::new(MemorySource::default());
    open_template(host.add(0, "basic.yaml", text), host.clone())
}

fn text(session: &Session, path: &str) -> String {
    String::from_utf8(session.files().bytes(path).expect("open")).expect("text")
}

fn apply(session: &mut Session, op: EditOp) -> String {
    session.apply("edit", &[op]).expect("applied");
    text(session, "basic.yaml")
}

fn p() -> String {
    "p".to_owned()
}

#[test]
fn an_edit_changes_its_line_inside_the_list() {
    let mut session = alone(TEMPLATE);
    let op = EditOp::SetDefaultChannel {
        catalog: None,
        package: p(),
        channel: "b".to_owned(),
    };
    assert_eq!(
        apply(&mut session, op),
        TEMPLATE.replace(
            "defaultChannel: a   # for now",
            "defaultChannel: b   # for now"
        )
    );
    session.undo();
    assert_eq!(text(&session, "basic.yaml"), TEMPLATE);
    let op = EditOp::Promote {
        catalog: None,
        package: p(),
        bundle: "p.v1.0.0".to_owned(),
        to: "b".to_owned(),
        how: None,
        replaces: Choice::Default,
        skip_range: Choice::Default,
    };
    let after = apply(&mut session, op);
    let (was, is) = (
        "name: b\n    entries:\n      - name: p.v1.1.0\n",
        "name: b\n    entries:\n      - name: p.v1.0.0\n      - name: p.v1.1.0\n        replaces: p.v1.0.0\n",
    );
    assert_eq!(
        after,
        TEMPLATE.replace(was, is),
        "the version is the one in the name"
    );
}

#[test]
fn blobs_are_added_and_removed_as_items() {
    let mut session = alone(TEMPLATE);
    let message = "use `b`".to_owned();
    let op = EditOp::Deprecate {
        catalog: None,
        package: p(),
        channel: Some("a".to_owned()),
        bundle: None,
        message,
    };
    let added = "  - schema: olm.deprecations\n    package: p\n    entries:\n      - reference:\n          schema: olm.channel\n          \
        name: a\n        message: use `b`\n";
    assert_eq!(apply(&mut session, op), format!("{TEMPLATE}{added}"));
    let op = EditOp::Undeprecate {
        catalog: None,
        package: p(),
        channel: Some("a".to_owned()),
        bundle: None,
    };
    assert_eq!(apply(&mut session, op), TEMPLATE);
    let op = EditOp::RemoveChannel {
        catalog: None,
        package: p(),
        channel: "b".to_owned(),
    };
    let gone = "  - schema: olm.channel\n    package: p\n    name: b\n    entries:\n      - name: p.v1.1.0\n";
    assert_eq!(apply(&mut session, op), TEMPLATE.replace(gone, ""));
    let op = EditOp::AddChannel {
        catalog: None,
        package: p(),
        channel: "b".to_owned(),
        from: Some("a".to_owned()),
    };
    let after = apply(&mut session, op);
    assert!(
        after.contains("    name: b\n    entries:\n      - name: p.v1.0.0\n"),
        "{after}"
    );
    assert!(
        after.find("name: b").unwrap() < after.find("olm.bundle").unwrap(),
        "behind the other channel\n{after}"
    );
}

#[test]
fn a_renamed_channel_is_renamed_everywhere_in_one_document() {
    let mut session = alone(TEMPLATE);
    let op = EditOp::RenameChannel {
        catalog: None,
        package: p(),
        channel: "a".to_owned(),
        to: "stable".to_owned(),
    };
    let after = apply(&mut session, op);
    let expected = TEMPLATE
        .replace("defaultChannel: a ", "defaultChannel: stable ")
        .replace("name: a\n", "name: stable\n");
    assert_eq!(after, expected);
    assert_eq!(
        session.counters().blobs_parsed,
        1,
        "the document is parsed once"
    );
}

#[test]
fn a_new_bundle_is_an_image_and_an_entry() {
    let mut session = alone(TEMPLATE);
    let add = |to: Option<&str>, bundle: &str, image: &str| EditOp::AddBundle {
        catalog: None,
        package: p(),
        bundle: bundle.to_owned(),
        version: "1.2.0".to_owned(),
        release: None,
        image: image.to_owned(),
        to: to.map(str::to_owned),
        how: None,
        replaces: Choice::Default,
        skip_range: Choice::Default,
        skips: Vec::new(),
        blob: None,
    };
    let new = "quay.io/x/p:v1.2.0";
    for (op, reason) in [
        (
            add(None, "p.v1.2.0", new),
            "a template names a bundle only in its channels",
        ),
        (
            add(Some("a"), "p.v1.1.0", new),
            "channel `a` already lists `p.v1.1.0`",
        ),
        (
            add(Some("a"), "p.v1.2.0", "quay.io/x/p:v1.1.0"),
            "the template already has `quay.io/x/p:v1.1.0`",
        ),
    ] {
        assert_eq!(
            session.apply("no", &[op]).map_err(|r| r.reason),
            Err(reason.to_owned())
        );
    }
    let after = apply(&mut session, add(Some("a"), "p.v1.2.0", new));
    let entry = "        replaces: p.v1.0.0\n      - name: p.v1.2.0\n        replaces: p.v1.1.0\n";
    let expected = TEMPLATE.replace("        replaces: p.v1.0.0\n", entry);
    assert_eq!(
        after,
        format!("{expected}  - schema: olm.bundle\n    image: {new}\n")
    );
}

#[test]
fn empty_and_missing_skips_are_both_filled() {
    let entries = "    entries:\n      - name: p.v1.0.0\n      - name: p.v1.0.1\n        replaces: p.v1.0.0\n        skips: []\n      - \
        name: p.v1.1.0\n        replaces: p.v1.0.1\n      - name: p.v1.1.1\n        replaces: p.v1.1.0\n";
    let text = TEMPLATE.replace(
        "    entries:\n      - name: p.v1.0.0\n      - name: p.v1.1.0  # good\n        replaces: p.v1.0.0\n",
        entries,
    );
    let mut session = alone(&text);
    let rule = protocol::operation::EdgeRule::ZStream;
    let op = EditOp::RebuildEdges {
        catalog: None,
        package: p(),
        channel: "a".to_owned(),
        rule,
    };
    let after = apply(&mut session, op);
    let entry_text = |name: &str| {
        after
            .split("- name: ")
            .find(|entry| entry.starts_with(name))
            .expect("an entry")
            .to_owned()
    };
    assert!(
        entry_text("p.v1.0.1").contains("skips: [p.v1.0.0]")
            || entry_text("p.v1.0.1").contains("- p.v1.0.0"),
        "{after}"
    );
    assert!(
        entry_text("p.v1.1.1").contains("replaces: p.v1.0.1")
            && entry_text("p.v1.1.1").contains("skips:"),
        "{after}"
    );
}

#[test]
fn changes_of_image_content_are_refused() {
    let mut session = alone(TEMPLATE);
    let bundle = || Some("p.v1.0.0".to_owned());
    let (image, condition) = ("quay.io/x/y:v1".to_owned(), None);
    for op in [
        EditOp::SetImage {
            catalog: None,
            package: p(),
            bundle: bundle(),
            condition,
            image,
        },
        EditOp::RemoveBundle {
            catalog: None,
            package: p(),
            bundle: "p.v1.0.0".to_owned(),
            then: DanglingEdges::Relink,
        },
    ] {
        let refused = session.apply("no", &[op]).expect_err("refused");
        assert!(
            refused
                .reason
                .contains("only after the template is rendered")
                && !refused.help.is_empty(),
            "{refused:?}"
        );
    }
    let mut semver = alone("Schema: olm.semver\nStable:\n  Bundles:\n  - Image: quay.io/x/p:v1\n");
    let refused = semver
        .apply(
            "no",
            &[EditOp::SetDefaultChannel {
                catalog: None,
                package: p(),
                channel: "b".to_owned(),
            }],
        )
        .expect_err("refused");
    assert!(
        refused
            .reason
            .starts_with("a semver template cannot express this"),
        "{refused:?}"
    );
}

#[test]
fn a_refusal_names_its_place_in_the_file() {
    let text = TEMPLATE
        .replace(
            "    entries:\n      - name: p.v1.0.0\n",
            "    entries:\n      - &x\n        name: p.v1.0.0\n",
        )
        .replace("      - name: p.v1.1.0\n  -", "      - *x\n  -");
    let mut session = alone(&text);
    let op = EditOp::SetReplaces {
        catalog: None,
        package: p(),
        channel: "a".to_owned(),
        name: "p.v1.0.0".to_owned(),
        replaces: Some("p.v0.9.0".to_owned()),
    };
    let refused = session.apply("no", &[op]).expect_err("refused");
    let at = refused.location.expect("a place");
    assert_eq!(
        (at.file.as_str(), at.line),
        ("basic.yaml", 21),
        "{}",
        refused.reason
    );
}

#[test]
fn problems_have_lines_and_no_opm_message() {
    let session = alone(&TEMPLATE.replace("        replaces: p.v1.0.0\n", ""));
    let root = session.root(None).expect("a template");
    let verdict = root.verdict();
    assert!(!verdict.passed && verdict.opm_message.is_none());
    let problems: Vec<_> = verdict
        .diagnostics
        .iter()
        .map(|d| (d.rule.as_str(), d.location.line, d.opm))
        .collect();
    assert_eq!(problems, [("channel-head-multiple", 13, false)]);
    assert!(
        alone(TEMPLATE)
            .root(None)
            .is_ok_and(|root| root.verdict().passed)
    );
}

#[test]
fn a_folder_of_templates_is_no_catalog() {
    let host = Rc::new(MemorySource::default());
    let files = vec![
        host.add(0, "op/ci.yaml", "fbc: {}\n"),
        host.add(1, "op/Makefile", "all:\n\ttrue\n"),
        host.add(2, "op/catalog-templates/basic.yaml", TEMPLATE),
    ];
    let mut session = open(files, host.clone());
    let roots = |session: &Session| {
        let roots = session.roots().iter();
        roots
            .map(|root| (root.name.clone(), root.verdict().passed))
            .collect::<Vec<_>>()
    };
    let template = ("op/catalog-templates/basic.yaml".to_owned(), true);
    assert_eq!(roots(&session), std::slice::from_ref(&template));
    let added = vec![host.add(3, "served/p/catalog.yaml", catalog())];
    session.add_beside(added).expect("added");
    assert_eq!(
        roots(&session),
        [("served".to_owned(), true), template.clone()]
    );

    let host = Rc::new(MemorySource::default());
    let files = vec![
        host.add(0, "op/ci.yaml", "fbc: {}\n"),
        host.add(1, "op/catalog-templates/basic.yaml", TEMPLATE),
        host.add(2, "op/catalog/catalog.yaml", catalog()),
    ];
    let session = open(files, host);
    assert_eq!(roots(&session), [("op/catalog".to_owned(), true), template]);
    assert_eq!(session.roots()[0].label(), "op");
    assert!(
        session.roots()[0]
            .problems()
            .all(|problem| problem.rule != "template-in-catalog"),
        "{:?}",
        session.roots()[0].verdict()
    );

    let host = Rc::new(MemorySource::default());
    let files = vec![
        host.add(0, "op/catalog.yaml", "schema: olm.package\n  name: p\n"),
        host.add(1, "op/catalog-templates/basic.yaml", TEMPLATE),
    ];
    let session = open(files, host);
    assert!(
        session.roots()[0].is_catalog(),
        "the broken file may be a catalog"
    );
}

#[test]
fn a_template_in_a_catalog_is_a_root_and_still_a_blob() {
    let host = Rc::new(MemorySource::default());
    let files = vec![
        host.add(0, "top/p/catalog.yaml", catalog()),
        host.add(1, "top/template.yaml", TEMPLATE),
    ];
    let mut session = open(files, host);
    let names: Vec<_> = session
        .roots()
        .iter()
        .map(|r| (r.name.as_str(), r.is_template()))
        .collect();
    assert_eq!(names, [("top", false), ("top/template.yaml", true)]);
    assert!(
        session.roots().iter().all(|root| root.verdict().passed),
        "{:?}",
        session.roots()[0].verdict()
    );
    assert_eq!(
        session.root(None).map(|root| root.name.as_str()),
        Ok("top"),
        "the default root of operations"
    );
    let op = |catalog: &str| EditOp::SetDefaultChannel {
        catalog: Some(catalog.to_owned()),
        package: p(),
        channel: "b".to_owned(),
    };
    let done = session
        .apply("in the template", &[op("template.yaml")])
        .expect("applied");
    assert_eq!(
        done.packages,
        [("top/template.yaml".to_owned(), "p".into())]
    );
    assert_eq!(done.consequences.verdicts, [], "the catalog is unchanged");
    assert_eq!(session.files().changed_paths(), ["top/template.yaml"]);
    let commands = session.changes().commands();
    assert_eq!(
        commands,
        ["switchyard edit template.yaml set-default-channel --package p --channel b --write"]
    );
    session.revert_file("top/template.yaml").expect("reverted");
    assert_eq!(text(&session, "top/template.yaml"), TEMPLATE);
}
