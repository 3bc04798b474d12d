//! How the page's queries grow with a catalog: twice the catalog may cost about twice the work, in
//! each shape in which a catalog can be large. Counts work instead of time, like `growth.rs`;
//! `growth_operations.rs` covers edits.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod counted_work;

use ::catalog::index::index_bytes;
use ::catalog::{Content, TreeEntry};
use counted_work::shapes::{SHAPES, Shape, package};
use counted_work::{Findings, run_part};
use host::Host;
use protocol::bundles::BundlePlacement;
use protocol::diagnostic::Profile;
use protocol::disk_check::DiskFile;
use protocol::manifests::InstallRequest;
use protocol::operation::EditOp;
use protocol::query::*;
use protocol::request::{
    Export, GraphFormat, LaneOptions, OpenMode, PackageRequest, PreviewScope, RangePurpose,
    ReplayStep, SourceAt, Target,
};
use protocol::response::{Applied, Opened, OperationRefusal};
use protocol::subset::{SavedSubset, Selection};
use protocol::templates::{
    Conversion, ConversionRequest, NewTemplate, TemplateKind, rendered_name,
};
use protocol::upgrades::Baseline;
use protocol::views::{EntryRef, Lens, Origin, UpgradeQuestion};
use protocol::{HandleWithFiles, Json, wire};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use test_support::MemorySource;

/// The size of the smaller of two catalogs: entries, channels, packages, files, or kilobytes.
const SIZE: usize = 200;

/// With wide ranges, these have an edge for each pair of entries, as `opm` draws it, and are
/// compared with the pairs.
const OF_PAIRS: [&str; 2] = ["the graph as DOT", "the graph as Mermaid"];

/// Lists up to 100,000 such edges besides the ranges, which is more than there are if ranges look
/// ahead.
const LISTS_PAIRS: &str = "the graph as JSON";

/// The older half covers everything after it. A path climbs the newer half one by one, and each
/// step has the whole older half as further candidates.
const RANGES_AHEAD: Shape = ("ranges that look ahead", |n| {
    let is_old = |i: usize| i > 3 && i < n / 2;
    vec![package("p", n, |i| {
        if is_old(i) {
            "  skipRange: '>=1.0.1'\n".to_owned()
        } else {
            String::new()
        }
    })]
});

/// Opens a catalog with one unsaved edit.
fn open_host(texts: Vec<String>) -> RefCell<Host> {
    open_host_in("catalog", texts)
}

fn open_host_in(folder: &str, mut texts: Vec<String>) -> RefCell<Host> {
    let mut paths: Vec<String> = (0..texts.len())
        .map(|number| format!("{folder}/{number}.yaml"))
        .collect();
    // Another version, so that the files beside it are not part of it.
    if let Some((above, _)) = folder.split_once('/') {
        texts.push(package("p", 1, |_| String::new()));
        paths.push(format!("{above}/v4.17/0.yaml"));
    }
    let indexed: Vec<_> = texts
        .iter()
        .map(|text| Arc::new(index_bytes(text.as_bytes())))
        .collect();
    let source = MemorySource::from_iter(texts.into_iter().map(String::into_bytes));
    let mut host = Host::new(Rc::new(source));
    // The host assigns the numbers, from 0: files on disk come after the open ones.
    let file = |(index, path)| TreeEntry {
        id: host.new_file_id(),
        path,
        content: Content::Indexed(index),
    };
    let files: Vec<TreeEntry> = indexed.into_iter().zip(paths).map(file).collect();
    let Ok(Opened::Anew(status)) = host.open(OpenMode::Replace, files) else {
        panic!("not opened")
    };
    assert!(
        status.roots.iter().any(|root| root.root == folder),
        "{:?}",
        status.roots
    );
    let mut first = ops("<1.0.2");
    if let Some(EditOp::SetSkipRange { catalog, .. }) = first.0.first_mut() {
        *catalog = Some(folder.to_owned());
    }
    let edit = host.answer(Apply {
        ops: first,
        title: "An edit".into(),
        view: None,
    });
    assert!(edit.is_ok(), "{edit:?}");
    RefCell::new(host)
}

