//! `switchyard merge`: several catalogs as one, printed and as a folder, with a choice for every
//! conflict.

use test_support::Folder;

/// A catalog with one package of one bundle.
fn catalog(package: &str, comment: &str) -> String {
    format!(
        "---\n# {comment}\nschema: olm.package\nname: {package}\ndefaultChannel: stable\n---\nschema: olm.channel\n\
         package: {package}\nname: stable\nentries:\n- name: {package}.v1.0.0\n---\nschema: olm.bundle\n\
         package: {package}\nname: {package}.v1.0.0\nimage: example.com/{package}:v1.0.0\nproperties:\n\
         - type: olm.package\n  value: {{packageName: {package}, version: 1.0.0}}\n"
    )
}

const ABOUT: &str = "---\nschema: example.com/about\nname: all\n";

#[test]
fn disjoint_catalogs_are_merged() {
    let (pier, mole) = (catalog("pier", "of a"), catalog("mole", "of b"));
    let folder = Folder::new(&[
        ("a/pier/catalog.yaml", &pier),
        ("b/mole/catalog.yaml", &mole),
    ]);
    let run = folder.run(&["merge", "a", "b"]);
    run.ok();
    assert_eq!(run.stdout, format!("{pier}{mole}"));
    folder.run(&["merge", "a", "b", "--out", "c"]).ok();
    assert_eq!(folder.read("c/pier/catalog.yaml"), pier);
    assert_eq!(folder.read("c/mole/catalog.yaml"), mole);
    folder.run(&["validate", "c"]).ok();
    let again = folder.run(&["merge", "a", "b", "--out", "c"]);
    again.status(2);
    assert!(again.stderr.contains("c is not empty"), "{}", again.stderr);
}

#[test]
fn files_of_the_same_name_are_concatenated() {
    let (pier, mole) = (catalog("pier", "of a"), catalog("mole", "of b"));
    let folder = Folder::new(&[
        ("a/catalog.yaml", &format!("{pier}{ABOUT}")),
        ("b/catalog.yaml", &format!("{mole}{ABOUT}")),
    ]);
    let run = folder.run(&["merge", "a", "b", "--out", "c"]);
    run.ok();
    // Equal blobs without a package are merged.
    assert_eq!(
        folder.read("c/catalog.yaml"),
        format!("{pier}{ABOUT}{mole}")
    );
    assert!(
        run.stderr
            .contains("catalog.yaml combines the blobs of a, b, in that order"),
        "{}",
        run.stderr
    );
    // Or kept apart, on request.
    let run = folder.run(&["merge", "a", "b", "--take", "catalog.yaml=b", "--out", "d"]);
    run.ok();
    assert_eq!(folder.read("d/catalog.yaml"), mole);
    assert_eq!(folder.read("d/a/catalog.yaml"), format!("{pier}{ABOUT}"));
    assert!(
        run.stderr
            .contains("catalog.yaml of a becomes a/catalog.yaml"),
        "{}",
        run.stderr
    );
}

#[test]
fn equal_packages_are_merged_into_one() {
    let pier = catalog("pier", "of a");
    // Equal values in another spelling and other files.
    let other = pier
        .replace("name: stable\nentries", "\"name\": 'stable'\nentries")
        .replace("# of a", "# of b");
    let folder = Folder::new(&[
        ("a/pier/catalog.yaml", &pier),
        (
            "b/catalog.yaml",
            &format!("{}{}", other, catalog("mole", "of b")),
        ),
    ]);
    let run = folder.run(&["merge", "a", "b", "--out", "c"]);
    run.ok();
    assert_eq!(folder.read("c/pier/catalog.yaml"), pier);
    assert_eq!(folder.read("c/catalog.yaml"), catalog("mole", "of b"));
    assert!(
        run.stderr
            .contains("package pier is in several catalogs: taken from a"),
        "{}",
        run.stderr
    );
    folder
        .run(&["merge", "a", "b", "--take", "pier=b", "--out", "d"])
        .ok();
    assert_eq!(
        folder.read("d/catalog.yaml"),
        format!("{}{}", other, catalog("mole", "of b"))
    );
    assert!(!folder.path().join("d/pier").exists());
}

