//! The commands that create a catalog: `render`, `init`, `generate dockerfile`, `migrate`, and new
//! bundles and packages.

use serde_json::Value;
use std::path::{Path, PathBuf};
use test_support::Folder;

const TEMPLATE: &str = "example.com/{{.Package}}:v{{.Version}}";
const MIGRATED: [&str; 2] = ["--migrate-level", "bundle-object-to-csv-metadata"];

fn data(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/bundles")
        .join(path)
}

fn yard() -> String {
    data("yard").display().to_string()
}

fn blobs(text: &str) -> Vec<Value> {
    serde_json::Deserializer::from_str(text)
        .into_iter()
        .map(Result::unwrap)
        .collect()
}

/// A catalog with the bundle's package, whose bundles have their metadata.
const CATALOG: &str = "\
schema: olm.package
name: yard
defaultChannel: stable
---
schema: olm.channel
package: yard
name: stable
entries:
- name: yard.v1.1.0 # the first
---
schema: olm.bundle
package: yard
name: yard.v1.1.0
image: example.com/yard:v1.1.0
properties:
- type: olm.package
  value:
    packageName: yard
    version: 1.1.0
- type: olm.csv.metadata
  value:
    displayName: Yard
";

#[test]
fn a_bundle_directory_becomes_its_blob() {
    let folder = Folder::new(&[]);
    let run = folder.run(&[
        "render",
        &yard(),
        "--image-ref-template",
        TEMPLATE,
        MIGRATED[0],
        MIGRATED[1],
    ]);
    run.ok();
    assert_eq!(
        run.stdout,
        std::fs::read_to_string(data("yard.json")).unwrap()
    );
    let plain = folder.run(&["render", &yard()]).json();
    assert_eq!(plain["image"], "");
    let kinds: Vec<&str> = plain["properties"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds[5..], ["olm.bundle.object", "olm.bundle.object"]);
}

#[test]
fn yaml_of_a_blob_is_read_as_the_same_blob() {
    let folder = Folder::new(&[]);
    let yaml = folder.run(&["render", &yard(), "-o", "yaml"]);
    yaml.ok();
    folder.write("catalog/catalog.yaml", &yaml.stdout);
    assert_eq!(
        folder.run(&["render", "catalog"]).json(),
        folder.run(&["render", &yard()]).json()
    );
}

#[test]
fn a_bad_bundle_is_refused_with_its_place() {
    let folder = Folder::new(&[]);
    for path in [
        "manifests/yard.clusterserviceversion.yaml",
        "metadata/annotations.yaml",
    ] {
        folder.write(
            &format!("b/{path}"),
            &std::fs::read_to_string(data("yard").join(path)).unwrap(),
        );
    }
    let run = folder.run(&["render", "b"]);
    run.status(2);
    let message = "couldn't find yard.example.com/v1/Signal (signals) in bundle. found: map[]";
    assert!(run.stderr.contains(message), "{}", run.stderr);
    assert!(
        run.stderr.contains("yard.clusterserviceversion.yaml:15"),
        "{}",
        run.stderr
    );
    folder.write("b/metadata/annotations.yaml", "- none\n");
    let crd = "manifests/signals.crd.yaml";
    folder.write(
        &format!("b/{crd}"),
        &std::fs::read_to_string(data("yard").join(crd)).unwrap(),
    );
    assert!(
        folder
            .run(&["render", "b"])
            .stderr
            .contains("Could not find annotations file")
    );
}

#[test]
fn files_of_a_bundle_that_opm_ignores_are_reported() {
    let folder = Folder::new(&[]);
    for path in [
        "manifests/yard.clusterserviceversion.yaml",
        "manifests/signals.crd.yaml",
        "metadata/annotations.yaml",
    ] {
        folder.write(
            &format!("b/{path}"),
            &std::fs::read_to_string(data("yard").join(path)).unwrap(),
        );
    }
    let before = folder.run(&["render", "b"]);
    before.ok();
    assert_eq!(before.stderr, "");
    folder.write("b/manifests/notes.yaml", "a: 1\n");
    let run = folder.run(&["render", "b"]);
    run.ok();
    assert_eq!(run.stdout, before.stdout);
    for text in [
        "advice: opm leaves this file out of the bundle",
        "b/manifests/notes.yaml:1",
        "help: correct the file",
    ] {
        assert!(run.stderr.contains(text), "{text}: {}", run.stderr);
    }
}

