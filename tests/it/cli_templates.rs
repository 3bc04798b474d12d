//! `switchyard edit` on a template, and on its rendered catalog.

use std::fs;
use std::path::Path;
use test_support::Folder;

/// A copy of the fixture.
fn lighthouse() -> Folder {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/catalogs/lighthouse");
    let folder = Folder::new(&[]);
    let mut waiting = vec![from.clone()];
    while let Some(at) = waiting.pop() {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                let name = path
                    .strip_prefix(&from)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned();
                folder.write(&name, &fs::read_to_string(&path).unwrap());
            }
        }
    }
    // The repository ends here: folders above are not searched.
    fs::create_dir(folder.path().join(".git")).unwrap();
    folder
}

const TEMPLATE: &str = "operators/lamp-operator/catalog-templates/basic.yaml";

#[test]
fn a_template_is_edited_at_its_place() {
    let folder = lighthouse();
    let before = folder.read(TEMPLATE);
    let promote = [
        "promote",
        "--package",
        "lamp-operator",
        "--bundle",
        "lamp-operator.v1.2.0",
        "--to",
        "stable",
    ];
    let run = folder.run(&[&["edit", TEMPLATE], &promote[..]].concat());
    assert_eq!(
        (run.status, folder.read(TEMPLATE)),
        (0, before.clone()),
        "{run:?}"
    );
    assert!(
        run.stdout.contains(
            "+      - name: lamp-operator.v1.2.0\n+        replaces: lamp-operator.v1.1.0\n"
        ),
        "{run:?}"
    );
    assert!(!run.stderr.contains("warning"), "{run:?}");
    let run = folder.run(&[&["edit", TEMPLATE, "--write"], &promote[..]].concat());
    assert_eq!(run.status, 0, "{run:?}");
    let entry = "        replaces: lamp-operator.v1.0.0\n";
    let new = "      - name: lamp-operator.v1.2.0\n        replaces: lamp-operator.v1.1.0\n";
    assert_eq!(
        folder.read(TEMPLATE),
        before.replace(entry, &format!("{entry}{new}"))
    );
}

#[test]
fn edits_that_a_template_cannot_express_are_refused_with_a_hint() {
    let folder = lighthouse();
    let image = [
        "set-image",
        "--package",
        "lamp-operator",
        "--bundle",
        "lamp-operator.v1.2.0",
        "--image",
        "a/b:c",
    ];
    let run = folder.run(&[&["edit", TEMPLATE], &image[..]].concat());
    assert_eq!(run.status, 2, "{run:?}");
    assert!(
        run.stderr.contains("only after the template is rendered") && run.stderr.contains("help:"),
        "{run:?}"
    );
    let semver = "operators/lens-operator/catalog-templates/semver.yaml";
    let run = folder.run(&[
        "edit",
        semver,
        "set-default-channel",
        "--package",
        "lens-operator",
        "--channel",
        "x",
    ]);
    assert_eq!(run.status, 2, "{run:?}");
    assert!(
        run.stderr.contains("a semver template cannot express this"),
        "{run:?}"
    );
    let run = folder.run(&[
        "edit",
        "operators/lamp-operator/ci.yaml",
        "set-default-channel",
        "--package",
        "p",
        "--channel",
        "x",
    ]);
    assert_eq!(run.status, 2, "{run:?}");
    assert!(run.stderr.contains("is not a template"), "{run:?}");
}

#[test]
fn an_edit_of_a_rendered_package_warns_and_names_the_template() {
    let folder = lighthouse();
    let run = |dir: &str, package: &str| {
        let run = folder.run(&[
            "edit",
            dir,
            "set-description",
            "--package",
            package,
            "--text",
            "New",
        ]);
        assert_eq!(run.status, 0, "{run:?}");
        assert!(run.stdout.starts_with("diff --git"), "{run:?}");
        run.stderr
    };
    let stderr = run("catalogs/v4.19", "lamp-operator");
    let warning = format!(
        "warning: package `lamp-operator` is rendered from {TEMPLATE}: the next render will lose this edit"
    );
    assert!(stderr.contains(&warning), "{stderr}");
    let stderr = run("catalogs/v4.18/lamp-operator", "lamp-operator");
    assert!(
        stderr.contains(&warning),
        "a folder below the catalog's\n{stderr}"
    );
    let stderr = run("catalogs/v4.19", "lens-operator");
    assert!(
        stderr.contains("lens-operator/catalog-templates/semver.yaml: the next render"),
        "{stderr}"
    );
    assert!(
        stderr.contains("help: edit the template's images as text"),
        "{stderr}"
    );
    fs::remove_dir_all(folder.path().join("operators")).unwrap();
    assert!(!run("catalogs/v4.19", "lamp-operator").contains("warning"));
}

#[test]
fn a_template_in_a_catalog_changes_nothing_in_its_verdict() {
    let folder = lighthouse();
    folder.write("catalogs/v4.18/basic.yaml", &folder.read(TEMPLATE));
    let run = folder.run(&["validate", "catalogs/v4.18", "--format", "opm"]);
    assert_eq!((run.status, run.stdout.as_str()), (0, ""), "{run:?}");
    let run = folder.run(&["validate", TEMPLATE]);
    assert_eq!(run.status, 2, "opm takes folders only: {run:?}");
}
