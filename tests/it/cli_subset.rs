//! `switchyard subset`: parts of a catalog, printed and as a folder.

use test_support::{Folder, Run};

/// Two packages in one file, with comments, deprecations and a blob without a package.
const CATALOG: &str = "\
---
# About pier.
schema: olm.package
name: pier
defaultChannel: stable # for all
---
schema: olm.channel
package: pier
name: stable
entries:
  # The first of all.
  - name: pier.v1.0.0
  - name: pier.v1.1.0
    replaces: pier.v1.0.0
  # Has the fix.
  - name: pier.v1.2.0
    replaces: pier.v1.1.0
    skips: [pier.v1.1.1]
---
schema: olm.channel
package: pier
name: beta
entries:
- name: pier.v1.1.0
- {name: pier.v2.0.0-rc.1, replaces: pier.v1.1.0}
---
schema: olm.bundle
package: pier
name: pier.v1.0.0
image: example.com/pier:v1.0.0
properties:
- {type: olm.package, value: {packageName: pier, version: 1.0.0}}
---
schema: olm.bundle
package: pier
name: pier.v1.1.0
image: example.com/pier:v1.1.0
properties:
- {type: olm.package, value: {packageName: pier, version: 1.1.0}}
---
schema: olm.bundle
package: pier
name: pier.v1.2.0
image: example.com/pier:v1.2.0 # rebuilt
properties:
- {type: olm.package, value: {packageName: pier, version: 1.2.0}}
---
schema: olm.bundle
package: pier
name: pier.v2.0.0-rc.1
image: example.com/pier:v2.0.0-rc.1
properties:
- {type: olm.package, value: {packageName: pier, version: 2.0.0-rc.1}}
---
schema: olm.deprecations
package: pier
entries:
- reference: {schema: olm.channel, name: beta}
  message: use stable
# Old.
- reference: {schema: olm.bundle, name: pier.v1.0.0}
  message: use 1.2
- reference: {schema: olm.package}
  message: use quay
---
schema: olm.package
name: mole
defaultChannel: alpha
---
schema: olm.channel
package: mole
name: alpha
entries:
- name: mole.v0.1.0
---
schema: olm.bundle
package: mole
name: mole.v0.1.0
image: example.com/mole:v0.1.0
properties:
- {type: olm.package, value: {packageName: mole, version: 0.1.0}}
---
schema: example.com/about
name: harbor
";

fn folder() -> Folder {
    Folder::new(&[("c/catalog.yaml", CATALOG)])
}

/// The documents of the catalog that start with any of these.
fn documents(wanted: &[&str]) -> String {
    let documents = CATALOG
        .split("---\n")
        .skip(1)
        .filter(|document| wanted.iter().any(|text| document.contains(text)));
    documents
        .map(|document| format!("---\n{document}"))
        .collect()
}

fn cut(folder: &Folder, args: &[&str]) -> Run {
    let run = folder.run(&[&["subset", "c"], args].concat());
    run.ok();
    let passes = folder.run_with(&["validate", "-"], &run.stdout);
    passes.ok();
    run
}

#[test]
fn selecting_everything_gives_the_catalog() {
    let folder = folder();
    assert_eq!(cut(&folder, &[]).stdout, CATALOG);
    let out = folder.run(&["subset", "c", "--out", "new/copy"]);
    out.ok();
    assert_eq!(folder.read("new/copy/catalog.yaml"), CATALOG);
    assert!(
        out.stderr.contains("wrote 1 file to new/copy"),
        "{}",
        out.stderr
    );
}

