//! The rendered form of a template on the page.

use super::*;
use protocol::templates::rendered_name;

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

fn shown(bench: &mut Bench, shown: bool) -> Status {
    match bench.host.answer(ShowRendered {
        template: "top/semver.yaml".into(),
        shown,
    }) {
        Ok(status) => status,
        other => panic!("{other:?}"),
    }
}

#[test]
fn it_is_a_catalog_whose_rows_stand_in_the_template() {
    let mut bench = opened();
    let status = shown(&mut bench, true);
    let name = rendered_name("top/semver.yaml");
    let row = status
        .roots
        .iter()
        .find(|row| row.root == name)
        .expect("a row");
    let rendered = row.rendered.as_ref().expect("rendered");
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
    assert_eq!(rendered.sources, [("top".to_owned(), 2)]);
    assert!(!row.is_catalog() && row.packages == 1);

    let view = bench.package(wanted_of(&name, "p"));
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
    };
    let Ok(source) = bench.host.answer(text) else {
        panic!("no source")
    };
    assert!(source.locked.starts_with("This text is rendered"));
    let status = shown(&mut bench, false);
    assert!(status.roots.iter().all(|row| row.rendered.is_none()));
}

#[test]
fn it_is_still_there_after_a_reload() {
    let mut bench = opened();
    shown(&mut bench, true);
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
    assert!(row.is_complete());
}
