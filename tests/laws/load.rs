//! The laws of loading: any files give a catalog with a verdict, a graph, a layout and upgrade
//! answers, independent of how the bytes are split and in which order the files arrive; every place
//! is inside its file.

use super::catalog::{self, File};
use super::choices::Choices;
use super::edits::hostile::damage;
use ::catalog::graph::layout::{LayoutRequest, Selection, layout};
use ::catalog::graph::{ChannelGraph, EdgeKind, PackageGraph, export};
use ::catalog::index::{FileIndexer, index_bytes};
use ::catalog::model::{FileId, FileIndex, Package};
use ::catalog::{Catalog, Content, TreeEntry};
use rand::Rng;
use rand::seq::{IndexedRandom, SliceRandom};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use upgrade::{Installed, Lens, Options, Policy, UpgradeIndex};
use verdict::validate::{self, Verdict};

pub fn hold(data: &[u8]) {
    let mut choices = Choices::new(data);
    let files = match choices.random_range(0..4) {
        0 => vec![("catalog.yaml".to_owned(), choices.rest().to_vec())],
        1 => {
            let mut files = catalog::files(&mut choices);
            for (_, text) in &mut files {
                *text = damage(&mut choices, std::mem::take(text));
            }
            files
        }
        _ => catalog::files(&mut choices),
    };
    let indexes: Vec<Arc<FileIndex>> = files
        .iter()
        .map(|(_, text)| Arc::new(index(&mut choices, text)))
        .collect();
    for ((_, text), index) in files.iter().zip(&indexes) {
        check_blob_ranges(text, index);
    }
    let mut catalog = Catalog::new("catalog", entries(&files, &indexes));
    let verdict = validate::judge(&catalog);
    check_verdict(&verdict, &files);
    for package in catalog.packages() {
        let graph = PackageGraph::build(package);
        graph
            .channels
            .iter()
            .for_each(|channel| check_states(&graph, channel));
        check_layout(&mut choices, package, &graph);
        check_upgrades(&mut choices, package);
    }
    check_order(&mut choices, &mut catalog, &files, &indexes, &verdict);
}

/// The index of a text, which must not depend on how the text is split.
fn index(rng: &mut impl Rng, text: &[u8]) -> FileIndex {
    let whole = index_bytes(text);
    let mut indexer = FileIndexer::new();
    let mut left = text;
    while !left.is_empty() {
        let (piece, rest) = left.split_at(rng.random_range(1..200).min(left.len()));
        indexer.feed(piece);
        left = rest;
    }
    assert_eq!(
        indexer.finish(),
        whole,
        "in pieces: {}",
        String::from_utf8_lossy(text)
    );
    whole
}

fn entries(files: &[File], indexes: &[Arc<FileIndex>]) -> Vec<TreeEntry> {
    let content = |(path, text): &File, index: &Arc<FileIndex>| match path.ends_with(".indexignore")
    {
        true => Content::Ignore(text.clone().into()),
        false => Content::Indexed(index.clone()),
    };
    let entry = |(id, (file, index)): (u32, (&File, &Arc<FileIndex>))| TreeEntry {
        id: FileId(id),
        path: file.0.clone(),
        content: content(file, index),
    };
    (0..).zip(files.iter().zip(indexes)).map(entry).collect()
}

fn check_blob_ranges(text: &[u8], index: &FileIndex) {
    assert_eq!(index.size, text.len() as u64);
    let mut end = 0;
    for blob in &index.blobs {
        assert!(
            blob.start >= end && blob.end >= blob.start && blob.end <= index.size,
            "{blob:?}"
        );
        end = blob.end;
        let before = &text[..blob.start as usize];
        assert_eq!(
            blob.line as usize,
            before.iter().filter(|&&b| b == b'\n').count()
        );
        // Places in a UTF-16 text refer to its UTF-8 form.
        let transcoded = text.starts_with(&[0xFF, 0xFE])
            || text
                .windows(2)
                .any(|pair| pair == [0xFE, 0xFF] || pair == [0xFF, 0xFE]);
        for fault in &blob.faults {
            assert!(!fault.message.is_empty() && !fault.opm.is_empty());
            assert!(fault.place.start <= fault.place.end);
            assert!(
                transcoded || u64::from(fault.place.end) <= blob.end - blob.start,
                "{fault:?}"
            );
        }
    }
}

