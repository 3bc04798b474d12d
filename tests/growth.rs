//! How queries and operations grow with a catalog: twice the catalog may cost about twice the work,
//! for long chains, many channels, many skips, wide ranges, many packages, many files and long
//! blobs. Counts work instead of time, like `extreme.rs`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod counted_work;

use ::catalog::diff::{CONTEXT, file_diff};
use ::catalog::graph::PackageGraph;
use ::catalog::graph::export::{check_edges, json};
use ::catalog::index::index_bytes;
use ::catalog::model::{FileId, Package};
use ::catalog::source::piece::{LineMarks, PieceTable};
use ::catalog::source::text_edit::{TextEdit, TextEdits};
use ::catalog::{Catalog, Content, TreeEntry};
use counted_work::{Findings, run_part};
use protocol::operation::{EdgeRule, EditOp};
use session::{self, Session};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use test_support::MemorySource;
use upgrade::resolve::{self, CatalogSet};
use upgrade::status_conditions::{ExtensionConditions, SubscriptionConditions};
use upgrade::{Installed, Lens, Options, UpgradeIndex, v1};
use verdict::compare::Pair;
use verdict::compare::invariants::{self, CatalogContext};
use verdict::validate;

/// The version of an entry from its number: ten per y-stream.
fn version(i: usize) -> String {
    format!("1.{}.{}", i / 10, i % 10)
}

fn entry(i: usize, more: &str) -> String {
    match i.checked_sub(1) {
        Some(below) => format!(
            "- name: p.v{}\n  replaces: p.v{}\n{more}",
            version(i),
            version(below)
        ),
        None => format!("- name: p.v{}\n{more}", version(i)),
    }
}

/// A package with one channel, in which each entry replaces the previous one and has further
/// fields.
fn package_of(count: usize, more: impl Fn(usize) -> String) -> Vec<u8> {
    let head = "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n";
    let entries: String = (0..count).map(|i| entry(i, &more(i))).collect();
    let bundles: String = (0..count).map(bundle).collect();
    [head.to_owned(), entries, bundles].concat().into_bytes()
}

fn bundle(i: usize) -> String {
    let version = version(i);
    format!(
        "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: q.io/p:v{version}\nproperties:\n- type: olm.package\n  value: {{packageName: p, version: {version}}}\n"
    )
}

fn chain(count: usize) -> Vec<u8> {
    package_of(count, |_| String::new())
}

/// Each entry also covers the previous one by its own range.
fn narrow_ranges(count: usize) -> Vec<u8> {
    package_of(count, |i| match i.checked_sub(1) {
        Some(below) => format!("  skipRange: '>={} <{}'\n", version(below), version(i)),
        None => String::new(),
    })
}

fn catalog(text: &[u8]) -> Catalog {
    let content = Content::Indexed(Arc::new(index_bytes(text)));
    Catalog::new(
        "catalog",
        vec![TreeEntry {
            id: FileId(0),
            path: "catalog.yaml".to_owned(),
            content,
        }],
    )
}

fn only_package(text: &[u8]) -> Arc<Package> {
    catalog(text).package("p").unwrap().clone()
}

