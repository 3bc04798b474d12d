//! `switchyard edit`: the place of a new bundle in a channel, substitution of bundles, and removal
//! of bundles.

use test_support::Folder;

/// A package `p` with one channel of these entries, and a bundle for each of these versions.
fn catalog(entries: &str, bundles: &[&str]) -> String {
    let mut text = format!(
        "---\nschema: olm.package\nname: p\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: p\nname: stable\nentries:\n{entries}"
    );
    text.push_str("---\nschema: olm.channel\npackage: p\nname: other\nentries:\n");
    for bundle in bundles {
        text.push_str(&format!("  - name: p.v{bundle}\n"));
    }
    for version in bundles {
        text.push_str(&format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: q/p:v{version}\nproperties:\n  - type: olm.package\n    value:\n      packageName: p\n      version: '{version}'\n"
        ));
    }
    text
}

/// The entries of the channel `stable` after an edit.
fn stable(folder: &Folder) -> String {
    let text = folder.read("catalog.yaml");
    let (_, from) = text.split_once("name: stable\nentries:\n").unwrap();
    from.split("---").next().unwrap().to_owned()
}

fn edit(entries: &str, bundles: &[&str], operation: &str) -> String {
    let folder = Folder::new(&[("catalog.yaml", &catalog(entries, bundles))]);
    let args: Vec<&str> = operation.split(' ').collect();
    folder
        .run(&[&["edit", "."][..], &args, &["--write"]].concat())
        .ok();
    stable(&folder)
}

/// The lower part of a channel with a gap below 3.3.0.
const LOWER: &str = "  - name: p.v3.2.3\n  - name: p.v3.2.4\n    replaces: p.v3.2.3\n";
const ALL: [&str; 5] = ["3.2.3", "3.2.4", "3.2.5", "3.3.0", "3.3.1"];

#[test]
fn a_bundle_that_was_missing_closes_the_gap() {
    for how in ["", " --as chain"] {
        for above in [
            "  - name: p.v3.3.0\n    replaces: p.v3.2.5\n",
            // A longer chain above the gap.
            "  - name: p.v3.3.0\n    replaces: p.v3.2.5\n  - name: p.v3.3.1\n    replaces: p.v3.3.0\n",
        ] {
            assert_eq!(
                edit(
                    &format!("{LOWER}{above}"),
                    &ALL,
                    &format!("promote --bundle p.v3.2.5 --to stable{how}")
                ),
                format!("{LOWER}  - name: p.v3.2.5\n    replaces: p.v3.2.4\n{above}")
            );
        }
    }
}

#[test]
fn an_absent_name_that_was_replaced_is_skipped() {
    // Users of 3.2.9, which is in no channel, still get 3.3.0.
    assert_eq!(
        edit(
            &format!("{LOWER}  - name: p.v3.3.0\n    replaces: p.v3.2.9\n"),
            &ALL,
            "promote --bundle p.v3.2.5 --to stable --as chain"
        ),
        format!(
            "{LOWER}  - name: p.v3.2.5\n    replaces: p.v3.2.4\n  - name: p.v3.3.0\n    replaces: p.v3.2.5\n    skips:\n      - p.v3.2.9\n"
        )
    );
    // The chain ends in an absent name, and the new entry is below all others.
    assert_eq!(
        edit(
            "  - name: p.v3.3.0\n    replaces: p.v3.2.5\n  - name: p.v3.3.1\n    replaces: p.v3.3.0\n",
            &ALL,
            "promote --bundle p.v3.2.4 --to stable"
        ),
        "  - name: p.v3.2.4\n  - name: p.v3.3.0\n    replaces: p.v3.2.4\n    skips:\n      - p.v3.2.5\n  - name: p.v3.3.1\n    replaces: p.v3.3.0\n"
    );
}

#[test]
fn no_entry_is_changed_to_replace_a_skipped_one() {
    // The head still replaces 3.2.4: under Classic no user gets 3.2.5, which it skips.
    let head = "  - name: p.v3.3.0\n    replaces: p.v3.2.4\n    skips:\n      - p.v3.2.5\n";
    assert_eq!(
        edit(
            &format!("{LOWER}{head}"),
            &ALL,
            "promote --bundle p.v3.2.5 --to stable"
        ),
        format!("{LOWER}  - name: p.v3.2.5\n    replaces: p.v3.2.4\n{head}")
    );
    assert_eq!(
        edit(
            &format!(
                "{LOWER}  - name: p.v3.3.0\n    replaces: p.v3.2.5\n    skips:\n      - p.v3.2.5\n"
            ),
            &ALL,
            "promote --bundle p.v3.2.5 --to stable"
        ),
        format!("{LOWER}  - name: p.v3.2.5\n    replaces: p.v3.2.4\n{head}")
    );
}

