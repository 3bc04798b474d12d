//! Common mistakes in copies of the documentation's dependency examples: the hint is right, and
//! `--fix` writes the intended text if it is unambiguous.

use test_support::Folder;

const CATALOG: &str = "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\n\
    entries:\n- name: p.v1.0.0\n---\nschema: olm.bundle\npackage: p\nname: p.v1.0.0\n\
    image: quay.io/p/p@sha256:1f0b2c8e6a3d4957b1c0e9f8a7d6c5b4a3928170615f4e3d2c1b0a9f8e7d6c5b\nproperties:\n\
    - type: olm.package\n  value:\n    packageName: p\n    version: 1.0.0\n";

/// The text after the catalog, and its fixed form; `None`: only a hint.
const MISTAKES: [(&str, &str, &str, Option<&str>); 13] = [
    (
        "`name` for `packageName`",
        "the field is `packageName`, not `name`",
        "- type: olm.package.required\n  value:\n    name: q # ours\n    versionRange: '>=1.0.0'\n",
        Some(
            "- type: olm.package.required\n  value:\n    packageName: q # ours\n    versionRange: '>=1.0.0'\n",
        ),
    ),
    (
        "the same in a constraint, with `version` beside it",
        "the field is `packageName`, not `name`, and `versionRange`, not `version`",
        "- type: olm.constraint\n  value: {failureMessage: m, any: {constraints: [{package: {name: q, version: '>=1.0.0'}}]}}\n",
        Some(
            "- type: olm.constraint\n  value: {failureMessage: m, any: {constraints: [{package: {packageName: q, \
             versionRange: '>=1.0.0'}}]}}\n",
        ),
    ),
    (
        "a wrapper around a list",
        "without a `property:` key",
        "- property:\n  - type: color\n    value: red\n  - property:\n  - type: shape\n    value:\n      a: |\n        two\n        lines\n- type: x\n  value: y\n",
        Some(
            "- type: color\n  value: red\n- type: shape\n  value:\n    a: |\n      two\n      lines\n- type: x\n  value: y\n",
        ),
    ),
    (
        "a wrapper around a property",
        "without a `property:` key",
        "- property:\n    type: color\n    value: red\n",
        Some("- type: color\n  value: red\n"),
    ),
    (
        "a wrapper in flow style",
        "without a `property:` key",
        "- {property: {type: color, value: red}}\n",
        Some("- {type: color, value: red}\n"),
    ),
    // The intended text is unknown.
    (
        "a wrapper around nothing",
        "without a `property:` key",
        "- property:\n  - color: red\n",
        None,
    ),
    (
        "`dependencies.yaml` among the properties",
        "to require `q` write `olm.package.required`",
        "- type: olm.package\n  value:\n    packageName: q\n    version: '>=1.0.0'\n",
        Some(
            "- type: olm.package.required\n  value:\n    packageName: q\n    versionRange: '>=1.0.0'\n",
        ),
    ),
    // A second version: it is unknown which is right.
    (
        "two versions",
        "Keep exactly one property",
        "- type: olm.package\n  value:\n    packageName: p\n    version: 1.0.1\n",
        None,
    ),
    // The requirement had no effect before, so it needs a review first.
    (
        "`dependencies` of a bundle",
        "Write each dependency as a property",
        "dependencies:\n- type: olm.package\n  value:\n    packageName: q\n    version: '>=1.0.0'\n",
        None,
    ),
    (
        "a range without quotes",
        "quote the range: `versionRange: '>0.27.0'`",
        "- type: olm.package.required\n  value:\n    packageName: q\n    versionRange: >0.27.0\n",
        Some(
            "- type: olm.package.required\n  value:\n    packageName: q\n    versionRange: '>0.27.0'\n",
        ),
    ),
    (
        "a range of another dialect without quotes",
        "quote the range: `versionRange: '>=1.0'`",
        "- type: olm.package.required\n  value:\n    packageName: q\n    versionRange: >=1.0\n",
        None,
    ),
    (
        "a constraint beside its `value`",
        "`all` belongs inside `value`",
        "- type: olm.constraint\n  value:\n  all:\n    constraints:\n    - package:\n        packageName: q\n        versionRange: '>=1.0.0'\n",
        Some(
            "- type: olm.constraint\n  value:\n    all:\n      constraints:\n      - package:\n          packageName: q\n          versionRange: '>=1.0.0'\n",
        ),
    ),
    (
        "a group without `constraints`",
        "`all` takes an object with a list",
        "- type: olm.constraint\n  value:\n    failureMessage: m\n    all:\n    - package: {packageName: q, versionRange: '>=1.0.0'}\n",
        None,
    ),
];

