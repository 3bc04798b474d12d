//! Opening and reloading files: verdicts, several catalogs, unreadable bytes, the profile.

use super::*;

#[test]
fn the_sample_opens_and_passes() {
    let (mut bench, status) = Bench::sample();
    let [root] = status.roots.as_slice() else {
        panic!("{:?}", status.roots)
    };
    assert_eq!(
        (root.root.as_str(), root.packages, root.passed, root.errors),
        ("sample", 3, true, 0)
    );
    assert_eq!(
        (
            status.files,
            status.applied_steps,
            status.unused_files.map(|strays| strays.len())
        ),
        (3, 0, Some(0))
    );
    let Ok(rows) = bench.host.answer(Packages {
        root: "sample".into(),
    }) else {
        panic!()
    };
    let rows: Vec<_> = rows
        .iter()
        .map(|row| (row.name.as_str(), row.channels, row.bundles, row.deprecated))
        .collect();
    assert_eq!(
        rows,
        [
            ("lantern", 4, 9, false),
            ("switchboard", 2, 5, false),
            ("tidewater", 2, 5, true)
        ]
    );
}

#[test]
fn a_reload_keeps_the_steps_that_still_apply() {
    let (mut bench, _) = Bench::sample();
    let skip = EditOp::AddSkip {
        catalog: None,
        package: "tidewater".into(),
        channel: "v2".into(),
        name: "tidewater.v2.9.0".into(),
        skip: vec!["tidewater.v2.8.3".into()],
        skip_matching: None,
    };
    assert!(bench.apply(default_channel("candidate")).is_ok());
    assert!(bench.apply(skip).is_ok());
    let revision = bench.host.revision();
    // On disk, the package tidewater is missing, and lantern has an additional line.
    let mut files = sample();
    files.truncate(2);
    files[0].1.splice(0..0, *b"# moved down\n");
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
        .collect();
    let Replayed {
        status,
        steps,
        refused,
        ..
    } = replayed(bench.open(OpenMode::Reload, &files));
    assert!(status.revision > revision);
    assert_eq!((steps[0].ops.0.len(), refused.len()), (1, 1));
    assert!(matches!(refused[0].0.ops.0[..], [EditOp::AddSkip { .. }]));
    assert_eq!((status.applied_steps, status.files), (1, 2));
    let text = String::from_utf8(bench.export(Export::File {
        path: "sample/lantern/catalog.yaml".into(),
    }))
    .unwrap();
    assert!(text.starts_with("# moved down\n") && text.contains("defaultChannel: candidate #"));
}

#[test]
fn a_folder_of_versions_opens_as_several_catalogs_or_as_one() {
    let mut bench = Bench::new();
    let lantern = sample().remove(0).1;
    let files = [
        ("c/v4.19/lantern/catalog.yaml", &lantern[..]),
        ("c/v4.20/lantern/catalog.yaml", &lantern[..]),
    ];
    let Ok(Opened::Anew(status)) = bench.open(OpenMode::Replace, &files) else {
        panic!()
    };
    assert_eq!(
        status
            .roots
            .iter()
            .map(|root| root.root.as_str())
            .collect::<Vec<_>>(),
        ["c/v4.19", "c/v4.20"]
    );
    assert_eq!(status.folders.len(), 1);
    assert!(
        status.folders[0]
            .whole_message
            .contains("duplicate package"),
        "{:?}",
        status.folders
    );
    let whole = TreatAsOne {
        folder: "c".into(),
        as_one: true,
    };
    let status = bench.host.answer(whole).expect("a status");
    assert_eq!(status.roots.len(), 1);
    assert!(!status.roots[0].passed);
}

#[test]
fn the_status_and_the_problems_have_the_same_line() {
    let mut bench = Bench::new();
    let text: &[u8] = b"schema: olm.package\nname: p\n---\nname: q\n  schema: x\n";
    let Ok(Opened::Anew(status)) = bench.open(OpenMode::Replace, &[("c/catalog.yaml", text)])
    else {
        panic!()
    };
    let root = &status.roots[0];
    let query = Problems {
        root: root.root.clone(),
    };
    let problems = bench.host.answer(query).expect("problems");
    let mut unreadable = problems.iter().filter(|problem| problem.0.hides_text());
    let problem = &unreadable.next().expect("an unreadable document").0;
    let Location { file, line, .. } = &problem.location;
    let expected = format!("{file}:{line}: {}", problem.message);
    assert_eq!((*line, &root.opm_message), (5, &expected));
}

