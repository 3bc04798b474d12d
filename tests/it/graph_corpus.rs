//! The lanes of every real package against a naive reading of its blobs: entries, edges and marks,
//! none missing and none extra. Facts are compared as lines of text for readable differences.

use ::catalog::graph::layout::{EntryNodeKind, Lane, Layout, LayoutRequest, Marks, layout};
use ::catalog::graph::{ChannelGraph, EdgeKind, PackageGraph};
use ::catalog::index::index_bytes;
use ::catalog::model::FileId;
use ::catalog::{Catalog, Content, TreeEntry};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use test_support::shared_folder;

#[test]
fn lanes_equal_a_naive_reading_of_the_corpus() {
    for (catalog, folder) in catalogs(["community/v4.20", "operatorhub", "scale"]) {
        check(catalog, &folder);
    }
}

/// The available ones among these catalogs of the corpus, by name; prints the missing ones.
pub(crate) fn catalogs<const N: usize>(names: [&'static str; N]) -> Vec<(&'static str, PathBuf)> {
    let here: Vec<_> = names
        .into_iter()
        .filter_map(|name| Some((name, corpus()?.join(name))))
        .filter(|(_, at)| at.is_dir())
        .collect();
    for name in names
        .into_iter()
        .filter(|name| here.iter().all(|(available, _)| available != name))
    {
        let skipped = if here.is_empty() {
            "skipped"
        } else {
            "skipped in part"
        };
        println!("{skipped}: no folder of real catalogs has {name}");
    }
    here
}

/// The folder of the corpus, if there is one.
pub(crate) fn corpus() -> Option<PathBuf> {
    Some(shared_folder()?.join("corpus")).filter(|corpus| corpus.is_dir())
}

fn check(name: &str, folder: &Path) {
    let files = files(folder);
    let blobs: Vec<Value> = files
        .iter()
        .flat_map(|(path, bytes)| blobs(path, bytes))
        .collect();
    let catalog = index_catalog(&files);
    let defined: BTreeSet<&str> = blobs
        .iter()
        .filter(|b| b["schema"] == "olm.package")
        .map(|b| text(b, "name"))
        .collect();
    let ours: BTreeSet<&str> = catalog
        .packages()
        .filter(|p| !p.packages.is_empty())
        .map(|p| &*p.name)
        .collect();
    assert_eq!(ours, defined, "packages of {name}");
    let (mut facts, mut slowest) = (0, (Duration::ZERO, String::new()));
    for package in catalog.packages() {
        let start = Instant::now();
        let graph = PackageGraph::build(package);
        let near = layout(&graph, &LayoutRequest::default());
        slowest = slowest.max((start.elapsed(), package.name.to_string()));
        let naive = naive_facts(&blobs, &package.name);
        let drawn = drawn_facts(&graph, &near);
        facts += naive.values().map(BTreeSet::len).sum::<usize>();
        assert_eq!(
            naive.keys().collect::<Vec<_>>(),
            drawn.keys().collect::<Vec<_>>(),
            "channels of {}",
            package.name
        );
        for (channel, expected) in &naive {
            let missing: Vec<_> = expected.difference(&drawn[channel]).collect();
            let extra: Vec<_> = drawn[channel].difference(expected).collect();
            assert!(
                missing.is_empty() && extra.is_empty(),
                "{} in {name}, channel {channel}: missing {missing:#?}, extra {extra:#?}",
                package.name
            );
        }
        check_folding(&graph, &near);
        check_edge_places(&catalog, &files, &graph);
    }
    println!(
        "{name}: {} packages, {facts} facts equal; slowest graph and lanes {slowest:?}",
        catalog.packages().len()
    );
    assert!(facts >= 1000, "{name}: only {facts} facts were compared");
}

/// The catalog as the library reads it.
pub(crate) fn index_catalog(files: &[(PathBuf, Vec<u8>)]) -> Catalog {
    let entry = |(id, (path, bytes)): (u32, &(PathBuf, Vec<u8>))| TreeEntry {
        id: FileId(id),
        path: path.to_string_lossy().into_owned(),
        content: Content::Indexed(Arc::new(index_bytes(bytes))),
    };
    Catalog::new("", (0..).zip(files).map(entry).collect())
}

/// An edge leads to the field that defines it: the name is at this place in the file.
fn check_edge_places(catalog: &Catalog, files: &[(PathBuf, Vec<u8>)], graph: &PackageGraph) {
    for channel in &graph.channels {
        for edge in &channel.edges {
            let place = channel.place(edge).expect("an edge has a place");
            let blob = catalog
                .blob(channel.blob.file, channel.blob.index)
                .expect("a channel has a blob");
            let (start, end) = (
                blob.start as usize + place.start as usize,
                blob.start as usize + place.end as usize,
            );
            let written =
                String::from_utf8_lossy(&files[channel.blob.file.0 as usize].1[start..end])
                    .into_owned();
            let name = graph.name_at(channel, edge.from);
            assert!(
                written.contains(name),
                "{}: {written:?} is not {name}",
                graph.package
            );
        }
    }
}

/// Folding only changes the grouping of entries, not the set of entries.
fn check_folding(graph: &PackageGraph, near: &Layout) {
    let nodes = |layout: &Layout| -> Vec<(u32, Vec<u32>)> {
        let nodes_of = |lane: &Lane| {
            let mut nodes: Vec<u32> = lane
                .entry_nodes
                .iter()
                .flat_map(|entry_node| entry_node.nodes.clone())
                .collect();
            nodes.sort_unstable();
            (lane.channel, nodes)
        };
        layout.lanes.iter().map(nodes_of).collect()
    };
    let folded = LayoutRequest {
        fold: true,
        ..LayoutRequest::default()
    };
    assert_eq!(
        nodes(&layout(graph, &folded)),
        nodes(near),
        "{}",
        graph.package
    );
}

/// Facts as lines, by channel.
type Facts = BTreeMap<String, BTreeSet<String>>;

/// The facts in a layout, read back from its nodes, links, runs and brackets.
fn drawn_facts(graph: &PackageGraph, layout: &Layout) -> Facts {
    layout
        .lanes
        .iter()
        .map(|lane| {
            let channel = &graph.channels[lane.channel as usize];
            let name = |node: u32| graph.name_at(channel, node);
            let mut facts = BTreeSet::new();
            for entry_node in &lane.entry_nodes {
                assert_ne!(
                    entry_node.kind,
                    EntryNodeKind::Stack,
                    "nothing is folded unless requested"
                );
                let node = entry_node.nodes[0];
                let facts_of = graph
                    .facts(&channel.nodes[node as usize])
                    .expect("every node has a name");
                facts.insert(format!(
                    "{} {} {}",
                    name(node),
                    facts_of.text,
                    marks(entry_node.marks).join(" ")
                ));
            }
            let links = lane.links.iter().flat_map(|link| link.edges.iter());
            let runs = lane.runs.iter().flat_map(|run| run.edges.iter());
            for edge in links.chain(runs).map(|&edge| &channel.edges[edge as usize]) {
                facts.insert(format!(
                    "{} -{}-> {}",
                    name(edge.from),
                    edge.kind.field(),
                    name(edge.to)
                ));
            }
            for range in lane
                .brackets
                .iter()
                .flat_map(|b| b.ranges.iter())
                .map(|&r| &channel.ranges[r as usize])
            {
                facts.insert(format!("{} skipRange {}", name(range.node), range.text));
            }
            facts.extend(covered(graph, channel));
            if channel.is_default {
                facts.insert("default channel".to_owned());
            }
            (channel.name.to_string(), facts)
        })
        .collect()
}

fn covered<'a>(
    graph: &'a PackageGraph,
    channel: &'a ChannelGraph,
) -> impl Iterator<Item = String> + 'a {
    let edges = graph
        .all_edges(channel)
        .into_iter()
        .filter(|edge| edge.kind == EdgeKind::SkipRange);
    edges.map(|edge| {
        format!(
            "{} -skipRange-> {}",
            graph.name_at(channel, edge.from),
            graph.name_at(channel, edge.to)
        )
    })
}

