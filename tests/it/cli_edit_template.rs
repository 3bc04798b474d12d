//! `edit` on a template with `--bundles`: the template's patch, and the diff of its rendered
//! catalog.

use test_support::Folder;

fn known() -> String {
    ["1.0.0", "1.1.0", "1.2.0"]
        .iter()
        .map(|version| {
            format!(
                "---\nschema: olm.bundle\nname: foo.v{version}\npackage: foo\nimage: q/foo:{version}\nproperties:\n\
                 - type: olm.package\n  value: {{packageName: foo, version: {version}}}\n"
            )
        })
        .collect()
}

const SEMVER: &str = "schema: olm.semver\ngenerateMajorChannels: true\nstable:\n  bundles:\n  - image: q/foo:1.0.0 # first\n  - image: q/foo:1.1.0\n";

const BASIC: &str = "schema: olm.template.basic\nentries:\n- schema: olm.package\n  name: foo\n  defaultChannel: stable\n- schema: olm.channel\n  package: foo\n  name: stable\n  entries:\n  - name: foo.v1.0.0\n  - name: foo.v1.1.0 # newest\n    replaces: foo.v1.0.0\n- schema: olm.bundle\n  image: q/foo:1.0.0\n- schema: olm.bundle\n  image: q/foo:1.1.0\n";

fn folder() -> Folder {
    let catalog = format!(
        "schema: olm.package\nname: foo\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: foo\nname: stable\n\
         entries:\n- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n- name: foo.v1.2.0\n  replaces: foo.v1.1.0\n{}",
        known()
    );
    Folder::new(&[
        ("known/catalog.yaml", &catalog),
        ("semver.yaml", SEMVER),
        ("basic.yaml", BASIC),
    ])
}

const PROMOTE: [&str; 8] = [
    "edit",
    "semver.yaml",
    "promote",
    "--bundle",
    "foo.v1.2.0",
    "--to",
    "stable",
    "--bundles",
];

#[test]
fn a_promotion_in_a_semver_template_shows_its_rendering() {
    let folder = folder();
    let run = folder.run(&[&PROMOTE[..], &["known"]].concat());
    run.ok();
    // The patch contains only the template, for `git apply`.
    assert!(
        run.stdout.contains("+  - image: q/foo:1.2.0\n"),
        "{}",
        run.stdout
    );
    assert_eq!(run.stdout.matches("+++ ").count(), 1, "{}", run.stdout);
    assert!(
        run.stderr.contains("semver.yaml renders to:\n"),
        "{}",
        run.stderr
    );
    for line in [
        "+++ b/semver.yaml.rendered\n",
        "+- name: foo.v1.2.0\n",
        "+  skips:\n+  - foo.v1.0.0\n",
    ] {
        assert!(run.stderr.contains(line), "{line}: {}", run.stderr);
    }
    assert!(
        run.stderr.contains("new installs get 1.2.0"),
        "the consequences are those of the rendered catalog: {}",
        run.stderr
    );
    assert_eq!(folder.read("semver.yaml"), SEMVER);
    // Options may precede the operation; `--quiet` prints only the answer.
    let quiet = folder.run(&[
        "edit",
        "semver.yaml",
        "--bundles",
        "known",
        "--quiet",
        "promote",
        "--bundle",
        "foo.v1.2.0",
        "--to",
        "stable-v1",
    ]);
    quiet.ok();
    assert_eq!((quiet.stdout, quiet.stderr), (run.stdout, String::new()));
    folder
        .run(&[&PROMOTE[..], &["known", "--write"]].concat())
        .ok();
    assert_eq!(
        folder.read("semver.yaml"),
        format!("{SEMVER}  - image: q/foo:1.2.0\n")
    );
    folder
        .run(&["validate", "semver.yaml", "--bundles", "known"])
        .ok();
}

