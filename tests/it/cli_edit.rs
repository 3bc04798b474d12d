//! `switchyard edit` in a session: its output, written files and refusals.

use test_support::Folder;

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
schema: olm.channel
package: p
name: candidate
entries:
  - name: p.v1.0.0
  - name: p.v1.1.0
    replaces: p.v1.0.0
  - name: p.v1.2.0
    replaces: p.v1.1.0
    skipRange: '>=1.0.0 <1.2.0'
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
image: quay.io/p/p:v1.1.0
properties:
  - type: olm.package
    value: {packageName: p, version: 1.1.0}
---
schema: olm.bundle
package: p
name: p.v1.2.0
image: quay.io/p/p:v1.2.0
properties:
  - type: olm.package
    value: {packageName: p, version: 1.2.0}
";

fn folder() -> Folder {
    Folder::new(&[("p/catalog.yaml", CATALOG)])
}

#[test]
fn a_default_channel_is_one_line() {
    let folder = folder();
    let run = folder.run(&[
        "edit",
        ".",
        "set-default-channel",
        "--package",
        "p",
        "--channel",
        "candidate",
    ]);
    run.ok();
    assert_eq!(
        run.stdout,
        "\
diff --git a/p/catalog.yaml b/p/catalog.yaml
--- a/p/catalog.yaml
+++ b/p/catalog.yaml
@@ -1,7 +1,7 @@
 ---
 schema: olm.package
 name: p
-defaultChannel: stable # for everyone
+defaultChannel: candidate # for everyone
 ---
 schema: olm.channel
 package: p
"
    );
    assert_eq!(
        folder.read("p/catalog.yaml"),
        CATALOG,
        "nothing is written without --write"
    );
}

