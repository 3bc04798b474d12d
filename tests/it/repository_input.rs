//! Invalid input in operator repositories: one clear finding at its place, answers for everything
//! else, and no partial write.

use super::repository_support::{Memory, folder};
use repository::{check, promote, release, render};
use std::collections::BTreeMap;
use test_support::{Folder, Run, project};

fn repo(folder: &Folder, line: &str) -> Run {
    let args: Vec<&str> = std::iter::once("repo").chain(line.split(' ')).collect();
    folder.run(&args)
}

/// All files below a folder.
fn texts(folder: &Folder) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![folder.path().to_owned()];
    while let Some(at) = waiting.pop() {
        for entry in std::fs::read_dir(at).unwrap().flatten() {
            match entry.file_type().unwrap().is_dir() {
                true => waiting.push(entry.path()),
                false => drop(found.insert(
                    entry.path().display().to_string(),
                    std::fs::read(entry.path()).unwrap(),
                )),
            }
        }
    }
    found
}

/// The only error of `status`, with its place; checks that the other operator is answered.
fn only_error(folder: &Folder) -> String {
    let run = repo(folder, "status");
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert!(
        run.stdout.contains("\nlantern   -") && run.stdout.contains("stale"),
        "{}",
        run.stdout
    );
    assert_eq!(run.stderr.matches("error: ").count(), 1, "{}", run.stderr);
    run.stderr
}

#[test]
fn a_broken_ci_yaml_is_one_finding() {
    let folder = folder();
    folder.write("operators/harbor/ci.yaml", "---\nfbc:\n  enabled: [true\n");
    let error = only_error(&folder);
    assert!(error.contains("--> operators/harbor/ci.yaml:"), "{error}");
    let run = repo(&folder, "check --operator harbor");
    assert_eq!(run.status, 1);
    assert!(
        run.stdout.contains("--> operators/harbor/ci.yaml:"),
        "{}",
        run.stdout
    );
    let before = texts(&folder);
    for operation in [
        "render --write",
        "release --operator harbor --bundle 1.2.0 --image a:b --write",
    ] {
        assert_eq!(repo(&folder, operation).status, 2, "{operation}");
    }
    assert_eq!(texts(&folder), before, "nothing is written in part");
}

#[test]
fn a_template_that_does_not_parse_is_one_finding_for_all_its_catalogs() {
    let folder = folder();
    folder.write(
        "operators/harbor/catalog-templates/basic.yaml",
        "schema: olm.template.basic\nentries:\n- a: [\n",
    );
    let error = only_error(&folder);
    assert!(
        error.contains("--> operators/harbor/catalog-templates/basic.yaml"),
        "{error}"
    );
    let run = repo(&folder, "status --operator harbor");
    assert!(
        run.stdout.contains("harbor    fresh  error  error"),
        "{}",
        run.stdout
    );
    let before = texts(&folder);
    let run = repo(
        &folder,
        "release --operator harbor --bundle 1.2.0 --image a:b --write",
    );
    assert_eq!(run.status, 2);
    assert!(
        run.stderr
            .contains("--> operators/harbor/catalog-templates/basic.yaml"),
        "{}",
        run.stderr
    );
    assert_eq!(
        texts(&folder),
        before,
        "the template before it is not written either"
    );
}

#[test]
fn reports_missing_and_unreadable_catalogs() {
    let folder = folder();
    std::fs::remove_dir_all(folder.path().join("catalogs/v4.18/harbor")).unwrap();
    folder.write(
        "catalogs/v4.17/harbor/catalog.yaml",
        "schema: olm.package\nname: 'harbor\n",
    );
    let error = only_error(&folder);
    assert!(
        error.contains("--> catalogs/v4.17/harbor/catalog.yaml:"),
        "{error}"
    );
    let run = repo(&folder, "status --operator harbor");
    assert!(
        run.stdout.contains("harbor    fresh  error  missing"),
        "{}",
        run.stdout
    );
    let run = repo(&folder, "check --operator harbor --catalog v4.99");
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("v4.99"), "{}", run.stdout);
}

