//! `switchyard edit` on packages, bundles and properties: its output, written files and refusals.

use test_support::{Folder, Run};

const CATALOG: &str = "\
---
schema: olm.package
name: p
defaultChannel: stable # for everyone
---
schema: olm.channel
package: p
name: stable
entries:
  - name: p.v1.0.0
  - name: p.v1.1.0 # the good one
    replaces: p.v1.0.0
---
schema: olm.bundle
package: p
name: p.v1.0.0
image: quay.io/p/p:v1.0.0
properties:
  - type: olm.package
    value: {packageName: p, version: 1.0.0}
---
schema: olm.bundle
package: p
name: p.v1.1.0
image: quay.io/p/p:v1.1.0 # the image
properties:
  - type: olm.package
    value: {packageName: p, version: 1.1.0}
  - type: olm.gvk
    value:
      group: p.io
      kind: P
      version: v1
relatedImages:
  - name: operator
    image: quay.io/p/p:v1.1.0
  - name: other
    image: quay.io/p/other:v1
";

fn folder() -> Folder {
    Folder::new(&[("p/catalog.yaml", CATALOG)])
}

/// Applies an operation on package `p` and returns the new file.
fn edit_and_read(folder: &Folder, operation: &[&str]) -> String {
    edit(folder, operation).ok();
    folder.read("p/catalog.yaml")
}

fn edit(folder: &Folder, operation: &[&str]) -> Run {
    let (name, options) = operation.split_first().unwrap();
    folder.run(
        &[
            &["edit", ".", name, "--package", "p"],
            options,
            &["--write"],
        ]
        .concat(),
    )
}

/// Expects a refusal that contains these texts, and unchanged files.
fn expect_refusal(operation: &[&str], texts: &[&str]) {
    let folder = folder();
    let run = edit(&folder, operation);
    assert_eq!(run.status, 2, "{}", run.stderr);
    for text in texts {
        assert!(run.stderr.contains(text), "{text} is not in {}", run.stderr);
    }
    assert_eq!(folder.read("p/catalog.yaml"), CATALOG);
}

#[test]
fn a_description_is_written_as_a_block_and_removed() {
    let folder = folder();
    let text = edit_and_read(&folder, &["set-description", "--text", "# P\n\nDoes it.\n"]);
    let package = "defaultChannel: stable # for everyone\n";
    assert_eq!(
        text,
        CATALOG.replace(
            package,
            &format!("{package}description: |\n  # P\n\n  Does it.\n")
        )
    );
    assert_eq!(
        edit_and_read(&folder, &["set-description", "--text", "It's: b"])
            .lines()
            .nth(4),
        Some("description: 'It''s: b'")
    );
    assert_eq!(
        edit_and_read(&folder, &["set-description", "--text="]),
        CATALOG
    );
}

#[test]
fn an_equal_description_changes_nothing() {
    let folder = folder();
    folder.write(
        "p/catalog.yaml",
        &CATALOG.replace(
            "name: p\nd",
            "name: p\ndescription: >-\n  one\n  two # no comment\nd",
        ),
    );
    let before = folder.read("p/catalog.yaml");
    let run = edit(
        &folder,
        &["set-description", "--text", "one two # no comment"],
    );
    run.ok();
    assert!(run.stderr.contains("nothing to change"), "{}", run.stderr);
    assert_eq!(folder.read("p/catalog.yaml"), before);
}

