//! Free text edits in files that have changed: they are applied at the intended place or refused.

use super::*;
use protocol::operation::TextAnchor;

const FILE: &str = "sample/lantern/catalog.yaml";

/// Returns the edit that types `new` above the first line that starts with `line`, anchored by the
/// surrounding lines as the page does.
fn typed_above(text: &str, line: &str, new: &str) -> EditOp {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let at = lines
        .iter()
        .position(|known| known.starts_with(line))
        .unwrap();
    let around = TextAnchor {
        above: lines[at - 2..at].concat(),
        below: lines[at..at + 2].concat(),
        ..TextAnchor::default()
    };
    EditOp::ReplaceText {
        catalog: None,
        file: "lantern/catalog.yaml".into(),
        at: format!("{}:1-{}:1", at + 1, at + 1),
        before: String::new(),
        text: new.into(),
        around: Some(Box::new(around)),
    }
}

fn lantern() -> String {
    String::from_utf8(sample()[0].1.clone()).unwrap()
}

/// Returns the sample with another text in its first file.
fn sample_with(text: &str) -> Vec<(String, Vec<u8>)> {
    let mut files = sample();
    files[0].1 = text.as_bytes().to_vec();
    files
}

fn reload(bench: &mut Bench, files: &[(String, Vec<u8>)]) -> QueryResult<Open> {
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
        .collect();
    bench.open(OpenMode::Reload, &files)
}

#[test]
fn letters_typed_during_a_reload_are_applied_at_the_intended_place() {
    let (mut bench, _) = Bench::sample();
    let line = lantern()
        .lines()
        .find(|line| line.trim_start().starts_with("replaces:"))
        .unwrap()
        .to_owned();
    let typed = typed_above(&lantern(), &line, "    # typed\n");
    let meant = lantern().replacen(&line, &format!("    # typed\n{line}"), 1);
    let theirs = format!("# one line more\n{}", lantern());
    assert!(matches!(
        reload(&mut bench, &sample_with(&theirs)),
        Ok(Opened::Replayed(_))
    ));
    assert!(bench.apply(typed.clone()).is_ok());
    let now = bench.export(Export::File { path: FILE.into() });
    assert_eq!(
        String::from_utf8(now).unwrap(),
        format!("# one line more\n{meant}")
    );
    // With other surrounding lines, the edit is refused and changes nothing.
    let (mut bench, _) = Bench::sample();
    let theirs = lantern().replace(&format!("{line}\n"), "");
    reload(&mut bench, &sample_with(&theirs)).unwrap();
    let Err(refusal) = bench.apply(typed) else {
        panic!("it was applied")
    };
    assert!(refusal.reason.contains("have changed"), "{refusal:?}");
    assert_eq!(
        bench.export(Export::File { path: FILE.into() }),
        theirs.into_bytes()
    );
}

#[test]
fn a_typed_line_moves_with_its_entry_in_a_reload_or_is_reported() {
    let (mut bench, _) = Bench::sample();
    let line = lantern()
        .lines()
        .find(|line| line.trim_start().starts_with("replaces:"))
        .unwrap()
        .to_owned();
    let typed = typed_above(&lantern(), &line, "    # typed\n");
    let applied = match bench.apply(typed) {
        Ok(applied) => applied,
        other => panic!("{other:?}"),
    };
    let EditOp::ReplaceText {
        around: Some(around),
        ..
    } = &applied.ops.0[0]
    else {
        panic!("{:?}", applied.ops)
    };
    assert!(
        !around.digest.is_empty() && around.within.len() > 3,
        "{around:?}"
    );
    let mine = String::from_utf8(bench.export(Export::File { path: FILE.into() })).unwrap();
    let theirs = format!("# one line more\n{}", lantern());
    let Replayed { refused, .. } = replayed(reload(&mut bench, &sample_with(&theirs)));
    assert_eq!(refused, []);
    let now = bench.export(Export::File { path: FILE.into() });
    assert_eq!(
        String::from_utf8(now).unwrap(),
        format!("# one line more\n{mine}")
    );
    // Replay the journal of a crashed tab whose line the file already has.
    let (mut bench, _) = Bench::sample();
    reload(&mut bench, &sample_with(&mine)).unwrap();
    let steps = vec![ReplayStep {
        title: "Type".into(),
        ops: applied.ops.clone(),
    }];
    let Ok(Replayed { refused, .. }) = bench.host.answer(Replay { steps }) else {
        panic!()
    };
    assert_eq!(refused.len(), 1);
    assert_eq!(
        bench.export(Export::File { path: FILE.into() }),
        mine.into_bytes()
    );
}