/// From the lowest version of a chain to the highest.
fn paths(findings: &mut Findings) {
    let walk_paths = |lens: Lens| {
        move |package: &Arc<Package>| {
            let index = UpgradeIndex::new(package);
            let path = index.path(
                lens,
                Some(&Installed::new("p.v1.0.0", "1.0.0")),
                &Options::default(),
            );
            assert_eq!(
                (path.steps.len(), path.looped),
                (package.bundles.len(), false)
            );
            0
        }
    };
    for (name, shape) in [
        ("a chain", chain as fn(usize) -> Vec<u8>),
        ("narrow ranges", narrow_ranges),
    ] {
        let package = |count| only_package(&shape(count));
        findings.linear(
            &format!("a path along {name}, Classic"),
            1_000,
            50e6,
            package,
            walk_paths(Lens::V0),
        );
        findings.linear(
            &format!("a path along {name}, OLM v1"),
            1_000,
            50e6,
            package,
            walk_paths(Lens::V1),
        );
    }
    // Two bundles of each name, which opm refuses and OLM v1 accepts.
    let twice = |count: usize| {
        let again = |i: usize| {
            bundle(i)
                .replace("q.io/p:v", "q.io/again:v")
                .replace("version: 1.", "version: 2.")
        };
        let wide = package_of(count, |_| "  skipRange: '<9.0.0'\n".to_owned());
        only_package(&[wide, (0..count).map(again).collect::<String>().into_bytes()].concat())
    };
    findings.linear(
        "every next step among bundles of one name, OLM v1",
        500,
        50e6,
        twice,
        |package| {
            let index = UpgradeIndex::new(package);
            let (catalogs, options) = ([v1::Catalog::only(&index)], Options::default());
            let request = v1::Request::new(&catalogs, None, "p", &options);
            let found = index
                .installs()
                .iter()
                .filter(|installed| request.next(Some(installed)).error.is_none())
                .count();
            assert_eq!(found, package.bundles.len());
            0
        },
    );
    let deprecated = |count| {
        let reference = |i| {
            format!(
                "- reference: {{schema: olm.bundle, name: p.v{}}}\n  message: m{i}\n",
                version(i)
            )
        };
        let text: String = (0..count).map(reference).collect();
        let head = "---\nschema: olm.deprecations\npackage: p\nentries:\n".to_owned();
        only_package(&[chain(count), head.into_bytes(), text.into_bytes()].concat())
    };
    findings.linear(
        "the conditions on a path",
        1_000,
        20e6,
        deprecated,
        |package| {
            let (subscription, extension) = (
                SubscriptionConditions::new(package, "c"),
                ExtensionConditions::new(package, &[]),
            );
            let counts = package.bundles.iter().map(|bundle| {
                let installed = Some(bundle.name.as_str());
                subscription.with(installed).len() + extension.with(installed).len()
            });
            assert_eq!(counts.sum::<usize>(), 4 * package.bundles.len());
            0
        },
    );
    findings.linear(
        "a path among all catalogs of Classic",
        1_000,
        50e6,
        |count| only_package(&chain(count)),
        |package| {
            let packages = vec![&**package];
            let set = CatalogSet::new(vec![resolve::Catalog {
                name: "".into(),
                namespace: "".into(),
                priority: 0,
                packages,
            }]);
            let path = set.path(
                "",
                "p",
                Some(&Installed::new("p.v1.0.0", "1.0.0")),
                &Options::default(),
            );
            assert_eq!(path.steps.len(), package.bundles.len());
            0
        },
    );
}

#[test]
fn long_paths() {
    run_part(paths);
}

fn open_session(text: &[u8]) -> (Session, Rc<MemorySource>) {
    let (files, source) = MemorySource::with_files([("catalog.yaml", text)]);
    let session = session::open_one("catalog", files, source.clone());
    (session, source)
}

/// Applies an operation and reviews it as for printing.
fn apply_and_review(text: &[u8], op: EditOp) -> u64 {
    let (mut session, source) = open_session(text);
    session.apply("edit", &[op]).unwrap();
    assert!(!session.changes().patch().unwrap().is_empty());
    source.bytes_read()
}

fn set_image(text: &[u8]) -> u64 {
    let (package, condition) = ("p".to_owned(), Some("image~q.io".to_owned()));
    apply_and_review(
        text,
        EditOp::SetImage {
            catalog: None,
            package,
            bundle: None,
            condition,
            image: "q.io/x:v1".to_owned(),
        },
    )
}

fn rebuild_edges(rule: EdgeRule) -> impl Fn(&Vec<u8>) -> u64 {
    move |text| {
        apply_and_review(
            text,
            EditOp::RebuildEdges {
                catalog: None,
                package: "p".to_owned(),
                channel: "c".to_owned(),
                rule,
            },
        )
    }
}

