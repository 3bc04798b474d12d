//! Covers every class of dropped files: bundles, questions, and files opened as a catalog; and how
//! bundles are read.

use super::*;
use std::io::Write;
use std::path::Path;

/// Returns the files below `folder` of the bundle directory in the test data.
fn yard(folder: &str) -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/bundles/yard");
    let mut files = Vec::new();
    for part in ["manifests", "metadata"] {
        for entry in std::fs::read_dir(root.join(part)).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{folder}{part}/{}", entry.file_name().to_str().unwrap());
            files.push(File {
                path,
                bytes: std::fs::read(entry.path()).unwrap(),
            });
        }
    }
    files
}

fn file(path: &str, bytes: impl AsRef<[u8]>) -> File {
    File {
        path: path.to_owned(),
        bytes: bytes.as_ref().to_vec(),
    }
}

fn tar(files: &[File]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for File { path, bytes } in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, path, bytes.as_slice())
            .unwrap();
    }
    tar.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(bytes).unwrap();
    gz.finish().unwrap()
}

fn paths(files: Vec<File>) -> Option<Vec<String>> {
    Some(
        find_bundles(files)?
            .into_iter()
            .map(|source| source.path)
            .collect(),
    )
}

fn names(files: Vec<File>, image: &str) -> Vec<String> {
    let (bundles, refused) = read(&find_bundles(files).unwrap(), image);
    assert_eq!(refused, []);
    bundles
        .iter()
        .map(|bundle| format!("{} {}", bundle.blob["name"], bundle.blob["image"]).replace('"', ""))
        .collect()
}

const IMAGE: &str = "example.com/{{.Package}}:v{{.Version}}";
const BUNDLE: &str = "schema: olm.bundle\nname: p.v1.0.0\npackage: p\nimage: a/b:c\nproperties:\n- type: olm.package\n  \
                      value: {packageName: p, version: 1.0.0}\n";
const CATALOG: &str = "schema: olm.package\nname: p\ndefaultChannel: c\n";

#[test]
fn a_bundle_directory() {
    assert_eq!(paths(yard("yard/")), Some(vec!["yard".to_owned()]));
    assert_eq!(
        names(yard("yard/"), IMAGE),
        ["yard.v1.2.0 example.com/yard:v1.2.0"]
    );
    assert_eq!(
        names(yard("yard/"), ""),
        ["yard.v1.2.0 "],
        "its image is required"
    );
    let with_more = [
        yard("yard/"),
        vec![
            file("yard/bundle.Dockerfile", "FROM scratch"),
            file("yard/tests/s.yaml", "a: 1"),
        ],
    ];
    assert_eq!(paths(with_more.concat()), Some(vec!["yard".to_owned()]));
}

#[test]
fn bundle_directories_side_by_side_and_in_a_repository() {
    let versions = [
        yard("yard/1.1.0/"),
        yard("yard/1.2.0/"),
        vec![file("yard/ci.yaml", "updateGraph: replaces-mode")],
    ];
    assert_eq!(
        paths(versions.concat()),
        Some(vec!["yard/1.1.0".to_owned(), "yard/1.2.0".to_owned()])
    );
    let repository = [
        yard("repo/bundle/"),
        vec![
            file("repo/config/manager.yaml", "kind: Deployment"),
            file("repo/README.md", "#"),
        ],
    ];
    assert_eq!(
        paths(repository.concat()),
        Some(vec!["repo/bundle".to_owned()])
    );
    let (bundles, refused) = read(&find_bundles(versions.concat()).unwrap(), IMAGE);
    assert_eq!(
        (bundles.len(), refused.len()),
        (1, 1),
        "both are the same bundle"
    );
    assert_eq!(refused[0].message, "bundle `yard.v1.2.0` was dropped twice");
}

#[test]
fn archives_of_a_bundle_directory() {
    for (name, bytes) in [
        ("yard.tar", tar(&yard(""))),
        ("yard.tgz", gzip(&tar(&yard("yard-1.2.0/")))),
    ] {
        assert_eq!(
            names(vec![file(name, bytes)], IMAGE),
            ["yard.v1.2.0 example.com/yard:v1.2.0"],
            "{name}"
        );
    }
    assert_eq!(
        paths(vec![file("a.tgz", gzip(&tar(&yard("y/"))))]),
        Some(vec!["a.tgz/y".to_owned()])
    );
}

