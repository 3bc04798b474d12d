//! The host fed with requests, as the page would; bytes come from memory.

mod asked;
mod dropped_bundles;
mod dropped_manifests;
mod failing;
mod icon;
mod install;
mod looked;
mod marked;
mod migrated;
mod moved;
mod on_cluster;
mod prefetched;
mod render_targets;
mod rendered_catalogs;
mod repository;
mod requirements;
mod reviewed;
mod subset;

use super::Host;
use fbc::catalog::Content;
use fbc::index::index_bytes;
use fbc::model::FileId;
use fbc::source::bytes::{ByteSource, ReadError};
use fbc::workspace::NewFile;
use protocol::diagnostic::Profile;
use protocol::disk_check::DiskFile;
use protocol::disk_check::DiskState;
use protocol::inspection::{IconView, Inspection};
use protocol::lanes::EntryNodeKind;
use protocol::operation::{DanglingEdges, EditOp};
use protocol::query::*;
use protocol::request::{
    Export, GraphFormat, LaneOptions, OpenMode, PackageRequest, PreviewScope, ReplayStep, SourceAt,
    Target,
};
use protocol::response::*;
use protocol::upgrades::{Baseline, ComparedKind};
use protocol::views::{Lens, Origin, Status, UpgradeQuestion};
use protocol::{HandleWithFiles, Json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

#[derive(Default)]
struct Memory(RefCell<BTreeMap<FileId, Vec<u8>>>);

impl ByteSource for Memory {
    fn read(&self, spans: &[(FileId, Range<u64>)]) -> Result<Vec<Vec<u8>>, ReadError> {
        let files = self.0.borrow();
        let read = |(id, span): &(FileId, Range<u64>)| {
            let gone = || ReadError::Changed {
                path: format!("file {}", id.0),
            };
            files
                .get(id)
                .map(|bytes| bytes[span.start as usize..span.end as usize].to_vec())
                .ok_or_else(gone)
        };
        spans.iter().map(read).collect()
    }
}

struct Bench {
    host: Host,
    memory: Rc<Memory>,
}

impl Bench {
    fn new() -> Self {
        let memory = Rc::new(Memory::default());
        Self {
            host: Host::new(memory.clone()),
            memory,
        }
    }

    fn open(&mut self, mode: OpenMode, files: &[(&str, &[u8])]) -> QueryResult<Open> {
        let mut new = Vec::new();
        for (path, bytes) in files {
            let id = self.host.new_file_id();
            self.memory.0.borrow_mut().insert(id, bytes.to_vec());
            let content = match path.ends_with(".indexignore") {
                true => Content::Ignore((*bytes).into()),
                false => Content::Indexed(Arc::new(index_bytes(bytes))),
            };
            new.push(NewFile {
                id,
                path: (*path).into(),
                content,
            });
        }
        self.host.open(mode, new)
    }

    /// The sample catalog that ships with the page.
    fn sample() -> (Self, Status) {
        let mut bench = Self::new();
        let files = sample();
        let files: Vec<(&str, &[u8])> = files
            .iter()
            .map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
            .collect();
        let Ok(Opened::Anew(status)) = bench.open(OpenMode::Replace, &files) else {
            panic!("not opened")
        };
        (bench, *status)
    }

    fn apply(&mut self, op: EditOp) -> QueryResult<Apply> {
        self.host.answer(Apply {
            ops: Json(vec![op]),
            title: "An edit".into(),
            view: None,
        })
    }

    fn applied<Q: Query<Answer = Applied>>(&mut self, query: Q) -> Applied
    where
        Host: Handle<Q>,
    {
        self.host.answer(query).expect("applied")
    }

    fn inspect(&mut self, package: &str, target: Target) -> Inspection {
        let request = Inspect {
            root: "sample".into(),
            package: package.into(),
            target,
        };
        self.host.answer(request).expect("an inspection")
    }

    fn package(&mut self, request: PackageRequest) -> PackageView {
        self.host.answer(request).expect("a view")
    }

    fn export(&mut self, what: Export) -> Vec<u8> {
        self.host.answer(what).expect("a file").bytes
    }
}

/// An open that reapplied the steps.
fn replayed(opened: QueryResult<Open>) -> Replayed {
    match opened {
        Ok(Opened::Replayed(replayed)) => *replayed,
        other => panic!("{other:?}"),
    }
}

fn sample() -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../public/sample");
    let files = [
        "lantern/catalog.yaml",
        "switchboard/catalog.json",
        "tidewater/catalog.yaml",
    ];
    files
        .map(|path| {
            (
                format!("sample/{path}"),
                std::fs::read(root.join(path)).unwrap(),
            )
        })
        .into()
}

fn wanted(package: &str) -> PackageRequest {
    wanted_of("sample", package)
}

fn wanted_of(root: &str, package: &str) -> PackageRequest {
    PackageRequest {
        root: root.into(),
        package: package.into(),
        lanes: LaneOptions::default(),
        question: UpgradeQuestion::default(),
        baseline: None,
    }
}