fn check_verdict(verdict: &Verdict, files: &[File]) {
    assert_eq!(verdict.passed, verdict.opm_message.is_none());
    assert_eq!(
        verdict.passed,
        !verdict.diagnostics.iter().any(|d| d.opm),
        "a refusal has its problem: {verdict:?}"
    );
    let lines: BTreeMap<&str, u32> = files
        .iter()
        .map(|(path, text)| {
            (
                path.as_str(),
                text.iter().filter(|&&b| b == b'\n').count() as u32 + 1,
            )
        })
        .collect();
    for diagnostic in &verdict.diagnostics {
        assert!(!diagnostic.message.is_empty() && !diagnostic.rule.is_empty());
        let related = diagnostic.related.iter().map(|related| &related.location);
        for location in related
            .chain([&diagnostic.location])
            .filter(|location| !location.file.is_empty())
        {
            let lines = lines
                .get(location.file.as_str())
                .unwrap_or_else(|| panic!("no such file: {diagnostic:?}"));
            assert!(
                (1..=*lines).contains(&location.line) && location.column > 0,
                "{diagnostic:?}"
            );
            assert!(
                (location.line, location.column) <= (location.end_line, location.end_column),
                "{diagnostic:?}"
            );
        }
        for fix in &diagnostic.fixes {
            assert!(!fix.title.is_empty() && !fix.ops.is_empty());
        }
    }
}

/// Heads, skipped and stranded entries, computed a second time from the entries only.
fn check_states(graph: &PackageGraph, channel: &ChannelGraph) {
    let entries = &channel.blob.data.entries;
    let listed: BTreeSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    let replaced: BTreeSet<&str> = entries
        .iter()
        .map(|entry| entry.replaces.as_str())
        .filter(|name| !name.is_empty())
        .collect();
    let skipped: BTreeSet<&str> = entries
        .iter()
        .flat_map(|entry| &entry.skips)
        .map(|skip| skip.as_str())
        .collect();
    let heads: BTreeSet<&str> = listed
        .iter()
        .copied()
        .filter(|name| !replaced.contains(name) && !skipped.contains(name))
        .collect();
    let theirs: BTreeSet<&str> = channel
        .heads
        .iter()
        .map(|&head| graph.name_at(channel, head))
        .collect();
    assert_eq!(theirs, heads);
    let [head] = heads.iter().copied().collect::<Vec<_>>()[..] else {
        return;
    };
    let mut walked = BTreeSet::new();
    let mut at = Some(head);
    while let Some(name) = at.filter(|name| walked.insert(*name)) {
        let next = entries
            .iter()
            .find(|entry| entry.name.as_str() == name)
            .map_or("", |entry| entry.replaces.as_str());
        at = Some(next).filter(|next| listed.contains(next) && !skipped.contains(next));
    }
    for node in channel.nodes.iter().take(channel.present) {
        let name = graph.facts(node).map_or("", |facts| &*facts.name);
        assert_eq!(
            node.stranded,
            !walked.contains(name) && !skipped.contains(name),
            "{name}"
        );
    }
}