#[test]
fn an_edit_of_a_basic_template_shows_its_rendering() {
    let folder = folder();
    let args = [
        "edit",
        "basic.yaml",
        "set-skip-range",
        "--channel",
        "stable",
        "--name",
        "foo.v1.1.0",
        "--skip-range",
        "<1.1.0",
    ];
    let alone = folder.run(&args);
    alone.ok();
    let with = folder.run(&[&args[..], &["--bundles", "known"]].concat());
    with.ok();
    assert_eq!(with.stdout, alone.stdout);
    assert!(
        with.stderr.contains("+  skipRange: <1.1.0\n"),
        "{}",
        with.stderr
    );
    // Missing bundles are listed, and the rest is shown.
    folder.write(
        "part/catalog.yaml",
        &known().replace("q/foo:1.0.0", "q/other:1"),
    );
    let partly = folder.run(&[&args[..], &["--bundles", "part"]].concat());
    partly.ok();
    assert!(
        partly
            .stderr
            .contains("left out missing bundles: q/foo:1.0.0"),
        "{}",
        partly.stderr
    );
    assert!(
        partly.stderr.contains("basic.yaml renders to:"),
        "{}",
        partly.stderr
    );
}

#[test]
fn a_substitutes_template_is_rendered_after_a_change_of_its_text() {
    let folder = folder();
    let template = folder.run(&["template", "convert", "substitutes", "known", "-o", "yaml"]);
    template.ok();
    folder.write("substitutes.yaml", &template.stdout);
    let line = template
        .stdout
        .lines()
        .position(|line| line.contains("image: q/foo:1.2.0"))
        .unwrap()
        + 1;
    let text = template.stdout.lines().nth(line - 1).unwrap();
    let at = format!("{line}:1-{line}:{}", text.len() + 1);
    let args = [
        "edit",
        "substitutes.yaml",
        "replace-text",
        "--file",
        "substitutes.yaml",
        "--at",
        &at,
        "--text",
    ];
    let run = folder.run(
        &[
            &args[..],
            &[&text.replace("1.2.0", "1.2.1"), "--bundles", "known"],
        ]
        .concat(),
    );
    run.ok();
    assert!(
        run.stderr.contains("+image: q/foo:1.2.1\n"),
        "{}",
        run.stderr
    );
}

#[test]
fn adds_renders_and_removes_a_substitution() {
    let folder = folder();
    let template = folder.run(&["template", "convert", "substitutes", "known", "-o", "yaml"]);
    template.ok();
    folder.write("substitutes.yaml", &template.stdout);
    let rebuilt = "---\nschema: olm.bundle\nname: foo.v1.2.1\npackage: foo\nimage: q/foo:1.2.1\nproperties:\n\
                   - type: olm.package\n  value: {packageName: foo, version: 1.2.1}\n";
    folder.write("more/catalog.yaml", rebuilt);
    let args = [
        "edit",
        "substitutes.yaml",
        "substitute",
        "--bundle",
        "foo.v1.2.0",
        "--by",
        "q/foo:1.2.1",
    ];
    let alone = folder.run(&args);
    alone.ok();
    assert!(
        alone.stdout.contains("base: foo.v1.2.0") && alone.stdout.contains("q/foo:1.2.1"),
        "{}",
        alone.stdout
    );
    assert_eq!(
        folder.read("substitutes.yaml"),
        template.stdout,
        "nothing is written without --write"
    );
    let with = folder.run(&[&args[..], &["--bundles", "more"]].concat());
    with.ok();
    assert_eq!(
        with.stdout, alone.stdout,
        "the patch is the template's alone"
    );
    for line in ["+- name: foo.v1.2.1\n", "foo.v1.2.0\n"] {
        assert!(with.stderr.contains(line), "{line}: {}", with.stderr);
    }
    let run = folder.run(
        &[
            &args[..],
            &["--bundles", "more", "--format", "json", "--write"],
        ]
        .concat(),
    );
    run.ok();
    let answer = run.json();
    assert_eq!(
        (&answer["written"], &answer["files"][0]["file"]),
        (&true.into(), &"substitutes.yaml".into())
    );
    assert!(
        answer["catalogs"][0]["rendered"]["patch"]
            .as_str()
            .unwrap()
            .contains("foo.v1.2.1"),
        "{answer}"
    );
    folder
        .run(&["validate", "substitutes.yaml", "--bundles", "more"])
        .ok();
    let none = [
        "edit",
        "substitutes.yaml",
        "substitute",
        "--bundle",
        "foo.v1.2.0",
        "--by",
        "none",
        "--write",
    ];
    folder.run(&none).ok();
    assert!(
        !folder.read("substitutes.yaml").contains("1.2.1"),
        "{}",
        folder.read("substitutes.yaml")
    );
    // Only a substitutes template has substitutions.
    let refused = folder.run(&[
        "edit",
        "basic.yaml",
        "substitute",
        "--bundle",
        "foo.v1.1.0",
        "--by",
        "q/foo:1.2.1",
    ]);
    assert!(
        !refused.stderr.is_empty() && refused.stdout.is_empty(),
        "{}",
        refused.stdout
    );
}

