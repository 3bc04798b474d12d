//! Applying, refusing, previewing, undoing and reverting edits; marks, migrations and failing
//! packages.

use super::*;
use protocol::operation::EditOp;
use protocol::response::OtherCatalogOutcome;

#[test]
fn an_edit_changes_one_line_and_can_be_undone_and_redone() {
    let (mut bench, _) = Bench::sample();
    let before = bench.host.revision();
    let applied = bench.applied(Apply {
        ops: Json(vec![default_channel("candidate")]),
        title: "Set default channel".into(),
        view: Some(package_request("lantern")),
    });
    assert!(bench.host.revision() > before);
    assert_eq!(applied.status.revision, bench.host.revision());
    assert_eq!(applied.ops.0, [default_channel("candidate")]);
    assert_eq!(applied.view.unwrap().default_channel, "candidate");
    assert_eq!(
        applied.status.changed_files,
        ["sample/lantern/catalog.yaml"]
    );
    assert_eq!(
        applied
            .packages
            .iter()
            .map(|(_, row)| (row.name.as_str(), row.edited))
            .collect::<Vec<_>>(),
        [("lantern", true)]
    );

    let Ok(Review { files, steps, .. }) = bench.host.answer(ReviewChanges {}) else {
        panic!()
    };
    assert_eq!((files.len(), files[0].added, files[0].removed), (1, 1, 1));
    assert_eq!(
        steps
            .iter()
            .map(|step| step.package.as_str())
            .collect::<Vec<_>>(),
        ["lantern"]
    );

    let undone = bench.applied(Undo { view: None });
    assert_eq!(
        (undone.status.applied_steps, undone.status.history.len()),
        (0, 1)
    );
    assert!(undone.status.changed_files.is_empty() && undone.ops.0.is_empty());
    assert!(undone.packages.iter().all(|(_, row)| !row.edited));
    let redone = bench.applied(Redo { view: None });
    assert_eq!(redone.status.applied_steps, 1);
    let refused = bench.host.answer(Redo { view: None });
    assert!(matches!(refused, Err(refusal) if refusal.reason.contains("nothing to redo")));
    let back = bench.applied(GoTo {
        steps: 0,
        view: None,
    });
    assert_eq!(back.status.applied_steps, 0);
}

#[test]
fn a_refused_edit_and_a_preview_change_nothing() {
    let (mut bench, _) = Bench::sample();
    let revision = bench.host.revision();
    assert!(bench.apply(default_channel("no-such-channel")).is_err());
    let preview = PreviewEdit {
        ops: Json(vec![default_channel("candidate")]),
        scope: PreviewScope::All,
    };
    let Ok(Previewed {
        diffs,
        consequences,
        elsewhere,
        ..
    }) = bench.host.answer(preview)
    else {
        panic!()
    };
    assert_eq!(
        (diffs.len(), elsewhere.len()),
        (1, 0),
        "one catalog is open"
    );
    assert!(
        consequences
            .verdicts
            .iter()
            .all(|verdict| verdict.passed_after)
    );
    assert_eq!(bench.host.revision(), revision);
    let Ok(Review { files, .. }) = bench.host.answer(ReviewChanges {}) else {
        panic!()
    };
    assert!(files.is_empty());
}

#[test]
fn a_reverted_file_is_a_step_whose_operations_can_be_replayed() {
    let (mut bench, _) = Bench::sample();
    assert!(bench.apply(default_channel("candidate")).is_ok());
    let file = "sample/lantern/catalog.yaml".to_owned();
    let reverted = bench.applied(RevertFile {
        file: file.clone(),
        view: None,
    });
    assert_eq!(reverted.status.applied_steps, 2);
    assert_eq!(
        bench.export(Export::File { path: file.clone() }),
        sample()[0].1
    );

    let (mut fresh, _) = Bench::sample();
    let steps = vec![
        ReplayStep {
            title: "An edit".into(),
            ops: Json(vec![default_channel("candidate")]),
        },
        ReplayStep {
            title: "Bad".into(),
            ops: Json(vec![default_channel("nowhere")]),
        },
        ReplayStep {
            title: reverted.title,
            ops: reverted.ops,
        },
    ];
    let Ok(Replayed {
        status,
        steps,
        refused,
        ..
    }) = fresh.host.answer(Replay { steps })
    else {
        panic!()
    };
    assert_eq!(
        (status.applied_steps, steps.len(), refused.len()),
        (2, 2, 1)
    );
    assert_eq!(refused[0].0.title, "Bad");
    assert_eq!(fresh.export(Export::File { path: file }), sample()[0].1);
}