fn encode<Q: Query>(query: Q) -> EncodedQuery {
    EncodedQuery::new(&query).unwrap()
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
    UpgradeQuestion {
        lens,
        origin,
        ..UpgradeQuestion::default()
    }
}

fn lowest() -> Origin {
    Origin::Installed("p.v1.0.0".into())
}

fn view(question: UpgradeQuestion, fold: bool) -> PackageRequest {
    let lanes = LaneOptions {
        fold,
        ..LaneOptions::default()
    };
    PackageRequest {
        root: "catalog".into(),
        package: "p".into(),
        lanes,
        question,
        baseline: None,
    }
}

/// The queries with their descriptions.
fn questions() -> Vec<(&'static str, EncodedQuery)> {
    let (root, package) = (|| "catalog".to_owned(), || "p".to_owned());
    let inspect = |target| {
        encode(Inspect {
            root: root(),
            package: package(),
            target,
        })
    };
    let everyone = |lens| {
        encode(Everyone {
            root: root(),
            package: package(),
            question: question(lens, Origin::Fresh),
            ops: Json(Vec::new()),
        })
    };
    let graph = |format| {
        let lanes = Box::new(LaneOptions {
            fold: true,
            ..LaneOptions::default()
        });
        encode(Export::Graph {
            root: root(),
            package: package(),
            lanes,
            format,
        })
    };
    let preview = |scope| {
        encode(PreviewEdit {
            ops: ops("<1.0.3"),
            scope,
        })
    };
    let find = |text: &str| {
        encode(Find {
            text: text.into(),
            root: String::new(),
            limit: 20,
        })
    };
    let entry = |name: &str| EntryRef {
        channel: "c".into(),
        name: name.into(),
    };
    let channel = || "c".to_owned();
    let path = || "catalog/0.yaml".to_owned();
    let patch_of_one = Export::PatchOf {
        files: vec![path()],
        message: "An edit".into(),
        name: "a".into(),
    };
    let part = || SavedSubset {
        root: root(),
        selection: Selection {
            packages: vec![package()],
            ..Selection::default()
        },
        name: "part".into(),
        dockerfile: true,
    };
    let beside = PackageRequest {
        baseline: Some(Baseline::Disk),
        ..view(UpgradeQuestion::default(), true)
    };
    vec![
        ("the packages", encode(Packages { root: root() })),
        (
            "a package, folded",
            encode(view(UpgradeQuestion::default(), true)),
        ),
        (
            "a package, as a whole",
            encode(view(UpgradeQuestion::default(), false)),
        ),
        ("a package beside what is on disk", encode(beside)),
        (
            "next and path, Classic",
            encode(view(question(Lens::V0, lowest()), true)),
        ),
        (
            "next and path, OLM v1",
            encode(view(question(Lens::V1, lowest()), true)),
        ),
        (
            "a new installation",
            encode(view(question(Lens::V1, Origin::Fresh), true)),
        ),
        ("where everyone goes, Classic", everyone(Lens::V0)),
        ("where everyone goes, OLM v1", everyone(Lens::V1)),
        (
            "a range",
            encode(AdmittedVersions {
                root: root(),
                package: package(),
                question: UpgradeQuestion {
                    range: ">=1.0.1 <9".into(),
                    ..question(Lens::V1, lowest())
                },
            }),
        ),
        (
            "what a range catches",
            encode(CaughtVersions {
                root: root(),
                package: package(),
                entry: entry("p.v1.0.3"),
                text: "<9.0.0".into(),
                purpose: RangePurpose::SkipRange,
            }),
        ),
        ("the package inspected", inspect(Target::Package)),
        (
            "a channel inspected",
            inspect(Target::Channel { channel: channel() }),
        ),
        (
            "an entry inspected",
            inspect(Target::Entry {
                channel: channel(),
                name: "p.v1.0.3".into(),
            }),
        ),
        (
            "a bundle inspected",
            inspect(Target::Bundle {
                name: "p.v1.0.3".into(),
            }),
        ),
        ("the problems", encode(Problems { root: root() })),
        (
            "what a rule says",
            encode(Explain {
                rule: "skiprange-invalid".into(),
            }),
        ),
        ("a name", find("pv1")),
        ("a name that is nowhere", find("zzz")),
        (
            "lines of a file",
            encode(ReadSource {
                root: root(),
                file: "0.yaml".into(),
                at: SourceAt::Lines {
                    first: 5,
                    count: 20,
                },
                place: 5,
            }),
        ),
        (
            "a text in a file",
            encode(FindText {
                root: root(),
                file: "0.yaml".into(),
                text: "q.io/p".into(),
                from: (1, 1),
                backwards: false,
            }),
        ),
        ("a preview", preview(PreviewScope::Own)),
        ("a preview in all catalogs", preview(PreviewScope::All)),
        (
            "a preview of what others lack",
            preview(PreviewScope::Lacking),
        ),
        (
            "where everyone goes then",
            encode(Everyone {
                root: root(),
                package: package(),
                question: question(Lens::V0, Origin::Fresh),
                ops: ops("<1.0.3"),
            }),
        ),
        ("the review", encode(ReviewChanges {})),
        (
            "the patch",
            encode(Export::Patch {
                message: String::new(),
            }),
        ),
        ("the patch of a file", encode(patch_of_one)),
        ("the changed files", encode(Export::Changed)),
        ("all files", encode(Export::All)),
        ("a file", encode(Export::File { path: path() })),
        ("a file as it was", encode(Export::AtFirst { path: path() })),
        ("the steps as commands", encode(Export::Commands)),
        ("the steps as operations", encode(Export::Operations)),
        (
            "the Dockerfile",
            encode(Export::Dockerfile { root: root() }),
        ),
        ("a part of it, as a zip", encode(Export::Subset(part()))),
        ("what is to be written", encode(ListWrites {})),
        (
            "which files matter",
            encode(RelevantFiles {
                paths: vec![path(), "other/file".into()],
            }),
        ),
        (
            "checksums",
            encode(Fingerprint {
                paths: vec![path()],
            }),
        ),
        ("the graph as JSON", graph(GraphFormat::Json)),
        ("the graph as DOT", graph(GraphFormat::Dot)),
        ("the graph as Mermaid", graph(GraphFormat::Mermaid)),
        ("the graph as a picture", graph(GraphFormat::Svg)),
        (
            "the catalog compared",
            encode(Compare {
                old: Baseline::Disk,
                root: root(),
            }),
        ),
        (
            "the package compared",
            encode(ComparePackage {
                old: Baseline::Disk,
                root: root(),
                package: package(),
                cluster: String::new(),
            }),
        ),
        (
            "what is not saved",
            encode(Unsaved {
                root: root(),
                package: package(),
            }),
        ),
        (
            "the versions by catalogs",
            encode(Matrix {
                roots: vec![root()],
                package: package(),
            }),
        ),
        (
            "a part of it",
            encode(Subset {
                root: root(),
                selection: Selection {
                    packages: vec![package()],
                    ..Selection::default()
                },
            }),
        ),
        ("the files of a part of it", encode(part())),
        (
            "what tries it on a cluster",
            encode(InstallRequest {
                root: root(),
                package: package(),
                lens: Lens::V1,
                namespace: "n".into(),
                ..InstallRequest::default()
            }),
        ),
    ]
}

