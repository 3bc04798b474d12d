//! How what the page asks grows with a catalog: twice the catalog may cost about twice the work, in each shape that a
//! catalog can be large in. Counts of work and not time, as in `growth.rs`; `growth_operations.rs` has the edits.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod counted_work;

use counted_work::shapes::{SHAPES, Shape, Texts, package};
use counted_work::{Findings, holds};
use fbc::catalog::Content;
use fbc::index::index_bytes;
use fbc::model::FileId;
use fbc::workspace::NewFile;
use protocol::operation::EditOp;
use protocol::request::{
    Export, GraphFormat, LaneOptions, OpenMode, PackageRequest, PreviewScope, RangePurpose, SourceAt, Target,
};
use protocol::subset::Selection;
use protocol::upgrades::Baseline;
use protocol::views::{EntryRef, Lens, Origin, UpgradeQuestion};
use protocol::{Json, RequestBody, ResponseBody};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use worker::host::Host;

/// The size of the smaller of two catalogs: entries, channels, packages, files, or kilobytes.
const SIZE: usize = 200;

/// Where ranges are wide, these have an edge for each pair of entries, as `opm` draws it: they are compared with those.
const OF_PAIRS: [&str; 2] = ["the graph as DOT", "the graph as opm draws it"];

/// Lists up to 100,000 such edges beside the ranges, which is more than there are where ranges look ahead.
const LISTS_PAIRS: &str = "the graph as JSON";

/// The older half covers all that comes after it. A path goes up the newer half one by one, and at each of its steps all of the
/// older half could follow as well.
const RANGES_AHEAD: Shape = ("ranges that look ahead", |n| {
    let is_old = |i: usize| i > 3 && i < n / 2;
    vec![package("p", n, |i| if is_old(i) { "  skipRange: '>=1.0.1'\n".to_owned() } else { String::new() })]
});

/// Opened, with one edit that is not saved.
fn opened(texts: Vec<String>) -> RefCell<Host> {
    let file = |(number, text): (u32, &String)| NewFile {
        id: FileId(number),
        path: format!("catalog/{number}.yaml"),
        content: Content::Indexed(Arc::new(index_bytes(text.as_bytes()))),
    };
    let files: Vec<NewFile> = (0..).zip(&texts).map(file).collect();
    let source = Texts(texts.into_iter().map(String::into_bytes).collect());
    let mut host = Host::new(Rc::new(source));
    let ResponseBody::Opened(status) = host.open(OpenMode::Replace, files) else { panic!("not opened") };
    assert_eq!(status.roots.iter().map(|root| root.root.as_str()).collect::<Vec<_>>(), ["catalog"]);
    let edit = host.answer(RequestBody::Apply { ops: ops("<1.0.2"), title: "An edit".into(), view: None });
    assert!(matches!(edit, ResponseBody::Applied(_)), "{edit:?}");
    RefCell::new(host)
}

fn ops(range: &str) -> Json<Vec<EditOp>> {
    Json(vec![EditOp::SetSkipRange {
        catalog: None,
        package: "p".into(),
        channel: "c".into(),
        name: "p.v1.0.3".into(),
        skip_range: Some(range.to_owned()),
    }])
}

fn question(lens: Lens, origin: Origin) -> UpgradeQuestion {
    UpgradeQuestion { lens, origin, ..UpgradeQuestion::default() }
}

fn lowest() -> Origin {
    Origin::Installed("p.v1.0.0".into())
}

fn view(question: UpgradeQuestion, fold: bool) -> PackageRequest {
    let lanes = LaneOptions { fold, ..LaneOptions::default() };
    PackageRequest { root: "catalog".into(), package: "p".into(), lanes, question, baseline: None }
}