#[test]
fn all_fixes_of_a_rule_are_one_step() {
    let broken: Vec<(String, Vec<u8>)> = sample()
        .into_iter()
        .map(|(path, bytes)| {
            (
                path,
                String::from_utf8(bytes)
                    .unwrap()
                    .replace(".0 <", ".0,<")
                    .into(),
            )
        })
        .collect();
    let files: Vec<(&str, &[u8])> = broken
        .iter()
        .map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
        .collect();
    let mut bench = Bench::new();
    assert!(matches!(
        bench.open(OpenMode::Replace, &files),
        Ok(Opened::Anew(_))
    ));
    let wrong = |bench: &mut Bench| match bench.host.answer(Problems {
        root: "sample".into(),
    }) {
        Ok(problems) => problems
            .iter()
            .filter(|p| p.0.rule == "skiprange-invalid")
            .count(),
        other => panic!("{other:?}"),
    };
    let before = wrong(&mut bench);
    assert!(before > 1, "{before}");
    let fix_all = |package: Option<&str>| FixAll {
        root: "sample".into(),
        rule: "skiprange-invalid".into(),
        kind: "set-skip-range".into(),
        package: package.map(str::to_owned),
        view: None,
    };
    let nowhere = bench.applied(fix_all(Some("no-such-package")));
    assert_eq!(
        (nowhere.status.applied_steps, wrong(&mut bench)),
        (0, before)
    );
    let fixed = bench.applied(fix_all(None));
    assert_eq!(
        (
            fixed.status.applied_steps,
            fixed.ops.0.len(),
            wrong(&mut bench)
        ),
        (1, before, 0)
    );
    let undone = bench.applied(Undo { view: None });
    assert_eq!(
        (undone.status.applied_steps, wrong(&mut bench)),
        (0, before)
    );
}

#[test]
fn package_rows_mark_unsaved_edits() {
    let (mut bench, _) = Bench::sample();
    let path = "sample/lantern/catalog.yaml".to_owned();
    let marked = |bench: &mut Bench| {
        let answer = bench.host.answer(Packages {
            root: "sample".into(),
        });
        let Ok(rows) = answer else { panic!() };
        rows.into_iter()
            .filter(|row| row.edited)
            .map(|row| row.name)
            .collect::<Vec<_>>()
    };
    let none: [&str; 0] = [];
    assert_eq!(marked(&mut bench), none);
    assert!(bench.apply(default_channel("candidate")).is_ok());
    assert_eq!(marked(&mut bench), ["lantern"]);
    let written = bench.export(Export::File { path: path.clone() });
    bench
        .host
        .handle_with_files(
            NoteSaved {},
            vec![DiskFile {
                path,
                bytes: Ok(Some(written)),
            }],
        )
        .unwrap();
    assert_eq!(marked(&mut bench), none);
    bench.host.answer(Undo { view: None }).unwrap();
    assert_eq!(marked(&mut bench), ["lantern"], "it differs from the disk");
    bench.host.answer(Redo { view: None }).unwrap();
    assert_eq!(marked(&mut bench), none);
}

/// A ClusterServiceVersion that has only its kind, and filler that nothing reads.
const CSV: &str =
    "eyJraW5kIjoiQ2x1c3RlclNlcnZpY2VWZXJzaW9uIiwic3BlYyI6eyJkaXNwbGF5TmFtZSI6IlAifX0=";

fn catalog() -> Vec<u8> {
    let head = "schema: olm.package\nname: p\ndefaultChannel: a\n---\nschema: olm.channel\npackage: p\nname: a\nentries:\n- name: p.v1\n";
    let bundle = "schema: olm.bundle\npackage: p\nname: p.v1\nimage: q/p:v1\nproperties:\n- type: olm.package\n  value: {packageName: p, version: 1.0.0}\n";
    format!("{head}---\n{bundle}- type: olm.bundle.object\n  value:\n    data: {CSV}\n")
        .into_bytes()
}

fn open_two_catalogs() -> Bench {
    let mut bench = Bench::new();
    let text = catalog();
    let template = b"schema: olm.template.basic\nentries:\n- {schema: olm.package, name: p, defaultChannel: a}\n";
    let files: [(&str, &[u8]); 3] = [
        ("t/v4.17/p.yaml", &text),
        ("t/v4.18/p.yaml", &text),
        ("t/templates/basic.yaml", template),
    ];
    assert!(matches!(
        bench.open(OpenMode::Replace, &files),
        Ok(Opened::Anew(_))
    ));
    bench
}

