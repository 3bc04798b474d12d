//! `validate --changed-since`: which catalogs are validated after committed, uncommitted and new
//! changes.

use serde_json::Value;
use test_support::{Folder, GitRepository, Run};

fn catalog(default_channel: &str) -> String {
    format!(
        "schema: olm.package\nname: p\ndefaultChannel: {default_channel}\n---\nschema: olm.channel\npackage: p\nname: stable\n\
         entries:\n- name: p.v1.0.0\n---\nschema: olm.bundle\npackage: p\nname: p.v1.0.0\nimage: quay.io/p:v1.0.0\n\
         properties:\n- type: olm.package\n  value: {{packageName: p, version: 1.0.0}}\n"
    )
}

fn repository() -> Option<GitRepository> {
    let good = catalog("stable");
    GitRepository::new(&[
        ("README.md", "a repository\n"),
        ("catalogs/v4.18/p/catalog.yaml", &good),
        ("catalogs/v4.19/p/catalog.yaml", &good),
        ("catalogs/v4.20/p/catalog.yaml", &good),
        ("alone/p/catalog.yaml", &good),
    ])
}

/// The catalogs that were validated, and whether each passes.
fn validated_catalogs(run: &Run) -> Vec<(String, bool)> {
    let answer = run.json();
    assert_eq!(answer["format"], 1);
    let catalogs = answer["catalogs"].as_array().unwrap();
    let one = |catalog: &Value| {
        (
            catalog["dir"].as_str().unwrap().to_owned(),
            catalog["passed"].as_bool().unwrap(),
        )
    };
    catalogs.iter().map(one).collect()
}

fn ask(repository: &GitRepository, revision: &str, dirs: &[&str]) -> Run {
    let args = ["validate", "--changed-since", revision, "--format", "json"];
    repository.0.run(&[&args, dirs].concat())
}

fn names(found: &[(&str, bool)]) -> Vec<(String, bool)> {
    found
        .iter()
        .map(|(name, passed)| ((*name).to_owned(), *passed))
        .collect()
}

#[test]
fn validates_the_catalogs_that_a_branch_changed() {
    let Some(repository) = repository() else {
        return;
    };
    repository.git(&["switch", "--quiet", "--create", "topic"]);
    repository
        .0
        .write("catalogs/v4.19/p/catalog.yaml", &catalog("gone"));
    repository.commit("break it");
    // A change on the other branch only does not count.
    repository.git(&["switch", "--quiet", "main"]);
    repository.0.write("alone/p/catalog.yaml", &catalog("gone"));
    repository.commit("elsewhere");
    repository.git(&["switch", "--quiet", "topic"]);

    let run = ask(&repository, "main", &["catalogs", "alone"]);
    run.status(1);
    assert_eq!(
        validated_catalogs(&run),
        names(&[("catalogs/v4.19", false)])
    );
    let unchanged = "not validated, because nothing changed since main: catalogs/v4.18, catalogs/v4.20, alone\n";
    assert_eq!(run.stderr, unchanged);
    let range = ask(&repository, "main..topic", &["alone"]);
    assert_eq!(
        validated_catalogs(&range),
        names(&[("alone", true)]),
        "a range is taken as it is"
    );
    // From a subfolder, and for versions by name.
    let run = repository.0.run(&[
        "-C",
        "catalogs",
        "validate",
        "--changed-since",
        "main",
        "v4.18",
        "v4.19",
    ]);
    run.status(1);
    assert!(run.stdout.starts_with("v4.19:\n"), "{}", run.stdout);
}

#[test]
fn uncommitted_changes_count() {
    let Some(repository) = repository() else {
        return;
    };
    assert_eq!(
        validated_catalogs(&ask(&repository, "HEAD", &["catalogs"])),
        []
    );
    repository
        .0
        .write("catalogs/v4.18/p/catalog.yaml", &catalog("gone"));
    repository
        .0
        .write("catalogs/v4.21/p/catalog.yaml", &catalog("stable"));
    std::fs::remove_file(repository.0.path().join("catalogs/v4.20/p/catalog.yaml")).unwrap();
    let run = ask(&repository, "HEAD", &["catalogs"]);
    let found = [
        ("catalogs/v4.18", false),
        ("catalogs/v4.20", true),
        ("catalogs/v4.21", true),
    ];
    assert_eq!(validated_catalogs(&run), names(&found));
    // The README is in no catalog.
    repository.commit("change");
    repository.0.write("README.md", "changed\n");
    let run = repository
        .0
        .run(&["validate", "--changed-since", "HEAD", "catalogs", "alone"]);
    run.ok();
    assert_eq!(run.stdout, "");
}