#[test]
fn recognizes_an_icon_by_its_content() {
    let folder = folder();
    folder.write("icon.txt", "<?xml version=\"1.0\"?><svg/>");
    folder.write("no.svg", "<html/>");
    let run = edit(&folder, &["set-icon", "--file", "icon.txt"]);
    run.ok();
    assert!(
        run.stderr.contains("icon: image/svg+xml, 27 bytes"),
        "{}",
        run.stderr
    );
    let icon =
        "icon:\n  base64data: PD94bWwgdmVyc2lvbj0iMS4wIj8+PHN2Zy8+\n  mediatype: image/svg+xml\n";
    assert!(folder.read("p/catalog.yaml").contains(icon));
    assert_eq!(
        edit_and_read(&folder, &["set-icon", "--file", "none"]),
        CATALOG
    );
    let run = edit(&folder, &["set-icon", "--file", "no.svg"]);
    assert_eq!(run.status, 2);
    assert!(
        run.stderr.contains("the icon is markup, but not SVG"),
        "{}",
        run.stderr
    );
    let run = edit(&folder, &["set-icon", "--file", "gone.svg"]);
    assert_eq!(run.status, 2);
    assert!(
        run.stderr.contains("gone.svg: no such file or directory"),
        "{}",
        run.stderr
    );
}

#[test]
fn an_image_changes_together_with_its_equal_related_image() {
    let folder = folder();
    let image = "mirror.io/p/p:v1.1.0";
    let text = edit_and_read(
        &folder,
        &["set-image", "--where", "name=p.v1.1.0", "--image", image],
    );
    assert_eq!(
        text,
        CATALOG.replace("quay.io/p/p:v1.1.0", image),
        "twice, and nothing else"
    );
    assert!(
        edit(
            &folder,
            &["set-image", "--bundle", "p.v1.1.0", "--image", image]
        )
        .stderr
        .contains("nothing to change")
    );
}