fn marks(marks: Marks) -> Vec<&'static str> {
    let states = [
        ("absent", marks.absent),
        (
            "deprecated",
            marks.deprecated_bundle || marks.deprecated_channel || marks.deprecated_package,
        ),
        ("head", marks.head),
        ("no bundle", marks.no_bundle),
        ("skipped", marks.skipped),
        ("stranded", marks.stranded),
    ];
    states
        .into_iter()
        .filter_map(|(word, holds)| holds.then_some(word))
        .collect()
}

/// The same facts from the blobs, using only names and sets.
fn naive_facts(blobs: &[Value], package: &str) -> Facts {
    let blobs_of = |schema: &'static str| {
        let key = if schema == "olm.package" {
            "name"
        } else {
            "package"
        };
        blobs
            .iter()
            .filter(move |b| b["schema"] == schema && b[key] == package)
    };
    let versions: BTreeMap<&str, &str> = blobs_of("olm.bundle")
        .filter_map(|bundle| {
            let properties = bundle["properties"].as_array()?;
            let version =
                &properties.iter().find(|p| p["type"] == "olm.package")?["value"]["version"];
            Some((text(bundle, "name"), version.as_str()?))
        })
        .collect();
    let default = blobs_of("olm.package")
        .map(|p| text(p, "defaultChannel"))
        .next()
        .unwrap_or_default();
    let deprecated: BTreeSet<(&str, &str)> = blobs_of("olm.deprecations")
        .flat_map(|blob| strings_of(blob, "entries"))
        .map(|entry| {
            (
                text(&entry["reference"], "schema"),
                text(&entry["reference"], "name"),
            )
        })
        .collect();
    blobs_of("olm.channel")
        .map(|channel| {
            let name = text(channel, "name");
            let mut facts = naive_channel(channel, &versions, &deprecated);
            if name == default {
                facts.insert("default channel".to_owned());
            }
            (name.to_owned(), facts)
        })
        .collect()
}

