//! Catalog templates on the command line: edited, rendered, and made from catalogs.

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
fn a_folder_of_templates_is_no_catalog() {
    let folder = lighthouse();
    let run = folder.run(&["validate", "operators/lamp-operator/catalog-templates"]);
    assert!(
        run.stderr.contains("has templates and no catalog"),
        "{run:?}"
    );
    let run = folder.run(&["validate", "catalogs/v4.19"]);
    assert!(!run.stderr.contains("no catalog"), "{run:?}");
}

#[test]
fn a_template_is_edited_in_place() {
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

const KNOWN: &str = r#"---
schema: olm.bundle
name: foo.v1.0.0
package: foo
image: q/foo:1.0.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.0.0}
---
schema: olm.bundle
name: foo.v1.1.0
package: foo
image: q/foo:1.1.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.1.0}
"#;

const SEMVER_TEMPLATE: &str = "schema: olm.semver\ngenerateMajorChannels: true\nstable:\n  bundles: [{image: q/foo:1.1.0}, {image: q/foo:1.0.0}]\n";

fn folder() -> Folder {
    Folder::new(&[
        ("known/catalog.yaml", KNOWN),
        ("template.yaml", SEMVER_TEMPLATE),
    ])
}

#[test]
fn a_template_is_rendered_with_known_bundles_and_converted_back() {
    let folder = folder();
    let run = folder.run(&[
        "template",
        "render",
        "--bundles",
        "known",
        "template.yaml",
        "-o",
        "yaml",
    ]);
    run.ok();
    folder.write("catalog/catalog.yaml", &run.stdout);
    folder.run(&["validate", "catalog"]).ok();
    let template = folder.run(&["template", "convert", "semver", "catalog"]);
    template.ok();
    folder.write("again.json", &template.stdout);
    let again = folder.run(&[
        "template",
        "render",
        "--type",
        "semver",
        "--bundles",
        "catalog",
        "again.json",
        "-o",
        "yaml",
    ]);
    again.ok();
    assert_eq!(again.stdout, run.stdout);
    let drawn = folder.run_with(
        &[
            "template",
            "render",
            "--bundles",
            "known",
            "-",
            "-o",
            "mermaid",
        ],
        SEMVER_TEMPLATE,
    );
    drawn.ok();
    assert!(
        drawn
            .stdout
            .contains("foo-stable-v1-foo.v1.0.0[\"foo.v1.0.0\"]-- replace --> "),
        "{}",
        drawn.stdout
    );
}

#[test]
fn a_template_is_converted_to_another_type() {
    let folder = folder();
    let run = folder.run(&[
        "template",
        "convert",
        "basic",
        "template.yaml",
        "--bundles",
        "known",
        "-o",
        "yaml",
    ]);
    run.ok();
    folder.write("basic.yaml", &run.stdout);
    assert!(
        run.stdout.starts_with("---\nentries:\n") && run.stdout.contains("name: stable-v1"),
        "{}",
        run.stdout
    );
    let render = |file: &str| {
        folder
            .run(&["template", "render", file, "--bundles", "known"])
            .stdout
    };
    assert_eq!(render("basic.yaml"), render("template.yaml"));
    let back = folder.run(&[
        "template",
        "convert",
        "semver",
        "basic.yaml",
        "--bundles",
        "known",
    ]);
    back.ok();
    let none = folder.run(&[
        "template",
        "convert",
        "basic",
        "template.yaml",
        "--bundles",
        "basic.yaml",
    ]);
    none.status(2);
    assert!(
        none.stderr.contains("missing: q/foo:1.1.0, q/foo:1.0.0"),
        "{}",
        none.stderr
    );
}