#[test]
fn a_whole_package_is_unchanged() {
    let folder = folder();
    let run = cut(&folder, &["--package", "mole"]);
    assert_eq!(
        run.stdout,
        documents(&["name: mole", "package: mole", "example.com/about"])
    );
    assert!(
        run.stderr
            .contains("1 of 2 packages, 1 of 3 channels, 1 of 6 entries, 1 of 5 bundles"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_channel_includes_its_bundles() {
    let folder = folder();
    let run = cut(&folder, &["--package", "pier", "--channel", "stable"]);
    let whole = documents(&[
        "name: pier\n",
        "name: stable\n",
        "v1.0.0\nimage",
        "v1.1.0\nimage",
        "v1.2.0\nimage",
    ]);
    let deprecations = "---\nschema: olm.deprecations\npackage: pier\nentries:\n# Old.\n\
        - reference: {schema: olm.bundle, name: pier.v1.0.0}\n  message: use 1.2\n\
        - reference: {schema: olm.package}\n  message: use quay\n";
    assert_eq!(
        run.stdout,
        format!("{whole}{deprecations}{}", documents(&["example.com/about"]))
    );
}

#[test]
fn a_version_and_all_above_it_are_kept() {
    let folder = folder();
    let run = cut(&folder, &["--package", "pier", "--from", "1.2"]);
    assert!(
        run.stderr
            .contains("2 of 3 channels, 2 of 6 entries, 2 of 5 bundles"),
        "{}",
        run.stderr
    );
    let stable = "entries:\n  # Has the fix.\n  - name: pier.v1.2.0\n    replaces: pier.v1.1.0\n    skips: [pier.v1.1.1]\n";
    assert!(run.stdout.contains(stable), "{}", run.stdout);
    assert!(
        run.stdout
            .contains("entries:\n- {name: pier.v2.0.0-rc.1, replaces: pier.v1.1.0}\n"),
        "{}",
        run.stdout
    );
    assert!(
        !run.stdout.contains("name: pier.v1.0.0}"),
        "its deprecation is removed: {}",
        run.stdout
    );
}

#[test]
fn the_path_to_an_entry_is_kept() {
    // The head has the lowest version and is the only update from the entries it replaces.
    let folder = folder();
    let turned = CATALOG
        .replace("version: 1.2.0", "version: 0.9.0")
        .replace("version: 1.0.0", "version: 1.3.0");
    folder.write("c/catalog.yaml", &turned);
    let run = cut(
        &folder,
        &[
            "--package",
            "pier",
            "--channel",
            "stable",
            "--from",
            "1.3.0",
        ],
    );
    assert!(run.stderr.contains("3 of 6 entries"), "{}", run.stderr);
}

/// A dependent of two packages, which has a channel of old versions.
const DEPENDENT: &str = "\
---
schema: olm.package
name: buoy
defaultChannel: stable
---
schema: olm.channel
package: buoy
name: stable
entries: [{name: buoy.v2.0.0}]
---
schema: olm.channel
package: buoy
name: old
entries: [{name: buoy.v1.0.0}, {name: buoy.v1.1.0, replaces: buoy.v1.0.0}]
---
schema: olm.bundle
package: buoy
name: buoy.v2.0.0
image: example.com/buoy:v2.0.0
properties:
- {type: olm.package, value: {packageName: buoy, version: 2.0.0}}
- {type: olm.package.required, value: {packageName: pier, versionRange: '>=1.2.0 <2.0.0'}}
- {type: olm.gvk.required, value: {group: dock.io, kind: Crane, version: v1}}
---
schema: olm.bundle
package: buoy
name: buoy.v1.0.0
image: example.com/buoy:v1.0.0
properties:
- {type: olm.package, value: {packageName: buoy, version: 1.0.0}}
---
schema: olm.bundle
package: buoy
name: buoy.v1.1.0
image: example.com/buoy:v1.1.0
properties:
- {type: olm.package, value: {packageName: buoy, version: 1.1.0}}
---
schema: olm.package
name: crane
defaultChannel: stable
---
schema: olm.channel
package: crane
name: stable
entries: [{name: crane.v1.0.0}]
---
schema: olm.bundle
package: crane
name: crane.v1.0.0
image: example.com/crane:v1.0.0
properties:
- {type: olm.package, value: {packageName: crane, version: 1.0.0}}
- {type: olm.gvk, value: {group: dock.io, kind: Crane, version: v1}}
";

#[test]
fn losses_that_nobody_selected_are_named() {
    let folder = Folder::new(&[("c/catalog.yaml", CATALOG), ("c/buoy.yaml", DEPENDENT)]);
    let run = cut(&folder, &["--package", "buoy", "--from", "2.0.0"]);
    assert_eq!(
        run.stderr.lines().skip(1).collect::<Vec<_>>(),
        [
            "channel `old` of `buoy` disappears: none of its versions (1.0.0 to 1.1.0) is kept",
            "`buoy` requires API `Crane` (`dock.io/v1`), which no kept bundle provides: add `crane`",
            "`buoy` requires package `pier` `>=1.2.0 <2.0.0`, which no kept bundle provides: add `pier`",
        ]
    );
    let scope = ["--package", "buoy", "--channel", "stable"];
    let run = cut(
        &folder,
        &[&scope[..], &["--package", "pier", "crane"]].concat(),
    );
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    let run = cut(
        &folder,
        &["--package", "buoy", "crane", "pier", "--only", "pier=1.0.0"],
    );
    assert!(
        run.stderr.contains("keep more versions of `pier`"),
        "{}",
        run.stderr
    );
    let run = cut(&folder, &["--from", "2.0.0"]);
    let gone =
        "3 packages disappear, because none of their versions is selected: `crane`, `mole`, `pier`";
    assert!(run.stderr.contains(gone), "{}", run.stderr);
}

#[test]
fn heads_can_be_kept_alone() {
    let folder = folder();
    let run = cut(&folder, &["--heads-only"]);
    assert!(
        run.stderr
            .contains("2 of 2 packages, 3 of 3 channels, 3 of 6 entries, 3 of 5 bundles"),
        "{}",
        run.stderr
    );
    assert!(
        run.stdout
            .contains("image: example.com/pier:v1.2.0 # rebuilt\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn requires_a_new_default_channel() {
    let folder = folder();
    let refused = folder.run(&["subset", "c", "--package", "pier", "--channel", "beta"]);
    refused.status(2);
    assert_eq!(refused.stdout, "");
    for message in [
        "the subset drops the default channel `stable` of package `pier`",
        "catalog.yaml:5:17",
        "choose another default channel: `beta`",
    ] {
        assert!(refused.stderr.contains(message), "{}", refused.stderr);
    }
    let run = cut(
        &folder,
        &[
            "--package",
            "pier",
            "--channel",
            "beta",
            "--default-channel",
            "beta",
        ],
    );
    assert!(
        run.stdout.contains("defaultChannel: beta # for all\n"),
        "{}",
        run.stdout
    );
    let wrong = folder.run(&[
        "subset",
        "c",
        "--channel",
        "pier=beta",
        "--default-channel",
        "pier=stable",
    ]);
    wrong.status(2);
    assert!(
        wrong
            .stderr
            .contains("channel `stable` of package `pier` is not selected"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn options_can_apply_to_one_package() {
    let folder = folder();
    let run = cut(
        &folder,
        &["--channel", "pier=stable", "--from", "pier=1.1.0"],
    );
    assert!(
        run.stderr
            .contains("2 of 2 packages, 2 of 3 channels, 3 of 6 entries"),
        "{}",
        run.stderr
    );
    // Without a package, those without the channel are dropped.
    let run = cut(&folder, &["--channel", "alpha"]);
    assert_eq!(
        run.stdout,
        documents(&["name: mole", "package: mole", "example.com/about"])
    );
}

#[test]
fn unknown_names_are_refused() {
    let folder = folder();
    for (args, message) in [
        (&["--package", "peer"][..], "did you mean `pier`?"),
        (&["--channel", "stabel"], "did you mean `stable`?"),
        (
            &["--package", "mole", "--channel", "stable"],
            "none of the selected packages has a channel `stable`",
        ),
        (
            &["--package", "mole", "--channel", "pier=stable"],
            "is for package `pier`, which is not selected",
        ),
        (
            &["--package", "pier", "mole", "--channel", "alpha"],
            "package `pier` has none of the selected channels",
        ),
        (
            &["--package", "mole", "--from", "9"],
            "the highest version of the package is 0.1.0",
        ),
        (&["--from", "one"], "`one` is not a version"),
    ] {
        let run = folder.run(&[&["subset", "c"], args].concat());
        run.status(2);
        assert!(run.stderr.contains(message), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn a_folder_keeps_its_layout() {
    let bundle = CATALOG
        .split("---\n")
        .find(|document| document.contains("name: mole.v0.1.0\nimage"))
        .unwrap();
    let folder = Folder::new(&[
        ("c/catalog.yaml", CATALOG),
        ("c/README.md", "# Harbor\n"),
        ("c/.indexignore", "*.md\n"),
        (
            "c/more/nets/package.yaml",
            "schema: olm.package\nname: nets\ndefaultChannel: a\n",
        ),
        (
            "c/more/nets/a.yaml",
            "schema: olm.channel\npackage: nets\nname: a\nentries:\n- name: nets.v1.0.0\n",
        ),
        (
            "c/more/nets/b.yaml",
            &bundle.replace("mole", "nets").replace("0.1.0", "1.0.0"),
        ),
        ("c/more/nets/README.md", "# Nets\n"),
    ]);
    folder
        .run(&["subset", "c", "--package", "nets", "--out", "nets"])
        .ok();
    assert_eq!(folder.read("nets/README.md"), "# Harbor\n");
    assert_eq!(folder.read("nets/more/nets/README.md"), "# Nets\n");
    assert_eq!(
        folder.read("nets/catalog.yaml"),
        documents(&["example.com/about"])
    );
    folder.run(&["validate", "nets"]).ok();
    folder
        .run(&["subset", "c", "--package", "mole", "--out", "mole"])
        .ok();
    assert!(!folder.path().join("mole/more").exists());
    // Printing joins the files.
    let printed = cut(&folder, &["--package", "nets"]);
    assert_eq!(
        printed.stdout.matches("---\n").count(),
        4,
        "{}",
        printed.stdout
    );
}

#[test]
fn a_folder_with_content_is_refused() {
    let folder = folder();
    folder.write("there/file", "mine");
    let refused = folder.run(&["subset", "c", "--out", "there"]);
    refused.status(2);
    assert!(
        refused.stderr.contains("there is not empty"),
        "{}",
        refused.stderr
    );
    let refused = folder.run(&["subset", "c", "--out", "there/file"]);
    refused.status(2);
    // A refused run leaves no folder.
    folder
        .run(&["subset", "c", "--package", "none", "--out", "new"])
        .status(2);
    assert!(!folder.path().join("new").exists());
    let names: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn unreadable_parts_are_reported() {
    let folder = folder();
    folder.write("c/broken.yaml", "schema: olm.bundle\n  x: [\n");
    let refused = folder.run(&["subset", "c", "--package", "mole"]);
    refused.status(2);
    assert!(
        refused.stderr.contains("broken.yaml") && refused.stderr.contains("--partial"),
        "{}",
        refused.stderr
    );
    let run = cut(&folder, &["--package", "mole", "--partial"]);
    assert_eq!(
        run.stdout,
        documents(&["name: mole", "package: mole", "example.com/about"])
    );
    // A subset of everything equals the catalog.
    folder.run(&["subset", "c", "--out", "copy"]).ok();
    assert_eq!(
        folder.read("copy/broken.yaml"),
        "schema: olm.bundle\n  x: [\n"
    );
}

#[test]
fn reads_a_catalog_from_standard_input() {
    let folder = Folder::new(&[]);
    let run = folder.run_with(&["subset", "-", "--package", "mole", "-q"], CATALOG);
    run.ok();
    assert_eq!(
        run.stdout,
        documents(&["name: mole", "package: mole", "example.com/about"])
    );
    assert_eq!(run.stderr, "");
}

#[test]
fn json_stays_json() {
    let folder = folder();
    let json = folder.run(&["render", "c"]);
    folder.write("j/catalog.json", &json.stdout);
    let run = folder.run(&["subset", "j", "--package", "pier", "--heads-only"]);
    run.ok();
    assert!(
        run.stdout
            .starts_with("{\n    \"schema\": \"olm.package\","),
        "{}",
        run.stdout
    );
    folder.run_with(&["validate", "-"], &run.stdout).ok();
}

/// Versions with a suffix, and a branch that joins only at the last entry.
const BOUNDS: &str = "\
---
schema: olm.package
name: redis
defaultChannel: production
---
schema: olm.channel
package: redis
name: production
entries:
- name: redis.v7.8.2-6
- name: redis.v7.8.2-6.0
  replaces: redis.v7.8.2-6
- name: redis.v7.8.4
  replaces: redis.v7.8.2-6
- name: redis.v7.9.0
  replaces: redis.v7.8.4
  skips: [redis.v7.8.2-6.0]
";

fn redis() -> Folder {
    let bundle = |version: &str| {
        format!(
            "---\nschema: olm.bundle\npackage: redis\nname: redis.v{version}\nimage: example.com/redis:v{version}\nproperties:\n\
             - {{type: olm.package, value: {{packageName: redis, version: {version}}}}}\n"
        )
    };
    let versions = ["7.8.2-6", "7.8.2-6.0", "7.8.4", "7.9.0"];
    let text = BOUNDS.to_owned() + &versions.map(bundle).concat();
    let folder = Folder::new(&[("c/catalog.yaml", &text)]);
    folder.run(&["validate", "c", "--profile", "opm"]).ok();
    folder
}

/// The names that a subset has.
fn names(run: &Run) -> Vec<String> {
    run.ok();
    let bundles = run
        .stdout
        .split("---\n")
        .filter(|blob| blob.contains("schema: olm.bundle"));
    let name = |blob: &str| {
        let line = blob.lines().find(|line| line.starts_with("name: "));
        line.unwrap_or_default()["name: redis.v".len()..].to_owned()
    };
    bundles.map(name).collect()
}

#[test]
fn one_version_selects_exactly_that_version() {
    let folder = redis();
    let run = folder.run(&["subset", "c", "--only", "7.8.2-6.0"]);
    assert_eq!(names(&run), ["7.8.2-6.0"]);
    assert!(
        run.stdout.contains("replaces: redis.v7.8.2-6"),
        "{}",
        run.stdout
    );
    assert!(!run.stderr.contains("would not pass"), "{}", run.stderr);
    let run = folder.run(&["subset", "c", "--package", "redis", "--only", "7.8.3"]);
    run.status(2);
    assert!(
        run.stderr.contains("has no entry of version 7.8.3")
            && run.stderr.contains("its versions go from 7.8.2-6 to 7.9.0"),
        "{}",
        run.stderr
    );
}

#[test]
fn an_upper_bound_is_included() {
    let folder = redis();
    let run = folder.run(&["subset", "c", "--to", "7.8.2-6.0"]);
    assert_eq!(names(&run), ["7.8.2-6", "7.8.2-6.0"]);
    let run = folder.run(&["subset", "c", "--from", "7.8.4", "--to", "7.8.9"]);
    assert_eq!(names(&run), ["7.8.4"]);
    let run = folder.run(&["subset", "c", "--from", "8.0.0", "--to", "7.0.0"]);
    run.status(2);
    assert!(
        run.stderr.contains("8.0.0 is higher than 7.0.0"),
        "{}",
        run.stderr
    );
}

#[test]
fn an_upper_bound_that_leaves_two_heads_is_refused_with_an_alternative() {
    let folder = redis();
    let run = folder.run(&["subset", "c", "--to", "7.8.4"]);
    run.status(2);
    assert!(
        run.stderr
            .contains("2 heads (`redis.v7.8.2-6.0`, `redis.v7.8.4`)")
            && run.stderr.contains("raise the bound"),
        "{}",
        run.stderr
    );
    folder.run(&["subset", "c", "--to", "7.9.0"]).ok();
}

#[test]
fn bounds_of_other_kinds_exclude_one_version() {
    for other in [["--from", "7.8.4"], ["--to", "7.8.4"]] {
        redis()
            .run(&[&["subset", "c", "--only", "7.8.4"][..], &other].concat())
            .status(2);
    }
    redis()
        .run(&["subset", "c", "--to", "7.8.4", "--heads-only"])
        .status(2);
}
