//! How often advice appears in real catalogs: default advice must be rare, or users ignore it.

use crate::graph_corpus::{catalogs, files, index_catalog};
use protocol::diagnostic::Profile;
use std::collections::{BTreeMap, BTreeSet};
use verdict::validate::{Settings, explain, judge_with};

/// Catalogs, whether default advice must be rare there, and a minimum number of packages.
const CATALOGS: [(&str, bool, usize); 4] = [
    ("operatorhub", true, 300),
    ("redhat", false, 50),
    ("community/v4.18", false, 30),
    ("community/v4.20", false, 30),
];

/// Per hundred packages.
const RARE: usize = 5;

#[test]
fn default_advice_is_rare() {
    for (at, folder) in catalogs(CATALOGS.map(|(name, ..)| name)) {
        let (name, rare, floor) = CATALOGS
            .into_iter()
            .find(|(name, ..)| *name == at)
            .expect("a listed catalog");
        let catalog = index_catalog(&files(&folder));
        let verdict = judge_with(&catalog, &Settings::from_profile(Profile::Strict));
        let mut by_rule: BTreeMap<&str, (BTreeSet<&str>, usize)> = BTreeMap::new();
        for problem in verdict.diagnostics.iter().filter(|d| !d.opm) {
            let (packages, problems) = by_rule.entry(&problem.rule).or_default();
            packages.extend(problem.package.as_deref());
            *problems += 1;
        }
        let all = catalog
            .packages()
            .filter(|p| !p.packages.is_empty())
            .count();
        println!("{name}: {all} packages");
        assert!(all >= floor, "{name}: only {all} packages");
        for (rule, (packages, problems)) in by_rule {
            let doc = explain(rule).unwrap_or_else(|| panic!("{rule} is not documented"));
            let share = packages.len() as f64 * 100.0 / all as f64;
            println!(
                "  {rule}: {} packages ({share:.1} %), {problems} problems",
                packages.len()
            );
            let is_rare = packages.len() * 100 <= all * RARE;
            assert!(
                !rare || is_rare || doc.profile == Profile::Strict,
                "{rule} is reported for {share:.1} % of {name}"
            );
        }
    }
}
