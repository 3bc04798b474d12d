//! Applying, refusing, previewing, undoing and reverting edits.

use super::*;

#[test]
fn an_edit_changes_one_line_and_can_be_undone_and_redone() {
    let (mut bench, _) = Bench::sample();
    let before = bench.host.revision();
    let applied = bench.applied(Apply {
        ops: Json(vec![default_channel("candidate")]),
        title: "Set default channel".into(),
        view: Some(wanted("lantern")),
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
    let nothing = bench.host.answer(Redo { view: None });
    assert!(matches!(nothing, Err(refusal) if refusal.reason.contains("nothing to redo")));
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
        view: None,
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