/// Changes with their descriptions, each with the requests that undo it. Repeated in this order.
fn changes() -> Vec<(&'static str, Vec<EncodedQuery>)> {
    let apply = |range: &str| {
        encode(Apply {
            ops: ops(range),
            title: "An edit".into(),
            view: None,
        })
    };
    let view_request = || Some(view(question(Lens::V0, lowest()), true));
    let undo = || encode(Undo { view: None });
    let profile = |profile| encode(SetProfile { profile });
    let steps = vec![ReplayStep {
        title: "An edit".into(),
        ops: ops("<1.0.1"),
    }];
    vec![
        ("an edit and its undoing", vec![apply("<1.0.3"), undo()]),
        (
            "an edit, undone and made again, with a view",
            vec![
                encode(Apply {
                    ops: ops("<1.0.3"),
                    title: "An edit".into(),
                    view: view_request(),
                }),
                encode(Undo {
                    view: view_request(),
                }),
                encode(Redo {
                    view: view_request(),
                }),
                undo(),
            ],
        ),
        (
            "edits of one step",
            vec![
                apply("<1.0.3"),
                encode(ApplyToLastStep {
                    ops: ops("<1.0.1"),
                    title: "An edit".into(),
                    view: view_request(),
                }),
                undo(),
            ],
        ),
        (
            "the way back and forth",
            vec![
                encode(GoTo {
                    steps: 0,
                    view: None,
                }),
                encode(GoTo {
                    steps: 1,
                    view: None,
                }),
            ],
        ),
        (
            "a file as it was",
            vec![
                encode(RevertFile {
                    file: "catalog/0.yaml".into(),
                    view: None,
                }),
                undo(),
            ],
        ),
        ("steps of a journal", vec![encode(Replay { steps }), undo()]),
        (
            "advice",
            vec![profile(Some(Profile::Community)), profile(None)],
        ),
    ]
}

