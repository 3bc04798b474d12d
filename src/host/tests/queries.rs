//! Queries change nothing.

use super::*;
use protocol::judgement::UpgradeImpact;
use protocol::views::TextRange;

#[test]
fn names_are_found_and_missing_ones_reported() {
    let (mut bench, _) = Bench::sample();
    let find = Find {
        text: "Lantern".into(),
        root: String::new(),
        limit: 3,
    };
    let Ok(Found { hits, total }) = bench.host.answer(find) else {
        panic!()
    };
    assert_eq!(
        (hits.len(), hits[0].label.as_str(), hits[0].kind.label()),
        (3, "lantern", "package")
    );
    assert_eq!(
        (hits[0].marks.as_slice(), hits[1].kind.label()),
        ([TextRange { start: 0, end: 7 }].as_slice(), "display name")
    );
    assert!(total > 3);
    for query in [
        EncodedQuery::new(&package_request("no-such-package")),
        EncodedQuery::new(&Packages {
            root: "elsewhere".into(),
        }),
        EncodedQuery::new(&Problems {
            root: "elsewhere".into(),
        }),
        EncodedQuery::new(&Inspect {
            root: "sample".into(),
            package: "lantern".into(),
            target: Target::Problem { index: 9 },
        }),
        EncodedQuery::new(&ReadSource {
            root: "sample".into(),
            file: "nothing.yaml".into(),
            at: SourceAt::Lines { first: 1, count: 5 },
            place: 1,
        }),
    ] {
        assert!(bench.host.serve(&query.unwrap(), Vec::new()).is_err());
    }
}

#[test]
fn everyone_and_two_catalogs_are_answered() {
    let mut bench = Bench::new();
    let files = sample();
    let mut two: Vec<(String, Vec<u8>)> = Vec::new();
    for (path, bytes) in &files {
        let inside = path.trim_start_matches("sample/");
        two.push((format!("catalogs/v4.18/{inside}"), bytes.clone()));
        // The next catalog lacks the edge from 1.0.1 and the range that covers it.
        let text = String::from_utf8(bytes.clone()).unwrap();
        let text = text
            .replace("  replaces: lantern.v1.0.1\n", "")
            .replace("'>=1.0.0 <1.2.0'", "'>=1.1.0 <1.2.0'");
        two.push((format!("catalogs/v4.19/{inside}"), text.into_bytes()));
    }
    let two: Vec<(&str, &[u8])> = two
        .iter()
        .map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
        .collect();
    let Ok(Opened::Anew(status)) = bench.open(OpenMode::Replace, &two) else {
        panic!("not opened")
    };
    assert_eq!(status.roots.len(), 2);
    let package = "lantern".to_owned();
    let (old_root, new_root) = ("v4.18".to_owned(), "v4.19".to_owned());

    let question = UpgradeQuestion::default();
    let everyone = Everyone {
        root: old_root.clone(),
        package: package.clone(),
        question,
        ops: Json(Vec::new()),
    };
    let Ok(everyone) = bench.host.answer(everyone) else {
        panic!()
    };
    let gone = everyone
        .rows
        .iter()
        .find(|row| row.name == "lantern.v0.9.0")
        .unwrap();
    assert!(!gone.in_catalog && gone.version == "0.9.0");
    assert_eq!(
        gone.v0[0].next.as_ref().map(|stop| stop.name.as_str()),
        Some("lantern.v1.0.0")
    );

    let old = Baseline::Catalog(old_root.clone());
    let compare = Compare {
        old: old.clone(),
        root: new_root.clone(),
    };
    let Ok(compared) = bench.host.answer(compare) else {
        panic!()
    };
    assert_eq!((compared.packages.len(), compared.same), (1, 2));
    assert!(
        compared.packages[0].stranded > 0 && compared.packages[0].errors > 0,
        "{:?}",
        compared.packages[0]
    );

    let (root, package_name) = (new_root.clone(), package.clone());
    let compare = ComparePackage {
        old,
        root,
        package: package_name,
        cluster: String::new(),
    };
    let Ok(comparison) = bench.host.answer(compare) else {
        panic!()
    };
    assert_eq!(comparison.table.rows[0].fate, UpgradeImpact::Stranded);
    assert!(
        comparison
            .table
            .broken
            .iter()
            .any(|broken| broken.invariants[0] == "stranded" && broken.error)
    );
    assert_eq!(
        comparison.table.rows.first().map(|row| row.fate.as_str()),
        Some("stranded"),
        "the worst is first"
    );
    assert!(
        comparison
            .entries
            .iter()
            .any(|entry| entry.channel == "stable"
                && entry.detail.contains("replaces `lantern.v1.0.1` removed"))
    );

    let matrix = Matrix {
        roots: vec![old_root, new_root],
        package,
    };
    let Ok(matrix) = bench.host.answer(matrix) else {
        panic!()
    };
    assert_eq!(
        matrix
            .columns
            .iter()
            .map(|c| c.ocp.as_str())
            .collect::<Vec<_>>(),
        ["4.18", "4.19"]
    );
    assert!(
        matrix.rows.iter().all(
            |row| row.cells.len() == 2 && row.cells.iter().all(|cell| !cell.summary.is_empty())
        )
    );
}

