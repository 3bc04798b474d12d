//! Replays the recorded verdicts of `opm validate`: hand-written trees, mutants of real packages,
//! the whole corpus.
//!
//! Slices are committed under `tests/data/oracle`; the complete tables and the corpus are used if
//! available. Set `SWITCHYARD_SHOW` to the prefix of a case's name to print its differences.

use test_support::{recorded_answers, shared_folder};

pub(crate) mod compare;
pub(crate) mod tree;

use ::catalog::Catalog;
use compare::{Tally, normalise};
use verdict::validate::{Verdict, judge};

/// Invariants of every verdict, independent of the recorded one.
fn check_invariants(id: &str, verdict: &Verdict, catalog: &Catalog) {
    assert_eq!(verdict.passed, verdict.opm_message.is_none(), "{id}");
    let refused = verdict
        .diagnostics
        .iter()
        .any(|d| d.opm && d.severity == protocol::diagnostic::Severity::Error);
    assert_eq!(
        verdict.passed, !refused,
        "{id}: the verdict and the diagnostics disagree: {:?}",
        verdict.opm_message
    );
    for d in &verdict.diagnostics {
        assert!(
            verdict::validate::explain(&d.rule).is_some(),
            "{id}: {} is not documented",
            d.rule
        );
        assert!(
            catalog.file_at(&d.location.file).is_some() && d.location.line > 0,
            "{id}: {} has no place",
            d.rule
        );
    }
}

fn replay(name: &str, floor: usize) -> Tally {
    let mut tally = Tally::new(name);
    for case in recorded_answers(name) {
        let id = case["id"].as_str().unwrap();
        let catalog = tree::of_case(&case);
        let verdict = judge(&catalog);
        check_invariants(id, &verdict, &catalog);
        tally.count(&case, &verdict);
    }
    tally.print();
    tally.require_cases(floor);
    tally
}

#[test]
fn hand_written_cases() {
    let tally = replay("validate-cases", 1100);
    tally.require_verdicts(1.0);
    tally.require_messages(1.0);
    tally.require_families();
}

#[test]
fn mutants() {
    let tally = replay("validate-mutants", 300);
    tally.require_verdicts(1.0);
    tally.require_messages(1.0);
}

#[test]
fn the_corpus() {
    let Some(shared) = shared_folder() else {
        println!("skipped: no folder of real catalogs (SWITCHYARD_SHARED)");
        return;
    };
    let mut tally = Tally::new("validate-corpus");
    let mut disk = tree::Disk::new(shared.join("corpus"));
    for case in recorded_answers("validate-corpus") {
        let id = case["id"].as_str().unwrap();
        let catalog = disk.catalog(id);
        let verdict = judge(&catalog);
        check_invariants(id, &verdict, &catalog);
        tally.count(&case, &verdict);
    }
    tally.print();
    tally.require_cases(1000);
    tally.require_verdicts(1.0);
    tally.require_messages(1.0);
}

#[test]
fn reports_eight_unrelated_faults() {
    let file = |id, path: &str, text: &str| tree::file(id, path, text.as_bytes());
    let bundle = |name: &str, version: &str, more: &str| {
        format!(
            "schema: olm.bundle\npackage: p\nname: {name}\n{more}properties:\n- type: olm.package\n  value: {{packageName: p, version: {version}}}\n---\n"
        )
    };
    let bundles = bundle("a", "1.0.0", "image: a/b:c\n")
        + &bundle("b", "v1", "image: a/b:c\n")
        + &bundle("c", "3.0.0", "image: A/B:c\n")
        + &bundle("d", "4.0.0", "image: a/b:c\n")
        + "schema: x.y\n";
    let entries =
        "entries: [{name: a}, {name: b, replaces: a}, {name: c, replaces: b}, {name: c}]\n";
    let catalog = Catalog::new(
        "dir",
        vec![
            file(0, "bundles.yaml", &bundles),
            file(
                1,
                "channels.yaml",
                &format!("schema: olm.channel\npackage: p\nname: s\n{entries}"),
            ),
            file(
                2,
                "dup.yaml",
                "schema: olm.package\nname: q\n---\nschema: olm.package\nname: p\n",
            ),
            file(
                3,
                "package.yaml",
                "schema: olm.package\nname: p\ndefaultChannel: s\n",
            ),
            file(
                4,
                "q.json",
                "{\"schema\": \"olm.channel\", \"package\": \"r\", \"name\": \"s\"}",
            ),
            file(5, "x.yaml", "name: 7\n"),
            file(6, "y.yaml", "schema: [\n"),
            file(
                7,
                "z.yaml",
                "schema: olm.deprecations\npackage: p\nentries: [{reference: {schema: olm.bundle, name: z}}]\n",
            ),
        ],
    );
    let verdict = judge(&catalog);
    let problems: Vec<(&str, u32, &str)> = verdict
        .diagnostics
        .iter()
        .map(|d| (&*d.location.file, d.location.line, &*d.rule))
        .collect();
    for expected in [
        ("bundles.yaml", 15, "bundle-version-semver"),
        ("bundles.yaml", 20, "bundle-image-pullspec"),
        ("bundles.yaml", 27, "bundle-not-in-channel"),
        ("channels.yaml", 4, "entry-duplicate"),
        ("package.yaml", 2, "package-duplicate"),
        ("q.json", 1, "channel-unknown-package"),
        ("x.yaml", 1, "blob-meta-not-string"),
        ("y.yaml", 2, "yaml-syntax"),
        ("z.yaml", 3, "deprecation-bundle-not-found"),
    ] {
        assert!(
            problems.contains(&expected),
            "{expected:?} is missing in {problems:#?}"
        );
    }
    let message = verdict.opm_message.unwrap();
    assert!(
        message.contains("expected value for key \"name\" to be a string"),
        "{message}"
    );
    assert_eq!(normalise(&message), message);
}