#[test]
fn hints_match_and_unambiguous_fixes_are_applied() {
    for (what, help, slip, corrected) in MISTAKES {
        let folder = Folder::new(&[("c/catalog.yaml", &format!("{CATALOG}{slip}"))]);
        let answer = folder.run(&["validate", "c", "-o", "json"]).json();
        let helps: Vec<&str> = answer["diagnostics"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|d| d["help"].as_str())
            .collect();
        assert!(
            helps.iter().any(|text| text.contains(help)),
            "{what}: {helps:?}"
        );
        let fixed = folder.run(&["validate", "c", "--fix", "--write"]);
        assert!(fixed.status < 2, "{what}: {}", fixed.stderr);
        let expected = format!("{CATALOG}{}", corrected.unwrap_or(slip));
        assert_eq!(folder.read("c/catalog.yaml"), expected, "{what}");
    }
}

/// The same mistake in many bundles is one problem, or one each; all are fixed at once.
#[test]
fn a_mistake_in_many_bundles_is_corrected_everywhere() {
    for (slip, corrected) in [
        (
            "- type: olm.package.required\n  value: {name: q, versionRange: '>=1.0.0'}\n",
            "packageName: q",
        ),
        (
            "- property:\n  - type: color\n    value: red\n",
            "- type: color",
        ),
    ] {
        let versions: Vec<String> = (0..30).map(|minor| format!("1.{minor}.0")).collect();
        let mut text = "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n".to_owned();
        for (at, version) in versions.iter().enumerate() {
            let replaces = at.checked_sub(1).map_or(String::new(), |at| {
                format!("\n  replaces: p.v{}", versions[at])
            });
            text += &format!("- name: p.v{version}{replaces}\n");
        }
        for version in &versions {
            text += &format!(
                "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: quay.io/p/p:{version}\nproperties:\n\
                 - type: olm.package\n  value: {{packageName: p, version: {version}}}\n{slip}"
            );
        }
        let folder = Folder::new(&[("c/catalog.yaml", &text)]);
        let run = folder.run(&["validate", "c", "--fix", "--write"]);
        run.status(0);
        assert!(!run.stderr.contains("not fixed"), "{}", run.stderr);
        assert_eq!(
            folder.read("c/catalog.yaml").matches(corrected).count(),
            30,
            "{slip}"
        );
    }
}

#[test]
fn files_of_a_bundle_are_recognized() {
    let folder = Folder::new(&[
        ("c/catalog.yaml", CATALOG),
        (
            "c/dependencies.yaml",
            "dependencies:\n- type: olm.package\n  value: {packageName: q, version: '>=1.0.0'}\n",
        ),
    ]);
    let run = folder.run(&["validate", "c"]);
    run.status(1);
    assert!(
        run.stdout
            .contains("this is the `dependencies.yaml` of a bundle"),
        "{}",
        run.stdout
    );
}

#[test]
fn dependencies_of_a_bundle_become_properties() {
    let dependencies = "dependencies:\n- type: olm.package\n  value:\n    packageName: q\n    version: '>=1.0.0'\n\
        - type: olm.gvk\n  value: {group: q.io, version: v1, kind: Q}\nrelatedImages: []\n";
    let folder = Folder::new(&[("c/catalog.yaml", &format!("{CATALOG}{dependencies}"))]);
    let answer = folder.run(&["validate", "c", "-o", "json"]).json();
    let problem = answer["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .find(|d| d["rule"] == "dependencies-misplaced")
        .unwrap();
    let fix = &problem["fixes"][0];
    assert_eq!(fix["safe"], false);
    let ops: String = fix["ops"]
        .as_array()
        .unwrap()
        .iter()
        .map(|op| format!("{op}\n"))
        .collect();
    folder
        .run_with(&["edit", "c", "--stdin", "--write"], &ops)
        .status(0);
    let text = folder.read("c/catalog.yaml");
    assert!(
        !text.contains("dependencies:") && text.ends_with("relatedImages: []\n"),
        "{text}"
    );
    let bundle = folder.run(&["validate", "c", "-o", "json"]).json();
    assert!(!bundle.to_string().contains("dependencies-misplaced"));
    assert!(
        text.contains("type: olm.package.required") && text.contains("type: olm.gvk.required"),
        "{text}"
    );
}
