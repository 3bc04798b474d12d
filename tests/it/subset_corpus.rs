//! The laws of subsets ([`crate::laws::subset`]) on catalogs of this repository and on real ones:
//! every channel, a version in the middle, heads, whole packages, and the subsets merged again.
//!
//! A run takes a sample of the real packages; `SWITCHYARD_SUBSETS=all` takes them all.

use crate::laws::subset::{Outcome, check, check_everything, check_parts, open};
use ::catalog::model::Package;
use protocol::subset::{EntrySelection, PackageScoped, Selection};
use session::Session;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use test_support::{corpus, read_tree};

/// Some selections of each kind for one package.
fn selections(package: &Package) -> Vec<Selection> {
    let whole_package = || Selection {
        packages: vec![package.name.to_string()],
        ..Selection::default()
    };
    let mut versions: Vec<&str> = package
        .bundles
        .iter()
        .map(|bundle| bundle.version())
        .collect();
    versions.sort_unstable();
    let mut selections = vec![
        whole_package(),
        Selection {
            entries: EntrySelection::Heads,
            ..whole_package()
        },
    ];
    for version in versions
        .iter()
        .skip(versions.len() / 2)
        .take(1)
        .chain(versions.last())
    {
        let from = EntrySelection::From(vec![PackageScoped::every(*version)]);
        selections.push(Selection {
            entries: from,
            ..whole_package()
        });
    }
    let channels: Vec<&str> = package
        .channels
        .iter()
        .map(|channel| channel.name.as_str())
        .collect();
    for channel in channels.iter().take(1).chain(channels.last()) {
        let of_channel = |entries| Selection {
            channels: vec![PackageScoped::every(*channel)],
            default_channels: vec![PackageScoped::every(*channel)],
            entries,
            ..whole_package()
        };
        selections.push(of_channel(EntrySelection::All));
        selections.push(of_channel(EntrySelection::Heads));
    }
    selections
}

#[derive(Debug, Default)]
struct Count {
    cut: usize,
    whole: usize,
    refused: usize,
    /// Blobs that lost entries.
    changed: usize,
}

impl Count {
    fn run(&mut self, session: &Session) {
        let packages: Vec<_> = session
            .root(None)
            .unwrap()
            .catalog()
            .packages()
            .cloned()
            .collect();
        for selection in packages.iter().flat_map(|package| selections(package)) {
            match check(session, &selection) {
                Outcome::Refused => self.refused += 1,
                Outcome::Whole => self.whole += 1,
                Outcome::Cut(changed) => {
                    self.cut += 1;
                    self.changed += changed;
                }
            }
        }
    }
}

#[test]
fn subsets_of_our_catalogs_keep_their_blobs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/catalogs");
    let mut count = Count::default();
    for path in [
        "harbor",
        "forked",
        "reef",
        "lighthouse/catalogs/v4.18",
        "lighthouse/catalogs/v4.19",
    ] {
        let session = open(read_tree(&folder.join(path)));
        check_everything(&session);
        check_parts(&session);
        count.run(&session);
    }
    println!("{count:?}");
    assert!(count.cut >= 30 && count.changed >= 10, "{count:?}");
}

/// Each folder of a catalog as a catalog of its own: usually a package.
fn folders(root: &Path) -> Vec<Session> {
    let mut folders: BTreeMap<String, Vec<(String, Vec<u8>)>> = BTreeMap::new();
    for (path, bytes) in read_tree(root) {
        let folder = path
            .split_once('/')
            .map_or(String::new(), |(folder, _)| folder.to_owned());
        folders.entry(folder).or_default().push((path, bytes));
    }
    folders.into_values().map(open).collect()
}

#[test]
fn subsets_of_real_catalogs_keep_their_blobs() {
    let Some(corpus) = corpus() else { return };
    let all = std::env::var("SWITCHYARD_SUBSETS").is_ok_and(|value| value == "all");
    let roots = [
        "community/v4.20",
        "operatorhub",
        "redhat",
        "split/cert-manager",
        "split/submariner",
        "variants",
    ];
    let roots: Vec<PathBuf> = roots
        .iter()
        .map(|path| corpus.join(path))
        .filter(|path| path.is_dir())
        .collect();
    let (mut count, mut checked, mut seen) = (Count::default(), 0, 0);
    for session in roots.iter().flat_map(|root| folders(root)) {
        seen += 1;
        // Sample, since tests are not optimized.
        if !all && (seen % 23 != 0 || session.files().byte_count() > 1_500_000) {
            continue;
        }
        checked += 1;
        check_everything(&session);
        check_parts(&session);
        count.run(&session);
    }
    println!("{checked} of {seen} folders: {count:?}");
    assert!(
        checked >= 12 && count.cut >= 40 && count.changed >= 40,
        "{checked} folders: {count:?}"
    );
}

#[test]
fn merging_all_subsets_gives_the_catalog() {
    let Some(corpus) = corpus() else { return };
    let repository = std::fs::read_dir(corpus.join("repository/catalogs"))
        .into_iter()
        .flatten()
        .flatten();
    let mut roots: Vec<PathBuf> = repository
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    roots.sort();
    let mut packages = 0;
    for root in roots.iter().take(5) {
        let session = open(read_tree(root));
        check_everything(&session);
        check_parts(&session);
        packages += session.root(None).unwrap().catalog().packages().count();
    }
    println!("{packages} packages");
    assert!(packages >= 12, "only {packages} packages");
}