#[test]
fn unreadable_files_leave_the_rest_usable() {
    let mut bench = Bench::new();
    let lantern = sample().remove(0).1;
    let files: [(&str, &[u8]); 5] = [
        ("c/lantern/catalog.yaml", &lantern),
        (
            "c/__proto__/catalog.yaml",
            b"schema: olm.package\nname: __proto__\ndefaultChannel: constructor\n",
        ),
        ("c/broken.yaml", b"schema: olm.channel\n  bad: [\n"),
        ("c/cut.json", b"{\"schema\": \"olm.package\", \"name\": \"x"),
        ("c/binary.png", b"\x89PNG\r\n\x1a\n\x00\xff\xfe\x00"),
    ];
    let Ok(Opened::Anew(status)) = bench.open(OpenMode::Replace, &files) else {
        panic!()
    };
    assert!(!status.roots[0].passed && status.roots[0].errors >= 3);
    let root = status.roots[0].root.clone();
    let Ok(problems) = bench.host.answer(Problems { root: root.clone() }) else {
        panic!()
    };
    for file in ["broken.yaml", "cut.json", "binary.png"] {
        let of_file = problems
            .iter()
            .find(|problem| problem.0.location.file.ends_with(file));
        assert!(
            of_file.is_some_and(|problem| problem.0.location.line >= 1),
            "{file}"
        );
    }
    let view = PackageRequest {
        root,
        ..package_request("lantern")
    };
    assert!(bench.host.answer(view).is_ok());
}

#[test]
fn a_profile_is_kept_until_the_files_set_another() {
    let (mut bench, status) = Bench::sample();
    assert_eq!(
        (status.profile, status.roots[0].profile),
        (None, Profile::Community)
    );
    let set =
        |bench: &mut Bench, profile| bench.host.answer(SetProfile { profile }).expect("a status");
    let problems = |bench: &Bench| bench.host.session.roots()[0].problems().count();
    let before = problems(&bench);
    let strict = set(&mut bench, Some(Profile::Strict));
    assert!(problems(&bench) > before && strict.revision > status.revision);
    assert_eq!(strict.roots[0].passed, status.roots[0].passed);
    let files = sample();
    let mut files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
        .collect();
    files.push((".switchyard.yaml", b"profile: opm\n"));
    let Ok(Opened::Anew(again)) = bench.open(OpenMode::Replace, &files) else {
        panic!("not opened")
    };
    assert_eq!(
        (again.profile, again.roots[0].profile),
        (Some(Profile::Strict), Profile::Strict)
    );
    let configured = set(&mut bench, None);
    assert_eq!(
        (configured.profile, configured.roots[0].profile),
        (None, Profile::Opm)
    );
    assert_eq!(configured.config_files, [".switchyard.yaml"]);
}

#[test]
fn a_requirement_can_be_met_by_another_open_catalog() {
    let blobs = |name: &str, more: &str| {
        format!(
            "schema: olm.package\nname: {name}\ndefaultChannel: c\n---\nschema: olm.channel\npackage: {name}\nname: c\n\
             entries:\n- name: {name}.v1.0.0\n---\nschema: olm.bundle\npackage: {name}\nname: {name}.v1.0.0\n\
             image: quay.io/a/{name}:v1\nproperties:\n- type: olm.package\n  value: {{packageName: {name}, version: \
             1.0.0}}\n{more}"
        )
    };
    let needs =
        "- type: olm.package.required\n  value: {packageName: b, versionRange: '>=1.0.0'}\n";
    let (a, b, c) = (blobs("a", needs), blobs("b", ""), blobs("c", ""));
    let mut bench = Bench::new();
    let missing = |bench: &mut Bench| match bench.host.answer(Problems {
        root: "v4.18".into(),
    }) {
        Ok(problems) => problems
            .iter()
            .filter(|p| p.0.rule == "dependency-not-here")
            .count(),
        other => panic!("{other:?}"),
    };
    bench
        .open(
            OpenMode::Replace,
            &[
                ("v4.18/a.yaml", a.as_bytes()),
                ("v4.18/c.yaml", c.as_bytes()),
            ],
        )
        .unwrap();
    assert_eq!(missing(&mut bench), 1);
    bench
        .open(
            OpenMode::Add,
            &[
                ("v4.19/b.yaml", b.as_bytes()),
                ("v4.19/c.yaml", c.as_bytes()),
            ],
        )
        .unwrap();
    assert_eq!(missing(&mut bench), 0);
}
