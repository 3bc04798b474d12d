//! Target catalogs of templates: judged, rendered again, and added.

use super::super::{Session, open};
use super::*;
use catalog::index::index_bytes;
use catalog::testing::MemorySource;
use std::rc::Rc;

fn bundle(n: &str) -> String {
    format!(
        "---\nimage: q/p:v{n}\nname: p.v{n}\npackage: p\nproperties:\n- type: olm.package\n  value:\n    packageName: p\n    version: {n}\nrelatedImages:\n- image: q/p:v{n}\n  name: \"\"\nschema: olm.bundle\n"
    )
}

const HEAD: &str = "---\ndefaultChannel: a\nname: p\nschema: olm.package\n";

fn catalog(entries: &str) -> String {
    format!(
        "{HEAD}---\nentries:\n{entries}name: a\npackage: p\nschema: olm.channel\n{}{}",
        bundle("1.0.0"),
        bundle("1.1.0")
    )
}

const NOW: &str = "- name: p.v1.0.0\n- name: p.v1.1.0\n  replaces: p.v1.0.0\n";
const BEFORE: &str = "- name: p.v1.0.0\n- name: p.v1.1.0\n";

const TEMPLATE: &str = "schema: olm.template.basic\nentries:\n- {schema: olm.package, name: p, defaultChannel: a}\n- schema: olm.channel\n  package: p\n  name: a\n  entries:\n  - name: p.v1.0.0\n  - name: p.v1.1.0\n    replaces: p.v1.0.0\n- {schema: olm.bundle, image: 'q/p:v1.0.0'}\n- {schema: olm.bundle, image: 'q/p:v1.1.0'}\n";

const CI: &str = "---\n# who\nreviewers: [a]\nfbc:\n  enabled: true\n  catalog_mapping:\n  - template_name: basic.yaml   # all of them\n    catalog_names: [\"v4.19\", \"v4.20\", \"v4.21\"]\n    type: olm.template.basic\n";

const AT: &str = "top/operators/p/catalog-templates/basic.yaml";

fn open_session(ci: &str) -> Session {
    let host = Rc::new(MemorySource::default());
    let (fresh, stale) = (catalog(NOW), catalog(BEFORE));
    let files = [
        ("top/catalogs/v4.19/p/catalog.yaml", fresh.as_str()),
        ("top/catalogs/v4.20/p/catalog.yaml", stale.as_str()),
        ("top/operators/p/ci.yaml", ci),
        (AT, TEMPLATE),
    ];
    let files = (0..)
        .zip(files)
        .map(|(id, (path, text))| host.add(id, path, text))
        .collect();
    open(files, host)
}

fn states(session: &Session) -> Vec<(String, String)> {
    let targets = session.templates().render_targets(AT).expect("targets");
    let describe = |state: TargetState| match state {
        TargetState::Stale(found) => {
            format!(
                "stale {}",
                found
                    .changed
                    .iter()
                    .map(|key| key.name.clone())
                    .collect::<Vec<_>>()
                    .join(" ")
            )
        }
        other => format!("{other:?}"),
    };
    targets
        .into_iter()
        .map(|target| (target.catalog, describe(target.state)))
        .collect()
}

fn text(session: &Session, path: &str) -> String {
    String::from_utf8(session.files().bytes(path).expect("open")).expect("text")
}

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn each_catalog_of_the_mapping_has_a_state() {
    let session = open_session(CI);
    let expected = [
        ("v4.19", "Fresh"),
        ("v4.20", "stale a"),
        ("v4.21", "NoCatalog"),
    ];
    assert_eq!(
        states(&session),
        expected.map(|(name, state)| (name.to_owned(), state.to_owned()))
    );
}

#[test]
fn rendering_all_is_one_step_that_writes_the_differences() {
    let mut session = open_session(CI);
    assert_eq!(
        session.templates().render_ops(AT, &names(&["v4.19"])),
        Ok(Vec::new()),
        "a fresh target needs no operations"
    );
    let ops = session
        .templates()
        .render_ops(AT, &names(&["v4.19", "v4.20"]))
        .expect("operations");
    let applied = session.apply("Render", &ops).expect("applied");
    assert_eq!(applied.files, ["top/catalogs/v4.20/p/catalog.yaml"]);
    assert_eq!(
        text(&session, "top/catalogs/v4.20/p/catalog.yaml"),
        catalog(NOW)
    );
    assert_eq!(states(&session)[1].1, "Fresh");
    session.undo();
    assert_eq!(
        text(&session, "top/catalogs/v4.20/p/catalog.yaml"),
        catalog(BEFORE)
    );
    let refused = session
        .templates()
        .render_ops(AT, &names(&["v4.30"]))
        .expect_err("not mapped");
    assert!(refused.help.contains("ci.yaml"), "{refused:?}");
}

