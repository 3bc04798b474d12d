//! The page's requests for the catalogs that a template is rendered into, and for the operations that render them.

use super::*;
use protocol::response::OperationRefusal;
use protocol::templates::{RenderRequest, RenderState, RenderTargets};

const TEMPLATE: &str = "top/operators/p/catalog-templates/basic.yaml";
const CI: &str = "fbc:\n  catalog_mapping:\n  - template_name: basic.yaml\n    catalog_names: [v4.19, v4.20]\n    type: olm.template.basic\n";
const TEXT: &str = "schema: olm.template.basic\nentries:\n- {schema: olm.package, name: p, defaultChannel: a}\n- schema: olm.channel\n  package: p\n  name: a\n  entries:\n  - name: p.v1.0.0\n- {schema: olm.bundle, image: 'q/p:v1.0.0'}\n";

fn catalog(entries: &str) -> String {
    format!(
        "---\ndefaultChannel: a\nname: p\nschema: olm.package\n---\nentries:\n{entries}name: a\npackage: p\nschema: olm.channel\n---\nimage: q/p:v1.0.0\nname: p.v1.0.0\npackage: p\nproperties:\n- type: olm.package\n  value:\n    packageName: p\n    version: 1.0.0\nschema: olm.bundle\n"
    )
}

fn opened() -> Bench {
    let mut bench = Bench::new();
    let files = [
        (
            "top/catalogs/v4.19/p/catalog.yaml",
            catalog("- name: p.v1.0.0\n- name: p.v0.9.0\n"),
        ),
        ("top/operators/p/ci.yaml", CI.to_owned()),
        (TEMPLATE, TEXT.to_owned()),
    ];
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(path, text)| (*path, text.as_bytes()))
        .collect();
    assert!(matches!(
        bench.open(OpenMode::Replace, &files),
        Ok(Opened::Anew(_))
    ));
    bench
}

fn targets(bench: &mut Bench) -> RenderTargets {
    match bench.host.answer(ListRenderTargets {
        template: TEMPLATE.into(),
    }) {
        Ok(targets) => targets,
        other => panic!("{other:?}"),
    }
}

fn rendered(bench: &mut Bench, what: RenderRequest) -> Result<Vec<EditOp>, Box<OperationRefusal>> {
    let template = TEMPLATE.into();
    let ops = bench.host.answer(Render { template, what });
    ops.map(|ops| ops.0).map_err(Box::new)
}

fn states(bench: &mut Bench) -> Vec<(String, RenderState)> {
    targets(bench)
        .targets
        .into_iter()
        .map(|target| (target.catalog, target.state))
        .collect()
}

fn apply(bench: &mut Bench, ops: Vec<EditOp>) -> Applied {
    match bench.host.answer(Apply {
        ops: Json(ops),
        title: "Render".into(),
        view: None,
    }) {
        Ok(applied) => applied,
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_catalog_is_told_with_what_rendering_changes() {
    let mut bench = opened();
    let found = targets(&mut bench);
    assert_eq!(
        (found.mapping.as_str(), found.next.as_str()),
        ("top/operators/p/ci.yaml", "v4.21")
    );
    let stale = RenderState::OutOfDate {
        added: Vec::new(),
        removed: Vec::new(),
        changed: vec!["channel a".into()],
    };
    assert_eq!(
        states(&mut bench),
        [
            ("v4.19".to_owned(), stale),
            ("v4.20".to_owned(), RenderState::Missing)
        ]
    );
    assert_eq!(found.targets[1].folder, "top/catalogs/v4.20/p");
    let other = ListRenderTargets {
        template: "top/catalogs/v4.19/none.yaml".into(),
    };
    assert!(bench.host.answer(other).is_err());
}

#[test]
fn what_is_rendered_is_previewed_applied_as_one_step_and_undone() {
    let mut bench = opened();
    let ops = rendered(
        &mut bench,
        RenderRequest::Into(vec!["v4.19".into(), "v4.20".into()]),
    )
    .expect("operations");
    let preview = PreviewEdit {
        ops: Json(ops.clone()),
        scope: PreviewScope::All,
        view: None,
    };
    let Ok(Previewed {
        diffs, elsewhere, ..
    }) = bench.host.answer(preview)
    else {
        panic!("no preview")
    };
    let files: Vec<_> = diffs
        .iter()
        .map(|diff| (diff.path.as_str(), diff.created))
        .collect();
    assert_eq!(
        files,
        [
            ("top/catalogs/v4.19/p/catalog.yaml", false),
            ("top/catalogs/v4.20/p/catalog.yaml", true)
        ]
    );
    assert!(elsewhere.is_empty(), "it is text of these catalogs alone");
    assert!(
        states(&mut bench)
            .iter()
            .all(|(_, state)| state.is_written()),
        "the preview was taken back"
    );

    let applied = apply(&mut bench, ops);
    assert_eq!(
        (applied.status.history.len(), applied.status.roots.len()),
        (1, 3),
        "another catalog is open"
    );
    assert!(
        states(&mut bench)
            .iter()
            .all(|(_, state)| *state == RenderState::UpToDate)
    );
    assert_eq!(
        rendered(&mut bench, RenderRequest::Into(vec!["v4.19".into()])),
        Ok(Vec::new())
    );
    assert!(bench.host.answer(Undo { view: None }).is_ok());
    assert!(
        states(&mut bench)
            .iter()
            .all(|(_, state)| state.is_written())
    );
}

#[test]
fn a_version_is_added_to_the_mapping_and_rendered() {
    let mut bench = opened();
    let ops = rendered(&mut bench, RenderRequest::AlsoInto("v4.21".into())).expect("operations");
    let applied = apply(&mut bench, ops);
    assert_eq!(
        applied.status.changed_files,
        [
            "top/catalogs/v4.21/p/catalog.yaml",
            "top/operators/p/ci.yaml"
        ]
    );
    assert_eq!(
        states(&mut bench).last(),
        Some(&("v4.21".to_owned(), RenderState::UpToDate))
    );
    let again =
        rendered(&mut bench, RenderRequest::AlsoInto("v4.21".into())).expect_err("it is there");
    assert!(
        again.reason.contains("is already rendered into `v4.21`"),
        "{again:?}"
    );
    let unknown = rendered(&mut bench, RenderRequest::Into(vec!["v4.30".into()]))
        .expect_err("it is not mapped");
    assert!(unknown.help.contains("ci.yaml"), "{unknown:?}");
}
