//! `switchyard edit`: optional package names, one edit of several things, and refusals.

use test_support::Folder;

fn channel(package: &str, name: &str, entries: &[&str]) -> String {
    let mut text =
        format!("---\nschema: olm.channel\npackage: {package}\nname: {name}\nentries:\n");
    for (at, version) in entries.iter().enumerate() {
        text.push_str(&format!("- name: {package}.v{version}\n"));
        if let Some(before) = at.checked_sub(1) {
            text.push_str(&format!("  replaces: {package}.v{}\n", entries[before]));
        }
    }
    text
}

fn bundle(package: &str, version: &str) -> String {
    format!(
        "---\nschema: olm.bundle\npackage: {package}\nname: {package}.v{version}\nimage: quay.io/{package}:v{version}\n\
         properties:\n- type: olm.package\n  value:\n    packageName: {package}\n    version: {version}\n"
    )
}

/// `stable` has 1.0.0, `fast` all versions, `beta` 1.0.0.
fn package(name: &str) -> String {
    let versions = ["1.0.0", "1.1.0", "1.2.0"];
    let bundles: String = versions
        .iter()
        .map(|version| bundle(name, version))
        .collect();
    format!(
        "schema: olm.package\nname: {name}\ndefaultChannel: stable\n{}{}{}{bundles}",
        channel(name, "stable", &versions[..1]),
        channel(name, "fast", &versions),
        channel(name, "beta", &versions[..1]),
    )
}

fn folder() -> Folder {
    Folder::new(&[
        ("one/p.yaml", &package("p")),
        ("two/p.yaml", &package("p")),
        ("two/q.yaml", &package("q")),
    ])
}

fn edit_files(args: &[&str]) -> (Folder, String) {
    let folder = folder();
    let run = folder.run(&[args, &["--write"]].concat());
    run.ok();
    let text = folder.read("one/p.yaml");
    (folder, text)
}

#[test]
fn the_only_package_is_optional() {
    let folder = folder();
    for operation in [
        "promote --bundle p.v1.1.0 --to stable",
        "withdraw --bundle p.v1.1.0",
        "set-default-channel --channel fast",
        "set-replaces --channel fast --name p.v1.2.0 --replaces p.v1.0.0",
        "add-skip --channel fast --name p.v1.2.0 --skip p.v0.9.0",
        "set-skip-range --channel fast --name p.v1.2.0 --skip-range <1.2.0",
        "remove-entry --channel fast --name p.v1.1.0",
        "deprecate --message old",
        "rebuild-edges --channel fast --rule skip-range",
        "add-channel --channel new --from fast",
        "rename-channel --channel fast --to new",
        "remove-channel --channel fast",
        "remove-bundle --bundle p.v1.1.0",
        "set-description --text x",
        "add-bundle --bundle p.v1.3.0 --version 1.3.0 --image quay.io/p:v1.3.0 --to fast",
        "set-image --bundle p.v1.1.0 --image quay.io/p:v1.1.0-1",
        "add-property --bundle p.v1.1.0 --type t --value 1",
    ] {
        let with = |dir, options: &[&str]| {
            let words: Vec<&str> = operation.split(' ').collect();
            let mut all = vec!["edit", dir, words[0]];
            all.extend(options);
            all.extend(&words[1..]);
            folder.run(&all)
        };
        let with_package = with("one", &["--package", "p"]);
        with_package.ok();
        assert!(
            with_package.stdout.starts_with("diff --git"),
            "{operation}: {}",
            with_package.stdout
        );
        assert_eq!(with("one", &[]).stdout, with_package.stdout, "{operation}");
        let two = with("two", &[]);
        two.status(2);
        assert!(
            two.stderr
                .contains("the catalog has 2 packages, and none was named"),
            "{operation}: {}",
            two.stderr
        );
    }
}

