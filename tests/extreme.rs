//! Extreme input: one line of 100 MB, nesting of 10,000, a million documents or entries, alias
//! bombs. Checks counts of work instead of time: bytes examined by the reader, and bytes and blocks
//! requested from the allocator. Twice the input may cost about twice the work, on the stack size
//! of a worker in the browser.
//!
//! `growth.rs` covers how operations and queries grow with a catalog.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod counted_work;

use ::catalog::graph::PackageGraph;
use ::catalog::graph::layout::{LayoutRequest, layout};
use ::catalog::index::{FileIndexer, index_bytes};
use ::catalog::model::{FileId, FileIndex};
use ::catalog::version::{blang, masterminds};
use ::catalog::{Catalog, Content, TreeEntry};
use counted_work::{Findings, measure, run_part};
use protocol::operation::{EdgeRule, EditOp};
use std::sync::Arc;
use syntax::{json, yaml};
use test_support::MemorySource;
use verdict::validate;

/// A file that is never in memory as a whole: its start, a repeated piece, and its end.
struct Shape {
    head: &'static str,
    piece: &'static str,
    count: usize,
    tail: &'static str,
}

impl Shape {
    fn index(&self) -> (FileIndex, u64) {
        let many = self
            .piece
            .repeat(((1 << 16) / self.piece.len()).clamp(1, self.count));
        let mut indexer = FileIndexer::new();
        indexer.feed(self.head.as_bytes());
        let mut left = self.piece.len() * self.count;
        while left > 0 {
            let bytes = &many.as_bytes()[..left.min(many.len())];
            indexer.feed(bytes);
            left -= bytes.len();
        }
        indexer.feed(self.tail.as_bytes());
        let looked_at = indexer.examined_bytes();
        (indexer.finish(), looked_at)
    }
}

fn check_long_lines(findings: &mut Findings) {
    const MB: usize = 1_000_000;
    let shape = |head, piece, tail| {
        move |count| Shape {
            head,
            piece,
            count,
            tail,
        }
    };
    let bytes_examined = |shape: &Shape| shape.index().1;
    findings.linear(
        "a line of YAML",
        50 * MB,
        900e6,
        shape("schema: s\na: ", "x", "\n"),
        bytes_examined,
    );
    for (name, head, piece, tail) in [
        ("a line of JSON", "{\"schema\":\"s\",\"a\":\"", "x", "\"}"),
        ("a line in quotes", "schema: s\na: \"", "x", "\"\n"),
        ("a line of brackets", "schema: s\na: [", "1,", "]\n"),
        ("a comment", "schema: s\n# ", "x", "\n"),
        ("a line behind dashes", "schema: s\n--- ", "x", "\n"),
        ("a file of dashes", "---", "-", "\n"),
        (
            "blanks behind JSON",
            "{\"schema\":\"s\"}\n",
            " ",
            "{\"schema\":\"s\"}",
        ),
        (
            "a word behind JSON",
            "{\"schema\":\"s\"}{\"schema\":\"s\"}@",
            "x",
            "",
        ),
        (
            "digits behind JSON",
            "{\"schema\":\"s\"}{\"schema\":\"s\"}",
            "1",
            "@",
        ),
        (
            "an open string behind JSON",
            "{\"schema\":\"s\"}{\"schema\":\"s\"}\"\\q\"",
            "x",
            "",
        ),
        (
            "JSON that is never closed",
            "{\"schema\":\"s\"}{\"a\":[",
            "1,",
            "",
        ),
        ("white space", "", " ", ""),
        ("UTF-16 of no use", "schema: s\n", "\u{feff}", "\n"),
    ] {
        findings.linear(
            name,
            4 * MB / piece.len(),
            600e6,
            shape(head, piece, tail),
            bytes_examined,
        );
    }
}