/// The number of entries whose pairs double when `count` doubles.
fn pairs(count: usize) -> usize {
    (count as f64).sqrt() as usize
}

/// Each entry skips all below.
fn many_skips(count: usize) -> Vec<u8> {
    package_of(count, |i| {
        let skips: String = (0..i)
            .map(|below| format!("  - p.v{}\n", version(below)))
            .collect();
        if i == 0 {
            String::new()
        } else {
            format!("  skips:\n{skips}")
        }
    })
}

/// Operations that change many places. The output of `skip-patch`, and the number of many skips,
/// grow with the pairs of entries.
fn edits(findings: &mut Findings) {
    findings.linear("a new image of all bundles", 500, 200e6, chain, |text| {
        set_image(text)
    });
    findings.linear(
        "a new image of long bundles",
        20,
        400e6,
        |count| {
            let head = chain(0);
            let long = |i| {
                format!(
                    "{}- type: long\n  value: {}\n",
                    bundle(i),
                    "x".repeat(100_000)
                )
            };
            [head, (0..count).map(long).collect::<String>().into_bytes()].concat()
        },
        |text| set_image(text),
    );
    findings.linear(
        "skip-patch",
        40_000,
        200e6,
        |count| chain(pairs(count)),
        rebuild_edges(EdgeRule::SkipPatch),
    );
    findings.linear(
        "many skips go",
        10_000,
        200e6,
        |count| many_skips(pairs(count)),
        rebuild_edges(EdgeRule::Replaces),
    );
    // Pieces, and places of a diff, found by bisection.
    let lines = |count: usize| "line\n".repeat(50 * count).into_bytes();
    findings.linear("a diff of scattered edits", 2_000, 100e6, lines, |text| {
        let mut table = PieceTable::new(text.len() as u64);
        let edit = |at: usize| TextEdit::replace(250 * at + 10..250 * at + 14, b"more".to_vec());
        let edits = TextEdits::new((0..text.len() / 250).map(edit).collect()).unwrap();
        table.apply(&edits).unwrap();
        let source = MemorySource::with_file(text);
        let hunks = file_diff(&table, FileId(0), LineMarks::default(), &source, CONTEXT).unwrap();
        assert_eq!(hunks.len(), text.len() / 250);
        source.bytes_read()
    });
}

/// Typing costs its document, regardless of the length of the file.
fn letters(findings: &mut Findings) {
    let long = |count: usize| {
        let long = |i| {
            format!(
                "{}- type: long\n  value: {}\n",
                bundle(i),
                "lorem ipsum ".repeat(10_000)
            )
        };
        let text = [
            chain(4),
            (0..count).map(long).collect::<String>().into_bytes(),
        ]
        .concat();
        let lines = text.iter().filter(|&&byte| byte == b'\n').count();
        let type_letter = move |line: usize| EditOp::ReplaceText {
            catalog: None,
            file: "catalog.yaml".to_owned(),
            at: format!("{line}:2-{line}:2"),
            before: String::new(),
            text: "x".to_owned(),
            around: None,
        };
        let (mut session, _) = open_session(&text);
        // From the first letter on, the original text is available.
        session
            .apply("typed", &[type_letter(lines / 2 + 1)])
            .unwrap();
        (
            RefCell::new(session),
            [
                type_letter(2),
                type_letter(lines / 2),
                type_letter(lines - 1),
            ],
        )
    };
    findings.linear(
        "letters in a long file",
        20,
        30e6,
        long,
        |(session, letters)| {
            for letter in letters {
                session
                    .borrow_mut()
                    .apply_to_last_step("typed", std::slice::from_ref(letter))
                    .unwrap();
            }
            0
        },
    );
}

