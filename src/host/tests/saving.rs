//! Exports, subsets of a catalog, and comparisons with the disk.

use super::*;
use protocol::subset::{EntrySelection, PackageScoped, SavedSubset, Selection};

#[test]
fn exports_contain_the_changed_files_or_all() {
    let (mut bench, _) = Bench::sample();
    assert!(bench.apply(default_channel("candidate")).is_ok());
    let changed = unzipped(bench.export(Export::Changed));
    assert_eq!(changed.keys().collect::<Vec<_>>(), ["lantern/catalog.yaml"]);
    let all = unzipped(bench.export(Export::All));
    assert_eq!(all.len(), 3);
    let files = sample();
    assert_eq!(all["tidewater/catalog.yaml"], files[2].1);
    let expected = String::from_utf8(files[0].1.clone()).unwrap();
    let expected = expected.replacen("defaultChannel: stable #", "defaultChannel: candidate #", 1);
    assert_eq!(changed["lantern/catalog.yaml"], expected.as_bytes());
    let patch = String::from_utf8(bench.export(Export::Patch {
        message: String::new(),
    }))
    .unwrap();
    assert!(patch.contains("+defaultChannel: candidate #"), "{patch}");
    let commands = String::from_utf8(bench.export(Export::Commands)).unwrap();
    assert!(
        commands.starts_with("switchyard edit . set-default-channel"),
        "{commands}"
    );
    let ops = String::from_utf8(bench.export(Export::Operations)).unwrap();
    assert_eq!(
        serde_json::from_str::<EditOp>(ops.trim()).unwrap(),
        default_channel("candidate")
    );
}

#[test]
fn a_catalog_from_a_tar_is_exported_as_a_tar() {
    use catalog::archive::Packing;
    let (mut bench, _) = Bench::sample();
    assert!(bench.apply(default_channel("candidate")).is_ok());
    let zipped = unzipped(bench.export(Export::All));
    bench.host.set_packing(Some(Packing::Tar));
    let tar = bench.export(Export::All);
    bench.host.set_packing(Some(Packing::TarGz));
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(bench.export(Export::All).as_slice())
        .read_to_end(&mut unpacked)
        .unwrap();
    assert_eq!(tar, unpacked);
    let mut archive = tar::Archive::new(tar.as_slice());
    let files = archive.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        (entry.path().unwrap().to_str().unwrap().to_owned(), bytes)
    });
    assert_eq!(files.collect::<BTreeMap<_, _>>(), zipped);
}

#[test]
fn the_tab_is_compared_with_the_disk() {
    let (mut bench, _) = Bench::sample();
    let compare = || Compare {
        old: Baseline::Disk,
        root: "sample".into(),
    };
    let Ok(same) = bench.host.answer(compare()) else {
        panic!()
    };
    assert!(same.packages.is_empty() && same.same > 0);

    let channel = ("stable-1.0".to_owned(), "lantern.v1.0.1".to_owned());
    let op = EditOp::RemoveEntry {
        catalog: None,
        package: "lantern".into(),
        channel: channel.0.clone(),
        name: channel.1.clone(),
        then: DanglingEdges::default(),
    };
    let Ok(applied) = bench.apply(op) else {
        panic!()
    };
    assert!(!applied.consequences.tables.is_empty());
    let Ok(compared) = bench.host.answer(compare()) else {
        panic!()
    };
    let names: Vec<&str> = compared
        .packages
        .iter()
        .map(|row| row.package.as_str())
        .collect();
    assert_eq!((names, compared.same), (vec!["lantern"], same.same - 1));

    let comparison = bench.compare_package("sample", "lantern");
    assert!(
        comparison
            .entries
            .iter()
            .any(|entry| entry.kind == ComparedKind::Removed && entry.name == channel.1)
    );
    let unsaved = Unsaved {
        root: "sample".into(),
        package: "lantern".into(),
    };
    let Ok(entries) = bench.host.answer(unsaved) else {
        panic!()
    };
    assert_eq!(entries, comparison.entries);
    let request = PackageRequest {
        baseline: Some(Baseline::Disk),
        ..package_request("lantern")
    };
    let Ok(view) = bench.host.answer(request) else {
        panic!()
    };
    let lane = view
        .lanes
        .lanes
        .iter()
        .find(|lane| lane.channel == channel.0)
        .unwrap();
    let removed: Vec<&str> = lane
        .nodes
        .iter()
        .filter(|node| node.kind == EntryNodeKind::Removed)
        .map(|node| node.name.as_str())
        .collect();
    assert_eq!(removed, [channel.1.as_str()]);
    assert!(
        view.table
            .iter()
            .all(|row| (&row.channel, &row.entry) != (&channel.0, &channel.1))
    );
}