#[test]
fn init_creates_the_package_blob() {
    let folder = Folder::new(&[
        ("README.md", "# Yard\n"),
        ("icon.svg", "<svg></svg>"),
        ("icon.txt", "no picture"),
    ]);
    let blob = folder
        .run(&[
            "init",
            "yard",
            "-c",
            "stable",
            "-d",
            "README.md",
            "-i",
            "icon.svg",
        ])
        .json();
    assert_eq!(blob["description"], "# Yard\n");
    assert_eq!(blob["icon"]["mediatype"], "image/svg+xml");
    let refused = folder.run(&["init", "yard", "-i", "icon.txt"]);
    refused.status(2);
    assert!(
        refused
            .stderr
            .contains("detected invalid type \"\": not an image"),
        "{}",
        refused.stderr
    );
}

#[test]
fn the_dockerfile_is_beside_its_catalog_and_not_overwritten() {
    let folder = Folder::new(&[("yards/catalog.yaml", CATALOG)]);
    folder
        .run(&["generate", "dockerfile", "yards", "-l", "b=2,a=1"])
        .ok();
    let text = folder.read("yards.Dockerfile");
    assert!(
        text.contains("ADD yards /configs\n")
            && text.ends_with("LABEL \"a\"=\"1\"\nLABEL \"b\"=\"2\"\n"),
        "{text}"
    );
    let again = folder.run(&["generate", "dockerfile", "yards"]);
    again.status(2);
    assert!(
        again
            .stderr
            .contains("path \"yards.Dockerfile\": file already exists"),
        "{}",
        again.stderr
    );
}

#[test]
fn a_bundle_is_added_to_a_catalog_as_it_is_rendered() {
    let folder = Folder::new(&[("c/catalog.yaml", CATALOG)]);
    let image = "example.com/yard:v1.2.0";
    let refused = folder.run(&[
        "edit",
        "c",
        "add-bundle",
        "--from",
        &yard(),
        "--to",
        "stable",
    ]);
    refused.status(2);
    assert!(
        refused.stderr.contains("name it with --image"),
        "{}",
        refused.stderr
    );
    folder
        .run(&[
            "edit",
            "c",
            "--write",
            "add-bundle",
            "--from",
            &yard(),
            "--image",
            image,
            "--to",
            "stable",
        ])
        .ok();
    let text = folder.read("c/catalog.yaml");
    assert!(
        text.contains(
            "- name: yard.v1.1.0 # the first\n- name: yard.v1.2.0\n  replaces: yard.v1.1.0\n"
        ),
        "{text}"
    );
    let expected: Value =
        serde_json::from_str(&std::fs::read_to_string(data("yard.json")).unwrap()).unwrap();
    let blobs = blobs(&folder.run(&["render", "c"]).stdout);
    assert!(blobs.contains(&expected), "{text}");
    folder.run(&["validate", "c"]).ok();
}

#[test]
fn the_first_bundle_has_the_format_of_its_openshift_version() {
    let package = "schema: olm.package\nname: yard\ndefaultChannel: stable\n";
    let catalogs = ["v4.16/catalog.yaml", "v4.18/catalog.yaml", "c/catalog.yaml"];
    let folder = Folder::new(&catalogs.map(|path| (path, package)));
    let image = "example.com/yard:v1.2.0";
    for (catalog, has_metadata) in [("v4.16", false), ("v4.18", true), ("c", false)] {
        folder
            .run(&[
                "edit",
                catalog,
                "--write",
                "add-bundle",
                "--from",
                &yard(),
                "--image",
                image,
            ])
            .ok();
        let text = folder.read(&format!("{catalog}/catalog.yaml"));
        assert_eq!(
            text.contains("olm.csv.metadata"),
            has_metadata,
            "{catalog}: {text}"
        );
        assert_eq!(
            text.contains("olm.bundle.object"),
            !has_metadata,
            "{catalog}: {text}"
        );
    }
}