fn naive_channel(
    channel: &Value,
    versions: &BTreeMap<&str, &str>,
    deprecated: &BTreeSet<(&str, &str)>,
) -> BTreeSet<String> {
    let mut facts = BTreeSet::new();
    let entries: Vec<&Value> = strings_of(channel, "entries").collect();
    let replaces: BTreeMap<&str, &str> = entries
        .iter()
        .map(|e| (text(e, "name"), text(e, "replaces")))
        .collect();
    let skips = |entry: &'_ Value| {
        strings_of(entry, "skips")
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let skipped: BTreeSet<String> = entries.iter().flat_map(|e| skips(e)).collect();
    let mut targets = skipped.clone();
    targets.extend(
        replaces
            .values()
            .filter(|r| !r.is_empty())
            .map(|r| r.to_string()),
    );
    let heads: Vec<&str> = replaces
        .keys()
        .filter(|name| !targets.contains(**name))
        .copied()
        .collect();
    let mut chain: BTreeSet<&str> = BTreeSet::new();
    let mut at = if let [head] = heads[..] {
        Some(head)
    } else {
        None
    };
    while let Some(name) = at.filter(|name| chain.insert(name)) {
        at = Some(replaces[name])
            .filter(|next| replaces.contains_key(next) && !skipped.contains(*next));
    }
    let names = replaces
        .keys()
        .map(|name| name.to_string())
        .chain(targets.iter().cloned())
        .collect::<BTreeSet<_>>();
    for name in &names {
        let present = replaces.contains_key(name.as_str());
        let version = versions
            .get(name.as_str())
            .copied()
            .unwrap_or_else(|| version_at_the_end(name));
        let scopes = [("olm.package", ""), ("olm.channel", text(channel, "name"))];
        let scoped = present && scopes.iter().any(|scope| deprecated.contains(scope));
        let states = [
            ("absent", !present),
            (
                "deprecated",
                scoped || deprecated.contains(&("olm.bundle", name)),
            ),
            ("head", heads.contains(&name.as_str())),
            (
                "no bundle",
                present && !versions.contains_key(name.as_str()),
            ),
            ("skipped", skipped.contains(name)),
            (
                "stranded",
                present
                    && heads.len() == 1
                    && !chain.contains(name.as_str())
                    && !skipped.contains(name),
            ),
        ];
        let states: Vec<_> = states
            .iter()
            .filter(|(_, holds)| *holds)
            .map(|(word, _)| *word)
            .collect();
        facts.insert(format!("{name} {version} {}", states.join(" ")));
    }
    for entry in entries {
        let (name, range) = (text(entry, "name"), text(entry, "skipRange"));
        if !text(entry, "replaces").is_empty() {
            facts.insert(format!("{} -replaces-> {name}", text(entry, "replaces")));
        }
        facts.extend(
            skips(entry)
                .iter()
                .map(|skip| format!("{skip} -skips-> {name}")),
        );
        if !range.is_empty() {
            facts.insert(format!("{name} skipRange {range}"));
            let others = replaces.keys().filter(|other| **other != name);
            let covered = others.filter(|other| {
                versions
                    .get(**other)
                    .is_some_and(|v| simple_range_holds(range, v))
            });
            facts.extend(covered.map(|other| format!("{other} -skipRange-> {name}")));
        }
    }
    facts
}