fn migratable(bench: &mut Bench) -> u32 {
    bench.package(package_request_in("t/v4.17", "p")).migratable
}

#[test]
fn the_migration_preview_reports_saved_bytes_and_other_catalogs() {
    let mut bench = open_two_catalogs();
    assert_eq!(migratable(&mut bench), 1);
    let op = EditOp::Migrate {
        catalog: Some("t/v4.17".into()),
        package: None,
    };
    let ask = PreviewEdit {
        ops: Json(vec![op.clone()]),
        scope: PreviewScope::All,
    };
    let Ok(Previewed {
        diffs, elsewhere, ..
    }) = bench.host.answer(ask)
    else {
        panic!("no preview")
    };
    assert_eq!(diffs.len(), 1);
    let others: Vec<_> = elsewhere.iter().map(|other| other.root.as_str()).collect();
    assert_eq!(others, ["t/v4.18"], "a template has nothing to migrate");
    let OtherCatalogOutcome::Previewed { differs, .. } = &elsewhere[0].outcome else {
        panic!("{elsewhere:?}")
    };
    assert_eq!(differs, "");
    let apply = Apply {
        ops: Json(vec![op]),
        title: "Migrate".into(),
        view: None,
    };
    assert!(bench.host.answer(apply).is_ok());
    assert_eq!(migratable(&mut bench), 0);
    assert!(bench.host.answer(Undo { view: None }).is_ok());
    assert_eq!(migratable(&mut bench), 1);
}

#[test]
fn a_template_refuses_the_migration_with_a_reason() {
    let mut bench = open_two_catalogs();
    let op = EditOp::Migrate {
        catalog: Some("t/templates/basic.yaml".into()),
        package: None,
    };
    let apply = Apply {
        ops: Json(vec![op]),
        title: "Migrate".into(),
        view: None,
    };
    let Err(refusal) = bench.host.answer(apply) else {
        panic!("not refused")
    };
    assert!(refusal.help.contains("--migrate-level"), "{refusal:?}");
}

/// Returns a catalog with the chain `p.v1.2.0`, `p.v1.1.0`, `p.v1.0.0` in a single channel, with
/// all bundles. Appends `more`.
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

/// Returns the operation that removes the middle entry of the chain; no channel lists its bundle
/// then.
fn out_of_the_middle() -> EditOp {
    EditOp::RemoveEntry {
        catalog: None,
        package: "p".into(),
        channel: "stable".into(),
        name: "p.v1.1.0".into(),
        then: DanglingEdges::Relink,
    }
}

fn open_text(text: &str) -> Bench {
    let mut bench = Bench::new();
    bench
        .open(OpenMode::Replace, &[("c/p/catalog.yaml", text.as_bytes())])
        .unwrap();
    bench
}

#[test]
fn a_failing_edit_is_reported_and_each_alternative_passes() {
    let mut bench = open_text(&chain(""));
    let preview = PreviewEdit {
        ops: Json(vec![out_of_the_middle()]),
        scope: PreviewScope::All,
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
        (failing.root.as_str(), failing.package.as_str()),
        ("c", "p")
    );
    assert!(failing.message.contains("p.v1.1.0"), "{}", failing.message);
    assert!(!alternatives.is_empty());
    for alternative in alternatives {
        let request = PreviewEdit {
            ops: alternative.clone(),
            scope: PreviewScope::All,
        };
        let Ok(Previewed {
            consequences,
            alternatives,
            ..
        }) = bench.host.answer(request)
        else {
            panic!()
        };
        assert_eq!(
            (consequences.failing.as_slice(), alternatives.as_slice()),
            (&[][..], &[][..]),
            "{alternative:?}"
        );
        let applied = bench.applied(Apply {
            ops: alternative,
            title: "An alternative".into(),
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
fn a_newly_failing_package_is_reported_in_a_failing_catalog() {
    let other = "---\nschema: olm.package\nname: q\ndefaultChannel: none\n";
    let mut bench = open_text(&chain(other));
    let preview = PreviewEdit {
        ops: Json(vec![out_of_the_middle()]),
        scope: PreviewScope::Own,
    };
    let Ok(Previewed {
        consequences,
        alternatives,
        ..
    }) = bench.host.answer(preview)
    else {
        panic!()
    };
    let failing: Vec<&str> = consequences
        .failing
        .iter()
        .map(|failing| failing.package.as_str())
        .collect();
    assert_eq!(failing, ["p"]);
    assert!(!alternatives.is_empty());
}

#[test]
fn an_edit_that_keeps_a_package_passing_has_no_alternatives() {
    let mut bench = open_text(&chain(""));
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