#[test]
fn changes_on_disk_are_compared_merged_adopted_and_recorded_as_saved() {
    let (mut bench, _) = Bench::sample();
    let file = "sample/lantern/catalog.yaml".to_owned();
    let first = sample()[0].1.clone();
    let on_disk = |bytes: &[u8]| DiskFile {
        path: file.clone(),
        bytes: Ok(Some(bytes.to_vec())),
    };
    assert!(bench.apply(default_channel("candidate")).is_ok());
    let check = |bench: &mut Bench, file: DiskFile| {
        let Ok(mut files) = bench.host.handle_with_files(CheckDisk {}, vec![file]) else {
            panic!()
        };
        files.remove(0).state
    };
    assert_eq!(check(&mut bench, on_disk(&first)), DiskState::AsRead);
    let unreadable = DiskFile {
        path: file.clone(),
        bytes: Err("no".into()),
    };
    assert_eq!(
        check(&mut bench, unreadable),
        DiskState::Unreadable {
            reason: "no".into()
        }
    );
    let theirs = [b"# theirs\n".as_slice(), &first].concat();
    let DiskState::Changed(sides) = check(&mut bench, on_disk(&theirs)) else {
        panic!()
    };
    assert_eq!(
        (sides.fitting, sides.refused.len(), sides.theirs.added),
        (1, 0, 1)
    );

    let Ok(Replayed {
        status,
        steps,
        refused,
        ..
    }) = bench
        .host
        .handle_with_files(Merge {}, vec![on_disk(&theirs)])
    else {
        panic!()
    };
    assert_eq!(
        (
            status.applied_steps,
            steps.len(),
            refused.len(),
            status.saved_steps
        ),
        (1, 1, 0, Some(0))
    );
    let merged = bench.export(Export::File { path: file.clone() });
    assert!(merged.starts_with(b"# theirs\n"));
    let Ok(Saved { status, differing }) = bench
        .host
        .handle_with_files(NoteSaved {}, vec![on_disk(&merged)])
    else {
        panic!()
    };
    assert_eq!(
        (
            status.saved_steps,
            status.changed_files.len(),
            differing.len()
        ),
        (Some(1), 0, 0)
    );
    assert_eq!(bench.export(Export::AtFirst { path: file.clone() }), theirs);

    let later = [b"# later\n".as_slice(), &merged].concat();
    let Ok(taken) = bench
        .host
        .handle_with_files(TakeTheirs { view: None }, vec![on_disk(&later)])
    else {
        panic!()
    };
    assert_eq!(
        (taken.status.applied_steps, taken.status.changed_files.len()),
        (2, 0)
    );
    assert_eq!(bench.export(Export::File { path: file.clone() }), later);
    let Ok(Saved { differing, .. }) = bench
        .host
        .handle_with_files(NoteSaved {}, vec![on_disk(&first)])
    else {
        panic!()
    };
    assert_eq!(
        differing,
        ["sample/lantern/catalog.yaml"],
        "that is not what was written"
    );
}