fn default_channel(channel: &str) -> EditOp {
    EditOp::SetDefaultChannel {
        catalog: None,
        package: "lantern".into(),
        channel: channel.into(),
    }
}

fn unzipped(bytes: Vec<u8>) -> BTreeMap<String, Vec<u8>> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut files = BTreeMap::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).unwrap();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        files.insert(file.name().to_owned(), bytes);
    }
    files
}

fn value<'a>(inspection: &'a Inspection, label: &str) -> Option<&'a str> {
    let mut facts = inspection.groups.iter().flat_map(|group| &group.facts);
    facts
        .find(|fact| fact.label == label)
        .map(|fact| fact.value.as_str())
}

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
fn a_package_has_lanes_a_table_and_both_next_steps() {
    let (mut bench, _) = Bench::sample();
    let mut request = wanted("lantern");
    request.question = UpgradeQuestion {
        origin: Origin::Installed("lantern.v1.0.1".into()),
        lens: Lens::V1,
        ..UpgradeQuestion::default()
    };
    let Ok(view) = bench.host.answer(request) else {
        panic!()
    };
    assert_eq!(view.default_channel, "stable");
    assert_eq!(view.channels.first().map(String::as_str), Some("stable"));
    assert_eq!(view.lanes.lanes.len(), 4);
    assert_eq!(
        view.bundles[0],
        ("lantern.v2.0.0".to_owned(), "2.0.0".to_owned())
    );
    let of = |name: &str| {
        view.table
            .iter()
            .find(|row| row.entry == name && row.channel == "stable")
            .unwrap()
    };
    let (skips, ranged) = (of("lantern.v1.1.1"), of("lantern.v1.2.0"));
    let file = sample()
        .into_iter()
        .find(|(path, _)| path.ends_with(&ranged.location.file))
        .unwrap();
    let text = String::from_utf8(file.1).unwrap();
    let line = |number: u32| {
        text.lines()
            .nth((number as usize).saturating_sub(1))
            .unwrap_or_default()
    };
    assert!(
        line(ranged.edge_lines.replaces).contains("replaces: lantern.v1.1.1"),
        "{:?}",
        ranged.edge_lines
    );
    assert!(
        line(ranged.edge_lines.skip_range).contains("skipRange:"),
        "{:?}",
        ranged.edge_lines
    );
    assert!(
        line(skips.edge_lines.skips[0]).contains(&skips.skips[0]),
        "{:?}",
        skips.edge_lines
    );
    assert_eq!(skips.edge_lines.skip_range, 0, "it has none");
    let ghost = view
        .table
        .iter()
        .find(|row| row.entry == "lantern.v0.9.0" && row.channel == "stable")
        .unwrap();
    assert_eq!(
        ghost.state,
        ["not in this channel", "no bundle", "default channel"]
    );
    let skipped = view
        .table
        .iter()
        .find(|row| row.entry == "lantern.v1.1.0" && row.channel == "stable")
        .unwrap();
    assert!(skipped.state.iter().any(|word| word == "skipped"));
    assert_eq!(skipped.location.file, "lantern/catalog.yaml");
    assert_eq!(
        view.answer.v1.next().map(|step| step.name.as_str()),
        Some("lantern.v1.2.0")
    );
    assert_eq!(
        view.answer.v0.next().map(|step| step.name.as_str()),
        Some("lantern.v1.2.0")
    );
    assert!(
        view.lanes
            .routes
            .iter()
            .any(|route| route.from == "lantern.v1.0.1" && route.chosen)
    );
}

#[test]
fn the_inspector_shows_typed_facts_with_their_places_and_reads_text_when_it_is_looked_at() {
    let (mut bench, _) = Bench::sample();
    let package = bench.inspect("lantern", Target::Package);
    assert!(
        matches!(&package.icon, IconView::Shown(icon) if icon.starts_with("data:image/svg+xml;base64,"))
    );
    assert_eq!(value(&package, "Default channel"), Some("stable"));
    assert!(
        package
            .groups
            .iter()
            .any(|group| group.title == "Description")
    );

    let bundle = bench.inspect(
        "tidewater",
        Target::Bundle {
            name: "tidewater.v3.0.0".into(),
        },
    );
    assert_eq!(
        (bundle.kind.as_str(), bundle.version.as_str()),
        ("bundle", "3.0.0")
    );
    assert_eq!(
        value(&bundle, "olm.package.required"),
        Some("lantern >=1.1.0 <2.0.0")
    );
    assert_eq!(
        value(&bundle, "olm.gvk"),
        Some("Basin.basin.example.com/v1beta1")
    );
    assert!(
        value(&bundle, "BundleDeprecated")
            .unwrap()
            .contains("floods")
    );

    let entry = Target::Entry {
        channel: "stable".into(),
        name: "lantern.v1.1.1".into(),
    };
    let entry = bench.inspect("lantern", entry);
    assert_eq!(value(&entry, "Skips"), Some("lantern.v1.1.0"));
    assert_eq!(value(&entry, "Replaced by"), Some("lantern.v1.2.0"));
    let skips = entry.groups[0]
        .facts
        .iter()
        .find(|fact| fact.label == "Skips")
        .unwrap();
    let line = skips.location.as_ref().unwrap().line as usize;
    let text = String::from_utf8(sample()[0].1.clone()).unwrap();
    assert!(
        text.lines()
            .nth(line - 1)
            .unwrap()
            .contains("- lantern.v1.1.0")
    );
}