#[test]
fn every_change_is_linear_in_every_shape() {
    run_part(|findings: &mut Findings| {
        for (shape, make) in SHAPES.into_iter().chain([RANGES_AHEAD]) {
            let (small, twice) = (open_host(make(SIZE)), open_host(make(2 * SIZE)));
            for (words, requests) in changes() {
                let ask = |host: &&RefCell<Host>| {
                    for request in &requests {
                        answer(host, request, &format!("{shape}, {words}"));
                    }
                    0
                };
                ask(&&small);
                ask(&&twice);
                let host = |size| if size == SIZE { &small } else { &twice };
                findings.linear(&format!("{shape}, {words}"), SIZE, 200e6, host, ask);
            }
        }
    });
}

/// Some ranges are in a form that `opm` cannot read.
#[test]
fn the_fixes_of_a_rule_are_linear_in_every_shape() {
    run_part(|findings: &mut Findings| {
        let wrong = "skipRange: '>=1.0.0,<1.0.2'";
        let fix_all = encode(FixAll {
            root: "catalog".into(),
            rule: "skiprange-invalid".into(),
            kind: "set-skip-range".into(),
            package: None,
            view: Some(view(UpgradeQuestion::default(), true)),
        });
        for (shape, make) in SHAPES.into_iter().chain([RANGES_AHEAD]) {
            let with_wrong = |size| {
                let mut texts = make(size);
                texts[0] = match texts[0].contains("skipRange: '<9.0.0'") {
                    true => texts[0].replacen("skipRange: '<9.0.0'", wrong, 3),
                    false => {
                        ["p.v1.0.1", "p.v1.0.2"]
                            .iter()
                            .fold(texts[0].clone(), |text, name| {
                                text.replacen(
                                    &format!("- name: {name}\n"),
                                    &format!("- name: {name}\n  {wrong}\n"),
                                    1,
                                )
                            })
                    }
                };
                open_host(texts)
            };
            let (small, twice) = (with_wrong(SIZE), with_wrong(2 * SIZE));
            let ask = |host: &&RefCell<Host>| {
                let fixed = host.borrow_mut().serve(&fix_all, Vec::new()).unwrap();
                let fixed: Applied = wire::decode(&fixed).unwrap();
                assert!(fixed.ops.0.len() > 1, "{shape}: {fixed:?}");
                answer(host, &encode(Undo { view: None }), shape);
                0
            };
            ask(&&small);
            ask(&&twice);
            let host = |size| if size == SIZE { &small } else { &twice };
            findings.linear(&format!("{shape}, fixes of a rule"), SIZE, 200e6, host, ask);
        }
    });
}