#[test]
fn unknown_bundles_are_listed() {
    let folder = folder();
    let run = folder.run(&["template", "render", "template.yaml"]);
    run.status(2);
    assert!(
        run.stderr
            .contains("rendering template: bundle image \"q/foo:1.1.0\" is not known"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("q/foo:1.1.0, q/foo:1.0.0"),
        "{}",
        run.stderr
    );
    let run = folder.run(&["template", "render", "--type", "composite", "template.yaml"]);
    run.status(2);
    let message = "invalid template type \"composite\", must be one of: [basic semver substitutes]";
    assert!(run.stderr.contains(message), "{}", run.stderr);
    // As in `opm`, the type may precede the file.
    let as_opm = folder.run(&["template", "render", "composite", "template.yaml"]);
    as_opm.status(2);
    assert_eq!(as_opm.stderr, run.stderr);
    folder
        .run(&[
            "template",
            "render",
            "semver",
            "template.yaml",
            "--bundles",
            "known",
        ])
        .ok();
}

#[test]
fn a_number_instead_of_text_is_reported_with_a_fix() {
    let folder = Folder::new(&[(
        "basic.yaml",
        "schema: olm.template.basic\nentries:\n- schema: olm.channel\n  package: p\n  name: 4.20\n  entries:\n  - name: p.v1.0.0\n",
    )]);
    let run = folder.run(&["validate", "basic.yaml"]);
    run.status(2);
    for part in [
        "basic.yaml cannot be rendered: `name` is a number, but must be a string",
        "basic.yaml:5:9",
        "put the value in quotes: write `'4.20'`",
    ] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
}

#[test]
fn queries_about_a_template_use_its_rendered_catalog() {
    let folder = folder();
    folder
        .run(&["validate", "template.yaml", "--bundles", "known"])
        .ok();
    let run = folder.run(&["list", "channels", "template.yaml", "--bundles", "known"]);
    run.ok();
    assert!(run.stdout.contains("stable-v1"), "{}", run.stdout);
    let run = folder.run(&[
        "next",
        "template.yaml",
        "--bundles",
        "known",
        "--installed",
        "foo.v1.0.0",
    ]);
    run.ok();
    assert!(run.stdout.contains("foo.v1.1.0"), "{}", run.stdout);
    let run = folder.run(&[
        "diff",
        "template.yaml",
        "template.yaml",
        "--bundles",
        "known",
    ]);
    run.ok();
    let run = folder.run(&[
        "path",
        "template.yaml",
        "--bundles",
        "known",
        "--installed",
        "foo.v1.0.0",
        "--quiet",
    ]);
    run.ok();
    assert_eq!(run.stdout, "foo.v1.0.0\nfoo.v1.1.0\n");
    folder.write(
        "v4.19/template.yaml",
        &SEMVER_TEMPLATE.replace("{image: q/foo:1.1.0}, ", ""),
    );
    let run = folder.run(&[
        "matrix",
        "v4.19/template.yaml",
        "v4.20=template.yaml",
        "--bundles",
        "known",
        "-o",
        "json",
    ]);
    run.ok();
    let answer = run.json();
    assert_eq!(
        (&answer["columns"][0]["ocp"], &answer["columns"][1]["ocp"]),
        (&"4.19".into(), &"4.20".into()),
        "{answer}"
    );
    assert_eq!(answer["rows"].as_array().map(Vec::len), Some(2), "{answer}");
    folder
        .run(&["crds", "template.yaml", "--bundles", "known"])
        .status(2);
    let run = folder.run(&["graph", "template.yaml"]);
    run.status(2);
    assert!(run.stderr.contains("q/foo:1.0.0"), "{}", run.stderr);
}

#[test]
fn a_graph_that_no_semver_template_generates_is_refused_with_the_differences() {
    let folder = folder();
    folder.write(
        "catalog/catalog.yaml",
        &format!(
            "---\nschema: olm.package\nname: foo\ndefaultChannel: beta\n---\nschema: olm.channel\npackage: foo\nname: beta\n\
             entries: [{{name: foo.v1.0.0}}, {{name: foo.v1.1.0, replaces: foo.v1.0.0}}]\n{KNOWN}"
        ),
    );
    let run = folder.run(&["template", "convert", "semver", "catalog"]);
    run.status(2);
    assert!(
        run.stderr
            .contains("channel beta: a semver template makes only channels named"),
        "{}",
        run.stderr
    );
    assert_eq!(run.stdout, "");
}

#[test]
fn icon_and_description_of_a_package_are_kept_from_a_migrated_catalog() {
    let catalog = "---\nschema: olm.package\nname: icon\ndefaultChannel: x\nicon: {base64data: aWNvbg==, mediatype: image/png}\n\
        ---\nschema: olm.channel\npackage: icon\nname: x\nentries:\n- name: icon.v1.0.0\n---\nschema: olm.bundle\npackage: icon\n\
        name: icon.v1.0.0\nimage: example.com/icon:v1.0.0\nproperties:\n- type: olm.package\n  value: {packageName: icon, \
        version: 1.0.0}\n- type: olm.csv.metadata\n  value: {description: Shows a picture.}\n";
    let template = "Schema: olm.semver\nStable:\n  Bundles:\n  - Image: example.com/icon:v1.0.0\n";
    let folder = Folder::new(&[
        ("migrated/catalog.yaml", catalog),
        ("semver.yaml", template),
    ]);
    let render = || {
        folder.run(&[
            "template",
            "render",
            "semver.yaml",
            "--bundles",
            "migrated",
            "-o",
            "yaml",
        ])
    };
    let run = render();
    run.ok();
    assert!(
        run.stdout.contains("description: Shows a picture.")
            && run.stdout.contains("base64data: aWNvbg=="),
        "{}",
        run.stdout
    );
    assert!(
        run.stderr.contains("the icon is from `olm.package`"),
        "{}",
        run.stderr
    );
    let bare = catalog.replace("icon: {base64data: aWNvbg==, mediatype: image/png}\n", "");
    folder.write("migrated/catalog.yaml", &bare);
    let run = render();
    run.ok();
    assert!(
        run.stderr.contains("package icon gets no icon") && run.stderr.contains("--bundles"),
        "{}",
        run.stderr
    );
}
