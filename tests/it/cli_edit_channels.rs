//! `switchyard edit` on whole channels and on many edges at once, in a session.

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
  - name: p.v1.28.0
  - name: p.v1.28.1 # the good one
    replaces: p.v1.28.0
  - name: p.v1.29.0
    replaces: p.v1.28.1
  - name: p.v1.29.1
    replaces: p.v1.29.0
    skips:
      - p.v1.27.9
";

const DEPRECATIONS: &str = "\
---
schema: olm.deprecations
package: p
entries:
  - reference:
      schema: olm.channel
      name: stable
    message: use fast
  - reference:
      schema: olm.bundle
      name: p.v1.28.0
    message: old
";

fn bundle(version: &str) -> String {
    format!(
        "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: quay.io/p/p:v{version}\nproperties:\n  - type: olm.package\n    value:\n      packageName: p\n      version: {version}\n"
    )
}

fn text() -> String {
    let bundles: String = ["1.28.0", "1.28.1", "1.29.0", "1.29.1"]
        .into_iter()
        .map(bundle)
        .collect();
    format!("{CATALOG}{bundles}{DEPRECATIONS}")
}

fn folder() -> Folder {
    Folder::new(&[("p/catalog.yaml", &text())])
}

/// The added and removed lines of the patch.
fn changed_lines(folder: &Folder, args: &[&str]) -> Vec<String> {
    let run = folder.run(&[&["edit", "."][..], args].concat());
    run.ok();
    let is_change =
        |l: &&str| l.starts_with(['+', '-']) && !l.starts_with("+++") && !l.starts_with("---");
    run.stdout
        .lines()
        .filter(is_change)
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_renamed_channel_keeps_its_default_and_its_deprecation() {
    let folder = folder();
    let rename = [
        "rename-channel",
        "--package",
        "p",
        "--channel",
        "stable",
        "--to",
        "stable-v1",
    ];
    assert_eq!(
        changed_lines(&folder, &rename),
        [
            "-defaultChannel: stable # for everyone",
            "+defaultChannel: stable-v1 # for everyone",
            "-name: stable",
            "+name: stable-v1",
            "-      name: stable",
            "+      name: stable-v1",
        ]
    );
    folder
        .run(&[&["edit", "."][..], &rename, &["--write"]].concat())
        .ok();
    folder.run(&["validate", "."]).ok();
    let back = [
        "edit",
        ".",
        "rename-channel",
        "--package",
        "p",
        "--channel",
        "stable-v1",
        "--to",
        "stable",
        "--write",
    ];
    folder.run(&back).ok();
    assert_eq!(folder.read("p/catalog.yaml"), text());
}

#[test]
fn a_copied_channel_follows_its_source() {
    let folder = folder();
    let add = [
        "add-channel",
        "--package",
        "p",
        "--channel",
        "fast",
        "--from",
        "stable",
    ];
    folder
        .run(&[&["edit", "."][..], &add, &["--write"]].concat())
        .ok();
    let expected = text().replacen(
        "      - p.v1.27.9\n",
        "      - p.v1.27.9\n---\nschema: olm.channel\npackage: p\nname: fast\nentries:\n  - name: p.v1.28.0\n  - name: p.v1.28.1\n    replaces: p.v1.28.0\n  - name: p.v1.29.0\n    replaces: p.v1.28.1\n  - name: p.v1.29.1\n    replaces: p.v1.29.0\n    skips:\n      - p.v1.27.9\n",
        1,
    );
    assert_eq!(folder.read("p/catalog.yaml"), expected);
    folder.run(&["validate", "."]).ok();
    folder
        .run(&[
            "edit",
            ".",
            "remove-channel",
            "--package",
            "p",
            "--channel",
            "fast",
            "--write",
        ])
        .ok();
    assert_eq!(folder.read("p/catalog.yaml"), text());
}

#[test]
fn an_empty_channel_is_created_and_reported() {
    let folder = folder();
    let run = folder.run(&[
        "edit",
        ".",
        "add-channel",
        "--package",
        "p",
        "--channel",
        "next",
        "--write",
    ]);
    run.ok();
    assert!(
        folder
            .read("p/catalog.yaml")
            .contains("name: next\nentries: []\n")
    );
    assert!(
        run.stderr.contains("fails opm validate now"),
        "{}",
        run.stderr
    );
    folder
        .run(&[
            "edit",
            ".",
            "promote",
            "--package",
            "p",
            "--bundle",
            "p.v1.29.1",
            "--to",
            "next",
            "--write",
        ])
        .ok();
    folder.run(&["validate", "."]).ok();
}

#[test]
fn a_copied_channel_gets_its_own_file_if_its_source_has_one() {
    let channel = CATALOG.split("---\n").nth(2).unwrap_or_default().to_owned();
    let bundles: String = ["1.28.0", "1.28.1", "1.29.0", "1.29.1"]
        .into_iter()
        .map(bundle)
        .collect();
    let folder = Folder::new(&[
        (
            "package.yaml",
            "schema: olm.package\nname: p\ndefaultChannel: stable\n",
        ),
        ("channels/channel-stable.yaml", &channel),
        ("bundles.yaml", &bundles),
    ]);
    folder
        .run(&[
            "edit",
            ".",
            "add-channel",
            "--package",
            "p",
            "--channel",
            "fast",
            "--from",
            "stable",
            "--write",
        ])
        .ok();
    let copy = folder.read("channels/channel-fast.yaml");
    assert!(
        copy.starts_with(
            "schema: olm.channel\npackage: p\nname: fast\nentries:\n  - name: p.v1.28.0\n"
        ),
        "{copy}"
    );
    folder
        .run(&[
            "edit",
            ".",
            "remove-channel",
            "--package",
            "p",
            "--channel",
            "fast",
            "--write",
        ])
        .ok();
    assert_eq!(
        folder.read("channels/channel-fast.yaml"),
        "",
        "a file that an edit empties stays"
    );
    folder
        .run(&[
            "edit",
            ".",
            "add-channel",
            "--package",
            "p",
            "--channel",
            "fast",
            "--from",
            "stable",
            "--write",
        ])
        .ok();
    assert_eq!(folder.read("channels/channel-fast.yaml"), copy);
    folder.run(&["validate", "."]).ok();
}

#[test]
fn a_removed_channel_loses_its_deprecation_and_a_missing_default_is_reported() {
    let folder = folder();
    let run = folder.run(&[
        "edit",
        ".",
        "remove-channel",
        "--package",
        "p",
        "--channel",
        "stable",
        "--write",
    ]);
    run.ok();
    assert!(
        run.stderr.contains("fails opm validate now"),
        "{}",
        run.stderr
    );
    let text = folder.read("p/catalog.yaml");
    assert!(
        !text.contains("olm.channel")
            && text.contains("message: old")
            && !text.contains("use fast"),
        "{text}"
    );
}

#[test]
fn a_removed_bundle_leaves_no_trace_by_default() {
    let folder = folder();
    let remove = [
        "edit",
        ".",
        "remove-bundle",
        "--package",
        "p",
        "--bundle",
        "p.v1.28.0",
        "--then",
        "relink",
        "--write",
    ];
    folder.run(&remove).ok();
    assert!(!folder.read("p/catalog.yaml").contains("p.v1.28.0"));
    assert!(
        folder
            .read("p/catalog.yaml")
            .contains("  - name: p.v1.28.1 # the good one\n  - name: p.v1.29.0\n")
    );
    folder.run(&["validate", "."]).ok();
    let again = folder.run(&remove);
    assert_eq!(again.status, 2);
    assert!(
        again.stderr.contains("has no bundle `p.v1.28.0`")
            && !again.stderr.contains("did you mean"),
        "{}",
        again.stderr
    );

    let folder = self::folder();
    folder
        .run(&[
            "edit",
            ".",
            "remove-bundle",
            "--package",
            "p",
            "--bundle",
            "p.v1.28.0",
            "--then",
            "leave",
            "--write",
        ])
        .ok();
    assert!(
        folder
            .read("p/catalog.yaml")
            .contains("    replaces: p.v1.28.0\n")
    );
    folder.run(&["validate", "."]).ok();
}

#[test]
fn removing_all_bundles_of_a_file_empties_it() {
    let folder = Folder::new(&[
        (
            "catalog.json",
            "{\"schema\":\"olm.package\",\"name\":\"p\",\"defaultChannel\":\"c\"}\n{\"schema\":\"olm.channel\",\"package\":\"p\",\"name\":\"c\",\"entries\":[{\"name\":\"p.v1.0.0\"}]}\n",
        ),
        (
            "bundle.json",
            "{\"schema\":\"olm.bundle\",\"package\":\"p\",\"name\":\"p.v1.0.0\",\"image\":\"quay.io/p/p:v1\",\"properties\":[{\"type\":\"olm.package\",\"value\":{\"packageName\":\"p\",\"version\":\"1.0.0\"}}]}\n{\"schema\":\"olm.deprecations\",\"package\":\"p\",\"entries\":[{\"reference\":{\"schema\":\"olm.bundle\",\"name\":\"p.v1.0.0\"},\"message\":\"old\"}]}\n",
        ),
    ]);
    let run = folder.run(&[
        "edit",
        ".",
        "remove-bundle",
        "--package",
        "p",
        "--bundle",
        "p.v1.0.0",
        "--write",
    ]);
    run.ok();
    assert_eq!(folder.read("bundle.json"), "");
    assert!(folder.read("catalog.json").ends_with("\"entries\":[]}\n"));
    assert!(
        run.stderr.contains("fails opm validate now"),
        "an empty channel is reported: {}",
        run.stderr
    );
}

#[test]
fn edges_are_rebuilt_by_rule() {
    let folder = folder();
    let rebuild = |rule| {
        changed_lines(
            &folder,
            &[
                "rebuild-edges",
                "--package",
                "p",
                "--channel",
                "stable",
                "--rule",
                rule,
            ],
        )
    };
    assert!(
        rebuild("replaces").is_empty(),
        "already a chain by version, with a skip from outside"
    );
    let patched = self::folder();
    let skip_patch = [
        "edit",
        ".",
        "rebuild-edges",
        "--package",
        "p",
        "--channel",
        "stable",
        "--rule",
        "skip-patch",
    ];
    patched.run(&[&skip_patch[..], &["--write"]].concat()).ok();
    let expected = "\
entries:
  - name: p.v1.28.0
  - name: p.v1.28.1 # the good one
    skips:
      - p.v1.28.0
  - name: p.v1.29.0
  - name: p.v1.29.1
    replaces: p.v1.28.1
    skips:
      - p.v1.27.9
      - p.v1.28.0
      - p.v1.29.0
";
    let text = patched.read("p/catalog.yaml");
    assert!(text.contains(expected), "{text}");
    assert_eq!(
        rebuild("skip-range"),
        [
            "+    skipRange: '>=1.28.0 <1.28.1'",
            "+    skipRange: '>=1.28.0 <1.29.0'",
            "+    skipRange: '>=1.29.0 <1.29.1'",
        ]
    );
    for rule in ["skip-patch", "skip-range", "replaces"] {
        folder
            .run(&[
                "edit",
                ".",
                "rebuild-edges",
                "--package",
                "p",
                "--channel",
                "stable",
                "--rule",
                rule,
                "--write",
            ])
            .ok();
        folder.run(&["validate", "."]).ok();
    }
    let without_ranges: String = folder.read("p/catalog.yaml");
    assert!(!without_ranges.contains("skipRange"), "{without_ranges}");
}

#[test]
fn adds_and_removes_skips_by_version() {
    let folder = folder();
    let entry = [
        "--package",
        "p",
        "--channel",
        "stable",
        "--name",
        "p.v1.29.1",
    ];
    let skip = |operation, range| {
        changed_lines(
            &folder,
            &[&[operation][..], &entry, &["--skip-matching", range]].concat(),
        )
    };
    assert_eq!(
        skip("add-skip", "1.28.z"),
        ["+      - p.v1.28.0", "+      - p.v1.28.1"],
        "the replaced entry is not one of them"
    );
    assert_eq!(
        skip("add-skip", "1.29.z"),
        [
            "-    replaces: p.v1.29.0",
            "+    replaces: p.v1.28.1",
            "+      - p.v1.29.0"
        ],
        "it takes over what the skipped one replaced"
    );
    assert_eq!(
        skip("remove-skip", "<1.28.0"),
        ["-    skips:", "-      - p.v1.27.9"],
        "by the name where no bundle is"
    );
    for (range, message) in [
        ("1.30.z", "lower entries have versions 1.28.0 to 1.29.0"),
        ("1.29", "a y-stream such as `1.2.z`"),
        (
            ">=1.29.1",
            "channel `stable` has no entry below `p.v1.29.1`",
        ),
    ] {
        let run = folder.run(
            &[
                &["edit", ".", "add-skip"][..],
                &entry,
                &["--skip-matching", range],
            ]
            .concat(),
        );
        assert_eq!(run.status, 2, "{range}");
        assert!(run.stderr.contains(message), "{range}: {}", run.stderr);
    }
}

#[test]
fn refusals_name_an_alternative() {
    let folder = folder();
    for (args, message) in [
        (
            vec!["add-channel", "--package", "p", "--channel", "stable"],
            "already has a channel `stable`",
        ),
        (
            vec![
                "add-channel",
                "--package",
                "p",
                "--channel",
                "x",
                "--from",
                "stabel",
            ],
            "did you mean `stable`?",
        ),
        (
            vec!["add-channel", "--package", "p", "--channel", ""],
            "the new channel has no name",
        ),
        (
            vec![
                "rename-channel",
                "--package",
                "p",
                "--channel",
                "stabel",
                "--to",
                "x",
            ],
            "did you mean `stable`?",
        ),
        (
            vec!["remove-channel", "--package", "p", "--channel", "stabel"],
            "did you mean `stable`?",
        ),
        (
            vec![
                "add-skip",
                "--package",
                "p",
                "--channel",
                "stable",
                "--name",
                "p.v1.29.1",
            ],
            "--skip",
        ),
    ] {
        let run = folder.run(&[&["edit", ".", "--write"][..], &args].concat());
        assert_eq!(run.status, 2, "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{args:?}: {}", run.stderr);
    }
    assert_eq!(folder.read("p/catalog.yaml"), text());
    let ghost = folder.run(&[
        "edit",
        ".",
        "rebuild-edges",
        "--package",
        "p",
        "--channel",
        "stable",
        "--rule",
        "replaces",
        "--stdin",
    ]);
    assert_eq!(ghost.status, 2, "an operation and --stdin are one too many");
    let line = r#"{"op":"remove-bundle","package":"p","bundle":"p.v1.28.1"}
{"op":"rebuild-edges","package":"p","channel":"stable","rule":"skip-patch"}
{"op":"add-skip","package":"p","channel":"stable","name":"p.v1.29.1","skip-matching":"1.28.z"}
"#;
    folder
        .run_with(&["edit", ".", "--stdin", "--write"], line)
        .ok();
    folder.run(&["validate", "."]).ok();
}
