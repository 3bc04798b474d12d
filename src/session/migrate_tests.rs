//! Converting embedded objects to metadata: the operation, the fix that offers it, and unaffected
//! bundles.

use super::{AdviceSource, Session, open};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bundle::{self, Migration};
use catalog::index::index_bytes;
use catalog::testing::MemorySource;
use protocol::diagnostic::{Diagnostic, Profile};
use protocol::operation::EditOp;
use std::rc::Rc;
use std::sync::Arc;
use template::freshness;

fn bundle(n: &str, image: &str, objects: &[&str]) -> String {
    let object = |text: &&str| {
        format!(
            "- type: olm.bundle.object\n  value:\n    data: {}\n",
            STANDARD.encode(text)
        )
    };
    format!(
        "---\nschema: olm.bundle\nname: p.v{n} # {n}\npackage: p\nimage: {image}\nproperties:\n- type: olm.package\n  value:\n    packageName: p\n    version: {n}\n{}",
        objects.iter().map(object).collect::<String>()
    )
}

const CSV: &str = r#"{"kind":"ClusterServiceVersion","metadata":{"name":"p.v1.0.0"},"spec":{"displayName":"P","version":"1.0.0"}}"#;
const CRD: &str = r#"{"kind":"CustomResourceDefinition","metadata":{"name":"x"}}"#;
const HEAD: &str = "# ours\nschema: olm.package\nname: p\ndefaultChannel: a\n---\nschema: olm.channel\npackage: p\nname: a\nentries:\n- name: p.v1.0.0\n- {name: p.v1.1.0, replaces: p.v1.0.0}\n";

fn catalog(second: &str) -> String {
    format!("{HEAD}{}{second}", bundle("1.0.0", "q/p:v1", &[CSV, CRD]))
}

fn open_session(path: &str, text: &str) -> Session {
    let host = Rc::new(MemorySource::default());
    let mut session = open(vec![host.add(0, path, text)], host);
    session.set_advice_source(AdviceSource::Nearest(Some(Profile::Community)));
    session
}

fn text(session: &Session, path: &str) -> String {
    String::from_utf8(session.files().bytes(path).expect("open")).expect("text")
}

fn problem(session: &Session) -> Option<Arc<Diagnostic>> {
    let problems = &session.roots()[0].verdict().diagnostics;
    problems
        .iter()
        .find(|problem| problem.rule == "bundle-metadata-form")
        .cloned()
}

const PATH: &str = "v4.18/p/catalog.yaml";

#[test]
fn objects_are_migrated_like_opm() {
    let before = catalog(&bundle("1.1.0", "q/p:v2", &[CRD, CSV]));
    for package in [None, Some("p".to_owned())] {
        let mut session = open_session(PATH, &before);
        let op = EditOp::Migrate {
            catalog: None,
            package,
        };
        let preview = session
            .preview(std::slice::from_ref(&op))
            .expect("previewed");
        assert_eq!(text(&session, PATH), before, "a preview changes nothing");
        let file = &preview.files[0];
        assert_eq!(file.bytes_before, before.len() as u64);
        session.apply("Migrate", &[op]).expect("applied");
        let after = text(&session, PATH);
        assert_eq!(file.bytes_after, after.len() as u64);
        assert!(
            after.starts_with(HEAD) && after.contains("name: p.v1.1.0 # 1.1.0\n"),
            "{after}"
        );
        let mut expected =
            freshness::read(before.as_bytes(), &index_bytes(before.as_bytes())).expect("readable");
        bundle::migrate(&mut expected, Migration::BundleObjectToCsvMetadata).expect("migrated");
        assert_eq!(
            freshness::read(after.as_bytes(), &index_bytes(after.as_bytes())),
            Some(expected)
        );
        assert!(session.undo().is_some());
        assert_eq!(text(&session, PATH), before);
    }
}

#[test]
fn unaffected_blobs_stay_unchanged() {
    for second in [
        bundle("1.1.0", "\"\"", &[CSV]),
        bundle("1.1.0", "q/p:v2", &[CRD]),
        bundle("1.1.0", "q/p:v2", &[CSV]) + "- type: olm.csv.metadata\n  value: {displayName: P}\n",
    ] {
        let mut session = open_session(PATH, &catalog(&second));
        let applied = session.apply(
            "Migrate",
            &[EditOp::Migrate {
                catalog: None,
                package: None,
            }],
        );
        assert!(applied.is_ok());
        assert!(text(&session, PATH).ends_with(&second));
    }
    let mut session = open_session(PATH, &catalog(""));
    let unknown = session.apply(
        "Migrate",
        &[EditOp::Migrate {
            catalog: None,
            package: Some("q".into()),
        }],
    );
    assert!(unknown.expect_err("no such package").reason.contains("`q`"));
}

#[test]
fn the_advice_offers_the_migration() {
    let mut session = open_session(PATH, &catalog(&bundle("1.1.0", "q/p:v2", &[CSV])));
    let found = problem(&session).expect("objects in 4.18");
    assert!(found.help.contains("`switchyard migrate"), "{}", found.help);
    let [fix] = &found.fixes[..] else {
        panic!("{:?}", found.fixes)
    };
    assert!(
        fix.safe && fix.note.is_empty() && fix.title.contains("2 bundles"),
        "{fix:?}"
    );
    session.apply(&fix.title, &fix.ops).expect("applied");
    assert_eq!(problem(&session), None);

    let some = open_session(PATH, &catalog(&bundle("1.1.0", "q/p:v2", &[CRD])));
    let fix = problem(&some).expect("objects in 4.18").fixes[0].clone();
    assert!(!fix.safe && fix.note.starts_with("1 "), "{fix:?}");
    let none = open_session(
        PATH,
        &format!("{HEAD}{}", bundle("1.0.0", "q/p:v1", &[CRD])),
    );
    assert!(
        problem(&none).expect("objects in 4.18").fixes.is_empty(),
        "nothing would change"
    );
    let early = open_session("v4.16/p/catalog.yaml", &catalog(""));
    assert_eq!(problem(&early), None);
}