#[test]
fn the_configuration_and_link_targets_count() {
    let Some(repository) = repository() else {
        return;
    };
    repository
        .0
        .write("shared/more.yaml", "schema: custom\npackage: p\n");
    let link = repository.0.path().join("catalogs/v4.20/p/more.yaml");
    if std::os::unix::fs::symlink("../../../shared/more.yaml", link).is_err() {
        return println!("skipped: no links can be made here");
    }
    repository.commit("link");
    repository
        .0
        .write("shared/more.yaml", "schema: custom\npackage: p\nvalue: 1\n");
    assert_eq!(
        validated_catalogs(&ask(&repository, "HEAD", &["catalogs"])),
        names(&[("catalogs/v4.20", true)])
    );
    repository.git(&["stash", "--quiet"]);
    repository
        .0
        .write("catalogs/.switchyard.yaml", "profile: opm\n");
    let all = [
        ("catalogs/v4.18", true),
        ("catalogs/v4.19", true),
        ("catalogs/v4.20", true),
    ];
    assert_eq!(
        validated_catalogs(&ask(&repository, "HEAD", &["catalogs", "alone"])),
        names(&all)
    );
}

#[test]
fn a_shallow_clone_is_compared_with_the_revision_itself() {
    let Some(repository) = repository() else {
        return;
    };
    let base = repository.git(&["rev-parse", "HEAD"]);
    repository
        .0
        .write("catalogs/v4.19/p/catalog.yaml", &catalog("gone"));
    repository.commit("break it");
    let clone = Folder::new(&[]);
    let url = format!("file://{}", repository.0.path().display());
    let cloned = clone.path().display().to_string();
    repository.git(&[
        "clone",
        "--quiet",
        "--depth",
        "1",
        &url,
        &format!("{cloned}/clone"),
    ]);
    let args = [
        "-C",
        "clone",
        "validate",
        "--changed-since",
        &base,
        "catalogs",
    ];
    let run = clone.run(&args);
    run.status(2);
    assert!(
        run.stderr
            .starts_with(&format!("error: git does not know the revision `{base}`\n")),
        "{}",
        run.stderr
    );
    repository.git(&[
        "-C",
        &format!("{cloned}/clone"),
        "fetch",
        "--quiet",
        "--depth",
        "1",
        "origin",
        &base,
    ]);
    let run = clone.run(&args);
    run.status(1);
    assert!(run.stderr.contains("no common ancestor"), "{}", run.stderr);
    assert!(
        run.stdout.starts_with("catalogs/v4.19:\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn git_failures_are_errors() {
    let outside = Folder::new(&[("catalog.yaml", &catalog("stable"))]);
    let run = outside.run(&["validate", "--changed-since", "HEAD", "."]);
    run.status(2);
    assert!(
        run.stderr.contains("not a git repository"),
        "{}",
        run.stderr
    );
    let Some(repository) = repository() else {
        return;
    };
    for (revision, dir, message) in [
        (
            "nonsense",
            "catalogs",
            "git does not know the revision `nonsense`",
        ),
        ("-x", "catalogs", "git does not know the revision `-x`"),
        ("a..b", "catalogs", "git does not know the revision `a..b`"),
        ("HEAD", "-", "standard input is not in a git repository"),
        ("HEAD", "nowhere", "stat nowhere: no such file or directory"),
    ] {
        let run = repository
            .0
            .run(&["validate", &format!("--changed-since={revision}"), dir]);
        run.status(2);
        assert!(
            run.stderr.contains(message),
            "{revision} {dir}: {}",
            run.stderr
        );
    }
}