#[test]
fn an_edit_is_one_line_is_undone_and_done_again() {
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
    assert!(matches!(
        bench.apply(default_channel("no-such-channel")),
        Err(_)
    ));
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
fn exports_hold_the_changed_and_all_files() {
    let (mut bench, _) = Bench::sample();
    assert!(matches!(bench.apply(default_channel("candidate")), Ok(_)));
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
fn what_came_as_a_tar_goes_as_a_tar() {
    use crate::archive::Packing;
    let (mut bench, _) = Bench::sample();
    assert!(matches!(bench.apply(default_channel("candidate")), Ok(_)));
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
fn a_reverted_file_is_a_step_whose_operations_can_be_replayed() {
    let (mut bench, _) = Bench::sample();
    assert!(matches!(bench.apply(default_channel("candidate")), Ok(_)));
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
fn a_reload_keeps_what_can_be_kept() {
    let (mut bench, _) = Bench::sample();
    let skip = EditOp::AddSkip {
        catalog: None,
        package: "tidewater".into(),
        channel: "v2".into(),
        name: "tidewater.v2.9.0".into(),
        skip: vec!["tidewater.v2.8.3".into()],
        skip_matching: None,
    };
    assert!(matches!(bench.apply(default_channel("candidate")), Ok(_)));
    assert!(matches!(bench.apply(skip), Ok(_)));
    let revision = bench.host.revision();
    // On disk the package tidewater is missing, and lantern has another line.
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
fn a_folder_of_versions_is_split_and_can_be_treated_as_one() {
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
fn any_bytes_open_and_the_rest_stays_usable() {
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
        ..wanted("lantern")
    };
    assert!(matches!(bench.host.answer(view), Ok(_)));
}

#[test]
fn fixes_of_a_kind_are_one_step_that_one_undo_takes_back() {
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
fn a_profile_is_kept_over_opens_until_the_files_say_again() {
    let (mut bench, status) = Bench::sample();
    assert_eq!(
        (status.profile, status.roots[0].profile),
        (None, Profile::Community)
    );
    let set =
        |bench: &mut Bench, profile| bench.host.answer(SetProfile { profile }).expect("a status");
    let strict = set(&mut bench, Some(Profile::Strict));
    assert!(
        strict.roots[0].warnings > status.roots[0].warnings && strict.revision > status.revision
    );
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
fn a_graph_leaves_in_five_forms() {
    let (mut bench, _) = Bench::sample();
    let lanes = LaneOptions {
        hidden_channels: vec!["stable-1.0".into()],
        ..LaneOptions::default()
    };
    let mut export = |format| {
        let (root, package) = ("sample".into(), "lantern".into());
        let what = Export::Graph {
            root,
            package,
            lanes: Box::new(lanes.clone()),
            format,
        };
        let Ok(Exported { name, bytes, .. }) = bench.host.answer(what) else {
            panic!()
        };
        (name, String::from_utf8(bytes).unwrap())
    };
    let (name, picture) = export(GraphFormat::Svg);
    assert_eq!(name, "lantern.svg");
    assert!(picture.starts_with("<svg ") && picture.contains("Upgrade graph of lantern"));
    assert!(!picture.contains(">stable-1.0<"), "as it is in view");
    let (_, opm) = export(GraphFormat::OpmMermaid);
    let (_, ours) = export(GraphFormat::Mermaid);
    assert!(
        opm.starts_with("graph LR") && ours.starts_with("flowchart LR") && ours.contains("head")
    );
    assert!(export(GraphFormat::Dot).1.starts_with("digraph"));
    assert!(export(GraphFormat::Json).1.contains("\"packages\""));
}

#[test]
fn what_a_catalog_misses_may_be_in_another_that_is_opened_beside_it() {
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

#[test]
fn what_is_on_disk_is_compared_merged_taken_and_noted_as_saved() {
    let (mut bench, _) = Bench::sample();
    let file = "sample/lantern/catalog.yaml".to_owned();
    let first = sample()[0].1.clone();
    let on_disk = |bytes: &[u8]| DiskFile {
        path: file.clone(),
        bytes: Ok(Some(bytes.to_vec())),
    };
    assert!(matches!(bench.apply(default_channel("candidate")), Ok(_)));
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