#[test]
fn added_files_do_not_replace_open_ones() {
    let (mut bench, _) = Bench::sample();
    let before = bench.export(Export::File { path: FILE.into() });
    let Err(OperationRefusal {
        reason: message, ..
    }) = bench.open(OpenMode::Add, &[(FILE, b"# another\n")])
    else {
        panic!()
    };
    assert!(message.contains("is already open"), "{message}");
    assert_eq!(bench.export(Export::File { path: FILE.into() }), before);
}

fn skip() -> EditOp {
    EditOp::AddSkip {
        catalog: None,
        package: "tidewater".into(),
        channel: "v2".into(),
        name: "tidewater.v2.9.0".into(),
        skip: vec!["tidewater.v2.8.3".into()],
        skip_matching: None,
    }
}

#[test]
fn a_save_keeps_undo_when_another_file_changes_on_disk() {
    let (mut bench, _) = Bench::sample();
    assert!(bench.apply(default_channel("candidate")).is_ok());
    let saved = bench.export(Export::File { path: FILE.into() });
    bench
        .host
        .handle_with_files(
            NoteSaved {},
            vec![DiskFile {
                path: FILE.into(),
                bytes: Ok(Some(saved.clone())),
            }],
        )
        .unwrap();
    assert!(bench.apply(default_channel("stable")).is_ok());
    bench.applied(Undo { view: None });
    // On disk, another file has an additional line, and one file is new.
    let mut files = sample();
    files[0].1 = saved.clone();
    files[2].1.splice(0..0, *b"# theirs\n");
    files.push(("sample/new.yaml".into(), b"schema: x\nname: y\n".to_vec()));
    let Replayed {
        status,
        steps,
        refused,
        kept,
        forgotten,
    } = replayed(reload(&mut bench, &files));
    assert_eq!(
        (
            steps.len(),
            status.applied_steps,
            status.saved_steps,
            status.files
        ),
        (2, 1, Some(1), 4)
    );
    assert_eq!(
        (refused.len(), forgotten.len(), kept),
        (0, 0, vec![FILE.to_owned()])
    );
    assert_eq!(status.changed_files, Vec::<String>::new());
    let tidewater = bench.export(Export::File {
        path: "sample/tidewater/catalog.yaml".into(),
    });
    assert!(tidewater.starts_with(b"# theirs\n"));
    // Undo and redo still work, and the new text can be edited.
    bench.applied(Undo { view: None });
    assert_eq!(
        bench.export(Export::File { path: FILE.into() }),
        lantern().into_bytes()
    );
    let status = bench
        .applied(GoTo {
            steps: 2,
            view: None,
        })
        .status;
    assert_eq!(
        (status.applied_steps, status.changed_files),
        (2, vec![FILE.to_owned()])
    );
    assert!(bench.apply(skip()).is_ok());
    bench.applied(GoTo {
        steps: 1,
        view: None,
    });
    assert_eq!(bench.export(Export::File { path: FILE.into() }), saved);
    // A file changed by a step was replaced: the answer lists the steps that can no longer be
    // undone.
    files[0].1.splice(0..0, *b"# theirs too\n");
    let Replayed {
        status,
        steps,
        forgotten,
        ..
    } = replayed(reload(&mut bench, &files));
    assert_eq!(
        (steps.len(), status.history.len(), forgotten.len()),
        (0, 0, 3)
    );
    assert_eq!(forgotten[0], "An edit");
}

