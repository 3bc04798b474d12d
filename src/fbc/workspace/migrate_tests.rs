//! Converting embedded objects to metadata: the operation, the fix that offers it, and unaffected
//! bundles.

use super::{AdviceSource, Workspace, open};
use crate::bundle::{self, Migration};
use crate::index::index_bytes;
use crate::template::freshness;
use crate::testing::MemorySource;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use protocol::diagnostic::{Diagnostic, Profile};
use protocol::operation::EditOp;
use std::rc::Rc;
use std::sync::Arc;

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

fn open_workspace(path: &str, text: &str) -> Workspace {
    let host = Rc::new(MemorySource::default());
    let mut workspace = open(vec![host.add(0, path, text)], host);
    workspace.set_advice_source(AdviceSource::Nearest(Some(Profile::Community)));
    workspace
}

fn text(workspace: &Workspace, path: &str) -> String {
    String::from_utf8(workspace.files().bytes(path).expect("open")).expect("text")
}

fn problem(workspace: &Workspace) -> Option<Arc<Diagnostic>> {
    let problems = &workspace.roots()[0].verdict().diagnostics;
    problems
        .iter()
        .find(|problem| problem.rule == "bundle-metadata-form")
        .cloned()
}

const PATH: &str = "v4.18/p/catalog.yaml";

#[test]
fn objects_become_what_opm_makes_of_them() {
    let before = catalog(&bundle("1.1.0", "q/p:v2", &[CRD, CSV]));
    for package in [None, Some("p".to_owned())] {
        let mut workspace = open_workspace(PATH, &before);
        let op = EditOp::Migrate {
            catalog: None,
            package,
        };
        let preview = workspace
            .preview(std::slice::from_ref(&op))
            .expect("previewed");
        assert_eq!(text(&workspace, PATH), before, "a preview changes nothing");
        let file = &preview.files[0];
        assert_eq!(file.bytes_before, before.len() as u64);
        workspace.apply("Migrate", &[op]).expect("applied");
        let after = text(&workspace, PATH);
        assert_eq!(file.bytes_after, after.len() as u64);
        assert!(
            after.starts_with(HEAD) && after.contains("name: p.v1.1.0 # 1.1.0\n"),
            "{after}"
        );
        let mut wanted =
            freshness::read(before.as_bytes(), &index_bytes(before.as_bytes())).expect("readable");
        bundle::migrate(&mut wanted, Migration::BundleObjectToCsvMetadata).expect("migrated");
        assert_eq!(
            freshness::read(after.as_bytes(), &index_bytes(after.as_bytes())),
            Some(wanted)
        );
        assert!(workspace.undo().is_some());
        assert_eq!(text(&workspace, PATH), before);
    }
}

#[test]
fn unaffected_blobs_stay_unchanged() {
    for second in [
        bundle("1.1.0", "\"\"", &[CSV]),
        bundle("1.1.0", "q/p:v2", &[CRD]),
        bundle("1.1.0", "q/p:v2", &[CSV]) + "- type: olm.csv.metadata\n  value: {displayName: P}\n",
    ] {
        let mut workspace = open_workspace(PATH, &catalog(&second));
        let applied = workspace.apply(
            "Migrate",
            &[EditOp::Migrate {
                catalog: None,
                package: None,
            }],
        );
        assert!(applied.is_ok());
        assert!(text(&workspace, PATH).ends_with(&second));
    }
    let mut workspace = open_workspace(PATH, &catalog(""));
    let unknown = workspace.apply(
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
    let mut workspace = open_workspace(PATH, &catalog(&bundle("1.1.0", "q/p:v2", &[CSV])));
    let found = problem(&workspace).expect("objects in 4.18");
    assert!(found.help.contains("`switchyard migrate"), "{}", found.help);
    let [fix] = &found.fixes[..] else {
        panic!("{:?}", found.fixes)
    };
    assert!(
        fix.safe && fix.note.is_empty() && fix.title.contains("2 bundles"),
        "{fix:?}"
    );
    workspace.apply(&fix.title, &fix.ops).expect("applied");
    assert_eq!(problem(&workspace), None);

    let some = open_workspace(PATH, &catalog(&bundle("1.1.0", "q/p:v2", &[CRD])));
    let fix = problem(&some).expect("objects in 4.18").fixes[0].clone();
    assert!(!fix.safe && fix.note.starts_with("1 "), "{fix:?}");
    let none = open_workspace(
        PATH,
        &format!("{HEAD}{}", bundle("1.0.0", "q/p:v1", &[CRD])),
    );
    assert!(
        problem(&none).expect("objects in 4.18").fixes.is_empty(),
        "nothing would change"
    );
    let early = open_workspace("v4.16/p/catalog.yaml", &catalog(""));
    assert_eq!(problem(&early), None);
}
