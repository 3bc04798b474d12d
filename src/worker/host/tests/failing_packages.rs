//! A preview of operations that make a passing package fail reports it, and offers operations that do not.

use super::*;
use protocol::operation::EditOp;

/// `p.v1.2.0` replaces `p.v1.1.0` replaces `p.v1.0.0` in the one channel; each with its bundle. `more` is appended.
fn chain(more: &str) -> String {
    let mut text = "schema: olm.package\nname: p\ndefaultChannel: stable\n---\n\
                    schema: olm.channel\npackage: p\nname: stable\nentries:\n\
                    - {name: p.v1.2.0, replaces: p.v1.1.0}\n- {name: p.v1.1.0, replaces: p.v1.0.0}\n- {name: p.v1.0.0}\n"
        .to_owned();
    for version in ["1.0.0", "1.1.0", "1.2.0"] {
        text.push_str(&format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: quay.io/x/p:v{version}\nproperties:\n\
             - type: olm.package\n  value: {{packageName: p, version: {version}}}\n"
        ));
    }
    text + more
}

/// Removes the entry in the middle of the chain; no channel lists its bundle any more.
fn out_of_the_middle() -> EditOp {
    EditOp::RemoveEntry {
        catalog: None,
        package: "p".into(),
        channel: "stable".into(),
        name: "p.v1.1.0".into(),
        then: DanglingEdges::Relink,
    }
}

fn opened(text: &str) -> Bench {
    let mut bench = Bench::new();
    bench
        .open(OpenMode::Replace, &[("c/p/catalog.yaml", text.as_bytes())])
        .unwrap();
    bench
}

#[test]
fn what_would_fail_is_told_and_each_way_that_is_offered_keeps_it_passing() {
    let mut bench = opened(&chain(""));
    let preview = PreviewEdit {
        ops: Json(vec![out_of_the_middle()]),
        scope: PreviewScope::All,
        view: None,
    };
    let Ok(Previewed {
        consequences,
        alternatives,
        ..
    }) = bench.host.answer(preview)
    else {
        panic!()
    };
    let [failing] = consequences.failing.as_slice() else {
        panic!("{:?}", consequences.failing)
    };
    assert_eq!(
        (
            failing.root.as_str(),
            failing.package.as_str(),
            failing.in_verdict
        ),
        ("c", "p", true)
    );
    assert!(failing.message.contains("p.v1.1.0"), "{}", failing.message);
    assert!(!alternatives.is_empty());
    for way in alternatives {
        let asked = PreviewEdit {
            ops: way.clone(),
            scope: PreviewScope::All,
            view: None,
        };
        let Ok(Previewed {
            consequences,
            alternatives,
            ..
        }) = bench.host.answer(asked)
        else {
            panic!()
        };
        assert_eq!(
            (consequences.failing.as_slice(), alternatives.as_slice()),
            (&[][..], &[][..]),
            "{way:?}"
        );
        let applied = bench.applied(Apply {
            ops: way,
            title: "A way".into(),
            view: None,
        });
        assert!(
            applied
                .consequences
                .verdicts
                .iter()
                .all(|verdict| verdict.passed_after)
        );
        bench.applied(Undo { view: None });
    }
}

#[test]
fn a_package_that_begins_to_fail_is_told_in_a_catalog_that_fails_anyway() {
    let other = "---\nschema: olm.package\nname: q\ndefaultChannel: none\n";
    let mut bench = opened(&chain(other));
    let preview = PreviewEdit {
        ops: Json(vec![out_of_the_middle()]),
        scope: PreviewScope::Own,
        view: None,
    };
    let Ok(Previewed {
        consequences,
        alternatives,
        ..
    }) = bench.host.answer(preview)
    else {
        panic!()
    };
    let failing: Vec<(&str, bool)> = consequences
        .failing
        .iter()
        .map(|of| (of.package.as_str(), of.in_verdict))
        .collect();
    assert_eq!(failing, [("p", false)]);
    assert!(!alternatives.is_empty());
}

#[test]
fn what_keeps_a_package_passing_offers_nothing_else() {
    let mut bench = opened(&chain(""));
    let op = EditOp::Withdraw {
        catalog: None,
        package: "p".into(),
        bundle: "p.v1.1.0".into(),
        by: None,
        channel: Vec::new(),
    };
    let preview = PreviewEdit {
        ops: Json(vec![op]),
        scope: PreviewScope::All,
        view: None,
    };
    let Ok(Previewed {
        consequences,
        alternatives,
        ..
    }) = bench.host.answer(preview)
    else {
        panic!()
    };
    assert_eq!(
        (consequences.failing.as_slice(), alternatives.as_slice()),
        (&[][..], &[][..])
    );
}