#[test]
fn adding_files_keeps_the_history() {
    let (mut bench, _) = Bench::sample();
    assert!(bench.apply(default_channel("candidate")).is_ok());
    let mine = bench.export(Export::File { path: FILE.into() });
    bench
        .host
        .handle_with_files(
            NoteSaved {},
            vec![DiskFile {
                path: FILE.into(),
                bytes: Ok(Some(mine)),
            }],
        )
        .unwrap();
    let added = bench.open(
        OpenMode::Add,
        &[("more/catalog.yaml", lantern().as_bytes())],
    );
    let Replayed {
        status,
        steps,
        kept,
        ..
    } = replayed(added);
    assert_eq!(
        (steps.len(), status.applied_steps, status.saved_steps),
        (1, 1, Some(1))
    );
    assert_eq!((status.files, kept), (4, vec![FILE.to_owned()]));
    bench.applied(Undo { view: None });
    assert_eq!(
        bench.export(Export::File { path: FILE.into() }),
        lantern().into_bytes()
    );
}

#[test]
fn an_added_folder_is_another_catalog_and_edits_stay_marked() {
    let (mut bench, before) = Bench::sample();
    assert!(bench.apply(default_channel("candidate")).is_ok());
    // One of its packages is already open: both would fail in a single catalog.
    let Replayed { status, .. } = replayed(bench.open(
        OpenMode::Add,
        &[("more/catalog.yaml", lantern().as_bytes())],
    ));
    let roots: Vec<_> = status
        .roots
        .iter()
        .map(|row| (row.root.as_str(), row.edited, row.errors))
        .collect();
    assert_eq!(
        roots,
        [("more", false, 0), ("sample", true, before.roots[0].errors)]
    );
    assert!(
        status
            .folders
            .iter()
            .all(|row| row.folder != "sample" || !row.splits),
        "a single catalog anyway"
    );
}

#[test]
fn an_added_folder_does_not_merge_catalogs() {
    let text = lantern();
    let mut bench = Bench::new();
    let file = |path: &'static str| (path, text.as_bytes());
    bench
        .open(
            OpenMode::Replace,
            &[
                file("repo/v4.18/lantern.yaml"),
                file("repo/v4.19/lantern.yaml"),
            ],
        )
        .unwrap();
    // It resembles the open catalog: in one folder, they would be two catalogs.
    let Replayed { status, .. } = replayed(bench.open(OpenMode::Add, &[file("copy/lantern.yaml")]));
    let roots: Vec<_> = status
        .roots
        .iter()
        .map(|row| (row.root.as_str(), row.errors))
        .collect();
    assert_eq!(roots, [("copy", 0), ("repo/v4.18", 0), ("repo/v4.19", 0)]);
}

#[test]
fn pending_writes_are_listed_by_file() {
    let (mut bench, _) = Bench::sample();
    assert!(bench.apply(default_channel("candidate")).is_ok());
    assert!(bench.apply(skip()).is_ok());
    let Ok(files) = bench.host.answer(ListWrites {}) else {
        panic!()
    };
    assert_eq!(files.len(), 2);
    for file in files {
        let bytes = bench.export(Export::File {
            path: file.path.clone(),
        });
        assert_eq!(crc32fast::hash(&bytes), file.crc);
        // Applied to the text on disk, the operations give exactly this text.
        let (mut later, _) = Bench::sample();
        let steps = vec![ReplayStep {
            title: "Rest".into(),
            ops: file.ops.clone(),
        }];
        let Ok(Replayed { refused, .. }) = later.host.answer(Replay {
            steps: steps.clone(),
        }) else {
            panic!()
        };
        assert_eq!(
            (
                refused.len(),
                later.export(Export::File {
                    path: file.path.clone()
                })
            ),
            (0, bytes.clone())
        );
        // They are refused if the text already contains them.
        let Ok(Replayed { refused, .. }) = later.host.answer(Replay { steps }) else {
            panic!()
        };
        assert_eq!(
            (
                refused.len(),
                later.export(Export::File { path: file.path })
            ),
            (1, bytes)
        );
    }
}
