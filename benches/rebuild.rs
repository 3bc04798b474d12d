//! How long an operation on a whole channel takes, from the command to the validated catalog:
//! `rebuild-edges` in every channel of the largest real package, and in one channel with as many
//! entries. Numbers are printed, never asserted: `cargo bench --bench rebuild`.

mod support;

use protocol::operation::{EdgeRule, EditOp};
use support::{measure, ms};
use test_support::{MemorySource, corpus, read_tree};

const RULES: [(&str, EdgeRule); 4] = [
    ("replaces", EdgeRule::Replaces),
    ("skip-patch", EdgeRule::SkipPatch),
    ("z-stream", EdgeRule::ZStream),
    ("skip-range", EdgeRule::SkipRange),
];

fn main() {
    // 27 y-streams of 27 versions: as many entries as the largest real package has in all its
    // channels.
    rebuild(
        "one channel of 729",
        "p",
        &[("catalog.yaml".to_owned(), catalog(27).into_bytes())],
    );
    let Some(corpus) = corpus() else { return };
    for package in ["strimzi-kafka-operator", "camel-k"] {
        rebuild(
            package,
            package,
            &read_tree(&corpus.join("operatorhub").join(package)),
        );
    }
}

fn rebuild(title: &str, package: &str, files: &[(String, Vec<u8>)]) {
    let (new, memory) = MemorySource::with_files(files.iter().map(|(path, bytes)| (path, bytes)));
    let mut session = session::open_one("catalog", new, memory);
    let catalog = session.roots().first().map(|root| root.catalog());
    let channels = catalog
        .and_then(|catalog| catalog.package(package))
        .map_or(&[][..], |package| &package.channels);
    let channels: Vec<String> = channels
        .iter()
        .map(|channel| channel.name.value.to_string())
        .collect();
    for (name, rule) in RULES {
        let op = |channel: &String| EditOp::RebuildEdges {
            catalog: None,
            package: package.to_owned(),
            channel: channel.clone(),
            rule,
        };
        let ops: Vec<EditOp> = channels.iter().map(op).collect();
        let (mut times, mut parsed) = (Vec::new(), session.counters().blobs_parsed);
        for _ in 0..21 {
            let (time, _) = measure(1, || {
                drop(session.apply(name, &ops).expect("the edges can be made"))
            });
            times.push(time);
            session.undo();
        }
        parsed = (session.counters().blobs_parsed - parsed) / 21;
        times.sort();
        println!(
            "{title}, {name}: {} ms, {parsed} blobs read again",
            ms((times[10], times[20]))
        );
    }
}

/// A package with one channel, in which every version replaces the previous one.
fn catalog(streams: u64) -> String {
    let mut text =
        "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n"
            .to_owned();
    let versions = || {
        (0..streams).flat_map(|minor| (0..streams).map(move |patch| format!("1.{minor}.{patch}")))
    };
    let mut below = None;
    for version in versions() {
        text.push_str(&format!("- name: p.v{version}\n"));
        if let Some(below) = below.replace(version) {
            text.push_str(&format!("  replaces: p.v{below}\n"));
        }
    }
    for version in versions() {
        text.push_str(&format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: quay.io/p/p:v{version}\nproperties:\n- type: olm.package\n  value:\n    packageName: p\n    version: {version}\n"
        ));
    }
    text
}
