//! Sends requests to a host as the page would; the bytes are in memory.

mod dropped;
mod editing;
mod moved_text;
mod on_cluster;
mod opening;
mod package_views;
mod queries;
mod repository;
mod reviews;
mod saving;
mod templates;

use super::Host;
use catalog::Content;
use protocol::diagnostic::{Location, Profile};
use protocol::disk_check::{DiskFile, DiskState};
use protocol::inspection::{IconView, Inspection};
use protocol::lanes::EntryNodeKind;
use protocol::operation::{DanglingEdges, EditOp};
use protocol::query::*;
use protocol::request::{
    Export, GraphFormat, LaneOptions, OpenMode, PackageRequest, PreviewScope, ReplayStep, SourceAt,
    Target,
};
use protocol::response::*;
use protocol::upgrades::{Baseline, ComparedKind, PackageComparison};
use protocol::views::{Lens, Origin, Status, UpgradeQuestion};
use protocol::{HandleWithFiles, Json};
use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::path::Path;
use std::rc::Rc;
use test_support::MemorySource;

struct Bench {
    host: Host,
    memory: Rc<MemorySource>,
}

impl Bench {
    fn new() -> Self {
        let memory = Rc::new(MemorySource::default());
        Self {
            host: Host::new(memory.clone()),
            memory,
        }
    }

    fn open(&mut self, mode: OpenMode, files: &[(&str, &[u8])]) -> QueryResult<Open> {
        let mut new = Vec::new();
        for (path, bytes) in files {
            let id = self.host.new_file_id();
            new.push(self.memory.add(id.0, path, bytes));
        }
        self.host.open(mode, new)
    }

    /// Compares a package with its state on disk.
    fn compare_package(&mut self, root: &str, package: &str) -> PackageComparison {
        let compared = self.host.answer(ComparePackage {
            old: Baseline::Disk,
            root: root.into(),
            package: package.into(),
            cluster: String::new(),
        });
        compared.unwrap_or_else(|_| panic!("{package} is not compared"))
    }

    /// Opens the sample catalog that ships with the page.
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

/// Unwraps the answer to an open that reapplied steps.
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

fn package_request(package: &str) -> PackageRequest {
    package_request_in("sample", package)
}

fn package_request_in(root: &str, package: &str) -> PackageRequest {
    PackageRequest::new(root.into(), package.into())
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