#[test]
fn an_operation_applies_to_several_targets() {
    let (_, text) = edit_files(&[
        "edit", "one", "promote", "--bundle", "p.v1.1.0", "--bundle", "p.v1.2.0", "--to", "stable",
        "--to", "beta",
    ]);
    assert!(
        text.contains(&channel("p", "stable", &["1.0.0", "1.1.0", "1.2.0"])),
        "{text}"
    );
    assert!(
        text.contains(&channel("p", "beta", &["1.0.0", "1.1.0", "1.2.0"])),
        "{text}"
    );
    let (_, text) = edit_files(&[
        "edit",
        "one",
        "remove-channel",
        "--channel",
        "fast",
        "--channel",
        "beta",
    ]);
    assert!(
        !text.contains("name: fast")
            && !text.contains("name: beta")
            && text.contains("name: stable"),
        "{text}"
    );
    let (_, text) = edit_files(&[
        "edit",
        "one",
        "deprecate",
        "--bundle",
        "p.v1.0.0",
        "--bundle",
        "p.v1.1.0",
        "--message",
        "old",
    ]);
    assert_eq!(text.matches("schema: olm.bundle").count(), 5, "{text}");
    let (_, text) = edit_files(&[
        "edit",
        "one",
        "set-image",
        "--bundle",
        "p.v1.0.0",
        "--bundle",
        "p.v1.1.0",
        "--image",
        "quay.io/x:v1",
    ]);
    assert_eq!(text.matches("quay.io/x:v1").count(), 2, "{text}");
    let args = [
        "edit",
        "one",
        "set-skip-range",
        "--channel",
        "stable",
        "--channel",
        "fast",
        "--name",
        "p.v1.0.0",
        "--skip-range",
        "<1.0.0",
    ];
    let (_, text) = edit_files(&args);
    assert_eq!(text.matches("skipRange:").count(), 2, "{text}");
    let args = [
        "edit",
        "one",
        "add-bundle",
        "--bundle",
        "p.v1.3.0",
        "--version",
        "1.3.0",
        "--image",
        "quay.io/p:v1.3.0",
        "--to",
        "fast",
        "--to",
        "beta",
    ];
    let (_, text) = edit_files(&args);
    assert_eq!(text.matches("- name: p.v1.3.0").count(), 2, "{text}");
    let folder = folder();
    let run = folder.run(&[
        "edit",
        "two",
        "set-default-channel",
        "--package",
        "p",
        "--package",
        "q",
        "--channel",
        "fast",
        "--write",
    ]);
    run.ok();
    for file in ["two/p.yaml", "two/q.yaml"] {
        assert!(folder.read(file).contains("defaultChannel: fast"));
    }
    // All catalogs are edited or none.
    let before = folder.read("one/p.yaml");
    folder
        .run(&[
            "edit", "one", "promote", "--bundle", "p.v1.1.0", "--bundle", "p.v9.9.9", "--to",
            "stable", "--write",
        ])
        .status(2);
    assert_eq!(folder.read("one/p.yaml"), before);
}

#[test]
fn nothing_is_written_if_the_catalog_would_fail() {
    let folder = folder();
    let before = folder.read("one/p.yaml");
    let breaking = ["edit", "one", "remove-channel", "--channel", "stable"];
    for write in [&["--write"][..], &[]] {
        let run = folder.run(&[&breaking[..], write, &["--require-pass"]].concat());
        run.status(1);
        assert_eq!(
            (folder.read("one/p.yaml"), &*run.stdout),
            (before.clone(), "")
        );
        assert!(
            run.stderr
                .contains("one would not pass opm validate:\n    invalid index"),
            "{}",
            run.stderr
        );
    }
    folder
        .run(&[
            "edit",
            "one",
            "remove-channel",
            "--channel",
            "beta",
            "--write",
            "--require-pass",
        ])
        .ok();
    assert!(!folder.read("one/p.yaml").contains("name: beta"));
    // No catalog is changed if one of them would not pass.
    let folder = self::folder();
    folder.write(
        "two/p.yaml",
        &package("p").replace("defaultChannel: stable", "defaultChannel: fast"),
    );
    let args = [
        "edit",
        "two",
        "remove-channel",
        "--package",
        "p",
        "--channel",
        "stable",
        "--also-in",
        "one",
        "--write",
    ];
    folder
        .run(&[&args[..], &["--require-pass"]].concat())
        .status(1);
    assert!(folder.read("two/p.yaml").contains("name: stable"));
    folder.run(&args).ok();
    assert!(!folder.read("two/p.yaml").contains("name: stable"));
}
