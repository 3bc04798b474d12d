//! How questions and operations grow with a catalog: twice the catalog may cost about twice the work, over long chains, many
//! channels, many skips, wide ranges, many packages, many files and long blobs. Counts of work and not time, as in
//! `extreme.rs`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod work;

use fbc::catalog::{Catalog, Content, TreeEntry};
use fbc::index::index_bytes;
use fbc::model::{FileId, Package};
use fbc::upgrade::resolve::{self, CatalogSet};
use fbc::upgrade::status_conditions::{ExtensionConditions, SubscriptionConditions};
use fbc::upgrade::{Installed, Lens, Options, UpgradeIndex};
use std::sync::Arc;
use work::{Findings, holds};

/// An entry is called after its number: ten to a y-stream.
fn version(i: usize) -> String {
    format!("1.{}.{}", i / 10, i % 10)
}

fn entry(i: usize, more: &str) -> String {
    match i.checked_sub(1) {
        Some(below) => format!("- name: p.v{}\n  replaces: p.v{}\n{more}", version(i), version(below)),
        None => format!("- name: p.v{}\n{more}", version(i)),
    }
}

/// A package with one channel, in which each entry replaces the one before, and says more.
fn package_of(count: usize, more: impl Fn(usize) -> String) -> Vec<u8> {
    let head =
        "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n";
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

/// Each entry takes over the one before by a range of its own as well.
fn narrow_ranges(count: usize) -> Vec<u8> {
    package_of(count, |i| match i.checked_sub(1) {
        Some(below) => format!("  skipRange: '>={} <{}'\n", version(below), version(i)),
        None => String::new(),
    })
}

fn catalog(text: &[u8]) -> Catalog {
    let content = Content::Indexed(Arc::new(index_bytes(text)));
    Catalog::new("catalog", vec![TreeEntry { id: FileId(0), path: "catalog.yaml".to_owned(), content }])
}

fn only_package(text: &[u8]) -> Arc<Package> {
    catalog(text).package("p").unwrap().clone()
}

/// From the lowest version of a chain to the highest.
fn paths(findings: &mut Findings) {
    let walked = |lens: Lens| {
        move |package: &Arc<Package>| {
            let index = UpgradeIndex::new(package);
            let path = index.path(lens, Some(&Installed::new("p.v1.0.0", "1.0.0")), &Options::default());
            assert_eq!((path.steps.len(), path.looped), (package.bundles.len(), false));
            0
        }
    };
    for (name, shape) in [("a chain", chain as fn(usize) -> Vec<u8>), ("narrow ranges", narrow_ranges)] {
        let package = |count| only_package(&shape(count));
        findings.linear(&format!("a path along {name}, Classic"), 1_000, 50e6, package, walked(Lens::V0));
        findings.linear(&format!("a path along {name}, OLM v1"), 1_000, 50e6, package, walked(Lens::V1));
    }
    let deprecated = |count| {
        let reference = |i| format!("- reference: {{schema: olm.bundle, name: p.v{}}}\n  message: m{i}\n", version(i));
        let text: String = (0..count).map(reference).collect();
        let head = "---\nschema: olm.deprecations\npackage: p\nentries:\n".to_owned();
        only_package(&[chain(count), head.into_bytes(), text.into_bytes()].concat())
    };
    findings.linear("the conditions on a path", 1_000, 20e6, deprecated, |package| {
        let (subscription, extension) =
            (SubscriptionConditions::new(package, "c"), ExtensionConditions::new(package, &[]));
        let told = package.bundles.iter().map(|bundle| {
            let installed = Some(bundle.name.as_str());
            subscription.with(installed).len() + extension.with(installed).len()
        });
        assert_eq!(told.sum::<usize>(), 4 * package.bundles.len());
        0
    });
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
            let path = set.path("", "p", Some(&Installed::new("p.v1.0.0", "1.0.0")), &Options::default());
            assert_eq!(path.steps.len(), package.bundles.len());
            0
        },
    );
}

#[test]
fn long_paths() {
    holds(paths);
}