/// A template of the package is beside the catalog, and its rendered catalog is shown.
#[test]
fn every_template_query_is_linear_in_every_shape() {
    run_part(|findings: &mut Findings| {
        let template = || "top/templates/basic.yaml".to_owned();
        let new = |kind, path: &str| {
            ConversionRequest::Make(NewTemplate {
                root: "top/v4.18".into(),
                package: "p".into(),
                kind,
                path: path.to_owned(),
            })
        };
        let with_template = |texts: Vec<String>| {
            let host = open_host_in("top/v4.18", texts);
            let conversion = host
                .borrow_mut()
                .answer(new(TemplateKind::Basic, &template()));
            let Ok(Conversion::Made { ops, .. }) = conversion else {
                panic!("{conversion:?}")
            };
            answer(
                &host,
                &encode(Apply {
                    ops,
                    title: "A template".into(),
                    view: None,
                }),
                "a template",
            );
            answer(
                &host,
                &encode(ShowRendered {
                    template: template(),
                    shown: true,
                }),
                "rendered",
            );
            host
        };
        let range = |n: u32| {
            Json(vec![EditOp::SetSkipRange {
                catalog: Some(template()),
                package: "p".into(),
                channel: "c".into(),
                name: "p.v1.0.3".into(),
                skip_range: Some(format!("<1.0.{n}")),
            }])
        };
        let of_rendered = PackageRequest {
            root: rendered_name(&template()),
            ..view(UpgradeQuestion::default(), true)
        };
        let questions = [
            (
                "a new basic template",
                vec![encode(new(TemplateKind::Basic, ""))],
            ),
            (
                "a new substitutes template",
                vec![encode(new(TemplateKind::Substitutes, ""))],
            ),
            (
                "a basic template made a semver one",
                vec![encode(ConversionRequest::Convert {
                    template: template(),
                    into: TemplateKind::Semver,
                })],
            ),
            (
                "a basic template made a substitutes one",
                vec![encode(ConversionRequest::Convert {
                    template: template(),
                    into: TemplateKind::Substitutes,
                })],
            ),
            (
                "where it is rendered",
                vec![encode(ListRenderTargets {
                    template: template(),
                })],
            ),
            ("a package as it is rendered", vec![encode(of_rendered)]),
            (
                "a preview in a template",
                vec![encode(PreviewEdit {
                    ops: range(3),
                    scope: PreviewScope::Own,
                })],
            ),
            (
                "an edit in a template",
                vec![
                    encode(Apply {
                        ops: range(1),
                        title: "An edit".into(),
                        view: None,
                    }),
                    encode(Undo { view: None }),
                ],
            ),
        ];
        for (shape, make) in SHAPES {
            let (small, twice) = (with_template(make(SIZE)), with_template(make(2 * SIZE)));
            for (words, requests) in &questions {
                let ask = |host: &&RefCell<Host>| {
                    for request in requests {
                        answer(host, request, &format!("{shape}, {words}"));
                    }
                    0
                };
                ask(&&small);
                ask(&&twice);
                let host = |size| if size == SIZE { &small } else { &twice };
                findings.linear(&format!("{shape}, {words}"), SIZE, 200e6, host, ask);
            }
        }
    });
}

