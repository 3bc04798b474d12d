//! Operations on the substitutions of substitutes templates.

use super::super::{Session, open};
use catalog::testing::MemorySource;
use protocol::operation::{DanglingEdges, EditOp};
use std::rc::Rc;

const ENTRIES: &str = "schema: olm.template.substitutes\nentries:\n- schema: olm.package\n  name: p\n  defaultChannel: a # the only one\n- schema: olm.channel\n  package: p\n  name: a\n  entries:\n  - name: p.v1.0.0\n  - name: p.v1.1.0\n    replaces: p.v1.0.0\n";

fn bundle(n: &str) -> String {
    format!(
        "schema: olm.bundle\npackage: p\nname: p.v{n}\nimage: q/p:v{n}\nproperties:\n- type: olm.package\n  value: {{packageName: p, version: {n}}}\n"
    )
}

fn template() -> String {
    let item = |n: &str| format!("- {}\n", bundle(n).trim_end().replace('\n', "\n  "));
    format!("{ENTRIES}{}{}", item("1.0.0"), item("1.1.0"))
}

fn open_session(template: &str) -> Session {
    let host = Rc::new(MemorySource::default());
    let catalog = ["1.0.1", "1.1.1"]
        .map(|n| format!("---\n{}", bundle(n)))
        .concat();
    let files = vec![
        host.add(0, "top/p/catalog.yaml", &catalog),
        host.add(1, "top/t.yaml", template),
    ];
    open(files, host)
}

fn text(session: &Session) -> String {
    String::from_utf8(session.files().bytes("top/t.yaml").expect("open")).expect("text")
}

fn substitute(catalog: &str, bundle: &str, by: Option<&str>) -> EditOp {
    EditOp::Substitute {
        catalog: Some(catalog.to_owned()),
        package: "p".to_owned(),
        bundle: bundle.to_owned(),
        by: by.map(str::to_owned),
        image: None,
        skip_old: false,
    }
}

fn entries(session: &Session, rendered: &str) -> Vec<String> {
    let package = session
        .root(Some(rendered))
        .expect("rendered")
        .catalog()
        .package("p")
        .cloned()
        .expect("p");
    package.channels[0]
        .entries
        .iter()
        .map(|entry| entry.name.value.to_string())
        .collect()
}

#[test]
fn a_substitution_is_added_changed_and_removed() {
    let mut session = open_session(&template());
    let name = session.show_rendered("t.yaml").expect("rendered");
    session
        .apply("edit", &[substitute(&name, "p.v1.1.0", Some("q/p:v1.1.1"))])
        .expect("applied");
    let expected = "substitutions:\n- name: q/p:v1.1.1\n  base: p.v1.1.0\n";
    let added = text(&session);
    assert_eq!(
        added.replace(expected, ""),
        template(),
        "nothing else changes: {added}"
    );
    assert!(added.contains(expected), "{added}");
    assert_eq!(
        entries(&session, &name),
        ["p.v1.0.0", "p.v1.1.0", "p.v1.1.1"]
    );
    session
        .apply(
            "edit",
            &[substitute("top/t.yaml", "p.v1.0.0", Some("p.v1.0.1"))],
        )
        .expect("by its name");
    assert!(text(&session).contains("- name: q/p:v1.0.1\n  base: p.v1.0.0\n"));
    session
        .apply("edit", &[substitute(&name, "p.v1.0.0", None)])
        .expect("removed");
    assert_eq!(text(&session), added);
    let image = EditOp::SetImage {
        catalog: Some(name.clone()),
        package: "p".to_owned(),
        bundle: Some("p.v1.1.1".to_owned()),
        condition: None,
        image: "q/p:other".to_owned(),
    };
    session.apply("edit", &[image]).expect("set");
    assert_eq!(
        text(&session),
        added.replace("- name: q/p:v1.1.1", "- name: q/p:other")
    );
}

#[test]
fn edits_of_the_rendered_graph_become_substitutions() {
    let mut session = open_session(&template());
    let name = session.show_rendered("t.yaml").expect("rendered");
    let withdraw = EditOp::Withdraw {
        catalog: Some(name.clone()),
        package: "p".to_owned(),
        bundle: "p.v1.1.0".to_owned(),
        by: Some("p.v1.1.1".to_owned()),
        channel: Vec::new(),
    };
    session.apply("edit", &[withdraw]).expect("applied");
    assert!(text(&session).contains("- name: q/p:v1.1.1\n  base: p.v1.1.0\n"));
    let set = EditOp::SetReplaces {
        catalog: Some(name.clone()),
        package: "p".to_owned(),
        channel: "a".to_owned(),
        name: "p.v1.1.1".to_owned(),
        replaces: None,
    };
    let refused = session
        .apply("no", &[set])
        .expect_err("its edges are another's");
    assert!(
        refused.reason.contains("has the edges of `p.v1.1.0`"),
        "{refused:?}"
    );
    assert!(refused.convertible);
    let remove = EditOp::RemoveEntry {
        catalog: Some(name.clone()),
        package: "p".to_owned(),
        channel: "a".to_owned(),
        name: "p.v1.1.1".to_owned(),
        then: DanglingEdges::Relink,
    };
    session.apply("edit", &[remove]).expect("its only channel");
    assert!(!text(&session).contains("v1.1.1"));
}

#[test]
fn unrenderable_substitutions_are_refused() {
    let mut session = open_session(&template());
    let mut reason = |bundle: &str, by| {
        session
            .apply("no", &[substitute("top/t.yaml", bundle, by)])
            .expect_err("refused")
            .reason
    };
    assert_eq!(
        reason("p.v9", Some("q/p:v1.1.1")),
        "the template has no bundle `p.v9`"
    );
    assert_eq!(
        reason("p.v1.0.0", None),
        "no substitution takes the place of `p.v1.0.0`"
    );
    assert!(reason("p.v1.1.0", Some("q/p:v1.0.1")).contains("is not less than"));
    assert!(reason("p.v1.1.0", Some("a b")).contains("is not a valid image reference"));
}

#[test]
fn bundles_of_a_substitutes_template_are_edited_in_full() {
    let mut session = open_session(&template());
    let property = EditOp::AddProperty {
        catalog: Some("top/t.yaml".to_owned()),
        package: "p".to_owned(),
        bundle: Some("p.v1.0.0".to_owned()),
        condition: None,
        kind: "olm.maxOpenShiftVersion".to_owned(),
        value: "4.18".into(),
    };
    session.apply("edit", &[property]).expect("properties");
    assert!(
        text(&session).contains("  - type: olm.maxOpenShiftVersion\n    value: \"4.18\"\n"),
        "{}",
        text(&session)
    );
}
