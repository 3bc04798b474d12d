//! The documentation of findings in operator repositories: its examples have the findings they illustrate.

use super::repository_support::Memory;
use fbc::repository::check::configuration;
use fbc::repository::rules::{self, FindingRule};
use std::collections::BTreeSet;
use test_support::Folder;

/// The findings for the example's operator; the rest of the repository is as in `tests/data`.
fn found(rule: &FindingRule, files: &[(&str, &str)]) -> Vec<&'static str> {
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
    configuration(&repository, operator, &|version| {
        released.contains(&version)
    })
    .iter()
    .map(|of| of.check)
    .collect()
}

#[test]
fn every_example_shows_its_problem() {
    for rule in rules::ALL {
        let (bad, good) = (found(rule, rule.bad), found(rule, rule.good));
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
            ids.insert(rule.id) && fbc::validate::explain(rule.id).is_none(),
            "{} is documented twice",
            rule.id
        );
        for text in [rule.summary, rule.why, rule.fix] {
            assert!(
                text.len() > 15 && text.ends_with('.'),
                "{}: {text}",
                rule.id
            );
        }
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