fn many_documents_and_entries(findings: &mut Findings) {
    let shape = |head, piece, tail| {
        move |count| Shape {
            head,
            piece,
            count,
            tail,
        }
    };
    let bytes_examined = |shape: &Shape| shape.index().1;
    let documents = shape("", "---\nschema: s\n", "");
    findings.linear("a million documents", 500_000, 2e9, documents, |shape| {
        let (index, looked_at) = shape.index();
        assert_eq!(index.blobs.len(), shape.count);
        looked_at
    });
    findings.linear(
        "JSON objects on one line",
        100_000,
        250e6,
        shape("", "{\"schema\":\"s\"}", ""),
        bytes_examined,
    );
    let entries = shape(
        "schema: olm.channel\npackage: p\nname: c\nentries:\n",
        "- name: p.v1.0.0\n",
        "",
    );
    findings.linear(
        "a million entries",
        500_000,
        1200e6,
        entries,
        bytes_examined,
    );
    let skips = shape(
        "schema: olm.channel\npackage: p\nname: c\nentries:\n- name: p.v1\n  skips: [",
        "a,",
        "]\n",
    );
    findings.linear("skips of an entry", 50_000, 100e6, skips, bytes_examined);
    findings.linear(
        "keys that are all the same",
        100_000,
        200e6,
        shape("schema: s\n", "a: b\n", ""),
        bytes_examined,
    );
    findings.linear("keys of a mapping", 500_000, 1200e6, keys, |text| {
        assert_eq!(index_bytes(text.as_bytes()).blobs.len(), 1);
        0
    });
    let key_of_keys = |count| {
        format!(
            "? {{{}}}\n: x\n",
            (0..count).map(|i| format!("k{i}: v, ")).collect::<String>()
        )
    };
    findings.linear("a mapping as a key", 20_000, 200e6, key_of_keys, |text| {
        assert!(!index_bytes(text.as_bytes()).blobs[0].faults.is_empty());
        0
    });
}

fn keys(count: usize) -> String {
    let mut text = "schema: s\n".to_owned();
    (0..count).for_each(|i| text.push_str(&format!("k{i}: v\n")));
    text
}

fn nesting(findings: &mut Findings) {
    let nested = |open: &'static str, close: &'static str| {
        move |count: usize| format!("{}1{}", open.repeat(count), close.repeat(count)).into_bytes()
    };
    for (name, open, close) in [
        ("lists in lists", "- ", ""),
        ("keys in keys", "? ", ""),
        ("brackets", "[", "]"),
        ("braces", "{a: ", "}"),
    ] {
        findings.linear(
            &format!("YAML, {name}"),
            5_000,
            50e6,
            nested(open, close),
            |text| {
                let nodes = yaml::parse(text).map_or(0, |tree| tree.len());
                index_bytes(text);
                nodes as u64
            },
        );
    }
    for (name, open, close) in [("lists", "[", "]"), ("objects", "{\"a\":", "}")] {
        findings.linear(
            &format!("JSON, {name}"),
            5_000,
            50e6,
            nested(open, close),
            |text| {
                let nodes = json::parse(text).map_or(0, |tree| tree.len());
                index_bytes(text);
                nodes as u64
            },
        );
    }
    // Beyond the limit of `opm`: refused, at no higher cost.
    for text in [
        nested("[", "]")(100_000),
        nested("- ", "")(100_000),
        nested("{\"a\":", "}")(100_000),
    ] {
        let cost = measure(&text, |text| index_bytes(text).size);
        if cost.bytes > 100e6 {
            findings.0.push(format!("deep nesting: {cost:?}"));
        }
    }
}

/// Texts that were once expensive: many possible keys, anchors, escapes or comments.
fn hostile(findings: &mut Findings) {
    for piece in [
        "[", "{", "- ", "? ", "a: ", "[],", "&a ", "\"\\\n", "a: |\n\n", "# c\n", "\r", "'",
        "%A\n", "!a ", "*a ", "\t", "é, ", "a\n\n", "...\n", "---\n", "\u{85}",
    ] {
        for open in ["", "["] {
            let text = |count| format!("{open}{}", piece.repeat(count)).into_bytes();
            findings.linear(
                &format!("{open}{piece:?} repeated"),
                10_000,
                100e6,
                text,
                |text| yaml::parse(text).map_or(0, |tree| tree.len()) as u64,
            );
        }
    }
}

fn bombs(findings: &mut Findings) {
    let mut laughs = "schema: s\na0: &a0 [x, x]\n".to_owned();
    (1..60).for_each(|i| {
        laughs.push_str(&format!(
            "a{i}: &a{i} [*a{0}, *a{0}, *a{0}, *a{0}]\n",
            i - 1
        ))
    });
    let merges = (1..40).fold("schema: s\na0: &a0 {x: 1}\n".to_owned(), |text, i| {
        text + &format!("a{i}: &a{i} {{<<: [*a{0}, *a{0}, *a{0}]}}\n", i - 1)
    });
    let wide = format!(
        "schema: s\na: &a [{}]\nb: [{}]\n",
        "x, ".repeat(3_000),
        "*a, ".repeat(3_000)
    );
    let key = laughs.clone() + "? [*a20]\n: x\n";
    let name = laughs.clone() + "name: *a20\n";
    for (what, text) in [
        ("laughs", laughs),
        ("merges", merges),
        ("a wide list", wide),
        ("laughs as a key", key),
        ("laughs as a name", name),
    ] {
        let cost = measure(&text, |text| index_bytes(text.as_bytes()).size);
        println!("{what}: {cost:?}");
        if cost.bytes > 500e6 {
            findings.0.push(format!("{what}: {cost:?}"));
        }
    }
}

