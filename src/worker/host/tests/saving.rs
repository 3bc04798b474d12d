//! Exports, and the comparison of the tab with the disk.

use super::*;

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
    let patch = String::from_utf8(bench.export(Export::Patch)).unwrap();
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
    use crate::archive::Packing;
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
    assert!(!applied.consequences.affected.is_empty() && !applied.consequences.tables.is_empty());
    let Ok(compared) = bench.host.answer(compare()) else {
        panic!()
    };
    let names: Vec<&str> = compared
        .packages
        .iter()
        .map(|row| row.package.as_str())
        .collect();
    assert_eq!((names, compared.same), (vec!["lantern"], same.same - 1));

    let package = ComparePackage {
        old: Baseline::Disk,
        root: "sample".into(),
        package: "lantern".into(),
        cluster: String::new(),
    };
    let Ok(of) = bench.host.answer(package) else {
        panic!()
    };
    assert!(
        of.entries
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
    assert_eq!(entries, of.entries);
    let wanted = PackageRequest {
        baseline: Some(Baseline::Disk),
        ..wanted("lantern")
    };
    let Ok(view) = bench.host.answer(wanted) else {
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
fn changes_on_disk_are_compared_merged_taken_and_noted_as_saved() {
    let (mut bench, _) = Bench::sample();
    let file = "sample/lantern/catalog.yaml".to_owned();
    let first = sample()[0].1.clone();
    let on_disk = |bytes: &[u8]| DiskFile {
        path: file.clone(),
        bytes: Ok(Some(bytes.to_vec())),
    };
    assert!(bench.apply(default_channel("candidate")).is_ok());
    let check = |bench: &mut Bench, of: DiskFile| {
        let Ok(mut files) = bench.host.handle_with_files(CheckDisk {}, vec![of]) else {
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