#[test]
fn a_new_bundle_closes_the_gap_too() {
    let above = "  - name: p.v3.3.0\n    replaces: p.v3.2.5\n";
    assert_eq!(
        edit(
            &format!("{LOWER}{above}"),
            &["3.2.3", "3.2.4", "3.3.0"],
            "add-bundle --bundle p.v3.2.5 --image q/p:v3.2.5 --to stable"
        ),
        format!("{LOWER}  - name: p.v3.2.5\n    replaces: p.v3.2.4\n{above}")
    );
}

/// A bundle directory with these edges in its CSV.
fn bundle_directory(version: &str, annotations: &str, spec: &str) -> [(String, String); 2] {
    [
        (
            format!("bundle/{version}/manifests/p.clusterserviceversion.yaml"),
            format!(
                "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: p.v{version}\n  annotations:\n    a: b\n{annotations}spec:\n  version: {version}\n  displayName: P\n  install:\n    strategy: deployment\n    spec: {{deployments: []}}\n{spec}"
            ),
        ),
        (
            format!("bundle/{version}/metadata/annotations.yaml"),
            "annotations:\n  operators.operatorframework.io.bundle.mediatype.v1: registry+v1\n  operators.operatorframework.io.bundle.manifests.v1: manifests/\n  operators.operatorframework.io.bundle.metadata.v1: metadata/\n  operators.operatorframework.io.bundle.package.v1: p\n  operators.operatorframework.io.bundle.channels.v1: stable\n".to_owned(),
        ),
    ]
}

fn add_from_directory(
    entries: &str,
    bundles: &[&str],
    annotations: &str,
    spec: &str,
) -> (String, String) {
    let catalog = catalog(entries, bundles);
    let directory = bundle_directory("1.1.0", annotations, spec);
    let folder = Folder::new(&[
        ("catalog/catalog.yaml", catalog.as_str()),
        (&directory[0].0, &directory[0].1),
        (&directory[1].0, &directory[1].1),
    ]);
    let run = folder.run(&[
        "edit",
        "catalog",
        "add-bundle",
        "--from",
        "bundle/1.1.0",
        "--image",
        "q/p:v1.1.0",
        "--to",
        "stable",
        "--write",
    ]);
    run.ok();
    let text = folder.read("catalog/catalog.yaml");
    let (_, from) = text.split_once("name: stable\nentries:\n").unwrap();
    (
        from.split("---").next().unwrap().to_owned(),
        run.stderr.clone(),
    )
}

#[test]
fn the_edges_of_the_csv_become_those_of_the_entry() {
    let present = "  - name: p.v1.0.0\n  - name: p.v1.0.1\n    replaces: p.v1.0.0\n";
    let (entries, remarks) = add_from_directory(
        present,
        &["1.0.0", "1.0.1"],
        "    olm.skipRange: '>=1.0.0 <1.1.0'\n",
        "  replaces: p.v1.0.0\n  skips:\n  - p.v1.0.1\n",
    );
    assert_eq!(
        entries,
        format!(
            "{present}  - name: p.v1.1.0\n    replaces: p.v1.0.0\n    skips:\n      - p.v1.0.1\n    skipRange: '>=1.0.0 <1.1.0'\n"
        )
    );
    assert!(!remarks.contains("the CSV"), "{remarks}");
}

#[test]
fn reports_a_csv_edge_that_would_make_two_heads() {
    // Case B4: 1.0.1 replaced 1.0.0, which is in no channel.
    let present = "  - name: p.v1.0.1\n    replaces: p.v1.0.0\n";
    let (entries, remarks) = add_from_directory(present, &["1.0.1"], "", "  replaces: p.v1.0.0\n");
    assert_eq!(
        entries,
        format!(
            "{present}  - name: p.v1.1.0\n    replaces: p.v1.0.1\n    skips:\n      - p.v1.0.0\n"
        )
    );
    assert!(
        remarks.contains("the CSV of `p.v1.1.0` replaces `p.v1.0.0`; its entry replaces `p.v1.0.1` and skips `p.v1.0.0`"),
        "{remarks}"
    );
}