fn catalog(text: &str) -> Catalog {
    let content = Content::Indexed(Arc::new(index_bytes(text.as_bytes())));
    Catalog::new(
        "catalog",
        vec![TreeEntry {
            id: FileId(0),
            path: "catalog.yaml".to_owned(),
            content,
        }],
    )
}

/// A package with one channel and a bundle for every entry.
fn package(entries: impl Iterator<Item = String>, bundles: usize) -> String {
    let mut text =
        "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n"
            .to_owned();
    entries.for_each(|entry| text.push_str(&entry));
    for i in 0..bundles {
        text.push_str(&format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v1.{i}.0\nimage: q.io/p:{i}\nproperties:\n- type: olm.package\n  value: {{packageName: p, version: 1.{i}.0}}\n"
        ));
    }
    text
}

fn chain(i: usize, last: usize) -> String {
    match i {
        0 => format!("- name: p.v1.0.0\n  replaces: p.v1.{last}.0\n"),
        i => format!("- name: p.v1.{i}.0\n  replaces: p.v1.{}.0\n", i - 1),
    }
}

fn validate_and_draw(findings: &mut Findings) {
    let judge = |catalog: &Catalog| {
        validate::judge(catalog);
        0
    };
    let draw = |catalog: &Catalog| {
        let graph = PackageGraph::build(catalog.package("p").unwrap());
        layout(&graph, &LayoutRequest::default());
        0
    };
    let chains = |n: usize| catalog(&package((0..n).map(|i| chain(i, n + 1)), n));
    let cycles = |n: usize| catalog(&package((0..n).map(|i| chain(i, n - 1)), n));
    let heads = |n: usize| catalog(&package((0..n).map(|i| format!("- name: p.v1.{i}.0\n")), n));
    let skips = |n: usize| {
        let skipped: String = (0..n).map(|i| format!("p.v0.{i}.0, ")).collect();
        catalog(&package(
            std::iter::once(format!("- name: p.v1.0.0\n  skips: [{skipped}]\n")),
            1,
        ))
    };
    let deprecations = |n: usize| {
        let entries = (0..n).map(|i| {
            format!("- reference: {{schema: olm.bundle, name: p.v1.{i}.0}}\n  message: m\n")
        });
        let all: String = entries.collect();
        let text = package(std::iter::once("- name: p.v1.0.0\n".to_owned()), 1);
        catalog(&(text + "---\nschema: olm.deprecations\npackage: p\nentries:\n" + &all))
    };
    findings.linear("a chain, judged", 5_000, 200e6, chains, judge);
    findings.linear("a cycle, judged", 5_000, 200e6, cycles, judge);
    findings.linear("many heads, judged", 5_000, 400e6, heads, judge);
    findings.linear("skips, judged", 50_000, 400e6, skips, judge);
    findings.linear("deprecations, judged", 50_000, 900e6, deprecations, judge);
    findings.linear("a chain, drawn", 5_000, 200e6, chains, draw);
    findings.linear("a cycle, drawn", 5_000, 200e6, cycles, draw);
    findings.linear("many heads, drawn", 5_000, 200e6, heads, draw);
    findings.linear("skips, drawn", 50_000, 400e6, skips, draw);
}

/// Many files, and an `.indexignore` with many names and globs.
fn files(findings: &mut Findings) {
    let tree = |patterns: usize| {
        move |count: usize| {
            let names: String = (0..patterns)
                .map(|i| format!("d{i}/catalog.yaml\nx{i}.yaml\n"))
                .collect();
            let names = names + "**/a*b?c[x-z]*.md\n!**/d1/**\n";
            let index = Arc::new(index_bytes(b"schema: s\nname: notes\n"));
            let file = |i: usize| TreeEntry {
                id: FileId(i as u32 + 1),
                path: format!("d{i}/catalog.yaml"),
                content: Content::Indexed(index.clone()),
            };
            let mut entries: Vec<TreeEntry> = (0..count).map(file).collect();
            let ignore = Content::Ignore(names.into_bytes().into());
            entries.push(TreeEntry {
                id: FileId(0),
                path: ".indexignore".to_owned(),
                content: ignore,
            });
            entries
        }
    };
    let open = |entries: &Vec<TreeEntry>| {
        let catalog = Catalog::new("catalog", entries.clone());
        let ignored = catalog.files().iter().filter(|file| file.ignored).count();
        assert!(ignored > 0 && ignored < entries.len());
        validate::judge(&catalog);
        0
    };
    findings.linear("100,000 files", 50_000, 45e6, tree(1), open);
    findings.linear(
        "100,000 files and 10,000 patterns",
        50_000,
        55e6,
        tree(5_000),
        open,
    );
}