fn check_layout(rng: &mut impl Rng, package: &Package, graph: &PackageGraph) {
    let name = graph.names.choose(rng).map(|facts| facts.name.clone());
    let request = LayoutRequest {
        fold: rng.random_bool(0.5),
        selected: name.map(|name| Selection {
            channel: None,
            name,
        }),
        ..LayoutRequest::default()
    };
    let drawn = layout(graph, &request);
    assert_eq!(
        drawn,
        layout(graph, &request),
        "the same input gives the same drawing"
    );
    for lane in &drawn.lanes {
        let facts = &graph.channels[lane.channel as usize];
        let mut drawn_nodes = BTreeSet::new();
        for entry_node in &lane.entry_nodes {
            let rect = &entry_node.rect;
            assert!(
                rect.x.is_finite() && rect.x >= 0.0 && rect.right() <= drawn.width + 0.5,
                "{entry_node:?}"
            );
            assert!(
                rect.y >= 0.0 && rect.bottom() <= drawn.height + 0.5,
                "{entry_node:?}"
            );
            drawn_nodes.extend(entry_node.nodes.iter().copied());
        }
        assert!(
            lane.entry_nodes.is_empty()
                || (0..facts.present as u32).all(|node| drawn_nodes.contains(&node)),
            "every entry is drawn"
        );
        let mut entry_nodes: Vec<_> = lane
            .entry_nodes
            .iter()
            .map(|entry_node| (entry_node.rect.x, entry_node.rect.right()))
            .collect();
        entry_nodes.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert!(
            entry_nodes
                .windows(2)
                .all(|pair| pair[0].1 <= pair[1].0 + 0.5),
            "entry_nodes do not overlap: {entry_nodes:?}"
        );
    }
    let _ = export::svg(graph, &drawn);
    let _ = export::dot([graph]);
    let _ = export::json([graph]);
    let _ = export::mermaid(&[package], export::MermaidOptions::default());
    for channel in &graph.channels {
        let _ = graph.all_edges(channel);
        for edge in channel
            .edges
            .iter()
            .filter(|edge| edge.kind != EdgeKind::SkipRange)
        {
            assert!(channel.place(edge).is_some(), "every edge has a place");
        }
    }
}

fn check_upgrades(rng: &mut impl Rng, package: &Package) {
    let index = UpgradeIndex::new(package);
    let mut installs = index.installs();
    installs.truncate(12);
    installs.push(Installed::new("elsewhere.v1.0.0", "1.0.0"));
    installs.push(Installed::new("", "no version"));
    let channels = rng.random_range(0..2);
    let options = Options {
        channels: ["stable", "fast", ""]
            .choose_multiple(rng, channels)
            .map(|c| (*c).to_owned())
            .collect(),
        range: [None, Some(">=1.0.0 <2.0.0"), Some("~1"), Some("x||")]
            .choose(rng)
            .copied()
            .flatten()
            .map(str::to_owned),
        policy: *[Policy::CatalogProvided, Policy::SelfCertified]
            .choose(rng)
            .unwrap(),
        ..Options::default()
    };
    for lens in [Lens::V0, Lens::V1] {
        let all = index.everyone(lens, &installs, &options);
        for (installed, expected) in installs.iter().zip(all) {
            let one = index.next(lens, Some(installed), &options);
            let result = match one.error {
                Some(error) => Err(error.kind),
                None => Ok(one.next),
            };
            assert_eq!(
                result, expected,
                "{lens:?} from {installed:?} with {options:?}"
            );
            assert!(
                !one.why.is_empty() || result.is_err(),
                "an answer has its reasons"
            );
        }
        let path = index.path(lens, installs.first(), &options);
        assert!(
            path.looped
                || path.steps.len()
                    <= package.bundles.len()
                        + package
                            .channels
                            .iter()
                            .map(|c| c.entries.len())
                            .sum::<usize>()
                        + 1
        );
        let _ = index.next(lens, None, &options);
    }
}

/// Adding, removing and adding files again gives the catalog of opening them directly.
fn check_order(
    rng: &mut impl Rng,
    catalog: &mut Catalog,
    files: &[File],
    indexes: &[Arc<FileIndex>],
    verdict: &Verdict,
) {
    let mut shuffled = entries(files, indexes);
    shuffled.shuffle(rng);
    assert_eq!(
        validate::judge(&Catalog::new("catalog", shuffled.clone())),
        *verdict
    );
    let Some(entry) = shuffled.first() else {
        return;
    };
    assert!(
        catalog
            .replace_file(entry.id, entry.content.clone())
            .is_empty(),
        "the same content changes nothing"
    );
    catalog.remove_file(entry.id);
    catalog.add_file(entry.clone());
    assert_eq!(
        validate::judge(catalog),
        *verdict,
        "{} was taken out and put back",
        entry.path
    );
}
