//! How long upgrade queries take: everyone's next step in the largest package, a comparison of two
//! catalogs, the consequences of an edit. Numbers are printed, never asserted: `cargo bench --bench
//! upgrades`.

mod support;

use catalog::index::index_bytes;
use catalog::model::{FileId, Package};
use catalog::{Catalog, Content, TreeEntry};
use protocol::diagnostic::Profile;
use session::{self, AdviceSource, Session};
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::{last_entry, measure, ms, range};
use test_support::{MemorySource, corpus, read_tree};
use upgrade::{Options, UpgradeIndex, everyone};
use verdict::compare::invariants::{CatalogContext, new_findings};
use verdict::compare::{self, Pair};

/// A folder of the corpus, its files, and its catalog.
type Opened = (&'static str, Vec<(String, Vec<u8>)>, Catalog);

fn main() {
    let Some(folder) = corpus() else { return };
    let roots = [
        "community/v4.20",
        "community/v4.19",
        "operatorhub",
        "redhat",
        "scale/scaleops-operator",
    ];
    let catalogs: Vec<Opened> = roots
        .iter()
        .map(|root| {
            let files = read_tree(&folder.join(root));
            let catalog = catalog(&files);
            (*root, files, catalog)
        })
        .collect();
    everyone_of_the_largest(&catalogs);
    compare_catalogs(&catalogs);
    edit_the_largest(&catalogs);
    edit_with_advice(&catalogs);
    requirements(&catalogs);
}

/// An edit of a package with requirements, and Classic's answer in the page after it: a fresh
/// install in every channel, resolved over the reachable packages.
fn requirements(catalogs: &[Opened]) {
    let mut slowest: Vec<(Duration, String)> = Vec::new();
    for (name, files, catalog) in catalogs {
        let mut session = open(files);
        for package in catalog
            .packages()
            .filter(|p| UpgradeIndex::new(p).needs_solver())
        {
            let Some((channel, entry)) = last_entry(package) else {
                continue;
            };
            let mut took = (Duration::ZERO, Duration::ZERO);
            // The first edit reads the reachable packages, as the first visit of the package in the
            // page does.
            for n in 0..3 {
                let start = Instant::now();
                let applied = session.apply("a range", &[range(package, channel, entry, n)]);
                assert!(applied.is_ok(), "the operation is refused");
                took.0 = start.elapsed();
                let root = &session.roots()[0];
                let catalog_set = root
                    .resolver_cache()
                    .borrow_mut()
                    .catalog_set(root.catalog().packages(), &package.name);
                for channel in &package.channels {
                    let options = Options {
                        channels: vec![channel.name.value.to_string()],
                        ..Options::default()
                    };
                    drop(catalog_set.next("", &package.name, None, &options));
                }
                took.1 = start.elapsed();
            }
            let near = session.roots()[0]
                .resolver_cache()
                .borrow_mut()
                .within_reach(catalog.packages(), &package.name)
                .len();
            let (edit, channels) = (took.0.as_secs_f64() * 1e3, package.channels.len());
            let what = format!(
                "{name} {}: edit {edit:.2} ms, {near} packages in reach, {channels} channels",
                package.name
            );
            slowest.push((took.1, what));
        }
    }
    slowest.sort();
    for (time, what) in slowest.iter().rev().take(6) {
        println!("requirements: {what}: {:.2} ms", time.as_secs_f64() * 1e3);
    }
    println!("requirements: {} packages have some", slowest.len());
}

fn everyone_of_the_largest(catalogs: &[Opened]) {
    let packages = catalogs
        .iter()
        .flat_map(|(root, _, catalog)| catalog.packages().map(move |p| (*root, p)));
    let mut packages: Vec<(&str, &Arc<Package>)> = packages.collect();
    packages.sort_by_key(|(_, package)| std::cmp::Reverse(entries(package)));
    let mut seen = std::collections::BTreeSet::new();
    for (root, package) in packages
        .into_iter()
        .filter(|(_, p)| seen.insert(p.name.clone()))
        .take(4)
    {
        let index = UpgradeIndex::new(package);
        let asked = measure(50, || {
            drop(everyone::every_path(&index, &Options::default(), None))
        });
        let with_index = measure(50, || {
            drop(everyone::every_path(
                &UpgradeIndex::new(package),
                &Options::default(),
                None,
            ))
        });
        println!(
            "everyone, both lenses: {root} {} ({} entries, {} channels): {} ms; with its index {} ms",
            package.name,
            entries(package),
            package.channels.len(),
            ms(asked),
            ms(with_index)
        );
    }
}

fn compare_catalogs(catalogs: &[Opened]) {
    let of = |name: &str| catalogs.iter().find(|(root, ..)| *root == name);
    if let (Some((_, _, old)), Some((_, files, new))) =
        (of("community/v4.19"), of("community/v4.20"))
    {
        let bytes: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
        let around = CatalogContext {
            old: Some(old),
            new: Some(new),
            ocp: Some((4, 20)),
            ..CatalogContext::default()
        };
        let users = measure(10, || drop(compare::compare_catalogs(old, new)));
        let all = measure(5, || {
            let pairs = compare::compare_catalogs(old, new).differing;
            pairs
                .iter()
                .for_each(|(pair, _)| drop(new_findings(pair, &around)));
        });
        println!(
            "community/v4.19 against v4.20 ({:.1} MB): users {} ms, with invariants {} ms",
            bytes as f64 / 1e6,
            ms(users),
            ms(all)
        );
    }
    for (root, files, catalog) in catalogs {
        let bytes: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
        let packages: Vec<&Arc<Package>> = catalog.packages().collect();
        // Every package as if it had changed.
        let time = measure(5, || {
            packages
                .iter()
                .for_each(|p| drop(Pair::new(Some(p), Some(p)).compare()))
        });
        println!(
            "{root} against itself, every package in full ({:.1} MB): {} ms",
            bytes as f64 / 1e6,
            ms(time)
        );
    }
}

fn edit_the_largest(catalogs: &[Opened]) {
    let largest = catalogs
        .iter()
        .flat_map(|(_, files, catalog)| catalog.packages().map(move |p| (files, p)));
    let Some((files, package)) = largest.max_by_key(|(_, package)| entries(package)) else {
        return;
    };
    let Some((channel, entry)) = last_entry(package) else {
        return;
    };
    let mut session = open(files);
    let mut n = 0;
    let time = measure(50, || {
        n += 1;
        let applied = session.apply("a range", &[range(package, channel, entry, n)]);
        assert!(applied.is_ok(), "the operation is refused");
    });
    let pair = measure(50, || {
        drop(Pair::new(Some(package), Some(package)).compare())
    });
    println!(
        "an edit of {} ({} entries): text, facts, verdict and consequences {} ms; of these the consequences {} ms",
        package.name,
        entries(package),
        ms(time),
        ms(pair)
    );
}

/// The additional cost of advice for an edit in a large catalog.
fn edit_with_advice(catalogs: &[Opened]) {
    let Some((name, files, catalog)) = catalogs.iter().find(|(root, ..)| *root == "operatorhub")
    else {
        return;
    };
    let Some(package) = catalog.package("strimzi-kafka-operator") else {
        return;
    };
    let Some((channel, entry)) = last_entry(package) else {
        return;
    };
    for profile in Profile::ALL {
        let mut session = open(files);
        session.set_advice_source(AdviceSource::Nearest(Some(profile)));
        let mut n = 0;
        let time = measure(50, || {
            n += 1;
            let applied = session.apply("a range", &[range(package, channel, entry, n)]);
            assert!(applied.is_ok(), "the operation is refused");
        });
        let problems = session.roots()[0].verdict().diagnostics.len();
        let of = format!("{name} {} with profile {}", package.name, profile.name());
        println!("an edit of {of} ({problems} problems): {} ms", ms(time));
    }
}

fn open(files: &[(String, Vec<u8>)]) -> Session {
    let (new, memory) = MemorySource::with_files(files.iter().map(|(path, bytes)| (path, bytes)));
    session::open_one("catalog", new, memory)
}

fn catalog(files: &[(String, Vec<u8>)]) -> Catalog {
    let entries = files.iter().zip(0..).map(|((path, bytes), id)| TreeEntry {
        id: FileId(id),
        path: path.clone(),
        content: Content::Indexed(Arc::new(index_bytes(bytes))),
    });
    Catalog::new("", entries.collect())
}

fn entries(package: &Package) -> usize {
    package.channels.iter().map(|c| c.entries.len()).sum()
}
