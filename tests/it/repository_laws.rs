//! Laws of operator repositories: rendered, released, promoted and onboarded catalogs are up to
//! date afterwards.

use super::repository_support::folder;
use serde_json::Value;
use test_support::{Folder, Run};

fn repo(folder: &Folder, line: &str) -> Run {
    let args: Vec<&str> = std::iter::once("repo").chain(line.split(' ')).collect();
    folder.run(&args)
}

/// The state of each catalog of an operator, by its name.
fn states(folder: &Folder, operator: &str) -> Vec<(String, String)> {
    let answer = repo(folder, &format!("status --operator {operator} -o json")).json();
    let text = |of: &Value, field: &str| of[field].as_str().unwrap().to_owned();
    let catalogs = answer["catalogs"].as_array().unwrap().iter();
    catalogs
        .map(|of| (text(of, "catalog"), text(of, "state")))
        .collect()
}

fn run_and_write(folder: &Folder, line: &str) -> Run {
    let run = repo(folder, &format!("{line} --write"));
    assert_eq!(run.status, 0, "{line}: {}{}", run.stdout, run.stderr);
    run
}

#[test]
fn rendering_a_fresh_catalog_changes_nothing() {
    let folder = folder();
    let run = repo(&folder, "render --operator harbor");
    assert_eq!((run.status, run.stdout.as_str()), (0, ""), "{}", run.stderr);
    let run = run_and_write(&folder, "render --operator harbor");
    assert!(!run.stderr.contains("wrote "), "{}", run.stderr);
    assert!(
        folder
            .read("catalogs/v4.18/harbor/catalog.yaml")
            .contains("\"stable\" # as agreed")
    );
}

#[test]
fn stale_catalogs_are_fresh_once_they_are_rendered() {
    let folder = folder();
    let in_state = |state: &str| ("v4.17".to_owned(), state.to_owned());
    assert!(states(&folder, "lantern").contains(&in_state("stale")));
    let run = run_and_write(&folder, "render --stale");
    assert_eq!(run.stderr.matches("wrote ").count(), 1, "{}", run.stderr);
    assert!(states(&folder, "lantern").contains(&in_state("fresh")));
    assert!(
        folder
            .read("catalogs/v4.17/lantern/catalog.yaml")
            .starts_with("---\n# rendered\n")
    );
    let run = repo(&folder, "render --stale");
    assert_eq!((run.status, run.stdout.as_str()), (0, ""), "{}", run.stderr);
}

#[test]
fn a_catalog_that_another_opm_version_wrote_is_not_stale() {
    let folder = folder();
    let path = "catalogs/v4.18/lantern/catalog.yaml";
    let edge = "  replaces: lantern.v0.1.0\n";
    let skip = format!("{edge}  skips:\n  - lantern.v0.1.0\n");
    let text = folder.read(path).replace(edge, &skip);
    folder.write(path, &text);
    let expected = ("v4.18".to_owned(), "opm-version".to_owned());
    assert!(states(&folder, "lantern").contains(&expected));
    let run = repo(&folder, "status --operator lantern");
    assert!(
        run.stdout
            .contains("lantern v4.18: differs only in `skips` that repeat `replaces`"),
        "{}",
        run.stdout
    );
    run_and_write(&folder, "render --stale");
    assert_eq!(folder.read(path), text);
}

#[test]
fn a_release_leaves_every_catalog_fresh() {
    let folder = folder();
    let before = folder.read("operators/harbor/catalog-templates/basic.yaml");
    let line = "release --operator harbor --bundle 1.2.0 --image quay.io/example/harbor:v1.2.0";
    let answer = repo(&folder, &format!("{line} -o json")).json();
    assert_eq!(
        folder.read("operators/harbor/catalog-templates/basic.yaml"),
        before,
        "nothing is written unasked"
    );
    run_and_write(&folder, line);
    let fresh = |name: &str| (name.to_owned(), "fresh".to_owned());
    assert_eq!(
        states(&folder, "harbor"),
        [fresh("v4.16"), fresh("v4.17"), fresh("v4.18")]
    );
    let after = folder.read("operators/harbor/catalog-templates/basic.yaml");
    let mut lines = after.lines();
    assert!(
        before.lines().all(|line| lines.any(|other| other == line)),
        "each line is kept, in order:\n{after}"
    );
    for (path, value) in answer["templates"].as_object().unwrap() {
        let read: Value = serde_yaml::from_str(&folder.read(path)).unwrap();
        assert_eq!(&read, value, "{path}");
    }
    for catalog in ["v4.16", "v4.17", "v4.18"] {
        let text = folder.read(&format!("catalogs/{catalog}/harbor/catalog.yaml"));
        assert_eq!(
            text.matches("name: harbor.v1.2.0\npackage: harbor\n")
                .count(),
            1,
            "{catalog}"
        );
        let run = folder.run(&["validate", &format!("catalogs/{catalog}")]);
        assert_eq!(run.status, 0, "{catalog}: {}", run.stdout);
    }
    // A second run changes nothing.
    let run = repo(&folder, line);
    assert_eq!((run.status, run.stdout.as_str()), (0, ""), "{}", run.stderr);
}

