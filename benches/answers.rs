//! How long the worker takes for an edit with all its answers: verdict, consequences, lanes, table.
//! The rest of the page's time is the browser's. Numbers are printed, never asserted: `cargo bench
//! --bench answers`.

mod support;

use catalog::{Content, TreeEntry};
use host::Host;
use protocol::Json;
use protocol::query::*;
use protocol::request::{LaneOptions, OpenMode, PackageRequest};
use protocol::views::UpgradeQuestion;
use std::time::Duration;
use support::{Clock, last_entry, quantiles, range};
use test_support::{MemorySource, corpus, read_tree};

/// Large packages, and those whose answers need the resolver.
const PACKAGES: [(&str, &str); 5] = [
    ("operatorhub", "strimzi-kafka-operator"),
    ("operatorhub", "mercury-operator"),
    ("operatorhub", "kogito-operator"),
    ("operatorhub", "hive-operator"),
    ("scale/scaleops-operator", "scaleops-operator"),
];

fn main() {
    let Some(corpus) = corpus() else { return };
    let only = std::env::args().nth(1).unwrap_or_default();
    for (folder, name) in PACKAGES
        .into_iter()
        .filter(|(_, name)| only.starts_with("--") || name.contains(&only))
    {
        let files = read_tree(&corpus.join(folder));
        let (new, memory) =
            MemorySource::with_files(files.iter().map(|(path, bytes)| (path, bytes)));
        let catalog = catalog::Catalog::new("", new.iter().map(entry).collect());
        let Some(package) = catalog.package(name) else {
            continue;
        };
        let Some((channel, entry)) = last_entry(package) else {
            continue;
        };
        let mut host = Host::new(memory);
        host.open(OpenMode::Replace, new).expect("an answer");
        let Ok(status) = host.answer(TreatAsOne {
            folder: String::new(),
            as_one: true,
        }) else {
            continue;
        };
        let Some(root) = status.roots.first().map(|root| root.root.clone()) else {
            continue;
        };
        let view = PackageRequest {
            root,
            package: name.to_owned(),
            lanes: LaneOptions {
                fold: true,
                ..LaneOptions::default()
            },
            question: UpgradeQuestion::default(),
            baseline: None,
        };
        let mut edit = 0;
        let edits = measure_runs(|| {
            edit += 1;
            let ops = Json(vec![range(package, channel, entry, edit)]);
            host.answer(Apply {
                ops,
                title: "a range".into(),
                view: Some(view.clone()),
            })
            .expect("an answer");
        });
        let undone = measure_runs(|| {
            host.answer(Undo {
                view: Some(view.clone()),
            })
            .expect("an answer");
        });
        let shown = measure_runs(|| drop(host.answer(view.clone())));
        println!(
            "{name}: an edit that was not previewed, and all that follows {edits}; its undo {undone}; of it the package in view {shown}"
        );
    }
}

/// Median, 99 % and worst of 300 runs, in processor time.
fn measure_runs(mut run: impl FnMut()) -> String {
    let mut times: Vec<Duration> = (0..300)
        .map(|_| {
            let clock = Clock::start();
            run();
            clock.elapsed()
        })
        .collect();
    let [median, most, worst] =
        quantiles(&mut times, [0.5, 0.99, 1.0]).map(|time| time.as_secs_f64() * 1e3);
    format!("{median:.2} ms (99 % {most:.2}, worst {worst:.2})")
}

fn entry(file: &TreeEntry) -> TreeEntry {
    let Content::Indexed(index) = &file.content else {
        unreachable!("files in memory are indexed")
    };
    TreeEntry {
        id: file.id,
        path: file.path.clone(),
        content: Content::Indexed(index.clone()),
    }
}