#[test]
fn a_damaged_archive_does_not_hide_the_bundles_beside_it() {
    let damaged = || file("bad.tgz", "no archive");
    let good = file("yard.tgz", gzip(&tar(&yard(""))));
    let (bundles, refused) = read(&find_bundles(vec![damaged(), good]).unwrap(), IMAGE);
    assert_eq!((bundles.len(), refused.len()), (1, 1));
    assert_eq!(refused[0].source, "bad.tgz");
    assert_eq!(find_bundles(vec![damaged()]), None, "opened as a catalog");
}

#[test]
fn a_saved_bundle_image() {
    let layers = [tar(&yard("").split_off(2)), gzip(&tar(&yard("")[..2]))];
    let docker = vec![
        file(
            "manifest.json",
            r#"[{"Layers":["1/layer.tar","2/layer.tar"]}]"#,
        ),
        file("1/layer.tar", &layers[0]),
        file("2/layer.tar", &layers[1]),
    ];
    assert_eq!(
        names(vec![file("image.tar", tar(&docker))], "a/b:c"),
        ["yard.v1.2.0 a/b:c"]
    );
    let oci = vec![
        file("oci-layout", "{}"),
        file("index.json", r#"{"manifests":[{"digest":"sha256:m"}]}"#),
        file(
            "blobs/sha256/m",
            r#"{"layers":[{"digest":"sha256:1"},{"digest":"sha256:2"}]}"#,
        ),
        file("blobs/sha256/1", &layers[0]),
        file("blobs/sha256/2", &layers[1]),
    ];
    assert_eq!(
        names(vec![file("image.tar", tar(&oci))], "a/b:c"),
        ["yard.v1.2.0 a/b:c"]
    );
}

#[test]
fn blobs_that_opm_rendered() {
    let two = format!("---\n{BUNDLE}---\n{}", BUNDLE.replace("1.0.0", "1.1.0"));
    assert_eq!(
        names(vec![file("two.yaml", two)], ""),
        ["p.v1.0.0 a/b:c", "p.v1.1.0 a/b:c"]
    );
    let json = r#"{"schema":"olm.bundle","name":"p.v1","package":"p","image":"","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.0"}}]}"#;
    assert_eq!(
        names(vec![file("p.json", json)], IMAGE),
        ["p.v1 example.com/p:v1.0.0"],
        "a template fills in an image"
    );
    assert_eq!(
        names(vec![file("p.yaml", BUNDLE)], "x/y:z"),
        ["p.v1.0.0 x/y:z"],
        "another image can be named for one"
    );
    assert_eq!(
        names(vec![file("p.yaml", BUNDLE)], IMAGE),
        ["p.v1.0.0 a/b:c"],
        "a template does not go before an image"
    );
}

#[test]
fn a_catalog_is_not_a_bundle() {
    for files in [
        vec![file("c/catalog.yaml", CATALOG)],
        vec![file("catalog.yaml", format!("{CATALOG}---\n{BUNDLE}"))],
        vec![file("catalog.yaml", "a: [")],
        vec![file("catalog.yaml", "")],
        vec![file("c.tar", tar(&[file("c/catalog.yaml", CATALOG)]))],
        vec![file("c.tar", "no tar at all")],
        vec![file("README.md", "#")],
        [
            yard("repo/bundle/"),
            vec![file("repo/catalog/p.yaml", CATALOG)],
        ]
        .concat(),
        [
            yard("yard/"),
            vec![file(
                "c.tgz",
                gzip(&tar(&[file("c/catalog.yaml", CATALOG)])),
            )],
        ]
        .concat(),
        Vec::new(),
    ] {
        let first = files.first().map(|file| file.path.clone());
        assert_eq!(paths(files), None, "{first:?}");
    }
}

#[test]
fn a_bad_bundle_is_refused_with_its_place() {
    let mut files = yard("yard/");
    let csv = files
        .iter_mut()
        .find(|file| file.path.ends_with("clusterserviceversion.yaml"))
        .unwrap();
    csv.bytes = String::from_utf8(csv.bytes.clone())
        .unwrap()
        .replace("version: v1\n", "version: v9\n")
        .into_bytes();
    let line = 1 + String::from_utf8_lossy(&csv.bytes)
        .lines()
        .position(|line| line.contains("signals.yard"))
        .unwrap();
    let (bundles, refused) = read(&find_bundles(files).unwrap(), IMAGE);
    assert!(bundles.is_empty());
    let [refused] = &refused[..] else {
        panic!("{refused:?}")
    };
    assert!(
        refused
            .message
            .contains("error checking provided apis in bundle yard.v1.2.0"),
        "{}",
        refused.message
    );
    assert_eq!(
        (refused.source.as_str(), refused.line),
        ("yard", line as u32)
    );
    assert_eq!(refused.file, "manifests/yard.clusterserviceversion.yaml");
    assert!(
        refused.help.starts_with("add the CustomResourceDefinition"),
        "{}",
        refused.help
    );
}

#[test]
fn a_bundle_without_a_package_is_refused() {
    let mut files = yard("yard/");
    let annotations = files
        .iter_mut()
        .find(|file| file.path.ends_with("annotations.yaml"))
        .unwrap();
    annotations.bytes =
        b"annotations:\n  operators.operatorframework.io.bundle.channels.v1: stable\n".to_vec();
    let (bundles, refused) = read(&find_bundles(files).unwrap(), IMAGE);
    assert_eq!((bundles.len(), refused.len()), (0, 1));
    assert!(
        refused[0].message.contains("names no package"),
        "{}",
        refused[0].message
    );
}

const SUBSCRIPTION: &str = "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata:\n  name: s\nspec:\n  name: p\n";

fn found(files: &[(&str, &str)]) -> Option<usize> {
    let file = |(path, text): &(&str, &str)| File {
        path: (*path).to_owned(),
        bytes: text.as_bytes().to_vec(),
    };
    let files: Vec<File> = files.iter().map(file).collect();
    find_manifests(&files).map(|questions| questions.len())
}

#[test]
fn subscriptions_are_found_alone_and_among_other_objects() {
    assert_eq!(found(&[("s.yaml", SUBSCRIPTION)]), Some(1));
    let other = "apiVersion: v1\nkind: Namespace\nmetadata: {name: n}\n";
    assert_eq!(
        found(&[
            ("n.yaml", other),
            ("s.yml", SUBSCRIPTION),
            ("README.md", "schema: olm.package")
        ]),
        Some(1)
    );
    assert_eq!(found(&[("n.yaml", other)]), None);
    let list = format!(
        "apiVersion: v1\nkind: List\nitems:\n- {}",
        SUBSCRIPTION.trim_end().replace('\n', "\n  ") + "\n"
    );
    assert_eq!(found(&[("all.yaml", &list)]), Some(1));
    assert_eq!(
        found(&[("s.txt", SUBSCRIPTION)]),
        None,
        "only YAML and JSON are read"
    );
}

#[test]
fn reports_unreadable_objects_that_contain_a_question() {
    let odd = SUBSCRIPTION.replace("  name: p\n", "  channel: c\n");
    let files = [File {
        path: "s.yaml".into(),
        bytes: odd.into_bytes(),
    }];
    let questions = find_manifests(&files).expect("a question");
    assert_eq!(
        questions[0]
            .questions
            .as_ref()
            .expect_err("no package")
            .error
            .reason,
        "it has no `spec.name`"
    );
}

#[test]
fn catalog_files_are_not_questions() {
    let catalog = "schema: olm.package\nname: p\n";
    assert_eq!(
        found(&[("c.yaml", catalog), ("s.yaml", SUBSCRIPTION)]),
        None
    );
    assert_eq!(
        found(&[("c.yaml", &format!("{catalog}---\n{SUBSCRIPTION}"))]),
        None
    );
    assert_eq!(
        found(&[("t.yaml", "schema: olm.semver\n"), ("s.yaml", SUBSCRIPTION)]),
        None
    );
}