const LISTED: &str = "  - name: p.v1.0.0\n  - name: p.v1.1.0 # good\n    replaces: p.v1.0.0\n  - name: p.v1.2.0\n    replaces: p.v1.1.0\n    skips: [p.v1.0.9, p.v1.1.0]\n";

#[test]
fn a_bundle_replaces_another_everywhere() {
    let versions = ["1.0.0", "1.1.0", "1.1.1", "1.2.0"];
    let text = catalog(LISTED, &versions).replace("  - name: p.v1.1.1\n", "")
        + "---\nschema: olm.deprecations\npackage: p\nentries:\n  - reference:\n      schema: olm.bundle\n      name: p.v1.1.0\n    message: old\n";
    for (skip_old, skips, is_hinted) in [
        (None, "", true),
        (Some("--skip-old"), "    skips: [p.v1.1.0]\n", false),
    ] {
        let folder = Folder::new(&[("catalog.yaml", &text)]);
        let args = [
            "edit",
            ".",
            "substitute",
            "--bundle",
            "p.v1.1.0",
            "--by",
            "p.v1.1.1",
            "--write",
        ];
        let run = folder.run(&[&args[..], skip_old.as_slice()].concat());
        run.ok();
        assert_eq!(
            stable(&folder),
            format!(
                "  - name: p.v1.0.0\n  - name: p.v1.1.1 # good\n    replaces: p.v1.0.0\n{skips}  - name: p.v1.2.0\n    replaces: p.v1.1.1\n    skips: [p.v1.0.9, p.v1.1.1]\n"
            )
        );
        let after = folder.read("catalog.yaml");
        assert!(
            after.contains("      name: p.v1.1.1\n    message: old\n"),
            "{after}"
        );
        assert!(
            !after.contains("image: q/p:v1.1.0\n"),
            "the old bundle is gone: {after}"
        );
        assert_eq!(
            run.stderr.contains("`--skip-old` lets `p.v1.1.1` skip it"),
            is_hinted,
            "{}",
            run.stderr
        );
    }
}

#[test]
fn substitute_and_rename_need_a_free_existing_name() {
    let folder = Folder::new(&[(
        "catalog.yaml",
        &catalog(LISTED, &["1.0.0", "1.1.0", "1.2.0"]),
    )]);
    let refusal = |args: &[&str]| {
        let run = folder.run(&[&["edit", "."][..], args].concat());
        assert_eq!(run.status, 2, "{run:?}");
        run.stderr
    };
    let missing = refusal(&["substitute", "--bundle", "p.v1.1.0", "--by", "p.v1.1.1"]);
    assert!(
        missing.contains("has no bundle `p.v1.1.1` to take the place of `p.v1.1.0`"),
        "{missing}"
    );
    let listed = refusal(&["substitute", "--bundle", "p.v1.1.0", "--by", "p.v1.2.0"]);
    assert!(
        listed.contains("already lists `p.v1.2.0` beside `p.v1.1.0`"),
        "{listed}"
    );
    let unknown = refusal(&["rename-bundle", "--bundle", "p.v1.1.9", "--to", "p.v1.1.8"]);
    assert!(
        unknown.contains("package `p` has no bundle `p.v1.1.9`"),
        "{unknown}"
    );
    let taken = refusal(&["rename-bundle", "--bundle", "p.v1.1.0", "--to", "p.v1.2.0"]);
    assert!(taken.contains("`p.v1.2.0`"), "{taken}");
}

