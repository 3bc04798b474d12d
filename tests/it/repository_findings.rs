//! Findings about an operator repository: examples of the documentation have them, and the commands
//! report them.

use super::repository_support::{Memory, folder};
use repository::check::check_configuration;
use repository::rules::{self, FindingRule};
use serde_json::Value;
use std::collections::BTreeSet;
use test_support::Folder;

/// The findings for the example's operator; the rest of the repository is as in `tests/data`.
fn find_ids(rule: &FindingRule, files: &[(&str, &str)]) -> Vec<&'static str> {
    let mut repository = Memory::below(&test_support::project().join("tests/data/repository"));
    for (path, _) in rule.bad.iter().chain(rule.good) {
        repository.put(path, None);
    }
    for (path, text) in files {
        repository.put(path, Some(text.as_bytes()));
    }
    let operator = files[0]
        .0
        .strip_prefix("operators/")
        .and_then(|rest| rest.split('/').next())
        .unwrap_or("harbor");
    let released = ["1.0.0", "1.1.0", "0.1.0", "0.2.0"];
    check_configuration(&repository, operator, &|version| {
        released.contains(&version)
    })
    .iter()
    .map(|of| of.check)
    .collect()
}

#[test]
fn every_example_shows_its_problem() {
    for rule in rules::ALL {
        let (bad, good) = (find_ids(rule, rule.bad), find_ids(rule, rule.good));
        assert!(
            bad.contains(&rule.id),
            "{}: the bad example has {bad:?}",
            rule.id
        );
        assert!(
            !good.contains(&rule.id),
            "{}: the good example has it too",
            rule.id
        );
    }
}

#[test]
fn every_rule_is_documented_once_and_explained() {
    let mut ids = BTreeSet::new();
    for rule in rules::ALL {
        assert!(
            ids.insert(rule.id) && verdict::validate::explain(rule.id).is_none(),
            "{} is documented twice",
            rule.id
        );
    }
    let explained = Folder::new(&[]).run(&["explain", "catalog-without-v"]);
    assert!(
        explained.stdout.contains("operators/harbor/ci.yaml")
            && explained.stdout.contains("repo check"),
        "{}",
        explained.stdout
    );
    let known = Folder::new(&[]).run(&["explain", "catalog-without-w"]);
    assert!(
        known.stderr.contains("catalog-without-v"),
        "{}",
        known.stderr
    );
}

/// The findings of an answer, each as its name and its place.
fn findings(folder: &Folder, line: &str) -> Vec<String> {
    let args: Vec<&str> = line.split(' ').chain(["-o", "json"]).collect();
    let run = folder.run(&args);
    assert_ne!(run.status, 2, "{args:?}: {}", run.stderr);
    let answer = run.json();
    let found = ["results", "remarks"]
        .iter()
        .filter_map(|list| answer[list].as_array())
        .flatten();
    let one = |finding: &Value| {
        let line = finding["line"]
            .as_u64()
            .map_or_else(String::new, |line| format!(":{line}"));
        format!(
            "{} {}{line}",
            finding["check"].as_str().unwrap(),
            finding["file"].as_str().unwrap()
        )
    };
    found.map(one).collect()
}

fn assert_findings(folder: &Folder, line: &str, wanted: &[&str]) {
    let findings = findings(folder, line);
    for one in wanted {
        assert!(
            findings.iter().any(|other| other == one),
            "{line}: {one} is not in {findings:#?}"
        );
    }
}

const RELEASE: &str =
    "repo release --operator harbor --bundle 1.2.0 --image quay.io/example/harbor:v1.2.0";
const CONFIG: &str = "operators/harbor/1.2.0/release-config.yaml";

#[test]
fn a_release_reports_what_it_omits() {
    let folder = folder();
    assert_eq!(
        findings(&folder, RELEASE),
        Vec::<String>::new(),
        "no findings without a problem"
    );
    let template = "operators/harbor/catalog-templates/basic.yaml";
    let text = folder.read(template);
    folder.write(
        template,
        &text.replace(
            "- {name: harbor.v1.1.0}",
            "- {name: harbor.v1.1.0}\n      - {name: harbor.v1.2.0}",
        ),
    );
    let config = folder.read(CONFIG);
    folder.write(
        CONFIG,
        &config.replace(
            "channels: [stable, fast]",
            "channels: [stable, fast]\n    defaultChannel: fast",
        ),
    );
    assert_findings(
        &folder,
        RELEASE,
        &[
            &format!("entry-twice {CONFIG}:6"),
            &format!("default-channel-kept {CONFIG}:6"),
        ],
    );
    folder.write(
        CONFIG,
        &config
            .replace("replaces: harbor.v1.1.0", "replaces: harbor.v1.1.1")
            .replace("[stable, fast]", "[fats]"),
    );
    assert_findings(
        &folder,
        RELEASE,
        &[
            &format!("replaced-entry-missing {CONFIG}:3"),
            &format!("channel-new {CONFIG}:6"),
        ],
    );
    let line =
        "repo release --operator lantern --bundle 0.3.0 --image quay.io/example/lantern:v0.3.0";
    assert_findings(
        &folder,
        line,
        &["edges-not-used operators/lantern/0.3.0/release-config.yaml:3"],
    );
}

