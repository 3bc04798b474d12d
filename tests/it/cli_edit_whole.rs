//! `switchyard edit` on packages that pass: they still pass, or a warning names an alternative
//! beforehand.

use test_support::{Folder, Run};

/// A package `p` with these entries in its only channel `stable`, and a bundle for each.
fn catalog(entries: &[(&str, &str)]) -> String {
    let channel = [("stable", entries)];
    catalog_of(&channel)
}

fn catalog_of(channels: &[(&str, &[(&str, &str)])]) -> String {
    let mut text = format!(
        "---\nschema: olm.package\nname: p\ndefaultChannel: {}\n",
        channels[0].0
    );
    let mut versions: Vec<&str> = Vec::new();
    for (name, entries) in channels {
        text.push_str(&format!(
            "---\nschema: olm.channel\npackage: p\nname: {name}\nentries:\n"
        ));
        for (version, edges) in *entries {
            text.push_str(&format!("  - name: p.v{version}\n"));
            edges
                .lines()
                .for_each(|line| text.push_str(&format!("    {line}\n")));
            versions.push(version);
        }
    }
    versions.sort();
    versions.dedup();
    for version in versions {
        text.push_str(&format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: quay.io/p/p:v{version}\nproperties:\n  - type: \
             olm.package\n    value: {{packageName: p, version: {version}}}\n"
        ));
    }
    text
}

const CHAIN: &[(&str, &str)] = &[
    ("1.0.0", ""),
    ("1.1.0", "replaces: p.v1.0.0"),
    ("1.2.0", "replaces: p.v1.1.0"),
    ("1.3.0", "replaces: p.v1.2.0"),
];

fn folder(text: &str) -> Folder {
    Folder::new(&[("p/catalog.yaml", text)])
}

/// Edits and writes; expects the package to pass.
fn edit_and_expect_pass(folder: &Folder, line: &str) -> Run {
    let args: Vec<&str> = ["edit", "."]
        .into_iter()
        .chain(line.split(' '))
        .chain(["--write"])
        .collect();
    let run = folder.run(&args);
    run.ok();
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
    folder.run(&["validate", "."]).ok();
    run
}