#[test]
fn a_promotion_becomes_the_head_and_keeps_its_skip_range() {
    let folder = folder();
    let args = [
        "edit",
        ".",
        "promote",
        "--package",
        "p",
        "--bundle",
        "p.v1.2.0",
        "--to",
        "stable",
        "--write",
    ];
    let run = folder.run(&args);
    run.ok();
    assert!(
        run.stderr.contains("wrote p/catalog.yaml"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("new installs get 1.2.0 instead of 1.1.0"),
        "{}",
        run.stderr
    );
    let expected = CATALOG.replacen(
        "    replaces: p.v1.0.0\n---",
        "    replaces: p.v1.0.0\n  - name: p.v1.2.0\n    replaces: p.v1.1.0\n    skipRange: '>=1.0.0 <1.2.0'\n---",
        1,
    );
    assert_eq!(folder.read("p/catalog.yaml"), expected);
    let again = folder.run(&args);
    assert_eq!(again.status, 2);
    assert!(
        again
            .stderr
            .contains("`p.v1.2.0` is already in channel `stable`"),
        "{}",
        again.stderr
    );
    assert_eq!(folder.read("p/catalog.yaml"), expected);
}

#[test]
fn a_withdrawn_bundle_is_skipped_by_the_next_one() {
    let folder = folder();
    let run = folder.run(&[
        "edit",
        ".",
        "withdraw",
        "--package",
        "p",
        "--bundle",
        "p.v1.1.0",
    ]);
    assert_eq!(run.status, 2);
    assert!(
        run.stderr
            .contains("channel `stable` has no entry above `p.v1.1.0`"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("release a fix first, or deprecate the bundle"),
        "{}",
        run.stderr
    );
    let run = folder.run(&[
        "edit",
        ".",
        "withdraw",
        "--package",
        "p",
        "--bundle",
        "p.v1.1.0",
        "--channel",
        "candidate",
    ]);
    run.ok();
    let changed: Vec<&str> = run
        .stdout
        .lines()
        .filter(|l| l.starts_with(['+', '-']))
        .skip(2)
        .collect();
    assert_eq!(
        changed,
        [
            "-    replaces: p.v1.1.0",
            "+    replaces: p.v1.0.0",
            "+    skips:",
            "+      - p.v1.1.0"
        ]
    );
}

/// An empty `replaces` replaces nothing, not the entry without a name.
#[test]
fn no_entry_replaces_one_without_a_name() {
    let folder = folder();
    folder.write(
        "p/catalog.yaml",
        &CATALOG.replace(
            "  - name: p.v1.0.0\n",
            "  - name: p.v1.0.0\n  - name: ''\n    replaces: p.v0.9.0\n",
        ),
    );
    let before = folder.read("p/catalog.yaml");
    assert!(before.contains("name: ''"));
    folder
        .run(&[
            "edit",
            ".",
            "remove-entry",
            "--package",
            "p",
            "--channel",
            "stable",
            "--name",
            "",
            "--write",
        ])
        .ok();
    assert_eq!(
        folder.read("p/catalog.yaml"),
        before.replacen("  - name: ''\n    replaces: p.v0.9.0\n", "", 1)
    );
}

#[test]
fn adds_and_removes_deprecations() {
    let folder = folder();
    let deprecate = [
        "edit",
        ".",
        "deprecate",
        "--package",
        "p",
        "--bundle",
        "p.v1.0.0",
        "--message",
        "use 1.1",
        "--write",
    ];
    folder.run(&deprecate).ok();
    let text = folder.read("p/catalog.yaml");
    assert!(text.starts_with(CATALOG));
    assert!(
        text.ends_with("schema: olm.bundle\n      name: p.v1.0.0\n    message: use 1.1\n"),
        "{text}"
    );
    folder
        .run(&[
            "edit",
            ".",
            "undeprecate",
            "--package",
            "p",
            "--bundle",
            "p.v1.0.0",
            "--write",
        ])
        .ok();
    assert_eq!(folder.read("p/catalog.yaml"), CATALOG);
}

#[test]
fn a_folder_split_by_schema_gets_a_file_of_deprecations() {
    let folder = Folder::new(&[
        (
            "index.yaml",
            "schema: olm.package\nname: q\ndefaultChannel: c\n",
        ),
        (
            "channels.yaml",
            "schema: olm.channel\npackage: q\nname: c\nentries:\n- name: q.v1\n",
        ),
        (
            "bundles.yaml",
            "schema: olm.bundle\npackage: q\nname: q.v1\nimage: quay.io/q/q:v1\nproperties:\n- type: olm.package\n  value:\n    packageName: q\n    version: 1.0.0\n",
        ),
    ]);
    folder
        .run(&[
            "edit",
            ".",
            "deprecate",
            "--package",
            "q",
            "--channel",
            "c",
            "--message=- old",
            "--write",
        ])
        .ok();
    let text = folder.read("deprecations.yaml");
    assert!(
        text.contains("schema: olm.deprecations\n") && text.contains("'- old'"),
        "{text}"
    );
    folder.run(&["validate", "."]).ok();
}

#[test]
fn refusals_suggest_a_correction_and_write_nothing() {
    let folder = folder();
    for (args, message) in [
        (
            vec![
                "set-default-channel",
                "--package",
                "p",
                "--channel",
                "stabel",
            ],
            "did you mean `stable`?",
        ),
        (
            vec![
                "set-default-channel",
                "--package",
                "pp",
                "--channel",
                "stable",
            ],
            "did you mean `p`?",
        ),
        (
            vec![
                "remove-skip",
                "--package",
                "p",
                "--channel",
                "stable",
                "--name",
                "p.v1.0.0",
                "--skip",
                "x",
            ],
            "does not skip `x`",
        ),
        (
            vec![
                "add-skip",
                "--package",
                "p",
                "--channel",
                "stable",
                "--name",
                "p.v1.0",
                "--skip",
                "x",
            ],
            "did you mean `p.v1.0.0`",
        ),
        (
            vec![
                "replace-text",
                "--file",
                "../x",
                "--at",
                "1:1-1:1",
                "--text",
                "x",
            ],
            "is not a path inside",
        ),
        (
            vec![
                "replace-text",
                "--file",
                "p/catalog.yaml",
                "--at",
                "999:1-999:2",
                "--text",
                "x",
            ],
            "no position",
        ),
    ] {
        let run = folder.run(&[&["edit", ".", "--write"][..], &args].concat());
        assert_eq!(run.status, 2, "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{args:?}: {}", run.stderr);
        assert_eq!(run.stdout, "");
    }
    assert_eq!(folder.read("p/catalog.yaml"), CATALOG);
}

#[test]
fn json_lines_are_applied_all_or_none() {
    let folder = folder();
    let good = r#"{"op":"set-replaces","package":"p","channel":"candidate","name":"p.v1.2.0","replaces":null}"#;
    let bad =
        r#"{"op":"set-replaces","package":"p","channel":"nope","name":"p.v1.2.0","replaces":null}"#;
    folder
        .run_with(
            &["edit", ".", "--stdin", "--write"],
            &format!("{good}\n\n{bad}\n"),
        )
        .status(2);
    assert_eq!(folder.read("p/catalog.yaml"), CATALOG);
    folder
        .run_with(
            &["edit", ".", "--stdin", "--write"],
            "{\"op\":\"nonsense\"}\n",
        )
        .status(2);
    folder
        .run_with(&["edit", ".", "--stdin", "--write"], &format!("{good}\n"))
        .ok();
    assert_eq!(
        folder.read("p/catalog.yaml"),
        CATALOG.replacen("    replaces: p.v1.1.0\n", "", 1)
    );
}

#[test]
fn an_edge_may_name_an_absent_entry() {
    let folder = folder();
    let entry = [
        "--package",
        "p",
        "--channel",
        "stable",
        "--name",
        "p.v1.0.0",
    ];
    let run = folder.run(
        &[
            &["edit", "."][..],
            &["add-skip"],
            &entry,
            &["--skip", "p.v0.8.0", "p.v0.9.0"],
        ]
        .concat(),
    );
    run.ok();
    assert!(
        run.stdout
            .contains("+    skips:\n+      - p.v0.8.0\n+      - p.v0.9.0\n"),
        "{}",
        run.stdout
    );
    let run = folder.run(
        &[
            &["edit", "."][..],
            &["set-replaces"],
            &entry,
            &["--replaces", "p.v0.9.0"],
        ]
        .concat(),
    );
    run.ok();
    assert!(
        run.stdout.contains("+    replaces: p.v0.9.0\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn writing_the_same_value_is_no_change() {
    let run = folder().run(&[
        "edit",
        ".",
        "set-default-channel",
        "--package",
        "p",
        "--channel",
        "stable",
    ]);
    run.ok();
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("nothing to change"), "{}", run.stderr);
}

#[test]
fn a_new_warning_has_its_place_in_the_edited_file() {
    let folder = folder();
    let run = folder.run(&[
        "edit",
        ".",
        "set-skip-range",
        "--channel",
        "candidate",
        "--name",
        "p.v1.2.0",
        "--skip-range",
        ">=3.0.0 <1.0.0",
    ]);
    run.ok();
    let warning = "\
new warning[skip-range-impossible]: no version can satisfy skipRange `>=3.0.0 <1.0.0` of entry `p.v1.2.0`
  --> p/catalog.yaml:23:16
";
    assert!(run.stderr.starts_with(warning), "{}", run.stderr);
}