#[test]
fn a_channel_of_another_version_is_no_misspelling() {
    let folder = folder();
    let template = "operators/harbor/catalog-templates/basic.yaml";
    let text = folder.read(template);
    folder.write(template, &text.replace("name: fast", "name: stable-3.17"));
    let config = folder.read(CONFIG);
    folder.write(CONFIG, &config.replace("[stable, fast]", "[stable-3.9]"));
    let remarks = findings(&folder, RELEASE);
    assert!(
        !remarks
            .iter()
            .any(|remark| remark.starts_with("channel-new")),
        "{remarks:#?}"
    );
    folder.write(CONFIG, &config.replace("[stable, fast]", "[stabel-3.17]"));
    assert_findings(&folder, RELEASE, &[&format!("channel-new {CONFIG}:6")]);
}

#[test]
fn a_check_reports_more_than_the_pipeline() {
    let folder = folder();
    let ci = folder.read("operators/lantern/ci.yaml");
    folder.write(
        "operators/lantern/ci.yaml",
        &(ci + "    - template_name: semver.yaml\n      catalogs_names: [v4.16]\n"),
    );
    assert_findings(
        &folder,
        "repo check --operator lantern --bundle 0.3.0 --catalog v4.18",
        &[
            "edges-not-used operators/lantern/0.3.0/release-config.yaml:3",
            "catalog-without-v operators/lantern/ci.yaml:10",
            "misspelt-catalog-names operators/lantern/ci.yaml:12",
            "release-config-unread operators/lantern/release-config.yaml",
            "bundle-and-catalogs operators/lantern",
        ],
    );
}

#[test]
fn a_release_configuration_with_a_wrong_extension_is_to_be_renamed() {
    let mut repository = Memory::below(&test_support::project().join("tests/data/repository"));
    let path = "operators/lantern/0.3.0/release-config.yml";
    repository.put(path, Some("{}".as_bytes()));
    let findings = check_configuration(&repository, "lantern", &|_| true);
    let finding = findings.iter().find(|finding| finding.file == path);
    let help = finding.map(|finding| finding.help.as_str());
    assert_eq!(help, Some("rename it to `release-config.yaml`"));
}

#[test]
fn a_promotion_reports_bundles_that_must_not_be_promoted() {
    let folder = folder();
    let path = "catalogs/v4.16/harbor/catalog.yaml";
    let text = folder.read(path);
    let head = text
        .rfind("- type: olm.bundle.object")
        .expect("bundle objects before 4.17");
    folder.write(
        path,
        &format!(
            "{}- type: olm.maxOpenShiftVersion\n  value: '4.16'\n{}",
            &text[..head],
            &text[head..]
        ),
    );
    std::fs::remove_dir_all(folder.path().join("catalogs/v4.17/harbor")).unwrap();
    let ci = folder.read("operators/lantern/ci.yaml");
    folder.write(
        "operators/lantern/ci.yaml",
        &ci.replace(
            "enabled: true",
            "enabled: true\n  version_promotion_strategy: sometimes",
        ),
    );
    let copied = "catalogs/v4.17/harbor/catalog.yaml";
    assert_findings(
        &folder,
        "repo promote --from v4.16 --to v4.17",
        &[
            &format!("bundle-objects-copied {copied}"),
            &format!("max-openshift-version {copied}"),
        ],
    );
    assert_findings(
        &folder,
        "repo promote --from v4.18 --to 4.20",
        &[
            "strategy-unknown operators/lantern/ci.yaml:4",
            "catalog-without-v catalogs/4.20",
        ],
    );
}

#[test]
fn onboarding_reports_overwritten_and_skipped_files() {
    let folder = folder();
    let ci = folder.read("operators/tide/ci.yaml");
    folder.write(
        "operators/tide/ci.yaml",
        &(ci + "fbc:\n  version_promotion_strategy: never\n"),
    );
    folder.write(
        "operators/tide/catalog-templates/v4.18.yaml",
        "schema: olm.template.basic\nentries: []\n",
    );
    assert_findings(
        &folder,
        "repo onboard --operator tide --catalog v4.18=served/v4.18.yaml --catalog v4.16=served/v4.16.yaml",
        &[
            "fbc-overwritten operators/tide/ci.yaml:6",
            "template-overwritten operators/tide/catalog-templates/v4.18.yaml",
            "package-not-in-catalog operators/tide/ci.yaml",
        ],
    );
}