#[test]
fn a_renamed_bundle_keeps_its_blob() {
    // Case D1: the name that `opm` requires of a bundle with a release.
    let text = catalog(
        "  - name: p.v1.0.0\n  - name: p.v1.0.0-1\n    replaces: p.v1.0.0\n",
        &["1.0.0"],
    )
    .replace(
        "name: other\nentries:\n",
        "name: other\nentries:\n  - name: p.v1.0.0-1\n",
    ) + "---\nschema: olm.bundle\npackage: p\nname: p.v1.0.0-1\nimage: q/p:1\nproperties:\n  - type: olm.package\n    value: {packageName: p, version: 1.0.0, release: '1'}\n";
    let folder = Folder::new(&[("catalog.yaml", &text)]);
    let args = [
        "edit",
        ".",
        "rename-bundle",
        "--bundle",
        "p.v1.0.0-1",
        "--to",
        "p-v1.0.0-1",
    ];
    let run = folder.run(&[&args[..], &["--write"]].concat());
    run.ok();
    assert_eq!(
        folder.read("catalog.yaml"),
        text.replace("p.v1.0.0-1", "p-v1.0.0-1")
    );
    assert!(
        run.stderr.contains(
            "installed users and the CSV in the bundle's image keep the name `p.v1.0.0-1`"
        ),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("--skip-old"), "{}", run.stderr);
}

#[test]
fn removing_a_bundle_strands_no_users_by_default() {
    // Case B8.
    let entries = "  - name: p.v0.1.3\n  - name: p.v0.1.4\n    replaces: p.v0.1.3\n  - name: p.v0.1.5\n    replaces: p.v0.1.4\n  - name: p.v0.1.6\n    replaces: p.v0.1.5\n";
    let text = catalog(entries, &["0.1.3", "0.1.4", "0.1.5", "0.1.6"]);
    let (before, from) = text
        .split_once("---\nschema: olm.channel\npackage: p\nname: other\n")
        .unwrap();
    let (_, bundles) = from.split_once("---\n").unwrap();
    let text = format!("{before}---\n{bundles}");
    let folder = Folder::new(&[("catalog.yaml", &text)]);
    let args = [
        "edit",
        ".",
        "remove-bundle",
        "--bundle",
        "p.v0.1.4",
        "--bundle",
        "p.v0.1.5",
    ];
    let run = folder.run(&[&args[..], &["--write"]].concat());
    run.ok();
    assert_eq!(
        stable(&folder),
        "  - name: p.v0.1.3\n  - name: p.v0.1.6\n    replaces: p.v0.1.3\n    skips:\n      - p.v0.1.4\n      - p.v0.1.5\n"
    );
    assert!(
        run.stderr
            .contains("`--then relink` drops the name instead"),
        "{}",
        run.stderr
    );
    let folder = Folder::new(&[("catalog.yaml", &text)]);
    let run = folder.run(&[&args[..], &["--then", "relink"]].concat());
    run.ok();
    assert!(
        run.stderr.contains("`--then skip` keeps their update"),
        "{}",
        run.stderr
    );
}

#[test]
fn one_file_of_blobs_is_a_catalog() {
    let folder = Folder::new(&[
        ("one.yaml", &catalog(LISTED, &["1.0.0", "1.1.0", "1.2.0"])),
        ("words.yaml", "a: b\n"),
    ]);
    let run = folder.run(&[
        "edit",
        "one.yaml",
        "set-default-channel",
        "--channel",
        "other",
        "--write",
    ]);
    run.ok();
    assert!(folder.read("one.yaml").contains("defaultChannel: other\n"));
    let refused = folder.run(&[
        "edit",
        "words.yaml",
        "set-default-channel",
        "--channel",
        "other",
    ]);
    assert!(
        refused
            .stderr
            .contains("is not a template, and has no blob of a package"),
        "{refused:?}"
    );
}

#[test]
fn typed_numbers_are_quoted() {
    let text = "---\nschema: olm.package\nname: p\ndefaultChannel: 4.20\n---\nschema: olm.channel\npackage: p\nname: stable\nentries:\n  - name: p.v1.0.0\n  - name: 1.10\n    replaces: p.v1.0.0\n    skips: [1.10, 2]\n---\nschema: olm.channel\npackage: p\nname: 4.20\nentries:\n  - name: p.v1.0.0\n---\nschema: olm.bundle\npackage: p\nname: p.v1.0.0\nimage: q/p:v1\nproperties:\n  - type: olm.package\n    value:\n      packageName: p\n      version: 1.10\n      release: 1\n";
    let folder = Folder::new(&[("catalog.yaml", text)]);
    folder.run(&["validate", ".", "--fix", "--write"]);
    let expected = text
        .replace("defaultChannel: 4.20", "defaultChannel: '4.20'")
        .replace("name: 4.20", "name: '4.20'")
        .replace("name: 1.10", "name: '1.10'")
        .replace("[1.10, 2]", "['1.10', '2']")
        .replace("version: 1.10", "version: '1.10'")
        .replace("release: 1", "release: '1'");
    assert_eq!(folder.read("catalog.yaml"), expected);
}