/// Input from outside: files on disk, dropped bundles and dropped manifests.
#[test]
fn every_file_query_is_linear_in_every_shape() {
    run_part(|findings: &mut Findings| {
        let size = std::env::var("SIZE")
            .ok()
            .and_then(|size| size.parse().ok())
            .unwrap_or(SIZE);
        let file = |path: &str, text: &str| DiskFile {
            path: path.to_owned(),
            bytes: Ok(Some(text.as_bytes().to_vec())),
        };
        let dropped = "schema: olm.bundle\npackage: p\nname: p.v9.0.0\nimage: q.io/p:v9\nproperties:\n- type: olm.package\n  value: {packageName: p, version: 9.0.0}\n";
        let subscription = "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: p, namespace: n}\nspec: {name: p, channel: c, source: s, sourceNamespace: m}\n";
        for (shape, make) in SHAPES.into_iter().chain([RANGES_AHEAD]) {
            let with_text = |size| {
                let texts = make(size);
                let changed = format!("# Somebody else's.\n{}", texts[0]);
                (open_host(texts), changed)
            };
            let (small, twice) = (with_text(size), with_text(2 * size));
            let both = |of| if of == size { &small } else { &twice };
            let mut linear =
                |words: &str, ask: &dyn Fn(&mut Host, &str) -> Result<bool, OperationRefusal>| {
                    let run = |(host, text): &&(RefCell<Host>, String)| {
                        let answer = ask(&mut host.borrow_mut(), text);
                        assert_eq!(answer, Ok(true), "{shape}, {words}");
                        0
                    };
                    run(&&small);
                    run(&&twice);
                    findings.linear(&format!("{shape}, {words}"), size, 200e6, both, run);
                };
            let path = "catalog/0.yaml";
            linear("a file that somebody else changed", &|host, text| {
                host.handle_with_files(CheckDisk {}, vec![file(path, text)])
                    .map(|_| true)
            });
            let placement = ReadBundles {
                placement: BundlePlacement {
                    root: "catalog".into(),
                    channels: vec!["c".into()],
                    ..BundlePlacement::default()
                },
            };
            linear("bundles that are dropped", &|host, _| {
                host.handle_with_files(placement.clone(), vec![file("b.yaml", dropped)])
                    .map(|read| read.is_some())
            });
            linear("manifests that are dropped", &|host, _| {
                let root = "catalog".to_owned();
                host.handle_with_files(ReadManifests { root }, vec![file("s.yaml", subscription)])
                    .map(|read| read.is_some())
            });
            linear("a file taken as it is on disk", &|host, text| {
                let taken =
                    host.handle_with_files(TakeTheirs { view: None }, vec![file(path, text)]);
                host.answer(Undo { view: None })?;
                taken.map(|_| true)
            });
            linear("what is on disk taken over", &|host, text| {
                host.handle_with_files(Merge {}, vec![file(path, text)])
                    .map(|_| true)
            });
            linear("files that are saved", &|host, text| {
                host.handle_with_files(NoteSaved {}, vec![file(path, text)])
                    .map(|_| true)
            });
        }
    });
}

/// Answers a request, which must not be refused.
fn answer(host: &RefCell<Host>, request: &EncodedQuery, words: &str) {
    let answer = host.borrow_mut().serve(request, Vec::new());
    assert!(answer.is_ok(), "{words}: {answer:?}");
}

#[test]
fn every_query_is_linear_in_every_shape() {
    run_part(|findings: &mut Findings| {
        let only = std::env::var("ONLY").unwrap_or_default();
        for (shape, make) in SHAPES.into_iter().chain([RANGES_AHEAD]) {
            let (small, twice) = (open_host(make(SIZE)), open_host(make(2 * SIZE)));
            let twice_the_pairs = open_host(make((SIZE as f64 * 2f64.sqrt()) as usize));
            for (words, request) in questions()
                .into_iter()
                .filter(|(words, _)| words.contains(&only))
            {
                let is_ahead = shape == RANGES_AHEAD.0;
                let is_of_pairs = (shape == "wide ranges" || is_ahead) && OF_PAIRS.contains(&words)
                    || is_ahead && words == LISTS_PAIRS;
                let large = if is_of_pairs {
                    &twice_the_pairs
                } else {
                    &twice
                };
                let ask = |host: &&RefCell<Host>| {
                    answer(host, &request, &format!("{shape}, {words}"));
                    0
                };
                // Caches are already filled.
                ask(&&small);
                ask(&large);
                let host = |size| if size == SIZE { &small } else { large };
                // A zip allocates 400 kB per file.
                findings.linear(&format!("{shape}, {words}"), SIZE, 200e6, host, ask);
            }
        }
    });
}