#[test]
fn another_version_is_added_to_the_mapping_with_its_catalog() {
    let mut session = open_session(CI);
    let ops = session
        .templates()
        .add_catalog_ops(AT, "v4.22")
        .expect("operations");
    let preview = session.preview(&ops).expect("previewed");
    let paths: Vec<_> = preview
        .files
        .iter()
        .map(|file| (file.path.as_str(), file.created))
        .collect();
    assert_eq!(
        paths,
        [
            ("top/operators/p/ci.yaml", false),
            ("top/catalogs/v4.22/p/catalog.yaml", true)
        ]
    );
    session.apply("Add", &ops).expect("applied");
    let ci = text(&session, "top/operators/p/ci.yaml");
    assert_eq!(ci, CI.replace("\"v4.21\"]", "\"v4.21\", \"v4.22\"]"));
    assert_eq!(
        text(&session, "top/catalogs/v4.22/p/catalog.yaml"),
        catalog(NOW)
    );
    assert_eq!(
        states(&session).last().map(|(_, state)| state.as_str()),
        Some("Fresh")
    );
    let roots = |session: &Session| {
        session
            .roots()
            .iter()
            .filter(|root| root.is_catalog())
            .map(|root| root.name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        roots(&session).last().map(String::as_str),
        Some("top/catalogs/v4.22"),
        "the new catalog is open"
    );
    assert_eq!(session.changes().review().expect("review").len(), 2);
    assert!(
        session
            .changes()
            .text_ops("top/operators/p/ci.yaml")
            .is_ok_and(|ops| ops.len() == 1),
        "the new catalog can be saved"
    );
    session.undo();
    assert_eq!(text(&session, "top/operators/p/ci.yaml"), CI);
    assert_eq!(states(&session).len(), 3);
    session.redo();
    assert_eq!(roots(&session).len(), 3);
    let again = session
        .templates()
        .add_catalog_ops(AT, "v4.22")
        .expect_err("already mapped");
    assert!(
        again.reason.contains("is already rendered into"),
        "{again:?}"
    );
}

#[test]
fn a_version_is_inserted_between_others() {
    let ci = CI.replace(
        "[\"v4.19\", \"v4.20\", \"v4.21\"]",
        "\n    - v4.19\n    - v4.21 # newest",
    );
    let session = open_session(&ci);
    let ops = session
        .templates()
        .add_catalog_ops(AT, "v4.20")
        .expect("operations");
    assert_eq!(ops.len(), 2, "the mapping and the stale catalog");
    let mut session = open_session(&ci);
    session.apply("Add", &ops).expect("applied");
    let expected = ci.replace("    - v4.21 # newest", "    - v4.20\n    - v4.21 # newest");
    assert_eq!(text(&session, "top/operators/p/ci.yaml"), expected);
}

#[test]
fn the_version_after_the_highest_one_is_proposed() {
    let mapping = open_session(CI)
        .templates()
        .template_mapping(AT)
        .expect("a mapping");
    assert_eq!(
        (mapping.path.as_str(), mapping.next.as_str()),
        ("top/operators/p/ci.yaml", "v4.22")
    );
    let next = |catalogs: &[&str]| next_version(&names(catalogs));
    assert_eq!(next(&["4.9", "4.10", "latest"]), "4.11");
    assert_eq!(next(&["latest"]), "");
    assert_eq!(
        open_session("reviewers: [a]\n")
            .templates()
            .template_mapping(AT),
        None
    );
}

#[test]
fn a_missing_catalog_can_lack_bundles() {
    let host = Rc::new(MemorySource::default());
    let template = TEMPLATE.replace("q/p:v1.1.0", "q/p:v9");
    let files = [
        ("top/catalogs/v4.19/p/catalog.yaml", catalog(NOW)),
        ("top/operators/p/ci.yaml", CI.to_owned()),
        (AT, template),
    ];
    let files = (0..)
        .zip(&files)
        .map(|(id, (path, text))| host.add(id, path, text))
        .collect();
    let unknown = |name: &str| (name.to_owned(), "UnknownBundles([\"q/p:v9\"])".to_owned());
    assert_eq!(
        states(&open(files, host)),
        [unknown("v4.19"), unknown("v4.20"), unknown("v4.21")]
    );
}

#[test]
fn without_a_mapping_images_determine_the_catalogs() {
    let session = open_session("reviewers: [a]\n");
    let expected = [("v4.19", "Fresh"), ("v4.20", "stale a")];
    assert_eq!(
        states(&session),
        expected.map(|(name, state)| (name.to_owned(), state.to_owned()))
    );
    let refused = session
        .templates()
        .add_catalog_ops(AT, "v4.22")
        .expect_err("nothing to add it to");
    assert!(refused.help.contains("catalog_mapping"), "{refused:?}");
}

#[test]
fn written_catalogs_equal_the_rendering() {
    let mut session = open_session(CI);
    let ops = session
        .templates()
        .render_ops(AT, &names(&["v4.21"]))
        .expect("operations");
    session.apply("Render", &ops).expect("applied");
    let text = text(&session, "top/catalogs/v4.21/p/catalog.yaml");
    assert_eq!(index_bytes(text.as_bytes()).blobs.len(), 4);
    assert_eq!(text, catalog(NOW), "like the other catalog of the template");
}