#[test]
fn bundles_are_found_in_folders_and_by_a_map() {
    let folder = folder();
    let yard = test_support::project().join("tests/data/bundles/yard");
    let map = serde_json::json!({"q/yard@sha256:1": yard.display().to_string()}).to_string();
    folder.write("map.json", &map);
    folder.write(
        "yard.yaml",
        "schema: olm.semver\ngenerateMajorChannels: true\nfast:\n  bundles:\n  - image: q/yard@sha256:1\n",
    );
    let name = folder
        .run(&[
            "list",
            "bundles",
            "yard.yaml",
            "--bundle-map",
            "map.json",
            "-o",
            "json",
        ])
        .json();
    let name = name["rows"][0]["bundle"].as_str().unwrap().to_owned();
    let args = [
        "edit",
        "yard.yaml",
        "promote",
        "--bundle",
        &name,
        "--to",
        "candidate",
        "--bundle-map",
        "map.json",
    ];
    let run = folder.run(&args);
    run.ok();
    assert!(run.stdout.contains("+candidate:\n"), "{}", run.stdout);
    assert!(
        run.stderr.contains("+name: candidate-v1\n"),
        "{}",
        run.stderr
    );
}

#[test]
fn the_json_answer_contains_both_patches() {
    let folder = folder();
    let run = folder.run(&[&PROMOTE[..], &["known", "-o", "json"]].concat());
    run.ok();
    let answer = run.json();
    assert_eq!(
        (&answer["format"], &answer["written"]),
        (&1.into(), &false.into())
    );
    assert!(
        answer["patch"]
            .as_str()
            .unwrap()
            .contains("+  - image: q/foo:1.2.0"),
        "{answer}"
    );
    let catalog = &answer["catalogs"][0];
    assert_eq!(
        (&catalog["catalog"], &catalog["changed"], &catalog["passed"]),
        (&"semver.yaml".into(), &true.into(), &true.into())
    );
    assert!(
        catalog["rendered"]["patch"]
            .as_str()
            .unwrap()
            .contains("foo.v1.2.0"),
        "{catalog}"
    );
    assert_eq!(answer["files"][0]["file"], "semver.yaml");
    // A catalog has no rendered form; the written file is the same.
    let args = [
        "edit",
        "known",
        "remove-entry",
        "--channel",
        "stable",
        "--name",
        "foo.v1.1.0",
        "-o",
        "json",
        "--write",
    ];
    let run = folder.run(&args);
    run.ok();
    let answer = run.json();
    assert_eq!(
        (&answer["written"], &answer["catalogs"][0]["rendered"]),
        (&true.into(), &serde_json::Value::Null)
    );
    assert!(
        !folder
            .read("known/catalog.yaml")
            .contains("- name: foo.v1.1.0"),
        "{answer}"
    );
}

#[test]
fn a_failing_template_is_not_written_if_it_must_pass() {
    let folder = folder();
    let args = [
        "edit",
        "basic.yaml",
        "set-replaces",
        "--channel",
        "stable",
        "--name",
        "foo.v1.1.0",
        "--replaces",
        "none",
    ];
    let run = folder.run(
        &[
            &args[..],
            &["--bundles", "known", "--require-pass", "--write"],
        ]
        .concat(),
    );
    run.status(1);
    assert!(
        run.stderr.contains("would not pass opm validate"),
        "{}",
        run.stderr
    );
    assert_eq!(folder.read("basic.yaml"), BASIC);
}