#[test]
fn the_first_package_is_written_to_the_given_file() {
    let folder = Folder::new(&[("c/.indexignore", ""), ("one/catalog.json", "")]);
    let add = |package: &str, more: &[&str]| {
        folder.run(
            &[
                &["edit", "c", "--write", "add-package", "--package", package][..],
                more,
            ]
            .concat(),
        )
    };
    for path in ["../out.yaml", "rail/catalog.txt"] {
        let refused = add("rail", &["--file", path]);
        refused.status(2);
        assert!(
            refused.stderr.contains("is not a catalog file"),
            "{}",
            refused.stderr
        );
    }
    add("rail", &["--file", "rail/catalog.json"]).ok();
    add("yard", &["--file", "elsewhere.yaml"]).ok();
    assert!(
        folder
            .read("c/rail/catalog.json")
            .contains("\"name\": \"rail\"")
    );
    assert!(
        folder
            .read("c/yard/catalog.json")
            .contains("\"name\": \"yard\""),
        "as the first one is laid out"
    );
    folder
        .run(&["edit", "one", "--write", "add-package", "--package", "rail"])
        .ok();
    assert!(
        folder
            .read("one/catalog.json")
            .contains("\"name\": \"rail\""),
        "in the empty file"
    );
    folder
        .run(&[
            "edit",
            "c",
            "--write",
            "remove-package",
            "--package",
            "yard",
        ])
        .ok();
    add("yard", &[]).ok();
    assert!(
        folder
            .read("c/yard/catalog.json")
            .contains("\"name\": \"yard\""),
        "in the file that it left empty"
    );
}

#[test]
fn adds_and_removes_packages() {
    let folder = Folder::new(&[("c/yard/catalog.yaml", CATALOG), ("README.md", "Rails\n")]);
    folder
        .run(&[
            "edit",
            "c",
            "--write",
            "add-package",
            "--package",
            "rail",
            "--default-channel",
            "a",
            "--description",
            "README.md",
        ])
        .ok();
    let text = folder.read("c/rail/catalog.yaml");
    assert!(
        text.contains("name: rail") && text.contains("Rails"),
        "{text}"
    );
    let again = folder.run(&["edit", "c", "add-package", "--package", "rail"]);
    again.status(2);
    assert!(
        again.stderr.contains("is already in this catalog"),
        "{}",
        again.stderr
    );
    folder
        .run(&[
            "edit",
            "c",
            "--write",
            "remove-package",
            "--package",
            "rail",
        ])
        .ok();
    assert!(
        !folder
            .run(&["list", "packages", "c"])
            .stdout
            .contains("rail")
    );
}

#[test]
fn migrating_changes_only_the_properties() {
    let folder = Folder::new(&[]);
    let image = "example.com/yard:v1.2.0";
    let yaml = folder
        .run(&[
            "render",
            &yard(),
            "--image-ref-template",
            image,
            "-o",
            "yaml",
        ])
        .stdout;
    let yaml = format!("# ours\n{}", yaml.trim_start_matches("---\n"));
    let definition = CATALOG
        .split("---\nschema: olm.bundle")
        .next()
        .unwrap()
        .replace("1.1.0", "1.2.0");
    folder.write("c/catalog.yaml", &format!("{definition}---\n{yaml}"));
    let patch = folder.run(&["migrate", "c"]);
    patch.ok();
    assert!(
        patch.stdout.contains("olm.csv.metadata") && patch.stderr.contains("fewer"),
        "{}",
        patch.stderr
    );
    let expected = blobs(
        &folder
            .run(&["render", "c", MIGRATED[0], MIGRATED[1]])
            .stdout,
    );
    folder.run(&["migrate", "c", "--write"]).ok();
    assert_eq!(blobs(&folder.run(&["render", "c"]).stdout), expected);
    assert!(folder.read("c/catalog.yaml").contains("# ours\n"));
    assert!(folder.run(&["migrate", "c"]).stdout.is_empty());
}
