//! The pipeline validates whole catalogs: an operator that fails there stops all others, and is
//! reported.

use super::repository_support::folder;
use test_support::Folder;

const RELEASE: [&str; 8] = [
    "repo",
    "release",
    "--operator",
    "harbor",
    "--bundle",
    "1.2.0",
    "--image",
    "quay.io/example/harbor:v1.2.0",
];
const NEIGHBOUR: &str = "catalogs/v4.18/theirs/catalog.yaml";

/// A package with one bundle.
fn package(name: &str, entry: &str) -> String {
    format!(
        "---\nschema: olm.package\nname: {name}\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: {name}\n\
         name: stable\nentries:\n- name: {name}.v1.0.0\n{entry}---\nschema: olm.bundle\npackage: {name}\nname: {name}.v1.0.0\n\
         image: example.com/{name}:v1.0.0\nproperties:\n- type: olm.package\n  value: {{packageName: {name}, version: 1.0.0}}\n"
    )
}

/// Errors of neighboring operators: a file, its text, the reported operator, and a part of the
/// message.
fn neighbours() -> [(&'static str, String, &'static str, &'static str); 5] {
    [
        (
            NEIGHBOUR,
            package("theirs", "  skipRange: '>=v0.9.0 <v1.0.0'\n"),
            "theirs",
            "skipRange",
        ),
        (
            NEIGHBOUR,
            "schema: olm.package\nname: [\n".to_owned(),
            "theirs",
            "fails opm validate",
        ),
        (NEIGHBOUR, package("harbor", ""), "theirs", "harbor"),
        (
            "catalogs/v4.18/theirs/README.md",
            "# not a catalog\n".to_owned(),
            "theirs",
            "fails opm validate",
        ),
        (
            "catalogs/v4.18/stray.yaml",
            "schema: olm.channel\nname: stable\npackage: nobody\nentries: []\n".to_owned(),
            "a file beside the operators",
            "stray.yaml",
        ),
    ]
}

fn with(file: &str, text: &str) -> Folder {
    let folder = folder();
    folder.write(file, text);
    folder
}

#[test]
fn a_release_names_the_neighbour_that_stops_it() {
    for (file, text, operator, message) in neighbours() {
        let run = with(file, &text).run(&RELEASE);
        run.status(1);
        let line = run
            .stderr
            .lines()
            .find(|line| line.starts_with("harbor ") && line.contains("v4.18"))
            .unwrap_or_else(|| panic!("{file}: {}", run.stderr));
        assert!(
            line.contains("fails opm validate because of") && line.contains(operator),
            "{file}: {line}"
        );
        assert!(
            run.stderr.contains(message) && run.stderr.contains("catalogs/v4.18/"),
            "{file}: {}",
            run.stderr
        );
        // The other catalogs pass, and the patch is printed.
        assert!(
            run.stderr
                .contains("harbor v4.17: still passes opm validate"),
            "{}",
            run.stderr
        );
        assert!(
            run.stdout
                .contains("+++ b/catalogs/v4.18/harbor/catalog.yaml")
        );
    }
}

#[test]
fn a_failing_neighbour_names_its_maintainers() {
    let (file, text, ..) = &neighbours()[0];
    let run = with(file, text).run(&RELEASE);
    assert!(
        run.stderr.contains("ask the maintainers of `theirs`")
            && run.stderr.contains(&format!("{NEIGHBOUR}:")),
        "{}",
        run.stderr
    );
}

#[test]
fn a_release_that_breaks_its_own_operator_has_another_remedy() {
    let folder = folder();
    let config = "operators/harbor/1.2.0/release-config.yaml";
    let text = folder
        .read(config)
        .replace("    replaces: harbor.v1.1.0\n", "");
    folder.write(config, &text);
    let run = folder.run(&RELEASE);
    run.status(1);
    assert!(
        run.stderr
            .contains("fails opm validate now because of harbor")
            && !run.stderr.contains("ask the maintainers"),
        "{}",
        run.stderr
    );
}

#[test]
fn the_json_answer_names_the_neighbour() {
    let (file, text, ..) = &neighbours()[0];
    let run = with(file, text).run(&[&RELEASE[..], &["-o", "json"]].concat());
    run.status(1);
    let answer = run.json();
    let rendered = answer["rendered"].as_array().unwrap();
    for of in rendered {
        let is_there = of["catalog"] == "v4.18";
        assert_eq!(of["passed"], !is_there, "{of}");
        assert_eq!(
            of["failing"].as_array().unwrap().len(),
            usize::from(is_there)
        );
        if is_there {
            assert_eq!(of["failing"][0]["operator"], "theirs");
            assert_eq!(of["failing"][0]["file"], NEIGHBOUR);
        }
    }
}

#[test]
fn the_status_names_catalogs_that_fail() {
    for (file, text, operator, _) in neighbours() {
        let run = with(file, &text).run(&["repo", "status", "--operator", "harbor"]);
        run.status(1);
        assert!(
            run.stdout.contains("v4.18 fails opm validate because of")
                && run.stdout.contains(operator),
            "{file}: {}",
            run.stdout
        );
    }
    let run = folder().run(&["repo", "status", "--operator", "harbor", "-o", "json"]);
    run.ok();
    assert_eq!(run.json()["failing"].as_array().unwrap().len(), 0);
}

#[test]
fn a_check_validates_the_catalogs_that_the_pipeline_validates() {
    for (file, text, operator, _) in neighbours() {
        let folder = with(file, &text);
        for request in [&["--bundle", "1.2.0"][..], &["--catalog", "v4.18"], &[]] {
            let args = [&["repo", "check", "--operator", "harbor"][..], request].concat();
            let run = folder.run(&args);
            run.status(1);
            assert!(
                run.stdout.contains("error[catalog-fails]: v4.18: ")
                    && run.stdout.contains(operator),
                "{args:?} {file}: {}",
                run.stdout
            );
        }
        // A catalog without the neighbour is not stopped.
        folder
            .run(&[
                "repo",
                "check",
                "--operator",
                "harbor",
                "--catalog",
                "v4.17",
            ])
            .ok();
    }
}

#[test]
fn a_released_bundle_is_not_added_again() {
    let folder = folder();
    folder.write(
        "operators/harbor/1.1.0/release-config.yaml",
        "catalog_templates:\n- template_name: basic.yaml\n  channels: [stable]\n  replaces: harbor.v1.0.0\n",
    );
    let run = folder.run(&["repo", "check", "--operator", "harbor", "--bundle", "1.1.0"]);
    assert!(!run.stdout.contains("catalog-fails"), "{}", run.stdout);
}

#[test]
fn an_unreleased_image_waits_for_its_bundle() {
    let folder = folder();
    let template = "operators/harbor/catalog-templates/basic.yaml";
    let text = folder.read(template)
        + "  - schema: olm.bundle\n    image: quay.io/example/harbor:v1.2.0\n";
    folder.write(template, &text);
    let run = folder.run(&["repo", "check", "--operator", "harbor"]);
    run.ok();
    assert!(
        run.stdout.contains("warning[image-not-released]: no catalog of the operator has `quay.io/example/harbor:v1.2.0`")
            && run.stdout.contains("submit the bundle in operators/harbor/1.2.0 first"),
        "{}",
        run.stdout
    );
    let run = folder.run(&["repo", "status", "--operator", "harbor"]);
    assert!(
        run.stdout.contains("release the bundle first"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_default_channel_of_another_bundle_is_found() {
    let folder = folder();
    let file = "operators/harbor/1.2.0/metadata/annotations.yaml";
    let text = folder.read(file);
    folder.write(
        file,
        &text.replace(
            "channel.default.v1: stable",
            "channel.default.v1: stable-2.0",
        ),
    );
    let run = folder.run(&["repo", "check", "--operator", "harbor", "--bundle", "1.2.0"]);
    run.status(1);
    assert!(
        run.stdout
            .contains("error[default-channel-not-own]: the default channel `stable-2.0`")
            && run.stdout.contains("channel.default.v1: stable`"),
        "{}",
        run.stdout
    );
    let run = folder.run(&RELEASE);
    let printed = run.stdout.clone() + &run.stderr;
    assert!(
        printed.contains("the default channel `stable-2.0` is not one of"),
        "{printed}"
    );
    // An operator without file-based catalogs is tested differently.
    let ci = "operators/harbor/ci.yaml";
    let text = folder.read(ci);
    folder.write(ci, &text.replace("enabled: true", "enabled: false"));
    let run = folder.run(&["repo", "check", "--operator", "harbor", "--bundle", "1.2.0"]);
    assert!(!run.stdout.contains("default-channel"), "{}", run.stdout);
}
