//! Parts of a catalog: their content and their files.

use super::*;
use protocol::subset::{EntrySelection, PackageScoped, SavedSubset, Selection};

#[test]
fn a_part_is_told_and_saved_without_changing_anything() {
    let (mut bench, before) = Bench::sample();
    let selection = Selection {
        packages: vec!["lantern".into()],
        entries: EntrySelection::Heads,
        ..Selection::default()
    };
    let asked = Subset {
        root: "sample".into(),
        selection: selection.clone(),
    };
    let Ok(view) = bench.host.answer(asked) else {
        panic!()
    };
    assert_eq!(
        (view.kept.packages, view.kept.channels),
        (1, view.kept.entries),
        "a head a channel"
    );
    assert!(
        view.kept.bundles < view.total.bundles && view.total.packages > 1,
        "{view:?}"
    );
    assert_eq!(
        view.files
            .iter()
            .map(|(path, _)| path.as_str())
            .collect::<Vec<_>>(),
        ["lantern/catalog.yaml"]
    );
    let wanted = SavedSubset {
        root: "sample".into(),
        selection,
        name: "part".into(),
        dockerfile: true,
    };
    let Ok(files) = bench.host.answer(wanted.clone()) else {
        panic!()
    };
    let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["part/lantern/catalog.yaml", "part.Dockerfile"]);
    assert_eq!(files[0].1.len() as u64, view.files[0].1);
    assert!(String::from_utf8_lossy(&files[1].1).contains("ADD part /configs\n"));
    let zip = bench.export(Export::Subset(wanted.clone()));
    let mut zip = zip::ZipArchive::new(Cursor::new(zip)).expect("a zip");
    let mut text = Vec::new();
    zip.by_name("part/lantern/catalog.yaml")
        .expect("the file")
        .read_to_end(&mut text)
        .expect("bytes");
    assert_eq!(text, files[0].1);
    assert_eq!(bench.host.revision(), before.revision);
    for name in ["", "a/b", ".."] {
        let asked = SavedSubset {
            name: name.into(),
            ..wanted.clone()
        };
        assert!(bench.host.answer(asked).is_err(), "{name}");
    }
}

#[test]
fn a_refusal_says_what_to_choose() {
    let (mut bench, _) = Bench::sample();
    let selection = Selection {
        packages: vec!["lantern".into()],
        channels: vec![PackageScoped::every("candidate")],
        ..Selection::default()
    };
    let asked = Subset {
        root: "sample".into(),
        selection,
    };
    let Err(refusal) = bench.host.answer(asked) else {
        panic!()
    };
    assert!(
        refusal.reason.contains("default channel") && refusal.help.contains("`candidate`"),
        "{refusal:?}"
    );
}

#[test]
fn the_dockerfile_of_a_catalog_names_its_folder() {
    let (mut bench, _) = Bench::sample();
    let text = bench.export(Export::Dockerfile {
        root: "sample".into(),
    });
    assert!(String::from_utf8_lossy(&text).contains("ADD sample /configs\n"));
}

#[test]
fn a_template_has_no_part_and_no_dockerfile() {
    let mut bench = Bench::new();
    let template = b"schema: olm.semver\nfast:\n  bundles:\n  - image: q/p:v1\n";
    bench
        .open(OpenMode::Replace, &[("t.yaml", template)])
        .unwrap();
    let rendered = protocol::templates::rendered_name("t.yaml");
    bench
        .host
        .answer(ShowRendered {
            template: "t.yaml".into(),
            shown: true,
        })
        .unwrap();
    for root in ["t.yaml", &rendered] {
        let asked = Subset {
            root: root.into(),
            selection: Selection::default(),
        };
        let Err(refusal) = bench.host.answer(asked) else {
            panic!("{root}")
        };
        assert!(refusal.help.contains("render the template"), "{refusal:?}");
        let export = Export::Dockerfile { root: root.into() };
        assert!(bench.host.answer(export).is_err(), "{root}");
    }
}