fn ranges(findings: &mut Findings) {
    for piece in [
        ">=1.0.0 ",
        "1.x ",
        "1.0.0 || ",
        ">= ",
        "1.x.x.x",
        "x1",
        "1-1-",
        "a ",
        ">",
        "=<1.0.0 ",
        ". ",
    ] {
        let text = |count| format!("1.0.0 {}", piece.repeat(count));
        findings.linear(
            &format!("{piece:?} as a range of blang"),
            5_000,
            100e6,
            text,
            |text| blang::Range::parse(text).map_or(0, |range| range.alternatives().len()) as u64,
        );
    }
    for piece in [
        ">=1.0.0,", "1.x ", "1.0.0||", "~1 || ", ">", "1.x.x.", "- ", "||",
    ] {
        let text = |count| format!("1.0.0 {}", piece.repeat(count));
        findings.linear(
            &format!("{piece:?} as a range of Masterminds"),
            1_000,
            100e6,
            text,
            |text| u64::from(masterminds::Constraint::parse(text).is_ok()),
        );
    }
}

/// An edit of one entry if the whole channel, and the whole catalog, is on one line.
fn edits(findings: &mut Findings) {
    let one_line = |count: usize| {
        let entries: Vec<String> = (0..count)
            .map(|i| format!("{{\"name\":\"p.v1.{i}.0\"}}"))
            .collect();
        let text = format!(
            "{{\"schema\":\"olm.package\",\"name\":\"p\",\"defaultChannel\":\"c\"}}{{\"schema\":\"olm.channel\",\"package\":\"p\",\"name\":\"c\",\"entries\":[{}]}}",
            entries.join(",")
        );
        text.into_bytes()
    };
    let edit = |text: &Vec<u8>| {
        let (files, source) = MemorySource::with_files([("catalog.json", text)]);
        let mut session = session::open_one("catalog", files, source);
        let op = EditOp::SetReplaces {
            catalog: None,
            package: "p".to_owned(),
            channel: "c".to_owned(),
            name: "p.v1.7.0".to_owned(),
            replaces: Some("p.v1.6.0".to_owned()),
        };
        session.apply("edit", &[op]).unwrap();
        assert!(session.files().bytes("catalog.json").unwrap().len() > text.len());
        session.undo().unwrap();
        assert!(session.files().bytes("catalog.json").unwrap() == *text);
        0
    };
    // Each fix for several heads is tried on a copy of the channel. Only as many are tried as a
    // person would read, so the cost is bounded and hardly grows.
    findings.linear("an edit of one line", 5_000, 2e9, one_line, edit);
    // The patches of a blob are applied in a few rounds: one by one, each would read the blob
    // again.
    findings.linear("all edges of a channel", 250, 100e6, streams, rebuild);
}

/// A channel in which each entry replaces the previous one, with ten entries per y-stream.
fn streams(count: usize) -> Vec<u8> {
    let version = |i: usize| format!("1.{}.{}", i / 10, i % 10);
    let entry = |i: usize| match i.checked_sub(1) {
        Some(below) => format!(
            "- name: p.v{}\n  replaces: p.v{}\n",
            version(i),
            version(below)
        ),
        None => format!("- name: p.v{}\n", version(i)),
    };
    let bundle = |i: usize| {
        let version = version(i);
        format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: i\nproperties:\n- type: olm.package\n  value: {{packageName: p, version: {version}}}\n"
        )
    };
    let head = "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n";
    [
        head.to_owned(),
        (0..count).map(entry).collect(),
        (0..count).map(bundle).collect(),
    ]
    .concat()
    .into_bytes()
}

fn rebuild(text: &Vec<u8>) -> u64 {
    let (files, source) = MemorySource::with_files([("catalog.yaml", text)]);
    let mut session = session::open_one("catalog", files, source);
    let (package, channel) = ("p".to_owned(), "c".to_owned());
    let op = EditOp::RebuildEdges {
        catalog: None,
        package,
        channel,
        rule: EdgeRule::ZStream,
    };
    session.apply("edges", &[op]).unwrap();
    assert!(session.files().bytes("catalog.yaml").unwrap() != *text);
    0
}

#[test]
fn long_lines() {
    run_part(check_long_lines);
}

#[test]
fn millions() {
    run_part(many_documents_and_entries);
}

#[test]
fn deep_nesting() {
    run_part(nesting);
}

#[test]
fn hostile_texts() {
    run_part(hostile);
}

#[test]
fn alias_bombs() {
    run_part(bombs);
}

#[test]
fn large_packages() {
    run_part(validate_and_draw);
}

#[test]
fn many_files() {
    run_part(files);
}

#[test]
fn long_ranges() {
    run_part(ranges);
}

#[test]
fn edits_of_one_line() {
    run_part(edits);
}
