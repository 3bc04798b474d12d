//! Requests for a check of the disk, and data that the host does not send twice.

use super::*;

#[test]
fn files_that_are_no_catalog_are_told_again_only_where_an_edit_changed_them() {
    let mut bench = Bench::new();
    let package = b"schema: olm.package\nname: a\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: a\nname: stable\nentries:\n- name: a.v1\n";
    let files: [(&str, &[u8]); 3] = [
        ("c/a/catalog.yaml", package),
        ("c/broken.yaml", b"a: [\n"),
        ("c/.indexignore", b"*.md\n"),
    ];
    let Ok(Opened::Anew(status)) = bench.open(OpenMode::Replace, &files) else {
        panic!()
    };
    assert_eq!(status.unused_files.map(|strays| strays.len()), Some(1));
    let range = EditOp::SetSkipRange {
        catalog: None,
        package: "a".into(),
        channel: "stable".into(),
        name: "a.v1".into(),
        skip_range: Some("<1.0.0".into()),
    };
    let Ok(applied) = bench.apply(range) else {
        panic!()
    };
    assert_eq!(
        applied.status.unused_files, None,
        "it is no part of the answer to an edit elsewhere"
    );
    let mend = EditOp::ReplaceText {
        file: "broken.yaml".into(),
        at: "1:1-1:5".into(),
        before: "a: [".into(),
        text: "schema: custom".into(),
        around: None,
        catalog: None,
    };
    let Ok(applied) = bench.apply(mend) else {
        panic!()
    };
    assert_eq!(
        applied.status.unused_files.map(|strays| strays.len()),
        Some(0),
        "it was one of them"
    );
    let undone = bench.applied(Undo { view: None });
    assert_eq!(
        undone.status.unused_files.map(|strays| strays.len()),
        Some(1)
    );
    let undone = bench.applied(Undo { view: None });
    assert_eq!(undone.status.unused_files, None);
}

#[test]
fn a_file_whose_beginning_can_be_read_is_used_by_its_catalog() {
    let mut bench = Bench::new();
    let half = b"schema: olm.package\nname: a\ndefaultChannel: stable\n---\na: [\n";
    let files: [(&str, &[u8]); 2] = [("c/half.yaml", half), ("c/broken.yaml", b"a: [\n")];
    let Ok(Opened::Anew(status)) = bench.open(OpenMode::Replace, &files) else {
        panic!()
    };
    let unused: Vec<_> = status.unused_files.into_iter().flatten().collect();
    assert_eq!(unused.len(), 1);
    assert_eq!(unused[0].path, "c/broken.yaml");
}

#[test]
fn what_changed_on_disk_matters_where_a_catalog_reads_it() {
    let mut bench = Bench::new();
    let package = b"schema: olm.package\nname: a\ndefaultChannel: stable\n";
    let files: [(&str, &[u8]); 4] = [
        ("repo/v4.18/a/catalog.yaml", package),
        ("repo/v4.19/a/catalog.yaml", package),
        ("repo/v4.18/.indexignore", b"*.log\n"),
        ("repo/build.log", b"one line\n"),
    ];
    bench.open(OpenMode::Replace, &files).unwrap();
    let paths = [
        "repo/build.log",
        "repo/v4.18/new.log",
        "repo/v4.19/new.log",
        "repo/v4.18/a/catalog.yaml",
        "repo/v4.18/.indexignore",
        "repo/v4.20/catalog.yaml",
    ];
    let asked = RelevantFiles {
        paths: paths.map(str::to_owned).into(),
    };
    let Ok(found) = bench.host.answer(asked) else {
        panic!()
    };
    assert_eq!(found, paths[2..]);
}

#[test]
fn a_file_that_is_as_it_was_is_opened_again_without_being_read() {
    let (mut bench, _) = Bench::sample();
    let known = bench
        .host
        .as_on_disk("sample/lantern/catalog.yaml")
        .unwrap();
    assert!(matches!(known.content, Content::Indexed(_)));
    assert!(bench.host.as_on_disk("sample/other.yaml").is_none());
    let Ok(_) = bench.apply(default_channel("candidate")) else {
        panic!()
    };
    assert_eq!(
        bench.host.as_on_disk("sample/lantern/catalog.yaml"),
        Some(known),
        "an edit is not on disk"
    );
}