/// What is asked, in words, and the request.
fn questions() -> Vec<(&'static str, RequestBody)> {
    let (root, package) = (|| "catalog".to_owned(), || "p".to_owned());
    let inspect = |target| RequestBody::Inspect { root: root(), package: package(), target };
    let everyone = |lens| RequestBody::Everyone {
        root: root(),
        package: package(),
        question: question(lens, Origin::Everyone),
        ops: Json(Vec::new()),
        view: None,
    };
    let graph = |format| {
        let lanes = Box::new(LaneOptions { fold: true, ..LaneOptions::default() });
        RequestBody::Export(Export::Graph { root: root(), package: package(), lanes, format })
    };
    let preview = |scope| RequestBody::Preview { ops: ops("<1.0.3"), scope, view: None };
    let find = |text: &str| RequestBody::Find { text: text.into(), limit: 20 };
    let entry = |name: &str| EntryRef { channel: "c".into(), name: name.into() };
    let channel = || "c".to_owned();
    let beside = PackageRequest { baseline: Some(Baseline::Disk), ..view(UpgradeQuestion::default(), true) };
    vec![
        ("the packages", RequestBody::Packages { root: root() }),
        ("a package, folded", RequestBody::Package(view(UpgradeQuestion::default(), true))),
        ("a package, as a whole", RequestBody::Package(view(UpgradeQuestion::default(), false))),
        ("a package beside what is on disk", RequestBody::Package(beside)),
        ("next and path, Classic", RequestBody::Package(view(question(Lens::V0, lowest()), true))),
        ("next and path, OLM v1", RequestBody::Package(view(question(Lens::V1, lowest()), true))),
        ("a new installation", RequestBody::Package(view(question(Lens::V1, Origin::Fresh), true))),
        ("where everyone goes, Classic", everyone(Lens::V0)),
        ("where everyone goes, OLM v1", everyone(Lens::V1)),
        (
            "a range",
            RequestBody::Range {
                root: root(),
                package: package(),
                question: UpgradeQuestion { range: ">=1.0.1 <9".into(), ..question(Lens::V1, lowest()) },
            },
        ),
        (
            "what a range catches",
            RequestBody::RangeMatches {
                root: root(),
                package: package(),
                entry: entry("p.v1.0.3"),
                text: "<9.0.0".into(),
                purpose: RangePurpose::SkipRange,
            },
        ),
        ("the package inspected", inspect(Target::Package)),
        ("a channel inspected", inspect(Target::Channel { channel: channel() })),
        ("an entry inspected", inspect(Target::Entry { channel: channel(), name: "p.v1.0.3".into() })),
        ("a bundle inspected", inspect(Target::Bundle { name: "p.v1.0.3".into() })),
        ("the problems", RequestBody::Problems { root: root() }),
        ("a name", find("pv1")),
        ("a name that is nowhere", find("zzz")),
        (
            "lines of a file",
            RequestBody::Source { root: root(), file: "0.yaml".into(), at: SourceAt::Lines { first: 5, count: 20 } },
        ),
        (
            "a text in a file",
            RequestBody::FindText {
                root: root(),
                file: "0.yaml".into(),
                text: "q.io/p".into(),
                from: (1, 1),
                backwards: false,
            },
        ),
        ("a preview", preview(PreviewScope::Own)),
        ("a preview in all catalogs", preview(PreviewScope::All)),
        (
            "where everyone goes then",
            RequestBody::Everyone {
                root: root(),
                package: package(),
                question: question(Lens::V0, Origin::Everyone),
                ops: ops("<1.0.3"),
                view: None,
            },
        ),
        ("the review", RequestBody::Review),
        ("the patch", RequestBody::Export(Export::Patch)),
        ("the graph as JSON", graph(GraphFormat::Json)),
        ("the graph as DOT", graph(GraphFormat::Dot)),
        ("the graph as opm draws it", graph(GraphFormat::OpmMermaid)),
        ("the graph as a picture", graph(GraphFormat::Svg)),
        ("the catalog compared", RequestBody::Compare { old: Baseline::Disk, root: root() }),
        (
            "the package compared",
            RequestBody::ComparePackage {
                old: Baseline::Disk,
                root: root(),
                package: package(),
                cluster: String::new(),
            },
        ),
        ("what is not saved", RequestBody::Unsaved { root: root(), package: package() }),
        ("the versions by catalogs", RequestBody::Matrix { roots: vec![root()], package: package() }),
        (
            "a part of it",
            RequestBody::Subset {
                root: root(),
                selection: Selection { packages: vec![package()], ..Selection::default() },
            },
        ),
    ]
}

#[test]
fn every_question_in_every_shape() {
    holds(|findings: &mut Findings| {
        let only = std::env::var("ONLY").unwrap_or_default();
        for (shape, make) in SHAPES.into_iter().chain([RANGES_AHEAD]) {
            let (small, twice) = (opened(make(SIZE)), opened(make(2 * SIZE)));
            let twice_the_pairs = opened(make((SIZE as f64 * 2f64.sqrt()) as usize));
            for (words, request) in questions().into_iter().filter(|(words, _)| words.contains(&only)) {
                let is_ahead = shape == RANGES_AHEAD.0;
                let is_of_pairs = (shape == "wide ranges" || is_ahead) && OF_PAIRS.contains(&words)
                    || is_ahead && words == LISTS_PAIRS;
                let large = if is_of_pairs { &twice_the_pairs } else { &twice };
                let ask = |host: &&RefCell<Host>| {
                    let answer = host.borrow_mut().answer(request.clone());
                    let failed = matches!(answer, ResponseBody::Failed { .. } | ResponseBody::Refused(_));
                    assert!(!failed, "{shape}, {words}: {answer:?}");
                    0
                };
                // What is kept from question to question is there already.
                ask(&&small);
                ask(&large);
                let host = |size| if size == SIZE { &small } else { large };
                findings.linear(&format!("{shape}, {words}"), SIZE, 100e6, host, ask);
            }
        }
    });
}