#[test]
fn a_promotion_keeps_every_state() {
    let folder = folder();
    let (harbor, lantern) = (states(&folder, "harbor"), states(&folder, "lantern"));
    run_and_write(&folder, "promote --from v4.18 --to v4.19");
    let with_new = |mut states: Vec<(String, String)>, at: usize| {
        states.insert(at, ("v4.19".to_owned(), "fresh".to_owned()));
        states
    };
    assert_eq!(states(&folder, "harbor"), with_new(harbor, 3));
    assert_eq!(states(&folder, "lantern"), with_new(lantern, 3));
    assert_eq!(
        folder
            .read("operators/harbor/ci.yaml")
            .split("catalog_names: [\"v4.17\"")
            .nth(1),
        Some(",\n        \"v4.18\", \"v4.19\"]\n")
    );
    assert!(
        folder
            .read("operators/harbor/ci.yaml")
            .contains("   # new versions need no review\n")
    );
}

#[test]
fn an_onboarded_operator_renders_to_the_served_catalogs() {
    let folder = folder();
    run_and_write(
        &folder,
        "onboard --operator tide --catalog v4.17=served/v4.17.yaml --catalog v4.18=served/v4.18.yaml",
    );
    let fresh = |name: &str| (name.to_owned(), "fresh".to_owned());
    assert_eq!(states(&folder, "tide"), [fresh("v4.17"), fresh("v4.18")]);
    let ci = folder.read("operators/tide/ci.yaml");
    assert!(
        ci.starts_with("---\n# The team\nreviewers:\n    - carol\nfbc:\n"),
        "{ci}"
    );
    for catalog in ["v4.17", "v4.18"] {
        // `served` starts with another package.
        let served = folder.read(&format!("served/{catalog}.yaml"));
        let documents = |text: &str| -> Vec<Value> {
            let documents = serde_yaml::Deserializer::from_str(text);
            documents
                .map(|document| serde::Deserialize::deserialize(document).unwrap())
                .collect()
        };
        let is_own =
            |blob: &Value| blob["package"] == "tide-operator" || blob["name"] == "tide-operator";
        let served: Vec<Value> = documents(&served).into_iter().filter(is_own).collect();
        assert!(served.len() >= 3);
        assert_eq!(
            documents(&folder.read(&format!("catalogs/{catalog}/tide/catalog.yaml"))),
            served,
            "{catalog}"
        );
    }
}

#[test]
fn the_patch_applies_with_git_and_equals_the_written_files() {
    let (patched, folder) = (folder(), folder());
    let git = |args: &[&str]| {
        std::process::Command::new("git")
            .args(args)
            .current_dir(patched.path())
            .output()
    };
    if !git(&["init", "--quiet"]).is_ok_and(|output| output.status.success()) {
        println!("skipped: git is not installed");
        return;
    }
    for line in [
        "release --operator harbor --bundle 1.2.0 --image quay.io/example/harbor:v1.2.0",
        "promote --from v4.18 --to v4.19",
        "onboard --operator tide --catalog v4.17=served/v4.17.yaml --catalog v4.18=served/v4.18.yaml",
        "render --stale",
    ] {
        patched.write("change.patch", &repo(&patched, line).stdout);
        let applied = git(&["apply", "change.patch"]).unwrap();
        assert!(
            applied.status.success(),
            "{line}: {}",
            String::from_utf8_lossy(&applied.stderr)
        );
        let run = run_and_write(&folder, line);
        let wrote: Vec<&str> = run
            .stderr
            .lines()
            .filter_map(|line| line.strip_prefix("wrote "))
            .collect();
        assert!(!wrote.is_empty(), "{line}: {}", run.stderr);
        for path in wrote {
            assert_eq!(patched.read(path), folder.read(path), "{line}: {path}");
        }
    }
}