#[test]
fn a_default_channel_that_is_a_number_does_not_become_another_channel() {
    // The only channel differs from the typed name.
    let text = catalog("  - name: p.v1.0.0\n", &["1.0.0"])
        .replace("defaultChannel: stable", "defaultChannel: 4.20");
    let text = text
        .split("---\nschema: olm.channel\npackage: p\nname: other")
        .next()
        .unwrap()
        .to_owned()
        + "---\n"
        + text.rsplit_once("---\n").unwrap().1;
    let folder = Folder::new(&[("catalog.yaml", &text)]);
    folder.run(&["validate", ".", "--fix", "--write"]);
    assert_eq!(
        folder.read("catalog.yaml"),
        text.replace("defaultChannel: 4.20", "defaultChannel: '4.20'")
    );
}

#[test]
fn a_bundle_directory_is_added_at_a_place() {
    let text = catalog("  - name: p.v1.0.0\n", &["1.0.0"]);
    let directory = bundle_directory("1.1.0", "", "");
    let folder = Folder::new(&[
        ("catalog/catalog.yaml", text.as_str()),
        (&directory[0].0, &directory[0].1),
        (&directory[1].0, &directory[1].1),
    ]);
    let line =
        "edit catalog substitute --bundle p.v1.0.0 --from bundle/1.1.0 --image q/p:v1.1.0 --write";
    folder.run(&line.split(' ').collect::<Vec<_>>()).ok();
    let after = folder.read("catalog/catalog.yaml");
    assert!(
        after.contains("  - name: p.v1.1.0\n") && !after.contains("p.v1.0.0"),
        "{after}"
    );
    folder.run(&["validate", "catalog"]).ok();
}

const SEMVER: &str = "Schema: olm.semver\nGenerateMinorChannels: true\nCandidate:\n  Bundles:\n  - Image: q/p:v1.0.0\n  - Image: q/p:v1.1.0 # newest\nStable:\n  Bundles:\n  - Image: q/p:v1.1.0\n  - Image: q/p:v1.1.1\n";

#[test]
fn images_are_added_to_a_semver_template() {
    let folder = Folder::new(&[("semver.yaml", SEMVER)]);
    let line = "edit semver.yaml substitute --bundle q/p:v1.1.0 --by q/p:v1.1.1 --write";
    folder.run(&line.split(' ').collect::<Vec<_>>()).ok();
    // A list contains an image once.
    assert_eq!(
        folder.read("semver.yaml"),
        "Schema: olm.semver\nGenerateMinorChannels: true\nCandidate:\n  Bundles:\n  - Image: q/p:v1.0.0\n  - Image: q/p:v1.1.1 # newest\nStable:\n  Bundles:\n  - Image: q/p:v1.1.1\n"
    );
    let unknown = folder.run(&[
        "edit",
        "semver.yaml",
        "substitute",
        "--bundle",
        "q/p:v9",
        "--by",
        "q/p:v2",
    ]);
    assert!(
        unknown.stderr.contains("no list has the image `q/p:v9`"),
        "{unknown:?}"
    );
    let skip = folder.run(&[
        "edit",
        "semver.yaml",
        "substitute",
        "--bundle",
        "q/p:v1.0.0",
        "--by",
        "q/p:v2",
        "--skip-old",
    ]);
    assert!(
        skip.stderr.contains("skips follow from the versions"),
        "{skip:?}"
    );
}