/// The entries of the channel, one per line.
fn entries(folder: &Folder) -> Vec<String> {
    let run = folder.run(&["list", "bundles", ".", "--format", "json"]);
    run.ok();
    let text = folder.read("p/catalog.yaml");
    let channel = text
        .split("---\n")
        .find(|blob| blob.contains("olm.channel"))
        .unwrap()
        .to_owned();
    let channel: serde_json::Value = serde_yaml::from_str(&channel).unwrap();
    let entry = |e: &serde_json::Value| {
        let name = |v: &serde_json::Value| {
            v.as_str()
                .unwrap_or_default()
                .trim_start_matches("p.v")
                .to_owned()
        };
        let skips: Vec<String> = e["skips"]
            .as_array()
            .into_iter()
            .flatten()
            .map(name)
            .collect();
        let range = e["skipRange"]
            .as_str()
            .map(|range| format!(" {range}"))
            .unwrap_or_default();
        format!(
            "{} r:{} s:{}{range}",
            name(&e["name"]),
            name(&e["replaces"]),
            skips.join(",")
        )
    };
    channel["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(entry)
        .collect()
}

#[test]
fn a_withdrawn_entry_is_no_successor() {
    let folder = folder(&catalog(CHAIN));
    edit_and_expect_pass(&folder, "withdraw --package p --bundle p.v1.2.0");
    edit_and_expect_pass(&folder, "withdraw --package p --bundle p.v1.1.0");
    assert_eq!(
        entries(&folder),
        [
            "1.0.0 r: s:",
            "1.1.0 r:1.0.0 s:",
            "1.2.0 r:1.0.0 s:",
            "1.3.0 r:1.0.0 s:1.2.0,1.1.0"
        ]
    );
    // A second run changes nothing.
    let run = folder.run(&[
        "edit",
        ".",
        "withdraw",
        "--package",
        "p",
        "--bundle",
        "p.v1.1.0",
    ]);
    run.ok();
    assert!(run.stderr.contains("nothing to change"), "{}", run.stderr);
}

#[test]
fn no_entry_replaces_the_withdrawn_one() {
    let folder = folder(&catalog(CHAIN));
    edit_and_expect_pass(
        &folder,
        "withdraw --package p --bundle p.v1.1.0 --by p.v1.3.0",
    );
    assert_eq!(
        entries(&folder),
        [
            "1.0.0 r: s:",
            "1.1.0 r:1.0.0 s:",
            "1.2.0 r:1.0.0 s:",
            "1.3.0 r:1.2.0 s:1.1.0"
        ]
    );
}

/// The next step of a version under each lens.
fn next(folder: &Folder, installed: &str) -> [String; 2] {
    ["v0", "v1"].map(|lens| {
        let run = folder.run(&[
            "next",
            ".",
            "--lens",
            lens,
            "--installed",
            installed,
            "-o",
            "json",
        ]);
        run.ok();
        run.json()["next"].as_str().unwrap_or_default().to_owned()
    })
}

#[test]
fn users_of_entries_skipped_by_the_withdrawn_one_keep_their_updates() {
    // The second withdrawn entry is the only update for users of the first.
    let first = folder(&catalog(CHAIN));
    edit_and_expect_pass(&first, "withdraw --package p --bundle p.v1.1.0");
    edit_and_expect_pass(&first, "withdraw --package p --bundle p.v1.2.0");
    assert_eq!(
        entries(&first),
        [
            "1.0.0 r: s:",
            "1.1.0 r:1.0.0 s:",
            "1.2.0 r:1.0.0 s:1.1.0",
            "1.3.0 r:1.0.0 s:1.2.0,1.1.0"
        ]
    );
    for installed in ["p.v1.1.0", "p.v1.2.0"] {
        assert_eq!(
            next(&first, installed),
            ["p.v1.3.0", "p.v1.3.0"],
            "{installed}"
        );
    }
    // Versions outside of the channel, by name and by range; an existing range stays.
    let entry = "replaces: p.v1.0.0\nskips: [p.v1.0.5]\nskipRange: '>=0.1.0 <1.0.0'";
    let text = catalog(&[
        ("1.0.0", ""),
        ("1.1.0", entry),
        ("1.2.0", "replaces: p.v1.1.0"),
    ]);
    let outside = folder(&text);
    edit_and_expect_pass(&outside, "withdraw --package p --bundle p.v1.1.0");
    assert_eq!(
        entries(&outside),
        [
            "1.0.0 r: s:",
            "1.1.0 r:1.0.0 s:1.0.5 >=0.1.0 <1.0.0",
            "1.2.0 r:1.0.0 s:1.1.0,1.0.5 >=0.1.0 <1.0.0"
        ]
    );
    // If another entry offers an update, no edge is added.
    let text = catalog(&[
        ("1.0.0", ""),
        ("1.1.0", "replaces: p.v1.0.0\nskips: [p.v1.0.5]"),
        ("1.2.0", "replaces: p.v1.1.0"),
        ("1.3.0", "replaces: p.v1.2.0\nskips: [p.v1.0.5]"),
    ]);
    let led = folder(&text);
    edit_and_expect_pass(&led, "withdraw --package p --bundle p.v1.1.0");
    assert!(
        entries(&led).contains(&"1.2.0 r:1.0.0 s:1.1.0".to_owned()),
        "{:?}",
        entries(&led)
    );
}

#[test]
fn the_head_is_not_withdrawn() {
    // The entry is lower than the one it replaces.
    let text = catalog(&[("1.2.0", ""), ("1.1.0", "replaces: p.v1.2.0")]);
    let run = folder(&text).run(&[
        "edit",
        ".",
        "withdraw",
        "--package",
        "p",
        "--bundle",
        "p.v1.1.0",
    ]);
    assert_ne!(run.status, 0);
    assert!(
        run.stderr.contains("channel `stable` has no entry above"),
        "{}",
        run.stderr
    );
}

#[test]
fn the_replacing_entry_takes_over_the_skips() {
    let text = catalog(&[
        ("1.0.0", ""),
        ("1.1.0", ""),
        (
            "1.2.0",
            "replaces: p.v1.0.0\nskips:\n  - p.v1.1.0\n  - p.v1.0.5\nskipRange: '>=0.9.0 <1.2.0'",
        ),
        ("1.3.0", "replaces: p.v1.2.0\nskips: [p.v1.0.5] # rebuilt"),
    ]);
    let file = folder(&text);
    let run = file.run(&[
        "edit",
        ".",
        "remove-entry",
        "--package",
        "p",
        "--channel",
        "stable",
        "--name",
        "p.v1.2.0",
    ]);
    run.ok();
    // The bundle is then in no channel: a hint says what to do.
    assert!(
        run.stderr
            .contains("warning: package `p` passes opm validate, but fails after this edit: "),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains(
            "switchyard edit . remove-bundle --package p --bundle p.v1.2.0 --then relink\n"
        ),
        "{}",
        run.stderr
    );
    assert!(
        !run.stderr.contains("promote"),
        "what is taken out is not brought in again: {}",
        run.stderr
    );
    edit_and_expect_pass(
        &file,
        "remove-bundle --package p --bundle p.v1.2.0 --then relink",
    );
    assert_eq!(
        entries(&file),
        [
            "1.0.0 r: s:",
            "1.1.0 r: s:",
            "1.3.0 r:1.0.0 s:1.0.5,1.1.0 >=0.9.0 <1.2.0"
        ]
    );
    let changed = file.read("p/catalog.yaml");
    assert!(
        changed.contains("    skips: [p.v1.0.5, p.v1.1.0] # rebuilt\n"),
        "as it is written there:\n{changed}"
    );
}

#[test]
fn the_next_entry_becomes_the_head() {
    // As in the semver template.
    let text = catalog(&[
        ("1.0.0", ""),
        ("1.0.1", "skips: [p.v1.0.0]"),
        ("1.1.0", ""),
        ("1.1.1", ""),
        (
            "1.1.2",
            "replaces: p.v1.0.1\nskips: [p.v1.0.0, p.v1.1.0, p.v1.1.1]",
        ),
    ]);
    let folder = folder(&text);
    edit_and_expect_pass(&folder, "remove-bundle --package p --bundle p.v1.1.2");
    let left = [
        "1.0.0 r: s:",
        "1.0.1 r: s:1.0.0",
        "1.1.0 r: s:",
        "1.1.1 r:1.0.1 s:1.0.0,1.1.0",
    ];
    assert_eq!(entries(&folder), left);
}

#[test]
fn a_failing_edit_is_reported_with_all_alternatives() {
    let text = catalog_of(&[("stable", CHAIN), ("old", &CHAIN[..1])]);
    let file = folder(&text);
    let run = file.run(&[
        "edit",
        ".",
        "remove-channel",
        "--package",
        "p",
        "--channel",
        "stable",
    ]);
    run.ok();
    assert!(
        run.stdout.starts_with("diff --git"),
        "the patch is printed anyway"
    );
    let command = run
        .stderr
        .lines()
        .find(|line| line.trim_start().starts_with("printf"))
        .expect("a command that passes");
    let script = command
        .trim()
        .replace("switchyard", test_support::program().to_str().unwrap());
    let status = std::process::Command::new("sh")
        .args(["-c", &format!("{script} --write")])
        .current_dir(file.path())
        .status();
    assert!(status.unwrap().success());
    file.run(&["validate", "."]).ok();
    assert!(
        file.read("p/catalog.yaml")
            .contains("defaultChannel: old\n")
    );

    // With --write the suggested commands write, too, and the requested edit is still made.
    let file = folder(&text);
    let run = file.run(&[
        "edit",
        ".",
        "add-channel",
        "--package",
        "p",
        "--channel",
        "new",
        "--write",
    ]);
    run.ok();
    assert!(
        run.stderr
            .contains("add-channel --package p --channel new --from stable --write\n"),
        "{}",
        run.stderr
    );
    assert!(file.read("p/catalog.yaml").contains("name: new\n"));
    file.run(&["validate", "."]).status(1);
}

#[test]
fn reports_a_failing_package_in_a_failing_catalog() {
    let folder = folder(&catalog(CHAIN));
    folder.write(
        "q/catalog.yaml",
        "schema: olm.package\nname: q\ndefaultChannel: nowhere\n",
    );
    let run = folder.run(&[
        "edit",
        ".",
        "set-replaces",
        "--package",
        "p",
        "--channel",
        "stable",
        "--name",
        "p.v1.3.0",
        "--replaces",
        "none",
    ]);
    run.ok();
    assert!(
        run.stderr
            .contains("warning: package `p` passes opm validate, but fails"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("package p fails now"), "{}", run.stderr);
    // Skipping only the replaced entry would strand the lower ones, so all of them are skipped.
    assert!(
        run.stderr
            .contains(r#""skip":["p.v1.2.0","p.v1.0.0","p.v1.1.0"]"#),
        "{}",
        run.stderr
    );
    assert_eq!(
        run.stderr.matches("--stdin").count(),
        1,
        "setting it back is not offered: {}",
        run.stderr
    );
}

const STREAMS: &[(&str, &str)] = &[
    ("1.0.0", "skipRange: '>=0.8.0 <1.0.0'"),
    ("1.0.1", "replaces: p.v1.0.0\nskips: [p.v0.9.0]"),
    ("1.0.2", "replaces: p.v1.0.1"),
    ("1.1.0", "replaces: p.v1.0.2"),
    ("1.1.1", "replaces: p.v1.1.0"),
    ("2.0.0", "replaces: p.v1.1.1"),
];

#[test]
fn z_streams_keep_the_invariants() {
    let folder = folder(&catalog(STREAMS));
    let states = Folder::new(&[("before/p/catalog.yaml", &catalog(STREAMS))]);
    let rebuild = |rule: &str| {
        folder.write("p/catalog.yaml", &catalog(STREAMS));
        edit_and_expect_pass(
            &folder,
            &format!("rebuild-edges --package p --channel stable --rule {rule}"),
        );
        states.write("after/p/catalog.yaml", &folder.read("p/catalog.yaml"));
        let deny = "latest-patch,latest-patch-at-once,stranded,next-step-v0,next-step-v1,skipped-installed";
        states.run(&["diff", "before", "after", "--deny", deny])
    };
    let run = rebuild("z-stream");
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    let expected = [
        "1.0.0 r: s:",
        "1.0.1 r: s:",
        "1.0.2 r: s:0.9.0,1.0.0,1.0.1 >=0.8.0 <1.0.0",
        "1.1.0 r: s:",
        "1.1.1 r:1.0.2 s:1.1.0",
        "2.0.0 r:1.1.1 s:",
    ];
    assert_eq!(entries(&folder), expected);
    // The template's own graph bypasses the latest patch.
    assert_ne!(rebuild("skip-patch").status, 0);
}

#[test]
fn rules_ignore_empty_skips() {
    let with = |skips: &str| {
        catalog(&[
            ("1.0.0", ""),
            ("1.0.1", &format!("replaces: p.v1.0.0{skips}")),
            ("1.1.0", "replaces: p.v1.0.1"),
            ("1.1.1", "replaces: p.v1.1.0\nskips: []"),
        ])
    };
    for skips in ["", "\nskips: []", "\nskips:"] {
        for rule in ["skip-patch", "z-stream"] {
            edit_and_expect_pass(
                &folder(&with(skips)),
                &format!("rebuild-edges --package p --channel stable --rule {rule}"),
            );
        }
    }
}

/// The output of `opm`'s semver template for 1.0.0, 1.0.1, 1.1.0, then with 1.1.1, then with 1.2.0,
/// in a channel of the major version.
#[test]
fn releases_to_the_semver_template_harm_no_users() {
    let releases: [&[(&str, &str)]; 3] = [
        &[
            ("1.0.0", ""),
            ("1.0.1", "skips: [p.v1.0.0]"),
            ("1.1.0", "replaces: p.v1.0.1\nskips: [p.v1.0.0]"),
        ],
        &[
            ("1.0.0", ""),
            ("1.0.1", "skips: [p.v1.0.0]"),
            ("1.1.0", ""),
            ("1.1.1", "replaces: p.v1.0.1\nskips: [p.v1.0.0, p.v1.1.0]"),
        ],
        &[
            ("1.0.0", ""),
            ("1.0.1", "skips: [p.v1.0.0]"),
            ("1.1.0", ""),
            ("1.1.1", "replaces: p.v1.0.1\nskips: [p.v1.0.0, p.v1.1.0]"),
            (
                "1.2.0",
                "replaces: p.v1.1.1\nskips: [p.v1.0.0, p.v1.0.1, p.v1.1.0]",
            ),
        ],
    ];
    let folder = Folder::new(&[]);
    for (at, release) in releases.iter().enumerate() {
        folder.write(
            &format!("r{at}/p/catalog.yaml"),
            &catalog_of(&[("stable-v1", release)]),
        );
    }
    for (old, new) in [("r0", "r1"), ("r1", "r2"), ("r0", "r2")] {
        let run = folder.run(&["diff", old, new, "--deny", "errors"]);
        assert_eq!(run.status, 0, "{old} {new}\n{}\n{}", run.stdout, run.stderr);
        assert!(!run.stdout.contains("left to chance"));
    }
}

#[test]
fn suggested_commands_run_from_the_current_folder() {
    let folder = folder(&catalog(CHAIN));
    std::fs::create_dir(folder.path().join("it's\nodd")).unwrap();
    std::fs::copy(
        folder.path().join("p/catalog.yaml"),
        folder.path().join("it's\nodd/catalog.yaml"),
    )
    .unwrap();
    std::fs::create_dir(folder.path().join("a")).unwrap();
    let operation = [
        "set-replaces",
        "--channel",
        "stable",
        "--name",
        "p.v1.3.0",
        "--replaces",
        "none",
    ];
    for (before, dir, command) in [
        (&["-C", "p"][..], ".", "switchyard edit p/. "),
        (&["-C", "a", "-C", "../p"], ".", "switchyard edit a/../p/. "),
        (&[], "it's\nodd", r"switchyard edit $'it\'s\012odd' "),
    ] {
        let run = folder.run(&[before, &["edit", dir], &operation].concat());
        run.ok();
        assert!(run.stderr.contains(command), "{command}: {}", run.stderr);
    }
}

#[test]
fn reports_the_write_before_alternatives() {
    let folder = folder(&catalog(CHAIN));
    let args = [
        "edit",
        "p",
        "set-replaces",
        "--channel",
        "stable",
        "--name",
        "p.v1.3.0",
        "--replaces",
        "none",
        "--write",
    ];
    let passing = folder.run(&[&args[..], &["--require-pass"]].concat());
    passing.status(1);
    assert!(
        passing.stderr.contains("help: this keeps it passing:"),
        "{}",
        passing.stderr
    );
    let run = folder.run(&args);
    run.ok();
    assert!(
        run.stderr.contains(
            "written anyway; --require-pass would prevent that. After you revert it, this keeps"
        ),
        "{}",
        run.stderr
    );
}

#[test]
fn a_bundle_that_is_only_an_image_does_not_create_a_second_package() {
    let folder = Folder::new(&[(
        "t.yaml",
        "schema: olm.template.basic\nentries:\n- schema: olm.package\n  name: p\n  defaultChannel: stable\n- schema: olm.channel\n  package: p\n  name: stable\n  entries:\n  - name: p.v1.1.0\n    replaces: p.v1.0.0\n  - name: p.v1.0.0\n- schema: olm.bundle\n  image: quay.io/p/p:1.1.0\n- schema: olm.bundle\n  image: quay.io/p/p:1.0.0\n",
    )]);
    let run = folder.run(&[
        "edit",
        "t.yaml",
        "set-skip-range",
        "--channel",
        "stable",
        "--name",
        "p.v1.1.0",
        "--skip-range",
        "<1.1.0",
    ]);
    run.ok();
    assert!(
        run.stdout.contains("+    skipRange: <1.1.0"),
        "{}",
        run.stdout
    );
}
