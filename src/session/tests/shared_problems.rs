//! The verdicts before and after an edit share unaffected problems wherever they are, and reused
//! problems equal freshly computed ones.

use super::super::{AdviceSource, Session, open};
use catalog::testing::MemorySource;
use protocol::diagnostic::Diagnostic;
use protocol::operation::EditOp;
use std::rc::Rc;
use std::sync::Arc;

/// Returns a package with a missing default channel.
fn wrong(name: &str) -> String {
    format!(
        "---\nschema: olm.package\nname: {name}\ndefaultChannel: none\n---\nschema: olm.channel\npackage: {name}\nname: c\n\
         entries:\n- name: {name}.v1\n---\nschema: olm.bundle\npackage: {name}\nname: {name}.v1\nimage: q.io/p:1\n\
         properties:\n- type: olm.package\n  value: {{packageName: {name}, version: 1.0.0}}\n"
    )
}

fn open_session(files: &[(&str, String)]) -> Session {
    let host = Rc::new(MemorySource::default());
    let files = files
        .iter()
        .zip(0..)
        .map(|((path, text), id)| host.add(id, path, text))
        .collect();
    let mut session = open(files, host);
    session.set_advice_source(AdviceSource::Nearest(None));
    session
}

fn problems(session: &Session) -> Vec<Arc<Diagnostic>> {
    session.roots()[0].verdict().diagnostics.clone()
}

/// Counts the problems that both lists share.
fn count_shared(before: &[Arc<Diagnostic>], after: &[Arc<Diagnostic>]) -> usize {
    after
        .iter()
        .filter(|problem| before.iter().any(|known| Arc::ptr_eq(known, problem)))
        .count()
}

fn op(json: &str) -> EditOp {
    serde_json::from_str(json).unwrap()
}

/// Returns the problems that a session opened with the current files finds.
fn afresh(session: &Session, paths: &[&str]) -> Vec<Arc<Diagnostic>> {
    let text = |path: &&str| String::from_utf8(session.files().bytes(path).unwrap()).unwrap();
    let files: Vec<(&str, String)> = paths.iter().map(|path| (*path, text(path))).collect();
    problems(&open_session(&files))
}

#[test]
fn an_edit_recomputes_only_the_problems_of_its_package() {
    let paths = ["catalog/a.yaml", "catalog/b.yaml", "catalog/c.yaml"];
    let mut session = open_session(&[
        (paths[0], wrong("a")),
        (paths[1], wrong("b")),
        (paths[2], wrong("c")),
    ]);
    let before = problems(&session);
    let of_others = before
        .iter()
        .filter(|problem| problem.package.as_deref() != Some("b"))
        .count();
    assert!(of_others >= 2 && of_others < before.len(), "{before:?}");
    let edit = op(
        r#"{"op":"set-skip-range","package":"b","channel":"c","name":"b.v1","skip-range":"<1.0.0"}"#,
    );
    session.apply("edit", std::slice::from_ref(&edit)).unwrap();
    let after = problems(&session);
    assert_eq!(count_shared(&before, &after), of_others);
    assert_eq!(after, afresh(&session, &paths));
    session.undo().unwrap();
    assert_eq!(problems(&session), before);
}

#[test]
fn moved_problems_have_their_new_position() {
    let path = "catalog/all.yaml";
    let mut session = open_session(&[(path, ["a", "b", "c"].map(wrong).concat())]);
    let before = problems(&session);
    let of_a = before
        .iter()
        .filter(|problem| problem.package.as_deref() == Some("a"))
        .count();
    let edit = op(
        r#"{"op":"set-skip-range","package":"b","channel":"c","name":"b.v1","skip-range":"<1.0.0"}"#,
    );
    let preview = session.preview(std::slice::from_ref(&edit)).unwrap();
    assert_eq!(
        (
            preview.consequences.problems_gained.len(),
            preview.consequences.problems_lost.len()
        ),
        (0, 0)
    );
    session.apply("edit", std::slice::from_ref(&edit)).unwrap();
    let after = problems(&session);
    assert!(
        count_shared(&before, &after) >= of_a && after != before,
        "problems after the edit move by one line"
    );
    assert_eq!(after, afresh(&session, &[path]));
}

#[test]
fn problems_caused_elsewhere_are_not_cached() {
    let paths = ["catalog/a.yaml", "catalog/b.yaml"];
    let lost = wrong("bb").replacen(
        "name: bb\ndefaultChannel: none",
        "name: cc\ndefaultChannel: c",
        1,
    );
    let mut session = open_session(&[(paths[0], wrong("a")), (paths[1], lost)]);
    for (at, before, text) in [
        ("3:7-3:9", "cc", "bc"),
        ("3:7-3:9", "bc", "bb"),
        ("3:7-3:9", "bb", "zz"),
    ] {
        let edit = format!(
            r#"{{"op":"replace-text","file":"b.yaml","at":"{at}","before":"{before}","text":"{text}"}}"#
        );
        session.apply("edit", &[op(&edit)]).unwrap();
        assert_eq!(problems(&session), afresh(&session, &paths), "{text}");
    }
}
