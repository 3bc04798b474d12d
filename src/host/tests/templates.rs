//! Templates as roots: their rendered form, and the catalogs that they are rendered into.

use super::*;
use protocol::response::OperationRefusal;
use protocol::templates::{BundleSource, RenderRequest, RenderState, RenderTargets, rendered_name};

const SEMVER: &str = "schema: olm.semver\ngenerateMajorChannels: true\nfast:\n  bundles:\n  - image: q/p:v1.0.0\n  - image: q/p:v1.1.0\nstable:\n  bundles:\n  - image: q/p:v1.0.0\n  - image: q/p:v2.0.0\n";

fn catalog() -> String {
    let bundle = |n: &str| {
        format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{n}\nimage: q/p:v{n}\nproperties:\n- type: olm.package\n  value: {{packageName: p, version: {n}}}\n"
        )
    };
    let entries = "- name: p.v1.0.0\n- {name: p.v1.1.0, replaces: p.v1.0.0}\n";
    let head = "---\nschema: olm.package\nname: p\ndefaultChannel: a\n---\nschema: olm.channel\npackage: p\nname: a\nentries:\n";
    format!("{head}{entries}{}{}", bundle("1.0.0"), bundle("1.1.0"))
}

fn opened() -> Bench {
    let mut bench = Bench::new();
    let files = [
        ("top/p/catalog.yaml", catalog()),
        ("top/semver.yaml", SEMVER.to_owned()),
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

fn set_rendered(bench: &mut Bench, shown: bool) -> Status {
    match bench.host.answer(ShowRendered {
        template: "top/semver.yaml".into(),
        shown,
    }) {
        Ok(status) => status,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_rendered_catalog_has_rows_that_point_to_the_template() {
    let mut bench = opened();
    let status = set_rendered(&mut bench, true);
    let name = rendered_name("top/semver.yaml");
    let row = status
        .roots
        .iter()
        .find(|row| row.root == name)
        .expect("a row");
    let rendered = row.rendered.as_ref().expect("rendered");
    let mut rows = status.roots.iter().filter_map(|row| row.template.as_ref());
    let sentences = &rows.next().expect("the template").sentences;
    assert!(
        sentences
            .iter()
            .any(|sentence| sentence.starts_with("Probably rendered into ")),
        "no mapping names the catalog: {sentences:?}"
    );
    assert_eq!(
        (rendered.template.as_str(), rendered.kind.as_str()),
        ("top/semver.yaml", "semver template")
    );
    let missing: Vec<_> = rendered
        .missing
        .iter()
        .map(|missing| missing.reference.as_str())
        .collect();
    assert_eq!(
        (
            missing,
            rendered.missing[0].location.as_ref().map(|at| at.line)
        ),
        (vec!["q/p:v2.0.0"], Some(10))
    );
    assert_eq!(
        rendered.sources,
        [BundleSource {
            root: "top".into(),
            bundles: 2
        }]
    );
    assert!(!row.is_catalog() && row.packages == 1);

    let view = bench.package(package_request_in(&name, "p"));
    let refuses = |operation: &str| {
        let mut impossible = view.impossible.iter();
        impossible.any(|refused| refused.operation == operation && refused.is_convertible)
    };
    for computed in [
        "set-replaces",
        "add-skip",
        "rename-channel",
        "set-default-channel",
    ] {
        assert!(refuses(computed), "{computed}");
    }
    assert!(!refuses("promote") && !refuses("remove-entry"));
    assert_eq!(view.promotion_targets(), ["candidate", "fast", "stable"]);
    assert!(view.lists_bundle("fast", "p.v1.1.0") && !view.lists_bundle("stable", "p.v1.1.0"));
    assert_eq!(view.promotion_target("fast-v1"), "fast");
    let catalog = bench.package(package_request_in("top", "p"));
    assert_eq!(catalog.impossible, []);
    assert_eq!(catalog.promotion_targets(), ["a"]);
    let rows: Vec<_> = view
        .table
        .iter()
        .map(|row| {
            (
                &*row.channel,
                &*row.entry,
                &*row.location.file,
                row.location.line,
            )
        })
        .collect();
    let expected = [
        ("stable-v1", "p.v1.0.0", "semver.yaml", 9),
        ("fast-v1", "p.v1.1.0", "semver.yaml", 6),
        ("fast-v1", "p.v1.0.0", "semver.yaml", 5),
    ];
    assert_eq!(rows, expected);
    assert_eq!(view.table[1].edge_lines.replaces, 6);
    let target = Target::Entry {
        channel: "fast-v1".into(),
        name: "p.v1.1.0".into(),
    };
    let request = Inspect {
        root: name.clone(),
        package: "p".into(),
        target,
    };
    let Ok(inspection) = bench.host.answer(request) else {
        panic!("no inspection")
    };
    assert_eq!(
        inspection
            .location
            .as_ref()
            .map(|at| (at.file.as_str(), at.line)),
        Some(("semver.yaml", 6))
    );

    let text = ReadSource {
        root: name.clone(),
        file: "semver.yaml (rendered)".into(),
        at: SourceAt::Lines { first: 1, count: 2 },
        place: 1,
    };
    let Ok(source) = bench.host.answer(text) else {
        panic!("no source")
    };
    assert!(source.locked.starts_with("This text is rendered"));
    let status = set_rendered(&mut bench, false);
    assert!(status.roots.iter().all(|row| row.rendered.is_none()));
}

#[test]
fn a_rendered_catalog_survives_a_reload() {
    let mut bench = opened();
    set_rendered(&mut bench, true);
    let text = SEMVER.replace("q/p:v2.0.0", "q/p:v1.1.0");
    let files = [("top/p/catalog.yaml", catalog()), ("top/semver.yaml", text)];
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(path, text)| (*path, text.as_bytes()))
        .collect();
    let Replayed { status, .. } = replayed(bench.open(OpenMode::Reload, &files));
    let row = status
        .roots
        .iter()
        .find_map(|row| row.rendered.as_ref())
        .expect("rendered");
    assert!(row.missing.is_empty());
}

const TEMPLATE: &str = "top/operators/p/catalog-templates/basic.yaml";
const CI: &str = "fbc:\n  catalog_mapping:\n  - template_name: basic.yaml\n    catalog_names: [v4.19, v4.20]\n    type: olm.template.basic\n";
const TEXT: &str = "schema: olm.template.basic\nentries:\n- {schema: olm.package, name: p, defaultChannel: a}\n- schema: olm.channel\n  package: p\n  name: a\n  entries:\n  - name: p.v1.0.0\n- {schema: olm.bundle, image: 'q/p:v1.0.0'}\n";

fn opened_with_basic() -> Bench {
    let mut bench = Bench::new();
    let catalog = catalog();
    let files = [
        ("top/p/catalog.yaml", catalog.as_bytes()),
        ("top/basic.yaml", TEXT.as_bytes()),
    ];
    assert!(matches!(
        bench.open(OpenMode::Replace, &files),
        Ok(Opened::Anew(_))
    ));
    bench
}

#[test]
fn an_edit_of_a_template_leaves_the_catalog_around_it_unedited() {
    let mut bench = opened_with_basic();
    let op = EditOp::AddChannel {
        catalog: Some("top/basic.yaml".into()),
        package: "p".into(),
        channel: "fast".into(),
        from: None,
    };
    let applied = bench.apply(op).expect("applied");
    let packages: Vec<_> = applied
        .packages
        .iter()
        .map(|(root, row)| (root.as_str(), row.name.as_str()))
        .collect();
    assert_eq!(packages, [("top/basic.yaml", "p")]);
    let roots = applied.status.roots.iter();
    let edited: Vec<_> = roots
        .filter(|row| row.edited)
        .map(|row| row.root.as_str())
        .collect();
    assert_eq!(edited, ["top/basic.yaml"]);
}

#[test]
fn requirements_are_unknown_until_a_template_is_rendered() {
    let mut bench = opened_with_basic();
    let mut inspect = |root: &str, target: Target| {
        let request = Inspect {
            root: root.into(),
            package: "p".into(),
            target,
        };
        match bench.host.answer(request) {
            Ok(inspection) => inspection.groups,
            Err(refused) => panic!("{refused:?}"),
        }
    };
    let of_package = inspect("top/basic.yaml", Target::Package);
    let has = |title: &str| of_package.iter().any(|group| group.title == title);
    assert!(has("Contents") && !has("The head of a, 1.0.0, requires"));

    let (channel, name) = ("a".to_owned(), "p.v1.0.0".to_owned());
    let bundle = Target::Bundle { name: name.clone() };
    for target in [bundle.clone(), Target::Entry { channel, name }] {
        let groups = inspect("top/basic.yaml", target);
        for title in ["Requires", "Required by"] {
            let mut groups = groups.iter();
            let group = groups.find(|group| group.title == title).expect(title);
            assert_eq!(group.facts[0].value, "unknown", "{title}");
            assert!(group.facts[0].note.contains("rendered"), "{title}");
        }
    }
    let in_catalog = inspect("top", bundle);
    let is_none = |title: &str| {
        let group = in_catalog.iter().find(|group| group.title == title);
        group.is_some_and(|group| group.facts[0].value.is_empty())
    };
    assert!(is_none("Requires") && is_none("Required by"));
}

#[test]
fn other_packages_may_meet_the_requirements_of_a_template() {
    let mut bench = Bench::new();
    let required =
        "- type: olm.package.required\n  value: {packageName: other, versionRange: '>=1.0.0'}\n";
    let catalog = format!("{}{required}", catalog());
    let files = [
        ("top/p/catalog.yaml", catalog.as_bytes()),
        ("top/semver.yaml", SEMVER.as_bytes()),
    ];
    assert!(matches!(
        bench.open(OpenMode::Replace, &files),
        Ok(Opened::Anew(_))
    ));
    set_rendered(&mut bench, true);
    let request = Inspect {
        root: rendered_name("top/semver.yaml"),
        package: "p".into(),
        target: Target::Bundle {
            name: "p.v1.1.0".into(),
        },
    };
    let Ok(inspection) = bench.host.answer(request) else {
        panic!("no inspection")
    };
    let mut groups = inspection.groups.iter();
    let requires = groups.find(|group| group.title == "Requires");
    let notes: Vec<_> = requires
        .iter()
        .flat_map(|group| &group.facts)
        .map(|fact| fact.note.as_str())
        .collect();
    assert_eq!(
        notes,
        ["Not met by the template: see the catalogs that it is rendered into"]
    );
}

fn catalog_with(entries: &str) -> String {
    format!(
        "---\ndefaultChannel: a\nname: p\nschema: olm.package\n---\nentries:\n{entries}name: a\npackage: p\nschema: olm.channel\n---\nimage: q/p:v1.0.0\nname: p.v1.0.0\npackage: p\nproperties:\n- type: olm.package\n  value:\n    packageName: p\n    version: 1.0.0\nschema: olm.bundle\n"
    )
}

fn open_with_targets() -> Bench {
    let mut bench = Bench::new();
    let files = [
        (
            "top/catalogs/v4.19/p/catalog.yaml",
            catalog_with("- name: p.v1.0.0\n- name: p.v0.9.0\n"),
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
fn each_catalog_is_listed_with_the_changes_of_rendering() {
    let mut bench = open_with_targets();
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
fn a_difference_between_opm_versions_is_not_out_of_date() {
    let mut bench = Bench::new();
    let catalog = catalog()
        .replace("defaultChannel: a", "defaultChannel: stable-v1")
        .replace("name: a\n", "name: stable-v1\n")
        .replace(
            "replaces: p.v1.0.0}",
            "replaces: p.v1.0.0, skips: [p.v1.0.0]}",
        );
    let template = "schema: olm.semver\ngenerateMajorChannels: true\nstable:\n  bundles:\n  - image: q/p:v1.0.0\n  - image: q/p:v1.1.0\n";
    let files: [(&str, &[u8]); 2] = [
        ("top/p/catalog.yaml", catalog.as_bytes()),
        ("top/semver.yaml", template.as_bytes()),
    ];
    assert!(bench.open(OpenMode::Replace, &files).is_ok());
    let targets = bench.host.answer(ListRenderTargets {
        template: "top/semver.yaml".into(),
    });
    let states: Vec<RenderState> = targets
        .expect("targets")
        .targets
        .into_iter()
        .map(|target| target.state)
        .collect();
    assert_eq!(
        states,
        [RenderState::OtherOpm(vec!["channel stable-v1".into()])]
    );
}

#[test]
fn rendering_is_previewed_applied_as_one_step_and_undone() {
    let mut bench = open_with_targets();
    let ops = rendered(
        &mut bench,
        RenderRequest::Into(vec!["v4.19".into(), "v4.20".into()]),
    )
    .expect("operations");
    let preview = PreviewEdit {
        ops: Json(ops.clone()),
        scope: PreviewScope::All,
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
            .all(|(_, state)| state.needs_rendering()),
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
            .all(|(_, state)| state.needs_rendering())
    );
}

#[test]
fn a_render_is_not_lost_by_the_next_render() {
    let mut bench = open_with_targets();
    let origin = |bench: &mut Bench| {
        let files = bench.host.answer(ReviewChanges {}).expect("a review").files;
        files[0].rendered_from.clone()
    };
    let op = EditOp::AddChannel {
        catalog: Some("top".into()),
        package: "p".into(),
        channel: "b".into(),
        from: None,
    };
    assert!(bench.apply(op).is_ok());
    assert_eq!(origin(&mut bench), TEMPLATE);
    assert!(bench.host.answer(Undo { view: None }).is_ok());

    let ops = rendered(&mut bench, RenderRequest::Into(vec!["v4.19".into()])).expect("operations");
    let preview = PreviewEdit {
        ops: Json(ops.clone()),
        scope: PreviewScope::All,
    };
    let preview = bench.host.answer(preview).expect("a preview");
    assert_eq!(preview.diffs[0].rendered_from, "");
    apply(&mut bench, ops);
    assert_eq!(origin(&mut bench), "");
}

#[test]
fn a_version_is_added_to_the_mapping_and_rendered() {
    let mut bench = open_with_targets();
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
        rendered(&mut bench, RenderRequest::AlsoInto("v4.21".into())).expect_err("already mapped");
    assert!(
        again.reason.contains("is already rendered into `v4.21`"),
        "{again:?}"
    );
    let unknown =
        rendered(&mut bench, RenderRequest::Into(vec!["v4.30".into()])).expect_err("not mapped");
    assert!(unknown.help.contains("ci.yaml"), "{unknown:?}");
}