#[test]
fn properties_are_added_once_to_all_matching_bundles() {
    let folder = folder();
    let gvk = r#"{"group":"p.io","version":"v1","kind":"P"}"#;
    let add = [
        "add-property",
        "--where",
        "version >=1.0.0 <2.0.0 and channel=stable",
        "--type",
        "olm.gvk",
        "--value",
        gvk,
    ];
    let text = edit_and_read(&folder, &add);
    let own = "    value: {packageName: p, version: 1.0.0}\n";
    let added = "  - type: olm.gvk\n    value: {group: p.io, version: v1, kind: P}\n";
    assert_eq!(
        text,
        CATALOG.replace(own, &format!("{own}{added}")),
        "the second bundle has it already"
    );
    assert!(edit(&folder, &add).stderr.contains("nothing to change"));
    let remove = [
        "remove-property",
        "--where",
        "has olm.gvk",
        "--type",
        "olm.gvk",
        "--value",
        gvk,
    ];
    let text = edit_and_read(&folder, &remove);
    assert!(
        !text.contains("olm.gvk") && text.contains("# the image"),
        "{text}"
    );
    let run = edit(&folder, &remove);
    assert_eq!(run.status, 2);
    assert!(
        run.stderr
            .contains("none of the 2 bundles of package `p` meets `has olm.gvk`"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_property_that_olm_cannot_read_is_refused() {
    let add = |kind: &'static str, value: &'static str| {
        [
            "add-property",
            "--bundle",
            "p.v1.1.0",
            "--type",
            kind,
            "--value",
            value,
        ]
    };
    expect_refusal(
        &add("olm.maxOpenShiftVersion", "4.18"),
        &["must be a string, not 4.18", "MAJOR.MINOR"],
    );
    expect_refusal(
        &add("olm.maxOpenShiftVersion", "4.18.x"),
        &["put text in double quotes"],
    );
    expect_refusal(
        &add("olm.package", r#"{"packageName":"p","version":"1.0.0"}"#),
        &["already has its `olm.package`", "p/catalog.yaml:27"],
    );
    expect_refusal(
        &add("olm.gvk", r#"{"group":"g","verison":"v1","kind":"K"}"#),
        &["no field `verison`", "did you mean `version`?"],
    );
    expect_refusal(
        &add("olm.constraint", r#"{"cel":{"rule":"x =="}}"#),
        &["OLM cannot read this `olm.constraint`"],
    );
    let remove = |kind: &'static str| ["remove-property", "--bundle", "p.v1.1.0", "--type", kind];
    expect_refusal(
        &remove("olm.gkv"),
        &[
            "`p.v1.1.0` has no property `olm.gkv`",
            "did you mean `olm.gvk`?",
        ],
    );
    expect_refusal(&remove("olm.package"), &["every bundle must have an"]);
    expect_refusal(
        &[&remove("olm.gvk")[..], &["--value", "{}"]].concat(),
        &[
            "has no property `olm.gvk` with this value",
            r#"its value is `{"group":"p.io","kind":"P","version":"v1"}`"#,
        ],
    );
}

#[test]
fn bundles_are_selected_by_name_or_condition() {
    let image = ["--image", "quay.io/p/p:v2"];
    let set = |args: &[&'static str]| [&["set-image"], args, &image].concat();
    expect_refusal(&set(&[]), &["--bundle <NAME>"]);
    expect_refusal(
        &set(&["--bundle", "p.v1.0.0", "--where", "has x"]),
        &["cannot be used with"],
    );
    expect_refusal(
        &set(&["--where", "verison >1.0.0"]),
        &[
            "at character 1: unknown field `verison`",
            "did you mean `version`?",
        ],
    );
    expect_refusal(
        &set(&["--where", "version >1.0.0 or"]),
        &["at character 18: expected a condition, found the end"],
    );
    expect_refusal(
        &set(&["--bundle", "p.v1.0"]),
        &["no bundle `p.v1.0`", "did you mean `p.v1.0.0`"],
    );
    expect_refusal(
        &[
            "set-image",
            "--bundle",
            "p.v1.0.0",
            "--image",
            "quay.io/P:v1",
        ],
        &["repository name must be lowercase"],
    );
}

#[test]
fn a_bundle_is_added_in_the_layout_of_its_siblings_and_to_a_channel() {
    let folder = folder();
    let add = [
        "add-bundle",
        "--bundle",
        "p.v1.2.0",
        "--version",
        "1.2.0",
        "--image",
        "quay.io/p/p:v1.2.0",
    ];
    let text = edit_and_read(&folder, &[&add[..], &["--to", "stable"]].concat());
    let bundle = "---\nschema: olm.bundle\npackage: p\nname: p.v1.2.0\nimage: quay.io/p/p:v1.2.0\nproperties:\n  - type: \
                  olm.package\n    value: {packageName: p, version: 1.2.0}\n";
    let head = "    replaces: p.v1.0.0\n";
    let entry = "  - name: p.v1.2.0\n    replaces: p.v1.1.0\n";
    assert_eq!(
        text,
        format!(
            "{}{bundle}",
            CATALOG.replace(head, &format!("{head}{entry}"))
        )
    );
    assert_eq!(folder.run(&["validate", "."]).status, 0);
}

#[test]
fn reports_a_bundle_that_no_channel_lists() {
    let folder = folder();
    let run = edit(
        &folder,
        &[
            "add-bundle",
            "--bundle",
            "p.v2.0.0",
            "--version",
            "2.0.0",
            "--image",
            "quay.io/p/p:v2",
        ],
    );
    run.ok();
    let opm = folder.run(&["validate", ".", "--format", "opm"]);
    assert!(
        opm.stdout
            .contains("bundle \"p.v2.0.0\" not found in any channel entries"),
        "{}",
        opm.stdout
    );
    let run = edit(
        &folder,
        &["promote", "--bundle", "p.v2.0.0", "--to", "stable"],
    );
    run.ok();
    assert_eq!(folder.run(&["validate", "."]).status, 0);
}

#[test]
fn a_new_bundle_gets_its_own_file_if_all_bundles_have_one() {
    let one = |version: &str| {
        format!(
            "schema: olm.bundle\nname: p.v{version}\npackage: p\nimage: quay.io/p/p:v{version}\nproperties:\n- type: \
             olm.package\n  value:\n    packageName: p\n    version: {version}\n"
        )
    };
    let (first, second) = (one("1.0.0"), one("1.1.0"));
    let files = [(
        "p/package.yaml",
        CATALOG.split_once("---\nschema: olm.bundle").unwrap().0,
    )];
    let folder = Folder::new(&files);
    folder.write("p/bundles/p.v1.0.0.yaml", &first);
    folder.write("p/bundles/p.v1.1.0.yaml", &second);
    let run = edit(
        &folder,
        &[
            "add-bundle",
            "--bundle",
            "p.v1.0.1",
            "--version",
            "1.0.1",
            "--image",
            "quay.io/p/p:v1.0.1",
            "--to",
            "stable",
        ],
    );
    run.ok();
    assert_eq!(folder.read("p/bundles/p.v1.0.1.yaml"), one("1.0.1"));
    let channel = "  - name: p.v1.0.0\n  - name: p.v1.0.1\n    replaces: p.v1.0.0\n  - name: p.v1.1.0 # the good one\n    \
                   replaces: p.v1.0.1\n";
    assert!(
        folder.read("p/package.yaml").contains(channel),
        "{}",
        folder.read("p/package.yaml")
    );
}

#[test]
fn the_first_bundle_is_inserted_after_the_channel_that_lists_it() {
    let folder = Folder::new(&[(
        "p/catalog.yaml",
        "schema: olm.package\nname: p\ndefaultChannel: a\n---\nschema: olm.channel\npackage: p\nname: a\nentries: []\n",
    )]);
    let add = [
        "add-bundle",
        "--bundle",
        "p.v1.0.0",
        "--version",
        "1.0.0",
        "--image",
        "quay.io/p/p:v1",
        "--to",
        "a",
    ];
    edit(&folder, &add).ok();
    assert_eq!(
        folder.run(&["validate", "."]).status,
        0,
        "{}",
        folder.read("p/catalog.yaml")
    );
}

#[test]
fn a_bundle_that_would_fail_is_refused() {
    let add = |name: &'static str, version: &'static str, image: &'static str| {
        [
            "add-bundle",
            "--bundle",
            name,
            "--version",
            version,
            "--image",
            image,
        ]
    };
    expect_refusal(
        &add("p.v1.0.0", "2.0.0", "a/b"),
        &["already has a bundle `p.v1.0.0`", "p/catalog.yaml:16:7"],
    );
    expect_refusal(
        &add("p.v1.0", "1.0.0", "a/b"),
        &["`p.v1.0.0` already has version 1.0.0"],
    );
    expect_refusal(
        &add("p.v2", "v2.0", "a/b"),
        &["`v2.0` is not a version", "MAJOR.MINOR.PATCH"],
    );
    expect_refusal(
        &add("p.v2", "2.0.0", "https://a/b"),
        &["`https://a/b` is not a valid image reference"],
    );
    expect_refusal(
        &[&add("p.v2", "2.0.0", "a/b")[..], &["--to", "stabel"]].concat(),
        &["did you mean `stable`?"],
    );
}

const OTHER: &str = "---\nschema: olm.package\nname: q\ndefaultChannel: a\n";

#[test]
fn a_package_is_copied_verbatim() {
    let folder = Folder::new(&[("new/q.yaml", OTHER)]);
    let odd = format!(
        "{}# the end",
        CATALOG.replacen("---\n", "---   # kept\r\n# and this\n", 1)
    );
    folder.write("old/p/catalog.yaml", &odd);
    let copy = [
        "edit",
        "new",
        "copy-package",
        "--package",
        "p",
        "--from",
        "old",
        "--write",
    ];
    folder.run(&copy).ok();
    assert_eq!(folder.read("new/p/catalog.yaml"), odd);
    let again = folder.run(&copy);
    assert_eq!(again.status, 2);
    assert!(
        again
            .stderr
            .contains("package `p` is already in this catalog"),
        "{}",
        again.stderr
    );
    assert!(
        again.stderr.contains("use `--replace` to replace it"),
        "{}",
        again.stderr
    );
    let missing = folder.run(&[
        "edit",
        "new",
        "copy-package",
        "--package",
        "pp",
        "--from",
        "old",
    ]);
    assert_eq!(missing.status, 2);
    assert!(
        missing.stderr.contains("has no package `pp`") && missing.stderr.contains("`p`"),
        "{}",
        missing.stderr
    );
}

#[test]
fn several_packages_are_copied_and_replaced_as_one_edit() {
    let newer = CATALOG.replace("defaultChannel: stable", "defaultChannel: stable # newer");
    let third = OTHER.replace("name: q", "name: r");
    let folder = Folder::new(&[
        ("old/all.yaml", &format!("{newer}{OTHER}")),
        ("new/p.yaml", CATALOG),
        ("new/r.yaml", &third),
        ("same/p.yaml", &newer),
    ]);
    let copy = |extra: &[&str]| {
        let args = [
            "edit",
            "new",
            "copy-package",
            "--package",
            "q",
            "--package",
            "p",
            "--from",
            "old",
            "--write",
        ];
        folder.run(&[&args[..], extra].concat())
    };
    let refused = copy(&[]);
    refused.status(2);
    assert!(
        refused
            .stderr
            .contains("package `p` is already in this catalog"),
        "{}",
        refused.stderr
    );
    assert!(
        !folder.path().join("new/all.yaml").exists(),
        "all or nothing"
    );
    copy(&["--replace"]).ok();
    // A replaced package stays in its file; a new one is written where the source had it.
    assert_eq!(folder.read("new/p.yaml"), newer);
    assert_eq!(folder.read("new/all.yaml"), OTHER);
    assert_eq!(folder.read("new/r.yaml"), third);
    let again = copy(&["--replace"]);
    again.ok();
    assert!(
        again.stderr.contains("nothing to change"),
        "{}",
        again.stderr
    );
    // In several catalogs at once.
    let args = [
        "edit",
        "new",
        "--also-in",
        "same",
        "--write",
        "copy-package",
        "--package",
        "p",
        "--from",
        "old",
        "--replace",
    ];
    folder.run(&args).ok();
    assert_eq!(folder.read("same/p.yaml"), newer);
}

#[test]
fn a_package_is_replaced_among_others() {
    let newer = CATALOG.replace("defaultChannel: stable", "defaultChannel: stable # newer");
    let third = OTHER.replace("name: q", "name: r");
    let folder = Folder::new(&[
        ("new/catalog.yaml", &format!("{OTHER}{CATALOG}{third}")),
        ("old/p/catalog.yaml", &newer),
        (
            "json/catalog.json",
            "{\"schema\":\"olm.package\",\"name\":\"q\"}\n{\"schema\":\"olm.package\",\"name\":\"p\"}",
        ),
        (
            "from/catalog.json",
            "{\"schema\":\"olm.package\",\"name\":\"p\",\"defaultChannel\":\"b\"}",
        ),
    ]);
    let copy = |to: &str, from: &str| {
        folder
            .run(&[
                "edit",
                to,
                "copy-package",
                "--package",
                "p",
                "--from",
                from,
                "--replace",
                "--write",
            ])
            .ok();
    };
    copy("new", "old");
    assert_eq!(
        folder.read("new/catalog.yaml"),
        format!("{OTHER}{third}{newer}")
    );
    copy("json", "from");
    let both = "{\"schema\":\"olm.package\",\"name\":\"q\"}\n{\"schema\":\"olm.package\",\"name\":\"p\",\"defaultChannel\":\"b\"}";
    assert_eq!(folder.read("json/catalog.json"), both);
    // From YAML to JSON or back: the old blobs are removed, the new ones get their own file.
    copy("new", "from");
    assert_eq!(folder.read("new/catalog.yaml"), format!("{OTHER}{third}"));
    assert!(folder.path().join("new/catalog.json").exists());
}

#[test]
fn a_package_among_others_is_appended_to_the_file() {
    let folder = Folder::new(&[
        ("new/catalog.yaml", OTHER.trim_end()),
        ("old/catalog.yaml", &format!("{OTHER}{CATALOG}")),
    ]);
    let copy = [
        "edit",
        "new",
        "copy-package",
        "--package",
        "p",
        "--from",
        "old",
        "--write",
    ];
    folder.run(&copy).ok();
    assert_eq!(folder.read("new/catalog.yaml"), format!("{OTHER}{CATALOG}"));
    assert_eq!(
        folder.run(&["validate", "old"]).stdout,
        folder.run(&["validate", "new"]).stdout
    );
}

#[test]
fn a_package_in_the_other_format_gets_its_own_file() {
    let json = r#"{"schema":"olm.package","name":"p","defaultChannel":"a"}"#;
    let folder = Folder::new(&[
        ("new/catalog", OTHER),
        ("old/catalog", json),
        ("new/.indexignore", ""),
    ]);
    let copy = [
        "edit",
        "new",
        "copy-package",
        "--package",
        "p",
        "--from",
        "old",
        "--write",
    ];
    folder.run(&copy).ok();
    assert_eq!(
        (
            folder.read("new/catalog").as_str(),
            folder.read("new/p/catalog").as_str()
        ),
        (OTHER, json)
    );
    folder.write("third/catalog.yaml", OTHER);
    folder.write("third/.indexignore", "/catalog\n");
    let run = folder.run(&[
        "edit",
        "third",
        "copy-package",
        "--package",
        "p",
        "--from",
        "old",
    ]);
    assert_eq!(run.status, 2);
    assert!(
        run.stderr
            .contains("`.indexignore` excludes `catalog` from this catalog"),
        "{}",
        run.stderr
    );
}

#[test]
fn copied_packages_contain_their_text_in_json() {
    let folder = Folder::new(&[("q.yaml", OTHER)]);
    let op = |path: &str, text: &str| {
        format!(
            r#"{{"op":"copy-package","package":"p","from":"old","files":[{{"path":"{path}","text":"{text}"}}]}}"#
        )
    };
    let expect_refusal = |op: &str, message: &str| {
        let run = folder.run_with(&["edit", ".", "--stdin"], op);
        assert_eq!(run.status, 2);
        assert!(run.stderr.contains(message), "{}", run.stderr);
    };
    expect_refusal(
        &op("../p.yaml", "schema: olm.package\\nname: p"),
        "is not a path inside the catalog's folder",
    );
    expect_refusal(
        &op("p.yaml", "schema: olm.package\\nname: r"),
        "contains a blob of package `r`",
    );
    expect_refusal(
        &op("p.yaml", "schema: ["),
        "must be blobs of one package, all YAML or all JSON",
    );
    let run = folder.run_with(
        &["edit", ".", "--stdin", "--write"],
        &op("p.yaml", "schema: olm.package\\nname: p"),
    );
    run.ok();
    assert_eq!(folder.read("p.yaml"), "schema: olm.package\nname: p");
}

/// The last blob of the file is the channel that the bundle enters: its entry stays in it.
#[test]
fn a_bundle_is_added_after_its_channel() {
    let text = "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n- name: p.v1.0.0\n";
    let folder = Folder::new(&[("p/catalog.yaml", text)]);
    let bundle = [
        "--bundle",
        "p.v2.0.0",
        "--version",
        "2.0.0",
        "--image",
        "quay.io/p/p:v2",
        "--to",
        "c",
        "--write",
    ];
    folder
        .run(&[&["edit", ".", "add-bundle", "--package", "p"][..], &bundle].concat())
        .ok();
    let after = folder.read("p/catalog.yaml");
    let entered =
        format!("{text}- name: p.v2.0.0\n  replaces: p.v1.0.0\n---\nschema: olm.bundle\n");
    assert!(after.starts_with(&entered), "{after}");
}
