//! Real catalogs: everyone's paths against one path at a time, requirements in reach against the
//! whole catalog, and one OCP version against the next.

use crate::graph_corpus::{catalogs, files, index_catalog};
use ::catalog::Catalog;
use ::catalog::model::Package;
use upgrade::everyone::{self, Everyone};
use upgrade::resolve::{self, CatalogSet, ResolverCache};
use upgrade::{Lens, Options, UpgradeIndex};
use verdict::compare::invariants::{CatalogContext, new_findings};
use verdict::compare::{self, Pair};

fn open(name: &'static str) -> Option<Catalog> {
    let (_, folder) = catalogs([name]).pop()?;
    Some(index_catalog(&files(&folder)))
}

fn catalog_set(packages: Vec<&Package>) -> CatalogSet<'_> {
    CatalogSet::new(vec![resolve::Catalog {
        name: "".into(),
        namespace: "".into(),
        priority: 0,
        packages,
    }])
}

fn channel(name: &str) -> Options {
    Options {
        channels: vec![name.to_owned()],
        ..Options::default()
    }
}

#[test]
fn path_summaries_of_real_packages_match_their_paths() {
    let (mut count, mut opened) = (0, 0);
    for (_, folder) in catalogs(["community/v4.20", "redhat"]) {
        let catalog = index_catalog(&files(&folder));
        opened += 1;
        for package in catalog.packages() {
            let index = UpgradeIndex::new(package);
            let Everyone { versions, v1, v0 } =
                everyone::every_path(&index, &Options::default(), None);
            let classic = v0
                .iter()
                .map(|(name, paths)| (Lens::V0, channel(name), paths));
            for (lens, options, paths) in classic.chain([(Lens::V1, Options::default(), &v1)]) {
                // Single paths are expensive, so check only some of them.
                for (number, summary) in paths.iter().step_by(7) {
                    let installed = versions.get(number).unwrap();
                    let path = index.path(lens, Some(installed), &options);
                    let last = versions.get(summary.last).map(|i| &i.name);
                    assert_eq!(
                        last,
                        path.steps.last(),
                        "{} {lens:?} {installed:?}",
                        package.name
                    );
                    count += 1;
                }
            }
        }
    }
    println!("{count} paths are paths");
    assert!(count >= 100 || opened == 0, "only {count} paths");
}

#[test]
fn the_reachable_part_decides_like_the_whole_catalog() {
    let Some(catalog) = open("community/v4.20") else {
        return;
    };
    let all = || catalog.packages().map(|p| &**p);
    let whole = catalog_set(all().collect());
    let (mut count, mut resolver_cache) = (0, ResolverCache::default());
    for package in all().filter(|p| UpgradeIndex::new(p).needs_solver()) {
        let near = resolver_cache.catalog_set(catalog.packages(), &package.name);
        for name in package.channels.iter().map(|c| c.name.as_str()) {
            let ask = |catalog_set: &CatalogSet<'_>| {
                catalog_set.next("", &package.name, None, &channel(name))
            };
            assert_eq!(ask(&near), ask(&whole), "{} {name}", package.name);
            count += 1;
        }
    }
    println!("{count} channels of packages with requirements decide alike");
    assert!(count > 0, "no package has requirements");
}

/// Nightlies that skip `>=1.0.0` also get the stable users of OLM v1.
#[test]
fn sailoperator_users_get_a_nightly_under_v1() {
    let Some(catalog) = open("community/v4.20") else {
        return;
    };
    let package = catalog
        .package("sailoperator")
        .expect("the package is in the corpus");
    let everyone = everyone::every_path(&UpgradeIndex::new(package), &Options::default(), None);
    let stable: Vec<u32> = everyone
        .versions
        .iter()
        .filter(|(_, i)| i.version.starts_with("1.") && !i.version.contains('-'))
        .map(|(number, _)| number)
        .collect();
    let to_nightly = stable
        .iter()
        .filter(|&&n| everyone.v1.get(n).is_some_and(|path| path.marks.prerelease));
    assert!(
        !stable.is_empty() && to_nightly.count() == stable.len(),
        "{} stable versions",
        stable.len()
    );
}

#[test]
fn compares_one_ocp_version_with_the_next() {
    let (Some(old), Some(new)) = (open("community/v4.19"), open("community/v4.20")) else {
        return;
    };
    let around = CatalogContext {
        old: Some(&old),
        new: Some(&new),
        ocp: Some((4, 20)),
        ..CatalogContext::default()
    };
    let compare::ComparedCatalogs {
        differing: pairs,
        same,
    } = compare::compare_catalogs(&old, &new);
    for (pair, comparison) in &pairs {
        let findings = new_findings(pair, &around);
        println!(
            "{}: {} hit, {} worse off, {} findings",
            pair.name,
            comparison.count_affected(),
            comparison.count_worse_off(),
            findings.len()
        );
    }
    println!("{} packages differ, {same} are the same", pairs.len());
    let ranks: Vec<_> = pairs
        .iter()
        .map(|(_, of)| std::cmp::Reverse((of.count_worse_off(), of.count_affected())))
        .collect();
    assert!(ranks.is_sorted() && !pairs.is_empty());
    // A comparison with itself has no changes and no broken rules.
    assert_eq!(compare::compare_catalogs(&new, &new).differing.len(), 0);
    for package in new.packages() {
        let pair = Pair::new(Some(package), Some(package));
        assert!(
            pair.compare().is_same() && new_findings(&pair, &around).is_empty(),
            "{}",
            package.name
        );
    }
}