#[test]
fn a_bundle_folder_without_a_csv_is_refused_at_its_place() {
    let folder = folder();
    std::fs::remove_file(
        folder
            .path()
            .join("operators/harbor/1.2.0/manifests/harbor.clusterserviceversion.yaml"),
    )
    .unwrap();
    let before = texts(&folder);
    let run = repo(
        &folder,
        "release --operator harbor --bundle 1.2.0 --image a:b --write",
    );
    assert_eq!(run.status, 2);
    assert!(
        run.stderr.contains("--> operators/harbor/1.2.0/manifests"),
        "{}",
        run.stderr
    );
    assert_eq!(texts(&folder), before);
    let run = repo(&folder, "check --operator harbor --bundle 1.2.0");
    assert_eq!(run.status, 1);
    assert!(
        run.stdout.contains("clusterserviceversion"),
        "{}",
        run.stdout
    );
    assert_eq!(
        repo(&folder, "check --operator lantern --bundle 0.3.0").status,
        0
    );
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_is_not_followed() {
    let folder = folder();
    let outer = Folder::new(&[
        ("ci.yaml", "fbc: {enabled: true}\n"),
        ("catalog.yaml", "schema: olm.package\nname: x\n"),
    ]);
    let link = |target: &str, path: &str| {
        let place = folder.path().join(path);
        std::fs::remove_file(&place).unwrap();
        std::os::unix::fs::symlink(outer.path().join(target), place).unwrap();
    };
    link("ci.yaml", "operators/harbor/ci.yaml");
    let error = only_error(&folder);
    assert!(
        error.contains("leads out of the repository") && error.contains("operators/harbor/ci.yaml"),
        "{error}"
    );
    let folder = self::folder();
    let place = folder.path().join("catalogs/v4.18/harbor/catalog.yaml");
    std::fs::remove_file(&place).unwrap();
    std::os::unix::fs::symlink(outer.path().join("catalog.yaml"), place).unwrap();
    let error = only_error(&folder);
    assert!(
        error.contains("leads out of the repository") && error.contains("catalogs/v4.18/harbor"),
        "{error}"
    );
    let run = repo(
        &folder,
        "release --operator harbor --bundle 1.2.0 --image a:b --write",
    );
    assert_eq!(run.status, 2, "{}", run.stderr);
    assert_eq!(outer.read("catalog.yaml"), "schema: olm.package\nname: x\n");
}

#[test]
fn a_catalog_in_two_templates_is_not_rendered() {
    let folder = folder();
    let ci = folder.read("operators/harbor/ci.yaml");
    folder.write(
        "operators/harbor/ci.yaml",
        &ci.replace("['v4.16']", "['v4.16', v4.17]"),
    );
    let run = repo(&folder, "render --operator harbor --write");
    assert_eq!(run.status, 2);
    assert!(
        run.stderr
            .contains("several templates are mapped to catalog v4.17"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("--> operators/harbor/ci.yaml:"),
        "{}",
        run.stderr
    );
}

#[test]
fn unknown_names_are_reported_with_a_suggestion() {
    let folder = folder();
    for (line, message) in [
        ("status --operator habor", "did you mean `harbor`?"),
        (
            "release --operator harbor --bundle 1.2.1 --image a:b",
            "bundle \"1.2.1\" of harbor not found",
        ),
        (
            "promote --from v4.20 --to v4.21",
            "there is no catalog v4.20",
        ),
        (
            "render --catalog v4.99",
            "no template is mapped to catalog \"v4.99\"",
        ),
        (
            "onboard --operator tide --catalog v4.18=served/v4.99.yaml",
            "served/v4.99.yaml",
        ),
        (
            "onboard --operator tide --catalog served/v4.18.yaml",
            "write the catalog's name and its file",
        ),
        (
            "onboard --operator tide --catalog v4.16=served/v4.16.yaml",
            "none of the catalogs has the package",
        ),
    ] {
        let run = repo(&folder, line);
        assert_eq!(run.status, 2, "{line}: {}", run.stdout);
        assert!(run.stderr.contains(message), "{line}: {}", run.stderr);
    }
}

/// The paths that were read, except for the expected ones.
fn read_elsewhere(files: &Memory, expected: &[&str]) -> Vec<String> {
    let is_expected = |path: &String| expected.iter().any(|start| path.starts_with(start));
    files
        .read_paths()
        .into_iter()
        .filter(|path| !is_expected(path))
        .collect()
}

#[test]
fn one_operator_is_answered_from_its_own_files() {
    let files = || Memory::below(&project().join("tests/data/repository"));
    let none: Vec<String> = Vec::new();
    let checked = files();
    let request = check::Request {
        operator: "harbor",
        bundle: Some("1.2.0"),
        catalogs: &["v4.18".to_owned()],
    };
    check::check(&checked, &request);
    assert_eq!(
        read_elsewhere(
            &checked,
            &["config.yaml", "operators/harbor/", "catalogs/v4.18/harbor/"]
        ),
        none
    );
    // Without a catalog, none is read, and of the bundles only the files with their names.
    let checked = files();
    check::check(
        &checked,
        &check::Request {
            catalogs: &[],
            ..request
        },
    );
    assert_eq!(
        read_elsewhere(&checked, &["config.yaml", "operators/harbor/"]),
        none
    );
    let status_files = files();
    render::operator_status(&status_files, "lantern", false);
    let expected = [
        "operators/lantern/ci.yaml",
        "operators/lantern/catalog-templates/",
        "catalogs/",
    ];
    assert_eq!(
        read_elsewhere(&status_files, &expected),
        none,
        "bundle folders are not read"
    );
    assert!(
        status_files
            .read_paths()
            .iter()
            .all(|path| path.contains("lantern")),
        "{:?}",
        status_files.read_paths()
    );
    let released = files();
    let request = release::Request {
        operator: "harbor",
        bundle: "1.2.0",
        image: "a:b",
    };
    release::plan(&released, &request).unwrap();
    assert_eq!(read_elsewhere(&released, &["operators/harbor/"]), none);
    let promoted = files();
    let operators = ["harbor".to_owned()];
    promote::plan(
        &promoted,
        &promote::Request {
            from: "v4.18",
            to: "v4.19",
            operators: &operators,
        },
    )
    .unwrap();
    assert_eq!(
        read_elsewhere(
            &promoted,
            &["operators/harbor/ci.yaml", "catalogs/v4.18/harbor/"]
        ),
        none
    );
}