#[test]
fn names_and_the_image_change_in_a_basic_template() {
    let text = "schema: olm.template.basic\nentries:\n- schema: olm.package\n  name: p\n  defaultChannel: stable\n- schema: olm.channel\n  package: p\n  name: stable\n  entries:\n  - name: p.v1.0.0\n  - name: p.v1.1.0\n    replaces: p.v1.0.0\n- schema: olm.bundle\n  image: q/p:v1.0.0 # first\n- schema: olm.bundle\n  image: q/p:v1.1.0\n";
    let folder = Folder::new(&[("basic.yaml", text)]);
    let line =
        "edit basic.yaml substitute --bundle p.v1.0.0 --by p.v1.0.1 --image q/p:v1.0.1 --write";
    folder.run(&line.split(' ').collect::<Vec<_>>()).ok();
    assert_eq!(
        folder.read("basic.yaml"),
        text.replace("p.v1.0.0", "p.v1.0.1")
            .replace("q/p:v1.0.0", "q/p:v1.0.1")
    );
    // Two images have this tag, so it is ambiguous.
    let twice = text.replace("q/p:v1.1.0", "q/other:v1.0.0");
    let folder = Folder::new(&[("basic.yaml", &twice)]);
    let run = folder.run(&line.split(' ').collect::<Vec<_>>());
    assert!(
        run.stderr
            .contains("cannot tell which image of the template"),
        "{run:?}"
    );
    let image = folder.run(&[
        "edit",
        "basic.yaml",
        "substitute",
        "--bundle",
        "p.v1.0.0",
        "--by",
        "q/p:v2",
    ]);
    assert!(
        image
            .stderr
            .contains("name the bundle with `--by` and its image with `--image`"),
        "{image:?}"
    );
}

#[test]
fn an_entry_suffices_if_no_bundle_is_defined() {
    let text = catalog("  - name: p.v1.0.0\n", &[])
        .split("---\nschema: olm.channel\npackage: p\nname: other")
        .next()
        .unwrap()
        .to_owned();
    let folder = Folder::new(&[("catalog.yaml", &text)]);
    let line = "edit . promote --bundle p.v1.1.0 --to stable --write";
    folder.run(&line.split(' ').collect::<Vec<_>>()).ok();
    assert_eq!(
        folder.read("catalog.yaml"),
        format!("{text}  - name: p.v1.1.0\n    replaces: p.v1.0.0\n")
    );
}

#[test]
fn a_missing_package_may_be_in_a_document_that_cannot_be_read() {
    let folder = Folder::new(&[(
        "q/catalog.yaml",
        "schema: olm.package\nname: q\n---\nname: [\n",
    )]);
    let args = [
        "edit",
        ".",
        "set-default-channel",
        "--package",
        "p",
        "--channel",
        "stable",
    ];
    let hint = "a document of q/catalog.yaml could not be read";

    let run = folder.run(&args);
    run.status(2);
    assert!(run.stderr.contains(hint), "{}", run.stderr);

    folder.write("q/catalog.yaml", "schema: olm.package\nname: q\n");
    let run = folder.run(&args);
    run.status(2);
    assert!(!run.stderr.contains(hint), "{}", run.stderr);
}

#[test]
fn a_comma_that_hides_the_rest_of_a_json_file_is_removed() {
    let channel = r#"{"schema": "olm.channel", "package": "p", "name": "stable", "entries": [{"name": "p.v1.0.0"}]}"#;
    let bundle = r#"{"schema": "olm.bundle", "package": "p", "name": "p.v1.0.0", "image": "q/p:v1", "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": "1.0.0"}}]}"#;
    let package = r#"{"schema": "olm.package", "name": "p", "defaultChannel": "stable"}"#;
    let correct = format!("{package}\n{channel}\n{bundle}\n");
    let folder = Folder::new(&[(
        "catalog.json",
        &correct.replacen("stable\"}", "stable\" , }", 1),
    )]);
    let run = folder.run(&["validate", "."]);
    for expected in [
        "warning[text-ignored]",
        "there is a comma before `}`",
        "catalog.json:1:67",
    ] {
        assert!(run.stdout.contains(expected), "{expected}: {run:?}");
    }
    folder.run(&["validate", ".", "--fix", "--write"]).ok();
    assert_eq!(
        folder.read("catalog.json"),
        correct.replacen("stable\"}", "stable\"  }", 1)
    );
}

#[test]
fn a_missing_comma_of_json_is_added() {
    let text = |comma: &str| {
        format!(
            "{{\n  \"schema\": \"olm.channel\"{comma}\n  \"package\": \"p\",\n  \"name\": \"c\"\n}}\n{{\"schema\": \"olm.package\", \"name\": \"p\", \"list\": [{{\"a\": 1}}{comma} {{\"a\": 2}}]}}\n"
        )
    };
    let folder = Folder::new(&[("p.json", &text(""))]);
    // One object at a time: the next is read once the first is correct.
    folder.run(&["validate", ".", "--fix", "--write"]);
    folder.run(&["validate", ".", "--fix", "--write"]);
    assert_eq!(folder.read("p.json"), text(","));
}