/// Assumed operations on a package are not blamed for another package that already fails.
#[test]
fn existing_failures_are_not_attributed_to_an_edit() {
    let mut bench = Bench::new();
    let mut files = sample();
    files.push((
        "sample/q/catalog.yaml".into(),
        b"schema: olm.package\nname: q\ndefaultChannel: none\n".to_vec(),
    ));
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
        .collect();
    let Ok(Opened::Anew(status)) = bench.open(OpenMode::Replace, &files) else {
        panic!("not opened")
    };
    let root = status.roots[0].root.clone();
    let mut suppose = |op: EditOp| {
        let (package, question) = (String::from("lantern"), UpgradeQuestion::default());
        let request = Everyone {
            root: root.clone(),
            package,
            question,
            ops: Json(vec![op]),
        };
        let Ok(view) = bench.host.answer(request) else {
            panic!("refused")
        };
        let outcome = view.outcome.expect("supposed");
        assert!(!outcome.passed && !outcome.passes);
        outcome
    };
    let harmless = suppose(default_channel("candidate"));
    assert!(
        !harmless.breaks && harmless.why.contains('q'),
        "{harmless:?}"
    );
    assert!(
        !harmless.why.contains(['\n', '└']),
        "it is a line of a small card: {}",
        harmless.why
    );
    // Creates a cycle below the head, which remains the only head.
    let (catalog, package, channel) = (None, String::from("lantern"), String::from("stable"));
    let (name, replaces) = ("lantern.v1.0.0".into(), Some("lantern.v1.0.1".into()));
    let circle = suppose(EditOp::SetReplaces {
        catalog,
        package,
        channel,
        name,
        replaces,
    });
    assert!(circle.breaks && circle.why != harmless.why, "{circle:?}");
}

#[test]
fn hypothetical_edits_are_reported_with_their_verdict() {
    let mut bench = Bench::new();
    let files = sample();
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
        .collect();
    let Ok(Opened::Anew(status)) = bench.open(OpenMode::Replace, &files) else {
        panic!("not opened")
    };
    let root = status.roots[0].root.clone();
    let mut suppose = |ops: serde_json::Value| {
        let ops: Vec<EditOp> = serde_json::from_value(ops).unwrap();
        bench.host.answer(Everyone {
            root: root.clone(),
            package: "lantern".into(),
            question: UpgradeQuestion::default(),
            ops: Json(ops),
        })
    };
    let Ok(view) = suppose(serde_json::json!([])) else {
        panic!()
    };
    assert_eq!(view.outcome, None, "things as they are have no outcome");

    let cut = serde_json::json!([
        {"op": "set-replaces", "package": "lantern", "channel": "stable", "name": "lantern.v1.2.0", "replaces": null}
    ]);
    let Ok(view) = suppose(cut) else { panic!() };
    let outcome = view.outcome.unwrap();
    assert!(outcome.passed && !outcome.passes && outcome.breaks);
    assert!(outcome.why.ends_with("heads in stable"), "{}", outcome.why);
    let [entry] = outcome.entries.as_slice() else {
        panic!("{:?}", outcome.entries)
    };
    assert_eq!(
        (entry.name.as_str(), entry.replaces.as_str(), entry.is_new),
        ("lantern.v1.2.0", "", false)
    );

    let unknown = serde_json::json!([{"op": "promote", "package": "lantern", "bundle": "nobody.v1", "to": "stable"}]);
    assert!(suppose(unknown).is_err());
}

#[test]
fn an_impossible_download_suggests_a_remedy() {
    let mut bench = Bench::new();
    bench
        .open(
            OpenMode::Replace,
            &[("top/catalog.yaml", b"schema: olm.package\nname: p\n")],
        )
        .unwrap();
    bench.memory.clear();
    let Err(refusal) = bench.host.answer(Export::All) else {
        panic!()
    };
    assert!(
        refusal
            .reason
            .ends_with("changed on disk since it was opened"),
        "{refusal:?}"
    );
    assert!(refusal.help.contains("reload"), "{refusal:?}");
}