#[test]
fn different_packages_of_one_name_need_a_choice() {
    let pier = catalog("pier", "of a");
    let newer = pier.replace("1.0.0", "2.0.0");
    let mole = catalog("mole", "of a");
    let folder = Folder::new(&[
        ("a/catalog.yaml", &format!("{mole}{pier}")),
        ("b b/pier.yaml", &newer),
        (
            "b b/mole.yaml",
            &mole.replace("example.com/mole", "quay.io/mole"),
        ),
    ]);
    for args in [
        &["merge", "a", "b b"][..],
        &["merge", "a", "b b", "--out", "c"],
    ] {
        let refused = folder.run(args);
        refused.status(2);
        assert_eq!(refused.stdout, "");
        for text in [
            "2 conflicts between the catalogs; nothing was merged",
            "package `mole` is not the same in a/catalog.yaml:2 and b b/mole.yaml:2",
            "--take mole=a\n",
            "--take 'mole=b b'\n",
            "package `pier` is not the same in a/catalog.yaml:21 and b b/pier.yaml:2",
            "--take 'pier=b b'\n",
        ] {
            assert!(refused.stderr.contains(text), "{text}: {}", refused.stderr);
        }
    }
    assert!(!folder.path().join("c").exists());
    let run = folder.run(&[
        "merge", "a", "b b", "--take", "mole=a", "--take", "pier=b b",
    ]);
    run.ok();
    assert_eq!(run.stdout, format!("{mole}{newer}"));
    // One choice does not resolve two conflicts.
    let refused = folder.run(&["merge", "a", "b b", "--take", "mole=a"]);
    refused.status(2);
    assert!(
        refused.stderr.contains("one conflict") && !refused.stderr.contains("mole"),
        "{}",
        refused.stderr
    );
}

#[test]
fn files_that_cannot_be_joined_need_a_choice() {
    let (pier, mole) = (catalog("pier", "of a"), catalog("mole", "of b"));
    let folder = Folder::new(&[
        ("x/catalog.yaml", &mole),
        ("a/catalog.yaml", &pier),
        ("a/README.md", "# A\n"),
    ]);
    let json = folder.run(&["render", "x"]);
    folder.write("b/catalog.yaml", &json.stdout);
    folder.write("b/README.md", "# B\n");
    for catalog in ["a", "b"] {
        folder.write(&format!("{catalog}/.indexignore"), "*.md\n");
    }
    let refused = folder.run(&["merge", "a", "b", "--out", "c"]);
    refused.status(2);
    for text in [
        "a/README.md and b/README.md cannot be merged: neither has blobs, and their content differs",
        "--take README.md=a",
        "a/catalog.yaml and b/catalog.yaml cannot be merged: one is YAML and the other JSON",
        "--take catalog.yaml=b",
    ] {
        assert!(refused.stderr.contains(text), "{text}: {}", refused.stderr);
    }
    let choices = ["--take", "README.md=b", "--take", "catalog.yaml=a"];
    folder
        .run(&[&["merge", "a", "b", "--out", "c"], &choices[..]].concat())
        .ok();
    assert_eq!(folder.read("c/README.md"), "# B\n");
    assert_eq!(folder.read("c/catalog.yaml"), pier);
    assert_eq!(folder.read("c/b/catalog.yaml"), json.stdout);
    folder.run(&["validate", "c"]).ok();
    // Printed as one YAML stream, which may contain JSON.
    let printed = folder.run(&["merge", "a", "b"]);
    printed.ok();
    let validated = folder.run_with(&["list", "packages", "-"], &printed.stdout);
    assert!(
        validated.stdout.contains("mole") && validated.stdout.contains("pier"),
        "{}",
        validated.stdout
    );
}

#[test]
fn ignore_patterns_of_one_catalog_do_not_affect_another() {
    let (pier, mole) = (catalog("pier", "of a"), catalog("mole", "of b"));
    let folder = Folder::new(&[
        ("a/catalog.yaml", &pier),
        ("a/.indexignore", "mole*\n"),
        ("b/mole.yaml", &mole),
    ]);
    let refused = folder.run(&["merge", "a", "b", "--out", "c"]);
    refused.status(2);
    assert!(
        refused.stderr.contains("would ignore `mole.yaml` of b"),
        "{}",
        refused.stderr
    );
    folder.run(&["merge", "a", "b"]).ok();
}

#[test]
fn wrong_names_are_refused() {
    let folder = Folder::new(&[
        ("a/catalog.yaml", &catalog("pier", "of a")),
        ("b/mole.yaml", &catalog("mole", "of b")),
    ]);
    for (args, message) in [
        (&["a", "a"][..], "a is named twice"),
        (
            &["a", "b", "--take", "pier=c"],
            "--take pier=c names none of the catalogs",
        ),
        (
            &["a", "b", "--take", "pier=b"],
            "b has neither a package nor a file `pier`",
        ),
        (&["a", "c"], "stat c"),
    ] {
        let run = folder.run(&[&["merge"], args].concat());
        run.status(2);
        assert!(run.stderr.contains(message), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn merged_parts_equal_the_catalog() {
    let whole = format!(
        "{}{}{ABOUT}",
        catalog("pier", "of a"),
        catalog("mole", "of b")
    );
    let folder = Folder::new(&[("c/catalog.yaml", &whole)]);
    for package in ["pier", "mole"] {
        folder
            .run(&["subset", "c", "--package", package, "--out", package])
            .ok();
    }
    folder
        .run(&["merge", "pier", "mole", "--out", "merged"])
        .ok();
    let merged = folder.read("merged/catalog.yaml");
    assert_eq!(
        merged,
        format!(
            "{}{ABOUT}{}",
            catalog("pier", "of a"),
            catalog("mole", "of b")
        )
    );
}
