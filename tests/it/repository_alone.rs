//! `repo status` and `repo render` for one operator's folder: in its repository, and alone with
//! catalogs elsewhere.

use super::repository_support;
use test_support::Folder;

/// The folder of harbor alone, with the catalogs elsewhere.
fn separate_folders() -> Folder {
    let folder = Folder::new(&[]);
    repository_support::write_into(&folder, "whole/");
    for (from, to) in [
        ("whole/operators/harbor", "mine/harbor"),
        ("whole/catalogs", "served"),
    ] {
        let to = folder.path().join(to);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::rename(folder.path().join(from), to).unwrap();
    }
    folder
}

#[test]
fn an_operators_folder_in_its_repository_is_that_operator() {
    let folder = repository_support::folder();
    let run = folder.run(&["repo", "status", "operators/lantern"]);
    run.status(1);
    assert!(
        run.stdout.contains("lantern") && !run.stdout.contains("harbor"),
        "{}",
        run.stdout
    );
    let patch = folder.run(&["repo", "render", "operators/lantern", "--stale"]);
    patch.ok();
    assert!(
        patch
            .stdout
            .contains("+++ b/catalogs/v4.17/lantern/catalog.yaml"),
        "{}",
        patch.stdout
    );
}

#[test]
fn an_operators_folder_alone_is_compared_with_catalogs_elsewhere() {
    let folder = separate_folders();
    let alone = folder.run(&["repo", "status", "mine/harbor"]);
    alone.status(2);
    assert!(alone.stderr.contains("--catalogs"), "{}", alone.stderr);
    folder.write("bare/operators/o/ci.yaml", "fbc: {}\n");
    let bare = folder.run(&["repo", "status", "bare"]);
    bare.status(2);
    assert!(
        bare.stderr
            .contains("bare has `operators`, and no `catalogs`"),
        "{}",
        bare.stderr
    );
    let arguments = ["repo", "status", "mine/harbor", "--catalogs", "served"];
    folder.run(&arguments).ok();
    let template = "mine/harbor/catalog-templates/basic.yaml";
    let text = folder.read(template).replace(
        "        replaces: harbor.v1.0.0\n",
        "        skips: [harbor.v1.0.0]\n",
    );
    folder.write(template, &text);
    let stale = folder.run(&arguments);
    stale.status(1);
    assert!(
        stale
            .stdout
            .contains("harbor v4.17, v4.18: rendering changes channel stable"),
        "{}",
        stale.stdout
    );
    let render = [
        "repo",
        "render",
        "mine/harbor",
        "--catalogs",
        "served",
        "--stale",
    ];
    let patch = folder.run(&render);
    patch.ok();
    assert!(
        patch
            .stdout
            .contains("+++ b/served/v4.18/harbor/catalog.yaml"),
        "{}",
        patch.stdout
    );
    folder.run(&[&render[..], &["--write"]].concat()).ok();
    folder.run(&arguments).ok();
}

#[test]
fn a_release_and_a_promotion_of_an_operators_folder_alone() {
    let folder = separate_folders();
    let arguments = ["mine/harbor", "--catalogs", "served"];
    let release = [
        "--operator",
        "harbor",
        "--bundle",
        "1.2.0",
        "--image",
        "quay.io/example/harbor:v1.2.0",
        "--write",
    ];
    folder
        .run(&[&["repo", "release"][..], &arguments, &release].concat())
        .ok();
    assert!(
        folder
            .read("served/v4.18/harbor/catalog.yaml")
            .contains("name: harbor.v1.2.0")
    );
    folder
        .run(&[&["repo", "status"][..], &arguments].concat())
        .ok();
    // The catalogs have other operators, too.
    let promote = folder.run(
        &[
            &["repo", "promote"][..],
            &arguments,
            &["--from", "v4.18", "--to", "v4.19"],
        ]
        .concat(),
    );
    promote.ok();
    for path in ["mine/harbor/ci.yaml", "served/v4.19/harbor/catalog.yaml"] {
        assert!(
            promote.stdout.contains(&format!("+++ b/{path}\n")),
            "{}",
            promote.stdout
        );
    }
    assert!(!promote.stdout.contains("lantern"), "{}", promote.stdout);
}

#[test]
fn bundles_that_no_catalog_has_are_named() {
    let folder = separate_folders();
    let template = "mine/harbor/catalog-templates/basic.yaml";
    let text = folder.read(template)
        + "  - schema: olm.bundle\n    image: quay.io/example/harbor:v1.2.0\n";
    let text = text.replacen(
        "        replaces: harbor.v1.0.0\n",
        "        replaces: harbor.v1.0.0\n      - name: harbor.v1.2.0\n        replaces: harbor.v1.1.0\n",
        1,
    );
    folder.write(template, &text);
    let arguments = ["repo", "status", "mine/harbor", "--catalogs", "served"];
    let unknown = folder.run(&arguments);
    unknown.status(1);
    assert!(
        unknown
            .stdout
            .contains("no catalog has quay.io/example/harbor:v1.2.0"),
        "{}",
        unknown.stdout
    );
    let known = folder.run(&[&arguments[..], &["--bundles", "mine/harbor/1.2.0"]].concat());
    known.status(1);
    assert!(
        known.stdout.contains("rendering adds bundle harbor.v1.2.0"),
        "{}",
        known.stdout
    );
}

#[test]
fn a_matrix_of_an_operator_folder_suggests_repo_render() {
    let run = repository_support::folder().run(&["matrix", "operators/harbor"]);
    run.status(2);
    assert!(
        run.stderr
            .contains("operators/harbor is the folder of an operator")
            && run.stderr.contains("switchyard repo render"),
        "{}",
        run.stderr
    );
}