/// The longest suffix of a name that is a version, tried character by character.
fn version_at_the_end(name: &str) -> &str {
    let ends = (0..name.len()).filter(|&i| name.is_char_boundary(i));
    let mut ends = ends
        .filter(|&i| i == 0 || name[..i].ends_with(['.', '-', 'v']))
        .map(|i| &name[i..]);
    ends.find(|end| semver::Version::parse(end).is_ok())
        .unwrap_or_default()
}

/// Ranges as written in the corpus: comparisons separated by blanks, alternatives by ` || `,
/// `>=1.2.x` for `>=1.2.0`. An invalid comparison (`<v1.2.3`) makes the whole range empty.
fn simple_range_holds(range: &str, version: &str) -> bool {
    // An operator may be followed by a blank.
    let joined = range
        .replace("> ", ">")
        .replace("< ", "<")
        .replace("= ", "=");
    let alternatives: Option<Vec<Vec<_>>> = joined
        .split("||")
        .map(|all| all.split_whitespace().map(comparison).collect())
        .collect();
    let (Some(alternatives), Ok(version)) = (alternatives, semver::Version::parse(version)) else {
        return false;
    };
    alternatives.iter().any(|all| {
        all.iter().all(|(operator, bound)| {
            let order = version.cmp_precedence(bound);
            match *operator {
                "<" => order.is_lt(),
                "<=" => order.is_le(),
                ">" => order.is_gt(),
                ">=" => order.is_ge(),
                "" | "=" | "==" => order.is_eq(),
                "!" | "!=" => order.is_ne(),
                _ => false,
            }
        })
    })
}

fn comparison(text: &str) -> Option<(&str, semver::Version)> {
    let bound = text.trim_start_matches(['<', '>', '=', '!']);
    let operator = &text[..text.len() - bound.len()];
    let wild = bound.strip_suffix(".x").map(|start| format!("{start}.0"));
    assert!(
        wild.is_none() || operator == ">=",
        "{text}: this reading knows only >= with a wildcard"
    );
    Some((
        operator,
        semver::Version::parse(wild.as_deref().unwrap_or(bound)).ok()?,
    ))
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn strings_of<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value[key].as_array().into_iter().flatten()
}

/// All blobs of a file, read by third-party libraries.
fn blobs(path: &Path, bytes: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    if text.trim_start().starts_with('{') {
        let documents = serde_json::Deserializer::from_str(text).into_iter::<Value>();
        documents
            .map(|d| d.unwrap_or_else(|e| panic!("{}: {e}", path.display())))
            .collect()
    } else {
        let documents = serde_yaml::Deserializer::from_str(text).map(Value::deserialize);
        documents
            .map(|d| d.unwrap_or_else(|e| panic!("{}: {e}", path.display())))
            .collect()
    }
}

/// The catalog's files below a folder, by path.
pub(crate) fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut paths = Vec::new();
    collect(folder, &mut paths);
    paths.sort();
    let read = |path: PathBuf| {
        let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        (path, bytes)
    };
    paths.into_iter().map(read).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.expect("a readable folder").path();
        match path.extension().and_then(|e| e.to_str()) {
            _ if path.is_dir() => collect(&path, files),
            Some("yaml" | "yml" | "json") => files.push(path),
            _ => {}
        }
    }
}