/// Every entry has a skip range over all.
fn wide_ranges(count: usize) -> Vec<u8> {
    package_of(count, |_| "  skipRange: <9.0.0\n".to_owned())
}

/// Each channel has its own entry and range, and is queried separately.
fn channels(findings: &mut Findings) {
    let both = |count: usize| {
        let channel = |i: usize| {
            let version = version(i % 4);
            format!(
                "---\nschema: olm.channel\npackage: p\nname: c{i}\nentries:\n- name: p.v{version}\n  skipRange: <1.{i}.0\n"
            )
        };
        let channels: String = (0..count).map(channel).collect();
        let new = [chain(4), channels.into_bytes()].concat();
        let old = String::from_utf8_lossy(&new)
            .replace("defaultChannel: c\n", "defaultChannel: c1\n")
            .into_bytes();
        (only_package(&old), only_package(&new))
    };
    findings.linear(
        "what a package of many channels means to its users",
        300,
        50e6,
        both,
        |(old, new)| {
            let pair = Pair::new(Some(old), Some(new));
            let broken = invariants::new_findings(&pair, &CatalogContext::default());
            assert!(!broken.is_empty() && pair.compare().default_channel.is_some());
            0
        },
    );
}

/// Narrows each range of a chain in which each entry has its own range.
fn ranges(findings: &mut Findings) {
    let both = |count: usize| {
        let new = narrow_ranges(count);
        let old = String::from_utf8_lossy(&new).replace("'>=1.", "'>=0.");
        (only_package(old.as_bytes()), only_package(&new))
    };
    findings.linear(
        "what narrower ranges mean to versions that are not listed",
        300,
        50e6,
        both,
        |(old, new)| {
            let pair = Pair::new(Some(old), Some(new));
            let broken = invariants::new_findings(&pair, &CatalogContext::default());
            assert!(!broken.is_empty() && !pair.compare().unlisted.is_empty());
            0
        },
    );
}

#[test]
fn ranges_that_change() {
    run_part(ranges);
}

fn graphs(findings: &mut Findings) {
    for (name, shape) in [
        ("wide ranges", wide_ranges as fn(usize) -> Vec<u8>),
        ("a chain", chain),
    ] {
        let graph = |count| PackageGraph::build(&only_package(&shape(count)));
        findings.linear(&format!("JSON of {name}"), 1_000, 50e6, graph, |graph| {
            let json = json([graph]);
            assert_eq!(
                json["packages"][0]["channels"][0]["by_version"]
                    .as_array()
                    .unwrap()
                    .len(),
                graph.names.len()
            );
            0
        });
    }
    // More edges than are drawn; they are counted before they are created.
    let graph = |count| PackageGraph::build(&only_package(&wide_ranges(count)));
    findings.linear("too many edges", 1_500, 5e6, graph, |graph| {
        assert!(check_edges([graph]).is_err());
        0
    });
}

/// Documents that are not blobs.
fn documents(findings: &mut Findings) {
    let open_and_validate = |text: &Vec<u8>| {
        let verdict = validate::judge(&catalog(text));
        assert!(!verdict.passed);
        0
    };
    let without_schema = |count| {
        (0..count)
            .map(|i| format!("---\nname: a{i}\n"))
            .collect::<String>()
            .into_bytes()
    };
    findings.linear(
        "documents without a schema",
        5_000,
        200e6,
        without_schema,
        open_and_validate,
    );
    findings.linear(
        "empty documents",
        5_000,
        200e6,
        |count| "---\n".repeat(count).into_bytes(),
        open_and_validate,
    );
}

#[test]
fn edits_of_many_places() {
    run_part(edits);
}

#[test]
fn letters_of_long_files() {
    run_part(letters);
}

#[test]
fn channels_with_ranges() {
    run_part(channels);
}

#[test]
fn graphs_of_wide_ranges() {
    run_part(graphs);
}

#[test]
fn documents_that_are_no_blobs() {
    run_part(documents);
}