#[test]
fn files_outside_of_catalogs_are_reported_again_only_after_an_edit() {
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
        "not part of the answer to an edit elsewhere"
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
        "it was among them"
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
fn a_partly_readable_file_is_used_by_its_catalog() {
    let mut bench = Bench::new();
    let half = b"schema: olm.package\nname: a\ndefaultChannel: stable\n---\na: [\n";
    let files: [(&str, &[u8]); 2] = [("c/half.yaml", half), ("c/broken.yaml", b"a: [\n")];
    let Ok(Opened::Anew(status)) = bench.open(OpenMode::Replace, &files) else {
        panic!()
    };
    let unused: Vec<_> = status.unused_files.into_iter().flatten().collect();
    assert_eq!(unused.len(), 1);
    assert_eq!(unused[0].path, "c/broken.yaml");
    assert_eq!(unused[0].reason, None, "a problem reports it");
}

#[test]
fn changes_on_disk_matter_only_in_files_of_catalogs() {
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
    let request = RelevantFiles {
        paths: paths.map(str::to_owned).into(),
    };
    let Ok(found) = bench.host.answer(request) else {
        panic!()
    };
    assert_eq!(found, paths[2..]);
}

#[test]
fn an_unchanged_file_is_reopened_without_reading() {
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

#[test]
fn a_subset_is_described_and_saved_without_changes() {
    let (mut bench, before) = Bench::sample();
    let selection = Selection {
        packages: vec!["lantern".into()],
        entries: EntrySelection::Heads,
        ..Selection::default()
    };
    let request = Subset {
        root: "sample".into(),
        selection: selection.clone(),
    };
    let Ok(view) = bench.host.answer(request) else {
        panic!()
    };
    assert_eq!(
        (view.kept.packages, view.kept.channels),
        (1, view.kept.entries),
        "a head a channel"
    );
    assert!(
        view.kept.bundles < view.total.bundles && view.total.packages > 1,
        "{view:?}"
    );
    assert_eq!(
        view.files
            .iter()
            .map(|(path, _)| path.as_str())
            .collect::<Vec<_>>(),
        ["lantern/catalog.yaml"]
    );
    assert_eq!(view.losses, Default::default());
    let subset = SavedSubset {
        root: "sample".into(),
        selection,
        name: "part".into(),
        dockerfile: true,
    };
    let Ok(files) = bench.host.answer(subset.clone()) else {
        panic!()
    };
    let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["part/lantern/catalog.yaml", "part.Dockerfile"]);
    assert_eq!(files[0].1.len() as u64, view.files[0].1);
    assert!(String::from_utf8_lossy(&files[1].1).contains("ADD part /configs\n"));
    let zip = bench.export(Export::Subset(subset.clone()));
    let mut zip = zip::ZipArchive::new(Cursor::new(zip)).expect("a zip");
    let mut text = Vec::new();
    zip.by_name("part/lantern/catalog.yaml")
        .expect("the file")
        .read_to_end(&mut text)
        .expect("bytes");
    assert_eq!(text, files[0].1);
    assert_eq!(bench.host.revision(), before.revision);
    for name in ["", "a/b", ".."] {
        let request = SavedSubset {
            name: name.into(),
            ..subset.clone()
        };
        assert!(bench.host.answer(request).is_err(), "{name}");
    }
}

#[test]
fn a_refusal_names_the_required_choice() {
    let (mut bench, _) = Bench::sample();
    let selection = Selection {
        packages: vec!["lantern".into()],
        channels: vec![PackageScoped::every("candidate")],
        ..Selection::default()
    };
    let request = Subset {
        root: "sample".into(),
        selection,
    };
    let Err(refusal) = bench.host.answer(request) else {
        panic!()
    };
    assert!(
        refusal.reason.contains("default channel") && refusal.help.contains("`candidate`"),
        "{refusal:?}"
    );
}

#[test]
fn the_dockerfile_of_a_catalog_names_its_folder() {
    let (mut bench, _) = Bench::sample();
    let text = bench.export(Export::Dockerfile {
        root: "sample".into(),
    });
    assert!(String::from_utf8_lossy(&text).contains("ADD sample /configs\n"));
}

#[test]
fn a_template_has_no_part_and_no_dockerfile() {
    let mut bench = Bench::new();
    let template = b"schema: olm.semver\nfast:\n  bundles:\n  - image: q/p:v1\n";
    bench
        .open(OpenMode::Replace, &[("t.yaml", template)])
        .unwrap();
    let rendered = protocol::templates::rendered_name("t.yaml");
    bench
        .host
        .answer(ShowRendered {
            template: "t.yaml".into(),
            shown: true,
        })
        .unwrap();
    for root in ["t.yaml", &rendered] {
        let request = Subset {
            root: root.into(),
            selection: Selection::default(),
        };
        let Err(refusal) = bench.host.answer(request) else {
            panic!("{root}")
        };
        assert!(refusal.help.contains("render the template"), "{refusal:?}");
        let export = Export::Dockerfile { root: root.into() };
        assert!(bench.host.answer(export).is_err(), "{root}");
    }
}
