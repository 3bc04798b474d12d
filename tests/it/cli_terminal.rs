//! Catalog text in answers, refusals and annotations cannot control the terminal. Pipes and devices
//! do not block.

use test_support::{Folder, Run};

/// Names that clear the screen, ring the bell, reverse the writing direction, and imitate a line of
/// ours.
const NASTY: &str = "p.v1.0.0\\e[2J\\a\\u202E\\x9B1m\\nerror: forged";

fn catalog(head: &str) -> String {
    let entries = format!("- name: \"{head}\"\n  replaces: \"{NASTY}\"\n- name: \"{NASTY}\"\n");
    let bundle = |name: &str, version: &str| {
        format!(
            "---\nschema: olm.bundle\npackage: p\nname: \"{name}\"\nimage: \"quay.io/p/p:{version}\\e[2J\"\nproperties:\n- type: olm.package\n  value: {{packageName: p, version: {version}}}\n"
        )
    };
    format!(
        "---\nschema: olm.package\nname: p\ndefaultChannel: \"a\\e[2J\"\n---\nschema: olm.channel\npackage: p\nname: \"a\\e[2J\"\nentries:\n{entries}{}{}",
        bundle(NASTY, "1.0.0"),
        bundle(head, "2.0.0")
    )
}

fn is_control_character(c: char) -> bool {
    c.is_control() && c != '\n' || ('\u{202a}'..='\u{202e}').contains(&c)
}

fn is_harmless(args: &[&str], run: &Run) {
    for text in [&run.stdout, &run.stderr] {
        assert!(!text.contains(is_control_character), "{args:?}: {text:?}");
        assert!(
            !text.lines().any(|line| line.starts_with("error: forged")),
            "{args:?}: {text}"
        );
    }
}

#[test]
fn catalog_content_cannot_control_the_terminal() {
    let folder = Folder::new(&[
        ("old/p/catalog.yaml", &catalog("p.v2.0.0\\e[2J")),
        (
            "new/p/catalog.yaml",
            &catalog("p.v2.0.0\\e[31m\\nerror: forged"),
        ),
        (
            "bad/p/catalog.yaml",
            &catalog("p.v2.0.0").replace("defaultChannel: \"a", "defaultChannel: \"b\\a"),
        ),
    ]);
    let nasty = "p.v1.0.0\u{1b}[2J\u{7}\u{202e}\u{9b}1m\nerror: forged";
    let commands: &[&[&str]] = &[
        &["validate", "bad"],
        &["validate", "bad", "--format", "github"],
        &["validate", "bad", "--format", "json"],
        &["list", "packages", "new"],
        &["list", "channels", "new"],
        &["list", "bundles", "new"],
        &[
            "next",
            "new",
            "--package",
            "p",
            "--installed",
            nasty,
            "--lens",
            "v0",
        ],
        &[
            "next",
            "new",
            "--package",
            "p",
            "--installed",
            nasty,
            "--lens",
            "v1",
        ],
        &[
            "next",
            "new",
            "--package",
            "p",
            "--installed",
            nasty,
            "--lens",
            "v1",
            "--format",
            "json",
        ],
        &[
            "path",
            "new",
            "--package",
            "p",
            "--installed",
            nasty,
            "--lens",
            "v0",
        ],
        &["path", "new", "--package", "p", "--lens", "v1"],
        &[
            "next",
            "new",
            "--package",
            "p\u{1b}[2J\nerror: forged",
            "--lens",
            "v1",
        ],
        &["diff", "old", "new"],
        &["diff", "old", "new", "--format", "markdown"],
        &["diff", "old", "new", "--format", "json"],
        &["matrix", "old", "new", "--package", "p"],
        &[
            "edit",
            "new",
            "promote",
            "--package",
            "p",
            "--bundle",
            "none",
            "--to",
            "x\u{1b}[2J\nerror: forged",
        ],
        &[
            "edit",
            "new",
            "remove-entry",
            "--package",
            "p",
            "--channel",
            "a",
            "--name",
            "x\u{7}",
        ],
    ];
    let mut count = 0;
    for args in commands {
        let run = folder.run(args);
        is_harmless(args, &run);
        count += usize::from(run.stdout.contains('\u{fffd}') || run.stderr.contains('\u{fffd}'));
    }
    assert!(count >= 10, "only {count} answers show such a name");
}

/// No program writes to this pipe, so reading it would block forever.
#[cfg(unix)]
#[test]
fn pipes_and_devices_are_reported_and_not_read() {
    use std::process::Command;
    let folder = Folder::new(&[("c/p/catalog.yaml", &catalog("p.v2.0.0"))]);
    let below = folder.path().join("c/p");
    assert!(
        Command::new("mkfifo")
            .arg(below.join("pipe.yaml"))
            .status()
            .unwrap()
            .success()
    );
    assert!(
        Command::new("mkfifo")
            .arg(below.join(".indexignore"))
            .status()
            .unwrap()
            .success()
    );
    std::os::unix::fs::symlink("/dev/zero", below.join("zero.yaml")).unwrap();
    let run = folder.run(&["validate", "c", "--format", "json"]);
    run.status(1);
    for (file, what) in [
        ("p/pipe.yaml", "a pipe"),
        ("p/.indexignore", "a pipe"),
        ("p/zero.yaml", "a device"),
    ] {
        let is_reported = run.json()["diagnostics"]
            .as_array()
            .unwrap()
            .iter()
            .any(|problem| {
                let message = problem["message"].as_str().unwrap_or_default();
                message.contains(file) && message.contains(what)
            });
        assert!(is_reported, "{file}: {}", run.stdout);
    }
}
