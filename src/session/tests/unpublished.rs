//! Tests that users of a bundle that was added after opening are not reported.

use super::*;

fn edit(op: &str) -> EditOp {
    serde_json::from_str(op).expect("an operation")
}

#[test]
fn users_of_a_new_bundle_are_not_reported() {
    let (mut session, _) = one();
    let add = r#"{"op":"add-bundle","package":"p","bundle":"p.v1.2.0","version":"1.2.0","image":"x/y:v1","to":"a"}"#;
    session.apply("x", &[edit(add)]).unwrap();
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
