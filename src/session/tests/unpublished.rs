//! Tests that users of a bundle that was added after opening are not reported, except in a new
//! catalog.

use super::*;
use protocol::operation::TextFile;

fn edit(op: &str) -> EditOp {
    serde_json::from_str(op).expect("an operation")
}

/// Adds a bundle to channel `a` of `p`.
const ADD_BUNDLE: &str = r#"{"op":"add-bundle","package":"p","bundle":"p.v1.2.0","version":"1.2.0","image":"x/y:v1","to":"a"}"#;

#[test]
fn an_edit_of_a_new_catalog_is_compared_with_the_state_before_it() {
    let host = Rc::new(MemorySource::default());
    let mut session = open(vec![host.add(0, "cat/.indexignore", "")], host);
    let create = EditOp::CopyPackage {
        catalog: None,
        package: "p".to_owned(),
        from: "other".to_owned(),
        files: vec![TextFile {
            path: "p/catalog.yaml".to_owned(),
            text: package("p"),
        }],
        if_there: IfExists::Refuse,
    };
    session.apply("x", &[create]).unwrap();
    let preview = session.preview(&[edit(ADD_BUNDLE)]).unwrap();
    let summary = preview.consequences.summary();
    assert!(summary.contains("users on "), "{summary}");
}

#[test]
fn users_of_a_new_bundle_are_not_reported() {
    let (mut session, _) = one();
    session.apply("x", &[edit(ADD_BUNDLE)]).unwrap();
    let remove = |bundle: &str| {
        edit(&format!(
            r#"{{"op":"remove-bundle","package":"p","bundle":"{bundle}","then":"relink"}}"#
        ))
    };
    let messages_of = |session: &mut Session, op: EditOp| -> Vec<String> {
        let found = session.preview(&[op]).unwrap().consequences;
        found
            .group_broken(9)
            .into_iter()
            .map(|(.., of)| of.message)
            .collect()
    };
    let of_new = messages_of(&mut session, remove("p.v1.2.0"));
    assert!(
        of_new
            .iter()
            .all(|message| !message.contains("runs `p.v1.2.0`")),
        "{of_new:?}"
    );
    let of_old = messages_of(&mut session, remove("p.v1.1.0"));
    assert!(
        of_old.iter().any(|message| message.contains("`p.v1.1.0`")),
        "{of_old:?}"
    );
}
